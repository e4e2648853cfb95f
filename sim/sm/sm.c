/*
 * The SM as a shard: messages in, events, one cycle after another where something happens.
 *
 * Order within a cycle: everything that arrives; replies through the crossbar port; warps that
 * become ready; the load/store unit; the injection port; issue. It does not depend on windows.
 */
#include "sim/sm/sm_internal.h"

#include <string.h>

#include "sim/core/checkpoint_read.h"
#include "sim/core/model_mem.h"
#include "sim/core/prefetch.h"

static void sub_cores_init(sm_t *sm)
{
    for (uint32_t w = 0; w < sm->n_warps; w++) {
        sm->warp[w].sub_core = (uint8_t)(w % sm->n_sub_cores);
        sm->warp[w].place = (uint8_t)(w / sm->n_sub_cores);
        sm->warp[w].block = NO_INDEX;
        sm->warp[w].state = STATE_NO_WARP;
        sm->sub[w % sm->n_sub_cores].free_slots |= UINT32_C(1) << sm->warp[w].place;
    }
}

/* Room in front of the injection port: the miss queue, what waits for translations, and every fetch
 * that can be under way. */
static uint32_t out_capacity(const sm_t *sm)
{
    return sm->config->l1.miss_queue + sm->config->tlb.pending + sm->n_l1i_miss;
}

static void ports_init(sm_t *sm)
{
    const sm_wiring_t *w = &sm->wiring;
    xbar_out_init(&sm->out, w->n_slices, out_capacity(sm), w->port_flits, w->perfect_icnt,
                  (uint16_t)w->index, w->request_latency, w->buffer);
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
    sm->dep = rb_model_calloc((size_t)sm->n_warps * REG_ID_COUNT, sizeof(*sm->dep));
    sm->hold = rb_model_calloc((size_t)sm->n_warps * REG_ID_PRED, sizeof(*sm->hold));
    sm->sweep_at = DEP_SWEEP_INTERVAL;
    sm->issue_next = CYCLE_NEVER;
    sm->out_next = CYCLE_NEVER;
    sm->in_next = CYCLE_NEVER;
    sm->issuing = NOT_ISSUING;
    sub_cores_init(sm);
    control_check_init(sm);
    issue_init(sm);
    fetch_init(sm);
    lsu_init(sm);
    l1_init(sm);
    tlb_init(sm);
    ports_init(sm);
    return sm;
}

void sm_destroy(sm_t *sm)
{
    if (sm == NULL)
        return;
    record_free(sm);
    watch_free(sm);
    control_free(sm);
    control_check_free(sm);
    l1_free(sm);
    tlb_free(sm);
    fetch_free(sm);
    xbar_out_free(&sm->out);
    xbar_in_free(&sm->in);
    inbox_free(&sm->inbox);
    wheel_free(&sm->events);
    for (uint32_t s = 0; s < sm->n_sub_cores; s++)
        rb_model_free(sm->sub[s].queue);
    rb_model_free(sm->dep);
    rb_model_free(sm->hold);
    rb_model_free(sm);
}

static void sm_deliver(void *self, const msg_t *m, size_t n)
{
    sm_t *sm = self;
    inbox_put(&sm->inbox, m, n);
}

enum { MESSAGES_PREFETCH = 2 };

/* Host-side: what the message that will be taken after so many others will need. Not when it is
 * delivered: a reply is sent long before it arrives. */
static void message_prefetch(const sm_t *sm, uint32_t others)
{
    uint32_t n = inbox_ahead(&sm->inbox, others);
    if (n == 0)
        return;
    const msg_t *m = &msg_pool_at(&sm->inbox.pool, n)->msg;
    if (m->kind == MSG_MEM_REPLY)
        l1_prefetch_reply(sm, m);
}

