/*
 * Laws of predictions: a chain, a kernel bound by issue slots and a stream bound by the DRAM have closed
 * forms, which the prediction must give, and the model agrees; hits follow capacity; what the equations do
 * not hold for is said.
 */
#include <math.h>
#include <string.h>

#include "sampling/predict/block_model.h"
#include "sampling/predict/predict.h"
#include "sim/core/engine/msg.h"
#include "sim/core/mix64.h"
#include "tests/support/sim/inside_lab.h"
#include "tests/support/sim/lab.h"
#include "tests/support/sim/walk_lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"

#define ONE_SM "sm.count=1", "icache.perfect=true", "const.perfect=true", "tlb.perfect=true"

enum { STEPS = 400 };

typedef struct {
    unsigned first, steps, end;
} body_t;

static void straight_body(synth_warp_t *w, const void *ctx)
{
    const body_t *b = ctx;
    for (unsigned i = 0; i < b->steps; i++)
        synth_emit(w, b->first + i, (uint32_t)LAB_FULL);
    synth_emit(w, b->end, (uint32_t)LAB_FULL);
}

/* One block of `threads`; each warp executes the operation so often. rotate: destinations. */
static synth_t *straight(body_t *body, unsigned steps, uint32_t threads, const lab_op_t *op,
                         unsigned rotate)
{
    synth_t *s = synth_create();
    synth_kernel_t *k =
        synth_kernel_create(s, "straight", &(synth_shape_t){.grid = {1}, .block = {threads}});
    *body = (body_t){.steps = steps};
    for (unsigned i = 0; i < steps; i++) {
        char dst[8];
        snprintf(dst, sizeof(dst), "R%u", 20 + i % rotate);
        const unsigned at = synth_code(k, op->mnemonic, rotate > 1 ? dst : op->dst, op->src);
        body->first = i == 0 ? at : body->first;
    }
    body->end = synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, straight_body, body);
    return s;
}

static predicted_t predict_launch_of(const gpu_spec_t *spec, trace_source_t *source, uint64_t id)
{
    predicted_t out;
    rb_err_t err = {0};
    predictor_t *p = predictor_create(&spec, 1, 1);
    if (predictor_launch(p, source, id, &out, &err) != RB_OK)
        fail_msg("%s", err.text);
    predictor_destroy(p);
    return out;
}

static void same_body(synth_warp_t *w, const void *ctx)
{
    const body_t *b = ctx;
    for (unsigned i = 0; i < b->steps; i++)
        synth_emit(w, b->first, (uint32_t)LAB_FULL);
    synth_emit(w, b->end, (uint32_t)LAB_FULL);
}

static void a_chain_takes_its_latencies(void **state)
{
    static const struct {
        lab_op_t op;
        size_t latency;
    } chains[] = {{{"FADD", "R1", "R1 R2"}, offsetof(lat_spec_t, fp32)},
                  {{"MUFU.RCP", "R1", "R1"}, offsetof(lat_spec_t, mufu)},
                  {{"DADD", "R4", "R4 R6"}, offsetof(lat_spec_t, fp64)}};
    const gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    (void)state;
    for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
        body_t body;
        synth_t *s = straight(&body, 2 * STEPS, 32, &chains[i].op, 1);
        const predicted_t twice = predict_launch_of(&spec, synth_source(s), 1);
        synth_destroy(s);
        s = straight(&body, STEPS, 32, &chains[i].op, 1);
        const predicted_t p = predict_launch_of(&spec, synth_source(s), 1);
        const launch_result_t r = lab_run_one(&spec, s);
        const double latency = *(const uint32_t *)((const char *)&spec.sm.lat + chains[i].latency);
        lab_assert_near(twice.part[PREDICT_LATENCY] - p.part[PREDICT_LATENCY], STEPS * latency,
                        1e-3, "a chain");
        lab_assert_near(p.cycles, (double)launch_result_cycles(&r), 0.03, "the model's chain");
    }
}

