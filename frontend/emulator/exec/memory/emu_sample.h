/*
 * Texture reads of a warp, all lanes at once, with address modes and filters ("CUDA C++ Programming
 * Guide", appendix "Texture Fetching").
 */
#ifndef RUBATO_EMU_SAMPLE_H
#define RUBATO_EMU_SAMPLE_H

#include "frontend/emulator/exec/emu_state.h"
#include "frontend/emulator/exec/memory/emu_texture.h"

/* Coordinates of the lanes. Inactive lanes have those of an active lane. */
typedef struct {
    uint32_t at[3][EMU_LANES]; /* floats, or integers in texels */
    int32_t offset[3][EMU_LANES];
    uint32_t layer[EMU_LANES];
} emu_tex_place_t;

enum { EMU_CUBE_FACES = 6 };

/*
 * Converts directions to coordinates on the faces of a cube, which are layers ("Cubemap Textures"):
 * the largest coordinate, scaled to magnitude 1, selects the face. t->n_layers is a multiple of
 * six.
 */
void emu_texture_to_faces(const emu_texture_t *t, emu_tex_place_t *p);

/*
 * The texel at integer coordinates of a layer in register format: four components; 0 outside.
 * place: NULL, or of each lane the address for the trace: that of its texel, here and below of the
 * first one if several are mixed; of a texel inside, if it is outside.
 * False: the texture's memory was freed.
 */
bool emu_texture_fetch(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                       uint32_t value[4][EMU_LANES], uint64_t *place);

/* The value at coordinates, using the address modes and the filter of the texture. */
bool emu_texture_sample(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                        uint32_t value[4][EMU_LANES], uint64_t *place);

/* The same at levels of detail of a mipmap. */
bool emu_texture_sample_levels(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                               const float level[EMU_LANES], uint32_t value[4][EMU_LANES],
                               uint64_t *place);

/* One component of the four texels used by a linear filter, in the order of tex2Dgather(). */
bool emu_texture_gather(const emu_mem_t *m, const emu_texture_t *t, const emu_tex_place_t *p,
                        unsigned component, uint32_t value[4][EMU_LANES], uint64_t *place);

#endif
