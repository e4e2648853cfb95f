/*
 * Laws of conservation: everything that goes into a part comes out of it, and two parts that count
 * the same thing agree; equal SMs get equal shares of a shared resource.
 */
#include <stdio.h>
#include <string.h>

#include "sim/core/engine/msg.h"
#include "sim/gpu/gpu_internal.h"
#include "tests/support/mix.h"
#include "tests/support/sim/lab.h"

#define SMALL                                                                                      \
    "sm.count=6", "mem.partitions=4", "l2.slices=8", "l2.size=768KiB", "gpu.launch_latency=500"

static const uint64_t region = 0x7f0000000000;

static uint64_t mix_group_sum(const sm_stats_t *s)
{
    return s->mix_fp16 + s->mix_fp32 + s->mix_fp64 + s->mix_int + s->mix_move + s->mix_conv +
           s->mix_sfu + s->mix_tensor + s->mix_uniform + s->mix_control + s->mix_shuffle +
           s->mix_load + s->mix_store + s->mix_atomic + s->mix_tex;
}

/* Laws that hold for any launch. */
static void check_launch(const launch_result_t *r)
{
    assert_int_equal(r->warp_insts, r->sm.warp_insts);
    assert_int_equal(r->thread_insts, r->sm.thread_insts);
    assert_int_equal(r->sm.warp_insts, r->sm.state_selected);
    assert_int_equal(mix_group_sum(&r->sm), r->sm.warp_insts);
    assert_int_equal(r->blocks, r->info.n_blocks);
    assert_int_equal(r->sm.blocks, r->blocks);
    assert_int_equal(r->sm.warps, r->blocks * r->occupancy.warps_per_block);
    /* L2 reads are instructions plus the sectors that L1 missed and had not requested already. */
    assert_true(r->l2.read_sectors - r->l2.inst_sectors <=
                r->sm.global_load_sectors - r->sm.global_load_hits + r->sm.local_load_sectors -
                    r->sm.local_load_hits);
    assert_int_equal(r->l2.write_sectors, r->sm.global_store_sectors + r->sm.local_store_sectors);
    assert_true(r->l2.read_hits <= r->l2.read_sectors);
    assert_true(r->l2.write_hits <= r->l2.write_sectors);
    /* DRAM traffic is exactly what L2 fills and writes back. */
    assert_int_equal(r->dram.read_sectors, r->l2.fills + r->l2.ecc_reads);
    assert_true(r->l2.unasked_fills <= r->l2.fills);
    assert_int_equal(r->dram.write_sectors, r->l2.writebacks);
    assert_true(r->sm.branches_uniform <= r->sm.branches);
}

static void whatever_is_run_the_counters_of_the_parts_agree(void **state)
{
    static lab_results_t r;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    synth_t *s = mix_create(2);
    uint64_t insts = 0;

    (void)state;
    lab_run(&spec, synth_source(s), 1, 0, &r);
    assert_int_equal(r.n, 5);
    for (size_t i = 0; i < r.n; i++) {
        check_launch(&r.launch[i]);
        insts += r.launch[i].warp_insts;
    }
    assert_int_equal(insts, mix_insts(s));
    synth_destroy(s);
}

/* --- an exact account of packets -----------------------------------------------------------------
 */

enum { WARPS_PER_BLOCK = 4, BLOCKS = 24, STEPS = 6, LANES = 32 };

typedef enum { A_LOAD, A_STORE, A_RED, A_ATOM } kind_t;

static void account_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t line = region + (w->global * STEPS + i) * LINE_BYTES;

        synth_emit_affine(w, A_LOAD, (uint32_t)LAB_FULL, line, 4);
        synth_emit_affine(w, A_STORE, (uint32_t)LAB_FULL, line + (1 << 26), 4);
        synth_emit_affine(w, A_RED, (uint32_t)LAB_FULL, line + (2 << 26), 4);
        synth_emit_affine(w, A_ATOM, (uint32_t)LAB_FULL, line + (3 << 26), 4);
    }
    synth_emit(w, A_ATOM + 1, (uint32_t)LAB_FULL);
}

