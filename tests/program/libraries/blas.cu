/* cuBLAS: BLAS 1 to 3 in four types, strided and batched products. */
#include <cublas_v2.h>

#include "check.h"

enum { M = 37, N = 29, K = 43, BATCH = 3 };

static cublasHandle_t handle;

/* The calls by type. */
#define BY_TYPE(T, s)                                                                              \
    static cublasStatus_t axpy(int n, const T *a, const T *x, T *y)                                \
    {                                                                                              \
        return cublas##s##axpy(handle, n, a, x, 1, y, 2);                                          \
    }                                                                                              \
    static cublasStatus_t scal(int n, const T *a, T *x) { return cublas##s##scal(handle, n, a, x, 1); } \
    static cublasStatus_t swap(int n, T *x, T *y) { return cublas##s##swap(handle, n, x, 1, y, 1); } \
    static cublasStatus_t copy(int n, const T *x, T *y)                                            \
    {                                                                                              \
        return cublas##s##copy(handle, n, x, 3, y, 1);                                             \
    }                                                                                              \
    static cublasStatus_t gemv(cublasOperation_t op, const T *a, const T *A, const T *x, const T *b, \
                               T *y)                                                               \
    {                                                                                              \
        return cublas##s##gemv(handle, op, M, N, a, A, M, x, 1, b, y, 1);                          \
    }                                                                                              \
    static cublasStatus_t trsv(const T *A, T *x)                                                   \
    {                                                                                              \
        return cublas##s##trsv(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT,  \
                               M, A, M, x, 1);                                                     \
    }                                                                                              \
    static cublasStatus_t gemm(cublasOperation_t opa, cublasOperation_t opb, const T *a, const T *A, \
                               int lda, const T *B, int ldb, const T *b, T *C)                     \
    {                                                                                              \
        return cublas##s##gemm(handle, opa, opb, M, N, K, a, A, lda, B, ldb, b, C, M);             \
    }                                                                                              \
    static cublasStatus_t strided(const T *a, const T *A, const T *B, const T *b, T *C)            \
    {                                                                                              \
        return cublas##s##gemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, a, A, M,   \
                                             M *K, B, K, K *N, b, C, M, M *N, BATCH);              \
    }                                                                                              \
    static cublasStatus_t batched(const T *a, const T *const *A, const T *const *B, const T *b,    \
                                  T *const *C)                                                     \
    {                                                                                              \
        return cublas##s##gemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, a, A, M, B, K, b, \
                                      C, M, BATCH);                                                \
    }                                                                                              \
    static cublasStatus_t syrk(const T *a, const T *A, const T *b, T *C)                           \
    {                                                                                              \
        return cublas##s##syrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, M, K, a, A, M, b, C, M); \
    }                                                                                              \
    static cublasStatus_t trsm(const T *a, const T *A, T *B)                                       \
    {                                                                                              \
        return cublas##s##trsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,      \
                               CUBLAS_DIAG_NON_UNIT, M, N, a, A, M, B, M);                         \
    }                                                                                              \
    static cublasStatus_t symm(const T *a, const T *A, const T *B, const T *b, T *C)               \
    {                                                                                              \
        return cublas##s##symm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, M, N, a, A, M, B, \
                               M, b, C, M);                                                        \
    }

BY_TYPE(float, S)
BY_TYPE(double, D)
BY_TYPE(cuComplex, C)
BY_TYPE(cuDoubleComplex, Z)

