/*
 * What a launch finds in the caches if launches before it were not simulated but walked (warmup.mode
 * functional), against what it finds in a run of all launches: the same lines and sectors of the L2,
 * modified or not, the same code and the same translations.
 */
#include "tests/support/test.h"

#include <stdlib.h>

#include "sim/gpu/gpu_internal.h"
#include "tests/support/gen_trial.h"
#include "tests/support/lab.h"
#include "tests/support/sm_caches.h"

/* Two sets of addresses with a bit mask each, and what they have in common. */
typedef struct {
    uint64_t address;
    uint8_t full_run, walked; /* bits: sectors */
} pair_t;

typedef struct {
    pair_t *pair;
    size_t n, cap;
    bool walked;
    bool dirty; /* compare modified sectors, otherwise valid ones */
} both_t;

static void note_line(void *ctx, const cache_line_t *line)
{
    both_t *b = ctx;
    const uint8_t bits = b->dirty ? line->written.dirty : line->valid;
    size_t i = 0;
    if (b->n == b->cap) {
        b->cap = b->cap * 2 + 1024;
        b->pair = realloc(b->pair, b->cap * sizeof(*b->pair));
    }
    i = b->n++;
    b->pair[i] = (pair_t){line->line, b->walked ? 0 : bits, b->walked ? bits : 0};
}

static int by_address(const void *x, const void *y)
{
    const pair_t *a = x, *b = y;
    return a->address < b->address ? -1 : a->address > b->address;
}

typedef struct {
    uint64_t both, full_run, walked; /* bits in both, and only in one of them */
} agreement_t;

static agreement_t agreement(both_t *b)
{
    agreement_t a = {0};
    qsort(b->pair, b->n, sizeof(*b->pair), by_address);
    for (size_t i = 0; i < b->n;) {
        uint8_t x = 0, y = 0;
        const uint64_t address = b->pair[i].address;
        for (; i < b->n && b->pair[i].address == address; i++) {
            x |= b->pair[i].full_run;
            y |= b->pair[i].walked;
        }
        a.both += (unsigned)__builtin_popcount(x & y);
        a.full_run += (unsigned)__builtin_popcount(x & ~y & 0xff);
        a.walked += (unsigned)__builtin_popcount(y & ~x & 0xff);
    }
    free(b->pair);
    return a;
}

static double share(const agreement_t *a)
{
    const uint64_t all = a->both + a->full_run + a->walked;
    return all > 0 ? (double)a->both / (double)all : 1.0;
}

/* Compares caches cache(gpu, i), i < n, of two chips. */
static agreement_t compare(gpu_t *full, gpu_t *walked, uint32_t n, bool dirty,
                           const cache_t *(*cache)(const gpu_t *g, uint32_t i))
{
    agreement_t sum = {0};
    for (uint32_t i = 0; i < n; i++) {
        both_t b = {.dirty = dirty};
        cache_visit(cache(full, i), note_line, &b);
        b.walked = true;
        cache_visit(cache(walked, i), note_line, &b);
        const agreement_t a = agreement(&b);
        sum.both += a.both;
        sum.full_run += a.full_run;
        sum.walked += a.walked;
    }
    return sum;
}

static const cache_t *l2_of(const gpu_t *g, uint32_t i)
{
    return gpu_l2_tags(g, i).cache;
}

static const cache_t *l1i_of(const gpu_t *g, uint32_t i)
{
    return sm_caches_l1i(g->sm[i]);
}

static const cache_t *l0_of(const gpu_t *g, uint32_t i)
{
    return sm_caches_l0(g->sm[i / 4], i % 4);
}

static const cache_t *tlb_of(const gpu_t *g, uint32_t i)
{
    return sm_caches_tlb(g->sm[i]);
}

