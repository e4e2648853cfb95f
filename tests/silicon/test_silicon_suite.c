/*
 * The suite of microbenchmarks in its short form, on every card: only the known failures may fail;
 * docs/lab/accuracy.md explains them.
 */
#include "tests/support/test.h"

#include <string.h>

#include "frontend/tool/silicon/validation.h"

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

static void on_v100(void **state)
{
    (void)state;
    run_suite("v100");
}

static void on_titan_v(void **state)
{
    (void)state;
    run_suite("titan_v");
}

static void on_qv100(void **state)
{
    (void)state;
    run_suite("qv100");
}

static void on_t4(void **state)
{
    (void)state;
    run_suite("t4");
}

static void on_rtx2060(void **state)
{
    (void)state;
    run_suite("rtx2060");
}

static void on_rtx2080ti(void **state)
{
    (void)state;
    run_suite("rtx2080ti");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_v100), cmocka_unit_test(on_titan_v), cmocka_unit_test(on_qv100),
        cmocka_unit_test(on_t4),   cmocka_unit_test(on_rtx2060), cmocka_unit_test(on_rtx2080ti),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
