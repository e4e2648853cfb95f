/*
 * What the completion of every shell is made from: kinds of words, and the words of each kind. The
 * scripts are for the shells to load; they run no rubato.
 */
#ifndef RUBATO_CLI_COMPLETION_WORDS_H
#define RUBATO_CLI_COMPLETION_WORDS_H

#include <stdio.h>

#include "frontend/tool/cli/options.h"
#include "sim/conf/param.h"

/* The kinds that cli_option_t.values and cli_command_t.complete name, "@file" for example. */
#define COMPLETION_KINDS(X)                                                                        \
    X(FILE, "@file")                                                                               \
    X(FOLDER, "@dir")                                                                              \
    X(GPU, "@gpu")           /* or a file */                                                       \
    X(SETTING, "@setting")   /* GROUP.NAME=VALUE */                                                \
    X(SAMPLER, "@sampler")   /* names in a list, with commas between them */                       \
    X(WORKLOAD, "@workload") /* of rubato gen */                                                   \
    X(COMMAND, "@command")                                                                         \
    X(CONFIG, "@config") /* operands of rubato config: depends on the action before them */

#define COMPLETION_ENUM_(id, name) COMPLETION_##id,
typedef enum {
    COMPLETION_KINDS(COMPLETION_ENUM_) COMPLETION_WORDS, /* the words themselves */
    COMPLETION_NOTHING
} completion_kind_t;

completion_kind_t completion_kind(const char *values);

/* The words of a kind, separated by blanks; settings end with '='. Of kinds that have a list. */
void completion_print_words(FILE *out, completion_kind_t kind);

/* The names of the groups of settings, separated by blanks. */
void completion_print_groups(FILE *out);

/* Calls visit for each setting. */
void completion_visit_settings(void (*visit)(void *ctx, const param_group_t *g, const param_t *p),
                               void *ctx);

/* The words that a setting may be, each after a blank; false, and nothing: it is a number or a
 * text. */
bool completion_print_choices(FILE *out, const param_t *p);

/* The script of each shell. */
void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

#endif
