/*
 * The section of a run's instructions: why warps waited, hot spots, source lines with their sums, and
 * the listing. A click on a reason shows its instructions, one on an instruction what it waits for.
 */

const hex = pc => pc.toString(16).padStart(4, "0");

/* The values of a column by place; places are stored as distances, values of 0 are not. */
function spread(column, n) {
  const values = new Array(n).fill(0);
  let at = 0;
  if (column) column.at.forEach((step, k) => values[at += step] = column.is[k]);
  return values;
}

/* A kernel with its columns spread: states and counters by name, sums, and what can be the heat. */
function openKernel(s, k) {
  const n = k.pc.length, states = {}, counters = {};
  for (const name of s.stateNames) if (k.states[name]) states[name] = spread(k.states[name], n);
  for (const name of Object.keys(k.counters)) counters[name] = spread(k.counters[name], n);
  const zero = new Array(n).fill(0), of = name => counters[name] || zero;
  const sums = lists => zero.map((_, i) => lists.reduce((a, list) => a + list[i], 0));
  const total = list => list.reduce((a, v) => a + v, 0);
  const cycles = sums(Object.values(states));
  const reasons = Object.entries(states).map(([name, values]) => ({name, values, total: total(values)}))
    .sort((a, b) => b.total - a.total);
  reasons.forEach((r, c) => r.color = Math.min(c, COLORS - 1));
  const metric = (name, values) => ({name, values, total: total(values), most: values.reduce((a, v) => Math.max(a, v), 0)});
  const metrics = [metric("warp cycles", cycles),
    metric("stalled cycles", sums(reasons.filter(r => !/^(not_)?selected$/.test(r.name)).map(r => r.values))),
    ...reasons.map(r => metric(r.name, r.values)),
    metric("cycles others waited for it", sums([of("awaited_long"), of("awaited_short")])),
    metric("issued", of("issued")), metric("sectors", of("sectors")), metric("L2 sectors", of("l2_sectors")),
    metric("shared conflicts", of("shared_conflicts"))].filter((m, i) => i === 0 || m.total > 0);
  const waits = k.pc.map(() => []), awaited = k.pc.map(() => []);
  for (const [i, state, on, v] of k.waits) {
    waits[i].push({on, v, state: s.stateNames[state]});
    if (on >= 0) awaited[on].push({on: i, v, state: s.stateNames[state]});
  }
  awaited.forEach(list => list.sort((a, b) => b.v - a.v));
  return {...k, n, states, rates: ratesOf(of), cycles, reasons, metrics, waits, awaited, at: new Map(k.pc.map((pc, i) => [hex(pc), i]))};
}

