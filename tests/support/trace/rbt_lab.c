#include "tests/support/trace/rbt_lab.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/stream_check.h"

typedef struct {
    rbt_lab_launch_t shape;
    unsigned start, load, wide, gather, local, shared, atomic, math, skip, branch, barrier, end;
} body_t;

enum { BODIES_MAX = 4096 };

static body_t bodies[BODIES_MAX];

static uint32_t mask_of(const body_t *b, uint64_t seed)
{
    return b->shape.random ? (uint32_t)synth_mix(seed) : UINT32_MAX;
}

static void gather(synth_warp_t *w, const body_t *b, uint64_t seed, uint32_t mask)
{
    uint64_t addr[32];
    bool far = seed % 5 == 0;

    for (unsigned k = 0; k < 32; k++) {
        uint64_t r = b->shape.random ? synth_mix(seed * 32 + k) : (uint64_t)k * k;

        addr[k] = UINT64_C(0x7f0000000000) + (far && b->shape.random ? r : r % 100000 * 4);
    }
    synth_emit_list(w, b->gather, mask, addr);
}

static void step(synth_warp_t *w, const body_t *b, uint64_t i)
{
    uint64_t seed = w->global * 1000003 + i, at = w->global * 128 + i * 65536;
    uint32_t mask = mask_of(b, seed), uneven = mask & 0x0ff00ff0u;
    uint64_t rows[32];

    synth_emit_affine(w, b->load, UINT32_MAX, UINT64_C(0x700000000000) + at, 4);
    synth_emit_affine(w, b->wide, mask != 0 ? mask : 1, UINT64_C(0x710000000000) + 2 * at, -16);
    gather(w, b, seed, mask | 1);
    for (unsigned k = 0; k < 32; k++) /* each lane walks along its own row */
        rows[k] = UINT64_C(0x720000000000) + k * k * 4096 + i * 4;
    synth_emit_list(w, b->gather, UINT32_MAX >> (i % 32), rows);
    synth_emit_affine(w, b->local, UINT32_MAX, 16 * i, 0);
    synth_emit(w, b->math, uneven);
    synth_emit_affine(w, b->shared, UINT32_MAX, w->warp * 128, 4);
    if (uneven != 0)
        synth_emit_affine(w, b->atomic, uneven, UINT64_C(0x730000000000) + seed % 64 * 4, 0);
    else
        synth_emit(w, b->atomic, 0);
    synth_emit(w, b->branch, UINT32_MAX);
    if (seed % 3 == 0)
        synth_emit_span(w, b->skip, 2);
}

static void run_body(synth_warp_t *w, const void *ctx)
{
    const body_t *b = ctx;
    uint32_t loops = b->shape.loops;

    if (b->shape.random)
        loops = 1 + (uint32_t)(synth_mix(w->global) % loops);
    synth_emit_span(w, b->start, 3);
    for (uint32_t i = 0; i < loops; i++)
        step(w, b, i);
    synth_emit(w, b->barrier, UINT32_MAX);
    synth_emit(w, b->end, UINT32_MAX);
}

static void write_code(synth_kernel_t *k, body_t *b)
{
    b->start = synth_code(k, "MOV", "R1", "");
    synth_code(k, "S2R", "R0", "");
    synth_code(k, "IMAD.WIDE", "R2", "R0 R1");
    b->load = synth_code(k, "LDG.E.SYS", "R4", "R2");
    b->wide = synth_code(k, "LDG.E.128.SYS", "R8", "R2");
    b->gather = synth_code(k, "LDG.E.SYS", "R5", "R6");
    b->local = synth_code(k, "STL", "", "R1 R4");
    b->math = synth_code(k, "FFMA", "R4", "R5 R4 R5");
    b->shared = synth_code(k, "STS", "", "R0 R4");
    b->atomic = synth_code(k, "RED.E.ADD.STRONG.GPU", "", "R2 R4");
    b->branch = synth_code(k, "BRA", "", "");
    b->skip = synth_code_imm(k, "IADD3", 5);
    synth_code_const(k, "MOV", "R3", 3, 0x160);
    b->barrier = synth_code(k, "BAR.SYNC", "", "");
    b->end = synth_code(k, "EXIT", "", "");
}

synth_t *rbt_lab_program(const rbt_lab_launch_t *launches, size_t n)
{
    synth_t *s = synth_create();

    for (size_t i = 0; i < n; i++) {
        const rbt_lab_launch_t *l = &launches[i];
        char name[32];
        synth_shape_t shape = {.grid = {l->blocks, 1, 1}, .block = {l->threads, 1, 1}, .regs = 32};

        for (unsigned c = 0; c < l->copies; c++)
            synth_memcpy(s, UINT64_C(0x7f0000000000) + i * 4096, 256 * (c + 1));
        snprintf(name, sizeof(name), "kernel%zu", i % 3);
        synth_kernel_t *k = synth_kernel_create(s, name, &shape);
        body_t *b = &bodies[i % BODIES_MAX];

        *b = (body_t){.shape = *l};
        write_code(k, b);
        synth_kernel_body(k, run_body, b);
    }
    return s;
}

void rbt_lab_store(trace_source_t *source, const char *path, unsigned threads)
{
    rb_err_t err = {0};
    rbt_stored_t stored;
    const rbt_store_options_t o = {.path = path, .writer = {.threads = threads, .overwrite = true}};

    if (rbt_store(source, &o, &stored, &err) != RB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(stored.launches, source->ops->n_launches(source));
}

const char *rbt_lab_store_temp(trace_source_t *source)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s", temp_path("launch.rbt"));
    rbt_lab_store(source, path, 1);
    return path;
}

