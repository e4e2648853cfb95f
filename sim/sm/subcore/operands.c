/*
 * The operand stage of a sub-core, for code with control words: register-file read ports, and the
 * operand cache that the reuse flags fill. (Huerta 2025.)
 *
 * Two cycles after issue a fixed-latency instruction enters the allocate stage, and stays there
 * until its reads fit into the ports of the next rf_window cycles. Meanwhile the next instruction
 * is held in the control stage, and no further one issues. Instructions of variable latency read
 * their operands later, from queues, through ports that the others leave free.
 */
#include "sim/sm/subcore/subcore_parts.h"

enum {
    ISSUE_TO_ALLOCATE = 2,
    PORT_BITS = 4,
    PORT_CYCLES = 64 / PORT_BITS, /* far more than an instruction can wait */
    NO_REGISTER = 0,
};

static uint32_t cache_key(uint32_t w, unsigned reg)
{
    return (w + 1) << 8 | reg;
}

void operands_forget(sub_core_t *sub, uint32_t w)
{
    for (unsigned b = 0; b < MAX_RF_BANKS; b++) {
        for (unsigned s = 0; s < OPERAND_SLOTS; s++) {
            if (sub->operand_cache[b][s] >> 8 != w + 1)
                continue;
            sub->operand_cache[b][s] = NO_REGISTER;
            sub->operands_held--;
        }
    }
}

/* Reads one register through an operand slot. true: a port must deliver it. */
static inline bool read_register(sub_core_t *sub, uint32_t w, unsigned reg, unsigned bank,
                                 unsigned slot, bool keep)
{
    uint32_t key = cache_key(w, reg);
    if (slot >= OPERAND_SLOTS)
        return true;
    uint32_t *held = &sub->operand_cache[bank][slot];
    bool hit = *held == key;
    sub->operands_held += (uint32_t)keep - (*held != NO_REGISTER);
    *held = keep ? key : NO_REGISTER;
    return !hit;
}

/* Counts the reads of each bank for inst that the operand cache does not serve. A register named by
 * several slots is read once. */
static void count_reads(sm_t *sm, sub_core_t *sub, uint32_t w, const inst_t *inst,
                        uint8_t reads[MAX_RF_BANKS])
{
    uint32_t banks = sm->config->sm.rf_banks;
    uint32_t reuse = ctl_reuse(inst->ctl);
    uint8_t listed[INST_MAX_SRC * 2];
    unsigned n_listed = 0, operand = 0;
    for (unsigned i = 0; i < inst->n_src; i++) {
        const reg_op_t *op = &inst->src[i];
        if (op->file != REG_GPR)
            continue;
        unsigned slot = inst_slot(inst, operand++);
        for (unsigned r = op->num; r < (unsigned)op->num + op->count; r++) {
            const unsigned bank = banks == 2 ? r & 1 : r % banks; /* divisions take long */
            bool again = false;
            bool read = read_register(sub, w, r, bank, slot, slot < 4 && reuse >> slot & 1);
            for (unsigned k = 0; k < n_listed; k++)
                again = again || listed[k] == r;
            if (!read || again || n_listed == sizeof(listed))
                continue;
            listed[n_listed++] = (uint8_t)r;
            reads[bank]++;
        }
    }
}

/* count_reads() for two banks and an instruction whose registers are listed. */
static inline void count_listed_reads(sub_core_t *sub, uint32_t w, const inst_t *inst,
                                      uint8_t reads[MAX_RF_BANKS])
{
    const uint32_t reuse = ctl_reuse(inst->ctl);
    uint64_t counted[4] = {0}; /* bit set of registers */
    for (unsigned i = 0; i < inst->n_gpr; i++) {
        const unsigned r = inst->gpr[i], slot = inst->gpr_slot[i];
        const uint64_t bit = UINT64_C(1) << r % 64;
        const bool read = read_register(sub, w, r, r & 1, slot, reuse >> slot & 1);
        const bool more = read && !(counted[r / 64] & bit);
        counted[r / 64] |= more ? bit : 0;
        reads[r & 1] = (uint8_t)(reads[r & 1] + more);
    }
}

/* Free ports of a bank in the cycle at that offset from port_base. */
static unsigned ports_free(const sub_core_t *sub, unsigned bank, unsigned offset, unsigned ports)
{
    unsigned taken =
        offset < PORT_CYCLES ? (unsigned)(sub->ports[bank] >> (offset * PORT_BITS) & 15u) : 0;
    return taken < ports ? ports - taken : 0;
}

static bool reads_fit(const sub_core_t *sub, unsigned bank, unsigned offset, unsigned window,
                      unsigned ports, unsigned reads)
{
    unsigned room = 0;
    if (reads == 0)
        return true;
    for (unsigned i = 0; i < window && room < reads; i++)
        room += ports_free(sub, bank, offset + i, ports);
    return room >= reads;
}

