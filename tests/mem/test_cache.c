#include "tests/support/test.h"

#include <stdlib.h>

#include "sim/parts/cache/replacement.h"
#include "tests/support/sim/cache_lab.h"

static void an_inserted_line_is_found_and_holds_no_sector(void **state)
{
    (void)state;
    cache_t *c = cache_create(4, 2, LINE, REPLACEMENT_LRU, true, true);
    assert_null(cache_lookup(c, 0x1000, true));
    cache_line_t victim;
    bool evicted = true;
    cache_tag_t *l = cache_insert(c, 0x1000, &victim, &evicted);
    assert_false(evicted);
    assert_int_equal(cache_tag_valid(l), 0);
    assert_null(cache_written(c, l));
    assert_ptr_equal(cache_lookup(c, 0x1000, false), l);
    const cache_written_t *w = cache_write(c, l);
    assert_int_equal(w->dirty | w->partial, 0);
    for (int s = 0; s < SECTORS_PER_LINE; s++)
        assert_int_equal(w->bytes[s], 0);
    assert_int_equal(cache_tag_valid(l), 0);
    assert_ptr_equal(cache_lookup(c, 0x1000, false), l);
    assert_ptr_equal(cache_written(c, l), w);
    assert_null(cache_lookup(c, 0x1000 + LINE, false));
    assert_int_equal(cache_count(c), 1);
    assert_int_equal(cache_capacity(c), 8);
    cache_destroy(c);
}

static void lru_evicts_the_line_not_used_for_longest(void **state)
{
    (void)state;
    const uint32_t ways = 24;
    cache_t *c = cache_create(1, ways, LINE, REPLACEMENT_LRU, true, true);
    for (uint64_t i = 0; i < ways; i++)
        cache_lab_fill(c, i * LINE);
    assert_non_null(cache_lookup(c, 0, true));     /* the oldest becomes the newest */
    assert_non_null(cache_lookup(c, LINE, false)); /* a lookup without touch changes nothing */
    cache_lab_fill(c, (uint64_t)ways * LINE);
    assert_non_null(cache_lookup(c, 0, false));
    assert_null(cache_lookup(c, LINE, false));
    assert_non_null(cache_lookup(c, 2 * LINE, false));
    cache_destroy(c);
}

static void only_dirty_or_partial_victims_are_handed_out(void **state)
{
    (void)state;
    cache_t *c = cache_create(1, 1, LINE, REPLACEMENT_LRU, true, true);
    cache_line_t victim;
    bool evicted;
    cache_lab_fill(c, 0);
    cache_tag_t *l = cache_insert(c, LINE, &victim, &evicted);
    assert_false(evicted);
    cache_tag_fill(l, 3);
    *cache_write(c, l) = (cache_written_t){.dirty = 4, .partial = 4, .bytes = {[2] = 0xff00}};
    l = cache_insert(c, 2 * LINE, &victim, &evicted);
    assert_true(evicted);
    assert_int_equal(victim.line, LINE);
    assert_int_equal(victim.valid, 3);
    assert_int_equal(victim.written.dirty, 4);
    assert_int_equal(victim.written.partial, 4);
    assert_int_equal(victim.written.bytes[2], 0xff00);
    assert_null(cache_written(c, l));
    assert_int_equal(cache_write(c, l)->bytes[2], 0);
    cache_destroy(c);
}

/* Lines 0 to 3 of a set of 4 ways, of which 0, 1 and 3 are written. */
static cache_t *three_written(void)
{
    cache_t *c = cache_create(1, 4, LINE, REPLACEMENT_LRU, true, true);
    for (uint64_t i = 0; i < 4; i++) {
        cache_lab_fill(c, i * LINE);
        if (i != 2)
            cache_write(c, cache_lookup(c, i * LINE, false))->dirty = (uint8_t)(i + 1);
    }
    return c;
}

static uint32_t modified(const cache_t *c)
{
    return cache_modified(c, cache_key_of(c, 0));
}

/* The line that is written back, as its number in the set; 99: none. */
static uint64_t clean(cache_t *c, cache_line_t *line)
{
    return cache_clean_oldest(c, cache_key_of(c, 0), line) ? line->line / LINE : 99;
}

