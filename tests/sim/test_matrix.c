/* Jobs of sweeps as a matrix of programs and configurations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/study/table/matrix_values.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"

/* Writes the folder of a sweep with one job per row of "trace gpu point cycles"; 0 cycles: not done. */
static void write_sweep(const char *folder, const char *const rows[][3], const double *cycles,
                        size_t n)
{
    char list[4096] = "job\tid\tcommand\ttrace\tgpu\tl2.size\n", name[128];
    for (size_t i = 0; i < n; i++) {
        char id[20], text[512];
        snprintf(id, sizeof(id), "%016zx", i);
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%zu\t%s\texec x\t%s\t%s\t%s\n",
                 i + 1, id, rows[i][0], rows[i][1], rows[i][2]);
        if (cycles[i] <= 0.0)
            continue;
        snprintf(name, sizeof(name), "%s/jobs/%s/run.json", folder, id);
        temp_write(name, "{\n  \"complete\": true\n}\n");
        snprintf(text, sizeof(text),
                 "path,value,unit,low,high\ntotals.cycles,%.0f,cycles,,\ntotals.estimated,%d,1,,\n"
                 "metrics.ipc,%g,inst/cycle,,\n",
                 cycles[i], i == 0, 1000.0 / cycles[i]);
        snprintf(name, sizeof(name), "%s/jobs/%s/stats.csv", folder, id);
        temp_write(name, text);
    }
    snprintf(name, sizeof(name), "%s/jobs.tsv", folder);
    temp_write(name, list);
}

static const matrix_choice_t everything;

static void open_one(matrix_t *m, const char *folder)
{
    rb_err_t err = {0};
    char path[256];
    snprintf(path, sizeof(path), "%s", temp_path(folder));
    if (matrix_open(m, &(char *){path}, 1, &everything, &err) != RB_OK)
        fail_msg("%s", err.text);
}

static const char *const two_by_two[][3] = {{"bfs/a", "v100", "3MiB"},
                                            {"bfs/a", "v100", "6MiB"},
                                            {"nn/b", "v100", "3MiB"},
                                            {"nn/b", "v100", "6MiB"}};

static void programs_are_rows_and_points_columns(void **state)
{
    static const double cycles[] = {1000, 500, 2000, 4000};
    matrix_t m;
    matrix_values_t v;
    (void)state;
    write_sweep("s", two_by_two, cycles, 4);
    open_one(&m, "s");
    assert_int_equal(m.n_programs, 2);
    assert_int_equal(m.n_columns, 2);
    assert_string_equal(m.programs[0].label, "bfs");
    assert_string_equal(m.columns[1].label, "l2.size=6MiB");
    assert_int_equal(matrix_values_read(&v, &m, "cycles", NULL, MATRIX_ratio, NULL), RB_OK);
    assert_string_equal(v.path, "totals.cycles");
    assert_true(v.shown[0] == 1.0 && v.shown[1] == 0.5 && v.shown[3] == 2.0);
    assert_true(v.estimated[0] && !v.estimated[1]);
    /* 0.5 and 2 are as far from 1 as each other. */
    const matrix_mean_t mean = matrix_mean(v.shown + 1, 2, 2);
    assert_true(fabs(mean.mean - 1.0) < 1e-12);
    assert_true(fabs(mean.deviation - exp(sqrt(2.0) * log(2.0))) < 1e-12);
    assert_true(mean.least == 0.5 && mean.most == 2.0 && mean.n == 2);
    matrix_values_free(&v);
    assert_int_equal(
        matrix_values_read(&v, &m, "metrics.ipc", "l2.size=6MiB", MATRIX_speedup, NULL), RB_OK);
    assert_true(v.base == 1 && fabs(v.shown[0] - 2.0) < 1e-12 && v.shown[1] == 1.0);
    matrix_values_free(&v);
    matrix_close(&m);
}

static void what_is_not_done_is_left_out_of_means(void **state)
{
    static const double cycles[] = {1000, 500, 2000, 0};
    matrix_t m;
    matrix_values_t v;
    (void)state;
    write_sweep("part", two_by_two, cycles, 4);
    open_one(&m, "part");
    assert_int_equal(matrix_values_read(&v, &m, "cycles", NULL, MATRIX_ratio, NULL), RB_OK);
    assert_true(isnan(v.shown[3]));
    const matrix_mean_t mean = matrix_mean(v.shown + 1, 2, 2);
    assert_int_equal(mean.n, 1);
    assert_true(fabs(mean.mean - 0.5) < 1e-12 && isnan(mean.deviation));
    matrix_values_free(&v);
    matrix_close(&m);
}

