/*
 * The engine with a PHOLD-like model: shards send each other messages after pseudo-random,
 * deterministic delays and fold everything they see into a hash.
 */
#include "tests/support/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/core/alloc.h"
#include "sim/core/engine/engine.h"
#include "sim/core/engine/wheel.h"

enum { SHARDS = 37, SECOND = 22 /* first shard of the second side */, LATENCY = 11 };

/* Who sends to whom, and how the engine runs it. */
typedef enum { TO_ALL, TO_OTHER_SIDE, IN_TURNS } sides_t;

/* Transit: the nodes of a part share a port, which one message passes in each cycle. The messages that
 * they send to shards after the transit are noted in the order of sending. */
enum { PARTS = 3 };

typedef struct {
    cycle_t at;
    uint32_t index;
    uint16_t dest;
} passing_t;

typedef struct {
    struct mail *mail;
    cycle_t from;
    passing_t *list; /* owned */
    size_t n, cap, passed;
} noted_t;

typedef struct {
    noted_t noted[SHARDS][2];
    cycle_t free[PARTS], from;
    unsigned half;
} ports_t;

typedef struct {
    uint32_t number;
    sides_t sides;
    ports_t *ports; /* NULL: messages are not delayed */
    wheel_t inbox;
    uint64_t sum[2]; /* of the current cycle: simultaneous arrivals have no order */
    uint64_t hash;
    uint64_t left; /* messages it may still send */
    uint64_t received;
} node_t;

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    return x;
}

static void node_deliver(void *self, const msg_t *m, size_t n)
{
    node_t *node = self;
    for (size_t i = 0; i < n; i++)
        wheel_add(&node->inbox, m[i].arrival, (uint32_t)m[i].mem.line);
}

static uint16_t receiver(const node_t *n, uint64_t r)
{
    if (n->sides == TO_ALL)
        return (uint16_t)(r % SHARDS);
    return (uint16_t)(n->number < SECOND ? SECOND + r % (SHARDS - SECOND) : r % SECOND);
}

static bool after_transit(sides_t sides, uint32_t number)
{
    return sides == TO_ALL || number >= SECOND;
}

static void note_sent(node_t *n, outbox_t *out, uint16_t dest, cycle_t at)
{
    if (n->ports == NULL || !after_transit(n->sides, dest))
        return;
    noted_t *noted = &n->ports->noted[n->number][engine_half(out)];
    rb_grow(&noted->list, &noted->cap, noted->n + 1, sizeof(*noted->list));
    noted->list[noted->n++] = (passing_t){at, engine_last_sent(out, dest), dest};
}

static uint32_t ports_sent(void *ctx, cycle_t from, unsigned half)
{
    ports_t *p = ctx;
    p->from = from;
    p->half = half;
    return PARTS;
}

/* The next message of a part in the order of sending; NULL: none is left. */
static noted_t *ports_next(ports_t *p, uint32_t part)
{
    noted_t *next = NULL;
    for (uint32_t s = part; s < SHARDS; s += PARTS) {
        noted_t *noted = &p->noted[s][p->half];
        if (noted->from == p->from && noted->passed < noted->n &&
            (next == NULL || noted->list[noted->passed].at < next->list[next->passed].at))
            next = noted;
    }
    return next;
}

static void ports_transit(void *ctx, uint32_t part)
{
    ports_t *p = ctx;
    for (noted_t *noted; (noted = ports_next(p, part)) != NULL; noted->passed++) {
        const passing_t *m = &noted->list[noted->passed];
        const cycle_t passes = m->at > p->free[part] ? m->at : p->free[part];
        p->free[part] = passes + 1;
        engine_delay(noted->mail, m->dest, m->index, passes - m->at);
    }
}

