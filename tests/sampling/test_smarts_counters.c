/* The counters of smarts and their errors, from made-up units. */
#include <math.h>

#include "sampling/math/rng.h"
#include "tests/support/sampling/made_units.h"
#include "tests/support/test.h"

/* The survey has 100 sectors written back per 1000 instructions. Units with 20 and 220 in turn say
 * little about that. If all units have 150, the two contradict each other, and nobody knows which is
 * right: the interval has both. */
static void units_and_survey_are_weighed_by_their_errors(void **state)
{
    const size_t written = offsetof(gpu_counters_t, l2.writebacks);
    launch_estimate_t whole, list[UNITS];
    made_t m;
    (void)state;
    for (unsigned clear = 0; clear < 2; clear++) {
        for (size_t i = 0; i < UNITS; i++) {
            m.unit[i] = made_unit(20, 400);
            m.unit[i].surveyed.written_back = INSTS / 10;
            m.unit[i].counters.l2.writebacks =
                clear ? 3 * INSTS / 20 : (1 + 10 * (i % 2)) * INSTS / 50;
        }
        made_ask(&m, 20);
        m.q.left.written_back = 5000000;
        made_complete(&m, &whole, list);
        const double share = made_counter(&whole, written) / 5000000;
        const double half = made_half(list, written, 0) / 5000000;
        assert_true(half > 0.01);
        if (clear)
            assert_true(share - half < 1 && share + half > 1.5 && half < 0.6);
        else
            assert_true(fabs(share - 1) < 0.1 && half < 0.15);
    }
}

/* Units and survey agree: the error is smaller than that of either, and what all units may share is
 * still in it. */
static void two_sources_that_agree_are_better_than_one(void **state)
{
    const size_t fills = offsetof(gpu_counters_t, l2.fills);
    launch_estimate_t whole, list[UNITS];
    made_t m;
    (void)state;
    for (size_t i = 0; i < UNITS; i++) {
        m.unit[i] = made_unit(20, 400);
        m.unit[i].counters.l2.fills = m.unit[i].surveyed.fills;
    }
    made_ask(&m, 20);
    made_complete(&m, &whole, list);
    const double half = made_half(list, fills, 0) / made_counter(&whole, fills);
    assert_true(fabs(made_counter(&whole, fills) / (20 * 50000) - 1) < 1e-9);
    assert_true(half > m.q.bias && half < 0.04);
}

/* Reads that miss are corrected as the fills are: what the survey knows of the DRAM's sectors also
 * holds for the hit rate, within its interval. */
static void hits_follow_the_fills(void **state)
{
    const size_t hits = offsetof(gpu_counters_t, l2.read_hits),
                 reads = offsetof(gpu_counters_t, l2.read_sectors),
                 fills = offsetof(gpu_counters_t, l2.fills);
    launch_estimate_t whole, list[UNITS];
    made_t m;
    (void)state;
    for (size_t i = 0; i < UNITS; i++) {
        m.unit[i] = made_unit(20, 400);
        m.unit[i].counters.l2.fills = 3 * INSTS / 100; /* half as many again as the survey's */
        m.unit[i].counters.l2.read_hits = INSTS / 10 - 3 * INSTS / 100;
    }
    made_ask(&m, 20);
    made_complete(&m, &whole, list);
    const double misses = made_counter(&whole, reads) - made_counter(&whole, hits);
    assert_true(fabs(made_counter(&whole, reads) / 5000000 - 1) < 1e-9);
    assert_true(fabs(misses / made_counter(&whole, fills) - 1) < 1e-9);
    assert_true(misses > 20 * 50000 && misses < 30 * 50000);
    /* Both the survey's hit rate (0.8) and the units' (0.7) are within it. */
    const double rate = made_counter(&whole, hits) / made_counter(&whole, reads);
    const double half = made_half(list, hits, reads);
    assert_true(rate - half < 0.7 && rate + half > 0.8 && half < 0.13);
}

