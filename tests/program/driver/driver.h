// What the programs of this folder have in common: checks that count, and kernels of kernels.cu that are
// compared with the CPU.
#ifndef DRIVER_H
#define DRIVER_H
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <vector>

static int wrong;

static void check(bool right, const char *what)
{
    if (!right) {
        printf("%s is wrong\n", what);
        wrong++;
    }
}

static void ok(CUresult r, const char *what)
{
    const char *text = "?";
    if (r != CUDA_SUCCESS) {
        cuGetErrorString(r, &text);
        printf("%s: error %d (%s)\n", what, (int)r, text);
        exit(1);
    }
}
#define OK(call) ok(call, #call)

static std::vector<float> numbers(size_t n, unsigned seed)
{
    std::vector<float> x(n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((i * 7 + seed) % 61) * 0.25f;
    return x;
}

static void add_vectors(CUfunction f, float factor, bool packed, CUstream stream)
{
    const int n = 5000;
    std::vector<float> a = numbers(n, 1), b = numbers(n, 5), c(n);
    CUdeviceptr da, db, dc;
    OK(cuMemAlloc(&da, n * 4));
    OK(cuMemAlloc(&db, n * 4));
    OK(cuMemAlloc(&dc, n * 4));
    OK(cuMemcpyHtoD(da, a.data(), n * 4));
    OK(cuMemcpyHtoDAsync(db, b.data(), n * 4, stream));
    int count = n;
    void *args[] = {&da, &db, &dc, &count};
    struct {
        CUdeviceptr a, b, c;
        int n;
    } all = {da, db, dc, n};
    size_t bytes = sizeof(all) - 4;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &all, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(f, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, packed ? NULL : args,
                      packed ? extra : NULL));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(c.data(), dc, n * 4));
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += c[i] != factor * (a[i] + b[i]);
    check(bad == 0, "vector_add");
    OK(cuMemFree(da));
    OK(cuMemFree(db));
    OK(cuMemFree(dc));
}

static void multiply(CUfunction f)
{
    const int n = 64;
    std::vector<float> a = numbers(n * n, 2), b = numbers(n * n, 9), c(n * n);
    CUdeviceptr da, db, dc;
    size_t bytes = n * n * 4;
    OK(cuMemAlloc(&da, bytes));
    OK(cuMemAlloc(&db, bytes));
    OK(cuMemAlloc(&dc, bytes));
    OK(cuMemcpyHtoD(da, a.data(), bytes));
    OK(cuMemcpyHtoD(db, b.data(), bytes));
    int count = n;
    void *args[] = {&dc, &da, &db, &count};
    OK(cuLaunchKernel(f, n / 16, n / 16, 1, 16, 16, 1, 0, NULL, args, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(c.data(), dc, bytes));
    int bad = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            bad += sum != c[i * n + j]; /* small quarters: exact */
        }
    check(bad == 0, "matrix_mul");
    OK(cuMemFree(da));
    OK(cuMemFree(db));
    OK(cuMemFree(dc));
}

static void reverse(CUfunction f)
{
    const int n = 128;
    int x[n], count = n;
    CUdeviceptr d;
    for (int i = 0; i < n; i++)
        x[i] = i;
    OK(cuMemAlloc(&d, sizeof(x)));
    OK(cuMemcpyHtoD(d, x, sizeof(x)));
    void *args[] = {&d, &count};
    OK(cuLaunchKernel(f, 1, 1, 1, n, 1, 1, sizeof(x), NULL, args, NULL));
    OK(cuMemcpyDtoH(x, d, sizeof(x)));
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += x[i] != n - 1 - i;
    check(bad == 0, "reverse");
    OK(cuMemFree(d));
}

// A kernel may write to a constant whose address it is given; later launches read what it wrote.
static void write_constant(CUfunction add, CUdeviceptr factor, float was)
{
    const float number = 0.75f;
    float now = 0;
    int count = 1;
    CUdeviceptr d;
    OK(cuMemAlloc(&d, 4));
    OK(cuMemcpyHtoD(d, &number, 4));
    void *args[] = {&d, &d, &factor, &count};
    OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    OK(cuMemcpyDtoH(&now, factor, 4));
    check(now == was * (number + number), "a constant written by a kernel");
    add_vectors(add, now, false, NULL);
    OK(cuMemFree(d));
}

// before: how often vector_add has been launched
static void use_module(CUmodule module, const char *reverse_name, int before = 0)
{
    CUfunction add, mul, rev, none;
    CUdeviceptr p;
    size_t bytes = 0;
    CUstream stream;
    float two = 2;
    int calls = 0, regs = 0;

    OK(cuModuleGetFunction(&add, module, "vector_add"));
    OK(cuModuleGetFunction(&mul, module, "matrix_mul"));
    OK(cuModuleGetFunction(&rev, module, reverse_name));
    check(cuModuleGetFunction(&none, module, "no such kernel") == CUDA_ERROR_NOT_FOUND,
          "a missing kernel");
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    add_vectors(add, 1, false, stream);
    OK(cuModuleGetGlobal(&p, &bytes, module, "factor"));
    check(bytes == 4, "the size of a variable");
    OK(cuMemcpyHtoD(p, &two, 4));
    add_vectors(add, 2, true, NULL);
    write_constant(add, p, two);
    OK(cuModuleGetGlobal(&p, &bytes, module, "calls"));
    OK(cuMemcpyDtoH(&calls, p, 4));
    check(calls == before + 4, "the count of calls");
    OK(cuFuncGetAttribute(&regs, CU_FUNC_ATTRIBUTE_NUM_REGS, mul));
    check(regs > 0, "the registers");
    multiply(mul);
    reverse(rev);
    OK(cuStreamDestroy(stream));
}

static CUcontext begin()
{
    CUdevice device;
    CUcontext context = NULL;
    int major = 0;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
#if CUDA_VERSION >= 13000
    OK(cuCtxCreate(&context, NULL, 0, device));
#else
    OK(cuCtxCreate(&context, 0, device));
#endif
    return context;
}

static int end(CUcontext context, const char *name)
{
    if (context != NULL)
        OK(cuCtxDestroy(context));
    printf("%s: %d wrong\n", name, wrong);
    return wrong != 0;
}
#endif
