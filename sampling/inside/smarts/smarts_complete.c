/* The counters of a launch, and its replicates, from the units of smarts. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "sampling/inside/smarts/smarts_estimate.h"
#include "sampling/math/quantile.h"
#include "sim/core/alloc.h"
#include "sim/core/mix64.h"

#define SURVEY_AT(member) (offsetof(shadow_counts_t, member) / sizeof(uint64_t))

/* What the survey counts, too. */
typedef struct {
    size_t counter, survey; /* indices of 64-bit counts */
    bool direct;            /* L1s hardly change it, so that the survey's count is an estimate */
} counterpart_t;

static const counterpart_t counterparts[] = {
    {GPU_COUNTER_AT(l2.read_sectors), SURVEY_AT(read_sectors), false},
    {GPU_COUNTER_AT(l2.read_hits), SURVEY_AT(read_hits), false},
    {GPU_COUNTER_AT(l2.write_sectors), SURVEY_AT(write_sectors), true},
    {GPU_COUNTER_AT(l2.write_hits), SURVEY_AT(write_hits), false},
    {GPU_COUNTER_AT(l2.fills), SURVEY_AT(fills), true},
    {GPU_COUNTER_AT(l2.writebacks), SURVEY_AT(written_back), true},
    {GPU_COUNTER_AT(dram.read_sectors), SURVEY_AT(fills), true},
    {GPU_COUNTER_AT(dram.write_sectors), SURVEY_AT(written_back), true},
};

/* Standard errors, relative, that more units or blocks would not reduce: of the survey's count,
 * which knows no time, and of the units', because each follows a gap. Chosen with the workloads
 * "trial" of bench/experiments/trials.txt. */
#define SURVEY_ERROR 0.02
#define UNITS_ERROR  0.04

/* Hits, and what they are among. */
static const struct {
    size_t hits, lookups;
} hits_of[] = {
    {GPU_COUNTER_AT(sm.global_load_hits), GPU_COUNTER_AT(sm.global_load_sectors)},
    {GPU_COUNTER_AT(sm.local_load_hits), GPU_COUNTER_AT(sm.local_load_sectors)},
    {GPU_COUNTER_AT(l2.read_hits), GPU_COUNTER_AT(l2.read_sectors)},
    {GPU_COUNTER_AT(l2.write_hits), GPU_COUNTER_AT(l2.write_sectors)},
};

/* Error of hits that all units may share, as a share of the lookups, over that of other
 * counters; also of warp states, as a share of the warps' cycles. */
#define SHARE_BIAS 0.5

/* Share of the sectors in flight that may have arrived, or the reverse: blocks that read the same data meet in
 * another step after a gap. Chosen with random triples (bench/sampling/README.md). */
#define IN_FLIGHT_BIAS 0.15

/* What happens in the rows of the DRAM, and the error of it that all units may share, as a share of the
 * requests: rows are not walked. Chosen with random triples (bench/sampling/README.md). */
static const size_t of_rows[] = {
    GPU_COUNTER_AT(dram.row_hits),      GPU_COUNTER_AT(dram.row_misses),
    GPU_COUNTER_AT(dram.row_conflicts), GPU_COUNTER_AT(dram.activates),
    GPU_COUNTER_AT(dram.precharges),
};
#define ROW_BIAS 0.04

/* Counters whose error is not known: TLBs are not walked, and queues that are full or misses that
 * meet depend on single moments, which units see or not. */
static const size_t unstated[] = {
    GPU_COUNTER_AT(sm.tlb_misses),          GPU_COUNTER_AT(sm.tlb_l2_misses),
    GPU_COUNTER_AT(sm.l1_stall_mshr),       GPU_COUNTER_AT(sm.l1_stall_queue),
    GPU_COUNTER_AT(sm.l1_stall_tlb),        GPU_COUNTER_AT(sm.l1_mshr_merges),
    GPU_COUNTER_AT(sm.global_load_pending), GPU_COUNTER_AT(l2.mshr_merges),
    GPU_COUNTER_AT(l2.stall_mshr),          GPU_COUNTER_AT(l2.stall_dram),
    GPU_COUNTER_AT(l2.stall_reply),         GPU_COUNTER_AT(l2.stall_atomic),
    GPU_COUNTER_AT(l2.unasked_fills),       GPU_COUNTER_AT(dram.turnarounds),
};

