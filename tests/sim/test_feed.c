/* The feed: blocks decoded on several threads are those that one thread decodes, in order. */
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/dispatch/feed.h"
#include "tests/support/input/gen_trial.h"
#include "tests/support/trace/rbt_lab.h"
#include "tests/support/trace/stream_whole.h"
#include "tests/support/trace/trace_files.h"

enum { HELPERS = 3, AHEAD = 4 };

typedef struct {
    feed_t feed;
    atomic_bool over;
    pthread_t thread[HELPERS];
} helped_t;

static void *help(void *arg)
{
    helped_t *h = arg;

    while (!atomic_load(&h->over))
        feed_ahead(&h->feed);
    return NULL;
}

/* Opens a launch with helpers. resident: see feed_plan_t; a huge number makes most blocks long. */
static void begin(helped_t *h, trace_source_t *s, uint64_t id, uint64_t resident,
                  const feed_filter_t *filter)
{
    const feed_plan_t plan = {
        .ahead = AHEAD, .threads = HELPERS + 1, .resident = resident, .filter = filter};

    feed_init(&h->feed);
    assert_int_equal(feed_open(&h->feed, s, id, &plan, NULL), RB_OK);
    atomic_init(&h->over, false);
    for (int i = 0; i < HELPERS; i++)
        assert_int_equal(pthread_create(&h->thread[i], NULL, help, h), 0);
}

static void end(helped_t *h)
{
    atomic_store(&h->over, true);
    for (int i = 0; i < HELPERS; i++)
        pthread_join(h->thread[i], NULL);
    feed_close(&h->feed);
    feed_destroy(&h->feed);
}

/* The next block as a whole one; NULL: there is none. */
static trace_block_t *take(helped_t *h, uint32_t n)
{
    if (!feed_ensure(&h->feed, n) || !feed_more(&h->feed))
        return NULL;
    trace_block_t *b = feed_take(&h->feed), *whole = stream_whole(b);

    feed_free(&h->feed, b);
    return whole;
}

/* A launch through the feed against get_block() of another source of the same. */
static void same_launch(trace_source_t *a, trace_source_t *b, uint64_t id, uint64_t resident)
{
    helped_t h;
    trace_launch_t *l = NULL;
    trace_block_t *x, *y;
    uint64_t n = 0;

    begin(&h, a, id, resident, NULL);
    assert_int_equal(b->ops->open(b, id, &l, NULL), RB_OK);
    for (;; n++) {
        x = take(&h, 1 + n % AHEAD);
        assert_int_equal(b->ops->get_block(l, n, &y, NULL), RB_OK);
        if (x == NULL || y == NULL)
            break;
        assert_int_equal(x->index, n);
        assert_true(stream_blocks_equal(x, y));
        stream_whole_free(x);
        b->ops->free_block(l, y);
    }
    assert_null(x);
    assert_null(y);
    assert_int_equal(feed_check(&h.feed, NULL), RB_OK);
    assert_true(feed_all_taken(&h.feed));
    b->ops->close(l);
    end(&h);
}

static void native_traces(void **state)
{
    const rbt_lab_launch_t launches[] = {
        {.blocks = 2500, .threads = 64, .loops = 1},
        {.blocks = 30, .threads = 96, .loops = 100, .random = true},
        {.blocks = 6, .threads = 128, .loops = 4000},
    };
    const size_t n = sizeof(launches) / sizeof(launches[0]);
    synth_t *program = rbt_lab_program(launches, n);
    const char *path = rbt_lab_store_temp(synth_source(program));
    trace_source_t *a = rbt_lab_open(path), *b = rbt_lab_open(path);

    (void)state;
    for (uint64_t id = 1; id <= n; id++)
        for (uint64_t resident = 1; resident < UINT32_MAX; resident *= UINT32_MAX - 1)
            same_launch(a, b, id, resident);
    a->ops->destroy(a);
    b->ops->destroy(b);
    synth_destroy(program);
}

