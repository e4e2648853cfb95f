/*
 * The two ends of a crossbar channel, used by SMs (requests out, replies in) and by L2 slices
 * (requests in, replies out).
 *
 * A channel has many senders and many receivers. The sending end owns an injection port (flits per
 * cycle), a queue in front of it and one credit counter per receiver; the receiving end owns a
 * buffer per sender, an ejection port and a rotating arbiter. Between them lies a fixed flight.
 * Credits return in batches after the flight of the opposite direction.
 *
 * The order in which packets of different senders arrive in one cycle does not matter: they are
 * queued per sender, and the arbiter's state decides who is served.
 */
#ifndef RUBATO_PARTS_XBAR_H
#define RUBATO_PARTS_XBAR_H

#include "sim/core/engine.h"
#include "sim/core/msg.h"

/* Sending end. */
typedef struct {
    uint32_t n_dest;   /* receivers */
    uint32_t capacity; /* packets that may wait in the queue */
    uint32_t flits_per_cycle;
    bool perfect;   /* no port limit, no credits */
    uint16_t input; /* this sender's number at every receiver */
    cycle_t flight;
    uint16_t *dest_shard; /* owned; shard of each receiver */
    uint8_t *dest_port;   /* owned; port within it */
    uint32_t *credits;    /* owned; flits free at each receiver */
    struct {
        msg_t msg;
        uint32_t dest;
        cycle_t ready; /* not before */
    } * queue;         /* owned; ring of capacity entries */
    uint32_t head, count;
    cycle_t port_free; /* in units of a flit: cycle * flits_per_cycle */
} xbar_out_t;

/* credits: buffer of each receiver for this sender, in flits. */
void xbar_out_init(xbar_out_t *x, uint32_t n_dest, uint32_t capacity, uint32_t flits_per_cycle,
                   bool perfect, uint16_t input, cycle_t flight, uint32_t credits);
void xbar_out_free(xbar_out_t *x);

/* Where receiver dest is. */
void xbar_out_connect(xbar_out_t *x, uint32_t dest, uint16_t shard, uint8_t port);

static inline bool xbar_out_full(const xbar_out_t *x)
{
    return x->count == x->capacity;
}

/* Queues m (kind, mem and flits set by the caller) to receiver dest; leaves not before ready.
 * Ready cycles of successive packets must not decrease. The queue must not be full. */
void xbar_out_push(xbar_out_t *x, uint32_t dest, const msg_t *m, cycle_t ready);

/* Flits came free at receiver dest. */
void xbar_out_credit(xbar_out_t *x, uint32_t dest, uint32_t flits);

/* Sends what may leave at cycle now, oldest first; counts flits in *sent. */
void xbar_out_step(xbar_out_t *x, outbox_t *out, cycle_t now, uint64_t *sent);

/* Next cycle > now at which step() may send without further credits, CYCLE_NEVER if none. */
cycle_t xbar_out_next(const xbar_out_t *x, cycle_t now);

/* Receiving end. */
typedef struct {
    uint32_t n_src;
    uint32_t flits_per_cycle;
    uint32_t credit_batch;
    bool perfect;
    uint8_t credit_port; /* how the sender knows this receiver: msg.port of the credit */
    uint16_t number;     /* this receiver's number at every sender: msg.input of the credit */
    cycle_t credit_flight;
    uint16_t *src_shard; /* owned */
    uint8_t *src_port;   /* owned */
    uint32_t *owed;      /* owned; credits not yet returned to each sender */
    struct {
        uint32_t head, tail; /* index + 1 into node */
    } * queue;               /* owned; per sender */
    struct {
        msg_t msg;
        uint32_t next;
    } * node; /* owned pool */
    uint32_t free_list;
    size_t n_nodes, cap_nodes;
    uint64_t *nonempty; /* owned; bit per sender */
    uint32_t last;      /* served last */
    uint32_t waiting;   /* packets in all queues */
    cycle_t port_free;  /* as in xbar_out_t */
} xbar_in_t;

void xbar_in_init(xbar_in_t *x, uint32_t n_src, uint32_t flits_per_cycle, bool perfect,
                  uint16_t number, cycle_t credit_flight, uint32_t credit_batch);
void xbar_in_free(xbar_in_t *x);
void xbar_in_connect(xbar_in_t *x, uint32_t src, uint16_t shard, uint8_t port);

/* A packet arrived now (m->input says from whom). */
void xbar_in_push(xbar_in_t *x, const msg_t *m);

/* Is a packet there that the port could take at cycle now? */
bool xbar_in_ready(const xbar_in_t *x, cycle_t now);

/* Takes the next packet in rotating order, occupies the port, returns credits through out. */
msg_t xbar_in_take(xbar_in_t *x, outbox_t *out, cycle_t now);

/* Next cycle >= now at which a waiting packet can be taken, CYCLE_NEVER if none waits. */
cycle_t xbar_in_next(const xbar_in_t *x, cycle_t now);

#endif
