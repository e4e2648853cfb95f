/* Allocations from every chain of callers and every call on a file of a simulation fail once. */
#include "tests/support/test.h"

#include "tests/support/tool/fault_lab.h"

/* One launch of a few instructions on one SM, a checkpoint after each. */
#define SMALL "-s", "sm.count=1", "-s", "mem.partitions=1", "-t", "1"
#define RUN                                                                                        \
    "run", "small.rbt", SMALL, "-o", "work/out", "--stats-interval", "2k",                         \
        "--checkpoint-interval", "0"

static const fault_case_t run = {
    .binary = RUBATO_BINARY,
    .preload = RUBATO_FAULTS_LIBRARY,
    .words = (const char *const[]){RUN, NULL},
    .again = (const char *const[]){RUN, "--resume", NULL},
    .refused = 1,
    .refused_too = 1,
    .state = (const char *const[]){"out/", "out/journal", "out/checkpoint",
                                   "out/checkpoint.previous", "out/status", NULL},
};

static void make_trace(void)
{
    expect(0, NULL, WORDS("gen", "stencil", "--size", "4", "-p", "steps=3", "-o", "small.rbt"));
}

int main(void)
{
    return fault_lab_main(&run, make_trace);
}
