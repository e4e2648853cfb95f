#include "tests/support/sim/clock_lab.h"

#include <string.h>

static rb_code_t keep_reads(void *ctx, const launch_info_t *info, const clock_read_t *reads,
                            size_t n, rb_err_t *err)
{
    clock_lab_t *out = ctx;

    assert_int_equal(info->id, 1);
    if (n > CLOCK_LAB_MAX)
        return rb_fail(err, RB_USAGE, "more than %d clock reads", CLOCK_LAB_MAX);
    out->n = n;
    if (n > 0)
        memcpy(out->read, reads, n * sizeof(*reads));
    return RB_OK;
}

static rb_code_t keep_result(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    (void)err;
    ((clock_lab_t *)ctx)->result = *r;
    return RB_OK;
}

clock_lab_t clock_lab_run(const gpu_spec_t *spec, synth_t *s, int threads, cycle_t window, bool ask)
{
    gpu_t *gpu = gpu_create(spec, threads, window);
    clock_lab_t out = {0};
    run_plan_t plan = {.first = 1};
    gpu_callbacks_t callbacks = {
        .ctx = &out, .launch_done = keep_result, .clock_reads = ask ? keep_reads : NULL};
    rb_err_t err = {0};
    rb_code_t rc = gpu_run(gpu, synth_source(s), &plan, &callbacks, &err);

    gpu_destroy(gpu);
    synth_destroy(s);
    if (rc != RB_OK)
        fail_msg("%s", err.text);
    return out;
}
