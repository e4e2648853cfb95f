#include "sampling/predict/predict_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/engine/msg.h"
#include "sim/core/mix64.h"
#include "sim/gpu/warming/touch_code.h"
#include "sim/sm/memory/coalesce.h"

enum { INST_BYTES = 16 };

rb_code_t predict_profile_begin(predict_profile_t *p, trace_source_t *source, uint64_t id,
                                rb_err_t *err)
{
    *p = (predict_profile_t){.indexed = source->ops->launch_counts != NULL};
    RB_TRY(source->ops->launch_info(source, id, &p->info, err));
    p->blocks = p->info.n_blocks;
    if (!p->indexed)
        return RB_OK;
    RB_TRY(source->ops->launch_counts(source, id, &p->counts, err));
    p->blocks = p->counts.blocks;
    const launch_info_t *i = &p->info;
    const uint64_t shape[] = {i->code_id,  i->grid[0],  i->grid[1], i->grid[2],     i->block[0],
                              i->block[1], i->block[2], i->regs,    i->shared_bytes};
    for (size_t k = 0; k < sizeof(shape) / sizeof(shape[0]); k++)
        p->key = mix64(p->key ^ shape[k]);
    const uint64_t *count = (const uint64_t *)&p->counts;
    for (size_t k = 0; k < sizeof(p->counts) / sizeof(*count); k++)
        p->key = mix64(p->key ^ count[k]);
    return RB_OK;
}

/* --- paths ------------------------------------------------------------------------------------ */

static int by_address(const void *a, const void *b)
{
    const path_step_t *x = a, *y = b;
    return x->first->pc < y->first->pc ? -1 : x->first->pc > y->first->pc;
}

static bool same_path(const warp_path_t *a, const warp_path_t *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->step[i].first != b->step[i].first || a->step[i].n != b->step[i].n ||
            a->step[i].times != b->step[i].times)
            return false;
    return true;
}

/* Takes the path over. Where there is no room, the path that is most like it stands for it. */
static void add_path(predict_profile_t *p, warp_path_t *path)
{
    size_t near = 0;
    for (size_t i = 0; i < p->n_paths; i++) {
        const double here = p->path[i].insts - path->insts,
                     best = p->path[near].insts - path->insts;
        if (same_path(&p->path[i], path)) {
            p->path[i].share++;
            free(path->step);
            return;
        }
        near = here * here < best * best ? i : near;
    }
    if (p->n_paths < PROFILE_PATHS) {
        path->share = 1;
        p->path[p->n_paths++] = *path;
        return;
    }
    p->path[near].share++;
    free(path->step);
}

static void add_step(warp_path_t *path, size_t *cap, const path_step_t *step)
{
    for (size_t i = 0; i < path->n; i++)
        if (path->step[i].first == step->first && path->step[i].n == step->n) {
            path->step[i].times += step->times;
            return;
        }
    rb_grow(&path->step, cap, path->n + 1, sizeof(*path->step));
    path->step[path->n++] = *step;
}

/* A warp ends. own: of its block, which is no sample then; else NULL. */
static void end_path(predict_profile_t *p, warp_path_t *path, slow_block_t *own, double *longest)
{
    qsort(path->step, path->n, sizeof(*path->step), by_address);
    for (size_t i = 0; i < path->n; i++)
        path->insts += path->step[i].n * path->step[i].times;
    if (path->n == 0 || (own != NULL && path->insts <= own->path.insts)) {
        free(path->step);
    } else if (own != NULL) {
        free(own->path.step);
        own->path = *path;
    } else {
        p->sum.warps++;
        p->sum.insts += path->insts;
        *longest = path->insts > *longest ? path->insts : *longest;
        add_path(p, path);
    }
}

static rb_code_t index_block(predict_profile_t *p, trace_source_t *source, trace_launch_t *launch,
                             uint64_t block, slow_block_t *own, rb_err_t *err)
{
    const uint32_t threads = p->info.block[0] * p->info.block[1] * p->info.block[2];
    double longest = 0;
    for (uint32_t w = 0; w < (threads + WARP_LANES - 1) / WARP_LANES; w++) {
        const bb_count_t *counts;
        size_t n;
        RB_TRY(source->ops->warp_profile(launch, block, w, &counts, &n, err));
        warp_path_t path = {.step = rb_calloc(n + 1, sizeof(*path.step)), .n = n};
        for (size_t i = 0; i < n; i++) {
            basic_block_t bb;
            source->ops->basic_block(launch, counts[i].bb, &bb);
            path.step[i] = (path_step_t){bb.first, bb.known, bb.n_insts, (double)counts[i].n};
        }
        end_path(p, &path, own, &longest);
    }
    p->sum.blocks += own == NULL;
    p->sum.longest += longest;
    return RB_OK;
}

