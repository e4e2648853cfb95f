/* The section of a sweep. */

/* view.fitted: the axis of cycles may begin above 0. Returns the chart. */
function drawSweepAxis(parent, s, jobs, column, view) {
  const places = distinct(jobs.map(j => j.fields[column]));
  const others = s.columns.map((_, i) => i)
    .filter(i => i > 0 && i !== column && distinct(jobs.map(j => j.fields[i])).length > 1);
  const name = j => others.map(i => i === 1 ? j.fields[i] : `${s.columns[i]} ${j.fields[i] || "as it is"}`).join(", ") || "cycles";
  const series = distinct(jobs.map(name));
  const at = new Map(jobs.map(j => [`${name(j)}\n${j.fields[column]}`, j]));
  return chart(parent, `${jobs[0].fields[0]}: cycles against ${s.columns[column]}`, 340, () => ({
    tooltip: {confine: true, trigger: "item", formatter: p => `<b>${escapeHtml(p.seriesName)}</b><br>` +
      `${escapeHtml(s.columns[column])} ${escapeHtml(p.name)}: ${format(p.value)} cycles` +
      (p.data.job.estimated ? "<br>estimated" : "") + (p.data.job.low === null ? (p.data.job.estimated ? ", error not known" : "") :
        `: ${format(Math.round(p.data.job.low))} to ${format(Math.round(p.data.job.high))} (sampling error only)`)},
    grid: {left: 100, right: 30, top: 40, bottom: 50},
    xAxis: axis("category", s.columns[column], {data: places.map(p => p || "as it is")}),
    yAxis: axis("value", "core cycles", {nameGap: 75, scale: view.fitted}),
    series: series.map((title, n) => ({name: title, type: "line", symbolSize: 8,
      symbol: ["circle", "rect", "diamond", "triangle"][n % 4],
      data: places.map(p => {
        const j = at.get(`${title}\n${p}`);
        return j ? {value: j.cycles, job: j} : null;
      })})),
  }));
}

/* The change of a job's cycles against the first job of its trace, with half the width of its interval. */
function changeText(j) {
  if (j.relative === null) return "";
  const half = j.relativeLow === null ? 0 : 100 * Math.max(j.relativeHigh - j.relative, j.relative - j.relativeLow);
  const digits = half === 0 || half >= 1 ? 1 : half >= 0.1 ? 2 : 3;
  const value = `${j.relative >= 1 ? "+" : ""}${(100 * (j.relative - 1)).toFixed(digits)}`;
  if (j.method === "exact") return `${value} %`;
  if (j.relativeLow === null) return `${value} % ?`;
  return j.relativeLow <= 1 && j.relativeHigh >= 1 ? `none ±${half.toFixed(digits)} %` : `${value} ±${half.toFixed(digits)} %`;
}

/* Cycles relative to the trace's first job, over two axes. */
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
  const row = Math.max(14, Math.min(42, 640 / ys.length));
  entry = chart(parent, null, 130 + row * ys.length, () => {
    const shown = jobs.filter(j => rest(j) === plane && j.relative !== null);
    const far = Math.max(0.05, ...shown.map(j => Math.abs(j.relative - 1)));
    const cells = shown.map(j => ({value: [xs.indexOf(j.fields[a]), ys.indexOf(j.fields[b]), j.relative], job: j,
      label: {color: Math.abs(j.relative - 1) > 0.6 * far ? "#fff" : "#1b1b1b"}}));
    return {
      tooltip: {confine: true, formatter: p => `${escapeHtml(s.columns[a])} ${escapeHtml(xs[p.value[0]])}<br>` +
        `${escapeHtml(s.columns[b])} ${escapeHtml(ys[p.value[1]])}<br>${format(p.data.job.cycles)} cycles, ` +
        `${changeText(p.data.job)} against the first job`},
      grid: {left: 120, right: 30, top: 10, bottom: 110},
      xAxis: axis("category", s.columns[a], {data: xs.map(x => x || "as it is"), splitArea: {show: true}}),
      yAxis: axis("category", s.columns[b], {data: ys.map(y => y || "as it is"), nameGap: 90}),
      visualMap: {min: 1 - far, max: 1 + far, calculable: true, orient: "horizontal", left: "center", bottom: 0,
        itemHeight: 160, textStyle: {color: shades().ink}, formatter: v => `${(100 * (v - 1)).toFixed(0)} %`,
        inRange: {color: ["#2166ac", "#92c5de", "#f7f7f7", "#f4a582", "#b2182b"]}},
      series: [{type: "heatmap", data: cells, label: {show: xs.length <= 12 && row > 20,
        formatter: p => `${p.value[2] >= 1 ? "+" : ""}${(100 * (p.value[2] - 1)).toFixed(1)} %`}}],
    };
  });
  return title;
}

/* Means over programs: geometric mean and geometric standard deviation of the values above 0. */
function geometric(values) {
  const logs = values.filter(v => v > 0 && isFinite(v)).map(Math.log);
  const mean = logs.reduce((a, b) => a + b, 0) / logs.length;
  const square = logs.reduce((a, b) => a + (b - mean) ** 2, 0) / (logs.length - 1);
  return {n: logs.length, mean: logs.length ? Math.exp(mean) : null, spread: logs.length > 1 ? Math.exp(Math.sqrt(square)) : null};
}

