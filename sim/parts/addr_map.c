#include "sim/parts/addr_map_run.h"

#include <string.h>

#include "sim/core/engine/msg.h"
#include "sim/core/err.h"

enum { MAX_BITS = 10, ADDRESS_BITS = 64 };

/* log2 of the gv100 constants of addr_map.h */
enum { GV100_SHIFT = 9 };
_Static_assert(1 << MAX_BITS == ADDR_MAP_SLICES &&
                   1 << ADDR_MAP_GV100_BITS == ADDR_MAP_GV100_SLICES &&
                   1 << GV100_SHIFT == ADDR_MAP_GV100_INTERLEAVE,
               "the logarithms of the constants in addr_map.h");

/* Irreducible polynomials over GF(2); bit i is the coefficient of x^i. Degrees 4 to 7 are those of
 * gpgpu-sim's IPOLY (gpu-facts); the others are the usual primitive polynomials of their degree. */
static const uint32_t polynomial[MAX_BITS + 1] = {1, 3, 7, 11, 19, 37, 67, 131, 285, 529, 1033};

#define BIT(n) (UINT64_C(1) << (n))

/*
 * Which address bits are XORed into each bit of the slice number. Bits 1 to 5: the memory module of
 * a Tesla V100-SXM2-16GB (Jain, Fractional GPUs, RTAS 2019, doc/REVERSE.md of its sources; physical
 * addresses). The paper does not distinguish the two slices of a module. That they alternate every
 * 512 bytes is a guess; bit 0 uses the paper's XOR for the bit of the cache set number whose lowest
 * address bit is bit 9.
 */
static const uint64_t gv100_slice[ADDR_MAP_GV100_BITS] = {
    BIT(9) | BIT(15) | BIT(19) | BIT(21) | BIT(22) | BIT(24) | BIT(25) | BIT(26) | BIT(27) |
        BIT(30) | BIT(31) | BIT(32) | BIT(33),
    BIT(10) | BIT(13) | BIT(17) | BIT(19) | BIT(24) | BIT(25) | BIT(26) | BIT(29) | BIT(30) |
        BIT(32) | BIT(33),
    BIT(11) | BIT(13) | BIT(15) | BIT(23) | BIT(24) | BIT(26) | BIT(27) | BIT(29) | BIT(30) |
        BIT(31),
    BIT(12) | BIT(15) | BIT(16) | BIT(18) | BIT(20) | BIT(21) | BIT(23) | BIT(26) | BIT(28) |
        BIT(29) | BIT(30),
    BIT(13) | BIT(19) | BIT(20) | BIT(22) | BIT(25) | BIT(27) | BIT(28) | BIT(29),
    BIT(15) | BIT(18) | BIT(22) | BIT(23) | BIT(26) | BIT(29) | BIT(30) | BIT(31) | BIT(32) |
        BIT(33),
};

/* x^16 + x^12 + x^3 + x + 1, primitive. */
static const uint32_t rotation_polynomial = 0x1100B;

/* Bit i of a run's number XORs `adds` into the hash. */
static void fold_bit(addr_map_t *m, uint32_t i, uint32_t adds)
{
    uint16_t *fold = m->fold[i / 8];
    const uint32_t bit = 1u << i % 8;
    for (uint32_t v = 0; v < bit; v++)
        fold[bit | v] = (uint16_t)(fold[v] ^ adds);
}

/* Sets the fold tables to run * x^degree mod p. */
static void fold_polynomial(addr_map_t *m, uint32_t p, uint32_t degree)
{
    uint32_t power = 1; /* x^i mod p */
    for (uint32_t i = 0; i < degree + ADDRESS_BITS; i++) {
        if (i >= degree)
            fold_bit(m, i - degree, power);
        power = power << 1 ^ (power >> (degree - 1) & 1 ? p : 0);
    }
}

/* Bits of the slice number that an address bit flips. */
static uint32_t gv100_changes(uint32_t address_bit)
{
    uint32_t slice = 0;
    for (uint32_t b = 0; b < ADDR_MAP_GV100_BITS; b++)
        slice |= (uint32_t)(gv100_slice[b] >> address_bit & 1) << b;
    return slice;
}

static void gv100_init(addr_map_t *m)
{
    m->swapped = true;
    fold_bit(
        m, 0,
        gv100_changes(GV100_SHIFT + ADDR_MAP_GV100_BITS - 1)); /* address bit 14, exchanged with
                                                                  * 15 */
    for (uint32_t i = 1; GV100_SHIFT + ADDR_MAP_GV100_BITS + i < ADDRESS_BITS; i++)
        fold_bit(m, i, gv100_changes(GV100_SHIFT + ADDR_MAP_GV100_BITS + i));
    for (uint32_t n = 0; n < 1u << ADDR_MAP_GV100_BITS; n++) {
        uint32_t slice = 0;
        for (uint32_t b = 0; b < ADDR_MAP_GV100_BITS; b++)
            if (n >> b & 1)
                slice ^= gv100_changes(GV100_SHIFT + b + (b == ADDR_MAP_GV100_BITS - 1));
        m->slice[n] = (uint16_t)slice;
    }
}

