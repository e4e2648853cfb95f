#include "frontend/accelsim/accelsim_block.h"

#include <inttypes.h>
#include <stdlib.h>

#include "frontend/accelsim/accelsim_addr.h"
#include "frontend/accelsim/accelsim_text.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

enum { RUN_MAX = UINT16_MAX, INSTS_MAX_LOG2 = 40 };

static const unsigned IDS_BEFORE_VERSION_3 = 4;

/* A block with the memory behind it; given back and used again. */
struct accelsim_block {
    trace_block_t pub; /* first member */
    warp_stream_t warps[BLOCK_WARPS_MAX];
    size_t first_run[BLOCK_WARPS_MAX], first_word[BLOCK_WARPS_MAX];
    bool present[BLOCK_WARPS_MAX];
    trace_run_t *runs; /* owned */
    size_t n_runs, cap_runs;
    uint64_t *words; /* owned: address records */
    size_t n_words, cap_words;
    accelsim_block_t *next;      /* in the pool */
    accelsim_block_t *next_made; /* among all blocks of the launch */
};

/* --- the pool -------------------------------------------------------------------------------- */

static accelsim_block_t *take_block(block_pool_t *pool)
{
    pthread_mutex_lock(&pool->lock);
    accelsim_block_t *b = pool->first;

    if (b != NULL) {
        pool->first = b->next;
    } else {
        b = rb_calloc(1, sizeof(*b));
        b->next_made = pool->made;
        pool->made = b;
    }
    pthread_mutex_unlock(&pool->lock);
    return b;
}

static void put_block(block_pool_t *pool, accelsim_block_t *b)
{
    pthread_mutex_lock(&pool->lock);
    b->next = pool->first;
    pool->first = b;
    pthread_mutex_unlock(&pool->lock);
}

void block_reader_give_back(block_reader_t *r, trace_block_t *b)
{
    if (b != NULL)
        put_block(&r->pool, (accelsim_block_t *)(void *)b);
}

void block_reader_init(block_reader_t *r, accelsim_lines_t *lines, const accelsim_header_t *header)
{
    *r = (block_reader_t){.lines = lines, .header = header, .info = &header->info};
    pthread_mutex_init(&r->pool.lock, NULL);
}

void block_reader_start(block_reader_t *r, const accelsim_machine_t *machine)
{
    accelsim_code_init(&r->code, r->header->info.arch, r->header->version);
    if (machine != NULL) {
        r->code.machine = machine->find(machine->ctx, r->header->name, r->header->info.arch);
        r->code.complete = machine->complete;
    }
    r->source_line = CODE_NO_LINE;
    r->prefix = r->header->line_info;
    if (!r->header->raw && r->header->version < 3)
        r->prefix += IDS_BEFORE_VERSION_3;
}

void block_reader_free(block_reader_t *r)
{
    while (r->pool.made != NULL) {
        accelsim_block_t *b = r->pool.made;

        r->pool.made = b->next_made;
        free(b->runs);
        free(b->words);
        free(b);
    }
    pthread_mutex_destroy(&r->pool.lock);
    accelsim_code_free(&r->code);
    accelsim_seen_free(&r->seen);
}

/* --- instructions ---------------------------------------------------------------------------- */

/* Grows the block by an instruction; continues the last run of the warp where it can. */
static inline void append_inst(accelsim_block_t *b, size_t first_run, const inst_t *inst,
                               uint32_t mask)
{
    if (__builtin_expect(b->n_runs > first_run, 1)) {
        trace_run_t *run = &b->runs[b->n_runs - 1];

        if (run->first + run->count == inst && run->mask == mask && run->count < RUN_MAX) {
            run->count++;
            return;
        }
    }
    if (b->n_runs == b->cap_runs)
        rb_grow(&b->runs, &b->cap_runs, b->n_runs + 1, sizeof(b->runs[0]));
    b->runs[b->n_runs++] = (trace_run_t){.first = inst, .mask = mask, .count = 1};
}

