#include "frontend/tool/silicon/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/text_list.h"
#include "frontend/tool/library/library_client.h"
#include "sim/core/alloc.h"
#include "sim/gpu/gpu_params.h"

enum { ASSIGNMENT_MAX = 512, NUMBER_MAX = 64 };

/* --- the values to try ----------------------------------------------------------------------- */

/* The setting called "group.name"; NULL: there is none. */
static const param_t *find_setting(const char *key)
{
    const size_t n = strcspn(key, ".");

    for (const gpu_group_t *g = gpu_groups; g->group; g++)
        if (strlen(g->group->name) == n && memcmp(g->group->name, key, n) == 0)
            return param_find(g->group, key + n + 1);
    return NULL;
}

static void add_move(sensitivity_t *s, const char *key, const char *value, const char *moved)
{
    rb_grow(&s->moves, &s->cap, s->n + 1, sizeof(s->moves[0]));
    s->moves[s->n++] =
        (sensitivity_move_t){.key = key, .value = rb_strdup(value), .moved = rb_strdup(moved)};
}

static void add_number(sensitivity_t *s, const param_t *p, const char *key, const char *value,
                       double v, double moved)
{
    char text[NUMBER_MAX];

    if (p->type != PARAM_TYPE_F64)
        moved = floor(moved);
    moved = fmin(fmax(moved, p->min), p->max);
    if (!(fabs(moved - v) > 0))
        return;
    snprintf(text, sizeof(text), p->type == PARAM_TYPE_F64 ? "%g" : "%.0f", moved);
    add_move(s, key, value, text);
}

static void add_numbers(sensitivity_t *s, const param_t *p, const char *key, const char *value)
{
    double v = strtod(value, NULL);
    uint64_t bytes = 0;

    if (p->type == PARAM_TYPE_SIZE) {
        if (size_parse(value, &bytes) != NULL)
            return;
        v = (double)bytes;
    }
    if (fabs(v) > 0)
        add_number(s, p, key, value, v, v / 2);
    add_number(s, p, key, value, v, fabs(v) > 0 ? 2 * v : 1);
}

static void add_moves(sensitivity_t *s, const char *key, char *value)
{
    const param_t *p = find_setting(key);
    const size_t n = strlen(value);

    if (p == NULL)
        return;
    if (n >= 2 && value[0] == '"' && value[n - 1] == '"') {
        value[n - 1] = '\0';
        value++;
    }
    switch (p->type) {
    case PARAM_TYPE_U32:
    case PARAM_TYPE_U64:
    case PARAM_TYPE_SIZE:
    case PARAM_TYPE_F64:
        add_numbers(s, p, key, value);
        break;
    case PARAM_TYPE_BOOL:
        add_move(s, key, value, strcmp(value, "true") == 0 ? "false" : "true");
        break;
    case PARAM_TYPE_ENUM:
        for (const param_choice_t *c = p->choices; c->name != NULL; c++)
            if (strcmp(c->name, value) != 0)
                add_move(s, key, value, c->name);
        break;
    default:
        break;
    }
}

static rb_code_t plan(sensitivity_t *s, const validation_options_t *o, rb_err_t *err)
{
    rubato_config *c = library_config_open(o->gpu, o->sets, o->n_sets, err);
    char value[PARAM_VALUE_TEXT];

    if (c == NULL)
        return err->code;
    for (size_t i = 0; i < s->base.guesses.n; i++)
        if (conf_value(library_config_layers(c), s->base.guesses.list[i].key, value))
            add_moves(s, s->base.guesses.list[i].key, value);
    rubato_config_destroy(c);
    return RB_OK;
}

/* --- the runs -------------------------------------------------------------------------------- */

static bool row_changes(const validation_row_t *a, const validation_row_t *b)
{
    for (size_t i = 0; i < a->n_points && i < b->n_points; i++) {
        const double x = a->points[i].simulated, y = b->points[i].simulated;

        if (fabs(y - x) > SENSITIVITY_CHANGE * fabs(x))
            return true;
    }
    return false;
}

/* Whether a test sets the key itself; then its row says nothing about the guess. */
static bool sets_key(const suite_test_t *t, const char *key)
{
    const size_t n = strlen(key);

    for (size_t i = 0; i < t->n_sets; i++)
        if (strncmp(t->sets[i], key, n) == 0 && t->sets[i][n] == '=')
            return true;
    return false;
}

static void note_changes(sensitivity_t *s, sensitivity_move_t *m, const validation_t *v)
{
    for (size_t i = 0; i < s->base.n && i < v->n; i++) {
        const validation_row_t *a = &s->base.rows[i], *b = &v->rows[i];

        if (sets_key(a->test, m->key) || !row_changes(a, b))
            continue;
        rb_grow(&m->changes, &m->cap, m->n + 1, sizeof(m->changes[0]));
        m->changes[m->n++] = (sensitivity_change_t){.row = i,
                                                    .error_before = a->error,
                                                    .error_after = b->error,
                                                    .before = a->verdict,
                                                    .after = b->verdict};
    }
}

