#include "frontend/input/macsim/macsim_block.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/log.h"

enum {
    RUN_MAX = UINT16_MAX,
    PROBE_RECORDS = 4096, /* records of the first warp examined to find the kind of tracer */
};

/* Limit of decoded bytes of a block: only files made to exhaust memory exceed it. */
static const size_t block_bytes_max = (size_t)8 << 30;

struct macsim_block {
    trace_block_t pub; /* first member */
    warp_stream_t warps[MACSIM_WARPS_MAX];
    size_t first_run[MACSIM_WARPS_MAX], first_word[MACSIM_WARPS_MAX];
    trace_run_t *runs; /* owned */
    size_t n_runs, cap_runs;
    uint64_t *words; /* owned: address records */
    size_t n_words, cap_words;
    macsim_block_t *next, **link; /* list of blocks handed out */
};

char *macsim_warp_path(const macsim_kernel_t *kernel, uint64_t wid)
{
    enum { NAME_BYTES = 48 };
    size_t n = strlen(kernel->folder) + NAME_BYTES;
    char *path = rb_calloc(n, 1);

    snprintf(path, n, "%s/trace_%" PRIu64 ".raw", kernel->folder, wid);
    return path;
}

/* --- accesses --------------------------------------------------------------------------------- */

static void begin_access(macsim_access_t *a, const macsim_record_t *record)
{
    a->first = *record;
    a->further_size = 0;
    a->flagged = false;
    a->n = 0;
    rb_grow(&a->addrs, &a->cap, 1, sizeof(a->addrs[0]));
    a->addrs[a->n++] = record->mem_addr;
}

static rb_code_t continue_access(macsim_access_t *a, const macsim_record_t *record, rb_err_t *err)
{
    if (a->n == MACSIM_RECORDS_MAX)
        return rb_fail(err, RB_TRACE, "more than %d records for one instruction",
                       MACSIM_RECORDS_MAX);
    if (a->n == 1) {
        a->further_size = record->mem_access_size;
        a->flagged = record->is_fp != 0;
    }
    rb_grow(&a->addrs, &a->cap, a->n + 1, sizeof(a->addrs[0]));
    a->addrs[a->n++] = record->mem_addr;
    return RB_OK;
}

/* --- the kind of tracer ----------------------------------------------------------------------- */

/* Examines the first warp: sets the base of the code, and whether single addresses are the first
 * lane's. */
static rb_code_t probe(macsim_blocks_t *b, macsim_reader_t *reader, uint64_t *base, rb_err_t *err)
{
    const macsim_record_t *record;
    macsim_access_t *a = &b->access;
    bool lines = false, first_lane = false;

    for (unsigned i = 0; i < PROBE_RECORDS; i++) {
        RB_TRY(macsim_reader_next(reader, &record, err));
        if (record == NULL)
            break;
        if (i == 0)
            *base = record->inst_addr;
        if (!macsim_has_address(record))
            continue;
        if (macsim_access_continues(a, record)) {
            lines |= record->is_fp != 0;
            RB_TRY(continue_access(a, record, err));
            continue;
        }
        first_lane |= macsim_access_is_first_lane(a);
        begin_access(a, record);
    }
    first_lane |= macsim_access_is_first_lane(a);
    a->n = 0;
    b->first_lane = first_lane && !lines;
    return RB_OK;
}

rb_code_t macsim_blocks_open(macsim_blocks_t *b, const macsim_kernel_t *kernel,
                             const launch_info_t *info, rb_err_t *err)
{
    uint64_t base = 0;

    *b = (macsim_blocks_t){.kernel = kernel, .info = *info};
    pthread_mutex_init(&b->lock, NULL);
    RB_TRY(macsim_warps_read(kernel, true, &b->warps, err));
    RB_TRY(macsim_warps_shape(&b->warps, kernel, &b->info, err));
    char *path = macsim_warp_path(kernel, b->warps.warps[0].wid);
    macsim_reader_t *reader = macsim_reader_open(path, err);
    rb_code_t code = reader != NULL ? probe(b, reader, &base, err) : RB_IO;

    macsim_reader_close(reader);
    free(path);
    macsim_code_init(&b->code, base, info->arch);
    return code;
}

static void free_block(macsim_block_t *block)
{
    free(block->runs);
    free(block->words);
    free(block);
}

