/* The section of a run. */

/* Indices of the kernels by weighted cycles, largest first. */
function kernelOrder(s) {
  const sum = s.kernels.map(() => 0);
  s.launches.kernel.forEach((k, i) => sum[k] += s.launches.cycles[i] * s.launches.weight[i]);
  return sum.map((v, k) => [k, v]).sort((a, b) => b[1] - a[1]);
}

/* Colour class of each kernel: the largest have one each, the others share the last. */
function kernelClasses(s, most) {
  const order = kernelOrder(s), cls = [];
  order.forEach(([k], i) => cls[k] = Math.min(i, most - 1));
  const names = order.slice(0, most).map(([k]) => s.kernels[k]);
  if (order.length > most) names[most - 1] = `${order.length - most + 1} other kernels`;
  return {cls, names};
}

function drawLaunchTime(parent, s) {
  const L = s.launches, {cls, names} = kernelClasses(s, COLORS);
  const tip = i => `<b>${L.id[i]}: ${escapeHtml(s.kernels[L.kernel[i]])}</b><br>` +
    `${format(L.cycles[i])} cycles from ${format(L.start[i])}` +
    (L.weight[i] !== 1 ? `<br>stands for ${format(L.weight[i])} launches` : "") +
    (L.estimated[i] ? "<br>partly estimated" : "") +
    (L.low[i] !== null && L.high[i] !== null ? `: ${format(Math.round(L.low[i]))} to ${format(Math.round(L.high[i]))} cycles` : "") + `<br>IPC ${format(L.ipc[i])}`;
  chart(parent, "Launches over time", 90 + 28 * names.length, () => ({
    tooltip: {confine: true, formatter: p => tip(p.value[3])},
    grid: {left: 220, right: 30, top: 10, bottom: 80},
    dataZoom: zoom(8),
    xAxis: axis("value", "core cycle", {min: 0}),
    yAxis: axis("category", "", {data: names, inverse: true,
                                 axisLabel: {color: shades().ink, width: 200, overflow: "truncate"}}),
    series: [{type: "custom", encode: {x: [0, 1], y: 2}, clip: true,
      data: L.id.map((_, i) => [L.start[i], L.start[i] + L.cycles[i], cls[L.kernel[i]], i]),
      renderItem: (params, api) => {
        const lane = api.value(2), a = api.coord([api.value(0), lane]), b = api.coord([api.value(1), lane]);
        const h = api.size([0, 1])[1] * 0.7;
        return {type: "rect", shape: {x: a[0], y: a[1] - h / 2, width: Math.max(b[0] - a[0], 1), height: h},
                style: {fill: palette()[lane % COLORS], opacity: L.estimated[api.value(3)] ? 0.45 : 1}};
      }}],
  }), "As simulated; paler: partly estimated. Drag or scroll to zoom.");
  chart(parent, "Cycles of each launch", 320, () => ({
    tooltip: {confine: true, formatter: p => tip(p.value[2])},
    dataZoom: zoom(2), grid: {left: 80, right: 30, top: 40, bottom: 75},
    xAxis: axis("value", "launch", {scale: true}),
    yAxis: axis("log", "core cycles", {nameGap: 55}),
    series: names.map((name, c) => ({name, type: "scatter", symbolSize: 6, large: false,
      data: L.id.flatMap((id, i) => cls[L.kernel[i]] === c ? [[id, Math.max(L.cycles[i], 1), i]] : [])})),
  }));
}

function drawStates(parent, s) {
  const order = kernelOrder(s).slice(0, 20).map(([k]) => k);
  const sums = [...order.map(k => s.kernelStates[k]), s.totalStates].reverse();
  const names = [...order.map(k => s.kernels[k]), "the whole run"].reverse();
  const totals = sums.map(row => row.reduce((a, b) => a + b, 0) || 1);
  const used = s.states.map((name, i) => [name, i, Math.max(...sums.map((row, k) => row[i] / totals[k]))])
    .filter(x => x[2] >= 0.002).sort((a, b) => s.totalStates[b[1]] - s.totalStates[a[1]]);
  chart(parent, "Where the warps' cycles went", 110 + 24 * names.length, () => ({
    tooltip: {confine: true, formatter: p =>
      `<b>${escapeHtml(p.name)}</b><br>${p.seriesName}: ${percent(p.value)}`},
    grid: {left: 220, right: 30, top: 60, bottom: 40},
    xAxis: axis("value", "share of the resident warps' cycles",
                {max: 1, axisLabel: {color: shades().dim, formatter: percent}}),
    yAxis: axis("category", "", {data: names,
                                 axisLabel: {color: shades().ink, width: 200, overflow: "truncate"}}),
    series: used.map(([name, i], n) => ({name, type: "bar", stack: "all", barCategoryGap: "25%",
      itemStyle: n >= COLORS ? {decal: {symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 3], color: "rgba(255,255,255,.35)"}} : {},
      data: sums.map((row, k) => row[i] / totals[k])})),
  }), order.length < s.kernels.length ? `The ${order.length} kernels with most cycles, of ${s.kernels.length}.` : "");
}

