#include "frontend/input/accelsim/write/accelsim_out.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "sim/core/alloc.h"

enum { TEXT_BYTES = 256 << 10, PACKED_BYTES = 64 << 10, XZ_PRESET = 6 };

struct accelsim_out {
    const char *path; /* borrowed */
    int fd;
    accelsim_packing_t packing;
    rb_err_t failed; /* the first error */
    lzma_stream xz;
    ZSTD_CCtx *zstd;
    size_t n_text;
    uint8_t packed[PACKED_BYTES];
    char text[TEXT_BYTES];
};

static void write_all(accelsim_out_t *o, const void *data, size_t n)
{
    const char *p = data;

    while (n > 0 && o->failed.code == RB_OK) {
        ssize_t done = write(o->fd, p, n);

        if (done < 0 && errno != EINTR)
            rb_fail(&o->failed, RB_IO, "%s: %s", o->path, strerror(errno));
        else if (done > 0) {
            p += done;
            n -= (size_t)done;
        }
    }
}

static void pack_xz(accelsim_out_t *o, bool end)
{
    lzma_ret ret;

    o->xz.next_in = (const uint8_t *)o->text;
    o->xz.avail_in = o->n_text;
    do {
        o->xz.next_out = o->packed;
        o->xz.avail_out = PACKED_BYTES;
        ret = lzma_code(&o->xz, end ? LZMA_FINISH : LZMA_RUN);
        if (ret != LZMA_OK && ret != LZMA_STREAM_END) {
            rb_fail(&o->failed, RB_NOMEM, "%s: %s xz (%d)", o->path,
                    ret == LZMA_MEM_ERROR ? "no memory for" : "trouble with", (int)ret);
            return;
        }
        write_all(o, o->packed, PACKED_BYTES - o->xz.avail_out);
    } while (o->failed.code == RB_OK &&
             (end ? ret != LZMA_STREAM_END : o->xz.avail_in > 0 || o->xz.avail_out == 0));
}

static void pack_zstd(accelsim_out_t *o, bool end)
{
    ZSTD_inBuffer in = {.src = o->text, .size = o->n_text};
    size_t left;

    do {
        ZSTD_outBuffer out = {.dst = o->packed, .size = PACKED_BYTES};

        left = ZSTD_compressStream2(o->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            rb_fail(&o->failed, RB_NOMEM, "%s: zstd: %s", o->path, ZSTD_getErrorName(left));
            return;
        }
        write_all(o, o->packed, out.pos);
    } while (o->failed.code == RB_OK && (in.pos < in.size || (end && left > 0)));
}

/* Writes the buffer out. After an error, nothing more is written. */
static void flush(accelsim_out_t *o, bool end)
{
    if (o->failed.code == RB_OK) {
        if (o->packing == ACCELSIM_XZ)
            pack_xz(o, end);
        else if (o->packing == ACCELSIM_ZSTD)
            pack_zstd(o, end);
        else
            write_all(o, o->text, o->n_text);
    }
    o->n_text = 0;
}

static rb_code_t start_packing(accelsim_out_t *o, rb_err_t *err)
{
    if (o->packing == ACCELSIM_XZ) {
        o->xz = (lzma_stream)LZMA_STREAM_INIT;
        if (lzma_easy_encoder(&o->xz, XZ_PRESET, LZMA_CHECK_CRC64) != LZMA_OK)
            return rb_fail(err, RB_NOMEM, "%s: no memory for xz", o->path);
    } else if (o->packing == ACCELSIM_ZSTD) {
        o->zstd = ZSTD_createCCtx();
        if (o->zstd == NULL)
            return rb_fail(err, RB_NOMEM, "%s: no memory for zstd", o->path);
        ZSTD_CCtx_setParameter(o->zstd, ZSTD_c_checksumFlag, 1);
    }
    return RB_OK;
}

accelsim_out_t *accelsim_out_create(const char *path, accelsim_packing_t packing, rb_err_t *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd < 0) {
        rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
        return NULL;
    }
    accelsim_out_t *o = rb_calloc(1, sizeof(*o));

    o->path = path;
    o->fd = fd;
    o->packing = packing;
    if (start_packing(o, err) == RB_OK)
        return o;
    close(fd);
    free(o);
    return NULL;
}

char *accelsim_out_room(accelsim_out_t *o)
{
    if (TEXT_BYTES - o->n_text < ACCELSIM_ROOM)
        flush(o, false);
    return o->text + o->n_text;
}

void accelsim_out_put(accelsim_out_t *o, const char *cursor)
{
    o->n_text = (size_t)(cursor - o->text);
}

void accelsim_out_text(accelsim_out_t *o, const char *text, size_t n)
{
    while (n > 0) {
        size_t piece = n < ACCELSIM_ROOM ? n : ACCELSIM_ROOM;

        accelsim_out_put(o, put_text(accelsim_out_room(o), text, piece));
        text += piece;
        n -= piece;
    }
}

void accelsim_out_printf(accelsim_out_t *o, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    char *text = rb_vformat(fmt, ap);

    va_end(ap);
    accelsim_out_text(o, text, strlen(text));
    free(text);
}

rb_code_t accelsim_out_close(accelsim_out_t *o, rb_err_t *err)
{
    flush(o, true);
    if (o->failed.code == RB_OK && fsync(o->fd) != 0 && errno != EINVAL)
        rb_fail(&o->failed, RB_IO, "%s: %s", o->path, strerror(errno));
    if (close(o->fd) != 0 && o->failed.code == RB_OK)
        rb_fail(&o->failed, RB_IO, "%s: %s", o->path, strerror(errno));
    if (o->packing == ACCELSIM_XZ)
        lzma_end(&o->xz);
    ZSTD_freeCCtx(o->zstd);
    rb_code_t code = o->failed.code;

    if (code != RB_OK)
        rb_fail(err, code, "%s", o->failed.text);
    free(o);
    return code;
}
