/* Graphs as such: nodes, what they are to do and in which order, and copies. */
#include "frontend/emulator/cudart/graph/cudart_graph.h"
#include "frontend/emulator/cudart/cudart_handle.h"

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

cudart_graph_t *cudart_graph_new(void)
{
    cudart_graph_t *g = rb_calloc(1, sizeof(*g));

    cudart_object_add(g);
    return g;
}

bool cudart_is_graph(const cudart_graph_t *g)
{
    return cudart_is_object(g);
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
    if (!cudart_is_graph(g) || (n > 0 && before == NULL))
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

/* --- nodes ------------------------------------------------------------------------------------ */

void cudart_node_free(cudart_node_t *node)
{
    if (node->type == CUDA_NODE_KERNEL)
        free(node->kernel.args);
    if (node->type == CUDA_NODE_GRAPH)
        cudart_graph_free(node->graph);
    free(node->before);
    free(node);
}

/* Copies the parameters into one block: pointers, followed by the values. */
static void **copy_args(const cubin_kernel_t *k, void **args)
{
    void **copy = rb_calloc(1, k->n_params * sizeof(*copy) + k->param_bytes);
    uint8_t *bytes = (uint8_t *)(copy + k->n_params);

    for (uint32_t i = 0; i < k->n_params; i++) {
        copy[i] = bytes;
        memcpy(bytes, args[i], k->params[i].bytes);
        bytes += k->params[i].bytes;
    }
    return copy;
}

static cuda_error_t assign_kernel(cudart_node_t *node, const cuda_kernel_node_t *k)
{
    cudart_state_t *s = cudart_enter();
    cudart_unit_t *unit = NULL;
    const cubin_kernel_t *kernel = cudart_kernel(s, k->host, &unit);

    if (kernel == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE_FUNCTION);
    if (k->extra != NULL)
        cudart_give_up("a graph has a kernel with 'extra' parameters, which are not supported; "
                       "give it kernelParams");
    if (kernel->n_params > 0 && k->args == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    void **args = copy_args(kernel, k->args);
    free(node->kernel.args);
    node->kernel = *k;
    node->kernel.args = args;
    return cudart_leave(s, CUDA_SUCCESS);
}

static cuda_error_t assign_graph(cudart_node_t *node, const cudart_graph_t *g)
{
    cudart_graph_t *copy = cudart_is_graph(g) ? cudart_graph_copy(g) : NULL;

    if (copy == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    cudart_graph_free(node->graph);
    node->graph = copy;
    return CUDA_SUCCESS;
}

static cuda_error_t assign(cudart_node_t *to, const cudart_node_t *from)
{
    switch (from->type) {
    case CUDA_NODE_KERNEL:
        to->cooperative = from->cooperative;
        return assign_kernel(to, &from->kernel);
    case CUDA_NODE_GRAPH:
        return assign_graph(to, from->graph);
    case CUDA_NODE_COPY:
        to->is_symbol = from->is_symbol;
        if (from->is_symbol)
            to->symbol = from->symbol;
        else
            to->copy = from->copy;
        return CUDA_SUCCESS;
    case CUDA_NODE_SET:
        to->set = from->set;
        return to->set.element_bytes == 1 || to->set.element_bytes == 2 ||
                       to->set.element_bytes == 4
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    case CUDA_NODE_HOST:
        to->host = from->host;
        return to->host.fn != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CUDA_NODE_WAIT_EVENT:
    case CUDA_NODE_RECORD_EVENT:
        to->event = from->event;
        return cudart_event(to->event) != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CUDA_NODE_ALLOC:
    case CUDA_NODE_FREE:
        to->memory = from->memory;
        return CUDA_SUCCESS;
    case CUDA_NODE_EMPTY:
        break;
    }
    return CUDA_SUCCESS;
}

cuda_error_t cudart_node_assign(cudart_node_t *to, const cudart_node_t *from)
{
    const cuda_error_t e = assign(to, from);

    return e == CUDA_SUCCESS ? e : cudart_fail(e);
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
    cudart_graph_t *copy = cudart_graph_new();
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
    cudart_object_end(g);
    free(g);
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
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *g = cudart_graph_new();
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphDestroy(cudart_graph_t *g)
{
    if (!cudart_is_graph(g))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    cudart_graph_free(g);
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphClone(cudart_graph_t **clone, cudart_graph_t *g)
{
    if (clone == NULL || !cudart_is_graph(g))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *clone = cudart_graph_copy(g);
    return cudart_fail_if(*clone == NULL);
}

cuda_error_t cudaGraphNodeFindInClone(cudart_node_t **node, cudart_node_t *origin,
                                      cudart_graph_t *clone)
{
    if (node == NULL || !cudart_is_graph(clone))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *node = cudart_graph_find(clone, origin);
    return cudart_fail_if(*node == NULL);
}

/* Returns up to *n nodes of g, all or only those without predecessors, and sets *n to their
 * number. */
static cuda_error_t list_nodes(const cudart_graph_t *g, cudart_node_t **nodes, size_t *n,
                               bool roots_only)
{
    size_t found = 0;

    if (!cudart_is_graph(g) || n == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
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
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *type = (int)node->type;
    return CUDA_SUCCESS;
}
