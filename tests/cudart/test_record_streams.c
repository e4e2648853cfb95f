/* Traces of programs with several streams keep the order of the work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/support/tool/cli_child.h"

#define PROGRAM RUBATO_CUDA_PROGRAM
#define CUBIN   RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", "70"

/* The operations of cuda_program_streams.c. The host's waits have no stream. */
static const char *const operations[] = {
    "\"copy to the device\", \"stream\": 1, \"priority\": 0, \"bytes\": 4096, \"waits\": []",
    "\"launch\", \"stream\": 1, \"priority\": 0, \"launch\": 1, \"waits\": [1]",
    "\"launch\", \"stream\": 2, \"priority\": 0, \"launch\": 2, \"waits\": []",
    "\"launch\", \"stream\": 3, \"priority\": -1, \"launch\": 3, \"waits\": [2]",
    "\"launch\", \"stream\": 0, \"priority\": 0, \"launch\": 4, \"waits\": [2, 3]",
    "\"wait of the host\", \"waits\": [5, 4]",
    "\"launch\", \"stream\": 2, \"priority\": 0, \"launch\": 5, \"waits\": [6]",
    /* the graph: a fork and a join */
    "\"launch\", \"stream\": 1, \"priority\": 0, \"launch\": 6, \"waits\": [6]",
    "\"launch\", \"stream\": 1, \"priority\": 0, \"launch\": 7, \"waits\": [8]",
    "\"launch\", \"stream\": 1, \"priority\": 0, \"launch\": 8, \"waits\": [8]",
    "\"launch\", \"stream\": 1, \"priority\": 0, \"launch\": 9, \"waits\": [10, 9]",
    "\"memory set\", \"stream\": 1, \"priority\": 0, \"bytes\": 4096, \"waits\": [11]",
    /* the copy in the default stream waits for the streams that block, and the host for it */
    "\"copy to the host\", \"stream\": 0, \"priority\": 0, \"bytes\": 4096, \"waits\": [6, 12, 7]",
    "\"wait of the host\", \"waits\": [13, 6]",
    ("\"copy within the device\", \"stream\": 0, \"priority\": 0, \"bytes\": 4096, "
     "\"waits\": [13, 14]"),
};
enum {
    COPIED_BYTES = 4096, /* each way */
    OPERATIONS = sizeof(operations) / sizeof(operations[0])
};

/* Puts every object on one line. */
static void join_lines(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from != '\n') {
            *to++ = *from;
            continue;
        }
        while (from[1] == ' ')
            from++;
        if (to > text && to[-1] == ',')
            *to++ = ' ';
    }
    *to = '\0';
}

static void check_graph(const char *trace)
{
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("info", "--json", trace));
    join_lines(text);
    const char *at = strstr(text, "\"operations\"");
    assert_non_null(at);
    for (size_t i = 0; i < OPERATIONS; i++) {
        at = strstr(at, "{\"kind\": ");
        if (at == NULL || strncmp(at + 9, operations[i], strlen(operations[i])) != 0)
            fail_msg("operation %zu is '%.120s', not '%s'", i + 1, at == NULL ? "missing" : at,
                     operations[i]);
        at++;
    }
    assert_null(strstr(at, "{\"kind\": "));
    free(text);
}

static void the_order_of_streams_is_recorded(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("record", "-o", "s.rbt", "--", PROGRAM, CUBIN, "streams"));
    check_graph("s.rbt");
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("info", "s.rbt"));
    assert_non_null(strstr(text, "4 streams of the program: 9 launches, 1 to the device"));
    assert_non_null(strstr(text, "up to 2 launches can run at the same time"));
    free(text);
    expect(0, NULL, WORDS("trace", "verify", "s.rbt"));
}

static void conversion_and_slices_keep_it(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("convert", "s.rbt", "copy.rbt"));
    check_graph("copy.rbt");
    expect(0, NULL, WORDS("trace", "slice", "--launches", "3-5", "-o", "part.rbt", "s.rbt"));
    check_graph("part.rbt");
}

#define CHIP                                                                                       \
    "--gpu", "v100", "-s", "sm.count=6", "-s", "mem.partitions=2", "-s", "l2.slices=4", "-s",      \
        "l2.size=384KiB"
#define OVERLAP CHIP, "-s", "gpu.concurrent_launches=128"

