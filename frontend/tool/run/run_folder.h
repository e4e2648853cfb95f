/*
 * The place of a run's journal, checkpoints and results: the folder of -o or, without one, an
 * unnamed temporary file for the journal only.
 *
 *   run_folder_begin()   creates or continues it
 *   ... records are appended to f.journal, run_folder_checkpoint() between launches ...
 *   run_folder_finish()  writes the results; or run_folder_abandon()
 */
#ifndef RUBATO_RUN_RUN_FOLDER_H
#define RUBATO_RUN_RUN_FOLDER_H

#include "frontend/tool/run/results/run_report.h"
#include "frontend/tool/run/run_checkpoint.h"
#include "frontend/tool/run/trace_identity.h"
#include "sim/conf/conf.h"

typedef enum { FOLDER_NEW, FOLDER_FORCE, FOLDER_RESUME } folder_mode_t;

typedef struct {
    const char *path;        /* borrowed; NULL: no folder */
    const char *identity;    /* borrowed; lines that must be equal for a resume */
    trace_identity_t *trace; /* borrowed */
    bool isolated;           /* each launch runs on its own chip */
    /* Recreates the chip with the state of an image; end: end of the last launch before it.
     * RB_TRACE if the image is inconsistent. */
    rb_code_t (*load)(void *ctx, const void *image, size_t n, cycle_t end, rb_err_t *err);
    void *ctx;
    folder_mode_t mode;
    double checkpoint_interval; /* seconds */
    bool keep_journal;          /* keep the journal of a complete run as run_part_journal */
    journal_t *journal;         /* owned */
    bool made;                  /* this run created the folder */
    bool resumed;               /* the run continues from the state in from */
    bool already_complete;      /* nothing is left to do: the results exist */
    checkpoint_t from;
    double last_checkpoint, checkpoint_cost; /* host time of the last one; seconds that it took */
} run_folder_t;

/*
 * The caller sets the members before journal. When resuming, loads the chip; files of the trace
 * read earlier must be unchanged. tmpdir: for the journal if there is no folder. RB_USAGE if the
 * folder has results (FOLDER_NEW) or another run (FOLDER_RESUME), or if the trace was changed;
 * RB_IO.
 */
RB_CHECKED rb_code_t run_folder_begin(run_folder_t *f, const char *tmpdir, rb_err_t *err);

/*
 * Call it after a launch: writes a checkpoint if one is due, that is, if the interval has passed or
 * if it costs less than 1 % of the time since the last one.
 */
RB_CHECKED rb_code_t run_folder_checkpoint(run_folder_t *f, const checkpoint_t *c, const gpu_t *gpu,
                                           rb_err_t *err);

/*
 * Writes all result files or none. After a complete run, removes journal and checkpoints; after a
 * stopped run, keeps them.
 */
RB_CHECKED rb_code_t run_folder_finish(run_folder_t *f, const run_report_t *report, conf_t *conf,
                                       rb_err_t *err);

/* Releases f. keep: keeps what was simulated for --resume; otherwise nothing is left. */
void run_folder_abandon(run_folder_t *f, bool keep);

#endif
