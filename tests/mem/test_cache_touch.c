/* Caches without time: copies, lookup and insertion in one step, the tags of an L2. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/mix64.h"
#include "sim/mem/l2_tags.h"
#include "sim/parts/cache/replacement.h"
#include "tests/support/sim/cache_lab.h"

enum { SETS = 8, ACCESSES = 40000, ALL = CACHE_TAG_VALID };

/* A number that depends on every line of a cache, with its state, and on the order of use. */
typedef struct {
    uint64_t sum;
} digest_t;

static void digest_line(void *ctx, const cache_line_t *l)
{
    digest_t *d = ctx;
    d->sum = mix64(d->sum ^ l->line ^ (uint64_t)l->valid << 1 ^ (uint64_t)l->written.dirty << 8 ^
                   (uint64_t)l->written.partial << 16);
    for (unsigned s = 0; s < SECTORS_PER_LINE && l->written.partial != 0; s++)
        d->sum = mix64(d->sum ^ l->written.bytes[s]);
}

static uint64_t digest(const cache_t *c)
{
    digest_t d = {0};
    cache_visit(c, digest_line, &d);
    return d.sum;
}

/* An access by lookup and insertion. Returns whether the line was absent; *dirty: of the victim. */
static bool access_in_two_steps(cache_t *c, uint64_t line, bool write, uint8_t *dirty)
{
    cache_line_t victim;
    bool evicted = false;
    cache_tag_t *t = cache_lookup(c, line, true);
    const bool fresh = t == NULL;
    if (fresh)
        t = cache_insert(c, line, &victim, &evicted);
    if (write)
        cache_write(c, t)->dirty |= ALL;
    *dirty = evicted ? victim.written.dirty : 0;
    return fresh;
}

static bool access_in_one_step(cache_t *c, uint64_t line, bool write, uint8_t *dirty)
{
    const cache_placed_t p = cache_place(c, cache_key_of(c, line));
    if (write)
        cache_write(c, p.tag)->dirty |= ALL;
    *dirty = p.dirty;
    return p.fresh;
}

static void compare_steps(cache_t *a, cache_t *b, uint64_t lines)
{
    for (unsigned i = 0; i < ACCESSES; i++) {
        const uint64_t r = cache_lab_random(), line = (r >> 8) % lines * LINE;
        uint8_t dirty_a, dirty_b;
        assert_int_equal(access_in_two_steps(a, line, r % 3 == 0, &dirty_a),
                         access_in_one_step(b, line, r % 3 == 0, &dirty_b));
        assert_int_equal(dirty_a, dirty_b);
    }
    assert_int_equal(digest(a), digest(b));
}

/* With every policy and both kinds of sets; b begins as a copy of a cache with contents. */
static void copies_in_one_step_agree_with_originals_in_two(void **state)
{
    (void)state;
    static const uint32_t ways[] = {1, 2, 8, 15, 16, 17, 24, 32, 33, 64, 100};
    for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
        for (unsigned policy = 0; policy < REPLACEMENT_COUNT; policy++) {
            cache_lab_seed(w * 100 + policy + 1);
            cache_t *a =
                cache_create(SETS, ways[w], LINE, (replacement_policy_t)policy, true, true);
            for (uint64_t i = 0; i < 3 * SETS * ways[w]; i++) {
                uint8_t dirty;
                access_in_two_steps(a, cache_lab_random() % 4096 * LINE, i % 2 == 0, &dirty);
            }
            cache_t *b = cache_copy(a);
            assert_int_equal(digest(a), digest(b));
            compare_steps(a, b, 2 * SETS * ways[w]);
            cache_destroy(a);
            cache_destroy(b);
        }
    }
}

static void a_copy_is_independent(void **state)
{
    (void)state;
    cache_t *a = cache_create(SETS, 4, LINE, REPLACEMENT_LRU, true, true);
    cache_lab_fill(a, 0);
    const uint64_t before = digest(a);
    cache_t *b = cache_copy(a);
    cache_lab_fill(b, LINE);
    cache_write(b, cache_lookup(b, 0, true))->dirty = ALL;
    assert_int_equal(digest(a), before);
    assert_int_equal(cache_count(a), 1);
    cache_destroy(a);
    cache_destroy(b);
}

/* A survey begins with a copy, and does not depend on what was walked before. */
static void a_copy_does_not_know_what_was_evicted(void **state)
{
    enum { WAYS = 16 };
    (void)state;
    cache_t *a = cache_create(1, WAYS, LINE, REPLACEMENT_LRU, true, true);
    for (uint64_t line = 1; line <= WAYS + 1; line++)
        cache_place(a, cache_key_of(a, line * LINE));
    cache_t *b = cache_copy(a);
    const cache_key_t evicted = cache_key_of(a, LINE);
    const cache_placed_t in_a = cache_place(a, evicted), in_b = cache_place(b, evicted);
    assert_true(in_a.fresh && in_a.late);
    assert_true(in_b.fresh && !in_b.late);
    cache_destroy(a);
    cache_destroy(b);
}

enum { SLICES = 4, BATCH = 1000, ROUNDS = 60 };

/* Touches of random kinds; a third of the writes are partial. */
static void make_batch(l2_touch_t *touch, uint32_t (*masks)[SECTORS_PER_LINE], uint64_t lines)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        const uint64_t r = cache_lab_random();
        const uint8_t sectors = (uint8_t)(1 + r % 15);
        touch[i] = (l2_touch_t){.line = (r >> 16) % lines * LINE,
                                .kind = (uint8_t)(r >> 8 & 3),
                                .sectors = sectors,
                                .full = (uint8_t)(r >> 12 & sectors),
                                .bytes = i};
        for (unsigned s = 0; s < SECTORS_PER_LINE; s++)
            masks[i][s] = 1u << (r >> 20 & 31);
    }
}

