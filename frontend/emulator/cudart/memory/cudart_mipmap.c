/* Mipmapped arrays: levels are contiguous in memory, and each is available as an array. */
#include <stdlib.h>

#include "frontend/emulator/cudart/cudart_array.h"
#include "frontend/emulator/cudart/cudart_handle.h"
#include "sim/core/alloc.h"

/* The object behind a cudaMipmappedArray_t. */
typedef struct {
    cudart_array_t whole; /* textures refer to this one */
    cudart_array_t level[EMU_TEX_LEVELS];
} cudart_mipmap_t;

/* The number of levels down to one texel. */
static unsigned most_levels(const emu_texture_t *t)
{
    uint32_t side = 1;
    unsigned n = 0;

    for (unsigned i = 0; i < 3; i++)
        side = t->size[i] > side ? t->size[i] : side;
    for (; side > 0 && n < EMU_TEX_LEVELS; side /= 2)
        n++;
    return n;
}

static size_t halved(size_t n, unsigned level)
{
    return n == 0 || n >> level > 0 ? n >> level : 1;
}

static void make_levels(cudart_mipmap_t *m)
{
    const cudart_array_t *w = &m->whole;
    const bool layered = w->texels.n_layers > 1;

    for (unsigned i = 0; i < w->texels.n_levels; i++) {
        m->level[i] = *w;
        m->level[i].part = true;
        cudart_object_add(&m->level[i]);
        m->level[i].texels = emu_texture_level(&w->texels, i);
        m->level[i].extent =
            (cuda_extent_t){halved(w->extent.width, i), halved(w->extent.height, i),
                            layered ? w->extent.depth : halved(w->extent.depth, i)};
    }
}

cuda_error_t cudaMallocMipmappedArray(void **mipmap, const cuda_channels_t *channels,
                                      cuda_extent_t extent, unsigned n_levels, unsigned flags)
{
    cudart_array_t a = {.extent = extent, .flags = flags};

    if (mipmap == NULL || channels == NULL || !cudart_array_layout(&a, channels))
        return cudart_leave(cudart_enter_context(), CUDA_ERROR_INVALID_VALUE);
    const unsigned most = most_levels(&a.texels);
    a.texels.n_levels = (uint8_t)(n_levels == 0 ? 1 : n_levels < most ? n_levels : most);
    cudart_state_t *s = cudart_enter_context();
    a.texels.addr = cudart_alloc(s, emu_texture_level(&a.texels, a.texels.n_levels).addr);
    if (a.texels.addr == 0)
        return cudart_leave(s, CUDA_ERROR_MEMORY_ALLOCATION);
    cudart_mipmap_t *m = rb_calloc(1, sizeof(*m));
    m->whole = a;
    make_levels(m);
    cudart_object_add(m);
    *mipmap = m;
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaGetMipmappedArrayLevel(void **array, void *mipmap, unsigned level)
{
    cudart_mipmap_t *m = mipmap;

    if (array == NULL || !cudart_is_object(m) || level >= m->whole.texels.n_levels)
        return cudart_leave(cudart_enter_context(), CUDA_ERROR_INVALID_VALUE);
    *array = &m->level[level];
    return CUDA_SUCCESS;
}

cuda_error_t cudaFreeMipmappedArray(void *mipmap)
{
    cudart_state_t *s = cudart_enter_context();
    cudart_mipmap_t *m = mipmap;

    if (m == NULL)
        return cudart_leave(s, CUDA_SUCCESS);
    if (!cudart_is_object(m) || !emu_mem_release(&s->mem, m->whole.texels.addr))
        return cudart_leave(s, CUDA_ERROR_INVALID_HANDLE);
    for (unsigned i = 0; i < m->whole.texels.n_levels; i++)
        cudart_object_end(&m->level[i]);
    cudart_object_end(m);
    free(m);
    return cudart_leave(s, CUDA_SUCCESS);
}
