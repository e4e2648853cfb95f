/* What a survey of a launch without time counts: closed forms, and what a simulation counts. */
#include "tests/support/test.h"

#include <string.h>

#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/sampled/inside.h"
#include "tests/support/input/gen_trial.h"
#include "tests/support/sim/lab.h"
#include "tests/support/sim/sm_caches.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"

enum { BLOCKS = 24, THREADS = 64, WARPS = BLOCKS * THREADS / 32, STEPS = 16, PER_BIN = 5 };
enum { SECTORS = WARPS * STEPS * 4 }; /* of a launch whose every access is a line */

#define SMALL "sm.count=2", "mem.partitions=4", "l2.slices=4", "l2.size=768KiB"

static uint64_t streaming(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    return 0x10000000 + ((warp * STEPS + step) * 32 + lane) * 4;
}

/* Every warp accesses the same STEPS lines. */
static uint64_t again(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)warp;
    return streaming(ctx, 0, lane, step);
}

/* One word in each of 32 sectors, in 32 lines. */
static uint64_t scattered(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    return 0x10000000 + ((warp * STEPS + step) * 32 + lane) * 160;
}

typedef struct {
    shadow_t shadow;
    launch_result_t launch;
} surveyed_t;

static rb_code_t survey(const sampler_t *s, const sampler_launch_t *l, rb_err_t *err)
{
    surveyed_t *out = s->state;
    return shadow_survey(&out->shadow, l->of->chip, l->source, l->position, PER_BIN, err);
}

/* A launch before its first block: nothing is dispatched in its first interval. */
typedef struct {
    const sampler_launch_t *launch;
    uint32_t lines[2]; /* in the L1s then */
    bool done;
} walked_t;

static rb_code_t begin_walk(const sampler_t *s, const sampler_launch_t *l, rb_err_t *err)
{
    (void)err;
    *(walked_t *)s->state = (walked_t){.launch = l};
    return RB_OK;
}

static bool walk(const sampler_t *s, const interval_records_t *r, fast_forward_t *out)
{
    walked_t *w = s->state;
    l2_warmed_t warmed;
    rb_err_t err;
    (void)out;
    if (!w->done)
        assert_int_equal(gpu_warm_blocks(r->of->chip, w->launch->source, w->launch->position, 0,
                                         BLOCKS, &warmed, &err),
                         RB_OK);
    for (unsigned i = 0; i < 2 && !w->done; i++)
        w->lines[i] = cache_count(sm_caches_l1(r->of->chip->sm[i]));
    w->done = true;
    return false;
}

/* Simulates a launch of accesses with a sampler inside. */
static launch_result_t run(const gpu_spec_t *spec, const char *op, lab_address_fn address,
                           const sampler_ops_t *ops, void *out)
{
    const sampler_t sampler = {.ops = ops, .state = out};
    synth_t *s = synth_create();
    const lab_access_t a = {.op = {op, strncmp(op, "LDG", 3) == 0 ? "R8" : NULL, "R2"},
                            .blocks = BLOCKS,
                            .threads = THREADS,
                            .mask = 0xffffffff,
                            .steps = STEPS,
                            .address = address};
    lab_results_t r;
    lab_access_add(s, spec, &a);
    if (ops->interval_end != NULL)
        lab_access_add(s, spec, &a); /* SMs have no L1 before their first launch */
    lab_run_sampled(spec, synth_source(s), 1, 0, &sampler, 1, &r);
    synth_destroy(s);
    return r.launch[ops->interval_end != NULL ? 1 : 0];
}

/* Surveys and simulates a launch. The caller frees the shadow. */
static surveyed_t survey_and_run(const gpu_spec_t *spec, const char *op, lab_address_fn address)
{
    static const sampler_ops_t ops = {.launch_open = survey};
    surveyed_t out = {0};
    out.launch = run(spec, op, address, &ops, &out);
    return out;
}

static uint64_t code_sectors(const shadow_counts_t *c, uint64_t data)
{
    return c->fills - data;
}

static void assert_code_only(const shadow_counts_t *c, uint64_t data)
{
    assert_true(c->fills >= data);
    assert_true(code_sectors(c, data) > 0 && code_sectors(c, data) < 64);
}

