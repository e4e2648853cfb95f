/* The hash map finds what was added, and nothing else, while it grows; binary search finds the first of a table. */
#include "tests/support/test.h"

#include "sim/core/find_first.h"
#include "sim/core/hash_map.h"
#include "sim/core/mix64.h"

enum { N = 5000 };

static uint32_t found(const hash_map_t *m, const uint64_t *keys, uint64_t key, uint64_t hash)
{
    for (hash_walk_t w = hash_map_walk(m, hash); hash_walk_next(&w);)
        if (keys[w.number] == key)
            return w.number;
    return UINT32_MAX;
}

/* of: bits of the hash that differ; 0: all keys share one. */
static void finds_all(uint64_t of)
{
    static uint64_t keys[N];
    const size_t n = of == 0 ? N / 10 : N;
    hash_map_t m = {0};

    assert_int_equal(found(&m, keys, 1, 1), UINT32_MAX);
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = mix64(i);
        hash_map_add(&m, keys[i] & of, i);
        assert_true(2 * m.n <= m.n_slots);
        assert_int_equal(found(&m, keys, mix64(n + i), mix64(n + i) & of), UINT32_MAX);
    }
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(found(&m, keys, keys[i], keys[i] & of), i);
    hash_map_clear(&m);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(found(&m, keys, keys[i], keys[i] & of), UINT32_MAX);
    hash_map_free(&m);
}

static void entries_are_found_by_their_hashes(void **state)
{
    (void)state;
    finds_all(UINT64_MAX);
    finds_all(0xff00);
    finds_all(0xf000000000000000);
}

static void entries_of_one_hash_are_told_apart(void **state)
{
    (void)state;
    finds_all(0);
}

/* A map that keeps the newest number of a key changes it in place. */
static void a_number_can_be_replaced(void **state)
{
    (void)state;
    hash_map_t m = {0};

    hash_map_add(&m, 7, 1);
    hash_walk_t w = hash_map_walk(&m, 7);
    assert_true(hash_walk_next(&w));
    w.slot->entry = 4 + 1;
    w = hash_map_walk(&m, 7);
    assert_true(hash_walk_next(&w));
    assert_int_equal(w.number, 4);
    assert_false(hash_walk_next(&w));
    hash_map_free(&m);
}

/* Every table of up to 20 entries, and every place in it, against a search from the start. */
static void the_first_of_a_table_is_found(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 20; n++)
        for (size_t from = 0; from <= n + 1; from++)
            for (size_t first = 0; first <= n; first++) {
                size_t i, tried = 0, want = from;
                while (want < n && want < first)
                    want++;
                FIND_FIRST(i, from, n, (tried++, i >= first));
                assert_int_equal(i, want);
                assert_true(tried <= 5);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_found_by_their_hashes),
        cmocka_unit_test(entries_of_one_hash_are_told_apart),
        cmocka_unit_test(a_number_can_be_replaced),
        cmocka_unit_test(the_first_of_a_table_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
