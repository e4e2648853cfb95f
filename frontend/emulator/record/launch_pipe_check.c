#include "frontend/emulator/record/launch_pipe_check.h"

enum { WARP = 32, THREADS_MAX = 1024 };

/* Product of three numbers; 0 if one of them is 0 or the product exceeds max. */
static uint64_t product(const uint32_t n[3], uint64_t max)
{
    uint64_t plane = (uint64_t)n[0] * n[1];

    return plane == 0 || n[2] == 0 || plane > max / n[2] ? 0 : plane * n[2];
}

bool launch_pipe_launch_holds(const launch_info_t *info)
{
    uint64_t blocks = product(info->grid, INT64_MAX);

    return blocks > 0 && info->n_blocks == blocks && product(info->block, THREADS_MAX) > 0 &&
           isa_arch_name(info->arch) != NULL;
}

bool launch_pipe_block_holds(const launch_info_t *info, const pipe_block_t *block)
{
    return block->index < info->n_blocks && block->id[0] < info->grid[0] &&
           block->id[1] < info->grid[1] && block->id[2] < info->grid[2] &&
           block->n_warps == (product(info->block, THREADS_MAX) + WARP - 1) / WARP;
}

/* Whether the words at rec, left of them, begin with a record of that many lanes. */
static bool is_record(const uint64_t *rec, size_t left, unsigned lanes)
{
    if (left == 0 || addr_lanes(rec) != lanes || (rec[0] & 0xffffff00u) != 0 ||
        addr_words(rec) > left)
        return false;
    switch (addr_form(rec)) {
    case ADDR_AFFINE:
        return true;
    case ADDR_ROWS:
        return addr_row(rec) >= 2 && addr_row(rec) <= lanes;
    default:
        return addr_stride(rec) == 0;
    }
}

/* Number of words of a run's address records, which begin at rec; more than left if they do not fit
 * or one is not a record. */
static size_t run_words(const trace_run_t *run, const uint64_t *rec, size_t left)
{
    const unsigned lanes = (unsigned)__builtin_popcount(run->mask);
    size_t words = 0;

    for (unsigned i = 0; lanes > 0 && i < run->count; i++) {
        const inst_t *in = &run->first[i];
        if (in->space == MEM_NONE || in->width == 0)
            continue;
        if (!is_record(rec + words, left - words, lanes))
            return left + 1;
        words += addr_words(rec + words);
    }
    return words;
}

bool launch_pipe_words_hold(const warp_stream_t *w, uint64_t *insts)
{
    size_t words = 0;

    for (uint32_t i = 0; i < w->n_runs && words <= w->n_addr_words; i++) {
        *insts += w->runs[i].count;
        words += run_words(&w->runs[i], w->addrs + words, w->n_addr_words - words);
    }
    return words == w->n_addr_words;
}

static bool stream_holds(const warp_stream_t *w)
{
    uint64_t insts = 0;

    return launch_pipe_words_hold(w, &insts) && insts == w->n_insts;
}

bool launch_pipe_streams_hold(const trace_block_t *block)
{
    uint64_t insts = 0;

    for (uint32_t i = 0; i < block->n_warps; i++) {
        if (!stream_holds(&block->warps[i]))
            return false;
        insts += block->warps[i].n_insts;
    }
    return insts == block->n_insts;
}
