/* CUDA arrays, copies to and from them, and three-dimensional pitched memory. */
#include "frontend/emulator/cudart/graph/cudart_graph.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

CUDART_EXPORT cuda_channels_t cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
CUDART_EXPORT cuda_error_t cudaGetChannelDesc(cuda_channels_t *channels, const void *array);
CUDART_EXPORT cuda_error_t cudaArrayGetInfo(cuda_channels_t *channels, cuda_extent_t *extent,
                                            unsigned *flags, const void *array);
CUDART_EXPORT cuda_error_t cudaMallocArray(void **array, const cuda_channels_t *channels,
                                           size_t width, size_t height, unsigned flags);
CUDART_EXPORT cuda_error_t cudaMalloc3D(cuda_pitched_t *p, cuda_extent_t extent);
CUDART_EXPORT cuda_error_t cudaMemset3D(cuda_pitched_t p, int value, cuda_extent_t extent);
CUDART_EXPORT cuda_error_t cudaMemset3DAsync(cuda_pitched_t p, int value, cuda_extent_t extent,
                                             cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMemcpy2DToArray(void *array, size_t x, size_t y, const void *from,
                                               size_t pitch, size_t width, size_t height, int kind);
CUDART_EXPORT cuda_error_t cudaMemcpy2DToArrayAsync(void *array, size_t x, size_t y,
                                                    const void *from, size_t pitch, size_t width,
                                                    size_t height, int kind, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMemcpy2DFromArray(void *to, size_t pitch, const void *array,
                                                 size_t x, size_t y, size_t width, size_t height,
                                                 int kind);
CUDART_EXPORT cuda_error_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const void *array,
                                                      size_t x, size_t y, size_t width,
                                                      size_t height, int kind,
                                                      cuda_stream_t stream);

/* --- formats --------------------------------------------------------------------------------- */

cuda_channels_t cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (cuda_channels_t){{x, y, z, w}, kind};
}

bool cudart_texel_format(const cuda_channels_t *c, emu_texture_t *t)
{
    unsigned n = 0;

    while (n < 4 && c->bits[n] != 0)
        n++;
    if ((n != 1 && n != 2 && n != 4) || c->kind < EMU_TEX_SIGNED || c->kind > EMU_TEX_FLOAT)
        return false;
    for (unsigned i = 1; i < n; i++)
        if (c->bits[i] != c->bits[0])
            return false;
    if (c->bits[0] != 8 && c->bits[0] != 16 && c->bits[0] != 32)
        return false;
    if (c->kind == EMU_TEX_FLOAT && c->bits[0] == 8)
        return false;
    t->kind = (uint8_t)c->kind;
    t->bits = (uint8_t)c->bits[0];
    t->components = (uint8_t)n;
    return true;
}

cuda_error_t cudaGetChannelDesc(cuda_channels_t *channels, const void *array)
{
    const cudart_array_t *a = array;

    if (!cudart_is_object(a) || channels == NULL)
        return cudart_fail(!cudart_is_object(a) ? CUDA_ERROR_INVALID_HANDLE
                                                : CUDA_ERROR_INVALID_VALUE);
    *channels = a->channels;
    return CUDA_SUCCESS;
}

cuda_error_t cudaArrayGetInfo(cuda_channels_t *channels, cuda_extent_t *extent, unsigned *flags,
                              const void *array)
{
    const cudart_array_t *a = array;

    if (!cudart_is_object(a))
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    if (channels != NULL)
        *channels = a->channels;
    if (extent != NULL)
        *extent = a->extent;
    if (flags != NULL)
        *flags = a->flags;
    return CUDA_SUCCESS;
}

/* --- allocation ------------------------------------------------------------------------------ */

static const size_t max_side = 1 << 17; /* more than compute capability 7.x allows */

static uint32_t at_least_one(size_t n)
{
    return n > 0 ? (uint32_t)n : 1;
}

/* Sets the memory layout of an array's texels; false: too large. */
static bool lay_out(cudart_array_t *a)
{
    emu_texture_t *t = &a->texels;
    bool layered = a->flags & (CUDA_ARRAY_LAYERED | CUDA_ARRAY_CUBEMAP);

    if (a->extent.width == 0 || a->extent.width > max_side || a->extent.height > max_side ||
        a->extent.depth > max_side)
        return false;
    t->size[0] = (uint32_t)a->extent.width;
    t->size[1] = at_least_one(a->extent.height);
    t->size[2] = layered ? 1 : at_least_one(a->extent.depth);
    t->n_layers = layered ? at_least_one(a->extent.depth) : 1;
    emu_texture_lay_out(t);
    t->bound = true;
    return true;
}

