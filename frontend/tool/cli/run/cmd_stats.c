/* rubato stats: compares two runs, lists the statistics of many runs side by side, and explains
 * them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/run/stats_explain.h"
#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/study/run_pair.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

typedef struct {
    uint64_t top;
    unsigned format; /* index in format_words */
    char **operand;  /* after the action */
    int n_operands;
} stats_options_t;

static const char *const format_words[] = {"table", "csv", NULL};
enum { FORMAT_TABLE, FORMAT_CSV };

/* Formats a value of any unit in at most 14 characters. */
static const char *value_text(char text[FORMAT_MAX], double v)
{
    if (!isfinite(v))
        return strcpy(text, "-");
    if (v == floor(v) && v >= 0.0 && v < 1e10)
        return format_grouped(text, (uint64_t)v);
    snprintf(text, FORMAT_MAX, "%.6g", v);
    return text;
}

static void print_change(const run_pair_t *p, const stat_change_t *c)
{
    char a[FORMAT_MAX], b[FORMAT_MAX], share[FORMAT_MAX], text[RUN_PAIR_TEXT];
    const change_t change = run_pair_change(p, c->path);
    printf("%-36s %14s %14s %20s %9s  %s\n", c->path, value_text(a, c->a), value_text(b, c->b),
           run_pair_text(text, &change), format_share(share, c->share), c->unit);
}

/* Prints the rows of one part: counters (with shares), or the others. */
static void print_part(const run_pair_t *p, const stat_change_t *list, size_t n, bool counters,
                       uint64_t top)
{
    size_t shown = 0, of = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(list[i].share) != counters)
            continue;
        of++;
        if (top != 0 && shown == top)
            continue;
        if (shown++ == 0)
            printf("\n%-36s %14s %14s %20s %9s  %s\n", counters ? "counters" : "totals and ratios",
                   "A", "B", "change", "share", "unit");
        print_change(p, &list[i]);
    }
    if (of > shown)
        printf("... and %zu more (--top 0 shows all)\n", of - shown);
}

/* How the changes are known. */
static void print_method(const run_pair_t *p)
{
    if (p->units != NULL)
        printf("+-: 95 %% interval of the change, from parts of launches that both simulated\n");
    else if (p->paired)
        printf("+-: 95 %% interval of the change, from %llu launches that both simulated\n",
               (unsigned long long)p->launches);
    else if (p->why[0] != '\0')
        printf(
            "+-: 95 %% interval of the change, as if the errors of A and B were independent: %s\n",
            p->why);
    if (p->a->stats.estimated || p->b->stats.estimated)
        printf("?: no interval. none: the interval contains no change\n");
}

static void print_table(const stats_options_t *o, const run_pair_t *p, const stat_change_t *list,
                        size_t n)
{
    printf("A  %s\nB  %s\n", o->operand[0], o->operand[1]);
    if (n == 0)
        printf("\nNothing differs.\n");
    print_part(p, list, n, false, o->top);
    print_part(p, list, n, true, o->top);
    if (n == 0)
        return;
    printf("\npp: change of a share in percentage points; share: fraction of all changes among "
           "counters of\nthe same group and unit\n");
    print_method(p);
}

static void print_changes_csv(const run_pair_t *p, const stat_change_t *list, size_t n)
{
    csv_t c = {.out = stdout};
    static const char *const head[] = {"path",    "unit",   "a",          "b",           "relative",
                                       "share",   "a_low",  "a_high",     "b_low",       "b_high",
                                       "overlap", "change", "change_low", "change_high", "method"};
    for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
        csv_text(&c, head[i]);
    csv_end_row(&c);
    for (size_t i = 0; i < n; i++) {
        const change_t change = run_pair_change(p, list[i].path);
        csv_text(&c, list[i].path);
        csv_text(&c, list[i].unit);
        csv_f64(&c, list[i].a);
        csv_f64(&c, list[i].b);
        csv_f64(&c, list[i].relative);
        csv_f64(&c, list[i].share);
        csv_f64(&c, list[i].a_low);
        csv_f64(&c, list[i].a_high);
        csv_f64(&c, list[i].b_low);
        csv_f64(&c, list[i].b_high);
        csv_u64(&c, list[i].overlap);
        csv_f64(&c, change.change);
        csv_f64(&c, change.low);
        csv_f64(&c, change.high);
        csv_text(&c, change.method);
        csv_end_row(&c);
    }
}

