/* Long blocks: packed, in memory or in a temporary file, they have the same streams as whole ones. */
#include "tests/support/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/emulator/record/launch_pipe.h"
#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/rbt/write/rbt_writer.h"
#include "sim/core/alloc.h"
#include "sim/gpu/dispatch/feed.h"
#include "sim/gpu/source/read_blocks.h"
#include "tests/support/input/gen_trial.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"
#include "tests/support/trace/stream_whole.h"

enum { KEPT = 200 }; /* more than two pieces have */

static const stream_limits_t in_memory = {.memory_bytes = SIZE_MAX},
                             in_file = {.keep = KEPT * ADDR_RECORD_MAX};

static trace_block_t *get(trace_source_t *s, trace_launch_t *l, uint64_t index)
{
    trace_block_t *b = NULL;
    rb_err_t err = {0};

    if (s->ops->get_block(l, index, &b, &err) != RB_OK)
        fail_msg("%s", err.text);
    return b;
}

static trace_launch_t *open_launch(trace_source_t *s, uint64_t id)
{
    trace_launch_t *l = NULL;

    assert_int_equal(s->ops->open(s, id, &l, NULL), RB_OK);
    return l;
}

static void same_launch(trace_source_t *a, trace_source_t *b, uint64_t id,
                        const stream_limits_t *limits)
{
    trace_launch_t *whole = open_launch(a, id), *packed = open_launch(b, id);
    stream_store_t store;
    trace_block_t *x;

    stream_store_init(&store, limits);
    b->ops->use_store(packed, &store);
    for (uint64_t i = 0; (x = get(a, whole, i)) != NULL; i++) {
        trace_block_t *y = get(b, packed, i);

        assert_non_null(y);
        for (uint32_t w = 0; w < y->n_warps; w++)
            assert_int_equal(y->warps[w].pieces != NULL, x->warps[w].n_runs > 0);
        for (int again = 0; again < 2; again++) {
            trace_block_t *z = stream_whole(y);

            assert_true(stream_blocks_equal(x, z));
            stream_whole_free(z);
        }
        a->ops->free_block(whole, x);
        b->ops->free_block(packed, y);
    }
    assert_null(get(b, packed, b->ops->n_launches(b) > 0 ? UINT64_MAX - 1 : 0));
    a->ops->close(whole);
    b->ops->close(packed);
    stream_store_free(&store);
}

/* Destroys both. */
static void same_source(trace_source_t *a, trace_source_t *b)
{
    for (uint64_t id = 1; id <= a->ops->n_launches(a); id++) {
        same_launch(a, b, id, &in_memory);
        same_launch(a, b, id, &in_file);
    }
    a->ops->destroy(a);
    b->ops->destroy(b);
}

#define SAME_GEN(...) same_source(GEN_OPEN(__VA_ARGS__), GEN_OPEN(__VA_ARGS__))

static void generated_blocks_are_the_same(void **state)
{
    (void)state;
    SAME_GEN("sgemm", 70, 100, "inner=300", NULL);
    SAME_GEN("gather", 70, 300, "loads=400", NULL);
    SAME_GEN("bfs", 70, 300, NULL);
    SAME_GEN("histogram", 75, 2000, NULL);
    SAME_GEN("mandelbrot", 70, 32, NULL);
}

static void native_blocks_are_the_same(void **state)
{
    const rbt_lab_launch_t launches[] = {
        {.blocks = 5, .threads = 96, .loops = 40, .random = true},
        {.blocks = 3, .threads = 64, .loops = 3000},
        {.blocks = 2, .threads = 40, .loops = 2000, .random = true},
    };
    synth_t *program = rbt_lab_program(launches, 3);
    const char *path = rbt_lab_store_temp(synth_source(program));
    trace_source_t *a = rbt_lab_open(path), *b = rbt_lab_open(path);

    (void)state;
    same_source(a, b);
    synth_destroy(program);
}

static void text_blocks_are_the_same(void **state)
{
    static const char path[] = RUBATO_ROOT "/traces/matmul-sm70";
    trace_source_t *a = accelsim_open(path, NULL, NULL), *b = accelsim_open(path, NULL, NULL);

    (void)state;
    assert_non_null(a);
    assert_non_null(b);
    same_source(a, b);
}

