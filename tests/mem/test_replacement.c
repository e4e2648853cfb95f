/*
 * Laws of all replacement policies in the list, and of each policy separately: a policy without
 * law_NAME() does not compile.
 */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "sim/parts/cache/replacement.h"
#include "tests/support/sim/cache_lab.h"

enum { NOTHING = 1 << 30, MOST_WAYS = 128 };

/* One set; lines are identified by their numbers. */
typedef struct {
    cache_t *c;
    uint32_t ways;
} one_set_t;

static one_set_t one_set(replacement_policy_t policy, uint32_t ways)
{
    return (one_set_t){cache_create(1, ways, LINE, policy, false, true), ways};
}

/* Accesses a line. Returns whether it hit; *gone is the evicted line, or NOTHING. */
static bool use(one_set_t *s, uint32_t number, uint32_t *gone)
{
    cache_line_t victim = {0};
    bool evicted = false;
    cache_tag_t *t = cache_lookup(s->c, (uint64_t)number * LINE, true);
    const bool hit = t != NULL;
    if (!hit)
        t = cache_insert(s->c, (uint64_t)number * LINE, &victim, &evicted);
    cache_write(s->c, t)->dirty = 1; /* so that its eviction is reported */
    *gone = evicted ? (uint32_t)(victim.line / LINE) : NOTHING;
    return hit;
}

/* Accesses lines first to first + n - 1. Returns the number of hits. */
static uint32_t use_all(one_set_t *s, uint32_t first, uint32_t n)
{
    uint32_t hits = 0, gone;
    for (uint32_t i = 0; i < n; i++)
        hits += use(s, first + i, &gone);
    return hits;
}

static const uint32_t all_ways[] = {1, 2, 3, 4, 8, 16, 24, 64, 65, 100, 128};
enum { N_WAYS = sizeof(all_ways) / sizeof(all_ways[0]) };

/* A plain model of a policy: for random traffic the cache must hit and evict as it does. */
typedef struct {
    uint32_t line[MOST_WAYS], mark[2 * MOST_WAYS];
    uint32_t ways, count;
} model_t;

typedef struct {
    void (*hit)(model_t *m, uint32_t way);
    uint32_t (*victim)(model_t *m); /* of a full set */
    void (*fill)(model_t *m, uint32_t way);
} model_ops_t;

static void agree(replacement_policy_t policy, const model_ops_t *ops, uint32_t ways)
{
    one_set_t s = one_set(policy, ways);
    model_t m = {.ways = ways};
    cache_lab_seed(ways + 99);
    for (int i = 0; i < 20000; i++) {
        uint32_t number = (uint32_t)(cache_lab_random() % (ways + ways / 2 + 2));
        uint32_t gone, way = 0, expected = NOTHING;
        bool hit = use(&s, number, &gone);
        while (way < m.count && m.line[way] != number)
            way++;
        assert_int_equal(hit, way < m.count);
        if (hit) {
            ops->hit(&m, way);
        } else {
            if (m.count == ways) {
                way = ops->victim(&m);
                expected = m.line[way];
            } else {
                way = m.count++;
            }
            m.line[way] = number;
            ops->fill(&m, way);
        }
        assert_int_equal(gone, expected);
    }
    cache_destroy(s.c);
}

static void agree_at_all_ways(replacement_policy_t policy, const model_ops_t *ops, bool pow2_only)
{
    for (int i = 0; i < N_WAYS; i++) {
        if (!pow2_only || (all_ways[i] & (all_ways[i] - 1)) == 0)
            agree(policy, ops, all_ways[i]);
    }
}

/* Marks as times: mark[MOST_WAYS] is the last time that was used. */
static void stamp(model_t *m, uint32_t way)
{
    m->mark[way] = ++m->mark[MOST_WAYS];
}

static void ignore(model_t *m, uint32_t way)
{
    (void)m, (void)way;
}

static uint32_t smallest_mark(model_t *m)
{
    uint32_t best = 0;
    for (uint32_t w = 1; w < m->ways; w++)
        best = m->mark[w] < m->mark[best] ? w : best;
    return best;
}

