/* Textures and surfaces on the emulator against formulas of the CUDA programming guide. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/texture_lab.h"
#include "tests/support/test.h"

enum { WIDTH = 13, HEIGHT = 7, POINTS = 128 };

/* --- tests ----------------------------------------------------------------------------------- */

/* Coordinates with few bits, so weights of 8 bits are exact. Some are far outside. */
static void make_points(float x[POINTS], float y[POINTS], bool normalized)
{
    uint64_t seed = 5;

    for (unsigned i = 0; i < POINTS; i++) {
        x[i] = (float)((int)(sass_lab_random(&seed) % 1024) - 512) / 32;
        y[i] = (float)((int)(sass_lab_random(&seed) % 1024) - 512) / 32;
        if (normalized) {
            x[i] /= 8;
            y[i] /= 8;
        }
    }
}

static void check_sampling(sass_lab_t *lab, const emu_texture_t *t, const float *texels)
{
    float x[POINTS], y[POINTS];
    uint64_t out = sass_lab_put(lab, NULL, POINTS * 4), handle = texture_lab_bind(lab, t);

    make_points(x, y, t->normalized);
    sass_lab_kernel(lab, "sample_2d");
    sass_lab_pointer(lab, out);
    sass_lab_param(lab, &handle);
    sass_lab_pointer(lab, sass_lab_put(lab, x, sizeof(x)));
    sass_lab_pointer(lab, sass_lab_put(lab, y, sizeof(y)));
    sass_lab_must_run(lab, POINTS / 32, 32, 0);
    const float *got = sass_lab_at(lab, out);
    for (unsigned i = 0; i < POINTS; i++)
        sass_lab_assert_close((double)got[i],
                              texture_lab_expected(t, texels, (double)x[i], (double)y[i]), 1e-5);
}

static void samples_follow_address_mode_and_filter(void **state)
{
    uint64_t seed = 3;
    float *texels = sass_lab_floats((size_t)WIDTH * HEIGHT, &seed);
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    {
        emu_texture_t t = texture_lab_image(&lab, texels, WIDTH, HEIGHT, 1);
        t.border[0] = 0.75f;
        for (unsigned mode = 0; mode < 64; mode++) {
            t.address[0] = mode & 3;
            t.address[1] = mode >> 2 & 3;
            t.linear = mode >> 4 & 1;
            t.normalized = mode >> 5 & 1;
            check_sampling(&lab, &t, texels);
        }
    }
    free(texels);
}

static void fetches_outside_give_zero(void **state)
{
    float texels[20];
    int16_t pairs[64];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 20; i++)
        texels[i] = (float)i + 1;
    for (int i = 0; i < 64; i++)
        pairs[i] = (int16_t)(i * 1021 - 32000);
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    {
        emu_texture_t t = texture_lab_image(&lab, texels, 20, 1, 1);
        uint64_t out = sass_lab_put(&lab, NULL, 256);
        uint32_t handle = emu_module_reference(&lab.module, "reference");
        *emu_texture_of(&lab.mem, handle) = t;
        sass_lab_kernel(&lab, "fetch_reference");
        sass_lab_pointer(&lab, out);
        sass_lab_must_run(&lab, 1, 32, 0);
        for (int i = 0; i < 32; i++)
            assert_true(((float *)sass_lab_at(&lab, out))[i] ==
                        (i < 2 || i >= 22 ? 0 : texels[i - 2]));

        emu_texture_t s = {.bound = true,
                           .addr = sass_lab_put(&lab, pairs, sizeof(pairs)),
                           .size = {30, 1, 1},
                           .n_layers = 1,
                           .kind = EMU_TEX_SIGNED,
                           .bits = 16,
                           .components = 2};
        uint64_t object = texture_lab_bind(&lab, &s);
        sass_lab_kernel(&lab, "fetch_signed");
        sass_lab_pointer(&lab, out);
        sass_lab_param(&lab, &object);
        sass_lab_must_run(&lab, 1, 32, 0);
        for (int i = 0; i < 64; i++)
            assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[i], i < 60 ? pairs[i] : 0);
    }
}

