#include "frontend/emulator/exec/memory/emu_sample.h"

#include <math.h>

#include "frontend/emulator/exec/math/emu_half.h"

/* --- texels ---------------------------------------------------------------------------------- */

/* The texels that the lanes read: indices in each dimension (-1: the border) and layers. */
typedef struct {
    int32_t at[3][EMU_LANES];
    uint32_t layer[EMU_LANES];
} texels_t;

static bool is_float(const emu_texture_t *t)
{
    return t->kind == EMU_TEX_FLOAT || t->as_float;
}

/* Offsets of the texels in the texture's memory; border texels get one inside its dimension. */
EMU_INLINE void offsets_of(const emu_texture_t *t, const texels_t *x, uint64_t offset[EMU_LANES])
{
    const uint32_t bytes = emu_texel_bytes(t);

    for (unsigned k = 0; k < EMU_LANES; k++)
        offset[k] = (uint64_t)(uint32_t)(x->at[0][k] < 0 ? 0 : x->at[0][k]) * bytes;
    if (t->size[1] > 1)
        for (unsigned k = 0; k < EMU_LANES; k++)
            offset[k] += (uint64_t)(uint32_t)(x->at[1][k] < 0 ? 0 : x->at[1][k]) * t->pitch;
    if (t->size[2] > 1 || t->n_layers > 1)
        for (unsigned k = 0; k < EMU_LANES; k++)
            offset[k] +=
                (uint64_t)((uint32_t)(x->at[2][k] < 0 ? 0 : x->at[2][k]) + x->layer[k]) * t->slice;
}

/* Whether the memory of all texels is legal. */
EMU_INLINE bool are_legal(const emu_mem_t *m, const emu_texture_t *t,
                          const uint64_t offset[EMU_LANES])
{
    const unsigned bytes = emu_texel_bytes(t);
    uint64_t low = offset[0], high = offset[0];

    for (unsigned k = 1; k < EMU_LANES; k++) {
        low = offset[k] < low ? offset[k] : low;
        high = offset[k] > high ? offset[k] : high;
    }
    const uint64_t first = t->addr + low - m->base, last = t->addr + high + bytes - 1 - m->base;
    if (first >> m->page_shift == last >> m->page_shift)
        return emu_mem_at(m, t->addr + low, high - low + bytes) != NULL;
    for (unsigned k = 0; k < EMU_LANES; k++)
        if (emu_mem_at(m, t->addr + offset[k], bytes) == NULL)
            return false;
    return true;
}

/* Reads the bytes of the texels as words, up to four per lane. */
EMU_INLINE void read_words(const uint8_t *from, const uint64_t offset[EMU_LANES], unsigned bytes,
                           uint32_t words[4][EMU_LANES])
{
    if (bytes == 1)
        for (unsigned k = 0; k < EMU_LANES; k++)
            words[0][k] = from[offset[k]];
    else if (bytes == 2)
        for (unsigned k = 0; k < EMU_LANES; k++) {
            uint16_t half;
            memcpy(&half, from + offset[k], sizeof(half));
            words[0][k] = half;
        }
    for (unsigned i = 0; i < bytes / 4; i++)
        for (unsigned k = 0; k < EMU_LANES; k += 4) {
            uint32_t x[4];
            for (unsigned j = 0; j < 4; j++)
                memcpy(&x[j], from + offset[k + j] + 4 * (size_t)i, sizeof(x[j]));
            emu_put4(words[i] + k, x[0], x[1], x[2], x[3]);
        }
}

/* Converts integers of this width to fractions in [0, 1], or in [-1, 1]. */
EMU_INLINE void to_fractions(const emu_texture_t *t, uint32_t v[EMU_LANES])
{
    if (t->kind == EMU_TEX_UNSIGNED) {
        const double most = (double)((1ull << t->bits) - 1);
        for (unsigned k = 0; k < EMU_LANES; k++)
            v[k] = emu_float_bits((float)((double)v[k] / most));
        return;
    }
    const double most = (double)((1ull << (t->bits - 1)) - 1);
    for (unsigned k = 0; k < EMU_LANES; k++) {
        const float x = (float)((double)(int32_t)v[k] / most);
        v[k] = emu_float_bits(x < -1 ? -1.0f : x);
    }
}

