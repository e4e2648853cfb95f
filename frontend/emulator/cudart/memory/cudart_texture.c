/*
 * Texture and surface objects, and the texture references of programs before CUDA 12. The program's
 * objects are the emulator's handles (emu_texture.h).
 */
#include "frontend/emulator/cudart/memory/cudart_texture.h"

#include "frontend/emulator/cudart/cudart_handle.h"

#include <stdio.h>
#include <string.h>

#include "sim/core/alloc.h"

/* The beginning of struct textureReference. */
typedef struct {
    int normalized, filter;
    int address[3];
    cuda_channels_t channels;
} cuda_reference_t;

CUDART_EXPORT cuda_error_t cudaCreateTextureObject(uint64_t *object,
                                                   const cuda_resource_t *resource,
                                                   const cuda_sampling_t *sampling,
                                                   const void *view);
CUDART_EXPORT void __cudaRegisterTexture(void **handle, const cuda_reference_t *reference,
                                         const void **device, const char *name, int dim,
                                         int as_float, int ext);
CUDART_EXPORT void __cudaRegisterSurface(void **handle, const void *reference, const void **device,
                                         const char *name, int dim, int ext);
CUDART_EXPORT cuda_error_t cudaGetTextureReference(const cuda_reference_t **reference,
                                                   const void *symbol);
CUDART_EXPORT cuda_error_t cudaGetSurfaceReference(const void **reference, const void *symbol);
CUDART_EXPORT cuda_error_t cudaBindTexture(size_t *offset, const cuda_reference_t *reference,
                                           const void *p, const cuda_channels_t *channels,
                                           size_t bytes);
CUDART_EXPORT cuda_error_t cudaBindTexture2D(size_t *offset, const cuda_reference_t *reference,
                                             const void *p, const cuda_channels_t *channels,
                                             size_t width, size_t height, size_t pitch);
CUDART_EXPORT cuda_error_t cudaBindTextureToArray(const cuda_reference_t *reference,
                                                  const void *array,
                                                  const cuda_channels_t *channels);
CUDART_EXPORT cuda_error_t cudaBindSurfaceToArray(const void *reference, const void *array,
                                                  const cuda_channels_t *channels);
CUDART_EXPORT cuda_error_t cudaUnbindTexture(const cuda_reference_t *reference);
CUDART_EXPORT cuda_error_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                         const cuda_reference_t *reference);

/* --- bindings -------------------------------------------------------------------------------- */

static void set_sampling(emu_texture_t *t, const int address[3], int filter, int normalized,
                         int as_float)
{
    for (unsigned i = 0; i < 3; i++)
        t->address[i] = (uint8_t)address[i];
    t->linear = filter != 0;
    t->normalized = normalized != 0;
    t->as_float = as_float != 0;
}

static bool linear_texels(const cudart_state_t *s, const void *p, const cuda_channels_t *channels,
                          size_t bytes, emu_texture_t *t)
{
    size_t texels;

    if (!cudart_texel_format(channels, t) || !cudart_legal(s, p, 1, true))
        return false;
    texels = bytes / emu_texel_bytes(t);
    t->addr = (uint64_t)(uintptr_t)p;
    t->size[0] = texels < UINT32_MAX ? (uint32_t)texels : UINT32_MAX;
    t->size[1] = t->size[2] = t->n_layers = 1;
    t->bound = true;
    return true;
}

static bool pitched_texels(const cudart_state_t *s, const void *p, const cuda_channels_t *channels,
                           size_t width, size_t height, size_t pitch, emu_texture_t *t)
{
    if (!linear_texels(s, p, channels, 0, t) || width > UINT32_MAX || height > UINT32_MAX)
        return false;
    t->size[0] = (uint32_t)width;
    t->size[1] = (uint32_t)height;
    t->pitch = pitch;
    return true;
}

static bool resource_texels(const cudart_state_t *s, const cuda_resource_t *r, emu_texture_t *t)
{
    switch (r->type) {
    case CUDA_RESOURCE_ARRAY:
    case CUDA_RESOURCE_MIPMAPPED: /* begins with an array */
        if (!cudart_is_object(r->u.array))
            return false;
        *t = r->u.array->texels;
        return true;
    case CUDA_RESOURCE_LINEAR:
        return linear_texels(s, r->u.linear.p, &r->u.linear.channels, r->u.linear.bytes, t);
    case CUDA_RESOURCE_PITCHED:
        return pitched_texels(s, r->u.pitched.p, &r->u.pitched.channels, r->u.pitched.width,
                              r->u.pitched.height, r->u.pitched.pitch, t);
    default:
        return false;
    }
}

/* --- objects --------------------------------------------------------------------------------- */

