/*
 * smarts: units all over a launch, with a stated error. Launches whose blocks run the same code on
 * data that differ; even launches; launches that units cannot represent.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sampling/inside/inside_sampler.h"
#include "sampling/math/quantile.h"
#include "sim/gpu/gpu.h"
#include "tests/support/sim/inside_lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"

/* Loads of a warp, lines of the window. */
enum { LOADS = 12, WINDOW = 1024, CHAIN = 40, SHARED = 48 * 1024, SLOTS = 8 };

/* Blocks of four warps that read a window that fits the L2, or data that no other block reads. */
typedef struct {
    uint32_t blocks;
    uint32_t from;     /* blocks from here on read data of their own */
    uint32_t length;   /* of the first blocks, in passes over the code; the others have one */
    uint32_t longer;   /* every longer-th block has this length instead; 0: none */
    uint32_t together; /* number of blocks in turn that read the same data; 0: one */
    uint32_t stretch;  /* blocks of a stretch: before `from`, every other one does; 0: none */
} data_t;

static void data_body(synth_warp_t *w, const void *ctx)
{
    const data_t *d = ctx;
    const bool longer = d->longer > 0 && w->block % d->longer == d->longer - 1;
    for (unsigned pass = longer ? d->length : 1; pass > 0; pass--) {
        for (unsigned i = 0; i < LOADS; i++) {
            const uint64_t line =
                (d->together > 0 ? w->block / d->together * 4 + w->warp : w->global) * LOADS + i;
            const bool own =
                w->block >= d->from || (d->stretch > 0 && w->block / d->stretch % 2 == 1);
            const uint64_t at = 128 * (own ? line : synth_mix(line) % WINDOW);
            synth_emit_affine(w, 0, (uint32_t)LAB_FULL, 0x10000000 + at, 4);
        }
        synth_emit_span(w, 1, CHAIN + 1);
    }
    synth_emit_span(w, CHAIN + 2, 1);
}

static void data_launch(synth_t *s, const data_t *d)
{
    synth_kernel_t *k = synth_kernel_create(
        s, "data",
        &(synth_shape_t){.grid = {d->blocks}, .block = {128}, .regs = 32, .shared = SHARED});
    synth_code(k, "LDG.E", "R4", "R2");
    for (unsigned i = 0; i < CHAIN; i++)
        synth_code(k, "FFMA", "R1", "R1 R4 R3");
    synth_code(k, "BRA", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, data_body, d);
}

static synth_t *data_program(const data_t *d)
{
    synth_t *s = synth_create();
    data_launch(s, d);
    return s;
}

/* Stores the program and opens it; close with data_close(). */
static trace_source_t *data_open(const data_t *d)
{
    synth_t *s = data_program(d);
    temp_folder_create();
    rbt_lab_store(synth_source(s), temp_path("data.rbt"), 1);
    synth_destroy(s);
    return rbt_lab_open(temp_path("data.rbt"));
}

static void data_close(trace_source_t *source)
{
    source->ops->destroy(source);
    temp_folder_remove();
}

/* A result with what is needed of its replicates. */
typedef struct {
    launch_result_t r;
    size_t n;
    double half;         /* half the 95 % interval of the cycles */
    double ipc_half;     /* the same of instructions per cycle */
    bool sums, possible; /* states sum to slots x cycles in all replicates; hits are lookups */
} told_t;

typedef double (*statistic_t)(const launch_estimate_t *e);

static double counter(const launch_estimate_t *e, size_t offset)
{
    return e->counter[offset / sizeof(uint64_t)];
}

static double cycles_of(const launch_estimate_t *e)
{
    return e->cycles;
}

static double ipc_of(const launch_estimate_t *e)
{
    return counter(e, offsetof(gpu_counters_t, sm.warp_insts)) / e->cycles;
}

static double half_of(const launch_replicates_t *r, statistic_t f)
{
    const double n = (double)r->n;
    double mean = 0, squares = 0;
    for (size_t i = 0; i < r->n; i++)
        mean += f(&r->list[i]) / n;
    for (size_t i = 0; i < r->n; i++)
        squares += pow(f(&r->list[i]) - mean, 2);
    return interval_factor(0.95, n - 1) * sqrt((n - 1) / n * squares);
}

