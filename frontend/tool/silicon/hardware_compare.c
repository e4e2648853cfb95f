#include "frontend/tool/silicon/hardware_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/io/kernel_name.h"
#include "sim/core/alloc.h"

static void add_counter(hardware_comparison_t *c, const hardware_table_t *t, size_t column,
                        const hardware_formula_t *f)
{
    hardware_counter_t *counter = &c->counters[c->n_counters++];
    *counter = (hardware_counter_t){
        .measured = t->columns[column], .column = column, .formula = *f, .share = f->share};
    hardware_formula_describe(f, counter->simulated, sizeof(counter->simulated));
    snprintf(counter->label, sizeof(counter->label), "%.55s%s%s", counter->measured,
             f->variant[0] != '\0' ? ", " : "", f->variant);
}

rb_code_t hardware_begin(hardware_comparison_t *c, const hardware_table_t *t, rb_err_t *err)
{
    *c = (hardware_comparison_t){
        .counters = rb_calloc(HARDWARE_FORMULAS * t->n_columns + 1, sizeof(*c->counters)),
        .unknown = rb_calloc(t->n_columns + 1, sizeof(*c->unknown))};
    for (size_t i = 0; i < t->n_columns; i++) {
        hardware_formula_t f[HARDWARE_FORMULAS];
        size_t n = hardware_formulas(t->columns[i], f);
        if (n == 0)
            c->unknown[c->n_unknown++] = t->columns[i];
        for (size_t k = 0; k < n; k++)
            add_counter(c, t, i, &f[k]);
        if (n > 0 && t->unknown_unit[i] != NULL && err->code == RB_OK)
            (void)rb_fail(err, RB_TRACE, "%s: column '%.80s': the unit '%.40s' is not known",
                          t->file, t->columns[i], t->unknown_unit[i]);
    }
    return err->code;
}

/* Fails if nothing was compared, with what the table has. */
static rb_code_t check_pairs(const hardware_comparison_t *c, const hardware_table_t *t,
                             rb_err_t *err)
{
    for (size_t i = 0; i < c->n_counters; i++)
        if (c->counters[i].n_pairs > 0)
            return RB_OK;
    if (c->n_counters > 0)
        return rb_fail(
            err, RB_TRACE,
            "%s: no value can be compared: '%.80s' was not measured, or not simulated, in "
            "any row that was found",
            t->file, c->counters[0].measured);
    return rb_fail(err, RB_TRACE,
                   "%s: no column corresponds to a statistic, such as gpc__cycles_elapsed.max; the "
                   "first of %zu is '%.80s'",
                   t->file, t->n_columns, t->n_columns > 0 ? t->columns[0] : "none");
}

void hardware_free(hardware_comparison_t *c)
{
    for (size_t i = 0; i < c->n_counters; i++)
        free(c->counters[i].pairs);
    free(c->counters);
    free(c->unknown);
    *c = (hardware_comparison_t){0};
}

/* Pairs a row with values of the run. */
static void add_pairs(hardware_comparison_t *c, const hardware_row_t *row, const double *values,
                      double clock_mhz, uint64_t launch)
{
    for (size_t i = 0; i < c->n_counters; i++) {
        hardware_counter_t *k = &c->counters[i];
        double measured = row->values[k->column];
        double simulated = hardware_formula_value(&k->formula, values, clock_mhz);
        if (!isfinite(measured) || !isfinite(simulated))
            continue;
        rb_grow(&k->pairs, &k->cap_pairs, k->n_pairs + 1, sizeof(*k->pairs));
        k->pairs[k->n_pairs++] = (hardware_pair_t){row->kernel != NULL ? row->kernel : row->program,
                                                   launch, c->run, measured, simulated};
    }
}

/* A row or a launch with the properties by which they are matched. */
typedef struct {
    char *name; /* owned: the kernel's identifier */
    const uint32_t *grid, *block;
    size_t index;
} item_t;

static int by_kernel(const void *a, const void *b)
{
    const item_t *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    for (int i = 0; c == 0 && x->grid != NULL && i < 3; i++)
        c = (x->grid[i] > y->grid[i]) - (x->grid[i] < y->grid[i]);
    for (int i = 0; c == 0 && x->block != NULL && i < 3; i++)
        c = (x->block[i] > y->block[i]) - (x->block[i] < y->block[i]);
    return c;
}

