/*
 * Outstanding misses of the L1: lines in flight (MSHRs, with the loads that wait for each), loads
 * that wait for sectors, and the requests to the L2.
 */
#include "sim/sm/memory/memory_parts.h"

#include <string.h>

#include "sim/core/model_mem.h"
#include "sim/sm/by_launch.h"

void l1_miss_init(sm_t *sm)
{
    const l1_spec_t *spec = &sm->config->l1;
    memory_t *m = &sm->memory;
    m->sector_flits = (SECTOR_BYTES + sm->wiring.flit_bytes - 1) / sm->wiring.flit_bytes;
    m->load = rb_model_calloc(spec->pending_loads, sizeof(*m->load));
    m->load_free = NO_INDEX;
    for (uint32_t i = spec->pending_loads; i-- > 0;) {
        m->load[i].next_free = m->load_free;
        m->load_free = (uint16_t)i;
    }
    m->mshr = rb_model_calloc(spec->mshrs, sizeof(*m->mshr));
    for (uint32_t i = spec->mshrs; i-- > 0;) {
        m->mshr[i].next_free = m->mshr_free;
        m->mshr_free = i + 1;
    }
    m->mshr_chunks = tag_table_chunks(spec->mshrs);
    m->mshr_table = rb_model_calloc(m->mshr_chunks, sizeof(*m->mshr_table));
}

void l1_miss_free(sm_t *sm)
{
    rb_model_free(sm->memory.load);
    rb_model_free(sm->memory.waiter);
    rb_model_free(sm->memory.mshr);
    rb_model_free(sm->memory.mshr_table);
}

l1_result_t l1_room(const sm_t *sm)
{
    if (sm_out_full(sm))
        return L1_NO_QUEUE;
    return tlb_room(sm) ? L1_DONE : L1_NO_TLB;
}

static uint32_t data_flits(const sm_t *sm, uint8_t sectors)
{
    return (uint32_t)__builtin_popcount(sectors) * sm->memory.sector_flits;
}

/* The words of a line that the lanes of the atomic in the unit access. */
static uint32_t words_of(const lsu_t *u, uint64_t line)
{
    lane_addrs_t lanes;
    uint32_t words = 0;
    coalesce_decode(u->cur.addr, u->cur.inst->width, &lanes);
    coalesce_lanes(&lanes, u->cur.inst->width);
    for (unsigned i = 0; i < lanes.n; i++)
        for (unsigned k = 0; k < u->cur.inst->width; k += 4)
            if ((lanes.addr[i] + k) / LINE_BYTES == line / LINE_BYTES)
                words |= UINT32_C(1) << (lanes.addr[i] + k) % LINE_BYTES / 4;
    return words;
}

/* Completes a request of a launch in which warps wait for what others write. */
static void watch(const sm_t *sm, mem_op_t op, mem_msg_t *m)
{
    const lsu_t *u = &sm->memory.lsu;
    if (op == MEM_WRITE) {
        m->watched = u->cur.inst->flags & INST_BYPASS_L1 || u->cur.wait != 0;
        return;
    }
    m->watched = op != MEM_READ || u->cur.wait != 0;
    if (!m->watched)
        return;
    m->poll.block = sm->block[sm->slot[u->cur.warp].block].block;
    m->poll.wait = u->cur.wait;
    m->poll.words = op == MEM_READ ? 0 : words_of(u, m->line);
}

void l1_post(sm_t *sm, const mem_msg_t *m, cycle_t now)
{
    if (sm->by_launch != NULL && txn_kind(m->txn) == TXN_MSHR)
        sm->by_launch->line[txn_index(m->txn)] = m->launch;
    tlb_send(sm, m, m->op == MEM_READ ? 1 : data_flits(sm, m->sectors),
             now + sm->config->l1.miss_latency);
}

void l1_send(sm_t *sm, const line_access_t *a, mem_op_t op, uint8_t sectors, txn_kind_t kind,
             uint32_t index, cycle_t now)
{
    const mem_entry_t *cur = &sm->memory.lsu.cur;
    mem_msg_t m = {.line = a->line,
                   .site = MSG_SITE(sm->code_base + cur->inst->pc),
                   .txn = txn_make(kind, index),
                   .op = (uint8_t)op,
                   .src = sm->memory.lsu.space == MEM_LOCAL ? MEM_SRC_LOCAL : MEM_SRC_GLOBAL,
                   .sectors = sectors,
                   .full = op == MEM_WRITE ? a->full : a->words,
                   .conflict = a->conflict,
                   .launch = sm->counted};
    memcpy(m.bytes, a->bytes, sizeof(m.bytes));
    if (sm->slot[sm->memory.lsu.cur.warp].watch & WATCH_GLOBAL && kind != TXN_MSHR &&
        sm->memory.lsu.space == MEM_GLOBAL)
        watch(sm, op, &m);
    l1_post(sm, &m, now);
}

