/*
 * Photon between kernels (MICRO 2023): a launch whose basic-block vector is near that of a launch
 * that was simulated before is not simulated; it gets that launch's cycles per instruction.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/launch_limit.h"
#include "sampling/launch/launch_table.h"
#include "sampling/launch/photon_vector.h"
#include "sampling/plan/plan_build.h"
#include "sim/core/alloc.h"

enum { PAPER, ARTIFACT };
static const param_choice_t variants[] = {{"paper", NULL}, {"artifact", NULL}, {NULL, NULL}};

#define PHOTON_OPTIONS(P, E, T)                                                                    \
    P(F64, threshold, "0.05", 0, 1e6, "", "distance below which launches count as similar")        \
    P(U64, few_warps, "2560", 0, 1e15, "warps",                                                    \
      "paper: below this, similar launches must have the same number of warps")                    \
    E(variant, variants, "paper",                                                                  \
      "paper: warp types, time by instructions; artifact: raw counts as in STEM's artifact, time " \
      "unscaled")                                                                                  \
    LIMIT_OPTIONS(P)

PARAM_STRUCT(photon_options_t, PHOTON_OPTIONS);
#define PARAM_SPEC_ photon_options_t
static const param_t photon_rows[] = {PARAM_ROWS(PHOTON_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t photon_group =
    PARAM_GROUP("photon_kernel", "Photon between kernels", photon_options_t, photon_rows);

/* Seconds per pair of compared values: an estimate, only for the limit. */
#define SECONDS_PER_TERM 3e-9

/* A launch that is simulated. */
typedef struct {
    uint32_t vector, row, cluster;
    uint64_t warps;
    double insts, weight;
} simulated_t;

/* Which simulated launch is similar to launches with one vector and one number of warps. */
typedef struct {
    uint64_t warps;
    uint32_t vector, like; /* like: index of the simulated launch + 1; 0: empty slot */
} known_t;

typedef struct {
    const photon_options_t *o;
    plan_build_t *b;
    photon_vectors_t vectors;
    simulated_t *simulated;
    size_t n, cap;
    known_t *known;
    uint64_t n_known, mask;
    double terms; /* values compared so far */
} photon_t;

static uint64_t warps_of(const population_t *pop, uint64_t row)
{
    return pop->bbv_warps == NULL ? 0 : pop->bbv_warps[row];
}

static known_t *known_slot(known_t *known, uint64_t mask, uint32_t vector, uint64_t warps)
{
    uint64_t at = (vector ^ warps * 0xd1342543de82ef95ull) * 0x9e3779b97f4a7c15ull >> 16;
    while (known[at & mask].like != 0 &&
           (known[at & mask].vector != vector || known[at & mask].warps != warps))
        at++;
    return &known[at & mask];
}

static known_t *look_up(photon_t *p, uint32_t vector, uint64_t warps)
{
    if (p->known == NULL || p->n_known > p->mask / 2) {
        uint64_t mask = p->known == NULL ? 1023 : 2 * p->mask + 1;
        known_t *wider = rb_calloc(mask + 1, sizeof(*wider));
        for (uint64_t i = 0; p->known != NULL && i <= p->mask; i++) {
            if (p->known[i].like != 0)
                *known_slot(wider, mask, p->known[i].vector, p->known[i].warps) = p->known[i];
        }
        free(p->known);
        p->known = wider;
        p->mask = mask;
    }
    return known_slot(p->known, p->mask, vector, warps);
}

static bool is_similar(photon_t *p, uint32_t vector, uint64_t warps, const simulated_t *s)
{
    const photon_options_t *o = p->o;
    if (o->variant == PAPER && warps != s->warps &&
        (warps < o->few_warps || s->warps < o->few_warps))
        return false;
    p->terms += (double)photon_vector_length(&p->vectors, vector) +
                (double)photon_vector_length(&p->vectors, s->vector);
    double distance = photon_distance(&p->vectors, vector, s->vector);
    if (o->variant == ARTIFACT)
        distance /= photon_norm(&p->vectors, vector) + 1e-6;
    return distance < o->threshold;
}

