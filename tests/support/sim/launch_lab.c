#include "tests/support/sim/launch_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/run/sampled/run_sampling_parts.h"
#include "sampling/math/rng.h"
#include "sim/core/alloc.h"

enum { REST = 8 }; /* independent random numbers of a launch */

static uint64_t count(double v)
{
    return v > 0 ? (uint64_t)v : 0;
}

static uint64_t share(uint64_t whole, double part)
{
    return count((double)whole * fmin(fmax(part, 0), 1));
}

static void set_memory(launch_result_t *r, const double rest[REST])
{
    sm_stats_t *sm = &r->sm;
    sm->global_load_requests = sm->mix_load;
    sm->global_store_requests = sm->mix_store;
    sm->l1_tags = sm->mix_load + sm->mix_store;
    sm->global_load_sectors = count(4.0 * (double)sm->mix_load * (1 + 0.2 * rest[0]));
    sm->global_store_sectors = 4 * sm->mix_store;
    sm->global_load_hits = share(sm->global_load_sectors, 0.4 + rest[1]);
    r->l2.read_sectors = sm->global_load_sectors - sm->global_load_hits;
    r->l2.read_hits = share(r->l2.read_sectors, 0.5 + rest[2]);
    r->l2.write_sectors = sm->global_store_sectors;
    r->l2.write_hits = share(r->l2.write_sectors, 0.7 + rest[3]);
    r->l2.fills = r->dram.read_sectors = r->l2.read_sectors - r->l2.read_hits;
    r->dram.write_sectors = r->l2.write_sectors - r->l2.write_hits;
    r->dram.row_hits = share(r->dram.read_sectors, 0.6 + rest[4]);
    r->dram.row_misses = r->dram.read_sectors - r->dram.row_hits;
    r->dram.read_requests = r->dram.read_sectors;
    r->dram.read_latency = 400 * r->dram.read_sectors;
}

/* Half of the slots have warps; the states are shares of them. */
static void set_states(launch_result_t *r, const gpu_spec_t *spec, const double rest[REST])
{
    const uint64_t busy = launch_result_cycles(r) - r->launch_cycles;
    sm_stats_t *sm = &r->sm;
    sm->active_cycles = share(spec->sm.sm.count * busy, 0.9 + 0.2 * rest[5]);
    const uint64_t warps = share(sm->active_cycles * spec->sm.sm.max_warps, 0.5 + rest[6]);
    sm->state_selected = sm->warp_insts < warps ? sm->warp_insts : warps;
    sm->state_long_scoreboard = share(warps - sm->state_selected, 0.6 + rest[7]);
    sm->state_wait = warps - sm->state_selected - sm->state_long_scoreboard;
    r->warp_slot_cycles =
        (uint64_t)spec->sm.sm.count * spec->sm.sm.max_warps * launch_result_cycles(r);
    sm->state_no_warp = r->warp_slot_cycles - warps;
}

static void set_launch(launch_result_t *r, const lab_program_t *p, const gpu_spec_t *spec,
                       uint64_t stratum, rng_t *rng)
{
    double rest[REST];
    for (size_t i = 0; i < REST; i++)
        rest[i] = p->of_rest * rng_normal(rng);
    const double factor = fmax(1 + p->of_insts * rng_normal(rng), 0.05);
    const bool slow = rng_unit(rng) < p->slow;
    sm_stats_t *sm = &r->sm;
    r->blocks = sm->blocks = 1000;
    r->warp_insts = sm->warp_insts = count(1e7 * (double)(1 + stratum) * factor);
    r->thread_insts = sm->thread_insts = 30 * sm->warp_insts;
    sm->mix_load = sm->warp_insts / 8;
    sm->mix_store = sm->warp_insts / 16;
    sm->mix_int = sm->warp_insts - sm->mix_load - sm->mix_store;
    if (slow)
        rest[1] = rest[2] = -1;
    set_memory(r, rest);
    r->launch_cycles = spec->gpu.launch_latency;
    r->start = 0;
    r->end = r->launch_cycles +
             (slow ? 5 : 1) * count(0.1 * (double)sm->warp_insts +
                                    0.05 * (double)r->dram.read_sectors * (1 + 0.1 * rest[5]));
    set_states(r, spec, rest);
}

