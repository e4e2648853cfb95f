/* Vectors with one word per lane of a warp, processed by loops that the compiler vectorises. */
#ifndef RUBATO_EMU_VECTOR_H
#define RUBATO_EMU_VECTOR_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "sim/core/clones.h"

enum { EMU_LANES = 32 };

#define EMU_ALL 0xffffffffu

/* Register values viewed as other types: may_alias lets them share storage. */
typedef float __attribute__((may_alias)) emu_f32_t;
typedef int32_t __attribute__((may_alias)) emu_s32_t;
typedef uint32_t __attribute__((may_alias)) emu_word_t; /* in memory */
typedef uint64_t __attribute__((may_alias)) emu_long_t;

/* Attributes of handlers, and of functions inlined into them. */
#define EMU_HOT    RB_CLONES
#define EMU_INLINE RB_CLONE_PART

/*
 * Precedes a loop over lanes: what it writes to lane k depends only on lane k of its inputs, so
 * lanes may be processed together even if a register is source and destination.
 */
#ifdef __clang__ /* clang's hint is a demand: it warns if it cannot vectorise */
#define EMU_ANY_ORDER
#else
#define EMU_ANY_ORDER _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif

static const uint32_t emu_lane_bit[EMU_LANES] __attribute__((aligned(64))) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* All ones if lane k is in mask, without a branch. */
EMU_INLINE uint32_t emu_lane(uint32_t mask, unsigned k)
{
    return 0u - (uint32_t)((mask & emu_lane_bit[k]) != 0);
}

/* Bits of a where m is one, of b elsewhere. */
EMU_INLINE uint32_t emu_merge(uint32_t m, uint32_t a, uint32_t b)
{
    return (a & m) | (b & ~m);
}

/* Sets result to the mask of lanes in which condition, an expression in lane k of registers, is
 * true. */
#define EMU_WHERE(result, condition)                                                               \
    do {                                                                                           \
        uint32_t lanes_ = 0;                                                                       \
        for (unsigned k = 0; k < EMU_LANES; k++)                                                   \
            lanes_ |= (condition) ? emu_lane_bit[k] : 0;                                           \
        (result) = lanes_;                                                                         \
    } while (0)

EMU_INLINE float emu_float(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

EMU_INLINE uint32_t emu_float_bits(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

/* All ones in the lanes of mask. */
EMU_INLINE void emu_expand(uint32_t mask, uint32_t v[EMU_LANES])
{
    for (int k = 0; k < EMU_LANES; k++)
        v[k] = emu_lane(mask, (unsigned)k);
}

/* Writes four adjacent words at once, so that a wider load right after them does not stall. */
EMU_INLINE void emu_put4(uint32_t *v, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
#ifdef __SSE2__
    _mm_storeu_si128((__m128i *)(void *)v, _mm_set_epi32((int)d, (int)c, (int)b, (int)a));
#else
    v[0] = a;
    v[1] = b;
    v[2] = c;
    v[3] = d;
#endif
}

/* Loads four words from each of four places and transposes them: word i of place j goes to
 * v[EMU_LANES * i + j]. */
EMU_INLINE void emu_transpose4(const uint8_t *p, const uint32_t place[4], uint32_t *v)
{
#ifdef __SSE2__
    __m128i x[4], low[2], high[2];

    for (int i = 0; i < 4; i++)
        x[i] = _mm_loadu_si128((const __m128i *)(const void *)(p + place[i]));
    for (int i = 0; i < 2; i++) {
        low[i] = _mm_unpacklo_epi32(x[2 * i], x[2 * i + 1]);
        high[i] = _mm_unpackhi_epi32(x[2 * i], x[2 * i + 1]);
    }
    __m128i *to = (__m128i *)(void *)v;
    _mm_storeu_si128(to, _mm_unpacklo_epi64(low[0], low[1]));
    _mm_storeu_si128(to + EMU_LANES / 4, _mm_unpackhi_epi64(low[0], low[1]));
    _mm_storeu_si128(to + 2 * EMU_LANES / 4, _mm_unpacklo_epi64(high[0], high[1]));
    _mm_storeu_si128(to + 3 * EMU_LANES / 4, _mm_unpackhi_epi64(high[0], high[1]));
#else
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            memcpy(&v[EMU_LANES * i + j], p + place[j] + 4 * i, sizeof(*v));
#endif
}

/* Bit k is set where v[k] is not 0. */
EMU_INLINE uint32_t emu_bits(const uint32_t v[EMU_LANES])
{
    uint32_t bits = 0;

#ifdef __SSE2__
    const __m128i zero = _mm_setzero_si128();
    for (int k = 0; k < EMU_LANES; k += 16) {
        __m128i c[4];
        for (int i = 0; i < 4; i++)
            c[i] = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(v + k + 4 * i)), zero);
        __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(c[0], c[1]), _mm_packs_epi32(c[2], c[3]));
        bits |= (~(uint32_t)_mm_movemask_epi8(bytes) & 0xffffu) << k;
    }
#else
    for (int k = 0; k < EMU_LANES; k++)
        bits |= (uint32_t)(v[k] != 0) << k;
#endif
    return bits;
}

/* Lane k of a 64-bit value in two vectors. */
EMU_INLINE uint64_t emu_u64(const uint32_t *v, int k)
{
    return v[k] | (uint64_t)v[k + EMU_LANES] << 32;
}

#endif
