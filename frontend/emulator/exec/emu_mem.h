/*
 * Simulated device memory: one range of addresses, backed by host memory that is reserved but not
 * used until it is touched. Allocations are multiples of 512 bytes, as cudaMalloc gives them.
 *
 * An access is legal if it lies on a page that holds part of an allocation. Hardware pages have
 * 2 MiB; smaller pages find more mistakes of the program.
 */
#ifndef RUBATO_EMU_MEM_H
#define RUBATO_EMU_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

enum { EMU_ALLOC_BYTES = 512 };

/* A range in use or free; ranges are kept in the order of their addresses. */
typedef struct {
    uint64_t offset, bytes;
    bool of_host; /* memory of the host that kernels can reach: not of the card's */
} emu_range_t;

typedef struct {
    uint64_t base; /* device address of host[0] */
    uint8_t *host;
    uint64_t bytes;      /* reserved */
    uint64_t limit;      /* of the card's memory; 0: what is reserved */
    uint64_t in_use;     /* bytes of all allocations that are not of_host */
    unsigned page_shift; /* of the check */
    uint16_t *pages;     /* allocations that touch each page */
    emu_range_t *used;   /* owned, by offset */
    size_t n_used, cap_used;
    uint64_t next;                /* where the search for room begins */
    struct emu_texture *textures; /* owned; by handle less 1 (emu_texture.h) */
    size_t n_textures, cap_textures;
} emu_mem_t;

/*
 * Reserves bytes (a multiple of 2 MiB) at device address base. With fixed, host memory stands at
 * the same address, so that device pointers are host pointers. RB_NOMEM.
 */
RB_CHECKED rb_code_t emu_mem_init(emu_mem_t *m, uint64_t base, uint64_t bytes, unsigned page_shift,
                                  bool fixed, rb_err_t *err);
void emu_mem_free(emu_mem_t *m);

/* Device address of n zeroed bytes, or 0: no room. n may be 0. */
uint64_t emu_mem_alloc(emu_mem_t *m, uint64_t n);

/* The same of the host's memory, which takes nothing from the card's. */
uint64_t emu_mem_alloc_host(emu_mem_t *m, uint64_t n);

/* Gives an allocation back; false: addr is not the beginning of one. */
bool emu_mem_release(emu_mem_t *m, uint64_t addr);

/* The allocation that holds addr: its beginning and size; false: there is none. */
bool emu_mem_find(const emu_mem_t *m, uint64_t addr, uint64_t *begin, uint64_t *bytes);

/* Bytes of all allocations but those of the host's memory. */
static inline uint64_t emu_mem_in_use(const emu_mem_t *m)
{
    return m->in_use;
}

/* Host address of n bytes, or NULL if not all of them are on legal pages. */
static inline uint8_t *emu_mem_at(const emu_mem_t *m, uint64_t addr, uint64_t n)
{
    uint64_t offset = addr - m->base;

    if (offset >= m->bytes || n > m->bytes - offset)
        return NULL;
    if (m->pages[offset >> m->page_shift] == 0 ||
        m->pages[(offset + n - (n > 0)) >> m->page_shift] == 0)
        return NULL;
    return m->host + offset;
}

#endif
