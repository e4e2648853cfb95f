#include "tests/support/emulator/texture_lab.h"

#include <math.h>

emu_texture_t texture_lab_image(sass_lab_t *lab, const float *texels, uint32_t width,
                                uint32_t height, uint32_t depth)
{
    return (emu_texture_t){.bound = true,
                           .addr = sass_lab_put(lab, texels, 4ull * width * height * depth),
                           .size = {width, height, depth},
                           .n_layers = 1,
                           .pitch = 4ull * width,
                           .slice = 4ull * width * height,
                           .kind = EMU_TEX_FLOAT,
                           .bits = 32,
                           .components = 1};
}

uint64_t texture_lab_bind(sass_lab_t *lab, const emu_texture_t *t)
{
    uint32_t handle = emu_texture_add(&lab->mem);

    *emu_texture_of(&lab->mem, handle) = *t;
    return handle;
}

static double texel(const emu_texture_t *t, const float *v, int x, int y)
{
    int at[2] = {x, y};

    for (unsigned i = 0; i < 2; i++) {
        int n = (int)t->size[i];
        while (t->address[i] == EMU_TEX_WRAP && t->normalized && at[i] < 0)
            at[i] += n;
        if (t->address[i] == EMU_TEX_WRAP && t->normalized)
            at[i] %= n;
        while (t->address[i] == EMU_TEX_MIRROR && t->normalized && (at[i] < 0 || at[i] >= n))
            at[i] = at[i] < 0 ? -1 - at[i] : 2 * n - 1 - at[i];
        if ((at[i] < 0 || at[i] >= n) && t->address[i] == EMU_TEX_BORDER)
            return (double)t->border[0];
        at[i] = at[i] < 0 ? 0 : at[i] >= n ? n - 1 : at[i];
    }
    return (double)v[at[1] * (int)t->size[0] + at[0]];
}

double texture_lab_expected(const emu_texture_t *t, const float *v, double x, double y)
{
    double scale_x = t->normalized ? t->size[0] : 1, scale_y = t->normalized ? t->size[1] : 1;
    double u = x * scale_x, w = y * scale_y;

    if (!t->linear)
        return texel(t, v, (int)floor(u), (int)floor(w));
    int i = (int)floor(u - 0.5), k = (int)floor(w - 0.5);
    double a = round((u - 0.5 - i) * 256) / 256, b = round((w - 0.5 - k) * 256) / 256;
    return (1 - a) * (1 - b) * texel(t, v, i, k) + a * (1 - b) * texel(t, v, i + 1, k) +
           (1 - a) * b * texel(t, v, i, k + 1) + a * b * texel(t, v, i + 1, k + 1);
}
