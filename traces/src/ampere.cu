// What compute capability 8.x adds to 7.5: deeper matrix products, asynchronous copies, barriers in shared
// memory, reductions of a warp, pairs of bf16. Each instruction is written as PTX.

typedef unsigned int word;
typedef unsigned long long twice;

#define LANE word lane = threadIdx.x, g = lane / 4, t = lane % 4

// A by rows and B by columns, each row or column of W words; C and D by rows, 16 x 8, words or pairs of halves.
#define PRODUCT(NAME, W, OP, ...)                                                                  \
    extern "C" __global__ void NAME(const word *a, const word *b, const word *c, word *d)          \
    {                                                                                              \
        LANE;                                                                                      \
        word x[4] = {a[g * W + t], a[(g + 8) * W + t], W > 4 ? a[g * W + t + 4] : 0,               \
                     W > 4 ? a[(g + 8) * W + t + 4] : 0};                                          \
        word y[2] = {b[g * W + t], W > 4 ? b[g * W + t + 4] : 0};                                  \
        __VA_ARGS__(OP)                                                                            \
    }

#define WORDS                                                                                      \
    word z[4], s[4] = {c[8 * g + 2 * t], c[8 * g + 2 * t + 1], c[8 * (g + 8) + 2 * t],             \
                       c[8 * (g + 8) + 2 * t + 1]};
#define PUT_WORDS                                                                                  \
    d[8 * g + 2 * t] = z[0], d[8 * g + 2 * t + 1] = z[1];                                          \
    d[8 * (g + 8) + 2 * t] = z[2], d[8 * (g + 8) + 2 * t + 1] = z[3];
#define DEEP(OP)                                                                                   \
    WORDS asm("mma.sync.aligned." OP " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"     \
              : "=r"(z[0]), "=r"(z[1]), "=r"(z[2]), "=r"(z[3])                                     \
              : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(s[0]),       \
                "r"(s[1]), "r"(s[2]), "r"(s[3]));                                                  \
    PUT_WORDS
#define SHALLOW(OP)                                                                                \
    WORDS asm("mma.sync.aligned." OP " {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"                 \
              : "=r"(z[0]), "=r"(z[1]), "=r"(z[2]), "=r"(z[3])                                     \
              : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]));      \
    PUT_WORDS
#define FLOATS                                                                                     \
    float z[4], s[4];                                                                              \
    for (word i = 0; i < 4; i++)                                                                   \
        s[i] = __uint_as_float(c[8 * (g + 8 * (i / 2)) + 2 * t + i % 2]);
#define PUT_FLOATS                                                                                 \
    for (word i = 0; i < 4; i++)                                                                   \
        d[8 * (g + 8 * (i / 2)) + 2 * t + i % 2] = __float_as_uint(z[i]);
#define DEEP_FLOAT(OP)                                                                             \
    FLOATS asm("mma.sync.aligned." OP " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"    \
               : "=f"(z[0]), "=f"(z[1]), "=f"(z[2]), "=f"(z[3])                                    \
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "f"(s[0]),      \
                 "f"(s[1]), "f"(s[2]), "f"(s[3]));                                                 \
    PUT_FLOATS
#define SHALLOW_FLOAT(OP)                                                                          \
    FLOATS asm("mma.sync.aligned." OP " {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"                \
               : "=f"(z[0]), "=f"(z[1]), "=f"(z[2]), "=f"(z[3])                                    \
               : "r"(x[0]), "r"(x[1]), "r"(y[0]), "f"(s[0]), "f"(s[1]), "f"(s[2]), "f"(s[3]));     \
    PUT_FLOATS
#define DEEP_HALF(OP)                                                                              \
    word z[2], s[2] = {c[4 * g + t], c[4 * (g + 8) + t]};                                          \
    asm("mma.sync.aligned." OP " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9};"                           \
        : "=r"(z[0]), "=r"(z[1])                                                                   \
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(s[0]), "r"(s[1])); \
    d[4 * g + t] = z[0], d[4 * (g + 8) + t] = z[1];

