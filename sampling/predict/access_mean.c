#include "sampling/predict/access_mean.h"

#include "sim/core/mix64.h"
#include "sim/sm/memory/coalesce.h"
#include "sim/sm/memory/prefetcher.h"

/* Of each class, this many accesses are looked at, and a part of the others. */
enum { ACCESS_MOST = 128, ACCESS_SHARE = 16 };

enum { BANKS = 32 };

/* What one access is like. */
static access_mean_t access_of(const launch_info_t *info, const inst_t *inst, const uint64_t *rec,
                               uint32_t mask)
{
    access_mean_t one = {.n = 1}, *a = &one;
    lane_addrs_t lanes;
    unsigned ideal;
    coalesce_decode(rec, inst->width, &lanes);
    const bool atomic = inst->access == ACC_ATOMIC || inst->access == ACC_REDUCTION;
    const mem_space_t space =
        inst->space != MEM_GENERIC
            ? (mem_space_t)inst->space
            : coalesce_generic_space(coalesce_first(rec), info->shared_base, info->local_base);
    const bool shared = space == MEM_SHARED;
    const pass_mode_t mode = shared && inst->access == ACC_LOAD ? PASS_PAIRS : PASS_GROUPS;
    a->passes += coalesce_bank_passes(&lanes, mask, inst->width, BANKS, mode, &ideal);
    if (atomic && shared)
        a->conflict += coalesce_word_conflict(&lanes, inst->width);
    if (shared || space == MEM_CONST)
        return one;
    if (space == MEM_LOCAL) { /* a word of all lanes is a line */
        const double words = inst->width < 4 ? 1 : inst->width / 4.0;
        a->lines += words;
        a->sectors += words * SECTORS_PER_LINE;
        return one;
    }
    coalesced_t lines;
    coalesce_lines(&lanes, inst->width, atomic ? COALESCE_ATOMIC : COALESCE_LOAD, &lines);
    a->lines += lines.n;
    for (uint32_t i = 0; i < lines.n; i++) {
        a->sectors += sectors_in(lines.line[i].sectors);
        a->conflict += atomic ? (double)lines.line[i].conflict / lines.n : 0;
        a->words += atomic ? (double)lines.line[i].words / lines.n : 0;
    }
    return one;
}

/* Addresses that are affine have equal shapes if they are equally far from the begin of a line. 0: any. */
static uint64_t shape_key(const inst_t *inst, const uint64_t *rec, uint32_t mask)
{
    if (addr_form(rec) != ADDR_AFFINE && addr_form(rec) != ADDR_ROWS)
        return 0;
    const uint64_t place = rec[1] % LINE_BYTES << 32 | mask;
    const uint64_t kind = (uint64_t)inst->width << 32 | (uint64_t)inst->space << 16 |
                          (uint64_t)inst->access << 8 | inst->cls;
    const uint64_t rows = addr_form(rec) == ADDR_ROWS ? rec[2] : 0;
    return mix64(mix64(mix64(rec[0] ^ mix64(place)) ^ rows) ^ kind) | 1;
}

void access_follow(access_mean_t *access, access_stride_t *stride, const inst_t *inst,
                   uint64_t line)
{
    access_mean_t *a = &access[inst->cls];
    access_stride_t *s = &stride[inst->pc / 16 % ACCESS_STRIDES];
    const uint64_t distance = line - s->line;
    const bool known = s->inst == inst;
    if (known && distance == 0)
        return;
    const bool equal = known && distance == s->distance;
    a->strided++;
    a->ahead += equal && s->equal >= PREFETCHER_SURE;
    a->ends += !equal && s->equal >= PREFETCHER_SURE;
    *s = (access_stride_t){inst, line, known ? distance : 0, equal ? s->equal + 1 : known};
}

void access_unfollow(access_mean_t *access, const access_stride_t *stride)
{
    for (size_t i = 0; i < ACCESS_STRIDES; i++)
        if (stride[i].equal >= PREFETCHER_SURE)
            access[stride[i].inst->cls].ends++;
}

void access_add(access_mean_t *access, access_shape_t *shapes, const launch_info_t *info,
                const inst_t *inst, const uint64_t *rec, uint32_t mask)
{
    access_mean_t *a = &access[inst->cls], one;
    if (a->n >= ACCESS_MOST && ++a->skipped % ACCESS_SHARE != 0)
        return;
    const uint64_t key = inst->space != MEM_GENERIC ? shape_key(inst, rec, mask) : 0;
    access_shape_t *known = &shapes[key % ACCESS_SHAPES];
    if (key == 0 || known->key != key) {
        one = access_of(info, inst, rec, mask);
        if (key != 0)
            *known = (access_shape_t){key, one};
    } else {
        one = known->mean;
    }
    a->n++;
    a->lines += one.lines;
    a->sectors += one.sectors;
    a->passes += one.passes;
    a->conflict += one.conflict;
    a->words += one.words;
}
