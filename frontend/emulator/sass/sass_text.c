/* Prints instructions in nvdisasm's format. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "frontend/emulator/sass/sass_line.h"
#include "frontend/emulator/sass/sass_operands.h"
#include "frontend/emulator/sass/sass_table.h"
#include "frontend/emulator/sass/sass_texture.h"

/*
 * Floating-point immediates have 20 significant digits; large ones are printed with an exponent and
 * all digits.
 */
static void put_float(sass_line_t *l, double v)
{
    if (isnan(v))
        sass_line_put(l, signbit(v) ? "-QNAN" : "+QNAN");
    else if (isinf(v))
        sass_line_put(l, v < 0 ? "-INF" : "+INF");
    else if (v == 0 && signbit(v))
        sass_line_put(l, "-0.0");
    else
        sass_line_put(l, fabs(v) >= 1e9 ? "%.20e" : "%.20g", v);
}

static double bf16_value(uint32_t bits)
{
    const uint32_t word = bits << 16;
    float f;

    memcpy(&f, &word, sizeof(f));
    return (double)f;
}

static double half_value(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = bits & 1023, v;

    if (exponent == 31)
        v = fraction != 0 ? NAN : INFINITY;
    else
        v = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -v : v;
}

static void put_immediate(sass_line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    double (*const half)(uint32_t) = sass_is_bf16(in) ? bf16_value : half_value;
    double d;
    float f;
    uint32_t word = (uint32_t)o->value;

    switch (o->style) {
    case SASS_FLOAT:
        memcpy(&f, &word, sizeof(f));
        put_float(l, (double)f);
        break;
    case SASS_DOUBLE:
        memcpy(&d, &o->value, sizeof(d));
        put_float(l, d);
        break;
    case SASS_HALF:
        put_float(l, half(word >> 16));
        sass_line_put(l, ", ");
        put_float(l, half(word & 0xffff));
        break;
    default:
        sass_line_put(l, o->value < 0 ? "-0x%" PRIx64 : "0x%" PRIx64,
                      (uint64_t)(o->value < 0 ? -o->value : o->value));
    }
}

static void put_reg_name(sass_line_t *l, bool uniform, unsigned num)
{
    if (num == (uniform ? (unsigned)SASS_URZ : (unsigned)SASS_RZ))
        sass_line_put(l, uniform ? "URZ" : "RZ");
    else
        sass_line_put(l, uniform ? "UR%u" : "R%u", num);
}

/* The layout of A and B in the registers of a matrix instruction. */
static void put_layout(sass_line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    const bool a = o == &in->operand[1], b = o == &in->operand[2];
    const bool columns = sass_bits(in, a ? 73 : 74, 1);

    if (!a && !b)
        return;
    if (in->op != SASS_HMMA884 && columns == a)
        sass_line_put(l, a ? ".???1" : ".???0");
    else
        sass_line_put(l, columns ? ".COL" : ".ROW");
}

static void put_reg(sass_line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    put_reg_name(l, o->kind == SASS_OPERAND_UREG, o->num);
    if (o->abs)
        sass_line_put(l, "|");
    if (o->reuse)
        sass_line_put(l, ".reuse");
    if (in->op == SASS_HMMA884 || in->op == SASS_IMMA || in->op == SASS_BMMA)
        put_layout(l, in, o);
}

/* I2IP: how many bits of the third source are kept, or which half of it is used. */
static void put_packed_select(sass_line_t *l, const sass_inst_t *in, unsigned select)
{
    const bool bits = sass_bits(in, 78, 1);

    if (select == 1)
        sass_line_put(l, ".H1");
    else if (bits && select == (sass_bits(in, 77, 1) ? 2 : 3))
        sass_line_put(l, select == 2 ? ".24" : ".28");
    else
        sass_line_put(l, ".INVALID%u", select);
}

static void put_select(sass_line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    const unsigned size = in->op == SASS_R2P ? 0 : in->op == SASS_MUFU ? 1 : sass_bits(in, 84, 2);

    const bool halves = in->op == SASS_F2IP || in->op == SASS_F2FP;

    if (halves && o->select == 1)
        sass_line_put(l, ".H1");
    if (halves)
        return;
    if (in->op == SASS_I2IP) {
        put_packed_select(l, in, o->select);
        return;
    }
    if (size == 0 && o->select != 0)
        sass_line_put(l, ".B%u", o->select);
    else if (size == 1 && o->select == 1)
        sass_line_put(l, ".H1");
    else if (size == 1 && o->select != 0)
        sass_line_put(l, ".INVALID%u", o->select);
}