static void law_lru(void)
{
    agree_at_all_ways(REPLACEMENT_LRU, &(model_ops_t){stamp, smallest_mark, stamp}, false);
}

static void law_fifo(void)
{
    agree_at_all_ways(REPLACEMENT_FIFO, &(model_ops_t){ignore, smallest_mark, stamp}, false);
}

/* The tree of textbooks; the children of node n are 2 n + 1 and 2 n + 2; mark 1: go right. */
static void tree_use(model_t *m, uint32_t way)
{
    uint32_t node = 0;
    for (uint32_t half = m->ways / 2; half > 0; half /= 2) {
        uint32_t right = way / half & 1;
        m->mark[node] = !right;
        node = 2 * node + 1 + right;
    }
}

static uint32_t tree_victim(model_t *m)
{
    uint32_t node = 0, way = 0;
    for (uint32_t half = m->ways / 2; half > 0; half /= 2) {
        way += m->mark[node] * half;
        node = 2 * node + 1 + m->mark[node];
    }
    return way;
}

static void law_plru(void)
{
    agree_at_all_ways(REPLACEMENT_PLRU, &(model_ops_t){tree_use, tree_victim, tree_use}, true);
    /* For any number of ways, the half that was used last is not evicted. */
    one_set_t s = one_set(REPLACEMENT_PLRU, 24);
    use_all(&s, 0, 24);
    cache_lab_seed(3);
    for (uint32_t next = 24; next < 2000; next++) {
        uint32_t used = next - 1 - (uint32_t)(cache_lab_random() % 8), gone;
        (void)use(&s, used, &gone);
        (void)use(&s, next, &gone);
        assert_int_not_equal(gone, NOTHING);
        assert_int_not_equal(gone, used);
    }
    cache_destroy(s.c);
}

static void predict_near(model_t *m, uint32_t way)
{
    m->mark[way] = 0;
}

static void predict_long(model_t *m, uint32_t way)
{
    m->mark[way] = 2;
}

static uint32_t first_distant(model_t *m)
{
    for (;;) {
        for (uint32_t w = 0; w < m->ways; w++) {
            if (m->mark[w] == 3)
                return w;
        }
        for (uint32_t w = 0; w < m->ways; w++)
            m->mark[w]++;
    }
}

static void law_srrip(void)
{
    agree_at_all_ways(REPLACEMENT_SRRIP, &(model_ops_t){predict_near, first_distant, predict_long},
                      false);
}

static void law_random(void)
{
    enum { WAYS = 16, EVICTIONS = 16000 };
    one_set_t s = one_set(REPLACEMENT_RANDOM, WAYS);
    uint32_t age[WAYS] = {0}, gone;
    use_all(&s, 0, WAYS);
    for (uint32_t next = WAYS; next < WAYS + EVICTIONS; next++) {
        (void)use(&s, next, &gone);
        assert_int_not_equal(gone, NOTHING);
        age[next - gone - 1 < WAYS ? next - gone - 1 : WAYS - 1]++;
    }
    /* A line survives k evictions with probability (15/16)^k: 1000 of 16000 are evicted at once. */
    assert_in_range(age[0], 850, 1150);
    assert_in_range(age[WAYS - 1], 5700, 6500); /* (15/16)^15 = 0.380 of them are older */
    cache_destroy(s.c);
}

/* The victim is a line that was not used since all had been used, and each of them equally often. */
static void law_nru(void)
{
    enum { WAYS = 70, LINES = 2 * WAYS };
    one_set_t s = one_set(REPLACEMENT_NRU, WAYS);
    bool held[LINES] = {false}, used[LINES] = {false};
    uint32_t n_held = 0, n_used = 0, evictions = 0, evicted[LINES] = {0}, gone;
    cache_lab_seed(17);
    for (int i = 0; i < 50000; i++) {
        const uint32_t number = (uint32_t)(cache_lab_random() % LINES);
        assert_int_equal(use(&s, number, &gone), held[number]);
        if (!held[number] && n_held < WAYS) {
            n_held++;
            assert_int_equal(gone, NOTHING);
        } else if (!held[number]) {
            if (n_used == WAYS) {
                memset(used, 0, sizeof(used));
                n_used = 0;
            }
            assert_in_range(gone, 0, LINES - 1);
            assert_true(held[gone] && !used[gone]);
            held[gone] = false;
            evicted[gone]++;
            evictions++;
        }
        n_used += !used[number];
        held[number] = used[number] = true;
    }
    for (uint32_t i = 0; i < LINES; i++)
        assert_in_range(evicted[i] * LINES, evictions * 2 / 3, evictions * 3 / 2);
    cache_destroy(s.c);
}

