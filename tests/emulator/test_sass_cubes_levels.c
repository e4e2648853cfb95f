/* Cube maps and mipmaps on the emulator against the CUDA programming guide. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/texture_lab.h"
#include "tests/support/test.h"

/* --- cubes: the guide's table of faces ------------------------------------------------------- */

/* The axis and sign of a face, and the axes of its columns and rows. */
static const struct {
    int major, major_sign, right, right_sign, down, down_sign;
} faces[6] = {{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
              {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1}};

enum { CUBE_SIDE = 8 };

/* A direction through a face, and the position on the face; weights have few bits. */
static void aim(unsigned face, uint64_t *seed, float x[3], double at[2])
{
    const float scale = (float)(1u << (sass_lab_random(seed) >> 62)); /* length does not matter */

    for (unsigned i = 0; i < 2; i++) {
        const double v = (double)((int)(sass_lab_random(seed) >> 32 & 127) - 63) / 64;
        const int axis = i ? faces[face].down : faces[face].right;
        x[axis] = (float)(v * (i ? faces[face].down_sign : faces[face].right_sign)) * scale;
        at[i] = (v + 1) / 2;
    }
    x[faces[face].major] = (float)faces[face].major_sign * scale;
}

static void check_cubes(sass_lab_t *lab, const float *texels, unsigned n_cubes, bool linear)
{
    const size_t side = CUBE_SIDE, area = side * side;
    float x[3 * 32];
    double at[32][2];
    uint64_t seed = 6, handle, out = sass_lab_put(lab, NULL, 128);
    emu_texture_t t = texture_lab_image(lab, texels, CUBE_SIDE, CUBE_SIDE, 6 * n_cubes);

    t.size[2] = 1;
    t.n_layers = 6 * n_cubes;
    t.linear = linear;
    memset(t.address, EMU_TEX_CLAMP, sizeof(t.address));
    handle = texture_lab_bind(lab, &t);
    for (unsigned i = 0; i < 32; i++)
        aim(i % 6, &seed, x + (size_t)3 * i, at[i]);
    sass_lab_kernel(lab, n_cubes > 1 ? "sample_cubes" : "sample_cube");
    sass_lab_pointer(lab, out);
    sass_lab_param(lab, &handle);
    sass_lab_pointer(lab, sass_lab_put(lab, x, sizeof(x)));
    sass_lab_must_run(lab, 1, 32, 0);
    t.normalized = true;
    for (unsigned i = 0; i < 32; i++) { /* a layer behind the last cube is the last one */
        const unsigned cube = n_cubes > 1 ? (i % 3 < n_cubes ? i % 3 : n_cubes - 1) : 0;
        const double e =
            texture_lab_expected(&t, texels + (6 * cube + i % 6) * area, at[i][0], at[i][1]);
        sass_lab_assert_close((double)((float *)sass_lab_at(lab, out))[i], e, 1e-5);
    }
}

static void directions_meet_the_faces_of_cubes(void **state)
{
    uint64_t seed = 8;
    float *texels = sass_lab_floats((size_t)12 * CUBE_SIDE * CUBE_SIDE, &seed);
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    for (unsigned n_cubes = 1; n_cubes <= 2; n_cubes++) {
        check_cubes(&lab, texels, n_cubes, false);
        check_cubes(&lab, texels, n_cubes, true);
    }
    free(texels);
}

static void a_texture_of_four_layers_is_no_cube(void **state)
{
    float x[96] = {0};
    sass_lab_t lab;

    (void)state;
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    {
        emu_texture_t t = texture_lab_image(&lab, x, 4, 4, 4);
        t.size[2] = 1;
        t.n_layers = 4;
        uint64_t handle = texture_lab_bind(&lab, &t), in = sass_lab_put(&lab, x, sizeof(x));
        sass_lab_kernel(&lab, "sample_cube");
        sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 128));
        sass_lab_param(&lab, &handle);
        sass_lab_pointer(&lab, in);
        assert_int_equal(
            sass_lab_run(&lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){32, 1, 1}, 0, NULL, NULL),
            RB_TRACE);
        assert_non_null(strstr(lab.err.text, "is not the handle of a cube map"));
    }
}

/* --- levels of detail --------------------------------------------------------------------------
 */

enum { LEVELS = 4, BASE_WIDTH = 8, BASE_HEIGHT = 4 };

