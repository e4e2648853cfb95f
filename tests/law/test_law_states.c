/*
 * Laws of the warp states: every cycle of every warp slot is in exactly one state, and a program
 * that is made to wait for one reason shows its cycles in that state.
 */
#include <stdio.h>

#include "tests/support/mix.h"
#include "tests/support/sim/lab.h"

/* One SM; fetch is switched off unless it is the reason under test. */
#define ONE_SM   "sm.count=1"
#define NO_FETCH ONE_SM, "icache.perfect=true"

static const uint64_t region = 0x7f0000000000;

enum { WARP = 32, STEPS = 100 };

static const char *state_name(unsigned s)
{
    return sm_stat_defs[s].name;
}

static void check_sum(const launch_result_t *r)
{
    uint64_t sum = lab_state_sum(&r->sm);

    assert_int_equal(sum, r->warp_slot_cycles);
    assert_true(lab_state(r, STATE_MISC) * 1000 < 5 * r->warp_slot_cycles);
    /* Also as a share of the cycles in which a warp is resident. */
    assert_true(lab_state(r, STATE_MISC) * 1000 <= 5 * (sum - lab_state(r, STATE_NO_WARP)));
}

/* The state in which the warps waited most. */
static unsigned main_stall(const launch_result_t *r)
{
    unsigned best = STATE_NOT_SELECTED;

    for (unsigned s = STATE_NOT_SELECTED; s < STATE_COUNT; s++)
        if (lab_state(r, (sm_state_t)s) > lab_state(r, (sm_state_t)best))
            best = s;
    return best;
}

/* The sum is right, and most of the waiting was for this reason. */
static void check_stall(const launch_result_t *r, sm_state_t want)
{
    uint64_t waiting =
        lab_state_sum(&r->sm) - lab_state(r, STATE_NO_WARP) - lab_state(r, STATE_SELECTED);

    check_sum(r);
    if (main_stall(r) != (unsigned)want || 2 * lab_state(r, want) < waiting)
        fail_msg("warps waited %llu cycles: %llu in %s, but %llu in %s",
                 (unsigned long long)waiting, (unsigned long long)lab_state(r, want),
                 state_name(want), (unsigned long long)lab_state(r, (sm_state_t)main_stall(r)),
                 state_name(main_stall(r)));
}

/* As above, with exactly this number of cycles. */
static void check_stall_exactly(const launch_result_t *r, sm_state_t want, uint64_t cycles)
{
    check_stall(r, want);
    if (lab_state(r, want) != cycles)
        fail_msg("%s: %llu cycles, the law says %llu", state_name(want),
                 (unsigned long long)lab_state(r, want), (unsigned long long)cycles);
}

/* --- the sum -------------------------------------------------------------------------------------
 */

static void check_mix(const gpu_spec_t *spec)
{
    static lab_results_t r;
    synth_t *s = mix_create(1);

    lab_run(spec, synth_source(s), 1, 0, &r);
    for (size_t i = 0; i < r.n; i++) {
        check_sum(&r.launch[i]);
        assert_int_equal(lab_state(&r.launch[i], STATE_SELECTED), r.launch[i].warp_insts);
        assert_int_equal(r.launch[i].warp_slot_cycles, (uint64_t)spec->sm.sm.count *
                                                           spec->sm.sm.max_warps *
                                                           launch_result_cycles(&r.launch[i]));
    }
    synth_destroy(s);
}

static void states_add_up_to_slots_times_cycles_whatever_is_run(void **state)
{
    gpu_spec_t small =
        LAB_SPEC("v100", "sm.count=6", "mem.partitions=4", "l2.slices=8", "l2.size=768KiB");
    gpu_spec_t tight =
        LAB_SPEC("v100", "sm.count=2", "mem.partitions=1", "l2.slices=2", "l2.size=192KiB",
                 "sm.mem_queue=2", "l1.mshrs=8", "l1.miss_queue=2", "sm.scheduler=lrr");
    gpu_spec_t turing = LAB_SPEC("t4", "sm.count=4");
    gpu_spec_t ideal = LAB_SPEC("v100", "sm.count=4", "sm.ideal=true");

    (void)state;
    check_mix(&small);
    check_mix(&tight);
    check_mix(&turing);
    check_mix(&ideal);
}

