#include "sim/gpu/warming/touch_lines.h"

#include <string.h>

#include "sim/core/clones.h"

enum { LANES = 32 };

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
    for (uint32_t i = 0; i < out->n; i++) {
        const line_access_t *a = &out->all.line[i];
        out->line[i] = a->line;
        out->sectors[i] = a->sectors;
        out->full[i] = a->full;
        memcpy(out->bytes[i], a->bytes, sizeof(out->bytes[i]));
    }
}

/* Every byte of [lo, hi), which is not empty. Writes: both are multiples of a sector. Bytes are written
 * once: reading back parts of what was just written stalls the processor. */
static void range_lines(touch_lines_t *out, uint64_t lo, uint64_t hi)
{
    const uint32_t all = (1u << SECTORS_PER_LINE) - 1;
    const uint64_t first = line_of(lo), last = line_of(hi - 1);
    const uint32_t n = (uint32_t)((last - first) / LINE_BYTES) + 1;
    const uint32_t head = all << (lo - first) / SECTOR_BYTES;
    const uint32_t tail = (2u << (hi - 1 - last) / SECTOR_BYTES) - 1;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t sectors = all & (i == 0 ? head : all) & (i + 1 == n ? tail : all);
        out->line[i] = first + (uint64_t)i * LINE_BYTES;
        out->sectors[i] = (uint8_t)sectors;
        out->full[i] = (uint8_t)sectors;
    }
    out->n = n;
}

/* Lines, sectors and slots of addresses. Returns the low bits that any of them has. Each loop has one
 * width, because compilers then make vector instructions of it. */
RB_CLONES static uint32_t place_lanes(const uint64_t addr[restrict LANES],
                                      uint64_t line[restrict LANES],
                                      uint8_t sectors[restrict LANES],
                                      uint32_t slot[restrict LANES])
{
    uint32_t low[LANES], mask[LANES], bits = 0;
    for (unsigned i = 0; i < LANES; i++)
        line[i] = addr[i] & ~(uint64_t)(LINE_BYTES - 1);
    for (unsigned i = 0; i < LANES; i++)
        low[i] = (uint32_t)(addr[i] / SECTOR_BYTES);
    for (unsigned i = 0; i < LANES; i++) {
        const uint32_t number = low[i] / SECTORS_PER_LINE;
        mask[i] = 1u << low[i] % SECTORS_PER_LINE;
        slot[i] = (number ^ number >> GATHER_BITS) % GATHER_SLOTS;
    }
    for (unsigned i = 0; i < LANES; i++)
        sectors[i] = (uint8_t)mask[i];
    for (unsigned i = 0; i < LANES; i++)
        bits |= (uint32_t)addr[i];
    return bits;
}

RB_CLONES static void add_deltas(uint64_t base, const char *delta, uint64_t addr[restrict LANES])
{
    for (unsigned i = 0; i < LANES; i++) {
        int32_t d;
        memcpy(&d, delta + i * sizeof(d), sizeof(d));
        addr[i] = base + (uint64_t)(int64_t)d;
    }
}

/* Whether every lane of a read touches a line of its own, as in a gather: then these are its lines.
 * Without branches. If two lines meet in a slot, false as well. */
