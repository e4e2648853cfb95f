/*
 * Each warp scheduler against a plain description: a scheduler without expect_NAME() does not
 * compile.
 */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "sim/sm/subcore/scheduler/scheduler.h"
#include "sim/sm/subcore/scheduler/scheduler_state.h"
#include "tests/support/sim/cache_lab.h"

enum { WARPS = SM_SUB_CORE_WARPS, ROUNDS = 20000 };

static bool can(uint32_t eligible, uint32_t warp)
{
    return eligible >> warp & 1;
}

static uint32_t expect_oldest(const sm_spec_t *spec, const sub_core_t *sub, uint32_t eligible)
{
    uint32_t best = WARPS;
    (void)spec;
    for (uint32_t w = 0; w < WARPS; w++) {
        if (can(eligible, w) && (best == WARPS || sub->age[w] < sub->age[best]))
            best = w;
    }
    return best;
}

static uint32_t expect_youngest(const sub_core_t *sub, uint32_t eligible)
{
    uint32_t best = WARPS;
    for (uint32_t w = 0; w < WARPS; w++) {
        if (can(eligible, w) && (best == WARPS || sub->age[w] > sub->age[best]))
            best = w;
    }
    return best;
}

static uint32_t expect_lrr(const sm_spec_t *spec, const sub_core_t *sub, uint32_t eligible)
{
    uint32_t w = sub->last;
    (void)spec;
    do {
        w = (w + 1) % WARPS;
    } while (!can(eligible, w));
    return w;
}

static uint32_t expect_gto(const sm_spec_t *spec, const sub_core_t *sub, uint32_t eligible)
{
    return can(eligible, sub->last) ? sub->last : expect_oldest(spec, sub, eligible);
}

static uint32_t expect_cggty(const sm_spec_t *spec, const sub_core_t *sub, uint32_t eligible)
{
    (void)spec;
    return can(eligible, sub->last) ? sub->last : expect_youngest(sub, eligible);
}

static uint32_t expect_grr(const sm_spec_t *spec, const sub_core_t *sub, uint32_t eligible)
{
    return can(eligible, sub->last) ? sub->last : expect_lrr(spec, sub, eligible);
}

/* The active group is the one that issued last, if any. */
static uint32_t expect_two_level(const sm_spec_t *spec, const sub_core_t *sub, uint32_t eligible)
{
    uint32_t size = spec->scheduler_group, groups = (WARPS + size - 1) / size;
    for (uint32_t g = sub->last / size;; g = (g + 1) % groups) {
        uint32_t members = 0;
        for (uint32_t w = g * size; w < (g + 1) * size && w < WARPS; w++)
            members |= eligible & UINT32_C(1) << w;
        if (members != 0)
            return expect_lrr(spec, sub, members);
    }
}

typedef uint32_t (*expect_t)(const sm_spec_t *spec, const sub_core_t *sub, uint32_t eligible);
typedef uint32_t (*pick_t)(const sm_spec_t *spec, sub_core_t *sub, uint32_t eligible);

#define ROW_(NAME, name, values, help) {scheduler_##name##_pick, expect_##name},
static const struct {
    pick_t pick;
    expect_t expect;
} schedulers[] = {SCHEDULER_POLICIES(ROW_)};

/* Warps start and end: ages are the order of starting, and some slots are never ready. */
static void each_scheduler_picks_as_it_is_described(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < SCHEDULER_COUNT; p++) {
        for (uint32_t size = 1; size <= WARPS; size = size * 2 + 1) {
            sm_spec_t spec = {.scheduler = p, .scheduler_group = size};
            sub_core_t sub = {0};
            uint32_t started = 0;
            for (uint32_t w = 0; w < WARPS; w++)
                sub.age[w] = started++;
            cache_lab_seed(size + 5);
            for (int i = 0; i < ROUNDS; i++) {
                uint32_t eligible = (uint32_t)(cache_lab_random() & cache_lab_random());
                if (eligible == 0)
                    continue;
                uint32_t expected = schedulers[p].expect(&spec, &sub, eligible);
                const uint32_t word = sub.scheduler_word;
                assert_int_equal(schedulers[p].pick(&spec, &sub, eligible), expected);
                if (scheduler_is_greedy(&spec) && can(eligible, sub.last)) {
                    assert_int_equal(expected, sub.last);
                    assert_int_equal(sub.scheduler_word, word);
                }
                assert_true(sub.scheduler_word < scheduler_word_values(&spec));
                sub.last = expected;
                if (i % 16 == 0)
                    sub.age[cache_lab_random() % WARPS] = started++;
            }
        }
    }
}

static void ages_may_wrap(void **state)
{
    const sm_spec_t spec = {.scheduler_group = 8};
    sub_core_t sub = {.last = 9, .age = {[3] = UINT32_MAX - 1, [5] = 2, [7] = UINT32_MAX}};
    const uint32_t eligible = 1u << 3 | 1u << 5 | 1u << 7;
    (void)state;
    assert_int_equal(scheduler_oldest_pick(&spec, &sub, eligible), 3);
    assert_int_equal(scheduler_gto_pick(&spec, &sub, eligible), 3);
    assert_int_equal(scheduler_cggty_pick(&spec, &sub, eligible), 5);
}

static void each_scheduler_has_a_name_and_help(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < SCHEDULER_COUNT; p++) {
        assert_non_null(scheduler_choices[p].name);
        assert_in_range(strlen(scheduler_choices[p].help), 10, 90);
    }
    assert_null(scheduler_choices[SCHEDULER_COUNT].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_scheduler_picks_as_it_is_described),
        cmocka_unit_test(ages_may_wrap),
        cmocka_unit_test(each_scheduler_has_a_name_and_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
