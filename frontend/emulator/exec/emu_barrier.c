/* Barriers of a block: BAR with all threads or some of them, BAR.ARV, and BAR.RED with votes. */
#include "frontend/emulator/exec/emu_split.h"

enum { BAR_SYNC, BAR_ARV, BAR_RED };
enum { BAR_POPC, BAR_AND, BAR_OR };

static void set_result(emu_warp_t *w, const emu_barrier_t *b)
{
    switch (w->bar_result) {
    case BAR_AND:
        w->bar_result = b->true_votes == b->votes;
        break;
    case BAR_OR:
        w->bar_result = b->true_votes != 0;
        break;
    default:
        w->bar_result = b->true_votes;
    }
}

/* Lets the splits that wait at a barrier run again; splits at the same pc are joined. */
static void release_barrier(emu_warp_t *w, unsigned barrier)
{
    bool waited = false;
    emu_split_t *only = &w->splits[0];

    if (w->n_splits == 1 && only->state == SPLIT_BAR && only->arg == barrier) { /* the usual case */
        *only = (emu_split_t){.pc = only->pc + 1, .mask = only->mask};
        w->current = -1;
        if (w->block->barriers[barrier].reduces)
            set_result(w, &w->block->barriers[barrier]);
        return;
    }
    for (unsigned i = 0; i < w->n_splits; i++) {
        emu_split_t s = w->splits[i];
        if (s.state != SPLIT_BAR || s.arg != barrier)
            continue;
        uint32_t lanes = 0;
        for (unsigned k = 0; k < w->n_splits; k++)
            if (w->splits[k].state == SPLIT_BAR && w->splits[k].arg == barrier &&
                w->splits[k].pc == s.pc)
                lanes |= w->splits[k].mask;
        emu_merge_splits(w, lanes, s.pc + 1);
        waited = true;
        i = UINT32_MAX; /* restart: the splits have moved */
    }
    if (waited && w->block->barriers[barrier].reduces)
        set_result(w, &w->block->barriers[barrier]);
}

static void check_barrier(emu_block_t *b, unsigned n)
{
    emu_barrier_t *bar_n = &b->barriers[n];
    uint32_t expected = bar_n->expected != 0 ? bar_n->expected : b->n_alive;

    if (bar_n->waiting == 0 || bar_n->waiting + bar_n->arrived < expected)
        return;
    for (uint32_t i = 0; i < b->n_warps; i++)
        release_barrier(&b->warps[i], n);
    b->n_waiting -= bar_n->waiting;
    b->n_together = b->n_warps;
    *bar_n = (emu_barrier_t){0};
}

void emu_check_barriers(emu_block_t *b)
{
    for (unsigned n = 0; n < EMU_BLOCK_BARRIERS && b->n_waiting > 0; n++)
        check_barrier(b, n);
}

/* Reads number and thread count of a BAR from its immediates or registers. */
static void barrier_numbers(const emu_warp_t *w, const emu_uop_t *u, uint32_t mask,
                            uint32_t *number, uint32_t *threads)
{
    uint32_t first = emu_src(w, u, 0)[emu_first_lane(mask)];
    uint32_t second = emu_src(w, u, 1)[emu_first_lane(mask)];

    *number = first & (EMU_BLOCK_BARRIERS - 1);
    *threads = second;
    if (u->sass->form == 1) /* both in one register */
        *threads = first >> 16 & 0xfff;
}

void emu_bar(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_split_t s = w->splits[w->current];
    uint32_t mode = sass_bits(u->sass, 77, 2), rest = s.mask & ~mask, number, threads;

    if (mask == 0) {
        w->splits[w->current].pc++;
        return;
    }
    barrier_numbers(w, u, mask, &number, &threads);
    emu_barrier_t *b = &w->block->barriers[number];
    b->expected = threads;
    if (mode == BAR_ARV) {
        b->arrived += (uint32_t)__builtin_popcount(mask);
        w->splits[w->current].pc++;
    } else {
        if (mode == BAR_RED) {
            b->reduces = true;
            b->votes += (uint32_t)__builtin_popcount(mask);
            b->true_votes += (uint32_t)__builtin_popcount(mask & emu_pred(w, u, 0));
            w->bar_result = sass_bits(u->sass, 74, 2); /* operation of the vote, until the barrier
                                                        * opens */
        }
        emu_remove_split(w, (unsigned)w->current);
        emu_append_split(
            w, (emu_split_t){.pc = s.pc, .mask = mask, .state = SPLIT_BAR, .arg = number});
        b->waiting += (uint32_t)__builtin_popcount(mask);
        w->block->n_waiting += (uint32_t)__builtin_popcount(mask);
        if (rest != 0)
            emu_append_split(w, (emu_split_t){.pc = s.pc + 1, .mask = rest});
    }
    check_barrier(w->block, number);
}
