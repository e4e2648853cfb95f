/*
 * Tensor cores: HMMA with 32-bit and 16-bit accumulators. Fragments are those of the PTX
 * instructions mma.m8n8k4 (Volta, in four steps) and mma.m16n8k8 (Turing), PTX ISA, "Warp-level
 * matrix instructions". Products are exact; they are summed in double precision and rounded once,
 * where the hardware truncates partial sums: results may differ in the last bit.
 */
#include "frontend/sass/emu_half.h"
#include "frontend/sass/emu_state.h"

/* Halves of n registers as vectors of floats: the lower one of the first, its upper one, ... */
EMU_INLINE void halves(const uint32_t *v, unsigned n, float out[][EMU_LANES])
{
    for (unsigned i = 0; i < 2 * n; i++)
        emu_halves_to_floats(v + (size_t)EMU_LANES * (i / 2), 16 * (i & 1), out[i]);
}

EMU_INLINE void widen(float v[][EMU_LANES], unsigned n, double out[][EMU_LANES])
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < EMU_LANES; k++)
            out[i][k] = (double)v[i][k];
}

/* A rounded sum; every NaN is the hardware's. */
EMU_INLINE uint32_t rounded(double v)
{
    uint32_t bits = emu_float_bits((float)v);

    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : bits;
}

/* --- Turing: 16x8 = 16x8 * 8x8 --------------------------------------------------------------- */

/*
 * Lane 4g + t has A[g][2t], A[g][2t+1] and the same of row g + 8; B[2t][g], B[2t+1][g]; and of the
 * sums [g][2t], [g][2t+1] and the same of row g + 8. Columns are taken in the order 0 2 4 6 1 3 5
 * 7, in which four neighbouring lanes have them.
 */
enum { COLUMNS = 8, DEPTH = 8 };

typedef double four_t __attribute__((vector_size(4 * sizeof(double))));

EMU_HOT static void hmma1688(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *c = emu_src(w, u, 2);
    const uint32_t *b = emu_src(w, u, 1);
    uint32_t words[EMU_LANES];
    float f[4][EMU_LANES];
    double a[4][EMU_LANES], elements[2][EMU_LANES], sum[4][EMU_LANES];
    four_t column[DEPTH][2];

    for (unsigned t = 0; t < 4; t++)
        for (unsigned j = 0; j < COLUMNS; j++)
            words[COLUMNS * t + j] = b[8 * (j & 3) + 4 * (j >> 2) + t];
    halves(words, 1, f);
    widen(f, 2, elements);
    for (unsigned k = 0; k < DEPTH; k++)
        memcpy(column[k], &elements[k & 1][COLUMNS * (k / 2)], sizeof(column[k]));
    halves(emu_src(w, u, 0), 2, f);
    widen(f, 4, a);
    if (u->select)
        memcpy(f, c, sizeof(f));
    else
        halves(c, 2, f);
    widen(f, 4, sum);
    for (unsigned lower = 0; lower < 4; lower += 2)
        for (unsigned lane = 0; lane < EMU_LANES; lane += 4) {
            const double *row = &a[lower][lane];
            double *even = &sum[lower][lane], *odd = even + EMU_LANES;
            four_t s[2];
            memcpy(&s[0], even, sizeof(s[0]));
            memcpy(&s[1], odd, sizeof(s[1]));
            for (unsigned k = 0; k < DEPTH; k++) {
                s[0] += row[EMU_LANES * (k & 1) + k / 2] * column[k][0];
                s[1] += row[EMU_LANES * (k & 1) + k / 2] * column[k][1];
            }
            memcpy(even, &s[0], sizeof(s[0]));
            memcpy(odd, &s[1], sizeof(s[1]));
        }
    if (u->select)
        for (unsigned i = 0; i < 4; i++)
            EMU_PUT_EACH(w, u->d + EMU_LANES * i, mask, rounded(sum[i][k]));
    else
        for (unsigned i = 0; i < 2; i++)
            EMU_PUT_EACH(w, u->d + EMU_LANES * i, mask,
                         emu_round_to_half(sum[2 * i][k]) | emu_round_to_half(sum[2 * i + 1][k])
                                                                << 16);
}

