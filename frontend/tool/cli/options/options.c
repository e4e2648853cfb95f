#include "frontend/tool/cli/options/options.h"

#include <string.h>

#include "sim/conf/suggest.h"

enum { LONG_BASE = 256 }; /* getopt's code of the n-th long option */

const cli_command_t *cli_find_command(const char *name)
{
    for (const cli_command_t *const *c = cli_commands; *c != NULL; c++) {
        if (strcmp((*c)->name, name) == 0)
            return *c;
    }
    return NULL;
}

rb_code_t cli_unknown_command(const char *name, rb_err_t *err)
{
    suggest_t like;
    suggest_begin(&like, name);
    for (const cli_command_t *const *c = cli_commands; *c != NULL; c++)
        suggest_offer(&like, (*c)->name);
    if (like.best != NULL)
        return rb_fail(err, RB_USAGE, "unknown command '%s'; did you mean '%s'?", name, like.best);
    return rb_fail(err, RB_USAGE, "unknown command '%s'; see 'rubato --help'", name);
}

void cli_parser_init(cli_parser_t *p, const cli_command_t *command, int argc, char **argv)
{
    *p = (cli_parser_t){.command = command, .argc = argc, .argv = argv};
    RB_INVARIANT(command->n_options <= CLI_OPTIONS_MAX, "too many options of %s", command->name);
    char *s = p->short_options;
    *s++ = ':'; /* makes getopt distinguish a missing argument from an unknown option */
    for (size_t i = 0; i < command->n_options; i++) {
        const cli_option_t *o = &command->options[i];
        p->long_options[i] = (struct option){
            o->name, o->arg != NULL ? required_argument : no_argument, NULL, LONG_BASE + (int)i};
        if (o->letter != 0) {
            *s++ = o->letter;
            if (o->arg != NULL)
                *s++ = ':';
        }
    }
    opterr = 0;
    optind = 0; /* glibc: restart, discarding earlier state */
}

static const cli_option_t *option_of_code(const cli_command_t *c, int code)
{
    if (code >= LONG_BASE)
        return &c->options[code - LONG_BASE];
    for (size_t i = 0; i < c->n_options; i++) {
        if (c->options[i].letter == code)
            return &c->options[i];
    }
    return NULL;
}

/* The word in error as the user wrote it: "--gpuu" for "--gpuu=v100". */
static rb_code_t unknown_option(const cli_parser_t *p, rb_err_t *err)
{
    const cli_command_t *c = p->command;
    const char *word = p->argv[optind - 1];
    if (optopt != 0 && optopt < LONG_BASE)
        return rb_fail(err, RB_USAGE, "unknown option '-%c'; see 'rubato %s --help'", optopt,
                       c->name);
    if (optopt >= LONG_BASE)
        return rb_fail(err, RB_USAGE, "option '--%s' takes no argument",
                       option_of_code(c, optopt)->name);

    char name[64];
    const char *start = word + 2;
    size_t len = strcspn(start, "=");
    snprintf(name, sizeof(name), "%.*s", len < sizeof(name) ? (int)len : (int)sizeof(name) - 1,
             start);
    suggest_t like;
    suggest_begin(&like, name);
    const char *first = NULL, *second = NULL;
    for (size_t i = 0; i < c->n_options; i++) {
        const char *other = c->options[i].name;
        if (strncmp(other, name, strlen(name)) == 0) {
            second = first;
            first = other;
        }
        if (!c->options[i].hidden)
            suggest_offer(&like, other);
    }
    if (second != NULL)
        return rb_fail(err, RB_USAGE, "option '--%s' is ambiguous: '--%s' or '--%s'?", name, second,
                       first);
    if (like.best != NULL)
        return rb_fail(err, RB_USAGE, "unknown option '--%s'; did you mean '--%s'?", name,
                       like.best);
    return rb_fail(err, RB_USAGE, "unknown option '--%s'; see 'rubato %s --help'", name, c->name);
}

static rb_code_t next_option(cli_parser_t *p, cli_option_id_t *id, rb_err_t *err)
{
    int code = getopt_long(p->argc, p->argv, p->short_options, p->long_options, NULL);
    if (code == -1) {
        p->operands = p->argv + optind;
        p->n_operands = p->argc - optind;
        *id = CLI_END;
        return RB_OK;
    }
    if (code == '?')
        return unknown_option(p, err);
    if (code == ':') {
        const cli_option_t *o = option_of_code(p->command, optopt);
        return rb_fail(err, RB_USAGE, "option '--%s' needs an argument: %s", o->name, o->arg);
    }
    *id = option_of_code(p->command, code)->id;
    p->value = optarg;
    return RB_OK;
}

rb_code_t cli_parser_read(cli_parser_t *p, cli_take_fn take, void *ctx, bool *help, rb_err_t *err)
{
    *help = false;
    for (;;) {
        cli_option_id_t id = CLI_END;
        RB_TRY(next_option(p, &id, err));
        if (id == CLI_END)
            return RB_OK;
        if (id == CLI_HELP) {
            *help = true;
            return RB_OK;
        }
        RB_TRY(take(ctx, id, p->value, err));
    }
}

rb_code_t cli_check_operands(const cli_parser_t *p, int min, int max, rb_err_t *err)
{
    const cli_command_t *c = p->command;
    if (p->n_operands < min)
        return rb_fail(err, RB_USAGE, "%s is missing; see 'rubato %s --help'", c->operands,
                       c->name);
    if (p->n_operands > max)
        return rb_fail(err, RB_USAGE, "unexpected argument '%s'; see 'rubato %s --help'",
                       p->operands[max], c->name);
    return RB_OK;
}

int cli_report(const rb_err_t *err)
{
    fprintf(stderr, "rubato: %s\n", err->text);
    return rb_exit_code(err->code);
}
