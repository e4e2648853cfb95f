/*
 * Subcommands and their options, each declared once. From the tables (commands_*.c) come the
 * parser, --help, the man page and the completion of shells.
 *
 *   cli_parser_t p;
 *   cli_parser_init(&p, cli_find_command("run"), argc, argv);
 *   RB_TRY(cli_parser_read(&p, take_option, &options, &help, err));
 *   ... p.operands[0 .. p.n_operands)
 */
#ifndef RUBATO_CLI_OPTIONS_H
#define RUBATO_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/err.h"

/* The meaning of an option. A number has the same meaning in every subcommand. */
typedef enum {
    CLI_END, /* no more options: p.operands are set */
    CLI_HELP,
    CLI_GPU,
    CLI_SET,
    CLI_OUTPUT,
    CLI_THREADS,
    CLI_JSON,
    CLI_LAUNCHES,
    CLI_RESUME,
    CLI_FORCE,
    CLI_PROGRESS,
    CLI_STATS_INTERVAL,
    CLI_STATS_FORMAT,
    CLI_FLUSH,
    CLI_TMPDIR,
    CLI_CHECKPOINT_INTERVAL,
    CLI_DEBUG_WINDOW,
    CLI_COUNT,
    CLI_NO_TRACE,
    CLI_MAX_INSTS,
    CLI_CYCLES,
    CLI_SAMPLE,
    CLI_SEED,
    CLI_PLAN,
    CLI_PROFILE,
    CLI_CHANGE_FROM,
    CLI_CHANGE_BOUND,
    CLI_KEEP_WALKS,
    CLI_WARMUP,
    CLI_FORMAT,
    CLI_SEEDS,
    CLI_EPSILON,
    CLI_METRICS,
    CLI_AGAINST,
    CLI_TRACE,
    CLI_VARY,
    CLI_JOBS,
    CLI_PREPARE,
    CLI_SLURM,
    CLI_PARTITION,
    CLI_MAX_PARALLEL,
    CLI_TOP,
    CLI_MAN,
    CLI_KERNEL,
    CLI_ARCH,
    CLI_SIZE,
    CLI_BLOCKS,
    CLI_PARAM,
    CLI_LIST,
    CLI_TO,
    CLI_PACK,
    CLI_LAUNCH,
    CLI_BLOCK,
    CLI_WARP,
    CLI_CODE,
    CLI_BBV,
    CLI_SUITE,
    CLI_PUBLISHED,
    CLI_SHORT,
    CLI_GUESSES,
    CLI_SENSITIVITY,
    CLI_APPLICATIONS,
    CLI_HARDWARE,
    CLI_PLAN_FROM,
    CLI_VARIANTS,
    CLI_CSV,
    CLI_ACCELSIM,
    CLI_TIMEOUT,
    CLI_SKIP_UNSUPPORTED,
    CLI_TIMELINE,
    CLI_TIMELINE_RANGE,
    CLI_STREAMS,
    CLI_DETECTORS,
    CLI_PER_INSTRUCTION,
    CLI_CLOCK_READS,
    CLI_SIMULATED,
    CLI_COUNTERS,
    CLI_ISOLATED,
    CLI_PART,
    CLI_MERGE,
    CLI_SPLIT_LAUNCHES,
    CLI_INDEPENDENT,
    CLI_REGIONS,
    CLI_REPLAYS,
    CLI_MATCH,
    CLI_STAT,
    CLI_BASE,
    CLI_AS,
    CLI_WHAT,
    CLI_THEME,
    CLI_COLUMNS,
    CLI_AXIS,
    CLI_WHERE,
    CLI_LIBS,
    CLI_ARCHIVES,
    CLI_LEVEL,
    CLI_PREDICT,
} cli_option_id_t;

typedef struct {
    cli_option_id_t id;
    char letter;       /* 0: none */
    const char *name;  /* long name */
    const char *arg;   /* name of the argument; NULL: a flag */
    const char *def;   /* default as text; NULL: none to show */
    const char *group; /* heading in the help */
    const char *help;
    const char *values; /* completion: words, or a kind of completion_words.h; NULL: none */
    bool hidden;        /* for tests and debugging: accepted, but not shown */
} cli_option_t;

typedef struct {
    const char *name;
    const char *operands; /* "TRACE" */
    const char *summary;  /* one line */
    const char *text;     /* paragraphs for help and manual, separated by blank lines */
    const char *actions;  /* words that may follow the command; NULL: none */
    const char *complete; /* completion of the operands, as in cli_option_t.values */
    const cli_option_t *options;
    size_t n_options;
} cli_command_t;

/* All subcommands in the order of the help; ends with NULL. */
extern const cli_command_t *const cli_commands[];

/* The command of that name, or NULL. */
const cli_command_t *cli_find_command(const char *name);

enum { CLI_OPTIONS_MAX = 48 };

typedef struct {
    const char *value; /* argument of the option just returned */
    char **operands;   /* after cli_parser_read(); borrowed from argv */
    int n_operands;
    const cli_command_t *command;
    int argc;
    char **argv;
    struct option long_options[CLI_OPTIONS_MAX + 1];
    char short_options[2 * CLI_OPTIONS_MAX + 2];
} cli_parser_t;

/* argv[0] is the subcommand's name. Only one parser at a time (getopt keeps its state in
 * globals). */
void cli_parser_init(cli_parser_t *p, const cli_command_t *command, int argc, char **argv);

/* Handles one option with its argument. */
typedef rb_code_t (*cli_take_fn)(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err);

/*
 * Passes every option to take(), which may be NULL for a command that only has --help. Stops at
 * --help with *help true. RB_USAGE.
 */
RB_CHECKED rb_code_t cli_parser_read(cli_parser_t *p, cli_take_fn take, void *ctx, bool *help,
                                     rb_err_t *err);

/* RB_USAGE unless the number of operands is in min .. max. */
RB_CHECKED rb_code_t cli_check_operands(const cli_parser_t *p, int min, int max, rb_err_t *err);

/* RB_USAGE: the command is unknown (with a suggestion). */
rb_code_t cli_unknown_command(const char *name, rb_err_t *err);

/* Prints the help of a command (NULL: of rubato itself); prints the manual page. */
void cli_print_help(const cli_command_t *command, FILE *out);
void cli_print_man(FILE *out);

/* Prints the completion script for "bash", "zsh" or "fish". RB_USAGE. */
RB_CHECKED rb_code_t cli_print_completion(const char *shell, FILE *out, rb_err_t *err);

/* Prints "rubato: <message>" and returns the exit status for the error. */
int cli_report(const rb_err_t *err);

#endif
