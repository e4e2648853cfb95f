/*
 * The SM as a shard: takes messages and events, and simulates the cycles in which something
 * happens.
 *
 * Order within a cycle: all arrivals; replies through the crossbar port; warps whose long wait ends;
 * the load/store unit; the injection port; the sub-cores. It does not depend on the windows.
 */
#include "sim/core/files/checkpoint_read.h"
#include "sim/core/model_mem.h"
#include "sim/core/prefetch.h"
#include "sim/sm/by_launch.h"
#include "sim/sm/inst_profile.h"
#include "sim/sm/landing.h"
#include "sim/sm/memory/memory.h"
#include "sim/sm/save_value.h"
#include "sim/sm/subcore/subcore.h"
#include "sim/sm/supply/supply.h"

/* A window is compiled twice, with and without counts per instruction; the parts of a cycle belong to
 * both. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Room in front of the injection port: the miss queue, packets held for translation, and every
 * fetch that can be in flight. */
static uint32_t out_capacity(const sm_t *sm)
{
    return sm->config->l1.miss_queue + sm->config->tlb.pending + supply_requests_max(sm);
}

static void ports_init(sm_t *sm)
{
    const sm_wiring_t *w = &sm->wiring;
    xbar_out_init(&sm->out, w->n_slices, out_capacity(sm), w->port_flits, w->perfect_icnt,
                  (uint16_t)w->index, w->request_latency, w->buffer);
    sm->out.log = w->departures;
    xbar_in_init(&sm->in, &sm->inbox.pool, w->n_slices, w->port_flits, w->perfect_icnt,
                 (uint16_t)w->index, w->request_latency, w->credit_batch);
    for (uint32_t s = 0; s < w->n_slices; s++) {
        xbar_out_connect(&sm->out, s, w->slice_shard[s], w->slice_port[s]);
        xbar_in_connect(&sm->in, s, w->slice_shard[s], w->slice_port[s]);
        int32_t farther = distance_there(w->distance, w->index, s);
        xbar_out_move(&sm->out, s, farther);
        xbar_in_move(&sm->in, s, farther);
    }
}

sm_t *sm_create(const sm_config_t *config, const sm_wiring_t *wiring)
{
    sm_t *sm = rb_model_calloc(1, sizeof(*sm));
    sm->config = config;
    sm->wiring = *wiring;
    sm->n_sub_cores = config->sm.sub_cores;
    sm->by_sub_cores = divider_make(sm->n_sub_cores);
    sm->n_warps = config->sm.max_warps;
    sm->warps_per_sub_core = (sm->n_warps + sm->n_sub_cores - 1) / sm->n_sub_cores;
    RB_INVARIANT(sm->n_sub_cores <= SM_MAX_SUB_CORES && sm->n_warps <= SM_MAX_WARPS &&
                     sm->warps_per_sub_core <= SM_SUB_CORE_WARPS &&
                     config->sm.max_blocks <= SM_MAX_BLOCKS,
                 "SM parameters beyond the tables' sizes");
    inbox_init(&sm->inbox);
    wheel_init(&sm->events);
    sm->out_next = CYCLE_NEVER;
    sm->in_next = CYCLE_NEVER;
    for (uint32_t w = 0; w < sm->n_warps; w++)
        sm->slot[w].block = NO_INDEX;
    classes_init(sm);
    subcore_init(sm);
    supply_init(sm);
    memory_init(sm);
    ports_init(sm);
    return sm;
}

void sm_destroy(sm_t *sm)
{
    if (sm == NULL)
        return;
    inst_profile_free(sm);
    by_launch_free(sm);
    record_free(sm);
    watch_free(sm);
    subcore_free(sm);
    supply_free(sm);
    memory_free(sm);
    xbar_out_free(&sm->out);
    xbar_in_free(&sm->in);
    inbox_free(&sm->inbox);
    wheel_free(&sm->events);
    rb_model_free(sm);
}

static void sm_deliver(void *self, const msg_t *m, size_t n)
{
    sm_t *sm = self;
    inbox_put(&sm->inbox, m, n);
}

enum { MESSAGES_PREFETCH = 2 };

/* Host-side: prefetches what the message needs that is taken after `others` more messages. Not at
 * delivery, because a reply is delivered long before it arrives. */
