#include "tests/support/emulator/op_values.h"

#include "tests/support/emulator/sass_lab.h"

static const uint32_t ints[] = {
    0,      1,          2,          3,          7,          8,          15,
    16,     30,         31,         32,         33,         63,         64,
    65,     127,        128,        255,        256,        0x7fff,     0x8000,
    0xffff, 1u << 16,   1u << 30,   0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,
    ~0u,    0xffffff80, 0xffff8000, 0x80808080, 0x7f7f7f7f, 0xaaaaaaaa};

/* Zeros, denormals, the least and largest normal ones, ones, halves, limits of integers, NaN. */
static const uint32_t floats[] = {
    0x00000000, 0x00000001, 0x007fffff, 0x00400000, 0x00800000, 0x00800001, 0x01000000, 0x0c800000,
    0x33000000, 0x34000000, 0x387fc000, 0x38800000, 0x33800000, 0x3effffff, 0x3f000000, 0x3f7fffff,
    0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000, 0x40200000, 0x42fe0000, 0x42ff0000, 0x43000000,
    0x437f0000, 0x437f8000, 0x46fffe00, 0x47000000, 0x477fff00, 0x477fe000, 0x477ff000, 0x47800000,
    0x4b000000, 0x4b000001, 0x4b7fffff, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff,
    0x5f000000, 0x5f7fffff, 0x5f800000, 0x7effffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001,
    0x7fc00000, 0x7fffffff};

static const uint64_t doubles[] = {
    0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
    0x36a0000000000000, 0x380fffffe0000000, 0x3810000000000000, 0x3e60000000000000,
    0x3e70000000000000, 0x3f0fffffffffffff, 0x3f10000000000000, 0x3fe0000000000000,
    0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000010000000, 0x3ff0000030000000,
    0x3ff8000000000000, 0x4004000000000000, 0x405fe00000000000, 0x40effc0000000000,
    0x40effe0000000000, 0x40f0000000000000, 0x41dfffffffc00000, 0x41dfffffffe00000,
    0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000, 0x433fffffffffffff,
    0x4340000000000000, 0x43dfffffffffffff, 0x43e0000000000000, 0x43efffffffffffff,
    0x43f0000000000000, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000,
    0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000};

static const uint16_t halves[] = {0x0000, 0x0001, 0x03ff, 0x0200, 0x0400, 0x0401, 0x1400, 0x3800,
                                  0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4000, 0x5800, 0x6400, 0x6bff,
                                  0x77ff, 0x7800, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff};

#define PICK(list, r) ((list)[(r) % (sizeof(list) / sizeof((list)[0]))])

static uint32_t an_int(uint64_t r)
{
    switch (r >> 60) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        return PICK(ints, r & 0xffff);
    case 5:
    case 6:
        return (uint32_t)(r & 127);
    default:
        return (uint32_t)(r >> 8);
    }
}

static uint32_t a_float(uint64_t r)
{
    const uint32_t sign = (uint32_t)(r >> 20) & 0x80000000u;

    switch (r >> 61) {
    case 0:
    case 1:
    case 2:
        return PICK(floats, r & 0xffff) | sign;
    case 3: /* exponents near 1 */
        return ((uint32_t)r & 0x07ffffffu) + 0x3c000000u;
    case 4: /* integers with a fraction */
        return ((uint32_t)r & 0x1fffffffu) % 0x12000000u + 0x3e000000u + sign;
    default:
        return (uint32_t)r;
    }
}

static uint64_t a_double(uint64_t r, uint64_t more)
{
    const uint64_t sign = more & 0x8000000000000000ull;

    switch (r >> 61) {
    case 0:
    case 1:
    case 2:
        return PICK(doubles, r & 0xffff) | sign;
    case 3:
        return (more & 0x007fffffffffffffull) + 0x3fc0000000000000ull + sign;
    case 4: /* a single precision number, or close to one, or half way between two */
        return ((more & 0x07ffffffffffffffull) + 0x3c00000000000000ull) &
               ((r & 1) != 0 ? ~0x1fffffffull : ~0x0fffffffull);
    default:
        return more;
    }
}

static uint32_t a_half(uint64_t r)
{
    const uint32_t sign = (uint32_t)(r >> 20) & 0x8000u;

    if (r >> 62 == 0)
        return PICK(halves, r & 0xffff) | sign;
    if (r >> 62 == 1)
        return ((uint32_t)r & 0x0fffu) + 0x3800u + sign;
    return (uint32_t)r & 0xffff;
}

static uint64_t value(op_values_t kind, uint64_t *seed)
{
    const uint64_t r = sass_lab_random(seed), more = sass_lab_random(seed);

    switch (kind) {
    case OP_INTS:
        return an_int(r) | (uint64_t)an_int(more) << 32;
    case OP_FLOATS:
        return a_float(r) | (uint64_t)a_float(more) << 32;
    case OP_DOUBLES:
        return a_double(r, more);
    case OP_HALVES:
        return a_half(r) | a_half(more) << 16 | (uint64_t)(uint32_t)r << 32;
    default: /* few values, so that lanes have the same */
        return (r & 3) * 0x10001u | (more & 1) << 32;
    }
}

void op_values_fill(op_values_t kind, op_in_t *in, uint64_t *seed)
{
    uint32_t *sources[3] = {in->a, in->b, in->c};

    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 4; k += 2) {
            const uint64_t v = value(kind, seed);
            sources[i][k] = (uint32_t)v;
            sources[i][k + 1] = (uint32_t)(v >> 32);
        }
    const uint64_t r = sass_lab_random(seed);
    for (unsigned k = 0; k < 4; k++) { /* equal operands, and operands that cancel */
        if ((r & 7) == 0)
            in->b[k] = in->a[k];
        if ((r & 0x38) == 0)
            in->c[k] = in->a[k] ^ ((r & 0x40) != 0 && k == 1 ? 0x80000000u : 0);
    }
    in->preds = (uint32_t)(r >> 40) & 127;
}

uint32_t op_values_word(op_values_t kind, uint64_t *seed)
{
    const uint64_t v = value(kind, seed);

    return (uint32_t)(kind == OP_DOUBLES ? v >> 32 : v);
}
