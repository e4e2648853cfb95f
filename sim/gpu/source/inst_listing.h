/*
 * Instructions of a trace as people read them, whatever kind of trace it is: for listings and
 * profiles. Like inst_text() of a source, for open launches of which no block is being decoded.
 */
#ifndef RUBATO_GPU_INST_LISTING_H
#define RUBATO_GPU_INST_LISTING_H

#include "sim/gpu/source/trace_source.h"

enum { INST_LISTING_MAX = 160 };

/*
 * The full mnemonic and the registers that the trace knows, destinations first: "LDG.E.64 R4, R2".
 * out is terminated, and cut if it is too long.
 */
void inst_listing_text(const trace_source_t *s, trace_launch_t *l, const inst_t *inst,
                       char out[INST_LISTING_MAX]);

/* The source line; out->file is "" if the trace knows only the number. false: unknown. */
bool inst_listing_line(const trace_source_t *s, trace_launch_t *l, const inst_t *inst,
                       source_line_t *out);

#endif
