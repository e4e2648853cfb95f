#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/version.h"
#include "frontend/tool/run/results/run_report.h"
#include "frontend/tool/run/results/run_waits.h"
#include "frontend/tool/run/results/trace_doubts.h"
#include "sim/core/alloc.h"
#include "sim/core/files/json_write.h"

/* Version of run.json: changes when a member is removed or changes its meaning. */
enum { RESULT_SCHEMA = 1 };

static void write_counters(json_t *j, const sm_stats_t *sm, const l2_stats_t *l2,
                           const dram_stats_t *dram, const metric_input_t *m)
{
    stat_group_t groups[REPORT_GROUPS];
    report_groups(groups, sm, l2, dram);
    for (size_t g = 0; g < REPORT_GROUPS; g++) {
        json_begin_object(j, groups[g].path);
        for (size_t i = 0; i < groups[g].n; i++)
            json_u64(j, groups[g].defs[i].name, groups[g].values[i]);
        json_end(j);
    }
    json_begin_object(j, "metrics");
    for (unsigned i = 0; i < METRIC_COUNT; i++)
        json_f64(j, metric_defs[i].name, metric_value((metric_id_t)i, m));
    json_end(j);
}

/* Why a launch was simulated, fully or in part: the sampler, and the launches for which it
 * stands. */
static void write_sampling(json_t *j, const run_report_t *r, const launch_result_t *l)
{
    const run_sampling_t *s = r->sampling;
    const chosen_t *c = s != NULL ? run_sampling_find(s, l->info.id) : NULL;
    const launch_sampling_t *inside = &l->sampling;
    const bool asked = inside->sampler[0] != '\0';
    if (c == NULL && !asked) {
        json_null(j, "sampling");
        return;
    }
    char chosen[96] = "", evidence[sizeof(chosen) + sizeof("; ") + sizeof(inside->evidence)];
    if (c != NULL) {
        const plan_sample_t *sample = &s->plan.samples[c->sample];
        const plan_cluster_t *cluster = &s->plan.clusters[sample->cluster];
        snprintf(chosen, sizeof(chosen), "%llu of the %llu launches of cluster %u",
                 (unsigned long long)cluster->draws, (unsigned long long)cluster->size,
                 sample->cluster + 1);
    }
    snprintf(evidence, sizeof(evidence), "%s%s%s", chosen, c != NULL && asked ? "; " : "",
             inside->evidence);
    json_begin_object(j, "sampling");
    json_text(j, "sampler", asked ? inside->sampler : s->sampler);
    json_text(j, "decision", inside->estimated ? "fast_forward" : "simulate");
    if (inside->estimated) {
        json_u64(j, "cycle", inside->cycle);
        json_u64(j, "block", inside->block);
    } else {
        json_null(j, "cycle");
        json_null(j, "block");
    }
    json_text(j, "evidence", evidence);
    json_f64(j, "weight", c != NULL ? s->plan.samples[c->sample].weight : r->of_plan ? 0.0 : 1.0);
    json_bool(j, "estimated", inside->estimated);
    if (asked) {
        json_u64(j, "simulated_blocks", inside->simulated_blocks);
        json_u64(j, "simulated_cycles", inside->simulated_cycles);
        json_u64(j, "simulated_warp_instructions", inside->simulated_warp_insts);
    }
    json_end(j);
}

static void write_stat_interval(json_t *j, const char *name, const stat_interval_t *i,
                                double confidence)
{
    json_begin_object(j, name);
    json_f64(j, "low", i->low);
    json_f64(j, "high", i->high);
    json_f64(j, "confidence", confidence);
    json_text(j, "method", i->method);
    if (i->reason != NULL)
        json_text(j, "reason", i->reason);
    json_end(j);
}

/* Begins the object of a statistic's group if it is another one than *open; totals have none. */
static void begin_group(json_t *j, const char *group, const char **open)
{
    if (strcmp(group, *open) == 0)
        return;
    if (strcmp(*open, "totals") != 0)
        json_end(j);
    if (strcmp(group, "totals") != 0)
        json_begin_object(j, group);
    *open = group;
}

/* The intervals of the statistics of a launch that are not exact; null if it is not an estimate, or
 * does not state its error. */
