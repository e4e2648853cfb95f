/* Sparse matrix products of compiled kernels (traces/src/sparse.cu) against dense ones of the CPU. */
#include <string.h>

#include "frontend/emulator/exec/math/emu_half.h"
#include "frontend/emulator/exec/math/emu_round.h"
#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

enum { ROWS = 16, COLUMNS = 8, CELLS = ROWS * COLUMNS, MAX_WORDS = 8, MAX_DEPTH = 128, LANES = 32 };

typedef enum { F16, BF16, TF32, BYTES, HALF_BYTES } kind_t;

typedef struct {
    const char *kernel;
    kind_t kind;
    unsigned words; /* of A in a row: one for each chunk */
    unsigned selector;
    bool half_sums, unsigned_a, unsigned_b;
} product_t;

static const product_t products[] = {
    {.kernel = "f16_0", F16, 4, 0},
    {.kernel = "f16_1", F16, 4, 1},
    {.kernel = "f16_2", F16, 4, 2},
    {.kernel = "f16_3", F16, 4, 3},
    {.kernel = "bf16_2", BF16, 4, 2},
    {.kernel = "tf32_1", TF32, 4, 1},
    {.kernel = "f16_deep_0", F16, 8, 0},
    {.kernel = "f16_deep_1", F16, 8, 1},
    {.kernel = "bf16_deep_0", BF16, 8, 0},
    {.kernel = "tf32_deep_1", TF32, 8, 1},
    {.kernel = "f16_to_16", F16, 8, 0, .half_sums = true},
    {.kernel = "s8_0", BYTES, 4, 0},
    {.kernel = "u8_s8_1", BYTES, 4, 1, .unsigned_a = true},
    {.kernel = "s4_u4_1", HALF_BYTES, 4, 1, .unsigned_b = true},
    {.kernel = "s8_deep", BYTES, 8, 0},
    {.kernel = "s4_deep", HALF_BYTES, 8, 0},
};

/* The operands, dense and as the kernels want them. */
typedef struct {
    double a[ROWS][MAX_DEPTH], b[COLUMNS][MAX_DEPTH];
    uint32_t of_a[ROWS * MAX_WORDS], of_b[COLUMNS * 2 * MAX_WORDS], metadata[LANES];
} operands_t;

static uint32_t bits_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static bool is_integer(kind_t kind)
{
    return kind >= BYTES;
}

/* Bits of a number. */
static unsigned width_of(kind_t kind)
{
    return (unsigned[]){16, 16, 32, 8, 4}[kind];
}

static uint32_t encoded(kind_t kind, double v)
{
    switch (kind) {
    case F16:
        return emu_double_to_half(v, EMU_RN);
    case BF16:
        return bits_of((float)v) >> 16;
    case TF32:
        return bits_of((float)v);
    default:
        return (uint32_t)(int32_t)v & ((1u << width_of(kind)) - 1);
    }
}

/* Small, so that every sum is exact. */
static double number(kind_t kind, bool not_negative, uint64_t *seed)
{
    const int bits = is_integer(kind) ? (int)width_of(kind) : 4;
    const int n = (int)(sass_lab_random(seed) >> (64 - bits));

    return not_negative ? n : n - (1 << (bits - 1));
}

/*
 * Puts four bits about a chunk of a row into the word of the thread that has to have it. Rows of floats
 * have 16 bits for each 4 chunks, those of integers a word for each 8.
 */
static void describe(const product_t *p, operands_t *o, unsigned row, unsigned chunk, unsigned bits)
{
    const unsigned first = row % 8 * 4, upper = row / 8;
    const unsigned of_word = is_integer(p->kind) ? 8 : 4, part = chunk / of_word;
    const unsigned lane = is_integer(p->kind) ? first + 2 * (p->selector + part) + upper
                          : p->words == 8     ? first + 2 * p->selector + part
                                              : first + p->selector;
    const unsigned shift = (is_integer(p->kind) ? 0 : 16 * upper) + 4 * (chunk % of_word);

    o->metadata[lane] = (o->metadata[lane] & ~(15u << shift)) | bits << shift;
}