/* Rounds over one line more than there are ways, in order. Returns the hits of the last round. */
static uint32_t thrash(replacement_policy_t policy, uint32_t ways, uint32_t rounds)
{
    one_set_t s = one_set(policy, ways);
    uint32_t hits = 0;
    for (uint32_t r = 0; r < rounds; r++)
        hits = use_all(&s, 0, ways + 1);
    cache_destroy(s.c);
    return hits;
}

/* Hits of the last round over as many lines as there are ways, after accesses to other lines. */
static uint32_t adopt(replacement_policy_t policy, uint32_t ways, uint32_t rounds)
{
    one_set_t s = one_set(policy, ways);
    use_all(&s, 1000, ways);
    use_all(&s, 1000, ways);
    uint32_t hits = 0;
    for (uint32_t r = 0; r < rounds; r++)
        hits = use_all(&s, 0, ways);
    cache_destroy(s.c);
    return hits;
}

static void law_lip(void)
{
    for (uint32_t ways = 2; ways <= 100; ways += 7) {
        assert_int_equal(thrash(REPLACEMENT_LRU, ways, 5), 0);
        assert_int_equal(thrash(REPLACEMENT_LIP, ways, 5), ways - 1);
        assert_int_equal(adopt(REPLACEMENT_LIP, ways, 400), 0);
    }
}

static void law_bip(void)
{
    for (uint32_t ways = 16; ways <= 100; ways += 7) {
        uint32_t kept = thrash(REPLACEMENT_BIP, ways, 50);
        assert_in_range(kept, ways / 2, ways - 1);
        assert_in_range(adopt(REPLACEMENT_BIP, ways, 400), ways - 4, ways);
    }
}

/* A loop over lines that do not fit leaves nothing to srrip; drrip finds that its bimodal sets miss less. */
static void law_drrip(void)
{
    agree_at_all_ways(REPLACEMENT_DRRIP, &(model_ops_t){predict_near, first_distant, predict_long},
                      false); /* one set: no duel */
    enum { SETS = 128, WAYS = 16, LINES = SETS * (WAYS + 4), ROUNDS = 60 };
    uint32_t hits[2] = {0};
    for (uint32_t kind = 0; kind < 2; kind++) {
        cache_t *c = cache_create(SETS, WAYS, LINE,
                                  kind == 0 ? REPLACEMENT_SRRIP : REPLACEMENT_DRRIP, false, true);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            hits[kind] = 0;
            for (uint64_t n = 0; n < LINES; n++)
                hits[kind] += cache_use(c, n * LINE);
        }
        cache_destroy(c);
    }
    assert_int_equal(hits[0], 0);
    assert_in_range(hits[1], SETS * WAYS / 2, SETS * WAYS);
}

/* Two instructions: one reads WAYS - 2 lines twice, the other then a stream of lines, longer than the set;
 * and again. Returns the hits of the first reading in the last round. */
static uint32_t loop_beside_stream(replacement_policy_t policy, bool known)
{
    enum { WAYS = 16, KEPT = WAYS - 2, ROUNDS = 200 };
    cache_request_t request = {.kind = CACHE_BY_READ};
    one_set_t s = one_set(policy, WAYS);
    cache_watch(s.c, &request);
    uint32_t hits = 0, gone, next = 1000;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        request.pc = known ? 0x100 : 0;
        request.warp = 3;
        hits = use_all(&s, 0, KEPT);
        (void)use_all(&s, 0, KEPT);
        request.pc = known ? 0x200 : 0;
        request.warp = 60;
        for (uint32_t i = 0; i < 3 * WAYS; i++)
            (void)use(&s, next++, &gone);
    }
    cache_destroy(s.c);
    return hits;
}

