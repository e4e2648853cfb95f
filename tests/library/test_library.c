/* librubato, through its public header and the shared library alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
/* cmocka.h needs the four headers above. */
#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/rubato.h"

#define TEXT_TRACE RUBATO_ROOT "/traces/vecadd-sm70"
#define RBT_TRACE  RUBATO_ROOT "/traces/bfs-sm70.rbt"

/* --- simulations to compare ------------------------------------------------------------------- */

enum { LAUNCHES_MAX = 64 };

/* All results of a simulation. */
typedef struct {
    size_t n;
    uint64_t cycles[LAUNCHES_MAX];
    double *values; /* owned: of all statistics, at the end */
} outcome_t;

typedef struct {
    const char *path, *gpu, *key, *value, *sample;
    uint32_t threads;
    rubato_config *config;
    rubato_trace *trace;
    rubato_sim *sim;
    outcome_t outcome;
} job_t;

static void job_begin(job_t *j)
{
    rubato_error error = {0};
    const rubato_sim_options options = {.threads = j->threads, .sample = j->sample};
    j->trace = rubato_trace_open(j->path, NULL, NULL, &error);
    assert_string_equal(error.text, "");
    j->config = rubato_config_open(j->gpu, NULL, &error);
    assert_string_equal(error.text, "");
    if (j->key != NULL)
        rubato_config_set(j->config, j->key, j->value, &error);
    j->sim = rubato_sim_create(j->config, j->trace, &options, &error);
    assert_string_equal(error.text, "");
}

/* One launch; false: there was none left. */
static bool job_step(job_t *j)
{
    rubato_error error = {0};
    const rubato_launch *launch;
    rubato_sim_next(j->sim, &launch, &error);
    assert_string_equal(error.text, "");
    if (launch == NULL)
        return false;
    assert_true(j->outcome.n < LAUNCHES_MAX);
    j->outcome.cycles[j->outcome.n++] = launch->end - launch->start;
    return true;
}

static void job_end(job_t *j)
{
    j->outcome.values = calloc(rubato_stat_count(), sizeof(double));
    for (size_t i = 0; i < rubato_stat_count(); i++)
        j->outcome.values[i] = rubato_stats_at(rubato_sim_totals(j->sim), i);
    rubato_sim_destroy(j->sim);
    rubato_config_destroy(j->config);
    rubato_trace_destroy(j->trace);
}

static void *job_run(void *arg)
{
    job_t *j = arg;
    job_begin(j);
    while (job_step(j)) {
    }
    job_end(j);
    return NULL;
}

static void job_compare(const job_t *a, const job_t *b)
{
    assert_true(a->outcome.n > 0);
    assert_int_equal(a->outcome.n, b->outcome.n);
    assert_memory_equal(a->outcome.cycles, b->outcome.cycles, a->outcome.n * sizeof(uint64_t));
    assert_memory_equal(a->outcome.values, b->outcome.values, rubato_stat_count() * sizeof(double));
}

static const job_t bfs = {.path = RBT_TRACE, .gpu = "v100", .key = "l2.size", .value = "3MiB"};
static const job_t add = {
    .path = TEXT_TRACE, .gpu = "rtx2060", .key = "l1.perfect", .value = "true"};

/* --- tests ------------------------------------------------------------------------------------ */

static void simulations_do_not_see_each_other(void **state)
{
    (void)state;
    job_t alone[2] = {bfs, add}, mixed[2] = {bfs, add}, in_threads[2] = {bfs, add};
    pthread_t thread[2];
    in_threads[0].threads = 2;
    for (int i = 0; i < 2; i++)
        job_run(&alone[i]);

    for (int i = 0; i < 2; i++)
        job_begin(&mixed[i]);
    for (bool more = true; more;) {
        more = job_step(&mixed[0]);
        more = job_step(&mixed[1]) || more;
    }
    for (int i = 0; i < 2; i++)
        job_end(&mixed[i]);

    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, job_run, &in_threads[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);

    for (int i = 0; i < 2; i++) {
        job_compare(&alone[i], &mixed[i]);
        job_compare(&alone[i], &in_threads[i]);
        free(alone[i].outcome.values);
        free(mixed[i].outcome.values);
        free(in_threads[i].outcome.values);
    }
}

