#include "sim/core/engine/engine_internal.h"

#include <string.h>

#include "sim/core/err.h"
#include "sim/core/model_mem.h"

enum { HOST_SENDER = 0xffff /* msg.from of engine_post() */ };

engine_t *engine_create(int threads, cycle_t window)
{
    engine_t *e = rb_model_calloc(1, sizeof(*e));
    RB_INVARIANT(window >= 1 && threads >= 1 && threads <= MAIL_MERGE_MAX / MAILS,
                 "engine: window %llu, threads %d", (unsigned long long)window, threads);
    e->window = window;
    e->n_threads = threads;
    e->n_sides = 1;
    for (unsigned s = 0; s < SIDES; s++)
        e->side[s].next = CYCLE_NEVER;
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

int engine_thread(const outbox_t *out)
{
    return out->thread;
}

msg_t *engine_send_new(outbox_t *out, uint16_t dest, cycle_t arrival)
{
    RB_INVARIANT(arrival >= out->earliest && dest - out->first < out->n,
                 "message from shard %d to %d arrives at %llu; its receivers have reached %llu",
                 out->sender, dest, (unsigned long long)arrival, (unsigned long long)out->earliest);
    return mail_add(out->mail, dest, arrival, out->sender);
}

void engine_send(outbox_t *out, uint16_t dest, const msg_t *m)
{
    msg_t *copy = engine_send_new(out, dest, m->arrival);
    *copy = *m;
    copy->from = out->sender;
}

void engine_mark(outbox_t *out)
{
    out->mail->marked = true;
}

bool engine_marked(const engine_t *e)
{
    bool marked = false;
    for (uint32_t i = 0; i < engine_mails(e); i++)
        marked |= e->mail[e->writing][i].marked;
    return marked;
}

unsigned engine_half(const outbox_t *out)
{
    return out->half;
}

struct mail *engine_mail(const outbox_t *out)
{
    return out->mail;
}

uint32_t engine_last_sent(const outbox_t *out, uint16_t dest)
{
    return (uint32_t)out->mail->bag[dest].n - 1;
}

void engine_delay(struct mail *mail, uint16_t dest, uint32_t index, cycle_t cycles)
{
    mail->bag[dest].msg[index].arrival += cycles;
}

/* Notes whether a shard has a next event. */
static inline void alive_update(engine_t *e, uint32_t s)
{
    const uint64_t bit = UINT64_C(1) << s % WORD;
    e->alive[s / WORD] =
        e->next[s] == CYCLE_NEVER ? e->alive[s / WORD] & ~bit : e->alive[s / WORD] | bit;
}

/* Gives a side the shards [first, end). */
static void side_set(engine_t *e, unsigned s, uint32_t first, uint32_t end)
{
    side_t *side = &e->side[s];
    side->first = first;
    side->end = end;
    side->after_transit = false;
    memset(side->shards, 0, e->n_words * sizeof(*side->shards));
    for (uint32_t i = first; i < end; i++) {
        side->shards[i / WORD] |= UINT64_C(1) << i % WORD;
        side->after_transit |= e->shard[i].ops->after_transit;
    }
}

static void engine_start(engine_t *e)
{
    e->started = true;
    engine_threads_start(e);
    e->n_words = (e->n_shards + WORD - 1) / WORD;
    e->alive = rb_model_calloc(e->n_words, sizeof(*e->alive));
    e->active = rb_model_calloc(e->n_shards, sizeof(*e->active));
    for (uint32_t s = 0; s < e->n_shards; s++)
        alive_update(e, s);
    for (unsigned s = 0; s < SIDES; s++)
        e->side[s].shards = rb_model_calloc(e->n_words, sizeof(*e->side[s].shards));
    side_set(e, 0, 0, e->n_shards);
    for (unsigned m = 0; m < SIDES; m++) {
        e->mail[m] = rb_model_calloc(engine_mails(e), sizeof(*e->mail[m]));
        for (uint32_t i = 0; i < engine_mails(e); i++)
            mail_init(&e->mail[m][i], e->n_shards);
    }
}

void engine_destroy(engine_t *e)
{
    if (e == NULL)
        return;
    if (e->started)
        engine_threads_stop(e);
    for (unsigned m = 0; m < SIDES && e->started; m++) {
        for (uint32_t i = 0; i < engine_mails(e); i++)
            mail_free(&e->mail[m][i], e->n_shards);
        rb_model_free(e->mail[m]);
        rb_model_free(e->side[m].shards);
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

static side_t *side_of(engine_t *e, uint16_t shard)
{
    return &e->side[e->n_sides > 1 && shard >= e->side[1].first];
}

/* What is left to do on each side. */
typedef struct {
    cycle_t mail[SIDES];  /* first message to it that is not delivered */
    cycle_t event[SIDES]; /* that, or the first event of a shard */
    cycle_t first;        /* of all */
} ahead_t;

static inline ahead_t look_ahead(const engine_t *e)
{
    ahead_t a = {.event = {CYCLE_NEVER, CYCLE_NEVER}, .first = CYCLE_NEVER};
    for (unsigned s = 0; s < e->n_sides; s++) {
        const mail_t *mails = e->mail[e->n_sides == 1 ? e->writing : s];
        a.mail[s] = mail_first_arrival(mails, engine_mails(e));
        a.event[s] = cycle_min(e->side[s].next, a.mail[s]);
        a.first = cycle_min(a.first, a.event[s]);
    }
    return a;
}

cycle_t engine_longest_window(const engine_t *e)
{
    return SIDES * e->window;
}

void engine_set_sides(engine_t *e, uint16_t second)
{
    const cycle_t now = cycle_max(e->side[0].now, e->side[1].now);
    if (e->n_sides == (second == 0 ? 1 : 2))
        return;
    if (!e->started)
        engine_start(e);
    RB_INVARIANT(look_ahead(e).first == CYCLE_NEVER && second < e->n_shards,
                 "engine: sides change while something is left to do");
    e->n_sides = second == 0 ? 1 : 2;
    e->transit.n = 0;
    side_set(e, 0, 0, second == 0 ? e->n_shards : second);
    side_set(e, 1, second, e->n_shards);
    e->side[0].now = e->side[1].now = now;
}

void engine_post(engine_t *e, uint16_t dest, const msg_t *m)
{
    if (!e->started)
        engine_start(e);
    RB_INVARIANT(m->arrival >= side_of(e, dest)->now && dest < e->n_shards,
                 "host message into the past");
    mail_put(&e->mail[e->n_sides == 1 ? e->writing : (unsigned)(side_of(e, dest) - e->side)][HOME],
             dest, m, HOST_SENDER);
}

void engine_wake(engine_t *e, uint16_t shard, cycle_t at)
{
    side_t *side = side_of(e, shard);
    RB_INVARIANT(at >= side->now, "shard %d woken at %llu, now is %llu", shard,
                 (unsigned long long)at, (unsigned long long)side->now);
    e->next[shard] = cycle_min(e->next[shard], at);
    side->next = cycle_min(side->next, at);
    if (e->started)
        alive_update(e, shard);
}

/* Lists the shards of a side that have mail or an event before the end of the window. */
static void list_active(engine_t *e, const side_t *side)
{
    mail_t *mails = e->mail[e->reading];
    e->n_active = 0;
    mail_take(mails, engine_mails(e));
    for (uint32_t word = 0; word < e->n_words; word++) {
        const uint64_t mail = mail_take_addressed(mails, engine_mails(e), word);
        for (uint64_t bits = (e->alive[word] | mail) & side->shards[word]; bits != 0;
             bits &= bits - 1) {
            const uint32_t s = word * WORD + (uint32_t)__builtin_ctzll(bits);
            e->active[e->n_active] = (uint16_t)s;
            e->n_active += e->next[s] < e->to || mail >> s % WORD & 1;
        }
    }
}

/* After a window: the next event of the side. */
static void side_update(engine_t *e, side_t *side)
{
    for (uint32_t i = 0; i < e->n_active; i++)
        alive_update(e, e->active[i]);
    side->next = CYCLE_NEVER;
    for (uint32_t word = 0; word < e->n_words; word++) {
        for (uint64_t bits = e->alive[word] & side->shards[word]; bits != 0; bits &= bits - 1)
            side->next =
                cycle_min(side->next, e->next[word * WORD + (uint32_t)__builtin_ctzll(bits)]);
    }
}

/* A cycle n windows later. */
static inline cycle_t windows_after(const engine_t *e, cycle_t cycle, unsigned n)
{
    return cycle == CYCLE_NEVER ? CYCLE_NEVER : cycle + n * e->window;
}

/* Which of two sides goes on: one that has mail, because the next messages to it must not get into
 * the same bags. Otherwise the one that is behind. */
static inline unsigned side_choose(const ahead_t *a)
{
    if (a->mail[0] != CYCLE_NEVER || a->mail[1] != CYCLE_NEVER)
        return a->mail[0] == CYCLE_NEVER;
    return a->event[0] > a->event[1];
}

/* Opens the next window: sets who runs and until when. */
static side_t *window_open(engine_t *e, const ahead_t *a, cycle_t until)
{
    unsigned s = 0;
    cycle_t to = windows_after(e, a->event[0], 1);
    if (e->n_sides == 1) {
        e->reading = e->writing;
        e->writing ^= 1u;
        e->receivers = 0;
    } else {
        s = side_choose(a);
        if (s == e->reading)
            e->transit.n = 0; /* the side goes on because it sent nothing */
        to = cycle_min(windows_after(e, a->event[s ^ 1], 1), windows_after(e, a->event[s], 2));
        e->reading = s;
        e->writing = e->receivers = s ^ 1;
    }
    side_t *side = &e->side[s];
    e->from = a->event[s];
    e->to = cycle_max(cycle_min(to, until), side->now);
    side->now = e->to;
    return side;
}

/* After a window: the parts of the transit of its messages. */
static inline void transit_set(engine_t *e)
{
    e->transit.n = 0;
    if (e->hooks.sent != NULL && e->side[e->receivers].after_transit)
        e->transit.n = e->hooks.sent(e->hooks.ctx, e->from, e->writing);
}

bool engine_run(engine_t *e, cycle_t until)
{
    if (!e->started)
        engine_start(e);
    for (;;) {
        const ahead_t ahead = look_ahead(e);
        const cycle_t t = ahead.first;
        if (t >= until) {
            /* The time of an idle engine stays: the next event may come before until. */
            for (unsigned s = 0; s < SIDES && t != CYCLE_NEVER; s++)
                e->side[s].now = cycle_max(e->side[s].now, until);
            return t == CYCLE_NEVER;
        }
        if (e->hooks.boundary != NULL && !e->hooks.boundary(e->hooks.ctx, t))
            return false;
        side_t *side = window_open(e, &ahead, until);
        list_active(e, side);
        engine_window_run(e);
        side_update(e, side);
        transit_set(e);
    }
}

bool engine_only(const engine_t *e, uint16_t shard)
{
    for (uint32_t s = 0; s < e->n_shards; s++) {
        if (s != shard && e->next[s] != CYCLE_NEVER)
            return false;
    }
    return mail_first_arrival(e->mail[0], engine_mails(e)) == CYCLE_NEVER &&
           mail_first_arrival(e->mail[1], engine_mails(e)) == CYCLE_NEVER;
}

cycle_t engine_now(const engine_t *e)
{
    return e->n_sides == 1 ? e->side[0].now : cycle_min(e->side[0].now, e->side[1].now);
}

void engine_set_now(engine_t *e, cycle_t now)
{
    RB_INVARIANT(now >= cycle_max(e->side[0].now, e->side[1].now), "time runs backwards");
    e->side[0].now = e->side[1].now = now;
}
