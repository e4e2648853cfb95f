/*
 * Atomics and reductions, lane by lane in lane order. If other host threads execute blocks of the
 * launch, they are atomic for these, too.
 */
#include <math.h>

#include "frontend/emulator/exec/emu_state.h"
#include "frontend/emulator/exec/math/emu_half.h"

/* Operations and types in the order of the encoding. */
enum { OP_ADD, OP_MIN, OP_MAX, OP_INC, OP_DEC, OP_AND, OP_OR, OP_XOR, OP_EXCH, OP_CAS, OP_CAST };
enum { TYPE_U32, TYPE_S32, TYPE_U64, TYPE_F32, TYPE_F16X2, TYPE_S64, TYPE_F64 };

static uint64_t add_floats(uint64_t x, uint64_t y, unsigned type)
{
    if (type == TYPE_F32) {
        uint32_t a = (uint32_t)x, b = (uint32_t)y;
        float f, g;
        memcpy(&f, &a, 4);
        memcpy(&g, &b, 4);
        f += g;
        memcpy(&a, &f, 4);
        return isnan(f) ? 0x7fffffffu : (a & 0x7f800000u) == 0 ? a & 0x80000000u : a; /* .FTZ */
    }
    if (type == TYPE_F16X2) {
        uint64_t r = 0;
        for (unsigned i = 0; i < 32; i += 16)
            r |= (uint64_t)emu_double_to_half(
                     emu_half_to_double(x >> i & 0xffff) + emu_half_to_double(y >> i & 0xffff), 0)
                 << i;
        return r;
    }
    double d, e;
    memcpy(&d, &x, 8);
    memcpy(&e, &y, 8);
    d += e;
    memcpy(&x, &d, 8);
    return x;
}

static bool less(uint64_t x, uint64_t y, unsigned type)
{
    if (type == TYPE_S32)
        return (int32_t)x < (int32_t)y;
    return type == TYPE_S64 ? (int64_t)x < (int64_t)y : x < y;
}

static bool is_float(unsigned type)
{
    return type == TYPE_F32 || type == TYPE_F16X2 || type == TYPE_F64;
}

/* The new value for a memory location that holds old. */
static uint64_t combine(const emu_uop_t *u, uint64_t old, uint64_t x, uint64_t y)
{
    switch (u->select) {
    case OP_ADD:
        return is_float(u->imm) ? add_floats(old, x, u->imm) : old + x;
    case OP_MIN:
        return less(x, old, u->imm) ? x : old;
    case OP_MAX:
        return less(old, x, u->imm) ? x : old;
    case OP_INC:
        return old >= x ? 0 : old + 1;
    case OP_DEC:
        return old == 0 || old > x ? x : old - 1;
    case OP_AND:
        return old & x;
    case OP_OR:
        return old | x;
    case OP_XOR:
        return old ^ x;
    case OP_EXCH:
        return x;
    default: /* CAS */
        return old == x ? y : old;
    }
}

/* Whether other threads may access this memory at the same time. */
static bool is_shared(const emu_warp_t *w, const emu_uop_t *u)
{
    return w->grid->parallel && u->inst->space != MEM_SHARED;
}

