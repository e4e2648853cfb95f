/* Programs with PTX: compiled by the user's ptxas, for which a script stands in here. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/test.h"
#include "tests/support/tool/cli_child.h"

#define CUBIN   RUBATO_ROOT "/traces/cubin/vecadd.sm75.cubin"
#define TEXT(a) RUBATO_CUDA_PROGRAM, CUBIN, "ptx" a
#define RUN     "record", "--no-trace", "--gpu", "t4", "--"

/* Writes ptxas: it appends its arguments to the file calls, and then does what the lines say. */
static void write_ptxas(const char *lines)
{
    FILE *out = fopen("ptxas", "w");

    assert_non_null(out);
    fprintf(out, "#!/bin/sh\necho \"$*\" >>calls\n%s", lines);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod("ptxas", 0700), 0);
}

/* Gives the file after -o the bundled machine code. */
#define COPIES                                                                                     \
    "while [ \"$1\" != -o ]; do shift; done\n"                                                     \
    "cp " CUBIN " \"$2\"\n"

static unsigned calls(void)
{
    char *text = cli_read("calls");
    unsigned n = 0;

    for (const char *at = text; at != NULL && *at != '\0'; at++)
        n += *at == '\n';
    free(text);
    return n;
}

static int begin(void **state)
{
    if (cli_begin(state) != 0)
        return -1;
    setenv("XDG_CACHE_HOME", "relative paths are not used", 1);
    char folder[4096], path[4200];
    if (getcwd(folder, sizeof(folder)) == NULL)
        return -1;
    setenv("HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    snprintf(path, sizeof(path), "%s/ptxas", folder);
    return setenv("RUBATO_PTXAS", path, 1);
}

static void expect_right(void)
{
    char *text = cli_run_as(&rubato, 0, NULL, WORDS(RUN, TEXT("75"), "add", "1000"));
    assert_non_null(strstr(text, "no error\n0 wrong"));
    free(text);
}

static void it_is_compiled_once(void **state)
{
    (void)state;
    write_ptxas(COPIES);
    expect_right();
    expect_right();
    assert_int_equal(calls(), 1);
    char *text = cli_read("calls");
    assert_int_equal(strncmp(text, "-arch=sm_75 -o ", 15), 0);
    free(text);
    /* another compiler */
    write_ptxas("true\n" COPIES);
    expect_right();
    assert_int_equal(calls(), 2);
}

/* The only result in the cache. */
static void cached(char path[4096])
{
    DIR *dir = opendir(".cache/rubato/ptx");

    assert_non_null(dir);
    path[0] = '\0';
    for (struct dirent *d; (d = readdir(dir)) != NULL;)
        if (d->d_name[0] != '.')
            snprintf(path, 4096, ".cache/rubato/ptx/%s", d->d_name);
    closedir(dir);
    assert_true(path[0] != '\0');
}

static void damaged_results_are_made_again(void **state)
{
    char path[4096];

    (void)state;
    unlink("calls");
    assert_int_equal(system("rm -r .cache"), 0);
    expect_right();
    cached(path);
    cli_write(path, "short", 5);
    expect_right();
    assert_int_equal(calls(), 2);
    expect_right();
    assert_int_equal(calls(), 2);
}

static void the_cache_may_be_missing(void **state)
{
    (void)state;
    unlink("calls");
    assert_int_equal(system("rm -r .cache"), 0);
    cli_write(".cache", "a file", 6);
    expect_right();
    expect_right();
    assert_int_equal(calls(), 2);
    unlink(".cache");
}

static void no_temporary_file_is_left(void **state)
{
    DIR *dir = opendir(".");

    (void)state;
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir)) != NULL;)
        if (strncmp(d->d_name, "rubato", 6) == 0)
            fail_msg("%s is left", d->d_name);
    closedir(dir);
}

static void what_the_compiler_says_is_shown(void **state)
{
    (void)state;
    write_ptxas("echo 'line 4; error: this is no instruction' >&2\nexit 255\n");
    expect(125, "/ptxas does not compile the PTX: line 4; error: this is no instruction",
           WORDS(RUN, TEXT("75"), "add", "1000"));
    write_ptxas("kill -9 $$\n");
    expect(125, "/ptxas does not compile the PTX", WORDS(RUN, TEXT("75"), "add", "1000"));
    write_ptxas("true\n"); /* succeeds without a result */
    expect(125, "/ptxas does not compile the PTX", WORDS(RUN, TEXT("75"), "add", "1000"));
}

static void a_compiler_must_know_the_architecture(void **state)
{
    (void)state;
    write_ptxas("echo \"ptxas fatal : Value 'sm_75' is not defined for option 'gpu-name'\"\n"
                "exit 1\n");
    expect(125,
           "no ptxas here compiles PTX for sm_75 (that of CUDA 13 knows sm_75 and later); set "
           "RUBATO_PTXAS to another, or choose another GPU with --gpu",
           WORDS(RUN, TEXT("75"), "add", "1000"));
    expect(125, "no machine code for sm_75, and its PTX is for sm_80 and later",
           WORDS(RUN, TEXT("80"), "add", "1000"));
}

static void earlier_code_is_compiled_for_later_gpus(void **state)
{
    (void)state;
    write_ptxas(COPIES);
    free(cli_run_as(&rubato, 0, NULL, WORDS(RUN, TEXT("60"), "add", "1000")));
    /* machine code comes first */
    unlink("calls");
    free(cli_run_as(&rubato, 0, NULL,
                    WORDS(RUN, RUBATO_CUDA_PROGRAM, CUBIN "," CUBIN, "ptx75,75", "add", "1000")));
    assert_int_equal(calls(), 0);
}

static void a_missing_compiler_is_named(void **state)
{
    (void)state;
    setenv("RUBATO_PTXAS", "/none/ptxas", 1);
    expect(125, "RUBATO_PTXAS names /none/ptxas: there is no ptxas",
           WORDS(RUN, TEXT("75"), "add", "1000"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_compiled_once),
        cmocka_unit_test(damaged_results_are_made_again),
        cmocka_unit_test(the_cache_may_be_missing),
        cmocka_unit_test(no_temporary_file_is_left),
        cmocka_unit_test(what_the_compiler_says_is_shown),
        cmocka_unit_test(a_compiler_must_know_the_architecture),
        cmocka_unit_test(earlier_code_is_compiled_for_later_gpus),
        cmocka_unit_test(a_missing_compiler_is_named),
        cmocka_unit_test(no_temporary_file_is_left),
    };
    return cmocka_run_group_tests(tests, begin, cli_end);
}
