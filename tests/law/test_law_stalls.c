/*
 * Laws of what a load that misses waits for in the load/store unit. A warp loads 32 lines. If there
 * is only one of a resource, each line but the first waits exactly until the previous one releases
 * it. Several warps load the same line: only a limited number of them waits for it together.
 */
#include "tests/support/sim/lab.h"

/* One SM, one slice that always hits, no translation: a request's way there and back is a sum. */
#define ONE_PATH                                                                                   \
    "sm.count=1", "icache.perfect=true", "mem.partitions=1", "l2.slices=1", "l2.size=1536KiB",     \
        "mem.hash=none", "l2.perfect=true", "tlb.perfect=true"

enum { LINES = 32 };

static uint64_t line_of_lane(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    (void)step;
    return 0x7f0000000000 + lane * UINT64_C(128);
}

static launch_result_t load_lines(const gpu_spec_t *spec)
{
    const lab_access_t a = {.op = {"LDG.E.SYS", NULL, "R2"},
                            .blocks = 1,
                            .threads = LINES,
                            .mask = UINT32_MAX,
                            .steps = 1,
                            .address = line_of_lane};
    launch_result_t r = lab_access(spec, &a);
    assert_int_equal(r.sm.global_load_sectors, LINES);
    assert_int_equal(r.sm.global_load_hits, 0);
    assert_int_equal(r.sm.l1_stall_tlb, 0);
    return r;
}

/* From the tags to the slice, and with the sector back to the L1. */
static uint64_t there_and_back(const gpu_spec_t *s)
{
    return (uint64_t)s->sm.l1.miss_latency + s->mem.icnt.request_latency + s->mem.l2.latency +
           s->mem.icnt.reply_latency;
}

/* From the tags until it has left the queue, whose entry is free in the next cycle. */
static uint64_t through_the_queue(const gpu_spec_t *s)
{
    return s->sm.l1.miss_latency + UINT64_C(1);
}

static void a_line_waits_for_an_mshr_until_the_one_before_has_come(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH, "l1.mshrs=1");
    (void)state;
    for (uint32_t queue = 1; queue <= 16; queue *= 16) { /* empty whenever there is an MSHR */
        spec.sm.l1.miss_queue = queue;
        launch_result_t r = load_lines(&spec);
        assert_int_equal(r.sm.l1_stall_mshr, (LINES - 1) * there_and_back(&spec));
        assert_int_equal(r.sm.l1_stall_queue, 0);
    }
}

static void a_line_waits_for_the_queue_until_the_one_before_has_left(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH, "l1.miss_queue=1");
    (void)state;
    launch_result_t r = load_lines(&spec);
    assert_int_equal(r.sm.l1_stall_queue, (LINES - 1) * through_the_queue(&spec));
    assert_int_equal(r.sm.l1_stall_mshr, 0);
}

/* The first half of the lines wait for the queue. The others wait until a line has come: the
 * first of them for the rest of its time, the remaining ones for the distance between lines. */
static void what_lines_wait_for_changes_when_the_mshrs_are_used_up(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH, "l1.miss_queue=1");
    (void)state;
    spec.sm.l1.mshrs = LINES / 2;
    launch_result_t r = load_lines(&spec);
    assert_int_equal(r.sm.l1_stall_queue, (LINES / 2 - 1) * through_the_queue(&spec));
    assert_int_equal(r.sm.l1_stall_mshr, there_and_back(&spec));
}

static uint64_t same_word(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    (void)lane;
    (void)step;
    return 0x7f0000000000;
}

/* Loads of one line that no longer fit in its MSHR find it in the L1 when it has come. */
static void as_many_loads_wait_for_a_line_as_its_mshr_holds(void **state)
{
    enum { WARPS = 6 };
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH);
    const lab_access_t a = {.op = {"LDG.E.SYS", NULL, "R2"},
                            .blocks = 1,
                            .threads = WARPS * 32,
                            .mask = 1,
                            .steps = 1,
                            .address = same_word};
    (void)state;
    for (uint32_t merge = 1; merge <= WARPS + 1; merge++) {
        uint32_t wait = merge < WARPS ? merge : WARPS;
        spec.sm.l1.mshr_merge = merge;
        launch_result_t r = lab_access(&spec, &a);
        assert_int_equal(r.sm.l1_mshr_merges, wait - 1);
        assert_int_equal(r.sm.global_load_pending, wait - 1);
        assert_int_equal(r.sm.global_load_hits, WARPS - wait);
        assert_int_equal(r.sm.l1_stall_mshr > 0, wait < WARPS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_waits_for_an_mshr_until_the_one_before_has_come),
        cmocka_unit_test(a_line_waits_for_the_queue_until_the_one_before_has_left),
        cmocka_unit_test(what_lines_wait_for_changes_when_the_mshrs_are_used_up),
        cmocka_unit_test(as_many_loads_wait_for_a_line_as_its_mshr_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
