/*
 * Tensor cores on hosts with AVX-512, where the compiler's own vectors do not come near what the
 * processor can do. The layouts are those of emu_matrix.c.
 */
#include "frontend/sass/emu_matrix.h"

#ifdef __x86_64__
#include <immintrin.h>

#define WIDE        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c")))
#define WIDE_INLINE WIDE static inline
/* Loops whose values stay in registers are unrolled. */
#define UNROLL _Pragma("GCC unroll 16")

bool emu_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

WIDE_INLINE __m512d eight_halves(const void *p)
{
    return _mm512_cvtps_pd(_mm256_cvtph_ps(_mm_loadu_si128(p)));
}

/* --- Turing: 16x8 = 16x8 * 8x8 --------------------------------------------------------------- */

enum { ROWS = 16, COLUMNS = 8, DEPTH = 8 };

/* Halves of B, of which lane 4g + t has B[2t][g] and B[2t+1][g], row by row. */
#define OF_B(g, k) (8 * (g) + (k))
#define ROW_OF_B(k)                                                                                \
    OF_B(0, k), OF_B(2, k), OF_B(4, k), OF_B(6, k), OF_B(1, k), OF_B(3, k), OF_B(5, k), OF_B(7, k)
static const uint16_t order_of_b[DEPTH * COLUMNS]
    __attribute__((aligned(64))) = {ROW_OF_B(0), ROW_OF_B(1), ROW_OF_B(2), ROW_OF_B(3),
                                    ROW_OF_B(4), ROW_OF_B(5), ROW_OF_B(6), ROW_OF_B(7)};

WIDE_INLINE void rows_of_b(const uint32_t *b, uint16_t row[DEPTH][COLUMNS])
{
    const __m512i low = _mm512_loadu_si512(b), high = _mm512_loadu_si512(b + EMU_LANES / 2);

    for (unsigned k = 0; k < DEPTH; k += 4)
        _mm512_store_si512(row[k],
                           _mm512_permutex2var_epi16(
                               low, _mm512_load_si512(order_of_b + (size_t)COLUMNS * k), high));
}

/* Where row i of the sums begins: even columns; odd ones are a register further. */
WIDE_INLINE unsigned sums_at(unsigned i)
{
    return 2 * EMU_LANES * (i / 8) + 4 * (i % 8);
}

WIDE void emu_hmma1688_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0);
    const emu_f32_t *c = (const emu_f32_t *)emu_src(w, u, 2);
    double row_of_a[ROWS][DEPTH] __attribute__((aligned(64)));
    uint16_t row_of_b[DEPTH][COLUMNS] __attribute__((aligned(64)));
    uint32_t masked[4][EMU_LANES], *to = mask == EMU_ALL ? w->r + u->d : masked[0];
    unsigned not_numbers = 0;
    __m512d s[ROWS];

    rows_of_b(emu_src(w, u, 1), row_of_b);
    UNROLL
    for (unsigned i = 0; i < ROWS; i++)
        _mm512_store_pd(row_of_a[i], eight_halves(a + (size_t)4 * i));
    __asm__("" : "+m"(row_of_a)); /* in memory, from which elements come in all lanes at no cost */
    UNROLL
    for (unsigned i = 0; i < ROWS; i++) {
        const __m256 even = _mm256_castps128_ps256(_mm_loadu_ps(c + sums_at(i)));
        const __m128 odd = _mm_loadu_ps(c + sums_at(i) + EMU_LANES);
        s[i] = _mm512_cvtps_pd(_mm256_insertf128_ps(even, odd, 1));
    }
    UNROLL
    for (unsigned k = 0; k < DEPTH; k++) {
        const __m512d row = eight_halves(row_of_b[k]);
        UNROLL
        for (unsigned i = 0; i < ROWS; i++)
            s[i] = _mm512_fmadd_pd(_mm512_set1_pd(row_of_a[i][k]), row, s[i]);
    }
    UNROLL
    for (unsigned i = 0; i < ROWS; i += 2)
        not_numbers |= _mm512_cmp_pd_mask(s[i], s[i + 1], _CMP_UNORD_Q);
    UNROLL
    for (unsigned i = 0; i < ROWS; i++) {
        const __m256 rounded = _mm512_cvtpd_ps(s[i]);
        emu_f32_t *out = (emu_f32_t *)to + sums_at(i);
        _mm_storeu_ps(out, _mm256_castps256_ps128(rounded));
        _mm_storeu_ps(out + EMU_LANES, _mm256_extractf128_ps(rounded, 1));
    }
    for (unsigned i = 0; i < 4 * EMU_LANES && not_numbers; i++) /* every NaN is the hardware's */
        if ((to[i] & 0x7fffffffu) > 0x7f800000u)
            to[i] = 0x7fffffffu;
    for (unsigned i = 0; i < 4 && mask != EMU_ALL; i++)
        emu_put(w, u->d + EMU_LANES * i, masked[i], mask);
}

/* --- Volta: the elements that the steps multiply ---------------------------------------------- */

/* Of two registers, the four halves that each lane of an order has, as numbers. */
WIDE_INLINE void spread(const uint32_t *v, const uint16_t order[EMU_LANES],
                        double out[4][EMU_LANES])
{
    UNROLL
    for (unsigned m = 0; m < 4; m++) {
        const uint32_t *words = v + (size_t)EMU_LANES * (m / 2);
        const __m512i low = _mm512_loadu_si512(words),
                      high = _mm512_loadu_si512(words + EMU_LANES / 2),
                      half = _mm512_add_epi16(_mm512_load_si512(order),
                                              _mm512_set1_epi16((short)(m & 1)));
        uint16_t halves[EMU_LANES] __attribute__((aligned(64)));
        _mm512_store_si512(halves, _mm512_permutex2var_epi16(low, half, high));
        __asm__("" : "+m"(halves)); /* parts are read from memory: taking them apart costs more */
        UNROLL
        for (unsigned k = 0; k < EMU_LANES; k += 8)
            _mm512_store_pd(out[m] + k, eight_halves(halves + k));
    }
}

/* Lower halves of the words of 32 lanes: those that f() has for lane k. */
#define FOUR(f, k)    f(k), f((k) + 1), f((k) + 2), f((k) + 3)
#define SIXTEEN(f, k) FOUR(f, k), FOUR(f, (k) + 4), FOUR(f, (k) + 8), FOUR(f, (k) + 12)
#define ORDER(f)                                                                                   \
    {                                                                                              \
        SIXTEEN(f, 0), SIXTEEN(f, 16)                                                              \
    }
#define LOWER_ROW(k) 2 * (((k)&28) + ((k)&1))
#define UPPER_ROW(k) 2 * (((k)&28) + 2 + ((k)&1))
#define EVEN(k)      2 * ((k)&30)
#define ODD(k)       2 * ((k)&30) + 2

WIDE void emu_fragments_avx512(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to)
{
    static const uint16_t __attribute__((aligned(64)))
    rows[2][EMU_LANES] = {ORDER(LOWER_ROW), ORDER(UPPER_ROW)};
    static const uint16_t __attribute__((aligned(64)))
    columns[2][EMU_LANES] = {ORDER(EVEN), ORDER(ODD)};

    for (unsigned i = 0; i < 2; i++) {
        spread(emu_src(w, u, 0), rows[i], to->rows[i]);
        spread(emu_src(w, u, 1), columns[i], to->columns[i]);
    }
}

#else

bool emu_has_avx512(void)
{
    return false;
}

void emu_hmma1688_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_hmma1688(w, u, mask);
}

void emu_fragments_avx512(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to)
{
    emu_fragments(w, u, to);
}

#endif
