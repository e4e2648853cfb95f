/* Loads, stores, atomics and reductions of every width, type and operation; LDSM, QSPC. */
#include <math.h>
#include <string.h>

#include "tests/support/emulator/op_cases.h"
#include "tests/support/emulator/op_lab.h"
#include "tests/support/emulator/op_numbers.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* U8, S8, U16, S16, 32, 64, 128 bits. */
static void load(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const unsigned size = op_bits(c, 73, 3);

    memcpy(out->d, in->a, size >= 6 ? 16 : size == 5 ? 8 : 4);
    if (size < 2)
        out->d[0] = size == 1 ? (uint32_t)(int8_t)in->a[0] : in->a[0] & 0xff;
    else if (size < 4)
        out->d[0] = size == 3 ? (uint32_t)(int16_t)in->a[0] : in->a[0] & 0xffff;
}

static void store(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    static const size_t bytes[] = {1, 1, 2, 2, 4, 8, 16};

    memcpy(out->place, in->b, bytes[op_bits(c, 73, 3)]);
}

/* --- atomics --------------------------------------------------------------------------------- */

enum { U32, S32, U64, F32, F16X2, S64, F64 };
enum { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH };

static uint32_t add_f32(uint32_t x, uint32_t y)
{
    const float sum = op_float_of(x) + op_float_of(y);

    return op_bits_of_float(fabsf(sum) < 0x1p-126f ? copysignf(0, sum) : sum); /* .FTZ */
}

static uint32_t add_f16(uint32_t x, uint32_t y)
{
    return op_half_bits(
        (long double)op_half_value(x & 0xffff) + (long double)op_half_value(y & 0xffff), 0);
}

static uint64_t sum(unsigned type, uint64_t x, uint64_t y)
{
    switch (type) {
    case F32:
        return add_f32((uint32_t)x, (uint32_t)y);
    case F16X2:
        return add_f16((uint32_t)x, (uint32_t)y) | add_f16((uint32_t)(x >> 16), (uint32_t)(y >> 16))
                                                       << 16;
    case F64:
        return op_bits_of_double(op_double_of(x) + op_double_of(y));
    default:
        return x + y;
    }
}

static bool less(unsigned type, uint64_t x, uint64_t y)
{
    return type == S32 ? (int32_t)x < (int32_t)y : type == S64 ? (int64_t)x < (int64_t)y : x < y;
}

static uint64_t changed(const op_case_t *c, unsigned op, uint64_t old, uint64_t x)
{
    const unsigned type = op_bits(c, 73, 3);

    switch (op) {
    case ADD:
        return sum(type, old, x);
    case MIN:
        return less(type, x, old) ? x : old;
    case MAX:
        return less(type, old, x) ? x : old;
    case INC:
        return old >= x ? 0 : old + 1;
    case DEC:
        return old == 0 || old > x ? x : old - 1;
    case AND:
        return old & x;
    case OR:
        return old | x;
    case XOR:
        return old ^ x;
    default:
        return x;
    }
}

static bool is_wide(const op_case_t *c)
{
    const unsigned type = op_bits(c, 73, 3);

    return type == U64 || type == S64 || type == F64;
}

static uint64_t number(const op_case_t *c, const uint32_t *words)
{
    return is_wide(c) ? op_u64(words) : words[0];
}

static void put_place(const op_case_t *c, op_out_t *out, uint64_t v)
{
    memcpy(out->place, &v, is_wide(c) ? 8 : 4);
}

static void put_result(const op_case_t *c, op_out_t *out, uint64_t v)
{
    memcpy(out->d, &v, is_wide(c) ? 8 : 4);
}

static void atomic(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const uint64_t old = number(c, in->a);

    put_place(c, out, changed(c, op_bits(c, 87, 4), old, number(c, in->b)));
    put_result(c, out, old);
}

static void reduction(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    put_place(c, out, changed(c, op_bits(c, 87, 3), number(c, in->a), number(c, in->b)));
}

static void cas(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const uint64_t old = number(c, in->a);

    if (old == number(c, in->b))
        put_place(c, out, number(c, in->c));
    put_result(c, out, old);
}

/* CAST returns whether the exchange took place. */
static void cast(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool equal = number(c, in->a) == number(c, in->b);

    if (equal)
        put_place(c, out, number(c, in->c));
    put_result(c, out, equal);
}

static bool same_sums(const op_out_t *expected, const op_out_t *got)
{
    return isnan(op_double_of(op_u64(expected->place))) &&
           isnan(op_double_of(op_u64(got->place))) &&
           memcmp(expected->d, got->d, sizeof(got->d)) == 0 &&
           memcmp(expected->place + 2, got->place + 2, 8) == 0;
}

