#include "frontend/input/accelsim/file/accelsim_tracez.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "sim/core/alloc.h"

enum {
    HEADER_MAX = 64 << 10,
    DICTIONARY_MAX = 16 << 20,
    INPUT_BYTES = 64 << 10,
    TEXT_BYTES = 256,
    BLOCK_BYTES = 11 * 4,
    WARP_BYTES = 16,
    ZSTD_WINDOW_LOG = 27, /* the default limit of zstd -d */
};

/* What comes next in the text. */
typedef enum { AT_BLOCK, AT_WARP, AT_PIECE, IN_PIECE, AT_END } place_t;

struct tracez {
    const char *path; /* borrowed */
    int fd;
    uint64_t size, consumed;
    char *header; /* owned */
    ZSTD_DCtx *zstd;
    place_t place;
    uint64_t index, index_end;            /* next byte of the index, and its end */
    uint32_t blocks, warps, warp, pieces; /* left: blocks, pieces; of the block: warps */
    uint64_t data;                        /* next byte of the warp's data */
    uint64_t piece_end;
    char last;         /* last character of the text of a piece */
    const char *ready; /* text to be returned next */
    size_t n_ready;
    char text[TEXT_BYTES];
    size_t begin, end; /* input[begin .. end) is not yet consumed */
    uint8_t input[INPUT_BYTES];
};

bool tracez_detect(const uint8_t *p, size_t n)
{
    static const char block[] = "#BEGIN_TB";
    const uint8_t *nul = n > 0 && p[0] == '-' ? memchr(p, 0, n) : NULL;

    return nul != NULL && memmem(p, (size_t)(nul - p), block, sizeof(block) - 1) == NULL;
}

static rb_code_t damaged(const tracez_t *z, uint64_t at, const char *what, rb_err_t *err)
{
    return rb_fail(
        err, RB_TRACE,
        "%s: near byte %llu: %s: the file is damaged, or another form of .tracez; let the "
        "tracer write .traceg.xz",
        z->path, (unsigned long long)at, what);
}