/* Lines of the stream are never used again, so they stop evicting the others. */
static void law_ship(void)
{
    agree_at_all_ways(REPLACEMENT_SHIP, &(model_ops_t){predict_near, first_distant, predict_long},
                      false); /* unknown instructions */
    assert_int_equal(loop_beside_stream(REPLACEMENT_LRU, true), 0);
    assert_int_equal(loop_beside_stream(REPLACEMENT_SRRIP, true), 0);
    assert_int_equal(loop_beside_stream(REPLACEMENT_SHIP, false), 0);
    assert_int_equal(loop_beside_stream(REPLACEMENT_SHIP, true), 14);
}

/* Lines of the warp in the lower slot stay; among lines of one warp it is LRU. */
static void law_warp(void)
{
    agree_at_all_ways(REPLACEMENT_WARP, &(model_ops_t){stamp, smallest_mark, stamp}, false);
    assert_int_equal(loop_beside_stream(REPLACEMENT_WARP, true), 14);
    cache_request_t request = {.warp = 5};
    one_set_t s = one_set(REPLACEMENT_WARP, 2);
    uint32_t gone;
    cache_watch(s.c, &request);
    (void)use(&s, 1, &gone);
    request.warp = 9;
    (void)use(&s, 2, &gone);
    request.warp = 2;
    (void)use(&s, 2, &gone); /* now a line of warp 2 */
    (void)use(&s, 3, &gone);
    assert_int_equal(gone, 1);
    cache_destroy(s.c);
}

#define LAW_(NAME, name, bits, words, help) law_##name,
static void (*const laws[])(void) = {REPLACEMENT_POLICIES(LAW_)};

static void each_policy_keeps_its_own_law(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < REPLACEMENT_COUNT; p++)
        laws[p]();
}

static void each_policy_has_a_name_and_help(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < REPLACEMENT_COUNT; p++) {
        assert_non_null(replacement_choices[p].name);
        assert_in_range(strlen(replacement_choices[p].help), 10, 90);
    }
    assert_null(replacement_choices[REPLACEMENT_COUNT].name);
}

static void lines_that_fit_stay(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < REPLACEMENT_COUNT; p++) {
        for (int i = 0; i < N_WAYS; i++) {
            one_set_t s = one_set((replacement_policy_t)p, all_ways[i]);
            assert_int_equal(use_all(&s, 7, all_ways[i]), 0);
            for (int round = 0; round < 5; round++)
                assert_int_equal(use_all(&s, 7, all_ways[i]), all_ways[i]);
            assert_int_equal(cache_count(s.c), all_ways[i]);
            cache_destroy(s.c);
        }
    }
}

/* The same traffic again gives the same hits and evictions; after an invalidation no state
 * remains. */
static void what_goes_depends_on_the_traffic_alone(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < REPLACEMENT_COUNT; p++) {
        if (p == REPLACEMENT_RANDOM || p == REPLACEMENT_BIP || p == REPLACEMENT_NRU)
            continue; /* their random numbers continue after an invalidation */
        one_set_t a = one_set((replacement_policy_t)p, 24),
                  b = one_set((replacement_policy_t)p, 24);
        use_all(&a, 5000, 100);
        cache_invalidate(a.c);
        cache_lab_seed(1234);
        for (int i = 0; i < 5000; i++) {
            uint32_t number = (uint32_t)(cache_lab_random() % 40), x, y;
            assert_int_equal(use(&a, number, &x), use(&b, number, &y));
            assert_int_equal(x, y);
        }
        cache_destroy(a.c);
        cache_destroy(b.c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_policy_keeps_its_own_law),
        cmocka_unit_test(each_policy_has_a_name_and_help),
        cmocka_unit_test(lines_that_fit_stay),
        cmocka_unit_test(what_goes_depends_on_the_traffic_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
