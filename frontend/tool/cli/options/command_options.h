/*
 * What the tables of commands share: options with the same meaning in every command that has them,
 * and the declarations of the commands' descriptions, which command_table.c collects.
 */
#ifndef RUBATO_CLI_COMMAND_OPTIONS_H
#define RUBATO_CLI_COMMAND_OPTIONS_H

#include "frontend/tool/cli/options/commands.h"

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
            "Program", "which machine code to execute", "sm_70 sm_75 sm_80 sm_86 sm_87 sm_89",     \
            false                                                                                  \
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
#define OPT_SKIP_UNSUPPORTED                                                                       \
    {                                                                                              \
        CLI_SKIP_UNSUPPORTED, 0, "skip-unsupported", NULL, NULL, "Program",                        \
            "name launches that cannot be emulated, leave them out, and go on", NULL, false        \
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

#define OPT_MATCH(group)                                                                           \
    {                                                                                              \
        CLI_MATCH, 0, "match", "PATTERN", "all", group,                                            \
            "of a folder or archive of traces, only those whose names match: a part of the name, " \
            "or a shell pattern such as 'bfs*'; !PATTERN leaves out; may be repeated",             \
            NULL, false                                                                            \
    }

#define OPT_STAT(def, help)                                                                        \
    {                                                                                              \
        CLI_STAT, 0, "stat", "NAME", def, "Results", help, "@stat", false                          \
    }
#define OPT_WHERE(help)                                                                            \
    {                                                                                              \
        CLI_WHERE, 0, "where", "KEY=VALUE", NULL, "Results", help, "@setting", false               \
    }
#define OPT_BASE                                                                                   \
    {                                                                                              \
        CLI_BASE, 0, "base", "COLUMN", "the first", "Results",                                     \
            "the configuration that others are compared with: words of its column, such as "       \
            "l2.size=3MiB, or its number",                                                         \
            NULL, false                                                                            \
    }

#define OPTIONS(table) table, sizeof(table) / sizeof((table)[0])

#define CLI_DESCRIBE_(name) extern const cli_command_t cli_command_##name;
CLI_COMMANDS(CLI_DESCRIBE_)
#undef CLI_DESCRIBE_

#endif