static rb_code_t diff(const stats_options_t *o, rb_err_t *err)
{
    run_pair_t pair;
    if (o->n_operands != 2)
        return rb_fail(err, RB_USAGE, "stats diff: two runs are needed, A and B");
    rb_code_t rc = run_pair_open(&pair, o->operand[0], o->operand[1], err);
    if (rc == RB_OK) {
        size_t n;
        stat_change_t *list = stat_changes(&pair.a->stats, &pair.b->stats, &n);
        if (o->format == FORMAT_CSV)
            print_changes_csv(&pair, list, n);
        else
            print_table(o, &pair, list, n);
        free(list);
    }
    run_pair_free(&pair);
    return rc;
}

static void join_row(csv_t *c, const stat_table_t *tables, size_t n, const stat_row_t *row,
                     size_t hint)
{
    csv_text(c, row->path);
    csv_text(c, row->unit);
    for (size_t t = 0; t < n; t++) {
        const stat_row_t *there = stat_table_find(&tables[t], row->path, hint);
        csv_text(c, there != NULL ? there->text : NULL);
    }
    csv_end_row(c);
}

/* Lists every path once, in order of first occurrence. */
static void print_join(const stats_options_t *o, const stat_table_t *tables, size_t n)
{
    csv_t c = {.out = stdout};
    csv_text(&c, "path");
    csv_text(&c, "unit");
    for (size_t t = 0; t < n; t++)
        csv_text(&c, o->operand[t]);
    csv_end_row(&c);
    for (size_t t = 0; t < n; t++) {
        for (size_t i = 0; i < tables[t].n; i++) {
            bool before = false;
            for (size_t k = 0; k < t && !before; k++)
                before = stat_table_find(&tables[k], tables[t].rows[i].path, i) != NULL;
            if (!before)
                join_row(&c, tables, n, &tables[t].rows[i], i);
        }
    }
}

static rb_code_t join(const stats_options_t *o, rb_err_t *err)
{
    if (o->n_operands < 1)
        return rb_fail(err, RB_USAGE, "stats join: which runs?");
    size_t n = (size_t)o->n_operands;
    stat_table_t *tables = rb_calloc(n, sizeof(*tables));
    rb_code_t rc = RB_OK;
    for (size_t i = 0; rc == RB_OK && i < n; i++)
        rc = stat_table_read(&tables[i], o->operand[i], err);
    if (rc == RB_OK)
        print_join(o, tables, n);
    for (size_t i = 0; i < n; i++)
        stat_table_free(&tables[i]);
    free(tables);
    return rc;
}

static rb_code_t explain(const stats_options_t *o, rb_err_t *err)
{
    return stats_explain(o->operand, o->n_operands, err);
}

static const struct {
    const char *name;
    rb_code_t (*run)(const stats_options_t *o, rb_err_t *err);
} actions[] = {{"diff", diff}, {"join", join}, {"explain", explain}};
enum { ACTIONS = sizeof(actions) / sizeof(actions[0]) };

static rb_code_t find_action(const char *name, unsigned *action, rb_err_t *err)
{
    suggest_t like;
    suggest_begin(&like, name);
    for (*action = 0; *action < ACTIONS; ++*action) {
        if (strcmp(name, actions[*action].name) == 0)
            return RB_OK;
        suggest_offer(&like, actions[*action].name);
    }
    if (like.best != NULL)
        return rb_fail(err, RB_USAGE, "stats: unknown action '%.60s'; did you mean '%s'?", name,
                       like.best);
    return rb_fail(err, RB_USAGE,
                   "stats: unknown action '%.60s'; the actions are diff, join and explain", name);
}

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    stats_options_t *o = ctx;
    if (id == CLI_TOP)
        return option_count("top", value, 0, UINT32_MAX, &o->top, err);
    return option_word("format", value, format_words, &o->format, err);
}

static rb_code_t stats(int argc, char **argv, rb_err_t *err)
{
    enum { TOP = 20 };
    stats_options_t o = {.top = TOP};
    cli_parser_t p;
    unsigned action;
    bool help;
    const cli_command_t *command = cli_find_command("stats");
    cli_parser_init(&p, command, argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, &o, &help, err));
    if (help) {
        cli_print_help(command, stdout);
        return out_flush_stdout(err);
    }
    if (p.n_operands < 1)
        return rb_fail(err, RB_USAGE, "stats: diff, join or explain? See 'rubato stats --help'");
    RB_TRY(find_action(p.operands[0], &action, err));
    o.operand = p.operands + 1;
    o.n_operands = p.n_operands - 1;
    RB_TRY(actions[action].run(&o, err));
    return out_flush_stdout(err);
}

int cmd_stats(int argc, char **argv)
{
    rb_err_t err = {0};
    return stats(argc, argv, &err) == RB_OK ? 0 : cli_report(&err);
}
