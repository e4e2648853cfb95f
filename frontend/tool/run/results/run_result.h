/* Reads the results of a run back from its run.json. */
#ifndef RUBATO_RUN_RUN_RESULT_H
#define RUBATO_RUN_RUN_RESULT_H

#include "frontend/tool/run/run_record.h"

/* A launch that was simulated at least in part. */
typedef struct {
    /* The contents of run.json: ids, name, shape, times, blocks, instructions, counters, sampling.
     * The numbers of sampling that tell what was simulated are also set without a sampler. */
    launch_result_t r;
    char *name; /* owned; the text of r.info.name */
    double host_seconds;
    double weight; /* number of launches that it stands for */
} run_launch_t;

typedef struct {
    bool estimated;
    double host_seconds, host_cpu_seconds;
    double low, high;       /* interval of the total cycles; NAN: none */
    run_totals_t totals;    /* of the whole trace; run_*: what was simulated */
    run_launch_t *launches; /* owned; sorted by id */
    size_t n;
} run_result_t;

/*
 * path: run.json, or its folder. RB_TRACE with file and line if it is not from a complete run of
 * this version; RB_IO. The caller frees r, also after an error.
 */
RB_CHECKED rb_code_t run_result_read(run_result_t *r, const char *path, rb_err_t *err);
void run_result_free(run_result_t *r);

/* The launch with an id; NULL if it was not simulated. */
const run_launch_t *run_result_find(const run_result_t *r, uint64_t id);

#endif