/* A mipmap of random texels; texels[i]: contiguous texels of level i. */
static emu_texture_t mipmap(sass_lab_t *lab, float texels[LEVELS][BASE_WIDTH * BASE_HEIGHT])
{
    emu_texture_t t = texture_lab_image(lab, texels[0], BASE_WIDTH, BASE_HEIGHT, 1);
    uint64_t seed = 11;

    t.normalized = t.linear = true;
    memset(t.address, EMU_TEX_CLAMP, sizeof(t.address));
    t.n_levels = LEVELS;
    t.level_bias = 0.25f;
    t.lowest_level = 0.5f;
    t.highest_level = 2.75f;
    emu_texture_lay_out(&t);
    t.addr = sass_lab_put(lab, NULL, 4096);
    for (unsigned i = 0; i < LEVELS; i++) {
        const emu_texture_t level = emu_texture_level(&t, i);
        for (unsigned y = 0; y < level.size[1]; y++)
            for (unsigned x = 0; x < level.size[0]; x++) {
                float *to = sass_lab_at(lab, level.addr + y * level.pitch + 4ull * x);
                *to = texels[i][y * level.size[0] + x] = sass_lab_float(&seed);
            }
    }
    return t;
}

static double expected_of_level(const emu_texture_t *t,
                                float texels[LEVELS][BASE_WIDTH * BASE_HEIGHT], double level,
                                const float at[2])
{
    double v = fmin(fmax(level + 0.25, 0.5), 2.75), part = 0;
    unsigned low = (unsigned)floor(v + 0.5);

    if (t->mixes_levels) {
        low = (unsigned)floor(v);
        part = v - low; /* few bits */
    }
    const emu_texture_t one = emu_texture_level(t, low), next = emu_texture_level(t, low + 1);
    double e = (1 - part) * texture_lab_expected(&one, texels[low], (double)at[0], (double)at[1]);
    return part == 0 ? e
                     : e + part * texture_lab_expected(&next, texels[low + 1], (double)at[0],
                                                       (double)at[1]);
}

/* Levels from below the lowest to above the highest; equivalent steps between pixels. */
static void levels_are_chosen_and_mixed(void **state)
{
    float texels[LEVELS][BASE_WIDTH * BASE_HEIGHT], at[32][2], level[32], steps[32][4] = {{0}};
    uint64_t seed = 12;
    sass_lab_t lab;

    (void)state;
    for (unsigned i = 0; i < 32; i++) {
        level[i] = (float)((i * 5) % 32) / 8 - 0.5f;
        at[i][0] = (float)(sass_lab_random(&seed) >> 60) / 16;
        at[i][1] = (float)(sass_lab_random(&seed) >> 60) / 16;
        const float longer = exp2f(level[i]); /* texels from pixel to pixel in x, or in y */
        steps[i][i % 2 ? 0 : 2] = longer * 0.6f / BASE_WIDTH;
        steps[i][i % 2 ? 1 : 3] = longer * 0.8f / BASE_HEIGHT;
        steps[i][i % 2 ? 2 : 0] = longer * 0.9f / BASE_WIDTH;
    }
    SASS_LAB_FOR_EACH_ARCH(lab, "texture")
    for (unsigned how = 0; how < 4; how++) {
        const bool by_steps = how & 1;
        emu_texture_t t = mipmap(&lab, texels);
        t.mixes_levels = how >> 1;
        uint64_t handle = texture_lab_bind(&lab, &t), out = sass_lab_put(&lab, NULL, 128);
        sass_lab_kernel(&lab, by_steps ? "sample_gradients" : "sample_levels");
        sass_lab_pointer(&lab, out);
        sass_lab_param(&lab, &handle);
        sass_lab_pointer(&lab, sass_lab_put(&lab, at, sizeof(at)));
        sass_lab_pointer(&lab, by_steps ? sass_lab_put(&lab, steps, sizeof(steps))
                                        : sass_lab_put(&lab, level, sizeof(level)));
        sass_lab_must_run(&lab, 1, 32, 0);
        for (unsigned i = 0; i < 32; i++) {
            const double e = expected_of_level(&t, texels, (double)level[i], at[i]);
            /* if rounding decides between two levels, steps may give the other one */
            const double v = (double)level[i] + 0.25;
            if (!by_steps || t.mixes_levels || floor(v + 0.499) == floor(v + 0.501))
                sass_lab_assert_close((double)((float *)sass_lab_at(&lab, out))[i], e,
                                      by_steps ? 4e-3 : 1e-5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_meet_the_faces_of_cubes),
        cmocka_unit_test(a_texture_of_four_layers_is_no_cube),
        cmocka_unit_test(levels_are_chosen_and_mixed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