launch_result_t *lab_launches(const lab_program_t *p, const gpu_spec_t *spec, uint64_t seed)
{
    launch_result_t *list = rb_calloc(p->n, sizeof(*list));
    for (uint64_t i = 0; i < p->n; i++) {
        rng_t rng = rng_make(seed, i);
        set_launch(&list[i], p, spec, i * p->strata / p->n, &rng);
        list[i].info = (launch_info_t){.id = i + 1, .name = "k", .file = ""};
        list[i].occupancy.limiter = "";
    }
    return list;
}

launch_counts_t lab_counts(const launch_result_t *launches, uint64_t n)
{
    launch_counts_t c = {0};
    for (uint64_t i = 0; i < n; i++) {
        const sm_stats_t *sm = &launches[i].sm;
        c.blocks += sm->blocks;
        c.warp_insts += sm->warp_insts;
        c.thread_insts += sm->thread_insts;
        c.insts[OP_INT] += sm->mix_int;
        c.insts[OP_LOAD_LG] += sm->mix_load;
        c.insts[OP_STORE_LG] += sm->mix_store;
        c.requests += sm->l1_tags;
        c.global_sectors += sm->global_load_sectors + sm->global_store_sectors;
    }
    return c;
}

/* Counters that the errors of an estimate are in. */
static uint64_t *const *uncertain(launch_result_t *r, size_t *n)
{
    static uint64_t *list[24];
    sm_stats_t *sm = &r->sm;
    uint64_t *const of[] = {
        &sm->global_load_hits,      &r->l2.read_sectors,   &r->l2.read_hits,
        &r->l2.write_hits,          &r->l2.fills,          &r->dram.read_sectors,
        &r->dram.write_sectors,     &r->dram.row_hits,     &r->dram.row_misses,
        &r->dram.read_requests,     &r->dram.read_latency, &sm->active_cycles,
        &sm->state_long_scoreboard, &sm->state_wait};
    *n = sizeof(of) / sizeof(of[0]);
    memcpy(list, of, sizeof(of));
    return list;
}

static double *counter_of(launch_estimate_t *e, const launch_result_t *r, const uint64_t *counter)
{
    const char *at = (const char *)counter, *sm = (const char *)&r->sm, *l2 = (const char *)&r->l2;
    const char *dram = (const char *)&r->dram;
    size_t i = offsetof(gpu_counters_t, dram) + (size_t)(at - dram);
    if (at >= sm && at < sm + sizeof(r->sm))
        i = (size_t)(at - sm);
    else if (at >= l2 && at < l2 + sizeof(r->l2))
        i = offsetof(gpu_counters_t, l2) + (size_t)(at - l2);
    return &e->counter[i / sizeof(uint64_t)];
}

static void set_counters(launch_estimate_t *e, const launch_result_t *r)
{
    const gpu_counters_t c = {.sm = r->sm, .l2 = r->l2, .dram = r->dram};
    const uint64_t *counter = (const uint64_t *)&c;
    e->cycles = (double)launch_result_cycles(r);
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        e->counter[i] = (double)counter[i];
}

/* Makes value[] the estimates that each leave out one of the groups; returns that of all groups. */
static double jackknife(double value[LAB_GROUPS])
{
    double mean = 0;
    for (size_t g = 0; g < LAB_GROUPS; g++)
        mean += value[g] / LAB_GROUPS;
    for (size_t g = 0; g < LAB_GROUPS; g++)
        value[g] = (LAB_GROUPS * mean - value[g]) / (LAB_GROUPS - 1);
    return mean;
}

