/*
 * Lines of a text, parsed in place. Between at and limit are complete lines, each ending in '
 * ' (also the last one of the text), so a loop over a line needs no bound but its newline.
 * LINES_PADDING more bytes may be read; their values are undefined.
 */
#ifndef RUBATO_ACCELSIM_LINES_H
#define RUBATO_ACCELSIM_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

enum { LINES_PADDING = 16 };

/* Fills buf with up to cap bytes; *got is 0 only at the end of the text. */
typedef rb_code_t (*accelsim_read_fn)(void *ctx, char *buf, size_t cap, size_t *got, rb_err_t *err);

typedef struct {
    const char *path;  /* borrowed; for messages */
    uint64_t line;     /* number of the line at at */
    const char *at;    /* next byte to read, the beginning of a line between calls */
    const char *limit; /* after the last newline read */
    char *end;         /* after the last byte read */
    char *buf;         /* owned */
    size_t cap;
    bool text_end;      /* no more to read */
    bool added_newline; /* the text did not end in a newline */
    accelsim_read_fn read;
    void *ctx; /* borrowed */
} accelsim_lines_t;

void accelsim_lines_init(accelsim_lines_t *l, const char *path, accelsim_read_fn read, void *ctx);
void accelsim_lines_free(accelsim_lines_t *l);

/*
 * Makes at < limit if there is another line; at == limit afterwards means the end of the text.
 * Lines move: pointers into the text become invalid. RB_TRACE for a line longer than 1 MiB.
 */
RB_CHECKED rb_code_t accelsim_lines_more(accelsim_lines_t *l, rb_err_t *err);

/* Like accelsim_lines_more(), but only if no complete line is left. */
static inline rb_code_t accelsim_lines_need(accelsim_lines_t *l, rb_err_t *err)
{
    return __builtin_expect(l->at < l->limit, 1) ? RB_OK : accelsim_lines_more(l, err);
}

/* Whether the text has ended; valid after the calls above. */
static inline bool accelsim_lines_end(const accelsim_lines_t *l)
{
    return l->at == l->limit;
}

/* Moves to the next line. There must be a line. */
void accelsim_lines_skip(accelsim_lines_t *l);

/* Moves to the next line that is not blank, starting with this one, or to the end. */
RB_CHECKED rb_code_t accelsim_lines_next(accelsim_lines_t *l, rb_err_t *err);

/* Newlines in p[0 .. end). */
uint64_t accelsim_lines_count(const char *p, const char *end);

/* Fails with RB_TRACE and "path:line: ...". */
rb_code_t accelsim_lines_fail(const accelsim_lines_t *l, rb_err_t *err, const char *fmt, ...)
    RB_PRINTF(3, 4);

#endif