static void take_ports(sub_core_t *sub, unsigned bank, unsigned offset, unsigned ports,
                       unsigned reads)
{
    for (; reads > 0 && offset < PORT_CYCLES; offset++) {
        unsigned n = ports_free(sub, bank, offset, ports);
        if (n > reads)
            n = reads;
        sub->ports[bank] += (uint64_t)n << (offset * PORT_BITS);
        reads -= n;
    }
}

/* Drops the entries of cycles before now. */
static inline void advance_ports(sub_core_t *sub, uint32_t banks, cycle_t now)
{
    const cycle_t by = now - sub->port_base;
    sub->port_base = now;
    for (uint32_t b = 0; b < banks; b++)
        sub->ports[b] = by < PORT_CYCLES ? sub->ports[b] >> (by * PORT_BITS) : 0;
}

/* The first offset from now, not below `offset`, at which the reads of all banks fit; takes their
 * ports. */
static unsigned find_ports(const sm_spec_t *spec, sub_core_t *sub,
                           const uint8_t reads[MAX_RF_BANKS], unsigned offset)
{
    unsigned ports = spec->rf_bank_reads > 2 ? spec->rf_bank_reads / 2 : 1;
    unsigned window = spec->rf_window;
    for (uint32_t b = 0; b < spec->rf_banks; b++) {
        unsigned needed = (reads[b] + ports - 1) / ports;
        if (needed > window)
            window = needed;
    }
    for (uint32_t b = 0; b < spec->rf_banks;) {
        if (reads_fit(sub, b, offset, window, ports, reads[b])) {
            b++;
        } else {
            offset++;
            b = 0;
        }
    }
    for (uint32_t b = 0; b < spec->rf_banks; b++)
        take_ports(sub, b, offset, ports, reads[b]);
    return offset;
}

/* Takes `reads` of the free ports, which a bit in each of their cycles marks; at most one per
 * cycle. */
static inline uint64_t take_single(uint64_t taken, uint64_t free, unsigned reads)
{
    for (; reads > 0; reads--) {
        taken |= free & (~free + 1);
        free &= free - 1;
    }
    return taken;
}

/* find_ports() for two banks of one port each, with bit operations. false: the reads do not fit at
 * the offset, or it is near the end of the entries. */
static inline bool take_at(const sm_t *sm, sub_core_t *sub, const uint8_t reads[MAX_RF_BANKS],
                           unsigned offset)
{
    const uint64_t window = sm->subcore.port_window << (PORT_BITS * offset);
    if (sm->subcore.port_window == 0 || offset > PORT_CYCLES / 2)
        return false;
    const uint64_t free0 = window & ~sub->ports[0], free1 = window & ~sub->ports[1];
    if ((unsigned)__builtin_popcountll(free0) < reads[0] ||
        (unsigned)__builtin_popcountll(free1) < reads[1])
        return false;
    sub->ports[0] = take_single(sub->ports[0], free0, reads[0]);
    sub->ports[1] = take_single(sub->ports[1], free1, reads[1]);
    return true;
}

void operands_init(sm_t *sm)
{
    const uint64_t each = UINT64_C(0x1111111111111111); /* one port in every cycle */
    const sm_spec_t *spec = &sm->config->sm;
    if (spec->rf_banks == 2 && spec->rf_bank_reads <= 3 && spec->rf_window <= PORT_CYCLES / 2)
        sm->subcore.port_window = each >> (64 - PORT_BITS * spec->rf_window);
}

uint32_t operands_allocate(sm_t *sm, sub_core_t *sub, uint32_t w, const inst_t *inst, cycle_t now)
{
    const sm_spec_t *spec = &sm->config->sm;
    uint8_t reads[MAX_RF_BANKS] = {0};
    if (ctl_reuse(inst->ctl) == 0 && sub->operands_held == 0 && spec->rf_banks == 2) {
        reads[0] = (uint8_t)(inst->bank_reads[0] + inst->bank_reads[2]);
        reads[1] = (uint8_t)(inst->bank_reads[1] + inst->bank_reads[3]);
    } else if (inst->n_gpr != INST_MANY_GPRS && spec->rf_banks == 2) {
        count_listed_reads(sub, w, inst, reads);
    } else {
        count_reads(sm, sub, w, inst, reads);
    }
    cycle_t enters = cycle_max(now + ISSUE_TO_ALLOCATE, sub->allocate_free);
    advance_ports(sub, spec->rf_banks, now);
    unsigned offset = (unsigned)(enters - now);
    if (!take_at(sm, sub, reads, offset))
        offset = find_ports(spec, sub, reads, offset);
    sub->allocate_free = now + offset + 1;
    sub->issue_free = enters - 1;
    return offset - ISSUE_TO_ALLOCATE;
}

cycle_t operands_read_at(const sm_t *sm, uint32_t w)
{
    return sm->subcore.sub[sm->subcore.warp[w].sub_core].allocate_free - 1 - ISSUE_TO_ALLOCATE;
}
