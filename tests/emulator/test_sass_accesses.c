/*
 * Loads and stores of every width with many address patterns. Accesses that the emulator handles
 * together must give the same results as lane by lane, in memory, in registers and in the trace.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/sass_code.h"
#include "tests/support/test.h"

enum { LANES = 32, WORDS = 4, SPAN = 4096, LINE = 16 };

/* Byte offset of each lane's access, a multiple of 16. */
typedef void (*pattern_fn)(uint32_t at[LANES], unsigned width);

static void one_place(uint32_t at[LANES], unsigned width)
{
    (void)width;
    for (uint32_t k = 0; k < LANES; k++)
        at[k] = 48;
}

static void a_row(uint32_t at[LANES], unsigned width)
{
    for (uint32_t k = 0; k < LANES; k++)
        at[k] = 64 + k * width;
}

static void backwards(uint32_t at[LANES], unsigned width)
{
    for (uint32_t k = 0; k < LANES; k++)
        at[k] = (LANES - 1 - k) * width;
}

static void two_places(uint32_t at[LANES], unsigned width)
{
    (void)width;
    for (uint32_t k = 0; k < LANES; k++)
        at[k] = k < 16 ? 512 : 16;
}

static void a_row_and_a_place(uint32_t at[LANES], unsigned width)
{
    for (uint32_t k = 0; k < LANES; k++)
        at[k] = k < 16 ? 1024 + k * width : 96;
}

static void the_same_row_twice(uint32_t at[LANES], unsigned width)
{
    for (uint32_t k = 0; k < LANES; k++)
        at[k] = 32 + k % 16 * width;
}

static void a_row_but_for_one(uint32_t at[LANES], unsigned width)
{
    for (uint32_t k = 0; k < LANES; k++)
        at[k] = k * width;
    at[17] = 2048;
}

static void strides(uint32_t at[LANES], unsigned width)
{
    for (uint32_t k = 0; k < LANES; k++)
        at[k] = k * 3 * width;
}

static void anywhere(uint32_t at[LANES], unsigned width)
{
    uint64_t seed = 77;

    for (uint32_t k = 0; k < LANES; k++)
        at[k] = (uint32_t)(sass_lab_random(&seed) % (SPAN / LINE - 1)) * LINE / width * width;
}

static const pattern_fn patterns[] = {
    one_place,         a_row,    backwards,          two_places,       strides,
    a_row_and_a_place, anywhere, the_same_row_twice, a_row_but_for_one};

/* --- the kernels: parameters are the offsets, the array, and a place for results ---------------
 */

enum { AT = 0x160, ARRAY = 0x168, RESULT = 0x170 };

/* Writes the value that a lane loads to its place in the results. */
static void put_loads(sass_lab_t *lab, unsigned width)
{
    const sass_code_t code[] = {sass_code_tid_to(0),
                                sass_code_number_to(5, 4),
                                sass_code_number_to(9, 1),
                                sass_code_number_to(10, LINE),
                                sass_code_address_to(2, 0, 5, AT),
                                sass_code_load_to(4, 2, 4),
                                sass_code_address_to(6, 4, 9, ARRAY),
                                sass_code_load_to(12, 6, width),
                                sass_code_address_to(2, 0, 10, RESULT),
                                sass_code_store_from(12, 2, LINE)};

    sass_lab_code(lab, code, sizeof(code) / sizeof(code[0]));
}

/* Stores zeros: the source is RZ, for any width. */
static void put_zeros(sass_lab_t *lab, unsigned width)
{
    enum { RZ = 255 };
    const sass_code_t code[] = {sass_code_tid_to(0),
                                sass_code_number_to(5, 4),
                                sass_code_number_to(9, 1),
                                sass_code_address_to(2, 0, 5, AT),
                                sass_code_load_to(4, 2, 4),
                                sass_code_address_to(6, 4, 9, ARRAY),
                                sass_code_store_from(RZ, 6, width)};

    sass_lab_code(lab, code, sizeof(code) / sizeof(code[0]));
}