static void a_full_sub_core_issues_one_a_cycle(void **state)
{
    const gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "gpu.launch_latency=100");
    const lab_op_t fma = {"FFMA", "R1", "R1 R2 R3"};
    enum { THREADS = 1024, WARPS = THREADS / 32 };
    body_t body;
    (void)state;
    synth_t *s = straight(&body, STEPS, THREADS, &fma, 16);
    const predicted_t p = predict_launch_of(&spec, synth_source(s), 1);
    const launch_result_t r = lab_run_one(&spec, s);
    const double of_sub_core = (double)WARPS / spec.sm.sm.sub_cores * (STEPS + 1);
    lab_assert_near(p.part[PREDICT_ISSUE], of_sub_core, 0.001, "issue slots");
    /* 16 lanes take a warp in two cycles. */
    lab_assert_near(p.part[PREDICT_FMA], 2 * (of_sub_core - (double)WARPS / 4), 0.001, "FMA pipe");
    lab_assert_near(p.cycles, (double)launch_result_cycles(&r), 0.1, "the model's pipe");
}

static uint64_t stream_address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const uint64_t steps = *(const uint64_t *)ctx;
    return (UINT64_C(1) << 32) + ((warp * steps + step) * 32 + lane) * 4;
}

static const uint64_t BUSY_STEPS = 32;

/* 64 blocks of eight warps, which access memory again and again. */
static synth_t *busy_dram(const gpu_spec_t *spec, const lab_op_t *op, lab_address_fn address)
{
    const lab_access_t a = {.op = *op,
                            .blocks = 64,
                            .threads = 256,
                            .mask = (uint32_t)LAB_FULL,
                            .steps = BUSY_STEPS,
                            .address = address,
                            .ctx = &BUSY_STEPS};
    synth_t *s = synth_create();
    lab_access_add(s, spec, &a);
    return s;
}

static void a_stream_is_bound_by_the_dram(void **state)
{
    const gpu_spec_t spec = LAB_SPEC("v100", "sm.count=8", "mem.partitions=4", "l2.slices=4",
                                     "l2.size=768KiB", "gpu.launch_latency=100");
    (void)state;
    synth_t *s = busy_dram(&spec, &(lab_op_t){"LDG.E.SYS", NULL, "R2"}, stream_address);
    const predicted_t p = predict_launch_of(&spec, synth_source(s), 1);
    const launch_result_t r = lab_run_one(&spec, s);
    const dram_spec_t *d = &spec.mem.dram;
    const double sectors = 64.0 * 8 * (double)BUSY_STEPS * 4;
    const double burst = fmax((double)SECTOR_BYTES / (d->bus_bytes * d->data_rate), d->tCCD);
    assert_int_equal(p.bound, PREDICT_DRAM);
    lab_assert_near(p.part[PREDICT_DRAM],
                    sectors * burst * spec.gpu.clock_mhz / d->clock_mhz / spec.mem.mem.partitions,
                    0.01, "a stream");
    lab_assert_near(p.traffic.l2_hit, 0, 0.001, "hits of a stream");
    lab_assert_near(p.cycles, (double)launch_result_cycles(&r), 0.15, "the model's stream");
}

static uint64_t scattered_address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const uint64_t at = (warp * *(const uint64_t *)ctx + step) * 32 + lane;
    return (UINT64_C(1) << 32) + mix64(at) % (UINT64_C(1) << 24) * LINE_BYTES;
}

/* Stores of one sector to lines at random open a row each; where nothing is read, the bus never turns.
 * In the model some wait for a bank, too. */
static void scattered_stores_open_rows(void **state)
{
    const gpu_spec_t spec = LAB_SPEC("v100", "sm.count=8", "mem.partitions=4", "l2.slices=4",
                                     "l2.size=768KiB", "gpu.launch_latency=100", "dram.ecc=false");
    (void)state;
    synth_t *s = busy_dram(&spec, &(lab_op_t){"STG.E.SYS", NULL, "R2 R4"}, scattered_address);
    const predicted_t p = predict_launch_of(&spec, synth_source(s), 1);
    const launch_result_t r = lab_run_one(&spec, s);
    const dram_spec_t *d = &spec.mem.dram;
    const double open = fmax(d->tRRD, d->tFAW / 4.0) * spec.gpu.clock_mhz / d->clock_mhz;
    assert_int_equal(p.bound, PREDICT_DRAM);
    lab_assert_near(p.part[PREDICT_DRAM], p.traffic.dram_writes * open / spec.mem.mem.partitions,
                    0.01, "rows");
    lab_assert_near(p.cycles, (double)launch_result_cycles(&r), 0.4, "the model's stores");
}

enum { WINDOW = 1 << 10 /* lines */ };

