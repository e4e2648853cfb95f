/* Texture and surface objects and references of the driver API. */
#include "frontend/emulator/cudart/memory/cudart_texture.h"

#include <string.h>

#include "frontend/emulator/cuda/cuda_array.h"
#include "frontend/emulator/cuda/cuda_module.h"
#include "frontend/emulator/cudart/cudart_handle.h"
#include "sim/core/alloc.h"

/* CUDA_RESOURCE_DESC */
typedef struct {
    int type; /* as in cuda_resource_t */
    union {
        cudart_array_t *array;
        struct {
            cuda_pointer_t p;
            int format;
            unsigned n_channels;
            size_t bytes;
        } linear;
        struct {
            cuda_pointer_t p;
            int format;
            unsigned n_channels;
            size_t width, height, pitch;
        } pitched;
    } u;
} driver_resource_t;

/* CUDA_TEXTURE_DESC */
typedef struct {
    int address[3];
    int filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level_bias, lowest_level, highest_level;
    float border[4];
} driver_sampling_t;

enum { AS_INTEGER = 1, NORMALIZED = 2, SRGB = 0x10, SEAMLESS = 0x40 };

/* The object behind a CUtexref or CUsurfref. */
typedef struct reference {
    struct reference *next;
    uint32_t handle; /* of the texture in the code */
    int format;
    unsigned n_channels;
    driver_resource_t resource;
    driver_sampling_t sampling;
} reference_t;

CUDART_EXPORT cuda_error_t cuTexObjectCreate(uint64_t *object, const driver_resource_t *resource,
                                             const driver_sampling_t *sampling, const void *view);
CUDART_EXPORT cuda_error_t cuTexObjectDestroy(uint64_t object);
CUDART_EXPORT cuda_error_t cuSurfObjectCreate(uint64_t *object, const driver_resource_t *resource);
CUDART_EXPORT cuda_error_t cuSurfObjectDestroy(uint64_t object);
CUDART_EXPORT cuda_error_t cuModuleGetTexRef(reference_t **r, const cuda_module_t *module,
                                             const char *name);
CUDART_EXPORT cuda_error_t cuModuleGetSurfRef(reference_t **r, const cuda_module_t *module,
                                              const char *name);
CUDART_EXPORT cuda_error_t cuTexRefSetArray(reference_t *r, cudart_array_t *array, unsigned flags);
CUDART_EXPORT cuda_error_t cuSurfRefSetArray(reference_t *r, cudart_array_t *array, unsigned flags);
CUDART_EXPORT cuda_error_t cuTexRefSetMipmappedArray(reference_t *r, cudart_array_t *mipmap,
                                                     unsigned flags);
CUDART_EXPORT cuda_error_t cuTexRefSetAddress_v2(size_t *offset, reference_t *r, cuda_pointer_t p,
                                                 size_t bytes);
CUDART_EXPORT cuda_error_t cuTexRefSetAddress2D_v3(reference_t *r, const cuda_array_shape_t *shape,
                                                   cuda_pointer_t p, size_t pitch);
CUDART_EXPORT cuda_error_t cuTexRefSetFormat(reference_t *r, int format, int n_channels);
CUDART_EXPORT cuda_error_t cuTexRefSetAddressMode(reference_t *r, int dim, int mode);
CUDART_EXPORT cuda_error_t cuTexRefSetFilterMode(reference_t *r, int filter);
CUDART_EXPORT cuda_error_t cuTexRefSetFlags(reference_t *r, unsigned flags);
CUDART_EXPORT cuda_error_t cuTexRefSetBorderColor(reference_t *r, const float *border);
CUDART_EXPORT cuda_error_t cuTexRefGetArray(cudart_array_t **array, const reference_t *r);
CUDART_EXPORT cuda_error_t cuSurfRefGetArray(cudart_array_t **array, const reference_t *r);
CUDART_EXPORT cuda_error_t cuTexRefGetAddress_v2(cuda_pointer_t *p, const reference_t *r);
CUDART_EXPORT cuda_error_t cuTexRefGetAddressMode(int *mode, const reference_t *r, int dim);
CUDART_EXPORT cuda_error_t cuTexRefGetFilterMode(int *filter, const reference_t *r);
CUDART_EXPORT cuda_error_t cuTexRefGetFlags(unsigned *flags, const reference_t *r);
CUDART_EXPORT cuda_error_t cuTexRefGetFormat(int *format, int *n_channels, const reference_t *r);