/* Stores the number of the thread, 101, 102, and the number again. */
static void put_stores(sass_lab_t *lab, unsigned width)
{
    const sass_code_t code[] = {sass_code_tid_to(0),
                                sass_code_number_to(5, 4),
                                sass_code_number_to(9, 1),
                                sass_code_address_to(2, 0, 5, AT),
                                sass_code_load_to(4, 2, 4),
                                sass_code_address_to(6, 4, 9, ARRAY),
                                sass_code_tid_to(12),
                                sass_code_number_to(13, 101),
                                sass_code_number_to(14, 102),
                                sass_code_tid_to(15),
                                sass_code_store_from(12, 6, width)};

    sass_lab_code(lab, code, sizeof(code) / sizeof(code[0]));
}

/* --- trials ---------------------------------------------------------------------------------- */

typedef struct {
    uint64_t addrs[4][LANES]; /* of the memory instructions in their order */
    unsigned n_records, n_lanes;
} seen_t;

static rb_code_t see(void *ctx, const trace_block_t *block, rb_err_t *err)
{
    seen_t *seen = ctx;
    const uint64_t *rec = block->warps[0].addrs;

    (void)err;
    for (uint32_t at = 0; at < block->warps[0].n_addr_words; at += (uint32_t)addr_words(rec + at)) {
        assert_true(seen->n_records < 4);
        seen->n_lanes = addr_unpack(rec + at, seen->addrs[seen->n_records++]);
    }
    return RB_OK;
}

typedef struct {
    sass_lab_t lab;
    uint64_t array, result;
    uint32_t at[LANES];
} trial_t;

typedef void (*put_fn)(sass_lab_t *lab, unsigned width);

/* Initial contents of the array: all bits of all bytes differ from word to word. */
static void fill(uint32_t words[SPAN / 4])
{
    for (uint32_t i = 0; i < SPAN / 4; i++)
        words[i] = (i + 1) * 2654435761u;
}

static void begin(trial_t *t, pattern_fn pattern, unsigned width, put_fn put_code)
{
    uint32_t words[SPAN / 4];

    fill(words);
    sass_lab_open(&t->lab, "matmul", 70);
    pattern(t->at, width);
    sass_lab_kernel(&t->lab, "matmul");
    put_code(&t->lab, width);
    t->array = sass_lab_put(&t->lab, words, sizeof(words));
    t->result = sass_lab_put(&t->lab, NULL, LANES * LINE);
    sass_lab_pointer(&t->lab, sass_lab_put(&t->lab, t->at, sizeof(t->at)));
    sass_lab_pointer(&t->lab, t->array);
    sass_lab_pointer(&t->lab, t->result);
    sass_lab_int(&t->lab, 0);
}

/* Runs threads 0 to n - 1, and checks the record of the access in question. */
static void run(trial_t *t, unsigned n, bool traced)
{
    seen_t seen = {0};

    if (sass_lab_run(&t->lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){n, 1, 1}, 0, traced ? see : NULL,
                     &seen) != RB_OK)
        fail_msg("%s", t->lab.err.text);
    if (!traced)
        return;
    assert_int_equal(seen.n_lanes, n);
    for (unsigned k = 0; k < n; k++)
        assert_int_equal(seen.addrs[1][k], t->array + t->at[k]);
}

static void check_loads(trial_t *t, unsigned width, unsigned n)
{
    const uint32_t *got = sass_lab_at(&t->lab, t->result);
    uint32_t words[SPAN / 4];

    fill(words);
    for (unsigned k = 0; k < LANES; k++) {
        uint32_t expected[WORDS] = {0};
        if (k < n)
            memcpy(expected, (const uint8_t *)words + t->at[k], width);
        if (width == 2) /* signed */
            expected[0] = (uint32_t)(int16_t)expected[0];
        assert_memory_equal(got + (size_t)WORDS * k, expected, sizeof(expected));
    }
}

