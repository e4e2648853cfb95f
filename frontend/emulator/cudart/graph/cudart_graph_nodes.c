/* Calls that add nodes to graphs, and that query or change their operation. */
#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/graph/cudart_graph.h"

#include <string.h>

typedef cudart_node_t *const *before_t;

CUDART_EXPORT cuda_error_t cudaGraphAddKernelNode(cudart_node_t **node, cudart_graph_t *g,
                                                  before_t before, size_t n,
                                                  const cuda_kernel_node_t *k);
CUDART_EXPORT cuda_error_t cudaGraphAddMemcpyNode(cudart_node_t **node, cudart_graph_t *g,
                                                  before_t before, size_t n,
                                                  const cuda_copy3d_t *c);
CUDART_EXPORT cuda_error_t cudaGraphAddMemcpyNode1D(cudart_node_t **node, cudart_graph_t *g,
                                                    before_t before, size_t n, void *to,
                                                    const void *from, size_t bytes, int kind);
CUDART_EXPORT cuda_error_t cudaGraphAddMemcpyNodeToSymbol(cudart_node_t **node, cudart_graph_t *g,
                                                          before_t before, size_t n,
                                                          const void *symbol, const void *from,
                                                          size_t bytes, size_t offset, int kind);
CUDART_EXPORT cuda_error_t cudaGraphAddMemcpyNodeFromSymbol(cudart_node_t **node, cudart_graph_t *g,
                                                            before_t before, size_t n, void *to,
                                                            const void *symbol, size_t bytes,
                                                            size_t offset, int kind);
CUDART_EXPORT cuda_error_t cudaGraphAddMemsetNode(cudart_node_t **node, cudart_graph_t *g,
                                                  before_t before, size_t n,
                                                  const cuda_set_node_t *m);
CUDART_EXPORT cuda_error_t cudaGraphAddHostNode(cudart_node_t **node, cudart_graph_t *g,
                                                before_t before, size_t n,
                                                const cuda_host_node_t *h);
CUDART_EXPORT cuda_error_t cudaGraphAddChildGraphNode(cudart_node_t **node, cudart_graph_t *g,
                                                      before_t before, size_t n,
                                                      cudart_graph_t *child);
CUDART_EXPORT cuda_error_t cudaGraphAddEmptyNode(cudart_node_t **node, cudart_graph_t *g,
                                                 before_t before, size_t n);
CUDART_EXPORT cuda_error_t cudaGraphAddEventRecordNode(cudart_node_t **node, cudart_graph_t *g,
                                                       before_t before, size_t n, void *event);
CUDART_EXPORT cuda_error_t cudaGraphAddEventWaitNode(cudart_node_t **node, cudart_graph_t *g,
                                                     before_t before, size_t n, void *event);
CUDART_EXPORT cuda_error_t cudaGraphAddMemAllocNode(cudart_node_t **node, cudart_graph_t *g,
                                                    before_t before, size_t n, void *params);
CUDART_EXPORT cuda_error_t cudaGraphAddMemFreeNode(cudart_node_t **node, cudart_graph_t *g,
                                                   before_t before, size_t n, void *p);
CUDART_EXPORT cuda_error_t cudaGraphKernelNodeGetParams(cudart_node_t *node, cuda_kernel_node_t *k);
CUDART_EXPORT cuda_error_t cudaGraphKernelNodeSetParams(cudart_node_t *node,
                                                        const cuda_kernel_node_t *k);
CUDART_EXPORT cuda_error_t cudaGraphMemcpyNodeGetParams(cudart_node_t *node, cuda_copy3d_t *c);
CUDART_EXPORT cuda_error_t cudaGraphMemcpyNodeSetParams(cudart_node_t *node,
                                                        const cuda_copy3d_t *c);
CUDART_EXPORT cuda_error_t cudaGraphMemcpyNodeSetParams1D(cudart_node_t *node, void *to,
                                                          const void *from, size_t bytes, int kind);
CUDART_EXPORT cuda_error_t cudaGraphMemsetNodeGetParams(cudart_node_t *node, cuda_set_node_t *m);
CUDART_EXPORT cuda_error_t cudaGraphMemsetNodeSetParams(cudart_node_t *node,
                                                        const cuda_set_node_t *m);
CUDART_EXPORT cuda_error_t cudaGraphHostNodeGetParams(cudart_node_t *node, cuda_host_node_t *h);
CUDART_EXPORT cuda_error_t cudaGraphHostNodeSetParams(cudart_node_t *node,
                                                      const cuda_host_node_t *h);
CUDART_EXPORT cuda_error_t cudaGraphChildGraphNodeGetGraph(cudart_node_t *node, cudart_graph_t **g);
CUDART_EXPORT cuda_error_t cudaGraphMemAllocNodeGetParams(cudart_node_t *node, void *params);
CUDART_EXPORT cuda_error_t cudaGraphMemFreeNodeGetParams(cudart_node_t *node, void **p);