/* NULL: none. */
static const counterpart_t *counterpart(size_t counter)
{
    for (size_t i = 0; i < sizeof(counterparts) / sizeof(counterparts[0]); i++) {
        if (counterparts[i].counter == counter)
            return &counterparts[i];
    }
    return NULL;
}

static double at(const void *counts, size_t i)
{
    return (double)((const uint64_t *)counts)[i];
}

static double per_inst(const smarts_unit_t *u, size_t counter)
{
    return at(&u->counters, counter) / u->insts;
}

static double surveyed_per_inst(const smarts_unit_t *u, size_t survey)
{
    const double insts = (double)u->surveyed.warp_insts;
    return insts > 0 ? at(&u->surveyed, survey) / insts : 0;
}

/* Counters that grow with the time that a launch takes. */
static bool is_time(size_t counter)
{
    return counter < STATE_COUNT || counter == GPU_COUNTER_AT(sm.active_cycles);
}

/* The left-out sum of one counter. */
typedef struct {
    double sum;
    double units;      /* the same as the units alone give it */
    double doubt;      /* standard error that the units do not show */
    double *influence; /* of each unit, owned by the caller */
} part_t;

static double squares(const part_t *p, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += p->influence[i] * p->influence[i];
    return sum;
}

/* From rates y per instruction, with the answer's weights. */
static void by_weights(const smarts_answer_t *a, const smarts_question_t *q, const double *y,
                       part_t *out)
{
    double weight = 0, mx = 0, my = 0, xx = 0, xy = 0;
    out->sum = out->doubt = 0;
    for (size_t i = 0; i < q->n; i++) {
        const smarts_unit_t *u = &q->units[i];
        weight += u->weight;
        mx += u->weight * smarts_unit_rate(q, u, a->by);
        my += u->weight * y[i];
        out->sum += a->weight[i] * y[i];
    }
    mx /= weight;
    my /= weight;
    for (size_t i = 0; i < q->n; i++) {
        const smarts_unit_t *u = &q->units[i];
        const double dx = smarts_unit_rate(q, u, a->by) - mx;
        xx += u->weight * dx * dx;
        xy += u->weight * dx * (y[i] - my);
    }
    const double slope = xx > 0 ? xy / xx : 0;
    for (size_t i = 0; i < q->n; i++) {
        const double dx = smarts_unit_rate(q, &q->units[i], a->by) - mx;
        out->influence[i] = a->weight[i] * (y[i] - my - slope * dx);
    }
}

/* As a ratio to what the survey counted. false: it counted nothing in the units. */
static bool by_survey(const smarts_answer_t *a, const smarts_question_t *q, const double *y,
                      size_t survey, part_t *out)
{
    double timed = 0, surveyed = 0;
    for (size_t i = 0; i < q->n; i++) {
        timed += a->weight[i] * y[i];
        surveyed += a->weight[i] * surveyed_per_inst(&q->units[i], survey);
    }
    if (surveyed <= 0)
        return false;
    const double ratio = timed / surveyed, all = at(&q->left, survey);
    out->sum = ratio * all;
    for (size_t i = 0; i < q->n; i++)
        out->influence[i] = a->weight[i] *
                            (y[i] - ratio * surveyed_per_inst(&q->units[i], survey)) *
                            (all / surveyed);
    return true;
}

/* What the survey counts of the left-out part, and the standard error of that. */
typedef struct {
    double sum, error;
} surveyed_t;

/*
 * Of the blocks that were left out, or of all blocks without what was simulated. Some blocks were on the chip when a
 * gap began and ended, and count as half done, so the two differ by chance; the truth is taken for half-way. simulated:
 * of what counts.
 */
static surveyed_t find_surveyed(const smarts_question_t *q, size_t survey, double simulated)
{
    const double left = at(&q->left, survey);
    const double rest = fmax(at(&q->all, survey) - simulated, 0);
    const double sum = q->all.warp_insts > 0 ? (left + rest) / 2 : left;
    return (surveyed_t){sum, hypot(SURVEY_ERROR * sum, sum - left)};
}

