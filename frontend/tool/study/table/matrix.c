#include "frontend/tool/study/table/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/tool/library/trace_tree.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"

void matrix_close(matrix_t *s)
{
    for (size_t i = 0; i < s->n_sweeps; i++) {
        sweep_free(&s->sweeps[i]);
        free(s->titles[i]);
    }
    for (size_t i = 0; i < s->n_programs; i++) {
        free(s->programs[i].name);
        free(s->programs[i].label);
    }
    for (size_t i = 0; i < s->n_columns; i++)
        free(s->columns[i].label);
    free(s->sweeps);
    free(s->titles);
    free(s->programs);
    free(s->columns);
    free(s->jobs);
    *s = (matrix_t){0};
}

const sweep_job_t *matrix_job(const matrix_t *s, size_t program, size_t column)
{
    const size_t job = s->jobs[program * s->n_columns + column];
    return job != MATRIX_NO_JOB ? &s->sweeps[s->columns[column].sweep].jobs[job] : NULL;
}

static size_t find_program(const matrix_t *s, const char *name)
{
    /* Jobs of one program follow each other, so the last one is probable. */
    if (s->n_programs > 0 && strcmp(s->programs[s->n_programs - 1].name, name) == 0)
        return s->n_programs - 1;
    size_t i = 0;
    while (i < s->n_programs && strcmp(s->programs[i].name, name) != 0)
        i++;
    return i;
}

static void add_program(matrix_t *s, const char *name)
{
    if (find_program(s, name) < s->n_programs)
        return;
    rb_grow(&s->programs, &s->cap_programs, s->n_programs + 1, sizeof(*s->programs));
    s->programs[s->n_programs++] = (matrix_program_t){.name = rb_strdup(name)};
}

/* Whether two jobs of a sweep have equal fields from one on. */
static bool same_fields(const sweep_t *sweep, char *const *a, char *const *b, size_t from)
{
    for (size_t i = from; i < sweep_columns(sweep); i++) {
        if (strcmp(a[i], b[i]) != 0)
            return false;
    }
    return true;
}

static size_t find_column(const matrix_t *s, size_t sweep, char *const *fields, size_t from)
{
    size_t i = 0;
    while (i < s->n_columns &&
           (s->columns[i].sweep != sweep ||
            !same_fields(&s->sweeps[sweep], s->columns[i].fields, fields, from)))
        i++;
    return i;
}

static void add_column(matrix_t *s, size_t sweep, char **fields, size_t from)
{
    if (find_column(s, sweep, fields, from) < s->n_columns)
        return;
    rb_grow(&s->columns, &s->cap_columns, s->n_columns + 1, sizeof(*s->columns));
    s->columns[s->n_columns++] = (matrix_column_t){.sweep = sweep, .fields = fields};
}

/*
 * The first field that distinguishes columns. If every program ran on one GPU, as with the default
 * GPU of each trace, the GPU distinguishes programs, not columns.
 */
static size_t first_field(const sweep_t *sweep)
{
    const sweep_job_t *last = NULL;
    for (size_t i = 0; i < sweep->n_jobs; i++) {
        const sweep_job_t *job = &sweep->jobs[i];
        if (last != NULL && strcmp(last->fields[SWEEP_TRACE], job->fields[SWEEP_TRACE]) == 0 &&
            strcmp(last->fields[SWEEP_GPU], job->fields[SWEEP_GPU]) != 0)
            return SWEEP_GPU;
        last = job;
    }
    return SWEEP_POINT;
}

/* Whether a job's GPU or one of its settings is the word of n bytes, such as "l2.size=3MiB". */
static bool job_has_word(const sweep_t *sweep, char *const *fields, const char *word, size_t n)
{
    for (size_t i = SWEEP_GPU; i < sweep_columns(sweep); i++) {
        char *text = i == SWEEP_GPU ? rb_strdup(fields[i])
                                    : rb_format("%s=%s", sweep->columns[i], fields[i]);
        const bool same = strlen(text) == n && memcmp(text, word, n) == 0;
        free(text);
        if (same)
            return true;
    }
    return false;
}

