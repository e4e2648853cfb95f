/* What the programs share that try NVIDIA's libraries: numbers, calls, comparison with the CPU. */
#ifndef RUBATO_TESTS_LIBRARIES_CHECK_H
#define RUBATO_TESTS_LIBRARIES_CHECK_H

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuComplex.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

static int n_checks, n_wrong;

/* Says so if a call failed. */
#define CALL(call)                                                                                 \
    do {                                                                                           \
        int status_ = (int)(call);                                                                 \
        if (status_ != 0) {                                                                        \
            printf("%s: status %d\n", #call, status_);                                             \
            n_wrong++;                                                                             \
        }                                                                                          \
    } while (0)

/* Numbers between -1 and 1 with few bits, the same in every run. */
static double next_number()
{
    static unsigned state = 12345;

    state = state * 1664525u + 1013904223u;
    return (double)((int)(state >> 24) - 128) / 128;
}

/* Any type as a complex number in double precision. */
typedef std::complex<double> number;
static inline number value(float x)
{
    return x;
}
static inline number value(double x)
{
    return x;
}
static inline number value(__half x)
{
    return __half2float(x);
}
static inline number value(int x)
{
    return x;
}
static inline number value(unsigned x)
{
    return x;
}
static inline number value(char x)
{
    return x;
}
static inline number value(signed char x)
{
    return x;
}
static inline number value(cuComplex x)
{
    return number(x.x, x.y);
}
static inline number value(cuDoubleComplex x)
{
    return number(x.x, x.y);
}

static inline void make(float &x, number v)
{
    x = (float)v.real();
}
static inline void make(double &x, number v)
{
    x = v.real();
}
static inline void make(__half &x, number v)
{
    x = __float2half((float)v.real());
}
static inline void make(int &x, number v)
{
    x = (int)v.real();
}
static inline void make(unsigned &x, number)
{
    x = 0;
}
static inline void make(char &x, number)
{
    x = 0;
}
static inline void make(signed char &x, number v)
{
    x = (signed char)(100 * v.real());
}
static inline void make(cuComplex &x, number v)
{
    x = make_cuComplex((float)v.real(), (float)v.imag());
}
static inline void make(cuDoubleComplex &x, number v)
{
    x = make_cuDoubleComplex(v.real(), v.imag());
}

template <class T> static T to(number v)
{
    T x;
    make(x, v);
    return x;
}

/* The largest relative error that sums of some tens of terms may have. */
static inline double tolerance(float)
{
    return 1e-5;
}
static inline double tolerance(double)
{
    return 1e-12;
}
static inline double tolerance(__half)
{
    return 1e-2;
}
static inline double tolerance(int)
{
    return 0;
}
static inline double tolerance(cuComplex)
{
    return 1e-5;
}
static inline double tolerance(cuDoubleComplex)
{
    return 1e-12;
}

/* An array with a copy on the device. */
template <class T> struct Array {
    std::vector<T> host;
    T *device;

    explicit Array(size_t n) : host(n)
    {
        for (size_t i = 0; i < n; i++) {
            double re = next_number();
            make(host[i], number(re, next_number()));
        }
        CALL(cudaMalloc((void **)&device, n * sizeof(T)));
        put();
    }
    ~Array()
    {
        cudaFree(device);
    }
    void put()
    {
        CALL(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    void get()
    {
        CALL(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    }
    number operator[](size_t i) const
    {
        return value(host[i]);
    }
};

static void check(const char *what, bool right)
{
    n_checks++;
    if (right)
        return;
    n_wrong++;
    printf("%s: wrong\n", what);
}

/* Compares what the device has computed with the numbers of the CPU. */
template <class T>
static void check_all(const char *what, const Array<T> &got, const std::vector<number> &wanted,
                      double error)
{
    double most = 0, scale = 0;

    for (size_t i = 0; i < wanted.size(); i++) {
        most = std::fmax(most, std::abs(got[i] - wanted[i]));
        scale = std::fmax(scale, std::abs(wanted[i]));
        if (std::isnan(std::abs(got[i])))
            most = INFINITY;
    }
    if (most > error * scale)
        printf("%s: error %g of %g\n", what, most, scale);
    check(what, most <= error * scale);
}

static int report(const char *library)
{
    printf("%s: %d checks, %d wrong\n", library, n_checks, n_wrong);
    return n_wrong != 0 || n_checks == 0;
}

#endif
