#include "sim/sm/inst_profile.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/model_mem.h"
#include "sim/sm/by_launch.h"
#include "sim/sm/memory/memory.h"

/* A store's handle has the warp slot in its low bits; above it, while launches overlap, the index of the
 * launch; and above these the instruction. */
enum { LAUNCH_BITS = 8 };
_Static_assert(SM_MAX_LAUNCHES <= 1 << LAUNCH_BITS, "a launch does not fit");

static unsigned store_site_shift(const sm_t *sm)
{
    return STORE_LAUNCH_SHIFT + (sm->by_launch != NULL ? LAUNCH_BITS : 0);
}

void inst_profile_free(sm_t *sm)
{
    inst_profile_t *p = sm->profile;
    if (p == NULL)
        return;
    rb_model_free(p->writer);
    rb_model_free(p->reader);
    rb_model_free(p->counted);
    rb_model_free(p->line);
    rb_model_free(p);
    sm->profile = NULL;
}

void sm_profile(sm_t *sm, inst_table_t *const *tables)
{
    RB_INVARIANT(sm->n_resident == 0, "SM %u: counts per instruction start while it has warps",
                 sm->wiring.index);
    inst_profile_free(sm);
    sm->recorded &= ~(unsigned)RECORD_PROFILE;
    sm->store_handle = 0;
    if (tables != NULL)
        inst_profile_begin(sm, tables);
}

void inst_profile_begin(sm_t *sm, inst_table_t *const *tables)
{
    inst_profile_t *p = rb_model_calloc(1, sizeof(*p));
    sm->profile = p;
    sm->recorded |= RECORD_PROFILE;
    p->tables = tables;
    p->table = tables == NULL ? NULL : tables[0];
    p->writer = rb_model_calloc((size_t)sm->n_warps * REG_ID_COUNT, sizeof(*p->writer));
    p->reader = rb_model_calloc((size_t)sm->n_warps * REG_ID_PRED, sizeof(*p->reader));
    p->counted = rb_model_calloc((size_t)sm->n_warps * PROFILE_COUNTERS, sizeof(*p->counted));
    p->line = rb_model_calloc(sm->config->l1.mshrs, sizeof(*p->line));
    inst_counts_of_memory(&sm->stats, &p->memory);
}

static void count(sm_t *sm, uint32_t w, unsigned barrier, uint16_t site, cycle_t at)
{
    if (barrier >= PROFILE_COUNTERS)
        return;
    profile_counter_t *c = profile_counter(sm, w, barrier);
    if (at != CYCLE_NEVER)
        c->last = site;
    else if (c->n < PROFILE_IN_FLIGHT)
        c->site[c->n++] = site;
}

void profile_counted(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t at)
{
    const uint16_t site = profile_short(sm->profile->warp[w].last);
    count(sm, w, ctl_write_barrier(inst->ctl), site, at);
    count(sm, w, ctl_read_barrier(inst->ctl), site, at);
}

/* The oldest execution of an instruction is no longer counted. */
static void release(sm_t *sm, uint32_t w, unsigned barrier, uint16_t site)
{
    if (barrier >= PROFILE_COUNTERS)
        return;
    profile_counter_t *c = profile_counter(sm, w, barrier);
    for (unsigned i = 0; i < c->n; i++) {
        if (c->site[i] != site)
            continue;
        c->n--;
        memmove(&c->site[i], &c->site[i + 1], (c->n - i) * sizeof(c->site[0]));
        c->last = site;
        return;
    }
}

void profile_sources_read(sm_t *sm, uint32_t w, const inst_t *inst)
{
    if (inst->flags & INST_CONTROL_WORD)
        release(sm, w, ctl_read_barrier(inst->ctl), profile_short(profile_find(sm, w, inst)));
}

void profile_result(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycles)
{
    const uint32_t site = profile_find(sm, w, inst);
    if (inst->n_dst > 0) {
        inst_counts_t *c = profile_counts(sm, site);
        c->results++;
        c->result_cycles += cycles;
    }
    if (inst->flags & INST_CONTROL_WORD)
        release(sm, w, ctl_write_barrier(inst->ctl), profile_short(site));
}

void profile_memory_of_launch(sm_t *sm)
{
    if (sm->by_launch != NULL && sm->profile->table != NULL)
        inst_counts_of_memory(&sm->stats, &sm->profile->memory);
}

