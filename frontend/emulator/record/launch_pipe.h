/*
 * Launches of a running program on their way to the simulator: from the process of the program
 * (launch_pipe_put.c) through a FIFO to a trace source (launch_pipe_get.c). Both ends are of one
 * build, so structures travel as they are in memory; a greeting makes sure of it.
 *
 * A message is its header and then its bytes:
 *   PIPE_HELLO       pipe_hello_t
 *   PIPE_COPY        memcpy_op_t
 *   PIPE_CODE        inst_t of a kernel; the n-th such message is code n (0, 1, ...)
 *   PIPE_LAUNCH      pipe_launch_t and the kernel's name
 *   PIPE_BLOCK       pipe_block_t, a pipe_warp_t for each warp; then for each warp its pipe_run_t,
 *                    then for each warp its words of addresses
 *   PIPE_LAUNCH_END  nothing
 *   PIPE_END         nothing: the program ended in good order
 */
#ifndef RUBATO_LAUNCH_PIPE_H
#define RUBATO_LAUNCH_PIPE_H

#include "sim/gpu/trace_source.h"

typedef enum {
    PIPE_HELLO,
    PIPE_COPY,
    PIPE_CODE,
    PIPE_LAUNCH,
    PIPE_BLOCK,
    PIPE_LAUNCH_END,
    PIPE_END,
} pipe_kind_t;

typedef struct {
    uint64_t kind; /* pipe_kind_t */
    uint64_t bytes;
} pipe_header_t;

typedef struct {
    char magic[8]; /* PIPE_MAGIC */
    uint64_t sizes;
} pipe_hello_t;

#define PIPE_MAGIC "rubato>"

/* Sizes of what travels: differs between builds that must not talk to each other. */
uint64_t launch_pipe_sizes(void);

typedef struct {
    launch_info_t info; /* without name and file */
    uint64_t code;      /* which PIPE_CODE */
} pipe_launch_t;

typedef struct {
    uint64_t index, n_insts;
    uint32_t id[3], n_warps;
} pipe_block_t;

typedef struct {
    uint32_t n_runs, n_addr_words;
    uint64_t n_insts;
} pipe_warp_t;

typedef struct {
    uint32_t first, mask; /* first: index in the kernel's code */
    uint16_t count, reserved[3];
} pipe_run_t;

/* --- the program's end ----------------------------------------------------------------------- */

typedef struct launch_pipe_writer launch_pipe_writer_t;

/* Opens the FIFO at path, which somebody reads. NULL with *err set (RB_IO). */
launch_pipe_writer_t *launch_pipe_open(const char *path, rb_err_t *err);

RB_CHECKED rb_code_t launch_pipe_copy(launch_pipe_writer_t *w, const memcpy_op_t *op,
                                      rb_err_t *err);

/*
 * Begins a launch of a kernel whose code is code[0 .. n_code), which stays where it is while the
 * writer lives. RB_IO if the reader is gone.
 */
RB_CHECKED rb_code_t launch_pipe_launch(launch_pipe_writer_t *w, const launch_info_t *info,
                                        const inst_t *code, uint32_t n_code, rb_err_t *err);
RB_CHECKED rb_code_t launch_pipe_block(launch_pipe_writer_t *w, const trace_block_t *block,
                                       rb_err_t *err);
RB_CHECKED rb_code_t launch_pipe_launch_end(launch_pipe_writer_t *w, rb_err_t *err);

/* Says that the program ended in good order. Frees w, also on failure. */
RB_CHECKED rb_code_t launch_pipe_finish(launch_pipe_writer_t *w, rb_err_t *err);

/* Frees w without a word. w may be NULL. */
void launch_pipe_discard(launch_pipe_writer_t *w);

/* --- the simulator's end --------------------------------------------------------------------- */

/*
 * The launches that come out of fd, once, in order: launch_info() of the next launch waits for it,
 * and what was not taken of the one before is gone. n_launches() is UINT64_MAX until the end is
 * known. origin names the program in messages and is borrowed. Takes fd over.
 */
trace_source_t *launch_pipe_source(int fd, const char *origin);

#endif
