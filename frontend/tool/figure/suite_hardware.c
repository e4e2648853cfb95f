#include "frontend/tool/figure/suite_hardware.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"
#include "sim/core/log.h"

static bool has_programs(const hardware_table_t *t)
{
    return t->n_rows > 0 && t->rows[0].program != NULL;
}

/* Says which programs have their row only by a part of a name. */
static void say_parts(const hardware_table_t *t, const matrix_t *m, const hardware_program_t *rows)
{
    memory_file_t memory;
    FILE *list = memory_file_open(&memory);
    for (size_t p = 0; p < m->n_programs; p++) {
        if (rows[p].part)
            fprintf(list, "%s%s = %s", ftell(list) > 0 ? ", " : "", m->programs[p].name,
                    rows[p].program);
    }
    char *text = memory_file_close(&memory, NULL);
    if (text[0] != '\0')
        rb_info("%s: by a part of the name: %s", t->file, text);
    free(text);
}

/* The rows of all programs of m; the caller frees them. */
static hardware_program_t *find_rows(const hardware_table_t *t, const matrix_t *m)
{
    hardware_program_t *rows = rb_calloc(m->n_programs + 1, sizeof(*rows));
    const char **names = rb_calloc(m->n_programs + 1, sizeof(*names));
    for (size_t p = 0; p < m->n_programs; p++)
        names[p] = m->programs[p].name;
    hardware_find_programs(t, names, m->n_programs, rows);
    say_parts(t, m, rows);
    free(names);
    return rows;
}

/* Adds a program's run. A program that the table does not have is no error. */
static rb_code_t add_program(suite_hardware_t *s, const hardware_table_t *t, const matrix_t *m,
                             const char *row, size_t program, size_t column, rb_err_t *err)
{
    const sweep_job_t *job = matrix_job(m, program, column);
    rb_err_t why = {0};
    if (job == NULL || job->state != SWEEP_DONE)
        return RB_OK;
    if (has_programs(t) && row == NULL)
        return RB_OK;
    rb_code_t rc = hardware_add(&s->comparison, t, job->folder, row, program, &why);
    /* Without a column of programs, kernels tell which rows are of this one. */
    if (rc != RB_OK && row == NULL && s->comparison.no_match)
        return RB_OK;
    if (rc != RB_OK)
        return rb_fail(err, rc, "%s", why.text);
    s->matched[program] = true;
    s->n_matched++;
    return RB_OK;
}

static rb_code_t no_program(const hardware_table_t *t, const matrix_t *m, rb_err_t *err)
{
    const char *first = t->n_rows > 0 ? t->rows[0].program : NULL;
    return rb_fail(err, RB_USAGE,
                   "%s has no row for a finished program of %s; the first program of the study is "
                   "'%.80s', that of the table '%.80s'",
                   t->file, m->sweeps[0].folder, m->programs[0].name,
                   first != NULL ? first : "not named");
}

rb_code_t suite_hardware(suite_hardware_t **out, const hardware_table_t *t, const matrix_t *m,
                         rb_err_t *err)
{
    suite_hardware_t *list = rb_calloc(m->n_columns, sizeof(*list));
    hardware_program_t *rows = find_rows(t, m);
    size_t matched = 0;
    rb_code_t rc = RB_OK;
    *out = list;
    for (size_t c = 0; c < m->n_columns; c++) {
        list[c].matched = rb_calloc(m->n_programs, sizeof(bool));
        if (rc == RB_OK)
            rc = hardware_begin(&list[c].comparison, t, err);
        for (size_t p = 0; rc == RB_OK && p < m->n_programs; p++)
            rc = add_program(&list[c], t, m, rows[p].program, p, c, err);
        hardware_finish(&list[c].comparison);
        matched += list[c].n_matched;
    }
    free(rows);
    return rc == RB_OK && matched == 0 ? no_program(t, m, err) : rc;
}

void suite_hardware_free(suite_hardware_t *s, const matrix_t *m)
{
    for (size_t i = 0; s != NULL && i < m->n_columns; i++) {
        hardware_free(&s[i].comparison);
        free(s[i].matched);
    }
    free(s);
}

static bool has_pairs(const suite_hardware_t *s, const matrix_t *m, size_t counter)
{
    for (size_t c = 0; c < m->n_columns; c++) {
        if (s[c].comparison.counters[counter].n_pairs > 0)
            return true;
    }
    return false;
}

rb_code_t suite_hardware_counter(const suite_hardware_t *s, const matrix_t *m, const char *name,
                                 size_t *counter, rb_err_t *err)
{
    const hardware_comparison_t *c = &s[0].comparison;
    memory_file_t memory;
    FILE *list = memory_file_open(&memory);
    rb_code_t rc = RB_USAGE;
    for (size_t i = 0; rc != RB_OK && i < c->n_counters; i++) {
        const hardware_counter_t *k = &c->counters[i];
        if (!has_pairs(s, m, i))
            continue;
        fprintf(list, "%s%.60s", ftell(list) > 0 ? "; " : "", k->label);
        if (name == NULL || strcmp(k->label, name) == 0 || strcmp(k->measured, name) == 0) {
            *counter = i;
            rc = RB_OK;
        }
    }
    char *labels = memory_file_close(&memory, NULL);
    if (rc != RB_OK && name == NULL)
        rc = rb_fail(err, RB_USAGE, "no column of the table corresponds to a statistic");
    else if (rc != RB_OK)
        rc = rb_fail(err, RB_USAGE,
                     "the table has no column '%.80s' that can be compared; it has %s", name,
                     labels);
    free(labels);
    return rc;
}

bool suite_hardware_value(const suite_hardware_t *s, size_t counter, size_t program,
                          double *measured, double *simulated)
{
    const hardware_counter_t *k = &s->comparison.counters[counter];
    size_t n = 0;
    *measured = *simulated = 0.0;
    for (size_t i = 0; i < k->n_pairs; i++) {
        if (k->pairs[i].run != program)
            continue;
        *measured += k->pairs[i].measured;
        *simulated += k->pairs[i].simulated;
        n++;
    }
    if (k->share && n > 0) {
        *measured /= (double)n;
        *simulated /= (double)n;
    }
    return n > 0;
}

hardware_score_t suite_hardware_score(const suite_hardware_t *s, const matrix_t *m, size_t counter,
                                      size_t *worst)
{
    double *measured = rb_calloc(m->n_programs, sizeof(*measured));
    double *simulated = rb_calloc(m->n_programs, sizeof(*simulated));
    size_t *program = rb_calloc(m->n_programs, sizeof(*program)), n = 0;
    for (size_t p = 0; p < m->n_programs; p++) {
        if (!suite_hardware_value(s, counter, p, &measured[n], &simulated[n]))
            continue;
        program[n++] = p;
    }
    const hardware_score_t score =
        hardware_score(measured, simulated, n, s->comparison.counters[counter].share);
    *worst = n > 0 ? program[score.worst] : 0;
    free(measured);
    free(simulated);
    free(program);
    return score;
}
