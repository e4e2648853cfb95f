/* What a cache holds, as a list of lines that another one uses: as if its accesses had come after. */
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

/* The lines of a cache that was filled by traffic to `lines` lines from `first` on. */
static cache_lines_t list_of(uint32_t ways, uint64_t seed, int n, uint64_t first, uint64_t lines)
{
    uint32_t unknown[SETS] = {0};
    cache_lines_t list = {0};
    cache_t *c = new_cache(ways);
    traffic(c, seed, n, first, lines);
    cache_lines_take(&list, c, unknown);
    assert_int_equal(cache_count(c), 0);
    cache_destroy(c);
    return list;
}

static void replay(cache_t *c, const cache_lines_t *list, uint32_t modified_ways)
{
    cache_lines_at_t at = {.lines = list};
    cache_lacked_t lacked = {0};
    cache_replay_lines(c, &at, modified_ways, NULL, &lacked);
}

/* The later traffic uses `lines` lines; the earlier one twice as many, of which it shares half. */
static void assert_as_in_one_pass(uint32_t ways, uint64_t lines, bool sectors)
{
    cache_t *whole = new_cache(ways), *early = new_cache(ways);
    cache_lines_t late = list_of(ways, 9, 1000, lines, lines);
    traffic(whole, 5, 4000, 0, 2 * lines);
    traffic(whole, 9, 1000, lines, lines);
    traffic(early, 5, 4000, 0, 2 * lines);
    replay(early, &late, ALL_WAYS);
    assert_same(whole, early, sectors);
    cache_lines_free(&late);
    cache_destroy(whole);
    cache_destroy(early);
}

static void it_is_as_if_both_had_happened_in_turn(void **state)
{
    (void)state;
    assert_as_in_one_pass(24, SETS * 12, true); /* all lines fit */
    assert_as_in_one_pass(80, SETS * 40, true); /* sets of the other kind */
    assert_as_in_one_pass(24, SETS * 40, false);
}

/* Writes lines [from, to) of set 0. */
static void write_lines(cache_t *c, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        use(c, i * SETS * LINE, 1);
}

/* A launch that writes the set `writes` times, lines [write_from, write_to), and reads lines. */
typedef struct {
    uint64_t write_from, write_to, read_from, read_to;
    uint32_t writes;
} launch_t;

static cache_lines_t lines_of(const launch_t *l)
{
    uint32_t writes[SETS] = {l->writes};
    cache_lines_t list = {0};
    cache_t *c = new_cache(8);
    write_lines(c, l->write_from, l->write_to);
    for (uint64_t i = l->read_from; i < l->read_to; i++)
        use(c, i * SETS * LINE, 0);
    cache_lines_take(&list, c, writes);
    assert_int_equal(writes[0], 0);
    cache_destroy(c);
    return list;
}

static bool is_modified(cache_t *c, uint64_t line)
{
    return cache_written(c, cache_lookup(c, line * SETS * LINE, false)) != NULL;
}

/* Lines 0 and 1 are cleaned by the writes after them; that they are read again does not make them modified, nor are
 * lines cleaned in their place. */
static void lines_that_were_cleaned_and_read_again_stay_clean(void **state)
{
    static const launch_t launches[] = {{0, 2, 0, 0, 2}, {2, 6, 0, 0, 4}, {0, 0, 0, 2, 0}};
    (void)state;
    cache_t *c = new_cache(8);
    for (size_t i = 0; i < 3; i++) {
        cache_lines_t list = lines_of(&launches[i]);
        replay(c, &list, 4);
        cache_lines_free(&list);
    }
    assert_int_equal(cache_count(c), 6);
    for (uint64_t line = 0; line < 6; line++)
        assert_int_equal(is_modified(c, line), line >= 2);
    cache_destroy(c);
}

/* Host copies may leave more lines modified than the limit of launches, until launches write to the set, the same
 * lines or others: each write cleans one. */
