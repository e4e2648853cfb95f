/* All sections of the page: each has a type, which says who draws it. */

const drawers = {run: drawRun, streams: drawStreams, instructions: drawInstructions, detectors: drawDetectors, sweep: drawSweep, evaluation: drawEvaluation, hardware: drawHardware,
                 validation: drawValidation};
const main = document.getElementById("main");
data.sections.forEach(s => drawers[s.type](add(main, "section", {class: s.type}), s));
charts.forEach(c => seen.observe(c.box));
