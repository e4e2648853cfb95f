#include "sim/parts/xbar.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "sim/core/err.h"
#include "sim/core/files/checkpoint_read.h"
#include "sim/core/model_mem.h"

void xbar_out_init(xbar_out_t *x, uint32_t n_dest, uint32_t capacity, uint32_t flits_per_cycle,
                   bool perfect, uint16_t input, cycle_t flight, uint32_t credits)
{
    RB_INVARIANT(capacity > 0 && flits_per_cycle > 0, "crossbar: a port without room or width");
    RB_INVARIANT(flight <= XBAR_MAX_FLIGHT, "crossbar: flight of %" PRIu64 " cycles", flight);
    *x = (xbar_out_t){.n_dest = n_dest,
                      .capacity = capacity,
                      .rate = divider_make(flits_per_cycle),
                      .perfect = perfect,
                      .buffer = credits,
                      .input = input};
    x->dest = rb_model_calloc(n_dest, sizeof(*x->dest));
    x->queue = rb_model_calloc(capacity, sizeof(*x->queue));
    for (uint32_t d = 0; d < n_dest; d++) {
        x->dest[d].credits = credits;
        x->dest[d].flight = (uint16_t)flight;
    }
}

void xbar_out_free(xbar_out_t *x)
{
    rb_model_free(x->dest);
    rb_model_free(x->queue);
    memset(x, 0, sizeof(*x));
}

void xbar_out_connect(xbar_out_t *x, uint32_t dest, uint16_t shard, uint8_t port)
{
    x->dest[dest].shard = shard;
    x->dest[dest].port = port;
}

/* A flight time changed by `cycles`. */
static uint16_t moved(uint16_t flight, int32_t cycles)
{
    int64_t to = flight + (int64_t)cycles;
    RB_INVARIANT(to >= 1 && to <= XBAR_MAX_FLIGHT, "crossbar: flight of %" PRId64 " cycles", to);
    return (uint16_t)to;
}

void xbar_out_move(xbar_out_t *x, uint32_t dest, int32_t cycles)
{
    x->dest[dest].flight = moved(x->dest[dest].flight, cycles);
}

msg_t *xbar_out_push(xbar_out_t *x, uint32_t dest, cycle_t ready)
{
    RB_INVARIANT(x->count < x->capacity, "crossbar: push into a full queue");
    uint32_t i = x->head + x->count++;
    if (i >= x->capacity)
        i -= x->capacity;
    xbar_packet_t *p = &x->queue[i];
    __builtin_prefetch(p + 1, 1); /* the slot of the next packet */
    p->msg.arrival = ready;
    p->msg.input = x->input;
    p->msg.port = x->dest[dest].port;
    p->dest = dest;
    p->slots_per_flit = 1;
    p->first = false;
    return &p->msg;
}

/* Packet k of the queue, counted from its head. */
static inline xbar_packet_t *packet_at(const xbar_out_t *x, uint32_t k)
{
    const uint32_t i = x->head + k;
    return &x->queue[i >= x->capacity ? i - x->capacity : i];
}

void xbar_out_stretch(xbar_out_t *x, uint32_t slots_per_flit)
{
    RB_INVARIANT(x->count > 0, "crossbar: no packet to stretch");
    packet_at(x, x->count - 1)->slots_per_flit = (uint16_t)slots_per_flit;
}

void xbar_out_overtake(xbar_out_t *x)
{
    RB_INVARIANT(x->count > 0, "crossbar: no packet that could overtake");
    packet_at(x, x->count - 1)->first = true;
    x->n_first++;
}

void xbar_out_credit(xbar_out_t *x, uint32_t dest, uint32_t flits)
{
    x->dest[dest].credits += flits;
}

/* Sends a packet at cycle `at` if the port is free by then and the receiver has the credits:
 * returns its message, with arrival and from set. NULL: not sent, nothing is changed. */
static inline msg_t *packet_send(xbar_out_t *x, outbox_t *out, xbar_dest_t *dest, cycle_t at,
                                 uint32_t slots_per_flit, uint32_t flits)
{
    cycle_t leaves = at;
    if (!x->perfect) {
        if (x->port.cycle > at || dest->credits < flits)
            return NULL;
        dest->credits -= flits;
        if (slots_per_flit > 0)
            leaves = xbar_port_use(&x->port, &x->rate, flits, at);
        if (slots_per_flit > 1)
            xbar_port_use(&x->port, &x->rate, flits * (slots_per_flit - 1), at);
    }
    return engine_send_new(out, dest->shard, leaves + dest->flight);
}

/* The packet that is to leave at cycle now, counted from the head of the queue: the oldest of those
 * that overtake and are ready, or else the oldest. */
