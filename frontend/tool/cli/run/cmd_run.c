/* rubato run: simulates a trace and reports the results. */
#include <stdlib.h>
#include <unistd.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/run/run_command.h"
#include "frontend/tool/cli/run/run_isolated.h"
#include "frontend/tool/cli/run/sampler_help.h"
#include "frontend/tool/cli/trace/launch_position.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/shell_quote.h"
#include "frontend/tool/io/stop_signals.h"
#include "frontend/tool/run/results/run_waits.h"
#include "frontend/tool/run/results/trace_doubts.h"
#include "frontend/tool/run/run_parts.h"
#include "frontend/tool/run/run_status.h"
#include "frontend/tool/run/run_streams.h"
#include "frontend/tool/run/walks_file.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

static checkpoint_t host_state(const run_t *run)
{
    uint64_t rss = clock_peak_rss_bytes();
    return (checkpoint_t){
        .host_seconds = clock_seconds() - run->begun,
        .host_cpu_seconds = clock_cpu_seconds() + run->cpu_before,
        .host_peak_rss = rss > run->rss_before ? rss : run->rss_before,
    };
}

/* error: of a launch from another journal; NULL: see its replicates. */
static rb_code_t keep_launch(run_t *run, const launch_result_t *r, const launch_error_t *error,
                             double host_seconds, rb_err_t *err)
{
    launch_result_t kept = *r;
    if (run->options->isolated) {
        /* Isolated launches all begin at 0; they are placed one after another. */
        kept.start = run->isolated_end;
        kept.end = kept.start + launch_result_cycles(r);
        run->isolated_end = kept.end;
    }
    RB_TRY(record_launch(run->folder.journal, &kept, error, host_seconds, err));
    library_sim_count(run->sim, &kept);
    run_sampling_add(&run->sampling, &kept, error);
    return RB_OK;
}

static rb_code_t on_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    run_t *run = ctx;
    checkpoint_t c = host_state(run);
    c.last_launch = r->info.id;
    run->part = r->part;
    RB_TRY(trace_identity_note(run->trace, run->folder.journal, err));
    RB_TRY(keep_launch(run, r, NULL, c.host_seconds, err));
    if (run->detectors != NULL)
        run_detectors_launch(run->detectors, r);
    if (r->part)
        return RB_OK;    /* the chip is not at rest, and nothing follows */
    if (run->overlaps) { /* others may be resident */
        run->last_launch = r->info.id;
        return RB_OK;
    }
    return run_folder_checkpoint(&run->folder, &c, library_sim_chip(run->sim), err);
}

/* Launches overlap, and at the moment none runs. */
static rb_code_t on_rest(void *ctx, rb_err_t *err)
{
    run_t *run = ctx;
    checkpoint_t c = host_state(run);
    c.last_launch = run->last_launch;
    return run_folder_checkpoint(&run->folder, &c, library_sim_chip(run->sim), err);
}

/* The name of the kernel of a launch. */
static const char *name_of(void *ctx, uint64_t launch)
{
    run_t *run = ctx;
    static launch_info_t info;
    rb_err_t ignored = {0};
    uint64_t position;
    const trace_source_ops_t *ops = run->setup.source->ops;
    if (launch_position(run->setup.source, launch, &position, &ignored) != RB_OK || position == 0 ||
        ops->launch_info(run->setup.source, position, &info, &ignored) != RB_OK)
        return "";
    return info.name;
}

static rb_code_t on_work(void *ctx, const stream_graph_t *graph, const stream_op_time_t *times,
                         const copy_counters_t *copies, rb_err_t *err)
{
    run_t *run = ctx;
    run_streams_tell(graph, times, run->replays);
    if (run->timeline != NULL)
        run_timeline_work(run->timeline, graph, times, name_of, run);
    const char *folder = run->options->folder;
    if (folder == NULL)
        return RB_OK;
    if (copies != NULL)
        RB_TRY(run_streams_write_copies(folder, copies, err));
    return run_streams_write(folder, graph, times, run->replays, err);
}

/* For launches that are simulated apart from the run. */
static rb_code_t run_on_new_chip(void *ctx, const gpu_spec_t *spec, const run_plan_t *plan,
                                 const gpu_callbacks_t *callbacks, rb_err_t *err)
{
    run_t *run = ctx;
    library_sim_renew(run->sim, spec);
    return library_sim_run(run->sim, plan, callbacks, err);
}

/* Estimates the time of the graph from the launches that were simulated one by one. */
static rb_code_t replay(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    const run_graph_input_t in = {.spec = run->setup.spec,
                                  .source = run->setup.source,
                                  .sampling = &run->sampling,
                                  .journal = run->folder.journal,
                                  .shares = o->shares,
                                  .n_shares = o->n_shares,
                                  .seed = o->sampling.seed,
                                  .chip = {run, run_on_new_chip, stop_requested}};
    if (!run->replays || !run_sampling_is_done(&run->sampling))
        return RB_OK;
    RB_TRY(run_graph_estimate(&run->graph, &in, err));
    return on_work(run, run->graph.graph, run->graph.times, NULL, err);
}