static rb_code_t keep(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    told_t *t = ctx;
    (void)err;
    *t = (told_t){.r = *r, .n = r->replicates.n, .sums = true, .possible = true};
    if (t->n == 0)
        return RB_OK;
    t->half = half_of(&r->replicates, cycles_of);
    t->ipc_half = half_of(&r->replicates, ipc_of);
    for (size_t i = 0; i < t->n; i++) {
        const launch_estimate_t *e = &r->replicates.list[i];
        double states = 0;
        for (unsigned k = 0; k < STATE_COUNT; k++)
            states += e->counter[k];
        const double slots = (double)r->warp_slot_cycles / (double)launch_result_cycles(r);
        t->sums &= fabs(states - slots * e->cycles) <= slots;
        t->possible &= counter(e, offsetof(gpu_counters_t, l2.read_hits)) <=
                       counter(e, offsetof(gpu_counters_t, l2.read_sectors));
        t->possible &= counter(e, offsetof(gpu_counters_t, sm.warp_insts)) == (double)r->warp_insts;
    }
    return RB_OK;
}

/* Through a file. */
static void copy_units(unit_file_t *to, const unit_file_t *from)
{
    unit_file_t file = *from;
    rb_err_t err = {0};
    file.launches = 1;
    FILE *out = fopen(temp_path("units.txt"), "w");
    unit_file_write(out, &file);
    fclose(out);
    if (unit_file_read(to, temp_path("units.txt"), &err) != RB_OK)
        fail_msg("%s", err.text);
}

/* Follows *units, if there are any, and gives those that were measured; the caller frees them. units: NULL: neither. */
static told_t tell_units(const gpu_spec_t *spec, trace_source_t *source, int threads,
                         cycle_t window, const char *sampler, uint64_t seed, unit_file_t *units)
{
    inside_list_t list = {0};
    rb_err_t err = {0};
    told_t told;
    if (inside_list_add(&list, sampler, seed, &err) != RB_OK)
        fail_msg("%s", err.text);
    if (units != NULL && units->n > 0)
        list.methods[0]->follow(list.samplers[0].state, units);
    gpu_t *gpu = gpu_create(spec, threads, window);
    const run_plan_t plan = {.first = 1, .inside = list.samplers, .n_inside = list.n};
    const gpu_callbacks_t callbacks = {.ctx = &told, .launch_done = keep};
    if (gpu_run(gpu, source, &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(gpu);
    if (units != NULL)
        copy_units(units, list.methods[0]->units(list.samplers[0].state));
    inside_list_free(&list);
    return told;
}

static told_t tell(const gpu_spec_t *spec, trace_source_t *source, int threads, cycle_t window,
                   const char *sampler, uint64_t seed)
{
    return tell_units(spec, source, threads, window, sampler, seed, NULL);
}

static void two_phases_of_data_are_within_the_interval(void **state)
{
    static const data_t d = {.blocks = 1600, .from = 800};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    trace_source_t *source = data_open(&d);
    const launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");

    (void)state;
    unsigned covered = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        const told_t got = tell(&spec, source, 1, 0, "smarts", seed);
        assert_true(got.r.sampling.estimated);
        assert_string_equal(got.r.sampling.sampler, "smarts");
        assert_non_null(strstr(got.r.sampling.evidence, "units"));
        assert_true(got.n >= 8);
        assert_true(got.half <= 0.05 * (double)launch_result_cycles(&got.r));
        assert_true(relative_error(&got.r, &want) < 0.03);
        covered += relative_error(&got.r, &want) * (double)launch_result_cycles(&want) <= got.half;
        assert_true(got.r.sampling.simulated_warp_insts < want.warp_insts / 2);
        assert_int_equal(got.r.warp_insts, want.warp_insts);
        lab_assert_near((double)got.r.l2.fills, (double)want.l2.fills, 0.03, "fills");
        lab_assert_near((double)got.r.l2.read_hits, (double)want.l2.read_hits, 0.06, "hits");
        lab_assert_near((double)got.r.dram.read_sectors, (double)want.dram.read_sectors, 0.03,
                        "sectors read");
        assert_true(got.sums && got.possible);
        assert_int_equal(lab_state_sum(&got.r.sm), got.r.warp_slot_cycles);
        assert_true(got.ipc_half > 0);
    }
    assert_true(covered >= 7);
    data_close(source);
}

static void results_do_not_depend_on_threads_or_windows(void **state)
{
    static const data_t d = {.blocks = 1000, .from = 300};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    trace_source_t *source = data_open(&d);
    const told_t want = tell(&spec, source, 1, 0, "smarts", 7);

    (void)state;
    assert_true(want.r.sampling.estimated);
    const told_t threads = tell(&spec, source, 3, 0, "smarts", 7);
    const told_t window = tell(&spec, source, 1, 5, "smarts", 7);
    assert_int_equal(want.r.end, threads.r.end);
    assert_int_equal(want.r.end, window.r.end);
    assert_memory_equal(&want.r.sm, &threads.r.sm, sizeof(want.r.sm));
    assert_memory_equal(&want.r.sm, &window.r.sm, sizeof(want.r.sm));
    assert_true(want.half == threads.half && want.half == window.half);
    /* Another seed measures elsewhere. */
    assert_int_not_equal(want.r.end, tell(&spec, source, 1, 0, "smarts", 8).r.end);
    data_close(source);
}

/* Nothing is known of an even launch that units do not show. */
static void an_even_launch_is_measured_in_units_too(void **state)
{
    static const data_t d = {.blocks = 1600};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    trace_source_t *source = data_open(&d);
    const launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
    const told_t got = tell(&spec, source, 1, 0, "smarts", 3);

    (void)state;
    assert_true(got.r.sampling.estimated);
    assert_true(got.n >= 8);
    assert_true(relative_error(&got.r, &want) < 0.03);
    assert_int_not_equal(got.r.end, tell(&spec, source, 1, 0, "smarts", 4).r.end);
    data_close(source);
}

/* Blocks of a wave read the same data at the same time. A gap that is no multiple of waves would put them beside
 * blocks that read other data, and find it in the L2. */
static void waves_stay_whole(void **state)
{
    enum { SEEDS = 6 };
    static const data_t d = {.blocks = 1600, .together = SLOTS};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    trace_source_t *source = data_open(&d);
    const launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");

    (void)state;
    double hits = 0; /* mean; of most seeds, a warp lags behind its wave at some gap */
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const told_t got = tell(&spec, source, 1, 0, "smarts", seed);
        assert_true(got.r.sampling.estimated);
        hits += (double)got.r.l2.read_hits / SEEDS;
    }
    assert_true(hits - (double)want.l2.read_hits <= 0.0035 * (double)want.l2.read_sectors);
    data_close(source);
}

