/* CUDA arrays: texels in device memory, with the format that the program gave. */
#ifndef RUBATO_CUDART_ARRAY_H
#define RUBATO_CUDART_ARRAY_H

#include "frontend/emulator/cudart/cudart_state.h"
#include "frontend/emulator/exec/memory/emu_texture.h"

/* struct cudaChannelFormatDesc: bits of each component; kind 0 signed, 1 unsigned, 2 float. */
typedef struct {
    int bits[4];
    int kind;
} cuda_channels_t;

typedef struct {
    size_t width, height, depth;
} cuda_extent_t;

/* The object behind a cudaArray_t. */
typedef struct {
    cuda_channels_t channels;
    cuda_extent_t extent; /* as given by the program: height and depth may be 0 */
    unsigned flags;
    emu_texture_t texels; /* memory layout; address modes and filter are not set */
    bool part;            /* a level of a mipmap, which owns the memory */
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

/* A copy of n contiguous bytes as a three-dimensional copy. */
static inline cuda_copy3d_t cudart_copy_row(void *to, const void *from, size_t n, int kind)
{
    return (cuda_copy3d_t){.from = {(void *)(uintptr_t)from, n, n, 1},
                           .to = {to, n, n, 1},
                           .extent = {n, 1, 1},
                           .kind = kind};
}

enum { CUDA_ARRAY_LAYERED = 1, CUDA_ARRAY_CUBEMAP = 4 };

/* Copies between arrays and memory. The extent is in texels if an array is involved, otherwise in
 * bytes. */
CUDART_EXPORT cuda_error_t cudaMemcpy3D(const cuda_copy3d_t *c);

/* Calls that the driver API shares. */
CUDART_EXPORT cuda_error_t cudaMalloc3DArray(void **array, const cuda_channels_t *channels,
                                             cuda_extent_t extent, unsigned flags);
CUDART_EXPORT cuda_error_t cudaFreeArray(void *array);
CUDART_EXPORT cuda_error_t cudaMemcpy3DAsync(const cuda_copy3d_t *c, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMemcpyToArray(void *array, size_t x, size_t y, const void *from,
                                             size_t n, int kind);
CUDART_EXPORT cuda_error_t cudaMemcpyToArrayAsync(void *array, size_t x, size_t y, const void *from,
                                                  size_t n, int kind, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMemcpyFromArray(void *to, const void *array, size_t x, size_t y,
                                               size_t n, int kind);
CUDART_EXPORT cuda_error_t cudaMemcpyFromArrayAsync(void *to, const void *array, size_t x, size_t y,
                                                    size_t n, int kind, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMemcpy2DArrayToArray(void *to, size_t to_x, size_t to_y,
                                                    const void *from, size_t from_x, size_t from_y,
                                                    size_t width, size_t height, int kind);
CUDART_EXPORT cuda_error_t cudaMallocMipmappedArray(void **mipmap, const cuda_channels_t *channels,
                                                    cuda_extent_t extent, unsigned n_levels,
                                                    unsigned flags);
CUDART_EXPORT cuda_error_t cudaGetMipmappedArrayLevel(void **array, void *mipmap, unsigned level);
CUDART_EXPORT cuda_error_t cudaFreeMipmappedArray(void *mipmap);

/* Sets channels and texels, except the address, of an array whose extent and flags are set. False:
 * it is too large, or textures do not support the format. */
bool cudart_array_layout(cudart_array_t *a, const cuda_channels_t *channels);

/* Sets kind, bits and components of *t; false: textures do not support the format. */
bool cudart_texel_format(const cuda_channels_t *c, emu_texture_t *t);

#endif
