#include "frontend/trace/rbt_addr_get.h"

#include "frontend/trace/rbt_format.h"

enum { LANES = 32 };

static bool fits_i32(int64_t v)
{
    return v == (int32_t)v;
}

void rbt_addr_get_begin(rbt_addr_get_t *g)
{
    g->predicted = rbt_get_varint(&g->cols[RBT_COL_RUN]);
    g->piece = 0;
    g->bad = false;
}

/* What stands in the lane columns: n signed values. */
static void get_lanes(rbt_addr_get_t *g, unsigned n, int64_t *d)
{
    uint8_t head = rbt_get_u8(&g->cols[RBT_COL_LANES]);
    unsigned shift = head & 7u, bytes = (head >> 3 & 7u) + 1;
    uint64_t z[LANES] = {0};

    for (unsigned b = 0; b < bytes; b++) {
        const uint8_t *p = rbt_get_bytes(&g->cols[RBT_COL_PLANE + b], n);

        if (p == NULL) {
            g->bad = true;
            break;
        }
        for (unsigned k = 0; k < n; k++)
            z[k] |= (uint64_t)p[k] << 8 * b;
    }
    for (unsigned k = 0; k < n; k++)
        d[k] = (int64_t)(rbt_unzigzag(z[k]) << shift);
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

static size_t write_irregular(uint64_t base, const int64_t *from, unsigned n, uint64_t *out)
{
    bool near = true;

    for (unsigned k = 1; k < n; k++)
        /* The caller has set the n lanes. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
        near &= fits_i32(from[k]);
    if (!near) {
        out[0] = addr_header(ADDR_LIST, n, 0);
        for (unsigned k = 0; k < n; k++)
            out[1 + k] = base + (uint64_t)from[k];
        return 1 + n;
    }
    out[0] = addr_header(ADDR_DELTA, n, 0);
    out[1] = base;
    out[1 + (n + 1) / 2] = 0; /* the unused half of an odd count */
    for (unsigned k = 0; k < n; k++) {
        int32_t d = (int32_t)from[k];

        memcpy((char *)(out + 2) + k * sizeof(d), &d, sizeof(d));
    }
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
    g->bad |= mode == 0 || mode >= RBT_MODE_COUNT || g->cols[RBT_COL_RUN].bad;
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
    bool affine = layout == RBT_LAYOUT_STRIDE || (layout == RBT_LAYOUT_SAME && ref->affine);
    int32_t stride = 0;
    size_t words = 2;

    base += lead(g, ref, mask);
    if (mode & RBT_MODE_BASE)
        base += rbt_get_signed(&g->cols[RBT_COL_BASE]);
    if (affine) {
        stride = layout == RBT_LAYOUT_SAME ? ref->stride
                                           : (int32_t)rbt_get_signed(&g->cols[RBT_COL_STRIDE]);
        out[0] = addr_header(ADDR_AFFINE, n, stride);
        out[1] = base;
    } else {
        int64_t from[LANES];

        if (layout == RBT_LAYOUT_DELTAS)
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
