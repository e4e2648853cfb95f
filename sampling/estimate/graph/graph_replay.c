#include "sampling/estimate/graph/graph_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/streams/overlap.h"

/* A block on an SM. */
typedef struct {
    double end; /* of the launch's clock */
    uint32_t sm;
} resident_t;

/* A launch on the chip. Its clock runs slower beside others. */
typedef struct {
    const replay_launch_t *l; /* NULL: none */
    double clock, rate;
    double block, tail; /* cycles of a block, and what the last one takes more */
    double full;        /* blocks on the chip when it is alone */
    uint64_t sent;
    resident_t *ring; /* owned; blocks end in the order in which they were placed */
    size_t cap, head, n;
} active_t;

typedef struct {
    const graph_replay_t *r;
    const double *cycles;
    replay_time_t *times;
    overlap_t o;
    placement_t placement;
    inbox_t inbox;
    active_t active[OVERLAP_LAUNCHES];
    cycle_t now;
    bool changed; /* which blocks are on the chip */
} state_t;

/*
 * Divides the time of a launch into blocks. Alone, block k of n is placed k intervals after the first
 * one, or when one of the S before it has ended, so the launch ends after the larger of
 * ceil(n / S) t + ((n - 1) mod S) d and (n - 1) d + t.
 */
static void divide(const gpu_spec_t *spec, active_t *a, double cycles)
{
    const double d = (double)spec->sched.dispatch_interval;
    const uint64_t n = a->l->n_blocks;
    const uint64_t slots = (uint64_t)spec->sm.sm.count * a->l->occupancy.blocks_per_sm;
    const double rounds = ceil((double)n / (double)slots);
    const double behind = (double)((n - 1) % slots) * d;
    const double most = fmin((cycles - behind) / rounds, cycles - (double)(n - 1) * d);
    const double mean = a->l->share * cycles / fmax(1, (double)n / (double)slots);
    a->full = (double)(n < slots ? n : slots);
    a->block = fmax(1, fmin(most, mean));
    a->tail = cycles - fmax(rounds * a->block + behind, (double)(n - 1) * d + a->block);
    a->tail = fmax(0, a->tail);
}

static void open_launch(state_t *s, uint32_t index)
{
    overlap_launch_t *l = &s->o.launch[index];
    active_t *a = &s->active[index];
    const replay_launch_t *known = &s->r->launch[l->op];
    l->info.n_blocks = known->n_blocks;
    l->occupancy = known->occupancy;
    l->need = placement_need(&l->occupancy);
    l->state = LAUNCH_OPEN;
    a->l = known;
    a->clock = 0;
    a->sent = 0;
    a->head = a->n = 0;
    a->rate = 1;
    divide(s->r->spec, a, s->cycles[l->op]);
    const size_t room = (size_t)a->full + 1;
    if (room > a->cap) {
        a->ring = rb_realloc(a->ring, room, sizeof(*a->ring));
        a->cap = room;
    }
}

/* The scheduler has placed a block. */
static void send(void *ctx, const overlap_launch_t *l, uint32_t sm, cycle_t now)
{
    state_t *s = ctx;
    active_t *a = &s->active[l->ctx.index];
    if (a->sent++ == 0)
        s->times[l->op].first_block = now;
    const double last = a->sent == a->l->n_blocks ? a->tail : 0;
    RB_INVARIANT(a->n < a->cap, "replay: more blocks of a launch than fit");
    a->ring[(a->head + a->n++) % a->cap] =
        (resident_t){.end = a->clock + a->block + last, .sm = sm};
    s->changed = true;
}

static double load(const active_t *a)
{
    return (double)a->n / a->full;
}

static void set_rates(state_t *s)
{
    const graph_replay_t *r = s->r;
    s->changed = false;
    if (r->slow == NULL)
        return;
    for (uint32_t i = 0; i < s->o.n_used; i++) {
        double slower = 1;
        if (s->active[i].l == NULL || s->active[i].n == 0)
            continue;
        for (uint32_t k = 0; k < s->o.n_used; k++) {
            const active_t *other = &s->active[k];
            if (k != i && other->l != NULL && other->n > 0)
                slower += r->slow[(size_t)s->active[i].l->kind * r->n_kinds + other->l->kind] *
                          load(other);
        }
        s->active[i].rate = 1 / fmax(slower, 0.1);
    }
}

