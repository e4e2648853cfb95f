/* Decodes 128 bits into an instruction. The encoding table tells which fields are where. */
#include <string.h>

#include "frontend/emulator/sass/elf64.h"
#include "frontend/emulator/sass/sass_operands.h"
#include "frontend/emulator/sass/sass_table.h"
#include "frontend/emulator/sass/sass_texture.h"

#define TOKEN(first, second) ((unsigned)(first) << 8 | (unsigned)(second))

uint32_t sass_control(const sass_inst_t *in)
{
    return sass_bits(in, 105, 21);
}

/* Lane (or mask) and bounds of SHFL: immediates of 5 and 13 bits, or registers. */
static void add_shuffle(sass_inst_t *in, bool lane)
{
    bool immediate_lane = in->form == 4 || in->form == 7;
    bool immediate_bounds = in->form == 2 || in->form == 7;

    if (lane ? immediate_lane : immediate_bounds) {
        sass_put_value(in, lane ? sass_bits(in, 53, 5) : sass_bits(in, 40, 13));
        return;
    }
    sass_operand_t *o = sass_put_reg(in, lane ? 32 : 64, 1);
    sass_set_slot(in, o, lane ? 2 : 3);
}

static void add_optional_pred(sass_inst_t *in, char which, bool uniform)
{
    sass_operand_t *o =
        which == '0' ? sass_put_pred(in, 81, 0, uniform) : sass_put_pred(in, 84, 0, uniform);

    o->hidden = o->num == SASS_PT;
}

/* A predicate result that exists only for some values of a modifier. known: the emulator can
 * execute it. */
static void add_rare_pred(sass_inst_t *in, bool has, bool known)
{
    sass_operand_t *o = sass_put_pred(in, 81, 0, false);

    if (!has)
        o->num = SASS_PT;
    o->hidden = !has;
    in->foreign |= has && !known;
}

/* A load's predicate: numbers are reversed, so that 0 is PT. */
static void add_load_pred(sass_inst_t *in)
{
    sass_operand_t *o = sass_put_pred(in, 64, 67, false);

    o->num = SASS_PT - o->num;
    o->hidden = o->num == SASS_PT && !o->inv;
}

/* The mask of R2P; not printed if it selects all predicates. */
static void add_mask(sass_inst_t *in)
{
    sass_put_source(in, SASS_PLAIN, 'b');
    sass_operand_t *o = &in->operand[in->n_operands - 1];

    o->hidden = in->op == SASS_R2P && o->kind == SASS_OPERAND_IMM && o->value == 0xff;
}

static void add_carry(sass_inst_t *in)
{
    sass_operand_t *o = sass_put_pred(in, 68, 71, in->uniform);

    const bool plain = o->num == SASS_PT && !o->inv;

    o->hidden = in->uniform ? !in->extended : plain;
    in->foreign |= !o->hidden && !in->extended;
}

static void add_predicate(sass_inst_t *in, unsigned token)
{
    sass_operand_t *o;

    switch (token) {
    case TOKEN('P', '0'):
        sass_put_pred(in, 81, 0, in->uniform);
        break;
    case TOKEN('P', '1'):
        sass_put_pred(in, 84, 0, in->uniform);
        break;
    case TOKEN('U', '0'):
        sass_put_pred(in, 81, 0, true);
        break;
    case TOKEN('Q', '0'):
        sass_put_pred(in, 87, 90, in->uniform);
        break;
    case TOKEN('Q', '1'):
        sass_put_pred(in, 77, 80, in->uniform);
        break;
    case TOKEN('Q', '2'):
        sass_put_pred(in, 68, 71, in->uniform);
        break;
    case TOKEN('q', '0'):
        o = sass_put_pred(in, 87, 90, in->uniform);
        o->hidden = o->num == SASS_PT && !o->inv;
        break;
    case TOKEN('Q', 'r'):
        o = sass_put_pred(in, 87, 90, false);
        o->hidden = sass_bits(in, 77, 2) < 2;
        break;
    case TOKEN('X', '0'):
        sass_put_pred(in, 87, 90, in->uniform)->hidden = !in->extended;
        break;
    case TOKEN('X', '1'):
        sass_put_pred(in, 77, 80, in->uniform)->hidden = !in->extended;
        break;
    case TOKEN('u', '2'):
        sass_put_pred(in, 68, 71, sass_bits(in, 67, 1));
        break;
    case TOKEN('M', '0'):
        add_rare_pred(in, !sass_bits(in, 79, 1), true);
        break;
    case TOKEN('R', '0'):
        if (in->op == SASS_R2UR)
            add_rare_pred(in, sass_bits(in, 81, 3) != SASS_PT || sass_bits(in, 84, 1),
                          in->arch >= SASS_AMPERE && !sass_bits(in, 84, 1));
        else
            add_rare_pred(in, sass_bits(in, 78, 2) == 1 && sass_bits(in, 81, 3) != SASS_PT, true);
        break;
    case TOKEN('y', '0'):
        add_rare_pred(
            in, sass_bits(in, 87, 1) || (in->op == SASS_LDG && sass_bits(in, 81, 3) != SASS_PT),
            false);
        break;
    case TOKEN('z', '0'):
        add_load_pred(in);
        break;
    default: /* E2 */
        add_carry(in);
        break;
    }
}