/* Units and survey agree, but the order of accesses decides some of the fills. */
static void fills_that_order_decides_are_uncertain(void **state)
{
    const size_t fills = offsetof(gpu_counters_t, dram.read_sectors);
    launch_estimate_t whole, list[UNITS];
    made_t m;
    (void)state;
    for (unsigned decides = 0; decides < 2; decides++) {
        for (size_t i = 0; i < UNITS; i++) {
            m.unit[i] = made_unit(20, 400);
            m.unit[i].counters.dram.read_sectors = 20 * INSTS / 1000;
        }
        made_ask(&m, 20);
        m.q.left.late_fills = decides ? m.q.left.fills / 5 : 0;
        made_complete(&m, &whole, list);
        const double half = made_half(list, fills, 0) / made_counter(&whole, fills);
        assert_true(decides ? half > 0.1 && half < 0.12 : half < 0.05);
    }
}

/* The survey may count fills where units saw hits only: no count becomes negative, or larger than
 * what it is among. */
static void hits_stay_among_the_reads(void **state)
{
    const size_t hits = offsetof(gpu_counters_t, l2.read_hits),
                 reads = offsetof(gpu_counters_t, l2.read_sectors);
    launch_estimate_t whole, list[UNITS];
    made_t m;
    (void)state;
    for (unsigned few = 0; few < 2; few++) {
        for (size_t i = 0; i < UNITS; i++) {
            m.unit[i] = made_unit(1, 400);
            m.unit[i].counters.l2.fills = few;
            m.unit[i].counters.l2.read_hits = few ? INSTS / 1000 : INSTS / 10;
        }
        made_ask(&m, 80);
        made_complete(&m, &whole, list);
        assert_true(made_counter(&whole, hits) >= 0);
        assert_true(made_counter(&whole, hits) <= made_counter(&whole, reads));
    }
}

/* Units that agree leave a doubt in how warps spend their cycles, but not in the sum. */
static void shares_of_warp_states_have_an_error_of_their_own(void **state)
{
    const size_t wait = offsetof(gpu_counters_t, sm.state_wait);
    const size_t selected = offsetof(gpu_counters_t, sm.state_selected);
    launch_estimate_t whole, list[UNITS];
    made_t m;
    (void)state;
    for (size_t i = 0; i < UNITS; i++) {
        m.unit[i] = made_unit(20, 400);
        m.unit[i].counters.sm.state_wait = INSTS;
    }
    made_ask(&m, 20);
    made_complete(&m, &whole, list);
    assert_true(fabs(made_counter(&whole, wait) / made_counter(&whole, selected) - 1) < 1e-9);
    /* Each of the two would be off by 1 % on its own; here one has cycles of the other, too. */
    const double half = made_half(list, wait, selected);
    assert_true(half > 0.02 && half < 0.03);
}

/* Errors of two kinds do not cancel each other: the interval has at least what units may share. */
static void what_units_share_is_never_lost(void **state)
{
    const size_t fetches = offsetof(gpu_counters_t, l2.partial_fetches);
    launch_estimate_t whole, list[UNITS];
    made_t m;
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        rng_t rng = rng_make(seed, 1);
        for (size_t i = 0; i < UNITS; i++) {
            m.unit[i] = made_unit(20, 400 + rng_normal(&rng));
            m.unit[i].counters.l2.partial_fetches =
                (uint64_t)(INSTS * (1 + 0.01 * rng_normal(&rng)));
        }
        made_ask(&m, 20);
        made_complete(&m, &whole, list);
        assert_true(made_half(list, fetches, 0) > 0.999 * m.q.bias * made_counter(&whole, fetches));
    }
}

/* Whether replicates say how warps spend their cycles, if so many of the L2's lookups are atomics that
 * miss. */
