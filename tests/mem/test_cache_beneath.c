/* A cache put beneath another one: as if its accesses had come before. */
#include "tests/support/test.h"

#include "sim/parts/cache/replacement.h"
#include "tests/support/sim/cache_lab.h"

enum { SETS = 16, ALL_WAYS = 1000 };

/* Reads or writes a sector of a line, or bytes of it. */
static void use(cache_t *c, uint64_t line, uint64_t random)
{
    const uint8_t sector = (uint8_t)(random >> 8 & 3), bit = (uint8_t)(1u << sector);
    cache_line_t victim;
    bool evicted;
    cache_tag_t *t = cache_lookup(c, line, true);
    if (t == NULL)
        t = cache_insert(c, line, &victim, &evicted);
    if (random & 1) {
        cache_written_t *w = cache_write(c, t);
        w->dirty |= bit;
        if (!(cache_tag_valid(t) & bit)) {
            w->partial |= bit;
            w->bytes[sector] |= 0xffu << 8 * (random >> 12 & 3);
            if (w->bytes[sector] == UINT32_MAX) {
                cache_tag_fill(t, bit);
                w->partial &= (uint8_t)~bit;
            }
        }
    } else {
        cache_tag_fill(t, bit);
        if (cache_written(c, t) != NULL)
            cache_written(c, t)->partial &= (uint8_t)~bit;
    }
}

/* n accesses to `lines` lines from `first` on. */
static void traffic(cache_t *c, uint64_t seed, int n, uint64_t first, uint64_t lines)
{
    cache_lab_seed(seed);
    for (int i = 0; i < n; i++) {
        const uint64_t line = (first + cache_lab_random() % lines) * LINE;
        use(c, line, cache_lab_random() >> 7);
    }
}

typedef struct {
    cache_line_t line[4096];
    size_t n;
} contents_t;

static void note(void *ctx, const cache_line_t *line)
{
    contents_t *c = ctx;
    c->line[c->n++] = *line;
}

static void assert_same_sectors(const cache_line_t *a, const cache_line_t *b)
{
    assert_int_equal(a->line, b->line);
    assert_int_equal(a->valid, b->valid);
    assert_int_equal(a->written.dirty, b->written.dirty);
    assert_int_equal(a->written.partial & ~a->valid, b->written.partial & ~b->valid);
    for (int s = 0; s < SECTORS_PER_LINE; s++) {
        if (a->written.partial & ~a->valid & 1 << s)
            assert_int_equal(a->written.bytes[s], b->written.bytes[s]);
    }
}

/* What both caches hold, in the same order of use. sectors: they must agree, too. */
static void assert_same(const cache_t *a, const cache_t *b, bool sectors)
{
    contents_t *x = test_calloc(1, sizeof(*x)), *y = test_calloc(1, sizeof(*y));
    cache_visit(a, note, x);
    cache_visit(b, note, y);
    assert_int_equal(x->n, y->n);
    for (size_t i = 0; i < x->n; i++) {
        assert_int_equal(x->line[i].line, y->line[i].line);
        if (sectors)
            assert_same_sectors(&x->line[i], &y->line[i]);
    }
    test_free(x);
    test_free(y);
}

static cache_t *new_cache(uint32_t ways)
{
    return cache_create(SETS, ways, LINE, REPLACEMENT_LRU, false, true);
}

/* Writes to each set since the older state: none that left no modified line. */
static const uint32_t no_more[SETS];

/* The later traffic uses `lines` lines; the earlier one twice as many, of which it shares half. */
static void assert_as_in_one_pass(uint32_t ways, uint64_t lines, bool sectors)
{
    cache_t *whole = new_cache(ways), *early = new_cache(ways), *late = new_cache(ways);
    traffic(whole, 5, 4000, 0, 2 * lines);
    traffic(whole, 9, 1000, lines, lines);
    traffic(early, 5, 4000, 0, 2 * lines);
    traffic(late, 9, 1000, lines, lines);
    const uint32_t before = cache_count(late);
    assert_int_equal(cache_put_beneath(late, early, ALL_WAYS, no_more),
                     cache_count(whole) - before);
    assert_same(whole, late, sectors);
    cache_destroy(whole);
    cache_destroy(early);
    cache_destroy(late);
}

static void it_is_as_if_both_had_happened_in_turn(void **state)
{
    (void)state;
    assert_as_in_one_pass(24, SETS * 12, true); /* all lines fit */
    assert_as_in_one_pass(80, SETS * 40, true); /* sets of the other kind */
    assert_as_in_one_pass(24, SETS * 40, false);
}

static void a_full_set_stays_as_it_is(void **state)
{
    (void)state;
    cache_t *early = new_cache(4), *late = new_cache(4), *alone = new_cache(4);
    traffic(early, 3, 4000, 0, SETS * 8);
    traffic(late, 4, 4000, 0, SETS * 8);
    traffic(alone, 4, 4000, 0, SETS * 8);
    assert_int_equal(cache_put_beneath(late, early, ALL_WAYS, no_more), 0);
    assert_same(late, alone, true);
    cache_destroy(early);
    cache_destroy(late);
    cache_destroy(alone);
}

/* Writes lines [from, to) of set 0. */
static void write_lines(cache_t *c, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        use(c, i * SETS * LINE, 1);
}

static uint32_t modified(const cache_t *c)
{
    return cache_modified(c, (cache_key_t){.set = 0});
}

