#include "frontend/input/rbt/read/rbt_index_get.h"

#include <math.h>
#include <stdlib.h>

#include "sim/core/find_first.h"

enum {
    GRID_BLOCKS_MAX_LOG2 = 40,
    BLOCK_THREADS_MAX = 1024,
    REGISTERS_MAX = 255,
    SHARED_MAX = 1 << 20,
    FRAME_ROW_BYTES = 7, /* minimum bytes of a row in an unpacked page */
    BLOCK_ROW_BYTES = 4 + 2 * RBT_SPACE_COUNT,
    TYPE_ROW_BYTES = 3,
    NAMED_BB_BYTES = 3,
    COUNT_BYTES = 2,
    RUN_BYTES = 2,
    BLOCK_TYPE_ROW_BYTES = 1,
};

void rbt_page_free(rbt_page_t *p)
{
    free(p->frames);
    free(p->blocks);
    free(p->types);
    free(p->counts);
    free(p->block_types);
    free(p->warps);
    *p = (rbt_page_t){0};
}

/* --- a page of blocks ------------------------------------------------------------------------ */

static void get_frames(rbt_page_t *p, rbt_in_t *in, uint64_t offset)
{
    uint32_t block = 0;

    for (size_t i = 0; i < p->n_frames; i++) {
        p->frames[i].place.packed = rbt_get_varint(in);
        p->frames[i].place.offset = offset;
        if (__builtin_add_overflow(offset, p->frames[i].place.packed, &offset))
            in->bad = true;
    }
    for (size_t i = 0; i < p->n_frames; i++)
        p->frames[i].place.unpacked = rbt_get_varint(in);
    for (size_t i = 0; i < p->n_frames; i++) {
        p->frames[i].first_block = block;
        p->frames[i].n_blocks = (uint32_t)rbt_get_count(in, p->n_blocks - block);
        block += p->frames[i].n_blocks;
    }
    for (size_t i = 0; i < p->n_frames; i++)
        p->frames[i].place.checksum = rbt_get_u32(in);
    if (block != p->n_blocks)
        in->bad = true;
}

/* A basic block that warp types of the page execute. */
typedef struct {
    uint32_t kernel, bb, n_insts;
} named_bb_t;

/* The caller frees the result. */
static named_bb_t *get_bbs(rbt_in_t *in, size_t n_kernels, size_t *n)
{
    named_bb_t b = {0};

    *n = rbt_get_count(in, rbt_in_left(in) / NAMED_BB_BYTES);
    named_bb_t *bbs = rb_calloc(*n + 1, sizeof(*bbs));

    for (size_t i = 0; i < *n && !in->bad; i++) {
        b.kernel += (uint32_t)rbt_get_signed(in);
        b.bb += (uint32_t)rbt_get_signed(in);
        b.n_insts = (uint32_t)rbt_get_count(in, RBT_BB_INSTS);
        in->bad |= b.kernel >= n_kernels;
        bbs[i] = b;
    }
    return bbs;
}

/* Reads the basic blocks of a type: all of one kernel, in ascending order. Stores their instruction
 * counts where get_counts() needs them. */
static void get_type_bbs(rbt_page_t *p, rbt_warp_type_t *t, const named_bb_t *bbs, size_t n,
                         rbt_in_t *in)
{
    uint64_t place = 0, last;

    for (size_t k = 0; k < t->n && !in->bad; k++) {
        last = place;
        place += rbt_get_signed(in);
        if (place >= n || (k > 0 && (place <= last || bbs[place].kernel != t->kernel))) {
            in->bad = true;
            return;
        }
        t->kernel = bbs[place].kernel;
        p->counts[t->at + k] = (rbt_bb_count_t){.bb = bbs[place].bb, .n = bbs[place].n_insts};
    }
}

