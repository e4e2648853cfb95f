/* Strata of launches that are made before anything was simulated. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/launch/online/online_state.h"
#include "sampling/launch/stem/stem_groups.h"
#include "sampling/launch/stem/stem_strata.h"
#include "tests/support/sampling/population_lab.h"

static strata_options_t usual(void)
{
    return (strata_options_t){
        .small = 10, .similar = 0.25, .pilot = 2, .pilot_total = 400, .firsts = true};
}

static uint32_t group_of(const stem_groups_t *g, uint32_t row)
{
    for (uint32_t i = 0; i < g->n; i++) {
        for (uint64_t k = g->begin[i]; k < g->begin[i + 1]; k++) {
            if (g->rows[k] == row)
                return i;
        }
    }
    fail_msg("no group has row %u", row);
    return 0;
}

/* Launches with equal instructions that differ in another count of the index. */
static void every_count_of_the_index_divides(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(100, 1);
    double column[100];
    lab.pop.counter[POP_WARP_INSTS] = lab.insts;
    for (uint64_t i = 0; i < 100; i++) {
        lab.insts[i] = 5000;
        column[i] = i % 2 == 0 ? 1000 : 4000;
    }
    for (int i = 0; i < POP_FACTS; i++) {
        stem_groups_t g;
        lab.pop.fact[i] = column;
        stem_groups_make(&g, &lab.pop, 10, 0.25);
        assert_int_equal(g.n, 2);
        assert_true(g.equal[0] && g.equal[1]);
        assert_true(group_of(&g, 0) != group_of(&g, 1) && group_of(&g, 0) == group_of(&g, 98));
        stem_groups_free(&g);
        lab.pop.fact[i] = NULL;
    }
    lab_population_free(&lab);
}

/* Small groups: two of about a size are merged, a giant between them in no way. */
static void only_similar_launches_are_merged(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(60, 1);
    double sectors[60];
    lab.pop.counter[POP_WARP_INSTS] = lab.insts;
    lab.pop.fact[POP_GLOBAL_SECTORS] = sectors;
    for (uint64_t i = 0; i < 60; i++) {
        lab.insts[i] = i < 54 ? 100000 : 10000 + 100 * (double)i;
        sectors[i] = 20000;
    }
    lab.insts[57] *= 50; /* far more instructions */
    sectors[59] *= 10;   /* the same instructions, far more sectors */
    stem_groups_t g;
    stem_groups_make(&g, &lab.pop, 10, 0.25);
    assert_int_equal(g.n, 4);
    assert_true(group_of(&g, 54) == group_of(&g, 58));
    assert_false(g.equal[group_of(&g, 54)]);
    assert_true(g.equal[group_of(&g, 0)]);
    assert_int_equal(g.begin[group_of(&g, 57) + 1] - g.begin[group_of(&g, 57)], 1);
    assert_int_equal(g.begin[group_of(&g, 59) + 1] - g.begin[group_of(&g, 59)], 1);
    stem_groups_free(&g);
    stem_groups_make(&g, &lab.pop, 1, 0.25); /* nothing is small */
    assert_int_equal(g.n, 1 + 6);
    stem_groups_free(&g);
    lab_population_free(&lab);
}

/* Launches that look the same but are predicted to take another time, such as those with one long block, are apart:
 * the first round takes some of them. */
static void launches_with_other_predictions_are_apart(void **state)
{
    enum { N = 300, SLOW = 12 };
    lab_population_t lab = lab_population(N, 1);
    double predicted[N];
    stem_groups_t g;
    (void)state;
    lab.pop.counter[POP_WARP_INSTS] = lab.insts;
    lab.pop.predicted = predicted;
    for (uint64_t i = 0; i < N; i++)
        predicted[i] = i % 25 == 7 ? 90000 : 10000 + (double)(i % 10); /* chance is no difference */
    stem_groups_make(&g, &lab.pop, 10, 0.25);
    assert_int_equal(g.n, 2);
    assert_true(g.equal[0] && g.equal[1]);
    assert_true(group_of(&g, 7) == group_of(&g, 32) && group_of(&g, 7) != group_of(&g, 8));
    assert_int_equal(g.begin[group_of(&g, 7) + 1] - g.begin[group_of(&g, 7)], SLOW);
    stem_groups_free(&g);
    lab_population_free(&lab);
}

