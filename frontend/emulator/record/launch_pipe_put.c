/* The program's end of the pipe. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "frontend/emulator/record/launch_listing.h"
#include "sim/core/alloc.h"

enum { BUFFER_BYTES = 1 << 18, PIPE_BYTES = 1 << 20 };

struct launch_pipe_writer {
    int fd;
    const inst_t **codes; /* owned array of borrowed code that has been sent */
    size_t n_codes, cap_codes;
    const inst_t *code; /* of the open launch */
    size_t n_buffer;
    uint8_t buffer[BUFFER_BYTES];
};

uint64_t launch_pipe_sizes(void)
{
    return sizeof(inst_t) | sizeof(pipe_launch_t) << 10 | sizeof(pipe_block_t) << 20 |
           sizeof(pipe_warp_t) << 30 | sizeof(pipe_run_t) << 40 | sizeof(memcpy_op_t) << 50;
}

/*
 * Writes all n bytes. SIGPIPE must not kill the program if the reader is gone: it is blocked in the
 * meantime, and consumed unless it was pending before.
 */
static rb_code_t write_all(int fd, const uint8_t *p, size_t n, rb_err_t *err)
{
    sigset_t pipe_signal, before, pending;
    int error = 0;

    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    while (n > 0 && error == 0) {
        ssize_t written = write(fd, p, n);
        if (written >= 0) {
            p += written;
            n -= (size_t)written;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    if (error == EPIPE && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe_signal, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0 ? RB_OK
                      : rb_fail(err, RB_IO, "the simulator stopped reading: %s", strerror(error));
}

static rb_code_t flush(launch_pipe_writer_t *w, rb_err_t *err)
{
    size_t n = w->n_buffer;

    w->n_buffer = 0;
    return write_all(w->fd, w->buffer, n, err);
}

static rb_code_t put(launch_pipe_writer_t *w, const void *p, size_t n, rb_err_t *err)
{
    if (n > BUFFER_BYTES - w->n_buffer)
        RB_TRY(flush(w, err));
    if (n > BUFFER_BYTES)
        return write_all(w->fd, p, n, err);
    if (n > 0)
        memcpy(w->buffer + w->n_buffer, p, n);
    w->n_buffer += n;
    return RB_OK;
}

static rb_code_t put_header(launch_pipe_writer_t *w, pipe_kind_t kind, uint64_t bytes,
                            rb_err_t *err)
{
    pipe_header_t h = {(uint64_t)kind, bytes};

    return put(w, &h, sizeof(h), err);
}

static rb_code_t put_message(launch_pipe_writer_t *w, pipe_kind_t kind, const void *p, size_t n,
                             rb_err_t *err)
{
    RB_TRY(put_header(w, kind, n, err));
    return put(w, p, n, err);
}

launch_pipe_writer_t *launch_pipe_open(const char *path, rb_err_t *err)
{
    pipe_hello_t hello = {.magic = PIPE_MAGIC, .sizes = launch_pipe_sizes()};
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0) {
        rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
        return NULL;
    }
    fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES); /* an optimisation: fewer writes */
    launch_pipe_writer_t *w = rb_calloc(1, sizeof(*w));
    w->fd = fd;
    if (put_message(w, PIPE_HELLO, &hello, sizeof(hello), err) == RB_OK && flush(w, err) == RB_OK)
        return w;
    launch_pipe_discard(w);
    return NULL;
}

rb_code_t launch_pipe_copy(launch_pipe_writer_t *w, const memcpy_op_t *op, rb_err_t *err)
{
    return put_message(w, PIPE_COPY, op, sizeof(*op), err);
}

/* Sends code unless it was sent before; returns its number. */
static rb_code_t send_code(launch_pipe_writer_t *w, const inst_t *code, uint32_t n,
                           const pipe_about_t *about, uint64_t *index, rb_err_t *err)
{
    size_t bytes;

    for (*index = 0; *index < w->n_codes; ++*index)
        if (w->codes[*index] == code)
            return RB_OK;
    rb_grow(&w->codes, &w->cap_codes, w->n_codes + 1, sizeof(*w->codes));
    w->codes[w->n_codes++] = code;
    RB_TRY(put_message(w, PIPE_CODE, code, n * sizeof(*code), err));
    if (about == NULL)
        return RB_OK;
    void *listing = launch_listing_make(about, code, n, &bytes);
    rb_code_t rc = put_message(w, PIPE_LISTING, listing, bytes, err);
    free(listing);
    return rc;
}

rb_code_t launch_pipe_launch(launch_pipe_writer_t *w, const launch_info_t *info, const inst_t *code,
                             uint32_t n_code, const pipe_about_t *about, rb_err_t *err)
{
    pipe_launch_t l = {.info = *info};
    size_t n_name = strlen(info->name);

    l.info.name = l.info.file = NULL;
    RB_TRY(send_code(w, code, n_code, about, &l.code, err));
    w->code = code;
    RB_TRY(put_header(w, PIPE_LAUNCH, sizeof(l) + n_name, err));
    RB_TRY(put(w, &l, sizeof(l), err));
    RB_TRY(put(w, info->name, n_name, err));
    return flush(w, err);
}

static rb_code_t put_runs(launch_pipe_writer_t *w, const warp_stream_t *warp, rb_err_t *err)
{
    for (uint32_t i = 0; i < warp->n_runs; i++) {
        const trace_run_t *run = &warp->runs[i];
        pipe_run_t r = {
            .first = (uint32_t)(run->first - w->code), .mask = run->mask, .count = run->count};
        RB_TRY(put(w, &r, sizeof(r), err));
    }
    return RB_OK;
}

static rb_code_t put_piece(launch_pipe_writer_t *w, uint32_t warp, const warp_stream_t *s,
                           rb_err_t *err)
{
    const pipe_piece_t piece = {.warp = warp, .n_runs = s->n_runs, .n_addr_words = s->n_addr_words};
    const size_t words = s->n_addr_words * sizeof(uint64_t);

    RB_TRY(put_header(w, PIPE_PIECE, sizeof(piece) + s->n_runs * sizeof(pipe_run_t) + words, err));
    RB_TRY(put(w, &piece, sizeof(piece), err));
    RB_TRY(put_runs(w, s, err));
    return put(w, s->addrs, words, err);
}

static rb_code_t put_long_block(launch_pipe_writer_t *w, const pipe_block_t *head,
                                const trace_block_t *block, rb_err_t *err)
{
    RB_TRY(put_message(w, PIPE_LONG_BLOCK, head, sizeof(*head), err));
    for (uint32_t i = 0; i < block->n_warps; i++) {
        warp_stream_t *s = &block->warps[i];
        for (bool some = stream_first(s); some; some = stream_next(s))
            RB_TRY(put_piece(w, i, s, err));
    }
    RB_TRY(put_header(w, PIPE_BLOCK_END, 0, err));
    return flush(w, err);
}

static rb_code_t put_waits(launch_pipe_writer_t *w, const trace_block_t *block, rb_err_t *err)
{
    pipe_waits_t head = {.watch = block->watch, .n_waits = block->n_waits};

    for (uint32_t i = 0; i < block->n_waits; i++)
        head.n_words += block->waits[i].n_words;
    const size_t waits = head.n_waits * sizeof(stream_wait_t);
    const size_t words = head.n_words * sizeof(wait_word_t);
    RB_TRY(put_header(w, PIPE_WAITS, sizeof(head) + waits + words, err));
    RB_TRY(put(w, &head, sizeof(head), err));
    RB_TRY(put(w, block->waits, waits, err));
    return put(w, block->wait_words, words, err);
}

static bool is_long(const trace_block_t *block)
{
    for (uint32_t i = 0; i < block->n_warps; i++)
        if (block->warps[i].pieces != NULL)
            return true;
    return false;
}

rb_code_t launch_pipe_block(launch_pipe_writer_t *w, const trace_block_t *block, rb_err_t *err)
{
    pipe_block_t b = {.index = block->index, .n_insts = block->n_insts, .n_warps = block->n_warps};
    uint64_t bytes = sizeof(b) + block->n_warps * sizeof(pipe_warp_t);

    memcpy(b.id, block->id, sizeof(b.id));
    if (block->watch != 0)
        RB_TRY(put_waits(w, block, err));
    if (is_long(block))
        return put_long_block(w, &b, block, err);
    for (uint32_t i = 0; i < block->n_warps; i++)
        bytes += block->warps[i].n_runs * sizeof(pipe_run_t) +
                 block->warps[i].n_addr_words * sizeof(uint64_t);
    RB_TRY(put_header(w, PIPE_BLOCK, bytes, err));
    RB_TRY(put(w, &b, sizeof(b), err));
    for (uint32_t i = 0; i < block->n_warps; i++) {
        const warp_stream_t *s = &block->warps[i];
        pipe_warp_t warp = {s->n_runs, s->n_addr_words, s->n_insts};
        RB_TRY(put(w, &warp, sizeof(warp), err));
    }
    for (uint32_t i = 0; i < block->n_warps; i++)
        RB_TRY(put_runs(w, &block->warps[i], err));
    for (uint32_t i = 0; i < block->n_warps; i++)
        RB_TRY(put(w, block->warps[i].addrs, block->warps[i].n_addr_words * sizeof(uint64_t), err));
    return flush(w, err); /* passes it to a waiting reader now */
}

rb_code_t launch_pipe_launch_end(launch_pipe_writer_t *w, rb_err_t *err)
{
    RB_TRY(put_header(w, PIPE_LAUNCH_END, 0, err));
    return flush(w, err);
}

rb_code_t launch_pipe_finish(launch_pipe_writer_t *w, rb_err_t *err)
{
    rb_code_t rc = put_header(w, PIPE_END, 0, err);

    if (rc == RB_OK)
        rc = flush(w, err);
    launch_pipe_discard(w);
    return rc;
}

void launch_pipe_discard(launch_pipe_writer_t *w)
{
    if (w == NULL)
        return;
    close(w->fd);
    free(w->codes);
    free(w);
}