/* A chip that has run launches `ids` of the source. */
static gpu_t *chip_after(const gpu_spec_t *spec, trace_source_t *source, const uint64_t *ids, size_t n)
{
    rb_err_t err = {0};
    gpu_t *g = gpu_create(spec, 1, 0);
    const run_plan_t plan = {.first = 1, .launch_ids = ids, .n_launch_ids = n, .last = ids[n - 1]};
    const gpu_callbacks_t callbacks = {0};
    if (gpu_run(g, source, &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    return g;
}

static void show(const char *kind, uint64_t from, uint64_t at, gpu_t *full, gpu_t *walked)
{
    const agreement_t l2 = compare(full, walked, full->map.slices, false, l2_of),
                      dirty = compare(full, walked, full->map.slices, true, l2_of),
                      l1i = compare(full, walked, full->n_sms, false, l1i_of),
                      l0 = compare(full, walked, full->n_sms * 4, false, l0_of),
                      tlb = compare(full, walked, full->n_sms, false, tlb_of);
    printf("%-12s %3llu -> %3llu: l2 %.4f (-%llu +%llu of %llu) dirty %.4f (-%llu +%llu of %llu) l1i "
           "%.4f (-%llu +%llu) l0 %.4f (-%llu +%llu) tlb %.4f (-%llu +%llu)\n",
           kind, (unsigned long long)from, (unsigned long long)at, share(&l2),
           (unsigned long long)l2.full_run, (unsigned long long)l2.walked,
           (unsigned long long)l2.both, share(&dirty), (unsigned long long)dirty.full_run,
           (unsigned long long)dirty.walked, (unsigned long long)dirty.both, share(&l1i),
           (unsigned long long)l1i.full_run, (unsigned long long)l1i.walked, share(&l0),
           (unsigned long long)l0.full_run, (unsigned long long)l0.walked, share(&tlb),
           (unsigned long long)tlb.full_run, (unsigned long long)tlb.walked);
}

static void try(const char *kind, uint64_t size, const char *const *params, uint64_t from, uint64_t at)
{
    const gpu_spec_t spec = LAB_SPEC("rtx2060", "sm.count=6", "l2.size=768KiB", "l2.slices=12", "mem.partitions=6", "warmup.mode=functional");
    trace_source_t *source = gen_trial_open(kind, 75, size, params);
    uint64_t ids[1000];
    launch_touched_t touched;
    rb_err_t err = {0};
    for (uint64_t i = 0; i < at; i++)
        ids[i] = i + 1;
    gpu_t *full = chip_after(&spec, source, ids, at - 1);
    gpu_t *walked = from > 0 ? chip_after(&spec, source, &from, 1) : gpu_create(&spec, 1, 0);
    if (gpu_warm_up(walked, source, at, &touched, &err) != RB_OK)
        fail_msg("%s", err.text);
    printf("%llu launches, %llu insts; ", (unsigned long long)touched.launches, (unsigned long long)touched.warp_insts);
    show(kind, from, at, full, walked);
    gpu_destroy(full);
    gpu_destroy(walked);
    source->ops->destroy(source);
}

#define TRY(kind, size, from, at, ...) try(kind, size, (const char *const[]){__VA_ARGS__, NULL}, from, at)

static void states(void **state)
{
    (void)state;
    TRY("stencil", 402, 0, 20, "steps=30");
    TRY("stencil", 402, 8, 20, "steps=30");
    TRY("gaussian", 128, 0, 60, NULL);
    TRY("gaussian", 128, 30, 160, NULL);
    TRY("train", 60, 10, 40, "width=32", "rows=5000");
    TRY("bfs", 20000, 0, 7, NULL);
    TRY("bfs", 20000, 3, 9, NULL);
    TRY("kmeans", 8000, 3, 20, "iterations=20");
    TRY("reduction", 2000000, 0, 3, NULL);
    TRY("srad", 192, 10, 30, "iterations=25");
    TRY("lbm", 20, 5, 15, "steps=30");
    TRY("lbm", 20, 0, 15, "steps=30");
    TRY("particlefilter", 25, 0, 15, "particles=1024");
    TRY("sssp", 8000, 0, 6, NULL);
    TRY("mst", 4000, 4, 15, NULL);
    TRY("resnet", 32, 10, 30, "width=20");
    TRY("blackscholes", 60000, 2, 10, "launches=20");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
