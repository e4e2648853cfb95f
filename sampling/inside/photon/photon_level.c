#include "sampling/inside/photon/photon_level.h"

#include "sampling/inside/photon/analysis_file.h"

#include "sim/core/engine/msg.h"

const param_choice_t photon_variant_choices[] = {
    {"steady", NULL}, {"paper", NULL}, {"code", NULL}, {NULL, NULL}};
const param_choice_t photon_hold_choices[] = {{"block", NULL}, {"warp", NULL}, {NULL, NULL}};
const param_choice_t photon_residents_choices[] = {
    {"drain", NULL}, {"predict", NULL}, {"cut", NULL}, {NULL, NULL}};

rb_code_t photon_look(const sampler_launch_t *l, const photon_look_t *look, bool *begun,
                      read_ahead_t *out, rb_err_t *err)
{
    const double blocks = (double)l->info->n_blocks, most = (double)look->most;
    const bool all = look->index && l->source->ops->warp_profile != NULL;
    const double share = all                                       ? 1
                         : most > 0 && look->share * blocks > most ? most / blocks
                                                                   : look->share;
    bool found = false;
    *out = (read_ahead_t){0};
    if (look->load[0] != '\0')
        RB_TRY(analysis_load(look->load, l->info, out, &found, err));
    if (!found)
        RB_TRY(read_ahead(l, share, look->least, out, err));
    if (look->save[0] != '\0')
        RB_TRY(analysis_save(look->save, !*begun, l->info, out, err));
    *begun = true;
    return RB_OK;
}

/* Minimum share of one type of warp in the instructions of a regular launch. */
#define DOMINANT 0.95

photon_trust_t photon_trust(const sampler_launch_t *l, uint64_t first, bool fill, double light,
                            double insts)
{
    const uint64_t blocks = l->info->n_blocks;
    return (photon_trust_t){.blocks = blocks,
                            .slots = l->slots < blocks ? l->slots : blocks,
                            .l2_sectors = (double)l->spec->mem.l2.size / SECTOR_BYTES,
                            .insts = insts,
                            .light = light * fill_dram_sectors(l->spec),
                            .on = !fill,
                            .ripe = true,
                            .first = first};
}

/* Waves from which fill_skip.h takes its rate. */
enum { FILL_MEASURED_WAVES = 2 };

/* Whether the launch moves few sectors; known after twice the time of its first wave. */
static bool is_light(photon_trust_t *t, const interval_records_t *r)
{
    if (t->from == 0) {
        t->from = r->cycle;
        t->moved = r->l2_moved;
    }
    const double cycles = (double)(r->cycle - t->from);
    return r->cycle >= 2 * t->from && (double)(r->l2_moved - t->moved) <= t->light * cycles;
}

void photon_trust_check(photon_trust_t *t, const interval_records_t *r)
{
    const uint64_t wave = t->first < t->slots ? t->first : t->slots;
    if (r->blocks_done < wave || r->warp_insts == 0)
        return;
    t->calm = is_light(t, r);
    t->filling = false;
    t->ripe = t->ripe || r->oldest >= t->young;
    if (t->on)
        return;
    const double whole = t->insts > 0 ? t->insts / (double)r->warp_insts
                                      : (double)t->blocks / (double)r->blocks_done;
    const bool filled = (double)r->l2_taken >= t->l2_sectors;
    t->filling = !filled && (double)r->l2_taken * whole >= t->l2_sectors && !t->calm;
    if (t->filling)
        return;
    t->on = true;
    if (!filled)
        return;
    t->since = r->cycle;
    t->young = r->next_block;
    t->ripe = false;
}

bool photon_may_skip(const read_ahead_t *ahead, bool published, bool fill, bool skip)
{
    return !published && fill && skip && !ahead->missing &&
           read_ahead_dominant_work(ahead) >= DOMINANT;
}

bool photon_level_fill(photon_level_t *level, const interval_records_t *r, fast_forward_t *out)
{
    return level->trust.filling && fill_skip_begin(&level->fill, r, level->trust.insts, out) &&
           guard_allows_after(&level->guard, r, FILL_MEASURED_WAVES, out->until);
}

double photon_level_forwarded(const sampler_t *sampler, uint64_t skipped, const left_moves_t *moves)
{
    photon_level_t *level = sampler->state;
    fill_skip_end(&level->fill, skipped, moves);
    return 0;
}

double photon_level_added(const sampler_t *sampler, cycle_t cycles, uint64_t warp_insts)
{
    const photon_level_t *level = sampler->state;
    (void)cycles;
    (void)warp_insts;
    return fill_skip_added(&level->fill);
}

double photon_block_alone(const sampler_launch_t *l, const read_ahead_t *ahead)
{
    const interval_latencies_t latencies = interval_unloaded(l->spec);
    const double sub_cores = l->spec->sm.sm.sub_cores;
    if (ahead->warps == 0)
        return 0;
    const double blocks = (double)ahead->blocks, warps = (double)ahead->warps;
    const double insts = ahead->insts_per_block * blocks / warps; /* mean of a warp */
    double warp = l->spec->sm.sm.block_start_latency;
    for (size_t i = 0; i < ahead->table.n; i++) {
        const bb_entry_t *b = &ahead->table.bbs[i];
        warp += insts * ahead->share[i] / b->n_insts *
                interval_time(&latencies, b->code, b->known, b->n_insts, true);
    }
    const double issue = ahead->insts_per_block / sub_cores;
    return warp > issue ? warp : issue;
}

forward_tail_t photon_tail(uint64_t slots, double cycles, double alone)
{
    return (forward_tail_t){.full = slots,
                            .floor = alone <= 0 || cycles <= 0 ? 0
                                     : alone < cycles          ? alone / cycles
                                                               : 1};
}
