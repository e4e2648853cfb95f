/* rubato run: simulates a trace and reports what came out. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/cli/commands.h"
#include "frontend/cli/launch_position.h"
#include "frontend/cli/progress_line.h"
#include "frontend/cli/run_folder.h"
#include "frontend/cli/run_inside.h"
#include "frontend/cli/run_sampling.h"
#include "frontend/cli/run_setup.h"
#include "frontend/cli/run_status.h"
#include "frontend/cli/shell_quote.h"
#include "frontend/cli/trace_identity.h"
#include "frontend/cli/version.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

typedef struct {
    setup_options_t setup;
    sampling_options_t sampling;
    const char *folder, *launches, *window;
    folder_mode_t mode;
    bool json;
    uint64_t threads, stats_interval;
    unsigned progress, format; /* progress_when_t, stats_format_t */
    double checkpoint_interval;
} run_options_t;

/* A run under way: what the callbacks of gpu_run() need. */
typedef struct {
    const run_options_t *options;
    setup_t setup;
    gpu_t *gpu;
    uint64_t *launch_ids; /* owned: positions; NULL: all, or those of sampling */
    size_t n_launch_ids;
    run_inside_t inside;     /* samplers of --sample or the configuration that look inside */
    sampling_options_t from; /* the options with the others */
    run_sampling_t sampling;
    trace_identity_t *trace;
    char identity[512];
    run_folder_t folder;
    run_totals_t totals; /* of what was simulated */
    progress_line_t progress;
    double begun; /* host time at which the run would have begun without its interruptions */
    double cpu_before;
    uint64_t rss_before;
    bool resumable; /* the folder holds a run that is not at its end */
} run_t;

static volatile sig_atomic_t stop_requested;

static void on_stop(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
}

/* The first signal asks for a stop between windows; a second one ends the process. */
static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR2};
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &action, NULL);
}

static rb_code_t read_warmup(run_options_t *o, const char *value, rb_err_t *err)
{
    static const char *const settings[] = {"warmup.mode=keep", "warmup.mode=flush",
                                           "warmup.mode=functional"};
    unsigned mode;
    RB_TRY(cli_parse_word("warmup", value, gpu_warmup_names, &mode, err));
    setup_add_set(&o->setup, settings[mode]);
    return RB_OK;
}

static rb_code_t read_option(run_options_t *o, cli_option_id_t id, const char *value, rb_err_t *err)
{
    switch (id) {
    case CLI_GPU:
        o->setup.gpu = value;
        return RB_OK;
    case CLI_SET:
        setup_add_set(&o->setup, value);
        return RB_OK;
    case CLI_FLUSH:
        setup_add_set(&o->setup, "warmup.mode=flush");
        return RB_OK;
    case CLI_WARMUP:
        return read_warmup(o, value, err);
    case CLI_PLAN:
        o->sampling.plan = value;
        return RB_OK;
    case CLI_SAMPLE:
        o->sampling.sample = value;
        return RB_OK;
    case CLI_PROFILE:
        o->sampling.profile = value;
        return RB_OK;
    case CLI_SEED:
        return cli_parse_count("seed", value, 0, UINT64_MAX, &o->sampling.seed, err);
    case CLI_OUTPUT:
        o->folder = value;
        return RB_OK;
    case CLI_LAUNCHES:
        o->launches = value;
        o->sampling.selected = true;
        return RB_OK;
    case CLI_JSON:
        o->json = true;
        return RB_OK;
    case CLI_RESUME:
        o->mode = FOLDER_RESUME;
        return RB_OK;
    case CLI_FORCE:
        o->mode = FOLDER_FORCE;
        return RB_OK;
    case CLI_TMPDIR:
        o->setup.tmpdir = value;
        return RB_OK;
    case CLI_DEBUG_WINDOW:
        o->window = value;
        return RB_OK;
    case CLI_THREADS:
        return cli_parse_count("threads", value, 1, SETUP_THREADS_MAX, &o->threads, err);
    case CLI_PROGRESS:
        return cli_parse_word("progress", value, cli_progress_words, &o->progress, err);
    case CLI_STATS_FORMAT:
        return cli_parse_word("stats-format", value, cli_stats_format_words, &o->format, err);
    case CLI_STATS_INTERVAL:
        return cli_parse_count("stats-interval", value, 1, UINT64_MAX, &o->stats_interval, err);
    case CLI_CHECKPOINT_INTERVAL:
        return cli_parse_seconds("checkpoint-interval", value, &o->checkpoint_interval, err);
    default:
        return rb_fail(err, RB_USAGE, "option not known to run");
    }
}

