/*
 * Laws of control words: the effect of stall count, yield and dependence counters on the cycle of
 * the next issue, which clock reads show.
 */
#include <string.h>

#include "sim/core/log.h"
#include "tests/support/emulator/control_lab.h"
#include "tests/support/mix.h"

/* --- stall counts ---------------------------------------------------------------------------- */

static void the_stall_count_is_the_distance_of_two_issues(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "sm.int_lanes=32");

    (void)state;
    for (unsigned yield = 0; yield < 2; yield++)
        for (unsigned stall = 0; stall < 16; stall++) {
            const control_line_t code[] = {{CLOCK, stall, yield != 0, NONE, NONE, 0, 0, 0},
                                           {CLOCK, STALL(1)},
                                           {"EXIT", "", "", STALL(5)},
                                           {0}};
            unsigned want = yield ? (stall == 0   ? spec.sm.sm.zero_stall
                                     : stall == 1 ? 2 /* not in the next cycle */
                                                  : stall)
                                  : (stall == 0   ? 1
                                     : stall > 11 ? 2 /* an encoding of its own */
                                                  : stall);
            assert_int_equal(control_lab_elapsed(&spec, code), want);
        }
}

static void fixed_latencies_are_not_waited_for(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    const control_line_t hasty[] = {
        {CLOCK, STALL(2)}, {"FADD", "R1", "R1 R2", STALL(2)}, {"FADD", "R1", "R1 R2", STALL(2)},
        {CLOCK, STALL(1)}, {"EXIT", "", "", STALL(5)},        {0}};
    const control_line_t right[] = {
        {CLOCK, STALL(2)}, {"FADD", "R1", "R1 R2", STALL(4)}, {"FADD", "R1", "R1 R2", STALL(2)},
        {CLOCK, STALL(1)}, {"EXIT", "", "", STALL(5)},        {0}};

    (void)state;
    assert_int_equal(control_lab_elapsed(&spec, hasty), 6);
    assert_int_equal(control_lab_elapsed(&spec, right), 8);
}

/* A yield leaves the next cycle to another warp. */
static void after_a_yield_another_warp_issues(void **state)
{
    gpu_spec_t spec =
        LAB_SPEC("v100", ONE_SM, "sm.sub_cores=1", "sm.max_warps=32", "sm.int_lanes=32");
    const control_line_t yields[] = {{CLOCK, 1, true, NONE, NONE, 0, 0, 0},
                                     {CLOCK, 1, true, NONE, NONE, 0, 0, 0},
                                     {CLOCK, 1, true, NONE, NONE, 0, 0, 0},
                                     {"EXIT", "", "", STALL(5)},
                                     {0}};
    const control_line_t keeps[] = {
        {CLOCK, STALL(1)}, {CLOCK, STALL(1)}, {CLOCK, STALL(1)}, {"EXIT", "", "", STALL(5)}, {0}};
    clock_lab_t a = control_lab_run(&spec, yields, 2), b = control_lab_run(&spec, keeps, 2);

    (void)state;
    assert_int_equal(a.n, 6);
    for (unsigned w = 0; w < 2; w++)
        for (unsigned i = 1; i < 3; i++) {
            assert_int_equal(a.read[3 * w + i].cycle - a.read[3 * w + i - 1].cycle, 2);
            assert_int_equal(b.read[3 * w + i].cycle - b.read[3 * w + i - 1].cycle, 1);
        }
    /* The turns of one warp lie between those of the other, or after its EXIT. */
    assert_int_equal(a.read[3].cycle, a.read[0].cycle + 1);
    assert_int_equal(b.read[3].cycle, b.read[2].cycle + 2);
}

/* --- dependence counters --------------------------------------------------------------------- */

