/*
 * Laws of the counters of launches that overlap: each launch has those of its own instructions and
 * requests, on the SMs, in the L2 and in the DRAM.
 */
#include <string.h>

#include "frontend/input/order/stream_builder.h"
#include "tests/support/sim/lab.h"

#define ALONE   "icache.perfect=true", "const.perfect=true", "warmup.mode=keep"
#define OVERLAP ALONE, "gpu.concurrent_launches=128"
#define SMALL   "sm.count=4", "mem.partitions=2", "l2.slices=4", "l2.size=384KiB"

typedef struct {
    synth_t *s;
    stream_builder_t b;
    uint64_t n;
} program_t;

static lab_results_t told, other;
static copy_counters_t copied; /* of the last run */

static void begin(program_t *p)
{
    p->s = synth_create();
    p->n = 0;
    stream_builder_init(&p->b);
}

static void end(program_t *p)
{
    synth_destroy(p->s);
    stream_builder_free(&p->b);
}

static void add(program_t *p, const gpu_spec_t *spec, uint64_t stream, const lab_access_t *a)
{
    lab_access_add(p->s, spec, a);
    stream_builder_add(&p->b, stream, (stream_op_t){.kind = STREAM_OP_LAUNCH, .launch = ++p->n});
}

/* Puts the results in the order of the launches. */
static rb_code_t keep(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    lab_results_t *t = ctx;
    (void)err;
    assert_in_range(r->info.id, 1, LAB_MAX_LAUNCHES);
    t->launch[r->info.id - 1] = *r;
    t->n++;
    return RB_OK;
}

static rb_code_t keep_copies(void *ctx, const stream_graph_t *g, const stream_op_time_t *times,
                             const copy_counters_t *copies, rb_err_t *err)
{
    (void)ctx, (void)g, (void)times, (void)err;
    copied = *copies;
    return RB_OK;
}