static void put_pred(sass_line_t *l, const sass_operand_t *o)
{
    const char *file = o->kind == SASS_OPERAND_UPRED ? "U" : "";

    if (o->num == SASS_PT)
        sass_line_put(l, "%s%sPT", o->inv ? "!" : "", file);
    else
        sass_line_put(l, "%s%sP%u", o->inv ? "!" : "", file, o->num);
}

static void put_offset(sass_line_t *l, int64_t offset, bool first)
{
    if (offset == 0 && !first)
        return;
    sass_line_put(l, "%s%s0x%" PRIx64, first ? "" : "+", offset < 0 ? "-" : "",
                  (uint64_t)(offset < 0 ? -offset : offset));
}

static void put_address(sass_line_t *l, const sass_inst_t *in, const sass_operand_t *o,
                        bool space_of_32_bits)
{
    const bool ureg = o->with_ureg;
    const bool scaled = o->scale > 1 && (ureg || o->num != SASS_RZ);
    const bool reg = o->num != SASS_RZ || scaled || (!ureg && o->value == 0);

    if (o->with_desc && sass_bits(in, 101, 1)) {
        sass_line_put(l, "desc[");
        put_reg_name(l, true, o->desc);
        sass_line_put(l, "]");
    }
    sass_line_put(l, "[");
    if (reg) {
        put_reg_name(l, false, o->num);
        if ((ureg || o->with_desc || in->op == SASS_LDGSTS) && !space_of_32_bits)
            sass_line_put(l, o->wide ? ".64" : ".U32");
        if (scaled)
            sass_line_put(l, ".X%u", o->scale);
    }
    if (ureg) {
        sass_line_put(l, reg ? "+" : "");
        put_reg_name(l, true, o->ureg);
    }
    if (!reg && !ureg && space_of_32_bits)
        sass_line_put(l, "0x%x", (unsigned)o->value & 0xffffff);
    else
        put_offset(l, o->value, !reg && !ureg);
    sass_line_put(l, "]");
}

static bool is_shared_or_local(const sass_inst_t *in, const sass_operand_t *o)
{
    switch (in->op) {
    case SASS_ARRIVES:
        return true;
    case SASS_LDGSTS: /* from global to shared memory */
        return o == &in->operand[0];
    case SASS_LDS:
    case SASS_STS:
    case SASS_LDL:
    case SASS_STL:
    case SASS_LDSM:
        return true;
    default:
        return sass_is_shared_atomic(in);
    }
}

/* Constants of which only a part is read have a blank after their bank. */
static bool is_spaced(const sass_inst_t *in, const sass_operand_t *o)
{
    switch (in->op) {
    case SASS_I2F:
        return sass_bits(in, 84, 2) < 2;
    case SASS_MUFU:
        return sass_bits(in, 73, 1);
    default:
        return o->style == SASS_HALF;
    }
}

static void put_const(sass_line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    const char *const space = is_spaced(in, o) ? " " : "";

    if (o->bindless) {
        sass_line_put(l, "cx[");
        put_reg_name(l, true, o->num);
        sass_line_put(l, "]%s[", space);
    } else {
        sass_line_put(l, "c[0x%x]%s[", o->bank, space);
    }
    if (o->indexed) {
        bool zero = o->num == (in->uniform ? SASS_URZ : SASS_RZ);
        if (!zero || o->value == 0)
            put_reg_name(l, in->uniform, o->num);
        put_offset(l, o->value, zero && o->value != 0);
    } else {
        put_offset(l, (int16_t)o->value, true);
    }
    sass_line_put(l, "]");
}

/* The immediate of an instruction that works on upper words of doubles. */
static void put_upper_word(sass_line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    sass_operand_t whole = *o;

    whole.style = SASS_DOUBLE;
    whole.value = (int64_t)((uint64_t)o->value << 32);
    put_immediate(l, in, &whole);
}

