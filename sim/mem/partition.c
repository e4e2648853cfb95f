#include "sim/mem/partition.h"

#include <inttypes.h>
#include <string.h>

#include "sim/core/engine/inbox.h"
#include "sim/core/err.h"
#include "sim/core/files/checkpoint_read.h"
#include "sim/core/model_mem.h"
#include "sim/core/prefetch.h"
#include "sim/core/ring.h"

struct partition {
    const addr_map_t *map; /* borrowed */
    uint32_t index, n_slices, n_sms;
    l2_slice_t *slice; /* owned */
    dram_t *dram;      /* owned */
    inbox_t inbox;     /* its pool also holds the slices' packets */
    uint32_t turn;     /* slice that goes first in a cycle */
    bool listens;      /* whether arriving messages matter; otherwise they wait for the next
                        * event */
    cycle_t next;      /* next cycle at which something happens */
    struct {
        copy_pass_t *item; /* owned */
        size_t head, count, cap;
        cycle_t due; /* when the next of their lines reaches the L2 */
    } copies;        /* on their way through the partition */
    uint64_t l2_size;
};

partition_t *partition_create(const mem_config_t *config, const addr_map_t *map, uint32_t index,
                              uint32_t n_sms)
{
    RB_INVARIANT(map->slices_per_partition <= PARTITION_MAX_SLICES &&
                     config->l2.mshrs <= 1u << L2_TOKEN_MSHR_BITS,
                 "partition: %u slices with %u MSHRs", map->slices_per_partition, config->l2.mshrs);
    partition_t *p = rb_model_calloc(1, sizeof(*p));
    p->map = map;
    p->index = index;
    p->n_slices = map->slices_per_partition;
    p->n_sms = n_sms;
    p->l2_size = config->l2.size;
    p->next = p->copies.due = CYCLE_NEVER;
    p->listens = true;
    inbox_init(&p->inbox);
    p->dram = dram_create(&config->dram, config->core_mhz);
    p->slice = rb_model_calloc(p->n_slices, sizeof(*p->slice));
    for (uint32_t s = 0; s < p->n_slices; s++)
        l2_slice_init(&p->slice[s], config, map, p->dram, &p->inbox.pool, index * p->n_slices + s,
                      n_sms);
    return p;
}

void partition_destroy(partition_t *p)
{
    if (p == NULL)
        return;
    for (uint32_t s = 0; s < p->n_slices; s++)
        l2_slice_free(&p->slice[s]);
    rb_model_free(p->slice);
    dram_destroy(p->dram);
    inbox_free(&p->inbox);
    rb_model_free(p->copies.item);
    rb_model_free(p);
}

void partition_connect(partition_t *p, const uint16_t *sm_shard, const distance_t *distance)
{
    for (uint32_t s = 0; s < p->n_slices; s++) {
        for (uint32_t sm = 0; sm < p->n_sms; sm++)
            l2_slice_connect(&p->slice[s], sm, sm_shard[sm],
                             distance_back(distance, sm, p->index * p->n_slices + s));
    }
}

static void partition_deliver(void *self, const msg_t *m, size_t n)
{
    partition_t *p = self;
    inbox_put(&p->inbox, m, n);
    if (p->listens)
        p->next = cycle_min(p->next, inbox_next(&p->inbox));
    for (size_t i = 0; i < n; i++) {
        if (m[i].kind == MSG_MEM_REQUEST)
            l2_slice_prefetch(&p->slice[m[i].port], &m[i]);
    }
}

/* Makes room at the DRAM visible that became free before cycle now, and wakes slices for it. */
static void room_share(partition_t *p, cycle_t now)
{
    dram_see_room(p->dram, now - 1);
    uint32_t room[2] = {dram_room(p->dram, false), dram_room(p->dram, true)}, s = p->turn;
    for (uint32_t k = 0; k < p->n_slices; k++) {
        l2_slice_dram_room(&p->slice[s], room, now);
        s = s + 1 == p->n_slices ? 0 : s + 1;
    }
}

