/*
 * How a warp reads through a texture: all lanes at once, by address modes and filters ("CUDA C++
 * Programming Guide", appendix "Texture Fetching").
 */
#ifndef RUBATO_EMU_SAMPLE_H
#define RUBATO_EMU_SAMPLE_H

#include "frontend/emulator/exec/emu_state.h"
#include "frontend/emulator/exec/emu_texture.h"

/* Where the lanes read. Those that do not take part are where one is that does. */
typedef struct {
    uint32_t at[3][EMU_LANES]; /* floats, or integers in texels */
    int32_t offset[3][EMU_LANES];
    uint32_t layer[EMU_LANES];
} emu_tex_place_t;

enum { EMU_CUBE_FACES = 6 };

/*
 * Makes coordinates of the faces of a cube, which are layers, from directions ("Cubemap Textures"):
 * the largest coordinate, of magnitude 1, names the face. t->n_layers is a multiple of six.
 */
void emu_texture_to_faces(const emu_texture_t *t, emu_tex_place_t *p);

/*
 * The texel at integer coordinates of a layer, as registers get it: four components; 0 outside.
 * False: its memory is not there (any more).
 */
bool emu_texture_fetch(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                       uint32_t value[4][EMU_LANES]);

/* The value at coordinates, by the address modes and the filter of the texture. */
bool emu_texture_sample(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                        uint32_t value[4][EMU_LANES]);

/* The same at levels of detail of a mipmap. */
bool emu_texture_sample_levels(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                               const float level[EMU_LANES], uint32_t value[4][EMU_LANES]);

/* One component of the four texels that a linear filter mixes, in the order of tex2Dgather(). */
bool emu_texture_gather(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                        unsigned component, uint32_t value[4][EMU_LANES]);

#endif
