/*
 * Laws of the counts per instruction: they sum to the counters of the launch, in every column; they do
 * not depend on threads and windows, and counting them changes nothing; and a warp that waits names the
 * instruction that it waits for.
 */
#include <stdio.h>
#include <string.h>

#include "frontend/input/order/stream_builder.h"
#include "frontend/tool/library/open_trace.h"
#include "sim/core/mix64.h"
#include "tests/support/emulator/control_lab.h"
#include "tests/support/input/gen_trial.h"
#include "tests/support/mix.h"
#include "tests/support/temp_folder.h"

/* A small chip like that of an architecture. */
static gpu_spec_t small_chip(bool turing, const char *setting)
{
    static const char *const parts[2][3] = {{"mem.partitions=4", "l2.slices=8", "l2.size=768KiB"},
                                            {"mem.partitions=3", "l2.slices=6", "l2.size=768KiB"}};
    const char *const overrides[] = {"sm.count=6",
                                     "gpu.launch_latency=500",
                                     parts[turing][0],
                                     parts[turing][1],
                                     parts[turing][2],
                                     setting,
                                     NULL};
    return lab_spec(turing ? "rtx2060" : "v100", overrides);
}

enum { KEPT = 64, KEPT_WAITS = 256 };

/* The counts of a run. */
typedef struct {
    sha256_t hash;
    size_t launches, n, n_waits;
    launch_inst_t inst[KEPT + 1]; /* of the last launch, if they fit */
    launch_wait_t wait[KEPT_WAITS];
    inst_counts_t sum;
    uint64_t executed; /* a sum over what each instruction of each launch executes at any time */
    lab_results_t results;
} seen_t;

static const char *column_name(size_t i)
{
    return i < STATE_COUNT ? sm_stat_defs[i].name : inst_count_defs[i - STATE_COUNT].name;
}

/* The sums over the waits of an instruction, as one that waits and as one that is waited for. */
static void check_waits(const launch_insts_t *l)
{
    for (size_t i = 0; i <= l->n; i++) {
        const inst_counts_t *c = &l->list[i].counts;
        uint64_t waits[2] = {0}, awaited[2] = {0};
        for (size_t k = 0; k < l->n_waits; k++) {
            const launch_wait_t *w = &l->waits[k];
            assert_true(w->inst <= l->n && w->other <= l->n && w->cycles > 0);
            waits[w->longer] += w->inst == i ? w->cycles : 0;
            awaited[w->longer] += w->other == i ? w->cycles : 0;
        }
        assert_int_equal(waits[1], c->state[STATE_LONG_SCOREBOARD]);
        assert_int_equal(waits[0], c->state[STATE_SHORT_SCOREBOARD]);
        assert_int_equal(awaited[1], c->awaited_long);
        assert_int_equal(awaited[0], c->awaited_short);
    }
}

static void check_sums(const launch_result_t *r, const launch_insts_t *l)
{
    inst_counts_t want, sum = {0};
    const size_t known = INST_COUNTS_ALL - 2; /* no counter of the launch has results */
    launch_insts_total(&r->sm, &r->l2, &want);
    for (size_t i = 0; i <= l->n; i++)
        stats_add((uint64_t *)&sum, (const uint64_t *)&l->list[i].counts, INST_COUNTS_ALL);
    for (size_t i = 0; i < known; i++) {
        const uint64_t have = ((const uint64_t *)&sum)[i], need = ((const uint64_t *)&want)[i];
        if (have != need)
            fail_msg("%s, launch %llu: %s is %llu, but its instructions have %llu", r->info.name,
                     (unsigned long long)r->info.id, column_name(i), (unsigned long long)need,
                     (unsigned long long)have);
    }
    /* Each instruction fits the launch: no sum is right only because a count is below zero. */
    for (size_t i = 0; i <= l->n; i++) {
        for (size_t k = 0; k < known; k++)
            assert_true(((const uint64_t *)&l->list[i].counts)[k] <= ((const uint64_t *)&want)[k]);
    }
}

/* What does not depend on time, as a number for each instruction of a launch. All that is not loaded
 * goes to the L2. */
static uint64_t executed(const launch_result_t *r, const launch_inst_t *inst)
{
    const inst_counts_t *c = &inst->counts;
    const bool load = isa_opcode(inst->opcode)->mnemonic[0] == 'L';
    const uint64_t words[] = {r->info.id,
                              inst->pc,
                              c->issued,
                              c->lanes,
                              c->pred_off,
                              c->requests,
                              c->sectors,
                              c->atomic_lanes,
                              c->shared_wavefronts,
                              c->shared_conflicts,
                              c->results,
                              load ? 0 : c->l2_sectors};
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        h = mix64(h ^ words[i]) + i;
    return h;
}