/* --- others ---------------------------------------------------------------------------------- */

static uint32_t half_at(const op_in_t *row, unsigned i)
{
    return row->a[i / 2] >> (16 * (i % 2)) & 0xffff;
}

/* The rows of matrix m are at the addresses of lanes 8m to 8m + 7. */
static void ldsm(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const unsigned row = in->lane / 4, col = in->lane % 4 * 2;

    for (unsigned m = 0; m < 1u << op_bits(c, 72, 2); m++) {
        const op_in_t *rows = &in->warp[8 * m];
        out->d[m] = op_bits(c, 78, 1)
                        ? half_at(&rows[col], row) | half_at(&rows[col + 1], row) << 16
                        : half_at(&rows[row], col) | half_at(&rows[row], col + 1) << 16;
    }
}

/* Of an address in global memory. */
static void qspc(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    (void)in;
    out->d[0] = op_bits(c, 73, 2) == 0; /* G; L and S are not */
    op_put_pred(c, out, 0, out->d[0]);
}

#define E       (1 << 8)
#define NO_PRED (7 << 17)
#define WEAK    (1 << 15)
#define SIZES                                                                                      \
    {                                                                                              \
        73, 3, 0x7f                                                                                \
    }
#define CACHES                                                                                     \
    {68, 2, 7}, {77, 2, 0}, {79, 2, 0},                                                            \
    {                                                                                              \
        84, 3, 0x3f                                                                                \
    }
#define STORE_CACHES                                                                               \
    {77, 2, 0}, {79, 2, 0xe},                                                                      \
    {                                                                                              \
        84, 3, 0x3f                                                                                \
    }
#define ATOM_CACHES                                                                                \
    {77, 2, 0}, {79, 2, 6},                                                                        \
    {                                                                                              \
        84, 3, 0x3f                                                                                \
    }
#define EVICTION                                                                                   \
    {                                                                                              \
        84, 3, 0x3f                                                                                \
    }
#define INTS                                                                                       \
    {                                                                                              \
        73, 3, 1 << U32 | 1 << S32 | 1 << U64 | 1 << S64                                           \
    }
#define SUMS(type)                                                                                 \
    {73, 3, 1 << (type)},                                                                          \
    {                                                                                              \
        87, 3, 1 << ADD                                                                            \
    }
#define CAS_TYPES                                                                                  \
    {                                                                                              \
        73, 3, 1 << U32 | 1 << U64                                                                 \
    }

/* Of one, two or four matrices, by their code. */
#define LDSM(code, n_matrices)                                                                     \
    {                                                                                              \
        .lo = 0x03b, .hi = (code) << 8, .words = (n_matrices), .expect = ldsm,                     \
        .memory = OP_SHARED, .fields = {{78, 1, 0}}, .forms = 0x10, .whole_warps = true            \
    }

/* A load with P2, or with !P2: other lanes get 0. The encoding counts the predicate from above. */
static void gated_load(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool open = (in->preds >> 2 & 1) != op_bits(c, 67, 1);

    const unsigned size = op_bits(c, 73, 3);

    load(c, in, out);
    if (!open)
        memset(out->d, 0, size >= 6 ? 16 : size == 5 ? 8 : 4);
}

static const op_case_t accesses[] = {
    {.lo = 0x180,
     .hi = E,
     .words = 4,
     .expect = load,
     .memory = OP_GLOBAL,
     .fields = {{73, 3, 0}, CACHES}},
    {.lo = 0x181,
     .hi = E | NO_PRED,
     .words = 4,
     .expect = load,
     .memory = OP_GLOBAL,
     .fields = {{73, 3, 0}, CACHES}},
    {.lo = 0x180,
     .hi = E | 5,
     .words = 4,
     .expect = gated_load,
     .memory = OP_GLOBAL,
     .fields = {SIZES, {67, 1, 0}}},
    {.lo = 0x181,
     .hi = E | NO_PRED | 5,
     .words = 4,
     .expect = gated_load,
     .memory = OP_GLOBAL,
     .fields = {SIZES, {67, 1, 0}}},
    {.lo = 0x184, .words = 4, .expect = load, .memory = OP_SHARED, .fields = {SIZES, {76, 1, 0}}},
    {.lo = 0x183, .words = 4, .expect = load, .memory = OP_LOCAL, .fields = {SIZES, EVICTION}},
    {.lo = 0x185, .hi = E, .expect = store, .memory = OP_GLOBAL, .fields = {SIZES, STORE_CACHES}},
    {.lo = 0x186, .hi = E, .expect = store, .memory = OP_GLOBAL, .fields = {SIZES, STORE_CACHES}},
    {.lo = 0x188, .expect = store, .memory = OP_SHARED, .fields = {SIZES}},
    {.lo = 0x187, .expect = store, .memory = OP_LOCAL, .fields = {SIZES, EVICTION}},
    {.lo = 0x1aa, .hi = E, .words = 1, .expect = qspc, .memory = OP_GLOBAL, .fields = {{73, 2, 7}}},
    LDSM(0, 1),
    LDSM(1, 2),
    LDSM(2, 4),
};