const baseName = path => path.replace(/^.*\//, "");
const lineOf = (s, k, i) => !k.line[i] ? "" : `${baseName(s.files[k.file[i]].path) || "line"}:${k.line[i]}`;
const shareOf = (v, all) => all > 0 ? v / all : 0;

/* The reason that most of an instruction's cycles have, but for those in which it was issued. */
function mainReason(k, i) {
  const r = k.reasons.reduce((a, b) => b.name !== "selected" && b.values[i] > (a ? a.values[i] : 0) ? b : a, null);
  return r ? r.name : "";
}

/* Rates of all instructions: {name, values, show}; null: unknown. Those that no instruction has are left out. */
function ratesOf(of) {
  const per = (a, b, when = b) => of(b).map((v, i) => v > 0 && of(when)[i] > 0 ? of(a)[i] / v : null);
  return [{name: "issued", values: of("issued"), show: format},
    {name: "threads", values: per("lanes", "issued"), show: v => v.toFixed(1)},
    {name: "sectors/request", values: per("sectors", "requests", "sectors"), show: v => v.toFixed(1)},
    {name: "L1 hits", values: per("l1_hits", "sectors"), show: percent},
    {name: "L2 hits", values: per("l2_hits", "l2_sectors"), show: percent},
    {name: "conflicts", values: of("shared_wavefronts").map((v, i) => v > 0 ? of("shared_conflicts")[i] : null), show: format},
    {name: "latency", values: per("result_cycles", "results"), show: v => v.toFixed(0)}].filter(r => r.values.some(v => v !== null));
}

const linkTo = (k, i) => `<button class="link" data-to="${i}">${hex(k.pc[i])}</button>`;
const heatCell = (v, m) => `<td class="heat" style="--w:${(100 * shareOf(v, m.most)).toFixed(1)}%">${v ? format(v) : ""}</td>`;
const shareCell = (v, m) => `<td>${v ? percent(shareOf(v, m.total)) : ""}</td>`;

/* ---- the parts ---- */

/* All reasons as bars; a click makes one the heat. */
function drawReasons(parent, view) {
  const {k} = view, all = k.metrics[0].total, box = add(parent, "div", {class: "reasons"});
  for (const r of k.reasons) {
    const b = add(box, "button", {"data-name": r.name, title: `show the instructions of ${r.name}`});
    add(b, "span", {}, r.name);
    const bar = add(b, "span", {class: "bar"});
    add(bar, "span", {style: `width:${(100 * shareOf(r.total, all)).toFixed(1)}%;background:var(--c${r.color})`});
    add(b, "span", {class: "dim"}, percent(shareOf(r.total, all)));
    b.addEventListener("click", () => view.heat(k.metrics.findIndex(m => m.name === r.name)));
  }
  view.changed.push(m => [...box.children].forEach(b => b.setAttribute("aria-pressed", b.dataset.name === m.name)));
}

function drawHotSpots(parent, s, view) {
  const {k} = view, box = add(parent, "div", {class: "hot"});
  view.changed.push(m => {
    box.textContent = "";
    const hot = m.values.map((v, i) => i).filter(i => m.values[i] > 0).sort((a, b) => m.values[b] - m.values[a] || a - b);
    table(box, [{name: "pc", text: true, open: pc => view.select(k.at.get(pc))}, {name: "instruction", text: true},
        {name: "line", text: true}, {name: m.name, help: "what is chosen as heat: cycles of warps at this instruction, for one reason or all"},
        {name: "share", show: percent}, {name: "main reason", text: true},
        {name: "waits for", text: true, open: pc => view.select(k.at.get(pc))}],
      hot.map(i => [hex(k.pc[i]), k.text[i], lineOf(s, k, i), m.values[i], shareOf(m.values[i], m.total), mainReason(k, i),
        k.waits[i].length && k.waits[i][0].on >= 0 ? hex(k.pc[k.waits[i][0].on]) : ""]), undefined, 10);
  });
}

/* The lines of a file: its text where the page has it, else those that instructions have. */
function linesOf(s, k, file) {
  const used = distinct(k.line.filter((line, i) => line && k.file[i] === file)).sort((a, b) => a - b);
  const text = new Map(s.files[file].lines || []);
  used.forEach(line => text.has(line) || text.set(line, ""));
  /* Of the text that other kernels need only what is near. */
  let u = 0;
  return [...text].sort((a, b) => a[0] - b[0]).filter(([line]) => {
    while (u < used.length && used[u] < line - 4) u++;
    return u < used.length && used[u] <= line + 4;
  });
}

function drawLines(parent, s, view) {
  const {k} = view, files = distinct(k.file.filter((f, i) => f >= 0 && k.line[i]));
  const sum = f => k.cycles.reduce((a, v, i) => a + (k.file[i] === f ? v : 0), 0);
  files.sort((a, b) => sum(b) - sum(a));
  const box = add(parent, "div"), controls = add(box, "div", {class: "controls"}), pane = add(box, "div", {class: "pane", tabindex: 0});
  let shown = -1, select = null;
  const body = add(add(pane, "table", {class: "code lines"}), "tbody");
  function fill() {
    const m = view.metric(), per = new Map(), lines = linesOf(s, k, shown);
    k.line.forEach((line, i) => line && k.file[i] === shown && per.set(line, (per.get(line) || 0) + m.values[i]));
    const heat = {total: m.total, most: Math.max(0, ...per.values())};
    body.innerHTML = lines.map(([line, text], n) => (n > 0 && lines[n - 1][0] + 1 < line ? "<tr class=gap><td colspan=4>⋯</td></tr>" : "") +
      `<tr data-line="${line}"><td class="dim">${line}</td>${heatCell(per.get(line) || 0, heat)}${shareCell(per.get(line) || 0, heat)}` +
      `<td class="text">${escapeHtml(text)}</td></tr>`).join("");
  }
  const show = f => {
    shown = f;
    if (select) select.selectedIndex = files.indexOf(f);
    fill();
  };
  select = chooser(controls, "File", files.map(f => s.files[f].path || "(unknown)"), n => show(files[n]));
  add(controls, "span", {class: "dim"}, files.some(f => s.files[f].lines) ? "" : "the files were not there when the page was made");
  body.addEventListener("click", e => {
    const line = +(e.target.closest("tr[data-line]") || {dataset: {}}).dataset.line;
    if (line) view.line(shown, line);
  });
  view.changed.push(fill);
  view.selected.push((i, file, line) => {
    if (!line) return;
    if (file !== shown) show(file);
    [...body.rows].forEach(r => r.classList.toggle("on", +r.dataset.line === line));
    const row = body.querySelector("tr.on");
    if (row && i !== null) pane.scrollTop = row.offsetTop - pane.clientHeight / 2;
  });
}

/* Widths of an instruction's reasons as one background, in the colours of the bars above. */
function stackOf(k, i) {
  let at = 0;
  const stops = k.reasons.filter(r => r.values[i] > 0).map(r => {
    const from = at;
    at += 100 * r.values[i] / k.cycles[i];
    return `var(--c${r.color}) ${from.toFixed(1)}% ${at.toFixed(1)}%`;
  });
  return stops.length ? `<span class="stack" style="background:linear-gradient(90deg,${stops.join(",")})"></span>` : "";
}

/*
 * The listing. The first rows are there at once and the others soon after, so that a page opens fast
 * and the browser's search finds all. Of long code a part is in the page, and moves.
 */
function drawListing(parent, s, view) {
  const {k} = view, PART = 4000, FIRST = 100;
  const lined = k.line.some(line => line);
  const box = add(parent, "div"), controls = add(box, "div", {class: "controls"}), pane = add(box, "div", {class: "pane", tabindex: 0});
  const t = add(pane, "table", {class: "code listing"}), head = add(add(t, "thead"), "tr"), body = add(t, "tbody");
  let from = 0, marked = [], filler = 0;
  const move = (text, step) => {
    const b = add(controls, "button", {}, text);
    b.addEventListener("click", () => { from = Math.min(Math.max(from + step, 0), Math.max(k.n - PART, 0)); fill(); });
    b.hidden = k.n <= PART;
  };
  move("earlier", -PART);
  move("later", PART);
  const said = add(controls, "span", {class: "dim"});
  const waitsFor = i => k.waits[i].filter(w => w.on >= 0 && w.on !== i).slice(0, 3).map(w => linkTo(k, w.on)).join(" ");
  const row = (i, m) => `<tr data-i="${i}"><td>${linkTo(k, i)}</td>${heatCell(m.values[i], m)}${shareCell(m.values[i], m)}` +
    `<td class="text">${escapeHtml(k.text[i])}</td><td>${stackOf(k, i)}</td><td class="text">${waitsFor(i)}</td>` +
    k.rates.map(r => `<td>${r.values[i] === null ? "" : r.show(r.values[i])}</td>`).join("") +
    (lined ? `<td class="text dim">${escapeHtml(lineOf(s, k, i))}</td>` : "") + "</tr>";
  const last = () => Math.min(from + PART, k.n);
  /* Appends rows until the part has n. */
  function grow(n) {
    const m = view.metric(), html = [];
    for (let i = from + body.rows.length, to = Math.min(from + n, last()); i < to; i++) html.push(row(i, m));
    body.insertAdjacentHTML("beforeend", html.join(""));
  }
  function growLater() {
    clearTimeout(filler);
    filler = setTimeout(() => {
      if (!body.isConnected || from + body.rows.length >= last()) return;
      grow(3 * body.rows.length);
      mark();
      growLater();
    }, 20);
  }
  function fill() {
    head.innerHTML = ["pc", "heat", "share", "instruction", "reasons", "waits for", ...k.rates.map(r => r.name),
      ...(lined ? ["line"] : [])].map(name => `<th scope=col title="${escapeHtml(HEADINGS[name] || "")}"${/^(instruction|reasons|waits for|line)$/.test(name) ? " class=text" : ""}>${name}</th>`).join("");
    head.cells[1].textContent = view.metric().name;
    said.textContent = k.n > PART ? `instructions ${format(from + 1)} to ${format(last())} of ${format(k.n)}` :
      `${format(k.n)} instructions${k.n < k.all ? ` of ${format(k.all)}` : ""}`;
    body.textContent = "";
    grow(FIRST);
    mark();
    growLater();
  }
  function mark() {
    body.querySelectorAll("tr.on").forEach(r => r.classList.remove("on"));
    marked.forEach(i => body.rows[i - from] && body.rows[i - from].classList.add("on"));
  }
  body.addEventListener("click", e => {
    const link = e.target.closest("[data-to]"), r = e.target.closest("tr");
    if (link || r) view.select(+(link ? link.dataset.to : r.dataset.i), !link);
  });
  body.addEventListener("mouseover", e => {
    const i = e.target.classList.contains("stack") ? +e.target.closest("tr").dataset.i : -1;
    if (i >= 0) e.target.title = k.reasons.filter(r => r.values[i] > 0).map(r => `${r.name}: ${format(r.values[i])}`).join("\n");
  });
  /* Another heat changes two cells of a row; the pane stays where it is. */
  view.changed.push(m => {
    if (!body.rows.length) return fill();
    head.cells[1].textContent = m.name;
    [...body.rows].forEach((r, n) => {
      const v = m.values[from + n];
      r.cells[1].outerHTML = heatCell(v, m);
      r.cells[2].outerHTML = shareCell(v, m);
    });
  });
  view.selected.push((i, file, line, still) => {
    const places = k.pc.map((_, n) => n);
    marked = i !== null ? [i] : places.filter(n => k.file[n] === file && k.line[n] === line);
    const first = marked.reduce((a, n) => view.metric().values[n] > view.metric().values[a] ? n : a, marked[0]);
    if (first === undefined) return;
    if (first < from || first >= from + PART) {
      from = Math.min(Math.max(first - PART / 2, 0), Math.max(k.n - PART, 0));
      fill();
    }
    if (first - from >= body.rows.length) grow(PART);
    mark();
    const r = body.rows[first - from];
    if (!still) pane.scrollTop = r.offsetTop - pane.clientHeight / 2;
  });
}

/* What is known about the selected instruction. */
function drawDetail(parent, s, view) {
  const {k} = view, box = add(parent, "div", {class: "detail"});
  box.hidden = true;
  box.addEventListener("click", e => {
    const link = e.target.closest("[data-to]");
    if (link) view.select(+link.dataset.to);
    if (e.target.closest(".close")) box.hidden = true;
  });
  const list = (title, rows) => rows.length ? `<div><b>${title}</b>${rows.map(r => `<div>${r}</div>`).join("")}</div>` : "";
  const wait = w => `${w.on >= 0 ? `${linkTo(k, w.on)} ${escapeHtml(k.text[w.on])}` : "unknown"}` +
    ` <span class="dim">${w.state.replace("_scoreboard", "")} ${format(w.v)}</span>`;
  const more = (rows, most) => rows.length > most ? [...rows.slice(0, most), `and ${rows.length - most} others`] : rows;
  view.selected.push(i => {
    box.hidden = i === null;
    if (i === null) return;
    box.innerHTML = `<button class="close" title="close">×</button><div class="what">${hex(k.pc[i])} &nbsp;${escapeHtml(k.text[i])} ` +
      `<span class="dim">${escapeHtml(k.line[i] ? `${s.files[k.file[i]].path || "line"}:${k.line[i]}` : "")}</span></div><div class="lists">` +
      list("Warp cycles", more(k.reasons.filter(r => r.values[i] > 0).sort((a, b) => b.values[i] - a.values[i])
        .map(r => `${r.name} <span class="dim">${format(r.values[i])}, ${percent(shareOf(r.values[i], k.cycles[i]))}</span>`), 6)) +
      list("Waits for", more(k.waits[i].map(wait), 6)) + list("Others wait for it", more(k.awaited[i].map(wait), 6)) +
      list("Counters", k.rates.filter(r => r.values[i] !== null).map(r => `${r.name} <span class="dim">${r.show(r.values[i])}</span>`)) +
      "</div>";
  });
}

function drawKernel(parent, s, k) {
  const view = {k, changed: [], selected: [], number: 0, metric: () => k.metrics[view.number],
    heat: number => {
      view.number = number;
      choice.selectedIndex = number;
      view.changed.forEach(f => f(view.metric()));
    },
    select: (i, still) => view.selected.forEach(f => f(i, k.file[i], k.line[i], still)),
    line: (file, line) => view.selected.forEach(f => f(null, file, line))};
  add(parent, "p", {class: "dim"}, `${format(k.launches)} ${k.launches === 1 ? "launch" : "launches"}, ${format(k.metrics[0].total)} warp cycles` +
    (k.estimated ? ", estimated from the simulated part" : "") + ". A click on a reason shows its instructions; one on a pc shows what it waits for.");
  drawReasons(parent, view);
  const controls = add(parent, "div", {class: "controls"});
  let choice = {};
  choice = chooser(controls, "Heat", k.metrics.map(m => m.name), number => choice.options && view.heat(number));
  add(parent, "h3", {}, "Hot spots");
  drawHotSpots(parent, s, view);
  const lined = k.line.some(line => line);
  add(parent, "h3", {}, lined ? "Source and instructions" : "Instructions");
  if (!lined) add(parent, "p", {class: "dim"}, "Compiled with nvcc -lineinfo, the code would be shown with its source lines.");
  const panes = add(parent, "div", {class: lined ? "panes two" : "panes"});
  if (lined) drawLines(panes, s, view);
  drawListing(panes, s, view);
  drawDetail(parent, s, view);
  view.heat(0);
}

function drawInstructions(parent, s) {
  add(parent, "h2", {}, `Instructions: ${s.title}`);
  if (!s.kernels.length) {
    add(parent, "p", {class: "dim"}, "No instruction was simulated.");
    return;
  }
  if (s.kernels.length < s.all)
    add(parent, "p", {class: "dim"}, `The ${format(s.kernels.length)} kernels with most warp cycles, of ${format(s.all)}.`);
  const names = s.kernels.map((k, i) => s.kernels.filter(o => o.name === k.name).length > 1 ? `${k.name} (sm_${k.arch}, ${i + 1})` : k.name);
  const controls = add(parent, "div", {class: "controls"}), box = add(parent, "div");
  chooser(controls, "Kernel", names, i => {
    box.textContent = "";
    drawKernel(box, s, openKernel(s, s.kernels[i]));
  });
}
