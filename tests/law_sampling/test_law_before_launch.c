/*
 * What a launch finds in the caches if launches before it were not simulated but walked (warmup.mode
 * functional), against what it finds in a run of all launches: the same lines and sectors of the L2,
 * modified or not, the same code and the same translations.
 */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"
#include "tests/support/input/gen_trial.h"
#include "tests/support/sim/lab.h"
#include "tests/support/sim/sm_caches.h"
#include "tests/support/sim/walk_lab.h"
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
    walk_lab_run_all(chip[0], source, 1, c->at - 1);
    if (c->from > 0)
        walk_lab_run(chip[1], source, &c->from, 1);
    walk_lab_to(chip[1], source, c->at);
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
        assert_case(&cases[i], walk_lab_chip());
}

static gpu_spec_t two_halves(void)
{
    gpu_spec_t halves = walk_lab_chip();
    halves.mem.l2.halves = 2;
    halves.mem.icnt.gpc_sms = 3;
    return halves;
}

/*
 * Each half of an L2 has copies of what its SMs read from the other one, and the walk leaves them; without them 0.59 to
 * 0.72 agree. Which half reads a line depends on time where blocks end at different times (stencil). Copies that
 * only launches long before read may be missing (gaussian). If those that a later launch wrote were left, 0.95 at most
 * would agree (train, mst). Where copies are found, the lines that they are of are not used again and grow old; otherwise 0.85 and 0.98 of
 * kmeans and resnet agree.
 */
static void copies_are_those_of_a_full_run(void **state)
{
    static const case_t some[] = {
        {"stencil", 402, {"steps=30"}, 8, 20, 0.76, 0.93, 0.95},
        {"gaussian", 128, {NULL}, 30, 160, 0.75, 0.98, 0.95},
        {"train", 60, {"width=32", "rows=5000"}, 10, 40, 0.97, 0.94, 0.75},
        {"mst", 4000, {NULL}, 4, 15, 0.97, 0.98, 0.95},
        {"kmeans", 8000, {"iterations=20"}, 3, 20, 0.92, 0.45, 0.85},
        {"resnet", 32, {"width=20"}, 10, 30, 0.99, 0.99, 0.85},
    };
    const gpu_spec_t halves = two_halves();
    (void)state;
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
        assert_case(&some[i], halves);
}

/* Of the lines that reads from these halves leave, n of them, how many are not used where copies are found. */
static size_t unused_of(const uint32_t *reads_far, size_t n)
{
    const gpu_spec_t halves = two_halves();
    gpu_t *g = gpu_create(&halves, 1, 0);
    l2_chip_tags_t tags = gpu_l2_tags(g);
    const uint64_t line = 0x1000;
    uint64_t local;
    uint32_t slice;
    l2_warmed_t sum = {0};
    cache_lines_t left = {0};
    bool unused[2] = {false};
    addr_map_slices(tags.map, &line, &slice, &local, 1);
    cache_t *c = tags.slice[slice].cache;
    uint32_t *writes = rb_calloc(cache_sets(c), sizeof(*writes));
    l2_touch_t read = {.line = line, .kind = L2_TOUCH_READ, .sectors = 15};
    for (size_t i = 0; i < n; i++) {
        read.half = (uint8_t)(tags.slice[slice].half ^ reads_far[i]);
        l2_tags_touch(&tags, &read, 1, NULL, &sum);
    }
    cache_lines_take(&left, c, writes);
    assert_int_equal(left.n, 2); /* the line and its copy */
    read.half = tags.slice[slice].half ^ 1;
    l2_tags_touch(&tags, &read, 1, NULL, &sum);
    cache_lines_at_t at = {.lines = &left};
    const size_t found = l2_tags_unused(c, &at, unused);
    cache_lines_free(&left);
    free(writes);
    free(tags.slice);
    gpu_destroy(g);
    return found;
}

/* A line that its own half reads, too, is used whether there is a copy in the other half or not. */
static void only_lines_that_the_other_half_alone_reads_are_left_out(void **state)
{
    (void)state;
    assert_int_equal(unused_of((const uint32_t[]){1}, 1), 1);
    assert_int_equal(unused_of((const uint32_t[]){0, 1}, 2), 0);
    assert_int_equal(unused_of((const uint32_t[]){1, 0}, 2), 0);
}

