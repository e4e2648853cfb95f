/*
 * If the model deadlocks, it prints which part waits for which, and ends. No configuration can
 * cause this; here, the L1 has no MSHR.
 */
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/sim/lab.h"
#include "tests/support/tool/cli_child.h"

enum { EXIT_BUG = 112 };

static uint64_t lines(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    return 0x10000000 + (warp * 1000 + step) * 128 + lane * 4;
}

/* In a child: never returns. */
static void run_stuck(int threads)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=2", "mem.partitions=2", "l2.slices=2",
                               "l2.size=768KiB", "tlb.perfect=true");
    const lab_access_t loads = {.op = {"LDG.E", "R4", "R2"},
                                .blocks = 1,
                                .threads = 64,
                                .regs = 32,
                                .mask = 0xffffffff,
                                .steps = 3,
                                .address = lines};
    static lab_results_t results;
    synth_t *s = synth_create();

    lab_access_add(s, &spec, &loads);
    spec.sm.l1.mshrs = 0;
    lab_run(&spec, synth_source(s), threads, 0, &results);
    _exit(0);
}

static void who_waits_for_whom_is_said(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        const pid_t pid = fork();

        if (pid == 0) {
            int err = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666);

            if (err < 0 || dup2(err, STDERR_FILENO) < 0)
                _exit(1);
            run_stuck(threads);
        }
        assert_int_equal(cli_wait(pid), EXIT_BUG);
        char *said = cli_read("said");
        assert_non_null(strstr(said, "deadlock: launch 1 is not done"));
        assert_non_null(strstr(said, "SM 0: 2 warps"));
        assert_non_null(strstr(said, "load/store unit waits for an MSHR"));
        assert_non_null(strstr(said, "warp 1 (block 0, warp 1): waits for a register"));
        assert_null(strstr(said, "SM 1:"));
        free(said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_waits_for_whom_is_said)};
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
