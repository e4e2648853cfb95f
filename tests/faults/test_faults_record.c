/* A recording with every allocation and every call on a file failing once, in the process of rubato
 * or in the recorded program. The status is then that of the program, 1, or 125 of rubato. */
#include "tests/support/test.h"

#include "tests/support/fault_lab.h"

#define RECORD                                                                                     \
    "record", "--force", "-o", "work/out.rbt", "--tmpdir", "work", "-s", "sm.count=1", "--",       \
        RUBATO_CUDA_PROGRAM, RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", "70", "add", "32"

static const fault_case_t record = {
    .binary = RUBATO_BINARY,
    .library = RUBATO_FAULTS_LIBRARY,
    .words = (const char *const[]){RECORD, NULL},
    .again = (const char *const[]){RECORD, NULL},
    .refused = 125,
    .refused_too = 1,
    .foreign = (const char *const[]){"*/cuda_program", "*.cubin",
                                     "*.cubin: Cannot allocate memory*", NULL},
};

static int begin(void **state)
{
    if (cli_begin(state) != 0)
        return -1;
    fault_lab_begin(&record);
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
    fault_lab_allocations(&record);
}

static void every_call_on_a_file_fails_once(void **state)
{
    (void)state;
    fault_lab_files(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(every_call_on_a_file_fails_once),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
