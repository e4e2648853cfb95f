/*
 * The listing of a kernel as it passes the launch pipe: the text and the source line of each
 * instruction, for people. The message PIPE_LISTING follows that of the code it belongs to: a
 * pipe_listed_t for each instruction, then for each its text and the path of its file.
 */
#ifndef RUBATO_LAUNCH_LISTING_H
#define RUBATO_LAUNCH_LISTING_H

#include "frontend/emulator/record/launch_pipe_read.h"

typedef struct {
    uint32_t text_len; /* PIPE_NO_TEXT: none */
    uint32_t file_len; /* PIPE_SAME_FILE: that of the instruction before */
    uint32_t line;     /* 0: unknown */
} pipe_listed_t;

enum { PIPE_TEXT_MAX = 1 << 12 };
#define PIPE_NO_TEXT   UINT32_MAX
#define PIPE_SAME_FILE UINT32_MAX

/* The body of the message for code[0 .. n): *bytes bytes, owned by the caller. */
void *launch_listing_make(const pipe_about_t *about, const inst_t *code, uint32_t n, size_t *bytes);

typedef struct {
    uint32_t text_len, line;
    size_t text, file; /* offsets in bytes */
} launch_listed_t;

typedef struct {
    launch_listed_t *insts; /* owned; NULL: no listing was received */
    char *bytes;            /* owned; texts, and paths with an end */
} launch_listing_t;

/* Reads the next message, the listing of n instructions. The caller frees *l, also after an error. */
RB_CHECKED rb_code_t launch_listing_take(pipe_reader_t *in, launch_listing_t *l, uint32_t n,
                                         rb_err_t *err);
void launch_listing_free(launch_listing_t *l);

/* Of instruction i; as inst_text() and inst_line() of a trace source. */
const char *launch_listing_text(const launch_listing_t *l, size_t i, uint32_t *len);
bool launch_listing_line(const launch_listing_t *l, size_t i, source_line_t *out);

#endif
