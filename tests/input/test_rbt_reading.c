/* The native trace file: what is not asked for is not read, and little is held in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "sim/core/sanitizer.h"
#include "tests/support/input/gen_trial.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/rbt_lab.h"

enum { BLOCKS = 2000, STRIDE = 97 };

static uint64_t file_bytes;

static uint64_t bytes_read(void)
{
    unsigned long long n = 0;
    FILE *in = fopen("/proc/self/io", "r");

    if (in == NULL)
        skip();
    assert_int_equal(fscanf(in, "rchar: %llu", &n), 1);
    fclose(in);
    return n;
}

static int store_large(void **state)
{
    static const rbt_lab_launch_t launches[] = {
        {.blocks = BLOCKS, .threads = 256, .loops = 40, .random = true}};
    synth_t *s = rbt_lab_program(launches, 1);
    struct stat st;

    (void)state;
    temp_folder_create();
    rbt_lab_store(synth_source(s), temp_path("x.rbt"), 1);
    synth_destroy(s);
    assert_int_equal(stat(temp_path("x.rbt"), &st), 0);
    file_bytes = (uint64_t)st.st_size;
    assert_true(file_bytes > 10 << 20);
    return 0;
}

static void get_block(trace_source_t *t, trace_launch_t *l, uint64_t i)
{
    rb_err_t err = {0};
    trace_block_t *b = NULL;

    if (t->ops->get_block(l, i, &b, &err) != RB_OK)
        fail_msg("%s", err.text);
    assert_int_equal(b->index, i);
    t->ops->free_block(l, b);
}

/* Bytes that are read to open the file and to get every step-th block from first on. */
static uint64_t bytes_of_reading(uint64_t first, uint64_t step)
{
    uint64_t before = bytes_read();
    trace_source_t *t = rbt_lab_open(temp_path("x.rbt"));
    rb_err_t err = {0};
    trace_launch_t *l;

    assert_int_equal(t->ops->open(t, 1, &l, &err), RB_OK);
    for (uint64_t i = first; i < BLOCKS; i += step)
        get_block(t, l, i);
    t->ops->close(l);
    t->ops->destroy(t);
    return bytes_read() - before;
}

static void skipping_99_percent_reads_little(void **state)
{
    uint64_t n = bytes_of_reading(BLOCKS * 99 / 100, 1);

    (void)state;
    if (n * 1000 > file_bytes * 15)
        fail_msg("%llu of %llu bytes are read for 1 %% of the blocks", (unsigned long long)n,
                 (unsigned long long)file_bytes);
}

/* Bytes of the frames that hold every step-th block, each counted once, and of what is no frame. */
static uint64_t bytes_needed(uint64_t step)
{
    trace_source_t *t = rbt_lab_open(temp_path("x.rbt"));
    const rbt_file_t *f = rbt_source_file(t);
    rbt_unpacker_t *unpacker = ZSTD_createDCtx();
    uint64_t needed = 0, frames = 0;
    rb_err_t err = {0};

    for (size_t p = 0; p < f->n_block_pages; p++) {
        rbt_page_t page;

        assert_int_equal(rbt_page_read(&page, f, p, unpacker, &err), RB_OK);
        for (size_t i = 0; i < page.n_frames; i++) {
            const rbt_frame_ref_t *frame = &page.frames[i];
            uint64_t first = f->block_pages[p].first_block + frame->first_block;
            uint64_t kept = (first + step - 1) / step * step;

            assert_true(frame->n_blocks > 0); /* no block is cut */
            frames += frame->place.packed;
            needed += kept < first + frame->n_blocks ? frame->place.packed : 0;
        }
        rbt_page_free(&page);
    }
    ZSTD_freeDCtx(unpacker);
    t->ops->destroy(t);
    return needed + file_bytes - frames;
}

/* One frame for each block kept, and the index once. */
static void scattered_blocks_cost_a_frame_each(void **state)
{
    enum { PROC_BYTES = 512 }; /* of /proc/self/io itself */
    uint64_t needed = bytes_needed(STRIDE), n = bytes_of_reading(0, STRIDE);

    (void)state;
    assert_true(needed < file_bytes / 4); /* or there is nothing to skip */
    assert_in_range(n, needed - needed / 20, needed + PROC_BYTES);
}

/* Blocks of one frame, in order, read it once. */
static void neighbours_share_a_frame(void **state)
{
    enum { PROC_BYTES = 512 };

    (void)state;
    assert_in_range(bytes_of_reading(0, 1), file_bytes - file_bytes / 100, file_bytes + PROC_BYTES);
}

/* --- very many launches ---------------------------------------------------------------------- */

/* All rows of launches are 40 MiB. The address sanitizer keeps freed memory. */
#if RB_ADDRESS_SANITIZER
enum { MEMORY_MAX = 100 << 10 };
#else
enum { MEMORY_MAX = 24 << 10 }; /* KiB */
#endif

enum { LAUNCHES = 100000, SEEKS = 60 };

/* In a separate process, because the peak memory of another one would be included. */
static void in_child(void (*act)(void))
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void store_many(void)
{
    trace_source_t *s = GEN_OPEN("blackscholes", 70, 200, "launches=100000");

    rbt_lab_store(s, temp_path("many.rbt"), 1);
    s->ops->destroy(s);
}

static long peak_kib(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

/* The initial peak of a new process is that of its parent. */
static void seek_in_many(void)
{
    trace_source_t *t;
    rb_err_t err = {0};
    long before = peak_kib();

    t = rbt_lab_open(temp_path("many.rbt"));
    assert_int_equal(t->ops->n_launches(t), LAUNCHES);
    for (uint64_t i = 0; i < SEEKS; i++) {
        uint64_t id = 1 + i * 7919 % LAUNCHES;
        launch_info_t info;
        trace_launch_t *l;

        assert_int_equal(t->ops->launch_info(t, id, &info, &err), RB_OK);
        assert_int_equal(info.id, id);
        assert_int_equal(t->ops->open(t, id, &l, &err), RB_OK);
        get_block(t, l, 0);
        t->ops->close(l);
    }
    t->ops->destroy(t);
    if (peak_kib() - before > MEMORY_MAX) {
        print_message("%ld KiB for %d launches\n", peak_kib() - before, LAUNCHES);
        _exit(1);
    }
}

static void many_launches_need_little_memory(void **state)
{
    (void)state;
    in_child(store_many);
    in_child(seek_in_many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipping_99_percent_reads_little),
        cmocka_unit_test(scattered_blocks_cost_a_frame_each),
        cmocka_unit_test(neighbours_share_a_frame),
        cmocka_unit_test(many_launches_need_little_memory),
    };

    return cmocka_run_group_tests(tests, store_large, temp_folder_end);
}