/* A value that the model does not accept is noted; other errors end the study. */
static rb_code_t run_move(sensitivity_t *s, sensitivity_move_t *m, const suite_t *suite,
                          const validation_options_t *o, rb_err_t *err)
{
    char assignment[ASSIGNMENT_MAX];
    text_list_t sets = {0};
    validation_options_t moved = *o;
    validation_t v;
    rb_err_t why = {0};

    snprintf(assignment, sizeof(assignment), "%s=%s", m->key, m->moved);
    for (size_t i = 0; i < o->n_sets; i++)
        text_list_add(&sets, o->sets[i]);
    text_list_add(&sets, assignment);
    moved.sets = sets.text;
    moved.n_sets = sets.n;
    rb_code_t rc = validation_run(&v, suite, &moved, &why);

    free(sets.text);
    if (rc == RB_OK) {
        note_changes(s, m, &v);
        validation_free(&v);
    } else if (rc == RB_USAGE || rc == RB_CONFIG) {
        m->refused = rb_strdup(why.text);
        rc = RB_OK;
    } else {
        *err = why;
    }
    return rc;
}

rb_code_t sensitivity_run(sensitivity_t *s, const suite_t *suite, const validation_options_t *o,
                          rb_err_t *err)
{
    *s = (sensitivity_t){0};
    RB_TRY(validation_run(&s->base, suite, o, err));
    rb_code_t rc = plan(s, o, err);

    for (size_t i = 0; i < s->n && rc == RB_OK; i++)
        rc = run_move(s, &s->moves[i], suite, o, err);
    if (rc != RB_OK)
        sensitivity_free(s);
    return rc;
}

void sensitivity_free(sensitivity_t *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->moves[i].value);
        free(s->moves[i].moved);
        free(s->moves[i].refused);
        free(s->moves[i].changes);
    }
    free(s->moves);
    validation_free(&s->base);
    *s = (sensitivity_t){0};
}

bool sensitivity_decides_nothing(const sensitivity_t *s, const char *key)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->moves[i].key, key) == 0 && s->moves[i].n > 0)
            return false;
    return true;
}

/* --- output ---------------------------------------------------------------------------------- */

/* The error of a row, as in the table of the validation. */
static const char *error_text(char text[VALIDATION_TEXT], const validation_row_t *row, double error)
{
    validation_row_t r = *row;

    r.error = error;
    return validation_error(text, &r);
}

static void print_move(const sensitivity_t *s, const sensitivity_move_t *m, FILE *out)
{
    char before[VALIDATION_TEXT], after[VALIDATION_TEXT];

    fprintf(out, "%s = %s instead of %s\n", m->key, m->moved, m->value);
    for (size_t i = 0; i < m->n; i++) {
        const sensitivity_change_t *c = &m->changes[i];
        const validation_row_t *r = &s->base.rows[c->row];

        fprintf(out, "  %-12s %9s -> %9s  %s%s%s  %s\n", r->test->id,
                error_text(before, r, c->error_before), error_text(after, r, c->error_after),
                verdict_text(c->before), c->before != c->after ? " -> " : "",
                c->before != c->after ? verdict_text(c->after) : "", validation_kind(r));
    }
}

void sensitivity_print(const sensitivity_t *s, FILE *out)
{
    const config_guesses_t *g = &s->base.guesses;
    size_t silent = 0;

    fprintf(out,
            "%s (%s): rows whose values change by more than %g %% if a guess is halved, doubled or "
            "another choice is made; their errors\n\n",
            s->base.name, s->base.gpu, 100 * SENSITIVITY_CHANGE);
    for (size_t i = 0; i < s->n; i++) {
        if (s->moves[i].refused != NULL)
            fprintf(out, "%s = %s is not possible: %s\n", s->moves[i].key, s->moves[i].moved,
                    s->moves[i].refused);
        else if (s->moves[i].n > 0)
            print_move(s, &s->moves[i], out);
    }
    for (size_t i = 0; i < g->n; i++)
        silent += sensitivity_decides_nothing(s, g->list[i].key);
    fprintf(out, "\n%zu of %zu guesses change none of these %zu rows%s", silent, g->n, s->base.n,
            silent > 0 ? ":" : "");
    for (size_t i = 0; i < g->n; i++)
        if (sensitivity_decides_nothing(s, g->list[i].key))
            fprintf(out, " %s", g->list[i].key);
    fputc('\n', out);
}

void sensitivity_write_csv(const sensitivity_t *s, size_t n, FILE *out)
{
    static const char *const head[] = {
        "gpu",          "setting",     "value",          "moved",         "test",   "kind",
        "error_before", "error_after", "verdict_before", "verdict_after", "refused"};
    csv_t csv = {.out = out};

    for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
        csv_text(&csv, head[i]);
    csv_end_row(&csv);
    for (const sensitivity_t *end = s + n; s < end; s++)
        for (size_t i = 0; i < s->n; i++) {
            const sensitivity_move_t *m = &s->moves[i];

            for (size_t k = 0; k < m->n || (k == 0 && m->n == 0); k++) {
                const sensitivity_change_t *c = k < m->n ? &m->changes[k] : NULL;
                const validation_row_t *r = c != NULL ? &s->base.rows[c->row] : NULL;

                csv_text(&csv, s->base.gpu);
                csv_text(&csv, m->key);
                csv_text(&csv, m->value);
                csv_text(&csv, m->moved);
                csv_text(&csv, r != NULL ? r->test->id : NULL);
                csv_text(&csv, r != NULL ? validation_kind(r) : NULL);
                csv_f64(&csv, c != NULL ? c->error_before : (double)NAN);
                csv_f64(&csv, c != NULL ? c->error_after : (double)NAN);
                csv_text(&csv, c != NULL ? verdict_text(c->before) : NULL);
                csv_text(&csv, c != NULL ? verdict_text(c->after) : NULL);
                csv_text(&csv, m->refused);
                csv_end_row(&csv);
            }
        }
}
