/* Sources and results of single precision: signs, flushing of denormals, saturation, NaN. */
#ifndef RUBATO_EMU_FLOAT_H
#define RUBATO_EMU_FLOAT_H

#include "frontend/emulator/exec/emu_state.h"

/* Every NaN result has the hardware's bits. */
enum { EMU_NAN_BITS = 0x7fffffff };

/* Modifiers of the sources and the result, apart from the operation itself. */
typedef struct {
    emu_mods_t mods[3];
    uint32_t flush_below; /* smaller magnitudes become 0: denormals with .FTZ, otherwise none */
    uint32_t sat;         /* all ones: saturate to 0 .. 1 */
} emu_extras_t;

EMU_INLINE emu_extras_t emu_extras_of(const emu_uop_t *u)
{
    return (emu_extras_t){{emu_mods(u, 0), emu_mods(u, 1), emu_mods(u, 2)},
                          u->ftz ? 0x00800000u : 0,
                          u->sat ? EMU_ALL : 0};
}

EMU_INLINE uint32_t emu_flushed(const emu_extras_t *e, uint32_t bits)
{
    return (bits & 0x7fffffffu) < e->flush_below ? bits & 0x80000000u : bits;
}

/* Source i of the instruction as a float. */
EMU_INLINE float emu_source(const emu_extras_t *e, unsigned i, uint32_t bits)
{
    return emu_float(emu_flushed(e, emu_modified(&e->mods[i], bits)));
}

/* Bits of a result; a NaN has the hardware's bits. */
EMU_INLINE uint32_t emu_result_bits(float f)
{
    return f == f ? emu_float_bits(f) : (uint32_t)EMU_NAN_BITS;
}

/* The same after flushing and saturation, which turns NaN into 0. */
EMU_INLINE uint32_t emu_finished(const emu_extras_t *e, float f)
{
    uint32_t bits = emu_flushed(e, emu_result_bits(f)), within = f < 1 ? bits : 0x3f800000u;

    return emu_merge(e->sat, f > 0 ? within : 0, bits);
}

#endif
