/*
 * What a launch finds in the caches if launches before it were not simulated but walked (warmup.mode
 * functional), against what it finds in a run of all launches: the same lines and sectors of the L2,
 * modified or not, the same code and the same translations.
 */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"
#include "tests/support/input/gen_trial.h"
#include "tests/support/sim/lab.h"
#include "tests/support/sim/script_sampler.h"
#include "tests/support/sim/sm_caches.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"
#include "tests/support/trace/synth.h"

/* The bits of a line (sectors) in one chip or the other. */
typedef struct {
    uint64_t address;
    uint8_t full_run, walked;
} pair_t;

typedef struct {
    pair_t *pair; /* owned */
    size_t n, cap;
    bool walked, dirty; /* which chip is visited; whether modified sectors count, or valid ones */
} pairs_t;

/* Bits that both chips have, and those that only one has. */
typedef struct {
    uint64_t both, missing, extra;
} agreement_t;

static void note_line(void *ctx, const cache_line_t *line)
{
    pairs_t *p = ctx;
    const uint8_t bits = p->dirty ? line->written.dirty : line->valid;
    rb_grow(&p->pair, &p->cap, p->n + 1, sizeof(*p->pair));
    p->pair[p->n++] = (pair_t){line->line, p->walked ? 0 : bits, p->walked ? bits : 0};
}

static int by_address(const void *x, const void *y)
{
    const pair_t *a = x, *b = y;
    return a->address < b->address ? -1 : a->address > b->address;
}

static void add_agreement(agreement_t *sum, pairs_t *p)
{
    if (p->n > 0)
        qsort(p->pair, p->n, sizeof(*p->pair), by_address);
    for (size_t i = 0; i < p->n;) {
        const uint64_t address = p->pair[i].address;
        unsigned full_run = 0, walked = 0;
        for (; i < p->n && p->pair[i].address == address; i++) {
            full_run |= p->pair[i].full_run;
            walked |= p->pair[i].walked;
        }
        sum->both += (unsigned)__builtin_popcount(full_run & walked);
        sum->missing += (unsigned)__builtin_popcount(full_run & ~walked);
        sum->extra += (unsigned)__builtin_popcount(walked & ~full_run);
    }
}

typedef const cache_t *(*cache_fn)(const gpu_t *g, uint32_t i);

/* Compares caches of(g, i), i < n. */
static agreement_t compare(gpu_t *const chip[2], uint32_t n, bool dirty, cache_fn of)
{
    agreement_t sum = {0};
    for (uint32_t i = 0; i < n; i++) {
        pairs_t p = {.dirty = dirty};
        cache_visit(of(chip[0], i), note_line, &p);
        p.walked = true;
        cache_visit(of(chip[1], i), note_line, &p);
        add_agreement(&sum, &p);
        free(p.pair);
    }
    return sum;
}

static const cache_t *l2_of(const gpu_t *g, uint32_t i)
{
    return partition_l2_tags(g->partition[i / g->map.slices_per_partition], i).cache;
}

enum { SUB_CORES = 4 };

static const cache_t *l1i_of(const gpu_t *g, uint32_t i)
{
    return sm_caches_l1i(g->sm[i]);
}

static const cache_t *l0_of(const gpu_t *g, uint32_t i)
{
    return sm_caches_l0(g->sm[i / SUB_CORES], i % SUB_CORES);
}

static const cache_t *tlb_of(const gpu_t *g, uint32_t i)
{
    return sm_caches_tlb(g->sm[i]);
}

static double agreeing(agreement_t a)
{
    return (double)a.both / (double)(a.both + a.missing + a.extra);
}

static double found(agreement_t a)
{
    return (double)a.both / (double)(a.both + a.missing);
}

static rb_code_t keep_last(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    (void)err;
    *(launch_result_t *)ctx = *r;
    return RB_OK;
}

static gpu_spec_t small_chip(void)
{
    return LAB_SPEC("rtx2060", "sm.count=6", "l2.size=768KiB", "l2.slices=12", "mem.partitions=6",
                    "warmup.mode=functional");
}