static cuda_error_t add_object(cudart_state_t *s, const emu_texture_t *t, uint64_t *object)
{
    uint32_t handle = emu_texture_add(&s->mem);

    *emu_texture_of(&s->mem, handle) = *t;
    *object = handle;
    return CUDA_SUCCESS;
}

bool cudart_texture_of(const cudart_state_t *s, const cuda_resource_t *r,
                       const cuda_sampling_t *how, emu_texture_t *t)
{
    if (!resource_texels(s, r, t))
        return false;
    if (how->srgb)
        cudart_give_up("the program creates a texture with sRGB colours, which is not supported");
    set_sampling(t, how->address, how->filter, how->normalized, how->as_float);
    memcpy(t->border, how->border, sizeof(t->border));
    t->mixes_levels = how->level_filter != 0 && (t->kind == EMU_TEX_FLOAT || how->as_float);
    t->level_bias = how->level_bias;
    t->lowest_level = how->lowest_level;
    t->highest_level = how->highest_level;
    return true;
}

cuda_error_t cudaCreateTextureObject(uint64_t *object, const cuda_resource_t *resource,
                                     const cuda_sampling_t *sampling, const void *view)
{
    cudart_state_t *s = cudart_enter_context();
    emu_texture_t t = {0};

    if (object == NULL || resource == NULL || sampling == NULL ||
        !cudart_texture_of(s, resource, sampling, &t))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (view != NULL)
        cudart_give_up(
            "the program creates a texture with a resource view, which is not supported; "
            "do not pass a view");
    return cudart_leave(s, add_object(s, &t, object));
}

/* The name from CUDA 11.8 on. */
cuda_error_t cudaCreateTextureObject_v2(uint64_t *object, const cuda_resource_t *resource,
                                        const cuda_sampling_t *sampling, const void *view)
{
    if (sampling != NULL && sampling->seamless && sampling->filter != 0)
        cudart_give_up("the program creates a texture that is filtered across the edges of a cube, "
                       "which is not supported; leave seamlessCubemap 0");
    return cudaCreateTextureObject(object, resource, sampling, view);
}

