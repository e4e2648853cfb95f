/* Warnings about what a trace holds that is possible, but rarely what a program did. */
#ifndef RUBATO_RUN_TRACE_DOUBTS_H
#define RUBATO_RUN_TRACE_DOUBTS_H

#include "sim/core/files/json_write.h"
#include "sim/isa/stream_doubts.h"

/* One warning for each kind that was found. path: of the trace. */
void trace_doubts_warn(const char *path, const stream_doubts_t *d);

/* Member "doubts": an object of all counts. */
void trace_doubts_json(json_t *j, const stream_doubts_t *d);

#endif
