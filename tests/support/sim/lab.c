#include "tests/support/sim/lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/trace/spec_load.h"

gpu_spec_t lab_spec(const char *gpu, const char *const *overrides)
{
    gpu_spec_t spec;
    rb_err_t err = {0};

    if (spec_load(&spec, gpu, overrides, &err) != RB_OK)
        fail_msg("%s", err.text);
    return spec;
}

static rb_code_t keep_result(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    lab_results_t *out = ctx;

    if (out->n == LAB_MAX_LAUNCHES)
        return rb_fail(err, RB_USAGE, "more than %d launches", LAB_MAX_LAUNCHES);
    out->launch[out->n++] = *r;
    return RB_OK;
}

void lab_run(const gpu_spec_t *spec, trace_source_t *source, int threads, cycle_t window,
             lab_results_t *out)
{
    lab_run_sampled(spec, source, threads, window, NULL, 0, out);
}

/* Runs every launch; errors from callbacks fail the test. */
static void run(const gpu_spec_t *spec, trace_source_t *source, int threads, cycle_t window,
                const run_plan_t *plan, const gpu_callbacks_t *callbacks)
{
    gpu_t *gpu = gpu_create(spec, threads, window);
    rb_err_t err = {0};
    rb_code_t rc = gpu_run(gpu, source, plan, callbacks, &err);

    gpu_destroy(gpu);
    if (rc != RB_OK)
        fail_msg("%s", err.text);
}

void lab_run_sampled(const gpu_spec_t *spec, trace_source_t *source, int threads, cycle_t window,
                     const sampler_t *samplers, size_t n_samplers, lab_results_t *out)
{
    run_plan_t plan = {.first = 1, .inside = samplers, .n_inside = n_samplers};
    gpu_callbacks_t callbacks = {.ctx = out, .launch_done = keep_result};

    out->n = 0;
    run(spec, source, threads, window, &plan, &callbacks);
}

launch_result_t lab_run_one(const gpu_spec_t *spec, synth_t *s)
{
    static lab_results_t results;

    lab_run(spec, synth_source(s), 1, 0, &results);
    synth_destroy(s);
    assert_int_equal(results.n, 1);
    return results.launch[0];
}

/* --- straight-line programs ------------------------------------------------------------------ */

typedef struct {
    unsigned n;
} straight_ctx_t;

static void straight_body(synth_warp_t *w, const void *ctx)
{
    synth_emit_span(w, 0, ((const straight_ctx_t *)ctx)->n);
}

launch_result_t lab_straight(const gpu_spec_t *spec, uint32_t blocks, uint32_t threads,
                             const lab_op_t *ops, size_t n_ops, unsigned repeats)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "straight",
        &(synth_shape_t){.arch = spec->gpu.arch, .grid = {blocks}, .block = {threads}, .regs = 32});
    straight_ctx_t ctx;

    for (unsigned r = 0; r < repeats; r++)
        for (size_t i = 0; i < n_ops; i++)
            synth_code(k, ops[i].mnemonic, ops[i].dst, ops[i].src);
    ctx.n = synth_code(k, "EXIT", "", "") + 1;
    synth_kernel_body(k, straight_body, &ctx);
    return lab_run_one(spec, s);
}

double lab_straight_slope(const gpu_spec_t *spec, uint32_t blocks, uint32_t threads,
                          const lab_op_t *ops, size_t n_ops)
{
    launch_result_t few = lab_straight(spec, blocks, threads, ops, n_ops, LAB_SLOPE_REPEATS);
    launch_result_t many = lab_straight(spec, blocks, threads, ops, n_ops, 2 * LAB_SLOPE_REPEATS);

    return (double)(launch_result_cycles(&many) - launch_result_cycles(&few)) / LAB_SLOPE_REPEATS;
}

/* --- memory programs ------------------------------------------------------------------------- */

static unsigned access_copies(const lab_access_t *a)
{
    return a->op.dst ? 1 : LAB_ROTATE;
}

