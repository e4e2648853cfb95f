/* Goes through a report as a reader would, and says what it found in the title. */
"use strict";

/* The first kernel of a profile: nothing is lost in the listing, per line or per reason, and links lead where they say. */
function checkInstructions(profile, check) {
  const section = document.querySelector("section.instructions"), k = profile.kernels[0];
  const number = cell => +cell.textContent.replace(/,/g, "");
  const heat = where => [...section.querySelectorAll(`${where} td.heat`)].reduce((a, cell) => a + number(cell), 0);
  const sum = column => column.is.reduce((a, v) => a + v, 0);
  const values = column => {
    let at = 0;
    const list = k.pc.map(() => 0);
    column.at.forEach((step, n) => list[at += step] = column.is[n]);
    return list;
  };
  /* Of 2,000 instructions few are built before the page is seen, or it would open slowly. */
  check(`${atFirst} elements at first`, atFirst < 12000);
  const lines = list => k.line.reduce((a, line, i) => a + (line ? list[i] : 0), 0);
  /* The sums of all files, each of which is chosen once. */
  const perLine = () => {
    const files = [...section.querySelectorAll("select")].find(x => x.parentElement.textContent.startsWith("File"));
    let all = 0;
    for (let i = 0; files && i < files.options.length; i++) {
      files.selectedIndex = i;
      files.dispatchEvent(new Event("change"));
      all += heat(".lines");
    }
    return all;
  };
  const rows = [...section.querySelectorAll(".listing tbody tr")];
  check(`instructions are not listed: ${rows.length} of ${k.pc.length}`, rows.length === k.pc.length && rows.every((r, i) =>
    parseInt(r.cells[0].textContent, 16) === k.pc[i] && r.cells[3].textContent === k.text[i]));
  const all = Object.values(k.states).map(values), total = k.pc.map((_, i) => all.reduce((a, list) => a + list[i], 0));
  check("warp cycles are lost in the listing", heat(".listing") === total.reduce((a, v) => a + v, 0));
  check("warp cycles are lost per line", perLine() === lines(total));
  const reasons = [...section.querySelectorAll(".reasons button")];
  check("a reason is missing", reasons.length === Object.keys(k.states).length);
  for (const b of reasons) {
    b.click();
    const column = k.states[b.dataset.name];
    check(`${b.dataset.name} is lost`, heat(".listing") === sum(column) && perLine() === lines(values(column)));
    const hot = [...section.querySelectorAll(".hot tbody tr")];
    check(`${b.dataset.name}: not the hottest first`, [...hot[0].cells].some(c => number(c) === Math.max(...column.is)));
    check("the reason is not marked", b.getAttribute("aria-pressed") === "true");
  }
  /* A waiting instruction leads to the one that it waits for, which says so. */
  const link = section.querySelector(".listing tbody td:nth-child(6) [data-to]"), selected = () => section.querySelector(".listing tr.on");
  check("no instruction waits for another", link || !k.waits.some(w => w[2] >= 0 && w[2] !== w[0]));
  if (link) {
    const from = link.closest("tr").dataset.i;
    link.click();
    check("the link leads elsewhere", selected() && selected().dataset.i === link.dataset.to);
    const back = [...section.querySelectorAll(".detail [data-to]")].find(b => b.dataset.to === from);
    check("the instruction waited for does not say for whom", back);
    if (back) back.click();
    check("the way back leads elsewhere", selected() && selected().dataset.i === from);
    check("its line is not marked", !k.line[from] || +section.querySelector(".lines tr.on").dataset.line === k.line[from]);
  }
  /* A line leads to its instructions. */
  const line = [...section.querySelectorAll(".lines tr[data-line]")].find(r => number(r.cells[1]) > 0);
  if (line) {
    line.click();
    const on = [...section.querySelectorAll(".listing tr.on")];
    check("the instructions of a line", on.length > 0 && on.every(r => k.line[r.dataset.i] === +line.dataset.line));
  }
}

/* Listings get their last rows some time after the page is seen. */
function whenListed(act, tries = 8) {
  const rows = document.querySelectorAll("section.instructions .listing tbody tr").length;
  setTimeout(() => {
    const more = document.querySelectorAll("section.instructions .listing tbody tr").length > rows;
    return more && tries > 0 ? whenListed(act, tries - 1) : act();
  }, 1500);
}