trace_source_t *rbt_lab_open(const char *path)
{
    rb_err_t err = {0};
    trace_source_t *s = rbt_open(path, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    return s;
}

/* --- comparison ------------------------------------------------------------------------------ */

/* A launch open in two sources. */
typedef struct {
    trace_source_t *source;
    trace_launch_t *launch;
    launch_info_t info;
} side_t;

static void open_side(side_t *x, trace_source_t *source, uint64_t id)
{
    rb_err_t err = {0};

    x->source = source;
    if (source->ops->launch_info(source, id, &x->info, &err) != RB_OK ||
        source->ops->open(source, id, &x->launch, &err) != RB_OK)
        fail_msg("%s", err.text);
}

static void same_facts(const launch_info_t *a, const launch_info_t *b)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->trace_id, b->trace_id);
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->code_id, b->code_id);
    assert_memory_equal(a->grid, b->grid, sizeof(a->grid));
    assert_memory_equal(a->block, b->block, sizeof(a->block));
    assert_int_equal(a->regs, b->regs);
    assert_int_equal(a->shared_bytes, b->shared_bytes);
    assert_int_equal(a->arch, b->arch);
    assert_int_equal(a->stream, b->stream);
    assert_int_equal(a->shared_base, b->shared_base);
    assert_int_equal(a->local_base, b->local_base);
    assert_int_equal(a->n_blocks, b->n_blocks);
}

static void same_copies(trace_source_t *a, trace_source_t *b, uint64_t id)
{
    const memcpy_op_t *x = NULL, *y = NULL;
    size_t n = a->ops->copies(a, id, &x);

    assert_int_equal(n, b->ops->copies(b, id, &y));
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(x[i].addr, y[i].addr);
        assert_int_equal(x[i].bytes, y[i].bytes);
    }
}

static trace_block_t *get(const side_t *x, uint64_t index)
{
    rb_err_t err = {0};
    trace_block_t *b = NULL;

    if (x->source->ops->get_block(x->launch, index, &b, &err) != RB_OK)
        fail_msg("%s", err.text);
    return b;
}

/* The instruction after position n of a warp. */
static const inst_t *inst_at(const warp_stream_t *w, uint64_t n)
{
    uint32_t r = 0;

    for (; n >= w->runs[r].count; r++)
        n -= w->runs[r].count;
    return w->runs[r].first + n;
}

/* Source lines; a source that does not know them equals one without any. */
static void same_line(const side_t *a, const side_t *b, const inst_t *x, const inst_t *y)
{
    source_line_t s = {0}, t = {0};
    bool known = a->source->ops->inst_line != NULL && a->source->ops->inst_line(a->launch, x, &s);
    bool also = b->source->ops->inst_line != NULL && b->source->ops->inst_line(b->launch, y, &t);

    if (known != also || (known && (s.line != t.line || strcmp(s.file, t.file) != 0)))
        fail_msg("pc 0x%x, line %u and %u", x->pc, known ? s.line : 0, also ? t.line : 0);
}

/* Texts and lines of the instructions of the first warp; the source's are checked once for each block. */
static void same_texts(const side_t *a, const side_t *b, const trace_block_t *x,
                       const trace_block_t *y)
{
    enum { INSTS = 200 };

    if (a->source->ops->inst_text == NULL)
        return;
    for (uint64_t i = 0; i < x->warps[0].n_insts && i < INSTS; i++) {
        uint32_t n = 0, m = 0;
        same_line(a, b, inst_at(&x->warps[0], i), inst_at(&y->warps[0], i));
        const char *s = a->source->ops->inst_text(a->launch, inst_at(&x->warps[0], i), &n);
        const char *t = b->source->ops->inst_text(b->launch, inst_at(&y->warps[0], i), &m);

        assert_int_equal(s == NULL, t == NULL);
        assert_int_equal(n, m);
        if (s != NULL)
            assert_memory_equal(s, t, n);
    }
}

static void same_launch(side_t *a, side_t *b)
{
    same_facts(&a->info, &b->info);
    for (uint64_t i = 0;; i++) {
        trace_block_t *x = get(a, i), *y = get(b, i);

        assert_int_equal(x == NULL, y == NULL);
        if (x == NULL)
            return;
        stream_check_block(&b->info, y, NULL);
        assert_int_equal(x->index, y->index);
        if (!stream_blocks_equal(x, y))
            fail_msg("launch %u, block %u differ", (unsigned)a->info.id, (unsigned)i);
        same_texts(a, b, x, y);
        a->source->ops->free_block(a->launch, x);
        b->source->ops->free_block(b->launch, y);
    }
}

void rbt_lab_same(trace_source_t *a, trace_source_t *b)
{
    uint64_t n = a->ops->n_launches(a);

    assert_int_equal(n, b->ops->n_launches(b));
    for (uint64_t id = 1; id <= n; id++) {
        side_t x, y;

        same_copies(a, b, id);
        open_side(&x, a, id);
        open_side(&y, b, id);
        same_launch(&x, &y);
        a->ops->close(x.launch);
        b->ops->close(y.launch);
    }
    same_copies(a, b, n + 1);
}