/* Runs launches on a chip; the last result. */
static launch_result_t run_on(gpu_t *g, trace_source_t *source, const uint64_t *ids, size_t n)
{
    rb_err_t err = {0};
    launch_result_t last = {0};
    const run_plan_t plan = {.first = 1, .launch_ids = ids, .n_launch_ids = n, .last = ids[n - 1]};
    const gpu_callbacks_t callbacks = {.ctx = &last, .launch_done = keep_last};
    if (gpu_run(g, source, &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    return last;
}

/* Runs launches from .. to. */
static launch_result_t run_all(gpu_t *g, trace_source_t *source, uint64_t from, uint64_t to)
{
    uint64_t ids[200];
    size_t n = 0;
    while (from <= to)
        ids[n++] = from++;
    return run_on(g, source, ids, n);
}

static launch_touched_t warm_up(gpu_t *g, trace_source_t *source, uint64_t at)
{
    launch_touched_t touched = {0};
    rb_err_t err = {0};
    if (gpu_warm_up(g, source, at, &touched, NULL, &err) != RB_OK)
        fail_msg("%s", err.text);
    return touched;
}

/* A program of which launch `from` (0: none) was simulated and launch `at` comes next. */
typedef struct {
    const char *kind;
    uint64_t size;
    const char *params[4];
    uint64_t from, at;
    double l2, dirty, l0; /* least shares */
} case_t;

/*
 * The rest of the L2 is due to the order in time. It is largest where all blocks of a launch run at
 * once and touch more than the L2 holds (srad, lbm). The rest of what is modified: how often a line was written
 * decides how many others were cleaned. The rest of the L0s: which sub-core ran which warp.
 */
static const case_t cases[] = {
    {"stencil", 402, {"steps=30"}, 0, 20, 0.98, 0.98, 0.75},
    {"stencil", 402, {"steps=30"}, 8, 20, 0.98, 0.98, 0.95},
    {"gaussian", 128, {NULL}, 0, 60, 0.98, 0.98, 0.95},
    {"gaussian", 128, {NULL}, 30, 160, 0.98, 0.98, 0.95},
    {"train", 60, {"width=32", "rows=5000"}, 10, 40, 0.98, 0.99, 0.75},
    {"lookups", 20, {NULL}, 3, 12, 0.98, 0.98, 0.95},
    {"bfs", 20000, {NULL}, 0, 7, 0.98, 0.99, 0.8},
    {"bfs", 20000, {NULL}, 3, 9, 0.98, 0.99, 0.85},
    {"kmeans", 8000, {"iterations=20"}, 3, 20, 0.98, 0.92, 0.85},
    {"reduction", 2000000, {NULL}, 0, 3, 0.98, 0.98, 0.95},
    {"particlefilter", 25, {"particles=1024"}, 0, 15, 0.98, 0.98, 0.85},
    {"sssp", 8000, {NULL}, 0, 6, 0.98, 0.98, 0.95},
    {"mst", 4000, {NULL}, 4, 15, 0.98, 0.98, 0.95},
    {"resnet", 32, {"width=20"}, 10, 30, 0.98, 0.98, 0.85},
    {"blackscholes", 60000, {"launches=20"}, 2, 10, 0.95, 0.9, 0.95},
    {"srad", 192, {"iterations=25"}, 10, 30, 0.88, 0.85, 0.95},
    {"lbm", 20, {"steps=30"}, 5, 15, 0.8, 0.6, 0.95},
};

static void assert_least(const case_t *c, const char *what, double got, double least)
{
    if (!(got >= least))
        fail_msg("%s, launch %llu after %llu: %s: %.4f of it agree, not %.4f", c->kind,
                 (unsigned long long)c->at, (unsigned long long)c->from, what, got, least);
}

static void assert_case(const case_t *c, gpu_spec_t spec)
{
    trace_source_t *source = gen_trial_open(c->kind, 75, c->size, c->params);
    gpu_t *const chip[2] = {gpu_create(&spec, 1, 0), gpu_create(&spec, 1, 0)};
    run_all(chip[0], source, 1, c->at - 1);
    if (c->from > 0)
        run_on(chip[1], source, &c->from, 1);
    warm_up(chip[1], source, c->at);
    const uint32_t n = chip[0]->n_sms, slices = chip[0]->map.slices;
    assert_least(c, "L2", agreeing(compare(chip, slices, false, l2_of)), c->l2);
    assert_least(c, "modified", agreeing(compare(chip, slices, true, l2_of)), c->dirty);
    assert_least(c, "L1 of instructions", found(compare(chip, n, false, l1i_of)), 0.99);
    assert_least(c, "L0 of instructions", found(compare(chip, n * SUB_CORES, false, l0_of)), c->l0);
    assert_least(c, "TLB", agreeing(compare(chip, n, false, tlb_of)), 1.0);
    gpu_destroy(chip[0]);
    gpu_destroy(chip[1]);
    source->ops->destroy(source);
}

static void caches_are_those_of_a_full_run(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_case(&cases[i], small_chip());
}

/*
 * Each half of an L2 has copies of what its SMs read from the other one, and the walk leaves them; without them 0.59 to
 * 0.72 agree. Which half reads a line depends on time where blocks end at different times (stencil). Copies that
 * only launches long before read may be missing (gaussian). If those that a later launch wrote were left, 0.95 at most
 * would agree (train, mst).
 */
static void copies_are_those_of_a_full_run(void **state)
{
    static const case_t some[] = {
        {"stencil", 402, {"steps=30"}, 8, 20, 0.76, 0.93, 0.95},
        {"gaussian", 128, {NULL}, 30, 160, 0.75, 0.98, 0.95},
        {"train", 60, {"width=32", "rows=5000"}, 10, 40, 0.97, 0.94, 0.75},
        {"mst", 4000, {NULL}, 4, 15, 0.97, 0.98, 0.95},
    };
    gpu_spec_t halves = small_chip();
    (void)state;
    halves.mem.l2.halves = 2;
    halves.mem.icnt.gpc_sms = 3;
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
        assert_case(&some[i], halves);
}

/* 32 instructions, the code of which lies in four places of a function. */
enum { PLACES = 4, IN_PLACE = 8, APART = 0x8000, INST_BYTES = 16 };

static void all_places(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit_span(w, 0, PLACES * IN_PLACE + 1);
}

/* A trace may list only what is executed, so that instructions that follow each other lie apart. */
static void code_that_is_jumped_over_is_not_walked(void **state)
{
    const gpu_spec_t spec = small_chip();
    (void)state;
    synth_t *s = synth_create();
    for (unsigned launch = 0; launch < 2; launch++) {
        synth_kernel_t *k =
            synth_kernel_create(s, "apart", &(synth_shape_t){.grid = {1}, .block = {32}});
        for (unsigned i = 0; i < PLACES * IN_PLACE; i++) {
            const unsigned inst = synth_code(k, "FADD", "R1", "R1 R2");
            synth_inst(k, inst)->pc = i / IN_PLACE * APART + i % IN_PLACE * INST_BYTES;
        }
        const unsigned end = synth_code(k, "EXIT", "", "");
        synth_inst(k, end)->pc = (PLACES - 1) * APART + IN_PLACE * INST_BYTES;
        synth_kernel_body(k, all_places, NULL);
    }
    gpu_t *const chip[2] = {gpu_create(&spec, 1, 0), gpu_create(&spec, 1, 0)};
    run_all(chip[0], synth_source(s), 1, 1);
    warm_up(chip[1], synth_source(s), 2);
    const agreement_t code = compare(chip, chip[0]->n_sms, false, l1i_of);
    assert_true(code.missing == 0);
    assert_true(code.extra <= code.both / 4);
    gpu_destroy(chip[0]);
    gpu_destroy(chip[1]);
    synth_destroy(s);
}

static trace_source_t *kmeans(void)
{
    return GEN_OPEN("kmeans", 75, 2000, "iterations=20");
}

static void assert_same_launch(const launch_result_t *a, const launch_result_t *b)
{
    assert_int_equal(a->end - a->start, b->end - b->start);
    assert_memory_equal(&a->sm, &b->sm, sizeof(a->sm));
    assert_memory_equal(&a->l2, &b->l2, sizeof(a->l2));
}

static void nothing_is_walked_if_nothing_is_skipped(void **state)
{
    (void)state;
    const gpu_spec_t functional = small_chip();
    gpu_spec_t keep = functional;
    keep.warmup.mode = WARMUP_KEEP;
    trace_source_t *source = kmeans();
    gpu_t *a = gpu_create(&functional, 1, 0), *b = gpu_create(&keep, 1, 0);
    const launch_result_t x = run_all(a, source, 1, 4), y = run_all(b, source, 1, 4);
    assert_int_equal(x.touched.launches, 0);
    assert_same_launch(&x, &y);
    gpu_destroy(a);
    gpu_destroy(b);
    source->ops->destroy(source);
}

static void only_launches_since_the_last_simulated_one_are_walked(void **state)
{
    (void)state;
    const gpu_spec_t spec = small_chip();
    trace_source_t *source = kmeans();
    gpu_t *g = gpu_create(&spec, 1, 0);
    const uint64_t ids[] = {8, 11};
    const launch_result_t r = run_on(g, source, ids, 2);
    assert_int_equal(r.touched.launches, 2);
    assert_true(r.touched.warp_insts > 0);
    gpu_destroy(g);
    source->ops->destroy(source);
}

/* Sums over a program's launches, and how many were heard of. */
typedef struct {
    uint64_t cycles, read_hits, launches;
    uint64_t fills, write_misses; /* sectors */
} sums_t;

static rb_code_t add_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    sums_t *sum = ctx;
    (void)err;
    sum->cycles += r->end - r->start;
    sum->read_hits += r->l2.read_hits;
    sum->fills += r->l2.fills;
    sum->write_misses += r->l2.write_sectors - r->l2.write_hits;
    sum->launches++;
    return RB_OK;
}

/* What launches from+1 to at-1 did when they were simulated, after those before them. */
static sums_t simulated_between(const case_t *c, trace_source_t *source, const gpu_spec_t *spec)
{
    gpu_t *g = gpu_create(spec, 1, 0);
    sums_t sum = {0};
    rb_err_t err = {0};
    const run_plan_t plan = {.first = c->from + 1, .last = c->at - 1};
    const gpu_callbacks_t callbacks = {.ctx = &sum, .launch_done = add_launch};
    if (c->from > 0)
        run_all(g, source, 1, c->from);
    if (gpu_run(g, source, &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(g);
    return sum;
}

/* Two counts of what was walked, which are at least `least` of what was simulated, and not more. */
static void assert_counted(const case_t *c, double least, const char *what, uint64_t walked,
                           uint64_t simulated)
{
    enum { FEW = 5 };
    if ((double)walked > 1.05 * (double)simulated + FEW ||
        (double)walked < least * (double)simulated - FEW)
        fail_msg("%s, launches %llu to %llu: %s: %llu were walked, %llu simulated", c->kind,
                 (unsigned long long)c->from + 1, (unsigned long long)c->at - 1, what,
                 (unsigned long long)walked, (unsigned long long)simulated);
}

/* Of launches that bring the same again the walk knows the last one, so it knows less than all, but not more. Where
 * nothing is brought twice it knows all. */
static void walks_count_what_launches_fetched(void **state)
{
    static const char *const once[] = {"train", "bfs", "resnet", "reduction", "gaussian", "kmeans"};
    const gpu_spec_t spec = small_chip();
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const case_t *c = &cases[i];
        double least = 0;
        for (size_t k = 0; k < sizeof(once) / sizeof(once[0]); k++)
            least = strcmp(once[k], c->kind) == 0 ? 0.9 : least;
        trace_source_t *source = gen_trial_open(c->kind, 75, c->size, c->params);
        const sums_t full = simulated_between(c, source, &spec);
        gpu_t *g = gpu_create(&spec, 1, 0);
        if (c->from > 0)
            run_all(g, source, 1, c->from);
        const launch_touched_t t = warm_up(g, source, c->at);
        assert_counted(c, least, "sectors fetched", t.fetched, full.fills);
        assert_counted(c, 0, "sectors written to new lines", t.placed, full.write_misses);
        gpu_destroy(g);
        source->ops->destroy(source);
    }
}

enum { EVERY = 6 };

/* Sums over launches 6, 12, ... of lbm, in a run of all launches or alone. A run with a time series only
 * walks. */
static sums_t sums_of(bool all, uint64_t stats_interval)
{
    enum { LAUNCHES = 30 };
    const gpu_spec_t spec = LAB_SPEC("rtx2060", "sm.count=6", "l2.size=768KiB", "l2.slices=6",
                                     "mem.partitions=3", "warmup.mode=functional");
    trace_source_t *source = GEN_OPEN("lbm", 75, 20, "steps=30");
    gpu_t *g = gpu_create(&spec, 1, 0);
    sums_t sum = {0}, others = {0};
    rb_err_t err = {0};
    for (uint64_t id = 1; id <= LAUNCHES; id++) {
        const bool counts = id % EVERY == 0;
        const run_plan_t plan = {.first = 1,
                                 .launch_ids = &id,
                                 .n_launch_ids = 1,
                                 .last = id,
                                 .stats_interval = stats_interval};
        const gpu_callbacks_t callbacks = {.ctx = counts ? &sum : &others,
                                           .launch_done = add_launch};
        if ((all || counts) && gpu_run(g, source, &plan, &callbacks, &err) != RB_OK)
            fail_msg("%s", err.text);
    }
    gpu_destroy(g);
    source->ops->destroy(source);
    return sum;
}

static double hits_off(sums_t is, sums_t full)
{
    return fabs((double)is.read_hits / (double)full.read_hits - 1);
}

/* What launches leave of which a wave replaces most of the L2 depends on time, so the one before is simulated,
 * and nobody hears of it. */
static void a_launch_that_leaves_what_time_decides_is_simulated(void **state)
{
    (void)state;
    const sums_t full = sums_of(true, 0), led = sums_of(false, 0);
    const sums_t walked = sums_of(false, UINT64_C(1) << 40);
    assert_int_equal(led.launches, full.launches);
    assert_true(hits_off(led, full) < hits_off(walked, full) / 2);
    assert_true(fabs((double)led.cycles / (double)full.cycles - 1) < 0.01);
}

/* How many of the launches up to `last` are not walked up to, because the one before has to be simulated. */
static uint64_t led(trace_source_t *source, uint64_t last)
{
    const gpu_spec_t spec = LAB_SPEC("rtx2060", "sm.count=6", "l2.size=768KiB", "l2.slices=6",
                                     "mem.partitions=3", "warmup.mode=functional");
    rb_err_t err = {0};
    uint64_t n = 0;
    for (uint64_t k = 2; k <= last; k++) {
        gpu_t *g = gpu_create(&spec, 1, 0);
        launch_touched_t touched = {0};
        bool lead = false;
        assert_int_equal(gpu_warm_up(g, source, k, &touched, &lead, &err), RB_OK);
        n += lead;
        gpu_destroy(g);
    }
    source->ops->destroy(source);
    return n;
}

/* Two waves, and a few blocks more, that replace most of the L2 each; many waves that replace a part of it each;
 * launches shorter than the one before. */
static void only_launches_that_time_decides_and_are_not_too_long_are_simulated(void **state)
{
    (void)state;
    assert_int_equal(led(GEN_OPEN("lbm", 75, 20, "steps=3"), 3), 2);
    assert_int_equal(led(GEN_OPEN("lbm", 75, 21, "steps=3"), 3), 2);
    assert_int_equal(led(GEN_OPEN("stencil", 75, 402, "steps=3"), 3), 0);
    temp_folder_create();
    trace_source_t *made = GEN_OPEN("solver", 75, 15000, "iterations=3");
    trace_source_t *stored = rbt_lab_open(rbt_lab_store_temp(made));
    made->ops->destroy(made);
    assert_int_equal(led(stored, 16), 0);
    temp_folder_remove();
}

static void assert_same_state(gpu_t *const chip[2])
{
    const uint32_t n = chip[0]->n_sms, slices = chip[0]->map.slices;
    assert_true(agreeing(compare(chip, slices, false, l2_of)) == 1.0);
    assert_true(agreeing(compare(chip, slices, true, l2_of)) == 1.0);
    assert_true(agreeing(compare(chip, n, false, l1i_of)) == 1.0);
    assert_true(agreeing(compare(chip, n * SUB_CORES, false, l0_of)) == 1.0);
    assert_true(agreeing(compare(chip, n, false, tlb_of)) == 1.0);
}

/* A launch that comes before the last simulated one gets the state of its own place. */
static void going_back_begins_anew(void **state)
{
    (void)state;
    const gpu_spec_t spec = small_chip();
    trace_source_t *source = kmeans();
    gpu_t *const chip[2] = {gpu_create(&spec, 1, 0), gpu_create(&spec, 1, 0)};
    run_all(chip[0], source, 30, 30);
    const launch_touched_t back = warm_up(chip[0], source, 5), fresh = warm_up(chip[1], source, 5);
    assert_int_equal(back.launches, fresh.launches);
    assert_same_state(chip);
    gpu_destroy(chip[0]);
    gpu_destroy(chip[1]);
    source->ops->destroy(source);
}

/* The operations of a source, with a count of the launches that are opened. */
static const trace_source_ops_t *uncounted;
static uint64_t opened;

static rb_code_t open_counted(trace_source_t *s, uint64_t id, trace_launch_t **out, rb_err_t *err)
{
    opened++;
    return uncounted->open(s, id, out, err);
}

/* Launches that this walk opens. */
static uint64_t opened_before(gpu_t *g, trace_source_t *source, uint64_t at)
{
    opened = 0;
    (void)warm_up(g, source, at);
    return opened;
}

/* A launch that is equal to one that was walked is not walked again, and leaves the same. */
static void equal_launches_are_walked_once(void **state)
{
    (void)state;
    const gpu_spec_t spec = small_chip();
    temp_folder_create();
    trace_source_t *made = GEN_OPEN("solver", 75, 2000, "iterations=12");
    trace_source_t *source = rbt_lab_open(rbt_lab_store_temp(made));
    made->ops->destroy(made);
    uncounted = source->ops;
    trace_source_ops_t counted = *uncounted;
    counted.open = open_counted;
    source->ops = &counted;
    gpu_t *const chip[2] = {gpu_create(&spec, 1, 0), gpu_create(&spec, 1, 0)};
    assert_true(opened_before(chip[0], source, 40) > 0);
    const uint64_t again = opened_before(chip[0], source, 64);
    const uint64_t fresh = opened_before(chip[1], source, 64);
    assert_true(again < fresh);
    assert_same_state(chip);
    gpu_destroy(chip[0]);
    gpu_destroy(chip[1]);
    source->ops = uncounted;
    source->ops->destroy(source);
    temp_folder_remove();
}

static launch_touched_t walked_before(const gpu_spec_t *spec, trace_source_t *source, uint64_t at)
{
    gpu_t *g = gpu_create(spec, 1, 0);
    const launch_touched_t t = warm_up(g, source, at);
    gpu_destroy(g);
    return t;
}

/* The walk ends when the L2 is full, when launches bring nothing new, or at the limit. */
static void more_launches_are_walked_only_while_they_matter(void **state)
{
    (void)state;
    gpu_spec_t spec = small_chip();
    trace_source_t *source = GEN_OPEN("stencil", 75, 402, "steps=40");
    assert_int_equal(walked_before(&spec, source, 40).launches, 1);
    spec.mem.l2.size *= 8; /* now the last launch does not fill it, but others bring nothing new */
    assert_int_equal(walked_before(&spec, source, 40).launches, 7);
    spec.warmup.news = 0.6; /* that the one before wrote the other array does not matter */
    assert_int_equal(walked_before(&spec, source, 40).launches, 3);
    spec.warmup.news = 0; /* not even the border of the other array */
    assert_int_equal(walked_before(&spec, source, 40).launches, 7);
    spec.warmup.full = 0.1; /* the last launch is enough */
    assert_int_equal(walked_before(&spec, source, 40).launches, 1);
    spec.warmup.full = 1;
    spec.warmup.launches = 2;
    assert_int_equal(walked_before(&spec, source, 40).launches, 2);
    source->ops->destroy(source);
}

/* Launches walked before launch 2 of a program, after launch 1 was cut short by a script. */
static uint64_t walked_after(script_t script)
{
    const gpu_spec_t spec = small_chip();
    trace_source_t *source = GEN_OPEN("blackscholes", 75, 60000, "launches=2");
    const sampler_t sampler = {.ops = &script_ops, .state = &script};
    const run_plan_t plan = {.first = 1, .inside = &sampler, .n_inside = 1, .last = 2};
    rb_err_t err = {0};
    launch_result_t last = {0};
    const gpu_callbacks_t callbacks = {.ctx = &last, .launch_done = keep_last};
    gpu_t *g = gpu_create(&spec, 1, 0);
    if (gpu_run(g, source, &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(g);
    source->ops->destroy(source);
    assert_true(last.sampling.estimated);
    return last.touched.launches;
}

/* What a sampler left out of a launch is walked, unless the sampler has read it for the L2. */
static void a_launch_that_was_cut_short_is_walked(void **state)
{
    (void)state;
    const fast_forward_t rest = {
        .until = UINT64_MAX, .model = FORWARD_REGION_IPC, .residents = RESIDENTS_DRAIN};
    script_t script = {.decide_at = 24, .forward = rest};
    assert_int_equal(walked_after(script), 1);
    script.forward.warm = 1000;
    assert_int_equal(walked_after(script), 0);
    assert_int_equal(walked_after((script_t){.keep_every = 2}), 1);
}

typedef struct {
    uint64_t reports, stop_at; /* of walks; 0: never */
} watcher_t;

static bool watch(void *ctx, const gpu_progress_t *p)
{
    watcher_t *w = ctx;
    w->reports += p->touching && p->launch_id == 15;
    return w->reports != w->stop_at || w->stop_at == 0;
}

static void a_walk_reports_progress_and_can_be_stopped(void **state)
{
    (void)state;
    const gpu_spec_t spec = small_chip();
    static const uint64_t ids[] = {15};
    const run_plan_t plan = {.first = 1, .launch_ids = ids, .n_launch_ids = 1, .last = 15};
    trace_source_t *source = kmeans();
    for (uint64_t stop_at = 0; stop_at < 2; stop_at++) {
        watcher_t w = {.stop_at = stop_at};
        rb_err_t err = {0};
        const gpu_callbacks_t callbacks = {.ctx = &w, .progress = watch};
        gpu_t *g = gpu_create(&spec, 1, 0);
        assert_int_equal(gpu_run(g, source, &plan, &callbacks, &err),
                         stop_at > 0 ? RB_STOPPED : RB_OK);
        assert_true(stop_at > 0 ? w.reports == 1 : w.reports > 1);
        gpu_destroy(g);
    }
    source->ops->destroy(source);
}

static rb_code_t no_counts(trace_source_t *s, uint64_t id, launch_counts_t *out, rb_err_t *err)
{
    (void)s;
    (void)id;
    (void)out;
    return rb_fail(err, RB_TRACE, "not asked for");
}

static void only_sampled_launches_of_an_indexed_trace_are_warmed_by_default(void **state)
{
    (void)state;
    gpu_spec_t spec = small_chip();
    trace_source_t *source = kmeans();
    spec.warmup.mode = WARMUP_AUTO;
    trace_source_ops_t indexed = *source->ops;
    const trace_source_ops_t *plain = source->ops;
    indexed.launch_counts = no_counts;
    assert_int_equal(gpu_warmup_mode(&spec, true, source), WARMUP_KEEP);
    source->ops = &indexed;
    assert_int_equal(gpu_warmup_mode(&spec, true, source), WARMUP_FUNCTIONAL);
    assert_int_equal(gpu_warmup_mode(&spec, false, source), WARMUP_KEEP);
    spec.warmup.mode = WARMUP_FLUSH;
    assert_int_equal(gpu_warmup_mode(&spec, true, source), WARMUP_FLUSH);
    source->ops = plain;
    source->ops->destroy(source);
}

/* What each warp does with a line of its own. */
typedef struct {
    uint64_t base;
    unsigned writes; /* each of other bytes; 0: it reads the line */
} own_line_t;

static void own_line_body(synth_warp_t *w, const void *ctx)
{
    const own_line_t *o = ctx;
    const uint64_t line = o->base + w->global * LINE_BYTES;
    if (o->writes == 0)
        synth_emit_affine(w, 0, (uint32_t)LAB_FULL, line, 4);
    for (unsigned i = 0; i < o->writes; i++)
        synth_emit_affine(w, 1, 0xff, line + i * SECTOR_BYTES, 4);
    synth_emit(w, 2, (uint32_t)LAB_FULL);
}

static void add_own_lines(synth_t *s, const char *name, const own_line_t *o, uint32_t blocks)
{
    synth_kernel_t *k =
        synth_kernel_create(s, name, &(synth_shape_t){.arch = 75, .grid = {blocks}, .block = {32}});
    synth_code(k, "LDG.E.SYS", "R4", "R2");
    synth_code(k, "STG.E.SYS", "", "R2 R5");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, own_line_body, o);
}

/* Each access that writes cleans a line of a set that host copies left with too many, however many lines it is. */
static void every_write_cleans_what_copies_left(void **state)
{
    const gpu_spec_t spec = small_chip();
    const own_line_t writes = {UINT64_C(1) << 40, 4}, reads = {UINT64_C(1) << 41, 0};
    (void)state;
    synth_t *s = synth_create();
    synth_memcpy(s, UINT64_C(1) << 40, 600 << 10);
    add_own_lines(s, "writes", &writes, 512);
    add_own_lines(s, "reads", &reads, 1);
    gpu_t *const chip[2] = {gpu_create(&spec, 1, 0), gpu_create(&spec, 1, 0)};
    run_all(chip[0], synth_source(s), 1, 1);
    warm_up(chip[1], synth_source(s), 2);
    const agreement_t a = compare(chip, chip[0]->map.slices, true, l2_of);
    if (agreeing(a) < 0.99)
        fail_msg("%.4f of the modified sectors agree", agreeing(a));
    gpu_destroy(chip[0]);
    gpu_destroy(chip[1]);
    synth_destroy(s);
}

/* Launches that bring nothing new end the walk, but not before a kernel that none of them runs. */
static void a_kernel_that_ran_long_ago_is_walked(void **state)
{
    enum { BETWEEN = 60, LINES = 512 };
    const gpu_spec_t spec = small_chip();
    const own_line_t large = {UINT64_C(1) << 40, 0}, small = {UINT64_C(1) << 41, 0};
    (void)state;
    synth_t *s = synth_create();
    add_own_lines(s, "large", &large, LINES);
    for (unsigned i = 0; i < BETWEEN; i++)
        add_own_lines(s, "small", &small, 1);
    gpu_t *g = gpu_create(&spec, 1, 0);
    const launch_touched_t t = warm_up(g, synth_source(s), BETWEEN + 1);
    uint64_t held = 0;
    for (uint32_t i = 0; i < g->map.slices; i++)
        held += cache_count(l2_of(g, i));
    assert_true(t.launches < BETWEEN / 2);
    assert_true(held > LINES);
    gpu_destroy(g);
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_are_those_of_a_full_run),
        cmocka_unit_test(copies_are_those_of_a_full_run),
        cmocka_unit_test(code_that_is_jumped_over_is_not_walked),
        cmocka_unit_test(nothing_is_walked_if_nothing_is_skipped),
        cmocka_unit_test(only_launches_since_the_last_simulated_one_are_walked),
        cmocka_unit_test(walks_count_what_launches_fetched),
        cmocka_unit_test(a_launch_that_leaves_what_time_decides_is_simulated),
        cmocka_unit_test(only_launches_that_time_decides_and_are_not_too_long_are_simulated),
        cmocka_unit_test(going_back_begins_anew),
        cmocka_unit_test(equal_launches_are_walked_once),
        cmocka_unit_test(more_launches_are_walked_only_while_they_matter),
        cmocka_unit_test(a_launch_that_was_cut_short_is_walked),
        cmocka_unit_test(a_walk_reports_progress_and_can_be_stopped),
        cmocka_unit_test(only_sampled_launches_of_an_indexed_trace_are_warmed_by_default),
        cmocka_unit_test(every_write_cleans_what_copies_left),
        cmocka_unit_test(a_kernel_that_ran_long_ago_is_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