static void add_destination(sass_inst_t *in, char kind)
{
    sass_operand_t *o;

    switch (kind) {
    case 'R':
        sass_put_dst(in, 1);
        break;
    case 'D':
        sass_put_dst(in, in->op == SASS_CS2R && !sass_bits(in, 80, 1) ? 1 : 2);
        break;
    case 'N':
        sass_put_dst(in, sass_data_registers(in));
        break;
    case 'Z':
        sass_put_dst(in, sass_conversion_size(in, 75) == 8 ? 2 : 1);
        break;
    case 'U':
    case 'u':
        o = sass_put(in, SASS_OPERAND_UREG);
        o->num = (uint8_t)sass_bits(in, 16, 6);
        o->write = true;
        o->hidden = kind == 'u' && o->num == SASS_URZ;
        break;
    default: /* r */
        o = sass_put_dst(in, 1);
        o->hidden = o->num == SASS_RZ;
    }
}

static const struct {
    char letter;
    sass_style_t style;
} styles[] = {
    {'R', SASS_PLAIN}, {'K', SASS_SIGNED}, {'J', SASS_BITS},   {'F', SASS_FLOAT},
    {'I', SASS_INT},   {'L', SASS_INT64},  {'D', SASS_DOUBLE}, {'H', SASS_HALF},
};

static void add_styled_source(sass_inst_t *in, char letter, char slot)
{
    for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
        if (styles[i].letter == letter)
            sass_put_source(in, styles[i].style, slot);
}

static void add_complement(sass_inst_t *in)
{
    sass_put_field(in, SASS_PLAIN, false);
    in->operand[in->n_operands - 1].inv =
        in->operand[in->n_operands - 1].kind != SASS_OPERAND_IMM && sass_bits(in, 63, 1);
}

static void add_lea_high(sass_inst_t *in)
{
    sass_put_source(in, SASS_PLAIN, 'c');
    in->operand[in->n_operands - 1].hidden = !sass_bits(in, 80, 1) || sass_bits(in, 73, 1);
}

/* F2IP: a float without a sign. */
static void add_packed_float(sass_inst_t *in, char position)
{
    sass_put_source(in, SASS_FLOAT, position);
    sass_operand_t *o = &in->operand[in->n_operands - 1];
    o->abs = false;
    o->neg = false;
}

/* I2IP, F2IP: the part of the third source that it takes; the two other sources go above it. */
static void add_packed(sass_inst_t *in)
{
    if (in->op == SASS_F2IP) {
        add_packed_float(in, 'c');
        in->operand[in->n_operands - 1].select = (uint8_t)sass_bits(in, 72, 1);
        return;
    }
    sass_put_source(in, SASS_PLAIN, 'c');
    const unsigned select = sass_bits(in, 72, 2), type = sass_bits(in, 76, 3);

    in->operand[in->n_operands - 1].select = (uint8_t)select;
    in->foreign |= type < 4 ? select > 1 : select != (type < 6 ? 3 : 2);
}