static cycle_t node_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    node_t *n = self;
    if (n->ports != NULL) {
        noted_t *noted = &n->ports->noted[n->number][engine_half(out)];
        noted->from = from;
        noted->mail = engine_mail(out);
        noted->n = noted->passed = 0;
    }
    for (;;) {
        cycle_t now = wheel_next(&n->inbox), at;
        if (now >= to)
            return now;
        uint32_t payload;
        uint64_t sum = 0;
        uint32_t count = 0;
        while (wheel_pop(&n->inbox, now + 1, &at, &payload)) {
            sum += mix(payload);
            count++;
            n->received++;
        }
        n->hash = mix(n->hash ^ sum ^ now * 31 ^ count);
        for (uint32_t i = 0; i < count && n->left > 0; i++, n->left--) {
            uint64_t r = mix(n->hash + i);
            msg_t m = {.kind = MSG_MEM_REQUEST, .arrival = now + LATENCY + r % 40};
            m.mem.line = (uint32_t)r;
            const uint16_t dest = receiver(n, r >> 32 & 0xffff);
            engine_send(out, dest, &m);
            note_sent(n, out, dest, now);
        }
    }
}

static void node_dump(const void *self, FILE *out)
{
    (void)self;
    (void)out;
}

/* The same node as several kinds of shards: each group of one kind is divided among the threads. */
#define NODE .deliver = node_deliver, .run = node_run, .dump = node_dump
static const shard_ops_t node_ops[2][2] = {
    {{.kind = "node", NODE}, {.kind = "other", NODE}},
    {{.kind = "after", .after_transit = true, NODE},
     {.kind = "other after", .after_transit = true, NODE}},
};

/* Keeps a worker in its idle task until the run is over. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool busy, over;
} detained_t;

static bool be_detained(void *ctx, int thread)
{
    detained_t *d = ctx;
    (void)thread;
    pthread_mutex_lock(&d->lock);
    d->busy = true;
    pthread_cond_broadcast(&d->changed);
    while (!d->over)
        pthread_cond_wait(&d->changed, &d->lock);
    pthread_mutex_unlock(&d->lock);
    return false;
}

/* Boundary hook: holds the second window back until the worker is detained. */
static bool wait_for_the_worker(void *ctx, cycle_t now)
{
    detained_t *d = ctx;
    pthread_mutex_lock(&d->lock);
    while (now > 0 && !d->busy)
        pthread_cond_wait(&d->changed, &d->lock);
    pthread_mutex_unlock(&d->lock);
    return true;
}

/* Lets the detained worker go. */
static void set_free(detained_t *d)
{
    pthread_mutex_lock(&d->lock);
    d->over = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

static uint64_t phold_of(sides_t sides, int threads, cycle_t window, cycle_t step,
                         const engine_hooks_t *hooks)
{
    engine_t *e = engine_create(threads, window);
    node_t *nodes = rb_calloc(SHARDS, sizeof(*nodes));
    for (uint32_t i = 0; i < SHARDS; i++) {
        nodes[i].number = i;
        nodes[i].sides = sides;
        nodes[i].left = 2000;
        nodes[i].ports = hooks != NULL && hooks->transit != NULL ? hooks->ctx : NULL;
        wheel_init(&nodes[i].inbox);
        engine_add_shard(e, &node_ops[after_transit(sides, i)][i / 10 % 2], &nodes[i]);
    }
    engine_set_sides(e, sides == IN_TURNS ? SECOND : 0);
    for (uint32_t i = 0; i < SHARDS * 4; i++) {
        msg_t m = {.kind = MSG_MEM_REQUEST, .arrival = i % 13};
        m.mem.line = i;
        engine_post(e, (uint16_t)(i % SHARDS), &m);
    }
    if (hooks != NULL)
        engine_set_hooks(e, hooks);
    cycle_t until = step == 0 ? CYCLE_NEVER : step;
    while (!engine_run(e, until))
        until += step;
    if (hooks != NULL && hooks->idle_task == be_detained)
        set_free(hooks->ctx);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < SHARDS; i++) {
        hash = mix(hash ^ nodes[i].hash ^ nodes[i].received);
        wheel_free(&nodes[i].inbox);
    }
    engine_destroy(e);
    free(nodes);
    return hash;
}

static uint64_t phold(int threads, cycle_t window, cycle_t step, const engine_hooks_t *hooks)
{
    return phold_of(TO_ALL, threads, window, step, hooks);
}

