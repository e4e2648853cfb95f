/* Commands about the model, and about rubato itself: their options and help. */
#include "frontend/tool/cli/options/command_options.h"

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
    {CLI_SENSITIVITY, 0, "sensitivity", NULL, NULL, "Results",
     "instead of the table, show what the guesses decide: run the tests again with each guess "
     "halved "
     "and doubled, or at each other choice (best with --short or --suite); with -o, write "
     "sensitivity.csv",
     NULL, false},
    {CLI_THREADS, 't', "threads", "N", "the cores that this process may use", "Execution",
     "host threads; results do not depend on it", NULL, false},
    OPT_HELP,
};

const cli_command_t cli_command_validate = {
    "validate",
    "",
    "compare the model with measurements on silicon",
    "Runs published microbenchmarks (latencies, bandwidths, conflicts, cache sizes) as small "
    "kernels on the models of the cards that they were measured on, and prints what was measured "
    "beside what the model says. A test passes if the error is within what it allows; where "
    "sources disagree, or where the harness is not known, a row has no gate: it is reported, or "
    "marked BEYOND where the model is off by more than it allows, and counted apart. "
    "Each row is marked: calibration if its measured value was used to build the model, otherwise "
    "evidence. "
    "The exit status is 3 if a test fails, and 4 if none does but a row without a gate is beyond "
    "what it allows.\n\n"
    "The kernels and tests are text: bench/silicon of the sources, or the folder that "
    "RUBATO_SILICON names.",
    NULL,
    NULL,
    OPTIONS(validate_options)};

static const cli_option_t config_options[] = {
    OPT_GPU("v100"),
    OPT_SET,
    OPT_OUTPUT("FILE", "standard output", "import, fit: write the configuration to this file",
               "@file"),
    {CLI_BASE, 0, "base", "GPU", NULL, "Model", "fit: the configuration to start from", "@gpu",
     false},
    {CLI_SIMULATED, 0, "simulated", "DIR", NULL, "Model",
     "fit: tables of the same kit in a simulation of the base, to compare with", "@dir", false},
    {CLI_SKIP_UNSUPPORTED, 0, "skip-unsupported", NULL, NULL, "Model",
     "import: leave out keys that change results and have no counterpart", NULL, false},
    OPT_HELP,
};

const cli_command_t cli_command_config = {
    "config",
    "list|show|explain|check|import|fit ...",
    "list, show, explain, check, import and fit configurations",
    "list: the GPUs that --gpu knows, with their files.\n\n"
    "show [GPU|FILE]... [GROUP]: prints the resolved configuration, every value with where it "
    "came from.\n\n"
    "explain [KEY]...: describes the settings of a group, or those that begin with KEY: legal "
    "values, default, unit. Without KEY: the groups.\n\n"
    "check GPU|FILE...: reads configuration files and reports mistakes.\n\n"
    "import gpgpusim.config [trace.config]: writes a rubato configuration, and lists every key as "
    "same, approximated, lost, or without effect on results. Lost keys are refused, unless "
    "--skip-unsupported leaves them out.\n\n"
    "fit TABLES --base GPU: proposes a configuration from measurements of a card (docs/card.md). "
    "Each value that a row supports is marked as measured; all others are those of the base.",
    "list show explain check import fit",
    "@config",
    OPTIONS(config_options)};

static const cli_option_t completion_options[] = {OPT_HELP};

const cli_command_t cli_command_completion = {
    "completion",
    "bash|zsh|fish",
    "print the completion script of a shell",
    "Completes commands, options, settings and their values, samplers, GPUs, workloads and files. "
    "An installed rubato needs no more. Otherwise put this into ~/.bashrc: "
    "eval \"$(rubato completion bash)\"; into ~/.zshrc, after compinit: source <(rubato "
    "completion zsh); for fish: rubato completion fish > "
    "~/.config/fish/completions/rubato.fish",
    "bash zsh fish",
    NULL,
    OPTIONS(completion_options)};

static const cli_option_t help_options[] = {
    {CLI_MAN, 0, "man", NULL, NULL, "General", "print the manual page (roff)", NULL, false},
    OPT_HELP,
};

const cli_command_t cli_command_help = {
    "help", "[COMMAND]", "print help",         "Prints the help of COMMAND, or of rubato.",
    NULL,   "@command",  OPTIONS(help_options)};
