/*
 * Texture fetches and accesses to surfaces whose addresses the trace has.
 *
 * The texture unit takes a quad of lanes a cycle (sm.tex_interval for a warp), and a lane reads 8 bytes
 * of the L1. Where lanes of a quad read different words of one bank, the quad takes more cycles
 * (sebbbi/perftest: texels of 8 bytes that lie 32 bytes apart in a row of a tile, which is 256 bytes
 * apart in memory, take twice as long on a TITAN V and an RTX 2080 Ti, texels 16 bytes apart do not;
 * that a bank is as wide as what a lane reads is a guess). Misses go the way of loads, but each
 * sector is a request of its own: the L2 fetches two sectors at a time, and that of a V100 counts one miss
 * and one hit for them (both DCT kernels of dct8x8). lat.tex is the latency of one quad that hits; a fetch
 * that misses takes as much longer than a load as one that hits. Not modelled: texels of 16 bytes, which
 * take two cycles (traces do not have the size of a texel), and what textures and loads take from each
 * other in the data stage.
 */
#include "sim/sm/memory/memory_parts.h"

enum { QUAD = 4, BANKS = 16, BANK_BYTES = 8 };

/* The most distinct words in a bank. */
static uint32_t quad_cycles(const uint64_t *word, unsigned n)
{
    uint32_t most = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t same = 0;
        for (unsigned j = 0; j < n; j++) {
            bool repeated = false;
            for (unsigned k = 0; k < j; k++)
                repeated |= word[k] == word[j];
            same += !repeated && word[j] % BANKS == word[i] % BANKS;
        }
        most = same > most ? same : most;
    }
    return most;
}

/* Cycles of all quads with an active lane; *quads: their number. */
static uint32_t warp_cycles(const mem_entry_t *e, uint32_t *quads)
{
    uint64_t addr[WARP_LANES];
    uint32_t cycles = 0, at = 0;
    addr_unpack(e->addr, addr);
    *quads = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane += QUAD) {
        const unsigned n = (unsigned)__builtin_popcount(e->mask >> lane & ((1u << QUAD) - 1));
        for (unsigned i = at; i < at + n; i++)
            addr[i] /= BANK_BYTES;
        cycles += quad_cycles(addr + at, n);
        at += n;
        *quads += n > 0;
    }
    return cycles;
}

/* Makes an access of each sector, because quads ask one after the other. In place, from the end. */
static void split_lines(coalesced_t *c)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->n; i++)
        at += (uint32_t)__builtin_popcount(c->line[i].sectors);
    uint32_t i = c->n;
    c->n = at;
    while (i-- > 0) {
        const line_access_t line = c->line[i];
        for (uint32_t s = SECTORS_PER_LINE; s-- > 0;) {
            if ((line.sectors >> s & 1) == 0)
                continue;
            c->line[--at] = line;
            c->line[at].sectors = (uint8_t)(1u << s);
        }
    }
}

cycle_t texture_begin(sm_t *sm, coalesce_mode_t mode, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    const mem_entry_t *e = &u->cur;
    lane_addrs_t lanes;
    uint32_t quads;
    coalesce_decode(e->addr, e->inst->width, &lanes);
    coalesce_lines(&lanes, e->inst->width, mode, &u->lines);
    if (mode == COALESCE_LOAD)
        split_lines(&u->lines);
    const cycle_t lookups = divider_quotient_up(&u->tags, u->lines.n);
    const uint32_t cycles = warp_cycles(e, &quads);
    texture_occupy(sm, sm->config->sm.tex_interval + cycles - quads, now);
    u->extra = (uint32_t)cycle_max(lookups, cycles) - 1;
    return lookups;
}