/* Four bytes are read as four fractions of 255, or of 127 if signed. */
static void bytes_are_read_as_fractions(void **state)
{
    uint8_t bytes[4 * 8];
    float x[32], y[32];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 37);
    for (unsigned i = 0; i < 32; i++) {
        x[i] = (float)(i % 8) + 0.5f;
        y[i] = 0;
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    for (unsigned kind = EMU_TEX_SIGNED; kind <= EMU_TEX_UNSIGNED; kind++) {
        emu_texture_t t = {.bound = true,
                           .addr = sass_lab_put(&lab, bytes, sizeof(bytes)),
                           .size = {8, 1, 1},
                           .n_layers = 1,
                           .kind = (uint8_t)kind,
                           .bits = 8,
                           .components = 4,
                           .as_float = true,
                           .linear = true,
                           .address = {EMU_TEX_CLAMP, EMU_TEX_CLAMP, EMU_TEX_CLAMP}};
        uint64_t out = sass_lab_put(&lab, NULL, 512), object = texture_lab_bind(&lab, &t);
        sass_lab_kernel(&lab, "sample_colours");
        sass_lab_pointer(&lab, out);
        sass_lab_param(&lab, &object);
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, y, sizeof(y)));
        sass_lab_must_run(&lab, 1, 32, 0);
        for (unsigned i = 0; i < 32; i++) {
            double e =
                kind == EMU_TEX_UNSIGNED ? bytes[i] / 255.0 : fmax((int8_t)bytes[i] / 127.0, -1);
            sass_lab_assert_close((double)((float *)sass_lab_at(&lab, out))[i], e, 1e-6);
        }
    }
}

static void three_dimensions_are_mixed(void **state)
{
    uint64_t seed = 9;
    float *texels = sass_lab_floats(4 * 4 * 4, &seed), x[96];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 96; i++)
        x[i] = 0.5f + (float)(i * 7 % 12) / 4; /* inside, by quarters */
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    {
        emu_texture_t t = texture_lab_image(&lab, texels, 4, 4, 4);
        t.linear = true;
        memset(t.address, EMU_TEX_CLAMP, sizeof(t.address));
        uint64_t out = sass_lab_put(&lab, NULL, 128), object = texture_lab_bind(&lab, &t);
        sass_lab_kernel(&lab, "sample_3d");
        sass_lab_pointer(&lab, out);
        sass_lab_param(&lab, &object);
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_must_run(&lab, 1, 32, 0);
        for (unsigned i = 0; i < 32; i++) {
            double sum = 0;
            for (int z = 0; z < 4; z++)
                for (int y = 0; y < 4; y++)
                    for (int k = 0; k < 4; k++)
                        sum += fmax(0, 1 - fabs((double)x[3 * i] - 0.5 - k)) *
                               fmax(0, 1 - fabs((double)x[3 * i + 1] - 0.5 - y)) *
                               fmax(0, 1 - fabs((double)x[3 * i + 2] - 0.5 - z)) *
                               (double)texels[16 * z + 4 * y + k];
            sass_lab_assert_close((double)((float *)sass_lab_at(&lab, out))[i], sum, 1e-5);
        }
    }
    free(texels);
}