static void the_names_of_the_states_are_those_of_the_counters(void **state)
{
    (void)state;
    assert_string_equal(state_name(STATE_NO_WARP), "state_no_warp");
    assert_string_equal(state_name(STATE_SELECTED), "state_selected");
    assert_string_equal(state_name(STATE_LONG_SCOREBOARD), "state_long_scoreboard");
    assert_string_equal(state_name(STATE_MIO_THROTTLE), "state_mio_throttle");
    assert_string_equal(state_name(STATE_BRANCH_RESOLVING), "state_branch_resolving");
    assert_string_equal(state_name(STATE_DRAIN), "state_drain");
    assert_string_equal(state_name(STATE_MISC), "state_misc");
}

/* A single warp occupies its slot from the arrival of its block to its end; all other slots are
 * never occupied. */
static void slots_without_a_warp_are_counted_as_such(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    const lab_op_t op = {"FADD", "R1", "R1 R2"};
    launch_result_t r = lab_straight(&spec, 1, 1, &op, 1, STEPS);
    uint64_t life = launch_result_cycles(&r) - spec.gpu.launch_latency -
                    spec.sched.dispatch_latency - spec.sched.completion_latency;

    (void)state;
    check_sum(&r);
    assert_int_equal(lab_state(&r, STATE_NO_WARP), r.warp_slot_cycles - life);
    assert_int_equal(r.sm.active_cycles, life);
}

/* --- one reason after another
 * --------------------------------------------------------------------- */

static void a_fixed_latency_dependence_is_wait(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    const lab_op_t op = {"FADD", "R1", "R1 R2"};
    launch_result_t r = lab_straight(&spec, 1, 1, &op, 1, STEPS);

    (void)state;
    check_stall_exactly(&r, STATE_WAIT, (STEPS - 1) * (spec.sm.lat.fp32 - 1ull));
}

static uint64_t own_line(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    return region + (warp * STEPS + step) * 4096 + lane * 4;
}

static uint64_t same_word(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    (void)lane;
    (void)step;
    return 0;
}

static uint64_t same_bank(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    (void)step;
    return lane * 128ull;
}

static uint64_t lines_apart(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    (void)step;
    return region + lane * 128ull;
}

static launch_result_t run_access(const gpu_spec_t *spec, lab_op_t op, uint32_t threads,
                                  uint32_t mask, lab_address_fn address)
{
    lab_access_t a = {.op = op,
                      .blocks = 1,
                      .threads = threads,
                      .shared = 16 * 1024,
                      .regs = 32,
                      .mask = mask,
                      .steps = STEPS,
                      .address = address};

    return lab_access(spec, &a);
}

static void a_global_load_is_long_scoreboard(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    launch_result_t r = run_access(&spec, (lab_op_t){"LDG.E.SYS", "R2", "R2"}, 1, 1, own_line);

    (void)state;
    check_stall(&r, STATE_LONG_SCOREBOARD);
}

static void a_shared_load_is_short_scoreboard(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    launch_result_t r = run_access(&spec, (lab_op_t){"LDS.U", "R2", "R2"}, 1, 1, same_word);

    (void)state;
    /* No instruction waits for the last load: EXIT has no operands. */
    check_stall_exactly(&r, STATE_SHORT_SCOREBOARD, (STEPS - 1) * (spec.sm.shared.latency - 1ull));
}

static void a_special_function_is_short_scoreboard(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    const lab_op_t op = {"MUFU.RCP", "R1", "R1"};
    launch_result_t r = lab_straight(&spec, 1, 1, &op, 1, STEPS);

    (void)state;
    check_stall_exactly(&r, STATE_SHORT_SCOREBOARD, (STEPS - 1) * (spec.sm.lat.mufu - 1ull));
}

