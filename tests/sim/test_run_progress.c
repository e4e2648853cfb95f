/* Progress of a run: the share of the requested work, in warp instructions. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/run/progress_line.h"
#include "sim/gpu/view/run_progress.h"
#include "tests/support/sim/lab.h"
#include "tests/support/tool/cli_child.h"

enum { SAYS_MAX = 256 };

/* The reported progress. */
static struct {
    gpu_progress_t said[SAYS_MAX];
    size_t n;
} says;

static bool note(void *ctx, const gpu_progress_t *p)
{
    (void)ctx;
    if (says.n < SAYS_MAX)
        says.said[says.n++] = *p;
    return true;
}

static void run_noted(trace_source_t *source, const run_plan_t *plan)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=4", "mem.partitions=4", "l2.slices=4",
                               "l2.size=768KiB", "icache.perfect=true");
    const gpu_callbacks_t callbacks = {.progress = note};
    rb_err_t err = {0};
    gpu_t *g = gpu_create(&spec, 2, 0);
    says.n = 0;
    if (gpu_run(g, source, plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(g);
    assert_true(says.n >= 5);
}

enum { CHAIN = 20, LOOPS = 1000, WARPS = 4, BLOCK_INSTS = WARPS * (LOOPS * (CHAIN + 1) + 1) };

static void body(synth_warp_t *warp, const void *ctx)
{
    (void)ctx;
    for (unsigned i = 0; i < LOOPS; i++)
        synth_emit_span(warp, 0, CHAIN + 1);
    synth_emit_span(warp, CHAIN + 1, 1);
}

/* Launches of blocks that all execute the same. */
static synth_t *program(uint32_t blocks, unsigned launches)
{
    synth_t *s = synth_create();
    for (unsigned n = 0; n < launches; n++) {
        synth_kernel_t *k = synth_kernel_create(
            s, "work", &(synth_shape_t){.grid = {blocks}, .block = {32 * WARPS}, .regs = 32});
        for (unsigned i = 0; i < CHAIN; i++)
            synth_code(k, "FFMA", "R1", "R1 R2 R3");
        synth_code(k, "BRA", "", "");
        synth_code(k, "EXIT", "", "");
        synth_kernel_body(k, body, NULL);
    }
    return s;
}

static void a_launch_of_one_wave_goes_on_while_its_blocks_run(void **state)
{
    const run_plan_t plan = {.first = 1};
    (void)state;
    synth_t *s = program(4, 1);
    run_noted(synth_source(s), &plan);
    for (size_t i = 0; i < says.n; i++) {
        const gpu_progress_t *p = &says.said[i];
        const double share = (double)p->warp_insts / (4.0 * BLOCK_INSTS);
        assert_true(p->share > share - 1e-9 && p->share < share + 1e-9);
        assert_true(p->launch_share == p->share);
    }
    assert_true(says.said[0].share < 0.3);
    assert_true(says.said[says.n - 1].share > 0.8);
    synth_destroy(s);
}

static void blocks_that_still_wait_count_like_those_that_were_sent(void **state)
{
    const run_plan_t plan = {.first = 1};
    (void)state;
    synth_t *s = program(200, 1);
    run_noted(synth_source(s), &plan);
    for (size_t i = 0; i < says.n; i++) {
        const gpu_progress_t *p = &says.said[i];
        const double share = (double)p->warp_insts / (200.0 * BLOCK_INSTS);
        assert_true(p->share > share - 1e-9 && p->share < share + 1e-9);
    }
    synth_destroy(s);
}

static void the_share_is_that_of_the_launches_asked_for(void **state)
{
    static const uint64_t ids[] = {2, 3, 5};
    run_plan_t plan = {.first = 1, .launch_ids = ids, .n_launch_ids = 3};
    (void)state;
    synth_t *s = program(4, 40);
    run_noted(synth_source(s), &plan);
    assert_true(says.said[0].share < 0.1);
    assert_true(says.said[says.n - 1].share > 0.9);
    assert_int_equal(says.said[says.n - 1].launches_total, 3);
    assert_int_equal(says.said[says.n - 1].launches_done, 2);
    /* Continued after launch 3: two of three are done. */
    plan.first = 4;
    run_noted(synth_source(s), &plan);
    assert_true(says.said[0].share > 0.66 && says.said[0].share < 0.75);
    assert_int_equal(says.said[0].launches_total, 3);
    assert_int_equal(says.said[0].launches_done, 2);
    synth_destroy(s);
}

/* Launches grow with their index: the first is a small part of the whole. */
static void index_size(trace_source_t *s, uint64_t id, launch_size_t *out)
{
    (void)s;
    out->warp_insts = id == 1 ? 4ull * BLOCK_INSTS : 12ull * BLOCK_INSTS;
}

static void launches_weigh_what_an_index_tells(void **state)
{
    static const uint64_t first[] = {1}, both[] = {1, 2};
    const run_plan_t one = {.first = 1, .launch_ids = first, .n_launch_ids = 1};
    const run_plan_t two = {.first = 1, .launch_ids = both, .n_launch_ids = 2};
    (void)state;
    synth_t *s = program(4, 2);
    trace_source_t source = *synth_source(s);
    trace_source_ops_t ops = *source.ops;
    ops.launch_size = index_size;
    synth_source(s)->ops = &ops;
    run_noted(synth_source(s), &one);
    const double alone = says.said[0].share;
    run_noted(synth_source(s), &two);
    assert_true(says.said[0].launches_done == 0);
    assert_true(says.said[0].share > 0.2499 * alone && says.said[0].share < 0.2501 * alone);
    synth_source(s)->ops = source.ops;
    synth_destroy(s);
}

static void what_a_sampler_leaves_out_is_done(void **state)
{
    inside_t inside;
    const block_scheduler_t b = {
        .inside = &inside, .n_blocks = 20, .sent = 10, .sent_insts = 1000, .held = 2, .skipped = 3};
    const run_progress_t known = {.launch_insts = 2400}, unknown = {0};
    (void)state;
    /* Half of the others are skipped: 700 of 1,400 known instructions, 500 of 1,000 guessed. */
    assert_true(run_progress_of_launch(&known, &b, 500) == 1200.0 / 2400.0);
    assert_true(run_progress_of_launch(&unknown, &b, 500) == 1000.0 / 2000.0);
    const block_scheduler_t none = {.inside = &inside, .n_blocks = 20};
    assert_true(run_progress_of_launch(&unknown, &none, 0) == 0.0);
}

/* The first line that is printed for it. Free it. */
static char *drawn(const gpu_progress_t *g)
{
    progress_line_t line;
    int saved = dup(STDERR_FILENO), fd = open("drawn", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(saved >= 0 && fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    progress_line_begin(&line, PROGRESS_ALWAYS);
    progress_line_update(&line, g);
    progress_line_end(&line);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(fd);
    close(saved);
    return cli_read("drawn");
}

static void a_run_without_a_known_end_shows_its_launch(void **state)
{
    gpu_progress_t g = {.launch_id = 7, .launches_done = 6, .launch_share = 0.5, .share = -1.0};
    (void)state;
    char *line = drawn(&g);
    assert_non_null(strstr(line, "\rlaunch 7: 50.0 %"));
    assert_non_null(strstr(line, " gone  "));
    assert_null(strstr(line, "left"));
    assert_null(strstr(line, "7/"));
    free(line);
    g.share = 0.25;
    g.launches_total = 24;
    line = drawn(&g);
    assert_non_null(strstr(line, " 25.0 %  launch 7/24 "));
    assert_non_null(strstr(line, " left  "));
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_of_one_wave_goes_on_while_its_blocks_run),
        cmocka_unit_test(blocks_that_still_wait_count_like_those_that_were_sent),
        cmocka_unit_test(the_share_is_that_of_the_launches_asked_for),
        cmocka_unit_test(launches_weigh_what_an_index_tells),
        cmocka_unit_test(what_a_sampler_leaves_out_is_done),
        cmocka_unit_test(a_run_without_a_known_end_shows_its_launch),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
