/*
 * Tensor cores on hosts with AVX-512, where the compiler's automatic vectorisation is far from the
 * processor's peak. The layouts are those of emu_matrix.c.
 */
#include "frontend/emulator/exec/math/emu_matrix.h"

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

/* Halves as floats, in memory: from there, their conversion to doubles costs least. */
WIDE_INLINE void to_floats(const void *halves, unsigned n, float *out)
{
    const __m256i *from = halves;

    UNROLL
    for (unsigned i = 0; i < n / 16; i++)
        _mm512_store_ps(out + (size_t)16 * i, _mm512_cvtph_ps(_mm256_loadu_si256(from + i)));
}

WIDE_INLINE __m512d eight_floats(const float *p)
{
    return _mm512_cvtps_pd(_mm256_load_ps(p));
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

/*
 * Rounds to nearest halves, once: floats that are rounded to zero, and to an odd last bit if they
 * are not exact, lose nothing that decides.
 */
WIDE_INLINE __m128i to_halves(__m512d v)
{
    const __m256 f = _mm512_cvt_roundpd_ps(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __mmask8 inexact = _mm512_cmp_pd_mask(_mm512_cvtps_pd(f), v, _CMP_NEQ_OQ),
                   not_numbers = _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q);
    __m256i bits = _mm256_castps_si256(f);

    bits = _mm256_mask_or_epi32(bits, inexact, bits, _mm256_set1_epi32(1));
    return _mm_mask_mov_epi16(_mm256_cvtps_ph(_mm256_castsi256_ps(bits), _MM_FROUND_TO_NEAREST_INT),
                              not_numbers, _mm_set1_epi16(0x7fff));
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

/* The same with the columns in their order, as 16-bit sums have them. */
#define PLAIN_ROW_OF_B(k)                                                                          \
    OF_B(0, k), OF_B(1, k), OF_B(2, k), OF_B(3, k), OF_B(4, k), OF_B(5, k), OF_B(6, k), OF_B(7, k)
static const uint16_t plain_order_of_b[DEPTH * COLUMNS] __attribute__((aligned(64))) = {
    PLAIN_ROW_OF_B(0), PLAIN_ROW_OF_B(1), PLAIN_ROW_OF_B(2), PLAIN_ROW_OF_B(3),
    PLAIN_ROW_OF_B(4), PLAIN_ROW_OF_B(5), PLAIN_ROW_OF_B(6), PLAIN_ROW_OF_B(7)};

WIDE_INLINE void rows_of_b(const uint32_t *b, const uint16_t order[DEPTH * COLUMNS],
                           uint16_t row[DEPTH][COLUMNS])
{
    const __m512i low = _mm512_loadu_si512(b), high = _mm512_loadu_si512(b + EMU_LANES / 2);

    for (unsigned k = 0; k < DEPTH; k += 4)
        _mm512_store_si512(row[k], _mm512_permutex2var_epi16(
                                       low, _mm512_load_si512(order + (size_t)COLUMNS * k), high));
}

/* Where row i of the even columns' sums begins; odd columns are one register further. */
WIDE_INLINE unsigned sums_at(unsigned i)
{
    return 2 * EMU_LANES * (i / 8) + 4 * (i % 8);
}

/* Adds the products to the sums of all rows. */
WIDE_INLINE void add_rows(const emu_warp_t *w, const emu_uop_t *u,
                          const uint16_t order[DEPTH * COLUMNS], __m512d s[ROWS])
{
    double row_of_a[ROWS][DEPTH] __attribute__((aligned(64)));
    uint16_t row_of_b[DEPTH][COLUMNS] __attribute__((aligned(64)));
    float floats_of_a[ROWS][DEPTH] __attribute__((aligned(64)));
    float floats_of_b[DEPTH][COLUMNS] __attribute__((aligned(64)));

    rows_of_b(emu_src(w, u, 1), order, row_of_b);
    to_floats(emu_src(w, u, 0), ROWS * DEPTH, floats_of_a[0]);
    __asm__("" : "+m"(row_of_b), "+m"(floats_of_a)); /* keeps them in memory */
    to_floats(row_of_b, DEPTH * COLUMNS, floats_of_b[0]);
    UNROLL
    for (unsigned i = 0; i < ROWS; i++)
        _mm512_store_pd(row_of_a[i], eight_floats(floats_of_a[i]));
    /* in memory, from which broadcast loads are free */
    __asm__("" : "+m"(row_of_a), "+m"(floats_of_b));
    UNROLL
    for (unsigned k = 0; k < DEPTH; k++) {
        const __m512d row = eight_floats(floats_of_b[k]);
        UNROLL
        for (unsigned i = 0; i < ROWS; i++)
            s[i] = _mm512_fmadd_pd(_mm512_set1_pd(row_of_a[i][k]), row, s[i]);
    }
}

WIDE void emu_hmma1688_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const emu_f32_t *c = (const emu_f32_t *)emu_src(w, u, 2);
    uint32_t masked[4][EMU_LANES], *to = mask == EMU_ALL ? w->r + u->d : masked[0];
    unsigned not_numbers = 0;
    __m512d s[ROWS];

    UNROLL
    for (unsigned i = 0; i < ROWS; i++) {
        const __m256 even = _mm256_castps128_ps256(_mm_loadu_ps(c + sums_at(i)));
        const __m128 odd = _mm_loadu_ps(c + sums_at(i) + EMU_LANES);
        s[i] = _mm512_cvtps_pd(_mm256_insertf128_ps(even, odd, 1));
    }
    add_rows(w, u, order_of_b, s);
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

/* Each row's eight sums of 16 bits are in four adjacent lanes. */
WIDE void emu_hmma1688_half_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t masked[2][EMU_LANES], *to = mask == EMU_ALL ? w->r + u->d : masked[0];
    float c[ROWS][COLUMNS] __attribute__((aligned(64)));
    __m512d s[ROWS];

    to_floats(emu_src(w, u, 2), ROWS * COLUMNS, c[0]);
    __asm__("" : "+m"(c));
    UNROLL
    for (unsigned i = 0; i < ROWS; i++)
        s[i] = eight_floats(c[i]);
    add_rows(w, u, plain_order_of_b, s);
    UNROLL
    for (unsigned i = 0; i < ROWS; i++)
        _mm_storeu_si128((__m128i *)(void *)(to + (size_t)4 * i), to_halves(s[i]));
    finish_sums(w, u, mask, to, 2, false);
}

/* --- Volta: a step of 8x8 = 8x4 * 4x8, four times --------------------------------------------- */

/* Halves of a register, lower (0) or upper (1), lane by lane. */
#define FOUR(k, upper)                                                                             \
    2 * (k) + (upper), 2 * (k) + 2 + (upper), 2 * (k) + 4 + (upper), 2 * (k) + 6 + (upper)
#define SIXTEEN(k, upper)                                                                          \
    FOUR(k, upper), FOUR((k) + 4, upper), FOUR((k) + 8, upper), FOUR((k) + 12, upper)
static const uint16_t lane_order[2][EMU_LANES] __attribute__((aligned(64))) = {
    {SIXTEEN(0, 0), SIXTEEN(16, 0)}, {SIXTEEN(0, 1), SIXTEEN(16, 1)}};

/* The four halves of each lane in two registers, as floats. */
WIDE_INLINE void elements_of(const uint32_t *v, float out[4][EMU_LANES])
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
        to_floats(halves, EMU_LANES, out[m]);
    }
}

