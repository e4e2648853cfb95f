/* Loads and stores of global, shared, local and generic memory. */
#include "frontend/emulator/exec/memory/emu_place.h"

EMU_HOT static void addresses(const emu_warp_t *w, const emu_uop_t *u, uint64_t a[EMU_LANES])
{
    const uint32_t *low = emu_ref(w, u->addr), *uniform = emu_ref(w, u->uaddr);
    uint64_t base = (uint64_t)u->offset + uniform[0];

    if (u->uwide)
        base += (uint64_t)uniform[EMU_LANES] << 32;
    if (u->wide) {
        for (int k = 0; k < EMU_LANES; k++)
            a[k] = emu_u64(low, k) + base;
    } else {
        for (int k = 0; k < EMU_LANES; k++)
            a[k] = (uint64_t)low[k] * u->scale + base;
    }
    if (!u->wide && !u->uwide)
        for (int k = 0; k < EMU_LANES; k++)
            a[k] &= EMU_ALL;
}

void emu_addresses(const emu_warp_t *w, const emu_uop_t *u, uint64_t a[EMU_LANES])
{
    addresses(w, u, a);
}

static uint8_t *resolve_shared(emu_warp_t *w, const emu_uop_t *u, unsigned lane, uint64_t offset,
                               unsigned width)
{
    uint32_t size = w->grid->shared_bytes;

    if (offset <= size && width <= size - offset)
        return w->block->shared + offset;
    emu_fault(w, u, "lane %u: shared memory has %u bytes, but the access is to 0x%llx", lane, size,
              (unsigned long long)offset);
    return NULL;
}

static uint8_t *resolve_local(emu_warp_t *w, const emu_uop_t *u, unsigned lane, uint64_t offset,
                              unsigned width)
{
    uint32_t size = w->grid->local_bytes;

    if (offset > size || width > size - offset || offset < w->grid->local_floor) {
        emu_fault(
            w, u,
            "lane %u: local memory has %u bytes per thread from 0x%x on, but the access is to "
            "0x%llx (a stack overflow? cudaDeviceSetLimit(cudaLimitStackSize, ...) enlarges "
            "it)",
            lane, size - w->grid->local_floor, w->grid->local_floor, (unsigned long long)offset);
        return NULL;
    }
    return w->local + (size_t)lane * size + offset;
}

uint8_t *emu_resolve(emu_warp_t *w, const emu_uop_t *u, unsigned space, unsigned lane,
                     uint64_t addr, unsigned width)
{
    if (addr % width != 0) {
        w->grid->totals.fault = EMU_FAULT_MISALIGNED;
        emu_fault(w, u, "lane %u: address 0x%llx is not a multiple of %u", lane,
                  (unsigned long long)addr, width);
        return NULL;
    }
    if (space == MEM_SHARED)
        return resolve_shared(w, u, lane, addr, width);
    if (space == MEM_LOCAL)
        return resolve_local(w, u, lane, addr, width);
    if (space == MEM_GENERIC && addr - EMU_SHARED_BASE < EMU_WINDOW)
        return resolve_shared(w, u, lane, addr - EMU_SHARED_BASE, width);
    if (space == MEM_GENERIC && addr - EMU_LOCAL_BASE < EMU_WINDOW)
        return resolve_local(w, u, lane, addr - EMU_LOCAL_BASE, width);
    uint8_t *p = emu_mem_at(w->grid->launch->mem, addr, width);
    if (p == NULL)
        emu_fault(w, u, "lane %u: address 0x%llx is not in an allocation", lane,
                  (unsigned long long)addr);
    return p;
}

/* - */

/* Where the active lanes access; inactive lanes have the place of the first active one. */
typedef struct {
    uint64_t first, low;     /* address of the first active lane; lowest address */
    uint32_t extent, odd;    /* distance from the lowest to the highest; OR of all addresses */
    uint32_t rel[EMU_LANES]; /* address minus the lowest one */
} span_t;

EMU_INLINE bool span_in(const emu_place_t *p, bool wide, bool uwide, uint32_t mask, span_t *s)
{
    const unsigned f = (unsigned)__builtin_ctz(mask);
    const uint32_t first = emu_low_word(p, f), high = emu_high_word(p, f, wide, uwide);
    uint32_t apart = 0, least = EMU_ALL, most = 0, odd = 0;

    for (unsigned k = 0; k < EMU_LANES; k++) {
        uint32_t m = emu_lane(mask, k), x = emu_merge(m, emu_low_word(p, k), first);
        apart |= (emu_high_word(p, k, wide, uwide) ^ high) & m;
        odd |= x;
        least = x < least ? x : least;
        most = x > most ? x : most;
        s->rel[k] = x;
    }
    for (unsigned k = 0; k < EMU_LANES; k++)
        s->rel[k] -= least;
    s->first = (uint64_t)high << 32 | first;
    s->low = (uint64_t)high << 32 | least;
    s->extent = most - least;
    s->odd = odd;
    return apart == 0 && s->extent < 1u << 31;
}