/* Blocks that load a line and store to a sector of 32 lines that lie far apart; neighbours store side by side. */
static void scattered_body(synth_warp_t *w, const void *ctx)
{
    const data_t *d = ctx;
    const uint64_t turns = 1 + synth_mix(w->block) % 3;
    for (uint64_t i = 0; i < turns; i++) {
        synth_emit_affine(w, 0, (uint32_t)LAB_FULL, 0x10000000 + 128 * (i * d->blocks + w->block),
                          4);
        synth_emit_affine(w, 1, (uint32_t)LAB_FULL, 0x90000000 + 256 * w->block + 4 * i,
                          (int32_t)(256 * d->blocks));
        synth_emit_span(w, 2, 2);
    }
    synth_emit_span(w, 4, 1);
}

/* The DRAM writes what such stores displace. Units that displace what the walk over a gap left find fewer sectors of
 * a row together, and take longer, all of them. */
static void units_wait_until_the_walk_is_displaced(void **state)
{
    enum { SEEDS = 6 };
    static const data_t d = {.blocks = 8000};
    gpu_spec_t spec =
        LAB_SPEC("rtx2060", "sm.count=4", "mem.partitions=2", "l2.slices=4", "l2.size=512KiB");
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "scattered",
        &(synth_shape_t){.grid = {d.blocks}, .block = {32}, .regs = 24, .shared = 16384});
    (void)state;
    synth_code(k, "LDG.E", "R4", "R2");
    synth_code(k, "STG.E", "", "R6 R4");
    synth_code(k, "IADD3", "R6", "R6 R8");
    synth_code(k, "BRA", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, scattered_body, &d);
    temp_folder_create();
    rbt_lab_store(synth_source(s), temp_path("scattered.rbt"), 1);
    synth_destroy(s);
    trace_source_t *source = rbt_lab_open(temp_path("scattered.rbt"));
    const launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
    double cycles = 0;
    unsigned covered = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const told_t got = tell(&spec, source, 1, 0, "smarts", seed);
        const double error =
            (double)launch_result_cycles(&got.r) - (double)launch_result_cycles(&want);
        assert_true(got.r.sampling.estimated);
        cycles += error / (double)launch_result_cycles(&want) / SEEDS;
        covered += fabs(error) <= got.half;
    }
    print_message("scattered: %+.2f %%, %u of %d\n", 100 * cycles, covered, SEEDS);
    assert_true(fabs(cycles) < 0.02 && covered >= SEEDS - 1);
    data_close(source);
}

