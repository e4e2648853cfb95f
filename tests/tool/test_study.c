/* Studies: points, deltas, files; errors are named. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/study/stat_table.h"
#include "frontend/tool/study/study.h"
#include "frontend/tool/study/study_resolve.h"
#include "tests/support/temp_folder.h"

/* Reads a study; NULL if it was refused, err says why. */
static study_t *read_study(const char *text, rb_err_t *err)
{
    study_t *s = study_create();
    *err = (rb_err_t){0};
    temp_write("study.cfg", text);
    if (study_read_file(s, temp_path("study.cfg"), err) == RB_OK && study_finish(s, err) == RB_OK)
        return s;
    study_destroy(s);
    return NULL;
}

static void expect_point(const study_t *s, size_t point, const char *text)
{
    char *said = study_point_text(s, point);
    assert_string_equal(said, text);
    free(said);
}

static void axes_are_multiplied_out_and_the_last_runs_fastest(void **state)
{
    (void)state;
    rb_err_t err;
    study_t *s = read_study("traces = ( \"a\", { path = \"/b/c/\"; name = \"x\"; } );\n"
                            "gpus = [ \"v100\", \"t4\" ];\n"
                            "axes : { l2 : { size = [ \"3MiB\", \"6MiB\" ]; };\n"
                            "         sm : { count = [ 20, 40, 80 ]; }; };\n",
                            &err);
    assert_non_null(s);
    assert_int_equal(s->n_points, 6);
    expect_point(s, 0, "l2.size=3MiB sm.count=20");
    expect_point(s, 1, "l2.size=3MiB sm.count=40");
    expect_point(s, 5, "l2.size=6MiB sm.count=80");
    assert_string_equal(s->traces[0].path, temp_path("a"));
    assert_string_equal(s->traces[1].path, "/b/c/");
    assert_string_equal(s->traces[1].name, "x");
    assert_int_equal(s->n_gpus, 2);
    study_destroy(s);
}

static void listed_points_go_with_every_point_of_the_axes(void **state)
{
    (void)state;
    rb_err_t err;
    study_t *s = read_study("traces = ( \"a\" );\n"
                            "settings : { seed = 7; warmup : { mode = \"flush\"; }; };\n"
                            "points = ( { sm : { count = 20; }; }, { sample = \"stem\"; } );\n"
                            "axes : { l1 : { enabled = [ true, false ]; }; };\n",
                            &err);
    assert_non_null(s);
    assert_int_equal(s->n_points, 4);
    expect_point(s, 0, "sm.count=20 l1.enabled=true");
    expect_point(s, 3, "sample=stem l1.enabled=false");
    assert_null(study_word(s, 0, "sample"));
    assert_string_equal(study_word(s, 3, "sample"), "stem");
    assert_string_equal(study_word(s, 0, "seed"), "7");
    study_destroy(s);
    s = read_study("traces = ( \"a\" );", &err);
    assert_int_equal(s->n_points, 1);
    expect_point(s, 0, "as it is");
    study_destroy(s);
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "names no trace"},
        {"traces = ();", "names no trace"},
        {"traces = ( \"a\" );\naxis : { };",
         "study.cfg:2: unknown word 'axis'; did you mean 'axes'?"},
        {"traces = ( \"a\" );\n\naxes : { l2 : { siz = [ 1 ]; }; };",
         "study.cfg:3: unknown key 'l2.siz'; did you mean 'l2.size'?"},
        {"traces = ( \"a\" );\naxes : { l3 : { size = [ 1 ]; }; };", "did you mean 'l2.size'?"},
        {"traces = ( \"a\" );\naxes : { sampel = [ \"stem\" ]; };", "did you mean 'sample'?"},
        {"traces = ( \"a\" );\naxes : { l2 : { size = [ ]; }; };",
         "study.cfg:2: the axis l2.size has no values"},
        {"traces = ( \"a\" );\naxes : { l2 : { size = \"3MiB\"; }; };",
         "study.cfg:2: l2.size: an axis is a list"},
        {"traces = ( \"a\" );\naxes : { l2 : { ways = [ 8, 8 ]; }; };", "'8' appears twice"},
        {"traces = ( \"a\" );\naxes : { delta = [ \"l1of\" ]; };",
         "study.cfg:2: unknown delta 'l1of'; did you mean 'l1off'?"},
        {"traces = ( \"a\" );\naxes : { delta = [ \"l1off+\" ]; };", "unknown delta ''"},
        {"traces = ( \"a\", \"b/a\" );", "two traces with the name 'a'"},
        {"traces = ( { name = \"x\"; } );", "without a path"},
        {"traces = ( { path = \"x\"; nam = \"y\"; } );", "'nam'"},
        {"traces = ( \"a\\tb\" );", "control characters"},
        {"traces = ( 3 );", "a path in quotes"},
        {"traces = \"a\";", "traces must be a list"},
        {"traces = ( \"a\" );\ngpus = [ \"v100\", \"v100\" ];", "twice"},
        {"traces = ( \"a\" );\npoints = ( 3 );", "a group of settings is expected"},
        {"traces = ( \"a\" );\npoints = ( { l2 : { ways = [ 8 ]; }; } );",
         "l2.ways must be one value"},
        {"traces = ( \"a\" );\nsettings : { l2 : { ways = 8; }; };\naxes : { l2 : { ways = [ 8 ]; "
         "}; };",
         "both an axis and a common setting"},
        {"traces = ( \"a\" );\npoints = ( { l2 : { ways = 8; }; } );\naxes : { l2 : { ways = [ 8 "
         "]; }; };",
         "both an axis and in a listed point"},
        {"traces = ( \"a\" );\ndeltas : { l1off : { l2 : { ways = 8; }; }; };", "already exists"},
        {"traces = ( \"a\" );\ndeltas : { mine : { delta = \"l1off\"; }; };",
         "'delta' is not a setting"},
        {"traces = ( \"a\" );\ndeltas : { mine = 3; };", "a group of settings is expected"},
        {"traces = ( \"a\" );\naxes : { seed = [ 99999999999999999999 ]; };", "study.cfg:2"},
        {"traces = ( \"a\" )\naxes = ;", "study.cfg:2"},
        {"@include \"other\"\n", "study.cfg:1"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        rb_err_t err;
        study_t *s = read_study(bad[i][0], &err);
        if (s != NULL || strstr(err.text, bad[i][1]) == NULL)
            print_error("%s: said '%s', not '%s'\n", bad[i][0], err.text, bad[i][1]);
        assert_null(s);
        assert_non_null(strstr(err.text, bad[i][1]));
        assert_int_equal(rb_exit_code(err.code), 2);
    }
}