static uint64_t again_address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    return (UINT64_C(1) << 32) + step % WINDOW * LINE_BYTES + lane * 4;
}

/* One walk says what caches of several sizes hit: a window of 128 KiB is read four times. */
static void hits_follow_the_capacity(void **state)
{
    const gpu_spec_t large = LAB_SPEC("v100", ONE_SM, "l1.scale=1", "l2.size=6MiB");
    const gpu_spec_t small = LAB_SPEC("v100", ONE_SM, "l1.scale=0.25", "l2.size=6MiB");
    const gpu_spec_t *const specs[] = {&large, &small};
    const lab_access_t a = {.op = {"LDG.E.SYS", NULL, "R2"},
                            .blocks = 1,
                            .threads = 32,
                            .mask = (uint32_t)LAB_FULL,
                            .steps = 4 * WINDOW,
                            .address = again_address};
    predicted_t out[2];
    rb_err_t err = {0};
    (void)state;
    synth_t *s = synth_create();
    lab_access_add(s, &large, &a);
    predictor_t *p = predictor_create(specs, 2, 1);
    assert_int_equal(predictor_launch(p, synth_source(s), 1, out, &err), RB_OK);
    predictor_destroy(p);
    synth_destroy(s);
    lab_assert_near(out[0].traffic.l1_hit, 0.75, 0.01, "a window that fits");
    assert_true(out[1].traffic.l1_hit < 0.01);
    assert_true(out[1].cycles > out[0].cycles);
    lab_assert_near(out[1].traffic.l2_hit, 0.75, 0.01, "in the L2");
}

/* Every other access is to a table of TABLE lines, at random, the others stream. */
enum { MANY_BLOCKS = 8000, LOOKS = 16, TABLE = 12000 };

static uint64_t table_address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    const uint64_t at = warp * LOOKS + step;
    const uint64_t line = step % 2 == 0 ? TABLE + at : mix64(at) % TABLE;
    return (UINT64_C(1) << 32) + line * LINE_BYTES + lane * 4;
}

/* A launch of many waves is walked in windows, each of which uses a sixth of the table. All of it is brought once. */
static void windows_tell_what_is_shared_from_what_is_used_once(void **state)
{
    const gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "l2.size=6MiB");
    const lab_access_t a = {.op = {"LDG.E.SYS", NULL, "R2"},
                            .blocks = MANY_BLOCKS,
                            .threads = 32,
                            .mask = (uint32_t)LAB_FULL,
                            .steps = LOOKS,
                            .address = table_address};
    (void)state;
    synth_t *s = synth_create();
    lab_access_add(s, &spec, &a);
    const predicted_t p = predict_launch_of(&spec, synth_source(s), 1);
    synth_destroy(s);
    lab_assert_near(p.traffic.load_sectors, MANY_BLOCKS * LOOKS * SECTORS_PER_LINE, 0.01, "loads");
    lab_assert_near(p.traffic.dram_reads, (MANY_BLOCKS * LOOKS / 2.0 + TABLE) * SECTORS_PER_LINE,
                    0.1, "first reads");
}

static void what_does_not_hold_is_said(void **state)
{
    const gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    const lab_op_t unknown = {"FADD", "R1", "R1 R2"};
    const work_t uneven = {.blocks = 7, .irregular = 30};
    body_t body;
    rb_err_t err = {0};
    predicted_t out;
    const gpu_spec_t *const specs[] = {&spec};
    (void)state;
    synth_t *s = straight(&body, 0, 32, &unknown, 1);
    synth_kernel_t *k = synth_kernel_create(s, "unknown", &(synth_shape_t){.block = {32}});
    synth_inst(k, synth_code(k, "FADD", "R1", "R1 R2"))->cls = OP_UNKNOWN;
    body_t other = {.steps = 1, .end = synth_code(k, "EXIT", "", "")};
    synth_kernel_body(k, straight_body, &other);
    assert_true(predict_launch_of(&spec, synth_source(s), 2).doubts & PREDICT_UNKNOWN);
    /* A source without an index has no level 0. */
    predictor_t *p = predictor_create(specs, 1, 0);
    assert_int_equal(predictor_launch(p, synth_source(s), 1, &out, &err), RB_USAGE);
    assert_non_null(strstr(err.text, "rubato convert"));
    predictor_destroy(p);
    synth_destroy(s);
    s = work_program(&uneven, 64, 0);
    assert_int_equal(predict_launch_of(&spec, synth_source(s), 1).doubts, PREDICT_FEW_WAVES);
    synth_destroy(s);
}

