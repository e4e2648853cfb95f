/*
 * Instruction supply: an L0 cache with a stream buffer in each sub-core, an L1 instruction cache in
 * the SM, L2 behind it through the crossbar; and the constant caches.
 *
 * A sub-core fetches one instruction a cycle, of the warp that it issued last: each issue is
 * followed by the fetch of the instruction that takes its place in the warp's buffer, in order and
 * as if no branch were taken (Huerta 2025). So the buffer of a warp whose code is in L0 does not
 * run dry, and what is to be known is when it comes to the next line: icache.buffer instructions
 * before that line's first is issued. A stream buffer fetches the lines that follow a demanded
 * line.
 */
#include "sim/sm/sm_internal.h"

#include <string.h>

#include "sim/core/model_mem.h"

enum { L1_CONST_LINE = 64, L15_CONST_LINE = 256, ALL_SECTORS = 15, NO_LINE = -1 };

static cache_t *cache_of_size(uint64_t size, uint32_t ways, uint32_t line_bytes,
                              replacement_policy_t policy)
{
    uint32_t lines = (uint32_t)(size / line_bytes);
    if (lines == 0)
        lines = 1;
    if (ways > lines)
        ways = lines;
    return cache_create(lines / ways, ways, line_bytes, policy, false, false);
}

/* Lines under way: those of the stream buffer, one that each warp waits for, and as many that warps
 * asked for ahead, which a branch may have made useless. */
static uint32_t slots_per_sub_core(const sm_t *sm)
{
    return sm->config->icache.prefetch + 2 * sm->warps_per_sub_core + 1;
}

size_t fetch_slot_bytes(const sm_t *sm)
{
    return slots_per_sub_core(sm) * sizeof(struct fetch_slot);
}

bool fetch_is_possible(const sm_t *sm, const sub_core_t *sub, cycle_t latest)
{
    for (uint32_t i = 0; i < slots_per_sub_core(sm); i++) {
        unsigned char used, demanded; /* as they are in the file: not every byte is a bool */
        memcpy(&used, &sub->fetch[i].used, sizeof(used));
        memcpy(&demanded, &sub->fetch[i].demanded, sizeof(demanded));
        if (used > 1 || demanded > 1 || (used != 0 && sub->fetch[i].ready > latest))
            return false;
    }
    return true;
}

void fetch_init(sm_t *sm)
{
    const icache_spec_t *spec = &sm->config->icache;
    const const_spec_t *c = &sm->config->constant;
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        sm->sub[s].l0 =
            cache_of_size(spec->l0_size, spec->l0_ways, INST_LINE_BYTES, spec->replacement);
        if (c->l0_size > 0)
            sm->sub[s].const_l0 =
                cache_of_size(c->l0_size, c->l0_ways, L1_CONST_LINE, c->replacement);
        sm->sub[s].fetch = rb_model_calloc(slots_per_sub_core(sm), sizeof(*sm->sub[s].fetch));
    }
    sm->short_buffer = spec->buffer < SHORTEST_BUFFER && !spec->perfect ? spec->buffer : 0;
    sm->fetch_ahead = spec->buffer > 0 ? (spec->buffer - 1) * INST_BYTES : 0;
    sm->l1i = cache_of_size(spec->l1_size, spec->l1_ways, INST_LINE_BYTES, spec->replacement);
    sm->n_l1i_miss = slots_per_sub_core(sm) * sm->n_sub_cores;
    sm->l1i_miss = rb_model_calloc(sm->n_l1i_miss, sizeof(*sm->l1i_miss));
    sm->l1i_queue = rb_model_calloc(sm->n_l1i_miss, sizeof(*sm->l1i_queue));
    sm->const_l1 = cache_of_size(c->l1_size, c->l1_ways, L1_CONST_LINE, c->replacement);
    sm->const_l15 = cache_of_size(c->l15_size, c->l15_ways, L15_CONST_LINE, c->replacement);
}

