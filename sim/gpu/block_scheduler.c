#include "sim/gpu/block_scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

void block_scheduler_init(block_scheduler_t *s, const gpu_spec_t *spec, const uint16_t *sm_shard)
{
    const sm_spec_t *sm = &spec->sm.sm;
    const param_sizes_t *carveouts = &spec->sm.l1.carveouts;
    memset(s, 0, sizeof(*s));
    s->spec = spec;
    s->sm_shard = sm_shard;
    sm_room_t total = {.blocks = sm->max_blocks,
                       .warps = sm->max_warps,
                       .registers = sm->registers,
                       .shared = carveouts->n > 0 ? carveouts->v[carveouts->n - 1] : 0};
    placement_init(&s->placement, sm->count, &total, spec->sched.order);
    inbox_init(&s->inbox);
}

void block_scheduler_free(block_scheduler_t *s)
{
    placement_free(&s->placement);
    inbox_free(&s->inbox);
}

void block_scheduler_begin(block_scheduler_t *s, feed_t *feed, const launch_ctx_t *ctx,
                           const occupancy_t *occupancy, cycle_t start)
{
    s->feed = feed;
    s->ctx = *ctx;
    s->need = placement_need(occupancy);
    s->first_dispatch = start + s->spec->gpu.launch_latency;
    s->dispatch_next = cycle_max(s->dispatch_next, s->first_dispatch);
    s->dispatched = 0;
    s->done = 0;
    s->finished = false;
}

uint32_t block_scheduler_demand(const gpu_spec_t *spec, cycle_t window)
{
    return (uint32_t)(window / spec->sched.dispatch_interval) + 2;
}

static void scheduler_deliver(void *self, const msg_t *m)
{
    block_scheduler_t *s = self;
    inbox_put(&s->inbox, m);
}

static void block_done(block_scheduler_t *s, const msg_t *m)
{
    RB_INVARIANT(m->kind == MSG_BLOCK_DONE, "block scheduler: message of kind %d", m->kind);
    placement_credit(&s->placement, m->input, &s->need);
    feed_free(s->feed, m->block.block);
    s->done++;
}

/* Dispatches one block if there is one, its time has come and an SM has room. */
static bool dispatch(block_scheduler_t *s, outbox_t *out, cycle_t now)
{
    if (now < s->dispatch_next || !feed_more(s->feed))
        return false;
    int sm = placement_pick(&s->placement, &s->need);
    if (sm < 0)
        return false;
    placement_debit(&s->placement, (uint32_t)sm, &s->need);
    msg_t m = {.arrival = now + s->spec->sched.dispatch_latency,
               .kind = MSG_BLOCK,
               .block = {.block = feed_take(s->feed), .launch = &s->ctx}};
    engine_send(out, s->sm_shard[sm], &m);
    s->dispatched++;
    s->dispatch_next = now + s->spec->sched.dispatch_interval;
    return true;
}

static cycle_t scheduler_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    block_scheduler_t *s = self;
    bool room = true; /* the last attempt to dispatch did not fail for want of room */
    cycle_t now = from;
    while (s->feed != NULL && !s->finished) {
        cycle_t next = inbox_next(&s->inbox);
        if (room && feed_more(s->feed))
            next = cycle_min(next, cycle_max(now, s->dispatch_next));
        else if (s->dispatched == s->done && !feed_more(s->feed))
            next = cycle_min(next, cycle_max(now, s->first_dispatch));
        if (next >= to)
            return next;
        now = next;
        for (uint32_t n; (n = inbox_take(&s->inbox, now + 1)) != 0;) {
            block_done(s, &msg_pool_at(&s->inbox.pool, n)->msg);
            msg_pool_free(&s->inbox.pool, n);
            room = true;
        }
        if (s->dispatched == s->done && !feed_more(s->feed)) {
            /* A launch without blocks ends when its launch latency is over. */
            s->finished = true;
            s->end = cycle_max(now, s->first_dispatch);
            break;
        }
        if (now >= s->dispatch_next)
            room = dispatch(s, out, now);
    }
    return inbox_next(&s->inbox);
}

static void scheduler_dump(const void *self, FILE *out)
{
    const block_scheduler_t *s = self;
    if (s->feed == NULL || s->finished)
        return;
    fprintf(out, "block scheduler: %llu blocks dispatched, %llu done, %s left\n",
            (unsigned long long)s->dispatched, (unsigned long long)s->done,
            feed_more(s->feed) ? "some" : "none");
}

const shard_ops_t block_scheduler_ops = {"scheduler", scheduler_deliver, scheduler_run,
                                         scheduler_dump};

int block_scheduler_save(const block_scheduler_t *s, FILE *out)
{
    return fwrite(&s->dispatch_next, sizeof(s->dispatch_next), 1, out) == 1 ? 0 : -1;
}

int block_scheduler_load(block_scheduler_t *s, FILE *in)
{
    return fread(&s->dispatch_next, sizeof(s->dispatch_next), 1, in) == 1 ? 0 : -1;
}