static void results_do_not_depend_on_threads_or_windows(void **state)
{
    (void)state;
    uint64_t want = phold(1, LATENCY, 0, NULL);
    for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
        for (cycle_t window = 1; window <= LATENCY; window += window == 1 ? 2 : LATENCY - 3)
            assert_int_equal(phold(threads, window, 0, NULL), want);
    }
}

static void stopping_at_any_cycle_and_going_on_changes_nothing(void **state)
{
    (void)state;
    uint64_t want = phold(1, LATENCY, 0, NULL);
    assert_int_equal(phold(1, LATENCY, 100, NULL), want);
    assert_int_equal(phold(2, LATENCY, 7, NULL), want);
}

static void sides_in_turns_change_nothing(void **state)
{
    (void)state;
    const uint64_t want = phold_of(TO_OTHER_SIDE, 1, LATENCY, 0, NULL);
    assert_int_equal(phold_of(TO_OTHER_SIDE, 1, 1, 0, NULL), want);
    for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
        for (cycle_t window = 1; window <= LATENCY; window += window == 1 ? 2 : LATENCY - 3)
            assert_int_equal(phold_of(IN_TURNS, threads, window, 0, NULL), want);
        assert_int_equal(phold_of(IN_TURNS, threads, LATENCY, 7, NULL), want);
    }
}

static uint64_t delayed(sides_t sides, int threads, cycle_t window, cycle_t step)
{
    ports_t *p = rb_calloc(1, sizeof(*p));
    const engine_hooks_t hooks = {.ctx = p, .sent = ports_sent, .transit = ports_transit};
    const uint64_t hash = phold_of(sides, threads, window, step, &hooks);
    for (uint32_t s = 0; s < SHARDS; s++)
        for (unsigned h = 0; h < 2; h++)
            free(p->noted[s][h].list);
    free(p);
    return hash;
}

static void delays_in_transit_do_not_depend_on_threads_or_windows(void **state)
{
    static const cycle_t windows[] = {1, 3, LATENCY};
    static const int threads[] = {1, 2, 3, 8};
    (void)state;
    const uint64_t all = delayed(TO_ALL, 1, 1, 0), other = delayed(TO_OTHER_SIDE, 1, 1, 0);
    assert_int_not_equal(all, phold(1, LATENCY, 0, NULL)); /* some are delayed */
    assert_int_not_equal(other, phold_of(TO_OTHER_SIDE, 1, LATENCY, 0, NULL));
    for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
        for (size_t w = 0; w < sizeof(windows) / sizeof(windows[0]); w++) {
            assert_int_equal(delayed(TO_ALL, threads[t], windows[w], 0), all);
            assert_int_equal(delayed(TO_OTHER_SIDE, threads[t], windows[w], 0), other);
            assert_int_equal(delayed(IN_TURNS, threads[t], windows[w], 0), other);
        }
        assert_int_equal(delayed(TO_ALL, threads[t], LATENCY, 7), all);
        assert_int_equal(delayed(IN_TURNS, threads[t], LATENCY, 7), other);
    }
}

typedef struct {
    uint32_t last; /* shard of the window, + 1 */
    uint64_t windows, shards;
} watch_t;

static void note(void *ctx, engine_step_t step, uint32_t shard)
{
    watch_t *w = ctx;
    if (step == ENGINE_WINDOW) {
        w->windows++;
        w->last = 0;
        return;
    }
    assert_true(shard < SHARDS && shard >= w->last); /* ascending, each once in a window */
    w->last = shard + 1;
    w->shards++;
}

static void sides_halve_the_windows(void **state)
{
    (void)state;
    watch_t all = {0}, turns = {0};
    const engine_hooks_t watch_all = {.ctx = &all, .ran = note},
                         watch_turns = {.ctx = &turns, .ran = note};
    phold_of(TO_OTHER_SIDE, 1, LATENCY, 0, &watch_all);
    phold_of(IN_TURNS, 1, LATENCY, 0, &watch_turns);
    assert_true(turns.shards * 3 < all.shards * 2);
}

/* The transit of a window lasts until a shard that need not wait for it has run beside it. */
static struct {
    atomic_uint ran; /* such shards */
    atomic_bool over, early;
} beside;