/* Handles that differ between lanes, layers beyond the last one, inactive lanes. */
static void each_lane_has_its_texture_and_layer(void **state)
{
    uint64_t seed = 4;
    float *texels = sass_lab_floats(8 * 3, &seed), *other = sass_lab_floats(8 * 3, &seed), x[32];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 32; i++)
        x[i] = (float)(i % 8) + 0.25f;
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    {
        emu_texture_t a = texture_lab_image(&lab, texels, 8, 1, 3),
                      b = texture_lab_image(&lab, other, 8, 1, 3), c = a;
        a.size[2] = b.size[2] = c.size[2] = 1;
        a.n_layers = b.n_layers = 3;
        uint64_t objects[3] = {texture_lab_bind(&lab, &a), texture_lab_bind(&lab, &b),
                               texture_lab_bind(&lab, &c)};
        uint64_t out = sass_lab_put(&lab, NULL, 128);
        sass_lab_kernel(&lab, "sample_layers");
        sass_lab_pointer(&lab, out);
        sass_lab_pointer(&lab, sass_lab_put(&lab, objects, sizeof(objects)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_must_run(&lab, 1, 32, 0);
        for (unsigned i = 0; i < 32; i++) {
            unsigned layer = i % 5 < 3 ? i % 5 : 2;
            const float *from = i % 2 ? other : texels;
            float e = from[8 * layer + i % 8] + 2 * texels[i % 8];
            sass_lab_assert_close((double)((float *)sass_lab_at(&lab, out))[i],
                                  i % 3 == 1 ? 0 : (double)e, 1e-6);
        }
    }
    free(texels);
    free(other);
}

/* tex2Dgather: (i, j+1), (i+1, j+1), (i+1, j), (i, j). And what a query tells. */
static void gathers_and_queries(void **state)
{
    float texels[2 * 8 * 4], x[32], y[32];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 64; i++)
        texels[i] = (float)i;
    for (unsigned i = 0; i < 32; i++) {
        x[i] = (float)(i % 7) + 1;
        y[i] = (float)(i % 3) + 1;
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    {
        emu_texture_t t = texture_lab_image(&lab, texels, 16, 4, 1);
        t.size[0] = 8;
        t.components = 2;
        memset(t.address, EMU_TEX_CLAMP, sizeof(t.address));
        uint64_t out = sass_lab_put(&lab, NULL, 1024), object = texture_lab_bind(&lab, &t);
        sass_lab_kernel(&lab, "gather");
        sass_lab_pointer(&lab, out);
        sass_lab_param(&lab, &object);
        sass_lab_pointer(&lab, sass_lab_put(&lab, x, sizeof(x)));
        sass_lab_pointer(&lab, sass_lab_put(&lab, y, sizeof(y)));
        sass_lab_must_run(&lab, 1, 32, 0);
        for (unsigned i = 0; i < 32; i++) {
            unsigned left = i % 7, up = i % 3;
            unsigned at[4] = {8 * (up + 1) + left, 8 * (up + 1) + left + 1, 8 * up + left + 1,
                              8 * up + left};
            for (unsigned k = 0; k < 8; k++)
                assert_true(((float *)sass_lab_at(&lab, out))[8 * i + k] ==
                            texels[2 * at[k % 4] + k / 4]);
        }
        sass_lab_kernel(&lab, "query");
        sass_lab_pointer(&lab, out);
        sass_lab_param(&lab, &object);
        sass_lab_must_run(&lab, 1, 1, 0);
        assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[0], 8);
        assert_int_equal(((int32_t *)sass_lab_at(&lab, out))[1], 4);
    }
}

