#include "frontend/input/accelsim/group/accelsim_group.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/input/accelsim/group/accelsim_run.h"
#include "frontend/input/accelsim/text/accelsim_text.h"
#include "sim/core/alloc.h"
#include "sim/core/files/unnamed_file.h"

enum {
    WARP_BITS = 5, /* a block has at most 32 warps */
    RUNS_MAX = 32, /* the runs are merged into one when there are this many */
    HEAD_BYTES = 160,
    LINE_NUMBER_BYTES = 24,
    IDS_PLAIN = 4, /* block x y z, warp */
    IDS_CORE = 6,  /* also SM, and warp within the SM (TOOL_TRACE_CORE) */
};

/* A line in memory. */
typedef struct {
    uint64_t key;    /* block << WARP_BITS | warp */
    uint64_t offset; /* into the arena; ascends in file order */
    uint32_t len;
} line_t;

/* A source of sorted records: a run on disk, or the lines in memory. */
typedef struct {
    run_record_t record; /* the next one */
    accelsim_run_t *run; /* owned; NULL: the lines in memory */
} merge_input_t;

struct accelsim_group {
    const accelsim_header_t *header; /* borrowed */
    char *tmpdir;                    /* owned */
    unsigned ids;                    /* how many numbers begin each line */
    char *arena;                     /* owned */
    size_t arena_used, arena_cap;
    line_t *sorted; /* owned */
    size_t n_lines, cap_lines, next_line;
    accelsim_run_t *runs[RUNS_MAX]; /* owned; in file order */
    unsigned n_runs;

    /* Merging: heap[0] is the smallest by (key, position in inputs). */
    merge_input_t inputs[RUNS_MAX + 1];
    unsigned heap[RUNS_MAX + 1], n_heap;
    bool advance; /* the record of heap[0] has been used */

    /* Text being returned to the caller: head, then body. */
    char head[HEAD_BYTES];
    size_t head_at, head_end;
    const char *body; /* borrowed from the record of heap[0] */
    size_t body_left;
    uint64_t key;
    bool in_block, ended;
    bool first_seen; /* the first of two LDGSTS lines with key pair_key has been read */
    uint64_t pair_key;
};

/* --- merging --------------------------------------------------------------------------------- */

