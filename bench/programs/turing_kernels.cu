/*
 * One launch of a kernel of github.com/R100001/Programming-Massively-Parallel-Processors, folder
 * Performance-Tests-NvBench (-I), as its benchmarks launch it: zeros, U32 or float, mask of 5.
 *
 *   turing_kernels NAME SIZE
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__constant__ float M[121];

#include "array_add/array_add_kernels.cuh"
#include "convolution/convolution_kernels.cuh"
#include "histogram/histogram_kernels.cuh"
#include "image_to_grayscale/img_to_gray_kernels.cuh"
#include "mat_mat_mul/mat_mat_mul_kernels.cuh"
#include "mat_vec_mul/mat_vec_mul_kernels.cuh"

enum { MASK = 5, LINE = 512, TILE = 16, BINS = 512 };

template <typename T> static T *zeros(size_t n)
{
    T *p;
    if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess ||
        cudaMemset(p, 0, n * sizeof(T)) != cudaSuccess)
        exit(1);
    return p;
}

static unsigned parts(unsigned n, unsigned part)
{
    return (n + part - 1) / part;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const char *name = argv[1];
    const unsigned n = (unsigned)atoi(argv[2]);
    const size_t square = (size_t)n * n;
    const dim3 tile(TILE, TILE), tiles(parts(n, TILE), parts(n, TILE)),
        half_tiles(parts(n, TILE / 2), parts(n, TILE));
    const unsigned inner = TILE - MASK + 1;
    const dim3 inner_tiles(parts(n, inner), parts(n, inner));
    bool known = true;
#define IS(text) (strcmp(name, text) == 0)
    if (IS("add_not_coalesced"))
        array_add_not_coalesced<float><<<tiles, tile>>>(zeros<float>(square), zeros<float>(square),
                                                        zeros<float>(square), n, n);
    else if (IS("add_coalesced"))
        array_add_coalesced<float><<<tiles, tile>>>(zeros<float>(square), zeros<float>(square),
                                                    zeros<float>(square), n, n);
    else if (IS("conv1d_basic"))
        convolution_1D_basic_kernel<<<parts(n, LINE), LINE>>>(zeros<float>(n), zeros<float>(MASK),
                                                              zeros<float>(n), MASK, n);
    else if (IS("conv1d_constant"))
        convolution_1D_constant_memory_kernel<<<parts(n, LINE), LINE>>>(zeros<float>(n),
                                                                        zeros<float>(n), MASK, n);
    else if (IS("conv1d_tiled"))
        convolution_1D_tiled_kernel<<<parts(n, LINE), LINE, (LINE + MASK - 1) * sizeof(float)>>>(
            zeros<float>(n), zeros<float>(n), MASK, n);
    else if (IS("conv1d_caching"))
        convolution_1D_tiled_caching_kernel<<<parts(n, LINE), LINE, LINE * sizeof(float)>>>(
            zeros<float>(n), zeros<float>(n), MASK, n);
    else if (IS("conv2d_basic"))
        convolution_2D_basic_kernel<<<tiles, tile>>>(zeros<float>(square),
                                                     zeros<float>(MASK * MASK),
                                                     zeros<float>(square), MASK, MASK, n, n, 1);
    else if (IS("conv2d_constant"))
        convolution_2D_constant_memory_kernel<<<tiles, tile>>>(
            zeros<float>(square), zeros<float>(square), MASK, MASK, n, n, 1);
    else if (IS("conv2d_tiled"))
        convolution_2D_tiled_kernel<<<inner_tiles, tile, TILE * TILE * sizeof(float)>>>(
            zeros<float>(square), zeros<float>(square), MASK, MASK, n, n, 1);
    else if (IS("histogram"))
        simple_histogram<<<parts(n, LINE), LINE>>>(zeros<unsigned>(n), zeros<unsigned>(BINS), n,
                                                   BINS);
    else if (IS("histogram_shared"))
        histogram_shared<<<parts(n, LINE), LINE, BINS * sizeof(unsigned)>>>(
            zeros<unsigned>(n), zeros<unsigned>(BINS), n, BINS);
    else if (IS("greyscale"))
        color_to_grayscale_conversion<<<tiles, tile>>>(zeros<uint8_t>(square * 3),
                                                       zeros<uint8_t>(square), n, n);
    else if (IS("matmul"))
        mat_mat_mul<unsigned><<<tiles, tile>>>(zeros<unsigned>(square), zeros<unsigned>(square),
                                               zeros<unsigned>(square), n, n, n, n);
    else if (IS("matmul_tiles"))
        mat_mat_mul_tiles<unsigned><<<tiles, tile, 2 * TILE * TILE * sizeof(unsigned)>>>(
            zeros<unsigned>(square), zeros<unsigned>(square), zeros<unsigned>(square), n, n, n, n);
    else if (IS("matmul_rectangles"))
        mat_mat_mul_rec_tiles<unsigned><<<half_tiles, tile, 3 * TILE * TILE * sizeof(unsigned)>>>(
            zeros<unsigned>(square), zeros<unsigned>(square), zeros<unsigned>(square), n, n, n, n);
    else if (IS("matvec"))
        mat_vec_mul<unsigned><<<parts(n, LINE), LINE>>>(zeros<unsigned>(n), zeros<unsigned>(square),
                                                        zeros<unsigned>(n), n, n);
    else if (IS("matvec_shared"))
        mat_vec_mul_tiles<unsigned><<<parts(n, LINE), LINE, LINE * sizeof(unsigned)>>>(
            zeros<unsigned>(n), zeros<unsigned>(square), zeros<unsigned>(n), n, n);
    else
        known = false;
    return known && cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
