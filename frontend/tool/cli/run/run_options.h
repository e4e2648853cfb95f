/* The command line of "rubato run". */
#ifndef RUBATO_CLI_RUN_OPTIONS_H
#define RUBATO_CLI_RUN_OPTIONS_H

#include "frontend/tool/run/program/program_child.h"
#include "frontend/tool/run/results/run_report.h"
#include "frontend/tool/run/run_folder.h"
#include "frontend/tool/run/run_setup.h"
#include "frontend/tool/run/sampled/run_inside.h"
#include "frontend/tool/run/sampled/run_sampling.h"

typedef struct {
    setup_options_t setup;
    program_options_t program; /* words != NULL: the launches come from a program */
    bool about_program;        /* an option of program was given */
    sampling_options_t sampling;
    char *samples;      /* owned; all --sample arguments as one list */
    bool bounds_change; /* --change-bound was given */
    const char *folder, *launches, *window, *timeline, *timeline_range;
    sm_share_t *shares; /* owned */
    size_t n_shares;
    chip_view_plan_t view; /* part of the run that the timeline shows */
    folder_mode_t mode;
    bool detectors;       /* write detectors.json */
    bool per_instruction; /* write instructions.csv */
    bool clock_reads;     /* write clock_reads.csv */
    bool isolated;
    bool keep_walks;
    run_limit_t limit;    /* --cycles, --max-insts of a trace */
    uint64_t part, parts; /* --part PART/PARTS; 0: all */
    text_list_t merge;    /* folders of the parts */
    bool json;
    uint64_t threads, stats_interval;
    unsigned progress, format; /* progress_when_t, stats_format_t */
    double checkpoint_interval;
} run_options_t;

/* Reads and checks the command line. *help: help was requested; the other options are then
 * undefined. RB_USAGE. */
RB_CHECKED rb_code_t run_options_read(run_options_t *o, int argc, char **argv, bool *help,
                                      rb_err_t *err);

/*
 * Divides sample: samplers inside launches go to inside, and the one that chooses launches to
 * *from. inside->list.conf may be the configuration. RB_USAGE.
 */
RB_CHECKED rb_code_t run_options_divide(const run_options_t *o, const char *sample,
                                        run_inside_t *inside, sampling_options_t *from,
                                        rb_err_t *err);
void run_options_free(run_options_t *o);

#endif