/* --- Volta: four 8x8 = 8x4 * 4x8, one for each quad pair, a quarter of each at a step ----------
 */

/*
 * Element e = 2 step + i (i = 0, 1) of a lane is in row (lane & 1) + (e & 2) of its four lanes'
 * part of A, and in column (lane & 2) + (e & 1) of B: of the lower lanes of the quad pair if e < 4,
 * else of the upper ones.
 */
EMU_HOT static void hmma884(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    enum { HALF = EMU_LANES / 2 };
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const unsigned row = 2 * (u->select & 1u), from = u->select >= 2 ? HALF : 0;
    uint32_t rows[2 * EMU_LANES], columns[2 * EMU_LANES]; /* of each half warp: even, then odd */
    float x[4][EMU_LANES], y[4][EMU_LANES];               /* element k of a row, of a column */
    uint32_t r[2][EMU_LANES];

    for (unsigned k = 0; k < 2 * EMU_LANES; k += 4) {
        memcpy(&rows[k], &a[k + row], 2 * sizeof(a[0]));
        memcpy(&rows[k + 2], &a[k + row], 2 * sizeof(a[0]));
    }
    for (unsigned i = 0; i < 2 * EMU_LANES; i += EMU_LANES)
        for (unsigned k = 0; k < HALF; k += 2) {
            columns[i + k] = columns[i + k + 1] = b[i + from + k];
            columns[i + HALF + k] = columns[i + HALF + k + 1] = b[i + from + k + 1];
        }
    halves(rows, 2, x);
    halves(columns, 2, y);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned half = 0; half < EMU_LANES; half += HALF)
            for (unsigned k = 0; k < HALF; k++) {
                const unsigned lane = half + k, at = HALF * i + k;
                double sum = (double)emu_float(c[EMU_LANES * i + lane]);
                sum += (double)(x[0][lane] * y[0][at]); /* 22 bits: exact */
                sum += (double)(x[1][lane] * y[1][at]);
                sum += (double)(x[2][lane] * y[2][at]);
                sum += (double)(x[3][lane] * y[3][at]);
                r[i][lane] = rounded(sum);
            }
    emu_put(w, u->d, r[0], mask);
    emu_put(w, u->d + EMU_LANES, r[1], mask);
}

/* --- integers: 8x8 = 8x16 * 16x8 ------------------------------------------------------------- */

static int32_t byte_at(const uint32_t *v, unsigned lane, unsigned i, bool is_signed)
{
    uint32_t byte = v[lane] >> (8 * i);

    return is_signed ? (int8_t)byte : (uint8_t)byte;
}

static void imma8816(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    bool sa = u->select & 1, sb = u->select & 2;
    uint32_t r[2][EMU_LANES];

    for (unsigned lane = 0; lane < EMU_LANES; lane++)
        for (unsigned i = 0; i < 2; i++) {
            unsigned row = lane >> 2, col = 2 * (lane & 3) + i;
            uint32_t v = c[EMU_LANES * i + lane];
            for (unsigned k = 0; k < 16; k++)
                v += (uint32_t)(byte_at(a, 4 * row + k / 4, k % 4, sa) *
                                byte_at(b, 4 * col + k / 4, k % 4, sb));
            r[i][lane] = v;
        }
    emu_put(w, u->d, r[0], mask);
    emu_put(w, u->d + EMU_LANES, r[1], mask);
}

bool emu_bind_matrix(const sass_inst_t *in, emu_uop_t *u)
{
    switch (in->op) {
    case SASS_HMMA1688:
        u->select = (uint8_t)sass_bits(in, 76, 1);
        u->fn = hmma1688;
        return true;
    case SASS_HMMA884: /* only the form that has been compared: F32.F32, A by rows, B by columns */
        u->select = (uint8_t)sass_bits(in, 79, 2);
        u->fn = hmma884;
        return sass_bits(in, 72, 7) == 0x54;
    case SASS_IMMA:
        u->select = (uint8_t)(sass_bits(in, 76, 1) | sass_bits(in, 78, 1) << 1);
        u->fn = imma8816;
        return !sass_bits(in, 82, 1);
    default:
        return false;
    }
}
