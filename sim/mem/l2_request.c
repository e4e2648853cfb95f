#include <inttypes.h>

#include "sim/core/err.h"
#include "sim/mem/l2_internal.h"

void l2_slice_fill(l2_slice_t *s, outbox_t *out, uint32_t token, cycle_t now)
{
    uint8_t sectors = (uint8_t)(token & ((1u << L2_TOKEN_SECTOR_BITS) - 1));
    if (sectors == 0)
        return; /* a read before a write-back */
    mshr_entry_t *e = l2_token_mshr(s, token);
    bool waits = s->transfer.count > 0;
    if (s->by_launch != NULL)
        l2_count_for(s, s->by_launch->fill[mshr_index(&s->mshr, e)][__builtin_ctz(sectors)]);
    s->stats.fills += cache_sector_count(sectors);
    l2_data_port_use(s, cache_sector_count(sectors), now);
    s->request = (cache_request_t){
        .pc = MSG_SITE_PC(e->site), .kind = e->kind, .prefetched = e->prefetched, .fill = true};
    cache_tag_t *l = e->absent ? NULL : cache_lookup_key(s->cache, e->key, false);
    if (l == NULL)
        l = l2_line_allocate(s, e->key);
    cache_fill_sectors(s->cache, l, sectors);
    e->absent = false;
    e->pending &= (uint8_t)~sectors;

    uint8_t copied = 0;
    for (mshr_wait_t *w = mshr_first(&s->mshr, e); w != NULL; w = mshr_next(&s->mshr, e, w)) {
        uint8_t got = w->missing & sectors;
        if (got == 0)
            continue;
        w->missing &= (uint8_t)~got;
        if (w->op == MEM_READ) {
            copied |= l2_is_copied(s, w->sm, w->src) ? got : 0;
            l2_reply_owner(s, out, e->line, w->txn, w->sm, w->op, w->src, got, now);
        } else if (w->missing == 0) {
            l2_atomic_perform(s, e->line, w, now);
            cache_write(s->cache, l)->dirty |= w->sectors & cache_tag_valid(l);
            l2_set_clean(s, e->key);
        }
    }
    if (copied != 0) {
        l2_copy_fill(s, e->key, copied);
        l2_data_port_use(s, cache_sector_count(copied), now);
    }
    mshr_drop_served(&s->mshr, e);
    if (e->pending == 0)
        mshr_remove(&s->mshr, e);
    if (s->held != 0 && s->stall == L2_STALL_MSHR)
        s->in_due = now;
    s->next = cycle_min(s->next, cycle_min(s->out_due, s->in_due));
    /* A victim to write back. If other transfers wait, it waits behind them for room at the
     * DRAM. */
    if (!waits && s->transfer.count > 0)
        s->next = now;
}

/* The request of the launch that is counted fetches these sectors. */
static void note_fetch(l2_slice_t *s, const mshr_entry_t *e, uint32_t sectors)
{
    uint16_t *fill = s->by_launch->fill[mshr_index(&s->mshr, e)];
    for (unsigned i = 0; i < SECTORS_PER_LINE; i++)
        fill[i] = sectors >> i & 1 ? s->by_launch->split.tag : fill[i];
}

