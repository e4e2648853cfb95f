/* Commands that simulate, and those that choose what to simulate: their options and help. */
#include "frontend/tool/cli/options/command_options.h"

static const cli_option_t run_options[] = {
    OPT_GPU_OF_TRACE,
    OPT_SET,
    {CLI_FLUSH, 0, "flush-between-launches", NULL, NULL, "Model",
     "empty the L2 before each launch: same as -s warmup.mode=flush", NULL, false},
    {CLI_LAUNCHES, 'l', "launches", "LIST", "all", "Model",
     "simulate only these launches, such as 3-7,12,20-", NULL, false},
    {CLI_CYCLES, 0, "cycles", "N", "no limit", "Model",
     "end the run after this many cycles of launches, launch latency included; the results are "
     "those "
     "of "
     "this part",
     NULL, false},
    {CLI_PLAN, 0, "plan", "FILE", NULL, "Sampling",
     "simulate only the launches of this plan, and estimate the whole from them", "@file", false},
    OPT_SAMPLE(
        NULL,
        "choose launches by this sampler, and estimate the whole from them; others, such as "
        "photon_warp or tbpoint_region, stop inside launches, alone or in a list after one "
        "that chooses (rubato plan --sample help lists all); plugin:FILE.so,OPTION=VALUE,... is "
        "one of your own; may be repeated: the lists are joined (evaluate scores each alone)"),
    {CLI_PROFILE, 0, "profile", "FILE|DIR", "the trace itself", "Sampling",
     "a profile of the program, or the folder of a run of it, from which --sample chooses", "@file",
     false},
    {CLI_CHANGE_FROM, 0, "change-from", "DIR", NULL, "Sampling",
     "simulate launches that the sampled run in this folder chose, as few as show the change of "
     "the cycles from it; with --sample smarts, the same parts of launches as a run with smarts",
     "@dir", false},
    {CLI_CHANGE_BOUND, 0, "change-bound", "SHARE", "1%", "Sampling",
     "half the width that the 95 % interval of this change may have; 0: all of these launches",
     NULL, false},
    {CLI_KEEP_WALKS, 0, "keep-walks", NULL, NULL, "Sampling",
     "keep in the folder of -o what launches that are left out leave in the caches, so that runs "
     "with "
     "--change-from need not walk them again (a few megabytes)",
     NULL, false},
    OPT_SEED,
    {CLI_WARMUP, 0, "warmup", "auto|keep|flush|functional", "auto", "Sampling",
     "what a launch finds in the caches: what the last simulated launch left (keep), that with an "
     "empty L2 (flush), or what the launches before it would leave, simulated or not (functional); "
     "auto: functional for sampled launches of a trace with an index, otherwise keep; same as -s "
     "warmup.mode=...",
     "auto keep flush functional", false},
    OPT_OUTPUT("DIR", "only print the table",
               "write run.json, launches.csv, stats.csv and config.cfg to this folder", "@dir"),
    OPT_JSON("print run.json to standard output instead of the table"),
    {CLI_ISOLATED, 0, "isolated", NULL, NULL, "Sampling",
     "simulate each launch on a new chip, as many at a time as there are --threads: no result "
     "depends "
     "on other launches (--warmup flush or functional)",
     NULL, false},
    {CLI_PART, 0, "part", "K/N", NULL, "Sampling",
     "with --isolated: simulate only every N-th of the launches, from the K-th on", NULL, false},
    {CLI_MERGE, 0, "merge", "DIR", NULL, "Sampling",
     "with --isolated: take the results of part K/N from this folder instead of simulating; given "
     "N times, in order",
     "@dir", false},
    {CLI_STATS_INTERVAL, 0, "stats-interval", "CYCLES", "off", "Results",
     "write intervals.csv: the counters in intervals of this many core cycles (needs -o)", NULL,
     false},
    {CLI_TIMELINE, 0, "timeline", "FILE", NULL, "Results",
     "write a timeline for ui.perfetto.dev: launches, blocks, warp states, queues, L2 and DRAM",
     "@file", false},
    {CLI_TIMELINE_RANGE, 0, "timeline-range", "LIST", "everything, step=1000", "Results",
     "part to write: launch=3-5, cycles=0-20k of each launch, a point every step=500 cycles", NULL,
     false},
    {CLI_STREAMS, 0, "streams", "LIST", "all SMs", "Model",
     "SMs of streams whose launches overlap (gpu.concurrent_launches): 0:sm=0-39,2:sm=40-79", NULL,
     false},
    {CLI_DETECTORS, 0, "detectors", NULL, NULL, "Results",
     "write detectors.json, for plots of detectors inside launches: when warps and blocks started "
     "and retired, sizes and regions of blocks, where a sampler decided (needs -o)",
     NULL, false},
    {CLI_PER_INSTRUCTION, 0, "per-instruction", NULL, NULL, "Results",
     "write instructions.csv and instruction_waits.csv: for each instruction of each kernel how "
     "often "
     "it was issued, what warps waited for at it and for whom, and its memory accesses, exactly "
     "(needs "
     "-o)",
     NULL, false},
    {CLI_CLOCK_READS, 0, "clock-reads", NULL, NULL, "Results",
     "write clock_reads.csv: when each warp of each launch read the clock, in cycles from the "
     "launch's start (needs -o)",
     NULL, false},
    {CLI_STATS_FORMAT, 0, "stats-format", "FORMAT", "rubato", "Results",
     "format of the output: rubato's table, or lines with Accel-Sim's names", "rubato accelsim",
     false},
    {CLI_FORCE, 'f', "force", NULL, NULL, "Results", "overwrite the results in the folder of -o",
     NULL, false},
    {CLI_RESUME, 'r', "resume", NULL, NULL, "Results",
     "continue the interrupted run in the folder of -o, or start one", NULL, false},
    {CLI_CHECKPOINT_INTERVAL, 0, "checkpoint-interval", "SECONDS", "30", "Results",
     "longest time between checkpoints; they are more frequent if they cost less than 1 %", NULL,
     false},
    {CLI_THREADS, 't', "threads", "N", "the cores that this process may use", "Execution",
     "host threads; results do not depend on it", NULL, false},
    {CLI_PROGRESS, 0, "progress", "WHEN", "auto", "Execution",
     "progress line on standard error; auto: on a terminal only", "auto always never", false},
    OPT_TMPDIR("for temporary files (grouping of raw .trace files, long thread blocks)"),
    {CLI_DEBUG_WINDOW, 0, "debug-window", "CYCLES", "W", "Execution",
     "cycles that a shard simulates on its own; results do not depend on it", NULL, true},
    OPT_ARCH_OF_PROGRAM,
    {CLI_MAX_INSTS, 0, "max-insts", "N", "no limit", "Program",
     "of a program: give up a launch after this many warp instructions; of a trace: end the run "
     "after this many, at a multiple of 256 cycles of a launch, with the results of this part",
     NULL, false},
    OPT_TIMEOUT,
    OPT_SKIP_UNSUPPORTED,
    OPT_LIBS,
    OPT_HELP,
};

