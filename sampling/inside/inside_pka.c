/*
 * pka_stop: Principal Kernel Projection (PKA, MICRO 2021). When the IPC is stable and a full wave
 * of blocks is done, the simulation stops and the rest is projected linearly.
 *
 * Three detectors have this name; variant selects one, and each of its parts can be set:
 *   paper     IPC of each 1000 cycles over the last 3000, its deviation below 0.25, and as many
 *             blocks done as the chip holds (no such condition for a smaller grid); cycles so far
 *             x blocks / blocks done
 *   artifact  the published code: IPC since the launch began, six points of 500 cycles, deviation
 *             below 0.25 % of the mean; a smaller grid must have done 0.3 of it; cycles so far x
 *             blocks / (blocks done + 1)
 *   photon    the comparison in Photon's code: IPC over the last 3000 cycles, deviation below 25 %
 *             of the mean, no condition on blocks; instructions left / mean IPC
 *
 * The papers do not say how many cycles a point of the series covers. Photon's code uses single
 * cycles, with which nothing would ever be stable here. A point covers the whole number of
 * intervals (sampling.interval) nearest to step.
 *
 * The projection excludes the launch latency. The blocks on SMs at the stop are simulated to their
 * end, but that time does not count, because the projection covers them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sampling/inside/guard.h"
#include "sampling/inside/inside_table.h"
#include "sampling/inside/read_ahead.h"
#include "sim/core/alloc.h"

enum { PKA_PAPER, PKA_ARTIFACT, PKA_PHOTON };
static const param_choice_t variant_choices[] = {
    {"paper", NULL}, {"artifact", NULL}, {"photon", NULL}, {NULL, NULL}};

/* "variant" is replaced by what the variant has (pka_presets). */
enum { SERIES_CUMULATIVE = 2 };
static const param_choice_t series_choices[] = {
    {"variant", NULL}, {"window", NULL}, {"cumulative", NULL}, {NULL, NULL}};
enum { UNIT_RELATIVE = 2, UNIT_PERCENT };
static const param_choice_t unit_choices[] = {
    {"variant", NULL}, {"ipc", NULL}, {"relative", NULL}, {"percent", NULL}, {NULL, NULL}};
enum { RULE_THIRD = 2, RULE_NONE };
static const param_choice_t rule_choices[] = {
    {"variant", NULL}, {"wave", NULL}, {"third", NULL}, {"none", NULL}, {NULL, NULL}};

#define PKA_STOP_OPTIONS(P, E, T)                                                                  \
    E(variant, variant_choices, "paper",                                                           \
      "the detector: as in the paper, or as in one of two published codes")                        \
    E(series, series_choices, "variant", "IPC of each step, or since the launch began")            \
    P(U32, step, "0", 0, 1e9, "cycles", "cycles per point of the series; 0: as the variant")       \
    P(U32, window, "3000", 2, 1e9, "cycles",                                                       \
      "length of the part of the series that must be stable")                                      \
    P(F64, limit, "0.25", 0, 1e9, "", "the series is stable below this deviation")                 \
    E(unit, unit_choices, "variant",                                                               \
      "unit of the deviation: IPC, share of the mean, or percent of the mean")                     \
    E(rule, rule_choices, "variant",                                                               \
      "blocks that must be done: a wave; a wave, or 0.3 of a smaller grid; or any number")         \
    P(F64, sample, "1", 0, 1, "",                                                                  \
      "photon: share of the blocks that is read ahead to count instructions")                      \
    GUARD_OPTIONS(P, E, T, "false")

