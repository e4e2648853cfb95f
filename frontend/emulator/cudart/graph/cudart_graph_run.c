/* Executes the nodes of a graph. */
#include "frontend/emulator/cudart/graph/cudart_graph.h"

#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"

static cuda_error_t run_symbol(const symbol_copy_t *c)
{
    if (c->to_symbol)
        return cudaMemcpyToSymbol(c->symbol, c->memory, c->n, c->offset, c->kind);
    return cudaMemcpyFromSymbol(c->memory, c->symbol, c->n, c->offset, c->kind);
}

static cuda_error_t run_node(const cudart_node_t *node, cuda_stream_t stream)
{
    const cuda_kernel_node_t *k = &node->kernel;

    switch (node->type) {
    case CUDA_NODE_KERNEL:
        return cudart_launch(k->host, k->grid, k->block, k->args, k->shared, stream,
                             node->cooperative);
    case CUDA_NODE_COPY:
        return node->is_symbol ? run_symbol(&node->symbol) : cudaMemcpy3D(&node->copy);
    case CUDA_NODE_SET:
        return cudart_set(&node->set);
    case CUDA_NODE_HOST:
        node->host.fn(node->host.data);
        return CUDA_SUCCESS;
    case CUDA_NODE_GRAPH:
        return cudart_graph_run(node->graph, stream);
    case CUDA_NODE_RECORD_EVENT:
        return cudaEventRecord(node->event, stream);
    case CUDA_NODE_WAIT_EVENT:
        return cudaStreamWaitEvent(stream, node->event, 0);
    case CUDA_NODE_EMPTY:
    case CUDA_NODE_ALLOC: /* its memory exists as long as the graph */
    case CUDA_NODE_FREE:
        break;
    }
    return CUDA_SUCCESS;
}

/* What node i waits for is what its predecessors leave. */
static void begin_node(cudart_order_nodes_t *order, const cudart_node_t *node)
{
    cudart_state_t *s = cudart_enter();

    cudart_order_node(order);
    for (size_t k = 0; k < node->n_before; k++)
        cudart_order_node_after(order, node->before[k]->index);
    cudart_leave(s, CUDA_SUCCESS);
}

static void end_node(cudart_order_nodes_t *order, size_t i)
{
    cudart_state_t *s = cudart_enter();

    cudart_order_node_end(order, i);
    cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudart_graph_run(const cudart_graph_t *g, cuda_stream_t stream)
{
    cuda_error_t e = CUDA_SUCCESS;
    cudart_order_nodes_t order;
    cudart_state_t *s = cudart_enter();

    cudart_order_graph_begin(&order, g->n_nodes, stream);
    cudart_leave(s, CUDA_SUCCESS);
    for (size_t i = 0; i < g->n_nodes && e == CUDA_SUCCESS; i++) {
        begin_node(&order, g->nodes[i]);
        e = CUDART_ON(stream, run_node(g->nodes[i], stream));
        end_node(&order, i);
    }
    s = cudart_enter();
    cudart_order_graph_end(&order);
    cudart_leave(s, CUDA_SUCCESS);
    return e;
}
