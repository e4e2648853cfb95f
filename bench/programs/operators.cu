/*
 * Stand-ins for kernels of PyTorch 2.1, with their shape and their accesses; the machine code is not PyTorch's.
 *   elementwise  128 threads, of which each reads four consecutive floats of every input at once and writes four
 *   softmax      up to 1,024 columns a warp for a row (two rows up to 128), which stays in registers; else a block for
 *                a row, which is read three times
 *   ln           a block of 32 x 4 threads for a row, which is read twice
 * usage: operators NAME ROWS COLUMNS
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { THREADS = 128, VECTOR = 4, WARP = 32 };

struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
struct Mul { __device__ float operator()(float a, float b) const { return a * b; } };
struct Div { __device__ float operator()(float a, float b) const { return a / b; } };
struct Pow { __device__ float operator()(float a, float b) const { return powf(a, b); } };
struct PowScalar { float to; __device__ float operator()(float a) const { return powf(a, to); } };
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

/* Across threads PyTorch compares and selects; fmaxf would be one instruction, and shorten what one thread does alone. */
struct Max { __device__ float operator()(float a, float b) const { return a < b ? b : a; } };

template <class F> __device__ float across_warp(float x, F f)
{
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        x = f(x, __shfl_xor_sync(0xffffffff, x, lanes));
    return x;
}

/* A warp has its rows in registers: they are read once and written once, a float a lane. */
template <int LOG2> __global__ void softmax_warp(float *out, const float *in, int rows, int columns)
{
    constexpr int WIDTH = 1 << LOG2, STEPS = WIDTH / WARP, ROWS = WIDTH <= 128 ? 2 : 1;
    const int first = (blockDim.y * blockIdx.x + threadIdx.y) * ROWS, here = min(rows - first, int(ROWS));
    const int at = first * columns + threadIdx.x;
    float x[ROWS][STEPS], top[ROWS], sum[ROWS];
    for (int r = 0; r < ROWS; r++)
        for (int s = 0; s < STEPS; s++)
            x[r][s] = r < here && threadIdx.x + s * WARP < columns ? in[at + r * columns + s * WARP] : -INFINITY;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        top[r] = x[r][0];
        for (int s = 0; s < STEPS; s++)
            top[r] = top[r] > x[r][s] ? top[r] : x[r][s];
        top[r] = across_warp(top[r], Max());
        sum[r] = 0;
        for (int s = 0; s < STEPS; s++)
            sum[r] += x[r][s] = expf(x[r][s] - top[r]);
        sum[r] = across_warp(sum[r], Add());
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (r >= here)
            break;
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            if (threadIdx.x + s * WARP < columns)
                out[at + r * columns + s * WARP] = sum[r] == 0.0f ? NAN : x[r][s] / sum[r];
    }
}

/* In shared memory: a lane of the first warp for each warp, of which it reads the 32 values in a row, then one thread. */
template <class F> __device__ float across_block(float *shared, float x, F f, float none)
{
    const unsigned lanes = (1ull << blockDim.x / WARP) - 1;
    __syncthreads();
    shared[threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x < WARP && threadIdx.x < blockDim.x / WARP) {
        float part = none;
#pragma unroll
        for (int i = 0; i < WARP; i++)
            part = f(part, shared[threadIdx.x * WARP + i]);
        __syncwarp(lanes);
        shared[threadIdx.x] = part;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = none;
        for (int i = 0; i < blockDim.x / WARP; i++)
            all = f(all, shared[i]);
        shared[0] = all;
    }
    __syncthreads();
    return shared[0];
}

struct LargestOf { __device__ float operator()(float a, float x) const { return fmaxf(a, x); } };
struct SumOfExp { float top; __device__ float operator()(float a, float x) const { return a + expf(x - top); } };

/* Columns before the first multiple of 16 bytes are taken alone, then four at once, then the rest alone. */
template <class F> __device__ float along_row(int shift, const float *row, int columns, F f, float x)
{
    if (shift > 0) {
        row -= shift;
        columns += shift;
        if (threadIdx.x >= shift)
            x = f(x, row[threadIdx.x]);
        columns -= blockDim.x;
        row += blockDim.x;
    }
    const int whole = columns - columns % (VECTOR * blockDim.x);
    for (int i = threadIdx.x; i * VECTOR < whole; i += blockDim.x) {
        const float4 v = reinterpret_cast<const float4 *>(row)[i];
        x = f(f(f(f(x, v.x), v.y), v.z), v.w);
    }
    for (int i = whole + threadIdx.x; i < columns; i += blockDim.x)
        x = f(x, row[i]);
    return x;
}

