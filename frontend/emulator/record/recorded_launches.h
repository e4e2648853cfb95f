/*
 * Chooses which launches of a program to record while their number is unknown: a list such as
 * "3-7,12,20-", or the launches of a plan with their weights.
 */
#ifndef RUBATO_RECORDED_LAUNCHES_H
#define RUBATO_RECORDED_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct {
    const char *list; /* borrowed; NULL: all, or those of the plan */
    uint64_t *ids;    /* owned; launches of the plan, ascending; NULL: no plan */
    double *weights;  /* owned */
    size_t n;
    char *json; /* owned; the plan as text */
} recorded_launches_t;

/* Whether the text is such a list: ascending numbers and ranges from 1 on; the last range may be
 * open. */
bool recorded_launches_valid(const char *text);

/*
 * Reads a plan: a line "ID WEIGHT" per launch (ascending), an empty line, the plan as JSON. RB_IO,
 * or RB_TRACE if the file has another format.
 */
RB_CHECKED rb_code_t recorded_launches_read(recorded_launches_t *r, const char *path,
                                            rb_err_t *err);
void recorded_launches_free(recorded_launches_t *r);

/* Whether launch id is recorded, and for how many launches it stands. */
bool recorded_launches_has(const recorded_launches_t *r, uint64_t id, double *weight);

#endif
