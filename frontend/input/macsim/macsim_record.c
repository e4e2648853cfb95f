#include "frontend/input/macsim/macsim_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"

enum { BUFFER_RECORDS = 256 };

struct macsim_reader {
    const char *path; /* borrowed */
    gzFile file;
    uint64_t count;
    unsigned at, end; /* records[at .. end) are not yet returned */
    macsim_record_t records[BUFFER_RECORDS];
};

macsim_reader_t *macsim_reader_open(const char *path, rb_err_t *err)
{
    int fd = in_file_regular(path, err);
    gzFile file = fd >= 0 ? gzdopen(fd, "rb") : NULL;

    if (file == NULL) {
        if (fd >= 0) {
            rb_fail(err, RB_NOMEM, "%s: no memory for gzip", path);
            close(fd);
        }
        return NULL;
    }
    macsim_reader_t *r = rb_calloc(1, sizeof(*r));

    r->path = path;
    r->file = file;
    return r;
}

static rb_code_t fail_damaged(const macsim_reader_t *r, rb_err_t *err)
{
    int code;
    const char *why = gzerror(r->file, &code);

    if (code == Z_ERRNO)
        return rb_fail(err, RB_IO, "%s: %s", r->path, strerror(errno));
    if (code == Z_MEM_ERROR)
        return rb_fail(err, RB_NOMEM, "%s: no memory for gzip", r->path);
    if (code == Z_BUF_ERROR)
        why = "the file is truncated: its gzip data ends early";
    return rb_fail(err, RB_TRACE, "%s: after record %llu: %s", r->path,
                   (unsigned long long)r->count, why);
}

static rb_code_t fill(macsim_reader_t *r, rb_err_t *err)
{
    int got = gzread(r->file, r->records, sizeof(r->records)), code;

    if (got < 0)
        return fail_damaged(r, err);
    /* zlib returns the data of a truncated member and reports the truncation only here. */
    gzerror(r->file, &code);
    if (code != Z_OK && code != Z_STREAM_END)
        return fail_damaged(r, err);
    if ((size_t)got % sizeof(r->records[0]) != 0)
        return rb_fail(
            err, RB_TRACE, "%s: the file is truncated: it ends inside record %llu (of 64 bytes)",
            r->path, (unsigned long long)(r->count + (size_t)got / sizeof(r->records[0]) + 1));
    r->at = 0;
    r->end = (unsigned)((size_t)got / sizeof(r->records[0]));
    return RB_OK;
}

rb_code_t macsim_reader_next(macsim_reader_t *r, const macsim_record_t **out, rb_err_t *err)
{
    *out = NULL;
    if (r->at == r->end) {
        RB_TRY(fill(r, err));
        if (r->end == 0)
            return RB_OK;
    }
    r->count++;
    *out = &r->records[r->at++];
    return RB_OK;
}

uint64_t macsim_reader_count(const macsim_reader_t *r)
{
    return r->count;
}

void macsim_reader_close(macsim_reader_t *r)
{
    if (r == NULL)
        return;
    gzclose(r->file);
    free(r);
}
