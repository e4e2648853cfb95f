/*
 * A native trace with correct checksums but a wrong index or wrong code: rubato trace verify finds
 * it where it can be found, and nothing crashes where it cannot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "frontend/input/rbt/read/rbt_verify.h"
#include "sim/core/log.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/rbt_forge.h"
#include "tests/support/trace/rbt_lab.h"

static const uint8_t masks[] = {0x01, 0x80, 0xff};

static int make_good(void **state)
{
    static const rbt_lab_launch_t launches[] = {
        {.blocks = 3, .threads = 64, .loops = 2, .random = true, .copies = 2},
        {.blocks = 2, .threads = 32, .loops = 1},
    };
    synth_t *s = rbt_lab_program(launches, 2);

    (void)state;
    temp_folder_create();
    rb_log_quiet(true);
    rbt_lab_store(synth_source(s), temp_path("raw.rbt"), 1);
    synth_destroy(s);
    /* so that the sizes in its parts equal those of its copies */
    rbt_forge_hole(temp_path("raw.rbt"), temp_path("good.rbt"), 0);
    return 0;
}

/* Whether the forged file is accepted. Messages must name the file. */
static bool passes(forge_part_t part, const rbt_buf_t *bytes)
{
    rb_err_t err = {0};
    rbt_verified_t v;

    rbt_forge(temp_path("good.rbt"), temp_path("x.rbt"), part, bytes);
    rb_code_t code = rbt_verify(temp_path("x.rbt"), &v, &err);

    if (code != RB_OK && (code != RB_TRACE || strstr(err.text, "x.rbt") == NULL))
        fail_msg("%s: '%s'", rb_code_text(code), err.text);
    return code == RB_OK;
}

/* Tries each mask on each byte of a part; still() must be true for each file that passes. */
static void change_all(forge_part_t part, void (*still)(void))
{
    rbt_buf_t bytes = rbt_forge_part(temp_path("good.rbt"), part);

    assert_true(passes(part, &bytes));
    for (size_t i = 0; i < bytes.n; i++) {
        for (size_t m = 0; m < sizeof(masks); m++) {
            bytes.p[i] ^= masks[m];
            if (passes(part, &bytes))
                still();
            bytes.p[i] ^= masks[m];
        }
    }
    free(bytes.p);
}

/* A file that verify accepts reads like the good file. */
static void reads_the_same(void)
{
    trace_source_t *a = rbt_lab_open(temp_path("good.rbt")), *b = rbt_lab_open(temp_path("x.rbt"));

    rbt_lab_same(a, b);
    a->ops->destroy(a);
    b->ops->destroy(b);
}

static void no_lie_of_a_page_of_blocks_passes(void **state)
{
    (void)state;
    change_all(FORGE_PAGE, reads_the_same);
}

/* Single facts of launches cannot be checked, but their sums can. */
static void has_the_same_sums(void)
{
    rbt_unpacker_t *unpacker = ZSTD_createDCtx();
    trace_source_t *s[2] = {rbt_lab_open(temp_path("good.rbt")), rbt_lab_open(temp_path("x.rbt"))};
    rbt_launch_t *l[2];
    rb_err_t err = {0};

    for (unsigned i = 0; i < 2; i++) {
        l[i] = rbt_launches_read(rbt_source_file(s[i]), 0, unpacker, &err);
        assert_non_null(l[i]);
    }
    for (size_t k = 0; k < rbt_source_file(s[0])->n_launches; k++) {
        const rbt_launch_row_t *a = &l[0][k].row, *b = &l[1][k].row;

        assert_int_equal(a->n_blocks, b->n_blocks);
        assert_int_equal(a->warp_insts, b->warp_insts);
        assert_int_equal(a->thread_insts, b->thread_insts);
        assert_int_equal(a->atomics, b->atomics);
        assert_memory_equal(a->requests, b->requests, sizeof(a->requests));
        assert_memory_equal(a->sectors, b->sectors, sizeof(a->sectors));
        assert_memory_equal(a->classes, b->classes, sizeof(a->classes));
    }
    for (unsigned i = 0; i < 2; i++) {
        free(l[i]);
        s[i]->ops->destroy(s[i]);
    }
    ZSTD_freeDCtx(unpacker);
}

