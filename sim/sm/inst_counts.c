#include "sim/sm/inst_counts.h"

#include <string.h>

const stat_def_t inst_count_defs[] = {STATS_ROWS(INST_COUNTS)};

void inst_counts_of_memory(const sm_stats_t *s, inst_counts_t *out)
{
    out->requests = s->global_load_requests + s->global_store_requests + s->local_load_requests +
                    s->local_store_requests + s->texture_requests + s->surface_store_requests +
                    s->atomic_requests + s->reduction_requests + s->shared_load_requests +
                    s->shared_store_requests + s->shared_atomic_requests;
    out->sectors = s->global_load_sectors + s->global_store_sectors + s->local_load_sectors +
                   s->local_store_sectors + s->texture_sectors + s->surface_store_sectors;
    out->l1_hits =
        s->global_load_hits + s->global_store_hits + s->local_load_hits + s->texture_hits;
    out->l1_pending = s->global_load_pending + s->texture_pending;
    out->l1_tags = s->l1_tags;
    out->atomic_lanes = s->atomic_lanes;
    out->shared_wavefronts = s->shared_wavefronts;
    out->shared_conflicts = s->shared_conflicts;
}

void inst_counts_of_sm(const sm_stats_t *s, inst_counts_t *out)
{
    memset(out, 0, sizeof(*out));
    memcpy(out->state, s, sizeof(out->state));
    out->issued = s->warp_insts;
    out->lanes = s->thread_insts;
    out->pred_off = s->pred_off_insts;
    out->awaited_long = s->state_long_scoreboard;
    out->awaited_short = s->state_short_scoreboard;
    inst_counts_of_memory(s, out);
}
