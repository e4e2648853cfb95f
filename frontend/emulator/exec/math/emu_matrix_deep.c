/*
 * Ampere's matrix instructions: HMMA with 8 or 16 products per sum of halves or bf16 and 4 or 8 of
 * tf32; IMMA and BMMA with 16 rows; sparse HMMA and IMMA; DMMA. Fragments are those of mma.m16n8,
 * mma.sp.m16n8 and mma.m8n8k4 in the PTX ISA; where threads have metadata is as in tilelang's layouts.
 * Products are exact; each 8 (tf32: 4) are summed in double precision and rounded once to 32 bits, as
 * many as the tensor cores add at once (Fasi et al. 2021).
 */
#include "frontend/emulator/exec/math/emu_bf16.h"
#include "frontend/emulator/exec/math/emu_half.h"
#include "frontend/emulator/exec/math/emu_matrix.h"
#include "frontend/emulator/sass/sass_operands.h"

enum { COLUMNS = 8, ROWS = 16, MAX_DEPTH = 8 };

typedef enum { TYPE_F16, TYPE_BF16, TYPE_TF32 } type_t;

/* The numbers that n registers hold, as vectors: those of the first register first. */
EMU_INLINE void numbers(const uint32_t *v, unsigned n, type_t type, float out[][EMU_LANES])
{
    for (unsigned i = 0; i < n; i++, v += EMU_LANES)
        if (type == TYPE_F16) {
            emu_halves_to_floats(v, 0, out[2 * i]);
            emu_halves_to_floats(v, 16, out[2 * i + 1]);
        } else if (type == TYPE_BF16) {
            for (unsigned k = 0; k < EMU_LANES; k++)
                out[2 * i][k] = emu_bf16_to_float(v[k], 0);
            for (unsigned k = 0; k < EMU_LANES; k++)
                out[2 * i + 1][k] = emu_bf16_to_float(v[k], 16);
        } else { /* the lower 13 bits are left out */
            for (unsigned k = 0; k < EMU_LANES; k++)
                out[i][k] = emu_float(v[k] & 0xffffe000u);
        }
}

/*
 * Adds the products of two registers of A and one of B to sums, of which [0] and [1] are those of
 * row g and columns 2t and 2t + 1 in lane 4g + t, [2] and [3] those of row g + 8.
 */
EMU_INLINE void add_part(const uint32_t *a, const uint32_t *b, type_t type, float sum[4][EMU_LANES])
{
    const unsigned each = type == TYPE_TF32 ? 1 : 2, depth = 4 * each;
    float of_a[4][EMU_LANES], of_b[2][EMU_LANES];
    double column[MAX_DEPTH][COLUMNS];

    numbers(a, 2, type, of_a);
    numbers(b, 1, type, of_b);
    for (unsigned k = 0; k < depth; k++) /* B[k][j] is in lane 4j + k / each */
        for (unsigned j = 0; j < COLUMNS; j++)
            column[k][j] = (double)of_b[k % each][4 * j + k / each];
    for (unsigned lower = 0; lower < 2; lower++)
        for (unsigned g = 0; g < EMU_LANES; g += 4) {
            double s[COLUMNS];
            for (unsigned j = 0; j < COLUMNS; j++)
                s[j] = (double)sum[2 * lower + (j & 1)][g + j / 2];
            for (unsigned k = 0; k < depth; k++) {
                const double x = (double)of_a[each * lower + k % each][g + k / each];
                for (unsigned j = 0; j < COLUMNS; j++)
                    s[j] += x * column[k][j];
            }
            for (unsigned j = 0; j < COLUMNS; j++)
                sum[2 * lower + (j & 1)][g + j / 2] = (float)s[j];
        }
}

EMU_INLINE uint32_t finished(float v)
{
    const uint32_t bits = emu_float_bits(v);

    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : bits;
}

