/*
 * Rows of a text table: fields separated by one character, quoted if necessary (RFC 4180: a quote
 * inside is doubled; separators and line ends are allowed inside quotes). Reads in blocks; a field
 * points into the block until the next row is read.
 */
#ifndef RUBATO_TABLE_READER_H
#define RUBATO_TABLE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/input/profile/profile_input.h"

typedef struct {
    const char *at; /* without the surrounding quotes; not zero-terminated */
    uint32_t len;
    bool doubled; /* contains doubled quotes */
} table_field_t;

typedef struct {
    profile_input_t *in; /* borrowed */
    const char *path;
    char separator;
    char *bytes; /* owned; [at, end) is unread, followed by a line end */
    size_t at, end, cap;
    bool ended;     /* the block ends at the end of the file */
    uint64_t line;  /* of the last row, counted from 1 */
    uint64_t lines; /* lines read so far */
    table_field_t *fields;
    uint32_t n_fields;
    size_t cap_fields;
} table_reader_t;

/* The separator is ',' unless the caller changes it. Skips a byte order mark. */
void table_reader_init(table_reader_t *r, profile_input_t *in);

void table_reader_free(table_reader_t *r);

/*
 * Reads the next row into fields and n_fields; *more is false after the last. An empty line is a
 * row with one empty field. RB_TRACE with file and line; RB_IO.
 */
RB_CHECKED rb_code_t table_reader_row(table_reader_t *r, bool *more, rb_err_t *err);

/* Returns the rest of the current line without consuming it; NULL at the end. len may be 0. */
RB_CHECKED rb_code_t table_reader_peek_line(table_reader_t *r, const char **line, size_t *len,
                                            rb_err_t *err);

/* Passes over the line that table_reader_peek_line() returned. */
void table_reader_skip_line(table_reader_t *r, size_t len);

/* Copies a field, replacing doubled quotes by single ones; at most cap bytes. Returns the
 * length. */
size_t table_field_copy(const table_field_t *f, char *text, size_t cap);

/* The same in new memory, owned by the caller. */
char *table_field_text(const table_field_t *f);

#endif
