/*
 * The records of a run's journal: its identity, the files that it read, each launch, each interval.
 * The final files are written from these records, so memory does not grow with the number of
 * launches.
 */
#ifndef RUBATO_RUN_RUN_RECORD_H
#define RUBATO_RUN_RUN_RECORD_H

#include "frontend/tool/library/run_totals.h"
#include "frontend/tool/run/journal.h"
#include "sampling/estimate/estimate.h"
#include "sim/gpu/gpu.h"

typedef enum {
    RECORD_END,
    RECORD_IDENTITY,
    RECORD_LAUNCH,
    RECORD_INTERVAL,
    RECORD_READ
} record_kind_t;

typedef struct {
    record_kind_t kind;
    const char *identity;       /* RECORD_IDENTITY */
    launch_result_t launch;     /* RECORD_LAUNCH; its texts point into the journal's buffer */
    launch_error_t error;       /* of launch, if it is an estimate; points there, too */
    double host_seconds;        /* RECORD_LAUNCH: host time of the run when the launch was
                                 * complete */
    interval_result_t interval; /* RECORD_INTERVAL */
    const char *file, *sha256;  /* RECORD_READ */
} run_record_t;

/* Each function appends one record. error: of a launch that comes from another journal; NULL: its
 * replicates are those of r. RB_IO. */
RB_CHECKED rb_code_t record_identity(journal_t *j, const char *identity, rb_err_t *err);
RB_CHECKED rb_code_t record_launch(journal_t *j, const launch_result_t *r,
                                   const launch_error_t *error, double host_seconds, rb_err_t *err);
RB_CHECKED rb_code_t record_interval(journal_t *j, const interval_result_t *r, rb_err_t *err);
RB_CHECKED rb_code_t record_read(journal_t *j, const char *file, const char *sha256, rb_err_t *err);

/* Reads the next record, RECORD_END after the last; texts are valid until the next call. RB_IO. */
RB_CHECKED rb_code_t record_next(journal_t *j, run_record_t *out, rb_err_t *err);

/*
 * A walk over the records of one kind, from the first:
 *
 *     record_walk_t walk = record_walk(journal, RECORD_LAUNCH, err);
 *     while (record_walk_next(&walk))
 *         use(&walk.record.launch);
 *     return walk.code;
 *
 * A journal has one reading position: one walk at a time, and no other reading within.
 */
typedef struct {
    journal_t *journal; /* borrowed */
    record_kind_t kind;
    run_record_t record; /* the current record; RECORD_END after the last */
    rb_code_t code;      /* RB_IO: the walk ended there, with *err set */
    rb_err_t *err;
} record_walk_t;

record_walk_t record_walk(journal_t *j, record_kind_t kind, rb_err_t *err);

/* Moves to the next record; false: there is none, or code is set. */
bool record_walk_next(record_walk_t *w);

/* A hash of the set of counters: records with other counters cannot be read. */
uint64_t record_layout(void);

#endif