/* Reads executions, which replace the instruction counts that get_type_bbs() stored. */
static void get_counts(rbt_page_t *p, rbt_warp_type_t *t, rbt_in_t *in)
{
    uint64_t last = 1, other = 1;

    for (size_t k = t->at; k < t->at + t->n; k++) {
        uint64_t v = rbt_get_varint(in), n = v == 0 ? last : v == 1 ? other : v - 1;

        if (n != last)
            other = last;
        last = n;
        t->n_insts += n * p->counts[k].n;
        p->counts[k].n = n;
    }
}

static void get_types(rbt_page_t *p, rbt_in_t *in, size_t n_kernels)
{
    size_t n;
    named_bb_t *bbs = get_bbs(in, n_kernels, &n);

    for (size_t i = 0; i < p->n_types && !in->bad; i++) {
        p->types[i].n = rbt_get_count(in, rbt_in_left(in));
        p->types[i].at = p->n_counts;
        p->n_counts += p->types[i].n;
        in->bad |= p->types[i].n == 0;
    }
    in->bad |= p->n_counts > rbt_in_left(in) / COUNT_BYTES;
    if (!in->bad)
        p->counts = rb_calloc(p->n_counts + 1, sizeof(*p->counts));
    for (size_t i = 0; i < p->n_types && !in->bad; i++)
        get_type_bbs(p, &p->types[i], bbs, n, in);
    for (size_t i = 0; i < p->n_types && !in->bad; i++)
        get_counts(p, &p->types[i], in);
    free(bbs);
}

static void get_block_types(rbt_page_t *p, rbt_in_t *in)
{
    size_t n_runs = 0, at = 0;
    uint32_t seen = 0;

    for (size_t i = 0; i < p->n_block_types; i++)
        n_runs += p->block_types[i].n = rbt_get_count(in, RBT_WARPS_MAX);
    if (in->bad || n_runs > rbt_in_left(in) / RUN_BYTES) {
        in->bad = true;
        return;
    }
    uint32_t *types = rb_calloc(n_runs + 1, sizeof(*types));

    for (size_t i = 0; i < n_runs; i++) {
        uint64_t v = rbt_get_count(in, p->n_types + 1);

        types[i] = v == 0 ? ++seen : (uint32_t)v - 1;
        in->bad |= types[i] > p->n_types;
    }
    p->warps = rb_calloc(p->n_block_types * (size_t)RBT_WARPS_MAX + 1, sizeof(*p->warps));
    for (size_t i = 0; i < p->n_block_types && !in->bad; i++) {
        rbt_block_type_t *t = &p->block_types[i];
        size_t end = at + t->n;

        t->at = p->n_warps;
        for (t->n = 0; at < end; at++)
            for (size_t n = rbt_get_count(in, RBT_WARPS_MAX - t->n); n > 0; n--, t->n++) {
                p->warps[p->n_warps++] = types[at];
                t->n_insts += types[at] != 0 ? p->types[types[at] - 1].n_insts : 0;
            }
    }
    free(types);
}

/* Reads a column of all blocks. */
#define GET_COLUMN(lvalue, type)                                                                   \
    do {                                                                                           \
        uint64_t last_ = 0;                                                                        \
        for (size_t i = 0; i < p->n_blocks; i++) {                                                 \
            rbt_block_row_t *b = &p->blocks[i];                                                    \
            last_ += rbt_get_signed(in);                                                           \
            (lvalue) = (type)last_;                                                                \
        }                                                                                          \
    } while (0)

static void get_blocks(rbt_page_t *p, rbt_in_t *in, size_t n_spaces)
{
    uint64_t expected = 0, unknown;

    for (size_t i = 0; i < p->n_blocks; i++) {
        p->blocks[i].linear = expected + rbt_get_signed(in);
        expected = p->blocks[i].linear + 1;
    }
    GET_COLUMN(b->type, uint32_t);
    GET_COLUMN(b->sum.thread_insts, uint64_t);
    GET_COLUMN(b->sum.atomics, uint64_t);
    for (size_t s = 0; s < n_spaces; s++)
        GET_COLUMN(*(s < RBT_SPACE_COUNT ? &b->sum.requests[s] : &unknown), uint64_t);
    for (size_t s = 0; s < n_spaces; s++)
        GET_COLUMN(*(s < RBT_SPACE_COUNT ? &b->sum.sectors[s] : &unknown), uint64_t);
    for (size_t i = 0; i < p->n_blocks; i++) {
        rbt_block_row_t *b = &p->blocks[i];

        for (unsigned s = 0; s < RBT_SPACE_COUNT; s++)
            b->sum.sectors[s] += b->sum.requests[s];

        if (b->type >= p->n_block_types) {
            in->bad = true;
            return;
        }
        b->sum.warp_insts = p->block_types[b->type].n_insts;
    }
}