static bool tells_states(uint64_t atomics)
{
    made_t m;
    smarts_answer_t a;
    launch_estimate_t whole = {.cycles = 1000}, list[UNITS];
    for (size_t i = 0; i < UNITS; i++)
        m.unit[i] = made_unit(20, 400 + (double)(i % 3));
    made_ask(&m, 20);
    m.q.left.read_hits = m.q.left.read_sectors - 1000000;
    m.q.left.atomic_sectors = 3000000 + atomics;
    m.q.left.atomic_hits = 3000000;
    smarts_answer(&a, &m.q);
    smarts_complete(&a, &m.q, &whole, list);
    smarts_answer_free(&a);
    bool tells = true;
    for (size_t i = 0; i < UNITS; i++) {
        assert_true(isfinite(list[i].cycles));
        assert_true(isfinite(made_counter(&list[i], offsetof(gpu_counters_t, l2.fills))));
        tells &= isfinite(made_counter(&list[i], offsetof(gpu_counters_t, sm.state_no_warp)));
    }
    assert_true(isfinite(made_counter(&whole, offsetof(gpu_counters_t, sm.state_no_warp))));
    return tells;
}

static void atomics_that_miss_hide_the_states_of_warps(void **state)
{
    (void)state;
    assert_true(tells_states(900000));
    assert_false(tells_states(1100000));
}

/* Long blocks: what the survey counts of the blocks that run while a unit is measured says little about the unit, but
 * what the DRAM moved meanwhile does. The survey knows the sum of that. */
static void sectors_that_moved_in_units_explain_the_cycles(void **state)
{
    made_t m;
    smarts_answer_t a;
    (void)state;
    for (unsigned differ = 0; differ < 2; differ++) {
        for (size_t i = 0; i < UNITS; i++) {
            const double moved = 16 + (double)i;
            m.unit[i] =
                made_unit(20 + 6 * (i % 2 == 0 ? 1 : -1), 100 + 10 * moved + (double)(i % 3));
            m.unit[i].counters.l2.fills = (uint64_t)((differ ? 3 : 1) * moved * INSTS / 1000);
        }
        made_ask(&m, 22);
        smarts_answer(&a, &m.q);
        if (differ) /* from the survey by more than chance explains */
            assert_int_equal(a.by, SMARTS_BY_NOTHING);
        else {
            assert_int_equal(a.by, SMARTS_BY_MOVED);
            assert_true(fabs(a.left / (321 * 50000.0) - 1) < 0.003); /* units alone: 306 */
            assert_true(a.half < 0.05 * a.left);
        }
        smarts_answer_free(&a);
    }
}

/* Loads that find a line in flight may find it arrived if blocks meet in another step. */
static void hits_of_what_was_in_flight_are_uncertain(void **state)
{
    static const size_t l1 = offsetof(gpu_counters_t, sm.global_load_hits),
                        l2 = offsetof(gpu_counters_t, l2.read_hits);
    launch_estimate_t whole, list[UNITS];
    made_t m;
    (void)state;
    for (unsigned flies = 0; flies < 2; flies++) {
        for (size_t i = 0; i < UNITS; i++) {
            m.unit[i] = made_unit(20, 400);
            m.unit[i].counters.l2.fills = 20 * INSTS / 1000;
            m.unit[i].counters.sm.global_load_sectors = INSTS / 5;
            m.unit[i].counters.sm.global_load_hits = INSTS / 10;
            m.unit[i].counters.sm.global_load_pending = flies * (uint64_t)INSTS / 20;
            m.unit[i].counters.l2.read_hits = (flies ? 40 : 80) * INSTS / 1000;
        }
        made_ask(&m, 20);
        made_complete(&m, &whole, list);
        const double in_l1 = made_half(list, l1, offsetof(gpu_counters_t, sm.global_load_sectors)),
                     in_l2 = made_half(list, l2, offsetof(gpu_counters_t, l2.read_sectors));
        assert_true(flies ? in_l1 > 0.03 : in_l1 < 0.02);
        assert_true(flies ? in_l2 > 0.05 : in_l2 < 0.05);
    }
}