/* --plan, samplers that choose launches, and what goes with them. */
static rb_code_t check_sampling(const run_options_t *o, const sampling_options_t *s, rb_err_t *err)
{
    const char *word = s->plan != NULL ? "plan" : "sample";
    if (s->plan != NULL && s->sample != NULL)
        return rb_fail(err, RB_USAGE, "--plan and --sample: choose one of them");
    if (s->profile != NULL && s->sample == NULL)
        return rb_fail(err, RB_USAGE, "--profile is for --sample, which chooses from it");
    if (s->plan == NULL && s->sample == NULL)
        return RB_OK;
    if (o->launches != NULL)
        return rb_fail(err, RB_USAGE, "--launches and --%s: choose one of them", word);
    if (o->format != STATS_FORMAT_RUBATO)
        return rb_fail(err, RB_USAGE,
                       "--stats-format accelsim has no words for estimates: not with --%s", word);
    return RB_OK;
}

/*
 * Samplers inside launches are taken from sample: the rest, in *from, is about choosing launches.
 * inside->list.conf may name the configuration.
 */
static rb_code_t divide_samplers(const run_options_t *o, const char *sample, run_inside_t *inside,
                                 sampling_options_t *from, rb_err_t *err)
{
    *from = o->sampling;
    if (sample != NULL)
        RB_TRY(run_inside_divide(inside, sample, o->sampling.seed, err));
    from->sample = inside->launch;
    if (inside->list.n > 0 && o->format != STATS_FORMAT_RUBATO)
        return rb_fail(err, RB_USAGE,
                       "--stats-format accelsim has no words for estimates: not with --sample");
    return check_sampling(o, from, err);
}

/* Mistakes in --sample are told before the trace is opened. */
static rb_code_t check_samplers(const run_options_t *o, rb_err_t *err)
{
    run_inside_t inside = {0};
    sampling_options_t from;
    rb_code_t rc = divide_samplers(o, o->sampling.sample, &inside, &from, err);
    run_inside_free(&inside);
    return rc;
}

/* The samplers of the run, with options from the configuration where --sample does not say them. */
static rb_code_t prepare_samplers(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    const char *configured = run->setup.spec.sampling.samplers;
    const char *sample = o->sampling.sample;
    if (sample == NULL && o->sampling.plan == NULL && configured[0] != '\0')
        sample = configured;
    run->inside.list.conf = run->setup.conf;
    return divide_samplers(o, sample, &run->inside, &run->from, err);
}

/* -o and what goes with it. */
static rb_code_t check_output(const run_options_t *o, rb_err_t *err)
{
    if (o->folder == NULL && o->mode != FOLDER_NEW)
        return rb_fail(err, RB_USAGE, "--%s needs the folder: -o DIR",
                       o->mode == FOLDER_RESUME ? "resume" : "force");
    if (o->folder == NULL && o->stats_interval > 0)
        return rb_fail(err, RB_USAGE, "--stats-interval needs a folder for intervals.csv: -o DIR");
    if (o->json && o->format != STATS_FORMAT_RUBATO)
        return rb_fail(err, RB_USAGE, "--json and --stats-format accelsim: choose one of them");
    return RB_OK;
}

/* *help: the help was asked for. */
static rb_code_t read_options(run_options_t *o, int argc, char **argv, bool *help, rb_err_t *err)
{
    cli_parser_t p;
    *o = (run_options_t){
        .threads = setup_usable_cores(), .checkpoint_interval = 30.0, .sampling.seed = 1};
    *help = false;
    cli_parser_init(&p, cli_find_command("run"), argc, argv);
    for (;;) {
        cli_option_id_t id;
        RB_TRY(cli_parser_next(&p, &id, err));
        if (id == CLI_END)
            break;
        *help = *help || id == CLI_HELP;
        if (id != CLI_HELP)
            RB_TRY(read_option(o, id, p.value, err));
    }
    if (*help)
        return RB_OK;
    RB_TRY(cli_check_operands(&p, 1, 1, err));
    o->setup.trace = p.operands[0];
    RB_TRY(check_samplers(o, err));
    return check_output(o, err);
}

