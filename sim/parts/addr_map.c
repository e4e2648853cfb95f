#include "sim/parts/addr_map.h"

#include <string.h>

#include "sim/core/err.h"
#include "sim/core/msg.h"

enum { MAX_BITS = 10, ROTATION_BITS = 16 };

/*
 * Irreducible polynomials over GF(2), bit i the coefficient of x^i. Degrees 4 to 7 as gpgpu-sim's
 * IPOLY (gpu-facts); the others are the usual primitive polynomials of their degree.
 */
static const uint32_t polynomial[MAX_BITS + 1] = {1, 3, 7, 11, 19, 37, 67, 131, 285, 529, 1033};

/* x^16 + x^12 + x^3 + x + 1, primitive. */
static const uint32_t rotation_polynomial = 0x1100B;

/* Tabulates run * x^degree mod p for each byte of run. */
static void fold_init(addr_map_t *m, uint32_t p, uint32_t degree)
{
    uint32_t power = 1; /* x^i mod p */
    for (uint32_t i = 0; i < degree; i++)
        power = power << 1 ^ (power >> (degree - 1) & 1 ? p : 0);
    for (uint32_t b = 0; b < ADDR_MAP_BYTES; b++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            for (uint32_t v = 0; v < 1u << bit; v++)
                m->fold[b][1u << bit | v] = (uint16_t)(m->fold[b][v] ^ power);
            power = power << 1 ^ (power >> (degree - 1) & 1 ? p : 0);
        }
    }
}

void addr_map_init(addr_map_t *m, uint32_t partitions, uint32_t slices, uint32_t interleave,
                   uint32_t hash)
{
    RB_INVARIANT(partitions > 0 && slices % partitions == 0 && slices <= 1u << MAX_BITS,
                 "address map: %u slices in %u partitions", slices, partitions);
    RB_INVARIANT(interleave >= LINE_BYTES && (interleave & (interleave - 1)) == 0,
                 "address map: interleave of %u bytes", interleave);
    memset(m, 0, sizeof(*m));
    m->slices = slices;
    m->partitions = partitions;
    m->slices_per_partition = slices / partitions;
    m->interleave_shift = (uint32_t)__builtin_ctz(interleave);
    m->pow2 = (slices & (slices - 1)) == 0;
    m->slice_bits = m->pow2 ? (uint32_t)__builtin_ctz(slices) : 0;
    m->reciprocal = UINT64_MAX / slices + 1;
    m->hashed = hash != 0 && slices > 1;
    if (m->hashed && m->pow2)
        fold_init(m, polynomial[m->slice_bits], m->slice_bits);
    else if (m->hashed)
        fold_init(m, rotation_polynomial, ROTATION_BITS);
}

/* Block number n as run * slices + rest. */
static inline uint64_t run_of(const addr_map_t *m, uint64_t n, uint32_t *rest)
{
    if (m->pow2) {
        *rest = (uint32_t)n & (m->slices - 1);
        return n >> m->slice_bits;
    }
    __extension__ typedef unsigned __int128 wide_t;
    uint64_t run = (uint64_t)((wide_t)n * m->reciprocal >> 64);
    if (run * m->slices > n) /* the rounded-up reciprocal may give one too many */
        run--;
    *rest = (uint32_t)(n - run * m->slices);
    return run;
}

static inline uint32_t run_hash(const addr_map_t *m, uint64_t run)
{
    uint32_t h = 0;
    for (uint32_t b = 0; run != 0; b++, run >>= 8)
        h ^= m->fold[b][run & 255];
    return m->pow2 ? h : h * m->slices >> ROTATION_BITS;
}

uint32_t addr_map_slice(const addr_map_t *m, uint64_t addr)
{
    uint32_t rest;
    uint64_t run = run_of(m, addr >> m->interleave_shift, &rest);
    if (!m->hashed)
        return rest;
    uint32_t h = run_hash(m, run);
    if (m->pow2)
        return rest ^ h;
    return rest + h >= m->slices ? rest + h - m->slices : rest + h;
}

uint64_t addr_map_slice_local(const addr_map_t *m, uint64_t addr)
{
    uint32_t rest;
    uint64_t run = run_of(m, addr >> m->interleave_shift, &rest);
    return run << m->interleave_shift | (addr & ((UINT64_C(1) << m->interleave_shift) - 1));
}

uint64_t addr_map_partition_local(const addr_map_t *m, uint32_t slice, uint64_t slice_local)
{
    uint64_t run = slice_local >> m->interleave_shift;
    uint64_t block = run * m->slices_per_partition + slice % m->slices_per_partition;
    return block << m->interleave_shift |
           (slice_local & ((UINT64_C(1) << m->interleave_shift) - 1));
}

uint64_t addr_map_local(const addr_map_t *m, uint64_t addr)
{
    return addr_map_partition_local(m, addr_map_slice(m, addr), addr_map_slice_local(m, addr));
}

uint64_t addr_map_global(const addr_map_t *m, uint32_t slice, uint64_t slice_local)
{
    uint64_t run = slice_local >> m->interleave_shift;
    uint32_t rest = slice;
    if (m->hashed && m->pow2)
        rest ^= run_hash(m, run);
    else if (m->hashed)
        rest = (slice + m->slices - run_hash(m, run)) % m->slices;
    uint64_t n = run * m->slices + rest;
    return n << m->interleave_shift | (slice_local & ((UINT64_C(1) << m->interleave_shift) - 1));
}
