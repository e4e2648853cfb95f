#include "frontend/input/accelsim/file/accelsim_stream.h"

#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "frontend/input/accelsim/file/accelsim_tracez.h"
#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"

enum {
    INPUT_BYTES = 128 << 10,
    LZMA_MEMORY = 1 << 30, /* xz -9 needs 65 MiB; input that needs 1 GiB is damaged or hostile */
    ZSTD_WINDOW_LOG = 27,  /* the default limit of zstd -d */
};

typedef enum { PLAIN, XZ, GZIP, ZSTD_FRAMES, TRACEZ } packing_t;

struct accelsim_stream {
    const char *path; /* borrowed */
    int fd;
    packing_t packing;
    file_reading_t *reading; /* owned; NULL: reads are not recorded */
    uint64_t consumed;
    bool input_end; /* the file is read to its end */
    bool ended;     /* a complete member or frame has just ended */
    lzma_stream xz;
    z_stream gz;
    ZSTD_DStream *zstd;
    tracez_t *tracez;  /* owned */
    size_t begin, end; /* input[begin .. end) is not yet consumed */
    uint8_t input[INPUT_BYTES];
};

static rb_code_t fill_input(accelsim_stream_t *s, rb_err_t *err)
{
    while (s->begin == s->end && !s->input_end) {
        ssize_t n = read(s->fd, s->input, sizeof(s->input));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return rb_fail(err, RB_IO, "%s: %s", s->path, strerror(errno));
        s->begin = 0;
        s->end = (size_t)n;
        s->consumed += (uint64_t)n;
        s->input_end = n == 0;
        file_reading_take(s->reading, s->input, s->end);
    }
    return RB_OK;
}

static packing_t detect_packing(const uint8_t *p, size_t n)
{
    static const uint8_t xz[] = {0xfd, '7', 'z', 'X', 'Z', 0}, gz[] = {0x1f, 0x8b},
                         zstd[] = {0x28, 0xb5, 0x2f, 0xfd};

    if (n >= sizeof(xz) && memcmp(p, xz, sizeof(xz)) == 0)
        return XZ;
    if (n >= sizeof(gz) && memcmp(p, gz, sizeof(gz)) == 0)
        return GZIP;
    if (n >= sizeof(zstd) && memcmp(p, zstd, sizeof(zstd)) == 0)
        return ZSTD_FRAMES;
    return tracez_detect(p, n) ? TRACEZ : PLAIN;
}

/* Name of a compression format that is recognised but not supported, or NULL. */
static const char *foreign_packing(const uint8_t *p, size_t n)
{
    static const struct {
        const char *name;
        uint8_t magic[4];
        size_t len;
    } foreign[] = {{"bzip2", "BZh", 3}, {"zip", "PK\3\4", 4}, {"lz4", "\4\x22\x4d\x18", 4}};

    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        if (n >= foreign[i].len && memcmp(p, foreign[i].magic, foreign[i].len) == 0)
            return foreign[i].name;
    return NULL;
}

static rb_code_t start_decoder(accelsim_stream_t *s, rb_err_t *err)
{
    switch (s->packing) {
    case XZ:
        s->xz = (lzma_stream)LZMA_STREAM_INIT;
        if (lzma_stream_decoder(&s->xz, LZMA_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
            return rb_fail(err, RB_NOMEM, "%s: no memory for xz", s->path);
        return RB_OK;
    case GZIP:
        if (inflateInit2(&s->gz, 15 + 16) != Z_OK)
            return rb_fail(err, RB_NOMEM, "%s: no memory for gzip", s->path);
        return RB_OK;
    case ZSTD_FRAMES:
        s->zstd = ZSTD_createDStream();
        if (s->zstd == NULL)
            return rb_fail(err, RB_NOMEM, "%s: no memory for zstd", s->path);
        ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
        return RB_OK;
    case TRACEZ:
        s->tracez = tracez_open(s->fd, s->path, err);
        return s->tracez != NULL ? RB_OK : RB_TRACE; /* err may be NULL */
    default:
        if (foreign_packing(s->input, s->end) != NULL)
            return rb_fail(err, RB_TRACE,
                           "%s: is compressed with %s: decompress it, or use xz, "
                           "gzip or zstd",
                           s->path, foreign_packing(s->input, s->end));
        return RB_OK;
    }
}

accelsim_stream_t *accelsim_stream_open(const char *path, rb_err_t *err)
{
    int fd = in_file_regular(path, err);

    if (fd < 0)
        return NULL;
    accelsim_stream_t *s = rb_calloc(1, sizeof(*s));

    s->path = path;
    s->fd = fd;
    if (fill_input(s, err) == RB_OK) {
        s->packing = detect_packing(s->input, s->end);
        if (start_decoder(s, err) == RB_OK)
            return s;
        s->packing = PLAIN;
    }
    accelsim_stream_close(s);
    return NULL;
}

void accelsim_stream_watch(accelsim_stream_t *s, file_reads_t *reads)
{
    if (s->packing == TRACEZ) { /* not read from its first byte on */
        file_reads_use(reads, s->path);
        return;
    }
    s->reading = file_reading_begin(reads, s->path);
    file_reading_take(s->reading, s->input, s->end);
}

static rb_code_t fail_damaged(const accelsim_stream_t *s, const char *kind, const char *why,
                              rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s: damaged %s data near byte %llu: %s", s->path, kind,
                   (unsigned long long)(s->consumed - (s->end - s->begin)), why);
}

static rb_code_t fail_truncated(const accelsim_stream_t *s, const char *kind, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s: the file is truncated: its %s data ends early at byte %llu",
                   s->path, kind, (unsigned long long)s->consumed);
}

