/* Blocks of Accel-Sim's text: their order, missing blocks, and messages about them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

#define BLOCK(id, ...) "#BEGIN_TB\n\nthread block = " id "\n\n" __VA_ARGS__ "#END_TB\n\n"
#define WARP(w, n)     "warp = " w "\ninsts = " n "\n"

#define ONE_INST "0000 ffffffff 1 R1 MOV 0 0 0 \n"

static const char three_blocks[] =
    BLOCK("2,0,0", WARP("0", "1") ONE_INST) BLOCK("0,0,0", WARP("1", "1") ONE_INST)
        BLOCK("1,0,0", WARP("0", "0") WARP("1", "2") ONE_INST ONE_INST);

static void write_three_blocks(const char *grid)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s", trace_header(5, grid), three_blocks);
    trace_write("k.traceg", text);
}

static void blocks_come_in_stored_order(void **state)
{
    static const unsigned ids[] = {2, 0, 1};

    (void)state;
    write_three_blocks("-grid dim = (3,1,1)");
    trace_reading_t r = trace_start("k.traceg");

    for (uint64_t k = 0; k < 3; k++) {
        trace_block_t *b = trace_next(&r, k);

        assert_int_equal(b->index, k);
        assert_int_equal(b->id[0], ids[k]);
        assert_int_equal(b->n_warps, 2);
        r.source->ops->free_block(r.launch, b);
    }
    assert_null(trace_next(&r, 3));
    assert_null(trace_next(&r, 4));
    trace_stop(&r);
}

static void left_out_blocks_are_skipped(void **state)
{
    (void)state;
    write_three_blocks("-grid dim = (3,1,1)");
    trace_reading_t r = trace_start("k.traceg");
    trace_block_t *b = trace_next(&r, 2);

    assert_int_equal(b->index, 2);
    assert_int_equal(b->id[0], 1);
    assert_int_equal(b->n_insts, 2);
    r.source->ops->free_block(r.launch, b);
    assert_null(trace_next(&r, 3));
    trace_stop(&r);
    r = trace_start("k.traceg");
    assert_null(trace_next(&r, 7));
    trace_stop(&r);
}

static void missing_warps_are_empty(void **state)
{
    (void)state;
    write_three_blocks("-grid dim = (3,1,1)");
    trace_reading_t r = trace_start("k.traceg");
    trace_block_t *b = trace_next(&r, 1);

    assert_int_equal(b->warps[0].n_runs, 0);
    assert_int_equal(b->warps[1].n_runs, 1);
    r.source->ops->free_block(r.launch, b);
    trace_stop(&r);
}

static void blocks_missing_from_the_grid_are_warned_about_once(void **state)
{
    (void)state;
    write_three_blocks("-grid dim = (3,4,1)");
    trace_reading_t r = trace_start("k.traceg");

    trace_capture_stderr();
    assert_null(trace_next(&r, 3));
    assert_null(trace_next(&r, 4));
    char *said = trace_captured();
    const char *warning = strstr(said, "9 of the grid's 12 thread blocks");

    assert_non_null(strstr(said, trace_path("k.traceg")));
    assert_non_null(warning);
    assert_null(strstr(warning + strlen("9 of the grid's"), "of the grid's"));
    free(said);
    trace_stop(&r);
}

typedef struct {
    trace_reading_t *reading;
    trace_block_t *block;
} give_back_t;

static void *give_back(void *arg)
{
    give_back_t *g = arg;

    g->reading->source->ops->free_block(g->reading->launch, g->block);
    return NULL;
}

static void another_thread_may_give_blocks_back_and_they_are_used_again(void **state)
{
    pthread_t thread;

    (void)state;
    write_three_blocks("-grid dim = (3,1,1)");
    trace_reading_t r = trace_start("k.traceg");
    trace_block_t *first = trace_next(&r, 0), *second = trace_next(&r, 1), *third;
    const inst_t *inst = first->warps[0].runs[0].first;

    assert_ptr_not_equal(first, second);
    assert_ptr_equal(second->warps[1].runs[0].first, inst); /* code is shared */
    give_back_t g = {&r, first};

    pthread_create(&thread, NULL, give_back, &g);
    pthread_join(thread, NULL);
    third = trace_next(&r, 2);
    assert_ptr_equal(third, first);
    assert_int_equal(second->id[0], 0); /* untouched */
    r.source->ops->free_block(r.launch, second);
    r.source->ops->free_block(r.launch, third);
    trace_stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_in_stored_order),
        cmocka_unit_test(left_out_blocks_are_skipped),
        cmocka_unit_test(missing_warps_are_empty),
        cmocka_unit_test(blocks_missing_from_the_grid_are_warned_about_once),
        cmocka_unit_test(another_thread_may_give_blocks_back_and_they_are_used_again),
    };

    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
