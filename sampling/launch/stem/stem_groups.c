#include "sampling/launch/stem/stem_groups.h"

#include <stdlib.h>
#include <string.h>

#include "sampling/launch/launch_features.h"
#include "sampling/math/pair_sort.h"
#include "sim/core/alloc.h"

/* Limits of the groups into which the small groups of a kernel are merged: one for this many
 * launches, but not fewer than the least and not more than the most. */
enum { LAUNCHES_PER_GROUP = 20, LEAST_GROUPS = 8, MOST_GROUPS = 256 };

static bool same(const population_t *pop, uint32_t a, uint32_t b)
{
    for (unsigned i = 0; i < LAUNCH_KEYS; i++) {
        if (launch_key(pop, a, i) != launch_key(pop, b, i))
            return false;
    }
    return true;
}

/* Sorts the rows by all properties: stable sorts, starting with the last key. */
static void sort_rows(const population_t *pop, uint32_t *rows)
{
    uint64_t n = pop->n, *key = rb_calloc(n, sizeof(*key)), *scratch = rb_calloc(n, sizeof(*key));
    uint32_t *row_scratch = rb_calloc(n, sizeof(*row_scratch));
    for (unsigned i = LAUNCH_KEYS; i-- > 0;) {
        bool differs = false;
        for (uint64_t k = 0; k < n; k++) {
            key[k] = launch_key(pop, rows[k], i);
            differs = differs || key[k] != key[0];
        }
        if (differs)
            pair_sort(key, rows, n, scratch, row_scratch);
    }
    free(key);
    free(scratch);
    free(row_scratch);
}

/* A launch whose predicted cycles are this many times those of the median of its group, or as much below, is in another
 * one. */
#define FAR 1.5

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Which part of a group with this median a launch is in: the usual ones, those far above, those far below. */
static unsigned part_of(const population_t *pop, uint32_t row, double median)
{
    const double predicted = pop->predicted[row];
    return predicted > FAR * median ? 1 : predicted < median / FAR ? 2 : 0;
}

/* Puts the n rows of a group that looks the same part by part, in their order; sets the sizes of the parts. scratch:
 * n of each. */
static void divide(const population_t *pop, uint32_t *rows, uint64_t n, uint64_t size[3],
                   double *predicted, uint32_t *parted)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < n; i++)
        predicted[i] = pop->predicted[rows[i]];
    qsort(predicted, n, sizeof(*predicted), ascending);
    const double median = predicted[(n - 1) / 2];
    for (unsigned part = 0; part < 3; part++) {
        const uint64_t begin = at;
        for (uint64_t i = 0; i < n; i++)
            if (part_of(pop, rows[i], median) == part)
                parted[at++] = rows[i];
        size[part] = at - begin;
    }
    memcpy(rows, parted, n * sizeof(*rows));
}

/* Divides the groups by what is predicted of their launches. */
static void divide_all(stem_groups_t *g, size_t *cap, const population_t *pop)
{
    const stem_groups_t before = *g;
    double *predicted = rb_calloc(pop->n, sizeof(*predicted));
    uint32_t *parted = rb_calloc(pop->n, sizeof(*parted));
    *g = (stem_groups_t){.rows = before.rows};
    *cap = 0;
    for (uint32_t k = 0; k < before.n; k++) {
        uint64_t size[3], at = before.begin[k];
        divide(pop, g->rows + at, before.begin[k + 1] - at, size, predicted, parted);
        for (unsigned part = 0; part < 3; at += size[part++]) {
            if (size[part] == 0)
                continue;
            rb_grow(&g->begin, cap, (size_t)g->n + 2, sizeof(*g->begin));
            g->begin[g->n++] = at;
        }
    }
    g->begin[g->n] = pop->n;
    free(before.begin);
    free(predicted);
    free(parted);
}

/* Groups of launches that look the same, kernel by kernel. */
static void make_equal(stem_groups_t *g, const population_t *pop)
{
    size_t cap = 0;
    *g = (stem_groups_t){.rows = rb_calloc(pop->n, sizeof(*g->rows))};
    for (uint64_t i = 0; i < pop->n; i++)
        g->rows[i] = (uint32_t)i;
    sort_rows(pop, g->rows);
    for (uint64_t i = 0; i < pop->n; i++) {
        if (i > 0 && same(pop, g->rows[i - 1], g->rows[i]))
            continue;
        rb_grow(&g->begin, &cap, (size_t)g->n + 2, sizeof(*g->begin));
        g->begin[g->n++] = i;
    }
    g->begin[g->n] = pop->n;
    if (pop->predicted != NULL)
        divide_all(g, &cap, pop);
}

