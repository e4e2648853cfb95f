/* Memory of the runtime in rows, boxes and arrays: what is copied, and what is refused. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/emulator/shown_gpu.h"
#include "tests/support/test.h"

enum { TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3, INVALID_VALUE = 1, SIGNED = 0 };
enum { INVALID_PITCH = 12, INVALID_DIRECTION = 21, INVALID_HANDLE = 400 };
enum { WIDTH = 7, HEIGHT = 4, DEPTH = 3 };

typedef struct {
    int bits[4], kind;
} channels_t;

typedef struct {
    size_t width, height, depth;
} extent_t;

typedef struct {
    void *p;
    size_t pitch, xsize, ysize;
} pitched_t;

/* struct cudaMemcpy3DParms */
typedef struct {
    const void *from_array;
    extent_t from_pos;
    pitched_t from;
    void *to_array;
    extent_t to_pos;
    pitched_t to;
    extent_t extent;
    int kind;
} copy3d_t;

/* struct cudaPointerAttributes */
typedef struct {
    int type, device;
    void *on_device, *on_host;
} attributes_t;

int cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
int cudaMallocHost(void **p, size_t n);
int cudaHostAlloc(void **p, size_t n, unsigned flags);
int cudaMallocManaged(void **p, size_t n, unsigned flags);
int cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
int cudaHostGetFlags(unsigned *flags, void *p);
int cudaPointerGetAttributes(attributes_t *a, const void *p);
int cudaFree(void *p);
int cudaFreeHost(void *p);
int cudaHostRegister(void *p, size_t n, unsigned flags);
int cudaHostUnregister(void *p);
int cudaMalloc(void **p, size_t n);
int cuMemAlloc_v2(uintptr_t *p, size_t n);
int cuMemAllocManaged(uintptr_t *p, size_t n, unsigned flags);
int cuMemFree_v2(uintptr_t p);
int cuMemHostGetDevicePointer_v2(uintptr_t *p, void *host, unsigned flags);
int cuPointerGetAttribute(void *value, int attribute, uintptr_t p);
int cuMemsetD2D32_v2(uintptr_t p, size_t pitch, unsigned value, size_t width, size_t height);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaMemset(void *p, int value, size_t n);
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind);
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int kind, void *stream);
int cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height);
int cudaMalloc3D(pitched_t *p, extent_t extent);
int cudaMemset3D(pitched_t p, int value, extent_t extent);
int cudaMemset3DAsync(pitched_t p, int value, extent_t extent, void *stream);
int cudaMemcpy3D(const copy3d_t *c);
int cudaMemcpy3DAsync(const copy3d_t *c, void *stream);
channels_t cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
int cudaGetChannelDesc(channels_t *channels, const void *array);
int cudaMallocArray(void **array, const channels_t *channels, size_t width, size_t height,
                    unsigned flags);
int cudaMalloc3DArray(void **array, const channels_t *channels, extent_t extent, unsigned flags);
int cudaFreeArray(void *array);
int cudaMemcpyToArray(void *array, size_t x, size_t y, const void *from, size_t n, int kind);
int cudaMemcpyToArrayAsync(void *array, size_t x, size_t y, const void *from, size_t n, int kind,
                           void *stream);
int cudaMemcpyFromArray(void *to, const void *array, size_t x, size_t y, size_t n, int kind);
int cudaMemcpyFromArrayAsync(void *to, const void *array, size_t x, size_t y, size_t n, int kind,
                             void *stream);
int cudaMemcpy2DToArrayAsync(void *array, size_t x, size_t y, const void *from, size_t pitch,
                             size_t width, size_t height, int kind, void *stream);
int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const void *array, size_t x, size_t y,
                               size_t width, size_t height, int kind, void *stream);
int cudaMemcpy2DArrayToArray(void *to, size_t to_x, size_t to_y, const void *from, size_t from_x,
                             size_t from_y, size_t width, size_t height, int kind);

static const channels_t words = {{32, 0, 0, 0}, SIGNED};

/* Numbers that differ from place to place. */
static void number(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 37 + 11);
}

