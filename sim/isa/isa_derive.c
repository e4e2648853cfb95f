/* What follows from the other members of an instruction, derived once for all its executions. */
#include <string.h>

#include "sim/isa/isa.h"

enum { COUNTERS = 6, SLOTS_BY_NUMBER = sizeof(((inst_t *)0)->bank_reads) };

static bool waits_for_counters(const inst_t *in)
{
    return ctl_wait_mask(in->ctl) != 0 || (in->cls == OP_DEPBAR && in->flags & INST_IMM);
}

static bool is_alone(const inst_t *in)
{
    switch (isa_class_pipe((op_class_t)in->cls)) {
    case PIPE_LG:
    case PIPE_MIO:
    case PIPE_TEX:
    case PIPE_CONST:
        return false;
    default:
        return in->space == MEM_NONE && in->cls != OP_DEPBAR &&
               (in->flags & (INST_BARRIER | INST_MEMBAR | INST_CLOCK)) == 0;
    }
}

/* Whether it occupies only its own pipe, on every chip. */
static bool has_own_port(const inst_t *in)
{
    switch (isa_class_pipe((op_class_t)in->cls)) {
    case PIPE_FMA:
    case PIPE_ALU:
    case PIPE_XU:
    case PIPE_UNIFORM:
        return true;
    default:
        return false;
    }
}

/* traits: those found so far. */
static bool is_simple(const inst_t *in, unsigned traits)
{
    return traits & INST_ALONE && has_own_port(in) && in->most_reads[1] <= INST_SIMPLE_READS &&
           !(traits & (INST_DELAYS | INST_FORWARDED | INST_GUESSED)) &&
           (in->flags & (INST_CONTROL_WORD | INST_PRED_WRITE)) == 0 && in->n_set == 1 &&
           in->n_wait <= INST_QUAD;
}

static bool is_steady(const inst_t *in, unsigned traits)
{
    return traits & INST_ALONE && !(traits & (INST_DELAYS | INST_COUNTED)) &&
           in->flags & INST_CONTROL_WORD;
}

static unsigned find_traits(const inst_t *in)
{
    unsigned traits = 0;
    bool counted = ctl_write_barrier(in->ctl) < COUNTERS || ctl_read_barrier(in->ctl) < COUNTERS;
    if (in->space != MEM_NONE && in->width != 0)
        traits |= INST_ADDRESSED;
    if (in->flags & INST_BRANCH || in->cls == OP_SLEEP)
        traits |= INST_DELAYS;
    if ((in->flags & INST_BARRIER && !(in->flags & INST_BAR_ARRIVE)) || in->flags & INST_MEMBAR)
        traits |= INST_STOPS;
    if (in->flags & INST_CONST_ADDR && in->cls != OP_LDC)
        traits |= INST_CONST_SOURCE;
    if (in->flags & INST_BRANCH && !(in->flags & INST_FULL_REGS))
        traits |= INST_GUESSED;
    if (counted)
        traits |= INST_COUNTED;
    if (counted || waits_for_counters(in))
        traits |= INST_WAITS;
    if (in->cls == OP_HMMA)
        traits |= INST_FORWARDED;
    if (in->cls == OP_DEPBAR)
        traits |= INST_AFTER_COPIES;
    if (is_alone(in))
        traits |= INST_ALONE;
    if (is_simple(in, traits))
        traits |= INST_SIMPLE;
    if (is_steady(in, traits))
        traits |= INST_STEADY;
    return traits;
}

/* Bit set of the banks that the results are written to. */
static unsigned find_banks_written(const inst_t *in, unsigned n_banks)
{
    unsigned banks = 0;
    for (unsigned i = 0; i < in->n_dst; i++) {
        const reg_op_t *op = &in->dst[i];
        for (unsigned r = 0; op->file == REG_GPR && r < op->count && r < n_banks; r++)
            banks |= 1u << (op->num + r) % n_banks;
    }
    return banks;
}

