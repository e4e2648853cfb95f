/* Puts the launches of a profile in the order of their ids. */
#include <stdlib.h>
#include <string.h>

#include "frontend/input/profile/profile_builder.h"
#include "sim/core/alloc.h"

typedef struct {
    uint64_t id, row;
} place_t;

static int by_id(const void *a, const void *b)
{
    const place_t *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Moves the rows of a column, if it is there. */
static void reorder(void *column, size_t size, const place_t *place, uint64_t n)
{
    if (column == NULL)
        return;
    char *to = rb_calloc(n, size);
    for (uint64_t i = 0; i < n; i++)
        memcpy(to + i * size, (const char *)column + place[i].row * size, size);
    memcpy(column, to, n * size);
    free(to);
}

rb_code_t profile_order(profile_t *p, const char *path, rb_err_t *err)
{
    bool ascends = true;
    for (uint64_t i = 1; p->id != NULL && i < p->n; i++)
        ascends = ascends && p->id[i - 1] < p->id[i];
    if (p->id == NULL || ascends)
        return RB_OK;
    place_t *place = rb_calloc(p->n, sizeof(*place));
    for (uint64_t i = 0; i < p->n; i++)
        place[i] = (place_t){p->id[i], i};
    qsort(place, p->n, sizeof(*place), by_id);
    rb_code_t rc = RB_OK;
    for (uint64_t i = 1; rc == RB_OK && i < p->n; i++) {
        if (place[i].id == place[i - 1].id)
            rc = rb_fail(err, RB_TRACE, "%s: two rows have the launch id %llu", path,
                         (unsigned long long)place[i].id);
    }
    reorder(p->id, sizeof(*p->id), place, p->n);
    reorder(p->name, sizeof(*p->name), place, p->n);
    reorder(p->time, sizeof(*p->time), place, p->n);
    reorder(p->grid, sizeof(*p->grid), place, p->n);
    reorder(p->block, sizeof(*p->block), place, p->n);
    for (unsigned i = 0; i < PROFILE_COUNTERS; i++)
        reorder(p->counter[i], sizeof(*p->counter[i]), place, p->n);
    free(place);
    return rc;
}
