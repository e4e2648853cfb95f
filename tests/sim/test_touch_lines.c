/* The lines that walks without time find: the same as the model coalesces, in the same order. */
#include "tests/support/test.h"

#include "sim/gpu/warming/touch_lines.h"
#include "tests/support/trace/synth.h"

enum { LANES = 32 };

/* Compares the lines of a record with those that the model finds. */
static void compare(touch_lines_t *l, const uint64_t *rec, unsigned width, bool write)
{
    lane_addrs_t lanes;
    coalesced_t c;
    coalesce_decode(rec, width, &lanes);
    coalesce_lines(&lanes, width, write ? COALESCE_STORE : COALESCE_LOAD, &c);
    touch_lines(l, rec, width, write);
    assert_int_equal(l->n, c.n);
    for (uint32_t i = 0; i < c.n; i++) {
        assert_int_equal(l->line[i], c.line[i].line);
        assert_int_equal(l->sectors[i], c.line[i].sectors);
        if (!write)
            continue;
        assert_int_equal(l->full[i], c.line[i].full);
        if (l->full[i] != c.line[i].sectors)
            assert_memory_equal(l->bytes[i], c.line[i].bytes, sizeof(c.line[i].bytes));
    }
}

static void compare_all(touch_lines_t *l, const uint64_t *addr, unsigned n)
{
    uint64_t rec[ADDR_RECORD_MAX];
    addr_pack(addr, n, rec);
    for (unsigned width = 1; width <= 16; width *= 2) {
        compare(l, rec, width, false);
        compare(l, rec, width, true);
    }
}

static void affine_accesses_touch_the_lines_that_the_model_finds(void **state)
{
    (void)state;
    static touch_lines_t l;
    static const int64_t strides[] = {0,  1,   2,   3,   4,    8,  12, 16,   20,
                                      32, 100, 128, 132, 4096, -4, -8, -128, INT32_MAX};
    static const uint64_t bases[] = {0x1000, 0x1010, 0x1020, 0x107c, 0x107e, 0x10000000ff0};
    for (size_t s = 0; s < sizeof(strides) / sizeof(*strides); s++) {
        for (size_t b = 0; b < sizeof(bases) / sizeof(*bases); b++) {
            for (unsigned n = 1; n <= LANES; n++) {
                uint64_t addr[LANES];
                for (unsigned i = 0; i < n; i++)
                    addr[i] = bases[b] + (uint64_t)(strides[s] * (int64_t)i);
                compare_all(&l, addr, n);
            }
        }
    }
}

static void rows_touch_the_lines_that_the_model_finds(void **state)
{
    (void)state;
    static touch_lines_t l;
    static const int64_t strides[] = {0, 2, 4, 12, 64}, distances[] = {-512, 0, 6, 36, 1024, 65540};
    for (unsigned i = 0; i < 5 * 6 * 16; i++) {
        const int64_t stride = strides[i % 5], distance = distances[i / 5 % 6];
        const unsigned row = 1 + i / 30;
        uint64_t addr[LANES];
        for (unsigned k = 0; k < LANES; k++)
            addr[k] = 0x10000000ff0 + (uint64_t)(k / row * distance + k % row * stride);
        compare_all(&l, addr, LANES);
    }
}

/* Random addresses within some bytes, multiples of some number. Far ones make lists of addresses,
 * near ones distances; few lines make many lanes meet. */
static void irregular_accesses_touch_the_lines_that_the_model_finds(void **state)
{
    (void)state;
    static touch_lines_t l;
    static const uint64_t spans[] = {64, 512, 4096, 1 << 20, UINT64_C(1) << 40};
    static const uint64_t steps[] = {1, 2, 4, 8, 16};
    uint64_t seed = 1;
    for (unsigned round = 0; round < 4000; round++) {
        const uint64_t span = spans[round % 5], step = steps[round / 5 % 5];
        const unsigned n = 1 + (unsigned)(synth_mix(seed++) % LANES);
        uint64_t addr[LANES];
        for (unsigned i = 0; i < n; i++)
            addr[i] = 0x7f0000000000 + synth_mix(seed++) % span / step * step;
        compare_all(&l, addr, n);
    }
}

static void accesses_at_the_ends_of_memory_do_no_harm(void **state)
{
    (void)state;
    static touch_lines_t l;
    static const uint64_t bases[] = {0, UINT64_MAX, UINT64_MAX - 3, UINT64_MAX - 127};
    for (size_t b = 0; b < sizeof(bases) / sizeof(*bases); b++) {
        for (int64_t stride = -4; stride <= 4; stride += 4) {
            uint64_t addr[LANES];
            for (unsigned i = 0; i < LANES; i++)
                addr[i] = bases[b] + (uint64_t)(stride * (int64_t)i);
            compare_all(&l, addr, LANES);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(affine_accesses_touch_the_lines_that_the_model_finds),
        cmocka_unit_test(rows_touch_the_lines_that_the_model_finds),
        cmocka_unit_test(irregular_accesses_touch_the_lines_that_the_model_finds),
        cmocka_unit_test(accesses_at_the_ends_of_memory_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
