/* The native trace file: data that are stored are read back, in part or whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/rbt/rbt_format.h"
#include "frontend/input/rbt/read/rbt_verify.h"
#include "frontend/input/rbt/write/rbt_writer.h"
#include "frontend/tool/library/open_trace.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/rbt_lab.h"
#include "tests/support/trace/real_traces.h"
#include "tests/support/trace/stream_check.h"

static void verifies(const char *path)
{
    rb_err_t err = {0};
    rbt_verified_t v;

    if (rbt_verify(path, &v, &err) != RB_OK)
        fail_msg("%s", err.text);
}

static void round_trip(const rbt_lab_launch_t *launches, size_t n)
{
    synth_t *s = rbt_lab_program(launches, n);

    rbt_lab_store(synth_source(s), temp_path("x.rbt"), 1);
    trace_source_t *t = rbt_lab_open(temp_path("x.rbt"));

    rbt_lab_same(synth_source(s), t);
    verifies(temp_path("x.rbt"));
    t->ops->destroy(t);
    synth_destroy(s);
}

static void regular_and_random_programs_come_back(void **state)
{
    static const rbt_lab_launch_t launches[] = {
        {.blocks = 100, .threads = 256, .loops = 8, .copies = 2},
        {.blocks = 40, .threads = 96, .loops = 30, .random = true},
        {.blocks = 1, .threads = 32, .loops = 1, .random = true, .copies = 1},
        {.blocks = 7, .threads = 1024, .loops = 3},
    };

    (void)state;
    round_trip(launches, 4);
}

/* Warps that need more than one piece, and blocks that need more than one frame. */
static void long_warps_and_large_blocks_come_back(void **state)
{
    static const rbt_lab_launch_t launches[] = {
        {.blocks = 2, .threads = 64, .loops = 20000},
        {.blocks = 3, .threads = 128, .loops = 9000, .random = true},
    };

    (void)state;
    round_trip(launches, 2);
}

/* More launches and blocks than a page of the index holds. */
static void several_pages_come_back(void **state)
{
    enum { LAUNCHES = 1500 };
    static rbt_lab_launch_t launches[LAUNCHES];

    (void)state;
    for (unsigned i = 0; i < LAUNCHES; i++)
        launches[i] = (rbt_lab_launch_t){
            .blocks = i == 7 ? 9000 : 1 + i % 4, .threads = 32, .loops = 1, .random = i % 2 == 0};
    round_trip(launches, LAUNCHES);
}

static char *read_file(const char *path, size_t *n)
{
    FILE *in = fopen(path, "rb");

    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *n = (size_t)ftell(in);
    rewind(in);
    char *bytes = malloc(*n);

    assert_int_equal(fread(bytes, 1, *n, in), *n);
    fclose(in);
    return bytes;
}

static void the_file_does_not_depend_on_threads(void **state)
{
    static const rbt_lab_launch_t launches[] = {
        {.blocks = 200, .threads = 256, .loops = 10, .random = true, .copies = 1}};
    synth_t *s = rbt_lab_program(launches, 1);
    size_t n, m;

    (void)state;
    rbt_lab_store(synth_source(s), temp_path("1.rbt"), 1);
    rbt_lab_store(synth_source(s), temp_path("3.rbt"), 3);
    char *a = read_file(temp_path("1.rbt"), &n), *b = read_file(temp_path("3.rbt"), &m);

    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
    synth_destroy(s);
}

/* Reading blocks with gaps gives the same blocks as reading without gaps. */
static void blocks_are_found_wherever_they_are(void **state)
{
    static const rbt_lab_launch_t launches[] = {
        {.blocks = 500, .threads = 128, .loops = 40, .random = true}};
    static const uint64_t wanted[] = {0, 1, 5, 6, 99, 100, 250, 498, 499};
    synth_t *s = rbt_lab_program(launches, 1);
    trace_source_t *src = synth_source(s);
    trace_launch_t *l, *m;
    rb_err_t err = {0};

    (void)state;
    rbt_lab_store(src, temp_path("x.rbt"), 1);
    trace_source_t *t = rbt_lab_open(temp_path("x.rbt"));

    assert_int_equal(src->ops->open(src, 1, &l, &err), RB_OK);
    assert_int_equal(t->ops->open(t, 1, &m, &err), RB_OK);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        trace_block_t *a, *b;

        assert_int_equal(src->ops->get_block(l, wanted[i], &a, &err), RB_OK);
        assert_int_equal(t->ops->get_block(m, wanted[i], &b, &err), RB_OK);
        assert_true(stream_blocks_equal(a, b));
        src->ops->free_block(l, a); /* b is left to close() */
    }
    src->ops->close(l);
    t->ops->close(m);
    t->ops->destroy(t);
    synth_destroy(s);
}