/* Gives the slices the lines of copies that are due. */
static void copies_take(partition_t *p, cycle_t now)
{
    p->copies.due = CYCLE_NEVER;
    for (size_t i = 0; i < p->copies.count; i++) {
        copy_pass_t *pass = RB_RING_AT(&p->copies, i);
        while (pass->due <= now) {
            msg_t m;
            const uint32_t slice = copy_pass_take(pass, p->map, p->index, &m);
            l2_slice_copy(&p->slice[slice % p->n_slices], msg_pool_put(&p->inbox.pool, &m), now);
        }
        p->copies.due = cycle_min(p->copies.due, pass->due);
    }
    while (p->copies.count > 0 && RB_RING_AT(&p->copies, 0)->due == CYCLE_NEVER)
        RB_RING_DROP(&p->copies);
}

/* Sets the next cycle. Slices see room in the cycle after it became free; only if one waits for
 * it. */
static void next_cycle(partition_t *p, cycle_t now)
{
    cycle_t next = cycle_min(dram_read_due(p->dram), dram_next(p->dram));
    bool wait = false, listens = false;
    for (uint32_t s = 0; s < p->n_slices; s++) {
        next = cycle_min(next, p->slice[s].next);
        wait |= p->slice[s].transfer.count > 0;
        listens |= l2_slice_listens(&p->slice[s]);
    }
    next = cycle_min(next, p->copies.due);
    cycle_t room = dram_next_room(p->dram);
    if (wait && room != CYCLE_NEVER)
        next = cycle_min(next, cycle_max(room, now) + 1);
    p->listens = listens;
    p->next = listens ? cycle_min(next, inbox_next(&p->inbox)) : next;
}

/* Gives the slices what arrived up to cycle now. */
static void messages_take(partition_t *p, cycle_t now)
{
    while (inbox_next(&p->inbox) <= now) {
        uint32_t n = inbox_take(&p->inbox, now + 1);
        l2_slice_arrive(&p->slice[msg_pool_at(&p->inbox.pool, n)->msg.port], n, now);
    }
}

/* Host-side: prefetch for the fill after i others, if it is known. */
static inline void fill_prefetch_entry(const partition_t *p, uint32_t i)
{
    if (i >= dram_reads(p->dram))
        return;
    const uint32_t token = dram_read_token(p->dram, i);
    l2_slice_prefetch_entry(&p->slice[l2_token_slice(token)], token);
}

static inline void fill_prefetch_tags(const partition_t *p, uint32_t i)
{
    if (i >= dram_reads(p->dram))
        return;
    const uint32_t token = dram_read_token(p->dram, i);
    l2_slice_prefetch_tags(&p->slice[l2_token_slice(token)], token);
}

/* At a fill: the following ones are now one step nearer. */
static void fills_prefetch(const partition_t *p)
{
    fill_prefetch_tags(p, L2_PREFETCH_TAGS);
    fill_prefetch_entry(p, L2_PREFETCH_ENTRY);
}

/* The same at the start of a window: what was prefetched before has left the host's cache. */
static void fills_resume(const partition_t *p)
{
    for (uint32_t i = 0; i <= L2_PREFETCH_ENTRY; i++)
        fill_prefetch_entry(p, i);
    for (uint32_t i = 0; i <= L2_PREFETCH_TAGS; i++)
        fill_prefetch_tags(p, i);
}

/* Order within a cycle: messages and fills (they touch different state, so their order does not
 * matter), slices, DRAM. Slices see room at the DRAM one cycle later. The slice after the last one
 * that used room goes first, so that slices share the DRAM evenly. */
static void cycle_run(partition_t *p, outbox_t *out, cycle_t now)
{
    if (dram_next_room(p->dram) < now)
        room_share(p, now);
    messages_take(p, now);
    if (p->copies.due <= now)
        copies_take(p, now);
    while (dram_read_due(p->dram) <= now) {
        uint32_t token = dram_read_token(p->dram, 0);
        dram_read_drop(p->dram);
        fills_prefetch(p);
        l2_slice_fill(&p->slice[l2_token_slice(token)], out, token, now);
    }
    uint32_t s = p->turn;
    for (uint32_t k = 0; k < p->n_slices; k++) {
        uint32_t after = s + 1 == p->n_slices ? 0 : s + 1;
        if (p->slice[s].next <= now && l2_slice_run(&p->slice[s], out, now))
            p->turn = after;
        s = after;
    }
    if (dram_next(p->dram) <= now)
        dram_run(p->dram, now);
    next_cycle(p, now);
}

