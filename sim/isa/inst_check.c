#include "sim/isa/inst_check.h"

#include "sim/isa/isa.h"

static bool operands_are_valid(const reg_op_t *op, unsigned n)
{
    static const unsigned limit[] = {
        [REG_GPR] = 256, [REG_PRED] = 8, [REG_UNIFORM] = 64, [REG_UPRED] = 8};

    for (unsigned i = 0; i < n; i++)
        if (op[i].file > REG_UPRED || op[i].count == 0 ||
            (unsigned)op[i].num + op[i].count > limit[op[i].file])
            return false;
    return true;
}

static bool dependences_are_valid(const inst_t *in)
{
    if (in->n_wait > INST_MAX_DEPS || in->n_set > in->n_wait)
        return false;
    for (unsigned i = 0; i < in->n_wait; i++)
        if (in->dep[i] >= REG_ID_COUNT)
            return false;
    return true;
}

bool inst_is_valid(const inst_t *in)
{
    return isa_opcode(in->opcode) != NULL && in->cls < OP_CLASS_COUNT && in->space <= MEM_TEX &&
           in->access <= ACC_REDUCTION && in->width <= 16 && (in->width & (in->width - 1)) == 0 &&
           in->n_dst <= INST_MAX_DST && in->n_src <= INST_MAX_SRC &&
           operands_are_valid(in->dst, in->n_dst) && operands_are_valid(in->src, in->n_src) &&
           dependences_are_valid(in);
}
