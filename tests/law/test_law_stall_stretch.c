/*
 * Law of stall counts beside a latency that the compiler did not know (sm.compiled_for): an instruction
 * that reads the result issues as many cycles after it as a compiler keeps at least, plus the difference.
 */
#include <string.h>

#include "sim/conf/conf.h"
#include "sim/gpu/setting_scope.h"
#include "tests/support/emulator/control_lab.h"

/* Cycles of CLOCK, FADD with this stall count, a second instruction, CLOCK. */
static uint64_t elapsed(const gpu_spec_t *spec, unsigned stall, const char *second, const char *src)
{
    const control_line_t code[] = {{CLOCK, STALL(2)},
                                   {"FADD", "R1", "R1 R2", STALL(stall)},
                                   {second, "R3", src, STALL(2)},
                                   {CLOCK, STALL(1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};
    return control_lab_elapsed(spec, code);
}

enum { BEFORE = 2, AFTER = 2, KEPT = 4, CROSSES = 1, LONGER = 6 };

static void dependents_issue_later_by_the_difference(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "lat.fp32=10");
    (void)state;
    assert_int_equal(elapsed(&spec, KEPT, "FADD", "R1 R2"), BEFORE + KEPT + LONGER + AFTER);
    assert_int_equal(elapsed(&spec, KEPT + CROSSES, "IADD3", "R1 R2"),
                     BEFORE + KEPT + CROSSES + LONGER + AFTER);
    /* Others do not wait, and neither do those that are far enough behind. */
    assert_int_equal(elapsed(&spec, KEPT, "FADD", "R4 R2"), BEFORE + KEPT + AFTER);
    assert_int_equal(elapsed(&spec, KEPT + LONGER + 1, "FADD", "R1 R2"),
                     BEFORE + KEPT + LONGER + 1 + AFTER);
}

static void nothing_else_stretches_stall_counts(void **state)
{
    gpu_spec_t same = LAB_SPEC("v100", ONE_SM);
    gpu_spec_t shorter = LAB_SPEC("v100", ONE_SM, "lat.fp32=2");
    gpu_spec_t off = LAB_SPEC("v100", ONE_SM, "lat.fp32=10", "sm.compiled_for=none");
    (void)state;
    assert_int_equal(elapsed(&same, KEPT, "FADD", "R1 R2"), BEFORE + KEPT + AFTER);
    assert_int_equal(elapsed(&same, 2, "FADD", "R1 R2"), BEFORE + 2 + AFTER);
    assert_int_equal(elapsed(&shorter, KEPT, "FADD", "R1 R2"), BEFORE + KEPT + AFTER);
    assert_int_equal(elapsed(&off, KEPT, "FADD", "R1 R2"), BEFORE + KEPT + AFTER);
}

/* Whether a row of the table is that of this chip; others may be faster, which stretches nothing. */
static bool is_named(const char *gpu)
{
    return strcmp(gpu, "v100") == 0 || strcmp(gpu, "t4") == 0 || strcmp(gpu, "a100") == 0;
}

static void check_gpu(void *n, const char *name, const char *path)
{
    gpu_spec_t spec = LAB_SPEC(name, NULL);
    uint32_t predicate;
    (void)path;
    if (spec.sm.sm.compiled_for == COMPILED_FOR_NONE)
        return;
    const lat_spec_t *lat = stall_stretch_assumed(spec.sm.sm.compiled_for, &predicate);
    for (size_t i = 0; i < lat_param_group.n_params; i++) {
        const param_t *p = &lat_param_group.params[i];
        const uint32_t then = *(const uint32_t *)(const void *)((const char *)lat + p->offset);
        const uint32_t now =
            *(const uint32_t *)(const void *)((const char *)&spec.sm.lat + p->offset);
        /* A shared unit's results have dependence counters. */
        const bool counted = spec.sm.sm.fp64_shared && strstr(p->name, "64") != NULL;
        if (then != 0 && (now > then || (now < then && is_named(name))) && !counted)
            fail_msg("%s: lat.%s is %u, and %u in stall_stretch.c", name, p->name, now, then);
    }
    assert_true(predicate >= spec.sm.sm.predicate_latency);
    ++*(unsigned *)n;
}

/* What the compiler of a chip assumed are the latencies of the chip's own configuration. */
static void assumed_latencies_are_those_of_the_configurations(void **state)
{
    unsigned n = 0;
    (void)state;
    conf_visit_gpus(check_gpu, &n);
    assert_true(n >= 6);
}

/* Every latency that is said to stretch stall counts has an assumed one. */
static void every_latency_that_stretches_is_assumed(void **state)
{
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < lat_param_group.n_params; i++) {
        const param_t *p = &lat_param_group.params[i];
        const setting_scope_t *scope = setting_scope_find("lat", p->name);
        if (scope == NULL || strstr(scope->when, "stretches stall counts") == NULL)
            continue;
        n++;
        for (uint32_t c = COMPILED_FOR_NONE + 1; c <= COMPILED_FOR_AMPERE; c++) {
            uint32_t predicate;
            const lat_spec_t *lat = stall_stretch_assumed(c, &predicate);
            if (*(const uint32_t *)(const void *)((const char *)lat + p->offset) == 0)
                fail_msg("lat.%s of compiler %u is not known", p->name, c);
        }
    }
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependents_issue_later_by_the_difference),
        cmocka_unit_test(nothing_else_stretches_stall_counts),
        cmocka_unit_test(assumed_latencies_are_those_of_the_configurations),
        cmocka_unit_test(every_latency_that_stretches_is_assumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