static void rows_are_copied_without_what_lies_between_them(void **state)
{
    uint8_t from[HEIGHT][WIDTH], to[HEIGHT][WIDTH + 2];
    void *p;
    size_t pitch;

    (void)state;
    number(from[0], sizeof(from));
    assert_int_equal(cudaMallocPitch(&p, &pitch, WIDTH, HEIGHT), 0);
    assert_true(pitch >= WIDTH && pitch % 512 == 0);
    assert_int_equal(cudaMemset2D(p, pitch, 9, pitch, HEIGHT), 0);
    assert_int_equal(cudaMemcpy2D(p, pitch, from, WIDTH, WIDTH, HEIGHT, TO_DEVICE), 0);
    assert_int_equal(cudaMemset2D((char *)p + pitch, pitch, 5, WIDTH - 1, 1), 0);
    memset(to, 1, sizeof(to));
    assert_int_equal(cudaMemcpy2DAsync(to, WIDTH + 2, p, pitch, WIDTH + 1, HEIGHT, TO_HOST, NULL),
                     0);
    memset(from[1], 5, WIDTH - 1);
    for (unsigned y = 0; y < HEIGHT; y++) {
        assert_memory_equal(to[y], from[y], WIDTH);
        assert_int_equal(to[y][WIDTH], 9);     /* between the rows on the card */
        assert_int_equal(to[y][WIDTH + 1], 1); /* between those of the host */
    }
    assert_int_equal(cudaMemcpy2D(to, WIDTH - 1, p, pitch, WIDTH, 1, TO_HOST), INVALID_PITCH);
    assert_int_equal(cudaMemcpy2D(p, pitch, from, WIDTH, WIDTH, HEIGHT, 77), INVALID_DIRECTION);
    assert_int_equal(cudaMemset2D(to, WIDTH, 0, WIDTH, 1), INVALID_VALUE); /* not the card's */
    assert_int_equal(cudaFree(p), 0);
    assert_int_equal(cudaFree(p), INVALID_VALUE);
}

static void memory_of_the_host_is_known_as_such(void **state)
{
    void *p[3], *device;
    unsigned flags;
    attributes_t a;
    int here;

    (void)state;
    assert_int_equal(cudaMallocHost(&p[0], 100), 0);
    assert_int_equal(cudaHostAlloc(&p[1], 100, 0), 0);
    assert_int_equal(cudaMallocManaged(&p[2], 100, 1), 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(cudaHostGetDevicePointer(&device, p[i], 0), 0);
        assert_ptr_equal(device, p[i]);
        assert_int_equal(cudaHostGetFlags(&flags, p[i]), 0);
        assert_int_equal(cudaPointerGetAttributes(&a, p[i]), 0);
        assert_ptr_equal(a.on_device, p[i]);
        assert_int_equal(cudaFreeHost(p[i]), 0);
    }
    assert_int_equal(cudaHostGetDevicePointer(&device, &here, 0), INVALID_VALUE);
    assert_int_equal(cudaHostGetFlags(&flags, &here), INVALID_VALUE);
    assert_int_equal(cudaPointerGetAttributes(&a, &here), 0);
    assert_null(a.on_device);
    assert_int_equal(a.type, 0);
}

static void boxes_are_copied_from_place_to_place(void **state)
{
    uint8_t from[DEPTH][HEIGHT][WIDTH], to[DEPTH][HEIGHT][WIDTH];
    pitched_t p;
    const extent_t all = {WIDTH, HEIGHT, DEPTH}, box = {2, 3, 2};

    (void)state;
    number(from[0][0], sizeof(from));
    memset(to, 0, sizeof(to));
    assert_int_equal(cudaMalloc3D(&p, all), 0);
    assert_int_equal(cudaMemset3D(p, 1, all), 0);
    assert_int_equal(cudaMemset3DAsync(p, 7, box, NULL), 0);
    copy3d_t in = {.from = {from, WIDTH, WIDTH, HEIGHT},
                   .from_pos = {4, 1, 1},
                   .to = p,
                   .to_pos = {5, 1, 1},
                   .extent = box,
                   .kind = TO_DEVICE};
    assert_int_equal(cudaMemcpy3D(&in), 0);
    const copy3d_t out = {
        .from = p, .to = {to, WIDTH, WIDTH, HEIGHT}, .extent = all, .kind = TO_HOST};
    assert_int_equal(cudaMemcpy3DAsync(&out, NULL), 0);
    for (unsigned z = 0; z < DEPTH; z++)
        for (unsigned y = 0; y < HEIGHT; y++)
            for (unsigned x = 0; x < WIDTH; x++) {
                bool copied = x >= 5 && y >= 1 && z >= 1, set = x < 2 && y < 3 && z < 2;
                assert_int_equal(to[z][y][x], copied ? from[z][y][x - 1] : set ? 7 : 1);
            }
    in.to.p = NULL;
    assert_int_equal(cudaMemcpy3D(&in), INVALID_VALUE);
    assert_int_equal(cudaMemset3D((pitched_t){to, WIDTH, WIDTH, HEIGHT}, 0, all), INVALID_VALUE);
    assert_int_equal(cudaFree(p.p), 0);
}

