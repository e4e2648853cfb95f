/*
 * Memory instructions: the queue of each sub-core, the MIO that takes one instruction at a time
 * from them in turn, and the load/store unit with its tag and data stages.
 *
 * An instruction occupies the unit for max(bank passes, lines / tags per cycle, address cycles), a
 * load for l1.load_interval at least.
 * Latencies are issue to dependent issue, so the part before acceptance is taken off again.
 */
#include "sim/sm/sm_internal.h"

#include "sim/core/model_mem.h"

/* Part of a cycle in which l1.load_interval is counted. */
enum { LOAD_CYCLE_PARTS = 256 };

/* Host-side: lines of an instruction whose tags are fetched into the host's cache ahead, and of one
 * that goes on where a window of the engine begins. */
enum { PREFETCH_LINES = 8, PREFETCH_RESUMED = 6 };

void lsu_init(sm_t *sm)
{
    const sm_spec_t *spec = &sm->config->sm;
    for (uint32_t s = 0; s < sm->n_sub_cores; s++)
        sm->sub[s].queue = rb_model_calloc(spec->mem_queue, sizeof(mem_entry_t));
    sm->lsu.retry = CYCLE_NEVER;
    sm->lsu.path = divider_make(spec->return_bytes);
    sm->lsu.word_cycles = (uint32_t)divider_quotient_up(&sm->lsu.path, WARP_LANES * 4);
    sm->lsu.address_cycles = (WARP_LANES + spec->lsu_lanes - 1) / spec->lsu_lanes;
    sm->lsu.tags = divider_make(sm->config->l1.tags_per_cycle);
    sm->lsu.load_parts = (uint32_t)(sm->config->l1.load_interval * LOAD_CYCLE_PARTS + 0.5);
}

static void queue_set_free(sub_core_t *sub, cycle_t at)
{
    sub->free_at[PIPE_LG] = at;
    sub->free_at[PIPE_MIO] = at;
    sub->free_at[PIPE_TEX] = at;
    /* Not a register-file conflict: all of the wait is the queue's. */
    sub->free_base[PIPE_LG] = at;
    sub->free_base[PIPE_MIO] = at;
    sub->free_base[PIPE_TEX] = at;
}

static dep_kind_t inst_dep_kind(const sm_t *sm, const inst_t *inst)
{
    return (dep_kind_t)sm->cls[inst->cls].dep_kind;
}

void lsu_enqueue(sm_t *sm, uint32_t w, const inst_t *inst, uint32_t mask, const uint64_t *addr,
                 cycle_t now)
{
    const sm_spec_t *spec = &sm->config->sm;
    warp_t *warp = &sm->warp[w];
    sub_core_t *sub = &sm->sub[warp->sub_core];
    uint32_t behind = sub->q_head + sub->q_count;
    mem_entry_t *e = &sub->queue[behind < spec->mem_queue ? behind : behind - spec->mem_queue];
    RB_INVARIANT(sub->q_count < spec->mem_queue, "SM %u: memory queue overflows", sm->wiring.index);
    e->inst = inst;
    e->addr = addr;
    e->mask = mask;
    e->warp = (uint16_t)w;
    e->accept_from = now + spec->mem_issue_latency;
    if (++sub->q_count == spec->mem_queue)
        queue_set_free(sub, CYCLE_NEVER);
    else if (sub->q_count + 1 == spec->mem_queue && sub->q_leaves > now)
        queue_set_free(sub, sub->q_leaves);
    warp->loads++;
    if (addr != NULL && addr_form(addr) != ADDR_AFFINE) {
        enum { CACHE_LINE_WORDS = 8 };
        for (size_t i = CACHE_LINE_WORDS; i < addr_words(addr); i += CACHE_LINE_WORDS)
            __builtin_prefetch(addr + i);
    }
    if (!warp->control) {
        depend_set_pending(sm, w, inst, inst_dep_kind(sm, inst));
        depend_hold(sm, w, inst, inst_dep_kind(sm, inst));
    }
    if (!sm->lsu.busy) {
        cycle_t unit_free = cycle_max(sm->lsu.next_accept, sm->lsu.data_free);
        sm->lsu.retry = cycle_min(sm->lsu.retry, cycle_max(e->accept_from, unit_free));
    }
}

/* Cycles a result of the instruction's width takes longer than a 32-bit one on the return path. */
static uint32_t return_extra(const sm_t *sm, const inst_t *inst)
{
    uint32_t bytes = WARP_LANES * (inst->width < 4 ? 4u : inst->width);
    return (uint32_t)divider_quotient_up(&sm->lsu.path, bytes) - sm->lsu.word_cycles;
}

