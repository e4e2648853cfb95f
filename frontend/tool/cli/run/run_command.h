/* The state of a run, shared by the parts of the run command. */
#ifndef RUBATO_CLI_RUN_COMMAND_H
#define RUBATO_CLI_RUN_COMMAND_H

#include "frontend/tool/cli/run/run_options.h"
#include "frontend/tool/run/program/run_program.h"
#include "frontend/tool/run/progress_line.h"
#include "frontend/tool/run/results/run_detectors.h"
#include "frontend/tool/run/results/run_instructions.h"
#include "frontend/tool/run/results/run_timeline.h"
#include "frontend/tool/run/run_clocks.h"
#include "frontend/tool/run/sampled/run_graph.h"
#include "frontend/tool/run/trace_identity.h"
#include "sim/gpu/view/run_progress.h"

/* What the callbacks of library_sim_run() need of a run. */
typedef struct {
    const run_options_t *options;
    setup_t setup;
    run_program_t program; /* if the options give a program */
    rubato_sim *sim;
    uint64_t *launch_ids; /* owned; positions; NULL: all, or those of sampling */
    size_t n_launch_ids;
    run_inside_t inside;     /* samplers inside launches, from --sample or the configuration */
    sampling_options_t from; /* how launches are chosen */
    run_sampling_t sampling;
    trace_identity_t *trace;
    char identity[1024];
    run_folder_t folder;
    progress_line_t progress;
    run_timeline_t *timeline;         /* NULL: none */
    run_detectors_t *detectors;       /* NULL: none */
    run_instructions_t *instructions; /* NULL: none */
    run_clocks_t *clocks;             /* NULL: none */
    double begun; /* host time at which the run would have begun without interruptions */
    double cpu_before;
    uint64_t rss_before;
    uint64_t *isolated; /* owned; positions of launches simulated on separate chips */
    size_t n_isolated;
    run_progress_t isolated_work; /* progress over all of them */
    cycle_t isolated_end;         /* where the next such launch begins */
    double merged_seconds;        /* host seconds that the parts took */
    double beside_cpu_seconds; /* processor seconds of launches that were simulated side by side */
    bool overlaps;             /* launches of several streams run at the same time */
    uint64_t last_launch;      /* the one of these that ended last */
    bool replays;              /* they would, but a sampler estimates that */
    run_graph_t graph;         /* ... with this result */
    bool part;                 /* a limit ended the run in the midst of its last launch */
    bool resumable;            /* the folder has an incomplete run */
} run_t;

/*
 * Prepares trace, configuration, chip and folder, or changes nothing. When continuing a run, adds
 * the folder's launches to the totals and to the samplers.
 */
RB_CHECKED rb_code_t run_prepare(run_t *run, rb_err_t *err);

#endif