/* A sample ends. */
static void end_block(predict_profile_t *p, double before)
{
    const double insts = p->sum.insts - before;
    p->uneven |= p->sum.blocks > 1 && insts != p->sum.first;
    p->sum.first = p->sum.blocks <= 1 ? insts : p->sum.first;
}

/* --- decoded blocks --------------------------------------------------------------------------- */

/* path: NULL if it is known. */
static void decode_warp(predict_profile_t *p, access_mean_t *access, warp_stream_t *warp,
                        warp_path_t *path)
{
    size_t cap = 0;
    access_stride_t stride[ACCESS_STRIDES] = {{0}};
    for (bool some = stream_first(warp); some; some = stream_next(warp)) {
        const uint64_t *rec = warp->addrs;
        for (uint32_t r = 0; r < warp->n_runs; r++) {
            const trace_run_t *run = &warp->runs[r];
            if (path != NULL)
                add_step(path, &cap, &(path_step_t){run->first, run->count, run->count, 1});
            for (uint32_t i = 0; i < run->count && run->mask != 0; i++) {
                const inst_t *inst = &run->first[i];
                if (inst->space == MEM_NONE || inst->width == 0)
                    continue;
                access_add(access, p->shapes, &p->info, inst, rec, run->mask);
                if (p->strides && inst->cls == OP_LOAD_LG)
                    access_follow(access, stride, inst, coalesce_first(rec) / LINE_BYTES);
                rec += addr_words(rec);
            }
        }
    }
    access_unfollow(access, stride);
}

void predict_profile_add(predict_profile_t *p, trace_block_t *b)
{
    slow_block_t *own = NULL;
    double longest = 0;
    if (p->shapes == NULL)
        p->shapes = rb_calloc(ACCESS_SHAPES, sizeof(*p->shapes));
    for (size_t i = 0; i < p->n_slow; i++)
        own = p->slow[i].block == b->index ? &p->slow[i] : own;
    const double before = p->sum.insts;
    for (uint32_t w = 0; w < b->n_warps; w++) {
        warp_path_t path = {0};
        decode_warp(p, own != NULL ? own->access : p->access, &b->warps[w],
                    p->indexed ? NULL : &path);
        if (!p->indexed)
            end_path(p, &path, own, &longest);
    }
    for (uint32_t i = 0; i < b->n_waits; i++)
        p->spins += b->waits[i].polls;
    p->looked_at += b->n_warps;
    if (p->indexed)
        return;
    p->sum.blocks++;
    p->sum.longest += longest;
    end_block(p, before);
}

/* --- all of it -------------------------------------------------------------------------------- */

/* most[0]: the block with most instructions; most[1]: with most requests. */
static void choose_slow(predict_profile_t *p, const uint64_t most[PROFILE_SLOW])
{
    const bool both = most[1] != most[0] && p->blocks > PROFILE_SLOW; /* leaves a sample */
    p->n_slow = both ? PROFILE_SLOW : 1;
    p->slow[0].block = both && most[1] < most[0] ? most[1] : most[0];
    p->slow[1].block = most[1] < most[0] ? most[0] : most[1];
}

/* Sample i of n blocks. */
static uint64_t sample_at(const predict_profile_t *p, uint64_t i, uint64_t n)
{
    return (2 * i + 1) * p->blocks / (2 * n);
}

static uint64_t sample_count(const predict_profile_t *p)
{
    return p->blocks < PROFILE_BLOCKS ? p->blocks : PROFILE_BLOCKS;
}

static rb_code_t index_sample(predict_profile_t *p, trace_source_t *source, trace_launch_t *launch,
                              uint64_t block, rb_err_t *err)
{
    const double before = p->sum.insts;
    RB_TRY(index_block(p, source, launch, block, NULL, err));
    end_block(p, before);
    return RB_OK;
}

