#include "sampling/math/linkage_line.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sim/core/alloc.h"

/* Points are sorted. A cluster is a range of them, identified by its first point. Its nearest
 * cluster is always a neighbour, because a cluster further away is separated from it by a whole
 * cluster. */
typedef struct {
    double x;
    uint32_t point;
} ranked_t;

/* Two neighbouring clusters, and the range that they would form. */
typedef struct {
    double width;
    uint32_t first, last; /* ranks of its first and last point */
} pair_t;

typedef struct {
    const ranked_t *rank; /* borrowed */
    uint32_t *last;       /* owned: last point of the cluster that begins here */
    uint32_t *first;      /* owned: first point of the cluster that ends here */
    bool *begins;         /* owned: whether a cluster begins here */
    pair_t *heap;         /* owned: narrowest first */
    size_t n_heap;
} line_t;

static int by_x(const void *a, const void *b)
{
    const ranked_t *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->point > q->point) - (p->point < q->point);
}

/* Equal widths are merged from left to right. */
static bool before(const pair_t *a, const pair_t *b)
{
    return a->width != b->width ? a->width < b->width : a->first < b->first;
}

static void push(line_t *l, uint32_t first, uint32_t last)
{
    pair_t p = {l->rank[last].x - l->rank[first].x, first, last};
    size_t at = l->n_heap++;
    for (; at > 0 && before(&p, &l->heap[(at - 1) / 2]); at = (at - 1) / 2)
        l->heap[at] = l->heap[(at - 1) / 2];
    l->heap[at] = p;
}

static pair_t pop(line_t *l)
{
    const pair_t top = l->heap[0], p = l->heap[--l->n_heap];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < l->n_heap; at = child) {
        if (child + 1 < l->n_heap && before(&l->heap[child + 1], &l->heap[child]))
            child++;
        if (!before(&l->heap[child], &p))
            break;
        l->heap[at] = l->heap[child];
    }
    l->heap[at] = p;
    return top;
}

/* Merges a pair, and adds the pairs that the new cluster forms with its neighbours. */
static void merge(line_t *l, const pair_t *p, size_t n)
{
    l->begins[l->last[p->first] + 1] = false;
    l->last[p->first] = p->last;
    l->first[p->last] = p->first;
    if (p->first > 0)
        push(l, l->first[p->first - 1], p->last);
    if (p->last + 1 < n)
        push(l, p->first, l->last[p->last + 1]);
}

static void merge_all(line_t *l, size_t n, double threshold)
{
    for (uint32_t i = 0; i < n; i++) {
        l->first[i] = l->last[i] = i;
        l->begins[i] = true;
    }
    for (uint32_t i = 0; i + 1 < n; i++)
        push(l, i, i + 1);
    while (l->n_heap > 0) {
        pair_t p = pop(l);
        if (p.width > threshold)
            return;
        /* A pair is stale once one of its clusters was merged with another. */
        uint32_t middle = l->begins[p.first] ? l->last[p.first] + 1 : 0;
        if (middle > p.first && middle <= p.last && l->last[middle] == p.last)
            merge(l, &p, n);
    }
}

static size_t number(const line_t *l, size_t n, uint32_t *cluster)
{
    uint32_t *of = rb_calloc(n, sizeof(*of)), *label = rb_calloc(n, sizeof(*label)), count = 0;
    for (uint32_t i = 0, first = 0; i < n; i++) {
        first = l->begins[i] ? i : first;
        of[l->rank[i].point] = first;
    }
    for (size_t i = 0; i < n; i++) {
        if (label[of[i]] == 0)
            label[of[i]] = ++count;
        cluster[i] = label[of[i]] - 1;
    }
    free(of);
    free(label);
    return count;
}

size_t linkage_line(const double *x, size_t n, double threshold, uint32_t *cluster)
{
    ranked_t *rank = rb_calloc(n + 1, sizeof(*rank));
    line_t l = {.rank = rank,
                .last = rb_calloc(n + 1, sizeof(*l.last)),
                .first = rb_calloc(n + 1, sizeof(*l.first)),
                .begins = rb_calloc(n + 1, sizeof(*l.begins)),
                .heap = rb_calloc(3 * n + 1, sizeof(*l.heap))};
    for (size_t i = 0; i < n; i++)
        rank[i] = (ranked_t){x[i], (uint32_t)i};
    qsort(rank, n, sizeof(*rank), by_x);
    merge_all(&l, n, threshold);
    size_t count = number(&l, n, cluster);
    free(rank);
    free(l.last);
    free(l.first);
    free(l.begins);
    free(l.heap);
    return count;
}