static l2_chip_tags_t make_tags(const addr_map_t *map, uint32_t ways, uint32_t fill_sectors)
{
    l2_chip_tags_t t = {.map = map, .slice = calloc(SLICES, sizeof(*t.slice))};
    for (unsigned i = 0; i < SLICES; i++)
        t.slice[i] =
            (l2_tags_t){.cache = cache_create(SETS, ways, LINE, REPLACEMENT_LRU, true, true),
                        .modified_ways = ways / 2,
                        .fill_sectors = fill_sectors};
    l2_tags_begin(&t);
    return t;
}

static void free_tags(l2_chip_tags_t *t)
{
    for (unsigned i = 0; i < SLICES; i++)
        cache_destroy(t->slice[i].cache);
    free(t->slice);
}

/* The loop for the usual caches and the one for all others do the same. */
static void the_usual_caches_are_touched_like_others(void **state)
{
    (void)state;
    static uint32_t masks[BATCH][SECTORS_PER_LINE];
    static l2_touch_t touch[BATCH];
    static const uint32_t ways[] = {4, 16, 24, 40};
    addr_map_t map;
    addr_map_init(&map, 2, SLICES, 256, HASH_IPOLY);
    cache_lab_seed(7);
    for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
        for (uint32_t fill = 1; fill <= 4; fill *= 2) {
            l2_chip_tags_t usual = make_tags(&map, ways[w], fill);
            l2_chip_tags_t other = make_tags(&map, ways[w], fill);
            l2_warmed_t a = {0}, b = {0};
            assert_true(usual.plain);
            other.plain = false;
            for (unsigned round = 0; round < ROUNDS; round++) {
                make_batch(touch, masks, 2ull * SLICES * SETS * ways[w]);
                l2_tags_touch(&usual, touch, BATCH, (l2_masks_t)masks, &a);
                l2_tags_touch(&other, touch, BATCH, (l2_masks_t)masks, &b);
            }
            assert_memory_equal(&a, &b, sizeof(a));
            assert_true(a.written_back > 0 && a.filled > 0 && a.hits[L2_TOUCH_ATOMIC] > 0);
            for (unsigned i = 0; i < SLICES; i++)
                assert_int_equal(digest(usual.slice[i].cache), digest(other.slice[i].cache));
            free_tags(&usual);
            free_tags(&other);
        }
    }
}

/* A group of sectors is filled, but not those that are there. */
static void only_missing_sectors_are_filled(void **state)
{
    (void)state;
    addr_map_t map;
    static const uint32_t none[1][SECTORS_PER_LINE];
    addr_map_init(&map, 2, SLICES, 256, HASH_IPOLY);
    l2_chip_tags_t t = make_tags(&map, 16, 4);
    const l2_touch_t touch[] = {
        {.line = LINE, .kind = L2_TOUCH_WRITE, .sectors = 1, .full = 1},
        {.line = LINE, .kind = L2_TOUCH_READ, .sectors = 3},
        {.line = LINE, .kind = L2_TOUCH_READ, .sectors = 15},
    };
    l2_warmed_t sum = {0};
    l2_tags_touch(&t, touch, 3, none, &sum);
    assert_int_equal(sum.filled, 3);
    assert_int_equal(sum.sectors[L2_TOUCH_READ], 6);
    assert_int_equal(sum.hits[L2_TOUCH_READ], 5);
    free_tags(&t);
}

/* Sectors filled, in the third round over n lines of a set of 16 ways, and how many of them are late. */
static void assert_late(uint64_t lines, uint64_t filled, uint64_t late)
{
    addr_map_t map;
    static const uint32_t none[1][SECTORS_PER_LINE];
    addr_map_init(&map, 1, 1, 256, HASH_IPOLY);
    cache_t *c = cache_create(1, 16, LINE, REPLACEMENT_LRU, true, true);
    l2_tags_t slice = {.cache = c, .modified_ways = 16, .fill_sectors = 1};
    l2_chip_tags_t t = {.map = &map, .slice = &slice};
    l2_warmed_t sum = {0};
    l2_tags_begin(&t);
    for (uint64_t i = 0; i < 3 * lines; i++) {
        const l2_touch_t touch = {
            .line = (1 + i % lines) * LINE, .kind = L2_TOUCH_READ, .sectors = 3};
        if (i == 2 * lines)
            sum = (l2_warmed_t){0};
        l2_tags_touch(&t, &touch, 1, none, &sum);
    }
    assert_int_equal(sum.filled, filled);
    assert_int_equal(sum.filled_late, late);
    cache_destroy(c);
}

/* With 18 ways, an eighth more, 17 and 18 lines would stay, but not 19. */
static void fills_that_a_slightly_larger_cache_would_save_are_told(void **state)
{
    (void)state;
    assert_late(16, 0, 0);
    assert_late(17, 34, 34);
    assert_late(18, 36, 36);
    assert_late(19, 38, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_in_one_step_agree_with_originals_in_two),
        cmocka_unit_test(a_copy_is_independent),
        cmocka_unit_test(a_copy_does_not_know_what_was_evicted),
        cmocka_unit_test(the_usual_caches_are_touched_like_others),
        cmocka_unit_test(only_missing_sectors_are_filled),
        cmocka_unit_test(fills_that_a_slightly_larger_cache_would_save_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