/* Writes a text of n blocks; line 5 of block `bad` is wrong. */
static void write_text(unsigned n, unsigned warps, unsigned insts, unsigned bad)
{
    char *text = NULL, grid[64];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    snprintf(grid, sizeof(grid), "-grid dim = (%u,1,1)", n);
    fputs(trace_header(5, grid), out);
    for (unsigned i = 0; i < n; i++) {
        fprintf(out, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", i);
        for (unsigned w = 0; w < warps; w++) {
            fprintf(out, "warp = %u\ninsts = %u\n", w, insts);
            for (unsigned k = 0; k < insts; k++)
                fprintf(out,
                        i == bad && k == 2 ? "zzzz\n"
                                           : "%04x ffffffff 1 R1 LDG.E 1 R2 4 1 0x%x 4 \n",
                        16 * (k % 7), 4096 + 128 * (k * 7 + i + w));
        }
        fputs("#END_TB\n\n", out);
    }
    fclose(out);
    trace_write("k.traceg", text);
    free(text);
}

static void texts(void **state)
{
    static const unsigned shapes[][3] = {{300, 2, 4}, {9, 2, 3000}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        write_text(shapes[i][0], shapes[i][1], shapes[i][2], UINT32_MAX);
        trace_source_t *a = trace_open("k.traceg"), *b = trace_open("k.traceg");

        for (uint64_t resident = 1; resident < UINT32_MAX; resident *= UINT32_MAX - 1)
            same_launch(a, b, 1, resident);
        a->ops->destroy(a);
        b->ops->destroy(b);
    }
}

/* The message that one thread gives for the wrong block of the text. */
static void message_of_one(rb_err_t *err)
{
    trace_reading_t r = trace_start("k.traceg");
    trace_block_t *b;

    for (uint64_t n = 0; r.source->ops->get_block(r.launch, n, &b, err) == RB_OK; n++)
        r.source->ops->free_block(r.launch, b);
    trace_stop(&r);
}

/* Helpers decode far ahead. All blocks before the wrong one come, and then the message that one thread
 * gives. */
static void the_first_wrong_block_is_reported(void **state)
{
    enum { BLOCKS = 200, BAD = 123 };
    rb_err_t expected = {0};

    write_text(BLOCKS, 2, 40, BAD);
    message_of_one(&expected);
    (void)state;
    for (int again = 0; again < 8; again++) {
        trace_source_t *s = trace_open("k.traceg");
        trace_block_t *b;
        uint64_t n = 0;
        helped_t h;
        rb_err_t err = {0};

        begin(&h, s, 1, 1, NULL);
        for (; (b = take(&h, 1)) != NULL; n++) {
            assert_int_equal(feed_check(&h.feed, NULL), RB_OK);
            stream_whole_free(b);
        }
        assert_int_equal(n, BAD);
        assert_int_equal(feed_check(&h.feed, &err), RB_TRACE);
        assert_string_equal(err.text, expected.text);
        end(&h);
        s->ops->destroy(s);
    }
}

static bool is_third(const void *ctx, uint64_t block)
{
    (void)ctx;
    return block % 3 == 0;
}

static void unwanted_blocks_are_left_out(void **state)
{
    const feed_filter_t filter = {.wanted = is_third, .n_blocks = 100};
    uint64_t n = 0;
    trace_block_t *b;
    helped_t h;

    (void)state;
    write_text(100, 2, 10, UINT32_MAX);
    trace_source_t *s = trace_open("k.traceg");

    begin(&h, s, 1, 1, &filter);
    for (; (b = take(&h, 2)) != NULL; n++) {
        assert_int_equal(b->index, 3 * n);
        assert_int_equal(b->id[0], 3 * n);
        stream_whole_free(b);
        feed_change_begin(&h.feed);
        feed_change_end(&h.feed);
    }
    assert_int_equal(n, 34);
    end(&h);
    s->ops->destroy(s);
}

/* A run that is stopped closes the feed while others decode. */
static void closing_early_frees_all(void **state)
{
    (void)state;
    write_text(300, 2, 100, UINT32_MAX);
    for (uint32_t n = 0; n < 24; n += 3) {
        trace_source_t *s = trace_open("k.traceg");
        helped_t h;

        begin(&h, s, 1, 1, NULL);
        for (uint32_t i = 0; i < n; i++)
            stream_whole_free(take(&h, 1));
        end(&h);
        s->ops->destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(native_traces, trace_folder_create, trace_folder_remove),
        cmocka_unit_test_setup_teardown(texts, trace_folder_create, trace_folder_remove),
        cmocka_unit_test_setup_teardown(the_first_wrong_block_is_reported, trace_folder_create,
                                        trace_folder_remove),
        cmocka_unit_test_setup_teardown(unwanted_blocks_are_left_out, trace_folder_create,
                                        trace_folder_remove),
        cmocka_unit_test_setup_teardown(closing_early_frees_all, trace_folder_create,
                                        trace_folder_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
