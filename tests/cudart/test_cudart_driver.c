/* The driver API, beside the runtime: modules, launches, memory, contexts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/cuda_stub.h"
#include "tests/support/emulator/shown_gpu.h"
#include "tests/support/test.h"

enum { N = 500, INVALID_VALUE = 1, INVALID_IMAGE = 200, NO_BINARY = 209, NOT_FOUND = 500 };
enum {
    INVALID_CONTEXT = 201,
    NO_COMPILER = 221,
    FILE_NOT_FOUND = 301,
    ILLEGAL_ADDRESS = 700,
    NOT_SUPPORTED = 801
};

typedef struct context context_t;
typedef struct linker linker_t;
typedef struct module module_t;
typedef struct function function_t;
typedef uint64_t pointer_t;

int cuInit(unsigned flags);
int cuCtxSynchronize(void);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuCtxCreate_v2(context_t **context, unsigned flags, int device);
int cuCtxDestroy_v2(context_t *context);
int cuCtxGetCurrent(context_t **context);
int cuCtxPopCurrent_v2(context_t **context);
int cuCtxPushCurrent_v2(context_t *context);
int cuCtxSetCurrent(context_t *context);
int cuCtxGetDevice(int *device);
int cuDevicePrimaryCtxRetain(context_t **context, int device);
int cudaFree(void *p);
int cudaGetLastError(void);
int cuCtxGetId(context_t *context, unsigned long long *number);
int cuModuleLoad(module_t **module, const char *path);
int cuModuleLoadData(module_t **module, const void *image);
int cuModuleGetFunction(function_t **function, module_t *module, const char *name);
int cuFuncGetAttribute(int *value, int attribute, const function_t *function);
int cuMemAlloc_v2(pointer_t *p, size_t n);
int cuMemFree_v2(pointer_t p);
int cuMemcpyHtoD_v2(pointer_t to, const void *from, size_t n);
int cuMemcpyDtoH_v2(void *to, pointer_t from, size_t n);
int cuMemsetD32_v2(pointer_t p, unsigned value, size_t n);
int cuMemsetD8Async(pointer_t p, unsigned char value, size_t n, void *stream);
int cuMemsetD16Async(pointer_t p, unsigned short value, size_t n, void *stream);
int cuMemsetD32Async(pointer_t p, unsigned value, size_t n, void *stream);
int cuMemsetD2D16_v2(pointer_t p, size_t pitch, unsigned short value, size_t width, size_t height);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cuGraphLaunch(void *exec, void *stream);
int cuPointerGetAttribute(void *value, int attribute, pointer_t p);
int cuLaunchKernel(const function_t *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                   unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
                   void **extra);
int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, const function_t *f,
                                     size_t (*shared_of)(int), size_t shared, int limit);
int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *found);
int cuGetErrorName(int error, const char **name);
int cuTexRefCreate(void);
int cuLinkCreate_v2(unsigned n, int *options, void **values, linker_t **linker);
int cuLinkAddData_v2(linker_t *l, int kind, void *data, size_t size, const char *name, unsigned n,
                     int *options, void **values);
int cuLinkAddFile_v2(linker_t *l, int kind, const char *path, unsigned n, int *options,
                     void **values);
int cuLinkComplete(linker_t *l, void **cubin, size_t *size);
int cuLinkDestroy(linker_t *l);
int cuLibraryLoadFromFile(module_t **library, const char *path, int *options, void **values,
                          unsigned n, int *library_options, void **library_values,
                          unsigned n_library);
int cuLibraryGetKernelCount(unsigned *n, module_t *library);
int cuLibraryEnumerateKernels(function_t **kernels, unsigned n, module_t *library);
int cuLibraryGetKernel(function_t **kernel, module_t *library, const char *name);
int cuLibraryGetModule(module_t **module, module_t *library);
int cuKernelGetName(const char **name, const function_t *kernel);
int cuKernelGetFunction(function_t **function, function_t *kernel);
int cuKernelGetParamInfo(const function_t *kernel, size_t index, size_t *offset, size_t *size);
int cuMemsetD2D8Async(pointer_t p, size_t pitch, unsigned char value, size_t width, size_t height,
                      void *stream);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);

static function_t *vecadd(void)
{
    module_t *module = NULL;
    function_t *function = NULL;

    assert_int_equal(cuModuleLoad(&module, RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin"), 0);
    assert_int_equal(cuModuleGetFunction(&function, module, "absent"), NOT_FOUND);
    assert_int_equal(cuModuleGetFunction(&function, module, "vecadd"), 0);
    return function;
}

static void check_sums(pointer_t c)
{
    float z[N];

    assert_int_equal(cuMemcpyDtoH_v2(z, c, sizeof(z)), 0);
    for (int i = 0; i < N; i++)
        assert_true(z[i] == (float)(3 * i));
    assert_int_equal(cuMemsetD32_v2(c, 0xffffffff, N), 0);
}

/* Parameters one by one, and all in a buffer; memory of the driver is that of the runtime. */
static void modules_are_loaded_and_launched(void **state)
{
    function_t *f = vecadd();
    float x[N], y[N], first;
    pointer_t a, b, c;
    int n = N;

    (void)state;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(2 * i);
    }
    assert_int_equal(cuMemAlloc_v2(&a, sizeof(x)), 0);
    assert_int_equal(cuMemAlloc_v2(&b, sizeof(x)), 0);
    assert_int_equal(cuMemAlloc_v2(&c, sizeof(x)), 0);
    assert_int_equal(cuMemcpyHtoD_v2(a, x, sizeof(x)), 0);
    assert_int_equal(cudaMemcpy((void *)(uintptr_t)b, y, sizeof(y), 1), 0);
    void *args[] = {&a, &b, &c, &n};
    assert_int_equal(cuLaunchKernel(f, 2, 1, 1, 256, 1, 1, 0, NULL, args, NULL), 0);
    check_sums(c);
    struct {
        pointer_t a, b, c;
        int n;
    } packed = {a, b, c, n};
    size_t bytes = 28;
    void *extra[] = {(void *)1, &packed, (void *)2, &bytes, NULL};
    assert_int_equal(cuLaunchKernel(f, 2, 1, 1, 256, 1, 1, 0, NULL, NULL, extra), 0);
    check_sums(c);
    bytes = 24;
    assert_int_equal(cuLaunchKernel(f, 2, 1, 1, 256, 1, 1, 0, NULL, NULL, extra), INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(f, 2, 1, 1, 2048, 1, 1, 0, NULL, args, NULL), INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoH_v2(&first, c, 4), 0);
    cuMemFree_v2(a);
    cuMemFree_v2(b);
    cuMemFree_v2(c);
}