/* An SM reads records of instructions that it has issued, after the warp's next piece is loaded. */
static void records_stay_for_a_while(void **state)
{
    trace_source_t *s = GEN_OPEN("gather", 70, 64, "loads=500", NULL);
    trace_launch_t *l = open_launch(s, 1);
    const uint64_t *at[KEPT] = {0};
    uint64_t had[KEPT][ADDR_RECORD_MAX];
    size_t n = 0;
    stream_store_t store;

    (void)state;
    stream_store_init(&store, &in_file);
    s->ops->use_store(l, &store);
    trace_block_t *b = get(s, l, 0);
    warp_stream_t *w = &b->warps[1];

    for (bool some = stream_first(w); some; some = stream_next(w)) {
        for (size_t i = n > KEPT ? n - KEPT : 0; i < n; i++)
            assert_memory_equal(at[i % KEPT], had[i % KEPT],
                                addr_words(had[i % KEPT]) * sizeof(uint64_t));
        for (size_t word = 0; word < w->n_addr_words; n++) {
            at[n % KEPT] = w->addrs + word;
            word += addr_words(w->addrs + word);
            memcpy(had[n % KEPT], at[n % KEPT], addr_words(at[n % KEPT]) * sizeof(uint64_t));
        }
    }
    assert_true(n > 500);
    s->ops->free_block(l, b);
    s->ops->close(l);
    stream_store_free(&store);
    s->ops->destroy(s);
}

/* Packs the warps of a block in turn, a few runs at a time. */
static void put_in_turn(long_block_t *out, const trace_block_t *b)
{
    enum { RUNS = 37 };
    size_t words[32] = {0};
    bool some = true;

    for (size_t from = 0; some; from += RUNS) {
        some = false;
        for (uint32_t w = 0; w < b->n_warps; w++) {
            const warp_stream_t *s = &b->warps[w];
            const size_t left = s->n_runs > from ? s->n_runs - from : 0;
            const size_t n = left < RUNS ? left : RUNS;

            if (n == 0)
                continue;
            long_block_put(out, w, s->runs + from, (uint32_t)n, s->addrs + words[w]);
            words[w] += stream_run_words(s->runs + from, n, s->addrs + words[w]);
            some = true;
        }
    }
}

static void warps_may_be_packed_in_turn(void **state)
{
    trace_source_t *s = GEN_OPEN("bfs", 70, 600, NULL);
    trace_launch_t *l = open_launch(s, 1);
    trace_block_t *b = get(s, l, 0), packed = *b;
    stream_store_t store;

    (void)state;
    stream_store_init(&store, &in_file);
    long_block_t *out = stream_store_take(&store, b->n_warps);

    put_in_turn(out, b);
    packed.warps = rb_calloc(b->n_warps, sizeof(*packed.warps));
    for (uint32_t w = 0; w < b->n_warps; w++)
        packed.warps[w].n_insts = b->warps[w].n_insts;
    assert_int_equal(long_block_end(out, packed.warps, NULL), RB_OK);
    trace_block_t *whole = stream_whole(&packed);

    assert_true(stream_blocks_equal(b, whole));
    stream_whole_free(whole);
    free(packed.warps);
    stream_store_free(&store);
    s->ops->free_block(l, b);
    s->ops->close(l);
    s->ops->destroy(s);
}

/* --- writers of long blocks ------------------------------------------------------------------ */

/* The file that a launch makes, its blocks in pieces if limits are given. Free it. */
static char *file_of(trace_source_t *s, const stream_limits_t *limits, size_t *n)
{
    const rbt_writer_options_t options = {.overwrite = true};
    rbt_writer_t *w = rbt_writer_create(temp_path("long.rbt"), &options, NULL);
    trace_launch_t *l = open_launch(s, 1);
    launch_info_t info;
    stream_store_t store;
    trace_block_t *b;

    stream_store_init(&store, limits != NULL ? limits : &in_memory);
    if (limits != NULL)
        s->ops->use_store(l, &store);
    assert_non_null(w);
    assert_int_equal(s->ops->launch_info(s, 1, &info, NULL), RB_OK);
    assert_int_equal(rbt_writer_launch(w, &info, 1, NULL, NULL, NULL), RB_OK);
    for (uint64_t i = 0; (b = get(s, l, i)) != NULL; i++) {
        assert_int_equal(rbt_writer_block(w, b, NULL), RB_OK);
        s->ops->free_block(l, b);
    }
    assert_int_equal(rbt_writer_launch_end(w, NULL), RB_OK);
    assert_int_equal(rbt_writer_finish(w, NULL), RB_OK);
    s->ops->close(l);
    stream_store_free(&store);
    FILE *in = fopen(temp_path("long.rbt"), "r");
    char *bytes = rb_calloc(1 << 20, 1);

    assert_non_null(in);
    *n = fread(bytes, 1, 1 << 20, in);
    fclose(in);
    return bytes;
}

