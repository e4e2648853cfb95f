#include "frontend/tool/silicon/validation.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/text_list.h"
#include "frontend/tool/library/library_client.h"
#include "frontend/tool/silicon/published_table.h"
#include "sim/core/alloc.h"
#include "sim/gpu/gpu_params.h"

enum { PATH_BYTES = 4096 };

/* --- one test -------------------------------------------------------------------------------- */

/* Resolves the chip of a test: the GPU, the settings of the test, the settings of the user. */
static rubato_config *open_config(const suite_test_t *t, const validation_options_t *o,
                                  rb_err_t *err)
{
    text_list_t sets = {0};

    for (size_t i = 0; t != NULL && i < t->n_sets; i++)
        text_list_add(&sets, t->sets[i]);
    for (size_t i = 0; i < o->n_sets; i++)
        text_list_add(&sets, o->sets[i]);
    rubato_config *c = library_config_open(o->gpu, sets.text, sets.n, err);

    free(sets.text);
    return c;
}

static void add_point(validation_row_t *r, size_t n, const char *point, double measured)
{
    r->points[n] = (validation_point_t){.point = rb_strdup(point), .measured = measured};
    r->n_points = n + 1;
}

static rb_code_t table_points(validation_row_t *r, const validation_options_t *o, rb_err_t *err)
{
    const suite_expect_t *e = r->expect;
    char path[PATH_BYTES];
    published_table_t table;

    snprintf(path, sizeof(path), "%s/%s", o->published, e->file);
    RB_TRY(published_table_read(&table, path, e->x_column, e->y_column, err));
    published_table_thin(&table, o->short_form ? r->test->pick_short : r->test->pick);
    r->points = rb_calloc(table.n, sizeof(r->points[0]));
    for (size_t i = 0; i < table.n; i++)
        add_point(r, i, table.x[i], table.y[i]);
    published_table_free(&table);
    return RB_OK;
}

static rb_code_t find_points(validation_row_t *r, const validation_options_t *o, rb_err_t *err)
{
    const suite_expect_t *e = r->expect;

    if (e->file != NULL)
        return table_points(r, o, err);
    r->points = rb_calloc(e->n_values, sizeof(r->points[0]));
    for (size_t i = 0; i < e->n_values; i++)
        add_point(r, i, r->test->n_points > 0 ? r->test->point[i] : NULL, e->values[i]);
    return RB_OK;
}

static double point_error(const validation_row_t *r, size_t i)
{
    const validation_point_t *p = &r->points[i];
    double difference = p->simulated - p->measured;

    if (!r->expect->relative)
        return difference;
    return p->measured < 0 || p->measured > 0 ? difference / fabs(p->measured) : difference;
}

static void judge(validation_row_t *r)
{
    const suite_expect_t *e = r->expect;
    const double rounding = 1e-9; /* tolerates rounding in the arithmetic; not an error of
                                   * measurement */

    r->error = point_error(r, 0);
    if (e->file != NULL) {
        double sum = 0;

        for (size_t i = 0; i < r->n_points; i++)
            sum += fabs(point_error(r, i));
        r->error = sum / (double)r->n_points;
    } else {
        for (size_t i = 1; i < r->n_points; i++)
            if (fabs(point_error(r, i)) > fabs(r->error))
                r->error = point_error(r, i);
    }
    bool holds = fabs(r->error) <= e->tolerance + rounding;

    if (e->gates)
        r->verdict = holds ? VERDICT_PASS : VERDICT_FAIL;
    else
        r->verdict = holds ? VERDICT_REPORT : VERDICT_BEYOND;
}

static rb_code_t run_row(validation_row_t *r, const suite_t *suite, const validation_options_t *o,
                         rb_err_t *err)
{
    measure_t m = {.suite = suite,
                   .config = open_config(r->test, o, err),
                   .threads = o->threads,
                   .short_form = o->short_form};

    if (m.config == NULL)
        return err->code;
    rb_code_t rc = find_points(r, o, err);

    for (size_t i = 0; i < r->n_points && rc == RB_OK; i++) {
        if (o->progress != NULL)
            o->progress(r->test, r->points[i].point);
        rc = silicon_measure(&m, r->test, r->points[i].point, &r->points[i].simulated, err);
    }
    if (rc == RB_OK)
        judge(r);
    rubato_config_destroy(m.config);
    return rc;
}

/* --- all of them ----------------------------------------------------------------------------- */

/* "C1" matches C1, C1.ffma and the like, but not C10; "C" matches C1, C2, ... */
static bool matches(const char *id, const char *name, size_t len)
{
    if (strncmp(id, name, len) != 0)
        return false;
    return !(isdigit((unsigned char)name[len - 1]) && isdigit((unsigned char)id[len]));
}