static int by_kernel_and_order(const void *a, const void *b)
{
    const item_t *x = a, *y = b;
    int c = by_kernel(a, b);
    return c != 0 ? c : (x->index > y->index) - (x->index < y->index);
}

static item_t make_item(const char *name, size_t index, const uint32_t *grid, const uint32_t *block)
{
    char text[KERNEL_IDENTIFIER];
    kernel_identifier(name, text);
    return (item_t){rb_strdup(text[0] != '\0' ? text : name), grid, block, index};
}

typedef struct {
    item_t *rows, *launches; /* owned */
    size_t n_rows, n_launches;
} match_t;

static void match_free(match_t *m)
{
    for (size_t i = 0; i < m->n_rows; i++)
        free(m->rows[i].name);
    for (size_t i = 0; i < m->n_launches; i++)
        free(m->launches[i].name);
    free(m->rows);
    free(m->launches);
}

/* picked: the n rows of the table that belong to the run. */
static void match_begin(match_t *m, const hardware_table_t *t, const size_t *picked, size_t n,
                        const run_data_t *run, bool shapes)
{
    *m = (match_t){.rows = rb_calloc(n + 1, sizeof(item_t)),
                   .launches = rb_calloc(run->n_launches + 1, sizeof(item_t)),
                   .n_rows = n,
                   .n_launches = run->n_launches};
    for (size_t i = 0; i < n; i++) {
        const hardware_row_t *row = &t->rows[picked[i]];
        m->rows[i] = make_item(row->kernel, picked[i], shapes ? row->grid : NULL,
                               shapes ? row->block : NULL);
    }
    for (size_t i = 0; i < run->n_launches; i++) {
        const run_data_launch_t *l = &run->launches[i];
        m->launches[i] = make_item(l->name, i, shapes ? l->grid : NULL, shapes ? l->block : NULL);
    }
    qsort(m->rows, m->n_rows, sizeof(item_t), by_kernel_and_order);
    qsort(m->launches, m->n_launches, sizeof(item_t), by_kernel_and_order);
}

static rb_code_t no_match(hardware_comparison_t *c, const hardware_table_t *t,
                          const run_data_t *run, const match_t *m, rb_err_t *err)
{
    c->no_match = true;
    return rb_fail(err, RB_TRACE,
                   "%s and %s have no kernel%s in common; the file has '%.80s', the run '%.80s'",
                   t->file, run->file, t->has_shape ? " with the same grid and block" : "",
                   m->n_rows > 0 ? m->rows[0].name : "none",
                   m->n_launches > 0 ? m->launches[0].name : "none");
}

/* Whether the rows cover all launches of the trace in its order. */
static bool is_complete(const hardware_table_t *t, const size_t *picked, size_t n,
                        const run_data_t *run)
{
    if (n != run->trace_launches)
        return false;
    for (size_t i = 0; i < run->n_launches; i++) {
        const run_data_launch_t *l = &run->launches[i];
        if (l->id < 1 || l->id > n ||
            kernel_names_differ(t->rows[picked[l->id - 1]].kernel, l->name))
            return false;
    }
    return true;
}

static rb_code_t add_launches(hardware_comparison_t *c, const hardware_table_t *t,
                              const size_t *picked, size_t n, const run_data_t *run, rb_err_t *err)
{
    if (is_complete(t, picked, n, run)) {
        for (size_t i = 0; i < run->n_launches; i++) {
            const run_data_launch_t *l = &run->launches[i];
            add_pairs(c, &t->rows[picked[l->id - 1]], l->values, run->clock_mhz, l->id);
        }
        c->rows_matched += run->n_launches;
        c->rows_unmatched += n - run->n_launches;
        c->launches_matched += run->n_launches;
        return RB_OK;
    }
    if (run->n_launches < run->trace_launches)
        return rb_fail(err, RB_TRACE,
                       "%s simulated %zu of %llu launches: their rows in %s can be identified only "
                       "if the file has a row for every launch of the trace; it has %zu",
                       run->file, run->n_launches, (unsigned long long)run->trace_launches, t->file,
                       n);
    match_t m;
    size_t i = 0, k = 0, matched = 0;
    match_begin(&m, t, picked, n, run, t->has_shape);
    while (i < m.n_rows && k < m.n_launches) {
        int order = by_kernel(&m.rows[i], &m.launches[k]);
        if (order == 0) {
            const run_data_launch_t *l = &run->launches[m.launches[k].index];
            add_pairs(c, &t->rows[m.rows[i].index], l->values, run->clock_mhz, l->id);
            matched++;
        }
        i += order <= 0;
        k += order >= 0;
    }
    rb_code_t rc = matched > 0 ? RB_OK : no_match(c, t, run, &m, err);
    match_free(&m);
    c->rows_matched += matched;
    c->rows_unmatched += n - matched;
    c->launches_matched += matched;
    c->launches_unmatched += run->n_launches - matched;
    return rc;
}

