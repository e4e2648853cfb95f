/* Generated kernels against traces of the same kernels that ship with rubato. */
#include <stdio.h>
#include <string.h>

#include "frontend/accelsim/accelsim.h"
#include "frontend/gen/gen.h"
#include "tests/support/stream_check.h"
#include "tests/support/test.h"

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
        a.source->ops->free_block(a.launch, x);
        b.source->ops->free_block(b.launch, y);
    }
    stop(&a);
    stop(&b);
}

static void vecadd_is_the_traced_one(void **state)
{
    (void)state;
    assert_identical(generate("vecadd", 70, 262144, NULL, 0),
                     traced(RUBATO_ROOT "/traces/vecadd-sm70"));
    assert_identical(generate("vecadd", 75, 262144, NULL, 0),
                     traced(RUBATO_ROOT "/traces/vecadd-sm75"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vecadd_is_the_traced_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