/* --- parts of a program ---------------------------------------------------------------------- */

static void a_slice_keeps_ids_weights_and_copies(void **state)
{
    static const rbt_lab_launch_t launches[] = {
        {.blocks = 10, .threads = 32, .loops = 1, .copies = 1},
        {.blocks = 10, .threads = 32, .loops = 2, .copies = 2},
        {.blocks = 10, .threads = 32, .loops = 3},
        {.blocks = 10, .threads = 32, .loops = 4, .copies = 1},
    };
    static const uint64_t positions[] = {2, 4};
    static const double weights[] = {2.5, 1.5};
    static const rbt_block_range_t blocks[] = {{1, 2}, {7, UINT64_MAX}};
    synth_t *s = rbt_lab_program(launches, 4);
    rbt_store_options_t o = {
        .path = temp_path("x.rbt"),
        .select = {.positions = positions,
                   .weights = weights,
                   .n_positions = 2,
                   .blocks = blocks,
                   .n_blocks = 2,
                   .plan = "{\"a\": 1}"},
    };
    rb_err_t err = {0};
    rbt_stored_t stored;
    launch_info_t info;
    const memcpy_op_t *ops;
    trace_launch_t *l;
    trace_block_t *b;

    (void)state;
    assert_int_equal(rbt_store(synth_source(s), &o, &stored, &err), RB_OK);
    assert_int_equal(stored.launches, 2);
    assert_int_equal(stored.blocks, 2 * 5);
    synth_destroy(s);
    verifies(temp_path("x.rbt"));
    trace_source_t *t = rbt_lab_open(temp_path("x.rbt"));

    assert_int_equal(t->ops->n_launches(t), 2);
    assert_int_equal(t->ops->launch_info(t, 2, &info, &err), RB_OK);
    assert_int_equal(info.id, 4);
    assert_int_equal(info.n_blocks, 10);
    assert_int_equal(t->ops->copies(t, 1, &ops), 3);
    assert_int_equal(t->ops->copies(t, 2, &ops), 1);
    assert_string_equal(rbt_source_file(t)->plan, "{\"a\": 1}");
    assert_int_equal(t->ops->open(t, 2, &l, &err), RB_OK);
    assert_int_equal(t->ops->get_block(l, 2, &b, &err), RB_OK);
    assert_int_equal(b->id[0], 7);
    assert_int_equal(b->index, 2);
    t->ops->free_block(l, b);
    t->ops->close(l);
    t->ops->destroy(t);
}

static void nothing_is_left_of_a_writing_that_is_given_up(void **state)
{
    rb_err_t err = {0};
    rbt_writer_t *w = rbt_writer_create(temp_path("x.rbt"), NULL, &err);

    (void)state;
    assert_non_null(w);
    rbt_writer_discard(w);
    assert_int_equal(rmdir(temp_path("")), 0); /* it is empty */
    assert_int_equal(mkdir(temp_path(""), 0777), 0);
    temp_write("x.rbt", "mine");
    assert_null(rbt_writer_create(temp_path("x.rbt"), NULL, &err));
    assert_int_equal(err.code, RB_USAGE);
}

/* --- real traces ----------------------------------------------------------------------------- */

static void text_round_trip(const char *path)
{
    rb_err_t err = {0};
    trace_source_t *text = open_trace(path, temp_path(""), &err);

    if (text == NULL)
        fail_msg("%s", err.text);
    rbt_lab_store(text, temp_path("x.rbt"), 1);
    trace_source_t *t = rbt_lab_open(temp_path("x.rbt"));

    rbt_lab_same(text, t);
    verifies(temp_path("x.rbt"));
    t->ops->destroy(t);
    text->ops->destroy(text);
}

