/* Native traces: launches have equal digests if their code and their blocks are equal. */
#include <string.h>

#include "tests/support/input/gen_trial.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/rbt_lab.h"

/* Opens a generated program as a native trace. */
static trace_source_t *stored(trace_source_t *made)
{
    trace_source_t *s = rbt_lab_open(rbt_lab_store_temp(made));
    made->ops->destroy(made);
    return s;
}

static uint64_t digest_of(trace_source_t *s, uint64_t id)
{
    uint64_t digest;
    rb_err_t err = {0};
    if (s->ops->digest(s, id, &digest, &err) != RB_OK)
        fail_msg("%s", err.text);
    return digest;
}

static trace_launch_t *open_launch(trace_source_t *s, uint64_t id)
{
    trace_launch_t *l;
    rb_err_t err = {0};
    if (s->ops->open(s, id, &l, &err) != RB_OK)
        fail_msg("%s", err.text);
    return l;
}

static trace_block_t *get_block(trace_source_t *s, trace_launch_t *l, uint64_t i)
{
    trace_block_t *b;
    rb_err_t err = {0};
    if (s->ops->get_block(l, i, &b, &err) != RB_OK)
        fail_msg("%s", err.text);
    return b;
}

static bool same_warp(const warp_stream_t *a, const warp_stream_t *b)
{
    return a->n_runs == b->n_runs && a->n_addr_words == b->n_addr_words &&
           (a->n_addr_words == 0 ||
            memcmp(a->addrs, b->addrs, a->n_addr_words * sizeof(*a->addrs)) == 0);
}

static bool same_block(const trace_block_t *a, const trace_block_t *b)
{
    bool same = a->n_warps == b->n_warps;
    for (uint32_t i = 0; same && i < a->n_warps; i++)
        same = same_warp(&a->warps[i], &b->warps[i]);
    return same;
}

/* Whether two launches of the same kernel have the same addresses. */
static bool same_launch(trace_source_t *s, uint64_t x, uint64_t y)
{
    launch_info_t a, b;
    rb_err_t err = {0};
    assert_int_equal(s->ops->launch_info(s, x, &a, &err), RB_OK);
    assert_int_equal(s->ops->launch_info(s, y, &b, &err), RB_OK);
    if (a.code_id != b.code_id || a.n_blocks != b.n_blocks)
        return false;
    trace_launch_t *l[2] = {open_launch(s, x), open_launch(s, y)};
    bool same = true;
    for (uint64_t i = 0; same && i < a.n_blocks; i++) {
        trace_block_t *m = get_block(s, l[0], i), *n = get_block(s, l[1], i);
        same = same_block(m, n);
        s->ops->free_block(l[0], m);
        s->ops->free_block(l[1], n);
    }
    s->ops->close(l[0]);
    s->ops->close(l[1]);
    return same;
}

static void assert_digests_tell(trace_source_t *s, uint64_t launches, bool some_equal)
{
    uint64_t equal = 0;
    for (uint64_t y = 2; y <= launches; y++) {
        for (uint64_t x = 1; x < y; x++) {
            const bool same = same_launch(s, x, y);
            assert_int_equal(digest_of(s, x) == digest_of(s, y), same);
            equal += same;
        }
    }
    assert_int_equal(equal > 0, some_equal);
    s->ops->destroy(s);
}

static void equal_launches_have_equal_digests(void **state)
{
    (void)state;
    assert_digests_tell(stored(GEN_OPEN("solver", 75, 700, "iterations=3")), 24, true);
}

static void launches_that_differ_have_different_digests(void **state)
{
    (void)state;
    assert_digests_tell(stored(GEN_OPEN("gaussian", 75, 24, NULL)), 20, false);
}

/* Blocks of several frames and pages; the launches are equal but for their position. */
static void all_frames_of_a_launch_count(void **state)
{
    static const rbt_lab_launch_t launches[] = {
        {.blocks = 5000, .threads = 64, .loops = 2},
        {.blocks = 5000, .threads = 64, .loops = 2},
        {.blocks = 3, .threads = 128, .loops = 9000},
        {.blocks = 3, .threads = 128, .loops = 9000},
    };
    (void)state;
    synth_t *program = rbt_lab_program(launches, 4);
    trace_source_t *s = rbt_lab_open(rbt_lab_store_temp(synth_source(program)));
    for (uint64_t id = 1; id <= 3; id += 2)
        assert_int_equal(digest_of(s, id) == digest_of(s, id + 1), same_launch(s, id, id + 1));
    assert_true(digest_of(s, 1) != digest_of(s, 3));
    s->ops->destroy(s);
    synth_destroy(program);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_folder_begin, temp_folder_end)
    const struct CMUnitTest tests[] = {
        TEST(equal_launches_have_equal_digests),
        TEST(launches_that_differ_have_different_digests),
        TEST(all_frames_of_a_launch_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
