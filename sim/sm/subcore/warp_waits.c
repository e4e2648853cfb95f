/*
 * Warps that wait for what others write (stream_wait_t). A warp repeats the iteration that the trace
 * has, with all that it costs, until its polls come back from the L2, or from shared memory, with what
 * it waits for.
 *
 * Such a warp sees its stream in parts that end where something is to be decided: each is given to it
 * as if it were its last run (warp_t.runs_left is 0).
 */
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/sm/subcore/subcore_parts.h"

/* A wait that lasts longer is given up: what it waits for may be written by a block that does not start
 * before this one has ended. */
static const cycle_t LONGEST_WAIT = UINT64_C(1) << 24;

void warp_waits_free(sm_t *sm)
{
    free(sm->subcore.waits);
    for (uint32_t b = 0; b < SM_MAX_BLOCKS; b++)
        word_counts_free(&sm->written[b]);
}

/* Takes a place to its next run, if its run is at its end; false: it is at the end of the piece. */
static bool in_run(stream_place_t *p)
{
    if (p->done < p->run->count)
        return true;
    if (p->runs_left == 0)
        return false;
    p->runs_left--;
    p->run++;
    p->done = 0;
    return true;
}

/* The same; begins the next piece at the end of one, behind which there is no way back. */
static bool in_stream(const sm_t *sm, const warp_t *warp, warp_waits_t *t)
{
    if (in_run(&t->at))
        return true;
    const warp_stream_t *piece = t->pieces ? block_next_piece(sm, warp->slot) : NULL;
    if (piece == NULL)
        return false;
    t->at.run = piece->runs;
    t->at.addr = piece->addrs;
    t->at.runs_left = piece->n_runs - 1;
    t->at.done = 0;
    t->now = NULL;
    return true;
}

/* Skips the next n instructions, as far as the piece has them. */
static void skip(stream_place_t *p, uint32_t n)
{
    for (; n > 0 && in_run(p); n--) {
        const inst_t *inst = p->run->first + p->done;
        if (inst->traits & INST_ADDRESSED && p->run->mask != 0)
            p->addr += addr_words(p->addr);
        p->done++;
        p->inst++;
    }
}

/* The warp has executed the test of its wait, or its tail. */
static void decide(sm_t *sm, warp_t *warp, warp_waits_t *t)
{
    warp_slot_t *slot = &sm->slot[warp->slot];
    const stream_wait_t *w = t->now;
    slot->wait = 0;
    if (!t->tail && slot->poll_failed && warp->since - t->since > LONGEST_WAIT) {
        sm->stats.waits_given_up++;
        slot->poll_failed = false;
    }
    if (!t->tail && !slot->poll_failed) {
        skip(&t->at, w->tail);
        t->now = NULL;
        return;
    }
    if (!t->tail && w->tail > 0) {
        t->tail = true;
        return;
    }
    sm->stats.wait_repeats++;
    t->at = t->begin;
    t->tail = false;
    slot->poll_failed = false;
    slot->wait = (uint32_t)(w - sm->block[slot->block].block->waits) + 1;
}

/* Enters the next wait if the warp has reached it. */
static void enter(sm_t *sm, warp_t *warp, warp_waits_t *t)
{
    warp_slot_t *slot = &sm->slot[warp->slot];
    while (t->next < t->end && t->next->begin < t->at.inst)
        t->next++;
    if (t->now != NULL || t->next == t->end || t->next->begin != t->at.inst || t->next->test == 0)
        return;
    t->now = t->next++;
    t->begin = t->at;
    t->since = warp->since;
    t->tail = false;
    slot->poll_failed = false;
    slot->wait = (uint32_t)(t->now - sm->block[slot->block].block->waits) + 1;
}

/* Where the part that begins at t->at ends. */
static uint64_t end_of_part(const warp_waits_t *t)
{
    if (t->now != NULL)
        return t->now->begin + t->now->test + (t->tail ? t->now->tail : 0u);
    return t->next < t->end ? t->next->begin : UINT64_MAX;
}

bool warp_waits_go_on(sm_t *sm, warp_t *warp)
{
    warp_waits_t *t = &sm->subcore.waits[warp->slot];
    t->at.addr = warp->addr;
    if (t->now != NULL && t->at.inst == end_of_part(t))
        decide(sm, warp, t);
    warp->inst = NULL;
    if (!in_stream(sm, warp, t))
        return false;
    if (t->now == NULL)
        sm->slot[warp->slot].wait = 0;
    enter(sm, warp, t);
    const uint64_t room = end_of_part(t) - t->at.inst;
    uint32_t n = t->at.run->count - t->at.done;
    n = n < room ? n : (uint32_t)room;
    warp->run = t->at.run;
    warp->runs_left = 0;
    warp->addr = t->at.addr;
    warp->inst = t->at.run->first + t->at.done;
    warp->mask = t->at.run->mask;
    warp->lanes = (uint8_t)__builtin_popcount(warp->mask);
    warp->left = n - 1;
    warp->other_until = warp->dep_until;
    t->at.done += n;
    t->at.inst += n;
    return true;
}

void warp_waits_start(sm_t *sm, uint32_t w, const warp_stream_t *stream, cycle_t now)
{
    warp_t *warp = &sm->subcore.warp[w];
    const trace_block_t *block = sm->block[sm->slot[w].block].block;
    if (block->n_waits == 0)
        return;
    const stream_wait_t *first = block->waits, *end = block->waits + block->n_waits;
    while (first < end && first->warp < sm->slot[w].index)
        first++;
    if (first == end || first->warp != sm->slot[w].index)
        return;
    while (end[-1].warp != first->warp)
        end--;
    if (sm->subcore.waits == NULL)
        sm->subcore.waits = rb_calloc(SM_MAX_WARPS, sizeof(*sm->subcore.waits));
    sm->subcore.waits[w] =
        (warp_waits_t){.at = {.run = warp->run, .addr = warp->addr, .runs_left = warp->runs_left},
                       .next = first,
                       .end = end,
                       .pieces = stream->pieces != NULL};
    warp->more = MORE_WAITS;
    warp->since = now;
    (void)warp_waits_go_on(sm, warp);
}
