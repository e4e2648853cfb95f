/*
 * Calls about the order of nodes, about changed graphs and about captures. Their parameters differ
 * between versions of the runtime: this file is compiled once per version.
 */
#include "frontend/emulator/cudart/graph/cudart_graph.h"

/* From CUDA 13 on there is data of edges. None is returned, and given data is ignored: it changes
 * no result. */
#if RUBATO_CUDART_MAJOR >= 13
#define EDGE_DATA        , void *edge_data
#define IGNORE_EDGE_DATA (void)edge_data
#else
#define EDGE_DATA
#define IGNORE_EDGE_DATA (void)0
#endif

enum { UPDATED = 0, UPDATE_TOPOLOGY_CHANGED = 2, UPDATE_TYPE_CHANGED = 3 };

typedef cudart_node_t *const *nodes_t;

CUDART_EXPORT cuda_error_t cudaGraphAddDependencies(cudart_graph_t *g, nodes_t from,
                                                    nodes_t to EDGE_DATA, size_t n);
CUDART_EXPORT cuda_error_t cudaGraphRemoveDependencies(cudart_graph_t *g, nodes_t from,
                                                       nodes_t to EDGE_DATA, size_t n);
CUDART_EXPORT cuda_error_t cudaGraphGetEdges(cudart_graph_t *g, cudart_node_t **from,
                                             cudart_node_t **to EDGE_DATA, size_t *n);
CUDART_EXPORT cuda_error_t cudaGraphNodeGetDependencies(cudart_node_t *node,
                                                        cudart_node_t **before EDGE_DATA,
                                                        size_t *n);
CUDART_EXPORT cuda_error_t cudaGraphNodeGetDependentNodes(cudart_node_t *node,
                                                          cudart_node_t **after EDGE_DATA,
                                                          size_t *n);
CUDART_EXPORT cuda_error_t cudaGraphDestroyNode(cudart_node_t *node);

static bool all_there(const cudart_graph_t *g, nodes_t from, nodes_t to, size_t n)
{
    if (!cudart_is_graph(g) || (n > 0 && (from == NULL || to == NULL)))
        return false;
    for (size_t i = 0; i < n; i++)
        if (from[i] == NULL || to[i] == NULL || from[i]->home != g || to[i]->home != g)
            return false;
    return true;
}

/* Adds or removes dependences between two lists of nodes, pair by pair. */
static cuda_error_t set_dependences(cudart_graph_t *g, nodes_t from, nodes_t to, size_t n,
                                    bool follow)
{
    if (!all_there(g, from, to, n))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < n; i++)
        if (follow)
            cudart_graph_follow(to[i], from[i]);
        else
            cudart_graph_unfollow(to[i], from[i]);
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphAddDependencies(cudart_graph_t *g, nodes_t from, nodes_t to EDGE_DATA,
                                      size_t n)
{
    IGNORE_EDGE_DATA;
    return set_dependences(g, from, to, n, true);
}

cuda_error_t cudaGraphRemoveDependencies(cudart_graph_t *g, nodes_t from, nodes_t to EDGE_DATA,
                                         size_t n)
{
    IGNORE_EDGE_DATA;
    return set_dependences(g, from, to, n, false);
}

/* A list that a call fills as far as there is room; it also returns the length. */
typedef struct {
    cudart_node_t **from, **to; /* either may be NULL */
    size_t room, n;
} edge_list_t;

static void put_edge(edge_list_t *l, cudart_node_t *from, cudart_node_t *to)
{
    if (l->from != NULL && l->n < l->room)
        l->from[l->n] = from;
    if (l->to != NULL && l->n < l->room)
        l->to[l->n] = to;
    l->n++;
}

