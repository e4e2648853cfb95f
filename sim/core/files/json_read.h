/*
 * A JSON pull parser (RFC 8259) over a read function. Memory does not grow with the document, only
 * with its longest string, which is bounded.
 *
 *   json_reader_t r;
 *   json_reader_init(&r, path, read, ctx);
 *   for (json_event_t e; (e = json_next(&r)) != JSON_READ_END;) {
 *       if (e == JSON_READ_ERROR) ... r.err says file, line and what is wrong
 *   }
 *   json_reader_free(&r);
 *
 * Strict: one value, no comments, no trailing commas, no NaN. Bytes of strings are passed on
 * without checking that they are UTF-8. A byte order mark at the start is skipped.
 */
#ifndef RUBATO_CORE_JSON_READ_H
#define RUBATO_CORE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

enum {
    JSON_READ_MAX_DEPTH = 128,       /* nesting above this is refused */
    JSON_READ_MAX_STRING = 16 << 20, /* bytes of a string above this are refused */
    JSON_READ_MAX_DIGITS = 512       /* characters of a number above this are refused */
};

typedef enum {
    JSON_READ_ERROR = -1,
    JSON_READ_END, /* after the outermost value */
    JSON_READ_OBJECT,
    JSON_READ_OBJECT_END,
    JSON_READ_ARRAY,
    JSON_READ_ARRAY_END,
    JSON_READ_KEY,    /* text: the member's name; its value comes next */
    JSON_READ_STRING, /* text */
    JSON_READ_NUMBER, /* text: as written; json_read_f64() for its value */
    JSON_READ_TRUE,
    JSON_READ_FALSE,
    JSON_READ_NULL,
} json_event_t;

/* Fills up to size bytes; returns how many, 0 at the end, -1 on failure (errno says why). */
typedef long (*json_read_fn)(void *ctx, void *data, size_t size);

typedef struct {
    const char *text; /* of the last KEY, STRING or NUMBER; NUL-terminated; valid until the next
                       * call */
    size_t length;    /* of text, which may contain NULs if it is a string */
    unsigned depth;   /* containers that are open */
    uint64_t line;    /* current line, from 1 */
    rb_err_t err;     /* set when JSON_READ_ERROR was returned */

    /* Private to the reader. */
    const char *name; /* borrowed */
    json_read_fn read;
    void *ctx;
    char *data; /* owned: window on the document; data[at .. end) is unread */
    size_t at, end;
    bool eof;
    char *joined; /* owned: a string with escapes, or one that crosses windows */
    size_t joined_cap;
    uint8_t state;
    bool is_object[JSON_READ_MAX_DEPTH];
} json_reader_t;

/* name: of the document, for messages. name and ctx must outlive the reader. */
void json_reader_init(json_reader_t *r, const char *name, json_read_fn read, void *ctx);
void json_reader_free(json_reader_t *r);

/* The next event. After JSON_READ_ERROR or JSON_READ_END it is returned again. */
json_event_t json_next(json_reader_t *r);

/* Skips the rest of the value whose first event was e: a container is read to its end; after a KEY
 * its value is skipped. False on an error. */
bool json_skip(json_reader_t *r, json_event_t e) RB_CHECKED;

/* Value of the last NUMBER, correctly rounded; infinite on overflow. */
double json_read_f64(const json_reader_t *r);

/* Value of the last NUMBER as an integer; false if it is not one of 0 .. 2^64 - 1. */
bool json_read_u64(const json_reader_t *r, uint64_t *value);

/* Fails with "name:line: ..." in r->err: for errors that the caller finds in the document. */
json_event_t json_fail(json_reader_t *r, const char *fmt, ...) RB_PRINTF(2, 3);

/* A read function over a FILE * as ctx. */
long json_read_file(void *file, void *data, size_t size);

#endif
