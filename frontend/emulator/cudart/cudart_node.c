/* The operations of graph nodes. */
#include "frontend/emulator/cudart/cudart_graph.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "sim/core/alloc.h"

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
    cudart_graph_t *copy = g != NULL ? cudart_graph_copy(g) : NULL;

    if (copy == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cudart_graph_free(node->graph);
    node->graph = copy;
    return CUDA_SUCCESS;
}

cuda_copy3d_t cudart_copy_row(void *to, const void *from, size_t n, int kind)
{
    return (cuda_copy3d_t){.from = {(void *)(uintptr_t)from, n, n, 1},
                           .to = {to, n, n, 1},
                           .extent = {n, 1, 1},
                           .kind = kind};
}

cuda_error_t cudart_node_assign(cudart_node_t *to, const cudart_node_t *from)
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
        return to->event != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CUDA_NODE_ALLOC:
    case CUDA_NODE_FREE:
        to->memory = from->memory;
        return CUDA_SUCCESS;
    case CUDA_NODE_EMPTY:
        break;
    }
    return CUDA_SUCCESS;
}

static cuda_error_t run_set(const cuda_set_node_t *m)
{
    cudart_state_t *s = cudart_enter();
    const size_t bytes = m->width * m->element_bytes;

    for (size_t y = 0; y < m->height; y++) {
        uint8_t *row = (uint8_t *)m->p + y * m->pitch;
        if (bytes > 0 && !cudart_legal(s, row, bytes, true))
            return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
        for (size_t at = 0; at < bytes; at += m->element_bytes)
            memcpy(row + at, &m->value, m->element_bytes);
    }
    return cudart_leave(s, CUDA_SUCCESS);
}

static cuda_error_t run_symbol(const symbol_copy_t *c)
{
    if (c->to_symbol)
        return cudaMemcpyToSymbol(c->symbol, c->memory, c->n, c->offset, c->kind);
    return cudaMemcpyFromSymbol(c->memory, c->symbol, c->n, c->offset, c->kind);
}

cuda_error_t cudart_node_run(const cudart_node_t *node, cuda_stream_t stream)
{
    const cuda_kernel_node_t *k = &node->kernel;

    switch (node->type) {
    case CUDA_NODE_KERNEL:
        return cudart_launch(k->host, k->grid, k->block, k->args, k->shared, stream,
                             node->cooperative);
    case CUDA_NODE_COPY:
        return node->is_symbol ? run_symbol(&node->symbol) : cudaMemcpy3D(&node->copy);
    case CUDA_NODE_SET:
        return run_set(&node->set);
    case CUDA_NODE_HOST:
        node->host.fn(node->host.data);
        return CUDA_SUCCESS;
    case CUDA_NODE_GRAPH:
        return cudart_graph_run(node->graph, stream);
    case CUDA_NODE_RECORD_EVENT:
        return cudaEventRecord(node->event, stream);
    case CUDA_NODE_WAIT_EVENT: /* nothing runs concurrently, so there is nothing to wait for */
    case CUDA_NODE_EMPTY:
    case CUDA_NODE_ALLOC: /* its memory exists as long as the graph */
    case CUDA_NODE_FREE:
        break;
    }
    return CUDA_SUCCESS;
}

void cudart_node_free(cudart_node_t *node)
{
    if (node->type == CUDA_NODE_KERNEL)
        free(node->kernel.args);
    if (node->type == CUDA_NODE_GRAPH)
        cudart_graph_free(node->graph);
    free(node->before);
    free(node);
}
