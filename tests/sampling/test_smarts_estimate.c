/* The estimate of smarts from its units, and the model of blocks on slots, on made-up launches. */
#include <math.h>
#include <string.h>

#include "sampling/inside/smarts/slot_model.h"
#include "sampling/inside/smarts/smarts_estimate.h"
#include "sampling/inside/smarts/smarts_options.h"
#include "sampling/inside/smarts/smarts_plan.h"
#include "sampling/math/quantile.h"
#include "sampling/math/rng.h"
#include "sim/conf/param_value.h"
#include "tests/support/sampling/made_units.h"
#include "tests/support/test.h"

static void equal_units_leave_only_what_they_may_share(void **state)
{
    made_t m;
    smarts_answer_t a;
    (void)state;
    for (size_t i = 0; i < UNITS; i++)
        m.unit[i] = made_unit(20, 400);
    made_ask(&m, 20);
    smarts_answer(&a, &m.q);
    assert_int_equal(a.by, SMARTS_BY_NOTHING);
    assert_true(fabs(a.left - 400 * 50000) < 1);
    assert_true(fabs(a.half / a.left - 0.01) < 1e-9);
    smarts_answer_free(&a);
}

/* Half of the interval of an answer with this spread, from its definition. */
static double interval_half(const smarts_answer_t *a, double spread, double df)
{
    return hypot(interval_factor(0.95, df) * spread, 0.01 * a->left);
}

/* The line through the units costs a degree of freedom. Units that alternate spread by their successive
 * differences, which are twice their plain variance. */
static void degrees_of_freedom_are_those_of_what_was_fitted(void **state)
{
    static const double off[UNITS / 2] = {2, -2, 2, -2, 0};
    const double weight = 5e6;
    made_t m;
    smarts_answer_t a;
    (void)state;
    for (size_t i = 0; i < UNITS; i++)
        m.unit[i] = made_unit(20, i % 2 == 0 ? 402 : 398);
    made_ask(&m, 20);
    smarts_answer(&a, &m.q);
    assert_int_equal(a.by, SMARTS_BY_NOTHING);
    assert_true(fabs(a.df - (UNITS - 1)) < 1e-9);
    const double differences = weight * 0.002 * sqrt(2 * UNITS);
    assert_true(fabs(a.spread / differences - 1) < 1e-6);
    assert_true(fabs(a.half / interval_half(&a, differences, UNITS - 1) - 1) < 1e-6);
    smarts_answer_free(&a);

    double squares = 0, steps = 0;
    for (size_t i = 0; i < UNITS; i++) {
        const double e = off[i % (UNITS / 2)], before = i > 0 ? off[(i - 1) % (UNITS / 2)] : e;
        const double sectors = i < UNITS / 2 ? 10 : 30;
        m.unit[i] = made_unit(sectors, 300 + 5 * sectors + e);
        squares += e * e * 1e-6;
        steps += (e - before) * (e - before) / 2 * 1e-6;
    }
    made_ask(&m, 20);
    smarts_answer(&a, &m.q);
    assert_int_not_equal(a.by, SMARTS_BY_NOTHING);
    assert_true(fabs(a.df - (UNITS - 2)) < 1e-9);
    const double plain = squares * UNITS / (UNITS - 2), stepped = UNITS * steps / (UNITS - 1);
    const double spread = weight * sqrt(fmax(plain, stepped));
    assert_true(fabs(a.spread / spread - 1) < 1e-6);
    assert_true(fabs(a.half / interval_half(&a, spread, UNITS - 2) - 1) < 1e-6);
    smarts_answer_free(&a);
}

