/*
 * Accel-Sim / NVBit traces as a trace_source: a kernelslist with its .traceg files, or one file.
 *
 * Supports tracer versions 1 to 6 (text), with or without line numbers and immediates, and all
 * address modes. Files may be plain, .xz, .gz or .zst; the content decides, not the name. Files are
 * streamed and decoded one block at a time: memory depends on the largest block, not on the trace.
 * Raw files (.trace), whose blocks are interleaved, are grouped once per opening by an external
 * sort with bounded memory, in unnamed temporary files.
 */
#ifndef RUBATO_ACCELSIM_H
#define RUBATO_ACCELSIM_H

#include "sim/core/files/file_reads.h"
#include "sim/gpu/source/trace_source.h"

/*
 * Machine code of the traced program. It completes instructions that a trace describes only in
 * part.
 * find: returns the code of a kernel, or NULL if it is unknown; the launch then stays as traced.
 * Any thread may call it.
 * complete: replaces the trace's description of the instruction at in->pc by the machine code's.
 * Returns false if the code has another instruction there, which is an error.
 */
typedef struct {
    void *ctx; /* owned by the source, which frees it with destroy */
    const void *(*find)(void *ctx, const char *kernel, unsigned arch);
    bool (*complete)(const void *code, inst_t *in);
    void (*files)(const void *ctx, void (*visit)(void *visit_ctx, const char *path),
                  void *visit_ctx);
    void (*destroy)(void *ctx);
} accelsim_machine_t;

typedef struct {
    const char *tmpdir; /* for grouping raw files; NULL: $TMPDIR or /tmp */
    size_t sort_bytes;  /* memory for grouping; 0: 256 MiB */
    /* Copied; NULL: none. The source takes ownership of ctx, also when opening fails. */
    const accelsim_machine_t *machine;
} accelsim_options_t;

/*
 * Whether path looks like such a trace: a directory with a kernelslist, a kernelslist, or a file
 * that begins with the header of a kernel. Reads a few kilobytes at most.
 */
bool accelsim_detect(const char *path);

/*
 * Opens a trace; reads only the list. opts may be NULL. Returns NULL with *err set: RB_IO if a file
 * is missing or unreadable, RB_TRACE if the list is malformed. Free with ops->destroy().
 */
trace_source_t *accelsim_open(const char *path, const accelsim_options_t *opts, rb_err_t *err);

/* Calls visit for each file of the trace, in this order: the list if there is one, the kernels,
 * machine code. */
void accelsim_files(const trace_source_t *source, file_visit_fn visit, void *ctx);

/* From now on, records in reads which parts of the kernel files open launches read. reads is
 * borrowed while the source lives; NULL stops recording. */
void accelsim_watch(trace_source_t *source, file_reads_t *reads);

#endif
