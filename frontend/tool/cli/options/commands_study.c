/* Commands about studies and results: their options and help. */
#include "frontend/tool/cli/options/command_options.h"

static const cli_option_t sweep_options[] = {
    {CLI_GPU, 'g', "gpu", "NAME", "v100 for Volta traces, rtx2060 for Turing traces", "Study",
     "GPU to model; may be repeated", "@gpu", false},
    {CLI_VARY, 0, "vary", "KEY=VALUE,...", NULL, "Study",
     "an axis, such as l2.size=3MiB,6MiB or delta=none,stem_cache_x2; may be repeated: every value "
     "with every other",
     "@setting", false},
    {CLI_SET, 's', "set", "KEY=VALUE", NULL, "Study",
     "a setting of all jobs, such as warmup.mode=flush; may be repeated", "@setting", false},
    OPT_MATCH("Study"),
    OPT_SAMPLE(NULL, "samplers, as run takes them, and joined as there; also an axis: --vary "
                     "sample=none,stem"),
    {CLI_PLAN, 0, "plan", "FILE", NULL, "Sampling",
     "simulate the launches of this plan only; also an axis: --vary plan=none,a.json,b.json",
     "@file", false},
    {CLI_PROFILE, 0, "profile", "FILE|DIR", "the trace itself", "Sampling",
     "a profile of the program, or the folder of a run of it, from which samplers choose", "@file",
     false},
    {CLI_CHANGE_BOUND, 0, "change-bound", "SHARE", "1%", "Sampling",
     "the first point of a trace chooses launches, and the others simulate as few of them as show "
     "their change to this half-width of its 95 % interval; 0: all of them",
     NULL, false},
    OPT_SEED,
    {CLI_LAUNCHES, 'l', "launches", "LIST", "all", "Study",
     "simulate only these launches, such as 3-7,12,20-", NULL, false},
    OPT_STAT("cycles", "table: the statistic, such as ipc or sm.warp_insts (rubato stats explain "
                       "lists them)"),
    OPT_BASE,
    OPT_WHERE("table: only the jobs with this setting, or on this GPU; may be repeated"),
    {CLI_AS, 0, "as", "FORM", "ratio", "Results",
     "table: the value itself, its ratio to the base's, or its speed-up: the base's over it",
     "value ratio speedup", false},
    {CLI_FORMAT, 0, "format", "table|csv", "table", "Results", "of table", "table csv", false},
    OPT_OUTPUT(
        "DIR", NULL,
        "keep the jobs and their results in this folder; existing results are not computed again",
        "@dir"),
    {CLI_JOBS, 'j', "jobs", "N", "the cores that this process may use", "Execution",
     "runs at a time", NULL, false},
    {CLI_SPLIT_LAUNCHES, 0, "split-launches", "N", NULL, "Execution",
     "divide the launches of each job among N jobs, and merge their results "
     "(warmup.mode flush or functional)",
     NULL, false},
    {CLI_INDEPENDENT, 0, "independent", NULL, NULL, "Execution",
     "let samplers choose launches at every point, instead of only at the first one of a trace; "
     "always so with --prepare and --slurm",
     NULL, false},
    {CLI_PREPARE, 0, "prepare", NULL, NULL, "Execution",
     "check everything and write jobs.tsv, but run nothing", NULL, false},
    {CLI_SLURM, 0, "slurm", NULL, NULL, "Execution",
     "submit the jobs as an array of Slurm instead of running them here", NULL, false},
    {CLI_PARTITION, 0, "partition", "NAME", "Slurm's default", "Execution", "of --slurm", NULL,
     false},
    {CLI_MAX_PARALLEL, 0, "max-parallel", "N", "no limit", "Execution",
     "of --slurm: tasks at a time", NULL, false},
    {CLI_PROGRESS, 0, "progress", "WHEN", "auto", "Execution",
     "live table on standard error; auto: on a terminal, otherwise a line per job; never: "
     "problems only",
     "auto always never", false},
    OPT_TMPDIR("for temporary files: the runs, without -o, and grouping of raw .trace files"),
    OPT_HELP,
};