/* Programs of two architectures ran on the default GPUs, which are then no columns. */
static void default_gpus_are_one_column(void **state)
{
    static const char *const rows[][3] = {
        {"a", "v100", ""}, {"b", "rtx2060", ""}, {"c/1", "v100", ""}, {"c/2", "v100", ""}};
    static const char *const gpus[][3] = {{"a", "v100", ""}, {"a", "rtx2060", ""}};
    static const double cycles[] = {1, 2, 3, 4};
    matrix_t m;
    (void)state;
    write_sweep("defaults", rows, cycles, 4);
    open_one(&m, "defaults");
    assert_int_equal(m.n_columns, 1);
    assert_int_equal(m.n_programs, 4);
    assert_string_equal(m.programs[2].label, "c/1");
    matrix_close(&m);
    write_sweep("gpus", gpus, cycles, 2);
    open_one(&m, "gpus");
    assert_int_equal(m.n_columns, 2);
    assert_string_equal(m.columns[1].label, "rtx2060");
    matrix_close(&m);
}

/* The same study of two builds. */
static void several_sweeps_are_columns_side_by_side(void **state)
{
    static const double old[] = {1000, 500, 2000, 4000}, new[] = {1100, 500, 2000, 4000};
    char a[256], b[256];
    matrix_t m;
    matrix_values_t v;
    size_t column;
    (void)state;
    write_sweep("old", two_by_two, old, 4);
    write_sweep("new", two_by_two, new, 4);
    snprintf(a, sizeof(a), "%s", temp_path("old"));
    snprintf(b, sizeof(b), "%s", temp_path("new"));
    assert_int_equal(matrix_open(&m, (char *[]){a, b}, 2, &everything, NULL), RB_OK);
    assert_int_equal(m.n_programs, 2);
    assert_int_equal(m.n_columns, 4);
    assert_string_equal(m.columns[2].label, "new l2.size=3MiB");
    assert_int_equal(matrix_find_column(&m, "l2.size=6MiB new", &column, NULL), RB_OK);
    assert_int_equal(column, 3);
    assert_int_equal(matrix_values_read(&v, &m, "cycles", "1", MATRIX_ratio, NULL), RB_OK);
    assert_true(fabs(v.shown[2] - 1.1) < 1e-12);
    matrix_values_free(&v);
    matrix_close(&m);
}

static void what_is_not_there_is_said(void **state)
{
    static const double cycles[] = {1000, 500, 2000, 4000}, none[4];
    const matrix_choice_t match = {.match = {.text = (const char *[]){"rodinia"}, .n = 1}};
    char path[256];
    matrix_t m;
    matrix_values_t v;
    size_t column;
    rb_err_t err = {0};
    (void)state;
    write_sweep("s", two_by_two, cycles, 4);
    open_one(&m, "s");
    assert_int_equal(matrix_find_column(&m, "v100", &column, &err), RB_USAGE);
    assert_non_null(strstr(err.text, "'v100' describes more than one column; the columns are 1: "
                                     "l2.size=3MiB; 2: l2.size=6MiB"));
    err = (rb_err_t){0};
    assert_int_equal(matrix_find_column(&m, "3", &column, &err), RB_USAGE);
    assert_non_null(strstr(err.text, "describes no column"));
    err = (rb_err_t){0};
    assert_int_equal(matrix_values_read(&v, &m, "cycle", NULL, MATRIX_ratio, &err), RB_USAGE);
    assert_non_null(strstr(err.text, "did you mean 'cycles'?"));
    matrix_values_free(&v);
    matrix_close(&m);
    err = (rb_err_t){0};
    snprintf(path, sizeof(path), "%s", temp_path("s"));
    assert_int_equal(matrix_open(&m, &(char *){path}, 1, &match, &err), RB_USAGE);
    matrix_close(&m);
    write_sweep("none", two_by_two, none, 4);
    open_one(&m, "none");
    err = (rb_err_t){0};
    assert_int_equal(matrix_values_read(&v, &m, "cycles", NULL, MATRIX_ratio, &err), RB_USAGE);
    assert_non_null(strstr(err.text, "no job is done"));
    matrix_values_free(&v);
    matrix_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_rows_and_points_columns),
        cmocka_unit_test(what_is_not_done_is_left_out_of_means),
        cmocka_unit_test(default_gpus_are_one_column),
        cmocka_unit_test(several_sweeps_are_columns_side_by_side),
        cmocka_unit_test(what_is_not_there_is_said),
    };
    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
