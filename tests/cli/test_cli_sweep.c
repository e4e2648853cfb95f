/* rubato sweep as users see it: studies, points, results. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/sweep_files.h"

static void jobs_give_what_single_runs_give_and_are_not_repeated(void **state)
{
    (void)state;
    expect(0, "4 jobs, 4 to run",
           WORDS("sweep", TRACE, "--gpu", "v100", "--vary", "l2.size=3MiB,6MiB", "--vary",
                 "sm.count=20,80", "-o", "s", "--jobs", "2"));
    expect(0, NULL, WORDS("run", TRACE, "-s", "l2.size=3MiB", "-s", "sm.count=80", "-o", "one"));
    char *value = sweep_job_field("s", 2, 5);
    assert_string_equal(value, "3MiB");
    free(value);
    cli_same_file(sweep_job_folder("s", 2), "one", "launches.csv");
    cli_same_file(sweep_job_folder("s", 2), "one", "stats.csv");
    expect(0, "4 jobs, 0 to run",
           WORDS("sweep", TRACE, "--gpu", "v100", "--vary", "l2.size=3MiB,6MiB", "--vary",
                 "sm.count=20,80", "-o", "s"));
    /* Another value is a new job; another spelling of the same value is not. */
    expect(0, "3 jobs, 1 to run",
           WORDS("sweep", TRACE, "--gpu", "v100", "--vary", "l2.size=3MiB,3072KiB,12MiB", "-s",
                 "sm.count=80", "-o", "s"));
    /* A changed trace of the same name is another job. */
    cli_make_many(TRACE, 2);
    expect(0, "1 jobs, 1 to run", WORDS("sweep", "many", "-o", "m"));
    cli_make_many(TRACE, 3);
    expect(0, "1 jobs, 1 to run", WORDS("sweep", "many", "-o", "m"));
}

static void a_study_that_cannot_run_is_refused_before_anything_runs(void **state)
{
    (void)state;
    static const char study[] = "traces = ( \"" TRACE "\" );\n"
                                "axes : { sm : { scheduler = [ \"gto\", \"lru\" ]; }; };\n";
    sweep_write("bad.cfg", study);
    expect(2, "bad.cfg:2: point 'sm.scheduler=lru' on v100: sm.scheduler: ",
           WORDS("sweep", "bad.cfg", "-o", "bad"));
    assert_false(cli_exists("bad"));
    expect(2, "did you mean 'l2.size'?", WORDS("sweep", TRACE, "--vary", "l2.szie=3MiB"));
    expect(2, "KEY=VALUE", WORDS("sweep", TRACE, "--vary", "l2.size"));
    expect(2, "did you mean 'stem_sm_x2'", WORDS("sweep", TRACE, "--vary", "delta=stem_sm_2x"));
    expect(2, "point 'sm.max_warps=4'", WORDS("sweep", TRACE, "--vary", "sm.max_warps=64,4"));
    expect(2, "did you mean 'stem'", WORDS("sweep", TRACE, "--vary", "sample=none,sten"));
    expect(2, "the trace has launches 1..1", WORDS("sweep", TRACE, "--launches", "4"));
    expect(2, "a study file has these settings itself", WORDS("sweep", "bad.cfg", "--gpu", "v100"));
    expect(2, "v1000", WORDS("sweep", TRACE, "--gpu", "v1000"));
    expect(1, "nowhere", WORDS("sweep", "nowhere"));
    expect(1, "nowhere.cfg", WORDS("sweep", "nowhere.cfg"));
    expect(2, "--jobs", WORDS("sweep", TRACE, "--jobs", "0"));
    expect(1, "nowhere", WORDS("sweep", TRACE, "nowhere"));
    expect(2, "two traces with the name", WORDS("sweep", TRACE, TRACE));
    expect(2, "bad.cfg: a study file is swept alone", WORDS("sweep", TRACE, "bad.cfg"));
    expect(2, "--profile is of one trace", WORDS("sweep", TRACE, "b", "--profile", "p.csv"));
    expect(0, NULL, WORDS("run", TRACE, "-o", "single"));
    expect(2, "results of a single run", WORDS("sweep", TRACE, "-o", "single"));
}