/* Two warps of one sub-core that could both issue every cycle: one of them is not selected. */
static void a_ready_warp_that_is_passed_over_is_not_selected(void **state)
{
    gpu_spec_t spec =
        LAB_SPEC("v100", NO_FETCH, "sm.sub_cores=1", "sm.max_warps=32", "sm.scheduler=lrr");
    const lab_op_t op = {"NOP", "", ""};
    launch_result_t r = lab_straight(&spec, 1, 2 * WARP, &op, 1, STEPS);

    (void)state;
    check_sum(&r);
    /* In all of the 2 (n + 1) cycles of issue but the last, another warp is ready. */
    assert_true(lab_state(&r, STATE_NOT_SELECTED) >= 2 * STEPS);
    assert_true(lab_state(&r, STATE_NOT_SELECTED) <= 2 * (STEPS + 1));
    assert_int_equal(main_stall(&r), STATE_NOT_SELECTED);
}

static void a_busy_pipe_is_math_pipe_throttle(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    const lab_op_t op = {"MUFU.RCP", "R1", "R2"};
    launch_result_t r = lab_straight(&spec, 1, 1024, &op, 1, STEPS);

    (void)state;
    check_stall(&r, STATE_MATH_PIPE_THROTTLE);
}

/* Loads of 32 lines, each with 8 cycles of tags and 32 of banks, fill the queues. */
static void a_full_queue_is_lg_throttle_for_global_loads(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    launch_result_t r = run_access(&spec, (lab_op_t){"LDG.E.SYS", NULL, "R2"}, 1024,
                                   (uint32_t)LAB_FULL, lines_apart);

    (void)state;
    check_stall(&r, STATE_LG_THROTTLE);
}

static void a_full_queue_is_mio_throttle_for_shared_loads(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    launch_result_t r =
        run_access(&spec, (lab_op_t){"LDS.U", NULL, "R2"}, 1024, (uint32_t)LAB_FULL, same_bank);

    (void)state;
    check_stall(&r, STATE_MIO_THROTTLE);
}

static void a_full_queue_is_tex_throttle_for_textures(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    launch_result_t r =
        run_access(&spec, (lab_op_t){"TEX", NULL, "R2"}, 1024, (uint32_t)LAB_FULL, own_line);

    (void)state;
    check_stall(&r, STATE_TEX_THROTTLE);
}

/* --- programs of their own
 * ------------------------------------------------------------------------ */

static launch_result_t run_body(const gpu_spec_t *spec, uint32_t threads, synth_body_fn body,
                                void (*code)(synth_kernel_t *k))
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "directed",
        &(synth_shape_t){
            .arch = spec->gpu.arch, .grid = {1}, .block = {threads}, .regs = 32, .shared = 4096});

    code(k);
    synth_kernel_body(k, body, NULL);
    return lab_run_one(spec, s);
}

enum { CHAIN = 200 };

static void barrier_code(synth_kernel_t *k)
{
    for (unsigned i = 0; i < CHAIN; i++)
        synth_code(k, "FADD", "R1", "R1 R2");
    synth_code(k, "BAR.SYNC", "", "");
    synth_code(k, "EXIT", "", "");
}

/* Warp 0 comes to the barrier late. */
static void barrier_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    if (w->warp == 0)
        synth_emit_span(w, 0, CHAIN);
    synth_emit_span(w, CHAIN, 2);
}

static void waiting_for_other_warps_is_barrier(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    launch_result_t r = run_body(&spec, 4 * WARP, barrier_body, barrier_code);
    /* Warp 0 issues the barrier after its chain, the others in their first cycle. */
    uint64_t late = (CHAIN - 1) * (uint64_t)spec.sm.lat.fp32 + 1;
    uint64_t release = spec.sm.sm.barrier_interval + spec.sm.sm.barrier_latency - 1;

    (void)state;
    check_stall_exactly(&r, STATE_BARRIER, 3 * (late + release) + release);
}

static void membar_code(synth_kernel_t *k)
{
    synth_code(k, "STG.E.SYS", "", "R2 R4");
    synth_code(k, "MEMBAR.SC.GPU", "", "");
    synth_code(k, "EXIT", "", "");
}

static void membar_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    for (unsigned i = 0; i < STEPS; i++) {
        synth_emit_affine(w, 0, 1, region + i * 4096, 0);
        synth_emit(w, 1, 1);
    }
    synth_emit(w, 2, 1);
}

