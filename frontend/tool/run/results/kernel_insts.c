#include "frontend/tool/run/results/kernel_insts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

static kernel_insts_t *kernel_of(kernel_list_t *k, const launch_info_t *info)
{
    for (size_t i = 0; i < k->n; i++) {
        kernel_insts_t *at = &k->kernel[(k->latest + i) % k->n];
        if (at->code_id == info->code_id && at->arch == info->arch &&
            strcmp(at->name, info->name) == 0) {
            k->latest = (size_t)(at - k->kernel);
            return at;
        }
    }
    rb_grow(&k->kernel, &k->cap, k->n + 1, sizeof(*k->kernel));
    k->latest = k->n++;
    k->kernel[k->latest] = (kernel_insts_t){
        .code_id = info->code_id, .name = rb_strdup(info->name), .arch = info->arch};
    return &k->kernel[k->latest];
}

void kernel_list_free(kernel_list_t *k)
{
    for (size_t i = 0; i < k->n; i++) {
        kernel_insts_t *kernel = &k->kernel[i];
        for (size_t j = 0; j < kernel->n; j++) {
            free(kernel->list[j].text);
            free(kernel->list[j].file);
            free(kernel->list[j].scaled);
        }
        free(kernel->name);
        free(kernel->list);
        free(kernel->waits);
    }
    free(k->kernel);
}

/* How the counts of a launch are scaled. */
typedef struct {
    bool exact; /* not at all */
    double factor[INST_COUNTS_ALL];
} scale_t;

/* If a part of the launch was left out, so that the sums are those of the estimate. */
static void scale_of(scale_t *s, const launch_result_t *r, const launch_insts_t *insts,
                     double weight)
{
    inst_counts_t whole;
    launch_insts_total(&r->sm, &r->l2, &whole);
    const uint64_t *estimate = (const uint64_t *)&whole;
    const uint64_t *part = (const uint64_t *)&insts->total;
    const bool estimated = r->sampling.estimated;
    s->exact = !estimated && weight == 1.0;
    for (size_t i = 0; i < INST_COUNTS_ALL; i++) {
        const bool known = estimated && part[i] > 0;
        s->factor[i] = weight * (known ? (double)estimate[i] / (double)part[i] : 1.0);
    }
    if (estimated && insts->total.issued > 0) {
        const double issued = weight * (double)whole.issued / (double)insts->total.issued;
        s->factor[STATE_COUNT + INST_COUNTS_OWN - 2] = issued; /* results, */
        s->factor[STATE_COUNT + INST_COUNTS_OWN - 1] = issued; /* result_cycles */
    }
}

_Static_assert(offsetof(inst_counts_t, result_cycles) == (INST_COUNTS_ALL - 1) * sizeof(uint64_t),
               "results and result_cycles are the last counts");

static void add_counts(kernel_inst_t *to, const inst_counts_t *counts, const scale_t *scale)
{
    const uint64_t *from = (const uint64_t *)counts;
    if (scale->exact) {
        stats_add((uint64_t *)&to->exact, from, INST_COUNTS_ALL);
        return;
    }
    if (to->scaled == NULL)
        to->scaled = rb_calloc(INST_COUNTS_ALL, sizeof(*to->scaled));
    for (size_t i = 0; i < INST_COUNTS_ALL; i++)
        to->scaled[i] += (double)from[i] * scale->factor[i];
}

static uint64_t pc_of(const launch_insts_t *insts, size_t i)
{
    return i < insts->n ? insts->list[i].pc : KERNEL_NO_PC;
}

