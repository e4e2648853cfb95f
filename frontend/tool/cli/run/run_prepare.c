#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/cli/run/run_command.h"
#include "frontend/tool/cli/run/run_isolated.h"
#include "frontend/tool/cli/trace/launch_position.h"
#include "frontend/tool/io/file_hash.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/stop_signals.h"
#include "frontend/tool/io/version.h"
#include "frontend/tool/run/run_parts.h"
#include "sampling/launch/sample_syntax.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

/* Completes the samplers of the run: options not given in --sample come from the configuration. */
static rb_code_t prepare_samplers(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    const char *configured = run->setup.spec->sampling.samplers;
    const char *sample = o->sampling.sample;
    if (sample == NULL && o->sampling.plan == NULL && o->sampling.base == NULL &&
        configured[0] != '\0')
        sample = configured;
    RB_TRY(inside_check_configured(configured, err));
    run->inside.list.conf = run->setup.conf;
    RB_TRY(run_options_divide(o, sample, &run->inside, &run->from, err));
    run_inside_tell_idle(&run->inside, &o->setup.sets);
    if (run->from.base != NULL) {
        bool units;
        RB_TRY(run_inside_follow(&run->inside, run->from.base, &units, err));
        run->from.base = units ? NULL : run->from.base;
    }
    if (o->clock_reads && run->inside.list.n > 0)
        return rb_fail(err, RB_USAGE,
                       "--clock-reads needs launches that are simulated to their end: not with a "
                       "sampler inside launches");
    return RB_OK;
}

/* The argument of --debug-window in cycles: 0 for the largest exact window. */
static rb_code_t read_window(const run_t *run, cycle_t *window, rb_err_t *err)
{
    const char *text = run->options->window;
    *window = 0;
    if (text == NULL || strcmp(text, "W") == 0)
        return RB_OK;
    return option_count("debug-window", text, 1, gpu_spec_window(run->setup.spec), window, err);
}

/* Without a folder, JSON or parts, nobody sees the identity: then program and trace need no hash. */
static bool identity_matters(const run_options_t *o)
{
    return o->folder != NULL || o->json || o->merge.n > 0;
}

/* The identity of a run: what must be equal for equal results and for a checkpoint to fit, except
 * the parts of the trace that are read during the run. */
static rb_code_t describe_identity(run_t *run, rb_err_t *err)
{
    char program[SHA256_TEXT] = "";
    if (identity_matters(run->options))
        RB_TRY(file_hash_program(program, err));
    uint64_t ids =
        journal_checksum(0, run->launch_ids, run->n_launch_ids * sizeof(*run->launch_ids));
    snprintf(run->identity, sizeof(run->identity),
             "rubato %s %s\nprogram %s\ncounters %016llx\nconfig %s\ntrace %s\nlaunches %016llx\n"
             "interval %llu\nplan %016llx\ninside %016llx\n",
             RUBATO_VERSION, rubato_commit, program, (unsigned long long)record_layout(),
             run->setup.config_sha256, trace_identity_beginning(run->trace),
             (unsigned long long)ids, (unsigned long long)run->options->stats_interval,
             (unsigned long long)run_sampling_fingerprint(&run->sampling),
             (unsigned long long)run_inside_fingerprint(&run->inside, run->options->sampling.seed));
    size_t n = strlen(run->identity);
    const run_limit_t *limit = &run->options->limit;
    if (limit->cycles > 0 || limit->insts > 0)
        n += (size_t)snprintf(run->identity + n, sizeof(run->identity) - n,
                              "limit %llu cycles %llu instructions\n",
                              (unsigned long long)limit->cycles, (unsigned long long)limit->insts);
    if (run->options->isolated)
        n += (size_t)snprintf(run->identity + n, sizeof(run->identity) - n, "isolated\n");
    if (run->options->n_shares > 0) {
        const uint64_t shares = journal_checksum(
            0, run->options->shares, run->options->n_shares * sizeof(*run->options->shares));
        n += (size_t)snprintf(run->identity + n, sizeof(run->identity) - n, "streams %016llx\n",
                              (unsigned long long)shares);
    }
    if (run->options->parts > 0)
        run_parts_identity(run->identity + n, run->options->part, run->options->parts);
    return RB_OK;
}

/* Makes a new chip with the state of a checkpoint. */
static rb_code_t load_chip(void *ctx, const void *image, size_t n, cycle_t end, rb_err_t *err)
{
    run_t *run = ctx;
    FILE *memory = fmemopen((void *)(uintptr_t)image, n, "r");
    if (memory == NULL)
        return rb_fail(err, RB_NOMEM, "checkpoint: %s", strerror(errno));
    rb_code_t rc = library_sim_load(run->sim, memory, end, err);
    fclose(memory);
    return rc;
}

