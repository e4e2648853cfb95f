#include "frontend/tool/silicon/application_set.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/input/silicon/silicon_folder.h"
#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/library/library_client.h"
#include "frontend/tool/silicon/published_table.h"
#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"
#include "sim/core/files/text_lines.h"

enum { ROW_BYTES = 1 << 20, FIELDS = 4 };

static const char list_name[] = "applications.tsv", table_name[] = "qv100-applications.csv";

/* --- the list -------------------------------------------------------------------------------- */

/* Splits a line at tabs; false: it does not have four fields. */
static bool split(char *line, char *field[FIELDS])
{
    for (size_t i = 0; i < FIELDS; i++) {
        field[i] = line;
        line = strchr(line, '\t');
        if (line == NULL)
            return i == FIELDS - 1;
        *line++ = '\0';
    }
    return false;
}

static rb_code_t add_line(application_set_t *s, const text_lines_t *l, rb_err_t *err)
{
    static const char *const uses[] = {"set", "hold-out", "left-out"};
    char *field[FIELDS], *line = l->text;
    size_t use = 0;

    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '#' || line[0] == '\0')
        return RB_OK;
    if (!split(line, field))
        return rb_fail(err, RB_TRACE, "%s:%" PRIu64 ": four fields are needed", l->path, l->number);
    while (use < sizeof(uses) / sizeof(uses[0]) && strcmp(uses[use], field[2]) != 0)
        use++;
    if (use == sizeof(uses) / sizeof(uses[0]))
        return rb_fail(err, RB_TRACE, "%s:%" PRIu64 ": '%s' is not set, hold-out or left-out",
                       l->path, l->number, field[2]);
    rb_grow(&s->list, &s->cap, s->n + 1, sizeof(s->list[0]));
    s->list[s->n++] = (application_t){.row = rb_strdup(field[0]),
                                      .trace = rb_strdup(field[1]),
                                      .reason = rb_strdup(field[3]),
                                      .use = (application_use_t)use};
    return RB_OK;
}

static rb_code_t read_list(application_set_t *s, rb_err_t *err)
{
    char path[SILICON_PATH_MAX + sizeof(list_name)];
    rb_code_t rc = RB_OK;
    bool more = true;

    RB_TRY(silicon_folder_find(path, err));
    strcat(path, "/");
    strcat(path, list_name);
    text_lines_t lines = {.path = path, .in = in_file_open(path, err), .max = ROW_BYTES};

    if (lines.in == NULL)
        return RB_IO;
    while (rc == RB_OK && (rc = text_lines_next(&lines, &more, err)) == RB_OK && more)
        rc = add_line(s, &lines, err);
    fclose(lines.in);
    text_lines_free(&lines);
    return rc;
}

/* --- the table ------------------------------------------------------------------------------- */

static double table_value(const published_table_t *t, const char *row)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->x[i], row) == 0)
            return t->y[i];
    return (double)NAN;
}

static rb_code_t read_column(application_set_t *s, const char *path, const char *column,
                             bool accelsim, rb_err_t *err)
{
    published_table_t t;

    RB_TRY(published_table_read(&t, path, "app", column, err));
    for (size_t i = 0; i < s->n; i++)
        *(accelsim ? &s->list[i].accelsim : &s->list[i].measured) = table_value(&t, s->list[i].row);
    published_table_free(&t);
    return RB_OK;
}

static rb_code_t read_table(application_set_t *s, const char *folder, rb_err_t *err)
{
    char path[SILICON_PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", folder, table_name);
    RB_TRY(read_column(s, path, "hw_cycles_qv100", false, err));
    return read_column(s, path, "accelsim_cycles", true, err);
}

/* --- runs ------------------------------------------------------------------------------------ */

static rb_code_t add_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    application_t *a = ctx;

    (void)err;
    a->simulated += (double)launch_result_cycles(r);
    a->launch += (double)r->launch_cycles;
    a->launches++;
#define ADD_COUNTER_(name, value) a->accesses.name += r->value;
    APPLICATION_COUNTERS(ADD_COUNTER_)
#undef ADD_COUNTER_
    return RB_OK;
}

