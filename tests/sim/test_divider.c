/* Division by an invariant number, compared with the division of the host. */
#include "sim/core/divider.h"
#include "tests/support/test.h"

static void agree(uint64_t by, uint64_t n)
{
    const divider_t d = divider_make(by);
    assert_int_equal(divider_quotient(&d, n), n / by);
    assert_int_equal(divider_rest(&d, n), n % by);
    if (n <= UINT64_MAX - by)
        assert_int_equal(divider_quotient_up(&d, n), n / by + (n % by != 0));
}

/* Around every multiple that is a power of two, and at both ends. */
static void agree_near(uint64_t by)
{
    for (unsigned shift = 0; shift < 64; shift++) {
        uint64_t near[] = {UINT64_C(1) << shift, by << shift, UINT64_MAX / by << shift,
                           UINT64_MAX - (UINT64_C(1) << shift)};
        for (unsigned i = 0; i < 4; i++)
            for (uint64_t off = 0; off < 3; off++)
                agree(by, near[i] + off - 1);
    }
    agree(by, 0);
    agree(by, UINT64_MAX);
}

static void quotients_are_those_of_a_division(void **state)
{
    (void)state;
    for (uint64_t by = 1; by < 300; by++)
        agree_near(by);
    for (unsigned shift = 8; shift < 64; shift++)
        for (uint64_t off = 0; off < 3; off++)
            agree_near((UINT64_C(1) << shift) + off - 1);
    agree_near(UINT64_MAX);
    agree_near(UINT64_MAX - 1);
}

static void quotients_of_any_numbers_are_those_of_a_division(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 1000000; i++) {
        uint64_t v[2];
        for (int k = 0; k < 2; k++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            v[k] = x >> (x & 63);
        }
        agree(v[0] > 0 ? v[0] : 1, v[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_are_those_of_a_division),
        cmocka_unit_test(quotients_of_any_numbers_are_those_of_a_division),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
