#include "frontend/tool/cli/commands.h"

const char *const cli_stats_format_words[] = {"rubato", "accelsim", NULL};

/* Options with the same meaning in every command that has them. */
#define OPT_HELP                                                                                   \
    {                                                                                              \
        CLI_HELP, 'h', "help", NULL, NULL, "General", "print this help and exit", NULL, false      \
    }
#define OPT_GPU(def)                                                                               \
    {                                                                                              \
        CLI_GPU, 'g', "gpu", "NAME", def, "Model",                                                 \
            "GPU to model: a name such as v100, or a configuration file", "@gpu", false            \
    }
#define OPT_GPU_OF_TRACE OPT_GPU("v100 for Volta traces, rtx2060 for Turing traces")
#define OPT_SET                                                                                    \
    {                                                                                              \
        CLI_SET, 's', "set", "KEY=VALUE", NULL, "Model",                                           \
            "override one setting, such as l2.size=3MiB; may be repeated", "@setting", false       \
    }
#define OPT_OUTPUT(arg, def, help, values)                                                         \
    {                                                                                              \
        CLI_OUTPUT, 'o', "output", arg, def, "Results", help, values, false                        \
    }
#define OPT_TMPDIR(help)                                                                           \
    {                                                                                              \
        CLI_TMPDIR, 0, "tmpdir", "DIR", "$TMPDIR, or /tmp", "Execution", help, "@dir", false       \
    }
#define OPT_ARCH_OF_PROGRAM                                                                        \
    {                                                                                              \
        CLI_ARCH, 0, "arch", "ARCH", "that of --gpu, or the newest that the program has",          \
            "Program", "which machine code to execute", "sm_70 sm_75", false                       \
    }
#define OPT_MAX_INSTS                                                                              \
    {                                                                                              \
        CLI_MAX_INSTS, 0, "max-insts", "N", "no limit", "Program",                                 \
            "give up a launch after this many warp instructions", NULL, false                      \
    }
#define OPT_TIMEOUT                                                                                \
    {                                                                                              \
        CLI_TIMEOUT, 0, "timeout", "SECONDS", "no limit", "Program",                               \
            "give up a launch after this much time", NULL, false                                   \
    }
#define OPT_LIBS                                                                                   \
    {                                                                                              \
        CLI_LIBS, 0, "libs", "DIR", "what rubato libs builds by default", "Program",               \
            "folder of libraries such as cuBLAS, which rubato libs has built", "@dir", false       \
    }
#define OPT_JSON(help)                                                                             \
    {                                                                                              \
        CLI_JSON, 0, "json", NULL, NULL, "Results", help, NULL, false                              \
    }

#define OPT_SAMPLE(def, help)                                                                      \
    {                                                                                              \
        CLI_SAMPLE, 0, "sample", "SAMPLER[:OPTION=VALUE,...]", def, "Sampling", help, "@sampler",  \
            false                                                                                  \
    }
#define OPT_SEED                                                                                   \
    {                                                                                              \
        CLI_SEED, 0, "seed", "N", "1", "Sampling", "seed of the samplers' random numbers", NULL,   \
            false                                                                                  \
    }

#define OPT_TRACE                                                                                  \
    {                                                                                              \
        CLI_TRACE, 0, "trace", "FILE.rbt", NULL, "Sampling",                                       \
            "also use the index of this native trace of the program", "@file", false               \
    }

