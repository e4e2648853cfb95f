/* rubato advise: what bounds the kernels of a run. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/tool/cli_child.h"

/* The line of text that begins with head; to be freed. */
static char *line_of(const char *text, const char *head)
{
    const char *at = strstr(text, head);
    assert_non_null(at);
    return strndup(at, strcspn(at, "\n"));
}

/* The percentage after a title in a line. */
static double percentage(const char *text, const char *title)
{
    const char *at = strstr(text, title);
    assert_non_null(at);
    return atof(at + strlen(title));
}

static void a_kernel_that_streams_is_bound_by_dram(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("gen", "vecadd", "--size", "60000", "-o", "v.rbt"));
    expect(0, NULL,
           WORDS("run", "v.rbt", "-s", "sm.count=8", "-s", "mem.partitions=4", "-s", "l2.slices=4",
                 "-s", "l2.size=96KiB", "-s", "gpu.memcpy_fills_l2=false", "-o", "r"));
    char *out = cli_run_as(&rubato, 0, "10 jobs, 10 to run", WORDS("advise", "r"));
    char *head = line_of(out, "vecadd"), *perfect = line_of(out, "  if perfect:");
    assert_non_null(strstr(head, "bound by DRAM"));
    assert_non_null(strstr(out, "\n  warps wait: long_scoreboard "));
    /* Below 1/10 of the DRAM's time nothing else could be that important. */
    assert_true(percentage(perfect, "DRAM ") < -30.0);
    assert_true(percentage(perfect, "crossbar ") > -10.0);
    free(head);
    free(perfect);
    free(out);
    /* The runs are a study, and are not repeated. */
    expect(0, "10 jobs, 0 to run", WORDS("advise", "r"));
    char *table = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "table", "r/advice"));
    assert_non_null(strstr(table, "   1  as it is\n   2  dram.perfect=true\n"));
    free(table);
}

static void a_kernel_that_computes_is_not_bound_by_memory(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("run", RUBATO_ROOT "/traces/nbody-sm70.rbt", "-s", "sm.count=4", "-o", "n"));
    char *out =
        cli_run_as(&rubato, 0, NULL, WORDS("advise", "n", "-o", "elsewhere", "--jobs", "2"));
    assert_non_null(strstr(out, "bound by what its warps do in the SM"));
    assert_non_null(strstr(out, "elsewhere is the study"));
    free(out);
}

static void what_is_no_run_is_refused(void **state)
{
    (void)state;
    expect(2, "the folder of a run is expected", WORDS("advise", "."));
    expect(0, NULL, WORDS("gen", "vecadd", "--size", "1000", "-o", "gone.rbt"));
    expect(0, NULL, WORDS("run", "gone.rbt", "-s", "sm.count=2", "-o", "g"));
    assert_int_equal(rename("gone.rbt", "moved.rbt"), 0);
    expect(1, "g: the trace", WORDS("advise", "g"));
    assert_false(cli_exists("g/advice"));
    expect(0, NULL, WORDS("advise", "g", "--trace", "moved.rbt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_that_streams_is_bound_by_dram),
        cmocka_unit_test(a_kernel_that_computes_is_not_bound_by_memory),
        cmocka_unit_test(what_is_no_run_is_refused),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
