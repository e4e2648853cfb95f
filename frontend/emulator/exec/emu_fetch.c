/* Texture fetches; loads and stores of surfaces. */
#include <math.h>

#include "frontend/emulator/exec/memory/emu_sample.h"
#include "frontend/emulator/sass/sass_texture.h"

/* Operand number i of the list, in all lanes. */
static const uint32_t *listed(const emu_warp_t *w, const emu_uop_t *u, const sass_tex_form_t *f,
                              int i)
{
    return i < f->n_first ? emu_src(w, u, 0) + i * EMU_LANES
                          : emu_src(w, u, 1) + (i - f->n_first) * EMU_LANES;
}

static bool is_cube(const sass_inst_t *in)
{
    const unsigned dim = sass_bits(in, 61, 3);

    return in->op == SASS_TEX && (dim == SASS_TEX_CUBE || dim == SASS_TEX_ARRAY_CUBE);
}

/* The texture of a lane; NULL after reporting that its handle is invalid. */
static const emu_texture_t *texture_of(emu_warp_t *w, const emu_uop_t *u, const uint32_t *handles,
                                       unsigned lane)
{
    uint32_t handle = handles != NULL ? handles[lane] : u->imm;
    const emu_texture_t *t = emu_texture_of(w->grid->launch->mem, handle);

    const bool cube = is_cube(u->sass), flat = u->sass->op == SASS_TLD;
    if (t != NULL && t->bound && (!cube || t->n_layers % EMU_CUBE_FACES == 0) &&
        (!flat || t->n_levels <= 1))
        return t;
    emu_fault(w, u, "lane %u: 0x%x is not the handle of a %s", lane, handle,
              sass_is_surface(u->sass) ? "surface"
              : cube                   ? "cube map"
              : flat                   ? "texture of one level"
                                       : "texture");
    return NULL;
}

/* Operands in all lanes; NULL: not present. */
typedef struct {
    const uint32_t *at[3], *layer, *offsets, *handles, *level;
    const uint32_t *gradients[6];
} operands_t;

static operands_t operands_of(const emu_warp_t *w, const emu_uop_t *u)
{
    operands_t o = {0};
    sass_tex_form_t f;

    sass_tex_form(u->sass, &f);
    for (int i = 0; i < f.n_coords && i < 3; i++)
        o.at[i] = listed(w, u, &f, f.coords + i);
    if (f.array >= 0)
        o.layer = listed(w, u, &f, f.array);
    if (f.offsets >= 0)
        o.offsets = listed(w, u, &f, f.offsets);
    if (f.level >= 0)
        o.level = listed(w, u, &f, f.level);
    for (int i = 0; f.gradients >= 0 && i < 2 * f.n_coords && i < 6; i++)
        o.gradients[i] = listed(w, u, &f, f.gradients + i);
    if (f.handle >= 0)
        o.handles = listed(w, u, &f, f.handle);
    else if (u->sass->form == SASS_FORM_UREG)
        o.handles = emu_src(w, u, 2);
    return o;
}

/* Copies the lanes of a mask; the other lanes get the value of the first one. */
EMU_INLINE void copy_lanes(const uint32_t *from, uint32_t mask, uint32_t to[EMU_LANES])
{
    const uint32_t first = from[__builtin_ctz(mask)];

    for (unsigned k = 0; k < EMU_LANES; k++)
        to[k] = emu_merge(emu_lane(mask, k), from[k], first);
}

EMU_HOT static void read_place(const operands_t *o, uint32_t mask, emu_tex_place_t *p)
{
    memset(p, 0, sizeof(*p));
    for (unsigned i = 0; i < 3 && o->at[i] != NULL; i++)
        copy_lanes(o->at[i], mask, p->at[i]);
    if (o->layer != NULL) {
        copy_lanes(o->layer, mask, p->layer);
        for (unsigned k = 0; k < EMU_LANES; k++)
            p->layer[k] &= 0xffff;
    }
    if (o->offsets == NULL)
        return;
    for (unsigned i = 0; i < 3; i++) { /* .AOFFI: four bits per dimension */
        uint32_t words[EMU_LANES];
        copy_lanes(o->offsets, mask, words);
        for (unsigned k = 0; k < EMU_LANES; k++)
            p->offset[i][k] = (int32_t)(words[k] << (28 - 4 * i)) >> 28;
    }
}

/* The level at which adjacent fetches are one texel apart, from the larger step in x or y. */
static float level_of_steps(const emu_texture_t *t, const operands_t *o, unsigned k)
{
    float square[2] = {0, 0};

    for (unsigned i = 0; i < 6 && o->gradients[i] != NULL; i++) {
        const uint32_t size = t->normalized ? t->size[i / 2] : 1;
        const float step = emu_float(o->gradients[i][k]) * (float)size;
        square[i % 2] += step * step;
    }
    return 0.5f * log2f(fmaxf(square[0], square[1]));
}

