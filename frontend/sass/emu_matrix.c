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

/* Lanes in fours, of which the fragments are made. */
typedef float four_floats_t __attribute__((vector_size(16)));
typedef double four_doubles_t __attribute__((vector_size(32)));

EMU_INLINE four_floats_t floats_at(const void *v, unsigned lane)
{
    four_floats_t q;

    memcpy(&q, (const float *)v + lane, sizeof(q));
    return q;
}

EMU_INLINE void put_floats(uint32_t *to, const four_doubles_t *v)
{
    four_floats_t f = __builtin_convertvector(*v, four_floats_t);

    memcpy(to, &f, sizeof(f));
}

/* Every NaN is the hardware's. */
EMU_INLINE void same_nan(uint32_t v[EMU_LANES])
{
    for (int k = 0; k < EMU_LANES; k++)
        v[k] = (v[k] & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : v[k];
}

/* --- Turing: 16x8 = 16x8 * 8x8 --------------------------------------------------------------- */

/*
 * Lane 4g + t has A[g][2t], A[g][2t+1] and the same of row g + 8; B[2t][g], B[2t+1][g]; and of the
 * sums [g][2t], [g][2t+1] and the same of row g + 8.
 */
EMU_HOT static void hmma1688(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const bool f32 = u->select;
    const uint32_t *c = emu_src(w, u, 2);
    float a[4][EMU_LANES], b[2][EMU_LANES], d[4][EMU_LANES];
    uint32_t r[4][EMU_LANES] = {{0}};
    four_doubles_t column[2][8]; /* [i][k]: B[k][2t + i] */

    halves(emu_src(w, u, 0), 2, a);
    halves(emu_src(w, u, 1), 1, b);
    if (f32)
        memcpy(d, c, sizeof(d));
    else
        halves(c, 2, d);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 8; k++)
            for (unsigned t = 0; t < 4; t++)
                column[i][k][t] = (double)b[k & 1][4 * (2 * t + i) + k / 2];
    for (unsigned lane = 0; lane < EMU_LANES; lane += 4)
        for (unsigned half = 0; half < 4; half += 2) {
            four_doubles_t sum[2];
            for (unsigned i = 0; i < 2; i++)
                sum[i] = __builtin_convertvector(floats_at(d[half + i], lane), four_doubles_t);
            for (unsigned k = 0; k < 8; k++) {
                double x = (double)a[half + (k & 1)][lane + k / 2];
                sum[0] += x * column[0][k];
                sum[1] += x * column[1][k];
            }
            for (unsigned i = 0; i < 2; i++)
                if (f32)
                    put_floats(r[half + i] + lane, &sum[i]);
                else
                    for (unsigned t = 0; t < 4; t++)
                        r[half / 2][lane + t] |= emu_round_to_half(sum[i][t]) << 16 * i;
        }
    for (unsigned i = 0; i < 4 && f32; i++)
        same_nan(r[i]);
    for (unsigned i = 0; i < (f32 ? 4u : 2u); i++)
        emu_put(w, u->d + EMU_LANES * i, r[i], mask);
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
    const uint32_t *c = emu_src(w, u, 2);
    float a[4][EMU_LANES], b[4][EMU_LANES]; /* element k of a row of A, of a column of B */
    uint32_t r[2][EMU_LANES];
    const bool lower_rows = (u->select & 1) == 0;

    halves(emu_src(w, u, 0), 2, a);
    halves(emu_src(w, u, 1), 2, b);
    for (unsigned lane = 0; lane < EMU_LANES; lane += 4) {
        const unsigned other = lane % 16 + (u->select >= 2 ? 16 : 0);
        four_doubles_t sum[2];
        for (unsigned i = 0; i < 2; i++)
            sum[i] =
                __builtin_convertvector(floats_at(c + (size_t)EMU_LANES * i, lane), four_doubles_t);
        for (unsigned k = 0; k < 4; k++) {
            four_floats_t x = floats_at(a[k], lane), y = floats_at(b[k], other);
            four_floats_t even = __builtin_shufflevector(y, y, 0, 0, 2, 2);
            four_floats_t odd = __builtin_shufflevector(y, y, 1, 1, 3, 3);
            x = lower_rows ? __builtin_shufflevector(x, x, 0, 1, 0, 1)
                           : __builtin_shufflevector(x, x, 2, 3, 2, 3);
            four_doubles_t wide = __builtin_convertvector(x, four_doubles_t);
            sum[0] += wide * __builtin_convertvector(even, four_doubles_t);
            sum[1] += wide * __builtin_convertvector(odd, four_doubles_t);
        }
        for (unsigned i = 0; i < 2; i++)
            put_floats(r[i] + lane, &sum[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        same_nan(r[i]);
        emu_put(w, u->d + EMU_LANES * i, r[i], mask);
    }
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