static void several_traces_are_one_study(void **state)
{
    (void)state;
    cli_make_many(TRACE, 2);
    expect(0, "4 jobs, 4 to run",
           WORDS("sweep", TRACE, "many", "--vary", "l2.size=1536KiB,6MiB", "-o", "several"));
    char *rows = cli_read("several/results.csv");
    assert_non_null(strstr(rows, "many,"));
    free(rows);
}

static void plans_are_values_of_an_axis(void **state)
{
    (void)state;
    cli_make_many(TRACE, 3);
    mkdir("below", 0777);
    sweep_write("below/two.json", "{\"schema\": \"rubato-plan-1\", \"launches\": 3, \"clusters\": ["
                                  "{\"name\": \"launch\", \"size\": 3, \"samples\": [[2, 3]]}]}");
    /* Paths of plans in a study file are relative to it. */
    sweep_write("below/plans.cfg", "traces = (\"../many\"); gpus = [\"v100\"];\n"
                                   "axes : { plan = [\"none\", \"two.json\"]; };\n");
    expect(0, "2 jobs, 2 to run", WORDS("sweep", "below/plans.cfg", "-o", "planned"));
    expect(0, "2 jobs, 0 to run",
           WORDS("sweep", "many", "--gpu", "v100", "--vary", "plan=none,below/two.json", "-o",
                 "planned"));
    expect(0, NULL, WORDS("run", "many", "--plan", "below/two.json", "-o", "by_plan"));
    cli_same_file(sweep_job_folder("planned", 2), "by_plan", "launches.csv");
    expect(2, "plan and sample",
           WORDS("sweep", "many", "--vary", "plan=below/two.json", "--sample", "random:count=1",
                 "-o", "planned"));
    expect(2, "launches and plan",
           WORDS("sweep", "many", "--vary", "plan=below/two.json", "--launches", "1", "-o",
                 "planned"));
    expect(2, "does not have",
           WORDS("sweep", TRACE, "--vary", "plan=below/two.json", "-o", "planned"));
}

static void plans_are_an_axis_and_what_cannot_choose_launches_is_refused(void **state)
{
    (void)state;
    static const char study[] =
        "traces = ( \"steps.rbt\", { path = \"steps.rbt\"; name = \"again\"; } );\n"
        "settings : { sm : { count = 8; }; };\n"
        "axes : { plan = [ \"none\", \"random.json\", \"{trace}.json\" ]; };\n";
    expect(0, NULL, WORDS("gen", "stencil", "-p", "size=66", "-p", "steps=12", "-o", "steps.rbt"));
    assert_int_equal(mkdir("p", 0777), 0);
    expect(0, NULL, WORDS("convert", "steps.rbt", "p/steps.rbt"));
    expect(0, NULL,
           WORDS("plan", "steps.rbt", "--sample", "random:fraction=0.3", "-o", "p/random.json"));
    expect(0, NULL, WORDS("plan", "steps.rbt", "--sample", "sieve", "-o", "p/steps.rbt.json"));
    sweep_write("p/plans.cfg", study);
    expect(1, "trace again, point 'plan={trace}.json' on v100: p/again.json: No such file",
           WORDS("sweep", "p/plans.cfg", "-o", "pl"));
    assert_false(cli_exists("pl"));
    expect(0, NULL, WORDS("plan", "steps.rbt", "--sample", "sieve", "-o", "p/again.json"));
    /* The two names are one trace and have equal plans: three jobs. */
    expect(0, "6 jobs, 3 to run", WORDS("sweep", "p/plans.cfg", "-o", "pl"));
    expect(
        0, NULL,
        WORDS("run", "steps.rbt", "-s", "sm.count=8", "--plan", "p/random.json", "-o", "planned"));
    cli_same_file(sweep_job_folder("pl", 2), "planned", "launches.csv");
    cli_same_file(sweep_job_folder("pl", 2), "planned", "stats.csv");
    /* A plan that changed is another job. */
    expect(0, NULL,
           WORDS("plan", "steps.rbt", "--sample", "random:fraction=0.6", "-o", "p/random.json"));
    expect(0, "6 jobs, 1 to run", WORDS("sweep", "p/plans.cfg", "-o", "pl"));

    expect(2, "random.json: the plan simulates launch",
           WORDS("sweep", TRACE, "--plan", "p/random.json", "-o", "no"));
    expect(2, "point 'sample=stem' on v100: stem needs data that this trace does not have",
           WORDS("sweep", TRACE, "--vary", "sample=none,stem"));
    expect(2, "point 'sample=units' on v100: this needs the index of a native trace",
           WORDS("sweep", TRACE, "--vary", "sample=photon_warp,units"));
    sweep_write("words.csv", "no profile\n");
    expect(
        2, "point 'sample=stem' on v100: words.csv: no header of a profile",
        WORDS("sweep", TRACE, "--vary", "sample=none,stem", "--profile", "words.csv", "-o", "no"));
    assert_false(cli_exists("no"));
}

