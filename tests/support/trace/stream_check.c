#include "tests/support/trace/stream_check.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

/* Position of a fault. */
typedef struct {
    const launch_info_t *info;
    const trace_block_t *block;
    uint32_t warp, run;
    bool lenient; /* masks and addresses may be absurd */
} place_t;

#define CHECK(place, cond, what)                                                                   \
    do {                                                                                           \
        if (!(cond))                                                                               \
            fail_msg("launch %llu (%s) block %llu warp %u run %u: %s",                             \
                     (unsigned long long)(place)->info->id, (place)->info->name,                   \
                     (unsigned long long)(place)->block->index, (place)->warp, (place)->run,       \
                     what);                                                                        \
    } while (0)

unsigned stream_lanes(const uint64_t *rec, uint64_t addr[32])
{
    unsigned n = addr_lanes(rec);

    for (unsigned k = 0; k < n && k < 32; k++) {
        int32_t offset = 0;

        if (addr_form(rec) == ADDR_LIST) {
            addr[k] = rec[1 + k];
            continue;
        }
        if (addr_form(rec) == ADDR_ROWS) {
            addr[k] = rec[1] + (uint64_t)(addr_row_distance(rec) * (int64_t)(k / addr_row(rec)) +
                                          addr_stride(rec) * (int64_t)(k % addr_row(rec)));
            continue;
        }
        if (addr_form(rec) == ADDR_DELTA)
            memcpy(&offset, (const char *)(rec + 2) + k * sizeof(offset), sizeof(offset));
        addr[k] = rec[1] + (addr_form(rec) == ADDR_AFFINE ? (uint64_t)(int64_t)addr_stride(rec) * k
                                                          : (uint64_t)(int64_t)offset);
    }
    return n;
}

static uint64_t mix_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* --- counting -------------------------------------------------------------------------------- */

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Number of distinct pieces of 1 << shift bytes that the lanes access. */
static uint64_t distinct(const uint64_t *addr, unsigned n, unsigned width, unsigned shift)
{
    uint64_t piece[32 * 2];
    unsigned n_pieces = 0;
    uint64_t count = 0;

    for (unsigned k = 0; k < n; k++) { /* no access is wider than one piece */
        piece[n_pieces++] = addr[k] >> shift;
        piece[n_pieces++] = (addr[k] + width - 1) >> shift;
    }
    qsort(piece, n_pieces, sizeof(piece[0]), compare_u64);
    for (unsigned i = 0; i < n_pieces; i++)
        count += i == 0 || piece[i] != piece[i - 1];
    return count;
}

static void count_access(stream_counts_t *c, const inst_t *in, const uint64_t *addr, unsigned n)
{
    uint64_t sectors = distinct(addr, n, in->width, 5);

    c->requests[in->space]++;
    c->lines[in->space] += distinct(addr, n, in->width, 7);
    c->sectors[in->space] += sectors;
    for (unsigned k = 0; k < n; k++)
        c->hash = mix_word(c->hash, addr[k]);
    if (in->space != MEM_GLOBAL)
        return;
    if (in->access == ACC_LOAD)
        c->load_sectors += sectors;
    else if (in->access == ACC_STORE)
        c->store_sectors += sectors;
    for (unsigned k = 0; k < n; k++) {
        uint64_t last = addr[k] + in->width - 1;

        if (c->lowest_address == 0 || addr[k] < c->lowest_address)
            c->lowest_address = addr[k];
        if (last > c->highest_address)
            c->highest_address = last;
    }
}

static void count_inst(stream_counts_t *c, const inst_t *in, uint32_t mask)
{
    c->warp_insts++;
    c->thread_insts += (unsigned)__builtin_popcount(mask);
    c->opcode[in->cls]++;
    c->lanes[in->cls] += (unsigned)__builtin_popcount(mask);
    c->mix[isa_class_group((op_class_t)in->cls)]++;
    c->hash = mix_word(c->hash, (uint64_t)in->pc << 32 | mask);
}