window.addEventListener("load", () => whenListed(() => {
  const check = (what, good) => { if (!good) problems.push(what); };
  const chartBelow = title => {
    const head = [...document.querySelectorAll("h3")].find(h => h.textContent === title);
    for (let e = head; e; e = e.nextElementSibling)
      if (e.tagName === "FIGURE") return echarts.getInstanceByDom(e.querySelector(".chart"));
    return null;
  };
  /* Where a line of a chart is at x. */
  const lineAt = (series, x) => {
    const k = series.data.findIndex((p, i) => i + 1 < series.data.length && p[0] < x && x < series.data[i + 1][0]);
    if (k < 0) return undefined;
    const [from, to] = [series.data[k], series.data[k + 1]];
    return series.step === "start" ? to[1] : series.step === "end" || from[1] === to[1] ? from[1] : undefined;
  };
  try {
    /* On paper every chart is drawn, in lines that fit a sheet and in colours of light paper. */
    window.dispatchEvent(new Event("beforeprint"));
    const boxes = [...document.querySelectorAll(".chart")];
    for (const box of boxes) {
      const svg = box.querySelector("svg");
      check("a chart that is not printed", svg && svg.querySelectorAll("path, rect, circle").length > 1);
      check("a chart wider than the paper", svg && svg.getBoundingClientRect().width <= 700);
    }
    check("dark paper", getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() === "#fff");
    /* Back on the screen, too, and not blank. */
    window.dispatchEvent(new Event("afterprint"));
    for (const box of boxes) {
      const canvas = box.querySelector("canvas");
      check("a chart without a canvas", canvas && canvas.width > 0);
      const pixels = canvas ? canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data : [];
      check("a blank chart", pixels.some(v => v !== 0));
    }
    /* Every chart can be saved as SVG with the drawing in it. */
    let saved = "", name = "";
    window.Blob = class { constructor(parts) { saved = parts.join(""); } };
    URL.createObjectURL = () => "#";
    HTMLAnchorElement.prototype.click = function () { name = this.download; };
    for (const box of boxes) {
      saved = "";
      box.parentElement.querySelector("button.save").click();
      const svg = new DOMParser().parseFromString(saved, "image/svg+xml");
      check("a chart is not saved", svg.documentElement.tagName === "svg" && svg.querySelectorAll("path").length > 1);
      check(`saved as ${name}`, /^[A-Za-z0-9_]+\.svg$/.test(name));
    }
    /* Every series tells its values on hovering. */
    for (const box of boxes) {
      const drawn = echarts.getInstanceByDom(box);
      drawn.getOption().series.forEach((series, seriesIndex) => {
        if (!series.data.length) return;
        drawn.dispatchAction({type: "showTip", seriesIndex, dataIndex: 0});
        const tip = [...box.children].find(e => e.tagName === "DIV" && !e.querySelector("canvas"));
        check(`a tip without a value: ${series.name}`, tip && /\d/.test(tip.textContent) || series.type === "line");
        check(`a wrong value in a tip: ${tip && tip.textContent}`, !tip || !/\bNaN\b|undefined|\[object/.test(tip.textContent));
      });
    }
    const run = JSON.parse(document.getElementById("data").textContent).sections.find(s => s.type === "run");
    if (run) {
      /* What a launch did is drawn over its own cycles. */
      const L = run.launches, use = chartBelow("Caches and DRAM over time").getOption().series;
      if (run.use.note === "One point per launch.")
        for (let i = 0; i < Math.min(L.id.length, 50); i++)
          check(`launch ${L.id[i]} is not drawn where it ran`, lineAt(use[0], L.start[i] + L.cycles[i] / 2) === L.issue[i]);
      check("an interval is not drawn where it was", use.every((x, n) => run.use.time.slice(0, 50).every((t, i) =>
        i === 0 || lineAt(x, (run.use.time[i - 1] + t) / 2) === run.use.series[n].values[i])));
      /* Estimates lie within their intervals, and cycles and IPC have one. */
      const intervals = chartBelow("Estimates and their intervals");
      check("no chart of intervals", !run.interval || intervals);
      if (intervals) {
        const drawn = intervals.getOption();
        check("an estimate outside its interval", drawn.series[0].data.every(p => p[0] <= 0 && 0 <= p[1]));
        check("no interval of a statistic", ["cycles", "IPC"].every(name => drawn.yAxis[0].data.includes(name)));
        check("no interval has a width", drawn.series[0].data.some(p => p[0] < p[1]));
      }
      /* Each unit has a roof of its own, and its points are below it. */
      const roofs = chartBelow("Roofline of floating-point operations");
      const series = roofs ? roofs.getOption().series : [];
      const top = name => Math.max(...series.filter(x => x.type === "line" && x.name === name).flatMap(x => x.data.map(p => p[1])));
      const units = ["FP16", "FP32", "FP64", "tensor cores"];
      check("a unit without a roof", !roofs || units.every(name => top(name) > 0));
      check("a point above its roof", series.filter(x => x.type === "scatter").every(x => x.data.every(p => p.value[1] <= top(x.name))));
      units.forEach((name, i) => check(`no point of ${name}`, !roofs ||
        run.kernelWork.some(w => w.flops[i] > 0 && w.dramBytes > 0) === series.some(x => x.type === "scatter" && x.name === name)));
    }
    const sweep = JSON.parse(document.getElementById("data").textContent).sections.find(s => s.type === "sweep");
    if (sweep && sweep.suite) {
      /* The bars of a suite are the values relative to the base, the last ones their geometric mean. */
      const figure = [...document.querySelectorAll("h2")].find(h => h.textContent === "Programs").parentElement.querySelector("figure .chart");
      const bars = echarts.getInstanceByDom(figure).getOption().series, u = sweep.suite, n = u.columns.length;
      const cycles = u.stats[0].values;
      check("not a bar per configuration", bars.length === n - 1 && bars.every(b => b.data.length === u.programs.length + 1));
      check("a wrong ratio", bars[0].data.slice(0, -1).every((v, p) => Math.abs(v - cycles[p * n + 1] / cycles[p * n]) < 1e-9));
      const logs = bars[0].data.slice(0, -1).map(Math.log);
      check("a wrong mean", Math.abs(Math.log(bars[0].data.at(-1)) - logs.reduce((a, b) => a + b, 0) / logs.length) < 1e-9);
    }
    const profile = JSON.parse(document.getElementById("data").textContent).sections.find(s => s.type === "instructions");
    if (profile) checkInstructions(profile, check);
    const tables = [...document.querySelectorAll("table:not(.code)")];
    for (const t of tables) {
      const body = t.tBodies[0], heads = [...t.tHead.rows[0].cells];
      const column = heads.findIndex(h => h.textContent === "cycles");
      const values = () => [...body.rows].map(r => r.cells[column].textContent).filter(x => x !== "")
        .map(x => +x.replace(/,/g, ""));
      const rows = body.rows.length;
      check("a table without rows", rows > 0);
      /* Each heading says what it means, and the keyboard reaches it. */
      for (const h of heads) {
        const button = h.querySelector("button");
        button.focus();
        check(`${h.textContent} is not explained`, button.title.length > "Sorts the table.".length);
        check(`${h.textContent} is not reached`, document.activeElement === button && h.scope === "col");
      }
      const legend = t.closest(".wide").previousElementSibling.querySelector("details");
      check("no legend", legend && legend.querySelectorAll("dt").length === heads.length);
      if (column >= 0) {
        heads[column].querySelector("button").click();
        let v = values();
        check("not ascending", v.every((x, i) => i === 0 || v[i - 1] <= x));
        check("no aria-sort", heads[column].getAttribute("aria-sort") === "ascending");
        heads[column].click();
        v = values();
        check("not descending", v.every((x, i) => i === 0 || v[i - 1] >= x));
        check("rows were lost", body.rows.length === rows);
      }
      const filter = t.closest("section").querySelectorAll("input[type=search]")[
        [...t.closest("section").querySelectorAll("table:not(.code)")].indexOf(t)];
      const type = text => { filter.value = text; filter.dispatchEvent(new Event("input")); };
      type("no row holds this");
      check("the filter keeps what it should not", body.rows.length === 0);
      if (column >= 0) {
        type("cycles>0");
        check("a comparison loses rows", body.rows.length === values().length && body.rows.length > 0);
        type("cycles<0");
        check("a comparison keeps rows", body.rows.length === 0);
      }
      /* Names of columns may have blanks, shares are per cent as they are shown, and what is not understood is said. */
      const said = () => filter.nextElementSibling.textContent;
      heads.forEach((h, i) => {
        type("");
        const first = [...body.rows].map(r => r.cells[i].textContent).find(x => /^[\d,.]+( %)?$/.test(x));
        if (first === undefined || h.classList.contains("text")) return;
        type(`${h.textContent}=${first.replace(" ", "")}`);
        check(`${h.textContent}=${first} finds nothing`, body.rows.length > 0);
        check("a comparison finds others", [...body.rows].every(r => r.cells[i].textContent === first));
        type(`${h.textContent.replace(/ /g, "_")} > ${first.replace(" ", "")}`);
        check(`${h.textContent} > ${first} keeps it`, [...body.rows].every(r => r.cells[i].textContent !== first));
      });
      type("L9 hits>50");
      check("an unknown column is not named", body.rows.length === 0 && /there is no column "hits"/.test(said()));
      if (column >= 0) {
        type("cycles>many");
        check("what is no number is not said", body.rows.length === 0 && /"many" is no number/.test(said()));
      }
      type("");
      check("the filter is not undone", body.rows.length === rows);
    }
    /* Every choice of every chooser can be drawn. */
    for (const select of document.querySelectorAll("select")) {
      for (let i = 0; i < select.options.length; i++) {
        select.selectedIndex = i;
        select.dispatchEvent(new Event("change"));
      }
    }
    check("something was loaded", performance.getEntriesByType("resource").length === 0);
    const text = document.body.innerText;
    check("NaN or undefined is shown", !/\bNaN\b|undefined/.test(text));
    const sections = [...document.querySelectorAll("section")].map(s => s.className).join(" ");
    document.title = `${problems.length ? "BAD" : "GOOD"} ${sections}: ${boxes.length} charts, ` +
      `${tables.length} tables ${[...new Set(problems)].join("; ")}`;
  } catch (e) {
    document.title = `BAD ${e.stack}`;
  }
}));
