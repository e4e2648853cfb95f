/*
 * Launches in steps, as before CUDA 4: calls set the block, the shared memory and the parameters of a
 * function, and another launches it.
 */
#include <string.h>

#include "frontend/emulator/cuda/cuda_launch.h"
#include "sim/core/alloc.h"

enum { PARAM_BYTES_MAX = 4096 };

/* What was set for a function. */
typedef struct steps {
    struct steps *next;
    const cudart_function_t *function;
    unsigned block[3], shared;
    size_t bytes; /* of params */
    uint8_t params[PARAM_BYTES_MAX];
} steps_t;

CUDART_EXPORT cuda_error_t cuFuncSetBlockShape(const cudart_function_t *f, int x, int y, int z);
CUDART_EXPORT cuda_error_t cuFuncSetSharedSize(const cudart_function_t *f, unsigned bytes);
CUDART_EXPORT cuda_error_t cuParamSetSize(const cudart_function_t *f, unsigned bytes);
CUDART_EXPORT cuda_error_t cuParamSetv(const cudart_function_t *f, int offset, const void *value,
                                       unsigned bytes);
CUDART_EXPORT cuda_error_t cuParamSeti(const cudart_function_t *f, int offset, unsigned value);
CUDART_EXPORT cuda_error_t cuParamSetf(const cudart_function_t *f, int offset, float value);
CUDART_EXPORT cuda_error_t cuParamSetTexRef(const cudart_function_t *f, int unit, const void *ref);
CUDART_EXPORT cuda_error_t cuLaunch(const cudart_function_t *f);
CUDART_EXPORT cuda_error_t cuLaunchGrid(const cudart_function_t *f, int x, int y);
CUDART_EXPORT cuda_error_t cuLaunchGridAsync(const cudart_function_t *f, int x, int y,
                                             cuda_stream_t stream);

/* What was set for a function, which is made if need be; NULL: it is no function. */
static steps_t *steps_of(const cudart_function_t *f)
{
    static steps_t *all; /* guarded by the lock of the state */
    cudart_state_t *state = cudart_enter();
    steps_t *s = all;

    if (cudart_function(f) == NULL) {
        cudart_leave(state, CUDA_SUCCESS);
        return NULL;
    }
    while (s != NULL && s->function != f)
        s = s->next;
    if (s == NULL) {
        s = rb_calloc(1, sizeof(*s));
        *s = (steps_t){.next = all, .function = f, .block = {1, 1, 1}};
        all = s;
    }
    cudart_leave(state, CUDA_SUCCESS);
    return s;
}

cuda_error_t cuFuncSetBlockShape(const cudart_function_t *f, int x, int y, int z)
{
    steps_t *s = steps_of(f);

    if (s == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (x <= 0 || y <= 0 || z <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    s->block[0] = (unsigned)x;
    s->block[1] = (unsigned)y;
    s->block[2] = (unsigned)z;
    return CUDA_SUCCESS;
}

cuda_error_t cuFuncSetSharedSize(const cudart_function_t *f, unsigned bytes)
{
    steps_t *s = steps_of(f);

    if (s == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    s->shared = bytes;
    return CUDA_SUCCESS;
}

cuda_error_t cuParamSetSize(const cudart_function_t *f, unsigned bytes)
{
    steps_t *s = steps_of(f);

    if (s == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (bytes > PARAM_BYTES_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    s->bytes = bytes;
    return CUDA_SUCCESS;
}

cuda_error_t cuParamSetv(const cudart_function_t *f, int offset, const void *value, unsigned bytes)
{
    steps_t *s = steps_of(f);

    if (s == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (value == NULL || offset < 0 || offset > PARAM_BYTES_MAX ||
        bytes > PARAM_BYTES_MAX - (unsigned)offset)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(s->params + offset, value, bytes);
    return CUDA_SUCCESS;
}

cuda_error_t cuParamSeti(const cudart_function_t *f, int offset, unsigned value)
{
    return cuParamSetv(f, offset, &value, sizeof(value));
}

cuda_error_t cuParamSetf(const cudart_function_t *f, int offset, float value)
{
    return cuParamSetv(f, offset, &value, sizeof(value));
}

/* A reference is bound for all functions of its module. */
cuda_error_t cuParamSetTexRef(const cudart_function_t *f, int unit, const void *ref)
{
    (void)unit;
    if (steps_of(f) == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    return cudart_invalid_if(ref == NULL);
}

cuda_error_t cuLaunchGridAsync(const cudart_function_t *f, int x, int y, cuda_stream_t stream)
{
    steps_t *s = steps_of(f);

    if (s == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (x <= 0 || y <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    void *params[] = {(void *)CUDA_LAUNCH_BUFFER, s->params, (void *)CUDA_LAUNCH_BYTES, &s->bytes,
                      NULL};
    return cuLaunchKernel(f, (unsigned)x, (unsigned)y, 1, s->block[0], s->block[1], s->block[2],
                          s->shared, stream, NULL, params);
}

cuda_error_t cuLaunchGrid(const cudart_function_t *f, int x, int y)
{
    return cuLaunchGridAsync(f, x, y, NULL);
}

cuda_error_t cuLaunch(const cudart_function_t *f)
{
    return cuLaunchGrid(f, 1, 1);
}