/* --- checking -------------------------------------------------------------------------------- */

static bool has_record(const inst_t *in, uint32_t mask)
{
    return in->space != MEM_NONE && in->width != 0 && mask != 0;
}

/* Checks the record of an instruction and returns the words it occupies. */
static size_t check_record(const place_t *at, const inst_t *in, uint32_t mask, const uint64_t *rec,
                           size_t words_left, stream_counts_t *c)
{
    uint64_t addr[32];
    unsigned lanes = (unsigned)__builtin_popcount(mask);

    CHECK(at, words_left >= 2, "an address record is missing");
    CHECK(at, addr_lanes(rec) == lanes, "an address record has the wrong number of lanes");
    CHECK(at, addr_words(rec) <= words_left, "an address record ends behind the stream");
    CHECK(at, addr_form(rec) == ADDR_AFFINE || addr_form(rec) == ADDR_ROWS || addr_stride(rec) == 0,
          "a stride without use");
    CHECK(at, addr_form(rec) != ADDR_ROWS || (addr_row(rec) >= 2 && 2 * addr_row(rec) <= lanes),
          "fewer than two rows");
    CHECK(at, (rec[0] & 0xffffff00u) == 0, "bits of a record's header that mean nothing are set");
    (void)stream_lanes(rec, addr);
    for (unsigned k = 0; k < lanes; k++)
        CHECK(at, at->lenient || addr[k] + in->width > addr[k],
              "an access wraps around the address space");
    if (c != NULL)
        count_access(c, in, addr, lanes);
    return addr_words(rec);
}

static uint64_t check_warp(place_t *at, uint32_t threads, stream_counts_t *c)
{
    const warp_stream_t *w = &at->block->warps[at->warp];
    uint32_t first = at->warp * 32;
    uint32_t exist = threads - first >= 32 ? UINT32_MAX : (1u << (threads - first)) - 1;
    uint64_t insts = 0;
    size_t word = 0;

    for (at->run = 0; at->run < w->n_runs; at->run++) {
        const trace_run_t *r = &w->runs[at->run];

        CHECK(at, r->first != NULL, "a run without instructions");
        CHECK(at, r->count > 0, "an empty run");
        CHECK(at, at->lenient || (r->mask & ~exist) == 0,
              "lanes are active that the warp does not have");
        insts += r->count;
        for (unsigned i = 0; i < r->count; i++) {
            const inst_t *in = &r->first[i];

            CHECK(at, in->cls < OP_CLASS_COUNT, "an instruction of no class");
            if (c != NULL)
                count_inst(c, in, r->mask);
            if (has_record(in, r->mask))
                word += check_record(at, in, r->mask, w->addrs + word, w->n_addr_words - word, c);
        }
    }
    at->run = 0;
    CHECK(at, insts == w->n_insts, "n_insts is not the sum of the runs");
    CHECK(at, word == w->n_addr_words, "addresses are left over");
    if (c != NULL)
        c->warps += w->n_runs > 0;
    return insts;
}

static void check_block(place_t *at, stream_counts_t *counts)
{
    const launch_info_t *info = at->info;
    const trace_block_t *b = at->block;
    uint32_t threads = info->block[0] * info->block[1] * info->block[2];
    uint64_t insts = 0;

    CHECK(at, b->n_warps == (threads + 31) / 32, "the wrong number of warps");
    for (unsigned d = 0; d < 3; d++)
        CHECK(at, b->id[d] < info->grid[d], "blockIdx is outside the grid");
    for (at->warp = 0; at->warp < b->n_warps; at->warp++)
        insts += check_warp(at, threads, counts);
    at->warp = 0;
    CHECK(at, insts == b->n_insts, "n_insts is not the sum of the warps");
    if (counts != NULL)
        counts->blocks++;
}

void stream_check_block(const launch_info_t *info, const trace_block_t *b, stream_counts_t *counts)
{
    place_t at = {.info = info, .block = b};

    check_block(&at, counts);
}