/* Threads of each quad that MOV writes. */
static void add_quad_mask(sass_inst_t *in)
{
    sass_put_value(in, sass_bits(in, 72, 4));
    sass_operand_t *o = &in->operand[in->n_operands - 1];

    o->hidden = o->value == 15;
    in->foreign |= !o->hidden;
}

/* CCTL: an address, unless it applies to a whole cache. */
static void add_cache_line(sass_inst_t *in)
{
    const unsigned what = sass_bits(in, 87, 4);

    sass_put_address(in, 'g');
    in->operand[in->n_operands - 1].hidden = what == 4 || (what > 5 && what < 9);
}

/* BRA.DIV and BRA.CONV: the threads that they compare with the active ones. */
static void add_thread_mask(sass_inst_t *in)
{
    const bool has = sass_bits(in, 91, 1);
    sass_operand_t *o = sass_put(in, SASS_OPERAND_UREG);

    o->num = has ? (uint8_t)sass_bits(in, 24, 6) : SASS_URZ;
    o->inv = has && sass_bits(in, 30, 1);
    o->hidden = !has;
}

/*
 * F2FP packs a and b, or puts b beside a half of c. With eight-bit floats it packs a and b or the
 * halves of b beside a half of c, or unpacks a half of b.
 */
static void add_pair_source(sass_inst_t *in, char position)
{
    const sass_f2fp_t form = sass_f2fp(in);
    const bool from_b = form == SASS_F2FP_PAIR ? sass_bits(in, 78, 1) : form != SASS_F2FP_TO_FP8;
    const char last = form == SASS_F2FP_TO_FP8 ? 'c' : form == SASS_F2FP_FROM_FP8 ? 'a' : 'b';

    if (position > last)
        return;
    sass_put_source(in, SASS_FLOAT, (char)(position + from_b));
    sass_operand_t *o = &in->operand[in->n_operands - 1];
    o->abs = false;
    if (from_b || form != SASS_F2FP_PAIR) /* bits as they are */
        o->neg = false;
    if (form == SASS_F2FP_FROM_FP8)
        o->select = (uint8_t)sass_bits(in, 88, 1);
}

/* Numbers, masks, barriers and special registers. False: the token is none of these. */
static bool add_number(sass_inst_t *in, char first, char second)
{
    switch (TOKEN(first, second)) {
    case TOKEN('T', 'u'):
        add_thread_mask(in);
        break;
    case TOKEN('B', 'n'):
        sass_put_value(in, sass_bits(in, 34, 20));
        in->operand[in->n_operands - 1].hidden = sass_bits(in, 34, 20) == 0;
        break;
    case TOKEN('B', 'm'):
        add_mask(in);
        break;
    case TOKEN('V', 'b'):
        add_quad_mask(in);
        break;
    case TOKEN('B', 'r'):
        sass_put_value(in, sass_bits(in, 54, 4));
        in->operand[in->n_operands - 1].hidden = sass_bits(in, 78, 2) != 0;
        break;
    case TOKEN('B', 'd'):
        sass_put_barrier(in, 16);
        break;
    case TOKEN('B', 'a'):
        sass_put_barrier(in, 24);
        break;
    case TOKEN('B', 'i'):
    case TOKEN('B', 'c'):
        sass_put_block_barrier(in, second == 'i');
        break;
    case TOKEN('S', 'r'):
        sass_put(in, SASS_OPERAND_SPECIAL)->num = (uint8_t)sass_bits(in, 72, 8);
        break;
    case TOKEN('S', 'b'):
        sass_put_dependence_barriers(in);
        break;
    case TOKEN('L', 'u'):
        sass_put_value(in, sass_bits(in, 72, 8));
        break;
    case TOKEN('L', 'v'):
        sass_put_value(in, sass_bits(in, 16, 8));
        break;
    case TOKEN('P', 'm'):
        sass_put_value(in, sass_bits(in, 32, 16));
        break;
    case TOKEN('L', 's'):
        sass_put_value(in, sass_bits(in, 75, 5));
        break;
    case TOKEN('P', 'l'):
        sass_put_value(in, sass_bits(in, 72, 5) << 3 | sass_bits(in, 64, 3));
        sass_put_value(in, sass_bits(in, 16, 8));
        break;
    case TOKEN('H', 'l'):
    case TOKEN('H', 'm'):
        add_shuffle(in, second == 'l');
        break;
    case TOKEN('P', 'r'):
        sass_put(in, SASS_OPERAND_PR)->write = in->op == SASS_R2P;
        break;
    default:
        return false;
    }
    return true;
}