const cli_command_t cli_command_sweep = {
    "sweep",
    "STUDY.cfg|TRACE...|FOLDER...",
    "run traces on many configurations",
    "Runs every trace of a study on every GPU at every point, and prints cycles against the first "
    "point of each trace. A study file names traces, GPUs, axes of values and listed points; "
    "without a file, each TRACE is run at the points of --vary, and all traces of a suite: those "
    "below FOLDER, or in an archive (.tgz, .tar and others). A study that cannot be run is "
    "refused as a whole before anything runs.\n\n"
    "Jobs are known by what their results depend on (the trace, the resolved configuration, the "
    "program): what is done is not repeated, what has changed is done anew. A job that fails is "
    "reported and the others go on. After Ctrl-C or kill -9 the same command continues.\n\n"
    "status DIR: how far the jobs of a sweep's folder are, wherever they run.\n\n"
    "collect DIR: writes results.csv, jobs.csv and changes.csv of what is done, and prints the "
    "table.\n\n"
    "table DIR...: prints one statistic with a row per program and a column per configuration, "
    "relative to a base, with geometric means. Several folders, such as those of two builds of "
    "rubato, are columns side by side.\n\n"
    "job DIR N: runs job N of jobs.tsv, for schedulers; exit status 75: stopped, can be "
    "continued.",
    "status collect table job",
    "@sweep",
    OPTIONS(sweep_options)};

static const cli_option_t stats_options[] = {
    {CLI_TOP, 0, "top", "N", "20", "Results", "diff: rows of each part; 0: all", NULL, false},
    {CLI_FORMAT, 0, "format", "table|csv", "table", "Results", "of diff; csv has every row",
     "table csv", false},
    OPT_HELP,
};

const cli_command_t cli_command_stats = {
    "stats",
    "diff|join|explain ...",
    "compare and explain the statistics of runs",
    "diff A B: what differs between two runs, their folders or stats.csv: totals and ratios by "
    "the size of the change, counters by their share of all that moved. Changes of sampled runs "
    "have "
    "intervals, from the launches that both simulated, if there are such.\n\n"
    "join RUN...: the statistics of many runs side by side, as CSV.\n\n"
    "explain [NAME]...: what a statistic or a column of the results counts, its unit, the metric "
    "of Nsight Compute that it mirrors. NAME is a path (sm.warp_insts), its last part, the "
    "beginning of one (sm.icache), or a metric of Nsight Compute. Without NAME: all of them.",
    "diff join explain",
    "@stats",
    OPTIONS(stats_options)};

static const cli_option_t compare_options[] = {
    {CLI_HARDWARE, 0, "hardware", "FILE", NULL, "Results",
     "what was measured: CSV of Nsight Compute (--page raw --csv), or a table with a row per "
     "kernel "
     "or program",
     "@file", false},
    OPT_STAT("the first that can be compared",
             "of studies: the measured column to compare by program"),
    OPT_MATCH("Results"),
    OPT_WHERE("of studies: only the jobs with this setting, or on this GPU; may be repeated"),
    OPT_OUTPUT("FILE", "only print the table", "write every pair of values as CSV", "@file"),
    OPT_HELP,
};

const cli_command_t cli_command_compare = {
    "compare",
    "[PROGRAM=]RUN...|STUDY...",
    "compare runs with measurements on a GPU",
    "Compares the statistics of RUN (the folder of a run, or its run.json) with counters measured "
    "on a GPU, and prints for each counter the mean absolute error, the bias and the correlation. "
    "Statistics are known by the names of Nsight Compute.\n\n"
    "Rows of Nsight Compute are matched with launches: the first launch of a kernel with its "
    "first "
    "row, and so on. Rows of tables are matched with the mean over a kernel's launches, or with "
    "the totals of a program. PROGRAM names the rows of a table of several programs.\n\n"
    "Of STUDY, the -o of a sweep, each program of the suite is compared in each configuration: the "
    "error of each program, their mean and median, the bias, and the correlation of the values and "
    "of their logarithms.",
    NULL,
    "@file",
    OPTIONS(compare_options)};

static const cli_option_t predict_options[] = {
    OPT_GPU_OF_TRACE,
    {CLI_VARY, 0, "vary", "KEY=VALUE,...", NULL, "Model",
     "an axis, such as l2.size=3MiB,6MiB; may be repeated: every value with every other",
     "@setting", false},
    OPT_SET,
    {CLI_LEVEL, 0, "level", "0|1", "1", "Model",
     "0: from the index of a native trace only, with assumed hit rates; 1: from one walk over the "
     "addresses, for all points at once",
     "0 1", false},
    {CLI_FORMAT, 0, "format", "table|csv|json", "table", "Results", "of the output",
     "table csv json", false},
    OPT_TMPDIR("for temporary files (grouping of raw .trace files)"),
    OPT_HELP,
};

const cli_command_t cli_command_predict = {
    "predict",
    "TRACE",
    "predict the cycles of a trace without simulating it",
    "Predicts the cycles of each launch and of the whole trace at every point, and says what "
    "bounds "
    "them: a model of equations, not of the chip. What it prints is marked as predicted; a launch "
    "with a question mark has what the model does not hold for (a warning says what). rubato "
    "evaluate "
    "--predict compares predictions with simulations.",
    NULL,
    "@file",
    OPTIONS(predict_options)};