const char *rbt_page_get(rbt_page_t *p, const rbt_file_t *f, const rbt_block_page_ref_t *ref,
                         const rbt_buf_t *bytes)
{
    rbt_in_t in = {.at = bytes->p, .end = bytes->p + bytes->n};

    p->n_frames = rbt_get_count(&in, bytes->n / FRAME_ROW_BYTES);
    p->n_blocks = rbt_get_count(&in, bytes->n / BLOCK_ROW_BYTES);
    p->n_types = rbt_get_count(&in, bytes->n / TYPE_ROW_BYTES);
    p->n_block_types = rbt_get_count(&in, bytes->n / BLOCK_TYPE_ROW_BYTES);
    if (in.bad || p->n_frames != ref->n_frames || p->n_blocks != ref->n_blocks ||
        p->n_block_types > p->n_blocks || p->n_types > RBT_WARPS_MAX * p->n_blocks)
        return "its numbers of rows are inconsistent";
    p->frames = rb_calloc(p->n_frames, sizeof(*p->frames));
    p->blocks = rb_calloc(p->n_blocks, sizeof(*p->blocks));
    p->types = rb_calloc(p->n_types + 1, sizeof(*p->types));
    p->block_types = rb_calloc(p->n_block_types + 1, sizeof(*p->block_types));
    get_frames(p, &in, ref->first_frame);
    get_types(p, &in, f->n_kernels);
    if (!in.bad)
        get_block_types(p, &in);
    if (!in.bad)
        get_blocks(p, &in, f->n_spaces);
    return in.bad || in.at != in.end ? "its rows are inconsistent" : NULL;
}

rb_code_t rbt_page_read(rbt_page_t *p, const rbt_file_t *f, size_t n, rbt_unpacker_t *unpacker,
                        rb_err_t *err)
{
    const rbt_block_page_ref_t *ref = &f->block_pages[n];
    rbt_buf_t bytes = {0};

    *p = (rbt_page_t){0};
    rb_code_t code =
        rbt_file_read(f, &ref->place, RBT_PAGE_BYTES, "index page", unpacker, &bytes, err);

    if (code == RB_OK) {
        const char *wrong = rbt_page_get(p, f, ref, &bytes);

        if (wrong != NULL)
            code = rbt_file_fail(f, ref->place.offset, "index page", wrong, err);
    }
    free(bytes.p);
    return code;
}

/* --- a page of launches ---------------------------------------------------------------------- */

static bool dim_is_valid(const uint64_t *dim)
{
    for (unsigned i = 0; i < 3; i++)
        if (dim[i] == 0 || dim[i] > INT32_MAX)
            return false;
    return true;
}

static const char *check_launch(const rbt_file_t *f, const rbt_launch_row_t *r, uint64_t last_id)
{
    const uint64_t max = 1ull << GRID_BLOCKS_MAX_LOG2;

    if (r->kernel >= f->n_kernels)
        return "a launch has a kernel that does not exist";
    if (r->id <= last_id)
        return "the ids of its launches are not ascending";
    if (!dim_is_valid(r->grid) || r->grid[0] * r->grid[1] > max / r->grid[2] ||
        r->n_blocks > r->grid[0] * r->grid[1] * r->grid[2])
        return "a launch has an impossible grid";
    if (!dim_is_valid(r->block) || r->block[0] > BLOCK_THREADS_MAX ||
        r->block[1] > BLOCK_THREADS_MAX || r->block[2] > BLOCK_THREADS_MAX ||
        r->block[0] * r->block[1] * r->block[2] > BLOCK_THREADS_MAX)
        return "a launch has impossible thread blocks";
    if (r->regs > REGISTERS_MAX || r->shared_bytes > SHARED_MAX)
        return "a launch needs more registers or shared memory than an SM has";
    double weight;

    memcpy(&weight, &r->weight, sizeof(weight));
    if (!isfinite(weight) || weight < 0)
        return "a launch has an impossible weight";
    return NULL;
}