/*
 * Weighs the units' estimate with the survey's own count, by their errors. What is written back
 * comes in bursts, which a few short units meet or not; the survey has all of it. At the edge of
 * the L2, the order of accesses decides, which the survey only assumes and gaps change: then the two
 * differ by more than their errors explain. Which of them is right is not known, so the rest of the
 * difference becomes an error of both (two studies with random effects: DerSimonian and Laird 1986). late:
 * the share that may differ in both.
 */
static void believe_survey(part_t *p, surveyed_t s, double late, size_t n)
{
    const double surveyed = s.sum;
    const double scatter = squares(p, n) * (double)n / (double)(n - 1);
    const double units = scatter + UNITS_ERROR * UNITS_ERROR * p->sum * p->sum;
    const double survey = s.error * s.error;
    const double difference = p->sum - surveyed;
    const double between = fmax((difference * difference - units - survey) / 2, 0);
    const double all = units + survey + 2 * between;
    const double weight = (units + between) / all; /* of the survey's count */
    const double variance = (units + between) * (survey + between) / all;
    p->sum -= weight * difference;
    p->doubt = sqrt(fmax(variance - (1 - weight) * (1 - weight) * scatter, 0) +
                    late * late * p->sum * p->sum);
    for (size_t i = 0; i < n; i++)
        p->influence[i] *= 1 - weight;
}

/* Estimates a counter in the way that fits the units better. simulated: of what counts; other: as long as the
 * influences. */
static void estimate_counter(const smarts_answer_t *a, const smarts_question_t *q, size_t counter,
                             double simulated, double *y, double *other, part_t *out)
{
    const counterpart_t *c = counterpart(counter);
    part_t second = {.influence = other};
    for (size_t i = 0; i < q->n; i++)
        y[i] = per_inst(&q->units[i], counter) * (is_time(counter) ? a->scale : 1);
    by_weights(a, q, y, out);
    out->units = out->sum;
    if (c == NULL || !by_survey(a, q, y, c->survey, &second))
        return;
    if (squares(&second, q->n) <= squares(out, q->n)) {
        out->sum = out->units = second.sum;
        for (size_t i = 0; i < q->n; i++)
            out->influence[i] = other[i];
    }
    if (c->direct && q->n > 1 && at(&q->left, c->survey) > 0)
        believe_survey(out, find_surveyed(q, c->survey, simulated),
                       smarts_late(&q->left) / interval_factor(q->confidence, INFINITY), q->n);
}

/* What the survey knows of fills holds for reads that miss, too: there are as many more or fewer of
 * them. reads: L2 sectors read. */
static void correct_hits(part_t *hits, const part_t *fills, double reads)
{
    if (fills->units <= 0 || reads <= hits->sum)
        return;
    const double misses = (reads - hits->sum) / fills->units;
    hits->sum = fmin(fmax(reads - misses * fills->sum, 0), reads);
    hits->doubt = misses * fills->doubt;
}

/* How replicates vary: the influence of each unit by a factor, and beside it the error that all
 * units share, in a pattern that is as often up as down. */
typedef struct {
    double factor;
    double shared; /* of the left-out cycles, relative */
} variation_t;

/* +1 and -1 in turn, with the last of an odd number 0. */
static double pattern(size_t i, size_t n)
{
    return i == n - 1 && n % 2 == 1 ? 0 : i % 2 == 0 ? 1 : -1;
}

/* The same in an order that each counter has for itself, so that ratios of counters vary, too. */
static double own_pattern(size_t i, size_t n, size_t counter)
{
    const uint64_t mine = mix64(counter << 32 | i);
    size_t rank = 0;
    for (size_t k = 0; k < n; k++)
        rank += mix64(counter << 32 | k) < mine;
    return pattern(rank, n);
}

/* Adds a counter's own pattern to its deviations, up or down: as it does not cancel them, because
 * errors add up in the variance. */
static void add_own(double *deviation, size_t n, size_t counter, double own)
{
    double *p = rb_calloc(n, sizeof(*p)), cross = 0;
    for (size_t i = 0; i < n; i++) {
        p[i] = own_pattern(i, n, counter);
        cross += deviation[i] * p[i];
    }
    for (size_t i = 0; i < n; i++)
        deviation[i] += cross < 0 ? -own * p[i] : own * p[i];
    free(p);
}

