/* Mipmaps of the runtime: their levels are arrays, and textures use the whole mipmap. */
#include <stdint.h>

#include "tests/support/emulator/shown_gpu.h"
#include "tests/support/test.h"

enum { WIDTH = 16, HEIGHT = 5, MIPMAPPED = 1, TO_DEVICE = 1, TO_HOST = 2, INVALID_VALUE = 1 };

typedef struct {
    int bits[4], kind;
} channels_t;

typedef struct {
    size_t width, height, depth;
} extent_t;

/* struct cudaResourceDesc, with room for all kinds; struct cudaTextureDesc. */
typedef struct {
    int type;
    void *mipmap;
    uint64_t rest[8];
} resource_t;

typedef struct {
    int address[3], filter, as_float, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int level_filter;
    float bias, lowest, highest;
    int more[4];
} sampling_t;

int cudaMallocMipmappedArray(void **mipmap, const channels_t *channels, extent_t extent,
                             unsigned n_levels, unsigned flags);
int cudaGetMipmappedArrayLevel(void **array, void *mipmap, unsigned level);
int cudaFreeMipmappedArray(void *mipmap);
int cudaFreeArray(void *array);
int cudaArrayGetInfo(channels_t *channels, extent_t *extent, unsigned *flags, void *array);
int cudaMemcpy2DToArray(void *array, size_t x, size_t y, const void *from, size_t pitch,
                        size_t width, size_t height, int kind);
int cudaMemcpy2DFromArray(void *to, size_t pitch, const void *array, size_t x, size_t y,
                          size_t width, size_t height, int kind);
int cudaCreateTextureObject(uint64_t *object, const resource_t *resource,
                            const sampling_t *sampling, const void *view);
int cudaDestroyTextureObject(uint64_t object);

static const channels_t words = {{32, 0, 0, 0}, 1};

/* Data written to a level are read back after all levels have been written. */
static void levels_are_arrays_of_their_own(void **state)
{
    static const extent_t expected[] = {{16, 5, 0}, {8, 2, 0}, {4, 1, 0}, {2, 1, 0}, {1, 1, 0}};
    uint32_t texels[HEIGHT][WIDTH];
    void *mipmap, *level[5];

    (void)state;
    assert_int_equal(cudaMallocMipmappedArray(&mipmap, &words, (extent_t){WIDTH, HEIGHT, 0}, 99, 0),
                     0);
    for (uint32_t i = 0; i < 5; i++) {
        extent_t e;
        assert_int_equal(cudaGetMipmappedArrayLevel(&level[i], mipmap, i), 0);
        assert_int_equal(cudaArrayGetInfo(NULL, &e, NULL, level[i]), 0);
        assert_memory_equal(&e, &expected[i], sizeof(e));
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                texels[y][x] = 1000 * i + WIDTH * y + x;
        assert_int_equal(cudaMemcpy2DToArray(level[i], 0, 0, texels, sizeof(texels[0]), 4 * e.width,
                                             e.height, TO_DEVICE),
                         0);
        assert_int_equal(cudaFreeArray(level[i]), INVALID_VALUE); /* it is freed with the mipmap */
    }
    for (uint32_t i = 0; i < 5; i++) {
        const extent_t e = expected[i];
        assert_int_equal(cudaMemcpy2DFromArray(texels, sizeof(texels[0]), level[i], 0, 0,
                                               4 * e.width, e.height, TO_HOST),
                         0);
        for (uint32_t y = 0; y < e.height; y++)
            for (uint32_t x = 0; x < e.width; x++)
                assert_int_equal(texels[y][x], 1000 * i + WIDTH * y + x);
    }
    assert_int_equal(cudaGetMipmappedArrayLevel(&level[0], mipmap, 5), INVALID_VALUE);
    assert_int_equal(cudaFreeMipmappedArray(mipmap), 0);
}

static void textures_are_made_of_the_whole(void **state)
{
    const sampling_t sampling = {.normalized = 1, .level_filter = 1, .highest = 3};
    resource_t resource = {.type = MIPMAPPED};
    uint64_t object = 0;

    (void)state;
    assert_int_equal(
        cudaMallocMipmappedArray(&resource.mipmap, &words, (extent_t){WIDTH, HEIGHT, 0}, 3, 0), 0);
    assert_int_equal(cudaCreateTextureObject(&object, &resource, &sampling, NULL), 0);
    assert_true(object != 0);
    assert_int_equal(cudaDestroyTextureObject(object), 0);
    assert_int_equal(cudaFreeMipmappedArray(resource.mipmap), 0);
    resource.mipmap = NULL;
    assert_int_equal(cudaCreateTextureObject(&object, &resource, &sampling, NULL), INVALID_VALUE);
    assert_int_equal(
        cudaMallocMipmappedArray(&resource.mipmap, &words, (extent_t){1 << 20, 1, 0}, 3, 0),
        INVALID_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_arrays_of_their_own),
        cmocka_unit_test(textures_are_made_of_the_whole),
    };

    show_gpu("rtx2060");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