static rb_code_t see(void *ctx, const launch_result_t *r, const launch_insts_t *l, rb_err_t *err)
{
    seen_t *s = ctx;
    (void)err;
    assert_true(l->n > 0);
    check_sums(r, l);
    check_waits(l);
    for (size_t i = 0; i <= l->n; i++) {
        const launch_inst_t *inst = &l->list[i];
        const uint64_t words[] = {inst->pc, inst->opcode, inst->cls};
        assert_true(i == 0 || i == l->n || inst->pc > inst[-1].pc);
        sha256_update(&s->hash, words, sizeof(words));
        sha256_update(&s->hash, &inst->counts, sizeof(inst->counts));
        stats_add((uint64_t *)&s->sum, (const uint64_t *)&inst->counts, INST_COUNTS_ALL);
        s->executed += i < l->n ? executed(r, inst) : 0;
        if (l->n <= KEPT)
            s->inst[i] = *inst;
    }
    for (size_t i = 0; i < l->n_waits; i++) {
        const launch_wait_t *w = &l->waits[i];
        const uint64_t words[] = {w->inst, w->other, w->longer, w->cycles};
        sha256_update(&s->hash, words, sizeof(words));
        if (l->n_waits <= KEPT_WAITS)
            s->wait[i] = *w;
    }
    s->n = l->n;
    s->n_waits = l->n_waits;
    s->launches++;
    return RB_OK;
}

static rb_code_t keep(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    seen_t *s = ctx;
    (void)err;
    if (s->results.n < LAB_MAX_LAUNCHES)
        s->results.launch[s->results.n++] = *r;
    return RB_OK;
}

/* Runs with counts and checks the sums of all launches. */
static void count(const gpu_spec_t *spec, trace_source_t *source, int threads, cycle_t window,
                  seen_t *s)
{
    const run_plan_t plan = {.first = 1};
    const gpu_callbacks_t callbacks = {.ctx = s, .launch_done = keep, .instructions = see};
    rb_err_t err = {0};
    gpu_t *gpu = gpu_create(spec, threads, window);
    memset(s, 0, sizeof(*s));
    sha256_init(&s->hash);
    if (gpu_run(gpu, source, &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(gpu);
    assert_int_equal(s->launches, s->results.n);
}

typedef struct {
    int threads;
    cycle_t window;
} way_t;

static const way_t few_ways[] = {{2, 0}, {0, 0}},
                   all_ways[] = {{1, 0}, {2, 0}, {1, 1}, {5, 3}, {0, 0}};

/* Counts in several ways, which must agree with each other and with a run without counts. */
static void count_in_ways(const way_t *ways, const gpu_spec_t *spec, trace_source_t *source,
                          const char *what)
{
    static seen_t s;
    static lab_results_t plain;
    char first[SHA256_TEXT], text[SHA256_TEXT], want[SHA256_TEXT];
    lab_run(spec, source, 1, 0, &plain);
    lab_hash(&plain, want);
    for (size_t i = 0; ways[i].threads > 0; i++) {
        count(spec, source, ways[i].threads, ways[i].window, &s);
        lab_hash(&s.results, text);
        if (strcmp(text, want) != 0)
            fail_msg("%s: counting changes the results", what);
        sha256_final_text(&s.hash, i == 0 ? first : text);
        if (i > 0 && strcmp(first, text) != 0)
            fail_msg("%s: %d threads with window %llu count differently", what, ways[i].threads,
                     (unsigned long long)ways[i].window);
    }
}

static void sums_are_those_of_the_launch_on_bundled_traces(void **state)
{
    static const char *const names[] = {"histo-sm70", "scan-sm75.rbt"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        gpu_spec_t spec = small_chip(strstr(names[i], "sm75") != NULL, NULL);
        char path[1024];
        rb_err_t err = {0};
        snprintf(path, sizeof(path), "%s/traces/%s", RUBATO_ROOT, names[i]);
        trace_source_t *t = open_trace(path, temp_path(""), &err);
        if (t == NULL)
            fail_msg("%s", err.text);
        count_in_ways(few_ways, &spec, t, names[i]);
        t->ops->destroy(t);
    }
}

/* A program that uses everything, with parts of the model that change who waits for what. */
static void sums_are_those_of_the_launch_with_every_setting(void **state)
{
    static const char *const settings[] = {
        "sm.rf_bank_reads=1", "l1.prefetcher=stride",   "l1.prefetcher=next_line",
        "l1.enabled=false",   "l1.perfect=true",        "l2.perfect=true",
        "l1.write=allocate",  "l1.write=write_back",    "sm.ideal=true",
        "icache.buffer=1",    "sm.mem_queue=2",         "l1.mshrs=4",
        "sm.scheduler=lrr",   "sm.scheduler=two_level", "icache.perfect=true",
        "const.l1_size=256",  "tlb.entries=1"};
    (void)state;
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        gpu_spec_t spec = small_chip(false, settings[i]);
        synth_t *s = mix_create(1);
        count_in_ways(i == 0 ? all_ways : few_ways, &spec, synth_source(s), settings[i]);
        synth_destroy(s);
    }
}

static bool overlap(const lab_results_t *r)
{
    for (size_t i = 1; i < r->n; i++) {
        if (r->launch[i].start < r->launch[i - 1].end)
            return true;
    }
    return false;
}

static void sums_are_those_of_the_launch_on_generated_programs(void **state)
{
    static const char *const kinds[] = {"sgemm", "reread"};
    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        gpu_spec_t spec = small_chip(i == 1, NULL);
        trace_source_t *t = GEN_OPEN(kinds[i], i == 1 ? 75 : 70, i == 0 ? 64 : 1 << 10, NULL);
        count_in_ways(few_ways, &spec, t, kinds[i]);
        t->ops->destroy(t);
    }
}

