#include "sim/gpu/touch_walk.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/sm/memory/coalesce.h"

/* Sizes of the filters that skip repeated accesses of a block: lines of code, lines of data; and
 * accesses of a batch, which has room for one more instruction. */
enum { CODE_LINES = 64, RECENT_LINES = 256, BATCH = 4096, BATCH_ROOM = BATCH + COALESCE_MAX_LINES };

enum { ALL_SECTORS = (1 << SECTORS_PER_LINE) - 1 };

typedef struct {
    launch_info_t info;
    uint64_t code_base;
    const touch_consumer_t *consumer;
    touch_batch_t batch;
    touch_access_t *access;              /* owned */
    uint32_t (*bytes)[SECTORS_PER_LINE]; /* owned */
    uint32_t n_bytes;
    /* Direct-mapped: lines of code that the block touched. */
    uint64_t code_line[CODE_LINES];
    /* Direct-mapped: lines of data that it touched, with the sectors read and those written
     * completely. */
    struct {
        uint64_t line;
        uint8_t read, written;
    } recent[RECENT_LINES];
} walk_t;

static void hand_over(walk_t *w)
{
    w->consumer->take(w->consumer->ctx, &w->batch);
    w->batch.n = 0;
    w->batch.counts = (touch_counts_t){0};
    w->n_bytes = 0;
}

/* The next access of the batch. There is room for all lines of an instruction. */
static touch_access_t *next_access(walk_t *w)
{
    return &w->access[w->batch.n++];
}

static void make_room(walk_t *w)
{
    if (w->batch.n >= BATCH)
        hand_over(w);
}

/* Touches the code lines of a run. */
static void touch_code(walk_t *w, const trace_run_t *run)
{
    const uint64_t mask = ~(uint64_t)(LINE_BYTES - 1);
    const uint64_t last = (w->code_base + run->first[run->count - 1].pc) & mask;
    uint64_t line = (w->code_base + run->first->pc) & mask;
    for (; line <= last; line += LINE_BYTES) {
        uint64_t *seen = &w->code_line[line / LINE_BYTES % CODE_LINES];
        if (*seen == line)
            continue;
        *seen = line;
        make_room(w);
        *next_access(w) =
            (touch_access_t){.line = line, .kind = TOUCH_CODE, .sectors = ALL_SECTORS};
    }
}

/* Whether the block has just read, or written completely, the same sectors: then the L2 does not
 * change. */
static bool is_repeat(walk_t *w, touch_kind_t kind, const line_access_t *a)
{
    const uint64_t at = a->line / LINE_BYTES;
    const size_t place = (at ^ at / RECENT_LINES) % RECENT_LINES;
    const bool write = kind != TOUCH_READ;
    if (w->recent[place].line != a->line) {
        w->recent[place].line = a->line;
        w->recent[place].read = w->recent[place].written = 0;
    }
    uint8_t *before = write ? &w->recent[place].written : &w->recent[place].read;
    const bool repeat = kind != TOUCH_ATOMIC && (a->sectors & ~*before) == 0;
    *before |= write ? a->full : a->sectors;
    return repeat;
}

static void touch_line(walk_t *w, touch_kind_t kind, const line_access_t *a)
{
    touch_counts_t *counts = &w->batch.counts;
    counts->requests++;
    if (is_repeat(w, kind, a)) {
        uint64_t *repeated =
            kind == TOUCH_WRITE ? &counts->repeated_writes : &counts->repeated_reads;
        *repeated += (unsigned)__builtin_popcount(a->sectors);
        return;
    }
    *next_access(w) = (touch_access_t){.line = a->line,
                                       .kind = (uint8_t)kind,
                                       .sectors = a->sectors,
                                       .full = a->full,
                                       .bytes = w->n_bytes};
    if (kind != TOUCH_READ)
        memcpy(w->bytes[w->n_bytes++], a->bytes, sizeof(a->bytes));
}

static void touch_lines(walk_t *w, const inst_t *inst, const uint64_t *rec)
{
    const mem_access_t access = (mem_access_t)inst->access;
    const bool atomic = access == ACC_ATOMIC || access == ACC_REDUCTION;
    const coalesce_mode_t mode = access == ACC_LOAD ? COALESCE_LOAD
                                 : atomic           ? COALESCE_ATOMIC
                                                    : COALESCE_STORE;
    const touch_kind_t kind = access == ACC_LOAD ? TOUCH_READ : atomic ? TOUCH_ATOMIC : TOUCH_WRITE;
    lane_addrs_t lanes;
    coalesced_t c;
    make_room(w);
    coalesce_decode(rec, inst->width, &lanes);
    coalesce_lines(&lanes, inst->width, mode, &c);
    for (uint32_t i = 0; i < c.n; i++)
        touch_line(w, kind, &c.line[i]);
}

static void touch_warp(walk_t *w, const warp_stream_t *warp)
{
    const uint64_t *rec = warp->addrs;
    for (uint32_t r = 0; r < warp->n_runs; r++) {
        const trace_run_t *run = &warp->runs[r];
        touch_code(w, run);
        for (uint32_t i = 0; i < run->count; i++) {
            const inst_t *inst = run->first + i;
            if (run->mask == 0 || inst->space == MEM_NONE || inst->width == 0)
                continue;
            mem_space_t space = (mem_space_t)inst->space;
            if (space == MEM_GENERIC)
                space = coalesce_generic_space(coalesce_first(rec), w->info.shared_base,
                                               w->info.local_base);
            if (space == MEM_GLOBAL)
                touch_lines(w, inst, rec);
            rec += addr_words(rec);
        }
    }
}

static void touch_block(walk_t *w, const trace_block_t *block)
{
    w->batch.block = block->index;
    memset(w->code_line, 0xff, sizeof(w->code_line)); /* no line */
    memset(w->recent, 0, sizeof(w->recent));
    for (uint32_t i = 0; i < block->n_warps; i++)
        touch_warp(w, &block->warps[i]);
    w->batch.counts.warp_insts = block->n_insts;
    hand_over(w);
}

static rb_code_t walk_blocks(walk_t *w, const trace_source_ops_t *ops, trace_launch_t *launch,
                             uint64_t first, uint64_t end, rb_err_t *err)
{
    for (uint64_t index = first; index < end; index++) {
        trace_block_t *block = NULL;
        RB_TRY(ops->get_block(launch, index, &block, err));
        if (block == NULL)
            return RB_OK;
        touch_block(w, block);
        ops->free_block(launch, block);
    }
    return RB_OK;
}

rb_code_t touch_walk(trace_source_t *source, uint64_t id, uint64_t first, uint64_t end,
                     uint64_t code_base, const touch_consumer_t *consumer, rb_err_t *err)
{
    trace_launch_t *launch;
    launch_info_t info;
    RB_TRY(source->ops->launch_info(source, id, &info, err));
    RB_TRY(source->ops->open(source, id, &launch, err));
    walk_t *w = rb_calloc(1, sizeof(*w));
    *w = (walk_t){.info = info, .code_base = code_base, .consumer = consumer};
    w->access = rb_calloc(BATCH_ROOM, sizeof(*w->access));
    w->bytes = rb_calloc(BATCH_ROOM, sizeof(*w->bytes));
    w->batch.access = w->access;
    w->batch.bytes = (const uint32_t(*)[SECTORS_PER_LINE])w->bytes;
    rb_code_t rc = walk_blocks(w, source->ops, launch, first, end, err);
    free(w->access);
    free(w->bytes);
    free(w);
    source->ops->close(launch);
    return rc;
}
