/* Converts a decoded instruction to the model's record. */
#include <string.h>

#include "frontend/emulator/sass/sass_table.h"
#include "frontend/emulator/sass/sass_texture.h"
#include "sim/isa/isa.h"

/* Special registers that hold the cycle counter of the SM. */
enum { SR_CLOCKLO = 0x50, SR_CLOCKHI = 0x51 };

static void add_register(inst_t *out, bool write, reg_file_t file, unsigned num, unsigned count)
{
    unsigned zero = file == REG_GPR       ? (unsigned)SASS_RZ
                    : file == REG_UNIFORM ? (unsigned)SASS_URZ
                                          : (unsigned)SASS_PT;
    reg_op_t op = {(uint8_t)file, (uint8_t)num, (uint8_t)count};

    if (num >= zero)
        return;
    if (num + count > zero)
        op.count = (uint8_t)(zero - num);
    if (write && out->n_dst < INST_MAX_DST)
        out->dst[out->n_dst++] = op;
    else if (!write && out->n_src < INST_MAX_SRC)
        out->src[out->n_src++] = op;
}

/* Adds the predicates that R2P writes or P2R reads: those selected by the mask. */
static void add_predicates(const sass_inst_t *in, inst_t *out, bool write)
{
    const sass_operand_t *mask = &in->operand[in->n_operands - 1];
    unsigned bits = mask->kind == SASS_OPERAND_IMM ? (unsigned)mask->value & 127 : 127;

    for (unsigned p = 0; p < SASS_PT; p++)
        if (bits >> p & 1) {
            unsigned run = 1;
            while (bits >> (p + run) & 1)
                run++;
            add_register(out, write, in->uniform ? REG_UPRED : REG_PRED, p, run);
            p += run;
        }
}

static void add_constant(const sass_operand_t *o, inst_t *out, bool uniform)
{
    if (o->indexed) {
        add_register(out, false, uniform ? REG_UNIFORM : REG_GPR, o->num, 1);
        return;
    }
    out->flags |= INST_CONST_ADDR;
    out->const_bank = o->bank;
    out->const_offset = (uint16_t)o->value;
}

/* Records the slot of a general register that is about to be added to the sources. */
static void note_slot(inst_t *out, const sass_operand_t *o)
{
    unsigned n = 0;

    if (o->write || o->num == SASS_RZ)
        return;
    for (unsigned i = 0; i < out->n_src; i++)
        n += out->src[i].file == REG_GPR;
    if (n < 3)
        out->flags |= (uint32_t)o->slot << (INST_SLOTS + 2 * n);
}

/* Whether a uniform register that is added to an address is a pair. */
static bool has_wide_uniform_address(const sass_inst_t *in, const sass_operand_t *o)
{
    if (in->op == SASS_LDGSTS) /* to shared memory, from global memory */
        return o != &in->operand[0];
    return sass_bits(in, 72, 1) && in->op != SASS_LDSM;
}

static void add_operand(const sass_inst_t *in, const sass_operand_t *o, inst_t *out)
{
    switch (o->kind) {
    case SASS_OPERAND_REG:
        note_slot(out, o);
        add_register(out, o->write, REG_GPR, o->num, o->count);
        break;
    case SASS_OPERAND_UREG:
        add_register(out, o->write, REG_UNIFORM, o->num, o->count);
        break;
    case SASS_OPERAND_PRED:
        add_register(out, o->write, REG_PRED, o->num, 1);
        break;
    case SASS_OPERAND_UPRED:
        add_register(out, o->write, REG_UPRED, o->num, 1);
        break;
    case SASS_OPERAND_PR:
        add_predicates(in, out, o->write);
        break;
    case SASS_OPERAND_CONST:
        add_constant(o, out, in->uniform);
        break;
    case SASS_OPERAND_MEM:
        note_slot(out, o);
        add_register(out, false, REG_GPR, o->num, o->count);
        add_register(out, false, REG_UNIFORM, o->ureg, has_wide_uniform_address(in, o) ? 2 : 1);
        add_register(out, false, REG_UNIFORM, o->desc, 2);
        break;
    case SASS_OPERAND_IMM:
        out->flags |= INST_IMM;
        out->imm = (int32_t)(o->style == SASS_DOUBLE ? o->value >> 32 : o->value);
        break;
    case SASS_OPERAND_SPECIAL:
        if (o->num == SR_CLOCKLO || o->num == SR_CLOCKHI)
            out->flags |= INST_CLOCK;
        break;
    default:
        break;
    }
}

/* Hidden optional operands are read only if the instruction takes a carry. */
static bool is_read(const sass_operand_t *o)
{
    return !o->hidden;
}

/* An LDC whose lanes may read different addresses. Those of other constants are in the code. */
static bool is_indexed_load(const sass_inst_t *in)
{
    return in->op == SASS_LDC && in->n_operands > 1 && in->operand[1].indexed;
}

/* Bytes per thread of an access with addresses in the trace; 0: it has none. The size of a texel is
 * that of the texture, which the code does not tell; larger texels are in one sector, too. */
static uint8_t traced_width(const sass_inst_t *in, const inst_t *out)
{
    enum { WORD = 4 };
    if (out->space == MEM_TEX && sass_is_texture(in))
        return in->op == SASS_TXQ ? 0 : WORD;
    return out->space != MEM_CONST || is_indexed_load(in) ? in->width : 0;
}

bool sass_to_inst(const sass_inst_t *in, unsigned arch, inst_t *out)
{
    char text[SASS_TEXT_MAX];
    size_t len = sass_mnemonic(in, text);

    *out = (inst_t){
        .pc = in->pc, .flags = INST_CONTROL_WORD | INST_FULL_REGS, .ctl = sass_control(in)};
    bool known = isa_decode(arch, text, len, in->width, out);
    out->width = traced_width(in, out);
    add_register(out, false, in->guard_uniform ? REG_UPRED : REG_PRED, in->guard, 1);
    for (unsigned i = 0; i < in->n_operands; i++)
        if (is_read(&in->operand[i]))
            add_operand(in, &in->operand[i], out);
    if (in->op == SASS_DEPBAR)
        out->imm = depbar_pack(sass_bits(in, 44, 3), sass_bits(in, 38, 6), sass_bits(in, 32, 6));
    isa_finish(out, text, len);
    return known;
}
