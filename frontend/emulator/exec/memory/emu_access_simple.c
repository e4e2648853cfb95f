/* Loads and stores with the common patterns: one check, one copy. */
#include "frontend/emulator/exec/memory/emu_place.h"

/* How some lanes access memory. */
typedef enum {
    PATTERN_SAME, /* all at one address */
    PATTERN_ROW,  /* consecutive addresses in lane order */
    PATTERN_ANY,
} pattern_t;

/*
 * Lanes that are handled together: a whole warp, or, if all lanes are active, half a warp, since
 * blocks of 16 x 16 threads are common.
 */
typedef struct {
    unsigned lane, n; /* first lane, number of lanes */
    uint32_t mask;    /* active lanes of the warp */
    pattern_t pattern;
    unsigned active; /* first active lane, and its address */
    uint64_t addr;
    uint8_t *host; /* host address of the first lane's word (active or not), or of the one place of
                    * all lanes */
} part_t;

enum { HALF = EMU_LANES / 2, UNLIKE_SAME = 1, UNLIKE_ROW = 2 };

static const uint32_t lane_number[EMU_LANES]
    __attribute__((aligned(64))) = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* The expected addresses of a part: that of its first active lane and, for a row, that of its first
 * lane. */
typedef struct {
    uint32_t low, high, start;
} expected_t;

EMU_INLINE expected_t expected_of(const emu_place_t *p, bool wide, bool uwide, uint32_t log_width,
                                  part_t *part)
{
    const uint32_t low = emu_low_word(p, part->active),
                   high = emu_high_word(p, part->active, wide, uwide);

    part->addr = (uint64_t)high << 32 | low;
    return (expected_t){low, high, low - ((part->active - part->lane) << log_width)};
}

/* Which patterns lane k of a part (lane k + from of the warp) does not fit. */
EMU_INLINE uint32_t unlike(const emu_place_t *p, bool wide, bool uwide, uint32_t log_width,
                           const expected_t *e, unsigned from, unsigned k, uint32_t m)
{
    uint32_t x = emu_low_word(p, from + k),
             apart = emu_high_word(p, from + k, wide, uwide) ^ e->high;
    uint32_t row = e->start + (lane_number[k] << log_width);

    return (((x ^ e->low) | apart) & m ? (uint32_t)UNLIKE_SAME : 0) |
           (((x ^ row) | apart) & m ? (uint32_t)UNLIKE_ROW : 0);
}

EMU_INLINE pattern_t pattern_named(uint32_t bits)
{
    if ((bits & UNLIKE_SAME) == 0)
        return PATTERN_SAME;
    return (bits & UNLIKE_ROW) == 0 ? PATTERN_ROW : PATTERN_ANY;
}

EMU_INLINE void find_pattern(const emu_place_t *p, bool wide, bool uwide, uint32_t log_width,
                             part_t *part)
{
    const expected_t e = expected_of(p, wide, uwide, log_width, part);
    uint32_t bits = 0;

    for (unsigned k = 0; k < EMU_LANES; k++)
        bits |= unlike(p, wide, uwide, log_width, &e, 0, k, emu_lane(part->mask, k));
    part->pattern = pattern_named(bits);
}

EMU_INLINE void find_patterns(const emu_place_t *p, bool wide, bool uwide, uint32_t log_width,
                              part_t part[2])
{
    const expected_t e0 = expected_of(p, wide, uwide, log_width, &part[0]);
    const expected_t e1 = expected_of(p, wide, uwide, log_width, &part[1]);
    uint32_t bits = 0;

    for (unsigned k = 0; k < HALF; k++)
        bits |= unlike(p, wide, uwide, log_width, &e0, 0, k, EMU_ALL) |
                unlike(p, wide, uwide, log_width, &e1, HALF, k, EMU_ALL) << 2;
    part[0].pattern = pattern_named(bits);
    part[1].pattern = pattern_named(bits >> 2);
}

/* Host address of n bytes that a part covers; NULL: use the general path. */
EMU_INLINE uint8_t *host_of(const emu_warp_t *w, const emu_uop_t *u, uint64_t addr, uint64_t n)
{
    const uint64_t shared = w->grid->shared_bytes;

    if ((addr & (u->width - 1u)) != 0)
        return NULL;
    switch (u->inst->space) {
    case MEM_SHARED:
        return addr <= shared && n <= shared - addr ? w->block->shared + addr : NULL;
    case MEM_GENERIC:
        if (addr - EMU_SHARED_BASE < EMU_WINDOW || addr - EMU_LOCAL_BASE < EMU_WINDOW)
            return NULL;
        return emu_mem_at(w->grid->launch->mem, addr, n);
    case MEM_GLOBAL:
        return emu_mem_at(w->grid->launch->mem, addr, n);
    default:
        return NULL;
    }
}

