/* rubato libs, with a toolkit that is made up. */
#include <string.h>

#include "tests/support/test.h"
#include "tests/support/tool/cli_child.h"

#define TOOLKIT "toolkit"

static void shell(const char *command)
{
    if (system(command) != 0) /* NOLINT(cert-env33-c) */
        fail_msg("%s fails", command);
}

/* The same as expect(), for what is printed to standard output. */
static void says(int status, const char *wanted, const char *const *words)
{
    char *text = cli_run_as(&rubato, status, NULL, words);

    if (strstr(text, wanted) == NULL)
        fail_msg("'%s' has no '%s'", text, wanted);
    free(text);
}

/* A toolkit with one library, which calls the runtime. */
static void make_toolkit(void)
{
    shell("rm -rf " TOOLKIT " && mkdir " TOOLKIT);
    shell("printf 'int cudaGetDevice(int *d);\\nint hidden_call(void) { return 1; }\\n"
          "int curandTry(void) { int d; return cudaGetDevice(&d) + hidden_call(); }\\n' >" TOOLKIT
          "/rand.c");
    shell("cc -fPIC -c -o " TOOLKIT "/rand.o " TOOLKIT "/rand.c");
    shell("ar rc " TOOLKIT "/libcurand_static.a " TOOLKIT "/rand.o");
    shell(": >" TOOLKIT "/libcurand.so.10 && : >" TOOLKIT "/libcurand.so.10.3.0.86 && : >" TOOLKIT
          "/libcudart.so.11.0");
}

static void archives_become_shared_libraries(void **state)
{
    (void)state;
    make_toolkit();
    says(0, "libcublas: left out: no libcublas_static.a (Debian: package nvidia-cuda-dev",
         WORDS("libs", "--archives", TOOLKIT, "new/libs"));
    shell("readelf -d new/libs/libcurand.so.10 | grep -q 'SONAME.*libcurand.so.10'");
    shell("readelf -d new/libs/libcurand.so.10 | grep -q 'NEEDED.*libcudart.so.11.0'");
    shell("nm -D new/libs/libcurand.so.10 | grep -q curandTry@@libcurand.so.10");
    shell("! nm -D --defined-only new/libs/libcurand.so.10 | grep -q hidden_call");
    shell("[ \"$(echo $(ls -A new/libs))\" = 'libcurand.so.10 libcurand.so.10.from' ]");
}

static void what_is_there_stays(void **state)
{
    (void)state;
    make_toolkit();
    says(0, "libcurand.so.10: toolkit/", WORDS("libs", "--archives", TOOLKIT, "kept"));
    says(0, "libcurand.so.10: is there", WORDS("libs", "--archives", TOOLKIT, "kept"));
    says(0, "libcurand.so.10: toolkit/", WORDS("libs", "-f", "--archives", TOOLKIT, "kept"));
}

static void other_archives_replace_a_library(void **state)
{
    (void)state;
    make_toolkit();
    says(0, "libcurand.so.10: toolkit/", WORDS("libs", "--archives", TOOLKIT, "changed"));
    shell("rm -rf other && cp -rp " TOOLKIT " other");
    says(0, "libcurand.so.10: other/", WORDS("libs", "--archives", "other", "changed"));
    says(0, "libcurand.so.10: is there", WORDS("libs", "--archives", "other", "changed"));
    says(0, "libcurand.so.10: toolkit/", WORDS("libs", "--archives", TOOLKIT, "changed"));
}

static void the_link_chooses_the_version(void **state)
{
    (void)state;
    make_toolkit();
    shell("cd " TOOLKIT " && : >libcurand.so.11 && : >libcurand.so.9");
    shell("ln -s libcurand.so.10 " TOOLKIT "/libcurand.so");
    says(0, "libcurand.so.10: toolkit/", WORDS("libs", "--archives", TOOLKIT, "ten"));
    shell("ln -sf libcurand.so.11 " TOOLKIT "/libcurand.so");
    says(0, "libcurand.so.11: toolkit/", WORDS("libs", "--archives", TOOLKIT, "eleven"));
    shell("cd " TOOLKIT " && ln -sf libcurand.so.10.3.0.86 libcurand.so.10 && "
          "ln -sf libcurand.so.10 libcurand.so && mv libcudart.so.11.0 libcudart.so.11.8.89 && "
          "ln -s libcudart.so.11.8.89 libcudart.so.11.0 && ln -s libcudart.so.11.0 libcudart.so && "
          ": >libcudart.so.9.2");
    says(0, "libcurand.so.10: toolkit/", WORDS("libs", "--archives", TOOLKIT, "links"));
}