static void a_write_barrier_holds_until_the_result_is_there(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);

    (void)state;
    for (unsigned b = 0; b < 6; b++) {
        const control_line_t code[] = {{CLOCK, STALL(2)},
                                       {"MUFU.RCP", "R1", "R1", WRITES(2, b)},
                                       {CLOCK, WAITS(1, 1u << b)},
                                       {"EXIT", "", "", STALL(5)},
                                       {0}};
        const control_line_t other[] = {{CLOCK, STALL(2)},
                                        {"MUFU.RCP", "R1", "R1", WRITES(2, b)},
                                        {CLOCK, WAITS(1, 63u & ~(1u << b))},
                                        {"EXIT", "", "", STALL(5)},
                                        {0}};

        assert_int_equal(control_lab_elapsed(&spec, code), 2 + spec.sm.lat.mufu);
        assert_int_equal(control_lab_elapsed(&spec, other), 4);
    }
}

/* The counter is incremented in the cycle after issue: an instruction issued in that cycle does
 * not see it. */
static void a_counter_is_seen_from_the_second_cycle_on(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    const control_line_t too_soon[] = {{CLOCK, STALL(2)},
                                       {"MUFU.RCP", "R1", "R1", WRITES(1, 0)},
                                       {CLOCK, WAITS(1, 1)},
                                       {"EXIT", "", "", STALL(5)},
                                       {0}};
    const control_line_t later[] = {
        {CLOCK, STALL(2)},          {"MUFU.RCP", "R1", "R1", WRITES(1, 0)},
        {"NOP", "", "", STALL(1)},  {CLOCK, WAITS(1, 1)},
        {"EXIT", "", "", STALL(5)}, {0}};

    (void)state;
    assert_int_equal(control_lab_elapsed(&spec, too_soon), 3);
    assert_int_equal(control_lab_elapsed(&spec, later), 2 + spec.sm.lat.mufu);
}