PARAM_STRUCT(pka_stop_options_t, PKA_STOP_OPTIONS);
#define PARAM_SPEC_ pka_stop_options_t
static const param_t pka_rows[] = {PARAM_ROWS(PKA_STOP_OPTIONS)};
#undef PARAM_SPEC_
static const param_preset_t pka_presets[] = {
    {"paper", "series", "window", "IPC of the last 3000 cycles"},
    {"paper", "step", "1000", "not stated"},
    {"paper", "unit", "ipc", "deviation below s = 0.25"},
    {"paper", "rule", "wave", "a full wave of blocks is done"},
    {"artifact", "series", "cumulative", "cycles_rolling_mean_method_with_ctas"},
    {"artifact", "step", "500", "cycles_rolling_mean_method_with_ctas"},
    {"artifact", "unit", "percent", "cycles_rolling_mean_method_with_ctas"},
    {"artifact", "rule", "third", "cycles_rolling_mean_method_with_ctas"},
    {"photon", "series", "window", "ipctracer.go"},
    {"photon", "step", "1000", "ipctracer.go has single cycles, with which nothing is stable here"},
    {"photon", "unit", "relative", "ipctracer.go"},
    {"photon", "rule", "none", "ipctracer.go"},
    {0}};
static const param_group_t pka_group = PARAM_GROUP_VARIANTS(
    "pka_stop", "Principal Kernel Projection", pka_stop_options_t, pka_rows, pka_presets);

enum { SAMPLE_LEAST = 16 }; /* minimum number of blocks to read ahead */

typedef struct {
    pka_stop_options_t options;
    double *point;   /* owned; ring */
    size_t n_points; /* size of the ring */
    uint64_t n;      /* points since the launch began */
    uint64_t blocks, slots, latency;
    double all_insts;         /* instructions of the launch, in variant photon */
    cycle_t step, next_point; /* cycles per point; end of the next point */
    cycle_t last_cycle;
    uint64_t last_insts;
    double added; /* projected cycles */
    double mean, deviation;
    guard_t guard;
} pka_state_t;

static void *pka_create(const inside_method_t *method, const void *options, uint64_t seed,
                        rb_err_t *err)
{
    pka_state_t *s = rb_calloc(1, sizeof(*s));
    (void)method;
    (void)err;
    (void)seed;
    s->options = *(const pka_stop_options_t *)options;
    return s;
}

static void pka_destroy(void *state)
{
    pka_state_t *s = state;
    free(s->point);
    free(s);
}

static rb_code_t pka_open(const sampler_t *sampler, const sampler_launch_t *l, rb_err_t *err)
{
    pka_state_t *s = sampler->state;
    const uint32_t interval = l->spec->sampling.interval;
    /* A point covers the whole number of intervals that is nearest to the step. */
    uint32_t apart = (s->options.step + interval / 2) / interval;
    s->step = (uint64_t)(apart > 0 ? apart : 1) * interval;
    s->next_point = s->step;
    s->n_points = (size_t)((s->options.window + s->step / 2) / s->step);
    if (s->n_points < 2)
        s->n_points = 2;
    free(s->point);
    s->point = rb_calloc(s->n_points, sizeof(*s->point));
    s->n = 0;
    s->blocks = l->info->n_blocks;
    s->slots = l->slots;
    s->latency = l->spec->gpu.launch_latency;
    s->last_cycle = s->latency;
    s->last_insts = 0;
    if (s->options.variant == PKA_PHOTON) {
        read_ahead_t ahead;
        rb_code_t rc = read_ahead(l, s->options.sample, SAMPLE_LEAST, &ahead, err);
        s->all_insts = ahead.insts_per_block * (double)s->blocks;
        read_ahead_free(&ahead);
        RB_TRY(rc);
    }
    return guard_open(&s->guard, l, s->options.check, s->options.alike, err);
}

static void add_point(pka_state_t *s, const interval_records_t *r)
{
    bool window = s->options.series != SERIES_CUMULATIVE;
    cycle_t from = window ? s->last_cycle : s->latency;
    uint64_t before = window ? s->last_insts : 0;
    s->point[s->n++ % s->n_points] = (double)(r->warp_insts - before) / (double)(r->cycle - from);
    s->last_cycle = r->cycle;
    s->last_insts = r->warp_insts;
}

