/* The sections of a comparison with hardware and of a validation. */

/* ---- a comparison with hardware ---- */

function drawHardware(parent, s) {
  const used = s.counters.filter(c => c.pairs.length);
  let at = 0, entry = null;
  add(parent, "h2", {}, `Against ${s.file}`);
  if (!used.length) return;
  const controls = add(parent, "div", {class: "controls"});
  chooser(controls, "counter", used.map(c => c.measured), i => { at = i; if (entry && entry.chart) entry.draw(); });
  entry = chart(parent, null, 460, () => {
    const c = used[at], scale = c.share ? "value" : "log";
    const points = c.pairs.filter(p => c.share || (p.measured > 0 && p.simulated > 0));
    const all = points.flatMap(p => [p.measured, p.simulated]);
    const low = c.share ? 0 : Math.min(...all) / 2, high = c.share ? Math.max(1, ...all) : Math.max(...all) * 2;
    const labels = {axisLabel: {color: shades().dim, formatter: c.share ? percent : v => format(v)}, min: low, max: high};
    return {
      tooltip: {confine: true, formatter: p => p.data.p ? `<b>${escapeHtml(p.data.p.kernel)}</b>` +
        (p.data.p.launch ? `, launch ${p.data.p.launch}` : "") +
        `<br>measured ${format(p.value[0])}<br>simulated ${format(p.value[1])}` : ""},
      grid: {left: 100, right: 30, top: 40, bottom: 50},
      xAxis: axis(scale, `measured: ${c.measured}`, labels),
      yAxis: axis(scale, `simulated: ${c.simulated}`, {...labels, nameGap: 75}),
      series: [{name: "pairs", type: "scatter", symbolSize: 8, data: points.map(p => ({value: [p.measured, p.simulated], p}))},
               {name: "equal", type: "line", symbol: "none", lineStyle: {type: "dashed"}, data: [[low || 1e-9, low || 1e-9], [high, high]]}],
    };
  });
  add(parent, "p", {class: "dim"}, "error: mean of |simulated - measured| / measured (of shares the difference); bias: the same without the bars; r: Pearson's correlation.");
  table(parent, [{name: "measured", text: true}, {name: "simulated", text: true}, {name: "pairs"},
      {name: "error", show: percent}, {name: "bias", show: percent}, {name: "r"}],
    used.map(c => [c.measured, c.simulated, c.pairs.length, c.error, c.bias, c.correlation]), "hardware");
  const rest = (title, names) => names.length && add(parent, "p", {class: "dim"}, `${title}: ${names.join(", ")}.`);
  if (used.some(c => c.measured.includes(", launch latency ")))
    rest("Launch latency off, in", ["how much launch overhead the card's counter includes is unknown; the bias lies between the two"]);
  rest("Columns without a pair (not measured, or nothing simulated)", s.counters.filter(c => !c.pairs.length).map(c => c.measured));
  rest("Columns without a matching statistic", s.unknown);
}

/* ---- a validation ---- */

function drawValidation(parent, s) {
  const names = ["test", "what", "unit", "measured", "simulated", "error", "allowed", "verdict", "harness", "source"];
  add(parent, "h2", {}, s.title);
  table(parent, names.map((name, i) => ({name, text: i < 3 || i > 6})), s.rows);
  for (const c of s.curves)
    chart(parent, c.title, 300, () => ({
      tooltip: {confine: true, trigger: "axis", valueFormatter: format},
      xAxis: axis("category", c.x, {data: c.points.map(p => p[0])}),
      yAxis: axis("value", c.y, {nameGap: 60}),
      series: ["measured", "simulated"].map((name, i) => ({name, type: "line", symbolSize: 7,
        symbol: ["circle", "diamond"][i], data: c.points.map(p => p[i + 1])})),
    }), c.source);
}
