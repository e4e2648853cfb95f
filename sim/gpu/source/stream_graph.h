/*
 * The order of a program's work on the GPU: its launches and copies, the points at which the host
 * waited, and which of them wait for which.
 *
 * Operations stand in the order in which the program issued them. An operation waits only for those
 * that its list names, all of them before it; the order within a stream is in these lists too. A
 * graph therefore has no cycle. The stream of an operation says where it was issued.
 */
#ifndef RUBATO_GPU_STREAM_GRAPH_H
#define RUBATO_GPU_STREAM_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef enum {
    STREAM_OP_LAUNCH,
    STREAM_OP_TO_DEVICE,   /* a copy from the host */
    STREAM_OP_FROM_DEVICE, /* a copy to the host */
    STREAM_OP_WITHIN,      /* a copy within the device */
    STREAM_OP_SET,         /* device memory is set to a value */
    STREAM_OP_HOST,        /* the host waited here; what follows was issued afterwards */
    STREAM_OP_KINDS
} stream_op_kind_t;

typedef struct {
    uint8_t kind;     /* stream_op_kind_t */
    int32_t priority; /* of its stream; lower numbers go first, as in CUDA */
    uint32_t n_waits;
    uint64_t stream;
    uint64_t launch; /* STREAM_OP_LAUNCH: id of the launch, ascending; the trace may lack it */
    uint64_t addr;   /* of a copy between host and device: on the device; 0: not known; others: 0 */
    uint64_t bytes;  /* copies and sets */
    uint64_t first_wait; /* its list: waits[first_wait ...) of the graph */
} stream_op_t;

typedef struct {
    stream_op_t *ops; /* owned */
    size_t n, cap;
    uint32_t *waits; /* owned; numbers of operations */
    size_t n_waits, cap_waits;
} stream_graph_t;

/* Operations of a graph at most: their numbers are 32-bit. */
enum { STREAM_OPS_MAX = 1 << 28 };

void stream_graph_free(stream_graph_t *g);

/* Appends an operation that waits for n others; first_wait and n_waits of *op are ignored. Returns
 * its number. */
uint32_t stream_graph_add(stream_graph_t *g, const stream_op_t *op, const uint32_t *waits,
                          size_t n);

/*
 * RB_TRACE if an operation waits for one that does not exist or comes after it (a cycle), if its kind
 * is unknown or if launches do not ascend. origin: the file, for the message.
 */
RB_CHECKED rb_code_t stream_graph_check(const stream_graph_t *g, const char *origin, rb_err_t *err);

const char *stream_op_name(stream_op_kind_t kind);

/* What a user wants to know about a graph. */
typedef struct {
    uint64_t streams; /* that have launches, copies or sets */
    uint64_t ops[STREAM_OP_KINDS];
    uint64_t bytes[STREAM_OP_KINDS];
    uint64_t waits;
    uint64_t longest; /* launches, copies and sets of the longest chain */
    uint64_t widest;  /* most launches with chains of one length: these could run at once */
} stream_summary_t;

void stream_graph_summary(const stream_graph_t *g, stream_summary_t *out);

#endif
