/*
 * The subcommands. Each one receives its own argv (argv[0] is its name), prints errors to stderr
 * and returns the exit status of the process.
 */
#ifndef RUBATO_CLI_COMMANDS_H
#define RUBATO_CLI_COMMANDS_H

#include "frontend/tool/cli/options/options.h"

/*
 * All of them, in the order of the help. commands_*.c have their options and help: a command knows
 * its table, and the table knows no command.
 */
#define CLI_COMMANDS(X)                                                                            \
    X(run)                                                                                         \
    X(info)                                                                                        \
    X(plan)                                                                                        \
    X(evaluate)                                                                                    \
    X(convert)                                                                                     \
    X(trace)                                                                                       \
    X(sweep)                                                                                       \
    X(predict)                                                                                     \
    X(stats)                                                                                       \
    X(compare)                                                                                     \
    X(validate)                                                                                    \
    X(advise)                                                                                      \
    X(plot)                                                                                        \
    X(report)                                                                                      \
    X(config)                                                                                      \
    X(record)                                                                                      \
    X(libs)                                                                                        \
    X(sass)                                                                                        \
    X(gen)                                                                                         \
    X(completion)                                                                                  \
    X(help)

#define CLI_DECLARE(name) int cmd_##name(int argc, char **argv);
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

/* Words of --stats-format, in the order of the enum; NULL-terminated. */
typedef enum { STATS_FORMAT_RUBATO, STATS_FORMAT_ACCELSIM } stats_format_t;
extern const char *const cli_stats_format_words[];

#endif
