/* Special registers, indexed constants, convergence barriers as values, BAR's result. */
#include "frontend/emulator/exec/emu_state.h"

enum {
    SR_LANEID = 0x00,
    SR_VIRTID = 0x03,
    SR_TID_X = 0x21,
    SR_CTAID_X = 0x25,
    SR_SWINLO = 0x30,
    SR_SMEMSZ = 0x32,
    SR_LWINLO = 0x34,
    SR_LMEMHIOFF = 0x37,
    SR_EQMASK = 0x38,
    SR_LTMASK,
    SR_LEMASK,
    SR_GTMASK,
    SR_GEMASK,
    SR_VIRTUALSMID = 0x43,
    SR_CLOCKLO = 0x50,
    SR_CLOCKHI,
    SR_TIMERLO,
    SR_TIMERHI,
    SR_PM0 = 0x64,
    SR_PM_HI7 = 0x73,
    SR_ZERO = 0xff,
};

static uint32_t lane_mask(unsigned sr, unsigned k)
{
    uint32_t eq = 1u << k, lt = eq - 1;

    switch (sr) {
    case SR_EQMASK:
        return eq;
    case SR_LTMASK:
        return lt;
    case SR_LEMASK:
        return lt | eq;
    case SR_GTMASK:
        return ~(lt | eq);
    default:
        return ~lt;
    }
}

/* The SM of a warp's block: blocks go to the SMs in turn, whether or not the model puts them there. */
static uint32_t sm_of(const emu_warp_t *w)
{
    const uint32_t sms = w->grid->launch->sms;

    return sms > 1 ? (uint32_t)(w->block->index % sms) : 0;
}

/* A special register in a lane. */
static uint32_t special(const emu_warp_t *w, unsigned sr, int k)
{
    switch (sr) {
    case SR_LANEID:
        return (uint32_t)k;
    case SR_TID_X:
    case SR_TID_X + 1:
    case SR_TID_X + 2:
        return w->tid[sr - SR_TID_X][k];
    case SR_CTAID_X:
    case SR_CTAID_X + 1:
    case SR_CTAID_X + 2:
        return w->block->id[sr - SR_CTAID_X];
    case SR_SWINLO:
        return (uint32_t)EMU_SHARED_BASE;
    case SR_LWINLO:
        return (uint32_t)EMU_LOCAL_BASE;
    case SR_CLOCKLO:
    case SR_TIMERLO:
        return (uint32_t)w->clock;
    case SR_CLOCKHI:
    case SR_TIMERHI:
        return (uint32_t)(w->clock >> 32);
    case SR_EQMASK:
    case SR_LTMASK:
    case SR_LEMASK:
    case SR_GTMASK:
    case SR_GEMASK:
        return lane_mask(sr, (unsigned)k);
    case SR_VIRTUALSMID:
        return sm_of(w);
    case SR_VIRTID: /* bits 8-14: %warpid; bits 20-28: the SM */
        return sm_of(w) << 20 | w->index << 8;
    case SR_SMEMSZ:
        return emu_shared_units(w->grid->launch);
    default: /* SR_LMEMHIOFF: where the stack, which grows down, ends; SR_PM: nothing is counted */
        return 0;
    }
}

static bool special_known(unsigned sr)
{
    return sr == SR_LANEID || sr == SR_VIRTID || (sr >= SR_TID_X && sr < SR_TID_X + 3) ||
           (sr >= SR_CTAID_X && sr < SR_CTAID_X + 3) || sr == SR_SWINLO || sr == SR_SMEMSZ ||
           sr == SR_LWINLO || sr == SR_LMEMHIOFF || (sr >= SR_EQMASK && sr <= SR_GEMASK) ||
           sr == SR_VIRTUALSMID || (sr >= SR_CLOCKLO && sr <= SR_TIMERHI) ||
           (sr >= SR_PM0 && sr <= SR_PM_HI7) || sr == SR_ZERO;
}

static bool special_of_lane(unsigned sr)
{
    return sr == SR_LANEID || (sr >= SR_TID_X && sr < SR_TID_X + 3) ||
           (sr >= SR_EQMASK && sr <= SR_GEMASK);
}

static void read_special(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t r[EMU_LANES];
    uint32_t lanes = u->is_signed ? EMU_ALL : mask; /* is_signed: S2UR */

    if (u->imm - SR_TID_X < 3) {
        emu_put(w, u->d, w->tid[u->imm - SR_TID_X], lanes);
        return;
    }
    for (int k = 0; k < EMU_LANES; k++)
        r[k] = special(w, u->imm, k);
    emu_put(w, u->d, r, lanes);
}

/* Reads a special register that is the same in all lanes. */
static void read_common(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t low = special(w, u->imm, 0), lanes = u->is_signed ? EMU_ALL : mask;

    EMU_PUT_EACH(w, u->d, lanes, low);
    if (!u->wide)
        return;
    const bool clock = u->imm == SR_CLOCKLO || u->imm == SR_TIMERLO;
    const uint32_t high = clock ? special(w, u->imm + 1, 0) : 0;
    EMU_PUT_EACH(w, u->d + EMU_LANES, lanes, high);
}

