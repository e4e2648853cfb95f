#include "frontend/input/gen/gen_graph.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/gen/gen_hash.h"
#include "sim/core/alloc.h"

enum { MAX_LEVELS = GEN_UNREACHED - 1, NEAR = 2048 };

/* Limit of traversed edges: a few seconds of host time. */
static const uint64_t max_traversed = UINT64_C(1) << 28;

/* Purposes of hashes. */
enum { DEGREE = 1, TARGET };

/* Counts the zeros before the first one: 0 .. most, each half as likely as the previous value. */
static unsigned octave(uint64_t word, unsigned most)
{
    unsigned zeros = word != 0 ? (unsigned)__builtin_clzll(word) : 64;

    return zeros < most ? zeros : most;
}

/*
 * Degrees of octave k are between unit << k and twice that. Each octave but the last contributes
 * 3/4 unit to the mean (half as many rows as the previous octave, twice the degree); the last one
 * contributes twice as much, since it includes all that would follow.
 */
static uint64_t unit_of(const gen_graph_spec_t *spec)
{
    uint64_t unit = spec->degree * 256 * 4 / (3 * (uint64_t)(spec->skew + 2));

    return unit > 0 ? unit : 1;
}

/* Number of neighbours of a row. */
static uint64_t degree_of(const gen_graph_t *g, uint64_t row)
{
    uint64_t word = gen_hash(g->spec.seed, DEGREE, row);

    if (g->spec.skew == 0)
        return g->spec.degree / 2 + gen_reduce(word, g->spec.degree + 1);
    uint64_t low = g->unit << octave(word, g->spec.skew);
    uint64_t degree = (low + gen_reduce(gen_mix(word), low) + 255) >> 8;

    return degree < GEN_MAX_DEGREE ? degree : GEN_MAX_DEGREE;
}

uint64_t gen_graph_neighbour(const gen_graph_t *g, uint64_t row, uint64_t edge)
{
    uint64_t word = gen_hash(g->spec.seed, TARGET, edge), n = g->spec.rows;

    if (g->spec.local == 0 || gen_reduce(gen_mix(word), 100) >= g->spec.local)
        return gen_reduce(word, n);
    uint64_t target = row + gen_reduce(word, 2 * NEAR);

    return target < NEAR ? target : target - NEAR < n ? target - NEAR : row;
}

void gen_graph_rows(const gen_graph_t *g, uint64_t first, gen_rows_t *out)
{
    uint64_t edge = first < g->spec.rows ? g->begin[first / GEN_GRAPH_CHUNK] : g->n_edges;

    for (unsigned k = 0; k < GEN_WARP; k++) {
        out->edge[k] = edge;
        out->degree[k] = first + k < g->spec.rows ? degree_of(g, first + k) : 0;
        edge += out->degree[k];
    }
}

uint32_t gen_rows_above(const gen_rows_t *rows, uint64_t n)
{
    uint32_t mask = 0;

    for (unsigned k = 0; k < GEN_WARP; k++)
        mask |= (uint32_t)(rows->degree[k] > n) << k;
    return mask;
}

/* --- traversal ------------------------------------------------------------------------------- */

/* Queue of the rows of two consecutive levels. */
typedef struct {
    uint32_t *row;
    size_t head, tail;
} queue_t;

static void visit(gen_graph_t *g, queue_t *q, uint32_t row, uint8_t level)
{
    uint64_t edge = g->begin[row / GEN_GRAPH_CHUNK];

    for (uint64_t before = row / GEN_GRAPH_CHUNK * GEN_GRAPH_CHUNK; before < row; before++)
        edge += degree_of(g, before);
    for (uint64_t end = edge + degree_of(g, row); edge < end; edge++) {
        uint64_t target = gen_graph_neighbour(g, row, edge);

        if (g->level[target] != GEN_UNREACHED)
            continue;
        g->level[target] = level;
        q->row[q->tail++] = (uint32_t)target;
    }
}

static void traverse(gen_graph_t *g)
{
    queue_t q = {.row = rb_calloc(g->spec.rows, sizeof(q.row[0])), .tail = 1};

    memset(g->level, GEN_UNREACHED, g->spec.rows);
    g->level[0] = 0;
    while (q.head < q.tail) {
        size_t end = q.tail;

        if (++g->n_levels == MAX_LEVELS)
            break;
        while (q.head < end)
            visit(g, &q, q.row[q.head++], (uint8_t)g->n_levels);
    }
    free(q.row);
}

rb_code_t gen_graph_create(const gen_graph_spec_t *spec, bool levels, gen_graph_t **out,
                           rb_err_t *err)
{
    if (levels && spec->rows * spec->degree > max_traversed)
        return rb_fail(err, RB_USAGE,
                       "a graph of %llu nodes with %llu neighbours each is too large to traverse: "
                       "%llu edges can be",
                       (unsigned long long)spec->rows, (unsigned long long)spec->degree,
                       (unsigned long long)max_traversed);
    uint64_t n_chunks = (spec->rows + GEN_GRAPH_CHUNK - 1) / GEN_GRAPH_CHUNK, edge = 0;
    size_t bytes = sizeof(gen_graph_t) + n_chunks * sizeof(uint64_t);
    gen_graph_t *g = rb_calloc(bytes + (levels ? spec->rows : 0), 1);

    g->spec = *spec;
    g->unit = unit_of(spec);
    for (uint64_t row = 0; row < spec->rows; row++) {
        if (row % GEN_GRAPH_CHUNK == 0)
            g->begin[row / GEN_GRAPH_CHUNK] = edge;
        edge += degree_of(g, row);
    }
    g->n_edges = edge;
    if (levels) {
        g->level = (uint8_t *)g + bytes;
        traverse(g);
    }
    if (g->n_levels == MAX_LEVELS) {
        free(g);
        return rb_fail(err, RB_USAGE,
                       "the graph has more than %d levels: fewer local neighbours "
                       "make it shallower",
                       MAX_LEVELS);
    }
    *out = g;
    return RB_OK;
}

void gen_rows_walk(gen_warp_t *w, uint64_t first, const gen_rows_t *rows, uint32_t active,
                   gen_edge_fn edge, unsigned pred, unsigned end, unsigned leave)
{
    for (uint64_t step = 0; active != 0; step++) {
        uint32_t next = active & gen_rows_above(rows, step + 1);

        edge(w, first, rows, step, active);
        w->pred[pred] = ~next;
        gen_run(w, end, active);
        gen_run(w, leave, active & ~next);
        active = next;
    }
}
