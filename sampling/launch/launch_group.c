#include "sampling/launch/launch_group.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/math/pair_sort.h"
#include "sim/core/alloc.h"

const param_choice_t group_key_choices[] = {
    {"name", NULL}, {"prefix", NULL}, {"shape", NULL}, {NULL, NULL}};

#define NO_GROUP UINT32_MAX

/* A name, and how much of it counts. */
typedef struct {
    const char *text;
    size_t n;
    uint32_t index;
} prefix_t;

static int by_text(const void *a, const void *b)
{
    const prefix_t *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);
    if (order != 0)
        return order;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Maps each name to the first name that equals it, in full or up to '('. */
static uint32_t *first_of_text(const population_t *pop, bool prefix)
{
    prefix_t *names = rb_calloc(pop->n_names, sizeof(*names));
    uint32_t *first = rb_calloc(pop->n_names, sizeof(*first));
    for (uint32_t i = 0; i < pop->n_names; i++) {
        const char *text = pop->names[i];
        names[i] = (prefix_t){text, prefix ? strcspn(text, "(") : strlen(text), i};
    }
    qsort(names, pop->n_names, sizeof(*names), by_text);
    for (uint32_t i = 0, start = 0; i < pop->n_names; i++) {
        if (names[i].n != names[start].n || memcmp(names[i].text, names[start].text, names[i].n))
            start = i;
        first[names[i].index] = names[start].index;
    }
    free(names);
    return first;
}

/* The groups found so far, by name and shape. */
typedef struct {
    uint32_t *slot; /* owned: hash table of groups; NO_GROUP: empty */
    uint64_t mask;
    uint32_t *first; /* group -> its first row */
    size_t first_cap;
    uint32_t n;
} shapes_t;

static bool same_shape(const population_t *pop, const uint32_t *name, uint32_t a, uint32_t b)
{
    return (name == NULL || name[pop->name[a]] == name[pop->name[b]]) &&
           memcmp(pop->grid[a], pop->grid[b], sizeof(pop->grid[a])) == 0 &&
           memcmp(pop->block[a], pop->block[b], sizeof(pop->block[a])) == 0;
}

static uint64_t shape_hash(const population_t *pop, const uint32_t *name, uint32_t row)
{
    uint64_t h = name == NULL ? 0 : name[pop->name[row]];
    for (int i = 0; i < 3; i++) {
        h = (h ^ pop->grid[row][i]) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
        h = (h ^ pop->block[row][i]) * 0xbf58476d1ce4e5b9ull;
        h ^= h >> 32;
    }
    return h;
}

static void shapes_grow(shapes_t *s, const population_t *pop, const uint32_t *name)
{
    uint64_t size = s->slot == NULL ? 1024 : 2 * (s->mask + 1);
    free(s->slot);
    s->slot = rb_calloc(size, sizeof(*s->slot));
    memset(s->slot, 0xff, size * sizeof(*s->slot));
    s->mask = size - 1;
    for (uint32_t g = 0; g < s->n; g++) {
        uint64_t at = shape_hash(pop, name, s->first[g]);
        while (s->slot[at & s->mask] != NO_GROUP)
            at++;
        s->slot[at & s->mask] = g;
    }
}

static uint32_t shape_group(shapes_t *s, const population_t *pop, const uint32_t *name,
                            uint32_t row)
{
    if (s->slot == NULL || s->n >= s->mask / 2)
        shapes_grow(s, pop, name);
    for (uint64_t at = shape_hash(pop, name, row);; at++) {
        uint32_t *slot = &s->slot[at & s->mask];
        if (*slot == NO_GROUP) {
            rb_grow(&s->first, &s->first_cap, (size_t)s->n + 1, sizeof(*s->first));
            s->first[s->n] = row;
            *slot = s->n;
            return s->n++;
        }
        if (same_shape(pop, name, s->first[*slot], row))
            return *slot;
    }
}

