#include "sim/gpu/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/msg.h"
#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/known_counts.h"

void inside_init(inside_t *n, const gpu_spec_t *spec, const sampler_t *samplers, size_t n_samplers)
{
    memset(n, 0, sizeof(*n));
    n->samplers = samplers;
    n->n = n_samplers;
    for (size_t i = 0; i < n->n; i++)
        n->recorded |= samplers[i].ops->retired;
    n->bucket = rb_calloc((size_t)spec->sampling.interval + 2, sizeof(*n->bucket));
}

void inside_free(inside_t *n)
{
    for (unsigned kind = 0; kind < RETIRED_KINDS; kind++)
        free(n->sorted[kind]);
    free(n->bucket);
    memset(n, 0, sizeof(*n));
}

static uint64_t warp_insts(const gpu_t *g)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->n_sms; i++)
        sum += sm_stats(g->sm[i])->warp_insts;
    return sum;
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
                                   .chip = g};
    n->start = start;
    n->active = NULL;
    n->note = (launch_sampling_t){0};
    n->added = 0;
    n->skipped_in_forwards = 0;
    n->warmed = 0;
    n->cut = false;
    n->warp_insts = 0;
    n->has_counts = g->run.source->ops->launch_counts != NULL;
    if (n->has_counts)
        RB_TRY(g->run.source->ops->launch_counts(g->run.source, position, &n->counts, err));
    n->insts_before = warp_insts(g);
    n->before = memory_work(g);
    gpu_counters_t counters;
    gpu_count(g, start, &counters);
    extrapolation_begin(&n->counters, &counters);
    record(g, n->recorded);
    cut_warps(g, false);
    for (size_t i = 0; i < n->n; i++) {
        const sampler_t *s = &n->samplers[i];
        if (s->ops->launch_open != NULL)
            RB_TRY(s->ops->launch_open(s, &n->launch, err));
    }
    return RB_OK;
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
        snprintf(n->note.evidence + used, sizeof(n->note.evidence) - used, "; %s", f->evidence);
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
    if (f->warm == 0 || f->model != FORWARD_REGION_IPC)
        return RB_OK;
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
    const double simulated = (double)(warp_insts(g) - n->insts_before);
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
                                  .warp_insts = warp_insts(g) - n->insts_before,
                                  .blocks_done = b->done,
                                  .next_block = b->next,
                                  .resident = b->dispatched - b->done,
                                  .oldest = block_scheduler_oldest(b),
                                  .latencies = n->latencies};
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
    return check_samplers(n, err);
}

/* Makes the warp states of the whole launch sum to slots x cycles. The states of warps are those of
 * the simulated blocks, scaled; the rest is time without a warp. */
static void fit_states(launch_result_t *r)
{
    uint64_t *state = (uint64_t *)&r->sm, busy = 0;
    for (unsigned i = STATE_NO_WARP + 1; i < STATE_COUNT; i++)
        busy += state[i];
    state[STATE_NO_WARP] = r->warp_slot_cycles - busy;
}

/* Cycles of the whole launch, estimated from the simulated part. */
static cycle_t whole_cycles(const inside_t *n, const gpu_t *g, const launch_result_t *r,
                            uint64_t blocks)
{
    const block_scheduler_t *b = &g->scheduler;
    cycle_t counted = n->cut ? n->cut_at : r->end - r->start;
    double cycles = (double)counted + n->added;
    uint64_t left_out = b->skipped - n->skipped_in_forwards; /* not in fast-forwards */
    if (left_out > 0 && cycles > (double)r->launch_cycles)
        cycles = (double)r->launch_cycles +
                 (cycles - (double)r->launch_cycles) * (double)blocks / (double)(blocks - left_out);
    const uint64_t insts = n->has_counts ? n->counts.warp_insts : r->warp_insts;
    const cycle_t least = r->launch_cycles + known_counts_least_cycles(&g->spec, insts);
    return cycle_max((cycle_t)llround(cycles), least);
}

/* The first block that was left out without a fast-forward, and the sampler that left it out. NULL:
 * none admits it now, which is a sampler's error. */
static const sampler_t *find_left_out(const inside_t *n, uint64_t *block)
{
    cycle_t ignored;
    for (*block = 0; *block < n->info.n_blocks; ++*block) {
        for (size_t i = 0; i < n->n; i++) {
            const sampler_t *s = &n->samplers[i];
            if (s->ops->block_dispatch != NULL &&
                s->ops->block_dispatch(s, *block, &ignored) != BLOCK_SIMULATE)
                return s;
        }
    }
    return NULL;
}