static void check_stores(trial_t *t, unsigned width, unsigned n)
{
    uint32_t expected[SPAN / 4];

    fill(expected);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t data[WORDS] = {k, 101, 102, k};
        memcpy((uint8_t *)expected + t->at[k], data, width);
    }
    assert_memory_equal(sass_lab_at(&t->lab, t->array), expected, sizeof(expected));
}

static void all_patterns(bool stores)
{
    static const unsigned threads[] = {32, 1, 11, 16, 31};
    trial_t t;

    for (size_t p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++)
        for (unsigned width = 1; width <= 16; width *= 2)
            for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
                for (unsigned traced = 0; traced < 2; traced++) {
                    begin(&t, patterns[p], width, stores ? put_stores : put_loads);
                    run(&t, threads[i], traced);
                    (stores ? check_stores : check_loads)(&t, width, threads[i]);
                    sass_lab_close(&t.lab);
                }
}

static void the_code_is_what_it_should_be(void **state)
{
    const sass_code_t words[] = {sass_code_tid_to(0), sass_code_number_to(10, 16),
                                 sass_code_address_to(6, 4, 9, ARRAY), sass_code_load_to(12, 6, 16),
                                 sass_code_store_from(12, 2, 8)};
    static const char *const texts[] = {"S2R R0, SR_TID.X", "MOV R10, 0x10",
                                        "IMAD.WIDE R6, R4, R9, c[0x0][0x168]",
                                        "LDG.E.128.SYS R12, [R6]", "STG.E.64.SYS [R2], R12"};
    char text[SASS_TEXT_MAX];
    sass_inst_t in;

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        assert_true(sass_decode(&in, (const uint8_t *)&words[i], 0, 75));
        sass_text(&in, text);
        assert_string_equal(text, texts[i]);
    }
}

static void loads_take_each_lanes_words(void **state)
{
    (void)state;
    all_patterns(false);
}

static void stores_happen_in_the_order_of_lanes(void **state)
{
    (void)state;
    all_patterns(true);
}

static void zeros_are_as_wide_as_the_store(void **state)
{
    trial_t t;

    (void)state;
    for (unsigned width = 1; width <= 16; width *= 2) {
        begin(&t, strides, width, put_zeros);
        run(&t, LANES, false);
        uint32_t expected[SPAN / 4];
        fill(expected);
        for (uint32_t k = 0; k < LANES; k++)
            memset((uint8_t *)expected + t.at[k], 0, width);
        assert_memory_equal(sass_lab_at(&t.lab, t.array), expected, sizeof(expected));
        sass_lab_close(&t.lab);
    }
}

/* The last lane of a row is beyond the end of the array, which the address pattern must not
 * hide. */
static void rows_end_with_their_array(void **state)
{
    trial_t t;

    (void)state;
    for (unsigned n = 31; n <= LANES; n++) {
        begin(&t, a_row, 4, put_loads);
        uint64_t end = sass_lab_put(&t.lab, NULL, 512) + 512 - 31 * 4;
        t.lab.n_params = 1;
        sass_lab_pointer(&t.lab, end - 64); /* the row begins at 64 */
        t.lab.n_params = t.lab.kernel->n_params;
        rb_code_t rc =
            sass_lab_run(&t.lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){n, 1, 1}, 0, NULL, NULL);
        assert_int_equal(rc, n == LANES ? RB_TRACE : RB_OK);
        if (n == LANES)
            assert_non_null(strstr(t.lab.err.text, "lane 31: address 0x"));
        sass_lab_close(&t.lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_code_is_what_it_should_be),
        cmocka_unit_test(loads_take_each_lanes_words),
        cmocka_unit_test(stores_happen_in_the_order_of_lanes),
        cmocka_unit_test(zeros_are_as_wide_as_the_store),
        cmocka_unit_test(rows_end_with_their_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