/* Changes u->width bytes of memory at p; returns the old value. */
static uint64_t change(const emu_warp_t *w, const emu_uop_t *u, uint8_t *p, uint64_t x, uint64_t y)
{
    if (u->width == 8) {
        emu_long_t *at = (emu_long_t *)(void *)p;
        uint64_t old = is_shared(w, u) ? __atomic_load_n(at, __ATOMIC_RELAXED) : *at;
        if (!is_shared(w, u))
            *at = combine(u, old, x, y);
        else
            while (!__atomic_compare_exchange_n(at, &old, combine(u, old, x, y), true,
                                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
                continue;
        return old;
    }
    emu_word_t *at = (emu_word_t *)(void *)p;
    uint32_t old = is_shared(w, u) ? __atomic_load_n(at, __ATOMIC_RELAXED) : *at;
    if (!is_shared(w, u))
        *at = (uint32_t)combine(u, old, x, y);
    else
        while (!__atomic_compare_exchange_n(at, &old, (uint32_t)combine(u, old, x, y), true,
                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            continue;
    return old;
}

static uint64_t operand(const emu_warp_t *w, const emu_uop_t *u, unsigned i, int k)
{
    const uint32_t *s = emu_src(w, u, i);

    return u->width == 8 ? emu_u64(s, k) : s[k];
}

/* Host address of a lane's place. Shared memory, the usual case, needs no call. */
static uint8_t *place(emu_warp_t *w, const emu_uop_t *u, int k, uint64_t addr)
{
    if (u->inst->space == MEM_SHARED && addr % u->width == 0 &&
        addr + u->width <= w->grid->shared_bytes)
        return w->block->shared + addr;
    return emu_resolve(w, u, u->inst->space, (unsigned)k, addr, u->width);
}

/* Adds to words at places that have been checked. */
static void add_at(const emu_warp_t *w, const emu_uop_t *u, uint8_t *p,
                   const uint32_t rel[EMU_LANES], uint32_t mask, uint32_t old[EMU_LANES])
{
    const uint32_t *x = emu_src(w, u, 0);

    if (is_shared(w, u)) {
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            int k = __builtin_ctz(left);
            old[k] = __atomic_fetch_add((emu_word_t *)(void *)(p + rel[k]), x[k], __ATOMIC_SEQ_CST);
        }
    } else if (mask == EMU_ALL) {
        for (int k = 0; k < EMU_LANES; k++) {
            emu_word_t *at = (emu_word_t *)(void *)(p + rel[k]);
            old[k] = *at;
            *at = old[k] + x[k];
        }
    } else {
        for (uint32_t left = mask; left != 0; left &= left - 1) {
            int k = __builtin_ctz(left);
            emu_word_t *at = (emu_word_t *)(void *)(p + rel[k]);
            old[k] = *at;
            *at = old[k] + x[k];
        }
    }
}

/* Whether a generic address is in shared or local memory, which have no generic atomics. */
static bool in_window(const emu_uop_t *u, uint64_t addr)
{
    return u->inst->space == MEM_GENERIC &&
           (addr - EMU_SHARED_BASE < EMU_WINDOW || addr - EMU_LOCAL_BASE < EMU_WINDOW);
}

/*
 * If the instruction writes a predicate, the hardware leaves generic atomics on shared and local
 * memory to the code: nothing is done there, and the predicate is true in the other lanes.
 */
static uint32_t lanes_done(emu_warp_t *w, const emu_uop_t *u, const uint64_t a[EMU_LANES],
                           uint32_t mask)
{
    uint32_t done = mask;

    if (u->pd[0] == EMU_PRED_SINK)
        return mask;
    for (uint32_t left = mask; left != 0; left &= left - 1)
        if (in_window(u, a[__builtin_ctz(left)]))
            done &= ~(left & (0u - left));
    emu_set_pred(w, u->pd[0], done, mask);
    return done;
}

static void atomic(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint64_t a[EMU_LANES], result[EMU_LANES] = {0};
    bool cas = u->select == OP_CAS || u->select == OP_CAST;
    uint32_t low[EMU_LANES] = {0};

    emu_addresses(w, u, a);
    if (w->grid->tracing)
        emu_record_addresses(w, u, a, mask);
    mask = lanes_done(w, u, a, mask);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        int k = __builtin_ctz(left);
        uint8_t *p = place(w, u, k, a[k]);
        if (p == NULL)
            return;
        uint64_t x = operand(w, u, 0, k), old = change(w, u, p, x, cas ? operand(w, u, 1, k) : 0);
        result[k] = u->select == OP_CAST ? old == x : old;
    }
    if (u->inst->access == ACC_REDUCTION)
        return;
    if (u->width == 8) {
        emu_put_u64(w, u->d, result, mask);
        return;
    }
    for (int k = 0; k < EMU_LANES; k++)
        low[k] = (uint32_t)result[k];
    emu_put(w, u->d, low, mask);
}

/* 32-bit integer addition, for which no operation is selected lane by lane. */
static void add_words(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t rel[EMU_LANES], old[EMU_LANES];
    uint8_t *p = emu_span(w, u, mask, rel);

    if (p == NULL) {
        atomic(w, u, mask);
        return;
    }
    if (mask != EMU_ALL)
        memset(old, 0, sizeof(old));
    add_at(w, u, p, rel, mask, old);
    if (u->inst->access != ACC_REDUCTION)
        emu_put(w, u->d, old, mask);
}

bool emu_bind_atomic(const sass_inst_t *in, emu_uop_t *u)
{
    unsigned op = sass_bits(in, 87, in->op == SASS_RED ? 3 : 4);

    u->kind = UOP_ACCESS;
    u->imm = sass_bits(in, 73, in->op == SASS_ATOMS || in->op == SASS_ATOMS_CAS ? 2 : 3);
    u->fn = atomic;
    switch (in->op) {
    case SASS_ATOM_CAS:
    case SASS_ATOMG_CAS:
        op = OP_CAS;
        break;
    case SASS_ATOMS_CAS:
        op = sass_bits(in, 87, 1) ? OP_CAST : OP_CAS;
        break;
    case SASS_ATOM:
    case SASS_ATOMG:
    case SASS_ATOMS:
    case SASS_RED:
        if (op > OP_EXCH)
            return false;
        break;
    default:
        return false;
    }
    u->select = (uint8_t)op;
    if (op == OP_ADD && u->width == 4 && !is_float(u->imm) && u->pd[0] == EMU_PRED_SINK)
        u->fn = add_words;
    if ((op == OP_CAS || op == OP_CAST) && u->imm != TYPE_U32 && u->imm != TYPE_U64)
        return false;
    return (u->width == 4 || u->width == 8) && (!is_float(u->imm) || op == OP_ADD || op >= OP_EXCH);
}