/* Extends the component at a bit of the words to 32 bits. */
EMU_INLINE void to_component(const emu_texture_t *t, const uint32_t words[EMU_LANES],
                             unsigned shift, uint32_t v[EMU_LANES])
{
    const unsigned unused = 32u - t->bits;

    if (t->kind == EMU_TEX_FLOAT && t->bits == 16) {
        float f[EMU_LANES];
        emu_halves_to_floats(words, shift, f);
        for (unsigned k = 0; k < EMU_LANES; k++) { /* a NaN keeps only its sign */
            const uint32_t bits = emu_float_bits(f[k]);
            v[k] = (bits & 0x7fffffffu) > 0x7f800000u ? (bits & 0x80000000u) | 0x7fc00000u : bits;
        }
        return;
    }
    for (unsigned k = 0; k < EMU_LANES; k++)
        v[k] = words[k] << (unused - shift);
    if (t->kind == EMU_TEX_SIGNED)
        for (unsigned k = 0; k < EMU_LANES; k++)
            v[k] = (uint32_t)((int32_t)v[k] >> unused);
    else
        for (unsigned k = 0; k < EMU_LANES; k++)
            v[k] >>= unused;
    if (t->as_float && t->kind != EMU_TEX_FLOAT)
        to_fractions(t, v);
}

/* Notes the addresses of texels as the trace has them. */
EMU_INLINE void note_places(const emu_texture_t *t, const texels_t *x, uint64_t *place)
{
    const uint32_t bytes = emu_texel_bytes(t);

    for (unsigned k = 0; k < EMU_LANES && place != NULL; k++) {
        uint64_t at[3];
        for (unsigned i = 0; i < 3; i++)
            at[i] = (uint32_t)(x->at[i][k] < 0 ? 0 : x->at[i][k]);
        place[k] = emu_texture_place(t, at[0] * bytes, at[1], at[2] + x->layer[k]);
    }
}

/* Reads texels in register format, with all their components. */
EMU_INLINE bool read_texels(const emu_mem_t *m, const emu_texture_t *t, const texels_t *x,
                            uint32_t value[4][EMU_LANES])
{
    uint64_t offset[EMU_LANES];
    uint32_t words[4][EMU_LANES];
    int32_t any = 0;

    offsets_of(t, x, offset);
    if (!are_legal(m, t, offset))
        return false;
    read_words(m->host + (t->addr - m->base), offset, emu_texel_bytes(t), words);
    for (unsigned c = 0; c < t->components; c++)
        to_component(t, words[c * t->bits / 32], c * t->bits % 32, value[c]);
    for (unsigned k = 0; k < EMU_LANES; k++)
        any |= x->at[0][k] | x->at[1][k] | x->at[2][k];
    if (any >= 0)
        return true;
    for (unsigned c = 0; c < t->components; c++) {
        const uint32_t border = is_float(t) ? emu_float_bits(t->border[c]) : 0;
        for (unsigned k = 0; k < EMU_LANES; k++)
            value[c][k] = (x->at[0][k] | x->at[1][k] | x->at[2][k]) < 0 ? border : value[c][k];
    }
    return true;
}

/* --- address modes --------------------------------------------------------------------------- */

/* Converts coordinates to texels; wrapping and mirroring apply only to normalized ones. */
EMU_INLINE void to_texels(const emu_texture_t *t, unsigned i, const uint32_t at[EMU_LANES],
                          float x[EMU_LANES])
{
    const float most = 0x1p30f, size = (float)t->size[i];

    for (unsigned k = 0; k < EMU_LANES; k++) {
        const float v = emu_float(at[k]);
        x[k] = v > most ? most : v < -most ? -most : v == v ? v : 0;
    }
    if (!t->normalized)
        return;
    if (t->address[i] == EMU_TEX_WRAP)
        for (unsigned k = 0; k < EMU_LANES; k++)
            x[k] -= floorf(x[k]);
    if (t->address[i] == EMU_TEX_MIRROR)
        for (unsigned k = 0; k < EMU_LANES; k++) {
            const float whole = floorf(x[k]), part = x[k] - whole;
            x[k] = whole - 2 * floorf(whole / 2) != 0 ? 1 - part : part;
        }
    for (unsigned k = 0; k < EMU_LANES; k++) {
        const float v = x[k] * size;
        x[k] = v > most ? most : v < -most ? -most : v;
    }
}

/* The texel that replaces one outside of dimension i; -1: the border. */
static int32_t from_outside(const emu_texture_t *t, unsigned i, int64_t at)
{
    const int64_t n = t->size[i];

    if (t->address[i] == EMU_TEX_BORDER)
        return -1;
    if (t->normalized && t->address[i] == EMU_TEX_WRAP)
        return (int32_t)(((at % n) + n) % n);
    if (t->normalized && t->address[i] == EMU_TEX_MIRROR) {
        int64_t place = ((at % (2 * n)) + 2 * n) % (2 * n);
        return (int32_t)(place < n ? place : 2 * n - 1 - place);
    }
    return at < 0 ? 0 : (int32_t)n - 1;
}

