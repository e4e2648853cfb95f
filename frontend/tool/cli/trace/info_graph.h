/* The order of a trace's work, for rubato info. Without several streams, nothing is printed. */
#ifndef RUBATO_CLI_INFO_GRAPH_H
#define RUBATO_CLI_INFO_GRAPH_H

#include <stdio.h>

#include "sim/core/files/json_write.h"
#include "sim/gpu/source/trace_source.h"

RB_CHECKED rb_code_t info_graph_text(trace_source_t *source, FILE *out, rb_err_t *err);

/* A member "graph" of the open object. */
RB_CHECKED rb_code_t info_graph_json(trace_source_t *source, json_t *j, rb_err_t *err);

#endif