static void surfaces_are_clamped_cut_and_trapped(void **state)
{
    enum { W = 16, H = 4 };
    uint8_t from[H][W][4];
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < sizeof(from); i++)
        (&from[0][0][0])[i] = (uint8_t)(i * 3);
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    {
        emu_texture_t a = {.bound = true,
                           .addr = sass_lab_put(&lab, from, sizeof(from)),
                           .size = {W, H, 1},
                           .n_layers = 1,
                           .pitch = 4 * W,
                           .slice = 4 * W * H,
                           .kind = EMU_TEX_UNSIGNED,
                           .bits = 8,
                           .components = 4};
        emu_texture_t b = {.bound = true,
                           .addr = sass_lab_put(&lab, NULL, 8 * W * H),
                           .size = {W, H, 1},
                           .n_layers = 1,
                           .pitch = 8 * W,
                           .slice = 8 * W * H,
                           .kind = EMU_TEX_UNSIGNED,
                           .bits = 16,
                           .components = 4};
        uint64_t source = texture_lab_bind(&lab, &a), target = texture_lab_bind(&lab, &b);
        sass_lab_kernel(&lab, "surface_copy");
        sass_lab_param(&lab, &target);
        sass_lab_param(&lab, &source);
        sass_lab_int(&lab, 3);
        sass_lab_int(&lab, -1);
        sass_lab_must_run(&lab, H, W, 0);
        const uint16_t *got = sass_lab_at(&lab, b.addr);
        for (unsigned y = 0; y < H; y++)
            for (unsigned x = 0; x < W; x++) {
                unsigned place = x + 6 < W ? x + 6 : W - 1; /* read at x + 3, written to x - 3 */
                unsigned row = y > 0 ? y - 1 : 0;
                for (unsigned c = 0; c < 4; c++)
                    assert_int_equal(got[4 * (W * y + x) + c], x < W - 3 ? from[row][place][c] : 0);
            }
        sass_lab_kernel(&lab, "surface_wild");
        sass_lab_param(&lab, &source);
        sass_lab_int(&lab, 4 * W);
        assert_int_equal(
            sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, 0, NULL, NULL),
            RB_TRACE);
        assert_non_null(strstr(lab.err.text, "(64, 0, 0) is outside the surface"));
    }
}

static void a_handle_of_nothing_is_a_fault(void **state)
{
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    {
        uint64_t handle = 0xdeadbeef;
        sass_lab_kernel(&lab, "fetch_signed");
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 512));
        sass_lab_param(&lab, &handle);
        assert_int_equal(
            sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){32, 1, 1}, 0, NULL, NULL),
            RB_TRACE);
        assert_non_null(strstr(lab.err.text, "0xdeadbeef is not the handle of a texture"));
    }
}

/* A texture remains valid for memory that the program has freed. */
static void memory_that_was_freed_is_a_fault(void **state)
{
    enum { PAGE = 512, N = 2 * PAGE / 4 };
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    {
        float x[32], y[32] = {0};
        emu_texture_t t =
            texture_lab_image(&lab, sass_lab_at(&lab, sass_lab_put(&lab, NULL, 4)), 1, 1, 1);
        uint64_t first = sass_lab_put(&lab, NULL, PAGE), second = sass_lab_put(&lab, NULL, PAGE);
        t.addr = first;
        t.size[0] = N;
        assert_int_equal(second, first + PAGE);
        uint64_t handle = texture_lab_bind(&lab, &t), out = sass_lab_put(&lab, NULL, 128);
        for (unsigned i = 0; i < 32; i++)
            x[i] = (float)(i * N / 32); /* on both pages */
        uint64_t at[2] = {sass_lab_put(&lab, x, sizeof(x)), sass_lab_put(&lab, y, sizeof(y))};
        for (unsigned freed = 0; freed < 2; freed++) {
            sass_lab_kernel(&lab, "sample_2d");
            sass_lab_pointer(&lab, out);
            sass_lab_param(&lab, &handle);
            sass_lab_pointer(&lab, at[0]);
            sass_lab_pointer(&lab, at[1]);
            assert_int_equal(
                sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){32, 1, 1}, 0, NULL, NULL),
                freed ? RB_TRACE : RB_OK);
            assert_true(emu_mem_release(&lab.mem, freed ? first : second));
        }
        assert_non_null(strstr(lab.err.text, "the texture's memory at 0x"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_follow_address_mode_and_filter),
        cmocka_unit_test(fetches_outside_give_zero),
        cmocka_unit_test(bytes_are_read_as_fractions),
        cmocka_unit_test(three_dimensions_are_mixed),
        cmocka_unit_test(each_lane_has_its_texture_and_layer),
        cmocka_unit_test(gathers_and_queries),
        cmocka_unit_test(surfaces_are_clamped_cut_and_trapped),
        cmocka_unit_test(a_handle_of_nothing_is_a_fault),
        cmocka_unit_test(memory_that_was_freed_is_a_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
