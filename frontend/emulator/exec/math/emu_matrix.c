/*
 * Tensor cores and MOVM: HMMA with 32-bit and 16-bit accumulators. Fragments are those of the PTX
 * instructions mma.m8n8k4 (Volta, in four steps) and mma.m16n8k8 (Turing), PTX ISA, "Warp-level
 * matrix instructions". Products are exact; they are summed in double precision and rounded once.
 * The hardware truncates partial sums, so results may differ in the last bit.
 */
#include "frontend/emulator/exec/math/emu_matrix.h"

#include "frontend/emulator/exec/math/emu_half.h"

/* Halves of n registers as vectors of floats: the lower half of the first, its upper half, ... */
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

/* A rounded sum; a NaN has the hardware's bits. */
EMU_INLINE uint32_t rounded(double v)
{
    uint32_t bits = emu_float_bits((float)v);

    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : bits;
}

/* --- Turing: 16x8 = 16x8 * 8x8 --------------------------------------------------------------- */

/*
 * Lane 4g + t has A[g][2t], A[g][2t+1] and the same of row g + 8; B[2t][g], B[2t+1][g]; and of the
 * sums [g][2t], [g][2t+1] and the same of row g + 8. Columns are processed in the order 0 2 4 6 1 3
 * 5 7, in which four adjacent lanes hold them.
 */
enum { COLUMNS = 8, DEPTH = 8 };

typedef double row_t __attribute__((vector_size(COLUMNS * sizeof(double))));

