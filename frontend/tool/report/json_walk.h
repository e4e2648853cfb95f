/*
 * Visits the leaves of a JSON document by path: "totals.cycles", "grid[0]". For documents whose
 * members are read by name, in any order, skipping unknown ones.
 */
#ifndef RUBATO_REPORT_JSON_WALK_H
#define RUBATO_REPORT_JSON_WALK_H

#include "sim/core/files/json_read.h"

enum { JSON_WALK_PATH = 160 }; /* longer paths are truncated: no leaf of interest has one */

typedef struct {
    /* Called for a string, number, truth value or null at path; r->text is its text. */
    void (*leaf)(void *ctx, const char *path, json_event_t e, const json_reader_t *r);
    void *ctx;
    /* Path of an array that read_array() reads to its end; NULL: none. */
    const char *array;
    bool (*read_array)(void *ctx, json_reader_t *r);
} json_walk_t;

/* Walks an object after its opening brace. False: the document is malformed or not an object. */
RB_CHECKED bool json_walk_object(json_reader_t *r, const json_walk_t *w);

/*
 * Walks a file, which must hold one object. RB_TRACE with file and line if it is not JSON;
 * RB_IO.
 */
RB_CHECKED rb_code_t json_walk_file(const char *path, const json_walk_t *w, rb_err_t *err);

#endif
