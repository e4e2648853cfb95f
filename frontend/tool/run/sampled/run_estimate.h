/* What sampling/estimate needs of a run: its launches, its samples, and the values of its statistics. */
#ifndef RUBATO_RUN_RUN_ESTIMATE_H
#define RUBATO_RUN_RUN_ESTIMATE_H

#include "frontend/tool/library/stat_values.h"
#include "frontend/tool/run/run_record.h"
#include "frontend/tool/run/sampled/run_sampling.h"

/* The launches in a journal; with sampling, those of its plan only. */
typedef struct {
    journal_t *journal;             /* borrowed */
    const run_sampling_t *sampling; /* borrowed; NULL: no launch was left out */
} run_launches_t;

/* The feed borrows l. Its errors: RB_IO. */
launch_feed_t run_estimate_feed(run_launches_t *l);

/* sampling NULL: no launch was left out; otherwise all its samples are simulated. Borrows it. */
sampled_program_t run_estimate_program(const run_sampling_t *sampling);

/* A record of the journal. */
seen_launch_t run_estimate_launch(const run_record_t *record);

/* Sets part, stat_count() of them, to the statistics of a run. */
void run_estimate_parts(const stat_view_t *view, stat_part_t *part);

/* Sets the quotients of a launch, METRIC_COUNT of them. */
void run_estimate_quotients(const metric_input_t *m, stat_part_t *part);

#endif
