/*
 * What the simulator's end of the pipe makes sure of before the model sees it: a program that is
 * recorded may write anywhere, and so into what it sends.
 */
#ifndef RUBATO_LAUNCH_PIPE_CHECK_H
#define RUBATO_LAUNCH_PIPE_CHECK_H

#include "frontend/emulator/record/launch_pipe.h"

/* A grid and a block that there can be, of an architecture that is known. */
bool launch_pipe_launch_holds(const launch_info_t *info);

/* A block of that launch. */
bool launch_pipe_block_holds(const launch_info_t *info, const pipe_block_t *block);

/* The instructions of the block's warps are as many as it says, with an address record for each
 * that needs one; the runs name code that is there. */
bool launch_pipe_streams_hold(const trace_block_t *block);

#endif
