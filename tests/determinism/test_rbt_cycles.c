/*
 * Cycles and counters from a native file are those from the text that it was converted from: on
 * the bundled traces, and on those of the reference data where they are there.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frontend/accelsim/accelsim.h"
#include "tests/support/lab.h"
#include "tests/support/rbt_lab.h"
#include "tests/support/temp_folder.h"

static int begin(void **state)
{
    (void)state;
    temp_folder_create();
    return 0;
}

static int end(void **state)
{
    (void)state;
    temp_folder_remove();
    return 0;
}

static trace_source_t *open_text(const char *path)
{
    rb_err_t err = {0};
    trace_source_t *s = accelsim_open(path, NULL, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    return s;
}

static void check(const char *path, const char *gpu)
{
    static lab_results_t want, got;
    gpu_spec_t spec = lab_spec(gpu, NULL);
    trace_source_t *text = open_text(path);
    char a[SHA256_TEXT], b[SHA256_TEXT];

    rbt_lab_store(text, temp_path("x.rbt"), 1);
    lab_run(&spec, text, 1, 0, &want);
    text->ops->destroy(text);
    trace_source_t *native = rbt_lab_open(temp_path("x.rbt"));

    lab_run(&spec, native, 2, 0, &got);
    native->ops->destroy(native);
    assert_int_equal(want.n, got.n);
    lab_hash(&want, a);
    lab_hash(&got, b);
    if (strcmp(a, b) != 0)
        fail_msg("%s: the results from the native file differ from those of the text", path);
}

static void bundled_traces_give_the_same(void **state)
{
    static const char *const names[] = {"histo",       "matmul",          "softmax",
                                        "spmv_vector", "transpose_tiled", "vecadd"};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(names) / sizeof(names[0]); i++) {
        char path[1024];

        snprintf(path, sizeof(path), "%s/traces/%s-sm%d", RUBATO_ROOT, names[i / 2],
                 i % 2 ? 75 : 70);
        check(path, i % 2 ? "rtx2060" : "v100");
    }
}

static void reference_traces_give_the_same(void **state)
{
    static const char *const names[] = {
        "vectorops-sm75-xz",
        "bfs-rodinia-sm70",
        "bfs-rodinia-sm80",
        "mlp-train-sm90",
        "vectoradd-sm75-v5-raw/kernelslist_ctx_0x1868c30",
    };
    unsigned found = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[1024];

        snprintf(path, sizeof(path), "%s/../shared/reference/traces/%s", RUBATO_ROOT, names[i]);
        if (access(path, F_OK) != 0)
            continue;
        check(path, strstr(path, "sm75") != NULL ? "rtx2060" : "v100");
        found++;
    }
    if (found == 0) {
        print_message("the reference traces are not there: skipped\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bundled_traces_give_the_same, begin, end),
        cmocka_unit_test_setup_teardown(reference_traces_give_the_same, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
