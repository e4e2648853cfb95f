#include "frontend/tool/figure/figure_axes.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"

static const char *field_of(const figure_t *f, size_t column, size_t field)
{
    return f->m->columns[column].fields[field];
}

static bool varies(const figure_t *f, size_t field)
{
    for (size_t i = 1; i < f->m->n_columns; i++) {
        if (strcmp(field_of(f, i, field), field_of(f, 0, field)) != 0)
            return true;
    }
    return false;
}

size_t figure_axis_count(const figure_t *f)
{
    size_t n = 0;
    for (size_t i = SWEEP_GPU; f->m->n_sweeps == 1 && i < sweep_columns(&f->m->sweeps[0]); i++)
        n += varies(f, i);
    return n;
}

/* The field of the i-th axis; the number of fields: none. */
static size_t find_field(const figure_t *f, size_t i)
{
    const sweep_t *s = &f->m->sweeps[0];
    const char *key = i < f->o->axes.n ? f->o->axes.text[i] : NULL;
    size_t field = SWEEP_GPU, seen = 0;
    for (; field < sweep_columns(s); field++) {
        if (key != NULL ? strcmp(s->columns[field], key) == 0 : varies(f, field) && seen++ == i)
            break;
    }
    return field;
}

rb_code_t figure_axis(const figure_t *f, size_t i, figure_axis_t *a, rb_err_t *err)
{
    const sweep_t *s = &f->m->sweeps[0];
    *a = (figure_axis_t){.field = find_field(f, i)};
    if (f->m->n_sweeps > 1)
        return rb_fail(err, RB_USAGE, "%s: this figure is of one sweep", figure_words[f->o->kind]);
    if (a->field == sweep_columns(s) && i < f->o->axes.n)
        return rb_fail(err, RB_USAGE, "--axis %.100s: %s has no such axis", f->o->axes.text[i],
                       s->folder);
    if (a->field == sweep_columns(s))
        return rb_fail(err, RB_USAGE, "%s: %s: nothing varies in this study but the trace",
                       figure_words[f->o->kind], s->folder);
    a->title = s->columns[a->field];
    a->values = rb_calloc(f->m->n_columns, sizeof(*a->values));
    for (size_t c = 0; c < f->m->n_columns; c++) {
        if (figure_axis_at(f, a, c) == a->n)
            a->values[a->n++] = field_of(f, c, a->field);
    }
    return RB_OK;
}

size_t figure_axis_at(const figure_t *f, const figure_axis_t *a, size_t column)
{
    size_t i = 0;
    while (i < a->n && strcmp(a->values[i], field_of(f, column, a->field)) != 0)
        i++;
    return i;
}

bool figure_axis_same(const figure_t *f, size_t x, size_t y, const figure_axis_t *a,
                      const figure_axis_t *b)
{
    for (size_t i = SWEEP_GPU; i < sweep_columns(&f->m->sweeps[0]); i++) {
        if ((a == NULL || i != a->field) && (b == NULL || i != b->field) &&
            strcmp(field_of(f, x, i), field_of(f, y, i)) != 0)
            return false;
    }
    return true;
}

void figure_held(const figure_t *f, size_t base, const figure_axis_t *a, const figure_axis_t *b)
{
    const sweep_t *s = &f->m->sweeps[0];
    memory_file_t text;
    FILE *out = memory_file_open(&text);
    for (size_t i = SWEEP_GPU; i < sweep_columns(s); i++) {
        if (i == a->field || i == b->field || !varies(f, i))
            continue;
        fputs(ftell(out) > 0 ? ", " : "", out);
        if (i != SWEEP_GPU)
            fprintf(out, "%s=", s->columns[i]);
        fputs(field_of(f, base, i)[0] != '\0' ? field_of(f, base, i) : "as it is", out);
    }
    const bool any = ftell(out) > 0;
    char *held = memory_file_close(&text, NULL);
    if (any)
        figure_title(f, held);
    free(held);
}
