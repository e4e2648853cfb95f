#include "tests/support/sim/mem_harness.h"

#include <stdlib.h>
#include <string.h>

#include "sim/conf/param_value.h"
#include "sim/core/alloc.h"
#include "sim/core/engine/inbox.h"
#include "sim/core/engine/wheel.h"
#include "sim/core/err.h"
#include "sim/parts/xbar.h"

enum { QUEUE = 16 };

/* A message on its way to an SM. */
typedef struct {
    mem_harness_t *h;
    uint32_t number;
    xbar_out_t out;
    xbar_in_t in;
    inbox_t inbox;
    uint32_t *todo; /* numbers of its requests */
    size_t n_todo, cap_todo, done;
    uint64_t flits;
} sm_port_t;

struct mem_harness {
    mem_config_t config;
    addr_map_t map;
    engine_t *engine;
    uint32_t n_sms;
    partition_t **partition;
    sm_port_t *sm;
    mem_harness_request_t *request;
    size_t n_requests, cap_requests;
};

mem_config_t mem_harness_config(uint32_t partitions, uint32_t slices_each)
{
    mem_config_t c;
    memset(&c, 0, sizeof(c));
    param_group_defaults(&icnt_param_group, &c.icnt);
    param_group_defaults(&mem_param_group, &c.mem);
    param_group_defaults(&l2_param_group, &c.l2);
    param_group_defaults(&dram_param_group, &c.dram);
    c.core_mhz = 1380;
    c.mem.partitions = partitions;
    c.l2.slices = partitions * slices_each;
    c.l2.size = (uint64_t)c.l2.slices * c.l2.ways * 8 * LINE_BYTES;
    c.icnt.request_latency = 20;
    c.icnt.reply_latency = 25;
    return c;
}

mem_msg_t mem_harness_message(mem_op_t op, uint64_t line, uint8_t sectors)
{
    mem_msg_t m = {.line = line, .op = (uint8_t)op, .sectors = sectors, .conflict = 1};
    if (op == MEM_WRITE) {
        m.full = sectors;
        for (uint32_t s = 0; s < SECTORS_PER_LINE; s++)
            m.bytes[s] = sectors >> s & 1 ? UINT32_MAX : 0;
    }
    return m;
}

static void port_deliver(void *self, const msg_t *m, size_t n)
{
    sm_port_t *p = self;
    inbox_put(&p->inbox, m, n);
}

static void reply_record(mem_harness_t *h, const msg_t *m)
{
    RB_INVARIANT(m->kind == MSG_MEM_REPLY && m->mem.txn < h->n_requests, "harness: stray reply");
    mem_harness_request_t *r = &h->request[m->mem.txn];
    RB_INVARIANT(r->mem.line == m->mem.line && r->mem.sm == m->mem.sm && r->mem.op == m->mem.op,
                 "harness: reply to %u differs from its request", m->mem.txn);
    RB_INVARIANT((r->delivered & m->mem.sectors) == 0 && (m->mem.sectors & ~r->mem.sectors) == 0 &&
                     m->mem.sectors != 0,
                 "harness: request %u got sectors %x twice or unasked", m->mem.txn, m->mem.sectors);
    r->delivered |= m->mem.sectors;
    r->replied = cycle_max(r->replied, m->arrival);
    r->replies++;
}

static void requests_push(sm_port_t *p, cycle_t now)
{
    mem_harness_t *h = p->h;
    while (p->done < p->n_todo && !xbar_out_full(&p->out)) {
        mem_harness_request_t *r = &h->request[p->todo[p->done]];
        if (r->at > now)
            return;
        uint32_t sectors = (uint32_t)__builtin_popcount(r->mem.sectors);
        bool data = r->mem.op == MEM_WRITE || r->mem.op == MEM_ATOMIC;
        msg_t *m = xbar_out_push(&p->out, addr_map_slice(&h->map, r->mem.line), now);
        m->kind = MSG_MEM_REQUEST;
        m->flits = (uint8_t)(data ? sectors : 1);
        m->mem = r->mem;
        r->sent = now;
        p->done++;
    }
}

static cycle_t port_next(const sm_port_t *p, cycle_t now)
{
    cycle_t next = cycle_min(inbox_next(&p->inbox), xbar_out_next(&p->out, now));
    next = cycle_min(next, xbar_in_next(&p->in, now + 1));
    if (p->done < p->n_todo && !xbar_out_full(&p->out))
        next = cycle_min(next, cycle_max(p->h->request[p->todo[p->done]].at, now + 1));
    return next;
}