/* Makes the request wait for its missing sectors, and fetches those that are not in flight yet. */
static bool request_miss(l2_slice_t *s, const mem_msg_t *m, const cache_tag_t *l, uint8_t missing)
{
    mshr_entry_t *e = mshr_find(&s->mshr, s->request_key);
    if (e == NULL ? s->mshr.used == s->mshr.size : e->n_waiting >= s->spec.mshr_merge)
        return false;
    if (e == NULL) {
        e = mshr_add(&s->mshr, s->request_key, m->line);
        e->absent = l == NULL;
        e->site = m->site;
        e->kind = s->request.kind;
        e->prefetched = s->request.prefetched;
    } else {
        s->stats.mshr_merges++;
    }
    mshr_wait(&s->mshr, e, m, missing);
    uint32_t wanted = missing & ~(uint32_t)e->pending;
    if (l != NULL)
        s->stats.partial_fetches += cache_sector_count(wanted & l2_line_partial(s, l));
    while (wanted != 0) {
        uint32_t group = l2_tags_group(s->spec.fill_sectors, (uint32_t)__builtin_ctz(wanted));
        uint32_t fetch =
            group & ~(uint32_t)e->pending & ~(uint32_t)(l != NULL ? cache_tag_valid(l) : 0);
        e->pending |= (uint8_t)fetch;
        s->stats.unasked_fills += cache_sector_count(fetch & ~(uint32_t)missing);
        if (s->by_launch != NULL)
            note_fetch(s, e, fetch);
        l2_transfer_add(s, s->request_key.line, (uint8_t)fetch, false,
                        s->token | mshr_index(&s->mshr, e) << L2_TOKEN_SECTOR_BITS | fetch);
        wanted &= ~group;
    }
    return true;
}

/* Inserts the requested line, which is absent; sectors of it may be in flight. */
static cache_tag_t *request_allocate(l2_slice_t *s)
{
    mshr_entry_t *e = s->mshr.used > 0 ? mshr_find(&s->mshr, s->request_key) : NULL;
    if (e != NULL)
        e->absent = false;
    return l2_line_allocate(s, s->request_key);
}

/* The requested line; NULL on a miss. Code that its launch has brought is inserted at its first
 * request, so that code that is not executed evicts nothing. */
static cache_tag_t *request_line(l2_slice_t *s, const mem_msg_t *m)
{
    cache_tag_t *l = cache_lookup_key(s->cache, s->request_key, true);
    if (!m->launched || s->spec.perfect)
        return l;
    if (l == NULL)
        l = request_allocate(s);
    cache_fill_sectors(s->cache, l, m->sectors);
    return l;
}

/* The sectors of m that the slice has. l: its line, NULL on a miss. */
static uint8_t sectors_there(const l2_slice_t *s, const cache_tag_t *l, const mem_msg_t *m)
{
    if (s->spec.perfect)
        return m->sectors;
    return l != NULL ? cache_tag_valid(l) & m->sectors : 0;
}

static void count_read(l2_slice_t *s, const mem_msg_t *m, uint8_t hit)
{
    s->stats.read_sectors += cache_sector_count(m->sectors);
    s->stats.read_hits += cache_sector_count(hit);
}

static void set_dirty(l2_slice_t *s, cache_tag_t *l, uint8_t sectors)
{
    cache_write(s->cache, l)->dirty |= sectors;
}

/* A read by an SM of the other half: its copy answers what it has, and the owner the rest, which
 * passes the data ports of both. */
static l2_stall_t request_read_far(l2_slice_t *s, outbox_t *out, const mem_msg_t *m, cycle_t now)
{
    const uint8_t local = l2_tags_copy_has(s->cache, s->request_key) & m->sectors;
    const uint8_t rest = m->sectors & (uint8_t)~local;
    const cache_tag_t *l = rest != 0 ? cache_lookup_key(s->cache, s->request_key, true) : NULL;
    const uint8_t hit = l != NULL ? cache_tag_valid(l) & rest : 0;
    const uint8_t missing = rest & (uint8_t)~hit;
    if (missing != 0 && !request_miss(s, m, l, missing))
        return L2_STALL_MSHR;
    count_read(s, m, local | hit);
    if (hit != 0) {
        l2_copy_fill(s, s->request_key, hit);
        l2_data_port_use(s, 2 * cache_sector_count(hit), now);
        l2_reply_owner(s, out, m->line, m->txn, m->sm, m->op, mem_reply_src(m->src, hit), hit, now);
    }
    if (local != 0) {
        l2_data_port_use(s, cache_sector_count(local), now);
        l2_reply_plain(s, out, m->line, m->txn, m->sm, m->op, mem_reply_src(m->src, local), local,
                       now);
    }
    return L2_STALL_NONE;
}

