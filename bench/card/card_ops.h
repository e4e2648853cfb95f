/* The operations of card_chains.cu and card_rates.cu: each step needs the result of the one before. */
#ifndef RUBATO_CARD_OPS_H
#define RUBATO_CARD_OPS_H

#include <cuda_runtime.h>

/* A value that the compiler does not know. */
__device__ inline unsigned card_seed(void)
{
    return threadIdx.x + 1;
}

struct op_ffma {
    float v;
    __device__ op_ffma() : v((float)card_seed())
    {
    }
    __device__ void step()
    {
        asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v));
    }
    __device__ unsigned result()
    {
        return __float_as_uint(v);
    }
};

struct op_lop {
    unsigned v, w, x;
    __device__ op_lop() : v(card_seed()), w(blockDim.y), x(gridDim.y)
    {
    }
    __device__ void step()
    {
        asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(v) : "r"(w), "r"(x));
    }
    __device__ unsigned result()
    {
        return v;
    }
};

struct op_imad {
    unsigned v, w;
    __device__ op_imad() : v(card_seed()), w(blockDim.y + 2)
    {
    }
    __device__ void step()
    {
        asm volatile("mad.lo.u32 %0, %0, %1, %0;" : "+r"(v) : "r"(w));
    }
    __device__ unsigned result()
    {
        return v;
    }
};

struct op_hfma2 {
    unsigned v;
    __device__ op_hfma2() : v(card_seed())
    {
    }
    __device__ void step()
    {
        asm volatile("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(v));
    }
    __device__ unsigned result()
    {
        return v;
    }
};

struct op_dadd {
    double v;
    __device__ op_dadd() : v((double)card_seed())
    {
    }
    __device__ void step()
    {
        asm volatile("add.rn.f64 %0, %0, %0;" : "+d"(v));
    }
    __device__ unsigned result()
    {
        return (unsigned)__double2loint(v);
    }
};

struct op_dfma {
    double v;
    __device__ op_dfma() : v((double)card_seed())
    {
    }
    __device__ void step()
    {
        asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(v));
    }
    __device__ unsigned result()
    {
        return (unsigned)__double2loint(v);
    }
};

struct op_mufu {
    float v;
    __device__ op_mufu() : v((float)card_seed())
    {
    }
    __device__ void step()
    {
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
    }
    __device__ unsigned result()
    {
        return __float_as_uint(v);
    }
};

struct op_popc {
    unsigned v;
    __device__ op_popc() : v(card_seed())
    {
    }
    __device__ void step()
    {
        asm volatile("popc.b32 %0, %0;" : "+r"(v));
    }
    __device__ unsigned result()
    {
        return v;
    }
};

struct op_shfl {
    unsigned v;
    __device__ op_shfl() : v(card_seed())
    {
    }
    __device__ void step()
    {
        asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(v));
    }
    __device__ unsigned result()
    {
        return v;
    }
};

struct op_barrier {
    __device__ op_barrier()
    {
    }
    __device__ void step()
    {
        asm volatile("bar.sync 0;" ::: "memory");
    }
    __device__ unsigned result()
    {
        return 0;
    }
};

#endif
