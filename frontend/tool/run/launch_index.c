#include "frontend/tool/run/launch_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "frontend/tool/run/journal.h"
#include "sim/core/alloc.h"

/* --- lists of pairs -------------------------------------------------------------------------- */

static uint64_t hash_pairs(const uint32_t *first, const double *second, size_t n)
{
    return journal_checksum(journal_checksum(n, first, n * sizeof(*first)), second,
                            n * sizeof(*second));
}

static bool is_list(const pair_lists_t *l, uint64_t i, const uint32_t *first, const double *second,
                    size_t n)
{
    uint64_t at = l->begin[i];
    return l->begin[i + 1] - at == n && memcmp(l->first + at, first, n * sizeof(*first)) == 0 &&
           memcmp(l->second + at, second, n * sizeof(*second)) == 0;
}

uint32_t pair_lists_add(pair_lists_t *l, const uint32_t *first, const double *second, size_t n)
{
    const uint64_t hash = hash_pairs(first, second, n);
    for (hash_walk_t w = hash_map_walk(&l->map, hash); hash_walk_next(&w);)
        if (is_list(l, w.number, first, second, n))
            return w.number;
    rb_grow(&l->begin, &l->cap_begin, l->n + 2, sizeof(*l->begin));
    if (l->n == 0)
        l->begin[0] = 0;
    uint64_t from = l->begin[l->n];
    rb_grow(&l->first, &l->cap_first, from + n + 1, sizeof(*l->first));
    rb_grow(&l->second, &l->cap_second, from + n + 1, sizeof(*l->second));
    memcpy(l->first + from, first, n * sizeof(*first));
    memcpy(l->second + from, second, n * sizeof(*second));
    l->begin[++l->n] = from + n;
    hash_map_add(&l->map, hash, (uint32_t)l->n - 1);
    return (uint32_t)l->n - 1;
}

void pair_lists_free(pair_lists_t *l)
{
    free(l->begin);
    free(l->first);
    free(l->second);
    hash_map_free(&l->map);
    *l = (pair_lists_t){0};
}

/* --- reading --------------------------------------------------------------------------------- */

/* The order of some warps, as runs of warps with one vector. */
typedef struct {
    uint32_t *vector; /* owned */
    double *run;      /* owned */
    size_t n, cap_vector, cap_run;
    uint64_t warps;
} order_t;

static void order_add(order_t *o, uint32_t vector)
{
    if (o->warps == POP_SEQUENCE_WARPS)
        return;
    o->warps++;
    if (o->n > 0 && o->vector[o->n - 1] == vector) {
        o->run[o->n - 1] += 1.0;
        return;
    }
    rb_grow(&o->vector, &o->cap_vector, o->n + 1, sizeof(*o->vector));
    rb_grow(&o->run, &o->cap_run, o->n + 1, sizeof(*o->run));
    o->vector[o->n] = vector;
    o->run[o->n++] = 1.0;
}

/* Stores the order and forgets it. */
static uint32_t order_end(order_t *o, pair_lists_t *lists)
{
    rb_grow(&o->vector, &o->cap_vector, o->n + 1, sizeof(*o->vector));
    rb_grow(&o->run, &o->cap_run, o->n + 1, sizeof(*o->run));
    const uint32_t number = pair_lists_add(lists, o->vector, o->run, o->n);
    o->n = 0;
    o->warps = 0;
    return number;
}

/* The launch whose blocks are being read. */
typedef struct {
    launch_index_t *x;
    rbt_file_t *file;
    rbt_unpacker_t *unpacker;
    uint32_t *first_bb; /* owned; per kernel, in the common numbering */

    uint64_t *n_blocks; /* owned; per launch */
    uint64_t launch, seen;
    double sum, squares;    /* over its blocks: thread instructions */
    double *warps;          /* owned; per vector, in this launch */
    uint32_t *used, n_used; /* owned; vectors that have warps */
    size_t cap_warps, cap_used;
    uint32_t *types;      /* owned; warp types of the page, as vectors */
    order_t head, spread; /* of the launch: of its first warps; of those of blocks far apart */
    uint32_t *pair_first; /* owned; a list being composed */
    double *pair_second;  /* owned */
    size_t cap_types, cap_first, cap_second;
} walk_t;

