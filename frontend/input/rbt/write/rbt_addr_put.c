#include "frontend/input/rbt/write/rbt_addr_put.h"

#include "frontend/input/rbt/rbt_format.h"
#include "sim/core/clones.h"
#include "sim/core/err.h"

enum { LANES = 32, LINE_BYTES = 128, SHIFT_MAX = 7 };
enum { FLOOR_SLACK = 3 };

/* A record, unpacked. */
typedef struct {
    uint32_t mask;
    unsigned n, first; /* number of active lanes, and the lowest one */
    bool affine;
    int32_t stride;
    uint64_t base;
    uint64_t addr[LANES]; /* of the k-th active lane; unused if affine */
} record_t;

static void spread(record_t *r, const uint64_t *rec, uint32_t mask)
{
    r->mask = mask;
    r->n = (unsigned)__builtin_popcount(mask);
    r->first = (unsigned)__builtin_ctz(mask);
    RB_INVARIANT(addr_lanes(rec) == r->n, "an address record has %u lanes, its instruction %u",
                 addr_lanes(rec), r->n);
    r->affine = addr_form(rec) == ADDR_AFFINE;
    if (r->affine) {
        r->stride = addr_stride(rec);
        r->base = rec[1];
        return;
    }
    addr_unpack(rec, r->addr);
    r->affine = addr_is_affine(r->addr, r->n, &r->stride);
    r->stride = r->affine ? r->stride : 0;
    r->base = r->addr[0];
}

/* Distance from ref's first lane to the first active lane of the record. */
static uint64_t lead(const rbt_addr_put_t *w, const record_t *r, const rbt_ref_t *ref)
{
    if (ref->affine || (r->mask & ~ref->mask) != 0)
        return 0;
    return (uint64_t)w->refs.lanes[ref->lanes].from_first[r->first];
}

/* Differences between the lanes and the reference, for all lanes but the first; false if the
 * reference does not cover them. */
RB_CLONE_PART bool lane_differences(const rbt_addr_put_t *w, const record_t *r,
                                    const rbt_ref_t *ref, int64_t *d)
{
    if (ref->affine || (r->mask & ~ref->mask) != 0)
        return false;
    const int64_t *from = w->refs.lanes[ref->lanes].from_first;
    unsigned k = 1;

    if (r->n == LANES) {
        for (unsigned i = 1; i < LANES; i++)
            d[i - 1] = (int64_t)(r->addr[i] - r->base - (uint64_t)from[i] + (uint64_t)from[0]);
        return true;
    }
    for (uint32_t m = r->mask & (r->mask - 1); m != 0; m &= m - 1, k++) {
        uint64_t was = (uint64_t)from[__builtin_ctz(m)] - (uint64_t)from[r->first];

        d[k - 1] = (int64_t)(r->addr[k] - r->base - was);
    }
    return true;
}

RB_CLONE_PART uint64_t all_bits(const int64_t *d, unsigned n)
{
    uint64_t bits = 0;

    for (unsigned k = 0; k < n; k++)
        bits |= (uint64_t)d[k];
    return bits;
}

/* Bits needed to store a value as a signed number. */
RB_CLONE_PART unsigned signed_bits(uint64_t v)
{
    return 64u - (unsigned)__builtin_clzll(rbt_zigzag(v) | 1);
}

RB_CLONE_PART unsigned cost(const int64_t *d, unsigned n)
{
    unsigned bits = 0;

    for (unsigned k = 0; k < n; k++)
        bits += signed_bits((uint64_t)d[k]);
    return bits;
}

/* Drops trailing zero bits common to all values; bits: the OR of all values. */
RB_CLONE_PART void shorten(rbt_lane_values_t *l, uint64_t bits)
{
    unsigned shift = bits != 0 ? (unsigned)__builtin_ctzll(bits) : 0;

    l->shift = shift < SHIFT_MAX ? shift : SHIFT_MAX;
    l->bytes = (71u - (unsigned)__builtin_clzll(bits >> l->shift | 1)) / 8;
}

RB_CLONE_PART void differences(rbt_lane_values_t *l, const int64_t *d, unsigned n)
{
    uint64_t zigzags = 0;

    l->n = n;
    shorten(l, all_bits(d, n));
    for (unsigned k = 0; k < n; k++)
        zigzags |= l->v[k] = rbt_zigzag((uint64_t)(d[k] >> l->shift));
    l->bytes = (71u - (unsigned)__builtin_clzll(zigzags | 1)) / 8;
}

static void put_lanes(rbt_addr_put_t *w, const rbt_lane_values_t *l)
{
    rbt_put_u8(&w->cols[RBT_COL_LANES], (uint8_t)(l->shift | (l->bytes - 1) << 3));
    for (unsigned b = 0; b < l->bytes; b++) {
        uint8_t *out = rbt_buf_room(&w->cols[RBT_COL_PLANE + b], l->n);

        for (unsigned k = 0; k < l->n; k++)
            out[k] = (uint8_t)(l->v[k] >> 8 * b);
        w->cols[RBT_COL_PLANE + b].n += l->n;
    }
}

/* --- distances from a floor ------------------------------------------------------------------ */

/* Keeps the floor unless lanes are below it or far above it; returns the floor for a record. */
RB_CLONE_PART uint64_t choose_floor(const record_t *r, unsigned n, uint64_t floor)
{
    uint64_t low = r->addr[0], high = low;

    for (unsigned k = 1; k < n; k++) {
        low = r->addr[k] < low ? r->addr[k] : low;
        high = r->addr[k] > high ? r->addr[k] : high;
    }
    unsigned span = 64u - (unsigned)__builtin_clzll((high - low) | 1);

    if (low >= floor && (high - floor) >> (span + FLOOR_SLACK < 63 ? span + FLOOR_SLACK : 63) == 0)
        return floor;
    return span < 64 ? low >> span << span : 0;
}