/* Checks whether --isolated is possible, and lists the launches. */
static rb_code_t prepare_isolated(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    const run_sampling_t *s = &run->sampling;
    if (!o->isolated)
        return RB_OK;
    if (gpu_warmup_mode(run->setup.spec, s->on, run->setup.source) == WARMUP_KEEP)
        return rb_fail(
            err, RB_USAGE,
            "--isolated: with warmup.mode = keep a launch finds what the launches before "
            "it left; choose --warmup flush or functional");
    if (run->inside.list.n > 0)
        return rb_fail(err, RB_USAGE,
                       "--isolated: samplers inside launches may learn from earlier launches");
    const bool online = run_sampling_is_online(s);
    if (online && (o->parts > 0 || o->merge.n > 0))
        return rb_fail(err, RB_USAGE,
                       "%s chooses launches from earlier results: it cannot be split", s->sampler);
    const uint64_t *ids = s->on ? s->positions : run->launch_ids;
    size_t n = s->on ? s->n_chosen : run->n_launch_ids;
    uint64_t *all = NULL;
    if (ids == NULL && !online) {
        n = run->setup.n_launches;
        all = rb_calloc(n + 1, sizeof(*all));
        for (size_t i = 0; i < n; i++)
            all[i] = i + 1;
        ids = all;
    }
    if (!online)
        run->isolated =
            run_parts_pick(ids, &n, o->parts > 0 ? o->part : 1, o->parts > 0 ? o->parts : 1);
    run->n_isolated = online ? 0 : n;
    free(all);
    return RB_OK;
}

/* Adds up the launches in the journal. */
static rb_code_t recall_totals(run_t *run, rb_err_t *err)
{
    record_walk_t walk = record_walk(run->folder.journal, RECORD_LAUNCH, err);
    while (record_walk_next(&walk)) {
        library_sim_count(run->sim, &walk.record.launch);
        run->isolated_end = walk.record.launch.end;
        run_sampling_add(&run->sampling, &walk.record.launch, &walk.record.error);
    }
    return walk.code;
}

/* Whether the command line has a setting that begins like one of two. */
static bool is_set(const run_options_t *o, const char *a, const char *b)
{
    for (size_t i = 0; i < o->setup.sets.n; i++)
        if (strncmp(o->setup.sets.text[i], a, strlen(a)) == 0 ||
            strncmp(o->setup.sets.text[i], b, strlen(b)) == 0)
            return true;
    return false;
}

/* Whether launches are read more than once, or before the first one is simulated. */
static bool revisits(const run_options_t *o)
{
    return o->sampling.plan != NULL || o->sampling.sample != NULL || o->sampling.base != NULL ||
           is_set(o, "warmup.mode=functional", "sampling.samplers=");
}

/* Starts the program. All of its launches are recorded, unless a plan says which ones are needed
 * and the others need not be walked. */
static rb_code_t begin_program(run_t *run, trace_source_t **source, rb_err_t *err)
{
    const run_options_t *o = run->options;
    sampling_options_t recorded = o->sampling;
    if (!is_set(o, "warmup.mode=keep", "warmup.mode=flush"))
        recorded.plan = NULL;
    return run_program_begin(&run->program, &o->program, &recorded, revisits(o), source, err);
}

/* Opens the trace or starts the program, and resolves the configuration. */
static rb_code_t open_launches(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    setup_options_t setup = o->setup;
    trace_source_t *source = NULL;
    if (o->program.words != NULL) {
        setup.trace = o->program.words[0];
        RB_TRY(begin_program(run, &source, err));
    }
    stop_signals_catch();
    if (source != NULL) {
        run->setup.trace = setup.opened =
            library_trace_take(source, setup.tmpdir); /* for setup_close() */
        RB_TRY(run_program_first(&run->program, source, &setup.arch, err));
    }
    RB_TRY(setup_open(&run->setup, &setup, err));
    const gpu_spec_t *spec = run->setup.spec;
    if (run->setup.source->ops->has_launch != NULL &&
        (spec->warmup.mode == WARMUP_FUNCTIONAL || spec->sampling.samplers[0] != '\0'))
        return rb_fail(err, RB_USAGE,
                       "the configuration has a warm-up or samplers that look at launches more "
                       "than once: for a program, say so on the command line (--warmup, --sample)");
    return RB_OK;
}

/* Says if sampled launches will not find the caches as in a run of all launches. */
static void tell_cold(const run_t *run)
{
    trace_source_t *source = run->setup.source;
    const gpu_spec_t *spec = run->setup.spec;
    if (!run->sampling.on || spec->warmup.mode != WARMUP_AUTO ||
        gpu_warmup_mode(spec, true, source) != WARMUP_KEEP)
        return;
    rb_info("the launches that are left out %s, so the simulated ones may find cold caches%s",
            source->ops->launch_counts == NULL ? "are not walked, because the trace has no index"
                                               : "are not in the trace",
            source->ops->launch_counts == NULL
                ? " (rubato convert writes a trace with an index; or --warmup functional)"
                : "");
}

