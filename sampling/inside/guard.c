#include "sampling/inside/guard.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Waves below which no sampler leaves anything out; bins of the survey per wave. */
enum { LEAST_WAVES = 2, BINS_PER_WAVE = 4 };

/* Parts of what is left out that are compared. */
enum { PARTS = 20 };

/* Sectors per warp instruction below which differences do not matter: a tenth of it, at the full
 * issue rate of a V100, is 2 % of what its DRAM can move. */
#define LEAST_SECTORS 0.01

rb_code_t guard_open(guard_t *g, const sampler_launch_t *l, bool on, double alike, rb_err_t *err)
{
    *g = (guard_t){0};
    if (!on || l->slots == 0 || l->info->n_blocks < LEAST_WAVES * l->slots)
        return RB_OK;
    *g = (guard_t){.on = true, .alike = alike, .slots = l->slots};
    const uint64_t bin = l->slots / BINS_PER_WAVE;
    return sampler_survey(l, bin > 0 ? bin : 1, UINT64_MAX, &g->shadow, err);
}

/* Sectors of data that were looked up in the L2, and those that were absent. */
typedef struct {
    double lookups, misses;
} per_inst_t;

static per_inst_t per_inst(const shadow_counts_t *c)
{
    const double insts = c->warp_insts > 0 ? (double)c->warp_insts : 1;
    const uint64_t lookups = c->read_sectors + c->write_sectors + c->atomic_sectors;
    const uint64_t hits = c->read_hits + c->write_hits + c->atomic_hits;
    return (per_inst_t){(double)lookups / insts, (double)(lookups - hits) / insts};
}

/* Difference between blocks that were measured and blocks that are left out, as a share of the
 * sectors that the measured ones look up. */
static double difference(const shadow_counts_t *measured, const shadow_counts_t *left)
{
    const per_inst_t m = per_inst(measured), l = per_inst(left);
    return fmax(fabs(l.lookups - m.lookups), fabs(l.misses - m.misses)) /
           fmax(m.lookups, LEAST_SECTORS);
}

/* Blocks in each part that is compared. */
static uint64_t part_of(const guard_t *g, uint64_t blocks)
{
    const uint64_t even = (blocks + PARTS - 1) / PARTS;
    return even > g->slots ? even : g->slots;
}

bool guard_allows(guard_t *g, uint64_t measured, uint64_t next, uint64_t until)
{
    if (!g->on)
        return true;
    const shadow_counts_t before = shadow_between(g->shadow, measured, next);
    const uint64_t part = part_of(g, until - next);
    g->difference = 0;
    for (uint64_t at = next; at < until; at += part) {
        const uint64_t end = until - at < 2 * part ? until : at + part;
        const shadow_counts_t left = shadow_between(g->shadow, at, end);
        g->difference = fmax(g->difference, difference(&before, &left));
        if (end == until)
            break;
    }
    g->refused = !(g->difference <= g->alike);
    g->refused_once = g->refused_once || g->refused;
    return !g->refused;
}

bool guard_allows_after(guard_t *g, const interval_records_t *r, double waves, uint64_t until)
{
    const double blocks = waves * (double)g->slots;
    const uint64_t first = (double)r->next_block > blocks ? r->next_block - (uint64_t)blocks : 0;
    return guard_allows(g, first, r->next_block, until);
}

void guard_tell(const guard_t *g, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const size_t used = strlen(evidence);
    if (g->on)
        snprintf(evidence + used, SAMPLER_EVIDENCE_MAX - used, "%s%s %.2g %%", used > 0 ? "; " : "",
                 g->refused ? "not skipped: L2 accesses of later blocks differ by"
                            : "L2 accesses alike to",
                 100 * g->difference);
}
