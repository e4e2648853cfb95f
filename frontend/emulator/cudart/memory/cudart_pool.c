/*
 * Memory is given back here. Memory pools: what comes from a pool is memory as any other, taken and
 * given back at once; a pool counts it. And memory that graphs allocate, which keeps its place for
 * every launch of them.
 */
#include <string.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/graph/cudart_graph.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"
#include "sim/core/alloc.h"

/* The object behind a cudaMemPool_t. */
typedef struct {
    int reuse[3];
    uint64_t threshold; /* limit of memory kept after it is freed; none is kept */
    uint64_t used, high;
    bool destroyed;
} pool_t;

/* Allocations from pools in order of creation; pool is NULL for those of graphs. */
static struct {
    struct {
        void *p;
        size_t n;
        pool_t *pool;
    } * rows;
    size_t n, cap;
} taken;

/* Destroyed ones stay, to count what they gave. */
static bool is_pool(const pool_t *pool)
{
    return pool != NULL && !pool->destroyed;
}

static pool_t default_pool = {.reuse = {1, 1, 1}}, graph_pool;
static pool_t *current_pool = &default_pool;

/* enum cudaMemPoolAttr; enum cudaGraphMemAttributeType */
enum {
    POOL_REUSE = 1, /* three attributes in sequence */
    POOL_THRESHOLD = 4,
    POOL_RESERVED,
    POOL_RESERVED_HIGH,
    POOL_USED,
    POOL_USED_HIGH,
};
enum { GRAPH_USED, GRAPH_USED_HIGH, GRAPH_RESERVED, GRAPH_RESERVED_HIGH };

