/* Remembered address patterns give what coalescing gives. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "sim/sm/memory/pattern.h"

enum { BANKS = 32, TIMES = 3 };

static uint64_t random_state = 1;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % below;
}

static bool same_lines(const coalesced_t *a, const coalesced_t *b)
{
    bool same = a->n == b->n;
    for (uint32_t i = 0; same && i < a->n; i++) {
        const line_access_t *x = &a->line[i], *y = &b->line[i];
        same = x->line == y->line && x->sectors == y->sectors && x->full == y->full &&
               x->lanes == y->lanes && x->conflict == y->conflict &&
               memcmp(x->bytes, y->bytes, sizeof(x->bytes)) == 0;
    }
    return same;
}

/* Looks an access up as the memory side does and compares with coalescing. Returns whether it was
 * remembered. */
static bool check(pattern_t *slots, const uint64_t *rec, uint32_t mask, unsigned width,
                  pattern_kind_t kind)
{
    static coalesced_t want, got;
    const coalesce_mode_t mode = kind == PATTERN_STORE ? COALESCE_STORE : COALESCE_LOAD;
    lane_addrs_t lanes;
    unsigned ideal;
    pattern_key_t key;
    coalesce_decode(rec, width, &lanes);
    const bool shared = kind == PATTERN_SHARED_LOAD || kind == PATTERN_SHARED_STORE;
    unsigned passes = coalesce_bank_passes(
        &lanes, mask, width, BANKS, kind == PATTERN_SHARED_LOAD ? PASS_PAIRS : PASS_GROUPS, &ideal);
    coalesce_lines(&lanes, width, mode, &want);
    if (!pattern_key(rec, mask, width, kind, &key))
        return false;
    const pattern_t *p = pattern_find(slots, &key);
    if (p == NULL) {
        pattern_note(slots, &key, passes, ideal, shared ? NULL : &want);
        return false;
    }
    assert_int_equal(p->passes, passes);
    assert_int_equal(p->ideal, ideal);
    pattern_lines(p, &key, &got);
    assert_true(shared || same_lines(&want, &got));
    return true;
}

/* Rows: lanes 0-15 and 16-31, or with random gaps, strides and widths. */
static unsigned make_record(uint64_t *rec, uint32_t *mask)
{
    uint64_t addr[WARP_LANES], row = draw(4096) * 4, step = draw(5) * 4, base = 1u << 20;
    const unsigned cut = 1u + (unsigned)draw(WARP_LANES);
    base += draw(2) != 0 ? draw(100000) : draw(1000) * 128;
    *mask = draw(3) != 0 ? UINT32_MAX : (uint32_t)draw(UINT32_MAX) | 1;
    const unsigned n = (unsigned)__builtin_popcount(*mask);
    for (unsigned i = 0; i < n; i++)
        addr[i] = base + i / cut * row + i % cut * step;
    return (unsigned)addr_pack(addr, n, rec);
}

static void remembered_patterns_equal_coalescing(void **state)
{
    (void)state;
    static pattern_t slots[PATTERN_SLOTS];
    unsigned found = 0;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t rec[ADDR_RECORD_MAX];
        uint32_t mask;
        make_record(rec, &mask);
        const unsigned width = 1u << draw(5);
        const pattern_kind_t kind = (pattern_kind_t)draw(4);
        const uint64_t shift = kind >= PATTERN_SHARED_LOAD ? 4 : 128;
        for (unsigned k = 0; k < TIMES; k++, rec[1] += shift * draw(50))
            found += check(slots, rec, mask, width, kind);
    }
    assert_true(found > 5000);
}

static void lists_are_remembered_too(void **state)
{
    (void)state;
    static pattern_t slots[PATTERN_SLOTS];
    uint64_t rec[ADDR_RECORD_MAX] = {addr_header(ADDR_LIST, WARP_LANES, 0)};
    for (unsigned i = 0; i < WARP_LANES; i++)
        rec[1 + i] = 0x100000 + (i / 16) * 2560 + i % 16 * 4;
    assert_false(check(slots, rec, UINT32_MAX, 4, PATTERN_LOAD));
    assert_false(check(slots, rec, UINT32_MAX, 4, PATTERN_LOAD));
    assert_true(check(slots, rec, UINT32_MAX, 4, PATTERN_LOAD));
    rec[1 + 31] += UINT64_C(1) << 40; /* too far for 32 bits */
    pattern_key_t key;
    assert_false(pattern_key(rec, UINT32_MAX, 4, PATTERN_LOAD, &key));
}

/* The rows of a tile take part as records of their own form, with the lines of a list. */
static void rows_are_remembered_too(void **state)
{
    (void)state;
    static pattern_t slots[PATTERN_SLOTS];
    uint64_t rec[ADDR_RECORD_MAX], addr[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++)
        addr[i] = 0x100000 + (i / 8) * 2560 + i % 8 * 4;
    assert_int_equal(addr_pack(addr, WARP_LANES, rec), 3);
    assert_false(check(slots, rec, UINT32_MAX, 4, PATTERN_STORE));
    assert_false(check(slots, rec, UINT32_MAX, 4, PATTERN_STORE));
    assert_true(check(slots, rec, UINT32_MAX, 4, PATTERN_STORE));
    rec[2]++; /* another distance of rows */
    assert_false(check(slots, rec, UINT32_MAX, 4, PATTERN_STORE));
}

/* One lane more, another width, another place within the line: not the same pattern. */
static void other_accesses_are_not_found(void **state)
{
    (void)state;
    static pattern_t slots[PATTERN_SLOTS];
    uint64_t rec[2] = {addr_header(ADDR_AFFINE, 31, 40), 0x100000};
    const uint32_t mask = UINT32_MAX >> 1;
    for (unsigned k = 0; k < TIMES; k++)
        (void)check(slots, rec, mask, 4, PATTERN_LOAD);
    assert_true(check(slots, rec, mask, 4, PATTERN_LOAD));
    assert_false(check(slots, rec, mask << 1, 4, PATTERN_LOAD));
    assert_false(check(slots, rec, mask, 8, PATTERN_LOAD));
    rec[1] += 4;
    assert_false(check(slots, rec, mask, 4, PATTERN_LOAD));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remembered_patterns_equal_coalescing),
        cmocka_unit_test(lists_are_remembered_too),
        cmocka_unit_test(rows_are_remembered_too),
        cmocka_unit_test(other_accesses_are_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