void fetch_free(sm_t *sm)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        cache_destroy(sm->sub[s].l0);
        cache_destroy(sm->sub[s].const_l0);
        rb_model_free(sm->sub[s].fetch);
    }
    cache_destroy(sm->l1i);
    cache_destroy(sm->const_l1);
    cache_destroy(sm->const_l15);
    rb_model_free(sm->l1i_miss);
    rb_model_free(sm->l1i_queue);
}

/* The L1 instruction cache sends one line to a sub-core; when it is there. */
static cycle_t l1i_send(sm_t *sm, sub_core_t *sub, cycle_t now)
{
    cycle_t at = cycle_max(now, sub->l1i_free);
    sub->l1i_free = at + sm->config->icache.l1_interval;
    return at + sm->config->icache.l1_latency;
}

/* Requests to L2 for the lines waited for longest, as long as the L1 instruction cache may have
 * more of them under way. */
static void l1i_request(sm_t *sm, cycle_t now)
{
    uint32_t limit = sm->config->icache.l1_misses;
    while (sm->l1i_requested < limit && sm->l1i_waiting > 0) {
        uint32_t slot = sm->l1i_queue[sm->l1i_head];
        sm->l1i_head = sm->l1i_head + 1 == sm->n_l1i_miss ? 0 : sm->l1i_head + 1;
        sm->l1i_waiting--;
        sm->l1i_requested++;
        uint64_t line = sm->l1i_miss[slot].line * INST_LINE_BYTES;
        mem_msg_t m = {.line = line,
                       .txn = txn_make(TXN_FETCH, slot),
                       .op = MEM_READ,
                       .src = MEM_SRC_INST,
                       .sectors = ALL_SECTORS,
                       .launched = line - sm->code_base < sm->config->icache.launch_bytes};
        sm_send_request(sm, &m, 1, now + sm->config->l1.miss_latency);
    }
}

/* Asks L2 for a line on behalf of a sub-core, or joins a request under way. */
static void l1i_miss(sm_t *sm, uint32_t sub_core, uint64_t line, cycle_t now)
{
    uint32_t slot = sm->n_l1i_miss;
    for (uint32_t i = 0; i < sm->n_l1i_miss; i++) {
        if (sm->l1i_miss[i].used && sm->l1i_miss[i].line == line) {
            sm->l1i_miss[i].wanted |= UINT32_C(1) << sub_core;
            return;
        }
        if (!sm->l1i_miss[i].used && slot == sm->n_l1i_miss)
            slot = i;
    }
    RB_INVARIANT(slot < sm->n_l1i_miss,
                 "SM %u: more instruction lines under way than sub-cores "
                 "can ask for",
                 sm->wiring.index);
    sm->l1i_miss[slot].line = line;
    sm->l1i_miss[slot].used = true;
    sm->l1i_miss[slot].wanted = UINT32_C(1) << sub_core;
    sm->l1i_miss[slot].pending = ALL_SECTORS;
    sm->stats.icache_l1_misses++;
    sm->l1i_queue[(sm->l1i_head + sm->l1i_waiting++) % sm->n_l1i_miss] = (uint16_t)slot;
    l1i_request(sm, now);
}

/* A free place among the lines under way; lines that have arrived move into L0. */
static struct fetch_slot *fetch_slot_new(sm_t *sm, sub_core_t *sub, cycle_t now)
{
    for (uint32_t i = 0; i < slots_per_sub_core(sm); i++) {
        if (!sub->fetch[i].used)
            return &sub->fetch[i];
    }
    for (uint32_t i = 0; i < slots_per_sub_core(sm); i++) {
        struct fetch_slot *f = &sub->fetch[i];
        if (f->ready <= now) {
            (void)cache_use(sub->l0, f->line * INST_LINE_BYTES);
            f->used = false;
            return f;
        }
    }
    return NULL;
}

