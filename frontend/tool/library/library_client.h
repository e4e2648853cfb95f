/*
 * What the command line uses besides include/rubato.h: conversion of errors and messages, and access
 * to the parts of the model inside the handles.
 */
#ifndef RUBATO_LIBRARY_CLIENT_H
#define RUBATO_LIBRARY_CLIENT_H

#include "frontend/tool/library/run_totals.h"
#include "include/rubato.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/gpu_conf.h"

/* Sends messages to the program's own log. A warning that is given once is then given once for all
 * handles. */
extern const rubato_log library_program_log;

/* Converts an error of the library to one of the program; returns its code. */
rb_code_t library_error(const rubato_error *error, rb_err_t *err);

/* --- configurations --------------------------------------------------------------------------- */

/* Opens the configuration of a GPU with settings "key=value", which must fit each other. NULL with
 * *err set. */
rubato_config *library_config_open(const char *gpu, const char *const *sets, size_t n,
                                   rb_err_t *err);

/* Adds settings as -s takes them, all or none. RB_USAGE. */
RB_CHECKED rb_code_t library_config_set(rubato_config *config, const char *const *sets, size_t n,
                                        rb_err_t *err);

/* Valid as long as the handle. Values change when settings are added. */
conf_t *library_config_layers(rubato_config *config);
const gpu_spec_t *library_config_spec(const rubato_config *config);

/* --- traces ----------------------------------------------------------------------------------- */

/* rubato_trace_open() with the program's log. NULL with *err set. */
rubato_trace *library_trace_open(const char *path, const char *tmpdir, rb_err_t *err);

/* Makes a handle for a source that is already open, and takes ownership of it. tmpdir: as for
 * library_tmpdir(). */
rubato_trace *library_trace_take(trace_source_t *source, const char *tmpdir);

/* Valid as long as the handle. */
trace_source_t *library_trace_source(const rubato_trace *trace);

/* The folder for temporary files: named; if it is NULL or empty, $TMPDIR or /tmp. */
const char *library_tmpdir(const char *named);

/* The GPU for traces of an architecture: see rubato_trace_gpu(). */
const char *library_default_gpu(unsigned arch);

/* --- simulations ------------------------------------------------------------------------------ */

/* Largest number of host threads of a simulation. */
enum { LIBRARY_THREADS_MAX = 256 };

/*
 * Like rubato_sim_create() with the program's log, but the caller handles the samplers that the
 * configuration names. window as in gpu_create(). NULL with *err set.
 */
rubato_sim *library_sim_create(rubato_config *config, rubato_trace *trace, uint64_t threads,
                               cycle_t window, rb_err_t *err);

/*
 * Calls gpu_run() with the chip and the trace of sim. The callbacks decide what is counted (see
 * library_sim_count()) and when to stop; rubato_sim_stop() has no effect.
 */
RB_CHECKED rb_code_t library_sim_run(rubato_sim *sim, const run_plan_t *plan,
                                     const gpu_callbacks_t *callbacks, rb_err_t *err);

/* Adds a launch to rubato_sim_totals(). It may have been simulated elsewhere or earlier. */
void library_sim_count(rubato_sim *sim, const launch_result_t *r);
const run_totals_t *library_sim_totals(const rubato_sim *sim);

/* Replaces the chip of sim by a new one. spec: the same GPU, possibly with small changes. */
void library_sim_renew(rubato_sim *sim, const gpu_spec_t *spec);

/* Replaces the chip of sim by one with the state of an image of gpu_save(): see gpu_load(). */
RB_CHECKED rb_code_t library_sim_load(rubato_sim *sim, FILE *image, cycle_t end, rb_err_t *err);

/* Valid until the chip is replaced. */
const gpu_t *library_sim_chip(const rubato_sim *sim);

/* gpu_keep_walks() and gpu_take_walk() of the chip. */
void library_sim_keep_walks(rubato_sim *sim);
bool library_sim_take_walk(rubato_sim *sim, const void *bytes, size_t n);

#endif
