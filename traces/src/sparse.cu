/* Sparse matrix products (sm_80); their cubin was made with CUDA 13. */

typedef unsigned int word;

#define LANE word lane = threadIdx.x, g = lane / 4, t = lane % 4

/*
 * A has W words in a row, of which each holds what is left of a chunk; B has 2 W words in a column; C and
 * D are 16 x 8 floats by rows. Each thread has a word of metadata.
 */
#define SHALLOW(NAME, OP, SELECTOR)                                                                \
    extern "C" __global__ void NAME(const word *a, const word *b, const word *m, const float *c,   \
                                    float *d)                                                      \
    {                                                                                              \
        LANE;                                                                                      \
        const float *s = c + 8 * g + 2 * t;                                                        \
        float z[4];                                                                                \
        asm("mma.sp::ordered_metadata.sync.aligned." OP                                            \
            " {%0,%1,%2,%3},{%4,%5},{%6,%7},{%8,%9,%10,%11},%12," SELECTOR ";"                     \
            : "=f"(z[0]), "=f"(z[1]), "=f"(z[2]), "=f"(z[3])                                       \
            : "r"(a[4 * g + t]), "r"(a[4 * (g + 8) + t]), "r"(b[8 * g + t]),                       \
              "r"(b[8 * g + t + 4]), "f"(s[0]), "f"(s[1]), "f"(s[64]), "f"(s[65]), "r"(m[lane]));  \
        float *r = d + 8 * g + 2 * t;                                                              \
        r[0] = z[0], r[1] = z[1], r[64] = z[2], r[65] = z[3];                                      \
    }

#define DEEP(NAME, OP, SELECTOR)                                                                   \
    extern "C" __global__ void NAME(const word *a, const word *b, const word *m, const float *c,   \
                                    float *d)                                                      \
    {                                                                                              \
        LANE;                                                                                      \
        const float *s = c + 8 * g + 2 * t;                                                        \
        const word *x = a + 8 * g + t, *y = b + 16 * g + t;                                        \
        float z[4];                                                                                \
        asm("mma.sp::ordered_metadata.sync.aligned." OP                                            \
            " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%12,%13,%14,%15},%16," SELECTOR ";"     \
            : "=f"(z[0]), "=f"(z[1]), "=f"(z[2]), "=f"(z[3])                                       \
            : "r"(x[0]), "r"(x[64]), "r"(x[4]), "r"(x[68]), "r"(y[0]), "r"(y[4]), "r"(y[8]),       \
              "r"(y[12]), "f"(s[0]), "f"(s[1]), "f"(s[64]), "f"(s[65]), "r"(m[lane]));             \
        float *r = d + 8 * g + 2 * t;                                                              \
        r[0] = z[0], r[1] = z[1], r[64] = z[2], r[65] = z[3];                                      \
    }

SHALLOW(f16_0, "m16n8k16.row.col.f32.f16.f16.f32", "0x0")
SHALLOW(f16_1, "m16n8k16.row.col.f32.f16.f16.f32", "0x1")
SHALLOW(f16_2, "m16n8k16.row.col.f32.f16.f16.f32", "0x2")
SHALLOW(f16_3, "m16n8k16.row.col.f32.f16.f16.f32", "0x3")
SHALLOW(bf16_2, "m16n8k16.row.col.f32.bf16.bf16.f32", "0x2")
SHALLOW(tf32_1, "m16n8k8.row.col.f32.tf32.tf32.f32", "0x1")
DEEP(f16_deep_0, "m16n8k32.row.col.f32.f16.f16.f32", "0x0")
DEEP(f16_deep_1, "m16n8k32.row.col.f32.f16.f16.f32", "0x1")
DEEP(bf16_deep_0, "m16n8k32.row.col.f32.bf16.bf16.f32", "0x0")
DEEP(tf32_deep_1, "m16n8k16.row.col.f32.tf32.tf32.f32", "0x1")

/* Sums of 16 bits, in the pairs of the result's fragment. */
extern "C" __global__ void f16_to_16(const word *a, const word *b, const word *m, const word *c, word *d)
{
    LANE;
    const word *x = a + 8 * g + t, *y = b + 16 * g + t;
    word z[2];
    asm("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},"
        "{%6,%7,%8,%9},{%10,%11},%12,0x0;"
        : "=r"(z[0]), "=r"(z[1])
        : "r"(x[0]), "r"(x[64]), "r"(x[4]), "r"(x[68]), "r"(y[0]), "r"(y[4]), "r"(y[8]), "r"(y[12]),
          "r"(c[4 * g + t]), "r"(c[4 * (g + 8) + t]), "r"(m[lane]));
    d[4 * g + t] = z[0], d[4 * (g + 8) + t] = z[1];
}

/* The same of integers: bytes, or pairs of 4-bit numbers. */
#define SHALLOW_INT(NAME, OP, SELECTOR)                                                            \
    extern "C" __global__ void NAME(const word *a, const word *b, const word *m, const int *c, int *d) \
    {                                                                                              \
        LANE;                                                                                      \
        const int *s = c + 8 * g + 2 * t;                                                          \
        int z[4];                                                                                  \
        asm("mma.sp::ordered_metadata.sync.aligned." OP                                            \
            " {%0,%1,%2,%3},{%4,%5},{%6,%7},{%8,%9,%10,%11},%12," SELECTOR ";"                     \
            : "=r"(z[0]), "=r"(z[1]), "=r"(z[2]), "=r"(z[3])                                       \
            : "r"(a[4 * g + t]), "r"(a[4 * (g + 8) + t]), "r"(b[8 * g + t]),                       \
              "r"(b[8 * g + t + 4]), "r"(s[0]), "r"(s[1]), "r"(s[64]), "r"(s[65]), "r"(m[lane]));  \
        int *r = d + 8 * g + 2 * t;                                                                \
        r[0] = z[0], r[1] = z[1], r[64] = z[2], r[65] = z[3];                                      \
    }

#define DEEP_INT(NAME, OP)                                                                         \
    extern "C" __global__ void NAME(const word *a, const word *b, const word *m, const int *c, int *d) \
    {                                                                                              \
        LANE;                                                                                      \
        const int *s = c + 8 * g + 2 * t;                                                          \
        const word *x = a + 8 * g + t, *y = b + 16 * g + t;                                        \
        int z[4];                                                                                  \
        asm("mma.sp::ordered_metadata.sync.aligned." OP                                            \
            " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%12,%13,%14,%15},%16,0x0;"              \
            : "=r"(z[0]), "=r"(z[1]), "=r"(z[2]), "=r"(z[3])                                       \
            : "r"(x[0]), "r"(x[64]), "r"(x[4]), "r"(x[68]), "r"(y[0]), "r"(y[4]), "r"(y[8]),       \
              "r"(y[12]), "r"(s[0]), "r"(s[1]), "r"(s[64]), "r"(s[65]), "r"(m[lane]));             \
        int *r = d + 8 * g + 2 * t;                                                                \
        r[0] = z[0], r[1] = z[1], r[64] = z[2], r[65] = z[3];                                      \
    }

SHALLOW_INT(s8_0, "m16n8k32.row.col.s32.s8.s8.s32", "0x0")
SHALLOW_INT(u8_s8_1, "m16n8k32.row.col.satfinite.s32.u8.s8.s32", "0x1")
SHALLOW_INT(s4_u4_1, "m16n8k64.row.col.s32.s4.u4.s32", "0x1")
DEEP_INT(s8_deep, "m16n8k64.row.col.s32.s8.s8.s32")
DEEP_INT(s4_deep, "m16n8k128.row.col.s32.s4.s4.s32")