static void write_launch_intervals(json_t *j, const run_report_t *r, const run_record_t *record,
                                   const metric_input_t *m)
{
    const char *open = "totals";
    const size_t n = stat_count();
    if (!record->launch.sampling.estimated || record->error.n < 2) {
        json_null(j, "interval");
        return;
    }
    stat_interval_t *of = rb_calloc(n, sizeof(*of));
    stat_part_t quotient[METRIC_COUNT];
    const seen_launch_t launch = run_estimate_launch(record);
    run_estimate_quotients(m, quotient);
    intervals_launch(&r->intervals, &launch, quotient, of);
    json_begin_object(j, "interval");
    json_f64(j, "confidence", r->intervals.confidence);
    json_text(j, "method", of[0].method);
    for (size_t i = 0; i < n; i++) {
        const stat_entry_t e = stat_entry(i);
        if (!(of[i].low < of[i].high))
            continue;
        begin_group(j, e.group, &open);
        json_begin_object(j, e.name);
        json_f64(j, "low", of[i].low);
        json_f64(j, "high", of[i].high);
        json_end(j);
    }
    begin_group(j, "totals", &open);
    json_end(j);
    free(of);
}

/* host_seconds: host time for the launch, including everything done for it. */
static void write_launch(json_t *j, const run_report_t *r, const run_record_t *record,
                         double host_seconds)
{
    const launch_result_t *l = &record->launch;
    metric_input_t m = report_launch_metrics(r, l);
    json_begin_object(j, NULL);
    json_u64(j, "id", l->info.id);
    json_u64(j, "trace_id", l->info.trace_id);
    json_text(j, "name", l->info.name);
    json_u64(j, "stream", l->info.stream);
    json_u32s(j, "grid", l->info.grid, 3);
    json_u32s(j, "block", l->info.block, 3);
    json_u64(j, "registers", l->info.regs);
    json_u64(j, "shared_bytes", l->info.shared_bytes);
    json_u64(j, "start_cycle", l->start);
    json_u64(j, "cycles", launch_result_cycles(l));
    json_u64(j, "launch_latency_cycles", l->launch_cycles);
    json_bool(j, "part", l->part);
    json_u64(j, "blocks", l->blocks);
    json_u64(j, "warp_instructions", l->warp_insts);
    json_u64(j, "thread_instructions", l->thread_insts);
    json_u64(j, "copied_bytes", l->copied_bytes);
    json_f64(j, "host_seconds", host_seconds);
    json_begin_object(j, "occupancy");
    json_f64(j, "theoretical",
             stats_ratio((uint64_t)l->occupancy.blocks_per_sm * l->occupancy.warps_per_block,
                         r->spec->sm.sm.max_warps));
    json_f64(j, "achieved", metric_value(METRIC_achieved_occupancy, &m));
    json_text(j, "limiter", l->occupancy.limiter);
    json_u64(j, "blocks_per_sm", l->occupancy.blocks_per_sm);
    json_u64(j, "carveout", l->occupancy.carveout);
    json_end(j);
    write_sampling(j, r, l);
    write_launch_intervals(j, r, record, &m);
    write_counters(j, &l->sm, &l->l2, &l->dram, &m);
    json_end(j);
}

static rb_code_t write_launches(json_t *j, const run_report_t *r, rb_err_t *err)
{
    record_walk_t walk = record_walk(r->journal, RECORD_LAUNCH, err);
    double before = 0.0;
    json_begin_rows(j, "launches");
    while (record_walk_next(&walk)) {
        write_launch(j, r, &walk.record, walk.record.host_seconds - before);
        before = walk.record.host_seconds;
    }
    json_end(j);
    return walk.code;
}

/* The interval of the total cycles, or why it is unknown. */
static void write_cycles_interval(json_t *j, const run_report_t *r)
{
    const estimate_t *e = &r->cycles_interval;
    json_begin_object(j, "cycles");
    json_f64(j, "low", e->low);
    json_f64(j, "high", e->high);
    json_f64(j, "confidence", e->confidence);
    json_text(j, "method", e->method);
    if (r->interval_note != NULL)
        json_text(j, "note", r->interval_note);
    else
        json_null(j, "note");
    json_end(j);
}

/* The intervals of all statistics; null if nothing was estimated. */
static void write_intervals(json_t *j, const run_report_t *r)
{
    const char *open = "totals";
    if (!r->estimated) {
        json_null(j, "interval");
        return;
    }
    json_begin_object(j, "interval");
    write_cycles_interval(j, r);
    for (size_t i = 1; i < stat_count(); i++) {
        const stat_entry_t e = stat_entry(i);
        if (!intervals_has(&r->intervals, i))
            continue;
        begin_group(j, e.group, &open);
        write_stat_interval(j, e.name, &r->intervals.of[i], r->intervals.confidence);
    }
    begin_group(j, "totals", &open);
    json_end(j);
}

