#include "frontend/emulator/exec/memory/emu_texture.h"

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

enum { ROW_ALIGN = 32 };

static uint64_t round_up(uint64_t v, uint64_t to)
{
    return (v + to - 1) / to * to;
}

void emu_texture_lay_out(emu_texture_t *t)
{
    const uint64_t row = (uint64_t)t->size[0] * emu_texel_bytes(t);

    t->tiled = t->size[1] > 1;
    t->pitch = round_up(row, t->tiled ? EMU_TILE_WIDTH : ROW_ALIGN);
    t->slice = t->pitch * (t->tiled ? round_up(t->size[1], EMU_TILE_ROWS) : 1);
}

emu_texture_t emu_texture_level(const emu_texture_t *t, unsigned level)
{
    emu_texture_t r = *t;

    r.n_levels = 1;
    while (level-- > 0) {
        r.addr += r.slice * r.size[2] * r.n_layers;
        for (unsigned i = 0; i < 3; i++)
            r.size[i] = r.size[i] > 1 ? r.size[i] / 2 : 1;
        emu_texture_lay_out(&r);
    }
    return r;
}

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
