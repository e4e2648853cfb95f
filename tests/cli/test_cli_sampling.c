/* rubato plan, and run with a plan, as users see them. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/kernel_name.h"
#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/json_check.h"

static void put(const char *path, const char *text)
{
    cli_write(path, text, strlen(text));
}

enum { LAUNCHES = 12 };

/* A profile of the trace "many": two kinds of launches with different times. */
static void write_profile(void)
{
    char text[2048];
    size_t n = (size_t)snprintf(text, sizeof(text), "Name,Duration (ns)\n");
    for (int i = 0; i < LAUNCHES; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "\"vecadd(const float*, float*)\",%d\n",
                              i % 3 == 0 ? 9000 + i : 1000 + i);
    cli_write("profile.csv", text, n);
}

static void a_plan_is_printed_and_written(void **state)
{
    (void)state;
    write_profile();
    char *text = cli_run_as(&rubato, 0, NULL,
                            WORDS("plan", "profile.csv", "--sample", "stem:epsilon=0.05", "--seed",
                                  "3", "-o", "plan.json"));
    assert_non_null(strstr(text, "12   of 1 kernels"));
    assert_non_null(strstr(text, "predicted speed-up"));
    assert_non_null(strstr(text, "on the profiled GPU"));
    assert_non_null(strstr(text, "seed 3"));
    free(text);
    char *json = cli_read_json("plan.json");
    assert_true(json_is(json, "launches", "12"));
    assert_true(json_is(json, "seed", "3"));
    char *printed = cli_run_as(
        &rubato, 0, NULL,
        WORDS("plan", "profile.csv", "--sample", "stem:epsilon=5%", "--seed", "3", "--json"));
    assert_string_equal(json, printed);
    free(printed);
    free(json);
}

static void mistakes_about_plans_exit_with_2(void **state)
{
    (void)state;
    write_profile();
    put("bare.csv", "name,warp_instructions\nk,5\n");
    put("zero.csv", "name,dur_ns\nk,0\n");
    expect(2, "PROFILE|TRACE is missing", WORDS("plan"));
    expect(2, "did you mean 'stem'", WORDS("plan", "profile.csv", "--sample", "sten"));
    expect(2, "epsilon", WORDS("plan", "profile.csv", "--sample", "stem:epsilon=-1"));
    expect(2, "needs exactly one launch sampler",
           WORDS("plan", "profile.csv", "--sample", "stem,random"));
    expect(2, "durations", WORDS("plan", "bare.csv", "--sample", "stem"));
    expect(2, "zero.csv:2", WORDS("plan", "zero.csv"));
    expect(1, "nowhere.csv", WORDS("plan", "nowhere.csv"));
    expect(1, "cannot create", WORDS("plan", "profile.csv", "-o", "nowhere/plan.json"));
    expect(2, "is a folder", WORDS("plan", "profile.csv", "-o", "somewhere/"));
    expect(2, "--format", WORDS("plan", "profile.csv", "--format", "xml"));
}

static void a_run_of_a_plan_estimates_the_whole(void **state)
{
    (void)state;
    write_profile();
    cli_make_many(TRACE, LAUNCHES);
    expect(0, NULL, WORDS("plan", "profile.csv", "-o", "plan.json"));
    char *table =
        cli_run_as(&rubato, 0, NULL, WORDS("run", "many", "--plan", "plan.json", "-o", "part"));
    assert_non_null(strstr(table, "ESTIMATED from"));
    free(table);
    expect(0, NULL, WORDS("run", "many", "-o", "full"));
    char *part = cli_read_json("part/run.json"), *full = cli_read_json("full/run.json");
    assert_true(json_is(part, "totals.estimated", "true"));
    assert_true(json_is(full, "totals.estimated", "false"));
    assert_true(json_is(full, "sampling", "null"));
    assert_true(json_is(part, "launches.0.sampling.sampler", "\"stem\""));
    assert_true(json_is(part, "launches.0.sampling.decision", "\"simulate\""));
    double simulated = json_number(part, "simulated.launches");
    assert_true(simulated >= 2 && simulated < LAUNCHES);
    assert_true(json_number(part, "simulated.cycles") < json_number(full, "simulated.cycles"));
    double weights = 0, weighted = 0;
    for (int i = 0; i < (int)simulated; i++) {
        char path[64];
        snprintf(path, sizeof(path), "launches.%d.sampling.weight", i);
        double weight = json_number(part, path);
        snprintf(path, sizeof(path), "launches.%d.cycles", i);
        weighted += weight * json_number(part, path);
        weights += weight;
    }
    assert_true(fabs(weights - LAUNCHES) < 1e-9);
    /* All launches are alike, so additive statistics are those of the full run. */
    static const char *const exact[] = {"totals.warp_instructions", "totals.sm.warp_insts",
                                        "totals.sm.blocks", "totals.launch_latency_cycles"};
    for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
        assert_true(fabs(json_number(part, exact[i]) - json_number(full, exact[i])) <= 1);
    double cycles = json_number(part, "totals.cycles");
    assert_true(fabs(cycles - weighted) <= 0.5);
    assert_true(json_number(part, "totals.interval.cycles.low") <= cycles + 1);
    assert_true(json_number(part, "totals.interval.cycles.high") >= cycles - 1);
    free(part);
    free(full);
    char *again =
        cli_run_as(&rubato, 0, NULL,
                   WORDS("run", "many", "--sample", "stem", "--profile", "profile.csv", "--json"));
    assert_true(json_number(again, "totals.cycles") == cycles);
    free(again);
    /* A plan is part of the identity of a run. */
    expect(2, "another run", WORDS("run", "many", "-o", "part", "--resume"));
    expect(0, "already complete",
           WORDS("run", "many", "--plan", "plan.json", "-o", "part", "--resume"));
}