/* Units in two clusters; what was left out is a third mixture of them. */
static void a_count_of_the_survey_explains_the_cycles(void **state)
{
    made_t m;
    smarts_answer_t a;
    (void)state;
    for (size_t i = 0; i < UNITS; i++)
        m.unit[i] = made_unit(i < 5 ? 0 : 50, (i < 5 ? 100 : 500) + (double)(i % 2));
    made_ask(&m, 30);
    smarts_answer(&a, &m.q);
    assert_int_equal(a.by, SMARTS_BY_DRAM);
    assert_true(fabs(a.left / (340.5 * 50000) - 1) < 0.005);
    assert_true(a.half < 0.015 * a.left);
    /* Without the regressor the mean of the units is as uncertain as they differ. */
    smarts_answer_t plain;
    m.q.explain = 1e9;
    smarts_answer(&plain, &m.q);
    assert_int_equal(plain.by, SMARTS_BY_NOTHING);
    assert_true(plain.half > 10 * a.half);
    smarts_answer_free(&a);
    smarts_answer_free(&plain);
}

/* Sectors that are written back take the DRAM, but no warp waits for them; reads that miss, it waits for longest. */
static void waits_of_reads_explain_what_counts_do_not(void **state)
{
    made_t m;
    smarts_answer_t a;
    (void)state;
    for (size_t i = 0; i < UNITS; i++) {
        const double missed = (double)(i * 3 % UNITS), sectors = (double)(i * 7 % UNITS);
        m.unit[i] = made_unit(0, 100 + 20 * missed);
        m.unit[i].surveyed.written_back = (uint64_t)(sectors * INSTS / 1000);
        m.unit[i].surveyed.read_hits =
            m.unit[i].surveyed.read_sectors - (uint64_t)(missed * INSTS / 1000);
    }
    made_ask(&m, 0);
    m.q.left.written_back = m.q.left.warp_insts / 1000;
    m.q.left.read_hits = m.q.left.read_sectors - m.q.left.warp_insts / 1000;
    m.q.l2 = 200;
    m.q.dram = 500;
    smarts_answer(&a, &m.q);
    assert_int_equal(a.by, SMARTS_BY_WAITS);
    assert_true(fabs(a.left / (120 * 50000) - 1) < 1e-6);
    smarts_answer_free(&a);
}

static void replicates_give_the_interval_and_sums_stay_sums(void **state)
{
    made_t m;
    smarts_answer_t a;
    launch_estimate_t whole = {.cycles = 1000}, list[UNITS];
    (void)state;
    for (size_t i = 0; i < UNITS; i++)
        m.unit[i] = made_unit(i < 5 ? 2 : 50, (i < 5 ? 100 : 500) + 3 * (double)(i * 7 % 5));
    made_ask(&m, 30);
    smarts_answer(&a, &m.q);
    smarts_complete(&a, &m.q, &whole, list);
    assert_true(fabs(whole.cycles - 1000 - a.left) < 1);
    double mean = 0, squares = 0;
    for (size_t i = 0; i < UNITS; i++)
        mean += list[i].cycles / UNITS;
    for (size_t i = 0; i < UNITS; i++)
        squares += pow(list[i].cycles - mean, 2);
    const double half = interval_factor(0.95, UNITS - 1) * sqrt((UNITS - 1) * squares / UNITS);
    assert_true(fabs(half / a.half - 1) < 1e-6);
    /* Warp states are slots times cycles, in the estimate and, but for what units may share, in
     * every replicate. */
    m.q.bias = 0;
    smarts_answer_free(&a);
    smarts_answer(&a, &m.q);
    whole = (launch_estimate_t){.cycles = 1000};
    smarts_complete(&a, &m.q, &whole, list);
    for (size_t i = 0; i <= UNITS; i++) {
        const launch_estimate_t *e = i < UNITS ? &list[i] : &whole;
        double states = 0;
        for (unsigned k = 0; k < STATE_COUNT; k++)
            states += e->counter[k];
        assert_true(fabs(states / (32 * (e->cycles - 1000)) - 1) < 1e-6);
    }
    /* The units saw 0.9 of the fills that the survey has: more than the errors of both explain. */
    const double fills = made_counter(&whole, offsetof(gpu_counters_t, l2.fills));
    assert_true(fabs(fills / (0.95 * 30 * 50000) - 1) < 0.005);
    smarts_answer_free(&a);
}