/* Without lists, the caller only asks for the number. */
static cuda_error_t end_list(const edge_list_t *l, size_t *n)
{
    *n = (l->from == NULL && l->to == NULL) || l->n < l->room ? l->n : l->room;
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphGetEdges(cudart_graph_t *g, cudart_node_t **from,
                               cudart_node_t **to EDGE_DATA, size_t *n)
{
    IGNORE_EDGE_DATA;
    if (!cudart_is_graph(g) || n == NULL || (from == NULL) != (to == NULL))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    edge_list_t l = {.from = from, .to = to, .room = *n};
    for (size_t i = 0; i < g->n_nodes; i++)
        for (size_t k = 0; k < g->nodes[i]->n_before; k++)
            put_edge(&l, g->nodes[i]->before[k], g->nodes[i]);
    return end_list(&l, n);
}

cuda_error_t cudaGraphNodeGetDependencies(cudart_node_t *node, cudart_node_t **before EDGE_DATA,
                                          size_t *n)
{
    IGNORE_EDGE_DATA;
    if (node == NULL || n == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    edge_list_t l = {.from = before, .room = *n};
    for (size_t k = 0; k < node->n_before; k++)
        put_edge(&l, node->before[k], node);
    return end_list(&l, n);
}

cuda_error_t cudaGraphNodeGetDependentNodes(cudart_node_t *node, cudart_node_t **after EDGE_DATA,
                                            size_t *n)
{
    IGNORE_EDGE_DATA;
    if (node == NULL || n == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    const cudart_graph_t *g = node->home;
    edge_list_t l = {.to = after, .room = *n};
    for (size_t i = 0; i < g->n_nodes; i++)
        for (size_t k = 0; k < g->nodes[i]->n_before; k++)
            if (g->nodes[i]->before[k] == node)
                put_edge(&l, node, g->nodes[i]);
    return end_list(&l, n);
}

cuda_error_t cudaGraphDestroyNode(cudart_node_t *node)
{
    if (node == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    cudart_graph_remove(node);
    return CUDA_SUCCESS;
}

/* --- a changed graph in the place of the one that was instantiated -----------------------------
 */

/* Whether nodes of two copies have the same predecessors by position. */
static bool same_place(const cudart_node_t *a, const cudart_node_t *b)
{
    if (a->n_before != b->n_before)
        return false;
    for (size_t i = 0; i < a->n_before; i++)
        if (a->before[i]->index != b->before[i]->index)
            return false;
    return true;
}

static int update(cudart_graph_t *exec, const cudart_graph_t *changed)
{
    if (exec->n_nodes != changed->n_nodes)
        return UPDATE_TOPOLOGY_CHANGED;
    for (size_t i = 0; i < exec->n_nodes; i++) {
        if (!same_place(exec->nodes[i], changed->nodes[i]))
            return UPDATE_TOPOLOGY_CHANGED;
        if (exec->nodes[i]->type != changed->nodes[i]->type)
            return UPDATE_TYPE_CHANGED;
    }
    for (size_t i = 0; i < exec->n_nodes; i++)
        if (cudart_node_assign(exec->nodes[i], changed->nodes[i]) != CUDA_SUCCESS)
            return UPDATE_TOPOLOGY_CHANGED;
    return UPDATED;
}

static cuda_error_t update_exec(cudart_graph_t *exec, const cudart_graph_t *g, int *result)
{
    cudart_graph_t *changed =
        cudart_is_graph(exec) && cudart_is_graph(g) ? cudart_graph_copy(g) : NULL;

    if (changed == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *result = update(exec, changed);
    cudart_graph_free(changed);
    return *result == UPDATED ? CUDA_SUCCESS : cudart_fail(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
}

#if RUBATO_CUDART_MAJOR >= 12
typedef struct {
    int result;
    cudart_node_t *node, *from;
} update_info_t;

CUDART_EXPORT cuda_error_t cudaGraphExecUpdate(cudart_graph_t *exec, cudart_graph_t *g,
                                               update_info_t *info);

cuda_error_t cudaGraphExecUpdate(cudart_graph_t *exec, cudart_graph_t *g, update_info_t *info)
{
    if (info == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *info = (update_info_t){0};
    return update_exec(exec, g, &info->result);
}
#else
CUDART_EXPORT cuda_error_t cudaGraphExecUpdate(cudart_graph_t *exec, cudart_graph_t *g,
                                               cudart_node_t **node, int *result);

cuda_error_t cudaGraphExecUpdate(cudart_graph_t *exec, cudart_graph_t *g, cudart_node_t **node,
                                 int *result)
{
    if (result == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    if (node != NULL)
        *node = NULL;
    return update_exec(exec, g, result);
}
#endif

/* --- captures -------------------------------------------------------------------------------- */

#if RUBATO_CUDART_MAJOR >= 13
CUDART_EXPORT cuda_error_t cudaStreamGetCaptureInfo(cuda_stream_t stream, int *status,
                                                    unsigned long long *id, cudart_graph_t **g,
                                                    cudart_node_t *const **before, void **edge_data,
                                                    size_t *n);

cuda_error_t cudaStreamGetCaptureInfo(cuda_stream_t stream, int *status, unsigned long long *id,
                                      cudart_graph_t **g, cudart_node_t *const **before,
                                      void **edge_data, size_t *n)
{
    if (edge_data != NULL)
        *edge_data = NULL;
    return cudaStreamGetCaptureInfo_v2(stream, status, id, g, before, n);
}
#else
CUDART_EXPORT cuda_error_t cudaStreamGetCaptureInfo(cuda_stream_t stream, int *status,
                                                    unsigned long long *id);

cuda_error_t cudaStreamGetCaptureInfo(cuda_stream_t stream, int *status, unsigned long long *id)
{
    return cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}
#endif
