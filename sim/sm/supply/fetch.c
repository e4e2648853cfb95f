/*
 * Instruction supply: an L0 cache with a stream buffer in each sub-core, an L1 instruction cache in
 * the SM, and the L2 behind it through the crossbar.
 *
 * A sub-core fetches one instruction per cycle, for the warp that it issued last. It fetches in
 * order, as if no branch were taken, into the free entry of the warp's buffer (Huerta 2025). While
 * the code is in L0 the buffer does not run dry, so only the step to the next line matters; it
 * happens icache.buffer instructions before the first instruction of that line issues. A stream
 * buffer fetches the lines that follow a demanded line.
 */
#include "sim/sm/supply/supply_parts.h"

#include <limits.h>
#include <string.h>

#include "sim/core/model_mem.h"
#include "sim/sm/by_launch.h"

enum { ALL_SECTORS = 15, NO_LINE = -1 };

/* Lines in flight: those of the stream buffer, one that each warp waits for, and one that each warp
 * requested ahead (which a branch may have made useless). */
static uint32_t slots_per_sub_core(const sm_t *sm)
{
    return sm->config->icache.prefetch + 2 * sm->warps_per_sub_core + 1;
}

size_t fetch_slot_bytes(const sm_t *sm)
{
    return slots_per_sub_core(sm) * sizeof(fetch_slot_t);
}

bool fetch_is_possible(const sm_t *sm, const supply_core_t *core, cycle_t latest)
{
    for (uint32_t i = 0; i < slots_per_sub_core(sm); i++) {
        unsigned char used, demanded; /* bytes of the file, which need not be valid bools */
        memcpy(&used, &core->fetch[i].used, sizeof(used));
        memcpy(&demanded, &core->fetch[i].demanded, sizeof(demanded));
        if (used > 1 || demanded > 1 || (used != 0 && core->fetch[i].ready > latest))
            return false;
    }
    return true;
}

void fetch_init(sm_t *sm)
{
    const icache_spec_t *spec = &sm->config->icache;
    supply_t *u = &sm->supply;
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        u->core[s].l0 =
            supply_cache(spec->l0_size, spec->l0_ways, INST_LINE_BYTES, spec->replacement);
        u->core[s].fetch = rb_model_calloc(slots_per_sub_core(sm), sizeof(*u->core[s].fetch));
    }
    u->fetch_ahead = spec->buffer > 0 ? (spec->buffer - 1) * INST_BYTES : 0;
    u->l1i = supply_cache(spec->l1_size, spec->l1_ways, INST_LINE_BYTES, spec->replacement);
    u->n_l1i_miss = slots_per_sub_core(sm) * sm->n_sub_cores;
    u->l1i_miss = rb_model_calloc(u->n_l1i_miss, sizeof(*u->l1i_miss));
    u->l1i_queue = rb_model_calloc(u->n_l1i_miss, sizeof(*u->l1i_queue));
}

void fetch_free(sm_t *sm)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        cache_destroy(sm->supply.core[s].l0);
        rb_model_free(sm->supply.core[s].fetch);
    }
    cache_destroy(sm->supply.l1i);
    rb_model_free(sm->supply.l1i_miss);
    rb_model_free(sm->supply.l1i_queue);
}

/* The bit of a line in a word of hints. */
static uint64_t line_hint(uint64_t line)
{
    return UINT64_C(1) << line % LINE_HINTS;
}

static uint64_t *l0_hints(supply_core_t *core, uint64_t line)
{
    return &core->l0_hints[line / LINE_HINTS % L0_HINT_WORDS];
}

/* Finds a line in the L0; NULL on a miss. Loops ask for the same few lines again and again, straight
 * code for lines that are not there. */
static const cache_spot_t *l0_find(supply_core_t *core, uint64_t line)
{
    known_line_t *k = &core->known[line % KNOWN_LINES];
    if (k->line == line + 1)
        return &k->spot;
    if ((*l0_hints(core, line) & line_hint(line)) == 0)
        return NULL;
    cache_spot_t spot;
    if (!cache_find(core->l0, line * INST_LINE_BYTES, &spot))
        return NULL;
    *k = (known_line_t){.line = line + 1, .spot = spot};
    return &k->spot;
}