const cli_command_t cli_command_run = {
    "run",
    "TRACE | -- PROGRAM [ARGUMENT]...",
    "simulate a trace or a program on a GPU model",
    "Simulates the launches of TRACE, one after the other, and prints how long they take on the "
    "modelled GPU and why. TRACE is a native trace (.rbt), an Accel-Sim trace (a folder with "
    "kernelslist.g or kernelslist, or one kernel's file: .traceg or .trace, plain, .xz, .gz or "
    ".zst), or a folder of MacSim's tracer.\n\n"
    "Instead of a trace, a CUDA program is executed as rubato record does it: it is shown the GPU "
    "that is modelled, and its launches are simulated as they come, with the results that "
    "recording and then running the trace give; no trace is kept. Samplers, plans and --warmup "
    "functional look at launches more than once: a "
    "temporary trace serves them. The exit status is then that of the program, or 125 if rubato "
    "failed.\n\n"
    "With -o, results are appended launch by launch to a journal in the folder, with checkpoints "
    "between launches: after kill -9, a crash of the host or a full disk, the same command with "
    "--resume continues and gives the results of an uninterrupted run; a trace, configuration or "
    "build of rubato that is another by now is refused. SIGINT, SIGTERM and "
    "SIGUSR2 stop the run; what is complete is written, marked \"complete\": false.",
    NULL,
    "@file",
    OPTIONS(run_options)};

static const cli_option_t plan_options[] = {
    {CLI_REGIONS, 0, "regions", NULL, NULL, "Regions",
     "instead of a plan, print the regions of blocks that tbpoint_region finds in each launch of a "
     "native trace",
     NULL, false},
    {CLI_GPU, 'g', "gpu", "NAME", "v100 for Volta traces, rtx2060 for Turing traces", "Regions",
     "with --regions: the GPU, whose size decides how blocks are divided", "@gpu", false},
    {CLI_SET, 's', "set", "KEY=VALUE", NULL, "Regions",
     "with --regions: a setting, such as sm.count=40 or tbpoint_region.threshold=0.1", "@setting",
     false},
    {CLI_LAUNCHES, 'l', "launches", "LIST", "all", "Regions",
     "with --regions: of these launches only, such as 3-7,12,20-", NULL, false},
    OPT_SAMPLE("stem",
               "the method and its options, such as stem:epsilon=0.05; help lists all samplers, "
               "stem:help the options of one"),
    OPT_SEED,
    OPT_TRACE,
    OPT_OUTPUT("FILE", "only print the summary", "write the plan to this file", "@file"),
    {CLI_FORMAT, 0, "format", "FORMAT", "json", "Results",
     "of the plan's file: rubato's JSON, MacSim's sampled_kernels_info.txt, or the STEM artifact's "
     "list of launches and weights as text",
     "json macsim list", false},
    OPT_JSON("print the plan to standard output instead of the summary"),
    OPT_TMPDIR("for temporary files (grouping of raw .trace files, long thread blocks)"),
    OPT_HELP,
};

