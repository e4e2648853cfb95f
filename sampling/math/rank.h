/* Spearman's rank correlation; equal values share their mean rank (Kendall, Rank Correlation Methods). */
#ifndef RUBATO_MATH_RANK_H
#define RUBATO_MATH_RANK_H

#include <stddef.h>

/* Of n pairs; NAN if all values of one side are equal, or n is below 2. */
double rank_correlation(const double *x, const double *y, size_t n);

#endif
