/* Stack distances against an LRU cache that is simulated, for every size; samples of lines; ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/math/rank.h"
#include "sampling/math/rng.h"
#include "sampling/predict/stack_distance.h"
#include "tests/support/test.h"

enum { LINES = 40, SECTORS = 4, ACCESSES = 4000 };

/* A sectored LRU cache, most recently used line first. */
typedef struct {
    uint64_t line[LINES];
    unsigned valid[LINES], dirty[LINES];
    size_t n, capacity;
    double misses, fills, write_misses, dirtied;
} lru_t;

static void lru_access(lru_t *c, uint64_t line, const stack_use_t *use)
{
    size_t at = 0;
    while (at < c->n && c->line[at] != line)
        at++;
    unsigned valid = at < c->n ? c->valid[at] : 0, dirty = at < c->n ? c->dirty[at] : 0;
    if (at == c->n && c->n < c->capacity)
        c->n++;
    else if (at == c->n)
        at--; /* the oldest goes */
    memmove(c->line + 1, c->line, at * sizeof(*c->line));
    memmove(c->valid + 1, c->valid, at * sizeof(*c->valid));
    memmove(c->dirty + 1, c->dirty, at * sizeof(*c->dirty));
    for (unsigned i = 0; i < SECTORS; i++) {
        const unsigned bit = 1u << i;
        if (!(use->sectors & bit))
            continue;
        if (use->read && !(valid & bit)) {
            c->misses++;
            c->fills++;
        }
        c->write_misses += use->write && !(valid & bit) && !use->read;
        c->dirtied += use->write && !(dirty & bit);
        valid |= bit;
        dirty |= use->write ? bit : 0;
    }
    c->line[0] = line;
    c->valid[0] = valid;
    c->dirty[0] = dirty;
}

static void distances_are_those_of_every_cache(void **state)
{
    stack_counts_t counts = {0};
    line_stack_t *s = stack_create(4 * LINES, false);
    lru_t cache[LINES + 1] = {0};
    rng_t rng = rng_make(5, 0);
    (void)state;
    for (size_t c = 1; c <= LINES; c++)
        cache[c].capacity = c;
    for (int i = 0; i < ACCESSES; i++) {
        const uint64_t line = rng_below(&rng, 1 + rng_below(&rng, 2 * LINES));
        const bool write = rng_below(&rng, 3) == 0;
        const stack_use_t use = {.sectors = (uint8_t)(1 + rng_below(&rng, 15)),
                                 .full = 15,
                                 .group = 1,
                                 .read = !write,
                                 .write = write};
        stack_access(s, line, &use, &counts);
        for (size_t c = 1; c <= LINES; c++)
            lru_access(&cache[c], line, &use);
    }
    assert_true(stack_rate(s) == 1);
    for (size_t c = 1; c <= LINES; c++) {
        /* Above 16, distances share bins: the next border below is meant. */
        if (c > 32 && c % 2 != 0)
            continue;
        assert_true(distances_missed(&counts.read, (double)c) == cache[c].misses);
        assert_true(distances_missed(&counts.fill, (double)c) == cache[c].fills);
        assert_true(distances_missed(&counts.write, (double)c) == cache[c].write_misses);
        assert_true(distances_missed(&counts.dirty, (double)c) == cache[c].dirtied);
    }
    stack_destroy(s);
}

/* A group is fetched together by its first miss. */
static void a_miss_fetches_its_group(void **state)
{
    stack_counts_t counts = {0};
    line_stack_t *s = stack_create(8, false);
    const stack_use_t low = {.sectors = 1, .group = 2, .read = true};
    const stack_use_t high = {.sectors = 2, .group = 2, .read = true};
    (void)state;
    stack_access(s, 7, &low, &counts);
    stack_access(s, 7, &high, &counts);
    assert_true(counts.read.all == 2);
    assert_true(distances_missed(&counts.read, 100) == 1);
    assert_true(distances_missed(&counts.fill, 100) == 2);
    stack_destroy(s);
}