/* The replay of a graph of launches that overlap. */
static void write_graph(json_t *j, const run_graph_t *g)
{
    json_begin_object(j, "replay");
    json_f64(j, "end", g->estimate.end.value);
    json_f64(j, "end_low", g->estimate.end.low);
    json_f64(j, "end_high", g->estimate.end.high);
    json_u64(j, "one_by_one", g->one_by_one);
    json_u64(j, "replicates", g->estimate.replicates);
    json_begin_object(j, "pairs");
    json_u64(j, "kinds", g->cost.kinds);
    json_f64(j, "share_of_overlap", g->cost.measured);
    json_u64(j, "runs", g->cost.runs);
    json_u64(j, "launches", g->cost.launches);
    json_u64(j, "cycles", g->cost.cycles);
    json_u64(j, "warp_instructions", g->cost.warp_insts);
    json_end(j);
    json_end(j);
}

static void write_totals(json_t *j, const run_report_t *r)
{
    const run_totals_t *t = &r->totals;
    metric_input_t m = report_total_metrics(r);
    uint64_t cycles = t->cycles;
    json_begin_object(j, "totals");
    json_bool(j, "estimated", r->estimated);
    write_intervals(j, r);
    if (r->graph != NULL)
        write_graph(j, r->graph);
    json_u64(j, "cycles", cycles);
    json_f64(j, "seconds", report_seconds(r));
    json_u64(j, "launch_latency_cycles", t->launch_cycles);
    json_u64(j, "cycles_without_launch_latency",
             cycles > t->launch_cycles ? cycles - t->launch_cycles : 0);
    json_u64(j, "warp_instructions", t->warp_insts);
    json_u64(j, "thread_instructions", t->thread_insts);
    json_f64(j, "ipc", metric_value(METRIC_ipc, &m));
    json_u64(j, "warp_slot_cycles", t->warp_slot_cycles);
    json_u64(j, "copied_bytes", t->copied_bytes);
    json_u64(j, "dram_bytes", SECTOR_BYTES * (t->dram.read_sectors + t->dram.write_sectors));
    write_counters(j, &t->sm, &t->l2, &t->dram, &m);
    json_end(j);
    json_begin_object(j, "simulated");
    json_u64(j, "launches", r->simulated.launches);
    json_u64(j, "blocks", r->simulated.run_blocks);
    json_u64(j, "cycles", r->simulated.run_cycles);
    json_u64(j, "warp_instructions", r->simulated.run_warp_insts);
    json_text(j, "warmup", gpu_warmup_choices[r->warmup].name);
    json_u64(j, "touched_launches", r->simulated.touched.launches);
    json_u64(j, "touched_warp_instructions", r->simulated.touched.warp_insts);
    json_end(j);
}

/* The samplers inside launches, with their options. */
static void write_inside(json_t *j, const run_report_t *r)
{
    json_begin_array(j, "inside_samplers");
    for (size_t i = 0; i < r->inside->n; i++)
        json_text(j, NULL, r->inside->texts[i]);
    json_end(j);
}

/* Peak rates of the modelled GPU. */
static void write_peaks(json_t *j, const gpu_spec_t *spec)
{
    const sm_spec_t *sm = &spec->sm.sm;
    const double clock = spec->gpu.clock_mhz * 1e6, schedulers = (double)sm->count * sm->sub_cores;
    const double fp64_units = sm->fp64_shared ? (double)sm->count : schedulers;
    const double sectors = spec->mem.l2.slices * l2_port_rate(&spec->mem);
    json_begin_object(j, "peaks");
    json_f64(j, "warp_instructions_per_second", schedulers * clock);
    json_f64(j, "fp16_operations_per_second", schedulers * sm->fp16_lanes * 4.0 * clock);
    json_f64(j, "fp32_operations_per_second", schedulers * sm->fp32_lanes * 2.0 * clock);
    json_f64(j, "fp64_operations_per_second", fp64_units * sm->fp64_lanes * 2.0 * clock);
    json_f64(j, "tensor_operations_per_second", schedulers * sm->tensor_fma * 2.0 * clock);
    json_f64(j, "l2_bytes_per_second", sectors * SECTOR_BYTES * clock);
    json_f64(j, "dram_bytes_per_second", metric_dram_peak(spec) * clock);
    json_end(j);
}

