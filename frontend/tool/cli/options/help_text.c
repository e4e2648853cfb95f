/* Prints --help and the manual page from the option tables. */
#include <string.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/version.h"

enum { HELP_WIDTH = 80, HELP_COLUMN = 30 };

/*
 * Prints text wrapped between words. It begins at column; continuation lines begin at indent. Ends
 * with a newline.
 */
static void print_wrapped(FILE *out, const char *text, size_t column, size_t indent)
{
    for (const char *s = text; *s != '\0';) {
        size_t len = strcspn(s, " \n");
        if (column + len > HELP_WIDTH && column > indent) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        fprintf(out, "%.*s", (int)len, s);
        column += len;
        s += len;
        if (*s == '\n') {
            fputc('\n', out);
            column = 0;
            s++;
        } else if (*s == ' ') {
            s++;
            if (column + 1 + strcspn(s, " \n") <= HELP_WIDTH) {
                fputc(' ', out);
                column++;
            } else {
                fprintf(out, "\n%*s", (int)indent, "");
                column = indent;
            }
        }
    }
    fputc('\n', out);
}

/* Prints "  -g, --gpu NAME" and the description. */
static void print_option(FILE *out, const cli_option_t *o)
{
    char left[64], help[512];
    char letter[8] = "    ";
    if (o->letter != 0)
        snprintf(letter, sizeof(letter), "-%c, ", o->letter);
    int n = snprintf(left, sizeof(left), "  %s--%s%s%s", letter, o->name, o->arg != NULL ? " " : "",
                     o->arg != NULL ? o->arg : "");
    snprintf(help, sizeof(help), "%s%s%s%s", o->help, o->def != NULL ? " [" : "",
             o->def != NULL ? o->def : "", o->def != NULL ? "]" : "");
    if (n >= HELP_COLUMN)
        fprintf(out, "%s\n%*s", left, HELP_COLUMN, "");
    else
        fprintf(out, "%-*s", HELP_COLUMN, left);
    print_wrapped(out, help, HELP_COLUMN, HELP_COLUMN);
}

/* Calls visit for each visible option, group by group, in order of first occurrence. */
static void visit_options(const cli_command_t *c, FILE *out,
                          void (*group)(FILE *out, const char *name),
                          void (*option)(FILE *out, const cli_option_t *o))
{
    for (size_t i = 0; i < c->n_options; i++) {
        const char *name = c->options[i].group;
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen = seen || strcmp(c->options[j].group, name) == 0;
        if (seen)
            continue;
        group(out, name);
        for (size_t j = i; j < c->n_options; j++) {
            if (!c->options[j].hidden && strcmp(c->options[j].group, name) == 0)
                option(out, &c->options[j]);
        }
    }
}

static void help_group(FILE *out, const char *name)
{
    fprintf(out, "\n%s:\n", name);
}

static void print_overview(FILE *out)
{
    fprintf(out,
            "rubato %s: a cycle-level simulator of NVIDIA GPUs, driven by traces of machine code\n"
            "\nUsage: rubato COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:\n",
            RUBATO_VERSION);
    for (const cli_command_t *const *c = cli_commands; *c != NULL; c++)
        fprintf(out, "  %-12s %s\n", (*c)->name, (*c)->summary);
    fprintf(out, "\n'rubato COMMAND --help' describes a command, 'rubato --version' prints the "
                 "version.\n\nA first run:  rubato run traces/matmul-sm70 --gpu v100\n");
}

void cli_print_help(const cli_command_t *c, FILE *out)
{
    if (c == NULL) {
        print_overview(out);
        return;
    }
    fprintf(out, "Usage: rubato %s [OPTION]...%s%s\n\n", c->name, c->operands[0] != '\0' ? " " : "",
            c->operands);
    print_wrapped(out, c->text, 0, 0);
    visit_options(c, out, help_group, print_option);
}

/* Prints text for roff, escaping backslashes, hyphens and leading dots. */
static void roff_text(FILE *out, const char *s)
{
    bool line_start = true;
    for (; *s != '\0'; s++) {
        if (*s == '\n' && s[1] == '\n') {
            fputs("\n.PP\n", out);
            s++;
            line_start = true;
            continue;
        }
        if (line_start && (*s == '.' || *s == '\''))
            fputs("\\&", out);
        if (*s == '\\')
            fputs("\\e", out);
        else if (*s == '-')
            fputs("\\-", out);
        else
            fputc(*s, out);
        line_start = *s == '\n';
    }
}

static void man_group(FILE *out, const char *name)
{
    fprintf(out, ".PP\n%s:\n", name);
}