/* u->select: sums have 32 bits. */
EMU_INLINE void get_sums(const emu_warp_t *w, const emu_uop_t *u, float sum[4][EMU_LANES])
{
    const uint32_t *c = emu_src(w, u, 2);

    if (u->select)
        memcpy(sum, c, 4 * sizeof(*sum));
    else
        numbers(c, 2, TYPE_F16, sum);
}

EMU_INLINE void put_sums(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, float sum[4][EMU_LANES])
{
    if (u->select)
        for (unsigned i = 0; i < 4; i++)
            EMU_PUT_EACH(w, u->d + EMU_LANES * i, mask, finished(sum[i][k]));
    else
        for (unsigned i = 0; i < 2; i++)
            EMU_PUT_EACH(w, u->d + EMU_LANES * i, mask,
                         emu_round_to_half((double)sum[2 * i][k]) |
                             emu_round_to_half((double)sum[2 * i + 1][k]) << 16);
}

/* u->imm: parts of A and B. */
EMU_INLINE void hmma_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, type_t type)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1);
    float sum[4][EMU_LANES];

    get_sums(w, u, sum);
    for (unsigned part = 0; part < u->imm; part++)
        add_part(a + (size_t)2 * EMU_LANES * part, b + (size_t)EMU_LANES * part, type, sum);
    put_sums(w, u, mask, sum);
}

EMU_HOT static void hmma_f16(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    hmma_body(w, u, mask, TYPE_F16);
}

EMU_HOT static void hmma_bf16(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    hmma_body(w, u, mask, TYPE_BF16);
}

EMU_HOT static void hmma_tf32(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    hmma_body(w, u, mask, TYPE_TF32);
}

static bool overlap(uint32_t a, unsigned n_a, uint32_t b, unsigned n_b)
{
    return a < b + n_b * EMU_LANES && b < a + n_a * EMU_LANES;
}

/* HMMA.16816 of halves with 32-bit sums as two of Turing's, where the host is faster at them. */
EMU_HOT static void hmma_f16_twice(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_uop_t step = *u;

    if (mask != EMU_ALL || overlap(u->d, 4, u->s[0], 4) || overlap(u->d, 4, u->s[1], 2)) {
        hmma_f16(w, u, mask);
        return;
    }
    emu_hmma1688_avx512(w, &step, mask);
    step.s[0] += 2 * EMU_LANES;
    step.s[1] += EMU_LANES;
    step.s[2] = u->d;
    emu_hmma1688_avx512(w, &step, mask);
}

/* --- sparse ---------------------------------------------------------------------------------- */

enum { CHUNKS = 4 }; /* of a row, in each part of A */

/* B with its columns one after the other: element k of column j at [j][k]. */
typedef double columns_t[COLUMNS][4 * MAX_DEPTH];

EMU_INLINE void read_columns(const uint32_t *b, unsigned registers, type_t type, columns_t out)
{
    const unsigned each = type == TYPE_TF32 ? 1 : 2, depth = 4 * each * registers;
    float of_b[8][EMU_LANES];

    numbers(b, registers, type, of_b);
    for (unsigned j = 0; j < COLUMNS; j++)
        for (unsigned k = 0; k < depth; k++) {
            const unsigned lane = 4 * j + k % (4 * each) / each;
            out[j][k] = (double)of_b[each * (k / (4 * each)) + k % each][lane];
        }
}

/*
 * Adds the products of two registers of A, of row g and of row g + 8 in lanes 4g to 4g + 3, which hold
 * what is left of a chunk each: two of four numbers, or of tf32 one of two. Four bits of the metadata
 * (the lower half for row g) say where these were, in units of 16 bits.
 */
