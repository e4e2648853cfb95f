/* Samplers inside launches as users see them: options from the configuration, and sweeps. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/json_check.h"

static void make_relu(void)
{
    expect(0, NULL,
           WORDS("gen", "relu", "--blocks", "64", "--arch", "sm_70", "-o", "relu.rbt", "-f"));
}

/* Runs the command and checks the first sampler inside launches. */
static void expect_sampler(const char *const *words, const char *text)
{
    char *json = cli_run_as(&rubato, 0, NULL, words);
    if (!json_is(json, "inside_samplers.0", text))
        fail_msg("not %s", text);
    free(json);
}

static void the_configuration_names_samplers_and_options(void **state)
{
    (void)state;
    make_relu();
    expect_sampler(WORDS("run", "relu.rbt", "-s", "blocks.count=8", "--sample", "blocks", "--json"),
                   "\"blocks:count=8,which=first\"");
    /* --sample has priority. */
    expect_sampler(
        WORDS("run", "relu.rbt", "-s", "blocks.count=8", "--sample", "blocks:count=9", "--json"),
        "\"blocks:count=9,which=first\"");
    static const char config[] = "inherit = \"v100.cfg\";\n"
                                 "sampling : { samplers = \"blocks,pka_stop:window=5000\"; };\n"
                                 "blocks : { count = 12; which = \"last\"; };\n";
    cli_write("sampled.cfg", config, strlen(config));
    expect_sampler(WORDS("run", "relu.rbt", "--gpu", "sampled.cfg", "--json"),
                   "\"blocks:count=12,which=last\"");
    expect_sampler(WORDS("run", "relu.rbt", "--gpu", "sampled.cfg", "--sample", "photon_warp", "-s",
                         "photon_warp.delta_mean=0.04", "-s", "photon_warp.tail=false", "--json"),
                   "\"photon_warp:variant=steady,waves=0.0,least=0,window=1024,delta=0.03,"
                   "delta_mean=0.04,longer=false,halved=false,latched=false,drop=0,index=true,"
                   "sample=0.01,most=0,fill=true,skip=true,light=0.65,hold=block,residents=cut,"
                   "tail=false,alone=true,check=true,alike=0.1,dominant=0.95\"");
    /* A variant sets what neither a setting nor --sample sets, wherever it is named. */
    static const char *const forms[][3] = {
        {"pka_stop.variant=artifact", "pka_stop.rule=none", "pka_stop"},
        {"pka_stop.rule=none", "pka_stop.limit=0.25", "pka_stop:variant=artifact"},
        {"pka_stop.variant=paper", "pka_stop.limit=0.25", "pka_stop:variant=artifact,rule=none"}};
    for (size_t i = 0; i < 3; i++)
        expect_sampler(WORDS("run", "relu.rbt", "-s", forms[i][0], "-s", forms[i][1], "--sample",
                             forms[i][2], "--json"),
                       "\"pka_stop:variant=artifact,series=cumulative,step=500,window=3000,"
                       "limit=0.25,unit=percent,rule=none,sample=1.0,check=false,alike=0.1\"");
    /* The resolved configuration gives the same run. */
    expect(0, NULL, WORDS("run", "relu.rbt", "--gpu", "sampled.cfg", "-o", "first"));
    expect(0, NULL, WORDS("config", "check", "first/config.cfg"));
    expect_sampler(WORDS("run", "relu.rbt", "--gpu", "first/config.cfg", "--json"),
                   "\"blocks:count=12,which=last\"");
}

static void mistakes_in_the_configuration_are_named(void **state)
{
    (void)state;
    make_relu();
    expect(2, "1 to", WORDS("run", "relu.rbt", "-s", "blocks.count=0"));
    expect(2, "did you mean 'blocks.count'", WORDS("run", "relu.rbt", "-s", "blocks.cuont=1"));
    expect(2, "did you mean 'blocks'", WORDS("run", "relu.rbt", "-s", "bloks.count=1"));
    expect(2, "which", WORDS("run", "relu.rbt", "-s", "blocks.which=middle"));
    expect(2, "relax", WORDS("run", "relu.rbt", "-s", "sampling.samplers=relax"));
    expect(2, "option=value", WORDS("run", "relu.rbt", "-s", "sampling.samplers=blocks:x"));
    expect(2, "l1.write = write_back: samplers inside launches",
           WORDS("run", "relu.rbt", "-s", "sampling.samplers=blocks", "-s", "l1.write=write_back"));
    static const char config[] = "blocks : { count = 12; which = 3; };\n";
    cli_write("wrong.cfg", config, strlen(config));
    expect(2, "wrong.cfg:1", WORDS("config", "check", "wrong.cfg"));
}

static void options_of_samplers_are_axes_of_sweeps(void **state)
{
    (void)state;
    make_relu();
    char *table = cli_run_as(&rubato, 0, NULL,
                             WORDS("sweep", "relu.rbt", "--vary", "blocks.count=8,64", "--sample",
                                   "blocks", "-o", "axis", "--jobs", "1"));
    assert_non_null(strstr(table, "blocks.count"));
    free(table);
    char *csv = cli_read("axis/jobs.csv");
    assert_non_null(csv);
    assert_non_null(strstr(csv, "blocks.count"));
    free(csv);
    expect(2, "did you mean 'blocks.count'",
           WORDS("sweep", "relu.rbt", "--vary", "blocks.cont=8,64", "-o", "wrong"));
    expect(2, "1 to", WORDS("sweep", "relu.rbt", "--vary", "blocks.count=8,0", "-o", "wrong"));
}

