#include "frontend/sass/emu_texture.h"

#include <math.h>
#include <string.h>

#include "frontend/sass/emu_half.h"
#include "sim/core/alloc.h"

uint32_t emu_texture_add(emu_mem_t *m)
{
    rb_grow(&m->textures, &m->cap_textures, m->n_textures + 1, sizeof(*m->textures));
    m->textures[m->n_textures++] = (emu_texture_t){0};
    return (uint32_t)m->n_textures;
}

emu_texture_t *emu_texture_of(const emu_mem_t *m, uint32_t handle)
{
    return handle - 1 < m->n_textures ? &m->textures[handle - 1] : NULL;
}

unsigned emu_texel_bytes(const emu_texture_t *t)
{
    return t->bits / 8u * t->components;
}

/* --- texels ---------------------------------------------------------------------------------- */

static uint32_t from_float(float f)
{
    uint32_t word;

    memcpy(&word, &f, sizeof(word));
    return word;
}

static float to_float(uint32_t word)
{
    float f;

    memcpy(&f, &word, sizeof(f));
    return f;
}

/* A component, extended to 32 bits. */
static uint32_t component(const emu_texture_t *t, const uint8_t *p)
{
    uint32_t word = 0;

    memcpy(&word, p, t->bits / 8u);
    if (t->kind == EMU_TEX_FLOAT)
        return t->bits == 16 ? from_float((float)emu_half_to_double((uint16_t)word)) : word;
    if (t->kind == EMU_TEX_SIGNED && t->bits < 32)
        word = (uint32_t)((int32_t)(word << (32 - t->bits)) >> (32 - t->bits));
    return word;
}

/* An integer component as a fraction in [0, 1], or in [-1, 1]. */
static float fraction(const emu_texture_t *t, uint32_t word)
{
    if (t->kind == EMU_TEX_UNSIGNED)
        return (float)((double)word / (double)((1ull << t->bits) - 1));
    double v = (double)(int32_t)word / (double)((1ull << (t->bits - 1)) - 1);
    return v < -1 ? -1.0f : (float)v;
}

static bool is_float(const emu_texture_t *t)
{
    return t->kind == EMU_TEX_FLOAT || t->as_float;
}

static bool read_texel(const emu_mem_t *m, const emu_texture_t *t, const int32_t at[3],
                       uint32_t layer, uint32_t value[4])
{
    uint64_t row = (uint64_t)(uint32_t)at[2] + layer;
    const uint8_t *p = emu_mem_at(m,
                                  t->addr + row * t->slice + (uint64_t)(uint32_t)at[1] * t->pitch +
                                      (uint64_t)(uint32_t)at[0] * emu_texel_bytes(t),
                                  emu_texel_bytes(t));

    if (p == NULL)
        return false;
    for (unsigned i = 0; i < t->components; i++) {
        value[i] = component(t, p + (size_t)i * t->bits / 8u);
        if (t->as_float && t->kind != EMU_TEX_FLOAT)
            value[i] = from_float(fraction(t, value[i]));
    }
    return true;
}

