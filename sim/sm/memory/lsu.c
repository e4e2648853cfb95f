/*
 * The load/store unit: takes one instruction at a time from the queues, and has a tag and a data
 * stage.
 *
 * An instruction occupies the unit for max(bank passes x l1.pass_cycles, lines / tags per cycle,
 * address cycles), where a pass of a single lane takes one cycle; a load for at least l1.load_interval. Latencies are from issue to dependent issue,
 * so the cycles before acceptance are subtracted.
 */
#include "sim/sm/by_launch.h"
#include "sim/sm/inst_profile.h"
#include "sim/sm/memory/memory_parts.h"

/* What begins an instruction is compiled twice, with and without counts per instruction. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { BANK_BYTES = 4 };

/* l1.load_interval is counted in this fraction of a cycle. */
enum { LOAD_CYCLE_PARTS = 256 };

/* Host-side: how many lines ahead tags are prefetched; and at the start of a window, for how many
 * lines of the instruction that continues in it. */
enum { PREFETCH_LINES = 8, PREFETCH_RESUMED = 6 };

void lsu_init(sm_t *sm)
{
    const sm_spec_t *spec = &sm->config->sm;
    sm->memory.lsu.retry = CYCLE_NEVER;
    sm->memory.lsu.path = divider_make(spec->return_bytes);
    sm->memory.lsu.word_cycles =
        (uint32_t)divider_quotient_up(&sm->memory.lsu.path, WARP_LANES * 4);
    sm->memory.lsu.address_cycles = (WARP_LANES + spec->lsu_lanes - 1) / spec->lsu_lanes;
    sm->memory.lsu.l1_banks = sm->config->l1.bank_bytes / BANK_BYTES;
    sm->memory.lsu.tags = divider_make(sm->config->l1.tags_per_cycle);
    sm->memory.lsu.load_parts = (uint32_t)(sm->config->l1.load_interval * LOAD_CYCLE_PARTS + 0.5);
}

/* Extra cycles on the return path for a result wider than 32 bits. */
static uint32_t return_extra(const sm_t *sm, const inst_t *inst)
{
    uint32_t bytes = WARP_LANES * (inst->width < 4 ? 4u : inst->width);
    return (uint32_t)divider_quotient_up(&sm->memory.lsu.path, bytes) - sm->memory.lsu.word_cycles;
}

/* Shuffles, special registers, and textures without addresses: a fixed latency from acceptance. */
ALWAYS_INLINE void step_fixed(sm_t *sm, const mem_entry_t *e, cycle_t now)
{
    cycle_t ready = now + sm->cls[e->inst->cls].latency - sm->config->sm.mem_issue_latency;
    sm->memory.lsu.data_free = now + 1;
    if (recorded(sm, RETIRED_CLOCK) && e->inst->flags & INST_CLOCK)
        record_clock(sm, e->warp, e->inst, now);
    sm_result(sm, e->warp, e->inst, lsu_issued(sm, e), ready, inst_dep_kind(sm, e->inst), now);
}

ALWAYS_INLINE mem_space_t resolve_space(const sm_t *sm, const mem_entry_t *e)
{
    mem_space_t space = (mem_space_t)e->inst->space;
    if (space != MEM_GENERIC || e->addr == NULL)
        return space;
    const launch_ctx_t *launch = sm_launch_of(sm, e->warp);
    return coalesce_generic_space(coalesce_first(e->addr), launch->shared_base, launch->local_base);
}

/* Local memory of the resident threads: a region of 512 MiB for each warp slot of the chip. */
static uint64_t local_region(const sm_t *sm, uint32_t w)
{
    enum { REGION_SHIFT = 29 }; /* 2^24 bytes per thread x 32 threads */
    return LOCAL_BASE + (((uint64_t)sm->wiring.index * SM_MAX_WARPS + w) << REGION_SHIFT);
}

static void count_request(sm_t *sm, const inst_t *inst, mem_space_t space)
{
    sm_stats_t *st = &sm->stats;
    switch (inst->access) {
    case ACC_LOAD:
        (*counter_of(space, &st->global_load_requests, &st->local_load_requests,
                     &st->texture_requests))++;
        break;
    case ACC_STORE:
        (*counter_of(space, &st->global_store_requests, &st->local_store_requests,
                     &st->surface_store_requests))++;
        break;
    case ACC_ATOMIC:
        st->atomic_requests++;
        break;
    default:
        st->reduction_requests++;
        break;
    }
}