static void bundled_traces_come_back(void **state)
{
    (void)state;
    bundled_traces_each(text_round_trip);
}

static void other_traces_come_back(void **state)
{
    (void)state;
    other_traces_each(text_round_trip);
}

/* --- source lines ---------------------------------------------------------------------------- */

/* Lines of instructions by pc: every fourth has none, the others are in two files. */
static bool made_line(trace_launch_t *l, const inst_t *inst, source_line_t *out)
{
    uint32_t i = inst->pc / 16;

    (void)l;
    *out =
        (source_line_t){.file = i % 3 == 0 ? "/src/a.cu" : "b.cuh", .line = 1 + i * 7919 % 10007};
    return i % 4 != 0;
}

static bool no_line(trace_launch_t *l, const inst_t *inst, source_line_t *out)
{
    (void)l, (void)inst, (void)out;
    return false;
}

/* The bytes of x.rbt and its footer's version. */
static char *read_lined(size_t *n, uint32_t *version)
{
    FILE *in = fopen(temp_path("x.rbt"), "rb");
    char *bytes = malloc(1 << 20);

    assert_non_null(in);
    *n = fread(bytes, 1, 1 << 20, in);
    fclose(in);
    memcpy(version, bytes + *n - RBT_FOOTER_BYTES + 24, sizeof(*version));
    return bytes;
}

static const rbt_lab_launch_t lined[] = {{.blocks = 4, .threads = 96, .loops = 3},
                                         {.blocks = 2, .threads = 64, .loops = 2, .random = true}};

static void source_lines_come_back(void **state)
{
    synth_t *s = rbt_lab_program(lined, 2);
    trace_source_t *source = synth_source(s);
    trace_source_ops_t ops = *source->ops;
    uint32_t version;
    size_t n;

    (void)state;
    ops.inst_line = made_line;
    source->ops = &ops;
    rbt_lab_store(source, temp_path("x.rbt"), 1);
    verifies(temp_path("x.rbt"));
    free(read_lined(&n, &version));
    assert_int_equal(version, RBT_VERSION_SECTIONS);
    trace_source_t *t = rbt_lab_open(temp_path("x.rbt"));
    rbt_lab_same(source, t);
    rbt_lab_store(t, temp_path("y.rbt"), 1);
    trace_source_t *again = rbt_lab_open(temp_path("y.rbt"));
    rbt_lab_same(t, again);
    again->ops->destroy(again);
    t->ops->destroy(t);
    synth_destroy(s);
}

static void a_file_without_lines_stays_as_it_was(void **state)
{
    synth_t *s = rbt_lab_program(lined, 2);
    trace_source_t *source = synth_source(s);
    trace_source_ops_t ops = *source->ops;
    uint32_t version;
    size_t n, m;

    (void)state;
    rbt_lab_store(source, temp_path("x.rbt"), 1);
    char *plain = read_lined(&n, &version);
    assert_int_equal(version, RBT_VERSION);
    remove(temp_path("x.rbt"));
    ops.inst_line = no_line;
    source->ops = &ops;
    rbt_lab_store(source, temp_path("x.rbt"), 1);
    char *asked = read_lined(&m, &version);
    assert_int_equal(n, m);
    assert_memory_equal(plain, asked, n);
    free(plain);
    free(asked);
    synth_destroy(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_folder_begin, temp_folder_end)
    const struct CMUnitTest tests[] = {
        TEST(regular_and_random_programs_come_back),
        TEST(long_warps_and_large_blocks_come_back),
        TEST(several_pages_come_back),
        TEST(the_file_does_not_depend_on_threads),
        TEST(blocks_are_found_wherever_they_are),
        TEST(a_slice_keeps_ids_weights_and_copies),
        TEST(nothing_is_left_of_a_writing_that_is_given_up),
        TEST(source_lines_come_back),
        TEST(a_file_without_lines_stays_as_it_was),
        TEST(bundled_traces_come_back),
        TEST(other_traces_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