/* Numbers before the pc; in files that we grouped, first that of the line in the raw file. */
static rb_code_t read_prefix(block_reader_t *r, const char **p, rb_err_t *err)
{
    uint64_t value = CODE_NO_LINE;

    if (r->header->raw) {
        if (!text_u64(p, &r->lines->line))
            return accelsim_lines_fail(r->lines, err, "the grouped text is damaged");
        *p = text_skip_blanks(*p);
    }
    for (unsigned i = 0; i < r->prefix; i++) {
        *p = text_skip_blanks(*p);
        if (!text_u64(p, &value) || !text_is_blank(**p))
            return accelsim_lines_fail(r->lines, err,
                                       "%u numbers are expected before the pc (block, warp or "
                                       "source line, as the header's version says)",
                                       r->prefix);
    }
    if (r->header->line_info)
        r->source_line = value;
    *p = text_skip_blanks(*p);
    return RB_OK;
}

/* Eight digits in most files; the loop reads any. */
static inline bool read_mask(const char **p, uint32_t *mask)
{
    uint64_t value;

    if (memcmp(*p, "ffffffff ", 9) == 0) {
        *p += 8;
        *mask = UINT32_MAX;
        return true;
    }
    if (!text_hex(p, 8, &value))
        return false;
    *mask = (uint32_t)value;
    return true;
}

/* Whether the text at p begins as entry e says. */
static inline bool entry_matches(const block_reader_t *r, const code_entry_t *e, const char *p)
{
    return (size_t)(r->lines->limit - p) >= e->len && memcmp(p, e->text, e->len) == 0;
}

static rb_code_t read_addresses(block_reader_t *r, accelsim_block_t *b, const code_entry_t *e,
                                uint32_t mask, const char **p, rb_err_t *err)
{
    unsigned lanes = (unsigned)__builtin_popcount(mask);
    uint64_t unused[ADDR_RECORD_MAX], *rec = unused;
    size_t words;

    if (e->has_record) {
        if (b->cap_words - b->n_words < ADDR_RECORD_MAX)
            rb_grow(&b->words, &b->cap_words, b->n_words + ADDR_RECORD_MAX, sizeof(b->words[0]));
        rec = b->words + b->n_words;
    }
    const char *wrong = accelsim_addr_read(p, lanes, rec, &words);

    if (__builtin_expect(e->tail == NULL, 0) && wrong == NULL)
        accelsim_code_set_tail(&r->code, (uint32_t)(e - r->code.entries), *p);
    if (wrong == NULL && !((*p)[0] == ' ' && (*p)[1] == '\n'))
        wrong = accelsim_addr_tail(*p);
    if (wrong != NULL)
        return accelsim_lines_fail(r->lines, err, "%s", wrong);
    if (e->has_record)
        b->n_words += words;
    *p = text_skip_line(*p);
    return RB_OK;
}

/* The line at p (complete), in a warp whose runs begin at first_run; *last is the entry before. */
static inline rb_code_t read_inst(block_reader_t *r, accelsim_block_t *b, size_t first_run,
                                  uint32_t *last, rb_err_t *err)
{
    const char *p = r->lines->at;
    uint64_t pc;
    uint32_t mask, number = *last + 1;

    if (r->prefix > 0 || r->header->raw)
        RB_TRY(read_prefix(r, &p, err));
    if (!text_hex(&p, 8, &pc) || !text_is_blank(*p))
        return accelsim_lines_fail(r->lines, err,
                                   "an instruction is expected, beginning with its pc");
    p = text_skip_blanks(p + 1);
    if (!read_mask(&p, &mask) || !text_is_blank(*p))
        return accelsim_lines_fail(r->lines, err, "the active mask is missing or malformed");
    p++;
    if (number >= r->code.n || r->code.entries[number].pc != pc ||
        !entry_matches(r, &r->code.entries[number], p)) {
        number = accelsim_code_last(&r->code, (uint32_t)pc);
        if (number == UINT32_MAX || !entry_matches(r, &r->code.entries[number], p)) {
            RB_TRY(accelsim_code_find(&r->code, r->lines, (uint32_t)pc, p, &number, err));
            if (r->code.entries[number].line == CODE_NO_LINE)
                r->code.entries[number].line = r->source_line;
        }
    }
    const code_entry_t *e = &r->code.entries[number];

    *last = number;
    p += e->len;
    if (e->rest == REST_ADDRESSES)
        RB_TRY(read_addresses(r, b, e, mask, &p, err));
    else if (e->rest == REST_IGNORED)
        p = text_skip_line(p);
    append_inst(b, first_run, e->inst, mask);
    r->lines->at = p;
    r->lines->line++;
    return RB_OK;
}

