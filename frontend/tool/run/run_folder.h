/*
 * Where a run keeps its journal, checkpoints and results: the folder of -o, or, without one, an
 * unnamed temporary file for the journal only.
 *
 *   run_folder_begin()   makes or continues it
 *   ... records are appended to f.journal, run_folder_checkpoint() between launches ...
 *   run_folder_finish()  writes the results; or run_folder_abandon()
 */
#ifndef RUBATO_RUN_RUN_FOLDER_H
#define RUBATO_RUN_RUN_FOLDER_H

#include "frontend/tool/run/run_checkpoint.h"
#include "frontend/tool/run/run_report.h"
#include "frontend/tool/run/trace_identity.h"
#include "sim/conf/conf.h"

typedef enum { FOLDER_NEW, FOLDER_FORCE, FOLDER_RESUME } folder_mode_t;

typedef struct {
    const char *path;        /* borrowed; NULL: no folder */
    const char *identity;    /* borrowed: what must be equal for a resume, in lines */
    trace_identity_t *trace; /* borrowed */
    bool isolated;           /* each launch has a chip of its own */
    /* Makes the chip anew, with the state of an image; end: of the last launch before it. RB_TRACE
     * if the image says what cannot be. */
    rb_code_t (*load)(void *ctx, const void *image, size_t n, cycle_t end, rb_err_t *err);
    void *ctx;
    folder_mode_t mode;
    double checkpoint_interval; /* seconds */
    bool keep_journal;          /* of a complete run, as run_part_journal */
    journal_t *journal;         /* owned */
    bool made;                  /* the folder was missing before */
    bool resumed;               /* from holds the state that the run continues from */
    bool already_complete;      /* nothing is left to do: the results are there */
    checkpoint_t from;
    double last_checkpoint, checkpoint_cost; /* host time of the last one; seconds it took */
} run_folder_t;

/*
 * The caller fills what stands before journal. Loads the chip if it resumes, and what was read of
 * the trace must be as it was then. tmpdir: for the journal if there is no folder. RB_USAGE if the
 * folder holds results (FOLDER_NEW) or another run (FOLDER_RESUME), or if the trace was changed;
 * RB_IO.
 */
RB_CHECKED rb_code_t run_folder_begin(run_folder_t *f, const char *tmpdir, rb_err_t *err);

/*
 * After a launch: writes a checkpoint if one is due, that is, if the interval has passed or if it
 * costs less than 1 % of the time since the last one.
 */
RB_CHECKED rb_code_t run_folder_checkpoint(run_folder_t *f, const checkpoint_t *c, const gpu_t *gpu,
                                           rb_err_t *err);

/*
 * Writes the result files, all or none. A complete run then needs no journal and checkpoint; those
 * of a stopped one stay.
 */
RB_CHECKED rb_code_t run_folder_finish(run_folder_t *f, const run_report_t *report, conf_t *conf,
                                       rb_err_t *err);

/* Releases f. keep: what was simulated stays for --resume; otherwise nothing is left. */
void run_folder_abandon(run_folder_t *f, bool keep);

#endif
