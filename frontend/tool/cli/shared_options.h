/* Options that several commands take, and into what. */
#ifndef RUBATO_CLI_SHARED_OPTIONS_H
#define RUBATO_CLI_SHARED_OPTIONS_H

#include "frontend/tool/cli/options.h"
#include "frontend/tool/run/program_child.h"
#include "frontend/tool/run/run_setup.h"

/* Takes --gpu, -s and --tmpdir of a command line; false: another option. */
bool setup_option(setup_options_t *o, cli_option_id_t id, const char *value);

/* Takes an option that is about how the program is executed; *known: it is one. RB_USAGE. */
RB_CHECKED rb_code_t program_option(program_options_t *o, cli_option_id_t id, const char *value,
                                    bool *known, rb_err_t *err);

/* Adds the list of a --sample to those before it. *all is owned: free(). RB_USAGE. */
RB_CHECKED rb_code_t sample_option(char **all, const char *value, rb_err_t *err);

#endif
