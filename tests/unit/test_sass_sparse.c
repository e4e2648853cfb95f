/* Sparse matrix products of compiled kernels (traces/src/sparse.cu) against dense ones of the CPU. */
#include <string.h>

#include "frontend/emulator/exec/emu_half.h"
#include "frontend/emulator/exec/emu_round.h"
#include "tests/support/sass_lab.h"
#include "tests/support/test.h"

enum { ROWS = 16, COLUMNS = 8, CELLS = ROWS * COLUMNS, MAX_WORDS = 8, MAX_DEPTH = 32, LANES = 32 };

typedef enum { F16, BF16, TF32 } kind_t;

typedef struct {
    const char *kernel;
    kind_t kind;
    unsigned words; /* of A in a row: one for each chunk */
    unsigned selector;
    bool half_sums;
} product_t;

static const product_t products[] = {
    {"f16_0", F16, 4, 0, false},        {"f16_1", F16, 4, 1, false},
    {"f16_2", F16, 4, 2, false},        {"f16_3", F16, 4, 3, false},
    {"bf16_2", BF16, 4, 2, false},      {"tf32_1", TF32, 4, 1, false},
    {"f16_deep_0", F16, 8, 0, false},   {"f16_deep_1", F16, 8, 1, false},
    {"bf16_deep_0", BF16, 8, 0, false}, {"tf32_deep_1", TF32, 8, 1, false},
    {"f16_to_16", F16, 8, 0, true},
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

static uint32_t encoded(kind_t kind, double v)
{
    return kind == F16 ? emu_double_to_half(v, EMU_RN)
                       : bits_of((float)v) >> (kind == BF16 ? 16 : 0);
}

/* Small, so that every sum is exact. */
static double number(uint64_t *seed)
{
    return (double)((int)(sass_lab_random(seed) >> 60) - 8);
}

/* Puts four bits about a chunk of a row into the word of the thread that has to have it. */
static void describe(const product_t *p, operands_t *o, unsigned row, unsigned chunk, unsigned bits)
{
    const unsigned group = row % 8, upper = row / 8, part = chunk / 4;
    const unsigned lane = 4 * group + (p->words == 8 ? 2 * p->selector + part : p->selector);
    const unsigned shift = 16 * upper + 4 * (chunk % 4);

    o->metadata[lane] = (o->metadata[lane] & ~(15u << shift)) | bits << shift;
}

static void make_chunk(const product_t *p, operands_t *o, unsigned row, unsigned chunk,
                       uint64_t *seed)
{
    static const unsigned pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    const unsigned choice = (unsigned)(sass_lab_random(seed) >> 40);
    uint32_t *word = &o->of_a[row * p->words + chunk];

    *word = 0;
    if (p->kind == TF32) {
        const unsigned k = choice % 2;
        o->a[row][2 * chunk + k] = number(seed);
        *word = encoded(TF32, o->a[row][2 * chunk + k]);
        describe(p, o, row, chunk, k == 0 ? 4 : 14);
        return;
    }
    const unsigned *k = pairs[choice % 6];
    for (unsigned i = 0; i < 2; i++) {
        o->a[row][4 * chunk + k[i]] = number(seed);
        *word |= encoded(p->kind, o->a[row][4 * chunk + k[i]]) << (16 * i);
    }
    describe(p, o, row, chunk, k[0] | k[1] << 2);
}

static void make(const product_t *p, operands_t *o, uint64_t *seed)
{
    const unsigned per = p->kind == TF32 ? 1 : 2;

    *o = (operands_t){0};
    for (unsigned i = 0; i < LANES; i++) /* not of the selected threads: of no meaning */
        o->metadata[i] = (uint32_t)(sass_lab_random(seed) >> 32);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned chunk = 0; chunk < p->words; chunk++)
            make_chunk(p, o, row, chunk, seed);
    for (unsigned column = 0; column < COLUMNS; column++)
        for (unsigned k = 0; k < 2 * p->words * per; k++) {
            uint32_t *word = &o->of_b[column * 2 * p->words + k / per];
            o->b[column][k] = number(seed);
            *word |= encoded(p->kind, o->b[column][k]) << (16 * (k % per));
        }
}

static void check_product(sass_lab_t *lab, const product_t *p, uint64_t *seed)
{
    operands_t o;
    uint32_t c[CELLS];
    uint16_t halves[CELLS];

    make(p, &o, seed);
    double sum[CELLS];
    for (unsigned i = 0; i < CELLS; i++) {
        sum[i] = number(seed);
        c[i] = bits_of((float)sum[i]);
        halves[i] = (uint16_t)emu_double_to_half(sum[i], EMU_RN);
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
        const uint32_t expected =
            p->half_sums ? emu_double_to_half(sum[i], EMU_RN) : bits_of((float)sum[i]);
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

static void sparse_products_of_bytes_are_refused_by_name(void **state)
{
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "sparse", 80);
    const uint64_t any = sass_lab_put(&lab, NULL, 4096);
    sass_lab_kernel(&lab, "bytes");
    for (unsigned i = 0; i < 5; i++)
        sass_lab_pointer(&lab, any);
    assert_int_not_equal(
        sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){LANES, 1, 1}, 0, NULL, NULL), RB_OK);
    assert_true(lab.totals.unsupported);
    assert_non_null(strstr(lab.err.text, "IMMA.SP.16832.S8.S8"));
    sass_lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_products_equal_dense_ones),
        cmocka_unit_test(sparse_products_of_bytes_are_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
