/* Workloads that are listings: the programs of share/rubato/workloads (docs/listings.md). */
#ifndef RUBATO_GEN_LISTING_H
#define RUBATO_GEN_LISTING_H

#include "frontend/input/gen/gen.h"

/* Like gen_open(), for the listing of that name, or for a file. */
trace_source_t *gen_listing_open(const gen_spec_t *spec, rb_err_t *err);

#endif
