/* Detects blocks and warps that spin: they only poll whether another one has written something. */
#include "frontend/emulator/exec/emu_state.h"

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

static uint64_t mix_words(uint64_t h, const uint32_t *v, size_t n)
{
    for (size_t i = 0; i + 1 < n; i += 2)
        h = mix(h, v[i] | (uint64_t)v[i + 1] << 32);
    return n % 2 != 0 ? mix(h, v[n - 1]) : h;
}

static bool runs(const emu_warp_t *w)
{
    for (unsigned i = 0; i < w->n_splits; i++)
        if (w->splits[i].state == SPLIT_RUN)
            return true;
    return false;
}

/* Hashes the positions of a warp's threads. */
static uint64_t positions(uint64_t h, const emu_warp_t *w)
{
    for (unsigned k = 0; k < w->n_splits; k++)
        h = mix(mix(h, w->splits[k].state), w->splits[k].pc | (uint64_t)w->splits[k].mask << 32);
    return h;
}

static uint64_t registers(uint64_t h, const emu_warp_t *w)
{
    h = mix_words(h, w->p, EMU_PREDS);
    return mix_words(h, w->r, (size_t)w->grid->n_vectors * EMU_LANES);
}

uint64_t emu_warp_state(const emu_warp_t *w)
{
    return registers(positions(0, w), w);
}

/* Hashes the positions of all threads, and the registers of those that do not wait at a barrier. */
static uint64_t state_of(const emu_block_t *b)
{
    uint64_t h = 0;

    for (uint32_t i = 0; i < b->n_warps; i++) {
        const emu_warp_t *w = &b->warps[i];
        if (w->n_splits == 0)
            continue;
        h = positions(mix(h, i), w);
        if (runs(w))
            h = registers(h, w);
    }
    return h;
}

bool emu_blocks_wait(const emu_grid_t *g)
{
    enum { MANY = 8 };

    return g->launch->workspace != 0 || g->n_spinning >= MANY;
}

uint64_t emu_spin_interval(const emu_block_t *b)
{
    enum { OFTEN = 1 << 12, SELDOM = 1 << 18 };

    return emu_blocks_wait(b->grid) ? OFTEN : SELDOM;
}

bool emu_spins(emu_block_t *b)
{
    emu_spin_t *s = &b->spin;

    if (b->insts < s->look_at)
        return false;
    const uint64_t state = state_of(b);
    const bool same = s->looked && state == s->state, counted = s->counted;
    *s = (emu_spin_t){.state = state,
                      .looked = same || !s->looked,
                      .look_at = s->looked && !same ? b->insts + emu_spin_interval(b) : 0,
                      .counted = same || s->counted};
    b->grid->n_spinning += same && !counted;
    return same;
}
