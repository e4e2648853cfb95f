/* Programs with a static CUDA runtime run as those with the shared one. */
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/support/tool/cli_child.h"

#define CUBIN      RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", "70"
#define ADD        CUBIN, "add", "30000", "4"
#define STATIC(is) RUBATO_STATIC "/static_" is
#define LATE       RUBATO_STATIC "/late_loader", STATIC("library")

static void assert_same_bytes(const char *a, const char *b)
{
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    int c, n = 0;

    assert_non_null(x);
    assert_non_null(y);
    do {
        c = fgetc(x);
        assert_int_equal(c, fgetc(y));
        n++;
    } while (c != EOF);
    assert_true(n > 1000);
    fclose(x);
    fclose(y);
}

/* Records a program; what it prints and its trace are those of the program with the shared runtime. */
static void expect_same_trace(const char *trace, const char *const *words)
{
    char *shared = cli_run_as(&rubato, 0, NULL,
                              WORDS("record", "-f", "-o", "a.rbt", "--", RUBATO_CUDA_PROGRAM, ADD));
    char *text = cli_run_as(&rubato, 0, NULL, words);

    assert_non_null(strstr(text, "no error\n0 wrong"));
    assert_string_equal(text, shared);
    free(text);
    free(shared);
    assert_same_bytes("a.rbt", trace);
}

static void a_static_runtime_is_replaced(void **state)
{
    (void)state;
    expect_same_trace("b.rbt", WORDS("record", "-o", "b.rbt", "--", STATIC("program"), ADD));
}

static void programs_may_be_at_a_fixed_address(void **state)
{
    (void)state;
    expect_same_trace("c.rbt", WORDS("record", "-o", "c.rbt", "--", STATIC("fixed"), ADD));
}

static void libraries_may_be_loaded_later(void **state)
{
    (void)state;
    expect_same_trace("d.rbt", WORDS("record", "-o", "d.rbt", "--", LATE, ADD));
}

static void programs_may_be_started_by_others(void **state)
{
    (void)state;
    expect_same_trace("e.rbt", WORDS("record", "-o", "e.rbt", "--", "sh", "-c",
                                     "\"$0\" \"$@\" && exit 0", STATIC("program"), ADD));
}

static void without_symbols_it_is_refused(void **state)
{
    (void)state;
    expect(125,
           "its CUDA runtime is linked statically, and the symbols by which it could be replaced "
           "are stripped; link the program without stripping it, or with nvcc -cudart shared",
           WORDS("record", "--no-trace", "--", STATIC("stripped"), ADD));
}

static void the_program_is_simulated(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("run", "-o", "f", "--", RUBATO_CUDA_PROGRAM, ADD));
    expect(0, NULL, WORDS("run", "-o", "g", "--", STATIC("program"), ADD));
    cli_same_file("f", "g", "launches.csv");
    cli_same_file("f", "g", "stats.csv");
}

static void errors_are_those_of_the_shared_runtime(void **state)
{
    (void)state;
    expect(125, "the program calls cudaIpcGetMemHandle(), which is not supported",
           WORDS("record", "--no-trace", "--", STATIC("program"), CUBIN, "missing"));
    expect(0, "kernel vecadd, block (",
           WORDS("record", "--no-trace", "--", STATIC("program"), CUBIN, "wild"));
}

/* What the user preloads stays. */
static void other_libraries_may_be_preloaded(void **state)
{
    cli_child_t child = {.binary = RUBATO_BINARY, .preload = "libm.so.6"};

    (void)state;
    free(cli_run_as(&child, 0, NULL, WORDS("record", "--no-trace", "--", STATIC("program"), ADD)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_static_runtime_is_replaced),
        cmocka_unit_test(programs_may_be_at_a_fixed_address),
        cmocka_unit_test(libraries_may_be_loaded_later),
        cmocka_unit_test(programs_may_be_started_by_others),
        cmocka_unit_test(without_symbols_it_is_refused),
        cmocka_unit_test(the_program_is_simulated),
        cmocka_unit_test(errors_are_those_of_the_shared_runtime),
        cmocka_unit_test(other_libraries_may_be_preloaded),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
