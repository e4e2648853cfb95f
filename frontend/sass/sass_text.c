/* Instructions as nvdisasm writes them. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontend/sass/sass_table.h"
#include "frontend/sass/sass_texture.h"

/* A text of bounded length. */
typedef struct {
    char *text;
    size_t n;
} line_t;

static void put(line_t *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(line_t *l, const char *format, ...)
{
    va_list ap;
    size_t room = SASS_TEXT_MAX - l->n;

    va_start(ap, format);
    int n = vsnprintf(l->text + l->n, room, format, ap);
    va_end(ap);
    if (n > 0)
        l->n += (size_t)n < room ? (size_t)n : room - 1;
}

/* --- mnemonic -------------------------------------------------------------------------------- */

static void put_float_type(line_t *l, unsigned size)
{
    put(l, ".F%u", 8u << size);
}

static void put_int_type(line_t *l, unsigned size, bool is_signed)
{
    if (size != 2 || !is_signed)
        put(l, ".%c%u", is_signed ? 'S' : 'U', 8u << size);
}

/*
 * The names that nvdisasm gives to special cases of IMAD: a move, an addition, a shift. They are
 * the same instruction.
 */
static void put_imad(line_t *l, const sass_inst_t *in)
{
    const sass_operand_t *a = &in->operand[1], *b = &in->operand[2], *c = &in->operand[3];
    bool is_signed = sass_bits(in, 73, 1);
    bool b_rz = b->kind == SASS_OPERAND_REG && b->num == SASS_RZ;
    bool c_rz = c->kind == SASS_OPERAND_REG && c->num == SASS_RZ;
    bool b_imm = b->kind == SASS_OPERAND_IMM;
    bool power = b_imm && b->value > 1 && (b->value & (b->value - 1)) == 0;

    if (in->extended) {
        put(l, is_signed ? ".X" : ".U32.X");
        return;
    }
    if (a->num == SASS_RZ && b_rz && c->kind != SASS_OPERAND_UREG)
        put(l, ".MOV");
    else if (b_imm && b->value == 1 && !c_rz)
        put(l, ".IADD");
    else if (power && c_rz && !is_signed)
        put(l, ".SHL");
    if (!is_signed)
        put(l, ".U32");
}

static void put_special_mod(line_t *l, const sass_inst_t *in, unsigned special)
{
    unsigned to = sass_bits(in, 75, 2), from = sass_bits(in, 84, 2);

    switch (special) {
    case SASS_MOD_I2F:
        if (to != 2)
            put_float_type(l, to);
        put_int_type(l, from, sass_bits(in, 74, 1));
        break;
    case SASS_MOD_F2I:
        put_int_type(l, to, sass_bits(in, 72, 1));
        if (from != 2)
            put_float_type(l, from);
        break;
    case SASS_MOD_F2F:
        put_float_type(l, to);
        put_float_type(l, from);
        break;
    case SASS_MOD_FRND:
        if (to != 2)
            put_float_type(l, to);
        break;
    case SASS_MOD_IDP:
        put_int_type(l, sass_bits(in, 76, 1), sass_bits(in, 73, 1));
        break;
    case SASS_MOD_IMAD:
        put_imad(l, in);
        break;
    default: /* SASS_MOD_BAR */
        if (sass_bits(in, 77, 2) == 2)
            put(l, ".%s", (const char *[]){"POPC", "AND", "OR", "INVALID3"}[sass_bits(in, 74, 2)]);
    }
}

static void put_mnemonic(line_t *l, const sass_inst_t *in, const sass_row_t *row)
{
    put(l, "%s", row->name);
    for (unsigned i = 0; i < SASS_MAX_MODS; i++) {
        const sass_mod_t *m = &row->mods[i];
        if (m->special != SASS_MOD_FIELD) {
            put_special_mod(l, in, m->special);
            continue;
        }
        const char *name = m->names != NULL ? m->names[sass_bits(in, m->bit, m->width)] : NULL;
        if (name != NULL)
            put(l, ".%s", name);
    }
}

size_t sass_mnemonic(const sass_inst_t *in, char text[SASS_TEXT_MAX])
{
    const sass_row_t *row = sass_find_row(in->lo);
    line_t l = {text, 0};

    text[0] = '\0';
    if (row != NULL)
        put_mnemonic(&l, in, row);
    else
        put(&l, "UNKNOWN_0x%03x", (unsigned)(in->lo & 0xfff));
    return l.n;
}

/* --- operands -------------------------------------------------------------------------------- */

const char *sass_special_name(unsigned num)
{
    static const char *const names[256] = {
        [0x00] = "SR_LANEID",          [0x02] = "SR_VIRTCFG",  [0x03] = "SR_VIRTID",
        [0x1d] = "SR_ORDERING_TICKET", [0x20] = "SR_TID",      [0x21] = "SR_TID.X",
        [0x22] = "SR_TID.Y",           [0x23] = "SR_TID.Z",    [0x25] = "SR_CTAID.X",
        [0x26] = "SR_CTAID.Y",         [0x27] = "SR_CTAID.Z",  [0x28] = "SR_NTID",
        [0x2c] = "SR_SM_SPA_VERSION",  [0x2e] = "SR_CgaCtaId", [0x30] = "SR_SWINLO",
        [0x31] = "SR_SWINSZ",          [0x32] = "SR_SMEMSZ",   [0x34] = "SR_LWINLO",
        [0x35] = "SR_LWINSZ",          [0x38] = "SR_EQMASK",   [0x39] = "SR_LTMASK",
        [0x3a] = "SR_LEMASK",          [0x3b] = "SR_GTMASK",   [0x3c] = "SR_GEMASK",
        [0x50] = "SR_CLOCKLO",         [0x51] = "SR_CLOCKHI",  [0x52] = "SR_GLOBALTIMERLO",
        [0x53] = "SR_GLOBALTIMERHI",   [0xff] = "SRZ",
    };

    return num < 256 ? names[num] : NULL;
}

/*
 * Floating-point immediates have 20 significant digits; large ones are written with an exponent
 * and all of them.
 */
static void put_float(line_t *l, double v)
{
    if (isnan(v))
        put(l, signbit(v) ? "-QNAN" : "+QNAN");
    else if (isinf(v))
        put(l, v < 0 ? "-INF" : "+INF");
    else
        put(l, fabs(v) >= 1e10 ? "%.20e" : "%.20g", v);
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

static void put_immediate(line_t *l, const sass_operand_t *o)
{
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
        put_float(l, half_value(word >> 16));
        put(l, ", ");
        put_float(l, half_value(word & 0xffff));
        break;
    default:
        put(l, o->value < 0 ? "-0x%" PRIx64 : "0x%" PRIx64,
            (uint64_t)(o->value < 0 ? -o->value : o->value));
    }
}

static void put_reg_name(line_t *l, bool uniform, unsigned num)
{
    if (num == (uniform ? (unsigned)SASS_URZ : (unsigned)SASS_RZ))
        put(l, uniform ? "URZ" : "RZ");
    else
        put(l, uniform ? "UR%u" : "R%u", num);
}

static void put_reg(line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    static const char *const halves[] = {"", ".F32", ".H0_H0", ".H1_H1"};
    bool matrix = in->op == SASS_HMMA884 || in->op == SASS_IMMA;
    bool first = o == &in->operand[1], second = o == &in->operand[2];

    put_reg_name(l, o->kind == SASS_OPERAND_UREG, o->num);
    if (o->reuse)
        put(l, ".reuse");
    if (o->style == SASS_HALF)
        put(l, "%s", halves[o->half & 3]);
    if (matrix && (first || second))
        put(l, sass_bits(in, first ? 73 : 74, 1) ? ".COL" : ".ROW");
}

static void put_select(line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    unsigned size = sass_bits(in, 84, 2);

    if (size == 0 && o->select != 0)
        put(l, ".B%u", o->select);
    else if (size == 1 && o->select != 0)
        put(l, ".H1");
}

static void put_pred(line_t *l, const sass_operand_t *o)
{
    const char *file = o->kind == SASS_OPERAND_UPRED ? "U" : "";

    if (o->num == SASS_PT)
        put(l, "%s%sPT", o->inv ? "!" : "", file);
    else
        put(l, "%s%sP%u", o->inv ? "!" : "", file, o->num);
}

static void put_offset(line_t *l, int64_t offset, bool first)
{
    if (offset == 0 && !first)
        return;
    put(l, "%s%s0x%" PRIx64, first ? "" : "+", offset < 0 ? "-" : "",
        (uint64_t)(offset < 0 ? -offset : offset));
}

static void put_address(line_t *l, const sass_operand_t *o)
{
    bool first = true;

    put(l, "[");
    if (o->num != SASS_RZ || (o->ureg == SASS_URZ && o->value == 0)) {
        put_reg_name(l, false, o->num);
        if (o->reuse)
            put(l, ".reuse");
        if (o->ureg != SASS_URZ && o->wide)
            put(l, ".64");
        if (o->scale > 1)
            put(l, ".X%u", o->scale);
        first = false;
    }
    if (o->ureg != SASS_URZ) {
        put(l, first ? "" : "+");
        put_reg_name(l, true, o->ureg);
        first = false;
    }
    put_offset(l, o->value, first);
    put(l, "]");
}

static void put_const(line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    put(l, "c[0x%x]%s[", o->bank, o->style == SASS_HALF ? " " : "");
    if (o->indexed) {
        bool zero = o->num == (in->uniform ? SASS_URZ : SASS_RZ);
        if (!zero || o->value == 0)
            put_reg_name(l, in->uniform, o->num);
        put_offset(l, o->value, zero && o->value != 0);
    } else {
        put(l, "0x%" PRIx64, (uint64_t)o->value);
    }
    put(l, "]");
}

static void put_value(line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    bool integer = o->style == SASS_INT || o->style == SASS_INT64 || o->style == SASS_BITS;
    bool complement = o->inv || (integer && in->extended && in->op != SASS_ISETP);

    if (o->kind == SASS_OPERAND_IMM) {
        put_immediate(l, o);
        return;
    }
    if (o->neg || o->inv)
        put(l, complement ? "~" : "-");
    if (o->abs)
        put(l, "|");
    if (o->kind == SASS_OPERAND_CONST)
        put_const(l, in, o);
    else
        put_reg(l, in, o);
    if (o->select != 0)
        put_select(l, in, o);
    if (o->abs)
        put(l, "|");
}

/* nvdisasm closes the bars before the suffix: |R7|.reuse. */
static void put_absolute_reuse(line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    sass_operand_t plain = *o;

    plain.reuse = false;
    put_value(l, in, &plain);
    put(l, ".reuse");
}

static void put_operand(line_t *l, const sass_inst_t *in, const sass_operand_t *o)
{
    switch (o->kind) {
    case SASS_OPERAND_PRED:
    case SASS_OPERAND_UPRED:
        put_pred(l, o);
        break;
    case SASS_OPERAND_PR:
        put(l, "PR");
        break;
    case SASS_OPERAND_MEM:
        put_address(l, o);
        break;
    case SASS_OPERAND_BARRIER:
        put(l, "B%u", o->num);
        break;
    case SASS_OPERAND_SB:
        put(l, "SB%u", o->num);
        break;
    case SASS_OPERAND_SPECIAL:
        if (sass_special_name(o->num) != NULL)
            put(l, "%s", sass_special_name(o->num));
        else
            put(l, "SR%u", o->num);
        break;
    case SASS_OPERAND_TARGET:
        put(l, "0x%" PRIx64, (uint64_t)o->value);
        break;
    case SASS_OPERAND_HANDLE:
        put(l, "0x%x, 0x%" PRIx64, o->bank, (uint64_t)o->value / 4);
        break;
    case SASS_OPERAND_NAME:
        put(l, "%s", sass_tex_name((unsigned)o->value));
        break;
    default:
        if (o->abs && o->reuse)
            put_absolute_reuse(l, in, o);
        else
            put_value(l, in, o);
    }
}

static void put_guard(line_t *l, const sass_inst_t *in)
{
    const char *file = in->guard_uniform ? "U" : "";

    if (in->guard == SASS_PT && !in->guard_not)
        return;
    put(l, "@%s%sP", in->guard_not ? "!" : "", file);
    if (in->guard == SASS_PT)
        put(l, "T ");
    else
        put(l, "%u ", in->guard);
}

size_t sass_text(const sass_inst_t *in, char text[SASS_TEXT_MAX])
{
    line_t l = {text, 0};
    const char *separator = " ";

    text[0] = '\0';
    put_guard(&l, in);
    char mnemonic[SASS_TEXT_MAX];
    sass_mnemonic(in, mnemonic);
    put(&l, "%s", mnemonic);
    for (unsigned i = 0; i < in->n_operands; i++) {
        if (in->operand[i].hidden)
            continue;
        put(&l, "%s", separator);
        put_operand(&l, in, &in->operand[i]);
        bool indirect =
            (in->op == SASS_BRX || in->op == SASS_RET || in->op == SASS_CALL_REL) && i > 0;
        separator = indirect ? " " : ", ";
    }
    return l.n;
}
