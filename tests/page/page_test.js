/* Goes through a report as a reader would, and says what it found in the title. */
"use strict";
window.addEventListener("load", () => setTimeout(() => {
  const check = (what, good) => { if (!good) problems.push(what); };
  const tables = [...document.querySelectorAll("table")];
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
    for (const t of tables) {
      const body = t.tBodies[0], heads = [...t.tHead.rows[0].cells];
      const column = heads.findIndex(h => h.textContent === "cycles");
      const values = () => [...body.rows].map(r => r.cells[column].textContent).filter(x => x !== "")
        .map(x => +x.replace(/,/g, ""));
      const rows = body.rows.length;
      check("a table without rows", rows > 0);
      if (column >= 0) {
        heads[column].click();
        let v = values();
        check("not ascending", v.every((x, i) => i === 0 || v[i - 1] <= x));
        check("no aria-sort", heads[column].getAttribute("aria-sort") === "ascending");
        heads[column].click();
        v = values();
        check("not descending", v.every((x, i) => i === 0 || v[i - 1] >= x));
        check("rows were lost", body.rows.length === rows);
      }
      const filter = t.closest("section").querySelectorAll("input[type=search]")[
        [...t.closest("section").querySelectorAll("table")].indexOf(t)];
      const type = text => { filter.value = text; filter.dispatchEvent(new Event("input")); };
      type("no row holds this");
      check("the filter keeps what it should not", body.rows.length === 0);
      if (column >= 0) {
        type("cycles>0");
        check("a comparison loses rows", body.rows.length === values().length && body.rows.length > 0);
        type("cycles<0");
        check("a comparison keeps rows", body.rows.length === 0);
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
}, 200));