/* Addresses, constants, data and targets. False: the token is none of these. */
static bool add_place(sass_inst_t *in, char first, char second)
{
    switch (TOKEN(first, second)) {
    case TOKEN('M', 't'):
        sass_put_copy_target(in);
        break;
    case TOKEN('N', 's'):
        if (in->op == SASS_ATOMS)
            sass_put_data(in, 32);
        break;
    case TOKEN('X', 't'):
        sass_tex_operands(in);
        break;
    case TOKEN('W', 'a'):
        sass_put_pair(in, true);
        break;
    case TOKEN('W', 'r'): /* CALL.REL: registers added to the target, if any */
        if (in->form == 1 || sass_bits(in, 91, 1))
            sass_put_pair(in, true);
        break;
    case TOKEN('W', 'c'):
        sass_put_call_target(in);
        break;
    case TOKEN('Y', 'a'):
        sass_put_pair(in, sass_bits(in, 73, 1));
        break;
    case TOKEN('M', 'g'):
        if (in->op == SASS_CCTL)
            add_cache_line(in);
        else
            sass_put_address(in, second);
        break;
    case TOKEN('M', 's'):
    case TOKEN('M', 'l'):
        sass_put_address(in, second);
        break;
    case TOKEN('N', 'b'):
        sass_put_data(in, sass_has_long_offset(in) ? 64 : 32);
        break;
    case TOKEN('N', 'c'):
        sass_put_data(in, 64);
        break;
    case TOKEN('C', 'l'):
    case TOKEN('C', 'u'):
        sass_put_indexed_const(in, true);
        break;
    case TOKEN('C', 'z'):
        sass_put_indexed_const(in, false);
        break;
    case TOKEN('T', 'l'):
        sass_put_target(in, 48, true);
        break;
    case TOKEN('T', 's'):
        sass_put_target(in, 30, true);
        break;
    case TOKEN('T', 'o'):
        sass_put_target(in, 48, false);
        break;
    default:
        return false;
    }
    return true;
}