static void run(const gpu_spec_t *spec, program_t *p, int threads, cycle_t window,
                lab_results_t *out)
{
    const gpu_callbacks_t callbacks = {.ctx = out, .launch_done = keep, .work_done = keep_copies};
    rb_err_t err = {0};
    gpu_t *g = gpu_create(spec, threads, window);
    memset(out, 0, sizeof(*out));
    synth_order(p->s, &p->b.graph);
    if (gpu_run(g, synth_source(p->s), &(run_plan_t){.first = 1}, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(g);
    assert_int_equal(out->n, p->n);
}

/* --- accesses -------------------------------------------------------------------------------- */

typedef struct {
    uint64_t base;
    uint32_t lane_bytes, step_bytes, steps;
} pattern_of_t;

static uint64_t address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const pattern_of_t *a = ctx;
    const uint64_t access = a->step_bytes == 0 ? warp : warp * a->steps + step;
    return a->base + access * 32 * a->lane_bytes + (uint64_t)lane * a->lane_bytes;
}

enum { KINDS = 5, WARPS_OF_BLOCK = 2 };

static const lab_op_t ops[KINDS] = {
    {"LDG.E", NULL, "R2"},      {"LDG.E", NULL, "R2"}, {"STG.E", "", "R2 R4"},
    {"RED.E.ADD", "", "R2 R4"}, {"LDG.E", NULL, "R2"},
};

/* Of the last one, each warp loads the same line again and again. */
static const pattern_of_t patterns[KINDS] = {
    {UINT64_C(1) << 32, 4, 1, 11}, {UINT64_C(2) << 32, 32, 1, 5}, {UINT64_C(3) << 32, 4, 1, 13},
    {UINT64_C(4) << 32, 4, 1, 7},  {UINT64_C(5) << 32, 4, 0, 23},
};

static uint32_t blocks_of(unsigned k)
{
    return 9 + 2 * k;
}

static void all_kinds(program_t *p, const gpu_spec_t *spec)
{
    begin(p);
    for (unsigned k = 0; k < KINDS; k++)
        add(p, spec, 1 + k,
            &(lab_access_t){.op = ops[k],
                            .blocks = blocks_of(k),
                            .threads = 32 * WARPS_OF_BLOCK,
                            .regs = 32,
                            .mask = UINT32_MAX,
                            .steps = patterns[k].steps,
                            .address = address,
                            .ctx = &patterns[k]});
}

/* --- laws ------------------------------------------------------------------------------------ */

static uint64_t missed(const sm_stats_t *s)
{
    return s->global_load_sectors - s->global_load_hits - s->global_load_pending;
}

/* What the SMs, the L2 and the DRAM count for a launch is what its own instructions cause. */
static void each_launch_has_its_own_requests(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, SMALL);
    program_t p;
    all_kinds(&p, &spec);
    run(&spec, &p, 1, 0, &told);
    uint64_t overlapped = 0;
    for (unsigned k = 0; k < KINDS; k++) {
        const launch_result_t *r = &told.launch[k];
        const uint64_t warps = (uint64_t)blocks_of(k) * WARPS_OF_BLOCK;
        const uint64_t accesses = warps * patterns[k].steps;
        const uint64_t sectors = accesses * patterns[k].lane_bytes;
        const bool load = ops[k].mnemonic[0] == 'L', store = ops[k].mnemonic[0] == 'S';
        overlapped += k > 0 && r->start < told.launch[0].end;
        assert_int_equal(r->sm.blocks, blocks_of(k));
        assert_int_equal(r->sm.warps, warps);
        assert_int_equal(r->sm.global_load_requests, load ? accesses : 0);
        assert_int_equal(r->sm.global_load_sectors, load ? sectors : 0);
        assert_int_equal(r->sm.global_store_sectors, store ? sectors : 0);
        assert_int_equal(r->sm.reduction_requests, load || store ? 0 : accesses);
        assert_int_equal(r->l2.read_sectors - r->l2.inst_sectors, missed(&r->sm));
        assert_int_equal(r->l2.write_sectors, store ? sectors : 0);
        assert_int_equal(r->l2.red_sectors, load || store ? 0 : sectors);
        assert_int_equal(r->dram.read_sectors, r->l2.fills + r->l2.ecc_reads);
        assert_int_equal(r->dram.write_sectors, r->l2.writebacks);
        if (r->l2.writebacks == 0)
            assert_int_equal(r->dram.row_hits + r->dram.row_misses + r->dram.row_conflicts,
                             r->dram.read_requests);
        assert_int_equal(r->sm.warp_insts, r->warp_insts);
        assert_int_equal(r->sm.mix_load, load ? accesses : 0);
        if (load) /* nothing else brings its lines */
            assert_true(r->l2.fills >= r->l2.read_sectors - r->l2.inst_sectors);
        assert_true(r->l2.unasked_fills <= r->l2.fills);
        if (store)
            assert_int_equal(r->l2.read_sectors, r->l2.inst_sectors);
    }
    assert_int_equal(overlapped, KINDS - 1);
    assert_int_equal(missed(&told.launch[4].sm), (uint64_t)blocks_of(4) * WARPS_OF_BLOCK * 4);
    end(&p);
}

/* Warps that do not hinder each other have the stall reasons that they have alone, and the active cycles
 * of the SM are divided. */
static void stalls_are_those_of_the_own_warps(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, "sm.count=1", "l1.perfect=true");
    const uint32_t steps[] = {400, 90};
    const pattern_of_t same = {UINT64_C(1) << 32, 4, 0, 1};
    launch_result_t one[2];
    program_t p;
    for (unsigned both = 0; both < 2; both++) {
        for (unsigned k = 0; k < 2; k++) {
            if (k == 0 || !both)
                begin(&p);
            add(&p, &spec, 1 + k,
                &(lab_access_t){.op = {"LDG.E", "R2", "R2"},
                                .blocks = 1,
                                .threads = 32,
                                .regs = 32,
                                .mask = UINT32_MAX,
                                .steps = steps[k],
                                .address = address,
                                .ctx = &same});
            if (!both) {
                run(&spec, &p, 1, 0, &told);
                one[k] = told.launch[0];
                end(&p);
            }
        }
    }
    run(&spec, &p, 1, 0, &told);
    end(&p);
    for (unsigned k = 0; k < 2; k++) {
        const uint64_t *got = (const uint64_t *)&told.launch[k].sm,
                       *want = (const uint64_t *)&one[k].sm;
        for (unsigned i = STATE_NO_WARP + 1; i < STATE_COUNT; i++)
            assert_int_equal(got[i], want[i]);
        assert_int_equal(told.launch[k].sm.thread_insts, one[k].sm.thread_insts);
    }
    const uint64_t first = told.launch[0].sm.active_cycles,
                   second = told.launch[1].sm.active_cycles;
    assert_int_equal(first + second, one[0].sm.active_cycles);
    assert_in_range(2 * second, one[1].sm.active_cycles - 1, one[1].sm.active_cycles + 1);
    assert_int_equal(told.launch[0].warp_slot_cycles + told.launch[1].warp_slot_cycles,
                     launch_result_cycles(&told.launch[0]) * spec.sm.sm.max_warps);
}

