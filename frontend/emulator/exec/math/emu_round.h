/*
 * Sets the host's rounding mode while it computes for the device. The compiler must not move
 * arithmetic across the switches: operands are loaded and results stored between them, and both
 * switches are memory barriers.
 */
#ifndef RUBATO_EMU_ROUND_H
#define RUBATO_EMU_ROUND_H

#include <fenv.h>

/* Modes in the encoding of SASS: to nearest, down, up, to zero. */
enum { EMU_RN, EMU_RM, EMU_RP, EMU_RZ };

#ifdef __SSE__
#include <xmmintrin.h>

static inline __attribute__((always_inline)) unsigned emu_round_begin(unsigned mode)
{
    unsigned old = _mm_getcsr();

    if (mode != EMU_RN) {
        _mm_setcsr((old & ~0x6000u) | mode << 13);
        __asm__ volatile("" ::: "memory");
    }
    return mode != EMU_RN ? old : 0;
}

static inline __attribute__((always_inline)) void emu_round_end(unsigned old)
{
    if (old != 0) {
        __asm__ volatile("" ::: "memory");
        _mm_setcsr(old);
    }
}
#else
static inline unsigned emu_round_begin(unsigned mode)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

    if (mode != EMU_RN)
        fesetround(modes[mode & 3]);
    __asm__ volatile("" ::: "memory");
    return mode;
}

static inline void emu_round_end(unsigned old)
{
    __asm__ volatile("" ::: "memory");
    if (old != 0)
        fesetround(FE_TONEAREST);
}
#endif

#endif
