/* Lane addresses packed into records and read back: every form, and the shortest one. */
#include <string.h>

#include "sim/isa/stream.h"
#include "tests/support/test.h"

static void keeps(const uint64_t *addr, unsigned n, addr_form_t form, size_t words)
{
    uint64_t rec[ADDR_RECORD_MAX + 1], back[32];

    rec[ADDR_RECORD_MAX] = 0x5a5a;
    assert_int_equal(addr_pack(addr, n, rec), words);
    assert_int_equal(addr_form(rec), form);
    assert_int_equal(addr_lanes(rec), n);
    assert_int_equal(addr_words(rec), words);
    assert_int_equal(addr_unpack(rec, back), n);
    assert_memory_equal(back, addr, n * sizeof(*addr));
    assert_int_equal(rec[ADDR_RECORD_MAX], 0x5a5a);
}

static void regular_addresses_take_two_words(void **state)
{
    uint64_t addr[32];

    (void)state;
    for (int64_t stride = -8; stride <= 8; stride += 4) {
        for (unsigned k = 0; k < 32; k++)
            addr[k] = 0x7f0000000000 + k * (uint64_t)stride;
        keeps(addr, 32, ADDR_AFFINE, 2);
        keeps(addr, 1, ADDR_AFFINE, 2);
    }
    addr[0] = 0;
    addr[1] = INT32_MAX;
    keeps(addr, 2, ADDR_AFFINE, 2);
    addr[0] = 1ull << 31;
    addr[1] = 0;
    keeps(addr, 2, ADDR_AFFINE, 2);
}

static void near_addresses_take_half_a_word_each(void **state)
{
    const uint64_t addr[] = {0x80000000, 0x100, 0x80000004, 0xffffffff, 0x80000000};

    (void)state;
    keeps(addr, 3, ADDR_DELTA, 4);
    keeps(addr, 4, ADDR_DELTA, 4);
    keeps(addr, 5, ADDR_DELTA, 5);
}

static void rows_take_three_words(void **state)
{
    uint64_t addr[32];

    (void)state;
    for (unsigned row = 2; row <= 16; row++) {
        for (int64_t distance = -4096; distance <= 4096; distance += 4096 + 256) {
            for (unsigned k = 0; k < 32; k++)
                addr[k] = 0x7f0000000040 + k / row * (uint64_t)distance + k % row * 4;
            keeps(addr, 32, ADDR_ROWS, 3);
            keeps(addr, 2 * row, ADDR_ROWS, 3);
            keeps(addr, 2 * row - 1, ADDR_DELTA, 2 + row); /* not two whole rows */
        }
        addr[31] += 4;
        keeps(addr, 32, ADDR_DELTA, 18);
    }
    for (unsigned k = 0; k < 32; k++) /* rows that are one address */
        addr[k] = 0x1000 + k / 16 * 64;
    keeps(addr, 32, ADDR_ROWS, 3);
}

static void far_addresses_are_listed(void **state)
{
    uint64_t addr[32] = {0, 1ull << 31, 7, UINT64_MAX};

    (void)state;
    keeps(addr, 2, ADDR_LIST, 3);
    for (unsigned k = 4; k < 32; k++)
        addr[k] = k * 0x123456789abcdefull;
    keeps(addr, 32, ADDR_LIST, 33);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_addresses_take_two_words),
        cmocka_unit_test(near_addresses_take_half_a_word_each),
        cmocka_unit_test(rows_take_three_words),
        cmocka_unit_test(far_addresses_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
