#include "frontend/tool/run/results/run_detectors.h"

#include <stdlib.h>

#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/results/point_series.h"
#include "sampling/inside/region/region_options.h"
#include "sim/core/alloc.h"
#include "sim/core/engine/msg.h"
#include "sim/core/log.h"

/* No further launch is written once the file exceeds this size. */
#define BYTES_MAX (64L << 20)

enum { REGIONS_MAX = 2048 }; /* per launch */

/* The series of a launch, in file order. */
enum { INTERVALS, BLOCK_SIZES, RETIRED, SERIES = RETIRED + RETIRED_CLOCK };
static const struct {
    const char *key, *columns[SERIES_COLUMNS + 1];
} series_texts[SERIES] = {
    [INTERVALS] = {"intervals",
                   {"cycle", "warp_instructions", "blocks_done", "next_block", "l2_taken_sectors"}},
    [BLOCK_SIZES] = {"block_sizes", {"block", "warp_instructions", "requests"}},
    [RETIRED + RETIRED_WARP] = {"retired_warps", {"start", "retire", "block", "warp_instructions"}},
    [RETIRED +
        RETIRED_BLOCK] = {"retired_blocks", {"start", "retire", "block", "warp_instructions"}},
    [RETIRED + RETIRED_BASIC_BLOCK] = {"retired_basic_blocks",
                                       {"start", "retire", "block", "warp_instructions", "pc"}}};

struct run_detectors {
    out_file_t file;
    json_t json;
    region_rule_t rule;
    point_series_t series[SERIES];
    region_table_t regions;
    bool indexed; /* regions and block sizes belong to the current launch */
    uint64_t slots, warps_per_block, l2_sectors;
    bool full;
    sampler_t *samplers; /* owned; the observer, followed by the samplers of the run */
    size_t n_samplers;
};

static rb_code_t read_sizes(run_detectors_t *d, const sampler_launch_t *l, rb_err_t *err)
{
    const trace_source_ops_t *ops = l->source->ops;
    const uint64_t slots = l->slots < l->info->n_blocks ? l->slots : l->info->n_blocks;
    trace_launch_t *launch;
    block_facts_t facts;
    bool stored = true;
    rb_code_t rc = region_table_make(&d->regions, l->source, l->position, slots == 0 ? 1 : slots,
                                     &d->rule, err);
    RB_TRY(rc);
    RB_TRY(ops->open(l->source, l->position, &launch, err));
    for (uint64_t b = 0; rc == RB_OK && b < l->info->n_blocks; b++) {
        rc = ops->block_facts(launch, b, &facts, &stored, err);
        if (rc != RB_OK || !stored)
            break;
        const point_t p = {{b, facts.warp_insts, facts.requests}};
        point_series_add(&d->series[BLOCK_SIZES], &p);
    }
    ops->close(launch);
    return rc;
}

static rb_code_t look_at_launch(const sampler_t *sampler, const sampler_launch_t *l, rb_err_t *err)
{
    run_detectors_t *d = sampler->state;
    for (int i = 0; i < SERIES; i++)
        point_series_clear(&d->series[i]);
    region_table_free(&d->regions);
    d->slots = l->slots;
    d->warps_per_block = l->occupancy->warps_per_block;
    d->l2_sectors = l->spec->mem.l2.size / SECTOR_BYTES;
    d->indexed = l->source->ops->block_facts != NULL;
    return d->indexed && !d->full ? read_sizes(d, l, err) : RB_OK;
}

static bool look_at_interval(const sampler_t *sampler, const interval_records_t *r,
                             fast_forward_t *out)
{
    run_detectors_t *d = sampler->state;
    const point_t now = {{r->cycle, r->warp_insts, r->blocks_done, r->next_block, r->l2_taken}};
    (void)out;
    point_series_add(&d->series[INTERVALS], &now);
    for (int kind = 0; kind < RETIRED_CLOCK; kind++) {
        for (size_t i = 0; i < r->retired[kind].n; i++) {
            const retired_t *e = &r->retired[kind].list[i];
            const point_t p = {{e->start, e->retire, e->block, e->n_insts, e->pc}};
            point_series_add(&d->series[RETIRED + kind], &p);
        }
    }
    return false;
}

