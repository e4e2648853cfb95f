/* What smarts knows of a launch before it runs: the lengths of its blocks, and a survey of it without
 * time (sim/gpu/warming/shadow.h). */
#ifndef RUBATO_SMARTS_LOOK_H
#define RUBATO_SMARTS_LOOK_H

#include "sampling/inside/block_insts.h"
#include "sim/gpu/sampled/sampler.h"

typedef struct {
    const shadow_t *shadow; /* borrowed; NULL before the survey */
    block_insts_t insts;    /* owned; from the index, or else from the survey */
    uint64_t slots, blocks; /* slots: 1 .. blocks */
    double wave;            /* warp instructions of a wave, mean */
    uint64_t oldest;        /* lowest block that is still on the chip when the last is dispatched */
    double drain;           /* from then on: in waves */
    double usual; /* waves that the longest block takes, but for those that have 2 % of the work */
} smarts_look_t;

/* What is known for nothing: the number of blocks, which count as equally long. Free *out in any case. */
void smarts_look_begin(smarts_look_t *out, const sampler_launch_t *l);

/* Reads the lengths of blocks from the index, if there is one. Errors are those of the source. */
RB_CHECKED rb_code_t smarts_look_lengths(smarts_look_t *s, const sampler_launch_t *l,
                                         rb_err_t *err);

/* Surveys the launch up to a block at least: reads its blocks. Without an index, all of them. */
RB_CHECKED rb_code_t smarts_look_survey(smarts_look_t *s, const sampler_launch_t *l, uint64_t until,
                                        rb_err_t *err);

/* A zeroed one is allowed. */
void smarts_look_free(smarts_look_t *s);

/* Warp instructions of blocks [first, end). */
double smarts_look_insts(const smarts_look_t *s, uint64_t first, uint64_t end);

/* Where a block is in the launch, from 0 to 1: half by instructions and half by number, so that a
 * part with short blocks, which takes more time than its instructions tell, is not passed over. And
 * the block at a place. */
double smarts_look_place(const smarts_look_t *s, uint64_t block);
uint64_t smarts_look_at(const smarts_look_t *s, double place);

/* The block from which on blocks up to `end`, but none before `least`, move this many sectors into
 * the L2. */
uint64_t smarts_look_back(const smarts_look_t *s, uint64_t least, uint64_t end, double sectors);

#endif