static rb_code_t run_trace(application_t *a, rubato_config *config, int threads, const char *path,
                           rb_err_t *err)
{
    rubato_trace *trace = library_trace_open(path, NULL, err);

    if (trace == NULL)
        return err->code;
    rubato_sim *sim = library_sim_create(config, trace, (uint64_t)threads, 0, err);
    run_plan_t plan = {.first = 1};
    gpu_callbacks_t callbacks = {.ctx = a, .launch_done = add_launch};
    rb_code_t rc = sim != NULL ? library_sim_run(sim, &plan, &callbacks, err) : err->code;

    rubato_sim_destroy(sim);
    rubato_trace_destroy(trace);
    return rc;
}

/* Finds FOLDER/NAME.rbt or FOLDER/NAME; false: neither exists. */
static bool find_trace(const char *folder, const char *name, char path[SILICON_PATH_MAX])
{
    snprintf(path, SILICON_PATH_MAX, "%s/%s.rbt", folder, name);
    if (access(path, R_OK) == 0)
        return true;
    snprintf(path, SILICON_PATH_MAX, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

static rb_code_t run_traces(application_set_t *s, const application_options_t *o,
                            rubato_config *config, rb_err_t *err)
{
    char path[SILICON_PATH_MAX];
    bool any = false;

    for (size_t i = 0; i < s->n; i++) {
        application_t *a = &s->list[i];

        a->found = a->use != APPLICATION_LEFT_OUT && find_trace(o->folder, a->trace, path);
        any = any || a->found;
        if (a->found)
            RB_TRY(run_trace(a, config, o->threads, path, err));
    }
    if (!any)
        return rb_fail(err, RB_USAGE, "%s: none of the traces listed in %s exists, such as %s.rbt",
                       o->folder, list_name, s->list[0].trace);
    return RB_OK;
}

rb_code_t application_set_run(application_set_t *s, const application_options_t *o, rb_err_t *err)
{
    rubato_config *config = NULL;

    *s = (application_set_t){0};
    rb_code_t rc = read_list(s, err);

    if (rc == RB_OK && s->n == 0)
        rc = rb_fail(err, RB_TRACE, "%s: no workloads", list_name);
    if (rc == RB_OK)
        rc = read_table(s, o->published, err);
    if (rc == RB_OK) {
        config = library_config_open(o->gpu, o->sets, o->n_sets, err);
        rc = config != NULL ? run_traces(s, o, config, err) : err->code;
    }
    rubato_config_destroy(config);
    if (rc != RB_OK)
        application_set_free(s);
    return rc;
}

void application_set_free(application_set_t *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->list[i].row);
        free(s->list[i].trace);
        free(s->list[i].reason);
    }
    free(s->list);
    *s = (application_set_t){0};
}

/* --- output ---------------------------------------------------------------------------------- */

/* Which cycles a row of errors compares. */
typedef enum { CYCLES_RUBATO, CYCLES_NO_LAUNCH, CYCLES_ACCELSIM, CYCLES_KINDS } cycles_kind_t;

static double cycles_of(const application_t *a, cycles_kind_t kind)
{
    return kind == CYCLES_ACCELSIM    ? a->accelsim
           : kind == CYCLES_NO_LAUNCH ? a->simulated - a->launch
                                      : a->simulated;
}

static double error_of(const application_t *a, cycles_kind_t kind)
{
    return (cycles_of(a, kind) - a->measured) / a->measured;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Mean and median of |error|, and Pearson's correlation of the cycles. */
static void print_summary(const application_set_t *s, application_use_t use, cycles_kind_t kind,
                          const char *what, FILE *out)
{
    double *errors = rb_calloc(s->n, sizeof(errors[0]));
    double sum = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        const application_t *a = &s->list[i];

        if (!a->found || !isfinite(a->measured) || a->use != use)
            continue;
        double v = cycles_of(a, kind), w = a->measured;

        errors[n++] = fabs(error_of(a, kind));
        sum += errors[n - 1];
        x += v, y += w, xx += v * v, yy += w * w, xy += v * w;
    }
    if (n > 0) {
        double count = (double)n;
        double spread = sqrt((count * xx - x * x) * (count * yy - y * y));

        qsort(errors, n, sizeof(errors[0]), compare_numbers);
        double median = n % 2 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;

        fprintf(out, "%-36s %3zu rows  mean %5.1f %%  median %5.1f %%  correlation %.3f\n", what, n,
                100 * sum / count, 100 * median, spread > 0 ? (count * xy - x * y) / spread : 1.0);
    }
    free(errors);
}

