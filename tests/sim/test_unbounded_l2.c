/* Walks without bounds: placed in a chip's L2, their lines are those of a walk through that L2. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/files/memory_file.h"
#include "sim/core/mix64.h"
#include "sim/gpu/warming/shared_walks.h"
#include "sim/gpu/warming/unbounded_l2.h"
#include "sim/parts/cache/replacement.h"

enum { SLICES = 4, SETS = 16, WAYS = 16, LINES = 300, ACCESSES = 4000, FILL_SECTORS = 2 };

static addr_map_t map;
static l2_tags_t slice[SLICES];
static uint32_t writes[SLICES][SETS];

static l2_chip_tags_t chip_of(uint32_t sets)
{
    l2_chip_tags_t chip = {.map = &map, .slice = slice};
    addr_map_init(&map, SLICES, SLICES, LINE_BYTES, HASH_IPOLY);
    for (uint32_t i = 0; i < SLICES; i++)
        slice[i] =
            (l2_tags_t){.cache = cache_create(sets, WAYS, LINE_BYTES, REPLACEMENT_LRU, true, true),
                        .modified_ways = WAYS,
                        .fill_sectors = FILL_SECTORS,
                        .writes = writes[i]};
    l2_tags_begin(&chip);
    return chip;
}

static void free_chip(void)
{
    for (uint32_t i = 0; i < SLICES; i++)
        cache_destroy(slice[i].cache);
}

static uint32_t masks[ACCESSES][SECTORS_PER_LINE];

/* Accesses of all kinds to LINES lines; some write parts of sectors. */
static void make_accesses(l2_touch_t *touch)
{
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const uint64_t r = mix64(i * MIX64_STEP);
        const uint8_t sectors = (uint8_t)(1 + (r >> 20) % 15);
        touch[i] = (l2_touch_t){.line = (0x1000 + r % LINES * (1 + r % 3)) * LINE_BYTES,
                                .kind = (uint8_t)((r >> 30) % 4),
                                .sectors = sectors,
                                .full = sectors & (uint8_t)(r >> 40),
                                .bytes = i};
        if (touch[i].kind == L2_TOUCH_READ || touch[i].kind == L2_TOUCH_CODE)
            touch[i].full = 0;
        for (unsigned s = 0; s < SECTORS_PER_LINE; s++)
            masks[i][s] = UINT32_C(0xff) << (r >> (44 + s)) % 25;
    }
}

static void walk(used_lines_t *out, uint64_t most, bool *over)
{
    static l2_touch_t touch[ACCESSES];
    make_accesses(touch);
    unbounded_l2_t *u = unbounded_l2_create(FILL_SECTORS, most);
    unbounded_l2_touch(u, touch, ACCESSES / 2, (l2_masks_t)masks);
    unbounded_l2_touch(u, touch + ACCESSES / 2, ACCESSES / 2, (l2_masks_t)masks);
    *over = *unbounded_l2_is_over(u);
    unbounded_l2_lines(u, out);
    unbounded_l2_destroy(u);
}

static void equal_lines(const cache_lines_t *a, const cache_lines_t *b)
{
    assert_int_equal(a->n_sets, b->n_sets);
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->n_written, b->n_written);
    assert_memory_equal(a->set, b->set, a->n_sets * sizeof(*a->set));
    assert_memory_equal(a->tag, b->tag, a->n * sizeof(*a->tag));
    for (size_t i = 0; i < a->n_written; i++) {
        assert_int_equal(a->written[i].dirty, b->written[i].dirty);
        assert_int_equal(a->written[i].partial, b->written[i].partial);
        assert_memory_equal(a->written[i].bytes, b->written[i].bytes, sizeof(b->written[i].bytes));
    }
}