static void arrays_take_and_give_texels(void **state)
{
    uint32_t from[HEIGHT][WIDTH], to[HEIGHT][WIDTH];
    void *a, *b;
    channels_t c;

    (void)state;
    number((uint8_t *)from, sizeof(from));
    c = cudaCreateChannelDesc(32, 0, 0, 0, SIGNED);
    assert_memory_equal(&c, &words, sizeof(c));
    assert_int_equal(cudaMallocArray(&a, &words, WIDTH, HEIGHT, 0), 0);
    assert_int_equal(cudaMallocArray(&b, &words, WIDTH, HEIGHT, 0), 0);
    assert_int_equal(cudaGetChannelDesc(&c, a), 0);
    assert_memory_equal(&c, &words, sizeof(c));
    assert_int_equal(cudaMemcpyToArray(a, 0, 0, from, sizeof(from), TO_DEVICE), 0);
    /* From the middle of a row on, over its end. */
    assert_int_equal(cudaMemcpyFromArray(to, a, 12, 1, 40, TO_HOST), 0);
    assert_memory_equal(to, (uint8_t *)from[1] + 12, 40);
    assert_int_equal(cudaMemcpy2DArrayToArray(b, 4, 1, a, 8, 0, 12, 2, ON_DEVICE), 0);
    assert_int_equal(
        cudaMemcpy2DToArrayAsync(b, 0, 3, from, sizeof(from[0]), 8, 1, TO_DEVICE, NULL), 0);
    assert_int_equal(cudaMemcpy2DFromArrayAsync(to, sizeof(to[0]), b, 0, 0, sizeof(to[0]), HEIGHT,
                                                TO_HOST, NULL),
                     0);
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH; x++) {
            bool copied = x >= 1 && x < 4 && (y == 1 || y == 2), row = y == 3 && x < 2;
            uint32_t expected = copied ? from[y - 1][x + 1] : row ? from[0][x] : 0;
            assert_int_equal(to[y][x], expected);
        }
    assert_int_equal(cudaFreeArray(a), 0);
    assert_int_equal(cudaFreeArray(b), 0);
    assert_int_equal(cudaFreeArray(NULL), 0);
}

