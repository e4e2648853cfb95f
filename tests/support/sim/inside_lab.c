#include "tests/support/sim/inside_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sampling/inside/inside_sampler.h"

unsigned work_passes(const work_t *w, uint64_t block)
{
    if (w->rare > 0 && block % w->rare == w->rare - 1)
        return w->rare_loops;
    if (w->irregular == 0)
        return w->loops == 0 ? 1 : w->loops;
    if (w->growing)
        return 1 + (unsigned)(block * w->irregular / w->blocks);
    return 1 + (unsigned)(synth_mix(block) % w->irregular);
}

static void work_body(synth_warp_t *warp, const void *ctx)
{
    const work_t *w = ctx;
    for (unsigned i = work_passes(w, warp->block); i > 0; i--)
        synth_emit_span(warp, 0, WORK_CHAIN + 1);
    synth_emit_span(warp, WORK_CHAIN + 1, 1);
}

synth_t *work_program(const work_t *w, uint32_t threads, uint32_t shared)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "work",
        &(synth_shape_t){
            .grid = {(uint32_t)w->blocks}, .block = {threads}, .regs = 32, .shared = shared});
    for (unsigned i = 0; i < WORK_CHAIN; i++)
        synth_code(k, "FFMA", "R1", "R1 R2 R3");
    synth_code(k, "BRA", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, work_body, w);
    return s;
}

static uint64_t streaming(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    return 0x10000000 + ((warp * 8 + step) * 32 + lane) * 4;
}

synth_t *stream_program(const gpu_spec_t *spec, uint32_t blocks)
{
    synth_t *s = synth_create();
    const lab_access_t a = {.op = {"LDG.E", NULL, "R2"},
                            .blocks = blocks,
                            .threads = 128,
                            .regs = 64,
                            .mask = 0xffffffff,
                            .steps = 8,
                            .address = streaming};
    lab_access_add(s, spec, &a);
    return s;
}

void run_sampled_into(const gpu_spec_t *spec, trace_source_t *source, int threads, cycle_t window,
                      const char *samplers, lab_results_t *results)
{
    inside_list_t list = {0};
    rb_err_t err = {0};
    char items[256], *at = items;
    snprintf(items, sizeof(items), "%s", samplers);
    for (const char *item; (item = strsep(&at, " ")) != NULL;) {
        if (item[0] != '\0' && inside_list_add(&list, item, 1, &err) != RB_OK)
            fail_msg("%s", err.text);
    }
    lab_run_sampled(spec, source, threads, window, list.samplers, list.n, results);
    inside_list_free(&list);
    assert_int_equal(results->n, 1);
}

launch_result_t run_sampled_source(const gpu_spec_t *spec, trace_source_t *source, int threads,
                                   cycle_t window, const char *samplers)
{
    static lab_results_t results;
    run_sampled_into(spec, source, threads, window, samplers, &results);
    return results.launch[0];
}

launch_result_t run_sampled(const gpu_spec_t *spec, synth_t *s, int threads, cycle_t window,
                            const char *samplers)
{
    return run_sampled_source(spec, synth_source(s), threads, window, samplers);
}

double relative_error(const launch_result_t *got, const launch_result_t *want)
{
    return fabs((double)launch_result_cycles(got) / (double)launch_result_cycles(want) - 1);
}
