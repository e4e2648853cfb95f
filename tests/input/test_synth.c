/* The source of synthetic programs, which other tests use. */
#include "tests/support/mix.h"
#include "tests/support/test.h"
#include "tests/support/trace/stream_check.h"

/* Blocks are generated on demand: always the same, whatever was requested in between. */
static void a_generated_block_is_the_same_every_time(void **state)
{
    synth_t *s = mix_create(1);
    trace_source_t *source = synth_source(s);
    trace_launch_t *l = NULL;
    trace_block_t *first = NULL, *other = NULL, *again = NULL;

    (void)state;
    assert_int_equal(source->ops->open(source, 3, &l, NULL), RB_OK);
    assert_int_equal(source->ops->get_block(l, 5, &first, NULL), RB_OK);
    assert_int_equal(source->ops->get_block(l, 6, &other, NULL), RB_OK);
    source->ops->free_block(l, other);
    assert_int_equal(source->ops->get_block(l, 5, &again, NULL), RB_OK);
    assert_true(stream_blocks_equal(first, again));
    assert_int_equal(source->ops->get_block(l, UINT64_C(1) << 40, &other, NULL), RB_OK);
    assert_null(other);
    source->ops->close(l); /* frees blocks that were not given back */
    synth_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_generated_block_is_the_same_every_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