#define SUMS(T, R, s, sr, dotname)                                                                 \
    static cublasStatus_t dot(int n, const T *x, const T *y, T *r)                                 \
    {                                                                                              \
        return cublas##s##dotname(handle, n, x, 1, y, 1, r);                                       \
    }                                                                                              \
    static cublasStatus_t nrm2(int n, const T *x, R *r) { return cublas##sr##nrm2(handle, n, x, 1, r); } \
    static cublasStatus_t asum(int n, const T *x, R *r) { return cublas##sr##asum(handle, n, x, 1, r); }

SUMS(float, float, S, S, dot)
SUMS(double, double, D, D, dot)
SUMS(cuComplex, float, C, Sc, dotu)
SUMS(cuDoubleComplex, double, Z, Dz, dotu)

static cublasStatus_t iamax(int n, const float *x, int *r) { return cublasIsamax(handle, n, x, 1, r); }
static cublasStatus_t iamax(int n, const double *x, int *r) { return cublasIdamax(handle, n, x, 1, r); }
static cublasStatus_t iamax(int n, const cuComplex *x, int *r) { return cublasIcamax(handle, n, x, 1, r); }
static cublasStatus_t iamax(int n, const cuDoubleComplex *x, int *r)
{
    return cublasIzamax(handle, n, x, 1, r);
}

/* --- the same on the CPU --------------------------------------------------------------------- */

typedef std::vector<number> numbers;

template <class T> static numbers of(const Array<T> &a)
{
    numbers v;

    for (size_t i = 0; i < a.host.size(); i++)
        v.push_back(a[i]);
    return v;
}

/* An element of a matrix that is used as it is, transposed, or conjugated too. */
static number element(const numbers &a, int rows, int i, int j, cublasOperation_t op)
{
    number v = op == CUBLAS_OP_N ? a[i + (size_t)j * rows] : a[j + (size_t)i * rows];
    return op == CUBLAS_OP_C ? std::conj(v) : v;
}

static numbers product(const numbers &a, int lda, cublasOperation_t opa, const numbers &b, int ldb,
                       cublasOperation_t opb, const numbers &c, number alpha, number beta)
{
    numbers r(c);

    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            number sum = 0;
            for (int k = 0; k < K; k++)
                sum += element(a, lda, i, k, opa) * element(b, ldb, k, j, opb);
            r[i + j * M] = alpha * sum + beta * c[i + j * M];
        }
    return r;
}

static double size_of(number v, bool is_complex)
{
    return is_complex ? std::fabs(v.real()) + std::fabs(v.imag()) : std::abs(v);
}

/* --------------------------------------------------------------------------------------------- */

template <class T, class R> static void vectors(bool is_complex)
{
    enum { LENGTH = 1000 };
    Array<T> x(3 * LENGTH), y(2 * LENGTH), z(LENGTH);
    T alpha = to<T>(number(1.5, -0.5)), dotted;
    numbers wanted = of(y);
    number sum = 0;
    double squares = 0, sizes = 0, error = tolerance(T());
    R norm, total;
    int largest, first = 0;

    for (int i = 0; i < LENGTH; i++)
        wanted[2 * i] += value(alpha) * x[i];
    CALL(axpy(LENGTH, &alpha, x.device, y.device));
    y.get();
    check_all("axpy", y, wanted, error);
    for (int i = 0; i < LENGTH; i++) {
        sum += x[i] * y[i];
        squares += std::norm(x[i]);
        sizes += size_of(x[i], is_complex);
        if (size_of(x[i], is_complex) > size_of(x[first], is_complex))
            first = i;
    }
    CALL(dot(LENGTH, x.device, y.device, &dotted));
    check("dot", std::abs(value(dotted) - sum) <= 10 * error * squares);
    CALL(nrm2(LENGTH, x.device, &norm));
    check("nrm2", std::fabs(norm - std::sqrt(squares)) <= error * norm);
    CALL(asum(LENGTH, x.device, &total));
    check("asum", std::fabs(total - sizes) <= error * sizes);
    CALL(iamax(LENGTH, x.device, &largest));
    check("iamax", largest == first + 1);
    wanted.resize(LENGTH);
    for (int i = 0; i < LENGTH; i++)
        wanted[i] = x[3 * i];
    CALL(copy(LENGTH, x.device, z.device));
    z.get();
    check_all("copy", z, wanted, 0);
    for (int i = 0; i < LENGTH; i++)
        wanted[i] *= value(alpha);
    CALL(scal(LENGTH, &alpha, z.device));
    z.get();
    check_all("scal", z, wanted, error);
    numbers before = of(x);
    before.resize(LENGTH);
    CALL(swap(LENGTH, x.device, z.device));
    z.get();
    check_all("swap", z, before, 0);
}

template <class T> static void matrix_vectors()
{
    Array<T> A(M * M), x(M), y(M);
    T alpha = to<T>(number(0.5, 1)), beta = to<T>(number(-2, 0.25));
    numbers a = of(A), wanted(M);
    double error = tolerance(T());

    for (int i = 0; i < M; i++) {
        wanted[i] = value(beta) * y[i];
        for (int j = 0; j < N; j++)
            wanted[i] += value(alpha) * A[i + j * M] * x[j];
    }
    CALL(gemv(CUBLAS_OP_N, &alpha, A.device, x.device, &beta, y.device));
    y.get();
    check_all("gemv", y, wanted, error);
    wanted.resize(N);
    for (int j = 0; j < N; j++) {
        wanted[j] = value(beta) * y[j];
        for (int i = 0; i < M; i++)
            wanted[j] += value(alpha) * A[i + j * M] * x[i];
    }
    CALL(gemv(CUBLAS_OP_T, &alpha, A.device, x.device, &beta, y.device));
    y.get();
    check_all("gemv transposed", y, wanted, error);

    for (int i = 0; i < M; i++)
        make(A.host[i + i * M], number(20 + i, 1));
    A.put();
    wanted.assign(M, 0);
    for (int i = 0; i < M; i++) {
        number sum = x[i];
        for (int j = 0; j < i; j++)
            sum -= A[i + j * M] * wanted[j];
        wanted[i] = sum / A[i + i * M];
    }
    CALL(trsv(A.device, x.device));
    x.get();
    check_all("trsv", x, wanted, 10 * error);
}

template <class T> static void products()
{
    static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
    Array<T> A(M * K), B(K * N);
    T alpha = to<T>(number(1.25, -1)), beta = to<T>(number(0.5, 0.5));
    numbers a = of(A), b = of(B);

    for (int i = 0; i < 9; i++) {
        cublasOperation_t opa = ops[i / 3], opb = ops[i % 3];
        int lda = opa == CUBLAS_OP_N ? M : K, ldb = opb == CUBLAS_OP_N ? K : N;
        Array<T> C(M * N);
        numbers wanted = product(a, lda, opa, b, ldb, opb, of(C), value(alpha), value(beta));
        CALL(gemm(opa, opb, &alpha, A.device, lda, B.device, ldb, &beta, C.device));
        C.get();
        check_all("gemm", C, wanted, tolerance(T()));
    }
}

template <class T> static void many_products()
{
    Array<T> A(M * K * BATCH), B(K * N * BATCH), C(M * N * BATCH);
    T alpha = to<T>(number(1, 2)), beta = to<T>(0);
    numbers a = of(A), b = of(B), wanted;
    T *lists[3][BATCH], **device;

    for (int i = 0; i < BATCH; i++) {
        numbers one = product(numbers(a.begin() + i * M * K, a.end()), M, CUBLAS_OP_N,
                              numbers(b.begin() + i * K * N, b.end()), K, CUBLAS_OP_N,
                              numbers(M * N), value(alpha), 0);
        wanted.insert(wanted.end(), one.begin(), one.end());
        lists[0][i] = A.device + i * M * K;
        lists[1][i] = B.device + i * K * N;
        lists[2][i] = C.device + i * M * N;
    }
    CALL(strided(&alpha, A.device, B.device, &beta, C.device));
    C.get();
    check_all("gemmStridedBatched", C, wanted, tolerance(T()));
    CALL(cudaMemset(C.device, 0, wanted.size() * sizeof(T)));
    CALL(cudaMalloc((void **)&device, sizeof(lists)));
    CALL(cudaMemcpy(device, lists, sizeof(lists), cudaMemcpyHostToDevice));
    CALL(batched(&alpha, device, device + BATCH, &beta, device + 2 * BATCH));
    C.get();
    check_all("gemmBatched", C, wanted, tolerance(T()));
    cudaFree(device);
}

template <class T> static void triangles()
{
    Array<T> A(M * M), B(M * N), C(M * M), D(M * K), E(M * N);
    T alpha = to<T>(number(2, 1)), beta = to<T>(number(1, -1));
    numbers c = of(C), wanted = c;
    double error = 10 * tolerance(T());

    for (int j = 0; j < M; j++)
        for (int i = j; i < M; i++) {
            number sum = 0;
            for (int k = 0; k < K; k++)
                sum += D[i + k * M] * D[j + k * M];
            wanted[i + j * M] = value(alpha) * sum + value(beta) * c[i + j * M];
        }
    CALL(syrk(&alpha, D.device, &beta, C.device));
    C.get();
    check_all("syrk", C, wanted, error);

    wanted.assign(M * N, 0);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            number sum = 0;
            for (int k = 0; k < M; k++)
                sum += A[i <= k ? i + k * M : k + i * M] * B[k + j * M];
            wanted[i + j * M] = value(alpha) * sum + value(beta) * E[i + j * M];
        }
    CALL(symm(&alpha, A.device, B.device, &beta, E.device));
    E.get();
    check_all("symm", E, wanted, error);

    for (int i = 0; i < M; i++)
        make(A.host[i + i * M], number(20 + i, 1));
    A.put();
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            number sum = value(alpha) * B[i + j * M];
            for (int k = 0; k < i; k++)
                sum -= A[i + k * M] * wanted[k + j * M];
            wanted[i + j * M] = sum / A[i + i * M];
        }
    CALL(trsm(&alpha, A.device, B.device));
    B.get();
    check_all("trsm", B, wanted, error);
}

template <class T, class R> static void try_type(bool is_complex)
{
    vectors<T, R>(is_complex);
    matrix_vectors<T>();
    products<T>();
    many_products<T>();
    triangles<T>();
}

int main()
{
    CALL(cublasCreate(&handle));
    try_type<float, float>(false);
    try_type<double, double>(false);
    try_type<cuComplex, float>(true);
    try_type<cuDoubleComplex, double>(true);
    CALL(cublasDestroy(handle));
    return report("cublas");
}