PRODUCT(f16_16, 8, "m16n8k16.row.col.f32.f16.f16.f32", DEEP_FLOAT)
PRODUCT(f16_8, 4, "m16n8k8.row.col.f32.f16.f16.f32", SHALLOW_FLOAT)
PRODUCT(f16_16_to_16, 8, "m16n8k16.row.col.f16.f16.f16.f16", DEEP_HALF)
PRODUCT(bf16_16, 8, "m16n8k16.row.col.f32.bf16.bf16.f32", DEEP_FLOAT)
PRODUCT(bf16_8, 4, "m16n8k8.row.col.f32.bf16.bf16.f32", SHALLOW_FLOAT)
PRODUCT(tf32_8, 8, "m16n8k8.row.col.f32.tf32.tf32.f32", DEEP_FLOAT)
PRODUCT(tf32_4, 4, "m16n8k4.row.col.f32.tf32.tf32.f32", SHALLOW_FLOAT)
PRODUCT(s8_32, 8, "m16n8k32.row.col.s32.s8.s8.s32", DEEP)
PRODUCT(s8_16, 4, "m16n8k16.row.col.s32.s8.s8.s32", SHALLOW)
PRODUCT(u8_s8_32, 8, "m16n8k32.row.col.satfinite.s32.u8.s8.s32", DEEP)
PRODUCT(s4_64, 8, "m16n8k64.row.col.s32.s4.s4.s32", DEEP)
PRODUCT(s4_u4_32, 4, "m16n8k32.row.col.satfinite.s32.s4.u4.s32", SHALLOW)
PRODUCT(b1_256_xor, 8, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", DEEP)
PRODUCT(b1_256_and, 8, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", DEEP)
PRODUCT(b1_128_and, 4, "m16n8k128.row.col.s32.b1.b1.s32.and.popc", SHALLOW)

// 8 x 8 = 8 x 4 * 4 x 8; A by rows, B by columns.
extern "C" __global__ void f64_4(const double *a, const double *b, const double *c, double *d)
{
    LANE;
    double z[2];
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%4,%5};"
        : "=d"(z[0]), "=d"(z[1])
        : "d"(a[4 * g + t]), "d"(b[4 * g + t]), "d"(c[8 * g + 2 * t]), "d"(c[8 * g + 2 * t + 1]));
    d[8 * g + 2 * t] = z[0], d[8 * g + 2 * t + 1] = z[1];
}

// The sparse form: A holds half of its elements.
extern "C" __global__ void sparse(const word *a, const word *b, const word *c, word *d)
{
    LANE;
    float z[4];
    asm("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6,%7},"
        "{%8,%8,%8,%8},%9,0x0;"
        : "=f"(z[0]), "=f"(z[1]), "=f"(z[2]), "=f"(z[3])
        : "r"(a[g * 4 + t]), "r"(a[(g + 8) * 4 + t]), "r"(b[g]), "r"(b[t]), "f"(0.0f), "r"(c[0]));
    for (word i = 0; i < 4; i++)
        d[4 * lane + i] = __float_as_uint(z[i]);
}

static __device__ word place(const void *p)
{
    return (word)__cvta_generic_to_shared(p);
}

// Copies of 4, 8 and 16 bytes in two groups: whole ones, n bytes and zeros, and zeros alone.
extern "C" __global__ void copies(const unsigned char *from, const int *n, word *out)
{
    __shared__ __align__(16) unsigned char to[5][64][16];
    word i = threadIdx.x;

    for (word k = 0; k < 4; k++)
        for (word r = 0; r < 5; r++)
            ((word *)to[r][i])[k] = 0xaaaaaaaau;
    asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(place(to[0][i])), "l"(from + 16 * i));
    asm volatile("cp.async.ca.shared.global [%0],[%1],8;" ::"r"(place(to[1][i])), "l"(from + 16 * i));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.cg.shared.global.L2::128B [%0],[%1],16;" ::"r"(place(to[2][i])), "l"(from + 16 * i));
    asm volatile("cp.async.ca.shared.global [%0],[%1],16,%2;" ::"r"(place(to[3][i])), "l"(from + 16 * i), "r"(n[i]));
    asm volatile("{.reg .pred p; setp.gt.s32 p,%2,8; cp.async.ca.shared.global [%0],[%1],8,p;}" ::"r"(place(to[4][i])),
                 "l"(from + 16 * i), "r"(n[i]));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;");
    for (word k = 0; k < 4; k++)
        for (word r = 0; r < 2; r++)
            out[(i * 5 + r) * 4 + k] = ((word *)to[r][i])[k];
    asm volatile("cp.async.wait_all;");
    for (word k = 0; k < 4; k++)
        for (word r = 2; r < 5; r++)
            out[(i * 5 + r) * 4 + k] = ((word *)to[r][i])[k];
}