static struct fetch_slot *fetch_slot_find(sm_t *sm, sub_core_t *sub, uint64_t line)
{
    for (uint32_t i = 0; i < slots_per_sub_core(sm); i++) {
        if (sub->fetch[i].used && sub->fetch[i].line == line)
            return &sub->fetch[i];
    }
    return NULL;
}

/* Starts bringing a line into the sub-core. */
static void fetch_start(sm_t *sm, uint32_t sub_core, uint64_t line, cycle_t now)
{
    sub_core_t *sub = &sm->sub[sub_core];
    struct fetch_slot *f = fetch_slot_new(sm, sub, now);
    RB_INVARIANT(f != NULL, "SM %u: no fetch slot left", sm->wiring.index);
    f->used = true;
    f->demanded = false;
    f->line = line;
    if (cache_lookup(sm->l1i, line * INST_LINE_BYTES, true) != NULL) {
        f->ready = l1i_send(sm, sub, now);
    } else {
        f->ready = CYCLE_NEVER;
        l1i_miss(sm, sub_core, line, now);
    }
}

static uint32_t fetches_waiting(sm_t *sm, const sub_core_t *sub, cycle_t now)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < slots_per_sub_core(sm); i++)
        n += sub->fetch[i].used && sub->fetch[i].ready > now;
    return n;
}

/* The stream buffer runs ahead of a line that was demanded. */
static void prefetch_after(sm_t *sm, uint32_t sub_core, uint64_t line, cycle_t now)
{
    sub_core_t *sub = &sm->sub[sub_core];
    uint32_t depth = sm->config->icache.prefetch;
    for (uint32_t i = 1; i <= depth && fetches_waiting(sm, sub, now) < depth; i++) {
        if (cache_lookup(sub->l0, (line + i) * INST_LINE_BYTES, false) == NULL &&
            fetch_slot_find(sm, sub, line + i) == NULL)
            fetch_start(sm, sub_core, line + i, now);
    }
}

/* Cycle >= now at which the instruction line is in the sub-core's L0; CYCLE_NEVER: not known yet.
 * early: none waits for it, so that it need not be asked for where too many are. */
static cycle_t fetch_line(sm_t *sm, uint32_t sub_core, uint64_t line, bool early, cycle_t now)
{
    sub_core_t *sub = &sm->sub[sub_core];
    if (sm->config->icache.perfect || sm->config->sm.ideal)
        return now;
    if (cache_lookup(sub->l0, line * INST_LINE_BYTES, true) != NULL)
        return now;
    struct fetch_slot *f = fetch_slot_find(sm, sub, line);
    if (f == NULL) {
        uint32_t limit = sm->config->icache.prefetch + sm->warps_per_sub_core;
        if (early && fetches_waiting(sm, sub, now) >= limit)
            return CYCLE_NEVER;
        sm->stats.icache_l0_misses++;
        fetch_start(sm, sub_core, line, now);
        f = fetch_slot_find(sm, sub, line);
    }
    cycle_t ready = f->ready;
    bool first = !f->demanded;
    f->demanded = true;
    if (ready <= now) {
        (void)cache_use(sub->l0, line * INST_LINE_BYTES);
        f->used = false;
    }
    /* The stream goes on at the first demand of each line, whether it has arrived or not. */
    if (first)
        prefetch_after(sm, sub_core, line, now);
    return ready == CYCLE_NEVER ? CYCLE_NEVER : cycle_max(now, ready);
}

void fetch_forget(warp_t *warp)
{
    warp->fetch_first = (uint64_t)NO_LINE;
    warp->fetch_last = (uint64_t)NO_LINE;
    warp->fetching = false;
    warp->issued = 0;
}

/* Asks for the line that the warp's fetch has come to. */
static void fetch_begin(sm_t *sm, warp_t *warp, uint64_t line)
{
    warp->fetch_last = line;
    warp->fetching = true;
    sm->stats.icache_l0_lookups++;
}