static void what_is_outside_of_an_array_is_refused(void **state)
{
    uint32_t texels[HEIGHT][WIDTH] = {{0}};
    const size_t row = sizeof(texels[0]);
    void *a;
    channels_t c;

    (void)state;
    assert_int_equal(cudaMallocArray(&a, &words, WIDTH, HEIGHT, 0), 0);
    assert_int_equal(cudaMemcpyToArrayAsync(a, 4, 0, texels, HEIGHT * row, TO_DEVICE, NULL),
                     INVALID_VALUE);
    assert_int_equal(cudaMemcpyFromArrayAsync(texels, a, row, 0, 1, TO_HOST, NULL), INVALID_VALUE);
    assert_int_equal(cudaMemcpy2DToArrayAsync(a, 4, 0, texels, row, row, 1, TO_DEVICE, NULL),
                     INVALID_VALUE);
    assert_int_equal(cudaMemcpy2DFromArrayAsync(texels, row, a, 0, 1, row, HEIGHT, TO_HOST, NULL),
                     INVALID_VALUE);
    assert_int_equal(cudaMemcpy2DArrayToArray(a, 0, 0, NULL, 0, 0, 4, 1, ON_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy2DArrayToArray(a, 0, HEIGHT, a, 0, 0, 4, 1, ON_DEVICE),
                     INVALID_VALUE);
    const copy3d_t deep = {.from = {texels, row, WIDTH, HEIGHT},
                           .to_array = a,
                           .to_pos = {0, 0, 1},
                           .extent = {1, 1, 1},
                           .kind = TO_DEVICE};
    assert_int_equal(cudaMemcpy3D(&deep), INVALID_VALUE);
    assert_int_equal(cudaFreeArray(a), 0);
    assert_int_equal(cudaFreeArray(a), INVALID_HANDLE); /* it is none now */
    assert_int_equal(cudaGetChannelDesc(&c, a), INVALID_HANDLE);
    assert_int_equal(cudaMemcpyToArray(a, 0, 0, texels, row, TO_DEVICE), INVALID_VALUE);
    assert_int_equal(cudaMemcpy3D(&deep), INVALID_HANDLE);
    assert_true(cudaGetChannelDesc(&c, NULL) != 0);
}

static void formats_and_sizes_that_no_card_has_are_refused(void **state)
{
    static const channels_t bad[] = {{{0, 0, 0, 0}, SIGNED},   {{32, 32, 32, 0}, SIGNED},
                                     {{32, 16, 0, 0}, SIGNED}, {{24, 0, 0, 0}, SIGNED},
                                     {{8, 0, 0, 0}, 2},        {{32, 0, 0, 0}, 7}};
    void *a;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(cudaMallocArray(&a, &bad[i], WIDTH, HEIGHT, 0), INVALID_VALUE);
    assert_int_equal(cudaMallocArray(&a, &words, 0, HEIGHT, 0), INVALID_VALUE);
    assert_int_equal(cudaMallocArray(&a, NULL, WIDTH, HEIGHT, 0), INVALID_VALUE);
    assert_int_equal(cudaMalloc3DArray(&a, &words, (extent_t){1, 1, 1 << 20}, 0), INVALID_VALUE);
}

static void memory_has_its_type(void **state)
{
    enum { UNREGISTERED, HOST, DEVICE, MANAGED, REGISTERED = 712, NOT_REGISTERED = 713 };
    void *card, *pinned, *managed, *device = NULL;
    static char own[256];
    attributes_t a;

    (void)state;
    assert_int_equal(cudaMalloc(&card, 100), 0);
    assert_int_equal(cudaMallocHost(&pinned, 100), 0);
    assert_int_equal(cudaMallocManaged(&managed, 100, 1), 0);
    const struct {
        void *p;
        int type;
    } expected[] = {{card, DEVICE}, {pinned, HOST}, {managed, MANAGED}, {own, UNREGISTERED}};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(cudaPointerGetAttributes(&a, expected[i].p), 0);
        assert_int_equal(a.type, expected[i].type);
    }
    assert_int_equal(cudaHostUnregister(own), NOT_REGISTERED);
    assert_int_equal(cudaHostRegister(own, sizeof(own), 2), 0);
    assert_int_equal(cudaHostRegister(own + 100, 1, 2), REGISTERED);
    assert_int_equal(cudaPointerGetAttributes(&a, own + 255), 0);
    assert_int_equal(a.type, HOST);
    assert_int_equal(cudaHostGetDevicePointer(&device, own, 0), 0);
    assert_ptr_equal(device, own);
    assert_int_equal(cudaHostUnregister(own), 0);
    assert_int_equal(cudaHostGetDevicePointer(&device, own, 0), INVALID_VALUE);
}

/* Programs that free and allocate in a loop use the same lines again, as on a card. */
static void freed_places_are_taken_first(void **state)
{
    void *p[3], *again;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(cudaMalloc(&p[i], 5000), 0);
    assert_int_equal(cudaFree(p[0]), 0);
    assert_int_equal(cudaFree(p[2]), 0);
    assert_int_equal(cudaMalloc(&again, 5000), 0);
    assert_ptr_equal(again, p[0]);
    assert_int_equal(cudaMalloc(&again, 5000), 0);
    assert_ptr_equal(again, p[2]);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(cudaFree(p[i]), 0);
}