/* Writes each row's group to group_of; returns the number of groups. */
static uint32_t number_by_name(const population_t *pop, const uint32_t *name, uint32_t *group_of)
{
    uint32_t n = 0, *group = rb_calloc(pop->n_names, sizeof(*group));
    memset(group, 0xff, pop->n_names * sizeof(*group));
    for (uint64_t i = 0; i < pop->n; i++) {
        uint32_t *g = &group[name[pop->name[i]]];
        if (*g == NO_GROUP)
            *g = n++;
        group_of[i] = *g;
    }
    free(group);
    return n;
}

static uint32_t number_by_shape(const population_t *pop, const uint32_t *name, uint32_t *group_of)
{
    shapes_t s = {0};
    for (uint64_t i = 0; i < pop->n; i++)
        group_of[i] = shape_group(&s, pop, name, (uint32_t)i);
    free(s.slot);
    free(s.first);
    return s.n;
}

void groups_make(launch_groups_t *g, plan_build_t *b, group_key_t key)
{
    const population_t *pop = b->pop;
    uint32_t *group_of = b->cluster_of; /* used as scratch; the caller sets the clusters later */
    uint32_t *name = pop->name == NULL ? NULL : first_of_text(pop, key == GROUP_BY_PREFIX);
    *g = (launch_groups_t){.n = 1};
    bool shape = key == GROUP_BY_SHAPE;
    if (shape && (pop->grid == NULL || pop->block == NULL)) {
        build_warning(b, "grid and block sizes are not known: launches are grouped by name only");
        shape = false;
    }
    if (shape)
        g->n = number_by_shape(pop, name, group_of);
    else if (name != NULL)
        g->n = number_by_name(pop, name, group_of);
    else
        memset(group_of, 0, pop->n * sizeof(*group_of));
    free(name);

    g->begin = rb_calloc((size_t)g->n + 1, sizeof(*g->begin));
    g->name = rb_calloc(g->n, sizeof(*g->name));
    g->rows = rb_calloc(pop->n, sizeof(*g->rows));
    uint64_t *at = rb_calloc(g->n, sizeof(*at));
    for (uint64_t i = 0; i < pop->n; i++)
        g->begin[group_of[i] + 1]++;
    for (uint32_t i = 0; i < g->n; i++) {
        g->begin[i + 1] += g->begin[i];
        at[i] = g->begin[i];
    }
    for (uint64_t i = 0; i < pop->n; i++)
        g->rows[at[group_of[i]]++] = (uint32_t)i;
    for (uint32_t i = 0; i < g->n; i++)
        g->name[i] = pop->name == NULL ? 0 : pop->name[g->rows[g->begin[i]]];
    free(at);
}

void groups_free(launch_groups_t *g)
{
    free(g->begin);
    free(g->rows);
    free(g->name);
    *g = (launch_groups_t){0};
}

double *groups_sort(launch_groups_t *g, const double *value)
{
    uint64_t n = g->begin[g->n], largest = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        uint64_t size = g->begin[i + 1] - g->begin[i];
        largest = size > largest ? size : largest;
    }
    double *sorted = rb_calloc(n, sizeof(*sorted));
    uint64_t *key = rb_calloc(largest, sizeof(*key));
    uint64_t *key_scratch = rb_calloc(largest, sizeof(*key_scratch));
    uint32_t *row_scratch = rb_calloc(largest, sizeof(*row_scratch));
    for (uint32_t i = 0; i < g->n; i++) {
        uint64_t from = g->begin[i], size = g->begin[i + 1] - from;
        uint32_t *rows = g->rows + from;
        for (uint64_t k = 0; k < size; k++)
            key[k] = sort_key(value[rows[k]]);
        pair_sort(key, rows, size, key_scratch, row_scratch);
        for (uint64_t k = 0; k < size; k++)
            sorted[from + k] = sort_value(key[k]);
    }
    free(key);
    free(key_scratch);
    free(row_scratch);
    return sorted;
}