/* The cycles and all counters that the command line writes for the same run. */
static void compare_with_command_line(job_t *j, const char *options)
{
    rubato_stat stat;
    rubato_error error = {0};
    char line[512], unit[64];
    size_t n = 0;
    snprintf(line, sizeof(line),
             "%s run %s --gpu v100 -s l2.size=3MiB %s --progress never -fo library-run "
             ">library-run.txt 2>&1",
             RUBATO_BINARY, RBT_TRACE, options);
    assert_int_equal(system(line), 0);
    job_run(j);
    FILE *in = fopen("library-run/stats.csv", "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof(line), in)); /* the header */
    for (; fgets(line, sizeof(line), in) != NULL; n++) {
        if (strncmp(line, "totals.interval.", strlen("totals.interval.")) == 0 &&
            fgets(line, sizeof(line), in) == NULL) /* what samplers do not know: no statistic */
            break;
        char *value = strchr(line, ',');
        *value++ = '\0';
        assert_int_equal(sscanf(strchr(value, ',') + 1, "%63[^,\n]", unit), 1);
        assert_int_equal(rubato_stat_describe(n, &stat, &error), RUBATO_OK);
        assert_string_equal(stat.path, line);
        assert_string_equal(stat.unit, unit);
        const double written = value[0] == ',' ? (double)NAN : strtod(value, NULL);
        if (isnan(written))
            assert_true(isnan(j->outcome.values[n]));
        else
            assert_true(fabs(written - j->outcome.values[n]) <= 1e-5 * fabs(written));
    }
    fclose(in);
    assert_int_equal(n, rubato_stat_count());
    assert_int_equal(system("rm -rf library-run library-run.txt"), 0);
}

static void results_are_those_of_the_command_line(void **state)
{
    (void)state;
    job_t j = bfs;
    compare_with_command_line(&j, "");
    free(j.outcome.values);
}

/* The number of a statistic. */
static size_t stat_number(const char *path)
{
    rubato_stat stat;
    for (size_t i = 0; i < rubato_stat_count(); i++)
        if (rubato_stat_describe(i, &stat, NULL) == RUBATO_OK && strcmp(stat.path, path) == 0)
            return i;
    fail_msg("no statistic %s", path);
    return 0;
}

static void samplers_inside_launches_leave_out_what_they_do_on_the_command_line(void **state)
{
    (void)state;
    rubato_error error = {0};
    job_t j = bfs, whole = bfs;
    j.sample = "photon_bb,blocks:count=8";
    compare_with_command_line(&j, "--sample photon_bb,blocks:count=8");
    job_run(&whole);
    const size_t estimated = stat_number("totals.estimated"),
                 simulated = stat_number("simulated.warp_instructions");
    assert_true(j.outcome.values[estimated] == 1.0);
    assert_true(whole.outcome.values[estimated] == 0.0);
    assert_true(j.outcome.values[simulated] < whole.outcome.values[simulated]);
    free(j.outcome.values);
    free(whole.outcome.values);

    static const struct {
        const char *sample, *configured, *message;
    } bad[] = {
        {"stem", "", "'stem' is not a sampler inside launches"},
        {"photon_bb:delta=0.1,random", "", "'random' is not a sampler inside launches"},
        {"photon_bb:dleta=0.1", "", "did you mean 'delta'"},
        {NULL, "stem", "'stem' is not a sampler inside launches"},
        {NULL, "plugin:x.so", "no configuration may name"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const rubato_sim_options options = {.sample = bad[i].sample};
        rubato_trace *trace = rubato_trace_open(TEXT_TRACE, NULL, NULL, NULL);
        rubato_config *config = rubato_config_open("v100", NULL, NULL);
        rubato_config_set(config, "sampling.samplers", bad[i].configured, NULL);
        assert_null(rubato_sim_create(config, trace, &options, &error));
        if (strstr(error.text, bad[i].message) == NULL)
            fail_msg("%s", error.text);
        rubato_config_destroy(config);
        rubato_trace_destroy(trace);
    }
}

static void a_configuration_takes_values_one_by_one(void **state)
{
    (void)state;
    rubato_error error = {0};
    char value[64];
    rubato_config *c = rubato_config_open("v100", NULL, &error);
    assert_int_equal(rubato_config_get(c, "l2.size", value, sizeof(value), &error), RUBATO_OK);
    assert_string_equal(value, "\"6MiB\"");
    assert_int_equal(rubato_config_set(c, "l2.size", "3MiB", &error), RUBATO_OK);
    assert_int_equal(rubato_config_set(c, "l2.sise", "3MiB", &error), RUBATO_USAGE);
    assert_non_null(strstr(error.text, "did you mean 'l2.size'"));
    assert_int_equal(rubato_config_set(c, "l2.ways", "many", NULL), RUBATO_USAGE);
    assert_int_equal(rubato_config_set(c, "nonsense", "1", NULL), RUBATO_USAGE);
    /* A failed call leaves nothing behind. */
    assert_int_equal(rubato_config_check(c, NULL), RUBATO_OK);
    assert_int_equal(rubato_config_get(c, "l2.size", value, sizeof(value), NULL), RUBATO_OK);
    assert_string_equal(value, "\"3MiB\"");
    assert_int_equal(rubato_config_get(c, "l2.size", value, 3, NULL), RUBATO_USAGE);
    char *text = rubato_config_text(c, "l2", NULL);
    assert_non_null(strstr(text, "size = \"3MiB\""));
    assert_null(strstr(text, "dram"));
    rubato_free(text);
    /* Valid alone, but not together with the others. */
    assert_int_equal(rubato_config_set(c, "mem.partitions", "7", NULL), RUBATO_OK);
    assert_int_equal(rubato_config_check(c, NULL), RUBATO_CONFIG);
    rubato_config_destroy(c);
}

static void errors_are_values(void **state)
{
    (void)state;
    rubato_error error = {0};
    rubato_stat stat;
    assert_null(rubato_config_open("v10", NULL, &error));
    assert_int_equal(error.code, RUBATO_USAGE);
    assert_non_null(strstr(error.text, "did you mean 'v100'"));
    assert_null(rubato_trace_open("/nonexistent", NULL, NULL, &error));
    assert_int_equal(error.code, RUBATO_IO);
    assert_int_equal(rubato_stat_describe(rubato_stat_count(), &stat, &error), RUBATO_USAGE);

    rubato_trace *trace = rubato_trace_open(TEXT_TRACE, NULL, NULL, NULL);
    rubato_config *config = rubato_config_open(rubato_trace_gpu(trace), NULL, NULL);
    rubato_sim *sim = rubato_sim_create(config, trace, NULL, NULL);
    assert_null(rubato_sim_create(config, trace, NULL, &error));
    assert_int_equal(error.code, RUBATO_USAGE); /* one at a time */
    double value;
    assert_int_equal(rubato_stats_value(rubato_sim_totals(sim), "sm.warp_inst", &value, &error),
                     RUBATO_USAGE);
    assert_non_null(strstr(error.text, "did you mean 'sm.warp_insts'"));
    uint64_t count;
    assert_int_equal(rubato_stats_count(rubato_sim_totals(sim), "metrics.ipc", &count, NULL),
                     RUBATO_USAGE);
    rubato_sim_destroy(sim);
    rubato_config_destroy(config);
    rubato_trace_destroy(trace);
}

/* --- hooks ------------------------------------------------------------------------------------ */

typedef struct {
    uint64_t intervals, insts, last_end;
    int stop_after;
    unsigned warnings;
    char warning[256];
} seen_t;

static int on_interval(void *ctx, const rubato_interval *i)
{
    seen_t *seen = ctx;
    uint64_t insts = 0;
    assert_int_equal(i->start, seen->last_end);
    rubato_stats_count(i->stats, "totals.warp_instructions", &insts, NULL);
    seen->insts += insts;
    seen->last_end = i->end;
    return ++seen->intervals == (uint64_t)seen->stop_after;
}

static void on_message(void *ctx, int warning, const char *text)
{
    seen_t *seen = ctx;
    seen->warnings += warning != 0;
    snprintf(seen->warning, sizeof(seen->warning), "%s", text);
}

/* A Volta trace on a Turing GPU: a warning. */
static rubato_code run_seen(seen_t *seen, uint64_t *cycles, uint64_t *insts, rubato_error *error)
{
    const rubato_sim_options options = {.interval_cycles = 500,
                                        .interval = on_interval,
                                        .ctx = seen,
                                        .log = {.say = on_message, .ctx = seen}};
    rubato_trace *trace = rubato_trace_open(TEXT_TRACE, NULL, NULL, NULL);
    rubato_config *config = rubato_config_open("rtx2060", NULL, NULL);
    rubato_sim *sim = rubato_sim_create(config, trace, &options, NULL);
    const rubato_launch *launch;
    rubato_config_destroy(config); /* it was copied */
    rubato_code code = rubato_sim_next(sim, &launch, error);
    if (code == RUBATO_OK) {
        *cycles = launch->end - launch->start;
        rubato_stats_count(launch->stats, "totals.warp_instructions", insts, NULL);
    } else {
        assert_null(launch);
        assert_int_equal(rubato_sim_next(sim, &launch, NULL), code); /* it is at its end */
    }
    rubato_sim_destroy(sim);
    rubato_trace_destroy(trace);
    return code;
}

static void intervals_add_up_and_messages_are_handed_over(void **state)
{
    (void)state;
    seen_t seen = {0};
    uint64_t cycles = 0, insts = 0;
    assert_int_equal(run_seen(&seen, &cycles, &insts, NULL), RUBATO_OK);
    assert_int_equal(seen.last_end, cycles);
    assert_int_equal(seen.insts, insts);
    assert_int_equal(seen.intervals, (cycles + 499) / 500);
    assert_int_equal(seen.warnings, 1);
    assert_non_null(strstr(seen.warning, "compute capability 7.0"));
}

static void a_hook_stops_the_simulation(void **state)
{
    (void)state;
    seen_t seen = {.stop_after = 2};
    rubato_error error = {0};
    uint64_t cycles = 0, insts = 0;
    assert_int_equal(run_seen(&seen, &cycles, &insts, &error), RUBATO_STOPPED);
    assert_int_equal(error.code, RUBATO_STOPPED);
    assert_int_equal(seen.intervals, 2);
}

static void launches_can_be_left_out(void **state)
{
    (void)state;
    job_t j = bfs;
    uint64_t launches = 0;
    job_begin(&j);
    assert_int_equal(rubato_sim_skip(j.sim, NULL), RUBATO_OK);
    const rubato_launch *launch;
    assert_int_equal(rubato_sim_next(j.sim, &launch, NULL), RUBATO_OK);
    assert_int_equal(launch->id, 2);
    rubato_stats_count(rubato_sim_totals(j.sim), "simulated.launches", &launches, NULL);
    assert_int_equal(launches, 1);
    rubato_sim_stop(j.sim);
    assert_int_equal(rubato_sim_next(j.sim, &launch, NULL), RUBATO_STOPPED);
    job_end(&j);
    free(j.outcome.values);
}

/* A locale of the system, or one made here; false: none is available. */
static bool speak_german(void)
{
    char folder[4096];
    if (setlocale(LC_ALL, "de_DE.UTF-8") != NULL)
        return strcmp(localeconv()->decimal_point, ",") == 0;
    if (system("mkdir -p locale && localedef -i de_DE -f UTF-8 locale/de_DE.UTF-8 2>locale/log") ||
        getcwd(folder, sizeof(folder) - 8) == NULL)
        return false;
    strcat(folder, "/locale");
    setenv("LOCPATH", folder, 1);
    /* musl takes every name, and has points only. */
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL &&
           strcmp(localeconv()->decimal_point, ",") == 0;
}

/* Numbers are read in the same way in every locale, and the program's locale is not changed. */
static void decimal_commas_change_nothing(void **state)
{
    (void)state;
    if (!speak_german())
        skip();
    rubato_error error = {0};
    rubato_config *c = rubato_config_open("v100", NULL, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(rubato_config_set(c, "gpu.clock_mhz", "1380.5", &error), RUBATO_OK);
    rubato_config_destroy(c);
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_ALL, "C");
}

/* --- a source of one's own -------------------------------------------------------------------- */

enum { BLOCKS = 40, WARPS = 4 };

typedef struct {
    uint32_t bad; /* the instruction that is supplied wrongly */
    bool fails, destroyed;
} maker_t;

static const rubato_inst code[] = {
    {"IMAD", "R2", "R0 R1", RUBATO_NO_CONTROL},    {"LDG.E", "R4", "R2", RUBATO_NO_CONTROL},
    {"FFMA", "R5", "R4 R4 R5", RUBATO_NO_CONTROL}, {"STG.E", NULL, "R2 R5", RUBATO_NO_CONTROL},
    {"EXIT", NULL, NULL, RUBATO_NO_CONTROL},
};

static rubato_code make_launch(void *ctx, uint64_t id, rubato_kernel *k, rubato_error *error)
{
    (void)ctx, (void)id, (void)error;
    static const rubato_copy copy = {0x10000000, 4096};
    *k = (rubato_kernel){.name = "scale",
                         .grid = {BLOCKS, 1, 1},
                         .block = {32 * WARPS, 1, 1},
                         .registers = 16,
                         .arch = 70,
                         .code = code,
                         .n_code = sizeof(code) / sizeof(code[0]),
                         .copies = &copy,
                         .n_copies = 1};
    return RUBATO_OK;
}

static rubato_code make_warp(void *ctx, uint64_t id, uint64_t block, uint32_t warp,
                             rubato_warp *out, rubato_error *error)
{
    const maker_t *m = ctx;
    uint64_t address[32];
    (void)id;
    for (unsigned i = 0; i < 32; i++)
        address[i] = 0x10000000 + 4 * (i + 32 * (warp + WARPS * block));
    if (m->fails && block == 3) {
        snprintf(error->text, sizeof(error->text), "the disk is on fire");
        return RUBATO_IO;
    }
    rubato_warp_run(out, m->bad, 1, UINT32_MAX);
    rubato_warp_access(out, 1, UINT32_MAX, address);
    rubato_warp_run(out, 2, 1, UINT32_MAX);
    rubato_warp_access(out, 3, UINT32_MAX, address);
    rubato_warp_run(out, 4, 1, UINT32_MAX);
    return RUBATO_OK;
}

static void destroy_maker(void *ctx)
{
    ((maker_t *)ctx)->destroyed = true;
}

static rubato_code run_source(maker_t *maker, uint64_t *insts, uint64_t *stores,
                              rubato_error *error)
{
    const rubato_source source = {maker, 2, make_launch, make_warp, destroy_maker};
    const rubato_launch *launch;
    rubato_trace *trace = rubato_trace_create(&source, NULL, NULL);
    rubato_config *config = rubato_config_open("v100", NULL, NULL);
    rubato_sim *sim = rubato_sim_create(config, trace, NULL, NULL);
    rubato_code rc;
    while ((rc = rubato_sim_next(sim, &launch, error)) == RUBATO_OK && launch != NULL)
        assert_string_equal(launch->name, "scale");
    rubato_stats_count(rubato_sim_totals(sim), "sm.warp_insts", insts, NULL);
    rubato_stats_count(rubato_sim_totals(sim), "sm.global_store_requests", stores, NULL);
    rubato_sim_destroy(sim);
    rubato_config_destroy(config);
    rubato_trace_destroy(trace);
    assert_true(maker->destroyed);
    return rc;
}

static void launches_can_be_made(void **state)
{
    (void)state;
    maker_t maker = {0};
    uint64_t insts = 0, stores = 0;
    assert_int_equal(run_source(&maker, &insts, &stores, NULL), RUBATO_OK);
    assert_int_equal(insts, 2 * BLOCKS * WARPS * 5);
    assert_int_equal(stores, 2 * BLOCKS * WARPS);
}

static void mistakes_of_a_source_are_told(void **state)
{
    (void)state;
    maker_t wrong = {.bad = 1}, beyond = {.bad = 9}, fails = {.fails = true};
    rubato_error error = {0};
    uint64_t insts, stores;
    assert_int_equal(run_source(&wrong, &insts, &stores, &error), RUBATO_TRACE);
    assert_non_null(strstr(error.text, "block 0, warp 0: instruction 1 takes addresses"));
    assert_int_equal(run_source(&beyond, &insts, &stores, &error), RUBATO_TRACE);
    assert_non_null(strstr(error.text, "beyond the kernel's code"));
    assert_int_equal(run_source(&fails, &insts, &stores, &error), RUBATO_IO);
    assert_non_null(strstr(error.text, "the disk is on fire"));
}

/* The last call was refused as a wrong use, and the argument is named. */
static void assert_missing(rubato_error *error, const char *name)
{
    char text[64];
    snprintf(text, sizeof(text), "'%s' is NULL", name);
    assert_int_equal(error->code, RUBATO_USAGE);
    assert_non_null(strstr(error->text, text));
    *error = (rubato_error){0};
}

/* Every function that takes a pointer which it needs. */
static void missing_arguments_are_refused(void **state)
{
    (void)state;
    rubato_error e = {0};
    rubato_launch_info info;
    const rubato_launch *launch;
    double value;
    uint64_t count;
    char text[16];
    assert_null(rubato_config_open(NULL, NULL, &e));
    assert_missing(&e, "gpu");
    rubato_config *c = rubato_config_open("v100", NULL, &e);
    rubato_trace *t = rubato_trace_open(RBT_TRACE, NULL, NULL, &e);
    rubato_sim *s = rubato_sim_create(c, t, NULL, &e);
    assert_string_equal(e.text, "");
    const rubato_stats *totals = rubato_sim_totals(s);
    const rubato_code calls[] = {
        rubato_config_add(NULL, "v100", NULL),
        rubato_config_add(c, NULL, NULL),
        rubato_config_set(NULL, "l2.size", "3MiB", NULL),
        rubato_config_set(c, NULL, "3MiB", NULL),
        rubato_config_set(c, "l2.size", NULL, NULL),
        rubato_config_get(NULL, "l2.size", text, sizeof(text), NULL),
        rubato_config_get(c, NULL, text, sizeof(text), NULL),
        rubato_config_get(c, "l2.size", NULL, 0, NULL),
        rubato_config_check(NULL, NULL),
        rubato_trace_launch(NULL, 1, &info, NULL),
        rubato_trace_launch(t, 1, NULL, NULL),
        rubato_stat_describe(0, NULL, NULL),
        rubato_stats_value(NULL, "sm.warps", &value, NULL),
        rubato_stats_value(totals, NULL, &value, NULL),
        rubato_stats_value(totals, "sm.warps", NULL, NULL),
        rubato_stats_count(NULL, "sm.warps", &count, NULL),
        rubato_stats_count(totals, NULL, &count, NULL),
        rubato_stats_count(totals, "sm.warps", NULL, NULL),
        rubato_sim_next(NULL, &launch, NULL),
        rubato_sim_next(s, NULL, NULL),
        rubato_sim_skip(NULL, NULL),
    };
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        assert_int_equal(calls[i], RUBATO_USAGE);
    (void)rubato_sim_next(s, NULL, &e);
    assert_missing(&e, "launch");
    assert_null(rubato_config_text(NULL, NULL, &e));
    assert_missing(&e, "config");
    assert_null(rubato_trace_open(NULL, NULL, NULL, &e));
    assert_missing(&e, "path");
    assert_null(rubato_trace_create(NULL, NULL, &e));
    assert_missing(&e, "source");
    assert_null(rubato_sim_create(NULL, t, NULL, &e));
    assert_missing(&e, "config");
    assert_null(rubato_sim_create(c, NULL, NULL, &e));
    assert_missing(&e, "trace");
    assert_int_equal(rubato_trace_launches(NULL), 0);
    assert_null(rubato_trace_gpu(NULL));
    assert_null(rubato_sim_totals(NULL));
    assert_true(isnan(rubato_stats_at(NULL, 0)));
    rubato_sim_stop(NULL);
    rubato_sim_destroy(s);
    rubato_trace_destroy(t);
    rubato_config_destroy(c);
}

static void every_statistic_has_a_path_and_a_unit(void **state)
{
    (void)state;
    assert_int_equal(rubato_api_version(), RUBATO_API_VERSION);
    for (size_t i = 0; i < rubato_stat_count(); i++) {
        rubato_stat s;
        assert_int_equal(rubato_stat_describe(i, &s, NULL), RUBATO_OK);
        assert_non_null(strchr(s.path, '.'));
        assert_true(s.unit[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulations_do_not_see_each_other),
        cmocka_unit_test(results_are_those_of_the_command_line),
        cmocka_unit_test(samplers_inside_launches_leave_out_what_they_do_on_the_command_line),
        cmocka_unit_test(a_configuration_takes_values_one_by_one),
        cmocka_unit_test(errors_are_values),
        cmocka_unit_test(intervals_add_up_and_messages_are_handed_over),
        cmocka_unit_test(a_hook_stops_the_simulation),
        cmocka_unit_test(launches_can_be_left_out),
        cmocka_unit_test(decimal_commas_change_nothing),
        cmocka_unit_test(launches_can_be_made),
        cmocka_unit_test(mistakes_of_a_source_are_told),
        cmocka_unit_test(missing_arguments_are_refused),
        cmocka_unit_test(every_statistic_has_a_path_and_a_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
