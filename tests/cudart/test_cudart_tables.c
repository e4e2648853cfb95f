/* What NVIDIA's libraries ask the runtime for: tables of functions, kernels by their stub. */
#include "tests/support/emulator/cuda_stub.h"
#include "tests/support/emulator/shown_gpu.h"
#include "tests/support/test.h"

enum { INVALID_VALUE = 1, INVALID_FUNCTION = 98 };

typedef struct context context_t;
typedef int (*current_fn)(context_t **context);
typedef int (*device_fn)(const context_t *context, int *device);
typedef int (*number_fn)(const context_t *context, uint64_t *number);
typedef int (*behind_fn)(const context_t *context, void *stream, void **behind, int per_thread);
typedef int (*stream_fn)(const context_t *context, void *behind, uint64_t *number);

int cudaGetExportTable(const void **table, const void *uuid);
int cudaGetFuncBySymbol(void **function, const void *host);
int cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
int cudaStreamCreate(void **stream);
int cudaMalloc(void **p, size_t n);
int cudaMemset(void *p, int value, size_t n);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaLaunchKernel(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                     void *stream);

static const uint8_t of_thread[] = {0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47,
                                    0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec, 0xdc};
static const uint8_t of_context[] = {0x21, 0x31, 0x8c, 0x60, 0x97, 0x14, 0x32, 0x48,
                                     0x8c, 0xa6, 0x41, 0xff, 0x73, 0x24, 0xc8, 0xf2};
static const uint8_t of_storage[] = {0xc6, 0x93, 0x33, 0x6e, 0x11, 0x21, 0xdf, 0x11,
                                     0xa8, 0xc3, 0x68, 0xf3, 0x55, 0xd8, 0x95, 0x93};
static const char stub[1];

typedef void (*any_fn)(void);

static any_fn entry(const uint8_t *uuid, unsigned index)
{
    const void *table = NULL;
    any_fn function;

    assert_int_equal(cudaGetExportTable(&table, uuid), 0);
    uint64_t bytes;
    memcpy(&bytes, table, sizeof(bytes));
    assert_true(index < bytes / sizeof(function));
    memcpy(&function, (const char *)table + index * sizeof(function), sizeof(function));
    return function;
}

static context_t *current(void)
{
    context_t *context = NULL;

    assert_int_equal(((current_fn)entry(of_thread, 2))(&context), 0);
    assert_non_null(context);
    return context;
}

static void contexts_have_a_device_and_a_number(void **state)
{
    uint64_t number = 0, again = 0;
    int device = -1;

    (void)state;
    assert_int_equal(((device_fn)entry(of_context, 3))(current(), &device), 0);
    assert_int_equal(device, 0);
    assert_int_equal(((number_fn)entry(of_context, 4))(current(), &number), 0);
    assert_int_equal(((number_fn)entry(of_context, 4))(current(), &again), 0);
    assert_true(number != 0 && number == again);
    assert_int_not_equal(((number_fn)entry(of_context, 4))(NULL, &number), 0);
}

static uint64_t number_of(void *stream, int per_thread)
{
    void *behind = NULL;
    uint64_t number = 0;

    assert_int_equal(((behind_fn)entry(of_context, 51))(current(), stream, &behind, per_thread), 0);
    assert_int_equal(((stream_fn)entry(of_context, 39))(current(), behind, &number), 0);
    return number;
}

static void streams_have_numbers(void **state)
{
    void *legacy = (void *)1, *per_thread = (void *)2, *a, *b; /* the handles of CUDA */

    (void)state;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    assert_true(number_of(NULL, 0) == number_of(legacy, 0));
    assert_true(number_of(NULL, 1) == number_of(per_thread, 0));
    assert_true(number_of(legacy, 0) != number_of(per_thread, 0));
    assert_true(number_of(a, 0) != number_of(b, 0) && number_of(a, 0) == number_of(a, 1));
    assert_true(number_of(a, 0) != number_of(legacy, 0));
}

