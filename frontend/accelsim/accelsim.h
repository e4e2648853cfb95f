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

#include "sim/gpu/trace_source.h"

typedef struct {
    const char *tmpdir; /* for grouping raw files; NULL: $TMPDIR or /tmp */
    size_t sort_bytes;  /* memory for grouping; 0: 256 MiB */
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

/* Calls visit for each file of the trace, in order: the list if there is one, then the kernels. */
void accelsim_files(const trace_source_t *source, void (*visit)(void *ctx, const char *path),
                    void *ctx);

#endif