/* The sampling of the run; null if there is none. */
static void write_plan(json_t *j, const run_report_t *r)
{
    if (r->sampling == NULL) {
        json_null(j, "sampling");
        return;
    }
    const plan_t *p = &r->sampling->plan;
    json_begin_object(j, "sampling");
    json_text(j, "method", p->method);
    json_u64(j, "seed", p->seed);
    json_u64(j, "clusters", p->n_clusters);
    json_u64(j, "samples", p->n_samples);
    json_f64(j, "error_bound_on_profiled_gpu", p->error_bound);
    json_f64(j, "confidence", p->confidence);
    json_end(j);
}

static void write_host(json_t *j, const run_report_t *r)
{
    double modelled = (double)r->simulated.run_cycles / (r->spec->gpu.clock_mhz * 1e6);
    json_begin_object(j, "host");
    json_f64(j, "seconds", r->host_seconds);
    json_f64(j, "cpu_seconds", r->host_cpu_seconds);
    json_f64(j, "touching_cpu_seconds", r->simulated.touched.cpu_seconds);
    json_u64(j, "peak_rss_bytes", r->host_peak_rss);
    json_u64(j, "threads", (uint64_t)r->threads);
    json_f64(j, "warp_instructions_per_second",
             (double)r->simulated.run_warp_insts / r->host_seconds);
    json_f64(j, "slowdown", r->host_seconds / modelled);
    json_end(j);
}

/* The hash of the trace; if it was read only in part, the hashes of what was read. */
static void write_read(json_t *j, const trace_read_t *read)
{
    if (read->sha256[0] != '\0') {
        json_text(j, "sha256", read->sha256);
        return;
    }
    json_begin_rows(j, "read");
    for (size_t i = 0; i < file_reads_count(read->reads); i++) {
        const file_read_t *f = file_reads_at(read->reads, i);
        if (!f->whole)
            continue;
        json_begin_object(j, NULL);
        json_text(j, "file", f->name);
        json_text(j, "sha256", f->sha256);
        json_end(j);
    }
    json_end(j);
}

/* The limit that ended the run; null if none did. */
static void write_part(json_t *j, const run_report_t *r)
{
    if (!r->part) {
        json_null(j, "part");
        return;
    }
    json_begin_object(j, "part");
    json_u64(j, "max_cycles", r->limit.cycles);
    json_u64(j, "max_warp_instructions", r->limit.insts);
    json_end(j);
}

rb_code_t report_json(const run_report_t *r, FILE *out, rb_err_t *err)
{
    json_t j;
    json_init(&j, out);
    json_begin_object(&j, NULL);
    json_u64(&j, "schema", RESULT_SCHEMA);
    json_bool(&j, "complete", r->complete);
    write_part(&j, r);
    char identity[REPORT_IDENTITY];
    report_identity(identity, r->identity, r->trace_read);
    json_text(&j, "identity", identity);
    json_begin_object(&j, "rubato");
    json_text(&j, "version", RUBATO_VERSION);
    json_text(&j, "commit", rubato_commit);
    json_end(&j);
    json_text(&j, "command", r->command);
    json_text(&j, "gpu", r->gpu);
    json_begin_object(&j, "trace");
    json_text(&j, "path", r->trace_path);
    json_text(&j, "format", r->trace_format);
    write_read(&j, r->trace_read);
    json_u64(&j, "launches", r->trace_launches);
    json_u64(&j, "bytes", r->trace_bytes);
    trace_doubts_json(&j, &r->simulated.doubts);
    run_waits_json(r->source, &j);
    json_end(&j);
    json_begin_object(&j, "config");
    json_text(&j, "name", r->spec->gpu.name);
    json_text(&j, "sha256", r->config_sha256);
    json_u64(&j, "overrides", r->overrides);
    json_f64(&j, "clock_mhz", r->spec->gpu.clock_mhz);
    write_peaks(&j, r->spec);
    json_end(&j);
    write_plan(&j, r);
    write_inside(&j, r);
    write_totals(&j, r);
    write_host(&j, r);
    RB_TRY(write_launches(&j, r, err));
    json_end(&j);
    return RB_OK;
}
