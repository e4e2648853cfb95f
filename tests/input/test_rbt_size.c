/* The native trace file is small, compared with the text and with the entropy of its addresses. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "frontend/input/accelsim/write/accelsim_writer.h"
#include "tests/support/input/gen_trial.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/rbt_lab.h"

/* Bytes of a trace: as text, in its frames of blocks, in the pages of its index. */
typedef struct {
    uint64_t text, payload, pages, blocks;
} sizes_t;

static uint64_t bytes_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return (uint64_t)st.st_size;
}

static uint64_t text_bytes(trace_source_t *source)
{
    uint64_t n = 0;
    rb_err_t err = {0};

    if (accelsim_write(source, temp_path("text"), NULL, &err) != RB_OK)
        fail_msg("%s", err.text);
    for (uint64_t id = 1; id <= source->ops->n_launches(source); id++) {
        char name[64];

        snprintf(name, sizeof(name), "text/kernel-%" PRIu64 ".traceg", id);
        n += bytes_of(temp_path(name));
    }
    return n;
}

/* Stores a source and destroys it. */
static sizes_t sizes_of(trace_source_t *source)
{
    sizes_t n = {.text = text_bytes(source)};

    rbt_lab_store(source, temp_path("x.rbt"), 1);
    source->ops->destroy(source);
    trace_source_t *t = rbt_lab_open(temp_path("x.rbt"));
    const rbt_file_t *f = rbt_source_file(t);

    for (size_t i = 0; i < f->n_block_pages; i++) {
        n.payload += f->block_pages[i].place.offset - f->block_pages[i].first_frame;
        n.pages += f->block_pages[i].place.packed;
    }
    n.blocks = f->n_blocks;
    t->ops->destroy(t);
    return n;
}

static void affine_kernels_take_a_hundredth_of_the_text(void **state)
{
    sizes_t n = sizes_of(GEN_OPEN("vecadd", 70, 1 << 18, NULL));

    (void)state;
    assert_in_range(n.payload, 1, n.text / 100);
    assert_in_range(n.pages, 1, 16 * n.blocks);
}

/* Random bytes, each the index of a bin: they cannot be stored in less. */
static void unrelated_addresses_take_what_they_say(void **state)
{
    enum { WORDS = 1 << 18 };
    sizes_t n = sizes_of(GEN_OPEN("histogram", 70, WORDS, NULL));

    (void)state;
    assert_in_range(n.payload, 4 * WORDS, 4 * WORDS * 102 / 100);
}

/* Frequent distances between lanes must not be replaced by addresses that occur once. */
static void repeated_distances_are_found(void **state)
{
    sizes_t n = sizes_of(GEN_OPEN("kmeans", 70, 1 << 13, NULL));

    (void)state;
    assert_in_range(n.payload, 1, n.text / 100);
}

static void rows_of_a_sparse_matrix_take_little_index(void **state)
{
    sizes_t n = sizes_of(GEN_OPEN("spmv", 70, 1 << 16, "skew=4"));

    (void)state;
    assert_in_range(n.payload, 1, n.text / 12);
    assert_in_range(n.pages, 1, 16 * n.blocks);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_folder_begin, temp_folder_end)
    const struct CMUnitTest tests[] = {
        TEST(affine_kernels_take_a_hundredth_of_the_text),
        TEST(unrelated_addresses_take_what_they_say),
        TEST(repeated_distances_are_found),
        TEST(rows_of_a_sparse_matrix_take_little_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
