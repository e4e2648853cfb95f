// Calls cuBLAS for rows of a table such as deepbench.tsv: twice each, because the published times
// are means of repeated calls; a launch of mark<<<row, 32>>> precedes each call.
//
//   deepbench_gemm TABLE
//
// fp32: floats. fp16: halves, summed as floats, on tensor cores. C is added to, as in DeepBench.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cublas_v2.h>
#include <cuda_fp16.h>

__global__ void mark()
{
}

template <typename T> __global__ void fill(T *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x)
        p[i] = T((float)(i * 2654435761u >> 20 & 15) / 16 - 0.5f);
}

static void check(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "deepbench_gemm: %s failed\n", what);
        exit(1);
    }
}

template <typename T> static T *numbers(size_t n)
{
    T *p = nullptr;
    check(cudaMalloc(&p, n * sizeof(T)) == cudaSuccess, "cudaMalloc");
    fill<<<1280, 256>>>(p, n);
    return p;
}

template <typename T>
static void row(cublasHandle_t handle, cudaDataType type, unsigned number, int m, int n, int k, bool ta, bool tb)
{
    T *a = numbers<T>((size_t)m * k), *b = numbers<T>((size_t)k * n), *c = numbers<T>((size_t)m * n);
    const float alpha = 1.0f / k, beta = 1;
    for (int call = 0; call < 2; call++) {
        mark<<<number, 32>>>();
        check(cublasGemmEx(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, a,
                           type, ta ? k : m, b, type, tb ? n : k, &beta, c, type, m, CUBLAS_COMPUTE_32F,
                           CUBLAS_GEMM_DEFAULT_TENSOR_OP) == CUBLAS_STATUS_SUCCESS,
              "cublasGemmEx");
    }
    check(cudaDeviceSynchronize() == cudaSuccess, "a kernel");
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

int main(int argc, char **argv)
{
    FILE *table = argc == 2 ? fopen(argv[1], "r") : nullptr;
    cublasHandle_t handle;
    char line[256], type[16], ta, tb;
    int m, n, k;

    check(table != nullptr, "opening TABLE");
    check(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
    for (unsigned number = 1; fgets(line, sizeof(line), table) != nullptr;) {
        if (sscanf(line, "%15s %d %d %d %c %c", type, &m, &n, &k, &ta, &tb) != 6)
            continue;
        if (strcmp(type, "fp16") == 0)
            row<__half>(handle, CUDA_R_16F, number, m, n, k, ta == 'T', tb == 'T');
        else
            row<float>(handle, CUDA_R_32F, number, m, n, k, ta == 'T', tb == 'T');
        number++;
    }
    cublasDestroy(handle);
    return 0;
}