/* A dirty line counts for the launch that evicts it. */
static void a_write_back_counts_for_who_evicts(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, SMALL, "l2.modified_share=1");
    const pattern_of_t written = {UINT64_C(1) << 32, 4, 1, 16},
                       read = {UINT64_C(2) << 32, 4, 1, 64};
    program_t p;
    begin(&p);
    lab_access_t a = {.op = {"STG.E", "", "R2 R4"},
                      .blocks = 4,
                      .threads = 64,
                      .regs = 32,
                      .mask = UINT32_MAX,
                      .steps = written.steps,
                      .address = address,
                      .ctx = &written};
    add(&p, &spec, 1, &a);
    stream_builder_host_all(&p.b);
    a.op = (lab_op_t){"LDG.E", NULL, "R2"};
    a.blocks = 64;
    a.steps = read.steps;
    a.ctx = &read;
    add(&p, &spec, 1, &a);
    run(&spec, &p, 1, 0, &told);
    const uint64_t sectors = told.launch[0].l2.write_sectors;
    assert_int_equal(told.launch[0].l2.writebacks, 0);
    assert_int_equal(told.launch[0].dram.write_sectors, 0);
    assert_int_equal(told.launch[1].l2.writebacks, sectors);
    assert_int_equal(told.launch[1].dram.write_sectors, sectors);
    end(&p);
}

/* Warp slots count while a launch runs, and only then. */
static void slots_count_while_a_launch_runs(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, SMALL);
    const stream_op_t copy = {.kind = STREAM_OP_TO_DEVICE, .bytes = 100000};
    program_t p;
    begin(&p);
    stream_builder_add(&p.b, 1, copy);
    for (unsigned i = 0; i < 4; i++) {
        add(&p, &spec, 1 + i % 2,
            &(lab_access_t){.op = ops[i],
                            .blocks = 5 + i,
                            .threads = 64,
                            .regs = 32,
                            .mask = UINT32_MAX,
                            .steps = patterns[i].steps,
                            .address = address,
                            .ctx = &patterns[i]});
        if (i == 1) {
            stream_builder_host_all(&p.b);
            stream_builder_add(&p.b, 1, copy);
            stream_builder_host_all(&p.b);
        }
    }
    run(&spec, &p, 1, 0, &told);
    uint64_t slots = 0, busy = 0;
    for (unsigned i = 0; i < 4; i++)
        slots += told.launch[i].warp_slot_cycles;
    /* launches 1 and 2 may or may not overlap; between 2 and 3 there is a copy */
    for (unsigned i = 0; i < 4; i += 2) {
        const launch_result_t *a = &told.launch[i], *b = &told.launch[i + 1];
        const cycle_t both = cycle_min(a->end, b->end), later = cycle_max(a->start, b->start);
        busy +=
            launch_result_cycles(a) + launch_result_cycles(b) - (both > later ? both - later : 0);
    }
    assert_true(told.launch[2].start > told.launch[1].end);
    assert_int_equal(slots, busy * spec.sm.sm.max_warps * 4);
    end(&p);
}

static void counters_depend_on_neither_threads_nor_windows(void **state)
{
    (void)state;
    static const struct {
        int threads;
        cycle_t window;
    } ways[] = {{1, 1}, {2, 0}, {3, 5}};
    gpu_spec_t spec = LAB_SPEC("v100", "gpu.concurrent_launches=128", "warmup.mode=keep", SMALL);
    program_t p;
    all_kinds(&p, &spec);
    run(&spec, &p, 1, 0, &told);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        run(&spec, &p, ways[i].threads, ways[i].window, &other);
        for (unsigned k = 0; k < KINDS; k++) {
            assert_memory_equal(&told.launch[k].sm, &other.launch[k].sm, sizeof(sm_stats_t));
            assert_memory_equal(&told.launch[k].l2, &other.launch[k].l2, sizeof(l2_stats_t));
            assert_memory_equal(&told.launch[k].dram, &other.launch[k].dram, sizeof(dram_stats_t));
        }
    }
    end(&p);
}

/* --- copies ---------------------------------------------------------------------------------- */

enum { COPIED = 64 << 10 }; /* bytes; a sixth of the L2 */

