/* The scores of sampled runs as charts on a page (evaluation.html). */
#ifndef RUBATO_CLI_EVALUATE_PAGE_H
#define RUBATO_CLI_EVALUATE_PAGE_H

#include <stdio.h>

#include "frontend/cli/sampled_score.h"

enum { PAGE_CHARTS = 3, PAGE_SERIES_MAX = 8, PAGE_LAUNCHES_MAX = 64 };

/* A line: one value for each place. */
typedef struct {
    char *name;    /* owned */
    double *value; /* owned */
} page_series_t;

typedef struct {
    char **sets; /* owned, each: the places of the charts */
    size_t n_sets, cap_sets;
    page_series_t series[PAGE_CHARTS][PAGE_SERIES_MAX]; /* a line for each GPU and warm-up */
    size_t n_series;
    char *launches[PAGE_LAUNCHES_MAX]; /* owned: the places of the chart of launches */
    size_t n_launches;
    page_series_t of_set[PAGE_SERIES_MAX]; /* errors of the launches */
    size_t n_of_set;
} evaluate_page_t;

/* Adds a run; series: the GPU and the warm-up. What does not fit the charts is left out. */
void evaluate_page_add(evaluate_page_t *p, const char *set, const char *series,
                       const sampled_score_t *score);

/* Adds the errors of a run's launches, where there are not too many. */
void evaluate_page_launches(evaluate_page_t *p, const char *set, const run_result_t *full,
                            const run_result_t *sampled);

void evaluate_page_write(const evaluate_page_t *p, const char *title, FILE *out);
void evaluate_page_free(evaluate_page_t *p);

#endif