enum { BLOCKS = 16, ALIKE = 16, SHORT = 6, LONG = BLOCKS * ALIKE - (BLOCKS - 1) * SHORT };

/* 16 blocks of the same sum of steps: all alike, or one that has nearly all. */
static void sum_body(synth_warp_t *w, const void *ctx)
{
    const unsigned *at = ctx;
    const unsigned steps = at[2] == 0 ? ALIKE : w->block == 5 ? LONG : SHORT;
    for (unsigned i = 0; i < steps; i++)
        synth_emit(w, at[0], (uint32_t)LAB_FULL);
    synth_emit(w, at[1], (uint32_t)LAB_FULL);
}

/* Launches of equal sums, of which the last one has a block that is much longer: not what the others are. */
static void a_long_block_tells_launches_of_equal_sums_apart(void **state)
{
    enum { LAUNCHES = 4 };
    const gpu_spec_t spec = LAB_SPEC("v100", "sm.count=20");
    const gpu_spec_t *const specs[] = {&spec};
    (void)state;
    synth_t *s = synth_create();
    unsigned at[LAUNCHES][3];
    for (unsigned i = 0; i < LAUNCHES; i++) {
        synth_kernel_t *k =
            synth_kernel_create(s, "sums", &(synth_shape_t){.grid = {BLOCKS}, .block = {32}});
        at[i][0] = synth_code(k, "FADD", "R1", "R1 R2");
        at[i][1] = synth_code(k, "EXIT", "", "");
        at[i][2] = i + 1 == LAUNCHES;
        synth_kernel_body(k, sum_body, at[i]);
    }
    temp_folder_create();
    trace_source_t *source = rbt_lab_open(rbt_lab_store_temp(synth_source(s)));
    synth_destroy(s);
    for (unsigned level = 0; level <= 1; level++) {
        predictor_t *p = predictor_create(specs, 1, level);
        predicted_t out[LAUNCHES];
        rb_err_t err = {0};
        for (unsigned i = 0; i < LAUNCHES; i++)
            assert_int_equal(predictor_launch(p, source, i + 1, &out[i], &err), RB_OK);
        predictor_destroy(p);
        assert_true(out[3].part[PREDICT_LATENCY] - out[2].part[PREDICT_LATENCY] >
                    0.9 * (LONG - ALIKE) * spec.sm.lat.fp32);
    }
    source->ops->destroy(source);
    temp_folder_remove();
}

/* A block that polls for others, among blocks that do not. */
enum { POLLS_AT = 3, POLL_BLOCKS = 4 };
static const stream_wait_t polled = {.test = 1, .tail = 1, .polls = 3};
static const trace_source_ops_t *plain;

static rb_code_t get_polling(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    RB_TRY(plain->get_block(l, index, out, err));
    if (*out != NULL && index == POLLS_AT) {
        (*out)->n_waits = 1;
        (*out)->waits = &polled;
    }
    return RB_OK;
}

static void free_polling(trace_launch_t *l, trace_block_t *b)
{
    b->n_waits = 0;
    b->waits = NULL;
    plain->free_block(l, b);
}

static void warps_that_wait_for_others_are_in_doubt(void **state)
{
    const gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    const work_t even = {.blocks = POLL_BLOCKS};
    (void)state;
    synth_t *s = work_program(&even, 64, 0);
    trace_source_t *source = synth_source(s);
    assert_int_equal(predict_launch_of(&spec, source, 1).doubts, 0);
    plain = source->ops;
    trace_source_ops_t polling = *plain;
    polling.get_block = get_polling;
    polling.free_block = free_polling;
    source->ops = &polling;
    assert_int_equal(predict_launch_of(&spec, source, 1).doubts, PREDICT_SPINS);
    source->ops = plain;
    synth_destroy(s);
}