static void functions_are_described(void **state)
{
    enum { REGISTERS = 4, BINARY = 6 };
    function_t *f = vecadd();
    int value = 0, grid = 0, block = 0;

    (void)state;
    assert_int_equal(cuFuncGetAttribute(&value, BINARY, f), 0);
    assert_int_equal(value, 70);
    assert_int_equal(cuFuncGetAttribute(&value, REGISTERS, f), 0);
    assert_true(value > 0);
    assert_int_equal(cuFuncGetAttribute(&value, 99, f), INVALID_VALUE);
    assert_int_equal(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0), 0);
    assert_int_equal(block, 1024);
    assert_int_equal(grid, 2 * 80);
}

static void bad_modules_are_refused(void **state)
{
    module_t *module;
    uint8_t *other = cuda_stub_fatbin(RUBATO_ROOT "/traces/cubin/vecadd.sm75.cubin", 80);

    (void)state;
    assert_int_equal(cuModuleLoad(&module, "absent"), 301);
    assert_int_equal(cuModuleLoadData(&module, "something else, neither code nor PTX"),
                     INVALID_IMAGE);
    /* PTX for a later GPU, and without a compiler */
    assert_int_equal(cuModuleLoadData(&module, "\n.version 7.0\n.target sm_80\n"), NO_COMPILER);
    assert_int_equal(cuModuleLoadData(&module, "\n.version 7.0\n.target sm_70\n"), NO_COMPILER);
    assert_int_equal(cuModuleLoadData(&module, other), NO_BINARY);
    free(other);
}

/* What cuModuleLoad() says to a file with these bytes. */
static int load_file(const void *bytes, size_t n)
{
    module_t *module;
    FILE *out = fopen("module.bin", "wb");

    assert_true(out != NULL && fwrite(bytes, 1, n, out) == n && fclose(out) == 0);
    return cuModuleLoad(&module, "module.bin");
}

/* Loads every beginning of a file; the whole file is good. */
static void load_truncated(const uint8_t *bytes, size_t n, size_t step)
{
    for (size_t i = 0; i < n; i += step)
        assert_int_equal(load_file(bytes, i), INVALID_IMAGE);
    assert_int_equal(load_file(bytes, n), 0);
}

