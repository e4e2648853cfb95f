/*
 * The file of walks in the folder of a sampled run (--keep-walks): what launches that were left out leave in the caches,
 * so that runs of the same trace that follow its choice (--change-from) need not walk over them again: pieces of
 * gpu_visit_walks() with their checksums, in the host's byte order.
 */
#ifndef RUBATO_RUN_WALKS_FILE_H
#define RUBATO_RUN_WALKS_FILE_H

#include "frontend/tool/library/library_client.h"

#define WALKS_FILE_NAME "walks"

/* Bytes of a piece, at most. */
enum { WALKS_FILE_PIECE = 1 << 28 };

/* trace: identity of the trace (trace_identity_beginning()). RB_IO. */
RB_CHECKED rb_code_t walks_file_write(const char *folder, const char *trace, const rubato_sim *sim,
                                      rb_err_t *err);

/* Gives the chip the walks of a folder, if it has a file of them that is of this trace and version. */
void walks_file_read(const char *folder, const char *trace, rubato_sim *sim);

#endif