static l2_stall_t request_read(l2_slice_t *s, outbox_t *out, const mem_msg_t *m, cycle_t now)
{
    if (l2_is_copied(s, m->sm, m->src) && !s->spec.perfect)
        return request_read_far(s, out, m, now);
    const cache_tag_t *l = request_line(s, m);
    uint8_t hit = sectors_there(s, l, m);
    uint8_t missing = m->sectors & (uint8_t)~hit;
    if (missing != 0 && !request_miss(s, m, l, missing))
        return L2_STALL_MSHR;
    count_read(s, m, hit);
    if (m->src == MEM_SRC_INST || m->src == MEM_SRC_CONST)
        s->stats.inst_sectors += cache_sector_count(m->sectors);
    if (hit != 0) {
        l2_data_port_use(s, cache_sector_count(hit), now);
        l2_reply_plain(s, out, m->line, m->txn, m->sm, m->op, mem_reply_src(m->src, hit), hit, now);
    }
    return L2_STALL_NONE;
}

static l2_stall_t request_write(l2_slice_t *s, outbox_t *out, const mem_msg_t *m, cycle_t now)
{
    uint32_t n = cache_sector_count(m->sectors);
    uint8_t hit = m->sectors;
    s->stats.write_sectors += n;
    if (!s->spec.perfect) {
        cache_tag_t *l = cache_lookup_key(s->cache, s->request_key, true);
        if (l != NULL) {
            s->stats.write_hits += n;
        } else {
            hit = 0;
            l = request_allocate(s);
        }
        cache_write_sectors(l, cache_write(s->cache, l), m->sectors, m->full, m->bytes);
        if (m->sm != MEM_NOBODY) /* as l2_slice_copy_in() */
            l2_set_clean(s, s->request_key);
        if (s->spec.halves > 1)
            l2_tags_copy_drop(s->cache, s->request_key, m->sectors);
    } else {
        s->stats.write_hits += n;
    }
    const bool far = l2_is_copied(s, m->sm, m->src) && !s->spec.perfect;
    l2_data_port_use(s, far ? 2 * n : n, now);
    l2_reply_owner(s, out, m->line, m->txn, m->sm, m->op, mem_reply_src(m->src, hit), m->sectors,
                   now);
    return L2_STALL_NONE;
}

/* request_miss() of a request with sectors that hit, which its reply will tell. */
static bool request_rest(l2_slice_t *s, const mem_msg_t *m, const cache_tag_t *l, uint8_t missing)
{
    mem_msg_t with_hits = *m;
    with_hits.src = mem_reply_src(m->src, m->sectors & (uint8_t)~missing);
    return request_miss(s, &with_hits, l, missing);
}

static l2_stall_t request_atomic(l2_slice_t *s, const mem_msg_t *m, cycle_t now)
{
    cache_tag_t *l = cache_lookup_key(s->cache, s->request_key, true);
    uint8_t hit = sectors_there(s, l, m);
    uint8_t missing = m->sectors & (uint8_t)~hit;
    if (missing == 0 && !s->spec.perfect && l2_atomic_free(s) > now)
        return L2_STALL_ATOMIC;
    if (missing != 0 && !request_rest(s, m, l, missing))
        return L2_STALL_MSHR;
    uint32_t n = cache_sector_count(m->sectors);
    if (m->op == MEM_ATOMIC) {
        s->stats.atomic_sectors += n;
        s->stats.atomic_hits += cache_sector_count(hit);
    } else {
        s->stats.red_sectors += n;
        s->stats.red_hits += cache_sector_count(hit);
    }
    if (hit != 0)
        l2_data_port_use(s, cache_sector_count(hit), now);
    if (s->spec.halves > 1 && !s->spec.perfect)
        l2_tags_copy_drop(s->cache, s->request_key, m->sectors);
    if (missing == 0) {
        const mshr_wait_t w = {.txn = m->txn,
                               .sm = m->sm,
                               .op = m->op,
                               .src = mem_reply_src(m->src, hit),
                               .sectors = m->sectors,
                               .conflict = m->conflict,
                               .words = m->words};
        l2_atomic_perform(s, m->line, &w, now);
        if (l != NULL) {
            set_dirty(s, l, m->sectors);
            l2_set_clean(s, s->request_key);
        }
    }
    return L2_STALL_NONE;
}