/* --- warps and blocks ------------------------------------------------------------------------ */

/* Moves to the next line that is not blank; at == limit at the end of the text. */
static rb_code_t next_line(block_reader_t *r, rb_err_t *err)
{
    for (;;) {
        RB_TRY(accelsim_lines_need(r->lines, err));
        if (r->lines->at == r->lines->limit || !text_ends(r->lines->at))
            return RB_OK;
        accelsim_lines_skip(r->lines);
    }
}

static bool at_end(const block_reader_t *r)
{
    return r->lines->at == r->lines->limit;
}

static rb_code_t fail_truncated(const block_reader_t *r, const accelsim_block_t *b, rb_err_t *err)
{
    return accelsim_lines_fail(r->lines, err,
                               "the file is truncated: it ends inside thread block %u,%u,%u",
                               b->pub.id[0], b->pub.id[1], b->pub.id[2]);
}

/* "key = number" with the key already seen; goes to the next line. */
static rb_code_t read_count(block_reader_t *r, const char *key, uint64_t *value, rb_err_t *err)
{
    const char *p = text_skip_blanks(r->lines->at + strlen(key));

    if (*p != '=')
        return accelsim_lines_fail(r->lines, err, "'%s = number' is expected", key);
    p = text_skip_blanks(p + 1);
    if (!text_u64(&p, value) || !text_ends(p))
        return accelsim_lines_fail(r->lines, err, "'%s = number' is expected", key);
    accelsim_lines_skip(r->lines);
    return RB_OK;
}

static bool begins_instruction(const char *p)
{
    return accelsim_hex[(uint8_t)*p] < 16 && !text_starts(p, "cluster");
}

static rb_code_t read_counted(block_reader_t *r, accelsim_block_t *b, unsigned warp, size_t first,
                              rb_err_t *err)
{
    uint32_t last = UINT32_MAX - 1;
    uint64_t count;

    RB_TRY(next_line(r, err));
    if (at_end(r))
        return fail_truncated(r, b, err);
    if (!text_starts(r->lines->at, "insts"))
        return accelsim_lines_fail(r->lines, err, "'insts = number' is expected behind 'warp = %u'",
                                   warp);
    RB_TRY(read_count(r, "insts", &count, err));
    if (count >> INSTS_MAX_LOG2 != 0)
        return accelsim_lines_fail(r->lines, err,
                                   "a warp of %" PRIu64 " instructions is impossible", count);
    for (uint64_t i = 0; i < count; i++) {
        RB_TRY(accelsim_lines_need(r->lines, err));
        if (at_end(r))
            return fail_truncated(r, b, err);
        if (!begins_instruction(r->lines->at))
            return accelsim_lines_fail(r->lines, err,
                                       "warp %u of thread block %u,%u,%u declares %" PRIu64
                                       " instructions, but only %" PRIu64 " follow",
                                       warp, b->pub.id[0], b->pub.id[1], b->pub.id[2], count, i);
        RB_TRY(read_inst(r, b, first, &last, err));
    }
    b->warps[warp].n_insts = count;
    RB_TRY(next_line(r, err));
    if (!at_end(r) && begins_instruction(r->lines->at))
        return accelsim_lines_fail(r->lines, err,
                                   "more than the %" PRIu64
                                   " instructions that warp %u of thread block %u,%u,%u declares",
                                   count, warp, b->pub.id[0], b->pub.id[1], b->pub.id[2]);
    return RB_OK;
}

static rb_code_t read_uncounted(block_reader_t *r, accelsim_block_t *b, unsigned warp, size_t first,
                                rb_err_t *err)
{
    uint32_t last = UINT32_MAX - 1;

    for (;;) {
        RB_TRY(accelsim_lines_need(r->lines, err));
        if (at_end(r) || !begins_instruction(r->lines->at))
            return RB_OK;
        RB_TRY(read_inst(r, b, first, &last, err));
        b->warps[warp].n_insts++;
    }
}