/* Cycles of --debug-window: 0 for the largest exact window. */
static rb_code_t read_window(const run_t *run, cycle_t *window, rb_err_t *err)
{
    const char *text = run->options->window;
    *window = 0;
    if (text == NULL || strcmp(text, "W") == 0)
        return RB_OK;
    return cli_parse_count("debug-window", text, 1, gpu_spec_window(&run->setup.spec), window, err);
}

/* What must be equal for results to be equal, and for a checkpoint to fit. */
static void describe_identity(run_t *run)
{
    uint64_t ids =
        journal_checksum(0, run->launch_ids, run->n_launch_ids * sizeof(*run->launch_ids));
    snprintf(run->identity, sizeof(run->identity),
             "rubato %s %s\ncounters %016llx\nconfig %s\ntrace %016llx\nlaunches %016llx\n"
             "interval %llu\nplan %016llx\ninside %016llx\n",
             RUBATO_VERSION, RUBATO_COMMIT, (unsigned long long)record_layout(),
             run->setup.config_sha256, (unsigned long long)trace_identity_fingerprint(run->trace),
             (unsigned long long)ids, (unsigned long long)run->options->stats_interval,
             (unsigned long long)run_sampling_fingerprint(&run->sampling),
             (unsigned long long)run_inside_fingerprint(&run->inside, run->options->sampling.seed));
}

static checkpoint_t host_state(const run_t *run)
{
    uint64_t rss = clock_peak_rss_bytes();
    return (checkpoint_t){
        .host_seconds = clock_seconds() - run->begun,
        .host_cpu_seconds = clock_cpu_seconds() + run->cpu_before,
        .host_peak_rss = rss > run->rss_before ? rss : run->rss_before,
    };
}

static rb_code_t on_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    run_t *run = ctx;
    checkpoint_t c = host_state(run);
    c.last_launch = r->info.id;
    RB_TRY(record_launch(run->folder.journal, r, c.host_seconds, err));
    totals_add(&run->totals, r);
    run_sampling_add(&run->sampling, r);
    return run_folder_checkpoint(&run->folder, &c, run->gpu, err);
}

static rb_code_t on_interval(void *ctx, const interval_result_t *r, rb_err_t *err)
{
    run_t *run = ctx;
    return record_interval(run->folder.journal, r, err);
}

static bool on_progress(void *ctx, const gpu_progress_t *p)
{
    run_t *run = ctx;
    progress_line_update(&run->progress, p);
    return stop_requested == 0;
}

/* Sums of the launches that the journal has. */
static rb_code_t recall_totals(run_t *run, rb_err_t *err)
{
    run_record_t record;
    journal_rewind(run->folder.journal);
    do {
        RB_TRY(record_next(run->folder.journal, &record, err));
        if (record.kind == RECORD_LAUNCH) {
            totals_add(&run->totals, &record.launch);
            run_sampling_add(&run->sampling, &record.launch);
        }
    } while (record.kind != RECORD_END);
    return RB_OK;
}

/* Trace, configuration, chip and folder are ready, or nothing was changed. */
static rb_code_t prepare(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    cycle_t window;
    RB_TRY(setup_open(&run->setup, &o->setup, err));
    RB_TRY(prepare_samplers(run, err));
    if (o->launches != NULL)
        RB_TRY(launch_positions(run->setup.source, o->launches, &run->launch_ids,
                                &run->n_launch_ids, err));
    RB_TRY(read_window(run, &window, err));
    RB_TRY(run_sampling_prepare(&run->sampling, &run->from, run->setup.source, err));
    RB_TRY(trace_identity_create(&run->trace, run->setup.source, err));
    describe_identity(run);
    run->gpu = gpu_create(&run->setup.spec, (int)o->threads, window);
    run->folder = (run_folder_t){
        .path = o->folder,
        .identity = run->identity,
        .mode = o->mode,
        .checkpoint_interval = o->checkpoint_interval,
    };
    RB_TRY(run_folder_begin(&run->folder, setup_tmpdir(&o->setup), run->gpu, err));
    if (run->folder.resumed) {
        run->begun -= run->folder.from.host_seconds;
        run->cpu_before = run->folder.from.host_cpu_seconds;
        run->rss_before = run->folder.from.host_peak_rss;
        return recall_totals(run, err);
    }
    return RB_OK;
}

