/* Exchange between lanes, and special registers: SHFL, VOTE, MATCH, R2UR, S2R, LDC. */
#include "tests/support/emulator/op_cases.h"
#include "tests/support/emulator/op_lab.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { LANES = 32 };

/* PTX ISA, shfl: its pseudo code. */
static void shfl(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const int lane = (int)in->lane, b = (int)(in->b[0] & 31), bound = (int)(in->c[0] & 31);
    const int mask = (int)(in->c[0] >> 8 & 31);
    const int most = (lane & mask) | (bound & ~mask), least = lane & mask;
    int j;
    bool p;

    switch (op_bits(c, 58, 2)) {
    case 0: /* idx */
        j = least | (b & ~mask);
        p = j <= most;
        break;
    case 1: /* up */
        j = lane - b;
        p = j >= most;
        break;
    case 2: /* down */
        j = lane + b;
        p = j <= most;
        break;
    default: /* bfly */
        j = lane ^ b;
        p = j <= most;
    }
    op_put_pred(c, out, 0, p);
    out->d[0] = in->warp[p ? j : lane].a[0];
}

static void vote(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const unsigned mode = op_bits(c, 72, 2);
    uint32_t yes = 0;

    for (unsigned k = 0; k < LANES; k++)
        if (in->active >> k & 1)
            yes |= (uint32_t)op_pred(c, &in->warp[k], 0) << k;
    const bool all = yes == in->active, any = yes != 0;
    out->d[0] = yes;
    op_put_pred(c, out, 0, mode == 0 ? all : mode == 1 ? any : all || !any);
}

/* .ANY: the lanes with the same value; .ALL: all lanes, if all have the same value. */
static void match(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const bool any = op_bits(c, 79, 1), wide = op_bits(c, 73, 1);
    uint32_t same = 0;

    for (unsigned k = 0; k < LANES; k++) {
        const op_in_t *other = &in->warp[k];
        if ((in->active >> k & 1) != 0 && other->a[0] == in->a[0] &&
            (!wide || other->a[1] == in->a[1]))
            same |= 1u << k;
    }
    out->d[0] = any || same == in->active ? same : 0;
    if (!any)
        op_put_pred(c, out, 0, same == in->active);
}

static void r2ur(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    (void)c;
    out->d[0] = in->warp[0].a[0];
}

/* Special registers of a launch of one block. */
static void s2r(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const unsigned sr = op_bits(c, 72, 8);
    const uint32_t one = 1u << in->lane;

    switch (sr) {
    case 0x00: /* LANEID */
        out->d[0] = in->lane;
        break;
    case 0x21: /* TID.X */
        out->d[0] = in->thread;
        break;
    case 0x30: /* SWINLO, LWINLO: windows begin at multiples of 4 GiB */
    case 0x34:
        out->d[0] = 0;
        break;
    case 0x38: /* EQMASK, LTMASK, LEMASK, GTMASK, GEMASK */
        out->d[0] = one;
        break;
    case 0x39:
        out->d[0] = one - 1;
        break;
    case 0x3a:
        out->d[0] = one | (one - 1);
        break;
    case 0x3b:
        out->d[0] = ~(one | (one - 1));
        break;
    case 0x3c:
        out->d[0] = ~(one - 1);
        break;
    case 0x03: /* VIRTID: the warp, and the SM, which is the only one */
        out->d[0] = in->thread / 32 << 8;
        break;
    case 0x32: /* SMEMSZ: of the replaced kernel */
        out->d[0] = 2048;
        break;
    default: /* TID.Y, TID.Z, CTAID, LMEMHIOFF, VIRTUALSMID, PM, SRZ */
        out->d[0] = 0;
    }
    if (c->words == 2)
        out->d[1] = 0;
}

/* A load of the constant, or of a part of it. */
static void ldc(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    const uint64_t v = in->constant >> (8 * (op_bits(c, 38, 16) - OP_CONSTANT));

    switch (op_bits(c, 73, 3)) {
    case 0:
        out->d[0] = (uint8_t)v;
        break;
    case 1:
        out->d[0] = (uint32_t)(int8_t)v;
        break;
    case 2:
        out->d[0] = (uint16_t)v;
        break;
    case 3:
        out->d[0] = (uint32_t)(int16_t)v;
        break;
    case 4:
        out->d[0] = (uint32_t)v;
        break;
    default:
        out->d[0] = (uint32_t)v;
        out->d[1] = (uint32_t)(v >> 32);
    }
}

