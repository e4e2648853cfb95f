/* Principal components of weighted points. */
#ifndef RUBATO_MATH_PCA_H
#define RUBATO_MATH_PCA_H

#include <stddef.h>

/*
 * Eigenvalues, descending, and vectors (row i of vector belongs to value[i]) of a symmetric d x d
 * matrix, which is destroyed: Jacobi's rotations. Signs: the largest entry of a vector is positive.
 */
void eigen_symmetric(double *matrix, size_t d, double *value, double *vector);

/* Subtracts the weighted mean of each column of x (n x d); with scale, divides by its standard
 * deviation where that is not zero. */
void standardise(double *x, const double *weight, size_t n, size_t d, int scale);

/*
 * Replaces the rows of x, whose columns have mean 0, by their first components, as few as keep the
 * share of the variance; returns how many (at least 1). Rows then have that length, packed.
 */
size_t pca_project(double *x, const double *weight, size_t n, size_t d, double share);

#endif
