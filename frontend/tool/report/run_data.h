/*
 * The results of a run, read from its run.json: its identification, and selected numbers of the
 * whole run and of each launch, by their paths in run.json ("sm.warp_insts", "metrics.ipc",
 * "cycles").
 */
#ifndef RUBATO_REPORT_RUN_DATA_H
#define RUBATO_REPORT_RUN_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct {
    uint64_t id;
    char *name; /* owned; the kernel's name as in the trace */
    uint32_t grid[3], block[3];
    char *sampler, *evidence; /* owned; NULL: no sampler was involved */
    bool estimated;           /* a sampler ended it early */
    double *values;           /* owned; one per path; NAN: null or missing */
} run_data_launch_t;

typedef struct {
    char *file; /* owned; path of the run.json */
    bool complete, estimated;
    /* Owned; NULL: missing. note: what the interval does not cover, or why there is none. */
    char *version, *commit, *command, *gpu, *trace, *method, *note, *warmup;
    uint64_t trace_launches; /* launches of the trace, simulated or not; 0: missing */
    double clock_mhz, cycles_low, cycles_high, confidence; /* NAN: missing */
    double peak_issue, peak_l2, peak_dram;                 /* per second; NAN: missing */
    double peak_fp16, peak_fp32, peak_fp64, peak_tensor;
    const char *const *paths; /* borrowed */
    size_t n_paths;
    double *totals; /* owned; one per path: from "totals", or from the document ("host.seconds") */
    run_data_launch_t *launches;
    size_t n_launches, cap_launches;
} run_data_t;

/*
 * where: a run.json, or a folder with one. paths: n_paths distinct ones; must outlive d. RB_TRACE
 * with file and line if it is not a run.json; RB_IO. The caller frees d, also after an error.
 */
RB_CHECKED rb_code_t run_data_read(run_data_t *d, const char *where, const char *const *paths,
                                   size_t n_paths, rb_err_t *err);
void run_data_free(run_data_t *d);

/* Index of a path, which must be one of d's. */
size_t run_data_path(const run_data_t *d, const char *path);

/* The name of the run's trace: the last component of its path. */
const char *run_data_trace_name(const run_data_t *d);

#endif
