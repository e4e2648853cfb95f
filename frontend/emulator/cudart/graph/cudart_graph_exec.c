/* Executable graphs: copies with their nodes in execution order, whose nodes may be changed. */
#include "frontend/emulator/cudart/cudart_handle.h"
#include "frontend/emulator/cudart/graph/cudart_graph.h"

#include <string.h>

/* From CUDA 12 on the third parameter is flags; none of them changes what a copy does. */
CUDART_EXPORT cuda_error_t cudaGraphInstantiate(cudart_graph_t **exec, cudart_graph_t *g);
CUDART_EXPORT cuda_error_t cudaGraphInstantiateWithFlags(cudart_graph_t **exec, cudart_graph_t *g,
                                                         unsigned long long flags);
CUDART_EXPORT cuda_error_t cudaGraphInstantiateWithParams(cudart_graph_t **exec, cudart_graph_t *g,
                                                          void *params);
CUDART_EXPORT cuda_error_t cudaGraphExecDestroy(cudart_graph_t *exec);
CUDART_EXPORT cuda_error_t cudaGraphUpload(cudart_graph_t *exec, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaGraphLaunch(cudart_graph_t *exec, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaGraphExecKernelNodeSetParams(cudart_graph_t *exec,
                                                            cudart_node_t *node,
                                                            const cuda_kernel_node_t *k);
CUDART_EXPORT cuda_error_t cudaGraphExecMemcpyNodeSetParams(cudart_graph_t *exec,
                                                            cudart_node_t *node,
                                                            const cuda_copy3d_t *c);
CUDART_EXPORT cuda_error_t cudaGraphExecMemcpyNodeSetParams1D(cudart_graph_t *exec,
                                                              cudart_node_t *node, void *to,
                                                              const void *from, size_t bytes,
                                                              int kind);
CUDART_EXPORT cuda_error_t cudaGraphExecMemsetNodeSetParams(cudart_graph_t *exec,
                                                            cudart_node_t *node,
                                                            const cuda_set_node_t *m);
CUDART_EXPORT cuda_error_t cudaGraphExecHostNodeSetParams(cudart_graph_t *exec, cudart_node_t *node,
                                                          const cuda_host_node_t *h);
CUDART_EXPORT cuda_error_t cudaGraphExecChildGraphNodeSetParams(cudart_graph_t *exec,
                                                                cudart_node_t *node,
                                                                cudart_graph_t *child);

cuda_error_t cudaGraphInstantiate(cudart_graph_t **exec, cudart_graph_t *g)
{
    if (exec == NULL || !cudart_is_graph(g))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *exec = cudart_graph_copy(g);
    return cudart_fail_if(*exec == NULL);
}

cuda_error_t cudaGraphInstantiateWithFlags(cudart_graph_t **exec, cudart_graph_t *g,
                                           unsigned long long flags)
{
    (void)flags;
    return cudaGraphInstantiate(exec, g);
}

/* struct cudaGraphInstantiateParams: flags, a stream, and the result at offset 24: 0 is success. */
cuda_error_t cudaGraphInstantiateWithParams(cudart_graph_t **exec, cudart_graph_t *g, void *params)
{
    const int result = 0;

    if (params != NULL)
        memcpy((char *)params + 24, &result, sizeof(result));
    return cudaGraphInstantiate(exec, g);
}

cuda_error_t cudaGraphExecDestroy(cudart_graph_t *exec)
{
    if (!cudart_is_graph(exec))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    cudart_graph_free(exec);
    return CUDA_SUCCESS;
}

cuda_error_t cudaGraphUpload(cudart_graph_t *exec, cuda_stream_t stream)
{
    if (!cudart_is_stream(stream))
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    return cudart_fail_if(!cudart_is_graph(exec));
}

cuda_error_t cudaGraphLaunch(cudart_graph_t *exec, cuda_stream_t stream)
{
    cuda_error_t e;

    if (!cudart_is_graph(exec))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    if (cudart_capture(stream, &(cudart_node_t){.type = CUDA_NODE_GRAPH, .graph = exec}, &e))
        return e;
    return cudart_graph_run(exec, stream);
}

/* --- other parameters ------------------------------------------------------------------------ */

/* Gives the copy of node in exec the operation of model. */
static cuda_error_t change(cudart_graph_t *exec, const cudart_node_t *node,
                           const cudart_node_t *model)
{
    cudart_node_t *copy =
        cudart_is_graph(exec) && node != NULL ? cudart_graph_find(exec, node) : NULL;

    if (copy == NULL || copy->type != model->type)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return cudart_node_assign(copy, model);
}

cuda_error_t cudaGraphExecKernelNodeSetParams(cudart_graph_t *exec, cudart_node_t *node,
                                              const cuda_kernel_node_t *k)
{
    if (k == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return change(exec, node, &(cudart_node_t){.type = CUDA_NODE_KERNEL, .kernel = *k});
}

cuda_error_t cudaGraphExecMemcpyNodeSetParams(cudart_graph_t *exec, cudart_node_t *node,
                                              const cuda_copy3d_t *c)
{
    if (c == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return change(exec, node, &(cudart_node_t){.type = CUDA_NODE_COPY, .copy = *c});
}

cuda_error_t cudaGraphExecMemcpyNodeSetParams1D(cudart_graph_t *exec, cudart_node_t *node, void *to,
                                                const void *from, size_t bytes, int kind)
{
    const cuda_copy3d_t row = cudart_copy_row(to, from, bytes, kind);

    return cudaGraphExecMemcpyNodeSetParams(exec, node, &row);
}

cuda_error_t cudaGraphExecMemsetNodeSetParams(cudart_graph_t *exec, cudart_node_t *node,
                                              const cuda_set_node_t *m)
{
    if (m == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return change(exec, node, &(cudart_node_t){.type = CUDA_NODE_SET, .set = *m});
}

cuda_error_t cudaGraphExecHostNodeSetParams(cudart_graph_t *exec, cudart_node_t *node,
                                            const cuda_host_node_t *h)
{
    if (h == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return change(exec, node, &(cudart_node_t){.type = CUDA_NODE_HOST, .host = *h});
}

cuda_error_t cudaGraphExecChildGraphNodeSetParams(cudart_graph_t *exec, cudart_node_t *node,
                                                  cudart_graph_t *child)
{
    return change(exec, node, &(cudart_node_t){.type = CUDA_NODE_GRAPH, .graph = child});
}
