/* Splits of a warp: groups of lanes at the same pc. After a change, the running split is chosen
 * again. */
#ifndef RUBATO_EMU_SPLIT_H
#define RUBATO_EMU_SPLIT_H

#include "frontend/emulator/exec/emu_state.h"

EMU_INLINE void emu_remove_split(emu_warp_t *w, unsigned i)
{
    memmove(&w->splits[i], &w->splits[i + 1], (w->n_splits - i - 1) * sizeof(w->splits[0]));
    w->n_splits--;
    w->current = -1;
}

EMU_INLINE void emu_append_split(emu_warp_t *w, emu_split_t s)
{
    RB_INVARIANT(w->n_splits < EMU_MAX_SPLITS, "a warp has more splits than lanes");
    w->splits[w->n_splits++] = s;
    w->current = -1;
}

/* Removes lanes from all splits; empty splits disappear. */
EMU_INLINE void emu_take_lanes(emu_warp_t *w, uint32_t lanes)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < w->n_splits; i++) {
        w->splits[i].mask &= ~lanes;
        if (w->splits[i].mask != 0)
            w->splits[kept++] = w->splits[i];
    }
    w->n_splits = kept;
    w->current = -1;
}

/* Joins waiting lanes into one split that runs at pc. */
EMU_INLINE void emu_merge_splits(emu_warp_t *w, uint32_t lanes, uint32_t pc)
{
    emu_take_lanes(w, lanes);
    emu_append_split(w, (emu_split_t){.pc = pc, .mask = lanes});
}

EMU_INLINE unsigned emu_first_lane(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

/* BAR: the lanes of mask arrive at a barrier of the block. */
void emu_bar(emu_warp_t *w, const emu_uop_t *u, uint32_t mask);

/* Opens the barriers of a block that became complete because threads ended. */
void emu_check_barriers(emu_block_t *b);

#endif
