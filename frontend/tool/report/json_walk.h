/*
 * The leaves of a JSON document by their paths: "totals.cycles", "grid[0]". For documents whose
 * members are read by name, in any order, with what is not known skipped.
 */
#ifndef RUBATO_REPORT_JSON_WALK_H
#define RUBATO_REPORT_JSON_WALK_H

#include "sim/core/json_read.h"

enum { JSON_WALK_PATH = 160 }; /* longer paths are cut: no leaf that is asked for has one */

typedef struct {
    /* A string, number, truth or null at path; r->text is its text. */
    void (*leaf)(void *ctx, const char *path, json_event_t e, const json_reader_t *r);
    void *ctx;
    /* The array at this path is left to read_array(), which reads to its end; NULL: none. */
    const char *array;
    bool (*read_array)(void *ctx, json_reader_t *r);
} json_walk_t;

/* Walks an object whose beginning was read. False: the document is at fault, or not one. */
RB_CHECKED bool json_walk_object(json_reader_t *r, const json_walk_t *w);

/*
 * Walks a file, which must hold one object. RB_TRACE with file and line for what is no JSON; RB_IO.
 */
RB_CHECKED rb_code_t json_walk_file(const char *path, const json_walk_t *w, rb_err_t *err);

#endif
