/* Laws of list scheduling, from which the benchmark estimates more threads. */
#include "tests/support/test.h"

#include <stdlib.h>

#include "bench/bench_schedule.h"
#include "sampling/math/rng.h"

enum { N = 100 };

static void equal_shards_take_as_many_rounds_as_they_need(void **state)
{
    float time[N];
    (void)state;
    for (size_t i = 0; i < N; i++)
        time[i] = 2;
    for (unsigned threads = 1; threads <= SCHEDULE_THREADS_MAX; threads++)
        for (size_t n = 0; n <= N; n++)
            assert_true(schedule_window(time, n, threads) ==
                        2 * (double)((n + threads - 1) / threads));
}

static void a_giant_holds_the_window_up(void **state)
{
    float time[N];
    (void)state;
    for (size_t i = 0; i < N; i++)
        time[i] = 1;
    time[0] = 500;
    assert_true(schedule_window(time, N, 1) == 500 + N - 1);
    assert_true(schedule_window(time, N, 2) == 500);
    assert_true(schedule_window(time, N, 16) == 500);
    time[0] = 1;
    time[N - 1] = 500; /* started last, when 16 threads have done the others */
    assert_true(schedule_window(time, N, 16) == 500 + (N - 1) / 16);
}

/* Graham's bound: not more than the mean load and the largest shard together. */
static void no_schedule_leaves_its_bounds(void **state)
{
    float time[N];
    rng_t rng = rng_make(4, 0);
    (void)state;
    for (unsigned trial = 0; trial < 1000; trial++) {
        const size_t n = 1 + (size_t)(rng_unit(&rng) * (N - 1));
        const unsigned threads = 1 + (unsigned)(rng_unit(&rng) * 32);
        double sum = 0, most = 0;
        for (size_t i = 0; i < n; i++) {
            time[i] = (float)rng_unit(&rng) + (i % 9 == 0 ? 3.0f : 0.0f);
            sum += time[i];
            most = time[i] > most ? time[i] : most;
        }
        const double took = schedule_window(time, n, threads);
        assert_true(took >= most && took >= sum / threads - 1e-9);
        assert_true(took <= sum / threads + most + 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_shards_take_as_many_rounds_as_they_need),
        cmocka_unit_test(a_giant_holds_the_window_up),
        cmocka_unit_test(no_schedule_leaves_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