static unsigned find_most_reads(const inst_t *in, unsigned n_banks)
{
    unsigned most = 0;
    if (in->flags & INST_TENSOR)
        return 0;
    for (unsigned b = 0; b < n_banks; b++) {
        unsigned sum = 0;
        for (unsigned r = b; r < SLOTS_BY_NUMBER; r += n_banks)
            sum += in->bank_reads[r];
        if (sum > most)
            most = sum;
    }
    return most;
}

/*
 * Cycles from the issue of an instruction to the next one of its warp. A yield prevents the warp
 * from issuing in the next cycle. Two encodings have a special meaning (Huerta 2025): 0 with a
 * yield is a long wait, and more than 11 without one is "1 or 2 cycles", which no compiler
 * emits.
 */
static unsigned find_gap(uint32_t ctl)
{
    enum { LONG_WAIT = 0, LONGEST_WITHOUT_YIELD = 11, YIELD_GAP = 2 };
    unsigned stall = ctl_stall(ctl);
    if (ctl_yield(ctl))
        return stall == 0 ? LONG_WAIT : stall < YIELD_GAP ? YIELD_GAP : stall;
    return stall == 0 ? 1 : stall > LONGEST_WITHOUT_YIELD ? YIELD_GAP : stall;
}

/* Lists the GPR sources for the operand stage. */
static void find_gprs(inst_t *in)
{
    unsigned n = 0, operand = 0;
    in->n_gpr = INST_MANY_GPRS;
    for (unsigned i = 0; i < in->n_src; i++) {
        const reg_op_t *op = &in->src[i];
        if (op->file != REG_GPR)
            continue;
        unsigned slot = inst_slot(in, operand++);
        if (slot >= INST_OPERAND_SLOTS || n + op->count > INST_GPRS)
            return;
        for (unsigned r = 0; r < op->count; r++) {
            in->gpr[n] = (uint8_t)(op->num + r);
            in->gpr_slot[n++] = (uint8_t)slot;
        }
    }
    in->n_gpr = (uint8_t)n;
}

void isa_derive(inst_t *in)
{
    in->gap = (uint8_t)find_gap(in->ctl);
    in->work = in->n_src != 0 ? in->flops : 0;
    in->result = in->n_set > 0 ? in->dep[in->n_wait - 1] : REG_ID_NONE;
    find_gprs(in);
    for (unsigned i = in->n_wait; i < INST_MAX_DEPS; i++)
        in->dep[i] = REG_ID_NONE;
    for (unsigned n = 1; n <= INST_MAX_BANKS; n++) {
        in->banks_written[n - 1] = (uint8_t)find_banks_written(in, n);
        in->most_reads[n - 1] = (uint8_t)find_most_reads(in, n);
    }
    in->traits = (uint16_t)find_traits(in);
}

/* The usual latency, one cycle more, several more, and behind the MIO. */
enum { SPEED_USUAL, SPEED_NEXT, SPEED_SLOW, SPEED_MIO };
_Static_assert((int)SPEED_MIO + 1 == (int)INST_SPEEDS, "inst_t.near has a byte for each");

unsigned isa_class_speed(op_class_t cls)
{
    switch (isa_class_pipe(cls)) {
    case PIPE_FMA:
    case PIPE_ALU:
        if (cls == OP_CS2R || cls == OP_UNKNOWN)
            return SPEED_SLOW;
        return cls == OP_IMAD || cls == OP_FP32_CMP ? SPEED_NEXT : SPEED_USUAL;
    case PIPE_XU:
        return SPEED_MIO;
    default:
        return SPEED_SLOW;
    }
}

static bool waits_for(const inst_t *in, unsigned reg)
{
    for (unsigned i = 0; i < in->n_wait; i++) {
        if (in->dep[i] == reg)
            return true;
    }
    return false;
}

void isa_link(inst_t *in, size_t before)
{
    const size_t reach = before < INST_FAR - 1 ? before : INST_FAR - 1;
    memset(in->near, INST_FAR, sizeof(in->near));
    for (size_t n = reach; n > 0; n--) {
        const inst_t *from = in - n;
        if (from->traits & INST_SIMPLE && waits_for(in, from->result))
            in->near[isa_class_speed((op_class_t)from->cls)] = (uint8_t)n;
    }
}
