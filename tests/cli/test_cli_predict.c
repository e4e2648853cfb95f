/* rubato predict, evaluate --predict and the sampler: what they print is marked, and misuse is refused. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/tool/cli_child.h"

#define ADD RUBATO_ROOT "/traces/sort-sm70.rbt"

static void predictions_are_marked(void **state)
{
    (void)state;
    expect(0, "as if it were alone",
           WORDS("predict", ADD, "--gpu", "v100", "-s", "gpu.concurrent_launches=4"));
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("predict", ADD, "--gpu", "v100"));
    assert_non_null(strstr(text, "predicted (level 1), not simulated"));
    assert_non_null(strstr(text, "predicted cycles"));
    assert_null(strstr(text, " simulated cycles"));
    free(text);
    text = cli_run_as(&rubato, 0, NULL,
                      WORDS("predict", ADD, "--gpu", "v100", "--vary", "l2.size=3MiB,6MiB",
                            "--level", "0", "--format", "csv"));
    assert_non_null(strstr(text, "predicted_cycles"));
    assert_non_null(strstr(text, "l2.size=3MiB,1,"));
    assert_non_null(strstr(text, "l2.size=6MiB,37,"));
    free(text);
    text = cli_run_as(&rubato, 0, NULL, WORDS("predict", ADD, "--gpu", "v100", "--format", "json"));
    cli_write("p.json", text, strlen(text));
    free(text);
    text = cli_read_json("p.json");
    assert_non_null(strstr(text, "\"predicted\": true"));
    free(text);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    expect(2, "runs nothing", WORDS("predict", ADD, "--gpu", "v100", "--vary", "seed=1,2"));
    expect(2, "level 1, which reads blocks", WORDS("predict", TRACE, "--level", "0"));
    expect(2, "level", WORDS("predict", ADD, "--level", "2"));
    expect(2, "unknown key 'l2.siez'", WORDS("predict", ADD, "--vary", "l2.siez=1MiB"));
    expect(2, "--predict is for the folder", WORDS("evaluate", "--predict", ADD));
    expect(2, "only --csv", WORDS("evaluate", "--predict", "nowhere", "--seeds", "3"));
    expect(2, "does not fit an SM",
           WORDS("predict", TRACE, "--gpu", "v100", "-s", "sm.registers=1024"));
}

static void a_damaged_trace_gives_an_error(void **state)
{
    enum { MOST = 1 << 20 };
    static char bytes[MOST];
    FILE *in = fopen(ADD, "rb");
    const size_t n = in != NULL ? fread(bytes, 1, MOST, in) : 0;
    (void)state;
    assert_true(n > 1000 && n < MOST);
    fclose(in);
    cli_write("cut.rbt", bytes, n / 2);
    expect(2, "cut.rbt", WORDS("predict", "cut.rbt"));
    memset(bytes + n / 3, 0x5a, 64); /* in the blocks: only level 1 reads them */
    cli_write("bad.rbt", bytes, n);
    expect(2, "bad.rbt", WORDS("predict", "bad.rbt"));
}

static void predictions_are_scored_beside_runs(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("run", ADD, "--gpu", "v100", "-o", "full", "--progress", "never"));
    char *text =
        cli_run_as(&rubato, 0, NULL, WORDS("evaluate", "--predict", "full", "--csv", "p.csv"));
    assert_non_null(strstr(text, "level 0:"));
    assert_non_null(strstr(text, "level 1:"));
    assert_non_null(strstr(text, "processor time"));
    free(text);
    text = cli_read("p.csv");
    assert_non_null(strstr(text, "simulated_cycles,predicted_level0,predicted_level1"));
    free(text);
    /* The sampler is scored as others are, but for replays. */
    text = cli_run_as(
        &rubato, 0, NULL,
        WORDS("evaluate", ADD, "--gpu", "v100", "--sample", "predict", "--progress", "never"));
    assert_non_null(strstr(text, "predict "));
    free(text);
    /* A sampled run is no truth. */
    expect(0, "predictions are off by",
           WORDS("run", ADD, "--gpu", "v100", "--sample", "predict:share=0.2", "-o", "part",
                 "--progress", "never"));
    expect(2, "no complete run of all launches", WORDS("evaluate", "--predict", "part"));
    text = cli_read_json("part/run.json");
    assert_non_null(strstr(text, "calibrated prediction t"));
    free(text);
}

/* Each point of a sweep is predicted, and corrected, on its own chip. */
static void a_sweep_predicts_every_point(void **state)
{
    (void)state;
    char *text =
        cli_run_as(&rubato, 0, NULL,
                   WORDS("sweep", ADD, "--gpu", "v100", "--vary", "sm.count=4,80", "--sample",
                         "predict:level=0", "-o", "study", "-j", "2", "--progress", "never"));
    assert_non_null(strstr(text, "~ estimated from samples"));
    free(text);
    text = cli_read("study/jobs.tsv");
    assert_null(strstr(text, "--change-from"));
    free(text);
    expect(2, "no complete run of all launches", WORDS("evaluate", "--predict", "study"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_are_marked),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(a_damaged_trace_gives_an_error),
        cmocka_unit_test(predictions_are_scored_beside_runs),
        cmocka_unit_test(a_sweep_predicts_every_point),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
