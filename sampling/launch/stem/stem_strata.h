/*
 * Strata of launches for samplers that know no times, from what a trace's index knows.
 *
 * A group has launches that look the same: kernel, shape, instructions, basic blocks, requests,
 * sectors, copies before it. Small groups are merged with similar ones of the same kernel, not with
 * merely neighbouring ones. The first launch of a kernel, and of a group, often takes longer (cold
 * code and data), so it is a group of its own where simulating it is cheap. Long groups are cut into
 * parts by position, so that phases and drift are seen. Every part is a stratum.
 */
#ifndef RUBATO_STEM_STRATA_H
#define RUBATO_STEM_STRATA_H

#include <stdbool.h>

#include "sampling/plan/population.h"

typedef struct {
    uint64_t small;       /* groups with fewer launches are merged with similar ones */
    double similar;       /* ... that differ by at most this, relatively */
    uint64_t pilot;       /* samples of a group in the first round, at least */
    uint64_t pilot_total; /* ... and together, at most (as long as every group has its pilot) */
    bool firsts;          /* first launches are groups of their own */
} strata_options_t;

typedef struct {
    uint32_t n;        /* strata: the parts of all groups, group by group */
    uint64_t *begin;   /* owned: n + 1; stratum h has rows[begin[h] .. begin[h + 1]) */
    uint32_t *rows;    /* owned */
    double *cost;      /* owned: of simulating a launch of each stratum, in warp instructions */
    uint64_t *pilot;   /* owned: samples of each stratum in the first round */
    uint32_t n_groups; /* groups of launches that look the same or similar */
    uint32_t
        *of_group;  /* owned: n_groups + 1; group g has strata [of_group[g] .. of_group[g + 1]) */
    bool *equal;    /* owned: per group, its launches look exactly the same */
    double *vague;  /* owned: per group, variance of its cycles because it is unknown where they
                    * step (online_steps.h), or how much they go by sizes; NULL: none */
    double *uneven; /* owned: per group, squared coefficient of variation that its cycles have if
                     * they go by sizes, and nothing says that they do not; NULL: none */
} stem_strata_t;

void stem_strata_make(stem_strata_t *s, const population_t *pop, const strata_options_t *o);
void stem_strata_free(stem_strata_t *s);

#endif