EMU_HOT void emu_hmma1688(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *c = emu_src(w, u, 2);
    const uint32_t *b = emu_src(w, u, 1);
    uint32_t words[EMU_LANES];
    float f[4][EMU_LANES];
    double a[4][EMU_LANES], elements[2][EMU_LANES], sum[4][EMU_LANES];
    row_t column[DEPTH];

    for (unsigned t = 0; t < 4; t++)
        for (unsigned j = 0; j < COLUMNS; j++)
            words[COLUMNS * t + j] = b[8 * (j & 3) + 4 * (j >> 2) + t];
    halves(words, 1, f);
    widen(f, 2, elements);
    for (unsigned k = 0; k < DEPTH; k++)
        memcpy(&column[k], &elements[k & 1][COLUMNS * (k / 2)], sizeof(column[k]));
    halves(emu_src(w, u, 0), 2, f);
    widen(f, 4, a);
    if (u->select)
        memcpy(f, c, sizeof(f));
    else
        halves(c, 2, f);
    for (unsigned lower = 0; lower < 4; lower += 2)
        for (unsigned lane = 0; lane < EMU_LANES; lane += 4) {
            const double *row = &a[lower][lane];
            float *even = &f[lower][lane], *odd = even + EMU_LANES, both[COLUMNS];
            row_t s;
            memcpy(both, even, sizeof(both) / 2);
            memcpy(both + 4, odd, sizeof(both) / 2);
            for (unsigned k = 0; k < COLUMNS; k++)
                s[k] = (double)both[k];
            for (unsigned k = 0; k < DEPTH; k++)
                s += row[EMU_LANES * (k & 1) + k / 2] * column[k];
            for (unsigned k = 0; k < 4; k++) {
                sum[lower][lane + k] = s[k];
                sum[lower + 1][lane + k] = s[4 + k];
            }
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
 * otherwise of the upper ones.
 */
enum { PART = 8 }; /* lanes processed together: two quad pairs */

typedef double part_t __attribute__((vector_size(PART * sizeof(double))));

/* For each lane of a part, its rows of A: among the lower and the upper two of its four lanes. */
EMU_INLINE void rows_of(const double *a, double *lower, double *upper)
{
    part_t p, q;

    memcpy(&p, a, sizeof(p));
    q = __builtin_shufflevector(p, p, 0, 1, 0, 1, 4, 5, 4, 5);
    memcpy(lower, &q, sizeof(q));
    q = __builtin_shufflevector(p, p, 2, 3, 2, 3, 6, 7, 6, 7);
    memcpy(upper, &q, sizeof(q));
}

/* For each lane of a part, its column of B: the even or the odd one of its pair. */
EMU_INLINE void columns_of(const double *b, bool odd, part_t *out)
{
    part_t p;

    memcpy(&p, b, sizeof(p));
    *out = odd ? __builtin_shufflevector(p, p, 1, 1, 3, 3, 5, 5, 7, 7)
               : __builtin_shufflevector(p, p, 0, 0, 2, 2, 4, 4, 6, 6);
}

EMU_INLINE void hmma884_step(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, unsigned step)
{
    const emu_fragments_t *f = &w->grid->fragments;
    const uint32_t *c = emu_src(w, u, 2);
    const unsigned from = step >= 2 ? EMU_LANES / 2 : 0;
    double sum[2][EMU_LANES];

    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < EMU_LANES; k++)
            sum[i][k] = (double)emu_float(c[EMU_LANES * i + k]);
    for (unsigned at = 0; at < EMU_LANES; at += PART)
        for (unsigned i = 0; i < 2; i++) {
            part_t s, x, y;
            memcpy(&s, &sum[i][at], sizeof(s));
            for (unsigned m = 0; m < 4; m++) {
                memcpy(&x, &f->a[step & 1][m][at], sizeof(x));
                columns_of(&f->b[m][from + at % (EMU_LANES / 2)], i, &y);
                s += x * y;
            }
            memcpy(&sum[i][at], &s, sizeof(s));
        }
    for (unsigned i = 0; i < 2; i++)
        EMU_PUT_EACH(w, u->d + EMU_LANES * i, mask, rounded(sum[i][k]));
}

/* Whether the previously executed step used the same fragments. */
static bool has_fragments(const emu_warp_t *w, const emu_uop_t *u)
{
    const emu_uop_t *last = w->grid->fragments.of;

    if (last == NULL || last != u - 1 || last->s[0] != u->s[0] || last->s[1] != u->s[1] ||
        ((last->select ^ u->select) & ~HMMA_STEP) != 0)
        return false;
    for (unsigned i = 0; i < 2; i++) /* and did not overwrite them (register pairs) */
        if (last->d < u->s[i] + 2 * EMU_LANES && u->s[i] < last->d + 2 * EMU_LANES)
            return false;
    return true;
}

EMU_INLINE void elements(const uint32_t *v, bool transposed, double to[4][EMU_LANES])
{
    float f[4][EMU_LANES];

    halves(v, 2, f);
    widen(f, 4, to);
    for (unsigned lane = 0; lane < EMU_LANES && transposed; lane++)
        for (unsigned i = 0; i < 4; i++)
            to[i][lane] = (double)f[lane & 3][(lane & ~3u) + i];
}

EMU_HOT void emu_fragments(const emu_warp_t *w, const emu_uop_t *u, emu_fragments_t *to)
{
    double a[4][EMU_LANES];

    elements(emu_src(w, u, 0), u->select & HMMA_A_BY_COLUMNS, a);
    elements(emu_src(w, u, 1), u->select & HMMA_B_BY_ROWS, to->b);
    for (unsigned m = 0; m < 4; m++)
        for (unsigned at = 0; at < EMU_LANES; at += PART)
            rows_of(&a[m][at], &to->a[0][m][at], &to->a[1][m][at]);
}

/* Returns the operands of a step; converts them unless the previous step did. */
EMU_INLINE void take_fragments(const emu_warp_t *w, const emu_uop_t *u,
                               void (*convert)(const emu_warp_t *w, const emu_uop_t *u,
                                               emu_fragments_t *to))
{
    emu_fragments_t *f = &w->grid->fragments;

    if (!has_fragments(w, u))
        convert(w, u, f);
    f->of = u;
}

#define HMMA884(name, step)                                                                        \
    EMU_HOT static void name(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)                     \
    {                                                                                              \
        hmma884_step(w, u, mask, step);                                                            \
    }
HMMA884(hmma884_0, 0)
HMMA884(hmma884_1, 1)
HMMA884(hmma884_2, 2)
HMMA884(hmma884_3, 3)

void emu_hmma884(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    static const emu_fn_t steps[] = {hmma884_0, hmma884_1, hmma884_2, hmma884_3};

    steps[u->select & HMMA_STEP](w, u, mask);
}

static void hmma884(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    take_fragments(w, u, emu_fragments);
    emu_hmma884(w, u, mask);
}

static void hmma884_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    take_fragments(w, u, emu_fragments_avx512);
    emu_hmma884_avx512(w, u, mask);
}