/* How many samplers may stop a launch, and the first of them; NULL: none. */
static size_t count_named(const inside_t *n, const sampler_t **first)
{
    size_t named = 0;
    *first = NULL;
    for (size_t i = 0; i < n->n; i++) {
        if (n->samplers[i].ops->name != NULL && named++ == 0)
            *first = &n->samplers[i];
    }
    return named;
}

/* Collects the verdicts of the samplers on a launch that they did not stop. */
static void collect_verdicts(const inside_t *n, bool several, launch_sampling_t *note)
{
    size_t used = 0;
    for (size_t i = 0; i < n->n; i++) {
        const sampler_t *s = &n->samplers[i];
        char text[SAMPLER_EVIDENCE_MAX] = "";
        if (s->ops->launch_verdict == NULL)
            continue;
        s->ops->launch_verdict(s, text);
        if (text[0] == '\0' || used >= sizeof(note->evidence))
            continue;
        used += (size_t)snprintf(note->evidence + used, sizeof(note->evidence) - used,
                                 several ? "%s%s: %s" : "%s%.0s%s", used > 0 ? "; " : "",
                                 s->ops->name, text);
    }
}

/* Notes which sampler decided, and why. */
static rb_code_t fill_note(inside_t *n, const launch_result_t *r, uint64_t blocks, rb_err_t *err)
{
    launch_sampling_t *note = &n->note;
    const sampler_t *of;
    if (note->estimated)
        return RB_OK;
    const bool several = count_named(n, &of) > 1;
    note->estimated = blocks > r->blocks;
    if (note->estimated)
        of = find_left_out(n, &note->block);
    if (note->estimated && of == NULL)
        return rb_fail(err, RB_USAGE,
                       "launch %llu: a sampler left out blocks that it now wants to be simulated",
                       (unsigned long long)n->info.id);
    snprintf(note->sampler, sizeof(note->sampler), "%s", of == NULL ? "" : of->ops->name);
    collect_verdicts(n, several, note);
    return RB_OK;
}

rb_code_t inside_finish(inside_t *n, gpu_t *g, launch_result_t *r, rb_err_t *err)
{
    const block_scheduler_t *b = &g->scheduler;
    if (n->active != NULL)
        end_forward(n, g);
    for (size_t i = 0; i < n->n; i++) {
        const sampler_t *s = &n->samplers[i];
        if (s->ops->launch_added != NULL)
            n->added += s->ops->launch_added(s, r->end - r->start, r->warp_insts);
    }
    launch_sampling_t *note = &n->note;
    note->simulated_blocks = r->blocks;
    note->simulated_cycles = b->quiet - r->start;
    note->simulated_warp_insts = r->warp_insts;
    const uint64_t blocks = r->blocks + b->held + b->skipped;
    RB_TRY(check_samplers(n, err));
    RB_TRY(fill_note(n, r, blocks, err));
    if (r->blocks == 0 && blocks > 0)
        return rb_fail(err, RB_USAGE,
                       "launch %llu: %s left out every block: at least one must be simulated",
                       (unsigned long long)n->info.id, note->sampler);
    r->sampling = *note;
    if (!note->estimated)
        return RB_OK;
    const double by_blocks = r->blocks == 0 ? 0 : (double)blocks / (double)r->blocks;
    const double insts = n->has_counts       ? (double)n->counts.warp_insts
                         : n->warp_insts > 0 ? n->warp_insts
                                             : by_blocks * (double)r->warp_insts;
    const uint64_t warps = (uint64_t)llround((double)r->sm.warps * by_blocks);
    r->end = r->start + whole_cycles(n, g, r, blocks);
    r->warp_slot_cycles = (uint64_t)g->n_sms * g->spec.sm.sm.max_warps * launch_result_cycles(r);
    r->blocks = n->has_counts ? n->counts.blocks : blocks;
    gpu_counters_t counters = {.sm = r->sm, .l2 = r->l2, .dram = r->dram};
    const double l2_sectors = (double)g->spec.mem.l2.size / SECTOR_BYTES;
    const l2_room_t room = {l2_sectors, l2_sectors * g->spec.mem.l2.modified_share};
    extrapolation_finish(&n->counters, &counters, insts, &room);
    if (n->has_counts)
        known_counts_set(&counters, &g->spec, &n->counts);
    else
        counters.sm.blocks = blocks; /* counted at their start, so some were not simulated
                                      * completely */
    known_counts_limit(&counters, &g->spec, launch_result_cycles(r) - r->launch_cycles);
    r->sm = counters.sm;
    r->l2 = counters.l2;
    r->dram = counters.dram;
    r->sm.warps = warps;
    fit_states(r);
    r->warp_insts = r->sm.warp_insts;
    r->thread_insts = r->sm.thread_insts;
    return RB_OK;
}
