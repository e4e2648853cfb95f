/* The order of a program's work: the rules by which it is built, its file format, and bad files. */
#include <stdlib.h>
#include <string.h>

#include "frontend/input/order/stream_builder.h"
#include "frontend/input/rbt/rbt_graph.h"
#include "frontend/input/rbt/read/rbt_verify.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/rbt_lab.h"
#include "tests/support/trace/trace_files.h"

static uint32_t launch(stream_builder_t *b, uint64_t stream)
{
    static uint64_t id;
    return stream_builder_add(b, stream, (stream_op_t){.kind = STREAM_OP_LAUNCH, .launch = ++id});
}

/* Operation i waits for exactly these. */
static void waits(const stream_builder_t *b, uint32_t i, size_t n, const uint32_t *on)
{
    const stream_op_t *op = &b->graph.ops[i];
    assert_int_equal(op->n_waits, n);
    for (size_t k = 0; k < n; k++)
        assert_int_equal(b->graph.waits[op->first_wait + k], on[k]);
}
#define WAITS(b, i, ...)                                                                           \
    waits(b, i, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

static void a_stream_keeps_its_order_and_streams_are_independent(void **state)
{
    (void)state;
    stream_builder_t b;
    stream_builder_init(&b);
    launch(&b, 1);
    assert_false(b.several);
    launch(&b, 1);
    assert_false(b.several);
    launch(&b, 2);
    assert_true(b.several);
    launch(&b, 1);
    waits(&b, 0, 0, NULL);
    WAITS(&b, 1, 0);
    waits(&b, 2, 0, NULL);
    WAITS(&b, 3, 1);
    stream_builder_free(&b);
}

static void the_legacy_stream_waits_for_blocking_streams_and_they_for_it(void **state)
{
    (void)state;
    stream_builder_t b;
    stream_builder_init(&b);
    stream_builder_stream(&b, 3)->blocking = false;
    launch(&b, 1);
    launch(&b, 2);
    launch(&b, 3);
    launch(&b, STREAM_LEGACY);
    WAITS(&b, 3, 0, 1);
    launch(&b, 1);
    launch(&b, 3);
    launch(&b, 1);
    WAITS(&b, 4, 3);
    WAITS(&b, 5, 2);
    WAITS(&b, 6, 4); /* the legacy stream's work is behind the stream's own */
    stream_builder_free(&b);
}

static void an_event_is_what_was_in_the_stream_when_it_was_recorded(void **state)
{
    (void)state;
    stream_builder_t b;
    stream_tails_t event = {0};
    stream_builder_init(&b);
    stream_builder_wait(&b, 2, &event); /* never recorded */
    launch(&b, 1);
    stream_builder_mark(&b, 1, &event);
    launch(&b, 1);
    stream_builder_wait(&b, 2, &event);
    launch(&b, 2);
    WAITS(&b, 2, 0);
    stream_tails_free(&event);
    stream_builder_free(&b);
}

static void the_host_holds_back_what_it_issues_later(void **state)
{
    (void)state;
    stream_builder_t b;
    stream_builder_init(&b);
    launch(&b, 1);
    launch(&b, 2);
    stream_builder_host_stream(&b, 1); /* 2 */
    stream_builder_host_stream(&b, 1); /* nothing new */
    assert_int_equal(b.graph.n, 3);
    WAITS(&b, 2, 0);
    launch(&b, 3);
    WAITS(&b, 3, 2);
    launch(&b, 2);
    WAITS(&b, 4, 1, 2);
    stream_builder_host_all(&b); /* 5 */
    launch(&b, 4);
    WAITS(&b, 6, 5);
    stream_builder_free(&b);
}

static void many_streams_stay_small(void **state)
{
    (void)state;
    enum { STREAMS = 64, ROUNDS = 100 };
    stream_builder_t b;
    stream_builder_init(&b);
    for (unsigned r = 0; r < ROUNDS; r++) {
        for (unsigned s = 1; s <= STREAMS; s++)
            launch(&b, s);
        stream_builder_host_all(&b);
    }
    assert_true(b.graph.n_waits < 3 * b.graph.n);
    stream_builder_free(&b);
}

static void it_is_read_as_it_was_written(void **state)
{
    (void)state;
    static const stream_op_t ops[] = {
        {.kind = STREAM_OP_TO_DEVICE, .stream = UINT64_MAX, .addr = UINT64_MAX - 9, .bytes = 9},
        {.kind = STREAM_OP_LAUNCH, .stream = 3, .priority = -5, .launch = 7},
        {.kind = STREAM_OP_FROM_DEVICE, .stream = 0, .priority = 2, .bytes = 1},
        {.kind = STREAM_OP_LAUNCH, .stream = 3, .priority = -5, .launch = UINT64_MAX},
        {.kind = STREAM_OP_HOST},
    };
    static const uint32_t all[] = {0, 1, 2, 3};
    stream_graph_t g = {0}, back = {0};
    rbt_buf_t b = {0};
    rb_err_t err = {0};
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        stream_graph_add(&g, &ops[i], all, i);
    assert_int_equal(stream_graph_check(&g, "x", &err), RB_OK);
    rbt_graph_put(&g, &b);
    rbt_in_t in = {.at = b.p, .end = b.p + b.n};
    assert_true(rbt_graph_get(&in, &back));
    assert_int_equal(back.n, g.n);
    assert_int_equal(back.n_waits, g.n_waits);
    assert_memory_equal(back.waits, g.waits, g.n_waits * sizeof(*g.waits));
    for (size_t i = 0; i < g.n; i++)
        assert_memory_equal(&back.ops[i], &g.ops[i], sizeof(g.ops[i]));
    /* every truncation is seen, and nothing is read beyond the end */
    for (size_t n = 0; n < b.n; n++) {
        uint8_t *exact = malloc(n + 1);
        stream_graph_t part = {0};
        memcpy(exact, b.p, n);
        rbt_in_t cut = {.at = exact, .end = exact + n};
        assert_false(rbt_graph_get(&cut, &part));
        stream_graph_free(&part);
        free(exact);
    }
    stream_graph_free(&g);
    stream_graph_free(&back);
    free(b.p);
}

/* --- files ----------------------------------------------------------------------------------- */

/* Stores two launches with a graph, and opens the file. */
static void opens(const stream_graph_t *g, rb_code_t code, const char *part)
{
    rbt_writer_options_t options = {.overwrite = true};
    rb_err_t err = {0};
    rbt_writer_t *w = rbt_writer_create(temp_path("g.rbt"), &options, &err);
    rbt_verified_t v;
    assert_non_null(w);
    for (uint64_t id = 1; id <= 2; id++) {
        const launch_info_t info = {.id = id,
                                    .trace_id = id,
                                    .name = "k",
                                    .file = "f",
                                    .arch = 70,
                                    .grid = {1, 1, 1},
                                    .block = {32, 1, 1}};
        assert_int_equal(rbt_writer_launch(w, &info, 1, NULL, NULL, &err), RB_OK);
        assert_int_equal(rbt_writer_launch_end(w, &err), RB_OK);
    }
    if (g != NULL)
        rbt_writer_graph(w, g);
    assert_int_equal(rbt_writer_finish(w, &err), RB_OK);
    const rb_code_t got = rbt_verify(temp_path("g.rbt"), &v, &err);
    if (got != code || strstr(err.text, part) == NULL)
        fail_msg("%s, '%s' where '%s' is expected", rb_code_text(got), err.text, part);
}

static stream_graph_t two_launches(uint32_t first_on, uint32_t second_on)
{
    stream_graph_t g = {0};
    const stream_op_t one = {.kind = STREAM_OP_LAUNCH, .stream = 1, .launch = 1},
                      two = {.kind = STREAM_OP_LAUNCH, .stream = 2, .launch = 2};
    stream_graph_add(&g, &one, &first_on, first_on != UINT32_MAX);
    stream_graph_add(&g, &two, &second_on, second_on != UINT32_MAX);
    return g;
}

static void impossible_orders_are_named(void **state)
{
    (void)state;
    stream_graph_t g = two_launches(UINT32_MAX, 0);
    opens(&g, RB_OK, "");
    stream_graph_free(&g);
    g = two_launches(1, UINT32_MAX);
    opens(&g, RB_TRACE,
          "g.rbt: operation 1 of stream 1 waits for operation 2 of stream 2, which does not come "
          "before it: a cycle");
    stream_graph_free(&g);
    g = two_launches(UINT32_MAX, 1);
    opens(&g, RB_TRACE, "operation 2 of stream 2 waits for operation 2 of stream 2");
    stream_graph_free(&g);
    g = two_launches(UINT32_MAX, 9);
    opens(&g, RB_TRACE,
          "operation 2 of stream 2 waits for operation 10, but there are only 2: nothing ever "
          "completes it");
    stream_graph_free(&g);
    g = two_launches(UINT32_MAX, 0);
    g.ops[1].kind = STREAM_OP_KINDS;
    opens(&g, RB_TRACE, "operation 2 is of an unknown kind (6)");
    g.ops[1].kind = STREAM_OP_LAUNCH;
    g.ops[1].launch = 1;
    opens(&g, RB_TRACE, "operation 2 is launch");
    g.ops[1].kind = STREAM_OP_TO_DEVICE;
    g.ops[1].addr = 16;
    g.ops[1].bytes = UINT64_MAX;
    opens(&g, RB_TRACE, "beyond the end of the address space");
    stream_graph_free(&g);
}

static void a_trace_must_have_an_operation_for_each_launch(void **state)
{
    (void)state;
    stream_graph_t g = {0};
    const stream_op_t one = {.kind = STREAM_OP_LAUNCH, .stream = 1, .launch = 1};
    stream_graph_add(&g, &one, NULL, 0);
    opens(&g, RB_TRACE, "launch 2 is not among its operations");
    stream_graph_free(&g);
}

/* --- Accel-Sim ------------------------------------------------------------------------------- */

static void write_kernel(const char *name, unsigned stream)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
             "-shmem = 0\n-nregs = 16\n-binary version = 70\n-cuda stream id = %u\n"
             "-shmem base_addr = 0x00007f5a2e000000\n-local mem base_addr = 0x00007f5a2c000000\n"
             "-nvbit version = 1.7\n-accelsim tracer version = 4\n\n#traces format = ...\n\n",
             stream);
    trace_write(name, text);
}