int fetch_load_l0(supply_core_t *core, FILE *in)
{
    memset(core->known, 0, sizeof(core->known));
    memset(core->l0_hints, UCHAR_MAX, sizeof(core->l0_hints));
    return cache_load(core->l0, in);
}

static bool l0_lookup(supply_core_t *core, uint64_t line)
{
    const cache_spot_t *spot = l0_find(core, line);
    if (spot != NULL)
        cache_use_again(core->l0, *spot);
    return spot != NULL;
}

static void l0_fill(supply_core_t *core, uint64_t line)
{
    memset(core->known, 0, sizeof(core->known));
    *l0_hints(core, line) |= line_hint(line);
    (void)cache_use(core->l0, line * INST_LINE_BYTES);
}

/* The L1 instruction cache sends one line to a sub-core. Returns when it arrives. */
static cycle_t l1i_send(sm_t *sm, supply_core_t *core, cycle_t now)
{
    cycle_t at = cycle_max(now, core->l1i_free);
    core->l1i_free = at + sm->config->icache.l1_interval;
    return at + sm->config->icache.l1_latency;
}

/* Whether a launch on the SM has brought this line of its code into the L2. */
static bool is_launched(const sm_t *sm, uint64_t line)
{
    const uint64_t bytes = sm->config->icache.launch_bytes;
    bool launched = line - sm->code_base < bytes;
    for (uint32_t b = 0; b < sm->config->sm.max_blocks && !launched; b++)
        launched = sm->block[b].block != NULL && line - sm->block[b].launch->code_base < bytes;
    return launched;
}

/* Requests lines from L2, oldest first, up to the limit of the L1 instruction cache. */
static void l1i_request(sm_t *sm, cycle_t now)
{
    uint32_t limit = sm->config->icache.l1_misses;
    while (sm->supply.l1i_requested < limit && sm->supply.l1i_waiting > 0) {
        uint32_t slot = sm->supply.l1i_queue[sm->supply.l1i_head];
        sm->supply.l1i_head =
            sm->supply.l1i_head + 1 == sm->supply.n_l1i_miss ? 0 : sm->supply.l1i_head + 1;
        sm->supply.l1i_waiting--;
        sm->supply.l1i_requested++;
        uint64_t line = sm->supply.l1i_miss[slot].line * INST_LINE_BYTES;
        mem_msg_t m = {.line = line,
                       .txn = txn_make(TXN_FETCH, slot),
                       .op = MEM_READ,
                       .src = MEM_SRC_INST,
                       .sectors = ALL_SECTORS,
                       .launched = is_launched(sm, line)};
        if (sm->by_launch != NULL)
            m.launch = sm->by_launch->fetch[slot];
        sm_send_request(sm, &m, 1, now + sm->config->l1.miss_latency);
    }
}

/* Requests a line from L2 for a sub-core, or joins a request in flight. */
static void l1i_miss(sm_t *sm, uint32_t sub_core, uint64_t line, cycle_t now)
{
    const uint32_t end = sm->supply.l1i_miss_end;
    uint32_t slot = end;
    for (uint32_t i = 0; i < end; i++) {
        if (sm->supply.l1i_miss[i].used && sm->supply.l1i_miss[i].line == line) {
            sm->supply.l1i_miss[i].wanted |= UINT32_C(1) << sub_core;
            return;
        }
        if (!sm->supply.l1i_miss[i].used && slot == end)
            slot = i;
    }
    if (slot == end)
        sm->supply.l1i_miss_end++;
    RB_INVARIANT(slot < sm->supply.n_l1i_miss,
                 "SM %u: more instruction lines in flight than sub-cores "
                 "can ask for",
                 sm->wiring.index);
    sm->supply.l1i_miss[slot].line = line;
    sm->supply.l1i_miss[slot].used = true;
    sm->supply.l1i_miss[slot].wanted = UINT32_C(1) << sub_core;
    sm->supply.l1i_miss[slot].pending = ALL_SECTORS;
    sm->stats.icache_l1_misses++;
    if (sm->by_launch != NULL)
        sm->by_launch->fetch[slot] = sm->counted;
    sm->supply.l1i_queue[(sm->supply.l1i_head + sm->supply.l1i_waiting++) % sm->supply.n_l1i_miss] =
        (uint16_t)slot;
    l1i_request(sm, now);
}