static void writes_clean_what_is_above_the_limit(void **state)
{
    (void)state;
    for (uint32_t times = 0; times < 4; times++) {
        const launch_t launch = {5, 7, 0, 0, 2 * times};
        cache_lines_t list = lines_of(&launch);
        cache_t *c = new_cache(8);
        write_lines(c, 0, 7);
        replay(c, &list, 4);
        assert_int_equal(cache_modified(c, (cache_key_t){.set = 0}), times == 0   ? 7
                                                                     : times == 1 ? 5
                                                                                  : 4);
        assert_true(is_modified(c, 6));
        cache_lines_free(&list);
        cache_destroy(c);
    }
}

/* Claims have the lines, in their order of use, that replaying the lists in turn leaves. */
static void claims_find_the_lines_that_stay(void **state)
{
    (void)state;
    for (uint32_t ways = 4; ways <= 84; ways += 20) {
        cache_lines_t early = list_of(ways, 3, 900, 0, SETS * 20),
                      late = list_of(ways, 4, 300, SETS * 10, SETS * 20);
        cache_t *forwards = new_cache(ways), *backwards = new_cache(ways), *none = new_cache(ways);
        replay(forwards, &early, ALL_WAYS);
        replay(forwards, &late, ALL_WAYS);
        cache_lines_at_t at = {.lines = &late};
        const uint32_t news = cache_claim_lines(backwards, &at, ALL_WAYS, none);
        assert_int_equal(news, cache_count(backwards));
        at = (cache_lines_at_t){.lines = &early};
        assert_true(cache_claim_lines(backwards, &at, ALL_WAYS, none) >=
                    cache_count(backwards) - news);
        assert_same(forwards, backwards, false);
        assert_true(cache_lines_bytes(&early) > 0);
        cache_lines_free(&early);
        cache_lines_free(&late);
        cache_destroy(forwards);
        cache_destroy(backwards);
        cache_destroy(none);
    }
}

/* A launch that only changes which lines are modified is news; a list that c has is none. */
static void modified_lines_are_news(void **state)
{
    static const launch_t reads = {0, 0, 0, 3, 0}, writes = {0, 3, 0, 0, 3};
    (void)state;
    cache_lines_t read = lines_of(&reads), written = lines_of(&writes);
    cache_t *c = new_cache(8), *other = new_cache(8);
    replay(other, &read, 4);
    const cache_lines_t *const lists[] = {&read, &written, &written};
    for (size_t i = 0; i < 3; i++) {
        cache_lines_at_t at = {.lines = lists[i]};
        assert_int_equal(cache_claim_lines(c, &at, 4, other), i == 1 ? 3 : 0);
    }
    cache_lines_free(&read);
    cache_lines_free(&written);
    cache_destroy(c);
    cache_destroy(other);
}

/* Lists may have several caches, one after the other. */
static void each_cache_of_a_list_has_its_place(void **state)
{
    uint32_t unknown[SETS] = {0};
    (void)state;
    cache_lines_t list = {0};
    cache_lines_at_t at = {.lines = &list};
    cache_t *from[2], *taken;
    for (uint32_t i = 0; i < 2; i++) {
        from[i] = new_cache(24);
        traffic(from[i], 3 + i, 900, 0, SETS * 20);
        taken = cache_copy(from[i]);
        cache_lines_take(&list, taken, unknown);
        cache_destroy(taken);
    }
    for (uint32_t i = 0; i < 2; i++) {
        cache_t *to = new_cache(24);
        cache_lacked_t lacked = {0};
        cache_replay_lines(to, &at, ALL_WAYS, NULL, &lacked);
        assert_same(to, from[i], true);
        cache_destroy(to);
        cache_destroy(from[i]);
    }
    cache_lines_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_as_if_both_had_happened_in_turn),
        cmocka_unit_test(lines_that_were_cleaned_and_read_again_stay_clean),
        cmocka_unit_test(writes_clean_what_is_above_the_limit),
        cmocka_unit_test(claims_find_the_lines_that_stay),
        cmocka_unit_test(modified_lines_are_news),
        cmocka_unit_test(each_cache_of_a_list_has_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