static void a_stream_reads_every_sector_once(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    surveyed_t r = survey_and_run(&spec, "LDG.E", streaming);
    const shadow_counts_t *c = &r.shadow.all;
    assert_int_equal(c->warp_insts, r.launch.warp_insts);
    assert_int_equal(c->requests, WARPS * STEPS);
    assert_int_equal(c->read_sectors, SECTORS);
    assert_int_equal(c->read_hits, 0);
    assert_code_only(c, SECTORS);
    assert_int_equal(c->written_back, 0);
    shadow_free(&r.shadow);
}

static void a_small_set_misses_once(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    surveyed_t r = survey_and_run(&spec, "LDG.E", again);
    const shadow_counts_t *c = &r.shadow.all;
    assert_int_equal(c->read_sectors, SECTORS);
    assert_int_equal(c->read_hits, SECTORS - STEPS * 4);
    assert_code_only(c, STEPS * 4);
    shadow_free(&r.shadow);
}

static void a_lane_in_each_line_is_a_request_and_a_sector(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "l2.fill_sectors=1");
    surveyed_t r = survey_and_run(&spec, "LDG.E", scattered);
    const shadow_counts_t *c = &r.shadow.all;
    assert_int_equal(c->requests, WARPS * STEPS * 32);
    assert_int_equal(c->read_sectors, WARPS * STEPS * 32);
    assert_code_only(c, WARPS * STEPS * 32);
    shadow_free(&r.shadow);
}

/* The order of the blocks does not matter: each of them writes its own lines. */
static void writes_count_as_in_a_simulation(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "l2.size=48KiB");
    surveyed_t r = survey_and_run(&spec, "STG.E", streaming);
    const shadow_counts_t *c = &r.shadow.all;
    assert_int_equal(c->write_sectors, SECTORS);
    assert_int_equal(c->write_hits, 0);
    assert_code_only(c, 0);
    assert_true(c->written_back > SECTORS / 2);
    assert_int_equal(c->write_sectors, r.launch.l2.write_sectors);
    assert_int_equal(c->write_hits, r.launch.l2.write_hits);
    lab_assert_near((double)c->written_back, (double)r.launch.l2.writebacks, 0.02, "written back");
    shadow_free(&r.shadow);
}

static void atomics_count_as_in_a_simulation(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    surveyed_t r = survey_and_run(&spec, "RED.E.ADD.STRONG.GPU", streaming);
    const shadow_counts_t *c = &r.shadow.all;
    assert_int_equal(c->atomic_sectors, r.launch.l2.red_sectors);
    assert_int_equal(c->atomic_hits, r.launch.l2.red_hits);
    assert_int_equal(c->read_sectors, 0);
    shadow_free(&r.shadow);
}

static void reads_count_as_in_a_simulation(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    surveyed_t r = survey_and_run(&spec, "LDG.E", streaming);
    const shadow_counts_t *c = &r.shadow.all;
    assert_int_equal(c->read_sectors, r.launch.l2.read_sectors - r.launch.l2.inst_sectors);
    lab_assert_near((double)c->fills, (double)r.launch.l2.fills, 0.02, "fills");
    shadow_free(&r.shadow);
}

static void a_survey_leaves_the_chip_as_it_is(void **state)
{
    (void)state;
    static const sampler_ops_t nothing = {0};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    surveyed_t r = survey_and_run(&spec, "LDG.E", streaming);
    const launch_result_t plain = run(&spec, "LDG.E", streaming, &nothing, NULL);
    assert_int_equal(r.launch.end, plain.end);
    assert_memory_equal(&r.launch.l2, &plain.l2, sizeof(plain.l2));
    assert_memory_equal(&r.launch.dram, &plain.dram, sizeof(plain.dram));
    shadow_free(&r.shadow);
}

/* Half of the accesses are to one line, the others stream. */
static uint64_t hot_and_streaming(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    return step % 2 == 0 ? 0x20000000 + lane * 4 : streaming(ctx, warp, lane, step);
}

static rb_code_t survey_all_slices(const sampler_t *s, const sampler_launch_t *l, rb_err_t *err)
{
    surveyed_t *out = s->state;
    return shadow_survey_slices(&out->shadow, l->of->chip, l->source, l->position, BLOCKS,
                                UINT32_MAX, err);
}