static inline uint32_t packet_next(const xbar_out_t *x, cycle_t now)
{
    if (x->n_first == 0)
        return 0;
    for (uint32_t k = 0; k < x->count && packet_at(x, k)->msg.arrival <= now; k++) {
        if (packet_at(x, k)->first)
            return k;
    }
    return 0;
}

/* Sends packet k of the queue; false: not possible at cycle now. */
static inline bool queued_send(xbar_out_t *x, outbox_t *out, cycle_t now, uint32_t k)
{
    const xbar_packet_t *p = packet_at(x, k);
    if (p->msg.arrival > now)
        return false;
    msg_t *m = packet_send(x, out, &x->dest[p->dest], now, p->slots_per_flit, p->msg.flits);
    if (m == NULL)
        return false;
    const cycle_t arrival = m->arrival;
    const uint16_t from = m->from;
    *m = p->msg;
    m->arrival = arrival;
    m->from = from;
    m->count = (uint8_t)(arrival - x->dest[p->dest].flight - now);
    if (x->log != NULL)
        departures_add(x->log, out, x->dest[p->dest].shard, m, now);
    return true;
}

/* Removes packet k: those before it move up by one place. */
static inline void packet_remove(xbar_out_t *x, uint32_t k)
{
    x->n_first -= packet_at(x, k)->first;
    for (; k > 0; k--)
        *packet_at(x, k) = *packet_at(x, k - 1);
    x->count--;
    if (++x->head == x->capacity || x->count == 0) /* an empty ring restarts at 0: the same few
                                                    * entries stay in the host's cache */
        x->head = 0;
}

void xbar_out_step(xbar_out_t *x, outbox_t *out, cycle_t now, uint64_t *sent)
{
    while (x->count > 0) {
        const uint32_t k = packet_next(x, now);
        if (!queued_send(x, out, now, k))
            return;
        if (sent != NULL)
            *sent += packet_at(x, k)->msg.flits;
        packet_remove(x, k);
    }
}

msg_t *xbar_out_ahead(xbar_out_t *x, outbox_t *out, uint32_t dest, cycle_t ready,
                      uint32_t slots_per_flit, uint32_t flits)
{
    if (x->count > 0)
        return NULL;
    msg_t *m = packet_send(x, out, &x->dest[dest], ready, slots_per_flit, flits);
    if (m == NULL)
        return NULL;
    m->input = x->input;
    m->port = x->dest[dest].port;
    m->flits = (uint8_t)flits;
    return m;
}

/* When the next packet that overtakes becomes ready after cycle now, CYCLE_NEVER if none does. */
static cycle_t next_first(const xbar_out_t *x, cycle_t now)
{
    for (uint32_t k = 0; k < x->count && x->n_first > 0; k++) {
        const xbar_packet_t *p = packet_at(x, k);
        if (p->first && p->msg.arrival > now)
            return p->msg.arrival;
    }
    return CYCLE_NEVER;
}

cycle_t xbar_out_next(const xbar_out_t *x, cycle_t now)
{
    if (x->count == 0)
        return CYCLE_NEVER;
    cycle_t next = cycle_max(packet_at(x, 0)->msg.arrival, now + 1);
    if (x->perfect)
        return next;
    next = cycle_max(next, x->port.cycle);
    const xbar_packet_t *p = packet_at(x, packet_next(x, next));
    return x->dest[p->dest].credits < p->msg.flits ? next_first(x, next) : next;
}

void xbar_in_init(xbar_in_t *x, msg_pool_t *pool, uint32_t n_src, uint32_t flits_per_cycle,
                  bool perfect, uint16_t number, cycle_t credit_flight, uint32_t credit_batch)
{
    RB_INVARIANT(n_src > 0 && flits_per_cycle > 0, "crossbar: a port without senders or width");
    RB_INVARIANT(credit_batch <= UINT16_MAX - UINT8_MAX, "crossbar: batches of %u", credit_batch);
    RB_INVARIANT(credit_flight <= XBAR_MAX_FLIGHT, "crossbar: flight of %" PRIu64 " cycles",
                 credit_flight);
    *x = (xbar_in_t){.pool = pool,
                     .n_src = n_src,
                     .rate = divider_make(flits_per_cycle),
                     .credit_batch = credit_batch,
                     .perfect = perfect,
                     .number = number,
                     .last = n_src - 1};
    x->src = rb_model_calloc(n_src, sizeof(*x->src));
    for (uint32_t s = 0; s < n_src; s++)
        x->src[s].credit_flight = (uint16_t)credit_flight;
    x->nonempty = rb_model_calloc((n_src + 63) / 64, sizeof(*x->nonempty));
}

