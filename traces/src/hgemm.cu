/*
 * C = A B of half precision on tensor cores, sums in single precision: tiles of 64 x 64 in blocks
 * of 4 warps, 16 columns of both through shared memory. A and C by rows, B by columns; n is a
 * multiple of 64.
 */
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda::wmma;

#define TILE 64
#define DEPTH 16

extern "C" __global__ void hgemm(const half *a, const half *b, float *c, int n)
{
    __shared__ __align__(32) half as[TILE][DEPTH], bs[TILE][DEPTH];
    int row = blockIdx.y * TILE, col = blockIdx.x * TILE, warp = threadIdx.x / 32;
    int r = 32 * (warp / 2), k = 32 * (warp % 2);
    fragment<accumulator, 16, 16, 16, float> sum[2][2];

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            fill_fragment(sum[i][j], 0.0f);
    for (int m = 0; m < n; m += DEPTH) {
        int line = threadIdx.x / 2, part = threadIdx.x % 2 * 8;
        __syncthreads();
        *(int4 *)&as[line][part] = *(const int4 *)&a[(row + line) * n + m + part];
        *(int4 *)&bs[line][part] = *(const int4 *)&b[(col + line) * n + m + part];
        __syncthreads();
        fragment<matrix_a, 16, 16, 16, half, row_major> fa[2];
        fragment<matrix_b, 16, 16, 16, half, col_major> fb[2];
        for (int i = 0; i < 2; i++) {
            load_matrix_sync(fa[i], &as[r + 16 * i][0], DEPTH);
            load_matrix_sync(fb[i], &bs[k + 16 * i][0], DEPTH);
        }
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            store_matrix_sync(&c[(row + r + 16 * i) * n + col + k + 16 * j], sum[i][j], n,
                              mem_row_major);
}
