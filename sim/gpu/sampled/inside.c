#include "sim/gpu/sampled/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/engine/msg.h"
#include "sim/gpu/gpu_internal.h"

void inside_init(inside_t *n, const gpu_spec_t *spec, const sampler_t *samplers, size_t n_samplers)
{
    memset(n, 0, sizeof(*n));
    n->samplers = samplers;
    n->n = n_samplers;
    for (size_t i = 0; i < n->n; i++) {
        n->recorded |= samplers[i].ops->retired;
        n->asks |= samplers[i].ops->block_dispatch != NULL;
    }
    n->bucket = rb_calloc((size_t)spec->sampling.interval + 2, sizeof(*n->bucket));
}

static void forget_surveys(inside_t *n)
{
    for (size_t i = 0; i < n->n_surveys; i++) {
        shadow_free(n->survey[i]);
        free(n->survey[i]);
    }
    n->n_surveys = 0;
}

void inside_free(inside_t *n)
{
    forget_surveys(n);
    free(n->survey);
    for (unsigned kind = 0; kind < RETIRED_KINDS; kind++)
        free(n->sorted[kind]);
    free(n->bucket);
    memset(n, 0, sizeof(*n));
}

/* Sums the work of all L2 slices and DRAM channels. */
static memory_work_t memory_work(const gpu_t *g)
{
    memory_work_t sum = {0};
    for (uint32_t i = 0; i < g->n_partitions; i++) {
        l2_stats_t l2 = {0};
        dram_stats_t dram = {0};
        partition_stats(g->partition[i], &l2, &dram);
        sum.taken += l2.fills + l2.write_sectors - l2.write_hits;
        sum.write_hits += l2.write_hits;
        sum.touched += l2.read_sectors + l2.write_sectors;
        sum.dram += dram.read_sectors + dram.write_sectors;
    }
    return sum;
}

/* Sets the memory records of an interval (sampler.h). */
static void note_memory(const inside_t *n, const gpu_t *g, interval_records_t *r)
{
    const memory_work_t now = memory_work(g);
    const uint64_t hits = now.write_hits - n->before.write_hits;
    const uint64_t moved = now.dram - n->before.dram;
    r->dram_moved = moved;
    r->l2_touched = now.touched - n->before.touched;
    r->l2_taken = now.taken - n->before.taken + n->warmed;
    r->l2_moved = r->l2_taken + (hits < r->l2_taken ? hits : r->l2_taken);
    if (r->l2_moved < moved)
        r->l2_moved = moved;
}

static void record(gpu_t *g, unsigned kinds)
{
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_record(g->sm[i], kinds);
}

static void cut_warps(gpu_t *g, bool cut)
{
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_cut_warps(g->sm[i], cut);
}

static void clear_records(gpu_t *g)
{
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_retired_clear(g->sm[i]);
}

rb_code_t inside_begin(inside_t *n, gpu_t *g, uint64_t position, const launch_info_t *info,
                       const occupancy_t *occupancy, cycle_t start, rb_err_t *err)
{
    n->info = *info;
    n->occupancy = *occupancy;
    n->launch = (sampler_launch_t){.info = &n->info,
                                   .occupancy = &n->occupancy,
                                   .spec = &g->spec,
                                   .slots = (uint64_t)g->n_sms * occupancy->blocks_per_sm,
                                   .source = g->run.source,
                                   .position = position,
                                   .of = n};
    forget_surveys(n);
    n->start = start;
    n->active = NULL;
    n->note = (launch_sampling_t){0};
    n->chip = g;
    n->several = false;
    n->added = 0;
    n->skipped_in_forwards = 0;
    n->warmed = 0;
    n->cold = false;
    n->cut = false;
    n->warp_insts = 0;
    n->has_counts = g->run.source->ops->launch_counts != NULL;
    if (n->has_counts)
        RB_TRY(g->run.source->ops->launch_counts(g->run.source, position, &n->counts, err));
    n->insts_before = gpu_warp_insts(g);
    n->before = memory_work(g);
    gpu_count(g, start, &n->chip_before);
    extrapolation_begin(&n->counters, &n->chip_before);
    record(g, n->recorded);
    cut_warps(g, false);
    for (size_t i = 0; i < n->n; i++) {
        const sampler_t *s = &n->samplers[i];
        if (s->ops->launch_open != NULL)
            RB_TRY(s->ops->launch_open(s, &n->launch, err));
    }
    if (inside_done(n))
        record(g, 0);
    return RB_OK;
}

rb_code_t sampler_survey(const sampler_launch_t *l, uint64_t blocks_per_bin, uint64_t until,
                         const shadow_t **out, rb_err_t *err)
{
    inside_t *n = l->of;
    for (size_t i = 0; i < n->n_surveys; i++) {
        *out = n->survey[i];
        if ((*out)->blocks_per_bin == blocks_per_bin)
            return shadow_go(n->survey[i], until, err);
    }
    rb_grow(&n->survey, &n->cap_surveys, n->n_surveys + 1, sizeof(*n->survey));
    shadow_t *s = rb_calloc(1, sizeof(*s));
    n->survey[n->n_surveys++] = s;
    *out = s;
    RB_TRY(shadow_begin(s, n->chip, l->source, l->position, blocks_per_bin, err));
    return shadow_go(s, until, err);
}

