#include "frontend/trace/rbt_addr_put.h"

#include "frontend/trace/rbt_format.h"
#include "sim/core/err.h"

enum { LANES = 32, LINE_BYTES = 128, SHIFT_MAX = 7 };

/* A record, spread out. */
typedef struct {
    uint32_t mask;
    unsigned n, first; /* active lanes, and the lowest */
    bool affine;
    int32_t stride;
    uint64_t base;
    uint64_t addr[LANES]; /* of the k-th active lane, unless affine */
} record_t;

static void spread(record_t *r, const uint64_t *rec, uint32_t mask)
{
    uint64_t packed[ADDR_RECORD_MAX];

    r->mask = mask;
    r->n = (unsigned)__builtin_popcount(mask);
    r->first = (unsigned)__builtin_ctz(mask);
    RB_INVARIANT(addr_lanes(rec) == r->n, "an address record has %u lanes, its instruction %u",
                 addr_lanes(rec), r->n);
    r->affine = addr_form(rec) == ADDR_AFFINE;
    if (!r->affine) {
        addr_unpack(rec, r->addr);
        addr_pack(r->addr, r->n, packed);
        r->affine = addr_form(packed) == ADDR_AFFINE;
        rec = r->affine ? packed : rec;
        r->base = r->addr[0];
    }
    r->stride = 0;
    if (r->affine) {
        r->stride = addr_stride(rec);
        r->base = rec[1];
    }
}

/* Distance between the first active lanes of a record and of its reference, in the reference. */
static uint64_t lead(const rbt_addr_put_t *w, const record_t *r, const rbt_ref_t *ref)
{
    if (ref->affine || (r->mask & ~ref->mask) != 0)
        return 0;
    return (uint64_t)w->refs.lanes[ref->lanes].from_first[r->first];
}

/* Differences of the lanes behind the first to what the reference says; false: it cannot say. */
static bool lane_differences(const rbt_addr_put_t *w, const record_t *r, const rbt_ref_t *ref,
                             int64_t *d)
{
    if (ref->affine || (r->mask & ~ref->mask) != 0)
        return false;
    const int64_t *from = w->refs.lanes[ref->lanes].from_first;
    unsigned k = 1;

    for (uint32_t m = r->mask & (r->mask - 1); m != 0; m &= m - 1, k++) {
        uint64_t was = (uint64_t)from[__builtin_ctz(m)] - (uint64_t)from[r->first];

        d[k - 1] = (int64_t)(r->addr[k] - r->base - was);
    }
    return true;
}

static uint64_t all_bits(const int64_t *d, unsigned n)
{
    uint64_t bits = 0;

    for (unsigned k = 0; k < n; k++)
        bits |= (uint64_t)d[k];
    return bits;
}

/* Significant bits of all values together. */
static unsigned cost(const int64_t *d, unsigned n)
{
    unsigned bits = 0;

    for (unsigned k = 0; k < n; k++)
        bits += 64u - (unsigned)__builtin_clzll(rbt_zigzag((uint64_t)d[k]) | 1);
    return bits;
}

static void put_lanes(rbt_addr_put_t *w, const int64_t *d, unsigned n)
{
    uint64_t bits = all_bits(d, n), zigzags = 0, z[LANES];
    unsigned shift = bits != 0 ? (unsigned)__builtin_ctzll(bits) : 0;

    shift = shift < SHIFT_MAX ? shift : SHIFT_MAX;
    for (unsigned k = 0; k < n; k++)
        zigzags |= z[k] = rbt_zigzag((uint64_t)(d[k] >> shift));
    unsigned bytes = (71u - (unsigned)__builtin_clzll(zigzags | 1)) / 8;

    rbt_put_u8(&w->cols[RBT_COL_LANES], (uint8_t)(shift | (bytes - 1) << 3));
    for (unsigned b = 0; b < bytes; b++) {
        uint8_t *out = rbt_buf_room(&w->cols[RBT_COL_PLANE + b], n);

        for (unsigned k = 0; k < n; k++)
            out[k] = (uint8_t)(z[k] >> 8 * b);
        w->cols[RBT_COL_PLANE + b].n += n;
    }
}

/* Layout of the record, whose lanes are put down if they are not the reference's. */
static unsigned put_layout(rbt_addr_put_t *w, const record_t *r, const rbt_ref_t *ref)
{
    int64_t deltas[LANES], changes[LANES];

    if (r->affine)
        return ref->affine && ref->stride == r->stride ? RBT_LAYOUT_SAME : RBT_LAYOUT_STRIDE;
    bool has_changes = lane_differences(w, r, ref, changes);

    if (has_changes && all_bits(changes, r->n - 1) == 0)
        return RBT_LAYOUT_SAME;
    for (unsigned k = 1; k < r->n; k++)
        deltas[k - 1] = (int64_t)(r->addr[k] - r->addr[k - 1]);
    if (has_changes && cost(changes, r->n - 1) < cost(deltas, r->n - 1)) {
        put_lanes(w, changes, r->n - 1);
        return RBT_LAYOUT_LANES;
    }
    put_lanes(w, deltas, r->n - 1);
    return RBT_LAYOUT_DELTAS;
}

static void keep_lanes(rbt_addr_put_t *w, const record_t *r, rbt_ref_t *ref)
{
    unsigned k = 0;

    if (ref->lanes == RBT_NO_LANES)
        ref->lanes = rbt_refs_add_lanes(&w->refs);
    int64_t *from = w->refs.lanes[ref->lanes].from_first;

    for (uint32_t m = r->mask; m != 0; m &= m - 1, k++)
        from[__builtin_ctz(m)] = (int64_t)(r->addr[k] - r->base);
}

bool rbt_addr_put(rbt_addr_put_t *w, const uint64_t *rec, uint32_t mask, size_t ref_number,
                  uint32_t slot)
{
    rbt_slot_t *s = &w->refs.slots[slot];
    rbt_ref_t *own = &w->refs.refs[ref_number];
    const rbt_ref_t *ref = w->seen ? own : &s->last;
    record_t r;

    spread(&r, rec, mask);
    uint64_t old = own->base;
    uint64_t predicted = rbt_predict(ref, s, w->seen, w->ctx, w->piece) + lead(w, &r, ref);
    unsigned mode = put_layout(w, &r, ref);
    bool alike =
        mode == RBT_LAYOUT_SAME && w->seen && own->mask == mask && (r.base - old) % LINE_BYTES == 0;

    if (mode == RBT_LAYOUT_STRIDE)
        rbt_put_signed(&w->cols[RBT_COL_STRIDE], (uint64_t)(int64_t)r.stride);
    if (r.base != predicted) {
        mode |= RBT_MODE_BASE;
        rbt_put_signed(&w->cols[RBT_COL_BASE], r.base - predicted);
    }
    if (mode == 0) {
        w->predicted++;
    } else {
        rbt_put_varint(&w->cols[RBT_COL_RUN], w->predicted);
        rbt_put_u8(&w->cols[RBT_COL_MODE], (uint8_t)mode);
        w->predicted = 0;
    }
    if (!r.affine)
        keep_lanes(w, &r, own);
    own->base = r.base;
    own->mask = mask;
    own->stride = r.stride;
    own->affine = r.affine;
    rbt_remember(own, old, s, w->seen, w->ctx, w->piece);
    return alike;
}

void rbt_addr_put_end(rbt_addr_put_t *w)
{
    rbt_put_varint(&w->cols[RBT_COL_RUN], w->predicted);
    w->predicted = 0;
}
