/* Strata of launches, from what a trace's index knows about them, without times. */
#ifndef RUBATO_STEM_STRATA_H
#define RUBATO_STEM_STRATA_H

#include "sampling/launch/population.h"

typedef struct {
    uint32_t n;
    uint64_t *begin; /* owned: n + 1; stratum h has rows[begin[h] .. begin[h + 1]) */
    uint32_t *rows;  /* owned */
    double *work;    /* owned: instructions of a launch of each stratum; 1 if unknown */
} stem_strata_t;

/* Strata with fewer than `small` launches are merged with neighbours of the same name. */
void stem_strata_make(stem_strata_t *s, const population_t *pop, uint64_t small);
void stem_strata_free(stem_strata_t *s);

#endif