bool fetch_lines(sm_t *sm, uint32_t w, uint64_t line, uint64_t ahead, cycle_t now)
{
    warp_t *warp = &sm->warp[w];
    if (line < warp->fetch_first || line > warp->fetch_last) {
        warp->fetch_first = line;
        fetch_begin(sm, warp, line);
    } else if (ahead < warp->fetch_last) { /* a branch back, in a line that is there */
        warp->fetch_last = ahead;
        warp->fetching = false;
    }
    if (warp->fetching) {
        bool early = line != warp->fetch_last;
        cycle_t here = fetch_line(sm, warp->sub_core, warp->fetch_last, early, now);
        warp->fetching = here > now;
        if (!early && here == CYCLE_NEVER) {
            warp_park(sm, w, PARK_FETCH, STATE_NO_INSTRUCTION);
            return false;
        }
        if (!early && here > warp->base) {
            warp->base = here;
            warp->base_state = STATE_NO_INSTRUCTION;
        }
    }
    if (ahead > warp->fetch_last && !warp->fetching) {
        warp->fetch_first = line;
        fetch_begin(sm, warp, ahead);
        warp->fetching = fetch_line(sm, warp->sub_core, ahead, true, now) > now;
    }
    return true;
}

void fetch_while_waiting(sm_t *sm, uint32_t w, cycle_t now)
{
    if (sm->config->icache.buffer > 0)
        (void)fetch_instructions(sm, w, now);
}

void fetch_reply(sm_t *sm, uint32_t entry, uint8_t sectors, cycle_t now)
{
    struct l1i_miss *miss = &sm->l1i_miss[entry];
    miss->pending &= (uint8_t)~sectors;
    if (miss->pending != 0)
        return;
    miss->used = false;
    (void)cache_use(sm->l1i, miss->line * INST_LINE_BYTES);
    sm->l1i_requested--;
    l1i_request(sm, now);
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        if (!(miss->wanted >> s & 1))
            continue;
        struct fetch_slot *f = fetch_slot_find(sm, &sm->sub[s], miss->line);
        if (f != NULL)
            f->ready = l1i_send(sm, &sm->sub[s], now);
        for (uint32_t w = s; w < sm->n_warps; w += sm->n_sub_cores)
            warp_unpark(sm, w, PARK_FETCH, now);
    }
}

void const_forget(sm_t *sm)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        if (sm->sub[s].const_l0 != NULL)
            cache_invalidate(sm->sub[s].const_l0);
    }
    cache_invalidate(sm->const_l1);
    cache_invalidate(sm->const_l15);
}

uint32_t const_read(sm_t *sm, const warp_t *warp, const inst_t *inst, bool is_load)
{
    const const_spec_t *spec = &sm->config->constant;
    uint32_t hit = is_load ? spec->l1_latency : 0;
    if (!(inst->flags & INST_CONST_ADDR) || spec->perfect || sm->config->sm.ideal)
        return hit;
    /* Bank 0 holds the launch's parameters: other launches' lines are others' data. */
    uint64_t address = (uint64_t)sm->block[warp->block].launch->slot << 32 |
                       (uint64_t)inst->const_bank << 16 | inst->const_offset;
    uint64_t line1 = address / L1_CONST_LINE * L1_CONST_LINE;
    uint64_t line15 = address / L15_CONST_LINE * L15_CONST_LINE;
    cache_t *l0 = sm->sub[warp->sub_core].const_l0;
    cache_t *first = is_load || l0 == NULL ? sm->const_l1 : l0;
    sm->stats.const_lookups++;
    if (cache_use(first, line1))
        return hit;
    sm->stats.const_misses++;
    uint32_t latency = cache_use(sm->const_l15, line15) ? spec->l15_latency : spec->l2_latency;
    return is_load ? latency : latency - spec->l1_latency;
}
