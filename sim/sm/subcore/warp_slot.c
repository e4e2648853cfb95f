/* Warp slots of the sub-cores: which one a warp takes, its initial state, and its end. */
#include "sim/sm/subcore/subcore_parts.h"

#include "sim/core/log.h"

/* The first warp of a block goes to this sub-core and its other warps to the following ones, so
 * that warp w of a block that starts on an empty SM runs on sub-core w modulo sm.sub_cores. */
uint32_t warp_slot_best(const sm_t *sm, uint32_t b)
{
    const uint32_t first = sm->config->sm.rotate_blocks ? b : 0;
    uint32_t best = 0;
    int most = -1;
    for (uint32_t i = 0; i < sm->n_sub_cores; i++) {
        uint32_t s = (first + i) % sm->n_sub_cores;
        int free_slots = __builtin_popcount(sm->subcore.sub[s].free_slots);
        if (free_slots > most) {
            most = free_slots;
            best = s;
        }
    }
    return best;
}

uint32_t warp_slot_take(sm_t *sm, uint32_t s)
{
    for (uint32_t i = 0; i < sm->n_sub_cores; i++) {
        uint32_t k = (s + i) % sm->n_sub_cores;
        uint32_t free_slots = sm->subcore.sub[k].free_slots;
        if (free_slots != 0) {
            uint32_t bit = (uint32_t)__builtin_ctz(free_slots);
            sm->subcore.sub[k].free_slots &= free_slots - 1;
            return bit * sm->n_sub_cores + k;
        }
    }
    return NO_INDEX;
}

/* Makes the warp's next instruction its last. */
static void cut_warp(warp_t *warp)
{
    warp->runs_left = 0;
    warp->left = 0;
    warp->more = MORE_NOTHING;
}

void sm_cut_warps(sm_t *sm, bool cut)
{
    sm->subcore.cut_warps = cut;
    for (uint32_t w = 0; cut && w < sm->n_warps; w++)
        cut_warp(&sm->subcore.warp[w]);
}

/* Decided by the first instruction: all instructions of a launch have control words or none has. */
static bool uses_control_words(const sm_t *sm, const inst_t *first)
{
    const sm_spec_t *spec = &sm->config->sm;
    if (spec->dependences == DEPS_SCOREBOARD || spec->ideal)
        return false;
    bool known = first->flags & INST_CONTROL_WORD;
    if (!known && spec->dependences == DEPS_CONTROL)
        rb_warn_once("sm.dependences=control, but the trace has no control words: using a "
                     "scoreboard");
    return known;
}

static void control_start(sm_t *sm, uint32_t w)
{
    control_reset(sm, w);
    operands_forget(&sm->subcore.sub[sm->subcore.warp[w].sub_core], w);
    if (sm->subcore.check != NULL)
        control_check_reset(sm, w);
}

void warp_slot_fill(sm_t *sm, uint32_t w, const warp_stream_t *stream, cycle_t now)
{
    warp_t *warp = &sm->subcore.warp[w];
    warp_charge(sm, w, now);
    warp_begin_piece(warp, stream);
    if (sm->slot[w].watch != 0)
        warp_waits_start(sm, w, stream, now);
    if (sm->subcore.cut_warps)
        cut_warp(warp);
    sm->subcore.sub[warp->sub_core].age[warp->place] = sm->subcore.next_age++;
    warp->base = now + sm->config->sm.block_start_latency;
    warp->base_state = STATE_NO_INSTRUCTION;
    warp->pred_ready = 0;
    warp->issued = 0;
    warp->control = uses_control_words(sm, warp->inst);
    copies_reset(sm, w);
    if (warp->control)
        control_start(sm, w);
    else
        depend_reset(sm, w, now);
    warp_read_constant(sm, w);
}

void warp_slot_free(sm_t *sm, uint32_t w, cycle_t now)
{
    warp_t *warp = &sm->subcore.warp[w];
    warp_charge(sm, w, now);
    warp->state = STATE_NO_WARP;
    warp->park = PARK_NOT;
    sm->subcore.sub[warp->sub_core].free_slots |= UINT32_C(1) << warp->place;
}

const inst_t *warp_slot_next(const sm_t *sm, uint32_t w)
{
    return sm->subcore.warp[w].inst;
}