/* Simulates launches of the source, from position first on. ids may be NULL: all. */
static rb_code_t simulate_launches(run_t *run, uint64_t first, const uint64_t *ids, size_t n_ids,
                                   rb_err_t *err)
{
    const run_plan_t plan = {
        .first = first,
        .launch_ids = ids,
        .n_launch_ids = n_ids,
        .stats_interval = run->options->stats_interval,
        .inside = run->inside.list.samplers,
        .n_inside = run->inside.list.n,
    };
    const gpu_callbacks_t callbacks = {
        .ctx = run,
        .launch_done = on_launch,
        .interval = run->options->stats_interval > 0 ? on_interval : NULL,
        .progress = on_progress,
    };
    const char *folder = run->options->folder;
    int status = folder != NULL ? run_status_open(folder) : -1;
    progress_line_begin(&run->progress, (progress_when_t)run->options->progress);
    progress_line_state(&run->progress, status);
    rb_code_t rc = gpu_run(run->gpu, run->setup.source, &plan, &callbacks, err);
    progress_line_end(&run->progress);
    run_status_close(status, folder);
    return rc;
}

/* A sampler chooses as the run goes; in the end its samples are weighed. */
static rb_code_t simulate_rounds(run_t *run, rb_err_t *err)
{
    run_record_t record;
    const uint64_t *ids;
    size_t n;
    for (run_sampling_round(&run->sampling, &ids, &n); n > 0;
         run_sampling_round(&run->sampling, &ids, &n))
        RB_TRY(simulate_launches(run, 1, ids, n, err));
    journal_rewind(run->folder.journal);
    do {
        RB_TRY(record_next(run->folder.journal, &record, err));
        if (record.kind == RECORD_LAUNCH)
            run_sampling_add(&run->sampling, &record.launch);
    } while (record.kind != RECORD_END);
    return RB_OK;
}

/* Simulates what is left. RB_STOPPED: on request. */
static rb_code_t simulate(run_t *run, rb_err_t *err)
{
    const run_sampling_t *sampling = &run->sampling;
    const uint64_t *ids = sampling->on ? sampling->positions : run->launch_ids;
    size_t n_ids = sampling->on ? sampling->n_chosen : run->n_launch_ids;
    uint64_t done = 0; /* launches before here, in the trace */

    if (run->folder.resumed) {
        rb_info("continues after launch %llu", (unsigned long long)run->folder.from.last_launch);
        RB_TRY(launch_position(run->setup.source, run->folder.from.last_launch, &done, err));
    }
    if (sampling->online != NULL)
        return simulate_rounds(run, err);
    uint64_t last = ids != NULL ? ids[n_ids - 1] : run->setup.n_launches;
    if (done >= last)
        return RB_OK; /* interrupted between the last launch and the results */
    return simulate_launches(run, done + 1, ids, n_ids, err);
}

static rb_code_t print_results(const run_report_t *report, const run_options_t *o, rb_err_t *err)
{
    if (o->json)
        RB_TRY(report_json(report, stdout, err));
    else if (o->format == STATS_FORMAT_ACCELSIM)
        RB_TRY(report_accelsim(report, stdout, err));
    else
        RB_TRY(report_table(report, terminal_columns(STDOUT_FILENO, 110), stdout, err));
    return cli_flush_stdout(err);
}