static void waiting_for_ones_own_stores_to_be_seen_is_membar(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    launch_result_t r = run_body(&spec, 1, membar_body, membar_code);

    (void)state;
    check_stall(&r, STATE_MEMBAR);
    assert_true(lab_state(&r, STATE_MEMBAR) >= STEPS * (uint64_t)spec.sm.sm.membar_gpu_latency);
}

static void branch_code(synth_kernel_t *k)
{
    for (unsigned i = 0; i < STEPS; i++)
        synth_code(k, "BRA", "", "");
    synth_code(k, "EXIT", "", "");
}

static void fall_through_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit_span(w, 0, STEPS + 1);
}

static void jump_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    for (unsigned i = 0; i < STEPS; i++)
        synth_emit(w, 0, (uint32_t)LAB_FULL);
    synth_emit(w, STEPS, (uint32_t)LAB_FULL);
}

static void a_branch_under_way_is_branch_resolving(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    launch_result_t through = run_body(&spec, 1, fall_through_body, branch_code);
    launch_result_t taken = run_body(&spec, 1, jump_body, branch_code);

    (void)state;
    check_stall_exactly(&through, STATE_BRANCH_RESOLVING,
                        STEPS * (spec.sm.sm.branch_latency - 1ull));
    check_stall_exactly(&taken, STATE_BRANCH_RESOLVING,
                        STEPS * (spec.sm.sm.branch_taken_latency - 1ull));
}

enum { LONG_CODE = 4000 };

static void nop_code(synth_kernel_t *k)
{
    for (unsigned i = 0; i < LONG_CODE; i++)
        synth_code(k, "NOP", "", "");
    synth_code(k, "EXIT", "", "");
}

static void nop_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit_span(w, 0, LONG_CODE + 1);
}

static void missing_code_is_no_instruction(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    launch_result_t r = run_body(&spec, 1, nop_body, nop_code);

    (void)state;
    check_stall(&r, STATE_NO_INSTRUCTION);
    assert_true(r.sm.icache_l1_misses > 0);
}

static void const_code(synth_kernel_t *k)
{
    for (unsigned i = 0; i < STEPS; i++)
        synth_code_const(k, "FADD", "R1", 3, i * 64);
    synth_code(k, "EXIT", "", "");
}

static void a_constant_that_is_not_cached_is_imc_miss(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH, "sm.block_start_latency=0");
    const const_spec_t *c = &spec.sm.constant;
    launch_result_t r = run_body(&spec, 1, fall_through_body, const_code);

    (void)state;
    /* One of the four lines in a line of the next level comes from L2. */
    check_stall_exactly(
        &r, STATE_IMC_MISS,
        STEPS / 4 * ((uint64_t)c->l2_latency + 3ull * c->l15_latency - 4ull * c->l1_latency));
    assert_int_equal(r.sm.const_lookups, STEPS);
    assert_int_equal(r.sm.const_misses, STEPS);
}

/* Four warps on four sub-cores read the same constants: they miss once for all, or once for
 * each. */
static void sub_cores_may_have_constants_of_their_own(void **state)
{
    static const char *const own = "const.l0_size=512";
    gpu_spec_t shared = LAB_SPEC("v100", NO_FETCH);
    gpu_spec_t apart = LAB_SPEC("v100", NO_FETCH, own);
    gpu_spec_t one = LAB_SPEC("v100", NO_FETCH, own, "sm.sub_cores=1", "sm.max_warps=32");

    (void)state;
    /* Warps that have fallen behind may find a line evicted. */
    assert_in_range(run_body(&shared, 4 * WARP, fall_through_body, const_code).sm.const_misses,
                    STEPS, 2 * STEPS);
    assert_int_equal(run_body(&apart, 4 * WARP, fall_through_body, const_code).sm.const_misses,
                     4 * STEPS);
    assert_in_range(run_body(&one, 4 * WARP, fall_through_body, const_code).sm.const_misses, STEPS,
                    2 * STEPS);
}

