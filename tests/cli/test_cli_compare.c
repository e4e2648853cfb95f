/* rubato compare: which launches are compared with which rows, and the errors. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/tool/cli_child.h"

/* Three launches of two kernels: 1000, 2000 and 400 cycles, 100 of each before the first block. */
static const char run_json[] =
    "{\"schema\": 1, \"complete\": true, \"config\": {\"name\": \"T\", \"clock_mhz\": 1000},\n"
    "\"trace\": {\"path\": \"t/abc\", \"launches\": 3},\n"
    "\"totals\": {\"cycles\": 3400, \"interval\": null},\n"
    "\"launches\": [\n"
    "{\"id\": 1, \"name\": \"_Z3addPf\", \"grid\": [4, 1, 1], \"block\": [32, 1, 1],\n"
    " \"cycles\": 1000, \"launch_latency_cycles\": 100, \"sampling\": null,\n"
    " \"sm\": {\"warp_insts\": 50}, \"metrics\": {\"l2_hit_rate\": 0.5}},\n"
    "{\"id\": 2, \"name\": \"_Z3addPf\", \"grid\": [4, 1, 1], \"block\": [32, 1, 1],\n"
    " \"cycles\": 2000, \"launch_latency_cycles\": 100, \"sampling\": null,\n"
    " \"sm\": {\"warp_insts\": 100}, \"metrics\": {\"l2_hit_rate\": null}},\n"
    "{\"id\": 3, \"name\": \"_Z3mulPf\", \"grid\": [1, 1, 1], \"block\": [64, 1, 1],\n"
    " \"cycles\": 400, \"launch_latency_cycles\": 100, \"sampling\": null,\n"
    " \"sm\": {\"warp_insts\": 30}, \"metrics\": {\"l2_hit_rate\": 0.25}}]}\n";

/* Rows in another order of kernels, another spelling of names, units with prefixes. */
static const char ncu_csv[] =
    "a message of the program\n"
    "==PROF== Connected to process 12\n"
    "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpc__cycles_elapsed.max\","
    "\"gpu__time_duration.sum\",\"smsp__inst_executed.sum\",\"lts__t_sector_hit_rate.pct\","
    "\"launch__unknown\"\n"
    "\"\",\"\",\"\",\"\",\"cycle\",\"usecond\",\"Kinst\",\"%\",\"register/thread\"\n"
    "\"0\",\"mul(float *)\",\"(64, 1, 1)\",\"(1, 1, 1)\",\"300\",\"0.6\",\"0.03\",\"30\",\"16\"\n"
    "\"1\",\"void add(float *)\",\"(32, 1, 1)\",\"(4, 1, 1)\",\"1,000\",\"0.9\",\"0.05\",\"40\","
    "\"16\"\n"
    "\"2\",\"void add(float *)\",\"(32, 1, 1)\",\"(4, 1, 1)\",\"1,900\",\"3.8\",\"0\",\"50\","
    "\"n/a\"\n";

static void write_text(const char *path, const char *text)
{
    cli_write(path, text, strlen(text));
}

/* The line of standard output that begins with a word; to be freed. */
static char *line_of(char *out, const char *word)
{
    char *at = strstr(out, word);
    assert_non_null(at);
    return strndup(at, strcspn(at, "\n"));
}