static void add_operand(sass_inst_t *in, char first, char second)
{
    sass_operand_t *o;

    if (add_number(in, first, second) || add_place(in, first, second))
        return;
    switch (TOKEN(first, second)) {
    case TOKEN('V', 'm'):
    case TOKEN('M', 'a'):
    case TOKEN('M', 'b'):
    case TOKEN('M', 'c'):
        sass_put_matrix(in, second);
        break;
    case TOKEN('M', 'd'):
        sass_put_sparsity(in);
        break;
    case TOKEN('P', 'a'):
    case TOKEN('P', 'b'):
    case TOKEN('P', 'c'):
        add_pair_source(in, second);
        break;
    case TOKEN('F', 's'):
    case TOKEN('I', 's'):
        sass_put_conversion_source(in, first == 'F');
        break;
    case TOKEN('n', 'b'):
        add_complement(in);
        break;
    case TOKEN('L', 'h'):
        add_lea_high(in);
        break;
    case TOKEN('p', '0'):
    case TOKEN('p', '1'):
        add_optional_pred(in, second, in->uniform);
        break;
    case TOKEN('E', 'a'):
    case TOKEN('E', 'b'):
        add_packed_float(in, second);
        break;
    case TOKEN('E', 'c'):
        add_packed(in);
        break;
    case TOKEN('S', 'a'):
    case TOKEN('S', 'c'):
        sass_put_source(in, SASS_PLAIN, second);
        break;
    case TOKEN('S', 'x'): /* Sb has another meaning */
        sass_put_source(in, SASS_PLAIN, 'b');
        break;
    case TOKEN('G', 'b'):
        sass_put_source(in, SASS_HALF, 'b');
        o = &in->operand[in->n_operands - 1];
        o->high_neg = sass_bits(in, 86, 1);
        in->foreign |= o->high_neg && o->half != SASS_H1_H0;
        break;
    case TOKEN('U', 'h'):
        sass_put_source(in, SASS_FLOAT, 'b');
        if (in->arch >= SASS_AMPERE || sass_bits(in, 73, 1))
            in->operand[in->n_operands - 1].select = (uint8_t)sass_bits(in, 60, 2);
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

/* Whether a modifier has a value that the emulator does not execute. */
static bool has_foreign_mod(const sass_inst_t *in, const sass_row_t *row)
{
    for (unsigned i = 0; i < SASS_MAX_MODS; i++) {
        const sass_mod_t *m = &row->mods[i];
        const char *name = m->names != NULL ? m->names[sass_bits(in, m->bit, m->width)] : NULL;
        if (name != NULL && (name[0] == '!' || name[0] == '?' || strncmp(name, "INVALID", 7) == 0))
            return true;
        if (m->special == SASS_MOD_DENORM && sass_bits(in, 76, 1)) /* .FMZ */
            return true;
        if (m->special == SASS_MOD_F2FP && sass_f2fp(in) == SASS_F2FP_UNKNOWN)
            return true;
        if (m->special == SASS_MOD_HMMA && in->arch < SASS_AMPERE && sass_matrix_shape(in) != 0)
            return true;
    }
    /* other roundings and results */
    return in->op == SASS_F2FP && in->arch < SASS_AMPERE && sass_bits(in, 72, 9) != 0;
}

static uint8_t access_width(const sass_inst_t *in, const sass_row_t *row)
{
    if (row->flags & SASS_ROW_SIZE)
        return sass_size_bytes[sass_bits(in, 73, 3)];
    if (row->flags & SASS_ROW_ATOM)
        return sass_atom_bytes[sass_bits(in, 73, sass_is_shared_atomic(in) ? 2 : 3)];
    if (in->op == SASS_ARRIVES)
        return 8;
    if (in->op == SASS_LDSM)
        return (uint8_t[]){4, 8, 16, 0}[sass_bits(in, 72, 2)];
    return 0;
}

/* Operations that a modifier selects. */
static uint8_t operation(const sass_inst_t *in, const sass_row_t *row)
{
    if (in->arch < SASS_AMPERE)
        return row->op;
    if (row->op == SASS_ATOMS) {
        const unsigned op = sass_bits(in, 87, 4);
        return op == 9 ? SASS_ATOMS_ARRIVE : op == 10 ? SASS_ATOMS_COUNT : SASS_ATOMS;
    }
    return row->op == SASS_HFMA2 && sass_bits(in, 85, 1) ? SASS_HFMA2_BF16 : row->op;
}

bool sass_decode(sass_inst_t *in, const uint8_t *code, uint32_t pc, unsigned arch)
{
    *in = (sass_inst_t){
        .lo = elf_u64(code), .hi = elf_u64(code + 8), .pc = pc, .arch = (uint8_t)arch};
    const sass_row_t *row = sass_find_row(in->lo, arch);

    in->form = (uint8_t)sass_bits(in, 9, 3);
    in->guard = (uint8_t)sass_bits(in, 12, 3);
    in->guard_not = sass_bits(in, 15, 1);
    in->op = row != NULL ? operation(in, row) : SASS_UNKNOWN;
    if (row == NULL)
        return false;
    in->uniform = row->flags & SASS_ROW_UNIFORM;
    in->guard_uniform = row->flags & SASS_ROW_UGUARD;
    in->extended = ((row->flags & SASS_ROW_X) && sass_bits(in, 74, 1)) ||
                   ((row->flags & SASS_ROW_EX) && sass_bits(in, 72, 1)) ||
                   ((in->op == SASS_IMAD_WIDE || in->op == SASS_IMAD_HI) && sass_bits(in, 74, 1));
    in->width = access_width(in, row);
    in->foreign = has_foreign_mod(in, row);
    for (const char *t = row->operands; *t != '\0'; t += t[2] == ' ' ? 3 : 2)
        add_operand(in, t[0], t[1]);
    if (in->op == SASS_R2P)
        in->operand[1].select = (uint8_t)sass_bits(in, 76, 2);
    return true;
}
