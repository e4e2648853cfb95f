/*
 * The engine: shards, windows, messages.
 *
 * The chip is cut into shards that share nothing and exchange time-stamped messages. Every channel
 * between shards has a latency of at least W cycles (the window), so the engine lets each shard
 * simulate [T, T+W) on its own and then exchanges the messages: no message sent in a window can
 * arrive in it. This is exact. Results are the same for any number of threads and any shorter W.
 *
 * Sides: if the shards fall into two sides that only send to each other, a window belongs to one side,
 * and the sides take turns. A window may then be nearly 2 W long: what a side sends from its first event
 * at T on arrives W later, and an answer another W later; and what the other side sends without being
 * asked arrives W after its own first event. So each shard is visited half as often, which leaves more
 * of the state in the host's cache.
 *
 * Order: a shard receives the messages of a window in the total order (sender, send order); inside
 * the shard they take effect at their arrival cycle. The order of messages with equal arrival from
 * different senders must not matter to a shard (crossbar ports queue them per input).
 *
 * Threads: each shard is at home with one thread, so that its state stays in one core's cache. A
 * thread that has finished its own shards takes shards that other threads have not started. Each
 * thread has one outbox for its own shards and one for the others. In an outbox senders ascend and
 * the messages of one sender are contiguous, so delivery can merge the outboxes by sender: no
 * result depends on which thread ran a shard. A window does not wait for threads that took no part
 * in it.
 *
 * Transit: a model may delay messages by what other shards sent in the same window. It does so between
 * the windows, in parts that threads take like shards (engine_hooks_t.transit).
 */
#ifndef RUBATO_CORE_ENGINE_H
#define RUBATO_CORE_ENGINE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/core/engine/msg.h"

typedef struct engine engine_t;
typedef struct outbox outbox_t;

typedef struct {
    const char *kind; /* "sm", "partition", "scheduler": for dumps */

    /* Messages to these shards may be delayed in transit: they run after it. */
    bool after_transit;

    /* Takes n messages at the beginning of a window. None arrives before the window begins. */
    void (*deliver)(void *self, const msg_t *m, size_t n);

    /* Simulates [from, to). May send through out, with arrival >= to. Returns the next cycle >= to
     * at which the shard has something to do without further messages, or CYCLE_NEVER. Not called
     * for windows in which the shard has no event and gets no message. */
    cycle_t (*run)(void *self, outbox_t *out, cycle_t from, cycle_t to);

    /* Prints queues and their heads, for people. */
    void (*dump)(const void *self, FILE *out);

    /* Host-side hint, may be NULL: the shard runs next (ahead 1) or after the next (ahead 2).
     * Prefetches what the shard always uses: its own memory at 2, what that points to at 1. Another
     * thread may be running the shard, so it reads only what never changes. */
    void (*prefetch)(const void *self, int ahead);
} shard_ops_t;

/* Steps of a window. */
typedef enum {
    ENGINE_WINDOW,
    ENGINE_TRANSIT,
    ENGINE_SHARD,
    ENGINE_SHARD_AFTER, /* one that is after_transit */
} engine_step_t;

/* Called by the engine. Every member may be NULL. */
typedef struct {
    void *ctx;
    /* Between windows, on the calling thread: the next window starts at now. false stops. */
    bool (*boundary)(void *ctx, cycle_t now);
    /* After a window that began at from and may have sent messages to shards that are after_transit, on the
     * calling thread. Returns the parts of their transit; 0: they are delivered as they are. half: what
     * engine_half() was in it. */
    uint32_t (*sent)(void *ctx, cycle_t from, unsigned half);
    /* Part i of the transit, on any thread, at the beginning of the next window, which delivers the
     * messages. Parts share nothing. Only shards that are after_transit wait for all of them. */
    void (*transit)(void *ctx, uint32_t i);
    /* Host work for workers that finished their window (decoding ahead). false: nothing to do. */
    bool (*idle_task)(void *ctx, int thread);
    /* For measurements, on one thread only: a part of the transit or a shard has run. ENGINE_WINDOW:
     * the window begins. */
    void (*ran)(void *ctx, engine_step_t step, uint32_t number);
} engine_hooks_t;

/* window: W >= 1 cycles. threads >= 1; threads - 1 workers are started at the first run. */
engine_t *engine_create(int threads, cycle_t window);
void engine_destroy(engine_t *e);

/* Adds a shard and returns its number (0, 1, ...). Not after the first run. */
uint16_t engine_add_shard(engine_t *e, const shard_ops_t *ops, void *self);

/* Divides the shards into two sides: those before `second`, and those from it on. 0: one side, as in the
 * beginning. Not before all shards are added, and only while nothing is left to do. */
void engine_set_sides(engine_t *e, uint16_t second);

void engine_set_hooks(engine_t *e, const engine_hooks_t *hooks);

/* Sends m to shard dest. m->arrival must not lie before the time that dest has reached; m->from is set
 * here. */
void engine_send(outbox_t *out, uint16_t dest, const msg_t *m);

/* The same without a copy: sends a message to shard dest and returns it. The caller sets the members
 * that its kind uses at once, except arrival and from. */
msg_t *engine_send_new(outbox_t *out, uint16_t dest, cycle_t arrival);

/* The thread that owns an outbox: 0 is the one that calls engine_run(). */
int engine_thread(const outbox_t *out);

/* Marks the window in which the shard of this outbox runs, for the hook `sent`. */
void engine_mark(outbox_t *out);

/* For the hook `sent`: whether a shard marked the window that ended. */
bool engine_marked(const engine_t *e);

/* Where a shard puts what it notes for the transit, which may run beside the next window: 0 or 1, the
 * other one in the next window if the shard may run in it. */
unsigned engine_half(const outbox_t *out);

/* A message is named, until it is delivered, by the mail into which its sender sends in this window, its
 * receiver, and its index there, which is that of the message sent last to dest. */
struct mail *engine_mail(const outbox_t *out);
uint32_t engine_last_sent(const outbox_t *out, uint16_t dest);

/* For the hook `transit`: a message arrives later by this many cycles. */
void engine_delay(struct mail *mail, uint16_t dest, uint32_t index, cycle_t cycles);

/* Sends a message from outside the model (the host); it is delivered before the next window. */
void engine_post(engine_t *e, uint16_t dest, const msg_t *m);

/* Tells the engine that a shard has something to do at cycle `at` (host side, between runs). */
void engine_wake(engine_t *e, uint16_t shard, cycle_t at);

/* Runs windows from the earliest pending event. Returns true when nothing is left to do; false when
 * the boundary hook says stop or the next event is at or after `until`. */
bool engine_run(engine_t *e, cycle_t until);

/* Whether nothing is left to do but in this shard, and no message is in flight. */
bool engine_only(const engine_t *e, uint16_t shard);

/* Cycles that no window exceeds. */
cycle_t engine_longest_window(const engine_t *e);

/* First cycle not yet simulated by all: every event before it has happened. */
cycle_t engine_now(const engine_t *e);

/* Moves time forward on an idle engine (resuming from a checkpoint). */
void engine_set_now(engine_t *e, cycle_t now);

/* Describes every shard that is not idle, for panics and deadlock reports. */
void engine_dump(const engine_t *e, FILE *out);

#endif