/* The results of a run that is complete or was stopped. */
static rb_code_t conclude(run_t *run, bool complete, const char *command, rb_err_t *err)
{
    const run_options_t *o = run->options;
    char trace_sha256[SHA256_TEXT];
    RB_TRY(trace_identity_sha256(run->trace, trace_sha256, err));
    checkpoint_t host = host_state(run);
    run_report_t report = {
        .complete = complete,
        .command = command,
        .identity = run->identity,
        .trace_path = o->setup.trace,
        .trace_format = run->setup.source->ops->name,
        .trace_sha256 = trace_sha256,
        .trace_launches = run->setup.n_launches,
        .trace_bytes = trace_identity_bytes(run->trace),
        .gpu = run->setup.gpu,
        .gpu_is_default = run->setup.gpu_is_default,
        .overrides = conf_overrides(run->setup.conf),
        .spec = &run->setup.spec,
        .config_sha256 = run->setup.config_sha256,
        .stats_interval = o->stats_interval,
        .simulated = run->totals,
        .sampling = run->sampling.on ? &run->sampling : NULL,
        .inside = &run->inside.list,
        .host_seconds = host.host_seconds,
        .host_cpu_seconds = host.host_cpu_seconds,
        .host_peak_rss = host.host_peak_rss,
        .threads = (int)o->threads,
        .journal = run->folder.journal,
    };
    report_set_totals(&report);
    RB_TRY(run_folder_finish(&run->folder, &report, run->setup.conf, err));
    RB_TRY(print_results(&report, o, err));
    report_trailer(&report, stderr);
    return RB_OK;
}

/* Prepares, simulates and concludes; leaves the folder as the outcome demands. */
static rb_code_t run_all(run_t *run, const char *command, rb_err_t *err)
{
    RB_TRY(prepare(run, err));
    if (run->folder.already_complete) {
        rb_info("%s: already complete", run->options->folder);
        return RB_OK;
    }
    trace_identity_start(run->trace);
    rb_code_t rc = simulate(run, err);
    if (rc == RB_OK || rc == RB_STOPPED) {
        rb_err_t trouble = {0};
        if (conclude(run, rc == RB_OK, command, &trouble) != RB_OK) {
            *err = trouble;
            rc = trouble.code;
        }
    }
    /* What the environment interrupted can be continued; what the input makes impossible cannot. */
    bool keep = rc == RB_OK || rc == RB_STOPPED ||
                ((rc == RB_IO || rc == RB_NOMEM) && run->totals.launches > 0);
    run_folder_abandon(&run->folder, keep);
    run->resumable = keep && run->options->folder != NULL && rc != RB_OK;
    return rc;
}

/* Runs and says what went wrong; returns the exit status. */
static int run_and_report(const run_options_t *o, const char *command)
{
    rb_err_t err = {0};
    run_t *run = rb_calloc(1, sizeof(*run));
    run->options = o;
    run->begun = clock_seconds();
    catch_signals();
    rb_code_t rc = run_all(run, command, &err);
    run_folder_abandon(&run->folder, true);
    if (run->resumable)
        rb_info("%s keeps what is complete: %llu launch%s; --resume continues", o->folder,
                (unsigned long long)run->totals.launches, run->totals.launches == 1 ? "" : "es");
    /* Last, where people and sweeps look for the reason. */
    if (rc != RB_OK && rc != RB_STOPPED)
        cli_report(&err);
    trace_identity_destroy(run->trace);
    if (run->gpu != NULL)
        gpu_destroy(run->gpu);
    run_inside_free(&run->inside);
    setup_close(&run->setup);
    run_sampling_free(&run->sampling);
    free(run->launch_ids);
    free(run);
    return rb_exit_code(rc);
}

int cmd_run(int argc, char **argv)
{
    rb_err_t err = {0};
    run_options_t options;
    bool help;
    int status;
    char *command = shell_quote("rubato", argc, argv);
    rb_code_t rc = read_options(&options, argc, argv, &help, &err);
    if (rc == RB_OK && help) {
        cli_print_help(cli_find_command("run"), stdout);
        rc = cli_flush_stdout(&err);
    }
    if (rc != RB_OK)
        status = cli_report(&err);
    else
        status = help ? 0 : run_and_report(&options, command);
    free(options.setup.sets);
    free(command);
    return status;
}
