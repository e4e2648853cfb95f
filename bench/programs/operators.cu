/*
 * Stand-ins for elementwise kernels of PyTorch 2.1, with their shape and their accesses: vectorized_elementwise_kernel<4>,
 * 128 threads, of which each reads four consecutive floats of every input at once and writes four. The functor is C of
 * the same meaning; the machine code is not PyTorch's. usage: operators NAME ELEMENTS
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { THREADS = 128, VECTOR = 4 };

struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
struct Mul { __device__ float operator()(float a, float b) const { return a * b; } };
struct Div { __device__ float operator()(float a, float b) const { return a / b; } };
struct AddScalar { __device__ float operator()(float a) const { return a + 1.5f; } };
struct MulScalar { __device__ float operator()(float a) const { return a * 1.5f; } };
struct DivScalar { float by; __device__ float operator()(float a) const { return a / by; } };
struct Relu { __device__ float operator()(float a) const { return a > 0.0f ? a : 0.0f; } };
struct Tanh { __device__ float operator()(float a) const { return tanhf(a); } };
struct Gelu { __device__ float operator()(float a) const { return a * 0.5f * (1.0f + erff(a * 0.70710678f)); } };

/* The last block, which is not full, goes element by element, as in PyTorch. */
template <class F> __global__ void unary(int n, F f, const float *a, float *out)
{
    const int base = THREADS * VECTOR * blockIdx.x;
    if (n - base < THREADS * VECTOR) {
        for (int i = base + threadIdx.x; i < n; i += THREADS)
            out[i] = f(a[i]);
        return;
    }
    const int i = base / VECTOR + threadIdx.x;
    float4 x = reinterpret_cast<const float4 *>(a)[i];
    reinterpret_cast<float4 *>(out)[i] = make_float4(f(x.x), f(x.y), f(x.z), f(x.w));
}

template <class F> __global__ void binary(int n, F f, const float *a, const float *b, float *out)
{
    const int base = THREADS * VECTOR * blockIdx.x;
    if (n - base < THREADS * VECTOR) {
        for (int i = base + threadIdx.x; i < n; i += THREADS)
            out[i] = f(a[i], b[i]);
        return;
    }
    const int i = base / VECTOR + threadIdx.x;
    float4 x = reinterpret_cast<const float4 *>(a)[i], y = reinterpret_cast<const float4 *>(b)[i];
    reinterpret_cast<float4 *>(out)[i] = make_float4(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z), f(x.w, y.w));
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const char *name = argv[1];
    const int n = atoi(argv[2]), blocks = (n + THREADS * VECTOR - 1) / (THREADS * VECTOR);
    float *a, *b, *out;
    if (cudaMalloc(&a, n * 4UL) != cudaSuccess || cudaMalloc(&b, n * 4UL) != cudaSuccess ||
        cudaMalloc(&out, n * 4UL) != cudaSuccess)
        return 1;
    if (strcmp(name, "add") == 0)
        binary<<<blocks, THREADS>>>(n, Add(), a, b, out);
    else if (strcmp(name, "mul") == 0)
        binary<<<blocks, THREADS>>>(n, Mul(), a, b, out);
    else if (strcmp(name, "div") == 0)
        binary<<<blocks, THREADS>>>(n, Div(), a, b, out);
    else if (strcmp(name, "addu") == 0)
        unary<<<blocks, THREADS>>>(n, AddScalar(), a, out);
    else if (strcmp(name, "mulu") == 0)
        unary<<<blocks, THREADS>>>(n, MulScalar(), a, out);
    else if (strcmp(name, "divu") == 0)
        unary<<<blocks, THREADS>>>(n, DivScalar{3.0f}, a, out);
    else if (strcmp(name, "relu") == 0)
        unary<<<blocks, THREADS>>>(n, Relu(), a, out);
    else if (strcmp(name, "tanh") == 0)
        unary<<<blocks, THREADS>>>(n, Tanh(), a, out);
    else if (strcmp(name, "gelu") == 0)
        unary<<<blocks, THREADS>>>(n, Gelu(), a, out);
    else
        return 2;
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
