/*
 * Tensor cores on hosts with AVX-512, where the compiler's automatic vectorisation is far from the
 * processor's peak. The layouts are those of emu_matrix.c.
 */
#include "frontend/emulator/exec/emu_matrix.h"

#ifdef __x86_64__
#include <immintrin.h>

#define WIDE        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c")))
#define WIDE_INLINE WIDE static inline
/* Unrolls loops whose values stay in registers. */
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

/* Finishes n registers of sums: NaNs get the hardware's bits, and inactive lanes keep theirs. */
WIDE_INLINE void finish_sums(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, uint32_t *sums,
                             unsigned n, bool not_numbers)
{
    for (unsigned i = 0; i < EMU_LANES * n && not_numbers; i++)
        if ((sums[i] & 0x7fffffffu) > 0x7f800000u)
            sums[i] = 0x7fffffffu;
    for (unsigned i = 0; i < n && mask != EMU_ALL; i++)
        emu_put(w, u->d + EMU_LANES * i, sums + EMU_LANES * i, mask);
}

/* --- Turing: 16x8 = 16x8 * 8x8 --------------------------------------------------------------- */

enum { ROWS = 16, COLUMNS = 8, DEPTH = 8 };

/* Halves of B, row by row; lane 4g + t has B[2t][g] and B[2t+1][g]. */
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

/* Where row i of the even columns' sums begins; odd columns are one register further. */
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
    __asm__("" : "+m"(row_of_a)); /* keeps it in memory, from which broadcast loads are free */
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
    finish_sums(w, u, mask, to, 4, not_numbers != 0);
}

/* --- Volta: a step of 8x8 = 8x4 * 4x8, four times --------------------------------------------- */

/* Halves of a register, lower (0) or upper (1), lane by lane. */
#define FOUR(k, upper)                                                                             \
    2 * (k) + (upper), 2 * (k) + 2 + (upper), 2 * (k) + 4 + (upper), 2 * (k) + 6 + (upper)
#define SIXTEEN(k, upper)                                                                          \
    FOUR(k, upper), FOUR((k) + 4, upper), FOUR((k) + 8, upper), FOUR((k) + 12, upper)
static const uint16_t lane_order[2][EMU_LANES] __attribute__((aligned(64))) = {
    {SIXTEEN(0, 0), SIXTEEN(16, 0)}, {SIXTEEN(0, 1), SIXTEEN(16, 1)}};

WIDE_INLINE void sixteen_bits_to_numbers(const uint16_t *halves, double out[EMU_LANES])
{
    UNROLL
    for (unsigned k = 0; k < EMU_LANES; k += 8)
        _mm512_store_pd(out + k, eight_halves(halves + k));
}

/* The same for the other layout: four halves of a result are those of one lane. */
WIDE_INLINE void transposed_elements_of(const uint32_t *v, double out[4][EMU_LANES])
{
    for (unsigned m = 0; m < 4; m++) {
        uint32_t pairs[EMU_LANES / 2] __attribute__((aligned(64)));
        for (unsigned q = 0; q < EMU_LANES / 4; q++) {
            pairs[2 * q] = v[4 * q + m];
            pairs[2 * q + 1] = v[EMU_LANES + 4 * q + m];
        }
        __asm__("" : "+m"(pairs));
        sixteen_bits_to_numbers((const uint16_t *)(const void *)pairs, out[m]);
    }
}

/* The four halves of each lane in two registers, as numbers. */
WIDE_INLINE void elements_of(const uint32_t *v, double out[4][EMU_LANES])
{
    UNROLL
    for (unsigned m = 0; m < 4; m++) {
        const uint32_t *words = v + (size_t)EMU_LANES * (m / 2);
        const __m512i low = _mm512_loadu_si512(words),
                      high = _mm512_loadu_si512(words + EMU_LANES / 2),
                      order = _mm512_load_si512(lane_order[m & 1]);
        uint16_t halves[EMU_LANES] __attribute__((aligned(64)));
        _mm512_store_si512(halves, _mm512_permutex2var_epi16(low, order, high));
        __asm__(""
                : "+m"(halves)); /* keeps it in memory: extracting parts from registers costs
                                     * more */
        sixteen_bits_to_numbers(halves, out[m]);
    }
}

WIDE void emu_fragments_avx512(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to)
{
    if (u->select & HMMA_A_BY_COLUMNS)
        transposed_elements_of(emu_src(w, u, 0), to->a);
    else
        elements_of(emu_src(w, u, 0), to->a);
    if (u->select & HMMA_B_BY_ROWS)
        transposed_elements_of(emu_src(w, u, 1), to->b);
    else
        elements_of(emu_src(w, u, 1), to->b);
}

/* For each lane, its row of A: among the lower or the upper two of its four lanes. */
WIDE_INLINE __m512d rows_of_a(const double *a, bool upper)
{
    const __m512d v = _mm512_load_pd(a);

    return upper ? _mm512_permutex_pd(v, 0xee) : _mm512_permutex_pd(v, 0x44);
}

/* Sums of all lanes; part i of eight lanes has even columns in [i][0] and odd ones in [i][1]. */
WIDE_INLINE void add_products(const emu_fragments_t *f, bool upper, unsigned from, __m512d s[4][2])
{
    UNROLL
    for (unsigned at = 0; at < 2; at++)
        UNROLL
    for (unsigned m = 0; m < 4; m++) {
        const __m512d column = _mm512_load_pd(f->b[m] + from + (size_t)8 * at);
        const __m512d even = _mm512_permutex_pd(column, 0xa0),
                      odd = _mm512_permutex_pd(column, 0xf5);
        UNROLL
        for (unsigned i = at; i < 4; i += 2) {
            const __m512d row = rows_of_a(f->a[m] + (size_t)8 * i, upper);
            s[i][0] = _mm512_fmadd_pd(row, even, s[i][0]);
            s[i][1] = _mm512_fmadd_pd(row, odd, s[i][1]);
        }
    }
}

WIDE void emu_hmma884_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const emu_fragments_t *f = &w->grid->fragments;
    const emu_f32_t *c = (const emu_f32_t *)emu_src(w, u, 2);
    const unsigned from = u->select & 2 ? EMU_LANES / 2 : 0;
    uint32_t masked[2][EMU_LANES], *to = mask == EMU_ALL ? w->r + u->d : masked[0];
    unsigned not_numbers = 0;
    __m512d s[4][2];

    UNROLL
    for (unsigned i = 0; i < 8; i++)
        s[i / 2][i % 2] = _mm512_cvtps_pd(_mm256_loadu_ps(c + EMU_LANES * (i % 2) + 8 * (i / 2)));
    if (u->select & 1)
        add_products(f, true, from, s);
    else
        add_products(f, false, from, s);
    UNROLL
    for (unsigned i = 0; i < 4; i++)
        not_numbers |= _mm512_cmp_pd_mask(s[i][0], s[i][1], _CMP_UNORD_Q);
    UNROLL
    for (unsigned i = 0; i < 8; i++)
        _mm256_storeu_ps((emu_f32_t *)to + EMU_LANES * (i % 2) + 8 * (i / 2),
                         _mm512_cvtpd_ps(s[i / 2][i % 2]));
    finish_sums(w, u, mask, to, 2, not_numbers != 0);
}

#else /* never called */

bool emu_has_avx512(void)
{
    return false;
}

void emu_hmma1688_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_hmma1688(w, u, mask);
}

void emu_hmma884_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_hmma884(w, u, mask);
}

void emu_fragments_avx512(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to)
{
    emu_fragments(w, u, to);
}

#endif