/* Levels of detail: given, from gradients, or 0; then adds a bias. */
static void read_levels(const emu_texture_t *t, const operands_t *o, uint32_t mask,
                        float level[EMU_LANES])
{
    memset(level, 0, EMU_LANES * sizeof(*level));
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const unsigned k = (unsigned)__builtin_ctz(left);
        if (o->level != NULL)
            level[k] = emu_float(o->level[k]);
        else if (o->gradients[0] != NULL)
            level[k] = level_of_steps(t, o, k);
    }
}

static bool sample(const emu_mem_t *m, const emu_texture_t *t, const operands_t *o, uint32_t mask,
                   const emu_tex_place_t *p, uint32_t value[4][EMU_LANES], uint64_t *place)
{
    float level[EMU_LANES];

    if (t->n_levels <= 1)
        return emu_texture_sample(m, t, p, value, place);
    read_levels(t, o, mask, level);
    return emu_texture_sample_levels(m, t, p, level, value, place);
}

static void query(const emu_texture_t *t, uint32_t value[4][EMU_LANES])
{
    const uint32_t answers[4] = {t->size[0], t->size[1], t->n_layers > 1 ? t->n_layers : t->size[2],
                                 t->n_levels > 1 ? t->n_levels : 1};

    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < EMU_LANES; k++)
            value[i][k] = answers[i];
}

/* Reads for the lanes of a mask, all through t. False: the texture's memory was freed. */
static bool look_up(const emu_warp_t *w, const emu_uop_t *u, const emu_texture_t *t,
                    const operands_t *o, uint32_t mask, uint32_t value[4][EMU_LANES],
                    uint64_t *place)
{
    const emu_mem_t *m = w->grid->launch->mem;
    emu_tex_place_t p;

    if (u->sass->op == SASS_TXQ) {
        query(t, value);
        return true;
    }
    read_place(o, mask, &p);
    if (is_cube(u->sass)) {
        emu_texture_t face = *t;
        face.normalized = true;
        emu_texture_to_faces(t, &p);
        return sample(m, &face, o, mask, &p, value, place);
    }
    switch (u->sass->op) {
    case SASS_TLD:
        return emu_texture_fetch(m, t, &p, value, place);
    case SASS_TLD4:
        return emu_texture_gather(m, t, &p, sass_bits(u->sass, 87, 2), value, place);
    default:
        return sample(m, t, o, mask, &p, value, place);
    }
}

/* The lanes of a mask with the same handle as the first one. */
static uint32_t lanes_alike(const uint32_t *handles, uint32_t mask)
{
    uint32_t alike;

    if (handles == NULL)
        return mask;
    EMU_WHERE(alike, handles[k] == handles[__builtin_ctz(mask)]);
    return alike & mask;
}

/* Writes the components that the instruction's mask selects to consecutive registers. */
static void put_results(emu_warp_t *w, const emu_uop_t *u, uint32_t value[4][EMU_LANES],
                        uint32_t mask)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 4; i++)
        if (u->select >> i & 1) {
            emu_put(w, n < 2 ? u->d + EMU_LANES * n : u->d2 + EMU_LANES * (n - 2), value[i], mask);
            n++;
        }
}

static void fetch(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const operands_t o = operands_of(w, u);
    uint32_t results[4][EMU_LANES] = {{0}}, value[4][EMU_LANES] = {{0}};
    uint64_t places[EMU_LANES] = {0}, place[EMU_LANES] = {0};

    for (uint32_t left = mask; left != 0;) {
        const uint32_t lanes = lanes_alike(o.handles, left);
        const emu_texture_t *t = texture_of(w, u, o.handles, (unsigned)__builtin_ctz(left));
        if (t == NULL)
            return;
        if (!look_up(w, u, t, &o, lanes, lanes == mask ? results : value,
                     w->grid->tracing ? place : NULL)) {
            emu_fault(w, u, "the texture's memory at 0x%llx was freed",
                      (unsigned long long)t->addr);
            return;
        }
        left &= ~lanes;
        for (unsigned k = 0; k < EMU_LANES; k++)
            places[k] = lanes >> k & 1 ? place[k] : places[k];
        for (unsigned i = 0; i < 4 && lanes != mask; i++)
            for (unsigned k = 0; k < EMU_LANES; k++)
                results[i][k] = emu_merge(emu_lane(lanes, k), value[i][k], results[i][k]);
    }
    put_results(w, u, results, mask); /* after all reads: sources may be destinations */
    if (w->grid->tracing)
        emu_record_addresses(w, u, places, mask);
}

/* --- surfaces -------------------------------------------------------------------------------- */

enum { OUT_IGNORED, OUT_CLAMPED, OUT_TRAPS }; /* bits 59-60: out-of-range accesses */

static int32_t clamp(int32_t v, int64_t last)
{
    return v < 0 ? 0 : v > last ? (int32_t)last : v;
}

/* The place that lane k accesses; NULL: none, or after a fault. traced: its address for the trace; the
 * surface's first byte, if there is none. */