static void copy(program_t *p, uint64_t stream, stream_op_kind_t kind, uint64_t addr,
                 uint64_t bytes)
{
    stream_builder_add(&p->b, stream,
                       (stream_op_t){.kind = (uint8_t)kind, .addr = addr, .bytes = bytes});
}

/* One warp, so that a program has a launch, and two streams. */
static void small_launch(program_t *p, const gpu_spec_t *spec, uint64_t stream, uint64_t base,
                         uint32_t steps)
{
    static pattern_of_t of[LAB_MAX_LAUNCHES];
    pattern_of_t *a = &of[p->n];
    *a = (pattern_of_t){base, 4, 1, steps};
    add(p, spec, stream,
        &(lab_access_t){.op = {"LDG.E", NULL, "R2"},
                        .blocks = 1,
                        .threads = 32,
                        .regs = 32,
                        .mask = UINT32_MAX,
                        .steps = steps,
                        .address = address,
                        .ctx = a});
}

/* A copy of N bytes is N / 32 sectors in the L2. What it leaves is found by the copy back and by a
 * launch; what no copy left is fetched. */
static void a_copy_moves_its_sectors_through_the_l2(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, SMALL);
    const uint64_t here = UINT64_C(1) << 32, there = UINT64_C(2) << 32, sectors = COPIED / 32;
    program_t p;
    begin(&p);
    copy(&p, 1, STREAM_OP_TO_DEVICE, here, COPIED);
    small_launch(&p, &spec, 1, here, 32);
    copy(&p, 1, STREAM_OP_FROM_DEVICE, here, COPIED);
    copy(&p, 1, STREAM_OP_FROM_DEVICE, there, COPIED);
    small_launch(&p, &spec, 1, there, 32);
    small_launch(&p, &spec, 2, UINT64_C(3) << 32, 1);
    run(&spec, &p, 1, 0, &told);
    end(&p);
    assert_int_equal(copied.l2.write_sectors, sectors);
    assert_int_equal(copied.l2.write_hits, 0);
    assert_int_equal(copied.l2.read_sectors, 2 * sectors);
    assert_int_equal(copied.l2.read_hits, sectors);
    assert_int_equal(copied.l2.requests, 3 * COPIED / 128);
    assert_int_equal(copied.l2.fills, sectors);
    assert_int_equal(copied.dram.read_sectors, sectors);
    assert_int_equal(copied.dram.write_sectors, 0);
    for (unsigned i = 0; i < 3; i++) {
        const l2_stats_t *l2 = &told.launch[i].l2;
        const uint64_t loads = i == 2 ? 4 : 32 * 4;
        assert_int_equal(told.launch[i].sm.global_load_sectors, loads);
        assert_int_equal(l2->fills, i == 2 ? l2->read_sectors - l2->read_hits : 0);
    }
}

/* Bytes at the ends of a copy belong to sectors, too. Copies in without addresses, and those of a GPU
 * whose copies pass the L2 by, have no traffic. */
static void the_ends_of_a_copy_are_sectors(void **state)
{
    static const struct {
        uint64_t addr, bytes, sectors;
    } cases[] = {{4096, 1, 1},
                 {4127, 2, 2},
                 {4096, 32, 1},
                 {4100, 128, 5},
                 {4224, 4096, 128},
                 {0, 4096, 0},
                 {UINT64_MAX - 256, 64, 0}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, SMALL);
        const size_t k = i / 2;
        spec.gpu.memcpy_fills_l2 = i % 2 == 0;
        program_t p;
        begin(&p);
        copy(&p, 1, STREAM_OP_TO_DEVICE, cases[k].addr, cases[k].bytes);
        small_launch(&p, &spec, 1, UINT64_C(1) << 32, 1);
        small_launch(&p, &spec, 2, UINT64_C(2) << 32, 1);
        run(&spec, &p, 1, 0, &told);
        end(&p);
        if (cases[k].addr < UINT64_MAX - 256)
            assert_int_equal(copied.l2.write_sectors, i % 2 == 0 ? cases[k].sectors : 0);
    }
}

/* Copies beside a launch that is bound by the DRAM take bandwidth from it, in proportion to their sectors;
 * and nothing depends on threads and windows. */