/* Units whose DRAM moves half as much again as the survey says: warps wait for memory half of their cycles, so the
 * truth may be shorter. */
static void what_units_and_survey_see_otherwise_is_uncertain(void **state)
{
    made_t m;
    smarts_answer_t a;
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        for (size_t i = 0; i < UNITS; i++) {
            m.unit[i] = made_unit(20, 400);
            m.unit[i].counters.l2.fills = 30 * INSTS / 1000;
            m.unit[i].counters.sm.state_long_scoreboard = waits * INSTS;
        }
        made_ask(&m, 20);
        smarts_answer(&a, &m.q);
        const double units = 400.0 * 50000, less = waits * 0.5 / 3;
        assert_true(fabs(a.left / (units * (1 - less / 2)) - 1) < 1e-6);
        assert_true(a.left + a.half >= units);
        assert_true(waits == 0 ? a.half < 0.011 * units : a.left - a.half <= units * (1 - less));
        launch_estimate_t whole = {0}, list[UNITS];
        smarts_complete(&a, &m.q, &whole, list);
        assert_true(fabs(whole.cycles - a.left) < 1);
        smarts_answer_free(&a);
    }
}

/* A line is not prolonged, and an answer is not wider than what it is about. */
static void what_units_do_not_show_is_not_extrapolated(void **state)
{
    made_t m;
    smarts_answer_t a;
    (void)state;
    for (size_t i = 0; i < UNITS; i++)
        m.unit[i] = made_unit(20 + (double)i, 200 + 10 * (double)i + (double)(i % 3));
    made_ask(&m, 21);
    smarts_answer(&a, &m.q);
    assert_int_equal(a.by, SMARTS_BY_DRAM);
    smarts_answer_free(&a);
    made_ask(&m, 90);
    smarts_answer(&a, &m.q);
    assert_int_equal(a.by, SMARTS_BY_NOTHING);
    smarts_answer_free(&a);
    for (size_t i = 0; i < UNITS; i++)
        m.unit[i] = made_unit(20, i == 0 ? 90000 : 10);
    made_ask(&m, 20);
    smarts_answer(&a, &m.q);
    assert_true(a.half <= a.left);
    smarts_answer_free(&a);
}

/* Launches of 200 stretches in two phases, with noise; a unit in each of ten strata. */
static void the_interval_covers_what_it_says(void **state)
{
    unsigned covered = 0, regressed = 0;
    enum { SEEDS = 1000, STRETCHES = 200, OF_STRATUM = STRETCHES / UNITS };
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rng_t rng = rng_make(seed, 1);
        made_t m;
        smarts_answer_t a;
        double truth = 0, sectors = 0, rate[STRETCHES], of[STRETCHES];
        for (size_t i = 0; i < STRETCHES; i++) {
            of[i] = i < 80 ? 5 : 40 + 5 * rng_normal(&rng);
            rate[i] = (100 + 8 * of[i]) * (1 + 0.04 * rng_normal(&rng));
        }
        for (size_t u = 0; u < UNITS; u++) {
            const size_t pick = u * OF_STRATUM + (size_t)rng_below(&rng, OF_STRATUM);
            m.unit[u] = made_unit(of[pick], rate[pick]);
            for (size_t i = u * OF_STRATUM; i < (u + 1) * OF_STRATUM; i++) {
                truth += i == pick ? 0 : rate[i] * 1000;
                sectors += i == pick ? 0 : of[i];
            }
            m.unit[u].weight = (OF_STRATUM - 1) * (double)INSTS;
        }
        made_ask(&m, 0);
        m.q.bias = 0;
        m.q.left.warp_insts = UNITS * (OF_STRATUM - 1) * (uint64_t)INSTS;
        m.q.left.fills = (uint64_t)(sectors * INSTS / 1000);
        smarts_answer(&a, &m.q);
        covered += fabs(a.left - truth) <= a.half;
        regressed += a.by == SMARTS_BY_DRAM;
        smarts_answer_free(&a);
    }
    assert_true(regressed > 990);
    assert_true(covered >= 930);
}

