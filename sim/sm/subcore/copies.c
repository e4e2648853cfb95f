/*
 * Groups of asynchronous copies (PTX ISA, cp.async). LDGSTS adds a copy to the open group of its warp.
 * LDGDEPBAR closes the group and increments the dependence counter of its control word, which is
 * released when the copies of the group and of all earlier ones are in shared memory; so DEPBAR.LE
 * waits until at most n groups are in flight. Without control words, the first counter is used.
 */
#include "sim/sm/subcore/subcore_parts.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/log.h"
#include "sim/sm/subcore/subcore.h"

enum { GROUP_COUNTER = 0 /* of warps without control words */ };

void copies_free(sm_t *sm)
{
    free(sm->subcore.copies);
}

void copies_reset(sm_t *sm, uint32_t w)
{
    sm->slot[w].copy_group = 0;
    if (sm->subcore.copies == NULL)
        return;
    memset(&sm->subcore.copies[w], 0, sizeof(*sm->subcore.copies));
    control_reset(sm, w);
}

static copies_t *copies_of(sm_t *sm, uint32_t w)
{
    if (sm->subcore.copies == NULL) {
        sm->subcore.copies = rb_calloc(sm->n_warps, sizeof(*sm->subcore.copies));
        if (sm->subcore.counter == NULL)
            control_reset(sm, w);
    }
    return &sm->subcore.copies[w];
}

static uint8_t next_group(uint8_t group)
{
    return (uint8_t)((group + 1) % COPY_GROUPS);
}

void copies_issue(sm_t *sm, uint32_t w)
{
    copies_t *c = copies_of(sm, w);
    c->group[c->open].unknown++;
}

/* Releases the counter for a group that is done, as all earlier ones are. */
static void release_group(sm_t *sm, uint32_t w, const inst_t *commit, cycle_t at, cycle_t now)
{
    if (!sm->subcore.warp[w].control) {
        control_result(sm, w, GROUP_COUNTER, at, DEP_LONG, now);
        return;
    }
    control_result(sm, w, ctl_write_barrier(commit->ctl), at, DEP_LONG, now);
    control_sources_read(sm, w, commit, at, DEP_LONG, now);
}

void copies_done(sm_t *sm, uint32_t w, unsigned group, cycle_t at, cycle_t now)
{
    copies_t *c = &sm->subcore.copies[w];
    copy_group_t *g = &c->group[group];
    RB_INVARIANT(g->unknown > 0, "SM %u: an asynchronous copy is done twice", sm->wiring.index);
    g->unknown--;
    g->until = cycle_max(g->until, at);
    while (c->oldest != c->open && c->group[c->oldest].unknown == 0) {
        g = &c->group[c->oldest];
        c->until = cycle_max(c->until, g->until);
        release_group(sm, w, g->commit, cycle_max(c->until, now), now);
        *g = (copy_group_t){0};
        c->oldest = next_group(c->oldest);
    }
}

/* Closes the open group. Returns when it is done; CYCLE_NEVER: not known yet. */
static cycle_t close_group(sm_t *sm, uint32_t w, const inst_t *commit)
{
    copies_t *c = copies_of(sm, w);
    copy_group_t *g = &c->group[c->open];
    const bool done = c->oldest == c->open && g->unknown == 0;
    g->commit = commit;
    c->open = next_group(c->open);
    sm->slot[w].copy_group = c->open;
    if (!done)
        return CYCLE_NEVER;
    c->until = cycle_max(c->until, g->until);
    *g = (copy_group_t){0};
    c->oldest = c->open;
    return c->until;
}

cycle_t copies_commit(sm_t *sm, const warp_t *warp, cycle_t now)
{
    const cycle_t done = close_group(sm, warp->slot, warp->inst);
    const cycle_t at =
        done == CYCLE_NEVER ? done : cycle_max(done, now + sm->cls[OP_DEPBAR].latency);
    if (!warp->control)
        control_count_one(sm, warp->slot, GROUP_COUNTER, at, DEP_LONG, now);
    return at;
}

cycle_t copies_ready(const sm_t *sm, const warp_t *warp, cycle_t now)
{
    const inst_t *inst = warp->inst;
    if (sm->subcore.copies == NULL)
        return now;
    const copies_t *c = &sm->subcore.copies[warp->slot];
    if (inst->flags & INST_COPY_COMMIT)
        return next_group(c->open) == c->oldest ? CYCLE_NEVER : now;
    if (warp->control)
        return now;
    const unsigned limit = inst->flags & INST_IMM ? depbar_limit(inst->imm) : 0;
    return control_falls(sm, warp->slot, GROUP_COUNTER, limit, now);
}
