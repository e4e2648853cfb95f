#include "sim/gpu/streams/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/dispatch/launch_over.h"

cycle_t overlap_least(const gpu_spec_t *spec)
{
    return cycle_min(spec->gpu.launch_gap, spec->gpu.launch_latency);
}

/* --- queues of operations -------------------------------------------------------------------- */

static void queue_put(overlap_queue_t *q, uint32_t op)
{
    q->list[q->from + q->n++] = op;
}

static uint32_t queue_take(overlap_queue_t *q)
{
    q->n--;
    return q->list[q->from++];
}

/* --- operations ------------------------------------------------------------------------------ */

unsigned overlap_engine(const overlap_t *o, uint32_t op)
{
    return o->spec->gpu.copy_engines > 1 && o->graph->ops[op].kind == STREAM_OP_FROM_DEVICE;
}

static double cycles_per_byte(const overlap_t *o)
{
    return o->spec->gpu.clock_mhz / (1000.0 * o->spec->gpu.copy_bandwidth);
}

cycle_t overlap_copy_cycles(const overlap_t *o, uint32_t op)
{
    const gpu_params_t *p = &o->spec->gpu;
    return p->copy_latency + (cycle_t)ceil((double)o->graph->ops[op].bytes * cycles_per_byte(o));
}

bool overlap_traffic(const overlap_t *o, uint32_t op, copy_traffic_t *out)
{
    const stream_op_t *c = &o->graph->ops[op];
    *out = (copy_traffic_t){.addr = c->addr,
                            .bytes = c->bytes,
                            .to_host = c->kind == STREAM_OP_FROM_DEVICE,
                            .begin = o->ops[op].start +
                                     cycle_max(o->spec->gpu.copy_latency, overlap_least(o->spec)),
                            .per_byte = cycles_per_byte(o)};
    return o->spec->gpu.memcpy_fills_l2 && c->addr != 0 && c->bytes > 0 &&
           c->bytes <= COPY_TRAFFIC_MAX && c->bytes <= UINT64_MAX - LINE_BYTES - c->addr;
}

/* Starts the first copy of an idle engine. */
static void start_copy(overlap_t *o, unsigned engine, cycle_t now)
{
    overlap_queue_t *q = &o->copies[engine];
    if (o->copy_end[engine] != CYCLE_NEVER || q->n == 0)
        return;
    const uint32_t op = q->list[q->from];
    o->ops[op].start = now;
    o->copy_end[engine] = now + overlap_copy_cycles(o, op);
    copy_traffic_t traffic;
    if (o->replay == NULL && overlap_traffic(o, op, &traffic))
        queue_put(&o->begun, op);
}

static void complete(overlap_t *o, uint32_t op, cycle_t now)
{
    o->ops[op].end = now;
    o->ops[op].complete = true;
    o->n_complete++;
    queue_put(&o->completed, op);
}

/* Whether launch a stands before launch b in the queue. */
static bool precedes(const overlap_t *o, const overlap_launch_t *a, const overlap_launch_t *b)
{
    const int32_t pa = o->graph->ops[a->op].priority, pb = o->graph->ops[b->op].priority;
    if (pa != pb)
        return pa < pb;
    return a->release != b->release ? a->release < b->release : a->op < b->op;
}

void overlap_enqueue(overlap_t *o, uint32_t index)
{
    size_t at = o->n_queue++;
    for (; at > 0 && precedes(o, &o->launch[index], &o->launch[o->queue[at - 1]]); at--)
        o->queue[at] = o->queue[at - 1];
    o->queue[at] = index;
    o->attempt = cycle_min(o->attempt, o->launch[index].release);
}

/* The SMs of a stream. */
static void set_share(const overlap_t *o, overlap_launch_t *l)
{
    l->first = 0;
    l->last = o->placement->n_sms - 1;
    for (size_t i = 0; i < o->n_shares; i++) {
        if (o->shares[i].stream == o->graph->ops[l->op].stream) {
            l->first = o->shares[i].first;
            l->last = o->shares[i].last;
        }
    }
}