/* Launches that are nearly alike take what the first ones were walked for: the doubt, too. */
static void launches_that_are_alike_share_the_doubt(void **state)
{
    enum { LAUNCHES = 4 };
    const gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    const gpu_spec_t *const specs[] = {&spec};
    body_t body[LAUNCHES];
    rb_err_t err = {0};
    predicted_t out;
    (void)state;
    synth_t *s = synth_create();
    for (unsigned i = 0; i < LAUNCHES; i++) {
        synth_kernel_t *k =
            synth_kernel_create(s, "alike", &(synth_shape_t){.grid = {POLL_BLOCKS}, .block = {32}});
        body[i] = (body_t){.steps = 0, .first = synth_code(k, "FADD", "R1", "R1 R2")};
        body[i].end = synth_code(k, "EXIT", "", "");
        body[i].steps = STEPS + i;
        synth_kernel_body(k, same_body, &body[i]);
    }
    temp_folder_create();
    trace_source_t *source = rbt_lab_open(rbt_lab_store_temp(synth_source(s)));
    synth_destroy(s);
    plain = source->ops;
    trace_source_ops_t polling = *plain;
    polling.get_block = get_polling;
    polling.free_block = free_polling;
    source->ops = &polling;
    predictor_t *p = predictor_create(specs, 1, 1);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        assert_int_equal(predictor_launch(p, source, i + 1, &out, &err), RB_OK);
        assert_int_equal(out.doubts, PREDICT_SPINS);
    }
    predictor_destroy(p);
    source->ops = plain;
    source->ops->destroy(source);
    temp_folder_remove();
}

/* An SM reads the code that its warps execute, not what they jump over. */
static void code_that_is_jumped_over_takes_no_time(void **state)
{
    enum { JUMPED = 4000 };
    const gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1");
    predicted_t p[2];
    (void)state;
    for (unsigned far = 0; far < 2; far++) {
        synth_t *s = synth_create();
        synth_kernel_t *k =
            synth_kernel_create(s, "far", &(synth_shape_t){.grid = {1}, .block = {32}});
        body_t body = {.first = synth_code(k, "FADD", "R1", "R1 R2"), .steps = 1};
        for (unsigned i = 0; i < far * JUMPED; i++)
            (void)synth_code(k, "FADD", "R1", "R1 R2");
        body.end = synth_code(k, "EXIT", "", "");
        synth_kernel_body(k, straight_body, &body);
        p[far] = predict_launch_of(&spec, synth_source(s), 1);
        const launch_result_t r = lab_run_one(&spec, s);
        lab_assert_near(p[far].cycles, (double)launch_result_cycles(&r), 0.1, "jumped over");
    }
    assert_true(p[1].cycles > p[0].cycles);
}

/* A trace that lists only what is executed: instructions that follow each other lie in places that are apart. */
static void a_run_that_jumps_reads_the_places_that_it_jumps_to(void **state)
{
    const gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1");
    (void)state;
    synth_t *s = synth_create();
    walk_lab_add_jumps(s);
    const predicted_t p = predict_launch_of(&spec, synth_source(s), 1);
    const launch_result_t r = lab_run_one(&spec, s);
    lab_assert_near(p.cycles, (double)launch_result_cycles(&r), 0.1, "four places");
}

/* All warps read the same line twice, which nobody has read before, and wait for it. Then the next one. */
static void same_line_body(synth_warp_t *w, const void *ctx)
{
    const unsigned *at = ctx;
    for (unsigned i = 0; i < STEPS; i++) {
        for (unsigned k = 0; k < 2; k++)
            synth_emit_affine(w, at[k], (uint32_t)LAB_FULL, (UINT64_C(1) << 32) + i * LINE_BYTES,
                              4);
        synth_emit(w, at[2], (uint32_t)LAB_FULL);
    }
    synth_emit(w, at[3], (uint32_t)LAB_FULL);
}

static void a_hit_on_a_line_on_its_way_waits_as_a_miss(void **state)
{
    enum { THREADS = 256 };
    const gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    unsigned at[4];
    (void)state;
    synth_t *s = synth_create();
    synth_kernel_t *k =
        synth_kernel_create(s, "late", &(synth_shape_t){.grid = {1}, .block = {THREADS}});
    at[0] = synth_code(k, "LDG.E.SYS", "R4", "R6");
    at[1] = synth_code(k, "LDG.E.SYS", "R8", "R6");
    at[2] = synth_code(k, "FADD", "R5", "R4 R8");
    at[3] = synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, same_line_body, at);
    temp_folder_create();
    trace_source_t *source = rbt_lab_open(rbt_lab_store_temp(synth_source(s)));
    const launch_result_t r = lab_run_one(&spec, s);
    const predicted_t p = predict_launch_of(&spec, source, 1);
    lab_assert_near(p.traffic.l1_hit, 1 - 16.0 / THREADS, 0.01, "lines are fetched once");
    lab_assert_near(p.cycles, (double)launch_result_cycles(&r), 0.15, "all warps wait");
    source->ops->destroy(source);
    temp_folder_remove();
}

