/*
 * units: baselines that simulate some units of a launch in detail (TBPoint, IPDPS 2014, compares
 * itself with them). A unit is a number of instructions, in the order in which blocks are
 * dispatched.
 *
 *   systematic  every k-th unit, starting with a random one
 *   random      units drawn at random
 *   simpoint    Ideal-SimPoint: clusters of units with similar basic-block vectors over all their
 *               warps; the first unit of each cluster. The Bayesian criterion chooses the number of
 *               clusters
 *
 * Units that are not chosen take the time of their instructions at the rate of the chosen ones (of
 * their cluster). A rate is measured from the end of the first interval in which a block of the
 * unit was dispatched until the chip has issued as many instructions as the unit has and blocks of
 * the next unit are dispatched. It therefore includes the rest of the blocks before, and the
 * warm-up of caches after skipped blocks; there is no correction for that. Until then no block is
 * skipped, so that the unit does not end on an emptying chip. Blocks on SMs when units are skipped
 * are simulated to their end, and that time counts.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sampling/inside/inside_table.h"
#include "sampling/inside/inst_units.h"
#include "sim/core/alloc.h"

static const param_choice_t which_choices[] = {
    {"systematic", NULL}, {"random", NULL}, {"simpoint", NULL}, {NULL, NULL}};

#define UNITS_OPTIONS(P, E, T)                                                                     \
    E(which, which_choices, "systematic", "how units are chosen")                                  \
    P(U64, size, "1000000", 1, 1e12, "warp instructions", "length of a unit")                      \
    P(F64, share, "0.1", 0, 1, "", "systematic, random: share of the units to simulate")           \
    P(U32, clusters, "10", 1, 1000, "", "simpoint: maximum number of clusters")                    \
    P(F64, bic, "0.9", 0, 1, "",                                                                   \
      "simpoint: the fewest clusters whose criterion reaches this share from worst to best")       \
    P(U32, dimensions, "15", 1, 1000, "",                                                          \
      "simpoint: dimensions of the projected basic-block vectors")

PARAM_STRUCT(units_options_t, UNITS_OPTIONS);
#define PARAM_SPEC_ units_options_t
static const param_t units_rows[] = {PARAM_ROWS(UNITS_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t units_group =
    PARAM_GROUP("units", "units of instructions", units_options_t, units_rows);

/* The units that share one rate. */
typedef struct {
    double insts, cycles; /* measured */
    double left_out;      /* instructions skipped */
} stratum_t;

typedef struct {
    units_options_t options;
    uint64_t seed;
    inst_units_t units;
    stratum_t *strata; /* owned: one per cluster */
    bool measuring;
    size_t unit;         /* the unit being measured */
    double cycle, insts; /* at the start of the measurement */
    uint64_t first;      /* first skipped block */
    double latency;      /* launch latency; belongs to no unit */
} units_state_t;

static void *units_create(const inside_method_t *method, const void *options, uint64_t seed,
                          rb_err_t *err)
{
    units_state_t *s = rb_calloc(1, sizeof(*s));
    (void)method;
    (void)err;
    s->options = *(const units_options_t *)options;
    s->seed = seed;
    return s;
}

static void units_destroy(void *state)
{
    units_state_t *s = state;
    inst_units_free(&s->units);
    free(s->strata);
    free(s);
}

static rb_code_t units_open(const sampler_t *sampler, const sampler_launch_t *l, rb_err_t *err)
{
    units_state_t *s = sampler->state;
    const units_options_t *o = &s->options;
    const units_rule_t rule = {.which = (units_which_t)o->which,
                               .size = o->size,
                               .share = o->share,
                               .clusters = o->clusters,
                               .bic = o->bic,
                               .dimensions = o->dimensions,
                               .seed = s->seed + l->info->id};
    inst_units_free(&s->units);
    free(s->strata);
    s->strata = NULL;
    RB_TRY(inst_units_make(&s->units, l, &rule, err));
    s->strata = rb_calloc(s->units.n_clusters, sizeof(*s->strata));
    s->measuring = false;
    s->latency = l->spec->gpu.launch_latency;
    return RB_OK;
}

static double insts_of(const units_state_t *s, size_t unit)
{
    const inst_unit_t *u = &s->units.list[unit];
    return (double)(block_insts_before(&s->units.insts, u->end) -
                    block_insts_before(&s->units.insts, u->first));
}

