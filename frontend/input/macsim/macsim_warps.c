#include "frontend/input/macsim/macsim_warps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum {
    WARP_BITS = 16,       /* of a wid */
    WARP_THREADS = 32,    /* lanes */
    BLOCKS_MAX_LOG2 = 31, /* of a one-dimensional grid */
};

static uint64_t block_of(uint64_t wid)
{
    return wid >> WARP_BITS;
}

static int by_wid(const void *a, const void *b)
{
    const macsim_warp_t *x = a, *y = b;

    return x->wid < y->wid ? -1 : x->wid > y->wid;
}

/* "<wid> <number>" */
static rb_code_t read_pair(macsim_text_t *t, uint64_t *wid, uint64_t *number, rb_err_t *err)
{
    const char *p = t->text;

    if (!macsim_text_number(&p, UINT64_MAX, wid) || !macsim_text_number(&p, UINT64_MAX, number) ||
        !macsim_text_ends(p))
        return macsim_text_fail(t, err, "two numbers are expected, beginning with a warp's id");
    return RB_OK;
}

/* Memory is proportional to the data read, not to the announced count. */
static rb_code_t read_ids(macsim_text_t *t, macsim_warps_t *w, rb_err_t *err)
{
    uint64_t n, start;
    const char *p;

    RB_TRY(macsim_text_head(t, err));
    RB_TRY(macsim_text_need(t, "the number of blocks per SM", err));
    RB_TRY(macsim_text_need(t, "the number of warps", err));
    p = t->text;
    if (!macsim_text_number(&p, UINT64_MAX, &n) || !macsim_text_ends(p) || n == 0)
        return macsim_text_fail(t, err, "the number of warps is expected, not '%.40s'", t->text);
    for (uint64_t i = 0; i < n; i++) {
        macsim_warp_t warp = {0};

        RB_TRY(macsim_text_need(t, "the last warp that it announces", err));
        RB_TRY(read_pair(t, &warp.wid, &start, err));
        if (start != 0)
            return macsim_text_fail(
                t, err, "a warp that starts at instruction %" PRIu64 " is not supported", start);
        rb_grow(&w->warps, &w->cap_warps, w->n_warps + 1, sizeof(w->warps[0]));
        w->warps[w->n_warps++] = warp;
    }
    qsort(w->warps, w->n_warps, sizeof(w->warps[0]), by_wid);
    for (size_t i = 1; i < w->n_warps; i++)
        if (w->warps[i].wid == w->warps[i - 1].wid)
            return macsim_text_fail(t, err, "warp %" PRIu64 " appears twice", w->warps[i].wid);
    return RB_OK;
}

static rb_code_t group_blocks(const macsim_text_t *t, macsim_warps_t *w, rb_err_t *err)
{
    for (size_t i = 0; i < w->n_warps; i++) {
        uint64_t number = block_of(w->warps[i].wid);

        if (w->n_blocks == 0 || w->blocks[w->n_blocks - 1].number != number) {
            rb_grow(&w->blocks, &w->cap_blocks, w->n_blocks + 1, sizeof(w->blocks[0]));
            w->blocks[w->n_blocks++] = (macsim_stored_block_t){.number = number, .first = i};
        }
        if (++w->blocks[w->n_blocks - 1].n_warps > MACSIM_WARPS_MAX)
            return macsim_text_fail(t, err, "block %" PRIu64 " has more than %d warps", number,
                                    MACSIM_WARPS_MAX);
    }
    return RB_OK;
}

static rb_code_t read_counts(macsim_text_t *t, macsim_warps_t *w, rb_err_t *err)
{
    size_t found = 0;

    for (bool more;;) {
        macsim_warp_t line = {0};

        RB_TRY(macsim_text_next(t, &more, err));
        if (!more)
            break;
        if (t->text[0] == '\0')
            continue;
        RB_TRY(read_pair(t, &line.wid, &line.records, err));
        macsim_warp_t *warp = bsearch(&line, w->warps, w->n_warps, sizeof(w->warps[0]), by_wid);

        if (warp == NULL)
            return macsim_text_fail(t, err, "trace.txt has no warp %" PRIu64, line.wid);
        if (line.records == 0)
            return macsim_text_fail(t, err, "a warp of no records");
        if (warp->records != 0)
            return macsim_text_fail(t, err, "warp %" PRIu64 " appears twice", line.wid);
        warp->records = line.records;
        found++;
    }
    return found == w->n_warps
               ? RB_OK
               : macsim_text_fail(t, err,
                                  "the file is truncated: it has %zu of the %zu warps of trace.txt",
                                  found, w->n_warps);
}

