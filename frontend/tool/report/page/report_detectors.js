/* The section of a detectors.json: observations of samplers inside launches. */

/* A line across the chart at the decision of a sampler; where: {xAxis: value} or {yAxis: value}. */
const decided = (d, where) => d ? {silent: true, symbol: "none", data: [where],
  lineStyle: {color: shades().ink, type: "dashed", width: 1.5},
  label: {formatter: d.sampler, color: shades().ink, position: where.yAxis ? "insideStartTop" : "end"}} : undefined;

/*
 * Start and retirement of warps, blocks or basic blocks, or their durations. They are stable along
 * the line "equal durations".
 */
function issueChart(launch, kind, durations) {
  const rows = launch[kind].rows, d = launch.decision;
  if (!rows.length)
    return {title: {text: "None were recorded: no sampler of this run observes them.", left: "center", top: "middle",
                    textStyle: {color: shades().dim, fontSize: 14, fontWeight: "normal"}}, series: []};
  const pcs = kind === "retired_basic_blocks" ? distinct(rows.map(r => r[4])) : [];
  const counts = new Map(pcs.map(pc => [pc, 0]));
  pcs.length && rows.forEach(r => counts.set(r[4], counts.get(r[4]) + 1));
  const own = pcs.sort((a, b) => counts.get(b) - counts.get(a)).slice(0, COLORS - 1);
  const group = r => !pcs.length ? -1 : own.indexOf(r[4]);
  const name = g => !pcs.length ? "retired" : g < 0 ? "other basic blocks" : `basic block at 0x${own[g].toString(16)}`;
  const last = rows.slice(-Math.max(Math.ceil(rows.length / 4), 1));
  const mean = last.reduce((sum, r) => sum + r[1] - r[0], 0) / Math.max(last.length, 1);
  const y = r => durations ? r[1] - r[0] : r[1];
  const from = Math.min(...rows.map(r => r[0])), to = Math.max(...rows.map(r => r[0]));
  return {
    tooltip: {confine: true, formatter: p => p.data.r ? `block ${format(p.data.r[2])}<br>cycle ${format(p.data.r[0])} to ` +
      `${format(p.data.r[1])}: ${format(p.data.r[1] - p.data.r[0])} cycles<br>${format(p.data.r[3])} warp instructions` : escapeHtml(p.seriesName)},
    dataZoom: zoom(2), grid: {left: 90, right: 60, top: 40, bottom: 75},
    xAxis: axis("value", "cycle of the first issue, from the launch's start", {scale: true}),
    yAxis: axis("value", durations ? "cycles from issue to retirement" : "cycle of retirement", {scale: true, nameGap: 65}),
    series: [...distinct(rows.map(group)).sort((a, b) => (a < 0) - (b < 0) || a - b).map((g, i) => ({name: name(g), type: "scatter", symbolSize: 4,
        data: rows.filter(r => group(r) === g).map(r => ({value: [r[0], y(r)], r})),
        markLine: i === 0 ? decided(d, d && {[durations ? "xAxis" : "yAxis"]: d.cycle}) : undefined})),
      ...(pcs.length ? [] : [{name: `equal durations (${format(Math.round(mean))} cycles)`, type: "line", symbol: "none", color: palette()[3],
        lineStyle: {width: 1.5}, data: durations ? [[from, mean], [to, mean]] : [[from, from + mean], [to, to + mean]]}])],
  };
}

/* Sizes of the blocks in dispatch order, over the regions found in the index. */
function regionChart(launch) {
  const rows = launch.block_sizes.rows, d = launch.decision, regions = launch.regions ? launch.regions.list : [];
  const color = r => palette()[(r[2] + 2) % COLORS]; /* the first two colours are for points */
  return {
    tooltip: {confine: true, formatter: p => p.data.region ?
      `<b>region of cluster ${p.data.region[2]}</b><br>blocks ${format(p.data.region[0])} to ${format(p.data.region[1] - 1)}` +
      (p.data.region[3] ? "" : "<br>too uneven to leave out") + (p.data.region[4] === null ? "" : `<br>stall probability ${format(p.data.region[4])}`) +
      (p.data.region[5] === null ? "" : `<br>variation factor ${format(p.data.region[5])}`) :
      `block ${format(p.value[0])}<br>${escapeHtml(p.seriesName)}: ${format(p.value[1])}`},
    dataZoom: zoom(2), grid: {left: 90, right: 90, top: 40, bottom: 75},
    xAxis: axis("value", "block", {min: 0, max: launch.blocks}),
    yAxis: [axis("value", "warp instructions", {nameGap: 65, scale: true}),
            axis("value", "requests of 128 bytes", {nameGap: 65, scale: true, splitLine: {show: false}})],
    series: [
      {name: "regions, by cluster", type: "custom", z: 1, encode: {x: [0, 1]}, color: palette()[7], clip: true,
        data: regions.map(r => ({value: [r[0], r[1]], region: r})),
        renderItem: (params, api) => {
          const r = regions[params.dataIndex], box = params.coordSys, a = api.coord([r[0], 0])[0], b = api.coord([r[1], 0])[0];
          return {type: "rect", shape: {x: a, y: box.y, width: Math.max(b - a, 1), height: box.height},
                  style: {fill: color(r), opacity: r[3] ? 0.3 : 0.12, stroke: shades().paper, lineWidth: 0.5}};
        }},
      {name: "warp instructions", type: "scatter", symbolSize: 4, color: palette()[0], z: 3, data: rows.map(r => [r[0], r[1]]),
        markLine: decided(d, d && {xAxis: d.block})},
      {name: "requests", type: "scatter", symbol: "triangle", symbolSize: 4, color: palette()[1], z: 2, yAxisIndex: 1, data: rows.map(r => [r[0], r[2]])}],
  };
}

