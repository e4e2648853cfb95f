#include "frontend/input/profile/profile_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"

enum { HEAD = 1 << 16, READ_MAX = 1 << 28 };

struct profile_input {
    gzFile file; /* also reads uncompressed files */
    char *path;
    size_t n_head, head_used;
    char head[HEAD];
};

/* Reads cap bytes, fewer only at the end of the file. */
static rb_code_t read_file(profile_input_t *in, char *bytes, size_t cap, size_t *n, rb_err_t *err)
{
    int got = gzread(in->file, bytes, (unsigned)(cap < READ_MAX ? cap : READ_MAX)), code;
    const char *why = gzerror(in->file, &code);
    if (code == Z_ERRNO)
        return rb_fail(err, RB_IO, "%s: %s", in->path, strerror(errno));
    if (code == Z_MEM_ERROR)
        return rb_fail(err, RB_NOMEM, "%s: no memory for gzip", in->path);
    if (code == Z_BUF_ERROR)
        return rb_fail(err, RB_TRACE, "%s: the compressed file is truncated", in->path);
    if (got < 0)
        return rb_fail(err, RB_TRACE, "%s: the compressed data is damaged (%s)", in->path, why);
    *n = (size_t)got;
    return RB_OK;
}

rb_code_t profile_input_open(profile_input_t **out, const char *path, rb_err_t *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return rb_fail(err, RB_USAGE, "%s: is a folder, not a profile", path);
    rb_err_t why = {0};
    int fd = in_file_descriptor(path, &why);
    if (fd < 0)
        return rb_fail(err, why.code, "%s", why.text);
    gzFile file = gzdopen(fd, "rb");
    if (file == NULL) {
        close(fd);
        return rb_fail(err, RB_NOMEM, "%s: no memory for gzip", path);
    }
    gzbuffer(file, 1 << 18);
    profile_input_t *in = rb_calloc(1, sizeof(*in));
    in->file = file;
    in->path = rb_strdup(path);
    rb_code_t rc = read_file(in, in->head, sizeof(in->head), &in->n_head, err);
    if (rc == RB_OK && in->n_head == 0)
        rc = rb_fail(err, RB_TRACE, "%s: the file is empty", path);
    if (rc != RB_OK) {
        profile_input_close(in);
        return rc;
    }
    *out = in;
    return RB_OK;
}

void profile_input_close(profile_input_t *in)
{
    if (in == NULL)
        return;
    gzclose(in->file);
    free(in->path);
    free(in);
}

const char *profile_input_path(const profile_input_t *in)
{
    return in->path;
}

const char *profile_input_head(const profile_input_t *in, size_t *n)
{
    *n = in->n_head;
    return in->head;
}

rb_code_t profile_input_read(profile_input_t *in, char *bytes, size_t cap, size_t *n, rb_err_t *err)
{
    size_t left = in->n_head - in->head_used;
    if (left == 0)
        return read_file(in, bytes, cap, n, err);
    *n = left < cap ? left : cap;
    memcpy(bytes, in->head + in->head_used, *n);
    in->head_used += *n;
    return RB_OK;
}