/* Any statistic of a suite: a group of bars per program, a bar per configuration, the geometric mean last. */
function drawSuite(parent, suite) {
  const forms = ["relative to the base", "speed-up: the base over it", "values"], n = suite.columns.length;
  const known = suite.stats.filter(x => x.values.some(v => v !== null));
  let stat = known[0], form = 0, base = 0, entry = null, note = null;
  if (!stat) return;
  const shown = (program, column) => {
    const v = stat.values[program * n + column], b = stat.values[program * n + base];
    const r = form === 0 ? v / b : form === 1 ? b / v : v;
    return v === null || (form < 2 && b === null) || !isFinite(r) ? null : r;
  };
  const redraw = () => {
    if (entry && entry.chart) entry.draw();
    if (note) note.textContent = "Geometric means" + (form < 2 ? " (times or over the spread): " : ": ") + suite.columns.map((c, i) => {
      const m = geometric(suite.programs.map((_, p) => shown(p, i)));
      return `${c} ${m.mean === null ? "none" : format(+m.mean.toPrecision(4))}` +
        (m.spread === null ? "" : ` (\u00d7/\u00f7 ${format(+m.spread.toPrecision(3))})`) +
        (m.n < suite.programs.length ? ` of ${m.n} programs` : "");
    }).join("; ") + ".";
  };
  add(parent, "h2", {}, "Programs");
  const controls = add(parent, "div", {class: "controls"});
  chooser(controls, "statistic", known.map(x => x.path), i => { stat = known[i]; redraw(); });
  chooser(controls, "shown", forms, i => { form = i; redraw(); });
  chooser(controls, "base", suite.columns, i => { base = i; redraw(); });
  entry = chart(parent, null, 400, () => {
    const drawn = suite.columns.map((_, i) => i).filter(i => form === 2 || i !== base);
    const names = [...suite.programs, "geometric mean"];
    return {
      tooltip: {confine: true, formatter: p => `<b>${escapeHtml(p.name)}</b><br>${escapeHtml(p.seriesName)}<br>` +
        `${escapeHtml(stat.path)}: ${p.value === null ? "none" : format(+p.value.toPrecision(6))}`},
      grid: {left: 80, right: 30, top: 40, bottom: 110},
      xAxis: axis("category", "", {data: names, axisLabel: {color: shades().dim, rotate: 40, interval: 0}}),
      yAxis: axis("value", form === 2 ? stat.path : `${form ? "speed-up" : "relative"} (${stat.path})`, {nameGap: 55}),
      dataZoom: names.length > 40 ? zoom(5) : [],
      series: drawn.map(i => {
        const values = suite.programs.map((_, p) => shown(p, i));
        return {name: suite.columns[i], type: "bar", data: [...values, geometric(values).mean],
                markLine: form < 2 && i === drawn[0] ? {silent: true, symbol: "none", label: {show: false},
                  lineStyle: {color: shades().ink, type: "dashed"}, data: [{yAxis: 1}]} : undefined};
      }),
    };
  });
  note = add(parent, "p", {class: "dim"});
  redraw();
}

function drawSweep(parent, s) {
  add(parent, "p", {}, `${format(s.jobs.length)} jobs, ${format(s.jobs.filter(j => j.state === "done").length)} of them done.`);
  if (s.suite) drawSuite(parent, s.suite);
  const unknown = s.jobs.filter(j => j.estimated && j.low === null && !(j.relativeLow < j.relativeHigh)).length;
  if (unknown)
    add(parent, "p", {}, `Warning: the error of ${unknown} estimate${unknown === 1 ? "" : "s"} is not known: ` +
      "no interval is given, and cycles and changes may be tens of percent off, or show no change where there is one.");
  const view = {fitted: false}, curves = [];
  chooser(add(parent, "div", {class: "controls"}), "cycles", ["from 0", "fitted to the values"], i => {
    view.fitted = i > 0;
    curves.forEach(c => c.chart && c.draw());
  });
  for (const trace of distinct(s.jobs.map(j => j.fields[0]))) {
    const jobs = s.jobs.filter(j => j.fields[0] === trace);
    const axes = s.columns.map((_, i) => i).filter(i => i > 0 && distinct(jobs.map(j => j.fields[i])).length > 1);
    add(parent, "h2", {}, trace);
    axes.forEach(column => curves.push(drawSweepAxis(parent, s, jobs, column, view)));
    axes.forEach((a, i) => axes.slice(i + 1).forEach(b => drawHeat(parent, s, jobs, a, b)));
  }
  add(parent, "h2", {}, "All jobs");
  add(parent, "p", {class: "dim"}, "change: cycles against the first job of the trace; with an interval, from the " +
    "launches that both simulated if the page says so (paired); none: the interval contains no change. " +
    "low, high: interval of the cycles, sampling error only.");
  const fixed = ["state", "cycles", "how", "low", "high", "change", "ipc", "L2 hits", "DRAM", "change and interval", "from"];
  const n = s.columns.length, change = v => v === null ? "" : `${v >= 0 ? "+" : ""}${(100 * v).toFixed(1)} %`;
  table(parent, [...s.columns.map(name => ({name, text: true,
        help: HEADINGS[name] || `a setting that the study varies: rubato config explain ${name}`})),
      ...fixed.map((name, i) => ({name, text: i === 0 || i === 2 || i > 8,
        show: i === 5 ? change : i === 7 || i === 8 ? percent : undefined}))],
    s.jobs.map(j => [...j.fields, j.state, j.cycles, j.estimated ? (j.low === null ? "estimated, error not known" : "estimated") : "", j.low, j.high,
      j.relative === null ? null : j.relative - 1, j.ipc, j.l2, j.dram, changeText(j), j.method]), n ? "jobs" : "");
}
