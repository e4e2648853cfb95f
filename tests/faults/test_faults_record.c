/* A recording with every allocation and every call on a file failing once, in the process of rubato
 * or in the recorded program. The status is then that of the program, 1, or 125 of rubato. */
#include "tests/support/test.h"

#include "tests/support/fault_lab.h"

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
