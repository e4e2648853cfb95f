/* Pipes instead of files: pipes with a writer are read, pipes without one are not waited for. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/tool/cli_child.h"

static void a_pipe_without_a_writer_is_told(void **state)
{
    (void)state;
    static const char nobody[] = "pipe: is a pipe that nobody writes to";
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(mkfifo("folder/kernelslist.g", 0600), 0);
    expect(1, "pipe: is a pipe or device, not a file", WORDS("run", "pipe"));
    expect(1, "pipe: is a pipe or device, not a file", WORDS("info", "pipe"));
    expect(1, "pipe: is a pipe or device, not a file", WORDS("convert", "pipe", "pipe.rbt"));
    expect(2, "pipe: is not a native trace", WORDS("trace", "verify", "pipe"));
    expect(1, "kernelslist.g: is a pipe or device, not a file", WORDS("run", "folder"));
    expect(1, nobody, WORDS("run", TRACE, "--plan", "pipe"));
    expect(1, nobody, WORDS("run", TRACE, "--sample", "stem", "--profile", "pipe"));
    expect(1, nobody, WORDS("plan", "pipe", "--sample", "stem"));
    expect(1, nobody, WORDS("evaluate", "pipe", "--sample", "stem"));
    expect(1, nobody, WORDS("compare", TRACE, "--hardware", "pipe"));
    expect(1, nobody, WORDS("report", "pipe", "-o", "page.html"));
    expect(1, nobody, WORDS("sass", "pipe"));
    expect(2, "not a regular file", WORDS("config", "check", "./pipe"));
}

static void a_pipe_with_a_writer_is_read(void **state)
{
    (void)state;
    static const cli_child_t shell = {.binary = "/bin/sh"};
    static const char *const writers[] = {
        "cat plan.json |",                               /* may already have written and exited */
        "(sleep 0.3; cat plan.json) |",                  /* is running and slow */
        "(sleep 0.3; cat plan.json >fifo) & </dev/null", /* comes a little later */
    };
    char command[512];
    expect(0, NULL, WORDS("gen", "stencil", "--size", "66", "-p", "steps=6", "-o", "six.rbt"));
    expect(0, NULL, WORDS("plan", "six.rbt", "--sample", "random:count=3", "-o", "plan.json"));
    expect(0, NULL, WORDS("run", "six.rbt", "--plan", "plan.json", "-o", "from-file"));
    assert_int_equal(mkfifo("fifo", 0600), 0);
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        snprintf(command, sizeof(command),
                 "%s " RUBATO_BINARY " run six.rbt --force -o o --plan %s", writers[i],
                 i == 2 ? "fifo" : "/dev/stdin");
        free(cli_run_as(&shell, 0, NULL, WORDS("-c", command)));
        cli_same_results("from-file", "o");
    }
    static const char profile[] =
        "cat from-file/launches.csv | " RUBATO_BINARY " plan /dev/stdin --sample random:count=1";
    free(cli_run_as(&shell, 0, NULL, WORDS("-c", profile)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_without_a_writer_is_told),
        cmocka_unit_test(a_pipe_with_a_writer_is_read),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