/* Applies the address mode to the indices of dimension i. */
EMU_INLINE void bring_inside(const emu_texture_t *t, unsigned i, int32_t at[EMU_LANES])
{
    const uint32_t n = t->size[i];
    uint32_t outside = 0;

    for (unsigned k = 0; k < EMU_LANES; k++)
        outside |= at[k] < 0 || (uint32_t)at[k] >= n;
    if (!outside)
        return;
    for (unsigned k = 0; k < EMU_LANES; k++)
        if (at[k] < 0 || (uint32_t)at[k] >= n)
            at[k] = from_outside(t, i, at[k]);
}

static void legal_layers(const emu_texture_t *t, const uint32_t layer[EMU_LANES],
                         uint32_t legal[EMU_LANES])
{
    for (unsigned k = 0; k < EMU_LANES; k++)
        legal[k] = layer[k] < t->n_layers ? layer[k] : t->n_layers - 1;
}

/* --- filters --------------------------------------------------------------------------------- */

/* Whether dimension i has neighbours to interpolate. */
static bool has_extent(const emu_texture_t *t, unsigned i)
{
    return t->size[i] > 1 || i == 0;
}

/*
 * The lower neighbours and the weights of the upper ones, for which the hardware has 8 fractional
 * bits (Programming Guide, "Linear Filtering").
 */
EMU_INLINE void neighbours(const emu_texture_t *t, const emu_tex_place_t *p, texels_t *low,
                           float weight[3][EMU_LANES])
{
    legal_layers(t, p->layer, low->layer);
    for (unsigned i = 0; i < 3; i++) {
        float x[EMU_LANES];
        if (!has_extent(t, i)) {
            memset(low->at[i], 0, sizeof(low->at[i]));
            memset(weight[i], 0, sizeof(weight[i]));
            continue;
        }
        to_texels(t, i, p->at[i], x);
        for (unsigned k = 0; k < EMU_LANES; k++) {
            const float v = x[k] - 0.5f, whole = floorf(v), part = (v - whole) * 256,
                        steps = floorf(part);
            low->at[i][k] = (int32_t)whole + p->offset[i][k];
            weight[i][k] = (part - steps < 0.5f ? steps : steps + 1) / 256;
        }
    }
}

/* One corner of the interpolated texels: the upper neighbour in the dimensions whose bits are
 * set. */
EMU_INLINE void corner_of(const emu_texture_t *t, const texels_t *low, unsigned upper, texels_t *x)
{
    memcpy(x->layer, low->layer, sizeof(x->layer));
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < EMU_LANES; k++)
            x->at[i][k] = low->at[i][k] + (int32_t)(upper >> i & 1);
        bring_inside(t, i, x->at[i]);
    }
}

/* The weight of a corner, and the lanes in which it is not zero. */
EMU_INLINE void shares_of(float weight[3][EMU_LANES], unsigned upper, float share[EMU_LANES],
                          uint32_t counts[EMU_LANES])
{
    for (unsigned k = 0; k < EMU_LANES; k++) {
        share[k] = 1;
        counts[k] = 1;
    }
    for (unsigned i = 0; i < 3; i++)
        if (upper >> i & 1)
            for (unsigned k = 0; k < EMU_LANES; k++) {
                share[k] *= weight[i][k];
                counts[k] &= weight[i][k] != 0;
            }
        else
            for (unsigned k = 0; k < EMU_LANES; k++)
                share[k] *= 1 - weight[i][k];
}

EMU_HOT static bool sample_linear(const emu_mem_t *m, const emu_texture_t *t,
                                  const emu_tex_place_t *p, uint32_t value[4][EMU_LANES],
                                  uint64_t *place)
{
    texels_t low, x;
    float weight[3][EMU_LANES], sum[4][EMU_LANES] = {{0}}, share[EMU_LANES];
    uint32_t counts[EMU_LANES];
    unsigned mixed = 0; /* dimensions whose upper neighbours count in some lane */

    neighbours(t, p, &low, weight);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t any = 0;
        for (unsigned k = 0; k < EMU_LANES; k++)
            any |= weight[i][k] != 0;
        mixed |= any << i;
    }
    for (unsigned corner = 0; corner <= mixed; corner++) {
        if ((corner & ~mixed) != 0)
            continue;
        corner_of(t, &low, corner, &x);
        if (corner == 0)
            note_places(t, &x, place);
        if (!read_texels(m, t, &x, value))
            return false;
        shares_of(weight, corner, share, counts);
        for (unsigned c = 0; c < t->components; c++)
            for (unsigned k = 0; k < EMU_LANES; k++) {
                const float more = sum[c][k] + share[k] * emu_float(value[c][k]);
                sum[c][k] = counts[k] ? more : sum[c][k];
            }
    }
    memcpy(value, sum, sizeof(sum));
    return true;
}