/* False: the addresses are too far apart. */
EMU_INLINE bool make_span(const emu_warp_t *w, const emu_uop_t *u, uint32_t mask, span_t *s)
{
    const emu_place_t p = emu_place_of(w, u);

    if (p.wide)
        return span_in(&p, true, false, mask, s);
    return p.uwide ? span_in(&p, false, true, mask, s) : span_in(&p, false, false, mask, s);
}

/* Whether the place of each lane, shifted by offset in device memory, is on a legal page. */
EMU_INLINE bool legal_pages(const emu_mem_t *m, const span_t *s, uint64_t offset, unsigned width)
{
    unsigned shift = m->page_shift;

    if (offset >> shift == (offset + s->extent + width - 1) >> shift)
        return m->pages[offset >> shift] != 0;
    for (int k = 0; k < EMU_LANES; k++)
        if (m->pages[(offset + s->rel[k]) >> shift] == 0)
            return false;
    return true;
}

EMU_INLINE uint8_t *span_in_global(const emu_warp_t *w, const span_t *s, unsigned width)
{
    const emu_mem_t *m = w->grid->launch->mem;
    uint64_t offset = s->low - m->base, size = (uint64_t)s->extent + width;

    if (offset >= m->bytes || size > m->bytes - offset || !legal_pages(m, s, offset, width))
        return NULL;
    return m->host + offset;
}

/*
 * Host address of the lowest place if all active lanes access legal, aligned places in one space;
 * NULL: an unusual case, which is handled lane by lane.
 */
EMU_INLINE uint8_t *span_host(const emu_warp_t *w, const emu_uop_t *u, span_t *s)
{
    uint64_t end = s->low + s->extent + u->width;

    if ((s->odd & (u->width - 1u)) != 0)
        return NULL;
    switch (u->inst->space) {
    case MEM_GLOBAL:
        return span_in_global(w, s, u->width);
    case MEM_GENERIC:
        if (s->low - EMU_SHARED_BASE < EMU_WINDOW || s->low - EMU_LOCAL_BASE < EMU_WINDOW)
            return NULL;
        return span_in_global(w, s, u->width);
    case MEM_SHARED:
        return end <= w->grid->shared_bytes ? w->block->shared + s->low : NULL;
    case MEM_LOCAL:
        if (end > w->grid->local_bytes || s->low < w->grid->local_floor)
            return NULL;
        for (uint32_t k = 0; k < EMU_LANES; k++)
            s->rel[k] += k * w->grid->local_bytes;
        return w->local + s->low;
    default:
        return NULL;
    }
}

/* Records the addresses in the trace, in the most compact form that holds them. */
EMU_INLINE void record_span(emu_warp_t *w, const emu_uop_t *u, const span_t *s, uint32_t mask)
{
    uint32_t d[EMU_LANES], bent = 0, n = EMU_LANES;
    uint64_t *out = emu_record_room(w, u);

    if (out == NULL)
        return;
    const uint32_t from = (uint32_t)(s->first - s->low);
    for (int k = 0; k < EMU_LANES; k++)
        d[k] = s->rel[k] - from;
    if (mask != EMU_ALL) {
        n = 0;
        for (uint32_t left = mask; left != 0; left &= left - 1)
            d[n++] = d[__builtin_ctz(left)];
        for (uint32_t k = n; k < EMU_LANES; k++)
            d[k] = 0;
    }
    const uint32_t stride = n > 1 ? d[1] : 0;
    for (uint32_t k = 1; k < n; k++)
        bent |= (d[k] - d[k - 1]) ^ stride;
    emu_record_deltas(w, u, s->first, d, n, bent == 0);
}

/* Loads n consecutive words for every lane. */
EMU_INLINE void gather(const uint8_t *p, const uint32_t rel[EMU_LANES], unsigned n,
                       uint32_t v[][EMU_LANES])
{
    if (n == 1) {
        for (unsigned k = 0; k < EMU_LANES; k += 4) {
            uint32_t x[4];
            for (unsigned i = 0; i < 4; i++)
                memcpy(&x[i], p + rel[k + i], sizeof(x[i]));
            emu_put4(v[0] + k, x[0], x[1], x[2], x[3]);
        }
        return;
    }
    if (n == 4) {
        for (unsigned k = 0; k < EMU_LANES; k += 4)
            emu_transpose4(p, rel + k, v[0] + k);
        return;
    }
    uint32_t words[EMU_LANES][2];
    for (unsigned k = 0; k < EMU_LANES; k++)
        memcpy(words[k], p + rel[k], sizeof(words[k]));
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < EMU_LANES; k++)
            v[i][k] = words[k][i];
}