static void end_measuring(units_state_t *s, const interval_records_t *r)
{
    stratum_t *of = &s->strata[s->units.list[s->unit].cluster];
    of->insts += (double)r->warp_insts - s->insts;
    of->cycles += (double)r->cycle - s->cycle;
    s->measuring = false;
}

static void begin_measuring(units_state_t *s, const interval_records_t *r, size_t unit)
{
    s->measuring = true;
    s->unit = unit;
    s->cycle = (double)r->cycle;
    s->insts = (double)r->warp_insts;
}

/* First block of the next chosen unit, starting with `unit`; UINT64_MAX: there is none. */
static uint64_t next_chosen(const units_state_t *s, size_t unit)
{
    while (unit < s->units.n && !s->units.list[unit].chosen)
        unit++;
    return unit < s->units.n ? s->units.list[unit].first : UINT64_MAX;
}

static bool units_interval(const sampler_t *sampler, const interval_records_t *r,
                           fast_forward_t *out)
{
    units_state_t *s = sampler->state;
    const uint64_t blocks = s->units.insts.blocks;
    const bool more = r->next_block < blocks;
    const size_t unit = more ? inst_units_find(&s->units, r->next_block) : s->units.n;
    if (s->measuring && unit != s->unit && (double)r->warp_insts - s->insts >= insts_of(s, s->unit))
        end_measuring(s, r);
    if (!more)
        return false;
    if (!s->measuring && s->units.list[unit].chosen && r->next_block > 0)
        begin_measuring(s, r, unit);
    if (s->measuring || s->units.list[unit].chosen)
        return false;
    s->first = r->next_block;
    *out = (fast_forward_t){.until = next_chosen(s, unit),
                            .model = FORWARD_REGION_IPC,
                            .residents = RESIDENTS_DRAIN,
                            .warp_insts = (double)block_insts_before(&s->units.insts, blocks)};
    snprintf(out->evidence, sizeof(out->evidence),
             "%zu of %zu units of %" PRIu64 " warp instructions, %s, in %zu cluster%s",
             s->units.n_chosen, s->units.n, s->options.size, which_choices[s->options.which].name,
             s->units.n_clusters, s->units.n_clusters == 1 ? "" : "s");
    return true;
}

/* The rates are known only at the end of the launch: notes what was skipped. */
static double units_end(const sampler_t *sampler, uint64_t skipped, const left_moves_t *moves)
{
    units_state_t *s = sampler->state;
    (void)moves;
    for (uint64_t at = s->first, end; at < s->first + skipped; at = end) {
        const inst_unit_t *unit = &s->units.list[inst_units_find(&s->units, at)];
        end = unit->end < s->first + skipped ? unit->end : s->first + skipped;
        s->strata[unit->cluster].left_out += (double)(block_insts_before(&s->units.insts, end) -
                                                      block_insts_before(&s->units.insts, at));
    }
    return 0;
}

static double units_added(const sampler_t *sampler, cycle_t cycles, uint64_t warp_insts)
{
    const units_state_t *s = sampler->state;
    /* A unit shorter than an interval may not have been measured; then the average of everything
     * simulated is used. */
    const double busy = fmax((double)cycles - s->latency, 0);
    const double overall = warp_insts == 0 ? 0 : busy / (double)warp_insts;
    double added = 0;
    for (size_t c = 0; c < s->units.n_clusters; c++) {
        const stratum_t *of = &s->strata[c];
        added += of->left_out * (of->insts > 0 ? of->cycles / of->insts : overall);
    }
    return added;
}

static void units_verdict(const sampler_t *sampler, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const units_state_t *s = sampler->state;
    snprintf(evidence, SAMPLER_EVIDENCE_MAX, "all %zu units of %" PRIu64 " warp instructions",
             s->units.n, s->options.size);
}

static const sampler_ops_t units_ops = {
    .name = "units",
    .launch_open = units_open,
    .interval_end = units_interval,
    .fast_forward_end = units_end,
    .launch_added = units_added,
    .launch_verdict = units_verdict,
};

const inside_method_t inside_units = {
    .help = "baseline: some units of a million instructions, systematic, random or by SimPoint",
    .options = &units_group,
    .ops = &units_ops,
    .index = true,
    .create = units_create,
    .destroy = units_destroy,
};
