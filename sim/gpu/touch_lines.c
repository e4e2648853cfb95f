#include "sim/gpu/touch_lines.h"

#include <string.h>

static inline uint64_t line_of(uint64_t addr)
{
    return addr & ~(uint64_t)(LINE_BYTES - 1);
}

/* All cases: as the model does. */
static void any_lines(touch_lines_t *out, const uint64_t *rec, unsigned width, bool write)
{
    lane_addrs_t lanes;
    coalesce_decode(rec, width, &lanes);
    coalesce_lines(&lanes, width, write ? COALESCE_STORE : COALESCE_LOAD, &out->all);
    out->n = out->all.n;
    out->masked = true;
    for (uint32_t i = 0; i < out->n; i++) {
        out->line[i] = out->all.line[i].line;
        out->sectors[i] = out->all.line[i].sectors;
    }
}

/* Every byte of [lo, hi), which is not empty. Writes: both are multiples of a sector. */
static void range_lines(touch_lines_t *out, uint64_t lo, uint64_t hi)
{
    const uint64_t first = line_of(lo), last = line_of(hi - 1);
    const uint32_t n = (uint32_t)((last - first) / LINE_BYTES) + 1;
    for (uint32_t i = 0; i < n; i++) {
        out->line[i] = first + (uint64_t)i * LINE_BYTES;
        out->sectors[i] = (1 << SECTORS_PER_LINE) - 1;
    }
    out->sectors[0] &= (uint8_t)(15u << (lo - first) / SECTOR_BYTES);
    out->sectors[n - 1] &= (uint8_t)((2u << (hi - 1 - last) / SECTOR_BYTES) - 1);
    out->n = n;
}

/* Matches no line. */
#define NO_LINE UINT64_MAX

/* The line of the last lane, and its place. */
typedef struct {
    uint64_t line;
    uint32_t at;
} last_line_t;

/* Begins an instruction: no line was seen. */
static last_line_t begin(touch_lines_t *out)
{
    if (++out->round == 0) {
        memset(out->seen, 0, sizeof(out->seen));
        out->round = 1;
    }
    return (last_line_t){.line = NO_LINE};
}

/* The place of a line that may have been seen; n: it was not. */
static uint32_t find_line(const touch_lines_t *out, uint64_t line)
{
    for (uint32_t i = out->n; i-- > 0;)
        if (out->line[i] == line)
            return i;
    return out->n;
}

static inline void add_line(touch_lines_t *out, last_line_t *last, uint64_t line, uint8_t sector)
{
    const uint64_t number = line / LINE_BYTES;
    uint8_t *seen = &out->seen[(number ^ number / TOUCH_SLOTS) % TOUCH_SLOTS];
    last->line = line;
    last->at = *seen == out->round ? find_line(out, line) : out->n;
    *seen = out->round;
    if (last->at < out->n) {
        out->sectors[last->at] |= sector;
        return;
    }
    out->line[out->n] = line;
    out->sectors[out->n++] = sector;
}

/* Adds the sector of an address; neighbouring lanes mostly touch the same line. */
static inline void add_address(touch_lines_t *out, last_line_t *last, uint64_t addr)
{
    const uint8_t sector = (uint8_t)(1u << addr % LINE_BYTES / SECTOR_BYTES);
    if (line_of(addr) == last->line)
        out->sectors[last->at] |= sector;
    else
        add_line(out, last, line_of(addr), sector);
}

static void stride_lines(touch_lines_t *out, uint64_t addr, int64_t stride, unsigned n)
{
    last_line_t last = begin(out);
    for (unsigned i = 0; i < n; i++, addr += (uint64_t)stride)
        add_address(out, &last, addr);
}

static void list_lines(touch_lines_t *out, const uint64_t *addr, unsigned n)
{
    last_line_t last = begin(out);
    for (unsigned i = 0; i < n; i++)
        add_address(out, &last, addr[i]);
}

/* Distances of the lanes from the base of an ADDR_DELTA record. */
static void delta_lines(touch_lines_t *out, const uint64_t *rec, unsigned n)
{
    last_line_t last = begin(out);
    const char *delta = (const char *)(rec + 2);
    for (unsigned i = 0; i < n; i++, delta += sizeof(int32_t)) {
        int32_t d;
        memcpy(&d, delta, sizeof(d));
        add_address(out, &last, rec[1] + (uint64_t)(int64_t)d);
    }
}

/* Whether no lane's bytes cross the end of a sector, given that lanes are width bytes wide. */
static bool stays_in_sectors(uint64_t bits, unsigned width)
{
    return (bits & (width - 1)) == 0; /* a multiple of the width, which divides a sector */
}

/* Low bits that any of the addresses has. */
static uint64_t low_bits(const uint64_t *rec, unsigned n)
{
    uint64_t bits = 0;
    if (addr_form(rec) == ADDR_AFFINE)
        return rec[1] | (uint64_t)(int64_t)addr_stride(rec);
    if (addr_form(rec) == ADDR_LIST) {
        for (unsigned i = 0; i < n; i++)
            bits |= rec[1 + i];
        return bits;
    }
    for (unsigned i = 0; i < n / 2; i++)
        bits |= rec[2 + i];
    if (n % 2 != 0)
        bits |= rec[2 + n / 2] & UINT32_MAX;
    return rec[1] | bits | bits >> 32;
}

void touch_lines(touch_lines_t *out, const uint64_t *rec, unsigned width, bool write)
{
    const unsigned n = addr_lanes(rec);
    const addr_form_t form = addr_form(rec);
    const int64_t stride = addr_stride(rec);
    out->n = 0;
    out->masked = false;
    if (form == ADDR_AFFINE && (stride == 0 || stride == (int64_t)width)) {
        const uint64_t hi = rec[1] + (stride == 0 ? width : (uint64_t)n * width);
        if (hi > rec[1] && (!write || (rec[1] | hi) % SECTOR_BYTES == 0))
            range_lines(out, rec[1], hi);
        else
            any_lines(out, rec, width, write);
        return;
    }
    if (write || !stays_in_sectors(low_bits(rec, n), width))
        any_lines(out, rec, width, write);
    else if (form == ADDR_AFFINE)
        stride_lines(out, rec[1], stride, n);
    else if (form == ADDR_LIST)
        list_lines(out, rec + 1, n);
    else
        delta_lines(out, rec, n);
}
