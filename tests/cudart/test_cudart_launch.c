/* The ways in which a program can launch a kernel through the runtime, and copies around it. */
#include "tests/support/emulator/cuda_stub.h"
#include "tests/support/emulator/shown_gpu.h"
#include "tests/support/test.h"

enum { N = 600, BYTES = 4 * N, TO_DEVICE = 1, TO_HOST = 2 };

typedef struct {
    dim3_t grid, block;
    size_t shared;
    void *stream;
    const void *attributes;
    unsigned n_attributes;
} config_t;

int cudaMalloc(void **p, size_t n);
int cudaFree(void *p);
int cudaMemcpy_ptds(void *to, const void *from, size_t n, int kind);
int cudaMemcpyAsync_ptsz(void *to, const void *from, size_t n, int kind, void *stream);
int cudaLaunchKernel(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                     void *stream);
int cudaLaunchKernel_ptsz(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                          void *stream);
int cudaLaunchKernelExC(const config_t *c, const void *host, void **args);
int cudaLaunchKernelExC_ptsz(const config_t *c, const void *host, void **args);

int cudaFuncSetAttribute(const void *host, int attribute, int value);
int cudaFuncGetAttributes(void *attributes, const void *host);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host, int threads,
                                                  size_t shared);

static const char stub[1];
static const dim3_t grid = {3, 1, 1}, block = {256, 1, 1};

static int plain(void **args)
{
    return cudaLaunchKernel(stub, grid, block, args, 0, NULL);
}

static int per_thread(void **args)
{
    return cudaLaunchKernel_ptsz(stub, grid, block, args, 0, NULL);
}

static int by_configuration(void **args)
{
    return cudaLaunchKernelExC(&(config_t){.grid = grid, .block = block}, stub, args);
}

/* struct cudaLaunchAttribute: 2 is cooperative */
static int with_attributes(void **args)
{
    const int attributes[2][18] = {{1}, {2, 0, 1}};
    const config_t c = {.grid = grid, .block = block, .attributes = attributes, .n_attributes = 2};

    return cudaLaunchKernelExC_ptsz(&c, stub, args);
}

static void launches_add_vectors(void **state)
{
    static int (*const ways[])(void **) = {plain, per_thread, by_configuration, with_attributes};
    float x[N], y[N], z[N];
    void *a, *b, *c;
    int n = N;
    void *args[] = {&a, &b, &c, &n};

    (void)state;
    assert_int_equal(cudaMalloc(&a, BYTES), 0);
    assert_int_equal(cudaMalloc(&b, BYTES), 0);
    assert_int_equal(cudaMalloc(&c, BYTES), 0);
    for (unsigned way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
        for (unsigned i = 0; i < N; i++) {
            x[i] = (float)(i + way);
            y[i] = (float)(1000 * way);
        }
        assert_int_equal(cudaMemcpyAsync_ptsz(a, x, BYTES, TO_DEVICE, NULL), 0);
        assert_int_equal(cudaMemcpy_ptds(b, y, BYTES, TO_DEVICE), 0);
        assert_int_equal(ways[way](args), 0);
        assert_int_equal(cudaMemcpy_ptds(z, c, BYTES, TO_HOST), 0);
        for (unsigned i = 0; i < N; i++)
            assert_true(z[i] == x[i] + y[i]);
    }
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

static void bad_configurations_are_refused(void **state)
{
    void *args[4] = {0};
    const dim3_t wide = {2048, 1, 1};

    (void)state;
    assert_int_equal(cudaLaunchKernelExC(NULL, stub, args), 1);
    assert_int_equal(cudaLaunchKernelExC(&(config_t){.grid = grid, .block = wide}, stub, args), 9);
    assert_int_equal(cudaLaunchKernelExC(&(config_t){.grid = grid, .block = block}, &wide, args),
                     98);
    assert_int_equal(cudaLaunchKernel(stub, grid, block, NULL, 0, NULL), 1);
    /* 2^96 blocks, and products that fit into 32 or 64 bits. */
    static const dim3_t grids[] = {
        {UINT32_MAX, UINT32_MAX, UINT32_MAX}, {1u << 31, 1, 1}, {1, 65536, 65536}, {1, 1, 0}};
    for (size_t i = 0; i < sizeof(grids) / sizeof(grids[0]); i++)
        assert_int_equal(
            cudaLaunchKernelExC(&(config_t){.grid = grids[i], .block = block}, stub, args), 9);
}

/* Hints about kernels are accepted if there is such a kernel and such a hint. */
static void hints_about_kernels(void **state)
{
    enum { DYNAMIC_SHARED = 8, CARVE_OUT, INVALID_VALUE = 1, INVALID_FUNCTION = 98 };
    int n;

    (void)state;
    assert_int_equal(cudaFuncSetAttribute(stub, DYNAMIC_SHARED, 40000), 0);
    assert_int_equal(cudaFuncSetAttribute(stub, DYNAMIC_SHARED, -1), INVALID_VALUE);
    assert_int_equal(cudaFuncSetAttribute(stub, CARVE_OUT, 101), INVALID_VALUE);
    assert_int_equal(cudaFuncSetAttribute(stub, 0, 0), INVALID_VALUE);
    assert_int_equal(cudaFuncSetAttribute(&grid, CARVE_OUT, 50), INVALID_FUNCTION);
    assert_int_equal(cudaFuncGetAttributes(NULL, stub), INVALID_VALUE);
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, stub, 32, 0),
                     INVALID_VALUE);
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, stub, 32, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_add_vectors),
        cmocka_unit_test(bad_configurations_are_refused),
        cmocka_unit_test(hints_about_kernels),
    };

    show_gpu("v100");
    cuda_stub_register(RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", 70, stub, "vecadd");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