/* Whether a part is simple; if so, sets its host address. */
EMU_INLINE bool is_simple(const emu_warp_t *w, const emu_uop_t *u, part_t *part)
{
    if (part->pattern == PATTERN_ANY)
        return false;
    const bool row = part->pattern == PATTERN_ROW;
    const uint64_t before = row ? (uint64_t)(part->active - part->lane) << u->log_width : 0;
    part->host = host_of(w, u, part->addr - before, row ? (uint64_t)part->n * u->width : u->width);
    return part->host != NULL;
}

/* Records two halves in the trace; false: they are too far apart for one record. */
EMU_INLINE bool record_halves(emu_warp_t *w, const emu_uop_t *u, const part_t part[2])
{
    const uint32_t stride0 = part[0].pattern == PATTERN_ROW ? u->width : 0;
    const uint32_t stride1 = part[1].pattern == PATTERN_ROW ? u->width : 0;
    const uint64_t apart = part[1].addr - part[0].addr;
    uint32_t d[EMU_LANES];

    if (apart + (1u << 30) >= 1u << 31)
        return false;
    for (unsigned k = 0; k < HALF; k++) {
        d[k] = lane_number[k] * stride0;
        d[HALF + k] = (uint32_t)apart + lane_number[k] * stride1;
    }
    emu_record_deltas(w, u, part[0].addr, d, EMU_LANES, false);
    return true;
}

/* Splits an access by all lanes into parts and records it in the trace; returns their number, 0 if
 * the access is not simple. */
EMU_INLINE unsigned parts_of_all(emu_warp_t *w, const emu_uop_t *u, const emu_place_t *p,
                                 part_t part[2])
{
    part[0] = (part_t){.n = HALF, .mask = EMU_ALL};
    part[1] = (part_t){.lane = HALF, .active = HALF, .n = HALF, .mask = EMU_ALL};
    if (p->wide)
        find_patterns(p, true, false, u->log_width, part);
    else if (p->uwide)
        find_patterns(p, false, true, u->log_width, part);
    else
        find_patterns(p, false, false, u->log_width, part);
    const uint32_t stride = part[0].pattern == PATTERN_ROW ? u->width : 0;
    if (part[0].pattern == part[1].pattern && part[1].addr - part[0].addr == HALF * stride) {
        part[0].n = EMU_LANES;
        if (!is_simple(w, u, &part[0]))
            return 0;
        if (w->grid->tracing)
            emu_record_affine(w, u, part[0].addr, EMU_LANES, stride);
        return 1;
    }
    if (!is_simple(w, u, &part[0]) || !is_simple(w, u, &part[1]))
        return 0;
    return !w->grid->tracing || record_halves(w, u, part) ? 2 : 0;
}

/* The same if some lanes are inactive. */
EMU_INLINE unsigned parts_of_some(emu_warp_t *w, const emu_uop_t *u, const emu_place_t *p,
                                  uint32_t mask, part_t *part)
{
    const unsigned first = (unsigned)__builtin_ctz(mask), n = (unsigned)__builtin_popcount(mask);
    const uint32_t lanes = mask >> first; /* with gaps, a row is not an affine record */

    *part = (part_t){.n = EMU_LANES, .mask = mask, .active = first};
    if (p->wide)
        find_pattern(p, true, false, u->log_width, part);
    else if (p->uwide)
        find_pattern(p, false, true, u->log_width, part);
    else
        find_pattern(p, false, false, u->log_width, part);
    const bool row = part->pattern == PATTERN_ROW;
    if ((row && w->grid->tracing && (lanes & (lanes + 1)) != 0) || !is_simple(w, u, part))
        return 0;
    if (w->grid->tracing)
        emu_record_affine(w, u, part->addr, n, row ? u->width : 0);
    return 1;
}

EMU_INLINE unsigned simple_parts(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, part_t part[2])
{
    const emu_place_t p = emu_place_of(w, u);

    return mask == EMU_ALL ? parts_of_all(w, u, &p, part) : parts_of_some(w, u, &p, mask, part);
}

/* Loads n_words words for each of n_lanes lanes of a part: all lanes, or those of its mask. */
EMU_INLINE void load_part(emu_warp_t *w, const emu_uop_t *u, const part_t *part, unsigned n_lanes,
                          bool all, unsigned n_words)
{
    const emu_word_t *words = (const emu_word_t *)part->host;
    const bool same = part->pattern == PATTERN_SAME;
    const uint32_t mask = part->mask;

    for (unsigned i = 0; i < n_words; i++) {
        uint32_t *out = w->r + u->d + EMU_LANES * i + part->lane;
        if (same) {
            const uint32_t word = words[i];
            EMU_ANY_ORDER
            for (unsigned k = 0; k < n_lanes; k++)
                out[k] = all ? word : emu_merge(emu_lane(mask, k), word, out[k]);
        } else if (all) {
            EMU_ANY_ORDER
            for (unsigned k = 0; k < n_lanes; k++)
                out[k] = words[n_words * k + i];
        } else {
            EMU_ANY_ORDER
            for (unsigned k = 0; k < n_lanes; k++)
                if (mask & emu_lane_bit[k])
                    out[k] = words[n_words * k + i];
        }
    }
}