/* The unit is occupied by this instruction until data_free; the warp may go on. */
static void occupy(sm_t *sm, cycle_t now, cycle_t cycles)
{
    cycle_t busy = cycles < 1 ? 1 : cycles;
    sm->lsu.data_free = now + busy;
    sm->stats.l1_data_busy += busy;
}

/* Shuffles, special registers and texture: a fixed latency from acceptance on. */
static void step_fixed(sm_t *sm, const mem_entry_t *e, cycle_t now)
{
    cycle_t ready = now + sm->cls[e->inst->cls].latency - sm->config->sm.mem_issue_latency;
    sm->lsu.data_free = now + 1;
    if (recorded(sm, RETIRED_CLOCK) && e->inst->flags & INST_CLOCK)
        record_clock(sm, e->warp, e->inst, now);
    if (e->inst->cls == OP_TEX)
        sm->lsu.tex_free = now + sm->config->sm.tex_interval;
    l1_write_back(sm, e->warp, e->inst, lsu_issued(sm, e), ready, inst_dep_kind(sm, e->inst), now);
}

static void step_shared(sm_t *sm, const mem_entry_t *e, cycle_t now)
{
    const shared_spec_t *spec = &sm->config->shared;
    const inst_t *inst = e->inst;
    unsigned ideal = 1, passes = 1;
    lane_addrs_t lanes;
    if (e->addr != NULL) {
        coalesce_decode(e->addr, inst->width, &lanes);
        passes = coalesce_bank_passes(&lanes, e->mask, inst->width, spec->banks, &ideal);
    }
    sm->stats.shared_wavefronts += passes;
    sm->stats.shared_conflicts += passes - ideal;
    cycle_t latency =
        spec->latency + (passes - ideal) * spec->conflict_latency + (ideal > 2 ? ideal - 2 : 0);
    cycle_t busy = cycle_max((cycle_t)passes * spec->pass_cycles, sm->lsu.address_cycles);
    if (inst->access == ACC_ATOMIC || inst->access == ACC_REDUCTION) {
        unsigned conflict = e->addr != NULL ? coalesce_word_conflict(&lanes, inst->width) : 1;
        latency = spec->atomic_latency + (conflict - 1) * spec->atomic_conflict;
        busy += (conflict - 1) * (cycle_t)spec->atomic_conflict;
        sm->stats.shared_atomic_requests++;
    } else if (inst->access == ACC_STORE) {
        sm->stats.shared_store_requests++;
    } else {
        sm->stats.shared_load_requests++;
    }
    occupy(sm, now, busy);
    l1_write_back(sm, e->warp, inst, lsu_issued(sm, e),
                  now + latency - sm->config->sm.mem_issue_latency, DEP_SHORT, now);
}

static mem_space_t resolve_space(const sm_t *sm, const mem_entry_t *e)
{
    mem_space_t space = (mem_space_t)e->inst->space;
    if (space != MEM_GENERIC || e->addr == NULL)
        return space;
    const launch_ctx_t *launch = sm->block[sm->warp[e->warp].block].launch;
    return coalesce_generic_space(coalesce_first(e->addr), launch->shared_base, launch->local_base);
}

/* Local memory of the resident threads: one megabyte-strided region per warp slot of the chip. */
static uint64_t local_region(const sm_t *sm, uint32_t w)
{
    const uint64_t base = UINT64_C(1) << 61;
    enum { REGION_SHIFT = 29 }; /* 2^24 bytes per thread x 32 threads */
    return base + (((uint64_t)sm->wiring.index * SM_MAX_WARPS + w) << REGION_SHIFT);
}

static void count_request(sm_t *sm, const inst_t *inst, mem_space_t space)
{
    sm_stats_t *st = &sm->stats;
    bool local = space == MEM_LOCAL;
    switch (inst->access) {
    case ACC_LOAD:
        (*(local ? &st->local_load_requests : &st->global_load_requests))++;
        break;
    case ACC_STORE:
        (*(local ? &st->local_store_requests : &st->global_store_requests))++;
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
        sectors += (uint64_t)__builtin_popcount(c->line[i].sectors);
        lanes += c->line[i].lanes;
    }
    if (inst->access == ACC_LOAD)
        *(space == MEM_LOCAL ? &st->local_load_sectors : &st->global_load_sectors) += sectors;
    else if (inst->access == ACC_STORE)
        *(space == MEM_LOCAL ? &st->local_store_sectors : &st->global_store_sectors) += sectors;
    else
        st->atomic_lanes += lanes;
    st->l1_tags += c->n;
}

/* Whole cycles that a load takes at least; what is left of a cycle the next ones pay. */
static cycle_t load_cycles(lsu_t *u)
{
    uint32_t parts = u->load_parts + u->load_owed;
    u->load_owed = parts % LOAD_CYCLE_PARTS;
    return parts / LOAD_CYCLE_PARTS;
}