static __device__ void wait(word barrier, twice state)
{
    word done;

    do
        asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p,[%1],%2; selp.u32 %0,1,0,p;}"
                     : "=r"(done)
                     : "r"(barrier), "l"(state)
                     : "memory");
    while (!done);
}

// Phases of a barrier: each thread passes its number on; then copies arrive; then half of the threads drop out.
extern "C" __global__ void barriers(const word *from, word *out)
{
    __shared__ twice bar;
    __shared__ word box[128], copied[128];
    word i = threadIdx.x, n = blockDim.x, b = place(&bar);
    twice state;

    if (i == 0)
        asm volatile("mbarrier.init.shared.b64 [%0],%1;" ::"r"(b), "r"(n) : "memory");
    __syncthreads();
    for (word phase = 0; phase < 3; phase++) {
        box[i] = i * 10 + phase;
        asm volatile("mbarrier.arrive.shared.b64 %0,[%1];" : "=l"(state) : "r"(b) : "memory");
        wait(b, state);
        out[phase * n + i] = box[(i + 37) % n];
        asm volatile("mbarrier.arrive.shared.b64 %0,[%1];" : "=l"(state) : "r"(b) : "memory");
        wait(b, state);
    }
    asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(place(&copied[i])), "l"(from + i) : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(b) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0,[%1];" : "=l"(state) : "r"(b) : "memory");
    wait(b, state);
    out[3 * n + i] = copied[n - 1 - i];
    if (i % 2) {
        asm volatile("mbarrier.arrive_drop.shared.b64 %0,[%1];" : "=l"(state) : "r"(b) : "memory");
        out[4 * n + i] = 1;
        return;
    }
    asm volatile("mbarrier.arrive.shared.b64 %0,[%1];" : "=l"(state) : "r"(b) : "memory");
    wait(b, state);
    asm volatile("mbarrier.arrive.shared.b64 %0,[%1];" : "=l"(state) : "r"(b) : "memory");
    wait(b, state); // only the even threads are expected now
    out[4 * n + i] = 2;
}

#define REDUX(R, OP, T)                                                                            \
    asm volatile("redux.sync." OP " %0,%1,%2;" : "=r"(r) : "r"(v), "r"(__activemask()));           \
    out[R * 32 + i] = r;

extern "C" __global__ void reductions(const word *in, word *out)
{
    word i = threadIdx.x, v = in[i], r;

    REDUX(0, "add.u32", )
    REDUX(1, "min.u32", )
    REDUX(2, "max.u32", )
    REDUX(3, "min.s32", )
    REDUX(4, "max.s32", )
    REDUX(5, "and.b32", )
    REDUX(6, "or.b32", )
    REDUX(7, "xor.b32", )
    if (i % 3 == 0) {
        REDUX(8, "add.s32", )
    }
}

#define ONE(R, OP, X)                                                                              \
    asm(OP " %0,%1;" : "=r"(r) : X);                                                               \
    out[R * n + i] = r;
#define TWO(R, OP, X, Y)                                                                           \
    asm(OP " %0,%1,%2;" : "=r"(r) : X, Y);                                                         \
    out[R * n + i] = r;
#define THREE(R, OP, X, Y, Z)                                                                      \
    asm(OP " %0,%1,%2,%3;" : "=r"(r) : X, Y, Z);                                                   \
    out[R * n + i] = r;

