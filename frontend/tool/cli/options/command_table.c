#include "frontend/tool/cli/options/command_options.h"

const char *const cli_stats_format_words[] = {"rubato", "accelsim", NULL};

#define CLI_ADDRESS_(name) &cli_command_##name,
const cli_command_t *const cli_commands[] = {CLI_COMMANDS(CLI_ADDRESS_) NULL};
#undef CLI_ADDRESS_
