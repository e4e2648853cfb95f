/* Every call on a file of a sweep of two runs fails once, in the sweep's process or in that of a
 * run. Of allocations and reads only some fail (fault_lab.h, starts_others). */
#include "tests/support/test.h"

#include "tests/support/tool/fault_lab.h"

#define SWEEP                                                                                      \
    "sweep", "small.rbt", "-s", "sm.count=1", "-s", "mem.partitions=1", "--vary",                  \
        "l2.latency=200,210", "-j", "1", "-o", "work/out"

static const fault_case_t sweep = {
    .binary = RUBATO_BINARY,
    .preload = RUBATO_FAULTS_LIBRARY,
    .words = (const char *const[]){SWEEP, NULL},
    .again = (const char *const[]){SWEEP, NULL},
    .refused = 1,
    .refused_too = 1,
    .state = (const char *const[]){"out/", "out/jobs/*/journal", "out/jobs/*/checkpoint",
                                   "out/jobs/*/checkpoint.previous", "out/jobs/*/status",
                                   "out/jobs/*.failed", "out/jobs/*/", NULL},
    .progress = (const char *const[]){"out/results.csv", "out/jobs.csv", NULL},
    .starts_others = true,
    .loose = (const char *const[]){"out/jobs/*.log", "out/lock", NULL},
};

static void make_trace(void)
{
    expect(0, NULL, WORDS("gen", "vecadd", "--size", "32", "-o", "small.rbt"));
}

int main(void)
{
    return fault_lab_main(&sweep, make_trace);
}