static cycle_t partition_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    partition_t *p = self;
    RB_INVARIANT(p->next >= from, "partition %u missed cycle %" PRIu64, p->index, p->next);
    for (uint32_t s = 0; s < p->n_slices; s++)
        l2_slice_prefetch_input(&p->slice[s]);
    fills_resume(p);
    while (p->next < to)
        cycle_run(p, out, p->next);
    /* Slices ignore these messages now, but they count in the window in which they arrive. */
    messages_take(p, to - 1);
    inbox_advance(&p->inbox, to);
    return cycle_min(p->next, inbox_next(&p->inbox));
}

/* Prefetches what every cycle of the partition reads. ahead: see shard_ops_t. */
static void partition_prefetch(const void *self, int ahead)
{
    const partition_t *p = self;
    if (ahead == 2)
        prefetch_range(p, sizeof(*p));
    for (uint32_t s = 0; s < p->n_slices; s++)
        l2_slice_prefetch_state(&p->slice[s], ahead);
    dram_prefetch(p->dram, ahead);
}

static void partition_dump(const void *self, FILE *out)
{
    const partition_t *p = self;
    fprintf(out, "  partition %u: next cycle %" PRIu64 "\n", p->index, p->next);
    for (uint32_t s = 0; s < p->n_slices; s++)
        l2_slice_dump(&p->slice[s], out);
    dram_dump(p->dram, out);
}

const shard_ops_t partition_shard_ops = {
    .kind = "partition",
    .after_transit = true, /* requests may wait for ports that SMs share */
    .deliver = partition_deliver,
    .run = partition_run,
    .dump = partition_dump,
    .prefetch = partition_prefetch,
};

void partition_stats(const partition_t *p, l2_stats_t *l2, dram_stats_t *dram)
{
    memset(l2, 0, sizeof(*l2));
    for (uint32_t s = 0; s < p->n_slices; s++)
        stats_add((uint64_t *)l2, (const uint64_t *)&p->slice[s].stats, L2_STAT_COUNT);
    *dram = *dram_stats(p->dram);
}

void partition_count_by_launch(partition_t *p, bool on)
{
    for (uint32_t s = 0; s < p->n_slices; s++)
        l2_slice_count_by_launch(&p->slice[s], on);
    dram_count_by_launch(p->dram, on);
}

void partition_drain_by_launch(partition_t *p, stats_split_sink_t *l2, stats_split_sink_t *dram,
                               void *ctx)
{
    for (uint32_t s = 0; s < p->n_slices; s++)
        stats_split_drain(&p->slice[s].by_launch->split, l2, ctx);
    stats_split_drain(dram_by_launch(p->dram), dram, ctx);
}

size_t partition_sets_by_launch(const partition_t *p)
{
    size_t most = dram_by_launch(p->dram)->n_sets;
    for (uint32_t s = 0; s < p->n_slices; s++) {
        const size_t n = p->slice[s].by_launch->split.n_sets;
        most = n > most ? n : most;
    }
    return most;
}

void partition_gauges(const partition_t *p, cycle_t now, partition_gauges_t *out)
{
    *out = (partition_gauges_t){.dram_reads = dram_waiting(p->dram, false, now),
                                .dram_writes = dram_waiting(p->dram, true, now)};
    for (uint32_t s = 0; s < p->n_slices; s++) {
        out->requests += p->slice[s].in.waiting + (p->slice[s].held != 0);
        out->lines += p->slice[s].mshr.used;
    }
}

const l2_stats_t *partition_slice_stats(const partition_t *p, uint32_t slice)
{
    return &p->slice[slice].stats;
}

