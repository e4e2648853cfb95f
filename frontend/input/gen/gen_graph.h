/*
 * A random graph, or sparse matrix, in compressed rows. Degrees and neighbours are computed from
 * the seed and the row; only the start of each 32nd row and, for traversals, one byte per row are
 * stored.
 */
#ifndef RUBATO_GEN_GRAPH_H
#define RUBATO_GEN_GRAPH_H

#include <stdbool.h>

#include "frontend/input/gen/gen_emit.h"
#include "sim/core/err.h"

enum {
    GEN_GRAPH_CHUNK = 32,
    GEN_MAX_SKEW = 20,
    GEN_MAX_DEGREE = 1 << 16,
    GEN_UNREACHED = 255, /* level of a row that the traversal does not reach */
};

typedef struct {
    uint64_t rows;
    uint64_t degree; /* mean number of neighbours of a row */
    /*
     * 0: degrees are between 0.5 and 1.5 times the mean. Otherwise they follow a power law (half as
     * many rows with twice the neighbours) over this many doublings.
     */
    unsigned skew;
    unsigned local; /* % of the neighbours that are near the row */
    uint64_t seed;
} gen_graph_spec_t;

typedef struct {
    gen_graph_spec_t spec;
    uint64_t n_edges;
    uint64_t unit; /* in 1/256 of a neighbour: degree of the most common rows */
    unsigned n_levels;
    uint8_t *level;   /* breadth-first distance from row 0, or NULL; inside the same allocation */
    uint64_t begin[]; /* first edge of every GEN_GRAPH_CHUNK-th row */
} gen_graph_t;

/* Creates a graph in one allocation; release with free(). levels: traverses the graph. RB_USAGE if
 * the traversal would take too long or finds too many levels. */
RB_CHECKED rb_code_t gen_graph_create(const gen_graph_spec_t *spec, bool levels, gen_graph_t **out,
                                      rb_err_t *err);

/* The row at the other end of an edge of row. */
uint64_t gen_graph_neighbour(const gen_graph_t *g, uint64_t row, uint64_t edge);

/* First edges and degrees of the 32 rows from first on (a multiple of 32); 0 after the last row. */
typedef struct {
    uint64_t edge[GEN_WARP], degree[GEN_WARP];
} gen_rows_t;

void gen_graph_rows(const gen_graph_t *g, uint64_t first, gen_rows_t *out);

/* Lanes whose degree is above n. */
uint32_t gen_rows_above(const gen_rows_t *rows, uint64_t n);

/* Sets the registers that the active lanes need for their edge number step, and runs the segments
 * before the end. */
typedef void (*gen_edge_fn)(gen_warp_t *w, uint64_t first, const gen_rows_t *rows, uint64_t step,
                            uint32_t active);

/*
 * Each active lane walks the edges of its row, from edge first on: for each step, calls edge(),
 * then runs segment end with predicate pred set for lanes without a further edge, then segment
 * leave for those lanes.
 */
void gen_rows_walk(gen_warp_t *w, uint64_t first, const gen_rows_t *rows, uint32_t active,
                   gen_edge_fn edge, unsigned pred, unsigned end, unsigned leave);

#endif