/* Numbers of 64 bits at even and at odd places of two vectors. */
static const uint64_t place[2][8]
    __attribute__((aligned(64))) = {{0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15}};

/* The same for the other layout: four halves of a result are those of one lane. */
WIDE_INLINE void transposed_elements_of(const uint32_t *v, float out[4][EMU_LANES])
{
    const uint32_t *w = v + EMU_LANES;
    const __m512i v_low = _mm512_loadu_si512(v), v_high = _mm512_loadu_si512(v + EMU_LANES / 2);
    const __m512i w_low = _mm512_loadu_si512(w), w_high = _mm512_loadu_si512(w + EMU_LANES / 2);
    uint16_t halves[4][EMU_LANES] __attribute__((aligned(64)));

    UNROLL
    for (unsigned m = 0; m < 4; m++) {
        /* Lanes m / 2 * 2 and the next one of each four, with both registers. */
        const __m512i low =
            m < 2 ? _mm512_unpacklo_epi32(v_low, w_low) : _mm512_unpackhi_epi32(v_low, w_low);
        const __m512i high =
            m < 2 ? _mm512_unpacklo_epi32(v_high, w_high) : _mm512_unpackhi_epi32(v_high, w_high);
        _mm512_store_si512(halves[m],
                           _mm512_permutex2var_epi64(low, _mm512_load_si512(place[m & 1]), high));
    }
    __asm__("" : "+m"(halves));
    to_floats(halves, 4 * EMU_LANES, out[0]);
}

