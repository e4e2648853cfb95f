/* Checks whether existing results are those that a run would produce. */
#ifndef RUBATO_RUN_RUN_FINISHED_H
#define RUBATO_RUN_RUN_FINISHED_H

#include "frontend/tool/run/trace_identity.h"

/*
 * Compares a run.json with the identity of a run and with its trace; the parts of the trace that
 * were read are hashed again. *complete: the results belong to a complete run. RB_USAGE: they
 * belong to another run, or the trace was changed; RB_IO, RB_TRACE: the file cannot be read.
 */
RB_CHECKED rb_code_t run_finished_check(const char *path, const char *identity,
                                        trace_identity_t *trace, bool *complete, rb_err_t *err);

#endif