static cuda_error_t destroy_object(uint64_t object)
{
    cudart_state_t *s = cudart_enter_context();
    emu_texture_t *t = emu_texture_of(&s->mem, (uint32_t)object);

    if (object == 0)
        return cudart_leave(s, CUDA_SUCCESS);
    if (t == NULL || !t->bound || object > UINT32_MAX)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    t->bound = false;
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaDestroyTextureObject(uint64_t object)
{
    return destroy_object(object);
}

cuda_error_t cudaCreateSurfaceObject(uint64_t *object, const cuda_resource_t *resource)
{
    cudart_state_t *s = cudart_enter_context();
    emu_texture_t t = {0};

    if (object == NULL || resource == NULL || resource->type != CUDA_RESOURCE_ARRAY ||
        !resource_texels(s, resource, &t))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    return cudart_leave(s, add_object(s, &t, object));
}

cuda_error_t cudaDestroySurfaceObject(uint64_t object)
{
    return destroy_object(object);
}

/* --- references ------------------------------------------------------------------------------ */

static void register_reference(void **handle, const void *host, const char *name, int as_float)
{
    cudart_state_t *s = cudart_enter_context();

    rb_grow(&s->references, &s->cap_references, s->n_references + 1, sizeof(*s->references));
    s->references[s->n_references++] = (cudart_reference_t){
        .host = host, .name = name, .unit = (cudart_unit_t *)handle, .as_float = as_float};
    cudart_leave(s, CUDA_SUCCESS);
}

void __cudaRegisterTexture(void **handle, const cuda_reference_t *reference, const void **device,
                           const char *name, int dim, int as_float, int ext)
{
    (void)device, (void)dim, (void)ext;
    register_reference(handle, reference, name, as_float);
}

void __cudaRegisterSurface(void **handle, const void *reference, const void **device,
                           const char *name, int dim, int ext)
{
    (void)device, (void)dim, (void)ext;
    register_reference(handle, reference, name, 0);
}

static const cudart_reference_t *find_reference(const cudart_state_t *s, const void *host)
{
    for (size_t i = 0; i < s->n_references; i++)
        if (s->references[i].host == host)
            return &s->references[i];
    return NULL;
}

cuda_error_t cudaGetTextureReference(const cuda_reference_t **reference, const void *symbol)
{
    cudart_state_t *s = cudart_enter_context();

    if (reference == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    *reference = symbol;
    return cudart_leave(s, find_reference(s, symbol) != NULL ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_TEXTURE);
}

cuda_error_t cudaGetSurfaceReference(const void **reference, const void *symbol)
{
    cudart_state_t *s = cudart_enter_context();

    if (reference == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    *reference = symbol;
    return cudart_leave(s, find_reference(s, symbol) != NULL ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_SURFACE);
}

/*
 * The mangled name of a reference in the code, from its registered name: "::t" is t, "::a::t" is
 * _ZN1a1tE.
 */
static void mangle(const char *name, char *out, size_t room)
{
    size_t n = 0;
    bool nested;

    name += strncmp(name, "::", 2) == 0 ? 2 : 0;
    nested = strstr(name, "::") != NULL;
    if (nested)
        n = (size_t)snprintf(out, room, "_ZN");
    while (*name != '\0' && n < room) {
        size_t length = strcspn(name, ":");
        n += nested ? (size_t)snprintf(out + n, room - n, "%zu%.*s", length, (int)length, name)
                    : (size_t)snprintf(out + n, room - n, "%s", name);
        name += length + strspn(name + length, ":");
    }
    if (nested && n < room)
        snprintf(out + n, room - n, "E");
}

/* Binds *t to a reference for the code. If no kernel uses the reference, it is not in the
 * module. */
static void bind_reference(cudart_state_t *s, const cudart_reference_t *r, const emu_texture_t *t)
{
    const emu_module_t *m = cudart_unit_module(s, r->unit);
    char name[512];

    mangle(r->name, name, sizeof(name));
    emu_texture_t *place = emu_texture_of(&s->mem, emu_module_reference(m, name));

    if (place != NULL)
        *place = *t;
}

static cuda_error_t bind_texture(cudart_state_t *s, const cuda_reference_t *reference,
                                 emu_texture_t *t)
{
    const cudart_reference_t *r = find_reference(s, reference);

    if (r == NULL)
        return CUDA_ERROR_INVALID_TEXTURE;
    set_sampling(t, reference->address, reference->filter, reference->normalized, r->as_float);
    bind_reference(s, r, t);
    return CUDA_SUCCESS;
}

/* Memory of any alignment can be bound, so the offset is always 0. */
cuda_error_t cudaBindTexture(size_t *offset, const cuda_reference_t *reference, const void *p,
                             const cuda_channels_t *channels, size_t bytes)
{
    cudart_state_t *s = cudart_enter_context();
    emu_texture_t t = {0};
    uint64_t begin, size;

    if (reference == NULL || channels == NULL || !linear_texels(s, p, channels, bytes, &t))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (emu_mem_find(&s->mem, t.addr, &begin, &size) && bytes > begin + size - t.addr)
        linear_texels(s, p, channels, begin + size - t.addr, &t); /* "all": UINT_MAX */
    if (offset != NULL)
        *offset = 0;
    return cudart_leave(s, bind_texture(s, reference, &t));
}

cuda_error_t cudaBindTexture2D(size_t *offset, const cuda_reference_t *reference, const void *p,
                               const cuda_channels_t *channels, size_t width, size_t height,
                               size_t pitch)
{
    cudart_state_t *s = cudart_enter_context();
    emu_texture_t t = {0};

    if (reference == NULL || channels == NULL ||
        !pitched_texels(s, p, channels, width, height, pitch, &t))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (offset != NULL)
        *offset = 0;
    return cudart_leave(s, bind_texture(s, reference, &t));
}

cuda_error_t cudaBindTextureToArray(const cuda_reference_t *reference, const void *array,
                                    const cuda_channels_t *channels)
{
    cudart_state_t *s = cudart_enter_context();

    (void)channels; /* the array has the channels */
    if (reference == NULL || !cudart_is_object(array))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    emu_texture_t t = ((const cudart_array_t *)array)->texels;
    return cudart_leave(s, bind_texture(s, reference, &t));
}

cuda_error_t cudaBindSurfaceToArray(const void *reference, const void *array,
                                    const cuda_channels_t *channels)
{
    cudart_state_t *s = cudart_enter_context();
    const cudart_reference_t *r = find_reference(s, reference);

    (void)channels;
    if (r == NULL || !cudart_is_object(array))
        return cudart_leave(s, r == NULL ? CUDA_ERROR_INVALID_SURFACE : CUDA_ERROR_INVALID_VALUE);
    bind_reference(s, r, &((const cudart_array_t *)array)->texels);
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaUnbindTexture(const cuda_reference_t *reference)
{
    cudart_state_t *s = cudart_enter_context();
    const cudart_reference_t *r = find_reference(s, reference);

    if (r == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_TEXTURE);
    bind_reference(s, r, &(emu_texture_t){0});
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaGetTextureAlignmentOffset(size_t *offset, const cuda_reference_t *reference)
{
    cudart_state_t *s = cudart_enter_context();

    if (offset == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (find_reference(s, reference) == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_TEXTURE);
    *offset = 0;
    return cudart_leave(s, CUDA_SUCCESS);
}
