#include "sim/mem/l2_slice.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "sim/core/err.h"
#include "sim/core/model_mem.h"

void l2_slice_init(l2_slice_t *s, const mem_config_t *config, const addr_map_t *map, dram_t *dram,
                   msg_pool_t *pool, uint32_t number, uint32_t n_sms)
{
    const icnt_spec_t *icnt = &config->icnt;
    const l2_spec_t *spec = &config->l2;
    memset(s, 0, sizeof(*s));
    s->spec = *spec;
    s->flit_bytes = icnt->flit_bytes;
    s->flits_per_cycle = icnt->slice_flits;
    s->atomic_interval = (uint32_t)(spec->atomic_interval * L2_CYCLE_PARTS + 0.5);
    s->map = map;
    s->dram = dram;
    s->pool = pool;
    s->number = number;
    s->token = number % map->slices_per_partition << (L2_TOKEN_MSHR_BITS + L2_TOKEN_SECTOR_BITS);
    uint64_t set_bytes = (uint64_t)spec->ways * LINE_BYTES * spec->slices;
    RB_INVARIANT(spec->size >= set_bytes, "l2: no room for one set per slice");
    s->cache = cache_create((uint32_t)(spec->size / set_bytes), spec->ways, LINE_BYTES,
                            CACHE_POLICY_LRU, true, true);
    mshr_init(&s->mshr, spec->mshrs);
    xbar_in_init(&s->in, pool, n_sms, icnt->slice_flits, icnt->perfect, (uint16_t)number,
                 icnt->reply_latency, icnt->credit_batch);
    xbar_out_init(&s->out, n_sms, spec->reply_queue, icnt->slice_flits, icnt->perfect,
                  (uint16_t)number, icnt->reply_latency, icnt->buffer);
    s->next = s->out_due = s->in_due = CYCLE_NEVER;
}

void l2_slice_free(l2_slice_t *s)
{
    cache_destroy(s->cache);
    mshr_free(&s->mshr);
    xbar_in_free(&s->in);
    xbar_out_free(&s->out);
    for (uint32_t r = 0; r < L2_REPLY_RINGS; r++)
        rb_model_free(s->reply[r].item);
    rb_model_free(s->transfer.item);
}

void l2_slice_connect(l2_slice_t *s, uint32_t sm, uint16_t shard)
{
    xbar_in_connect(&s->in, sm, shard, 0);
    xbar_out_connect(&s->out, sm, shard, 0);
}

/* Something changed: when is run() needed? Not before now. */
static inline void reschedule(l2_slice_t *s, cycle_t now)
{
    s->next = cycle_max(cycle_min(s->out_due, s->in_due), now);
}

static inline uint32_t sector_count(uint32_t sectors)
{
    static const uint8_t count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return count[sectors & 15];
}

static inline mshr_entry_t *token_mshr(const l2_slice_t *s, uint32_t token)
{
    return &s->mshr.entry[token >> L2_TOKEN_SECTOR_BITS & ((1u << L2_TOKEN_MSHR_BITS) - 1)];
}

void l2_slice_prefetch(const l2_slice_t *s, const msg_t *m)
{
    cache_key_t key = cache_key_of(s->cache, addr_map_slice_local(s->map, m->mem.line));
    cache_prefetch(s->cache, key);
    mshr_prefetch(&s->mshr, key);
    xbar_in_prefetch(&s->in, m->input);
}

void l2_slice_prefetch_fill(const l2_slice_t *s, uint32_t token, uint32_t ahead)
{
    const mshr_entry_t *e = token_mshr(s, token);
    if (ahead == L2_PREFETCH_AHEAD)
        __builtin_prefetch(e, 1);
    else if (ahead == 3)
        cache_prefetch(s->cache, e->key);
    else if (ahead == 2)
        cache_prefetch_victim(s->cache, e->key);
    else
        cache_prefetch_victim_chunk(s->cache, e->key);
}

void l2_slice_arrive(l2_slice_t *s, uint32_t n, cycle_t now)
{
    const msg_t *m = &msg_pool_at(s->pool, n)->msg;
    if (m->kind == MSG_CREDIT) {
        xbar_out_credit(&s->out, m->input, m->count);
        msg_pool_free(s->pool, n);
        if (s->out.count > 0)
            s->out_due = cycle_min(s->out_due, now);
    } else {
        RB_INVARIANT(m->kind == MSG_MEM_REQUEST && m->mem.sectors != 0,
                     "l2: message kind %u for sectors %x of line 0x%" PRIx64, m->kind,
                     m->mem.sectors, m->mem.line);
        s->stats.requests++;
        xbar_in_push(&s->in, n);
        if (s->held == 0)
            s->in_due = cycle_min(s->in_due, cycle_max(s->in.port.cycle, s->data.cycle));
    }
    s->next = cycle_min(s->next, cycle_max(cycle_min(s->out_due, s->in_due), now));
}

