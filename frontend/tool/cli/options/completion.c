/* rubato completion: prints the completion script of a shell. */
#include <string.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/options/completion_words.h"
#include "frontend/tool/io/out_file.h"

static const struct {
    const char *name;
    void (*print)(FILE *out);
} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

enum { N_SHELLS = sizeof(shells) / sizeof(shells[0]) };

rb_code_t cli_print_completion(const char *shell, FILE *out, rb_err_t *err)
{
    for (unsigned i = 0; i < N_SHELLS; i++) {
        if (strcmp(shell, shells[i].name) != 0)
            continue;
        shells[i].print(out);
        return RB_OK;
    }
    return rb_fail(err, RB_USAGE, "no completion for '%s', only for bash, zsh and fish", shell);
}

int cmd_completion(int argc, char **argv)
{
    rb_err_t err = {0};
    cli_parser_t p;
    bool help;
    cli_parser_init(&p, cli_find_command("completion"), argc, argv);
    rb_code_t rc = cli_parser_read(&p, NULL, NULL, &help, &err);
    if (rc == RB_OK && help)
        cli_print_help(p.command, stdout);
    else if (rc == RB_OK && (rc = cli_check_operands(&p, 1, 1, &err)) == RB_OK)
        rc = cli_print_completion(p.operands[0], stdout, &err);
    if (rc == RB_OK)
        rc = out_flush_stdout(&err);
    return rc != RB_OK ? cli_report(&err) : 0;
}
