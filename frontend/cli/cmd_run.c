/* rubato run: simulates a trace and reports what came out. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/cli/commands.h"
#include "frontend/cli/launch_position.h"
#include "frontend/cli/run_options.h"
#include "frontend/cli/stop_signals.h"
#include "frontend/io/option_value.h"
#include "frontend/io/out_file.h"
#include "frontend/io/shell_quote.h"
#include "frontend/io/version.h"
#include "frontend/run/progress_line.h"
#include "frontend/run/run_detectors.h"
#include "frontend/run/run_parts.h"
#include "frontend/run/run_program.h"
#include "frontend/run/run_status.h"
#include "frontend/run/run_timeline.h"
#include "frontend/run/trace_identity.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

/* A run under way: what the callbacks of gpu_run() need. */
typedef struct {
    const run_options_t *options;
    setup_t setup;
    run_program_t program; /* if the options name one */
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
    run_timeline_t *timeline;   /* NULL: none */
    run_detectors_t *detectors; /* NULL: none */
    double begun; /* host time at which the run would have begun without its interruptions */
    double cpu_before;
    uint64_t rss_before;
    uint64_t *isolated; /* owned: positions, where launches are simulated on chips of their own */
    size_t n_isolated;
    cycle_t window, isolated_end; /* isolated_end: where the next such launch begins */
    double merged_seconds;        /* that the parts took */
    bool resumable;               /* the folder holds a run that is not at its end */
} run_t;

/* The samplers of the run, with options from the configuration where --sample does not say them. */
static rb_code_t prepare_samplers(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    const char *configured = run->setup.spec.sampling.samplers;
    const char *sample = o->sampling.sample;
    if (sample == NULL && o->sampling.plan == NULL && configured[0] != '\0')
        sample = configured;
    run->inside.list.conf = run->setup.conf;
    return run_options_divide(o, sample, &run->inside, &run->from, err);
}

/* Cycles of --debug-window: 0 for the largest exact window. */
static rb_code_t read_window(const run_t *run, cycle_t *window, rb_err_t *err)
{
    const char *text = run->options->window;
    *window = 0;
    if (text == NULL || strcmp(text, "W") == 0)
        return RB_OK;
    return option_count("debug-window", text, 1, gpu_spec_window(&run->setup.spec), window, err);
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
    size_t n = strlen(run->identity);
    if (run->options->isolated)
        n += (size_t)snprintf(run->identity + n, sizeof(run->identity) - n, "isolated\n");
    if (run->options->parts > 0)
        run_parts_identity(run->identity + n, run->options->part, run->options->parts);
}

/* --isolated: whether it can be, and which launches. */
static rb_code_t prepare_isolated(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    const run_sampling_t *s = &run->sampling;
    if (!o->isolated)
        return RB_OK;
    if (run->setup.spec.warmup.mode == WARMUP_KEEP)
        return rb_fail(
            err, RB_USAGE,
            "--isolated: with warmup.mode = keep a launch finds what the launches before "
            "it left; choose --warmup flush or functional");
    if (run->inside.list.n > 0)
        return rb_fail(err, RB_USAGE,
                       "--isolated: samplers inside launches may learn from the launches before");
    if (s->online != NULL && (o->parts > 0 || o->n_merge > 0))
        return rb_fail(err, RB_USAGE,
                       "stem_online chooses from the results so far: it cannot be split");
    const uint64_t *ids = s->on ? s->positions : run->launch_ids;
    size_t n = s->on ? s->n_chosen : run->n_launch_ids;
    uint64_t *all = NULL;
    if (ids == NULL && s->online == NULL) {
        n = run->setup.n_launches;
        all = rb_calloc(n + 1, sizeof(*all));
        for (size_t i = 0; i < n; i++)
            all[i] = i + 1;
        ids = all;
    }
    if (s->online == NULL)
        run->isolated =
            run_parts_pick(ids, &n, o->parts > 0 ? o->part : 1, o->parts > 0 ? o->parts : 1);
    run->n_isolated = s->online == NULL ? n : 0;
    free(all);
    return RB_OK;
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

static rb_code_t keep_launch(run_t *run, const launch_result_t *r, double host_seconds,
                             rb_err_t *err)
{
    launch_result_t kept = *r;
    if (run->options->isolated) {
        /* Each began at 0: as if one came after the other. */
        kept.start = run->isolated_end;
        kept.end = kept.start + launch_result_cycles(r);
        run->isolated_end = kept.end;
    }
    RB_TRY(record_launch(run->folder.journal, &kept, host_seconds, err));
    totals_add(&run->totals, &kept);
    run_sampling_add(&run->sampling, &kept);
    return RB_OK;
}

static rb_code_t on_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    run_t *run = ctx;
    checkpoint_t c = host_state(run);
    c.last_launch = r->info.id;
    RB_TRY(keep_launch(run, r, c.host_seconds, err));
    if (run->detectors != NULL)
        run_detectors_launch(run->detectors, r);
    return run_folder_checkpoint(&run->folder, &c, run->gpu, err);
}

