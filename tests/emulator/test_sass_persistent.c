/* Blocks of a plain launch that wait for each other, and warps that rely on each other's
 * progress. */
#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

static void blocks_meet_without_long_waits(void **state)
{
    enum { BLOCKS = 8, THREADS = 64, N = BLOCKS * THREADS, ROUNDS = 3, A_WAIT = 1 << 19 };
    int32_t values[2 * N];
    sass_lab_t lab;

    (void)state;
    for (int32_t i = 0; i < 2 * N; i++)
        values[i] = 1000 * i;
    SASS_LAB_FOR_EACH_ARCH(lab, "persistent")
    {
        uint64_t v = sass_lab_put(&lab, values, sizeof(values));
        sass_lab_kernel(&lab, "rounds");
        sass_lab_pointer(&lab, v);
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
        sass_lab_int(&lab, ROUNDS);
        sass_lab_must_run(&lab, BLOCKS, THREADS, 0);
        const int32_t *got = (int32_t *)sass_lab_at(&lab, v) + ROUNDS % 2 * N;
        for (int32_t i = 0; i < N; i++)
            assert_int_equal(got[i], values[(i + ROUNDS * THREADS) % N] + ROUNDS);
        assert_true(lab.totals.warp_insts < (uint64_t)BLOCKS * ROUNDS * A_WAIT);
    }
}

/* Blocks wait for a counter to equal a number: none that has seen it counts again before the others have, also if
 * there are few blocks, or several host threads. */
static void all_blocks_see_what_they_wait_for(void **state)
{
    enum { THREADS = 96, ROUNDS = 5, MOST = 40 };
    static const uint32_t blocks[] = {1, 2, 7, MOST};
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        SASS_LAB_FOR_EACH_ARCH(lab, "polls")
        {
            const uint32_t n = blocks[i / 2];
            uint64_t counter = sass_lab_put(&lab, NULL, 4);
            uint64_t out = sass_lab_put(&lab, NULL, (size_t)n * THREADS * 4);
            lab.workers = i % 2 == 0 ? 1 : 4;
            sass_lab_kernel(&lab, "equals");
            sass_lab_pointer(&lab, counter);
            sass_lab_pointer(&lab, out);
            sass_lab_int(&lab, ROUNDS);
            sass_lab_must_run(&lab, n, THREADS, 0);
            assert_int_equal(*(uint32_t *)sass_lab_at(&lab, counter), n * ROUNDS);
            for (uint32_t t = 0; t < n * THREADS; t++)
                assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[t],
                                 (int32_t)(t % THREADS) - (int32_t)(t / THREADS));
        }
}

static void warps_leave_a_barrier_together(void **state)
{
    enum { THREADS = 512, ROUNDS = 12 };
    int32_t sum = 0;
    sass_lab_t lab;

    (void)state;
    for (int32_t r = 0; r < ROUNDS; r++)
        sum += (r + 1) * (r + 1);
    SASS_LAB_FOR_EACH_ARCH(lab, "persistent")
    {
        uint64_t seen = sass_lab_put(&lab, NULL, 4 * THREADS);
        sass_lab_kernel(&lab, "turns");
        sass_lab_pointer(&lab, seen);
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 16 * ROUNDS));
        sass_lab_int(&lab, ROUNDS);
        sass_lab_must_run(&lab, 1, THREADS, 0);
        for (unsigned i = 0; i < THREADS; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, seen))[i], sum);
    }
}

/* The clock counts instructions, also in a loop that only reads it. */
static void waits_by_the_clock_end_in_time(void **state)
{
    enum { THREADS = 96, CLOCKS = 4000, LOOP = 100 };
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "persistent")
    {
        uint64_t waited = sass_lab_put(&lab, NULL, 4 * THREADS);
        sass_lab_kernel(&lab, "wait_for_clocks");
        sass_lab_pointer(&lab, waited);
        sass_lab_int(&lab, CLOCKS);
        sass_lab_must_run(&lab, 1, THREADS, 0);
        for (unsigned i = 0; i < THREADS; i++)
            assert_in_range(((uint32_t *)sass_lab_at(&lab, waited))[i], CLOCKS, CLOCKS + LOOP);
        assert_in_range(lab.totals.warp_insts, THREADS / 32 * CLOCKS / 8, THREADS / 32 * CLOCKS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_meet_without_long_waits),
        cmocka_unit_test(all_blocks_see_what_they_wait_for),
        cmocka_unit_test(warps_leave_a_barrier_together),
        cmocka_unit_test(waits_by_the_clock_end_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
