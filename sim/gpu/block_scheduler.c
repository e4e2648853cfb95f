#include "sim/gpu/block_scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/files/checkpoint_read.h"
#include "sim/gpu/dispatch/launch_over.h"
#include "sim/gpu/streams/overlap.h"

void block_scheduler_init(block_scheduler_t *s, const gpu_spec_t *spec, const uint16_t *sm_shard)
{
    const sm_spec_t *sm = &spec->sm.sm;
    memset(s, 0, sizeof(*s));
    s->spec = spec;
    s->sm_shard = sm_shard;
    const sm_room_t total = placement_empty_sm(spec);
    placement_init(&s->placement, sm->count, &total, spec->sched.order);
    inbox_init(&s->inbox);
    wheel_init(&s->holds);
}

void block_scheduler_free(block_scheduler_t *s)
{
    placement_free(&s->placement);
    inbox_free(&s->inbox);
    wheel_free(&s->holds);
    free(s->resident);
}

void block_scheduler_begin(block_scheduler_t *s, feed_t *feed, const launch_ctx_t *ctx,
                           const occupancy_t *occupancy, cycle_t start, const inside_t *inside,
                           uint64_t n_blocks)
{
    s->feed = feed;
    s->ctx = *ctx;
    s->need = placement_need(occupancy);
    s->first_dispatch = start + s->spec->gpu.launch_latency;
    s->dispatch_next = cycle_max(s->dispatch_next, s->first_dispatch);
    s->dispatched = 0;
    s->done = 0;
    s->sent = 0;
    s->sent_insts = 0;
    s->finished = false;
    s->end = CYCLE_NEVER;
    s->inside = inside;
    s->next = 0;
    s->n_blocks = n_blocks;
    s->held = 0;
    s->skipped = 0;
    s->n_resident = 0;
    s->tail_shrunk = false;
    s->ghosts = 0;
    s->ghosts_below = 0;
    s->storing = 0;
    s->over = false;
}

uint32_t block_scheduler_demand(const gpu_spec_t *spec, cycle_t window)
{
    return (uint32_t)(window / spec->sched.dispatch_interval) + 2;
}

static void scheduler_deliver(void *self, const msg_t *m, size_t n)
{
    block_scheduler_t *s = self;
    inbox_put(&s->inbox, m, n);
}

/* Latencies between dispatch and the block-done message, without the time on the SM. */
static cycle_t travel(const block_scheduler_t *s)
{
    return s->spec->sched.dispatch_latency + s->spec->sched.completion_latency;
}

/* Whether blocks are left that have been neither dispatched nor skipped. */
static bool more(const block_scheduler_t *s)
{
    return s->inside == NULL ? feed_more(s->feed) : s->next < s->n_blocks;
}

static void add_resident(block_scheduler_t *s, uint64_t block, uint32_t sm, cycle_t now)
{
    rb_grow(&s->resident, &s->cap_resident, s->n_resident + 1, sizeof(*s->resident));
    s->resident[s->n_resident++] = (struct resident){block, now + travel(s), sm};
}

static void remove_resident(block_scheduler_t *s, uint64_t block)
{
    size_t i = 0;
    while (i < s->n_resident && s->resident[i].block != block)
        i++;
    if (i < s->n_resident)
        s->resident[i] = s->resident[--s->n_resident];
}

/* Call when no block is left to dispatch: blocks that hold slots speed up as they get fewer
 * (forward_tail_t). Their remaining times until now are those at full residency. */
static void shrink_tail(block_scheduler_t *s, cycle_t now)
{
    const forward_tail_t *tail = s->inside == NULL ? NULL : inside_tail(s->inside);
    if (tail == NULL || s->tail_shrunk || more(s))
        return;
    s->tail_shrunk = true;
    size_t n = s->holds.count, cap = 0;
    struct leaving {
        cycle_t at;
        uint32_t sm;
    } *list = NULL;
    rb_grow(&list, &cap, n, sizeof(*list));
    for (size_t i = 0; i < n; i++)
        wheel_pop(&s->holds, CYCLE_NEVER, &list[i].at, &list[i].sm);
    wheel_free(&s->holds);
    wheel_init(&s->holds);
    cycle_t last = now;
    double at = (double)now;
    for (size_t i = 0; i < n; i++) {
        const double speed = (double)(s->dispatched - s->done - i) / (double)tail->full;
        const double factor = speed > 1 ? 1 : speed < tail->floor ? tail->floor : speed;
        at += (double)(list[i].at - last) * factor;
        last = list[i].at;
        wheel_add(&s->holds, now + (cycle_t)(at - (double)now), list[i].sm);
    }
    free(list);
}

