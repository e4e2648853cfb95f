/*
 * Laws of the sub-cores: dependent chains take the latency of their class, independent instructions
 * the initiation interval that the lanes give, and no sub-core issues more than one per cycle.
 */
#include <stdio.h>
#include <string.h>

#include "sim/isa/isa.h"
#include "tests/support/sim/lab.h"

/* One SM and no instruction fetch: only issue, dependences and pipes remain. */
#define ONE_SM "sm.count=1", "icache.perfect=true", "const.perfect=true"

typedef struct {
    const char *gpu; /* NULL: both */
    const char *what;
    size_t latency; /* offset in lat_spec_t */
    lab_op_t op;    /* depends on its own result */
} chain_t;

#define LAT(name) #name, offsetof(lat_spec_t, name)

static const chain_t chains[] = {
    {NULL, LAT(fp32), {"FADD", "R1", "R1 R2"}},
    {NULL, LAT(fp32), {"FFMA", "R1", "R1 R2 R3"}},
    {NULL, LAT(fp32), {"FMUL", "R1", "R1 R2"}},
    {NULL, LAT(fp32_cmp), {"FMNMX", "R1", "R1 R2"}},
    {NULL, LAT(fp32_setp), {"FSEL", "R1", "R1 R2"}},
    {NULL, LAT(imad), {"IMAD", "R1", "R1 R2 R3"}},
    {NULL, LAT(integer), {"IADD3", "R1", "R1 R2 R3"}},
    {NULL, LAT(integer), {"LOP3.LUT", "R1", "R1 R2 R3"}},
    {NULL, LAT(integer), {"SHF.R.U32.HI", "R1", "R1 R2"}},
    {NULL, LAT(move), {"SEL", "R1", "R1 R2"}},
    {NULL, LAT(popc), {"POPC", "R1", "R1"}},
    {NULL, LAT(bitfind), {"FLO.U32", "R1", "R1"}},
    {NULL, LAT(mufu), {"MUFU.RCP", "R1", "R1"}},
    {NULL, LAT(conv), {"I2F", "R1", "R1"}},
    {NULL, LAT(fp16), {"HADD2", "R1", "R1 R2"}},
    {NULL, LAT(fp16), {"HFMA2", "R1", "R1 R2 R3"}},
    {NULL, LAT(fp64), {"DADD", "R4", "R4 R6"}},
    {NULL, LAT(fp64_fma), {"DFMA", "R4", "R4 R6 R8"}},
    {NULL, LAT(fp64_cmp), {"DSETP.GT.AND", "P0", "R4 R6 P0"}},
    {NULL, LAT(conv64), {"F2F.F64.F32", "R4", "R4"}},
    {NULL, LAT(pred), {"PLOP3.LUT", "P0", "P0 P1"}},
    {NULL, LAT(cs2r), {"CS2R", "R4", "R4"}},
    {NULL, LAT(s2r), {"S2R", "R4", "R4"}},
    {NULL, LAT(shfl), {"SHFL.IDX", "R4", "R4 R5"}},
    {"v100", LAT(hmma_acc), {"HMMA.884.F32.F32.STEP0", "R8", "R4 R6 R8"}},
    {"t4", LAT(hmma_acc), {"HMMA.1688.F32", "R8", "R4 R6 R8"}},
    {"t4", LAT(imma), {"IMMA.8816.S8.S8", "R8", "R4 R6 R8"}},
    {"t4", LAT(match), {"MATCH.ANY", "R4", "R4"}},
    {"t4", LAT(uniform), {"UIADD3", "UR4", "UR4 UR5"}},
};

static void check_chains(const char *gpu)
{
    gpu_spec_t spec = LAB_SPEC(gpu, ONE_SM);

    for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
        const chain_t *c = &chains[i];
        uint32_t latency;

        if (c->gpu && strcmp(c->gpu, gpu) != 0)
            continue;
        memcpy(&latency, (const char *)&spec.sm.lat + c->latency, sizeof(latency));
        char what[128];
        snprintf(what, sizeof(what), "%s: cycles per dependent %s (lat.%s)", gpu, c->op.mnemonic,
                 c->what);
        lab_assert_equal(lab_straight_slope(&spec, 1, 1, &c->op, 1), latency, what);
    }
}

static void dependent_chains_take_the_latency_of_their_class_on_volta(void **state)
{
    (void)state;
    check_chains("v100");
}

static void dependent_chains_take_the_latency_of_their_class_on_turing(void **state)
{
    (void)state;
    check_chains("t4");
}

