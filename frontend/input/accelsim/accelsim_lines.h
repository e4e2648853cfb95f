/*
 * Lines of a text, in place: between at and limit stand complete lines, each ending in '\n'
 * (also the last one of the text). Loops that read a line need no other bound than its newline;
 * LINES_PADDING bytes more may be read, whatever they are.
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
    const char *limit; /* behind the last newline read */
    char *end;         /* behind the last byte read */
    char *buf;         /* owned */
    size_t cap;
    bool text_end;      /* no more to read */
    bool added_newline; /* the text's last line had none */
    accelsim_read_fn read;
    void *ctx; /* borrowed */
} accelsim_lines_t;

void accelsim_lines_init(accelsim_lines_t *l, const char *path, accelsim_read_fn read, void *ctx);
void accelsim_lines_free(accelsim_lines_t *l);

/*
 * Makes at < limit if there is another line; at == limit afterwards means the end of the text.
 * Lines move: pointers into the text are void. RB_TRACE for a line above 1 MiB.
 */
RB_CHECKED rb_code_t accelsim_lines_more(accelsim_lines_t *l, rb_err_t *err);

/* As accelsim_lines_more(), if there is no complete line left. */
static inline rb_code_t accelsim_lines_need(accelsim_lines_t *l, rb_err_t *err)
{
    return __builtin_expect(l->at < l->limit, 1) ? RB_OK : accelsim_lines_more(l, err);
}

/* Whether the text is at its end; known after the calls above. */
static inline bool accelsim_lines_end(const accelsim_lines_t *l)
{
    return l->at == l->limit;
}

/* Moves to the beginning of the next line. There must be a line. */
void accelsim_lines_skip(accelsim_lines_t *l);

/* Moves to the first line from here that is not blank, or to the end. */
RB_CHECKED rb_code_t accelsim_lines_next(accelsim_lines_t *l, rb_err_t *err);

/* RB_TRACE "path:line: ...". */
rb_code_t accelsim_lines_fail(const accelsim_lines_t *l, rb_err_t *err, const char *fmt, ...)
    RB_PRINTF(3, 4);

#endif
