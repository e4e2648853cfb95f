/*
 * The two ends of a crossbar channel, used by SMs (requests out, replies in) and by L2 slices
 * (requests in, replies out).
 *
 * A channel has many senders and many receivers. The sending end owns an injection port (flits per
 * cycle), a queue in front of it and one credit counter per receiver. The receiving end owns a
 * buffer per sender, an ejection port and a round-robin arbiter. Between them is a fixed flight
 * time, which may differ between pairs. Credits return in batches after the flight time of the
 * opposite direction.
 *
 * Time on a port is counted in flit slots, flits_per_cycle of them per cycle. A packet takes one
 * slot per flit, in a row, and starts only when there are credits for all of its flits. It arrives
 * one flight time after the cycle in which its last flit left. The receiver takes it whole, and its
 * port is busy for as many slots again. A perfect end has no slots and no credits. A sender may
 * keep its own port busy for longer, which delays the packets behind.
 *
 * The order in which packets of different senders arrive in one cycle does not matter: they are
 * queued per sender, and the arbiter's state decides which sender is served.
 */
#ifndef RUBATO_PARTS_XBAR_H
#define RUBATO_PARTS_XBAR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/divider.h"
#include "sim/core/engine/engine.h"
#include "sim/core/engine/msg_pool.h"
#include "sim/parts/departures.h"

enum { XBAR_MAX_FLIGHT = 8192 };

/* Next free flit slot of a port: slot `used` of a cycle. */
typedef struct {
    cycle_t cycle;
    uint32_t used; /* less than the flits per cycle */
} xbar_port_t;

/* Occupies the next `flits` slots, rate->by per cycle, starting at cycle now or later. Returns the
 * cycle of the last one. */
static inline cycle_t xbar_port_use(xbar_port_t *p, const divider_t *rate, uint32_t flits,
                                    cycle_t now)
{
    if (p->cycle < now)
        *p = (xbar_port_t){.cycle = now};
    uint32_t used = p->used + flits;
    if (rate->by == 1) {
        p->cycle += used;
        return p->cycle - 1;
    }
    p->cycle += divider_quotient(rate, used);
    p->used = (uint32_t)divider_rest(rate, used);
    return p->cycle - (p->used == 0);
}

/* State of the sending end for one receiver. */
typedef struct {
    uint32_t credits; /* free flits in its buffer */
    uint16_t shard;
    uint16_t flight;
    uint8_t port; /* within the shard */
} xbar_dest_t;

/* A packet waiting for the injection port. Until it leaves, its message's arrival is the earliest
 * cycle at which it may leave. */
typedef struct {
    msg_t msg;
    uint32_t dest;
    uint16_t slots_per_flit;
    bool first; /* overtakes the others */
} xbar_packet_t;

/* Sending end. */
typedef struct {
    uint32_t n_dest;      /* receivers */
    uint32_t capacity;    /* packets that may wait in the queue */
    uint32_t buffer;      /* credits of a receiver whose buffer is empty */
    divider_t rate;       /* flits per cycle */
    bool perfect;         /* no port limit, no credits */
    uint16_t input;       /* this sender's number at every receiver */
    xbar_dest_t *dest;    /* owned; the receivers */
    xbar_packet_t *queue; /* owned; ring of capacity entries */
    uint32_t head, count;
    uint32_t n_first; /* packets of the queue that overtake the others */
    xbar_port_t port;
    departure_log_t *log; /* borrowed; notes what is sent; NULL: nothing does */
} xbar_out_t;

/* flight: cycles to every receiver, at most XBAR_MAX_FLIGHT. credits: flits that each receiver
 * buffers for this sender. */
void xbar_out_init(xbar_out_t *x, uint32_t n_dest, uint32_t capacity, uint32_t flits_per_cycle,
                   bool perfect, uint16_t input, cycle_t flight, uint32_t credits);
void xbar_out_free(xbar_out_t *x);

/* Sets the shard and port of receiver dest. */
void xbar_out_connect(xbar_out_t *x, uint32_t dest, uint16_t shard, uint8_t port);

/* Changes the flight time to receiver dest by `cycles`, which may be negative. */
void xbar_out_move(xbar_out_t *x, uint32_t dest, int32_t cycles);

static inline bool xbar_out_full(const xbar_out_t *x)
{
    return x->count == x->capacity;
}

/* Queues a packet to receiver dest that must not leave before cycle ready, and returns its message,
 * in which the caller sets kind, mem and flits at once. Ready cycles of successive packets must not
 * decrease. The queue must not be full. */
msg_t *xbar_out_push(xbar_out_t *x, uint32_t dest, cycle_t ready);

/* Makes the packet pushed last occupy the injection port for this many slots per flit instead of one.
 * 0: it takes no slots, and leaves with the packet before it as soon as the port is free. */
void xbar_out_stretch(xbar_out_t *x, uint32_t slots_per_flit);

/* Lets the packet pushed last leave before all that wait, except those to which the same was done
 * before. */
void xbar_out_overtake(xbar_out_t *x);

/*
 * Sends a packet that is ready at a future cycle ahead of time, if it is certain to leave at that
 * cycle: the queue is empty, the port is free by then and the credits are there. slots_per_flit: as
 * above. The caller ensures that no packet pushed later is ready before it. Returns its message, in
 * which the caller sets kind and mem at once. NULL: not sent; queue it when it is ready.
 */
msg_t *xbar_out_ahead(xbar_out_t *x, outbox_t *out, uint32_t dest, cycle_t ready,
                      uint32_t slots_per_flit, uint32_t flits);