WIDE void emu_fragments_avx512(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to)
{
    float a[4][EMU_LANES] __attribute__((aligned(64)));
    float b[4][EMU_LANES] __attribute__((aligned(64)));

    if (u->select & HMMA_A_BY_COLUMNS)
        transposed_elements_of(emu_src(w, u, 0), a);
    else
        elements_of(emu_src(w, u, 0), a);
    if (u->select & HMMA_B_BY_ROWS)
        transposed_elements_of(emu_src(w, u, 1), b);
    else
        elements_of(emu_src(w, u, 1), b);
    __asm__("" : "+m"(a), "+m"(b));
    for (unsigned m = 0; m < 4; m++) {
        UNROLL
        for (unsigned k = 0; k < EMU_LANES; k += 8) {
            const __m512d rows = eight_floats(a[m] + k);
            _mm512_store_pd(to->b[m] + k, eight_floats(b[m] + k));
            if (u->select & HMMA_D_F16) {
                _mm512_store_pd(to->a[0][m] + k, rows);
                continue;
            }
            _mm512_store_pd(to->a[0][m] + k, _mm512_permutex_pd(rows, 0x44));
            _mm512_store_pd(to->a[1][m] + k, _mm512_permutex_pd(rows, 0xee));
        }
    }
}

/* Sums of all lanes; part i of eight lanes has even columns in [i][0] and odd ones in [i][1]. */
WIDE_INLINE void add_products(const emu_fragments_t *f, bool upper, unsigned from, __m512d s[4][2])
{
    UNROLL
    for (unsigned at = 0; at < 2; at++)
        UNROLL
    for (unsigned m = 0; m < 4; m++) {
        /* Loads that copy each second number to the next place need no shuffle. */
        const double *column = f->b[m] + from + (size_t)8 * at;
        const __m512d even = _mm512_movedup_pd(_mm512_load_pd(column)),
                      odd = _mm512_movedup_pd(_mm512_loadu_pd(column + 1));
        UNROLL
        for (unsigned i = at; i < 4; i += 2) {
            const __m512d row = _mm512_load_pd(f->a[upper][m] + (size_t)8 * i);
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

/* Sums of 16 bits: each lane has four of its row, in columns that four lanes hold. */
WIDE void emu_hmma884_half_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const emu_fragments_t *f = &w->grid->fragments;
    const unsigned from = u->select & HMMA_STEP ? EMU_LANES / 2 : 0;
    uint32_t masked[2][EMU_LANES], *to = mask == EMU_ALL ? w->r + u->d : masked[0];
    float c[4][EMU_LANES] __attribute__((aligned(64)));

    elements_of(emu_src(w, u, 2), c);
    __asm__("" : "+m"(c));
    UNROLL
    for (unsigned at = 0; at < EMU_LANES; at += 8) {
        __m512d s[4];
        UNROLL
        for (unsigned i = 0; i < 4; i++)
            s[i] = eight_floats(c[i] + at);
        UNROLL
        for (unsigned m = 0; m < 4; m++) {
            const __m512d row = _mm512_load_pd(f->a[0][m] + at),
                          column = _mm512_load_pd(f->b[m] + from + at % (EMU_LANES / 2));
            s[0] = _mm512_fmadd_pd(row, _mm512_permutex_pd(column, 0x00), s[0]);
            s[1] = _mm512_fmadd_pd(row, _mm512_permutex_pd(column, 0x55), s[1]);
            s[2] = _mm512_fmadd_pd(row, _mm512_permutex_pd(column, 0xaa), s[2]);
            s[3] = _mm512_fmadd_pd(row, _mm512_permutex_pd(column, 0xff), s[3]);
        }
        UNROLL
        for (unsigned i = 0; i < 2; i++) {
            const __m256i even = _mm256_cvtepu16_epi32(to_halves(s[2 * i])),
                          odd = _mm256_cvtepu16_epi32(to_halves(s[2 * i + 1]));
            _mm256_storeu_si256((__m256i *)(void *)(to + EMU_LANES * i + at),
                                _mm256_or_si256(even, _mm256_slli_epi32(odd, 16)));
        }
    }
    finish_sums(w, u, mask, to, 2, false);
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

void emu_hmma1688_half_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_hmma1688(w, u, mask);
}

void emu_hmma884_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_hmma884(w, u, mask);
}

void emu_hmma884_half_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_hmma884_any(w, u, mask);
}

void emu_fragments_avx512(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to)
{
    emu_fragments(w, u, to);
}

#endif