void overlap_admit(overlap_t *o, uint32_t index, uint32_t op, uint32_t epoch)
{
    overlap_launch_t *l = &o->launch[index];
    /* Only places that are used cost memory: a replay of a graph makes them anew each time. */
    for (; o->n_used <= index; o->n_used++)
        feed_init(&o->launch[o->n_used].feed);
    l->state = LAUNCH_ADMITTED;
    l->op = op;
    l->all_sent = false;
    l->sent = l->done = l->sent_insts = 0;
    l->storing = 0;
    l->over = false;
    set_share(o, l);
    l->ctx = (launch_ctx_t){.epoch = epoch, .index = (uint8_t)index, .overlaps = true};
    l->ctx.tag = (uint16_t)(1 + epoch % (COPY_TAG - 1));
    o->running++;
}

static void admit(overlap_t *o, uint32_t op, cycle_t now)
{
    uint32_t index = 0;
    while (o->launch[index].state != LAUNCH_FREE)
        index++;
    overlap_launch_t *l = &o->launch[index];
    if (o->running == 0)
        o->group_start = now;
    overlap_admit(o, index, op, ++o->epoch);
    o->ops[op].start = l->start = now;
    l->release = o->ops[op].release;
    if (now > o->ops[op].ready) /* it waited */
        l->release = cycle_max(l->release, now + o->spec->gpu.launch_gap);
    overlap_enqueue(o, index);
}

/* Takes the launch that is admitted next from those that wait. */
static uint32_t take_waiting(overlap_t *o)
{
    overlap_queue_t *q = &o->waiting;
    size_t best = q->from;
    for (size_t i = q->from; i < q->from + q->n; i++) {
        if (o->graph->ops[q->list[i]].priority < o->graph->ops[q->list[best]].priority)
            best = i;
    }
    const uint32_t op = q->list[best];
    memmove(&q->list[q->from + 1], &q->list[q->from], (best - q->from) * sizeof(*q->list));
    q->from++;
    q->n--;
    return op;
}

/* All that the operation waits for is complete. */
static void make_ready(overlap_t *o, uint32_t op, cycle_t now)
{
    o->ops[op].ready = now;
    if (!o->ops[op].runs) {
        o->ops[op].start = now;
        complete(o, op, now);
    } else if (o->graph->ops[op].kind == STREAM_OP_LAUNCH) {
        queue_put(&o->waiting, op);
    } else {
        queue_put(&o->copies[overlap_engine(o, op)], op);
    }
}