/* --cycles and --max-insts end a run in the midst of what samplers estimate. */
static rb_code_t check_limit(const run_t *run, rb_err_t *err)
{
    const run_limit_t *limit = &run->options->limit;
    if ((limit->cycles > 0 || limit->insts > 0) && (run->sampling.on || run->inside.list.n > 0))
        return rb_fail(err, RB_USAGE, "--%s: not with samplers (sampling.samplers)",
                       limit->cycles > 0 ? "cycles" : "max-insts");
    return RB_OK;
}

/* Whether launches overlap; what then cannot be done is named before anything is written. */
static rb_code_t check_streams(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    RB_TRY(gpu_overlaps(run->setup.spec, run->setup.source, &run->overlaps, err));
    if (o->n_shares > 0 && !run->overlaps)
        return rb_fail(err, RB_USAGE,
                       "--streams needs gpu.concurrent_launches above 1 and a trace of several "
                       "streams");
    if (!run->overlaps)
        return RB_OK;
    if (run->inside.list.n > 0)
        return rb_fail(
            err, RB_USAGE,
            "%.*s: samplers inside launches extrapolate from blocks and warps of the same "
            "launch, and with other launches beside it these do not take equally long: "
            "leave it out, or set gpu.concurrent_launches = 1",
            (int)sample_name_length(run->inside.list.texts[0]), run->inside.list.texts[0]);
    run->replays = run->sampling.on;
    if (run->replays)
        RB_TRY(run_graph_check(&run->sampling, run->setup.source, err));
    run->overlaps = !run->replays;
    if (o->isolated || o->timeline_range != NULL || o->stats_interval > 0 || o->detectors ||
        o->clock_reads || o->limit.cycles > 0 || o->limit.insts > 0)
        return rb_fail(err, RB_USAGE,
                       "launches that overlap cannot be simulated with "
                       "--%s: leave it out, or set gpu.concurrent_launches = 1",
                       o->isolated                 ? "isolated"
                       : o->timeline_range != NULL ? "timeline-range"
                       : o->stats_interval > 0     ? "stats-interval"
                       : o->detectors              ? "detectors"
                       : o->clock_reads            ? "clock-reads"
                       : o->limit.cycles > 0       ? "cycles"
                                                   : "max-insts");
    return RB_OK;
}

rb_code_t run_prepare(run_t *run, rb_err_t *err)
{
    const run_options_t *o = run->options;
    cycle_t window;
    RB_TRY(open_launches(run, err));
    RB_TRY(prepare_samplers(run, err));
    if (o->launches != NULL && o->program.words == NULL)
        RB_TRY(launch_positions(run->setup.source, o->launches, &run->launch_ids,
                                &run->n_launch_ids, err));
    RB_TRY(read_window(run, &window, err));
    run->from.spec = run->setup.spec;
    RB_TRY(run_sampling_prepare(&run->sampling, &run->from, run->setup.source, err));
    RB_TRY(trace_identity_create(&run->trace, run->setup.source,
                                 o->program.words != NULL ? run->program.file : NULL, err));
    /* A sampled run reads files twice, and the hash shows whether they changed in between. */
    if (identity_matters(o) || run->sampling.on)
        trace_identity_watch(run->trace, run->setup.source);
    RB_TRY(describe_identity(run, err));
    RB_TRY(prepare_isolated(run, err));
    tell_cold(run);
    RB_TRY(check_limit(run, err));
    RB_TRY(gpu_inside_check(run->setup.spec, run->inside.list.n, err));
    RB_TRY(check_streams(run, err));
    if (o->timeline != NULL)
        RB_TRY(run_timeline_open(&run->timeline, o->timeline, err));
    const uint64_t threads = run_isolated_processes(run) > 1 ? 1 : o->threads;
    run->sim = library_sim_create(run->setup.config, run->setup.trace, threads, window, err);
    if (run->sim == NULL)
        return err->code;
    run->folder = (run_folder_t){
        .path = o->folder,
        .identity = run->identity,
        .trace = run->trace,
        .isolated = o->isolated,
        .load = load_chip,
        .ctx = run,
        .mode = o->mode,
        .checkpoint_interval = o->checkpoint_interval,
        .keep_journal = o->parts > 0,
    };
    RB_TRY(run_folder_begin(&run->folder, library_tmpdir(o->setup.tmpdir), err));
    if (run->folder.resumed) {
        run->begun -= run->folder.from.host_seconds;
        run->cpu_before = run->folder.from.host_cpu_seconds;
        run->rss_before = run->folder.from.host_peak_rss;
        return recall_totals(run, err);
    }
    if (o->detectors)
        RB_TRY(run_detectors_open(&run->detectors, o->folder, &run->inside.list, err));
    if (o->clock_reads)
        RB_TRY(run_clocks_open(&run->clocks, o->folder, err));
    return o->per_instruction ? run_instructions_open(&run->instructions, o->folder, &run->sampling,
                                                      o->setup.tmpdir, err)
                              : RB_OK;
}