/* --- in the runtime's words ------------------------------------------------------------------ */

static bool resource_of(const driver_resource_t *from, cuda_resource_t *to)
{
    *to = (cuda_resource_t){.type = from->type};
    switch (from->type) {
    case CUDA_RESOURCE_LINEAR:
        to->u.linear.p = cuda_at(from->u.linear.p);
        to->u.linear.bytes = from->u.linear.bytes;
        return cuda_channels_of(from->u.linear.format, from->u.linear.n_channels,
                                &to->u.linear.channels);
    case CUDA_RESOURCE_PITCHED:
        to->u.pitched.p = cuda_at(from->u.pitched.p);
        to->u.pitched.width = from->u.pitched.width;
        to->u.pitched.height = from->u.pitched.height;
        to->u.pitched.pitch = from->u.pitched.pitch;
        return cuda_channels_of(from->u.pitched.format, from->u.pitched.n_channels,
                                &to->u.pitched.channels);
    default:
        to->u.array = from->u.array;
        return cudart_is_object(from->u.array);
    }
}

static const cuda_channels_t *channels_in(const cuda_resource_t *r)
{
    return r->type == CUDA_RESOURCE_LINEAR    ? &r->u.linear.channels
           : r->type == CUDA_RESOURCE_PITCHED ? &r->u.pitched.channels
                                              : &r->u.array->channels;
}

/* Integers of 8 and 16 bits are read as fractions unless a flag says otherwise. */
static cuda_sampling_t sampling_of(const driver_sampling_t *from, const cuda_channels_t *channels)
{
    cuda_sampling_t to = {.filter = from->filter,
                          .srgb = (from->flags & SRGB) != 0,
                          .normalized = (from->flags & NORMALIZED) != 0,
                          .anisotropy = from->anisotropy,
                          .level_filter = from->level_filter,
                          .level_bias = from->level_bias,
                          .lowest_level = from->lowest_level,
                          .highest_level = from->highest_level,
                          .seamless = (from->flags & SEAMLESS) != 0};

    to.as_float = (from->flags & AS_INTEGER) == 0 && channels->kind != EMU_TEX_FLOAT &&
                  channels->bits[0] < 32;
    memcpy(to.address, from->address, sizeof(to.address));
    memcpy(to.border, from->border, sizeof(to.border));
    return to;
}

/* --- objects --------------------------------------------------------------------------------- */

cuda_error_t cuTexObjectCreate(uint64_t *object, const driver_resource_t *resource,
                               const driver_sampling_t *sampling, const void *view)
{
    cuda_resource_t r;

    if (resource == NULL || sampling == NULL || !resource_of(resource, &r))
        return CUDA_ERROR_INVALID_VALUE;
    const cuda_sampling_t s = sampling_of(sampling, channels_in(&r));
    return cudaCreateTextureObject_v2(object, &r, &s, view);
}

cuda_error_t cuTexObjectDestroy(uint64_t object)
{
    return cudaDestroyTextureObject(object);
}

cuda_error_t cuSurfObjectCreate(uint64_t *object, const driver_resource_t *resource)
{
    cuda_resource_t r;

    if (resource == NULL || !resource_of(resource, &r))
        return CUDA_ERROR_INVALID_VALUE;
    return cudaCreateSurfaceObject(object, &r);
}

cuda_error_t cuSurfObjectDestroy(uint64_t object)
{
    return cudaDestroySurfaceObject(object);
}

