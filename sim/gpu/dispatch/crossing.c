#include "sim/gpu/dispatch/crossing.h"

#include <string.h>

#include "sim/core/err.h"
#include "sim/core/model_mem.h"
#include "sim/parts/cluster_port.h"

/* A request on its way. */
typedef struct request {
    const departure_t *departure;
    struct mail *mail;
    const struct request *next; /* of the same cycle */
    uint32_t tpc;               /* in its GPC */
} request_t;

/* A GPC, used by one thread at a time. */
typedef struct {
    _Alignas(64) cluster_ports_t ports;
    cycle_t clear; /* from this cycle on the ports are free */
    uint32_t n_sms;
    request_t *request; /* owned */
    size_t cap;
    const request_t **first; /* owned; per cycle of the window */
} gpc_t;

struct crossing {
    gpc_t *gpc;           /* owned */
    departure_log_t *log; /* owned; per SM */
    uint32_t n_gpcs, n_sms;
    cycle_t window; /* of the engine, the longest */
    uint32_t sector_flits;
    uint32_t mask_flits; /* of the byte mask of a line */
    bool replies;        /* reads take slots, too */

    bool at_rest; /* all ports were free when the last window began */

    /* The window whose requests are on their way. */
    cycle_t from;
    unsigned half;
};

crossing_t *crossing_create(const mem_config_t *config, cycle_t window, uint32_t n_sms)
{
    const icnt_spec_t *icnt = &config->icnt;
    const cluster_rates_t rates = {icnt->tpc_data, icnt->gpc_data, icnt->gpc_replies};
    if (icnt->perfect || (rates.tpc_data <= 0 && rates.gpc_data <= 0 && rates.gpc_replies <= 0))
        return NULL;
    crossing_t *c = rb_model_calloc(1, sizeof(*c));
    c->n_sms = n_sms;
    c->n_gpcs = icnt->gpc_sms > 0 ? gpc_count(n_sms, icnt->gpc_sms) : 1;
    c->window = window;
    c->sector_flits = (SECTOR_BYTES + icnt->flit_bytes - 1) / icnt->flit_bytes;
    c->mask_flits = icnt->mask_flits;
    c->replies = rates.gpc_replies > 0;
    c->log = rb_model_calloc(n_sms, sizeof(*c->log));
    for (uint32_t s = 0; s < n_sms; s++)
        departures_init(&c->log[s]);
    c->gpc = rb_model_calloc(c->n_gpcs, sizeof(*c->gpc));
    for (uint32_t g = 0; g < c->n_gpcs; g++) {
        cluster_ports_init(&c->gpc[g].ports, &rates, gpc_tpcs(n_sms, c->n_gpcs));
        c->gpc[g].first = rb_model_calloc(window, sizeof(*c->gpc->first));
        while (sm_of_gpc(g, c->gpc[g].n_sms, c->n_gpcs) < n_sms)
            c->gpc[g].n_sms++;
    }
    return c;
}

void crossing_destroy(crossing_t *c)
{
    if (c == NULL)
        return;
    for (uint32_t s = 0; s < c->n_sms; s++)
        departures_free(&c->log[s]);
    for (uint32_t g = 0; g < c->n_gpcs; g++) {
        cluster_ports_free(&c->gpc[g].ports);
        rb_model_free(c->gpc[g].request);
        rb_model_free(c->gpc[g].first);
    }
    rb_model_free(c->log);
    rb_model_free(c->gpc);
    rb_model_free(c);
}

departure_log_t *crossing_log(crossing_t *c, uint32_t sm)
{
    return &c->log[sm];
}

uint32_t crossing_sent(crossing_t *c, const engine_t *e, cycle_t from, unsigned half)
{
    const bool marked = engine_marked(e);
    if (!c->at_rest) {
        c->at_rest = true;
        for (uint32_t g = 0; g < c->n_gpcs; g++)
            c->at_rest &= c->gpc[g].clear <= from;
    }
    if (c->at_rest && !marked && !c->replies)
        return 0;
    c->at_rest = false;
    c->from = from;
    c->half = half;
    return c->n_gpcs;
}

/* What SM k of a GPC sent; NULL: it did not run. */
static const departures_t *sent_by(const crossing_t *c, uint32_t gpc, uint32_t k)
{
    const departures_t *d = &c->log[sm_of_gpc(gpc, k, c->n_gpcs)].half[c->half];
    return d->from == c->from ? d : NULL;
}

/* How many requests a GPC sent; 0: or no port can delay one. */
static size_t count(const crossing_t *c, uint32_t gpc)
{
    const gpc_t *g = &c->gpc[gpc];
    bool needed = c->replies || g->clear > c->from;
    size_t n = 0;
    for (uint32_t k = 0; k < g->n_sms; k++) {
        const departures_t *d = sent_by(c, gpc, k);
        if (d == NULL)
            continue;
        needed |= d->data;
        n += departures_count(d);
    }
    return needed ? n : 0;
}

/* Lists the n requests of a GPC by cycle; those of a cycle by SM, and as the SM notes them. */
static void list(const crossing_t *c, uint32_t gpc, size_t n)
{
    gpc_t *g = &c->gpc[gpc];
    rb_model_grow(&g->request, &g->cap, n, sizeof(*g->request));
    memset(g->first, 0, c->window * sizeof(*g->first));
    request_t *r = g->request;
    for (uint32_t k = g->n_sms; k-- > 0;) {
        const departures_t *d = sent_by(c, gpc, k);
        for (size_t i = d != NULL ? departures_count(d) : 0; i > 0; i--, r++) {
            const uint32_t cycle = d->list[i].starts - (uint32_t)c->from;
            RB_INVARIANT(cycle < c->window, "crossing: a request starts in another window");
            *r = (request_t){&d->list[i], d->mail, g->first[cycle], k / SMS_OF_A_TPC};
            g->first[cycle] = r;
        }
    }
}

/* Flits of the reply that take slots. The SMs of a GPC share replies with code. */
static uint32_t reply_flits(const crossing_t *c, const departure_t *d)
{
    const bool replies = (d->op == MEM_READ || d->op == MEM_ATOMIC) && d->src != MEM_SRC_INST;
    return replies ? (uint32_t)__builtin_popcount(d->sectors) * c->sector_flits : 0;
}

/* Flits that take slots on the way out: the data, and the byte mask of a line that has sectors written in part. */
static uint32_t data_flits(const crossing_t *c, const departure_t *d)
{
    if (d->op == MEM_READ)
        return 0;
    return d->flits + (d->partial != 0 ? c->mask_flits : 0);
}

static void pass(const crossing_t *c, gpc_t *g, const request_t *r, cycle_t starts)
{
    const departure_t *d = r->departure;
    const passing_t p = {.starts = starts,
                         .leaves = starts + d->count,
                         .data = data_flits(c, d),
                         .replies = reply_flits(c, d)};
    const cycle_t wait = cluster_ports_pass(&g->ports, r->tpc, &p);
    if (wait > 0)
        engine_delay(r->mail, d->dest, d->index, wait);
}

void crossing_transit(crossing_t *c, uint32_t gpc)
{
    gpc_t *g = &c->gpc[gpc];
    const size_t n = count(c, gpc);
    if (n == 0)
        return;
    list(c, gpc, n);
    for (cycle_t cycle = 0; cycle < c->window; cycle++) {
        for (const request_t *r = g->first[cycle]; r != NULL; r = r->next)
            pass(c, g, r, c->from + cycle);
    }
    g->clear = cluster_ports_clear(&g->ports);
}