/* Through an operand other than the accumulators, the full latency applies. */
static void products_that_are_multiplied_again_take_the_whole_latency(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    const lab_op_t ops[] = {{"HMMA.884.F32.F32.STEP0", "R8", "R4 R6 R12"},
                            {"HMMA.884.F32.F32.STEP0", "R4", "R8 R6 R14"}};

    (void)state;
    assert_true(spec.sm.lat.hmma_acc < spec.sm.lat.hmma);
    lab_assert_equal(lab_straight_slope(&spec, 1, 1, ops, 2), 2 * spec.sm.lat.hmma, "two HMMA");
}

/* A chain that alternates two classes takes the sum of their latencies. */
static void latencies_of_a_mixed_chain_add_up(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    const lab_op_t ops[] = {
        {"FADD", "R1", "R1 R2"}, {"IMAD", "R1", "R1 R2 R3"}, {"MUFU.EX2", "R1", "R1"}};
    double want = spec.sm.lat.fp32 + spec.sm.lat.imad + spec.sm.lat.mufu;

    (void)state;
    lab_assert_equal(lab_straight_slope(&spec, 1, 1, ops, 3), want, "FADD, IMAD, MUFU in a chain");
}

/* The latency follows the parameter, not the value in the configuration file. */
static void a_changed_latency_parameter_changes_the_chain(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "lat.fp32=37");
    const lab_op_t op = {"FADD", "R1", "R1 R2"};

    (void)state;
    lab_assert_equal(lab_straight_slope(&spec, 1, 1, &op, 1), 37, "FADD with lat.fp32=37");
}

/* A set-predicate instruction delays the next branch, although a trace does not list the
 * predicate. */
static void a_branch_waits_for_the_predicate_before_it(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    const lab_op_t ops[] = {{"ISETP.GE.AND", "", "R1 R2"}, {"BRA", "", ""}};
    double want = spec.sm.sm.predicate_latency + spec.sm.sm.branch_latency;

    (void)state;
    lab_assert_equal(lab_straight_slope(&spec, 1, 1, ops, 2), want, "ISETP and BRA, not taken");
}

/* --- rates -------------------------------------------------------------------------------------
 * The scheduler must serve all warps alike: a greedy one leaves a few warps for the end, which
 * cannot fill a pipe alone. */
#define FAIR_SM ONE_SM, "sm.scheduler=lrr"

enum { WARPS_PER_SUB_CORE = 8, WARP_THREADS = 32 };

static uint32_t crowd(const gpu_spec_t *spec)
{
    return spec->sm.sm.sub_cores * WARPS_PER_SUB_CORE * WARP_THREADS;
}

static uint32_t interval(uint32_t lanes)
{
    return WARP_THREADS / lanes;
}

/* Cycles per warp instruction of a sub-core when many warps execute only this instruction. */
static double cycles_per_inst(const gpu_spec_t *spec, const lab_op_t *ops, size_t n)
{
    return lab_straight_slope(spec, 1, crowd(spec), ops, n) / (double)n / WARPS_PER_SUB_CORE;
}

static void check_rate(const gpu_spec_t *spec, const char *mnemonic, const char *dst,
                       const char *src, double want)
{
    lab_op_t op = {mnemonic, dst, src};
    char what[128];

    snprintf(what, sizeof(what), "%s: cycles per %s of a sub-core", spec->gpu.name, mnemonic);
    lab_assert_equal(cycles_per_inst(spec, &op, 1), want, what);
}

static void check_rates(const gpu_spec_t *spec)
{
    const sm_spec_t *sm = &spec->sm.sm;
    /* A unit that the sub-cores share serves them in turn. */
    uint32_t fp64 = interval(sm->fp64_lanes) * (sm->fp64_shared ? sm->sub_cores : 1);

    check_rate(spec, "FADD", "R1", "R2 R3", interval(sm->fp32_lanes));
    check_rate(spec, "FFMA", "R1", "R2 R3 R4", interval(sm->fp32_lanes));
    check_rate(spec, "IMAD", "R1", "R2 R3 R4", interval(sm->fp32_lanes));
    check_rate(spec, "IMAD.WIDE", "R8", "R2 R3 R4",
               interval(sm->fp32_lanes) * sm->imad_wide_passes);
    check_rate(spec, "IADD3", "R1", "R2 R3 R4", interval(sm->int_lanes));
    check_rate(spec, "FSETP", "P0", "R2 R3", interval(sm->int_lanes));
    check_rate(spec, "FMNMX", "R1", "R2 R3", interval(sm->int_lanes));
    check_rate(spec, "HFMA2", "R1", "R2 R3 R4", interval(sm->fp16_lanes));
    check_rate(spec, "MUFU.RCP", "R1", "R2", interval(sm->xu_lanes));
    check_rate(spec, "POPC", "R1", "R2", interval(sm->xu_lanes));
    check_rate(spec, "I2F", "R1", "R2", interval(sm->xu_lanes));
    check_rate(spec, "DADD", "R4", "R6 R8", fp64);
    check_rate(spec, "DFMA", "R4", "R6 R8 R10", fp64);
    check_rate(spec, "NOP", "", "", 1);
}

