/* Errors of the program on the emulator: each is named. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

static void accesses_out_of_bounds_are_named(void **state)
{
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "vecadd", 70);
    uint64_t a = sass_lab_put(&lab, NULL, 512);
    sass_lab_kernel(&lab, "vecadd");
    sass_lab_pointer(&lab, a);
    sass_lab_pointer(&lab, a);
    sass_lab_pointer(&lab, a);
    sass_lab_int(&lab, 1000);
    assert_int_equal(
        sass_lab_run(&lab, (uint32_t[]){4, 1, 1}, (uint32_t[]){256, 1, 1}, 0, NULL, NULL),
        RB_TRACE);
    assert_non_null(strstr(lab.err.text, "kernel vecadd, block (0,0,0), warp 4, pc 0x"));
    assert_non_null(strstr(lab.err.text, "address 0x7f0000000400 is not in an allocation"));
    assert_non_null(strstr(lab.err.text, "LDG.E.SYS"));
    sass_lab_close(&lab);
}

static void shared_memory_has_bounds(void **state)
{
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "reduce", 75);
    sass_lab_kernel(&lab, "reduce_smem");
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4096));
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4096));
    sass_lab_int(&lab, 512);
    assert_int_equal(
        sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){256, 1, 1}, 512, NULL, NULL),
        RB_TRACE);
    assert_non_null(strstr(lab.err.text, "shared memory has 512 bytes"));
    sass_lab_close(&lab);
}

static void endless_loops_end(void **state)
{
    (void)state;
    sass_lab_never_ends(1, 1, 100000);
}

/* A launch whose blocks each end within a turn is limited, too. */
static void launches_of_many_blocks_end(void **state)
{
    sass_lab_t lab;
    emu_totals_t totals;

    (void)state;
    sass_lab_open(&lab, "spins", 75);
    for (unsigned i = 0; i < 2; i++) {
        sass_lab_kernel(&lab, "rereads");
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
        sass_lab_int(&lab, 0);
        sass_lab_int(&lab, 1);
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
        const emu_launch_t l = {.module = &lab.module,
                                .mem = &lab.mem,
                                .kernel = lab.kernel,
                                .grid = {100000, 1, 1},
                                .block = {1, 1, 1},
                                .params = lab.params,
                                .max_insts = i == 0 ? 1000 : 0,
                                .timeout = i == 0 ? 0 : 1e-9};
        assert_int_equal(emu_run(&l, &totals, &lab.err), RB_TRACE);
        assert_non_null(strstr(lab.err.text, "given up after"));
        assert_int_equal(totals.fault, EMU_FAULT_TIMEOUT);
        assert_true(totals.warp_insts < 10000);
    }
    sass_lab_close(&lab);
}

/* Runs the launch of the lab; returns its error message. */
static emu_fault_t fault_of(sass_lab_t *lab, uint32_t threads)
{
    emu_totals_t totals;
    emu_launch_t l = {.module = &lab->module,
                      .mem = &lab->mem,
                      .kernel = lab->kernel,
                      .grid = {1, 1, 1},
                      .block = {threads, 1, 1},
                      .params = lab->params};

    assert_int_equal(emu_run(&l, &totals, &lab->err), RB_TRACE);
    return totals.fault;
}

static void barriers_that_never_open_are_a_timeout(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "faults")
    {
        sass_lab_kernel(&lab, "wait_apart");
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 512));
        assert_int_equal(fault_of(&lab, 64), EMU_FAULT_TIMEOUT);
        assert_non_null(strstr(lab.err.text, "deadlock: every warp of the block waits"));
    }
}

static void jumps_out_of_the_code_are_named(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "faults")
    {
        uint64_t to = 0x1234567;
        sass_lab_kernel(&lab, "jump");
        sass_lab_param(&lab, &to);
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 512));
        assert_int_equal(fault_of(&lab, 32), EMU_FAULT_PC);
        assert_non_null(
            strstr(lab.err.text, "lane 0: jump to 0x1234567, which is outside the function"));
    }
}

static void impossible_launches_are_refused(void **state)
{
    sass_lab_t lab;

    (void)state;
    sass_lab_open(&lab, "vecadd", 70);
    sass_lab_kernel(&lab, "vecadd");
    for (unsigned i = 0; i < 3; i++)
        sass_lab_pointer(&lab, 0);
    sass_lab_int(&lab, 1);
    assert_int_equal(
        sass_lab_run(&lab, (uint32_t[]){0, 1, 1}, (uint32_t[]){32, 1, 1}, 0, NULL, NULL), RB_TRACE);
    assert_int_equal(
        sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){64, 32, 1}, 0, NULL, NULL),
        RB_TRACE);
    assert_non_null(strstr(lab.err.text, "more than 1024 threads"));
    sass_lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_out_of_bounds_are_named),
        cmocka_unit_test(shared_memory_has_bounds),
        cmocka_unit_test(endless_loops_end),
        cmocka_unit_test(launches_of_many_blocks_end),
        cmocka_unit_test(barriers_that_never_open_are_a_timeout),
        cmocka_unit_test(jumps_out_of_the_code_are_named),
        cmocka_unit_test(impossible_launches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
