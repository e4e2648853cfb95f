#include "frontend/emulator/cuda/cuda_copy.h"

CUDART_EXPORT cuda_error_t cudaMemcpy3DAsync(const cuda_copy3d_t *c, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cuMemcpy3D_v2(const cuda_driver_copy_t *c);
CUDART_EXPORT cuda_error_t cuMemcpy3DAsync_v2(const cuda_driver_copy_t *c, cuda_stream_t stream);

/* A copy of one row may leave out the pitch, one of one layer the height. */
static cuda_error_t side_of(const cuda_driver_copy_t *c, const cuda_copy_side_t *s,
                            cuda_pitched_t *memory, cuda_extent_t *at)
{
    enum { HOST = 1, ARRAY = 3, ANY = 4 };

    if (s->type == ARRAY)
        return CUDA_ERROR_NOT_SUPPORTED;
    memory->p = s->type == HOST ? s->host : cuda_at(s->device);
    memory->pitch = s->pitch != 0 ? s->pitch : s->x + c->width;
    memory->xsize = memory->pitch;
    memory->ysize = s->height != 0 ? s->height : s->y + c->height;
    *at = (cuda_extent_t){s->x, s->y, s->z};
    return cudart_invalid_if(memory->p == NULL || s->type < HOST || s->type > ANY);
}

cuda_error_t cuda_copy_of(const cuda_driver_copy_t *c, cuda_copy3d_t *copy)
{
    if (c == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *copy = (cuda_copy3d_t){.extent = {c->width, c->height, c->depth}, .kind = CUDA_DEFAULT};
    cuda_error_t e = side_of(c, &c->from, &copy->from, &copy->from_pos);
    return e == CUDA_SUCCESS ? side_of(c, &c->to, &copy->to, &copy->to_pos) : e;
}

cuda_error_t cuMemcpy3D_v2(const cuda_driver_copy_t *c)
{
    cuda_copy3d_t copy;
    cuda_error_t e = cuda_copy_of(c, &copy);

    return e == CUDA_SUCCESS ? cudaMemcpy3D(&copy) : e;
}

cuda_error_t cuMemcpy3DAsync_v2(const cuda_driver_copy_t *c, cuda_stream_t stream)
{
    cuda_copy3d_t copy;
    cuda_error_t e = cuda_copy_of(c, &copy);

    return e == CUDA_SUCCESS ? cudaMemcpy3DAsync(&copy, stream) : e;
}