struct Share { float top, sum; __device__ float operator()(float x) const { return expf(x - top) / sum; } };

/* VECTOR reads before the first write, then the rest. */
__device__ void one_by_one(float *out, const float *in, int columns, Share f)
{
    const int whole = columns - columns % (VECTOR * blockDim.x);
    int i = threadIdx.x;
    for (; i < whole; i += VECTOR * blockDim.x) {
        float x[VECTOR];
#pragma unroll
        for (int j = 0; j < VECTOR; j++)
            x[j] = in[i + j * blockDim.x];
#pragma unroll
        for (int j = 0; j < VECTOR; j++)
            out[i + j * blockDim.x] = f(x[j]);
    }
    for (; i < columns; i += blockDim.x)
        out[i] = f(in[i]);
}

__global__ void softmax_block(float *out, const float *in, int columns)
{
    extern __shared__ float shared[];
    in += (size_t)blockIdx.x * columns;
    out += (size_t)blockIdx.x * columns;
    const int shift = reinterpret_cast<size_t>(in) % sizeof(float4) / sizeof(float);
    Share f;
    f.top = across_block(shared, along_row(shift, in, columns, LargestOf(), -INFINITY), Max(), -INFINITY);
    f.sum = across_block(shared, along_row(shift, in, columns, SumOfExp{f.top}, 0.0f), Add(), 0.0f);
    if (shift != reinterpret_cast<size_t>(out) % sizeof(float4) / sizeof(float)) { /* not so here, but it takes registers */
        one_by_one(out, in, columns, f);
        return;
    }
    if (shift > 0) {
        in -= shift;
        out -= shift;
        columns += shift;
        if (threadIdx.x >= shift)
            out[threadIdx.x] = f(in[threadIdx.x]);
        columns -= blockDim.x;
        in += blockDim.x;
        out += blockDim.x;
    }
    const int whole = columns - columns % (VECTOR * blockDim.x);
    for (int i = threadIdx.x; i * VECTOR < whole; i += blockDim.x) {
        const float4 v = reinterpret_cast<const float4 *>(in)[i];
        reinterpret_cast<float4 *>(out)[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
    }
    for (int i = whole + threadIdx.x; i < columns; i += blockDim.x)
        out[i] = f(in[i]);
}

/* Mean, sum of squared differences, count: Welford's, one by one and two at once. */
struct Moments {
    float mean, squares, count;
    __device__ Moments with(float x) const
    {
        const float d = x - mean, n = count + 1.0f, m = mean + d * (1.0f / n);
        return {m, squares + d * (x - m), n};
    }
    __device__ Moments with(Moments b) const
    {
        const float d = mean - b.mean, n = count + b.count;
        if (!(n > 0.0f))
            return {0.0f, 0.0f, n};
        const float by = 1.0f / n, na = b.count * by, nb = count * by;
        return {na * b.mean + nb * mean, squares + b.squares + d * d * b.count * nb, n};
    }
};

__device__ Moments of_row(const float4 *row, int vectors, int columns, float *shared)
{
    Moments w = {0.0f, 0.0f, 0.0f};
    const int first = threadIdx.x + threadIdx.y * blockDim.x, step = blockDim.x * blockDim.y;
    for (int i = first; i < vectors; i += step) {
        const float4 v = row[i];
        w = w.with(v.x).with(v.y).with(v.z).with(v.w);
    }
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        w = w.with(Moments{__shfl_down_sync(0xffffffff, w.mean, lanes), __shfl_down_sync(0xffffffff, w.squares, lanes),
                           __shfl_down_sync(0xffffffff, w.count, lanes)});
    float *counts = shared + blockDim.y;
    for (int warps = blockDim.y / 2; warps > 0; warps /= 2) {
        if (threadIdx.x == 0 && threadIdx.y >= warps && threadIdx.y < 2 * warps) {
            const int to = threadIdx.y - warps;
            shared[2 * to] = w.mean;
            shared[2 * to + 1] = w.squares;
            counts[to] = w.count;
        }
        __syncthreads();
        if (threadIdx.x == 0 && threadIdx.y < warps)
            w = w.with(Moments{shared[2 * threadIdx.y], shared[2 * threadIdx.y + 1], counts[threadIdx.y]});
        __syncthreads();
    }
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        shared[0] = w.mean;
        shared[1] = w.squares / columns;
    }
    __syncthreads();
    return {shared[0], shared[1], 0.0f};
}

