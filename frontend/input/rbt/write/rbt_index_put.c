#include "frontend/input/rbt/write/rbt_index_put.h"

#include <stdlib.h>

#include "frontend/input/rbt/rbt_checksum.h"

void rbt_page_put_clear(rbt_page_put_t *p)
{
    p->n_frames = p->n_placed = p->n_blocks = p->n_types = p->n_counts = 0;
    p->n_block_types = p->n_warps = 0;
    hash_map_clear(&p->type_map);
    hash_map_clear(&p->block_type_map);
}

void rbt_page_put_free(rbt_page_put_t *p)
{
    free(p->frames);
    free(p->blocks);
    free(p->types);
    free(p->counts);
    free(p->block_types);
    free(p->warps);
    hash_map_free(&p->type_map);
    hash_map_free(&p->block_type_map);
    *p = (rbt_page_put_t){0};
}

/* --- types ----------------------------------------------------------------------------------- */

static uint64_t hash_counts(uint32_t kernel, const rbt_bb_count_t *c, size_t n)
{
    uint64_t h = kernel;

    for (size_t i = 0; i < n; i++) {
        h = (h ^ c[i].bb) * 0x9e3779b97f4a7c15u;
        h = (h ^ h >> 29 ^ c[i].n) * 0xc2b2ae3d27d4eb4fu;
    }
    return h ^ h >> 32;
}

