/* Scores of simulated against measured values, and the rows of a table that belong to a program. */
#include <math.h>
#include <stdlib.h>

#include "frontend/tool/silicon/hardware_compare.h"
#include "tests/support/test.h"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

static void errors_are_means_and_medians_without_signs(void **state)
{
    static const double measured[] = {100, 200, 400, 0}, simulated[] = {110, 150, 400, 5};
    (void)state;
    hardware_score_t s = hardware_score(measured, simulated, 4, false);
    /* The measured 0 has no relative error. */
    assert_int_equal(s.n, 3);
    assert_true(near(s.error, (0.1 + 0.25) / 3) && near(s.median, 0.1));
    assert_true(near(s.bias, (0.1 - 0.25) / 3));
    assert_int_equal(s.worst, 1);
    s = hardware_score(measured, simulated, 2, false);
    assert_true(near(s.median, (0.1 + 0.25) / 2));
    s = hardware_score((const double[]){0.5}, (const double[]){0.4}, 1, true);
    assert_true(near(s.bias, -0.1) && isnan(s.r));
    s = hardware_score(NULL, NULL, 0, false);
    assert_true(s.n == 0 && isnan(s.error) && isnan(s.median));
}

/* Values ten times apart: the largest decides r, and all alike that of the logarithms. */
static void correlation_of_logarithms_weighs_small_programs_like_large_ones(void **state)
{
    static const double measured[] = {1, 10, 100, 100000}, simulated[] = {100, 10, 1, 100000};
    (void)state;
    const hardware_score_t s = hardware_score(measured, simulated, 4, false);
    assert_true(s.r > 0.9999);
    /* Deviations of the measured exponents 0, 1, 2, 5 from 2, and of the simulated 2, 1, 0, 5. */
    assert_true(near(s.log_r, (0.0 + 1.0 + 0.0 + 9.0) / 14.0));
}

static void find(const char *const *programs, size_t n, const char *const *names, size_t n_names,
                 hardware_program_t *found)
{
    hardware_row_t *rows = calloc(n, sizeof(*rows));
    for (size_t i = 0; i < n; i++)
        rows[i].program = (char *)(uintptr_t)programs[i];
    const hardware_table_t t = {.rows = rows, .n_rows = n};
    hardware_find_programs(&t, names, n_names, found);
    free(rows);
}

static const char *found(const char *const *programs, size_t n, const char *name)
{
    hardware_program_t p;
    find(programs, n, &name, 1, &p);
    return p.program;
}

static void programs_are_found_by_their_names(void **state)
{
    static const char *const programs[] = {"bfs-rodinia/graph_4096",
                                           "bfs-rodinia/graph_1M",
                                           "BlackScholes/NO_ARGS",
                                           "nn",
                                           "nn",
                                           "nn-large"};
    enum { N = sizeof(programs) / sizeof(programs[0]) };
    (void)state;
    assert_string_equal(found(programs, N, "nn"), "nn");
    assert_string_equal(found(programs, N, "blackscholes"), programs[2]);
    assert_string_equal(found(programs, N, "bfs_rodinia/graph4096"), programs[0]);
    assert_string_equal(found(programs, N, "graph_1M"), programs[1]);
    assert_null(found(programs, N, "bfs"));
    assert_null(found(programs, N, "hotspot"));
    assert_string_equal(found(programs + 3, 2, "nn/large"), "nn");
}

static void a_program_belongs_to_the_trace_that_fits_it_best(void **state)
{
    static const char *const names[] = {"gemm_tc", "gemm", "cublas/sgemv", "cublas/sgemv_t"};
    static const char *const programs[] = {"gemm", "sgemv"};
    hardware_program_t p[4];
    (void)state;
    find(programs, 2, names, 4, p);
    assert_null(p[0].program);
    assert_string_equal(p[1].program, "gemm");
    assert_false(p[1].part);
    /* Two that fit alike. */
    assert_true(p[2].program == NULL && p[3].program == NULL);
    find(programs, 2, names, 3, p);
    assert_string_equal(p[2].program, "sgemv");
    assert_true(p[2].part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_means_and_medians_without_signs),
        cmocka_unit_test(correlation_of_logarithms_weighs_small_programs_like_large_ones),
        cmocka_unit_test(a_program_belongs_to_the_trace_that_fits_it_best),
        cmocka_unit_test(programs_are_found_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
