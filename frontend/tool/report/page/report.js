/*
 * Building blocks of all sections of a report: elements, charts (ECharts), tables. The other files
 * draw the sections; report_all.js, the last one, starts them. In the page they form one function,
 * in this order.
 */
const data = JSON.parse(document.getElementById("data").textContent);
/* The palette of Okabe and Ito, safe for colour-blind readers; lighter on a dark background. */
const palettes = {
  light: ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#999900", "#888888"],
  dark: ["#3d9fdb", "#f0b429", "#2fbf93", "#ee7733", "#dd9abf", "#8accf2", "#c4c43a", "#a0a0a0"]};
const COLORS = palettes.light.length;
const charts = [];
const darkness = window.matchMedia("(prefers-color-scheme: dark)");
let printing = false;
const palette = () => palettes[darkness.matches && !printing ? "dark" : "light"];

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

/* toLocaleString() would make one at each call. */
const whole = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});

/* "1,234,567", "0.0123", "1.20e-9"; "" for unknown values. */
function format(v) {
  if (v === null || v === undefined || v === "") return "";
  if (typeof v !== "number") return String(v);
  if (Number.isInteger(v) && Math.abs(v) < 1e15) return whole.format(v);
  const a = Math.abs(v);
  return a >= 1000 ? whole.format(v)
       : a >= 0.001 ? String(+v.toPrecision(4)) : v.toExponential(2);
}

/* "100 G". */
function si(v) {
  const n = Math.min(Math.max(Math.floor(Math.log10(v) / 3), 0), 5);
  return `${format(+(v / 1000 ** n).toPrecision(4))} ${["", "k", "M", "G", "T", "P"][n]}`;
}

const percent = v => v === null || v === undefined ? "" : `${(100 * v).toFixed(1)} %`;

/* A selection of one option; change(index) is called immediately and at each change. */
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

/* The drawing of a chart as SVG, in the current size and colours. */
function svgOf(entry) {
  const box = document.createElement("div");
  Object.assign(box.style, {width: `${entry.box.clientWidth}px`, height: `${entry.box.clientHeight}px`,
                            position: "absolute", visibility: "hidden"});
  document.body.append(box);
  const drawn = echarts.init(box, null, {renderer: "svg"});
  entry.draw(drawn);
  drawn.setOption({backgroundColor: shades().paper});
  const text = drawn.renderToSVGString();
  drawn.dispose();
  box.remove();
  return text;
}

