/*
 * Generated workloads: a trace source that computes its launches. Instructions, registers, masks
 * and addresses are those of real kernels; sizes are free, from a few blocks to billions of
 * instructions. A block is generated on request from the seed and its position alone, so skipping
 * costs nothing and memory does not grow with the grid.
 */
#ifndef RUBATO_GEN_H
#define RUBATO_GEN_H

#include "sim/gpu/source/trace_source.h"

/* An integer parameter of a kind of workload. Ranges keep the stream of one block below 128 MiB. */
typedef struct {
    const char *name, *help;
    uint64_t min, max, def;
} gen_param_t;

/* A kind of workload. */
typedef struct {
    const char *name, *summary;
    gen_param_t *params; /* the first one is the size */
    unsigned n_params;
    bool has_blocks; /* the size can be given as a number of blocks */
} gen_kind_info_t;

/* All kinds: those of this folder, then the listings of share/rubato/workloads by name. */
typedef struct {
    gen_kind_info_t *kind; /* owned, with all that it contains */
    unsigned n;
    size_t cap;
} gen_list_t;

/* RB_IO, RB_TRACE: a listing cannot be read. Free in any case. */
RB_CHECKED rb_code_t gen_list_read(gen_list_t *list, rb_err_t *err);
void gen_list_free(gen_list_t *list);

typedef struct {
    const char *kind;          /* or the path of a listing, with a dot or a slash */
    unsigned arch;             /* 70, 75; 0: 70 */
    uint64_t seed;             /* for everything random */
    uint64_t size;             /* 0: the kind's default */
    uint64_t blocks;           /* 0, or the number of blocks of the largest launch, instead of a
                                * size */
    const char *const *params; /* "name=value"; a value may end in k, M or G (powers of 1000) */
    size_t n_params;
} gen_spec_t;

/* Returns NULL with *err set: RB_USAGE; RB_IO or RB_TRACE of a listing. spec is not kept. Destroy with ops->destroy(). */
trace_source_t *gen_open(const gen_spec_t *spec, rb_err_t *err);

#endif