/* Every warp accesses its own lines once: each access is one packet each way. */
static void packets_sectors_and_flits_add_up(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "icache.perfect=true");
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "account",
        &(synth_shape_t){.grid = {BLOCKS}, .block = {WARPS_PER_BLOCK * LANES}, .regs = 32});
    const uint64_t n = (uint64_t)BLOCKS * WARPS_PER_BLOCK * STEPS;
    const uint64_t data_flits = LINE_BYTES / spec.mem.icnt.flit_bytes;

    (void)state;
    synth_code(k, "LDG.E.SYS", "R4", "R2");
    synth_code(k, "STG.E.SYS", "", "R2 R4");
    synth_code(k, "RED.E.ADD.STRONG.GPU", "", "R2 R4");
    synth_code(k, "ATOMG.E.ADD.STRONG.GPU", "R5", "R2 R4");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, account_body, NULL);
    launch_result_t r = lab_run_one(&spec, s);

    check_launch(&r);
    assert_int_equal(r.l2.requests, 4 * n);
    assert_int_equal(r.sm.global_load_requests, n);
    assert_int_equal(r.sm.global_load_sectors, n * SECTORS_PER_LINE);
    assert_int_equal(r.sm.global_load_hits, 0);
    assert_int_equal(r.sm.global_load_pending, 0);
    assert_int_equal(r.sm.global_store_hits, 0);
    assert_int_equal(r.sm.l1_mshr_merges, 0);
    assert_int_equal(r.l2.read_sectors, n * SECTORS_PER_LINE);
    assert_int_equal(r.l2.write_sectors, n * SECTORS_PER_LINE);
    assert_int_equal(r.l2.red_sectors, n * SECTORS_PER_LINE);
    assert_int_equal(r.l2.atomic_sectors, n * SECTORS_PER_LINE);
    assert_int_equal(r.sm.atomic_lanes, 2 * n * LANES);
    assert_int_equal(r.sm.atomic_requests, n);
    assert_int_equal(r.sm.reduction_requests, n);
    /* Out: a header for a read, data for the others. In: data for reads and atomics, an
     * acknowledgement of one flit for stores and reductions. */
    assert_int_equal(r.sm.xbar_flits_out, n + 3 * n * data_flits);
    assert_int_equal(r.sm.xbar_flits_in, 2 * n * data_flits + 2 * n);
    /* Cold L2: data of reads, reductions and atomics are fetched once; whole lines come in units
     * of fill_sectors. */
    assert_int_equal(r.l2.fills, 3 * n * SECTORS_PER_LINE);
}

static uint64_t shared_line(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    return region + step * LINE_BYTES + lane * 4;
}

/* All warps of an SM read the same lines: L2 gets each sector once per SM, DRAM once. */
static void a_line_is_fetched_once_per_sm_and_once_from_dram(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "icache.perfect=true");
    lab_access_t a = {.op = {"LDG.E.SYS", NULL, "R2"},
                      .blocks = spec.sm.sm.count,
                      .threads = 1024,
                      .regs = 32,
                      .mask = (uint32_t)LAB_FULL,
                      .steps = 100,
                      .address = shared_line};
    const uint64_t sectors = a.steps * SECTORS_PER_LINE;

    (void)state;
    launch_result_t r = lab_access(&spec, &a);
    check_launch(&r);
    assert_int_equal(r.sm.global_load_sectors, sectors * spec.sm.sm.count * (a.threads / LANES));
    assert_int_equal(r.l2.read_sectors, sectors * spec.sm.sm.count);
    /* A sector that L1 does not have is either outstanding already or requested from L2. */
    assert_true(r.sm.global_load_pending > 0);
    assert_int_equal(r.l2.read_sectors,
                     r.sm.global_load_sectors - r.sm.global_load_hits - r.sm.global_load_pending);
    assert_int_equal(r.dram.read_sectors, sectors);
    assert_int_equal(r.sm.xbar_flits_in, sectors * spec.sm.sm.count);
}

