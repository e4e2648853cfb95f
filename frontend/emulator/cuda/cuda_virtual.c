/*
 * Virtual memory of the driver API: addresses are reserved, memory is created, and the two are
 * mapped to each other. Memory is a file without a name, so that it can be mapped in several
 * places.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontend/emulator/cuda/cuda_api.h"
#include "sim/core/alloc.h"

/* CUmemLocation and CUmemAccessDesc */
typedef struct {
    int type, id;
} location_t;
typedef struct {
    location_t location;
    int flags;
} access_t;

/* CUmemAllocationProp */
typedef struct {
    int type, handle_types;
    location_t location;
    void *security;
    uint8_t flags[8];
} properties_t;

enum { PINNED = 1, ON_DEVICE = 1, READ = 1, WRITE = 2 };
static const uint64_t granularity = 2ull << 20;

/* The object behind a CUmemGenericAllocationHandle. */
typedef struct {
    int fd;
    uint64_t bytes;
    unsigned holders; /* handles that the program has, and mappings */
    properties_t properties;
} physical_t;

typedef struct {
    uint64_t at, bytes;
    physical_t *physical;
    int access;
} mapping_t;

static struct {
    mapping_t *list; /* owned */
    size_t n, cap;
} mappings; /* guarded by the lock of the state */

CUDART_EXPORT cuda_error_t cuMemGetAllocationGranularity(size_t *bytes, const properties_t *p,
                                                         int option);
CUDART_EXPORT cuda_error_t cuMemAddressReserve(cuda_pointer_t *p, size_t bytes, size_t alignment,
                                               cuda_pointer_t wanted, uint64_t flags);
CUDART_EXPORT cuda_error_t cuMemAddressFree(cuda_pointer_t p, size_t bytes);
CUDART_EXPORT cuda_error_t cuMemCreate(physical_t **handle, size_t bytes, const properties_t *p,
                                       uint64_t flags);
CUDART_EXPORT cuda_error_t cuMemRelease(physical_t *handle);
CUDART_EXPORT cuda_error_t cuMemMap(cuda_pointer_t p, size_t bytes, size_t offset,
                                    physical_t *handle, uint64_t flags);
CUDART_EXPORT cuda_error_t cuMemUnmap(cuda_pointer_t p, size_t bytes);
CUDART_EXPORT cuda_error_t cuMemSetAccess(cuda_pointer_t p, size_t bytes, const access_t *list,
                                          size_t n);
CUDART_EXPORT cuda_error_t cuMemGetAccess(uint64_t *flags, const location_t *location,
                                          cuda_pointer_t p);
CUDART_EXPORT cuda_error_t cuMemRetainAllocationHandle(physical_t **handle, void *p);
CUDART_EXPORT cuda_error_t cuMemGetAllocationPropertiesFromHandle(properties_t *p,
                                                                  const physical_t *handle);

static bool is_whole(uint64_t bytes)
{
    return bytes > 0 && bytes % granularity == 0;
}

cuda_error_t cuMemGetAllocationGranularity(size_t *bytes, const properties_t *p, int option)
{
    if (bytes == NULL || p == NULL || option < 0 || option > 1)
        return CUDA_ERROR_INVALID_VALUE;
    *bytes = granularity;
    return CUDA_SUCCESS;
}

/* --- addresses ------------------------------------------------------------------------------- */