static void set_counters(launch_index_t *x, uint64_t row, const rbt_launch_row_t *r)
{
    x->counter[POP_WARP_INSTS][row] = (double)r->warp_insts;
    x->counter[POP_THREAD_INSTS][row] = (double)r->thread_insts;
    x->counter[POP_REQUESTS][row] = (double)rbt_sum_requests(r->requests);
}

/* Warp instructions of some groups of classes. */
static double of_groups(const rbt_launch_row_t *r, const mix_group_t *groups, size_t n)
{
    uint64_t sum = 0;
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++) {
        for (size_t i = 0; i < n; i++)
            sum += isa_class_group((op_class_t)c) == groups[i] ? r->classes[c] : 0;
    }
    return (double)sum;
}

static void set_facts(launch_index_t *x, uint64_t row, const rbt_launch_row_t *r)
{
    static const mix_group_t memory[] = {MIX_LOAD, MIX_STORE, MIX_ATOMIC, MIX_TEX},
                             tensor[] = {MIX_TENSOR}, slow[] = {MIX_FP64, MIX_SFU};
    x->fact[POP_GLOBAL_SECTORS][row] = (double)r->sectors[RBT_SPACE_GLOBAL];
    x->fact[POP_LOCAL_SECTORS][row] = (double)r->sectors[RBT_SPACE_LOCAL];
    x->fact[POP_ATOMICS][row] = (double)r->atomics;
    x->fact[POP_MEMORY_INSTS][row] = of_groups(r, memory, sizeof(memory) / sizeof(memory[0]));
    x->fact[POP_TENSOR_INSTS][row] = of_groups(r, tensor, 1);
    x->fact[POP_SLOW_INSTS][row] = of_groups(r, slow, sizeof(slow) / sizeof(slow[0]));
}

static double copied_bytes(const trace_source_t *source, uint64_t id)
{
    const memcpy_op_t *ops;
    double sum = 0.0;
    for (size_t n = source->ops->copies(source, id, &ops); n > 0; n--)
        sum += (double)ops[n - 1].bytes;
    return sum;
}

static rb_code_t read_rows(walk_t *w, uint64_t n, rb_err_t *err)
{
    uint64_t row = 0;
    for (size_t page = 0; page < w->file->n_launch_pages; page++) {
        rbt_launch_t *launches = rbt_launches_read(w->file, page, w->unpacker, err);
        if (launches == NULL)
            return err->code;
        for (uint64_t i = 0; i < w->file->launch_pages[page].n_launches && row < n; i++, row++) {
            set_counters(w->x, row, &launches[i].row);
            set_facts(w->x, row, &launches[i].row);
            w->n_blocks[row] = launches[i].row.n_blocks;
        }
        free(launches);
    }
    return RB_OK;
}

/* Assigns numbers to the basic blocks of all kernels. */
static rb_code_t number_blocks(walk_t *w, population_t *pop, rb_err_t *err)
{
    size_t n = 0, cap = 0;
    w->first_bb = rb_calloc(w->file->n_kernels, sizeof(*w->first_bb));
    for (size_t k = 0; k < w->file->n_kernels; k++) {
        const rbt_code_t *code;
        RB_TRY(rbt_file_code(w->file, k, &code, err));
        w->first_bb[k] = (uint32_t)n;
        rb_grow(&w->x->block_insts, &cap, n + code->n_bbs + 1, sizeof(*w->x->block_insts));
        for (size_t b = 0; b < code->n_bbs; b++)
            w->x->block_insts[n++] = code->bbs[b].n_insts;
    }
    if (n > UINT32_MAX)
        return rb_fail(err, RB_TRACE, "%s: %zu basic blocks", w->file->path, n);
    pop->n_blocks = (uint32_t)n;
    return RB_OK;
}