static void count_sectors(sm_t *sm, const inst_t *inst, mem_space_t space, const coalesced_t *c)
{
    sm_stats_t *st = &sm->stats;
    uint64_t sectors = 0, lanes = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        sectors += sectors_in(c->line[i].sectors);
        lanes += c->line[i].lanes;
    }
    if (inst->access == ACC_LOAD)
        *counter_of(space, &st->global_load_sectors, &st->local_load_sectors,
                    &st->texture_sectors) += sectors;
    else if (inst->access == ACC_STORE)
        *counter_of(space, &st->global_store_sectors, &st->local_store_sectors,
                    &st->surface_store_sectors) += sectors;
    else
        st->atomic_lanes += lanes;
    st->l1_tags += c->n;
}

/* Minimum cycles of a load; the fraction of a cycle is carried over to the next load. */
static cycle_t load_cycles(lsu_t *u)
{
    uint32_t parts = u->load_parts + u->load_owed;
    u->load_owed = parts % LOAD_CYCLE_PARTS;
    return parts / LOAD_CYCLE_PARTS;
}

/* Finds the lines of the instruction in the unit, which is global. Returns its passes through the
 * banks. */
static unsigned find_lines(sm_t *sm, coalesce_mode_t mode, unsigned *ideal)
{
    lsu_t *u = &sm->memory.lsu;
    const mem_entry_t *e = &u->cur;
    pattern_t *patterns = sm->memory.pattern;
    pattern_key_t key;
    lane_addrs_t lanes;
    bool kept = patterns != NULL && mode != COALESCE_ATOMIC &&
                pattern_key(e->addr, e->mask, e->inst->width,
                            mode == COALESCE_LOAD ? PATTERN_LOAD : PATTERN_STORE, &key);
    const pattern_t *p = kept ? pattern_find(patterns, &key) : NULL;
    if (p != NULL) {
        pattern_lines(p, &key, &u->lines);
        *ideal = p->ideal;
        return p->passes;
    }
    coalesce_decode(e->addr, e->inst->width, &lanes);
    unsigned passes =
        coalesce_bank_passes(&lanes, e->mask, e->inst->width, u->l1_banks, PASS_GROUPS, ideal);
    coalesce_lines(&lanes, e->inst->width, mode, &u->lines);
    if (kept)
        pattern_note(patterns, &key, passes, *ideal, &u->lines);
    return passes;
}

/* The same for local memory, whose passes do not count. */
static void find_local_lines(sm_t *sm, coalesce_mode_t mode)
{
    lsu_t *u = &sm->memory.lsu;
    const mem_entry_t *e = &u->cur;
    lane_addrs_t lanes;
    coalesce_decode(e->addr, e->inst->width, &lanes);
    coalesce_local(&lanes, e->mask, e->inst->width, mode, local_region(sm, e->warp),
                   sm_launch_of(sm, e->warp)->local_base, &u->lines);
}

/* Computes lines, sectors and occupancy of the global, local or texture instruction that was just
 * accepted. */
ALWAYS_INLINE void begin_global(sm_t *sm, mem_space_t space, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    const mem_entry_t *e = &u->cur;
    const l1_spec_t *spec = &sm->config->l1;
    coalesce_mode_t mode = e->inst->access == ACC_LOAD    ? COALESCE_LOAD
                           : e->inst->access == ACC_STORE ? COALESCE_STORE
                                                          : COALESCE_ATOMIC;
    u->busy = true;
    u->started = now;
    u->next_line = 0;
    u->load = NO_INDEX;
    u->copy_passes = 0;
    u->absent = false;
    u->lines.n = 0;
    u->space = (uint8_t)space;
    u->extra = 0;
    cycle_t busy = sm->memory.lsu.address_cycles;
    count_request(sm, e->inst, space);
    if (space == MEM_TEX) {
        busy = texture_begin(sm, mode, now);
        count_sectors(sm, e->inst, space, &u->lines);
    } else if (e->addr != NULL) {
        unsigned passes = 1, ideal = 1;
        if (space == MEM_LOCAL)
            find_local_lines(sm, mode);
        else
            passes = find_lines(sm, mode, &ideal);
        count_sectors(sm, e->inst, space, &u->lines);
        uint32_t tag_cycles = (uint32_t)divider_quotient_up(&u->tags, u->lines.n);
        const cycle_t stage = cycle_max(pass_time(passes, e->mask, spec->pass_cycles), tag_cycles);
        busy = cycle_max(busy, stage);
        const cycle_t least = cycle_min(ideal, passes) * spec->pass_cycles;
        u->extra = (uint32_t)(stage - cycle_min(stage, least));
    }
    if (e->inst->flags & INST_TO_SHARED)
        u->copy_passes = copy_begin(sm, e);
    else if (e->inst->access == ACC_LOAD && space != MEM_TEX)
        busy = cycle_max(busy, load_cycles(u));
    if (spec->perfect)
        busy = 1;
    lsu_occupy(sm, now, busy);
}

