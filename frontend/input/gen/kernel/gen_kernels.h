/*
 * Kernels that several workloads launch. A function for each fills in kernel, shape and arguments
 * of a launch. Addresses are of device memory; arrays hold floats in row-major order.
 */
#ifndef RUBATO_GEN_KERNELS_H
#define RUBATO_GEN_KERNELS_H

#include "frontend/input/gen/gen_kernel.h"

/* c = a + b, n elements. */
extern const gen_kernel_t gen_kernel_vecadd;
void gen_vecadd_shape(gen_launch_t *l, uint64_t n, uint64_t a, uint64_t b, uint64_t c);

/* y = max(x, 0), n elements. */
extern const gen_kernel_t gen_kernel_relu;
void gen_relu_shape(gen_launch_t *l, uint64_t n, uint64_t x, uint64_t y);

/* c = a * b, m x k times k x n; rows begin gen_pitch() elements apart. */
typedef struct {
    uint64_t a, b, c;
    uint64_t m, n, k;
} gen_gemm_t;

/* Elements from row to row of a matrix with n columns, padded so that vector accesses are
 * aligned. */
static inline uint64_t gen_pitch(uint64_t n)
{
    return (n + 3) / 4 * 4;
}

extern const gen_kernel_t gen_kernel_sgemm;
void gen_sgemm_shape(gen_launch_t *l, const gen_gemm_t *gemm);

/* out[blockIdx] = sum of 512 elements of in, n elements in all. */
extern const gen_kernel_t gen_kernel_reduce;
void gen_reduce_shape(gen_launch_t *l, uint64_t n, uint64_t in, uint64_t out);

/* out = softmax of the rows of in. */
extern const gen_kernel_t gen_kernel_softmax;
void gen_softmax_shape(gen_launch_t *l, uint32_t rows, uint64_t columns, uint64_t in, uint64_t out);

/* y = A x; the launch's data is A, a gen_graph_t, in compressed rows at these addresses. */
typedef struct {
    uint64_t begins, columns, values, x, y;
    uint64_t rows;
} gen_spmv_t;

extern const gen_kernel_t gen_kernel_spmv;
void gen_spmv_shape(gen_launch_t *l, const gen_spmv_t *m);

/* A step of the five-point stencil over a square with a border of one cell. */
extern const gen_kernel_t gen_kernel_stencil;
void gen_stencil_shape(gen_launch_t *l, uint64_t width, uint64_t in, uint64_t out);

/* y = A x, columns a multiple of four. */
extern const gen_kernel_t gen_kernel_matvec;
void gen_matvec_shape(gen_launch_t *l, uint64_t rows, uint64_t columns, uint64_t a, uint64_t x,
                      uint64_t y);

#endif