/* Half of 16 slices show what all do, also if one line gets half of the accesses: within 3 % of
 * twice the sectors of a stream. */
static void a_part_of_the_slices_shows_what_all_do(void **state)
{
    (void)state;
    static const sampler_ops_t all = {.launch_open = survey_all_slices};
    static const char *const ops[] = {"LDG.E", "STG.E", "RED.E.ADD.STRONG.GPU"};
    gpu_spec_t spec =
        LAB_SPEC("v100", "sm.count=2", "mem.partitions=4", "l2.slices=16", "l2.size=1536KiB");
    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
        surveyed_t exact = {0}, part = survey_and_run(&spec, ops[i], hot_and_streaming);
        run(&spec, ops[i], hot_and_streaming, &all, &exact);
        const shadow_counts_t *e = &exact.shadow.all, *p = &part.shadow.all;
        assert_int_equal(e->requests, p->requests);
        assert_int_equal(e->read_sectors, p->read_sectors);
        assert_int_equal(e->write_sectors, p->write_sectors);
        assert_int_equal(e->atomic_sectors, p->atomic_sectors);
        lab_assert_near((double)p->read_hits + SECTORS, (double)e->read_hits + SECTORS, 0.03,
                        "read hits");
        lab_assert_near((double)p->write_hits + SECTORS, (double)e->write_hits + SECTORS, 0.03,
                        "write hits");
        lab_assert_near((double)p->atomic_hits + SECTORS, (double)e->atomic_hits + SECTORS, 0.03,
                        "atomics");
        lab_assert_near((double)p->fills + SECTORS, (double)e->fills + SECTORS, 0.03, "fills");
        shadow_free(&exact.shadow);
        shadow_free(&part.shadow);
    }
}

/* Goes on block by block; every step must give bins that the next ones leave as they are. */
static rb_code_t survey_in_steps(const sampler_t *s, const sampler_launch_t *l, rb_err_t *err)
{
    surveyed_t *out = s->state;
    shadow_counts_t before[BLOCKS] = {0};
    uint64_t known = 0;
    RB_TRY(shadow_begin(&out->shadow, l->of->chip, l->source, l->position, PER_BIN, err));
    for (uint64_t until = 1; out->shadow.walk != NULL; until++) {
        RB_TRY(shadow_go(&out->shadow, until, err));
        assert_true(out->shadow.known >= until || out->shadow.known == BLOCKS);
        assert_true(out->shadow.known % PER_BIN == 0 || out->shadow.known == BLOCKS);
        assert_memory_equal(before, out->shadow.bin, known / PER_BIN * sizeof(*before));
        known = out->shadow.known;
        memcpy(before, out->shadow.bin, known / PER_BIN * sizeof(*before));
    }
    return RB_OK;
}

static void a_survey_in_steps_counts_the_same(void **state)
{
    (void)state;
    static const sampler_ops_t steps = {.launch_open = survey_in_steps};
    static const lab_address_fn addresses[] = {streaming, again, scattered, hot_and_streaming};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "sm.max_blocks=2");
    for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
        surveyed_t whole = survey_and_run(&spec, "LDG.E", addresses[i]), stepped = {0};
        run(&spec, "LDG.E", addresses[i], &steps, &stepped);
        assert_int_equal(stepped.shadow.n_bins, whole.shadow.n_bins);
        assert_memory_equal(stepped.shadow.bin, whole.shadow.bin,
                            whole.shadow.n_bins * sizeof(*whole.shadow.bin));
        assert_memory_equal(&stepped.shadow.all, &whole.shadow.all, sizeof(whole.shadow.all));
        shadow_free(&whole.shadow);
        shadow_free(&stepped.shadow);
    }
}

static rb_code_t survey_thrice(const sampler_t *s, const sampler_launch_t *l, rb_err_t *err)
{
    const shadow_t *first, *again, *other;
    RB_TRY(sampler_survey(l, PER_BIN, UINT64_MAX, &first, err));
    RB_TRY(sampler_survey(l, PER_BIN + 1, UINT64_MAX, &other, err));
    RB_TRY(sampler_survey(l, PER_BIN, UINT64_MAX, &again, err));
    *(bool *)s->state = first == again && first != other && other->blocks_per_bin == PER_BIN + 1 &&
                        memcmp(&first->all, &other->all, sizeof(first->all)) == 0;
    return RB_OK;
}