/* Sets the lengths of blocks, in their order, and the blocks that may be the slowest; samples on the way. */
static rb_code_t read_lengths(predict_profile_t *p, trace_source_t *source, trace_launch_t *launch,
                              bool sample, uint64_t most[PROFILE_SLOW], bool *uneven, rb_err_t *err)
{
    const uint64_t n = sample_count(p);
    uint64_t requests = 0, next = 0, *length = p->lengths;
    for (uint64_t i = 0; i < p->blocks; i++) {
        block_facts_t facts;
        bool stored;
        RB_TRY(source->ops->block_facts(launch, i, &facts, &stored, err));
        length[i] = stored ? facts.warp_insts : 0;
        *uneven |= length[i] != length[0];
        most[0] = length[i] > length[most[0]] ? i : most[0];
        p->key = mix64(p->key ^ length[i]);
        if (stored && facts.requests > requests) {
            requests = facts.requests;
            most[1] = i;
        }
        if (sample && next < n && sample_at(p, next, n) == i) {
            RB_TRY(index_sample(p, source, launch, i, err));
            next++;
        }
    }
    return RB_OK;
}

rb_code_t predict_profile_lengths(predict_profile_t *p, trace_source_t *source,
                                  trace_launch_t *launch, bool sample, rb_err_t *err)
{
    if (source->ops->block_facts == NULL || source->ops->warp_profile == NULL)
        return RB_OK;
    uint64_t most[PROFILE_SLOW] = {0};
    bool uneven = false;
    p->lengths = rb_calloc(p->blocks + 1, sizeof(*p->lengths));
    RB_TRY(read_lengths(p, source, launch, sample, most, &uneven, err));
    p->sampled = sample;
    p->uneven = uneven;
    if (uneven) {
        p->key = mix64(p->key ^ most[1]);
        choose_slow(p, most);
        return RB_OK;
    }
    free(p->lengths);
    p->lengths = NULL;
    return RB_OK;
}

/* The line of code of instruction i of a step. Those that are known may lie anywhere; the others follow. */
static uint32_t line_of(const path_step_t *s, uint32_t i)
{
    const uint32_t known = i < s->known ? i : s->known - 1;
    const inst_t *inst = &s->first[known];
    return touch_code_line(inst) / LINE_BYTES +
           (inst->pc % LINE_BYTES + (i - known) * INST_BYTES) / LINE_BYTES;
}

/* A kernel may jump over most of its code, within a step, too, where a trace lists only what is executed: what lies
 * between its first and last instruction is not what it reads. */
static void mark_code(predict_profile_t *p)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (size_t i = 0; i < p->n_paths; i++)
        for (size_t k = 0; k < p->path[i].n; k++)
            for (uint32_t j = 0; j < p->path[i].step[k].n; j++) {
                const uint32_t line = line_of(&p->path[i].step[k], j);
                low = line < low ? line : low;
                high = line > high ? line : high;
            }
    p->code_lines = high >= low ? high - low + 1 : 0;
    p->code = rb_calloc(p->code_lines + 1, sizeof(*p->code));
    for (size_t i = 0; i < p->n_paths; i++)
        for (size_t k = 0; k < p->path[i].n; k++)
            for (uint32_t j = 0; j < p->path[i].step[k].n; j++)
                p->code[line_of(&p->path[i].step[k], j) - low] = true;
}

/* Times that a warp waits for loads in a step; *loads: that it issues. */
static double waits_of(const path_step_t *s, double *loads)
{
    bool on_way[REG_ID_COUNT] = {false}, any = false;
    double waits = 0;
    for (const inst_t *inst = s->first; inst < s->first + s->known; inst++) {
        bool wait = false;
        for (unsigned d = 0; d < inst->n_wait; d++)
            wait |= on_way[inst->dep[d]];
        if (wait) {
            memset(on_way, 0, sizeof(on_way));
            waits++;
            any = false;
        }
        if (inst->cls != OP_LOAD_LG)
            continue;
        *loads += s->times;
        any = true;
        for (unsigned d = inst->n_wait - inst->n_set; d < inst->n_wait; d++)
            on_way[inst->dep[d]] = true;
    }
    return s->times * (waits + any);
}