static void pipes_accept_a_warp_every_32_over_lanes_cycles_on_volta(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", FAIR_SM);

    (void)state;
    check_rates(&spec);
    check_rate(&spec, "HMMA.884.F32.F32.STEP0", "R8", "R2 R4 R6", 256.0 / spec.sm.sm.tensor_fma);
    check_rate(&spec, "HMMA.884.F16.F16.STEP0", "R8", "R2 R4 R6", 512.0 / spec.sm.sm.tensor_fma);
}

static void pipes_accept_a_warp_every_32_over_lanes_cycles_on_turing(void **state)
{
    gpu_spec_t spec = LAB_SPEC("t4", FAIR_SM);
    /* Eight warps per sub-core that wait for their last product cannot hide 33 cycles. */
    gpu_spec_t quick = LAB_SPEC("t4", FAIR_SM, "lat.imma=16");

    (void)state;
    check_rates(&spec);
    check_rate(&quick, "IMMA.8816.S8.S8", "R8", "R2 R4 R6", spec.sm.sm.tensor_interval);
    check_rate(&spec, "HMMA.1688.F32", "R8", "R2 R4 R6", 1024.0 / spec.sm.sm.tensor_fma);
    check_rate(&spec, "UIADD3", "UR4", "UR5 UR6", spec.sm.sm.uniform_interval);
}

/* Rates follow the lanes of the configuration. */
static void twice_the_lanes_are_twice_as_fast(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", FAIR_SM, "sm.fp32_lanes=32", "sm.xu_lanes=8");

    (void)state;
    check_rate(&spec, "FADD", "R1", "R2 R3", 1);
    check_rate(&spec, "MUFU.RCP", "R1", "R2", 4);
}

/* One issue slot per cycle keeps two pipes with an interval of two busy. */
static void a_sub_core_issues_one_instruction_per_cycle_to_two_pipes(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", FAIR_SM);
    const lab_op_t ops[] = {{"FFMA", "R1", "R2 R3 R4"}, {"IADD3", "R5", "R6 R7 R8"}};

    (void)state;
    lab_assert_near(cycles_per_inst(&spec, ops, 2), 1, 0.02, "FFMA and IADD3 alternating");
    assert_true(cycles_per_inst(&spec, ops, 2) >= 1);
}

/* Comparisons of floats use the ALU: next to FFMA they cost nothing, next to IADD3 they do. */
static void comparisons_of_floats_take_the_pipe_of_integers(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", FAIR_SM);
    const lab_op_t beside[] = {{"FFMA", "R1", "R2 R3 R4"}, {"FSEL", "R5", "R6 R7"}};
    const lab_op_t behind[] = {{"IADD3", "R1", "R2 R3 R4"}, {"FMNMX", "R5", "R6 R7"}};

    (void)state;
    lab_assert_near(cycles_per_inst(&spec, beside, 2), 1, 0.02, "FFMA and FSEL alternating");
    lab_assert_near(cycles_per_inst(&spec, behind, 2), 2, 0.02, "IADD3 and FMNMX alternating");
}

/* Three pipes cannot be served faster than the one issue slot. */
static void more_pipes_do_not_exceed_the_issue_rate(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", FAIR_SM);
    const lab_op_t ops[] = {
        {"FFMA", "R1", "R2 R3 R4"}, {"IADD3", "R5", "R6 R7 R8"}, {"HADD2", "R9", "R10 R11"}};

    (void)state;
    lab_assert_near(cycles_per_inst(&spec, ops, 3), 1, 0.02, "three pipes");
    assert_true(cycles_per_inst(&spec, ops, 3) >= 1);
}