static rb_code_t read_warp(block_reader_t *r, accelsim_block_t *b, rb_err_t *err)
{
    uint64_t number;

    RB_TRY(read_count(r, "warp", &number, err));
    if (number >= b->pub.n_warps)
        return accelsim_lines_fail(r->lines, err, "warp %" PRIu64 ": a block has %u warps", number,
                                   b->pub.n_warps);
    unsigned warp = (unsigned)number;

    if (b->present[warp])
        return accelsim_lines_fail(r->lines, err,
                                   "warp %u of thread block %u,%u,%u stands here again", warp,
                                   b->pub.id[0], b->pub.id[1], b->pub.id[2]);
    b->present[warp] = true;
    b->first_run[warp] = b->n_runs;
    b->first_word[warp] = b->n_words;
    if (r->header->raw)
        RB_TRY(read_uncounted(r, b, warp, b->n_runs, err));
    else
        RB_TRY(read_counted(r, b, warp, b->n_runs, err));
    size_t runs = b->n_runs - b->first_run[warp], words = b->n_words - b->first_word[warp];

    if (runs > UINT32_MAX || words > UINT32_MAX)
        return accelsim_lines_fail(r->lines, err, "warp %u is too long", warp);
    b->warps[warp].n_runs = (uint32_t)runs;
    b->warps[warp].n_addr_words = (uint32_t)words;
    b->pub.n_insts += b->warps[warp].n_insts;
    return RB_OK;
}

/* "thread block = x,y,z", which no block before had. */
static rb_code_t read_block_id(block_reader_t *r, uint32_t out[3], rb_err_t *err)
{
    const char *p = text_skip_blanks(r->lines->at + strlen("thread block"));
    const uint32_t *grid = r->info->grid;
    uint64_t id[3];

    if (*p != '=')
        return accelsim_lines_fail(r->lines, err, "'thread block = x,y,z' is expected");
    for (unsigned i = 0; i < 3; i++) {
        p = text_skip_blanks(p + 1);
        if (!text_u64(&p, &id[i]) || (i < 2 ? *p != ',' : !text_ends(p)))
            return accelsim_lines_fail(r->lines, err, "'thread block = x,y,z' is expected");
        if (id[i] >= grid[i])
            return accelsim_lines_fail(r->lines, err,
                                       "a thread block outside the grid of (%u,%u,%u)", grid[0],
                                       grid[1], grid[2]);
        out[i] = (uint32_t)id[i];
    }
    if (!accelsim_seen_add(&r->seen, (id[2] * grid[1] + id[1]) * grid[0] + id[0]))
        return accelsim_lines_fail(r->lines, err, "thread block %u,%u,%u stands here again", out[0],
                                   out[1], out[2]);
    accelsim_lines_skip(r->lines);
    return RB_OK;
}

static void start_block(const block_reader_t *r, const uint32_t id[3], accelsim_block_t *b)
{
    const uint32_t *dim = r->info->block;

    b->pub = (trace_block_t){.index = r->n_seen - 1,
                             .id = {id[0], id[1], id[2]},
                             .n_warps = (dim[0] * dim[1] * dim[2] + 31) / 32,
                             .warps = b->warps};
    memset(b->warps, 0, sizeof(b->warps));
    memset(b->present, 0, sizeof(b->present));
    b->n_runs = b->n_words = 0;
}

/* Runs and records have stopped moving. */
static void finish_block(accelsim_block_t *b)
{
    for (unsigned w = 0; w < b->pub.n_warps; w++) {
        if (b->warps[w].n_runs > 0)
            b->warps[w].runs = b->runs + b->first_run[w];
        if (b->warps[w].n_addr_words > 0)
            b->warps[w].addrs = b->words + b->first_word[w];
    }
}

/* What follows the id of a block. */
static rb_code_t read_block(block_reader_t *r, const uint32_t id[3], accelsim_block_t *b,
                            rb_err_t *err)
{
    start_block(r, id, b);
    for (;;) {
        RB_TRY(next_line(r, err));
        if (at_end(r))
            return fail_truncated(r, b, err);
        if (text_starts(r->lines->at, "warp"))
            RB_TRY(read_warp(r, b, err));
        else if (text_starts(r->lines->at, "#END_TB"))
            break;
        else if (text_starts(r->lines->at, "cluster "))
            accelsim_lines_skip(r->lines); /* clusters of blocks (Hopper) are not modelled */
        else
            return accelsim_lines_fail(r->lines, err,
                                       "'warp = number' or #END_TB is expected, not '%.*s'",
                                       text_shown(r->lines->at), r->lines->at);
    }
    accelsim_lines_skip(r->lines);
    finish_block(b);
    return RB_OK;
}

