/*
 * A crossbar channel under test: senders and receivers as separate shards, each sender with a list
 * of packets.
 */
#ifndef RUBATO_TESTS_XBAR_LAB_H
#define RUBATO_TESTS_XBAR_LAB_H

#include "sim/core/engine/inbox.h"
#include "sim/core/engine/wheel.h"
#include "sim/parts/xbar.h"

/* Cycles of a packet's flight and of credits back; maximum packets of a sender; depth of its
 * queue. */
enum { XBAR_LAB_FORWARD = 20, XBAR_LAB_BACK = 13, XBAR_LAB_PACKETS = 4000, XBAR_LAB_DEPTH = 4 };

typedef struct {
    uint32_t n_send, n_recv;
    uint32_t send_width, recv_width; /* flits per cycle */
    uint32_t buffer, batch;
    bool perfect;
    bool ahead; /* packets are sent as soon as it is certain when they leave */
    cycle_t window;
} xbar_shape_t;

typedef struct {
    uint32_t dest, flits;
    cycle_t ready;
    bool first; /* overtakes the others */
} xbar_lab_packet_t;

typedef struct xbar_lab xbar_lab_t;

typedef struct {
    xbar_lab_t *b;
    uint32_t number;
    xbar_out_t out;
    wheel_t wheel; /* credits on their way: receiver << 8 | count */
    xbar_lab_packet_t *packet;
    uint32_t n, pushed, ahead;
    uint64_t sent;
    cycle_t last_sent;
} xbar_lab_sender_t;

typedef struct {
    xbar_lab_t *b;
    uint32_t number;
    xbar_in_t in;
    inbox_t inbox;
    uint64_t flits, hash;
    uint64_t from[256];  /* flits of each sender until b->until */
    cycle_t first, last; /* arrival of the first and last packet */
    uint32_t taken;
    cycle_t last_taken;
} xbar_lab_receiver_t;

struct xbar_lab {
    xbar_shape_t shape;
    engine_t *engine;
    xbar_lab_sender_t *send;
    xbar_lab_receiver_t *recv;
    cycle_t until; /* receivers count until then */
};

/* Free with xbar_lab_destroy(). */
xbar_lab_t *xbar_lab_create(const xbar_shape_t *shape);
void xbar_lab_destroy(xbar_lab_t *b);

/* One more packet of a sender, ready at that cycle. */
void xbar_lab_add(xbar_lab_t *b, uint32_t sender, uint32_t dest, uint32_t flits, cycle_t ready);

/* The same with one that overtakes. */
void xbar_lab_add_first(xbar_lab_t *b, uint32_t sender, uint32_t dest, uint32_t flits,
                        cycle_t ready);

/* Sends all packets; asserts that no packet and no credit is lost. */
void xbar_lab_run(xbar_lab_t *b);

#endif
