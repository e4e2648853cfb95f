/*
 * The decisions of samplers inside launches for a block. The block scheduler and the decoding
 * threads ask between two intervals, while nothing changes.
 */
#include "sim/gpu/sampled/inside.h"

static bool forwarding(const inside_t *n, uint64_t block)
{
    return n->active != NULL && block < n->forward.until;
}

bool inside_wants(const inside_t *n, uint64_t block)
{
    cycle_t ignored;
    return !forwarding(n, block) && inside_action(n, block, &ignored) == BLOCK_SIMULATE;
}

block_action_t inside_action(const inside_t *n, uint64_t block, cycle_t *cycles)
{
    if (forwarding(n, block)) {
        if (n->forward.model == FORWARD_REGION_IPC)
            return BLOCK_SKIP;
        n->active->ops->block_dispatch(n->active, block, cycles);
        return BLOCK_HOLD_SLOT;
    }
    for (size_t i = 0; n->asks && i < n->n; i++) {
        const sampler_t *s = &n->samplers[i];
        block_action_t action = s->ops->block_dispatch == NULL
                                    ? BLOCK_SIMULATE
                                    : s->ops->block_dispatch(s, block, cycles);
        if (action != BLOCK_SIMULATE)
            return action;
    }
    return BLOCK_SIMULATE;
}

bool inside_decided(const inside_t *n)
{
    return n->active != NULL && n->forward.until >= n->info.n_blocks;
}

bool inside_done(const inside_t *n)
{
    if (n->active != NULL)
        return inside_decided(n);
    for (size_t i = 0; i < n->n; i++) {
        const sampler_t *s = &n->samplers[i];
        if (s->ops->done == NULL || !s->ops->done(s))
            return false;
    }
    return true;
}

const forward_tail_t *inside_tail(const inside_t *n)
{
    const bool scaled =
        inside_decided(n) && n->forward.model == FORWARD_HOLD_SLOT && n->forward.tail.full > 0;
    return scaled ? &n->forward.tail : NULL;
}