void macsim_blocks_free(macsim_blocks_t *b)
{
    while (b->out != NULL) {
        macsim_block_t *block = b->out;

        b->out = block->next;
        free_block(block);
    }
    pthread_mutex_destroy(&b->lock);
    macsim_warps_free(&b->warps);
    macsim_code_free(&b->code);
    free(b->access.addrs);
}

/* --- instructions ----------------------------------------------------------------------------- */

/* Appends an instruction to the block; continues the last run of the warp if possible. */
static void append_inst(macsim_block_t *block, size_t first_run, const inst_t *inst, uint32_t mask)
{
    if (block->n_runs > first_run) {
        trace_run_t *run = &block->runs[block->n_runs - 1];

        if (run->first + run->count == inst && run->mask == mask && run->count < RUN_MAX) {
            run->count++;
            return;
        }
    }
    rb_grow(&block->runs, &block->cap_runs, block->n_runs + 1, sizeof(block->runs[0]));
    block->runs[block->n_runs++] = (trace_run_t){.first = inst, .mask = mask, .count = 1};
}

/* A warp being read. */
typedef struct {
    macsim_block_t *block;
    macsim_reader_t *reader;
    size_t first_run;
    uint32_t last; /* number of the previous instruction */
    uint64_t n_insts;
} reading_t;

/* Finishes an instruction whose records have all been read. */
static rb_code_t finish_inst(macsim_blocks_t *b, reading_t *w, rb_err_t *err)
{
    macsim_access_t *a = &b->access;
    macsim_block_t *block = w->block;
    unsigned width = macsim_has_address(&a->first) ? macsim_access_width(a) : 0;

    RB_TRY(macsim_code_find(&b->code, &a->first, width, w->last + 1, &w->last, err));
    const inst_t *inst = b->code.entries[w->last].inst;
    uint32_t mask = a->first.active_mask;

    if (inst->space != MEM_NONE && inst->width != 0 && mask != 0) {
        uint64_t addr[32];

        macsim_access_lanes(a, width, b->first_lane, addr);
        rb_grow(&block->words, &block->cap_words, block->n_words + ADDR_RECORD_MAX,
                sizeof(block->words[0]));
        block->n_words +=
            addr_pack(addr, (unsigned)__builtin_popcount(mask), block->words + block->n_words);
    }
    append_inst(block, w->first_run, inst, mask);
    w->n_insts++;
    if (block->n_runs * sizeof(block->runs[0]) + block->n_words * sizeof(block->words[0]) >
        block_bytes_max)
        return rb_fail(err, RB_TRACE, "the block is larger than 8 GiB");
    return RB_OK;
}

static rb_code_t take_record(macsim_blocks_t *b, reading_t *w, const macsim_record_t *record,
                             rb_err_t *err)
{
    macsim_access_t *a = &b->access;
    bool address = macsim_has_address(record);

    if (address && macsim_access_continues(a, record))
        return continue_access(a, record, err);
    if (address && record->is_fp)
        return rb_fail(err, RB_TRACE,
                       "a further line of an instruction other than the previous one");
    if (a->n > 0)
        RB_TRY(finish_inst(b, w, err));
    begin_access(a, record);
    return RB_OK;
}

static rb_code_t read_records(macsim_blocks_t *b, reading_t *w, uint64_t announced, rb_err_t *err)
{
    for (;;) {
        const macsim_record_t *record;

        RB_TRY(macsim_reader_next(w->reader, &record, err));
        if (record == NULL)
            break;
        if (macsim_reader_count(w->reader) > announced)
            return rb_fail(err, RB_TRACE,
                           "more than the %" PRIu64 " records that trace_info.txt announces",
                           announced);
        RB_TRY(take_record(b, w, record, err));
    }
    if (macsim_reader_count(w->reader) < announced)
        return rb_fail(err, RB_TRACE,
                       "the file ends, but trace_info.txt announces %" PRIu64 " records",
                       announced);
    return b->access.n > 0 ? finish_inst(b, w, err) : RB_OK;
}

/* Adds the place in the file, unless the message has it. */
static rb_code_t fail_at(const reading_t *w, const char *path, const rb_err_t *why, rb_err_t *err)
{
    if (strncmp(why->text, path, strlen(path)) == 0)
        return rb_fail(err, why->code, "%s", why->text);
    return rb_fail(err, why->code, "%s: record %" PRIu64 ": %s", path,
                   macsim_reader_count(w->reader), why->text);
}

