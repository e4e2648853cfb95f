/*
 * Cycles and counters from a native file are those from the text that it was converted from: on
 * all traces that ship with the project.
 */
#include <string.h>

#include "frontend/tool/library/open_trace.h"
#include "tests/support/sim/lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/rbt_lab.h"
#include "tests/support/trace/real_traces.h"

static void check(const char *path)
{
    gpu_spec_t spec = lab_spec(strstr(path, "sm75") != NULL ? "rtx2060" : "v100", NULL);
    rb_err_t err = {0};
    trace_source_t *text = open_trace(path, temp_path(""), &err);
    char want[SHA256_TEXT], got[SHA256_TEXT];

    if (text == NULL)
        fail_msg("%s", err.text);
    rbt_lab_store(text, temp_path("x.rbt"), 1);
    trace_source_t *native = rbt_lab_open(temp_path("x.rbt"));

    assert_int_equal(native->ops->n_launches(native), text->ops->n_launches(text));
    lab_run_hash(&spec, text, 1, want);
    lab_run_hash(&spec, native, 2, got);
    text->ops->destroy(text);
    native->ops->destroy(native);
    if (strcmp(want, got) != 0)
        fail_msg("%s: the results from the native file differ from those of the text", path);
}

static void bundled_traces_give_the_same(void **state)
{
    (void)state;
    bundled_traces_each(check);
}

static void other_traces_give_the_same(void **state)
{
    (void)state;
    other_traces_each(check);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_folder_begin, temp_folder_end)
    const struct CMUnitTest tests[] = {
        TEST(bundled_traces_give_the_same),
        TEST(other_traces_give_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
