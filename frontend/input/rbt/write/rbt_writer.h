/*
 * Writer of the native trace file (.rbt). The format is described byte by byte in rbt.5.
 *
 * Launches are written one after the other, each as its facts and then its blocks in stored order.
 * Static code is not declared: the writer collects it from the runs of the blocks, once per
 * distinct kernel. Blocks are encoded at once and compressed by helper threads in frames, so memory
 * does not grow with the trace. The file appears under its name only when rbt_writer_finish()
 * succeeds.
 */
#ifndef RUBATO_RBT_WRITER_H
#define RUBATO_RBT_WRITER_H

#include "sim/gpu/source/trace_source.h"

typedef struct rbt_writer rbt_writer_t;

typedef struct {
    int level;            /* of zstd; 0: the default */
    unsigned threads;     /* for compression; 0: 1 */
    bool overwrite;       /* replace an existing file; otherwise an existing file is an error */
    const char *producer; /* who made the trace, stored in the file; NULL: "rubato" */
} rbt_writer_options_t;

/*
 * The static text of an instruction in its original trace, stored so that the trace can be written
 * back unchanged; NULL: the source has none. Valid while the launch is open.
 */
typedef const char *(*rbt_inst_text_fn)(void *ctx, const inst_t *inst, uint32_t *len);

/* The source line of an instruction, with its file; false: unknown. Borrowed during the call. */
typedef bool (*rbt_inst_line_fn)(void *ctx, const inst_t *inst, source_line_t *out);

/*
 * opts may be NULL. Returns NULL with *err set: RB_USAGE if path exists and is not a regular file,
 * or may not be replaced; RB_IO.
 */
rbt_writer_t *rbt_writer_create(const char *path, const rbt_writer_options_t *opts, rb_err_t *err);

/* The name of the temporary file beside path, for a parent that removes it if this process is
 * killed. */
const char *rbt_writer_temporary(const rbt_writer_t *w);

/* Adds a memory copy before the next launch (or after the last). */
RB_CHECKED rb_code_t rbt_writer_copy(rbt_writer_t *w, const memcpy_op_t *op, rb_err_t *err);

/* Stores the plan of the sampler that chose the launches: JSON, copied. May be called at any
 * time. */
void rbt_writer_plan(rbt_writer_t *w, const char *json);

/* Stores the order of the program's work, which must be a legal graph. May be called at any time.
 * Without it, the launches of the file are one stream. */
void rbt_writer_graph(rbt_writer_t *w, const stream_graph_t *graph);

/*
 * Begins a launch. info->id may skip ids (a partial trace) but must ascend. weight: from the plan,
 * 1 without one. text may be NULL.
 */
RB_CHECKED rb_code_t rbt_writer_launch(rbt_writer_t *w, const launch_info_t *info, double weight,
                                       rbt_inst_text_fn text, void *text_ctx, rb_err_t *err);

/* Says who knows the source lines of the open launch, before its first block; ctx is that of its
 * texts. A file with lines cannot be read by rubato 0.2. */
void rbt_writer_lines(rbt_writer_t *w, rbt_inst_line_fn line);

/* Appends a block of the open launch. The block is only read, not kept. */
RB_CHECKED rb_code_t rbt_writer_block(rbt_writer_t *w, const trace_block_t *block, rb_err_t *err);

RB_CHECKED rb_code_t rbt_writer_launch_end(rbt_writer_t *w, rb_err_t *err);

/* Writes the index, syncs and renames the file to its final name. Frees w, also on failure. */
RB_CHECKED rb_code_t rbt_writer_finish(rbt_writer_t *w, rb_err_t *err);

/* Removes the temporary file. Frees w; w may be NULL. */
void rbt_writer_discard(rbt_writer_t *w);

#endif