/* Converts the warp types of a page to vectors. */
static void number_types(walk_t *w, const rbt_page_t *page)
{
    rb_grow(&w->types, &w->cap_types, page->n_types + 1, sizeof(*w->types));
    for (size_t t = 0; t < page->n_types; t++) {
        const rbt_warp_type_t *type = &page->types[t];
        rb_grow(&w->pair_first, &w->cap_first, type->n + 1, sizeof(*w->pair_first));
        rb_grow(&w->pair_second, &w->cap_second, type->n + 1, sizeof(*w->pair_second));
        for (size_t i = 0; i < type->n; i++) {
            w->pair_first[i] = w->first_bb[type->kernel] + page->counts[type->at + i].bb;
            w->pair_second[i] = (double)page->counts[type->at + i].n;
        }
        size_t had = w->cap_warps;
        w->types[t] = pair_lists_add(&w->x->vectors, w->pair_first, w->pair_second, type->n);
        rb_grow(&w->warps, &w->cap_warps, w->x->vectors.n, sizeof(*w->warps));
        memset(w->warps + had, 0, (w->cap_warps - had) * sizeof(*w->warps));
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Finishes a launch after its last block. */
static void end_launch(walk_t *w)
{
    launch_index_t *x = w->x;
    double n = (double)w->seen, mean = w->seen > 0 ? w->sum / n : 0.0;
    double variance = w->seen > 0 ? w->squares / n - mean * mean : 0.0;
    x->counter[POP_BLOCK_COV][w->launch] =
        mean > 0.0 && variance > 0.0 ? sqrt(variance) / mean : 0.0;
    qsort(w->used, w->n_used, sizeof(*w->used), by_number);
    rb_grow(&w->pair_second, &w->cap_second, w->n_used + (size_t)1, sizeof(*w->pair_second));
    double warps = 0.0;
    for (uint32_t i = 0; i < w->n_used; i++) {
        w->pair_second[i] = w->warps[w->used[i]];
        warps += w->pair_second[i];
        w->warps[w->used[i]] = 0.0;
    }
    rb_grow(&w->used, &w->cap_used, 1, sizeof(*w->used));
    x->mix_of[w->launch] = pair_lists_add(&x->mixes, w->used, w->pair_second, w->n_used);
    x->warps[w->launch] = (uint64_t)warps;
    x->head_of[w->launch] = order_end(&w->head, &x->orders);
    x->spread_of[w->launch] = order_end(&w->spread, &x->orders);
    w->n_used = 0;
    w->sum = w->squares = 0.0;
    w->seen = 0;
    w->launch++;
}

static void count_warp(walk_t *w, uint32_t vector)
{
    if (w->warps[vector] == 0.0) {
        rb_grow(&w->used, &w->cap_used, w->n_used + (size_t)1, sizeof(*w->used));
        w->used[w->n_used++] = vector;
    }
    w->warps[vector] += 1.0;
}

static void walk_page(walk_t *w, uint64_t n_launches, const rbt_page_t *page)
{
    number_types(w, page);
    for (size_t b = 0; b < page->n_blocks; b++) {
        while (w->launch < n_launches && w->seen == w->n_blocks[w->launch])
            end_launch(w);
        if (w->launch == n_launches)
            return;
        const rbt_block_row_t *block = &page->blocks[b];
        const rbt_block_type_t *type = &page->block_types[block->type];
        double insts = (double)block->sum.thread_insts;
        w->sum += insts;
        w->squares += insts * insts;
        for (size_t i = 0; i < type->n; i++) {
            uint32_t warp = page->warps[type->at + i];
            if (warp == 0)
                continue;
            count_warp(w, w->types[warp - 1]);
            order_add(&w->head, w->types[warp - 1]);
            if (w->seen % POP_SEQUENCE_EVERY == 0)
                order_add(&w->spread, w->types[warp - 1]);
        }
        w->seen++;
    }
}

static rb_code_t walk_blocks(walk_t *w, uint64_t n_launches, rb_err_t *err)
{
    for (size_t n = 0; n < w->file->n_block_pages; n++) {
        rbt_page_t page;
        rb_code_t rc = rbt_page_read(&page, w->file, n, w->unpacker, err);
        if (rc == RB_OK)
            walk_page(w, n_launches, &page);
        rbt_page_free(&page);
        RB_TRY(rc);
    }
    while (w->launch < n_launches)
        end_launch(w);
    return RB_OK;
}

static void lend(const launch_index_t *x, population_t *pop)
{
    for (int i = 0; i < POP_COUNTERS; i++)
        pop->counter[i] = x->counter[i];
    for (int i = 0; i < POP_FACTS; i++)
        pop->fact[i] = x->fact[i];
    pop->n_bbvs = x->vectors.n;
    pop->bbv_begin = x->vectors.begin;
    pop->bbv_block = x->vectors.first;
    pop->bbv_count = x->vectors.second;
    pop->bbv_warps = x->warps;
    pop->mix_of = x->mix_of;
    pop->n_mixes = x->mixes.n;
    pop->mix_begin = x->mixes.begin;
    pop->mix_bbv = x->mixes.first;
    pop->mix_warps = x->mixes.second;
    pop->head_of = x->head_of;
    pop->spread_of = x->spread_of;
    pop->sequence_begin = x->orders.begin;
    pop->sequence_bbv = x->orders.first;
    pop->sequence_run = x->orders.second;
    pop->block_insts = x->block_insts;
}

rb_code_t launch_index_read(launch_index_t *x, population_t *pop, const trace_source_t *source,
                            rb_err_t *err)
{
    static const pop_counter_t known[] = {POP_WARP_INSTS, POP_THREAD_INSTS, POP_REQUESTS,
                                          POP_BLOCK_COV};
    walk_t w = {.x = x, .file = rbt_source_file(source), .unpacker = ZSTD_createDCtx()};
    *x = (launch_index_t){0};
    if (w.unpacker == NULL)
        return rb_fail(err, RB_NOMEM, "no memory for zstd");
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        x->counter[known[i]] = rb_calloc(pop->n, sizeof(double));
    for (size_t i = 0; i < POP_FACTS; i++)
        x->fact[i] = rb_calloc(pop->n, sizeof(double));
    for (uint64_t row = 0; row < pop->n; row++)
        x->fact[POP_COPIED_BYTES][row] = copied_bytes(source, row + 1);
    x->mix_of = rb_calloc(pop->n, sizeof(*x->mix_of));
    x->head_of = rb_calloc(pop->n, sizeof(*x->head_of));
    x->spread_of = rb_calloc(pop->n, sizeof(*x->spread_of));
    x->warps = rb_calloc(pop->n, sizeof(*x->warps));
    w.n_blocks = rb_calloc(pop->n, sizeof(*w.n_blocks));
    rb_code_t rc = read_rows(&w, pop->n, err);
    if (rc == RB_OK)
        rc = number_blocks(&w, pop, err);
    if (rc == RB_OK)
        rc = walk_blocks(&w, pop->n, err);
    if (rc == RB_OK)
        lend(x, pop);
    ZSTD_freeDCtx(w.unpacker);
    free(w.first_bb);
    free(w.n_blocks);
    free(w.warps);
    free(w.used);
    free(w.types);
    free(w.head.vector);
    free(w.head.run);
    free(w.spread.vector);
    free(w.spread.run);
    free(w.pair_first);
    free(w.pair_second);
    return rc;
}

void launch_index_free(launch_index_t *x)
{
    for (int i = 0; i < POP_COUNTERS; i++)
        free(x->counter[i]);
    for (int i = 0; i < POP_FACTS; i++)
        free(x->fact[i]);
    free(x->mix_of);
    free(x->head_of);
    free(x->spread_of);
    free(x->warps);
    free(x->block_insts);
    pair_lists_free(&x->vectors);
    pair_lists_free(&x->mixes);
    pair_lists_free(&x->orders);
    *x = (launch_index_t){0};
}
