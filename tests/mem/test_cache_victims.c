/* A cache that keeps its victims, against a list of lines in the order of their eviction. */
#include "tests/support/test.h"

#include <string.h>

#include "sim/parts/cache/replacement.h"
#include "tests/support/sim/cache_lab.h"

enum { SETS = 4, WAYS = 2, VICTIMS = 3, LINES = 24, ROUNDS = 20000 };

/* Line n lies in set n % SETS. Newest first. */
typedef struct {
    uint64_t line[WAYS + VICTIMS];
    uint8_t valid[WAYS + VICTIMS];
    unsigned n;
} list_t;

static int place_in(const list_t *l, uint64_t line)
{
    for (unsigned i = 0; i < l->n; i++)
        if (l->line[i] == line)
            return (int)i;
    return -1;
}

static uint8_t take_from(list_t *l, unsigned at)
{
    const uint8_t valid = l->valid[at];
    l->n--;
    memmove(&l->line[at], &l->line[at + 1], (l->n - at) * sizeof(l->line[0]));
    memmove(&l->valid[at], &l->valid[at + 1], (l->n - at) * sizeof(l->valid[0]));
    return valid;
}

static void put_first(list_t *l, uint64_t line, uint8_t valid)
{
    memmove(&l->line[1], &l->line[0], l->n * sizeof(l->line[0]));
    memmove(&l->valid[1], &l->valid[0], l->n * sizeof(l->valid[0]));
    l->line[0] = line;
    l->valid[0] = valid;
    l->n++;
}

typedef struct {
    list_t set[SETS], victims;
} model_t;

/* The sectors of a line that are present, before the access makes them so. */
static uint8_t model_use(model_t *m, uint64_t line, uint8_t sectors)
{
    list_t *set = &m->set[line % SETS];
    uint8_t valid = 0;
    const int here = place_in(set, line), kept = place_in(&m->victims, line);
    if (here >= 0)
        valid = take_from(set, (unsigned)here);
    else if (kept >= 0)
        valid = take_from(&m->victims, (unsigned)kept);
    if (set->n == WAYS) {
        const uint64_t old = set->line[WAYS - 1];
        put_first(&m->victims, old, take_from(set, WAYS - 1));
        if (m->victims.n > VICTIMS)
            m->victims.n = VICTIMS;
    }
    put_first(set, line, valid | sectors);
    return valid;
}

static void model_drop(model_t *m, uint64_t line, uint8_t sectors)
{
    list_t *set = &m->set[line % SETS];
    const int here = place_in(set, line), kept = place_in(&m->victims, line);
    if (here >= 0)
        set->valid[here] &= (uint8_t)~sectors;
    else if (kept >= 0)
        m->victims.valid[kept] &= (uint8_t)~sectors;
}

static void compare(bool copies)
{
    cache_t *c = cache_create(SETS, WAYS, LINE, REPLACEMENT_LRU, false, false);
    model_t m = {0};
    unsigned kept = 0;

    cache_keep_victims(c, VICTIMS);
    cache_lab_seed(7);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint64_t r = cache_lab_random(), line = r % LINES * LINE;
        const uint8_t sectors = (uint8_t)(1 + (r >> 20) % CACHE_TAG_VALID);
        if (r >> 40 & 1 && r >> 41 & 1) {
            cache_tag_t *t = cache_lookup(c, line, false);
            if (t != NULL)
                cache_tag_drop(t, sectors);
            model_drop(&m, line / LINE, sectors);
            continue;
        }
        kept += place_in(&m.victims, line / LINE) >= 0;
        const uint8_t valid = model_use(&m, line / LINE, sectors);
        assert_int_equal(cache_use_sectors(c, line, sectors), (sectors & ~valid) == 0);
        if (copies && i % 100 == 0) {
            cache_t *copy = cache_copy(c);
            cache_destroy(c);
            c = copy;
        }
    }
    assert_true(kept > ROUNDS / 20);
    cache_invalidate(c);
    for (uint64_t line = 0; line < LINES; line++)
        assert_null(cache_lookup(c, line * LINE, true));
    cache_destroy(c);
}

static void victims_are_those_of_the_model(void **state)
{
    (void)state;
    compare(false);
}

static void copies_keep_the_victims(void **state)
{
    (void)state;
    compare(true);
}

static void the_mark_of_a_line_comes_back_with_it(void **state)
{
    (void)state;
    cache_t *c = cache_create(1, 1, LINE, REPLACEMENT_LRU, false, false);
    cache_keep_victims(c, 1);
    cache_lab_fill(c, 0);
    cache_tag_mark(cache_lookup(c, 0, true), true);
    cache_lab_fill(c, LINE);
    assert_true(cache_tag_marked(cache_lookup(c, 0, true)));
    assert_false(cache_tag_marked(cache_lookup(c, LINE, true)));
    cache_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(victims_are_those_of_the_model),
        cmocka_unit_test(copies_keep_the_victims),
        cmocka_unit_test(the_mark_of_a_line_comes_back_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