/* Works out lines, sectors and occupancy of the global or local instruction just accepted. */
static void begin_global(sm_t *sm, mem_space_t space, cycle_t now)
{
    lsu_t *u = &sm->lsu;
    const mem_entry_t *e = &u->cur;
    const l1_spec_t *spec = &sm->config->l1;
    coalesce_mode_t mode = e->inst->access == ACC_LOAD    ? COALESCE_LOAD
                           : e->inst->access == ACC_STORE ? COALESCE_STORE
                                                          : COALESCE_ATOMIC;
    u->busy = true;
    u->started = now;
    u->next_line = 0;
    u->load = NO_INDEX;
    u->absent = false;
    u->lines.n = 0;
    u->space = (uint8_t)space;
    u->extra = 0;
    cycle_t busy = sm->lsu.address_cycles;
    count_request(sm, e->inst, space);
    if (e->addr != NULL) {
        const launch_ctx_t *launch = sm->block[sm->warp[e->warp].block].launch;
        unsigned passes = 1, ideal = 1;
        lane_addrs_t lanes;
        coalesce_decode(e->addr, e->inst->width, &lanes);
        if (space == MEM_LOCAL) {
            coalesce_local(&lanes, e->mask, e->inst->width, mode, local_region(sm, e->warp),
                           launch->local_base, &u->lines);
        } else {
            passes = coalesce_bank_passes(&lanes, e->mask, e->inst->width, 32, &ideal);
            coalesce_lines(&lanes, e->inst->width, mode, &u->lines);
        }
        count_sectors(sm, e->inst, space, &u->lines);
        uint32_t tag_cycles = (uint32_t)divider_quotient_up(&u->tags, u->lines.n);
        busy = cycle_max(busy, cycle_max(passes, tag_cycles));
        u->extra = (uint32_t)(cycle_max(passes, tag_cycles) - cycle_min(ideal, passes));
    }
    if (e->inst->access == ACC_LOAD)
        busy = cycle_max(busy, load_cycles(u));
    if (spec->perfect)
        busy = 1;
    occupy(sm, now, busy);
}

/* The instruction in the unit has been through all its lines. */
static void finish_global(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->lsu;
    const inst_t *inst = u->cur.inst;
    u->busy = false;
    cycle_t hit = u->started + sm->config->l1.latency + u->extra + return_extra(sm, inst) -
                  sm->config->sm.mem_issue_latency;
    hit = cycle_max(hit, now + 1);
    if (u->load != NO_INDEX) {
        load_t *load = &sm->load[u->load];
        load->done = hit;
        if (load->remaining == 0)
            l1_load_finish(sm, u->load, hit, now);
        else
            load->complete = true;
    } else {
        l1_write_back(sm, u->cur.warp, inst, lsu_issued(sm, &u->cur), hit, DEP_LONG, now);
    }
}