void xbar_in_free(xbar_in_t *x)
{
    rb_model_free(x->src);
    rb_model_free(x->nonempty);
    memset(x, 0, sizeof(*x));
}

void xbar_in_connect(xbar_in_t *x, uint32_t src, uint16_t shard, uint8_t port)
{
    x->src[src].shard = shard;
    x->src[src].port = port;
}

void xbar_in_move(xbar_in_t *x, uint32_t src, int32_t cycles)
{
    x->src[src].credit_flight = moved(x->src[src].credit_flight, cycles);
}

void xbar_in_push(xbar_in_t *x, uint32_t n)
{
    uint32_t input = msg_pool_at(x->pool, n)->msg.input;
    RB_INVARIANT(input < x->n_src, "crossbar: packet from sender %u of %u", input, x->n_src);
    xbar_src_t *src = &x->src[input];
    if (src->head == 0)
        src->head = n;
    else
        msg_pool_at(x->pool, src->tail)->next = n;
    src->tail = n;
    x->nonempty[input / 64] |= UINT64_C(1) << input % 64;
    x->waiting++;
}

/* The next sender with a packet after the last one served (round robin). */
static uint32_t arbiter_next(const xbar_in_t *x)
{
    uint32_t words = (x->n_src + 63) / 64;
    uint32_t start = x->last + 1 == x->n_src ? 0 : x->last + 1;
    uint32_t w = start / 64;
    uint64_t bits = x->nonempty[w] & (~UINT64_C(0) << start % 64);
    for (uint32_t i = 0; i <= words; i++) {
        if (bits != 0)
            return w * 64 + (uint32_t)__builtin_ctzll(bits);
        w = w + 1 == words ? 0 : w + 1;
        bits = x->nonempty[w];
    }
    rb_panic("crossbar: take from an empty buffer");
}

void xbar_in_likely(const xbar_in_t *x, uint32_t *packet, uint32_t n)
{
    const xbar_src_t *src = x->src + (x->last & ~63u);
    uint64_t bits = x->nonempty[x->last / 64] & (~UINT64_C(1) << x->last % 64);
    for (uint32_t i = 0; i < n; i++) {
        packet[i] = bits != 0 ? src[__builtin_ctzll(bits)].head : 0;
        bits &= bits - 1;
    }
}

static void credits_return(xbar_in_t *x, outbox_t *out, xbar_src_t *src, uint32_t flits,
                           cycle_t now)
{
    uint32_t owed = src->owed + flits;
    src->owed = (uint16_t)owed;
    if (owed < x->credit_batch)
        return;
    src->owed = 0;
    while (owed > 0) {
        msg_t *m = engine_send_new(out, src->shard, now + src->credit_flight);
        m->kind = MSG_CREDIT;
        m->port = src->port;
        m->input = x->number;
        m->count = (uint8_t)(owed > UINT8_MAX ? UINT8_MAX : owed);
        owed -= m->count;
    }
}

/* The port takes a packet of a sender. */
static inline void port_take(xbar_in_t *x, outbox_t *out, uint32_t input, uint32_t flits,
                             cycle_t now)
{
    x->last = input;
    if (x->perfect)
        return;
    xbar_port_use(&x->port, &x->rate, flits, now);
    credits_return(x, out, &x->src[input], flits, now);
}

void xbar_in_pass(xbar_in_t *x, outbox_t *out, uint32_t n, cycle_t now)
{
    const msg_t *m = &msg_pool_at(x->pool, n)->msg;
    RB_INVARIANT(m->input < x->n_src && x->waiting == 0, "crossbar: packet from sender %u of %u",
                 m->input, x->n_src);
    port_take(x, out, m->input, m->flits, now);
}

uint32_t xbar_in_take(xbar_in_t *x, outbox_t *out, cycle_t now)
{
    uint32_t input = arbiter_next(x);
    xbar_src_t *src = &x->src[input];
    uint32_t n = src->head;
    const msg_node_t *node = msg_pool_at(x->pool, n);
    if (n != src->tail) {
        src->head = node->next;
    } else {
        src->head = 0;
        x->nonempty[input / 64] &= ~(UINT64_C(1) << input % 64);
    }
    x->waiting--;
    port_take(x, out, input, node->msg.flits, now);
    return n;
}

static int checked_read(void *to, size_t size, size_t n, FILE *in)
{
    return fread(to, size, n, in) == n ? 0 : checkpoint_read_failed(in);
}

static int port_save(const xbar_port_t *p, FILE *out)
{
    const uint64_t word[2] = {p->cycle, p->used};
    return fwrite(word, sizeof(word), 1, out) == 1 ? 0 : -1;
}

