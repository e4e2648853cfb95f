/*
 * The results of a run, and the formats in which they are written: run.json, launches.csv,
 * stats.csv, intervals.csv, the table on the terminal, and lines with Accel-Sim's names. Each
 * writer reads the journal and returns its RB_IO; the owner of the output checks for write errors.
 *
 * launches.csv, stats.csv and intervals.csv do not depend on the host.
 */
#ifndef RUBATO_RUN_RUN_REPORT_H
#define RUBATO_RUN_RUN_REPORT_H

#include "frontend/tool/library/metrics.h"
#include "frontend/tool/library/stat_values.h"
#include "frontend/tool/run/run_record.h"
#include "frontend/tool/run/sampled/run_estimate.h"
#include "frontend/tool/run/sampled/run_graph.h"
#include "frontend/tool/run/sampled/run_sampling.h"
#include "frontend/tool/run/trace_identity.h"
#include "sampling/estimate/estimate.h"
#include "sampling/inside/inside_sampler.h"

/* Where a run ends; 0: no limit. */
typedef struct {
    uint64_t cycles, insts; /* of its launches, launch latency included; warp instructions */
} run_limit_t;

typedef struct {
    bool complete;     /* false: stopped before the end */
    run_limit_t limit; /* where the run was to end; it did if part */
    bool part;         /* ... before the end of the launches */
    const char *command;
    const char *identity; /* lines that must be equal for a resume; see report_identity() */
    const char *trace_path, *trace_format;
    const trace_read_t *trace_read;
    trace_source_t *source; /* borrowed */
    uint64_t trace_launches, trace_bytes;
    const char *gpu;     /* as given by the user */
    bool gpu_is_default; /* chosen by the trace's architecture */
    size_t overrides;    /* number of -s settings */
    const gpu_spec_t *spec;
    const char *config_sha256;
    uint64_t stats_interval;        /* 0: none */
    run_totals_t simulated;         /* what was simulated */
    unsigned warmup;                /* gpu_warmup_mode() */
    const run_sampling_t *sampling; /* NULL: no plan */
    const run_graph_t *graph;    /* launches overlap, and the replay of their graph says so; NULL:
                                     * not, or it was not reached */
    bool replays;                /* only the replay gives the totals */
    const inside_list_t *inside; /* samplers inside launches */
    /* Of the whole trace; set by report_set_totals(). */
    run_totals_t totals;
    bool estimated;
    bool of_plan;               /* the totals come from a plan whose samples were all simulated */
    intervals_t intervals;      /* owned; of all statistics, if estimated */
    run_launches_t launches;    /* what they are made from */
    estimate_t cycles_interval; /* of the cycles; low and high are NAN if there is no interval */
    const char *interval_note;  /* what the interval does not cover, or why there is none; NULL:
                                 * nothing to report */
    char note_text[768];        /* memory for it */
    double host_seconds, host_cpu_seconds;
    uint64_t host_peak_rss;
    int threads;
    journal_t *journal; /* all records of the run */
} run_report_t;

/*
 * Sets the totals: the simulated ones or, if all samples of a plan were simulated, estimates of the
 * whole, with intervals. If the run was stopped earlier, the totals are sums over what it simulated.
 * RB_IO. The caller frees r with report_free(), also after an error.
 */
RB_CHECKED rb_code_t report_set_totals(run_report_t *r, rb_err_t *err);
void report_free(run_report_t *r);

/* The interval of a statistic of the totals; low NAN: there is none. */
stat_interval_t report_interval(const run_report_t *r, size_t stat);

/* The number of a metric among the statistics. */
size_t report_metric(metric_id_t id);

RB_CHECKED rb_code_t report_json(const run_report_t *r, FILE *out, rb_err_t *err);
RB_CHECKED rb_code_t report_launches_csv(const run_report_t *r, FILE *out, rb_err_t *err);
RB_CHECKED rb_code_t report_intervals_csv(const run_report_t *r, FILE *out, rb_err_t *err);
void report_stats_csv(const run_report_t *r, FILE *out);

/* columns: width of the terminal. */
RB_CHECKED rb_code_t report_table(const run_report_t *r, unsigned columns, FILE *out,
                                  rb_err_t *err);
RB_CHECKED rb_code_t report_accelsim(const run_report_t *r, FILE *out, rb_err_t *err);

/* Writes the last line of a run to standard error: version, time, rate, peak memory. */
void report_trailer(const run_report_t *r, FILE *out);

/* The last component of a path, for people. */
const char *report_trace_name(const char *path);

/* The number in run.json for an identity and the files read from the trace, as 16 digits. */
enum { REPORT_IDENTITY = 17 };
void report_identity(char text[REPORT_IDENTITY], const char *identity, const trace_read_t *read);

/* Time on the modelled GPU, at its core clock. */
double report_seconds(const run_report_t *r);

/* Inputs of the ratios of a launch and of the whole run. */
metric_input_t report_launch_metrics(const run_report_t *r, const launch_result_t *l);
metric_input_t report_total_metrics(const run_report_t *r);

#endif
