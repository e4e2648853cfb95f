#include "frontend/input/rbt/read/rbt_addr_get.h"

#include <string.h>

#include "frontend/input/rbt/rbt_format.h"

enum { LANES = 32 };

void rbt_addr_get_begin(rbt_addr_get_t *g)
{
    g->predicted = rbt_get_varint(&g->cols[RBT_COL_RUN]);
    g->piece = 0;
    g->bad = false;
}

/*
 * Loops over lanes cover all 32 where possible, so that the compiler vectorises them. Values after
 * a record's n lanes are 0 or ignored.
 */

/* The head of a set of lane values: bytes per value, and how far to shift them. */
typedef struct {
    unsigned bytes, shift;
} lane_head_t;

static lane_head_t get_lane_head(rbt_addr_get_t *g)
{
    uint8_t head = rbt_get_u8(&g->cols[RBT_COL_LANES]);

    return (lane_head_t){.bytes = (head >> 3 & 7u) + 1, .shift = head & 7u};
}

/* Returns n bytes of the column of a byte position, followed by zeros up to 32. A full column is
 * returned in place; otherwise it is copied to room. */
static const uint8_t *get_plane(rbt_addr_get_t *g, unsigned place, unsigned n, uint8_t room[LANES])
{
    const uint8_t *p = rbt_get_bytes(&g->cols[RBT_COL_PLANE + place], n);

    if (n == LANES && p != NULL)
        return p;
    memset(room, 0, LANES);
    if (p == NULL)
        g->bad = true;
    else
        memcpy(room, p, n);
    return room;
}

/* Composes values of at most four bytes from the columns from place on. */
static void get_low_planes(rbt_addr_get_t *g, unsigned place, unsigned bytes, unsigned n,
                           uint32_t v[LANES])
{
    uint8_t room[4][LANES];
    const uint8_t *p[4];

    for (unsigned b = 0; b < bytes; b++)
        p[b] = get_plane(g, place + b, n, room[b]);
    switch (bytes) {
    case 1:
        for (unsigned k = 0; k < LANES; k++)
            v[k] = p[0][k];
        break;
    case 2:
        for (unsigned k = 0; k < LANES; k++)
            v[k] = p[0][k] | (uint32_t)p[1][k] << 8;
        break;
    case 3:
        for (unsigned k = 0; k < LANES; k++)
            v[k] = p[0][k] | (uint32_t)p[1][k] << 8 | (uint32_t)p[2][k] << 16;
        break;
    default:
        for (unsigned k = 0; k < LANES; k++)
            v[k] = p[0][k] | (uint32_t)p[1][k] << 8 | (uint32_t)p[2][k] << 16 |
                   (uint32_t)p[3][k] << 24;
    }
}

/* Reads n lane values, not yet shifted, from the columns. */
static void get_planes(rbt_addr_get_t *g, lane_head_t head, unsigned n, uint64_t v[LANES])
{
    uint32_t low[LANES], high[LANES] = {0};

    get_low_planes(g, 0, head.bytes < 4 ? head.bytes : 4, n, low);
    if (head.bytes > 4)
        get_low_planes(g, 4, head.bytes - 4, n, high);
    for (unsigned k = 0; k < LANES; k++)
        v[k] = low[k] | (uint64_t)high[k] << 32;
}

static void get_lanes(rbt_addr_get_t *g, unsigned n, int64_t d[LANES])
{
    uint64_t z[LANES];
    lane_head_t head = get_lane_head(g);

    get_planes(g, head, n, z);
    for (unsigned k = 0; k < LANES; k++)
        d[k] = (int64_t)(rbt_unzigzag(z[k]) << head.shift);
}

/* Reads distances of lanes from the floor and converts them to distances from the first lane;
 * returns its address. */
static uint64_t get_floor(rbt_addr_get_t *g, lane_head_t head, uint64_t floor, unsigned n,
                          int64_t *from)
{
    uint64_t v[LANES];

    get_planes(g, head, n, v);
    for (unsigned k = 0; k < LANES; k++)
        from[k] = (int64_t)((v[k] - v[0]) << head.shift);
    memset(from + n, 0, (LANES - n) * sizeof(*from));
    return floor + (v[0] << head.shift);
}

/* Whether 32-bit arithmetic is enough for the distances from the floor. */
static bool is_near(lane_head_t head)
{
    return 8 * head.bytes + head.shift < 32;
}

/* Like get_floor(), for distances that fit in 32 bits. */
static uint64_t get_near_floor(rbt_addr_get_t *g, lane_head_t head, uint64_t floor, unsigned n,
                               int32_t from[LANES])
{
    uint32_t v[LANES];

    get_low_planes(g, 0, head.bytes, n, v);
    for (unsigned k = 0; k < LANES; k++)
        from[k] = (int32_t)((v[k] - v[0]) << head.shift);
    memset(from + n, 0, (LANES - n) * sizeof(*from));
    return floor + ((uint64_t)v[0] << head.shift);
}