static void tables_init(addr_map_t *m, uint32_t hash)
{
    if (!m->pow2) {
        fold_polynomial(m, rotation_polynomial, ADDR_MAP_ROTATION_BITS);
        return;
    }
    for (uint32_t n = 0; n < m->slices; n++)
        m->slice[n] = (uint16_t)n;
    if (hash == HASH_GV100)
        gv100_init(m);
    else
        fold_polynomial(m, polynomial[m->slice_bits], m->slice_bits);
    for (uint32_t n = 0; n < m->slices; n++)
        m->block[m->slice[n]] = (uint16_t)n;
}

static inline uint32_t run_hash(const addr_map_t *m, uint64_t run)
{
    uint32_t h = 0;
    for (uint32_t b = 0; run != 0; b++, run >>= 8)
        h ^= m->fold[b][run & 255];
    return m->pow2 ? h : h * m->slices >> ADDR_MAP_ROTATION_BITS;
}

uint32_t addr_map_slice(const addr_map_t *m, uint64_t addr)
{
    uint32_t rest;
    uint64_t run = addr_map_run(m, addr, &rest);
    return m->hashed ? addr_map_run_slice(m, rest, run_hash(m, run)) : rest;
}

/* The slices of single bits; those of several are their XOR. */
static void pieces_init(addr_map_t *m)
{
    for (uint32_t p = 0; p < ADDR_MAP_PIECES; p++) {
        const uint32_t shift = p * ADDR_MAP_PIECE + m->interleave_shift;
        uint16_t *piece = m->piece[p];
        for (uint64_t v = 1; shift < ADDRESS_BITS && v < 1 << ADDR_MAP_PIECE; v++) {
            const uint64_t rest = v & (v - 1);
            piece[v] = rest == 0 ? (uint16_t)addr_map_slice(m, v << shift)
                                 : (uint16_t)(piece[rest] ^ piece[v ^ rest]);
        }
    }
}

void addr_map_init(addr_map_t *m, uint32_t partitions, uint32_t slices, uint32_t interleave,
                   uint32_t hash)
{
    RB_INVARIANT(partitions > 0 && slices % partitions == 0 && slices <= ADDR_MAP_SLICES,
                 "address map: %u slices in %u partitions", slices, partitions);
    RB_INVARIANT(interleave >= LINE_BYTES && (interleave & (interleave - 1)) == 0,
                 "address map: interleave of %u bytes", interleave);
    RB_INVARIANT(hash != HASH_GV100 ||
                     (slices == ADDR_MAP_GV100_SLICES && interleave == ADDR_MAP_GV100_INTERLEAVE),
                 "address map: %u slices of %u bytes for a gv100", slices, interleave);
    memset(m, 0, sizeof(*m));
    m->slices = slices;
    m->partitions = partitions;
    m->slices_per_partition = slices / partitions;
    m->interleave_shift = (uint32_t)__builtin_ctz(interleave);
    m->pow2 = (slices & (slices - 1)) == 0;
    m->slice_bits = m->pow2 ? (uint32_t)__builtin_ctz(slices) : 0;
    m->by_slices = divider_make(slices);
    m->hashed = hash != HASH_NONE && slices > 1;
    if (m->hashed)
        tables_init(m, hash);
    if (m->pow2)
        pieces_init(m);
}

uint64_t addr_map_slice_local(const addr_map_t *m, uint64_t addr)
{
    uint32_t rest;
    return addr_map_run_local(m, addr, addr_map_run(m, addr, &rest));
}

void addr_map_slices(const addr_map_t *m, const uint64_t *addr, uint32_t *slice,
                     uint64_t *slice_local, size_t n)
{
    addr_map_high_t before = {0}; /* that of 0 is 0 */
    for (size_t i = 0; i < n; i++) {
        uint32_t rest;
        slice[i] = addr_map_next_slice(m, addr[i], &before);
        slice_local[i] = addr_map_run_local(m, addr[i], addr_map_run(m, addr[i], &rest));
    }
}

uint64_t addr_map_partition_local(const addr_map_t *m, uint32_t nth, uint64_t slice_local)
{
    uint64_t run = slice_local >> m->interleave_shift;
    uint64_t block = run * m->slices_per_partition + nth;
    return block << m->interleave_shift |
           (slice_local & ((UINT64_C(1) << m->interleave_shift) - 1));
}

uint64_t addr_map_local(const addr_map_t *m, uint64_t addr)
{
    uint32_t nth = addr_map_slice(m, addr) % m->slices_per_partition;
    return addr_map_partition_local(m, nth, addr_map_slice_local(m, addr));
}

uint64_t addr_map_global(const addr_map_t *m, uint32_t slice, uint64_t slice_local)
{
    uint64_t run = slice_local >> m->interleave_shift;
    uint32_t rest = slice;
    if (m->hashed && m->pow2)
        rest = m->block[slice ^ run_hash(m, run)];
    else if (m->hashed)
        rest = (slice + m->slices - run_hash(m, run)) % m->slices;
    uint64_t n = addr_map_swap(m, run * m->slices + rest);
    return n << m->interleave_shift | (slice_local & ((UINT64_C(1) << m->interleave_shift) - 1));
}