static void message_prefetch(const sm_t *sm, uint32_t others)
{
    uint32_t n = inbox_ahead(&sm->inbox, others);
    if (n == 0)
        return;
    const msg_t *m = &msg_pool_at(&sm->inbox.pool, n)->msg;
    if (m->kind != MSG_MEM_REPLY)
        return;
    xbar_in_prefetch(&sm->in, m->input);
    if (txn_kind(m->mem.txn) == TXN_MSHR)
        l1_prefetch_reply(sm, &m->mem);
}

/* At the first message of a launch, empties the L1 and the constant caches; but not under the blocks of
 * another launch. Only an SM without blocks gets another carve-out. */
static void take_epoch(sm_t *sm, const block_msg_t *m, cycle_t now)
{
    const launch_ctx_t *launch = m->launch;
    int32_t newer = (int32_t)(launch->epoch - sm->epoch);
    if (newer <= 0 && sm->carveout == m->carveout)
        return;
    if (launch->overlaps && sm->n_resident > 0)
        return;
    sm->epoch = newer > 0 ? launch->epoch : sm->epoch;
    sm->code_base = launch->code_base;
    sm->carveout = m->carveout;
    if (sm->by_launch != NULL)
        by_launch_to(sm, launch->tag);
    memory_reset(sm, m->carveout, now);
    const_forget(sm);
}

/* Before the first block: allocates what only an SM with blocks needs. Clearing it for each SM would
 * take longer than a small launch. */
static __attribute__((noinline)) void begin(sm_t *sm)
{
    sm->begun = true;
    memory_begin(sm);
}

/* Handles message n of the inbox's pool, which arrived. Returns a reply that can pass the crossbar
 * port at once, because it is alone; 0: none. */
ALWAYS_INLINE uint32_t take_message(sm_t *sm, uint32_t n, cycle_t now)
{
    const msg_t *m = &msg_pool_at(&sm->inbox.pool, n)->msg;
    switch (m->kind) {
    case MSG_MEM_REPLY:
        if (txn_kind(m->mem.txn) == TXN_MSHR)
            l1_prefetch_arrived(sm, &m->mem);
        if (sm->in.waiting == 0 && sm->in.port.cycle <= now && inbox_next(&sm->inbox) > now)
            return n;
        xbar_in_push(&sm->in, n);
        return 0;
    case MSG_CREDIT:
        xbar_out_credit(&sm->out, m->input, m->count);
        if (sm->out.count > 0)
            sm->out_next = cycle_min(sm->out_next, now);
        break;
    case MSG_TRANSLATION:
        tlb_arrive(sm, m->entry);
        break;
    case MSG_BLOCK:
        if (!sm->begun)
            begin(sm);
        take_epoch(sm, &m->block, now);
        block_start(sm, &m->block, now);
        break;
    case MSG_LAUNCH_OVER:
        block_launch_over(sm, m->block.launch, now);
        break;
    default:
        rb_panic("SM %u: message of kind %d", sm->wiring.index, m->kind);
    }
    msg_pool_free(&sm->inbox.pool, n);
    return 0;
}

/* Sends what the crossbar can take. */
ALWAYS_INLINE void send_requests(sm_t *sm, cycle_t now, const bool profiled)
{
    const uint32_t waiting = sm->out.count;
    uint64_t *sent = &sm->stats.xbar_flits_out;
    if (profiled && sm->by_launch != NULL)
        sent = &sm->by_launch->sink; /* counted when they were queued */
    xbar_out_step(&sm->out, sm->outbox, now, sent);
    sm->out_next = xbar_out_next(&sm->out, now);
    if (sm->out.count == waiting)
        return;
    lsu_kick(sm, now + 1);
}

/* Handles reply n, which passed the crossbar port. */
static void take_reply(sm_t *sm, uint32_t n, cycle_t now)
{
    const msg_t *m = &msg_pool_at(&sm->inbox.pool, n)->msg;
    const uint32_t index = txn_index(m->mem.txn);
    switch (txn_kind(m->mem.txn)) {
    case TXN_MSHR:
        l1_fill(sm, &m->mem, now);
        break;
    case TXN_LOAD:
        l1_answer(sm, &m->mem, now);
        break;
    case TXN_STORE:
        sm_store_done(sm, index, now);
        break;
    case TXN_FETCH:
        warps_fetched(sm, fetch_reply(sm, index, m->mem.sectors, now), now);
        break;
    case TXN_WRITE_BACK:
        if (memory_write_acknowledged(sm, index))
            block_written_back(sm, now);
        break;
    }
    msg_pool_free(&sm->inbox.pool, n);
}

