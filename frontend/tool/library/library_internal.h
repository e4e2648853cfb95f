/*
 * What the files of the library share: what handles are made of.
 */
#ifndef RUBATO_LIBRARY_INTERNAL_H
#define RUBATO_LIBRARY_INTERNAL_H

#include <locale.h>

#include "frontend/tool/library/library_client.h"
#include "frontend/tool/library/stat_values.h"
#include "sim/core/log.h"

/* Where the messages of a handle go, and how numbers are read while it works. */
typedef struct {
    rubato_log to;
    rb_log_t *log;   /* NULL: that of the program */
    locale_t locale; /* "C": the caller's may have decimal commas */
} library_scope_t;

void library_scope_init(library_scope_t *s, const rubato_log *log);
void library_scope_free(library_scope_t *s);

/* What a call found, to be put back. */
typedef struct {
    rb_log_t *log;
    locale_t locale;
} library_entry_t;

/* Around every call of a handle that may say something or read numbers. */
library_entry_t library_enter(const library_scope_t *s);
void library_leave(library_entry_t before);

/* Hands an error to the caller and returns its code. */
rubato_code library_fail(rubato_error *error, const rb_err_t *err);

struct rubato_config {
    library_scope_t scope;
    conf_t *conf;    /* owned */
    gpu_spec_t spec; /* filled from conf */
};

struct rubato_trace {
    library_scope_t scope;
    trace_source_t *source; /* owned */
    bool busy;              /* a simulation uses it */
};

/* view is what the values are taken from, with the rest of it here or elsewhere. */
struct rubato_stats {
    stat_view_t view;
    run_totals_t totals;
};

/* Begins empty. spec is borrowed. */
void library_stats_init(rubato_stats *s, const gpu_spec_t *spec);

/* A source of the caller's functions. NULL with *err set. */
trace_source_t *source_calls_create(const rubato_source *source, rb_err_t *err);

#endif
