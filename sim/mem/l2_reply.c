#include "sim/mem/l2_internal.h"

/* The ring whose next reply is ready first; NULL if all are empty. */
static l2_reply_ring_t *first_ready(l2_slice_t *s)
{
    const uint32_t rings = s->far_from == UINT32_MAX ? L2_REPLY_FAR : L2_REPLY_RINGS;
    l2_reply_ring_t *first = NULL;
    for (uint32_t i = 0; i < rings; i++) {
        l2_reply_ring_t *r = &s->reply[i];
        if (r->count > 0 &&
            (first == NULL || RB_RING_AT(r, 0)->ready < RB_RING_AT(first, 0)->ready))
            first = r;
    }
    return first;
}

static void reply_message(const l2_reply_t *r, msg_t *m)
{
    m->kind = MSG_MEM_REPLY;
    m->mem.line = r->line;
    m->mem.txn = r->txn;
    m->mem.sm = r->sm;
    m->mem.op = r->op;
    m->mem.src = r->src;
    m->mem.sectors = r->sectors;
}

/* Mostly nothing delays a reply, so it is sent as soon as its departure cycle is known. Only for
 * plain replies: none that comes later can be ready before them. */
static bool reply_ahead(l2_slice_t *s, outbox_t *out, const l2_reply_t *r)
{
    msg_t *m = xbar_out_ahead(&s->out, out, r->sm, r->ready, !r->shared, r->flits);
    if (m == NULL)
        return false;
    reply_message(r, m);
    return true;
}

void l2_replies_run(l2_slice_t *s, outbox_t *out, cycle_t now)
{
    if (s->out.count > 0)
        xbar_out_step(&s->out, out, now, NULL);
    l2_reply_ring_t *r = first_ready(s);
    while (r != NULL && RB_RING_AT(r, 0)->ready <= now && !xbar_out_full(&s->out)) {
        const l2_reply_t *p = RB_RING_AT(r, 0);
        msg_t *m = xbar_out_push(&s->out, p->sm, now);
        m->flits = p->flits;
        reply_message(p, m);
        if (p->shared)
            xbar_out_stretch(&s->out, 0);
        RB_RING_DROP(r);
        xbar_out_step(&s->out, out, now, NULL);
        r = first_ready(s);
    }
    while (r == &s->reply[L2_REPLY_PLAIN] && reply_ahead(s, out, RB_RING_AT(r, 0))) {
        RB_RING_DROP(r);
        r = first_ready(s);
    }
    s->out_due = xbar_out_next(&s->out, now);
    if (r != NULL && !xbar_out_full(&s->out))
        s->out_due = cycle_min(s->out_due, RB_RING_AT(r, 0)->ready);
}

static inline void reply_add(l2_slice_t *s, uint32_t ring, const l2_reply_t *r)
{
    RB_RING_PUSH(&s->reply[ring]) = *r;
    s->out_due = cycle_min(s->out_due, r->ready);
}

/* A reply with sectors, or an acknowledgement. */
static inline l2_reply_t make_reply(const l2_slice_t *s, uint64_t line, uint32_t txn, uint16_t sm,
                                    uint8_t op, uint8_t src, uint8_t sectors, cycle_t ready)
{
    return (l2_reply_t){.ready = ready,
                        .line = line,
                        .txn = txn,
                        .sm = sm,
                        .op = op,
                        .src = src,
                        .sectors = sectors,
                        .flits = s->flits[op == MEM_READ ? cache_sector_count(sectors) : 0]};
}

void l2_reply_plain(l2_slice_t *s, outbox_t *out, uint64_t line, uint32_t txn, uint16_t sm,
                    uint8_t op, uint8_t src, uint8_t sectors, cycle_t now)
{
    if (sm == MEM_NOBODY)
        return;
    l2_reply_t r = make_reply(s, line, txn, sm, op, src, sectors, now + s->spec.latency);
    r.shared = (src & MEM_SRC_MASK) == MEM_SRC_INST && gpc_code_keep(&s->gpc, line, sm, sectors);
    const l2_reply_ring_t *first = first_ready(s);
    if ((first == NULL || RB_RING_AT(first, 0)->ready > r.ready) && reply_ahead(s, out, &r))
        return;
    reply_add(s, L2_REPLY_PLAIN, &r);
}

void l2_reply_owner(l2_slice_t *s, outbox_t *out, uint64_t line, uint32_t txn, uint16_t sm,
                    uint8_t op, uint8_t src, uint8_t sectors, cycle_t now)
{
    if (!l2_is_copied(s, sm, src)) {
        l2_reply_plain(s, out, line, txn, sm, op, src, sectors, now);
        return;
    }
    const cycle_t ready = now + s->spec.latency + s->spec.far_latency;
    const l2_reply_t r = make_reply(s, line, txn, sm, op, src, sectors, ready);
    reply_add(s, L2_REPLY_FAR, &r);
}

void l2_atomic_perform(l2_slice_t *s, uint64_t line, const mshr_wait_t *w, cycle_t now)
{
    uint32_t sectors = cache_sector_count(w->sectors);
    uint32_t conflict = w->conflict > 0 ? w->conflict : 1;
    cycle_t start = now, last = 0;
    if (!s->spec.perfect) {
        const uint32_t steps = sectors > conflict ? sectors : conflict;
        s->atomic_used = cycle_max(now * L2_CYCLE_PARTS, s->atomic_used);
        start = l2_atomic_free(s);
        s->atomic_used += cycle_max(steps * L2_CYCLE_PARTS, w->words * s->atomic_word_interval);
        last = cycle_max(sectors - 1, (conflict - 1) * s->atomic_interval / L2_CYCLE_PARTS);
    }
    l2_reply_t r = {.ready = start + last + s->spec.latency + s->spec.atomic_latency,
                    .line = line,
                    .txn = w->txn,
                    .sm = w->sm,
                    .op = w->op,
                    .src = w->src,
                    .sectors = w->sectors,
                    .flits = s->flits[w->op == MEM_ATOMIC ? sectors : 0]};
    const bool far = l2_is_far(s, w->sm);
    if (far)
        r.ready += s->spec.far_latency;
    reply_add(s, far ? L2_REPLY_FAR_ATOMIC : L2_REPLY_ATOMIC, &r);
}