/* What the survey counts of all blocks is simulated or left out; of the blocks left out alone it counts less here. */
static void what_is_left_out_is_what_is_not_simulated(void **state)
{
    const size_t written = offsetof(gpu_counters_t, l2.write_sectors);
    launch_estimate_t whole, list[UNITS];
    double estimate[2], half[2];
    made_t m;
    smarts_answer_t a;
    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        for (size_t i = 0; i < UNITS; i++) {
            m.unit[i] = made_unit(20, 400);
            m.unit[i].counters.l2.write_sectors = i % 2 == 0 ? 12 * INSTS / 100 : 8 * INSTS / 100;
            m.unit[i].surveyed.write_sectors = INSTS / 10;
        }
        made_ask(&m, 20);
        m.q.left.write_sectors = 5000000;
        m.q.all.write_sectors = 7400000;
        m.q.all.warp_insts = known == 1 ? 70000000 : 0;
        whole = (launch_estimate_t){0};
        whole.counter[GPU_COUNTER_AT(l2.write_sectors)] = 2000000;
        smarts_answer(&a, &m.q);
        smarts_complete(&a, &m.q, &whole, list);
        smarts_answer_free(&a);
        estimate[known] = made_counter(&whole, written);
        half[known] = made_half(list, written, 0);
    }
    assert_true(fabs(estimate[0] - 7000000) < 1 && estimate[1] > 7050000);
    assert_true(half[1] > 1.2 * half[0] && estimate[1] + half[1] > 7400000);
}

/* Stores to scattered places that miss; streams of stores do not hide anything. */
static void scattered_stores_hide_the_states_of_warps(void **state)
{
    launch_estimate_t whole, list[UNITS];
    made_t m;
    (void)state;
    for (unsigned scattered = 0; scattered < 2; scattered++) {
        for (size_t i = 0; i < UNITS; i++)
            m.unit[i] = made_unit(20, 400);
        made_ask(&m, 20);
        m.q.left.write_sectors = 2 * m.q.left.read_sectors;
        m.q.left.requests =
            (m.q.left.write_sectors + m.q.left.read_sectors) / (scattered ? 1U : 4U);
        made_complete(&m, &whole, list);
        const bool hidden =
            isnan(made_counter(&list[0], offsetof(gpu_counters_t, sm.state_selected)));
        assert_true(hidden == (scattered == 1));
        assert_true(isfinite(list[0].cycles) != 0);
    }
}

/* Loads that touch a part of many lines, as a stencil's do, are not scattered stores. */
static void only_stores_to_parts_of_lines_are_scattered(void **state)
{
    const shadow_counts_t stream = {.requests = 1000,
                                    .write_requests = 100,
                                    .read_sectors = 900,
                                    .read_hits = 800,
                                    .write_sectors = 400};
    shadow_counts_t scattered = stream;
    (void)state;
    scattered.write_requests = scattered.write_sectors;
    assert_false(smarts_scatters(&stream));
    assert_true(smarts_scatters(&scattered));
    scattered.read_hits = 0; /* most of what misses are reads */
    assert_false(smarts_scatters(&scattered));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_and_survey_are_weighed_by_their_errors),
        cmocka_unit_test(two_sources_that_agree_are_better_than_one),
        cmocka_unit_test(hits_follow_the_fills),
        cmocka_unit_test(fills_that_order_decides_are_uncertain),
        cmocka_unit_test(hits_stay_among_the_reads),
        cmocka_unit_test(shares_of_warp_states_have_an_error_of_their_own),
        cmocka_unit_test(what_units_share_is_never_lost),
        cmocka_unit_test(atomics_that_miss_hide_the_states_of_warps),
        cmocka_unit_test(sectors_that_moved_in_units_explain_the_cycles),
        cmocka_unit_test(hits_of_what_was_in_flight_are_uncertain),
        cmocka_unit_test(what_is_left_out_is_what_is_not_simulated),
        cmocka_unit_test(scattered_stores_hide_the_states_of_warps),
        cmocka_unit_test(only_stores_to_parts_of_lines_are_scattered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