static void samplers_share_a_survey(void **state)
{
    static const sampler_ops_t ops = {.launch_open = survey_thrice};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    bool shared = false;
    const sampler_t sampler = {.ops = &ops, .state = &shared};
    (void)state;
    lab_results_t r;
    trace_source_t *source = GEN_OPEN("stencil", 75, 50, "steps=2"); /* each launch has its own */
    lab_run_sampled(&spec, source, 1, 0, &sampler, 1, &r);
    source->ops->destroy(source);
    assert_true(shared);
}

static void bins_add_up(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    surveyed_t r = survey_and_run(&spec, "LDG.E", streaming);
    const shadow_t *s = &r.shadow;
    const shadow_counts_t whole = shadow_between(s, 0, BLOCKS), past = shadow_between(s, 0, 1000);
    const shadow_counts_t bin = shadow_between(s, PER_BIN, 2 * PER_BIN);
    const shadow_counts_t two = shadow_between(s, PER_BIN + 1, PER_BIN + 3);
    const shadow_counts_t last = shadow_between(s, BLOCKS - 1, BLOCKS);
    assert_int_equal(s->n_bins, 5);
    assert_memory_equal(&whole, &s->all, sizeof(whole));
    assert_memory_equal(&past, &s->all, sizeof(past));
    assert_memory_equal(&bin, &s->bin[1], sizeof(bin));
    assert_int_equal(two.read_sectors, SECTORS / BLOCKS * 2);
    assert_int_equal(last.read_sectors, SECTORS / BLOCKS); /* the last bin has fewer blocks */
    assert_int_equal(shadow_between(s, 3, 3).warp_insts, 0);
    shadow_free(&r.shadow);
}

/* Two loads with a branch between them, which divides the warp differently each time. */
static void divided_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    for (uint64_t step = 0; step < STEPS; step++) {
        const uint32_t mask = (uint32_t)synth_mix(w->global * STEPS + step) | 1;
        uint64_t addr[32];
        for (unsigned lane = 0; lane < 32; lane++)
            addr[lane] = 0x20000000 + (synth_mix(w->global * 32 + lane + step) & 0xfffc);
        synth_emit_affine(w, 0, (uint32_t)LAB_FULL, streaming(NULL, w->global, 0, step), 4);
        synth_emit_list(w, 1, mask, addr);
        synth_emit(w, 2, ~mask);
        synth_emit_affine(w, 3, mask, streaming(NULL, w->global, 0, step), 4);
    }
    synth_emit(w, 4, (uint32_t)LAB_FULL);
}

static synth_t *divided(void)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "divided", &(synth_shape_t){.grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}});
    synth_code(k, "LDG.E", "R4", "R2");
    synth_code(k, "LDG.E", "R5", "R4");
    synth_code(k, "FADD", "R6", "R5 R4");
    synth_code(k, "STG.E", "", "R2 R6");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, divided_body, NULL);
    return s;
}

/* slices: to look at; 0: the default. */
static shadow_counts_t survey_source(const gpu_spec_t *spec, trace_source_t *source,
                                     uint32_t slices)
{
    rb_err_t err = {0};
    shadow_t shadow;
    gpu_t *g = gpu_create(spec, 1, 0);
    const rb_code_t rc = slices == 0
                             ? shadow_survey(&shadow, g, source, 1, PER_BIN, &err)
                             : shadow_survey_slices(&shadow, g, source, 1, PER_BIN, slices, &err);
    if (rc != RB_OK)
        fail_msg("%s", err.text);
    const shadow_counts_t c = shadow.all;
    shadow_free(&shadow);
    gpu_destroy(g);
    return c;
}

/* A native trace says which warps execute the same instructions, others do not. Its index says that
 * the launch is small, so that all slices are looked at. */