/* When the next block ends. */
static cycle_t next_end(const state_t *s)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < s->o.n_used; i++) {
        const active_t *a = &s->active[i];
        if (a->l != NULL && a->n > 0)
            least = fmin(least, (a->ring[a->head].end - a->clock) / a->rate);
    }
    return isinf(least) ? CYCLE_NEVER : s->now + (cycle_t)ceil(fmax(least, 0));
}

/* Moves the clocks on, and ends blocks. */
static void advance(state_t *s, cycle_t to)
{
    static const double rounding = 1e-6;
    for (uint32_t i = 0; i < s->o.n_used; i++) {
        active_t *a = &s->active[i];
        if (a->l == NULL)
            continue;
        if (a->n > 0)
            a->clock += a->rate * (double)(to - s->now);
        while (a->n > 0 && a->ring[a->head].end <= a->clock + rounding) {
            const msg_t m = {.arrival = to,
                             .kind = MSG_BLOCK_DONE,
                             .input = (uint16_t)a->ring[a->head].sm,
                             .block = {.launch = &s->o.launch[i].ctx}};
            inbox_put(&s->inbox, &m, 1);
            a->head = (a->head + 1) % a->cap;
            a->n--;
            s->changed = true;
        }
    }
    s->now = to;
}

/* Opens launches that were admitted, and frees the places of those that have ended. */
static void turn_over(state_t *s)
{
    for (uint32_t i = 0; i < s->o.n_used; i++) {
        overlap_launch_t *l = &s->o.launch[i];
        if (l->state == LAUNCH_ENDED) {
            l->state = LAUNCH_FREE;
            s->active[i].l = NULL;
        }
        if (l->state == LAUNCH_ADMITTED)
            open_launch(s, i);
    }
}

static void run(state_t *s)
{
    cycle_t next = 0;
    while (!overlap_over(&s->o)) {
        const cycle_t at = cycle_min(next, next_end(s));
        RB_INVARIANT(at != CYCLE_NEVER, "replay: nothing can go on");
        advance(s, at);
        next = overlap_run(&s->o, NULL, at, at + 1);
        turn_over(s);
        if (s->changed)
            set_rates(s);
    }
}

void graph_replay(const graph_replay_t *r, const double *cycles, replay_time_t *times)
{
    state_t *s = rb_calloc(1, sizeof(*s));
    const run_plan_t plan = {.shares = r->shares, .n_shares = r->n_shares};
    const overlap_replay_t stand_in = {.ctx = s, .send = send};
    const sm_room_t room = placement_empty_sm(r->spec);
    s->r = r;
    s->cycles = cycles;
    s->times = times;
    memset(times, 0, r->graph->n * sizeof(*times));
    placement_init(&s->placement, r->spec->sm.sm.count, &room, r->spec->sched.order);
    inbox_init(&s->inbox);
    overlap_init(&s->o, r->spec, NULL, &s->placement, &s->inbox, r->graph, r->position, &plan, 0);
    s->o.replay = &stand_in;
    run(s);
    stream_op_time_t *at = rb_calloc(r->graph->n + 1, sizeof(*at));
    overlap_times(&s->o, at);
    for (size_t i = 0; i < r->graph->n; i++)
        times[i].at = at[i];
    free(at);
    overlap_free(&s->o);
    inbox_free(&s->inbox);
    placement_free(&s->placement);
    for (uint32_t i = 0; i < OVERLAP_LAUNCHES; i++)
        free(s->active[i].ring);
    free(s);
}

typedef struct {
    cycle_t start, end;
} span_t;

static int by_start(const void *a, const void *b)
{
    const span_t *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

uint64_t graph_replay_busy(const stream_graph_t *graph, const replay_time_t *times)
{
    span_t *span = rb_calloc(graph->n + 1, sizeof(*span));
    uint64_t busy = 0;
    cycle_t until = 0;
    size_t n = 0;
    for (size_t i = 0; i < graph->n; i++) {
        if (times[i].at.ran && graph->ops[i].kind == STREAM_OP_LAUNCH)
            span[n++] = (span_t){times[i].at.start, times[i].at.end};
    }
    qsort(span, n, sizeof(*span), by_start);
    for (size_t i = 0; i < n; i++) {
        const cycle_t from = cycle_max(until, span[i].start);
        if (span[i].end > from)
            busy += span[i].end - from;
        until = cycle_max(until, span[i].end);
    }
    free(span);
    return busy;
}
