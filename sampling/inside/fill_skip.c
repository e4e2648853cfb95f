#include "sampling/inside/fill_skip.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "sim/core/engine/msg.h"

/* Minimum waves left after filling; with fewer, skipping is not worth its error. */
enum { WORTH_WAVES = 10 };

double fill_dram_sectors(const gpu_spec_t *spec)
{
    const dram_spec_t *d = &spec->mem.dram;
    return (double)d->bus_bytes * d->data_rate * spec->mem.mem.partitions *
           (d->clock_mhz / spec->gpu.clock_mhz) / SECTOR_BYTES;
}

uint64_t fill_blocks_read(uint64_t blocks, double of_block, double l2_sectors)
{
    const double enough = ceil(L2_TAKEN_READ * l2_sectors / of_block);
    return enough < (double)blocks ? (uint64_t)enough : blocks;
}

void fill_left_add(fill_left_t *f, const left_moves_t *moves, double work, double dram_sectors)
{
    f->work += work;
    f->then += moves->then / (FILL_DRAM_GIVEN * dram_sectors);
    f->later += moves->later / (FILL_DRAM_GIVEN * dram_sectors);
}

double fill_left_cycles(const fill_left_t *f, double rate, double light)
{
    const double like = f->work / rate;
    const bool held_up = f->later > 0 && f->later >= light * like;
    return fmax(f->then, held_up ? like * fmin(f->then / f->later, 1) : like);
}

fill_skip_t fill_skip_make(const sampler_launch_t *l, bool wanted, double light)
{
    return (fill_skip_t){.wanted = wanted,
                         .slots = l->slots,
                         .blocks = l->info->n_blocks,
                         .begun = l->spec->gpu.launch_latency,
                         .l2_sectors = (double)l->spec->mem.l2.size / SECTOR_BYTES,
                         .dram_sectors = fill_dram_sectors(l->spec),
                         .light = light};
}

/* Waves per cycle after the skipped blocks; if too few have retired, the rate before them. */
static double later_rate(const fill_skip_t *f)
{
    if (f->after.retired < 2 * f->slots || f->after.to <= f->after.since)
        return 1 / f->pace;
    return (double)(f->after.retired - f->slots) / (double)f->slots /
           (f->after.to - f->after.since);
}

static void look_after(fill_skip_t *f, const interval_records_t *r)
{
    for (size_t i = 0; i < r->retired[RETIRED_BLOCK].n; i++) {
        f->after.to = (double)r->retired[RETIRED_BLOCK].list[i].retire;
        if (++f->after.retired == f->slots)
            f->after.since = f->after.to;
    }
}

void fill_skip_look(fill_skip_t *f, const interval_records_t *r)
{
    if (f->left.work > 0)
        look_after(f, r);
    if (!f->wanted || f->pace > 0)
        return;
    for (size_t i = 0; i < r->retired[RETIRED_BLOCK].n; i++) {
        const cycle_t at = r->retired[RETIRED_BLOCK].list[i].retire;
        if (f->retired < 2 * f->slots)
            f->moment[f->retired / f->slots] += (double)at / (double)f->slots;
        f->retired++;
        if (f->retired == f->slots) {
            f->wave.done = r->blocks_done;
            f->wave.taken = r->l2_taken;
        }
        if (f->retired == 2 * f->slots && r->blocks_done > f->wave.done) {
            f->pace = f->moment[1] - f->moment[0];
            f->of_block =
                (double)(r->l2_taken - f->wave.taken) / (double)(r->blocks_done - f->wave.done);
        }
    }
}

/* Cycles per wave according to all instructions issued so far. */
static double mean_pace(const fill_skip_t *f, const interval_records_t *r, double insts)
{
    return ((double)r->cycle - f->begun) * insts / (double)f->blocks * (double)f->slots /
           (double)r->warp_insts;
}

bool fill_skip_begin(fill_skip_t *f, const interval_records_t *r, double insts, fast_forward_t *out)
{
    if (!f->wanted || f->pace <= 0 || f->of_block <= 0)
        return false;
    f->wanted = false;
    if (r->warp_insts > 0)
        f->pace = sqrt(f->pace * mean_pace(f, r, insts));
    const double full = ceil((L2_TAKEN_FULL * f->l2_sectors - (double)r->l2_taken) / f->of_block);
    const uint64_t left = f->blocks - r->next_block, wait = FILL_WAIT_WAVES * f->slots;
    if (full <= (double)wait || full + (double)(WORTH_WAVES * f->slots) > (double)left)
        return false;
    const uint64_t n = ((uint64_t)full + f->slots - 1) / f->slots * f->slots;
    *out = (fast_forward_t){.until = r->next_block + n,
                            .model = FORWARD_REGION_IPC,
                            .residents = RESIDENTS_DRAIN,
                            .warp_insts = insts,
                            .warm = fill_blocks_read(n, f->of_block, f->l2_sectors)};
    snprintf(out->evidence, sizeof(out->evidence),
             "%" PRIu64 " blocks that fill the L2 take %.0f cycles per wave", n, f->pace);
    return true;
}

void fill_skip_end(fill_skip_t *f, uint64_t skipped, const left_moves_t *moves)
{
    fill_left_add(&f->left, moves, (double)skipped / (double)f->slots, f->dram_sectors);
}

double fill_skip_added(const fill_skip_t *f)
{
    return f->left.work <= 0 ? 0 : fill_left_cycles(&f->left, later_rate(f), f->light);
}
