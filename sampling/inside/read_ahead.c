#include "sampling/inside/read_ahead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/inside/warp_reader.h"
#include "sim/core/alloc.h"
#include "sim/core/hash_map.h"
#include "sim/core/mix64.h"

/* A type of warp, with the first warp of that type. */
typedef struct {
    uint64_t type, insts, warps, block;
    uint32_t warp;
} warp_type_t;

typedef struct {
    read_ahead_t *out;
    warp_reader_t reader;
    double insts;
    size_t cap_share;
    warp_type_t *types; /* owned; out->types */
    size_t cap_types;
    hash_map_t by_type;
} look_t;

/* Sum of a hash over the executions of basic blocks: equal for warps that execute the same basic
 * blocks equally often, in any order, and otherwise with probability 2^-64. */
static uint64_t type_of(const warp_reader_t *r)
{
    uint64_t type = 0;
    for (size_t i = 0; i < r->n_counts; i++) {
        const bb_entry_t *b = &r->table->bbs[r->counts[i].bb];
        type += r->counts[i].n * mix64((uint64_t)b->pc << 32 ^ b->n_insts);
    }
    return type;
}

static warp_type_t *find_type(const look_t *s, uint64_t type)
{
    for (hash_walk_t w = hash_map_walk(&s->by_type, type); hash_walk_next(&w);)
        if (s->types[w.number].type == type)
            return &s->types[w.number];
    return NULL;
}

/* Adds the warp that the reader is at. */
static void take_warp(look_t *s, uint32_t warp)
{
    const warp_reader_t *r = &s->reader;
    read_ahead_t *out = s->out;
    uint64_t insts = 0;
    const size_t had = s->cap_share;
    rb_grow(&out->share, &s->cap_share, out->table.n, sizeof(*out->share));
    if (s->cap_share > had)
        memset(out->share + had, 0, (s->cap_share - had) * sizeof(*out->share));
    for (size_t i = 0; i < r->n_counts; i++) {
        const uint64_t part = r->counts[i].n * out->table.bbs[r->counts[i].bb].n_insts;
        out->share[r->counts[i].bb] += (double)part;
        insts += part;
    }
    s->insts += (double)insts;
    out->warps++;
    const uint64_t type = type_of(r);
    warp_type_t *t = find_type(s, type);
    if (t != NULL) {
        t->warps++;
        return;
    }
    rb_grow(&s->types, &s->cap_types, out->types + 1, sizeof(*s->types));
    s->types[out->types] = (warp_type_t){type, insts, 1, r->index, warp};
    hash_map_add(&s->by_type, type, (uint32_t)out->types++);
}

static rb_code_t take_blocks(look_t *s, uint64_t n, uint64_t wanted, rb_err_t *err)
{
    warp_reader_t *r = &s->reader;
    for (uint64_t k = 0; k < wanted; k++) {
        const uint64_t before = s->out->warps;
        /* The middle of the k-th of `wanted` equal parts; wanted <= n < 2^63. */
        const uint64_t index =
            wanted == n ? k : (uint64_t)(((double)k + 0.5) * ((double)n / (double)wanted));
        RB_TRY(warp_reader_block(r, index, err));
        for (uint32_t w = 0; w < r->n_warps; w++) {
            RB_TRY(warp_reader_warp(r, w, err));
            if (r->n_counts > 0)
                take_warp(s, w);
        }
        s->out->missing = s->out->warps == before;
        if (s->out->missing)
            break;
        s->out->blocks++;
    }
    return RB_OK;
}

/* The most frequent type; among equally frequent ones the one with the lowest hash. */
static const warp_type_t *find_dominant(const look_t *s)
{
    const warp_type_t *best = NULL;
    for (uint64_t i = 0; i < s->out->types; i++) {
        const warp_type_t *t = &s->types[i];
        if (best == NULL || t->warps > best->warps ||
            (t->warps == best->warps && t->type < best->type))
            best = t;
    }
    return best;
}

/* Reads again what a warp of the dominant type executes. */
static rb_code_t take_dominant(const sampler_launch_t *l, read_ahead_t *out, const warp_type_t *t,
                               rb_err_t *err)
{
    warp_reader_t r;
    rb_code_t rc = warp_reader_open(&r, l, &out->table, err);
    if (rc == RB_OK)
        rc = warp_reader_block(&r, t->block, err);
    if (rc == RB_OK)
        rc = warp_reader_warp(&r, t->warp, err);
    if (rc == RB_OK) {
        out->n_dominant = r.n_counts;
        out->dominant = rb_calloc(r.n_counts, sizeof(*out->dominant));
        memcpy(out->dominant, r.counts, r.n_counts * sizeof(*out->dominant));
    }
    warp_reader_close(&r);
    return rc;
}

static rb_code_t conclude(const sampler_launch_t *l, look_t *s, rb_err_t *err)
{
    read_ahead_t *out = s->out;
    const warp_type_t *dominant = find_dominant(s);
    if (dominant == NULL)
        return RB_OK;
    for (size_t i = 0; i < out->table.n; i++)
        out->share[i] /= s->insts;
    out->insts_per_block = s->insts / (double)out->blocks;
    out->dominant_share = (double)dominant->warps / (double)out->warps;
    out->dominant_insts = dominant->insts;
    return take_dominant(l, out, dominant, err);
}

rb_code_t read_ahead(const sampler_launch_t *l, double share, uint64_t at_least, read_ahead_t *out,
                     rb_err_t *err)
{
    const uint64_t n = l->info->n_blocks;
    uint64_t wanted = (uint64_t)ceil(share * (double)n);
    look_t s = {.out = out};
    *out = (read_ahead_t){0};
    if (wanted < at_least)
        wanted = at_least;
    if (wanted > n)
        wanted = n;
    out->whole = wanted == n;
    rb_code_t rc = warp_reader_open(&s.reader, l, &out->table, err);
    if (rc == RB_OK)
        rc = take_blocks(&s, n, wanted, err);
    warp_reader_close(&s.reader);
    if (rc == RB_OK)
        rc = conclude(l, &s, err);
    free(s.types);
    hash_map_free(&s.by_type);
    return rc;
}

double read_ahead_dominant_work(const read_ahead_t *a)
{
    const double all = a->insts_per_block * (double)a->blocks;
    const double of_type = a->dominant_share * (double)a->warps * (double)a->dominant_insts;
    return all > 0 ? fmin(of_type / all, 1) : 0;
}

void read_ahead_free(read_ahead_t *a)
{
    bb_table_free(&a->table);
    free(a->share);
    free(a->dominant);
    *a = (read_ahead_t){0};
}
