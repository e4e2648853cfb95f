/*
 * The launches from which a sampler chooses: those of a profile, of the folder of a complete run,
 * or of a trace.
 */
#ifndef RUBATO_RUN_LAUNCH_LIST_H
#define RUBATO_RUN_LAUNCH_LIST_H

#include "frontend/input/profile/profile.h"
#include "frontend/tool/run/launch_index.h"
#include "sampling/plan/population.h"
#include "sim/gpu/source/trace_source.h"

typedef struct {
    population_t pop;   /* its columns belong to the members below */
    const char *format; /* for people, such as "Nsight Systems CSV" */
    profile_t *profile; /* owned; NULL for a trace */
    double *wall;       /* owned; seconds that the simulation of each launch took; NULL: unknown */

    /* Owned columns of a trace. */
    uint64_t *id;
    uint32_t *name;
    char **names;
    uint32_t (*grid)[3], (*block)[3];
    launch_index_t index; /* from a native trace file */
    double *extra;        /* from launch_reach.h; NULL: unknown */
    double *predicted;    /* from sampling/predict; NULL: unknown */
} launch_list_t;

/*
 * Reads path. tmpdir: for traces; NULL: the default. RB_USAGE, RB_TRACE or RB_IO. The caller frees
 * l with launch_list_free(), also after an error.
 */
RB_CHECKED rb_code_t launch_list_open(launch_list_t *l, const char *path, const char *tmpdir,
                                      rb_err_t *err);

/*
 * Adds the host times of the launches if path is the folder of a run that has them. They are in
 * run.json, which takes longer to read than all of the rest, so only their users ask for them.
 */
void launch_list_add_walls(launch_list_t *l, const char *path);

/*
 * Reads the launches of an open trace: names, grids and blocks, and, for a native file, the
 * contents of the index; no times.
 */
RB_CHECKED rb_code_t launch_list_of_trace(launch_list_t *l, trace_source_t *source, rb_err_t *err);

/* The same without the index, for those who have chosen already. */
RB_CHECKED rb_code_t launch_list_of_launches(launch_list_t *l, trace_source_t *source,
                                             rb_err_t *err);

/*
 * Adds the contents of a native trace's index to the launches of a profile of the same program.
 * RB_TRACE, naming the first differing launch, if it is another program; RB_USAGE if the trace is
 * not native.
 */
RB_CHECKED rb_code_t launch_list_add_trace(launch_list_t *l, const char *path, rb_err_t *err);

/*
 * The same from a list of a trace's launches: l takes over the index and borrows the rest, which
 * must outlive l. Does nothing if the launches belong to another program.
 */
void launch_list_take_index(launch_list_t *l, launch_list_t *trace);

/* RB_TRACE, naming the first differing launch, unless both have the same launches in this order. */
RB_CHECKED rb_code_t launch_list_compare(const launch_list_t *a, const launch_list_t *b,
                                         rb_err_t *err);

/* Does nothing for a zeroed list. */
void launch_list_free(launch_list_t *l);

/* Row of a launch; pop.n: it is not in the list. */
uint64_t launch_list_row(const launch_list_t *l, uint64_t id);

/* Launch id of a row; kernel name of a row. */
uint64_t launch_list_id(const launch_list_t *l, uint64_t row);
const char *launch_list_name(const launch_list_t *l, uint64_t row);

#endif
