#include "frontend/trace/rbt_addr_get.h"

#include <string.h>

#include "frontend/trace/rbt_format.h"

enum { LANES = 32 };

void rbt_addr_get_begin(rbt_addr_get_t *g)
{
    g->predicted = rbt_get_varint(&g->cols[RBT_COL_RUN]);
    g->piece = 0;
    g->bad = false;
}

/*
 * Loops over lanes run over all 32 where they can, so that the compiler makes vectors of them; what
 * lies behind a record's n lanes is 0 or is not looked at.
 */

/* v[k] |= bytes << shift for so many lanes from the column of a byte's place; false: it ends. */
static bool get_plane(rbt_in_t *column, unsigned n, unsigned shift, uint32_t v[LANES])
{
    const uint8_t *p = rbt_get_bytes(column, n);
    uint8_t bytes[LANES] = {0};

    if (p == NULL)
        return false;
    memcpy(bytes, p, n);
    for (unsigned k = 0; k < LANES; k++)
        v[k] |= (uint32_t)bytes[k] << shift;
    return true;
}

/* What stands in the lane columns: n values, to be shifted to the left by what is returned. */
static unsigned get_planes(rbt_addr_get_t *g, unsigned n, uint64_t v[LANES])
{
    uint8_t head = rbt_get_u8(&g->cols[RBT_COL_LANES]);
    unsigned bytes = (head >> 3 & 7u) + 1;
    uint32_t low[LANES] = {0}, high[LANES] = {0};

    for (unsigned b = 0; b < bytes; b++)
        g->bad |= !get_plane(&g->cols[RBT_COL_PLANE + b], n, 8 * (b % 4), b < 4 ? low : high);
    for (unsigned k = 0; k < LANES; k++)
        v[k] = low[k] | (uint64_t)high[k] << 32;
    return head & 7u;
}

static void get_lanes(rbt_addr_get_t *g, unsigned n, int64_t d[LANES])
{
    uint64_t z[LANES];
    unsigned shift = get_planes(g, n, z);

    for (unsigned k = 0; k < LANES; k++)
        d[k] = (int64_t)(rbt_unzigzag(z[k]) << shift);
}

/* Distances of lanes from the floor, made distances from the first lane; returns its address. */
static uint64_t get_floor(rbt_addr_get_t *g, rbt_slot_t *s, bool moves, unsigned n, int64_t *from)
{
    uint64_t v[LANES];

    if (moves)
        s->floor += rbt_get_signed(&g->cols[RBT_COL_BASE]);
    unsigned shift = get_planes(g, n, v);

    for (unsigned k = 0; k < LANES; k++)
        from[k] = (int64_t)((v[k] - v[0]) << shift);
    memset(from + n, 0, (LANES - n) * sizeof(*from));
    return s->floor + (v[0] << shift);
}

/* Distances of the k-th active lanes from the first, as the reference has them. */
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

static void keep_lanes(rbt_addr_get_t *g, rbt_ref_t *ref, uint32_t mask, const int64_t *from)
{
    if (ref->lanes == RBT_NO_LANES)
        ref->lanes = rbt_refs_add_lanes(&g->refs);
    int64_t *lane = g->refs.lanes[ref->lanes].from_first;

    if (mask == UINT32_MAX)
        memcpy(lane, from, LANES * sizeof(*lane));
    else
        for (unsigned k = 0; mask != 0; mask &= mask - 1, k++)
            lane[__builtin_ctz(mask)] = from[k];
}

static size_t write_irregular(uint64_t base, const int64_t from[LANES], unsigned n, uint64_t *out)
{
    int32_t d[LANES];
    uint64_t far = 0;

    for (unsigned k = 0; k < LANES; k++) {
        d[k] = (int32_t)from[k];
        far |= (uint64_t)(from[k] ^ d[k]);
    }
    if (far != 0) {
        out[0] = addr_header(ADDR_LIST, n, 0);
        for (unsigned k = 0; k < n; k++)
            out[1 + k] = base + (uint64_t)from[k];
        return 1 + n;
    }
    out[0] = addr_header(ADDR_DELTA, n, 0);
    out[1] = base;
    memcpy(out + 2, d, sizeof(d)); /* out has room for the longest record */
    return 2 + (n + 1) / 2;
}

/* Where an irregular record begins if it looks like ref. */
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

size_t rbt_addr_get(rbt_addr_get_t *g, uint32_t mask, size_t ref_number, uint32_t slot,
                    uint64_t *out)
{
    rbt_slot_t *s = &g->refs.slots[slot];
    rbt_ref_t *own = &g->refs.refs[ref_number];
    const rbt_ref_t *ref = g->seen ? own : &s->last;
    unsigned n = (unsigned)__builtin_popcount(mask), mode = next_mode(g);
    unsigned layout = mode & RBT_LAYOUT_MASK;
    uint64_t old = own->base, base = rbt_predict(ref, s, g->seen, g->ctx, g->piece);
    bool floor = (mode & RBT_MODE_FLOOR) != 0;
    bool affine =
        layout == RBT_LAYOUT_STRIDE || (layout == RBT_LAYOUT_SAME && ref->affine && !floor);
    int32_t stride = 0;
    size_t words = 2;

    base += lead(g, ref, mask);
    if ((mode & RBT_MODE_BASE) && !floor)
        base += rbt_get_signed(&g->cols[RBT_COL_BASE]);
    if (affine) {
        stride = layout == RBT_LAYOUT_SAME ? ref->stride
                                           : (int32_t)rbt_get_signed(&g->cols[RBT_COL_STRIDE]);
        out[0] = addr_header(ADDR_AFFINE, n, stride);
        out[1] = base;
    } else {
        int64_t from[LANES] = {0};

        if (floor)
            base = get_floor(g, s, (mode & RBT_MODE_BASE) != 0, n, from);
        else if (layout == RBT_LAYOUT_DELTAS)
            get_deltas(g, n, from);
        else
            reference_lanes(g, ref, mask, from);
        if (layout == RBT_LAYOUT_LANES)
            get_changes(g, n, from);
        words = write_irregular(base, from, n, out);
        keep_lanes(g, own, mask, from);
    }
    own->base = base;
    own->mask = mask;
    own->stride = stride;
    own->affine = affine;
    rbt_remember(own, old, s, g->seen, g->ctx, g->piece);
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
        uint64_t old = refs[i].base;

        refs[i].base = old + s->moved[g->ctx];
        rbt_remember(&refs[i], old, s, true, g->ctx, g->piece);
        out[2 * i] =
            addr_header(ADDR_AFFINE, (unsigned)__builtin_popcount(masks[i]), refs[i].stride);
        out[2 * i + 1] = refs[i].base;
    }
    return true;
}