/* A loop over 4000 lines, of which few are kept: small caches miss all, large ones all but the first. */
static void samples_tell_the_same(void **state)
{
    enum { LOOP = 4000, TIMES = 5 };
    stack_counts_t counts = {0};
    line_stack_t *s = stack_create(512, false);
    const stack_use_t use = {.sectors = 1, .group = 1, .read = true};
    (void)state;
    for (int k = 0; k < TIMES; k++)
        for (uint64_t i = 0; i < LOOP; i++)
            stack_access(s, i, &use, &counts);
    assert_true(stack_rate(s) < 0.2 && stack_rate(s) > 0.01);
    assert_true(fabs(counts.read.all / (LOOP * TIMES) - 1) < 0.25);
    assert_true(distances_missed(&counts.read, LOOP / 2) / counts.read.all > 0.99);
    assert_true(distances_missed(&counts.read, 2 * LOOP) / counts.read.all < 0.35);
    stack_destroy(s);
    /* An exact one forgets the oldest lines instead. */
    counts = (stack_counts_t){0};
    s = stack_create(512, true);
    for (int k = 0; k < TIMES; k++)
        for (uint64_t i = 0; i < 300; i++)
            stack_access(s, i, &use, &counts);
    for (uint64_t i = 0; i < LOOP; i++)
        stack_access(s, 1000 + i, &use, &counts);
    assert_true(stack_rate(s) == 1);
    assert_true(distances_missed(&counts.read, 304) == 300 + LOOP);
    stack_destroy(s);
}

/* Lines that are skipped push the others down, and distances to an earlier part of a launch are not known. */
static void what_was_left_out_counts(void **state)
{
    const stack_use_t use = {.sectors = 1, .group = 1, .read = true};
    stack_counts_t counts = {0};
    line_stack_t *s = stack_create(64, false);
    (void)state;
    for (uint64_t i = 0; i < 10; i++)
        stack_access(s, i, &use, &counts);
    stack_skip(s, 100);
    assert_true(stack_fresh(s) == 10 && stack_novel(s) == 10);
    stack_access(s, 0, &use, &counts);
    assert_true(distances_missed(&counts.read, 108) == 11);
    assert_true(distances_missed(&counts.read, 112) == 10);
    stack_part(s, true);
    stack_access(s, 1, &use, &counts); /* used before the launch */
    assert_true(counts.read.far == 0 && stack_novel(s) == 11);
    stack_part(s, false);
    stack_access(s, 1, &use, &counts);
    assert_true(counts.read.far == 1 && stack_fresh(s) == 10 && stack_novel(s) == 12);
    for (uint64_t i = 100; i < 1000; i++) /* what was skipped stays when lines are left out */
        stack_access(s, i, &use, &counts);
    assert_true(stack_rate(s) < 1);
    stack_clear(s);
    counts = (stack_counts_t){0};
    stack_access(s, 1, &use, &counts);
    assert_true(counts.read.never == 1 / stack_rate(s) || counts.read.all == 0);
    stack_destroy(s);
}

/* An exact one may sample half of the lines, twice, before it forgets any. */
static void some_lines_may_stand_for_all(void **state)
{
    enum { LOOP = 1500 };
    const stack_use_t use = {.sectors = 1, .group = 1, .read = true};
    stack_counts_t counts = {0};
    line_stack_t *s = stack_create(512, true);
    (void)state;
    stack_may_halve(s, 2);
    for (int k = 0; k < 8; k++)
        for (uint64_t i = 0; i < LOOP; i++)
            stack_access(s, i, &use, &counts);
    assert_true(stack_rate(s) == 0.25);
    assert_true(fabs(counts.read.all / (8 * LOOP) - 1) < 0.25);
    assert_true(distances_missed(&counts.read, LOOP / 2) / counts.read.all > 0.9);
    assert_true(distances_missed(&counts.read, 2 * LOOP) / counts.read.all < 0.35);
    stack_clear(s);
    assert_true(stack_rate(s) == 1);
    stack_destroy(s);
}

static void ranks_are_spearmans(void **state)
{
    const double x[] = {1, 2, 3, 4, 5}, up[] = {2, 4, 8, 16, 32}, down[] = {5, 4, 3, 2, 1};
    const double tied[] = {1, 1, 2, 3, 3}, flat[] = {7, 7, 7, 7, 7};
    (void)state;
    assert_true(fabs(rank_correlation(x, up, 5) - 1) < 1e-12);
    assert_true(fabs(rank_correlation(x, down, 5) + 1) < 1e-12);
    assert_true(fabs(rank_correlation(x, tied, 5) - 9 / sqrt(90)) < 1e-12);
    assert_true(isnan(rank_correlation(x, flat, 5)));
    assert_true(isnan(rank_correlation(x, up, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_every_cache),
        cmocka_unit_test(a_miss_fetches_its_group),
        cmocka_unit_test(samples_tell_the_same),
        cmocka_unit_test(what_was_left_out_counts),
        cmocka_unit_test(some_lines_may_stand_for_all),
        cmocka_unit_test(ranks_are_spearmans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