static bool is_type(const rbt_page_put_t *p, const rbt_warp_type_t *t, uint32_t kernel,
                    const rbt_bb_count_t *counts, size_t n)
{
    if (t->kernel != kernel || t->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (p->counts[t->at + i].bb != counts[i].bb || p->counts[t->at + i].n != counts[i].n)
            return false;
    return true;
}

uint32_t rbt_page_put_type(rbt_page_put_t *p, uint32_t kernel, const rbt_bb_count_t *counts,
                           size_t n)
{
    uint64_t hash = hash_counts(kernel, counts, n);

    for (hash_walk_t w = hash_map_walk(&p->type_map, hash); hash_walk_next(&w);)
        if (is_type(p, &p->types[w.number], kernel, counts, n))
            return w.number;
    rb_grow(&p->types, &p->cap_types, p->n_types + 1, sizeof(p->types[0]));
    rb_grow(&p->counts, &p->cap_counts, p->n_counts + n, sizeof(p->counts[0]));
    memcpy(p->counts + p->n_counts, counts, n * sizeof(*counts));
    p->types[p->n_types] = (rbt_warp_type_t){.kernel = kernel, .at = p->n_counts, .n = n};
    p->n_counts += n;
    hash_map_add(&p->type_map, hash, (uint32_t)p->n_types);
    return (uint32_t)p->n_types++;
}

uint32_t rbt_page_put_block_type(rbt_page_put_t *p, const uint32_t *warps, size_t n)
{
    uint64_t hash = rbt_checksum(warps, n * sizeof(*warps));

    for (hash_walk_t w = hash_map_walk(&p->block_type_map, hash); hash_walk_next(&w);) {
        const rbt_block_type_t *t = &p->block_types[w.number];

        if (t->n == n && memcmp(p->warps + t->at, warps, n * sizeof(*warps)) == 0)
            return w.number;
    }
    rb_grow(&p->block_types, &p->cap_block_types, p->n_block_types + 1, sizeof(p->block_types[0]));
    rb_grow(&p->warps, &p->cap_warps, p->n_warps + n, sizeof(p->warps[0]));
    memcpy(p->warps + p->n_warps, warps, n * sizeof(*warps));
    p->block_types[p->n_block_types] = (rbt_block_type_t){.at = p->n_warps, .n = n};
    p->n_warps += n;
    hash_map_add(&p->block_type_map, hash, (uint32_t)p->n_block_types);
    return (uint32_t)p->n_block_types++;
}

/* --- rows ------------------------------------------------------------------------------------ */

void rbt_page_put_block(rbt_page_put_t *p, const rbt_block_row_t *row)
{
    rb_grow(&p->blocks, &p->cap_blocks, p->n_blocks + 1, sizeof(p->blocks[0]));
    p->blocks[p->n_blocks++] = *row;
}

void rbt_page_put_frame(rbt_page_put_t *p, uint64_t unpacked, uint32_t n_blocks)
{
    rb_grow(&p->frames, &p->cap_frames, p->n_frames + 1, sizeof(p->frames[0]));
    p->frames[p->n_frames++] = (rbt_frame_row_t){.unpacked = unpacked, .n_blocks = n_blocks};
}

void rbt_page_put_placed(rbt_page_put_t *p, const rbt_place_t *place)
{
    if (p->n_placed == 0)
        p->offset = place->offset;
    rbt_frame_row_t *f = &p->frames[p->n_placed++];

    f->packed = place->packed;
    f->checksum = (uint32_t)place->checksum;
}

static void encode_frames(const rbt_page_put_t *p, rbt_buf_t *out)
{
    for (size_t i = 0; i < p->n_frames; i++)
        rbt_put_varint(out, p->frames[i].packed);
    for (size_t i = 0; i < p->n_frames; i++)
        rbt_put_varint(out, p->frames[i].unpacked);
    for (size_t i = 0; i < p->n_frames; i++)
        rbt_put_varint(out, p->frames[i].n_blocks);
    for (size_t i = 0; i < p->n_frames; i++)
        rbt_put_u32(out, p->frames[i].checksum);
}

/* --- warp types ------------------------------------------------------------------------------ */

/* A basic block that warp types of the page execute. */
typedef struct {
    uint32_t kernel, bb;
} named_bb_t;

static int by_kernel_and_bb(const void *a, const void *b)
{
    const named_bb_t *x = a, *y = b;

    if (x->kernel != y->kernel)
        return x->kernel < y->kernel ? -1 : 1;
    return x->bb < y->bb ? -1 : x->bb > y->bb;
}

/* Returns the distinct basic blocks in ascending order; the caller frees them. */
static named_bb_t *name_bbs(const rbt_page_put_t *p, size_t *n)
{
    named_bb_t *all = rb_calloc(p->n_counts + 1, sizeof(*all));
    size_t n_all = 0;

    for (size_t i = 0; i < p->n_types; i++)
        for (size_t k = 0; k < p->types[i].n; k++)
            all[n_all++] = (named_bb_t){p->types[i].kernel, p->counts[p->types[i].at + k].bb};
    qsort(all, n_all, sizeof(*all), by_kernel_and_bb);
    *n = 0;
    for (size_t i = 0; i < n_all; i++)
        if (i == 0 || by_kernel_and_bb(&all[i], &all[i - 1]) != 0)
            all[(*n)++] = all[i];
    return all;
}

static void encode_bbs(const named_bb_t *bbs, size_t n, const rbt_kernel_put_t *kernels,
                       rbt_buf_t *out)
{
    named_bb_t last = {0};

    rbt_put_varint(out, n);
    for (size_t i = 0; i < n; i++) {
        rbt_put_signed(out, (uint64_t)bbs[i].kernel - last.kernel);
        rbt_put_signed(out, (uint64_t)bbs[i].bb - last.bb);
        rbt_put_varint(out, kernels[bbs[i].kernel].code.bbs[bbs[i].bb].n);
        last = bbs[i];
    }
}

/* Writes the positions in bbs of the basic blocks of a type; both are in ascending order. */
static void encode_type_bbs(const rbt_page_put_t *p, const rbt_warp_type_t *t,
                            const named_bb_t *bbs, size_t n, rbt_buf_t *out)
{
    uint64_t last = 0;

    for (size_t k = t->at; k < t->at + t->n; k++) {
        const named_bb_t key = {t->kernel, p->counts[k].bb};
        const named_bb_t *found = bsearch(&key, bbs, n, sizeof(*bbs), by_kernel_and_bb);
        uint64_t place = (uint64_t)(found - bbs);

        rbt_put_signed(out, place - last);
        last = place;
    }
}

static void encode_counts(const rbt_page_put_t *p, const rbt_warp_type_t *t, rbt_buf_t *out)
{
    uint64_t last = 1, other = 1;

    for (size_t k = t->at; k < t->at + t->n; k++) {
        uint64_t n = p->counts[k].n;

        rbt_put_varint(out, n == last ? 0 : n == other ? 1 : n + 1);
        if (n != last)
            other = last;
        last = n;
    }
}

static void encode_types(const rbt_page_put_t *p, const rbt_kernel_put_t *kernels, rbt_buf_t *out)
{
    size_t n;
    named_bb_t *bbs = name_bbs(p, &n);

    encode_bbs(bbs, n, kernels, out);
    for (size_t i = 0; i < p->n_types; i++)
        rbt_put_varint(out, p->types[i].n);
    for (size_t i = 0; i < p->n_types; i++)
        encode_type_bbs(p, &p->types[i], bbs, n, out);
    for (size_t i = 0; i < p->n_types; i++)
        encode_counts(p, &p->types[i], out);
    free(bbs);
}

/* A run of warps of one type. */
typedef struct {
    uint32_t type, n; /* type + 1; 0: no such warp */
} warp_run_t;

static unsigned get_runs(const rbt_page_put_t *p, size_t i, warp_run_t runs[RBT_WARPS_MAX])
{
    const uint32_t *w = p->warps + p->block_types[i].at;
    unsigned n = 0;

    for (size_t k = 0; k < p->block_types[i].n; k++) {
        if (k == 0 || w[k] != w[k - 1])
            runs[n++] = (warp_run_t){.type = w[k]};
        runs[n - 1].n++;
    }
    return n;
}

static void encode_block_types(const rbt_page_put_t *p, rbt_buf_t *out)
{
    warp_run_t runs[RBT_WARPS_MAX];
    uint32_t seen = 0;

    for (size_t i = 0; i < p->n_block_types; i++)
        rbt_put_varint(out, get_runs(p, i, runs));
    for (size_t i = 0; i < p->n_block_types; i++) {
        unsigned n = get_runs(p, i, runs);

        for (unsigned k = 0; k < n; k++) {
            bool is_new = runs[k].type == seen + 1;

            rbt_put_varint(out, is_new ? 0 : (uint64_t)runs[k].type + 1);
            seen += is_new;
        }
    }
    for (size_t i = 0; i < p->n_block_types; i++) {
        unsigned n = get_runs(p, i, runs);

        for (unsigned k = 0; k < n; k++)
            rbt_put_varint(out, runs[k].n);
    }
}

/* Reads a column of all blocks. */
#define PUT_COLUMN(expr)                                                                           \
    do {                                                                                           \
        uint64_t last_ = 0;                                                                        \
        for (size_t i = 0; i < p->n_blocks; i++) {                                                 \
            const rbt_block_row_t *b = &p->blocks[i];                                              \
            rbt_put_signed(out, (expr)-last_);                                                     \
            last_ = (expr);                                                                        \
        }                                                                                          \
    } while (0)

static void encode_blocks(const rbt_page_put_t *p, rbt_buf_t *out)
{
    uint64_t expected = 0;

    for (size_t i = 0; i < p->n_blocks; i++) {
        rbt_put_signed(out, p->blocks[i].linear - expected);
        expected = p->blocks[i].linear + 1;
    }
    PUT_COLUMN((uint64_t)b->type);
    PUT_COLUMN(b->sum.thread_insts);
    PUT_COLUMN(b->sum.atomics);
    for (unsigned s = 0; s < RBT_SPACE_COUNT; s++)
        PUT_COLUMN(b->sum.requests[s]);
    for (unsigned s = 0; s < RBT_SPACE_COUNT; s++)
        PUT_COLUMN(b->sum.sectors[s] - b->sum.requests[s]);
}

void rbt_page_put_encode(const rbt_page_put_t *p, const rbt_kernel_put_t *kernels, rbt_buf_t *out)
{
    rbt_put_varint(out, p->n_frames);
    rbt_put_varint(out, p->n_blocks);
    rbt_put_varint(out, p->n_types);
    rbt_put_varint(out, p->n_block_types);
    encode_frames(p, out);
    encode_types(p, kernels, out);
    encode_block_types(p, out);
    encode_blocks(p, out);
}

void rbt_launches_encode(const rbt_launch_row_t *rows, size_t n, rbt_buf_t *out)
{
    rbt_put_varint(out, n);
    for (unsigned c = 0; c < RBT_LAUNCH_COLUMNS; c++) {
        uint64_t last = 0;

        for (size_t i = 0; i < n; i++) {
            uint64_t v;

            memcpy(&v, (const char *)&rows[i] + c * sizeof(v), sizeof(v));
            rbt_put_signed(out, v - last);
            last = v;
        }
    }
}
