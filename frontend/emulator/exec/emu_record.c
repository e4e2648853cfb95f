/* Records the addresses that a warp accesses. */
#include <string.h>

#include "frontend/emulator/exec/emu_state.h"
#include "sim/core/alloc.h"

/* The base that tracers add to addresses of shared and local memory. */
static uint64_t window_of(const emu_uop_t *u)
{
    return u->inst->space == MEM_SHARED  ? EMU_SHARED_BASE
           : u->inst->space == MEM_LOCAL ? EMU_LOCAL_BASE
                                         : 0;
}

uint64_t *emu_record_room(emu_warp_t *w, const emu_uop_t *u)
{
    emu_record_t *r = &w->record;

    if (u->inst->space == MEM_NONE || u->inst->width == 0)
        return NULL;
    if (r->cap_addrs - r->n_addrs < ADDR_RECORD_MAX)
        rb_grow(&r->addrs, &r->cap_addrs, r->n_addrs + ADDR_RECORD_MAX, sizeof(*r->addrs));
    return r->addrs + r->n_addrs;
}

void emu_record_affine(emu_warp_t *w, const emu_uop_t *u, uint64_t first, unsigned n,
                       uint32_t stride)
{
    uint64_t *out = emu_record_room(w, u);

    if (out == NULL)
        return;
    out[0] = addr_header(ADDR_AFFINE, n, (int32_t)stride);
    out[1] = first + window_of(u);
    w->record.n_addrs += 2;
}

void emu_record_deltas(emu_warp_t *w, const emu_uop_t *u, uint64_t first,
                       const uint32_t d[EMU_LANES], unsigned n, bool affine)
{
    uint64_t *out = emu_record_room(w, u);

    out[1] = first + window_of(u);
    if (affine) {
        out[0] = addr_header(ADDR_AFFINE, n, n > 1 ? (int32_t)d[1] : 0);
    } else {
        out[0] = addr_header(ADDR_DELTA, n, 0);
        memcpy(out + 2, d, (n + 1) / 2 * sizeof(*out));
        (void)addr_find_rows(out);
    }
    w->record.n_addrs += addr_words(out);
}

void emu_record_addresses(emu_warp_t *w, const emu_uop_t *u, const uint64_t a[EMU_LANES],
                          uint32_t mask)
{
    uint64_t active[EMU_LANES], *out = emu_record_room(w, u);
    unsigned n = 0;

    if (out == NULL)
        return;
    for (uint32_t left = mask; left != 0; left &= left - 1)
        active[n++] = window_of(u) + a[__builtin_ctz(left)];
    w->record.n_addrs += addr_pack(active, n, out);
}
