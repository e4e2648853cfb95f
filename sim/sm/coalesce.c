#include "sim/sm/coalesce.h"

#include <stdbool.h>
#include <string.h>

enum { WARP_LANES = 32, WORD = 4 };

unsigned coalesce_addresses(const uint64_t *rec, uint64_t addr[32])
{
    unsigned n = addr_lanes(rec);
    switch (addr_form(rec)) {
    case ADDR_AFFINE: {
        uint64_t a = rec[1];
        int64_t stride = addr_stride(rec);
        for (unsigned i = 0; i < n; i++, a += (uint64_t)stride)
            addr[i] = a;
        break;
    }
    case ADDR_LIST:
        memcpy(addr, rec + 1, n * sizeof(*addr));
        break;
    case ADDR_DELTA:
        for (unsigned i = 0; i < n; i++) {
            int32_t delta = (int32_t)(uint32_t)(rec[2 + i / 2] >> i % 2 * 32);
            addr[i] = rec[1] + (uint64_t)(int64_t)delta;
        }
        break;
    }
    return n;
}

uint64_t coalesce_first(const uint64_t *rec)
{
    if (addr_form(rec) == ADDR_DELTA)
        return rec[1] + (uint64_t)(int64_t)(int32_t)(uint32_t)rec[2];
    return rec[1];
}

static line_access_t *line_find(coalesced_t *out, uint64_t line)
{
    /* Neighbouring lanes mostly touch the line touched last. */
    for (uint32_t i = out->n; i-- > 0;) {
        if (out->line[i].line == line)
            return &out->line[i];
    }
    line_access_t *a = &out->line[out->n++];
    memset(a, 0, sizeof(*a));
    a->line = line;
    return a;
}

static uint32_t byte_mask(unsigned from, unsigned to)
{
    uint32_t high = to >= 32 ? ~UINT32_C(0) : (UINT32_C(1) << to) - 1;
    return high & ~((UINT32_C(1) << from) - 1);
}

/* Marks bytes [from, to) of one line. */
static void line_mark(line_access_t *a, unsigned from, unsigned to, bool store)
{
    for (unsigned s = from / SECTOR_BYTES; s <= (to - 1) / SECTOR_BYTES; s++) {
        a->sectors |= (uint8_t)(1u << s);
        if (!store)
            continue;
        unsigned lo = s * SECTOR_BYTES, hi = lo + SECTOR_BYTES;
        a->bytes[s] |= byte_mask(from > lo ? from - lo : 0, (to < hi ? to : hi) - lo);
        if (a->bytes[s] == ~UINT32_C(0))
            a->full |= (uint8_t)(1u << s);
    }
}

/* Marks bytes [addr, addr + bytes), which may span lines. */
static void mark_range(coalesced_t *out, uint64_t addr, uint64_t bytes, bool store)
{
    while (bytes > 0) {
        uint64_t line = addr & ~(uint64_t)(LINE_BYTES - 1);
        unsigned from = (unsigned)(addr - line);
        uint64_t room = LINE_BYTES - from;
        uint64_t take = bytes < room ? bytes : room;
        line_mark(line_find(out, line), from, from + (unsigned)take, store);
        addr += take;
        bytes -= take;
    }
}

/* Atomics: how many lanes, and how many of them on the most wanted word of each line. */
static void count_operations(coalesced_t *out, const uint64_t *addr, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        line_access_t *a = line_find(out, addr[i] & ~(uint64_t)(LINE_BYTES - 1));
        unsigned same = 0;
        for (unsigned j = 0; j < n; j++)
            same += addr[j] / WORD == addr[i] / WORD;
        a->lanes++;
        if (same > a->conflict)
            a->conflict = (uint8_t)same;
    }
}

static void lines_of(const uint64_t *addr, unsigned n, unsigned width, coalesce_mode_t mode,
                     coalesced_t *out)
{
    for (unsigned i = 0; i < n; i++)
        mark_range(out, addr[i], width, mode == COALESCE_STORE);
    if (mode == COALESCE_ATOMIC)
        count_operations(out, addr, n);
}

