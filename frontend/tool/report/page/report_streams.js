/* The section of streams: launches and copies that overlap. */

/* Tracks: one for each stream, and within a stream one row, because its work does not overlap. */
function drawStreams(parent, s) {
  const at = name => s.columns.indexOf(name), rows = s.rows.filter(r => r[at("end")] > r[at("start")]);
  const [STREAM, LAUNCH, BYTES, READY, START, END, ALONE, SHARED, CRITICAL] =
    ["stream", "launch", "bytes", "ready", "start", "end", "alone", "shared", "critical"].map(at);
  const legacy = 0, streamName = n => n === legacy ? "default stream" : `stream ${n}`;
  const streams = distinct(rows.map(r => r[STREAM])).sort((a, b) => a - b);
  const time = new Map();
  rows.forEach(r => time.set(r[0], (time.get(r[0]) || 0) + r[END] - r[START]));
  const kinds = [...time.keys()].sort((a, b) => time.get(b) - time.get(a));
  const last = Math.min(kinds.length, COLORS) - 1, color = r => Math.min(kinds.indexOf(r[0]), last);
  const names = kinds.slice(0, COLORS);
  if (kinds.length > COLORS) names[last] = `${kinds.length - last} others`;
  const tip = r => `<b>${escapeHtml(r[0])}</b>` + (r[LAUNCH] === null ? `<br>${format(r[BYTES])} bytes` : `<br>launch ${r[LAUNCH]}`) +
    `<br>${streamName(r[STREAM])}, cycles ${format(r[START])} to ${format(r[END])}: ${format(r[END] - r[START])}` +
    (r[START] > r[READY] ? `<br>ready at ${format(r[READY])}` : "") +
    (r[ALONE] === null ? "" : `<br>alone ${format(r[ALONE])}, shared ${format(r[SHARED])}`) + (r[CRITICAL] ? "<br>on the critical path" : "");
  add(parent, "h2", {}, `${s.title}: work of the streams`);
  if (s.rows.length < s.n_rows)
    add(parent, "p", {class: "dim"}, `The first ${format(s.rows.length)} of ${format(s.n_rows)} operations.`);
  if (!rows.length) return;
  chart(parent, "Launches and copies of each stream", 150 + Math.max(24 * streams.length, 60), () => ({
    tooltip: {confine: true, formatter: p => tip(rows[p.value[3]])},
    grid: {left: 220, right: 30, top: 50, bottom: 80}, dataZoom: zoom(8),
    legend: {type: "scroll", top: 0, data: names, selectedMode: false, textStyle: {color: shades().ink}},
    xAxis: axis("value", "core cycle", {min: 0}),
    yAxis: axis("category", "", {data: streams.map(streamName), inverse: true,
                                 axisLabel: {color: shades().ink, width: 200, overflow: "truncate"}}),
    series: names.map((name, c) => ({name, type: "custom", encode: {x: [0, 1], y: 2}, clip: true, color: palette()[c],
      data: rows.flatMap((r, i) => color(r) === c ? [[r[START], r[END], streams.indexOf(r[STREAM]), i]] : []),
      renderItem: (params, api) => {
        const a = api.coord([api.value(0), api.value(2)]), b = api.coord([api.value(1), api.value(2)]);
        const h = api.size([0, 1])[1] * 0.7, critical = rows[api.value(3)][CRITICAL];
        return {type: "rect", shape: {x: a[0], y: a[1] - h / 2, width: Math.max(b[0] - a[0], 1), height: h},
                style: {fill: palette()[c], stroke: critical ? shades().ink : undefined, lineWidth: critical ? 2 : 0}};
      }}))}),
    "Operations with a frame are the critical path: each waited for the one before it, and the last one ended last. Drag or scroll to zoom.");
  table(parent, ["operation", "what", "stream", "launch", "bytes", "ready", "start", "end", "cycles", "alone", "shared", "critical"]
    .map((name, i) => ({name, text: i === 1})),
    s.rows.map(r => [r[at("operation")], r[0], r[STREAM], r[LAUNCH], r[BYTES] || null, r[READY], r[START], r[END], r[END] - r[START],
      r[ALONE], r[SHARED], r[CRITICAL]]));
}