EMU_HOT static bool sample_nearest(const emu_mem_t *m, const emu_texture_t *t,
                                   const emu_tex_place_t *p, uint32_t value[4][EMU_LANES],
                                   uint64_t *place)
{
    texels_t x;

    legal_layers(t, p->layer, x.layer);
    for (unsigned i = 0; i < 3; i++) {
        float v[EMU_LANES];
        to_texels(t, i, p->at[i], v);
        for (unsigned k = 0; k < EMU_LANES; k++)
            x.at[i][k] = (int32_t)floorf(v[k]) + p->offset[i][k];
        bring_inside(t, i, x.at[i]);
    }
    memset(value, 0, 4 * sizeof(*value));
    note_places(t, &x, place);
    return read_texels(m, t, &x, value);
}

bool emu_texture_sample(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                        uint32_t value[4][EMU_LANES], uint64_t *place)
{
    return t->linear && is_float(t) ? sample_linear(m, t, p, value, place)
                                    : sample_nearest(m, t, p, value, place);
}

EMU_HOT bool emu_texture_gather(const emu_mem_t *m, const emu_texture_t *t,
                                const emu_tex_place_t *p, unsigned component,
                                uint32_t value[4][EMU_LANES], uint64_t *place)
{
    static const uint8_t right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
    texels_t low, x;
    float weight[3][EMU_LANES];
    uint32_t texel[4][EMU_LANES] = {{0}};

    neighbours(t, p, &low, weight);
    for (unsigned i = 0; i < 4; i++) {
        corner_of(t, &low, right[i] | (unsigned)below[i] << 1, &x);
        if (right[i] + below[i] == 0)
            note_places(t, &x, place);
        if (!read_texels(m, t, &x, texel))
            return false;
        memcpy(value[i], texel[component], sizeof(value[i]));
    }
    return true;
}

EMU_HOT bool emu_texture_fetch(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                               uint32_t value[4][EMU_LANES], uint64_t *place)
{
    texels_t x;
    uint32_t outside[EMU_LANES] = {0};

    legal_layers(t, p->layer, x.layer);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < EMU_LANES; k++) {
            const int32_t at = (int32_t)(p->at[i][k] + (uint32_t)p->offset[i][k]);
            const bool out = at < 0 || (uint32_t)at >= t->size[i];
            outside[k] |= out;
            x.at[i][k] = out ? 0 : at;
        }
    memset(value, 0, 4 * sizeof(*value));
    note_places(t, &x, place);
    if (!read_texels(m, t, &x, value))
        return false;
    for (unsigned c = 0; c < t->components; c++)
        for (unsigned k = 0; k < EMU_LANES; k++)
            value[c][k] = outside[k] ? 0 : value[c][k];
    return true;
}

/* --- cubes ----------------------------------------------------------------------------------- */

EMU_HOT void emu_texture_to_faces(const emu_texture_t *t, emu_tex_place_t *p)
{
    const uint32_t last = t->n_layers / EMU_CUBE_FACES - 1;

    for (unsigned k = 0; k < EMU_LANES; k++) {
        const float x = emu_float(p->at[0][k]), y = emu_float(p->at[1][k]),
                    z = emu_float(p->at[2][k]), ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
        const bool is_x = ax >= ay && ax >= az, is_y = !is_x && ay >= az;
        const float major = is_x ? x : is_y ? y : z;
        const float right = is_x ? (x < 0 ? z : -z) : is_y ? x : z < 0 ? -x : x;
        const float down = is_y ? (y < 0 ? -z : z) : -y;
        const uint32_t cube = p->layer[k] < last ? p->layer[k] : last;
        p->layer[k] = EMU_CUBE_FACES * cube + (is_x ? 0 : is_y ? 2u : 4u) + (major < 0);
        p->at[0][k] = emu_float_bits((right + 1) / 2);
        p->at[1][k] = emu_float_bits((down + 1) / 2);
        p->at[2][k] = 0;
    }
}
