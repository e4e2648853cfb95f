/* Decodes the records of a launch into blocks (sim/isa/stream.h). */
#ifndef RUBATO_MACSIM_BLOCK_H
#define RUBATO_MACSIM_BLOCK_H

#include <pthread.h>

#include "frontend/input/macsim/macsim_addr.h"
#include "frontend/input/macsim/macsim_code.h"
#include "frontend/input/macsim/macsim_warps.h"

typedef struct macsim_block macsim_block_t;

typedef struct {
    const macsim_kernel_t *kernel; /* borrowed */
    launch_info_t info;
    macsim_warps_t warps;
    macsim_code_t code;
    macsim_access_t access; /* the instruction whose records are being read */
    bool first_lane;        /* see macsim_access_lanes() */
    bool told_missing;
    pthread_mutex_t lock;
    macsim_block_t *out; /* handed out and not yet returned */
} macsim_blocks_t;

/* info must be complete. RB_TRACE or RB_IO; the caller frees *b, also after an error. */
RB_CHECKED rb_code_t macsim_blocks_open(macsim_blocks_t *b, const macsim_kernel_t *kernel,
                                        const launch_info_t *info, rb_err_t *err);
void macsim_blocks_free(macsim_blocks_t *b);

/* Returns the index-th stored block; *out is NULL after the last one. */
RB_CHECKED rb_code_t macsim_blocks_get(macsim_blocks_t *b, uint64_t index, trace_block_t **out,
                                       rb_err_t *err);

/* Returns a block; any thread may call it. */
void macsim_blocks_give_back(macsim_blocks_t *b, trace_block_t *block);

/* Path of a warp's file; the caller frees it. */
char *macsim_warp_path(const macsim_kernel_t *kernel, uint64_t wid);

#endif
