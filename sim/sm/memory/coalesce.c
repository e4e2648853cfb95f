#include "sim/sm/memory/coalesce.h"

#include <stdbool.h>
#include <string.h>

enum { WORD = 4 };

/* Sets the lowest and the highest address from the list. */
static void find_bounds(lane_addrs_t *out, unsigned width)
{
    uint64_t lo = UINT64_MAX, hi = 0;
    for (unsigned i = 0; i < out->n; i++) {
        lo = out->addr[i] < lo ? out->addr[i] : lo;
        hi = out->addr[i] > hi ? out->addr[i] : hi;
    }
    out->lo = lo;
    out->hi = hi + width;
}

static void decode_affine(const uint64_t *rec, lane_addrs_t *out)
{
    uint64_t a = rec[1];
    int64_t stride = addr_stride(rec);
    for (unsigned i = 0; i < out->n; i++, a += (uint64_t)stride)
        out->addr[i] = a;
}

static void decode_list(const uint64_t *rec, unsigned width, lane_addrs_t *out)
{
    memcpy(out->addr, rec + 1, out->n * sizeof(*out->addr));
    find_bounds(out, width);
}

/* The offsets are 32-bit integers, so the loops vectorise. */
static void decode_offsets(const uint64_t *rec, unsigned width, lane_addrs_t *out)
{
    int32_t delta[WARP_LANES];
    addr_offsets(rec, delta);
    for (unsigned i = out->n; i < WARP_LANES; i++)
        delta[i] = delta[0];
    int32_t lo = delta[0], hi = delta[0];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        lo = delta[i] < lo ? delta[i] : lo;
        hi = delta[i] > hi ? delta[i] : hi;
    }
    out->lo = rec[1] + (uint64_t)(int64_t)lo;
    out->hi = rec[1] + (uint64_t)(int64_t)hi + width;
    for (unsigned i = 0; i < WARP_LANES; i++)
        out->addr[i] = rec[1] + (uint64_t)(int64_t)delta[i];
}

void coalesce_decode(const uint64_t *rec, unsigned width, lane_addrs_t *out)
{
    out->n = addr_lanes(rec);
    out->contiguous = false;
    switch (addr_form(rec)) {
    case ADDR_AFFINE:
        if (addr_stride(rec) == (int32_t)width || addr_stride(rec) == 0) {
            out->contiguous = true;
            out->lo = rec[1];
            out->hi = rec[1] + (addr_stride(rec) == 0 ? width : (uint64_t)out->n * width);
            return;
        }
        decode_affine(rec, out);
        find_bounds(out, width);
        return;
    case ADDR_LIST:
        decode_list(rec, width, out);
        return;
    case ADDR_DELTA:
    case ADDR_ROWS:
        decode_offsets(rec, width, out);
        return;
    }
}

/* Fills the address list if decoding left it out. */
void coalesce_lanes(lane_addrs_t *lanes, unsigned width)
{
    if (!lanes->contiguous)
        return;
    uint64_t step = lanes->hi - lanes->lo == width ? 0 : width;
    for (unsigned i = 0; i < lanes->n; i++)
        lanes->addr[i] = lanes->lo + i * step;
    lanes->contiguous = false;
}

uint64_t coalesce_first(const uint64_t *rec)
{
    if (addr_form(rec) == ADDR_DELTA)
        return rec[1] + (uint64_t)(int64_t)(int32_t)(uint32_t)rec[2];
    return rec[1];
}

