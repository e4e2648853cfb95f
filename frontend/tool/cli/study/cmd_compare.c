/* rubato compare: compares simulated with measured values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/study/compare_suite.h"
#include "frontend/tool/io/kernel_name.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/silicon/hardware_compare.h"

enum { LABEL = 44 }; /* width of text columns */

typedef struct {
    const char *hardware, *output;
    compare_suite_options_t suite;
} compare_options_t;

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    compare_options_t *o = ctx;
    (void)err;
    if (id == CLI_HARDWARE)
        o->hardware = value;
    else if (id == CLI_STAT)
        o->suite.stat = value;
    else if (id == CLI_MATCH)
        text_list_add(&o->suite.choice.match, value);
    else if (id == CLI_WHERE)
        text_list_add(&o->suite.choice.where, value);
    else
        o->output = value;
    return RB_OK;
}

static void print_counter(const hardware_counter_t *c)
{
    char error[FORMAT_MAX], bias[FORMAT_MAX], worst[FORMAT_MAX], r[FORMAT_MAX] = "-";
    char kernel[KERNEL_IDENTIFIER] = "", launch[32] = "";
    if (isfinite(c->score.r))
        snprintf(r, sizeof(r), "%.3f", c->score.r);
    strcpy(worst, "-");
    if (c->score.n > 0) {
        const hardware_pair_t *p = &c->pairs[c->score.worst];
        format_error(worst, hardware_error(c, p), c->share, true);
        kernel_identifier(p->kernel, kernel);
        if (kernel[0] == '\0')
            snprintf(kernel, sizeof(kernel), "%s", p->kernel);
        if (p->launch > 0)
            snprintf(launch, sizeof(launch), " (launch %llu)", (unsigned long long)p->launch);
    }
    printf("%-*.*s %5zu %10s %10s %7s %10s  %.40s%s\n", LABEL, LABEL, c->label, c->n_pairs,
           format_error(error, c->score.error, c->share, false),
           format_error(bias, c->score.bias, c->share, true), r, worst, kernel, launch);
}

/* Prints one of a list of names; *width: of the line so far, 0 before the first. */
static void print_name(const char *title, const char *name, size_t *width)
{
    enum { LINE = 100 };
    size_t n = strlen(name) + 2;
    if (*width == 0)
        printf("\n%s:\n  %s", title, name);
    else
        printf(*width + n > LINE ? ",\n  %s" : ", %s", name);
    *width = *width == 0 || *width + n > LINE ? n : *width + n;
}

static void print_unmatched(const hardware_comparison_t *c)
{
    size_t width = 0;
    for (size_t i = 0; i < c->n_counters; i++) {
        if (c->counters[i].n_pairs == 0)
            print_name("Columns without a pair: not measured, or nothing simulated",
                       c->counters[i].label, &width);
    }
    fputs(width > 0 ? "\n" : "", stdout);
    width = 0;
    for (size_t i = 0; i < c->n_unknown; i++)
        print_name("Columns without a matching statistic", c->unknown[i], &width);
    fputs(width > 0 ? "\n" : "", stdout);
}

static void print_comparison(const hardware_comparison_t *c, const hardware_table_t *t)
{
    static const char *const kinds[] = {"launch", "kernel", "program"};
    bool shares = false, zeros = false, launch = false;
    printf("%s: %zu of %zu rows (one per %s) found in %zu launches\n", t->file, c->rows_matched,
           c->rows_matched + c->rows_unmatched, kinds[t->kind], c->launches_matched);
    if (c->launches_unmatched > 0)
        printf("%zu launches have no row\n", c->launches_unmatched);
    printf("\n%-*s %5s %10s %10s %7s %10s  %s\n", LABEL, "measured", "pairs", "error", "bias", "r",
           "worst", "where");
    for (size_t i = 0; i < c->n_counters; i++) {
        if (c->counters[i].n_pairs == 0)
            continue;
        print_counter(&c->counters[i]);
        launch = launch || c->counters[i].formula.variant[0] != '\0';
        shares = shares || c->counters[i].share;
        zeros = zeros || c->counters[i].score.n < c->counters[i].n_pairs;
    }
    printf("\nerror: mean of |simulated - measured| / measured; bias: the same without absolute "
           "values; "
           "r: Pearson's correlation\n");
    if (shares)
        printf("pp: for fractions, |simulated - measured| in percentage points\n");
    if (zeros)
        printf("no error is given if the measured value is 0 and the simulated one is not\n");
    if (launch)
        printf("launch latency off, in: how much launch overhead the card's counter includes is "
               "unknown;\nthe bias lies between the two\n");
    print_unmatched(c);
}

static rb_code_t save_pairs(const hardware_comparison_t *c, const char *path, rb_err_t *err)
{
    out_file_t f;
    RB_TRY(out_file_open_path(&f, path, err));
    compare_write_head(false, f.out);
    compare_write_pairs(c, NULL, NULL, f.out);
    return out_file_close(&f, RB_OK, err);
}

static rb_code_t compare(const compare_options_t *o, char *const *operands, int n, rb_err_t *err)
{
    hardware_table_t t;
    hardware_comparison_t c = {0};
    rb_code_t rc = hardware_table_read(&t, o->hardware, err);
    if (rc == RB_OK && out_has(operands[0], "jobs.tsv")) {
        rc = compare_suite(&t, operands, (size_t)n, &o->suite, o->output, err);
        hardware_table_free(&t);
        return rc == RB_OK ? out_flush_stdout(err) : rc;
    }
    if (rc == RB_OK &&
        (o->suite.stat != NULL || o->suite.choice.match.n > 0 || o->suite.choice.where.n > 0))
        rc = rb_fail(err, RB_USAGE,
                     "--stat, --match and --where are for the folder of a sweep; %.300s is none",
                     operands[0]);
    if (rc == RB_OK)
        rc = hardware_compare(&c, &t, operands, n, err);
    if (rc == RB_OK && o->output != NULL)
        rc = save_pairs(&c, o->output, err);
    if (rc == RB_OK) {
        print_comparison(&c, &t);
        rc = out_flush_stdout(err);
    }
    hardware_free(&c);
    hardware_table_free(&t);
    return rc;
}

static rb_code_t read_and_compare(compare_options_t *o, int argc, char **argv, rb_err_t *err)
{
    cli_parser_t p;
    bool help;
    enum { RUNS_MAX = 10000 };
    const cli_command_t *command = cli_find_command("compare");
    cli_parser_init(&p, command, argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, o, &help, err));
    if (help) {
        cli_print_help(command, stdout);
        return out_flush_stdout(err);
    }
    RB_TRY(cli_check_operands(&p, 1, RUNS_MAX, err));
    if (o->hardware == NULL)
        return rb_fail(
            err, RB_USAGE,
            "compare: --hardware FILE with the measured values is missing, such as the CSV of 'ncu "
            "--page raw --csv'");
    return compare(o, p.operands, p.n_operands, err);
}

int cmd_compare(int argc, char **argv)
{
    rb_err_t err = {0};
    compare_options_t o = {0};
    rb_code_t rc = read_and_compare(&o, argc, argv, &err);
    free(o.suite.choice.match.text);
    free(o.suite.choice.where.text);
    return rc == RB_OK ? 0 : cli_report(&err);
}