/* Message n of the inbox's pool arrived. */
static void take_message(sm_t *sm, uint32_t n, cycle_t now)
{
    const msg_t *m = &msg_pool_at(&sm->inbox.pool, n)->msg;
    switch (m->kind) {
    case MSG_MEM_REPLY:
        l1_prefetch_arrived(sm, m);
        xbar_in_push(&sm->in, n);
        return;
    case MSG_CREDIT:
        xbar_out_credit(&sm->out, m->input, m->count);
        if (sm->out.count > 0)
            sm->out_next = cycle_min(sm->out_next, now);
        break;
    case MSG_TRANSLATION:
        tlb_arrive(sm, m->entry);
        break;
    case MSG_BLOCK:
        block_start(sm, &m->block, now);
        break;
    default:
        rb_panic("SM %u: message of kind %d", sm->wiring.index, m->kind);
    }
    msg_pool_free(&sm->inbox.pool, n);
}

void sm_send_request(sm_t *sm, const mem_msg_t *m, uint32_t flits, cycle_t ready)
{
    sm->out_ready = cycle_max(sm->out_ready, ready);
    msg_t *msg = xbar_out_push(&sm->out, addr_map_slice(sm->wiring.map, m->line), sm->out_ready);
    msg->kind = MSG_MEM_REQUEST;
    msg->flits = (uint8_t)flits;
    msg->mem = *m;
    msg->mem.sm = (uint16_t)sm->wiring.index;
    if (m->op != MEM_READ && sm->wiring.data_interval > 0)
        xbar_out_stretch(&sm->out, sm->wiring.data_interval * sm->wiring.port_flits);
    if (sm->out.count == 1) /* of more, the first decides */
        sm->out_next = cycle_min(sm->out_next, sm->out_ready);
}

/* The crossbar takes what it can. */
static void send_requests(sm_t *sm, cycle_t now)
{
    const uint32_t waiting = sm->out.count;
    xbar_out_step(&sm->out, sm->outbox, now, &sm->stats.xbar_flits_out);
    sm->out_next = xbar_out_next(&sm->out, now);
    if (sm->out.count != waiting)
        lsu_kick(sm, now + 1);
}

static void sm_cycle(sm_t *sm, cycle_t now)
{
    cycle_t at;
    uint32_t payload;
    if (now >= sm->sweep_at)
        depend_sweep(sm, now);
    while (inbox_next(&sm->inbox) <= now) {
        take_message(sm, inbox_take(&sm->inbox, now + 1), now);
        message_prefetch(sm, MESSAGES_PREFETCH - 1);
    }
    if (sm->tlb.n_arrived > 0)
        tlb_step(sm, now);
    while (xbar_in_ready(&sm->in, now)) {
        uint32_t n = xbar_in_take(&sm->in, sm->outbox, now);
        l1_reply(sm, &msg_pool_at(&sm->inbox.pool, n)->msg, now);
        msg_pool_free(&sm->inbox.pool, n);
    }
    while (wheel_pop(&sm->events, now + 1, &at, &payload))
        (payload < SM_MAX_WARPS ? warp_make_ready : results_due)(sm, payload, now);
    if (sm->lsu.retry <= now)
        lsu_step(sm, now);
    if (sm->out_next <= now)
        send_requests(sm, now);
    if (sm->issue_next <= now)
        issue_step(sm, now);
    sm->in_next = xbar_in_next(&sm->in, now + 1);
}

/* Next cycle at which something happens without further messages. */
static cycle_t next_cycle(const sm_t *sm)
{
    cycle_t t = cycle_min(sm->issue_next, sm->lsu.retry);
    t = cycle_min(t, cycle_min(sm->out_next, sm->in_next));
    t = cycle_min(t, wheel_next(&sm->events));
    return cycle_min(t, inbox_next(&sm->inbox));
}

static cycle_t sm_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    sm_t *sm = self;
    sm->outbox = out;
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
        sm_cycle(sm, now);
        now++;
    }
}

void sm_charge(sm_t *sm, cycle_t cycle)
{
    lsu_charge(sm, cycle);
    for (uint32_t s = 0; s < sm->n_sub_cores; s++)
        issue_charge(sm, &sm->sub[s], cycle);
    for (uint32_t w = 0; w < sm->n_warps; w++) {
        if (!sm->warp[w].ready)
            warp_charge(sm, &sm->warp[w], cycle);
    }
    if (sm->n_resident > 0 && cycle > sm->active_since) {
        sm->stats.active_cycles += cycle - sm->active_since;
        sm->active_since = cycle;
    }
}