/* The folder of a run is a profile, and a plan if it sampled, of a sweep as of a run. */
static void folders_of_runs_are_profiles_and_plans(void **state)
{
    static const char *const sampled[] = {"-s",   "sm.count=8", "--sample",
                                          "stem", "--profile",  "full"};
    const char *sweep[16] = {"sweep", "steps.rbt", "-o", "chosen"};
    const char *run[16] = {"run", "steps.rbt", "-o", "profiled"};
    (void)state;
    memcpy(sweep + 4, sampled, sizeof(sampled));
    memcpy(run + 4, sampled, sizeof(sampled));
    expect(0, NULL,
           WORDS("gen", "stencil", "-p", "size=66", "-p", "steps=12", "-o", "steps.rbt", "-f"));
    expect(0, NULL, WORDS("run", "steps.rbt", "-s", "sm.count=4", "-o", "full"));
    expect(0, "1 jobs, 1 to run", sweep);
    expect(0, NULL, run);
    cli_same_file(sweep_job_folder("chosen", 1), "profiled", "launches.csv");
    expect(0, NULL,
           WORDS("sweep", "steps.rbt", "-s", "sm.count=8", "--plan", "profiled", "-o", "again"));
    cli_same_file(sweep_job_folder("again", 1), "profiled", "launches.csv");
    /* A profile that changed is another job. */
    expect(0, NULL, WORDS("run", "steps.rbt", "-s", "sm.count=2", "-o", "full", "-f"));
    expect(0, "1 jobs, 1 to run", sweep);
    expect(2, "full: has no plan.json: a plan, or the folder of a run that sampled launches",
           WORDS("sweep", "steps.rbt", "--plan", "full"));
    expect(2, TRACE ": has no launches.csv: a profile of a sweep is a file or the folder of a run",
           WORDS("sweep", "steps.rbt", "--sample", "stem", "--profile", TRACE));
}

/* The value of a path in a folder's stats.csv. */
static double stat_of(const char *folder, const char *path)
{
    char file[192];
    snprintf(file, sizeof(file), "%s/stats.csv", folder);
    char *text = cli_read(file), *at = strstr(text, path);
    assert_non_null(at);
    double value = atof(at + strlen(path) + 1);
    free(text);
    return value;
}

static void the_scale_of_the_l1_changes_hits_but_not_what_fits(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("sweep", RUBATO_ROOT "/traces/spmv_vector-sm70", "--vary", "l1.scale=0.0625,1",
                 "-o", "scale"));
    double small = stat_of(sweep_job_folder("scale", 1), "\nmetrics.global_load_hit_rate");
    double whole = stat_of(sweep_job_folder("scale", 2), "\nmetrics.global_load_hit_rate");
    assert_true(small < 0.5 * whole);
    expect(2, "raise l1.sets",
           WORDS("sweep", TRACE, "-s", "l1.scale=16", "-s", "l1.sets=1", "--vary",
                 "l1.unified=128KiB,16MiB", "-o", "scale"));
}

