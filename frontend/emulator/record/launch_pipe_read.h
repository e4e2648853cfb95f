/* The simulator's end of the launch pipe: bytes and the headers of messages. */
#ifndef RUBATO_LAUNCH_PIPE_READ_H
#define RUBATO_LAUNCH_PIPE_READ_H

#include <stdatomic.h>

#include "frontend/emulator/record/launch_pipe.h"

typedef struct {
    int fd;
    const char *origin; /* for messages */
    pipe_header_t next; /* header of the next message, if has_next */
    bool has_next, ended;
    uint64_t n_launches; /* number of launches received */
    atomic_uint_fast64_t n_bytes;
} pipe_reader_t;

/* RB_TRACE: the program ended in the middle of a launch; what it sent makes no sense. */
rb_code_t pipe_broken(const pipe_reader_t *r, rb_err_t *err);
rb_code_t pipe_garbled(const pipe_reader_t *r, rb_err_t *err);

/* Reads the header of the next message; at the end and later, the header of PIPE_END. If the
 * program ends before its first launch, the end of the pipe counts as PIPE_END. */
RB_CHECKED rb_code_t pipe_peek(pipe_reader_t *r, rb_err_t *err);

/* Reads the first n bytes of the next message to p. */
RB_CHECKED rb_code_t pipe_get_body(pipe_reader_t *r, void *p, size_t n, rb_err_t *err);

/*
 * Reads n items of size bytes into *list, a new list of the caller, also after an error. Memory
 * grows with the data that arrive, not with the announced number.
 */
RB_CHECKED rb_code_t pipe_get_list(pipe_reader_t *r, void *list, size_t n, size_t size,
                                   rb_err_t *err);

/* Drops the next message. */
RB_CHECKED rb_code_t pipe_skip(pipe_reader_t *r, rb_err_t *err);

#endif
