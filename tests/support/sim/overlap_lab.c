#include "tests/support/sim/overlap_lab.h"

#include <stdlib.h>
#include <string.h>

void program_begin(program_t *p)
{
    p->s = synth_create();
    p->n = 0;
    stream_builder_init(&p->b);
}

typedef struct {
    unsigned n;
} chain_t;

static chain_t chains[MAX_OPS];

static void chain_body(synth_warp_t *w, const void *ctx)
{
    synth_emit_span(w, 0, ((const chain_t *)ctx)->n + 1);
}

uint32_t program_chain(program_t *p, uint64_t stream, uint32_t blocks, uint32_t threads, unsigned n,
                       uint32_t shared)
{
    char name[32];
    snprintf(name, sizeof(name), "chain%u_%u_%u", threads, n, shared);
    synth_kernel_t *k = synth_kernel_create(p->s, name,
                                            &(synth_shape_t){.arch = 70,
                                                             .grid = {blocks},
                                                             .block = {threads},
                                                             .regs = 16,
                                                             .shared = shared,
                                                             .stream = stream});
    chains[p->n] = (chain_t){n};
    for (unsigned i = 0; i < n; i++)
        synth_code(k, "FADD", "R1", "R1 R2");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, chain_body, &chains[p->n]);
    return stream_builder_add(&p->b, stream,
                              (stream_op_t){.kind = STREAM_OP_LAUNCH, .launch = ++p->n});
}

static rb_code_t keep_result(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    told_t *t = ctx;
    (void)err;
    assert_true(t->results.n < LAB_MAX_LAUNCHES);
    t->results.launch[t->results.n++] = *r;
    return RB_OK;
}

static rb_code_t keep_times(void *ctx, const stream_graph_t *g, const stream_op_time_t *times,
                            const copy_counters_t *copies, rb_err_t *err)
{
    told_t *t = ctx;
    (void)err;
    assert_true(g->n <= MAX_OPS);
    t->n = g->n;
    memcpy(t->time, times, g->n * sizeof(*times));
    t->copies = *copies;
    return RB_OK;
}

gpu_callbacks_t program_callbacks(told_t *out)
{
    return (gpu_callbacks_t){.ctx = out, .launch_done = keep_result, .work_done = keep_times};
}

rb_code_t program_try(const gpu_spec_t *spec, program_t *p, const run_plan_t *plan, int threads,
                      cycle_t window, told_t *out, rb_err_t *err)
{
    const gpu_callbacks_t callbacks = program_callbacks(out);
    gpu_t *g = gpu_create(spec, threads, window);
    memset(out, 0, sizeof(*out));
    synth_order(p->s, &p->b.graph);
    rb_code_t rc = gpu_run(g, synth_source(p->s), plan, &callbacks, err);
    gpu_destroy(g);
    return rc;
}

void program_run_with(const gpu_spec_t *spec, program_t *p, const run_plan_t *plan, int threads,
                      cycle_t window, told_t *out)
{
    rb_err_t err = {0};
    if (program_try(spec, p, plan, threads, window, out, &err) != RB_OK)
        fail_msg("%s", err.text);
}

void program_run(const gpu_spec_t *spec, program_t *p, told_t *out)
{
    program_run_with(spec, p, &(run_plan_t){.first = 1}, 1, 0, out);
}

void program_end(program_t *p)
{
    synth_destroy(p->s);
    stream_builder_free(&p->b);
}

typedef struct {
    uint64_t base;
    unsigned steps;
    unsigned load, exit;
} stream_t;

static stream_t streams[MAX_OPS];

static void stream_body(synth_warp_t *w, const void *ctx)
{
    const stream_t *c = ctx;
    for (unsigned i = 0; i < c->steps; i++) {
        uint64_t addr[32];
        for (unsigned lane = 0; lane < 32; lane++)
            addr[lane] = c->base + ((w->global * c->steps + i) * 32 + lane) * 16;
        synth_emit_list(w, c->load, UINT32_MAX, addr);
    }
    synth_emit(w, c->exit, UINT32_MAX);
}

void program_streaming(program_t *p, uint64_t stream, uint32_t blocks, unsigned steps)
{
    stream_t *c = &streams[p->n];
    synth_kernel_t *k = synth_kernel_create(
        p->s, "stream",
        &(synth_shape_t){
            .arch = 70, .grid = {blocks}, .block = {256}, .regs = 32, .stream = stream});
    *c = (stream_t){.base = UINT64_C(0x7f0000000000) + (p->n << 32), .steps = steps};
    c->load = synth_code(k, "LDG.E.128", "R4", "R2");
    c->exit = synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, stream_body, c);
    stream_builder_add(&p->b, stream, (stream_op_t){.kind = STREAM_OP_LAUNCH, .launch = ++p->n});
}

uint32_t program_copy(program_t *p, uint64_t stream, stream_op_kind_t kind, uint64_t bytes)
{
    return stream_builder_add(&p->b, stream, (stream_op_t){.kind = (uint8_t)kind, .bytes = bytes});
}

void program_mixed(program_t *p)
{
    program_begin(p);
    program_copy(p, 1, STREAM_OP_TO_DEVICE, 100000);
    program_streaming(p, 1, 24, 8);
    program_streaming(p, 2, 24, 8);
    program_chain(p, 2, 9, 192, 70, 4096);
    program_chain(p, 3, 40, 96, 30, 0);
    stream_builder_host_stream(&p->b, 2);
    program_chain(p, 3, 5, 64, 90, 20000);
    program_chain(p, 4, 3, 1024, 40, 0);
    program_copy(p, 4, STREAM_OP_FROM_DEVICE, 5000);
    program_chain(p, STREAM_LEGACY, 10, 128, 20, 0);
    stream_builder_host_all(&p->b);
    program_chain(p, 2, 30, 512, 25, 0);
    program_chain(p, 3, 30, 512, 25, 0);
}
