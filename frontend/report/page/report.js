/*
 * Draws a report from the data that stand in the page. Each section has a type, which
 * says who draws it. Charts are ECharts'.
 */
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
/* Okabe and Ito's colours, which colour-blind readers can tell apart. */
const palette = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#999900", "#888888"];
const charts = [];

/* ---- elements ---- */

function add(parent, tag, attributes = {}, text) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
}

function escapeHtml(text) {
  return String(text).replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
}

/* "1,234,567", "0.0123", "1.20e-9"; "" of what is not known. */
function format(v) {
  if (v === null || v === undefined || v === "") return "";
  if (typeof v !== "number") return String(v);
  if (Number.isInteger(v) && Math.abs(v) < 1e15) return v.toLocaleString("en-US");
  const a = Math.abs(v);
  return a >= 1000 ? v.toLocaleString("en-US", {maximumFractionDigits: 0})
       : a >= 0.001 ? String(+v.toPrecision(4)) : v.toExponential(2);
}

const percent = v => v === null || v === undefined ? "" : `${(100 * v).toFixed(1)} %`;

/* A choice of one of several; change(index) is called at once and at each change. */
function chooser(parent, label, options, change) {
  const box = add(parent, "label", {}, label + " ");
  const select = add(box, "select");
  options.forEach((o, i) => add(select, "option", {value: i}, o));
  select.addEventListener("change", () => change(+select.value));
  change(0);
  return select;
}

/* ---- charts ---- */

function shades() {
  const s = getComputedStyle(document.documentElement);
  const of = name => s.getPropertyValue(name).trim();
  return {ink: of("--ink"), dim: of("--dim"), rule: of("--rule"), paper: of("--paper")};
}

function axis(type, name, more = {}) {
  const c = shades();
  return {type, name, nameLocation: "middle", nameGap: 28, nameTextStyle: {color: c.ink},
          axisLabel: {color: c.dim}, axisLine: {lineStyle: {color: c.dim}},
          splitLine: {lineStyle: {color: c.rule}}, ...more};
}

/* option(): made anew when the colours change. */
function chart(parent, title, height, option, note) {
  if (title) add(parent, "h3", {}, title);
  if (note) add(parent, "p", {class: "dim"}, note);
  const box = add(add(parent, "figure"), "div", {class: "chart", style: `height:${height}px`});
  const entry = {box, option, chart: null};
  entry.draw = () => {
    const c = shades();
    entry.chart.setOption({color: palette, animation: false, textStyle: {color: c.ink},
      tooltip: {confine: true, backgroundColor: c.paper, borderColor: c.rule, textStyle: {color: c.ink}},
      legend: {type: "scroll", top: 0, textStyle: {color: c.ink}, pageTextStyle: {color: c.ink}},
      grid: {left: 80, right: 30, top: 40, bottom: 50}, ...option()}, {notMerge: true});
  };
  entry.start = () => {
    entry.chart = echarts.init(box, null, {renderer: "canvas"});
    entry.draw();
  };
  charts.push(entry);
  return entry;
}

/* Charts are drawn when they come near the window: a long page opens at once. */
const seen = new IntersectionObserver(entries => {
  for (const e of entries) {
    const c = charts.find(x => x.box === e.target);
    if (e.isIntersecting && c && !c.chart) c.start();
  }
}, {rootMargin: "600px"});

const redraw = () => charts.forEach(c => c.chart && c.draw());
window.addEventListener("resize", () => charts.forEach(c => c.chart && c.chart.resize()));
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
window.addEventListener("beforeprint", () => {
  charts.forEach(c => { if (!c.chart) c.start(); c.draw(); });
});
window.addEventListener("afterprint", redraw);

const zoom = bottom => [{type: "inside"}, {type: "slider", height: 16, bottom}];

/* ---- tables ---- */

/*
 * columns: {name, text (a text, left), show(value, row)}; rows: arrays of values. A click on a
 * heading sorts. The filter takes words, which must all be in a row, and comparisons such as
 * cycles>10000.
 */
