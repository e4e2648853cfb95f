/* The result of a launch of which samplers left out a part. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/core/engine/msg.h"
#include "sim/gpu/gpu_internal.h"
#include "sim/gpu/sampled/known_counts.h"

/* Makes the warp states of the whole launch sum to slots x cycles. The states of warps are those of
 * the simulated blocks, scaled; the rest is time without a warp. */
static void fit_states(sm_stats_t *sm, uint64_t warp_slot_cycles)
{
    uint64_t *state = (uint64_t *)sm, busy = 0;
    for (unsigned i = STATE_NO_WARP + 1; i < STATE_COUNT; i++)
        busy += state[i];
    state[STATE_NO_WARP] = warp_slot_cycles - busy;
}

/* Cycles of the whole launch, estimated from the simulated part. */
static double whole_cycles(const inside_t *n, const launch_result_t *r, uint64_t blocks)
{
    const block_scheduler_t *b = &n->chip->scheduler;
    cycle_t counted = n->cut ? n->cut_at : r->end - r->start;
    double cycles = (double)counted + n->added;
    uint64_t left_out = b->skipped - n->skipped_in_forwards; /* not in fast-forwards */
    if (left_out > 0 && cycles > (double)r->launch_cycles)
        cycles = (double)r->launch_cycles +
                 (cycles - (double)r->launch_cycles) * (double)blocks / (double)(blocks - left_out);
    return cycles;
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

/* A launch of which a part was left out, while its result is made. */
typedef struct {
    const inside_t *of;
    uint64_t blocks, warps, launch_cycles;
} whole_t;

static uint64_t slot_cycles(const gpu_t *g, uint64_t cycles)
{
    return (uint64_t)g->n_sms * g->spec.sm.sm.max_warps * cycles;
}

/* Sets what is known in the counters of a launch that takes this many cycles, and corrects what is
 * impossible. */
static void correct(const whole_t *w, gpu_counters_t *c, uint64_t cycles)
{
    const inside_t *n = w->of;
    const gpu_spec_t *spec = &n->chip->spec;
    if (n->has_counts)
        known_counts_set(c, spec, &n->counts);
    else
        c->sm.blocks = w->blocks; /* counted at their start, so some were not simulated
                                   * completely */
    known_counts_limit(c, spec, cycles - w->launch_cycles);
    c->sm.warps = w->warps;
    fit_states(&c->sm, slot_cycles(n->chip, cycles));
}

static void to_estimate(const gpu_counters_t *c, double cycles, launch_estimate_t *out)
{
    out->cycles = cycles;
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        out->counter[i] = (double)((const uint64_t *)c)[i];
}

static void to_counters(const launch_estimate_t *e, gpu_counters_t *out)
{
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        ((uint64_t *)out)[i] = (uint64_t)llround(fmax(e->counter[i], 0));
}

/* Cycles that the launch takes at least. */
static cycle_t least_cycles(const whole_t *w, uint64_t simulated_insts)
{
    const inside_t *n = w->of;
    const uint64_t insts = n->has_counts ? n->counts.warp_insts : simulated_insts;
    return w->launch_cycles + known_counts_least_cycles(&n->chip->spec, insts);
}

/* Corrects the replicates in place. Counters without a known error stay so. */
static void correct_replicates(const whole_t *w, const sampler_replicates_t *all, cycle_t least)
{
    for (size_t i = 0; i < all->n; i++) {
        const launch_estimate_t given = all->list[i];
        gpu_counters_t c;
        to_counters(&all->list[i], &c);
        const double cycles = fmax(all->list[i].cycles, (double)least);
        correct(w, &c, (uint64_t)llround(cycles));
        to_estimate(&c, cycles, &all->list[i]);
        for (size_t k = 0; k < GPU_COUNTERS; k++)
            if (isnan(given.counter[k]))
                all->list[i].counter[k] = given.counter[k];
    }
}

/* The sampler that has its own estimate of the launch; NULL: none. */
static const sampler_t *find_estimator(const inside_t *n)
{
    const bool other = n->several || n->chip->scheduler.skipped + n->chip->scheduler.held == 0;
    for (size_t i = 0; i < n->n && !other; i++) {
        const sampler_ops_t *ops = n->samplers[i].ops;
        if (ops->launch_estimate != NULL && strcmp(ops->name, n->note.sampler) == 0)
            return &n->samplers[i];
    }
    return NULL;
}

/* Estimates the counters of the whole launch from those of the simulated part. */
static void extrapolate(inside_t *n, const launch_result_t *r, uint64_t blocks, gpu_counters_t *c)
{
    const double by_blocks = r->blocks == 0 ? 0 : (double)blocks / (double)r->blocks;
    const double insts = n->has_counts       ? (double)n->counts.warp_insts
                         : n->warp_insts > 0 ? n->warp_insts
                                             : by_blocks * (double)r->warp_insts;
    const double sectors = (double)n->chip->spec.mem.l2.size / SECTOR_BYTES;
    const l2_room_t room = {sectors, sectors * n->chip->spec.mem.l2.modified_share};
    extrapolation_finish(&n->counters, c, insts, &room);
}

/* The estimate of the whole launch, and its replicates, before they are corrected. */
static void estimate(inside_t *n, const launch_result_t *r, uint64_t blocks,
                     launch_estimate_t *whole, sampler_replicates_t *replicates)
{
    gpu_counters_t counters = {.sm = r->sm, .l2 = r->l2, .dram = r->dram};
    launch_estimate_t simulated;
    const sampler_t *s = find_estimator(n);
    to_estimate(&counters, (double)(r->end - r->start), &simulated);
    extrapolate(n, r, blocks, &counters);
    to_estimate(&counters, whole_cycles(n, r, blocks), whole);
    if (s != NULL)
        s->ops->launch_estimate(s, &simulated, whole, replicates, n->note.evidence);
}

rb_code_t inside_result(inside_t *n, launch_result_t *r, rb_err_t *err)
{
    const block_scheduler_t *b = &n->chip->scheduler;
    launch_sampling_t *note = &n->note;
    note->simulated_blocks = r->blocks;
    note->simulated_cycles = b->quiet - r->start;
    note->simulated_warp_insts = r->warp_insts;
    const uint64_t blocks = r->blocks + b->held + b->skipped;
    RB_TRY(fill_note(n, r, blocks, err));
    if (r->blocks == 0 && blocks > 0)
        return rb_fail(err, RB_USAGE,
                       "launch %llu: %s left out every block: at least one must be simulated",
                       (unsigned long long)n->info.id, note->sampler);
    r->sampling = *note;
    if (!note->estimated)
        return RB_OK;
    const double by_blocks = r->blocks == 0 ? 0 : (double)blocks / (double)r->blocks;
    const whole_t w = {.of = n,
                       .blocks = blocks,
                       .warps = (uint64_t)llround((double)r->sm.warps * by_blocks),
                       .launch_cycles = r->launch_cycles};
    launch_estimate_t whole;
    sampler_replicates_t replicates = {0};
    gpu_counters_t counters;
    const cycle_t least = least_cycles(&w, r->warp_insts);
    estimate(n, r, blocks, &whole, &replicates);
    r->sampling = *note;
    to_counters(&whole, &counters);
    r->end = r->start + cycle_max((cycle_t)llround(whole.cycles), least);
    r->warp_slot_cycles = slot_cycles(n->chip, launch_result_cycles(r));
    r->blocks = n->has_counts ? n->counts.blocks : blocks;
    correct(&w, &counters, launch_result_cycles(r));
    correct_replicates(&w, &replicates, least);
    r->replicates = (launch_replicates_t){replicates.n, replicates.list};
    r->sm = counters.sm;
    r->l2 = counters.l2;
    r->dram = counters.dram;
    r->warp_insts = r->sm.warp_insts;
    r->thread_insts = r->sm.thread_insts;
    return RB_OK;
}
