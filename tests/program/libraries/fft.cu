/* cuFFT: transforms in one to three dimensions, compared with the definition. */
#include <cufft.h>

#include "check.h"

typedef std::vector<number> numbers;

/* The transform by its definition along one dimension of an array n[0] x n[1] x n[2]. */
static numbers along(const numbers &x, const int *n, int dim, int sign)
{
    numbers y(x.size());
    size_t stride = 1, length = (size_t)n[dim];

    for (int i = 2; i > dim; i--)
        stride *= (size_t)n[i];
    for (size_t i = 0; i < x.size(); i++) {
        size_t k = i / stride % length, first = i - k * stride;
        for (size_t j = 0; j < length; j++)
            y[i] += x[first + j * stride] *
                    std::polar(1.0, sign * 2 * M_PI * (double)(j * k % length) / (double)length);
    }
    return y;
}

static numbers transform(const numbers &x, const int *n, int sign)
{
    return along(along(along(x, n, 2, sign), n, 1, sign), n, 0, sign);
}

template <class T> static numbers of(const Array<T> &a)
{
    numbers v;

    for (size_t i = 0; i < a.host.size(); i++)
        v.push_back(a[i]);
    return v;
}

static cufftResult run(cufftHandle plan, cuComplex *x, int direction)
{
    return cufftExecC2C(plan, x, x, direction);
}
static cufftResult run(cufftHandle plan, cuDoubleComplex *x, int direction)
{
    return cufftExecZ2Z(plan, x, x, direction);
}
static cufftResult forward(cufftHandle plan, float *x, cuComplex *y) { return cufftExecR2C(plan, x, y); }
static cufftResult forward(cufftHandle plan, double *x, cuDoubleComplex *y) { return cufftExecD2Z(plan, x, y); }
static cufftResult back(cufftHandle plan, cuComplex *x, float *y) { return cufftExecC2R(plan, x, y); }
static cufftResult back(cufftHandle plan, cuDoubleComplex *x, double *y) { return cufftExecZ2D(plan, x, y); }

static void make_plan(cufftHandle *plan, const int *n, cufftType type)
{
    if (n[0] > 1)
        CALL(cufftPlan3d(plan, n[0], n[1], n[2], type));
    else if (n[1] > 1)
        CALL(cufftPlan2d(plan, n[1], n[2], type));
    else
        CALL(cufftPlan1d(plan, n[2], type, 1));
}

template <class T> static void complex_transform(const char *what, const int *n, cufftType type)
{
    size_t all = (size_t)n[0] * n[1] * n[2];
    Array<T> x(all);
    numbers before = of(x), wanted = transform(before, n, -1);
    cufftHandle plan;

    make_plan(&plan, n, type);
    CALL(run(plan, x.device, CUFFT_FORWARD));
    x.get();
    check_all(what, x, wanted, 10 * tolerance(T()));
    CALL(run(plan, x.device, CUFFT_INVERSE));
    x.get();
    for (number &v : before)
        v *= (double)all;
    check_all(what, x, before, 10 * tolerance(T()));
    CALL(cufftDestroy(plan));
}

template <class T, class C>
static void real_transform(const char *what, const int *n, cufftType type, cufftType inverse)
{
    size_t all = (size_t)n[0] * n[1] * n[2], half = (size_t)n[2] / 2 + 1, rows = all / n[2];
    Array<T> x(all);
    Array<C> y(rows * half);
    numbers before = of(x), full = transform(before, n, -1), wanted;
    cufftHandle plan;

    for (size_t i = 0; i < rows; i++)
        wanted.insert(wanted.end(), full.begin() + i * n[2], full.begin() + i * n[2] + half);
    make_plan(&plan, n, type);
    CALL(forward(plan, x.device, y.device));
    y.get();
    check_all(what, y, wanted, 10 * tolerance(T()));
    CALL(cufftDestroy(plan));
    make_plan(&plan, n, inverse);
    CALL(back(plan, y.device, x.device));
    x.get();
    for (number &v : before)
        v *= (double)all;
    check_all(what, x, before, 10 * tolerance(T()));
    CALL(cufftDestroy(plan));
}

static void batches()
{
    enum { LENGTH = 96, BATCH = 5 };
    Array<cuComplex> x(LENGTH * BATCH);
    const int n[] = {1, BATCH, LENGTH};
    numbers wanted = along(of(x), n, 2, -1);
    int length = LENGTH;
    cufftHandle plan;

    CALL(cufftPlanMany(&plan, 1, &length, NULL, 1, LENGTH, NULL, 1, LENGTH, CUFFT_C2C, BATCH));
    CALL(run(plan, x.device, CUFFT_FORWARD));
    x.get();
    check_all("several transforms of one plan", x, wanted, 1e-4);
    CALL(cufftDestroy(plan));
}

int main()
{
    static const struct {
        const char *name;
        int n[3];
    } shapes[] = {
        {"256", {1, 1, 256}},          {"2048", {1, 1, 2048}},      {"1000", {1, 1, 1000}},
        {"a prime, 509", {1, 1, 509}}, {"32 x 64", {1, 32, 64}},    {"30 x 42", {1, 30, 42}},
        {"8 x 16 x 32", {8, 16, 32}},  {"6 x 10 x 14", {6, 10, 14}},
    };

    for (const auto &s : shapes) {
        complex_transform<cuComplex>(s.name, s.n, CUFFT_C2C);
        complex_transform<cuDoubleComplex>(s.name, s.n, CUFFT_Z2Z);
        real_transform<float, cuComplex>(s.name, s.n, CUFFT_R2C, CUFFT_C2R);
        real_transform<double, cuDoubleComplex>(s.name, s.n, CUFFT_D2Z, CUFFT_Z2D);
    }
    batches();
    return report("cufft");
}