/* Destroys the source. */
static void same_file(trace_source_t *s)
{
    size_t n_whole, n_pieces;
    char *whole = file_of(s, NULL, &n_whole), *pieces = file_of(s, &in_file, &n_pieces);

    assert_in_range(n_whole, 1000, (1 << 20) - 1);
    assert_int_equal(n_whole, n_pieces);
    assert_memory_equal(whole, pieces, n_whole);
    free(whole);
    free(pieces);
    s->ops->destroy(s);
}

/* With short warps, and with warps of many frames. */
static void files_do_not_depend_on_pieces(void **state)
{
    (void)state;
    same_file(GEN_OPEN("sgemm", 70, 70, "inner=100", NULL));
    same_file(GEN_OPEN("gather", 70, 64, "loads=3000", NULL));
    same_file(GEN_OPEN("sgemm", 70, 64, "inner=10000", NULL));
}

/* The range of code that a block executes. */
static void find_code(warp_stream_t *w, const inst_t **first, const inst_t **end)
{
    for (bool some = stream_first(w); some; some = stream_next(w))
        for (uint32_t i = 0; i < w->n_runs; i++) {
            const trace_run_t *r = &w->runs[i];

            *first = *first == NULL || r->first < *first ? r->first : *first;
            *end = *end == NULL || r->first + r->count > *end ? r->first + r->count : *end;
        }
}

/* Sends the first block of a generated launch in pieces, as a program does. */
static void *send_block(void *source)
{
    trace_source_t *s = source;
    trace_launch_t *l = open_launch(s, 1);
    launch_pipe_writer_t *w = launch_pipe_open(temp_path("fifo"), NULL);
    const inst_t *first = NULL, *end = NULL;
    launch_info_t info;
    stream_store_t store;

    stream_store_init(&store, &in_memory);
    s->ops->use_store(l, &store);
    trace_block_t *b = get(s, l, 0);

    RB_INVARIANT(w != NULL && s->ops->launch_info(s, 1, &info, NULL) == RB_OK, "no launch");
    for (uint32_t i = 0; i < b->n_warps; i++)
        find_code(&b->warps[i], &first, &end);
    RB_INVARIANT(
        launch_pipe_launch(w, &info, first, (uint32_t)(end - first), NULL, NULL) == RB_OK &&
            launch_pipe_block(w, b, NULL) == RB_OK && launch_pipe_launch_end(w, NULL) == RB_OK &&
            launch_pipe_finish(w, NULL) == RB_OK,
        "the launch was not sent");
    s->ops->free_block(l, b);
    s->ops->close(l);
    stream_store_free(&store);
    return NULL;
}

/* The receiver keeps the block whole, or in pieces of its own. */
static void receive(const stream_limits_t *limits)
{
    trace_source_t *s = GEN_OPEN("sgemm", 70, 64, "inner=500", NULL);
    pthread_t sender;
    stream_store_t store;
    bool there;

    assert_int_equal(mkfifo(temp_path("fifo"), 0600), 0);
    assert_int_equal(pthread_create(&sender, NULL, send_block, s), 0);
    trace_source_t *pipe = launch_pipe_source(open(temp_path("fifo"), O_RDONLY), "program");

    assert_int_equal(pipe->ops->has_launch(pipe, 1, &there, NULL), RB_OK);
    assert_true(there);
    trace_launch_t *l = open_launch(s, 1), *received = open_launch(pipe, 1);

    stream_store_init(&store, limits != NULL ? limits : &in_memory);
    if (limits != NULL)
        pipe->ops->use_store(received, &store);
    trace_block_t *x = get(s, l, 0), *y = get(pipe, received, 0), *whole = stream_whole(y);

    assert_int_equal(y->warps[0].pieces != NULL, limits != NULL);
    assert_true(stream_blocks_equal(x, whole));
    assert_null(get(pipe, received, 1));
    stream_whole_free(whole);
    pthread_join(sender, NULL);
    s->ops->free_block(l, x);
    s->ops->close(l);
    pipe->ops->free_block(received, y);
    pipe->ops->close(received);
    stream_store_free(&store);
    s->ops->destroy(s);
    pipe->ops->destroy(pipe);
    unlink(temp_path("fifo"));
}

static void programs_send_pieces(void **state)
{
    (void)state;
    receive(NULL);
    receive(&in_file);
}