static void man_option(FILE *out, const cli_option_t *o)
{
    fputs(".TP\n", out);
    if (o->letter != 0)
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", out);
    roff_text(out, o->name);
    fputs("\\fR", out);
    if (o->arg != NULL)
        fprintf(out, " \\fI%s\\fR", o->arg);
    fputc('\n', out);
    roff_text(out, o->help);
    if (o->def != NULL) {
        fputs(" [", out);
        roff_text(out, o->def);
        fputc(']', out);
    }
    fputc('\n', out);
}

/* Sections that are not about options: name and text. */
static const char *const man_sections[][2] = {
    {"RESULTS",
     "A folder written by rubato run \\-o holds:\n.TP\n.B run.json\neverything: version, command, "
     "trace, totals, host, one object per launch\n.TP\n.B launches.csv\none row per launch, all "
     "counters as columns\n.TP\n.B stats.csv\npath,value,unit,low,high: totals, sums over SMs, L2 "
     "slices and DRAM channels, and ratios of these sums; the ends of confidence "
     "intervals\n.TP\n.B config.cfg\nthe resolved configuration: "
     "every value and where it came from\n.TP\n.B intervals.csv\nthe time series of "
     "\\-\\-stats\\-interval\n.PP\nDuring a run the folder also has its journal and its two newest "
     "checkpoints; they are removed once the results are written."},
    {"EXIT STATUS",
     "0: done; 1: the environment failed (missing file, full disk, no memory); 2: a mistake in the "
     "command line, configuration or trace; 75: stopped on request, resumable; 112: a bug in "
     "rubato."},
    {"EXAMPLES",
     ".nf\nrubato run traces/matmul\\-sm70 \\-\\-gpu v100\nrubato run traces/spmv_vector\\-sm70 "
     "\\-s "
     "l2.size=3MiB \\-s sm.count=40 \\-o out\nrubato info traces/matmul\\-sm70\nrubato config "
     "explain l2\n.fi"},
};

void cli_print_man(FILE *out)
{
    fprintf(out,
            ".\\\" Generated by 'rubato help --man'; change frontend/tool/cli/options/commands_*.c "
            "instead.\n"
            ".TH RUBATO 1 \"\" \"rubato %s\" \"User Commands\"\n.SH NAME\nrubato \\- cycle\\-level "
            "simulator of NVIDIA GPUs\n.SH SYNOPSIS\n.B rubato\n.I COMMAND\n[\\fIOPTION\\fR]... "
            "[\\fIARGUMENT\\fR]...\n.SH DESCRIPTION\nrubato simulates programs traced on NVIDIA "
            "GPUs (Volta and Turing first) cycle by cycle and explains where the cycles go.\n"
            ".SH COMMANDS\n",
            RUBATO_VERSION);
    for (const cli_command_t *const *at = cli_commands; *at != NULL; at++) {
        const cli_command_t *c = *at;
        fprintf(out, ".SS rubato %s [\\fIOPTION\\fR]...%s%s\n", c->name,
                c->operands[0] != '\0' ? " " : "", c->operands);
        roff_text(out, c->text);
        fputc('\n', out);
        visit_options(c, out, man_group, man_option);
    }
    for (size_t i = 0; i < sizeof(man_sections) / sizeof(man_sections[0]); i++)
        fprintf(out, ".SH %s\n%s\n", man_sections[i][0], man_sections[i][1]);
}

static rb_code_t take_man(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    (void)id; /* there is only one */
    (void)value;
    (void)err;
    *(bool *)ctx = true;
    return RB_OK;
}

int cmd_help(int argc, char **argv)
{
    rb_err_t err = {0};
    cli_parser_t p;
    bool man = false, help;
    cli_parser_init(&p, cli_find_command("help"), argc, argv);
    if (cli_parser_read(&p, take_man, &man, &help, &err) != RB_OK)
        return cli_report(&err);
    if (help) {
        cli_print_help(p.command, stdout);
        return out_flush_stdout(&err) != RB_OK ? cli_report(&err) : 0;
    }
    if (cli_check_operands(&p, 0, man ? 0 : 1, &err) != RB_OK)
        return cli_report(&err);
    const cli_command_t *c = NULL;
    if (p.n_operands == 1) {
        c = cli_find_command(p.operands[0]);
        if (c == NULL) {
            cli_unknown_command(p.operands[0], &err);
            return cli_report(&err);
        }
    }
    if (man)
        cli_print_man(stdout);
    else
        cli_print_help(c, stdout);
    return out_flush_stdout(&err) != RB_OK ? cli_report(&err) : 0;
}
