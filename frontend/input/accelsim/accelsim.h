/*
 * Accel-Sim / NVBit traces as a trace_source: a kernelslist with its .traceg files, or one file.
 *
 * Tracer versions 1 to 6 (text), with or without line numbers and immediates, all address modes;
 * plain, .xz, .gz and .zst, told apart by content and streamed. Blocks are decoded one at a time:
 * memory depends on the largest block, not on the trace. Raw files (.trace), whose blocks
 * interleave, are grouped once per opening through a bounded external sort into unnamed temporary
 * files.
 */
#ifndef RUBATO_ACCELSIM_H
#define RUBATO_ACCELSIM_H

#include "sim/core/file_reads.h"
#include "sim/gpu/trace_source.h"

/*
 * Machine code of the traced program, from which instructions are completed that a trace tells only
 * in part. find: the code of a kernel, NULL: not known, its launches stay as traced; any thread may
 * call it. complete: puts what the code says of the instruction at in->pc in place of what the
 * trace says; false: it has another instruction there, which is an error.
 */
typedef struct {
    void *ctx; /* owned by the source: freed with destroy */
    const void *(*find)(void *ctx, const char *kernel, unsigned arch);
    bool (*complete)(const void *code, inst_t *in);
    void (*files)(const void *ctx, void (*visit)(void *visit_ctx, const char *path),
                  void *visit_ctx);
    void (*destroy)(void *ctx);
} accelsim_machine_t;

typedef struct {
    const char *tmpdir; /* for grouping raw files; NULL: $TMPDIR or /tmp */
    size_t sort_bytes;  /* memory for grouping; 0: 256 MiB */
    /* Copied; NULL: none. The source takes ctx over, also if it cannot be opened. */
    const accelsim_machine_t *machine;
} accelsim_options_t;

/*
 * Whether path looks like such a trace: a directory with a kernelslist, a kernelslist, or a file
 * that begins with the header of a kernel. Reads a few kilobytes at most.
 */
bool accelsim_detect(const char *path);

/*
 * Opens a trace; reads the list only. opts may be NULL. NULL with *err set: RB_IO for what is
 * missing or unreadable, RB_TRACE for a list that makes no sense. Free with ops->destroy().
 */
trace_source_t *accelsim_open(const char *path, const accelsim_options_t *opts, rb_err_t *err);

/* Calls visit for each file of the trace, in order: the list if there is one, the kernels, machine
 * code. */
void accelsim_files(const trace_source_t *source, file_visit_fn visit, void *ctx);

/* From now on it is noted what is read of the kernels' files when launches are open. reads is
 * borrowed as long as the source lives; NULL: no longer. */
void accelsim_watch(trace_source_t *source, file_reads_t *reads);

#endif
