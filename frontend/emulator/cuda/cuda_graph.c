/*
 * Graphs that are made by calls of the driver API. Nodes are those of the runtime: the structures that
 * describe kernels, values, host functions and allocations are the same; copies have their own.
 */
#include "frontend/emulator/cuda/cuda_copy.h"
#include "frontend/emulator/cudart/graph/cudart_graph.h"

typedef cudart_node_t *const *before_t;

/* Calls that are those of the runtime by another name. */
#define SAME(name, runtime, params, args)                                                          \
    CUDART_EXPORT cuda_error_t runtime params;                                                     \
    CUDART_EXPORT cuda_error_t name params;                                                        \
    cuda_error_t name params                                                                       \
    {                                                                                              \
        return runtime args;                                                                       \
    }

/* Calls with a context at their end, which the runtime's have not. */
#define WITH_CONTEXT(name, runtime, params, more, args)                                            \
    CUDART_EXPORT cuda_error_t runtime params;                                                     \
    CUDART_EXPORT cuda_error_t name more;                                                          \
    cuda_error_t name more                                                                         \
    {                                                                                              \
        (void)context;                                                                             \
        return runtime args;                                                                       \
    }

/* Parameters of all calls that add nodes. */
#define ADD   cudart_node_t **node, cudart_graph_t *g, before_t before, size_t n
#define ADDED node, g, before, n

/* --- graphs ---------------------------------------------------------------------------------- */

SAME(cuGraphCreate, cudaGraphCreate, (cudart_graph_t * *g, unsigned flags), (g, flags))
SAME(cuGraphClone, cudaGraphClone, (cudart_graph_t * *clone, cudart_graph_t *g), (clone, g))
SAME(cuGraphNodeFindInClone, cudaGraphNodeFindInClone,
     (cudart_node_t * *node, cudart_node_t *origin, cudart_graph_t *clone), (node, origin, clone))
SAME(cuGraphGetNodes, cudaGraphGetNodes, (cudart_graph_t * g, cudart_node_t **nodes, size_t *n),
     (g, nodes, n))
SAME(cuGraphGetRootNodes, cudaGraphGetRootNodes,
     (cudart_graph_t * g, cudart_node_t **nodes, size_t *n), (g, nodes, n))
SAME(cuGraphNodeGetType, cudaGraphNodeGetType, (cudart_node_t * node, int *type), (node, type))
SAME(cuGraphDestroyNode, cudaGraphDestroyNode, (cudart_node_t * node), (node))
SAME(cuGraphAddDependencies, cudaGraphAddDependencies,
     (cudart_graph_t * g, before_t from, before_t to, size_t n), (g, from, to, n))
SAME(cuGraphRemoveDependencies, cudaGraphRemoveDependencies,
     (cudart_graph_t * g, before_t from, before_t to, size_t n), (g, from, to, n))
SAME(cuGraphGetEdges, cudaGraphGetEdges,
     (cudart_graph_t * g, cudart_node_t **from, cudart_node_t **to, size_t *n), (g, from, to, n))
SAME(cuGraphNodeGetDependencies, cudaGraphNodeGetDependencies,
     (cudart_node_t * node, cudart_node_t **before, size_t *n), (node, before, n))
SAME(cuGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes,
     (cudart_node_t * node, cudart_node_t **after, size_t *n), (node, after, n))
SAME(cuGraphUpload, cudaGraphUpload, (cudart_graph_t * exec, cuda_stream_t stream), (exec, stream))
SAME(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams,
     (cudart_graph_t * *exec, cudart_graph_t *g, void *params), (exec, g, params))
SAME(cuGraphExecUpdate_v2, cudaGraphExecUpdate,
     (cudart_graph_t * exec, cudart_graph_t *g, void *info), (exec, g, info))

/* Before CUDA 12, with a node and a log that explain an error. */
CUDART_EXPORT cuda_error_t cudaGraphInstantiateWithFlags(cudart_graph_t **exec, cudart_graph_t *g,
                                                         unsigned long long flags);
CUDART_EXPORT cuda_error_t cuGraphInstantiate_v2(cudart_graph_t **exec, cudart_graph_t *g,
                                                 cudart_node_t **node, char *log, size_t size);

cuda_error_t cuGraphInstantiate_v2(cudart_graph_t **exec, cudart_graph_t *g, cudart_node_t **node,
                                   char *log, size_t size)
{
    if (node != NULL)
        *node = NULL;
    if (log != NULL && size > 0)
        log[0] = '\0';
    return cudaGraphInstantiateWithFlags(exec, g, 0);
}

