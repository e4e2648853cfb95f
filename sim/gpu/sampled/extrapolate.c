#include "sim/gpu/sampled/extrapolate.h"

#include <math.h>
#include <string.h>

#include "sim/stats/stats.h"

void extrapolation_begin(extrapolation_t *x, const gpu_counters_t *now)
{
    memset(x, 0, sizeof(*x));
    x->begin = x->mark = *now;
}

static gpu_counters_t between(const gpu_counters_t *from, const gpu_counters_t *to)
{
    gpu_counters_t out;
    stats_sub((uint64_t *)&out, (const uint64_t *)to, (const uint64_t *)from, GPU_COUNTERS);
    return out;
}

void extrapolation_stop(extrapolation_t *x, const gpu_counters_t *now, bool cut)
{
    x->stretch = between(&x->mark, now);
    x->cut = cut;
}

/* Adds counters for `insts` instructions, in proportion to those of c, which has some. */
static void add_like(extrapolation_t *x, const gpu_counters_t *c, double insts)
{
    const uint64_t *from = (const uint64_t *)c;
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        x->extra[i] += (double)from[i] * (insts / (double)c->sm.warp_insts);
    x->insts += insts;
}

/* Scales the work of the DRAM by a factor. Row hits, misses and conflicts scale alike; bus
 * turnarounds are left unchanged. */
static void dram_scale(dram_stats_t *d, double factor)
{
    uint64_t *const scaled[] = {&d->row_hits,  &d->row_misses, &d->row_conflicts,
                                &d->activates, &d->precharges, &d->busy};
    for (size_t i = 0; i < sizeof(scaled) / sizeof(*scaled); i++)
        *scaled[i] = (uint64_t)llround((double)*scaled[i] * factor);
}

static double dram_moved(const dram_stats_t *d)
{
    return (double)(d->read_sectors + d->write_sectors);
}

void extrapolation_resume(extrapolation_t *x, const gpu_counters_t *now, double insts,
                          const part_moved_t *moved)
{
    gpu_counters_t like = x->stretch;
    if (moved != NULL && like.sm.warp_insts > 0 && insts > 0) {
        const double share = (double)like.sm.warp_insts / insts, before = dram_moved(&like.dram);
        like.l2.fills = like.dram.read_sectors = (uint64_t)llround(moved->read * share);
        like.l2.writebacks = like.dram.write_sectors = (uint64_t)llround(moved->written * share);
        if (before > 0)
            dram_scale(&like.dram, dram_moved(&like.dram) / before);
    }
    if (like.sm.warp_insts > 0)
        add_like(x, &like, insts);
    x->mark = *now;
    x->cut = false;
}

/* At its end a launch leaves in the L2 at most as many dirty sectors as may be modified, and as
 * there is room for: of the sectors it brought in, the share that it wrote. The rest was written
 * back. */
static double least_written_back(const l2_stats_t *l2, const l2_room_t *room)
{
    const double written = (double)(l2->write_sectors - l2->write_hits);
    const double taken = written + (double)l2->fills;
    const double fits = taken > room->sectors ? written * (room->sectors / taken) : written;
    return written - fmin(fits, room->modified);
}

/* A launch cannot write back more than it modified plus what it found in the L2 (which host copies
 * may have filled, and which is written back only once). */
static double most_written_back(const l2_stats_t *l2, const l2_room_t *room)
{
    return (double)(l2->write_sectors + l2->atomic_sectors + l2->red_sectors) + room->sectors;
}

static void write_back(gpu_counters_t *c, const l2_room_t *room)
{
    l2_stats_t *l2 = &c->l2;
    dram_stats_t *d = &c->dram;
    const double estimate = (double)l2->writebacks, moved = dram_moved(d);
    const double back =
        fmin(fmax(estimate, least_written_back(l2, room)), most_written_back(l2, room));
    if (moved <= 0 || moved + back - estimate <= 0)
        return;
    dram_scale(d, (moved + back - estimate) / moved);
    d->write_sectors = (uint64_t)llround(fmax((double)d->write_sectors + back - estimate, 0));
    l2->writebacks = (uint64_t)llround(back);
    if (l2->early_writebacks > l2->writebacks)
        l2->early_writebacks = l2->writebacks;
}

void extrapolation_finish(extrapolation_t *x, gpu_counters_t *c, double insts,
                          const l2_room_t *room)
{
    uint64_t *to = (uint64_t *)c;
    if (c->sm.warp_insts == 0)
        return;
    const double left = fmax(insts - (double)c->sm.warp_insts, 0);
    const double part = x->insts > left ? left / x->insts : 1;
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        x->extra[i] *= part;
    x->insts *= part;
    const gpu_counters_t before = between(&x->begin, &x->mark), last = between(&before, c);
    const gpu_counters_t *like = x->cut ? &x->stretch : &last;
    if (left > x->insts)
        add_like(x, like->sm.warp_insts > 0 ? like : c, left - x->insts);
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        to[i] = (uint64_t)llround((double)to[i] + x->extra[i]);
    write_back(c, room);
}