/* Launches that all differ end in a limited number of groups. */
static void groups_are_limited(void **state)
{
    (void)state;
    enum { N = 4000 };
    lab_population_t lab = lab_population(N, 2);
    rng_t rng = rng_make(1, 1);
    lab.pop.counter[POP_WARP_INSTS] = lab.insts;
    lab.pop.counter[POP_REQUESTS] = lab.requests;
    for (uint64_t i = 0; i < N; i++) {
        lab.insts[i] = floor(100 * exp(10 * rng_unit(&rng)));
        lab.requests[i] = floor(lab.insts[i] * rng_unit(&rng) * 10);
    }
    stem_groups_t g;
    stem_groups_make(&g, &lab.pop, 10, 0.25);
    assert_true(g.n > 20 && g.n <= N / 20);
    stem_groups_free(&g);
    stem_groups_make(&g, &lab.pop, 10, 0);
    assert_true(g.n > 20 && g.n <= N / 20);
    stem_groups_free(&g);
    lab_population_free(&lab);
}

static uint64_t pilot_of_row(const stem_strata_t *s, uint32_t row, uint64_t *size)
{
    for (uint32_t h = 0; h < s->n; h++) {
        for (uint64_t k = s->begin[h]; k < s->begin[h + 1]; k++) {
            *size = s->begin[h + 1] - s->begin[h];
            if (s->rows[k] == row)
                return s->pilot[h];
        }
    }
    fail_msg("no stratum has row %u", row);
    return 0;
}

/* The first launch of a kernel is apart unless it is expensive; parts of a long group are ranges of
 * the program's order. */
static void firsts_are_apart_and_long_groups_are_cut(void **state)
{
    (void)state;
    enum { N = 3000 };
    lab_population_t lab = lab_population(N, 3);
    strata_options_t o = usual();
    stem_strata_t s;
    uint64_t size;
    lab.pop.counter[POP_WARP_INSTS] = lab.insts;
    for (uint64_t i = 0; i < N; i++) {
        lab.name[i] = i < 10 ? 2 : (uint32_t)(i % 2);
        lab.insts[i] = i < 10 ? 1e7 : 1000;
    }
    stem_strata_make(&s, &lab.pop, &o);
    assert_int_equal(pilot_of_row(&s, 10, &size), 1);
    assert_int_equal(size, 1);
    assert_int_equal(pilot_of_row(&s, 11, &size), 1);
    assert_int_equal(size, 1);
    /* A tenth of the instructions: not taken, and no more than the least number of samples. */
    assert_int_equal(pilot_of_row(&s, 0, &size), 2);
    assert_int_equal(size, 10);
    assert_true(s.n > 40); /* 300 samples */
    for (uint32_t h = 0; h < s.n; h++) {
        for (uint64_t k = s.begin[h] + 1; k < s.begin[h + 1]; k++)
            assert_true(s.rows[k - 1] < s.rows[k]);
    }
    stem_strata_free(&s);
    o.firsts = false;
    stem_strata_make(&s, &lab.pop, &o);
    pilot_of_row(&s, 10, &size);
    assert_true(size > 1);
    stem_strata_free(&s);
    lab_population_free(&lab);
}

/* A group whose few samples happen to be alike takes half of the degrees of freedom that others lend it:
 * of ten, five, beside its own three. */
static void degrees_of_freedom_are_borrowed_by_halves(void **state)
{
    enum { FEW = 4, MANY = 31 };
    static const double few[FEW] = {99, 101, 99, 101};
    static const double within[MANY];
    static double many[MANY];
    uint64_t begin[] = {0, 1000, 1000 + MANY};
    uint32_t of_group[] = {0, 1, 2};
    bool equal[] = {true, true};
    const stem_strata_t strata = {
        .n = 2, .begin = begin, .n_groups = 2, .of_group = of_group, .equal = equal};
    const stratum_sample_t samples[] = {{1000, FEW, few, within}, {MANY, MANY, many, within}};
    const online_assume_t assume = {.slow = 1, .rare = 0.01, .confidence = 0.95};
    online_stratum_t plan[2];

    (void)state;
    for (size_t i = 0; i < MANY; i++)
        many[i] = i % 2 == 0 ? 50 : 150;
    const online_state_t s = online_state(&strata, samples, &assume, plan);
    assert_true(fabs(s.df - (FEW - 1 + 10.0 / 2)) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degrees_of_freedom_are_borrowed_by_halves),
        cmocka_unit_test(every_count_of_the_index_divides),
        cmocka_unit_test(only_similar_launches_are_merged),
        cmocka_unit_test(launches_with_other_predictions_are_apart),
        cmocka_unit_test(groups_are_limited),
        cmocka_unit_test(firsts_are_apart_and_long_groups_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
