#include "sampling/launch/stem_strata.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/math/pair_sort.h"
#include "sim/core/alloc.h"

/* Properties that launches of a stratum share; name first, then instructions, so that neighbours
 * are similar. */
enum { SHARED = 11 };

static uint64_t shared(const population_t *pop, uint32_t row, unsigned i)
{
    static const pop_counter_t counts[] = {POP_WARP_INSTS, POP_THREAD_INSTS};
    switch (i) {
    case 0:
        return pop->name == NULL ? 0 : pop->name[row];
    case 1:
    case 2:
        return pop->counter[counts[i - 1]] == NULL ? 0 : sort_key(pop->counter[counts[i - 1]][row]);
    case 3:
    case 4:
    case 5:
        return pop->grid == NULL ? 0 : pop->grid[row][i - 3];
    case 6:
    case 7:
    case 8:
        return pop->block == NULL ? 0 : pop->block[row][i - 6];
    case 9:
        return pop->bbv_of == NULL ? 0 : pop->bbv_of[row];
    default:
        return pop->mix_of == NULL ? 0 : pop->mix_of[row];
    }
}

static bool same(const population_t *pop, uint32_t a, uint32_t b)
{
    for (unsigned i = 0; i < SHARED; i++) {
        if (shared(pop, a, i) != shared(pop, b, i))
            return false;
    }
    return true;
}

/* Sorts the rows by all properties: stable sorts, starting with the last key. */
static void sort_rows(const population_t *pop, uint32_t *rows)
{
    uint64_t n = pop->n, *key = rb_calloc(n, sizeof(*key)), *scratch = rb_calloc(n, sizeof(*key));
    uint32_t *row_scratch = rb_calloc(n, sizeof(*row_scratch));
    for (unsigned i = SHARED; i-- > 0;) {
        bool differs = false;
        for (uint64_t k = 0; k < n; k++) {
            key[k] = shared(pop, rows[k], i);
            differs = differs || key[k] != key[0];
        }
        if (differs)
            pair_sort(key, rows, n, scratch, row_scratch);
    }
    free(key);
    free(scratch);
    free(row_scratch);
}

/* Merges small strata: a run of neighbours with the same name grows until it is large enough. */
static void join_small(stem_strata_t *s, const population_t *pop, uint64_t small)
{
    uint32_t n = 0;
    bool open = false; /* the last stratum was merged from small ones and is still small */
    for (uint32_t h = 0; h < s->n; h++) {
        uint64_t from = s->begin[h], to = s->begin[h + 1];
        bool is_small = to - from < small;
        bool neighbour =
            n > 0 && shared(pop, s->rows[s->begin[n - 1]], 0) == shared(pop, s->rows[from], 0);
        if (is_small && open && neighbour) {
            open = to - s->begin[n - 1] < small;
        } else {
            s->begin[n++] = from;
            open = is_small;
        }
        s->begin[n] = to;
    }
    s->n = n;
}

void stem_strata_make(stem_strata_t *s, const population_t *pop, uint64_t small)
{
    *s = (stem_strata_t){.rows = rb_calloc(pop->n, sizeof(*s->rows))};
    for (uint64_t i = 0; i < pop->n; i++)
        s->rows[i] = (uint32_t)i;
    sort_rows(pop, s->rows);
    size_t cap = 0;
    for (uint64_t i = 0; i < pop->n; i++) {
        if (i > 0 && same(pop, s->rows[i - 1], s->rows[i]))
            continue;
        rb_grow(&s->begin, &cap, (size_t)s->n + 2, sizeof(*s->begin));
        s->begin[s->n++] = i;
    }
    s->begin[s->n] = pop->n;
    join_small(s, pop, small);
    s->work = rb_calloc(s->n, sizeof(*s->work));
    const double *insts = pop->counter[POP_WARP_INSTS];
    for (uint32_t h = 0; h < s->n; h++) {
        for (uint64_t i = s->begin[h]; insts != NULL && i < s->begin[h + 1]; i++)
            s->work[h] += insts[s->rows[i]] / (double)(s->begin[h + 1] - s->begin[h]);
        if (!(s->work[h] > 0))
            s->work[h] = 1;
    }
}

void stem_strata_free(stem_strata_t *s)
{
    free(s->begin);
    free(s->rows);
    free(s->work);
    *s = (stem_strata_t){0};
}