/* Before CUDA 12, with the node and the result by themselves. */
CUDART_EXPORT cuda_error_t cuGraphExecUpdate(cudart_graph_t *exec, cudart_graph_t *g,
                                             cudart_node_t **node, int *result);

cuda_error_t cuGraphExecUpdate(cudart_graph_t *exec, cudart_graph_t *g, cudart_node_t **node,
                               int *result)
{
    struct {
        int result;
        cudart_node_t *node, *from;
    } info = {0};

    if (result == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cuda_error_t e = cudaGraphExecUpdate(exec, g, &info);
    *result = info.result;
    if (node != NULL)
        *node = info.node;
    return e;
}

/* --- kernels --------------------------------------------------------------------------------- */

/* CUDA_KERNEL_NODE_PARAMS of CUDA 12: a kernel of a library may stand for the function. */
typedef struct {
    cuda_kernel_node_t node;
    cudart_function_t *kernel;
    void *context;
} kernel_node_v2_t;

static cuda_kernel_node_t kernel_node(const kernel_node_v2_t *k)
{
    cuda_kernel_node_t node = k->node;

    if (node.host == NULL)
        node.host = k->kernel;
    return node;
}

SAME(cuGraphAddKernelNode, cudaGraphAddKernelNode, (ADD, const cuda_kernel_node_t *k), (ADDED, k))
SAME(cuGraphKernelNodeGetParams, cudaGraphKernelNodeGetParams,
     (cudart_node_t * node, cuda_kernel_node_t *k), (node, k))
SAME(cuGraphKernelNodeSetParams, cudaGraphKernelNodeSetParams,
     (cudart_node_t * node, const cuda_kernel_node_t *k), (node, k))
SAME(cuGraphExecKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
     (cudart_graph_t * exec, cudart_node_t *node, const cuda_kernel_node_t *k), (exec, node, k))

CUDART_EXPORT cuda_error_t cuGraphAddKernelNode_v2(ADD, const kernel_node_v2_t *k);
CUDART_EXPORT cuda_error_t cuGraphKernelNodeGetParams_v2(cudart_node_t *node, kernel_node_v2_t *k);
CUDART_EXPORT cuda_error_t cuGraphKernelNodeSetParams_v2(cudart_node_t *node,
                                                         const kernel_node_v2_t *k);
CUDART_EXPORT cuda_error_t cuGraphExecKernelNodeSetParams_v2(cudart_graph_t *exec,
                                                             cudart_node_t *node,
                                                             const kernel_node_v2_t *k);

cuda_error_t cuGraphAddKernelNode_v2(ADD, const kernel_node_v2_t *k)
{
    if (k == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const cuda_kernel_node_t kernel = kernel_node(k);
    return cudaGraphAddKernelNode(ADDED, &kernel);
}

cuda_error_t cuGraphKernelNodeGetParams_v2(cudart_node_t *node, kernel_node_v2_t *k)
{
    if (k == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *k = (kernel_node_v2_t){.context = cudart_context()};
    return cudaGraphKernelNodeGetParams(node, &k->node);
}

cuda_error_t cuGraphKernelNodeSetParams_v2(cudart_node_t *node, const kernel_node_v2_t *k)
{
    if (k == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const cuda_kernel_node_t kernel = kernel_node(k);
    return cudaGraphKernelNodeSetParams(node, &kernel);
}

cuda_error_t cuGraphExecKernelNodeSetParams_v2(cudart_graph_t *exec, cudart_node_t *node,
                                               const kernel_node_v2_t *k)
{
    if (k == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const cuda_kernel_node_t kernel = kernel_node(k);
    return cudaGraphExecKernelNodeSetParams(exec, node, &kernel);
}

/* --- copies ---------------------------------------------------------------------------------- */

CUDART_EXPORT cuda_error_t cudaGraphAddMemcpyNode(ADD, const cuda_copy3d_t *c);
CUDART_EXPORT cuda_error_t cudaGraphMemcpyNodeSetParams(cudart_node_t *node,
                                                        const cuda_copy3d_t *c);
CUDART_EXPORT cuda_error_t cudaGraphExecMemcpyNodeSetParams(cudart_graph_t *exec,
                                                            cudart_node_t *node,
                                                            const cuda_copy3d_t *c);
CUDART_EXPORT cuda_error_t cuGraphAddMemcpyNode(ADD, const cuda_driver_copy_t *c, void *context);
CUDART_EXPORT cuda_error_t cuGraphMemcpyNodeSetParams(cudart_node_t *node,
                                                      const cuda_driver_copy_t *c);
CUDART_EXPORT cuda_error_t cuGraphExecMemcpyNodeSetParams(cudart_graph_t *exec, cudart_node_t *node,
                                                          const cuda_driver_copy_t *c,
                                                          void *context);

cuda_error_t cuGraphAddMemcpyNode(ADD, const cuda_driver_copy_t *c, void *context)
{
    cuda_copy3d_t copy;
    cuda_error_t e = cuda_copy_of(c, &copy);

    (void)context;
    return e == CUDA_SUCCESS ? cudaGraphAddMemcpyNode(ADDED, &copy) : e;
}

cuda_error_t cuGraphMemcpyNodeSetParams(cudart_node_t *node, const cuda_driver_copy_t *c)
{
    cuda_copy3d_t copy;
    cuda_error_t e = cuda_copy_of(c, &copy);

    return e == CUDA_SUCCESS ? cudaGraphMemcpyNodeSetParams(node, &copy) : e;
}

cuda_error_t cuGraphExecMemcpyNodeSetParams(cudart_graph_t *exec, cudart_node_t *node,
                                            const cuda_driver_copy_t *c, void *context)
{
    cuda_copy3d_t copy;
    cuda_error_t e = cuda_copy_of(c, &copy);

    (void)context;
    return e == CUDA_SUCCESS ? cudaGraphExecMemcpyNodeSetParams(exec, node, &copy) : e;
}

/* --- other nodes ----------------------------------------------------------------------------- */

WITH_CONTEXT(cuGraphAddMemsetNode, cudaGraphAddMemsetNode, (ADD, const cuda_set_node_t *m),
             (ADD, const cuda_set_node_t *m, void *context), (ADDED, m))
SAME(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams,
     (cudart_node_t * node, cuda_set_node_t *m), (node, m))
SAME(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams,
     (cudart_node_t * node, const cuda_set_node_t *m), (node, m))
WITH_CONTEXT(cuGraphExecMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
             (cudart_graph_t * exec, cudart_node_t *node, const cuda_set_node_t *m),
             (cudart_graph_t * exec, cudart_node_t *node, const cuda_set_node_t *m, void *context),
             (exec, node, m))
SAME(cuGraphAddHostNode, cudaGraphAddHostNode, (ADD, const cuda_host_node_t *h), (ADDED, h))
SAME(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams,
     (cudart_node_t * node, cuda_host_node_t *h), (node, h))
SAME(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams,
     (cudart_node_t * node, const cuda_host_node_t *h), (node, h))
SAME(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams,
     (cudart_graph_t * exec, cudart_node_t *node, const cuda_host_node_t *h), (exec, node, h))
SAME(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode, (ADD, cudart_graph_t *child),
     (ADDED, child))
SAME(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph,
     (cudart_node_t * node, cudart_graph_t **child), (node, child))
SAME(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams,
     (cudart_graph_t * exec, cudart_node_t *node, cudart_graph_t *child), (exec, node, child))
SAME(cuGraphAddEmptyNode, cudaGraphAddEmptyNode, (ADD), (ADDED))
SAME(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode, (ADD, void *event), (ADDED, event))
SAME(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode, (ADD, void *event), (ADDED, event))
SAME(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode, (ADD, void *params), (ADDED, params))
SAME(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams,
     (cudart_node_t * node, void *params), (node, params))

CUDART_EXPORT cuda_error_t cudaGraphAddMemFreeNode(ADD, void *p);
CUDART_EXPORT cuda_error_t cudaGraphMemFreeNodeGetParams(cudart_node_t *node, void **p);
CUDART_EXPORT cuda_error_t cuGraphAddMemFreeNode(ADD, cuda_pointer_t p);
CUDART_EXPORT cuda_error_t cuGraphMemFreeNodeGetParams(cudart_node_t *node, cuda_pointer_t *p);

cuda_error_t cuGraphAddMemFreeNode(ADD, cuda_pointer_t p)
{
    return cudaGraphAddMemFreeNode(ADDED, cuda_at(p));
}

cuda_error_t cuGraphMemFreeNodeGetParams(cudart_node_t *node, cuda_pointer_t *p)
{
    void *at = NULL;
    cuda_error_t e =
        p != NULL ? cudaGraphMemFreeNodeGetParams(node, &at) : CUDA_ERROR_INVALID_VALUE;

    if (e == CUDA_SUCCESS)
        *p = (uintptr_t)at;
    return e;
}