/* Tells those that wait for the operations that are complete. */
static void pass_on(overlap_t *o, cycle_t now)
{
    const gpu_params_t *p = &o->spec->gpu;
    while (o->completed.n > 0) {
        const uint32_t op = queue_take(&o->completed);
        const bool host = o->graph->ops[op].kind == STREAM_OP_HOST;
        const cycle_t after = host ? p->launch_latency : p->launch_gap;
        for (size_t i = o->first_after[op]; i < o->first_after[op + 1]; i++) {
            overlap_op_t *next = &o->ops[o->after[i]];
            next->release = cycle_max(next->release, now + after);
            if (--next->pending == 0)
                make_ready(o, o->after[i], now);
        }
    }
    while (o->waiting.n > 0 && o->running < p->concurrent_launches)
        admit(o, take_waiting(o), now);
    start_copy(o, 0, now);
    start_copy(o, 1, now);
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* Ends a launch that has nothing left. */
static void end_if_done(overlap_t *o, overlap_launch_t *l, outbox_t *out, cycle_t now)
{
    if (l->state != LAUNCH_OPEN || !l->all_sent || l->done < l->sent || l->storing > 0)
        return;
    if (!l->over && o->replay == NULL) {
        l->over = true;
        l->storing = launch_over_tell(o->spec, o->sm_shard, &l->ctx, out, now);
        if (l->storing > 0)
            return;
    }
    l->state = LAUNCH_ENDED;
    l->end = now;
    o->running--;
    o->any_ended = true;
    complete(o, l->op, now);
}

static void block_done(overlap_t *o, const msg_t *m)
{
    if (m->kind == MSG_STORES_DONE) {
        o->launch[m->count].storing--;
        return;
    }
    RB_INVARIANT(m->kind == MSG_BLOCK_DONE, "block scheduler: message of kind %d", m->kind);
    overlap_launch_t *l = &o->launch[m->block.launch->index];
    l->storing += m->block.stores;
    if (o->replay == NULL)
        feed_free(&l->feed, m->block.block);
    placement_credit(o->placement, m->input, &l->need);
    l->done++;
    o->blocks_done++;
}

static void take_messages(overlap_t *o, outbox_t *out, cycle_t now)
{
    bool any = false;
    for (uint32_t n; (n = inbox_take(o->inbox, now + 1)) != 0; any = true) {
        const msg_t *m = &msg_pool_at(&o->inbox->pool, n)->msg;
        const uint32_t index = m->kind == MSG_STORES_DONE ? m->count : m->block.launch->index;
        block_done(o, m);
        msg_pool_free(&o->inbox->pool, n);
        end_if_done(o, &o->launch[index], out, now);
    }
    if (any)
        o->attempt = cycle_max(now, o->dispatch_next);
}

static void take_copies(overlap_t *o, cycle_t now)
{
    for (unsigned e = 0; e < 2; e++) {
        if (o->copy_end[e] > now)
            continue;
        o->copy_end[e] = CYCLE_NEVER;
        complete(o, queue_take(&o->copies[e]), now);
    }
}

/* How many blocks of a launch an SM can take. An SM with blocks keeps its carve-out: the shared memory
 * that it leaves is all there is. */
static uint32_t room_on(const overlap_t *o, const overlap_launch_t *l, uint32_t sm)
{
    const placement_t *p = o->placement;
    uint32_t room = placement_room(p, sm, &l->need);
    if (room == 0 || p->room[sm].blocks == p->total.blocks || l->need.shared == 0)
        return room;
    const uint64_t used = p->total.shared - p->room[sm].shared;
    const uint64_t left = o->carveout[sm] > used ? o->carveout[sm] - used : 0;
    return left / l->need.shared < room ? (uint32_t)(left / l->need.shared) : room;
}

/* The SM with the most room among those of the launch; -1: none (placement.h). */
static int pick(const overlap_t *o, const overlap_launch_t *l)
{
    const placement_t *p = o->placement;
    uint32_t most = 0;
    int best = -1;
    for (uint32_t i = 0; i < p->n_sms; i++) {
        const uint32_t sm = p->order[i];
        if (sm < l->first || sm > l->last)
            continue;
        const uint32_t room = room_on(o, l, sm);
        if (room > most) {
            most = room;
            best = (int)sm;
        }
    }
    return best;
}

static void send_block(overlap_t *o, overlap_launch_t *l, uint32_t sm, outbox_t *out, cycle_t now)
{
    if (o->placement->room[sm].blocks == o->placement->total.blocks)
        o->carveout[sm] = l->occupancy.carveout;
    placement_debit(o->placement, sm, &l->need);
    l->sent++;
    o->dispatch_next = now + o->spec->sched.dispatch_interval;
    if (o->replay != NULL) {
        o->replay->send(o->replay->ctx, l, sm, now);
        return;
    }
    trace_block_t *block = feed_take(&l->feed);
    const msg_t m = {
        .arrival = now + o->spec->sched.dispatch_latency,
        .kind = MSG_BLOCK,
        .block = {.block = block, .launch = &l->ctx, .carveout = (uint32_t)o->carveout[sm]}};
    engine_send(out, o->sm_shard[sm], &m);
    l->sent_insts += block->n_insts;
}

static bool has_more(const overlap_t *o, const overlap_launch_t *l)
{
    return o->replay != NULL ? l->sent < l->info.n_blocks : feed_more(&l->feed);
}

/* Whether an earlier launch of the queue may use an SM of this one. */
static bool is_behind(const overlap_t *o, size_t at, cycle_t now)
{
    const overlap_launch_t *l = &o->launch[o->queue[at]];
    for (size_t i = 0; i < at; i++) {
        const overlap_launch_t *other = &o->launch[o->queue[i]];
        if (other->release <= now && other->first <= l->last && l->first <= other->last)
            return true;
    }
    return false;
}

static void remove_from_queue(overlap_t *o, size_t at)
{
    o->n_queue--;
    memmove(&o->queue[at], &o->queue[at + 1], (o->n_queue - at) * sizeof(*o->queue));
}

/* Launches without further blocks leave the queue. */
static void leave_queue(overlap_t *o, outbox_t *out, cycle_t now)
{
    for (size_t i = 0; i < o->n_queue;) {
        overlap_launch_t *l = &o->launch[o->queue[i]];
        if (l->release > now || has_more(o, l)) {
            i++;
            continue;
        }
        remove_from_queue(o, i);
        l->all_sent = true;
        end_if_done(o, l, out, now);
    }
}

/* Dispatches one block, if one is due and an SM has room. Sets when it is to be tried again. */
static void dispatch(overlap_t *o, outbox_t *out, cycle_t now)
{
    leave_queue(o, out, now);
    o->attempt = CYCLE_NEVER;
    for (size_t i = 0; i < o->n_queue; i++) {
        overlap_launch_t *l = &o->launch[o->queue[i]];
        if (l->release > now) {
            o->attempt = cycle_min(o->attempt, l->release);
            continue;
        }
        if (now < o->dispatch_next) {
            o->attempt = o->dispatch_next;
            return;
        }
        const int sm = is_behind(o, i, now) ? -1 : pick(o, l);
        if (sm < 0)
            continue;
        send_block(o, l, (uint32_t)sm, out, now);
        leave_queue(o, out, now);
        o->attempt = o->n_queue > 0 ? o->dispatch_next : CYCLE_NEVER;
        return;
    }
}

/* Whether all launches that run were admitted now, when others ended. */
static bool all_are_new(const overlap_t *o, cycle_t now)
{
    uint32_t new = 0;
    for (size_t i = 0; i < o->n_queue; i++)
        new += o->launch[o->queue[i]].start == now;
    return new == o->running;
}

/* --- the shard ------------------------------------------------------------------------------- */

static void start(overlap_t *o)
{
    o->started = true;
    for (uint32_t i = 0; i < o->graph->n; i++) {
        if (o->graph->ops[i].n_waits == 0)
            make_ready(o, i, o->begin);
    }
}

/* When the first byte moves of the copies that the partitions do not know yet: the engine must not go
 * further before they are told. */
static cycle_t first_traffic(const overlap_t *o)
{
    cycle_t first = CYCLE_NEVER;
    for (size_t i = 0; i < o->begun.n; i++) {
        copy_traffic_t copy;
        if (overlap_traffic(o, o->begun.list[o->begun.from + i], &copy))
            first = cycle_min(first, copy.begin);
    }
    return first;
}

static cycle_t next_event(const overlap_t *o)
{
    if (!o->started)
        return o->begin;
    const cycle_t copy = cycle_min(o->copy_end[0], o->copy_end[1]);
    return cycle_min(cycle_min(inbox_next(o->inbox), copy), o->attempt);
}

cycle_t overlap_run(overlap_t *o, outbox_t *out, cycle_t from, cycle_t to)
{
    cycle_t now = from;
    for (;;) {
        const cycle_t next = next_event(o);
        if (next >= to)
            return cycle_min(next, first_traffic(o));
        now = cycle_max(now, next);
        o->any_ended = false;
        if (!o->started)
            start(o);
        take_messages(o, out, now);
        take_copies(o, now);
        if (o->attempt <= now)
            dispatch(o, out, now);
        pass_on(o, now);
        if (o->any_ended && all_are_new(o, now)) {
            o->quiet = true;
            o->quiet_at = o->group_start = now;
        }
    }
}

void overlap_dump(const overlap_t *o, FILE *out)
{
    fprintf(out, "block scheduler: %llu of %zu operations complete, %u launches running\n",
            (unsigned long long)o->n_complete, o->graph->n, o->running);
    for (uint32_t i = 0; i < OVERLAP_LAUNCHES; i++) {
        const overlap_launch_t *l = &o->launch[i];
        if (l->state == LAUNCH_ADMITTED || l->state == LAUNCH_OPEN)
            fprintf(out, "  launch %llu: from cycle %llu, %llu blocks dispatched, %llu done%s\n",
                    (unsigned long long)o->graph->ops[l->op].launch, (unsigned long long)l->release,
                    (unsigned long long)l->sent, (unsigned long long)l->done,
                    l->all_sent ? "" : ", more");
    }
}
