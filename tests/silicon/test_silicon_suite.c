/*
 * The suite of microbenchmarks in its short form, on every card: only the known failures may fail;
 * docs/lab/accuracy.md explains them.
 */
#include "tests/support/test.h"

#include <string.h>

#include "frontend/tool/silicon/validation.h"
#include "sim/core/sanitizer.h"

static const struct {
    const char *gpu, *test;
} known[] = {
    {"titan_v", "C18.f32"},
    {"v100", "M4.steep"},
};

static bool is_known(const char *gpu, const char *test)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].gpu, gpu) == 0 && strcmp(known[i].test, test) == 0)
            return true;
    return false;
}

static void run_suite(const char *gpu)
{
    suite_t suite;
    validation_t v;
    rb_err_t err = {0};
    validation_options_t o = {.gpu = gpu, .threads = 1, .short_form = true};

    if (suite_read(&suite, NULL, &err) != RB_OK || validation_run(&v, &suite, &o, &err) != RB_OK)
        fail_msg("%s", err.text);
    assert_true(validation_count(&v, VERDICT_PASS) > 15);
    for (size_t i = 0; i < v.n; i++)
        if (v.rows[i].verdict == VERDICT_FAIL && !is_known(gpu, v.rows[i].test->id))
            fail_msg("%s: %s: error %g", gpu, v.rows[i].test->id, v.rows[i].error);
    validation_free(&v);
    suite_free(&suite);
}

static void short_form(void **state)
{
    run_suite(*state);
}

int main(void)
{
    /* The address sanitizer gets a card of each generation. */
    static char *const gpus[] = {"v100", "rtx2060", "titan_v", "qv100", "t4", "rtx2080ti"};
    enum { ALL = sizeof(gpus) / sizeof(gpus[0]), TRIED = RB_ADDRESS_SANITIZER ? 2 : ALL };
    struct CMUnitTest tests[TRIED];

    for (size_t i = 0; i < TRIED; i++)
        tests[i] = (struct CMUnitTest){gpus[i], short_form, NULL, NULL, gpus[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
