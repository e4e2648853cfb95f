#include "sim/mem/l2_internal.h"

#include <inttypes.h>
#include <string.h>

#include "sim/core/err.h"
#include "sim/core/files/checkpoint_read.h"
#include "sim/core/model_mem.h"
#include "sim/core/prefetch.h"

void l2_slice_init(l2_slice_t *s, const mem_config_t *config, const addr_map_t *map, dram_t *dram,
                   msg_pool_t *pool, uint32_t number, uint32_t n_sms)
{
    const icnt_spec_t *icnt = &config->icnt;
    const l2_spec_t *spec = &config->l2;
    memset(s, 0, sizeof(*s));
    s->spec = *spec;
    s->flits[0] = 1; /* an acknowledgement */
    for (uint32_t n = 1; n <= SECTORS_PER_LINE; n++)
        s->flits[n] = (uint8_t)((n * SECTOR_BYTES + icnt->flit_bytes - 1) / icnt->flit_bytes);
    s->modified_ways = (uint32_t)(spec->modified_share * spec->ways);
    s->atomic_interval = (uint32_t)(spec->atomic_interval * L2_CYCLE_PARTS + 0.5);
    s->atomic_word_interval = (uint32_t)(spec->atomic_word_interval * L2_CYCLE_PARTS + 0.5);
    s->sector_interval = (uint32_t)(L2_CYCLE_PARTS / l2_port_rate(config) + 0.5);
    s->map = map;
    s->dram = dram;
    s->pool = pool;
    s->number = number;
    s->token = number % map->slices_per_partition << (L2_TOKEN_MSHR_BITS + L2_TOKEN_SECTOR_BITS);
    uint64_t set_bytes = (uint64_t)spec->ways * LINE_BYTES * spec->slices;
    RB_INVARIANT(spec->size >= set_bytes, "l2: no room for one set per slice");
    s->cache = cache_create((uint32_t)(spec->size / set_bytes), spec->ways, LINE_BYTES,
                            spec->replacement, true, true);
    cache_watch(s->cache, &s->request);
    mshr_init(&s->mshr, spec->mshrs);
    gpc_code_init(&s->gpc, config, n_sms);
    l2_halves_init(s, icnt->gpc_sms, n_sms);
    xbar_in_init(&s->in, pool, n_sms, icnt->slice_flits, icnt->perfect, (uint16_t)number,
                 icnt->reply_latency, icnt->credit_batch);
    xbar_out_init(&s->out, n_sms, spec->reply_queue, icnt->slice_flits, icnt->perfect,
                  (uint16_t)number, icnt->reply_latency, icnt->buffer);
    s->next = s->out_due = s->in_due = CYCLE_NEVER;
}

void l2_slice_free(l2_slice_t *s)
{
    cache_destroy(s->cache);
    word_counts_free(&s->written);
    mshr_free(&s->mshr);
    gpc_code_free(&s->gpc);
    xbar_in_free(&s->in);
    xbar_out_free(&s->out);
    for (uint32_t r = 0; r < L2_REPLY_RINGS; r++)
        rb_model_free(s->reply[r].item);
    rb_model_free(s->transfer.item);
    rb_model_free(s->copy.item);
    l2_slice_count_by_launch(s, false);
}

void l2_slice_count_by_launch(l2_slice_t *s, bool on)
{
    if (s->by_launch != NULL) {
        stats_split_free(&s->by_launch->split);
        rb_model_free(s->by_launch->fill);
        rb_model_free(s->by_launch);
        s->by_launch = NULL;
    }
    if (!on)
        return;
    s->by_launch = rb_model_calloc(1, sizeof(*s->by_launch));
    stats_split_init(&s->by_launch->split, (uint64_t *)&s->stats, L2_STAT_COUNT);
    s->by_launch->fill = rb_model_calloc(s->mshr.size, sizeof(*s->by_launch->fill));
}

void l2_slice_connect(l2_slice_t *s, uint32_t sm, uint16_t shard, int32_t farther)
{
    xbar_in_connect(&s->in, sm, shard, 0);
    xbar_out_connect(&s->out, sm, shard, 0);
    xbar_in_move(&s->in, sm, farther);
    xbar_out_move(&s->out, sm, farther);
}

/* Updates the next cycle at which run() is needed, not before now. */
static inline void reschedule(l2_slice_t *s, cycle_t now)
{
    s->next = cycle_max(cycle_min(s->out_due, s->in_due), now);
}

/* The line of a request as a key within the slice. */
static inline cache_key_t request_key(const l2_slice_t *s, const mem_msg_t *m)
{
    return cache_key_of(s->cache, addr_map_slice_local(s->map, m->line));
}

/* Prefetches the tags that a request for this line will look up. */
static inline void request_prefetch(const l2_slice_t *s, cache_key_t key)
{
    cache_prefetch(s->cache, key);
    mshr_prefetch(&s->mshr, key);
}