/* Mean of the launches [from, end) of m, weighted by how many launches each stands for. */
static void mean_values(const run_data_t *run, const match_t *m, size_t from, size_t end,
                        double mean[HARDWARE_PATHS])
{
    double weights = 0.0;
    memset(mean, 0, HARDWARE_PATHS * sizeof(*mean));
    for (size_t i = from; i < end; i++) {
        const double *values = run->launches[m->launches[i].index].values;
        double weight = isfinite(values[HARDWARE_PATH_WEIGHT]) ? values[HARDWARE_PATH_WEIGHT] : 1.0;
        for (size_t k = 0; k < HARDWARE_PATHS; k++)
            mean[k] += weight * values[k];
        weights += weight;
    }
    for (size_t k = 0; k < HARDWARE_PATHS; k++)
        mean[k] /= weights;
}

static rb_code_t add_kernels(hardware_comparison_t *c, const hardware_table_t *t,
                             const size_t *picked, size_t n, const run_data_t *run, rb_err_t *err)
{
    match_t m;
    size_t i = 0, k = 0, matched = 0, launches = 0;
    rb_code_t rc = RB_OK;
    match_begin(&m, t, picked, n, run, false);
    while (rc == RB_OK && i < m.n_rows && k < m.n_launches) {
        int order = by_kernel(&m.rows[i], &m.launches[k]);
        if (order != 0) {
            i += order < 0;
            k += order > 0;
            continue;
        }
        const hardware_row_t *row = &t->rows[m.rows[i].index];
        double mean[HARDWARE_PATHS];
        size_t end = k;
        while (end < m.n_launches && by_kernel(&m.rows[i], &m.launches[end]) == 0)
            end++;
        if (i + 1 < m.n_rows && by_kernel(&m.rows[i], &m.rows[i + 1]) == 0)
            rc = rb_fail(err, RB_USAGE,
                         "%s: lines %llu and %llu are both of kernel '%.80s': give the program of "
                         "the run as PROGRAM=%s, such as '%.80s'",
                         t->file, (unsigned long long)row->line,
                         (unsigned long long)t->rows[m.rows[i + 1].index].line, m.rows[i].name,
                         run->file, row->program != NULL ? row->program : "none");
        mean_values(run, &m, k, end, mean);
        add_pairs(c, row, mean, run->clock_mhz,
                  end - k == 1 ? run->launches[m.launches[k].index].id : 0);
        matched++;
        launches += end - k;
        i++;
        k = end;
    }
    if (rc == RB_OK && matched == 0)
        rc = no_match(c, t, run, &m, err);
    match_free(&m);
    c->rows_matched += matched;
    c->rows_unmatched += n - matched;
    c->launches_matched += launches;
    c->launches_unmatched += run->n_launches - launches;
    return rc;
}

/* Fails with the first programs of a table in the message. */
static rb_code_t which_program(const hardware_table_t *t, const run_data_t *run,
                               const char *program, rb_err_t *err)
{
    enum { SHOWN = 4 };
    char list[SHOWN * 64] = "";
    size_t n = 0, shown = 0;
    const char *last = "";
    for (size_t i = 0; i < t->n_rows && shown < SHOWN; i++) {
        const char *name = t->rows[i].program;
        if (name == NULL || strcmp(name, last) == 0 ||
            (program != NULL && strstr(name, program) == NULL))
            continue;
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%.50s", shown > 0 ? ", " : "", name);
        last = name;
        shown++;
    }
    if (program == NULL)
        return rb_fail(
            err, RB_USAGE,
            "%s: which program does the run belong to? Name it as PROGRAM=%s; there are %s, ...",
            t->file, run->file, list);
    if (shown == 0)
        return rb_fail(err, RB_USAGE, "%s: there is no program '%.80s'", t->file, program);
    return rb_fail(err, RB_USAGE, "%s: '%.80s' matches several programs: %s", t->file, program,
                   list);
}

