#include "sim/core/engine.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "sim/core/err.h"
#include "sim/core/log.h"
#include "sim/core/mail.h"
#include "sim/core/model_mem.h"

enum {
    SPIN_LIMIT = 2000,    /* polls before a waiting thread gives its core away */
    PARALLEL_MIN = 4,     /* fewer busy shards than this are run by the calling thread alone */
    HOST_SENDER = 0xffff, /* msg.from of engine_post() */
    WORD = 64,            /* shards in a word of a bit set */
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

/* A thread has two mails: one from the shards at home with it, one from shards it took over. */
enum { HOME, AWAY, MAILS };

struct outbox {
    mail_t *mail;    /* being written */
    uint16_t sender; /* shard that is running */
    cycle_t window_end;
    uint32_t n_shards;
    int thread;
};

typedef struct {
    engine_t *engine;
    int number;
    outbox_t out;
    pthread_t thread;
} worker_t;

/* The active shards of one kind that are at home with one thread. */
typedef struct {
    _Alignas(64) atomic_uint next; /* position in engine.active of the next shard to take */
    uint32_t end;
} piece_t;

struct engine {
    cycle_t window, now;
    int n_threads;
    bool started;
    rb_log_t *log; /* borrowed: of the thread that started the workers */
    engine_hooks_t hooks;
    uint32_t n_shards;
    size_t cap_shards, cap_next;
    struct {
        const shard_ops_t *ops;
        void *self;
    } * shard;        /* owned */
    cycle_t *next;    /* owned; next event of each shard, messages not counted */
    uint64_t *alive;  /* owned; bit set of the shards that have one */
    uint32_t n_words; /* of the bit set */
    worker_t *worker; /* owned; number 0 is the calling thread */

    /* The window being run. */
    mail_t *mail[2];  /* owned; n_threads x MAILS each */
    unsigned writing; /* the mails being written; the others are being delivered */
    cycle_t from, to;
    uint16_t *active; /* owned; shards with something to do, ascending */
    uint32_t n_active;
    piece_t *piece;     /* owned; n_kinds x n_threads, shards ascending */
    uint32_t *piece_of; /* owned; per shard */
    uint32_t n_pieces;
    atomic_uint_fast64_t door; /* of the latest parallel window: DOOR_* */
    atomic_uint finished;      /* workers that entered and are done with it */
    atomic_bool quit;
    atomic_uint sleepers;
    pthread_mutex_t sleep_lock;
    pthread_cond_t sleep_cond;
};

engine_t *engine_create(int threads, cycle_t window)
{
    engine_t *e = rb_model_calloc(1, sizeof(*e));
    RB_INVARIANT(window >= 1 && threads >= 1 && threads <= MAIL_MERGE_MAX / MAILS,
                 "engine: window %llu, threads %d", (unsigned long long)window, threads);
    e->window = window;
    e->n_threads = threads;
    pthread_mutex_init(&e->sleep_lock, NULL);
    pthread_cond_init(&e->sleep_cond, NULL);
    return e;
}

uint16_t engine_add_shard(engine_t *e, const shard_ops_t *ops, void *self)
{
    RB_INVARIANT(!e->started && e->n_shards < HOST_SENDER, "engine: shard added too late");
    size_t n = (size_t)e->n_shards + 1;
    rb_model_grow(&e->shard, &e->cap_shards, n, sizeof(*e->shard));
    rb_model_grow(&e->next, &e->cap_next, n, sizeof(*e->next));
    e->shard[e->n_shards].ops = ops;
    e->shard[e->n_shards].self = self;
    e->next[e->n_shards] = CYCLE_NEVER;
    return (uint16_t)e->n_shards++;
}

void engine_set_hooks(engine_t *e, const engine_hooks_t *hooks)
{
    e->hooks = *hooks;
}

static uint32_t n_mails(const engine_t *e)
{
    return e->n_threads == 1 ? 1 : (uint32_t)e->n_threads * MAILS;
}

/* The mail that a thread writes now: HOME or AWAY. */
static mail_t *mail_of(const worker_t *w, int kind)
{
    return &w->engine->mail[w->engine->writing][w->number * MAILS + kind];
}

int engine_thread(const outbox_t *out)
{
    return out->thread;
}

msg_t *engine_send_new(outbox_t *out, uint16_t dest, cycle_t arrival)
{
    RB_INVARIANT(arrival >= out->window_end && dest < out->n_shards,
                 "message from shard %d to %d arrives at %llu, inside the window that ends at %llu",
                 out->sender, dest, (unsigned long long)arrival,
                 (unsigned long long)out->window_end);
    return mail_add(out->mail, dest, arrival, out->sender);
}

void engine_send(outbox_t *out, uint16_t dest, const msg_t *m)
{
    msg_t *copy = engine_send_new(out, dest, m->arrival);
    *copy = *m;
    copy->from = out->sender;
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
    mail_deliver(e->mail[e->writing ^ 1u], n_mails(e), s, deliver, e);
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
            mail_prefetch(&e->mail[e->writing ^ 1u][w->number * MAILS + HOME], s);
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
            run_shard(e, &w->out, e->active[i]);
        }
    }
}