static void regions_are_printed(void **state)
{
    (void)state;
    make_relu();
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("plan", "relu.rbt", "--regions"));
    assert_non_null(strstr(text, "64 blocks, 64 on the chip at once, 1.0 waves"));
    assert_non_null(strstr(text, "TBPoint's model, for stalls of 400 cycles"));
    free(text);
    /* Another size of the chip gives another division of the same index. */
    text = cli_run_as(&rubato, 0, NULL,
                      WORDS("plan", "relu.rbt", "--regions", "-s", "sm.count=2", "-s",
                            "tbpoint_region.stall=300", "--launches", "1"));
    assert_non_null(strstr(text, "64 blocks, 16 on the chip at once, 4.0 waves"));
    assert_non_null(strstr(text, "stalls of 300 cycles"));
    free(text);
    expect(2, "for --regions", WORDS("plan", "relu.rbt", "--gpu", "v100"));
    expect(2, "prints only a table", WORDS("plan", "relu.rbt", "--regions", "--sample", "stem"));
    expect(2, "prints only a table", WORDS("plan", "relu.rbt", "--regions", "-o", "plan.json"));
    expect(2, "rubato convert", WORDS("plan", TRACE, "--regions"));
    expect(2, "stall", WORDS("plan", "relu.rbt", "--regions", "-s", "tbpoint_region.stall=0"));
    expect(2, "rubato convert", WORDS("run", TRACE, "--sample", "tbpoint_region"));
}

/* The number of a series at a path below the first launch. */
static double of_launch(const char *json, const char *path)
{
    char whole[128];
    snprintf(whole, sizeof(whole), "launches.0.%s", path);
    return json_number(json, whole);
}

static void what_detectors_see_is_written_and_changes_nothing(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("gen", "relu", "--blocks", "3000", "--arch", "sm_75", "-o", "relu.rbt", "-f"));
    static const char *const sets[] = {"photon_warp", "pka_stop,photon_warp", "blocks:count=64"};
    for (size_t i = 0; i < 3; i++) {
        expect(0, NULL, WORDS("run", "relu.rbt", "--sample", sets[i], "-o", "plain", "-f"));
        expect(0, NULL,
               WORDS("run", "relu.rbt", "--sample", sets[i], "--detectors", "-o", "seen", "-f"));
        cli_same_results("plain", "seen");
        char *plain = cli_read_json("plain/run.json"), *seen = cli_read_json("seen/run.json");
        size_t n, n_seen;
        const char *a = json_find(plain, "launches.0.sampling", &n);
        const char *b = json_find(seen, "launches.0.sampling", &n_seen);
        assert_true(a != NULL && n == n_seen && memcmp(a, b, n) == 0);
        free(plain);
        free(seen);
        assert_false(cli_exists("plain/detectors.json"));
    }
    expect(0, NULL, WORDS("run", "relu.rbt", "-o", "plain", "-f"));
    expect(0, NULL, WORDS("run", "relu.rbt", "--detectors", "-o", "seen", "-f"));
    cli_same_results("plain", "seen");
    char *json = cli_read_json("seen/detectors.json");
    assert_true(json_is(json, "launches.0.decision", "null"));
    /* Every block except those of the last interval; the series are thinned. */
    const double blocks = of_launch(json, "retired_blocks.seen"), every = 2;
    assert_true(blocks > 2500 && blocks <= 3000);
    assert_true(of_launch(json, "retired_blocks.every") == every);
    assert_true(of_launch(json, "retired_warps.seen") >= 8 * blocks);
    assert_true(of_launch(json, "block_sizes.seen") == 3000);
    assert_true(of_launch(json, "block_sizes.rows.1.0") == every);
    assert_true(of_launch(json, "retired_basic_blocks.seen") == 0);
    assert_true(of_launch(json, "regions.list.0.1") == 3000);
    assert_true(of_launch(json, "retired_blocks.rows.1.1") >
                of_launch(json, "retired_blocks.rows.1.0"));
    free(json);
    /* The series end where a sampler decides. */
    expect(0, NULL,
           WORDS("run", "relu.rbt", "--sample", "photon_bb:variant=paper", "--detectors", "-o",
                 "seen", "-f"));
    json = cli_read_json("seen/detectors.json");
    assert_true(json_is(json, "launches.0.decision.sampler", "\"photon_bb\""));
    assert_true(of_launch(json, "retired_blocks.seen") < of_launch(json, "decision.block"));
    assert_true(of_launch(json, "retired_basic_blocks.seen") > 0);
    free(json);
    /* A text trace has no index. */
    expect(0, NULL, WORDS("run", TRACE, "--detectors", "-o", "seen", "-f"));
    json = cli_read_json("seen/detectors.json");
    assert_true(json_is(json, "launches.0.regions", "null"));
    free(json);
    /* Existing results would be those of another run. */
    expect(0, NULL, WORDS("run", TRACE, "-o", "seen", "-f"));
    assert_false(cli_exists("seen/detectors.json"));
    expect(2, "-o DIR", WORDS("run", "relu.rbt", "--detectors"));
    expect(2, "not with --resume", WORDS("run", "relu.rbt", "--detectors", "-o", "seen", "-r"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_configuration_names_samplers_and_options),
        cmocka_unit_test(mistakes_in_the_configuration_are_named),
        cmocka_unit_test(options_of_samplers_are_axes_of_sweeps),
        cmocka_unit_test(regions_are_printed),
        cmocka_unit_test(what_detectors_see_is_written_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
