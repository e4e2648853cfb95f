/*
 * State of the engine, for engine.c (sides, windows, messages) and engine_threads.c (who runs the
 * shards of a window).
 */
#ifndef RUBATO_CORE_ENGINE_INTERNAL_H
#define RUBATO_CORE_ENGINE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "sim/core/engine/engine.h"
#include "sim/core/engine/mail.h"
#include "sim/core/log.h"

enum {
    SIDES = 2,
    WORD = 64, /* shards in a word of a bit set */
};

/* A thread has two mails: one from the shards at home with it, one from shards it took over. */
enum { HOME, AWAY, MAILS };

struct outbox {
    mail_t *mail;      /* being written */
    uint16_t sender;   /* shard that is running */
    cycle_t earliest;  /* time of the receivers: nothing may arrive before */
    uint32_t first, n; /* the receivers */
    unsigned half;     /* engine_half() */
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

/* What happens to the messages of the window before, in parts. */
typedef struct {
    uint32_t n;
    _Alignas(64) atomic_uint next; /* part to take */
    atomic_uint left;              /* parts that are not done */
} transit_t;

/* Shards that send only to those of the other side; or all shards. */
typedef struct {
    uint32_t first, end;
    uint64_t *shards;   /* owned; bit set */
    bool after_transit; /* one of them is */
    cycle_t now;        /* first cycle not yet simulated; in a window of this side, its end */
    cycle_t next;       /* next event of a shard, messages not counted */
} side_t;

struct engine {
    cycle_t window;
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
    side_t side[SIDES];
    uint32_t n_sides;
    worker_t *worker; /* owned; number 0 is the calling thread */

    /* The window being run. Of two sides, mail[s] is what side s gets; a single side writes them in
     * turn. */
    mail_t *mail[SIDES];       /* owned; n_threads x MAILS each */
    unsigned reading, writing; /* the mails being delivered and being written */
    unsigned receivers;        /* side that gets the messages */
    cycle_t from, to;
    uint16_t *active; /* owned; shards with something to do, ascending */
    uint32_t n_active;
    piece_t *piece;     /* owned; n_kinds x n_threads, shards ascending */
    uint32_t *piece_of; /* owned; per shard */
    uint32_t n_pieces;
    transit_t transit;
    atomic_uint_fast64_t door; /* of the latest parallel window: DOOR_* */
    atomic_uint finished;      /* workers that entered and are done with it */
    atomic_bool quit;
    atomic_uint sleepers;
    pthread_mutex_t sleep_lock;
    pthread_cond_t sleep_cond;
};

/* Mails of each of e->mail. */
static inline uint32_t engine_mails(const engine_t *e)
{
    return e->n_threads == 1 ? 1 : (uint32_t)e->n_threads * MAILS;
}

/* The mail that a thread writes now: HOME or AWAY. */
static inline mail_t *engine_mail_of(const worker_t *w, int kind)
{
    return &w->engine->mail[w->engine->writing][w->number * MAILS + kind];
}

/* engine_threads.c. Start the workers, and stop them. */
void engine_threads_start(engine_t *e);
void engine_threads_stop(engine_t *e);

/* Runs the active shards of the window. */
void engine_window_run(engine_t *e);

#endif