/* Runs shards until none is left in this window: first those at home with this thread, whose state
 * is in its core's cache, then those that other threads have not started. Both in ascending order,
 * as mail.h requires. */
static void run_window(worker_t *w)
{
    engine_t *e = w->engine;
    const uint32_t threads = (uint32_t)e->n_threads, home = (uint32_t)w->number;
    w->out.window_end = e->to;
    w->out.n_shards = e->n_shards;
    w->out.mail = mail_of(w, HOME);
    for (uint32_t p = home; p < e->n_pieces; p += threads)
        run_piece(w, &e->piece[p]);
    w->out.mail = mail_of(w, AWAY);
    for (uint32_t p = 0; p < e->n_pieces; p++)
        run_piece(w, &e->piece[p]);
}

/* Runs all shards of the window on this thread alone. */
static void run_alone(worker_t *w)
{
    engine_t *e = w->engine;
    void (*const ran)(void *ctx, uint32_t shard) = e->n_threads == 1 ? e->hooks.ran : NULL;
    w->out.window_end = e->to;
    w->out.n_shards = e->n_shards;
    w->out.mail = mail_of(w, HOME);
    if (ran != NULL)
        ran(e->hooks.ctx, ENGINE_WINDOW);
    for (uint32_t i = 0; i < e->n_active; i++) {
        prefetch_following(e, w, i, e->n_active);
        run_shard(e, &w->out, e->active[i]);
        if (ran != NULL)
            ran(e->hooks.ctx, e->active[i]);
    }
}

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

