/* CUDA arrays: texels in device memory, and what the program said of them. */
#ifndef RUBATO_CUDART_ARRAY_H
#define RUBATO_CUDART_ARRAY_H

#include "frontend/emulator/cudart/cudart_state.h"
#include "frontend/emulator/exec/emu_texture.h"

/* struct cudaChannelFormatDesc: bits of each component; kind 0 signed, 1 unsigned, 2 float. */
typedef struct {
    int bits[4];
    int kind;
} cuda_channels_t;

typedef struct {
    size_t width, height, depth;
} cuda_extent_t;

/* What a cudaArray_t points to. */
typedef struct {
    cuda_channels_t channels;
    cuda_extent_t extent; /* as given: height and depth may be 0 */
    unsigned flags;
    emu_texture_t texels; /* how they lie; address modes and filter are not set */
    bool part;            /* a level of a mipmap, which it goes with */
} cudart_array_t;

typedef struct {
    void *p;
    size_t pitch, xsize, ysize;
} cuda_pitched_t;

/* struct cudaMemcpy3DParms */
typedef struct {
    cudart_array_t *from_array;
    cuda_extent_t from_pos;
    cuda_pitched_t from;
    cudart_array_t *to_array;
    cuda_extent_t to_pos;
    cuda_pitched_t to;
    cuda_extent_t extent;
    int kind;
} cuda_copy3d_t;

/* A copy of n bytes in a row as one of three dimensions. */
static inline cuda_copy3d_t cudart_copy_row(void *to, const void *from, size_t n, int kind)
{
    return (cuda_copy3d_t){.from = {(void *)(uintptr_t)from, n, n, 1},
                           .to = {to, n, n, 1},
                           .extent = {n, 1, 1},
                           .kind = kind};
}

enum { CUDA_ARRAY_LAYERED = 1, CUDA_ARRAY_CUBEMAP = 4 };

/* A copy between arrays and memory; its extent is in texels if an array takes part, else in bytes.
 */
CUDART_EXPORT cuda_error_t cudaMemcpy3D(const cuda_copy3d_t *c);

/* Sets channels and texels, all but the address, of an array whose extent and flags are set; false:
 * it is too large, or of no format that textures have. */
bool cudart_array_layout(cudart_array_t *a, const cuda_channels_t *channels);

/* Sets kind, bits and components of *t; false: no format that textures have. */
bool cudart_texel_format(const cuda_channels_t *c, emu_texture_t *t);

#endif
