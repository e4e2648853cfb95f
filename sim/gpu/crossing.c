#include "sim/gpu/crossing.h"

#include <string.h>

#include "sim/core/err.h"
#include "sim/core/model_mem.h"
#include "sim/parts/cluster_port.h"

/* A request of the window. */
typedef struct {
    msg_t *msg;
    cycle_t starts;
    uint32_t order; /* among those of the same GPC that start in the same cycle */
    uint32_t lane;  /* GPC and cycle: requests of a lane are together after sorting */
} request_t;

struct crossing {
    cluster_ports_t ports;
    distance_t distance;
    cycle_t latency; /* of a request, without distance */
    cycle_t window;  /* of the engine, the longest */
    uint32_t n_sms, n_partitions, n_lanes, partition_slices, sector_flits;
    cycle_t clear; /* from this cycle on the ports are free */

    /* The window that is being looked at. */
    cycle_t from;
    request_t *request, *sorted; /* owned; sorted by GPC, start, order */
    size_t n, cap, cap_sorted;
    uint32_t *first;  /* owned; per lane: where it begins in sorted */
    uint32_t *filled; /* owned; per lane: its requests that are there already */
};

crossing_t *crossing_create(const mem_config_t *config, const distance_t *distance, cycle_t window,
                            uint32_t n_sms)
{
    const icnt_spec_t *icnt = &config->icnt;
    const cluster_rates_t rates = {icnt->tpc_data, icnt->gpc_data, icnt->gpc_replies};
    if (icnt->perfect || (rates.tpc_data <= 0 && rates.gpc_data <= 0 && rates.gpc_replies <= 0))
        return NULL;
    crossing_t *c = rb_model_calloc(1, sizeof(*c));
    cluster_ports_init(&c->ports, &rates, icnt->gpc_sms, n_sms);
    c->distance = *distance;
    c->latency = icnt->request_latency;
    c->window = window;
    c->n_sms = n_sms;
    c->n_partitions = config->mem.partitions;
    c->partition_slices = config->l2.slices / config->mem.partitions;
    c->sector_flits = (SECTOR_BYTES + icnt->flit_bytes - 1) / icnt->flit_bytes;
    c->n_lanes = (uint32_t)(c->ports.n_gpcs * c->window);
    c->first = rb_model_calloc((size_t)c->n_lanes + 1, sizeof(*c->first));
    c->filled = rb_model_calloc(c->n_lanes, sizeof(*c->filled));
    return c;
}

void crossing_destroy(crossing_t *c)
{
    if (c == NULL)
        return;
    cluster_ports_free(&c->ports);
    rb_model_free(c->request);
    rb_model_free(c->sorted);
    rb_model_free(c->first);
    rb_model_free(c->filled);
    rb_model_free(c);
}

/* Flits of a request's reply that take slots. The SMs of a GPC share replies with code. */
static uint32_t reply_flits(const crossing_t *c, const mem_msg_t *m)
{
    bool replies = (m->op == MEM_READ || m->op == MEM_ATOMIC) && m->src != MEM_SRC_INST;
    return replies ? (uint32_t)__builtin_popcount(m->sectors) * c->sector_flits : 0;
}

static cycle_t flight(const crossing_t *c, uint32_t partition, const msg_t *m)
{
    uint32_t slice = partition * c->partition_slices + m->port;
    return (cycle_t)((int64_t)c->latency + distance_there(&c->distance, m->from, slice));
}

/* Notes the requests of SMs among messages to a shard. */
static void find(void *crossing, uint32_t dest, msg_t *m, size_t n)
{
    crossing_t *c = crossing;
    const uint32_t partition = dest - c->n_sms;
    if (partition >= c->n_partitions)
        return;
    rb_model_grow(&c->request, &c->cap, c->n + n, sizeof(*c->request));
    for (msg_t *end = m + n; m < end; m++) {
        if (m->kind != MSG_MEM_REQUEST || m->from >= c->n_sms)
            continue;
        const cycle_t starts = m->arrival - flight(c, partition, m) - m->count;
        RB_INVARIANT(starts >= c->from && starts < c->from + c->window,
                     "crossing: a request of SM %d starts at %llu, in another window", m->from,
                     (unsigned long long)starts);
        c->request[c->n++] = (request_t){
            .msg = m,
            .starts = starts,
            .order = ((uint32_t)m->from << 8 | m->count) << 8 | partition,
            .lane = (uint32_t)(cluster_gpc(&c->ports, m->from) * c->window + starts - c->from),
        };
    }
}

/* Sorts the requests into lanes; inside a lane by order, which they mostly have already. */
static void sort(crossing_t *c)
{
    rb_model_grow(&c->sorted, &c->cap_sorted, c->n, sizeof(*c->sorted));
    memset(c->first, 0, ((size_t)c->n_lanes + 1) * sizeof(*c->first));
    memset(c->filled, 0, c->n_lanes * sizeof(*c->filled));
    for (size_t i = 0; i < c->n; i++)
        c->first[c->request[i].lane + 1]++;
    for (uint32_t l = 0; l < c->n_lanes; l++)
        c->first[l + 1] += c->first[l];
    for (size_t i = 0; i < c->n; i++) {
        const request_t *r = &c->request[i];
        request_t *lane = &c->sorted[c->first[r->lane]];
        uint32_t k = c->filled[r->lane]++;
        for (; k > 0 && lane[k - 1].order > r->order; k--)
            lane[k] = lane[k - 1];
        lane[k] = *r;
    }
}

void crossing_pass(crossing_t *c, engine_t *e, cycle_t from)
{
    c->n = 0;
    c->from = from;
    if (c->ports.reply_slot == 0 && c->clear <= from && !engine_marked(e))
        return; /* no request needs slots or waits for them */
    engine_each_sent(e, find, c);
    if (c->n == 0)
        return;
    sort(c);
    for (size_t i = 0; i < c->n; i++) {
        msg_t *m = c->sorted[i].msg;
        const passing_t p = {.starts = c->sorted[i].starts,
                             .leaves = c->sorted[i].starts + m->count,
                             .data = m->mem.op == MEM_READ ? 0 : m->flits,
                             .replies = reply_flits(c, &m->mem)};
        m->arrival += cluster_ports_pass(&c->ports, m->from, &p);
    }
    c->clear = cluster_ports_clear(&c->ports);
}