static bool is_wanted(const sweep_t *sweep, size_t job, const matrix_choice_t *choice)
{
    char *const *fields = sweep->jobs[job].fields;
    if (sweep_is_part(sweep, job) ||
        !trace_tree_match(fields[SWEEP_TRACE], choice->match.text, choice->match.n))
        return false;
    for (size_t i = 0; i < choice->where.n; i++) {
        const char *word = choice->where.text[i];
        if (!job_has_word(sweep, fields, word, strlen(word)))
            return false;
    }
    return true;
}

static void fill(matrix_t *s, const matrix_choice_t *choice)
{
    for (size_t k = 0; k < s->n_sweeps; k++) {
        const size_t from = first_field(&s->sweeps[k]);
        for (size_t i = 0; i < s->sweeps[k].n_jobs; i++) {
            if (!is_wanted(&s->sweeps[k], i, choice))
                continue;
            add_program(s, s->sweeps[k].jobs[i].fields[SWEEP_TRACE]);
            add_column(s, k, s->sweeps[k].jobs[i].fields, from);
        }
    }
    const size_t n = s->n_programs * s->n_columns;
    s->jobs = rb_calloc(n + 1, sizeof(*s->jobs));
    for (size_t i = 0; i < n; i++)
        s->jobs[i] = MATRIX_NO_JOB;
    for (size_t k = 0; k < s->n_sweeps; k++) {
        const size_t from = first_field(&s->sweeps[k]);
        for (size_t i = 0; i < s->sweeps[k].n_jobs; i++) {
            char **fields = s->sweeps[k].jobs[i].fields;
            if (is_wanted(&s->sweeps[k], i, choice))
                s->jobs[find_program(s, fields[SWEEP_TRACE]) * s->n_columns +
                        find_column(s, k, fields, from)] = i;
        }
    }
}

/* Whether the columns of a sweep differ in a field. */
static bool field_varies(const matrix_t *s, size_t sweep, size_t field)
{
    const char *first = NULL;
    for (size_t i = 0; i < s->n_columns; i++) {
        if (s->columns[i].sweep != sweep)
            continue;
        if (first != NULL && strcmp(first, s->columns[i].fields[field]) != 0)
            return true;
        first = s->columns[i].fields[field];
    }
    return false;
}

/* "old v100 l2.size=3MiB": the sweep if there are several, and the fields that vary. */
static char *make_label(const matrix_t *s, const matrix_column_t *c)
{
    const sweep_t *sweep = &s->sweeps[c->sweep];
    memory_file_t text;
    FILE *out = memory_file_open(&text);
    if (s->n_sweeps > 1)
        fputs(s->titles[c->sweep], out);
    for (size_t i = first_field(sweep); i < sweep_columns(sweep); i++) {
        if (!field_varies(s, c->sweep, i) || c->fields[i][0] == '\0')
            continue;
        fputs(ftell(out) > 0 ? " " : "", out);
        if (i != SWEEP_GPU)
            fprintf(out, "%s=", sweep->columns[i]);
        fputs(c->fields[i], out);
    }
    if (ftell(out) == 0)
        fputs(s->n_columns > 1 ? "as it is" : c->fields[SWEEP_GPU], out);
    return memory_file_close(&text, NULL);
}

/* The first part of a name if no other program has the same, otherwise the name. */
static char *short_name(const matrix_t *s, size_t program)
{
    const char *name = s->programs[program].name;
    const size_t n = strcspn(name, "/");
    for (size_t i = 0; i < s->n_programs; i++) {
        const char *other = s->programs[i].name;
        if (i != program && strncmp(other, name, n) == 0 && strcspn(other, "/") == n)
            return rb_strdup(name);
    }
    return rb_format("%.*s", (int)n, name);
}

