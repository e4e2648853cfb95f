#include "sim/gpu/view/run_progress.h"

/* The size that the source states for a launch; one byte if it states none. */
static launch_size_t size_of(trace_source_t *source, uint64_t id)
{
    launch_size_t size = {0};
    if (source->ops->launch_size != NULL)
        source->ops->launch_size(source, id, &size);
    else
        size.bytes = 1;
    return size;
}

static double weight_of(const launch_size_t *size)
{
    return (double)(size->warp_insts > 0 ? size->warp_insts : size->bytes);
}

double run_progress_size(trace_source_t *source, uint64_t id)
{
    const launch_size_t size = size_of(source, id);
    return weight_of(&size);
}

void run_progress_launch(run_progress_t *p, trace_source_t *source, uint64_t id, uint64_t insts)
{
    const launch_size_t size = size_of(source, id);
    p->launch = weight_of(&size);
    p->launch_insts = size.warp_insts;
    p->insts_before = insts;
}

void run_progress_over(run_progress_t *p)
{
    p->done += p->launch;
    p->launch = 0.0;
}

static double at_most_1(double share)
{
    return share < 1.0 ? share : 1.0;
}

/* Warp instructions of the `others` blocks, which are not (or not yet) simulated. */
static double insts_of_others(const run_progress_t *p, const block_scheduler_t *s, double others)
{
    const double sent = (double)s->sent_insts;
    if (p->launch_insts > 0)
        return p->launch_insts > s->sent_insts ? (double)p->launch_insts - sent : 0.0;
    return s->sent > 0 ? others * sent / (double)s->sent : 0.0;
}

/* Blocks of the launch that were not (or not yet) sent to an SM. A trace may contain fewer blocks
 * than the grid. */
static double other_blocks(const block_scheduler_t *s)
{
    const bool all_sent = s->inside == NULL && feed_all_taken(s->feed);
    return all_sent || s->n_blocks < s->sent ? 0.0 : (double)(s->n_blocks - s->sent);
}

double run_progress_of_launch(const run_progress_t *p, const block_scheduler_t *s, uint64_t insts)
{
    const double others = other_blocks(s);
    const double rest = insts_of_others(p, s, others), all = (double)s->sent_insts + rest;
    const double left_out = (double)(s->held + s->skipped);
    double done = (double)(insts - p->insts_before);
    if (others > 0.0)
        done += rest * at_most_1(left_out / others);
    return all > 0.0 ? at_most_1(done / all) : 0.0;
}

double run_progress_of_run(const run_progress_t *p, double of_launch)
{
    return p->total > 0.0 ? at_most_1((p->done + p->launch * of_launch) / p->total) : -1.0;
}