static rb_code_t read_plain(accelsim_stream_t *s, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    ssize_t n;

    if (s->begin < s->end) {
        *got = s->end - s->begin < cap ? s->end - s->begin : cap;
        memcpy(buf, s->input + s->begin, *got);
        s->begin += *got;
        return RB_OK;
    }
    do
        n = read(s->fd, buf, cap);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return rb_fail(err, RB_IO, "%s: %s", s->path, strerror(errno));
    *got = (size_t)n;
    s->consumed += (uint64_t)n;
    file_reading_take(s->reading, buf, *got);
    return RB_OK;
}

static rb_code_t read_xz(accelsim_stream_t *s, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    s->xz.next_out = (uint8_t *)buf;
    s->xz.avail_out = cap;
    while (s->xz.avail_out == cap && !s->ended) {
        RB_TRY(fill_input(s, err));
        s->xz.next_in = s->input + s->begin;
        s->xz.avail_in = s->end - s->begin;
        lzma_ret ret = lzma_code(&s->xz, s->input_end ? LZMA_FINISH : LZMA_RUN);

        s->begin = s->end - s->xz.avail_in;
        if (ret == LZMA_STREAM_END)
            s->ended = true;
        else if (ret == LZMA_BUF_ERROR)
            return fail_truncated(s, "xz", err);
        else if (ret == LZMA_MEMLIMIT_ERROR)
            return fail_damaged(s, "xz", "it asks for more than 1 GiB of memory", err);
        else if (ret == LZMA_MEM_ERROR)
            return rb_fail(err, RB_NOMEM, "%s: no memory for xz", s->path);
        else if (ret != LZMA_OK)
            return fail_damaged(s, "xz", "unpacking fails", err);
    }
    *got = cap - s->xz.avail_out;
    return RB_OK;
}

static rb_code_t read_gzip(accelsim_stream_t *s, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    s->gz.next_out = (uint8_t *)buf;
    s->gz.avail_out = (unsigned)cap;
    while (s->gz.avail_out == cap) {
        RB_TRY(fill_input(s, err));
        if (s->begin == s->end) {
            if (!s->ended)
                return fail_truncated(s, "gzip", err);
            break;
        }
        if (s->ended) { /* another member */
            inflateReset(&s->gz);
            s->ended = false;
        }
        s->gz.next_in = s->input + s->begin;
        s->gz.avail_in = (unsigned)(s->end - s->begin);
        int ret = inflate(&s->gz, Z_NO_FLUSH);

        s->begin = s->end - s->gz.avail_in;
        if (ret == Z_STREAM_END)
            s->ended = true;
        else if (ret == Z_MEM_ERROR)
            return rb_fail(err, RB_NOMEM, "%s: no memory for gzip", s->path);
        else if (ret != Z_OK && ret != Z_BUF_ERROR)
            return fail_damaged(s, "gzip", s->gz.msg != NULL ? s->gz.msg : "unpacking fails", err);
    }
    *got = cap - s->gz.avail_out;
    return RB_OK;
}

static rb_code_t read_zstd(accelsim_stream_t *s, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    ZSTD_outBuffer out = {.dst = buf, .size = cap};

    while (out.pos == 0) {
        RB_TRY(fill_input(s, err));
        ZSTD_inBuffer in = {.src = s->input, .size = s->end, .pos = s->begin};
        size_t before = out.pos, ret = ZSTD_decompressStream(s->zstd, &out, &in);

        if (ZSTD_isError(ret))
            return fail_damaged(s, "zstd", ZSTD_getErrorName(ret), err);
        bool stuck = out.pos == before && in.pos == s->begin;

        s->begin = in.pos;
        if (s->begin < s->end || !s->input_end) {
            s->ended = ret == 0;
            continue;
        }
        if (stuck) { /* nothing left to consume or to produce */
            if (!s->ended)
                return fail_truncated(s, "zstd", err);
            break;
        }
        s->ended = ret == 0;
    }
    *got = out.pos;
    return RB_OK;
}

rb_code_t accelsim_stream_read(accelsim_stream_t *s, char *buf, size_t cap, size_t *got,
                               rb_err_t *err)
{
    *got = 0;
    switch (s->packing) {
    case XZ:
        return read_xz(s, buf, cap, got, err);
    case GZIP:
        return read_gzip(s, buf, cap, got, err);
    case ZSTD_FRAMES:
        return read_zstd(s, buf, cap, got, err);
    case TRACEZ:
        return tracez_read(s->tracez, buf, cap, got, err);
    default:
        return read_plain(s, buf, cap, got, err);
    }
}

uint64_t accelsim_stream_consumed(const accelsim_stream_t *s)
{
    return s->packing == TRACEZ ? tracez_consumed(s->tracez) : s->consumed;
}

void accelsim_stream_close(accelsim_stream_t *s)
{
    if (s == NULL)
        return;
    if (s->packing == XZ)
        lzma_end(&s->xz);
    else if (s->packing == GZIP)
        inflateEnd(&s->gz);
    else if (s->packing == ZSTD_FRAMES)
        ZSTD_freeDStream(s->zstd);
    else if (s->packing == TRACEZ)
        tracez_close(s->tracez);
    file_reading_end(s->reading);
    close(s->fd);
    free(s);
}