/* The accesses of kernels and copies are checked by pages: the first byte behind the last page of an
 * allocation is refused, and the last one of the page is not. */
static void copies_end_where_legal_pages_do(void **state)
{
    enum { BYTES = 1 << 20, BEYOND = 1 << 23, PAGE = 4096 };
    size_t good = BYTES, bad = BEYOND;
    void *p;

    (void)state;
    assert_int_equal(cudaMalloc(&p, BYTES), 0);
    assert_int_equal(cudaMemcpy(p, p, bad, ON_DEVICE), INVALID_VALUE);
    while (bad - good > 1) {
        const size_t n = good + (bad - good) / 2;
        if (cudaMemcpy(p, p, n, ON_DEVICE) == 0)
            good = n;
        else
            bad = n;
    }
    assert_int_equal(((uintptr_t)p + good) % PAGE, 0);
    assert_int_equal(cudaMemset(p, 1, good), 0);
    assert_int_equal(cudaMemset(p, 1, bad), INVALID_VALUE);
    assert_int_equal(cudaFree(p), 0);
}

static void sizes_that_overflow_are_refused(void **state)
{
    const size_t half = (size_t)1 << 63;
    size_t pitch;
    pitched_t box;
    char byte = 0;
    void *p;

    (void)state;
    assert_int_not_equal(cudaMallocPitch(&p, &pitch, SIZE_MAX, 1), 0);
    assert_int_not_equal(cudaMallocPitch(&p, &pitch, 512, half), 0);
    assert_int_not_equal(cudaMalloc3D(&box, (extent_t){512, half, 2}), 0);
    assert_int_equal(cudaMemcpy2D(&byte, half, &byte, half, 1, 2, 0), INVALID_VALUE);
    assert_int_equal(cudaMemcpy2D(&byte, 1, &byte, 1, 0, SIZE_MAX, 0), 0); /* nothing */
}

static void boxes_that_overflow_are_refused(void **state)
{
    const size_t half = (size_t)1 << 63;
    const extent_t point = {1, 1, 1};
    uint8_t before[512], after[512];
    void *p, *array;

    (void)state;
    assert_int_equal(cudaMalloc(&p, 512), 0);
    assert_int_equal(cudaMallocArray(&array, &words, WIDTH, HEIGHT, 0), 0);
    number(before, sizeof(before));
    assert_int_equal(cudaMemcpy2D(p, 512, before, 512, 512, 1, TO_DEVICE), 0);
    assert_int_equal(cudaMemset2D(p, half, 0, 1, 3), INVALID_VALUE); /* back to p */
    assert_int_equal(cudaMemset2D(p, 4, 0, 5, 2), INVALID_VALUE);    /* overlapping rows */
    assert_int_equal(cuMemsetD2D32_v2((uintptr_t)p, half, 0, half / 2, 1), INVALID_VALUE);
    assert_int_equal(cudaMemset2D(p, 1, 0, 0, SIZE_MAX), 0); /* nothing */
    assert_int_equal(cudaMemset3D((pitched_t){p, half, 1, 2}, 0, (extent_t){1, 1, 2}),
                     INVALID_VALUE);
    assert_int_equal(cudaMemset3D((pitched_t){p, 4, 4, 1}, 0, (extent_t){5, 2, 1}), INVALID_VALUE);
    assert_int_equal(cudaMemset3D((pitched_t){p, 4, 4, 1}, 0, (extent_t){0, SIZE_MAX, SIZE_MAX}),
                     0);
    const copy3d_t within = {.from = {before, 1, 1, 1}, .to = {p, 1, 1, 1}, .kind = TO_DEVICE};
    copy3d_t c[4] = {within, within, within, within};
    c[0].extent = (extent_t){1, 1, SIZE_MAX};
    c[1].extent = (extent_t){1, 2, 2};
    c[1].to = (pitched_t){p, half, 1, 2};
    c[2].extent = point;
    c[2].from_pos = (extent_t){0, half, half};
    c[3].extent = (extent_t){half / 2, 1, 1}; /* texels of four bytes */
    c[3].to_array = array;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(cudaMemcpy3D(&c[i]), INVALID_VALUE);
    c[3].extent = point;
    c[3].to_pos = (extent_t){half / 2, 0, 0};
    assert_int_equal(cudaMemcpy3D(&c[3]), INVALID_VALUE);
    c[2] = within;
    c[2].extent = (extent_t){2, 2, 1};
    assert_int_equal(cudaMemcpy3D(&c[2]), INVALID_PITCH);
    assert_int_equal(cudaMemcpy2D(after, 512, p, 512, 512, 1, TO_HOST), 0);
    assert_memory_equal(after, before, sizeof(before));
    assert_int_equal(cudaFreeArray(array), 0);
    assert_int_equal(cudaFree(p), 0);
}