/* The file may have classes and spaces that we do not know, and lack classes that we have. */
static void get_columns(const rbt_file_t *f, rbt_in_t *in, rbt_launch_t *l, size_t n)
{
    size_t n_sums = offsetof(rbt_launch_row_t, requests) / sizeof(uint64_t);
    size_t n_columns = n_sums + 2 * f->n_spaces + f->n_classes;

    for (size_t c = 0; c < n_columns && !in->bad; c++) {
        uint64_t v = 0;

        for (size_t i = 0; i < n; i++) {
            rbt_launch_row_t *r = &l[i].row;

            v += rbt_get_signed(in);
            if (c < n_sums)
                memcpy((char *)r + c * sizeof(v), &v, sizeof(v));
            else if (c < n_sums + f->n_spaces && c - n_sums < RBT_SPACE_COUNT)
                r->requests[c - n_sums] = v;
            else if (c >= n_sums + f->n_spaces && c - n_sums - f->n_spaces < RBT_SPACE_COUNT)
                r->sectors[c - n_sums - f->n_spaces] = v;
            else if (c >= n_sums + 2 * f->n_spaces)
                r->classes[f->classes[c - n_sums - 2 * f->n_spaces]] += v;
        }
    }
}

const char *rbt_launches_get(const rbt_file_t *f, const rbt_launch_page_ref_t *ref, rbt_launch_t *l,
                             const rbt_buf_t *bytes)
{
    rbt_in_t in = {.at = bytes->p, .end = bytes->p + bytes->n};
    uint64_t id = 0, block = ref->first_block;

    if (rbt_get_varint(&in) != ref->n_launches)
        return "its number of launches is not the root's";
    get_columns(f, &in, l, ref->n_launches);
    if (in.bad || in.at != in.end)
        return "its rows are inconsistent";
    for (size_t i = 0; i < ref->n_launches; i++) {
        const char *wrong = check_launch(f, &l[i].row, id);

        if (wrong != NULL)
            return wrong;
        id = l[i].row.id;
        l[i].first_block = block;
        block += l[i].row.n_blocks;
    }
    return block - ref->first_block == ref->n_blocks ? NULL
                                                     : "its number of blocks is not the root's";
}

rbt_launch_t *rbt_launches_read(const rbt_file_t *f, size_t n, rbt_unpacker_t *unpacker,
                                rb_err_t *err)
{
    const rbt_launch_page_ref_t *ref = &f->launch_pages[n];
    rbt_buf_t bytes = {0};
    rbt_launch_t *l = NULL;

    if (rbt_file_read(f, &ref->place, RBT_PAGE_BYTES, "page of launches", unpacker, &bytes, err) ==
        RB_OK) {
        const char *wrong = "its number of launches is not the root's";

        if (ref->n_launches <= bytes.n) {
            l = rb_calloc(ref->n_launches, sizeof(*l));
            wrong = rbt_launches_get(f, ref, l, &bytes);
        }
        if (wrong != NULL) {
            rbt_file_fail(f, ref->place.offset, "page of launches", wrong, err);
            free(l);
            l = NULL;
        }
    }
    free(bytes.p);
    return l;
}

size_t rbt_file_block_page(const rbt_file_t *f, uint64_t block)
{
    size_t after;

    FIND_FIRST(after, 1, f->n_block_pages, f->block_pages[after].first_block > block);
    return after - 1;
}

size_t rbt_file_launch_page(const rbt_file_t *f, uint64_t launch)
{
    size_t after;

    FIND_FIRST(after, 1, f->n_launch_pages, f->launch_pages[after].first_launch > launch);
    return after - 1;
}