static bool inside(const emu_texture_t *t, const int32_t at[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (at[i] < 0 || (uint32_t)at[i] >= t->size[i])
            return false;
    return true;
}

static uint32_t legal_layer(const emu_texture_t *t, uint32_t layer)
{
    return layer < t->n_layers ? layer : t->n_layers - 1;
}

bool emu_texture_fetch(const emu_mem_t *m, const emu_texture_t *t, const int32_t at[3],
                       uint32_t layer, uint32_t value[4])
{
    memset(value, 0, 4 * sizeof(*value));
    return !inside(t, at) || read_texel(m, t, at, legal_layer(t, layer), value);
}

/* --- address modes --------------------------------------------------------------------------- */

/* A coordinate in texels; wrapping and mirroring are of normalized ones only. */
static float to_texels(const emu_texture_t *t, unsigned i, float x)
{
    if (!(fabsf(x) <= 0x1p30f))
        x = isnan(x) ? 0 : copysignf(0x1p30f, x);
    if (!t->normalized)
        return x;
    if (t->address[i] == EMU_TEX_WRAP)
        x -= floorf(x);
    if (t->address[i] == EMU_TEX_MIRROR) {
        float whole = floorf(x);
        x -= whole;
        if (fmodf(whole, 2) != 0)
            x = 1 - x;
    }
    return fminf(fmaxf(x * (float)t->size[i], -0x1p30f), 0x1p30f);
}

/* The texel that stands for index k in dimension i; -1: the border. */
static int32_t to_index(const emu_texture_t *t, unsigned i, int64_t k)
{
    int64_t n = t->size[i];

    if (k >= 0 && k < n)
        return (int32_t)k;
    if (t->address[i] == EMU_TEX_BORDER)
        return -1;
    if (t->normalized && t->address[i] == EMU_TEX_WRAP)
        return (int32_t)(((k % n) + n) % n);
    if (t->normalized && t->address[i] == EMU_TEX_MIRROR) {
        int64_t place = ((k % (2 * n)) + 2 * n) % (2 * n);
        return (int32_t)(place < n ? place : 2 * n - 1 - place);
    }
    return k < 0 ? 0 : (int32_t)n - 1;
}

static bool read_place(const emu_mem_t *m, const emu_texture_t *t, const int64_t k[3],
                       uint32_t layer, uint32_t value[4])
{
    int32_t at[3];

    memset(value, 0, 4 * sizeof(*value));
    for (unsigned i = 0; i < 3; i++) {
        at[i] = to_index(t, i, k[i]);
        if (at[i] >= 0)
            continue;
        for (unsigned c = 0; c < t->components && is_float(t); c++)
            value[c] = from_float(t->border[c]);
        return true;
    }
    return read_texel(m, t, at, layer, value);
}

/* --- filters --------------------------------------------------------------------------------- */

/* Whether dimension i has neighbours to mix. */
static bool has_extent(const emu_texture_t *t, unsigned i)
{
    return t->size[i] > 1 || i == 0;
}

/*
 * The lower neighbour and the weight of the upper one, which the hardware keeps with 8 bits of
 * fraction (Programming Guide, "Linear Filtering").
 */
static void neighbours(const emu_texture_t *t, const float at[3], const int32_t offset[3],
                       int64_t low[3], float weight[3])
{
    for (unsigned i = 0; i < 3; i++) {
        low[i] = 0;
        weight[i] = 0;
        if (!has_extent(t, i))
            continue;
        float x = to_texels(t, i, at[i]) - 0.5f, whole = floorf(x);
        low[i] = (int64_t)whole + offset[i];
        weight[i] = (float)(int)((double)((x - whole) * 256) + 0.5) / 256;
    }
}

static bool sample_linear(const emu_mem_t *m, const emu_texture_t *t, const float at[3],
                          const int32_t offset[3], uint32_t layer, uint32_t value[4])
{
    int64_t low[3];
    float weight[3], sum[4] = {0};
    unsigned mixed = 0; /* dimensions in which the upper neighbours count */

    neighbours(t, at, offset, low, weight);
    for (unsigned i = 0; i < 3; i++)
        mixed |= (unsigned)(weight[i] != 0) << i;
    for (unsigned corner = 0; corner <= mixed; corner++) {
        float share = 1;
        int64_t k[3];
        uint32_t texel[4];
        if ((corner & ~mixed) != 0)
            continue;
        for (unsigned i = 0; i < 3; i++) {
            unsigned up = corner >> i & 1;
            k[i] = low[i] + up;
            share *= up ? weight[i] : 1 - weight[i];
        }
        if (!read_place(m, t, k, layer, texel))
            return false;
        for (unsigned c = 0; c < t->components; c++)
            sum[c] += share * to_float(texel[c]);
    }
    memset(value, 0, 4 * sizeof(*value));
    for (unsigned c = 0; c < t->components; c++)
        value[c] = from_float(sum[c]);
    return true;
}

bool emu_texture_sample(const emu_mem_t *m, const emu_texture_t *t, const float at[3],
                        const int32_t offset[3], uint32_t layer, uint32_t value[4])
{
    int64_t k[3];

    layer = legal_layer(t, layer);
    if (t->linear && is_float(t))
        return sample_linear(m, t, at, offset, layer, value);
    for (unsigned i = 0; i < 3; i++)
        k[i] = (int64_t)floorf(to_texels(t, i, at[i])) + offset[i];
    return read_place(m, t, k, layer, value);
}

bool emu_texture_gather(const emu_mem_t *m, const emu_texture_t *t, const float at[3],
                        const int32_t offset[3], uint32_t layer, unsigned which, uint32_t value[4])
{
    static const uint8_t right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
    int64_t low[3];
    float weight[3];

    neighbours(t, at, offset, low, weight);
    for (unsigned i = 0; i < 4; i++) {
        int64_t k[3] = {low[0] + right[i], low[1] + below[i], 0};
        uint32_t texel[4];
        if (!read_place(m, t, k, legal_layer(t, layer), texel))
            return false;
        value[i] = texel[which];
    }
    return true;
}

/* --- surfaces -------------------------------------------------------------------------------- */

uint8_t *emu_surface_at(const emu_mem_t *m, const emu_texture_t *t, const int32_t at[3],
                        uint32_t layer, unsigned width)
{
    uint64_t row_bytes = (uint64_t)t->size[0] * emu_texel_bytes(t);

    if (at[0] < 0 || (uint64_t)at[0] + width > row_bytes || at[1] < 0 ||
        (uint32_t)at[1] >= t->size[1] || at[2] < 0 || (uint32_t)at[2] >= t->size[2] ||
        layer >= t->n_layers)
        return NULL;
    return emu_mem_at(m,
                      t->addr + ((uint64_t)(uint32_t)at[2] + layer) * t->slice +
                          (uint64_t)(uint32_t)at[1] * t->pitch + (uint64_t)(uint32_t)at[0],
                      width);
}
