/* Addresses of texels as traces have them: rows of linear memory, tiles of arrays. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/texture_lab.h"
#include "tests/support/test.h"

enum { WIDTH = 50, HEIGHT = 21, DEPTH = 3, LANES = 32, LINE = 128, SECTOR = 32 };

/* --- tiles ----------------------------------------------------------------------------------- */

static emu_texture_t array_of(uint8_t bits, uint8_t components)
{
    emu_texture_t t = {.bound = true,
                       .size = {WIDTH, HEIGHT, DEPTH},
                       .n_layers = 1,
                       .bits = bits,
                       .components = components};
    emu_texture_lay_out(&t);
    return t;
}

static void tiles_hold_each_byte_once(void **state)
{
    (void)state;
    for (uint8_t components = 1; components <= 4; components *= 2) {
        const emu_texture_t t = array_of(32, components);
        const uint64_t bytes = t.slice * DEPTH;
        uint8_t *seen = calloc(bytes, 1);
        assert_true(t.tiled);
        for (uint64_t offset = 0; offset < bytes; offset++) {
            const uint64_t at = emu_texture_place(&t, offset % t.pitch, offset % t.slice / t.pitch,
                                                  offset / t.slice);
            assert_true(at < bytes && !seen[at]);
            seen[at] = 1;
        }
        free(seen);
    }
}

static void a_sector_has_two_rows_of_16_bytes_and_a_line_four_rows_of_32(void **state)
{
    const emu_texture_t t = array_of(32, 1);

    (void)state;
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH * 4; x++) {
            const uint64_t at = emu_texture_place(&t, x, y, 1);
            assert_int_equal(at / SECTOR,
                             emu_texture_place(&t, x / 16 * 16, y / 2 * 2, 1) / SECTOR);
            assert_int_equal(at / LINE, emu_texture_place(&t, x / 32 * 32, y / 4 * 4, 1) / LINE);
            assert_int_equal(at / 512, emu_texture_place(&t, x / 64 * 64, y / 8 * 8, 1) / 512);
        }
}

static void one_row_is_linear(void **state)
{
    emu_texture_t t = {
        .bound = true, .size = {WIDTH, 1, 1}, .n_layers = 1, .bits = 32, .components = 1};

    (void)state;
    emu_texture_lay_out(&t);
    assert_false(t.tiled);
    assert_int_equal(emu_texture_place(&t, 4 * WIDTH - 4, 0, 0), 4 * WIDTH - 4);
}

/* --- what a launch records ------------------------------------------------------------------- */

typedef struct {
    uint64_t addr[LANES];
    unsigned n, accesses;
} seen_t;

/* Keeps the addresses of the last texture instruction. */
static rb_code_t keep_addresses(void *ctx, const trace_block_t *block, rb_err_t *err)
{
    seen_t *seen = ctx;
    const warp_stream_t *w = &block->warps[0];
    const uint64_t *rec = w->addrs;

    (void)err;
    for (uint32_t r = 0; r < w->n_runs; r++)
        for (uint16_t i = 0; i < w->runs[r].count && w->runs[r].mask != 0; i++) {
            const inst_t *in = &w->runs[r].first[i];
            if (in->space == MEM_NONE || in->width == 0)
                continue;
            if (in->space == MEM_TEX) {
                seen->n = addr_unpack(rec, seen->addr);
                seen->accesses++;
            }
            rec += addr_words(rec);
        }
    return RB_OK;
}

static seen_t sample(sass_lab_t *lab, const emu_texture_t *t, const float x[LANES],
                     const float y[LANES])
{
    seen_t seen = {0};
    uint64_t handle = texture_lab_bind(lab, t);

    sass_lab_kernel(lab, "sample_2d");
    sass_lab_pointer(lab, sass_lab_put(lab, NULL, 4 * LANES));
    sass_lab_param(lab, &handle);
    sass_lab_pointer(lab, sass_lab_put(lab, x, 4 * LANES));
    sass_lab_pointer(lab, sass_lab_put(lab, y, 4 * LANES));
    if (sass_lab_run(lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){LANES, 1, 1}, 0, keep_addresses,
                     &seen) != RB_OK)
        fail_msg("%s", lab->err.text);
    assert_int_equal(seen.n, LANES);
    assert_int_equal(seen.accesses, 1);
    return seen;
}

/* An array of floats in device memory, one slice deep. */
static emu_texture_t picture(sass_lab_t *lab)
{
    emu_texture_t t = array_of(32, 1);

    t.kind = EMU_TEX_FLOAT;
    t.size[2] = 1;
    t.addr = sass_lab_put(lab, NULL, t.slice);
    return t;
}

static void fetches_have_the_address_of_their_texel(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    {
        float x[LANES], y[LANES];
        emu_texture_t t = picture(&lab);
        for (unsigned k = 0; k < LANES; k++) {
            x[k] = (float)(k * 7 % WIDTH) + 0.5f;
            y[k] = (float)(k * 5 % HEIGHT) + 0.5f;
        }
        for (unsigned form = 0; form < 4; form++) {
            t.tiled = form & 1;
            t.linear = form & 2; /* of weight 0: the texel itself */
            const seen_t seen = sample(&lab, &t, x, y);
            for (unsigned k = 0; k < LANES; k++) {
                assert_int_equal(seen.addr[k],
                                 emu_texture_place(&t, k * 7 % WIDTH * 4, k * 5 % HEIGHT, 0));
            }
        }
    }
}

/* Addresses stay inside, whatever the coordinates and the address mode are. */
static void coordinates_outside_have_an_address_inside(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    {
        float x[LANES], y[LANES];
        emu_texture_t t = picture(&lab);
        for (unsigned k = 0; k < LANES; k++) {
            x[k] = ((float)k - 16) * 37;
            y[k] = (16 - (float)k) * 11;
        }
        for (unsigned form = 0; form < 16; form++) {
            t.address[0] = t.address[1] = form & 3;
            t.normalized = form >> 2 & 1;
            t.linear = form >> 3 & 1;
            const seen_t seen = sample(&lab, &t, x, y);
            for (unsigned k = 0; k < LANES; k++)
                assert_in_range(seen.addr[k], t.addr, t.addr + t.slice - 4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_hold_each_byte_once),
        cmocka_unit_test(a_sector_has_two_rows_of_16_bytes_and_a_line_four_rows_of_32),
        cmocka_unit_test(one_row_is_linear),
        cmocka_unit_test(fetches_have_the_address_of_their_texel),
        cmocka_unit_test(coordinates_outside_have_an_address_inside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