static void print_row(const application_t *a, FILE *out)
{
    static const char *const uses[] = {"", "hold-out", "left out"};

    fprintf(out, "%-26.26s %-8s", a->found ? a->trace : a->row, uses[a->use]);
    if (!a->found) {
        fprintf(out, "  %s\n", a->use == APPLICATION_LEFT_OUT ? a->reason : "no trace");
        return;
    }
    fprintf(out, " %7llu %10.0f %10.0f %+8.1f %% %+8.1f %% %+8.1f %%\n",
            (unsigned long long)a->launches, a->measured, a->simulated,
            100 * error_of(a, CYCLES_RUBATO), 100 * error_of(a, CYCLES_NO_LAUNCH),
            100 * error_of(a, CYCLES_ACCELSIM));
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static void print_accesses(const application_set_t *s, FILE *out)
{
    fprintf(out,
            "\nAccesses, in sectors of 32 bytes\n\n%-26s %11s %6s %11s %11s %6s %11s %11s %11s\n",
            "program", "L1 loads", "hits", "L1 stores", "L2 reads", "hits", "L2 writes",
            "DRAM reads", "writes");
    for (size_t i = 0; i < s->n; i++) {
        const application_counters_t *a = &s->list[i].accesses;

        if (!s->list[i].found)
            continue;
        fprintf(out,
                "%-26.26s %11" PRIu64 " %4.0f %% %11" PRIu64 " %11" PRIu64 " %4.0f %% %11" PRIu64
                " %11" PRIu64 " %11" PRIu64 "\n",
                s->list[i].trace, a->l1_loads, percent(a->l1_hits, a->l1_loads), a->l1_stores,
                a->l2_reads, percent(a->l2_read_hits, a->l2_reads), a->l2_writes, a->dram_reads,
                a->dram_writes);
    }
}

void application_set_print(const application_set_t *s, const char *gpu, FILE *out)
{
    fprintf(out, "Cycles of whole programs on %s, launch latency included as in the source\n\n",
            gpu);
    fprintf(out, "%-26s %-8s %7s %10s %10s %10s %10s %10s\n", "program", "", "launches", "measured",
            "rubato", "error", "no launch", "Accel-Sim");
    for (size_t i = 0; i < s->n; i++)
        print_row(&s->list[i], out);
    fputc('\n', out);
    print_summary(s, APPLICATION_SET, CYCLES_RUBATO, "rubato", out);
    print_summary(s, APPLICATION_SET, CYCLES_NO_LAUNCH, "rubato, without launch latency", out);
    print_summary(s, APPLICATION_SET, CYCLES_ACCELSIM, "Accel-Sim, same rows", out);
    print_summary(s, APPLICATION_HOLD_OUT, CYCLES_RUBATO, "rubato, hold-out", out);
    print_summary(s, APPLICATION_HOLD_OUT, CYCLES_ACCELSIM, "Accel-Sim, hold-out", out);
    print_accesses(s, out);
}

void application_set_csv(const application_set_t *s, FILE *out)
{
#define COUNTER_HEAD_(name, value) #name,
    static const char *const head[] = {"workload", "use",
                                       "launches", "measured",
                                       "rubato",   "launch_latency",
                                       "accelsim", APPLICATION_COUNTERS(COUNTER_HEAD_)};
#undef COUNTER_HEAD_
    static const char *const uses[] = {"set", "hold-out", "left-out"};
    csv_t csv = {.out = out};

    for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
        csv_text(&csv, head[i]);
    csv_end_row(&csv);
    for (size_t i = 0; i < s->n; i++) {
        const application_t *a = &s->list[i];

        if (!a->found)
            continue;
        csv_text(&csv, a->row);
        csv_text(&csv, uses[a->use]);
        csv_u64(&csv, a->launches);
        csv_f64(&csv, a->measured);
        csv_f64(&csv, a->simulated);
        csv_f64(&csv, a->launch);
        csv_f64(&csv, a->accelsim);
#define COUNTER_VALUE_(name, value) csv_u64(&csv, a->accesses.name);
        APPLICATION_COUNTERS(COUNTER_VALUE_)
#undef COUNTER_VALUE_
        csv_end_row(&csv);
    }
}
