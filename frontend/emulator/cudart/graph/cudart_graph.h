/*
 * CUDA graphs: nodes with one operation each, ordered by dependences. cudaGraph_t points to a
 * graph; cudaGraphExec_t points to a copy whose nodes are in execution order.
 */
#ifndef RUBATO_CUDART_GRAPH_H
#define RUBATO_CUDART_GRAPH_H

#include "frontend/emulator/cudart/cudart_array.h"

typedef struct cudart_graph cudart_graph_t;
typedef struct cudart_node cudart_node_t;

/* enum cudaGraphNodeType */
typedef enum {
    CUDA_NODE_KERNEL = 0,
    CUDA_NODE_COPY = 1,
    CUDA_NODE_SET = 2,
    CUDA_NODE_HOST = 3,
    CUDA_NODE_GRAPH = 4,
    CUDA_NODE_EMPTY = 5,
    CUDA_NODE_WAIT_EVENT = 6,
    CUDA_NODE_RECORD_EVENT = 7,
    CUDA_NODE_ALLOC = 10,
    CUDA_NODE_FREE = 11,
} cuda_node_type_t;

/* struct cudaKernelNodeParams */
typedef struct {
    const void *host;
    cuda_dim3_t grid, block;
    unsigned shared;
    void **args, **extra;
} cuda_kernel_node_t;

/* struct cudaMemsetParams */
typedef struct {
    void *p;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height; /* width in elements, height in rows */
} cuda_set_node_t;

/* struct cudaHostNodeParams */
typedef struct {
    void (*fn)(void *data);
    void *data;
} cuda_host_node_t;

/* A copy to or from a device variable. */
typedef struct {
    void *memory;
    const void *symbol;
    size_t n, offset;
    int kind;
    bool to_symbol;
} symbol_copy_t;

struct cudart_node {
    cuda_node_type_t type;
    bool is_symbol;   /* the copy is in symbol, not in copy */
    bool cooperative; /* for a kernel */
    union {
        cuda_kernel_node_t kernel; /* args and the values that they point to are owned */
        cuda_copy3d_t copy;
        symbol_copy_t symbol;
        cuda_set_node_t set;
        cuda_host_node_t host;
        cudart_graph_t *graph; /* owned */
        void *event;           /* borrowed */
        struct {
            void *p;
            size_t n;
        } memory; /* allocated with the node and never freed, so that its address stays */
    };
    cudart_node_t **before; /* owned array of borrowed nodes, the predecessors */
    size_t n_before, cap_before;
    const cudart_node_t *origin; /* what it was copied from, or NULL */
    cudart_graph_t *home;        /* the graph that owns it */
    size_t index;                /* its position there */
};

struct cudart_graph {
    cudart_node_t **nodes; /* owned, both */
    size_t n_nodes, cap_nodes;
};

/* --- graphs (cudart_graph.c) ----------------------------------------------------------------- */

/* An empty graph. */
cudart_graph_t *cudart_graph_new(void);

/* Adds a node with n predecessors of the same graph; NULL: a pointer is not a node of the graph. */
cudart_node_t *cudart_graph_add(cudart_graph_t *g, cudart_node_t *const *before, size_t n,
                                cuda_node_type_t type);

/* Adds a dependence of to on from, unless it exists. */
CUDART_EXPORT void cudart_graph_follow(cudart_node_t *to, cudart_node_t *from);

/* Whether a handle is of a graph that is still there. */
CUDART_EXPORT bool cudart_is_graph(const cudart_graph_t *g);

/* Removes a node from its graph and frees it. */
CUDART_EXPORT void cudart_graph_remove(cudart_node_t *node);

/* Removes the dependence of to on from. */
CUDART_EXPORT void cudart_graph_unfollow(cudart_node_t *to, const cudart_node_t *from);

/* A copy with its nodes in execution order, or NULL: the dependences form a cycle. */
CUDART_EXPORT cudart_graph_t *cudart_graph_copy(const cudart_graph_t *g);

CUDART_EXPORT void cudart_graph_free(cudart_graph_t *g);

/* The node that was copied from origin, or NULL. */
cudart_node_t *cudart_graph_find(const cudart_graph_t *g, const cudart_node_t *origin);

/* Gives a node the operation of another one of its type; what that one owns is copied. */
CUDART_EXPORT cuda_error_t cudart_node_assign(cudart_node_t *to, const cudart_node_t *from);

/* Frees the node and what it owns. */
void cudart_node_free(cudart_node_t *node);

/* --- execution (cudart_graph_run.c) ---------------------------------------------------------- */

/* Executes all nodes of a copy in order. */
cuda_error_t cudart_graph_run(const cudart_graph_t *g, cuda_stream_t stream);

/* --- setting memory (cudart_set.c) ------------------------------------------------------------ */

/* Sets memory of the device. Errors: CUDA_ERROR_INVALID_VALUE if it is not accessible; earlier rows
 * are then set. */
cuda_error_t cudart_set(const cuda_set_node_t *m);

/* The same, or a node if the stream is being captured. */
cuda_error_t cudart_set_async(const cuda_set_node_t *m, cuda_stream_t stream);

/* --- capture (cudart_capture.c) -------------------------------------------------------------- */

/*
 * If the stream is being captured, adds a node like model after the nodes captured so far; *e is
 * the result, also if there is no such stream. False: the stream is not captured, and the caller
 * executes the call.
 */
bool cudart_capture(cuda_stream_t stream, const cudart_node_t *model, cuda_error_t *e);

CUDART_EXPORT cuda_error_t cudaStreamGetCaptureInfo_v2(cuda_stream_t stream, int *status,
                                                       unsigned long long *id, cudart_graph_t **g,
                                                       cudart_node_t *const **before, size_t *n);

/* The same for recording an event: adds no node, but streams that wait for the event depend on the
 * nodes captured so far. */
bool cudart_capture_record(cuda_stream_t stream, void *event);

#endif