static void lines_are_those_of_the_l2_itself(void **state)
{
    static l2_touch_t touch[ACCESSES];
    used_lines_t lines;
    l2_warmed_t sum = {0};
    cache_lines_t own = {0}, placed;
    bool over;
    (void)state;
    make_accesses(touch);
    l2_chip_tags_t chip = chip_of(SETS);
    l2_tags_touch(&chip, touch, ACCESSES, (l2_masks_t)masks, &sum);
    for (uint32_t i = 0; i < SLICES; i++)
        cache_lines_take(&own, slice[i].cache, writes[i]);
    walk(&lines, SLICES * SETS * WAYS, &over);
    assert_false(over);
    assert_int_equal(lines.n, sum.lines); /* none was evicted */
    assert_true(lines.n_written > 100);
    assert_true(used_lines_place(&lines, &chip, &placed));
    equal_lines(&placed, &own);
    cache_lines_free(&own);
    cache_lines_free(&placed);
    used_lines_free(&lines);
    free_chip();
}

static void an_l2_without_room_says_so(void **state)
{
    used_lines_t lines;
    cache_lines_t placed;
    bool over;
    (void)state;
    l2_chip_tags_t chip = chip_of(SETS / 8);
    walk(&lines, UINT64_MAX, &over);
    assert_false(over);
    assert_false(used_lines_place(&lines, &chip, &placed));
    used_lines_free(&lines);
    free_chip();
    /* Too many modified lines are cleaned. */
    chip = chip_of(SETS);
    walk(&lines, UINT64_MAX, &over);
    slice[0].modified_ways = 1;
    assert_false(used_lines_place(&lines, &chip, &placed));
    used_lines_free(&lines);
    free_chip();
    walk(&lines, 10, &over);
    assert_true(over);
    used_lines_free(&lines);
}

static void take(void *ctx, const void *bytes, size_t n)
{
    assert_true(shared_walks_take(ctx, bytes, n));
}

static void walks_survive_as_bytes(void **state)
{
    trail_item_t item[] = {{.address = 0x8000, .when = 3, .sms = 7, .code = true, .sub_cores = 2},
                           {.address = 0x7f80, .when = 4, .sms = 7, .code = true},
                           {.address = UINT64_C(1) << 40, .when = 1, .sms = 7}};
    shared_walk_t w = {.warp_insts = 12345, .item = item, .n_items = 3}, back;
    bool over;
    (void)state;
    walk(&w.lines, UINT64_MAX, &over);
    shared_walks_t *first = shared_walks_create(), *second = shared_walks_create();
    shared_walks_put(first, 99, &w);
    shared_walks_put_digest(first, 5, 77);
    shared_walks_visit(first, take, second);
    assert_int_equal(shared_walks_digest(second, 5), 77);
    assert_int_equal(shared_walks_digest(second, 4), 0);
    assert_false(shared_walks_find(second, 98, &back));
    assert_true(shared_walks_find(second, 99, &back));
    assert_int_equal(back.warp_insts, w.warp_insts);
    assert_int_equal(back.lines.n, w.lines.n);
    assert_memory_equal(back.lines.tag, w.lines.tag, w.lines.n * sizeof(*w.lines.tag));
    for (size_t i = 0; i < w.lines.n_written; i++) {
        assert_int_equal(back.lines.writes[i], w.lines.writes[i]);
        assert_int_equal(back.lines.written[i].partial, w.lines.written[i].partial);
        assert_memory_equal(back.lines.written[i].bytes, w.lines.written[i].bytes,
                            sizeof(w.lines.written[i].bytes));
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(back.item[i].address, item[i].address);
        assert_int_equal(back.item[i].when, item[i].when);
        assert_int_equal(back.item[i].code, item[i].code);
        assert_int_equal(back.item[i].sub_cores > 0, item[i].sub_cores > 0);
    }
    assert_false(shared_walks_take(second, "\x07", 1));
    assert_false(shared_walks_take(second, "", 0));
    shared_walk_free(&back);
    used_lines_free(&w.lines);
    shared_walks_destroy(first);
    shared_walks_destroy(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_of_the_l2_itself),
        cmocka_unit_test(an_l2_without_room_says_so),
        cmocka_unit_test(walks_survive_as_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