/* Stores a part; at a common address, the last lane's value remains. */
EMU_INLINE void store_part(const uint32_t *v, const part_t *part, unsigned n_lanes, bool all,
                           unsigned n_words)
{
    const unsigned last = all ? n_lanes - 1 : 31u - (unsigned)__builtin_clz(part->mask);
    emu_word_t *words = (emu_word_t *)part->host;

    v += part->lane;
    for (unsigned i = 0; i < n_words; i++, v += EMU_LANES) {
        if (part->pattern == PATTERN_SAME) {
            words[i] = v[last];
        } else if (all) {
            EMU_ANY_ORDER
            for (unsigned k = 0; k < n_lanes; k++)
                words[n_words * k + i] = v[k];
        } else {
            for (uint32_t left = part->mask; left != 0; left &= left - 1) {
                unsigned k = (unsigned)__builtin_ctz(left);
                words[n_words * k + i] = v[k];
            }
        }
    }
}

EMU_INLINE void load_parts(emu_warp_t *w, const emu_uop_t *u, const part_t part[2], unsigned n,
                           unsigned n_words)
{
    if (n == 2) {
        load_part(w, u, &part[0], HALF, true, n_words);
        load_part(w, u, &part[1], HALF, true, n_words);
    } else if (part[0].mask == EMU_ALL) {
        load_part(w, u, &part[0], EMU_LANES, true, n_words);
    } else {
        load_part(w, u, &part[0], EMU_LANES, false, n_words);
    }
}

/* The same for bytes, or pairs of bytes. */
EMU_INLINE void load_small(emu_warp_t *w, const emu_uop_t *u, const part_t *part, unsigned width)
{
    uint32_t *out = w->r + u->d + part->lane;
    const uint32_t mask = part->mask >> part->lane;
    const unsigned step = part->pattern == PATTERN_ROW ? width : 0;

    for (unsigned k = 0; k < part->n; k++) {
        const uint32_t v = emu_small_value(part->host + (size_t)step * k, width, u->is_signed);
        out[k] = emu_merge(emu_lane(mask, k), v, out[k]);
    }
}

/* Stores bytes, or pairs of bytes; at a common address, the last lane's value remains. */
EMU_INLINE void store_small(const uint32_t *v, const part_t *part, unsigned width)
{
    const uint32_t all = part->n == EMU_LANES ? EMU_ALL : (1u << part->n) - 1;
    const unsigned step = part->pattern == PATTERN_ROW ? width : 0;

    for (uint32_t left = part->mask >> part->lane & all; left != 0; left &= left - 1) {
        const unsigned k = (unsigned)__builtin_ctz(left);
        memcpy(part->host + (size_t)step * k, &v[part->lane + k], width);
    }
}

EMU_HOT bool emu_simple_load(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    part_t part[2];
    const unsigned n = simple_parts(w, u, mask, part);

    if (n == 0)
        return false;
    for (unsigned i = 0; i < n && u->width < 4; i++)
        if (u->width == 1)
            load_small(w, u, &part[i], 1);
        else
            load_small(w, u, &part[i], 2);
    if (u->width < 4)
        return true;
    if (u->width == 4)
        load_parts(w, u, part, n, 1);
    else if (u->width == 8)
        load_parts(w, u, part, n, 2);
    else
        load_parts(w, u, part, n, 4);
    return true;
}

EMU_INLINE void store_parts(const uint32_t *v, const part_t part[2], unsigned n, unsigned n_words)
{
    if (n == 2) {
        store_part(v, &part[0], HALF, true, n_words);
        store_part(v, &part[1], HALF, true, n_words);
    } else if (part[0].mask == EMU_ALL) {
        store_part(v, &part[0], EMU_LANES, true, n_words);
    } else {
        store_part(v, &part[0], EMU_LANES, false, n_words);
    }
}

EMU_HOT bool emu_simple_store(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *v = emu_src(w, u, 0);
    part_t part[2];
    const unsigned n = simple_parts(w, u, mask, part);

    if (n == 0)
        return false;
    for (unsigned i = 0; i < n && u->width < 4; i++)
        if (u->width == 1)
            store_small(v, &part[i], 1);
        else
            store_small(v, &part[i], 2);
    if (u->width < 4)
        return true;
    if (u->width == 4)
        store_parts(v, part, n, 1);
    else if (u->width == 8)
        store_parts(v, part, n, 2);
    else
        store_parts(v, part, n, 4);
    return true;
}