static cycle_t port_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    sm_port_t *p = self;
    cycle_t now = from;
    while (now < to) {
        msg_pool_t *pool = &p->inbox.pool;
        for (uint32_t n; (n = inbox_take(&p->inbox, now + 1)) != 0;) {
            const msg_t *m = &msg_pool_at(pool, n)->msg;
            if (m->kind == MSG_CREDIT) {
                xbar_out_credit(&p->out, m->input, m->count);
                msg_pool_free(pool, n);
            } else {
                xbar_in_push(&p->in, n);
            }
        }
        while (xbar_in_ready(&p->in, now)) {
            uint32_t n = xbar_in_take(&p->in, out, now);
            p->flits += msg_pool_at(pool, n)->msg.flits;
            reply_record(p->h, &msg_pool_at(pool, n)->msg);
            msg_pool_free(pool, n);
        }
        requests_push(p, now);
        xbar_out_step(&p->out, out, now, NULL);
        now = port_next(p, now);
    }
    return now;
}

static void port_dump(const void *self, FILE *out)
{
    const sm_port_t *p = self;
    xbar_out_dump(&p->out, "SM request", out);
    xbar_in_dump(&p->in, "SM reply", out);
}

static const shard_ops_t port_ops = {
    .kind = "sm", .deliver = port_deliver, .run = port_run, .dump = port_dump};

mem_harness_t *mem_harness_create(const mem_config_t *config, uint32_t n_sms, cycle_t window)
{
    mem_harness_t *h = rb_calloc(1, sizeof(*h));
    h->config = *config;
    h->n_sms = n_sms;
    const icnt_spec_t *icnt = &config->icnt;
    addr_map_init(&h->map, config->mem.partitions, config->l2.slices, config->mem.interleave,
                  config->mem.hash);
    cycle_t lookahead = cycle_min(icnt->request_latency, icnt->reply_latency);
    h->engine = engine_create(1, window == 0 ? lookahead : window);
    h->sm = rb_calloc(n_sms, sizeof(*h->sm));
    h->partition = rb_calloc(config->mem.partitions, sizeof(*h->partition));
    uint16_t *sm_shard = rb_calloc(n_sms, sizeof(*sm_shard));
    distance_t even;
    distance_init(&even, 0, 1, n_sms, config->l2.slices);
    for (uint32_t i = 0; i < n_sms; i++) {
        sm_port_t *p = &h->sm[i];
        p->h = h;
        p->number = i;
        inbox_init(&p->inbox);
        xbar_out_init(&p->out, config->l2.slices, QUEUE, icnt->sm_flits, icnt->perfect, (uint16_t)i,
                      icnt->request_latency, icnt->buffer);
        xbar_in_init(&p->in, &p->inbox.pool, config->l2.slices, icnt->sm_flits, icnt->perfect,
                     (uint16_t)i, icnt->request_latency, icnt->credit_batch);
        sm_shard[i] = engine_add_shard(h->engine, &port_ops, p);
    }
    for (uint32_t k = 0; k < config->mem.partitions; k++) {
        h->partition[k] = partition_create(config, &h->map, k, n_sms);
        uint16_t shard = engine_add_shard(h->engine, &partition_shard_ops, h->partition[k]);
        partition_connect(h->partition[k], sm_shard, &even);
        for (uint32_t j = 0; j < h->map.slices_per_partition; j++) {
            uint32_t slice = k * h->map.slices_per_partition + j;
            for (uint32_t i = 0; i < n_sms; i++) {
                xbar_out_connect(&h->sm[i].out, slice, shard, (uint8_t)j);
                xbar_in_connect(&h->sm[i].in, slice, shard, (uint8_t)j);
            }
        }
    }
    free(sm_shard);
    return h;
}

void mem_harness_destroy(mem_harness_t *h)
{
    engine_destroy(h->engine);
    for (uint32_t k = 0; k < h->config.mem.partitions; k++)
        partition_destroy(h->partition[k]);
    for (uint32_t i = 0; i < h->n_sms; i++) {
        sm_port_t *p = &h->sm[i];
        xbar_out_free(&p->out);
        xbar_in_free(&p->in);
        inbox_free(&p->inbox);
        free(p->todo);
    }
    free(h->partition);
    free(h->sm);
    free(h->request);
    free(h);
}

uint32_t mem_harness_add(mem_harness_t *h, uint32_t sm, cycle_t at, const mem_msg_t *m)
{
    rb_grow(&h->request, &h->cap_requests, h->n_requests + 1, sizeof(*h->request));
    uint32_t n = (uint32_t)h->n_requests++;
    h->request[n] = (mem_harness_request_t){.at = at, .mem = *m};
    h->request[n].mem.sm = (uint16_t)sm;
    h->request[n].mem.txn = n;
    sm_port_t *p = &h->sm[sm];
    rb_grow(&p->todo, &p->cap_todo, p->n_todo + 1, sizeof(*p->todo));
    p->todo[p->n_todo++] = n;
    return n;
}

