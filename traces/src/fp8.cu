/* Conversions from and to floats of eight bits, which sm_89 adds; its cubin was made with CUDA 13. */

#define PACK(what, i)                                                                              \
    asm("cvt.rn.satfinite." what ".f32 %0, %1, %2;" : "=h"(out[i]) : "f"(a), "f"(b))
#define PACK_HALVES(what, i)                                                                       \
    asm("cvt.rn.satfinite." what ".f16x2 %0, %1;" : "=h"(out[i]) : "r"(pair))
#define UNPACK(what, from, i) asm("cvt.rn." what " %0, %1;" : "=r"(out[i]) : "h"(from))

extern "C" __global__ void pack(const float *in, unsigned short *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[2 * i + 1], b = in[2 * i];
    unsigned short *out = to + 4 * i;
    PACK("e4m3x2", 0);
    PACK("e5m2x2", 1);
    PACK("relu.e4m3x2", 2);
    PACK("relu.e5m2x2", 3);
}

extern "C" __global__ void pack_halves(const unsigned *in, unsigned short *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned pair = in[i];
    unsigned short *out = to + 4 * i;
    PACK_HALVES("e4m3x2", 0);
    PACK_HALVES("e5m2x2", 1);
    PACK_HALVES("relu.e4m3x2", 2);
    PACK_HALVES("relu.e5m2x2", 3);
}

extern "C" __global__ void unpack(const unsigned *in, unsigned *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short low, high;
    unsigned *out = to + 6 * i;
    asm("mov.b32 {%0, %1}, %2;" : "=h"(low), "=h"(high) : "r"(in[i]));
    UNPACK("f16x2.e4m3x2", low, 0);
    UNPACK("f16x2.e5m2x2", low, 1);
    UNPACK("relu.f16x2.e4m3x2", low, 2);
    UNPACK("relu.f16x2.e5m2x2", low, 3);
    UNPACK("f16x2.e4m3x2", high, 4);
    UNPACK("f16x2.e5m2x2", high, 5);
}

/* Four to a word. */
extern "C" __global__ void quarters(const float *in, unsigned *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short out[2];
    float a = in[4 * i + 1], b = in[4 * i];
    PACK("e4m3x2", 0);
    a = in[4 * i + 3];
    b = in[4 * i + 2];
    PACK("e4m3x2", 1);
    to[i] = out[0] | (unsigned)out[1] << 16;
}

/* A matrix product, which is not supported. */
extern "C" __global__ void product(const unsigned *a, float *d)
{
    float z[4] = {0, 0, 0, 0};
    int i = threadIdx.x;
    asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : "+f"(z[0]), "+f"(z[1]), "+f"(z[2]), "+f"(z[3])
        : "r"(a[i]), "r"(a[i]), "r"(a[i]), "r"(a[i]), "r"(a[i]), "r"(a[i]));
    d[i] = z[0] + z[1] + z[2] + z[3];
}