/* Occurrences of a character. */
static size_t count_of(const char *text, char c)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == c;
    return n;
}

/* The number in a column of the last row; no field has a comma in quotes. */
static double number_in(const char *csv, const char *column)
{
    const size_t n = strlen(column);
    size_t at = 0;
    const char *head = csv, *row = csv;
    for (; strncmp(head, column, n) != 0 || strchr(",\n", head[n]) == NULL; at++) {
        head = strpbrk(head, ",\n") + 1;
        assert_true(head[-1] == ',');
    }
    for (const char *s = csv; (s = strchr(s, '\n')) != NULL && s[1] != '\0'; s++)
        row = s + 1;
    for (; at > 0; at--)
        row = strchr(row, ',') + 1;
    return atof(row);
}

static void results_are_rows_with_the_axes_as_columns(void **state)
{
    (void)state;
    cli_make_many(TRACE, 3);
    char *table =
        cli_run_as(&rubato, 0, NULL, WORDS("sweep", "many", "--vary", "sm.count=10,80", "-o", "r"));
    assert_non_null(strstr(table, "baseline"));
    char *launches = cli_read("r/results.csv"), *jobs = cli_read("r/jobs.csv");
    assert_int_equal(strncmp(launches, "job,trace,gpu,sm.count,id,", 26), 0);
    assert_int_equal(count_of(launches, '\n'), 1 + 2 * 3);
    assert_non_null(strstr(launches, "\n1,many,v100,10,3,"));
    assert_non_null(strstr(launches, "\n2,many,v100,80,1,"));
    assert_int_equal(strncmp(jobs, "job,id,state,trace,gpu,sm.count,cycles,", 39), 0);
    assert_int_equal(count_of(jobs, '\n'), 1 + 2);
    /* The second is given relative to the first. */
    const double relative = number_in(jobs, "relative_cycles");
    assert_true(relative > 0.1 && relative < 1.0);
    assert_true(number_in(jobs, "relative_cycles_low") == relative); /* it is exact */
    char *again = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "collect", "r"));
    assert_string_equal(table, again);
    free(again);
    char *status = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "status", "r"));
    assert_string_equal(status, "2 jobs: 2 done\n");
    free(status);
    free(table);
    free(launches);
    free(jobs);
    expect(2, "not the folder of a sweep", WORDS("sweep", "status", "many"));
    expect(2, "the folder of a sweep is expected", WORDS("sweep", "collect"));
    sweep_write("r/jobs.tsv", "job\tid\tcommand\ttrace\tgpu\n1\t../../x\ty\tz\tv100\n");
    expect(2, "r/jobs.tsv:2: not a line", WORDS("sweep", "status", "r"));
}

/* A difference that may be due to chance is a few percent of few cycles. */
static void changes_that_may_be_chance_are_named(void **state)
{
    static const char says[] = "may be due to a different order of warps";
    (void)state;
    char *small = cli_run_as(
        &rubato, 0, NULL,
        WORDS("sweep", TRACE, "--vary", "sched.dispatch_latency=120,121", "-o", "chance"));
    char *large =
        cli_run_as(&rubato, 0, NULL, WORDS("sweep", TRACE, "--vary", "sm.count=80,2", "-o", "far"));
    assert_non_null(strstr(small, says));
    assert_null(strstr(large, says));
    free(small);
    free(large);
}

