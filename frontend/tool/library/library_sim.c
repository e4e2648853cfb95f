/* Simulations, launch by launch. */
#include <stdatomic.h>
#include <stdlib.h>

#include "frontend/tool/library/library_internal.h"
#include "sampling/inside/inside_sampler.h"
#include "sampling/launch/sample_syntax.h"
#include "sim/core/alloc.h"
#include "sim/gpu/gpu.h"

struct rubato_sim {
    library_scope_t scope;
    gpu_spec_t spec;
    gpu_t *gpu;          /* owned */
    rubato_trace *trace; /* borrowed */
    rubato_sim_options options;
    inside_list_t inside; /* samplers */
    cycle_t window;       /* of the chip; 0: the largest */
    uint64_t next;        /* next launch */
    rubato_launch launch;
    rubato_stats of_launch, of_interval, totals;
    atomic_bool stop;
    rb_err_t failed; /* code RB_OK: the simulation can continue */
};

static rb_code_t check_arguments(const rubato_trace *trace, const rubato_sim_options *o,
                                 rb_err_t *err)
{
    if (trace->busy)
        return rb_fail(err, RB_USAGE,
                       "a simulation uses this trace: destroy it, or open the trace again");
    if (o->threads > LIBRARY_THREADS_MAX)
        return rb_fail(err, RB_USAGE, "%u threads: at most %d", o->threads, LIBRARY_THREADS_MAX);
    if (o->interval != NULL && o->interval_cycles == 0)
        return rb_fail(err, RB_USAGE, "interval() is given, and interval_cycles is 0");
    return RB_OK;
}

/* A chip as new, after the one before is gone. */
static void make_chip(rubato_sim *s, const gpu_spec_t *spec)
{
    library_entry_t before = library_enter(&s->scope);
    gpu_t *chip =
        gpu_create(spec, s->options.threads == 0 ? 1 : (int)s->options.threads, s->window);
    if (s->gpu != NULL)
        gpu_inherit_walks(chip, s->gpu);
    gpu_destroy(s->gpu);
    s->gpu = chip;
    library_leave(before);
}

/* Arguments are checked. */
static rubato_sim *create(const rubato_config *config, rubato_trace *trace,
                          const rubato_sim_options *o, cycle_t window)
{
    rubato_sim *s = rb_calloc(1, sizeof(*s));
    library_scope_init(&s->scope, &o->log);
    s->spec = config->spec;
    s->options = *o;
    s->window = window;
    s->trace = trace;
    s->next = 1;
    library_stats_init(&s->of_launch, &s->spec);
    library_stats_init(&s->of_interval, &s->spec);
    library_stats_init(&s->totals, &s->spec);
    make_chip(s, &s->spec);
    trace->busy = true;
    return s;
}

/* The samplers of the options or, without them, of the configuration. */
static rb_code_t take_samplers(rubato_sim *s, const rubato_config *config, rb_err_t *err)
{
    const char *configured = config->spec.sampling.samplers;
    const char *sample = s->options.sample != NULL ? s->options.sample : configured;
    const uint64_t seed = s->options.seed != 0 ? s->options.seed : 1;
    sample_list_t list;
    rb_code_t rc = RB_OK;
    s->options.sample = NULL; /* the caller's text */
    RB_TRY(inside_check_configured(configured, err));
    if (sample[0] == '\0')
        return RB_OK;
    RB_TRY(sample_list_parse(&list, sample, err));
    s->inside.conf = config->conf;
    for (size_t i = 0; i < list.n && rc == RB_OK; i++)
        rc = inside_list_add(&s->inside, list.items[i], seed, err);
    s->inside.conf = NULL; /* may be destroyed from now on */
    sample_list_free(&list);
    return rc;
}

rubato_sim *rubato_sim_create(rubato_config *config, rubato_trace *trace,
                              const rubato_sim_options *options, rubato_error *error)
{
    const rubato_sim_options none = {0}, *o = options != NULL ? options : &none;
    rb_err_t err = {0};
    if (!library_given(config, "config", error) || !library_given(trace, "trace", error))
        return NULL;
    if (check_arguments(trace, o, &err) != RB_OK) {
        library_fail(error, &err);
        return NULL;
    }
    if (rubato_config_check(config, error) != RUBATO_OK)
        return NULL;
    rubato_sim *s = create(config, trace, o, 0);
    library_entry_t before = library_enter(&s->scope);
    (void)!take_samplers(s, config, &err);
    library_leave(before);
    if (library_fail(error, &err) == RUBATO_OK)
        return s;
    rubato_sim_destroy(s);
    return NULL;
}

rubato_sim *library_sim_create(rubato_config *config, rubato_trace *trace, uint64_t threads,
                               cycle_t window, rb_err_t *err)
{
    const rubato_sim_options o = {.threads = (uint32_t)threads, .log = library_program_log};
    return check_arguments(trace, &o, err) == RB_OK ? create(config, trace, &o, window) : NULL;
}

void rubato_sim_destroy(rubato_sim *sim)
{
    if (sim == NULL)
        return;
    sim->trace->busy = false;
    gpu_destroy(sim->gpu);
    inside_list_free(&sim->inside);
    library_scope_free(&sim->scope);
    free(sim);
}

void rubato_sim_stop(rubato_sim *sim)
{
    if (sim != NULL)
        atomic_store(&sim->stop, true);
}

static rb_code_t stopped(rb_err_t *err)
{
    return rb_fail(err, RB_STOPPED, "stopped on request");
}

