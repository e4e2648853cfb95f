/* Groups launches by kernel: rows that share a name, or a name and a shape, become contiguous. */
#ifndef RUBATO_LAUNCH_GROUP_H
#define RUBATO_LAUNCH_GROUP_H

#include "sampling/plan/plan_build.h"
#include "sim/conf/param.h"

/* What the launches of a group share; also the values of the option "key". */
typedef enum {
    GROUP_BY_NAME,
    GROUP_BY_PREFIX, /* the name up to its first '(' (as in published code) */
    GROUP_BY_SHAPE,  /* name, grid and block */
} group_key_t;

extern const param_choice_t group_key_choices[];

typedef struct {
    uint32_t n;      /* number of groups, in order of first appearance */
    uint64_t *begin; /* owned: n + 1; group g has rows[begin[g] .. begin[g + 1]) */
    uint32_t *rows;  /* owned: ascending within a group until groups_sort() */
    uint32_t *name;  /* owned: group -> name of the population */
} launch_groups_t;

/* Groups by name, with a warning in the plan, if grid and block are not known. */
void groups_make(launch_groups_t *g, plan_build_t *b, group_key_t key);
void groups_free(launch_groups_t *g);

/* Sorts the rows of every group by value[row]; equal values by row. Returns the values in the order
 * of the rows; free with free(). */
double *groups_sort(launch_groups_t *g, const double *value);

#endif