static void a_native_trace_is_surveyed_like_what_it_was_made_of(void **state)
{
    (void)state;
    gpu_spec_t spec =
        LAB_SPEC("v100", "sm.count=2", "mem.partitions=4", "l2.slices=16", "l2.size=1536KiB");
    synth_t *s = divided();
    temp_folder_create();
    rbt_lab_store(synth_source(s), temp_path("divided.rbt"), 1);
    trace_source_t *native = rbt_lab_open(temp_path("divided.rbt"));
    const shadow_counts_t a = survey_source(&spec, synth_source(s), 16);
    const shadow_counts_t b = survey_source(&spec, native, 0);
    assert_memory_equal(&a, &b, sizeof(a));
    native->ops->destroy(native);
    temp_folder_remove();
    synth_destroy(s);
}

/* Surveys and simulates the only launch of a generated program. */
static surveyed_t survey_program(const gpu_spec_t *spec, trace_source_t *source)
{
    static const sampler_ops_t ops = {.launch_open = survey};
    surveyed_t out = {0};
    lab_results_t r;
    const sampler_t sampler = {.ops = &ops, .state = &out};
    lab_run_sampled(spec, source, 1, 0, &sampler, 1, &r);
    out.launch = r.launch[0];
    source->ops->destroy(source);
    return out;
}

/* The three planes that a wave of blocks reads just fill the L2. Blocks that run together share
 * them, so that walking one block after the other finds 40 % more fills. */
static void blocks_of_a_wave_share_what_they_read(void **state)
{
    (void)state;
    gpu_spec_t spec =
        LAB_SPEC("rtx2060", "sm.count=2", "mem.partitions=2", "l2.slices=2", "l2.size=192KiB");
    surveyed_t r = survey_program(&spec, GEN_OPEN("stencil3d", 75, 113, "planes=30"));
    const shadow_counts_t *c = &r.shadow.all;
    lab_assert_near((double)c->fills, (double)r.launch.l2.fills, 0.2, "fills");
    lab_assert_near((double)c->written_back, (double)r.launch.l2.writebacks, 0.01, "written back");
    shadow_free(&r.shadow);
}

/* The share of the fills that an L2 with an eighth more ways would save, of blocks that read a window of so
 * many KiB again and again; the L2 has 192. */
static double late_share(const char *window)
{
    gpu_spec_t spec =
        LAB_SPEC("rtx2060", "sm.count=2", "mem.partitions=2", "l2.slices=2", "l2.size=192KiB");
    trace_source_t *source = GEN_OPEN("phases", 75, 51200, "loads=20", window, "period=1000000");
    const shadow_counts_t c = survey_source(&spec, source, 0);
    source->ops->destroy(source);
    return (double)c.late_fills / (double)c.fills;
}

static void fills_at_the_edge_of_the_l2_are_told(void **state)
{
    (void)state;
    assert_true(late_share("small=100") < 0.1);
    assert_true(late_share("small=200") > 0.5);
    assert_true(late_share("small=1000") < 0.1);
}

/* Blocks that were walked leave in the L1 of each SM what blocks at their places read: each has half of them. */
static void walked_blocks_leave_their_lines_in_the_l1s(void **state)
{
    static const sampler_ops_t ops = {.launch_open = begin_walk, .interval_end = walk};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    walked_t w = {0};
    (void)state;
    (void)run(&spec, "LDG.E", streaming, &ops, &w);
    assert_true(w.done);
    assert_int_equal(w.lines[0], WARPS * STEPS / 2);
    assert_int_equal(w.lines[1], WARPS * STEPS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_reads_every_sector_once),
        cmocka_unit_test(a_small_set_misses_once),
        cmocka_unit_test(a_lane_in_each_line_is_a_request_and_a_sector),
        cmocka_unit_test(writes_count_as_in_a_simulation),
        cmocka_unit_test(atomics_count_as_in_a_simulation),
        cmocka_unit_test(reads_count_as_in_a_simulation),
        cmocka_unit_test(a_survey_leaves_the_chip_as_it_is),
        cmocka_unit_test(a_part_of_the_slices_shows_what_all_do),
        cmocka_unit_test(a_native_trace_is_surveyed_like_what_it_was_made_of),
        cmocka_unit_test(a_survey_in_steps_counts_the_same),
        cmocka_unit_test(samplers_share_a_survey),
        cmocka_unit_test(bins_add_up),
        cmocka_unit_test(blocks_of_a_wave_share_what_they_read),
        cmocka_unit_test(fills_at_the_edge_of_the_l2_are_told),
        cmocka_unit_test(walked_blocks_leave_their_lines_in_the_l1s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