static void plans_of_other_tools_run(void **state)
{
    (void)state;
    static const char macsim[] = "Kernel sampling information\nMaximum cluster size: 50\n"
                                 "8 2 0 3\n4 1 10\n\n";
    cli_make_many(TRACE, LAUNCHES);
    cli_write("sampled_kernels_info.txt", macsim, strlen(macsim));
    char *json = cli_run_as(&rubato, 0, NULL,
                            WORDS("run", "many", "--plan", "sampled_kernels_info.txt", "--json"));
    assert_true(json_is(json, "simulated.launches", "3"));
    assert_true(json_is(json, "launches.1.id", "4"));
    assert_true(json_is(json, "launches.1.sampling.weight", "4"));
    assert_true(json_is(json, "totals.sm.blocks", "12") ||
                json_number(json, "totals.sm.blocks") > 0);
    free(json);
    put("list", "0 8\n11 4\n");
    json = cli_run_as(&rubato, 0, NULL, WORDS("run", "many", "--plan", "list", "--json"));
    assert_true(json_is(json, "simulated.launches", "2"));
    assert_true(json_is(json, "launches.0.id", "1") && json_is(json, "launches.1.id", "12"));
    free(json);
    write_profile();
    expect(0, NULL, WORDS("plan", "profile.csv", "-o", "out.txt", "--format", "macsim"));
    expect(0, NULL, WORDS("run", "many", "--plan", "out.txt"));
    /* In every format, the same launches run with the same weights. */
    static const char *const formats[] = {"json", "macsim", "list"};
    double cycles = 0;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        expect(0, NULL, WORDS("plan", "profile.csv", "-o", formats[i], "--format", formats[i]));
        json = cli_run_as(&rubato, 0, NULL, WORDS("run", "many", "--plan", formats[i], "--json"));
        double found = json_number(json, "totals.cycles");
        assert_true(found > 0 && (i == 0 || fabs(found - cycles) < 0.5));
        cycles = found;
        free(json);
    }
}

/* Methods that compare launches with each other merge equal ones first. */
static void what_takes_long_says_how_long(void **state)
{
    (void)state;
    enum { N = 20000, LINE = 48 };
    char *text = calloc(N + 1, LINE);
    for (int same = 0; same < 2; same++) {
        size_t n = (size_t)snprintf(text, LINE, "name,cycles,warp_instructions,grid\n");
        for (int i = 0; i < N; i++)
            n += (size_t)snprintf(text + n, LINE, "k,100,%d,64\n", same ? 5 : 1000 + i);
        cli_write("many.csv", text, n);
        expect(0, same ? NULL : "pka: about",
               WORDS("plan", "many.csv", "--sample", "pka:k=1,starts=1000"));
    }
    free(text);
    expect(0, NULL, WORDS("plan", "many.csv", "--sample", "pka:max_seconds=0.001"));
}

