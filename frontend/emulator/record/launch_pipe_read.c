#include "frontend/emulator/record/launch_pipe_read.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"

/* Limit of a message: a block of 32 warps with 2^26 instructions. */
static const uint64_t max_bytes = 1ull << 36;

rb_code_t pipe_broken(const pipe_reader_t *r, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s: ended before its launch %llu was complete", r->origin,
                   (unsigned long long)r->n_launches);
}

rb_code_t pipe_garbled(const pipe_reader_t *r, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s: garbled data from the CUDA runtime", r->origin);
}

/* Reads n bytes to p. If the pipe ends before the first byte, sets *eof instead of an error. */
static rb_code_t get(pipe_reader_t *r, void *p, size_t n, bool *eof, rb_err_t *err)
{
    uint8_t *to = p;
    size_t left = n;

    while (left > 0) {
        ssize_t got = read(r->fd, to, left);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return rb_fail(err, RB_IO, "%s: %s", r->origin, strerror(errno));
        if (got == 0 && left == n && eof != NULL) {
            *eof = true;
            return RB_OK;
        }
        if (got == 0)
            return pipe_broken(r, err);
        to += got;
        left -= (size_t)got;
    }
    atomic_fetch_add_explicit(&r->n_bytes, n, memory_order_relaxed);
    return RB_OK;
}

rb_code_t pipe_get_list(pipe_reader_t *r, void *list, size_t n, size_t size, rb_err_t *err)
{
    enum { STEP_BYTES = 1 << 20 };
    uint8_t **items = list;
    size_t cap = 0, have = 0;

    do {
        size_t step = n - have < STEP_BYTES / size ? n - have : STEP_BYTES / size;
        rb_grow(list, &cap, have + step + 1, size);
        RB_TRY(get(r, *items + have * size, step * size, NULL, err));
        have += step;
    } while (have < n);
    return RB_OK;
}

rb_code_t pipe_peek(pipe_reader_t *r, rb_err_t *err)
{
    bool eof = false;

    if (r->has_next || r->ended)
        return RB_OK;
    RB_TRY(get(r, &r->next, sizeof(r->next), &eof, err));
    if (eof && r->n_launches == 0)
        r->next = (pipe_header_t){.kind = PIPE_END};
    else if (eof)
        return rb_fail(err, RB_TRACE, "%s: ended before its launches were complete", r->origin);
    if (r->next.kind >= PIPE_KIND_COUNT || r->next.bytes > max_bytes)
        return pipe_garbled(r, err);
    r->has_next = true;
    if (r->next.kind == PIPE_END)
        r->ended = true;
    return RB_OK;
}

rb_code_t pipe_get_body(pipe_reader_t *r, void *p, size_t n, rb_err_t *err)
{
    r->has_next = false;
    return get(r, p, n, NULL, err);
}

rb_code_t pipe_skip(pipe_reader_t *r, rb_err_t *err)
{
    uint8_t waste[4096];

    r->has_next = false;
    for (uint64_t left = r->next.bytes; left > 0;) {
        size_t n = left < sizeof(waste) ? (size_t)left : sizeof(waste);
        RB_TRY(get(r, waste, n, NULL, err));
        left -= n;
    }
    return RB_OK;
}