void l2_slice_prefetch_state(const l2_slice_t *s, int ahead)
{
    if (ahead == 2) {
        prefetch_range(s, sizeof(*s));
        return;
    }
    cache_prefetch_shape(s->cache);
    prefetch_range(s->in.nonempty, 1);
}

void l2_slice_prefetch(const l2_slice_t *s, const msg_t *m)
{
    xbar_in_prefetch(&s->in, m->input);
    if (s->in.waiting == 0) /* otherwise its turn comes later: input_prefetch() */
        request_prefetch(s, request_key(s, &m->mem));
}

void l2_slice_prefetch_input(const l2_slice_t *s)
{
    enum { REQUESTS = 3 };
    uint32_t likely[REQUESTS];
    xbar_in_likely(&s->in, likely, REQUESTS);
    for (uint32_t i = 0; i < REQUESTS && likely[i] != 0; i++)
        __builtin_prefetch(msg_pool_at(s->pool, likely[i]));
    if (s->likely != 0)
        request_prefetch(s, s->likely_key);
    if (s->held == 0)
        return;
    __builtin_prefetch(msg_pool_at(s->pool, s->held));
    request_prefetch(s, s->request_key);
}

/* A request was taken: prefetches for the following ones, a step further for each. */
static void input_prefetch(l2_slice_t *s)
{
    uint32_t likely[2];
    xbar_in_likely(&s->in, likely, 2);
    s->likely = likely[0];
    if (likely[1] != 0)
        __builtin_prefetch(msg_pool_at(s->pool, likely[1]));
    if (s->likely == 0)
        return;
    s->likely_key = request_key(s, &msg_pool_at(s->pool, s->likely)->msg.mem);
    request_prefetch(s, s->likely_key);
}

void l2_slice_prefetch_entry(const l2_slice_t *s, uint32_t token)
{
    __builtin_prefetch(l2_token_mshr(s, token), 1);
}

void l2_slice_prefetch_tags(const l2_slice_t *s, uint32_t token)
{
    request_prefetch(s, l2_token_mshr(s, token)->key);
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
        xbar_in_push(&s->in, n);
        if (s->held == 0)
            s->in_due = cycle_min(s->in_due, cycle_max(s->in.port.cycle, s->data_free));
    }
    s->next = cycle_min(s->next, cycle_max(cycle_min(s->out_due, s->in_due), now));
}