/* The tables and sections of a damaged image lie outside the file, or its code is no code. */
static void damaged_files_are_refused(void **state)
{
    enum { SECTIONS = 0x28, NAMES = 0x3e };
    static const uint64_t wrapper[] = {0x1466243b1, 0x123456789};
    static uint8_t cubin[1 << 16];
    uint8_t *fatbin = cuda_stub_fatbin(RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", 70);
    size_t size, fatbin_size;
    uint64_t huge = UINT64_MAX - 100;

    (void)state;
    FILE *in = fopen(RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", "rb");
    assert_non_null(in);
    size = fread(cubin, 1, sizeof(cubin), in);
    fclose(in);
    load_truncated(cubin, size, 97);
    memcpy(&fatbin_size, fatbin + 8, 8);
    load_truncated(fatbin, fatbin_size + 16, 193);
    assert_int_equal(load_file(wrapper, sizeof(wrapper)), INVALID_IMAGE);
    memcpy(fatbin + 8, &huge, 8);
    assert_int_equal(load_file(fatbin, fatbin_size + 16), INVALID_IMAGE);
    memset(cubin + NAMES, 0xff, 2);
    assert_int_equal(load_file(cubin, size), INVALID_IMAGE);
    memcpy(cubin + SECTIONS, &huge, 8);
    assert_int_equal(load_file(cubin, size), INVALID_IMAGE);
    assert_int_equal(cuModuleLoad(&(module_t *){NULL}, "."), INVALID_IMAGE);
    remove("module.bin");
    free(fatbin);
}

static void contexts_are_a_stack(void **state)
{
    context_t *a = NULL, *b = NULL, *got = NULL;
    unsigned long long first = 0, second = 0;

    (void)state;
    assert_int_equal(cuCtxSetCurrent(NULL), 0);
    assert_int_equal(cuCtxCreate_v2(&a, 0, 0), 0);
    assert_int_equal(cuCtxCreate_v2(&b, 0, 0), 0);
    assert_int_equal(cuCtxGetId(a, &first), 0);
    assert_int_equal(cuCtxGetId(b, &second), 0);
    assert_true(first != second);
    assert_int_equal(cuCtxGetCurrent(&got), 0);
    assert_ptr_equal(got, b);
    assert_int_equal(cuCtxPopCurrent_v2(&got), 0);
    assert_ptr_equal(got, b);
    assert_int_equal(cuCtxGetCurrent(&got), 0);
    assert_ptr_equal(got, a);
    assert_int_equal(cuCtxDestroy_v2(a), 0);
    assert_int_equal(cuCtxDestroy_v2(a), INVALID_CONTEXT);
    assert_int_equal(cuCtxPushCurrent_v2(a), INVALID_CONTEXT);
    assert_int_equal(cuCtxSetCurrent(a), INVALID_CONTEXT);
    assert_int_equal(cuCtxPopCurrent_v2(&got), INVALID_CONTEXT);
    assert_int_equal(cuCtxPushCurrent_v2(NULL), INVALID_CONTEXT);
}

/* Any call of the runtime that needs a context makes the primary one current, in its thread. */
static void the_runtime_creates_its_context(void **state)
{
    context_t *primary = NULL, *own = NULL, *got = NULL;
    int device = 9;

    (void)state;
    assert_int_equal(cuDevicePrimaryCtxRetain(&primary, 0), 0);
    assert_int_equal(cuCtxSetCurrent(NULL), 0);
    cudaGetLastError(); /* needs none */
    assert_int_equal(cuCtxGetCurrent(&got), 0);
    assert_null(got);
    assert_int_equal(cuCtxGetDevice(&device), INVALID_CONTEXT);
    assert_int_equal(cudaFree(NULL), 0);
    assert_int_equal(cuCtxGetCurrent(&got), 0);
    assert_ptr_equal(got, primary);
    assert_int_equal(cuCtxGetDevice(&device), 0);
    assert_int_equal(device, 0);
    assert_int_equal(cuCtxCreate_v2(&own, 0, 0), 0);
    assert_int_equal(cudaFree(NULL), 0);
    assert_int_equal(cuCtxGetCurrent(&got), 0);
    assert_ptr_equal(got, own);
    assert_int_equal(cuCtxDestroy_v2(own), 0);
}

static void buffers_have_numbers(void **state)
{
    enum { BUFFER_ID = 7, LEGACY_IPC = 10, RANGE_START, RANGE_SIZE };
    pointer_t p, q, start = 0;
    struct {
        unsigned flag, behind;
    } ipc = {9, 9};
    size_t size = 0;
    uint64_t before = 0, after = 0;

    (void)state;
    assert_int_equal(cuMemAlloc_v2(&p, 1000), 0);
    assert_int_equal(cuPointerGetAttribute(&before, BUFFER_ID, p + 10), 0);
    assert_int_equal(cuPointerGetAttribute(&start, RANGE_START, p + 10), 0);
    assert_true(start == p);
    assert_int_equal(cuPointerGetAttribute(&size, RANGE_SIZE, p + 10), 0);
    assert_true(size >= 1000 && size < 2000);
    assert_int_equal(cuPointerGetAttribute(&ipc, LEGACY_IPC, p + 10), 0);
    assert_true(ipc.flag == 0 && ipc.behind == 9);
    cuMemFree_v2(p);
    assert_int_equal(cuMemAlloc_v2(&q, 1000), 0);
    assert_int_equal(cuPointerGetAttribute(&after, BUFFER_ID, q), 0);
    assert_true(before != after);
    assert_int_equal(cuPointerGetAttribute(&after, BUFFER_ID, 1), INVALID_VALUE);
    cuMemFree_v2(q);
}

static void memory_is_set_by_captured_streams(void **state)
{
    static const uint8_t wanted[12] = {7, 7, 7, 7, 2, 1, 2, 1, 6, 5, 4, 3}, zero[12];
    void *stream, *graph, *exec;
    uint8_t got[12];
    pointer_t p;

    (void)state;
    assert_int_equal(cuMemAlloc_v2(&p, sizeof(got)), 0);
    assert_int_equal(cuMemsetD32_v2(p, 0, 3), 0);
    assert_int_equal(cuStreamCreate(&stream, 0), 0);
    assert_int_equal(cuStreamBeginCapture_v2(stream, 0), 0);
    assert_int_equal(cuMemsetD8Async(p, 7, 4, stream), 0);
    assert_int_equal(cuMemsetD16Async(p + 4, 0x0102, 2, stream), 0);
    assert_int_equal(cuMemsetD32Async(p + 8, 0x03040506, 1, stream), 0);
    assert_int_equal(cuStreamEndCapture(stream, &graph), 0);
    assert_int_equal(cuMemcpyDtoH_v2(got, p, sizeof(got)), 0);
    assert_memory_equal(got, zero, sizeof(got));
    assert_int_equal(cuGraphInstantiateWithFlags(&exec, graph, 0), 0);
    assert_int_equal(cuGraphLaunch(exec, stream), 0);
    assert_int_equal(cuMemcpyDtoH_v2(got, p, sizeof(got)), 0);
    assert_memory_equal(got, wanted, sizeof(got));
    cuMemFree_v2(p);
}

static void sizes_that_overflow_are_refused(void **state)
{
    pointer_t p;

    (void)state;
    assert_int_equal(cuMemAlloc_v2(&p, 100), 0);
    assert_int_equal(cuMemsetD32_v2(p, 0, SIZE_MAX / 4 + 2), INVALID_VALUE);
    assert_int_equal(cuMemsetD2D16_v2(p, 8, 0, SIZE_MAX / 2 + 2, 1), INVALID_VALUE);
    cuMemFree_v2(p);
}

static void functions_are_found_by_name(void **state)
{
    void *function = NULL;
    int found = 9;

    (void)state;
    assert_int_equal(cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 0, &found), 0);
    assert_true(found == 0 && function == (void *)(uintptr_t)cuMemAlloc_v2);
    assert_int_equal(cuGetProcAddress_v2("cuAbsent", &function, 12000, 0, &found), NOT_FOUND);
    assert_int_equal(found, 1);
}

/* A complete cubin stays as it is; what must be compiled needs the user's tools. */
static void machine_code_is_linked_without_tools(void **state)
{
    linker_t *l;
    void *cubin = NULL;
    size_t size = 0;
    module_t *module;
    function_t *f;
    char text[] = ".version 7.0\n.target sm_70\n";

    (void)state;
    assert_int_equal(cuLinkCreate_v2(0, NULL, NULL, &l), 0);
    assert_int_equal(cuLinkComplete(l, &cubin, &size), INVALID_VALUE);
    assert_int_equal(cuLinkAddFile_v2(l, 0, "absent", 0, NULL, NULL), FILE_NOT_FOUND);
    assert_int_equal(cuLinkAddData_v2(l, 7, text, 5, "t", 0, NULL, NULL), INVALID_VALUE);
    assert_int_equal(
        cuLinkAddFile_v2(l, 0, RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", 0, NULL, NULL), 0);
    assert_int_equal(cuLinkComplete(l, &cubin, &size), 0);
    assert_int_equal(cuModuleLoadData(&module, cubin), 0);
    assert_int_equal(cuLinkDestroy(l), 0);
    assert_int_equal(cuModuleGetFunction(&f, module, "vecadd"), 0);

    char log[200] = "x";
    int options[] = {5, 6};
    void *values[] = {log, (void *)sizeof(log)};
    assert_int_equal(cuLinkCreate_v2(2, options, values, &l), 0);
    assert_int_equal(cuLinkAddData_v2(l, 1, text, sizeof(text), "t", 0, NULL, NULL), 0);
    assert_int_equal(cuLinkComplete(l, &cubin, &size), NO_COMPILER);
    assert_non_null(strstr(log, "RUBATO_PTXAS names /none/ptxas"));
    assert_int_equal((uintptr_t)values[1], strlen(log));
    assert_int_equal(cuLinkDestroy(l), 0);
}

static void libraries_are_modules(void **state)
{
    module_t *library, *module;
    function_t *kernel, *listed[2] = {NULL, NULL}, *f;
    const char *name;
    unsigned n = 0;
    size_t offset = 0, size = 0;

    (void)state;
    assert_int_equal(cuLibraryLoadFromFile(&library, RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin",
                                           NULL, NULL, 0, NULL, NULL, 0),
                     0);
    assert_int_equal(cuLibraryGetKernelCount(&n, library), 0);
    assert_int_equal(n, 1);
    assert_int_equal(cuLibraryEnumerateKernels(listed, 2, library), 0);
    assert_int_equal(cuKernelGetName(&name, listed[0]), 0);
    assert_string_equal(name, "vecadd");
    assert_null(listed[1]);
    assert_int_equal(cuLibraryGetKernel(&kernel, library, "vecadd"), 0);
    assert_int_equal(cuLibraryGetKernel(&kernel, library, "other"), NOT_FOUND);
    assert_int_equal(cuKernelGetParamInfo(kernel, 3, &offset, &size), 0);
    assert_true(offset == 24 && size == 4);
    assert_int_equal(cuKernelGetParamInfo(kernel, 4, &offset, &size), INVALID_VALUE);
    assert_int_equal(cuKernelGetFunction(&f, kernel), 0);
    assert_int_equal(cuLibraryGetModule(&module, library), 0);
    assert_int_equal(cuModuleGetFunction(&f, module, "vecadd"), 0);
}

static void other_calls_return_an_error(void **state)
{
    const char *name = NULL;

    (void)state;
    assert_int_equal(cuTexRefCreate(), NOT_SUPPORTED);
    assert_int_equal(cuGetErrorName(NOT_SUPPORTED, &name), 0);
    assert_string_equal(name, "CUDA_ERROR_NOT_SUPPORTED");
}

static void the_device_is_that_of_the_run(void **state)
{
    char name[32];
    int value = 0;

    (void)state;
    assert_int_equal(cuInit(0), 0);
    assert_int_equal(cuDeviceGet(&value, 1), 101);
    assert_int_equal(cuDeviceGetName(name, sizeof(name), 0), 0);
    assert_string_equal(name, "V100");
    assert_int_equal(cuDeviceGetAttribute(&value, 16, 0), 0);
    assert_int_equal(value, 80);
    assert_int_equal(cuDeviceGetAttribute(&value, 102, 0), 0); /* virtual memory */
    assert_int_equal(value, 1);
}

/* The last test: no call succeeds after it. */
static void errors_of_kernels_come_later(void **state)
{
    function_t *f = vecadd();
    pointer_t wild = 16;
    int n = N;
    void *args[] = {&wild, &wild, &wild, &n};

    (void)state;
    assert_int_equal(cuCtxSynchronize(), 0);
    assert_int_equal(cuLaunchKernel(f, 2, 1, 1, 256, 1, 1, 0, NULL, args, NULL), 0);
    assert_int_equal(cuCtxSynchronize(), ILLEGAL_ADDRESS);
    assert_int_equal(cuLaunchKernel(f, 2, 1, 1, 256, 1, 1, 0, NULL, args, NULL), ILLEGAL_ADDRESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_are_loaded_and_launched),
        cmocka_unit_test(functions_are_described),
        cmocka_unit_test(bad_modules_are_refused),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(contexts_are_a_stack),
        cmocka_unit_test(the_runtime_creates_its_context),
        cmocka_unit_test(buffers_have_numbers),
        cmocka_unit_test(memory_is_set_by_captured_streams),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(functions_are_found_by_name),
        cmocka_unit_test(machine_code_is_linked_without_tools),
        cmocka_unit_test(libraries_are_modules),
        cmocka_unit_test(other_calls_return_an_error),
        cmocka_unit_test(the_device_is_that_of_the_run),
        cmocka_unit_test(errors_of_kernels_come_later),
    };

    setenv("RUBATO_ARCH", "70", 1);
    setenv("RUBATO_PTXAS", "/none/ptxas", 1);
    show_gpu("v100");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
