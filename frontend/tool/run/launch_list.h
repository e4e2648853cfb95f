/*
 * The launches that a sampler chooses from: of a profile, of the folder of a complete run, or of a
 * trace.
 */
#ifndef RUBATO_RUN_LAUNCH_LIST_H
#define RUBATO_RUN_LAUNCH_LIST_H

#include "frontend/input/profile/profile.h"
#include "frontend/tool/run/launch_index.h"
#include "sampling/launch/population.h"
#include "sim/gpu/trace_source.h"

typedef struct {
    population_t pop;   /* its columns belong to what is below */
    const char *format; /* "Nsight Systems CSV": for people */
    profile_t *profile; /* owned; NULL: of a trace */
    double *wall;       /* owned: seconds that each launch took to simulate; NULL: not of a run */

    /* Owned columns of a trace. */
    uint64_t *id;
    uint32_t *name;
    char **names;
    uint32_t (*grid)[3], (*block)[3];
    launch_index_t index; /* of a native trace file */
} launch_list_t;

/*
 * Reads path. tmpdir: for traces; NULL: the default. RB_USAGE, RB_TRACE or RB_IO. Free with
 * launch_list_free(), also after a failure.
 */
RB_CHECKED rb_code_t launch_list_open(launch_list_t *l, const char *path, const char *tmpdir,
                                      rb_err_t *err);

/*
 * The launches of an open trace: names, grids and blocks, and what the index of a native file has;
 * no times.
 */
RB_CHECKED rb_code_t launch_list_of_trace(launch_list_t *l, trace_source_t *source, rb_err_t *err);

/*
 * Adds to the launches of a profile what the index of a native trace of the same program tells.
 * RB_TRACE, naming the first launch at fault: it is of another program; RB_USAGE: no native trace.
 */
RB_CHECKED rb_code_t launch_list_add_trace(launch_list_t *l, const char *path, rb_err_t *err);

/*
 * The same from the launches of a trace: l takes its index over and borrows the rest, which must
 * outlive l. Does nothing if they are those of another program.
 */
void launch_list_take_index(launch_list_t *l, launch_list_t *trace);

/* RB_TRACE, naming the first launch at fault, unless both have the same launches in this order. */
RB_CHECKED rb_code_t launch_list_compare(const launch_list_t *a, const launch_list_t *b,
                                         rb_err_t *err);

/* Harmless on a zeroed list. */
void launch_list_free(launch_list_t *l);

/* Row of a launch; pop.n if there is none. */
uint64_t launch_list_row(const launch_list_t *l, uint64_t id);

/* Launch id of a row; kernel name of a row. */
uint64_t launch_list_id(const launch_list_t *l, uint64_t row);
const char *launch_list_name(const launch_list_t *l, uint64_t row);

#endif