static void no_wrong_sum_of_a_launch_passes(void **state)
{
    (void)state;
    change_all(FORGE_LAUNCHES, has_the_same_sums);
}

/* Data that verify has read need not be read again. */
static void nothing(void)
{
}

/* Other addresses with the same number of sectors, other registers and other names cannot be
 * detected. */
static void other_lies_do_no_harm(void **state)
{
    (void)state;
    change_all(FORGE_FRAME, nothing);
    change_all(FORGE_CODE, nothing);
    change_all(FORGE_ROOT, nothing);
}

/* The largest possible number at the position of each byte of a part. */
static void huge_numbers_are_survived(void **state)
{
    static const uint64_t huge[] = {UINT32_MAX, UINT64_C(1) << 40, INT64_MAX, UINT64_MAX};
    static const forge_part_t parts[] = {FORGE_PAGE, FORGE_LAUNCHES, FORGE_CODE, FORGE_ROOT};

    (void)state;
    for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
        rbt_buf_t bytes = rbt_forge_part(temp_path("good.rbt"), parts[p]);

        for (size_t i = 0; i < bytes.n; i++) {
            rbt_buf_t lie = {0};

            rbt_put_bytes(&lie, bytes.p, i);
            rbt_put_varint(&lie, huge[i % (sizeof(huge) / sizeof(huge[0]))]);
            rbt_put_bytes(&lie, bytes.p + i + 1, bytes.n - i - 1);
            (void)passes(parts[p], &lie);
            free(lie.p);
        }
        free(bytes.p);
    }
}

/* Much that is packed into little. */
static void bombs_are_refused(void **state)
{
    enum { LARGE = 300 << 20 };
    static const size_t sizes[] = {RBT_FRAME_BYTES,    RBT_FRAME_BYTES + 1, RBT_PAGE_BYTES,
                                   RBT_PAGE_BYTES + 1, RBT_ROOT_BYTES + 1,  LARGE};
    static const uint8_t fills[] = {0, 1, 0x7f};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        rbt_buf_t bomb = {.p = malloc(sizes[i]), .n = sizes[i], .cap = sizes[i]};

        assert_non_null(bomb.p);
        memset(bomb.p, fills[i % sizeof(fills)], bomb.n);
        for (forge_part_t part = FORGE_FRAME; part <= FORGE_ROOT; part++)
            assert_false(passes(part, &bomb));
        free(bomb.p);
    }
}

/* Positions are 64-bit numbers; unreferenced bytes are detected. */
static void files_above_4_gib_are_read(void **state)
{
    rb_err_t err = {0};
    rbt_verified_t v;

    (void)state;
    rbt_forge_hole(temp_path("good.rbt"), temp_path("x.rbt"), UINT64_C(5) << 30);
    reads_the_same();
    assert_int_equal(rbt_verify(temp_path("x.rbt"), &v, &err), RB_TRACE);
    assert_non_null(strstr(err.text, "its index accounts for"));
    assert_int_equal(remove(temp_path("x.rbt")), 0);
}

static void bundled_traces_are_whole(void **state)
{
    static const char *const programs[] = {"scan", "stencil", "fft",    "nbody",    "sort",
                                           "bfs",  "hgemm",   "reduce", "layernorm"};

    (void)state;
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
        for (unsigned arch = 70; arch <= 75; arch += 5) {
            char path[512];
            rb_err_t err = {0};
            rbt_verified_t v;
            snprintf(path, sizeof(path), RUBATO_ROOT "/traces/%s-sm%u.rbt", programs[i], arch);
            if (rbt_verify(path, &v, &err) != RB_OK)
                fail_msg("%s", err.text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_lie_of_a_page_of_blocks_passes),
        cmocka_unit_test(no_wrong_sum_of_a_launch_passes),
        cmocka_unit_test(other_lies_do_no_harm),
        cmocka_unit_test(huge_numbers_are_survived),
        cmocka_unit_test(bombs_are_refused),
        cmocka_unit_test(files_above_4_gib_are_read),
        cmocka_unit_test(bundled_traces_are_whole),
    };

    return cmocka_run_group_tests(tests, make_good, temp_folder_end);
}
