#include "frontend/tool/run/results/run_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/text_format.h"
#include "frontend/tool/io/version.h"
#include "frontend/tool/library/stat_forms.h"
#include "sampling/launch/sample_syntax.h"
#include "sim/core/alloc.h"
#include "sim/gpu/sampled/known_counts.h"

void report_identity(char text[REPORT_IDENTITY], const char *identity, const trace_read_t *read)
{
    uint64_t h = journal_checksum(0, identity, strlen(identity));
    h = journal_checksum(h, read->digest, strlen(read->digest));
    snprintf(text, REPORT_IDENTITY, "%016llx", (unsigned long long)h);
}

/* What the interval of the cycles has of the caches that launches found. */
static const char *note_of_caches(const run_report_t *r)
{
    if (r->warmup == WARMUP_FUNCTIONAL)
        return "the caches were warmed for the simulated launches";
    return r->intervals.cold ? "cold starts of the simulated launches are not included, and hits "
                               "in the L2 and DRAM traffic have no interval"
                             : "cold starts of the simulated launches are not included";
}

static const char *note_with_caches(run_report_t *r, const char *note)
{
    snprintf(r->note_text, sizeof(r->note_text), "%s; %s", note, note_of_caches(r));
    return r->note_text;
}

/* Why the interval of the cycles is missing, or what it leaves out; NULL: nothing. */
static const char *note_of(run_report_t *r)
{
    static const char inside[] = "samplers inside launches do not state their error; published "
                                 "methods have no estimate of it, 'rubato evaluate' measures it";
    const estimate_t *e = &r->cycles_interval;
    const plan_t *p = r->of_plan ? &r->sampling->plan : NULL;
    if (r->intervals.unstated > 0)
        return p == NULL ? inside
                         : "samplers inside launches do not state their error, and the interval of "
                           "the choice of launches does not cover it";
    if (p == NULL)
        return NULL;
    if (r->intervals.too_wide)
        return "it would be wider than the estimate itself: more launches are needed";
    if (r->sampling->note != NULL)
        return isfinite(e->low) ? note_with_caches(r, r->sampling->note) : r->sampling->note;
    if (!isfinite(e->low) && !p->random && sample_is_plugin(p->method))
        return "the sampler from outside gives no interval";
    if (sample_is_plugin(p->method) && sample_is_plugin(e->method))
        return "as given by the sampler from outside";
    if (!isfinite(e->low))
        return p->random
                   ? "no launch of a cluster was simulated, or its spread is unknown"
                   : "the method's choice of launches is not random, so nothing tells how far "
                     "the totals are off";
    if (r->simulated.launches == p->n_launches)
        return NULL;
    return note_with_caches(r, "sampling error only");
}

/* Replaces estimates by what the index knows about the whole program, and limits the others. */
static void set_known(run_totals_t *t, const run_report_t *r)
{
    const launch_counts_t *known = &r->sampling->counts;
    gpu_counters_t c = {.sm = t->sm, .l2 = t->l2, .dram = t->dram};
    known_counts_set(&c, r->spec, known);
    known_counts_limit(&c, r->spec,
                       t->cycles > t->launch_cycles ? t->cycles - t->launch_cycles : 0);
    t->sm = c.sm;
    t->l2 = c.l2;
    t->blocks = known->blocks;
    t->warp_insts = known->warp_insts;
    t->thread_insts = known->thread_insts;
    t->copied_bytes = r->sampling->copied_bytes;
}

static void estimate_totals(run_report_t *r)
{
    double values[STAT_VALUES];
    intervals_totals(&r->intervals, values);
    r->totals = totals_of_values(values, r->spec);
    r->totals.launches = r->sampling->plan.n_launches;
    if (r->sampling->has_counts)
        set_known(&r->totals, r);
}

/* The time is that of the replayed graph. The other counts are those of the launches alone; slots
 * without warps fill up to all slots. */
static void set_graph_totals(run_report_t *r)
{
    const sm_spec_t *sm = &r->spec->sm.sm;
    const graph_estimate_t *e = &r->graph->estimate;
    run_totals_t *t = &r->totals;
    const uint64_t warps = t->warp_slot_cycles - t->sm.state_no_warp;
    t->cycles = (uint64_t)llround(e->busy.value);
    t->launch_cycles = r->graph->latency < t->cycles ? r->graph->latency : t->cycles;
    t->warp_slot_cycles = (uint64_t)sm->count * sm->max_warps * t->cycles;
    t->sm.state_no_warp = t->warp_slot_cycles > warps ? t->warp_slot_cycles - warps : 0;
}

static const char *note_of_graph(const run_report_t *r)
{
    if (!isfinite(r->cycles_interval.low))
        return r->sampling->plan.random
                   ? "launches overlap, and the spread of a cluster's durations is not known"
                   : "launches overlap, and the method's choice of launches is not random";
    return "the time of the graph of launches that overlap: errors of the durations and of the "
           "slow-downs; not those of the replay itself, nor cold starts of the simulated launches";
}