static void wake_senders(mem_harness_t *h)
{
    for (uint32_t i = 0; i < h->n_sms; i++) {
        sm_port_t *p = &h->sm[i];
        if (p->done < p->n_todo)
            engine_wake(h->engine, (uint16_t)i,
                        cycle_max(h->request[p->todo[p->done]].at, engine_now(h->engine)));
    }
}

void mem_harness_run_until(mem_harness_t *h, cycle_t until)
{
    wake_senders(h);
    engine_run(h->engine, until);
}

cycle_t mem_harness_run(mem_harness_t *h)
{
    wake_senders(h);
    bool idle = engine_run(h->engine, CYCLE_NEVER);
    for (uint32_t i = 0; i < h->n_sms; i++) {
        if (!idle || h->sm[i].done < h->sm[i].n_todo || h->sm[i].out.count > 0) {
            engine_dump(h->engine, stderr);
            for (uint32_t k = 0; k < h->config.mem.partitions; k++)
                partition_shard_ops.dump(h->partition[k], stderr);
            rb_panic("harness: SM %u is stuck", i);
        }
    }
    return engine_now(h->engine);
}

const mem_harness_request_t *mem_harness_request(const mem_harness_t *h, uint32_t number)
{
    return &h->request[number];
}

uint32_t mem_harness_count(const mem_harness_t *h)
{
    return (uint32_t)h->n_requests;
}

partition_t *mem_harness_partition(mem_harness_t *h, uint32_t index)
{
    return h->partition[index];
}

const addr_map_t *mem_harness_map(const mem_harness_t *h)
{
    return &h->map;
}

cycle_t mem_harness_now(const mem_harness_t *h)
{
    return engine_now(h->engine);
}

void mem_harness_transplant(const mem_harness_t *from, mem_harness_t *to)
{
    FILE *f = tmpfile();
    bool good = f != NULL;
    for (uint32_t k = 0; good && k < from->config.mem.partitions; k++)
        good = partition_save(from->partition[k], f) == 0;
    for (uint32_t i = 0; good && i < from->n_sms; i++)
        good = xbar_out_save(&from->sm[i].out, f) == 0 && xbar_in_save(&from->sm[i].in, f) == 0;
    if (good)
        rewind(f);
    for (uint32_t k = 0; good && k < to->config.mem.partitions; k++)
        good = partition_load(to->partition[k], f, 1u << 30) == 0;
    for (uint32_t i = 0; good && i < to->n_sms; i++)
        good = xbar_out_load(&to->sm[i].out, f, 1u << 30) == 0 &&
               xbar_in_load(&to->sm[i].in, f, 1u << 30) == 0;
    RB_INVARIANT(good, "harness: checkpoint does not go from one to the other");
    fclose(f);
    engine_set_now(to->engine, engine_now(from->engine));
}

uint64_t mem_harness_hash(const mem_harness_t *h)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < h->n_requests; i++) {
        const mem_harness_request_t *r = &h->request[i];
        const uint64_t word[4] = {r->sent, r->replied, r->delivered, r->replies};
        for (int k = 0; k < 4; k++)
            hash = (hash ^ word[k]) * 1099511628211u;
    }
    l2_stats_t l2;
    dram_stats_t dram;
    mem_harness_stats(h, &l2, &dram);
    for (size_t i = 0; i < L2_STAT_COUNT; i++)
        hash = (hash ^ ((const uint64_t *)&l2)[i]) * 1099511628211u;
    for (size_t i = 0; i < DRAM_STAT_COUNT; i++)
        hash = (hash ^ ((const uint64_t *)&dram)[i]) * 1099511628211u;
    return hash;
}

void mem_harness_stats(const mem_harness_t *h, l2_stats_t *l2, dram_stats_t *dram)
{
    memset(l2, 0, sizeof(*l2));
    memset(dram, 0, sizeof(*dram));
    for (uint32_t k = 0; k < h->config.mem.partitions; k++) {
        l2_stats_t a;
        dram_stats_t b;
        partition_stats(h->partition[k], &a, &b);
        stats_add((uint64_t *)l2, (const uint64_t *)&a, L2_STAT_COUNT);
        stats_add((uint64_t *)dram, (const uint64_t *)&b, DRAM_STAT_COUNT);
    }
}

uint64_t mem_harness_flits(const mem_harness_t *h, uint32_t sm)
{
    return h->sm[sm].flits;
}