/* FP64, FP16 and tensor share a dispatch port if the configuration says so. */
static void pipes_behind_one_port_share_its_time(void **state)
{
    const lab_op_t ops[] = {{"HADD2", "R1", "R2 R3"}, {"DADD", "R4", "R6 R8"}};
    gpu_spec_t shared = LAB_SPEC("v100", FAIR_SM, "sm.fp_port_shared=true");
    gpu_spec_t apart = LAB_SPEC("v100", FAIR_SM, "sm.fp_port_shared=false");
    const sm_spec_t *sm = &shared.sm.sm;
    double half = interval(sm->fp16_lanes), dbl = interval(sm->fp64_lanes);

    (void)state;
    lab_assert_near(2 * cycles_per_inst(&shared, ops, 2), half + dbl, 0.02, "shared port");
    lab_assert_near(2 * cycles_per_inst(&apart, ops, 2), half > dbl ? half : dbl, 0.02,
                    "ports of their own");
}

/* Sub-cores do not share pipes: a block four times as wide takes no longer. */
static void sub_cores_work_side_by_side(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", FAIR_SM);
    const lab_op_t ops[] = {{"FADD", "R1", "R8 R9"},
                            {"FADD", "R2", "R8 R9"},
                            {"FADD", "R3", "R8 R9"},
                            {"FADD", "R4", "R8 R9"}};
    size_t n = sizeof(ops) / sizeof(ops[0]);
    uint32_t sub_cores = spec.sm.sm.sub_cores;
    double one = lab_straight_slope(&spec, 1, WARP_THREADS, ops, n);
    double all = lab_straight_slope(&spec, 1, sub_cores * WARP_THREADS, ops, n);
    double more = lab_straight_slope(&spec, 1, (sub_cores + 1) * WARP_THREADS, ops, n);

    (void)state;
    lab_assert_equal(one, (double)n * interval(spec.sm.sm.fp32_lanes), "one warp");
    lab_assert_equal(all, one, "one warp on each sub-core");
    lab_assert_equal(more, 2 * one, "two warps on one of the sub-cores");
}

/* Three sources in one of two banks exceed its two reads; spread over both banks they do not. */
static void register_bank_conflicts_cost_cycles(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", FAIR_SM);
    const lab_op_t spread = {"FFMA", "R1", "R2 R3 R4"}, one_bank = {"FFMA", "R1", "R2 R4 R6"};
    double free_of = cycles_per_inst(&spec, &spread, 1);
    double conflict = cycles_per_inst(&spec, &one_bank, 1);
    uint32_t reads = spec.sm.sm.rf_bank_reads;

    (void)state;
    assert_true(reads < 3); /* otherwise this configuration has no conflicts */
    assert_true(conflict > free_of);
}

/* The ideal SM is limited only by its issue width. */
static void the_ideal_sub_core_issues_every_cycle(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", FAIR_SM, "sm.ideal=true");
    const lab_op_t op = {"MUFU.RCP", "R1", "R1"};

    (void)state;
    lab_assert_equal(lab_straight_slope(&spec, 1, 1, &op, 1), 1, "one warp, dependent");
    lab_assert_equal(cycles_per_inst(&spec, &op, 1), 1, "many warps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_chains_take_the_latency_of_their_class_on_volta),
        cmocka_unit_test(dependent_chains_take_the_latency_of_their_class_on_turing),
        cmocka_unit_test(products_that_are_multiplied_again_take_the_whole_latency),
        cmocka_unit_test(latencies_of_a_mixed_chain_add_up),
        cmocka_unit_test(a_changed_latency_parameter_changes_the_chain),
        cmocka_unit_test(a_branch_waits_for_the_predicate_before_it),
        cmocka_unit_test(pipes_accept_a_warp_every_32_over_lanes_cycles_on_volta),
        cmocka_unit_test(pipes_accept_a_warp_every_32_over_lanes_cycles_on_turing),
        cmocka_unit_test(twice_the_lanes_are_twice_as_fast),
        cmocka_unit_test(a_sub_core_issues_one_instruction_per_cycle_to_two_pipes),
        cmocka_unit_test(comparisons_of_floats_take_the_pipe_of_integers),
        cmocka_unit_test(more_pipes_do_not_exceed_the_issue_rate),
        cmocka_unit_test(pipes_behind_one_port_share_its_time),
        cmocka_unit_test(sub_cores_work_side_by_side),
        cmocka_unit_test(register_bank_conflicts_cost_cycles),
        cmocka_unit_test(the_ideal_sub_core_issues_every_cycle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