extern "C" __global__ void pairs(const word *in, word *out, word n)
{
    word i = blockIdx.x * blockDim.x + threadIdx.x, r;

    if (i >= n)
        return;
    word x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    float f = __uint_as_float(x), h = __uint_as_float(y), q;
    THREE(0, "fma.rn.bf16x2", "r"(x), "r"(y), "r"(z))
    THREE(1, "fma.rn.relu.bf16x2", "r"(x), "r"(y), "r"(z))
    THREE(2, "fma.rn.relu.f16x2", "r"(x), "r"(y), "r"(z))
    TWO(3, "min.bf16x2", "r"(x), "r"(y))
    TWO(4, "max.NaN.bf16x2", "r"(x), "r"(y))
    TWO(5, "max.f16x2", "r"(x), "r"(y))
    TWO(6, "min.NaN.f16x2", "r"(x), "r"(y))
    TWO(7, "max.ftz.f16x2", "r"(x), "r"(y))
    TWO(8, "cvt.rn.bf16x2.f32", "f"(f), "f"(h))
    TWO(9, "cvt.rz.bf16x2.f32", "f"(f), "f"(h))
    TWO(10, "cvt.rn.relu.bf16x2.f32", "f"(f), "f"(h))
    TWO(11, "cvt.rz.f16x2.f32", "f"(f), "f"(h))
    TWO(12, "cvt.rn.relu.f16x2.f32", "f"(f), "f"(h))
    ONE(13, "cvt.rna.tf32.f32", "f"(f))
    asm("max.NaN.f32 %0,%1,%2;" : "=f"(q) : "f"(f), "f"(h));
    out[14 * n + i] = __float_as_uint(q);
    asm("min.f32 %0,%1,%2;" : "=f"(q) : "f"(f), "f"(h));
    out[15 * n + i] = __float_as_uint(q);
    asm("cvt.rn.f32.s32 %0,%1;" : "=f"(q) : "r"(x));
    out[16 * n + i] = __float_as_uint(q);
    asm("cvt.rz.f32.u32 %0,%1;" : "=f"(q) : "r"(x));
    out[17 * n + i] = __float_as_uint(q);
    asm("{.reg .b16 b; cvt.rn.bf16.f32 b,%1; cvt.u32.u16 %0,b;}" : "=r"(r) : "f"(f));
    out[18 * n + i] = r;
    ONE(19, "abs.bf16x2", "r"(x))
}

// Halves: 2^x and the hyperbolic tangent.
extern "C" __global__ void functions(const word *in, word *out)
{
    word i = threadIdx.x, n = blockDim.x, r;

    ONE(0, "ex2.approx.f16x2", "r"(in[i]))
    ONE(1, "tanh.approx.f16x2", "r"(in[i]))
}

// Loads and stores with hints for the caches, which change nothing but time.
extern "C" __global__ void hints(const word *in, word *out)
{
    word i = threadIdx.x, n = blockDim.x, v;
    twice policy;

    asm("createpolicy.fractional.L2::evict_last.b64 %0,1.0;" : "=l"(policy));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
    asm volatile("ld.global.L1::no_allocate.L2::128B.b32 %0,[%1];" : "=r"(v) : "l"(in + i));
    asm volatile("st.global.L1::evict_first.b32 [%0],%1;" ::"l"(out + i), "r"(v) : "memory");
    asm volatile("ld.global.nc.L2::cache_hint.b32 %0,[%1],%2;" : "=r"(v) : "l"(in + n + i), "l"(policy));
    asm volatile("st.global.L2::cache_hint.b32 [%0],%1,%2;" ::"l"(out + n + i), "r"(v), "l"(policy) : "memory");
    asm volatile("ld.relaxed.sys.global.b32 %0,[%1];" : "=r"(v) : "l"(in + i) : "memory");
    asm volatile("red.global.add.L2::cache_hint.u32 [%0],%1,%2;" ::"l"(out + 2 * n), "r"(v), "l"(policy) : "memory");
}

// 100 KiB of shared memory: thread i reads what thread n - 1 - i wrote at the far end.
extern "C" __global__ void large(word *out, word words)
{
    extern __shared__ word box[];
    word i = threadIdx.x, n = blockDim.x;

    box[words - n + i] = 3 * i;
    __syncthreads();
    out[i] = box[words - 1 - i];
}