static void samplers_are_listed_with_their_options(void **state)
{
    (void)state;
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("run", "--sample", "help"));
    assert_non_null(strstr(text, "\n  stem "));
    assert_non_null(strstr(text, "\n  photon_warp "));
    /* Three to start with, each listed once. */
    size_t starts = 0;
    for (const char *at = text; at < strstr(text, "\n\n"); at++)
        starts += strncmp(at, "\n  ", 3) == 0;
    assert_int_equal(starts, 3);
    assert_null(strstr(strstr(text, "\n  smarts ") + 1, "\n  smarts "));
    free(text);
    text = cli_run_as(&rubato, 0, NULL, WORDS("plan", "--sample", "photon_bb:help"));
    assert_non_null(strstr(text, "with variant=code, unless given:\n"));
    assert_non_null(strstr(text, "      delta=0.01: branchtracer.go"));
    free(text);
    text = cli_run_as(&rubato, 0, NULL, WORDS("plan", "--sample", "stem:help"));
    assert_non_null(strstr(text, "  epsilon\n"));
    assert_non_null(strstr(text, "legal: derived | paper | artifact"));
    free(text);
    expect(2, "did you mean 'stem'", WORDS("plan", "--sample", "stme:help"));
    expect(2, "--sample help lists them", WORDS("plan", "--sample", "zzzzzzzz:help"));
}

static void contradictions_are_named(void **state)
{
    (void)state;
    cli_make_many(TRACE, LAUNCHES);
    put("far", "# from 1\n1 2\n70 1\n");
    expect(2, "launch 70, which the trace does not have", WORDS("run", "many", "--plan", "far"));
    put("other.csv", "name,dur_ns\nvecadd,5\nscan(int),7\nvecadd,5\n");
    expect(0, NULL,
           WORDS("plan", "other.csv", "--sample", "random:fraction=1", "-o", "blind.json"));
    expect(0, NULL, WORDS("run", "many", "--plan", "blind.json"));
    expect(0, NULL, WORDS("plan", "other.csv", "-o", "other.json"));
    expect(2, "'scan(int)' in the plan and", WORDS("run", "many", "--plan", "other.json"));
    /* A slice by a plan is checked like a run of the plan. */
    expect(2, "far: the plan simulates launch 70",
           WORDS("trace", "slice", "many", "--plan", "far", "-o", "s.rbt"));
    expect(2, "other.json: launch 2 is of kernel 'scan(int)' in the plan and",
           WORDS("trace", "slice", "many", "--plan", "other.json", "-o", "s.rbt"));
    assert_false(cli_exists("s.rbt"));
    expect(2, "exclude each other", WORDS("run", "many", "--plan", "far", "--sample", "stem"));
    expect(2, "exclude each other", WORDS("run", "many", "--plan", "far", "--launches", "1"));
    expect(2, "--profile needs --sample", WORDS("run", "many", "--profile", "other.csv"));
    expect(2, "--profile FILE", WORDS("run", "many", "--sample", "stem"));
    expect(2, "--warmup", WORDS("run", "many", "--warmup", "hot"));
    put("broken.json", "{\"schema\": ");
    expect(2, "broken.json", WORDS("run", "many", "--plan", "broken.json"));
}

static void a_run_can_choose_as_it_goes(void **state)
{
    (void)state;
    cli_make_many(TRACE, LAUNCHES);
    char *json = cli_run_as(
        &rubato, 0, "stem_online: ", WORDS("run", "many", "--sample", "stem_online", "--json"));
    assert_true(json_is(json, "totals.estimated", "true"));
    assert_true(json_number(json, "totals.interval.cycles.low") <=
                json_number(json, "totals.cycles") + 1);
    assert_true(json_number(json, "sampling.samples") == json_number(json, "simulated.launches"));
    free(json);
    expect(0, "the trace has no index", WORDS("run", "many", "--sample", "stem_online"));
    expect(2, "stem_online", WORDS("plan", "many", "--sample", "stem_online"));
}

/* With an index, the chip limits how long a launch is that no sample met. */
static void the_interval_says_what_the_chip_allows(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("gen", "lookups", "--size", "40", "-p", "cold=0", "-p", "bags=8", "--arch",
                 "sm_75", "-o", "lookups.rbt"));
    char *json = cli_run_as(
        &rubato, 0, NULL,
        WORDS("run", "lookups.rbt", "--sample", "stem_online:epsilon=0.9,pilot_total=4", "--json"));
    assert_non_null(
        strstr(json, "times as long, as their requests allow on this chip, 1 % of all"));
    assert_true(json_number(json, "totals.interval.cycles.high") >
                json_number(json, "totals.cycles"));
    free(json);
}

