/*
 * Converts the addresses of a warp's memory instruction to lines and sectors, and to passes through
 * the 32 four-byte banks of the L1/shared-memory array.
 *
 * Coalescing considers the whole warp (Volta and later: the tag stage compares all 32 threads).
 */
#ifndef RUBATO_SM_COALESCE_H
#define RUBATO_SM_COALESCE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/engine/msg.h"
#include "sim/isa/stream.h"

enum { WARP_LANES = 32 };

/* The accesses of a warp's instruction to one line. */
typedef struct {
    uint64_t line;
    uint8_t sectors;                  /* touched */
    uint8_t full;                     /* stores: all 32 bytes written */
    uint8_t lanes;                    /* atomics: operations */
    uint8_t conflict;                 /* atomics: most operations on one word */
    uint8_t words;                    /* atomics: words with operations */
    uint32_t bytes[SECTORS_PER_LINE]; /* stores: byte mask */
} line_access_t;

/* 32 lanes, up to five lines each: an unaligned global access touches at most two lines; a 16-byte
 * access to local memory touches up to five words, which lie in different lines if the offsets of
 * the lanes differ. */
enum { COALESCE_MAX_LINES = WARP_LANES * 5 };

typedef struct {
    uint32_t n;
    line_access_t line[COALESCE_MAX_LINES];
} coalesced_t;

typedef enum { COALESCE_LOAD, COALESCE_STORE, COALESCE_ATOMIC } coalesce_mode_t;

/* The addresses of an instruction's active lanes, decoded once. */
typedef struct {
    unsigned n;                /* active lanes */
    bool contiguous;           /* every byte of [lo, hi) is touched and addr is not filled */
    uint64_t lo, hi;           /* all touched bytes are in [lo, hi) */
    uint64_t addr[WARP_LANES]; /* per active lane, in lane order */
} lane_addrs_t;

/* Number of sectors in a set. */
static inline unsigned sectors_in(uint8_t set)
{
    return (unsigned)(UINT64_C(0x4332322132212110) >> 4 * (set & 15u)) & 15u;
}

/* The space of a generic access: the window that contains the address of the first active lane
 * decides (as in NVBit's traces). A base of 0 means that the launch has no such window. */
static inline mem_space_t coalesce_generic_space(uint64_t first, uint64_t shared_base,
                                                 uint64_t local_base)
{
    const uint64_t window = UINT64_C(1) << 24;
    if (shared_base != 0 && first - shared_base < window)
        return MEM_SHARED;
    return local_base != 0 && first - local_base < window ? MEM_LOCAL : MEM_GLOBAL;
}

/* Decodes an address record of accesses of width bytes. */
void coalesce_decode(const uint64_t *rec, unsigned width, lane_addrs_t *out);

/* Fills in addr, if lanes->contiguous says that it is not. */
void coalesce_lanes(lane_addrs_t *lanes, unsigned width);

/* Address of the first active lane. */
uint64_t coalesce_first(const uint64_t *rec);

/* The lines that the lanes touch, in order of first touch. */
void coalesce_lines(lane_addrs_t *lanes, unsigned width, coalesce_mode_t mode, coalesced_t *out);

/* The same for local memory: word w of lane l is at base + (w * 32 + l) * 4, so equal offsets of a
 * warp share a line. window: generic address of the local window, subtracted from higher
 * addresses. */
void coalesce_local(lane_addrs_t *lanes, uint32_t mask, unsigned width, coalesce_mode_t mode,
                    uint64_t base, uint64_t window, coalesced_t *out);

/* How the lanes of an access wider than 32 bits pass through the banks. */
typedef enum {
    PASS_GROUPS, /* in half warps (64 bits) or quarter warps (128 bits) */
    /* Loads from shared memory: two groups pass together if lanes i and i ^ 1, or lanes i and i ^ 2,
     * have equal addresses wherever both are active. A pass returns 128 bytes, and equal data of two
     * lanes are returned once (NVIDIA, forums.developer.nvidia.com/t/77228, for cc 7.0 to 7.5). */
    PASS_PAIRS
} pass_mode_t;

/* Passes of an access through `banks` banks of 4 bytes: 32-bit accesses of all lanes together,
 * 64-bit by half warps, 128-bit by quarter warps, or two such groups together (see pass_mode_t). A
 * group needs as many passes as the most distinct words in any bank. *ideal: passes without
 * conflicts. */
unsigned coalesce_bank_passes(const lane_addrs_t *lanes, uint32_t mask, unsigned width,
                              unsigned banks, pass_mode_t mode, unsigned *ideal);

/* Most lanes that address one 4-byte word (shared-memory atomics). */
unsigned coalesce_word_conflict(lane_addrs_t *lanes, unsigned width);

#endif
