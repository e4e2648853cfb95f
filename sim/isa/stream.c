#include "sim/isa/stream.h"

#include "sim/isa/stream_store.h"

#include <string.h>

static bool fits_i32(uint64_t difference)
{
    return difference + 0x80000000u <= UINT32_MAX;
}

bool addr_is_affine(const uint64_t *addr, unsigned n, int32_t *stride)
{
    uint64_t step = n > 1 ? addr[1] - addr[0] : 0, bent = 0;

    *stride = (int32_t)(uint32_t)step;
    if (addr[n - 1] - addr[0] != (n - 1) * step) /* mostly it shows here */
        return false;
    for (unsigned k = 1; k < n; k++)
        bent |= (addr[k] - addr[k - 1]) ^ step;
    return bent == 0 && fits_i32(step);
}

/* Writes the distances of n addresses from the first one. false: not all fit. */
static bool put_offsets(const uint64_t *addr, unsigned n, uint64_t *to)
{
    const uint64_t first = addr[0];
    uint32_t offset[32];
    uint64_t far = 0;

    for (unsigned k = 0; k < n; k++) {
        const uint64_t from = addr[k] - first;
        offset[k] = (uint32_t)from;
        far |= from + 0x80000000u;
    }
    memcpy(to, offset, n * sizeof(offset[0]));
    return far <= UINT32_MAX;
}

size_t addr_pack(const uint64_t *addr, unsigned n, uint64_t *rec)
{
    int32_t stride;

    if (addr_is_affine(addr, n, &stride)) {
        rec[0] = addr_header(ADDR_AFFINE, n, stride);
        rec[1] = addr[0];
        return 2;
    }
    rec[1 + (n + 1) / 2] = 0; /* the unused half of an odd count */
    if (!put_offsets(addr, n, rec + 2)) {
        rec[0] = addr_header(ADDR_LIST, n, 0);
        memcpy(rec + 1, addr, n * sizeof(addr[0]));
        return 1 + n;
    }
    rec[0] = addr_header(ADDR_DELTA, n, 0);
    rec[1] = addr[0];
    return addr_find_rows(rec);
}

/* Offset k of an ADDR_DELTA record. */
static inline uint32_t offset_at(const uint64_t *rec, unsigned k)
{
    uint32_t offset;
    memcpy(&offset, (const char *)(rec + 2) + k * sizeof(offset), sizeof(offset));
    return offset;
}

size_t addr_find_rows(uint64_t *rec)
{
    const unsigned n = addr_lanes(rec);
    const uint32_t step = offset_at(rec, 1);
    unsigned row = 2;
    for (uint32_t next = 2 * step; row < n && offset_at(rec, row) == next; next += step)
        row++;
    if (2 * row > n)
        return addr_words(rec);
    const uint32_t distance = offset_at(rec, row);
    if (offset_at(rec, row + 1) - step != distance) /* mostly it shows here */
        return addr_words(rec);
    uint32_t bent = 0;
    for (unsigned k = row; k < n; k++)
        bent |= (offset_at(rec, k) - offset_at(rec, k - row)) ^ distance;
    if (bent != 0)
        return addr_words(rec);
    rec[0] = addr_header(ADDR_ROWS, n, (int32_t)step);
    rec[2] = (uint64_t)row << 32 | distance;
    return addr_words(rec);
}

void addr_offsets(const uint64_t *rec, int32_t *offset)
{
    const unsigned n = addr_lanes(rec);
    if (addr_form(rec) == ADDR_DELTA) {
        memcpy(offset, rec + 2, n * sizeof(offset[0]));
        return;
    }
    const unsigned row = addr_row(rec);
    const uint32_t distance = (uint32_t)addr_row_distance(rec);
    for (unsigned k = 0; k < row; k++)
        offset[k] = (int32_t)(k * (uint32_t)addr_stride(rec));
    for (unsigned k = row; k < n; k++)
        offset[k] = (int32_t)((uint32_t)offset[k - row] + distance);
}

unsigned addr_unpack(const uint64_t *rec, uint64_t *addr)
{
    const unsigned n = addr_lanes(rec);
    const int64_t stride = addr_stride(rec);
    int32_t offsets[32];

    switch (addr_form(rec)) {
    case ADDR_AFFINE:
        for (unsigned k = 0; k < n; k++)
            addr[k] = rec[1] + k * (uint64_t)stride;
        break;
    case ADDR_LIST:
        memcpy(addr, rec + 1, n * sizeof(addr[0]));
        break;
    default:
        addr_offsets(rec, offsets);
        for (unsigned k = 0; k < n; k++)
            addr[k] = rec[1] + (uint64_t)(int64_t)offsets[k];
        break;
    }
    return n;
}

bool stream_waits_hold(const trace_block_t *b, uint32_t n_words)
{
    for (uint32_t i = 0; i < b->n_waits; i++) {
        const stream_wait_t *w = &b->waits[i], *before = i > 0 ? w - 1 : NULL;
        if (w->warp >= b->n_warps || w->test == 0 || w->first_word > n_words ||
            w->n_words > n_words - w->first_word)
            return false;
        if (before != NULL &&
            (w->warp < before->warp || (w->warp == before->warp && w->begin <= before->begin)))
            return false;
    }
    return true;
}
