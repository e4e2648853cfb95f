/* What the parts of the run command share: the run under way. */
#ifndef RUBATO_CLI_RUN_COMMAND_H
#define RUBATO_CLI_RUN_COMMAND_H

#include "frontend/tool/cli/run_options.h"
#include "frontend/tool/run/progress_line.h"
#include "frontend/tool/run/run_detectors.h"
#include "frontend/tool/run/run_program.h"
#include "frontend/tool/run/run_timeline.h"
#include "frontend/tool/run/trace_identity.h"
#include "sim/gpu/run_progress.h"

/* A run under way: what the callbacks of library_sim_run() need. */
typedef struct {
    const run_options_t *options;
    setup_t setup;
    run_program_t program; /* if the options name one */
    rubato_sim *sim;
    uint64_t *launch_ids; /* owned: positions; NULL: all, or those of sampling */
    size_t n_launch_ids;
    run_inside_t inside;     /* samplers of --sample or the configuration that look inside */
    sampling_options_t from; /* the options with the others */
    run_sampling_t sampling;
    trace_identity_t *trace;
    char identity[1024];
    run_folder_t folder;
    progress_line_t progress;
    run_timeline_t *timeline;   /* NULL: none */
    run_detectors_t *detectors; /* NULL: none */
    double begun; /* host time at which the run would have begun without its interruptions */
    double cpu_before;
    uint64_t rss_before;
    uint64_t *isolated; /* owned: positions, where launches are simulated on chips of their own */
    size_t n_isolated;
    run_progress_t isolated_work; /* of all of them */
    cycle_t isolated_end;         /* where the next such launch begins */
    double merged_seconds;        /* that the parts took */
    bool resumable;               /* the folder holds a run that is not at its end */
} run_t;

/*
 * Makes trace, configuration, chip and folder ready, or changes nothing. Of a run that is continued
 * the folder's launches are in the totals and in what samplers know.
 */
RB_CHECKED rb_code_t run_prepare(run_t *run, rb_err_t *err);

#endif
