#include "frontend/input/accelsim/group/accelsim_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "sim/core/alloc.h"
#include "sim/core/files/unnamed_file.h"

enum { PACKED_BYTES = 64 << 10, PLAIN_BYTES = 64 << 10, LEVEL = 1 };

/* Precedes the text of each record. */
typedef struct {
    uint64_t key;
    uint64_t len;
} record_head_t;

struct accelsim_run {
    char *dir; /* owned; for messages */
    int fd;
    ZSTD_CCtx *packer; /* only while writing */
    ZSTD_DCtx *unpacker;
    char *packed; /* owned, PACKED_BYTES */
    size_t packed_at, packed_end;
    char *plain; /* owned; unpacked bytes not yet read: plain[plain_at .. plain_end) */
    size_t plain_at, plain_end, plain_cap;
    bool file_end;
};

static rb_code_t fail_system(const accelsim_run_t *r, rb_err_t *err)
{
    return rb_fail(err, RB_IO,
                   "%s: %s while grouping a raw trace (--tmpdir chooses another folder)", r->dir,
                   strerror(errno));
}

accelsim_run_t *accelsim_run_create(const char *dir, rb_err_t *err)
{
    accelsim_run_t *r = rb_calloc(1, sizeof(*r));

    r->dir = rb_strdup(dir);
    r->fd = unnamed_file_open(dir);
    r->packed = rb_realloc(NULL, PACKED_BYTES, 1);
    r->packer = ZSTD_createCCtx();
    if (r->fd < 0)
        fail_system(r, err);
    else if (r->packer == NULL)
        rb_fail(err, RB_NOMEM, "no memory for zstd");
    else {
        ZSTD_CCtx_setParameter(r->packer, ZSTD_c_compressionLevel, LEVEL);
        return r;
    }
    accelsim_run_close(r);
    return NULL;
}

static rb_code_t write_packed(accelsim_run_t *r, size_t n, rb_err_t *err)
{
    for (size_t at = 0; at < n;) {
        ssize_t done = write(r->fd, r->packed + at, n - at);

        if (done < 0 && errno != EINTR)
            return fail_system(r, err);
        at += done > 0 ? (size_t)done : 0;
    }
    return RB_OK;
}

static rb_code_t pack(accelsim_run_t *r, const void *data, size_t n, ZSTD_EndDirective directive,
                      rb_err_t *err)
{
    ZSTD_inBuffer in = {.src = data, .size = n};
    size_t left;

    do {
        ZSTD_outBuffer out = {.dst = r->packed, .size = PACKED_BYTES};

        left = ZSTD_compressStream2(r->packer, &out, &in, directive);
        if (ZSTD_isError(left))
            return rb_fail(err, RB_NOMEM, "zstd: %s", ZSTD_getErrorName(left));
        RB_TRY(write_packed(r, out.pos, err));
    } while (in.pos < in.size || (directive == ZSTD_e_end && left > 0));
    return RB_OK;
}

rb_code_t accelsim_run_write(accelsim_run_t *r, const run_record_t *record, rb_err_t *err)
{
    record_head_t head = {.key = record->key, .len = record->len};

    RB_TRY(pack(r, &head, sizeof(head), ZSTD_e_continue, err));
    return pack(r, record->text, record->len, ZSTD_e_continue, err);
}

rb_code_t accelsim_run_rewind(accelsim_run_t *r, rb_err_t *err)
{
    RB_TRY(pack(r, NULL, 0, ZSTD_e_end, err));
    ZSTD_freeCCtx(r->packer);
    r->packer = NULL;
    if (lseek(r->fd, 0, SEEK_SET) != 0)
        return fail_system(r, err);
    r->unpacker = ZSTD_createDCtx();
    r->plain_cap = PLAIN_BYTES;
    r->plain = rb_realloc(NULL, r->plain_cap, 1);
    return r->unpacker != NULL ? RB_OK : rb_fail(err, RB_NOMEM, "no memory for zstd");
}

static rb_code_t read_packed(accelsim_run_t *r, rb_err_t *err)
{
    ssize_t n;

    do
        n = read(r->fd, r->packed, PACKED_BYTES);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return fail_system(r, err);
    r->packed_at = 0;
    r->packed_end = (size_t)n;
    r->file_end = n == 0;
    return RB_OK;
}

/* Unpacks until n bytes are available, or fewer at the end. */
static rb_code_t unpack(accelsim_run_t *r, size_t n, rb_err_t *err)
{
    if (r->plain_end - r->plain_at >= n)
        return RB_OK;
    memmove(r->plain, r->plain + r->plain_at, r->plain_end - r->plain_at);
    r->plain_end -= r->plain_at;
    r->plain_at = 0;
    if (n > r->plain_cap) {
        r->plain_cap = n;
        r->plain = rb_realloc(r->plain, r->plain_cap, 1);
    }
    while (r->plain_end < n) {
        if (r->packed_at == r->packed_end && !r->file_end)
            RB_TRY(read_packed(r, err));
        ZSTD_inBuffer in = {.src = r->packed, .size = r->packed_end, .pos = r->packed_at};
        ZSTD_outBuffer out = {.dst = r->plain, .size = r->plain_cap, .pos = r->plain_end};
        size_t ret = ZSTD_decompressStream(r->unpacker, &out, &in);

        if (ZSTD_isError(ret))
            return rb_fail(err, RB_IO, "%s: a temporary file is damaged: %s", r->dir,
                           ZSTD_getErrorName(ret));
        bool stuck = out.pos == r->plain_end && in.pos == r->packed_at;

        r->packed_at = in.pos;
        r->plain_end = out.pos;
        if (stuck && r->file_end)
            break;
    }
    return RB_OK;
}

rb_code_t accelsim_run_read(accelsim_run_t *r, run_record_t *record, bool *more, rb_err_t *err)
{
    record_head_t head;

    RB_TRY(unpack(r, sizeof(head), err));
    *more = r->plain_end > r->plain_at;
    if (!*more)
        return RB_OK;
    if (r->plain_end - r->plain_at >= sizeof(head)) {
        memcpy(&head, r->plain + r->plain_at, sizeof(head));
        RB_TRY(unpack(r, sizeof(head) + head.len, err));
        if (r->plain_end - r->plain_at >= sizeof(head) + head.len) {
            *record = (run_record_t){.key = head.key,
                                     .text = r->plain + r->plain_at + sizeof(head),
                                     .len = (uint32_t)head.len};
            r->plain_at += sizeof(head) + head.len;
            return RB_OK;
        }
    }
    return rb_fail(err, RB_IO, "%s: a temporary file is shorter than it was", r->dir);
}

void accelsim_run_close(accelsim_run_t *r)
{
    if (r == NULL)
        return;
    if (r->fd >= 0)
        close(r->fd);
    ZSTD_freeCCtx(r->packer);
    ZSTD_freeDCtx(r->unpacker);
    free(r->packed);
    free(r->plain);
    free(r->dir);
    free(r);
}