static void accelsim_lists_keep_streams_and_order(void **state)
{
    (void)state;
    rb_err_t err = {0};
    const stream_graph_t *g;
    write_kernel("kernel-1.traceg", 7);
    write_kernel("kernel-2.traceg", 8);
    trace_write("kernelslist.g", "MemcpyHtoD,0x7f0000000000,4096\nkernel-1.traceg\n"
                                 "kernel-2.traceg\nkernel-1.traceg\n");
    trace_source_t *s = trace_open("kernelslist.g");
    assert_int_equal(s->ops->graph(s, &g, &err), RB_OK);
    assert_non_null(g);
    static const uint8_t kinds[] = {STREAM_OP_TO_DEVICE, STREAM_OP_HOST, STREAM_OP_LAUNCH,
                                    STREAM_OP_LAUNCH, STREAM_OP_LAUNCH};
    assert_int_equal(g->n, sizeof(kinds));
    for (size_t i = 0; i < g->n; i++)
        assert_int_equal(g->ops[i].kind, kinds[i]);
    assert_int_equal(g->ops[0].bytes, 4096);
    assert_int_equal(g->ops[2].stream, 7);
    assert_int_equal(g->ops[3].stream, 8);
    assert_int_equal(g->ops[4].n_waits, 1); /* only for the launch of its stream */
    assert_int_equal(g->waits[g->ops[4].first_wait], 2);
    s->ops->destroy(s);
    trace_write("kernelslist.g", "kernel-1.traceg\nkernel-1.traceg\n");
    s = trace_open("kernelslist.g");
    assert_int_equal(s->ops->graph(s, &g, &err), RB_OK);
    assert_null(g); /* one stream */
    s->ops->destroy(s);
}

static int begin(void **state)
{
    temp_folder_create();
    return trace_folder_create(state);
}

static int end(void **state)
{
    temp_folder_remove();
    return trace_folder_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_keeps_its_order_and_streams_are_independent),
        cmocka_unit_test(the_legacy_stream_waits_for_blocking_streams_and_they_for_it),
        cmocka_unit_test(an_event_is_what_was_in_the_stream_when_it_was_recorded),
        cmocka_unit_test(the_host_holds_back_what_it_issues_later),
        cmocka_unit_test(many_streams_stay_small),
        cmocka_unit_test(it_is_read_as_it_was_written),
        cmocka_unit_test(impossible_orders_are_named),
        cmocka_unit_test(a_trace_must_have_an_operation_for_each_launch),
        cmocka_unit_test(accelsim_lists_keep_streams_and_order),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