/* --- constants ------------------------------------------------------------------------------- */

/* width bytes of a bank, sign or zero extended to 32 bits; 0 after its end. */
static uint64_t constant(const emu_warp_t *w, const emu_uop_t *u, uint32_t offset)
{
    uint64_t size, v = 0;
    const uint8_t *bank = w->grid->bank0;

    size = w->grid->bank0_bytes;
    if (u->imm != 0)
        bank = emu_module_bank(w->grid->launch->module, w->grid->launch->kernel, u->imm, &size);
    if (offset > size || u->width > size - offset)
        return 0;
    memcpy(&v, bank + offset, u->width);
    if (u->is_signed && u->width < 4)
        v = (uint32_t)((int32_t)((uint32_t)v << (32 - 8 * u->width)) >> (32 - 8 * u->width));
    return v;
}

/* Records bank << 16 | offset for each lane, the addresses that the model gives to constants. */
static void record_constant(emu_warp_t *w, const emu_uop_t *u, const uint32_t *index, uint32_t mask)
{
    uint64_t a[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++)
        a[k] = (uint64_t)u->imm << 16 | (uint16_t)(index[k] + (uint32_t)u->offset);
    emu_record_addresses(w, u, a, mask);
}

static void load_constant(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *index = emu_ref(w, u->addr);
    uint32_t low[EMU_LANES], high[EMU_LANES], at = index[0];
    uint64_t v = constant(w, u, at + (uint32_t)u->offset);

    if (w->grid->tracing && u->inst->width != 0)
        record_constant(w, u, index, mask);
    for (int k = 0; k < EMU_LANES; k++) {
        if (index[k] != at) { /* usually all lanes load the same constant */
            at = index[k];
            v = constant(w, u, at + (uint32_t)u->offset);
        }
        low[k] = (uint32_t)v;
        high[k] = (uint32_t)(v >> 32);
    }
    emu_put(w, u->d, low, mask);
    if (u->width == 8)
        emu_put(w, u->d + EMU_LANES, high, mask);
}

static bool bind_constant(const sass_inst_t *in, emu_uop_t *u)
{
    unsigned size = sass_bits(in, 73, 3);

    u->imm = in->operand[1].bank;
    u->is_signed = size == 1 || size == 3;
    u->fn = load_constant;
    return size <= 5 && (in->op != SASS_LDC || sass_bits(in, 78, 2) == 0);
}

/* LEPC: the address of the instruction itself. */
static void read_pc(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *address = emu_src(w, u, 0);

    emu_put(w, u->d, address, mask);
    emu_put(w, u->d + EMU_LANES, address + EMU_LANES, mask);
}

/* --- barriers as values ---------------------------------------------------------------------- */

static void read_convergence(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_put(w, u->d, w->b[u->imm], mask);
    for (int k = 0; k < EMU_LANES && u->select; k++) /* .CLEAR */
        if (mask >> k & 1)
            w->b[u->imm][k] = 0;
}

static void write_convergence(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    const uint32_t *a = emu_src(w, u, 0);

    for (int k = 0; k < EMU_LANES; k++)
        if (mask >> k & 1)
            w->b[u->imm][k] = a[k];
}

/* B2R.RESULT: the result of the warp's last BAR.RED, as a number and as a predicate. */
static void read_barrier_result(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint32_t r[EMU_LANES];

    for (int k = 0; k < EMU_LANES; k++)
        r[k] = w->bar_result;
    emu_put(w, u->d, r, mask);
    emu_set_pred(w, u->pd[0], w->bar_result != 0 ? EMU_ALL : 0, mask);
}

bool emu_bind_special(const sass_inst_t *in, emu_uop_t *u)
{
    switch (in->op) {
    case SASS_S2R:
    case SASS_CS2R:
        u->imm = in->operand[1].num;
        u->wide = in->operand[0].count == 2;
        u->is_signed = in->operand[0].kind == SASS_OPERAND_UREG;
        u->fn = special_of_lane(u->imm) ? read_special : read_common;
        if (!in->uniform && u->imm >= SR_CLOCKLO && u->imm <= SR_TIMERHI)
            u->kind = UOP_CLOCK;
        return special_known(u->imm);
    case SASS_LEPC:
        u->fn = read_pc;
        return true;
    case SASS_LDC:
    case SASS_ULDC_UR:
    case SASS_ULDC:
        return bind_constant(in, u);
    case SASS_BMOV_R:
        u->imm = in->operand[1].num;
        /* clearing without saving is left to the BSSY that follows */
        u->select = sass_bits(in, 84, 1) && in->operand[0].num != SASS_RZ;
        u->fn = read_convergence;
        return true;
    case SASS_BMOV_B:
        u->imm = in->operand[0].num;
        u->fn = write_convergence;
        return !sass_bits(in, 84, 1);
    case SASS_B2R:
        u->fn = read_barrier_result;
        return sass_bits(in, 78, 2) == 1;
    default:
        return false;
    }
}
