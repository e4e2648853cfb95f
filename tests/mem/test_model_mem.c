/* Memory of the model: pieces are zeroed, aligned and disjoint, whatever was freed before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/model_mem.h"

enum { PIECES = 400, ROUNDS = 20 };

typedef struct {
    uint8_t *p;
    size_t bytes;
    uint8_t mark;
} piece_t;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void expect_all(const piece_t *piece, uint8_t value)
{
    for (size_t i = 0; i < piece->bytes; i++)
        assert_int_equal(piece->p[i], value);
}

/* Sizes from nothing to more than a chunk; a third is freed in each round, in no order. */
static void test_pieces_do_not_touch(void **state)
{
    (void)state;
    static piece_t piece[PIECES];
    uint32_t random = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < PIECES; i++) {
            if (piece[i].p != NULL)
                continue;
            uint32_t r = next_random(&random);
            piece[i].bytes = r % 200 == 0 ? r % (5u << 20) : r % 3000;
            piece[i].mark = (uint8_t)(1 + r % 255);
            piece[i].p = rb_model_calloc(piece[i].bytes, 1);
            assert_int_equal((uintptr_t)piece[i].p % 64, 0);
            expect_all(&piece[i], 0);
            if (piece[i].bytes > 0)
                memset(piece[i].p, piece[i].mark, piece[i].bytes);
        }
        for (int i = 0; i < PIECES; i++) {
            if (next_random(&random) % 3 != 0)
                continue;
            expect_all(&piece[i], piece[i].mark);
            rb_model_free(piece[i].p);
            piece[i].p = NULL;
        }
    }
    for (int i = 0; i < PIECES; i++) {
        if (piece[i].p != NULL)
            expect_all(&piece[i], piece[i].mark);
        rb_model_free(piece[i].p);
        piece[i].p = NULL;
    }
    rb_model_free(NULL);
}

static void test_grow_keeps_what_is_there(void **state)
{
    (void)state;
    uint32_t *list = NULL;
    size_t cap = 0;
    for (uint32_t n = 0; n < 100000; n++) {
        size_t before = cap;
        rb_model_grow(&list, &cap, (size_t)n + 1, sizeof(*list));
        assert_true(cap > n);
        if (cap != before)
            assert_int_equal(list[cap - 1], 0);
        list[n] = n;
    }
    for (uint32_t n = 0; n < 100000; n++)
        assert_int_equal(list[n], n);
    rb_model_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_do_not_touch),
        cmocka_unit_test(test_grow_keeps_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
