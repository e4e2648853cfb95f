/*
 * Photon between kernels (MICRO 2023): a launch whose basic-block vector is near that of a launch
 * that was simulated before is not simulated; it gets that launch's cycles per instruction.
 *
 * The published forms take launches of unrelated kernels for alike if they have many types of warps
 * (photon_vector.h). Variant derived compares directions, and only launches of the same name and
 * code; the others are as published and warn. Variant code, Photon's simulator, has no distance of
 * vectors: it compares the vectors of the first warps one by one and counts those that differ.
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
#include "sim/core/hash_map.h"

enum { DERIVED, PAPER, CODE, ARTIFACT };
static const param_choice_t variants[] = {
    {"derived", NULL}, {"paper", NULL}, {"code", NULL}, {"artifact", NULL}, {NULL, NULL}};

#define PHOTON_OPTIONS(P, E, T)                                                                    \
    E(variant, variants, "derived",                                                                \
      "derived: launches of one kernel, by direction; paper: warp types; code: as in Photon's "    \
      "simulator; artifact: raw counts as in STEM's artifact, time unscaled")                      \
    P(F64, threshold, "0.05", 0, 1e6, "",                                                          \
      "derived, paper, artifact: distance below which launches count as similar")                  \
    P(U64, few_warps, "0", 0, 1e15, "warps",                                                       \
      "derived, paper: below this, similar launches must have the same number of warps; 0: what "  \
      "the chip holds (2,560, the paper's chip, if no GPU is known)")                              \
    P(U64, warps, "32", 1, 1024, "warps", "code: a launch with fewer sampled warps is simulated")  \
    P(U64, differ, "16", 1, 1e6, "warps", "code: launches are similar if fewer warps differ")      \
    LIMIT_OPTIONS(P)

PARAM_STRUCT(photon_options_t, PHOTON_OPTIONS);
#define PARAM_SPEC_ photon_options_t
static const param_t photon_rows[] = {PARAM_ROWS(PHOTON_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t photon_group =
    PARAM_GROUP("photon_kernel", "Photon between kernels", photon_options_t, photon_rows);

/* Warps that the chip of the paper holds: 64 units of 40. */
enum { PAPER_CHIP_WARPS = 2560 };

/* Seconds per pair of compared values: an estimate, only for the limit. */
#define SECONDS_PER_TERM 3e-9

/* A launch that is simulated. */
typedef struct {
    uint32_t vector, row, cluster, name;
    uint64_t warps;
    double insts, weight;
} simulated_t;

/* What decides to which simulated launch a launch is similar; and that launch. */
typedef struct {
    uint64_t warps;
    uint32_t vector, name, spread, head;
    uint32_t like; /* index of the simulated launch + 1; 0: none yet */
} known_t;

typedef struct {
    const photon_options_t *o;
    plan_build_t *b;
    photon_vectors_t vectors;
    uint64_t few_warps;
    uint32_t *entry; /* owned: per vector (derived) */
    simulated_t *simulated;
    size_t n, cap;
    known_t *known; /* owned */
    size_t n_known, cap_known;
    hash_map_t known_map;
    double terms;    /* values compared so far */
    uint64_t strays; /* launches represented by one of another kernel */
} photon_t;

static uint64_t warps_of(const population_t *pop, uint64_t row)
{
    return pop->bbv_warps == NULL ? 0 : pop->bbv_warps[row];
}

static bool is_known(const known_t *a, const known_t *b)
{
    return a->warps == b->warps && a->vector == b->vector && a->name == b->name &&
           a->spread == b->spread && a->head == b->head;
}

/* The entry with this key; a new one, without a launch, if there is none. */
static known_t *look_up(photon_t *p, const known_t *key)
{
    const uint64_t mix = key->vector ^ (uint64_t)key->name << 32 ^ (uint64_t)key->spread << 16 ^
                         (uint64_t)key->head << 40,
                   hash = mix ^ key->warps * 0xd1342543de82ef95ull;
    for (hash_walk_t w = hash_map_walk(&p->known_map, hash); hash_walk_next(&w);)
        if (is_known(&p->known[w.number], key))
            return &p->known[w.number];
    rb_grow(&p->known, &p->cap_known, p->n_known + 1, sizeof(*p->known));
    p->known[p->n_known] = *key;
    hash_map_add(&p->known_map, hash, (uint32_t)p->n_known);
    return &p->known[p->n_known++];
}

