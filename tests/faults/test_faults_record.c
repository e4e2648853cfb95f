/* Allocations from every chain of callers and every call on a file of a recording fail once, in the
 * process of rubato or in the recorded program. The exit status is 1 if the program fails, and 125 if
 * rubato does. */
#include "tests/support/test.h"

#include "tests/support/tool/fault_lab.h"

#define RECORD                                                                                     \
    "record", "--force", "-o", "work/out.rbt", "--tmpdir", "work", "-s", "sm.count=1", "--",       \
        RUBATO_CUDA_PROGRAM, RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", "70", "add", "32"

static const fault_case_t record = {
    .binary = RUBATO_BINARY,
    .preload = RUBATO_FAULTS_LIBRARY,
    .words = (const char *const[]){RECORD, NULL},
    .again = (const char *const[]){RECORD, NULL},
    .refused = 125,
    .refused_too = 1,
    .foreign = (const char *const[]){"*/cuda_program", "*.cubin",
                                     "*.cubin: Cannot allocate memory*", NULL},
};

int main(void)
{
    return fault_lab_main(&record, NULL);
}
