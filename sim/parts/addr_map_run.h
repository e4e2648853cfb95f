/*
 * Inline parts of the address map, for loops over very many addresses. Other callers use
 * addr_map.h.
 */
#ifndef RUBATO_PARTS_ADDR_MAP_RUN_H
#define RUBATO_PARTS_ADDR_MAP_RUN_H

#include "sim/parts/addr_map.h"

enum { ADDR_MAP_ROTATION_BITS = 16, ADDR_MAP_GV100_BITS = 6 };

/* gv100: exchanges address bits 14 and 15 in a block number; its own inverse. */
static inline uint64_t addr_map_swap(const addr_map_t *m, uint64_t n)
{
    const uint64_t differ =
        (n >> (ADDR_MAP_GV100_BITS - 1) ^ n >> ADDR_MAP_GV100_BITS) & (m->swapped ? 1 : 0);
    return n ^ (differ << (ADDR_MAP_GV100_BITS - 1) | differ << ADDR_MAP_GV100_BITS);
}

/* Splits the block number of an address: run * slices + rest. */
static inline uint64_t addr_map_run(const addr_map_t *m, uint64_t addr, uint32_t *rest)
{
    const uint64_t n = addr_map_swap(m, addr >> m->interleave_shift);
    if (m->pow2) {
        *rest = (uint32_t)n & (m->slices - 1);
        return n >> m->slice_bits;
    }
    uint64_t run = divider_quotient(&m->by_slices, n);
    *rest = (uint32_t)(n - run * m->slices);
    return run;
}

/* The slice of block `rest` of a run with this hash. */
static inline uint32_t addr_map_run_slice(const addr_map_t *m, uint32_t rest, uint32_t h)
{
    if (m->pow2)
        return m->slice[rest] ^ h;
    return rest + h >= m->slices ? rest + h - m->slices : rest + h;
}

static inline uint64_t addr_map_run_local(const addr_map_t *m, uint64_t addr, uint64_t run)
{
    return run << m->interleave_shift | (addr & ((UINT64_C(1) << m->interleave_shift) - 1));
}

/* The hash of the high bits of an address: mostly the same as for the address before. Zero is that of
 * address 0. */
typedef struct {
    uint64_t high;
    uint32_t hash;
} addr_map_high_t;

/* XOR of the fold tables over the bytes of the run's number, reduced to a rotation. */
static inline uint32_t addr_map_next_hash(const addr_map_t *m, uint64_t run,
                                          addr_map_high_t *before)
{
    if (run >> 16 != before->high) {
        before->high = run >> 16;
        before->hash = 0;
        for (uint32_t b = 2; b < ADDR_MAP_BYTES; b++)
            before->hash ^= m->fold[b][run >> 8 * b & 255];
    }
    const uint32_t h = before->hash ^ m->fold[0][run & 255] ^ m->fold[1][run >> 8 & 255];
    return h * m->slices >> ADDR_MAP_ROTATION_BITS;
}

/* 2^k slices: that of block n, which is linear. */
static inline uint32_t addr_map_block_slice(const addr_map_t *m, uint64_t n,
                                            addr_map_high_t *before)
{
    const uint64_t high = n >> 2 * ADDR_MAP_PIECE, mask = (1 << ADDR_MAP_PIECE) - 1;
    if (high != before->high) {
        before->high = high;
        before->hash = 0;
        for (uint32_t p = 2; p < ADDR_MAP_PIECES; p++)
            before->hash ^= m->piece[p][n >> p * ADDR_MAP_PIECE & mask];
    }
    return before->hash ^ m->piece[0][n & mask] ^ m->piece[1][n >> ADDR_MAP_PIECE & mask];
}

/* addr_map_slice() of one address after another. */
static inline uint32_t addr_map_next_slice(const addr_map_t *m, uint64_t addr,
                                           addr_map_high_t *before)
{
    uint32_t rest;
    if (m->pow2)
        return addr_map_block_slice(m, addr >> m->interleave_shift, before);
    const uint64_t run = addr_map_run(m, addr, &rest);
    return m->hashed ? addr_map_run_slice(m, rest, addr_map_next_hash(m, run, before)) : rest;
}

#endif