/* Notes whether a shard has a next event. */
static inline void alive_update(engine_t *e, uint32_t s)
{
    const uint64_t bit = UINT64_C(1) << s % WORD;
    e->alive[s / WORD] =
        e->next[s] == CYCLE_NEVER ? e->alive[s / WORD] & ~bit : e->alive[s / WORD] | bit;
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

static void engine_start(engine_t *e)
{
    e->started = true;
    workers_start(e);
    cut_pieces(e);
    e->n_words = (e->n_shards + WORD - 1) / WORD;
    e->alive = rb_model_calloc(e->n_words, sizeof(*e->alive));
    e->active = rb_model_calloc(e->n_shards, sizeof(*e->active));
    for (uint32_t s = 0; s < e->n_shards; s++)
        alive_update(e, s);
    for (unsigned half = 0; half < 2; half++) {
        e->mail[half] = rb_model_calloc(n_mails(e), sizeof(*e->mail[half]));
        for (uint32_t i = 0; i < n_mails(e); i++)
            mail_init(&e->mail[half][i], e->n_shards);
    }
}

void engine_destroy(engine_t *e)
{
    if (e == NULL)
        return;
    if (e->started) {
        atomic_store(&e->quit, true);
        wake_sleepers(e);
        for (int t = 1; t < e->n_threads; t++)
            pthread_join(e->worker[t].thread, NULL);
    }
    for (unsigned half = 0; half < 2 && e->started; half++) {
        for (uint32_t i = 0; i < n_mails(e); i++)
            mail_free(&e->mail[half][i], e->n_shards);
        rb_model_free(e->mail[half]);
    }
    pthread_cond_destroy(&e->sleep_cond);
    pthread_mutex_destroy(&e->sleep_lock);
    rb_model_free(e->worker);
    rb_model_free(e->active);
    rb_model_free(e->piece);
    rb_model_free(e->piece_of);
    rb_model_free(e->alive);
    rb_model_free(e->shard);
    rb_model_free(e->next);
    rb_model_free(e);
}

void engine_post(engine_t *e, uint16_t dest, const msg_t *m)
{
    if (!e->started)
        engine_start(e);
    RB_INVARIANT(m->arrival >= e->now && dest < e->n_shards, "host message into the past");
    mail_put(mail_of(&e->worker[0], HOME), dest, m, HOST_SENDER);
}

void engine_wake(engine_t *e, uint16_t shard, cycle_t at)
{
    RB_INVARIANT(at >= e->now, "shard %d woken at %llu, now is %llu", shard, (unsigned long long)at,
                 (unsigned long long)e->now);
    e->next[shard] = cycle_min(e->next[shard], at);
    if (e->started)
        alive_update(e, shard);
}

static cycle_t earliest_event(const engine_t *e)
{
    cycle_t t = CYCLE_NEVER;
    for (uint32_t word = 0; word < e->n_words; word++) {
        for (uint64_t bits = e->alive[word]; bits != 0; bits &= bits - 1)
            t = cycle_min(t, e->next[word * WORD + (uint32_t)__builtin_ctzll(bits)]);
    }
    return cycle_min(t, mail_first_arrival(e->mail[e->writing], n_mails(e)));
}

/* Lists the shards that have mail or an event before the end of the window. */
static void list_active(engine_t *e)
{
    e->n_active = 0;
    mail_take(e->mail[e->writing ^ 1u], n_mails(e));
    for (uint32_t word = 0; word < e->n_words; word++) {
        const uint64_t mail = mail_take_addressed(e->mail[e->writing ^ 1u], n_mails(e), word);
        for (uint64_t bits = e->alive[word] | mail; bits != 0; bits &= bits - 1) {
            const uint32_t s = word * WORD + (uint32_t)__builtin_ctzll(bits);
            e->active[e->n_active] = (uint16_t)s;
            e->n_active += e->next[s] < e->to || mail >> s % WORD & 1;
        }
    }
}

bool engine_run(engine_t *e, cycle_t until)
{
    if (!e->started)
        engine_start(e);
    for (;;) {
        cycle_t t = earliest_event(e);
        if (t >= until) {
            /* The time of an idle engine stays: the next event may come before until. */
            if (t != CYCLE_NEVER)
                e->now = cycle_max(e->now, until);
            return t == CYCLE_NEVER;
        }
        if (e->hooks.boundary != NULL && !e->hooks.boundary(e->hooks.ctx, t))
            return false;
        e->from = t;
        e->to = cycle_min(t + e->window, until);
        e->writing ^= 1u;
        list_active(e);
        if (e->n_threads == 1 || e->n_active < PARALLEL_MIN)
            run_alone(&e->worker[0]);
        else
            run_parallel(e);
        for (uint32_t i = 0; i < e->n_active; i++)
            alive_update(e, e->active[i]);
        e->now = e->to;
    }
}

bool engine_only(const engine_t *e, uint16_t shard)
{
    for (uint32_t s = 0; s < e->n_shards; s++) {
        if (s != shard && e->next[s] != CYCLE_NEVER)
            return false;
    }
    return mail_first_arrival(e->mail[e->writing], n_mails(e)) == CYCLE_NEVER;
}

cycle_t engine_now(const engine_t *e)
{
    return e->now;
}

void engine_set_now(engine_t *e, cycle_t now)
{
    RB_INVARIANT(now >= e->now, "time runs backwards");
    e->now = now;
}

void engine_dump(const engine_t *e, FILE *out)
{
    fprintf(out, "engine: window [%llu, %llu), %u shards\n", (unsigned long long)e->from,
            (unsigned long long)e->to, e->n_shards);
    for (uint32_t s = 0; s < e->n_shards; s++) {
        if (e->next[s] != CYCLE_NEVER)
            fprintf(out, "%s shard %u: next event at %llu\n", e->shard[s].ops->kind, s,
                    (unsigned long long)e->next[s]);
        e->shard[s].ops->dump(e->shard[s].self, out);
    }
}