/* The index of a native trace has the data that these need. */
/* The ids of the launches of a run, one a line. */
static char *launches_of(const char *folder)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/launches.csv", folder);
    char *csv = cli_read(path), *to = csv;
    for (char *line = strchr(csv, '\n'); line != NULL && line[1] != '\0';
         line = strchr(line + 1, '\n')) {
        const size_t n = strcspn(line, ",");
        memmove(to, line, n);
        to += n;
    }
    *to = '\0';
    return csv;
}

static void a_run_can_simulate_the_launches_of_another(void **state)
{
    (void)state;
    const char *const lists[] = {"chosen", "again", "planned"};
    char *ids[3];
    expect(0, NULL, WORDS("gen", "gaussian", "-p", "size=40", "-o", "g.rbt", "-f"));
    expect(0, NULL,
           WORDS("run", "g.rbt", "-s", "sm.count=4", "--sample", "stem_online", "-o", "chosen"));
    expect(0, NULL,
           WORDS("run", "g.rbt", "-s", "sm.count=2", "--change-from", "chosen", "--change-bound",
                 "0", "-o", "again"));
    expect(0, NULL, WORDS("run", "g.rbt", "-s", "sm.count=2", "--plan", "chosen", "-o", "planned"));
    for (int i = 0; i < 3; i++)
        ids[i] = launches_of(lists[i]);
    assert_true(strlen(ids[0]) > 0);
    assert_string_equal(ids[0], ids[1]);
    assert_string_equal(ids[0], ids[2]);
    for (int i = 0; i < 3; i++)
        free(ids[i]);
    char *json = cli_read_json("again/run.json");
    assert_true(json_number(json, "totals.interval.cycles.low") <
                json_number(json, "totals.interval.cycles.high"));
    free(json);
    expect(2, "not all launches were simulated",
           WORDS("run", "g.rbt", "--sample", "stem", "--profile", "chosen"));
    cli_make_many(TRACE, 2);
    expect(2, "has no plan.json", WORDS("run", "g.rbt", "--plan", "many"));
}

/* The host times of launches, which plans do not need, are most of run.json. */
static void a_profile_is_a_column_of_launches_csv(void **state)
{
    (void)state;
    cli_make_many(TRACE, LAUNCHES);
    expect(0, NULL, WORDS("run", "many", "-o", "columns", "-f"));
    char *json = cli_read("columns/run.json"), *launches = strstr(json, "\"launches\": [");
    assert_non_null(launches);
    cli_write("columns/run.json", json, (size_t)(launches - json));
    free(json);
    expect(0, NULL, WORDS("plan", "columns", "--sample", "stem"));
    expect(0, NULL, WORDS("run", "many", "--sample", "stem", "--profile", "columns"));
}

static void a_native_trace_needs_no_profile(void **state)
{
    (void)state;
    static const char *const samplers[] = {"sieve", "tbpoint", "photon_kernel"};
    expect(0, NULL, WORDS("gen", "bfs", "--size", "512", "-o", "bfs.rbt"));
    for (size_t i = 0; i < sizeof(samplers) / sizeof(samplers[0]); i++) {
        expect(0, NULL, WORDS("plan", "bfs.rbt", "--sample", samplers[i], "-o", "bfs.json"));
        char *json = cli_run_as(&rubato, 0, NULL,
                                WORDS("run", "bfs.rbt", "--sample", samplers[i], "--json"));
        assert_true(json_is(json, "totals.estimated", "true"));
        assert_true(json_number(json, "simulated.launches") <= json_number(json, "trace.launches"));
        free(json);
    }
    expect(2, "durations", WORDS("plan", "bfs.rbt", "--sample", "stem"));
}

/* Totals of a run, and whether they are estimates; the run's JSON otherwise differs in its paths.
 */
static void expect_same_totals(const char *const *words, const char *json)
{
    static const char *const paths[] = {
        "totals.cycles",           "totals.interval.cycles.low", "totals.interval.cycles.high",
        "totals.sm.active_cycles", "totals.l2.read_hits",        "simulated.launches"};
    char *other = cli_run_as(&rubato, 0, NULL, words);
    assert_true(json_is(other, "totals.estimated", "true"));
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        assert_true(json_number(other, paths[i]) == json_number(json, paths[i]));
    free(other);
}

static void expect_warmup(const char *launches, const char *mode)
{
    expect(0, NULL,
           WORDS("trace", "slice", "middle.rbt", "-l", launches, "-o", "cut.rbt", "--force"));
    char *json = cli_run_as(&rubato, 0, NULL,
                            WORDS("run", "cut.rbt", "--sample", "photon_kernel", "--json"));
    assert_true(json_is(json, "simulated.warmup", mode));
    free(json);
}