/* Instructions that wait or order, and do not change anything visible to a lane. */
static void nothing(const op_case_t *c, const op_in_t *in, op_out_t *out)
{
    (void)c, (void)in, (void)out;
}

static const op_case_t cases[] = {
    {.lo = 0x189, .words = 1, .expect = shfl, .fields = {{58, 2, 0}}, .forms = 0x96},
    {.lo = 0x006, .words = 1, .expect = vote, .fields = {{72, 2, 7}}},
    {.lo = 0x086, .words = 1, .expect = vote, .fields = {{72, 2, 7}}, .whole_warps = true},
    {.lo = 0x1a1,
     .values = OP_ALIKE,
     .words = 1,
     .expect = match,
     .fields = {{79, 1, 0}, {73, 1, 0}}},
    {.lo = 0x1c2, .hi = 7 << 17, .words = 1, .expect = r2ur, .whole_warps = true},
    {.lo = 0x001, .expect = nothing, .forms = 0x10},
    {.lo = 0x118, .expect = nothing, .forms = 0x10},
    {.lo = 0x11a, .expect = nothing, .fields = {{47, 1, 0}, {44, 3, 0}}, .forms = 0x10},
    {.lo = 0x15d, .expect = nothing, .fields = {{85, 1, 0}}},
    {.lo = 0x18f, .expect = nothing, .fields = {{87, 4, 0x1ff}, {78, 3, 7}}, .forms = 0x10},
    {.lo = 0x190, .expect = nothing, .fields = {{87, 4, 0x1ff}}, .forms = 0x10},
    {.lo = 0x192,
     .expect = nothing,
     .fields = {{72, 1, 0}, {76, 3, 0x2f}, {79, 2, 7}},
     .forms = 0x10},
    {.lo = 0x1ab, .expect = nothing, .forms = 0x10},
};

static void check_special_registers(void)
{
    static const uint8_t known[] = {0x00, 0x03, 0x21, 0x22, 0x23, 0x25, 0x26,
                                    0x27, 0x30, 0x32, 0x34, 0x37, 0x38, 0x39,
                                    0x3a, 0x3b, 0x3c, 0x43, 0x64, 0x73, 0xff};

    for (unsigned i = 0; i < COUNT(known); i++) {
        const uint64_t sr = (uint64_t)known[i] << 8;
        const op_case_t forms[] = {
            {.lo = 0x119, .hi = sr, .words = 1, .expect = s2r, .forms = 0x10},
            {.lo = 0x005, .hi = sr, .words = 1, .expect = s2r, .forms = 0x10},
            {.lo = 0x005, .hi = sr | 1 << 16, .words = 2, .expect = s2r, .forms = 0x10},
            {.lo = 0x1c3, .hi = sr, .words = 1, .expect = s2r, .forms = 0x10, .whole_warps = true}};
        const bool of_lane = known[i] == 0 || (known[i] >= 0x21 && known[i] <= 0x23) ||
                             (known[i] >= 0x38 && known[i] <= 0x3c);
        op_lab_check(&forms[0]);
        if (of_lane)
            continue;
        for (unsigned k = 1; k < COUNT(forms); k++)
            op_lab_check(&forms[k]);
    }
}

static void check_constants(void)
{
    static const uint16_t opcodes[] = {0x182, 0x0b9, 0x0bb};

    for (unsigned i = 0; i < COUNT(opcodes); i++)
        for (uint64_t at = 0; at < 8; at++) {
            const uint64_t index = i == 0 ? 255 : i == 1 ? 0 : 63;
            const uint64_t lo = opcodes[i] | index << 24 | (OP_CONSTANT + at) << 38;
            const uint32_t sizes = at == 0 ? 0x1f : at % 4 == 0 ? 0x1f : at % 2 == 0 ? 0xf : 3;
            const op_case_t word = {
                .lo = lo, .words = 1, .expect = ldc, .fields = {{73, 3, sizes}}, .forms = 0x20};
            const op_case_t pair = {
                .lo = lo, .hi = 5 << 9, .words = 2, .expect = ldc, .forms = 0x20};
            op_lab_check(&word);
            if (at == 0)
                op_lab_check(&pair);
        }
}

void op_cases_lanes(void)
{
    op_lab_check_all(cases, COUNT(cases));
    check_special_registers();
    check_constants();
}