void l2_slice_dram_room(l2_slice_t *s, uint32_t room[2], cycle_t now)
{
    if (s->transfer.count == 0)
        return;
    uint32_t *mine = &room[RB_RING_AT(&s->transfer, 0)->write];
    if (*mine > 0) {
        --*mine;
        s->next = cycle_min(s->next, now);
    }
}

/* Replies. */

/* The ring whose next reply is ready first. NULL: both are empty. */
static l2_reply_ring_t *first_ready(l2_slice_t *s)
{
    l2_reply_ring_t *plain = &s->reply[L2_REPLY_PLAIN], *atomic = &s->reply[L2_REPLY_ATOMIC];
    if (atomic->count == 0)
        return plain->count > 0 ? plain : NULL;
    if (plain->count == 0 || RB_RING_AT(atomic, 0)->ready < RB_RING_AT(plain, 0)->ready)
        return atomic;
    return plain;
}

/* Moves replies that are ready into the queue of the crossbar port, and on into the crossbar. */
static void replies_run(l2_slice_t *s, outbox_t *out, cycle_t now)
{
    xbar_out_step(&s->out, out, now, NULL);
    l2_reply_ring_t *r = first_ready(s);
    while (r != NULL && RB_RING_AT(r, 0)->ready <= now && !xbar_out_full(&s->out)) {
        const l2_reply_t *p = RB_RING_AT(r, 0);
        msg_t *m = xbar_out_push(&s->out, p->sm, now);
        m->kind = MSG_MEM_REPLY;
        m->flits = p->flits;
        m->mem.line = p->line;
        m->mem.txn = p->txn;
        m->mem.sm = p->sm;
        m->mem.op = p->op;
        m->mem.src = p->src;
        m->mem.sectors = p->sectors;
        RB_RING_DROP(r);
        xbar_out_step(&s->out, out, now, NULL);
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

/* A reply that delivers sectors, or acknowledges, l2.latency after now. */
static void reply_plain(l2_slice_t *s, uint64_t line, uint32_t txn, uint16_t sm, uint8_t op,
                        uint8_t src, uint8_t sectors, cycle_t now)
{
    uint32_t bytes = op == MEM_READ ? sector_count(sectors) * SECTOR_BYTES : 0;
    uint32_t flits = (bytes + s->flit_bytes - 1) / s->flit_bytes;
    l2_reply_t r = {.ready = now + s->spec.latency,
                    .line = line,
                    .txn = txn,
                    .sm = sm,
                    .op = op,
                    .src = src,
                    .sectors = sectors,
                    .flits = (uint8_t)(flits > 0 ? flits : 1)};
    reply_add(s, L2_REPLY_PLAIN, &r);
}

/* Performs an atomic or reduction whose sectors are there, as soon as the unit is free. */
static void atomic_perform(l2_slice_t *s, uint64_t line, const mshr_wait_t *w, cycle_t now)
{
    uint32_t sectors = sector_count(w->sectors);
    uint32_t conflict = w->conflict > 0 ? w->conflict : 1;
    cycle_t start = now, last = 0;
    if (!s->spec.perfect) {
        uint32_t words = (conflict * s->atomic_interval + L2_CYCLE_PARTS - 1) / L2_CYCLE_PARTS;
        uint32_t last_word = (conflict - 1) * s->atomic_interval / L2_CYCLE_PARTS;
        start = cycle_max(now, s->atomic_free);
        s->atomic_free = start + (sectors > words ? sectors : words);
        last = cycle_max(sectors - 1, last_word);
    }
    uint32_t bytes = w->op == MEM_ATOMIC ? sectors * SECTOR_BYTES : 1;
    l2_reply_t r = {.ready = start + last + s->spec.latency + s->spec.atomic_latency,
                    .line = line,
                    .txn = w->txn,
                    .sm = w->sm,
                    .op = w->op,
                    .src = w->src,
                    .sectors = w->sectors,
                    .flits = (uint8_t)((bytes + s->flit_bytes - 1) / s->flit_bytes)};
    reply_add(s, L2_REPLY_ATOMIC, &r);
}

/* DRAM side. */

static void transfer_add(l2_slice_t *s, uint64_t key, uint8_t sectors, bool write, uint32_t token)
{
    RB_RING_PUSH(&s->transfer) =
        (l2_transfer_t){.local = addr_map_partition_local(s->map, s->number, key),
                        .token = token,
                        .sectors = sectors,
                        .write = write};
}

/* Returns true if the DRAM took something. */
static bool transfers_send(l2_slice_t *s, cycle_t now)
{
    bool any = false;
    while (s->transfer.count > 0) {
        const l2_transfer_t *t = RB_RING_AT(&s->transfer, 0);
        if (!dram_has_room(s->dram, t->write))
            break;
        if (t->write)
            dram_write(s->dram, now, t->local, t->sectors);
        else
            dram_read(s->dram, now, t->local, t->sectors, t->token);
        RB_RING_DROP(&s->transfer);
        any = true;
    }
    return any;
}

static inline void data_port_use(l2_slice_t *s, uint32_t sectors, cycle_t now)
{
    s->stats.data_sectors += sectors;
    if (!s->spec.perfect)
        xbar_port_use(&s->data, s->flits_per_cycle, sectors, now);
}

/* The line, allocated if absent; a dirty victim becomes a write-back. */
static cache_tag_t *line_allocate(l2_slice_t *s, cache_key_t key)
{
    cache_line_t victim;
    bool evicted;
    cache_tag_t *l = cache_insert_key(s->cache, key, &victim, &evicted);
    if (evicted) {
        s->stats.writebacks += sector_count(victim.written.dirty);
        transfer_add(s, victim.line, victim.written.dirty, true, 0);
    }
    return l;
}

/* Sectors of the line of which only written bytes are there. */
static uint8_t line_partial(const l2_slice_t *s, const cache_tag_t *l)
{
    const cache_written_t *w = cache_written(s->cache, l);
    return w != NULL ? w->partial : 0;
}

/* Whole sectors of the line came in. */
static void line_fill(l2_slice_t *s, cache_tag_t *l, uint8_t sectors)
{
    cache_written_t *w = cache_written(s->cache, l);
    cache_tag_fill(l, sectors);
    if (w != NULL)
        w->partial &= (uint8_t)~sectors;
}

void l2_slice_fill(l2_slice_t *s, uint32_t token, cycle_t now)
{
    uint8_t sectors = (uint8_t)(token & ((1u << L2_TOKEN_SECTOR_BITS) - 1));
    mshr_entry_t *e = token_mshr(s, token);
    s->stats.fills += sector_count(sectors);
    data_port_use(s, sector_count(sectors), now);
    cache_tag_t *l = cache_lookup_key(s->cache, e->key, false);
    if (l == NULL)
        l = line_allocate(s, e->key);
    line_fill(s, l, sectors);
    e->pending &= (uint8_t)~sectors;

    for (mshr_wait_t *w = mshr_first(&s->mshr, e); w != NULL; w = mshr_next(&s->mshr, e, w)) {
        uint8_t got = w->missing & sectors;
        if (got == 0)
            continue;
        w->missing &= (uint8_t)~got;
        if (w->op == MEM_READ) {
            reply_plain(s, e->line, w->txn, w->sm, w->op, w->src, got, now);
        } else if (w->missing == 0) {
            atomic_perform(s, e->line, w, now);
            cache_write(s->cache, l)->dirty |= w->sectors & cache_tag_valid(l);
        }
    }
    mshr_drop_served(&s->mshr, e);
    if (e->pending == 0)
        mshr_remove(&s->mshr, e);
    if (s->held != 0 && s->stall == L2_STALL_MSHR)
        s->in_due = now;
    s->next = s->transfer.count > 0 ? now : cycle_min(s->next, cycle_min(s->out_due, s->in_due));
}

/* Requests. */

/* Sectors of the aligned groups of fill_sectors that contain any of these. */
static uint8_t fill_group(const l2_slice_t *s, uint32_t sector)
{
    uint32_t n = s->spec.fill_sectors, first = sector - sector % n;
    return (uint8_t)(((1u << n) - 1) << first & 15u);
}

/* Queues the request for its missing sectors and fetches those not yet on their way. */
static bool request_miss(l2_slice_t *s, const mem_msg_t *m, const cache_tag_t *l, uint8_t missing)
{
    mshr_entry_t *e = mshr_find(&s->mshr, s->request_key);
    if (e == NULL ? s->mshr.used == s->mshr.size : e->n_waiting >= s->spec.mshr_merge)
        return false;
    if (e == NULL)
        e = mshr_add(&s->mshr, s->request_key, m->line);
    else
        s->stats.mshr_merges++;
    mshr_wait(&s->mshr, e, m, missing);
    uint32_t wanted = missing & ~(uint32_t)e->pending;
    if (l != NULL)
        s->stats.partial_fetches += sector_count(wanted & line_partial(s, l));
    while (wanted != 0) {
        uint32_t group = fill_group(s, (uint32_t)__builtin_ctz(wanted));
        uint32_t fetch =
            group & ~(uint32_t)e->pending & ~(uint32_t)(l != NULL ? cache_tag_valid(l) : 0);
        e->pending |= (uint8_t)fetch;
        transfer_add(s, s->request_key.line, (uint8_t)fetch, false,
                     s->token | mshr_index(&s->mshr, e) << L2_TOKEN_SECTOR_BITS | fetch);
        wanted &= ~group;
    }
    return true;
}

/*
 * The line requested, NULL: not here. Code that its launch has brought takes its place at the first
 * request, so that what is not executed displaces nothing.
 */
static cache_tag_t *request_line(l2_slice_t *s, const mem_msg_t *m)
{
    cache_tag_t *l = cache_lookup_key(s->cache, s->request_key, true);
    if (!m->launched || s->spec.perfect)
        return l;
    if (l == NULL)
        l = line_allocate(s, s->request_key);
    line_fill(s, l, m->sectors);
    return l;
}

static l2_stall_t request_read(l2_slice_t *s, const mem_msg_t *m, cycle_t now)
{
    uint32_t n = sector_count(m->sectors);
    const cache_tag_t *l = request_line(s, m);
    uint8_t hit = s->spec.perfect ? m->sectors : l != NULL ? cache_tag_valid(l) & m->sectors : 0;
    uint8_t missing = m->sectors & (uint8_t)~hit;
    if (missing != 0 && !request_miss(s, m, l, missing))
        return L2_STALL_MSHR;
    s->stats.read_sectors += n;
    s->stats.read_hits += sector_count(hit);
    if (m->src == MEM_SRC_INST || m->src == MEM_SRC_CONST)
        s->stats.inst_sectors += n;
    if (hit != 0) {
        data_port_use(s, sector_count(hit), now);
        reply_plain(s, m->line, m->txn, m->sm, m->op, m->src, hit, now);
    }
    return L2_STALL_NONE;
}

/* Marks the written bytes of one sector. */
static void sector_write(cache_tag_t *l, cache_written_t *w, uint32_t sector, bool full,
                         uint32_t bytes)
{
    uint8_t bit = (uint8_t)(1u << sector);
    w->dirty |= bit;
    if (cache_tag_valid(l) & bit)
        return;
    w->bytes[sector] |= bytes;
    if (full || w->bytes[sector] == UINT32_MAX) {
        cache_tag_fill(l, bit);
        w->partial &= (uint8_t)~bit;
    } else {
        w->partial |= bit;
    }
}

static l2_stall_t request_write(l2_slice_t *s, const mem_msg_t *m, cycle_t now)
{
    uint32_t n = sector_count(m->sectors);
    s->stats.write_sectors += n;
    if (!s->spec.perfect) {
        cache_tag_t *l = cache_lookup_key(s->cache, s->request_key, true);
        if (l != NULL)
            s->stats.write_hits += n;
        else
            l = line_allocate(s, s->request_key);
        cache_written_t *w = cache_write(s->cache, l);
        for (uint32_t bits = m->sectors; bits != 0; bits &= bits - 1) {
            uint32_t sector = (uint32_t)__builtin_ctz(bits);
            sector_write(l, w, sector, m->full >> sector & 1, m->bytes[sector]);
        }
    } else {
        s->stats.write_hits += n;
    }
    data_port_use(s, n, now);
    reply_plain(s, m->line, m->txn, m->sm, m->op, m->src, m->sectors, now);
    return L2_STALL_NONE;
}

static l2_stall_t request_atomic(l2_slice_t *s, const mem_msg_t *m, cycle_t now)
{
    cache_tag_t *l = cache_lookup_key(s->cache, s->request_key, true);
    uint8_t hit = s->spec.perfect ? m->sectors : l != NULL ? cache_tag_valid(l) & m->sectors : 0;
    uint8_t missing = m->sectors & (uint8_t)~hit;
    if (missing == 0 && !s->spec.perfect && s->atomic_free > now)
        return L2_STALL_ATOMIC;
    if (missing != 0 && !request_miss(s, m, l, missing))
        return L2_STALL_MSHR;
    uint32_t n = sector_count(m->sectors);
    if (m->op == MEM_ATOMIC) {
        s->stats.atomic_sectors += n;
        s->stats.atomic_hits += sector_count(hit);
    } else {
        s->stats.red_sectors += n;
        s->stats.red_hits += sector_count(hit);
    }
    if (hit != 0)
        data_port_use(s, sector_count(hit), now);
    if (missing == 0) {
        const mshr_wait_t w = {.txn = m->txn,
                               .sm = m->sm,
                               .op = m->op,
                               .src = m->src,
                               .sectors = m->sectors,
                               .conflict = m->conflict};
        atomic_perform(s, m->line, &w, now);
        if (l != NULL)
            cache_write(s->cache, l)->dirty |= m->sectors;
    }
    return L2_STALL_NONE;
}

static const mem_msg_t *held_request(const l2_slice_t *s)
{
    return &msg_pool_at(s->pool, s->held)->msg.mem;
}

static l2_stall_t request_try(l2_slice_t *s, cycle_t now)
{
    const mem_msg_t *m = held_request(s);
    if (xbar_out_full(&s->out))
        return L2_STALL_REPLY;
    if (s->transfer.count > 0)
        return L2_STALL_DRAM;
    l2_stall_t stall;
    if (m->op == MEM_READ)
        stall = request_read(s, m, now);
    else if (m->op == MEM_WRITE)
        stall = request_write(s, m, now);
    else
        stall = request_atomic(s, m, now);
    if (stall == L2_STALL_NONE) {
        if (m->src == MEM_SRC_LOCAL)
            s->stats.local_sectors += sector_count(m->sectors);
    }
    return stall;
}

/* Charges the cycles since the last change to the reason it had. */
static void stall_account(l2_slice_t *s, l2_stall_t stall, cycle_t now)
{
    if (s->stall == stall)
        return;
    uint64_t *const counter[] = {
        [L2_STALL_MSHR] = &s->stats.stall_mshr,
        [L2_STALL_DRAM] = &s->stats.stall_dram,
        [L2_STALL_REPLY] = &s->stats.stall_reply,
        [L2_STALL_ATOMIC] = &s->stats.stall_atomic,
    };
    if (s->stall != L2_STALL_NONE)
        *counter[s->stall] += now - s->stall_since;
    s->stall = stall;
    s->stall_since = now;
}

/* Returns true if something was sent to the DRAM. */
static bool input_run(l2_slice_t *s, outbox_t *out, cycle_t now)
{
    bool sent = false;
    for (;;) {
        if (s->held == 0) {
            if (!xbar_in_ready(&s->in, now) || s->data.cycle > now) {
                s->in_due = cycle_max(xbar_in_next(&s->in, now + 1), s->data.cycle);
                return sent;
            }
            s->held = xbar_in_take(&s->in, out, now);
            s->request_key =
                cache_key_of(s->cache, addr_map_slice_local(s->map, held_request(s)->line));
        }
        l2_stall_t stall = request_try(s, now);
        stall_account(s, stall, now);
        if (stall != L2_STALL_NONE) {
            s->in_due = stall == L2_STALL_ATOMIC ? s->atomic_free : CYCLE_NEVER;
            return sent;
        }
        msg_pool_free(s->pool, s->held);
        s->held = 0;
        sent |= transfers_send(s, now);
    }
}

bool l2_slice_run(l2_slice_t *s, outbox_t *out, cycle_t now)
{
    bool sent = transfers_send(s, now);
    if (s->out_due <= now)
        replies_run(s, out, now);
    if (s->held != 0 && ((s->stall == L2_STALL_DRAM && s->transfer.count == 0) ||
                         (s->stall == L2_STALL_REPLY && !xbar_out_full(&s->out))))
        s->in_due = now;
    if (s->in_due <= now)
        sent |= input_run(s, out, now);
    reschedule(s, now + 1);
    return sent;
}

void l2_slice_copy_in(l2_slice_t *s, uint64_t key, uint8_t sectors)
{
    if (s->spec.perfect)
        return;
    cache_line_t victim;
    bool evicted;
    cache_tag_t *l = cache_lookup(s->cache, key, true);
    if (l == NULL)
        l = cache_insert(s->cache, key, &victim, &evicted);
    line_fill(s, l, sectors);
    cache_written_t *w = cache_written(s->cache, l);
    if (w != NULL)
        w->dirty &= (uint8_t)~sectors;
    s->stats.memcpy_sectors += sector_count(sectors);
}

uint32_t l2_slice_warm(l2_slice_t *s, uint64_t key, const l2_touch_t *touch)
{
    uint32_t taken = 0;
    if (s->spec.perfect)
        return 0;
    cache_line_t victim;
    bool evicted;
    cache_tag_t *l = cache_lookup(s->cache, key, true);
    if (l == NULL) {
        l = cache_insert(s->cache, key, &victim, &evicted);
        taken += touch->write ? sector_count(touch->sectors) : 0;
    }
    if (touch->read) {
        uint32_t missing = touch->sectors & ~(uint32_t)cache_tag_valid(l), filled = 0;
        for (; missing != 0; missing &= missing - 1)
            filled |= fill_group(s, (uint32_t)__builtin_ctz(missing));
        line_fill(s, l, (uint8_t)filled);
        taken += touch->write ? 0 : sector_count((uint8_t)filled);
    }
    if (!touch->write)
        return taken;
    cache_written_t *w = cache_write(s->cache, l);
    for (uint32_t bits = touch->sectors; bits != 0; bits &= bits - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(bits);
        sector_write(l, w, sector, touch->full >> sector & 1, touch->bytes[sector]);
    }
    return taken;
}

bool l2_slice_idle(const l2_slice_t *s)
{
    return s->held == 0 && s->in.waiting == 0 && s->out.count == 0 && s->mshr.used == 0 &&
           s->transfer.count == 0 && s->reply[0].count == 0 && s->reply[1].count == 0;
}

int l2_slice_save(const l2_slice_t *s, FILE *out)
{
    RB_INVARIANT(l2_slice_idle(s), "l2: checkpoint of a busy slice");
    const cycle_t port[3] = {s->data.cycle, s->data.used, s->atomic_free};
    if (fwrite(port, sizeof(port), 1, out) != 1 || cache_save(s->cache, out) != 0 ||
        xbar_in_save(&s->in, out) != 0)
        return -1;
    return xbar_out_save(&s->out, out);
}

int l2_slice_load(l2_slice_t *s, FILE *in)
{
    cycle_t port[3];
    bool whole = fread(port, sizeof(port), 1, in) == 1;
    if (!whole || port[1] >= s->flits_per_cycle) {
        if (!ferror(in))
            errno = EINVAL;
        return -1;
    }
    s->data = (xbar_port_t){.cycle = port[0], .used = (uint32_t)port[1]};
    s->atomic_free = port[2];
    if (cache_load(s->cache, in) != 0 || xbar_in_load(&s->in, in) != 0)
        return -1;
    return xbar_out_load(&s->out, in);
}

void l2_slice_dump(const l2_slice_t *s, FILE *out)
{
    static const char *const reason[] = {
        [L2_STALL_NONE] = "-",
        [L2_STALL_MSHR] = "an MSHR or room in one",
        [L2_STALL_DRAM] = "room at the DRAM",
        [L2_STALL_REPLY] = "room for its reply",
        [L2_STALL_ATOMIC] = "the atomic unit",
    };
    if (l2_slice_idle(s))
        return;
    fprintf(out, "  slice %u: next cycle %" PRIu64 ", %u MSHRs in use, %zu transfers unsent\n",
            s->number, s->next, s->mshr.used, s->transfer.count);
    if (s->held != 0) {
        const mem_msg_t *m = held_request(s);
        fprintf(out, "  input: line 0x%" PRIx64 " txn %u of SM %u waits for %s\n", m->line, m->txn,
                m->sm, reason[s->stall]);
    }
    xbar_in_dump(&s->in, "request", out);
    xbar_out_dump(&s->out, "reply", out);
    for (uint32_t i = 0; i < s->mshr.size; i++) {
        mshr_entry_t *e = &s->mshr.entry[i];
        if (e->pending == 0)
            continue;
        for (const mshr_wait_t *w = mshr_first(&s->mshr, e); w != NULL;
             w = mshr_next(&s->mshr, e, w))
            fprintf(out,
                    "  line 0x%" PRIx64 ": txn %u of SM %u waits for sectors %x; fetching %x\n",
                    e->line, w->txn, w->sm, w->missing, e->pending);
    }
}
