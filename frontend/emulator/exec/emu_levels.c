/* Levels of detail of mipmaps: selection of a level per lane, and interpolation between two. */
#include <math.h>

#include "frontend/emulator/exec/memory/emu_sample.h"

/* The levels that the lanes read, and the weight of the next level, with 8 fractional bits like
 * other weights. */
static void choose_levels(const emu_texture_t *t, const float level[EMU_LANES],
                          uint32_t low[EMU_LANES], float weight[EMU_LANES])
{
    const float most = (float)(t->n_levels - 1);

    for (unsigned k = 0; k < EMU_LANES; k++) {
        float v = fminf(fmaxf(level[k] + t->level_bias, t->lowest_level), t->highest_level);
        v = v > 0 ? fminf(v, most) : 0; /* also for NaN */
        const float whole = t->mixes_levels ? floorf(v) : floorf(v + 0.5f);
        low[k] = (uint32_t)whole;
        weight[k] = t->mixes_levels ? floorf((v - whole) * 256 + 0.5f) / 256 : 0;
    }
}

/* Reads each lane from its level, one level after the other. */
static bool read_levels(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                        const uint32_t level[EMU_LANES], uint32_t value[4][EMU_LANES],
                        uint64_t *place)
{
    for (uint32_t left = EMU_ALL; left != 0;) {
        const uint32_t now = level[__builtin_ctz(left)];
        const emu_texture_t one = emu_texture_level(t, now);
        uint32_t texel[4][EMU_LANES], lanes;
        uint64_t at[EMU_LANES];
        if (!emu_texture_sample(m, &one, p, texel, place == NULL ? NULL : at))
            return false;
        EMU_WHERE(lanes, level[k] == now);
        for (unsigned k = 0; k < EMU_LANES && place != NULL; k++)
            place[k] = lanes >> k & 1 ? at[k] : place[k];
        for (unsigned i = 0; i < 4; i++)
            for (unsigned k = 0; k < EMU_LANES; k++)
                value[i][k] = emu_merge(emu_lane(lanes, k), texel[i][k], value[i][k]);
        left &= ~lanes;
    }
    return true;
}

bool emu_texture_sample_levels(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                               const float level[EMU_LANES], uint32_t value[4][EMU_LANES],
                               uint64_t *place)
{
    uint32_t low[EMU_LANES], high[EMU_LANES], upper[4][EMU_LANES], mixed = 0;
    float weight[EMU_LANES];

    choose_levels(t, level, low, weight);
    if (!read_levels(m, t, p, low, value, place))
        return false;
    for (unsigned k = 0; k < EMU_LANES; k++) {
        high[k] = low[k] + (weight[k] != 0);
        mixed |= weight[k] != 0;
    }
    if (!mixed)
        return true;
    if (!read_levels(m, t, p, high, upper, NULL))
        return false;
    for (unsigned i = 0; i < t->components; i++)
        for (unsigned k = 0; k < EMU_LANES; k++)
            if (weight[k] != 0)
                value[i][k] = emu_float_bits((1 - weight[k]) * emu_float(value[i][k]) +
                                             weight[k] * emu_float(upper[i][k]));
    return true;
}
