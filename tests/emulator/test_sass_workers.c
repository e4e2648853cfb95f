/* Blocks on several threads: results, counts and faults of a launch are the same as with one
 * thread. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

enum { WORKERS = 4 };

/* Computes C = A B of n by n floats with this many workers, into c; returns the instructions
 * executed. */
static emu_totals_t multiply(unsigned arch, unsigned workers, uint32_t n, const float *a, float *c)
{
    size_t bytes = (size_t)n * n * sizeof(*a);
    sass_lab_t lab;

    sass_lab_open(&lab, "matmul", arch);
    lab.workers = workers;
    uint64_t in = sass_lab_put(&lab, a, bytes), out = sass_lab_put(&lab, NULL, bytes);
    sass_lab_kernel(&lab, "matmul");
    sass_lab_pointer(&lab, in);
    sass_lab_pointer(&lab, in);
    sass_lab_pointer(&lab, out);
    sass_lab_int(&lab, (int32_t)n);
    if (sass_lab_run(&lab, (uint32_t[]){n / 16, n / 16, 1}, (uint32_t[]){16, 16, 1}, 0, NULL,
                     NULL) != RB_OK)
        fail_msg("%s", lab.err.text);
    memcpy(c, sass_lab_at(&lab, out), bytes);
    emu_totals_t totals = lab.totals;
    sass_lab_close(&lab);
    return totals;
}

static void results_and_counts_are_those_of_one_worker(void **state)
{
    enum { N = 192 };
    uint64_t seed = 5;
    float *a = sass_lab_floats((size_t)N * N, &seed), *one = sass_lab_floats((size_t)N * N, &seed);
    float *many = sass_lab_floats((size_t)N * N, &seed);

    (void)state;
    for (unsigned arch = 70; arch <= 75; arch += 5) {
        emu_totals_t t = multiply(arch, 1, N, a, one), u = multiply(arch, WORKERS, N, a, many);
        assert_memory_equal(one, many, (size_t)N * N * sizeof(*one));
        assert_true(t.warp_insts > 1u << 19); /* enough for others to be started */
        assert_int_equal(t.warp_insts, u.warp_insts);
        assert_int_equal(t.thread_insts, u.thread_insts);
        assert_int_equal(t.divergences, u.divergences);
    }
    free(a);
    free(one);
    free(many);
}

static void atomics_of_all_blocks_count(void **state)
{
    enum { N = 1 << 18, BINS = 256, BLOCKS = 2048 };
    uint32_t *in = malloc(N * sizeof(*in)), expected[BINS] = {0};
    uint64_t seed = 6;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        in[i] = (uint32_t)sass_lab_random(&seed);
        for (unsigned k = 0; k < 32; k += 8)
            expected[in[i] >> k & 255]++;
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "histo")
    {
        lab.workers = WORKERS;
        uint64_t out = sass_lab_put(&lab, NULL, sizeof(expected));
        sass_lab_kernel(&lab, "histo");
        sass_lab_pointer(&lab, sass_lab_put(&lab, in, N * sizeof(*in)));
        sass_lab_pointer(&lab, out);
        sass_lab_int(&lab, N);
        sass_lab_must_run(&lab, BLOCKS, 128, 0);
        assert_memory_equal(sass_lab_at(&lab, out), expected, sizeof(expected));
    }
    free(in);
}

/* A number that is changed under a lock for which all blocks spin, not atomically. */
static void locks_exclude_other_workers(void **state)
{
    enum { BLOCKS = 128, THREADS = 64 };
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "diverge")
    {
        lab.workers = WORKERS;
        uint64_t lock = sass_lab_put(&lab, NULL, 4), count = sass_lab_put(&lab, NULL, 4);
        sass_lab_kernel(&lab, "spinlock");
        sass_lab_pointer(&lab, lock);
        sass_lab_pointer(&lab, count);
        sass_lab_int(&lab, 1);
        sass_lab_must_run(&lab, BLOCKS, THREADS, 0);
        assert_true(lab.totals.warp_insts > 1u << 19);
        assert_int_equal(*(int32_t *)sass_lab_at(&lab, count), BLOCKS * THREADS);
    }
}

/* The array is smaller than the grid, so late blocks access invalid memory. */
static void a_fault_of_any_worker_ends_the_launch(void **state)
{
    enum { BLOCKS = 1 << 14, THREADS = 256 };
    const size_t bytes = 4u * BLOCKS * THREADS - (1u << 20);
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "vecadd", 70);
    lab.workers = WORKERS;
    uint64_t a = sass_lab_put(&lab, NULL, bytes);
    sass_lab_kernel(&lab, "vecadd");
    for (unsigned i = 0; i < 3; i++)
        sass_lab_pointer(&lab, a);
    sass_lab_int(&lab, BLOCKS * THREADS);
    assert_int_equal(
        sass_lab_run(&lab, (uint32_t[]){BLOCKS, 1, 1}, (uint32_t[]){THREADS, 1, 1}, 0, NULL, NULL),
        RB_TRACE);
    assert_non_null(strstr(lab.err.text, "kernel vecadd, block ("));
    assert_non_null(strstr(lab.err.text, "is not in an allocation"));
    assert_true(lab.totals.warp_insts > 1u << 19);
    sass_lab_close(&lab);
}

static void endless_launches_end_with_all_workers(void **state)
{
    (void)state;
    sass_lab_never_ends(64, WORKERS, 1 << 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_and_counts_are_those_of_one_worker),
        cmocka_unit_test(atomics_of_all_blocks_count),
        cmocka_unit_test(locks_exclude_other_workers),
        cmocka_unit_test(a_fault_of_any_worker_ends_the_launch),
        cmocka_unit_test(endless_launches_end_with_all_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