/* A trace may list only what is executed, so that instructions that follow each other lie apart. */
static void code_that_is_jumped_over_is_not_walked(void **state)
{
    const gpu_spec_t spec = walk_lab_chip();
    (void)state;
    synth_t *s = synth_create();
    for (unsigned launch = 0; launch < 2; launch++)
        walk_lab_add_jumps(s);
    gpu_t *const chip[2] = {gpu_create(&spec, 1, 0), gpu_create(&spec, 1, 0)};
    walk_lab_run_all(chip[0], synth_source(s), 1, 1);
    walk_lab_to(chip[1], synth_source(s), 2);
    const agreement_t code = compare(chip, chip[0]->n_sms, false, l1i_of);
    assert_true(code.missing == 0);
    assert_true(code.extra <= code.both / 4);
    gpu_destroy(chip[0]);
    gpu_destroy(chip[1]);
    synth_destroy(s);
}

/* Sums over launches. */
typedef struct {
    uint64_t fills, write_misses; /* sectors */
} sums_t;

static rb_code_t add_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    sums_t *sum = ctx;
    (void)err;
    sum->fills += r->l2.fills;
    sum->write_misses += r->l2.write_sectors - r->l2.write_hits;
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
        walk_lab_run_all(g, source, 1, c->from);
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
    const gpu_spec_t spec = walk_lab_chip();
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
            walk_lab_run_all(g, source, 1, c->from);
        const launch_touched_t t = walk_lab_to(g, source, c->at);
        assert_counted(c, least, "sectors fetched", t.fetched, full.fills);
        assert_counted(c, 0, "sectors written to new lines", t.placed, full.write_misses);
        gpu_destroy(g);
        source->ops->destroy(source);
    }
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
    const gpu_spec_t spec = walk_lab_chip();
    trace_source_t *source = walk_lab_kmeans();
    gpu_t *const chip[2] = {gpu_create(&spec, 1, 0), gpu_create(&spec, 1, 0)};
    walk_lab_run_all(chip[0], source, 30, 30);
    const launch_touched_t back = walk_lab_to(chip[0], source, 5),
                           fresh = walk_lab_to(chip[1], source, 5);
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
    (void)walk_lab_to(g, source, at);
    return opened;
}

/* A launch that is equal to one that was walked is not walked again, and leaves the same. */
static void equal_launches_are_walked_once(void **state)
{
    (void)state;
    const gpu_spec_t spec = walk_lab_chip();
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

/* Each access that writes cleans a line of a set that host copies left with too many, however many lines it is. */
static void every_write_cleans_what_copies_left(void **state)
{
    const gpu_spec_t spec = walk_lab_chip();
    const walk_lab_line_t writes = {UINT64_C(1) << 40, 4}, reads = {UINT64_C(1) << 41, 0};
    (void)state;
    synth_t *s = synth_create();
    synth_memcpy(s, UINT64_C(1) << 40, 600 << 10);
    walk_lab_add_lines(s, "writes", &writes, 512);
    walk_lab_add_lines(s, "reads", &reads, 1);
    gpu_t *const chip[2] = {gpu_create(&spec, 1, 0), gpu_create(&spec, 1, 0)};
    walk_lab_run_all(chip[0], synth_source(s), 1, 1);
    walk_lab_to(chip[1], synth_source(s), 2);
    const agreement_t a = compare(chip, chip[0]->map.slices, true, l2_of);
    if (agreeing(a) < 0.99)
        fail_msg("%.4f of the modified sectors agree", agreeing(a));
    gpu_destroy(chip[0]);
    gpu_destroy(chip[1]);
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_are_those_of_a_full_run),
        cmocka_unit_test(copies_are_those_of_a_full_run),
        cmocka_unit_test(only_lines_that_the_other_half_alone_reads_are_left_out),
        cmocka_unit_test(code_that_is_jumped_over_is_not_walked),
        cmocka_unit_test(walks_count_what_launches_fetched),
        cmocka_unit_test(going_back_begins_anew),
        cmocka_unit_test(equal_launches_are_walked_once),
        cmocka_unit_test(every_write_cleans_what_copies_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
