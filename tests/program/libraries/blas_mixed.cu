/* cuBLAS and cuBLASLt with half precision and bytes: tensor cores where the GPU has them, and
 * products with epilogues. */
#include <cublasLt.h>
#include <cublas_v2.h>

#include "check.h"

enum { M = 128, N = 96, K = 64 };

static cublasHandle_t handle;
static cublasLtHandle_t lt;

template <class A, class B, class C>
static std::vector<number> product(const Array<A> &a, const Array<B> &b, const Array<C> &c,
                                   bool transposed, double alpha, double beta)
{
    std::vector<number> r(M * N);

    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            number sum = 0;
            for (int k = 0; k < K; k++)
                sum += (transposed ? a[k + i * K] : a[i + k * M]) * b[k + j * K];
            r[i + j * M] = alpha * sum + beta * c[i + j * M];
        }
    return r;
}

template <class T, class S>
static void gemm_ex(const char *what, cudaDataType_t in, cudaDataType_t out,
                    cublasComputeType_t how, S alpha, S beta, bool transposed, double error)
{
    typedef T In;
    Array<In> a(M * K), b(K * N);
    Array<typename std::conditional<std::is_same<T, signed char>::value, int,
                                    typename std::conditional<std::is_same<S, __half>::value,
                                                              __half, float>::type>::type>
        c(M * N);
    std::vector<number> wanted =
        product(a, b, c, transposed, value(alpha).real(), value(beta).real());

    CALL(cublasGemmEx(handle, transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &alpha,
                      a.device, in, transposed ? K : M, b.device, in, K, &beta, c.device, out, M,
                      how, CUBLAS_GEMM_DEFAULT));
    c.get();
    check_all(what, c, wanted, error);
}

static void half_products()
{
    gemm_ex<__half, float>("gemmEx halves, sums in single precision", CUDA_R_16F, CUDA_R_32F,
                           CUBLAS_COMPUTE_32F, 1.5f, 0.5f, false, 1e-5);
    gemm_ex<__half, float>("gemmEx halves, transposed", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F,
                           1.0f, 0.0f, true, 1e-5);
    gemm_ex<__half, __half>("gemmEx halves only", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F,
                            __float2half(1.0f), __float2half(0.0f), false, 1e-2);
    gemm_ex<signed char, int>("gemmEx bytes", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 1, 0, true,
                              0);

    Array<__half> a(M * K), b(K * N), c(M * N);
    __half one = __float2half(1), zero = __float2half(0);
    std::vector<number> wanted = product(a, b, c, false, 1, 0);
    CALL(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &one, a.device, M, b.device, K,
                     &zero, c.device, M));
    c.get();
    check_all("hgemm", c, wanted, 1e-2);
}

/* --- cuBLASLt -------------------------------------------------------------------------------- */

static double gelu(double x)
{
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double after(cublasLtEpilogue_t epilogue, double x, double bias)
{
    switch (epilogue) {
    case CUBLASLT_EPILOGUE_RELU:
        return x > 0 ? x : 0;
    case CUBLASLT_EPILOGUE_BIAS:
        return x + bias;
    case CUBLASLT_EPILOGUE_RELU_BIAS:
        return x + bias > 0 ? x + bias : 0;
    case CUBLASLT_EPILOGUE_GELU:
        return gelu(x);
    case CUBLASLT_EPILOGUE_GELU_BIAS:
        return gelu(x + bias);
    default:
        return x;
    }
}

template <class T>
static void matmul(const char *what, cudaDataType_t type, cublasLtEpilogue_t epilogue,
                   double error)
{
    Array<T> a(M * K), b(K * N), c(M * N), bias(M);
    Array<char> workspace(4 << 20);
    std::vector<number> wanted = product(a, b, c, false, 0.25, 1);
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t la, lb, lc;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    size_t bytes = workspace.host.size();
    float alpha = 0.25f, beta = 1;
    int n = 0;

    for (int i = 0; i < M * N; i++)
        wanted[i] = after(epilogue, wanted[i].real(), bias[i % M].real());
    CALL(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CALL(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                        sizeof(epilogue)));
    if (epilogue & CUBLASLT_EPILOGUE_BIAS) /* otherwise the pointer is refused */
        CALL(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                            &bias.device, sizeof(bias.device)));
    CALL(cublasLtMatrixLayoutCreate(&la, type, M, K, M));
    CALL(cublasLtMatrixLayoutCreate(&lb, type, K, N, K));
    CALL(cublasLtMatrixLayoutCreate(&lc, type, M, N, M));
    CALL(cublasLtMatmulPreferenceCreate(&preference));
    CALL(cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof(bytes)));
    CALL(cublasLtMatmulAlgoGetHeuristic(lt, operation, la, lb, lc, lc, preference, 1, &found, &n));
    check("heuristics", n == 1);
    if (n == 1)
        CALL(cublasLtMatmul(lt, operation, &alpha, a.device, la, b.device, lb, &beta, c.device, lc,
                            c.device, lc, &found.algo, workspace.device, bytes, 0));
    c.get();
    check_all(what, c, wanted, error);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(lc);
    cublasLtMatrixLayoutDestroy(lb);
    cublasLtMatrixLayoutDestroy(la);
    cublasLtMatmulDescDestroy(operation);
}

template <class T> static void epilogues(cudaDataType_t type, double error)
{
    matmul<T>("matmul", type, CUBLASLT_EPILOGUE_DEFAULT, error);
    matmul<T>("matmul, relu", type, CUBLASLT_EPILOGUE_RELU, error);
    matmul<T>("matmul, bias", type, CUBLASLT_EPILOGUE_BIAS, error);
    matmul<T>("matmul, relu of bias", type, CUBLASLT_EPILOGUE_RELU_BIAS, error);
    matmul<T>("matmul, gelu", type, CUBLASLT_EPILOGUE_GELU, error);
    matmul<T>("matmul, gelu of bias", type, CUBLASLT_EPILOGUE_GELU_BIAS, error);
}

int main()
{
    CALL(cublasCreate(&handle));
    CALL(cublasLtCreate(&lt));
    half_products();
    epilogues<float>(CUDA_R_32F, 1e-4);
    epilogues<__half>(CUDA_R_16F, 3e-3);
    CALL(cublasLtDestroy(lt));
    CALL(cublasDestroy(handle));
    return report("cublas and cublasLt, mixed precision");
}
