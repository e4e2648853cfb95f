/* Operands of branches, calls and barriers. */
#include "frontend/emulator/sass/sass_operands.h"

void sass_put_value(sass_inst_t *in, int64_t value)
{
    sass_put(in, SASS_OPERAND_IMM)->value = value;
}

void sass_put_barrier(sass_inst_t *in, unsigned bit)
{
    const bool moved = in->op == SASS_BMOV_B || in->op == SASS_BMOV_R;
    sass_operand_t *o = sass_put(in, SASS_OPERAND_BARRIER);

    o->num = (uint8_t)sass_bits(in, bit, moved ? 5 : 4);
    in->foreign |= o->num >= SASS_BARRIERS; /* not a barrier: other state of the warp */
    o->write = in->op == SASS_BSSY || in->op == SASS_BREAK || in->op == SASS_BMOV_B;
}

/* Offset of a branch in bytes: 48 bits at bit 34 (or 30), in words of 4 bytes. */
static int64_t branch_offset(const sass_inst_t *in, unsigned bits)
{
    uint64_t words = in->lo >> 34 | (bits > 30 ? in->hi << 30 : 0);

    return sass_sign_extend(words & ((1ull << bits) - 1), bits) * 4;
}

void sass_put_target(sass_inst_t *in, unsigned bits, bool absolute)
{
    sass_operand_t *o = sass_put(in, SASS_OPERAND_TARGET);
    bool relative = absolute && (in->op != SASS_RET || !sass_bits(in, 85, 1));

    o->value = branch_offset(in, bits) + (relative ? in->pc + SASS_INST_BYTES : 0);
    if (!absolute)
        o->kind = SASS_OPERAND_IMM;
    o->hidden = !absolute && o->value == 0;
}

void sass_put_pair(sass_inst_t *in, bool wide)
{
    sass_put_source(in, SASS_PLAIN, 'a');
    sass_operand_t *o = &in->operand[in->n_operands - 1];

    if (wide)
        o->count = 2;
    if (in->op != SASS_MATCH && in->op != SASS_BRX && sass_bits(in, 91, 1)) {
        o->kind = SASS_OPERAND_UREG;
        o->num &= SASS_URZ;
        in->foreign = true;
    }
}

/* CALL.ABS: an address in bits 34-80, which is added to registers a, or a constant. */
void sass_put_call_target(sass_inst_t *in)
{
    const uint64_t words = (in->lo >> 34 | in->hi << 30) & ((1ull << 47) - 1);
    const bool indirect = in->form == 1 || sass_bits(in, 91, 1);

    if (in->form == 5) {
        sass_put_field(in, SASS_PLAIN, false);
        in->foreign = true;
        return;
    }
    if (indirect)
        sass_put_pair(in, true);
    sass_put_value(in, (int64_t)words * 4);
    if (!indirect)
        return;
    in->operand[in->n_operands - 1].kind = SASS_OPERAND_TARGET;
    in->operand[in->n_operands - 1].hidden = words == 0;
}

/* BAR: barrier number and thread count as immediates, the number in a register, or both in one
 * register. */
void sass_put_block_barrier(sass_inst_t *in, bool number)
{
    if (in->form == 1 || in->form == (number ? 2 : 4)) {
        sass_put_reg(in, 32, 1);
    } else {
        sass_put_value(in, number ? sass_bits(in, 54, 4) : sass_bits(in, 42, 12));
        if (!number)
            in->operand[in->n_operands - 1].hidden =
                sass_bits(in, 42, 12) == 0 && !sass_bits(in, 77, 1); /* .ARV: always printed */
    }
    if (sass_bits(in, 79, 1)) /* .SYNCALL */
        in->operand[in->n_operands - 1].hidden = in->foreign = true;
}

void sass_put_dependence_barriers(sass_inst_t *in)
{
    const bool counts = sass_bits(in, 47, 1);

    sass_put(in, SASS_OPERAND_SB)->num = (uint8_t)sass_bits(in, 44, 3);
    in->operand[in->n_operands - 1].hidden = !counts;
    sass_put_value(in, sass_bits(in, 38, 6));
    in->operand[in->n_operands - 1].hidden = !counts;
    sass_operand_t *set = sass_put(in, SASS_OPERAND_SBS);
    set->value = sass_bits(in, 32, 6);
    set->hidden = set->value == 0;
}