/* Three sources in one register bank: the pipe is free, the register ports are not. */
static void a_register_bank_conflict_is_dispatch_stall(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH, "sm.fp32_lanes=32", "sm.scheduler=lrr");
    const lab_op_t op = {"FFMA", "R1", "R2 R4 R6"};
    launch_result_t r = lab_straight(&spec, 1, 1024, &op, 1, STEPS);
    const lab_op_t spread = {"FFMA", "R1", "R2 R3 R4"};
    launch_result_t free_of = lab_straight(&spec, 1, 1024, &spread, 1, STEPS);

    (void)state;
    check_sum(&r);
    assert_true(spec.sm.sm.rf_bank_reads < 3);
    assert_true(lab_state(&r, STATE_DISPATCH_STALL) > r.warp_insts);
    assert_int_equal(lab_state(&free_of, STATE_DISPATCH_STALL), 0);
}

static void drain_code(synth_kernel_t *k)
{
    synth_code(k, "STG.E.SYS", "", "R2 R4");
    synth_code(k, "EXIT", "", "");
}

static void drain_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit_affine(w, 0, 1, region, 0);
    synth_emit(w, 1, 1);
}

static void waiting_for_stores_after_exit_is_drain(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH, "tlb.perfect=true", "sm.mem_issue_latency=18",
                               "sm.block_start_latency=1");
    launch_result_t r = run_body(&spec, 1, drain_body, drain_code);

    (void)state;
    /* From the cycle after EXIT, which issues after the store, until the load/store unit has
     * sent the store. */
    check_stall_exactly(&r, STATE_DRAIN, spec.sm.sm.mem_issue_latency - 2);
}

enum { SLEEP_MAX_NS = 1000000 };

static int32_t sleep_ns;

static void sleep_code(synth_kernel_t *k)
{
    synth_code_imm(k, "NANOSLEEP", sleep_ns);
    synth_code(k, "EXIT", "", "");
}

static void sleep_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit_span(w, 0, 2);
}

static void a_sleeping_warp_is_sleeping(void **state)
{
    static const int32_t ns[] = {500, SLEEP_MAX_NS, SLEEP_MAX_NS + 1000, INT32_MAX, -1};
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);

    (void)state;
    for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++) {
        sleep_ns = ns[i];
        launch_result_t r = run_body(&spec, 1, sleep_body, sleep_code);
        int32_t asleep = ns[i] < 0 || ns[i] > SLEEP_MAX_NS ? SLEEP_MAX_NS : ns[i];

        /* From the cycle after its issue. */
        check_stall_exactly(&r, STATE_SLEEPING, (uint64_t)(asleep * spec.gpu.clock_mhz / 1000));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_add_up_to_slots_times_cycles_whatever_is_run),
        cmocka_unit_test(the_names_of_the_states_are_those_of_the_counters),
        cmocka_unit_test(slots_without_a_warp_are_counted_as_such),
        cmocka_unit_test(a_fixed_latency_dependence_is_wait),
        cmocka_unit_test(a_global_load_is_long_scoreboard),
        cmocka_unit_test(a_shared_load_is_short_scoreboard),
        cmocka_unit_test(a_special_function_is_short_scoreboard),
        cmocka_unit_test(a_ready_warp_that_is_passed_over_is_not_selected),
        cmocka_unit_test(a_busy_pipe_is_math_pipe_throttle),
        cmocka_unit_test(a_full_queue_is_lg_throttle_for_global_loads),
        cmocka_unit_test(a_full_queue_is_mio_throttle_for_shared_loads),
        cmocka_unit_test(a_full_queue_is_tex_throttle_for_textures),
        cmocka_unit_test(waiting_for_other_warps_is_barrier),
        cmocka_unit_test(waiting_for_ones_own_stores_to_be_seen_is_membar),
        cmocka_unit_test(a_branch_under_way_is_branch_resolving),
        cmocka_unit_test(missing_code_is_no_instruction),
        cmocka_unit_test(a_constant_that_is_not_cached_is_imc_miss),
        cmocka_unit_test(sub_cores_may_have_constants_of_their_own),
        cmocka_unit_test(a_register_bank_conflict_is_dispatch_stall),
        cmocka_unit_test(waiting_for_stores_after_exit_is_drain),
        cmocka_unit_test(a_sleeping_warp_is_sleeping),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