const cli_command_t cli_command_plan = {
    "plan",
    "PROFILE|TRACE",
    "choose which launches to simulate",
    "Chooses launches of a program so that simulating them tells how long the whole program "
    "takes, "
    "and prints the clusters, how many launches are chosen, and the speed-up and error to expect. "
    "With -o it writes the plan, for run --plan.\n\n"
    "PROFILE is a profile of the program, plain or compressed with gzip: CSV or sqlite of Nsight "
    "Systems, CSV of Nsight Compute (--page raw), JSON of PyTorch's profiler, a table with "
    "columns "
    "of names and durations, or the folder of a complete run. TRACE tells names, grids and blocks "
    "only.",
    NULL,
    "@file",
    OPTIONS(plan_options)};

static const cli_option_t evaluate_options[] = {
    OPT_SAMPLE(
        "all",
        "samplers to score; may be repeated: of a trace, each --sample is one set that works "
        "together, and sets are not joined (run joins them); of a profile, each sampler of "
        "the list is scored alone"),
    {CLI_SEEDS, 0, "seeds", "N", "of a trace 1, of a profile 10", "Sampling",
     "seeds of each sampler: sampled runs of each set of a trace against one full run, or plans of "
     "a profile",
     NULL, false},
    {CLI_CHANGE_BOUND, 0, "change-bound", "SHARE", "variants choose launches themselves",
     "Sampling",
     "of a trace with --variants: those after the first one simulate as few of its launches as "
     "show "
     "the change to this half-width, as the points of a sweep do",
     NULL, false},
    {CLI_REPLAYS, 0, "replays", "N", "10, or --seeds if that is more", "Sampling",
     "of a trace: plans per sampler of launches that are scored on the cycles of the full run, "
     "which takes no simulation",
     NULL, false},
    OPT_SEED,
    {CLI_PLAN_FROM, 0, "plan-from", "PROFILE|RUN", "the full run", "Sampling",
     "of a trace: what samplers of launches choose from", "@file", false},
    {CLI_VARIANTS, 0, "variants", "LIST", NULL, "Sampling",
     "of a trace: the same plans on changed GPUs: cache.x2, cache.half, sm.x2, sm.half, or deltas "
     "of rubato sweep",
     "cache.x2 cache.half sm.x2 sm.half", false},
    {CLI_WARMUP, 0, "warmup", "LIST", NULL, "Sampling",
     "of a trace: modes of warm-up to try, such as keep,flush,functional; the first is that of the "
     "full run",
     "keep flush functional", false},
    OPT_TRACE,
    {CLI_EPSILON, 0, "epsilon", "LIST", "that of each sampler", "Sampling",
     "of a profile: error bounds to go through, such as 1,3,5,10,25%", NULL, false},
    {CLI_PLAN, 0, "plan", "FILE", NULL, "Sampling",
     "score this plan, with or instead of samplers; may be repeated", "@file", false},
    {CLI_AGAINST, 0, "against", "PROFILE|RUN", "the same", "Sampling",
     "score on these times: of the same launches on another GPU", "@file", false},
    OPT_GPU_OF_TRACE,
    OPT_SET,
    {CLI_DETECTORS, 0, "detectors", NULL, NULL, "Results",
     "of a trace: keep the observations of samplers inside launches for the report", NULL, false},
    {CLI_METRICS, 0, "metrics", NULL, NULL, "Results",
     "of a trace: print also the 13 metrics of STEM+ROOT's validation, in full and from each "
     "sampled run",
     NULL, false},
    {CLI_PREDICT, 0, "predict", NULL, NULL, "Results",
     "of the folder of a run or sweep: score predictions (rubato predict) instead of samplers",
     NULL, false},
    {CLI_CSV, 0, "csv", "FILE", "of a trace: evaluation.csv in the folder of -o, if any", "Results",
     "write the table as CSV", "@file", false},
    OPT_OUTPUT("DIR", NULL,
               "of a trace: keep the runs and their scores in this folder; existing results are "
               "not computed again",
               "@dir"),
    {CLI_JOBS, 'j', "jobs", "N", "1", "Execution",
     "of a trace: concurrent runs; more than one distorts the wall-clock times", NULL, false},
    {CLI_PROGRESS, 0, "progress", "WHEN", "auto", "Execution",
     "live table of the runs on standard error; never: problems only", "auto always never", false},
    OPT_TMPDIR("for temporary files: the runs, without -o, and grouping of raw .trace files"),
    OPT_HELP,
};

const cli_command_t cli_command_evaluate = {
    "evaluate",
    "TRACE|PROFILE|RUN",
    "score samplers against the full result",
    "TRACE is simulated as a whole once, and with each set of samplers and each of --seeds seeds. "
    "Printed are the errors of cycles, hit rates, DRAM traffic and stalls, how often the interval "
    "of a run contains the full result, the share of the instructions that was simulated, and the "
    "gain in processor time. Samplers of launches choose from the full run. What was simulated is "
    "kept in the folder of -o.\n\n"
    "Of PROFILE, or RUN, the folder of a complete run, all times are known: plans are made with "
    "many seeds, and printed is how far the totals that they give are from the true one, how "
    "often "
    "their intervals contain it, and how much of the program they simulate.",
    NULL,
    "@file",
    OPTIONS(evaluate_options)};