static uint64_t cycles_of(const char *folder)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/run.json", folder);
    char *text = cli_read(path);
    const char *at = strstr(text, "\"cycles\": ");
    assert_non_null(at);
    const uint64_t cycles = strtoull(at + 10, NULL, 10);
    free(text);
    return cycles;
}

/* The addresses of both copies are known: each of their sectors passes the L2. */
static void check_copies(const char *folder)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/copies.csv", folder);
    char *text = cli_read(path);
    const char *in = strstr(text, "copies.l2.write_sectors,"),
               *out = strstr(text, "copies.l2.read_sectors,");
    assert_non_null(in);
    assert_non_null(out);
    const uint64_t to_device = strtoull(strchr(in, ',') + 1, NULL, 10),
                   to_host = strtoull(strchr(out, ',') + 1, NULL, 10);
    free(text);
    assert_int_equal(to_device, COPIED_BYTES / 32);
    assert_int_equal(to_host, COPIED_BYTES / 32);
}

static void runs_overlap_if_they_may(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("run", CHIP, "-o", "serial", "s.rbt"));
    assert_false(cli_exists("serial/streams.csv"));
    expect(0, NULL, WORDS("run", OVERLAP, "-o", "over", "--timeline", "t.pftrace", "s.rbt"));
    expect(0, NULL, WORDS("run", OVERLAP, "-t", "3", "-o", "threads", "s.rbt"));
    cli_same_file("over", "threads", "streams.csv");
    cli_same_file("over", "threads", "launches.csv");
    cli_same_file("over", "threads", "copies.csv");
    check_copies("over");
    assert_true(cycles_of("over") < cycles_of("serial"));
    char *text = cli_read("over/streams.csv"), *lines = text;
    unsigned rows = 0;
    for (; *lines != '\0'; lines++)
        rows += *lines == '\n';
    assert_int_equal(rows, 1 + 9 + 2); /* launches and copies; sets and waits take no time */
    free(text);
    text = cli_read("t.pftrace");
    free(text);
    /* without overlap, the order in the trace changes nothing */
    expect(0, NULL, WORDS("trace", "slice", "--launches", "1-9", "-o", "all.rbt", "s.rbt"));
    expect(0, NULL, WORDS("run", CHIP, "-o", "again", "all.rbt"));
    cli_same_file("serial", "again", "launches.csv");
}

static void parts_of_traces_overlap_too(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("run", OVERLAP, "-o", "part", "part.rbt"));
    char *text = cli_read("part/streams.csv");
    assert_null(strstr(text, "copy"));
    assert_non_null(strstr(text, "launch,3,-1,3,"));
    free(text);
}

/* A choice of launches is the graph without the others, as a slice of the trace is. Copies before the
 * first and after the last launch of a choice do not count. */
static void launches_of_a_graph_can_be_chosen(void **state)
{
    (void)state;
    expect(
        0, NULL,
        WORDS("run", OVERLAP, "--launches", "3-5", "--per-instruction", "-o", "chosen", "s.rbt"));
    cli_same_file("part", "chosen", "streams.csv");
    assert_int_equal(cycles_of("part"), cycles_of("chosen"));
    expect(0, NULL,
           WORDS("run", OVERLAP, "--launches", "3-5", "--per-instruction", "-t", "3", "-o",
                 "chosen3", "s.rbt"));
    cli_same_file("chosen", "chosen3", "instructions.csv");
    cli_same_file("chosen", "chosen3", "instruction_waits.csv");
}