static void rows_with_line_ends_in_quotes_stay_whole_when_collected(void **state)
{
    (void)state;
    char path[160];
    expect(0, NULL, WORDS("sweep", TRACE, "--vary", "sm.count=13,14", "-o", "quoted"));
    for (int i = 1; i <= 2; i++) {
        snprintf(path, sizeof(path), "%s/launches.csv", sweep_job_folder("quoted", i));
        sweep_write(path, "id,name\n1,\"a \"\"b\"\"\nc\"\n2,\"\"\n");
    }
    expect(0, NULL, WORDS("sweep", "collect", "quoted"));
    char *rows = cli_read("quoted/results.csv");
    assert_string_equal(rows, "job,trace,gpu,sm.count,id,name\n"
                              "1,vecadd-sm70,v100,13,1,\"a \"\"b\"\"\nc\"\n"
                              "1,vecadd-sm70,v100,13,2,\"\"\n"
                              "2,vecadd-sm70,v100,14,1,\"a \"\"b\"\"\nc\"\n"
                              "2,vecadd-sm70,v100,14,2,\"\"\n");
    free(rows);
}

static void stats_say_what_moved(void **state)
{
    (void)state;
    static const char a[] = "path,value,unit\ntotals.cycles,100,cycles\nmetrics.ipc,,x\n"
                            "sm.state_wait,10,warp cycles\nsm.state_drain,50,warp cycles\n"
                            "sm.gone,3,blocks\n";
    static const char b[] = "path,value,unit\ntotals.cycles,80,cycles\nmetrics.ipc,,x\n"
                            "sm.state_wait,40,warp cycles\nsm.state_drain,40,warp cycles\n"
                            "\"sm.new\",4,sectors\n";
    sweep_write("a.csv", a);
    sweep_write("b.csv", b);
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("stats", "diff", "a.csv", "b.csv"));
    assert_non_null(strstr(text, "-20.0 %"));
    assert_non_null(strstr(text, "+300.0 %    75.0 %  warp cycles"));
    assert_null(strstr(text, "metrics.ipc"));
    free(text);
    text =
        cli_run_as(&rubato, 0, NULL, WORDS("stats", "diff", "a.csv", "b.csv", "--format", "csv"));
    assert_non_null(strstr(text, "\nsm.state_drain,warp cycles,50,40,-0.2"));
    assert_non_null(strstr(text, "\nsm.new,sectors,,4,,1,,,4,4,0,,,,none\n"));
    free(text);
    text = cli_run_as(&rubato, 0, NULL, WORDS("stats", "diff", "a.csv", "a.csv"));
    assert_non_null(strstr(text, "Nothing differs."));
    free(text);
    text = cli_run_as(&rubato, 0, NULL, WORDS("stats", "join", "a.csv", "b.csv"));
    assert_non_null(strstr(text, "path,unit,a.csv,b.csv\ntotals.cycles,cycles,100,80\n"));
    assert_non_null(strstr(text, "sm.gone,blocks,3,\nsm.new,sectors,,4\n"));
    free(text);
    sweep_write("bad.csv", "path,value,unit\nx,1\n");
    expect(2, "bad.csv:2", WORDS("stats", "diff", "a.csv", "bad.csv"));
    sweep_write("bad.csv", "path,value,unit\nx,1e999,y\n");
    expect(2, "bad.csv:2", WORDS("stats", "join", "bad.csv"));
    sweep_write("bad.csv", "a,b,c\n");
    expect(2, "bad.csv:1", WORDS("stats", "join", "bad.csv"));
    expect(2, "two runs", WORDS("stats", "diff", "a.csv"));
    expect(2, "did you mean 'diff'", WORDS("stats", "dif", "a.csv", "b.csv"));
    expect(1, "nowhere", WORDS("stats", "diff", "a.csv", "nowhere"));
}

/* Rows of an estimated run; its cycles are uncertain, and so is its IPC. */
#define ESTIMATED "path,value,unit,low,high\ntotals.estimated,1,truth,,\n"

