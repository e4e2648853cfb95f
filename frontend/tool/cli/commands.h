/*
 * The subcommands. Each takes its own argv (argv[0] is its name), says what is wrong on stderr and
 * returns the exit status of the process.
 */
#ifndef RUBATO_CLI_COMMANDS_H
#define RUBATO_CLI_COMMANDS_H

#include "frontend/tool/cli/options.h"

int cmd_run(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_sass(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_evaluate(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_validate(int argc, char **argv);
int cmd_completion(int argc, char **argv);
int cmd_help(int argc, char **argv);

/* Words of --stats-format, in the order of the enum; NULL-terminated. */
typedef enum { STATS_FORMAT_RUBATO, STATS_FORMAT_ACCELSIM } stats_format_t;
extern const char *const cli_stats_format_words[];

#endif