static uint8_t access_of(const mem_msg_t *m)
{
    static const uint8_t of_op[] = {[MEM_READ] = CACHE_BY_READ,
                                    [MEM_WRITE] = CACHE_BY_WRITE,
                                    [MEM_RED] = CACHE_BY_ATOMIC,
                                    [MEM_ATOMIC] = CACHE_BY_ATOMIC};
    return m->sm == MEM_NOBODY ? CACHE_BY_OTHERS : of_op[m->op];
}

/* Whether a poll finds written what it asks for: of its words, those in the sectors that it reads. */
static bool poll_succeeds(const l2_slice_t *s, const mem_msg_t *m)
{
    for (unsigned i = 0; i < SECTORS_PER_LINE; i++) {
        const uint64_t sector = m->line + i * SECTOR_BYTES;
        if (m->sectors >> i & 1 && !word_counts_fulfil(&s->written, m->poll.block, m->poll.wait,
                                                       sector, sector + SECTOR_BYTES))
            return false;
    }
    return true;
}

/* Counts the words that a request has written. */
static void count_words(l2_slice_t *s, const mem_msg_t *m)
{
    for (uint32_t w = 0; w < LINE_BYTES / 4; w++) {
        if (m->op == MEM_WRITE && (m->bytes[w / 8] >> w % 8 * 4 & 15u) != 0)
            word_counts_write(&s->written, NULL, 0, m->line + 4 * w);
        else if (m->op != MEM_WRITE && m->poll.words >> w & 1)
            word_counts_write(&s->written, m->poll.block, m->poll.wait, m->line + 4 * w);
    }
}

static l2_stall_t request_any(l2_slice_t *s, outbox_t *out, const mem_msg_t *m, cycle_t now)
{
    if (m->op == MEM_READ)
        return request_read(s, out, m, now);
    return m->op == MEM_WRITE ? request_write(s, out, m, now) : request_atomic(s, m, now);
}

/* A request of a launch in which warps wait for what others write. A failed atomic writes nothing. */
static l2_stall_t request_watched(l2_slice_t *s, outbox_t *out, const mem_msg_t *m, cycle_t now)
{
    const bool polls = m->op != MEM_WRITE && m->poll.wait != 0;
    mem_msg_t told = *m;
    if (polls && !poll_succeeds(s, m))
        told.txn |= MEM_TXN_NOT_YET;
    const l2_stall_t stall = request_any(s, out, &told, now);
    if (stall == L2_STALL_NONE && told.txn == m->txn)
        count_words(s, m);
    return stall;
}

l2_stall_t l2_request_try(l2_slice_t *s, outbox_t *out, cycle_t now)
{
    const mem_msg_t *m = l2_held_request(s);
    l2_stall_t stall;
    s->request = (cache_request_t){
        .pc = MSG_SITE_PC(m->site), .kind = access_of(m), .prefetched = m->prefetched};
    if (gpc_code_has(&s->gpc, m)) {
        s->stats.gpc_sectors += cache_sector_count(m->sectors);
        l2_reply_plain(s, out, m->line, m->txn, m->sm, m->op, m->src | MEM_NOT_LOOKED_UP,
                       m->sectors, now);
        return L2_STALL_NONE;
    }
    stall = m->watched ? request_watched(s, out, m, now) : request_any(s, out, m, now);
    if (stall == L2_STALL_NONE) {
        s->stats.requests++;
        if (m->src == MEM_SRC_LOCAL)
            s->stats.local_sectors += cache_sector_count(m->sectors);
    }
    return stall;
}