static void changes_within_intervals_are_marked(void **state)
{
    (void)state;
    sweep_write("a.csv", "path,value,unit,low,high\ntotals.estimated,0,truth,,\n"
                         "totals.cycles,100,cycles,,\nmetrics.ipc,2,x,,\nsm.warps,8,warps,,\n");
    sweep_write("b.csv", ESTIMATED "totals.cycles,103,cycles,95,111\nmetrics.ipc,1.8,x,1.7,1.9\n"
                                   "sm.warps,9,warps,,\n");
    sweep_write("c.csv", ESTIMATED "totals.cycles,110,cycles,105,115\nmetrics.ipc,1.8,x,1.8,1.8\n"
                                   "sm.warps,10,warps,9,11\n");
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("stats", "diff", "a.csv", "b.csv"));
    assert_non_null(strstr(text, " none +-8.0 %")); /* 100 is in 95 to 111 */
    assert_non_null(strstr(text, "-10.0 +-5.0 %")); /* 2 is not in 1.7 to 1.9 */
    assert_non_null(strstr(text, "+12.5 % ?"));     /* unknown */
    assert_non_null(strstr(text, "pairs need the folders of runs"));
    free(text);
    text = cli_run_as(&rubato, 0, NULL, WORDS("stats", "diff", "b.csv", "c.csv"));
    assert_non_null(strstr(text, " none +-9.6 %"));
    free(text);
    text = cli_run_as(&rubato, 0, NULL, WORDS("stats", "diff", "a.csv", "c.csv"));
    assert_non_null(strstr(text, "+10.0 +-5.0 %"));
    assert_null(strstr(text, "+10.0 +-5.0 % ?"));
    free(text);
    text =
        cli_run_as(&rubato, 0, NULL, WORDS("stats", "diff", "a.csv", "b.csv", "--format", "csv"));
    assert_non_null(strstr(text, ",share,a_low,a_high,b_low,b_high,overlap,change,change_low,"));
    assert_non_null(strstr(text, ",100,100,95,111,1,0.03"));
    free(text);
    /* Files of 0.2.0 have no intervals; a file does not change its columns. */
    text = cli_run_as(&rubato, 0, NULL, WORDS("stats", "join", "b.csv"));
    assert_non_null(strstr(text, "\nmetrics.ipc,x,1.8\n"));
    free(text);
    sweep_write("bad.csv", "path,value,unit,low,high\nx,1,y\n");
    expect(2, "bad.csv:2", WORDS("stats", "join", "bad.csv"));
    sweep_write("bad.csv", "path,value,unit,low,high\nx,1,y,0,much\n");
    expect(2, "bad.csv:2", WORDS("stats", "join", "bad.csv"));
}

static int times_in(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        n++;
    return n;
}

/* The page itself is tested in a browser (tests/page); here, the data that it gets. */
static void assert_jobs(const char *file, const char *text, bool has)
{
    char *jobs = cli_read(file);
    assert_int_equal(strstr(jobs, text) != NULL, has);
    free(jobs);
}

/* The first point chooses launches, and the others, which need its results, simulate some of these. */
static void launches_are_chosen_once(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("gen", "gaussian", "-p", "size=40", "-o", "g.rbt", "-f"));
    expect(0, "2 jobs follow the choice of the first job of their trace",
           WORDS("sweep", "g.rbt", "--sample", "stem_online", "--vary", "sm.count=4,2,3", "-o",
                 "once"));
    assert_jobs("once/jobs.tsv", "--change-from", true);
    for (int i = 2; i <= 3; i++) {
        char profile[256];
        snprintf(profile, sizeof(profile), "%s", sweep_job_folder("once", 1));
        assert_jobs("once/jobs.tsv", strrchr(profile, '/'), true);
        assert_true(cli_exists(sweep_job_folder("once", i)));
    }
    expect(0, "3 jobs, 0 to run",
           WORDS("sweep", "g.rbt", "--sample", "stem_online", "--vary", "sm.count=4,2,3", "-o",
                 "once"));
    expect(0, "3 jobs, 3 to run",
           WORDS("sweep", "g.rbt", "--sample", "stem_online", "--vary", "sm.count=4,2,3",
                 "--independent", "-o", "each"));
    assert_jobs("each/jobs.tsv", "--change-from", false);
    /* Schedulers start jobs in any order. */
    expect(0, NULL,
           WORDS("sweep", "g.rbt", "--sample", "stem_online", "--vary", "sm.count=4,2,3",
                 "--prepare", "-o", "later"));
    assert_jobs("later/jobs.tsv", "--change-from", false);
}

