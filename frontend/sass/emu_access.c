/* Loads and stores of global, shared, local and generic memory. */
#include "frontend/sass/emu_state.h"

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

    if (offset > size || width > size - offset) {
        emu_fault(w, u,
                  "lane %u: local memory has %u bytes per thread, but the access is to 0x%llx "
                  "(a stack overflow?)",
                  lane, size, (unsigned long long)offset);
        return NULL;
    }
    return w->local + (size_t)lane * size + offset;
}

uint8_t *emu_resolve(emu_warp_t *w, const emu_uop_t *u, unsigned space, unsigned lane,
                     uint64_t addr, unsigned width)
{
    if (addr % width != 0) {
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
        emu_fault(w, u, "lane %u: address 0x%llx is in no allocation", lane,
                  (unsigned long long)addr);
    return p;
}

/* Whether all addresses of the lanes in mask lie on one legal page, or each on one. */
static bool legal_pages(const emu_mem_t *m, const uint64_t offset[EMU_LANES], uint64_t low,
                        uint64_t high)
{
    unsigned shift = m->page_shift;

    if (low >> shift == high >> shift)
        return m->pages[low >> shift] != 0;
    for (int k = 0; k < EMU_LANES; k++)
        if (m->pages[offset[k] >> shift] == 0)
            return false;
    return true;
}

/*
 * The usual case: all active lanes access legal, aligned places of global or shared memory. Then
 * offset[k] is the place relative to the result; lanes that are not active have that of an active
 * one. NULL: something is special, go lane by lane.
 */
EMU_HOT static uint8_t *usual_access(const emu_warp_t *w, const emu_uop_t *u,
                                     const uint64_t a[EMU_LANES], uint32_t mask,
                                     uint64_t offset[EMU_LANES])
{
    const emu_mem_t *m = w->grid->launch->mem;
    bool global = u->inst->space == MEM_GLOBAL;
    uint64_t base = global ? m->base : 0, low = UINT64_MAX, high = 0, odd = 0;
    uint64_t size = global ? m->bytes : w->grid->shared_bytes, any = a[__builtin_ctz(mask)] - base;
    uint32_t active[EMU_LANES];

    if (!global && u->inst->space != MEM_SHARED)
        return NULL;
    emu_expand(mask, active);
    for (int k = 0; k < EMU_LANES; k++) {
        offset[k] = active[k] ? a[k] - base : any;
        odd |= offset[k];
        low = offset[k] < low ? offset[k] : low;
        high = offset[k] > high ? offset[k] : high;
    }
    if ((odd & (u->width - 1u)) != 0 || size < u->width || high > size - u->width)
        return NULL;
    if (!global)
        return w->block->shared;
    return legal_pages(m, offset, low, high) ? m->host : NULL;
}

static void record(emu_warp_t *w, const emu_uop_t *u, const uint64_t a[EMU_LANES], uint32_t mask)
{
    if (w->grid->tracing)
        emu_record_addresses(w, u, a, mask);
}

/* --- loads ----------------------------------------------------------------------------------- */

static uint32_t small_value(const uint8_t *p, unsigned width, bool is_signed)
{
    uint16_t half;

    if (width == 1)
        return is_signed ? (uint32_t)(int8_t)*p : *p;
    memcpy(&half, p, sizeof(half));
    return is_signed ? (uint32_t)(int16_t)half : half;
}

static void load_lane(emu_warp_t *w, const emu_uop_t *u, int k, const uint8_t *p)
{
    if (u->width < 4) {
        w->r[u->d + (uint32_t)k] = small_value(p, u->width, u->is_signed);
        return;
    }
    for (unsigned i = 0; i < u->width / 4u; i++)
        memcpy(&w->r[u->d + EMU_LANES * i + (uint32_t)k], p + 4 * (size_t)i, 4);
}

/* Words of all lanes from checked places. */
EMU_HOT static void load_words(emu_warp_t *w, const emu_uop_t *u, const uint8_t *from,
                               const uint64_t offset[EMU_LANES], uint32_t mask)
{
    uint32_t v[EMU_LANES];

    for (unsigned i = 0; i < u->width / 4u; i++) {
        for (int k = 0; k < EMU_LANES; k++)
            memcpy(&v[k], from + offset[k] + 4 * (size_t)i, 4);
        emu_put(w, u->d + EMU_LANES * i, v, mask);
    }
}

static void load(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint64_t a[EMU_LANES], offset[EMU_LANES];

    addresses(w, u, a);
    record(w, u, a, mask);
    const uint8_t *from = u->width >= 4 ? usual_access(w, u, a, mask, offset) : NULL;
    if (from != NULL) {
        load_words(w, u, from, offset, mask);
        return;
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        int k = __builtin_ctz(left);
        const uint8_t *p = emu_resolve(w, u, u->inst->space, (unsigned)k, a[k], u->width);
        if (p == NULL)
            return;
        load_lane(w, u, k, p);
    }
}

/* --- stores ---------------------------------------------------------------------------------- */

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
    uint64_t a[EMU_LANES], offset[EMU_LANES];

    addresses(w, u, a);
    record(w, u, a, mask);
    uint8_t *to = u->width >= 4 ? usual_access(w, u, a, mask, offset) : NULL;
    if (to != NULL) {
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            int k = __builtin_ctz(left);
            store_lane(s, u, k, to + offset[k]);
        }
        return;
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        int k = __builtin_ctz(left);
        uint8_t *p = emu_resolve(w, u, u->inst->space, (unsigned)k, a[k], u->width);
        if (p == NULL)
            return;
        store_lane(s, u, k, p);
    }
}

/* --- others ---------------------------------------------------------------------------------- */

/*
 * LDSM: 8x8 matrices of 16-bit values from shared memory. Lanes 8i to 8i + 7 give the addresses of
 * the rows of matrix i; each lane gets two neighbours of row lane / 4 (.MT88: of a column).
 */
static void load_matrix(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint64_t a[EMU_LANES];
    uint16_t rows[8][8];
    uint32_t r[EMU_LANES];

    addresses(w, u, a);
    record(w, u, a, mask);
    for (unsigned m = 0; m < u->width / 4u; m++) {
        for (unsigned i = 0; i < 8; i++) {
            const uint8_t *p = emu_resolve(w, u, MEM_SHARED, 8 * m + i, a[8 * m + i], 16);
            if (p == NULL)
                return;
            memcpy(rows[i], p, 16);
        }
        for (unsigned k = 0; k < EMU_LANES; k++) {
            unsigned row = k / 4, col = 2 * (k % 4);
            r[k] = u->select ? rows[col][row] | (uint32_t)rows[col + 1][row] << 16
                             : rows[row][col] | (uint32_t)rows[row][col + 1] << 16;
        }
        emu_put(w, u->d + EMU_LANES * m, r, mask);
    }
}

/* QSPC: whether a generic address lies in a space. */
static void query_space(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint64_t a[EMU_LANES];
    uint32_t r[EMU_LANES], bits = 0;

    addresses(w, u, a);
    for (int k = 0; k < EMU_LANES; k++) {
        bool shared = a[k] - EMU_SHARED_BASE < EMU_WINDOW;
        bool local = a[k] - EMU_LOCAL_BASE < EMU_WINDOW;
        bool is = u->select == 0 ? shared : u->select == 1 ? local : !shared && !local;
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
        u->select = (uint8_t)sass_bits(in, 79, 2);
        u->fn = query_space;
        return u->select < 3;
    default:
        return false;
    }
}
