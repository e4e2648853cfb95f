/*
 * Textures and surfaces, and their handles. Texels are stored in rows in device memory. The
 * hardware stores those of arrays in tiles. No program can see the difference, but traces have the
 * addresses of tiles, because caches see them.
 */
#ifndef RUBATO_EMU_TEXTURE_H
#define RUBATO_EMU_TEXTURE_H

#include "frontend/emulator/exec/memory/emu_mem.h"

/* Values of the CUDA runtime. */
typedef enum { EMU_TEX_SIGNED, EMU_TEX_UNSIGNED, EMU_TEX_FLOAT } emu_texel_kind_t;
typedef enum { EMU_TEX_WRAP, EMU_TEX_CLAMP, EMU_TEX_MIRROR, EMU_TEX_BORDER } emu_tex_address_t;

typedef struct emu_texture {
    bool bound;            /* false: the handle is free, or an unbound reference */
    uint64_t addr;         /* of the first texel */
    uint32_t size[3];      /* in texels; 1 in unused dimensions */
    uint32_t n_layers;     /* 1: not layered */
    uint64_t pitch, slice; /* distance of rows in bytes; distance of layers or slices */
    bool tiled;            /* an array with rows */
    uint8_t kind;          /* emu_texel_kind_t */
    uint8_t bits;          /* of each component: 8, 16, 32 */
    uint8_t components;    /* 1, 2, 4 */
    bool normalized;       /* coordinates are in [0, 1) */
    bool linear;           /* linear filtering */
    bool as_float;         /* integers are read as fractions */
    uint8_t address[3];    /* emu_tex_address_t */
    float border[4];
    uint8_t n_levels; /* number of mipmap levels, contiguous in memory; 0 or 1: not a mipmap */
    bool mixes_levels;
    float level_bias, lowest_level, highest_level;
} emu_texture_t;

enum { EMU_TEX_LEVELS = 16 }; /* of the largest mipmap */

/* Returns a new handle, never 0, for an unbound texture. */
uint32_t emu_texture_add(emu_mem_t *m);

/* The texture of a handle, or NULL; valid until the next emu_texture_add(). */
emu_texture_t *emu_texture_of(const emu_mem_t *m, uint32_t handle);

/* Bytes of a texel. */
unsigned emu_texel_bytes(const emu_texture_t *t);

/* Sets the memory layout of an array for its size: pitch, slice, tiled. */
void emu_texture_lay_out(emu_texture_t *t);

/* A tile ("group of bytes" in open drivers) has 8 rows of 64 bytes; in it, a sector of 32 bytes has
 * two rows of 16. */
enum { EMU_TILE_ROWS = 8, EMU_TILE_WIDTH = 64, EMU_TILE_BYTES = EMU_TILE_ROWS * EMU_TILE_WIDTH };

/* The address at which the hardware has byte x of row y of layer or slice z. Tiles follow each other
 * along a row of tiles. (The hardware also groups rows of tiles, by a number that the driver
 * chooses.) */
static inline uint64_t emu_texture_place(const emu_texture_t *t, uint64_t x, uint64_t y, uint64_t z)
{
    const uint64_t tile = y / EMU_TILE_ROWS * (t->pitch / EMU_TILE_WIDTH) + x / EMU_TILE_WIDTH;
    const uint64_t in_tile =
        x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;

    return t->addr + z * t->slice + (t->tiled ? tile * EMU_TILE_BYTES + in_tile : y * t->pitch + x);
}

/* One level of a mipmap with this layout; after the last level: what would follow it. */
emu_texture_t emu_texture_level(const emu_texture_t *t, unsigned level);

/* Host address of width bytes of a surface: x in bytes, y and z in texels; NULL outside. */
uint8_t *emu_surface_at(const emu_mem_t *m, const emu_texture_t *t, const int32_t at[3],
                        uint32_t layer, unsigned width);

#endif