/* What is left of a chunk: two of four units, of one number each, or of two with four bits. */
static void make_chunk(const product_t *p, operands_t *o, unsigned row, unsigned chunk,
                       uint64_t *seed)
{
    static const unsigned pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    const unsigned choice = (unsigned)(sass_lab_random(seed) >> 40), width = width_of(p->kind);
    const unsigned numbers = p->kind == HALF_BYTES ? 2 : 1, *k = pairs[choice % 6];
    const unsigned chunks = is_integer(p->kind) ? 2 : 1; /* in a word */
    uint32_t *word = &o->of_a[row * p->words + chunk / chunks];

    if (p->kind == TF32) { /* one of two */
        o->a[row][2 * chunk + choice % 2] = number(TF32, false, seed);
        *word = encoded(TF32, o->a[row][2 * chunk + choice % 2]);
        describe(p, o, row, chunk, choice % 2 == 0 ? 4 : 14);
        return;
    }
    for (unsigned i = 0; i < 2 * numbers; i++) {
        double *a = &o->a[row][(4 * chunk + k[i / numbers]) * numbers + i % numbers];
        *a = number(p->kind, p->unsigned_a, seed);
        *word |= encoded(p->kind, *a) << (width * (2 * numbers * (chunk % chunks) + i));
    }
    describe(p, o, row, chunk, k[0] | k[1] << 2);
}

static void make(const product_t *p, operands_t *o, uint64_t *seed)
{
    const unsigned per = 32 / width_of(p->kind);

    *o = (operands_t){0};
    for (unsigned i = 0; i < LANES; i++) /* not of the selected threads: of no meaning */
        o->metadata[i] = (uint32_t)(sass_lab_random(seed) >> 32);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned chunk = 0; chunk < p->words * (is_integer(p->kind) ? 2 : 1); chunk++)
            make_chunk(p, o, row, chunk, seed);
    for (unsigned column = 0; column < COLUMNS; column++)
        for (unsigned k = 0; k < 2 * p->words * per; k++) {
            uint32_t *word = &o->of_b[column * 2 * p->words + k / per];
            o->b[column][k] = number(p->kind, p->unsigned_b, seed);
            *word |= encoded(p->kind, o->b[column][k]) << (32 / per * (k % per));
        }
}

/* A sum as the kernel writes it. */
static uint32_t result(const product_t *p, double sum)
{
    return is_integer(p->kind) ? (uint32_t)(int32_t)sum
           : p->half_sums      ? emu_double_to_half(sum, EMU_RN)
                               : bits_of((float)sum);
}

static void check_product(sass_lab_t *lab, const product_t *p, uint64_t *seed)
{
    operands_t o;
    uint32_t c[CELLS];
    uint16_t halves[CELLS];

    make(p, &o, seed);
    double sum[CELLS];
    for (unsigned i = 0; i < CELLS; i++) {
        sum[i] = number(F16, false, seed);
        c[i] = result(p, sum[i]);
        halves[i] = (uint16_t)c[i];
        for (unsigned k = 0; k < MAX_DEPTH; k++)
            sum[i] += o.a[i / COLUMNS][k] * o.b[i % COLUMNS][k];
    }
    const uint64_t out = sass_lab_put(lab, NULL, sizeof(c));
    sass_lab_kernel(lab, p->kernel);
    sass_lab_pointer(lab, sass_lab_put(lab, o.of_a, sizeof(o.of_a)));
    sass_lab_pointer(lab, sass_lab_put(lab, o.of_b, sizeof(o.of_b)));
    sass_lab_pointer(lab, sass_lab_put(lab, o.metadata, sizeof(o.metadata)));
    sass_lab_pointer(lab, p->half_sums ? sass_lab_put(lab, halves, sizeof(halves))
                                       : sass_lab_put(lab, c, sizeof(c)));
    sass_lab_pointer(lab, out);
    sass_lab_must_run(lab, 1, LANES, 0);
    const uint32_t *got = sass_lab_at(lab, out);
    const uint16_t *got16 = sass_lab_at(lab, out);
    for (unsigned i = 0; i < CELLS; i++) {
        const uint32_t r = p->half_sums ? got16[i] : got[i];
        const uint32_t expected = result(p, sum[i]);
        if (r != expected)
            fail_msg("%s [%u][%u]: 0x%x, expected 0x%x", p->kernel, i / COLUMNS, i % COLUMNS, r,
                     expected);
    }
}

static void sparse_products_equal_dense_ones(void **state)
{
    uint64_t seed = 24;
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "sparse", 80);
    for (unsigned again = 0; again < 8; again++)
        for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
            check_product(&lab, &products[i], &seed);
    sass_lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_products_equal_dense_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
