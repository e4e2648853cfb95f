/* Mnemonics with their modifiers, in nvdisasm's format. */
#include "frontend/emulator/sass/sass_line.h"
#include "frontend/emulator/sass/sass_operands.h"
#include "frontend/emulator/sass/sass_table.h"

static void put_float_type(sass_line_t *l, const sass_inst_t *in, unsigned size)
{
    if (size == 0 && in->arch >= SASS_AMPERE)
        sass_line_put(l, ".BF16");
    else
        sass_line_put(l, ".F%u", 8u << size);
}

static void put_int_type(sass_line_t *l, unsigned size, bool is_signed)
{
    if (size != 2 || !is_signed)
        sass_line_put(l, ".%c%u", is_signed ? 'S' : 'U', 8u << size);
}

static bool is_zero(const sass_operand_t *o)
{
    return (o->kind == SASS_OPERAND_REG && o->num == SASS_RZ) ||
           (o->kind == SASS_OPERAND_IMM && o->value == 0);
}

/* Powers of two that nvdisasm prints as shifts. */
static bool is_shift(const sass_operand_t *o)
{
    return o->kind == SASS_OPERAND_IMM && o->value > 1 && (o->value & (o->value - 1)) == 0 &&
           o->value != 0x10000;
}

/*
 * nvdisasm's names for special cases of IMAD: a move, an addition, a shift. The instruction is the
 * same.
 */
static void put_imad(sass_line_t *l, const sass_inst_t *in)
{
    const sass_operand_t *a = &in->operand[1], *b = &in->operand[2], *c = &in->operand[3];
    const bool is_signed = sass_bits(in, 73, 1);
    const bool one = b->kind == SASS_OPERAND_IMM && b->value == 1;
    const bool uniform =
        b->kind == SASS_OPERAND_UREG || c->kind == SASS_OPERAND_UREG || b->bindless || c->bindless;

    if (in->extended) {
        sass_line_put(l, is_signed ? ".X" : ".U32.X");
        return;
    }
    if ((is_zero(a) || is_zero(b) || (one && is_zero(c))) && !uniform)
        sass_line_put(l, ".MOV");
    else if (one)
        sass_line_put(l, ".IADD");
    else if (is_shift(b) && is_zero(c))
        sass_line_put(l, ".SHL");
    if (!is_signed)
        sass_line_put(l, ".U32");
}

/* The combination of bytes with half bytes is unknown. */
static void put_imma(sass_line_t *l, const sass_inst_t *in)
{
    static const char *const bytes[8] = {"8816", NULL, NULL, NULL, "16816", "16832", "16864", NULL};
    static const char *const nibbles[8] = {NULL, NULL,    "8832",  NULL,
                                           NULL, "16832", "16864", "168128"};
    const char a = sass_bits(in, 76, 1) ? 'S' : 'U', b = sass_bits(in, 78, 1) ? 'S' : 'U';
    const bool halves = sass_bits(in, 83, 1);
    const char *const shape = (halves ? nibbles : bytes)[sass_matrix_shape(in)];

    if (sass_is_sparse(in))
        sass_line_put(l, ".SP");
    if (sass_bits(in, 84, 1) != halves || sass_bits(in, 79, 1) || shape == NULL)
        sass_line_put(l, ".INVALID");
    else
        sass_line_put(l, halves ? ".%s.%c4.%c4" : ".%s.%c8.%c8", shape, a, b);
}

/* Sparse shapes have the same encoding as half as deep ones; of HMMA, one more. */
static void put_hmma(sass_line_t *l, const sass_inst_t *in)
{
    static const char *const shapes[] = {".1688", ".16816", ".1684", ".INVALID3"};
    const unsigned shape = sass_matrix_shape(in);

    sass_line_put(l, "%s", sass_is_sparse(in) && shape == 3 ? ".16832" : shapes[shape]);
}