/* The instruction in the unit has looked up all its lines. */
static void finish_global(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    const inst_t *inst = u->cur.inst;
    u->busy = false;
    const bool copy = inst->flags & INST_TO_SHARED;
    cycle_t latency = sm->config->l1.latency + texture_longer(sm, inst) +
                      (copy ? copy_longer(sm, inst) : return_extra(sm, inst));
    cycle_t hit = u->started + latency + u->extra - sm->config->sm.mem_issue_latency;
    hit = cycle_max(hit, now + 1);
    if (u->load != NO_INDEX) {
        load_t *load = &sm->memory.load[u->load];
        load->done = hit;
        if (load->remaining == 0)
            l1_load_finish(sm, u->load, hit, now);
        else
            load->complete = true;
    } else if (copy) {
        copy_write(sm, u->cur.warp, u->copy_passes, now);
        sm_copied(sm, u->cur.warp, inst, u->cur.group, lsu_issued(sm, &u->cur), hit, now);
    } else {
        sm_result(sm, u->cur.warp, inst, lsu_issued(sm, &u->cur), hit, DEP_LONG, now);
    }
}

void lsu_charge(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    if (now <= u->stalled_since)
        return;
    uint64_t cycles = now - u->stalled_since;
    if (u->stalled == L1_NO_MSHR)
        sm->stats.l1_stall_mshr += cycles;
    else if (u->stalled == L1_NO_QUEUE)
        sm->stats.l1_stall_queue += cycles;
    else if (u->stalled == L1_NO_TLB)
        sm->stats.l1_stall_tlb += cycles;
    u->stalled_since = now;
}

/* Host-side: prefetches the tags of lines [first, end). */
static void lines_prefetch(const sm_t *sm, uint32_t first, uint32_t end)
{
    const lsu_t *u = &sm->memory.lsu;
    for (uint32_t i = first; i < end && i < u->lines.n; i++)
        l1_prefetch_line(sm, u->lines.line[i].line);
}

void lsu_prefetch(const sm_t *sm)
{
    const lsu_t *u = &sm->memory.lsu;
    if (u->busy)
        lines_prefetch(sm, u->next_line, u->next_line + PREFETCH_RESUMED);
}

/* When the next line can be written back; CYCLE_NEVER: none waits, or for room. */
static inline cycle_t write_back_next(const sm_t *sm, cycle_t now)
{
    return sm->memory.n_write_backs > 0 && l1_room(sm) == L1_DONE ? now + 1 : CYCLE_NEVER;
}

static inline void write_back_some(sm_t *sm, cycle_t now)
{
    if (__builtin_expect(sm->memory.n_write_backs > 0, 0))
        write_back_step(sm, now);
}

/* Looks up to tags_per_cycle lines of the instruction in the unit. */
static void step_lines(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    for (uint32_t n = 0; n < sm->config->l1.tags_per_cycle && u->next_line < u->lines.n; n++) {
        const line_access_t *a = &u->lines.line[u->next_line];
        l1_result_t r = u->absent ? l1_absent_load(sm, a, now) : l1_access(sm, a, now);
        if (r != (l1_result_t)u->stalled) {
            lsu_charge(sm, now);
            u->stalled = (uint8_t)r;
        }
        if (r != L1_DONE) {
            u->retry = write_back_next(sm, now); /* else lsu_kick() sets it */
            return;
        }
        u->next_line++;
        u->absent = false;
    }
    if (u->next_line < u->lines.n) {
        uint32_t ahead = u->next_line + PREFETCH_LINES;
        lines_prefetch(sm, ahead - sm->config->l1.tags_per_cycle, ahead);
        u->retry = now + 1;
        return;
    }
    finish_global(sm, now);
}

/* Cycles from issue until the sources of an instruction have been read, if it does not wait. A
 * store's data use the return path, at its width, and are not read before acceptance. (Huerta 2025,
 * table 2.) */