/* Each warp goes through its own data line by line, and waits for each. */
static void own_line_body(synth_warp_t *w, const void *ctx)
{
    const unsigned *at = ctx;
    for (unsigned i = 0; i < STEPS; i++) {
        synth_emit_affine(w, at[0], (uint32_t)LAB_FULL,
                          (w->block + 1) * (STEPS + 64) * 128 + i * 128, 4);
        synth_emit(w, at[1], (uint32_t)LAB_FULL);
    }
    synth_emit(w, at[2], (uint32_t)LAB_FULL);
}

/* A stride prefetcher is some lines ahead of each warp, as far as its table has room for all warps of the SM. */
static void a_stride_prefetcher_shortens_the_wait(void **state)
{
    const gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "l1.prefetcher=stride");
    const uint32_t blocks[] = {1, 128};
    (void)state;
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        unsigned at[3];
        synth_t *s = synth_create();
        synth_kernel_t *k =
            synth_kernel_create(s, "ahead", &(synth_shape_t){.grid = {blocks[i]}, .block = {32}});
        at[0] = synth_code(k, "LDG.E.SYS", "R4", "R6");
        at[1] = synth_code(k, "FADD", "R5", "R4 R5");
        at[2] = synth_code(k, "EXIT", "", "");
        synth_kernel_body(k, own_line_body, at);
        const predicted_t p = predict_launch_of(&spec, synth_source(s), 1);
        const launch_result_t r = lab_run_one(&spec, s);
        lab_assert_near(p.cycles, (double)launch_result_cycles(&r), 0.2, "ahead of the warp");
    }
}

/* A load of straight-line code takes the mean of the latencies that it may have, not one of them. */
static void straight_loads_take_the_mean(void **state)
{
    const gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    predict_traffic_t t = {.l1_hit = 0, .l2_hit = 0.5};
    inst_t load = {.cls = OP_LOAD_LG, .width = 4};
    (void)state;
    t.lines[OP_LOAD_LG] = t.sectors[OP_LOAD_LG] = t.passes[OP_LOAD_LG] = 1;
    alone_t a = alone_on(&spec, &t, 1, false, true);
    for (load.pc = 0; load.pc < 64 * 16; load.pc += 16) {
        path_step_t step = {&load, 1, 1, 1};
        const warp_path_t path = {.step = &step, .n = 1, .insts = 1, .share = 1};
        const double cycles = block_cost(&a, &path, 1).cycles;
        assert_true(fabs(cycles - (a.l2 + a.dram) / 2) <= (a.dram - a.l2) / 8 + 1e-6);
    }
}

/* Most blocks are alike. One has most instructions, another one waits for memory again and again. */
enum { CHAIN_BLOCK = 5, WAIT_BLOCK = 2, FEW = 8, MANY = 1200, WAITS = 300 };

static void slow_body(synth_warp_t *w, const void *ctx)
{
    const unsigned *at = ctx;
    for (unsigned i = 0; i < WAITS && w->block == WAIT_BLOCK; i++)
        synth_emit_affine(w, at[2], (uint32_t)LAB_FULL, (UINT64_C(1) << 32) + i * 4096, 4);
    for (unsigned i = 0; i < (w->block == CHAIN_BLOCK ? MANY : FEW); i++)
        synth_emit(w, at[0], (uint32_t)LAB_FULL);
    synth_emit(w, at[1], (uint32_t)LAB_FULL);
}

