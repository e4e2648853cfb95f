/*
 * HMMA for hosts with AVX-512 against HMMA for any host, bit by bit: all kinds of numbers,
 * registers that are sources and destinations, inactive lanes.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/exec/math/emu_matrix.h"
#include "sim/core/alloc.h"
#include "tests/support/emulator/sass_lab.h"
#include "tests/support/test.h"

enum { REGISTERS = 24, WORDS = REGISTERS * EMU_LANES, ROUNDS = 4000 };

/* Mostly numbers of usual size, otherwise any bits: NaN, infinities, denormals. */
static void fill(uint32_t words[WORDS], uint64_t *seed)
{
    for (unsigned i = 0; i < WORDS; i++) {
        const uint32_t any = (uint32_t)(sass_lab_random(seed) >> 32);
        const uint32_t usual = (any & 0x8fff8fffu) + 0x30003000u;
        words[i] = sass_lab_random(seed) >> 61 == 0 ? any : usual;
    }
}

/* A warp that has only registers. */
static emu_warp_t warp_of(uint32_t words[WORDS])
{
    return (emu_warp_t){.base = {words, words}, .r = words};
}

static void products_of_turing_are_the_same(void **state)
{
    uint32_t *given = rb_calloc_aligned(WORDS, 4), *plain = rb_calloc_aligned(WORDS, 4),
             *wide = rb_calloc_aligned(WORDS, 4);
    uint64_t seed = 1;

    (void)state;
    for (unsigned i = 0; i < ROUNDS && emu_has_avx512(); i++) {
        emu_warp_t w[2] = {warp_of(plain), warp_of(wide)};
        emu_uop_t u = {.select = i / 2 % 2}; /* sums of 16 or 32 bits */
        const uint32_t mask = i % 3 ? EMU_ALL : (uint32_t)(sass_lab_random(&seed) >> 32);
        for (unsigned s = 0; s < 3; s++)
            u.s[s] = EMU_LANES * (uint32_t)(sass_lab_random(&seed) % (REGISTERS - 4));
        u.d = i % 2 ? u.s[2] : EMU_LANES * (uint32_t)(sass_lab_random(&seed) % (REGISTERS - 4));
        fill(given, &seed);
        memcpy(plain, given, 4 * WORDS);
        memcpy(wide, given, 4 * WORDS);
        emu_hmma1688(&w[0], &u, mask);
        (u.select ? emu_hmma1688_avx512 : emu_hmma1688_half_avx512)(&w[1], &u, mask);
        assert_memory_equal(plain, wide, 4 * WORDS);
    }
    free(given), free(plain), free(wide);
    if (!emu_has_avx512())
        skip();
}

/* Each version with its own fragments. */
static void steps_of_volta_are_the_same(void **state)
{
    uint32_t *given = rb_calloc_aligned(WORDS, 4), *plain = rb_calloc_aligned(WORDS, 4),
             *wide = rb_calloc_aligned(WORDS, 4);
    emu_grid_t *grid = rb_calloc_aligned(2, sizeof(*grid));
    uint64_t seed = 2;

    (void)state;
    for (unsigned i = 0; i < ROUNDS && emu_has_avx512(); i++) {
        emu_warp_t w[2] = {warp_of(plain), warp_of(wide)};
        emu_uop_t u = {.select = (uint8_t)(i % 16)}; /* step, and the layouts of A and B */
        const uint32_t mask = i % 3 ? EMU_ALL : (uint32_t)(sass_lab_random(&seed) >> 32);
        for (unsigned s = 0; s < 3; s++)
            u.s[s] = EMU_LANES * (uint32_t)(sass_lab_random(&seed) % (REGISTERS - 2));
        u.d =
            i / 16 % 2 ? u.s[2] : EMU_LANES * (uint32_t)(sass_lab_random(&seed) % (REGISTERS - 2));
        fill(given, &seed);
        memcpy(plain, given, 4 * WORDS);
        memcpy(wide, given, 4 * WORDS);
        w[0].grid = &grid[0];
        w[1].grid = &grid[1];
        emu_fragments(&w[0], &u, &grid[0].fragments);
        emu_hmma884(&w[0], &u, mask);
        emu_fragments_avx512(&w[1], &u, &grid[1].fragments);
        emu_hmma884_avx512(&w[1], &u, mask);
        assert_memory_equal(plain, wide, 4 * WORDS);
    }
    free(given), free(plain), free(wide), free(grid);
    if (!emu_has_avx512())
        skip();
}

/* Sums of 16 bits, for which only the wide version has fragments. */
static void half_steps_of_volta_are_the_same(void **state)
{
    uint32_t *given = rb_calloc_aligned(WORDS, 4), *plain = rb_calloc_aligned(WORDS, 4),
             *wide = rb_calloc_aligned(WORDS, 4);
    emu_grid_t *grid = rb_calloc_aligned(1, sizeof(*grid));
    uint64_t seed = 3;

    (void)state;
    for (unsigned i = 0; i < ROUNDS && emu_has_avx512(); i++) {
        emu_warp_t w[2] = {warp_of(plain), warp_of(wide)};
        emu_uop_t u = {.select = (uint8_t)(i % 2 | (i / 2 % 4) << 2 | HMMA_D_F16 | HMMA_C_F16)};
        const uint32_t mask = i % 3 ? EMU_ALL : (uint32_t)(sass_lab_random(&seed) >> 32);
        for (unsigned s = 0; s < 3; s++)
            u.s[s] = EMU_LANES * (uint32_t)(sass_lab_random(&seed) % (REGISTERS - 2));
        u.d = i / 8 % 2 ? u.s[2] : EMU_LANES * (uint32_t)(sass_lab_random(&seed) % (REGISTERS - 2));
        fill(given, &seed);
        memcpy(plain, given, 4 * WORDS);
        memcpy(wide, given, 4 * WORDS);
        w[1].grid = grid;
        emu_hmma884_any(&w[0], &u, mask);
        emu_fragments_avx512(&w[1], &u, &grid->fragments);
        emu_hmma884_half_avx512(&w[1], &u, mask);
        assert_memory_equal(plain, wide, 4 * WORDS);
    }
    free(given), free(plain), free(wide), free(grid);
    if (!emu_has_avx512())
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_turing_are_the_same),
        cmocka_unit_test(steps_of_volta_are_the_same),
        cmocka_unit_test(half_steps_of_volta_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