/* The distance to a simulated launch; INFINITY: it is not similar. */
static double distance_to(photon_t *p, const known_t *key, const simulated_t *s)
{
    const photon_options_t *o = p->o;
    if (o->variant != ARTIFACT && key->warps != s->warps &&
        (key->warps < p->few_warps || s->warps < p->few_warps))
        return INFINITY;
    if (o->variant == DERIVED &&
        (key->name != s->name || p->entry[key->vector] != p->entry[s->vector]))
        return INFINITY;
    p->terms += (double)photon_vector_length(&p->vectors, key->vector) +
                (double)photon_vector_length(&p->vectors, s->vector);
    double distance = photon_distance(&p->vectors, key->vector, s->vector, o->variant == DERIVED);
    if (o->variant == ARTIFACT)
        distance /= photon_norm(&p->vectors, key->vector) + 1e-6;
    return distance < o->threshold ? distance : INFINITY;
}

/* Runs of a sequence of warps. */
typedef struct {
    const uint32_t *vector;
    const double *run;
    uint64_t n;
} runs_t;

static runs_t runs_of(const population_t *pop, uint32_t sequence)
{
    const uint64_t from = pop->sequence_begin[sequence], to = pop->sequence_begin[sequence + 1];
    return (runs_t){pop->sequence_bbv + from, pop->sequence_run + from, to - from};
}

static double length_of(const runs_t *r)
{
    double n = 0;
    for (uint64_t i = 0; i < r->n; i++)
        n += r->run[i];
    return n;
}

/* How many of the warps at the same places differ, up to the end of the shorter sequence. */
static double hamming(const runs_t *a, const runs_t *b)
{
    double differ = 0, left_a = a->n > 0 ? a->run[0] : 0, left_b = b->n > 0 ? b->run[0] : 0;
    for (uint64_t i = 0, k = 0; i < a->n && k < b->n;) {
        const double both = left_a < left_b ? left_a : left_b;
        differ += a->vector[i] != b->vector[k] ? both : 0;
        left_a -= both;
        left_b -= both;
        if (left_a <= 0 && ++i < a->n)
            left_a = a->run[i];
        if (left_b <= 0 && ++k < b->n)
            left_b = b->run[k];
    }
    return differ;
}

/* As in Photon's simulator: the first launch whose first warps, in the order in which they were
 * dispatched, are those of every hundredth block of this one, but for a few; + 1; 0: none. */
static uint32_t find_by_sequence(photon_t *p, const known_t *key)
{
    const population_t *pop = p->b->pop;
    const runs_t sample = runs_of(pop, key->spread);
    const double least = (double)p->o->warps, n = length_of(&sample);
    for (size_t i = 0; n >= least && i < p->n; i++) {
        const runs_t head = runs_of(pop, pop->head_of[p->simulated[i].row]);
        const double has = length_of(&head);
        p->terms += (double)(sample.n + head.n);
        if (has >= least && has >= n && hamming(&head, &sample) < (double)p->o->differ)
            return (uint32_t)i + 1;
    }
    return 0;
}

/* The similar simulated launch with the nearest number of warps, and of those the nearest one, + 1; 0
 * if there is none. */
static uint32_t find_alike(photon_t *p, const known_t *key)
{
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    double nearest = INFINITY;
    if (p->o->variant == CODE)
        return find_by_sequence(p, key);
    for (size_t i = 0; i < p->n; i++) {
        const simulated_t *s = &p->simulated[i];
        uint64_t apart = key->warps > s->warps ? key->warps - s->warps : s->warps - key->warps;
        if (apart > least)
            continue;
        const double distance = distance_to(p, key, s);
        if (distance < INFINITY && (apart < least || distance < nearest)) {
            least = apart;
            nearest = distance;
            best = (uint32_t)i + 1;
        }
    }
    return best;
}

static uint32_t simulate(photon_t *p, uint32_t row, const known_t *key, double insts)
{
    const population_t *pop = p->b->pop;
    const uint32_t name = pop->name == NULL ? 0 : pop->name[row];
    uint32_t cluster = build_cluster(p->b, name, 0, NAN, NAN);
    rb_grow(&p->simulated, &p->cap, p->n + 1, sizeof(*p->simulated));
    p->simulated[p->n] = (simulated_t){.vector = key->vector,
                                       .row = row,
                                       .cluster = cluster,
                                       .name = name,
                                       .warps = key->warps,
                                       .insts = insts};
    return (uint32_t)++p->n;
}

/* The weight of a launch in the sample that stands for it: by instructions; code, which replays the
 * time of each warp, by warps; artifact 1. */