bool cudart_array_layout(cudart_array_t *a, const cuda_channels_t *channels)
{
    a->channels = *channels;
    return cudart_texel_format(channels, &a->texels) && lay_out(a);
}

cuda_error_t cudaMalloc3DArray(void **array, const cuda_channels_t *channels, cuda_extent_t extent,
                               unsigned flags)
{
    cudart_array_t a = {.extent = extent, .flags = flags};

    if (array == NULL || channels == NULL || !cudart_array_layout(&a, channels))
        return cudart_leave(cudart_enter_context(), CUDA_ERROR_INVALID_VALUE);
    cudart_state_t *s = cudart_enter_context();
    a.texels.addr = cudart_alloc(s, a.texels.slice * a.texels.size[2] * a.texels.n_layers);
    if (a.texels.addr == 0)
        return cudart_leave(s, CUDA_ERROR_MEMORY_ALLOCATION);
    *array = rb_calloc(1, sizeof(a));
    memcpy(*array, &a, sizeof(a));
    cudart_object_add(*array);
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaMallocArray(void **array, const cuda_channels_t *channels, size_t width,
                             size_t height, unsigned flags)
{
    return cudaMalloc3DArray(array, channels, (cuda_extent_t){width, height, 0}, flags);
}

cuda_error_t cudaFreeArray(void *array)
{
    cudart_state_t *s = cudart_enter_context();
    cudart_array_t *a = array;

    if (a != NULL && !cudart_is_object(a))
        return cudart_leave(s, CUDA_ERROR_INVALID_HANDLE);
    if (a != NULL && a->part)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (a != NULL && !emu_mem_release(&s->mem, a->texels.addr))
        return cudart_leave(s, CUDA_ERROR_INVALID_HANDLE);
    cudart_object_end(a);
    free(a);
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaMalloc3D(cuda_pitched_t *p, cuda_extent_t extent)
{
    cudart_state_t *s = cudart_enter_context();
    size_t pitch = (extent.width + EMU_ALLOC_BYTES - 1) / EMU_ALLOC_BYTES * EMU_ALLOC_BYTES;
    size_t bytes;
    const bool fits = pitch >= extent.width &&
                      !__builtin_mul_overflow(pitch, extent.height, &bytes) &&
                      !__builtin_mul_overflow(bytes, extent.depth, &bytes);

    if (p == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    const uint64_t addr = fits ? cudart_alloc(s, bytes) : 0;
    if (addr == 0)
        return cudart_leave(s, CUDA_ERROR_MEMORY_ALLOCATION);
    *p = (cuda_pitched_t){(void *)(uintptr_t)addr, pitch, extent.width, extent.height};
    return cudart_leave(s, CUDA_SUCCESS);
}

/* --- copies ---------------------------------------------------------------------------------- */

/* One side of a copy: its first byte, and the distances between rows and slices in bytes. */
typedef struct {
    uint8_t *first;
    size_t pitch, slice;
} box_t;

static box_t box_of_array(const cudart_array_t *a, size_t x_bytes, size_t y, size_t z)
{
    const emu_texture_t *t = &a->texels;
    uint64_t addr = t->addr + z * t->slice + y * t->pitch + x_bytes;

    return (box_t){(uint8_t *)(uintptr_t)addr, t->pitch, t->slice};
}

/* Whether a box (width in bytes, rows, slices) at this position is inside the array. */
static bool fits(const cudart_array_t *a, size_t x_bytes, size_t y, size_t z, cuda_extent_t box)
{
    const emu_texture_t *t = &a->texels;
    size_t width = (size_t)t->size[0] * emu_texel_bytes(t);
    size_t depth = (size_t)t->size[2] * t->n_layers;

    return x_bytes <= width && box.width <= width - x_bytes && y <= t->size[1] &&
           box.height <= t->size[1] - y && z <= depth && box.depth <= depth - z;
}

/* Copies a box whose width is in bytes. */
static cuda_error_t copy_box(cudart_state_t *s, box_t to, box_t from, cuda_extent_t box, int kind)
{
    cuda_error_t e = CUDA_SUCCESS;

    for (size_t z = 0; z < box.depth && e == CUDA_SUCCESS; z++)
        for (size_t y = 0; y < box.height && e == CUDA_SUCCESS; y++)
            e = cudart_copy(s, to.first + z * to.slice + y * to.pitch,
                            from.first + z * from.slice + y * from.pitch, box.width, kind);
    return e;
}

static bool is_empty(cuda_extent_t box)
{
    return box.width == 0 || box.height == 0 || box.depth == 0;
}

/* count units more than *sum; false: it overflows. */
static bool add(size_t *sum, size_t count, size_t unit)
{
    size_t more;

    return !__builtin_mul_overflow(count, unit, &more) && !__builtin_add_overflow(*sum, more, sum);
}

/* Whether the addresses up to the end of a box can be counted. */
static bool countable(const cuda_pitched_t *p, size_t slice, cuda_extent_t pos, cuda_extent_t box)
{
    size_t end = (uintptr_t)p->p;

    return add(&end, pos.depth, slice) && add(&end, box.depth, slice) &&
           add(&end, pos.height, p->pitch) && add(&end, box.height, p->pitch) &&
           add(&end, pos.width, 1) && add(&end, box.width, 1);
}

/* A box in memory. */
static cuda_error_t side_in_memory(const cuda_pitched_t *p, cuda_extent_t pos, cuda_extent_t box,
                                   box_t *out)
{
    size_t slice;

    if (p->p == NULL || __builtin_mul_overflow(p->pitch, p->ysize, &slice) ||
        !countable(p, slice, pos, box))
        return CUDA_ERROR_INVALID_VALUE;
    if (box.width > p->pitch && (box.height > 1 || box.depth > 1))
        return CUDA_ERROR_INVALID_PITCH;
    *out = (box_t){(uint8_t *)p->p + pos.depth * slice + pos.height * p->pitch + pos.width,
                   p->pitch, slice};
    return CUDA_SUCCESS;
}

/* One side of a three-dimensional copy. */
static cuda_error_t side_of(const cudart_array_t *a, const cuda_pitched_t *p, cuda_extent_t pos,
                            cuda_extent_t box, box_t *out)
{
    size_t x;

    if (a == NULL)
        return side_in_memory(p, pos, box, out);
    if (!cudart_is_object(a) ||
        __builtin_mul_overflow(pos.width, emu_texel_bytes(&a->texels), &x) ||
        !fits(a, x, pos.height, pos.depth, box))
        return CUDA_ERROR_INVALID_VALUE;
    *out = box_of_array(a, x, pos.height, pos.depth);
    return CUDA_SUCCESS;
}

/* The extent is in texels if an array is involved, otherwise in bytes. */
cuda_error_t cudaMemcpy3D(const cuda_copy3d_t *c)
{
    cudart_state_t *s = cudart_enter_context();
    box_t from, to;

    if (c == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    const cudart_array_t *any = c->from_array != NULL ? c->from_array : c->to_array;
    cuda_extent_t box = c->extent;
    if (is_empty(box))
        return cudart_leave(s, CUDA_SUCCESS);
    if (any != NULL && !cudart_is_object(any))
        return cudart_leave(s, CUDA_ERROR_INVALID_HANDLE);
    if (any != NULL && __builtin_mul_overflow(box.width, emu_texel_bytes(&any->texels), &box.width))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    cuda_error_t e = side_of(c->from_array, &c->from, c->from_pos, box, &from);
    if (e == CUDA_SUCCESS)
        e = side_of(c->to_array, &c->to, c->to_pos, box, &to);
    return cudart_leave(s, e == CUDA_SUCCESS ? copy_box(s, to, from, box, c->kind) : e);
}

cuda_error_t cudaMemcpy3DAsync(const cuda_copy3d_t *c, cuda_stream_t stream)
{
    cuda_error_t e;

    if (c == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    if (cudart_capture(stream, &(cudart_node_t){.type = CUDA_NODE_COPY, .copy = *c}, &e))
        return e;
    return CUDART_ON(stream, cudaMemcpy3D(c));
}

cuda_error_t cudaMemset3D(cuda_pitched_t p, int value, cuda_extent_t extent)
{
    cudart_state_t *s = cudart_enter_context();
    box_t box;

    if (is_empty(extent))
        return cudart_leave(s, CUDA_SUCCESS);
    if (side_in_memory(&p, (cuda_extent_t){0}, extent, &box) != CUDA_SUCCESS)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    for (size_t z = 0; z < extent.depth; z++)
        for (size_t y = 0; y < extent.height; y++) {
            uint8_t *row = box.first + z * box.slice + y * box.pitch;
            if (!cudart_legal(s, row, extent.width, true))
                return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
            memset(row, value, extent.width);
        }
    cudart_order_set(p.p, extent.width * extent.height * extent.depth);
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaMemset3DAsync(cuda_pitched_t p, int value, cuda_extent_t extent,
                               cuda_stream_t stream)
{
    return CUDART_ON(stream, cudaMemset3D(p, value, extent));
}

/* Copies rows between memory and an array (x in bytes). */
static cuda_error_t copy_rows(const cudart_array_t *a, size_t x, size_t y, void *p, size_t pitch,
                              size_t width, size_t height, int kind, bool to_array)
{
    cudart_state_t *s = cudart_enter_context();
    cuda_extent_t box = {width, height, 1};
    box_t memory;

    if (!cudart_is_object(a) || !fits(a, x, y, 0, box))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (is_empty(box))
        return cudart_leave(s, CUDA_SUCCESS);
    const cuda_error_t e = side_in_memory(&(cuda_pitched_t){p, pitch, width, height},
                                          (cuda_extent_t){0}, box, &memory);
    if (e != CUDA_SUCCESS)
        return cudart_leave(s, e);
    box_t texels = box_of_array(a, x, y, 0);
    return cudart_leave(
        s, copy_box(s, to_array ? texels : memory, to_array ? memory : texels, box, kind));
}

cuda_error_t cudaMemcpy2DToArray(void *array, size_t x, size_t y, const void *from, size_t pitch,
                                 size_t width, size_t height, int kind)
{
    return copy_rows(array, x, y, (void *)(uintptr_t)from, pitch, width, height, kind, true);
}

cuda_error_t cudaMemcpy2DToArrayAsync(void *array, size_t x, size_t y, const void *from,
                                      size_t pitch, size_t width, size_t height, int kind,
                                      cuda_stream_t stream)
{
    return CUDART_ON(stream, cudaMemcpy2DToArray(array, x, y, from, pitch, width, height, kind));
}

cuda_error_t cudaMemcpy2DFromArray(void *to, size_t pitch, const void *array, size_t x, size_t y,
                                   size_t width, size_t height, int kind)
{
    return copy_rows(array, x, y, to, pitch, width, height, kind, false);
}

cuda_error_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const void *array, size_t x,
                                        size_t y, size_t width, size_t height, int kind,
                                        cuda_stream_t stream)
{
    return CUDART_ON(stream, cudaMemcpy2DFromArray(to, pitch, array, x, y, width, height, kind));
}

cuda_error_t cudaMemcpy2DArrayToArray(void *to, size_t to_x, size_t to_y, const void *from,
                                      size_t from_x, size_t from_y, size_t width, size_t height,
                                      int kind)
{
    cudart_state_t *s = cudart_enter_context();
    cuda_extent_t box = {width, height, 1};

    if (!cudart_is_object(to) || !cudart_is_object(from) || !fits(to, to_x, to_y, 0, box) ||
        !fits(from, from_x, from_y, 0, box))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    return cudart_leave(s, copy_box(s, box_of_array(to, to_x, to_y, 0),
                                    box_of_array(from, from_x, from_y, 0), box, kind));
}

/* Copies n consecutive bytes of an array, which may span rows, from a position on (x in bytes). */
static cuda_error_t copy_run(const cudart_array_t *a, size_t x, size_t y, uint8_t *p, size_t n,
                             int kind, bool to_array)
{
    const bool there = cudart_is_object(a);
    size_t width = there ? (size_t)a->texels.size[0] * emu_texel_bytes(&a->texels) : 0;
    cuda_error_t e = cudart_fail_if(!there || (x >= width && n > 0));

    while (n > 0 && e == CUDA_SUCCESS) {
        size_t part = n < width - x ? n : width - x;
        e = copy_rows(a, x, y, p, part, part, 1, kind, to_array);
        p += part;
        n -= part;
        x = 0;
        y++;
    }
    return e;
}

cuda_error_t cudaMemcpyToArray(void *array, size_t x, size_t y, const void *from, size_t n,
                               int kind)
{
    return copy_run(array, x, y, (uint8_t *)(uintptr_t)from, n, kind, true);
}

cuda_error_t cudaMemcpyToArrayAsync(void *array, size_t x, size_t y, const void *from, size_t n,
                                    int kind, cuda_stream_t stream)
{
    return CUDART_ON(stream, cudaMemcpyToArray(array, x, y, from, n, kind));
}

cuda_error_t cudaMemcpyFromArray(void *to, const void *array, size_t x, size_t y, size_t n,
                                 int kind)
{
    return copy_run(array, x, y, to, n, kind, false);
}

cuda_error_t cudaMemcpyFromArrayAsync(void *to, const void *array, size_t x, size_t y, size_t n,
                                      int kind, cuda_stream_t stream)
{
    return CUDART_ON(stream, cudaMemcpyFromArray(to, array, x, y, n, kind));
}