static void launches_between_those_of_the_trace_warm_the_caches(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("gen", "bfs", "--size", "512", "-o", "middle.rbt"));
    expect_warmup("3-6", "\"functional\"");
    expect_warmup("1-3,5-6", "\"keep\"");
}

/* What launches that the trace lacks did to the L2 is not known. */
static void gaps_leave_no_interval_of_what_caches_hold(void **state)
{
    static const char *const none[] = {"metrics.l2_hit_rate", "dram_bytes", "sm.tlb_misses"};
    static const char reason[] = "left out were not walked";
    static const char *const run[] = {"run",      "gaps.rbt",
                                      "--gpu",    "rtx2060",
                                      "-s",       "sm.count=6",
                                      "-s",       "mem.partitions=3",
                                      "-s",       "l2.slices=6",
                                      "-s",       "l2.size=96KiB",
                                      "--sample", "random:fraction=40%",
                                      "-fo",      "gaps",
                                      NULL};
    char path[64];
    (void)state;
    expect(0, NULL,
           WORDS("gen", "stencil", "-p", "size=130", "-p", "steps=30", "-o", "steps.rbt", "-f"));
    expect(0, NULL, WORDS("trace", "slice", "steps.rbt", "-l", "1-10,14-30", "-o", "gaps.rbt"));
    char *table = cli_run_as(&rubato, 0, NULL, run), *json = cli_read_json("gaps/run.json");
    assert_non_null(strstr(table, reason));
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        snprintf(path, sizeof(path), "totals.interval.%s.low", none[i]);
        assert_true(json_is(json, path, "null"));
        snprintf(path, sizeof(path), "totals.interval.%s.reason", none[i]);
        assert_false(json_is(json, path, "null"));
    }
    assert_false(json_is(json, "totals.interval.metrics.global_load_hit_rate.high", "null"));
    free(table);
    free(json);
    expect(0, NULL, WORDS("report", "gaps"));
    char *page = cli_read("gaps/report.html");
    assert_non_null(strstr(page, "hits in the L2 and DRAM traffic have no interval"));
    free(page);
}

static void a_trace_of_the_plans_launches_is_enough(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("gen", "bfs", "--size", "512", "-o", "whole.rbt"));
    expect(0, NULL, WORDS("run", "whole.rbt", "-o", "whole"));
    expect(0, NULL, WORDS("plan", "whole", "--sample", "stem:epsilon=0.3", "-o", "part.json"));
    expect(0, NULL, WORDS("trace", "slice", "whole.rbt", "--plan", "part.json", "-o", "part.rbt"));
    /* What the smaller trace lacks cannot be walked. */
    char *json =
        cli_run_as(&rubato, 0, NULL,
                   WORDS("run", "whole.rbt", "--plan", "part.json", "--warmup", "keep", "--json"));
    assert_true(json_number(json, "simulated.launches") < json_number(json, "trace.launches"));
    expect_same_totals(WORDS("run", "part.rbt", "--plan", "part.json", "--json"), json);
    expect_same_totals(WORDS("run", "part.rbt", "--json"), json); /* it has the plan with it */
    expect(0, "left out are not in the trace", WORDS("run", "part.rbt"));
    char first[32];
    snprintf(first, sizeof(first), "%.0f", json_number(json, "launches.0.id"));
    free(json);
    json = cli_run_as(&rubato, 0, NULL, WORDS("run", "part.rbt", "-l", first, "--json"));
    assert_true(json_is(json, "totals.estimated", "false"));
    free(json);
    /* An incomplete run cannot be used to score plans. */
    expect(0, NULL, WORDS("run", "part.rbt", "-o", "estimates"));
    expect(2, "totals are estimates", WORDS("evaluate", "estimates"));
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("evaluate", "whole", "--trace", "whole.rbt"));
    assert_null(strstr(text, "does not have"));
    free(text);
    expect(2, "in the other", WORDS("evaluate", "whole", "--trace", "part.rbt"));
    expect(2, "no native trace", WORDS("evaluate", "whole", "--trace", "part.json"));
    expect(1, "none.rbt: No such file", WORDS("evaluate", "whole", "--trace", "none.rbt"));
}

static void warmups_are_settings(void **state)
{
    (void)state;
    cli_make_many(TRACE, LAUNCHES);
    char *by_option =
        cli_run_as(&rubato, 0, NULL, WORDS("run", "many", "--warmup", "functional", "--json"));
    char *by_setting = cli_run_as(&rubato, 0, NULL,
                                  WORDS("run", "many", "-s", "warmup.mode=functional", "--json"));
    assert_true(json_number(by_option, "totals.cycles") ==
                json_number(by_setting, "totals.cycles"));
    free(by_option);
    free(by_setting);
}