function table(parent, columns, rows, id) {
  const STEP = 200;
  const controls = add(parent, "div", {class: "controls"});
  const filter = add(controls, "input", {type: "search", placeholder: "filter: words, cycles>10000",
                                         "aria-label": "filter"});
  const count = add(controls, "span", {class: "dim"});
  const t = add(add(parent, "div", {class: "wide"}), "table", id ? {id} : {});
  const head = add(add(t, "thead"), "tr"), body = add(t, "tbody");
  const more = add(parent, "button", {class: "more"}, "show more");
  let sorted = -1, up = true, shown = STEP, list = rows;

  const cell = (row, i) => columns[i].show ? columns[i].show(row[i], row) : format(row[i]);

  function matches(terms, row) {
    return terms.every(term => {
      const m = /^([^<>=]+)(<=|>=|=|<|>)(.+)$/.exec(term);
      if (!m)
        return row.some((v, i) => v !== null && cell(row, i).toLowerCase().includes(term));
      const i = columns.findIndex(c => c.name.toLowerCase().replace(/ /g, "_") === m[1]);
      if (i < 0 || row[i] === null) return false;
      const a = row[i], b = typeof a === "number" ? +m[3].replace(/,/g, "") : m[3];
      const order = typeof a === "number" ? a - b : a.toLowerCase().localeCompare(b);
      return {"<": order < 0, ">": order > 0, "=": order === 0, "<=": order <= 0, ">=": order >= 0}[m[2]];
    });
  }

  function fill() {
    body.textContent = "";
    for (const row of list.slice(0, shown)) {
      const tr = add(body, "tr");
      columns.forEach((c, i) => {
        const text = cell(row, i);
        add(tr, "td", c.text ? {class: "text", title: text} : {}, text);
      });
    }
    count.textContent = `${format(list.length)} of ${format(rows.length)} rows`;
    more.hidden = list.length <= shown;
  }

  function update() {
    const terms = filter.value.toLowerCase().split(/\s+/).filter(x => x);
    list = terms.length ? rows.filter(r => matches(terms, r)) : rows.slice();
    if (sorted >= 0) {
      const sign = up ? 1 : -1;
      list.sort((x, y) => {
        const a = x[sorted], b = y[sorted];
        if (a === null || b === null) return (a === null) - (b === null);
        return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
      });
    }
    fill();
  }

  columns.forEach((c, i) => {
    const th = add(head, "th", c.text ? {class: "text"} : {}, c.name);
    th.addEventListener("click", () => {
      up = sorted === i ? !up : true;
      sorted = i;
      [...head.cells].forEach(h => h.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", up ? "ascending" : "descending");
      update();
    });
  });
  filter.addEventListener("input", () => { shown = STEP; update(); });
  more.addEventListener("click", () => { shown += 10 * STEP; fill(); });
  update();
}

function facts(parent, list) {
  const dl = add(parent, "dl");
  for (const [k, v] of list) {
    add(dl, "dt", {}, k);
    add(dl, "dd", {}, v);
  }
}

/* ---- a run ---- */

/* Indices of the kernels by their cycles, with their weights, largest first. */
function kernelOrder(s) {
  const sum = s.kernels.map(() => 0);
  s.launches.kernel.forEach((k, i) => sum[k] += s.launches.cycles[i] * s.launches.weight[i]);
  return sum.map((v, k) => [k, v]).sort((a, b) => b[1] - a[1]);
}

/* Colour class of each kernel: the largest have their own, the others share the last. */
function kernelClasses(s, most) {
  const order = kernelOrder(s), cls = [];
  order.forEach(([k], i) => cls[k] = Math.min(i, most - 1));
  const names = order.slice(0, most).map(([k]) => s.kernels[k]);
  if (order.length > most) names[most - 1] = `${order.length - most + 1} other kernels`;
  return {cls, names};
}

function drawLaunchTime(parent, s) {
  const L = s.launches, {cls, names} = kernelClasses(s, palette.length);
  const tip = i => `<b>${L.id[i]}: ${escapeHtml(s.kernels[L.kernel[i]])}</b><br>` +
    `${format(L.cycles[i])} cycles from ${format(L.start[i])}` +
    (L.weight[i] !== 1 ? `<br>stands for ${format(L.weight[i])} launches` : "") +
    (L.estimated[i] ? "<br>partly estimated" : "") + `<br>IPC ${format(L.ipc[i])}`;
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
                style: {fill: palette[lane % palette.length], opacity: L.estimated[api.value(3)] ? 0.45 : 1}};
      }}],
  }), "As simulated, one after the other; paler: partly estimated. Drag or scroll to zoom.");
  chart(parent, "Cycles of each launch", 320, () => ({
    tooltip: {confine: true, formatter: p => tip(p.value[2])},
    dataZoom: zoom(2), grid: {left: 80, right: 30, top: 40, bottom: 75},
    xAxis: axis("value", "launch", {scale: true}),
    yAxis: axis("log", "cycles", {nameGap: 55}),
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
      itemStyle: n >= palette.length ? {decal: {symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 3], color: "rgba(255,255,255,.35)"}} : {},
      data: sums.map((row, k) => row[i] / totals[k])})),
  }), order.length < s.kernels.length ? `The ${order.length} kernels with most cycles, of ${s.kernels.length}.` : "");
}

