/*
 * State of the L2 before a launch: host copies, and what launches that are not simulated would have
 * left there. Blocks that a sampler left out of a launch are applied in the same way.
 *
 * A launch is applied to the tags block by block in stored order, and within a block warp by warp:
 * how warps interleave is not known without time. It leaves out local memory, whose lines nobody
 * reads after the launch, and the L1, which only hides repeated reads of lines that are in the L2
 * anyway. Global accesses are also translated; since the SM is not known, all SMs get the
 * translations into their second-level TLB.
 */
#include <string.h>

#include "sim/gpu/gpu_internal.h"
#include "sim/sm/memory/coalesce.h"

void gpu_flush_l2(gpu_t *g)
{
    for (uint32_t p = 0; p < g->n_partitions; p++)
        partition_flush_l2(g->partition[p]);
}

uint64_t gpu_take_copies(gpu_t *g, const memcpy_op_t *ops, size_t n, uint64_t *bytes)
{
    uint64_t left = 0;
    for (size_t i = 0; i < n; i++) {
        *bytes += ops[i].bytes;
        if (!g->spec.gpu.memcpy_fills_l2)
            continue;
        for (uint32_t p = 0; p < g->n_partitions; p++)
            left += partition_memcpy(g->partition[p], ops[i].addr, ops[i].bytes);
    }
    return left;
}

/* Matches no entry address. */
#define NO_ENTRY UINT64_MAX

/* Sizes of the filters that skip repeated accesses of a block: lines of code, lines of data. */
enum { CODE_LINES = 64, RECENT_LINES = 256 };

/* A launch whose accesses are applied. */
typedef struct {
    gpu_t *g;
    launch_info_t info;
    uint64_t code_base;
    /* Direct-mapped: lines of code that the block touched. */
    uint64_t code_line[CODE_LINES];
    /* Direct-mapped: lines of data that it touched, with the sectors read and those written
     * completely. */
    struct {
        uint64_t line;
        uint8_t read, written;
    } recent[RECENT_LINES];
    l2_warmed_t warmed;
    cache_t *taught; /* owned; translations that the SMs have got from it */
    uint64_t entry;  /* entry of the last line */
} passage_t;

/* Makes the translation of a line known to the MMU and the SMs. */
static void touch_entry(passage_t *p, uint64_t line)
{
    gpu_t *g = p->g;
    const uint64_t entry = line & ~(g->spec.sm.tlb.l2_page - 1);
    if (entry == p->entry)
        return;
    p->entry = entry;
    if (cache_use(p->taught, entry))
        return;
    mmu_learn(g->mmu, entry);
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_learn(g->sm[i], entry);
}

static void touch_line(passage_t *p, uint64_t line, const l2_touch_t *touch)
{
    gpu_t *g = p->g;
    uint32_t slice = addr_map_slice(&g->map, line);
    partition_t *partition = g->partition[slice / g->map.slices_per_partition];
    partition_warm_l2(partition, slice, line, touch, &p->warmed);
}

/* Touches the code lines of a run. */
static void touch_code(passage_t *p, const trace_run_t *run)
{
    static const l2_touch_t whole = {.sectors = (1u << SECTORS_PER_LINE) - 1, .read = true};
    const uint64_t mask = ~(uint64_t)(LINE_BYTES - 1);
    uint64_t last = (p->code_base + run->first[run->count - 1].pc) & mask;
    for (uint64_t line = (p->code_base + run->first->pc) & mask; line <= last; line += LINE_BYTES) {
        uint64_t *seen = &p->code_line[line / LINE_BYTES % CODE_LINES];
        if (*seen != line)
            touch_line(p, line, &whole);
        *seen = line;
    }
}

/* Whether the block has just read, or written completely, the same sectors: then the L2 does not
 * change. */
static bool is_repeat(passage_t *p, uint64_t line, const l2_touch_t *touch)
{
    const uint64_t at = line / LINE_BYTES;
    const size_t place = (at ^ at / RECENT_LINES) % RECENT_LINES;
    if (p->recent[place].line != line) {
        p->recent[place].line = line;
        p->recent[place].read = p->recent[place].written = 0;
    }
    uint8_t *before = touch->write ? &p->recent[place].written : &p->recent[place].read;
    const uint8_t sectors = touch->write ? touch->full : touch->sectors;
    const bool repeat = !(touch->read && touch->write) && (touch->sectors & ~*before) == 0;
    *before |= sectors;
    return repeat;
}

