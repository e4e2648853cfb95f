/* The statistics as sums of a launch's values, or as quotients of two such sums, and totals made from values. */
#ifndef RUBATO_LIBRARY_STAT_FORMS_H
#define RUBATO_LIBRARY_STAT_FORMS_H

#include "frontend/tool/library/stat_values.h"
#include "sampling/estimate/estimate.h"

/* Totals with these values, rounded; launches and what was simulated are 0. */
run_totals_t totals_of_values(const double sum[STAT_VALUES], const gpu_spec_t *spec);

/* All statistics, stat_count() of them, in new memory: the caller frees the forms. */
stat_list_t stat_forms(const gpu_spec_t *spec);

#endif