/* Distances of the active lanes from the first active one, according to the reference. */
static void reference_lanes(rbt_addr_get_t *g, const rbt_ref_t *ref, uint32_t mask, int64_t *from)
{
    if (ref->affine || (mask & ~ref->mask) != 0) {
        g->bad = true;
        for (unsigned k = 0; k < LANES; k++)
            from[k] = 0;
        return;
    }
    const int64_t *lane = g->refs.lanes[ref->lanes].from_first;

    if (mask == UINT32_MAX) {
        memcpy(from, lane, LANES * sizeof(*from));
        return;
    }
    int64_t first = lane[__builtin_ctz(mask)];

    for (unsigned k = 0; mask != 0; mask &= mask - 1, k++)
        from[k] = (int64_t)((uint64_t)lane[__builtin_ctz(mask)] - (uint64_t)first);
}

static void get_deltas(rbt_addr_get_t *g, unsigned n, int64_t *from)
{
    int64_t d[LANES];

    get_lanes(g, n - 1, d);
    from[0] = 0;
    for (unsigned k = 1; k < n; k++)
        from[k] = (int64_t)((uint64_t)from[k - 1] + (uint64_t)d[k - 1]);
}

static void get_changes(rbt_addr_get_t *g, unsigned n, int64_t *from)
{
    int64_t d[LANES];

    get_lanes(g, n - 1, d);
    for (unsigned k = 1; k < n; k++)
        from[k] = (int64_t)((uint64_t)from[k] + (uint64_t)d[k - 1]);
}

/* Where to keep the lane distances of a record for later ones. */
static rbt_lanes_t *kept_lanes(rbt_addr_get_t *g, rbt_ref_t *now)
{
    if (now->lanes == RBT_NO_LANES)
        now->lanes = rbt_refs_add_lanes(&g->refs);
    return &g->refs.lanes[now->lanes];
}

static void keep_lanes(rbt_lanes_t *kept, uint32_t mask, const int64_t *from)
{
    int64_t *lane = kept->from_first;

    kept->n_words = 0;
    if (mask == UINT32_MAX)
        memcpy(lane, from, LANES * sizeof(*lane));
    else
        for (unsigned k = 0; mask != 0; mask &= mask - 1, k++)
            lane[__builtin_ctz(mask)] = from[k];
}

static void keep_near_lanes(rbt_lanes_t *kept, uint32_t mask, const int32_t *from)
{
    int64_t *lane = kept->from_first;

    kept->n_words = 0;
    if (mask == UINT32_MAX)
        for (unsigned k = 0; k < LANES; k++)
            lane[k] = from[k];
    else
        for (unsigned k = 0; mask != 0; mask &= mask - 1, k++)
            lane[__builtin_ctz(mask)] = from[k];
}

static size_t write_near(uint64_t base, const int32_t from[LANES], unsigned n, uint64_t *out)
{
    out[0] = addr_header(ADDR_DELTA, n, 0);
    out[1] = base;
    memcpy(out + 2, from, LANES * sizeof(*from)); /* out has room for the longest record */
    return addr_find_rows(out);
}

static size_t write_irregular(uint64_t base, const int64_t from[LANES], unsigned n, uint64_t *out)
{
    int32_t d[LANES];
    uint64_t far = 0;

    for (unsigned k = 0; k < LANES; k++) {
        d[k] = (int32_t)from[k];
        far |= (uint64_t)(from[k] ^ d[k]);
    }
    if (far == 0)
        return write_near(base, d, n, out);
    out[0] = addr_header(ADDR_LIST, n, 0);
    for (unsigned k = 0; k < n; k++)
        out[1 + k] = base + (uint64_t)from[k];
    return 1 + n;
}

/* Distance from ref's first lane to the first lane of an irregular record with this mask. */
static uint64_t lead(const rbt_addr_get_t *g, const rbt_ref_t *ref, uint32_t mask)
{
    if (ref->affine || (mask & ~ref->mask) != 0)
        return 0;
    return (uint64_t)g->refs.lanes[ref->lanes].from_first[__builtin_ctz(mask)];
}

static unsigned next_mode(rbt_addr_get_t *g)
{
    if (g->predicted > 0) {
        g->predicted--;
        return 0;
    }
    unsigned mode = rbt_get_u8(&g->cols[RBT_COL_MODE]);

    g->predicted = rbt_get_varint(&g->cols[RBT_COL_RUN]);
    g->bad |= mode == 0 || mode >= RBT_MODE_COUNT || g->cols[RBT_COL_RUN].bad ||
              ((mode & RBT_MODE_FLOOR) && (mode & RBT_LAYOUT_MASK));
    return mode;
}

