#include "sim/parts/xbar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/err.h"

void xbar_out_init(xbar_out_t *x, uint32_t n_dest, uint32_t capacity, uint32_t flits_per_cycle,
                   bool perfect, uint16_t input, cycle_t flight, uint32_t credits)
{
    RB_INVARIANT(capacity > 0 && flits_per_cycle > 0, "crossbar: a port without room or width");
    *x = (xbar_out_t){.n_dest = n_dest,
                      .capacity = capacity,
                      .flits_per_cycle = flits_per_cycle,
                      .perfect = perfect,
                      .input = input,
                      .flight = flight};
    x->dest_shard = rb_calloc(n_dest, sizeof(*x->dest_shard));
    x->dest_port = rb_calloc(n_dest, sizeof(*x->dest_port));
    x->credits = rb_calloc(n_dest, sizeof(*x->credits));
    x->queue = rb_calloc(capacity, sizeof(*x->queue));
    for (uint32_t d = 0; d < n_dest; d++)
        x->credits[d] = credits;
}

void xbar_out_free(xbar_out_t *x)
{
    free(x->dest_shard);
    free(x->dest_port);
    free(x->credits);
    free(x->queue);
    memset(x, 0, sizeof(*x));
}

void xbar_out_connect(xbar_out_t *x, uint32_t dest, uint16_t shard, uint8_t port)
{
    x->dest_shard[dest] = shard;
    x->dest_port[dest] = port;
}

void xbar_out_push(xbar_out_t *x, uint32_t dest, const msg_t *m, cycle_t ready)
{
    RB_INVARIANT(x->count < x->capacity, "crossbar: push into a full queue");
    uint32_t i = x->head + x->count++;
    if (i >= x->capacity)
        i -= x->capacity;
    xbar_packet_t *p = &x->queue[i];
    p->msg = *m;
    p->msg.input = x->input;
    p->msg.port = x->dest_port[dest];
    p->dest = dest;
    p->ready = ready;
}

void xbar_out_credit(xbar_out_t *x, uint32_t dest, uint32_t flits)
{
    x->credits[dest] += flits;
}

void xbar_out_step(xbar_out_t *x, outbox_t *out, cycle_t now, uint64_t *sent)
{
    while (x->count > 0) {
        xbar_packet_t *p = &x->queue[x->head];
        if (p->ready > now)
            return;
        uint32_t flits = p->msg.flits;
        p->msg.arrival = now + x->flight;
        if (!x->perfect) {
            if (x->port.cycle > now || x->credits[p->dest] < flits)
                return;
            x->credits[p->dest] -= flits;
            p->msg.arrival = xbar_port_use(&x->port, x->flits_per_cycle, flits, now) + x->flight;
        }
        engine_send(out, x->dest_shard[p->dest], &p->msg);
        if (sent != NULL)
            *sent += flits;
        if (++x->head == x->capacity)
            x->head = 0;
        x->count--;
    }
}

cycle_t xbar_out_next(const xbar_out_t *x, cycle_t now)
{
    if (x->count == 0)
        return CYCLE_NEVER;
    const xbar_packet_t *p = &x->queue[x->head];
    cycle_t next = cycle_max(p->ready, now + 1);
    if (x->perfect)
        return next;
    if (x->credits[p->dest] < p->msg.flits)
        return CYCLE_NEVER;
    return cycle_max(next, x->port.cycle);
}

void xbar_in_init(xbar_in_t *x, uint32_t n_src, uint32_t flits_per_cycle, bool perfect,
                  uint16_t number, cycle_t credit_flight, uint32_t credit_batch)
{
    RB_INVARIANT(n_src > 0 && flits_per_cycle > 0, "crossbar: a port without senders or width");
    *x = (xbar_in_t){.n_src = n_src,
                     .flits_per_cycle = flits_per_cycle,
                     .credit_batch = credit_batch,
                     .perfect = perfect,
                     .number = number,
                     .credit_flight = credit_flight,
                     .last = n_src - 1};
    x->src_shard = rb_calloc(n_src, sizeof(*x->src_shard));
    x->src_port = rb_calloc(n_src, sizeof(*x->src_port));
    x->owed = rb_calloc(n_src, sizeof(*x->owed));
    x->queue = rb_calloc(n_src, sizeof(*x->queue));
    x->nonempty = rb_calloc((n_src + 63) / 64, sizeof(*x->nonempty));
}

void xbar_in_free(xbar_in_t *x)
{
    free(x->src_shard);
    free(x->src_port);
    free(x->owed);
    free(x->queue);
    free(x->node);
    free(x->nonempty);
    memset(x, 0, sizeof(*x));
}

void xbar_in_connect(xbar_in_t *x, uint32_t src, uint16_t shard, uint8_t port)
{
    x->src_shard[src] = shard;
    x->src_port[src] = port;
}

void xbar_in_push(xbar_in_t *x, const msg_t *m)
{
    RB_INVARIANT(m->input < x->n_src, "crossbar: packet from sender %u of %u", m->input, x->n_src);
    uint32_t n = x->free_list;
    if (n != 0) {
        x->free_list = x->node[n - 1].next;
    } else {
        rb_grow(&x->node, &x->cap_nodes, x->n_nodes + 1, sizeof(*x->node));
        n = (uint32_t)++x->n_nodes;
    }
    x->node[n - 1].msg = *m;
    x->node[n - 1].next = 0;
    xbar_queue_t *q = &x->queue[m->input];
    if (q->head == 0)
        q->head = n;
    else
        x->node[q->tail - 1].next = n;
    q->tail = n;
    x->nonempty[m->input / 64] |= UINT64_C(1) << m->input % 64;
    x->waiting++;
}