/* Merging the small groups of one kernel: each goes to the first leader that is similar, or becomes a
 * leader. */
typedef struct {
    const double *x;  /* features of each group */
    uint32_t *leader; /* per group: the group whose leader it is merged with; itself: a leader */
    uint32_t *list;   /* the leaders */
} merge_t;

/* The number of leaders among groups [from, to) that are small; more than `most`: too many. */
static uint32_t lead(const merge_t *m, const bool *small, uint32_t from, uint32_t to,
                     double similar, uint32_t most)
{
    uint32_t n = 0;
    for (uint32_t g = from; g < to && n <= most; g++) {
        uint32_t k = 0;
        if (!small[g])
            continue;
        while (k < n && launch_distance(m->x + (size_t)m->list[k] * LAUNCH_FEATURES,
                                        m->x + (size_t)g * LAUNCH_FEATURES) > similar)
            k++;
        if (k == n)
            m->list[n++] = g;
        m->leader[g] = m->list[k];
    }
    return n;
}

static void merge_kernel(const merge_t *m, const bool *small, const stem_groups_t *g, uint32_t from,
                         uint32_t to, double similar)
{
    uint64_t launches = 0;
    for (uint32_t i = from; i < to; i++)
        launches += small[i] ? g->begin[i + 1] - g->begin[i] : 0;
    uint64_t most = launches / LAUNCHES_PER_GROUP;
    most = most < LEAST_GROUPS ? LEAST_GROUPS : most > MOST_GROUPS ? MOST_GROUPS : most;
    while (lead(m, small, from, to, similar, (uint32_t)most) > most)
        similar = similar > 0 ? 2 * similar : 0.01;
}

/* Puts the rows of merged groups next to each other. */
static void gather(stem_groups_t *g, const population_t *pop, const uint32_t *leader)
{
    uint64_t n = pop->n, *key = rb_calloc(n, sizeof(*key)), *scratch = rb_calloc(n, sizeof(*key));
    uint32_t *row_scratch = rb_calloc(n, sizeof(*row_scratch)), before = g->n;
    bool *merged = rb_calloc(before, sizeof(*merged));
    g->equal = rb_calloc(before, sizeof(*g->equal));
    for (uint32_t i = 0; i < before; i++) {
        merged[leader[i]] = merged[leader[i]] || leader[i] != i;
        for (uint64_t k = g->begin[i]; k < g->begin[i + 1]; k++)
            key[k] = (uint64_t)leader[i] << 32 | g->rows[k];
    }
    pair_sort(key, g->rows, n, scratch, row_scratch);
    g->n = 0;
    for (uint64_t k = 0; k < n; k++) {
        if (k > 0 && key[k] >> 32 == key[k - 1] >> 32)
            continue;
        g->equal[g->n] = !merged[key[k] >> 32];
        g->begin[g->n++] = k;
    }
    g->begin[g->n] = n;
    free(key);
    free(scratch);
    free(row_scratch);
    free(merged);
}

void stem_groups_make(stem_groups_t *g, const population_t *pop, uint64_t small, double similar)
{
    make_equal(g, pop);
    uint32_t n = g->n;
    merge_t m = {.leader = rb_calloc(n, sizeof(*m.leader)), .list = rb_calloc(n, sizeof(*m.list))};
    double *x = rb_calloc((size_t)n * LAUNCH_FEATURES, sizeof(*x));
    bool *is_small = rb_calloc(n, sizeof(*is_small));
    m.x = x;
    for (uint32_t i = 0; i < n; i++) {
        launch_features(pop, g->rows[g->begin[i]], x + (size_t)i * LAUNCH_FEATURES);
        is_small[i] = g->begin[i + 1] - g->begin[i] < small;
        m.leader[i] = i;
    }
    for (uint32_t from = 0, to; from < n; from = to) {
        uint64_t name = launch_key(pop, g->rows[g->begin[from]], 0);
        for (to = from + 1; to < n && launch_key(pop, g->rows[g->begin[to]], 0) == name;)
            to++;
        merge_kernel(&m, is_small, g, from, to, similar);
    }
    gather(g, pop, m.leader);
    free(m.leader);
    free(m.list);
    free(x);
    free(is_small);
}

void stem_groups_free(stem_groups_t *g)
{
    free(g->begin);
    free(g->rows);
    free(g->equal);
    *g = (stem_groups_t){0};
}
