/* From 128 bits to an instruction. What stands where is said by the encoding table. */
#include <string.h>

#include "frontend/sass/elf64.h"
#include "frontend/sass/sass_table.h"
#include "frontend/sass/sass_texture.h"

#define TOKEN(first, second) ((unsigned)(first) << 8 | (unsigned)(second))

/* What a form (bits 9-11) puts into bits 32-63, and whether that is the third source. */
typedef enum { FIELD_REG, FIELD_IMM, FIELD_CONST, FIELD_UREG } field_t;

static const struct {
    field_t field;
    bool third; /* bits 32-63 are slot c, and the register at 64 is slot b */
} forms[8] = {
    [0] = {FIELD_REG, false},  [1] = {FIELD_REG, false}, [2] = {FIELD_IMM, true},
    [3] = {FIELD_CONST, true}, [4] = {FIELD_IMM, false}, [5] = {FIELD_CONST, false},
    [6] = {FIELD_UREG, false}, [7] = {FIELD_UREG, true},
};

uint32_t sass_bits(const sass_inst_t *in, unsigned first, unsigned count)
{
    uint64_t word = first >= 64  ? in->hi >> (first - 64)
                    : first == 0 ? in->lo
                                 : in->lo >> first | in->hi << (64 - first);

    return (uint32_t)(word & ((1ull << count) - 1));
}

uint32_t sass_control(const sass_inst_t *in)
{
    return sass_bits(in, 105, 21);
}