/* Blocks read from a source. */
static trace_source_ops_t counting;
static rb_code_t (*get_block)(trace_launch_t *, uint64_t, trace_block_t **, rb_err_t *);
static uint64_t n_read;

static rb_code_t count_block(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    n_read++;
    return get_block(l, index, out, err);
}

/* Units show that nothing can be saved: what comes after them is read once, to simulate it. */
static void a_rest_that_is_simulated_is_not_surveyed(void **state)
{
    static const data_t d = {.blocks = 800, .from = 800, .stretch = 160};
    /* with these sets two units are enough to show it */
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "l1.hash_sets=false");
    trace_source_t *source = data_open(&d);
    (void)state;
    counting = *source->ops;
    counting.claim = NULL;
    get_block = counting.get_block;
    counting.get_block = count_block;
    source->ops = &counting;
    n_read = 0;
    const told_t got = tell(&spec, source, 1, 0, "smarts", 1);
    assert_non_null(strstr(got.r.sampling.evidence, "rest simulated"));
    assert_true(got.r.sampling.estimated && got.n == 2);
    assert_in_range(n_read, d.blocks, d.blocks + d.blocks / 2);
    data_close(source);
}

/* The same blocks on another chip show its change better than blocks of its own choice: half of the launch hits the L2
 * of both, the other half streams. */
static void followers_show_the_change(void **state)
{
    static const data_t d = {.blocks = 1600, .from = 800};
    static const char *const others[] = {"sm.count=3", "l2.size=384KiB"};
    static const stat_form_t cycles = {.num = {.term = {{VALUE_CYCLES, 1}}, .n = 1}};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    trace_source_t *source = data_open(&d);
    const launch_result_t all = run_sampled_source(&spec, source, 1, 0, "");
    unsigned whole = 0;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        gpu_spec_t other = LAB_SPEC("v100", SMALL, others[i]);
        const launch_result_t all_other = run_sampled_source(&other, source, 1, 0, "");
        unit_file_t base = {0}, copy;
        const told_t first = tell_units(&spec, source, 1, 0, "smarts", 3, &base);
        copy_units(&copy, &base); /* the sampler takes its own */
        const told_t second = tell_units(&other, source, 1, 0, "smarts:pairs=6", 3, &copy);
        assert_true(copy.list[0].n >= 4 && copy.list[0].n <= 6);
        assert_true(second.r.sampling.simulated_warp_insts < first.r.sampling.simulated_warp_insts);
        for (size_t u = 0; u < copy.list[0].n; u++) {
            const measured_unit_t *b = &copy.list[0].unit[u], *a = &base.list[0].unit[b->of];
            assert_true(fabs(a->begin - b->begin) <= 2 * SLOTS &&
                        fabs(a->end - b->end) <= 2 * SLOTS);
            /* Behind a larger gap, all of it is applied to the caches if all was before. */
            assert_true(a->walked < d.blocks || b->walked == d.blocks);
            whole += a->walked == d.blocks;
        }
        unit_pairs_t *p = unit_pairs_create(0.95);
        assert_null(unit_pairs_add(p, &base.list[0], &copy.list[0]));
        const change_t c = unit_pairs_change(p, &cycles, &cycles, CHANGE_RELATIVE);
        const double truth =
            (double)launch_result_cycles(&all_other) / (double)launch_result_cycles(&all) - 1;
        if (!(c.low <= truth && truth <= c.high && c.high - c.low < 0.12))
            fail_msg("%s: %g, but %g to %g", others[i], truth, c.low, c.high);
        unit_pairs_free(p);
        unit_file_free(&base);
        unit_file_free(&copy);
    }
    assert_true(whole > 0);
    data_close(source);
}

/* Simulated completely, with this reason. */
static void expect_refused(const data_t *d, const char *reason)
{
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    trace_source_t *source = data_open(d);
    const launch_result_t want = run_sampled_source(&spec, source, 1, 0, "");
    const told_t got = tell(&spec, source, 1, 0, "smarts", 1);

    assert_false(got.r.sampling.estimated);
    assert_int_equal(got.r.end, want.end);
    assert_memory_equal(&got.r.sm, &want.sm, sizeof(want.sm));
    if (strstr(got.r.sampling.evidence, reason) == NULL)
        fail_msg("'%s' does not say '%s'", got.r.sampling.evidence, reason);
    data_close(source);
}

