/* cuSOLVER: LU, QR and Cholesky factors, eigenvalues and singular values. */
#include <cusolverDn.h>

#include "check.h"

enum { N = 64 };

static cusolverDnHandle_t handle;

/* How to apply the other factor of QR: real matrices are only transposed. */
static const cublasOperation_t op_S = CUBLAS_OP_T, op_D = CUBLAS_OP_T, op_C = CUBLAS_OP_C,
                               op_Z = CUBLAS_OP_C;

/* The calls by type. */
#define BY_TYPE(T, R, s, orm, evd)                                                                 \
    static void lu(T *a, int *pivots, T *b, int *info)                                             \
    {                                                                                              \
        int size;                                                                                  \
        CALL(cusolverDn##s##getrf_bufferSize(handle, N, N, a, N, &size));                          \
        Array<T> work(size);                                                                       \
        CALL(cusolverDn##s##getrf(handle, N, N, a, N, work.device, pivots, info));                 \
        CALL(cusolverDn##s##getrs(handle, CUBLAS_OP_N, N, 1, a, N, pivots, b, N, info));           \
    }                                                                                              \
    static void qr(T *a, T *tau, T *b, int *info)                                                  \
    {                                                                                              \
        int size[2];                                                                               \
        CALL(cusolverDn##s##geqrf_bufferSize(handle, N, N, a, N, &size[0]));                       \
        CALL(cusolverDn##s##orm##_bufferSize(handle, CUBLAS_SIDE_LEFT, op_##s, N, 1, N, a, N, \
                                             tau, b, N, &size[1]));                                \
        int most = size[0] > size[1] ? size[0] : size[1];                                          \
        Array<T> work(most);                                                                       \
        CALL(cusolverDn##s##geqrf(handle, N, N, a, N, tau, work.device, most, info));              \
        CALL(cusolverDn##s##orm(handle, CUBLAS_SIDE_LEFT, op_##s, N, 1, N, a, N, tau, b, N,   \
                                work.device, most, info));                                         \
    }                                                                                              \
    static void cholesky(T *a, T *b, int *info)                                                    \
    {                                                                                              \
        int size;                                                                                  \
        CALL(cusolverDn##s##potrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, N, a, N, &size));     \
        Array<T> work(size);                                                                       \
        CALL(cusolverDn##s##potrf(handle, CUBLAS_FILL_MODE_LOWER, N, a, N, work.device, size,      \
                                  info));                                                          \
        CALL(cusolverDn##s##potrs(handle, CUBLAS_FILL_MODE_LOWER, N, 1, a, N, b, N, info));        \
    }                                                                                              \
    static void eigen(T *a, R *w, int *info)                                                       \
    {                                                                                              \
        int size;                                                                                  \
        CALL(cusolverDn##s##evd##_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR,                     \
                                             CUBLAS_FILL_MODE_LOWER, N, a, N, w, &size));          \
        Array<T> work(size);                                                                       \
        CALL(cusolverDn##s##evd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N, a, N, \
                                w, work.device, size, info));                                      \
    }                                                                                              \
    static void singular(T *a, R *s_, T *u, T *v, int *info)                                       \
    {                                                                                              \
        int size;                                                                                  \
        CALL(cusolverDn##s##gesvd_bufferSize(handle, N, N, &size));                                \
        Array<T> work(size);                                                                       \
        Array<R> rest(N);                                                                          \
        CALL(cusolverDn##s##gesvd(handle, 'A', 'A', N, N, a, N, s_, u, N, v, N, work.device, size, \
                                  rest.device, info));                                             \
    }

BY_TYPE(float, float, S, ormqr, syevd)
BY_TYPE(double, double, D, ormqr, syevd)
BY_TYPE(cuComplex, float, C, unmqr, heevd)
BY_TYPE(cuDoubleComplex, double, Z, unmqr, heevd)

typedef std::vector<number> numbers;

template <class T> static numbers of(const Array<T> &a)
{
    numbers v;

    for (size_t i = 0; i < a.host.size(); i++)
        v.push_back(a[i]);
    return v;
}

/* A * x, where A is stored by columns. */
static numbers times(const numbers &a, const numbers &x)
{
    numbers y(N);

    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            y[i] += a[i + j * N] * x[j];
    return y;
}

/* Makes a Hermitian matrix with a heavy diagonal. */
template <class T> static void make_positive(Array<T> &a)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++) {
            number v = i == j ? number(N + i) : a[i + j * N];
            make(a.host[i + j * N], v);
            make(a.host[j + i * N], std::conj(v));
        }
    a.put();
}