/* Rates of the launch per interval. */
function rateChart(launch) {
  const rows = launch.intervals.rows, d = launch.decision;
  const rate = rows.slice(1).map((r, i) => [r[0], (r[1] - rows[i][1]) / Math.max(r[0] - rows[i][0], 1)]);
  return {
    tooltip: {confine: true, trigger: "axis", valueFormatter: format},
    dataZoom: zoom(2), grid: {left: 90, right: 90, top: 40, bottom: 75},
    xAxis: axis("value", "cycle, from the launch's start", {scale: true}),
    yAxis: [axis("value", "warp instructions per cycle", {nameGap: 55}),
            axis("value", "share", {nameGap: 55, min: 0, splitLine: {show: false}, axisLabel: {color: shades().dim, formatter: percent}})],
    series: [{name: "warp instructions per cycle", type: "line", symbol: "none", data: rate, markLine: decided(d, d && {xAxis: d.cycle})},
      {name: "blocks done", type: "line", symbol: "none", yAxisIndex: 1, lineStyle: {type: "dashed"}, data: rows.map(r => [r[0], r[2] / launch.blocks])},
      {name: "L2 taken, of its sectors", type: "line", symbol: "none", yAxisIndex: 1, lineStyle: {type: "dotted"},
        data: rows.map(r => [r[0], r[4] / launch.l2_sectors])}],
  };
}

function drawDetectors(parent, s) {
  const kinds = [["retired_warps", "warps"], ["retired_blocks", "blocks"], ["retired_basic_blocks", "basic blocks"]];
  const at = {launch: s.launches[0], kind: 0, durations: 0}, drawn = [];
  const again = () => drawn.forEach(c => c.chart && c.draw());
  add(parent, "h2", {}, `${s.title}: what samplers inside launches looked at`);
  if (!s.launches.length) return;
  if (s.launches.length < s.n_launches)
    add(parent, "p", {class: "dim"}, `The first ${format(s.launches.length)} of ${format(s.n_launches)} launches.`);
  const why = document.createElement("p");
  const launches = chooser(add(parent, "div", {class: "controls"}), "launch",
    s.launches.map(l => `${l.id}: ${l.kernel}${l.decision ? ` (${l.decision.sampler})` : ""}`), i => {
      const l = at.launch = s.launches[i], d = l.decision;
      why.textContent = d ? `${d.sampler} at cycle ${format(d.cycle)}, block ${format(d.block)}: ${d.evidence}` : "No sampler stopped it.";
      again();
    });
  parent.append(why);
  add(parent, "h3", {}, "Issue against retirement");
  const controls = add(parent, "div", {class: "controls"});
  chooser(controls, "of", kinds.map(k => k[1]), i => { at.kind = i; again(); });
  chooser(controls, "against", ["retirement", "duration"], i => { at.durations = i; again(); });
  drawn.push(chart(parent, null, 400, () => issueChart(at.launch, kinds[at.kind][0], at.durations > 0),
    "Points along a line of slope 1 take the same time; the dashed line is where a sampler decided that they do."));
  drawn.push(chart(parent, "Sizes of blocks, and regions", 360, () => regionChart(at.launch),
    "All blocks, from the index of a native trace; paler regions are too uneven to skip."));
  drawn.push(chart(parent, "Rate, interval by interval", 340, () => rateChart(at.launch)));
  const first = s.launches.findIndex(l => l.decision);
  if (first > 0) {
    launches.value = first;
    launches.dispatchEvent(new Event("change"));
  }
}
