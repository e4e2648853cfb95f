/*
 * Who runs the shards of a window: the calling thread alone, or workers with it.
 */
#include <sched.h>

#include "sim/core/engine/engine_internal.h"
#include "sim/core/err.h"

enum {
    SPIN_LIMIT = 2000, /* polls before a waiting thread gives its core away */
    PARALLEL_MIN = 4,  /* fewer busy shards than this are run by the calling thread alone */
};

/*
 * The door of a parallel window holds the number of workers that entered, a bit that says it is
 * closed, and the number of the window. When no shard is left the calling thread closes the door
 * and waits only for the workers that entered. So a worker that the host keeps waiting for a core
 * does not delay the others.
 */
#define DOOR_WORKERS UINT64_C(0x7fff)
#define DOOR_CLOSED  UINT64_C(0x8000)
#define DOOR_WINDOW  UINT64_C(0x10000)

/* Host-side hint that the thread polls. */
static inline void pause_polling(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void relax(unsigned *spins)
{
    if (++*spins < SPIN_LIMIT)
        pause_polling();
    else
        sched_yield();
}

/* Runs the parts of the transit that no thread has taken yet. */
static void run_transit(engine_t *e)
{
    transit_t *t = &e->transit;
    while (atomic_load_explicit(&t->next, memory_order_relaxed) < t->n) {
        const uint32_t i = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
        if (i < t->n) {
            e->hooks.transit(e->hooks.ctx, i);
            atomic_fetch_sub_explicit(&t->left, 1, memory_order_release);
        }
    }
}

/* All parts are taken before a thread runs its first shard, so this wait is short. */
static inline void await_transit(engine_t *e)
{
    for (unsigned spins = 0; atomic_load_explicit(&e->transit.left, memory_order_acquire) > 0;)
        relax(&spins);
}

static void deliver(void *engine, uint32_t s, const msg_t *m, size_t n)
{
    engine_t *e = engine;
    for (size_t i = 0; i < n; i++)
        e->next[s] = cycle_min(e->next[s], m[i].arrival);
    e->shard[s].ops->deliver(e->shard[s].self, m, n);
}

static void run_shard(engine_t *e, outbox_t *out, uint32_t s)
{
    mail_deliver(e->mail[e->reading], engine_mails(e), s, deliver, e);
    if (e->next[s] >= e->to)
        return;
    out->sender = (uint16_t)s;
    e->next[s] = e->shard[s].ops->run(e->shard[s].self, out, e->from, e->to);
    RB_INVARIANT(e->next[s] >= e->to, "%s shard %u wants cycle %llu again; window ended at %llu",
                 e->shard[s].ops->kind, s, (unsigned long long)e->next[s],
                 (unsigned long long)e->to);
}

/* Host-side prefetch. All other shards ran since a shard ran last, so its state has left the caches
 * near the core. position: index in active of the shard that was just taken; the thread goes on up to
 * `end`. */
static void prefetch_following(const engine_t *e, const worker_t *w, uint32_t position,
                               uint32_t end)
{
    for (uint32_t ahead = 2; ahead > 0; ahead--) {
        if (position + ahead >= end)
            continue;
        uint32_t s = e->active[position + ahead];
        if (ahead == 1) /* of the mails to it, only this thread's HOME mail */
            mail_prefetch(&e->mail[e->reading][w->number * MAILS + HOME], s);
        if (e->shard[s].ops->prefetch != NULL)
            e->shard[s].ops->prefetch(e->shard[s].self, (int)ahead);
    }
}

/* Runs the shards of a piece that no thread has taken yet. */
static void run_piece(worker_t *w, piece_t *p)
{
    engine_t *e = w->engine;
    while (atomic_load_explicit(&p->next, memory_order_relaxed) < p->end) {
        unsigned i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
        if (i < p->end) {
            prefetch_following(e, w, i, p->end);
            if (e->shard[e->active[i]].ops->after_transit)
                await_transit(e);
            run_shard(e, &w->out, e->active[i]);
        }
    }
}

static void outbox_open(worker_t *w)
{
    const engine_t *e = w->engine;
    const side_t *to = &e->side[e->receivers];
    w->out.mail = engine_mail_of(w, HOME);
    w->out.earliest = to->now;
    w->out.first = to->first;
    w->out.n = to->end - to->first;
    w->out.half = e->writing;
}

/* Runs the transit, and shards until none is left in this window: first those at home with this thread,
 * whose state is in its core's cache, then those that other threads have not started. Both in ascending
 * order, as mail.h requires. */
static void run_window(worker_t *w)
{
    engine_t *e = w->engine;
    const uint32_t threads = (uint32_t)e->n_threads, home = (uint32_t)w->number;
    outbox_open(w);
    run_transit(e);
    for (uint32_t p = home; p < e->n_pieces; p += threads)
        run_piece(w, &e->piece[p]);
    w->out.mail = engine_mail_of(w, AWAY);
    for (uint32_t p = 0; p < e->n_pieces; p++)
        run_piece(w, &e->piece[p]);
}

/* Runs the transit and all shards of the window on this thread alone. */
static void run_alone(worker_t *w)
{
    engine_t *e = w->engine;
    void (*const ran)(void *, engine_step_t, uint32_t) = e->n_threads == 1 ? e->hooks.ran : NULL;
    outbox_open(w);
    if (ran != NULL)
        ran(e->hooks.ctx, ENGINE_WINDOW, 0);
    for (uint32_t i = 0; i < e->transit.n; i++) {
        e->hooks.transit(e->hooks.ctx, i);
        if (ran != NULL)
            ran(e->hooks.ctx, ENGINE_TRANSIT, i);
    }
    for (uint32_t i = 0; i < e->n_active; i++) {
        const uint32_t s = e->active[i];
        prefetch_following(e, w, i, e->n_active);
        run_shard(e, &w->out, s);
        if (ran != NULL)
            ran(e->hooks.ctx, e->shard[s].ops->after_transit ? ENGINE_SHARD_AFTER : ENGINE_SHARD,
                s);
    }
}

/* Whether a window after number seen has opened, or the engine is to quit. */
static bool window_after(engine_t *e, uint64_t seen)
{
    return atomic_load(&e->door) / DOOR_WINDOW != seen || atomic_load(&e->quit);
}

/* Waits until window_after(); sleeps if that takes long. */
static void await_window(engine_t *e, uint64_t seen)
{
    for (unsigned spins = 0; spins < SPIN_LIMIT; spins++) {
        if (window_after(e, seen))
            return;
        pause_polling();
    }
    pthread_mutex_lock(&e->sleep_lock);
    atomic_fetch_add(&e->sleepers, 1);
    while (!window_after(e, seen))
        pthread_cond_wait(&e->sleep_cond, &e->sleep_lock);
    atomic_fetch_sub(&e->sleepers, 1);
    pthread_mutex_unlock(&e->sleep_lock);
}

/* Enters the latest window unless its door is closed. *number: that window, in either case. */
static bool enter_window(engine_t *e, uint64_t *number)
{
    uint64_t door = atomic_load(&e->door);
    while (!(door & DOOR_CLOSED) && !atomic_compare_exchange_weak(&e->door, &door, door + 1))
        continue;
    *number = door / DOOR_WINDOW;
    return !(door & DOOR_CLOSED);
}

static void wake_sleepers(engine_t *e)
{
    if (atomic_load(&e->sleepers) == 0)
        return;
    pthread_mutex_lock(&e->sleep_lock);
    pthread_cond_broadcast(&e->sleep_cond);
    pthread_mutex_unlock(&e->sleep_lock);
}

/* Divides the active shards among the pieces. */
static void list_pieces(engine_t *e)
{
    uint32_t i = 0;
    for (uint32_t p = 0; p < e->n_pieces; p++) {
        atomic_store_explicit(&e->piece[p].next, i, memory_order_relaxed);
        while (i < e->n_active && e->piece_of[e->active[i]] == p)
            i++;
        e->piece[p].end = i;
    }
}

/* Opens the next window to the workers, takes part in it, and waits for those that entered. */
static void run_parallel(engine_t *e)
{
    list_pieces(e);
    atomic_store_explicit(&e->transit.next, 0, memory_order_relaxed);
    atomic_store_explicit(&e->transit.left, e->transit.n, memory_order_relaxed);
    atomic_store_explicit(&e->finished, 0, memory_order_relaxed);
    atomic_store(&e->door, (atomic_load(&e->door) / DOOR_WINDOW + 1) * DOOR_WINDOW);
    wake_sleepers(e);
    run_window(&e->worker[0]);
    const uint64_t entered = atomic_fetch_or(&e->door, DOOR_CLOSED) & DOOR_WORKERS;
    for (unsigned spins = 0; atomic_load_explicit(&e->finished, memory_order_acquire) != entered;)
        relax(&spins);
}

static void panic_dump(void *ctx, FILE *out)
{
    engine_dump(ctx, out);
}

static void *worker_main(void *arg)
{
    worker_t *w = arg;
    engine_t *e = w->engine;
    uint64_t seen = 0;
    rb_log_use(e->log);
    rb_set_panic_dump(panic_dump, e);
    for (;;) {
        await_window(e, seen);
        if (atomic_load(&e->quit))
            return NULL;
        if (enter_window(e, &seen)) {
            run_window(w);
            atomic_fetch_add_explicit(&e->finished, 1, memory_order_release);
        }
        while (e->hooks.idle_task != NULL && e->hooks.idle_task(e->hooks.ctx, w->number) &&
               !window_after(e, seen))
            continue;
    }
}

/* Divides the shards of each kind evenly among the threads, in order. */
static void cut_pieces(engine_t *e)
{
    const uint32_t threads = (uint32_t)e->n_threads;
    uint32_t kinds = 0;
    e->piece_of = rb_model_calloc(e->n_shards, sizeof(*e->piece_of));
    for (uint32_t first = 0, end; first < e->n_shards; first = end, kinds++) {
        for (end = first; end < e->n_shards && e->shard[end].ops == e->shard[first].ops;)
            end++;
        for (uint32_t s = first; s < end; s++)
            e->piece_of[s] =
                kinds * threads + (uint32_t)((uint64_t)(s - first) * threads / (end - first));
    }
    e->n_pieces = kinds * threads;
    e->piece = rb_model_calloc(e->n_pieces, sizeof(*e->piece));
}

/* Starts the workers. If the host allows fewer threads, the run is slower but otherwise the
 * same. */
static void workers_start(engine_t *e)
{
    e->worker = rb_model_calloc((size_t)e->n_threads, sizeof(*e->worker));
    e->log = rb_log_current();
    for (int t = 0; t < e->n_threads; t++) {
        worker_t *w = &e->worker[t];
        w->engine = e;
        w->number = t;
        w->out.thread = t;
        if (t > 0 && pthread_create(&w->thread, NULL, worker_main, w) != 0) {
            rb_warn("only %d of %d threads could be started", t, e->n_threads);
            e->n_threads = t;
        }
    }
}

void engine_threads_start(engine_t *e)
{
    workers_start(e);
    cut_pieces(e);
}

void engine_threads_stop(engine_t *e)
{
    atomic_store(&e->quit, true);
    wake_sleepers(e);
    for (int t = 1; t < e->n_threads; t++)
        pthread_join(e->worker[t].thread, NULL);
}

void engine_window_run(engine_t *e)
{
    if (e->n_threads == 1 || e->n_active < PARALLEL_MIN)
        run_alone(&e->worker[0]);
    else
        run_parallel(e);
}