void lsu_charge(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->lsu;
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

/* Host-side: brings the tags of lines [first, end) into the host's cache. */
static void lines_prefetch(const sm_t *sm, uint32_t first, uint32_t end)
{
    const lsu_t *u = &sm->lsu;
    for (uint32_t i = first; i < end && i < u->lines.n; i++)
        l1_prefetch_line(sm, u->lines.line[i].line);
}

void lsu_prefetch(const sm_t *sm)
{
    const lsu_t *u = &sm->lsu;
    if (u->busy)
        lines_prefetch(sm, u->next_line, u->next_line + PREFETCH_RESUMED);
}

/* Up to tags_per_cycle lines of the instruction in the unit. */
static void step_lines(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->lsu;
    for (uint32_t n = 0; n < sm->config->l1.tags_per_cycle && u->next_line < u->lines.n; n++) {
        const line_access_t *a = &u->lines.line[u->next_line];
        l1_result_t r = u->absent ? l1_absent_load(sm, a, now) : l1_access(sm, a, now);
        if (r != (l1_result_t)u->stalled) {
            lsu_charge(sm, now);
            u->stalled = (uint8_t)r;
        }
        if (r != L1_DONE) {
            u->retry = CYCLE_NEVER; /* lsu_kick() */
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

/* Cycles that the address of a global or local access is read longer than one of shared memory. */
static uint32_t address_extra(const sm_t *sm, const inst_t *inst)
{
    bool global = isa_class_pipe((op_class_t)inst->cls) == PIPE_LG;
    return global ? sm->config->sm.global_read_extra : 0;
}

/* From when on the oldest instruction of a queue may be taken. */
static cycle_t head_from(const sm_t *sm, const sub_core_t *sub)
{
    const mem_entry_t *head = &sub->queue[sub->q_head];
    cycle_t from = cycle_max(head->accept_from, sub->q_free);
    return head->inst->cls == OP_TEX ? cycle_max(from, sm->lsu.tex_free) : from;
}

/* Takes the oldest instruction of the next sub-core in turn that has one to give. */
static bool accept_next(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->lsu;
    uint32_t depth = sm->config->sm.mem_queue, next = u->turn;
    for (uint32_t i = 0; i < sm->n_sub_cores; i++) {
        uint32_t s = next;
        next = s + 1 == sm->n_sub_cores ? 0 : s + 1;
        sub_core_t *sub = &sm->sub[s];
        if (sub->q_count == 0 || head_from(sm, sub) > now)
            continue;
        u->cur = sub->queue[sub->q_head];
        sub->q_head = sub->q_head + 1 == depth ? 0 : sub->q_head + 1;
        /* Its place is free when its address has been read. */
        sub->q_leaves = now + address_extra(sm, u->cur.inst);
        if (sub->q_count-- == depth) {
            issue_charge(sm, sub, now);
            queue_set_free(sub, sub->q_leaves);
            sm->issue_next = cycle_min(sm->issue_next, sub->q_leaves);
        }
        /* Addresses of the next one are computed while this one waits for its turn, those of the
         * one after not before that. */
        cycle_t ready = cycle_max(u->cur.accept_from, sub->q_free);
        sub->q_free = cycle_max(ready, sub->q_taken) + sm->config->sm.mem_interval;
        sub->q_taken = now;
        u->turn = next;
        u->next_accept = now + sm->config->sm.mio_interval;
        return true;
    }
    return false;
}

/*
 * Cycles from issue until the sources of an instruction that need not wait have been read: those of
 * a store's data come over the same path as results go back, at its width. Not before it is
 * accepted. (Huerta 2025, table 2.)
 */
static uint32_t source_latency(const sm_t *sm, const inst_t *inst)
{
    const sm_spec_t *spec = &sm->config->sm;
    bool store =
        inst->access == ACC_STORE || inst->access == ACC_ATOMIC || inst->access == ACC_REDUCTION;
    uint32_t latency = spec->mem_read_latency + address_extra(sm, inst);
    return store ? latency + spec->store_read_extra + return_extra(sm, inst) : latency;
}

/* The instruction has been accepted: its registers are read, it enters its unit. */
static void begin(sm_t *sm, cycle_t now)
{
    const sm_spec_t *spec = &sm->config->sm;
    const mem_entry_t *e = &sm->lsu.cur;
    uint32_t read_latency = source_latency(sm, e->inst);
    read_latency -= read_latency < spec->mem_issue_latency ? read_latency : spec->mem_issue_latency;
    if (sm->warp[e->warp].control)
        control_sources_read(sm, e->warp, e->inst, now + read_latency, inst_dep_kind(sm, e->inst),
                             now);
    else
        depend_release(sm, e->warp, e->inst, now + read_latency, inst_dep_kind(sm, e->inst));
    warp_unpark(sm, e->warp, PARK_DEPEND, now);
    mem_space_t space = resolve_space(sm, e);
    switch (e->inst->cls) {
    case OP_S2R:
    case OP_SHFL:
    case OP_MATCH:
    case OP_TEX:
        step_fixed(sm, e, now);
        return;
    default:
        break;
    }
    if (space == MEM_SHARED) {
        step_shared(sm, e, now);
        return;
    }
    begin_global(sm, space, now);
    lines_prefetch(sm, 0, PREFETCH_LINES);
    step_lines(sm, now);
}

void lsu_step(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->lsu;
    u->retry = CYCLE_NEVER;
    if (u->busy) {
        step_lines(sm, now);
        if (u->busy)
            return;
    }
    if (cycle_max(u->data_free, u->next_accept) <= now && accept_next(sm, now)) {
        begin(sm, now);
        if (u->busy)
            return;
    }
    cycle_t free = cycle_max(now + 1, cycle_max(u->data_free, u->next_accept));
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        if (sm->sub[s].q_count > 0)
            u->retry = cycle_min(u->retry, cycle_max(free, head_from(sm, &sm->sub[s])));
    }
}

/* Does a miss that was decided on wait for what is still not there? Nothing but this unit takes
 * MSHRs or requests the line. */
static bool miss_stalled(const sm_t *sm)
{
    const lsu_t *u = &sm->lsu;
    if (!u->absent)
        return false;
    return sm->mshr_free == 0 ? u->stalled == L1_NO_MSHR
                              : u->stalled == L1_NO_QUEUE && l1_queue_full(sm);
}

void lsu_kick(sm_t *sm, cycle_t now)
{
    if (sm->lsu.stalled != L1_DONE && !miss_stalled(sm))
        sm->lsu.retry = cycle_min(sm->lsu.retry, now);
}

bool lsu_owed_is_possible(uint32_t load_owed)
{
    return load_owed < LOAD_CYCLE_PARTS;
}