const sm_stats_t *sm_stats(const sm_t *sm)
{
    return &sm->stats;
}

static const char *const park_names[] = {
    [PARK_NOT] = "can issue",
    [PARK_DEPEND] = "waits for a register",
    [PARK_FETCH] = "waits for instructions",
    [PARK_BARRIER] = "waits at a barrier",
    [PARK_MEMBAR] = "waits at a memory barrier",
    [PARK_EXITED] = "has ended, waits for its loads and stores",
};

static void sm_dump(const void *self, FILE *out)
{
    const sm_t *sm = self;
    if (sm->n_resident == 0)
        return;
    fprintf(out, "SM %u: %u warps, %u packets wait for the crossbar, load/store unit %s\n",
            sm->wiring.index, sm->n_resident, sm->out.count,
            !sm->lsu.busy                    ? "idle"
            : sm->lsu.stalled == L1_NO_MSHR  ? "waits for an MSHR"
            : sm->lsu.stalled == L1_NO_QUEUE ? "waits for the miss queue"
            : sm->lsu.stalled == L1_NO_TLB   ? "waits for translations"
                                             : "busy");
    for (uint32_t w = 0; w < sm->n_warps; w++) {
        const warp_t *warp = &sm->warp[w];
        if (warp->block == NO_INDEX)
            continue;
        fprintf(out, "  warp %u (block %llu, warp %u): %s", w,
                (unsigned long long)sm->block[warp->block].block->index, warp->index,
                park_names[warp->park]);
        if (warp->park == PARK_BARRIER)
            fprintf(out, " %u with %u of %u live warps", warp->barrier,
                    sm->block[warp->block].waiting, sm->block[warp->block].live);
        if (warp->inst != NULL)
            fprintf(out, ", next %s at pc %04x", isa_opcode(warp->inst->opcode)->mnemonic,
                    warp->inst->pc);
        fprintf(out, ", %u loads and %u stores in flight\n", warp->loads, warp->stores);
    }
}

/* What every cycle of the SM looks at; ahead: see shard_ops_t. */
static void sm_prefetch(const void *self, int ahead)
{
    const sm_t *sm = self;
    if (ahead == 1) {
        cache_prefetch_shape(sm->l1);
        prefetch_range(sm->in.nonempty, 1);
        prefetch_range(sm->out.queue, 2 * sizeof(*sm->out.queue));
        return;
    }
    prefetch_range(sm, offsetof(sm_t, cls)); /* statistics, mainly */
    prefetch_range(&sm->inbox, sizeof(sm->inbox));
    prefetch_range(&sm->events, offsetof(wheel_t, occupied));
    for (uint32_t s = 0; s < sm->n_sub_cores; s++)
        prefetch_range(&sm->sub[s], offsetof(sub_core_t, age));
    prefetch_range(&sm->issue_next, 1);
    prefetch_range(&sm->lsu.load, offsetof(sm_t, cut_warps) - offsetof(sm_t, lsu.load));
}

const shard_ops_t sm_shard_ops = {
    .kind = "sm",
    .deliver = sm_deliver,
    .run = sm_run,
    .dump = sm_dump,
    .prefetch = sm_prefetch,
};

static int save_value(FILE *f, const void *value, size_t bytes)
{
    return bytes == 0 || fwrite(value, bytes, 1, f) == 1 ? 0 : -1;
}

static int load_value(FILE *f, void *value, size_t bytes)
{
    return bytes == 0 || fread(value, bytes, 1, f) == 1 ? 0 : -1;
}

/* Scalars that outlive a launch, with the way they are copied. */
#define SM_PERSISTENT(X)                                                                           \
    X(sm->out_ready)                                                                               \
    X(sm->next_age)                                                                                \
    X(sm->epoch)                                                                                   \
    X(sm->lsu.turn)                                                                                \
    X(sm->lsu.data_free)                                                                           \
    X(sm->lsu.load_owed)                                                                           \
    X(sm->lsu.next_accept)                                                                         \
    X(sm->lsu.tex_free)                                                                            \
    X(sm->sweep_at)

static size_t prefetcher_bytes(const sm_t *sm)
{
    return prefetcher_words[sm->config->l1.prefetcher] * sizeof(*sm->prefetcher_word);
}