/* A free slot for a line in flight; if there is none, moves a line that has arrived into the L0. */
static fetch_slot_t *fetch_slot_new(sm_t *sm, supply_core_t *core, cycle_t now)
{
    for (uint32_t i = 0; i < core->fetch_end; i++) {
        if (!core->fetch[i].used)
            return &core->fetch[i];
    }
    if (core->fetch_end < slots_per_sub_core(sm))
        return &core->fetch[core->fetch_end++];
    for (uint32_t i = 0; i < core->fetch_end; i++) {
        fetch_slot_t *f = &core->fetch[i];
        if (f->ready <= now) {
            l0_fill(core, f->line);
            f->used = false;
            return f;
        }
    }
    return NULL;
}

/* A slot is free again. */
static void fetch_slot_free(supply_core_t *core, fetch_slot_t *f)
{
    f->used = false;
    while (core->fetch_end > 0 && !core->fetch[core->fetch_end - 1].used)
        core->fetch_end--;
}

static fetch_slot_t *fetch_slot_find(supply_core_t *core, uint64_t line)
{
    if ((core->fetch_hints & line_hint(line)) == 0)
        return NULL;
    fetch_slot_t *hinted = &core->fetch[core->fetch_hinted[line % LINE_HINTS]];
    if (hinted->used && hinted->line == line)
        return hinted;
    uint64_t hints = 0;
    for (uint32_t i = 0; i < core->fetch_end; i++) {
        if (!core->fetch[i].used)
            continue;
        if (core->fetch[i].line == line)
            return &core->fetch[i];
        hints |= line_hint(core->fetch[i].line);
    }
    core->fetch_hints = hints;
    return NULL;
}

/* Starts to fetch a line into a sub-core: it will be there later than now. */
static fetch_slot_t *fetch_start(sm_t *sm, uint32_t sub_core, uint64_t line, cycle_t now)
{
    supply_core_t *core = &sm->supply.core[sub_core];
    fetch_slot_t *f = fetch_slot_new(sm, core, now);
    RB_INVARIANT(f != NULL, "SM %u: no fetch slot left", sm->wiring.index);
    f->used = true;
    f->demanded = false;
    f->line = line;
    core->fetch_hints |= line_hint(line);
    core->fetch_hinted[line % LINE_HINTS] = (uint16_t)(f - core->fetch);
    if (cache_lookup(sm->supply.l1i, line * INST_LINE_BYTES, true) != NULL) {
        f->ready = l1i_send(sm, core, now);
    } else {
        f->ready = CYCLE_NEVER;
        l1i_miss(sm, sub_core, line, now);
    }
    return f;
}

static uint32_t fetches_waiting(const supply_core_t *core, cycle_t now)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < core->fetch_end; i++)
        n += core->fetch[i].used && core->fetch[i].ready > now;
    return n;
}

/* Lets the stream buffer run ahead of a demanded line. */
static void prefetch_after(sm_t *sm, uint32_t sub_core, uint64_t line, cycle_t now)
{
    supply_core_t *core = &sm->supply.core[sub_core];
    const uint32_t depth = sm->config->icache.prefetch;
    uint32_t waiting = fetches_waiting(core, now);
    for (uint32_t i = 1; i <= depth && waiting < depth; i++) {
        if (l0_find(core, line + i) != NULL || fetch_slot_find(core, line + i) != NULL)
            continue;
        (void)fetch_start(sm, sub_core, line + i, now);
        waiting++;
    }
}

/* Cycle >= now at which a line is in the sub-core's L0; CYCLE_NEVER: not known yet. early: no warp
 * waits for it yet, so it is not requested if too many lines are in flight. */