static const cli_option_t run_options[] = {
    OPT_GPU_OF_TRACE,
    OPT_SET,
    {CLI_FLUSH, 0, "flush-between-launches", NULL, NULL, "Model",
     "empty the L2 before each launch: same as -s warmup.mode=flush", NULL, false},
    {CLI_LAUNCHES, 'l', "launches", "LIST", "all", "Model",
     "simulate only these launches, such as 3-7,12,20-", NULL, false},
    {CLI_PLAN, 0, "plan", "FILE", NULL, "Sampling",
     "simulate only the launches of this plan, and estimate the whole from them", "@file", false},
    OPT_SAMPLE(
        NULL,
        "choose launches by this sampler, and estimate the whole from them; others, such as "
        "photon_warp or tbpoint_region, stop inside launches, alone or in a list after one "
        "that chooses (rubato plan --sample help lists all); plugin:FILE.so,OPTION=VALUE,... is "
        "one of your own; may be repeated: the lists are joined (evaluate scores each alone)"),
    {CLI_PROFILE, 0, "profile", "FILE", "the trace itself", "Sampling",
     "a profile of the program, from which --sample chooses", "@file", false},
    OPT_SEED,
    {CLI_WARMUP, 0, "warmup", "auto|keep|flush|functional", "auto", "Sampling",
     "what a launch finds in the caches: what the last simulated launch left (keep), that with an "
     "empty L2 (flush), or what the launches before it would leave, simulated or not (functional); "
     "auto: functional for sampled launches of a trace with an index, otherwise keep; same as -s "
     "warmup.mode=...",
     "keep flush functional", false},
    OPT_OUTPUT("DIR", "only print the table",
               "write run.json, launches.csv, stats.csv and config.cfg to this folder", "@dir"),
    OPT_JSON("print run.json to standard output instead of the table"),
    {CLI_ISOLATED, 0, "isolated", NULL, NULL, "Sampling",
     "simulate each launch on a new chip: no result depends on other launches "
     "(--warmup flush or functional)",
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
    {CLI_DETECTORS, 0, "detectors", NULL, NULL, "Results",
     "write detectors.json, for plots of detectors inside launches: when warps and blocks started "
     "and retired, sizes and regions of blocks, where a sampler decided (needs -o)",
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
    OPT_TMPDIR("for temporary files (grouping of raw .trace files)"),
    {CLI_DEBUG_WINDOW, 0, "debug-window", "CYCLES", "W", "Execution",
     "cycles that a shard simulates on its own; results do not depend on it", NULL, true},
    OPT_ARCH_OF_PROGRAM,
    OPT_MAX_INSTS,
    OPT_TIMEOUT,
    OPT_LIBS,
    OPT_HELP,
};

static const cli_option_t info_options[] = {
    {CLI_COUNT, 'c', "count", NULL, NULL, "Results",
     "read every block and count its instructions (takes as long as reading the trace)", NULL,
     false},
    OPT_JSON("print JSON instead of the table"),
    {CLI_LAUNCHES, 0, "launches", NULL, NULL, "Index of a native trace",
     "launches with their instructions, requests and sectors", NULL, false},
    {CLI_BLOCKS, 0, "blocks", NULL, NULL, "Index of a native trace",
     "the same for each thread block, with the types of its warps", NULL, false},
    {CLI_CODE, 0, "code", NULL, NULL, "Index of a native trace",
     "the static code of each kernel, by basic blocks", NULL, false},
    {CLI_BBV, 0, "bbv", NULL, NULL, "Index of a native trace",
     "how often each launch executes each basic block", NULL, false},
    OPT_GPU_OF_TRACE,
    OPT_SET,
    OPT_TMPDIR("for temporary files (grouping of raw .trace files)"),
    OPT_HELP,
};

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
     "list of launches and weights, as text or as its pickle file",
     "json macsim list pickle", false},
    OPT_JSON("print the plan to standard output instead of the summary"),
    OPT_TMPDIR("for temporary files (grouping of raw .trace files)"),
    OPT_HELP,
};

