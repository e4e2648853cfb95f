/* Damaged and absurd native traces: each gives one message that names the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/rbt/rbt_checksum.h"
#include "frontend/input/rbt/read/rbt_verify.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/rbt_lab.h"
#include "tests/support/trace/rbt_trial.h"
#include "tests/support/trace/trace_files.h"

enum { FOOTER_ROOT = 8 + 24 };

static uint8_t *good; /* a file of a few launches */
static size_t good_bytes;

static int make_good(void **state)
{
    static const rbt_lab_launch_t launches[] = {
        {.blocks = 3, .threads = 64, .loops = 2, .random = true, .copies = 2},
        {.blocks = 2, .threads = 32, .loops = 1},
    };
    synth_t *s = rbt_lab_program(launches, 2);

    (void)state;
    temp_folder_create();
    trace_capture_stderr();
    rbt_lab_store(synth_source(s), temp_path("good.rbt"), 1);
    synth_destroy(s);
    FILE *in = fopen(temp_path("good.rbt"), "rb");

    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    good_bytes = (size_t)ftell(in);
    rewind(in);
    good = malloc(good_bytes);
    assert_int_equal(fread(good, 1, good_bytes, in), good_bytes);
    fclose(in);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    free(trace_captured());
    free(good);
    temp_folder_remove();
    return 0;
}

/* Verifies bytes as a file and expects this outcome; part is of the message. */
static void gives(const uint8_t *bytes, size_t n, rb_code_t code, const char *part)
{
    rb_err_t err = {0};
    rbt_verified_t v;

    temp_write_bytes("x.rbt", bytes, n);
    rb_code_t got = rbt_verify(temp_path("x.rbt"), &v, &err);

    if (got != code || (code != RB_OK && strstr(err.text, "x.rbt") == NULL) ||
        strstr(err.text, part) == NULL)
        fail_msg("%s, '%s' where '%s' is expected", rb_code_text(got), err.text, part);
}

static void the_good_file_is_good(void **state)
{
    (void)state;
    gives(good, good_bytes, RB_OK, "");
}

static void every_truncation_is_named(void **state)
{
    (void)state;
    for (size_t n = 0; n < good_bytes; n++)
        gives(good, n, RB_TRACE, n < RBT_HEADER_BYTES ? "" : "truncated");
}

static void bytes_behind_the_end_are_refused(void **state)
{
    uint8_t *more = calloc(good_bytes + 1, 1);

    (void)state;
    memcpy(more, good, good_bytes);
    gives(more, good_bytes + 1, RB_TRACE, "truncated");
    free(more);
}

/* Each byte with masks of all kinds; in header and footer each bit. */
static void flipped_bits_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < good_bytes; i++) {
        bool all = i < RBT_HEADER_BYTES || i >= good_bytes - RBT_FOOTER_BYTES;
        const uint8_t masks[] = {(uint8_t)(1u << i % 8), 0x80, 0xff, 0x55};

        for (size_t m = 0; m < sizeof(masks); m++) {
            good[i] ^= masks[m];
            gives(good, good_bytes, RB_TRACE, "");
            good[i] ^= masks[m];
        }
        for (unsigned bit = 0; all && bit < 8; bit++) {
            good[i] ^= (uint8_t)(1u << bit);
            gives(good, good_bytes, RB_TRACE, "");
            good[i] ^= (uint8_t)(1u << bit);
        }
    }
}

/* Changes a 64-bit number of the footer and corrects the checksum. */
static void change_footer(uint8_t *bytes, size_t at, uint64_t v)
{
    uint8_t *foot = bytes + good_bytes - RBT_FOOTER_BYTES;

    memcpy(foot + at, &v, sizeof(v));
    uint64_t sum = rbt_checksum(foot + 8, RBT_FOOTER_BYTES - 16);

    memcpy(foot + RBT_FOOTER_BYTES - 8, &sum, sizeof(sum));
}

static void other_versions_are_named(void **state)
{
    uint8_t *bytes = malloc(good_bytes);
    uint32_t version = RBT_VERSION + 1;

    (void)state;
    memcpy(bytes, good, good_bytes);
    memcpy(bytes + 24, &version, sizeof(version));
    uint64_t sum = rbt_checksum(bytes + 8, 24);

    memcpy(bytes + 32, &sum, sizeof(sum));
    gives(bytes, good_bytes, RB_TRACE, "version 3 of the format is unknown");
    free(bytes);
}

static void a_root_that_lies_elsewhere_is_refused(void **state)
{
    static const uint64_t values[] = {0, 1, UINT64_MAX, UINT64_MAX - 100, UINT64_C(1) << 40};
    uint8_t *bytes = malloc(good_bytes);

    (void)state;
    for (size_t field = 0; field < 5; field++) {
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            memcpy(bytes, good, good_bytes);
            change_footer(bytes, FOOTER_ROOT + 8 * field, values[i]);
            gives(bytes, good_bytes, RB_TRACE, "");
        }
    }
    free(bytes);
}

static void other_files_are_refused(void **state)
{
    static const char text[] = "-kernel name = x\n";
    rb_err_t err = {0};

    (void)state;
    temp_write("text", text);
    assert_false(rbt_detect(temp_path("text")));
    assert_null(rbt_open(temp_path("text"), &err));
    assert_int_equal(err.code, RB_TRACE);
    err = (rb_err_t){0};
    assert_false(rbt_detect(temp_path("")));
    assert_null(rbt_open(temp_path(""), &err));
    assert_int_equal(err.code, RB_TRACE);
    err = (rb_err_t){0};
    assert_false(rbt_detect(temp_path("nothing")));
    assert_null(rbt_open(temp_path("nothing"), &err));
    assert_int_equal(err.code, RB_IO);
    assert_true(rbt_detect(temp_path("good.rbt")));
}

/* Twenty new warp types instead of one in the page: their contents are not looked up. */
static void warp_types_that_are_not_there_are_refused(void **state)
{
    (void)state;
    uint8_t page[160] = {'P', 1, 1, 1, 1,           /* of frames, blocks, types, block types */
                         1,   1, 1, 0, 0, 0, 0,     /* the frame */
                         1,   0, 0, 1, 1, 0, 0, 20, /* a basic block, its type, the block type */
                         0};
    memset(page + 40, 1, 20);
    assert_int_equal(rbt_trial(page, sizeof(page)), RB_TRACE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_good_file_is_good),
        cmocka_unit_test(every_truncation_is_named),
        cmocka_unit_test(bytes_behind_the_end_are_refused),
        cmocka_unit_test(flipped_bits_are_found),
        cmocka_unit_test(other_versions_are_named),
        cmocka_unit_test(a_root_that_lies_elsewhere_is_refused),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(warp_types_that_are_not_there_are_refused),
    };

    return cmocka_run_group_tests(tests, make_good, clean_up);
}