function drawUse(parent, s) {
  const u = s.use;
  chart(parent, "Caches and DRAM over time", 340, () => ({
    tooltip: {confine: true, trigger: "axis", valueFormatter: percent},
    dataZoom: zoom(2), grid: {left: 80, right: 30, top: 40, bottom: 75},
    xAxis: axis("value", "core cycle", {scale: true}),
    yAxis: axis("value", "share", {axisLabel: {color: shades().dim, formatter: percent}, min: 0, max: 1}),
    series: u.series.map(x => ({name: x.name, type: "line", step: "end", showSymbol: u.time.length < 60,
      symbolSize: 4, connectNulls: false, data: u.time.map((t, i) => [t, x.values[i]])})),
  }), u.note);
}

/* Points of kernels under the roofs y <= top and y <= slope * x. */
function drawRoof(parent, s, title, note, xName, yName, top, slopes, pick) {
  const points = kernelOrder(s).slice(0, 200)
    .map(([k]) => ({name: s.kernels[k], value: pick(s.kernelWork[k])}))
    .filter(p => p.value[0] > 0 && isFinite(p.value[0]) && p.value[1] > 0);
  if (!points.length) return;
  const xs = points.map(p => p.value[0]), corner = Math.max(...slopes.map(r => top / r.slope));
  const decade = (v, round) => 10 ** round(Math.log10(v));
  const low = decade(Math.min(...xs, corner) / 2, Math.floor), high = decade(Math.max(...xs, corner) * 2, Math.ceil);
  chart(parent, title, 380, () => ({
    tooltip: {confine: true, formatter: p => p.data.name ?
      `<b>${escapeHtml(p.data.name)}</b><br>${xName}: ${format(p.value[0])}<br>${yName}: ${format(p.value[1])}` : p.seriesName},
    grid: {left: 90, right: 30, top: 40, bottom: 50},
    xAxis: axis("log", xName, {min: low, max: high, axisLabel: {color: shades().dim, formatter: v => format(v)}}),
    yAxis: axis("log", yName, {nameGap: 65, axisLabel: {color: shades().dim, formatter: v => v.toExponential(0)}}),
    series: [...slopes.map(r => ({name: r.name, type: "line", symbol: "none", lineStyle: {width: 2},
        data: [[low, low * r.slope], [top / r.slope, top], [high, top]]})),
      {name: "kernels", type: "scatter", symbolSize: 9, data: points}],
  }), note);
}

