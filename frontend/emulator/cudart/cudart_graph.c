/* Operations on graphs: nodes and their order, copies, execution. */
#include "frontend/emulator/cudart/cudart_graph.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

static cudart_node_t *append(cudart_graph_t *g, cuda_node_type_t type)
{
    cudart_node_t *node = rb_calloc(1, sizeof(*node));

    node->type = type;
    node->home = g;
    node->index = g->n_nodes;
    rb_grow(&g->nodes, &g->cap_nodes, g->n_nodes + 1, sizeof(*g->nodes));
    g->nodes[g->n_nodes++] = node;
    return node;
}

void cudart_graph_follow(cudart_node_t *to, cudart_node_t *from)
{
    for (size_t i = 0; i < to->n_before; i++)
        if (to->before[i] == from)
            return;
    rb_grow(&to->before, &to->cap_before, to->n_before + 1, sizeof(*to->before));
    to->before[to->n_before++] = from;
}

cudart_node_t *cudart_graph_add(cudart_graph_t *g, cudart_node_t *const *before, size_t n,
                                cuda_node_type_t type)
{
    if (g == NULL || (n > 0 && before == NULL))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (before[i] == NULL)
            return NULL;
    cudart_node_t *node = append(g, type);
    for (size_t i = 0; i < n; i++)
        cudart_graph_follow(node, before[i]);
    return node;
}

void cudart_graph_unfollow(cudart_node_t *to, const cudart_node_t *from)
{
    size_t kept = 0;

    for (size_t i = 0; i < to->n_before; i++)
        if (to->before[i] != from)
            to->before[kept++] = to->before[i];
    to->n_before = kept;
}

void cudart_graph_remove(cudart_node_t *node)
{
    cudart_graph_t *g = node->home;

    for (size_t i = node->index; i + 1 < g->n_nodes; i++) {
        g->nodes[i] = g->nodes[i + 1];
        g->nodes[i]->index = i;
    }
    g->n_nodes--;
    for (size_t i = 0; i < g->n_nodes; i++)
        cudart_graph_unfollow(g->nodes[i], node);
    cudart_node_free(node);
}

/* --- copies ---------------------------------------------------------------------------------- */

static bool all_copied(const cudart_node_t *node, cudart_node_t *const *copies)
{
    for (size_t i = 0; i < node->n_before; i++)
        if (copies[node->before[i]->index] == NULL)
            return false;
    return true;
}

/* Copies a node whose predecessors have been copied; copies are indexed like the originals. */
static bool copy_node(cudart_graph_t *to, const cudart_node_t *node, cudart_node_t **copies)
{
    cudart_node_t *copy = append(to, node->type);

    copy->origin = node;
    for (size_t i = 0; i < node->n_before; i++)
        cudart_graph_follow(copy, copies[node->before[i]->index]);
    copies[node->index] = copy;
    return cudart_node_assign(copy, node) == CUDA_SUCCESS;
}

cudart_graph_t *cudart_graph_copy(const cudart_graph_t *g)
{
    cudart_graph_t *copy = rb_calloc(1, sizeof(*copy));
    cudart_node_t **copies = rb_calloc(g->n_nodes + 1, sizeof(*copies));
    bool ok = true;
    size_t before;

    do { /* one round is enough for captured graphs: their nodes are in order */
        before = copy->n_nodes;
        for (size_t i = 0; i < g->n_nodes && ok; i++)
            if (copies[i] == NULL && all_copied(g->nodes[i], copies))
                ok = copy_node(copy, g->nodes[i], copies);
    } while (ok && copy->n_nodes > before);
    ok = ok && copy->n_nodes == g->n_nodes;
    free(copies);
    if (ok)
        return copy;
    cudart_graph_free(copy);
    return NULL;
}

cudart_node_t *cudart_graph_find(const cudart_graph_t *g, const cudart_node_t *origin)
{
    for (size_t i = 0; i < g->n_nodes; i++)
        if (g->nodes[i]->origin == origin)
            return g->nodes[i];
    return NULL;
}

void cudart_graph_free(cudart_graph_t *g)
{
    if (g == NULL)
        return;
    for (size_t i = 0; i < g->n_nodes; i++)
        cudart_node_free(g->nodes[i]);
    free(g->nodes);
    free(g);
}

cuda_error_t cudart_graph_run(const cudart_graph_t *g, cuda_stream_t stream)
{
    cuda_error_t e = CUDA_SUCCESS;

    for (size_t i = 0; i < g->n_nodes && e == CUDA_SUCCESS; i++)
        e = cudart_node_run(g->nodes[i], stream);
    return e;
}

/* --- calls: graphs --------------------------------------------------------------------------- */

CUDART_EXPORT cuda_error_t cudaGraphCreate(cudart_graph_t **g, unsigned flags);
CUDART_EXPORT cuda_error_t cudaGraphDestroy(cudart_graph_t *g);
CUDART_EXPORT cuda_error_t cudaGraphClone(cudart_graph_t **clone, cudart_graph_t *g);
CUDART_EXPORT cuda_error_t cudaGraphNodeFindInClone(cudart_node_t **node, cudart_node_t *origin,
                                                    cudart_graph_t *clone);
CUDART_EXPORT cuda_error_t cudaGraphGetNodes(cudart_graph_t *g, cudart_node_t **nodes, size_t *n);
CUDART_EXPORT cuda_error_t cudaGraphGetRootNodes(cudart_graph_t *g, cudart_node_t **nodes,
                                                 size_t *n);
CUDART_EXPORT cuda_error_t cudaGraphNodeGetType(cudart_node_t *node, int *type);

cuda_error_t cudaGraphCreate(cudart_graph_t **g, unsigned flags)
{
    if (g == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    *g = rb_calloc(1, sizeof(**g));
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphDestroy(cudart_graph_t *g)
{
    cudart_graph_free(g);
    return cudart_invalid_if(g == NULL);
}

cuda_error_t cudaGraphClone(cudart_graph_t **clone, cudart_graph_t *g)
{
    if (clone == NULL || g == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *clone = cudart_graph_copy(g);
    return cudart_invalid_if(*clone == NULL);
}

cuda_error_t cudaGraphNodeFindInClone(cudart_node_t **node, cudart_node_t *origin,
                                      cudart_graph_t *clone)
{
    if (node == NULL || clone == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *node = cudart_graph_find(clone, origin);
    return cudart_invalid_if(*node == NULL);
}

/* Returns up to *n nodes of g, all or only those without predecessors, and sets *n to their
 * number. */
static cuda_error_t list_nodes(const cudart_graph_t *g, cudart_node_t **nodes, size_t *n,
                               bool roots_only)
{
    size_t found = 0;

    if (g == NULL || n == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < g->n_nodes; i++) {
        if (roots_only && g->nodes[i]->n_before > 0)
            continue;
        if (nodes != NULL && found < *n)
            nodes[found] = g->nodes[i];
        found++;
    }
    *n = nodes == NULL || found < *n ? found : *n;
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphGetNodes(cudart_graph_t *g, cudart_node_t **nodes, size_t *n)
{
    return list_nodes(g, nodes, n, false);
}

cuda_error_t cudaGraphGetRootNodes(cudart_graph_t *g, cudart_node_t **nodes, size_t *n)
{
    return list_nodes(g, nodes, n, true);
}

cuda_error_t cudaGraphNodeGetType(cudart_node_t *node, int *type)
{
    if (node == NULL || type == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *type = (int)node->type;
    return CUDA_SUCCESS;
}