cuda_error_t cuMemAddressReserve(cuda_pointer_t *p, size_t bytes, size_t alignment,
                                 cuda_pointer_t wanted, uint64_t flags)
{
    if (p == NULL || !is_whole(bytes) || (alignment & (alignment - 1)) != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    cudart_state_t *s = cudart_enter();
    *p = emu_mem_reserve(&s->mem, bytes, alignment, wanted);
    return cudart_leave(s, *p != 0 ? CUDA_SUCCESS : CUDA_ERROR_MEMORY_ALLOCATION);
}

/* Whether something is mapped in a range. */
static bool is_mapped(uint64_t at, uint64_t bytes)
{
    for (size_t i = 0; i < mappings.n; i++)
        if (mappings.list[i].at < at + bytes && at < mappings.list[i].at + mappings.list[i].bytes)
            return true;
    return false;
}

cuda_error_t cuMemAddressFree(cuda_pointer_t p, size_t bytes)
{
    cudart_state_t *s = cudart_enter();
    bool freed = emu_mem_reserved(&s->mem, p, bytes) && !is_mapped(p, bytes) &&
                 emu_mem_unreserve(&s->mem, p, bytes);

    return cudart_leave(s, cudart_invalid_if(!freed));
}

/* --- memory ---------------------------------------------------------------------------------- */

static bool of_device(const physical_t *h)
{
    return h->properties.location.type == ON_DEVICE;
}

/* Gives up one hold of memory, and frees it with the last. */
static void let_go(cudart_state_t *s, physical_t *h)
{
    if (--h->holders > 0)
        return;
    if (of_device(h))
        s->mem.in_use -= h->bytes;
    close(h->fd);
    free(h);
}

static cuda_error_t create(cudart_state_t *s, physical_t **handle, uint64_t bytes,
                           const properties_t *p)
{
    const uint64_t memory = cudart_device(s)->memory;

    if (p->location.type == ON_DEVICE && (s->mem.in_use > memory || bytes > memory - s->mem.in_use))
        return CUDA_ERROR_MEMORY_ALLOCATION;
    int fd = memfd_create("device memory", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) {
        if (fd >= 0)
            close(fd);
        return CUDA_ERROR_MEMORY_ALLOCATION;
    }
    *handle = rb_calloc(1, sizeof(**handle));
    **handle = (physical_t){.fd = fd, .bytes = bytes, .holders = 1, .properties = *p};
    if (of_device(*handle))
        s->mem.in_use += bytes;
    return CUDA_SUCCESS;
}

cuda_error_t cuMemCreate(physical_t **handle, size_t bytes, const properties_t *p, uint64_t flags)
{
    if (handle == NULL || p == NULL || !is_whole(bytes) || flags != 0 || p->type != PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (p->location.type == ON_DEVICE && p->location.id != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    cudart_state_t *s = cudart_enter();
    return cudart_leave(s, create(s, handle, bytes, p));
}

cuda_error_t cuMemRelease(physical_t *handle)
{
    if (handle == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cudart_state_t *s = cudart_enter();
    let_go(s, handle);
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cuMemGetAllocationPropertiesFromHandle(properties_t *p, const physical_t *handle)
{
    if (p == NULL || handle == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *p = handle->properties;
    return CUDA_SUCCESS;
}

/* --- mapping --------------------------------------------------------------------------------- */

static cuda_error_t map(cudart_state_t *s, uint64_t at, uint64_t bytes, uint64_t offset,
                        physical_t *h)
{
    if (!emu_mem_reserved(&s->mem, at, bytes) || is_mapped(at, bytes) || at % granularity != 0 ||
        offset % granularity != 0 || offset > h->bytes || bytes > h->bytes - offset)
        return CUDA_ERROR_INVALID_VALUE;
    if (!emu_mem_map(&s->mem, at, bytes, h->fd, offset))
        return CUDA_ERROR_MEMORY_ALLOCATION;
    h->holders++;
    rb_grow(&mappings.list, &mappings.cap, mappings.n + 1, sizeof(*mappings.list));
    mappings.list[mappings.n++] = (mapping_t){.at = at, .bytes = bytes, .physical = h};
    return CUDA_SUCCESS;
}

cuda_error_t cuMemMap(cuda_pointer_t p, size_t bytes, size_t offset, physical_t *handle,
                      uint64_t flags)
{
    if (handle == NULL || !is_whole(bytes) || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    cudart_state_t *s = cudart_enter();
    return cudart_leave(s, map(s, p, bytes, offset, handle));
}

/* Whether whole mappings cover a range exactly. */
static bool covers(uint64_t at, uint64_t bytes)
{
    uint64_t covered = 0;

    for (size_t i = 0; i < mappings.n; i++) {
        const mapping_t *m = &mappings.list[i];
        if (m->at >= at && m->bytes <= bytes && m->at - at <= bytes - m->bytes)
            covered += m->bytes;
    }
    return bytes > 0 && covered == bytes;
}

static bool is_inside(const mapping_t *m, uint64_t at, uint64_t bytes)
{
    return m->at >= at && m->at - at < bytes;
}

/* Kernels cannot be kept from writing to what they may read. */
static void set_access(cudart_state_t *s, mapping_t *m, int flags)
{
    if ((m->access != 0) != (flags != 0))
        emu_mem_access(&s->mem, m->at, m->bytes, flags != 0);
    m->access = flags;
}

cuda_error_t cuMemUnmap(cuda_pointer_t p, size_t bytes)
{
    cudart_state_t *s = cudart_enter();

    if (!covers(p, bytes))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    for (size_t i = mappings.n; i-- > 0;) {
        mapping_t *m = &mappings.list[i];
        if (!is_inside(m, p, bytes))
            continue;
        set_access(s, m, 0);
        if (!emu_mem_map(&s->mem, m->at, m->bytes, -1, 0))
            return cudart_leave(s, CUDA_ERROR_MEMORY_ALLOCATION);
        let_go(s, m->physical);
        *m = mappings.list[--mappings.n];
    }
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cuMemSetAccess(cuda_pointer_t p, size_t bytes, const access_t *list, size_t n)
{
    cudart_state_t *s = cudart_enter();

    if (list == NULL || n == 0 || !covers(p, bytes))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    for (size_t k = 0; k < n; k++) {
        if (list[k].location.type != ON_DEVICE)
            continue; /* the host may access it in any case */
        if (list[k].location.id != 0)
            return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE);
        for (size_t i = 0; i < mappings.n; i++)
            if (is_inside(&mappings.list[i], p, bytes))
                set_access(s, &mappings.list[i], list[k].flags & (READ | WRITE));
    }
    return cudart_leave(s, CUDA_SUCCESS);
}

static mapping_t *mapping_at(uint64_t p)
{
    for (size_t i = 0; i < mappings.n; i++)
        if (p >= mappings.list[i].at && p - mappings.list[i].at < mappings.list[i].bytes)
            return &mappings.list[i];
    return NULL;
}

cuda_error_t cuMemGetAccess(uint64_t *flags, const location_t *location, cuda_pointer_t p)
{
    cudart_state_t *s = cudart_enter();
    const mapping_t *m = mapping_at(p);

    if (flags == NULL || location == NULL || m == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    *flags = (uint64_t)m->access;
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cuMemRetainAllocationHandle(physical_t **handle, void *p)
{
    cudart_state_t *s = cudart_enter();
    const mapping_t *m = mapping_at((uintptr_t)p);

    if (handle == NULL || m == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    *handle = m->physical;
    m->physical->holders++;
    return cudart_leave(s, CUDA_SUCCESS);
}
