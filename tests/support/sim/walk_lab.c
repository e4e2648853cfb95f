#include "tests/support/sim/walk_lab.h"

#include "sim/gpu/gpu_internal.h"
#include "tests/support/input/gen_trial.h"
#include "tests/support/sim/lab.h"
#include "tests/support/test.h"

gpu_spec_t walk_lab_chip(void)
{
    return LAB_SPEC("rtx2060", "sm.count=6", "l2.size=768KiB", "l2.slices=12", "mem.partitions=6",
                    "warmup.mode=functional");
}

static rb_code_t keep_last(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    (void)err;
    *(launch_result_t *)ctx = *r;
    return RB_OK;
}

launch_result_t walk_lab_run(gpu_t *g, trace_source_t *source, const uint64_t *ids, size_t n)
{
    rb_err_t err = {0};
    launch_result_t last = {0};
    const run_plan_t plan = {.first = 1, .launch_ids = ids, .n_launch_ids = n, .last = ids[n - 1]};
    const gpu_callbacks_t callbacks = {.ctx = &last, .launch_done = keep_last};
    if (gpu_run(g, source, &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    return last;
}

launch_result_t walk_lab_run_all(gpu_t *g, trace_source_t *source, uint64_t from, uint64_t to)
{
    uint64_t ids[200];
    size_t n = 0;
    while (from <= to)
        ids[n++] = from++;
    return walk_lab_run(g, source, ids, n);
}

launch_touched_t walk_lab_to(gpu_t *g, trace_source_t *source, uint64_t at)
{
    launch_touched_t touched = {0};
    rb_err_t err = {0};
    if (gpu_warm_up(g, source, at, &touched, NULL, &err) != RB_OK)
        fail_msg("%s", err.text);
    return touched;
}

trace_source_t *walk_lab_kmeans(void)
{
    return GEN_OPEN("kmeans", 75, 2000, "iterations=20");
}

static void own_line_body(synth_warp_t *w, const void *ctx)
{
    const walk_lab_line_t *o = ctx;
    const uint64_t line = o->base + w->global * LINE_BYTES;
    if (o->writes == 0)
        synth_emit_affine(w, 0, (uint32_t)LAB_FULL, line, 4);
    for (unsigned i = 0; i < o->writes; i++)
        synth_emit_affine(w, 1, 0xff, line + i * SECTOR_BYTES, 4);
    synth_emit(w, 2, (uint32_t)LAB_FULL);
}

void walk_lab_add_lines(synth_t *s, const char *name, const walk_lab_line_t *o, uint32_t blocks)
{
    synth_kernel_t *k =
        synth_kernel_create(s, name, &(synth_shape_t){.arch = 75, .grid = {blocks}, .block = {32}});
    synth_code(k, "LDG.E.SYS", "R4", "R2");
    synth_code(k, "STG.E.SYS", "", "R2 R5");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, own_line_body, o);
}

enum { PLACES = 4, IN_PLACE = 8, APART = 0x8000, INST_BYTES = 16 };

static void all_places(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit_span(w, 0, PLACES * IN_PLACE + 1);
}

void walk_lab_add_jumps(synth_t *s)
{
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
