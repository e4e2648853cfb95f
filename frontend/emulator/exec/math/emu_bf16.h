/* The format bf16: the upper half of a 32-bit float. */
#ifndef RUBATO_EMU_BF16_H
#define RUBATO_EMU_BF16_H

#include "frontend/emulator/exec/math/emu_float.h"
#include "frontend/emulator/exec/math/emu_round.h"

/* Rounds to nearest, or towards 0; NaN becomes 0x7fff. */
static inline uint32_t emu_float_to_bf16(uint32_t bits, bool truncate)
{
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff;
    return truncate ? bits >> 16 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* The same in any rounding mode (emu_round.h). */
static inline uint32_t emu_round_to_bf16(uint32_t bits, unsigned mode)
{
    const bool away = mode == (bits >> 31 ? (unsigned)EMU_RM : (unsigned)EMU_RP);

    if (mode == EMU_RN || (bits & 0x7fffffffu) >= 0x7f800000u)
        return emu_float_to_bf16(bits, mode != EMU_RN);
    return (bits + (away ? 0xffff : 0)) >> 16;
}

/* The value of the 16 bits of v at a bit (0 or 16). */
static inline float emu_bf16_to_float(uint32_t v, unsigned at)
{
    return emu_float(at == 0 ? v << 16 : v & 0xffff0000u);
}

#endif