static void expect_in(const char *text, const char *part)
{
    if (text == NULL || strstr(text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, text != NULL ? text : "");
}

static void launches_stand_against_the_rows_of_their_kernel(void **state)
{
    (void)state;
    write_text("run.json", run_json);
    write_text("ncu.csv", ncu_csv);
    char *out = cli_run_as(&rubato, 0, NULL,
                           WORDS("compare", "run.json", "--hardware", "ncu.csv", "-o", "p.csv"));
    expect_in(out, "3 of 3 rows (one per launch)");
    expect_in(out, "Columns without a matching statistic:\n  launch__unknown\n");
    /* 300 against 300, 900 against 1000, 1900 against 1900. */
    char *line = line_of(out, "gpc__cycles_elapsed.max");
    expect_in(line, "    3      3.3 %     -3.3 %");
    expect_in(line, "-10.0 %  add (launch 1)");
    expect_in(line, ", launch latency off ");
    free(line);
    /* It is not known how much launch overhead the counter includes: 400, 1000, 2000 cycles,
     * too. */
    line = line_of(out, "gpc__cycles_elapsed.max, launch latency in");
    expect_in(line, "    3     12.9 %    +12.9 %");
    free(line);
    expect_in(out, "the bias lies between the two");
    /* Microseconds: 0.3 of 0.6, 0.9 of 0.9, 1.9 of 3.8. */
    line = line_of(out, "gpu__time_duration.sum");
    expect_in(line, "     33.3 %    -33.3 %");
    free(line);
    /* 30 of 30, 50 of 50; 100 instructions where 0 were measured no error is given. */
    line = line_of(out, "smsp__inst_executed.sum");
    expect_in(line, "    3      0.0 %     +0.0 %");
    free(line);
    expect_in(out, "no error is given");
    /* Shares differ by 5 and 10 points; one was not simulated. */
    line = line_of(out, "lts__t_sector_hit_rate.pct");
    expect_in(line, "    2     7.5 pp    +2.5 pp");
    free(line);
    free(out);
    char *pairs = cli_read("p.csv");
    expect_in(pairs,
              "gpc__cycles_elapsed.max,cycles - launch_latency_cycles,mul(float *),3,300,300");
    expect_in(pairs, "gpc__cycles_elapsed.max,cycles,mul(float *),3,300,400");
    free(pairs);
}

/* In AccelWattch's tables, outstanding reads count as hits of L1 and L2, code is not counted, and
 * accesses to shared memory are instructions, whatever their conflicts. */
static void accesses_are_what_the_table_calls_so(void **state)
{
    (void)state;
    write_text(
        "run.json",
        "{\"schema\": 1, \"complete\": true, \"config\": {\"name\": \"T\", \"clock_mhz\": 1000},\n"
        "\"trace\": {\"path\": \"t/abc\", \"launches\": 1},\n"
        "\"totals\": {\"cycles\": 400, \"interval\": null},\n"
        "\"launches\": [\n"
        "{\"id\": 1, \"name\": \"_Z3addPf\", \"grid\": [4, 1, 1], \"block\": [32, 1, 1],\n"
        " \"cycles\": 400, \"launch_latency_cycles\": 100, \"sampling\": null,\n"
        " \"sm\": {\"shared_wavefronts\": 20, \"shared_load_requests\": 4,"
        " \"shared_store_requests\": 3, \"shared_atomic_requests\": 2,"
        " \"global_load_sectors\": 50, \"global_load_hits\": 30, \"global_load_pending\": 4,"
        " \"local_load_hits\": 5},\n"
        " \"l2\": {\"read_sectors\": 100, \"read_hits\": 10, \"fills\": 60, \"inst_sectors\": 5, "
        "\"unasked_fills\": 7,"
        " \"write_sectors\": 40, \"write_hits\": 3}}]}\n");
    write_text("k.csv", "Benchmark,Kernel,L1_RH,L1_RM,L2_RH,L2_RM,L2_WH,L2_WM,SHRD_ACC,DRAM_Rd,"
                        "lts__t_sectors_op_read_lookup_hit.sum,"
                        "lts__t_sectors_op_read_lookup_miss.sum\n"
                        "x,_Z3addPf,34,16,42,60,40,0,7,,47,60\n");
    char *out = cli_run_as(&rubato, 0, NULL, WORDS("compare", "run.json", "--hardware", "k.csv"));
    static const char *const exact[] = {"L1_RH ",
                                        "L1_RM ",
                                        "L2_RH ",
                                        "L2_RM ",
                                        "L2_WH ",
                                        "SHRD_ACC ",
                                        "lts__t_sectors_op_read_lookup_hit",
                                        "lts__t_sectors_op_read_lookup_miss"};
    expect_in(out, "not measured, or nothing simulated:\n  DRAM_Rd\n");
    expect_in(out, "without a matching statistic:\n  L2_WM\n");
    for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
        char *line = line_of(out, exact[i]);
        expect_in(line, "    1      0.0 %     +0.0 %");
        free(line);
    }
    free(out);
}

