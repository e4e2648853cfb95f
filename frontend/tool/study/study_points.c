/* Computes the points of a study as a table: the product of axes and listed points. */
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/study/study.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"

static size_t find_column(const study_t *s, const char *key)
{
    size_t i = 0;
    while (i < s->n_columns && strcmp(s->columns[i], key) != 0)
        i++;
    return i;
}

static void add_column(study_t *s, const char *key)
{
    if (find_column(s, key) < s->n_columns)
        return;
    rb_grow(&s->columns, &s->cap_columns, s->n_columns + 1, sizeof(*s->columns));
    s->columns[s->n_columns++] = rb_strdup(key);
}

static bool has_key(const study_set_t *set, const char *key)
{
    for (size_t i = 0; i < set->n; i++) {
        if (strcmp(set->item[i].key, key) == 0)
            return true;
    }
    return false;
}

/* A key that varies must be defined in one place. */
static rb_code_t check_places(const study_t *s, rb_err_t *err)
{
    for (size_t i = 0; i < s->n_axes; i++) {
        const char *key = s->axes[i].key;
        if (s->axes[i].n == 0)
            return study_fail(s, 0, err, "the axis %s has no values", key);
        if (has_key(&s->common, key))
            return study_fail(s, 0, err, "%s is both an axis and a common setting", key);
        for (size_t k = 0; k < s->n_listed; k++) {
            if (has_key(&s->listed[k], key))
                return study_fail(s, 0, err, "%s is both an axis and in a listed point", key);
        }
    }
    return RB_OK;
}

/* traces x GPUs x listed points x values of every axis. */
static rb_code_t count_points(study_t *s, rb_err_t *err)
{
    size_t n = s->n_listed > 0 ? s->n_listed : 1;
    size_t jobs = s->n_traces * (s->n_gpus > 0 ? s->n_gpus : 1);
    for (size_t i = 0; i < s->n_axes && n <= STUDY_JOBS_MAX; i++)
        n *= s->axes[i].n; /* both are at most STUDY_JOBS_MAX or the scanner's limit, so there is no
                            * overflow */
    if (n > STUDY_JOBS_MAX || jobs > STUDY_JOBS_MAX || n * jobs > STUDY_JOBS_MAX)
        return study_fail(s, 0, err, "more than %d jobs", STUDY_JOBS_MAX);
    s->n_points = n;
    return RB_OK;
}

rb_code_t study_finish(study_t *s, rb_err_t *err)
{
    if (s->n_traces == 0)
        return study_fail(s, 0, err, "names no trace");
    RB_TRY(check_places(s, err));
    RB_TRY(count_points(s, err));
    for (size_t i = 0; i < s->n_listed; i++) {
        for (size_t k = 0; k < s->listed[i].n; k++)
            add_column(s, s->listed[i].item[k].key);
    }
    for (size_t i = 0; i < s->n_axes; i++)
        add_column(s, s->axes[i].key);
    s->cells = rb_calloc(s->n_points * s->n_columns + 1, sizeof(*s->cells));
    for (size_t point = 0; point < s->n_points; point++) {
        size_t rest = point;
        /* The last axis varies fastest, like the innermost loop of a nest. */
        for (size_t i = s->n_axes; i-- > 0; rest /= s->axes[i].n)
            s->cells[point * s->n_columns + find_column(s, s->axes[i].key)] =
                s->axes[i].values[rest % s->axes[i].n];
        for (size_t k = 0; s->n_listed > 0 && k < s->listed[rest].n; k++) {
            const study_assignment_t *a = &s->listed[rest].item[k];
            s->cells[point * s->n_columns + find_column(s, a->key)] = a->value;
        }
    }
    return RB_OK;
}

const char *study_cell(const study_t *s, size_t point, size_t column)
{
    return s->cells[point * s->n_columns + column];
}

const char *study_word(const study_t *s, size_t point, const char *word)
{
    size_t column = find_column(s, word);
    const char *value = column < s->n_columns ? study_cell(s, point, column) : NULL;
    for (size_t i = 0; value == NULL && i < s->common.n; i++) {
        if (strcmp(s->common.item[i].key, word) == 0)
            value = s->common.item[i].value;
    }
    return value;
}

char *study_point_text(const study_t *s, size_t point)
{
    memory_file_t text;
    FILE *out = memory_file_open(&text);
    for (size_t i = 0; i < s->n_columns; i++) {
        const char *value = study_cell(s, point, i);
        if (value != NULL)
            fprintf(out, "%s%s=%s", ftell(out) > 0 ? " " : "", s->columns[i], value);
    }
    if (ftell(out) == 0)
        fputs("as it is", out);
    return memory_file_close(&text, NULL);
}

/* The line that defines a point, if there is only one; 0: unknown. */
static int point_line(const study_t *s, size_t point)
{
    if (s->n_axes == 0 && s->n_listed > 0 && s->listed[point].n > 0)
        return s->listed[point].item[0].line;
    return s->n_axes == 1 && s->n_listed == 0 ? s->axes[0].line : 0;
}

/* Removes the option's name from a message: the setting is in a file, not on a command line. */
static const char *without_option(const char *why)
{
    static const char option[] = "-s ", line[] = "command line: ";
    const char *colon = strstr(why, ": ");
    if (strncmp(why, line, sizeof(line) - 1) == 0)
        return why + sizeof(line) - 1;
    return strncmp(why, option, sizeof(option) - 1) == 0 && colon != NULL ? colon + 2 : why;
}

rb_code_t study_point_fail(const study_t *s, size_t point, const char *trace, const char *gpu,
                           const rb_err_t *why, rb_err_t *err)
{
    char place[300] = "", *text = study_point_text(s, point);
    const int line = point_line(s, point);
    if (s->file != NULL && line > 0)
        snprintf(place, sizeof(place), "%.240s:%d: ", s->file, line);
    else if (s->file != NULL)
        snprintf(place, sizeof(place), "%.240s: ", s->file);
    rb_code_t rc = rb_fail(err, why->code, "%s%s%.100s%spoint '%.200s' on %.60s: %.500s", place,
                           trace != NULL ? "trace " : "", trace != NULL ? trace : "",
                           trace != NULL ? ", " : "", text, gpu,
                           s->file != NULL ? without_option(why->text) : why->text);
    free(text);
    return rc;
}