/* Adds what the kernel does not have yet, with no counts. */
static void extend_list(kernel_insts_t *k, const launch_insts_t *insts)
{
    size_t missing = 0, at = 0;
    for (size_t i = 0; i <= insts->n; i++) {
        while (at < k->n && k->list[at].pc < pc_of(insts, i))
            at++;
        missing += at == k->n || k->list[at].pc != pc_of(insts, i);
    }
    if (missing == 0)
        return;
    kernel_inst_t *merged = rb_calloc(k->n + missing, sizeof(*merged));
    size_t n = 0;
    at = 0;
    for (size_t i = 0; i <= insts->n; i++) {
        const uint64_t pc = pc_of(insts, i);
        while (at < k->n && k->list[at].pc < pc)
            merged[n++] = k->list[at++];
        if (at < k->n && k->list[at].pc == pc) {
            merged[n++] = k->list[at++];
            continue;
        }
        const launch_inst_t *from = &insts->list[i];
        merged[n++] = (kernel_inst_t){.pc = pc,
                                      .opcode = from->opcode,
                                      .cls = from->cls,
                                      .line = from->line,
                                      .file = from->file == NULL ? NULL : rb_strdup(from->file),
                                      .text = from->text == NULL ? NULL : rb_strdup(from->text)};
    }
    free(k->list);
    k->list = merged;
    k->n = n;
}

static void add_list(kernel_insts_t *k, const launch_insts_t *insts, const scale_t *scale)
{
    size_t at = 0;
    extend_list(k, insts);
    for (size_t i = 0; i <= insts->n; i++) {
        while (k->list[at].pc != pc_of(insts, i))
            at++;
        add_counts(&k->list[at], &insts->list[i].counts, scale);
    }
}

/* The order of waits: < 0, 0, > 0. */
static int compare(const kernel_wait_t *a, const kernel_wait_t *b)
{
    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    if (a->longer != b->longer)
        return a->longer ? -1 : 1;
    return a->other < b->other ? -1 : a->other > b->other;
}

static kernel_wait_t wait_of(const launch_insts_t *insts, const launch_wait_t *w,
                             const scale_t *scale)
{
    const size_t state = w->longer ? STATE_LONG_SCOREBOARD : STATE_SHORT_SCOREBOARD;
    return (kernel_wait_t){.pc = pc_of(insts, w->inst),
                           .other = pc_of(insts, w->other),
                           .longer = w->longer,
                           .exact = scale->exact ? w->cycles : 0,
                           .scaled = scale->exact ? 0.0 : (double)w->cycles * scale->factor[state]};
}

static void add_waits(kernel_insts_t *k, const launch_insts_t *insts, const scale_t *scale)
{
    kernel_wait_t *merged = rb_calloc(k->n_waits + insts->n_waits, sizeof(*merged));
    size_t n = 0, at = 0;
    for (size_t i = 0; i < insts->n_waits; i++) {
        kernel_wait_t w = wait_of(insts, &insts->waits[i], scale);
        while (at < k->n_waits && compare(&k->waits[at], &w) < 0)
            merged[n++] = k->waits[at++];
        if (at < k->n_waits && compare(&k->waits[at], &w) == 0) {
            w.exact += k->waits[at].exact;
            w.scaled += k->waits[at++].scaled;
        }
        merged[n++] = w;
    }
    while (at < k->n_waits)
        merged[n++] = k->waits[at++];
    free(k->waits);
    k->waits = merged;
    k->n_waits = n;
}

void kernel_list_add(kernel_list_t *k, const launch_result_t *r, const launch_insts_t *insts,
                     double weight)
{
    kernel_insts_t *kernel = kernel_of(k, &r->info);
    scale_t scale;
    scale_of(&scale, r, insts, weight);
    kernel->launches++;
    kernel->estimated |= !scale.exact;
    add_list(kernel, insts, &scale);
    add_waits(kernel, insts, &scale);
}

uint64_t kernel_inst_count(const kernel_inst_t *i, size_t column)
{
    const uint64_t exact = ((const uint64_t *)&i->exact)[column];
    return exact + (i->scaled == NULL ? 0 : (uint64_t)llround(i->scaled[column]));
}

uint64_t kernel_wait_cycles(const kernel_wait_t *w)
{
    return w->exact + (uint64_t)llround(w->scaled);
}