static cycle_t fetch_line(sm_t *sm, uint32_t sub_core, uint64_t line, bool early, cycle_t now)
{
    supply_core_t *core = &sm->supply.core[sub_core];
    if (sm->config->icache.perfect || sm->config->sm.ideal)
        return now;
    if (l0_lookup(core, line))
        return now;
    fetch_slot_t *f = fetch_slot_find(core, line);
    if (f == NULL) {
        uint32_t limit = sm->config->icache.prefetch + sm->warps_per_sub_core;
        if (early && fetches_waiting(core, now) >= limit)
            return CYCLE_NEVER;
        sm->stats.icache_l0_misses++;
        f = fetch_start(sm, sub_core, line, now);
    }
    cycle_t ready = f->ready;
    bool first = !f->demanded;
    f->demanded = true;
    if (ready <= now) {
        l0_fill(core, line);
        fetch_slot_free(core, f);
    }
    /* The first demand of a line advances the stream, whether the line has arrived or not. */
    if (first)
        prefetch_after(sm, sub_core, line, now);
    return ready == CYCLE_NEVER ? CYCLE_NEVER : cycle_max(now, ready);
}

void sm_learn_code(sm_t *sm, uint64_t line, uint32_t sub_cores)
{
    (void)cache_use(sm->supply.l1i, line);
    for (uint32_t s = 0; s < sub_cores && s < sm->n_sub_cores; s++)
        l0_fill(&sm->supply.core[s], line / INST_LINE_BYTES);
}

void fetch_forget(sm_t *sm)
{
    cache_invalidate(sm->supply.l1i);
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        supply_core_t *core = &sm->supply.core[s];
        cache_invalidate(core->l0);
        memset(core->known, 0, sizeof(core->known));
        memset(core->l0_hints, 0, sizeof(core->l0_hints));
        for (uint32_t i = 0; i < core->fetch_end; i++)
            core->fetch[i].used = false;
        core->fetch_end = 0;
        core->fetch_hints = 0;
    }
}

/* Starts with the line that the warp's fetch has reached. */
static void fetch_begin(sm_t *sm, inst_buffer_t *buffer, uint64_t line)
{
    buffer->last = line;
    buffer->fetching = true;
    sm->stats.icache_l0_lookups++;
}

/* Advances the buffer of a warp whose next instruction is in `line`, and the last one of the buffer
 * in `ahead`. */
static cycle_t advance(sm_t *sm, uint32_t s, inst_buffer_t *buffer, uint64_t line, uint64_t ahead,
                       cycle_t now)
{
    cycle_t there = 0;
    if (line < buffer->first || line > buffer->last) {
        buffer->first = line;
        fetch_begin(sm, buffer, line);
    } else if (ahead < buffer->last) { /* a branch back, to a line that is present */
        buffer->last = ahead;
        buffer->fetching = false;
    }
    if (buffer->fetching) {
        bool early = line != buffer->last;
        cycle_t here = fetch_line(sm, s, buffer->last, early, now);
        buffer->fetching = here > now;
        if (!early && here == CYCLE_NEVER)
            return CYCLE_NEVER;
        if (!early)
            there = here;
    }
    if (ahead > buffer->last && !buffer->fetching) {
        buffer->first = line;
        fetch_begin(sm, buffer, ahead);
        buffer->fetching = fetch_line(sm, s, ahead, true, now) > now;
    }
    return there;
}

/* The pcs whose instruction is in the buffer's lines, and the last one of a buffer that begins with
 * it in the last of these lines. */
static void find_known(const sm_t *sm, inst_buffer_t *buffer)
{
    uint64_t ahead = sm->supply.fetch_ahead;
    uint64_t from = buffer->last * INST_LINE_BYTES, end = from + INST_LINE_BYTES - ahead;
    from = from - buffer->code_base < ahead ? buffer->code_base : from - ahead;
    if (from < buffer->first * INST_LINE_BYTES)
        from = buffer->first * INST_LINE_BYTES;
    buffer->from = (uint32_t)(from - buffer->code_base);
    buffer->bytes = buffer->fetching || end <= from ? 0 : (uint32_t)(end - from);
}