/* --- references: bindings -------------------------------------------------------------------- */

/* The reference of a handle. It belongs to a module, so it stays. The state is locked. */
static reference_t *reference_of(uint32_t handle)
{
    enum { FLOAT = 0x20 };
    static reference_t *all;
    reference_t *r = all;

    while (r != NULL && r->handle != handle)
        r = r->next;
    if (r != NULL)
        return r;
    r = rb_calloc(1, sizeof(*r));
    *r = (reference_t){.next = all,
                       .handle = handle,
                       .format = FLOAT,
                       .n_channels = 1,
                       .sampling = {.address = {EMU_TEX_CLAMP, EMU_TEX_CLAMP, EMU_TEX_CLAMP}}};
    all = r;
    return r;
}

cuda_error_t cuModuleGetTexRef(reference_t **r, const cuda_module_t *module, const char *name)
{
    if (r == NULL || module == NULL || name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cudart_state_t *s = cudart_enter();
    const uint32_t handle = emu_module_reference(cudart_unit_module(s, module->unit), name);
    if (handle != 0)
        *r = reference_of(handle);
    return cudart_leave(s, handle != 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}

cuda_error_t cuModuleGetSurfRef(reference_t **r, const cuda_module_t *module, const char *name)
{
    return cuModuleGetTexRef(r, module, name);
}

/* Tells the code what the reference refers to now. One that is not bound yet stays so. */
static cuda_error_t bind(const reference_t *r)
{
    cuda_resource_t resource;
    emu_texture_t t = {0};

    if (r->resource.u.array == NULL && r->resource.type == CUDA_RESOURCE_ARRAY)
        return CUDA_SUCCESS;
    if (!resource_of(&r->resource, &resource))
        return CUDA_ERROR_INVALID_VALUE;
    const cuda_sampling_t sampling = sampling_of(&r->sampling, channels_in(&resource));
    cudart_state_t *s = cudart_enter_context();
    emu_texture_t *place = emu_texture_of(&s->mem, r->handle);
    if (place == NULL || !cudart_texture_of(s, &resource, &sampling, &t))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    *place = t;
    return cudart_leave(s, CUDA_SUCCESS);
}

/* Gives a reference another resource; one that cannot be bound leaves the old one. */
static cuda_error_t refer(reference_t *r, const driver_resource_t *resource)
{
    if (r == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    const driver_resource_t before = r->resource;
    r->resource = *resource;
    cuda_error_t e = bind(r);
    if (e != CUDA_SUCCESS)
        r->resource = before;
    return e;
}

/* flags: the format is always that of the array. */
cuda_error_t cuTexRefSetArray(reference_t *r, cudart_array_t *array, unsigned flags)
{
    (void)flags;
    if (!cudart_is_object(array))
        return CUDA_ERROR_INVALID_VALUE;
    return refer(r, &(driver_resource_t){.type = CUDA_RESOURCE_ARRAY, .u.array = array});
}

cuda_error_t cuSurfRefSetArray(reference_t *r, cudart_array_t *array, unsigned flags)
{
    return cuTexRefSetArray(r, array, flags);
}

/* A mipmapped array begins with an array. */
cuda_error_t cuTexRefSetMipmappedArray(reference_t *r, cudart_array_t *mipmap, unsigned flags)
{
    (void)flags;
    if (!cudart_is_object(mipmap))
        return CUDA_ERROR_INVALID_VALUE;
    return refer(r, &(driver_resource_t){.type = CUDA_RESOURCE_MIPMAPPED, .u.array = mipmap});
}

/* Memory of any alignment can be bound, so the offset is always 0. */
cuda_error_t cuTexRefSetAddress_v2(size_t *offset, reference_t *r, cuda_pointer_t p, size_t bytes)
{
    if (offset != NULL)
        *offset = 0;
    if (r == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    return refer(r, &(driver_resource_t){.type = CUDA_RESOURCE_LINEAR,
                                         .u.linear = {p, r->format, r->n_channels, bytes}});
}

cuda_error_t cuTexRefSetAddress2D_v3(reference_t *r, const cuda_array_shape_t *shape,
                                     cuda_pointer_t p, size_t pitch)
{
    if (shape == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return refer(r, &(driver_resource_t){.type = CUDA_RESOURCE_PITCHED,
                                         .u.pitched = {p, shape->format, shape->n_channels,
                                                       shape->width, shape->height, pitch}});
}

/* --- references: settings -------------------------------------------------------------------- */

/* Of memory that is bound later, and of memory that is bound now. */
cuda_error_t cuTexRefSetFormat(reference_t *r, int format, int n_channels)
{
    cuda_channels_t channels;

    if (r == NULL || !cuda_channels_of(format, (unsigned)n_channels, &channels))
        return CUDA_ERROR_INVALID_VALUE;
    r->format = format;
    r->n_channels = (unsigned)n_channels;
    if (r->resource.type != CUDA_RESOURCE_LINEAR)
        return CUDA_SUCCESS;
    r->resource.u.linear.format = format;
    r->resource.u.linear.n_channels = (unsigned)n_channels;
    return bind(r);
}

cuda_error_t cuTexRefSetAddressMode(reference_t *r, int dim, int mode)
{
    if (r == NULL || dim < 0 || dim > 2 || mode < EMU_TEX_WRAP || mode > EMU_TEX_BORDER)
        return CUDA_ERROR_INVALID_VALUE;
    r->sampling.address[dim] = mode;
    return bind(r);
}

cuda_error_t cuTexRefSetFilterMode(reference_t *r, int filter)
{
    if (r == NULL || filter < 0 || filter > 1)
        return CUDA_ERROR_INVALID_VALUE;
    r->sampling.filter = filter;
    return bind(r);
}

cuda_error_t cuTexRefSetFlags(reference_t *r, unsigned flags)
{
    if (r == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    r->sampling.flags = flags;
    return bind(r);
}

cuda_error_t cuTexRefSetBorderColor(reference_t *r, const float *border)
{
    if (r == NULL || border == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(r->sampling.border, border, sizeof(r->sampling.border));
    return bind(r);
}

cuda_error_t cuTexRefGetArray(cudart_array_t **array, const reference_t *r)
{
    if (array == NULL || r == NULL || r->resource.type != CUDA_RESOURCE_ARRAY ||
        r->resource.u.array == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *array = r->resource.u.array;
    return CUDA_SUCCESS;
}

cuda_error_t cuSurfRefGetArray(cudart_array_t **array, const reference_t *r)
{
    return cuTexRefGetArray(array, r);
}

cuda_error_t cuTexRefGetAddress_v2(cuda_pointer_t *p, const reference_t *r)
{
    if (p == NULL || r == NULL || r->resource.type < CUDA_RESOURCE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    *p =
        r->resource.type == CUDA_RESOURCE_LINEAR ? r->resource.u.linear.p : r->resource.u.pitched.p;
    return CUDA_SUCCESS;
}

cuda_error_t cuTexRefGetAddressMode(int *mode, const reference_t *r, int dim)
{
    if (mode == NULL || r == NULL || dim < 0 || dim > 2)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = r->sampling.address[dim];
    return CUDA_SUCCESS;
}

cuda_error_t cuTexRefGetFilterMode(int *filter, const reference_t *r)
{
    if (filter == NULL || r == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *filter = r->sampling.filter;
    return CUDA_SUCCESS;
}

cuda_error_t cuTexRefGetFlags(unsigned *flags, const reference_t *r)
{
    if (flags == NULL || r == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = r->sampling.flags;
    return CUDA_SUCCESS;
}

cuda_error_t cuTexRefGetFormat(int *format, int *n_channels, const reference_t *r)
{
    if (format == NULL || n_channels == NULL || r == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *format = r->format;
    *n_channels = (int)r->n_channels;
    return CUDA_SUCCESS;
}
