#include "frontend/input/archive/trace_archive.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "frontend/input/archive/tar_reader.h"
#include "sim/core/alloc.h"

enum { CHUNK = 256 << 10, LEVEL = 1, MEMBER_BYTES = 512, FOLDER_BYTES = 4096 };

/* Space that an archive of n bytes may take: see trace_archive.h. */
static uint64_t space_for(uint64_t n)
{
    const uint64_t growth = 4, more = 64 << 20;
    return growth * n + more;
}

size_t trace_archive_stem(const char *path)
{
    static const char *const endings[] = {".tgz", ".tar.gz", ".tar.xz", ".tar.zst", ".tar"};
    const size_t n = strlen(path);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        const size_t e = strlen(endings[i]);
        if (n > e && strcmp(path + n - e, endings[i]) == 0 && path[n - e - 1] != '/')
            return n - e;
    }
    return 0;
}

typedef struct {
    const char *path, *folder; /* borrowed */
    tar_reader_t *tar;
    ZSTD_CStream *zstd;
    uint64_t written, most;
    char *in, *packed; /* owned; CHUNK bytes; packed: of one call of zstd */
    size_t packed_cap;
    bool (*stop)(void *ctx); /* may be NULL */
    void *ctx;
} unpacking_t;

static rb_code_t fail_file(const char *path, rb_err_t *err)
{
    return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
}

static rb_code_t count(unpacking_t *u, uint64_t bytes, rb_err_t *err)
{
    u->written += bytes;
    if (u->written <= u->most)
        return RB_OK;
    return rb_fail(err, RB_TRACE,
                   "%s: its content takes more than %llu MiB, several times the archive's size: "
                   "unpack it yourself if that is right",
                   u->path, (unsigned long long)(u->most >> 20));
}

/* Creates the folders that path is in, below u->folder; path is unchanged at the end. */
static rb_code_t make_folders(unpacking_t *u, char *path, rb_err_t *err)
{
    for (char *slash = path + strlen(u->folder); (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        rb_code_t rc = RB_OK;
        if (mkdir(path, 0777) == 0)
            rc = count(u, FOLDER_BYTES, err);
        else if (errno != EEXIST)
            rc = fail_file(path, err);
        *slash = '/';
        RB_TRY(rc);
    }
    return RB_OK;
}

static rb_code_t check_stop(const unpacking_t *u, rb_err_t *err)
{
    return u->stop != NULL && u->stop(u->ctx) ? rb_fail(err, RB_STOPPED, "stopped") : RB_OK;
}

static rb_code_t put(unpacking_t *u, FILE *out, const char *path, const char *data, size_t n,
                     rb_err_t *err)
{
    RB_TRY(count(u, n, err));
    return fwrite(data, 1, n, out) == n ? RB_OK : fail_file(path, err);
}

/* Compresses data; last: also ends the frame. */
static rb_code_t pack(unpacking_t *u, FILE *out, const char *path, const char *data, size_t n,
                      bool last, rb_err_t *err)
{
    ZSTD_inBuffer in = {.src = data, .size = n};
    for (size_t left = 1; left != 0 || in.pos < in.size;) {
        ZSTD_outBuffer to = {.dst = u->packed, .size = u->packed_cap};
        left = ZSTD_compressStream2(u->zstd, &to, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        RB_INVARIANT(!ZSTD_isError(left), "zstd: %s", ZSTD_getErrorName(left));
        RB_TRY(put(u, out, path, u->packed, to.pos, err));
        if (!last && in.pos == in.size)
            break;
    }
    return RB_OK;
}

/* Whether content begins like text, not like compressed data. */
static bool is_text(const char *content, size_t n)
{
    const unsigned char c = n > 0 ? (unsigned char)content[0] : '\0';
    return isalnum(c) || isspace(c) || c == '-' || c == '#';
}

static bool is_kernel_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".traceg") == 0 || strcmp(dot, ".trace") == 0);
}

/* Copies the rest of a member, whose first n bytes are in u->in. */
static rb_code_t copy(unpacking_t *u, FILE *out, const char *path, size_t n, bool packed,
                      rb_err_t *err)
{
    while (n > 0) {
        RB_TRY(check_stop(u, err));
        RB_TRY(packed ? pack(u, out, path, u->in, n, false, err)
                      : put(u, out, path, u->in, n, err));
        RB_TRY(tar_read(u->tar, u->in, CHUNK, &n, err));
    }
    return packed ? pack(u, out, path, NULL, 0, true, err) : RB_OK;
}

static rb_code_t unpack_file(unpacking_t *u, const tar_member_t *m, rb_err_t *err)
{
    size_t n;
    RB_TRY(tar_read(u->tar, u->in, CHUNK, &n, err));
    const bool packed = is_kernel_file(m->name) && is_text(u->in, n);
    char *path = rb_format("%s/%s%s", u->folder, m->name, packed ? ".zst" : "");
    rb_code_t rc = make_folders(u, path, err);
    int fd = rc == RB_OK ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    if (rc == RB_OK && fd < 0)
        rc = errno == EEXIST
                 ? rb_fail(err, RB_TRACE, "%s: member '%.200s' is there twice", u->path, m->name)
                 : fail_file(path, err);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && out == NULL) {
        rc = fail_file(path, err);
        close(fd);
    }
    if (rc == RB_OK)
        rc = copy(u, out, path, n, packed, err);
    if (out != NULL && fclose(out) != 0 && rc == RB_OK)
        rc = fail_file(path, err);
    free(path);
    return rc;
}

static rb_code_t unpack_folder(unpacking_t *u, const char *name, rb_err_t *err)
{
    char *path = rb_format("%s/%s/", u->folder, name);
    rb_code_t rc = make_folders(u, path, err);
    free(path);
    return rc;
}

static rb_code_t unpack_all(unpacking_t *u, rb_err_t *err)
{
    tar_member_t m;
    bool more;
    for (;;) {
        RB_TRY(tar_next(u->tar, &m, &more, err));
        if (!more)
            return check_stop(u, err);
        RB_TRY(check_stop(u, err));
        RB_TRY(count(u, MEMBER_BYTES, err));
        RB_TRY(m.folder ? unpack_folder(u, m.name, err) : unpack_file(u, &m, err));
    }
}

rb_code_t trace_archive_unpack(const char *path, const char *folder, bool (*stop)(void *ctx),
                               void *ctx, rb_err_t *err)
{
    struct stat st;
    unpacking_t u = {.path = path, .folder = folder, .stop = stop, .ctx = ctx};
    if (stat(path, &st) != 0)
        return fail_file(path, err);
    u.tar = tar_open(path, err);
    if (u.tar == NULL)
        return err->code;
    u.most = space_for((uint64_t)st.st_size);
    u.zstd = ZSTD_createCStream();
    u.packed_cap = ZSTD_CStreamOutSize();
    u.in = rb_calloc(CHUNK, 1);
    u.packed = rb_calloc(u.packed_cap, 1);
    RB_INVARIANT(u.zstd != NULL, "no memory for zstd");
    ZSTD_CCtx_setParameter(u.zstd, ZSTD_c_compressionLevel, LEVEL);
    rb_code_t rc = unpack_all(&u, err);
    ZSTD_freeCStream(u.zstd);
    tar_close(u.tar);
    free(u.in);
    free(u.packed);
    return rc;
}