function drawRoofs(parent, s) {
  const p = s.peaks;
  if (!p.dram) return;
  drawRoof(parent, s, "Roofline of floating-point operations",
    "Operations of FP16, FP32 and FP64 over the bytes that DRAM moved; the flat roof is that of FP32 FMAs.",
    "operations per DRAM byte", "operations/s", p.fp32, [{name: "DRAM", slope: p.dram}],
    w => [w.flops / w.dramBytes, w.flops / w.seconds]);
  drawRoof(parent, s, "Roofline of instructions",
    "Warp instructions over the 32-byte sectors of the L2, for kernels of any kind; the flat roof is one instruction per scheduler and cycle.",
    "warp instructions per L2 sector", "warp instructions/s", p.issue, [{name: "L2", slope: p.l2 / 32}],
    w => [w.insts / w.l2Sectors, w.insts / w.seconds]);
}

function drawEstimate(parent, s) {
  if (!s.estimated) return;
  const order = kernelOrder(s).slice(0, 20).map(([k]) => k).reverse(), L = s.launches;
  const run = s.kernels.map(() => 0), all = s.kernels.map(() => 0);
  L.kernel.forEach((k, i) => { run[k] += L.cycles[i]; all[k] += L.cycles[i] * L.weight[i]; });
  chart(parent, "Simulated and estimated", 90 + 24 * order.length, () => ({
    tooltip: {confine: true, trigger: "axis", axisPointer: {type: "shadow"}, valueFormatter: v => format(Math.round(v)) + " cycles"},
    grid: {left: 220, right: 30, top: 40, bottom: 40},
    xAxis: axis("value", "core cycles"),
    yAxis: axis("category", "", {data: order.map(k => s.kernels[k]),
                                 axisLabel: {color: shades().ink, width: 200, overflow: "truncate"}}),
    series: [{name: "simulated launches", type: "bar", stack: "all", data: order.map(k => run[k])},
             {name: "launches they stand for", type: "bar", stack: "all", itemStyle: {opacity: 0.45},
              data: order.map(k => Math.max(all[k] - run[k], 0))}],
  }), s.interval ? `Total ${format(s.cycles)} cycles; with a confidence of ${percent(s.interval.confidence)} between ` +
    `${format(Math.round(s.interval.low))} and ${format(Math.round(s.interval.high))}.` : "Without an interval.");
}

