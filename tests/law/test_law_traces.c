/*
 * Laws of comparisons that sweeps make, on real programs: bundled traces of some thousand cycles.
 * Launch latency is excluded.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "frontend/tool/library/open_trace.h"
#include "tests/support/sim/lab.h"
#include "tests/support/temp_folder.h"

static const char *const names[] = {
    "histo-sm70",           "histo-sm75",          "vecadd-sm70",        "vecadd-sm75",
    "scan-sm70.rbt",        "scan-sm75.rbt",       "layernorm-sm70.rbt", "layernorm-sm75.rbt",
    "transpose_tiled-sm70", "transpose_tiled-sm75"};
enum { TRACES = sizeof(names) / sizeof(names[0]) };

static double cycles_of(const char *name, const char *setting)
{
    static lab_results_t r;
    const char *overrides[] = {setting, NULL};
    gpu_spec_t spec = lab_spec(strstr(name, "sm75") != NULL ? "rtx2060" : "v100", overrides);
    char path[1024];
    rb_err_t err = {0};
    uint64_t sum = 0;

    snprintf(path, sizeof(path), "%s/traces/%s", RUBATO_ROOT, name);
    trace_source_t *t = open_trace(path, temp_path(""), &err);
    if (t == NULL)
        fail_msg("%s", err.text);
    lab_run(&spec, t, 1, 0, &r);
    t->ops->destroy(t);
    for (size_t i = 0; i < r.n; i++)
        sum += launch_result_cycles(&r.launch[i]) - r.launch[i].launch_cycles;
    return (double)sum;
}

/* Cycles of each trace on the unchanged cards. */
static double real[TRACES];

static int run_as_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < TRACES; i++)
        real[i] = cycles_of(names[i], NULL);
    return 0;
}

/*
 * A part without limits changes the order of warps and requests, which can cost more than the part
 * did: on the 30 bundled traces with each of 8 parts at most 6.4 % (docs/limits.md). In the mean no
 * part costs time.
 */
static void a_perfect_part_is_never_much_slower_and_faster_in_the_mean(void **state)
{
    static const char *const parts[] = {"l1", "l2", "dram", "icnt", "icache", "const", "tlb"};
    const double most = 1.08, mean = 1.001;

    (void)state;
    for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
        char setting[32];
        double logs = 0;

        snprintf(setting, sizeof(setting), "%s.perfect=true", parts[p]);
        for (size_t i = 0; i < TRACES; i++) {
            const double ratio = cycles_of(names[i], setting) / real[i];

            if (ratio > most)
                fail_msg("%s, %s: %.3f times the cycles", names[i], setting, ratio);
            logs += log(ratio);
        }
        if (exp(logs / TRACES) > mean)
            fail_msg("%s: %.3f times the cycles in the mean", setting, exp(logs / TRACES));
    }
}

/* layernorm: the second block of an SM finds in L1 the weights that all blocks read
 * (docs/limits.md). */
static void twice_the_sms_are_never_much_slower(void **state)
{
    (void)state;
    for (size_t i = 0; i < TRACES; i++) {
        const bool second_blocks = strstr(names[i], "layernorm") != NULL;
        const char *twice = strstr(names[i], "sm75") != NULL ? "sm.count=60" : "sm.count=160";
        const double ratio = cycles_of(names[i], twice) / real[i];

        if (ratio > (second_blocks ? 1.16 : 1.03))
            fail_msg("%s, %s: %.3f times the cycles", names[i], twice, ratio);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_perfect_part_is_never_much_slower_and_faster_in_the_mean),
        cmocka_unit_test(twice_the_sms_are_never_much_slower),
    };

    return cmocka_run_group_tests(tests, run_as_they_are, NULL);
}