void partition_copy(partition_t *p, const copy_traffic_t *copy)
{
    copy_pass_t *pass = &RB_RING_PUSH(&p->copies);
    copy_pass_begin(pass, copy, p->map, p->index);
    p->copies.due = cycle_min(p->copies.due, pass->due);
    p->next = cycle_min(p->next, pass->due);
}

uint64_t partition_memcpy(partition_t *p, uint64_t addr, uint64_t bytes)
{
    const uint64_t limit = UINT64_MAX - LINE_BYTES; /* keeps the arithmetic below in range */
    if (bytes == 0 || addr >= limit)
        return 0;
    uint64_t to = bytes > limit - addr ? limit : addr + bytes;
    uint64_t from = to - addr > p->l2_size ? to - p->l2_size : addr;
    uint64_t block = UINT64_C(1) << p->map->interleave_shift, left = 0;
    for (uint32_t s = 0; s < p->n_slices; s++) {
        l2_slice_t *slice = &p->slice[s];
        /* One block of the slice for each run of as many blocks as there are slices. */
        uint64_t first = addr_map_slice_local(p->map, from) & ~(block - 1);
        uint64_t last = addr_map_slice_local(p->map, to - 1) & ~(block - 1);
        for (uint64_t local = first; local <= last; local += block) {
            uint64_t base = addr_map_global(p->map, slice->number, local);
            for (uint64_t k = 0; k < block; k += LINE_BYTES) {
                uint8_t sectors = copy_sectors(base + k, from, to);
                if (sectors != 0)
                    left += l2_slice_copy_in(slice, local + k, sectors);
            }
        }
    }
    return left;
}

void partition_flush_l2(partition_t *p)
{
    for (uint32_t s = 0; s < p->n_slices; s++)
        cache_invalidate(p->slice[s].cache);
}

void partition_forget_code(partition_t *p)
{
    for (uint32_t s = 0; s < p->n_slices; s++)
        gpc_code_forget(&p->slice[s].gpc);
}

void partition_forget_writes(partition_t *p)
{
    for (uint32_t s = 0; s < p->n_slices; s++)
        word_counts_free(&p->slice[s].written);
}

void partition_learn_code(partition_t *p, uint32_t slice, uint64_t line, uint32_t sm)
{
    (void)gpc_code_keep(&p->slice[slice % p->n_slices].gpc, line, sm, CACHE_TAG_VALID);
}

cache_t *partition_exchange_l2(partition_t *p, uint32_t slice, cache_t *tags)
{
    l2_slice_t *s = &p->slice[slice % p->n_slices];
    cache_t *present = s->cache;
    s->cache = tags;
    return present;
}

l2_tags_t partition_l2_tags(partition_t *p, uint32_t slice)
{
    return l2_slice_tags(&p->slice[slice % p->n_slices]);
}

int partition_save(const partition_t *p, FILE *out)
{
    RB_INVARIANT(inbox_next(&p->inbox) == CYCLE_NEVER,
                 "partition %u: checkpoint with messages in flight", p->index);
    if (fwrite(&p->turn, sizeof(p->turn), 1, out) != 1)
        return -1;
    for (uint32_t s = 0; s < p->n_slices; s++) {
        if (l2_slice_save(&p->slice[s], out) != 0)
            return -1;
    }
    return dram_save(p->dram, out);
}

const xbar_out_t *partition_sends(const partition_t *p, uint32_t slice)
{
    return &p->slice[slice].out;
}

const xbar_in_t *partition_receives(const partition_t *p, uint32_t slice)
{
    return &p->slice[slice].in;
}

int partition_load(partition_t *p, FILE *in, cycle_t latest)
{
    uint32_t turn;
    bool whole = fread(&turn, sizeof(turn), 1, in) == 1;
    if (!whole || turn >= p->n_slices)
        return checkpoint_read_failed(in);
    p->turn = turn;
    for (uint32_t s = 0; s < p->n_slices; s++) {
        if (l2_slice_load(&p->slice[s], in, latest) != 0)
            return -1;
    }
    return dram_load(p->dram, in, latest);
}