/* A counter of the left-out part, as the units give it. */
static double left_out(const smarts_answer_t *a, const smarts_question_t *q, size_t counter)
{
    double sum = 0;
    for (size_t i = 0; i < q->n; i++)
        sum += a->weight[i] * per_inst(&q->units[i], counter);
    return sum;
}

/* What all units may share an error of, of the left-out part. */
typedef struct {
    double rows; /* requests that the rows of the DRAM serve */
    double in_flight
        [2]; /* sectors that loads of global memory found in flight: in the L1s, in the L2 */
} shared_t;

static shared_t find_shared(const smarts_answer_t *a, const smarts_question_t *q)
{
    shared_t s = {.in_flight = {left_out(a, q, GPU_COUNTER_AT(sm.global_load_pending)),
                                left_out(a, q, GPU_COUNTER_AT(l2.read_sectors)) -
                                    left_out(a, q, GPU_COUNTER_AT(l2.read_hits)) -
                                    left_out(a, q, GPU_COUNTER_AT(l2.fills))}};
    for (size_t k = 0; k < 3; k++) /* hits, misses and conflicts */
        s.rows += left_out(a, q, of_rows[k]);
    return s;
}

/* Half the interval of what all units may share in a counter. */
static double shared_half(const smarts_question_t *q, size_t counter, double left,
                          const launch_estimate_t *whole, const shared_t *shared)
{
    double most = q->bias * fabs(left);
    for (size_t i = 0; i < sizeof(of_rows) / sizeof(of_rows[0]); i++) {
        if (of_rows[i] == counter)
            most = fmax(most, ROW_BIAS * fabs(shared->rows));
    }
    for (size_t i = 0; i < sizeof(hits_of) / sizeof(hits_of[0]); i++) {
        if (hits_of[i].hits == counter)
            most = fmax(most, SHARE_BIAS * q->bias * whole->counter[hits_of[i].lookups]);
    }
    if (counter == GPU_COUNTER_AT(sm.global_load_hits))
        most = hypot(most, IN_FLIGHT_BIAS * fmax(shared->in_flight[0], 0));
    if (counter == GPU_COUNTER_AT(l2.read_hits))
        most = hypot(most, IN_FLIGHT_BIAS * fmax(shared->in_flight[1], 0));
    return most;
}

/* Chooses the variation such that the replicates of the cycles have the answer's half-width. */
static variation_t vary(const smarts_answer_t *a, const smarts_question_t *q, const part_t *cycles)
{
    const double n = (double)q->n, jackknife = (n - 1) / n;
    const double standard = a->half / interval_factor(q->confidence, n - 1);
    double mean = 0, own = 0, cross = 0, turns = 0;
    for (size_t i = 0; i < q->n; i++)
        mean += cycles->influence[i] / n;
    for (size_t i = 0; i < q->n; i++) {
        const double p = pattern(i, q->n) * a->left, d = cycles->influence[i] - mean;
        own += d * d;
        cross += d * p;
        turns += p * p;
    }
    const double spread = fmin(a->spread * interval_factor(q->confidence, a->df) /
                                   interval_factor(q->confidence, n - 1),
                               standard);
    variation_t v = {.factor = own > 0 ? spread / sqrt(jackknife * own) : 0};
    /* standard^2 = jackknife * (factor^2 own + 2 factor shared cross + shared^2 turns) */
    const double half = v.factor * cross / turns;
    const double rest = standard * standard / jackknife - v.factor * v.factor * own;
    v.shared = -half + sqrt(half * half + fmax(rest, 0) / turns);
    return v;
}

enum { STATE_PATTERNS = 1 << 16 }; /* numbers of their own patterns, behind those of all counters */

/* The error that all units may share in how warps spend their cycles: each state has some that are
 * the largest state's in truth, or the reverse. Most for a state with half of the cycles, less for
 * those that are rare or nearly all. left: cycles left out, by state. y: room for a number of each
 * unit. */
