#include "sampling/math/quantile.h"

#include <math.h>

#define PI 3.14159265358979323846

double normal_quantile(double p)
{
    if (p > 0.5)
        return -normal_quantile(1 - p);
    /* Abramowitz and Stegun 26.2.22 to three digits, then Halley's method to full precision. */
    double t = sqrt(-2 * log(p));
    double x = -(t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t)));
    for (int i = 0; i < 4; i++) {
        double error = 0.5 * erfc(-x * 0.70710678118654752440) - p;
        double step = error * 2.50662827463100050242 * exp(x * x / 2);
        x -= step / (1 + x * step / 2);
    }
    return x;
}

/* Continued fraction of the incomplete beta function (Lentz); converges for x < (a+1)/(a+b+2). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int m = 1; m < 10000; m++) {
        double k = m;
        double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
        double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return f;
}

/* Regularised incomplete beta function I_x(a, b); y = 1 - x is passed separately to keep its
 * digits. */
static double beta_share(double a, double b, double x, double y)
{
    int sign;
    if (x <= 0)
        return 0;
    if (y <= 0)
        return 1;
    double front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) +
                       a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

/* P(T > t) of Student's t. */
static double student_tail(double t, double df)
{
    if (t < 0)
        return 1 - student_tail(-t, df);
    if (isinf(df))
        return 0.5 * erfc(t * 0.70710678118654752440);
    double square = t * t;
    return 0.5 * beta_share(df / 2, 0.5, df / (df + square), square / (df + square));
}

/* Density of Student's t. */
static double student_density(double t, double df)
{
    int sign;
    double at_zero = exp(lgamma_r((df + 1) / 2, &sign) - lgamma_r(df / 2, &sign)) / sqrt(df * PI);
    return at_zero * pow(1 + t * t / df, -(df + 1) / 2);
}

/* Newton's method. The tail is convex, and the normal quantile lies below the root: the steps go upwards only. */
double student_quantile(double p, double df)
{
    if (isinf(df) || df > 1e7)
        return normal_quantile(p);
    if (p < 0.5)
        return -student_quantile(1 - p, df);
    if (!(p > 0.5))
        return 0;
    double tail = 1 - p, t = normal_quantile(p);
    for (int i = 0; i < 2000; i++) {
        double step = (student_tail(t, df) - tail) / student_density(t, df);
        if (!(step > 1e-15 * t) || isinf(t + step))
            break;
        t += step;
    }
    return t;
}

double interval_factor(double confidence, double df)
{
    return student_quantile((1 + confidence) / 2, df);
}