/* Reads a record of unrelated addresses; returns its length in words. */
static size_t get_unrelated(rbt_addr_get_t *g, rbt_slot_t *s, unsigned mode, rbt_ref_t *now,
                            uint64_t *out)
{
    unsigned n = (unsigned)__builtin_popcount(now->mask);
    rbt_lanes_t *kept = kept_lanes(g, now);

    if (mode & RBT_MODE_BASE)
        s->floor += rbt_get_signed(&g->cols[RBT_COL_BASE]);
    lane_head_t head = get_lane_head(g);

    if (is_near(head)) {
        int32_t from[LANES];

        now->base = get_near_floor(g, head, s->floor, n, from);
        keep_near_lanes(kept, now->mask, from);
        return write_near(now->base, from, n, out);
    }
    int64_t from[LANES];

    now->base = get_floor(g, head, s->floor, n, from);
    keep_lanes(kept, now->mask, from);
    return write_irregular(now->base, from, n, out);
}

/* Keeps a record for repeat_record(), which moves it: not one of absolute addresses. */
static void keep_record(rbt_lanes_t *kept, const uint64_t *record, size_t words)
{
    if (addr_form(record) == ADDR_LIST)
        return;
    memcpy(kept->record, record, words * sizeof(*record));
    kept->n_words = (uint32_t)words;
}

/* The record whose lanes were kept last, with another first address. */
static size_t repeat_record(const rbt_lanes_t *kept, uint64_t base, uint64_t *out)
{
    memcpy(out, kept->record, kept->n_words * sizeof(*out));
    out[1] = base;
    return kept->n_words;
}

/* Reads lane distances stored as differences to a reference or to the previous lane. */
static size_t get_related(rbt_addr_get_t *g, const rbt_ref_t *ref, unsigned layout, rbt_ref_t *now,
                          uint64_t *out)
{
    unsigned n = (unsigned)__builtin_popcount(now->mask);
    rbt_lanes_t *kept = kept_lanes(g, now);

    if (layout == RBT_LAYOUT_SAME && ref->lanes == now->lanes && ref->mask == now->mask &&
        kept->n_words > 0)
        return repeat_record(kept, now->base, out);
    int64_t from[LANES] = {0};

    if (layout == RBT_LAYOUT_DELTAS)
        get_deltas(g, n, from);
    else
        reference_lanes(g, ref, now->mask, from);
    if (layout == RBT_LAYOUT_LANES)
        get_changes(g, n, from);
    keep_lanes(kept, now->mask, from);
    const size_t words = write_irregular(now->base, from, n, out);

    keep_record(kept, out, words);
    return words;
}

size_t rbt_addr_get(rbt_addr_get_t *g, uint32_t mask, size_t ref_number, uint32_t slot,
                    uint64_t *out)
{
    rbt_slot_t *s = &g->refs.slots[slot];
    rbt_ref_t *own = &g->refs.refs[ref_number];
    const rbt_ref_t *ref = g->seen ? own : &s->last;
    rbt_ref_t now = {.mask = mask, .lanes = own->lanes};
    unsigned mode = next_mode(g), layout = mode & RBT_LAYOUT_MASK;
    size_t words = 2;

    if (mode & RBT_MODE_FLOOR) {
        words = get_unrelated(g, s, mode, &now, out);
    } else {
        now.affine = layout == RBT_LAYOUT_STRIDE || (layout == RBT_LAYOUT_SAME && ref->affine);
        now.base = rbt_predict(ref, s, g->seen, g->ctx, g->piece) + lead(g, ref, mask);
        if (mode & RBT_MODE_BASE)
            now.base += rbt_get_signed(&g->cols[RBT_COL_BASE]);
        if (!now.affine) {
            words = get_related(g, ref, layout, &now, out);
        } else {
            now.stride = layout == RBT_LAYOUT_SAME
                             ? ref->stride
                             : (int32_t)rbt_get_signed(&g->cols[RBT_COL_STRIDE]);
            out[0] = addr_header(ADDR_AFFINE, (unsigned)__builtin_popcount(mask), now.stride);
            out[1] = now.base;
        }
    }
    rbt_remember(own, now, s, g->seen, g->ctx, g->piece);
    return words;
}

bool rbt_addr_get_all(rbt_addr_get_t *g, size_t n, size_t ref, const uint32_t *slots,
                      const uint32_t *masks, uint64_t *out)
{
    rbt_ref_t *refs = g->refs.refs + ref;

    if (g->predicted < n || !g->seen)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!refs[i].affine)
            return false;
    g->predicted -= n;
    for (size_t i = 0; i < n; i++) {
        rbt_slot_t *s = &g->refs.slots[slots[i]];
        rbt_ref_t now = refs[i];

        now.base += s->moved[g->ctx];
        rbt_remember(&refs[i], now, s, true, g->ctx, g->piece);
        out[2 * i] = addr_header(ADDR_AFFINE, (unsigned)__builtin_popcount(masks[i]), now.stride);
        out[2 * i + 1] = now.base;
    }
    return true;
}
