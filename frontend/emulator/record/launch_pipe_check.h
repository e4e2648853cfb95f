/*
 * Checks of launches and blocks that arrive through the pipe, before the model sees them. The
 * recorded program can write anywhere in its memory, also into the data that it sends.
 */
#ifndef RUBATO_LAUNCH_PIPE_CHECK_H
#define RUBATO_LAUNCH_PIPE_CHECK_H

#include "frontend/emulator/record/launch_pipe.h"

/* Grid and block sizes are legal, and the architecture is known. */
bool launch_pipe_launch_holds(const launch_info_t *info);

/* The block belongs to the launch. */
bool launch_pipe_block_holds(const launch_info_t *info, const pipe_block_t *block);

/* Whether the runs of a warp, or of a part of one, have as many words of address records as they
 * need; adds their instructions to *insts. */
bool launch_pipe_words_hold(const warp_stream_t *w, uint64_t *insts);

/* The warps have as many instructions as the block states, and an address record for each
 * instruction that needs one. */
bool launch_pipe_streams_hold(const trace_block_t *block);

#endif