static const cli_option_t report_options[] = {
    {CLI_HARDWARE, 0, "hardware", "FILE", NULL, "Results",
     "of runs and studies: add a section with measurements on a GPU, in a format of compare",
     "@file", false},
    OPT_OUTPUT("FILE", "report.html in DIR", "write the page to this file", "@file"),
    OPT_HELP,
};

const cli_command_t cli_command_report = {
    "report",
    "DIR|RUN...",
    "a page about runs, a sweep or an evaluation",
    "Writes one HTML page about runs (their folders, or run.json), about the folder of a sweep, "
    "or "
    "about that of an evaluation, complete or not: charts with values on hovering, and tables "
    "that "
    "can be sorted and filtered. The page needs no network.",
    NULL,
    "@file",
    OPTIONS(report_options)};

static const cli_option_t plot_options[] = {
    {CLI_WHAT, 0, "what", "FIGURE", NULL, "Figure",
     "speedup: bars of each program relative to the base, and their geometric mean; curve: lines "
     "against one axis; heatmap: cells of two axes, or of programs and configurations; stack: "
     "where "
     "the warps' cycles went; roofline: operations against bytes of DRAM; correlation: simulated "
     "against measured values (--hardware)",
     "speedup curve heatmap stack roofline correlation", false},
    OPT_STAT("cycles", "the statistic, such as ipc or sm.warp_insts (rubato stats explain lists "
                       "them); of correlation: the measured column"),
    OPT_BASE,
    {CLI_AS, 0, "as", "FORM", "speedup of times, ratio of others", "Results",
     "the value itself, its ratio to the base's, or its speed-up: the base's over it",
     "value ratio speedup", false},
    {CLI_AXIS, 0, "axis", "KEY", "the first that vary", "Figure",
     "of curve: the axis; of heatmap: given twice, both axes", "@key", false},
    OPT_MATCH("Results"),
    OPT_WHERE("only the jobs with this setting, or on this GPU; may be repeated"),
    {CLI_HARDWARE, 0, "hardware", "FILE", NULL, "Results",
     "of correlation: what was measured, in a format of compare", "@file", false},
    {CLI_THEME, 0, "theme", "light|dark", "light", "Figure", "colours", "light dark", false},
    {CLI_COLUMNS, 0, "columns", "1|2", "1", "Figure",
     "width: one column of a page of IEEE or ACM (3.5 inches), or two (7.16 inches)", "1 2", false},
    {CLI_OUTPUT, 'o', "output", "FIG.svg|pdf|png|tex", "FIGURE.svg in STUDY", "Figure",
     "the figure; FIG.csv and FIG.gp are written beside it", "@file", false},
    OPT_HELP,
};

const cli_command_t cli_command_plot = {
    "plot",
    "STUDY...",
    "draw a figure of a study for a paper",
    "Draws a figure of the folders of one or several sweeps with gnuplot. The data (FIG.csv) and "
    "the "
    "script (FIG.gp) are written beside it: 'gnuplot FIG.gp' in that folder draws the figure "
    "again, "
    "and both may be changed. If gnuplot is not installed, they are written all the same.\n\n"
    "STUDY is the -o of rubato sweep. Of several folders, such as those of two builds of rubato, "
    "the configurations stand side by side.",
    NULL,
    "@dir",
    OPTIONS(plot_options)};

static const cli_option_t advise_options[] = {
    OPT_SAMPLE(NULL, "simulate every variant with these samplers, as run takes them"),
    {CLI_TRACE, 0, "trace", "FILE", "that of the run", "Sampling",
     "the trace, if it is no longer where the run found it", "@file", false},
    OPT_OUTPUT("DIR", "advice in the folder of the run",
               "the folder of the study; existing results are not computed again", "@dir"),
    {CLI_JOBS, 'j', "jobs", "N", "the cores that this process may use", "Execution",
     "runs at a time", NULL, false},
    {CLI_PROGRESS, 0, "progress", "WHEN", "auto", "Execution",
     "live table on standard error; auto: on a terminal, otherwise a line per run; never: "
     "problems only",
     "auto always never", false},
    OPT_TMPDIR("for temporary files (grouping of raw .trace files)"),
    OPT_HELP,
};

const cli_command_t cli_command_advise = {
    "advise",
    "RUN",
    "say what bounds the kernels of a run, and what changes would bring",
    "Simulates the trace of RUN (the -o of rubato run) again on the same GPU with parts that are "
    "perfect (DRAM, L2, L1, crossbar, instruction caches, an SM without stalls) or larger (twice "
    "the "
    "caches, the L1, the SMs), and says for each kernel which part bounds it, what its warps wait "
    "for, and how each change would change its cycles.\n\n"
    "The runs are a study, in the folder of -o, that sweep table, report and plot take.",
    NULL,
    "@dir",
    OPTIONS(advise_options)};
