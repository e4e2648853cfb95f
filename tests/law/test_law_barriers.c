/* Laws of barriers and memory barriers: how long one takes, and what it waits for. */
#include "tests/support/emulator/control_lab.h"

/* One SM and one slice, so that all requests take the same path. */
#define ONE_PATH                                                                                   \
    "sm.count=1", "icache.perfect=true", "mem.partitions=1", "l2.slices=1", "l2.size=1536KiB",     \
        "mem.hash=none", "tlb.perfect=true"

static const uint64_t region = 0x7f0000000000;

/* The SM handles one warp after another; the latency of the last one is added once. */
static void a_barrier_takes_its_warps_one_after_another(void **state)
{
    const control_line_t code[] = {{CLOCK, STALL(1)},
                                   {"BAR.SYNC", "", "", STALL(5)},
                                   {CLOCK, STALL(1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};

    (void)state;
    for (uint32_t warps = 1; warps <= 32; warps *= 2) {
        gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "sm.barrier_interval=3");
        clock_lab_t t = control_lab_run(&spec, code, warps);
        cycle_t first = t.read[0].cycle, next = t.read[1].cycle;

        assert_int_equal(t.n, 2 * warps);
        for (uint32_t w = 1; w < warps; w++) {
            first = cycle_min(first, t.read[2 * w].cycle);
            next = cycle_min(next, t.read[2 * w + 1].cycle);
        }
        /* The barrier issues one cycle after the first read. */
        assert_int_equal(next - first, 1 + 3 * warps + spec.sm.sm.barrier_latency);
    }
}

static void a_memory_barrier_takes_the_latency_of_its_scope(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH, "sm.membar_cta_latency=31",
                               "sm.membar_gpu_latency=200", "sm.membar_sys_latency=3000");
    const lab_op_t cta = {"MEMBAR.SC.CTA", "", ""}, gpu = {"MEMBAR.SC.GPU", "", ""},
                   sys = {"MEMBAR.SC.SYS", "", ""};

    (void)state;
    lab_assert_equal(lab_straight_slope(&spec, 1, 1, &cta, 1), 31, "MEMBAR.CTA");
    lab_assert_equal(lab_straight_slope(&spec, 1, 1, &gpu, 1), 200, "MEMBAR.GPU");
    lab_assert_equal(lab_straight_slope(&spec, 1, 1, &sys, 1), 3000, "MEMBAR.SYS");
}

enum { CHAIN = 16, STORE = CHAIN, LOAD, MEMBAR, EXIT };

typedef struct {
    unsigned access, chain, steps;
} sequence_t;

/* An access, a chain of n instructions, a barrier; and again. */
static void access_chain_barrier(synth_warp_t *w, const void *ctx)
{
    const sequence_t *s = ctx;

    for (unsigned i = 0; i < s->steps; i++) {
        synth_emit_affine(w, s->access, 1, region, 0);
        if (s->chain > 0)
            synth_emit_span(w, 0, s->chain);
        synth_emit(w, MEMBAR, 1);
    }
    synth_emit(w, EXIT, 1);
}

static uint64_t run_sequence(const gpu_spec_t *spec, sequence_t sequence)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "sequence", &(synth_shape_t){.arch = spec->gpu.arch, .block = {1}, .regs = 32});

    for (unsigned i = 0; i < CHAIN; i++)
        synth_code(k, "FADD", "R1", "R1 R2");
    synth_code(k, "STG.E.SYS", "", "R4 R6");
    synth_code(k, "LDG.E.STRONG.GPU", "R8", "R4");
    synth_code(k, "MEMBAR.SC.GPU", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, access_chain_barrier, &sequence);
    launch_result_t r = lab_run_one(spec, s);
    return launch_result_cycles(&r);
}

/* Cycles of one more access and barrier. */
static uint64_t more_of(const gpu_spec_t *spec, sequence_t s)
{
    enum { STEPS = 20 };

    s.steps = STEPS;
    uint64_t few = run_sequence(spec, s);
    s.steps = STEPS + 1;
    return run_sequence(spec, s) - few;
}

/* From the issue of an access until its reply has reached the SM. */
static uint64_t there_and_back(const gpu_spec_t *s)
{
    return (uint64_t)s->sm.sm.mem_issue_latency + s->sm.l1.miss_latency +
           s->mem.icnt.request_latency + s->mem.l2.latency + s->mem.icnt.reply_latency;
}

/* Whether the access is still in the SM or already on its way when the barrier issues. */
static void a_memory_barrier_waits_for_the_accesses_before_it(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_PATH, "sm.membar_gpu_latency=200");

    (void)state;
    assert_true(CHAIN * spec.sm.lat.fp32 > spec.sm.sm.mem_issue_latency);
    assert_true(CHAIN * spec.sm.lat.fp32 < there_and_back(&spec));
    for (unsigned chain = 0; chain <= CHAIN; chain += CHAIN) {
        assert_int_equal(more_of(&spec, (sequence_t){.access = STORE, .chain = chain}),
                         there_and_back(&spec) + 200);
        assert_int_equal(more_of(&spec, (sequence_t){.access = LOAD, .chain = chain}),
                         there_and_back(&spec) + 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_takes_its_warps_one_after_another),
        cmocka_unit_test(a_memory_barrier_takes_the_latency_of_its_scope),
        cmocka_unit_test(a_memory_barrier_waits_for_the_accesses_before_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