/* A launch that another process has simulated. */
static rb_code_t on_part(void *ctx, const launch_result_t *r, double seconds, rb_err_t *err)
{
    run_t *run = ctx;
    run->merged_seconds += seconds;
    return keep_launch(run, r, run->merged_seconds, err);
}

static rb_code_t on_interval(void *ctx, const interval_result_t *r, rb_err_t *err)
{
    run_t *run = ctx;
    return record_interval(run->folder.journal, r, err);
}

static rb_code_t on_view(void *ctx, const chip_view_t *v, rb_err_t *err)
{
    run_t *run = ctx;
    (void)err;
    run_timeline_view(run->timeline, v);
    return RB_OK;
}

static bool on_progress(void *ctx, const gpu_progress_t *p)
{
    run_t *run = ctx;
    gpu_progress_t whole = *p;
    if (run->isolated != NULL) {
        whole.launches_done = run->totals.launches;
        whole.launches_total = run->n_isolated;
    }
    progress_line_update(&run->progress, &whole);
    return !stop_requested();
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
            run->isolated_end = record.launch.end;
            run_sampling_add(&run->sampling, &record.launch);
        }
    } while (record.kind != RECORD_END);
    return RB_OK;
}

/* Whether what is asked for looks at launches more than once, or at all before the first. */
static bool revisits(const run_options_t *o)
{
    static const char *const settings[] = {"warmup.mode=functional", "sampling.samplers="};
    for (size_t i = 0; i < o->setup.n_sets; i++)
        for (size_t k = 0; k < sizeof(settings) / sizeof(settings[0]); k++)
            if (strncmp(o->setup.sets[i], settings[k], strlen(settings[k])) == 0)
                return true;
    return o->sampling.plan != NULL || o->sampling.sample != NULL;
}

/* The trace or the program, and the configuration. */
static rb_code_t open_launches(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    setup_options_t setup = o->setup;
    if (o->program.words != NULL) {
        setup.trace = o->program.words[0];
        RB_TRY(run_program_begin(&run->program, &o->program, &o->sampling, revisits(o),
                                 &setup.source, err));
    }
    stop_signals_catch();
    RB_TRY(setup_open(&run->setup, &setup, err));
    const gpu_spec_t *spec = &run->setup.spec;
    if (run->setup.source->ops->has_launch != NULL &&
        (spec->warmup.mode == WARMUP_FUNCTIONAL || spec->sampling.samplers[0] != '\0'))
        return rb_fail(err, RB_USAGE,
                       "the configuration has a warm-up or samplers that look at launches more "
                       "than once: for a program, say so on the command line (--warmup, --sample)");
    return RB_OK;
}