static void names_of_one_kernel_do_not_differ(void **state)
{
    (void)state;
    static const char *const add[] = {
        "_ZN2at6native3addIfEEvT_",
        "at::native::add",
        "void at::native::add<float>(float)",
        "add",
        "void at::native::(anonymous namespace)::add<int>(T1)",
        "add(int*, float)",
    };
    enum { N = sizeof(add) / sizeof(add[0]) };
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < N; k++)
            assert_false(kernel_names_differ(add[i], add[k]));
        assert_true(kernel_names_differ(add[i], "_Z4add2Pf"));
        assert_true(kernel_names_differ("void sub<add>(add)", add[i]));
        assert_false(kernel_names_differ(add[i], ""));
    }
}

static void samplers_inside_launches_are_named_in_the_results(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("gen", "relu", "--blocks", "64", "--arch", "sm_70", "-o", "relu.rbt", "-f"));
    char *table = cli_run_as(&rubato, 0, NULL,
                             WORDS("run", "relu.rbt", "--sample", "blocks:count=16", "-o", "cut"));
    assert_non_null(strstr(table, "ESTIMATED: part of 1 launch was not simulated (16 of 64"));
    free(table);
    char *cut = cli_read_json("cut/run.json");
    assert_true(json_is(cut, "totals.estimated", "true"));
    assert_true(json_is(cut, "totals.interval.cycles.low", "null"));
    assert_true(json_is(cut, "sampling", "null"));
    assert_true(json_is(cut, "inside_samplers.0", "\"blocks:count=16,which=first\""));
    assert_true(json_is(cut, "simulated.blocks", "16"));
    assert_true(json_is(cut, "launches.0.blocks", "64"));
    assert_true(json_is(cut, "launches.0.sampling.sampler", "\"blocks\""));
    assert_true(json_is(cut, "launches.0.sampling.decision", "\"fast_forward\""));
    assert_true(json_is(cut, "launches.0.sampling.block", "16"));
    assert_true(json_is(cut, "launches.0.sampling.evidence", "\"16 of 64 blocks, first\""));
    free(cut);
    /* Together with a sampler of launches; a launch too short for the detector says so. */
    expect(
        0, NULL,
        WORDS("run", "relu.rbt", "--sample", "random:count=1,photon_warp:waves=3", "-o", "both"));
    char *both = cli_read_json("both/run.json");
    assert_true(json_is(both, "sampling.samples", "1"));
    assert_true(json_is(both, "launches.0.sampling.sampler", "\"photon_warp\""));
    assert_true(json_is(both, "launches.0.sampling.decision", "\"simulate\""));
    assert_true(json_is(both, "launches.0.sampling.estimated", "false"));
    free(both);
    expect(2, "delta", WORDS("run", "relu.rbt", "--sample", "photon_warp:delta=7"));
    expect(2, "named twice", WORDS("run", "relu.rbt", "--sample", "blocks,blocks"));
    expect(2, "cannot express estimates",
           WORDS("run", "relu.rbt", "--sample", "pka_stop", "--stats-format", "accelsim"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_printed_and_written),
        cmocka_unit_test(mistakes_about_plans_exit_with_2),
        cmocka_unit_test(a_run_of_a_plan_estimates_the_whole),
        cmocka_unit_test(plans_of_other_tools_run),
        cmocka_unit_test(what_takes_long_says_how_long),
        cmocka_unit_test(samplers_are_listed_with_their_options),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(a_run_can_choose_as_it_goes),
        cmocka_unit_test(the_interval_says_what_the_chip_allows),
        cmocka_unit_test(a_run_can_simulate_the_launches_of_another),
        cmocka_unit_test(a_profile_is_a_column_of_launches_csv),
        cmocka_unit_test(a_native_trace_needs_no_profile),
        cmocka_unit_test(launches_between_those_of_the_trace_warm_the_caches),
        cmocka_unit_test(gaps_leave_no_interval_of_what_caches_hold),
        cmocka_unit_test(a_trace_of_the_plans_launches_is_enough),
        cmocka_unit_test(samplers_inside_launches_are_named_in_the_results),
        cmocka_unit_test(warmups_are_settings),
        cmocka_unit_test(names_of_one_kernel_do_not_differ),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
