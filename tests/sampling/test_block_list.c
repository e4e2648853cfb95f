/* Lists of blocks from a file: the blocks of a launch, and lists that are refused. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/inside/block_list.h"
#include "tests/support/temp_folder.h"

static const char file[] = "blocks.txt";

static rb_code_t read_text(block_list_t *l, const char *text, size_t n, rb_err_t *err)
{
    temp_write_bytes(file, text, n);
    return block_list_read(l, temp_path(file), err);
}

/* The listed blocks of a launch, as "0-3 7". */
static void expect_blocks(const char *text, uint64_t blocks, const char *want)
{
    block_list_t l;
    rb_err_t err = {0};
    size_t n, used = 0;
    char got[512] = "";
    if (read_text(&l, text, strlen(text), &err) != RB_OK)
        fail_msg("%s", err.text);
    block_range_t *ranges = block_list_of(&l, blocks, &n);
    assert_true((ranges == NULL) == (n == 0));
    for (size_t i = 0; i < n; i++) {
        const unsigned long long from = ranges[i].from, last = ranges[i].to - 1;
        used +=
            (size_t)snprintf(got + used, sizeof(got) - used,
                             from == last ? "%s%llu" : "%s%llu-%llu", i > 0 ? " " : "", from, last);
        assert_true(block_ranges_have(ranges, n, ranges[i].from));
        assert_true(block_ranges_have(ranges, n, ranges[i].to - 1));
        assert_false(block_ranges_have(ranges, n, ranges[i].to));
    }
    free(ranges);
    block_list_free(&l);
    assert_string_equal(got, want);
}

static void entries_are_blocks_and_shares_of_the_grid(void **state)
{
    (void)state;
    expect_blocks("3\n", 8, "3");
    expect_blocks("  3 # the fourth\n\n# nothing\n 5-6\r\n0", 8, "0 3 5-6");
    expect_blocks("7\n3-5\n5-6\n4\n1\n", 8, "1 3-7");
    /* Blocks that the launch does not have are ignored. */
    expect_blocks("3\n6-100\n200\n", 8, "3 6-7");
    expect_blocks("8\n", 8, "");
    expect_blocks("18446744073709551615\n0-18446744073709551615\n", 3, "0-2");
    expect_blocks("0.25\n50%\n", 8, "2 4");
    expect_blocks("0.25-0.5\n", 8, "2-3");
    expect_blocks("25% - 50%\n", 100, "25-49");
    expect_blocks("0%-100%\n", 5, "0-4");
    expect_blocks("1.0\n0.\n", 5, "0 4");
    expect_blocks("0.5-0.5\n", 8, "");
    /* A share of a small grid may contain no block. */
    expect_blocks("0.5-0.6\n", 4, "");
}

static void expect_refusal(const char *text, size_t n, const char *says)
{
    block_list_t l;
    rb_err_t err = {0};
    assert_int_equal(read_text(&l, text, n, &err), RB_USAGE);
    if (strstr(err.text, says) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, says);
    assert_null(l.entries);
}

static void what_is_no_list_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"1\nfive\n", "blocks.txt:2: expected a block"},
        {"\n\n-3\n", "blocks.txt:3: expected a block"},
        {"1 2\n", "blocks.txt:1: one entry per line"},
        {"1,2\n", "blocks.txt:1: one entry per line"},
        {"7-3\n", "ends before it begins"},
        {"50%-0.25\n", "ends before it begins"},
        {"3-50%\n", "must have two blocks"},
        {"0.1-5\n", "must have two blocks"},
        {"3-\n", "expected a block"},
        {"1.5\n", "at most 1"},
        {"101%\n", "at most 1"},
        {"0.1.2\n", "expected a share"},
        {"99999999999999999999\n", "too large"},
        {"1e3\n", "one entry per line"},
        {"0x10\n", "one entry per line"},
        {"nan\n", "expected a block"},
        {"# nothing\n", "no blocks"},
        {"", "no blocks"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refusal(cases[i].text, strlen(cases[i].text), cases[i].says);
    expect_refusal("1\n2\0\n", 5, "blocks.txt:2: the line contains a zero byte");
    char line[1000];
    memset(line, '1', sizeof(line));
    expect_refusal(line, sizeof(line), "blocks.txt:1: the line is longer");
    rb_err_t err = {0};
    block_list_t l;
    assert_int_equal(block_list_read(&l, temp_path("not-there"), &err), RB_IO);
    rb_err_t of_folder = {0};
    assert_int_equal(block_list_read(&l, temp_path(""), &of_folder), RB_IO);
}

static void other_entries_are_another_list(void **state)
{
    block_list_t a, b, c;
    rb_err_t err = {0};
    (void)state;
    assert_int_equal(read_text(&a, "1\n2\n", 4, &err), RB_OK);
    assert_int_equal(read_text(&b, "1\n3\n", 4, &err), RB_OK);
    assert_int_equal(read_text(&c, "# x\n1\n2", 7, &err), RB_OK);
    assert_true(a.digest != b.digest);
    block_list_free(&a);
    block_list_free(&b);
    block_list_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_blocks_and_shares_of_the_grid),
        cmocka_unit_test(what_is_no_list_is_refused_with_its_line),
        cmocka_unit_test(other_entries_are_another_list),
    };
    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
