#include "frontend/tool/run/results/point_series.h"

#include <stdlib.h>

#include "sim/core/alloc.h"

static void halve(point_series_t *s)
{
    s->n = (s->n + 1) / 2;
    for (size_t i = 1; i < s->n; i++)
        s->points[i] = s->points[2 * i];
    s->every *= 2;
}

void point_series_add(point_series_t *s, const point_t *p)
{
    if (s->points == NULL)
        s->points = rb_calloc(SERIES_POINTS, sizeof(*s->points));
    if (s->every == 0)
        s->every = 1;
    const uint64_t number = s->seen++;
    if (number % s->every != 0)
        return;
    if (s->n == SERIES_POINTS)
        halve(s);
    if (number % s->every == 0)
        s->points[s->n++] = *p;
}

void point_series_clear(point_series_t *s)
{
    *s = (point_series_t){.points = s->points};
}

void point_series_free(point_series_t *s)
{
    free(s->points);
    *s = (point_series_t){0};
}

void point_series_write(const point_series_t *s, json_t *j, const char *key,
                        const char *const *columns)
{
    size_t n = 0;
    json_begin_object(j, key);
    json_u64(j, "seen", s->seen);
    json_u64(j, "every", s->every);
    json_begin_array(j, "columns");
    for (; columns[n] != NULL; n++)
        json_text(j, NULL, columns[n]);
    json_end(j);
    json_begin_rows(j, "rows");
    for (size_t i = 0; i < s->n; i++) {
        json_begin_array(j, NULL);
        for (size_t c = 0; c < n; c++)
            json_u64(j, NULL, s->points[i].row[c]);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}