static line_access_t *line_find(coalesced_t *out, uint64_t line)
{
    /* Neighbouring lanes mostly touch the line that was touched last. */
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
    const unsigned first = from / SECTOR_BYTES, last = (to - 1) / SECTOR_BYTES;
    a->sectors |= (uint8_t)((2u << last) - (1u << first));
    if (!store)
        return;
    for (unsigned s = first; s <= last; s++) {
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

/* For each of n addresses, how many of them are in the same word. Returns the number of words, and
 * their addresses / 4. Finds words with a hash table. */
static unsigned count_same_words(const uint64_t *addr, unsigned n, uint8_t same[WARP_LANES],
                                 uint64_t word[WARP_LANES])
{
    enum { SLOTS = 64 };
    uint8_t slot[SLOTS] = {0}; /* number + 1 of the word that hashes here */
    uint8_t number[WARP_LANES], count[WARP_LANES];
    unsigned n_words = 0;
    for (unsigned i = 0; i < n; i++) {
        const uint64_t w = addr[i] / WORD;
        unsigned h = (unsigned)(w ^ w >> 6) % SLOTS;
        while (slot[h] != 0 && word[slot[h] - 1] != w)
            h = (h + 1) % SLOTS;
        if (slot[h] == 0) {
            word[n_words] = w;
            count[n_words] = 0;
            slot[h] = (uint8_t)++n_words;
        }
        number[i] = (uint8_t)(slot[h] - 1);
        count[number[i]]++;
    }
    for (unsigned i = 0; i < n; i++)
        same[i] = count[number[i]];
    return n_words;
}

/* Atomics: counts the lanes and words of each line, and the most lanes on one of its words. */
static void count_operations(coalesced_t *out, const uint64_t *addr, unsigned n)
{
    uint8_t same[WARP_LANES];
    uint64_t word[WARP_LANES];
    const unsigned n_words = count_same_words(addr, n, same, word);
    for (unsigned i = 0; i < n_words; i++)
        line_find(out, word[i] * WORD & ~(uint64_t)(LINE_BYTES - 1))->words++;
    for (unsigned i = 0; i < n; i++) {
        line_access_t *a = line_find(out, addr[i] & ~(uint64_t)(LINE_BYTES - 1));
        a->lanes++;
        if (same[i] > a->conflict)
            a->conflict = same[i];
    }
}

/* Loads whose lanes each stay within one sector, the common irregular case. Finds lines with a hash
 * table, because a list of 32 lines would be slow to search. */
static bool mark_sectors(coalesced_t *out, const lane_addrs_t *lanes, unsigned width)
{
    enum { SLOTS = 64 };
    uint8_t slot[SLOTS] = {0}; /* index + 1 of the line that hashes here */
    for (unsigned i = 0; i < lanes->n; i++) {
        uint64_t a = lanes->addr[i], line = a & ~(uint64_t)(LINE_BYTES - 1);
        if (a % SECTOR_BYTES + width > SECTOR_BYTES)
            return false;
        unsigned h = (unsigned)((line >> 7) ^ (line >> 13) ^ (line >> 19)) % SLOTS;
        while (slot[h] != 0 && out->line[slot[h] - 1].line != line)
            h = (h + 1) % SLOTS;
        if (slot[h] == 0) {
            slot[h] = (uint8_t)(out->n + 1);
            memset(&out->line[out->n], 0, sizeof(out->line[0]));
            out->line[out->n++].line = line;
        }
        out->line[slot[h] - 1].sectors |= (uint8_t)(1u << (a - line) / SECTOR_BYTES);
    }
    return true;
}

void coalesce_lines(lane_addrs_t *lanes, unsigned width, coalesce_mode_t mode, coalesced_t *out)
{
    out->n = 0;
    if (lanes->contiguous && mode != COALESCE_ATOMIC) {
        mark_range(out, lanes->lo, lanes->hi - lanes->lo, mode == COALESCE_STORE);
        return;
    }
    coalesce_lanes(lanes, width);
    if (mode == COALESCE_LOAD && mark_sectors(out, lanes, width))
        return;
    out->n = 0;
    for (unsigned i = 0; i < lanes->n; i++)
        mark_range(out, lanes->addr[i], width, mode == COALESCE_STORE);
    if (mode == COALESCE_ATOMIC)
        count_operations(out, lanes->addr, lanes->n);
}

void coalesce_local(lane_addrs_t *lanes, uint32_t mask, unsigned width, coalesce_mode_t mode,
                    uint64_t base, uint64_t window, coalesced_t *out)
{
    coalesce_lanes(lanes, width);
    out->n = 0;
    for (unsigned i = 0; i < lanes->n && mask != 0; i++, mask &= mask - 1) {
        uint64_t lane = (uint64_t)__builtin_ctz(mask), addr = lanes->addr[i];
        uint64_t offset = (addr >= window ? addr - window : addr) & 0xffffff;
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

/* Passes of one group of lanes: the most distinct words in any bank. */
static unsigned group_passes(const uint64_t *addr, unsigned n, unsigned width, unsigned banks)
{
    enum { MAX_WORDS = WARP_LANES * 2, MAX_BANKS = 64 };
    uint64_t word[MAX_WORDS];
    uint8_t next[MAX_WORDS], head[MAX_BANKS] = {0}, count[MAX_BANKS] = {0};
    unsigned n_words = 0, most = 1;
    const bool pow2 = (banks & (banks - 1)) == 0;
    for (unsigned i = 0; i < n; i++) {
        for (uint64_t w = addr[i] / WORD; w <= (addr[i] + width - 1) / WORD; w++) {
            unsigned bank = (unsigned)(pow2 ? w & (banks - 1) : w % banks), k = head[bank];
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

/* The lanes i without bit `distance` for which i and i ^ distance are both active. */
static uint32_t active_pairs(uint32_t mask, unsigned distance)
{
    const uint32_t lower = distance == 1 ? UINT32_C(0x55555555) : UINT32_C(0x33333333);
    return mask & mask >> distance & lower;
}

/* Whether lanes i and i ^ distance have equal addresses wherever both are active. */
static bool pairs_agree(const lane_addrs_t *lanes, uint32_t mask, unsigned width, unsigned distance)
{
    uint32_t pairs = active_pairs(mask, distance);
    if (pairs == 0)
        return true;
    if (lanes->contiguous)
        return lanes->hi - lanes->lo == width;
    for (; pairs != 0; pairs &= pairs - 1) {
        const uint32_t below = (pairs & -pairs) - 1;
        const int i = __builtin_popcount(mask & below);
        const int j = __builtin_popcount(mask & (((below + 1) << distance) - 1));
        if (lanes->addr[i] != lanes->addr[j])
            return false;
    }
    return true;
}

static unsigned lanes_of_pass(const lane_addrs_t *lanes, uint32_t mask, unsigned width,
                              pass_mode_t mode)
{
    const unsigned group = width <= 4 ? 32 : width == 8 ? 16 : 8;
    if (group == 32 || mode == PASS_GROUPS)
        return group;
    const bool together = pairs_agree(lanes, mask, width, 1) || pairs_agree(lanes, mask, width, 2);
    return together ? 2 * group : group;
}

unsigned coalesce_bank_passes(const lane_addrs_t *lanes, uint32_t mask, unsigned width,
                              unsigned banks, pass_mode_t mode, unsigned *ideal)
{
    unsigned group_lanes = lanes_of_pass(lanes, mask, width, mode);
    uint32_t group_mask = group_lanes == 32 ? ~UINT32_C(0) : (UINT32_C(1) << group_lanes) - 1;
    unsigned groups = 0;
    for (unsigned g = 0; g < WARP_LANES; g += group_lanes)
        groups += (mask >> g & group_mask) != 0;
    *ideal = groups;
    /* Up to `banks` consecutive words do not conflict. */
    uint64_t words = (lanes->hi - 1) / WORD - lanes->lo / WORD + 1;
    if (words <= banks || (lanes->contiguous && banks == WARP_LANES && lanes->lo % width == 0))
        return groups;
    lane_addrs_t all = *lanes;
    coalesce_lanes(&all, width);
    unsigned passes = 0, at = 0;
    for (unsigned g = 0; g < WARP_LANES; g += group_lanes) {
        unsigned n = (unsigned)__builtin_popcount(mask >> g & group_mask);
        if (n == 0)
            continue;
        passes += group_passes(all.addr + at, n, width, banks);
        at += n;
    }
    return passes;
}

unsigned coalesce_word_conflict(lane_addrs_t *lanes, unsigned width)
{
    uint8_t same[WARP_LANES];
    uint64_t word[WARP_LANES];
    coalesce_lanes(lanes, width);
    count_same_words(lanes->addr, lanes->n, same, word);
    unsigned most = 1;
    for (unsigned i = 0; i < lanes->n; i++)
        most = same[i] > most ? same[i] : most;
    return most;
}