static double weight_of(const photon_t *p, const simulated_t *s, uint64_t warps, double insts)
{
    if (p->o->variant == CODE)
        return s->warps > 0 ? (double)warps / (double)s->warps : 1;
    return p->o->variant != ARTIFACT && s->insts > 0 ? insts / s->insts : 1;
}

static rb_code_t assign_cluster(photon_t *p, uint32_t row, rb_err_t *err)
{
    const population_t *pop = p->b->pop;
    const uint32_t name = pop->name == NULL ? 0 : pop->name[row];
    const bool code = p->o->variant == CODE;
    const known_t key = {.warps = warps_of(pop, row),
                         .vector = code ? 0 : p->vectors.of[row],
                         .name = p->o->variant == DERIVED ? name : 0,
                         .spread = code ? pop->spread_of[row] : 0,
                         .head = code ? pop->head_of[row] : 0};
    double insts = pop->counter[POP_WARP_INSTS] != NULL
                       ? pop->counter[POP_WARP_INSTS][row]
                       : photon_insts(&p->vectors, p->vectors.of[row]);
    known_t *known = look_up(p, &key);
    if (known->like == 0) {
        uint32_t like = find_alike(p, &key);
        RB_TRY(launch_limit("photon_kernel (so far)", (double)p->n, p->terms * SECONDS_PER_TERM,
                            photon_bytes(&p->vectors), p->o->max_seconds, p->o->max_gib, err));
        if (like == 0)
            like = simulate(p, row, &key, insts);
        known->like = like;
    } else if (code && find_by_sequence(p, &key) == 0) {
        known->like = simulate(p, row, &key, insts); /* too few warps to be compared */
    }
    simulated_t *s = &p->simulated[known->like - 1];
    s->weight += weight_of(p, s, key.warps, insts);
    p->strays += s->name != name;
    p->b->cluster_of[row] = s->cluster;
    p->b->plan->clusters[s->cluster].size++;
    return RB_OK;
}

static void warn(const photon_t *p)
{
    const population_t *pop = p->b->pop;
    if (pop->bbv_warps == NULL)
        build_warning(p->b, "numbers of warps are not known: launches are compared without them");
    if (p->strays > 0)
        build_warning(
            p->b,
            "photon_kernel:variant=%s takes %llu of %llu launches for similar to launches "
            "of other kernels, as published; variant=derived keeps kernels apart",
            variants[p->o->variant].name, (unsigned long long)p->strays,
            (unsigned long long)pop->n);
}

static rb_code_t plan_photon(const void *options, plan_build_t *b, rb_err_t *err)
{
    const photon_options_t *o = options;
    const population_t *pop = b->pop;
    photon_t p = {.o = o, .b = b, .few_warps = o->few_warps};
    if (p.few_warps == 0)
        p.few_warps = pop->chip_warps > 0 ? pop->chip_warps : PAPER_CHIP_WARPS;
    if (o->variant == CODE && pop->head_of == NULL)
        return rb_fail(err, RB_USAGE,
                       "photon_kernel:variant=code needs the order of warps, which only the index "
                       "of a native trace has");
    rb_code_t rc = photon_vectors_make(
        &p.vectors, pop, o->variant == DERIVED || o->variant == PAPER, o->max_gib, err);
    if (rc == RB_OK && o->variant == DERIVED) {
        p.entry = rb_calloc(p.vectors.n, sizeof(*p.entry));
        for (uint64_t i = 0; i < p.vectors.n; i++)
            p.entry[i] = photon_entry(pop, i);
    }
    for (uint64_t i = 0; rc == RB_OK && i < pop->n; i++)
        rc = assign_cluster(&p, (uint32_t)i, err);
    for (size_t i = 0; rc == RB_OK && i < p.n; i++) {
        /* At least 1, for the launch itself; the test only catches NaN. */
        double weight = p.simulated[i].weight;
        build_sample(b, p.simulated[i].cluster, p.simulated[i].row, weight > 0 ? weight : 1, 1);
    }
    warn(&p);
    if (rc == RB_OK)
        build_spreads(b);
    photon_vectors_free(&p.vectors);
    free(p.entry);
    free(p.simulated);
    free(p.known);
    hash_map_free(&p.known_map);
    return rc;
}

const launch_method_t launch_photon_kernel = {
    .name = "photon_kernel",
    .help = "Photon between kernels: skips launches with the basic-block vector of an earlier one",
    .options = &photon_group,
    .needs = LAUNCH_NEEDS_BBV,
    .plan = plan_photon,
};