/* An opcode that changes memory, with all types: integers, sums, exchanges. */
static void check_changes(uint64_t lo, bool exchanges)
{
    const uint64_t hi = NO_PRED | E | WEAK;
    const op_case_t ints = {.lo = lo,
                            .hi = hi,
                            .words = 2,
                            .expect = exchanges ? atomic : reduction,
                            .memory = OP_GLOBAL,
                            .fields = {INTS, {87, 3, 0}}};
    const op_case_t f32 = {.lo = lo,
                           .hi = hi,
                           .values = OP_FLOATS,
                           .words = 1,
                           .expect = ints.expect,
                           .memory = OP_GLOBAL,
                           .fields = {SUMS(F32)}};
    const op_case_t f16 = {.lo = lo,
                           .hi = hi,
                           .values = OP_HALVES,
                           .words = 1,
                           .expect = ints.expect,
                           .memory = OP_GLOBAL,
                           .fields = {SUMS(F16X2)}};
    const op_case_t f64 = {.lo = lo,
                           .hi = hi,
                           .values = OP_DOUBLES,
                           .words = 2,
                           .expect = ints.expect,
                           .memory = OP_GLOBAL,
                           .fields = {SUMS(F64)},
                           .same = same_sums};
    op_case_t caches = ints, others = ints;

    op_lab_check(&ints);
    op_lab_check(&f32);
    op_lab_check(&f16);
    op_lab_check(&f64);
    if (exchanges) {
        others.fields[0] = (op_field_t){73, 3, 0x7f};
        others.fields[1] = (op_field_t){87, 4, 1 << EXCH};
        op_lab_check(&others);
    }
    caches.fields[2] = (op_field_t){77, 2, 0};
    caches.fields[3] = (op_field_t){79, 2, 6};
    caches.fields[4] = (op_field_t){84, 3, 0x3f};
    op_lab_check(&caches);
}

/* Shared memory has only integers, and with 64 bits only unsigned ones. */
static void check_shared_changes(void)
{
    const op_field_t types = {73, 2, 1 << U32 | 1 << S32 | 1 << U64};
    const op_case_t sums = {.lo = 0x18c,
                            .words = 2,
                            .expect = atomic,
                            .memory = OP_SHARED,
                            .fields = {types, {87, 3, 0}}};
    op_case_t exchanges = sums;

    exchanges.fields[1] = (op_field_t){87, 4, 1 << EXCH};
    op_lab_check(&sums);
    op_lab_check(&exchanges);
}

static const op_case_t swaps[] = {
    {.lo = 0x18b,
     .hi = NO_PRED | E,
     .values = OP_ALIKE,
     .words = 2,
     .expect = cas,
     .memory = OP_GLOBAL,
     .fields = {CAS_TYPES, ATOM_CACHES, {87, 2, 5}}},
    {.lo = 0x1a9,
     .hi = NO_PRED | E,
     .values = OP_ALIKE,
     .words = 2,
     .expect = cas,
     .memory = OP_GLOBAL,
     .fields = {CAS_TYPES, ATOM_CACHES}},
    {.lo = 0x18d,
     .values = OP_ALIKE,
     .words = 2,
     .expect = cas,
     .memory = OP_SHARED,
     .fields = {CAS_TYPES, {87, 2, 5}}},
    {.lo = 0x18d,
     .values = OP_ALIKE,
     .words = 2,
     .expect = cast,
     .memory = OP_SHARED,
     .fields = {CAS_TYPES, {87, 2, 10}}},
};

void op_cases_memory(void)
{
    op_lab_check_all(accesses, COUNT(accesses));
    check_changes(0x18a, true);
    check_changes(0x1a8, true);
    check_shared_changes();
    check_changes(0x18e, false);
    op_lab_check_all(swaps, COUNT(swaps));
}