/* A point is at the end of a period and has the values of that period. */
function drawUse(parent, s) {
  const u = s.use, from = i => i > 0 ? u.time[i - 1] : s.launches.start[0];
  const tip = x => {
    const after = u.time.findIndex(t => t >= x), i = after < 0 ? u.time.length - 1 : after;
    return `<b>cycles ${format(from(i))} to ${format(u.time[i])}</b>` + u.series.filter(v => known(v.values[i]))
      .map(v => `<br>${v.name}: ${percent(v.values[i])}`).join("");
  };
  chart(parent, "Caches and DRAM over time", 340, () => ({
    tooltip: {confine: true, trigger: "axis", formatter: p => tip(p[0].axisValue)},
    dataZoom: zoom(2), grid: {left: 80, right: 30, top: 40, bottom: 75},
    xAxis: axis("value", "core cycle", {scale: true}),
    yAxis: axis("value", "share", {axisLabel: {color: shades().dim, formatter: percent}, min: 0, max: 1}),
    series: u.series.map(x => ({name: x.name, type: "line", step: "start", symbol: "none", connectNulls: false,
      data: u.time.flatMap((t, i) => [[from(i), x.values[i]], [t, x.values[i]]])})),
  }), u.note);
}

/*
 * A roofline chart: kernels as points under y <= slope.rise * x and y <= top of their unit. units:
 * {name, top, of (maps a kernel to its x and y)}; units that the GPU lacks are omitted, like kernels
 * without traffic, which have no x.
 */
function drawRoof(parent, s, title, note, xName, yName, slope, units) {
  const kernels = kernelOrder(s).slice(0, 200).map(([k]) => k);
  const roofs = units.map((u, i) => ({...u, color: i, points: kernels
    .map(k => ({name: s.kernels[k], value: u.of(s.kernelWork[k])}))
    .filter(p => p.value[0] > 0 && isFinite(p.value[0]) && p.value[1] > 0)})).filter(u => u.top > 0);
  const still = kernels.filter(k => units.some(u => u.of(s.kernelWork[k])[0] === Infinity)).length;
  if (still) note += ` ${still === 1 ? "A kernel" : format(still) + " kernels"} without traffic there: not drawn.`;
  const xs = roofs.flatMap(r => r.points.map(p => p.value[0]));
  if (!xs.length) {
    if (still) add(parent, "p", {class: "dim"}, `No ${title.toLowerCase()}: no kernel had traffic there.`);
    return;
  }
  const corners = roofs.map(r => r.top / slope.rise), highest = Math.max(...corners);
  const decade = (v, round) => 10 ** round(Math.log10(v));
  const low = decade(Math.min(...xs, ...corners) / 2, Math.floor), high = decade(Math.max(...xs, highest) * 2, Math.ceil);
  chart(parent, title, 380, () => ({
    tooltip: {confine: true, formatter: p => p.data.name ?
      `<b>${escapeHtml(p.data.name)}</b><br>${p.seriesName}<br>${xName}: ${format(p.value[0])}<br>${yName}: ${si(p.value[1])}` :
      `${p.seriesName}: at most ${si(p.data[1])}`},
    grid: {left: 90, right: 30, top: 40, bottom: 50},
    xAxis: axis("log", xName, {min: low, max: high, axisLabel: {color: shades().dim, formatter: v => format(v)}}),
    yAxis: axis("log", yName, {nameGap: 65, axisLabel: {color: shades().dim, formatter: si}}),
    series: [{name: slope.name, type: "line", symbol: "none", color: shades().dim, lineStyle: {width: 2},
        data: [[low, low * slope.rise], [highest, highest * slope.rise]]},
      ...roofs.map(r => ({name: r.name, type: "line", symbol: "none", color: palette()[r.color], lineStyle: {width: 2},
        data: [[r.top / slope.rise, r.top], [high, r.top]]})),
      ...roofs.filter(r => r.points.length).map(r => ({name: r.name, type: "scatter", symbolSize: 9,
        color: palette()[r.color], data: r.points}))],
  }), note);
}

function drawRoofs(parent, s) {
  const p = s.peaks;
  if (!p.dram) return;
  drawRoof(parent, s, "Roofline of floating-point operations",
    "Operations of each unit over the bytes that DRAM moved; the flat roofs are the units' peaks, in FMAs.",
    "operations per DRAM byte", "operations/s", {name: "DRAM", rise: p.dram},
    ["FP16", "FP32", "FP64", "tensor cores"].map((name, i) => ({name, top: p.units[i],
      of: w => [w.flops[i] / w.dramBytes, w.flops[i] / w.seconds]})));
  drawRoof(parent, s, "Roofline of instructions",
    "Warp instructions over the 32-byte sectors of the L2, for kernels of any kind; the flat roof is one instruction per scheduler and cycle.",
    "warp instructions per L2 sector", "warp instructions/s", {name: "L2", rise: p.l2 / 32},
    [{name: "kernels", top: p.issue, of: w => [w.insts / w.l2Sectors, w.insts / w.seconds]}]);
}

