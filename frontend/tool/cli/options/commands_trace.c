/* Commands about traces and programs: their options and help. */
#include "frontend/tool/cli/options/command_options.h"

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
    OPT_MATCH("Results"),
    OPT_GPU_OF_TRACE,
    OPT_SET,
    OPT_TMPDIR("for temporary files (grouping of raw .trace files, long thread blocks)"),
    OPT_HELP,
};

const cli_command_t cli_command_info = {
    "info",
    "TRACE|FOLDER",
    "list the contents of a trace, or the traces of a folder",
    "Lists the launches of a trace with grid, block, registers and shared memory, and how many "
    "blocks of each fit an SM of the GPU; with --count, also how many instructions it has, and "
    "what "
    "of them looks damaged. Of a FOLDER or an archive of traces (a suite), lists the "
    "traces that rubato sweep would run.",
    NULL,
    "@file",
    OPTIONS(info_options)};

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
    OPT_TMPDIR("for temporary files (grouping of raw .trace files, long thread blocks)"),
    OPT_HELP,
};

const cli_command_t cli_command_convert = {
    "convert",
    "SOURCE TARGET",
    "write a trace in another format",
    "Writes the trace SOURCE, of any kind that run takes, to TARGET: a native file (.rbt), which "
    "is small, read in parts and fast, or with --to accelsim a new folder with Accel-Sim's text. "
    "Cycle counts do not depend on the format, except that Accel-Sim's text has no predicates, "
    "uniform registers or control codes unless they were traced as text. TARGET appears when it "
    "is complete.",
    NULL,
    "@file",
    OPTIONS(convert_options)};

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
    OPT_TMPDIR("for temporary files (grouping of raw .trace files, long thread blocks)"),
    OPT_HELP,
};

const cli_command_t cli_command_trace = {
    "trace",
    "verify|cat|slice TRACE",
    "check, print and cut traces",
    "verify FILE.rbt: checks every checksum of a native file, decodes all of it and compares it "
    "with its index. It warns of what programs hardly do, such as accesses to address 0.\n\n"
    "cat TRACE: prints the instructions of a thread block.\n\n"
    "slice TRACE -o FILE.rbt: writes part of a trace, with the launches' original ids and all "
    "memory copies.",
    "verify cat slice",
    "@file",
    OPTIONS(trace_options)};

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
    OPT_SKIP_UNSUPPORTED,
    OPT_LIBS,
    OPT_TMPDIR("for temporary files"),
    OPT_HELP,
};

const cli_command_t cli_command_record = {
    "record",
    "-- PROGRAM [ARGUMENT]...",
    "run a CUDA program without a GPU, and trace it",
    "Runs PROGRAM, an unmodified CUDA program (nvcc -arch=sm_70, sm_75, sm_80 or sm_86), on the "
    "CPU: its "
    "kernels are executed instruction by "
    "instruction as the GPU would, the program sees their results, and the trace gets what was "
    "executed. Times that the program measures are meaningless. What it asks about the GPU (SMs, "
    "memory, limits, occupancy) it is told of the one that --gpu and -s describe, as by rubato "
    "run: record for the GPU that will be simulated.\n\n"
    "The exit status is that of the program, or 125 if rubato failed.",
    NULL,
    "@file",
    OPTIONS(record_options)};

static const cli_option_t libs_options[] = {
    {CLI_ARCHIVES, 0, "archives", "DIR",
     "$CUDA_HOME/lib64, $CUDA_PATH/lib64, /usr/lib/x86_64-linux-gnu, /usr/local/cuda/lib64",
     "Input", "folder with the static archives of a CUDA toolkit", "@dir", false},
    {CLI_FORCE, 'f', "force", NULL, NULL, "Results",
     "build libraries that are newer than their archives, too", NULL, false},
    OPT_HELP,
};

const cli_command_t cli_command_libs = {
    "libs",
    "[DIR]",
    "build libraries such as cuBLAS for programs on the emulator",
    "Builds shared libraries from the static archives of a CUDA toolkit (cuBLAS, cuBLASLt, cuFFT, "
    "cuRAND, cuSPARSE, cuSOLVER), which rubato record and rubato run then offer to programs that "
    "are linked with NVIDIA's shared ones. Needs a C++ compiler: that of CXX, or g++. Libraries "
    "that are there and newer than their archives stay. They are for your own use: NVIDIA's terms "
    "say what you may do with them.\n\n"
    "DIR is by default $XDG_CACHE_HOME/rubato/libs, or ~/.cache/rubato/libs, where record and run "
    "look for them.",
    NULL,
    "@dir",
    OPTIONS(libs_options)};

static const cli_option_t sass_options[] = {
    {CLI_KERNEL, 'k', "kernel", "NAME", "all", "Results", "list only this kernel", NULL, false},
    {CLI_ARCH, 0, "arch", "ARCH", "all", "Results",
     "of a program or fat binary, list only the code for this architecture",
     "sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_89", false},
    {CLI_COUNTERS, 0, "counters", "DIR", NULL, "Results",
     "show the counts of a run with --per-instruction beside the instructions of the kernels that "
     "it ran; without FILE, the instructions that it issued",
     "@dir", false},
    OPT_HELP,
};

const cli_command_t cli_command_sass = {
    "sass",
    "FILE | --counters DIR [FILE]",
    "list the machine code of a program",
    "Lists the kernels of FILE: a cubin, a fat binary, or a CUDA program. Each instruction has "
    "its "
    "byte offset; what its control word says (barriers that it waits for, the barriers that it "
    "sets when it has read its operands and when it has written its result, Y for a yield, and "
    "the cycles until the next instruction may issue); and its text as nvdisasm writes it. Code "
    "that was compiled with nvcc -lineinfo or -G is listed with the source lines that it comes "
    "from; an instruction of an inlined function has that function's line.",
    NULL,
    "@file",
    OPTIONS(sass_options)};

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
    OPT_TMPDIR("for temporary files (long thread blocks)"),
    OPT_HELP,
};

const cli_command_t cli_command_gen = {
    "gen",
    "WORKLOAD|LISTING.sil",
    "write a generated workload to a trace",
    "Writes a native trace of WORKLOAD, a program that is made up: instructions, registers, masks "
    "and addresses are those of real kernels, sizes are free, from a few blocks to billions of "
    "instructions. The same options give the same trace; memory does not grow with it.\n\n"
    "rubato gen --list shows all workloads. A LISTING describes kernels and the launches of them "
    "as text (docs/listings.md); --param sets its parameters.",
    NULL,
    "@workload",
    OPTIONS(gen_options)};