static int compare_lines(const void *x, const void *y)
{
    const line_t *a = x, *b = y;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static bool input_before(const accelsim_group_t *g, unsigned a, unsigned b)
{
    uint64_t ka = g->inputs[a].record.key, kb = g->inputs[b].record.key;

    return ka < kb || (ka == kb && a < b);
}

static void sift_down(accelsim_group_t *g, unsigned at)
{
    for (;;) {
        unsigned child = 2 * at + 1, moving = g->heap[at];

        if (child >= g->n_heap)
            return;
        if (child + 1 < g->n_heap && input_before(g, g->heap[child + 1], g->heap[child]))
            child++;
        if (!input_before(g, g->heap[child], moving))
            return;
        g->heap[at] = g->heap[child];
        g->heap[child] = moving;
        at = child;
    }
}

static rb_code_t next_record(accelsim_group_t *g, merge_input_t *in, bool *more, rb_err_t *err)
{
    if (in->run != NULL)
        return accelsim_run_read(in->run, &in->record, more, err);
    *more = g->next_line < g->n_lines;
    if (*more) {
        const line_t *l = &g->sorted[g->next_line++];

        in->record = (run_record_t){.key = l->key, .text = g->arena + l->offset, .len = l->len};
    }
    return RB_OK;
}

static rb_code_t add_input(accelsim_group_t *g, accelsim_run_t *run, unsigned number, rb_err_t *err)
{
    bool more;

    g->inputs[number] = (merge_input_t){.run = run};
    RB_TRY(next_record(g, &g->inputs[number], &more, err));
    if (more)
        g->heap[g->n_heap++] = number;
    return RB_OK;
}

/* Begins a merge of all runs and, if memory is set, the lines in memory. */
static rb_code_t start_merge(accelsim_group_t *g, bool memory, rb_err_t *err)
{
    g->n_heap = 0;
    g->advance = false;
    for (unsigned i = 0; i < g->n_runs; i++)
        RB_TRY(add_input(g, g->runs[i], i, err));
    if (memory) {
        qsort(g->sorted, g->n_lines, sizeof(g->sorted[0]), compare_lines);
        g->next_line = 0;
        RB_TRY(add_input(g, NULL, g->n_runs, err));
    }
    for (unsigned i = g->n_heap / 2; i-- > 0;)
        sift_down(g, i);
    return RB_OK;
}

/* Returns the smallest remaining record, valid until the next call; NULL at the end. */
static rb_code_t pop_record(accelsim_group_t *g, const run_record_t **record, rb_err_t *err)
{
    *record = NULL;
    if (g->advance) {
        bool more;

        RB_TRY(next_record(g, &g->inputs[g->heap[0]], &more, err));
        if (!more)
            g->heap[0] = g->heap[--g->n_heap];
        sift_down(g, 0);
        g->advance = false;
    }
    if (g->n_heap > 0) {
        *record = &g->inputs[g->heap[0]].record;
        g->advance = true;
    }
    return RB_OK;
}

/* Writes the output of the merge as one run, which replaces the others. */
static rb_code_t write_merged(accelsim_group_t *g, bool memory, rb_err_t *err)
{
    accelsim_run_t *out = accelsim_run_create(g->tmpdir, err);
    const run_record_t *record;
    rb_code_t code;

    if (out == NULL)
        return RB_IO;
    code = start_merge(g, memory, err);
    while (code == RB_OK && (code = pop_record(g, &record, err)) == RB_OK && record != NULL)
        code = accelsim_run_write(out, record, err);
    if (code == RB_OK)
        code = accelsim_run_rewind(out, err);
    if (code != RB_OK) {
        accelsim_run_close(out);
        return code;
    }
    while (g->n_runs > 0)
        accelsim_run_close(g->runs[--g->n_runs]);
    g->runs[g->n_runs++] = out;
    return RB_OK;
}

/* Writes the lines in memory to a run. */
static rb_code_t spill(accelsim_group_t *g, rb_err_t *err)
{
    unsigned n_runs = g->n_runs;
    accelsim_run_t *runs[RUNS_MAX];

    if (n_runs == RUNS_MAX) {
        RB_TRY(write_merged(g, true, err));
    } else { /* only the lines in memory */
        memcpy(runs, g->runs, sizeof(runs));
        g->n_runs = 0;
        rb_code_t code = write_merged(g, true, err);

        if (code == RB_OK)
            runs[n_runs++] = g->runs[0];
        memcpy(g->runs, runs, sizeof(runs));
        g->n_runs = n_runs;
        RB_TRY(code);
    }
    g->n_lines = g->arena_used = 0;
    return RB_OK;
}

/* --- reading the raw lines ------------------------------------------------------------------- */

/* Whether n numbers, a source line number if the trace has them, a pc and a mask follow. */
static bool has_ids(const char *p, unsigned n)
{
    uint64_t value;

    for (unsigned i = 0; i < n; i++, p = text_skip_blanks(p))
        if (!text_u64(&p, &value) || !text_is_blank(*p))
            return false;
    const char *pc = p;

    if (!text_hex(&p, 8, &value) || p - pc < 4 || !text_is_blank(*p))
        return false;
    p = text_skip_blanks(p);
    pc = p;
    return text_hex(&p, 8, &value) && p - pc == 8;
}

static rb_code_t find_ids(accelsim_group_t *g, const accelsim_lines_t *lines, rb_err_t *err)
{
    unsigned source_line = g->header->line_info;

    if (has_ids(lines->at, IDS_PLAIN + source_line))
        g->ids = IDS_PLAIN;
    else if (has_ids(lines->at, IDS_CORE + source_line))
        g->ids = IDS_CORE;
    else
        return accelsim_lines_fail(lines, err,
                                   "an instruction of a raw trace is expected: block x y z, warp, "
                                   "[source line,] pc, mask");
    return RB_OK;
}

static rb_code_t read_ids(const accelsim_group_t *g, const accelsim_lines_t *lines, const char **p,
                          uint64_t *key, rb_err_t *err)
{
    const launch_info_t *info = &g->header->info;
    const uint32_t *dim = info->block;
    uint64_t id[IDS_CORE], warps = (dim[0] * dim[1] * dim[2] + 31) / 32;

    for (unsigned i = 0; i < g->ids; i++) {
        if (!text_u64(p, &id[i]) || !text_is_blank(**p))
            return accelsim_lines_fail(lines, err, "%u numbers are expected before the pc",
                                       g->ids + g->header->line_info);
        *p = text_skip_blanks(*p);
    }
    if (id[0] >= info->grid[0] || id[1] >= info->grid[1] || id[2] >= info->grid[2])
        return accelsim_lines_fail(lines, err, "a thread block outside the grid of (%u,%u,%u)",
                                   info->grid[0], info->grid[1], info->grid[2]);
    if (id[3] >= warps)
        return accelsim_lines_fail(lines, err, "warp %" PRIu64 ": a block has %" PRIu64 " warps",
                                   id[3], warps);
    uint64_t block = (id[2] * info->grid[1] + id[1]) * info->grid[0] + id[0];

    *key = block << WARP_BITS | id[3];
    return RB_OK;
}

static rb_code_t add_line(accelsim_group_t *g, const accelsim_lines_t *lines, rb_err_t *err)
{
    const char *p = text_skip_blanks(lines->at), *end = text_skip_line(p);
    size_t need = LINE_NUMBER_BYTES + (size_t)(end - p);
    uint64_t key = 0;

    RB_TRY(read_ids(g, lines, &p, &key, err));
    if (g->n_lines > 0 && (g->arena_cap - g->arena_used < need || g->n_lines == g->cap_lines))
        RB_TRY(spill(g, err));
    if (need > g->arena_cap) {
        g->arena_cap = need;
        g->arena = rb_realloc(g->arena, g->arena_cap, 1);
    }
    char *to = g->arena + g->arena_used;
    size_t n = (size_t)sprintf(to, "%" PRIu64 " ", lines->line);

    memcpy(to + n, p, (size_t)(end - p));
    n += (size_t)(end - p);
    g->sorted[g->n_lines++] = (line_t){.key = key, .offset = g->arena_used, .len = (uint32_t)n};
    g->arena_used += n;
    return RB_OK;
}

static rb_code_t add_lines(accelsim_group_t *g, accelsim_lines_t *lines, rb_err_t *err)
{
    for (;; accelsim_lines_skip(lines)) {
        RB_TRY(accelsim_lines_need(lines, err));
        if (accelsim_lines_end(lines))
            return RB_OK;
        if (*lines->at == '#' || text_ends(lines->at))
            continue;
        if (lines->added_newline && text_skip_line(lines->at) == lines->limit)
            return accelsim_lines_fail(lines, err,
                                       "the file is truncated: it ends inside this line");
        if (g->ids == 0)
            RB_TRY(find_ids(g, lines, err));
        RB_TRY(add_line(g, lines, err));
    }
}

accelsim_group_t *accelsim_group_create(accelsim_lines_t *lines, const accelsim_header_t *header,
                                        const accelsim_options_t *opts, rb_err_t *err)
{
    const size_t default_bytes = 256u << 20;
    size_t bytes = opts->sort_bytes != 0 ? opts->sort_bytes : default_bytes;
    accelsim_group_t *g = rb_calloc(1, sizeof(*g));

    g->header = header;
    g->tmpdir = rb_strdup(unnamed_file_dir(opts->tmpdir));
    /* A line takes about 60 bytes and a record of 24: two thirds are text. */
    g->arena_cap = bytes / 3 * 2;
    g->cap_lines = bytes / 3 / sizeof(g->sorted[0]) + 1;
    g->arena = rb_realloc(NULL, g->arena_cap + 1, 1);
    g->sorted = rb_realloc(NULL, g->cap_lines, sizeof(g->sorted[0]));
    if (add_lines(g, lines, err) == RB_OK && start_merge(g, true, err) == RB_OK)
        return g;
    accelsim_group_destroy(g);
    return NULL;
}

void accelsim_group_destroy(accelsim_group_t *g)
{
    if (g == NULL)
        return;
    while (g->n_runs > 0)
        accelsim_run_close(g->runs[--g->n_runs]);
    free(g->tmpdir);
    free(g->arena);
    free(g->sorted);
    free(g);
}

/* --- the grouped text ------------------------------------------------------------------------ */

static void put_head(accelsim_group_t *g, uint64_t key)
{
    const launch_info_t *info = &g->header->info;
    bool new_block = !g->in_block || key >> WARP_BITS != g->key >> WARP_BITS;
    uint64_t block = key >> WARP_BITS;
    int n = 0;

    if (new_block)
        n = snprintf(g->head, HEAD_BYTES,
                     "%s#BEGIN_TB\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                     g->in_block ? "#END_TB\n" : "", block % info->grid[0],
                     block / info->grid[0] % info->grid[1], block / info->grid[0] / info->grid[1]);
    if (new_block || key != g->key)
        n += snprintf(g->head + n, HEAD_BYTES - (size_t)n, "warp = %u\n",
                      (unsigned)(key & ((1u << WARP_BITS) - 1)));
    g->head_end = (size_t)n;
    g->head_at = 0;
    g->in_block = true;
    g->key = key;
}

/*
 * LDGSTS has two memory operands and appears twice in a raw trace; the second line has the global
 * addresses. Returns whether this is the first of the two.
 */
static bool is_first_of_pair(accelsim_group_t *g, const run_record_t *record)
{
    if (memmem(record->text, record->len, " LDGSTS", 7) == NULL)
        return false;
    g->first_seen = !g->first_seen || record->key != g->pair_key;
    g->pair_key = record->key;
    return g->first_seen;
}

/* Prepares the next record for output. */
static rb_code_t next_text(accelsim_group_t *g, rb_err_t *err)
{
    const run_record_t *record;

    do
        RB_TRY(pop_record(g, &record, err));
    while (record != NULL && is_first_of_pair(g, record));
    if (record != NULL) {
        put_head(g, record->key);
        g->body = record->text;
        g->body_left = record->len;
        return RB_OK;
    }
    if (g->in_block)
        g->head_end = (size_t)snprintf(g->head, HEAD_BYTES, "#END_TB\n");
    g->head_at = 0;
    g->in_block = false;
    g->ended = true;
    return RB_OK;
}

static size_t take(char *to, size_t cap, const char *from, size_t n)
{
    n = n < cap ? n : cap;
    memcpy(to, from, n);
    return n;
}

rb_code_t accelsim_group_read(void *ctx, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    accelsim_group_t *g = ctx;

    *got = 0;
    while (*got < cap) {
        if (g->head_at < g->head_end) {
            size_t n = take(buf + *got, cap - *got, g->head + g->head_at, g->head_end - g->head_at);

            g->head_at += n;
            *got += n;
        } else if (g->body_left > 0) {
            size_t n = take(buf + *got, cap - *got, g->body, g->body_left);

            g->body += n;
            g->body_left -= n;
            *got += n;
        } else if (g->ended) {
            break;
        } else {
            RB_TRY(next_text(g, err));
        }
    }
    return RB_OK;
}