/* Methods that state no error give two equal points where the full runs differ: a warning, wherever they are read. */
static void estimates_without_an_interval_are_warned_of(void **state)
{
    static const char warns[] = "WARNING: the error of 2 estimates is not known",
                      one[] = "WARNING: the error of 1 estimate is not known";
    (void)state;
    char *table = cli_run_as(&rubato, 0, NULL,
                             WORDS("sweep", TRACE, "--vary", "l2.size=1536KiB,3MiB", "--sample",
                                   "blocks:count=1", "-o", "unstated"));
    assert_non_null(strstr(table, warns));
    free(table);
    table = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "table", "unstated"));
    assert_non_null(strstr(table, one)); /* relative to the first column */
    free(table);
    char *jobs = cli_read("unstated/jobs.csv");
    assert_int_equal(times_in(jobs, ",not known\n"), 2);
    free(jobs);
    table =
        cli_run_as(&rubato, 0, NULL, WORDS("sweep", TRACE, "--vary", "sm.count=80,2", "-o", "far"));
    assert_null(strstr(table, "WARNING"));
    free(table);
}

static void a_report_is_one_page_with_all_jobs(void **state)
{
    (void)state;
    static const char study[] =
        "traces = ( { path = \"" TRACE "\"; name = \"</script><b>&\"; } );\n"
        "gpus = [ \"v100\" ];\n"
        "axes : { sm : { count = [ 6, 12, 24 ]; };\n"
        "         l2 : { size = [ \"3MiB\", \"6MiB\" ]; }; };\n";
    sweep_write("page.cfg", study);
    expect(0, NULL, WORDS("sweep", "page.cfg", "--prepare", "-o", "page.sweep"));
    expect(0, "page.sweep/report.html", WORDS("report", "page.sweep"));
    expect(0, NULL, WORDS("sweep", "page.cfg", "-o", "page.sweep"));
    expect(0, "own.html", WORDS("report", "page.sweep", "-o", "own.html"));
    char *page = cli_read("page.sweep/report.html"), *own = cli_read("own.html");
    assert_int_equal(times_in(page, "\"state\":\"waiting\",\"cycles\":null"), 6);
    assert_int_equal(times_in(own, "\"state\":\"done\",\"cycles\":"), 6);
    assert_int_equal(times_in(own, "[\"\\u003c/script>\\u003cb>&\",\"v100\","), 6);
    free(page);
    free(own);
    expect(0, NULL, WORDS("run", TRACE, "-s", "sm.count=6", "-o", "run"));
    expect(0, NULL, WORDS("report", "run", "run/run.json", "page.sweep", "-o", "all.html"));
    page = cli_read("all.html");
    assert_int_equal(times_in(page, "{\"type\":\"run\""), 2);
    /* Two runs of one trace can be told apart. */
    assert_int_equal(times_in(page, "\"title\":\"vecadd-sm70 (run)\""), 1);
    assert_int_equal(times_in(page, "\"title\":\"vecadd-sm70 (run/run.json)\""), 1);
    assert_int_equal(times_in(page, "{\"type\":\"sweep\""), 1);
    free(page);
    expect(1, "bin", WORDS("report", "bin", "-o", "no.html"));
    expect(1, "nodir: No such file", WORDS("report", "nodir"));
    assert_int_equal(mkdir("bare", 0777), 0);
    expect(2, "bare: has no run.json, jobs.tsv or evaluation.json", WORDS("report", "bare"));
    assert_false(cli_exists("no.html"));
    expect(2, "-o FILE", WORDS("report", "run", "page.sweep"));
    expect(2, "is missing", WORDS("report"));
    sweep_write("cut.json", "{\"schema\": 1, \"launches\": [");
    expect(2, "cut.json:1", WORDS("report", "cut.json", "-o", "no.html"));
    assert_int_equal(mkdir("ev", 0777), 0);
    sweep_write("ev/evaluation.json", "{\"schema\": 1, \"runs\": [{\"sample\": 3}, 7]}");
    expect(2, "evaluation.json:1", WORDS("report", "ev"));
    sweep_write("run/detectors.json", "{\"schema\": 1, \"launches\": [{\"id\": 1}, 7]}");
    expect(2, "detectors.json:1", WORDS("report", "run"));
    sweep_write("run/detectors.json", "{\"schema\": 2, \"launches\": []}");
    expect(2, "not a detectors.json that this version can read", WORDS("report", "run"));
    assert_int_equal(remove("run/detectors.json"), 0);
    sweep_write("run/intervals.csv", "launch,start\n1,2\n");
    expect(2, "intervals.csv", WORDS("report", "run"));
}

