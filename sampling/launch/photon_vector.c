#include "sampling/launch/photon_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

/* Photon's random projection: value k of a block comes from the generator of java.util.Random,
 * seeded with the block's address and k (published code, sampled-mgpu-sim). */
static double projection(uint32_t block, unsigned k)
{
    const uint64_t mask = (1ull << 48) - 1;
    uint64_t s = (((uint64_t)block + k % 4) << 16) + 0x330e;
    for (unsigned i = 0; i <= k / 4; i++)
        s = (0x5deece66dull * s + 0xb) & mask;
    return (double)((s >> 16) & 0xffff);
}

static double block_insts(const population_t *pop, uint32_t block)
{
    return pop->block_insts == NULL ? 1 : (double)pop->block_insts[block];
}

/* Number of instructions in a vector of the population. */
static double insts_of(const population_t *pop, uint64_t bbv)
{
    double sum = 0;
    for (uint64_t i = pop->bbv_begin[bbv]; i < pop->bbv_begin[bbv + 1]; i++)
        sum += pop->bbv_count[i] * block_insts(pop, pop->bbv_block[i]);
    return sum;
}

static void project(const population_t *pop, uint64_t bbv, double share, double *out)
{
    double squares = 0;
    memset(out, 0, PHOTON_DIMENSIONS * sizeof(*out));
    for (uint64_t i = pop->bbv_begin[bbv]; i < pop->bbv_begin[bbv + 1]; i++) {
        double insts = pop->bbv_count[i] * block_insts(pop, pop->bbv_block[i]);
        for (unsigned k = 0; k < PHOTON_DIMENSIONS; k++)
            out[k] += insts * projection(pop->bbv_block[i], k);
    }
    for (unsigned k = 0; k < PHOTON_DIMENSIONS; k++)
        squares += out[k] * out[k];
    for (unsigned k = 0; squares > 0 && k < PHOTON_DIMENSIONS; k++)
        out[k] *= share / sqrt(squares);
}

/* A warp type of a launch, or a basic block of a vector. */
typedef struct {
    double amount;
    uint32_t index;
} part_t;