/* Sorts the records of one kind from all SMs by (cycle, SM, sequence). Each SM's are in order
 * already, so a counting sort by cycle, SM after SM, is enough. An event before the interval's end
 * may retire something in the first cycle after it. */
static void sort_records(inside_t *n, const gpu_t *g, retired_kind_t kind, cycle_t from,
                         interval_records_t *out)
{
    const size_t buckets = (size_t)g->spec.sampling.interval + 2;
    size_t total = 0, count;
    memset(n->bucket, 0, buckets * sizeof(*n->bucket));
    for (uint32_t i = 0; i < g->n_sms; i++) {
        const retired_t *r = sm_retired(g->sm[i], kind, &count);
        for (size_t k = 0; k < count; k++)
            n->bucket[r[k].retire - from]++;
        total += count;
    }
    rb_grow(&n->sorted[kind], &n->cap[kind], total, sizeof(retired_t));
    for (size_t b = 0, at = 0; b < buckets; b++) {
        size_t here = n->bucket[b];
        n->bucket[b] = at;
        at += here;
    }
    for (uint32_t i = 0; i < g->n_sms; i++) {
        const retired_t *r = sm_retired(g->sm[i], kind, &count);
        for (size_t k = 0; k < count; k++) {
            retired_t *to = &n->sorted[kind][n->bucket[r[k].retire - from]++];
            *to = r[k];
            to->start -= n->start;
            to->retire -= n->start;
        }
    }
    out->retired[kind].list = n->sorted[kind];
    out->retired[kind].n = total;
}

static rb_code_t begin_forward(inside_t *n, gpu_t *g, const sampler_t *s, const fast_forward_t *f,
                               cycle_t now, rb_err_t *err)
{
    const block_scheduler_t *b = &g->scheduler;
    gpu_counters_t counters;
    gpu_count(g, now, &counters);
    extrapolation_stop(&n->counters, &counters, f->residents == RESIDENTS_CUT);
    n->active = s;
    n->forward = *f;
    if (n->forward.until > n->info.n_blocks)
        n->forward.until = n->info.n_blocks;
    n->since = now - n->start;
    n->skipped_before = b->skipped;
    if (!n->note.estimated) {
        n->note.estimated = true;
        snprintf(n->note.sampler, sizeof(n->note.sampler), "%s", s->ops->name);
        n->note.cycle = n->since;
        n->note.block = b->next;
        memcpy(n->note.evidence, f->evidence, sizeof(n->note.evidence));
    } else {
        const size_t used = strlen(n->note.evidence);
        if (f->evidence[0] != '\0')
            snprintf(n->note.evidence + used, sizeof(n->note.evidence) - used, "; %s", f->evidence);
        n->several |= strcmp(n->note.sampler, s->ops->name) != 0;
    }
    if (f->warp_insts > 0)
        n->warp_insts = f->warp_insts;
    if (f->model == FORWARD_HOLD_SLOT && inside_decided(n)) {
        n->skipped_in_forwards += block_scheduler_pass(&g->scheduler, f->pass);
        n->added += f->pass_cycles;
    }
    if (f->residents != RESIDENTS_DRAIN && f->model == FORWARD_HOLD_SLOT)
        block_scheduler_predict_residents(&g->scheduler, now);
    if (f->residents != RESIDENTS_DRAIN && f->model == FORWARD_REGION_IPC && inside_decided(n)) {
        n->cut = true;
        n->cut_at = n->since;
    }
    if (f->residents == RESIDENTS_CUT && inside_decided(n))
        cut_warps(g, true);
    if (inside_decided(n))
        record(g, 0);
    n->read_blocks = 0;
    if (f->warm == 0 || f->model != FORWARD_REGION_IPC) {
        n->cold = true;
        return RB_OK;
    }
    uint64_t from = n->forward.until > f->warm ? n->forward.until - f->warm : 0;
    if (from < b->next)
        from = b->next;
    RB_TRY(gpu_warm_blocks(g, n->launch.source, n->launch.position, from, n->forward.until,
                           &n->read, err));
    n->warmed += n->read.taken;
    n->read_blocks = (double)(n->forward.until - from);
    return RB_OK;
}

/* Warp instructions per block, as far as known. */
static double insts_per_block(const inside_t *n, const gpu_t *g)
{
    if (n->warp_insts > 0)
        return n->warp_insts / (double)n->info.n_blocks;
    const double simulated = (double)(gpu_warp_insts(g) - n->insts_before);
    return g->scheduler.done == 0 ? 0 : simulated / (double)g->scheduler.done;
}