enum { UPDATE_LOAD, UPDATE_STORE, UPDATE_EXIT };

/* Loads two of the four sectors of a line, then stores all of it. */
static void update_body(synth_warp_t *w, const void *ctx)
{
    uint64_t line = region + w->global * LINE_BYTES;

    (void)ctx;
    synth_emit_affine(w, UPDATE_LOAD, 0xffff, line, 4);
    synth_emit_affine(w, UPDATE_STORE, (uint32_t)LAB_FULL, line, 4);
    synth_emit(w, UPDATE_EXIT, (uint32_t)LAB_FULL);
}

static void a_store_hits_all_sectors_of_a_line_that_is_there(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "update",
        &(synth_shape_t){.grid = {BLOCKS}, .block = {WARPS_PER_BLOCK * LANES}, .regs = 32});

    (void)state;
    synth_code(k, "LDG.E.SYS", "R4", "R2");
    synth_code(k, "STG.E.SYS", "", "R2 R4"); /* waits for what is loaded */
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, update_body, NULL);
    launch_result_t r = lab_run_one(&spec, s);

    check_launch(&r);
    assert_int_equal(r.sm.global_store_sectors, 4 * BLOCKS * WARPS_PER_BLOCK);
    assert_int_equal(r.sm.global_store_hits, r.sm.global_store_sectors);
}

/* HFMA2.MMA R4, -RZ, RZ, 1, 0 only moves a constant (operands of RZ are dropped). */
static void floating_point_operations_are_counted_by_the_unit_that_does_them(void **state)
{
    static const lab_op_t ops[] = {
        {"HFMA2.MMA", "R4", ""},
        {"HFMA2.MMA", "R6", "R5"},
        {"FFMA", "R8", "R5 R5 R5"},
        {"DFMA", "R10", "R12 R12 R12"},
        {"HMMA.1688.F32", "R20", "R24 R26 R20"},
    };
    enum { REPEATS = 3, FMA_1688 = 16 * 8 * 8 };
    gpu_spec_t spec = LAB_SPEC("rtx2060", "sm.count=1");

    (void)state;
    launch_result_t r = lab_straight(&spec, 1, LANES, ops, sizeof(ops) / sizeof(ops[0]), REPEATS);
    assert_int_equal(r.sm.mix_fp16, 2 * REPEATS);
    assert_int_equal(r.sm.flops_fp16, 4 * LANES * REPEATS);
    assert_int_equal(r.sm.flops_fp32, 2 * LANES * REPEATS);
    assert_int_equal(r.sm.flops_fp64, 2 * LANES * REPEATS);
    assert_int_equal(r.sm.flops_tensor, 2 * FMA_1688 * REPEATS);
}

static void shared_accesses_take_as_many_wavefronts_as_conflicts_and_ideal(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    static lab_results_t r;
    synth_t *s = mix_create(1);

    (void)state;
    lab_run(&spec, synth_source(s), 1, 0, &r);
    const sm_stats_t *tiles = &r.launch[1].sm;
    /* LDS and STS of 32 bits need one pass; LDS.128 of a half warp two. */
    uint64_t wide = tiles->shared_load_requests / 2, narrow = wide + tiles->shared_store_requests;

    assert_true(tiles->shared_conflicts > 0);
    assert_int_equal(tiles->shared_wavefronts - tiles->shared_conflicts, narrow + 2 * wide);
    synth_destroy(s);
}

/* --- fairness ------------------------------------------------------------------------------------
 */

enum { FAIR_SMS = 16, FAIR_INTERVAL = 20000 };

typedef struct {
    gpu_t *gpu;
    unsigned calls;
    uint64_t flits[2][FAIR_SMS]; /* at the first and at the last interval */
} share_t;

