/* The results of a run, read back from the run.json that it wrote. */
#ifndef RUBATO_RUN_RUN_RESULT_H
#define RUBATO_RUN_RUN_RESULT_H

#include "frontend/tool/run/run_record.h"

/* One launch that was simulated, at least in part. */
typedef struct {
    /* What run.json tells: ids, name, shape, times, blocks, instructions, counters, sampling. The
     * numbers of sampling that say what was simulated are set also where no sampler was asked. */
    launch_result_t r;
    char *name; /* owned: r.info.name */
    double host_seconds;
    double weight; /* launches that it stands for */
} run_launch_t;

typedef struct {
    bool estimated;
    double host_seconds;
    double low, high;       /* interval of the total cycles; NAN: none */
    run_totals_t totals;    /* of the whole trace; run_*: what was simulated */
    run_launch_t *launches; /* owned; ascending by id */
    size_t n;
} run_result_t;

/*
 * path: run.json, or the folder with it. RB_TRACE with file and line: not a complete run of this
 * version; RB_IO. Free also after a failure.
 */
RB_CHECKED rb_code_t run_result_read(run_result_t *r, const char *path, rb_err_t *err);
void run_result_free(run_result_t *r);

/* The launch of an id; NULL if it was not simulated. */
const run_launch_t *run_result_find(const run_result_t *r, uint64_t id);

#endif
