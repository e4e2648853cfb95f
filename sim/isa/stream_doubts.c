#include "sim/isa/stream_doubts.h"

#include <string.h>

enum { STREAM_MAY_BE_NULL = 0x80, ALIGN_BITS = 0x0f, NULL_BYTES = 4096 };

/* Local addresses of a text trace may be offsets, and shared ones begin at 0. */
static uint8_t describe_access(const inst_t *in)
{
    const bool global = in->space == MEM_GLOBAL || in->space == MEM_GENERIC;
    const bool aligned = global || in->space == MEM_SHARED || in->space == MEM_LOCAL;
    return (uint8_t)((aligned ? (in->width - 1u) & ALIGN_BITS : 0u) |
                     (global ? STREAM_MAY_BE_NULL : 0u));
}

static void describe_run(stream_run_facts_t *f, const inst_t *first, uint16_t count)
{
    *f = (stream_run_facts_t){.first = first, .count = count};
    for (; f->covered < count; f->covered++) {
        const inst_t *in = first + f->covered;
        if (in->space != MEM_NONE && in->width != 0) {
            if (f->n == STREAM_RUN_ACCESSES)
                break;
            f->access[f->n++] = describe_access(in);
        }
        if ((in->flags & (INST_BARRIER | INST_BAR_ARRIVE)) == INST_BARRIER)
            f->barriers++;
        f->exits = (in->flags & INST_EXIT) != 0;
    }
}

static const stream_run_facts_t *find_run(stream_doubts_memo_t *memo, const inst_t *first,
                                          uint16_t count)
{
    const size_t at = (uintptr_t)first / sizeof(inst_t) + count;
    stream_run_facts_t *f = &memo->kept[at % STREAM_RUNS_KEPT];
    if (f->first != first || f->count != count)
        describe_run(f, first, count);
    return f;
}

/* All bits that the addresses of a record have, or more: enough to see that they are aligned. */
static uint64_t address_bits(const uint64_t *rec)
{
    const unsigned n = addr_lanes(rec);
    uint64_t bits = rec[1];
    switch (addr_form(rec)) {
    case ADDR_AFFINE:
        return n > 1 ? bits | rec[0] >> 32 : bits;
    case ADDR_ROWS:
        return bits | rec[0] >> 32 | rec[2];
    case ADDR_LIST:
        for (unsigned i = 2; i <= n; i++)
            bits |= rec[i];
        return bits;
    default: /* an odd number of offsets leaves half a word of zeros */
        for (unsigned i = 0; i < (n + 1) / 2; i++)
            bits |= rec[2 + i] | rec[2 + i] >> 32;
        return bits;
    }
}

/* An address of the record; the lowest one if they are far apart. */
static uint64_t lowest(const uint64_t *rec)
{
    uint64_t low = rec[1];
    if (addr_form(rec) == ADDR_LIST)
        for (unsigned i = 2; i <= addr_lanes(rec); i++)
            low = rec[i] < low ? rec[i] : low;
    return low;
}

static void check_access(stream_doubts_t *d, unsigned access, const uint64_t *rec)
{
    d->accesses++;
    if ((address_bits(rec) & access & ALIGN_BITS) != 0)
        d->unaligned_accesses++;
    if ((access & STREAM_MAY_BE_NULL) != 0 && lowest(rec) < NULL_BYTES)
        d->null_accesses++;
}

typedef struct {
    uint64_t barriers;
    bool exits;
} warp_end_t;

static void check_piece(stream_doubts_t *d, stream_doubts_memo_t *memo, const warp_stream_t *w,
                        warp_end_t *end)
{
    const uint64_t *rec = w->addrs;
    for (uint32_t r = 0; r < w->n_runs; r++) {
        const trace_run_t *run = &w->runs[r];
        for (unsigned at = 0; at < run->count;) {
            const stream_run_facts_t *f =
                find_run(memo, run->first + at, (uint16_t)(run->count - at));
            at += f->covered;
            end->exits = f->exits;
            if (run->mask == 0)
                continue;
            end->barriers += f->barriers;
            for (unsigned i = 0; i < f->n; i++) {
                check_access(d, f->access[i], rec);
                rec += addr_words(rec);
            }
        }
    }
}

/* A warp whose threads have all exited is not waited for: those that reach no barrier are in order. */
void stream_doubts_block(stream_doubts_t *d, stream_doubts_memo_t *memo, const trace_block_t *b)
{
    uint64_t least = UINT64_MAX, most = 0;
    d->blocks++;
    if (b->n_insts == 0) {
        d->empty_blocks++;
        return;
    }
    for (uint32_t i = 0; i < b->n_warps; i++) {
        warp_stream_t *w = &b->warps[i];
        warp_end_t end = {0};
        d->warps++;
        if (w->n_insts == 0) {
            d->missing_warps++;
            continue;
        }
        for (bool some = stream_first(w); some; some = stream_next(w))
            check_piece(d, memo, w, &end);
        d->unended_warps += !end.exits;
        if (end.barriers > most)
            most = end.barriers;
        if (end.barriers > 0 && end.barriers < least)
            least = end.barriers;
    }
    d->uneven_blocks += most > 0 && least < most;
}

void stream_doubts_add(stream_doubts_t *to, const stream_doubts_t *from)
{
    uint64_t *sum = (uint64_t *)to;
    const uint64_t *part = (const uint64_t *)from;
    for (size_t i = 0; i < STREAM_DOUBTS_FIELDS; i++)
        sum[i] += part[i];
}

stream_doubt_t stream_doubt(const stream_doubts_t *d, unsigned number)
{
#define ROW_(name, what, of)                                                                       \
    case STREAM_DOUBT_##name:                                                                      \
        return (stream_doubt_t){#name, what, d->name, d->of};
    switch (number) {
        STREAM_DOUBTS_MAP(ROW_)
    }
#undef ROW_
    return (stream_doubt_t){0};
}