/* Trace, configuration, chip and folder are ready, or nothing was changed. */
static rb_code_t prepare(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    cycle_t window;
    RB_TRY(open_launches(run, err));
    RB_TRY(prepare_samplers(run, err));
    if (o->launches != NULL && o->program.words == NULL)
        RB_TRY(launch_positions(run->setup.source, o->launches, &run->launch_ids,
                                &run->n_launch_ids, err));
    RB_TRY(read_window(run, &window, err));
    RB_TRY(run_sampling_prepare(&run->sampling, &run->from, run->setup.source, err));
    RB_TRY(trace_identity_create(&run->trace, run->setup.source,
                                 o->program.words != NULL ? run->program.file : NULL, err));
    describe_identity(run);
    RB_TRY(prepare_isolated(run, err));
    run->window = window;
    if (o->timeline != NULL)
        RB_TRY(run_timeline_open(&run->timeline, o->timeline, err));
    run->gpu = gpu_create(&run->setup.spec, (int)o->threads, window);
    run->folder = (run_folder_t){
        .path = o->folder,
        .identity = run->identity,
        .mode = o->mode,
        .checkpoint_interval = o->checkpoint_interval,
        .keep_journal = o->parts > 0,
    };
    RB_TRY(run_folder_begin(&run->folder, setup_tmpdir(&o->setup), run->gpu, err));
    if (run->folder.resumed) {
        run->begun -= run->folder.from.host_seconds;
        run->cpu_before = run->folder.from.host_cpu_seconds;
        run->rss_before = run->folder.from.host_peak_rss;
        return recall_totals(run, err);
    }
    return o->detectors ? run_detectors_open(&run->detectors, o->folder, &run->inside.list, err)
                        : RB_OK;
}

/* A chip as new. With warmup.mode = flush not even host copies are in its L2. */
static void renew_gpu(run_t *run)
{
    gpu_spec_t spec = run->setup.spec;
    if (spec.warmup.mode == WARMUP_FLUSH)
        spec.gpu.memcpy_fills_l2 = false;
    gpu_destroy(run->gpu);
    run->gpu = gpu_create(&spec, (int)run->options->threads, run->window);
}

/* gpu_run(), or one for each launch. */
static rb_code_t run_plan(run_t *run, const run_plan_t *plan, const gpu_callbacks_t *callbacks,
                          rb_err_t *err)
{
    if (!run->options->isolated)
        return gpu_run(run->gpu, run->setup.source, plan, callbacks, err);
    for (size_t i = 0; i < plan->n_launch_ids; i++) {
        run_plan_t one = *plan;
        if (plan->launch_ids[i] < plan->first)
            continue;
        one.first = plan->launch_ids[i];
        one.launch_ids = &plan->launch_ids[i];
        one.n_launch_ids = 1;
        one.skip_copies_of_others = true;
        renew_gpu(run);
        RB_TRY(gpu_run(run->gpu, run->setup.source, &one, callbacks, err));
    }
    return RB_OK;
}

/* Simulates launches of the source, from position first on. ids may be NULL: all. */
static rb_code_t simulate_launches(run_t *run, uint64_t first, const uint64_t *ids, size_t n_ids,
                                   rb_err_t *err)
{
    run_plan_t plan = {
        .first = first,
        .launch_ids = ids,
        .n_launch_ids = n_ids,
        .stats_interval = run->options->stats_interval,
        .view = run->options->view,
        .inside = run->inside.list.samplers,
        .n_inside = run->inside.list.n,
    };
    if (run->detectors != NULL)
        run_detectors_join(run->detectors, &plan);
    const gpu_callbacks_t callbacks = {
        .ctx = run,
        .launch_done = on_launch,
        .interval = run->options->stats_interval > 0 ? on_interval : NULL,
        .view = run->timeline != NULL ? on_view : NULL,
        .progress = on_progress,
    };
    const char *folder = run->options->folder;
    int status = folder != NULL ? run_status_open(folder) : -1;
    progress_line_begin(&run->progress, (progress_when_t)run->options->progress);
    progress_line_state(&run->progress, status);
    rb_code_t rc = run_plan(run, &plan, &callbacks, err);
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
    const run_options_t *o = run->options;
    const uint64_t *ids = sampling->on ? sampling->positions : run->launch_ids;
    size_t n_ids = sampling->on ? sampling->n_chosen : run->n_launch_ids;
    uint64_t done = 0; /* launches before here, in the trace */
    if (run->isolated != NULL) {
        ids = run->isolated;
        n_ids = run->n_isolated;
    }
    if (o->n_merge > 0)
        return run_parts_merge(o->merge, o->n_merge, run->identity, on_part, run, err);
    if (run->isolated != NULL && n_ids == 0)
        return RB_OK; /* more parts than launches */

    if (run->folder.resumed) {
        rb_info("continues after launch %llu", (unsigned long long)run->folder.from.last_launch);
        RB_TRY(launch_position(run->setup.source, run->folder.from.last_launch, &done, err));
    }
    if (sampling->online != NULL)
        return simulate_rounds(run, err);
    uint64_t last = ids != NULL ? ids[n_ids - 1] : run->setup.n_launches; /* or unknown */
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
    return out_flush_stdout(err);
}