/* Reads what a program sent, in pieces; whatever it is, streams must hold together. */
static void read_sent(void)
{
    trace_source_t *pipe = launch_pipe_source(open(temp_path("fifo"), O_RDONLY), "program");
    launch_info_t info;
    trace_launch_t *l;
    trace_block_t *b = NULL;
    stream_store_t store;
    bool there;

    stream_store_init(&store, &in_file);
    if (pipe->ops->has_launch(pipe, 1, &there, NULL) == RB_OK && there &&
        pipe->ops->launch_info(pipe, 1, &info, NULL) == RB_OK &&
        pipe->ops->open(pipe, 1, &l, NULL) == RB_OK) {
        pipe->ops->use_store(l, &store);
        if (pipe->ops->get_block(l, 0, &b, NULL) == RB_OK && b != NULL) {
            trace_block_t *whole = stream_whole(b);

            stream_check_damaged(&info, whole);
            stream_whole_free(whole);
        }
        pipe->ops->close(l);
    }
    stream_store_free(&store);
    pipe->ops->destroy(pipe);
}

static void damaged_pieces_are_refused(void **state)
{
    enum { CHANGES = 400 };
    trace_source_t *s = GEN_OPEN("sgemm", 70, 64, "inner=100", NULL);
    uint64_t seed = 1;

    (void)state;
    temp_write("fifo", "");
    send_block(s); /* to a file */
    FILE *file = fopen(temp_path("fifo"), "r+");

    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const uint64_t n = (uint64_t)ftell(file);

    assert_true(n > 10000);
    for (int i = 0; i < CHANGES; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const long at = (long)((seed >> 20) % n);
        const int bit = 1 << (seed >> 60 & 7);

        fseek(file, at, SEEK_SET);
        const int byte = fgetc(file);
        for (int back = 0; back < 2; back++) {
            fseek(file, at, SEEK_SET);
            fputc(back ? byte : byte ^ bit, file);
            fflush(file);
            if (!back)
                read_sent();
        }
    }
    fclose(file);
    s->ops->destroy(s);
}

static void a_missing_folder_is_an_error(void **state)
{
    trace_source_t *s = GEN_OPEN("gather", 70, 256, "loads=500", NULL);
    trace_launch_t *l = open_launch(s, 1);
    const stream_limits_t limits = {.dir = "/no/such/folder"};
    trace_block_t *b = NULL;
    rb_err_t err = {0};
    stream_store_t store;

    (void)state;
    stream_store_init(&store, &limits);
    s->ops->use_store(l, &store);
    assert_int_equal(s->ops->get_block(l, 0, &b, &err), RB_IO);
    assert_null(b);
    assert_non_null(strstr(err.text, "/no/such/folder: No such file"));
    s->ops->close(l);
    stream_store_free(&store);
    s->ops->destroy(s);
}

/* The simulator's and all other readers' files are in the folder that the source names. */
static void readers_take_the_folder_of_the_source(void **state)
{
    static const char folder[] = "/no/such/folder";
    trace_source_t *s = GEN_OPEN("gather", 70, 256, "loads=500", NULL);
    block_reading_t reading;
    feed_t feed;

    (void)state;
    s->tmpdir = folder;
    assert_int_equal(block_reading_open(&reading, s, 1, NULL), RB_OK);
    assert_ptr_equal(reading.store.limits.dir, folder);
    block_reading_close(&reading);
    feed_init(&feed);
    assert_int_equal(feed_open(&feed, s, 1, &(feed_plan_t){.ahead = 1, .threads = 1}, NULL), RB_OK);
    assert_ptr_equal(feed.store.limits.dir, folder);
    feed_close(&feed);
    feed_destroy(&feed);
    s->ops->destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_blocks_are_the_same),
        cmocka_unit_test_setup_teardown(native_blocks_are_the_same, temp_folder_begin,
                                        temp_folder_end),
        cmocka_unit_test(text_blocks_are_the_same),
        cmocka_unit_test(records_stay_for_a_while),
        cmocka_unit_test(warps_may_be_packed_in_turn),
        cmocka_unit_test_setup_teardown(files_do_not_depend_on_pieces, temp_folder_begin,
                                        temp_folder_end),
        cmocka_unit_test_setup_teardown(programs_send_pieces, temp_folder_begin, temp_folder_end),
        cmocka_unit_test_setup_teardown(damaged_pieces_are_refused, temp_folder_begin,
                                        temp_folder_end),
        cmocka_unit_test(a_missing_folder_is_an_error),
        cmocka_unit_test(readers_take_the_folder_of_the_source),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