/* Loads words from places that have been checked. */
EMU_INLINE void load_span(emu_warp_t *w, const emu_uop_t *u, const uint8_t *from, const span_t *s,
                          unsigned n, uint32_t mask)
{
    uint32_t v[4][EMU_LANES];

    if (mask == EMU_ALL) {
        gather(from, s->rel, n, (uint32_t(*)[EMU_LANES])(w->r + u->d));
        return;
    }
    gather(from, s->rel, n, v);
    for (unsigned i = 0; i < n; i++)
        emu_put(w, u->d + EMU_LANES * i, v[i], mask);
}

/* The same for bytes, or pairs of bytes. */
EMU_INLINE void load_small_span(emu_warp_t *w, const emu_uop_t *u, const uint8_t *from,
                                const span_t *s, unsigned width, uint32_t mask)
{
    uint32_t v[EMU_LANES];

    for (unsigned k = 0; k < EMU_LANES; k++)
        v[k] = emu_small_value(from + s->rel[k], width, u->is_signed);
    emu_put(w, u->d, v, mask);
}

EMU_HOT static bool span_load(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    span_t s;

    if (!make_span(w, u, mask, &s))
        return false;
    const span_t seen = s;
    const uint8_t *from = span_host(w, u, &s);
    if (from == NULL)
        return false;
    if (w->grid->tracing)
        record_span(w, u, &seen, mask);
    if (u->width == 1)
        load_small_span(w, u, from, &s, 1, mask);
    else if (u->width == 2)
        load_small_span(w, u, from, &s, 2, mask);
    else if (u->width == 4)
        load_span(w, u, from, &s, 1, mask);
    else if (u->width == 8)
        load_span(w, u, from, &s, 2, mask);
    else
        load_span(w, u, from, &s, 4, mask);
    return true;
}

EMU_HOT static bool span_store(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *v = emu_src(w, u, 0);
    span_t s;

    if (!make_span(w, u, mask, &s))
        return false;
    const span_t seen = s;
    uint8_t *to = span_host(w, u, &s);
    if (to == NULL)
        return false;
    if (w->grid->tracing)
        record_span(w, u, &seen, mask);
    for (uint32_t left = u->width < 4 ? mask : 0; left != 0; left &= left - 1) {
        const int k = __builtin_ctz(left);
        memcpy(to + s.rel[k], &v[k], u->width == 1 ? 1 : 2);
    }
    for (unsigned i = 0; i < u->width / 4u; i++, to += 4, v += EMU_LANES)
        if (mask == EMU_ALL)
            for (int k = 0; k < EMU_LANES; k++)
                memcpy(to + s.rel[k], &v[k], sizeof(v[k]));
        else
            for (uint32_t left = mask; left != 0; left &= left - 1) {
                int k = __builtin_ctz(left);
                memcpy(to + s.rel[k], &v[k], sizeof(v[k]));
            }
    return true;
}

EMU_HOT uint8_t *emu_span(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, uint32_t rel[EMU_LANES])
{
    span_t s;

    if (!make_span(w, u, mask, &s))
        return NULL;
    const span_t seen = s;
    uint8_t *host = span_host(w, u, &s);
    if (host != NULL && w->grid->tracing)
        record_span(w, u, &seen, mask);
    memcpy(rel, s.rel, sizeof(s.rel));
    return host;
}

static void record(emu_warp_t *w, const emu_uop_t *u, const uint64_t a[EMU_LANES], uint32_t mask)
{
    if (w->grid->tracing)
        emu_record_addresses(w, u, a, mask);
}

/* --- loads and stores ------------------------------------------------------------------------ */

static void load_lane(emu_warp_t *w, const emu_uop_t *u, int k, const uint8_t *p)
{
    if (u->width < 4) {
        w->r[u->d + (uint32_t)k] = emu_small_value(p, u->width, u->is_signed);
        return;
    }
    for (unsigned i = 0; i < u->width / 4u; i++)
        memcpy(&w->r[u->d + EMU_LANES * i + (uint32_t)k], p + 4 * (size_t)i, 4);
}

