#include "tests/support/test.h"

#include <stdlib.h>

#include "sim/parts/cache/tag_table.h"

enum { KEYS = 200, NONE = 0xffff };

/* Number i has key i; there[] is the expected contents of the table. */
static bool is_key(const void *owner, uint32_t value, uint64_t key)
{
    (void)owner;
    return value == key;
}

static uint32_t find(const tag_chunk_t *table, uint32_t chunks, uint16_t tag, uint32_t key)
{
    return tag_table_find(table, chunks, tag, key, is_key, NULL, NONE);
}

/* Inserts and removes at random, and looks for every number after each step. */
static void agree_with_a_list(uint32_t keys, uint32_t chunks, const uint16_t *tag)
{
    tag_chunk_t *table = calloc(chunks, sizeof(*table));
    bool there[KEYS] = {0};
    uint32_t random = 12345;
    for (int step = 0; step < 5000; step++) {
        random = random * 1664525u + 1013904223u;
        uint32_t k = (random >> 8) % keys;
        if (there[k])
            tag_table_take(table, chunks, tag[k], (uint16_t)k);
        else
            tag_table_put(table, chunks, tag[k], (uint16_t)k);
        there[k] = !there[k];
        for (uint32_t i = 0; i < keys; i++)
            assert_int_equal(find(table, chunks, tag[i], i), there[i] ? i : NONE);
    }
    for (uint32_t i = 0; i < keys; i++) {
        if (there[i])
            tag_table_take(table, chunks, tag[i], (uint16_t)i);
    }
    /* No trace of this remains: later searches end at their home chunk. */
    for (uint32_t c = 0; c < chunks; c++) {
        assert_int_equal(table[c].passed, 0);
        assert_int_equal(tag_lanes_equal(table[c].tag, 0), 0xff);
    }
    free(table);
}

static void numbers_are_found_until_they_are_taken_out(void **state)
{
    (void)state;
    for (uint32_t keys = 1; keys <= KEYS; keys = keys * 3 + 1) {
        uint16_t tag[KEYS];
        for (uint32_t i = 0; i < keys; i++)
            tag[i] = tag_of(i);
        agree_with_a_list(keys, tag_table_chunks(keys), tag);
    }
}

static void equal_tags_and_full_chunks_do_not_hide_anything(void **state)
{
    (void)state;
    uint16_t tag[KEYS];
    /* All have the same home chunk, the last one, so they continue at the first; half of them
     * have the same tag. */
    for (uint32_t i = 0; i < 60; i++)
        tag[i] = (uint16_t)(0xf001 + (i % 2) * 2 * i);
    agree_with_a_list(60, 16, tag);
    /* A full table: with one home chunk, and with all, so that every chunk is passed. */
    for (uint32_t homes = 1; homes <= 4; homes *= 2) {
        for (uint32_t i = 0; i < 4 * TAG_LANES; i++)
            tag[i] = (uint16_t)(i % homes << 14 | 1);
        agree_with_a_list(4 * TAG_LANES, 4, tag);
    }
}

static void a_table_has_room_for_what_it_is_made_for(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 65536; n = n * 2 + 1)
        assert_true(n <= TAG_LANES * tag_table_chunks(n));
    for (uint64_t key = 0; key < 100000; key++)
        assert_int_not_equal(tag_of(key), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_found_until_they_are_taken_out),
        cmocka_unit_test(equal_tags_and_full_chunks_do_not_hide_anything),
        cmocka_unit_test(a_table_has_room_for_what_it_is_made_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