void profile_memory(sm_t *sm, uint32_t site)
{
    inst_profile_t *p = sm->profile;
    inst_counts_t now, *c = profile_counts(sm, site);
    if (p->table == NULL)
        return;
    inst_counts_of_memory(&sm->stats, &now);
    c->requests += now.requests - p->memory.requests;
    c->sectors += now.sectors - p->memory.sectors;
    c->l1_hits += now.l1_hits - p->memory.l1_hits;
    c->l1_pending += now.l1_pending - p->memory.l1_pending;
    c->l1_tags += now.l1_tags - p->memory.l1_tags;
    c->atomic_lanes += now.atomic_lanes - p->memory.atomic_lanes;
    c->shared_wavefronts += now.shared_wavefronts - p->memory.shared_wavefronts;
    c->shared_conflicts += now.shared_conflicts - p->memory.shared_conflicts;
    inst_counts_of_memory(&sm->stats, &p->memory);
}

uint32_t profile_store_handle(const sm_t *sm, uint32_t site)
{
    const unsigned shift = store_site_shift(sm);
    const uint32_t number = profile_number(site);
    return number >> (TXN_SHIFT - shift) == 0 ? number << shift : 0;
}

/* The site of a store by its handle; *handle becomes that without the instruction. */
static uint32_t store_site(const sm_t *sm, uint32_t *handle)
{
    const unsigned shift = store_site_shift(sm);
    const uint32_t number = *handle >> shift;
    *handle &= (UINT32_C(1) << shift) - 1;
    return *handle >> STORE_LAUNCH_SHIFT << PROFILE_LAUNCH_SHIFT | number;
}

void sm_profile_forget(sm_t *sm, uint32_t launch)
{
    uint32_t *site = (uint32_t *)sm->profile->line;
    for (size_t i = 0; i < (size_t)sm->config->l1.mshrs * SECTORS_PER_LINE; i++) {
        if (site[i] >> PROFILE_LAUNCH_SHIFT == launch)
            site[i] = 0;
    }
}

void profile_line(sm_t *sm, uint32_t mshr, uint8_t pending, uint32_t site)
{
    uint32_t *line = sm->profile->line[mshr];
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++) {
        if (pending >> s & 1 && line[s] == 0)
            line[s] = site;
    }
}

/* Who owns a reply: a launch, if they are counted apart, and for each sector an instruction; 0: none. */
typedef struct {
    uint16_t launch; /* tag */
    uint32_t site[SECTORS_PER_LINE];
} owner_t;

/* All sectors belong to one instruction. */
static void own_all(owner_t *o, uint32_t site)
{
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++)
        o->site[s] = site;
}

/* The instructions that asked for the sectors of a line that come now. */
static void own_line(owner_t *o, uint32_t *line, uint8_t sectors)
{
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++) {
        if (sectors >> s & 1) {
            o->site[s] = line[s];
            line[s] = 0;
        }
    }
}

static owner_t owner_of(sm_t *sm, mem_msg_t *m)
{
    const by_launch_t *b = sm->by_launch;
    uint32_t index = txn_index(m->txn), w;
    owner_t o = {0};
    switch (txn_kind(m->txn)) {
    case TXN_MSHR:
        o.launch = b == NULL ? 0 : b->line[index];
        own_line(&o, sm->profile->line[index], m->sectors);
        break;
    case TXN_LOAD: {
        const inst_t *inst = memory_load_inst(sm, index, &w);
        o.launch = b == NULL ? 0 : by_launch_tag(sm, w);
        own_all(&o, profile_find(sm, w, inst));
        break;
    }
    case TXN_STORE:
        own_all(&o, store_site(sm, &index));
        o.launch = b == NULL ? 0 : b->tag_of[index >> STORE_LAUNCH_SHIFT];
        m->txn = txn_make(TXN_STORE, index);
        break;
    case TXN_FETCH:
        o.launch = b == NULL ? 0 : b->fetch[index];
        break;
    case TXN_WRITE_BACK:
        o.launch = (uint16_t)(index >> WRITE_BACK_LAUNCH_SHIFT);
        break;
    }
    return o;
}

void profile_reply(sm_t *sm, msg_t *m)
{
    const owner_t o = owner_of(sm, &m->mem);
    sm_stats_t *stats = sm->by_launch == NULL ? &sm->stats : by_launch_of(sm, o.launch);
    const unsigned hit = m->mem.src >> MEM_HIT_SHIFT;
    stats->xbar_flits_in += m->flits;
    if (sm->profile->table == NULL || m->mem.src & MEM_NOT_LOOKED_UP) /* in a GPC's code cache */
        return;
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++) {
        if (!(m->mem.sectors >> s & 1))
            continue;
        inst_counts_t *c = profile_counts(sm, o.site[s]);
        c->l2_sectors++;
        c->l2_hits += hit >> s & 1;
    }
}
