/*
 * Simulated device memory: one range of addresses, backed by reserved host memory that is committed
 * on first use. Allocations are multiples of 512 bytes, like those of cudaMalloc().
 *
 * An access is legal if it is on a page that holds part of an allocation. Hardware pages have 2
 * MiB; smaller pages find more errors of the program.
 */
#ifndef RUBATO_EMU_MEM_H
#define RUBATO_EMU_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

enum { EMU_ALLOC_BYTES = 512 };

/* A used or free range; ranges are sorted by address. */
typedef struct {
    uint64_t offset, bytes;
    uint64_t id;   /* number of the allocation, never used twice */
    uint64_t heap; /* bytes of the heap of kernels that it takes; 0: it is not in it */
    bool of_host;  /* host memory that kernels can access; not counted as the card's */
    bool managed;  /* memory of both, which moves; of_host, too */
    bool reserved; /* addresses only: memory is mapped there later */
} emu_range_t;

/* The program's own memory that kernels may access at its host address (cudaHostRegister()). */
typedef struct {
    uint64_t addr, bytes;
    unsigned flags; /* of the call */
} emu_foreign_t;

typedef struct {
    uint64_t base; /* device address of host[0] */
    uint8_t *host;
    uint64_t bytes;      /* reserved */
    uint64_t limit;      /* size of the card's memory; 0: all that is reserved */
    uint64_t in_use;     /* bytes of all allocations except of_host */
    uint64_t heap_used;  /* by malloc() in kernels */
    unsigned page_shift; /* page size of the legality check */
    uint16_t *pages;     /* number of allocations on each page */
    uint8_t *backed;     /* pages with host memory behind them, with fixed addresses; else NULL */
    emu_range_t *used;   /* owned; sorted by offset */
    size_t n_used, cap_used;
    uint64_t n_allocated;   /* allocations so far */
    uint64_t next;          /* where the search for free memory begins */
    int refused;            /* errno if the host had no addresses for an allocation; else 0 */
    emu_foreign_t *foreign; /* owned; sorted by address */
    size_t n_foreign, cap_foreign;
    struct emu_texture *textures; /* owned; by handle - 1 (emu_texture.h) */
    size_t n_textures, cap_textures;
} emu_mem_t;

/*
 * Device memory of at most bytes (a multiple of 2 MiB) from device address base on. fixed: host
 * memory has the same addresses, so that device pointers are host pointers; it is reserved as
 * allocations need it. Otherwise all of it is reserved here. RB_NOMEM.
 */
RB_CHECKED rb_code_t emu_mem_init(emu_mem_t *m, uint64_t base, uint64_t bytes, unsigned page_shift,
                                  bool fixed, rb_err_t *err);
void emu_mem_free(emu_mem_t *m);

/* Allocates n zeroed bytes (n may be 0) and returns their device address; 0: no room. */
uint64_t emu_mem_alloc(emu_mem_t *m, uint64_t n);

/* The same for host memory, which does not reduce the card's. */
uint64_t emu_mem_alloc_host(emu_mem_t *m, uint64_t n);

/* The same for managed memory. */
uint64_t emu_mem_alloc_managed(emu_mem_t *m, uint64_t n);

/* The same far from the others, so that it does not change their addresses; part of the program. */
uint64_t emu_mem_alloc_apart(emu_mem_t *m, uint64_t n);

/* Frees an allocation; false: addr is not the start of one. */
bool emu_mem_release(emu_mem_t *m, uint64_t addr);

/* malloc() and free() of kernels: a heap of at most limit bytes (0: no limit). */
uint64_t emu_mem_alloc_heap(emu_mem_t *m, uint64_t n, uint64_t limit);
bool emu_mem_release_heap(emu_mem_t *m, uint64_t addr);

/* Start and size of the allocation that contains addr; false: none. */
bool emu_mem_find(const emu_mem_t *m, uint64_t addr, uint64_t *begin, uint64_t *bytes);

/* The number of the allocation that contains addr, never used twice; 0: none. */
uint64_t emu_mem_id(const emu_mem_t *m, uint64_t addr);

/* The range that contains addr; NULL: none. Valid until the next allocation or release. */
const emu_range_t *emu_mem_range(const emu_mem_t *m, uint64_t addr);

/* Makes n bytes of the host accessible to kernels; false: a part of them is already. */
bool emu_mem_register(emu_mem_t *m, uint64_t addr, uint64_t n, unsigned flags);

/* Ends that; false: addr is not the start of such memory. */
bool emu_mem_unregister(emu_mem_t *m, uint64_t addr);

/* The registered memory that contains n bytes from addr on; NULL: none. */
const emu_foreign_t *emu_mem_foreign(const emu_mem_t *m, uint64_t addr, uint64_t n);

/* Bytes of all allocations except host memory. */
static inline uint64_t emu_mem_in_use(const emu_mem_t *m)
{
    return m->in_use;
}

/*
 * Reserves n addresses (whole pages) without memory, at a multiple of alignment (a power of two of
 * at least a page), and at wanted if that is possible (0: anywhere). 0: no room.
 */
uint64_t emu_mem_reserve(emu_mem_t *m, uint64_t n, uint64_t alignment, uint64_t wanted);

/* Ends a reservation of n bytes, which must have no memory; false: there is none. */
bool emu_mem_unreserve(emu_mem_t *m, uint64_t addr, uint64_t n);

/* Whether n bytes are within one reservation. */
bool emu_mem_reserved(const emu_mem_t *m, uint64_t addr, uint64_t n);

/*
 * Puts memory behind n reserved addresses (whole pages): that of a file, or with fd -1 none. What is
 * written there is seen wherever the same part of the file is mapped. False: the host refuses.
 */
bool emu_mem_map(emu_mem_t *m, uint64_t addr, uint64_t n, int fd, uint64_t offset);

/* Makes n mapped bytes (whole pages) accessible, or no longer so. */
void emu_mem_access(emu_mem_t *m, uint64_t addr, uint64_t n, bool accessible);

/* Host address of n bytes, or NULL unless all of them are on legal pages or registered. */
static inline uint8_t *emu_mem_at(const emu_mem_t *m, uint64_t addr, uint64_t n)
{
    uint64_t offset = addr - m->base;

    if (offset >= m->bytes || n > m->bytes - offset)
        return m->n_foreign > 0 && emu_mem_foreign(m, addr, n) != NULL ? (uint8_t *)(uintptr_t)addr
                                                                       : NULL;
    if (m->pages[offset >> m->page_shift] == 0 ||
        m->pages[(offset + n - (n > 0)) >> m->page_shift] == 0)
        return NULL;
    return m->host + offset;
}

#endif