static void contexts_keep_values(void **state)
{
    struct {
        int (*keep)(context_t *context, void *key, void *value, any_fn drop);
        int (*remove)(const context_t *context, const void *key);
        int (*find)(void **value, const context_t *context, const void *key);
    } storage;
    const void *table = NULL;
    int keys[2], values[2];
    void *value = NULL;

    (void)state;
    assert_int_equal(cudaGetExportTable(&table, of_storage), 0);
    memcpy(&storage, table, sizeof(storage));
    assert_int_not_equal(storage.find(&value, current(), &keys[0]), 0);
    assert_int_equal(storage.keep(current(), &keys[0], &values[0], NULL), 0);
    assert_int_equal(storage.keep(NULL, &keys[1], &values[1], NULL), 0);
    assert_int_not_equal(storage.keep(NULL, &keys[0], &values[1], NULL), 0);
    assert_int_equal(storage.find(&value, NULL, &keys[0]), 0);
    assert_ptr_equal(value, &values[0]);
    assert_int_equal(storage.find(&value, current(), &keys[1]), 0);
    assert_ptr_equal(value, &values[1]);
    assert_int_equal(storage.remove(current(), &keys[0]), 0);
    assert_int_not_equal(storage.find(&value, current(), &keys[0]), 0);
    assert_int_not_equal(storage.remove(NULL, &keys[0]), 0);
    assert_int_not_equal(storage.find(NULL, NULL, &keys[1]), 0);
}

static void other_tables_are_refused(void **state)
{
    const uint8_t unknown[16] = {1, 2, 3};
    const void *table = stub;

    (void)state;
    assert_int_equal(cudaGetExportTable(&table, unknown), INVALID_VALUE);
    assert_null(table);
    assert_int_equal(cudaGetExportTable(NULL, of_thread), INVALID_VALUE);
}

/* A kernel can be launched by the handle of its function. */
static void kernels_have_handles(void **state)
{
    const dim3_t one = {1, 1, 1}, warp = {32, 1, 1};
    void *function = NULL, *a;
    float z = 0;
    int n = 1;

    (void)state;
    assert_int_equal(cudaGetFuncBySymbol(&function, &n), INVALID_FUNCTION);
    assert_int_equal(cudaGetFuncBySymbol(NULL, stub), INVALID_VALUE);
    assert_int_equal(cudaGetFuncBySymbol(&function, stub), 0);
    assert_int_equal(cudaMalloc(&a, 4), 0);
    assert_int_equal(cudaMemcpy(a, &(float){3}, 4, 1), 0);
    assert_int_equal(cudaLaunchKernel(function, one, warp, (void *[]){&a, &a, &a, &n}, 0, NULL), 0);
    assert_int_equal(cudaMemcpy(&z, a, 4, 2), 0);
    assert_true(z == 6);
}

/* More kernels than the first table of handles has room for. */
static void many_kernels_are_found(void **state)
{
    static const char stubs[3000];
    void **handle = cuda_stub_open(RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", 70);
    void *function, *before = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(stubs); i++)
        cuda_stub_kernel(handle, &stubs[i], i % 2 == 0 ? "vecadd" : "absent");
    for (size_t i = 0; i < sizeof(stubs); i++) {
        int wanted = i % 2 == 0 ? 0 : INVALID_FUNCTION;
        assert_int_equal(cudaGetFuncBySymbol(&function, &stubs[i]), wanted);
        if (wanted == 0) {
            assert_ptr_not_equal(function, before);
            before = function;
        }
    }
}

static void streams_have_priorities(void **state)
{
    int least = 9, greatest = 9;

    (void)state;
    assert_int_equal(cudaDeviceGetStreamPriorityRange(&least, &greatest), 0);
    assert_true(least == 0 && greatest <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_have_a_device_and_a_number),
        cmocka_unit_test(streams_have_numbers),
        cmocka_unit_test(contexts_keep_values),
        cmocka_unit_test(other_tables_are_refused),
        cmocka_unit_test(kernels_have_handles),
        cmocka_unit_test(many_kernels_are_found),
        cmocka_unit_test(streams_have_priorities),
    };

    show_gpu("v100");
    cuda_stub_register(RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", 70, stub, "vecadd");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