static void block_add_many(block_insts_t *b, uint64_t n, uint64_t insts)
{
    while (n-- > 0)
        block_insts_add(b, insts);
}

static void slots_tell_what_is_left_at_the_end(void **state)
{
    block_insts_t b = {0};
    (void)state;
    /* 10 waves of 4 blocks: the last wave is dispatched at once and takes the time of a block. */
    block_add_many(&b, 40, 100);
    slot_model_t m = slot_model_run(&b, 4, NULL, 0);
    assert_int_equal(m.oldest, 36);
    assert_true(m.drain == 100);
    block_insts_free(&b);
    /* Equal blocks by rule, and block by block (as with a gap). */
    for (uint64_t n = 1; n < 20; n++) {
        const block_range_t none = {n, n};
        block_add_many(&b, n, 7);
        const slot_model_t rule = slot_model_run(&b, 4, NULL, 0),
                           slow = slot_model_run(&b, 4, &none, 1);
        assert_int_equal(rule.oldest, slow.oldest);
        assert_true(rule.drain == slow.drain);
        block_insts_free(&b);
    }
    /* Block 20 is ten times as long: it is still there. */
    block_add_many(&b, 20, 100);
    block_insts_add(&b, 1000);
    block_add_many(&b, 19, 100);
    m = slot_model_run(&b, 4, NULL, 0);
    assert_int_equal(m.oldest, 20);
    assert_true(m.drain == 400);
    /* Without its followers the end is later than it was. */
    const block_range_t gap = {24, 36};
    assert_true(slot_model_run(&b, 4, &gap, 1).drain == 800);
    block_insts_free(&b);
}

/* A unit begins anywhere in its stratum where it fits, so that no phase of a launch is missed. */
static void units_begin_anywhere_in_their_strata(void **state)
{
    enum { SLOTS = 80 };
    const launch_info_t info = {.id = 1, .n_blocks = SLOTS * 2000};
    const sampler_launch_t l = {.info = &info, .slots = SLOTS};
    smarts_options_t o;
    smarts_look_t look;
    double sum = 0, least = 1, most = 0;
    size_t n = 0;
    (void)state;
    param_group_defaults(&smarts_group, &o);
    smarts_look_begin(&look, &l);
    smarts_plan_t p = smarts_plan_make(&o, &look, rng_make(5, 0));
    const double taken = (p.settle + o.jitter / 2 + p.unit) * SLOTS;
    for (uint64_t first = p.ramp; first < p.tail;) {
        const smarts_stratum_t s = smarts_plan_next(&p, n++, first);
        const double u = (double)(s.start - first) / ((double)(s.end - first) - taken);
        assert_true(s.start >= first && s.start < s.end);
        sum += u;
        least = fmin(least, u);
        most = fmax(most, u);
        first = s.end;
    }
    assert_true(n >= 8);
    if (least > 0.3 || most < 0.7 || fabs(sum / (double)n - 0.5) > 0.25)
        fail_msg("%zu units begin at %.2f to %.2f of their strata", n, least, most);
    smarts_look_free(&look);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_begin_anywhere_in_their_strata),
        cmocka_unit_test(degrees_of_freedom_are_those_of_what_was_fitted),
        cmocka_unit_test(equal_units_leave_only_what_they_may_share),
        cmocka_unit_test(a_count_of_the_survey_explains_the_cycles),
        cmocka_unit_test(waits_of_reads_explain_what_counts_do_not),
        cmocka_unit_test(replicates_give_the_interval_and_sums_stay_sums),
        cmocka_unit_test(what_units_and_survey_see_otherwise_is_uncertain),
        cmocka_unit_test(what_units_do_not_show_is_not_extrapolated),
        cmocka_unit_test(the_interval_covers_what_it_says),
        cmocka_unit_test(slots_tell_what_is_left_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
