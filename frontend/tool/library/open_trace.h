/* The kinds of traces that commands accept, recognised by content. */
#ifndef RUBATO_LIBRARY_OPEN_TRACE_H
#define RUBATO_LIBRARY_OPEN_TRACE_H

#include "sim/core/files/file_reads.h"
#include "sim/gpu/source/trace_source.h"

/*
 * Opens a trace of any kind: a native file, an Accel-Sim folder, list or kernel file, a MacSim
 * folder. Cubins (*.cubin) in the folder of an Accel-Sim trace complete its instructions. tmpdir is
 * for kinds that need temporary files. Returns NULL with *err set: RB_IO or RB_TRACE. Free with
 * ops->destroy().
 */
trace_source_t *open_trace(const char *path, const char *tmpdir, rb_err_t *err);

/* Whether path looks like a trace of any kind. Reads a few bytes. */
bool open_trace_detect(const char *path);

/* Calls visit for each file of a trace that open_trace() opened, in order. */
void open_trace_files(const trace_source_t *source, file_visit_fn visit, void *ctx);

/* From now on, records in reads, which must outlive the source, what open launches read. Nothing is
 * recorded for native files, whose index determines the contents. */
void open_trace_watch(trace_source_t *source, file_reads_t *reads);

#endif
