/*
 * Laws of the order in which an SM sends stores and loads: where stores go first, a loop that loads
 * and stores takes the time of both, one after the other; otherwise they overlap. Loads alone and
 * stores alone do not notice it.
 */
#include "tests/support/sim/lab.h"

/* One SM whose stores are limited by its port, which holds all requests of its warps. */
#define INTERVAL 4
#define ONE_SM                                                                                     \
    "sm.count=1", "icnt.data_interval=4", "icnt.tpc_data=0", "icnt.gpc_data=0",                    \
        "l1.enabled=false", "l1.miss_queue=1024", "tlb.perfect=true"
#define SPEC(...) LAB_SPEC("v100", ONE_SM, __VA_ARGS__)

enum { THREADS = 1024, WARPS = THREADS / 32, STEPS = 40 };

typedef struct {
    uint64_t steps;
    bool loads, stores;
} loop_t;

/* Every warp reads and writes lines of its own, always the same. */
static void loop_body(synth_warp_t *w, const void *ctx)
{
    const loop_t *l = ctx;
    const uint64_t line = UINT64_C(0x7f0000000000) + w->global * LINE_BYTES;
    for (uint64_t i = 0; i < l->steps; i++) {
        if (l->loads)
            synth_emit_affine(w, 0, (uint32_t)LAB_FULL, line, 4);
        if (l->stores)
            synth_emit_affine(w, 1, (uint32_t)LAB_FULL, line + (1 << 20), 4);
    }
    synth_emit(w, 2, (uint32_t)LAB_FULL);
}

static double cycles_of(const gpu_spec_t *spec, loop_t loop, uint32_t threads)
{
    uint64_t cycles[2];
    for (uint64_t i = 0; i < 2; i++) {
        synth_t *s = synth_create();
        synth_kernel_t *k = synth_kernel_create(
            s, "loop",
            &(synth_shape_t){.arch = spec->gpu.arch, .grid = {1}, .block = {threads}, .regs = 32});
        loop.steps = (uint64_t)STEPS << i;
        synth_code(k, "LDG.E.SYS", "R4", "R2");
        synth_code(k, "STG.E.SYS", "", loop.loads ? "R6 R4" : "R6 R5");
        synth_code(k, "EXIT", "", "");
        synth_kernel_body(k, loop_body, &loop);
        const launch_result_t r = lab_run_one(spec, s);
        cycles[i] = launch_result_cycles(&r);
    }
    return (double)(cycles[1] - cycles[0]) / STEPS;
}

static const loop_t loads = {.loads = true}, stores = {.stores = true},
                    both = {.loads = true, .stores = true};

static void a_loop_of_both_takes_the_port_and_the_latency(void **state)
{
    const gpu_spec_t first = SPEC("icnt.stores_first=true");
    const gpu_spec_t in_turn = SPEC("icnt.stores_first=false");
    (void)state;
    const double port = WARPS * (4.0 * INTERVAL + 1.0 / first.mem.icnt.sm_flits);
    const double latency = cycles_of(&first, both, 32) - 4 * INTERVAL;
    const double got = cycles_of(&first, both, THREADS);
    lab_assert_near(cycles_of(&in_turn, both, THREADS), port, 0.02, "both, in order of issue");
    lab_assert_near(got, port + latency, 0.1, "both, stores first");
}

static void one_kind_alone_does_not_notice(void **state)
{
    const gpu_spec_t first = SPEC("icnt.stores_first=true");
    const gpu_spec_t in_turn = SPEC("icnt.stores_first=false");
    (void)state;
    lab_assert_equal(cycles_of(&first, loads, THREADS), cycles_of(&in_turn, loads, THREADS),
                     "loads");
    lab_assert_equal(cycles_of(&first, stores, THREADS), cycles_of(&in_turn, stores, THREADS),
                     "stores");
    lab_assert_equal(cycles_of(&first, both, 32), cycles_of(&in_turn, both, 32), "one warp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_of_both_takes_the_port_and_the_latency),
        cmocka_unit_test(one_kind_alone_does_not_notice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