static void the_oldest_modified_lines_are_clean_beyond_the_limit(void **state)
{
    (void)state;
    cache_t *early = new_cache(8), *late = new_cache(8);
    write_lines(early, 0, 4);
    write_lines(late, 3, 6);
    cache_put_beneath(late, early, 4, no_more);
    assert_int_equal(modified(late), 4);
    assert_int_equal(cache_count(late), 6);
    /* Lines 3 to 5 were written last; of the others the newest, 2, stays modified. */
    assert_non_null(cache_written(late, cache_lookup(late, 2 * SETS * LINE, false)));
    assert_null(cache_written(late, cache_lookup(late, SETS * LINE, false)));
    cache_destroy(early);
    cache_destroy(late);
}

/* Host copies may leave more lines modified than the limit of launches. */
static void what_the_older_one_held_above_the_limit_stays(void **state)
{
    (void)state;
    cache_t *early = new_cache(8), *late = new_cache(8);
    write_lines(early, 0, 6);
    use(late, 5 * SETS * LINE, 0);
    cache_put_beneath(late, early, 4, no_more);
    assert_int_equal(modified(late), 6);
    cache_destroy(early);
    cache_destroy(late);
}

/* ... until launches write to the set, the same lines or others: each write cleans one. */
static void writes_since_have_cleaned_what_was_above_the_limit(void **state)
{
    (void)state;
    for (uint32_t times = 0; times < 4; times++) {
        cache_t *early = new_cache(8), *late = new_cache(8);
        uint32_t writes[SETS] = {2 * times};
        write_lines(early, 0, 7);
        write_lines(late, 5, 7);
        cache_put_beneath(late, early, 4, writes);
        assert_int_equal(modified(late), times == 0 ? 5 : times == 1 ? 5 : 4);
        cache_destroy(early);
        cache_destroy(late);
    }
}

/* A launch that only changes which lines are modified is news. */
static void modified_lines_are_news_and_count_as_writes(void **state)
{
    (void)state;
    cache_t *early = new_cache(8), *late = new_cache(8), *other = new_cache(8);
    cache_lines_t list = {0};
    cache_lines_at_t at = {.lines = &list};
    uint32_t writes[SETS] = {0};
    write_lines(early, 0, 3);
    for (uint64_t i = 0; i < 3; i++) {
        use(late, i * SETS * LINE, 0);
        use(other, i * SETS * LINE, 0);
    }
    const uint32_t written[SETS] = {5}; /* some lines more than once: each write cleans one */
    cache_lines_add(&list, early, written);
    assert_int_equal(cache_put_lines_beneath(late, &at, 4, other, writes), 3);
    assert_int_equal(writes[0], 5);
    at = (cache_lines_at_t){.lines = &list}; /* once more: c has it all */
    assert_int_equal(cache_put_lines_beneath(late, &at, 4, other, writes), 0);
    assert_int_equal(writes[0], 10);
    cache_lines_free(&list);
    cache_destroy(early);
    cache_destroy(late);
    cache_destroy(other);
}

static void beneath_an_empty_cache_everything_stays(void **state)
{
    (void)state;
    for (uint32_t ways = 24; ways <= 80; ways += 56) {
        cache_t *early = new_cache(ways), *late = new_cache(ways);
        traffic(early, 3, 4000, 0, SETS * 40);
        assert_int_equal(cache_put_beneath(late, early, ALL_WAYS, no_more), cache_count(early));
        assert_same(late, early, true);
        traffic(early, 4, 900, 0, SETS * 50); /* the order of use is the same, too */
        traffic(late, 4, 900, 0, SETS * 50);
        assert_same(late, early, true);
        cache_destroy(early);
        cache_destroy(late);
    }
}

/* The caches of a list are put beneath others as they are themselves. */
static void a_list_of_lines_is_as_good_as_its_caches(void **state)
{
    (void)state;
    for (uint32_t ways = 24; ways <= 80; ways += 56) {
        cache_lines_t list = {0};
        cache_lines_at_t at = {.lines = &list};
        cache_t *early[2], *nothing = new_cache(ways);
        for (uint32_t i = 0; i < 2; i++) {
            early[i] = new_cache(ways);
            traffic(early[i], 3 + i, 900, 0, SETS * 20);
            cache_lines_add(&list, early[i], no_more);
        }
        for (uint32_t i = 0; i < 2; i++) {
            cache_t *late = new_cache(ways), *expected = new_cache(ways);
            traffic(late, 9, 200, SETS * 10, SETS * 20);
            traffic(expected, 9, 200, SETS * 10, SETS * 20);
            const uint32_t added = cache_put_beneath(expected, early[i], 4, no_more);
            cache_t *other = i == 0 ? nothing : early[i]; /* which has all of it */
            uint32_t writes[SETS] = {0};
            const uint32_t news = cache_put_lines_beneath(late, &at, 4, other, writes);
            assert_int_equal(i == 0 ? news >= added : news, i == 0);
            assert_same(late, expected, true);
            cache_destroy(late);
            cache_destroy(expected);
        }
        assert_true(cache_lines_bytes(&list) > 0);
        cache_lines_free(&list);
        cache_destroy(early[0]);
        cache_destroy(early[1]);
        cache_destroy(nothing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_as_if_both_had_happened_in_turn),
        cmocka_unit_test(a_full_set_stays_as_it_is),
        cmocka_unit_test(the_oldest_modified_lines_are_clean_beyond_the_limit),
        cmocka_unit_test(what_the_older_one_held_above_the_limit_stays),
        cmocka_unit_test(writes_since_have_cleaned_what_was_above_the_limit),
        cmocka_unit_test(modified_lines_are_news_and_count_as_writes),
        cmocka_unit_test(beneath_an_empty_cache_everything_stays),
        cmocka_unit_test(a_list_of_lines_is_as_good_as_its_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
