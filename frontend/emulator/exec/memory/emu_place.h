/* Addresses of a memory instruction as 32-bit words, for loops over the lanes. */
#ifndef RUBATO_EMU_PLACE_H
#define RUBATO_EMU_PLACE_H

#include "frontend/emulator/exec/emu_state.h"

/* The parts of an address: a lane's register or register pair, and a common addend. */
typedef struct {
    const uint32_t *a;
    uint32_t shift;     /* of the register: log2 of its scale */
    uint32_t low, high; /* addend */
    bool wide, uwide;   /* the register is a pair; the addend has 64 bits */
} emu_place_t;

EMU_INLINE emu_place_t emu_place_of(const emu_warp_t *w, const emu_uop_t *u)
{
    const uint32_t *uniform = emu_ref(w, u->uaddr);
    uint64_t base = (uint64_t)u->offset + uniform[0];

    if (u->uwide)
        base += (uint64_t)uniform[EMU_LANES] << 32;
    return (emu_place_t){.a = emu_ref(w, u->addr),
                         .shift = u->wide ? 0 : u->log_scale,
                         .low = (uint32_t)base,
                         .high = (uint32_t)(base >> 32),
                         .wide = u->wide,
                         .uwide = u->uwide};
}

EMU_INLINE uint32_t emu_low_word(const emu_place_t *p, unsigned k)
{
    return (p->a[k] << p->shift) + p->low;
}

EMU_INLINE uint32_t emu_high_word(const emu_place_t *p, unsigned k, bool wide, bool uwide)
{
    uint32_t sum = (wide ? p->a[k + EMU_LANES] : 0) + p->high;

    return wide || uwide ? sum + (emu_low_word(p, k) < p->low) : 0;
}

/* A byte (width 1) or two bytes, extended to 32 bits. */
EMU_INLINE uint32_t emu_small_value(const uint8_t *p, unsigned width, bool is_signed)
{
    uint16_t half;

    if (width == 1)
        return is_signed ? (uint32_t)(int8_t)*p : *p;
    memcpy(&half, p, sizeof(half));
    return is_signed ? (uint32_t)(int16_t)half : half;
}

/*
 * Executes a load or store whose active lanes access one address, or consecutive addresses in lane
 * order; or each half of the warp does, with all lanes active. False: the access has another form
 * or may fault; nothing has been done.
 */
bool emu_simple_load(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);
bool emu_simple_store(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

#endif