/* Gain and bias float by float: so nvcc compiles PyTorch's four-wide access. */
__global__ void layer_norm(int columns, float epsilon, const float *__restrict__ in, const float *gain, const float *bias,
                           float *mean, float *scale, float *out)
{
    extern __shared__ float shared[];
    const int vectors = columns / VECTOR;
    const float4 *row = reinterpret_cast<const float4 *>(in + (size_t)blockIdx.x * columns);
    const Moments w = of_row(row, vectors, columns, shared);
    const float by = rsqrtf(w.squares + epsilon);
    const int first = threadIdx.x + threadIdx.y * blockDim.x, step = blockDim.x * blockDim.y;
    for (int i = first; i < vectors; i += step) {
        const float4 v = row[i];
        const float *g = gain + VECTOR * i, *b = bias + VECTOR * i;
        reinterpret_cast<float4 *>(out + (size_t)blockIdx.x * columns)[i] =
            make_float4(g[0] * (by * (v.x - w.mean)) + b[0], g[1] * (by * (v.y - w.mean)) + b[1],
                        g[2] * (by * (v.z - w.mean)) + b[2], g[3] * (by * (v.w - w.mean)) + b[3]);
    }
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        mean[blockIdx.x] = w.mean;
        scale[blockIdx.x] = by;
    }
}

static void softmax(float *out, const float *in, int rows, int columns)
{
    if (columns > 1024) {
        int threads = WARP;
        while (threads < (columns / VECTOR < 1024 ? columns / VECTOR : 1024) / 2)
            threads *= 2;
        softmax_block<<<rows, threads, threads * sizeof(float)>>>(out, in, columns);
        return;
    }
    void (*const kernel[])(float *, const float *, int, int) = {softmax_warp<5>, softmax_warp<6>, softmax_warp<7>,
        softmax_warp<8>, softmax_warp<9>, softmax_warp<10>};
    int log2 = 5;
    while (1 << log2 < columns)
        log2++;
    const int each = THREADS / WARP * (log2 <= 7 ? 2 : 1);
    kernel[log2 - 5]<<<(rows + each - 1) / each, dim3(WARP, THREADS / WARP)>>>(out, in, rows, columns);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const char *name = argv[1];
    const int rows = atoi(argv[2]), columns = atoi(argv[3]), n = rows * columns;
    const int blocks = (n + THREADS * VECTOR - 1) / (THREADS * VECTOR);
    float *a, *b, *out;
    if (cudaMalloc(&a, n * 4UL) != cudaSuccess || cudaMalloc(&b, n * 4UL) != cudaSuccess ||
        cudaMalloc(&out, n * 4UL) != cudaSuccess)
        return 1;
    /* 0.75 each: 0 would take the slow paths of powf and of divisions */
    cudaMemset(a, 0x3f, n * 4UL);
    cudaMemset(b, 0x3f, n * 4UL);
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
    else if (strcmp(name, "pow") == 0)
        binary<<<blocks, THREADS>>>(n, Pow(), a, b, out);
    else if (strcmp(name, "powu") == 0)
        unary<<<blocks, THREADS>>>(n, PowScalar{1.5f}, a, out);
    else if (strcmp(name, "softmax") == 0)
        softmax(out, a, rows, columns);
    else if (strcmp(name, "ln") == 0)
        layer_norm<<<rows, dim3(WARP, THREADS / WARP), 6 * sizeof(float)>>>(columns, 1e-5f, a, b, b + columns, b + 2 * columns,
            b + 2 * columns + rows, out);
    else
        return 2;
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