/* Each launch of a stream of its own. */
static void put_in_streams(synth_t *program, stream_builder_t *b)
{
    trace_source_t *source = synth_source(program);
    stream_builder_init(b);
    for (uint64_t id = 1; id <= source->ops->n_launches(source); id++)
        stream_builder_add(b, id % 7, (stream_op_t){.kind = STREAM_OP_LAUNCH, .launch = id});
    synth_order(program, &b->graph);
}

/* Launches that overlap have tables of their own: the same instructions are executed as often as one
 * launch after another. */
static void sums_are_those_of_each_launch_that_overlaps(void **state)
{
    static const char *const settings[] = {"sm.mem_queue=2", "l1.prefetcher=next_line",
                                           "l1.mshrs=4", "l1.write=write_back", "l1.enabled=false"};
    static seen_t apart, together;
    (void)state;
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        gpu_spec_t spec = small_chip(false, settings[i]);
        stream_builder_t b;
        synth_t *s = mix_create(2);
        put_in_streams(s, &b);
        count(&spec, synth_source(s), 1, 0, &apart);
        spec.gpu.concurrent_launches = 128;
        count_in_ways(i == 0 ? all_ways : few_ways, &spec, synth_source(s), settings[i]);
        count(&spec, synth_source(s), 3, 7, &together);
        assert_int_equal(together.launches, apart.launches);
        assert_true(together.launches > 1 && overlap(&together.results));
        assert_int_equal(together.executed, apart.executed);
        assert_int_equal(together.sum.issued, apart.sum.issued);
        stream_builder_free(&b);
        synth_destroy(s);
    }
}

/* The cycles that the instruction at index `inst` waited for the one at index `other`. */
static uint64_t waited(const seen_t *s, uint32_t inst, uint32_t other, bool longer)
{
    for (size_t i = 0; i < s->n_waits; i++) {
        const launch_wait_t *w = &s->wait[i];
        if (w->inst == inst && w->other == other && w->longer == longer)
            return w->cycles;
    }
    return 0;
}

static const lab_op_t chain[] = {
    {"LDG.E.SYS", "R4", "R2"}, {"LDS.U", "R6", "R8"},      {"FADD", "R9", "R6 R6"},
    {"FADD", "R5", "R4 R4"},   {"STG.E.SYS", "", "R2 R5"}, {"IADD3", "R5", "R10 R10"},
    {"EXIT", "", ""}};
enum { LDG, LDS, USES_LDS, USES_LDG, STG, OVERWRITES };

static void chain_body(synth_warp_t *w, const void *ctx)
{
    const uint32_t all = (uint32_t)SYNTH_FULL_MASK;
    (void)ctx;
    for (unsigned i = 0; i < sizeof(chain) / sizeof(chain[0]); i++) {
        if (i == LDG || i == STG)
            synth_emit_affine(w, i, all, 0x7f0000000000 + w->global * 256 + (i == STG ? 128u : 0u),
                              4);
        else if (i == LDS)
            synth_emit_affine(w, i, all, 0, 128); /* all lanes in one bank */
        else
            synth_emit(w, i, i == USES_LDS ? 1 : all);
    }
}