static const cli_option_t evaluate_options[] = {
    OPT_SAMPLE(
        "all",
        "samplers to score; may be repeated: of a trace, each --sample is one set that works "
        "together, and sets are not joined (run joins them); of a profile, each sampler of "
        "the list is scored alone"),
    {CLI_SEEDS, 0, "seeds", "N", "of a trace 1, of a profile 10", "Sampling",
     "seeds of each sampler: of a trace so many sampled runs of each set against one full run, of "
     "a "
     "profile so many plans",
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

static const cli_option_t sweep_options[] = {
    {CLI_GPU, 'g', "gpu", "NAME", "v100 for Volta traces, rtx2060 for Turing traces", "Study",
     "GPU to model; may be repeated", "@gpu", false},
    {CLI_VARY, 0, "vary", "KEY=VALUE,...", NULL, "Study",
     "an axis, such as l2.size=3MiB,6MiB or delta=none,stem_cache_x2; may be repeated: every value "
     "with every other",
     "@setting", false},
    {CLI_SET, 's', "set", "KEY=VALUE", NULL, "Study",
     "a setting of all jobs, such as warmup.mode=flush; may be repeated", "@setting", false},
    OPT_SAMPLE(NULL, "samplers, as run takes them, and joined as there; also an axis: --vary "
                     "sample=none,stem"),
    {CLI_PLAN, 0, "plan", "FILE", NULL, "Sampling",
     "simulate the launches of this plan only; also an axis: --vary plan=none,a.json,b.json",
     "@file", false},
    {CLI_PROFILE, 0, "profile", "FILE", "the trace itself", "Sampling",
     "a profile of the program, from which samplers choose", "@file", false},
    OPT_SEED,
    {CLI_LAUNCHES, 'l', "launches", "LIST", "all", "Study",
     "simulate only these launches, such as 3-7,12,20-", NULL, false},
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

static const cli_option_t stats_options[] = {
    {CLI_TOP, 0, "top", "N", "20", "Results", "diff: rows of each part; 0: all", NULL, false},
    {CLI_FORMAT, 0, "format", "table|csv", "table", "Results", "of diff; csv has every row",
     "table csv", false},
    OPT_HELP,
};

static const cli_option_t compare_options[] = {
    {CLI_HARDWARE, 0, "hardware", "FILE", NULL, "Results",
     "what was measured: CSV of Nsight Compute (--page raw --csv), or a table with a row per "
     "kernel "
     "or program",
     "@file", false},
    OPT_OUTPUT("FILE", "only print the table", "write every pair of values as CSV", "@file"),
    OPT_HELP,
};

static const cli_option_t validate_options[] = {
    {CLI_GPU, 'g', "gpu", "NAME", "all that have measurements", "Model",
     "GPU to validate; may be repeated", "@gpu", false},
    OPT_SET,
    {CLI_SUITE, 0, "suite", "LIST", "all tests", "Tests",
     "only the tests whose names begin with these prefixes, such as C1,M,R2", NULL, false},
    {CLI_SHORT, 0, "short", NULL, NULL, "Tests",
     "fewer points and iterations: the whole suite in seconds", NULL, false},
    {CLI_PUBLISHED, 0, "published", "DIR", "$RUBATO_PUBLISHED", "Tests",
     "folder of the published tables that curves are compared with", "@dir", false},
    {CLI_APPLICATIONS, 0, "applications", "DIR", NULL, "Tests",
     "run the traces of whole programs in this folder instead, on qv100 (docs/lab/accuracy.md)",
     "@dir", false},
    {CLI_LIST, 0, "list", NULL, NULL, "Tests", "list the tests with their sources, and exit", NULL,
     false},
    OPT_OUTPUT("DIR", "only print the table",
               "write validation.csv, validation.json and validation.html (with the curves) there",
               "@dir"),
    OPT_JSON("print JSON instead of the table"),
    {CLI_GUESSES, 0, "guesses", NULL, NULL, "Results",
     "also list the settings of the configuration that have no source", NULL, false},
    {CLI_THREADS, 't', "threads", "N", "the cores that this process may use", "Execution",
     "host threads; results do not depend on it", NULL, false},
    OPT_HELP,
};

static const cli_option_t report_options[] = {
    {CLI_HARDWARE, 0, "hardware", "FILE", NULL, "Results",
     "of runs: add a section with measurements on a GPU, in a format of compare", "@file", false},
    OPT_OUTPUT("FILE", "report.html in DIR", "write the page to this file", "@file"),
    OPT_HELP,
};

static const cli_option_t config_options[] = {
    OPT_GPU("v100"),
    OPT_SET,
    OPT_OUTPUT("FILE", "standard output", "import: write the configuration to this file", "@file"),
    OPT_HELP,
};

static const cli_option_t record_options[] = {
    OPT_OUTPUT("FILE", NULL, "the trace", "@file"),
    {CLI_ACCELSIM, 0, "accelsim", "DIR", NULL, "Results",
     "instead: write the trace to a new folder as Accel-Sim's text, as the NVBit tracer would",
     "@dir", false},
    {CLI_NO_TRACE, 0, "no-trace", NULL, NULL, "Results", "only run the program", NULL, false},
    {CLI_GPU, 'g', "gpu", "NAME", "v100 for Volta code, rtx2060 for Turing code", "Model",
     "GPU that the program sees: a name such as v100, or a configuration file", "@gpu", false},
    {CLI_SET, 's', "set", "KEY=VALUE", NULL, "Model",
     "override one setting of it, such as sm.count=40; may be repeated", "@setting", false},
    {CLI_LAUNCHES, 'l', "launches", "LIST", "all", "Results",
     "trace only these launches, such as 3-7,12,20-; all are executed", NULL, false},
    {CLI_PLAN, 0, "plan", "FILE", NULL, "Results",
     "trace only the launches of this plan, and the plan with them; all are executed", "@file",
     false},
    {CLI_PROFILE, 0, "profile", "FILE", "none", "Results",
     "write the instruction counts of every launch to this file (CSV)", "@file", false},
    {CLI_FORCE, 'f', "force", NULL, NULL, "Results", "replace an existing trace", NULL, false},
    OPT_ARCH_OF_PROGRAM,
    {CLI_THREADS, 't', "threads", "N", "the cores that this process may use", "Execution",
     "with --no-trace: blocks that are executed at the same time", NULL, false},
    OPT_MAX_INSTS,
    OPT_TIMEOUT,
    OPT_LIBS,
    OPT_TMPDIR("for temporary files"),
    OPT_HELP,
};

static const cli_option_t libs_options[] = {
    {CLI_ARCHIVES, 0, "archives", "DIR",
     "$CUDA_HOME/lib64, $CUDA_PATH/lib64, /usr/lib/x86_64-linux-gnu, /usr/local/cuda/lib64",
     "Input", "folder with the static archives of a CUDA toolkit", "@dir", false},
    {CLI_FORCE, 'f', "force", NULL, NULL, "Results",
     "build libraries that are newer than their archives, too", NULL, false},
    OPT_HELP,
};

static const cli_option_t sass_options[] = {
    {CLI_KERNEL, 'k', "kernel", "NAME", "all", "Results", "list only this kernel", NULL, false},
    {CLI_ARCH, 0, "arch", "ARCH", "all", "Results",
     "of a program or fat binary, list only the code for this architecture", "sm_70 sm_75", false},
    OPT_HELP,
};

static const cli_option_t gen_options[] = {
    {CLI_LIST, 0, "list", NULL, NULL, "Workload",
     "list the workloads and their parameters, or those of WORKLOAD", NULL, false},
    {CLI_SIZE, 0, "size", "N", "the workload's default", "Workload",
     "its first parameter: elements, rows, frames, ...", NULL, false},
    {CLI_BLOCKS, 0, "blocks", "N", NULL, "Workload",
     "instead of the size: thread blocks of the largest launch, at least", NULL, false},
    {CLI_PARAM, 'p', "param", "NAME=VALUE", NULL, "Workload",
     "set a parameter of the workload; may be repeated", NULL, false},
    {CLI_SEED, 0, "seed", "N", "1", "Workload", "seed of everything random", NULL, false},
    {CLI_ARCH, 0, "arch", "ARCH", "sm_70", "Workload", "architecture of the code", "sm_70 sm_75",
     false},
    OPT_OUTPUT("FILE", NULL, "the trace", "@file"),
    {CLI_FORCE, 'f', "force", NULL, NULL, "Results", "replace an existing file", NULL, false},
    {CLI_THREADS, 't', "threads", "N", "1", "Execution",
     "host threads that compress; the file does not depend on it", NULL, false},
    {CLI_PROGRESS, 0, "progress", "WHEN", "auto", "Execution",
     "progress line on standard error; auto: on a terminal only", "auto always never", false},
    OPT_HELP,
};

static const cli_option_t convert_options[] = {
    {CLI_TO, 0, "to", "FORMAT", "rbt", "Results",
     "what is written: rubato's native file, or a folder with Accel-Sim's text", "rbt accelsim",
     false},
    {CLI_PACK, 0, "pack", "HOW", "none", "Results", "with --to accelsim: pack the kernel files",
     "none xz zst", false},
    {CLI_FORCE, 'f', "force", NULL, NULL, "Results", "replace the file if it exists", NULL, false},
    {CLI_THREADS, 't', "threads", "N", "the cores of the machine", "Execution",
     "threads that compress; the file does not depend on it", NULL, false},
    {CLI_PROGRESS, 0, "progress", "WHEN", "auto", "Execution",
     "progress line on standard error; auto: on a terminal only", "auto always never", false},
    OPT_TMPDIR("for temporary files (grouping of raw .trace files)"),
    OPT_HELP,
};

static const cli_option_t trace_options[] = {
    {CLI_LAUNCH, 0, "launch", "ID", "the first", "cat", "the launch to print", NULL, false},
    {CLI_BLOCK, 0, "block", "N", "0", "cat",
     "the thread block to print: its place in the launch, from 0", NULL, false},
    {CLI_WARP, 0, "warp", "N", "all", "cat", "the warp to print, from 0", NULL, false},
    {CLI_LAUNCHES, 'l', "launches", "LIST", "all", "slice",
     "keep only these launches, such as 3-7,12,20-", NULL, false},
    {CLI_BLOCKS, 0, "blocks", "LIST", "all", "slice",
     "of each launch keep only these thread blocks, such as 0-79,400-", NULL, false},
    {CLI_PLAN, 0, "plan", "FILE", NULL, "slice",
     "keep only the launches of this plan, and the plan with them", "@file", false},
    OPT_OUTPUT("FILE", NULL, "slice: write the trace to this file", "@file"),
    {CLI_FORCE, 'f', "force", NULL, NULL, "slice", "replace the file if it exists", NULL, false},
    OPT_TMPDIR("for temporary files (grouping of raw .trace files)"),
    OPT_HELP,
};

static const cli_option_t completion_options[] = {OPT_HELP};

static const cli_option_t help_options[] = {
    {CLI_MAN, 0, "man", NULL, NULL, "General", "print the manual page (roff)", NULL, false},
    OPT_HELP,
};

#define OPTIONS(table) table, sizeof(table) / sizeof((table)[0])

const cli_command_t cli_commands[] = {
    {"run", "TRACE | -- PROGRAM [ARGUMENT]...", "simulate a trace or a program on a GPU model",
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
     NULL, "@file", OPTIONS(run_options)},
    {"info", "TRACE", "list the contents of a trace",
     "Lists the launches of a trace with grid, block, registers and shared memory, and how many "
     "blocks of each fit an SM of the GPU.",
     NULL, "@file", OPTIONS(info_options)},
    {"plan", "PROFILE|TRACE", "choose which launches to simulate",
     "Chooses launches of a program so that simulating them tells how long the whole program "
     "takes, "
     "and prints the clusters, how many launches are chosen, and the speed-up and error to expect. "
     "With -o it writes the plan, for run --plan.\n\n"
     "PROFILE is a profile of the program, plain or compressed with gzip: CSV or sqlite of Nsight "
     "Systems, CSV of Nsight Compute (--page raw), JSON of PyTorch's profiler, a table with "
     "columns "
     "of names and durations, or the folder of a complete run. TRACE tells names, grids and blocks "
     "only.",
     NULL, "@file", OPTIONS(plan_options)},
    {"evaluate", "TRACE|PROFILE|RUN", "score samplers against the full result",
     "TRACE is simulated as a whole once, and with each set of samplers and each of --seeds seeds. "
     "Printed are the errors of cycles, hit rates, DRAM traffic and stalls, how often the interval "
     "of a run contains the full result, the share of the instructions that was simulated, and the "
     "gain in processor time. Samplers of launches choose from the full run. What was simulated is "
     "kept in the folder of -o.\n\n"
     "Of PROFILE, or RUN, the folder of a complete run, all times are known: plans are made with "
     "many seeds, and printed is how far the totals that they give are from the true one, how "
     "often "
     "their intervals contain it, and how much of the program they simulate.",
     NULL, "@file", OPTIONS(evaluate_options)},
    {"convert", "SOURCE TARGET", "write a trace in another format",
     "Writes the trace SOURCE, of any kind that run takes, to TARGET: a native file (.rbt), which "
     "is small, read in parts and fast, or with --to accelsim a new folder with Accel-Sim's text. "
     "Cycle counts do not depend on the format, except that Accel-Sim's text has no predicates, "
     "uniform registers or control codes unless they were traced as text. TARGET appears when it "
     "is complete.",
     NULL, "@file", OPTIONS(convert_options)},
    {"trace", "verify|cat|slice TRACE", "check, print and cut traces",
     "verify FILE.rbt: checks every checksum of a native file, decodes all of it and compares it "
     "with its index.\n\n"
     "cat TRACE: prints the instructions of a thread block.\n\n"
     "slice TRACE -o FILE.rbt: writes part of a trace, with the launches' original ids and all "
     "memory copies.",
     "verify cat slice", "@file", OPTIONS(trace_options)},
    {"sweep", "STUDY.cfg|TRACE", "run traces on many configurations",
     "Runs every trace of a study on every GPU at every point, and prints cycles against the first "
     "point of each trace. A study file names traces, GPUs, axes of values and listed points; "
     "without a file, one TRACE is run at the points of --vary. A study that cannot be run is "
     "refused as a whole before anything runs.\n\n"
     "Jobs are known by what their results depend on (the trace, the resolved configuration, the "
     "program): what is done is not repeated, what has changed is done anew. A job that fails is "
     "reported and the others go on. After Ctrl-C or kill -9 the same command continues.\n\n"
     "status DIR: how far the jobs of a sweep's folder are, wherever they run.\n\n"
     "collect DIR: writes results.csv and jobs.csv of what is done, and prints the table.\n\n"
     "job DIR N: runs job N of jobs.tsv, for schedulers; exit status 75: stopped, can be "
     "continued.",
     "status collect job", "@file", OPTIONS(sweep_options)},
    {"stats", "diff|join|explain ...", "compare and explain the statistics of runs",
     "diff A B: what differs between two runs, their folders or stats.csv: totals and ratios by "
     "the size of the change, counters by their share of all that moved.\n\n"
     "join RUN...: the statistics of many runs side by side, as CSV.\n\n"
     "explain [NAME]...: what a statistic or a column of the results counts, its unit, the metric "
     "of Nsight Compute that it mirrors. NAME is a path (sm.warp_insts), its last part, the "
     "beginning of one (sm.icache), or a metric of Nsight Compute. Without NAME: all of them.",
     "diff join explain", "@file", OPTIONS(stats_options)},
    {"compare", "[PROGRAM=]RUN...", "compare runs with measurements on a GPU",
     "Compares the statistics of RUN (the folder of a run, or its run.json) with counters measured "
     "on a GPU, and prints for each counter the mean absolute error, the bias and the correlation. "
     "Statistics are known by the names of Nsight Compute.\n\n"
     "Rows of Nsight Compute are matched with launches: the first launch of a kernel with its "
     "first "
     "row, and so on. Rows of tables are matched with the mean over a kernel's launches, or with "
     "the totals of a program. PROGRAM names the rows of a table of several programs.",
     NULL, "@file", OPTIONS(compare_options)},
    {"validate", "", "compare the model with measurements on silicon",
     "Runs published microbenchmarks (latencies, bandwidths, conflicts, cache sizes) as small "
     "kernels on the models of the cards that they were measured on, and prints what was measured "
     "beside what the model says. A test passes if the error is within what it allows; where "
     "sources disagree, or where the harness is not known, a row is reported without a verdict. "
     "The exit status is 3 if a test fails.\n\n"
     "The kernels and tests are text: bench/silicon of the sources, or the folder that "
     "RUBATO_SILICON names.",
     NULL, NULL, OPTIONS(validate_options)},
    {"report", "DIR|RUN...", "a page about runs, a sweep or an evaluation",
     "Writes one HTML page about runs (their folders, or run.json), about the folder of a sweep, "
     "or "
     "about that of an evaluation, complete or not: charts with values on hovering, and tables "
     "that "
     "can be sorted and filtered. The page needs no network.",
     NULL, "@file", OPTIONS(report_options)},
    {"config", "show|explain|check|import ...", "show, explain, check and import configurations",
     "show [GPU|FILE]... [GROUP]: prints the resolved configuration, every value with where it "
     "came from.\n\n"
     "explain [KEY]...: describes the settings of a group, or those that begin with KEY: legal "
     "values, default, unit. Without KEY: the groups.\n\n"
     "check GPU|FILE...: reads configuration files and reports mistakes.\n\n"
     "import gpgpusim.config [trace.config]: writes a rubato configuration, and lists every key as "
     "mapped, approximated or ignored.",
     "show explain check import", "@config", OPTIONS(config_options)},
    {"record", "-- PROGRAM [ARGUMENT]...", "run a CUDA program without a GPU, and trace it",
     "Runs PROGRAM, an unmodified CUDA program whose runtime is linked dynamically (nvcc -cudart "
     "shared -arch=sm_70, or sm_75), on the CPU: its kernels are executed instruction by "
     "instruction as the GPU would, the program sees their results, and the trace gets what was "
     "executed. Times that the program measures are meaningless. What it asks about the GPU (SMs, "
     "memory, limits, occupancy) it is told of the one that --gpu and -s describe, as by rubato "
     "run: record for the GPU that will be simulated.\n\n"
     "The exit status is that of the program, or 125 if rubato failed.",
     NULL, "@file", OPTIONS(record_options)},
    {"libs", "[DIR]", "build libraries such as cuBLAS for programs on the emulator",
     "Builds shared libraries from the static archives of a CUDA toolkit (cuBLAS, cuBLASLt, cuFFT, "
     "cuRAND, cuSPARSE, cuSOLVER), which rubato record and rubato run then offer to programs that "
     "are linked with NVIDIA's shared ones. Needs a C++ compiler: that of CXX, or g++. Libraries "
     "that are there and newer than their archives stay. They are for your own use: NVIDIA's terms "
     "say what you may do with them.\n\n"
     "DIR is by default $XDG_CACHE_HOME/rubato/libs, or ~/.cache/rubato/libs, where record and run "
     "look for them.",
     NULL, "@dir", OPTIONS(libs_options)},
    {"sass", "FILE", "list the machine code of a program",
     "Lists the kernels of FILE: a cubin, a fat binary, or a CUDA program. Each instruction has "
     "its "
     "byte offset; what its control word says (barriers that it waits for, the barriers that it "
     "sets when it has read its operands and when it has written its result, Y for a yield, and "
     "the cycles until the next instruction may issue); and its text as nvdisasm writes it.",
     NULL, "@file", OPTIONS(sass_options)},
    {"gen", "WORKLOAD", "write a generated workload to a trace",
     "Writes a native trace of WORKLOAD, a program that is made up: instructions, registers, masks "
     "and addresses are those of real kernels, sizes are free, from a few blocks to billions of "
     "instructions. The same options give the same trace; memory does not grow with it.\n\n"
     "rubato gen --list shows all workloads.",
     NULL, "@workload", OPTIONS(gen_options)},
    {"completion", "bash|zsh|fish", "print the completion script of a shell",
     "Completes commands, options, settings and their values, samplers, GPUs, workloads and files. "
     "An installed rubato needs no more. Otherwise put this into ~/.bashrc: "
     "eval \"$(rubato completion bash)\"; into ~/.zshrc, after compinit: source <(rubato "
     "completion zsh); for fish: rubato completion fish > "
     "~/.config/fish/completions/rubato.fish",
     "bash zsh fish", NULL, OPTIONS(completion_options)},
    {"help", "[COMMAND]", "print help", "Prints the help of COMMAND, or of rubato.", NULL,
     "@command", OPTIONS(help_options)},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0},
};

#define CLI_ONE(name) +1
_Static_assert(sizeof(cli_commands) / sizeof(cli_commands[0]) == 1 CLI_COMMANDS(CLI_ONE),
               "as many commands as commands.h has");