static const sampler_ops_t look_ops = {
    .retired = 1u << RETIRED_WARP | 1u << RETIRED_BLOCK,
    .launch_open = look_at_launch,
    .interval_end = look_at_interval,
};

rb_code_t run_detectors_open(run_detectors_t **out, const char *folder, const inside_list_t *list,
                             rb_err_t *err)
{
    run_detectors_t *d = rb_calloc(1, sizeof(*d));
    region_options_t options;
    rb_code_t rc = out_file_open(&d->file, folder, RUN_DETECTORS_FILE, err);
    if (rc != RB_OK) {
        free(d);
        return rc;
    }
    inside_list_options(list, "tbpoint_region", &options);
    d->rule = region_rule(&options);
    d->n_samplers = list->n + 1;
    d->samplers = rb_calloc(d->n_samplers, sizeof(*d->samplers));
    d->samplers[0] = (sampler_t){.ops = &look_ops, .state = d};
    for (size_t i = 0; i < list->n; i++)
        d->samplers[i + 1] = list->samplers[i];
    json_init(&d->json, d->file.out);
    json_begin_object(&d->json, NULL);
    json_u64(&d->json, "schema", 1);
    json_begin_rows(&d->json, "launches");
    *out = d;
    return RB_OK;
}

void run_detectors_join(run_detectors_t *d, run_plan_t *plan)
{
    plan->inside = d->samplers;
    plan->n_inside = d->n_samplers;
}

static void write_decision(json_t *j, const launch_sampling_t *s)
{
    if (!s->estimated) {
        json_null(j, "decision");
        return;
    }
    json_begin_object(j, "decision");
    json_text(j, "sampler", s->sampler);
    json_u64(j, "cycle", s->cycle);
    json_u64(j, "block", s->block);
    json_text(j, "evidence", s->evidence);
    json_end(j);
}

static void write_regions(const run_detectors_t *d, json_t *j)
{
    const region_table_t *t = &d->regions;
    if (!d->indexed) {
        json_null(j, "regions");
        return;
    }
    json_begin_object(j, "regions");
    json_u64(j, "seen", t->n);
    json_u64(j, "epoch_blocks", t->epoch);
    json_begin_rows(j, "list");
    for (size_t i = 0; i < t->n && i < REGIONS_MAX; i++) {
        const region_t *r = &t->list[i];
        json_begin_array(j, NULL);
        json_u64(j, NULL, r->first);
        json_u64(j, NULL, r->end);
        json_u64(j, NULL, r->cluster);
        json_bool(j, NULL, r->even);
        json_f64(j, NULL, r->stall);
        json_f64(j, NULL, r->variation);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void run_detectors_launch(run_detectors_t *d, const launch_result_t *r)
{
    json_t *j = &d->json;
    if (d->full)
        return;
    json_begin_object(j, NULL);
    json_u64(j, "id", r->info.id);
    json_text(j, "kernel", r->info.name);
    json_u64(j, "cycles", launch_result_cycles(r));
    json_u64(j, "blocks", r->info.n_blocks);
    json_u64(j, "slots", d->slots);
    json_u64(j, "warps_per_block", d->warps_per_block);
    json_u64(j, "l2_sectors", d->l2_sectors);
    write_decision(j, &r->sampling);
    for (int i = 0; i < SERIES; i++)
        point_series_write(&d->series[i], j, series_texts[i].key, series_texts[i].columns);
    write_regions(d, j);
    json_end(j);
    d->full = ftell(d->file.out) > BYTES_MAX;
    if (d->full)
        rb_warn("%s: ends after launch %llu because of its size limit", RUN_DETECTORS_FILE,
                (unsigned long long)r->info.id);
}

rb_code_t run_detectors_finish(run_detectors_t *d, rb_err_t *err)
{
    if (d == NULL)
        return RB_OK;
    json_end(&d->json);
    json_end(&d->json);
    fputc('\n', d->file.out);
    return out_file_close(&d->file, RB_OK, err);
}

void run_detectors_free(run_detectors_t *d)
{
    if (d == NULL)
        return;
    out_file_abandon(&d->file);
    region_table_free(&d->regions);
    free(d->samplers);
    for (int i = 0; i < SERIES; i++)
        point_series_free(&d->series[i]);
    free(d);
}