static void put_f2fp(sass_line_t *l, const sass_inst_t *in)
{
    switch (sass_f2fp(in)) {
    case SASS_F2FP_TO_FP8:
        sass_line_put(l, sass_bits(in, 76, 1) ? ".E4M3" : ".E5M2");
        sass_line_put(l, ".F32.PACK_AB_MERGE_C");
        break;
    case SASS_F2FP_HALF_TO_FP8:
        sass_line_put(l, sass_bits(in, 76, 1) ? ".E4M3" : ".E5M2");
        sass_line_put(l, ".F16.UNPACK_B_MERGE_C");
        break;
    case SASS_F2FP_FROM_FP8:
        sass_line_put(l, ".F16");
        sass_line_put(l, sass_bits(in, 73, 1) ? ".E4M3" : ".E5M2");
        sass_line_put(l, ".UNPACK_B");
        break;
    default:
        sass_line_put(l, sass_bits(in, 76, 1) ? ".BF16" : "");
        sass_line_put(l, sass_bits(in, 78, 1) ? ".MERGE_C" : ".PACK_AB");
    }
}

static void put_atoms(sass_line_t *l, const sass_inst_t *in)
{
    static const char *const names[16] = {"ADD",       "MIN",       "MAX",         "INC",
                                          "DEC",       "AND",       "OR",          "XOR",
                                          "EXCH",      "ARRIVE",    "POPC.INC.32", "INVALID11",
                                          "INVALID12", "INVALID13", "INVALID14",   "INVALID15"};

    sass_line_put(l, ".%s", names[sass_bits(in, 87, 4)]);
}

static void put_special_mod(sass_line_t *l, const sass_inst_t *in, unsigned special)
{
    unsigned to = sass_bits(in, 75, 2), from = sass_bits(in, 84, 2);

    switch (special) {
    case SASS_MOD_I2F:
        if (to != 2)
            put_float_type(l, in, to);
        put_int_type(l, from, sass_bits(in, 74, 1));
        break;
    case SASS_MOD_F2I:
        put_int_type(l, to, sass_bits(in, 72, 1));
        if (from != 2)
            put_float_type(l, in, from);
        break;
    case SASS_MOD_F2F:
        put_float_type(l, in, to);
        put_float_type(l, in, from);
        break;
    case SASS_MOD_FRND:
        if (to != 2)
            put_float_type(l, in, to);
        break;
    case SASS_MOD_IDP:
        put_int_type(l, sass_bits(in, 76, 1), sass_bits(in, 73, 1));
        break;
    case SASS_MOD_IMAD:
        put_imad(l, in);
        break;
    case SASS_MOD_DENORM:
        sass_line_put(
            l, "%s",
            (const char *[]){"", ".FMZ", ".FTZ",
                             ".INVALID3"}[sass_bits(in, 76, 1) | sass_bits(in, 80, 1) << 1]);
        break;
    case SASS_MOD_HMMA:
        put_hmma(l, in);
        break;
    case SASS_MOD_IMMA:
        put_imma(l, in);
        break;
    case SASS_MOD_F2FP:
        put_f2fp(l, in);
        break;
    case SASS_MOD_ATOMS:
        put_atoms(l, in);
        break;
    case SASS_MOD_I2IP:
        sass_line_put(l, ".%s",
                      (const char *[]){"U8", "S8", "U16", "S16", "U2", "S2", "U4",
                                       "S4"}[sass_bits(in, 76, 3)]);
        break;
    default: /* SASS_MOD_BAR */
        if (sass_bits(in, 79, 1))
            sass_line_put(l, "ALL");
        if (sass_bits(in, 77, 2) == 2)
            sass_line_put(l, ".%s",
                          (const char *[]){"POPC", "AND", "OR", "INVALID3"}[sass_bits(in, 74, 2)]);
    }
}

static void put_mnemonic(sass_line_t *l, const sass_inst_t *in, const sass_row_t *row)
{
    sass_line_put(l, "%s", row->name);
    for (unsigned i = 0; i < SASS_MAX_MODS; i++) {
        const sass_mod_t *m = &row->mods[i];
        if (m->special != SASS_MOD_FIELD) {
            put_special_mod(l, in, m->special);
            continue;
        }
        const char *name = m->names != NULL ? m->names[sass_bits(in, m->bit, m->width)] : NULL;
        if (name != NULL)
            sass_line_put(l, ".%s", name[0] == '!' ? name + 1 : name);
    }
}

size_t sass_mnemonic(const sass_inst_t *in, char text[SASS_TEXT_MAX])
{
    const sass_row_t *row = sass_find_row(in->lo, in->arch);
    sass_line_t l = {text, 0};

    text[0] = '\0';
    if (row != NULL)
        put_mnemonic(&l, in, row);
    else
        sass_line_put(&l, "UNKNOWN_0x%03x", (unsigned)(in->lo & 0xfff));
    return l.n;
}
