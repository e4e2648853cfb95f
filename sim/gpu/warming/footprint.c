#include "sim/gpu/warming/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/mix64.h"

/* Places of footprints; two that meet are not remembered together. */
enum { PLACES = 1 << 14 };

struct footprints {
    footprint_t *place[PLACES]; /* owned; by the low bits of the key; NULL: empty */
    size_t bytes;               /* of all of them */
    uint64_t turns;             /* footprints that were forgotten */
    uint64_t *known;            /* owned; keys of the run's launches by position; 0: unknown */
    size_t cap_known;
    shared_walks_t *shared; /* owned; NULL: none */
    bool keep;              /* what is walked goes there */
};

footprints_t *footprints_create(void)
{
    return rb_calloc(1, sizeof(footprints_t));
}

void footprint_give(footprint_t *p)
{
    if (p == NULL || --p->holders > 0)
        return;
    cache_lines_free(&p->lines);
    free(p->item);
    free(p);
}

void footprints_destroy(footprints_t *f)
{
    for (size_t i = 0; f != NULL && i < PLACES; i++)
        footprint_give(f->place[i]);
    if (f != NULL) {
        free(f->known);
        shared_walks_destroy(f->shared);
    }
    free(f);
}

shared_walks_t *footprints_shared(footprints_t *f)
{
    return f->shared;
}

void footprints_share(footprints_t *f, bool keep)
{
    if (f->shared == NULL)
        f->shared = shared_walks_create();
    f->keep = f->keep || keep;
}

bool footprints_keeps(const footprints_t *f)
{
    return f->keep;
}

void footprints_begin_run(footprints_t *f)
{
    free(f->known);
    f->known = NULL;
    f->cap_known = 0;
}

rb_code_t footprints_key(footprints_t *f, trace_source_t *source, uint64_t position, uint64_t *key,
                         rb_err_t *err)
{
    const size_t had = f->cap_known;
    rb_grow(&f->known, &f->cap_known, position + 1, sizeof(*f->known));
    memset(f->known + had, 0, (f->cap_known - had) * sizeof(*f->known));
    *key = f->known[position];
    if (*key != 0)
        return RB_OK;
    if (f->shared != NULL)
        *key = shared_walks_digest(f->shared, position);
    if (*key == 0)
        RB_TRY(source->ops->digest(source, position, key, err));
    *key += *key == 0;
    f->known[position] = *key;
    if (f->keep)
        shared_walks_put_digest(f->shared, position, *key);
    return RB_OK;
}

footprint_t *footprints_take(footprints_t *f, uint64_t key)
{
    footprint_t *p = f->place[key % PLACES];
    if (key == 0 || p == NULL || p->key != key)
        return NULL;
    p->holders++;
    return p;
}

static size_t bytes_of(const footprint_t *p)
{
    return cache_lines_bytes(&p->lines) + p->n_items * sizeof(*p->item);
}

static void forget(footprints_t *f, size_t place)
{
    f->bytes -= f->place[place] != NULL ? bytes_of(f->place[place]) : 0;
    footprint_give(f->place[place]);
    f->place[place] = NULL;
}

/* Forgets any footprint: launches come back in the order of the program, so the one that was not
 * used for longest may be the next. */
static void forget_any(footprints_t *f)
{
    size_t i = mix64(f->turns++) % PLACES;
    while (f->place[i] == NULL)
        i = (i + 1) % PLACES;
    forget(f, i);
}

footprint_t *footprints_add(footprints_t *f, const footprint_t *new)
{
    footprint_t *p = rb_calloc(1, sizeof(*p));
    const size_t place = new->key % PLACES;
    *p = *new;
    p->holders = 1;
    if (p->key == 0)
        return p;
    forget(f, place);
    while (f->bytes > 0 && f->bytes + bytes_of(p) > FOOTPRINT_MEMORY)
        forget_any(f);
    p->holders++;
    f->place[place] = p;
    f->bytes += bytes_of(p);
    return p;
}