static bool is_wanted(const suite_test_t *t, const char *only)
{
    if (only == NULL)
        return true;
    for (const char *p = only; *p != '\0';) {
        size_t len = strcspn(p, ",");

        if (len > 0 && matches(t->id, p, len))
            return true;
        p += len + (p[len] == ',');
    }
    return false;
}

static rb_code_t describe(validation_t *v, const validation_options_t *o, rb_err_t *err)
{
    rubato_config *c = open_config(NULL, o, err);

    if (c == NULL)
        return err->code;
    const gpu_params_t *gpu = &library_config_spec(c)->gpu;
    snprintf(v->name, sizeof(v->name), "%s", gpu->name);
    v->clock_mhz = gpu->clock_mhz;
    config_guesses_find(&v->guesses, library_config_layers(c));
    rubato_config_destroy(c);
    return RB_OK;
}

static bool is_setting(const char *key, size_t len)
{
    for (const gpu_group_t *group = gpu_groups; group->group; group++) {
        const size_t n = strlen(group->group->name);

        if (len <= n + 1 || strncmp(key, group->group->name, n) != 0 || key[n] != '.')
            continue;
        for (size_t i = 0; i < group->group->n_params; i++) {
            const char *name = group->group->params[i].name;

            if (strlen(name) == len - n - 1 && memcmp(name, key + n + 1, len - n - 1) == 0)
                return true;
        }
    }
    return false;
}

/* Checks that the settings that tests name in .calibrates exist. */
static rb_code_t check_calibrations(const suite_t *suite, rb_err_t *err)
{
    for (size_t i = 0; i < suite->n_tests; i++) {
        const suite_test_t *t = &suite->tests[i];

        for (size_t k = 0; k < t->n_calibrations; k++) {
            const char *p = t->calibrations[k].what;

            if (strcmp(p, "rule") == 0)
                continue;
            for (size_t len; *p != '\0'; p += len + (p[len] == ',')) {
                len = strcspn(p, ",");
                if (!is_setting(p, len))
                    return rb_fail(err, RB_TRACE, "%s:%u: %s: .calibrates: unknown setting '%.*s'",
                                   t->file, t->line, t->id, (int)len, p);
            }
        }
    }
    return RB_OK;
}

rb_code_t validation_run(validation_t *v, const suite_t *suite, const validation_options_t *o,
                         rb_err_t *err)
{
    bool found = false;

    *v = (validation_t){.gpu = o->gpu, .changed = o->n_sets > 0};
    rb_code_t rc = check_calibrations(suite, err);

    if (rc == RB_OK)
        rc = describe(v, o, err);
    for (size_t i = 0; i < suite->n_tests && rc == RB_OK; i++) {
        const suite_test_t *t = &suite->tests[i];
        const suite_expect_t *e = suite_expect(t, o->gpu);

        if (!is_wanted(t, o->only))
            continue;
        found = true;
        if (e == NULL) {
            v->unmeasured++;
            continue;
        }
        rb_grow(&v->rows, &v->cap, v->n + 1, sizeof(v->rows[0]));
        validation_row_t *r = &v->rows[v->n++];

        *r = (validation_row_t){.test = t,
                                .expect = e,
                                .verdict = VERDICT_NO_TABLE,
                                .calibrates = suite_calibrates(t, o->gpu)};
        if (e->file == NULL || o->published != NULL)
            rc = run_row(r, suite, o, err);
    }
    if (rc == RB_OK && !found)
        rc = rb_fail(err, RB_USAGE, "there is no test '%s'; see rubato validate --list", o->only);
    if (rc != RB_OK)
        validation_free(v);
    return rc;
}

void validation_free(validation_t *v)
{
    for (size_t i = 0; i < v->n; i++) {
        for (size_t p = 0; p < v->rows[i].n_points; p++)
            free(v->rows[i].points[p].point);
        free(v->rows[i].points);
    }
    free(v->rows);
    config_guesses_free(&v->guesses);
    *v = (validation_t){0};
}

size_t validation_count_kind(const validation_t *v, verdict_t verdict, bool calibration)
{
    size_t n = 0;

    for (size_t i = 0; i < v->n; i++)
        n += v->rows[i].verdict == verdict && (v->rows[i].calibrates != NULL) == calibration;
    return n;
}

size_t validation_count(const validation_t *v, verdict_t verdict)
{
    return validation_count_kind(v, verdict, true) + validation_count_kind(v, verdict, false);
}

const char *validation_kind(const validation_row_t *r)
{
    return r->calibrates != NULL ? "calibration" : "evidence";
}