static void a_read_barrier_holds_until_the_sources_are_read(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    const control_line_t code[] = {{CLOCK, STALL(2)},
                                   {"LDS", "R1", "R2", READS(2, 3)},
                                   {CLOCK, WAITS(1, 8)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};
    const control_line_t both[] = {{CLOCK, STALL(2)},
                                   {"LDS", "R1", "R2", 2, false, 3, 3, 0, 0, 0},
                                   {CLOCK, WAITS(1, 8)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};

    (void)state;
    /* Operands are read when the load/store unit takes the instruction, 11 cycles after issue
     * (Huerta 2025, table 1). Table 2 has 9 for LDS, before it is taken; this is not modelled. */
    assert_int_equal(control_lab_elapsed(&spec, code), 2 + spec.sm.sm.mem_issue_latency);
    assert_int_equal(control_lab_elapsed(&spec, both), 2 + spec.sm.shared.latency);
}

/* Operands of fixed latency have been read after mem_read_latency, or with the result. */
static void a_read_barrier_of_a_fixed_latency_holds_for_the_shorter_of_two_times(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    const control_line_t code[] = {{CLOCK, STALL(2)},
                                   {"MUFU.RCP", "R1", "R1", READS(2, 3)},
                                   {CLOCK, WAITS(1, 8)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};

    (void)state;
    for (uint32_t read = spec.sm.lat.mufu - 3; read <= spec.sm.lat.mufu + 3; read++) {
        spec.sm.sm.mem_read_latency = read;
        assert_int_equal(control_lab_elapsed(&spec, code),
                         2 + (read < spec.sm.lat.mufu ? read : spec.sm.lat.mufu));
    }
}

/* Loads counted by one counter come back one after another: DEPBAR waits for all but n. */
static void depbar_waits_until_a_counter_has_fallen_far_enough(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    enum { LOADS = 4, GAP = 5, COUNTER = 2 };

    (void)state;
    for (unsigned limit = 0; limit <= LOADS; limit++) {
        control_line_t code[LOADS + 5] = {{CLOCK, STALL(2)}};

        for (unsigned i = 1; i <= LOADS; i++)
            code[i] = (control_line_t){"LDS", "R1", "R2", WRITES(GAP, COUNTER)};
        code[LOADS + 1] = (control_line_t){
            "DEPBAR.LE", "", "", 4, true, NONE, NONE, 0, 0, depbar_pack(COUNTER, limit, 0)};
        code[LOADS + 2] = (control_line_t){CLOCK, STALL(1)};
        code[LOADS + 3] = (control_line_t){"EXIT", "", "", STALL(5)};
        uint64_t issued = 2 + LOADS * GAP;
        uint64_t back =
            limit == LOADS ? 0 : 2 + (LOADS - limit - 1) * GAP + (uint64_t)spec.sm.shared.latency;

        assert_int_equal(control_lab_elapsed(&spec, code), (back > issued ? back : issued) + 4);
    }
}

/* The release cycles of these are known at issue. Each of them counts twice, as its sources are
 * released with its result: two releases fall in the same cycle. */
static void depbar_counts_each_of_the_releases_of_a_cycle(void **state)
{
    enum { N = 4, COUNTER = 2 };
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "sm.mem_read_latency=64");
    uint64_t apart = 32 / spec.sm.sm.xu_lanes;

    (void)state;
    for (unsigned limit = 1; limit < 2 * N; limit++) {
        control_line_t code[N + 5] = {{CLOCK, STALL(2)}};

        for (unsigned i = 1; i <= N; i++)
            code[i] = (control_line_t){"MUFU.RCP", "R1", "R2", 2, false, COUNTER, COUNTER, 0, 0, 0};
        code[N + 1] = (control_line_t){"DEPBAR.LE", "",   "", 4, true,
                                       NONE,        NONE, 0,  0, depbar_pack(COUNTER, limit, 0)};
        code[N + 2] = (control_line_t){CLOCK, STALL(1)};
        code[N + 3] = (control_line_t){"EXIT", "", "", STALL(5)};
        uint64_t issued = 2 + (N - 1) * apart + 2;
        uint64_t last = (2 * N - limit + 1) / 2 - 1; /* the one that must have its result */
        uint64_t back = 2 + last * apart + spec.sm.lat.mufu;

        assert_int_equal(control_lab_elapsed(&spec, code), (back > issued ? back : issued) + 4);
    }
}

static void depbar_waits_for_the_counters_of_its_mask_too(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    const control_line_t code[] = {
        {CLOCK, STALL(2)},
        {"MUFU.RCP", "R1", "R1", WRITES(2, 5)},
        {"DEPBAR.LE", "", "", 4, true, NONE, NONE, 0, 0, depbar_pack(0, 1, 32)},
        {CLOCK, STALL(1)},
        {"EXIT", "", "", STALL(5)},
        {0}};

    (void)state;
    assert_int_equal(control_lab_elapsed(&spec, code), 2 + spec.sm.lat.mufu + 4);
}

/* A counter holds at most 63; an instruction that would exceed this waits. */
static void more_loads_than_a_counter_counts_are_all_waited_for(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    enum { LOADS = 80 };
    control_line_t code[LOADS + 4] = {{CLOCK, STALL(2)}};

    (void)state;
    for (unsigned i = 1; i <= LOADS; i++)
        code[i] = (control_line_t){"LDG.E", "R1", "R2", 1, false, 0, 0, 0, 0, 0};
    code[LOADS + 1] = (control_line_t){CLOCK, WAITS(1, 1)};
    code[LOADS + 2] = (control_line_t){"EXIT", "", "", STALL(5)};
    assert_true(control_lab_elapsed(&spec, code) > LOADS + spec.sm.l1.latency);
}

/* A counter holds 63. One that counts 62 is full, as an instruction may increment it twice. */
static void an_instruction_waits_when_its_counter_is_full(void **state)
{
    enum { LATENCY = 1000, FULL = 62 };
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "sm.xu_lanes=32", "lat.mufu=1000");

    (void)state;
    for (unsigned n = FULL - 1; n <= FULL + 1; n++) {
        control_line_t code[FULL + 5] = {{CLOCK, STALL(2)}};

        for (unsigned i = 1; i <= n; i++)
            code[i] = (control_line_t){"MUFU.RCP", "R1", "R2", WRITES(2, 0)};
        code[n + 1] = (control_line_t){CLOCK, STALL(1)};
        code[n + 2] = (control_line_t){"EXIT", "", "", STALL(5)};
        /* The one that finds it full waits for the first result. */
        assert_int_equal(control_lab_elapsed(&spec, code), n <= FULL ? 2 + 2 * n : 2 + LATENCY + 2);
    }
}

/* --- the states that cycles are charged to --------------------------------------------------- */

static void waits_are_charged_to_what_they_are_for(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    const control_line_t stall[] = {
        {"NOP", "", "", 15, true, NONE, NONE, 0, 0, 0}, {"EXIT", "", "", STALL(5)}, {0}};
    const control_line_t mufu[] = {{"MUFU.RCP", "R1", "R1", WRITES(2, 0)},
                                   {"NOP", "", "", WAITS(1, 1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};
    const control_line_t global[] = {{"LDG.E", "R1", "R2", WRITES(2, 0)},
                                     {"NOP", "", "", WAITS(1, 1)},
                                     {"EXIT", "", "", STALL(5)},
                                     {0}};
    clock_lab_t s = control_lab_run(&spec, stall, 1), m = control_lab_run(&spec, mufu, 1),
                g = control_lab_run(&spec, global, 1);

    (void)state;
    assert_int_equal(lab_state(&s.result, STATE_WAIT), 14);
    assert_int_equal(lab_state(&s.result, STATE_SHORT_SCOREBOARD), 0);
    /* The counter, not the stall count, is waited for longest, counted from issue. */
    assert_int_equal(lab_state(&m.result, STATE_SHORT_SCOREBOARD), spec.sm.lat.mufu - 1);
    assert_int_equal(lab_state(&m.result, STATE_WAIT), 0);
    assert_true(lab_state(&g.result, STATE_LONG_SCOREBOARD) > spec.sm.l1.latency);
    assert_int_equal(lab_state(&g.result, STATE_SHORT_SCOREBOARD), 0);
}

static void states_add_up_with_any_control_words(void **state)
{
    static lab_results_t r;
    gpu_spec_t volta = LAB_SPEC("v100", "sm.count=4"), turing = LAB_SPEC("t4", "sm.count=3");
    gpu_spec_t tight = LAB_SPEC("v100", "sm.count=2", "sm.mem_queue=2", "l1.mshrs=8",
                                "l1.miss_queue=2", "sm.scheduler=lrr");
    const gpu_spec_t *spec[] = {&volta, &turing, &tight};

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        synth_t *s = mix_create(1);

        synth_control_scramble(s, seed);
        lab_run(spec[seed % 3], synth_source(s), 1, 0, &r);
        for (size_t i = 0; i < r.n; i++) {
            assert_int_equal(lab_state_sum(&r.launch[i].sm), r.launch[i].warp_slot_cycles);
            assert_int_equal(lab_state(&r.launch[i], STATE_SELECTED), r.launch[i].warp_insts);
        }
        synth_destroy(s);
    }
}

/* --- branches -------------------------------------------------------------------------------- */

static void a_branch_that_is_not_taken_costs_its_stall_count(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "sm.branch_latency=12");

    (void)state;
    for (unsigned stall = 1; stall < 8; stall++) {
        const control_line_t code[] = {{CLOCK, STALL(2)},
                                       {"BRA", "", "", STALL(stall)},
                                       {CLOCK, STALL(1)},
                                       {"EXIT", "", "", STALL(5)},
                                       {0}};

        assert_int_equal(control_lab_elapsed(&spec, code), 2 + stall);
    }
}

/* --- tensor cores -------------------------------------------------------------------------------
 */

/* Cycles of one more product of 16 x 16 x 16 that accumulates on the previous one, as ptxas
 * writes it: four sets of steps; the barrier of the last set delays the next product. */
static double wmma(const char *const *step, unsigned steps)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    enum { SETS = 4, PRODUCTS = 2 };
    uint64_t took[2];

    for (unsigned twice = 1; twice <= 2; twice++) {
        control_line_t code[2 * PRODUCTS * SETS * 4 + 4] = {{CLOCK, STALL(2)}};
        unsigned n = 1;

        for (unsigned set = 0; set < twice * PRODUCTS * SETS; set++)
            for (unsigned i = 0; i < steps; i++) {
                static const char *const sums[] = {"R24", "R26", "R20", "R22"};
                bool last = i == steps - 1;

                code[n++] = (control_line_t){step[i],         sums[i], "R4 R8 R12",     2, false,
                                             last ? 5 : NONE, NONE,    i == 0 ? 32 : 0, 7, 0};
            }
        code[n++] = (control_line_t){CLOCK, WAITS(1, 32)};
        code[n++] = (control_line_t){"EXIT", "", "", STALL(5)};
        took[twice - 1] = control_lab_elapsed(&spec, code);
    }
    return (double)(took[1] - took[0]) / PRODUCTS;
}