static void written_lines_are_cleaned_in_order_of_use_and_stay(void **state)
{
    (void)state;
    cache_t *c = three_written();
    cache_line_t line;
    assert_int_equal(modified(c), 3);
    assert_non_null(cache_lookup(c, 0, true)); /* no longer the oldest */
    assert_int_equal(clean(c, &line), 1);
    assert_int_equal(line.written.dirty, 2);
    assert_int_equal(modified(c), 2);
    cache_tag_t *l = cache_lookup(c, LINE, false);
    assert_int_equal(cache_tag_valid(l), CACHE_TAG_VALID);
    assert_null(cache_written(c, l));
    cache_write(c, l)->dirty = 8; /* modified again */
    assert_int_equal(modified(c), 3);
    assert_int_equal(clean(c, &line), 1);
    assert_int_equal(line.written.dirty, 8);
    assert_int_equal(clean(c, &line), 3);
    assert_int_equal(clean(c, &line), 0);
    assert_int_equal(clean(c, &line), 99);
    assert_int_equal(cache_count(c), 4);
    cache_destroy(c);
}

static void a_replaced_line_is_no_longer_modified(void **state)
{
    (void)state;
    cache_t *c = three_written();
    cache_line_t line;
    bool evicted;
    assert_int_equal(clean(c, &line), 0);
    cache_insert(c, 4 * LINE, &line, &evicted); /* for line 0, which is clean */
    assert_false(evicted);
    assert_int_equal(modified(c), 2);
    cache_insert(c, 5 * LINE, &line, &evicted);
    assert_true(evicted);
    assert_int_equal(line.line, LINE);
    assert_int_equal(modified(c), 1);
    cache_invalidate(c);
    assert_int_equal(modified(c), 0);
    cache_destroy(c);
}

/* Straightforward model: per set an array of lines, most recently used first. */
typedef struct {
    uint32_t sets, ways;
    uint64_t *line;
    uint32_t *count;
} model_t;

static uint32_t model_set(const model_t *m, uint64_t line)
{
    uint64_t n = line / LINE;
    if ((m->sets & (m->sets - 1)) != 0)
        return (uint32_t)(n % m->sets);
    uint32_t set = 0, bits = 0;
    while (m->sets >> bits > 1)
        bits++;
    for (; bits > 0 && n != 0; n >>= bits)
        set ^= (uint32_t)n & (m->sets - 1);
    return set;
}

static bool model_use(model_t *m, uint64_t line)
{
    uint32_t set = model_set(m, line);
    uint64_t *l = &m->line[set * m->ways];
    uint32_t i = 0, n = m->count[set];
    while (i < n && l[i] != line)
        i++;
    bool hit = i < n;
    if (!hit && n < m->ways)
        m->count[set]++;
    if (!hit && i == m->ways)
        i--;
    for (; i > 0; i--)
        l[i] = l[i - 1];
    l[0] = line;
    return hit;
}

typedef struct {
    const model_t *m;
    uint32_t seen;
    uint32_t set, rank;
} visit_t;

static void visit_check(void *ctx, const cache_line_t *line)
{
    visit_t *v = ctx;
    while (v->rank == v->m->count[v->set]) {
        v->set++;
        v->rank = 0;
    }
    assert_int_equal(line->line, v->m->line[v->set * v->m->ways + v->rank]);
    v->rank++;
    v->seen++;
}

static void compare_with_model(uint32_t sets, uint32_t ways, uint64_t lines)
{
    model_t m = {.sets = sets,
                 .ways = ways,
                 .line = calloc((size_t)sets * ways, sizeof(uint64_t)),
                 .count = calloc(sets, sizeof(uint32_t))};
    cache_t *c = cache_create(sets, ways, LINE, REPLACEMENT_LRU, true, true);
    cache_lab_seed(88172645463325252u);
    for (int i = 0; i < 40000; i++) {
        uint64_t line = cache_lab_random() % lines * LINE * (i % 3 == 0 ? 1 : 5);
        bool hit = cache_lookup(c, line, true) != NULL;
        if (!hit)
            cache_lab_fill(c, line);
        assert_int_equal(hit, model_use(&m, line));
    }
    visit_t v = {.m = &m};
    cache_visit(c, visit_check, &v);
    assert_int_equal(v.seen, cache_count(c));
    cache_destroy(c);
    free(m.line);
    free(m.count);
}