static void hmma884_half_avx512(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    take_fragments(w, u, emu_fragments_avx512);
    emu_hmma884_half_avx512(w, u, mask);
}

/* Row and column, within its 8x8 block, of element i that a step computes for a lane. */
EMU_INLINE void element_place(unsigned select, unsigned lane, unsigned i, unsigned *row,
                              unsigned *col)
{
    const unsigned step = select & HMMA_STEP, e = 2 * step + i;

    if (select & HMMA_D_F16) {
        *row = lane & 3;
        *col = 4 * step + i;
    } else {
        *row = (lane & 1) + (e & 2);
        *col = (e & 4) + (lane & 2) + (e & 1);
    }
    *row += lane & 16 ? 4 : 0;
}

/*
 * All forms: transposed fragments, 16-bit sums. Four lanes of each half warp hold the lower and the
 * upper four rows of A and columns of B: one line per lane or, in column (row) layout, one element
 * of each line. 16-bit sums are stored by rows.
 */
EMU_HOT void emu_hmma884_any(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *c32 = emu_src(w, u, 2);
    const unsigned how = u->select, n = how & HMMA_D_F16 ? 4 : 2;
    float a[4][EMU_LANES], b[4][EMU_LANES], c16[4][EMU_LANES];
    uint32_t r[4][EMU_LANES];

    halves(emu_src(w, u, 0), 2, a);
    halves(emu_src(w, u, 1), 2, b);
    halves(c32, 2, c16);
    for (unsigned lane = 0; lane < EMU_LANES; lane++)
        for (unsigned i = 0; i < n; i++) {
            unsigned row, col;
            element_place(how, lane, i, &row, &col);
            const unsigned quad = lane & 12, of_a = quad + 4 * (row & 4),
                           of_b = quad + 4 * (col & 4);
            double sum = (double)c16[col & 3][of_a + (row & 3)];
            if ((how & HMMA_C_F16) == 0)
                sum = (double)emu_float(c32[EMU_LANES * i + lane]);
            for (unsigned k = 0; k < 4; k++) {
                const float x =
                    how & HMMA_A_BY_COLUMNS ? a[row & 3][of_a + k] : a[k][of_a + (row & 3)];
                const float y =
                    how & HMMA_B_BY_ROWS ? b[col & 3][of_b + k] : b[k][of_b + (col & 3)];
                sum += (double)(x * y);
            }
            r[i][lane] = how & HMMA_D_F16 ? emu_round_to_half(sum) : rounded(sum);
        }
    if (how & HMMA_D_F16)
        for (unsigned k = 0; k < EMU_LANES; k++) {
            r[0][k] |= r[1][k] << 16;
            r[1][k] = r[2][k] | r[3][k] << 16;
        }
    emu_put(w, u->d, r[0], mask);
    emu_put(w, u->d + EMU_LANES, r[1], mask);
}

static bool bind_hmma884(const sass_inst_t *in, emu_uop_t *u)
{
    const unsigned step = sass_bits(in, 79, 2);
    const bool d16 = !sass_bits(in, 76, 1), c16 = !sass_bits(in, 78, 1);

    u->select = (uint8_t)(step | (sass_bits(in, 73, 1) ? HMMA_A_BY_COLUMNS : 0) |
                          (sass_bits(in, 74, 1) ? 0 : HMMA_B_BY_ROWS) | (d16 ? HMMA_D_F16 : 0) |
                          (c16 ? HMMA_C_F16 : 0));
    if (d16 || c16)
        u->fn = d16 && c16 && emu_has_avx512() ? hmma884_half_avx512 : emu_hmma884_any;
    else
        u->fn = emu_has_avx512() ? hmma884_avx512 : hmma884;
    /* 16-bit results take two steps and need 16-bit addends */
    return (sass_bits(in, 72, 7) & 0x29) == 0 && (!d16 || (c16 && step < 2));
}