static int port_load(xbar_port_t *p, uint32_t flits_per_cycle, FILE *in, cycle_t latest)
{
    uint64_t word[2];
    if (checked_read(word, sizeof(word), 1, in) != 0)
        return -1;
    if (word[0] > latest || word[1] >= flits_per_cycle)
        return checkpoint_out_of_range();
    *p = (xbar_port_t){.cycle = word[0], .used = (uint32_t)word[1]};
    return 0;
}

int xbar_out_save(const xbar_out_t *x, FILE *out)
{
    RB_INVARIANT(x->count == 0, "crossbar: checkpoint with %u packets waiting", x->count);
    if (fwrite(&x->n_dest, sizeof(x->n_dest), 1, out) != 1 || port_save(&x->port, out) != 0)
        return -1;
    for (uint32_t d = 0; d < x->n_dest; d++) {
        if (fwrite(&x->dest[d].credits, sizeof(x->dest[d].credits), 1, out) != 1)
            return -1;
    }
    return 0;
}

int xbar_out_load(xbar_out_t *x, FILE *in, cycle_t latest)
{
    uint32_t n_dest;
    if (checked_read(&n_dest, sizeof(n_dest), 1, in) != 0)
        return -1;
    if (n_dest != x->n_dest)
        return checkpoint_out_of_range();
    x->head = x->count = x->n_first = 0;
    if (port_load(&x->port, (uint32_t)x->rate.by, in, latest) != 0)
        return -1;
    for (uint32_t d = 0; d < x->n_dest; d++) {
        if (checked_read(&x->dest[d].credits, sizeof(x->dest[d].credits), 1, in) != 0)
            return -1;
        if (x->dest[d].credits > x->buffer)
            return checkpoint_out_of_range();
    }
    return 0;
}

int xbar_in_save(const xbar_in_t *x, FILE *out)
{
    RB_INVARIANT(x->waiting == 0, "crossbar: checkpoint with %u packets waiting", x->waiting);
    if (fwrite(&x->n_src, sizeof(x->n_src), 1, out) != 1 || port_save(&x->port, out) != 0 ||
        fwrite(&x->last, sizeof(x->last), 1, out) != 1)
        return -1;
    for (uint32_t s = 0; s < x->n_src; s++) {
        const uint32_t owed = x->src[s].owed;
        if (fwrite(&owed, sizeof(owed), 1, out) != 1)
            return -1;
    }
    return 0;
}

int xbar_in_load(xbar_in_t *x, FILE *in, cycle_t latest)
{
    uint32_t n_src;
    if (checked_read(&n_src, sizeof(n_src), 1, in) != 0)
        return -1;
    if (n_src != x->n_src || x->waiting > 0)
        return checkpoint_out_of_range();
    if (port_load(&x->port, (uint32_t)x->rate.by, in, latest) != 0 ||
        checked_read(&x->last, sizeof(x->last), 1, in) != 0)
        return -1;
    for (uint32_t s = 0; s < x->n_src; s++) {
        uint32_t owed;
        if (checked_read(&owed, sizeof(owed), 1, in) != 0)
            return -1;
        if (owed >= (x->perfect ? 1 : x->credit_batch))
            return checkpoint_out_of_range();
        x->src[s].owed = (uint16_t)owed;
    }
    return x->last < x->n_src ? 0 : checkpoint_out_of_range();
}

bool xbar_credits_hold(const xbar_out_t *out, uint32_t dest, const xbar_in_t *in, uint32_t src)
{
    return out->perfect || out->dest[dest].credits + in->src[src].owed == out->buffer;
}

void xbar_out_dump(const xbar_out_t *x, const char *name, FILE *out)
{
    if (x->count == 0)
        return;
    const xbar_packet_t *p = &x->queue[x->head];
    fprintf(out,
            "  %s: %u packets; head: line 0x%" PRIx64 " txn %u to port %u, %u flits, credits %u, "
            "ready at %" PRIu64 "\n",
            name, x->count, p->msg.mem.line, p->msg.mem.txn, p->dest, p->msg.flits,
            x->dest[p->dest].credits, p->msg.arrival);
}

void xbar_in_dump(const xbar_in_t *x, const char *name, FILE *out)
{
    for (uint32_t s = 0; x->waiting > 0 && s < x->n_src; s++) {
        if (x->src[s].head == 0)
            continue;
        const msg_t *m = &msg_pool_at(x->pool, x->src[s].head)->msg;
        fprintf(out, "  %s: from port %u: line 0x%" PRIx64 " txn %u, arrived at %" PRIu64 "\n",
                name, s, m->mem.line, m->mem.txn, m->arrival);
    }
}