/* Receives a file that another process has read. */
static rb_code_t on_part_read(void *ctx, const char *file, const char *sha256, rb_err_t *err)
{
    run_t *run = ctx;
    return trace_identity_learn(run->trace, file, sha256, err);
}

/* Receives a launch that another process has simulated. */
static rb_code_t on_part(void *ctx, const launch_result_t *r, const launch_error_t *error,
                         double seconds, rb_err_t *err)
{
    run_t *run = ctx;
    run->merged_seconds += seconds;
    return keep_launch(run, r, error, run->merged_seconds, err);
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

static rb_code_t on_instructions(void *ctx, const launch_result_t *r, const launch_insts_t *insts,
                                 rb_err_t *err)
{
    run_t *run = ctx;
    return run_instructions_add(run->instructions, r, insts, err);
}

static rb_code_t on_clock_reads(void *ctx, const launch_info_t *info, const clock_read_t *reads,
                                size_t n, rb_err_t *err)
{
    run_t *run = ctx;
    (void)err;
    run_clocks_add(run->clocks, info, reads, n);
    return RB_OK;
}

static bool on_progress(void *ctx, const gpu_progress_t *p)
{
    run_t *run = ctx;
    gpu_progress_t whole = *p;
    if (run->isolated != NULL) {
        const run_progress_t *w = &run->isolated_work;
        const run_totals_t *done = library_sim_totals(run->sim);
        whole.launches_done = done->launches;
        whole.launches_total = run->n_isolated;
        whole.warp_insts += done->warp_insts;
        whole.share = run_progress_of_run(w, p->launch_share);
    } else if (run_sampling_is_online(&run->sampling)) {
        whole.share = -1.0; /* the total number of launches is unknown until the end */
    }
    progress_line_update(&run->progress, &whole);
    return !stop_requested();
}

/* All launches on one chip, or each on one of its own. */
static rb_code_t run_plan(run_t *run, const run_plan_t *plan, const gpu_callbacks_t *callbacks,
                          rb_err_t *err)
{
    const run_parts_taker_t take = {.ctx = run, .read = on_part_read, .launch = on_part};
    return run->options->isolated ? run_isolated(run, plan, callbacks, &take, err)
                                  : library_sim_run(run->sim, plan, callbacks, err);
}

static uint64_t less(uint64_t limit, uint64_t done)
{
    return limit > done ? limit - done : 0;
}

/* Of the limits of the run, what the launches before left. */
static run_limit_t limit_left(const run_t *run)
{
    const run_totals_t *done = library_sim_totals(run->sim);
    const run_limit_t *limit = &run->options->limit;
    return (run_limit_t){less(limit->cycles, done->cycles), less(limit->insts, done->warp_insts)};
}

/* Whether the launches so far have reached a limit. */
static bool limit_is_reached(const run_t *run)
{
    const run_limit_t *limit = &run->options->limit, left = limit_left(run);
    return (limit->cycles > 0 && left.cycles == 0) || (limit->insts > 0 && left.insts == 0);
}

/* Simulates launches of the source, from position first on. ids may be NULL: all. */
static rb_code_t simulate_launches(run_t *run, uint64_t first, const uint64_t *ids, size_t n_ids,
                                   rb_err_t *err)
{
    const run_limit_t left = limit_left(run);
    run_plan_t plan = {
        .max_cycles = left.cycles,
        .max_insts = left.insts,
        .first = first,
        .launch_ids = ids,
        .n_launch_ids = n_ids,
        .stats_interval = run->options->stats_interval,
        .view = run->options->view,
        .inside = run->inside.list.samplers,
        .n_inside = run->inside.list.n,
        .sampled = run->sampling.on,
        .shares = run->options->shares,
        .n_shares = run->options->n_shares,
        .one_by_one = run->replays,
    };
    if (run->detectors != NULL)
        run_detectors_join(run->detectors, &plan);
    const gpu_callbacks_t callbacks = {
        .ctx = run,
        .launch_done = on_launch,
        .interval = run->options->stats_interval > 0 ? on_interval : NULL,
        .view = run->timeline != NULL && !run->overlaps && !run->replays ? on_view : NULL,
        .work_done = on_work,
        .at_rest = on_rest,
        .instructions = run->instructions != NULL ? on_instructions : NULL,
        .clock_reads = run->clocks != NULL ? on_clock_reads : NULL,
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

/* Runs a sampler that chooses during the run; finally its samples are weighted. */
static rb_code_t simulate_rounds(run_t *run, rb_err_t *err)
{
    const uint64_t *ids;
    size_t n;
    for (;;) {
        RB_TRY(run_sampling_round(&run->sampling, &ids, &n, err));
        if (n == 0)
            break;
        RB_TRY(simulate_launches(run, 1, ids, n, err));
    }
    record_walk_t walk = record_walk(run->folder.journal, RECORD_LAUNCH, err);
    while (record_walk_next(&walk))
        run_sampling_add(&run->sampling, &walk.record.launch, &walk.record.error);
    return walk.code;
}

/* Launches that were simulated, by this process or before. */
static uint64_t launches_done(const run_t *run)
{
    return run->sim != NULL ? library_sim_totals(run->sim)->launches : 0;
}

/* Simulates the remaining launches. RB_STOPPED: on request. */
static rb_code_t simulate(run_t *run, rb_err_t *err)
{
    const run_sampling_t *sampling = &run->sampling;
    const run_options_t *o = run->options;
    const uint64_t *ids = sampling->on ? sampling->positions : run->launch_ids;
    size_t n_ids = sampling->on ? sampling->n_chosen : run->n_launch_ids;
    uint64_t done = 0; /* number of launches of the trace before this point */
    if (run->isolated != NULL) {
        ids = run->isolated;
        n_ids = run->n_isolated;
    }
    if (o->merge.n > 0) {
        const run_parts_taker_t taker = {.ctx = run, .read = on_part_read, .launch = on_part};
        return run_parts_merge(o->merge.text, o->merge.n, run->identity, &taker, err);
    }
    if (run->isolated != NULL && n_ids == 0)
        return RB_OK; /* there are more parts than launches */

    if (run->folder.resumed && run->overlaps) /* the chip knows the rest */
        rb_info("continues after %llu launches", (unsigned long long)launches_done(run));
    else if (run->folder.resumed) {
        rb_info("continues after launch %llu", (unsigned long long)run->folder.from.last_launch);
        RB_TRY(launch_position(run->setup.source, run->folder.from.last_launch, &done, err));
    }
    if (run_sampling_is_online(sampling))
        return simulate_rounds(run, err);
    uint64_t last = ids != NULL ? ids[n_ids - 1] : run->setup.n_launches; /* or unknown */
    if (done >= last || limit_is_reached(run))
        return RB_OK; /* the run was interrupted between the last launch and the results */
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

/* Number of launches; if a program was stopped, the number simulated. */
static uint64_t known_launches(const run_t *run)
{
    const trace_source_t *source = run->setup.source;
    uint64_t n = source->ops->n_launches(source);
    return n != UINT64_MAX ? n : launches_done(run);
}

/* Number of launches that were to be simulated. */
static uint64_t wanted_launches(const run_t *run)
{
    return run->launch_ids != NULL ? run->n_launch_ids : known_launches(run);
}

/* Says where cycles depend on how long warps wait for each other. */
static void tell_waits(const run_t *run, const run_report_t *r)
{
    run_waits_tell(run->setup.source, run->inside.list.n > 0 ? "with a sampler inside launches"
                                      : run->overlaps        ? "with launches that overlap"
                                      : run->setup.spec->sm.l1.perfect ? "with l1.perfect"
                                                                       : NULL);
    if (r->simulated.sm.waits_given_up > 0)
        rb_warn("%llu of these waits were given up, because nothing was written for millions of "
                "cycles: on this GPU, a block that writes may not start before those that wait for "
                "it end",
                (unsigned long long)r->simulated.sm.waits_given_up);
}

/* Writes the results of a run that is complete or was stopped. */
static rb_code_t conclude(run_t *run, bool complete, const char *command, rb_err_t *err)
{
    const run_options_t *o = run->options;
    trace_read_t trace_read;
    trace_identity_result(run->trace, &trace_read);
    checkpoint_t host = host_state(run);
    host.host_cpu_seconds += run->beside_cpu_seconds;
    if (o->merge.n > 0)
        host.host_seconds = host.host_cpu_seconds = run->merged_seconds;
    const bool program = o->program.words != NULL;
    run_report_t report = {
        .complete = complete,
        .limit = o->limit,
        .part = limit_is_reached(run) && (run->part || launches_done(run) < wanted_launches(run)),
        .command = command,
        .identity = run->identity,
        .trace_path = program ? run->program.file : o->setup.trace,
        .trace_format = program ? "program" : run->setup.source->ops->name,
        .trace_read = &trace_read,
        .source = run->setup.source,
        .trace_launches = known_launches(run),
        .trace_bytes = trace_identity_bytes(run->trace),
        .gpu = run->setup.gpu,
        .gpu_is_default = run->setup.gpu_is_default,
        .overrides = conf_overrides(run->setup.conf),
        .spec = run->setup.spec,
        .config_sha256 = run->setup.config_sha256,
        .stats_interval = o->stats_interval,
        .simulated = *library_sim_totals(run->sim),
        .warmup = gpu_warmup_mode(run->setup.spec, run->sampling.on, run->setup.source),
        .sampling = run->sampling.on ? &run->sampling : NULL,
        .graph = run->graph.times != NULL ? &run->graph : NULL,
        .replays = run->replays,
        .inside = &run->inside.list,
        .host_seconds = host.host_seconds,
        .host_cpu_seconds = host.host_cpu_seconds,
        .host_peak_rss = host.host_peak_rss,
        .threads = (int)o->threads,
        .journal = run->folder.journal,
    };
    rb_code_t rc = report_set_totals(&report, err);
    if (rc == RB_OK)
        rc = run_folder_finish(&run->folder, &report, run->setup.conf, err);
    if (rc == RB_OK)
        rc = print_results(&report, o, err);
    if (rc == RB_OK) {
        trace_doubts_warn(report.trace_path, &report.simulated.doubts);
        tell_waits(run, &report);
        report_trailer(&report, stderr);
    }
    report_free(&report);
    return rc;
}

/* Prepares, simulates and concludes; then keeps or removes the folder's state, depending on the
 * result. */
static rb_code_t run_all(run_t *run, const char *command, rb_err_t *err)
{
    RB_TRY(run_prepare(run, err));
    if (run->folder.already_complete) {
        rb_info("%s: already complete", run->options->folder);
        return RB_OK;
    }
    const run_options_t *o = run->options;
    const char *trace = trace_identity_beginning(run->trace);
    if (o->sampling.base != NULL)
        walks_file_read(o->sampling.base, trace, run->sim);
    if (o->keep_walks)
        library_sim_keep_walks(run->sim);
    rb_code_t rc = simulate(run, err);
    if (rc == RB_OK)
        rc = replay(run, err);
    if (rc == RB_OK && o->keep_walks)
        rc = walks_file_write(o->folder, trace, run->sim, err);
    if (rc == RB_OK && o->folder != NULL)
        rc = run_inside_write(&run->inside, o->folder, launches_done(run), err);
    if (rc == RB_TRACE && stop_requested())
        rc = RB_STOPPED; /* the program got the signal, too, and ended */
    if (rc == RB_OK && run->options->program.words != NULL)
        rc = run_program_wait(&run->program, err);
    if (rc == RB_OK || rc == RB_STOPPED) {
        rb_err_t trouble = {0};
        if (run_timeline_finish(run->timeline, &trouble) != RB_OK ||
            run_detectors_finish(run->detectors, &trouble) != RB_OK ||
            run_instructions_finish(run->instructions, &trouble) != RB_OK ||
            run_clocks_finish(run->clocks, &trouble) != RB_OK ||
            conclude(run, rc == RB_OK, command, &trouble) != RB_OK) {
            *err = trouble;
            rc = trouble.code;
        }
    }
    /* A run can be continued after a failure of the environment, and after a damaged trace or a
     * sampler with inconsistent choices has been repaired. */
    bool keep = rc == RB_OK || rc == RB_STOPPED || (rc == RB_USAGE && run->folder.resumed) ||
                ((rc == RB_IO || rc == RB_NOMEM || rc == RB_TRACE) && launches_done(run) > 0);
    run_folder_abandon(&run->folder, keep);
    run->resumable = keep && run->options->folder != NULL && rc != RB_OK;
    return rc;
}

/* Runs and reports errors; returns the exit status. */
static int run_and_report(const run_options_t *o, const char *command)
{
    rb_err_t err = {0};
    run_t *run = rb_calloc(1, sizeof(*run));
    run->options = o;
    run->begun = clock_seconds();
    rb_code_t rc = run_all(run, command, &err);
    run_folder_abandon(&run->folder, true);
    if (run->resumable)
        rb_info("%s has the complete launches: %llu launch%s; --resume continues", o->folder,
                (unsigned long long)launches_done(run), launches_done(run) == 1 ? "" : "es");
    /* Printed last, where people and sweeps look for the reason. */
    if (rc != RB_OK && rc != RB_STOPPED)
        cli_report(&err);
    run_timeline_free(run->timeline);
    run_detectors_free(run->detectors);
    run_instructions_free(run->instructions);
    run_clocks_free(run->clocks);
    rubato_sim_destroy(run->sim);
    run_inside_free(&run->inside);
    run_graph_free(&run->graph);
    setup_close(&run->setup);
    trace_identity_destroy(run->trace);
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
    if (rc == RB_OK && help && options.samples != NULL && sampler_help_wanted(options.samples))
        rc = sampler_help(options.samples, stdout, &err);
    else if (rc == RB_OK && help)
        cli_print_help(cli_find_command("run"), stdout);
    if (rc == RB_OK && help)
        rc = out_flush_stdout(&err);
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