cycle_t fetch_lines(sm_t *sm, uint32_t s, uint32_t w, uint32_t pc, cycle_t now)
{
    inst_buffer_t *buffer = &sm->supply.buffer[w];
    uint64_t address = buffer->code_base + pc;
    by_launch_warp(sm, w);
    cycle_t there = advance(sm, s, buffer, address / INST_LINE_BYTES,
                            (address + sm->supply.fetch_ahead) / INST_LINE_BYTES, now);
    find_known(sm, buffer);
    return there;
}

/* fetch_local() where not all that it needs is known at once. */
static __attribute__((noinline)) bool fetch_local_any(sm_t *sm, uint32_t s, uint32_t w, uint32_t pc,
                                                      cycle_t now)
{
    const inst_buffer_t *buffer = &sm->supply.buffer[w];
    supply_core_t *core = &sm->supply.core[s];
    const uint64_t address = buffer->code_base + pc, line = address / INST_LINE_BYTES;
    const uint64_t ahead = (address + sm->supply.fetch_ahead) / INST_LINE_BYTES;
    if (!sm->config->icache.perfect &&
        (l0_find(core, line) == NULL || (ahead != line && l0_find(core, ahead) == NULL) ||
         (buffer->fetching && l0_find(core, buffer->last) == NULL)))
        return false;
    (void)fetch_lines(sm, s, w, pc, now);
    return true;
}

/* The buffer continues with a line that is in the L0. */
static inline void fetch_known(sm_t *sm, supply_core_t *core, inst_buffer_t *buffer, uint64_t line)
{
    buffer->last = line;
    sm->stats.icache_l0_lookups++;
    cache_use_again(core->l0, core->known[line % KNOWN_LINES].spot);
}

/* Mostly the line that is needed is known, or both after a branch: then this is fetch_lines() without
 * its questions. */
bool fetch_local(sm_t *sm, uint32_t s, uint32_t w, uint32_t pc, cycle_t now)
{
    inst_buffer_t *buffer = &sm->supply.buffer[w];
    supply_core_t *core = &sm->supply.core[s];
    const uint64_t address = buffer->code_base + pc, line = address / INST_LINE_BYTES;
    const uint64_t ahead = (address + sm->supply.fetch_ahead) / INST_LINE_BYTES;
    const bool elsewhere = line < buffer->first || line > buffer->last;
    if (buffer->fetching || sm->config->icache.perfect ||
        core->known[ahead % KNOWN_LINES].line != ahead + 1 ||
        (elsewhere && core->known[line % KNOWN_LINES].line != line + 1))
        return fetch_local_any(sm, s, w, pc, now);
    by_launch_warp(sm, w);
    if (elsewhere) {
        buffer->first = line;
        fetch_known(sm, core, buffer, line);
    }
    if (ahead > buffer->last) {
        buffer->first = line;
        fetch_known(sm, core, buffer, ahead);
    }
    buffer->last = ahead;
    find_known(sm, buffer);
    return true;
}

void supply_warp_start(sm_t *sm, uint32_t w, const launch_ctx_t *launch)
{
    sm->supply.buffer[w] = (inst_buffer_t){.code_base = launch->code_base,
                                           .constants = (uint64_t)launch->slot << 32,
                                           .first = (uint64_t)NO_LINE,
                                           .last = (uint64_t)NO_LINE};
}

uint32_t fetch_reply(sm_t *sm, uint32_t entry, uint8_t sectors, cycle_t now)
{
    l1i_miss_t *miss = &sm->supply.l1i_miss[entry];
    miss->pending &= (uint8_t)~sectors;
    if (miss->pending != 0)
        return 0;
    miss->used = false;
    while (sm->supply.l1i_miss_end > 0 && !sm->supply.l1i_miss[sm->supply.l1i_miss_end - 1].used)
        sm->supply.l1i_miss_end--;
    (void)cache_use(sm->supply.l1i, miss->line * INST_LINE_BYTES);
    sm->supply.l1i_requested--;
    l1i_request(sm, now);
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        supply_core_t *core = &sm->supply.core[s];
        fetch_slot_t *f = miss->wanted >> s & 1 ? fetch_slot_find(core, miss->line) : NULL;
        if (f != NULL)
            f->ready = l1i_send(sm, core, now);
    }
    return miss->wanted;
}
