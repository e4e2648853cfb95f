/* Divides --sample of a run into samplers inside launches and the one that chooses launches. */
#ifndef RUBATO_RUN_RUN_INSIDE_H
#define RUBATO_RUN_RUN_INSIDE_H

#include "frontend/tool/io/text_list.h"
#include "sampling/inside/inside_sampler.h"

typedef struct {
    inside_list_t list;
    char *launch; /* owned; the items of --sample that are not in list; NULL: none */
} run_inside_t;

/* Divides the value of --sample. RB_USAGE. */
RB_CHECKED rb_code_t run_inside_divide(run_inside_t *r, const char *sample, uint64_t seed,
                                       rb_err_t *err);

/* Does nothing for a zeroed r. */
void run_inside_free(run_inside_t *r);

/* Warns of settings of the command line (GROUP.NAME=VALUE) of samplers that do not act in this run. */
void run_inside_tell_idle(const run_inside_t *r, const text_list_t *sets);

/* The file of a run's folder with the units that a sampler measured inside launches (sampling/estimate/change/unit_file.h). */
#define UNIT_FILE_NAME "units.txt"

/*
 * Whether the run in `folder` (--change-from) is followed by units: it chose no launches, but measured units. Then the
 * sampler of the list that measures units follows; RB_USAGE if there is none. RB_IO, RB_TRACE.
 */
RB_CHECKED rb_code_t run_inside_follow(run_inside_t *r, const char *folder, bool *followed,
                                       rb_err_t *err);

/* Writes the units of a run, if a sampler measures them; perhaps none. RB_IO. */
RB_CHECKED rb_code_t run_inside_write(const run_inside_t *r, const char *folder, uint64_t launches,
                                      rb_err_t *err);

/* Differs between lists that could make different decisions. */
uint64_t run_inside_fingerprint(const run_inside_t *r, uint64_t seed);

#endif
