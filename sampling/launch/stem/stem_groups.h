/* Groups of launches that look the same, or similar, before they are simulated. */
#ifndef RUBATO_STEM_GROUPS_H
#define RUBATO_STEM_GROUPS_H

#include <stdbool.h>

#include "sampling/plan/population.h"

typedef struct {
    uint32_t n;
    uint64_t *begin; /* owned: n + 1; group g has rows[begin[g] .. begin[g + 1]), ascending */
    uint32_t *rows;  /* owned */
    bool *equal;     /* owned: the launches of the group look exactly the same */
} stem_groups_t;

/* Groups with fewer than `small` launches are merged with those of the same kernel that differ by at
 * most `similar`; by more if a kernel would have too many groups otherwise. */
void stem_groups_make(stem_groups_t *g, const population_t *pop, uint64_t small, double similar);
void stem_groups_free(stem_groups_t *g);

#endif