static uint32_t beside_sent(void *ctx, cycle_t from, unsigned half)
{
    (void)ctx;
    (void)from;
    (void)half;
    atomic_store(&beside.ran, 0);
    atomic_store(&beside.over, false);
    return 1;
}

static void beside_transit(void *ctx, uint32_t part)
{
    static const struct timespec a_while = {.tv_nsec = 1000000};
    (void)ctx;
    (void)part;
    while (atomic_load(&beside.ran) == 0)
        sched_yield();
    nanosleep(&a_while, NULL); /* the other thread comes to a shard that must wait */
    atomic_store(&beside.over, true);
}

enum { WINDOWS = 10 };

static cycle_t free_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    (void)self;
    (void)out;
    atomic_fetch_add(&beside.ran, 1);
    return from < WINDOWS * LATENCY ? to : CYCLE_NEVER;
}

static cycle_t after_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    (void)self;
    (void)out;
    if (from > 0 && !atomic_load(&beside.over))
        atomic_store(&beside.early, true);
    return from < WINDOWS * LATENCY ? to : CYCLE_NEVER;
}

static void only_shards_after_the_transit_wait_for_it(void **state)
{
    static const shard_ops_t ops[] = {{.kind = "free", .run = free_run},
                                      {.kind = "after", .after_transit = true, .run = after_run}};
    const engine_hooks_t hooks = {.sent = beside_sent, .transit = beside_transit};
    (void)state;
    engine_t *e = engine_create(2, LATENCY);
    for (uint16_t s = 0; s < 8; s++) {
        engine_add_shard(e, &ops[s / 4], NULL);
        engine_wake(e, s, 0);
    }
    engine_set_hooks(e, &hooks);
    assert_true(engine_run(e, CYCLE_NEVER));
    engine_destroy(e);
    assert_false(atomic_load(&beside.early));
}

static cycle_t sleeper_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    (void)out;
    (void)to;
    cycle_t *seen = self;
    *seen = from;
    return CYCLE_NEVER;
}

static void sleeper_deliver(void *self, const msg_t *m, size_t n)
{
    (void)self;
    (void)m;
    (void)n;
}

static void an_idle_engine_jumps_to_the_next_event(void **state)
{
    (void)state;
    static const shard_ops_t ops = {
        .kind = "sleeper", .deliver = sleeper_deliver, .run = sleeper_run, .dump = node_dump};
    cycle_t seen = 0;
    engine_t *e = engine_create(1, 5);
    engine_add_shard(e, &ops, &seen);
    engine_wake(e, 0, UINT64_C(1) << 50);
    assert_true(engine_run(e, CYCLE_NEVER));
    assert_true(seen == UINT64_C(1) << 50);
    engine_destroy(e);
}

static void a_worker_that_does_not_come_holds_nobody_up(void **state)
{
    (void)state;
    detained_t d = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    const engine_hooks_t hooks = {
        .ctx = &d, .boundary = wait_for_the_worker, .idle_task = be_detained};
    const uint64_t want = phold(1, LATENCY, 0, NULL);
    assert_int_equal(phold(2, LATENCY, 0, &hooks), want);
}

static void a_watched_run_is_the_same(void **state)
{
    (void)state;
    watch_t watch = {0};
    const engine_hooks_t hooks = {.ctx = &watch, .ran = note};
    assert_int_equal(phold(1, LATENCY, 0, &hooks), phold(1, LATENCY, 0, NULL));
    assert_true(watch.windows > 10 && watch.shards > SHARDS);
    assert_true(watch.shards <= watch.windows * SHARDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_threads_or_windows),
        cmocka_unit_test(stopping_at_any_cycle_and_going_on_changes_nothing),
        cmocka_unit_test(sides_in_turns_change_nothing),
        cmocka_unit_test(delays_in_transit_do_not_depend_on_threads_or_windows),
        cmocka_unit_test(only_shards_after_the_transit_wait_for_it),
        cmocka_unit_test(sides_halve_the_windows),
        cmocka_unit_test(an_idle_engine_jumps_to_the_next_event),
        cmocka_unit_test(a_worker_that_does_not_come_holds_nobody_up),
        cmocka_unit_test(a_watched_run_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