/* Accel-Sim's tuner on a TITAN V: 35.35 cycles with 32-bit sums, 33.0 with 16-bit ones. */
static void products_that_accumulate_take_the_measured_time(void **state)
{
    static const char *const wide[] = {"HMMA.884.F32.F32.STEP0", "HMMA.884.F32.F32.STEP1",
                                       "HMMA.884.F32.F32.STEP2", "HMMA.884.F32.F32.STEP3"};
    static const char *const narrow[] = {"HMMA.884.F16.F16.STEP0", "HMMA.884.F16.F16.STEP1"};

    (void)state;
    lab_assert_near(wmma(wide, 4), 35.35, 0.05, "a product with 32-bit sums");
    lab_assert_near(wmma(narrow, 2), 33.0, 0.05, "a product with 16-bit sums");
}

/* Only a counter of nothing but HMMA lets the next HMMA issue sooner. */
static void a_product_waits_for_a_load_of_its_counter_in_full(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "sm.rf_write_conflicts=false");
    const control_line_t code[] = {{CLOCK, STALL(2)},
                                   {"LDS", "R4", "R2", WRITES(2, 5)},
                                   {"HMMA.884.F16.F16.STEP0", "R24", "R4 R8 R12", WRITES(2, 5)},
                                   {"HMMA.884.F16.F16.STEP0", "R24", "R4 R8 R12", WAITS(2, 32)},
                                   {CLOCK, STALL(1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};

    (void)state;
    assert_true(spec.sm.shared.latency > 2 + spec.sm.lat.hmma);
    assert_int_equal(control_lab_elapsed(&spec, code), 2 + spec.sm.shared.latency + 2);
}

/* --- control words or scoreboard ------------------------------------------------------------- */

static void control_words_are_used_where_there_are_any_and_not_forbidden(void **state)
{
    const control_line_t code[] = {{CLOCK, STALL(2)},
                                   {"FADD", "R1", "R1 R2", STALL(11)},
                                   {CLOCK, STALL(1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};
    gpu_spec_t any = LAB_SPEC("v100", ONE_SM, "sm.dependences=auto");
    gpu_spec_t forced = LAB_SPEC("v100", ONE_SM, "sm.dependences=control");
    gpu_spec_t forbidden = LAB_SPEC("v100", ONE_SM, "sm.dependences=scoreboard");

    (void)state;
    assert_int_equal(control_lab_elapsed(&any, code), 13);
    assert_int_equal(control_lab_elapsed(&forced, code), 13);
    /* Both clock reads write the same register. */
    assert_int_equal(control_lab_elapsed(&forbidden, code), forbidden.sm.lat.cs2r);
}

static void count_messages(void *ctx, bool before)
{
    *(unsigned *)ctx += before;
}

/* Number of warnings for a program with sm.control_check. */
static unsigned warnings(const gpu_spec_t *spec, const control_line_t *line)
{
    unsigned n = 0;

    rb_log_set_hook(count_messages, &n);
    clock_lab_run(spec, control_lab_program(spec, line, 1), 1, 0, false);
    rb_log_set_hook(NULL, NULL);
    return n;
}

static void the_check_reports_stall_counts_that_are_too_short(void **state)
{
    gpu_spec_t on = LAB_SPEC("v100", ONE_SM, "sm.control_check=true");
    gpu_spec_t off = LAB_SPEC("v100", ONE_SM);
    const control_line_t good[] = {{"FADD", "R1", "R1 R2", STALL(4)},
                                   {"FADD", "R3", "R1 R2", STALL(1)},
                                   {"NOP", "", "", STALL(3)},
                                   {"FADD", "R1", "R3 R2", STALL(1)},
                                   {"MUFU.RCP", "R4", "R5", WRITES(2, 0)},
                                   {"FADD", "R6", "R4 R2", WAITS(1, 1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};
    const control_line_t short_stall[] = {{"FADD", "R1", "R1 R2", STALL(3)},
                                          {"FADD", "R7", "R1 R2", STALL(5)},
                                          {"EXIT", "", "", STALL(5)},
                                          {0}};
    const control_line_t no_barrier[] = {{"MUFU.RCP", "R4", "R5", STALL(2)},
                                         {"FADD", "R8", "R4 R2", STALL(5)},
                                         {"EXIT", "", "", STALL(5)},
                                         {0}};
    const control_line_t guard[] = {{"ISETP.GE.AND", "P0", "R1 R2", STALL(10)},
                                    {"BRA", "", "P0", STALL(5)},
                                    {"EXIT", "", "", STALL(5)},
                                    {0}};

    (void)state;
    assert_int_equal(warnings(&on, good), 0);
    assert_int_equal(warnings(&off, short_stall), 0);
    assert_int_equal(warnings(&on, short_stall), 1);
    assert_int_equal(warnings(&on, no_barrier), 1);
    assert_int_equal(warnings(&on, guard), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stall_count_is_the_distance_of_two_issues),
        cmocka_unit_test(fixed_latencies_are_not_waited_for),
        cmocka_unit_test(after_a_yield_another_warp_issues),
        cmocka_unit_test(a_write_barrier_holds_until_the_result_is_there),
        cmocka_unit_test(a_counter_is_seen_from_the_second_cycle_on),
        cmocka_unit_test(a_read_barrier_holds_until_the_sources_are_read),
        cmocka_unit_test(a_read_barrier_of_a_fixed_latency_holds_for_the_shorter_of_two_times),
        cmocka_unit_test(depbar_waits_until_a_counter_has_fallen_far_enough),
        cmocka_unit_test(depbar_counts_each_of_the_releases_of_a_cycle),
        cmocka_unit_test(depbar_waits_for_the_counters_of_its_mask_too),
        cmocka_unit_test(more_loads_than_a_counter_counts_are_all_waited_for),
        cmocka_unit_test(an_instruction_waits_when_its_counter_is_full),
        cmocka_unit_test(waits_are_charged_to_what_they_are_for),
        cmocka_unit_test(states_add_up_with_any_control_words),
        cmocka_unit_test(a_branch_that_is_not_taken_costs_its_stall_count),
        cmocka_unit_test(a_product_waits_for_a_load_of_its_counter_in_full),
        cmocka_unit_test(products_that_accumulate_take_the_measured_time),
        cmocka_unit_test(control_words_are_used_where_there_are_any_and_not_forbidden),
        cmocka_unit_test(the_check_reports_stall_counts_that_are_too_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
