/*
 * Copies from global to shared memory that pass no registers (LDGSTS), and barriers in shared memory
 * (PTX ISA, cp.async and mbarrier). A copy is done at once, which is one of the orders that the
 * hardware may choose; so waiting for copies does nothing.
 */
#include "frontend/emulator/exec/emu_state.h"

/* --- copies ---------------------------------------------------------------------------------- */

static uint64_t target_of(const emu_warp_t *w, const emu_uop_t *u, unsigned k)
{
    return emu_src(w, u, 0)[k] + emu_src(w, u, 1)[0] + u->imm;
}

void emu_copy_zeros(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const unsigned k = (unsigned)__builtin_ctz(left);
        uint8_t *to = emu_resolve(w, u, MEM_SHARED, k, target_of(w, u, k), u->width);
        if (to == NULL)
            return;
        memset(to, 0, u->width);
    }
}

/* The whole width in all lanes, from places that are known to be legal. */
static bool copy_span(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t rel[EMU_LANES];
    const uint8_t *from = emu_span(w, u, mask, rel);

    if (from == NULL)
        return false;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const unsigned k = (unsigned)__builtin_ctz(left);
        uint8_t *to = emu_resolve(w, u, MEM_SHARED, k, target_of(w, u, k), u->width);
        if (to == NULL)
            return true;
        memcpy(to, from + rel[k], u->width);
    }
    return true;
}

/* With .ZFILL, the distance of the address from a multiple of the width is the number of bytes at
 * the end that become 0. */
static void copy(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const unsigned odd = u->select ? u->width - 1u : 0;
    uint64_t a[EMU_LANES];

    if (!u->select && copy_span(w, u, mask))
        return;
    emu_addresses(w, u, a);
    uint32_t zeros[EMU_LANES];
    for (unsigned k = 0; k < EMU_LANES; k++) {
        zeros[k] = (uint32_t)a[k] & odd;
        a[k] -= zeros[k];
    }
    if (w->grid->tracing)
        emu_record_addresses(w, u, a, mask);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const unsigned k = (unsigned)__builtin_ctz(left);
        const uint8_t *from = emu_resolve(w, u, MEM_GLOBAL, k, a[k], u->width);
        uint8_t *to =
            from != NULL ? emu_resolve(w, u, MEM_SHARED, k, target_of(w, u, k), u->width) : NULL;
        if (to == NULL)
            return;
        memcpy(to, from, u->width - zeros[k]);
        memset(to + u->width - zeros[k], 0, zeros[k]);
    }
}

/* --- barriers in shared memory --------------------------------------------------------------- */

/*
 * As ptxas initialises it for n threads: the lower word has 2^30 - n, the upper one 2^31 - n, which
 * counts arrivals; bit 31 is the phase. Threads that drop out are added to the lower word.
 */
enum { COUNT_BITS = 31, EXPECTED_BITS = 30 };

static uint64_t after_arrival(uint64_t state)
{
    const uint32_t expected = (uint32_t)state & ((1u << EXPECTED_BITS) - 1);
    uint32_t count = (uint32_t)(state >> 32) + 1;

    if ((count & ((1u << COUNT_BITS) - 1)) == 0) /* the last one: the next phase begins */
        count |= 1u << EXPECTED_BITS | expected;
    return (uint64_t)count << 32 | (uint32_t)state;
}

/* ATOMS.ARRIVE.64 returns the state before; ARRIVES arrives when the thread's copies are done. */
static void arrive(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint64_t a[EMU_LANES], before[EMU_LANES] = {0};

    emu_addresses(w, u, a);
    if (w->grid->tracing)
        emu_record_addresses(w, u, a, mask);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const unsigned k = (unsigned)__builtin_ctz(left);
        uint8_t *p = emu_resolve(w, u, MEM_SHARED, k, a[k], 8);
        if (p == NULL)
            return;
        memcpy(&before[k], p, 8);
        const uint64_t after = after_arrival(before[k]);
        memcpy(p, &after, 8);
    }
    if (u->sass->op == SASS_ATOMS_ARRIVE)
        emu_put_u64(w, u->d, before, mask);
}

/* ATOMS.POPC.INC.32: adds 1 for each thread. */
static void count(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint64_t a[EMU_LANES];
    uint32_t before[EMU_LANES] = {0};

    emu_addresses(w, u, a);
    if (w->grid->tracing)
        emu_record_addresses(w, u, a, mask);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const unsigned k = (unsigned)__builtin_ctz(left);
        uint8_t *p = emu_resolve(w, u, MEM_SHARED, k, a[k], 4);
        if (p == NULL)
            return;
        memcpy(&before[k], p, 4);
        const uint32_t after = before[k] + 1;
        memcpy(p, &after, 4);
    }
    emu_put(w, u->d, before, mask);
}

bool emu_bind_copy(const sass_inst_t *in, emu_uop_t *u)
{
    u->kind = UOP_ACCESS;
    switch (in->op) {
    case SASS_LDGSTS:
        u->select = (uint8_t)sass_bits(in, 82, 1);
        u->fn = copy;
        return u->width >= 4;
    case SASS_ATOMS_ARRIVE:
        u->fn = arrive;
        return u->width == 8;
    case SASS_ARRIVES:
        u->fn = arrive;
        return true;
    case SASS_ATOMS_COUNT:
        u->fn = count;
        return u->width == 4;
    default:
        return false;
    }
}