static rb_code_t note_shares(void *ctx, const interval_result_t *r, rb_err_t *err)
{
    share_t *s = ctx;

    (void)r;
    for (unsigned i = 0; i < FAIR_SMS; i++)
        s->flits[s->calls > 0][i] = sm_stats(s->gpu->sm[i])->xbar_flits_in;
    s->calls++;
    return s->calls == 3 ? rb_fail(err, RB_STOPPED, "enough") : RB_OK;
}

typedef struct {
    uint64_t warps, bytes;
} walk_t;

static uint64_t walk(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const walk_t *w = ctx;

    return region + (step * w->warps + warp) * LINE_BYTES % w->bytes + lane * 4;
}

/* Every SM streams as fast as it can; the shares are compared in the middle of the run. */
static void check_shares(const gpu_spec_t *spec, uint64_t bytes, bool copied, const char *what)
{
    synth_t *s = synth_create();
    walk_t w = {.warps = FAIR_SMS * 32, .bytes = bytes};
    lab_access_t a = {.op = {copied ? "LDG.E.STRONG.GPU" : "LDG.E.SYS", NULL, "R2"},
                      .blocks = FAIR_SMS,
                      .threads = 1024,
                      .regs = 64,
                      .mask = (uint32_t)LAB_FULL,
                      .steps = 600,
                      .address = walk,
                      .ctx = &w};
    share_t share = {.gpu = gpu_create(spec, 1, 0)};
    run_plan_t plan = {.first = 1, .stats_interval = FAIR_INTERVAL};
    gpu_callbacks_t callbacks = {.ctx = &share, .interval = note_shares};
    rb_err_t err = {0};
    uint64_t least = UINT64_MAX, most = 0;

    assert_int_equal(spec->sm.sm.count, FAIR_SMS);
    if (copied)
        synth_memcpy(s, region, bytes);
    lab_access_add(s, spec, &a);
    assert_int_equal(gpu_run(share.gpu, synth_source(s), &plan, &callbacks, &err), RB_STOPPED);
    assert_int_equal(share.calls, 3);
    for (unsigned i = 0; i < FAIR_SMS; i++) {
        uint64_t got = share.flits[1][i] - share.flits[0][i];

        least = got < least ? got : least;
        most = got > most ? got : most;
    }
    gpu_destroy(share.gpu);
    synth_destroy(s);
    if (least == 0 || (double)(most - least) > 0.02 * (double)most)
        fail_msg("%s: SMs got between %llu and %llu flits in the same time", what,
                 (unsigned long long)least, (unsigned long long)most);
}

static void equal_sms_get_equal_shares_of_l2(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=16", "mem.partitions=4", "l2.slices=8",
                               "l2.size=768KiB", "icache.perfect=true", "gpu.launch_latency=0");

    (void)state;
    check_shares(&spec, 512 << 10, true, "L2 ports");
}

static void equal_sms_get_equal_shares_of_dram(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=16", "mem.partitions=2", "l2.slices=4",
                               "l2.size=384KiB", "icache.perfect=true", "gpu.launch_latency=0");

    (void)state;
    check_shares(&spec, UINT64_C(1) << 40, false, "DRAM");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_run_the_counters_of_the_parts_agree),
        cmocka_unit_test(packets_sectors_and_flits_add_up),
        cmocka_unit_test(a_line_is_fetched_once_per_sm_and_once_from_dram),
        cmocka_unit_test(a_store_hits_all_sectors_of_a_line_that_is_there),
        cmocka_unit_test(floating_point_operations_are_counted_by_the_unit_that_does_them),
        cmocka_unit_test(shared_accesses_take_as_many_wavefronts_as_conflicts_and_ideal),
        cmocka_unit_test(equal_sms_get_equal_shares_of_l2),
        cmocka_unit_test(equal_sms_get_equal_shares_of_dram),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