static rb_code_t read_warp(macsim_blocks_t *b, macsim_block_t *block, const macsim_warp_t *warp,
                           unsigned place, rb_err_t *err)
{
    char *path = macsim_warp_path(b->kernel, warp->wid);
    rb_err_t why = {0};
    reading_t w = {.block = block,
                   .reader = macsim_reader_open(path, err),
                   .first_run = block->n_runs,
                   .last = UINT32_MAX - 1};
    rb_code_t code = RB_IO;

    block->first_run[place] = block->n_runs;
    block->first_word[place] = block->n_words;
    b->access.n = 0;
    if (w.reader != NULL) {
        code = read_records(b, &w, warp->records, &why);
        if (code != RB_OK)
            code = fail_at(&w, path, &why, err);
    }
    size_t runs = block->n_runs - w.first_run, words = block->n_words - block->first_word[place];

    if (code == RB_OK && (runs > UINT32_MAX || words > UINT32_MAX))
        code = rb_fail(err, RB_TRACE, "%s: the warp is too long", path);
    block->warps[place] = (warp_stream_t){
        .n_runs = (uint32_t)runs, .n_addr_words = (uint32_t)words, .n_insts = w.n_insts};
    block->pub.n_insts += w.n_insts;
    macsim_reader_close(w.reader);
    free(path);
    return code;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void start_block(const macsim_blocks_t *b, macsim_block_t *block, uint64_t index)
{
    const uint32_t *grid = b->info.grid, *dim = b->info.block;
    uint64_t number = b->warps.blocks[index].number;

    block->pub.index = index;
    block->pub.id[0] = (uint32_t)(number % grid[0]);
    block->pub.id[1] = (uint32_t)(number / grid[0] % grid[1]);
    block->pub.id[2] = (uint32_t)(number / grid[0] / grid[1]);
    block->pub.n_warps = (dim[0] * dim[1] * dim[2] + 31) / 32;
    block->pub.warps = block->warps;
}

/* Sets the pointers of the block: runs and words no longer move. */
static void finish_block(macsim_block_t *block)
{
    for (unsigned w = 0; w < block->pub.n_warps; w++) {
        if (block->warps[w].n_runs == 0)
            continue;
        block->warps[w].runs = block->runs + block->first_run[w];
        block->warps[w].addrs = block->words != NULL ? block->words + block->first_word[w] : NULL;
    }
}

/* Warns once, at the end: a trace may hold only part of a launch, but the user should know. */
static void warn_missing(macsim_blocks_t *b)
{
    if (b->warps.n_blocks < b->info.n_blocks && !b->told_missing)
        rb_warn("%s: %" PRIu64 " of the grid's %" PRIu64
                " thread blocks are not in the trace; only the others are simulated",
                b->kernel->trace, b->info.n_blocks - b->warps.n_blocks, b->info.n_blocks);
    b->told_missing = true;
}

static void hand_out(macsim_blocks_t *b, macsim_block_t *block)
{
    pthread_mutex_lock(&b->lock);
    block->next = b->out;
    block->link = &b->out;
    if (b->out != NULL)
        b->out->link = &block->next;
    b->out = block;
    pthread_mutex_unlock(&b->lock);
}

rb_code_t macsim_blocks_get(macsim_blocks_t *b, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    rb_code_t code = RB_OK;

    *out = NULL;
    if (index >= b->warps.n_blocks) {
        warn_missing(b);
        return RB_OK;
    }
    const macsim_stored_block_t *stored = &b->warps.blocks[index];
    macsim_block_t *block = rb_calloc(1, sizeof(*block));

    start_block(b, block, index);
    for (unsigned i = 0; i < stored->n_warps && code == RB_OK; i++)
        code = read_warp(b, block, &b->warps.warps[stored->first + i],
                         macsim_warps_place(&b->warps, stored, i, block->pub.n_warps), err);
    if (code != RB_OK) {
        free_block(block);
        return code;
    }
    finish_block(block);
    hand_out(b, block);
    *out = &block->pub;
    return RB_OK;
}

void macsim_blocks_give_back(macsim_blocks_t *b, trace_block_t *pub)
{
    macsim_block_t *block = (macsim_block_t *)(void *)pub;

    if (block == NULL)
        return;
    pthread_mutex_lock(&b->lock);
    *block->link = block->next;
    if (block->next != NULL)
        block->next->link = block->link;
    pthread_mutex_unlock(&b->lock);
    free_block(block);
}