template <class T> static void linear_systems(double error)
{
    Array<T> a(N * N), x(N), tau(N), r(N);
    Array<int> pivots(N), info(1);
    numbers full = of(a), solution = of(x), b = times(full, solution);

    for (int i = 0; i < N; i++)
        make(r.host[i], b[i]);
    r.put();
    lu(a.device, pivots.device, r.device, info.device);
    info.get();
    check("getrf, info", info.host[0] == 0);
    r.get();
    check_all("getrf and getrs", r, solution, 100 * error);

    a.put();
    for (int i = 0; i < N; i++)
        make(r.host[i], b[i]);
    r.put();
    qr(a.device, tau.device, r.device, info.device);
    a.get();
    r.get();
    numbers found(N);
    for (int i = N - 1; i >= 0; i--) {
        number sum = r[i];
        for (int j = i + 1; j < N; j++)
            sum -= a[i + j * N] * found[j];
        found[i] = sum / a[i + i * N];
    }
    for (int i = 0; i < N; i++)
        make(r.host[i], found[i]);
    check_all("geqrf and ormqr", r, solution, 100 * error);

    Array<T> p(N * N);
    make_positive(p);
    b = times(of(p), solution);
    for (int i = 0; i < N; i++)
        make(r.host[i], b[i]);
    r.put();
    cholesky(p.device, r.device, info.device);
    r.get();
    check_all("potrf and potrs", r, solution, 10 * error);
}

template <class T, class R> static void eigenvalues(double error)
{
    Array<T> a(N * N);
    Array<R> w(N);
    Array<int> info(1);

    make_positive(a);
    numbers full = of(a), left, right;
    eigen(a.device, w.device, info.device);
    a.get();
    w.get();
    info.get();
    check("evd, info", info.host[0] == 0);
    for (int k = 0; k < N; k++) {
        numbers v = of(a);
        v.erase(v.begin(), v.begin() + k * N);
        numbers av = times(full, v);
        left.insert(left.end(), av.begin(), av.end());
        for (int i = 0; i < N; i++)
            right.push_back(w[k] * v[i]);
    }
    double worst = 0;
    for (size_t i = 0; i < left.size(); i++)
        worst = std::fmax(worst, std::abs(left[i] - right[i]));
    check("syevd or heevd", worst <= 10 * error * 2 * N && w.host[0] > 1 && w.host[N - 1] < 4 * N);
}

template <class T, class R> static void singular_values(double error)
{
    Array<T> a(N * N), u(N * N), v(N * N);
    Array<R> s(N);
    Array<int> info(1);
    numbers full = of(a);
    double worst = 0;

    singular(a.device, s.device, u.device, v.device, info.device);
    u.get();
    v.get();
    s.get();
    info.get();
    check("gesvd, info", info.host[0] == 0);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            number sum = 0;
            for (int k = 0; k < N; k++)
                sum += u[i + k * N] * s[k] * v[k + j * N];
            worst = std::fmax(worst, std::abs(sum - full[i + j * N]));
        }
    check("gesvd", worst <= 100 * error);
}

template <class T, class R> static void try_type()
{
    linear_systems<T>(tolerance(T()) * 10);
    eigenvalues<T, R>(tolerance(T()));
    singular_values<T, R>(tolerance(T()));
}

int main()
{
    CALL(cusolverDnCreate(&handle));
    try_type<float, float>();
    try_type<double, double>();
    try_type<cuComplex, float>();
    try_type<cuDoubleComplex, double>();
    CALL(cusolverDnDestroy(handle));
    return report("cusolver");
}