static void the_slowest_block_need_not_be_the_longest(void **state)
{
    const gpu_spec_t spec = LAB_SPEC("v100", "sm.count=20");
    const gpu_spec_t *const specs[] = {&spec};
    unsigned at[3];
    (void)state;
    synth_t *s = synth_create();
    synth_kernel_t *k =
        synth_kernel_create(s, "slow", &(synth_shape_t){.grid = {BLOCKS}, .block = {32}});
    at[0] = synth_code(k, "FADD", "R1", "R1 R2");
    at[1] = synth_code(k, "EXIT", "", "");
    at[2] = synth_code(k, "LDG.E.SYS", "R4", "R4");
    synth_kernel_body(k, slow_body, at);
    temp_folder_create();
    trace_source_t *source = rbt_lab_open(rbt_lab_store_temp(synth_source(s)));
    const launch_result_t r = lab_run_one(&spec, s);
    const double truth = (double)launch_result_cycles(&r);
    for (unsigned level = 0; level <= 1; level++) {
        predictor_t *p = predictor_create(specs, 1, level);
        predicted_t out;
        rb_err_t err = {0};
        assert_int_equal(predictor_launch(p, source, 1, &out, &err), RB_OK);
        predictor_destroy(p);
        /* Level 0 assumes hits. */
        lab_assert_near(out.cycles, truth, level == 0 ? 0.6 : 0.15, "the block that waits");
        assert_true(out.part[PREDICT_LATENCY] > 2 * MANY * spec.sm.lat.fp32);
    }
    source->ops->destroy(source);
    temp_folder_remove();
}

/* Blocks of many waves read lines that nobody reads again, but for a long one, which reads the same few lines over and
 * over. It is in no window of the walk. */
enum { OWN_BLOCK = 470, OWN_BLOCKS = 1000, OWN_LINES = 4, OWN_LOADS = 2000 };

static void own_body(synth_warp_t *w, const void *ctx)
{
    const unsigned *at = ctx;
    const bool longest = w->block == OWN_BLOCK;
    const uint64_t base = (w->block + 1) << 20;
    for (unsigned i = 0; i < (longest ? OWN_LOADS : FEW); i++) {
        synth_emit_affine(w, at[0], (uint32_t)LAB_FULL,
                          base + (longest ? i % OWN_LINES : i) * LINE_BYTES, 4);
        synth_emit(w, at[1], (uint32_t)LAB_FULL);
    }
    synth_emit(w, at[2], (uint32_t)LAB_FULL);
}

static void the_longest_block_hits_what_it_uses_itself(void **state)
{
    const gpu_spec_t spec = LAB_SPEC("v100", "sm.count=2");
    unsigned at[3];
    (void)state;
    synth_t *s = synth_create();
    synth_kernel_t *k =
        synth_kernel_create(s, "own", &(synth_shape_t){.grid = {OWN_BLOCKS}, .block = {32}});
    at[0] = synth_code(k, "LDG.E.SYS", "R4", "R6");
    at[1] = synth_code(k, "FADD", "R5", "R4 R5");
    at[2] = synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, own_body, at);
    temp_folder_create();
    trace_source_t *source = rbt_lab_open(rbt_lab_store_temp(synth_source(s)));
    const launch_result_t r = lab_run_one(&spec, s);
    const predicted_t p = predict_launch_of(&spec, source, 1);
    assert_true(p.traffic.l1_hit < 0.25);
    lab_assert_near(p.cycles, (double)launch_result_cycles(&r), 0.1, "the block that hits");
    source->ops->destroy(source);
    temp_folder_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_its_latencies),
        cmocka_unit_test(a_full_sub_core_issues_one_a_cycle),
        cmocka_unit_test(a_stream_is_bound_by_the_dram),
        cmocka_unit_test(scattered_stores_open_rows),
        cmocka_unit_test(hits_follow_the_capacity),
        cmocka_unit_test(windows_tell_what_is_shared_from_what_is_used_once),
        cmocka_unit_test(what_does_not_hold_is_said),
        cmocka_unit_test(a_long_block_tells_launches_of_equal_sums_apart),
        cmocka_unit_test(warps_that_wait_for_others_are_in_doubt),
        cmocka_unit_test(launches_that_are_alike_share_the_doubt),
        cmocka_unit_test(code_that_is_jumped_over_takes_no_time),
        cmocka_unit_test(a_run_that_jumps_reads_the_places_that_it_jumps_to),
        cmocka_unit_test(a_hit_on_a_line_on_its_way_waits_as_a_miss),
        cmocka_unit_test(a_stride_prefetcher_shortens_the_wait),
        cmocka_unit_test(straight_loads_take_the_mean),
        cmocka_unit_test(the_slowest_block_need_not_be_the_longest),
        cmocka_unit_test(the_longest_block_hits_what_it_uses_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