static void kernels_stand_against_means_and_programs_against_totals(void **state)
{
    (void)state;
    write_text("run.json", run_json);
    write_text("k.csv", "Benchmark,Kernel,Elapsed_Cycles\nx,_Z3addPf,1400\ny,_Z3mulPf,200\n");
    char *out = cli_run_as(&rubato, 0, NULL,
                           WORDS("compare", "run.json", "--hardware", "k.csv", "-o", "p.csv"));
    expect_in(out, "2 of 2 rows (one per kernel) found in 3 launches");
    free(out);
    char *pairs = cli_read("p.csv");
    expect_in(pairs, "_Z3addPf,,1400,1400,0\n");
    expect_in(pairs, "_Z3mulPf,3,200,300,0.5\n");
    free(pairs);
    write_text("a.csv", "app,hw_cycles_x\nbfs/small,6800\nbfs/large,1\n");
    expect(0, NULL, WORDS("compare", "small=run.json", "--hardware", "a.csv", "-o", "p.csv"));
    pairs = cli_read("p.csv");
    expect_in(pairs, "hw_cycles_x,cycles,bfs/small,,6800,3400,-0.5\n");
    free(pairs);
    expect(2, "which program does the run belong to",
           WORDS("compare", "run.json", "--hardware", "a.csv"));
    expect(2, "several programs", WORDS("compare", "bfs=run.json", "--hardware", "a.csv"));
    expect(2, "there is no program 'nn'", WORDS("compare", "nn=run.json", "--hardware", "a.csv"));
}

/* For a sampled run, rows are found by the ids of the launches, or not at all. */
static void launches_of_a_sampled_run_are_found_by_their_ids(void **state)
{
    (void)state;
    char text[sizeof(run_json)];
    memcpy(text, run_json, sizeof(text));
    char *first = strstr(text, "{\"id\": 1"), *second = strstr(text, "{\"id\": 2");
    memmove(first, second, strlen(second) + 1);
    write_text("run.json", text);
    write_text("ncu.csv",
               "ID,Kernel Name,gpc__cycles_elapsed.max\n0,add,5\n1,add,3800\n2,mul,300\n");
    expect(0, NULL, WORDS("compare", "run.json", "--hardware", "ncu.csv", "-o", "p.csv"));
    char *pairs = cli_read("p.csv");
    expect_in(pairs, ",add,2,3800,1900,-0.5\n");
    expect_in(pairs, ",mul,3,300,300,0\n");
    free(pairs);
    write_text("ncu.csv", "ID,Kernel Name,gpc__cycles_elapsed.max\n0,add,5\n1,add,3800\n");
    expect(2, "simulated 2 of 3 launches", WORDS("compare", "run.json", "--hardware", "ncu.csv"));
}

/* A row per metric, as ncu --csv prints it without a page, around it what a program prints. */
#define LONG_HEAD                                                                                  \
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Section Name\","         \
    "\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
#define LONG(id, kernel, shape, metric, unit, value)                                               \
    "\"" id "\",\"7\",\"" kernel "\"," shape ",\"S\",\"" metric "\",\"" unit "\",\"" value "\"\n"
#define DEFAULT_HEAD                                                                               \
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\"," \
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\","             \
    "\"Metric Unit\",\"Metric Value\"\n"
#define DEFAULT(id, kernel, shape, value)                                                          \
    "\"" id "\",\"4711\",\"app\",\"127.0.0.1\",\"" kernel "\",\"1\",\"7\"," shape                  \
    ",\"0\",\"7.0\",\"Command line profiler "                                                      \
    "metrics\",\"gpc__cycles_elapsed.max\",\"cycle\",\"" value "\"\n"
#define ADD "\"(32, 1, 1)\",\"(4, 1, 1)\""
#define MUL "\"(64, 1, 1)\",\"(1, 1, 1)\""

