/* Copies of rows and boxes of the driver API. */
#ifndef RUBATO_CUDA_COPY_H
#define RUBATO_CUDA_COPY_H

#include "frontend/emulator/cuda/cuda_api.h"
#include "frontend/emulator/cudart/cudart_array.h"

/* One side of CUDA_MEMCPY3D. */
typedef struct {
    size_t x, y, z, level; /* x in bytes */
    int type;              /* 1 host, 2 device, 3 array, 4 any */
    void *host;
    cuda_pointer_t device;
    cudart_array_t *array;
    void *reserved;
    size_t pitch, height;
} cuda_copy_side_t;

typedef struct {
    cuda_copy_side_t from, to;
    size_t width, height, depth; /* width in bytes */
} cuda_driver_copy_t;

/* The copy as the runtime's. CUDA_ERROR_INVALID_VALUE if a side is missing, or does not begin and end with
 * a texel of an array. */
cuda_error_t cuda_copy_of(const cuda_driver_copy_t *c, cuda_copy3d_t *copy);

#endif
