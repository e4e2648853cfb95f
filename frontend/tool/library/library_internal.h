/*
 * What the files of the library share: what handles are made of.
 */
#ifndef RUBATO_LIBRARY_INTERNAL_H
#define RUBATO_LIBRARY_INTERNAL_H

#include <locale.h>

#include "frontend/tool/library/library_client.h"
#include "frontend/tool/library/stat_values.h"
#include "sim/core/log.h"

/* The destination of a handle's messages, and the locale for numbers while it works. */
typedef struct {
    rubato_log to;
    rb_log_t *log;   /* NULL: that of the program */
    locale_t locale; /* "C": the caller's locale may use decimal commas */
} library_scope_t;

void library_scope_init(library_scope_t *s, const rubato_log *log);
void library_scope_free(library_scope_t *s);

/* State saved at the start of a call. */
typedef struct {
    rb_log_t *log;
    locale_t locale;
} library_entry_t;

/* Surrounds every call of a handle that may print messages or read numbers. */
library_entry_t library_enter(const library_scope_t *s);
void library_leave(library_entry_t before);

/* Whether the caller gave an argument; if not, sets *error: RUBATO_USAGE. */
bool library_given(const void *argument, const char *name, rubato_error *error);

/* Passes an error to the caller and returns its code. */
rubato_code library_fail(rubato_error *error, const rb_err_t *err);

struct rubato_config {
    library_scope_t scope;
    conf_t *conf;    /* owned */
    gpu_spec_t spec; /* filled in from conf */
};

struct rubato_trace {
    library_scope_t scope;
    trace_source_t *source; /* owned */
    char *tmpdir;           /* owned; of the source */
    bool busy;              /* in use by a simulation */
};

/* view points to the values, which are partly in this struct. */
struct rubato_stats {
    stat_view_t view;
    run_totals_t totals;
};

/* Initialises empty statistics. spec is borrowed. */
void library_stats_init(rubato_stats *s, const gpu_spec_t *spec);

/* A source made of the caller's functions. Returns NULL with *err set. */
trace_source_t *source_calls_create(const rubato_source *source, rb_err_t *err);

#endif