function drawRun(parent, s) {
  const L = s.launches;
  add(parent, "h2", {}, s.title);
  facts(parent, s.facts);
  if (L.id.length < s.n_launches)
    add(parent, "p", {class: "dim"}, `Charts and table hold the first ${format(L.id.length)} of ${format(s.n_launches)} launches.`);
  drawLaunchTime(parent, s);
  drawEstimate(parent, s);
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

/* ---- a sweep ---- */

const distinct = list => [...new Set(list)];

function drawSweepAxis(parent, s, jobs, column) {
  const places = distinct(jobs.map(j => j.fields[column]));
  const others = s.columns.map((_, i) => i)
    .filter(i => i > 0 && i !== column && distinct(jobs.map(j => j.fields[i])).length > 1);
  const name = j => others.map(i => i === 1 ? j.fields[i] : `${s.columns[i]} ${j.fields[i] || "as it is"}`).join(", ") || "cycles";
  const series = distinct(jobs.map(name));
  chart(parent, `${jobs[0].fields[0]}: cycles against ${s.columns[column]}`, 340, () => ({
    tooltip: {confine: true, trigger: "item", formatter: p => `<b>${escapeHtml(p.seriesName)}</b><br>` +
      `${escapeHtml(s.columns[column])} ${escapeHtml(p.name)}: ${format(p.value)} cycles`},
    grid: {left: 100, right: 30, top: 40, bottom: 50},
    xAxis: axis("category", s.columns[column], {data: places.map(p => p || "as it is")}),
    yAxis: axis("value", "cycles", {nameGap: 75}),
    series: series.map((title, n) => ({name: title, type: "line", symbolSize: 8,
      symbol: ["circle", "rect", "diamond", "triangle"][n % 4],
      data: places.map(p => {
        const j = jobs.find(x => x.fields[column] === p && name(x) === title);
        return j ? j.cycles : null;
      })})),
  }));
}

/* Cycles over two axes, as a ratio to the trace's first job. */
function drawHeat(parent, s, jobs, a, b) {
  const xs = distinct(jobs.map(j => j.fields[a])), ys = distinct(jobs.map(j => j.fields[b]));
  const others = s.columns.map((_, i) => i)
    .filter(i => i > 0 && i !== a && i !== b && distinct(jobs.map(j => j.fields[i])).length > 1);
  const rest = j => others.map(i => `${s.columns[i]} ${j.fields[i] || "as it is"}`).join(", ");
  const planes = distinct(jobs.map(rest));
  const title = add(parent, "h3", {}, `${jobs[0].fields[0]}: ${s.columns[a]} and ${s.columns[b]}`);
  let plane = planes[0], entry = null;
  if (planes.length > 1)
    chooser(add(parent, "div", {class: "controls"}), "at", planes, i => {
      plane = planes[i];
      if (entry && entry.chart) entry.draw();
    });
  entry = chart(parent, null, 110 + 42 * ys.length, () => {
    const cells = jobs.filter(j => rest(j) === plane && j.relative !== null)
      .map(j => ({value: [xs.indexOf(j.fields[a]), ys.indexOf(j.fields[b]), j.relative], job: j}));
    const values = cells.map(c => c.value[2]), far = Math.max(0.05, ...values.map(v => Math.abs(v - 1)));
    return {
      tooltip: {confine: true, formatter: p => `${escapeHtml(s.columns[a])} ${escapeHtml(xs[p.value[0]])}<br>` +
        `${escapeHtml(s.columns[b])} ${escapeHtml(ys[p.value[1]])}<br>${format(p.data.job.cycles)} cycles, ` +
        `${(100 * (p.value[2] - 1)).toFixed(1)} % against the first job`},
      grid: {left: 120, right: 30, top: 10, bottom: 90},
      xAxis: axis("category", s.columns[a], {data: xs.map(x => x || "as it is"), splitArea: {show: true}}),
      yAxis: axis("category", s.columns[b], {data: ys.map(y => y || "as it is"), nameGap: 90}),
      visualMap: {min: 1 - far, max: 1 + far, calculable: true, orient: "horizontal", left: "center", bottom: 0,
        itemHeight: 160, textStyle: {color: shades().ink}, formatter: v => `${(100 * (v - 1)).toFixed(0)} %`,
        inRange: {color: ["#2166ac", "#92c5de", "#f7f7f7", "#f4a582", "#b2182b"]}},
      series: [{type: "heatmap", data: cells, label: {show: xs.length <= 12, color: "#1b1b1b",
        formatter: p => `${p.value[2] >= 1 ? "+" : ""}${(100 * (p.value[2] - 1)).toFixed(1)} %`}}],
    };
  });
  return title;
}

function drawSweep(parent, s) {
  add(parent, "p", {}, `${format(s.jobs.length)} jobs, ${format(s.jobs.filter(j => j.state === "done").length)} of them done.`);
  for (const trace of distinct(s.jobs.map(j => j.fields[0]))) {
    const jobs = s.jobs.filter(j => j.fields[0] === trace);
    const axes = s.columns.map((_, i) => i).filter(i => i > 0 && distinct(jobs.map(j => j.fields[i])).length > 1);
    add(parent, "h2", {}, trace);
    axes.forEach(column => drawSweepAxis(parent, s, jobs, column));
    axes.forEach((a, i) => axes.slice(i + 1).forEach(b => drawHeat(parent, s, jobs, a, b)));
  }
  add(parent, "h2", {}, "All jobs");
  add(parent, "p", {class: "dim"}, "change: cycles against the first job of the trace.");
  const fixed = ["state", "cycles", "how", "low", "high", "change", "ipc", "L2 hits", "DRAM"];
  const n = s.columns.length, change = v => v === null ? "" : `${v >= 0 ? "+" : ""}${(100 * v).toFixed(1)} %`;
  table(parent, [...s.columns.map(name => ({name, text: true})),
      ...fixed.map((name, i) => ({name, text: i === 0 || i === 2,
        show: i === 5 ? change : i >= 7 ? percent : undefined}))],
    s.jobs.map(j => [...j.fields, j.state, j.cycles, j.estimated ? "estimated" : "", j.low, j.high,
      j.relative === null ? null : j.relative - 1, j.ipc, j.l2, j.dram]), n ? "jobs" : "");
}

/* ---- an evaluation ---- */

function drawErrors(parent, s) {
  const runs = s.runs.filter(r => r.sample && r.error !== null);
  const speeds = ["simulated instructions", "simulated cycles", "wall clock"];
  let which = 0, entry = null;
  add(parent, "h3", {}, "Error against speed-up");
  chooser(add(parent, "div", {class: "controls"}), "speed-up by", speeds, i => {
    which = i;
    if (entry && entry.chart) entry.draw();
  });
  const groups = distinct(runs.map(r => r.sample));
  entry = chart(parent, null, 400, () => ({
    tooltip: {confine: true, formatter: p => `<b>${escapeHtml(p.seriesName)}</b><br>${escapeHtml(p.data.what)}` +
      `error ${(100 * p.data.run.error).toFixed(2)} %<br>speed-up ${format(p.value[0])}` +
      (p.data.run.low !== null ? `<br>interval of the cycles: ${format(Math.round(p.data.run.low))} to ${format(Math.round(p.data.run.high))}, ` +
        `full run ${format(p.data.run.full)}` : "")},
    xAxis: axis("log", `speed-up by ${speeds[which]}`, {axisLabel: {color: shades().dim, formatter: v => format(v) + "x"}}),
    yAxis: axis("value", "error of the cycles", {nameGap: 60, min: 0, axisLabel: {color: shades().dim, formatter: percent}}),
    series: groups.map((sample, n) => ({name: sample, type: "scatter", symbolSize: 12,
      symbol: ["circle", "rect", "diamond", "triangle"][n % 4],
      data: runs.filter(r => r.sample === sample && r.speedup[which] > 0)
        .map(r => ({value: [r.speedup[which], Math.abs(r.error)], run: r,
          what: escapeHtml([r.variant, r.warmup].filter(x => x).join(", ")) + (r.variant || r.warmup ? "<br>" : "")}))})),
  }), "Left of 1x a sampled run does more work than the full one.");
}

/* Launches of a sampled run, each beside the full run's; full: launches of that one, or null. */
function launchesOf(run, full) {
  const at = new Map(full ? full.id.map((id, i) => [id, i]) : []), L = run.launches;
  if (!L) return [];
  return L.id.map((id, i) => {
    const f = at.has(id) ? full.insts[at.get(id)] : null;
    const cluster = /launches of cluster (\d+)/.exec(L.evidence[i] || "");
    return {sample: [run.sample, run.variant, run.warmup].filter(x => x).join(", "), launch: id, kernel: L.kernel[i], cycles: L.cycles[i], full: L.full[i],
            error: L.full[i] ? L.cycles[i] / L.full[i] - 1 : null, weight: L.weight[i],
            simulated: f ? Math.min(L.insts[i] / f, 1) : null, sampler: L.sampler[i],
            estimated: L.estimated[i], evidence: L.evidence[i], cluster: cluster ? +cluster[1] : null};
  });
}

/* How the cycles of a kernel's launches spread, and the ones that a set of samplers simulated. */
function drawHistogram(parent, s, full) {
  if (!full) return;
  const order = kernelOrder(full).map(([k]) => k);
  const sets = s.runs.filter(r => r.sample && r.launches && r.launches.id.length);
  let kernel = order[0], set = 0, entry = null;
  const again = () => entry && entry.chart && entry.draw();
  add(parent, "h3", {}, "Durations of a kernel's launches, and those that were simulated");
  const controls = add(parent, "div", {class: "controls"});
  chooser(controls, "kernel", order.map(k => full.kernels[k]), i => { kernel = order[i]; again(); });
  if (sets.length)
    chooser(controls, "samplers", sets.map(r => [r.sample, r.variant, r.warmup].filter(x => x).join(", ")),
            i => { set = i; again(); });
  entry = chart(parent, null, 340, () => {
    const L = full.launches, values = L.id.flatMap((_, i) => L.kernel[i] === kernel ? [L.cycles[i]] : []);
    const low = Math.min(...values), high = Math.max(...values), BINS = 40;
    const width = Math.max((high - low) / BINS, 1e-9), bins = Array(BINS).fill(0);
    values.forEach(v => bins[Math.min(Math.floor((v - low) / width), BINS - 1)]++);
    const chosen = sets.length ? launchesOf(sets[set], L).filter(c => c.kernel === kernel) : [];
    const clusters = distinct(chosen.map(c => c.cluster)).sort((a, b) => a - b);
    const single = high === low;
    return {
      tooltip: {confine: true, formatter: p => p.seriesType === "scatter" ?
        `launch ${p.data.c.launch}: ${format(p.value[0])} cycles, stands for ${format(p.data.c.weight)} launches<br>${escapeHtml(p.data.c.evidence || "")}` :
        `${format(Math.round(p.value[2]))} to ${format(Math.round(p.value[3]))} cycles: ${p.value[1]} launches`},
      xAxis: axis("value", "cycles in the full run", {scale: true, min: single ? low * 0.9 : undefined, max: single ? low * 1.1 : undefined}),
      yAxis: axis("value", "launches", {minInterval: 1}),
      series: [{name: "launches", type: "custom", color: palette[7],
          data: bins.flatMap((n, b) => n ? [[low + (b + 0.5) * width, n, low + b * width, low + (b + 1) * width]] : []),
          encode: {x: 0, y: 1},
          renderItem: (params, api) => {
            const a = api.coord([api.value(2), api.value(1)]), b = api.coord([api.value(3), 0]);
            return {type: "rect", shape: {x: a[0], y: a[1], width: Math.max(b[0] - a[0] - 1, 2), height: b[1] - a[1]},
                    style: {fill: palette[7]}};
          }},
        ...clusters.map((cluster, n) => ({name: cluster === null ? "simulated" : `cluster ${cluster}`, type: "scatter",
          symbol: "triangle", symbolSize: 11, symbolOffset: [0, -6], color: palette[n % 7],
          data: chosen.filter(c => c.cluster === cluster)
            .map(c => ({value: [c.full, 0], c}))}))],
    };
  }, "Bars: all launches. Triangles: simulated ones, by the cluster that they stand for.");
}

/* Samplers inside launches: how much of a launch was simulated, and the error of its cycles. */
function drawStops(parent, s, launches) {
  const known = launches.filter(x => x.error !== null);
  if (known.length)
    chart(parent, "Error of each launch", 320, () => ({
      tooltip: {confine: true, formatter: p => `<b>${escapeHtml(p.seriesName)}</b>, launch ${p.data.x.launch}: ` +
        `${escapeHtml(s.kernels[p.data.x.kernel])}<br>error ${(100 * p.data.x.error).toFixed(2)} %<br>` +
        escapeHtml(p.data.x.evidence || "")},
      dataZoom: zoom(2), grid: {left: 80, right: 30, top: 40, bottom: 75},
      xAxis: axis("value", "launch", {scale: true, minInterval: 1}),
      yAxis: axis("value", "error of its cycles", {nameGap: 60, axisLabel: {color: shades().dim, formatter: percent}}),
      series: distinct(known.map(x => x.sample)).map(sample => ({name: sample, type: "scatter", symbolSize: 6,
        data: known.filter(x => x.sample === sample).map(x => ({value: [x.launch, x.error], x}))})),
    }), "Cycles of the launches that were simulated, against the full run.");
  const stops = launches.filter(x => x.error !== null && x.estimated && x.simulated !== null);
  if (!stops.length) return;
  chart(parent, "Launches that were stopped early", 360, () => ({
    tooltip: {confine: true, formatter: p => `<b>${escapeHtml(p.seriesName)}</b>, launch ${p.data.x.launch}: ` +
      `${escapeHtml(s.kernels[p.data.x.kernel])}<br>${percent(p.value[0])} simulated, ` +
      `error ${(100 * p.data.x.error).toFixed(2)} %<br>${escapeHtml(p.data.x.evidence || "")}`},
    xAxis: axis("value", "share of the launch's instructions that was simulated",
                {min: 0, max: 1, axisLabel: {color: shades().dim, formatter: percent}}),
    yAxis: axis("value", "error of its cycles",
                {nameGap: 60, axisLabel: {color: shades().dim, formatter: percent}}),
    series: distinct(stops.map(x => x.sample)).map(sample => ({name: sample, type: "scatter", symbolSize: 8,
      data: stops.filter(x => x.sample === sample).map(x => ({value: [x.simulated, x.error], x}))})),
  }));
}

function drawEvaluation(parent, s) {
  const fullRun = s.runs.find(r => !r.sample && r.launches);
  const full = fullRun ? {...fullRun.launches, weight: fullRun.launches.id.map(() => 1)} : null;
  const launches = s.runs.filter(r => r.sample).flatMap(r => launchesOf(r, full));
  facts(parent, s.facts);
  drawErrors(parent, s);
  drawHistogram(parent, s, full && {kernels: s.kernels, launches: full});
  drawStops(parent, s, launches);
  add(parent, "h2", {}, "All runs");
  const signed = v => v === null ? "" : `${v >= 0 ? "+" : ""}${(100 * v).toFixed(2)} %`;
  const times = v => v === null ? "" : `${format(+v.toPrecision(3))}x`;
  table(parent, [{name: "samplers", text: true}, {name: "variant", text: true}, {name: "warmup", text: true},
      {name: "cycles"}, {name: "full"}, {name: "error", show: signed}, {name: "picked", show: signed},
      {name: "insts run", show: percent}, {name: "wall", show: times}, {name: "by cycles", show: times},
      {name: "by insts", show: times}, {name: "failure", text: true}],
    s.runs.map(r => [r.sample || "all launches", r.variant || "", r.warmup || "", r.cycles, r.full, r.error, r.picked,
      r.insts, r.speedup[2], r.speedup[1], r.speedup[0], r.failure || ""]), "runs");
  if (!launches.length) return;
  add(parent, "h2", {}, "Simulated launches");
  table(parent, [{name: "samplers", text: true}, {name: "launch"}, {name: "kernel", text: true}, {name: "cycles"},
      {name: "full"}, {name: "error", show: signed}, {name: "weight"}, {name: "simulated", show: percent},
      {name: "stopped by", text: true}, {name: "why", text: true}],
    launches.map(x => [x.sample, x.launch, s.kernels[x.kernel], x.cycles, x.full, x.error, x.weight, x.simulated,
                       x.estimated ? x.sampler : "", x.evidence || ""]), "launches");
}

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

/* ---- all of it ---- */

const drawers = {run: drawRun, sweep: drawSweep, evaluation: drawEvaluation, hardware: drawHardware,
                 validation: drawValidation};
const main = document.getElementById("main");
data.sections.forEach(s => drawers[s.type](add(main, "section", {class: s.type}), s));
charts.forEach(c => seen.observe(c.box));
})();
