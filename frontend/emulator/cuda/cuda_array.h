/* Arrays of the driver API: those of the runtime, described in the driver's words. */
#ifndef RUBATO_CUDA_ARRAY_H
#define RUBATO_CUDA_ARRAY_H

#include "frontend/emulator/cuda/cuda_api.h"
#include "frontend/emulator/cudart/cudart_array.h"

/* CUDA_ARRAY_DESCRIPTOR */
typedef struct {
    size_t width, height;
    int format;
    unsigned n_channels;
} cuda_array_shape_t;

/* The runtime's channels for a CUarray_format; false: an unknown format, or not 1, 2 or 4 channels. */
bool cuda_channels_of(int format, unsigned n_channels, cuda_channels_t *channels);

/* The reverse of cuda_channels_of(). */
void cuda_format_of(const cuda_channels_t *channels, int *format, unsigned *n_channels);

#endif