EMU_INLINE void add_sparse_part(const uint32_t *a, columns_t columns, unsigned first,
                                const uint32_t *metadata, type_t type, float sum[4][EMU_LANES])
{
    const unsigned each = type == TYPE_TF32 ? 1 : 2, chunk = 2 * each;
    float of_a[4][EMU_LANES];

    numbers(a, 2, type, of_a);
    for (unsigned lower = 0; lower < 2; lower++)
        for (unsigned g = 0; g < EMU_LANES; g += 4) {
            const uint32_t bits = metadata[g] >> (16 * lower);
            for (unsigned j = 0; j < COLUMNS; j++) {
                float *to = &sum[2 * lower + (j & 1)][g + j / 2];
                double s = (double)*to;
                for (unsigned t = 0; t < CHUNKS; t++)
                    for (unsigned i = 0; i < each; i++) {
                        const unsigned place = bits >> (4 * t + 2 * i) & 3;
                        const unsigned k = chunk * t + (each == 1 ? place / 2 : place);
                        s += (double)of_a[each * lower + i][g + t] * columns[j][first + k];
                    }
                *to = (float)s;
            }
        }
}

/* u->imm: parts of A; u->imm2: which of four threads, or for two parts which pair, has metadata. */
EMU_INLINE void sparse_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, type_t type)
{
    const unsigned parts = (unsigned)u->imm, depth = CHUNKS * (type == TYPE_TF32 ? 2 : 4);
    const uint32_t *a = emu_src(w, u, 0), *metadata = emu_src(w, u, 3) + parts * u->imm2;
    float sum[4][EMU_LANES];
    columns_t columns;

    get_sums(w, u, sum);
    read_columns(emu_src(w, u, 1), 2 * parts, type, columns);
    for (unsigned part = 0; part < parts; part++)
        add_sparse_part(a + (size_t)2 * EMU_LANES * part, columns, depth * part, metadata + part,
                        type, sum);
    put_sums(w, u, mask, sum);
}

static void sparse_f16(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    sparse_body(w, u, mask, TYPE_F16);
}

static void sparse_bf16(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    sparse_body(w, u, mask, TYPE_BF16);
}

static void sparse_tf32(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    sparse_body(w, u, mask, TYPE_TF32);
}

static bool bind_sparse(const sass_inst_t *in, emu_uop_t *u)
{
    static const emu_fn_t of_type[] = {sparse_f16, sparse_bf16, sparse_tf32};
    const unsigned type = sass_bits(in, 82, 2), shape = sass_matrix_shape(in);
    const unsigned shallow = type == TYPE_TF32 ? 0 : 1, deep = type == TYPE_TF32 ? 1 : 3;

    if (type > TYPE_TF32 || (shape != shallow && shape != deep) ||
        (type != TYPE_F16 && !sass_bits(in, 76, 1)))
        return false;
    u->select = (uint8_t)sass_bits(in, 76, 1);
    u->imm = shape == deep ? 2 : 1;
    u->imm2 = sass_bits(in, 48, 2);
    u->fn = of_type[type];
    return shape == shallow || u->imm2 < 2;
}

/* --------------------------------------------------------------------------------------------- */

static bool bind_hmma(const sass_inst_t *in, emu_uop_t *u)
{
    static const emu_fn_t of_type[] = {hmma_f16, hmma_bf16, hmma_tf32};
    const unsigned type = sass_bits(in, 82, 2), shape = sass_matrix_shape(in);
    const bool tf32 = type == TYPE_TF32;

    u->select = (uint8_t)sass_bits(in, 76, 1);
    u->imm = tf32 ? (shape == 0 ? 2 : 1) : shape + 1; /* 1688 is deep for tf32 */
    if (type > TYPE_TF32 || (tf32 ? shape != 0 && shape != 2 : shape > 1) ||
        (type != TYPE_F16 && !u->select))
        return false;
    u->fn = of_type[type];
    if (type == TYPE_F16 && u->select && emu_has_avx512())
        u->fn = shape == 0 ? emu_hmma1688_avx512 : hmma_f16_twice;
    return true;
}

/* --- integers and bits ----------------------------------------------------------------------- */

/* Bits of u->select: signs of A and B; bits are combined by AND. u->imm: bits of a number; u->imm2:
 * parts of A and B, 0 for 8 rows. */
enum { SIGNED_A = 1, SIGNED_B = 2, WITH_AND = 4 };

