/* Laws of list scheduling, from which the benchmark estimates more threads. */
#include "tests/support/test.h"

#include <stdlib.h>

#include "bench/bench_schedule.h"
#include "sampling/math/rng.h"

enum { N = 100 };

static void equal_shards_take_as_many_rounds_as_they_need(void **state)
{
    task_t task[N] = {0};
    (void)state;
    for (size_t i = 0; i < N; i++)
        task[i].time = 2;
    for (unsigned threads = 1; threads <= SCHEDULE_THREADS_MAX; threads++)
        for (size_t n = 0; n <= N; n++)
            assert_true(schedule_window(task, n, threads) ==
                        2 * (double)((n + threads - 1) / threads));
}

static void a_giant_holds_the_window_up(void **state)
{
    task_t task[N] = {0};
    (void)state;
    for (size_t i = 0; i < N; i++)
        task[i].time = 1;
    task[0].time = 500;
    assert_true(schedule_window(task, N, 1) == 500 + N - 1);
    assert_true(schedule_window(task, N, 2) == 500);
    assert_true(schedule_window(task, N, 16) == 500);
    task[0].time = 1;
    task[N - 1].time = 500; /* started last, when 16 threads have done the others */
    assert_true(schedule_window(task, N, 16) == 500 + (N - 1) / 16);
}

/* Graham's bound: not more than the mean load and the largest shard together. */
static void no_schedule_leaves_its_bounds(void **state)
{
    task_t task[N] = {0};
    rng_t rng = rng_make(4, 0);
    (void)state;
    for (unsigned trial = 0; trial < 1000; trial++) {
        const size_t n = 1 + (size_t)(rng_unit(&rng) * (N - 1));
        const unsigned threads = 1 + (unsigned)(rng_unit(&rng) * 32);
        double sum = 0, most = 0;
        for (size_t i = 0; i < n; i++) {
            task[i].time = (float)rng_unit(&rng) + (i % 9 == 0 ? 3.0f : 0.0f);
            sum += task[i].time;
            most = task[i].time > most ? task[i].time : most;
        }
        const double took = schedule_window(task, n, threads);
        assert_true(took >= most && took >= sum / threads - 1e-9);
        assert_true(took <= sum / threads + most + 1e-9);
    }
}

/* Two parts of a transit, 3 and 5 long, then a free shard and one that must wait for both. */
static void shards_after_the_transit_wait_for_it(void **state)
{
    static const task_t task[] = {
        {3, TASK_TRANSIT}, {5, TASK_TRANSIT}, {1, TASK_FREE}, {2, TASK_AFTER}};
    (void)state;
    assert_true(schedule_window(task, 4, 1) == 3 + 5 + 1 + 2);
    assert_true(schedule_window(task, 4, 2) == 5 + 2);
    assert_true(schedule_window(task, 4, 4) == 5 + 2);
    assert_true(schedule_window(task, 3, 4) == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_shards_take_as_many_rounds_as_they_need),
        cmocka_unit_test(a_giant_holds_the_window_up),
        cmocka_unit_test(no_schedule_leaves_its_bounds),
        cmocka_unit_test(shards_after_the_transit_wait_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
