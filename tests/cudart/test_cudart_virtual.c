/* Virtual memory of the driver API: reserved addresses, memory, and their mapping. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/shown_gpu.h"
#include "tests/support/test.h"

typedef uint64_t pointer_t;
typedef struct physical physical_t;
typedef struct {
    int type, handle_types, location_type, device;
    void *security;
    uint8_t flags[8];
} properties_t;
typedef struct {
    int type, device, flags;
} access_t;

int cuInit(unsigned flags);
int cuMemGetAllocationGranularity(size_t *bytes, const properties_t *p, int option);
int cuMemAddressReserve(pointer_t *p, size_t bytes, size_t alignment, pointer_t wanted,
                        uint64_t flags);
int cuMemAddressFree(pointer_t p, size_t bytes);
int cuMemCreate(physical_t **handle, size_t bytes, const properties_t *p, uint64_t flags);
int cuMemRelease(physical_t *handle);
int cuMemMap(pointer_t p, size_t bytes, size_t offset, physical_t *handle, uint64_t flags);
int cuMemUnmap(pointer_t p, size_t bytes);
int cuMemSetAccess(pointer_t p, size_t bytes, const access_t *list, size_t n);
int cuMemGetAccess(uint64_t *flags, const void *location, pointer_t p);
int cuMemRetainAllocationHandle(physical_t **handle, void *p);
int cuMemGetAllocationPropertiesFromHandle(properties_t *p, const physical_t *handle);
int cuMemcpyHtoD_v2(pointer_t to, const void *from, size_t n);
int cuMemcpyDtoH_v2(void *to, pointer_t from, size_t n);
int cuMemsetD32_v2(pointer_t p, unsigned value, size_t n);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
int cuMemAlloc_v2(pointer_t *p, size_t n);
int cuMemFree_v2(pointer_t p);

enum { M = 2 << 20, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101 };
static const properties_t on_device = {.type = 1, .location_type = 1};
static const access_t all = {1, 0, 3}, none = {1, 0, 0};

static uint64_t left(void)
{
    size_t free_bytes, total;

    assert_int_equal(cuMemGetInfo_v2(&free_bytes, &total), 0);
    return free_bytes;
}

static unsigned word_at(pointer_t p)
{
    unsigned word = 0;

    assert_int_equal(cuMemcpyDtoH_v2(&word, p, sizeof(word)), 0);
    return word;
}

static void memory_is_seen_where_it_is_mapped(void **state)
{
    pointer_t p, q;
    physical_t *h, *same;
    uint64_t before = left(), flags = 0;
    unsigned word = 77;
    properties_t got;

    (void)state;
    assert_int_equal(cuMemAddressReserve(&p, 8 * (size_t)M, 0, 0, 0), 0);
    assert_int_equal(cuMemAddressReserve(&q, 2 * (size_t)M, 64 * (size_t)M, 0, 0), 0);
    assert_int_equal(p % M, 0);
    assert_int_equal(q % (64 * (uint64_t)M), 0);
    assert_int_equal(left(), before);
    assert_int_equal(cuMemCreate(&h, 2 * (size_t)M, &on_device, 0), 0);
    assert_int_equal(left(), before - 2 * (uint64_t)M);
    assert_int_equal(cuMemMap(p + M, 2 * (size_t)M, 0, h, 0), 0);
    assert_int_equal(cuMemMap(q, M, M, h, 0), 0);
    assert_int_equal(cuMemRelease(h), 0); /* the mappings keep it */

    /* not before access is allowed */
    assert_int_not_equal(cuMemcpyHtoD_v2(p + M, &word, 4), 0);
    assert_int_equal(cuMemSetAccess(p + M, 2 * (size_t)M, &all, 1), 0);
    assert_int_equal(cuMemSetAccess(q, M, &all, 1), 0);
    assert_int_equal(cuMemGetAccess(&flags, &all, q + 5), 0);
    assert_int_equal(flags, 3);
    assert_int_equal(cuMemcpyHtoD_v2(p + 2 * (uint64_t)M + 8, &word, 4), 0);
    assert_int_equal(word_at(q + 8), 77);
    assert_int_equal(cuMemsetD32_v2(q + 12, 5, 1), 0);
    assert_int_equal(word_at(p + 2 * (uint64_t)M + 12), 5);
    assert_int_equal(word_at(p + M), 0);
    assert_int_not_equal(cuMemcpyHtoD_v2(p, &word, 4), 0); /* reserved only */
    assert_int_not_equal(cuMemcpyHtoD_v2(p + 3 * (uint64_t)M, &word, 4), 0);

    assert_int_equal(cuMemSetAccess(q, M, &none, 1), 0);
    assert_int_not_equal(cuMemcpyHtoD_v2(q, &word, 4), 0);
    assert_int_equal(cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)(q + 3)), 0);
    assert_ptr_equal(same, h);
    assert_int_equal(cuMemGetAllocationPropertiesFromHandle(&got, same), 0);
    assert_int_equal(got.location_type, 1);
    assert_int_equal(cuMemUnmap(p + M, 2 * (size_t)M), 0);
    assert_int_equal(cuMemUnmap(q, M), 0);
    /* its contents stay as long as something holds it */
    assert_int_equal(cuMemMap(q, 2 * (size_t)M, 0, same, 0), 0);
    assert_int_equal(cuMemSetAccess(q, 2 * (size_t)M, &all, 1), 0);
    assert_int_equal(word_at(q + M + 8), 77);
    assert_int_equal(cuMemUnmap(q, 2 * (size_t)M), 0);
    assert_int_equal(left(), before - 2 * (uint64_t)M);
    assert_int_equal(cuMemRelease(same), 0);
    assert_int_equal(left(), before);
    assert_int_equal(cuMemAddressFree(p, 8 * (size_t)M), 0);
    assert_int_equal(cuMemAddressFree(q, 2 * (size_t)M), 0);
}