/* The same with counts per instruction (profiled). */
ALWAYS_INLINE void take_reply_of(sm_t *sm, uint32_t n, cycle_t now, const bool profiled)
{
    msg_t *m = &msg_pool_at(&sm->inbox.pool, n)->msg;
    if (profiled)
        profile_reply(sm, m);
    else
        sm->stats.xbar_flits_in += m->flits;
    take_reply(sm, n, now);
}

/* Takes what arrived and, through the crossbar port, replies. */
ALWAYS_INLINE void take_messages(sm_t *sm, cycle_t now, const bool profiled)
{
    uint32_t alone = 0;
    while (inbox_next(&sm->inbox) <= now) {
        alone = take_message(sm, inbox_take(&sm->inbox, now + 1), now);
        message_prefetch(sm, MESSAGES_PREFETCH - 1);
    }
    if (tlb_has_arrivals(sm))
        tlb_step(sm, now);
    if (alone != 0) {
        xbar_in_pass(&sm->in, sm->outbox, alone, now);
        take_reply_of(sm, alone, now, profiled);
    }
    while (xbar_in_ready(&sm->in, now))
        take_reply_of(sm, xbar_in_take(&sm->in, sm->outbox, now), now, profiled);
}

/* Handles a wheel event: a warp becomes ready, or a result is written. */
static void take_event(sm_t *sm, uint32_t event, cycle_t now)
{
    if (event < SM_MAX_WARPS) {
        warp_make_ready(sm, event, now);
        return;
    }
    const uint32_t w = results_due(sm, event, now);
    if (w != NO_INDEX)
        sm_result_written(sm, w, now);
}

/* One cycle; to: end of the window. */
ALWAYS_INLINE void sm_cycle(sm_t *sm, cycle_t now, cycle_t to, const bool profiled)
{
    cycle_t at;
    uint32_t event;
    if (depend_sweep_is_due(sm, now))
        depend_sweep(sm, now);
    take_messages(sm, now, profiled);
    while (wheel_pop(&sm->events, now + 1, &at, &event))
        take_event(sm, event, now);
    if (lsu_next(sm) <= now)
        (profiled ? lsu_step_profiled : lsu_step)(sm, now);
    if (sm->out_next <= now)
        send_requests(sm, now, profiled);
    sm->in_next = xbar_in_next(&sm->in, now + 1);
    if (issue_next(sm) <= now)
        (profiled ? issue_step_profiled : issue_step)(sm, now, to);
}

/* Next cycle at which something happens without further messages. */
static cycle_t next_cycle(const sm_t *sm)
{
    return cycle_min(issue_next(sm), sm_next_event(sm));
}

/* Simulates a window. Compiled once with and once without counts per instruction. */
ALWAYS_INLINE cycle_t run_window(sm_t *sm, cycle_t from, cycle_t to, const bool profiled)
{
    wheel_advance(&sm->events, from);
    for (uint32_t i = 0; i < INBOX_PREFETCH; i++)
        inbox_prefetch(&sm->inbox, i);
    for (uint32_t i = 0; i < MESSAGES_PREFETCH; i++)
        message_prefetch(sm, i);
    lsu_prefetch(sm);
    cycle_t now = from;
    for (;;) {
        cycle_t t = next_cycle(sm);
        if (t >= to) {
            inbox_advance(&sm->inbox, to);
            return t;
        }
        now = cycle_max(t, now);
        sm_cycle(sm, now, to, profiled);
        now++;
    }
}

static cycle_t run_profiled(sm_t *sm, cycle_t from, cycle_t to)
{
    profile_thread(sm, engine_thread(sm->outbox));
    return run_window(sm, from, to, true);
}

static cycle_t sm_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    sm_t *sm = self;
    sm->outbox = out;
    if (sm->out.log != NULL)
        departures_open(sm->out.log, out, from);
    return sm->profile != NULL ? run_profiled(sm, from, to) : run_window(sm, from, to, false);
}

void sm_charge(sm_t *sm, cycle_t cycle)
{
    if (sm->profile != NULL)
        profile_thread(sm, 0); /* the calling one */
    lsu_charge(sm, cycle);
    subcore_charge(sm, cycle);
    if (sm->by_launch != NULL) {
        by_launch_active(sm, cycle);
    } else if (sm->n_resident > 0 && cycle > sm->active_since) {
        sm->stats.active_cycles += cycle - sm->active_since;
        sm->active_since = cycle;
    }
}

void sm_gauges(const sm_t *sm, sm_gauges_t *out)
{
    *out = (sm_gauges_t){.warps = sm->n_resident, .packets_out = sm->out.count};
    memory_gauges(sm, out);
}