static bool is_stable(pka_state_t *s)
{
    double sum = 0, square = 0;
    if (s->n < s->n_points)
        return false;
    for (size_t i = 0; i < s->n_points; i++)
        sum += s->point[i];
    s->mean = sum / (double)s->n_points;
    for (size_t i = 0; i < s->n_points; i++)
        square += (s->point[i] - s->mean) * (s->point[i] - s->mean);
    s->deviation = sqrt(square / (double)s->n_points);
    if (s->mean <= 0)
        return false;
    double scale = s->options.unit == UNIT_RELATIVE  ? 1 / s->mean
                   : s->options.unit == UNIT_PERCENT ? 100 / s->mean
                                                     : 1;
    return s->deviation * scale < s->options.limit;
}

static bool enough_blocks(const pka_state_t *s, uint64_t done)
{
    const bool small = s->blocks < s->slots;
    switch (s->options.rule) {
    case RULE_NONE:
        return true;
    case RULE_THIRD:
        return (double)done >= (small ? 0.3 * (double)s->blocks : (double)s->slots);
    default:
        return done >= (small ? 1 : s->slots);
    }
}

/* Projects the remaining cycles. */
static double project(const pka_state_t *s, const interval_records_t *r)
{
    const double elapsed = (double)(r->cycle - s->latency);
    if (s->options.variant == PKA_PHOTON)
        return (s->all_insts - (double)r->warp_insts) / s->mean;
    const uint64_t done = r->blocks_done + (s->options.variant == PKA_ARTIFACT);
    return elapsed * ((double)s->blocks / (double)done - 1);
}

static bool pka_interval(const sampler_t *sampler, const interval_records_t *r, fast_forward_t *out)
{
    pka_state_t *s = sampler->state;
    if (r->cycle < s->next_point)
        return false;
    s->next_point = r->cycle + s->step;
    if (r->warp_insts == 0 || r->cycle <= s->last_cycle)
        return false;
    add_point(s, r);
    const bool counts_blocks = s->options.variant == PKA_PAPER;
    if (r->next_block >= s->blocks || !is_stable(s) || !enough_blocks(s, r->blocks_done) ||
        (counts_blocks && r->blocks_done == 0))
        return false;
    if (!guard_allows_after(&s->guard, r, INFINITY, s->blocks))
        return false;
    s->added = project(s, r);
    *out = (fast_forward_t){
        .until = UINT64_MAX, .model = FORWARD_REGION_IPC, .residents = RESIDENTS_PREDICT};
    snprintf(out->evidence, sizeof(out->evidence),
             "%s IPC %.4g with deviation %.3g over %zu points, %" PRIu64 " of %" PRIu64
             " blocks done",
             series_choices[s->options.series].name, s->mean, s->deviation, s->n_points,
             r->blocks_done, s->blocks);
    guard_tell(&s->guard, out->evidence);
    return true;
}

static double pka_end(const sampler_t *sampler, uint64_t skipped, const left_moves_t *moves)
{
    const pka_state_t *s = sampler->state;
    (void)skipped;
    (void)moves;
    return s->added;
}

static void pka_verdict(const sampler_t *sampler, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const pka_state_t *s = sampler->state;
    if (s->n < s->n_points)
        snprintf(evidence, SAMPLER_EVIDENCE_MAX, "too short for %zu points of IPC", s->n_points);
    else
        snprintf(evidence, SAMPLER_EVIDENCE_MAX,
                 "never stable with blocks left: at the end IPC %.4g with deviation %.3g", s->mean,
                 s->deviation);
    if (s->guard.refused)
        guard_tell(&s->guard, evidence);
}

static const sampler_ops_t pka_ops = {
    .name = "pka_stop",
    .launch_open = pka_open,
    .interval_end = pka_interval,
    .fast_forward_end = pka_end,
    .launch_verdict = pka_verdict,
};

const inside_method_t inside_pka_stop = {
    .help = "PKA's projection: stops when the IPC is stable and a wave of blocks is done",
    .options = &pka_group,
    .ops = &pka_ops,
    .fixed = true,
    .create = pka_create,
    .destroy = pka_destroy,
};