static uint16_t load_new(sm_t *sm, uint32_t w, const inst_t *inst)
{
    uint16_t i = sm->memory.load_free;
    if (i == NO_INDEX)
        return NO_INDEX;
    load_t *load = &sm->memory.load[i];
    sm->memory.load_free = load->next_free;
    memset(load, 0, sizeof(*load));
    load->inst = inst;
    load->warp = (uint16_t)w;
    load->issued = lsu_issued(sm, &sm->memory.lsu.cur);
    load->copy_passes = sm->memory.lsu.copy_passes;
    load->group = sm->memory.lsu.cur.group;
    return i;
}

load_t *l1_current_load(sm_t *sm)
{
    lsu_t *u = &sm->memory.lsu;
    if (u->load == NO_INDEX)
        u->load = load_new(sm, u->cur.warp, u->cur.inst);
    return u->load == NO_INDEX ? NULL : &sm->memory.load[u->load];
}

static bool mshr_is(const void *mshrs, uint32_t i, uint64_t line)
{
    return ((const mshr_t *)mshrs)[i].key.line == line;
}

mshr_t *l1_mshr_find(const sm_t *sm, cache_key_t key)
{
    uint32_t i = tag_table_find(sm->memory.mshr_table, sm->memory.mshr_chunks, key.tag, key.line,
                                mshr_is, sm->memory.mshr, UINT32_MAX);
    return i == UINT32_MAX ? NULL : &sm->memory.mshr[i];
}

mshr_t *l1_mshr_new(sm_t *sm, cache_key_t key, bool absent)
{
    uint32_t i = sm->memory.mshr_free;
    mshr_t *m = &sm->memory.mshr[i - 1];
    sm->memory.mshr_free = m->next_free;
    if (m->next_free != 0)
        __builtin_prefetch(&sm->memory.mshr[m->next_free - 1], 1);
    /* A store may fill the line while the miss is outstanding. */
    bool fills = sm->memory.lsu.space == MEM_LOCAL || sm->config->l1.write >= WRITE_POLICY_ALLOCATE;
    *m = (mshr_t){.key = key, .absent = absent && !fills};
    tag_table_put(sm->memory.mshr_table, sm->memory.mshr_chunks, key.tag, (uint16_t)(i - 1));
    return m;
}

void l1_mshr_release(sm_t *sm, mshr_t *m)
{
    uint32_t i = (uint32_t)(m - sm->memory.mshr);
    tag_table_take(sm->memory.mshr_table, sm->memory.mshr_chunks, m->key.tag, (uint16_t)i);
    m->next_free = sm->memory.mshr_free;
    sm->memory.mshr_free = i + 1;
}

void l1_waiter_add(sm_t *sm, mshr_t *m, uint16_t load, uint8_t sectors)
{
    if (m->n_waiters++ == 0) {
        m->load = load;
        m->sectors = sectors;
        return;
    }
    uint32_t i = sm->memory.waiter_free;
    if (i == 0) {
        rb_model_grow(&sm->memory.waiter, &sm->memory.cap_waiter, sm->memory.n_waiter + 1,
                      sizeof(*sm->memory.waiter));
        i = (uint32_t)++sm->memory.n_waiter;
    } else {
        sm->memory.waiter_free = sm->memory.waiter[i - 1].next;
    }
    sm->memory.waiter[i - 1] = (waiter_t){.next = m->waiters, .load = load, .sectors = sectors};
    m->waiters = i;
}

l1_result_t l1_miss_blocked(const sm_t *sm)
{
    if (sm->memory.mshr_free == 0)
        return L1_NO_MSHR;
    l1_result_t way = l1_way_out(sm);
    if (way != L1_DONE)
        return way;
    return sm->memory.lsu.load == NO_INDEX && sm->memory.load_free == NO_INDEX ? L1_NO_MSHR
                                                                               : L1_DONE;
}
