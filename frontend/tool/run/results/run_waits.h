/* The loops of a trace in which warps wait for what others write: cycles depend on them. */
#ifndef RUBATO_RUN_RUN_WAITS_H
#define RUBATO_RUN_RUN_WAITS_H

#include "sim/core/files/json_write.h"
#include "sim/gpu/source/trace_source.h"

/* Names the loops with the most waits on standard error, if there are any. why: why the waits are not
 * modelled in this run; NULL: they are. */
void run_waits_tell(trace_source_t *source, const char *why);

/* A member "waits" of the open object, with all of them; nothing if there are none. */
void run_waits_json(trace_source_t *source, json_t *j);

#endif
