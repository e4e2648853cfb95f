#include "sampling/math/pca.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { SWEEPS = 100 };

/* Rotates rows and columns p and q of a so that a[p][q] becomes 0; v collects the rotations. */
static void rotate(double *a, double *v, size_t d, size_t p, size_t q)
{
    double apq = a[p * d + q];
    double theta = (a[q * d + q] - a[p * d + p]) / (2 * apq);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (size_t i = 0; i < d; i++) {
        double ip = a[i * d + p], iq = a[i * d + q];
        a[i * d + p] = c * ip - s * iq;
        a[i * d + q] = s * ip + c * iq;
    }
    for (size_t i = 0; i < d; i++) {
        double pi = a[p * d + i], qi = a[q * d + i];
        a[p * d + i] = c * pi - s * qi;
        a[q * d + i] = s * pi + c * qi;
        double vp = v[p * d + i], vq = v[q * d + i];
        v[p * d + i] = c * vp - s * vq;
        v[q * d + i] = s * vp + c * vq;
    }
}

static void swap_rows(double *value, double *vector, size_t d, size_t a, size_t b)
{
    double keep = value[a];
    value[a] = value[b];
    value[b] = keep;
    for (size_t i = 0; i < d; i++) {
        keep = vector[a * d + i];
        vector[a * d + i] = vector[b * d + i];
        vector[b * d + i] = keep;
    }
}

static void fix_sign(double *row, size_t d)
{
    size_t largest = 0;
    for (size_t i = 1; i < d; i++)
        largest = fabs(row[i]) > fabs(row[largest]) ? i : largest;
    for (size_t i = 0; row[largest] < 0 && i < d; i++)
        row[i] = i == largest ? row[i] : -row[i];
    row[largest] = fabs(row[largest]);
}

void eigen_symmetric(double *a, size_t d, double *value, double *vector)
{
    memset(vector, 0, d * d * sizeof(*vector));
    for (size_t i = 0; i < d; i++)
        vector[i * d + i] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, all = 0;
        for (size_t i = 0; i < d * d; i++) {
            all += a[i] * a[i];
            off += i / d == i % d ? 0 : a[i] * a[i];
        }
        if (off <= 1e-30 * all)
            break;
        for (size_t p = 0; p < d; p++) {
            for (size_t q = p + 1; q < d; q++) {
                if (fabs(a[p * d + q]) > 0)
                    rotate(a, vector, d, p, q);
            }
        }
    }
    for (size_t i = 0; i < d; i++)
        value[i] = a[i * d + i];
    for (size_t i = 0; i < d; i++) {
        size_t largest = i;
        for (size_t j = i + 1; j < d; j++)
            largest = value[j] > value[largest] ? j : largest;
        swap_rows(value, vector, d, i, largest);
        fix_sign(vector + i * d, d);
    }
}

void standardise(double *x, const double *weight, size_t n, size_t d, int scale)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += weight[i];
    for (size_t j = 0; j < d; j++) {
        double mean = 0, squares = 0;
        for (size_t i = 0; i < n; i++)
            mean += weight[i] / total * x[i * d + j];
        for (size_t i = 0; i < n; i++) {
            x[i * d + j] -= mean;
            squares += weight[i] / total * x[i * d + j] * x[i * d + j];
        }
        /* A spread of the size of the mean's rounding error is no spread. */
        double sd = sqrt(squares) > 1e-12 * fabs(mean) ? sqrt(squares) : 0;
        for (size_t i = 0; i < n; i++) {
            double v = sd > 0 ? x[i * d + j] : 0;
            x[i * d + j] = scale && sd > 0 ? v / sd : v;
        }
    }
}

size_t pca_project(double *x, const double *weight, size_t n, size_t d, double share)
{
    double *matrix = rb_calloc(d * d, sizeof(*matrix)), *value = rb_calloc(d, sizeof(*value));
    double *vector = rb_calloc(d * d, sizeof(*vector)), *row = rb_calloc(d, sizeof(*row));
    double all = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < d; j++) {
            for (size_t k = 0; k <= j; k++)
                matrix[j * d + k] += weight[i] * x[i * d + j] * x[i * d + k];
        }
    }
    for (size_t j = 0; j < d; j++) {
        for (size_t k = 0; k < j; k++)
            matrix[k * d + j] = matrix[j * d + k];
        all += matrix[j * d + j];
    }
    eigen_symmetric(matrix, d, value, vector);
    size_t m = 0;
    while (m < d && (m == 0 || kept < share * all))
        kept += value[m++];
    for (size_t i = 0; i < n; i++) {
        memcpy(row, x + i * d, d * sizeof(*row)); /* rows only shrink: i * m <= i * d */
        for (size_t k = 0; k < m; k++) {
            double sum = 0;
            for (size_t j = 0; j < d; j++)
                sum += vector[k * d + j] * row[j];
            x[i * m + k] = sum;
        }
    }
    free(matrix);
    free(value);
    free(vector);
    free(row);
    return m;
}