/* As programs grow an array: new memory behind the old one, at the addresses after it. */
static void arrays_can_grow(void **state)
{
    enum { PARTS = 4 };
    pointer_t p = 0, next = 0;
    physical_t *h[PARTS];

    (void)state;
    assert_int_equal(cuMemAddressReserve(&p, M, 0, 0, 0), 0);
    for (unsigned i = 0; i < PARTS; i++) {
        if (i > 0) {
            assert_int_equal(cuMemAddressReserve(&next, M, 0, p + i * (uint64_t)M, 0), 0);
            assert_int_equal(next, p + i * (uint64_t)M);
        }
        assert_int_equal(cuMemCreate(&h[i], M, &on_device, 0), 0);
        assert_int_equal(cuMemMap(p + i * (uint64_t)M, M, 0, h[i], 0), 0);
        assert_int_equal(cuMemSetAccess(p + i * (uint64_t)M, M, &all, 1), 0);
        assert_int_equal(cuMemsetD32_v2(p, i, (i + 1) * (size_t)M / 4), 0);
    }
    assert_int_equal(word_at(p + PARTS * (uint64_t)M - 4), PARTS - 1);
    /* all at once */
    assert_int_equal(cuMemUnmap(p, PARTS * (size_t)M), 0);
    for (unsigned i = 0; i < PARTS; i++) {
        assert_int_equal(cuMemRelease(h[i]), 0);
        assert_int_equal(cuMemAddressFree(p + i * (uint64_t)M, M), 0);
    }
}

static void ordinary_memory_avoids_what_is_reserved(void **state)
{
    pointer_t p, a[16];

    (void)state;
    assert_int_equal(cuMemAddressReserve(&p, 4 * (size_t)M, 0, 0, 0), 0);
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(cuMemAlloc_v2(&a[i], M / 2), 0);
        assert_true(a[i] + M / 2 <= p || a[i] >= p + 4 * (uint64_t)M);
    }
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(cuMemFree_v2(a[i]), 0);
    assert_int_not_equal(cuMemFree_v2(p), 0);
    assert_int_equal(cuMemAddressFree(p, 4 * (size_t)M), 0);
}

static void bad_requests_are_refused(void **state)
{
    properties_t other = on_device;
    access_t other_device = {1, 1, 3};
    pointer_t p;
    physical_t *h;
    size_t bytes = 0;

    (void)state;
    assert_int_equal(cuMemGetAllocationGranularity(&bytes, &on_device, 0), 0);
    assert_int_equal(bytes, M);
    assert_int_equal(cuMemAddressReserve(&p, M + 512, 0, 0, 0), INVALID_VALUE);
    assert_int_equal(cuMemAddressReserve(&p, M, 3, 0, 0), INVALID_VALUE);
    assert_int_equal(cuMemAddressReserve(&p, (size_t)1 << 60, 0, 0, 0), OUT_OF_MEMORY);
    assert_int_equal(cuMemAddressReserve(&p, M, (size_t)1 << 60, 0, 0), OUT_OF_MEMORY);
    assert_int_equal(cuMemCreate(&h, 100, &on_device, 0), INVALID_VALUE);
    assert_int_equal(cuMemCreate(&h, (size_t)1 << 40, &on_device, 0), OUT_OF_MEMORY);
    other.device = 1;
    assert_int_equal(cuMemCreate(&h, M, &other, 0), INVALID_DEVICE);
    assert_int_equal(cuMemCreate(&h, M, &on_device, 0), 0);
    assert_int_equal(cuMemAddressReserve(&p, 2 * (size_t)M, 0, 0, 0), 0);
    assert_int_equal(cuMemMap(p, 2 * (size_t)M, 0, h, 0), INVALID_VALUE);
    assert_int_equal(cuMemMap(p, M, M, h, 0), INVALID_VALUE);
    assert_int_equal(cuMemMap(p + 512, M, 0, h, 0), INVALID_VALUE);
    assert_int_equal(cuMemMap(p + 2 * (uint64_t)M, M, 0, h, 0), INVALID_VALUE);
    assert_int_equal(cuMemSetAccess(p, M, &all, 1), INVALID_VALUE);
    assert_int_equal(cuMemUnmap(p, M), INVALID_VALUE);
    assert_int_equal(cuMemMap(p, M, 0, h, 0), 0);
    assert_int_equal(cuMemMap(p, M, 0, h, 0), INVALID_VALUE);
    assert_int_equal(cuMemUnmap(p, 2 * (size_t)M), INVALID_VALUE);
    assert_int_equal(cuMemUnmap(p, M / 2), INVALID_VALUE);
    assert_int_equal(cuMemSetAccess(p, M, &other_device, 1), INVALID_DEVICE);
    assert_int_equal(cuMemAddressFree(p, 2 * (size_t)M), INVALID_VALUE); /* mapped */
    assert_int_equal(cuMemUnmap(p, M), 0);
    assert_int_equal(cuMemAddressFree(p, M), INVALID_VALUE);
    assert_int_equal(cuMemAddressFree(p, 2 * (size_t)M), 0);
    assert_int_equal(cuMemRelease(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_seen_where_it_is_mapped),
        cmocka_unit_test(arrays_can_grow),
        cmocka_unit_test(ordinary_memory_avoids_what_is_reserved),
        cmocka_unit_test(bad_requests_are_refused),
    };

    setenv("RUBATO_ARCH", "70", 1);
    show_gpu("v100");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