static rb_code_t read_counts_file(const macsim_kernel_t *k, macsim_warps_t *w, rb_err_t *err)
{
    static const char name[] = "/trace_info.txt";
    char *path = rb_calloc(strlen(k->folder) + sizeof(name), 1);
    macsim_text_t t;

    strcpy(path, k->folder);
    strcat(path, name);
    rb_code_t code = macsim_text_open(&t, path, err);

    if (code == RB_OK) {
        code = read_counts(&t, w, err);
        macsim_text_close(&t);
    }
    free(path);
    return code;
}

rb_code_t macsim_warps_read(const macsim_kernel_t *k, bool counts, macsim_warps_t *w, rb_err_t *err)
{
    macsim_text_t t;

    *w = (macsim_warps_t){0};
    RB_TRY(macsim_text_open(&t, k->trace, err));
    rb_code_t code = read_ids(&t, w, err);

    if (code == RB_OK)
        code = group_blocks(&t, w, err);
    macsim_text_close(&t);
    RB_TRY(code);
    return counts ? read_counts_file(k, w, err) : RB_OK;
}

void macsim_warps_free(macsim_warps_t *w)
{
    free(w->warps);
    free(w->blocks);
    *w = (macsim_warps_t){0};
}

static uint32_t most_warps(const macsim_warps_t *w)
{
    uint32_t most = 0;

    for (size_t i = 0; i < w->n_blocks; i++)
        most = w->blocks[i].n_warps > most ? w->blocks[i].n_warps : most;
    return most;
}

rb_code_t macsim_warps_shape(const macsim_warps_t *w, const macsim_kernel_t *k, launch_info_t *info,
                             rb_err_t *err)
{
    uint64_t blocks = w->blocks[w->n_blocks - 1].number + 1;
    uint32_t warps = most_warps(w);

    if (!k->described) {
        if (blocks > 1ull << BLOCKS_MAX_LOG2)
            return rb_fail(err, RB_TRACE, "%s: block %" PRIu64 " is impossible", k->trace,
                           blocks - 1);
        info->grid[0] = (uint32_t)blocks;
        info->block[0] = warps * WARP_THREADS;
        info->grid[1] = info->grid[2] = info->block[1] = info->block[2] = 1;
        info->n_blocks = blocks;
        return RB_OK;
    }
    uint32_t threads = k->block[0] * k->block[1] * k->block[2];

    memcpy(info->grid, k->grid, sizeof(info->grid));
    memcpy(info->block, k->block, sizeof(info->block));
    info->regs = k->regs;
    info->shared_bytes = k->shared_bytes;
    info->n_blocks = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
    if (blocks > info->n_blocks)
        return rb_fail(err, RB_TRACE, "%s: block %" PRIu64 " is outside the grid of (%u,%u,%u)",
                       k->trace, blocks - 1, k->grid[0], k->grid[1], k->grid[2]);
    if (warps > (threads + WARP_THREADS - 1) / WARP_THREADS)
        return rb_fail(err, RB_TRACE, "%s: %u warps in a block of %u threads", k->trace, warps,
                       threads);
    return RB_OK;
}

unsigned macsim_warps_place(const macsim_warps_t *w, const macsim_stored_block_t *b, unsigned i,
                            unsigned warps_per_block)
{
    const uint64_t mask = (1u << WARP_BITS) - 1;
    const macsim_warp_t *warps = &w->warps[b->first];
    bool gaps = (warps[b->n_warps - 1].wid & mask) >= warps_per_block; /* the last one has the
                                                                        * highest number */

    return gaps ? i : (unsigned)(warps[i].wid & mask);
}