int sm_save(const sm_t *sm, FILE *out)
{
    RB_INVARIANT(sm->n_resident == 0, "SM %u saved while it has warps", sm->wiring.index);
    int rc = 0;
#define SAVE(field) rc |= save_value(out, &(field), sizeof(field));
    SM_PERSISTENT(SAVE)
#undef SAVE
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        const sub_core_t *sub = &sm->sub[s];
        rc |= save_value(out, sub->free_at, sizeof(sub->free_at));
        rc |= save_value(out, sub->free_base, sizeof(sub->free_base));
        rc |= save_value(out, &sub->last, sizeof(sub->last));
        rc |= save_value(out, &sub->scheduler_word, sizeof(sub->scheduler_word));
        rc |= save_value(out, &sub->l1i_free, sizeof(sub->l1i_free));
        rc |= save_value(out, sub->fetch, fetch_slot_bytes(sm));
        rc |= cache_save(sub->l0, out);
        rc |= cache_save_chance(sub->const_l0, out);
    }
    rc |= cache_save(sm->l1i, out);
    rc |= cache_save_chance(sm->const_l1, out);
    rc |= cache_save_chance(sm->const_l15, out);
    rc |= cache_save_chance(sm->l1, out);
    rc |= save_value(out, sm->prefetcher_word, prefetcher_bytes(sm));
    rc |= tlb_save(sm, out);
    rc |= xbar_out_save(&sm->out, out);
    rc |= xbar_in_save(&sm->in, out);
    return rc;
}

/* Whether an SM at rest can have these scalars. */
static bool scalars_are_possible(const sm_t *sm, cycle_t latest)
{
    const lsu_t *u = &sm->lsu;
    return sm->out_ready <= latest && u->data_free <= latest && u->next_accept <= latest &&
           u->tex_free <= latest && sm->sweep_at <= latest + DEP_SWEEP_INTERVAL &&
           u->turn < sm->n_sub_cores && lsu_owed_is_possible(u->load_owed);
}

static bool sub_core_is_possible(const sm_t *sm, const sub_core_t *sub, cycle_t latest)
{
    bool good = sub->last < sm->warps_per_sub_core && sub->scheduler_word < SM_SUB_CORE_WARPS &&
                sub->l1i_free <= latest;
    for (unsigned p = 0; p < PIPE_COUNT; p++)
        good &= sub->free_at[p] <= latest && sub->free_base[p] <= latest;
    return good && fetch_is_possible(sm, sub, latest);
}

int sm_load(sm_t *sm, FILE *in, cycle_t latest)
{
    int rc = 0;
#define LOAD(field) rc |= load_value(in, &(field), sizeof(field));
    SM_PERSISTENT(LOAD)
#undef LOAD
    if (rc != 0 || !scalars_are_possible(sm, latest))
        return checkpoint_read_failed(in);
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        sub_core_t *sub = &sm->sub[s];
        rc |= load_value(in, sub->free_at, sizeof(sub->free_at));
        rc |= load_value(in, sub->free_base, sizeof(sub->free_base));
        rc |= load_value(in, &sub->last, sizeof(sub->last));
        rc |= load_value(in, &sub->scheduler_word, sizeof(sub->scheduler_word));
        rc |= load_value(in, &sub->l1i_free, sizeof(sub->l1i_free));
        rc |= load_value(in, sub->fetch, fetch_slot_bytes(sm));
        if (rc != 0 || !sub_core_is_possible(sm, sub, latest) || cache_load(sub->l0, in) != 0 ||
            cache_load_chance(sub->const_l0, in) != 0)
            return checkpoint_read_failed(in);
    }
    if (cache_load(sm->l1i, in) != 0 || cache_load_chance(sm->const_l1, in) != 0 ||
        cache_load_chance(sm->const_l15, in) != 0 || cache_load_chance(sm->l1, in) != 0 ||
        load_value(in, sm->prefetcher_word, prefetcher_bytes(sm)) != 0 || tlb_load(sm, in) != 0 ||
        xbar_out_load(&sm->out, in, latest) != 0)
        return checkpoint_read_failed(in);
    return xbar_in_load(&sm->in, in, latest);
}