/* Launches that there are; of a program that was stopped, those that were simulated. */
static uint64_t known_launches(const run_t *run)
{
    const trace_source_t *source = run->setup.source;
    uint64_t n = source->ops->n_launches(source);
    return n != UINT64_MAX ? n : run->totals.launches;
}

/* The results of a run that is complete or was stopped. */
static rb_code_t conclude(run_t *run, bool complete, const char *command, rb_err_t *err)
{
    const run_options_t *o = run->options;
    char trace_sha256[SHA256_TEXT];
    RB_TRY(trace_identity_sha256(run->trace, trace_sha256, err));
    checkpoint_t host = host_state(run);
    if (o->n_merge > 0)
        host.host_seconds = host.host_cpu_seconds = run->merged_seconds;
    const bool program = o->program.words != NULL;
    run_report_t report = {
        .complete = complete,
        .command = command,
        .identity = run->identity,
        .trace_path = program ? run->program.file : o->setup.trace,
        .trace_format = program ? "program" : run->setup.source->ops->name,
        .trace_sha256 = trace_sha256,
        .trace_launches = known_launches(run),
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
    if (rc == RB_TRACE && stop_requested())
        rc = RB_STOPPED; /* the signal came to the program too, and ended it */
    if (rc == RB_OK && run->options->program.words != NULL)
        rc = run_program_wait(&run->program, err);
    if (rc == RB_OK || rc == RB_STOPPED) {
        rb_err_t trouble = {0};
        if (run_timeline_finish(run->timeline, &trouble) != RB_OK ||
            run_detectors_finish(run->detectors, &trouble) != RB_OK ||
            conclude(run, rc == RB_OK, command, &trouble) != RB_OK) {
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
    rb_code_t rc = run_all(run, command, &err);
    run_folder_abandon(&run->folder, true);
    if (run->resumable)
        rb_info("%s keeps what is complete: %llu launch%s; --resume continues", o->folder,
                (unsigned long long)run->totals.launches, run->totals.launches == 1 ? "" : "es");
    /* Last, where people and sweeps look for the reason. */
    if (rc != RB_OK && rc != RB_STOPPED)
        cli_report(&err);
    run_timeline_free(run->timeline);
    run_detectors_free(run->detectors);
    trace_identity_destroy(run->trace);
    if (run->gpu != NULL)
        gpu_destroy(run->gpu);
    run_inside_free(&run->inside);
    setup_close(&run->setup);
    run_sampling_free(&run->sampling);
    free(run->launch_ids);
    free(run->isolated);
    int status = o->program.words != NULL ? run_program_end(&run->program, rc) : rb_exit_code(rc);
    free(run);
    return status;
}

int cmd_run(int argc, char **argv)
{
    rb_err_t err = {0};
    run_options_t options;
    bool help;
    int status;
    char *command = shell_quote("rubato", argc, argv);
    rb_code_t rc = run_options_read(&options, argc, argv, &help, &err);
    if (rc == RB_OK && help) {
        cli_print_help(cli_find_command("run"), stdout);
        rc = out_flush_stdout(&err);
    }
    if (rc != RB_OK)
        status = cli_report(&err);
    else
        status = help ? 0 : run_and_report(&options, command);
    if (rc != RB_OK && options.program.words != NULL)
        status = PROGRAM_FAILED;
    run_options_free(&options);
    free(command);
    return status;
}
