/* A simulation with every allocation and every call on a file failing once. */
#include "tests/support/test.h"

#include "tests/support/fault_lab.h"

/* One launch of a few instructions on one SM, a checkpoint after each. */
#define SMALL "-s", "sm.count=1", "-s", "mem.partitions=1", "-t", "1"
#define RUN                                                                                        \
    "run", "small.rbt", SMALL, "-o", "work/out", "--stats-interval", "2k",                         \
        "--checkpoint-interval", "0"

static const fault_case_t run = {
    .binary = RUBATO_BINARY,
    .library = RUBATO_FAULTS_LIBRARY,
    .words = (const char *const[]){RUN, NULL},
    .again = (const char *const[]){RUN, "--resume", NULL},
    .refused = 1,
    .refused_too = 1,
    .state = (const char *const[]){"out/", "out/journal", "out/checkpoint",
                                   "out/checkpoint.previous", "out/status", NULL},
};

static int begin(void **state)
{
    if (cli_begin(state) != 0)
        return -1;
    expect(0, NULL, WORDS("gen", "stencil", "--size", "4", "-p", "steps=3", "-o", "small.rbt"));
    fault_lab_begin(&run);
    return 0;
}

static int end(void **state)
{
    fault_lab_end();
    return cli_end(state);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    fault_lab_allocations(&run);
}

static void every_call_on_a_file_fails_once(void **state)
{
    (void)state;
    fault_lab_files(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(every_call_on_a_file_fails_once),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