bool xbar_in_ready(const xbar_in_t *x, cycle_t now)
{
    return x->waiting > 0 && x->port.cycle <= now;
}

/* The next sender with a packet after the one served last. */
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

static void credits_return(xbar_in_t *x, outbox_t *out, uint32_t src, uint32_t flits, cycle_t now)
{
    x->owed[src] += flits;
    if (x->owed[src] < x->credit_batch)
        return;
    msg_t m = {.arrival = now + x->credit_flight,
               .kind = MSG_CREDIT,
               .port = x->src_port[src],
               .input = x->number};
    while (x->owed[src] > 0) {
        m.count = (uint8_t)(x->owed[src] > UINT8_MAX ? UINT8_MAX : x->owed[src]);
        x->owed[src] -= m.count;
        engine_send(out, x->src_shard[src], &m);
    }
}

msg_t xbar_in_take(xbar_in_t *x, outbox_t *out, cycle_t now)
{
    uint32_t src = arbiter_next(x);
    xbar_queue_t *q = &x->queue[src];
    uint32_t n = q->head;
    xbar_node_t *node = &x->node[n - 1];
    msg_t m = node->msg;
    q->head = node->next;
    if (q->head == 0)
        x->nonempty[src / 64] &= ~(UINT64_C(1) << src % 64);
    node->next = x->free_list;
    x->free_list = n;
    x->waiting--;
    x->last = src;
    if (!x->perfect) {
        xbar_port_use(&x->port, x->flits_per_cycle, m.flits, now);
        credits_return(x, out, src, m.flits, now);
    }
    return m;
}

cycle_t xbar_in_next(const xbar_in_t *x, cycle_t now)
{
    if (x->waiting == 0)
        return CYCLE_NEVER;
    return cycle_max(now, x->port.cycle);
}

static int checked_read(void *to, size_t size, size_t n, FILE *in)
{
    if (fread(to, size, n, in) == n)
        return 0;
    if (!ferror(in))
        errno = EINVAL;
    return -1;
}

static int port_save(const xbar_port_t *p, FILE *out)
{
    const uint64_t word[2] = {p->cycle, p->used};
    return fwrite(word, sizeof(word), 1, out) == 1 ? 0 : -1;
}

static int port_load(xbar_port_t *p, uint32_t flits_per_cycle, FILE *in)
{
    uint64_t word[2];
    if (checked_read(word, sizeof(word), 1, in) != 0)
        return -1;
    if (word[1] >= flits_per_cycle) {
        errno = EINVAL;
        return -1;
    }
    *p = (xbar_port_t){.cycle = word[0], .used = (uint32_t)word[1]};
    return 0;
}

int xbar_out_save(const xbar_out_t *x, FILE *out)
{
    RB_INVARIANT(x->count == 0, "crossbar: checkpoint with %u packets waiting", x->count);
    if (fwrite(&x->n_dest, sizeof(x->n_dest), 1, out) != 1 || port_save(&x->port, out) != 0 ||
        fwrite(x->credits, sizeof(*x->credits), x->n_dest, out) != x->n_dest)
        return -1;
    return 0;
}

int xbar_out_load(xbar_out_t *x, FILE *in)
{
    uint32_t n_dest;
    if (checked_read(&n_dest, sizeof(n_dest), 1, in) != 0)
        return -1;
    if (n_dest != x->n_dest) {
        errno = EINVAL;
        return -1;
    }
    x->head = x->count = 0;
    if (port_load(&x->port, x->flits_per_cycle, in) != 0)
        return -1;
    return checked_read(x->credits, sizeof(*x->credits), x->n_dest, in);
}

int xbar_in_save(const xbar_in_t *x, FILE *out)
{
    RB_INVARIANT(x->waiting == 0, "crossbar: checkpoint with %u packets waiting", x->waiting);
    if (fwrite(&x->n_src, sizeof(x->n_src), 1, out) != 1 || port_save(&x->port, out) != 0 ||
        fwrite(&x->last, sizeof(x->last), 1, out) != 1 ||
        fwrite(x->owed, sizeof(*x->owed), x->n_src, out) != x->n_src)
        return -1;
    return 0;
}

int xbar_in_load(xbar_in_t *x, FILE *in)
{
    uint32_t n_src;
    if (checked_read(&n_src, sizeof(n_src), 1, in) != 0)
        return -1;
    if (n_src != x->n_src || x->waiting > 0) {
        errno = EINVAL;
        return -1;
    }
    if (port_load(&x->port, x->flits_per_cycle, in) != 0 ||
        checked_read(&x->last, sizeof(x->last), 1, in) != 0 ||
        checked_read(x->owed, sizeof(*x->owed), x->n_src, in) != 0)
        return -1;
    if (x->last >= x->n_src) {
        errno = EINVAL;
        return -1;
    }
    return 0;
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
            x->credits[p->dest], p->ready);
}

void xbar_in_dump(const xbar_in_t *x, const char *name, FILE *out)
{
    for (uint32_t s = 0; x->waiting > 0 && s < x->n_src; s++) {
        if (x->queue[s].head == 0)
            continue;
        const msg_t *m = &x->node[x->queue[s].head - 1].msg;
        fprintf(out, "  %s: from port %u: line 0x%" PRIx64 " txn %u, arrived at %" PRIu64 "\n",
                name, s, m->mem.line, m->mem.txn, m->arrival);
    }
}