static int64_t sign_extend(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static sass_operand_t *add(sass_inst_t *in, sass_operand_kind_t kind)
{
    sass_operand_t *o = &in->operand[in->n_operands++];

    *o = (sass_operand_t){.kind = (uint8_t)kind, .count = 1, .ureg = SASS_URZ, .scale = 1};
    return o;
}

static bool is_pair(sass_style_t style)
{
    return style == SASS_DOUBLE || style == SASS_INT64;
}

/* A register of the row's file. */
static sass_operand_t *add_reg(sass_inst_t *in, unsigned bit, unsigned count)
{
    sass_operand_t *o = add(in, in->uniform ? SASS_OPERAND_UREG : SASS_OPERAND_REG);

    o->num = (uint8_t)sass_bits(in, bit, in->uniform ? 6 : 8);
    o->count = (uint8_t)count;
    return o;
}

/* The operand slot by which the reuse flags know a register. */
static void set_slot(const sass_inst_t *in, sass_operand_t *o, unsigned slot)
{
    o->slot = (uint8_t)slot;
    o->reuse = sass_bits(in, 121 + slot, 1);
}

static sass_operand_t *add_dst(sass_inst_t *in, unsigned count)
{
    sass_operand_t *o = add_reg(in, 16, count);

    o->write = true;
    return o;
}

static sass_operand_t *add_pred(sass_inst_t *in, unsigned bit, unsigned not_bit, bool uniform)
{
    sass_operand_t *o = add(in, uniform ? SASS_OPERAND_UPRED : SASS_OPERAND_PRED);

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
    o->bank = (uint8_t)sass_bits(in, 54, 5);
    o->value = sass_bits(in, 38, 16);
}

/* The immediate in bits 32-63 as its style takes it. */
static int64_t immediate(const sass_inst_t *in, sass_style_t style)
{
    uint32_t word = sass_bits(in, 32, 32);

    if (style == SASS_DOUBLE)
        return (int64_t)((uint64_t)word << 32);
    return style == SASS_INT || style == SASS_INT64 ? (int64_t)(int32_t)word : (int64_t)word;
}

static void read_modifiers(const sass_inst_t *in, sass_operand_t *o, unsigned neg,
                           unsigned absolute, unsigned half)
{
    if (o->style == SASS_PLAIN)
        return;
    o->neg = sass_bits(in, neg, 1);
    if (o->style == SASS_FLOAT || o->style == SASS_DOUBLE || o->style == SASS_HALF)
        o->abs = sass_bits(in, absolute, 1);
    if (o->style == SASS_HALF)
        o->half = (uint8_t)sass_bits(in, half, 2);
}

/* What stands in bits 32-63, as source b or c (which the reuse flags go by, not by position). */
static void add_field(sass_inst_t *in, sass_style_t style, bool third)
{
    field_t field =
        in->uniform && forms[in->form].field == FIELD_UREG ? FIELD_REG : forms[in->form].field;
    sass_operand_t *o;

    switch (field) {
    case FIELD_IMM:
        o = add(in, SASS_OPERAND_IMM);
        o->style = (uint8_t)style;
        o->value = immediate(in, style);
        return;
    case FIELD_CONST:
        o = add(in, SASS_OPERAND_CONST);
        read_const(in, o);
        break;
    case FIELD_UREG:
        o = add(in, SASS_OPERAND_UREG);
        o->num = (uint8_t)sass_bits(in, 32, 6);
        break;
    default:
        o = add_reg(in, 32, 1);
        set_slot(in, o, third ? 3 : 2);
    }
    o->style = (uint8_t)style;
    o->count = is_pair(style) ? 2 : 1;
    read_modifiers(in, o, 63, 62, 60);
}

/* The register in bits 64-71. */
static void add_third(sass_inst_t *in, sass_style_t style, bool third)
{
    sass_operand_t *o = add_reg(in, 64, is_pair(style) ? 2 : 1);
    bool half = style == SASS_HALF;

    o->style = (uint8_t)style;
    set_slot(in, o, third ? 3 : 2);
    read_modifiers(in, o, half ? 84 : 75, half ? 83 : 74, 81);
}

static void add_source(sass_inst_t *in, sass_style_t style, char slot)
{
    bool third = forms[in->form].third;

    if (slot == 'a') {
        sass_operand_t *o = add_reg(in, 24, is_pair(style) ? 2 : 1);
        o->style = (uint8_t)style;
        set_slot(in, o, 1);
        read_modifiers(in, o, 72, 73, 74);
    } else if (slot == 'B' || (slot == 'b') != third) {
        add_field(in, style, slot != 'b');
    } else {
        add_third(in, style, slot == 'c');
    }
}

/* 1, 2, 4 or 8 bytes as conversions encode them. */
static unsigned conversion_size(const sass_inst_t *in, unsigned bit)
{
    return 1u << sass_bits(in, bit, 2);
}

static void add_conversion_source(sass_inst_t *in, bool is_float)
{
    bool wide = conversion_size(in, 84) == 8;

    add_field(in, is_float ? (wide ? SASS_DOUBLE : SASS_FLOAT) : (wide ? SASS_INT64 : SASS_INT),
              false);
    in->operand[in->n_operands - 1].select = (uint8_t)sass_bits(in, 60, 2);
}

/* --- memory ---------------------------------------------------------------------------------- */

static unsigned data_registers(const sass_inst_t *in)
{
    return in->width > 4 ? in->width / 4u : 1;
}

static void add_data(sass_inst_t *in, unsigned bit)
{
    sass_operand_t *o = add(in, SASS_OPERAND_REG);

    o->num = (uint8_t)sass_bits(in, bit, 8);
    o->count = (uint8_t)data_registers(in);
}

/* Where a memory instruction has its uniform register: 32, or 64 if it has data at 32. */
static unsigned address_ureg_bit(const sass_inst_t *in)
{
    switch (in->op) {
    case SASS_STG:
    case SASS_STL:
    case SASS_STS:
    case SASS_RED:
    case SASS_ATOM:
    case SASS_ATOMG:
    case SASS_ATOMS:
        return 64;
    default:
        return 32;
    }
}

/* Loads and stores of generic memory without a uniform register have an offset of 32 bits. */
static bool has_long_offset(const sass_inst_t *in)
{
    return (in->op == SASS_LD || in->op == SASS_ST) && !sass_bits(in, 91, 1);
}

static void add_address(sass_inst_t *in, char space)
{
    sass_operand_t *o = add(in, SASS_OPERAND_MEM);
    bool with_ureg = sass_bits(in, 91, 1);
    bool extended = space == 'g' && sass_bits(in, 72, 1);

    o->num = (uint8_t)sass_bits(in, 24, 8);
    o->value = has_long_offset(in) ? sign_extend(sass_bits(in, 32, 32), 32)
                                   : sign_extend(sass_bits(in, 40, 24), 24);
    if (with_ureg)
        o->ureg = (uint8_t)sass_bits(in, address_ureg_bit(in), 6);
    o->wide = extended && (!with_ureg || sass_bits(in, 90, 1));
    o->count = o->wide ? 2 : 1;
    set_slot(in, o, 1);
    if (space == 's' && in->op != SASS_LDSM)
        o->scale = (uint8_t[]){1, 4, 8, 16}[sass_bits(in, 78, 2)];
}

static void add_indexed_const(sass_inst_t *in, bool indexed)
{
    sass_operand_t *o = add(in, SASS_OPERAND_CONST);

    o->bank = (uint8_t)sass_bits(in, 54, 5);
    o->value = indexed ? sign_extend(sass_bits(in, 38, 16), 16) : (int64_t)sass_bits(in, 38, 16);
    o->indexed = indexed;
    o->num = indexed ? (uint8_t)sass_bits(in, 24, in->uniform ? 6 : 8) : 0;
}

/* --- the rest -------------------------------------------------------------------------------- */

static void add_value(sass_inst_t *in, int64_t value)
{
    add(in, SASS_OPERAND_IMM)->value = value;
}

static void add_barrier(sass_inst_t *in, unsigned bit)
{
    sass_operand_t *o = add(in, SASS_OPERAND_BARRIER);

    o->num = (uint8_t)sass_bits(in, bit, 4);
    o->write = in->op == SASS_BSSY || in->op == SASS_BREAK || in->op == SASS_BMOV_B;
}

/* Offset of a branch in bytes: 48 bits from 34 (or 30), counted in words of 4 bytes. */
static int64_t branch_offset(const sass_inst_t *in, unsigned bits)
{
    uint64_t words = in->lo >> 34 | (bits > 30 ? in->hi << 30 : 0);

    return sign_extend(words & ((1ull << bits) - 1), bits) * 4;
}

static void add_target(sass_inst_t *in, unsigned bits, bool absolute)
{
    sass_operand_t *o = add(in, SASS_OPERAND_TARGET);
    bool relative = absolute && (in->op != SASS_RET || !sass_bits(in, 85, 1));

    o->value = branch_offset(in, bits) + (relative ? in->pc + SASS_INST_BYTES : 0);
    if (!absolute)
        o->kind = SASS_OPERAND_IMM;
}

static void add_pair(sass_inst_t *in, char slot, bool wide)
{
    add_source(in, SASS_PLAIN, slot);
    if (wide)
        in->operand[in->n_operands - 1].count = 2;
}

/* CALL.ABS: an address in bits 32-81, or in registers a. */
static void add_call_target(sass_inst_t *in)
{
    if (in->form == 1)
        add_pair(in, 'a', true);
    else
        add_value(in, branch_offset(in, 48));
}

/* Lane (or mask) and bounds of SHFL: immediates of 5 and 13 bits, or registers. */
static void add_shuffle(sass_inst_t *in, bool lane)
{
    bool immediate_lane = in->form == 4 || in->form == 7;
    bool immediate_bounds = in->form == 2 || in->form == 7;

    if (lane ? immediate_lane : immediate_bounds) {
        add_value(in, lane ? sass_bits(in, 53, 5) : sass_bits(in, 40, 13));
        return;
    }
    sass_operand_t *o = add_reg(in, lane ? 32 : 64, 1);
    set_slot(in, o, lane ? 2 : 3);
}

/* BAR: number and threads as immediates, the number in a register, or both in one register. */
static void add_block_barrier(sass_inst_t *in, bool number)
{
    if (number ? in->form == 1 || in->form == 2 : in->form == 1) {
        sass_operand_t *o = add_reg(in, 32, 1);
        o->hidden = !number;
    } else {
        add_value(in, number ? sass_bits(in, 54, 4) : sass_bits(in, 42, 12));
        if (!number)
            in->operand[in->n_operands - 1].hidden = sass_bits(in, 42, 12) == 0;
    }
}

/* Registers of HMMA's operands (PTX ISA, fragments of mma.m8n8k4 and mma.m16n8k8). */
static void add_matrix(sass_inst_t *in, char slot)
{
    bool f32 = sass_bits(in, 76, 1), volta = in->op == SASS_HMMA884;
    unsigned c = volta ? 2 : f32 ? 4 : 2;
    sass_operand_t *o;

    if (slot == 'm') {
        add_dst(in, c);
        return;
    }
    o = add_reg(in,
                slot == 'a'   ? 24
                : slot == 'b' ? 32
                              : 64,
                slot == 'a'   ? 2
                : slot == 'b' ? (volta ? 2 : 1)
                              : c);
    set_slot(in, o, slot == 'a' ? 1 : slot == 'b' ? 2 : 3);
}

static void add_optional_pred(sass_inst_t *in, char which, bool uniform)
{
    sass_operand_t *o = which == '0' ? add_pred(in, 81, 0, uniform) : add_pred(in, 84, 0, uniform);

    o->hidden = o->num == SASS_PT;
}

static void add_predicate(sass_inst_t *in, unsigned token)
{
    sass_operand_t *o;

    switch (token) {
    case TOKEN('P', '0'):
        add_pred(in, 81, 0, in->uniform);
        break;
    case TOKEN('P', '1'):
        add_pred(in, 84, 0, in->uniform);
        break;
    case TOKEN('U', '0'):
        add_pred(in, 81, 0, true);
        break;
    case TOKEN('Q', '0'):
        add_pred(in, 87, 90, in->uniform);
        break;
    case TOKEN('Q', '1'):
        add_pred(in, 77, 80, in->uniform);
        break;
    case TOKEN('Q', '2'):
        add_pred(in, 68, 71, in->uniform);
        break;
    case TOKEN('q', '0'):
        o = add_pred(in, 87, 90, in->uniform);
        o->hidden = o->num == SASS_PT && !o->inv;
        break;
    case TOKEN('Q', 'r'):
        o = add_pred(in, 87, 90, false);
        o->hidden = sass_bits(in, 77, 2) < 2;
        break;
    case TOKEN('X', '0'):
        add_pred(in, 87, 90, in->uniform)->hidden = !in->extended;
        break;
    case TOKEN('X', '1'):
        add_pred(in, 77, 80, in->uniform)->hidden = !in->extended;
        break;
    default: /* E2 */
        add_pred(in, 68, 71, in->uniform)->hidden = !in->extended;
        break;
    }
}

static void add_destination(sass_inst_t *in, char kind)
{
    sass_operand_t *o;

    switch (kind) {
    case 'R':
        add_dst(in, 1);
        break;
    case 'D':
        add_dst(in, in->op == SASS_CS2R && !sass_bits(in, 80, 1) ? 1 : 2);
        break;
    case 'N':
        add_dst(in, data_registers(in));
        break;
    case 'Z':
        add_dst(in, conversion_size(in, 75) == 8 ? 2 : 1);
        break;
    case 'U':
        o = add(in, SASS_OPERAND_UREG);
        o->num = (uint8_t)sass_bits(in, 16, 6);
        o->write = true;
        break;
    default: /* r */
        o = add_dst(in, 1);
        o->hidden = o->num == SASS_RZ;
    }
}

static const struct {
    char letter;
    sass_style_t style;
} styles[] = {
    {'R', SASS_PLAIN}, {'J', SASS_BITS},   {'F', SASS_FLOAT}, {'I', SASS_INT},
    {'L', SASS_INT64}, {'D', SASS_DOUBLE}, {'H', SASS_HALF},
};

static void add_styled_source(sass_inst_t *in, char letter, char slot)
{
    for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
        if (styles[i].letter == letter)
            add_source(in, styles[i].style, slot);
}

static void add_complement(sass_inst_t *in)
{
    add_field(in, SASS_PLAIN, false);
    in->operand[in->n_operands - 1].inv =
        in->operand[in->n_operands - 1].kind != SASS_OPERAND_IMM && sass_bits(in, 63, 1);
}

static void add_lea_high(sass_inst_t *in)
{
    add_source(in, SASS_PLAIN, 'c');
    in->operand[in->n_operands - 1].hidden = !sass_bits(in, 80, 1) || sass_bits(in, 73, 1);
}

static void add_operand(sass_inst_t *in, char first, char second)
{
    switch (TOKEN(first, second)) {
    case TOKEN('V', 'm'):
    case TOKEN('M', 'a'):
    case TOKEN('M', 'b'):
    case TOKEN('M', 'c'):
        add_matrix(in, second);
        break;
    case TOKEN('X', 't'):
        sass_tex_operands(in);
        break;
    case TOKEN('F', 's'):
    case TOKEN('I', 's'):
        add_conversion_source(in, first == 'F');
        break;
    case TOKEN('n', 'b'):
        add_complement(in);
        break;
    case TOKEN('W', 'a'):
        add_pair(in, second, true);
        break;
    case TOKEN('W', 'c'):
        add_call_target(in);
        break;
    case TOKEN('B', 'n'):
        add_value(in, sass_bits(in, 34, 20));
        in->operand[in->n_operands - 1].hidden = sass_bits(in, 34, 20) == 0;
        break;
    case TOKEN('Y', 'a'):
        add_pair(in, 'a', sass_bits(in, 73, 1));
        break;
    case TOKEN('L', 'h'):
        add_lea_high(in);
        break;
    case TOKEN('p', '0'):
    case TOKEN('p', '1'):
        add_optional_pred(in, second, in->uniform);
        break;
    case TOKEN('M', 'g'):
    case TOKEN('M', 's'):
    case TOKEN('M', 'l'):
        add_address(in, second);
        break;
    case TOKEN('N', 'b'):
        add_data(in, has_long_offset(in) ? 64 : 32);
        break;
    case TOKEN('N', 'c'):
        add_data(in, 64);
        break;
    case TOKEN('C', 'l'):
    case TOKEN('C', 'u'):
        add_indexed_const(in, true);
        break;
    case TOKEN('C', 'z'):
        add_indexed_const(in, false);
        break;
    case TOKEN('B', 'd'):
        add_barrier(in, 16);
        break;
    case TOKEN('B', 'a'):
        add_barrier(in, 24);
        break;
    case TOKEN('B', 'i'):
    case TOKEN('B', 'c'):
        add_block_barrier(in, second == 'i');
        break;
    case TOKEN('S', 'r'):
        add(in, SASS_OPERAND_SPECIAL)->num = (uint8_t)sass_bits(in, 72, 8);
        break;
    case TOKEN('S', 'b'):
        add(in, SASS_OPERAND_SB)->num = (uint8_t)sass_bits(in, 44, 3);
        add_value(in, sass_bits(in, 38, 6));
        break;
    case TOKEN('T', 'l'):
        add_target(in, 48, true);
        break;
    case TOKEN('T', 's'):
        add_target(in, 30, true);
        break;
    case TOKEN('T', 'o'):
        add_target(in, 48, false);
        break;
    case TOKEN('L', 'u'):
        add_value(in, sass_bits(in, 72, 8));
        break;
    case TOKEN('L', 's'):
        add_value(in, sass_bits(in, 75, 5));
        break;
    case TOKEN('P', 'l'):
        add_value(in, sass_bits(in, 72, 5) << 3 | sass_bits(in, 64, 3));
        add_value(in, sass_bits(in, 16, 8));
        break;
    case TOKEN('H', 'l'):
    case TOKEN('H', 'm'):
        add_shuffle(in, second == 'l');
        break;
    case TOKEN('P', 'r'):
        add(in, SASS_OPERAND_PR)->write = in->op == SASS_R2P;
        break;
    default:
        if (second == 'd')
            add_destination(in, first);
        else if (strchr("abcB", second) != NULL)
            add_styled_source(in, first, second);
        else
            add_predicate(in, TOKEN(first, second));
    }
}

static uint8_t access_width(const sass_inst_t *in, const sass_row_t *row)
{
    if (row->flags & SASS_ROW_SIZE)
        return sass_size_bytes[sass_bits(in, 73, 3)];
    if (row->flags & SASS_ROW_ATOM)
        return sass_atom_bytes[sass_bits(in, 73, 3)];
    if (in->op == SASS_LDSM)
        return (uint8_t[]){4, 8, 16, 0}[sass_bits(in, 72, 2)];
    return 0;
}

bool sass_decode(sass_inst_t *in, const uint8_t *code, uint32_t pc)
{
    *in = (sass_inst_t){.lo = elf_u64(code), .hi = elf_u64(code + 8), .pc = pc};
    const sass_row_t *row = sass_find_row(in->lo);

    in->form = (uint8_t)sass_bits(in, 9, 3);
    in->guard = (uint8_t)sass_bits(in, 12, 3);
    in->guard_not = sass_bits(in, 15, 1);
    in->op = row != NULL ? row->op : SASS_UNKNOWN;
    if (row == NULL)
        return false;
    in->uniform = row->flags & SASS_ROW_UNIFORM;
    in->guard_uniform = row->flags & SASS_ROW_UGUARD;
    in->extended = ((row->flags & SASS_ROW_X) && sass_bits(in, 74, 1)) ||
                   ((row->flags & SASS_ROW_EX) && sass_bits(in, 72, 1)) ||
                   ((in->op == SASS_IMAD_WIDE || in->op == SASS_IMAD_HI) && sass_bits(in, 74, 1));
    in->width = access_width(in, row);
    for (const char *t = row->operands; *t != '\0'; t += t[2] == ' ' ? 3 : 2)
        add_operand(in, t[0], t[1]);
    return true;
}