/* --- adding ---------------------------------------------------------------------------------- */

/* Adds a node with the operation of model. */
static cuda_error_t add(cudart_node_t **node, cudart_graph_t *g, before_t before, size_t n,
                        const cudart_node_t *model)
{
    cudart_node_t *added = node != NULL ? cudart_graph_add(g, before, n, model->type) : NULL;

    if (added == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    cuda_error_t e = cudart_node_assign(added, model);
    if (e == CUDA_SUCCESS)
        *node = added;
    else
        cudart_graph_remove(added);
    return e;
}

cuda_error_t cudaGraphAddKernelNode(cudart_node_t **node, cudart_graph_t *g, before_t before,
                                    size_t n, const cuda_kernel_node_t *k)
{
    if (k == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return add(node, g, before, n, &(cudart_node_t){.type = CUDA_NODE_KERNEL, .kernel = *k});
}

cuda_error_t cudaGraphAddMemcpyNode(cudart_node_t **node, cudart_graph_t *g, before_t before,
                                    size_t n, const cuda_copy3d_t *c)
{
    if (c == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return add(node, g, before, n, &(cudart_node_t){.type = CUDA_NODE_COPY, .copy = *c});
}

cuda_error_t cudaGraphAddMemcpyNode1D(cudart_node_t **node, cudart_graph_t *g, before_t before,
                                      size_t n, void *to, const void *from, size_t bytes, int kind)
{
    const cuda_copy3d_t row = cudart_copy_row(to, from, bytes, kind);

    return add(node, g, before, n, &(cudart_node_t){.type = CUDA_NODE_COPY, .copy = row});
}

static cuda_error_t add_symbol(cudart_node_t **node, cudart_graph_t *g, before_t before, size_t n,
                               const symbol_copy_t *c)
{
    return add(node, g, before, n,
               &(cudart_node_t){.type = CUDA_NODE_COPY, .is_symbol = true, .symbol = *c});
}

cuda_error_t cudaGraphAddMemcpyNodeToSymbol(cudart_node_t **node, cudart_graph_t *g,
                                            before_t before, size_t n, const void *symbol,
                                            const void *from, size_t bytes, size_t offset, int kind)
{
    return add_symbol(node, g, before, n,
                      &(symbol_copy_t){.symbol = symbol,
                                       .memory = (void *)(uintptr_t)from,
                                       .n = bytes,
                                       .offset = offset,
                                       .kind = kind,
                                       .to_symbol = true});
}

cuda_error_t cudaGraphAddMemcpyNodeFromSymbol(cudart_node_t **node, cudart_graph_t *g,
                                              before_t before, size_t n, void *to,
                                              const void *symbol, size_t bytes, size_t offset,
                                              int kind)
{
    return add_symbol(
        node, g, before, n,
        &(symbol_copy_t){
            .symbol = symbol, .memory = to, .n = bytes, .offset = offset, .kind = kind});
}

cuda_error_t cudaGraphAddMemsetNode(cudart_node_t **node, cudart_graph_t *g, before_t before,
                                    size_t n, const cuda_set_node_t *m)
{
    if (m == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return add(node, g, before, n, &(cudart_node_t){.type = CUDA_NODE_SET, .set = *m});
}

cuda_error_t cudaGraphAddHostNode(cudart_node_t **node, cudart_graph_t *g, before_t before,
                                  size_t n, const cuda_host_node_t *h)
{
    if (h == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return add(node, g, before, n, &(cudart_node_t){.type = CUDA_NODE_HOST, .host = *h});
}

cuda_error_t cudaGraphAddChildGraphNode(cudart_node_t **node, cudart_graph_t *g, before_t before,
                                        size_t n, cudart_graph_t *child)
{
    return add(node, g, before, n, &(cudart_node_t){.type = CUDA_NODE_GRAPH, .graph = child});
}

cuda_error_t cudaGraphAddEmptyNode(cudart_node_t **node, cudart_graph_t *g, before_t before,
                                   size_t n)
{
    return add(node, g, before, n, &(cudart_node_t){.type = CUDA_NODE_EMPTY});
}

cuda_error_t cudaGraphAddEventRecordNode(cudart_node_t **node, cudart_graph_t *g, before_t before,
                                         size_t n, void *event)
{
    return add(node, g, before, n,
               &(cudart_node_t){.type = CUDA_NODE_RECORD_EVENT, .event = event});
}

cuda_error_t cudaGraphAddEventWaitNode(cudart_node_t **node, cudart_graph_t *g, before_t before,
                                       size_t n, void *event)
{
    return add(node, g, before, n, &(cudart_node_t){.type = CUDA_NODE_WAIT_EVENT, .event = event});
}

/* struct cudaMemAllocNodeParams: properties of a pool, access, and at its end: */
enum { ALLOC_BYTES_AT = 104, ALLOC_POINTER_AT = 112 };

cuda_error_t cudaGraphAddMemAllocNode(cudart_node_t **node, cudart_graph_t *g, before_t before,
                                      size_t n, void *params)
{
    cudart_node_t model = {.type = CUDA_NODE_ALLOC};

    if (params == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    memcpy(&model.memory.n, (char *)params + ALLOC_BYTES_AT, sizeof(model.memory.n));
    cuda_error_t e = cudart_keep_memory(&model.memory.p, model.memory.n);
    if (e != CUDA_SUCCESS)
        return e;
    memcpy((char *)params + ALLOC_POINTER_AT, &model.memory.p, sizeof(model.memory.p));
    return add(node, g, before, n, &model);
}

cuda_error_t cudaGraphAddMemFreeNode(cudart_node_t **node, cudart_graph_t *g, before_t before,
                                     size_t n, void *p)
{
    return add(node, g, before, n, &(cudart_node_t){.type = CUDA_NODE_FREE, .memory = {.p = p}});
}

/* --- operations of nodes --------------------------------------------------------------------- */

static bool is(const cudart_node_t *node, cuda_node_type_t type, const void *params)
{
    return node != NULL && params != NULL && node->type == type;
}

cuda_error_t cudaGraphKernelNodeGetParams(cudart_node_t *node, cuda_kernel_node_t *k)
{
    if (!is(node, CUDA_NODE_KERNEL, k))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *k = node->kernel;
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphKernelNodeSetParams(cudart_node_t *node, const cuda_kernel_node_t *k)
{
    if (!is(node, CUDA_NODE_KERNEL, k))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return cudart_node_assign(
        node,
        &(cudart_node_t){.type = CUDA_NODE_KERNEL, .cooperative = node->cooperative, .kernel = *k});
}

cuda_error_t cudaGraphMemcpyNodeGetParams(cudart_node_t *node, cuda_copy3d_t *c)
{
    if (!is(node, CUDA_NODE_COPY, c) || node->is_symbol)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *c = node->copy;
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphMemcpyNodeSetParams(cudart_node_t *node, const cuda_copy3d_t *c)
{
    if (!is(node, CUDA_NODE_COPY, c))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return cudart_node_assign(node, &(cudart_node_t){.type = CUDA_NODE_COPY, .copy = *c});
}

cuda_error_t cudaGraphMemcpyNodeSetParams1D(cudart_node_t *node, void *to, const void *from,
                                            size_t bytes, int kind)
{
    const cuda_copy3d_t row = cudart_copy_row(to, from, bytes, kind);

    return cudaGraphMemcpyNodeSetParams(node, &row);
}

cuda_error_t cudaGraphMemsetNodeGetParams(cudart_node_t *node, cuda_set_node_t *m)
{
    if (!is(node, CUDA_NODE_SET, m))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *m = node->set;
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphMemsetNodeSetParams(cudart_node_t *node, const cuda_set_node_t *m)
{
    if (!is(node, CUDA_NODE_SET, m))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return cudart_node_assign(node, &(cudart_node_t){.type = CUDA_NODE_SET, .set = *m});
}

cuda_error_t cudaGraphHostNodeGetParams(cudart_node_t *node, cuda_host_node_t *h)
{
    if (!is(node, CUDA_NODE_HOST, h))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *h = node->host;
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphHostNodeSetParams(cudart_node_t *node, const cuda_host_node_t *h)
{
    if (!is(node, CUDA_NODE_HOST, h))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return cudart_node_assign(node, &(cudart_node_t){.type = CUDA_NODE_HOST, .host = *h});
}

cuda_error_t cudaGraphChildGraphNodeGetGraph(cudart_node_t *node, cudart_graph_t **g)
{
    if (!is(node, CUDA_NODE_GRAPH, g))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *g = node->graph;
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphMemAllocNodeGetParams(cudart_node_t *node, void *params)
{
    if (!is(node, CUDA_NODE_ALLOC, params))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    memset(params, 0, ALLOC_BYTES_AT);
    memcpy((char *)params + ALLOC_BYTES_AT, &node->memory.n, sizeof(node->memory.n));
    memcpy((char *)params + ALLOC_POINTER_AT, &node->memory.p, sizeof(node->memory.p));
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphMemFreeNodeGetParams(cudart_node_t *node, void **p)
{
    if (!is(node, CUDA_NODE_FREE, p))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *p = node->memory.p;
    return CUDA_SUCCESS;
}
