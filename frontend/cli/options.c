#include "frontend/cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

enum { LONG_BASE = 256 }; /* getopt's code of the n-th long option */

const cli_command_t *cli_find_command(const char *name)
{
    for (const cli_command_t *c = cli_commands; c->name != NULL; c++) {
        if (strcmp(c->name, name) == 0)
            return c;
    }
    return NULL;
}

rb_code_t cli_unknown_command(const char *name, rb_err_t *err)
{
    suggest_t like;
    suggest_begin(&like, name);
    for (const cli_command_t *c = cli_commands; c->name != NULL; c++)
        suggest_offer(&like, c->name);
    if (like.best != NULL)
        return rb_fail(err, RB_USAGE, "unknown command '%s'; did you mean '%s'?", name, like.best);
    return rb_fail(err, RB_USAGE, "unknown command '%s'; see 'rubato --help'", name);
}

void cli_parser_init(cli_parser_t *p, const cli_command_t *command, int argc, char **argv)
{
    *p = (cli_parser_t){.command = command, .argc = argc, .argv = argv};
    RB_INVARIANT(command->n_options <= CLI_OPTIONS_MAX, "too many options of %s", command->name);
    char *s = p->short_options;
    *s++ = ':'; /* a missing argument is told from an unknown option */
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
    optind = 0; /* glibc: start over, whatever was parsed before */
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

/* How the user wrote the word at fault: "--gpuu" of "--gpuu=v100". */
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

rb_code_t cli_parse_count(const char *option, const char *text, uint64_t min, uint64_t max,
                          uint64_t *out, rb_err_t *err)
{
    uint64_t v = 0;
    const char *s = text;
    bool good = *s >= '0' && *s <= '9';
    for (; *s >= '0' && *s <= '9'; s++)
        good = good && !__builtin_mul_overflow(v, 10u, &v) &&
               !__builtin_add_overflow(v, (uint64_t)(*s - '0'), &v);
    uint64_t scale = 1;
    if (*s == 'k' || *s == 'K')
        scale = 1000;
    else if (*s == 'M')
        scale = 1000000;
    else if (*s == 'G')
        scale = 1000000000;
    if (scale > 1)
        s++;
    good = good && *s == '\0' && !__builtin_mul_overflow(v, scale, &v);
    if (!good)
        return rb_fail(err, RB_USAGE, "--%s: '%s' is not a whole number", option, text);
    if (v < min || v > max)
        return rb_fail(err, RB_USAGE, "--%s: %s is outside %llu..%llu", option, text,
                       (unsigned long long)min, (unsigned long long)max);
    *out = v;
    return RB_OK;
}

rb_code_t cli_parse_seconds(const char *option, const char *text, double *out, rb_err_t *err)
{
    char *end;
    errno = 0;
    double v = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(v >= 0.0 && v <= 1e9))
        return rb_fail(err, RB_USAGE, "--%s: '%s' is not a number of seconds", option, text);
    *out = v;
    return RB_OK;
}

rb_code_t cli_parse_word(const char *option, const char *text, const char *const *words,
                         unsigned *out, rb_err_t *err)
{
    char list[256] = "";
    for (unsigned i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return RB_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return rb_fail(err, RB_USAGE, "--%s: '%s' is none of %s", option, text, list);
}

/* One id, advancing *s; false if there is none or it overflows. */
static bool id_read(const char **s, uint64_t *v)
{
    if (**s < '0' || **s > '9')
        return false;
    for (*v = 0; **s >= '0' && **s <= '9'; ++*s) {
        if (__builtin_mul_overflow(*v, 10u, v) ||
            __builtin_add_overflow(*v, (uint64_t)(**s - '0'), v))
            return false;
    }
    return true;
}

rb_code_t cli_parse_id_list(const char *option, const char *text, uint64_t n, uint64_t **ids,
                            size_t *n_ids, rb_err_t *err)
{
    size_t cap = 0, used = 0;
    uint64_t last = 0;
    rb_code_t rc = RB_OK;
    *ids = NULL;
    for (const char *s = text; rc == RB_OK;) {
        uint64_t from, to;
        bool good = id_read(&s, &from);
        to = from;
        if (good && *s == '-') {
            s++;
            if (*s == '\0' || *s == ',')
                to = n;
            else
                good = id_read(&s, &to);
        }
        good = good && (*s == ',' || *s == '\0');
        if (!good)
            rc = rb_fail(err, RB_USAGE, "--%s: '%s' is not a list such as 3-7,12", option, text);
        else if (from == 0 || from > n || to > n)
            rc = rb_fail(err, RB_USAGE, "--%s: launch %llu: the trace has launches 1..%llu", option,
                         (unsigned long long)(from == 0 || from > n ? from : to),
                         (unsigned long long)n);
        else if (from <= last || to < from)
            rc = rb_fail(err, RB_USAGE, "--%s: '%s' is not in ascending order", option, text);
        if (rc != RB_OK)
            break;
        rb_grow(ids, &cap, used + (size_t)(to - from) + 1, sizeof(**ids));
        for (last = from; last <= to; last++)
            (*ids)[used++] = last;
        last = to;
        if (*s == '\0')
            break;
        s++;
    }
    if (rc != RB_OK) {
        free(*ids);
        *ids = NULL;
        return rc;
    }
    *n_ids = used;
    return RB_OK;
}

int cli_report(const rb_err_t *err)
{
    fprintf(stderr, "rubato: %s\n", err->text);
    return rb_exit_code(err->code);
}

rb_code_t cli_flush_stdout(rb_err_t *err)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        return rb_fail(err, RB_IO, "standard output: %s",
                       errno != 0 ? strerror(errno) : "write error");
    return RB_OK;
}
