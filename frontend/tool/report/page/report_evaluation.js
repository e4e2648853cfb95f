/* The section of an evaluation. */

function drawErrors(parent, s) {
  const runs = s.runs.filter(r => r.sample && r.error !== null);
  const speeds = ["simulated instructions", "simulated cycles", "wall clock", "processor time"];
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
          what: escapeHtml([r.variant, r.warmup, r.seed && `seed ${r.seed}`].filter(x => x).join(", ")) +
            (r.variant || r.warmup || r.seed ? "<br>" : "")}))})),
  }), "Left of 1x a sampled run does more work than the full one.");
}

/* Launches of a sampled run, paired with those of the full run; full: its launches, or null. */
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

/* Distribution of the cycles of a kernel's launches, marking those that a set of samplers simulated. */
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
      series: [{name: "launches", type: "custom", color: palette()[7],
          data: bins.flatMap((n, b) => n ? [[low + (b + 0.5) * width, n, low + b * width, low + (b + 1) * width]] : []),
          encode: {x: 0, y: 1},
          renderItem: (params, api) => {
            const a = api.coord([api.value(2), api.value(1)]), b = api.coord([api.value(3), 0]);
            return {type: "rect", shape: {x: a[0], y: a[1], width: Math.max(b[0] - a[0] - 1, 2), height: b[1] - a[1]},
                    style: {fill: palette()[7]}};
          }},
        ...clusters.map((cluster, n) => ({name: cluster === null ? "simulated" : `cluster ${cluster}`, type: "scatter",
          symbol: "triangle", symbolSize: 13, symbolOffset: [0, -7], z: 5,
          itemStyle: {borderColor: shades().paper, borderWidth: 1}, color: palette()[n % 7],
          data: chosen.filter(c => c.cluster === cluster)
            .map(c => ({value: [c.full, 0], c}))}))],
    };
  }, "Bars: all launches. Triangles: simulated ones, by the cluster that they stand for.");
}

/* Samplers inside launches: the simulated fraction of each launch, and the error of its cycles. */
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

/* Errors and intervals over the seeds: of the cycles of each set, and of every statistic. */
function drawCoverage(parent, s) {
  const sets = (s.sets || []).filter(x => x.sample && x.statistics.length);
  if (!sets.length) return;
  const signed = v => v === null ? "" : `${v >= 0 ? "+" : ""}${(100 * v).toFixed(2)} %`;
  const times = v => v === null ? "" : `${format(+v.toPrecision(3))}x`;
  const errors = [{name: "bias", show: signed}, {name: "mean", show: signed}, {name: "p95", show: signed}, {name: "max", show: signed}];
  const intervals = [{name: "covered", show: percent}, {name: "+-", show: signed}, {name: "silent", show: percent},
                     {name: "intervals"}, {name: "none"}, {name: "exact"}];
  const label = [{name: "samplers", text: true}, {name: "variant", text: true}, {name: "warmup", text: true}];
  const cells = x => [x.bias, x.mean, x.p95, x.max, x.coverage, x.half, x.silent, x.intervals, x.none, x.exact];
  const labels = x => [x.sample, x.variant || "", x.warmup || ""];
  add(parent, "h2", {}, "Cycles over the seeds");
  table(parent, [...label, {name: "runs"}, ...errors, ...intervals, {name: "bound", show: percent}, {name: "within", show: percent},
      {name: "insts run", show: percent}, {name: "cpu", show: times}, {name: "failed"}],
    sets.map(x => [...labels(x), x.runs, ...cells(x.statistics[0]), x.bound, x.within, x.simulated, x.cpu, x.failed]), "sets");
  add(parent, "h2", {}, "Statistics over the seeds");
  table(parent, [...label, {name: "statistic", text: true}, {name: "full"}, ...errors, ...intervals],
    sets.flatMap(x => x.statistics.map(t => [...labels(x), t.name, t.full, ...cells(t)])), "statistics");
}

function drawEvaluation(parent, s) {
  const fullRun = s.runs.find(r => !r.sample && r.launches);
  const full = fullRun ? {...fullRun.launches, weight: fullRun.launches.id.map(() => 1)} : null;
  const launches = s.runs.filter(r => r.sample).flatMap(r => launchesOf(r, full));
  facts(parent, s.facts);
  drawErrors(parent, s);
  drawHistogram(parent, s, full && {kernels: s.kernels, launches: full});
  drawStops(parent, s, launches);
  drawCoverage(parent, s);
  add(parent, "h2", {}, "All runs");
  const signed = v => v === null ? "" : `${v >= 0 ? "+" : ""}${(100 * v).toFixed(2)} %`;
  const times = v => v === null ? "" : `${format(+v.toPrecision(3))}x`;
  table(parent, [{name: "samplers", text: true}, {name: "variant", text: true}, {name: "warmup", text: true},
      {name: "seed", text: true}, {name: "cycles"}, {name: "full"}, {name: "error", show: signed}, {name: "covered", text: true},
      {name: "picked", show: signed}, {name: "insts run", show: percent}, {name: "cpu", show: times}, {name: "wall", show: times},
      {name: "by cycles", show: times}, {name: "by insts", show: times}, {name: "failure", text: true}],
    s.runs.map(r => [r.sample || "all launches", r.variant || "", r.warmup || "", r.seed || "", r.cycles, r.full, r.error,
      r.low === null ? "" : r.low <= r.full && r.full <= r.high ? "yes" : "no", r.picked,
      r.insts, r.speedup[3], r.speedup[2], r.speedup[1], r.speedup[0], r.failure || ""]), "runs");
  if (!launches.length) return;
  add(parent, "h2", {}, "Simulated launches");
  table(parent, [{name: "samplers", text: true}, {name: "launch"}, {name: "kernel", text: true}, {name: "cycles"},
      {name: "full"}, {name: "error", show: signed}, {name: "weight"}, {name: "simulated", show: percent},
      {name: "stopped by", text: true}, {name: "why", text: true}],
    launches.map(x => [x.sample, x.launch, s.kernels[x.kernel], x.cycles, x.full, x.error, x.weight, x.simulated,
                       x.estimated ? x.sampler : "", x.evidence || ""]), "launches");
}