static void a_study_too_large_is_refused_without_being_built(void **state)
{
    (void)state;
    static const char *const key[] = {"l2.ways", "sm.count", "l1.mshrs", "l2.mshrs", "dram.queue"};
    rb_err_t err = {0};
    study_t *s = study_create();
    assert_int_equal(study_add_trace(s, "a", NULL, NULL, 0, &err), RB_OK);
    for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++) {
        study_axis_t *axis;
        assert_int_equal(study_add_axis(s, key[i], 0, &axis, &err), RB_OK);
        for (int v = 1; v <= 5000; v++) {
            char text[16];
            snprintf(text, sizeof(text), "%d", v);
            assert_int_equal(study_add_value(s, axis, text, 0, &err), RB_OK);
        }
    }
    assert_int_equal(study_finish(s, &err), RB_USAGE);
    assert_non_null(strstr(err.text, "more than 100000 jobs"));
    study_destroy(s);
}

/* The configuration of a v100 at one point. */
static gpu_spec_t resolve(const char *vary, size_t point)
{
    rb_err_t err = {0};
    study_config_t config;
    study_t *s = study_create();
    assert_int_equal(study_add_trace(s, "a", NULL, NULL, 0, &err), RB_OK);
    for (const char *at = vary; *at != '\0';) {
        char text[128];
        size_t n = strcspn(at, " ");
        snprintf(text, sizeof(text), "%.*s", (int)n, at);
        assert_int_equal(study_add_vary(s, text, &err), RB_OK);
        at += n + (at[n] == ' ');
    }
    assert_int_equal(study_finish(s, &err), RB_OK);
    if (study_resolve(s, "v100", point, &config, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_spec_t spec = config.spec;
    study_config_free(&config);
    study_destroy(s);
    return spec;
}

static void the_deltas_of_stem_are_those_of_its_artifact(void **state)
{
    (void)state;
    static const char all[] =
        "delta=none,l1off,stem_cache_x2,stem_cache_half,stem_sm_x2,stem_sm_half";
    gpu_spec_t base = resolve(all, 0), off = resolve(all, 1), x2 = resolve(all, 2);
    gpu_spec_t half = resolve(all, 3), sm2 = resolve(all, 4), sm_half = resolve(all, 5);
    assert_int_equal(base.sm.sm.count, 80);
    assert_true(base.sm.l1.enabled && !off.sm.l1.enabled);
    /* x2: L1 ways (same sets), L2 slices of the same size each. */
    assert_true(x2.sm.l1.scale == 2.0 && x2.sm.l1.sets == base.sm.l1.sets);
    assert_int_equal(x2.mem.l2.slices, 2 * base.mem.l2.slices);
    assert_int_equal(x2.mem.l2.size, 2 * base.mem.l2.size);
    assert_int_equal(x2.mem.l2.ways, base.mem.l2.ways);
    /* half: sets of both, ways and slices as they were. */
    assert_true(half.sm.l1.scale == 0.5 && half.sm.l1.sets * 2 == base.sm.l1.sets);
    assert_int_equal(half.mem.l2.slices, base.mem.l2.slices);
    assert_int_equal(half.mem.l2.size * 2, base.mem.l2.size);
    assert_int_equal(half.mem.l2.ways, base.mem.l2.ways);
    /* The number of blocks per SM does not change with the cache. */
    assert_int_equal(x2.sm.l1.unified, base.sm.l1.unified);
    assert_memory_equal(&half.sm.l1.carveouts, &base.sm.l1.carveouts, sizeof(base.sm.l1.carveouts));
    assert_int_equal(sm2.sm.sm.count, 160);
    assert_int_equal(sm_half.sm.sm.count, 40);
}

static void deltas_are_relative_to_their_point_and_add_up(void **state)
{
    (void)state;
    gpu_spec_t s =
        resolve("delta=stem_cache_x2+stem_cache_x2+stem_sm_half l2.size=3MiB sm.count=20", 0);
    assert_int_equal(s.mem.l2.size, 12u << 20);
    assert_int_equal(s.sm.sm.count, 10);
    assert_true(s.sm.l1.scale == 4.0);
}

static void a_point_that_cannot_be_built_is_named(void **state)
{
    (void)state;
    rb_err_t err = {0};
    study_config_t config;
    study_t *s = study_create();
    assert_int_equal(study_add_trace(s, "a", NULL, NULL, 0, &err), RB_OK);
    assert_int_equal(study_add_vary(s, "l2.size=6MiB,1000KiB", &err), RB_OK);
    assert_int_equal(study_finish(s, &err), RB_OK);
    assert_int_equal(study_resolve(s, "v100", 0, &config, &err), RB_OK);
    study_config_free(&config);
    assert_int_not_equal(study_resolve(s, "v100", 1, &config, &err), RB_OK);
    assert_non_null(strstr(err.text, "point 'l2.size=1000KiB' on v100: "));
    study_config_free(&config);
    study_destroy(s);
}

static void samplers_with_options_are_values_of_an_axis(void **state)
{
    (void)state;
    rb_err_t err = {0};
    study_t *s = study_create();
    assert_int_equal(study_add_trace(s, "a", NULL, NULL, 0, &err), RB_OK);
    assert_int_equal(
        study_add_vary(s, "sample=none,stem:epsilon=0.05,variant=paper,random:fraction=0.1", &err),
        RB_OK);
    assert_int_equal(study_finish(s, &err), RB_OK);
    assert_int_equal(s->n_points, 3);
    assert_string_equal(study_word(s, 1, "sample"), "stem:epsilon=0.05,variant=paper");
    assert_int_equal(study_add_vary(s, "l2.size=", &err), RB_USAGE);
    study_destroy(s);
}

static void single_values_are_those_of_the_whole_table(void **state)
{
    (void)state;
    static const char *const paths[] = {"metrics.b", "nowhere", "totals.a", "metrics.none"};
    enum { PATHS = sizeof(paths) / sizeof(paths[0]) };
    rb_err_t err = {0};
    stat_table_t table;
    double value[PATHS];
    temp_write("stats.csv", "path,value,unit\ntotals.a,12345678901234567,cycles\n"
                            "metrics.b,1.25e-3,1\nmetrics.none,,1\n");
    assert_int_equal(stat_values_read(temp_path(""), paths, PATHS, value, &err), RB_OK);
    assert_int_equal(stat_table_read(&table, temp_path("stats.csv"), &err), RB_OK);
    assert_true(value[0] == table.rows[1].value && value[0] == 1.25e-3);
    assert_true(isnan(value[1]));
    assert_true(value[2] == table.rows[0].value && value[2] == 12345678901234567.0);
    assert_true(isnan(value[3]) && isnan(table.rows[2].value));
    stat_table_free(&table);
    temp_write("stats.csv", "path,value,unit\ntotals.a,much,cycles\n");
    assert_int_equal(stat_values_read(temp_path(""), paths, PATHS, value, &err), RB_TRACE);
    assert_non_null(strstr(err.text, "stats.csv:2: not a row"));
    err = (rb_err_t){0};
    temp_write("stats.csv", "path,value,unit\nother,inf,cycles\ntotals.a,1\n");
    assert_int_equal(stat_values_read(temp_path(""), paths, PATHS, value, &err), RB_TRACE);
    assert_non_null(strstr(err.text, "stats.csv:3: not a row"));
    err = (rb_err_t){0};
    assert_int_equal(stat_table_read(&table, temp_path(""), &err), RB_TRACE);
    assert_non_null(strstr(err.text, "stats.csv:2: not a row"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_multiplied_out_and_the_last_runs_fastest),
        cmocka_unit_test(listed_points_go_with_every_point_of_the_axes),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(a_study_too_large_is_refused_without_being_built),
        cmocka_unit_test(the_deltas_of_stem_are_those_of_its_artifact),
        cmocka_unit_test(deltas_are_relative_to_their_point_and_add_up),
        cmocka_unit_test(a_point_that_cannot_be_built_is_named),
        cmocka_unit_test(samplers_with_options_are_values_of_an_axis),
        cmocka_unit_test(single_values_are_those_of_the_whole_table),
    };
    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
