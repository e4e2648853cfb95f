/* Generated kernels against traces of the same kernels that ship with rubato. */
#include <stdio.h>
#include <string.h>

#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/gen/gen.h"
#include "tests/support/test.h"
#include "tests/support/trace/stream_check.h"

static trace_source_t *generate(const char *kind, unsigned arch, uint64_t size,
                                const char *const *params, size_t n_params)
{
    rb_err_t err = {0};
    gen_spec_t spec = {
        .kind = kind, .arch = arch, .size = size, .params = params, .n_params = n_params};
    trace_source_t *s = gen_open(&spec, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    return s;
}

static trace_source_t *traced(const char *name)
{
    rb_err_t err = {0};
    trace_source_t *s = accelsim_open(name, NULL, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    return s;
}

/* An open launch 1 and its facts. */
typedef struct {
    trace_source_t *source;
    trace_launch_t *launch;
    launch_info_t info;
} reading_t;

static reading_t start(trace_source_t *s)
{
    reading_t r = {.source = s};
    rb_err_t err = {0};

    if (s->ops->launch_info(s, 1, &r.info, &err) != RB_OK ||
        s->ops->open(s, 1, &r.launch, &err) != RB_OK)
        fail_msg("%s", err.text);
    return r;
}

static trace_block_t *read_block(reading_t *r, uint64_t index)
{
    rb_err_t err = {0};
    trace_block_t *b = NULL;

    if (r->source->ops->get_block(r->launch, index, &b, &err) != RB_OK)
        fail_msg("%s", err.text);
    return b;
}

static void stop(reading_t *r)
{
    r->source->ops->close(r->launch);
    r->source->ops->destroy(r->source);
}

static void assert_same_launch(const launch_info_t *a, const launch_info_t *b)
{
    assert_string_equal(a->name, b->name);
    assert_memory_equal(a->grid, b->grid, sizeof(a->grid));
    assert_memory_equal(a->block, b->block, sizeof(a->block));
    assert_int_equal(a->regs, b->regs);
    assert_int_equal(a->shared_bytes, b->shared_bytes);
    assert_int_equal(a->arch, b->arch);
    assert_int_equal(a->shared_base, b->shared_base);
    assert_int_equal(a->local_base, b->local_base);
}

static void assert_same_copies(trace_source_t *a, trace_source_t *b)
{
    const memcpy_op_t *x, *y;
    size_t n = a->ops->copies(a, 1, &x);

    assert_int_equal(b->ops->copies(b, 1, &y), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(x[i].addr, y[i].addr);
        assert_int_equal(x[i].bytes, y[i].bytes);
    }
}

static void assert_same_text(reading_t *a, const trace_block_t *x, reading_t *b,
                             const trace_block_t *y)
{
    uint32_t len_a = 0, len_b = 0;

    for (uint32_t i = 0; i < x->warps[0].n_runs && i < y->warps[0].n_runs; i++) {
        const inst_t *first_a = x->warps[0].runs[i].first, *first_b = y->warps[0].runs[i].first;
        const char *text_a = a->source->ops->inst_text(a->launch, first_a, &len_a);
        const char *text_b = b->source->ops->inst_text(b->launch, first_b, &len_b);

        if (first_a->pc != first_b->pc)
            continue; /* runs may be split differently */
        assert_int_equal(len_a, len_b);
        assert_memory_equal(text_a, text_b, len_a);
    }
}

/* Every field of every instruction, every mask and address, the launch's facts and the copies. */
static void assert_identical(trace_source_t *made, trace_source_t *read)
{
    assert_same_copies(made, read);
    reading_t a = start(made), b = start(read);

    assert_same_launch(&a.info, &b.info);
    for (uint64_t i = 0; i < a.info.n_blocks; i++) {
        trace_block_t *x = read_block(&a, i), *y = read_block(&b, i);

        stream_check_block(&a.info, x, NULL);
        stream_check_block(&b.info, y, NULL);
        if (!stream_blocks_equal(x, y))
            fail_msg("%s: block %u differs from the trace", a.info.name, (unsigned)i);
        assert_same_text(&a, x, &b, y);
        a.source->ops->free_block(a.launch, x);
        b.source->ops->free_block(b.launch, y);
    }
    stop(&a);
    stop(&b);
}

static void assert_near(uint64_t got, uint64_t want, double relative)
{
    double off = (double)got / (double)want - 1;

    if (off > relative || off < -relative)
        fail_msg("%llu, the trace has %llu", (unsigned long long)got, (unsigned long long)want);
}

static void vecadd_is_the_traced_one(void **state)
{
    (void)state;
    assert_identical(generate("vecadd", 70, 262144, NULL, 0),
                     traced(RUBATO_ROOT "/traces/vecadd-sm70"));
    assert_identical(generate("vecadd", 75, 262144, NULL, 0),
                     traced(RUBATO_ROOT "/traces/vecadd-sm75"));
}

static void matmul_is_the_traced_one(void **state)
{
    (void)state;
    assert_identical(generate("matmul", 70, 160, NULL, 0),
                     traced(RUBATO_ROOT "/traces/matmul-sm70"));
}

static void transpose_is_the_traced_one(void **state)
{
    (void)state;
    assert_identical(generate("transpose", 70, 512, NULL, 0),
                     traced(RUBATO_ROOT "/traces/transpose_tiled-sm70"));
}

static void softmax_is_the_traced_one(void **state)
{
    (void)state;
    assert_identical(generate("softmax", 70, 256, NULL, 0),
                     traced(RUBATO_ROOT "/traces/softmax-sm70"));
}

static stream_counts_t count(trace_source_t *s)
{
    stream_counts_t c = {0};

    stream_check_source(s, &c);
    s->ops->destroy(s);
    return c;
}

/* Only the bins depend on the data. */
static void assert_same_but_bins(unsigned arch, const char *name)
{
    stream_counts_t made = count(generate("histogram", arch, 65536, NULL, 0));
    stream_counts_t read = count(traced(name));

    assert_int_equal(made.blocks, read.blocks);
    assert_int_equal(made.thread_insts, read.thread_insts);
    assert_memory_equal(made.opcode, read.opcode, sizeof(made.opcode));
    assert_memory_equal(made.requests, read.requests, sizeof(made.requests));
    assert_int_equal(made.sectors[MEM_GLOBAL], read.sectors[MEM_GLOBAL]);
    assert_int_equal(made.lines[MEM_GLOBAL], read.lines[MEM_GLOBAL]);
    assert_int_equal(made.load_sectors, read.load_sectors);
    assert_int_equal(made.lowest_address, read.lowest_address);
    assert_int_equal(made.highest_address, read.highest_address);
    assert_near(made.sectors[MEM_SHARED], read.sectors[MEM_SHARED], 0.01);
}

static void histogram_differs_from_the_traced_one_in_its_data_only(void **state)
{
    (void)state;
    assert_same_but_bins(70, RUBATO_ROOT "/traces/histo-sm70");
    assert_same_but_bins(75, RUBATO_ROOT "/traces/histo-sm75");
}

/*
 * The traced loop is unrolled and its matrix is another one. Per entry, memory accesses and
 * floating-point operations are the same; there are fewer other instructions.
 */
static void spmv_uses_memory_like_the_traced_one(void **state)
{
    const char *params[] = {"degree=15", "skew=2", "vector=1"};
    stream_counts_t made = count(generate("spmv", 70, 4096, params, 3));
    stream_counts_t read = count(traced(RUBATO_ROOT "/traces/spmv_vector-sm70"));

    (void)state;
    assert_int_equal(made.blocks, read.blocks);
    assert_int_equal(made.store_sectors, read.store_sectors);
    assert_near(made.requests[MEM_GLOBAL], read.requests[MEM_GLOBAL], 0.1);
    assert_near(made.sectors[MEM_GLOBAL], read.sectors[MEM_GLOBAL], 0.1);
    assert_near(made.lines[MEM_GLOBAL], read.lines[MEM_GLOBAL], 0.1);
    assert_near(made.lanes[OP_FP32], read.lanes[OP_FP32], 0.05);
    assert_near(made.warp_insts, read.warp_insts, 0.4);
}

/* The compiler schedules and allocates registers differently for sm_75; the generator does not. */
static void turing_code_is_like_the_traced_one(void **state)
{
    static const struct {
        const char *kind, *trace;
        uint64_t size;
    } cases[] = {{"matmul", RUBATO_ROOT "/traces/matmul-sm75", 160},
                 {"transpose", RUBATO_ROOT "/traces/transpose_tiled-sm75", 512},
                 {"softmax", RUBATO_ROOT "/traces/softmax-sm75", 256}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        stream_counts_t made = count(generate(cases[i].kind, 75, cases[i].size, NULL, 0));
        stream_counts_t read = count(traced(cases[i].trace));

        assert_near(made.warp_insts, read.warp_insts, 0.04);
        assert_memory_equal(made.requests, read.requests, sizeof(made.requests));
        assert_memory_equal(made.sectors, read.sectors, sizeof(made.sectors));
        assert_int_equal(made.mix[MIX_FP32], read.mix[MIX_FP32]);
        assert_int_equal(made.opcode[OP_BARRIER], read.opcode[OP_BARRIER]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vecadd_is_the_traced_one),
        cmocka_unit_test(matmul_is_the_traced_one),
        cmocka_unit_test(transpose_is_the_traced_one),
        cmocka_unit_test(softmax_is_the_traced_one),
        cmocka_unit_test(histogram_differs_from_the_traced_one_in_its_data_only),
        cmocka_unit_test(spmv_uses_memory_like_the_traced_one),
        cmocka_unit_test(turing_code_is_like_the_traced_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