RB_CLONE_PART void distances(rbt_lane_values_t *l, const record_t *r, unsigned n, uint64_t floor)
{
    uint64_t bits = 0;

    l->n = n;
    for (unsigned k = 0; k < n; k++)
        bits |= l->v[k] = r->addr[k] - floor;
    shorten(l, bits);
    for (unsigned k = 0; k < n; k++)
        l->v[k] >>= l->shift;
}

/* The two ways to store the lanes of a record. */
typedef struct {
    rbt_lane_values_t ways[RBT_LANE_WAYS]; /* [0]: differences; [1]: distances from a floor */
    uint64_t floor;
    bool same, changed; /* lanes are where the reference's are; the differences are to the
                         * reference */
} lanes_t;

/* n is the number of lanes; callers pass a constant for full warps, for the sake of
 * vectorisation. */
RB_CLONE_PART void make_ways(lanes_t *l, const rbt_addr_put_t *w, const record_t *r, unsigned n,
                             const rbt_ref_t *ref, uint64_t aim)
{
    int64_t deltas[LANES], changes[LANES];

    l->changed = lane_differences(w, r, ref, changes);
    l->same = l->changed && all_bits(changes, n - 1) == 0;
    if (l->same)
        return;
    for (unsigned k = 1; k < n; k++)
        deltas[k - 1] = (int64_t)(r->addr[k] - r->addr[k - 1]);
    l->floor = choose_floor(r, n, aim);
    l->changed = l->changed && cost(changes, n - 1) < cost(deltas, n - 1);
    differences(&l->ways[0], l->changed ? changes : deltas, n - 1);
    distances(&l->ways[1], r, n, l->floor);
}

RB_CLONES static void make_ways_of_all(lanes_t *l, const rbt_addr_put_t *w, const record_t *r,
                                       const rbt_ref_t *ref, uint64_t aim)
{
    make_ways(l, w, r, LANES, ref, aim);
}

static void make_ways_of_some(lanes_t *l, const rbt_addr_put_t *w, const record_t *r,
                              const rbt_ref_t *ref, uint64_t aim)
{
    make_ways(l, w, r, r->n, ref, aim);
}

/* Returns the layout of a record and writes its lanes unless they equal the reference's. */
static unsigned put_layout(rbt_addr_put_t *w, const record_t *r, const rbt_ref_t *ref,
                           uint64_t predicted, uint32_t slot)
{
    rbt_slot_t *s = &w->refs.slots[slot];
    lanes_t l;

    if (r->affine)
        return ref->affine && ref->stride == r->stride ? RBT_LAYOUT_SAME : RBT_LAYOUT_STRIDE;
    if (r->n == LANES)
        make_ways_of_all(&l, w, r, ref, s->aim);
    else
        make_ways_of_some(&l, w, r, ref, s->aim);
    if (l.same)
        return RBT_LAYOUT_SAME;
    const uint64_t moves = l.floor - s->floor;
    l.ways[0].more = r->base != predicted ? signed_bits(r->base - predicted) : 0;
    l.ways[1].more = l.floor != s->aim ? signed_bits(l.floor - s->aim) : 0;
    s->aim = l.floor;
    if (rbt_lane_choice(&w->choice, slot, l.ways) == 0) {
        put_lanes(w, &l.ways[0]);
        return l.changed ? RBT_LAYOUT_LANES : RBT_LAYOUT_DELTAS;
    }
    put_lanes(w, &l.ways[1]);
    s->floor = l.floor;
    if (moves == 0)
        return RBT_MODE_FLOOR;
    rbt_put_signed(&w->cols[RBT_COL_BASE], moves);
    return RBT_MODE_FLOOR | RBT_MODE_BASE;
}

/* Keeps the lane distances of a record for later ones; returns their number. */
static int32_t keep_lanes(rbt_addr_put_t *w, const record_t *r, int32_t lanes)
{
    unsigned k = 0;

    if (lanes == RBT_NO_LANES)
        lanes = rbt_refs_add_lanes(&w->refs);
    int64_t *from = w->refs.lanes[lanes].from_first;

    if (r->n == LANES) {
        for (unsigned i = 0; i < LANES; i++)
            from[i] = (int64_t)(r->addr[i] - r->base);
        return lanes;
    }
    for (uint32_t m = r->mask; m != 0; m &= m - 1, k++)
        from[__builtin_ctz(m)] = (int64_t)(r->addr[k] - r->base);
    return lanes;
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
    unsigned mode = put_layout(w, &r, ref, predicted, slot);
    bool same = mode == RBT_LAYOUT_SAME && w->seen && own->mask == mask;
    bool alike = same && (r.base - old) % LINE_BYTES == 0;

    if (mode == RBT_LAYOUT_STRIDE)
        rbt_put_signed(&w->cols[RBT_COL_STRIDE], (uint64_t)(int64_t)r.stride);
    if (r.base != predicted && (mode & RBT_MODE_FLOOR) == 0) {
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
    rbt_ref_t now = {.base = r.base,
                     .mask = mask,
                     .stride = r.stride,
                     .lanes = r.affine || same ? own->lanes : keep_lanes(w, &r, own->lanes),
                     .affine = r.affine};

    rbt_remember(own, now, s, w->seen, w->ctx, w->piece);
    return alike;
}

void rbt_addr_put_end(rbt_addr_put_t *w)
{
    rbt_put_varint(&w->cols[RBT_COL_RUN], w->predicted);
    w->predicted = 0;
}