static int most_first(const void *a, const void *b)
{
    const part_t *x = a, *y = b;
    if (x->amount < y->amount || y->amount < x->amount)
        return x->amount > y->amount ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
    const part_t *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

/* Computes the paper's vector of mix m; parts has room for its types. */
static void project_mix(photon_vectors_t *v, const population_t *pop, uint64_t m, part_t *parts)
{
    uint64_t from = pop->mix_begin[m], n = pop->mix_begin[m + 1] - from;
    double warps = 0;
    for (uint64_t i = 0; i < n; i++) {
        parts[i] = (part_t){pop->mix_warps[from + i], pop->mix_bbv[from + i]};
        warps += parts[i].amount;
        v->insts[m] += parts[i].amount * insts_of(pop, parts[i].index);
    }
    qsort(parts, n, sizeof(*parts), most_first);
    for (uint64_t i = 0; i < n; i++)
        project(pop, parts[i].index, warps > 0 ? parts[i].amount / warps : 0,
                v->value + v->begin[m] + i * PHOTON_DIMENSIONS);
}

/* Sums the executions of each block over the types of mix m, ordered by block. Returns how many. */
static uint64_t sum_mix(const population_t *pop, uint64_t m, part_t *parts)
{
    uint64_t n = 0, joined = 0;
    for (uint64_t i = pop->mix_begin[m]; i < pop->mix_begin[m + 1]; i++) {
        uint32_t bbv = pop->mix_bbv[i];
        for (uint64_t k = pop->bbv_begin[bbv]; k < pop->bbv_begin[bbv + 1]; k++)
            parts[n++] = (part_t){pop->mix_warps[i] * pop->bbv_count[k], pop->bbv_block[k]};
    }
    qsort(parts, n, sizeof(*parts), by_index);
    for (uint64_t i = 0; i < n; i++) {
        if (joined > 0 && parts[joined - 1].index == parts[i].index)
            parts[joined - 1].amount += parts[i].amount;
        else
            parts[joined++] = parts[i];
    }
    return joined;
}

static uint64_t copy_bbv(const population_t *pop, uint64_t bbv, part_t *parts)
{
    uint64_t n = 0;
    for (uint64_t k = pop->bbv_begin[bbv]; k < pop->bbv_begin[bbv + 1]; k++)
        parts[n++] = (part_t){pop->bbv_count[k], pop->bbv_block[k]};
    qsort(parts, n, sizeof(*parts), by_index);
    return n;
}

/* Upper bound of the values of vector i: its parts before they are joined. */
static uint64_t parts_of(const population_t *pop, uint64_t i, bool projected)
{
    if (pop->mix_of == NULL)
        return projected ? 1 : pop->bbv_begin[i + 1] - pop->bbv_begin[i];
    uint64_t n = 0, from = pop->mix_begin[i], to = pop->mix_begin[i + 1];
    for (uint64_t k = from; k < to && !projected; k++)
        n += pop->bbv_begin[pop->mix_bbv[k] + 1] - pop->bbv_begin[pop->mix_bbv[k]];
    return projected ? to - from : n;
}

static void fill(photon_vectors_t *v, const population_t *pop, uint64_t i, bool projected,
                 part_t *parts)
{
    uint64_t n = 0;
    if (projected && pop->mix_of != NULL) {
        project_mix(v, pop, i, parts);
        n = PHOTON_DIMENSIONS * parts_of(pop, i, true);
    } else if (projected) {
        project(pop, i, 1, v->value + v->begin[i]);
        v->insts[i] = insts_of(pop, i);
        n = PHOTON_DIMENSIONS;
    } else {
        n = pop->mix_of != NULL ? sum_mix(pop, i, parts) : copy_bbv(pop, i, parts);
        for (uint64_t k = 0; k < n; k++) {
            v->block[v->begin[i] + k] = parts[k].index;
            v->value[v->begin[i] + k] = parts[k].amount;
            v->insts[i] += parts[k].amount * block_insts(pop, parts[k].index);
        }
    }
    v->begin[i + 1] = v->begin[i] + n;
    for (uint64_t k = v->begin[i]; k < v->begin[i + 1]; k++)
        v->norm[i] += v->value[k] * v->value[k];
    v->norm[i] = sqrt(v->norm[i]);
}

rb_code_t photon_vectors_make(photon_vectors_t *v, const population_t *pop, bool projected,
                              double max_gib, rb_err_t *err)
{
    uint64_t values = 0, most = 1;
    *v = (photon_vectors_t){.of = pop->mix_of != NULL ? pop->mix_of : pop->bbv_of,
                            .n = pop->mix_of != NULL ? pop->n_mixes : pop->n_bbvs};
    for (uint64_t i = 0; i < v->n; i++) {
        uint64_t n = parts_of(pop, i, projected);
        most = n > most ? n : most;
        values += projected ? n * PHOTON_DIMENSIONS : n;
    }
    double bytes = (double)values * (projected ? 8 : 12) + (double)v->n * 24;
    if (bytes > max_gib * (1 << 30))
        return rb_fail(err, RB_USAGE,
                       "photon_kernel would take about %.3g GiB for %llu distinct vectors; raise "
                       "max_gib (%g)",
                       bytes / (1 << 30), (unsigned long long)v->n, max_gib);
    part_t *parts = rb_calloc(most, sizeof(*parts));
    v->begin = rb_calloc(v->n + 1, sizeof(*v->begin));
    v->value = rb_calloc(values, sizeof(*v->value));
    v->block = projected ? NULL : rb_calloc(values, sizeof(*v->block));
    v->norm = rb_calloc(v->n, sizeof(*v->norm));
    v->insts = rb_calloc(v->n, sizeof(*v->insts));
    for (uint64_t i = 0; i < v->n; i++)
        fill(v, pop, i, projected, parts);
    free(parts);
    return RB_OK;
}

void photon_vectors_free(photon_vectors_t *v)
{
    free(v->begin);
    free(v->block);
    free(v->value);
    free(v->norm);
    free(v->insts);
    *v = (photon_vectors_t){0};
}

uint32_t photon_entry(const population_t *pop, uint64_t vector)
{
    const bool mixed = pop->mix_of != NULL;
    const uint64_t from = mixed ? pop->mix_begin[vector] : vector;
    const uint64_t to = mixed ? pop->mix_begin[vector + 1] : vector + 1;
    uint32_t lowest = UINT32_MAX;
    for (uint64_t i = from; i < to; i++) {
        const uint64_t bbv = mixed ? pop->mix_bbv[i] : i;
        for (uint64_t k = pop->bbv_begin[bbv]; k < pop->bbv_begin[bbv + 1]; k++)
            lowest = pop->bbv_block[k] < lowest ? pop->bbv_block[k] : lowest;
    }
    return lowest;
}

double photon_distance(const photon_vectors_t *v, uint32_t a, uint32_t b, bool directions)
{
    const double scale_a = directions && v->norm[a] > 0 ? 1 / v->norm[a] : 1;
    const double scale_b = directions && v->norm[b] > 0 ? 1 / v->norm[b] : 1;
    uint64_t i = v->begin[a], i_end = v->begin[a + 1], k = v->begin[b], k_end = v->begin[b + 1];
    double squares = 0;
    while (i < i_end || k < k_end) {
        /* Key of the next value of each: its block, or its position. */
        uint64_t at_i = i == i_end ? UINT64_MAX : v->block ? v->block[i] : i - v->begin[a];
        uint64_t at_k = k == k_end ? UINT64_MAX : v->block ? v->block[k] : k - v->begin[b];
        double x = at_i <= at_k ? scale_a * v->value[i++] : 0;
        double y = at_k <= at_i ? scale_b * v->value[k++] : 0;
        squares += (x - y) * (x - y);
    }
    return sqrt(squares);
}

double photon_norm(const photon_vectors_t *v, uint32_t a)
{
    return v->norm[a];
}

double photon_insts(const photon_vectors_t *v, uint32_t a)
{
    return v->insts[a];
}

uint64_t photon_vector_length(const photon_vectors_t *v, uint32_t a)
{
    return v->begin[a + 1] - v->begin[a];
}

double photon_bytes(const photon_vectors_t *v)
{
    return (double)v->begin[v->n] * (v->block == NULL ? 8 : 12) + (double)v->n * 24;
}