void block_scheduler_predict_residents(block_scheduler_t *s, cycle_t now)
{
    for (size_t i = 0; i < s->n_resident; i++) {
        cycle_t cycles = 0;
        inside_action(s->inside, s->resident[i].block, &cycles);
        wheel_add(&s->holds, cycle_max(now, s->resident[i].leaves + cycles), s->resident[i].sm);
    }
    s->ghosts = s->n_resident;
    s->ghosts_below = s->next;
    shrink_tail(s, now);
}

uint64_t block_scheduler_pass(block_scheduler_t *s, uint64_t blocks)
{
    const uint64_t left = s->n_blocks - s->next, n = blocks < left ? blocks : left;
    s->next += n;
    s->skipped += n;
    return n;
}

uint64_t block_scheduler_oldest(const block_scheduler_t *s)
{
    uint64_t oldest = s->next;
    for (size_t i = 0; i < s->n_resident; i++) {
        if (s->resident[i].block < oldest)
            oldest = s->resident[i].block;
    }
    return oldest;
}

static void block_done(block_scheduler_t *s, const msg_t *m)
{
    if (m->kind == MSG_STORES_DONE) {
        s->storing--;
        return;
    }
    RB_INVARIANT(m->kind == MSG_BLOCK_DONE, "block scheduler: message of kind %d", m->kind);
    s->storing += m->block.stores;
    bool ghost = m->block.block->index < s->ghosts_below;
    if (s->inside != NULL)
        remove_resident(s, m->block.block->index);
    feed_free(s->feed, m->block.block);
    if (ghost) {
        s->ghosts--;
        return;
    }
    placement_credit(&s->placement, m->input, &s->need);
    s->done++;
}

static void send_block(block_scheduler_t *s, outbox_t *out, uint32_t sm, cycle_t now)
{
    trace_block_t *block = feed_take(s->feed);
    msg_t m = {.arrival = now + s->spec->sched.dispatch_latency,
               .kind = MSG_BLOCK,
               .block = {.block = block, .launch = &s->ctx, .carveout = s->ctx.carveout}};
    engine_send(out, s->sm_shard[sm], &m);
    s->sent++;
    s->sent_insts += block->n_insts;
    if (s->inside != NULL) {
        RB_INVARIANT(block->index == s->next, "block %llu was decoded, but %llu is dispatched",
                     (unsigned long long)block->index, (unsigned long long)s->next);
        /* Nobody asks for them once samplers have nothing more to decide. */
        if (inside_done(s->inside))
            s->n_resident = 0;
        else
            add_resident(s, block->index, sm, now);
    }
}

/* Skips blocks that take no time. If the trace has fewer blocks than the launch, the launch ends at
 * the first block that is to be simulated but is not stored. */
static void pass_blocks(block_scheduler_t *s)
{
    block_action_t action = BLOCK_SKIP;
    cycle_t ignored;
    for (; s->next < s->n_blocks; s->next++, s->skipped++) {
        action = inside_action(s->inside, s->next, &ignored);
        if (action != BLOCK_SKIP)
            break;
    }
    if (action == BLOCK_SIMULATE && !feed_more(s->feed))
        s->n_blocks = s->next;
}