static bool gather_lines(touch_lines_t *out, const uint64_t *rec, unsigned width)
{
    uint32_t slot[LANES];
    uint64_t addr[LANES];
    if (addr_lanes(rec) != LANES)
        return false;
    if (addr_form(rec) == ADDR_DELTA)
        add_deltas(rec[1], (const char *)(rec + 2), addr);
    const uint32_t bits =
        place_lanes(addr_form(rec) == ADDR_DELTA ? addr : rec + 1, out->line, out->sectors, slot);
    if (++out->gathers == 0) {
        memset(out->met, 0, sizeof(out->met));
        out->gathers = 1;
    }
    const uint8_t round = out->gathers;
    bool met = (bits & (width - 1)) != 0;
    for (unsigned i = 0; i < LANES; i++) {
        met |= out->met[slot[i]] == round;
        out->met[slot[i]] = round;
    }
    out->n = LANES;
    return !met;
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

/* The place of a line that may have been seen; n: it was not. hint: where it probably is. */
static inline uint32_t find_line(const touch_lines_t *out, uint64_t line, uint32_t hint)
{
    if (out->line[hint] == line)
        return hint;
    for (uint32_t i = out->n; i-- > 0;)
        if (out->line[i] == line)
            return i;
    return out->n;
}

static inline void find_or_add(touch_lines_t *out, last_line_t *last, uint64_t line, bool write)
{
    const uint64_t number = line / LINE_BYTES;
    const size_t slot = (number ^ number / TOUCH_SLOTS) % TOUCH_SLOTS;
    last->line = line;
    last->at = out->seen[slot] == out->round ? find_line(out, line, out->place[slot]) : out->n;
    out->seen[slot] = out->round;
    out->place[slot] = (uint8_t)last->at;
    if (last->at < out->n)
        return;
    out->line[out->n] = line;
    out->sectors[out->n] = 0;
    if (write)
        memset(out->bytes[out->n], 0, sizeof(out->bytes[0]));
    out->n++;
}

/* Adds the bytes of an address, which are in one sector; neighbouring lanes mostly touch the same
 * line. mask: of the lowest width bytes; 0 for reads. */
static inline void add_address(touch_lines_t *out, last_line_t *last, uint64_t addr, uint32_t mask)
{
    const unsigned sector = (unsigned)(addr % LINE_BYTES / SECTOR_BYTES);
    if (line_of(addr) != last->line)
        find_or_add(out, last, line_of(addr), mask != 0);
    out->sectors[last->at] |= (uint8_t)(1u << sector);
    if (mask != 0)
        out->bytes[last->at][sector] |= mask << addr % SECTOR_BYTES;
}

static inline void stride_lines(touch_lines_t *out, uint64_t addr, int64_t stride, unsigned n,
                                uint32_t mask)
{
    last_line_t last = begin(out);
    for (unsigned i = 0; i < n; i++, addr += (uint64_t)stride)
        add_address(out, &last, addr, mask);
}

static inline void list_lines(touch_lines_t *out, const uint64_t *addr, unsigned n, uint32_t mask)
{
    last_line_t last = begin(out);
    for (unsigned i = 0; i < n; i++)
        add_address(out, &last, addr[i], mask);
}

static inline void row_lines(touch_lines_t *out, const uint64_t *rec, uint32_t mask)
{
    uint64_t addr[32];
    list_lines(out, addr, addr_unpack(rec, addr), mask);
}

/* Distances of the lanes from the base of an ADDR_DELTA record. */
static inline void delta_lines(touch_lines_t *out, const uint64_t *rec, unsigned n, uint32_t mask)
{
    last_line_t last = begin(out);
    const char *delta = (const char *)(rec + 2);
    for (unsigned i = 0; i < n; i++, delta += sizeof(int32_t)) {
        int32_t d;
        memcpy(&d, delta, sizeof(d));
        add_address(out, &last, rec[1] + (uint64_t)(int64_t)d, mask);
    }
}

static inline void lane_lines(touch_lines_t *out, const uint64_t *rec, uint32_t mask)
{
    const unsigned n = addr_lanes(rec);
    if (addr_form(rec) == ADDR_AFFINE)
        stride_lines(out, rec[1], addr_stride(rec), n, mask);
    else if (addr_form(rec) == ADDR_LIST)
        list_lines(out, rec + 1, n, mask);
    else if (addr_form(rec) == ADDR_ROWS)
        row_lines(out, rec, mask);
    else
        delta_lines(out, rec, n, mask);
}

static void read_lanes(touch_lines_t *out, const uint64_t *rec)
{
    lane_lines(out, rec, 0);
}

static void write_lanes(touch_lines_t *out, const uint64_t *rec, unsigned width)
{
    lane_lines(out, rec, (1u << width) - 1);
    for (uint32_t i = 0; i < out->n; i++) {
        out->full[i] = 0;
        for (unsigned s = 0; s < SECTORS_PER_LINE; s++)
            out->full[i] |= (uint8_t)((out->bytes[i][s] == UINT32_MAX) << s);
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
    if (addr_form(rec) == ADDR_ROWS)
        return rec[1] | (uint64_t)(int64_t)(addr_stride(rec) | addr_row_distance(rec));
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
    const int64_t stride = addr_stride(rec);
    if (!write && (addr_form(rec) == ADDR_LIST || addr_form(rec) == ADDR_DELTA) &&
        gather_lines(out, rec, width))
        return;
    out->n = 0;
    if (addr_form(rec) == ADDR_AFFINE && (stride == 0 || stride == (int64_t)width)) {
        const uint64_t hi = rec[1] + (stride == 0 ? width : (uint64_t)n * width);
        if (hi > rec[1] && (!write || (rec[1] | hi) % SECTOR_BYTES == 0))
            range_lines(out, rec[1], hi);
        else
            any_lines(out, rec, width, write);
    } else if (!stays_in_sectors(low_bits(rec, n), width)) {
        any_lines(out, rec, width, write);
    } else if (write) {
        write_lanes(out, rec, width);
    } else {
        read_lanes(out, rec);
    }
}