function drawEstimate(parent, s) {
  if (!s.estimated) return;
  const order = kernelOrder(s).slice(0, 20).map(([k]) => k).reverse(), L = s.launches;
  const whole = s.kernels.map(() => 0), part = s.kernels.map(() => 0), rest = s.kernels.map(() => 0);
  L.kernel.forEach((k, i) => {
    (L.estimated[i] ? part : whole)[k] += L.cycles[i];
    rest[k] += L.cycles[i] * Math.max(L.weight[i] - 1, 0);
  });
  const bar = (name, values, opacity) => ({name, type: "bar", stack: "all", itemStyle: {opacity}, data: order.map(k => values[k])});
  chart(parent, "Simulated and estimated", 90 + 24 * order.length, () => ({
    tooltip: {confine: true, trigger: "axis", axisPointer: {type: "shadow"}, valueFormatter: v => format(Math.round(v)) + " cycles"},
    grid: {left: 220, right: 30, top: 40, bottom: 40},
    xAxis: axis("value", "core cycles"),
    yAxis: axis("category", "", {data: order.map(k => s.kernels[k]),
                                 axisLabel: {color: shades().ink, width: 200, overflow: "truncate"}}),
    series: [bar("simulated launches", whole, 1), bar("launches simulated in part", part, 0.7), bar("launches they stand for", rest, 0.45)],
  }), (s.interval ? `Total ${format(s.cycles)} cycles; with a confidence of ${percent(s.interval.confidence)} between ` +
    `${format(Math.round(s.interval.low))} and ${format(Math.round(s.interval.high))}` : "Without an interval") +
    (s.intervalNote ? `: ${s.intervalNote}.` : "."));
}

/* Estimates with their intervals, relative to the estimate. */
function drawIntervals(parent, s) {
  const list = s.estimates.slice().reverse();
  if (!s.estimated || !list.length) return;
  const relative = (e, v) => 100 * (v / e.value - 1);
  chart(parent, "Estimates and their intervals", 90 + 24 * list.length, () => ({
    tooltip: {confine: true, formatter: p => {
      const e = list[p.value[2]];
      return `<b>${escapeHtml(e.name)}</b><br>${format(e.value)}<br>` +
        (e.low < e.high ? `${format(e.low)} to ${format(e.high)}` : "exact");
    }},
    grid: {left: 220, right: 30, top: 10, bottom: 50},
    xAxis: axis("value", "% of the estimate", {min: v => Math.min(v.min, -1), max: v => Math.max(v.max, 1)}),
    yAxis: axis("category", "", {data: list.map(e => e.name),
                                 axisLabel: {color: shades().ink, width: 200, overflow: "truncate"}}),
    series: [{name: "interval", type: "custom", encode: {x: [0, 1], y: 2},
      data: list.map((e, i) => [relative(e, e.low), relative(e, e.high), i]),
      renderItem: (params, api) => {
        const a = api.coord([api.value(0), api.value(2)]), b = api.coord([api.value(1), api.value(2)]);
        const middle = api.coord([0, api.value(2)]), style = {stroke: palette()[0], lineWidth: 2, fill: palette()[0]};
        const line = (x1, y1, x2, y2) => ({type: "line", shape: {x1, y1, x2, y2}, style});
        return {type: "group", children: [line(a[0], a[1], b[0], b[1]), line(a[0], a[1] - 5, a[0], a[1] + 5),
          line(b[0], b[1] - 5, b[0], b[1] + 5), {type: "circle", shape: {cx: middle[0], cy: middle[1], r: 4}, style}]};
      }}],
  }), `With a confidence of ${percent(s.interval ? s.interval.confidence : 0.95)}; statistics without an interval are left out.`);
}

function drawRun(parent, s) {
  const L = s.launches;
  add(parent, "h2", {}, s.title);
  facts(parent, s.facts);
  if (L.id.length < s.n_launches)
    add(parent, "p", {class: "dim"}, `Charts and table hold the first ${format(L.id.length)} of ${format(s.n_launches)} launches.`);
  drawLaunchTime(parent, s);
  drawEstimate(parent, s);
  drawIntervals(parent, s);
  drawStates(parent, s);
  drawUse(parent, s);
  drawRoofs(parent, s);
  add(parent, "h3", {}, "Launches");
  const names = ["launch", "kernel", "grid", "block", "cycles", "weight", "warp insts", "ipc", "occupancy",
                 "issue", "L1 hits", "L2 hits", "L2", "DRAM", "sampler"];
  const shares = new Set([8, 9, 10, 11, 12, 13]);
  table(parent, names.map((name, i) => ({name, text: i === 1 || i === 14, show: shares.has(i) ? percent : undefined})),
    L.id.map((id, i) => [id, s.kernels[L.kernel[i]], L.grid[i], L.block[i], L.cycles[i], L.weight[i], L.insts[i],
      L.ipc[i], L.occupancy[i], L.issue[i], L.l1[i], L.l2[i], L.l2_use[i], L.dram[i], L.sampler[i] || ""]));
}