static void access_body(synth_warp_t *w, const void *ctx)
{
    const lab_access_t *a = ctx;
    uint64_t addrs[32];

    for (uint64_t step = 0; step < a->steps; step++) {
        unsigned n = 0;

        for (unsigned lane = 0; lane < 32; lane++) {
            if (a->mask >> lane & 1)
                addrs[n++] = a->address(a->ctx, w->global, lane, step);
        }
        synth_emit_list(w, (unsigned)(step % access_copies(a)), a->mask, addrs);
    }
    synth_emit(w, access_copies(a), (uint32_t)LAB_FULL);
}

void lab_access_add(synth_t *s, const gpu_spec_t *spec, const lab_access_t *a)
{
    static lab_access_t copies[LAB_MAX_LAUNCHES];
    static size_t next;
    lab_access_t *copy = &copies[next++ % LAB_MAX_LAUNCHES];
    synth_kernel_t *k = synth_kernel_create(s, "access",
                                            &(synth_shape_t){.arch = spec->gpu.arch,
                                                             .grid = {a->blocks},
                                                             .block = {a->threads},
                                                             .regs = a->regs,
                                                             .shared = a->shared});

    *copy = *a;
    for (unsigned i = 0; i < access_copies(a); i++) {
        char reg[8];

        /* Four apart: the widest access writes four registers. */
        snprintf(reg, sizeof(reg), "R%u", 16 + 4 * i);
        synth_code(k, a->op.mnemonic, a->op.dst ? a->op.dst : reg, a->op.src);
    }
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, access_body, copy);
}

launch_result_t lab_access(const gpu_spec_t *spec, const lab_access_t *a)
{
    synth_t *s = synth_create();

    lab_access_add(s, spec, a);
    return lab_run_one(spec, s);
}

double lab_access_slope(const gpu_spec_t *spec, lab_access_t a)
{
    uint64_t steps = a.steps;
    launch_result_t few = lab_access(spec, &a);

    a.steps = 2 * steps;
    launch_result_t many = lab_access(spec, &a);
    return ((double)launch_result_cycles(&many) - (double)launch_result_cycles(&few)) /
           (double)steps;
}

/* --- results --------------------------------------------------------------------------------- */

static void hash_launch(sha256_t *h, const launch_result_t *l)
{
    uint64_t head[] = {l->info.id,     l->start,      l->end,          l->launch_cycles,
                       l->blocks,      l->warp_insts, l->thread_insts, l->warp_slot_cycles,
                       l->copied_bytes};

    sha256_update(h, head, sizeof(head));
    sha256_update(h, &l->sm, sizeof(l->sm));
    sha256_update(h, &l->l2, sizeof(l->l2));
    sha256_update(h, &l->dram, sizeof(l->dram));
}

void lab_hash(const lab_results_t *r, char text[SHA256_TEXT])
{
    sha256_t h;

    sha256_init(&h);
    for (size_t i = 0; i < r->n; i++)
        hash_launch(&h, &r->launch[i]);
    sha256_final_text(&h, text);
}

static rb_code_t hash_result(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    (void)err;
    hash_launch(ctx, r);
    return RB_OK;
}

void lab_run_hash(const gpu_spec_t *spec, trace_source_t *source, int threads,
                  char text[SHA256_TEXT])
{
    sha256_t h;
    run_plan_t plan = {.first = 1};
    gpu_callbacks_t callbacks = {.ctx = &h, .launch_done = hash_result};

    sha256_init(&h);
    run(spec, source, threads, 0, &plan, &callbacks);
    sha256_final_text(&h, text);
}

uint64_t lab_state_sum(const sm_stats_t *s)
{
    uint64_t values[STATE_COUNT];
    uint64_t sum = 0;

    memcpy(values, s, sizeof(values));
    for (size_t i = 0; i < STATE_COUNT; i++)
        sum += values[i];
    return sum;
}

uint64_t lab_state(const launch_result_t *r, sm_state_t state)
{
    uint64_t values[STATE_COUNT];

    memcpy(values, &r->sm, sizeof(values));
    return values[state];
}

void lab_assert_near(double got, double want, double relative, const char *what)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%s: got %g, the law says %g within %g %%", what, got, want, relative * 100);
}

void lab_assert_equal(double got, double want, const char *what)
{
    if (got < want || got > want)
        fail_msg("%s: got %g, the law says %g", what, got, want);
}