static void random_traffic_agrees_with_a_simple_model(void **state)
{
    (void)state;
    compare_with_model(1, 1, 4);
    compare_with_model(1, 256, 400);
    compare_with_model(4, 256, 2000);
    compare_with_model(32, 24, 1500);
    compare_with_model(48, 16, 1500);
    compare_with_model(3, 17, 100);
    compare_with_model(8, 33, 500);
    compare_with_model(2, 64, 200); /* the most ways that are searched by comparing all */
    compare_with_model(2, 65, 200);
    compare_with_model(1024, 1, 2000);
}

/* A set, newest first: its lines, and which are modified. */
typedef struct {
    uint64_t line[128];
    bool dirty[128];
    uint32_t count;
} dirty_model_t;

static uint32_t dirty_model_find(const dirty_model_t *m, uint64_t line)
{
    uint32_t i = 0;
    while (i < m->count && m->line[i] != line)
        i++;
    return i;
}

/* Makes the line at this position the newest. */
static void dirty_model_use(dirty_model_t *m, uint32_t place, uint64_t line, bool dirty)
{
    for (uint32_t i = place; i > 0; i--) {
        m->line[i] = m->line[i - 1];
        m->dirty[i] = m->dirty[i - 1];
    }
    m->line[0] = line;
    m->dirty[0] = dirty;
}

static void write_one(cache_t *c, dirty_model_t *m, uint32_t ways, uint64_t line, bool dirty)
{
    uint32_t at = dirty_model_find(m, line);
    cache_tag_t *l = cache_lookup(c, line, true);
    assert_int_equal(l != NULL, at < m->count);
    if (l == NULL) {
        cache_line_t victim = {0};
        bool evicted;
        bool goes = m->count == ways && m->dirty[ways - 1];
        l = cache_insert(c, line, &victim, &evicted);
        assert_int_equal(evicted, goes);
        if (goes)
            assert_int_equal(victim.line, m->line[ways - 1]);
        if (m->count < ways)
            m->count++;
        at = m->count - 1;
    } else {
        dirty |= m->dirty[at];
    }
    if (dirty)
        cache_write(c, l)->dirty = 1;
    dirty_model_use(m, at, line, dirty);
}

static void clean_one(cache_t *c, dirty_model_t *m)
{
    cache_line_t cleaned;
    uint32_t at = m->count;
    while (at > 0 && !m->dirty[at - 1])
        at--;
    assert_int_equal(cache_clean_oldest(c, cache_key_of(c, 0), &cleaned), at > 0);
    if (at > 0) {
        assert_int_equal(cleaned.line, m->line[at - 1]);
        m->dirty[at - 1] = false;
    }
}

static void modified_lines_agree_with_a_simple_model(void **state)
{
    (void)state;
    static const uint32_t all[] = {1, 7, 16, 24, 64, 65, 128};
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        dirty_model_t m = {0};
        cache_t *c = cache_create(1, all[k], LINE, REPLACEMENT_LRU, true, true);
        cache_lab_seed(77);
        for (int i = 0; i < 20000; i++) {
            write_one(c, &m, all[k], cache_lab_random() % (2 * all[k]) * LINE,
                      cache_lab_random() % 3 == 0);
            if (cache_lab_random() % 5 == 0)
                clean_one(c, &m);
            uint32_t dirty = 0;
            for (uint32_t w = 0; w < m.count; w++)
                dirty += m.dirty[w];
            assert_int_equal(modified(c), dirty);
        }
        cache_destroy(c);
    }
}

static void more_ways_never_lower_the_hits_of_lru(void **state)
{
    (void)state;
    uint32_t before = 0;
    for (uint32_t ways = 1; ways <= 32; ways++) {
        cache_t *c = cache_create(8, ways, LINE, REPLACEMENT_LRU, true, false);
        uint32_t hits = 0;
        cache_lab_seed(42);
        for (int i = 0; i < 20000; i++) {
            uint64_t line = (cache_lab_random() % 64 + cache_lab_random() % 128) * LINE;
            if (cache_lookup(c, line, true) != NULL)
                hits++;
            else
                cache_lab_fill(c, line);
        }
        assert_true(hits >= before);
        before = hits;
        cache_destroy(c);
    }
    assert_true(before > 15000); /* everything fits in the end */
}