/* Samples are simulated one by one; the replay of the graph gives the time. */
static void a_sampler_estimates_the_graph(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("run", OVERLAP, "--sample", "random:fraction=0.6", "--seed", "3", "-o", "sampled",
                 "s.rbt"));
    expect(0, NULL,
           WORDS("run", OVERLAP, "--sample", "random:fraction=0.6", "--seed", "3", "-t", "3", "-o",
                 "sampled3", "s.rbt"));
    cli_same_file("sampled", "sampled3", "streams.csv");
    cli_same_file("sampled", "sampled3", "stats.csv");
    expect(0, NULL,
           WORDS("run", OVERLAP, "--sample", "random:fraction=0.6", "--seed", "3", "--debug-window",
                 "3", "-o", "window3", "s.rbt"));
    cli_same_file("sampled", "window3", "streams.csv");
    cli_same_file("sampled", "window3", "stats.csv");
    expect(0, NULL,
           WORDS("run", OVERLAP, "--debug-window", "1", "-t", "2", "-o", "window1", "s.rbt"));
    cli_same_file("over", "window1", "streams.csv");
    cli_same_file("over", "window1", "copies.csv");
    cli_same_file("over", "window1", "stats.csv");
    char *text = cli_read("sampled/run.json");
    assert_non_null(strstr(text, "\"replay\": {"));
    assert_non_null(strstr(text, "\"method\": \"replicates of the replay\""));
    free(text);
    text = cli_read("sampled/streams.csv");
    unsigned rows = 0;
    for (const char *at = text; *at != '\0'; at++)
        rows += strncmp(at, ",1\n", 3) == 0; /* every row is an estimate */
    assert_int_equal(rows, 9 + 2);
    free(text);
    text = cli_read("sampled/run.json");
    const char *at = strstr(text, "\"replay\": {");
    at = strstr(strstr(at, "\"warp_instructions\""), "\"cycles\": ");
    const double estimate = strtod(at + 10, NULL), truth = (double)cycles_of("over");
    free(text);
    assert_true(estimate > 0.8 * truth && estimate < 1.2 * truth);
}

static void what_does_not_go_with_overlap_is_named(void **state)
{
    (void)state;
    expect(2, "samplers inside launches extrapolate from blocks and warps of the same launch",
           WORDS("run", OVERLAP, "--sample", "photon_bb", "s.rbt"));
    expect(2, "stem_online stops when the sum of the launches' times is known well enough",
           WORDS("run", OVERLAP, "--sample", "stem_online", "s.rbt"));
    expect(0, NULL, WORDS("plan", "--sample", "random:fraction=0.5", "-o", "plan.json", "s.rbt"));
    expect(2, "a plan from a file does not say which launches are alike",
           WORDS("run", OVERLAP, "--plan", "plan.json", "s.rbt"));
    expect(2,
           "cannot be simulated with --stats-interval: leave it out, or set "
           "gpu.concurrent_launches = 1",
           WORDS("run", OVERLAP, "--stats-interval", "100", "-o", "x", "s.rbt"));
    assert_false(cli_exists("x"));
    expect(2, "--streams needs gpu.concurrent_launches above 1",
           WORDS("run", CHIP, "--streams", "1:sm=0-2", "s.rbt"));
    expect(2, "stream 1 is confined to SMs 4 to 6, but the GPU has the SMs 0 to 5",
           WORDS("run", OVERLAP, "--streams", "1:sm=4-6", "s.rbt"));
    static const char *const wrong[] = {
        "",       "1",         "1:sm=",   "1:sm=3-1", "1:sm=0-2,",
        "1:sm=x", "1:sm=0-2;", "-1:sm=0", "1:gpc=0",  "1:sm=0-99999999999"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        expect(2, "is not a list of streams and SMs",
               WORDS("run", OVERLAP, "--streams", wrong[i], "s.rbt"));
    expect(2, "stream 1 is named twice",
           WORDS("run", OVERLAP, "--streams", "1:sm=0-2,1:sm=3-5", "s.rbt"));
    expect(0, NULL, WORDS("run", OVERLAP, "--streams", "1:sm=0-2,2:sm=3-5", "s.rbt"));
    expect(2, "the trace has no launch in it",
           WORDS("run", OVERLAP, "--streams", "77:sm=0-2", "s.rbt"));
}

/* A trace of one stream has no graph, and the version of the format that older readers know. */
static void one_stream_is_as_before(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("record", "-o", "one.rbt", "--", PROGRAM, CUBIN, "add", "1000", "3"));
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("info", "--json", "one.rbt"));
    assert_null(strstr(text, "\"graph\""));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_streams_is_recorded),
        cmocka_unit_test(conversion_and_slices_keep_it),
        cmocka_unit_test(runs_overlap_if_they_may),
        cmocka_unit_test(parts_of_traces_overlap_too),
        cmocka_unit_test(launches_of_a_graph_can_be_chosen),
        cmocka_unit_test(a_sampler_estimates_the_graph),
        cmocka_unit_test(what_does_not_go_with_overlap_is_named),
        cmocka_unit_test(one_stream_is_as_before),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