static void every_form_of_nsight_compute_is_read(void **state)
{
    static const char *const forms[] = {
        /* Labels of the page, rules without a metric, units with prefixes. */
        "he said \"hello\", Kernel of mine\n==PROF== Connected\n\n" LONG_HEAD LONG(
            "0", "add(float *)", ADD, "Elapsed Cycles", "cycle", "900")
            LONG("0", "add(float *)", ADD, "Duration", "usecond", "1.90")
                LONG("0", "add(float *)", ADD, "", "", "")
                    LONG("1", "add(float *)", ADD, "Elapsed Cycles", "Kcycle", "1.90")
                        LONG("2", "mul(float *)", MUL, "Elapsed Cycles", "cycle",
                             "300") "==PROF== Disconnected\nPASSED, 3 of 3\n",
        /* Decimal commas. Only one value tells that they are. */
        LONG_HEAD LONG("0", "add(float *)", ADD, "gpc__cycles_elapsed.max", "Kcycle", "0,900")
            LONG("1", "add(float *)", ADD, "gpc__cycles_elapsed.max", "cycle", "1.900")
                LONG("2", "mul(float *)", MUL, "gpc__cycles_elapsed.max", "cycle", "300"),
        /* All columns that ncu prints by default. */
        DEFAULT_HEAD DEFAULT("0", "add(float *)", ADD, "900")
            DEFAULT("1", "add(float *)", ADD, "1,900") DEFAULT("2", "mul(float *)", MUL, "300"),
        /* Thousands by blanks, units beside the values, a page in a row per launch, twice. */
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpc__cycles_elapsed.max\"\n"
        "\"\",\"\",\"\",\"\",\"cycle\"\n"
        "\"0\",\"add(float *)\"," ADD ",\"900 cycle\"\na line between, of the program\n"
        "\"1\",\"add(float *)\"," ADD ",\"1 900\"\n"
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpc__cycles_elapsed.max\"\n"
        "\"\",\"\",\"\",\"\",\"Kcycle\"\n"
        "\"0\",\"mul(float *)\"," MUL ",\"0.3 (0.2; 0.1)\"\nbye\n",
    };
    (void)state;
    write_text("run.json", run_json);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        write_text("ncu.csv", forms[i]);
        char *out =
            cli_run_as(&rubato, 0, NULL, WORDS("compare", "run.json", "--hardware", "ncu.csv"));
        expect_in(out, "3 of 3 rows (one per launch)");
        char *line = line_of(out, "gpc__cycles_elapsed.max, launch latency off");
        expect_in(line, "    3      0.0 %     +0.0 %");
        free(line);
        if (i == 0) {
            line = line_of(out, "gpu__time_duration.sum, launch latency off");
            expect_in(line, "    1     52.6 %"); /* 0.9 of 1.9 microseconds */
            free(line);
        }
        free(out);
    }
    /* A row per kernel with the mean of its launches. */
    write_text("ncu.csv",
               "\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\","
               "\"Average\"\n\"add(float *)\",\"gpc__cycles_elapsed.max\",\"cycle\",\"1\",\"9\","
               "\"1,400.00\"\n");
    char *out = cli_run_as(&rubato, 0, NULL, WORDS("compare", "run.json", "--hardware", "ncu.csv"));
    expect_in(out, "1 of 1 rows (one per kernel) found in 2 launches");
    char *line = line_of(out, "gpc__cycles_elapsed.max, launch latency off");
    expect_in(line, "    1      0.0 %");
    free(line);
    free(out);
}