void stream_check_damaged(const launch_info_t *info, const trace_block_t *b)
{
    place_t at = {.info = info, .block = b, .lenient = true};

    check_block(&at, NULL);
}

void stream_check_launch(trace_source_t *s, uint64_t id, stream_counts_t *counts)
{
    launch_info_t info;
    trace_launch_t *l = NULL;
    trace_block_t *b = NULL;
    rb_err_t err = {0};

    if (s->ops->launch_info(s, id, &info, &err) != RB_OK || s->ops->open(s, id, &l, &err) != RB_OK)
        fail_msg("launch %llu: %s", (unsigned long long)id, err.text);
    assert_int_equal(info.id, id);
    assert_int_equal(info.n_blocks, (uint64_t)info.grid[0] * info.grid[1] * info.grid[2]);
    for (uint64_t i = 0;; i++) {
        if (s->ops->get_block(l, i, &b, &err) != RB_OK)
            fail_msg("launch %llu block %llu: %s", (unsigned long long)id, (unsigned long long)i,
                     err.text);
        if (b == NULL) {
            assert_int_equal(i, info.n_blocks);
            break;
        }
        assert_int_equal(b->index, i);
        stream_check_block(&info, b, counts);
        s->ops->free_block(l, b);
    }
    s->ops->close(l);
}

void stream_check_source(trace_source_t *s, stream_counts_t *counts)
{
    for (uint64_t id = 1; id <= s->ops->n_launches(s); id++)
        stream_check_launch(s, id, counts);
}

/* --- comparing ------------------------------------------------------------------------------- */

/* A position in a warp's stream. */
typedef struct {
    const warp_stream_t *warp;
    const uint64_t *rec;
    uint32_t run, inst;
} cursor_t;

static bool next(cursor_t *c, const inst_t **in, uint32_t *mask)
{
    if (c->run == c->warp->n_runs)
        return false;
    const trace_run_t *r = &c->warp->runs[c->run];

    *in = r->first + c->inst;
    *mask = r->mask;
    if (++c->inst == r->count) {
        c->inst = 0;
        c->run++;
    }
    return true;
}

static bool same_inst(const inst_t *a, const inst_t *b)
{
    return a->pc == b->pc && a->opcode == b->opcode && a->cls == b->cls && a->space == b->space &&
           a->access == b->access && a->width == b->width && a->flags == b->flags &&
           a->imm == b->imm && a->n_wait == b->n_wait && a->n_set == b->n_set &&
           memcmp(a->dep, b->dep, a->n_wait * sizeof(a->dep[0])) == 0;
}

static bool same_addresses(cursor_t *a, cursor_t *b)
{
    uint64_t x[32], y[32];
    unsigned n = stream_lanes(a->rec, x);

    if (stream_lanes(b->rec, y) != n || memcmp(x, y, n * sizeof(x[0])) != 0)
        return false;
    a->rec += addr_words(a->rec);
    b->rec += addr_words(b->rec);
    return true;
}

static bool warps_equal(const warp_stream_t *a, const warp_stream_t *b)
{
    cursor_t x = {.warp = a, .rec = a->addrs}, y = {.warp = b, .rec = b->addrs};
    const inst_t *in_x, *in_y;
    uint32_t mask_x, mask_y;

    if (a->n_insts != b->n_insts)
        return false;
    while (next(&x, &in_x, &mask_x)) {
        if (!next(&y, &in_y, &mask_y) || mask_x != mask_y || !same_inst(in_x, in_y))
            return false;
        if (has_record(in_x, mask_x) && !same_addresses(&x, &y))
            return false;
    }
    return true;
}

bool stream_blocks_equal(const trace_block_t *a, const trace_block_t *b)
{
    if (a->index != b->index || memcmp(a->id, b->id, sizeof(a->id)) != 0 ||
        a->n_warps != b->n_warps)
        return false;
    for (uint32_t w = 0; w < a->n_warps; w++)
        if (!warps_equal(&a->warps[w], &b->warps[w]))
            return false;
    return true;
}