/* Returns the rows of a program, or all rows without a program; *n is their number. */
static rb_code_t pick_rows(const hardware_table_t *t, const run_data_t *run, const char *program,
                           size_t *picked, size_t *n, rb_err_t *err)
{
    bool programs = t->rows[0].program != NULL, whole = false;
    *n = 0;
    if (program != NULL && !programs)
        return rb_fail(err, RB_USAGE,
                       "%s: has no column of programs: give the run without '%.80s='", t->file,
                       program);
    for (size_t i = 0; program != NULL && i < t->n_rows; i++)
        whole = whole || strcmp(t->rows[i].program, program) == 0;
    const char *found = NULL;
    for (size_t i = 0; i < t->n_rows; i++) {
        const char *name = t->rows[i].program;
        if (program != NULL &&
            !(whole ? strcmp(name, program) == 0 : strstr(name, program) != NULL))
            continue;
        if (program != NULL && found != NULL && strcmp(name, found) != 0)
            return which_program(t, run, program, err);
        found = name;
        picked[(*n)++] = i;
    }
    bool several = t->kind == HARDWARE_PROGRAM && program == NULL && *n > 1;
    return *n == 0 || several ? which_program(t, run, program, err) : RB_OK;
}

static rb_code_t add_run(hardware_comparison_t *c, const hardware_table_t *t, const run_data_t *run,
                         const char *program, rb_err_t *err)
{
    size_t n, *picked = rb_calloc(t->n_rows + 1, sizeof(*picked));
    rb_code_t rc = pick_rows(t, run, program, picked, &n, err);
    if (rc == RB_OK && run->n_launches == 0)
        rc = rb_fail(err, RB_TRACE, "%s: has no launches", run->file);
    if (rc == RB_OK && t->kind == HARDWARE_LAUNCH)
        rc = add_launches(c, t, picked, n, run, err);
    else if (rc == RB_OK && t->kind == HARDWARE_KERNEL)
        rc = add_kernels(c, t, picked, n, run, err);
    else if (rc == RB_OK) {
        add_pairs(c, &t->rows[picked[0]], run->totals, run->clock_mhz, 0);
        c->rows_matched++;
        c->launches_matched += run->n_launches;
    }
    free(picked);
    return rc;
}

double hardware_error(const hardware_counter_t *c, const hardware_pair_t *p)
{
    return hardware_relative_error(p->measured, p->simulated, c->share);
}

static void finish_counter(hardware_counter_t *c)
{
    double *measured = rb_calloc(c->n_pairs + 1, sizeof(*measured));
    double *simulated = rb_calloc(c->n_pairs + 1, sizeof(*simulated));
    for (size_t i = 0; i < c->n_pairs; i++) {
        measured[i] = c->pairs[i].measured;
        simulated[i] = c->pairs[i].simulated;
    }
    c->score = hardware_score(measured, simulated, c->n_pairs, c->share);
    free(measured);
    free(simulated);
}

void hardware_finish(hardware_comparison_t *c)
{
    for (size_t i = 0; i < c->n_counters; i++)
        finish_counter(&c->counters[i]);
}

rb_code_t hardware_add(hardware_comparison_t *c, const hardware_table_t *t, const char *path,
                       const char *program, size_t run, rb_err_t *err)
{
    run_data_t data;
    rb_code_t rc = run_data_read(&data, path, hardware_paths, HARDWARE_PATHS, err);
    c->run = run;
    c->no_match = false;
    if (rc == RB_OK)
        rc = add_run(c, t, &data, program, err);
    run_data_free(&data);
    return rc;
}

rb_code_t hardware_compare(hardware_comparison_t *c, const hardware_table_t *t,
                           char *const *operands, int n, rb_err_t *err)
{
    rb_code_t rc = hardware_begin(c, t, err);
    for (int i = 0; rc == RB_OK && i < n; i++) {
        /* A path may also contain '='; if the whole operand exists, it is a path. */
        const char *equals = strrchr(operands[i], '=');
        bool named = equals != NULL && access(operands[i], F_OK) != 0;
        char *program = named ? rb_strdup(operands[i]) : NULL;
        if (named)
            program[equals - operands[i]] = '\0';
        rc = hardware_add(c, t, named ? equals + 1 : operands[i], program, (size_t)i, err);
        free(program);
    }
    hardware_finish(c);
    return rc == RB_OK ? check_pairs(c, t, err) : rc;
}
