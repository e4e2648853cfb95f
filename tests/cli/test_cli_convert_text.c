/* rubato convert --to accelsim: text goes to a native file and comes back as it was. */
#include <string.h>
#include <sys/stat.h>

#include "tests/support/input/accelsim_compare.h"
#include "tests/support/test.h"
#include "tests/support/tool/cli_child.h"

static void text_comes_back_from_a_native_file(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("convert", TRACE, "a.rbt"));
    expect(0, "back: 1 launch, 131 k warp instructions as Accel-Sim's text",
           WORDS("convert", "a.rbt", "back", "--to", "accelsim"));
    assert_int_equal(accelsim_compare_files(TRACE "/kernel-1.traceg.xz", "back/kernel-1.traceg"),
                     131072);
    char *list = cli_read("back/kernelslist.g"), *original = cli_read(TRACE "/kernelslist.g");

    /* The same except for the ending of the kernel's name. */
    assert_non_null(strstr(original, "kernel-1.traceg"));
    assert_memory_equal(list, original,
                        (size_t)(strstr(original, "kernel-1.traceg") - original) + 15);
    free(list);
    free(original);
}

static void kernels_can_be_packed(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("convert", TRACE, "zst", "--to=accelsim", "--pack", "zst"));
    assert_true(cli_exists("zst/kernel-1.traceg.zst"));
    expect(0, NULL, WORDS("convert", "zst", "xz", "--to=accelsim", "--pack=xz"));
    assert_int_equal(accelsim_compare_files("zst/kernel-1.traceg.zst", "xz/kernel-1.traceg.xz"),
                     131072);
    expect(2, "--pack needs --to accelsim", WORDS("convert", TRACE, "b.rbt", "--pack=xz"));
    expect(2, "'zstd' is not one of none, xz, zst",
           WORDS("convert", TRACE, "c", "--to=accelsim", "--pack=zstd"));
}

static void a_folder_with_files_is_not_touched(void **state)
{
    (void)state;
    assert_int_equal(mkdir("full", 0777), 0);
    cli_write("full/mine.txt", "x", 1);
    expect(2, "full: this folder is not empty", WORDS("convert", TRACE, "full", "--to=accelsim"));
    char *mine = cli_read("full/mine.txt");

    assert_string_equal(mine, "x");
    assert_false(cli_exists("full/kernelslist.g"));
    free(mine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_comes_back_from_a_native_file),
        cmocka_unit_test(kernels_can_be_packed),
        cmocka_unit_test(a_folder_with_files_is_not_touched),
    };

    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