/* Reads the next #BEGIN_TB and the id behind it; *found is false at the end of the text. */
static rb_code_t begin_block(block_reader_t *r, uint32_t id[3], bool *found, rb_err_t *err)
{
    *found = false;
    for (;;) {
        RB_TRY(next_line(r, err));
        if (at_end(r))
            return RB_OK;
        if (text_starts(r->lines->at, "#BEGIN_TB"))
            break;
        if (*r->lines->at != '#' || text_starts(r->lines->at, "#END_TB"))
            return accelsim_lines_fail(r->lines, err, "#BEGIN_TB is expected, not '%.*s'",
                                       text_shown(r->lines->at), r->lines->at);
        accelsim_lines_skip(r->lines);
    }
    if (r->n_seen == r->info->n_blocks)
        return accelsim_lines_fail(r->lines, err,
                                   "more thread blocks than the grid of (%u,%u,%u) has",
                                   r->info->grid[0], r->info->grid[1], r->info->grid[2]);
    accelsim_lines_skip(r->lines);
    r->n_seen++;
    *found = true;
    RB_TRY(next_line(r, err));
    if (at_end(r))
        return accelsim_lines_fail(r->lines, err, "the file is truncated: it ends at #BEGIN_TB");
    if (!text_starts(r->lines->at, "thread block"))
        return accelsim_lines_fail(r->lines, err,
                                   "'thread block = x,y,z' is expected behind #BEGIN_TB");
    return read_block_id(r, id, err);
}

static uint64_t count_lines(const char *p, const char *end)
{
    uint64_t n = 0;

    for (; p < end; p++)
        n += *p == '\n';
    return n;
}

/* Goes behind the #END_TB of a block whose id has been read: nothing else has a '#'. */
static rb_code_t skip_block(block_reader_t *r, rb_err_t *err)
{
    accelsim_lines_t *l = r->lines;

    for (;;) {
        RB_TRY(accelsim_lines_need(l, err));
        if (at_end(r))
            return accelsim_lines_fail(l, err,
                                       "the file is truncated: it ends inside a thread block");
        const char *mark = memchr(l->at, '#', (size_t)(l->limit - l->at));
        const char *to = mark != NULL ? mark : l->limit;

        l->line += count_lines(l->at, to);
        l->at = to;
        if (mark == NULL)
            continue;
        bool ends = text_starts(mark, "#END_TB");

        accelsim_lines_skip(l);
        if (ends)
            return RB_OK;
    }
}

/* Once at the end: a trace may hold only part of a launch, but the user should know. */
static void warn_missing(block_reader_t *r)
{
    if (r->n_seen < r->info->n_blocks && !r->told_missing)
        rb_warn("%s: %" PRIu64 " of the grid's %" PRIu64
                " thread blocks are not in the trace; only the others are simulated",
                r->lines->path, r->info->n_blocks - r->n_seen, r->info->n_blocks);
    r->told_missing = true;
}

static rb_code_t get_block(block_reader_t *r, uint64_t index, accelsim_block_t **out, rb_err_t *err)
{
    uint32_t id[3];
    bool found;

    RB_INVARIANT(index >= r->n_seen, "block %" PRIu64 " asked for behind block %" PRIu64, index,
                 r->n_seen);
    for (;;) {
        RB_TRY(begin_block(r, id, &found, err));
        if (!found) {
            warn_missing(r);
            return RB_OK;
        }
        if (r->n_seen > index)
            break;
        RB_TRY(skip_block(r, err));
    }
    *out = take_block(&r->pool);
    rb_code_t code = read_block(r, id, *out, err);

    if (code != RB_OK) {
        put_block(&r->pool, *out);
        *out = NULL;
    }
    return code;
}

rb_code_t block_reader_get(block_reader_t *r, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    accelsim_block_t *b = NULL;

    *out = NULL;
    if (r->failed.code == RB_OK && get_block(r, index, &b, &r->failed) == RB_OK) {
        *out = b != NULL ? &b->pub : NULL;
        return RB_OK;
    }
    return rb_fail(err, r->failed.code, "%s", r->failed.text);
}
