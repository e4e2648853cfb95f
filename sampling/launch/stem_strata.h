/*
 * Strata of launches by what a trace's index knows of them, without times.
 */
#ifndef RUBATO_STEM_STRATA_H
#define RUBATO_STEM_STRATA_H

#include "sampling/launch/population.h"

typedef struct {
    uint32_t n;
    uint64_t *begin; /* owned: n + 1; stratum h has rows[begin[h] .. begin[h + 1]) */
    uint32_t *rows;  /* owned */
    double *work;    /* owned: instructions of a launch of each, or 1 where they are not known */
} stem_strata_t;

/* Strata of fewer than small launches are joined with neighbours of the same name. */
void stem_strata_make(stem_strata_t *s, const population_t *pop, uint64_t small);
void stem_strata_free(stem_strata_t *s);

#endif
