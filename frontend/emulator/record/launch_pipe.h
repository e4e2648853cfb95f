/*
 * Passes the launches of a running program to the simulator: from the program's process
 * (launch_pipe_put.c) through a FIFO to a trace source (launch_pipe_get.c). Both ends come from the
 * same build, which a greeting checks, so structures are sent in their memory layout.
 *
 * A message consists of a header and a body:
 *   PIPE_HELLO       pipe_hello_t
 *   PIPE_COPY        memcpy_op_t
 *   PIPE_CODE        inst_t of a kernel; the n-th such message is code n (0, 1, ...)
 *   PIPE_LISTING     texts and source lines of the code in the message before (launch_listing.h)
 *   PIPE_LAUNCH      pipe_launch_t and the kernel's name
 *   PIPE_BLOCK       pipe_block_t, a pipe_warp_t for each warp; then for each warp its pipe_run_t,
 *                    then for each warp its words of addresses
 *   PIPE_WAITS       pipe_waits_t, stream_wait_t, wait_word_t: of the block that comes next
 *   PIPE_LONG_BLOCK  pipe_block_t; then, as messages of their own,
 *   PIPE_PIECE       pipe_piece_t, its pipe_run_t, its words of addresses: the next part of a warp,
 *   PIPE_BLOCK_END   nothing
 *   PIPE_LAUNCH_END  nothing
 *   PIPE_END         nothing: the program ended normally
 */
#ifndef RUBATO_LAUNCH_PIPE_H
#define RUBATO_LAUNCH_PIPE_H

#include "sim/gpu/source/trace_source.h"

typedef enum {
    PIPE_HELLO,
    PIPE_COPY,
    PIPE_CODE,
    PIPE_LAUNCH,
    PIPE_BLOCK,
    PIPE_LAUNCH_END,
    PIPE_END,
    PIPE_LONG_BLOCK,
    PIPE_PIECE,
    PIPE_BLOCK_END,
    PIPE_LISTING,
    PIPE_WAITS,
    PIPE_KIND_COUNT
} pipe_kind_t;

typedef struct {
    uint64_t kind; /* a pipe_kind_t */
    uint64_t bytes;
} pipe_header_t;

typedef struct {
    char magic[8]; /* PIPE_MAGIC */
    uint64_t sizes;
} pipe_hello_t;

#define PIPE_MAGIC "rubato>"

/* A fingerprint of the message layouts: differs between incompatible builds. */
uint64_t launch_pipe_sizes(void);

typedef struct {
    launch_info_t info; /* name and file are not set */
    uint64_t code;      /* number of the PIPE_CODE message */
} pipe_launch_t;

typedef struct {
    uint64_t index, n_insts;
    uint32_t id[3], n_warps;
} pipe_block_t;

typedef struct {
    uint32_t watch, n_waits, n_words, reserved;
} pipe_waits_t;

typedef struct {
    uint32_t n_runs, n_addr_words;
    uint64_t n_insts;
} pipe_warp_t;

typedef struct {
    uint32_t warp, n_runs, n_addr_words, reserved;
} pipe_piece_t;

typedef struct {
    uint32_t first, mask; /* first: index in the kernel's code */
    uint16_t count, reserved[3];
} pipe_run_t;

/* --- the program's end ----------------------------------------------------------------------- */

typedef struct launch_pipe_writer launch_pipe_writer_t;

/* Opens the FIFO at path, which must have a reader. Returns NULL with *err set (RB_IO). */
launch_pipe_writer_t *launch_pipe_open(const char *path, rb_err_t *err);

RB_CHECKED rb_code_t launch_pipe_copy(launch_pipe_writer_t *w, const memcpy_op_t *op,
                                      rb_err_t *err);

/* Describes instructions for people, as inst_text() and inst_line() of a trace source; each may be
 * NULL. What they return is borrowed until the next call. */
typedef struct {
    const char *(*text)(void *ctx, const inst_t *inst, uint32_t *len);
    bool (*line)(void *ctx, const inst_t *inst, source_line_t *out);
    void *ctx;
} pipe_about_t;

/*
 * Begins a launch of a kernel with code[0 .. n_code), which must stay valid while the writer lives.
 * about may be NULL. RB_IO if the reader is gone.
 */
RB_CHECKED rb_code_t launch_pipe_launch(launch_pipe_writer_t *w, const launch_info_t *info,
                                        const inst_t *code, uint32_t n_code,
                                        const pipe_about_t *about, rb_err_t *err);
RB_CHECKED rb_code_t launch_pipe_block(launch_pipe_writer_t *w, const trace_block_t *block,
                                       rb_err_t *err);
RB_CHECKED rb_code_t launch_pipe_launch_end(launch_pipe_writer_t *w, rb_err_t *err);

/* Reports that the program ended normally. Frees w, also on failure. */
RB_CHECKED rb_code_t launch_pipe_finish(launch_pipe_writer_t *w, rb_err_t *err);

/* Frees w without a message. w may be NULL. */
void launch_pipe_discard(launch_pipe_writer_t *w);

/* --- the simulator's end --------------------------------------------------------------------- */

/*
 * A trace source of the launches that arrive through fd, readable once and in order: launch_info()
 * of the next launch waits for it, and the unread rest of the previous one is dropped. n_launches()
 * is UINT64_MAX until the end is known. origin is the program's name in messages and is borrowed.
 * Takes ownership of fd.
 */
trace_source_t *launch_pipe_source(int fd, const char *origin);

#endif