EMU_INLINE int32_t number_at(uint32_t word, unsigned bits, unsigned i, bool is_signed)
{
    const uint32_t high = word << (32 - bits * (i + 1));

    return is_signed ? (int32_t)high >> (32 - bits) : (int32_t)(high >> (32 - bits));
}

EMU_INLINE int64_t word_product(const emu_uop_t *u, uint32_t a, uint32_t b, unsigned bits)
{
    int64_t sum = 0;

    if (bits == 1)
        return __builtin_popcount(u->select & WITH_AND ? a & b : a ^ b);
    for (unsigned i = 0; i < 32 / bits; i++)
        sum += number_at(a, bits, i, u->select & SIGNED_A) *
               number_at(b, bits, i, u->select & SIGNED_B);
    return sum;
}

EMU_INLINE void integers_body(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, unsigned bits)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const unsigned n = u->imm2 > 0 ? 4 : 2, parts = u->imm2 > 0 ? u->imm2 : 1, step = n / 2;
    uint32_t r[4][EMU_LANES];

    for (unsigned i = 0; i < n; i++)
        for (unsigned lane = 0; lane < EMU_LANES; lane++) {
            const unsigned row = lane >> 2, col = 2 * (lane & 3) + (i & 1);
            int64_t v = (int32_t)c[EMU_LANES * i + lane];
            for (unsigned part = 0; part < parts; part++)
                for (unsigned k = 0; k < 4; k++)
                    v += word_product(u, a[EMU_LANES * (step * part + i / 2) + 4 * row + k],
                                      b[EMU_LANES * part + 4 * col + k], bits);
            v = u->sat && v > INT32_MAX ? INT32_MAX : u->sat && v < INT32_MIN ? INT32_MIN : v;
            r[i][lane] = (uint32_t)v;
        }
    for (unsigned i = 0; i < n; i++)
        emu_put(w, u->d + EMU_LANES * i, r[i], mask);
}

/*
 * The products of row g (lower: g + 8) of sparse A, in lanes 4g to 4g + 3, and a column of B, in lanes
 * from column on. A word has what is left of two chunks of four bytes; four bits of the row's metadata
 * say where the two bytes of each were. 4-bit numbers are left out by pairs.
 */
EMU_INLINE int64_t sparse_product(const emu_uop_t *u, const uint32_t *a, const uint32_t *b,
                                  unsigned column, uint32_t metadata, unsigned bits)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < 16; i++) {
        const unsigned k = i / 2 * 4 + (metadata >> (2 * i) & 3);
        const uint32_t of_b = b[EMU_LANES * (k / 16) + column + k % 16 / 4] >> (8 * (k % 4));
        sum += word_product(u, a[i / 4] >> (8 * (i % 4)) & 0xff, of_b & 0xff, bits);
    }
    return sum;
}

/* u->imm2: parts of A and B; u->imm: for one part, which pair of four threads has metadata, that of
 * row g first. */
EMU_INLINE void sparse_integers(emu_warp_t *w, const emu_uop_t *u, uint32_t mask, unsigned bits)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    const uint32_t *metadata = emu_src(w, u, 3) + (size_t)2 * u->imm;
    uint32_t r[4][EMU_LANES];

    for (unsigned i = 0; i < 4; i++)
        for (unsigned lane = 0; lane < EMU_LANES; lane++) {
            const unsigned g = lane & ~3u, lower = i / 2, column = 4 * (2 * (lane & 3) + (i & 1));
            int64_t v = (int32_t)c[EMU_LANES * i + lane];
            for (unsigned part = 0; part < u->imm2; part++)
                v += sparse_product(u, a + EMU_LANES * (2 * part + lower) + g,
                                    b + (size_t)2 * EMU_LANES * part, column,
                                    metadata[g + 2 * part + lower], bits);
            v = u->sat && v > INT32_MAX ? INT32_MAX : u->sat && v < INT32_MIN ? INT32_MIN : v;
            r[i][lane] = (uint32_t)v;
        }
    for (unsigned i = 0; i < 4; i++)
        emu_put(w, u->d + EMU_LANES * i, r[i], mask);
}