static uint8_t *surface_place(emu_warp_t *w, const emu_uop_t *u, const emu_texture_t *t, unsigned k,
                              uint64_t *traced)
{
    const uint32_t *a = emu_ref(w, u->addr);
    unsigned dim = sass_bits(u->sass, 61, 3), out = sass_bits(u->sass, 59, 2);
    bool array = dim == SASS_SURFACE_ARRAY_1D || dim == SASS_SURFACE_ARRAY_2D;
    bool flat = dim == SASS_SURFACE_1D || dim == SASS_SURFACE_BUFFER;
    bool tall = dim == SASS_SURFACE_2D || dim == SASS_SURFACE_ARRAY_2D || dim == SASS_SURFACE_3D;
    int32_t at[3] = {0};
    uint32_t layer = 0;

    at[0] = (int32_t)a[k];
    if (tall)
        at[1] = (int32_t)a[EMU_LANES + k];
    if (dim == SASS_SURFACE_3D)
        at[2] = (int32_t)a[2 * EMU_LANES + k];
    if (array && !flat)
        layer = a[(tall ? 2u : 1u) * EMU_LANES + k];
    if (out == OUT_CLAMPED) {
        at[0] = clamp(at[0], (int64_t)t->size[0] * emu_texel_bytes(t) - u->width);
        at[1] = clamp(at[1], (int64_t)t->size[1] - 1);
        at[2] = clamp(at[2], (int64_t)t->size[2] - 1);
    }
    uint8_t *p = emu_surface_at(w->grid->launch->mem, t, at, layer, u->width);
    *traced = p == NULL ? t->addr
                        : emu_texture_place(t, (uint32_t)at[0], (uint32_t)at[1],
                                            (uint64_t)(uint32_t)at[2] + layer);
    if (p == NULL && out == OUT_TRAPS)
        emu_fault(w, u, "lane %u: (%d, %d, %d) is outside the surface", k, at[0], at[1], at[2]);
    return p;
}

static void access_surface(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    bool loads = u->sass->op == SASS_SULD, constant = u->sass->form == 5;
    const uint32_t *handles = constant ? NULL : emu_src(w, u, loads ? 0 : 1);
    const uint32_t *data = loads ? w->r + u->d : emu_src(w, u, 0);
    unsigned n_words = u->width > 4 ? u->width / 4u : 1, bytes = u->width < 4 ? u->width : 4;
    uint32_t words[4][EMU_LANES] = {{0}};
    uint64_t places[EMU_LANES] = {0};

    for (uint32_t left = mask; left != 0; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        const emu_texture_t *t = texture_of(w, u, handles, k);
        uint8_t *p = t != NULL ? surface_place(w, u, t, k, &places[k]) : NULL;
        if (w->faulted)
            return;
        for (unsigned i = 0; i < n_words && p != NULL; i++)
            if (loads)
                memcpy(&words[i][k], p + 4 * (size_t)i, bytes);
            else
                memcpy(p + 4 * (size_t)i, &data[EMU_LANES * i + k], bytes);
    }
    for (unsigned i = 0; i < n_words && loads; i++)
        emu_put(w, u->d + EMU_LANES * i, words[i], mask);
    if (w->grid->tracing)
        emu_record_addresses(w, u, places, mask);
}

/* --- which are supported --------------------------------------------------------------------- */

static bool plain_texture(const sass_inst_t *in)
{
    unsigned dim = sass_bits(in, 61, 3), level = sass_bits(in, 87, 3);
    const bool cube = dim == SASS_TEX_CUBE || dim == SASS_TEX_ARRAY_CUBE;

    if (in->op == SASS_TXQ)
        return sass_bits(in, 62, 2) == 0;
    if (sass_bits(in, 81, 3) != SASS_PT || sass_bits(in, 79, 2) != 0)
        return false; /* residency; half precision */
    switch (in->op) {
    case SASS_TXD:
        return dim < SASS_TEX_CUBE;
    case SASS_TLD4:
        return dim == SASS_TEX_2D && sass_bits(in, 77, 2) == 0;
    case SASS_TLD:
        return !cube && (level == SASS_LEVEL_ZERO || level == SASS_LEVEL_GIVEN) &&
               sass_bits(in, 77, 2) == 0;
    default:
        return level <= SASS_LEVEL_GIVEN && sass_bits(in, 78, 1) == 0;
    }
}

bool emu_bind_fetch(const sass_inst_t *in, emu_uop_t *u)
{
    u->kind = UOP_ACCESS;
    if (sass_is_surface(in)) {
        u->fn = access_surface;
        return sass_bits(in, 72, 1) && u->width != 0 && sass_bits(in, 61, 3) <= SASS_SURFACE_3D;
    }
    u->select = (uint8_t)sass_bits(in, 72, 4);
    u->fn = fetch;
    return sass_is_texture(in) && plain_texture(in);
}
