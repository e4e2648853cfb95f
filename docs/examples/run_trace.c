/*
 * Simulates a trace with librubato and prints the cycles of each launch:
 *   cc run_trace.c $(pkg-config --cflags --libs rubato) -o run_trace
 *   ./run_trace TRACE [GPU [KEY VALUE]...]
 */
#include <inttypes.h>
#include <rubato.h>
#include <stdio.h>

static rubato_error error;

static void say(void *ctx, int warning, const char *text)
{
    (void)ctx;
    fprintf(stderr, "%s%s\n", warning ? "warning: " : "", text);
}

static int print_interval(void *ctx, const rubato_interval *i)
{
    double ipc = 0.0;
    (void)ctx;
    rubato_stats_value(i->stats, "metrics.ipc", &ipc, NULL);
    printf("    cycle %6" PRIu64 ": IPC %.2f\n", i->end, ipc);
    return 0; /* continue */
}

static rubato_code run(rubato_config *config, rubato_trace *trace)
{
    const rubato_sim_options options = {
        .threads = 2, .interval_cycles = 4096, .interval = print_interval, .log = {.say = say}};
    rubato_sim *sim = rubato_sim_create(config, trace, &options, &error);
    const rubato_launch *launch;
    uint64_t cycles = 0;
    rubato_code code = sim != NULL ? RUBATO_OK : error.code;
    while (code == RUBATO_OK) {
        code = rubato_sim_next(sim, &launch, &error);
        if (code != RUBATO_OK || launch == NULL)
            break;
        printf("%" PRIu64 " %s: %" PRIu64 " cycles\n", launch->id, launch->name,
               launch->end - launch->start);
    }
    if (code == RUBATO_OK)
        code = rubato_stats_count(rubato_sim_totals(sim), "totals.cycles", &cycles, &error);
    if (code == RUBATO_OK)
        printf("total: %" PRIu64 " cycles\n", cycles);
    rubato_sim_destroy(sim);
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2 || rubato_api_version() != RUBATO_API_VERSION)
        return 2;
    rubato_code code = RUBATO_OK;
    rubato_trace *trace = rubato_trace_open(argv[1], NULL, NULL, &error);
    const char *gpu = argc > 2 ? argv[2] : trace != NULL ? rubato_trace_gpu(trace) : "";
    rubato_config *config = trace != NULL ? rubato_config_open(gpu, NULL, &error) : NULL;
    for (int i = 3; i + 1 < argc && config != NULL && code == RUBATO_OK; i += 2)
        code = rubato_config_set(config, argv[i], argv[i + 1], &error);
    if (config != NULL && code == RUBATO_OK)
        code = run(config, trace);
    if (error.code != RUBATO_OK)
        fprintf(stderr, "%s\n", error.text);
    rubato_config_destroy(config);
    rubato_trace_destroy(trace);
    return error.code == RUBATO_OK ? 0 : 1;
}