ALWAYS_INLINE uint32_t source_latency(const sm_t *sm, const inst_t *inst)
{
    const sm_spec_t *spec = &sm->config->sm;
    bool store =
        inst->access == ACC_STORE || inst->access == ACC_ATOMIC || inst->access == ACC_REDUCTION;
    uint32_t latency = spec->mem_read_latency + mem_queue_address_extra(sm, inst);
    if (inst->flags & INST_TO_SHARED) /* a second address */
        return latency + spec->copy_read_extra;
    return store ? latency + spec->store_read_extra + return_extra(sm, inst) : latency;
}

/* Starts an accepted instruction: its registers are read and it enters its unit. */
ALWAYS_INLINE void begin(sm_t *sm, cycle_t now)
{
    const sm_spec_t *spec = &sm->config->sm;
    const mem_entry_t *e = &sm->memory.lsu.cur;
    uint32_t read_latency = source_latency(sm, e->inst);
    read_latency -= read_latency < spec->mem_issue_latency ? read_latency : spec->mem_issue_latency;
    sm_sources_read(sm, e->warp, e->inst, now + read_latency, now);
    mem_space_t space = resolve_space(sm, e);
    switch (e->inst->cls) {
    case OP_S2R:
    case OP_SHFL:
    case OP_MATCH:
        step_fixed(sm, e, now);
        return;
    case OP_TEX:
        if (e->addr != NULL)
            break;
        texture_occupy(sm, sm->config->sm.tex_interval, now);
        step_fixed(sm, e, now);
        return;
    default:
        break;
    }
    if (space == MEM_SHARED) {
        shared_step(sm, e, now);
        return;
    }
    begin_global(sm, space, now);
    lines_prefetch(sm, 0, PREFETCH_LINES);
    step_lines(sm, now);
}

/* The end of a cycle in which the unit is idle. */
static inline void await_next(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    cycle_t free = cycle_max(now + 1, cycle_max(u->data_free, u->next_accept));
    u->retry = cycle_min(write_back_next(sm, now), cycle_max(free, mem_queue_next(sm)));
}

void lsu_step(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    u->retry = CYCLE_NEVER;
    write_back_some(sm, now);
    if (u->busy) {
        step_lines(sm, now);
        if (u->busy)
            return;
    }
    if (cycle_max(u->data_free, u->next_accept) <= now && mem_queue_accept(sm, now)) {
        begin(sm, now);
        if (u->busy)
            return;
    }
    await_next(sm, now);
}

/* The instruction in the unit, whose number is site, has looked up its lines from `first` on. */
static void note_step(sm_t *sm, uint32_t site, uint32_t first)
{
    const lsu_t *u = &sm->memory.lsu;
    profile_memory(sm, site);
    for (uint32_t i = first; i < u->next_line && u->cur.inst->access == ACC_LOAD; i++) {
        const mshr_t *m = l1_mshr_find(sm, cache_key_of(sm->memory.l1, u->lines.line[i].line));
        if (m != NULL)
            profile_line(sm, (uint32_t)(m - sm->memory.mshr), m->pending, site);
    }
}

/* The number of the instruction in the unit. */
static uint32_t current_site(const sm_t *sm)
{
    const mem_entry_t *cur = &sm->memory.lsu.cur;
    return profile_find(sm, cur->warp, cur->inst);
}

void lsu_step_profiled(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    u->retry = CYCLE_NEVER;
    write_back_some(sm, now);
    if (u->busy) {
        const uint32_t site = current_site(sm), first = u->next_line; /* its warp may end now */
        by_launch_warp(sm, u->cur.warp);
        profile_memory_of_launch(sm);
        step_lines(sm, now);
        note_step(sm, site, first);
        if (u->busy)
            return;
    }
    if (cycle_max(u->data_free, u->next_accept) <= now && mem_queue_accept(sm, now)) {
        const uint32_t site = current_site(sm);
        by_launch_warp(sm, u->cur.warp);
        profile_memory_of_launch(sm);
        sm->store_handle = profile_store_handle(sm, site);
        u->next_line = 0;
        profile_sources_read(sm, u->cur.warp, u->cur.inst);
        begin(sm, now);
        note_step(sm, site, 0);
        if (u->busy)
            return;
    }
    await_next(sm, now);
}

bool lsu_owed_is_possible(uint32_t load_owed)
{
    return load_owed < LOAD_CYCLE_PARTS;
}