static void a_missing_compiler_is_named(void **state)
{
    (void)state;
    make_toolkit();
    setenv("CXX", "absent-compiler", 1);
    expect(1, "absent-compiler cannot be started: No such file",
           WORDS("libs", "--archives", TOOLKIT, "uncompiled"));
    setenv("CXX", "cc", 1);
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    make_toolkit();
    expect(2, "no static archives of CUDA libraries were found",
           WORDS("libs", "--archives", "nowhere", "none"));
    assert_false(cli_exists("none"));
    shell("rm " TOOLKIT "/libcurand.so.*");
    expect(2, "there is no libcurand.so.* beside it, which tells the version",
           WORDS("libs", "--archives", TOOLKIT, "none"));
    make_toolkit();
    shell("mv " TOOLKIT "/libcudart.so.11.0 " TOOLKIT "/libcudart.so.9.2");
    expect(2, "it needs libcudart.so.9.2, and rubato has no runtime of that version",
           WORDS("libs", "--archives", TOOLKIT, "none"));
    assert_false(cli_exists("none"));
}

static void archives_that_do_not_link_leave_nothing(void **state)
{
    (void)state;
    make_toolkit();
    shell("printf 'int absent(void);\\nint curandTry(void) { return absent(); }\\n' >" TOOLKIT
          "/rand.c && cc -fPIC -c -o " TOOLKIT "/rand.o " TOOLKIT "/rand.c && ar rc " TOOLKIT
          "/libcurand_static.a " TOOLKIT "/rand.o");
    expect(1, "undefined reference to `absent'", WORDS("libs", "--archives", TOOLKIT, "bad"));
    shell("[ -z \"$(ls -A bad)\" ]");
}

/* A compiler that takes a second, and notes when it begins and ends. */
static void make_slow_compiler(void)
{
    shell("printf '#!/bin/sh\\necho begin >>calls\\nsleep 1\\ncc \"$@\"\\necho end >>calls\\n' "
          ">slow-cc && chmod +x slow-cc && rm -f calls");
}

static void two_at_once_build_once(void **state)
{
    (void)state;
    make_toolkit();
    make_slow_compiler();
    setenv("CXX", "./slow-cc", 1);
    setenv("LIBS_RUBATO", rubato.binary, 1);
    shell("for i in 1 2 3; do $LIBS_RUBATO libs --archives " TOOLKIT
          " together >out$i 2>&1 & pids=\"$pids $!\"; done; for p in $pids; do wait $p || exit 1; "
          "done");
    setenv("CXX", "cc", 1);
    shell("[ \"$(echo $(cat calls))\" = 'begin end' ]");
    shell("[ $(grep -l 'libcurand.so.10: is there' out[123] | wc -l) = 2 ]");
    shell("[ \"$(echo $(ls -A together))\" = 'libcurand.so.10 libcurand.so.10.from' ]");
}

static void what_killed_builds_left_is_removed(void **state)
{
    (void)state;
    make_toolkit();
    make_slow_compiler();
    setenv("CXX", "./slow-cc", 1);
    setenv("LIBS_RUBATO", rubato.binary, 1);
    shell("$LIBS_RUBATO libs --archives " TOOLKIT
          " killed >/dev/null 2>&1 & while ! [ -f calls ]; do "
          "sleep 0.05; done; kill -9 $!; [ \"$(ls -A killed | cut -c -10)\" = .building- ]");
    setenv("CXX", "cc", 1);
    says(0, "libcurand.so.10: toolkit/", WORDS("libs", "--archives", TOOLKIT, "killed"));
    shell("[ \"$(echo $(ls -A killed))\" = 'libcurand.so.10 libcurand.so.10.from' ]");
}

static void programs_find_the_libraries(void **state)
{
    static const char show[] = "echo :$LD_LIBRARY_PATH:";

    (void)state;
    shell("mkdir -p mine");
    says(125, "/mine:", WORDS("record", "--no-trace", "--libs", "mine", "--", "sh", "-c", show));
    shell("mkdir -p cache/rubato/libs");
    setenv("XDG_CACHE_HOME", "/nowhere/cache", 1);
    says(125,
         ":/nowhere/cache/rubato/libs:", WORDS("record", "--no-trace", "--", "sh", "-c", show));
    unsetenv("XDG_CACHE_HOME");
    expect(125, "--libs absent: No such file",
           WORDS("record", "--no-trace", "--libs", "absent", "--", "sh", "-c", show));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives_become_shared_libraries),
        cmocka_unit_test(what_is_there_stays),
        cmocka_unit_test(other_archives_replace_a_library),
        cmocka_unit_test(the_link_chooses_the_version),
        cmocka_unit_test(a_missing_compiler_is_named),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(archives_that_do_not_link_leave_nothing),
        cmocka_unit_test(two_at_once_build_once),
        cmocka_unit_test(what_killed_builds_left_is_removed),
        cmocka_unit_test(programs_find_the_libraries),
    };

    setenv("CXX", "cc", 1);
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
