#include "bench/bench_startup.h"

#include <stdio.h>

#include "sim/core/host_time.h"
#include "tests/support/trace/synth.h"

static void exit_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit(w, 0, (uint32_t)SYNTH_FULL_MASK);
}

trace_source_t *bench_startup_open(const void *ctx, rb_err_t *err)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "idle", &(synth_shape_t){.arch = 70, .grid = {1}, .block = {32}, .regs = 16});
    (void)ctx, (void)err;
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, exit_body, NULL);
    return synth_source(s);
}

static rb_code_t run_once(const gpu_spec_t *spec, double *wall, double *cpu, rb_err_t *err)
{
    trace_source_t *source = bench_startup_open(NULL, err);
    run_plan_t plan = {.first = 1};
    gpu_callbacks_t callbacks = {0};
    *wall = -clock_seconds();
    *cpu = -clock_cpu_seconds();
    gpu_t *gpu = gpu_create(spec, 1, 0);
    rb_code_t rc = gpu_run(gpu, source, &plan, &callbacks, err);
    gpu_destroy(gpu);
    *cpu += clock_cpu_seconds();
    *wall += clock_seconds();
    source->ops->destroy(source);
    return rc;
}

rb_code_t bench_startup(const gpu_spec_t *spec, unsigned repeats, rb_err_t *err)
{
    double wall[BENCH_MAX_REPEATS], cpu[BENCH_MAX_REPEATS];
    if (repeats < 1)
        repeats = 1;
    if (repeats > BENCH_MAX_REPEATS)
        repeats = BENCH_MAX_REPEATS;
    for (unsigned i = 0; i < repeats; i++)
        RB_TRY(run_once(spec, &wall[i], &cpu[i], err));
    printf("start-up (chip, an idle launch, end): %.2f ms of processor time, %.2f ms in all\n",
           1e3 * bench_median(cpu, repeats), 1e3 * bench_median(wall, repeats));
    return RB_OK;
}
