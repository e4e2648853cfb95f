/* Arrays and mipmapped arrays of the driver API. */
#include "frontend/emulator/cuda/cuda_array.h"

#include "frontend/emulator/cudart/cudart_handle.h"

/* CUDA_ARRAY3D_DESCRIPTOR */
typedef struct {
    size_t width, height, depth;
    int format;
    unsigned n_channels, flags;
} array_shape3d_t;

CUDART_EXPORT cuda_error_t cuArrayCreate_v2(void **array, const cuda_array_shape_t *shape);
CUDART_EXPORT cuda_error_t cuArray3DCreate_v2(void **array, const array_shape3d_t *shape);
CUDART_EXPORT cuda_error_t cuArrayDestroy(void *array);
CUDART_EXPORT cuda_error_t cuArrayGetDescriptor_v2(cuda_array_shape_t *shape,
                                                   const cudart_array_t *array);
CUDART_EXPORT cuda_error_t cuArray3DGetDescriptor_v2(array_shape3d_t *shape,
                                                     const cudart_array_t *array);
CUDART_EXPORT cuda_error_t cuMipmappedArrayCreate(void **mipmap, const array_shape3d_t *shape,
                                                  unsigned n_levels);
CUDART_EXPORT cuda_error_t cuMipmappedArrayGetLevel(void **array, void *mipmap, unsigned level);
CUDART_EXPORT cuda_error_t cuMipmappedArrayDestroy(void *mipmap);
CUDART_EXPORT cuda_error_t cuMemcpyHtoA_v2(void *to, size_t x, const void *from, size_t n);
CUDART_EXPORT cuda_error_t cuMemcpyHtoAAsync_v2(void *to, size_t x, const void *from, size_t n,
                                                cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cuMemcpyAtoH_v2(void *to, const void *from, size_t x, size_t n);
CUDART_EXPORT cuda_error_t cuMemcpyAtoHAsync_v2(void *to, const void *from, size_t x, size_t n,
                                                cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cuMemcpyDtoA_v2(void *to, size_t x, cuda_pointer_t from, size_t n);
CUDART_EXPORT cuda_error_t cuMemcpyAtoD_v2(cuda_pointer_t to, const void *from, size_t x, size_t n);
CUDART_EXPORT cuda_error_t cuMemcpyAtoA_v2(void *to, size_t to_x, const void *from, size_t from_x,
                                           size_t n);

/* --- formats --------------------------------------------------------------------------------- */

/* CUarray_format: the bits and the kind of a channel. */
static const struct {
    int format, bits, kind;
} formats[] = {{0x01, 8, EMU_TEX_UNSIGNED},  {0x02, 16, EMU_TEX_UNSIGNED},
               {0x03, 32, EMU_TEX_UNSIGNED}, {0x08, 8, EMU_TEX_SIGNED},
               {0x09, 16, EMU_TEX_SIGNED},   {0x0a, 32, EMU_TEX_SIGNED},
               {0x10, 16, EMU_TEX_FLOAT},    {0x20, 32, EMU_TEX_FLOAT}};
enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

bool cuda_channels_of(int format, unsigned n_channels, cuda_channels_t *channels)
{
    if (n_channels != 1 && n_channels != 2 && n_channels != 4)
        return false;
    for (unsigned i = 0; i < N_FORMATS; i++) {
        if (formats[i].format != format)
            continue;
        *channels = (cuda_channels_t){.kind = formats[i].kind};
        for (unsigned k = 0; k < n_channels; k++)
            channels->bits[k] = formats[i].bits;
        return true;
    }
    return false;
}

void cuda_format_of(const cuda_channels_t *channels, int *format, unsigned *n_channels)
{
    *format = 0;
    for (unsigned i = 0; i < N_FORMATS; i++)
        if (formats[i].bits == channels->bits[0] && formats[i].kind == channels->kind)
            *format = formats[i].format;
    for (*n_channels = 0; *n_channels < 4 && channels->bits[*n_channels] != 0;)
        ++*n_channels;
}

/* --- arrays ---------------------------------------------------------------------------------- */

cuda_error_t cuArray3DCreate_v2(void **array, const array_shape3d_t *shape)
{
    cuda_channels_t channels;

    if (shape == NULL || !cuda_channels_of(shape->format, shape->n_channels, &channels))
        return CUDA_ERROR_INVALID_VALUE;
    const cuda_extent_t extent = {shape->width, shape->height, shape->depth};
    return cudaMalloc3DArray(array, &channels, extent, shape->flags);
}

cuda_error_t cuArrayCreate_v2(void **array, const cuda_array_shape_t *shape)
{
    if (shape == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return cuArray3DCreate_v2(array, &(array_shape3d_t){.width = shape->width,
                                                        .height = shape->height,
                                                        .format = shape->format,
                                                        .n_channels = shape->n_channels});
}

cuda_error_t cuArrayDestroy(void *array)
{
    return array == NULL ? CUDA_ERROR_INVALID_HANDLE : cudaFreeArray(array);
}

cuda_error_t cuArray3DGetDescriptor_v2(array_shape3d_t *shape, const cudart_array_t *array)
{
    if (shape == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cudart_is_object(array))
        return CUDA_ERROR_INVALID_HANDLE;
    *shape = (array_shape3d_t){.width = array->extent.width,
                               .height = array->extent.height,
                               .depth = array->extent.depth,
                               .flags = array->flags};
    cuda_format_of(&array->channels, &shape->format, &shape->n_channels);
    return CUDA_SUCCESS;
}

cuda_error_t cuArrayGetDescriptor_v2(cuda_array_shape_t *shape, const cudart_array_t *array)
{
    array_shape3d_t all;
    cuda_error_t e =
        shape == NULL ? CUDA_ERROR_INVALID_VALUE : cuArray3DGetDescriptor_v2(&all, array);

    if (e == CUDA_SUCCESS)
        *shape = (cuda_array_shape_t){all.width, all.height, all.format, all.n_channels};
    return e;
}

cuda_error_t cuMipmappedArrayCreate(void **mipmap, const array_shape3d_t *shape, unsigned n_levels)
{
    cuda_channels_t channels;

    if (shape == NULL || !cuda_channels_of(shape->format, shape->n_channels, &channels))
        return CUDA_ERROR_INVALID_VALUE;
    const cuda_extent_t extent = {shape->width, shape->height, shape->depth};
    return cudaMallocMipmappedArray(mipmap, &channels, extent, n_levels, shape->flags);
}

cuda_error_t cuMipmappedArrayGetLevel(void **array, void *mipmap, unsigned level)
{
    return cudaGetMipmappedArrayLevel(array, mipmap, level);
}

cuda_error_t cuMipmappedArrayDestroy(void *mipmap)
{
    return mipmap == NULL ? CUDA_ERROR_INVALID_HANDLE : cudaFreeMipmappedArray(mipmap);
}

/* --- copies of consecutive bytes ------------------------------------------------------------- */

cuda_error_t cuMemcpyHtoAAsync_v2(void *to, size_t x, const void *from, size_t n,
                                  cuda_stream_t stream)
{
    return cudaMemcpyToArrayAsync(to, x, 0, from, n, CUDA_DEFAULT, stream);
}

cuda_error_t cuMemcpyHtoA_v2(void *to, size_t x, const void *from, size_t n)
{
    return cudaMemcpyToArray(to, x, 0, from, n, CUDA_DEFAULT);
}

cuda_error_t cuMemcpyAtoHAsync_v2(void *to, const void *from, size_t x, size_t n,
                                  cuda_stream_t stream)
{
    return cudaMemcpyFromArrayAsync(to, from, x, 0, n, CUDA_DEFAULT, stream);
}

cuda_error_t cuMemcpyAtoH_v2(void *to, const void *from, size_t x, size_t n)
{
    return cudaMemcpyFromArray(to, from, x, 0, n, CUDA_DEFAULT);
}

cuda_error_t cuMemcpyDtoA_v2(void *to, size_t x, cuda_pointer_t from, size_t n)
{
    return cudaMemcpyToArray(to, x, 0, cuda_at(from), n, CUDA_DEFAULT);
}

cuda_error_t cuMemcpyAtoD_v2(cuda_pointer_t to, const void *from, size_t x, size_t n)
{
    return cudaMemcpyFromArray(cuda_at(to), from, x, 0, n, CUDA_DEFAULT);
}

cuda_error_t cuMemcpyAtoA_v2(void *to, size_t to_x, const void *from, size_t from_x, size_t n)
{
    return cudaMemcpy2DArrayToArray(to, to_x, 0, from, from_x, 0, n, 1, CUDA_DEFAULT);
}
