/*
 * The data from which completion scripts are made: kinds of words, and the words of each kind. The
 * scripts do not run rubato.
 */
#ifndef RUBATO_CLI_COMPLETION_WORDS_H
#define RUBATO_CLI_COMPLETION_WORDS_H

#include <stdio.h>

#include "frontend/tool/cli/options/options.h"
#include "sim/conf/param.h"

/*
 * The kinds named in cli_option_t.values and cli_command_t.complete, such as "@file". A GPU is a name
 * or a configuration file; samplers are a list, separated by commas. Operands of stats, sweep and
 * config depend on the action before them; of a sweep, the first one is an action or a file.
 */
#define COMPLETION_KINDS(X)                                                                        \
    X(FILE, "@file")                                                                               \
    X(FOLDER, "@dir")                                                                              \
    X(GPU, "@gpu")                                                                                 \
    X(SETTING, "@setting") /* GROUP.NAME=VALUE */                                                  \
    X(KEY, "@key")         /* GROUP.NAME */                                                        \
    X(SAMPLER, "@sampler")                                                                         \
    X(WORKLOAD, "@workload") /* of rubato gen */                                                   \
    X(COMMAND, "@command")                                                                         \
    X(STAT, "@stat") /* a statistic */                                                             \
    X(STATS, "@stats")                                                                             \
    X(SWEEP, "@sweep")                                                                             \
    X(CONFIG, "@config")

#define COMPLETION_ENUM_(id, name) COMPLETION_##id,
typedef enum {
    COMPLETION_KINDS(COMPLETION_ENUM_) COMPLETION_WORDS, /* values lists the words themselves */
    COMPLETION_NOTHING
} completion_kind_t;

completion_kind_t completion_kind(const char *values);

/* Prints the words of a kind that has a list, separated by blanks; settings end with '='. */
void completion_print_words(FILE *out, completion_kind_t kind);

/* Prints the names of the groups of settings, separated by blanks. */
void completion_print_groups(FILE *out);

/* Calls visit for each setting. */
void completion_visit_settings(void (*visit)(void *ctx, const param_group_t *g, const param_t *p),
                               void *ctx);

/* Prints the words allowed for a setting, each after a blank; false, printing nothing, if it is a
 * number or a text. */
bool completion_print_choices(FILE *out, const param_t *p);

/* Print the script of each shell. */
void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

#endif