static rb_code_t read_at(tracez_t *z, uint64_t at, void *to, size_t n, rb_err_t *err)
{
    uint8_t *p = to;

    if (at > z->size || n > z->size - at)
        return damaged(z, at, "the file ends early", err);
    z->consumed += n;
    while (n > 0) {
        const ssize_t got = pread(z->fd, p, n, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return rb_fail(err, RB_IO, "%s: %s", z->path, strerror(errno));
        if (got == 0)
            return damaged(z, at, "the file ends early", err);
        p += got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return RB_OK;
}

static uint32_t get_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t get_u64(const uint8_t *p)
{
    return get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}

/* Reads the next n bytes of the index. */
static rb_code_t read_index(tracez_t *z, uint8_t *to, size_t n, rb_err_t *err)
{
    if (n > z->index_end - z->index)
        return damaged(z, z->index, "the index ends early", err);
    RB_TRY(read_at(z, z->index, to, n, err));
    z->index += n;
    return RB_OK;
}

static void set_ready(tracez_t *z, const char *text, size_t n)
{
    z->ready = text;
    z->n_ready = n;
}

/* --- opening --------------------------------------------------------------------------------- */

/* Reads the header text; *after is the offset behind its NUL. */
static rb_code_t read_header(tracez_t *z, uint64_t *after, rb_err_t *err)
{
    const size_t n = z->size < HEADER_MAX ? (size_t)z->size : HEADER_MAX;

    z->header = rb_calloc(n + 2, 1);
    RB_TRY(read_at(z, 0, z->header, n, err));
    const size_t length = strnlen(z->header, n);

    if (length == n || length == 0)
        return damaged(z, length, "there is no header text that ends in a NUL", err);
    *after = length + 1;
    if (z->header[length - 1] != '\n')
        memcpy(z->header + length, "\n", 2);
    set_ready(z, z->header, strlen(z->header));
    return RB_OK;
}

static rb_code_t read_dictionary(tracez_t *z, uint64_t at, rb_err_t *err)
{
    uint8_t sizes[8];

    RB_TRY(read_at(z, at, sizes, sizeof(sizes), err));
    const uint32_t bytes = get_u32(sizes);

    if (bytes > DICTIONARY_MAX || bytes > z->size - at - sizeof(sizes))
        return damaged(z, at, "the dictionary is larger than 16 MiB or than the file", err);
    z->zstd = ZSTD_createDCtx();
    uint8_t *dictionary = rb_calloc((size_t)bytes + 1, 1);
    rb_code_t rc = z->zstd != NULL ? read_at(z, at + sizeof(sizes), dictionary, bytes, err)
                                   : rb_fail(err, RB_NOMEM, "%s: no memory for zstd", z->path);

    if (rc == RB_OK &&
        (ZSTD_isError(ZSTD_DCtx_setParameter(z->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG)) ||
         (bytes > 0 && ZSTD_isError(ZSTD_DCtx_loadDictionary(z->zstd, dictionary, bytes)))))
        rc = damaged(z, at, "zstd refuses the dictionary", err);
    free(dictionary);
    return rc;
}

static rb_code_t find_index(tracez_t *z, uint64_t begin, rb_err_t *err)
{
    uint8_t word[8];

    if (z->size < begin + sizeof(word) + 4)
        return damaged(z, z->size, "the file ends before its index", err);
    z->index_end = z->size - sizeof(word);
    RB_TRY(read_at(z, z->index_end, word, sizeof(word), err));
    z->index = get_u64(word);
    if (z->index < begin || z->index > z->index_end - 4)
        return damaged(z, z->index_end, "the last 8 bytes are not the offset of an index", err);
    RB_TRY(read_index(z, word, 4, err));
    z->blocks = get_u32(word);
    if (z->blocks > (z->index_end - z->index) / BLOCK_BYTES)
        return damaged(z, z->index, "the index has fewer blocks than it says", err);
    return RB_OK;
}

static rb_code_t open_parts(tracez_t *z, rb_err_t *err)
{
    struct stat st;
    uint64_t at = 0;

    if (fstat(z->fd, &st) != 0)
        return rb_fail(err, RB_IO, "%s: %s", z->path, strerror(errno));
    z->size = (uint64_t)st.st_size;
    RB_TRY(read_header(z, &at, err));
    RB_TRY(read_dictionary(z, at, err));
    return find_index(z, at + 8, err);
}

tracez_t *tracez_open(int fd, const char *path, rb_err_t *err)
{
    tracez_t *z = rb_calloc(1, sizeof(*z));

    z->fd = fd;
    z->path = path;
    if (open_parts(z, err) == RB_OK)
        return z;
    tracez_close(z);
    return NULL;
}

/* --- reading --------------------------------------------------------------------------------- */

static rb_code_t begin_block(tracez_t *z, rb_err_t *err)
{
    uint8_t b[BLOCK_BYTES];

    if (z->blocks == 0) {
        z->place = AT_END;
        return z->index == z->index_end
                   ? RB_OK
                   : damaged(z, z->index, "the index is longer than it says", err);
    }
    z->blocks--;
    RB_TRY(read_index(z, b, sizeof(b), err));
    z->warps = get_u32(b + 40);
    z->warp = 0;
    if (z->warps > (z->index_end - z->index) / WARP_BYTES)
        return damaged(z, z->index, "the index has fewer warps than it says", err);
    const int n = snprintf(z->text, sizeof(z->text), "#BEGIN_TB\n\nthread block = %u,%u,%u\n\n",
                           get_u32(b), get_u32(b + 4), get_u32(b + 8));
    set_ready(z, z->text, (size_t)n);
    z->place = AT_WARP;
    return RB_OK;
}

static rb_code_t begin_warp(tracez_t *z, rb_err_t *err)
{
    uint8_t w[WARP_BYTES], data[8];

    if (z->warp == z->warps) {
        set_ready(z, "#END_TB\n\n", 9);
        z->place = AT_BLOCK;
        return RB_OK;
    }
    RB_TRY(read_index(z, w, sizeof(w), err));
    z->pieces = get_u32(w + 4);
    z->data = get_u64(w + 8);
    RB_TRY(read_at(z, z->data, data, sizeof(data), err));
    if (memcmp(data, w, sizeof(data)) != 0)
        return damaged(z, z->data, "a warp is not as the index says", err);
    z->data += sizeof(data);
    const int n =
        snprintf(z->text, sizeof(z->text), "warp = %u\ninsts = %u\n", z->warp++, get_u32(w));
    set_ready(z, z->text, (size_t)n);
    z->last = '\n';
    z->place = AT_PIECE;
    return RB_OK;
}

static rb_code_t begin_piece(tracez_t *z, rb_err_t *err)
{
    uint8_t listed[4], stored[4];

    if (z->pieces == 0) {
        set_ready(z, "\n", 1);
        z->place = AT_WARP;
        return RB_OK;
    }
    z->pieces--;
    RB_TRY(read_index(z, listed, sizeof(listed), err));
    RB_TRY(read_at(z, z->data, stored, sizeof(stored), err));
    z->data += sizeof(stored);
    if (memcmp(listed, stored, sizeof(listed)) != 0 || get_u32(stored) > z->size - z->data)
        return damaged(z, z->data, "a piece is not as long as the index says", err);
    z->piece_end = z->data + get_u32(stored);
    z->begin = z->end = 0;
    ZSTD_DCtx_reset(z->zstd, ZSTD_reset_session_only);
    z->place = IN_PIECE;
    return RB_OK;
}

/* A frame has ended; the last line of its text gets an end if it has none. */
static rb_code_t end_piece(tracez_t *z, rb_err_t *err)
{
    if (z->begin < z->end || z->data < z->piece_end)
        return damaged(z, z->data, "a piece is not one zstd frame", err);
    if (z->last != '\n')
        set_ready(z, "\n", 1);
    z->last = '\n';
    z->place = AT_PIECE;
    return RB_OK;
}

static rb_code_t unpack(tracez_t *z, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    if (z->begin == z->end && z->data < z->piece_end) {
        const uint64_t left = z->piece_end - z->data;

        z->begin = 0;
        z->end = left < INPUT_BYTES ? (size_t)left : INPUT_BYTES;
        RB_TRY(read_at(z, z->data, z->input, z->end, err));
        z->data += z->end;
    }
    ZSTD_inBuffer in = {.src = z->input, .size = z->end, .pos = z->begin};
    ZSTD_outBuffer out = {.dst = buf, .size = cap};
    const size_t ret = ZSTD_decompressStream(z->zstd, &out, &in);

    if (ZSTD_isError(ret))
        return damaged(z, z->data, ZSTD_getErrorName(ret), err);
    const bool stuck = out.pos == 0 && in.pos == z->begin && in.pos == z->end;

    z->begin = in.pos;
    *got = out.pos;
    if (*got > 0)
        z->last = buf[*got - 1];
    if (memchr(buf, '#', *got) != NULL || memchr(buf, 0, *got) != NULL)
        return damaged(z, z->data, "a piece has other text than instructions", err);
    if (ret == 0)
        return end_piece(z, err);
    return stuck ? damaged(z, z->data, "a piece is not one zstd frame", err) : RB_OK;
}

static rb_code_t advance(tracez_t *z, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    switch (z->place) {
    case AT_BLOCK:
        return begin_block(z, err);
    case AT_WARP:
        return begin_warp(z, err);
    case AT_PIECE:
        return begin_piece(z, err);
    default:
        return unpack(z, buf, cap, got, err);
    }
}

rb_code_t tracez_read(tracez_t *z, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    *got = 0;
    while (*got == 0 && (z->n_ready > 0 || z->place != AT_END)) {
        if (z->n_ready == 0) {
            RB_TRY(advance(z, buf, cap, got, err));
            continue;
        }
        *got = z->n_ready < cap ? z->n_ready : cap;
        memcpy(buf, z->ready, *got);
        z->ready += *got;
        z->n_ready -= *got;
    }
    return RB_OK;
}

uint64_t tracez_consumed(const tracez_t *z)
{
    return z->consumed < z->size ? z->consumed : z->size;
}

void tracez_close(tracez_t *z)
{
    if (z == NULL)
        return;
    ZSTD_freeDCtx(z->zstd);
    free(z->header);
    free(z);
}