void l2_slice_copy(l2_slice_t *s, uint32_t n, cycle_t now)
{
    RB_RING_PUSH(&s->copy) = n;
    if (s->held == 0)
        s->in_due = cycle_min(s->in_due, cycle_max(s->data_free, now));
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

/* Sends transfers while the DRAM has room. Returns true if it took any. */
static bool transfers_send(l2_slice_t *s, cycle_t now)
{
    bool any = false;
    while (s->transfer.count > 0) {
        const l2_transfer_t *t = RB_RING_AT(&s->transfer, 0);
        if (!dram_has_room(s->dram, t->write))
            break;
        if (s->by_launch != NULL)
            dram_count_for(s->dram, t->launch);
        if (t->write)
            dram_write_part(s->dram, now, t->local, t->sectors, t->token);
        else
            dram_read(s->dram, now, t->local, t->sectors, t->token);
        RB_RING_DROP(&s->transfer);
        any = true;
    }
    return any;
}

/* Charges the cycles since the last change to the stall reason until now. */
static void stall_account(l2_slice_t *s, l2_stall_t stall, cycle_t now)
{
    if (s->stall == stall)
        return;
    const cycle_t stalled = now - s->stall_since;
    if (s->stall == L2_STALL_DRAM)
        s->stats.stall_dram += stalled;
    else if (s->stall == L2_STALL_MSHR)
        s->stats.stall_mshr += stalled;
    else if (s->stall == L2_STALL_REPLY)
        s->stats.stall_reply += stalled;
    else if (s->stall == L2_STALL_ATOMIC)
        s->stats.stall_atomic += stalled;
    s->stall = stall;
    s->stall_since = now;
}

/* What blocks the request at the head of the input, whatever it is. */
static inline l2_stall_t input_stall(const l2_slice_t *s)
{
    if (xbar_out_full(&s->out))
        return L2_STALL_REPLY;
    return s->transfer.count > 0 ? L2_STALL_DRAM : L2_STALL_NONE;
}

/* Takes the first access of a copy, if the data port is free. */
static bool take_copy(l2_slice_t *s, cycle_t now)
{
    if (s->data_free > now)
        return false;
    s->held = *RB_RING_AT(&s->copy, 0);
    RB_RING_DROP(&s->copy);
    s->request_key = request_key(s, l2_held_request(s));
    return true;
}

/* Handles requests at the input. Returns true if something was sent to the DRAM. */
static bool input_run(l2_slice_t *s, outbox_t *out, cycle_t now)
{
    bool sent = false;
    for (;;) {
        if (s->held == 0) {
            if (__builtin_expect(s->copy.count > 0, 0) && take_copy(s, now))
                continue;
            if (!xbar_in_ready(&s->in, now) || s->data_free > now) {
                s->in_due = s->copy.count > 0
                                ? s->data_free
                                : cycle_max(xbar_in_next(&s->in, now + 1), s->data_free);
                return sent;
            }
            const xbar_port_t before = s->in.port;
            s->held = xbar_in_take(&s->in, out, now);
            if (gpc_code_has(&s->gpc, l2_held_request(s)))
                xbar_in_undo(&s->in, before);
            s->request_key =
                s->held == s->likely ? s->likely_key : request_key(s, l2_held_request(s));
            input_prefetch(s);
        }
        if (s->by_launch != NULL)
            l2_count_for(s, l2_held_request(s)->launch);
        l2_stall_t stall = input_stall(s);
        if (stall == L2_STALL_NONE)
            stall = l2_request_try(s, out, now);
        stall_account(s, stall, now);
        if (stall != L2_STALL_NONE) {
            s->in_due = stall == L2_STALL_ATOMIC ? l2_atomic_free(s) : CYCLE_NEVER;
            return sent;
        }
        msg_pool_free(s->pool, s->held);
        s->held = 0;
        if (s->transfer.count > 0)
            sent |= transfers_send(s, now);
    }
}

bool l2_slice_run(l2_slice_t *s, outbox_t *out, cycle_t now)
{
    bool sent = s->transfer.count > 0 && transfers_send(s, now);
    if (s->out_due <= now)
        l2_replies_run(s, out, now);
    if (s->held != 0 && ((s->stall == L2_STALL_DRAM && s->transfer.count == 0) ||
                         (s->stall == L2_STALL_REPLY && !xbar_out_full(&s->out))))
        s->in_due = now;
    if (s->in_due <= now)
        sent |= input_run(s, out, now);
    reschedule(s, now + 1);
    return sent;
}

bool l2_slice_idle(const l2_slice_t *s)
{
    size_t replies = 0;
    for (uint32_t r = 0; r < L2_REPLY_RINGS; r++)
        replies += s->reply[r].count;
    return s->held == 0 && s->copy.count == 0 && s->in.waiting == 0 && s->out.count == 0 &&
           s->mshr.used == 0 && s->transfer.count == 0 && replies == 0;
}

int l2_slice_save(const l2_slice_t *s, FILE *out)
{
    RB_INVARIANT(l2_slice_idle(s), "l2: checkpoint of a busy slice");
    const cycle_t port[3] = {s->data_free, s->data_used, s->atomic_used};
    if (fwrite(port, sizeof(port), 1, out) != 1 || cache_save(s->cache, out) != 0 ||
        gpc_code_save(&s->gpc, out) != 0 || xbar_in_save(&s->in, out) != 0)
        return -1;
    return xbar_out_save(&s->out, out);
}

int l2_slice_load(l2_slice_t *s, FILE *in, cycle_t latest)
{
    cycle_t port[3];
    bool whole = fread(port, sizeof(port), 1, in) == 1;
    if (!whole || port[0] > latest || port[1] >= L2_CYCLE_PARTS ||
        port[2] / L2_CYCLE_PARTS > latest)
        return checkpoint_read_failed(in);
    s->data_free = port[0];
    s->data_used = (uint32_t)port[1];
    s->atomic_used = port[2];
    if (cache_load(s->cache, in) != 0 || gpc_code_load(&s->gpc, in) != 0 ||
        xbar_in_load(&s->in, in, latest) != 0)
        return -1;
    return xbar_out_load(&s->out, in, latest);
}

void l2_slice_dump(const l2_slice_t *s, FILE *out)
{
    static const char *const reason[] = {
        [L2_STALL_NONE] = "-",
        [L2_STALL_MSHR] = "an MSHR, or room in one",
        [L2_STALL_DRAM] = "room at the DRAM",
        [L2_STALL_REPLY] = "room for its reply",
        [L2_STALL_ATOMIC] = "the atomic unit",
    };
    if (l2_slice_idle(s))
        return;
    fprintf(out, "  slice %u: next cycle %" PRIu64 ", %u MSHRs in use, %zu transfers waiting\n",
            s->number, s->next, s->mshr.used, s->transfer.count);
    if (s->held != 0) {
        const mem_msg_t *m = l2_held_request(s);
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

uint32_t l2_slice_copy_in(l2_slice_t *s, uint64_t line, uint8_t sectors)
{
    if (s->spec.perfect)
        return 0;
    if (s->spec.halves > 1)
        l2_tags_copy_drop(s->cache, cache_key_of(s->cache, line), sectors);
    s->request = (cache_request_t){0};
    cache_tag_t *l = cache_place(s->cache, cache_key_of(s->cache, line)).tag;
    cache_fill_sectors(s->cache, l, sectors);
    cache_write(s->cache, l)->dirty |= sectors;
    return cache_sector_count(sectors);
}