static void sequential_lines_fill_every_way(void **state)
{
    (void)state;
    cache_t *c = cache_create(32, 24, LINE, REPLACEMENT_LRU, true, true);
    for (uint64_t i = 0; i < cache_capacity(c); i++)
        cache_lab_fill(c, (1000 * (uint64_t)cache_capacity(c) + i) * LINE);
    assert_int_equal(cache_count(c), cache_capacity(c));
    cache_destroy(c);
}

static void random_policy_repeats_and_spreads_over_the_ways(void **state)
{
    (void)state;
    const uint32_t ways = 64;
    uint64_t first[200];
    for (int run = 0; run < 2; run++) {
        cache_t *c = cache_create(1, ways, LINE, REPLACEMENT_RANDOM, false, true);
        uint64_t next = 0;
        for (; next < ways; next++)
            cache_lab_fill(c, next * LINE);
        uint32_t lru_like = 0;
        for (int i = 0; i < 200; i++) {
            cache_line_t victim = {0};
            bool evicted;
            for (uint64_t l = 0; l < next; l++) {
                cache_tag_t *k = cache_lookup(c, l * LINE, false);
                if (k != NULL)
                    cache_write(c, k)->dirty = 1;
            }
            cache_insert(c, next++ * LINE, &victim, &evicted);
            assert_true(evicted);
            lru_like += victim.line == (uint64_t)i * LINE;
            if (run == 0)
                first[i] = victim.line;
            else
                assert_int_equal(victim.line, first[i]);
        }
        assert_true(lru_like < 30);
        cache_destroy(c);
    }
}

static void a_cache_without_lines_drops_what_it_is_given(void **state)
{
    (void)state;
    cache_t *c = cache_create(0, 0, LINE, REPLACEMENT_LRU, true, true);
    assert_null(cache_lookup(c, 0, true));
    cache_lab_fill(c, 0);
    assert_null(cache_lookup(c, 0, true));
    assert_int_equal(cache_count(c), 0);
    cache_invalidate(c);
    cache_destroy(c);
}

static void invalidate_and_reset_forget_everything(void **state)
{
    (void)state;
    for (uint64_t lines = 1; lines < 1500; lines *= 3) {
        cache_t *c = cache_create(4, 256, LINE, REPLACEMENT_LRU, false, false);
        for (uint64_t i = 0; i < lines; i++)
            cache_lab_fill(c, i * LINE);
        cache_invalidate(c);
        assert_int_equal(cache_count(c), 0);
        for (uint64_t i = 0; i < lines; i++)
            assert_null(cache_lookup(c, i * LINE, true));
        for (uint64_t i = 0; i < lines; i++)
            cache_lab_fill(c, i * LINE);
        cache_reset(c, 4, 64);
        assert_int_equal(cache_capacity(c), 256);
        for (uint64_t i = 0; i < lines; i++)
            assert_null(cache_lookup(c, i * LINE, true));
        for (uint64_t i = 0; i < 1000; i++)
            cache_lab_fill(c, i * LINE);
        assert_int_equal(cache_count(c), 256);
        cache_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_inserted_line_is_found_and_holds_no_sector),
        cmocka_unit_test(lru_evicts_the_line_not_used_for_longest),
        cmocka_unit_test(only_dirty_or_partial_victims_are_handed_out),
        cmocka_unit_test(written_lines_are_cleaned_in_order_of_use_and_stay),
        cmocka_unit_test(a_replaced_line_is_no_longer_modified),
        cmocka_unit_test(random_traffic_agrees_with_a_simple_model),
        cmocka_unit_test(modified_lines_agree_with_a_simple_model),
        cmocka_unit_test(more_ways_never_lower_the_hits_of_lru),
        cmocka_unit_test(sequential_lines_fill_every_way),
        cmocka_unit_test(random_policy_repeats_and_spreads_over_the_ways),
        cmocka_unit_test(a_cache_without_lines_drops_what_it_is_given),
        cmocka_unit_test(invalidate_and_reset_forget_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
