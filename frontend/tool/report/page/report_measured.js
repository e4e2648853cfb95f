/* The sections of a comparison with hardware and of a validation. */

/* ---- a comparison with hardware ---- */

function drawHardware(parent, s) {
  const used = s.counters.filter(c => c.pairs.length);
  let at = 0, entry = null;
  add(parent, "h2", {}, `Against ${s.file}`);
  if (!used.length) return;
  const named = p => p.program || p.kernel;
  const controls = add(parent, "div", {class: "controls"});
  chooser(controls, "counter", used.map(c => c.measured), i => { at = i; if (entry && entry.chart) entry.draw(); });
  entry = chart(parent, null, 460, () => {
    const c = used[at], scale = c.share ? "value" : "log";
    const points = c.pairs.filter(p => c.share || (p.measured > 0 && p.simulated > 0));
    const all = points.flatMap(p => [p.measured, p.simulated]);
    const low = c.share ? 0 : Math.min(...all) / 2, high = c.share ? Math.max(1, ...all) : Math.max(...all) * 2;
    const labels = {axisLabel: {color: shades().dim, formatter: c.share ? percent : v => format(v)}, min: low, max: high};
    return {
      tooltip: {confine: true, formatter: p => p.data.p ? `<b>${escapeHtml(named(p.data.p))}</b>` +
        (p.data.p.launch ? `, launch ${p.data.p.launch}` : "") +
        `<br>measured ${format(p.value[0])}<br>simulated ${format(p.value[1])}` +
        (p.data.p.error === null ? "" : `<br>error ${percent(p.data.p.error)}`) : ""},
      grid: {left: 100, right: 30, top: 40, bottom: 50},
      xAxis: axis(scale, `measured: ${c.measured}`, labels),
      yAxis: axis(scale, `simulated: ${c.simulated}`, {...labels, nameGap: 75}),
      series: [{name: "pairs", type: "scatter", symbolSize: 8, data: points.map(p => ({value: [p.measured, p.simulated], p}))},
               {name: "equal", type: "line", symbol: "none", lineStyle: {type: "dashed"}, data: [[low || 1e-9, low || 1e-9], [high, high]]}],
    };
  });
  add(parent, "p", {class: "dim"}, "error: mean of |simulated - measured| / measured (of shares the difference), and its median; bias: the same without the bars; r: Pearson's correlation, of the values and of their logarithms.");
  table(parent, [{name: "measured", text: true}, {name: "simulated", text: true}, {name: "pairs"},
      {name: "error", show: percent}, {name: "median", show: percent}, {name: "bias", show: percent}, {name: "r"}, {name: "r of logs"}],
    used.map(c => [c.measured, c.simulated, c.pairs.length, c.error, c.median, c.bias, c.correlation, c.logCorrelation]), "hardware");
  /* Errors by program, for suites; runs have too many pairs to be read. */
  if (used.some(c => c.pairs.some(p => p.program))) {
    add(parent, "h3", {}, "Errors by program");
    table(parent, [{name: "program", text: true}, {name: "counter", text: true}, {name: "kernel", text: true}, {name: "launch"},
        {name: "measured value"}, {name: "simulated value"}, {name: "error", show: percent}],
      used.flatMap(c => c.pairs.map(p => [p.program, c.measured, p.kernel === p.program ? "" : p.kernel, p.launch || null,
        p.measured, p.simulated, p.error])));
  }
  const rest = (title, names) => names.length && add(parent, "p", {class: "dim"}, `${title}: ${names.join(", ")}.`);
  if (used.some(c => c.measured.includes(", launch latency ")))
    rest("Launch latency off, in", ["how much launch overhead the card's counter includes is unknown; the bias lies between the two"]);
  rest("Columns without a pair (not measured, or nothing simulated)", s.counters.filter(c => !c.pairs.length).map(c => c.measured));
  rest("Columns without a matching statistic", s.unknown);
}

/* ---- a validation ---- */

function drawValidation(parent, s) {
  const names = ["test", "what", "unit", "measured", "simulated", "error", "allowed", "verdict", "kind", "harness", "source"];
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
