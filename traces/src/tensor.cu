/*
 * A product of matrices on tensor cores in each layout: A and B by rows or columns, sums of 16 or
 * 32 bits, the three shapes, and sums that change from 16 to 32 bits. One warp.
 */
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda::wmma;

template <int M, int N, class LayoutA, class LayoutB, class C, class D>
static __device__ void multiply(const half *a, const half *b, const C *c, D *d)
{
    fragment<matrix_a, M, N, 16, half, LayoutA> fa;
    fragment<matrix_b, M, N, 16, half, LayoutB> fb;
    fragment<accumulator, M, N, 16, C> fc;
    fragment<accumulator, M, N, 16, D> fd;

    load_matrix_sync(fa, a, 32);
    load_matrix_sync(fb, b, 32);
    load_matrix_sync(fc, c, 32, mem_row_major);
    mma_sync(fd, fa, fb, fc);
    store_matrix_sync(d, fd, 32, mem_row_major);
}

#define KERNEL(name, M, N, LayoutA, LayoutB, C, D)                                                 \
    extern "C" __global__ void name(const half *a, const half *b, const C *c, D *d)                \
    {                                                                                              \
        multiply<M, N, LayoutA, LayoutB>(a, b, c, d);                                              \
    }

KERNEL(rows_rows_16, 16, 16, row_major, row_major, half, half)
KERNEL(rows_columns_16, 16, 16, row_major, col_major, half, half)
KERNEL(columns_rows_16, 16, 16, col_major, row_major, half, half)
KERNEL(columns_columns_16, 16, 16, col_major, col_major, half, half)
KERNEL(rows_rows_32, 16, 16, row_major, row_major, float, float)
KERNEL(rows_columns_32, 16, 16, row_major, col_major, float, float)
KERNEL(columns_rows_32, 16, 16, col_major, row_major, float, float)
KERNEL(columns_columns_32, 16, 16, col_major, col_major, float, float)
KERNEL(tall_32, 32, 8, row_major, col_major, float, float)
KERNEL(wide_32, 8, 32, row_major, col_major, float, float)
KERNEL(rows_columns_16_to_32, 16, 16, row_major, col_major, half, float)
KERNEL(rows_columns_32_to_16, 16, 16, row_major, col_major, float, half)

/* Differences of bytes, products of 16-bit numbers, saturated conversions, NaN as an integer. */
extern "C" __global__ void integers(int *out, const int *a, const double *x)
{
    int i = threadIdx.x, r;

    out[i] = __vabsdiffu4(a[i], a[i + 32]);
    out[i + 32] = __vsadu4(a[i], a[i + 32]);
    out[i + 64] = __dp2a_lo(a[i], a[i + 32], a[i + 64]);
    out[i + 96] = __dp2a_hi((unsigned)a[i], (unsigned)a[i + 32], (unsigned)a[i + 64]);
    asm("{.reg .s8 t; cvt.sat.s8.s32 t, %1; cvt.s32.s8 %0, t;}" : "=r"(r) : "r"(a[i]));
    out[i + 128] = r;
    asm("{.reg .u16 t; cvt.sat.u16.s32 t, %1; cvt.s32.u16 %0, t;}" : "=r"(r) : "r"(a[i]));
    out[i + 160] = r;
    out[i + 192] = (int)x[i];
    out[i + 224] = (int)(float)x[i];
}