launch_result_t lab_estimated(const launch_result_t *exact, double error, uint64_t seed,
                              uint64_t stream, launch_estimate_t list[LAB_GROUPS])
{
    launch_result_t r = *exact;
    rng_t rng = rng_make(seed, stream);
    double common[LAB_GROUPS], value[LAB_GROUPS];
    size_t n;
    uint64_t *const *counter = uncertain(&r, &n);
    for (size_t g = 0; g < LAB_GROUPS; g++) {
        set_counters(&list[g], exact);
        common[g] = error * rng_normal(&rng);
    }
    for (size_t i = 0; i <= n; i++) {
        const double of = i < n ? (double)*counter[i] : (double)launch_result_cycles(exact);
        for (size_t g = 0; g < LAB_GROUPS; g++)
            value[g] = of * (1 + common[g] + error * rng_normal(&rng));
        const double mean = jackknife(value);
        for (size_t g = 0; g < LAB_GROUPS; g++)
            *(i < n ? counter_of(&list[g], &r, counter[i]) : &list[g].cycles) = value[g];
        *(i < n ? counter[i] : &r.end) = count(mean);
    }
    r.sampling = (launch_sampling_t){.sampler = "lab", .estimated = true};
    r.replicates = (launch_replicates_t){LAB_GROUPS, list};
    return r;
}

plan_t lab_stratified(const lab_program_t *p, uint64_t each, uint64_t seed)
{
    const uint64_t size = p->n / p->strata, take = each < size ? each : size;
    plan_t plan = {.method = rb_strdup("lab"),
                   .seed = seed,
                   .n_launches = p->n,
                   .n_names = 1,
                   .n_clusters = (uint32_t)p->strata,
                   .n_samples = p->strata * take,
                   .random = true,
                   .error_bound = NAN,
                   .confidence = NAN};
    plan.names = rb_calloc(1, sizeof(*plan.names));
    plan.names[0] = rb_strdup("k");
    plan.clusters = rb_calloc(plan.n_clusters, sizeof(*plan.clusters));
    plan.samples = rb_calloc(plan.n_samples, sizeof(*plan.samples));
    for (uint32_t h = 0; h < p->strata; h++) {
        rng_t rng = rng_make(seed, h);
        plan.clusters[h] = (plan_cluster_t){.size = size, .draws = take, .mean = NAN, .sd = NAN};
        /* Selection sampling, in ascending order. */
        for (uint64_t i = 0, taken = 0; taken < take; i++) {
            if (rng_below(&rng, size - i) >= take - taken)
                continue;
            plan.samples[h * take + taken++] =
                (plan_sample_t){.launch = h * size + i + 1,
                                .weight = (double)size / (double)take,
                                .cluster = h,
                                .draws = 1};
        }
    }
    return plan;
}

static void must(rb_code_t rc, const rb_err_t *err)
{
    if (rc != RB_OK)
        rb_panic("%s", err->text);
}

void lab_run_begin(lab_run_t *run, const gpu_spec_t *spec, const plan_t *plan,
                   const launch_counts_t *known, const char *path)
{
    static const inside_list_t inside;
    rb_err_t err = {0};
    *run = (lab_run_t){0};
    if (path != NULL)
        must(journal_create(&run->journal, path, &err), &err);
    else
        must(journal_create_unnamed(&run->journal, ".", &err), &err);
    if (plan != NULL) {
        run->sampling = (run_sampling_t){.on = true, .plan = *plan};
        run_sampling_await(&run->sampling);
        run->sampling.has_counts = known != NULL;
        if (known != NULL)
            run->sampling.counts = *known;
    }
    run->report = (run_report_t){.complete = true,
                                 .spec = spec,
                                 .warmup = WARMUP_FUNCTIONAL,
                                 .sampling = plan != NULL ? &run->sampling : NULL,
                                 .inside = &inside,
                                 .journal = run->journal};
}

void lab_run_add(lab_run_t *run, const launch_result_t *r)
{
    rb_err_t err = {0};
    launch_result_t placed = *r;
    placed.start = run->end;
    placed.end = run->end += launch_result_cycles(r);
    must(record_launch(run->journal, &placed, NULL, 1, &err), &err);
    totals_add(&run->report.simulated, &placed);
    run_sampling_add(&run->sampling, &placed, NULL);
}

void lab_run_end(lab_run_t *run)
{
    rb_err_t err = {0};
    must(report_set_totals(&run->report, &err), &err);
}

void lab_run_free(lab_run_t *run)
{
    report_free(&run->report);
    run_sampling_free(&run->sampling);
    journal_close(run->journal);
    *run = (lab_run_t){0};
}