/* What the manuals say of nothing. */
static void allocations_of_nothing(void **state)
{
    void *p = &p;
    uintptr_t at;

    (void)state;
    assert_int_equal(cudaMalloc(&p, 0), 0);
    assert_null(p);
    assert_int_equal(cudaFree(p), 0);
    assert_int_equal(cudaMallocManaged(&p, 0, 1), INVALID_VALUE);
    assert_int_equal(cudaMallocManaged(&p, 4, 0), INVALID_VALUE);
    assert_int_equal(cudaHostAlloc(&p, 4, 8), INVALID_VALUE);
    assert_int_equal(cuMemAlloc_v2(&at, 0), INVALID_VALUE);
    assert_int_equal(cuMemAllocManaged(&at, 0, 1), INVALID_VALUE);
    assert_int_equal(cuMemFree_v2(0), INVALID_VALUE);
}

/* The driver's answers about memory of each type. */
static void the_driver_knows_types_of_memory(void **state)
{
    enum { MEMORY_TYPE = 2, IS_MANAGED = 8, HOST = 1, DEVICE = 2 };
    static char own[64];
    void *card, *pinned;
    uintptr_t managed, at = 0;

    (void)state;
    assert_int_equal(cudaMalloc(&card, 100), 0);
    assert_int_equal(cudaMallocHost(&pinned, 100), 0);
    assert_int_equal(cuMemAllocManaged(&managed, 100, 1), 0);
    assert_int_equal(cudaHostRegister(own, sizeof(own), 0), 0);
    const struct {
        uintptr_t p;
        int type, managed;
    } expected[] = {{(uintptr_t)card, DEVICE, 0},
                    {(uintptr_t)pinned, HOST, 0},
                    {managed, DEVICE, 1},
                    {(uintptr_t)own, HOST, 0}};
    for (unsigned i = 0; i < 4; i++) {
        int type = 0, is_managed = -1;
        assert_int_equal(cuPointerGetAttribute(&type, MEMORY_TYPE, expected[i].p), 0);
        assert_int_equal(type, expected[i].type);
        assert_int_equal(cuPointerGetAttribute(&is_managed, IS_MANAGED, expected[i].p), 0);
        assert_int_equal(is_managed & 1, expected[i].managed);
    }
    assert_int_equal(cuMemHostGetDevicePointer_v2(&at, own + 5, 0), 0);
    assert_ptr_equal((void *)at, own + 5);
    assert_int_equal(cudaHostUnregister(own), 0);
    assert_int_equal(cuMemHostGetDevicePointer_v2(&at, own, 0), INVALID_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_has_its_type),
        cmocka_unit_test(freed_places_are_taken_first),
        cmocka_unit_test(copies_end_where_legal_pages_do),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(boxes_that_overflow_are_refused),
        cmocka_unit_test(allocations_of_nothing),
        cmocka_unit_test(the_driver_knows_types_of_memory),
        cmocka_unit_test(rows_are_copied_without_what_lies_between_them),
        cmocka_unit_test(memory_of_the_host_is_known_as_such),
        cmocka_unit_test(boxes_are_copied_from_place_to_place),
        cmocka_unit_test(arrays_take_and_give_texels),
        cmocka_unit_test(what_is_outside_of_an_array_is_refused),
        cmocka_unit_test(formats_and_sizes_that_no_card_has_are_refused),
    };

    show_gpu("rtx2060");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