void coalesce_lines(const uint64_t *rec, unsigned width, coalesce_mode_t mode, coalesced_t *out)
{
    out->n = 0;
    unsigned n = addr_lanes(rec);
    if (addr_form(rec) == ADDR_AFFINE && mode != COALESCE_ATOMIC) {
        int32_t stride = addr_stride(rec);
        if (stride == (int32_t)width || stride == 0) {
            mark_range(out, rec[1], stride == 0 ? width : (uint64_t)n * width,
                       mode == COALESCE_STORE);
            return;
        }
    }
    uint64_t addr[WARP_LANES];
    coalesce_addresses(rec, addr);
    lines_of(addr, n, width, mode, out);
}

void coalesce_local(const uint64_t *rec, uint32_t mask, unsigned width, coalesce_mode_t mode,
                    uint64_t base, uint64_t window, coalesced_t *out)
{
    uint64_t addr[WARP_LANES];
    unsigned n = coalesce_addresses(rec, addr);
    out->n = 0;
    for (unsigned i = 0; i < n && mask != 0; i++, mask &= mask - 1) {
        uint64_t lane = (uint64_t)__builtin_ctz(mask);
        uint64_t offset = (addr[i] >= window ? addr[i] - window : addr[i]) & 0xffffff;
        unsigned done = 0;
        while (done < width) {
            uint64_t at = offset + done;
            unsigned in_word = (unsigned)(at % WORD);
            unsigned take = width - done < WORD - in_word ? width - done : WORD - in_word;
            mark_range(out, base + (at / WORD * WARP_LANES + lane) * WORD + in_word, take,
                       mode == COALESCE_STORE);
            done += take;
        }
    }
}

/* Most distinct words that the accesses of one group have in a bank. */
static unsigned group_passes(const uint64_t *addr, unsigned n, unsigned width, unsigned banks)
{
    enum { MAX_WORDS = WARP_LANES * 2, MAX_BANKS = 64 };
    uint64_t word[MAX_WORDS];
    uint8_t next[MAX_WORDS], head[MAX_BANKS] = {0}, count[MAX_BANKS] = {0};
    unsigned n_words = 0, most = 1;
    for (unsigned i = 0; i < n; i++) {
        for (uint64_t w = addr[i] / WORD; w <= (addr[i] + width - 1) / WORD; w++) {
            unsigned bank = (unsigned)(w % banks), k = head[bank];
            while (k != 0 && word[k - 1] != w)
                k = next[k - 1];
            if (k != 0)
                continue;
            word[n_words] = w;
            next[n_words] = head[bank];
            head[bank] = (uint8_t)++n_words;
            if (++count[bank] > most)
                most = count[bank];
        }
    }
    return most;
}

unsigned coalesce_bank_passes(const uint64_t *rec, uint32_t mask, unsigned width, unsigned banks,
                              unsigned *ideal)
{
    unsigned group_lanes = width <= 4 ? 32 : width == 8 ? 16 : 8;
    unsigned groups = 0;
    for (unsigned g = 0; g < WARP_LANES; g += group_lanes)
        groups += (mask >> g & (group_lanes == 32 ? ~0u : (1u << group_lanes) - 1)) != 0;
    *ideal = groups;
    if (addr_form(rec) == ADDR_AFFINE && banks == 32 && rec[1] % width == 0 &&
        (addr_stride(rec) == (int32_t)width || addr_stride(rec) == 0))
        return groups;
    uint64_t addr[WARP_LANES];
    coalesce_addresses(rec, addr);
    unsigned passes = 0, at = 0;
    for (unsigned g = 0; g < WARP_LANES; g += group_lanes) {
        uint32_t lanes = mask >> g & (group_lanes == 32 ? ~0u : (1u << group_lanes) - 1);
        unsigned n = (unsigned)__builtin_popcount(lanes);
        if (n == 0)
            continue;
        passes += group_passes(addr + at, n, width, banks);
        at += n;
    }
    return passes;
}

unsigned coalesce_word_conflict(const uint64_t *rec)
{
    uint64_t addr[WARP_LANES];
    unsigned n = coalesce_addresses(rec, addr), most = 1;
    for (unsigned i = 0; i < n; i++) {
        unsigned same = 0;
        for (unsigned j = 0; j < n; j++)
            same += addr[j] / WORD == addr[i] / WORD;
        if (same > most)
            most = same;
    }
    return most;
}