/* Every error in a study names the file, and the line if it is on one. */
static void mistakes_of_a_study_name_its_file(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"points = ( { sm : { count = 40; }; },\n { sm : { count = \"many\"; }; } );",
         "m.cfg:3: point 'sm.count=many' on v100: sm.count: needs a whole number"},
        {"points = ( { launches = \"9\"; } );",
         "m.cfg:2: trace vecadd-sm70, point 'launches=9' on v100: "},
        {"settings : { l2 : { size = \"x\"; }; };", "m.cfg: point 'as it is' on v100: l2.size: x"},
        {"gpus = [\"v1000\"];", "m.cfg: point 'as it is' on v1000: unknown GPU"},
        {"gpus = [\"mine.cfg\"];", "mine.cfg: No such file"},
        {"points = (", "m.cfg:2: syntax error"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[512];
        snprintf(text, sizeof(text), "traces = ( \"" TRACE "\" );\n%s\n", bad[i].text);
        sweep_write("m.cfg", text);
        cli_result_t r = cli_run(&rubato, WORDS("sweep", "m.cfg"));
        assert_true(r.status == 2 || r.status == 1);
        if (strstr(r.err, bad[i].why) == NULL)
            fail_msg("'%s' is not in '%s'", bad[i].why, r.err);
        cli_free(&r);
    }
    sweep_write("m.cfg", "traces = ( \"nowhere\" );\n");
    expect(1, "m.cfg: trace nowhere: nowhere: No such file", WORDS("sweep", "m.cfg"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_of_a_study_name_its_file),
        cmocka_unit_test(jobs_give_what_single_runs_give_and_are_not_repeated),
        cmocka_unit_test(a_study_that_cannot_run_is_refused_before_anything_runs),
        cmocka_unit_test(several_traces_are_one_study),
        cmocka_unit_test(plans_are_values_of_an_axis),
        cmocka_unit_test(plans_are_an_axis_and_what_cannot_choose_launches_is_refused),
        cmocka_unit_test(results_are_rows_with_the_axes_as_columns),
        cmocka_unit_test(rows_with_line_ends_in_quotes_stay_whole_when_collected),
        cmocka_unit_test(changes_that_may_be_chance_are_named),
        cmocka_unit_test(estimates_without_an_interval_are_warned_of),
        cmocka_unit_test(the_scale_of_the_l1_changes_hits_but_not_what_fits),
        cmocka_unit_test(stats_say_what_moved),
        cmocka_unit_test(changes_within_intervals_are_marked),
        cmocka_unit_test(launches_are_chosen_once),
        cmocka_unit_test(folders_of_runs_are_profiles_and_plans),
        cmocka_unit_test(a_report_is_one_page_with_all_jobs),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
