/*
 * Tensor cores: HMMA with 32-bit and 16-bit accumulators. Fragments are those of the PTX
 * instructions mma.m8n8k4 (Volta, in four steps) and mma.m16n8k8 (Turing), PTX ISA, "Warp-level
 * matrix instructions". Products are exact; they are summed in double precision and rounded once,
 * where the hardware truncates partial sums: results may differ in the last bit.
 */
#include "frontend/sass/emu_half.h"
#include "frontend/sass/emu_state.h"

static double half_at(const uint32_t *v, unsigned lane, unsigned index)
{
    return emu_half_to_double(v[EMU_LANES * (index / 2) + lane] >> (16 * (index & 1)) & 0xffff);
}

static double float_at(const uint32_t *v, unsigned lane)
{
    float f;

    memcpy(&f, &v[lane], sizeof(f));
    return (double)f;
}

static uint32_t to_float(double v)
{
    float f = (float)v;
    uint32_t bits;

    memcpy(&bits, &f, sizeof(f));
    return f == f ? bits : 0x7fffffffu;
}

/* --- Turing: 16x8 = 16x8 * 8x8 --------------------------------------------------------------- */

typedef struct {
    double a[16][8], b[8][8], d[16][8];
} turing_t;

static void load_turing(const emu_warp_t *w, const emu_uop_t *u, bool f32, turing_t *m)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);

    for (unsigned lane = 0; lane < EMU_LANES; lane++) {
        unsigned g = lane >> 2, t = lane & 3;
        for (unsigned i = 0; i < 4; i++)
            m->a[g + 8 * (i >> 1)][2 * t + (i & 1)] = half_at(a, lane, i);
        for (unsigned i = 0; i < 2; i++)
            m->b[2 * t + i][g] = half_at(b, lane, i);
        for (unsigned i = 0; i < 4; i++)
            m->d[g + 8 * (i >> 1)][2 * t + (i & 1)] =
                f32 ? float_at(c + (size_t)EMU_LANES * i, lane) : half_at(c, lane, i);
    }
}

static void hmma1688(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    bool f32 = u->select;
    uint32_t r[4][EMU_LANES] = {{0}};
    turing_t m;

    load_turing(w, u, f32, &m);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 8; j++)
            for (unsigned k = 0; k < 8; k++)
                m.d[i][j] += m.a[i][k] * m.b[k][j];
    for (unsigned lane = 0; lane < EMU_LANES; lane++)
        for (unsigned i = 0; i < 4; i++) {
            double v = m.d[(lane >> 2) + 8 * (i >> 1)][2 * (lane & 3) + (i & 1)];
            if (f32)
                r[i][lane] = to_float(v);
            else
                r[i / 2][lane] |= emu_double_to_half(v, 0) << (16 * (i & 1));
        }
    for (unsigned i = 0; i < (f32 ? 4u : 2u); i++)
        emu_put(w, u->d + EMU_LANES * i, r[i], mask);
}

/* --- Volta: four 8x8 = 8x4 * 4x8, one for each quad pair, a quarter of each at a step ----------
 */

typedef struct {
    double a[4][8][4], b[4][4][8];
} volta_t;

static void load_volta(const emu_warp_t *w, const emu_uop_t *u, volta_t *m)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);

    for (unsigned lane = 0; lane < EMU_LANES; lane++) {
        unsigned pair = lane % 16 / 4, row = lane % 4 + (lane >= 16 ? 4 : 0);
        for (unsigned k = 0; k < 4; k++) {
            m->a[pair][row][k] = half_at(a, lane, k); /* .ROW: a row of four */
            m->b[pair][k][row] = half_at(b, lane, k); /* .COL: a column of four */
        }
    }
}

static void hmma884(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *c = emu_src(w, u, 2);
    uint32_t r[2][EMU_LANES];
    volta_t m;

    load_volta(w, u, &m);
    for (unsigned lane = 0; lane < EMU_LANES; lane++)
        for (unsigned i = 0; i < 2; i++) {
            unsigned e = 2 * u->select + i, pair = lane % 16 / 4;
            unsigned row = (lane & 1) + (e & 2) + (lane >= 16 ? 4 : 0);
            unsigned col = (e & 4) + (lane & 2) + (e & 1);
            double v = float_at(c + (size_t)EMU_LANES * i, lane);
            for (unsigned k = 0; k < 4; k++)
                v += m.a[pair][row][k] * m.b[pair][k][col];
            r[i][lane] = to_float(v);
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