/* --- integers: 8x8 = 8x16 * 16x8, of halves of bytes 8x32 * 32x8, of bits 8x128 * 128x8 ------- */

/* Number i of a lane's word, each with this many bits. */
EMU_INLINE int32_t number_at(uint32_t word, unsigned bits, unsigned i, bool is_signed)
{
    const uint32_t high = word << (32 - bits * (i + 1));

    return is_signed ? (int32_t)high >> (32 - bits) : (int32_t)(high >> (32 - bits));
}

/* A by rows, B by columns: a 32-bit word of either holds four or eight numbers, or 32 bits. */
static int64_t word_product(const emu_uop_t *u, uint32_t a, uint32_t b)
{
    const unsigned bits = u->imm;
    int64_t sum = 0;

    if (bits == 1)
        return __builtin_popcount(a ^ b);
    for (unsigned i = 0; i < 32 / bits; i++)
        sum += number_at(a, bits, i, u->select & 1) * number_at(b, bits, i, u->select & 2);
    return sum;
}

static void imma(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    uint32_t r[2][EMU_LANES];

    for (unsigned lane = 0; lane < EMU_LANES; lane++)
        for (unsigned i = 0; i < 2; i++) {
            unsigned row = lane >> 2, col = 2 * (lane & 3) + i;
            int64_t v = (int32_t)c[EMU_LANES * i + lane];
            for (unsigned k = 0; k < 4; k++)
                v += word_product(u, a[4 * row + k], b[4 * col + k]);
            v = u->sat && v > INT32_MAX ? INT32_MAX : u->sat && v < INT32_MIN ? INT32_MIN : v;
            r[i][lane] = (uint32_t)v;
        }
    emu_put(w, u->d, r[0], mask);
    emu_put(w, u->d + EMU_LANES, r[1], mask);
}

/* Products of bytes or half bytes; A by rows, B by columns. */
static bool bind_imma(const sass_inst_t *in, emu_uop_t *u)
{
    const unsigned shape = sass_bits(in, 72, 14) & 0x3aaf;

    u->select = (uint8_t)(sass_bits(in, 76, 1) | sass_bits(in, 78, 1) << 1);
    u->sat = sass_bits(in, 82, 1);
    u->imm = sass_bits(in, 83, 1) ? 4 : 8;
    u->fn = imma;
    return shape == 0x0004 || shape == 0x3804;
}

/* BMMA.88128.XOR.POPC: counts differing bits. */
static bool bind_bmma(const sass_inst_t *in, emu_uop_t *u)
{
    u->imm = 1;
    u->fn = imma;
    return sass_bits(in, 73, 2) == 2;
}

/* MOVM.16.MT88: transposes an 8x8 matrix of halves; lane 4i + j has [i][2j] and [i][2j+1]. */
static void transpose(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0);
    uint32_t r[EMU_LANES];

    for (unsigned k = 0; k < EMU_LANES; k++) {
        const unsigned row = 2 * (k % 4), col = k / 4, shift = 16 * (col & 1);
        const uint32_t low = a[4 * row + col / 2], high = a[4 * (row + 1) + col / 2];
        r[k] = (low >> shift & 0xffff) | (high >> shift) << 16;
    }
    emu_put(w, u->d, r, mask);
}

bool emu_bind_matrix(const sass_inst_t *in, emu_uop_t *u)
{
    if (in->arch >= SASS_AMPERE && in->op != SASS_HMMA884 && in->op != SASS_MOVM)
        return false; /* emu_bind_deep_matrix() */
    switch (in->op) {
    case SASS_HMMA1688:
        u->select = (uint8_t)sass_bits(in, 76, 1);
        u->fn = !emu_has_avx512() ? emu_hmma1688
                : u->select       ? emu_hmma1688_avx512
                                  : emu_hmma1688_half_avx512;
        return true;
    case SASS_HMMA884:
        return bind_hmma884(in, u);
    case SASS_IMMA:
        return bind_imma(in, u);
    case SASS_BMMA:
        return bind_bmma(in, u);
    case SASS_MOVM:
        u->fn = transpose;
        return sass_bits(in, 78, 2) == 0;
    default:
        return false;
    }
}