static void sparse_bytes(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    sparse_integers(w, u, mask, 8);
}

static void sparse_half_bytes(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    sparse_integers(w, u, mask, 4);
}

EMU_HOT static void bytes(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    integers_body(w, u, mask, 8);
}

EMU_HOT static void half_bytes(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    integers_body(w, u, mask, 4);
}

EMU_HOT static void bits(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    integers_body(w, u, mask, 1);
}

static bool bind_imma(const sass_inst_t *in, emu_uop_t *u)
{
    const bool halves = sass_bits(in, 83, 1);
    const unsigned shape = sass_matrix_shape(in);
    const unsigned shallow = halves ? 5 : 4;

    u->select =
        (uint8_t)((sass_bits(in, 76, 1) ? SIGNED_A : 0) | (sass_bits(in, 78, 1) ? SIGNED_B : 0));
    u->sat = sass_bits(in, 82, 1);
    u->imm2 = shape < 4 ? 0 : shape == shallow ? 1 : 2;
    u->fn = halves ? half_bytes : bytes;
    if (sass_bits(in, 84, 1) != halves || sass_bits(in, 79, 1) || sass_bits(in, 77, 1) ||
        sass_bits(in, 73, 2) != 2)
        return false;
    if (sass_is_sparse(in)) {
        u->imm = sass_bits(in, 48, 2);
        u->imm2 = shape - shallow;
        u->fn = halves ? sparse_half_bytes : sparse_bytes;
        return (u->imm2 == 1 && u->imm < 2) || (u->imm2 == 2 && u->imm == 0);
    }
    return shape == (halves ? 2 : 0) || shape == shallow || shape == shallow + 1;
}

static bool bind_bmma(const sass_inst_t *in, emu_uop_t *u)
{
    u->select = sass_bits(in, 78, 1) ? WITH_AND : 0;
    u->imm2 = sass_matrix_shape(in);
    u->fn = bits;
    return sass_bits(in, 73, 2) == 2 && u->imm2 < 3;
}

/* --- double precision: 8x8 = 8x4 * 4x8 ------------------------------------------------------- */

static double double_at(const uint32_t *v, unsigned lane)
{
    const uint64_t bits = emu_u64(v, (int)lane);
    double d;

    memcpy(&d, &bits, sizeof(d));
    return d;
}

/* Lane 4g + t has A[g][t], B[t][g], and the sums [g][2t] and [g][2t + 1]. */
static void dmma(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0), *b = emu_src(w, u, 1), *c = emu_src(w, u, 2);
    uint64_t r[2][EMU_LANES];

    for (unsigned lane = 0; lane < EMU_LANES; lane++)
        for (unsigned i = 0; i < 2; i++) {
            const unsigned row = lane & ~3u, col = 4 * (2 * (lane & 3) + i);
            double s = double_at(c + (size_t)2 * EMU_LANES * i, lane);
            s = u->xm[2] != 0 ? -s : s;
            for (unsigned k = 0; k < 4; k++) {
                const double x = double_at(a, row + k), y = double_at(b, col + k);
                s = __builtin_fma((u->xm[0] != 0) != (u->xm[1] != 0) ? -x : x, y, s);
            }
            memcpy(&r[i][lane], &s, sizeof(s));
        }
    emu_put_u64(w, u->d, r[0], mask);
    emu_put_u64(w, u->d + 2 * EMU_LANES, r[1], mask);
}

bool emu_bind_deep_matrix(const sass_inst_t *in, emu_uop_t *u)
{
    if (in->arch < SASS_AMPERE)
        return false;
    switch (in->op) {
    case SASS_HMMA1688:
        return sass_is_sparse(in) ? bind_sparse(in, u) : bind_hmma(in, u);
    case SASS_IMMA:
        return bind_imma(in, u);
    case SASS_BMMA:
        return bind_bmma(in, u);
    case SASS_DMMA:
        u->fn = dmma;
        return true;
    default:
        return false;
    }
}
