/* Mnemonics with their modifiers, in nvdisasm's format. */
#include "frontend/emulator/sass/sass_line.h"
#include "frontend/emulator/sass/sass_operands.h"
#include "frontend/emulator/sass/sass_table.h"

static void put_float_type(sass_line_t *l, unsigned size)
{
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
    const char a = sass_bits(in, 76, 1) ? 'S' : 'U', b = sass_bits(in, 78, 1) ? 'S' : 'U';
    const bool halves = sass_bits(in, 83, 1);
    const unsigned shape = sass_bits(in, 75, 1) | sass_bits(in, 85, 1) << 1;

    if (sass_bits(in, 84, 1) != halves || sass_bits(in, 79, 1) || shape != (halves ? 2 : 0))
        sass_line_put(l, ".INVALID");
    else
        sass_line_put(l, halves ? ".8832.%c4.%c4" : ".8816.%c8.%c8", a, b);
}

static void put_special_mod(sass_line_t *l, const sass_inst_t *in, unsigned special)
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
    case SASS_MOD_DENORM:
        sass_line_put(
            l, "%s",
            (const char *[]){"", ".FMZ", ".FTZ",
                             ".INVALID3"}[sass_bits(in, 76, 1) | sass_bits(in, 80, 1) << 1]);
        break;
    case SASS_MOD_HMMA:
        sass_line_put(
            l, "%s",
            (const char *[]){".1688", ".16816", ".1684",
                             ".INVALID3"}[sass_bits(in, 75, 1) | sass_bits(in, 78, 1) << 1]);
        break;
    case SASS_MOD_IMMA:
        put_imma(l, in);
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
    const sass_row_t *row = sass_find_row(in->lo);
    sass_line_t l = {text, 0};

    text[0] = '\0';
    if (row != NULL)
        put_mnemonic(&l, in, row);
    else
        sass_line_put(&l, "UNKNOWN_0x%03x", (unsigned)(in->lo & 0xfff));
    return l.n;
}