static void copies_take_bandwidth_from_launches(void **state)
{
    static const struct {
        int threads;
        cycle_t window;
    } ways[] = {{1, 1}, {2, 0}, {3, 5}};
    (void)state;
    gpu_spec_t spec =
        LAB_SPEC("v100", OVERLAP, SMALL, "gpu.copy_latency=0", "gpu.copy_bandwidth=20");
    static const pattern_of_t read = {UINT64_C(1) << 32, 4, 1, 64};
    const lab_access_t load = {.op = {"LDG.E", NULL, "R2"},
                               .blocks = 64,
                               .threads = 256,
                               .regs = 32,
                               .mask = UINT32_MAX,
                               .steps = read.steps,
                               .address = address,
                               .ctx = &read};
    uint64_t took[2];
    copy_counters_t first;
    program_t p;
    for (unsigned both = 0; both < 2; both++) {
        begin(&p);
        add(&p, &spec, 1, &load);
        small_launch(&p, &spec, 4, UINT64_C(2) << 32, 1);
        for (unsigned k = 0; both && k < 2; k++)
            copy(&p, 2 + k, k == 0 ? STREAM_OP_TO_DEVICE : STREAM_OP_FROM_DEVICE,
                 (UINT64_C(5) + k) << 32, UINT64_C(1) << 20);
        run(&spec, &p, 1, 0, &told);
        took[both] = launch_result_cycles(&told.launch[0]);
        if (!both)
            end(&p);
    }
    const uint64_t sectors = (UINT64_C(1) << 20) / 32;
    first = copied;
    assert_int_equal(copied.l2.write_sectors, sectors);
    assert_int_equal(copied.l2.read_sectors, sectors);
    assert_int_equal(copied.dram.read_sectors, sectors);
    assert_true(copied.dram.write_sectors > 0); /* it evicts what it wrote itself */
    assert_true(took[1] > took[0] + took[0] / 50);
    assert_int_equal(told.launch[0].dram.read_sectors,
                     told.launch[0].l2.fills + told.launch[0].l2.ecc_reads);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        run(&spec, &p, ways[i].threads, ways[i].window, &other);
        assert_memory_equal(&copied, &first, sizeof(first));
        assert_int_equal(other.launch[0].end, told.launch[0].end);
        assert_memory_equal(&told.launch[0].l2, &other.launch[0].l2, sizeof(l2_stats_t));
        assert_memory_equal(&told.launch[0].dram, &other.launch[0].dram, sizeof(dram_stats_t));
    }
    end(&p);
}

/* More launches than a shard keeps sets of, and than there are tags in one byte. */
static void many_launches_keep_their_counters(void **state)
{
    (void)state;
    enum { STREAMS = 20, ROUNDS = 3 };
    gpu_spec_t spec = LAB_SPEC("v100", OVERLAP, SMALL);
    static pattern_of_t of[STREAMS * ROUNDS];
    program_t p;
    begin(&p);
    for (unsigned i = 0; i < STREAMS * ROUNDS; i++) {
        of[i] = (pattern_of_t){(uint64_t)(i + 1) << 32, 4, 1, 1 + i % 7};
        add(&p, &spec, 1 + i % STREAMS,
            &(lab_access_t){.op = {"LDG.E", NULL, "R2"},
                            .blocks = 1 + i % 5,
                            .threads = 64,
                            .regs = 32,
                            .mask = UINT32_MAX,
                            .steps = of[i].steps,
                            .address = address,
                            .ctx = &of[i]});
    }
    run(&spec, &p, 2, 0, &told);
    for (unsigned i = 0; i < STREAMS * ROUNDS; i++) {
        const launch_result_t *r = &told.launch[i];
        const uint64_t sectors = (uint64_t)(1 + i % 5) * 2 * of[i].steps * 4;
        assert_int_equal(r->sm.global_load_sectors, sectors);
        assert_int_equal(r->l2.read_sectors - r->l2.inst_sectors, missed(&r->sm));
        assert_int_equal(r->dram.read_sectors, r->l2.fills + r->l2.ecc_reads);
    }
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_launch_has_its_own_requests),
        cmocka_unit_test(stalls_are_those_of_the_own_warps),
        cmocka_unit_test(a_write_back_counts_for_who_evicts),
        cmocka_unit_test(slots_count_while_a_launch_runs),
        cmocka_unit_test(counters_depend_on_neither_threads_nor_windows),
        cmocka_unit_test(a_copy_moves_its_sectors_through_the_l2),
        cmocka_unit_test(the_ends_of_a_copy_are_sectors),
        cmocka_unit_test(copies_take_bandwidth_from_launches),
        cmocka_unit_test(many_launches_keep_their_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
