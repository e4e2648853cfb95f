/* Principal component analysis of weighted points. */
#ifndef RUBATO_MATH_PCA_H
#define RUBATO_MATH_PCA_H

#include <stddef.h>

/* Eigenvalues, descending, and eigenvectors (row i of vector belongs to value[i]) of a symmetric d
 * x d matrix, which is destroyed; by Jacobi rotations. The largest entry of each vector is
 * positive. */
void eigen_symmetric(double *matrix, size_t d, double *value, double *vector);

/* Subtracts the weighted mean of each column of x (n x d); if scale is set, also divides by its
 * standard deviation unless that is zero. */
void standardise(double *x, const double *weight, size_t n, size_t d, int scale);

/* Replaces the rows of x, whose columns must have mean 0, by their first principal components: the
 * fewest that keep `share` of the variance. Returns how many (at least 1); rows are then packed
 * with that length. */
size_t pca_project(double *x, const double *weight, size_t n, size_t d, double share);

#endif