static void load(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint64_t a[EMU_LANES];

    if (emu_simple_load(w, u, mask) || span_load(w, u, mask))
        return;
    addresses(w, u, a);
    record(w, u, a, mask);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        int k = __builtin_ctz(left);
        const uint8_t *p = emu_resolve(w, u, u->inst->space, (unsigned)k, a[k], u->width);
        if (p == NULL)
            return;
        load_lane(w, u, k, p);
    }
}

static void store_lane(const uint32_t *s, const emu_uop_t *u, int k, uint8_t *p)
{
    if (u->width < 4) {
        memcpy(p, &s[k], u->width);
        return;
    }
    for (unsigned i = 0; i < u->width / 4u; i++)
        memcpy(p + 4 * (size_t)i, &s[EMU_LANES * i + (unsigned)k], 4);
}

static void store(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *s = emu_src(w, u, 0);
    uint64_t a[EMU_LANES];

    if (emu_simple_store(w, u, mask) || span_store(w, u, mask))
        return;
    addresses(w, u, a);
    record(w, u, a, mask);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        int k = __builtin_ctz(left);
        uint8_t *p = emu_resolve(w, u, u->inst->space, (unsigned)k, a[k], u->width);
        if (p == NULL)
            return;
        store_lane(s, u, k, p);
    }
}

/* --- others ---------------------------------------------------------------------------------- */

/* Records 32-bit addresses in the trace. */
EMU_HOT static void record_shared(emu_warp_t *w, const emu_uop_t *u, const uint64_t a[EMU_LANES],
                                  uint32_t mask)
{
    span_t s = {.first = a[__builtin_ctz(mask)]};

    for (unsigned k = 0; k < EMU_LANES; k++)
        s.rel[k] = (uint32_t)a[k];
    record_span(w, u, &s, mask);
}

/*
 * LDSM: 8x8 matrices of 16-bit values from shared memory. Lanes 8i to 8i + 7 provide the row
 * addresses of matrix i; each lane gets two adjacent values of row lane / 4 (.MT88: of a
 * column).
 */
static void load_matrix(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint64_t a[EMU_LANES];
    uint16_t rows[8][8];
    uint32_t r[EMU_LANES];

    addresses(w, u, a);
    if (w->grid->tracing)
        record_shared(w, u, a, mask);
    for (unsigned m = 0; m < u->width / 4u; m++) {
        for (unsigned i = 0; i < 8; i++) {
            uint64_t at = a[8 * m + i];
            const uint8_t *p = at % 16 == 0 && at + 16 <= w->grid->shared_bytes
                                   ? w->block->shared + at
                                   : emu_resolve(w, u, MEM_SHARED, 8 * m + i, at, 16);
            if (p == NULL)
                return;
            memcpy(rows[i], p, 16);
        }
        memcpy(r, rows, sizeof(r));
        for (unsigned k = 0; k < EMU_LANES && u->select; k++) {
            unsigned row = k / 4, col = 2 * (k % 4);
            r[k] = rows[col][row] | (uint32_t)rows[col + 1][row] << 16;
        }
        emu_put(w, u->d + EMU_LANES * m, r, mask);
    }
}

/* QSPC: whether a generic address is in a space. */
static void query_space(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint64_t a[EMU_LANES];
    uint32_t r[EMU_LANES], bits = 0;

    addresses(w, u, a);
    for (int k = 0; k < EMU_LANES; k++) {
        bool shared = a[k] - EMU_SHARED_BASE < EMU_WINDOW;
        bool local = a[k] - EMU_LOCAL_BASE < EMU_WINDOW;
        bool is = u->select == 0 ? !shared && !local : u->select == 1 ? local : shared;
        bits |= (uint32_t)is << k;
        r[k] = is;
    }
    emu_put(w, u->d, r, mask);
    emu_set_pred(w, u->pd[0], bits, mask);
}

bool emu_bind_access(const sass_inst_t *in, emu_uop_t *u)
{
    unsigned size = sass_bits(in, 73, 3);

    u->kind = UOP_ACCESS;
    u->is_signed = size == 1 || size == 3;
    switch (in->op) {
    case SASS_LD:
    case SASS_LDG:
    case SASS_LDL:
    case SASS_LDS:
        u->fn = load;
        return u->width != 0;
    case SASS_ST:
    case SASS_STG:
    case SASS_STL:
    case SASS_STS:
        u->fn = store;
        return u->width != 0;
    case SASS_LDSM:
        u->select = (uint8_t)sass_bits(in, 78, 1);
        u->fn = load_matrix;
        return u->width != 0;
    case SASS_QSPC:
        u->select = (uint8_t)sass_bits(in, 73, 2); /* G, L, S */
        u->fn = query_space;
        return u->select < 3;
    default:
        return false;
    }
}
