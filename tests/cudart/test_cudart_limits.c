/* Limits that a program sets: what it is told, and what its kernels get. */
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/emulator/cuda_stub.h"
#include "tests/support/emulator/shown_gpu.h"
#include "tests/support/test.h"

enum { INVALID_VALUE = 1, NO_MEMORY = 2, UNSUPPORTED = 215, ILLEGAL_ADDRESS = 700 };
enum { NO_CONTEXT = 201 };
enum { STACK, PRINTF, HEAP, SYNC_DEPTH, PENDING, FETCH, PERSISTING };

int cudaDeviceSetLimit(int limit, size_t value);
int cudaDeviceGetLimit(size_t *value, int limit);
int cudaThreadGetLimit(size_t *value, int limit);
int cudaDeviceReset(void);
int cuCtxSetLimit(int limit, size_t value);
int cuCtxGetLimit(size_t *value, int limit);
int cudaMalloc(void **p, size_t n);
int cudaMemset(void *p, int value, size_t n);
int cudaLaunchKernel(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                     void *stream);

static const char recurse[1], heap_make[1];
static const dim3_t one = {1, 1, 1};

static size_t limit_of(int limit)
{
    size_t value = 0;

    assert_int_equal(cudaDeviceGetLimit(&value, limit), 0);
    return value;
}

static void limits_are_kept_and_end_with_the_device(void **state)
{
    size_t value = 0;

    (void)state;
    assert_int_equal(cuCtxGetLimit(&value, STACK), NO_CONTEXT);
    assert_int_equal(cuCtxSetLimit(STACK, 4096), NO_CONTEXT);
    assert_int_equal(limit_of(STACK), 1024);
    assert_int_equal(limit_of(HEAP), 8 << 20);
    assert_int_equal(cudaDeviceSetLimit(STACK, 5000), 0);
    assert_int_equal(limit_of(STACK), 5008); /* whole units */
    assert_int_equal(cuCtxSetLimit(HEAP, 1 << 20), 0);
    assert_int_equal(cudaThreadGetLimit(&value, HEAP), 0);
    assert_int_equal(value, 1 << 20);
    assert_int_equal(cuCtxGetLimit(&value, HEAP), 0);
    assert_int_equal(value, 1 << 20);
    assert_int_equal(cudaDeviceReset(), 0);
    assert_int_equal(limit_of(STACK), 1024);
    assert_int_equal(limit_of(HEAP), 8 << 20);
}

static void limits_that_the_card_does_not_have_are_refused(void **state)
{
    const size_t much = (size_t)1 << 40;
    size_t value;

    (void)state;
    assert_int_equal(cudaDeviceSetLimit(STACK, (512 << 10) + 1), INVALID_VALUE);
    assert_int_equal(cudaDeviceSetLimit(STACK, 512 << 10), NO_MEMORY); /* for every thread */
    assert_int_equal(cudaDeviceSetLimit(HEAP, much), NO_MEMORY);
    assert_int_equal(cudaDeviceSetLimit(SYNC_DEPTH, 3), UNSUPPORTED);
    assert_int_equal(cudaDeviceGetLimit(&value, PENDING), UNSUPPORTED);
    assert_int_equal(cudaDeviceSetLimit(PERSISTING, 1 << 20), UNSUPPORTED);
    assert_int_equal(cudaDeviceSetLimit(FETCH, 4096), 0);
    assert_int_equal(limit_of(FETCH), 128);
    assert_int_equal(cudaDeviceSetLimit(PERSISTING + 1, 0), INVALID_VALUE);
    assert_int_equal(cudaDeviceGetLimit(&value, -1), INVALID_VALUE);
    assert_int_equal(cudaDeviceGetLimit(NULL, STACK), INVALID_VALUE);
    assert_int_equal(limit_of(STACK), 1024);
}

/* Errors of kernels stay, so each of these runs in a process of its own. */
static int result_of(int (*run)(void))
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0)
        _exit(run() & 0xff);
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int recurse_to_31(void)
{
    void *p;
    int n = 32;

    cudaMalloc(&p, 128);
    return cudaLaunchKernel(recurse, one, (dim3_t){32, 1, 1}, (void *[]){&p, &n}, 512, NULL);
}

static int recurse_on_little_stack(void)
{
    cudaDeviceSetLimit(STACK, 64);
    return recurse_to_31();
}

static void recursions_end_at_the_limit_of_the_stack(void **state)
{
    (void)state;
    assert_int_equal(result_of(recurse_to_31), 0);
    assert_int_equal(result_of(recurse_on_little_stack), ILLEGAL_ADDRESS & 0xff);
}

/* Each of 64 threads gets 64 bytes, which take 80 of the heap. */
static int take_heap(void)
{
    void *pointers;

    cudaMalloc(&pointers, 512);
    return cudaLaunchKernel(heap_make, one, (dim3_t){64, 1, 1}, (void *[]){&pointers}, 0, NULL);
}

static int take_enough_heap(void)
{
    const bool set = cudaDeviceSetLimit(HEAP, 64 * 80) == 0;
    const int e = take_heap();

    /* What kernels already use cannot be moved. */
    return set && e == 0 ? cudaDeviceSetLimit(HEAP, 1 << 20) : 99;
}

static int take_too_much_heap(void)
{
    cudaDeviceSetLimit(HEAP, 64 * 80 - 16);
    return take_heap(); /* writes where malloc() returned NULL */
}

static void the_heap_of_kernels_ends_at_its_limit(void **state)
{
    (void)state;
    assert_int_equal(result_of(take_heap), 0);
    assert_int_equal(result_of(take_enough_heap), INVALID_VALUE);
    assert_int_equal(result_of(take_too_much_heap), ILLEGAL_ADDRESS & 0xff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_kept_and_end_with_the_device),
        cmocka_unit_test(limits_that_the_card_does_not_have_are_refused),
        cmocka_unit_test(recursions_end_at_the_limit_of_the_stack),
        cmocka_unit_test(the_heap_of_kernels_ends_at_its_limit),
    };

    show_gpu("rtx2060");
    cuda_stub_register(RUBATO_ROOT "/traces/cubin/recurse.sm75.cubin", 75, recurse, "recurse");
    cuda_stub_register(RUBATO_ROOT "/traces/cubin/system.sm75.cubin", 75, heap_make, "heap_make");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
