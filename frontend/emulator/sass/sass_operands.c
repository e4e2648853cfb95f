#include "frontend/emulator/sass/sass_operands.h"

/* What a form (bits 9-11) means for bits 32-63, and whether they are the third source. */
typedef enum { FIELD_REG, FIELD_IMM, FIELD_CONST, FIELD_UREG } field_t;

static const struct {
    field_t field;
    bool third; /* bits 32-63 are slot c, and the register at 64 is slot b */
} forms[8] = {
    [0] = {FIELD_REG, false},  [1] = {FIELD_REG, false}, [2] = {FIELD_IMM, true},
    [3] = {FIELD_CONST, true}, [4] = {FIELD_IMM, false}, [5] = {FIELD_CONST, false},
    [6] = {FIELD_UREG, false}, [7] = {FIELD_UREG, true},
};

int64_t sass_sign_extend(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

sass_operand_t *sass_put(sass_inst_t *in, sass_operand_kind_t kind)
{
    sass_operand_t *o = &in->operand[in->n_operands++];

    *o = (sass_operand_t){
        .kind = (uint8_t)kind, .count = 1, .ureg = SASS_URZ, .desc = SASS_URZ, .scale = 1};
    return o;
}

static bool is_pair(sass_style_t style)
{
    return style == SASS_DOUBLE || style == SASS_INT64;
}

/* Adds a register of the row's register file. */
sass_operand_t *sass_put_reg(sass_inst_t *in, unsigned bit, unsigned count)
{
    sass_operand_t *o = sass_put(in, in->uniform ? SASS_OPERAND_UREG : SASS_OPERAND_REG);

    o->num = (uint8_t)sass_bits(in, bit, in->uniform ? 6 : 8);
    o->count = (uint8_t)count;
    return o;
}

/* Sets the operand slot to which reuse flags refer. Opcodes from 0x100 on have variable latencies
 * and no operand cache. */
void sass_set_slot(const sass_inst_t *in, sass_operand_t *o, unsigned slot)
{
    o->slot = (uint8_t)slot;
    o->reuse = sass_bits(in, 121 + slot, 1) && !sass_bits(in, 8, 1);
}

sass_operand_t *sass_put_dst(sass_inst_t *in, unsigned count)
{
    sass_operand_t *o = sass_put_reg(in, 16, count);

    o->write = true;
    return o;
}

sass_operand_t *sass_put_pred(sass_inst_t *in, unsigned bit, unsigned not_bit, bool uniform)
{
    sass_operand_t *o = sass_put(in, uniform ? SASS_OPERAND_UPRED : SASS_OPERAND_PRED);

    o->num = (uint8_t)sass_bits(in, bit, 3);
    if (not_bit != 0)
        o->inv = sass_bits(in, not_bit, 1);
    else
        o->write = true;
    return o;
}

/* --- sources --------------------------------------------------------------------------------- */

static void read_const(const sass_inst_t *in, sass_operand_t *o)
{
    o->value = 4 * (int64_t)sass_bits(in, 40, 14);
    o->bindless = sass_bits(in, 91, 1);
    if (o->bindless)
        o->num = (uint8_t)sass_bits(in, 32, 6);
    else
        o->bank = (uint8_t)sass_bits(in, 54, 5);
}

/* The immediate in bits 32-63, interpreted by its style. */
static int64_t immediate(const sass_inst_t *in, sass_style_t style)
{
    uint32_t word = sass_bits(in, 32, 32);

    if (style == SASS_DOUBLE)
        return (int64_t)((uint64_t)word << 32);
    const bool is_signed = style == SASS_INT || style == SASS_INT64 || style == SASS_SIGNED;

    return is_signed ? (int64_t)(int32_t)word : (int64_t)word;
}

static void read_modifiers(const sass_inst_t *in, sass_operand_t *o, unsigned neg,
                           unsigned absolute, unsigned half)
{
    if (o->style == SASS_PLAIN || o->style == SASS_SIGNED)
        return;
    o->neg = sass_bits(in, neg, 1);
    if (o->style == SASS_FLOAT || o->style == SASS_DOUBLE || o->style == SASS_HALF)
        o->abs = sass_bits(in, absolute, 1);
    if (o->style == SASS_HALF)
        o->half = (uint8_t)sass_bits(in, half, 2);
}

/* Adds the operand in bits 32-63 as source b or c (reuse flags refer to this, not to the
 * position). */
void sass_put_field(sass_inst_t *in, sass_style_t style, bool third)
{
    field_t field =
        in->uniform && forms[in->form].field == FIELD_UREG ? FIELD_REG : forms[in->form].field;
    sass_operand_t *o;

    switch (field) {
    case FIELD_IMM:
        o = sass_put(in, SASS_OPERAND_IMM);
        o->style = (uint8_t)style;
        o->value = immediate(in, style);
        return;
    case FIELD_CONST:
        o = sass_put(in, SASS_OPERAND_CONST);
        read_const(in, o);
        in->foreign |= o->bindless;
        break;
    case FIELD_UREG:
        o = sass_put(in, SASS_OPERAND_UREG);
        o->num = (uint8_t)sass_bits(in, 32, 6);
        break;
    default:
        o = sass_put_reg(in, 32, 1);
        sass_set_slot(in, o, third ? 3 : 2);
    }
    o->style = (uint8_t)style;
    o->count = is_pair(style) ? 2 : 1;
    read_modifiers(in, o, 63, 62, 60);
}

/* Adds the register in bits 64-71. */
static void add_third(sass_inst_t *in, sass_style_t style, bool third)
{
    sass_operand_t *o = sass_put_reg(in, 64, is_pair(style) ? 2 : 1);
    bool half = style == SASS_HALF;

    o->style = (uint8_t)style;
    sass_set_slot(in, o, third ? 3 : 2);
    if (style == SASS_BITS) /* LEA: the shift is there */
        return;
    read_modifiers(in, o, half ? 84 : 75, half ? 83 : 74, 81);
}

void sass_put_source(sass_inst_t *in, sass_style_t style, char slot)
{
    bool third = forms[in->form].third;

    if (slot == 'a') {
        sass_operand_t *o = sass_put_reg(in, 24, is_pair(style) ? 2 : 1);
        o->style = (uint8_t)style;
        sass_set_slot(in, o, 1);
        read_modifiers(in, o, 72, 73, 74);
    } else if (slot == 'B' || (slot == 'b') != third) {
        sass_put_field(in, style, slot != 'b');
    } else {
        add_third(in, style, slot == 'c');
    }
}

/* Decodes 1, 2, 4 or 8 bytes in a conversion. */
unsigned sass_conversion_size(const sass_inst_t *in, unsigned bit)
{
    return 1u << sass_bits(in, bit, 2);
}

void sass_put_conversion_source(sass_inst_t *in, bool is_float)
{
    bool wide = sass_conversion_size(in, 84) == 8;

    sass_put_field(
        in, is_float ? (wide ? SASS_DOUBLE : SASS_FLOAT) : (wide ? SASS_INT64 : SASS_INT), false);
    sass_operand_t *o = &in->operand[in->n_operands - 1];
    o->select = (uint8_t)sass_bits(in, 60, 2);
    if (!is_float)
        o->neg = false; /* integers have no sign modifier */
}

/* --- memory ---------------------------------------------------------------------------------- */

unsigned sass_data_registers(const sass_inst_t *in)
{
    return in->width > 4 ? in->width / 4u : 1;
}

void sass_put_data(sass_inst_t *in, unsigned bit)
{
    sass_operand_t *o = sass_put(in, SASS_OPERAND_REG);

    o->num = (uint8_t)sass_bits(in, bit, 8);
    o->count = (uint8_t)sass_data_registers(in);
}

/* Bit position of a memory instruction's uniform register: 32, or 64 if data is at 32. */
static unsigned address_ureg_bit(const sass_inst_t *in)
{
    switch (in->op) {
    case SASS_ST:
    case SASS_STG:
    case SASS_STL:
    case SASS_STS:
    case SASS_RED:
    case SASS_ATOM:
    case SASS_ATOMG:
    case SASS_ATOMS:
    case SASS_ATOMS_ARRIVE:
    case SASS_ATOMS_COUNT:
    case SASS_ARRIVES:
    case SASS_LDGSTS:
        return 64;
    default:
        return 32;
    }
}

bool sass_has_long_offset(const sass_inst_t *in)
{
    return (in->op == SASS_LD || in->op == SASS_ST || in->op == SASS_CCTL) && !sass_bits(in, 91, 1);
}

bool sass_is_shared_atomic(const sass_inst_t *in)
{
    return in->op == SASS_ATOMS || in->op == SASS_ATOMS_CAS || in->op == SASS_ATOMS_ARRIVE ||
           in->op == SASS_ATOMS_COUNT;
}

/* Whether the general register added to a uniform one is a pair. */
static bool is_long_index(const sass_inst_t *in)
{
    const bool low = in->op == SASS_ATOM || in->op == SASS_ATOMG || in->op == SASS_LDGSTS;

    return sass_bits(in, low ? 70 : 90, 1);
}

bool sass_is_bf16(const sass_inst_t *in)
{
    return in->arch >= SASS_AMPERE && sass_bits(in, 85, 1) &&
           (in->op == SASS_HFMA2_BF16 || in->op == SASS_HMNMX2);
}

/* Whether the uniform registers of a global access hold its descriptor: from Ampere on. */
static bool has_descriptor(const sass_inst_t *in)
{
    if (in->arch < SASS_AMPERE || !sass_bits(in, 91, 1))
        return false;
    switch (in->op) {
    case SASS_ATOM:
    case SASS_ATOMG:
    case SASS_RED:
        return sass_bits(in, 71, 1);
    case SASS_LD:
    case SASS_LDG:
    case SASS_ST:
    case SASS_STG:
        return sass_bits(in, 76, 1);
    case SASS_LDGSTS:
        return in->form == 7 && sass_bits(in, 76, 1);
    default:
        return false;
    }
}

static int64_t address_offset(const sass_inst_t *in)
{
    if (in->op == SASS_LDGSTS)
        return sass_sign_extend(sass_bits(in, 32, 12), 12);
    return sass_has_long_offset(in) ? sass_sign_extend(sass_bits(in, 32, 32), 32)
                                    : sass_sign_extend(sass_bits(in, 40, 24), 24);
}

void sass_put_copy_target(sass_inst_t *in)
{
    sass_operand_t *o = sass_put(in, SASS_OPERAND_MEM);

    o->num = (uint8_t)sass_bits(in, 16, 8);
    o->value = sass_sign_extend(sass_bits(in, 44, 20), 20);
    o->with_ureg = in->form == 6 && sass_bits(in, 91, 1);
    if (o->with_ureg)
        o->ureg = (uint8_t)sass_bits(in, 64, 6);
}

void sass_put_address(sass_inst_t *in, char space)
{
    sass_operand_t *o = sass_put(in, SASS_OPERAND_MEM);
    bool with_ureg = sass_bits(in, 91, 1) && !(in->op == SASS_LDGSTS && in->form != 7);
    bool extended = space == 'g' && (sass_bits(in, 72, 1) || in->op == SASS_LDGSTS);

    o->num = (uint8_t)sass_bits(in, 24, 8);
    o->value = address_offset(in);
    o->with_desc = has_descriptor(in);
    if (o->with_desc)
        o->desc = (uint8_t)sass_bits(in, address_ureg_bit(in), 6);
    else if (with_ureg)
        o->ureg = (uint8_t)sass_bits(in, address_ureg_bit(in), 6);
    o->with_ureg = with_ureg && !o->with_desc && !(in->op == SASS_LDGSTS && o->ureg == SASS_URZ);
    o->wide = extended && (!with_ureg || is_long_index(in));
    in->foreign |= with_ureg && !extended && space == 'g' && is_long_index(in);
    o->count = o->wide ? 2 : 1;
    sass_set_slot(in, o, 1);
    if (space == 's' && in->op != SASS_LDSM && in->op != SASS_ARRIVES)
        o->scale = (uint8_t[]){1, 4, 8, 16}[sass_bits(in, 78, 2)];
}

void sass_put_indexed_const(sass_inst_t *in, bool indexed)
{
    sass_operand_t *o = sass_put(in, SASS_OPERAND_CONST);

    o->bank = (uint8_t)sass_bits(in, 54, 5);
    o->value =
        indexed ? sass_sign_extend(sass_bits(in, 38, 16), 16) : (int64_t)sass_bits(in, 38, 16);
    o->indexed = indexed;
    o->num = indexed ? (uint8_t)sass_bits(in, 24, in->uniform ? 6 : 8) : 0;
    if (!indexed && sass_bits(in, 91, 1)) {
        o->bindless = in->foreign = true;
        o->num = (uint8_t)sass_bits(in, 32, 6);
    }
}

/*
 * Bits 73 and 74: types of the source; 76 to 78: of the result; 87 to 91: which of these count.
 * Results of eight bits are always finite.
 */
sass_f2fp_t sass_f2fp(const sass_inst_t *in)
{
    enum { FINITE = 1 << 5, MERGES = 1 << 6, FROM_HALF = 1 << 1, FROM_FP8 = 1 << 2 };
    enum { TO_FP8 = 9, UPPER = 2, FROM_HALVES = 4 };
    const unsigned types = sass_bits(in, 72, 7), kind = sass_bits(in, 87, 5);
    const unsigned fixed = types & (FINITE | MERGES | FROM_HALF | FROM_FP8);

    if (kind == 0 && (types & (FINITE | FROM_FP8)) == 0)
        return SASS_F2FP_PAIR;
    if (kind == TO_FP8 && fixed == (FINITE | MERGES))
        return SASS_F2FP_TO_FP8;
    if (kind == TO_FP8 && fixed == (FINITE | FROM_HALF))
        return SASS_F2FP_HALF_TO_FP8;
    if ((kind & ~(unsigned)UPPER) == FROM_HALVES && (fixed & ~(unsigned)FROM_HALF) == FROM_FP8)
        return SASS_F2FP_FROM_FP8;
    return SASS_F2FP_UNKNOWN;
}
