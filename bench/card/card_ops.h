/* The operations of card_chains.cu and card_rates.cu: each step needs the result of the one before. */
#ifndef RUBATO_CARD_OPS_H
#define RUBATO_CARD_OPS_H

#include <cuda_runtime.h>

/* A value that the compiler does not know. */
__device__ inline unsigned card_seed(void)
{
    return threadIdx.x + 1;
}

/* What an operation works on; `result` keeps the compiler from removing the chain. */
struct value_u32 {
    unsigned v = card_seed();
    __device__ unsigned result() const
    {
        return v;
    }
};

struct value_f32 {
    float v = (float)card_seed();
    __device__ unsigned result() const
    {
        return __float_as_uint(v);
    }
};

struct value_f64 {
    double v = (double)card_seed();
    __device__ unsigned result() const
    {
        return (unsigned)__double2loint(v);
    }
};

/* Of two registers: three reads of one register would share a bank's port. */
struct op_ffma : value_f32 {
    float w = (float)gridDim.y;
    __device__ void step()
    {
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(v) : "f"(w));
    }
};

struct op_lop : value_u32 {
    unsigned w = blockDim.y, x = gridDim.y;
    __device__ void step()
    {
        asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(v) : "r"(w), "r"(x));
    }
};

struct op_imad : value_u32 {
    unsigned w = blockDim.y + 2;
    __device__ void step()
    {
        asm volatile("mad.lo.u32 %0, %0, %1, %0;" : "+r"(v) : "r"(w));
    }
};

/* From compute capability 8.0 on, the compiler takes HFMA2 and HFMA2.MMA by turns. */
struct op_hfma2 : value_u32 {
    unsigned w = gridDim.y;
    __device__ void step()
    {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(v) : "r"(w));
    }
};

struct op_dadd : value_f64 {
    __device__ void step()
    {
        asm volatile("add.rn.f64 %0, %0, %0;" : "+d"(v));
    }
};

struct op_dfma : value_f64 {
    double w = (double)gridDim.y;
    __device__ void step()
    {
        asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(v) : "d"(w));
    }
};

struct op_mufu : value_f32 {
    __device__ void step()
    {
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
    }
};

struct op_popc : value_u32 {
    __device__ void step()
    {
        asm volatile("popc.b32 %0, %0;" : "+r"(v));
    }
};

struct op_shfl : value_u32 {
    __device__ void step()
    {
        asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(v));
    }
};

struct op_barrier {
    __device__ void step()
    {
        asm volatile("bar.sync 0;" ::: "memory");
    }
    __device__ unsigned result() const
    {
        return 0;
    }
};

#endif