/* The similar simulated launch that is nearest in warps, + 1; 0 if there is none. */
static uint32_t find_alike(photon_t *p, uint32_t vector, uint64_t warps)
{
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < p->n; i++) {
        const simulated_t *s = &p->simulated[i];
        uint64_t apart = warps > s->warps ? warps - s->warps : s->warps - warps;
        if (apart < least && is_similar(p, vector, warps, s)) {
            least = apart;
            best = (uint32_t)i + 1;
        }
    }
    return best;
}

static uint32_t simulate(photon_t *p, uint32_t row, uint32_t vector, uint64_t warps, double insts)
{
    const population_t *pop = p->b->pop;
    uint32_t cluster = build_cluster(p->b, pop->name == NULL ? 0 : pop->name[row], 0, NAN, NAN);
    rb_grow(&p->simulated, &p->cap, p->n + 1, sizeof(*p->simulated));
    p->simulated[p->n] = (simulated_t){
        .vector = vector, .row = row, .cluster = cluster, .warps = warps, .insts = insts};
    return (uint32_t)++p->n;
}

static rb_code_t assign_cluster(photon_t *p, uint32_t row, rb_err_t *err)
{
    const population_t *pop = p->b->pop;
    uint32_t vector = p->vectors.of[row];
    uint64_t warps = warps_of(pop, row);
    double insts = pop->counter[POP_WARP_INSTS] != NULL ? pop->counter[POP_WARP_INSTS][row]
                                                        : photon_insts(&p->vectors, vector);
    known_t *known = look_up(p, vector, warps);
    if (known->like == 0) {
        uint32_t like = find_alike(p, vector, warps);
        RB_TRY(launch_limit("photon_kernel (so far)", (double)p->n, p->terms * SECONDS_PER_TERM,
                            photon_bytes(&p->vectors), p->o->max_seconds, p->o->max_gib, err));
        if (like == 0)
            like = simulate(p, row, vector, warps, insts);
        *known = (known_t){.warps = warps, .vector = vector, .like = like};
        p->n_known++;
    }
    simulated_t *s = &p->simulated[known->like - 1];
    bool scaled = p->o->variant == PAPER && s->insts > 0;
    s->weight += scaled ? insts / s->insts : 1;
    p->b->cluster_of[row] = s->cluster;
    p->b->plan->clusters[s->cluster].size++;
    return RB_OK;
}

static rb_code_t plan_photon(const void *options, plan_build_t *b, rb_err_t *err)
{
    const photon_options_t *o = options;
    photon_t p = {.o = o, .b = b};
    rb_code_t rc = photon_vectors_make(&p.vectors, b->pop, o->variant == PAPER, o->max_gib, err);
    if (b->pop->bbv_warps == NULL)
        build_warning(b, "numbers of warps are not known: launches are compared without them");
    for (uint64_t i = 0; rc == RB_OK && i < b->pop->n; i++)
        rc = assign_cluster(&p, (uint32_t)i, err);
    for (size_t i = 0; rc == RB_OK && i < p.n; i++) {
        /* At least 1, for the launch itself; the test only catches NaN. */
        double weight = p.simulated[i].weight;
        build_sample(b, p.simulated[i].cluster, p.simulated[i].row, weight > 0 ? weight : 1, 1);
    }
    if (rc == RB_OK)
        build_spreads(b);
    photon_vectors_free(&p.vectors);
    free(p.simulated);
    free(p.known);
    return rc;
}

const launch_method_t launch_photon_kernel = {
    .name = "photon_kernel",
    .help = "Photon between kernels: skips launches with the basic-block vector of an earlier one",
    .options = &photon_group,
    .needs = LAUNCH_NEEDS_BBV,
    .plan = plan_photon,
};