function saveSvg(entry, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([svgOf(entry)], {type: "image/svg+xml"}));
  link.download = `${name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "") || "chart"}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/* option(): called again when the colours change. */
function chart(parent, title, height, option, note) {
  if (title) add(parent, "h3", {}, title);
  if (note) add(parent, "p", {class: "dim"}, note);
  const figure = add(parent, "figure");
  const save = add(figure, "button", {class: "save", title: "save this chart as SVG"}, "SVG");
  const box = add(figure, "div", {class: "chart", style: `height:${height}px`});
  const entry = {box, option, chart: null};
  save.addEventListener("click", () => saveSvg(entry, title || figure.closest("section")?.querySelector("h2")?.textContent || "chart"));
  entry.draw = (on = entry.chart) => {
    const c = shades();
    on.setOption({color: palette(), animation: false, textStyle: {color: c.ink},
      tooltip: {confine: true, backgroundColor: c.paper, borderColor: c.rule, textStyle: {color: c.ink}},
      legend: {type: "scroll", top: 0, textStyle: {color: c.ink}, pageTextStyle: {color: c.ink}},
      grid: {left: 80, right: 30, top: 40, bottom: 50}, ...option()}, {notMerge: true});
  };
  /* SVG (lines and letters) for print, canvas (points) for the screen. */
  entry.start = () => {
    if (entry.chart) entry.chart.dispose();
    entry.chart = echarts.init(box, null, {renderer: printing ? "svg" : "canvas"});
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
darkness.addEventListener("change", redraw);
/* Redraws all charts with the width and the colours of a printed page, or back. */
function print(on) {
  printing = on;
  document.documentElement.classList.toggle("paper", on);
  charts.forEach(c => c.start());
}
window.addEventListener("beforeprint", () => print(true));
window.addEventListener("afterprint", () => print(false));

const zoom = bottom => printing ? [] : [{type: "inside"}, {type: "slider", height: 16, bottom}];

/* ---- tables ---- */

const known = v => v !== null && v !== undefined && v !== "";

/*
 * Parses a table's filter into words and comparisons {text, column, order, than}. A column is named
 * by its heading, with blanks or "_": L1 hits>50. A term that does not name a column is a word, such
 * as add<float>.
 */
function readFilter(text, columns) {
  const escaped = name => name.toLowerCase().replace(/[^a-z0-9]/g, c => c === " " ? "[ _]" : "\\" + c);
  const terms = [], names = columns.map((c, i) => [escaped(c.name), i]).sort((a, b) => b[0].length - a[0].length);
  for (let rest = text.toLowerCase().trim(); rest; rest = rest.trimStart()) {
    let term = null;
    for (const [name, column] of names) {
      const m = !term && new RegExp(`^${name}\\s*(<=|>=|=|<|>)\\s*(\\S+)`).exec(rest);
      if (m) term = {text: m[0], column, order: m[1], than: m[2]};
    }
    term = term || {text: /^\S+/.exec(rest)[0]};
    terms.push(term);
    rest = rest.slice(term.text.length);
  }
  return terms;
}

/* Compares a value with a text. Numbers are compared as displayed: 50 means 50 %. */
function inOrder(value, shown, order, than) {
  const number = +than.replace(/[,%]/g, "");
  const d = typeof value !== "number" ? value.toLowerCase().localeCompare(than)
          : parseFloat(shown.replace(/,/g, "")) === number ? 0
          : value * (shown.endsWith("%") ? 100 : 1) - number;
  return {"<": d < 0, ">": d > 0, "=": d === 0, "<=": d <= 0, ">=": d >= 0}[order];
}

/* Why a filter may match no row; "": no row contains its words. */
function filterComplaint(terms, columns, rows) {
  for (const t of terms) {
    if (t.column === undefined && /[<>=]/.test(t.text))
      return `there is no column "${t.text.split(/[<>=]/)[0]}"; the columns are ${columns.map(c => c.name).join(", ")}`;
    if (t.column !== undefined && isNaN(t.than.replace(/[,%]/g, "")) && rows.some(r => typeof r[t.column] === "number"))
      return `"${t.than}" is no number`;
  }
  return "";
}

/* What the headings of tables mean. A column may have a text of its own (help). */
const HEADINGS = {
  "launch": "number of the launch, from 1 in the order of the trace",
  "kernel": "name of the kernel; of C++ without its types",
  "grid": "thread blocks in x, y and z",
  "block": "threads of a block in x, y and z",
  "cycles": "core cycles, launch latency included",
  "change and interval": "change of the cycles against the base, with its 95 % interval if launches were sampled",
  "from": "how the interval of the change is known: from what both simulated, or from two independent ones",
  "weight": "how many launches of the program this one stands for",
  "warp insts": "warp instructions executed",
  "ipc": "warp instructions per core cycle, of the whole chip",
  "occupancy": "warp slots in use, while an SM has warps",
  "issue": "share of the schedulers' cycles in which one issued",
  "L1 hits": "sectors of global loads found in the L1",
  "L2 hits": "sectors found in the L2",
  "L2": "bandwidth of the L2 in use, of its peak",
  "DRAM": "bandwidth of the DRAM in use, of its peak",
  "sampler": "the sampler that chose the launch or stopped it early",
  "state": "done, running, failed or not begun",
  "how": "whether the cycles are estimated",
  "low": "least value of the interval of the cycles: sampling error only",
  "high": "largest value of the interval of the cycles: sampling error only",
  "change": "cycles against the first job of the trace",
  "trace": "the program's trace", "gpu": "the modelled card", "variant": "a listed point of the study, or a set of options",
  "samplers": "the set of samplers; their options follow a colon",
  "warmup": "how caches are brought to where left-out launches would have left them",
  "seed": "of everything random",
  "full": "the same in the full run",
  "error": "simulated against the true value: (simulated - true) / true",
  "covered": "whether the interval contains the true value; of several runs, how many do",
  "picked": "error that the choice of launches alone makes",
  "insts run": "warp instructions simulated in detail, of all",
  "cpu": "processor time of the full run over that of this one",
  "wall": "time of the full run over that of this one",
  "by cycles": "cycles of the full run over those simulated",
  "by insts": "instructions of the full run over those simulated",
  "failure": "why the run ended early",
  "runs": "runs with different seeds",
  "bias": "mean of the errors with their signs",
  "mean": "mean of the errors without their signs",
  "p95": "the error that 95 % of the runs do not exceed",
  "max": "the largest error",
  "+-": "half the width of an interval, of the estimate",
  "silent": "runs whose error exceeds the bound without a warning: no interval contains the truth",
  "intervals": "runs that print an interval", "none": "runs that print none", "exact": "runs in which the value is exact",
  "bound": "the error bound that was asked for", "within": "runs whose error is within the bound",
  "failed": "runs that ended early",
  "statistic": "path of the statistic, as in stats.csv",
  "simulated": "what was simulated; beside measured values, the simulated one",
  "stopped by": "the sampler inside the launch that stopped it early", "why": "what the sampler decided by",
  "measured": "column of the measured table, or the measured value",
  "pairs": "rows of the table that have a simulated value",
  "median": "median of the errors without their signs",
  "r of logs": "the same of their logarithms, in which small programs count as much as large ones",
  "r": "Pearson's correlation of measured and simulated values",
  "worst": "the largest error", "where": "the row of the largest error",
  "program": "the traced program", "counter": "the measured column",
  "measured value": "on the card", "simulated value": "by the model",
  "test": "name of the test", "what": "what is done or measured", "unit": "of both values",
  "allowed": "the error up to which the test passes", "verdict": "pass, fail, or none for a row without a bound",
  "kind": "calibration: the value was used to build the model; evidence: it was not",
  "harness": "how the publisher measured", "source": "where the value was published",
  "pc": "address of the instruction in its function", "instruction": "as disassembled",
  "line": "file and line of the source", "share": "of all of the kernel",
  "main reason": "what most of the waiting cycles waited for",
  "reasons": "what the warps' cycles at this instruction waited for, as widths", "waits for": "instruction whose result it waits for",
  "issued": "times that warps issued it", "threads": "active threads per issue", "sectors/request": "32-byte sectors that a warp's access touches",
  "conflicts": "extra cycles of shared memory by bank conflicts", "latency": "mean cycles from issue to result",
  "operation": "number in the order of the program", "stream": "the stream of the program it was given to",
  "bytes": "copied or set", "ready": "cycle from which it could begin", "start": "cycle in which it began", "end": "cycle in which it ended",
  "alone": "cycles in which it had the chip for itself", "shared": "cycles in which others ran beside it",
  "critical": "whether it is on the longest chain of what waits for each other"};

/*
 * columns: {name, help (what it means; default: HEADINGS), text (text, aligned left), show(value, row), open(value): the cell is a link}; rows:
 * arrays of values, of which STEP are shown at first. A click on a heading sorts. The filter takes
 * words, which must all occur in a row, and comparisons such as cycles>10000. Columns without values
 * are omitted. What the columns mean is below a word that opens it, and at each heading.
 */
function table(parent, columns, rows, id, STEP = 200) {
  const used = columns.map((_, i) => i).filter(i => !rows.length || rows.some(r => known(r[i])));
  columns = used.map(i => columns[i]);
  rows = rows.map(r => used.map(i => r[i]));
  const controls = add(parent, "div", {class: "controls"});
  const filter = add(controls, "input", {type: "search", placeholder: "filter: words, cycles>10000",
                                         "aria-label": "filter"});
  const count = add(controls, "span", {class: "dim"});
  const helpOf = c => c.help || HEADINGS[c.name] || "";
  if (columns.some(helpOf)) {
    const legend = add(controls, "details", {class: "legend"});
    add(legend, "summary", {}, "what the columns mean");
    facts(legend, columns.filter(helpOf).map(c => [c.name, helpOf(c)]));
  }
  const t = add(add(parent, "div", {class: "wide"}), "table", id ? {id} : {});
  const head = add(add(t, "thead"), "tr"), body = add(t, "tbody");
  const more = add(parent, "button", {class: "more"}, "show more");
  let sorted = -1, up = true, shown = STEP, list = rows, complaint = "";

  const cell = (row, i) => columns[i].show ? columns[i].show(row[i], row) : format(row[i]);

  function matches(terms, row) {
    return terms.every(t => t.column === undefined
      ? row.some((v, i) => v !== null && cell(row, i).toLowerCase().includes(t.text))
      : known(row[t.column]) && inOrder(row[t.column], cell(row, t.column), t.order, t.than));
  }

  function fill() {
    body.textContent = "";
    for (const row of list.slice(0, shown)) {
      const tr = add(body, "tr");
      columns.forEach((c, i) => {
        const text = cell(row, i);
        const td = add(tr, "td", c.text ? {class: "text", title: text} : {}, c.open ? undefined : text);
        if (c.open && text) add(td, "button", {class: "link"}, text).addEventListener("click", () => c.open(row[i]));
      });
    }
    count.textContent = `${format(list.length)} of ${format(rows.length)} rows${complaint ? ": " + complaint : ""}`;
    more.hidden = list.length <= shown;
  }

  function update() {
    const terms = readFilter(filter.value, columns);
    list = rows.filter(r => matches(terms, r));
    complaint = list.length ? "" : filterComplaint(terms, columns, rows);
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
    const th = add(head, "th", {scope: "col", ...(c.text ? {class: "text"} : {})});
    add(th, "button", {class: "sort", title: `${helpOf(c) ? helpOf(c) + ". " : ""}Sorts the table.`}, c.name);
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

const distinct = list => [...new Set(list)];