static rb_code_t on_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    rubato_sim *s = ctx;
    (void)err;
    library_stats_init(&s->of_launch, &s->spec);
    totals_add(&s->of_launch.totals, r);
    s->of_launch.view.estimated = r->sampling.estimated;
    library_sim_count(s, r);
    s->launch = (rubato_launch){.id = r->info.id,
                                .name = r->info.name,
                                .start = r->start,
                                .end = r->end,
                                .stats = &s->of_launch};
    return RB_OK;
}

static rb_code_t on_interval(void *ctx, const interval_result_t *r, rb_err_t *err)
{
    rubato_sim *s = ctx;
    run_totals_t *t = &s->of_interval.totals;
    library_stats_init(&s->of_interval, &s->spec);
    t->cycles = t->run_cycles = r->end - r->start;
    t->warp_insts = t->run_warp_insts = r->sm.warp_insts;
    t->thread_insts = r->sm.thread_insts;
    t->blocks = t->run_blocks = r->sm.blocks;
    t->sm = r->sm;
    t->l2 = r->l2;
    t->dram = r->dram;
    t->warp_slot_cycles = (uint64_t)s->spec.sm.sm.count * s->spec.sm.sm.max_warps * t->cycles;
    const rubato_interval i = {r->launch_id, r->start, r->end, &s->of_interval};
    return s->options.interval(s->options.ctx, &i) == 0 ? RB_OK : stopped(err);
}

static bool on_progress(void *ctx, const gpu_progress_t *p)
{
    rubato_sim *s = ctx;
    const rubato_sim_options *o = &s->options;
    if (o->progress != NULL && o->progress(o->ctx, p->launch_id, p->now) != 0)
        return false;
    return !atomic_load(&s->stop);
}

/* Simulates launch s->next, or skips it. */
static rb_code_t run_next(rubato_sim *s, bool simulate, rb_err_t *err)
{
    if (atomic_load(&s->stop))
        return stopped(err);
    const run_plan_t plan = {
        .first = s->next,
        .last = s->next,
        .launch_ids = &s->next,
        .n_launch_ids = simulate,
        .stats_interval = s->options.interval_cycles,
        .inside = s->inside.samplers,
        .n_inside = s->inside.n,
    };
    const gpu_callbacks_t callbacks = {
        .ctx = s,
        .launch_done = on_launch,
        .interval = s->options.interval != NULL ? on_interval : NULL,
        .progress = on_progress,
    };
    rb_code_t rc = gpu_run(s->gpu, s->trace->source, &plan, &callbacks, err);
    return rc == RB_STOPPED ? stopped(err) : rc;
}

static rubato_code step(rubato_sim *s, bool simulate, rubato_error *error)
{
    if (s->failed.code == RB_OK) {
        library_entry_t before = library_enter(&s->scope);
        if (run_next(s, simulate, &s->failed) == RB_OK)
            s->next++;
        library_leave(before);
    }
    return library_fail(error, &s->failed);
}

rubato_code rubato_sim_next(rubato_sim *sim, const rubato_launch **launch, rubato_error *error)
{
    if (!library_given(sim, "sim", error) || !library_given(launch, "launch", error))
        return RUBATO_USAGE;
    *launch = NULL;
    if (sim->failed.code == RB_OK && sim->next > rubato_trace_launches(sim->trace))
        return RUBATO_OK;
    rubato_code code = step(sim, true, error);
    if (code == RUBATO_OK)
        *launch = &sim->launch;
    return code;
}

rubato_code rubato_sim_skip(rubato_sim *sim, rubato_error *error)
{
    if (!library_given(sim, "sim", error))
        return RUBATO_USAGE;
    if (sim->failed.code == RB_OK && sim->next > rubato_trace_launches(sim->trace))
        return RUBATO_OK;
    return step(sim, false, error);
}

const rubato_stats *rubato_sim_totals(const rubato_sim *sim)
{
    return sim != NULL ? &sim->totals : NULL;
}

/* --- for the command line ------------------------------------------------------------------- */

rb_code_t library_sim_run(rubato_sim *sim, const run_plan_t *plan, const gpu_callbacks_t *callbacks,
                          rb_err_t *err)
{
    library_entry_t before = library_enter(&sim->scope);
    rb_code_t rc = gpu_run(sim->gpu, sim->trace->source, plan, callbacks, err);
    library_leave(before);
    return rc;
}

void library_sim_count(rubato_sim *sim, const launch_result_t *r)
{
    totals_add(&sim->totals.totals, r);
    sim->totals.view.estimated = sim->totals.totals.launches_estimated > 0;
}

const run_totals_t *library_sim_totals(const rubato_sim *sim)
{
    return &sim->totals.totals;
}

void library_sim_renew(rubato_sim *sim, const gpu_spec_t *spec)
{
    make_chip(sim, spec);
}

rb_code_t library_sim_load(rubato_sim *sim, FILE *image, cycle_t end, rb_err_t *err)
{
    make_chip(sim, &sim->spec);
    return gpu_load(sim->gpu, image, end, err);
}

const gpu_t *library_sim_chip(const rubato_sim *sim)
{
    return sim->gpu;
}

void library_sim_keep_walks(rubato_sim *sim)
{
    gpu_keep_walks(sim->gpu);
}

bool library_sim_take_walk(rubato_sim *sim, const void *bytes, size_t n)
{
    return gpu_take_walk(sim->gpu, bytes, n);
}
