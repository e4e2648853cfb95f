#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/parts/cache/replacement.h"
#include "tests/support/sim/cache_lab.h"

static void traffic(cache_t *c, uint64_t seed, uint64_t *hash)
{
    cache_lab_seed(seed);
    for (int i = 0; i < 5000; i++) {
        uint64_t line = cache_lab_random() % 900 * LINE;
        cache_line_t victim = {0};
        bool evicted = false;
        cache_tag_t *l = cache_lookup(c, line, true);
        *hash = *hash * 31 + (l != NULL);
        if (l == NULL)
            l = cache_insert(c, line, &victim, &evicted);
        cache_written_t *w = cache_write(c, l);
        w->dirty |= (uint8_t)(1u << cache_lab_random() % 4);
        w->bytes[cache_lab_random() % 4] |= (uint32_t)cache_lab_random();
        if (evicted)
            *hash = *hash * 31 + victim.line + victim.written.dirty + victim.written.bytes[3];
    }
}

static void a_loaded_cache_goes_on_exactly_as_the_saved_one(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * REPLACEMENT_COUNT; i++) {
        replacement_policy_t policy = (replacement_policy_t)(i / 2);
        uint32_t ways = i % 2 == 0 ? 32 : 70; /* both kinds of sets */
        cache_t *a = cache_create(8, ways, LINE, policy, true, true);
        cache_t *b = cache_create(8, ways, LINE, policy, true, true);
        uint64_t x = 0, y = 0;
        traffic(a, 7, &x);
        traffic(b, 999, &y);
        FILE *f = tmpfile();
        assert_int_equal(cache_save(a, f), 0);
        rewind(f);
        assert_int_equal(cache_load(b, f), 0);
        fclose(f);
        x = y = 0;
        traffic(a, 11, &x);
        traffic(b, 11, &y);
        assert_int_equal(x, y);
        cache_destroy(a);
        cache_destroy(b);
    }
}

static void a_damaged_checkpoint_is_refused_and_harmless(void **state)
{
    (void)state;
    cache_t *a = cache_create(16, 8, LINE, REPLACEMENT_SRRIP, true, true);
    uint64_t x = 0;
    traffic(a, 7, &x);
    FILE *f = tmpfile();
    assert_int_equal(cache_save(a, f), 0);
    long size = ftell(f);
    unsigned char *image = malloc((size_t)size);
    rewind(f);
    assert_int_equal(fread(image, 1, (size_t)size, f), (size_t)size);
    fclose(f);
    uint32_t refused = 0;
    cache_lab_seed(5);
    for (int i = 0; i < 400; i++) {
        size_t at = cache_lab_random() % (size_t)size, n = i % 2 == 0 ? (size_t)size : at;
        unsigned char old = image[at];
        image[at] = (unsigned char)cache_lab_random();
        f = tmpfile();
        fwrite(image, 1, n, f);
        rewind(f);
        errno = 0;
        if (cache_load(a, f) != 0) {
            assert_int_equal(errno, EINVAL);
            assert_int_equal(cache_count(a), 0);
            refused++;
        }
        fclose(f);
        image[at] = old;
        traffic(a, 3, &x);
    }
    assert_true(refused >= 200); /* at least every truncated one */
    free(image);
    cache_destroy(a);
}

/* A written sector that a line does not have would be written back. */
static void sectors_that_there_are_not_are_refused(void **state)
{
    (void)state;
    /* Words of the image: 5 of the head, lines of the set, address (2), valid, dirty, partial. */
    enum { DIRTY = 9, PARTIAL = 10, WORDS = 11 };
    static const uint32_t bad[] = {0x10, 0xff, 0x100};
    cache_t *a = cache_create(1, 4, LINE, REPLACEMENT_LRU, true, true);
    cache_line_t victim;
    bool evicted;
    cache_write(a, cache_insert(a, 0, &victim, &evicted))->dirty = 1;
    FILE *f = tmpfile();
    assert_int_equal(cache_save(a, f), 0);
    for (uint32_t at = DIRTY; at <= PARTIAL; at++)
        for (size_t i = 0; i <= sizeof(bad) / sizeof(bad[0]); i++) {
            uint32_t word[WORDS], old;
            const bool good = i == sizeof(bad) / sizeof(bad[0]);
            rewind(f);
            assert_int_equal(fread(word, sizeof(word), 1, f), 1);
            old = word[at];
            word[at] = good ? old : bad[i];
            rewind(f);
            fwrite(word, sizeof(word), 1, f);
            rewind(f);
            assert_int_equal(cache_load(a, f) == 0, good);
            word[at] = old;
            rewind(f);
            fwrite(word, sizeof(word), 1, f);
        }
    fclose(f);
    cache_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loaded_cache_goes_on_exactly_as_the_saved_one),
        cmocka_unit_test(a_damaged_checkpoint_is_refused_and_harmless),
        cmocka_unit_test(sectors_that_there_are_not_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