/* The names of the folders; their paths if two have the same name. */
static void name_sweeps(matrix_t *s, char *const *folders)
{
    bool distinct = true;
    for (size_t i = 0; i < s->n_sweeps; i++) {
        size_t n;
        const char *part = study_last_part(folders[i], &n);
        s->titles[i] = rb_format("%.*s", (int)n, part);
        for (size_t k = 0; k < i; k++)
            distinct = distinct && strcmp(s->titles[i], s->titles[k]) != 0;
    }
    for (size_t i = 0; !distinct && i < s->n_sweeps; i++) {
        free(s->titles[i]);
        s->titles[i] = rb_strdup(folders[i]);
    }
}

rb_code_t matrix_open(matrix_t *s, char *const *folders, size_t n, const matrix_choice_t *choice,
                      rb_err_t *err)
{
    *s = (matrix_t){.sweeps = rb_calloc(n, sizeof(*s->sweeps)),
                    .titles = rb_calloc(n, sizeof(*s->titles))};
    for (; s->n_sweeps < n; s->n_sweeps++) {
        sweep_t *sweep = &s->sweeps[s->n_sweeps];
        rb_code_t rc = sweep_open(sweep, folders[s->n_sweeps], err);
        if (rc == RB_OK)
            rc = sweep_look(sweep, err);
        if (rc != RB_OK)
            sweep_free(sweep);
        RB_TRY(rc);
    }
    name_sweeps(s, folders);
    fill(s, choice);
    if (s->n_programs == 0)
        return rb_fail(err, RB_USAGE, "%s: no job has a trace that matches%s", folders[0],
                       choice->where.n > 0 ? " and these settings" : "");
    for (size_t i = 0; i < s->n_programs; i++)
        s->programs[i].label = short_name(s, i);
    for (size_t i = 0; i < s->n_columns; i++)
        s->columns[i].label = make_label(s, &s->columns[i]);
    return RB_OK;
}

/* Whether a column's sweep, GPU or point is the word of n bytes. */
static bool has_word(const matrix_t *s, const matrix_column_t *c, const char *word, size_t n)
{
    const char *title = s->titles[c->sweep];
    return (strlen(title) == n && memcmp(title, word, n) == 0) ||
           job_has_word(&s->sweeps[c->sweep], c->fields, word, n);
}

static bool has_words(const matrix_t *s, const matrix_column_t *c, const char *text)
{
    for (size_t n; *text != '\0'; text += n) {
        text += strspn(text, " ,");
        n = strcspn(text, " ,");
        if (n > 0 && !has_word(s, c, text, n))
            return false;
    }
    return true;
}

/* Fails with the first columns in the message. */
static rb_code_t which_column(const matrix_t *s, const char *text, bool several, rb_err_t *err)
{
    enum { SHOWN = 8 };
    memory_file_t list;
    FILE *out = memory_file_open(&list);
    for (size_t i = 0; i < s->n_columns && i < SHOWN; i++)
        fprintf(out, "%s%zu: %.60s", i > 0 ? "; " : "", i + 1, s->columns[i].label);
    fputs(s->n_columns > SHOWN ? "; ..." : "", out);
    char *columns = memory_file_close(&list, NULL);
    rb_code_t rc = rb_fail(err, RB_USAGE, "'%.100s' describes %s column; the columns are %s", text,
                           several ? "more than one" : "no", columns);
    free(columns);
    return rc;
}

rb_code_t matrix_find_column(const matrix_t *s, const char *text, size_t *column, rb_err_t *err)
{
    size_t found = 0;
    char *end;
    *column = 0;
    if (text == NULL)
        return RB_OK;
    const unsigned long number = strtoul(text, &end, 10);
    if (end != text && *end == '\0' && number >= 1 && number <= s->n_columns) {
        *column = number - 1;
        return RB_OK;
    }
    for (size_t i = 0; i < s->n_columns; i++) {
        if (strcmp(s->columns[i].label, text) == 0) {
            *column = i;
            return RB_OK;
        }
        if (!has_words(s, &s->columns[i], text))
            continue;
        found++;
        *column = i;
    }
    return found == 1 ? RB_OK : which_column(s, text, found > 1, err);
}
