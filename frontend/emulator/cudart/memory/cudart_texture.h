/* Textures and surfaces as programs describe them. */
#ifndef RUBATO_CUDART_TEXTURE_H
#define RUBATO_CUDART_TEXTURE_H

#include "frontend/emulator/cudart/cudart_array.h"

/* Values of the runtime and of the driver. */
enum { CUDA_RESOURCE_ARRAY, CUDA_RESOURCE_MIPMAPPED, CUDA_RESOURCE_LINEAR, CUDA_RESOURCE_PITCHED };

/* struct cudaResourceDesc */
typedef struct {
    int type;
    union {
        const cudart_array_t *array;
        struct {
            void *p;
            cuda_channels_t channels;
            size_t bytes;
        } linear;
        struct {
            void *p;
            cuda_channels_t channels;
            size_t width, height, pitch;
        } pitched;
    } u;
} cuda_resource_t;

/* struct cudaTextureDesc; the last member does not exist in all versions. */
typedef struct {
    int address[3];
    int filter, as_float, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int level_filter;
    float level_bias, lowest_level, highest_level;
    int no_trilinear_optimization, seamless;
} cuda_sampling_t;

CUDART_EXPORT cuda_error_t cudaCreateTextureObject_v2(uint64_t *object,
                                                      const cuda_resource_t *resource,
                                                      const cuda_sampling_t *sampling,
                                                      const void *view);
CUDART_EXPORT cuda_error_t cudaDestroyTextureObject(uint64_t object);
CUDART_EXPORT cuda_error_t cudaCreateSurfaceObject(uint64_t *object,
                                                   const cuda_resource_t *resource);
CUDART_EXPORT cuda_error_t cudaDestroySurfaceObject(uint64_t object);

/* Sets *t to what the resource holds, sampled in this way. The state is locked. False: it holds nothing
 * that can be read. Ends the program for what is not supported. */
bool cudart_texture_of(const cudart_state_t *s, const cuda_resource_t *r,
                       const cuda_sampling_t *how, emu_texture_t *t);

#endif