static void what_nsight_compute_did_not_write_so_is_refused(void **state)
{
    static const char *const bad[][2] = {
        {LONG_HEAD LONG("0", "add(float *)", ADD, "gpc__cycles_elapsed.max", "furlong", "900"),
         "ncu.csv: column 'gpc__cycles_elapsed.max': the unit 'furlong' is not known"},
        {LONG_HEAD LONG("0", "add(float *)", ADD, "gpc__cycles_elapsed.max", "cycle", "9 furlong"),
         "the unit 'furlong' is not known"},
        {LONG_HEAD LONG("0", "add(float *)", ADD, "my_metric", "furlong", "900"),
         "no column corresponds to a statistic, such as gpc__cycles_elapsed.max; the first of 1 is "
         "'my_metric'"},
        {LONG_HEAD LONG("0", "add(float *)", ADD, "gpc__cycles_elapsed.max", "cycle", "n/a"),
         "no value can be compared: 'gpc__cycles_elapsed.max' was not measured"},
        {LONG_HEAD LONG("0", "add(float *)", ADD, "gpc__cycles_elapsed.max", "cycle", "0,5")
             LONG("1", "add(float *)", ADD, "gpc__cycles_elapsed.max", "cycle", "0.5"),
         "ncu.csv: line 3 has a decimal point and line 2 a decimal comma"},
        {"  add (4, 1, 1)x(32, 1, 1), Context 1, Stream 7\n"
         "    Metric Name              Metric Unit Metric Value\n",
         "this is a page of Nsight Compute for people; add --csv"},
    };
    (void)state;
    write_text("run.json", run_json);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        write_text("ncu.csv", bad[i][0]);
        expect(2, bad[i][1], WORDS("compare", "run.json", "--hardware", "ncu.csv"));
    }
}

static void what_cannot_be_compared_is_said(void **state)
{
    (void)state;
    write_text("run.json", run_json);
    write_text("ncu.csv", ncu_csv);
    expect(2, "--hardware FILE", WORDS("compare", "run.json"));
    write_text("plain.csv", "a,b\n1,2\n");
    expect(2, "no header of measured counters",
           WORDS("compare", "run.json", "--hardware", "plain.csv"));
    expect(2, "ncu.csv:1", WORDS("compare", "ncu.csv", "--hardware", "ncu.csv"));
    write_text("cut.json", "{\"schema\": 1, \"launches\": [{\"id\": 1, ");
    expect(2, "cut.json:1", WORDS("compare", "cut.json", "--hardware", "ncu.csv"));
    write_text("new.json", "{\"schema\": 7, \"launches\": []}");
    expect(2, "\"schema\": 1", WORDS("compare", "new.json", "--hardware", "ncu.csv"));
    write_text("none.json", "{\"schema\": 1, \"launches\": []}");
    expect(2, "has no launches", WORDS("compare", "none.json", "--hardware", "ncu.csv"));
    write_text("other.csv", "Kernel,Elapsed_Cycles\nsort,1\n");
    expect(2, "no kernel", WORDS("compare", "run.json", "--hardware", "other.csv"));
    write_text("short.csv", "Kernel,Elapsed_Cycles\nadd,1\nmul\n");
    expect(2, "short.csv:3: 1 fields where the header has 2",
           WORDS("compare", "run.json", "--hardware", "short.csv"));
    write_text("grid.csv", "Kernel Name,Grid Size,Block Size,cycles\nadd,many,32,1\n");
    expect(2, "grid.csv:2: column 2: 'many'",
           WORDS("compare", "run.json", "--hardware", "grid.csv"));
    write_text("twice.csv", "app,Kernel,Elapsed_Cycles\nx,add,1\ny,add,2\n");
    expect(2, "lines 2 and 3 are both of kernel 'add'",
           WORDS("compare", "run.json", "--hardware", "twice.csv"));
    expect(0, "", WORDS("compare", "y=run.json", "--hardware", "twice.csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_stand_against_the_rows_of_their_kernel),
        cmocka_unit_test(kernels_stand_against_means_and_programs_against_totals),
        cmocka_unit_test(accesses_are_what_the_table_calls_so),
        cmocka_unit_test(launches_of_a_sampled_run_are_found_by_their_ids),
        cmocka_unit_test(every_form_of_nsight_compute_is_read),
        cmocka_unit_test(what_nsight_compute_did_not_write_so_is_refused),
        cmocka_unit_test(what_cannot_be_compared_is_said),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