/* Dispatches one block, if there is one, it is due and an SM has room. */
static bool dispatch(block_scheduler_t *s, outbox_t *out, cycle_t now)
{
    cycle_t cycles = 0;
    if (now < s->dispatch_next || !more(s))
        return false;
    int sm = placement_pick(&s->placement, &s->need);
    if (sm < 0)
        return false;
    placement_debit(&s->placement, (uint32_t)sm, &s->need);
    if (s->inside == NULL || inside_action(s->inside, s->next, &cycles) == BLOCK_SIMULATE) {
        send_block(s, out, (uint32_t)sm, now);
    } else {
        wheel_add(&s->holds, now + travel(s) + cycles, (uint32_t)sm);
        s->held++;
    }
    s->next++;
    s->dispatched++;
    s->dispatch_next = now + s->spec->sched.dispatch_interval;
    return true;
}

/* Handles the completions up to cycle now; true if there were any. */
static bool take_done(block_scheduler_t *s, cycle_t now)
{
    bool any = false;
    cycle_t at;
    uint32_t sm;
    for (uint32_t n; (n = inbox_take(&s->inbox, now + 1)) != 0; any = true) {
        block_done(s, &msg_pool_at(&s->inbox.pool, n)->msg);
        msg_pool_free(&s->inbox.pool, n);
    }
    for (; wheel_pop(&s->holds, now + 1, &at, &sm); any = true) {
        placement_credit(&s->placement, sm, &s->need);
        s->done++;
    }
    return any;
}

/* Whether no block is left to dispatch or to wait for. */
static bool all_done(const block_scheduler_t *s)
{
    return s->dispatched == s->done && !more(s);
}

/* Whether also no stores and no ghosts, on which the launch's end does not depend, are left. */
static bool nothing_left(const block_scheduler_t *s)
{
    return s->storing == 0 && s->ghosts == 0;
}

static cycle_t scheduler_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    block_scheduler_t *s = self;
    if (s->overlap != NULL)
        return overlap_run(s->overlap, out, from, to);
    bool room = true; /* false: the last attempt to dispatch found no room */
    cycle_t now = from;
    while (s->feed != NULL && !s->finished) {
        cycle_t next = cycle_min(inbox_next(&s->inbox), wheel_next(&s->holds));
        if (room && more(s))
            next = cycle_min(next, cycle_max(now, s->dispatch_next));
        else if (all_done(s) && nothing_left(s))
            next = cycle_min(next, cycle_max(now, s->first_dispatch));
        if (next >= to)
            return next;
        now = next;
        room |= take_done(s, now);
        if (s->inside != NULL)
            pass_blocks(s);
        if (all_done(s) && nothing_left(s) && !s->over) {
            s->over = true;
            s->storing = launch_over_tell(s->spec, s->sm_shard, &s->ctx, out, now);
        }
        /* A launch without blocks ends after its launch latency. */
        if (all_done(s) && s->end == CYCLE_NEVER && (s->storing == 0 || s->ghosts_below > 0))
            s->end = cycle_max(now, s->first_dispatch);
        if (all_done(s) && nothing_left(s)) {
            s->finished = true;
            s->quiet = cycle_max(now, s->end);
            break;
        }
        if (now >= s->dispatch_next)
            room = dispatch(s, out, now);
        shrink_tail(s, now);
    }
    return inbox_next(&s->inbox);
}

static void scheduler_dump(const void *self, FILE *out)
{
    const block_scheduler_t *s = self;
    if (s->overlap != NULL)
        overlap_dump(s->overlap, out);
    if (s->feed == NULL || s->finished)
        return;
    fprintf(out, "block scheduler: %llu blocks dispatched, %llu done, %s left\n",
            (unsigned long long)s->dispatched, (unsigned long long)s->done,
            more(s) ? "some" : "none");
}

const shard_ops_t block_scheduler_ops = {
    .kind = "scheduler",
    .deliver = scheduler_deliver,
    .run = scheduler_run,
    .dump = scheduler_dump,
};

int block_scheduler_save(const block_scheduler_t *s, FILE *out)
{
    return fwrite(&s->dispatch_next, sizeof(s->dispatch_next), 1, out) == 1 ? 0 : -1;
}

int block_scheduler_load(block_scheduler_t *s, FILE *in, cycle_t latest)
{
    if (fread(&s->dispatch_next, sizeof(s->dispatch_next), 1, in) != 1)
        return checkpoint_read_failed(in);
    return s->dispatch_next <= latest ? 0 : checkpoint_out_of_range();
}