/* By registers: an operand, and a register that a store still reads. */
static void a_warp_names_what_it_waits_for_by_registers(void **state)
{
    static seen_t s;
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "gpu.launch_latency=500");
    synth_t *program = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        program, "chain", &(synth_shape_t){.arch = 70, .block = {64}, .shared = 4096, .regs = 32});
    (void)state;
    for (unsigned i = 0; i < sizeof(chain) / sizeof(chain[0]); i++)
        synth_code(k, chain[i].mnemonic, chain[i].dst, chain[i].src);
    synth_kernel_body(k, chain_body, NULL);
    count(&spec, synth_source(program), 1, 0, &s);
    synth_destroy(program);
    assert_int_equal(s.n, sizeof(chain) / sizeof(chain[0]));
    const inst_counts_t *ldg = &s.inst[LDG].counts, *lds = &s.inst[LDS].counts;
    assert_true(waited(&s, USES_LDG, LDG, true) > 0);
    assert_int_equal(waited(&s, USES_LDG, LDG, true),
                     s.sum.state[STATE_LONG_SCOREBOARD] - waited(&s, OVERWRITES, STG, true));
    assert_true(waited(&s, OVERWRITES, STG, true) > 0);
    assert_true(waited(&s, USES_LDS, LDS, false) > 0);
    assert_int_equal(lds->awaited_short, s.sum.state[STATE_SHORT_SCOREBOARD]);
    assert_int_equal(ldg->issued, 2);
    assert_int_equal(ldg->lanes, 64);
    assert_int_equal(s.inst[USES_LDS].counts.lanes, 2);
    assert_int_equal(ldg->requests, 2);
    assert_int_equal(ldg->sectors, 8);
    assert_int_equal(ldg->l1_hits, 0);
    assert_int_equal(ldg->l2_sectors, 8);
    assert_int_equal(s.inst[STG].counts.l2_sectors, 8);
    assert_int_equal(s.inst[STG].counts.results, 0);
    assert_int_equal(ldg->results, 2);
    assert_int_equal(lds->shared_conflicts, 2 * 31);
    /* A load takes at least the latencies of L1 and L2, and the waits are part of it. */
    assert_true(ldg->result_cycles / 2 >= spec.sm.l1.latency);
    assert_true(waited(&s, USES_LDG, LDG, true) < ldg->result_cycles);
}

/* By counters of control words: two loads on two counters, and sources that are read. */
static void a_warp_names_what_it_waits_for_by_control_words(void **state)
{
    static seen_t s;
    static const control_line_t line[] = {{"LDG.E.SYS", "R4", "R2", WRITES(2, 0)},
                                          {"LDG.E.SYS", "R6", "R2", WRITES(2, 1)},
                                          {"LDS.U", "R8", "R12", WRITES(2, 2)},
                                          {"FADD", "R9", "R8 R8", WAITS(4, 4)},
                                          {"FADD", "R10", "R6 R6", WAITS(4, 2)},
                                          {"FADD", "R11", "R4 R4", WAITS(4, 1)},
                                          {"STS", "", "R12 R10", READS(2, 3)},
                                          {"FADD", "R10", "R4 R4", WAITS(4, 8)},
                                          {"EXIT", "", "", STALL(5)},
                                          {NULL, NULL, NULL, STALL(0)}};
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "gpu.launch_latency=500");
    synth_t *program = control_lab_program(&spec, line, 1);
    (void)state;
    count(&spec, synth_source(program), 1, 0, &s);
    synth_destroy(program);
    assert_true(waited(&s, 3, 2, false) > 0);
    assert_true(waited(&s, 4, 1, true) > 0);
    assert_int_equal(waited(&s, 4, 1, true) + waited(&s, 5, 0, true),
                     s.sum.state[STATE_LONG_SCOREBOARD]);
    assert_true(waited(&s, 7, 6, false) > 0);
    assert_int_equal(waited(&s, 3, 2, false) + waited(&s, 7, 6, false),
                     s.sum.state[STATE_SHORT_SCOREBOARD]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_names_what_it_waits_for_by_registers),
        cmocka_unit_test(a_warp_names_what_it_waits_for_by_control_words),
        cmocka_unit_test(sums_are_those_of_the_launch_with_every_setting),
        cmocka_unit_test(sums_are_those_of_each_launch_that_overlaps),
        cmocka_unit_test(sums_are_those_of_the_launch_on_generated_programs),
        cmocka_unit_test(sums_are_those_of_the_launch_on_bundled_traces),
    };

    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
