#include "frontend/emulator/cuda/cuda_copy.h"

#include "frontend/emulator/cudart/cudart_handle.h"

/* One side of CUDA_MEMCPY2D. */
typedef struct {
    size_t x, y; /* x in bytes */
    int type;
    void *host;
    cuda_pointer_t device;
    cudart_array_t *array;
    size_t pitch;
} rows_side_t;

typedef struct {
    rows_side_t from, to;
    size_t width, height; /* width in bytes */
} rows_copy_t;

CUDART_EXPORT cuda_error_t cuMemcpy3D_v2(const cuda_driver_copy_t *c);
CUDART_EXPORT cuda_error_t cuMemcpy3DAsync_v2(const cuda_driver_copy_t *c, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cuMemcpy2D_v2(const rows_copy_t *c);
CUDART_EXPORT cuda_error_t cuMemcpy2DUnaligned_v2(const rows_copy_t *c);
CUDART_EXPORT cuda_error_t cuMemcpy2DAsync_v2(const rows_copy_t *c, cuda_stream_t stream);

/* The driver has no error for pitches. */
static cuda_error_t driver_error(cuda_error_t e)
{
    return e == CUDA_ERROR_INVALID_PITCH ? CUDA_ERROR_INVALID_VALUE : e;
}

enum { HOST = 1, ARRAY = 3, ANY = 4 }; /* CUmemorytype */

/* Bytes of a texel of the arrays of a copy; 1 without arrays. The runtime counts in texels then. */
static size_t texel_bytes(const cuda_driver_copy_t *c)
{
    const cuda_copy_side_t *sides[] = {&c->from, &c->to};

    for (unsigned i = 0; i < 2; i++)
        if (sides[i]->type == ARRAY && cudart_is_object(sides[i]->array))
            return emu_texel_bytes(&sides[i]->array->texels);
    return 1;
}

/* A copy of one row may leave out the pitch, one of one layer the height. */
static cuda_error_t side_of(const cuda_driver_copy_t *c, const cuda_copy_side_t *s,
                            cuda_pitched_t *memory, cudart_array_t **array, cuda_extent_t *at)
{
    *at = (cuda_extent_t){s->x, s->y, s->z};
    if (s->type == ARRAY) {
        const bool there = cudart_is_object(s->array);
        const size_t bytes = there ? emu_texel_bytes(&s->array->texels) : 1;
        *array = s->array;
        at->width /= bytes;
        return cudart_invalid_if(!there || s->level != 0 || s->x % bytes != 0);
    }
    memory->p = s->type == HOST ? s->host : cuda_at(s->device);
    memory->pitch = s->pitch;
    memory->ysize = s->height;
    const bool overflow =
        (s->pitch == 0 && __builtin_add_overflow(s->x, c->width, &memory->pitch)) ||
        (s->height == 0 && __builtin_add_overflow(s->y, c->height, &memory->ysize));
    memory->xsize = memory->pitch;
    return cudart_invalid_if(overflow || memory->p == NULL || s->type < HOST || s->type > ANY);
}

cuda_error_t cuda_copy_of(const cuda_driver_copy_t *c, cuda_copy3d_t *copy)
{
    if (c == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const size_t bytes = texel_bytes(c);
    *copy =
        (cuda_copy3d_t){.extent = {c->width / bytes, c->height, c->depth}, .kind = CUDA_DEFAULT};
    if (c->width % bytes != 0)
        return CUDA_ERROR_INVALID_VALUE;
    cuda_error_t e = side_of(c, &c->from, &copy->from, &copy->from_array, &copy->from_pos);
    return e == CUDA_SUCCESS ? side_of(c, &c->to, &copy->to, &copy->to_array, &copy->to_pos) : e;
}

cuda_error_t cuMemcpy3D_v2(const cuda_driver_copy_t *c)
{
    cuda_copy3d_t copy;
    cuda_error_t e = cuda_copy_of(c, &copy);

    return driver_error(e == CUDA_SUCCESS ? cudaMemcpy3D(&copy) : e);
}

cuda_error_t cuMemcpy3DAsync_v2(const cuda_driver_copy_t *c, cuda_stream_t stream)
{
    cuda_copy3d_t copy;
    cuda_error_t e = cuda_copy_of(c, &copy);

    return driver_error(e == CUDA_SUCCESS ? cudaMemcpy3DAsync(&copy, stream) : e);
}

/* --- rows ------------------------------------------------------------------------------------ */

static cuda_copy_side_t side_of_rows(const rows_side_t *s)
{
    return (cuda_copy_side_t){.x = s->x,
                              .y = s->y,
                              .type = s->type,
                              .host = s->host,
                              .device = s->device,
                              .array = s->array,
                              .pitch = s->pitch};
}

static cuda_driver_copy_t copy_of_rows(const rows_copy_t *c)
{
    return (cuda_driver_copy_t){.from = side_of_rows(&c->from),
                                .to = side_of_rows(&c->to),
                                .width = c->width,
                                .height = c->height,
                                .depth = 1};
}

cuda_error_t cuMemcpy2D_v2(const rows_copy_t *c)
{
    if (c == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const cuda_driver_copy_t all = copy_of_rows(c);
    return cuMemcpy3D_v2(&all);
}

cuda_error_t cuMemcpy2DUnaligned_v2(const rows_copy_t *c)
{
    return cuMemcpy2D_v2(c);
}

cuda_error_t cuMemcpy2DAsync_v2(const rows_copy_t *c, cuda_stream_t stream)
{
    if (c == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const cuda_driver_copy_t all = copy_of_rows(c);
    return cuMemcpy3DAsync_v2(&all, stream);
}