static rb_code_t set_intervals(run_report_t *r, const char *why, rb_err_t *err)
{
    const stat_view_t view = {r->spec, &r->totals, &r->simulated, r->estimated};
    stat_part_t *part = rb_calloc(stat_count(), sizeof(*part));
    run_estimate_parts(&view, part);
    const rb_code_t rc =
        intervals_set(&r->intervals, part, (double)r->totals.cycles, &r->cycles_interval, why, err);
    free(part);
    return rc;
}

/* The other statistics are sums of launches that were alone: how far overlapping changes them is not
 * known. */
static rb_code_t set_graph_intervals(run_report_t *r, rb_err_t *err)
{
    static const char alone[] = "launches overlap: only their time is estimated with an interval";
    r->cycles_interval = r->graph->estimate.busy;
    r->interval_note = note_of_graph(r);
    RB_TRY(set_intervals(r, alone, err));
    const estimate_t *e = &r->cycles_interval;
    if (isfinite(e->low))
        r->intervals.of[0] = (stat_interval_t){e->low, e->high, e->method, NULL};
    return RB_OK;
}

rb_code_t report_set_totals(run_report_t *r, rb_err_t *err)
{
    r->of_plan = r->sampling != NULL && run_sampling_is_done(r->sampling) &&
                 (!r->replays || r->graph != NULL);
    r->estimated = r->of_plan || r->simulated.launches_estimated > 0;
    r->totals = r->simulated;
    r->cycles_interval = (estimate_t){.low = NAN, .high = NAN, .confidence = NAN, .method = "none"};
    if (!r->estimated)
        return RB_OK;
    r->launches = (run_launches_t){r->journal, r->of_plan ? r->sampling : NULL};
    const launch_feed_t feed = run_estimate_feed(&r->launches);
    const sampled_program_t program = run_estimate_program(r->launches.sampling);
    RB_TRY(intervals_begin(&r->intervals, &feed, &program, stat_forms(r->spec), r->spec, err));
    if (r->of_plan) {
        r->intervals.cold =
            r->warmup == WARMUP_KEEP && r->simulated.launches < r->sampling->plan.n_launches;
        estimate_totals(r);
    }
    if (r->graph != NULL) {
        set_graph_totals(r);
        return set_graph_intervals(r, err);
    }
    r->cycles_interval = intervals_cycles(&r->intervals, (double)r->totals.cycles);
    r->interval_note = note_of(r);
    return set_intervals(r, isfinite(r->cycles_interval.low) ? NULL : r->interval_note, err);
}

void report_free(run_report_t *r)
{
    intervals_free(&r->intervals);
}

stat_interval_t report_interval(const run_report_t *r, size_t stat)
{
    return r->intervals.of != NULL ? r->intervals.of[stat]
                                   : (stat_interval_t){(double)NAN, (double)NAN, "none", NULL};
}

size_t report_metric(metric_id_t id)
{
    return stat_count() - METRIC_COUNT + (size_t)id;
}

double report_seconds(const run_report_t *r)
{
    return (double)r->totals.cycles / (r->spec->gpu.clock_mhz * 1e6);
}

metric_input_t report_launch_metrics(const run_report_t *r, const launch_result_t *l)
{
    metric_input_t m =
        metric_input(r->spec, launch_result_cycles(l), l->launch_cycles, &l->sm, &l->l2, &l->dram);
    m.estimated = l->sampling.estimated;
    return m;
}

metric_input_t report_total_metrics(const run_report_t *r)
{
    const run_totals_t *t = &r->totals;
    metric_input_t m = metric_input(r->spec, t->cycles, t->launch_cycles, &t->sm, &t->l2, &t->dram);
    m.estimated = r->estimated;
    return m;
}

const char *report_trace_name(const char *path)
{
    const char *name = path;
    for (const char *s = path; *s != '\0'; s++) {
        if (*s == '/' && s[1] != '\0' && s[1] != '/')
            name = s + 1;
    }
    return name;
}

void report_trailer(const run_report_t *r, FILE *out)
{
    char insts[FORMAT_MAX], cycles[FORMAT_MAX], rate[FORMAT_MAX], speed[FORMAT_MAX];
    char changes[32] = "";
    double seconds = r->host_seconds > 0.0 ? r->host_seconds : 1e-9;
    if (r->overrides > 0)
        snprintf(changes, sizeof(changes), "+%zu override%s", r->overrides,
                 r->overrides > 1 ? "s" : "");
    fprintf(out,
            "rubato %s (%s)  %s%s  %s  | %s warp-inst, %s cycles | %.1f s, %s warp-inst/s, %s "
            "cycles/s, %llu MiB peak\n",
            RUBATO_VERSION, rubato_commit, r->gpu, changes, report_trace_name(r->trace_path),
            format_si(insts, (double)r->simulated.run_warp_insts),
            format_si(cycles, (double)r->simulated.run_cycles), r->host_seconds,
            format_si(rate, (double)r->simulated.run_warp_insts / seconds),
            format_si(speed, (double)r->simulated.run_cycles / seconds),
            (unsigned long long)(r->host_peak_rss >> 20));
}