const sm_stats_t *sm_stats(const sm_t *sm)
{
    return &sm->stats;
}

uint64_t sm_warp_insts(const sm_t *sm)
{
    return sm->by_launch != NULL ? sm->by_launch->issued
                                 : sm->stats.warp_insts + subcore_issued(sm);
}

static const char *const park_names[] = {
    [PARK_NOT] = "can issue",
    [PARK_DEPEND] = "waits for a register",
    [PARK_FETCH] = "waits for an instruction fetch",
    [PARK_BARRIER] = "waits at a barrier",
    [PARK_MEMBAR] = "waits at a memory barrier",
    [PARK_EXITED] = "has exited, waits for its loads and stores",
};

static void sm_dump(const void *self, FILE *out)
{
    const sm_t *sm = self;
    if (sm->n_resident == 0)
        return;
    fprintf(out, "SM %u: %u warps, %u packets waiting for the crossbar, load/store unit %s\n",
            sm->wiring.index, sm->n_resident, sm->out.count, memory_doing(sm));
    for (uint32_t w = 0; w < sm->n_warps; w++) {
        const warp_slot_t *slot = &sm->slot[w];
        if (slot->block == NO_INDEX)
            continue;
        const block_slot_t *block = &sm->block[slot->block];
        const park_t park = warp_parked(sm, w);
        const inst_t *next = warp_slot_next(sm, w);
        fprintf(out, "  warp %u (block %llu, warp %u): %s", w,
                (unsigned long long)block->block->index, slot->index, park_names[park]);
        if (park == PARK_BARRIER)
            fprintf(out, " %u with %u of %u live warps", slot->barrier, block->waiting,
                    block->live);
        if (next != NULL)
            fprintf(out, ", next %s at pc %04x", isa_opcode(next->opcode)->mnemonic, next->pc);
        fprintf(out, ", %u loads and %u stores in flight\n", slot->loads, slot->stores);
    }
}

/* Prefetches what every cycle of the SM reads. ahead: see shard_ops_t. */
static void sm_prefetch(const void *self, int ahead)
{
    const sm_t *sm = self;
    if (ahead == 1) {
        memory_prefetch_shape(sm);
        prefetch_range(sm->in.nonempty, 1);
        prefetch_range(sm->out.queue, 2 * sizeof(*sm->out.queue));
        return;
    }
    prefetch_range(sm, offsetof(sm_t, cls)); /* statistics, mainly */
    prefetch_range(&sm->inbox, sizeof(sm->inbox));
    prefetch_range(&sm->events, offsetof(wheel_t, occupied));
    subcore_prefetch(sm);
    supply_prefetch(sm);
    memory_prefetch(sm);
    prefetch_range(&sm->out_next, offsetof(sm_t, recorded) - offsetof(sm_t, out_next));
}

const shard_ops_t sm_shard_ops = {
    .kind = "sm",
    .deliver = sm_deliver,
    .run = sm_run,
    .dump = sm_dump,
    .prefetch = sm_prefetch,
};

/* State of the landing that survives a launch. */
#define SM_PERSISTENT(X)                                                                           \
    X(sm->out_ready)                                                                               \
    X(sm->epoch)

int sm_save(const sm_t *sm, FILE *out)
{
    RB_INVARIANT(sm->n_resident == 0, "SM %u saved while it has warps", sm->wiring.index);
    int rc = 0;
    SM_PERSISTENT(SAVE_VALUE)
    rc |= subcore_save(sm, out);
    rc |= supply_save(sm, out);
    rc |= memory_save(sm, out);
    rc |= xbar_out_save(&sm->out, out);
    rc |= xbar_in_save(&sm->in, out);
    return rc;
}

void sm_forget(sm_t *sm)
{
    fetch_forget(sm);
    tlb_forget(sm);
}

const xbar_out_t *sm_sends(const sm_t *sm)
{
    return &sm->out;
}

const xbar_in_t *sm_receives(const sm_t *sm)
{
    return &sm->in;
}

int sm_load(sm_t *sm, FILE *in, cycle_t latest)
{
    int rc = 0;
    SM_PERSISTENT(LOAD_VALUE)
    if (rc != 0 || sm->out_ready > latest)
        return checkpoint_read_failed(in);
    if (subcore_load(sm, in, latest) != 0 || supply_load(sm, in, latest) != 0 ||
        memory_load(sm, in, latest) != 0 || xbar_out_load(&sm->out, in, latest) != 0)
        return -1;
    return xbar_in_load(&sm->in, in, latest);
}