double predict_profile_together(const predict_profile_t *p)
{
    double loads = 0, waits = 0;
    for (size_t i = 0; i < p->n_paths; i++)
        for (size_t k = 0; k < p->path[i].n; k++)
            waits += waits_of(&p->path[i].step[k], &loads);
    return waits > 0 ? loads / waits : 1;
}

/* What follows from the paths: shares, classes, code. */
static void digest(predict_profile_t *p)
{
    const sampled_t *sum = &p->sum;
    double insts[OP_CLASS_COUNT] = {0}, all = 0;
    p->warps = sum->blocks > 0 ? sum->warps / sum->blocks : 0;
    p->slowest = sum->insts > 0 ? sum->longest / sum->blocks * sum->warps / sum->insts : 1;
    p->spins = p->looked_at > 0 ? p->spins / p->looked_at : 0;
    for (size_t i = 0; i < p->n_paths; i++) {
        double loads = 0;
        p->path[i].share /= sum->warps;
        for (size_t k = 0; k < p->path[i].n; k++) {
            const path_step_t *s = &p->path[i].step[k];
            for (uint32_t j = 0; j < s->known; j++) {
                insts[s->first[j].cls] += s->times * p->path[i].share;
                loads += s->first[j].cls == OP_LOAD_LG;
            }
        }
        p->loads = fmax(p->loads, loads);
    }
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++)
        all += insts[c];
    mark_code(p);
    p->unknown = all > 0 ? insts[OP_UNKNOWN] / all : 0;
    if (p->indexed || all <= 0)
        return;
    const double warps = p->warps * (double)p->blocks;
    p->counts.blocks = p->blocks;
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++) {
        const access_mean_t *a = &p->access[c];
        const double n = insts[c] * warps;
        p->counts.insts[c] = (uint64_t)n;
        p->counts.warp_insts += (uint64_t)n;
        if (a->n > 0 && (c == OP_LOAD_LG || c == OP_STORE_LG || c == OP_ATOM_LG)) {
            p->counts.requests += (uint64_t)(n * a->lines / a->n);
            p->counts.global_sectors += (uint64_t)(n * a->sectors / a->n);
        }
    }
}

rb_code_t predict_profile_index(predict_profile_t *p, trace_source_t *source,
                                trace_launch_t *launch, rb_err_t *err)
{
    if (source->ops->warp_profile == NULL || source->ops->block_facts == NULL)
        return rb_fail(err, RB_USAGE,
                       "this trace has no index, which predictions of level 0 are made from: "
                       "'rubato convert' makes one; or take level 1, which reads blocks");
    const uint64_t n = p->sampled ? 0 : sample_count(p);
    for (uint64_t i = 0; i < n; i++)
        RB_TRY(index_sample(p, source, launch, sample_at(p, i, n), err));
    for (size_t k = 0; k < p->n_slow; k++)
        RB_TRY(index_block(p, source, launch, p->slow[k].block, &p->slow[k], err));
    p->uneven = p->lengths != NULL;
    return RB_OK;
}

rb_code_t predict_profile_end(predict_profile_t *p, rb_err_t *err)
{
    const warp_path_t *only = &p->slow[0].path;
    if (p->sum.warps <= 0 && only->n > 0) { /* the launch's only block */
        p->sum.blocks = p->sum.warps = 1;
        p->sum.insts = p->sum.longest = only->insts;
        warp_path_t path = *only;
        path.step = rb_calloc(path.n, sizeof(*path.step));
        memcpy(path.step, only->step, path.n * sizeof(*path.step));
        add_path(p, &path);
    }
    if (p->sum.warps <= 0)
        return rb_fail(err, RB_TRACE,
                       "%s: launch %llu: no instruction is known of the blocks that "
                       "were looked at",
                       p->info.file, (unsigned long long)p->info.id);
    digest(p);
    return RB_OK;
}

void predict_profile_free(predict_profile_t *p)
{
    for (size_t i = 0; i < p->n_paths; i++)
        free(p->path[i].step);
    for (size_t i = 0; i < PROFILE_SLOW; i++)
        free(p->slow[i].path.step);
    free(p->lengths);
    free(p->shapes);
    free(p->code);
    *p = (predict_profile_t){0};
}