/* Returns credits: receiver dest has `flits` more free. */
void xbar_out_credit(xbar_out_t *x, uint32_t dest, uint32_t flits);

/* Sends what may leave at cycle now, oldest first but for those that overtake; adds the flits to *sent
 * (may be NULL). */
void xbar_out_step(xbar_out_t *x, outbox_t *out, cycle_t now, uint64_t *sent);

/* Next cycle > now at which step() may send without further credits, CYCLE_NEVER if none. */
cycle_t xbar_out_next(const xbar_out_t *x, cycle_t now);

/* State of the receiving end for one sender, and its packets in order of arrival. */
typedef struct {
    uint32_t head, tail; /* numbers in the pool; 0: none */
    uint16_t owed;       /* credits not yet returned: less than a batch and a packet */
    uint16_t shard;
    uint16_t credit_flight;
    uint8_t port;
} xbar_src_t;

_Static_assert(sizeof(xbar_src_t) == 16, "four fill one line of the host's cache");

/* Receiving end. */
typedef struct {
    uint32_t n_src;
    divider_t rate; /* flits per cycle */
    uint32_t credit_batch;
    bool perfect;
    uint16_t number;    /* msg.input of credit messages: this receiver's number at every sender */
    xbar_src_t *src;    /* owned; the senders */
    msg_pool_t *pool;   /* borrowed; where the packets are */
    uint64_t *nonempty; /* owned; bit per sender */
    uint32_t last;      /* sender served last */
    uint32_t waiting;   /* packets in all queues */
    xbar_port_t port;
} xbar_in_t;

void xbar_in_init(xbar_in_t *x, msg_pool_t *pool, uint32_t n_src, uint32_t flits_per_cycle,
                  bool perfect, uint16_t number, cycle_t credit_flight, uint32_t credit_batch);
void xbar_in_free(xbar_in_t *x);
void xbar_in_connect(xbar_in_t *x, uint32_t src, uint16_t shard, uint8_t port);

/* Changes the flight time of credits to sender src by `cycles`, which may be negative. */
void xbar_in_move(xbar_in_t *x, uint32_t src, int32_t cycles);

/* Host-side hint that a packet of that sender will arrive soon. */
static inline void xbar_in_prefetch(const xbar_in_t *x, uint32_t input)
{
    __builtin_prefetch(&x->src[input]);
}

/* Host-side: the packets that the arbiter will probably take next: packet[0], packet[1] ...;
 * 0: none found. Used to prefetch them. */
void xbar_in_likely(const xbar_in_t *x, uint32_t *packet, uint32_t n);

/* Queues packet n of the pool, which arrived now; its msg.input is the sender. */
void xbar_in_push(xbar_in_t *x, uint32_t n);

/* Whether a packet waits that the port can take at cycle now. */
static inline bool xbar_in_ready(const xbar_in_t *x, cycle_t now)
{
    return x->waiting > 0 && x->port.cycle <= now;
}

/* Takes the next packet in round-robin order, occupies the port and returns credits through out.
 * Returns the packet's number in the pool, which the caller now frees. */
uint32_t xbar_in_take(xbar_in_t *x, outbox_t *out, cycle_t now);

/* The same for packet n, which arrived now and is the only one: push and take in one. The port must
 * be free at cycle now. */
void xbar_in_pass(xbar_in_t *x, outbox_t *out, uint32_t n, cycle_t now);

/* Restores the port to its state before the last packet was taken. */
static inline void xbar_in_undo(xbar_in_t *x, xbar_port_t before)
{
    x->port = before;
}

/* Next cycle >= now at which a waiting packet can be taken, CYCLE_NEVER if none waits. */
static inline cycle_t xbar_in_next(const xbar_in_t *x, cycle_t now)
{
    return x->waiting > 0 ? cycle_max(now, x->port.cycle) : CYCLE_NEVER;
}

/*
 * Smallest buffer (flits per sender and receiver) that cannot throttle a port: the credit loop at
 * the port's rate, the credits held back for a batch, and the packets at both ends of the loop. A
 * buffer below credit_batch - 1 + packet could even deadlock the channel. flight + credit_flight:
 * the loop; packet: flits of the largest packet.
 */
static inline uint64_t xbar_min_buffer(uint32_t flits_per_cycle, cycle_t flight,
                                       cycle_t credit_flight, uint32_t credit_batch,
                                       uint32_t packet)
{
    return flits_per_cycle * (flight + credit_flight) + credit_batch - 1 + 2 * (uint64_t)packet;
}

/* For checkpoints, with empty queues: credits, arbiter, port times. 0 or -1 (errno). */
int xbar_out_save(const xbar_out_t *x, FILE *out);
int xbar_out_load(xbar_out_t *x, FILE *in, cycle_t latest);
int xbar_in_save(const xbar_in_t *x, FILE *out);
int xbar_in_load(xbar_in_t *x, FILE *in, cycle_t latest);

/* On a chip at rest, whether no credit is lost between a sender and its receiver dest, which knows
 * it as src: the sender's credits and those owed to it add up to the buffer. */
bool xbar_credits_hold(const xbar_out_t *out, uint32_t dest, const xbar_in_t *in, uint32_t src);

/* Print what waits, one line per queue. name: "request in" and the like. */
void xbar_out_dump(const xbar_out_t *x, const char *name, FILE *out);
void xbar_in_dump(const xbar_in_t *x, const char *name, FILE *out);

#endif