CUDART_EXPORT cuda_error_t cudaFreeHost(void *p);
CUDART_EXPORT cuda_error_t cudaMallocAsync(void **p, size_t n, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMallocFromPoolAsync(void **p, size_t n, pool_t *pool,
                                                   cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaFreeAsync(void *p, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMemPoolCreate(pool_t **pool, const void *properties);
CUDART_EXPORT cuda_error_t cudaMemPoolDestroy(pool_t *pool);
CUDART_EXPORT cuda_error_t cudaMemPoolTrimTo(pool_t *pool, size_t bytes);
CUDART_EXPORT cuda_error_t cudaMemPoolSetAttribute(pool_t *pool, int attribute, void *value);
CUDART_EXPORT cuda_error_t cudaMemPoolGetAttribute(pool_t *pool, int attribute, void *value);
CUDART_EXPORT cuda_error_t cudaMemPoolSetAccess(pool_t *pool, const void *access, size_t n);
CUDART_EXPORT cuda_error_t cudaMemPoolGetAccess(int *flags, pool_t *pool, void *location);
CUDART_EXPORT cuda_error_t cudaDeviceGetDefaultMemPool(pool_t **pool, int device);
CUDART_EXPORT cuda_error_t cudaDeviceGetMemPool(pool_t **pool, int device);
CUDART_EXPORT cuda_error_t cudaDeviceSetMemPool(int device, pool_t *pool);
CUDART_EXPORT cuda_error_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value);
CUDART_EXPORT cuda_error_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value);
CUDART_EXPORT cuda_error_t cudaDeviceGraphMemTrim(int device);

static cuda_error_t take(void **p, size_t n, pool_t *pool)
{
    cudart_state_t *s = cudart_enter_context();

    if (p == NULL || n == 0)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    *p = (void *)(uintptr_t)cudart_alloc(s, n);
    if (*p == NULL)
        return cudart_leave(s, CUDA_ERROR_MEMORY_ALLOCATION);
    rb_grow(&taken.rows, &taken.cap, taken.n + 1, sizeof(*taken.rows));
    taken.rows[taken.n].p = *p;
    taken.rows[taken.n].n = n;
    taken.rows[taken.n++].pool = pool;
    pool->used += n;
    pool->high = pool->used > pool->high ? pool->used : pool->high;
    return cudart_leave(s, CUDA_SUCCESS);
}

/* Records, with the state locked, that memory is freed. False: it must keep its address. */
static bool gives_back(const void *p)
{
    size_t i = taken.n;

    while (i > 0 && taken.rows[i - 1].p != p)
        i--;
    if (i == 0)
        return true;
    if (taken.rows[i - 1].pool == &graph_pool)
        return false;
    taken.rows[i - 1].pool->used -= taken.rows[i - 1].n;
    taken.rows[i - 1] = taken.rows[--taken.n];
    return true;
}

cuda_error_t cudart_keep_memory(void **p, size_t n)
{
    return take(p, n, &graph_pool);
}

static cuda_error_t give_back(void *p, bool waits)
{
    cudart_state_t *s = cudart_enter_context();
    if (waits)
        cudart_order_host_all();
    bool ok = p == NULL || !gives_back(p) || emu_mem_release(&s->mem, (uint64_t)(uintptr_t)p);

    return cudart_leave(s, ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* It waits for all work. */
cuda_error_t cudaFree(void *p)
{
    return give_back(p, true);
}

cuda_error_t cudaFreeHost(void *p)
{
    return cudaFree(p);
}

/* --- allocation ------------------------------------------------------------------------------ */

cuda_error_t cudaMallocFromPoolAsync(void **p, size_t n, pool_t *pool, cuda_stream_t stream)
{
    cudart_node_t model = {.type = CUDA_NODE_ALLOC, .memory = {.n = n}};
    int captured;

    if (p == NULL || !is_pool(pool))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    cuda_error_t e = cudaStreamGetCaptureInfo_v2(stream, &captured, NULL, NULL, NULL, NULL);
    if (e != CUDA_SUCCESS)
        return e;
    if (!captured)
        return take(p, n, pool);
    e = cudart_keep_memory(&model.memory.p, n);
    if (e == CUDA_SUCCESS) {
        *p = model.memory.p;
        cudart_capture(stream, &model, &e);
    }
    return e;
}

cuda_error_t cudaMallocAsync(void **p, size_t n, cuda_stream_t stream)
{
    return cudaMallocFromPoolAsync(p, n, current_pool, stream);
}

cuda_error_t cudaFreeAsync(void *p, cuda_stream_t stream)
{
    cuda_error_t e;

    if (cudart_capture(stream, &(cudart_node_t){.type = CUDA_NODE_FREE, .memory = {.p = p}}, &e))
        return e;
    return give_back(p, false);
}

/* --- pools ----------------------------------------------------------------------------------- */

cuda_error_t cudaMemPoolCreate(pool_t **pool, const void *properties)
{
    if (pool == NULL || properties == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *pool = rb_calloc(1, sizeof(**pool));
    **pool = (pool_t){.reuse = {1, 1, 1}};
    return CUDA_SUCCESS;
}

/* Memory from the pool may still be in use, so the pool stays to count it. */
cuda_error_t cudaMemPoolDestroy(pool_t *pool)
{
    if (!is_pool(pool) || pool == &default_pool)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    if (pool == current_pool)
        current_pool = &default_pool;
    pool->destroyed = true;
    return CUDA_SUCCESS;
}

cuda_error_t cudaMemPoolTrimTo(pool_t *pool, size_t bytes)
{
    (void)bytes;
    return cudart_fail_if(!is_pool(pool));
}

static uint64_t *count_of(pool_t *pool, int attribute)
{
    switch (attribute) {
    case POOL_THRESHOLD:
        return &pool->threshold;
    case POOL_RESERVED:
    case POOL_USED:
        return &pool->used;
    case POOL_RESERVED_HIGH:
    case POOL_USED_HIGH:
        return &pool->high;
    default:
        return NULL;
    }
}

cuda_error_t cudaMemPoolGetAttribute(pool_t *pool, int attribute, void *value)
{
    if (!is_pool(pool) || value == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    if (attribute >= POOL_REUSE && attribute < POOL_THRESHOLD) {
        memcpy(value, &pool->reuse[attribute - POOL_REUSE], sizeof(int));
        return CUDA_SUCCESS;
    }
    const uint64_t *count = count_of(pool, attribute);
    if (count != NULL)
        memcpy(value, count, sizeof(*count));
    return cudart_fail_if(count == NULL);
}

cuda_error_t cudaMemPoolSetAttribute(pool_t *pool, int attribute, void *value)
{
    if (!is_pool(pool) || value == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    if (attribute >= POOL_REUSE && attribute < POOL_THRESHOLD) {
        memcpy(&pool->reuse[attribute - POOL_REUSE], value, sizeof(int));
        return CUDA_SUCCESS;
    }
    if (attribute == POOL_THRESHOLD)
        memcpy(&pool->threshold, value, sizeof(pool->threshold));
    else if (attribute == POOL_RESERVED_HIGH || attribute == POOL_USED_HIGH)
        pool->high = pool->used; /* restarts at the current value */
    else
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

cuda_error_t cudaMemPoolSetAccess(pool_t *pool, const void *access, size_t n)
{
    return cudart_fail_if(!is_pool(pool) || (n > 0 && access == NULL));
}

cuda_error_t cudaMemPoolGetAccess(int *flags, pool_t *pool, void *location)
{
    (void)location;
    if (flags == NULL || !is_pool(pool))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *flags = 3; /* read and write */
    return CUDA_SUCCESS;
}

static cuda_error_t get_pool(pool_t **pool, int device, pool_t *which)
{
    if (pool == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    if (device != 0)
        return cudart_fail(CUDA_ERROR_INVALID_DEVICE);
    *pool = which;
    return CUDA_SUCCESS;
}

cuda_error_t cudaDeviceGetDefaultMemPool(pool_t **pool, int device)
{
    return get_pool(pool, device, &default_pool);
}

cuda_error_t cudaDeviceGetMemPool(pool_t **pool, int device)
{
    return get_pool(pool, device, current_pool);
}

cuda_error_t cudaDeviceSetMemPool(int device, pool_t *pool)
{
    if (device != 0)
        return cudart_fail(CUDA_ERROR_INVALID_DEVICE);
    if (!is_pool(pool))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    current_pool = pool;
    return CUDA_SUCCESS;
}

/* --- memory of graphs ------------------------------------------------------------------------ */

cuda_error_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
    static const int as_pools[] = {POOL_USED, POOL_USED_HIGH, POOL_RESERVED, POOL_RESERVED_HIGH};

    if (device != 0)
        return cudart_fail(CUDA_ERROR_INVALID_DEVICE);
    if (attribute < GRAPH_USED || attribute > GRAPH_RESERVED_HIGH)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return cudaMemPoolGetAttribute(&graph_pool, as_pools[attribute], value);
}

cuda_error_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value)
{
    if (device != 0)
        return cudart_fail(CUDA_ERROR_INVALID_DEVICE);
    if (attribute != GRAPH_USED_HIGH && attribute != GRAPH_RESERVED_HIGH)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    return cudaMemPoolSetAttribute(&graph_pool, POOL_USED_HIGH, value);
}

cuda_error_t cudaDeviceGraphMemTrim(int device)
{
    return device == 0 ? CUDA_SUCCESS : cudart_fail(CUDA_ERROR_INVALID_DEVICE);
}