static void put_value(sass_line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    static const char *const halves[] = {"", ".F32", ".H0_H0", ".H1_H1"};
    bool integer = o->style == SASS_INT || o->style == SASS_INT64 || o->style == SASS_BITS;
    bool complement = o->inv || (integer && in->extended);

    if (o->kind == SASS_OPERAND_IMM) {
        if (in->op == SASS_MUFU && sass_bits(in, 75, 3) == 3) /* RCP64H, RSQ64H */
            put_upper_word(l, in, o);
        else
            put_immediate(l, in, o);
        return;
    }
    if (o->neg || o->inv)
        sass_line_put(l, complement ? "~" : "-");
    if (o->abs)
        sass_line_put(l, "|");
    if (o->kind == SASS_OPERAND_CONST)
        put_const(l, in, o);
    else
        put_reg(l, in, o);
    if (o->select != 0)
        put_select(l, in, o);
    if (in->op == SASS_PLOP3_SIGN)
        sass_line_put(l, ".SIGN");
    if (o->high_neg) /* the upper half with its sign changed */
        sass_line_put(l, o->half == SASS_H1_H0 ? ".H0_NH1" : ".INVALID%u", 4u + o->half);
    else if (o->style == SASS_HALF && o->kind != SASS_OPERAND_UREG)
        sass_line_put(l, "%s", halves[o->half & 3]);
    if (o->abs && o->kind == SASS_OPERAND_CONST)
        sass_line_put(l, "|");
}

/* "SB0, 0x0, {2,1}" */
static void put_barrier_set(sass_line_t *l, const sass_operand_t *o)
{
    const char *separator = "{";

    for (unsigned i = 6; i-- > 0;)
        if (o->value >> i & 1) {
            sass_line_put(l, "%s%u", separator, i);
            separator = ",";
        }
    sass_line_put(l, "}");
}

static void put_operand(sass_line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    switch (o->kind) {
    case SASS_OPERAND_PRED:
    case SASS_OPERAND_UPRED:
        put_pred(l, o);
        break;
    case SASS_OPERAND_PR:
        sass_line_put(l, in->uniform ? "UPR" : "PR");
        break;
    case SASS_OPERAND_MEM:
        put_address(l, in, o, is_shared_or_local(in, o));
        break;
    case SASS_OPERAND_BARRIER:
        sass_line_put(l, "%s", sass_barrier_name(o->num));
        break;
    case SASS_OPERAND_SB:
        sass_line_put(l, o->num < 6 ? "SB%u" : "INVALID%u", o->num);
        break;
    case SASS_OPERAND_SBS:
        put_barrier_set(l, o);
        break;
    case SASS_OPERAND_SPECIAL:
        if (sass_special_name(o->num) != NULL)
            sass_line_put(l, "%s", sass_special_name(o->num));
        else
            sass_line_put(l, "SR%u", o->num);
        break;
    case SASS_OPERAND_TARGET:
        put_offset(l, o->value, true);
        break;
    case SASS_OPERAND_HANDLE:
        sass_line_put(l, "0x%x, 0x%" PRIx64, o->bank, (uint64_t)o->value / 4);
        break;
    case SASS_OPERAND_NAME:
        sass_line_put(l, "%s", sass_tex_name((unsigned)o->value));
        break;
    default:
        put_value(l, in, o);
    }
}

static void put_guard(sass_line_t *l, const sass_inst_t *in)
{
    const char *file = in->guard_uniform ? "U" : "";

    if (in->guard == SASS_PT && !in->guard_not)
        return;
    sass_line_put(l, "@%s%sP", in->guard_not ? "!" : "", file);
    if (in->guard == SASS_PT)
        sass_line_put(l, "T ");
    else
        sass_line_put(l, "%u ", in->guard);
}

size_t sass_text(const sass_inst_t *in, char text[SASS_TEXT_MAX])
{
    sass_line_t l = {text, 0};
    const char *separator = " ";

    text[0] = '\0';
    put_guard(&l, in);
    char mnemonic[SASS_TEXT_MAX];
    sass_mnemonic(in, mnemonic);
    sass_line_put(&l, "%s", mnemonic);
    for (unsigned i = 0; i < in->n_operands; i++) {
        if (in->operand[i].hidden)
            continue;
        sass_line_put(&l, "%s", separator);
        put_operand(&l, in, &in->operand[i]);
        bool indirect =
            in->operand[i].count == 2 && (in->op == SASS_BRX || in->op == SASS_RET ||
                                          in->op == SASS_CALL_REL || in->op == SASS_CALL_ABS);
        separator = indirect ? " " : ", ";
    }
    return l.n;
}
