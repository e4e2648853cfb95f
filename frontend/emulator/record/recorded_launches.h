/*
 * Which launches of a program are recorded, where their count is not known: a list such as
 * "3-7,12,20-", or those of a plan with their weights.
 */
#ifndef RUBATO_RECORDED_LAUNCHES_H
#define RUBATO_RECORDED_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct {
    const char *list; /* borrowed; NULL: all, or those of the plan */
    uint64_t *ids;    /* owned: of the plan, ascending; NULL: there is none */
    double *weights;  /* owned */
    size_t n;
    char *json; /* owned: the plan */
} recorded_launches_t;

/* Whether the text is such a list: ascending numbers and ranges from 1 on, the last may be open. */
bool recorded_launches_valid(const char *text);

/*
 * Reads a plan: a line "ID WEIGHT" for each launch (ascending), an empty line, the plan as JSON.
 * RB_IO, or RB_TRACE if it is not such a file.
 */
RB_CHECKED rb_code_t recorded_launches_read(recorded_launches_t *r, const char *path,
                                            rb_err_t *err);
void recorded_launches_free(recorded_launches_t *r);

/* Whether launch id is recorded; for how many launches it stands. */
bool recorded_launches_has(const recorded_launches_t *r, uint64_t id, double *weight);

#endif