static void touch_lines(passage_t *p, const inst_t *inst, const uint64_t *rec)
{
    const mem_access_t access = (mem_access_t)inst->access;
    const bool atomic = access == ACC_ATOMIC || access == ACC_REDUCTION;
    const coalesce_mode_t mode = access == ACC_LOAD ? COALESCE_LOAD
                                 : atomic           ? COALESCE_ATOMIC
                                                    : COALESCE_STORE;
    lane_addrs_t lanes;
    coalesced_t c;
    coalesce_decode(rec, inst->width, &lanes);
    coalesce_lines(&lanes, inst->width, mode, &c);
    for (uint32_t i = 0; i < c.n; i++) {
        const line_access_t *a = &c.line[i];
        const l2_touch_t touch = {.sectors = a->sectors,
                                  .full = a->full,
                                  .read = access == ACC_LOAD || atomic,
                                  .write = access == ACC_STORE || atomic,
                                  .bytes = a->bytes};
        if (is_repeat(p, a->line, &touch))
            continue;
        touch_line(p, a->line, &touch);
        touch_entry(p, a->line);
    }
}

static void touch_warp(passage_t *p, const warp_stream_t *warp)
{
    const uint64_t *rec = warp->addrs;
    for (uint32_t r = 0; r < warp->n_runs; r++) {
        const trace_run_t *run = &warp->runs[r];
        touch_code(p, run);
        for (uint32_t i = 0; i < run->count; i++) {
            const inst_t *inst = run->first + i;
            if (run->mask == 0 || inst->space == MEM_NONE || inst->width == 0)
                continue;
            mem_space_t space = (mem_space_t)inst->space;
            if (space == MEM_GENERIC)
                space = coalesce_generic_space(coalesce_first(rec), p->info.shared_base,
                                               p->info.local_base);
            if (space == MEM_GLOBAL)
                touch_lines(p, inst, rec);
            rec += addr_words(rec);
        }
    }
}

static rb_code_t touch_blocks(passage_t *p, const trace_source_ops_t *ops, trace_launch_t *launch,
                              uint64_t first, uint64_t end, rb_err_t *err)
{
    for (uint64_t index = first; index < end; index++) {
        trace_block_t *block = NULL;
        RB_TRY(ops->get_block(launch, index, &block, err));
        if (block == NULL)
            return RB_OK;
        memset(p->code_line, 0xff, sizeof(p->code_line)); /* no line */
        memset(p->recent, 0, sizeof(p->recent));
        for (uint32_t w = 0; w < block->n_warps; w++)
            touch_warp(p, &block->warps[w]);
        ops->free_block(launch, block);
    }
    return RB_OK;
}

rb_code_t gpu_warm_blocks(gpu_t *g, trace_source_t *source, uint64_t id, uint64_t first,
                          uint64_t end, l2_warmed_t *warmed, rb_err_t *err)
{
    passage_t p = {.g = g, .entry = NO_ENTRY};
    trace_launch_t *launch;
    RB_TRY(source->ops->launch_info(source, id, &p.info, err));
    p.code_base = gpu_code_base(g, p.info.code_id);
    RB_TRY(source->ops->open(source, id, &launch, err));
    p.taught = cache_create(1, g->spec.sm.tlb.l2_entries, (uint32_t)g->spec.sm.tlb.l2_page,
                            REPLACEMENT_LRU, false, false);
    rb_code_t rc = touch_blocks(&p, source->ops, launch, first, end, err);
    cache_destroy(p.taught);
    source->ops->close(launch);
    *warmed = p.warmed;
    return rc;
}

static rb_code_t pass_launch(gpu_t *g, trace_source_t *source, uint64_t id, rb_err_t *err)
{
    const memcpy_op_t *copies;
    uint64_t bytes = 0;
    l2_warmed_t ignored;
    size_t n = source->ops->copies(source, id, &copies);
    gpu_take_copies(g, copies, n, &bytes);
    return gpu_warm_blocks(g, source, id, 0, UINT64_MAX, &ignored, err);
}

rb_code_t gpu_warm_up(gpu_t *g, trace_source_t *source, uint64_t id, rb_err_t *err)
{
    const uint64_t reach = g->spec.warmup.launches;
    gpu_flush_l2(g);
    for (uint64_t k = id > reach ? id - reach : 1; k < id; k++)
        RB_TRY(pass_launch(g, source, k, err));
    return RB_OK;
}