/* How many skipped blocks of the fast-forward each block stands for that was read. */
static double left_per_read(const inside_t *n, uint64_t skipped)
{
    return n->read_blocks > 0 ? (double)skipped / n->read_blocks : 0;
}

/* Ends a fast-forward: the block after it was dispatched, or the launch has ended. Returns how many
 * blocks it left out. */
static uint64_t end_forward(inside_t *n, const gpu_t *g)
{
    const block_scheduler_t *b = &g->scheduler;
    const sampler_t *s = n->active;
    const uint64_t skipped = b->skipped - n->skipped_before;
    if (n->forward.model == FORWARD_REGION_IPC) {
        const double each = left_per_read(n, skipped);
        const left_moves_t moves = {
            .then = each * (double)(n->read.filled + n->read.written_back),
            .later = each * (double)(n->read.filled + n->read.modified),
        };
        double cycles = s->ops->fast_forward_end(s, skipped, &moves);
        n->added += cycles > 0 ? cycles : 0;
        n->skipped_in_forwards += skipped;
    }
    n->active = NULL;
    return skipped;
}

static void resume(inside_t *n, gpu_t *g, cycle_t now)
{
    const uint64_t skipped = end_forward(n, g);
    const double each = left_per_read(n, skipped);
    const part_moved_t moved = {.read = each * (double)n->read.filled,
                                .written = each * (double)n->read.written_back};
    gpu_counters_t counters;
    gpu_count(g, now, &counters);
    extrapolation_resume(&n->counters, &counters, (double)skipped * insts_per_block(n, g),
                         each > 0 ? &moved : NULL);
}

static void sum_latencies(inside_t *n, const gpu_t *g)
{
    memset(n->latencies, 0, sizeof(n->latencies));
    for (uint32_t i = 0; i < g->n_sms; i++) {
        const latency_sum_t *of = sm_latencies(g->sm[i]);
        for (unsigned c = 0; c < OP_CLASS_COUNT; c++) {
            n->latencies[c].n += of[c].n;
            n->latencies[c].cycles += of[c].cycles;
        }
    }
}

static rb_code_t check_samplers(const inside_t *n, rb_err_t *err)
{
    for (size_t i = 0; i < n->n; i++) {
        const sampler_t *s = &n->samplers[i];
        if (s->ops->check != NULL)
            RB_TRY(s->ops->check(s, err));
    }
    return RB_OK;
}

void sampler_counters(const interval_records_t *r, gpu_counters_t *out)
{
    gpu_counters_t now;
    gpu_count(r->of->chip, r->of->start + r->cycle, &now);
    stats_sub((uint64_t *)out, (const uint64_t *)&now, (const uint64_t *)&r->of->chip_before,
              GPU_COUNTERS);
}

rb_code_t inside_interval(inside_t *n, gpu_t *g, cycle_t now, rb_err_t *err)
{
    const block_scheduler_t *b = &g->scheduler;
    if (n->active != NULL && b->next > n->forward.until)
        resume(n, g, now);
    if (n->active != NULL) {
        clear_records(g);
        return RB_OK;
    }
    interval_records_t records = {.cycle = now - n->start,
                                  .warp_insts = gpu_warp_insts(g) - n->insts_before,
                                  .blocks_done = b->done,
                                  .next_block = b->next,
                                  .resident = b->dispatched - b->done,
                                  .oldest = block_scheduler_oldest(b),
                                  .latencies = n->latencies,
                                  .of = n};
    note_memory(n, g, &records);
    for (unsigned kind = 0; kind < RETIRED_KINDS; kind++)
        sort_records(n, g, (retired_kind_t)kind, now - g->spec.sampling.interval, &records);
    if (n->recorded & retired_bit(RETIRED_BASIC_BLOCK))
        sum_latencies(n, g);
    for (size_t i = 0; i < n->n && n->active == NULL; i++) {
        const sampler_t *s = &n->samplers[i];
        fast_forward_t f = {0};
        if (s->ops->interval_end != NULL && s->ops->interval_end(s, &records, &f))
            RB_TRY(begin_forward(n, g, s, &f, now, err));
    }
    clear_records(g);
    if (inside_done(n))
        record(g, 0);
    return check_samplers(n, err);
}

bool inside_is_cold(const inside_t *n)
{
    const block_scheduler_t *b = &n->chip->scheduler;
    return n->cold || b->skipped > n->skipped_in_forwards;
}

rb_code_t inside_finish(inside_t *n, gpu_t *g, launch_result_t *r, rb_err_t *err)
{
    if (n->active != NULL)
        end_forward(n, g);
    for (size_t i = 0; i < n->n; i++) {
        const sampler_t *s = &n->samplers[i];
        if (s->ops->launch_added != NULL)
            n->added += s->ops->launch_added(s, r->end - r->start, r->warp_insts);
    }
    RB_TRY(check_samplers(n, err));
    return inside_result(n, r, err);
}
