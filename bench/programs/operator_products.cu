/*
 * Products as PyTorch 2.1 asks cuBLAS for them, in single precision, row by row as there:
 *   operator_products linear 1 M N K   M x N by the transpose of K x N, plus a bias: cuBLASLt with the bias as epilogue
 *   operator_products bmm B M N K      B products of M x N by N x K
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cublasLt.h>
#include <cublas_v2.h>

static void check(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "operator_products: %s failed\n", what);
        exit(1);
    }
}

static float *numbers(size_t n)
{
    float *p = nullptr;
    check(cudaMalloc(&p, n * sizeof *p) == cudaSuccess, "cudaMalloc");
    return p;
}

static void linear(int m, int n, int k, const float *a, const float *b, float *out)
{
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const size_t workspace = 1 << 20; /* PyTorch's */
    const float one = 1, zero = 0;
    const float *bias = numbers(k);
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t of_a, of_b, of_out;
    cublasLtMatmulPreference_t wish;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    check(cublasLtCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasLtCreate");
    cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
    cublasLtMatrixLayoutCreate(&of_b, CUDA_R_32F, n, k, n);
    cublasLtMatrixLayoutCreate(&of_a, CUDA_R_32F, n, m, n);
    cublasLtMatrixLayoutCreate(&of_out, CUDA_R_32F, k, m, k);
    cublasLtMatmulPreferenceCreate(&wish);
    cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
    check(cublasLtMatmulAlgoGetHeuristic(handle, product, of_b, of_a, of_out, of_out, wish, 1, &found, &count) ==
              CUBLAS_STATUS_SUCCESS && count > 0, "cublasLtMatmulAlgoGetHeuristic");
    check(cublasLtMatmul(handle, product, &one, b, of_b, a, of_a, &zero, out, of_out, out, of_out, &found.algo,
                         numbers(workspace / sizeof(float)), workspace, 0) == CUBLAS_STATUS_SUCCESS, "cublasLtMatmul");
}

static void batched(int batch, int m, int n, int k, const float *a, const float *b, float *out)
{
    const float one = 1, zero = 0;
    cublasHandle_t handle;
    check(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
    check(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, k, m, n, &one, b, k, (long long)n * k, a, n,
                                    (long long)m * n, &zero, out, k, (long long)m * k, batch) == CUBLAS_STATUS_SUCCESS,
          "cublasSgemmStridedBatched");
}

int main(int argc, char **argv)
{
    check(argc == 6, "usage: operator_products linear|bmm B M N K");
    const int batch = atoi(argv[2]), m = atoi(argv[3]), n = atoi(argv[4]), k = atoi(argv[5]);
    const float *a = numbers((size_t)batch * m * n), *b = numbers((size_t)batch * n * k);
    float *out = numbers((size_t)batch * m * k);
    if (strcmp(argv[1], "linear") == 0)
        linear(m, n, k, a, b, out);
    else
        batched(batch, m, n, k, a, b, out);
    check(cudaDeviceSynchronize() == cudaSuccess, "a kernel");
    return 0;
}