static void what_units_cannot_represent_is_simulated_and_says_why(void **state)
{
    static const data_t few = {.blocks = 160, .from = 80};
    static const data_t stragglers = {.blocks = 1600, .from = 800, .longer = 100, .length = 120};

    (void)state;
    expect_refused(&few, "20 waves are too few");
    expect_refused(&stragglers, "outlive the last dispatch");
}

/* A run that is saved after its first launch. */
typedef struct {
    gpu_t *gpu;
    FILE *image;
    cycle_t end; /* of the first launch */
    told_t last;
} saved_t;

static rb_code_t keep_and_save(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    saved_t *s = ctx;
    if (s->end == 0)
        RB_TRY(gpu_save(s->gpu, s->image, err));
    if (s->end == 0)
        s->end = r->end;
    return keep(&s->last, r, err);
}

/* Runs the launches from `first` on with a new sampler. */
static void run_from(saved_t *s, const gpu_spec_t *spec, trace_source_t *source, uint64_t first)
{
    inside_list_t list = {0};
    rb_err_t err = {0};
    assert_int_equal(inside_list_add(&list, "smarts", 5, &err), RB_OK);
    s->gpu = gpu_create(spec, 1, 0);
    if (first > 1) {
        rewind(s->image);
        assert_int_equal(gpu_load(s->gpu, s->image, s->end, &err), RB_OK);
    }
    const run_plan_t plan = {.first = first, .inside = list.samplers, .n_inside = list.n};
    const gpu_callbacks_t callbacks = {.ctx = s, .launch_done = keep_and_save};
    if (gpu_run(s->gpu, source, &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(s->gpu);
    inside_list_free(&list);
}

static void a_run_that_continues_gives_the_same_result(void **state)
{
    static const data_t first = {.blocks = 800, .from = 400},
                        second = {.blocks = 1200, .from = 300};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    synth_t *s = synth_create();
    saved_t saved = {.image = tmpfile()};
    (void)state;
    data_launch(s, &first);
    data_launch(s, &second);
    run_from(&saved, &spec, synth_source(s), 1);
    const told_t want = saved.last;
    run_from(&saved, &spec, synth_source(s), 2);
    assert_true(want.r.sampling.estimated);
    assert_int_equal(saved.last.r.end, want.r.end);
    assert_memory_equal(&saved.last.r.sm, &want.r.sm, sizeof(want.r.sm));
    assert_memory_equal(&saved.last.r.l2, &want.r.l2, sizeof(want.r.l2));
    assert_true(saved.last.half == want.half);
    fclose(saved.image);
    synth_destroy(s);
}

/* Without an index the lengths of blocks come from the survey. */
static void a_source_without_an_index_gives_the_same_units(void **state)
{
    static const data_t d = {.blocks = 1600, .from = 800};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    trace_source_t *source = data_open(&d);
    synth_t *s = data_program(&d);
    const told_t want = tell(&spec, source, 1, 0, "smarts", 3);
    const told_t got = tell(&spec, synth_source(s), 1, 0, "smarts", 3);

    (void)state;
    assert_true(got.r.sampling.estimated);
    assert_int_equal(got.r.sampling.simulated_blocks, want.r.sampling.simulated_blocks);
    lab_assert_near((double)launch_result_cycles(&got.r), (double)launch_result_cycles(&want.r),
                    1e-3, "cycles");
    synth_destroy(s);
    data_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_phases_of_data_are_within_the_interval),
        cmocka_unit_test(results_do_not_depend_on_threads_or_windows),
        cmocka_unit_test(an_even_launch_is_measured_in_units_too),
        cmocka_unit_test(waves_stay_whole),
        cmocka_unit_test(units_wait_until_the_walk_is_displaced),
        cmocka_unit_test(a_rest_that_is_simulated_is_not_surveyed),
        cmocka_unit_test(followers_show_the_change),
        cmocka_unit_test(what_units_cannot_represent_is_simulated_and_says_why),
        cmocka_unit_test(a_run_that_continues_gives_the_same_result),
        cmocka_unit_test(a_source_without_an_index_gives_the_same_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
