/* rubato: finds the subcommand and runs it. */
#include <signal.h>
#include <string.h>

#include "frontend/cli/commands.h"
#include "frontend/cli/version.h"

int main(int argc, char **argv)
{
    /* A file that outgrows its limit is an error of write(), reported as a full disk is. */
    signal(SIGXFSZ, SIG_IGN);

    rb_err_t err = {0};
    if (argc < 2) {
        cli_print_help(NULL, stderr);
        return rb_exit_code(RB_USAGE);
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cli_print_help(NULL, stdout);
    } else if (strcmp(word, "--version") == 0) {
        printf("rubato %s (%s)\n", RUBATO_VERSION, RUBATO_COMMIT);
    } else if (word[0] == '-') {
        rb_fail(&err, RB_USAGE, "unknown option '%s'; see 'rubato --help'", word);
        return cli_report(&err);
    } else {
        const cli_command_t *command = cli_find_command(word);
        if (command == NULL) {
            cli_unknown_command(word, &err);
            return cli_report(&err);
        }
        return command->main(argc - 1, argv + 1);
    }
    return cli_flush_stdout(&err) != RB_OK ? cli_report(&err) : 0;
}