static void vary_states(const smarts_question_t *q, const double left[STATE_COUNT],
                        const launch_estimate_t *whole, launch_estimate_t *replicates, double *y)
{
    const double n = (double)q->n;
    const double half = 2 * SHARE_BIAS * q->bias; /* of sqrt(share (1 - share)) */
    const double each = half / (interval_factor(q->confidence, n - 1) * sqrt(n - 1));
    size_t largest = STATE_SELECTED;
    double all = 0;
    for (size_t k = STATE_SELECTED; k < STATE_COUNT; k++) {
        all += left[k];
        largest = left[k] > left[largest] ? k : largest;
    }
    for (size_t k = STATE_SELECTED; k < STATE_COUNT; k++) {
        const double moved = each * sqrt(fmax(left[k] * (all - left[k]), 0));
        if (k == largest)
            continue;
        for (size_t i = 0; i < q->n; i++)
            y[i] = replicates[i].counter[k] - whole->counter[k];
        add_own(y, q->n, STATE_PATTERNS + k, moved);
        for (size_t i = 0; i < q->n; i++) {
            replicates[i].counter[largest] -= whole->counter[k] + y[i] - replicates[i].counter[k];
            replicates[i].counter[k] = whole->counter[k] + y[i];
        }
    }
}

/* The replicates do not say how warps spend their cycles. */
static void hide_states(const smarts_question_t *q, launch_estimate_t *replicates)
{
    for (size_t i = 0; i < q->n; i++)
        for (size_t k = 0; k < STATE_COUNT; k++)
            replicates[i].counter[k] = NAN;
}

static void cycles_part(const smarts_answer_t *a, const smarts_question_t *q, double *y,
                        part_t *out)
{
    for (size_t i = 0; i < q->n; i++)
        y[i] = a->scale * q->units[i].cycles / q->units[i].insts;
    by_weights(a, q, y, out);
}

void smarts_complete(const smarts_answer_t *a, const smarts_question_t *q, launch_estimate_t *whole,
                     launch_estimate_t *replicates)
{
    double *y = rb_calloc(3 * q->n, sizeof(*y)), *other = y + q->n;
    part_t part = {.influence = y + 2 * q->n};
    cycles_part(a, q, y, &part);
    const variation_t v = vary(a, q, &part);
    whole->cycles += part.sum;
    for (size_t i = 0; i < q->n; i++)
        replicates[i].cycles =
            whole->cycles - v.factor * part.influence[i] - v.shared * pattern(i, q->n) * part.sum;
    const double n = (double)q->n, factor = interval_factor(q->confidence, n - 1),
                 normal = interval_factor(q->confidence, INFINITY);
    const shared_t shared = find_shared(a, q);
    double states[STATE_COUNT], reads = 0;
    const size_t filled = GPU_COUNTER_AT(l2.fills);
    estimate_counter(a, q, filled, whole->counter[filled], y, other, &part);
    const part_t fills = part; /* without influences: those are overwritten */
    for (size_t k = 0; k < GPU_COUNTERS; k++) {
        estimate_counter(a, q, k, whole->counter[k], y, other, &part);
        if (k == GPU_COUNTER_AT(l2.read_sectors))
            reads = part.sum;
        if (k == GPU_COUNTER_AT(l2.read_hits))
            correct_hits(&part, &fills, reads);
        whole->counter[k] += part.sum;
        const double time = is_time(k) ? v.shared * part.sum : 0;
        const double half = hypot(shared_half(q, k, part.sum, whole, &shared), normal * part.doubt);
        const double own = q->n < 2 ? 0 : half / (factor * sqrt(n - 1));
        if (k < STATE_COUNT)
            states[k] = part.sum;
        for (size_t i = 0; i < q->n; i++)
            y[i] = -v.factor * part.influence[i] - time * pattern(i, q->n);
        add_own(y, q->n, k, own);
        for (size_t i = 0; i < q->n; i++)
            replicates[i].counter[k] = whole->counter[k] + y[i];
    }
    for (size_t i = 0; i < q->n; i++)
        for (size_t k = 0; k < sizeof(unstated) / sizeof(unstated[0]); k++)
            replicates[i].counter[unstated[k]] = NAN;
    if (smarts_waits_in_queues(&q->left))
        hide_states(q, replicates);
    else if (q->n > 1)
        vary_states(q, states, whole, replicates, y);
    free(y);
}
