#include "frontend/input/rbt/read/rbt_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "frontend/input/rbt/rbt_checksum.h"
#include "sim/core/files/in_file.h"

/* Limits how much a root may grow by decompression: no real root compresses this well. */
enum { ROOT_GAIN_MAX = 256, ROOT_FREE_BYTES = 4 << 20 };

rb_code_t rbt_file_fail(const rbt_file_t *f, uint64_t offset, const char *what, const char *why,
                        rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s: at byte %" PRIu64 ": the %s is damaged: %s", f->path, offset,
                   what, why);
}

/* Reads exactly n bytes at offset. */
static rb_code_t read_at(const rbt_file_t *f, uint64_t offset, void *data, size_t n,
                         const char *what, rb_err_t *err)
{
    const ssize_t got = in_file_read(f->fd, data, n, offset);

    if (got < 0)
        return rb_fail(err, RB_IO, "%s: %s", f->path, strerror(errno));
    return got == (ssize_t)n ? RB_OK
                             : rbt_file_fail(f, offset, what, "the file ends inside it", err);
}

rb_code_t rbt_file_read(const rbt_file_t *f, const rbt_place_t *place, uint64_t max,
                        const char *what, rbt_unpacker_t *unpacker, rbt_buf_t *out, rb_err_t *err)
{
    rbt_buf_t packed = {0};

    if (place->offset < RBT_HEADER_BYTES || place->offset > f->bytes || place->packed == 0 ||
        place->packed > f->bytes - place->offset)
        return rbt_file_fail(f, place->offset, what, "it would lie outside of the file", err);
    if (place->unpacked > max)
        return rbt_file_fail(f, place->offset, what, "it is too large", err);
    rbt_buf_room(&packed, place->packed);
    rb_code_t code = read_at(f, place->offset, packed.p, place->packed, what, err);

    if (code == RB_OK &&
        (uint32_t)rbt_checksum(packed.p, place->packed) != (uint32_t)place->checksum)
        code = rbt_file_fail(f, place->offset, what, "its checksum does not match", err);
    if (code == RB_OK && (ZSTD_getFrameContentSize(packed.p, place->packed) != place->unpacked ||
                          ZSTD_findFrameCompressedSize(packed.p, place->packed) != place->packed))
        code = rbt_file_fail(f, place->offset, what, "its size is not what the index says", err);
    if (code == RB_OK) {
        out->n = 0;
        rbt_buf_room(out, place->unpacked + 1);
        size_t n = ZSTD_decompressDCtx(unpacker, out->p, place->unpacked, packed.p, place->packed);

        if (ZSTD_isError(n))
            code = rbt_file_fail(f, place->offset, what, ZSTD_getErrorName(n), err);
        else if (n != place->unpacked)
            code = rbt_file_fail(f, place->offset, what, "its size is not what it says", err);
        out->n = place->unpacked;
    }
    free(packed.p);
    return code;
}

rb_code_t rbt_file_sha256(const rbt_file_t *f, char text[SHA256_TEXT], rb_err_t *err)
{
    enum { CHUNK = 1 << 16 };
    uint8_t *chunk = rb_calloc(CHUNK, 1);
    rb_code_t code = RB_OK;
    sha256_t h;

    sha256_init(&h);
    for (uint64_t at = f->root.offset; code == RB_OK && at < f->bytes; at += CHUNK) {
        size_t n = f->bytes - at < CHUNK ? (size_t)(f->bytes - at) : CHUNK;

        code = read_at(f, at, chunk, n, "root", err);
        sha256_update(&h, chunk, n);
    }
    sha256_final_text(&h, text);
    free(chunk);
    return code;
}

/* --- opening --------------------------------------------------------------------------------- */

static bool begins_like_rbt(const uint8_t *head)
{
    uint32_t magic;

    memcpy(&magic, head, sizeof(magic));
    return magic == RBT_SKIP_HEADER && memcmp(head + 8, rbt_header_magic, RBT_MAGIC_BYTES) == 0;
}

static bool has_native_name(const char *path)
{
    static const char ending[] = ".rbt";
    size_t n = strlen(path), m = strlen(ending);

    return n > m && strcmp(path + n - m, ending) == 0;
}

/* What cannot be read is known by its name: who opens it is told why. */
bool rbt_file_detect(const char *path)
{
    uint8_t head[RBT_HEADER_BYTES];
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return has_native_name(path);
    const ssize_t n = in_file_read(fd, head, sizeof(head), 0);

    close(fd);
    return n < 0 ? has_native_name(path) : n == sizeof(head) && begins_like_rbt(head);
}

static rb_code_t not_native(const rbt_file_t *f, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE,
                   "%s: is not a native trace (.rbt); 'rubato convert' makes one of other traces",
                   f->path);
}

static rb_code_t check_version(const rbt_file_t *f, uint32_t version, uint32_t newest,
                               rb_err_t *err)
{
    if (version >= RBT_VERSION && version <= newest)
        return RB_OK;
    return rb_fail(err, RB_TRACE,
                   "%s: version %u of the format is unknown: this rubato reads version %u; convert "
                   "the trace again, or use a newer rubato",
                   f->path, version, newest);
}

static rb_code_t read_header(const rbt_file_t *f, rb_err_t *err)
{
    uint8_t head[RBT_HEADER_BYTES];
    uint32_t version, length;
    uint64_t sum;

    if (f->bytes >= RBT_HEADER_BYTES) {
        RB_TRY(read_at(f, 0, head, sizeof(head), "header", err));
        if (!begins_like_rbt(head))
            return not_native(f, err);
    }
    if (f->bytes < RBT_HEADER_BYTES + RBT_FOOTER_BYTES)
        return rb_fail(err, RB_TRACE,
                       "%s: the file is truncated or not a native trace (.rbt): it has %" PRIu64
                       " bytes",
                       f->path, f->bytes);
    memcpy(&length, head + 4, sizeof(length));
    memcpy(&version, head + 24, sizeof(version));
    memcpy(&sum, head + 32, sizeof(sum));
    if (sum != rbt_checksum(head + 8, 24) || length != RBT_HEADER_BYTES - 8)
        return rbt_file_fail(f, 0, "header", "its checksum does not match", err);
    return check_version(f, version, RBT_VERSION, err);
}

static rb_code_t read_footer(rbt_file_t *f, rb_err_t *err)
{
    uint8_t foot[RBT_FOOTER_BYTES];
    uint64_t at = f->bytes - RBT_FOOTER_BYTES;
    rbt_in_t in = {.at = foot, .end = foot + sizeof(foot)};

    RB_TRY(read_at(f, at, foot, sizeof(foot), "footer", err));
    uint32_t magic = rbt_get_u32(&in), length = rbt_get_u32(&in);

    if (magic != RBT_SKIP_FOOTER || memcmp(in.at, rbt_footer_magic, RBT_MAGIC_BYTES) != 0)
        return rb_fail(err, RB_TRACE,
                       "%s: the file is truncated: it does not end with a footer (at byte %" PRIu64
                       ")",
                       f->path, at);
    in.at += RBT_MAGIC_BYTES;
    uint32_t version = rbt_get_u32(&in);

    (void)rbt_get_u32(&in);
    f->root.offset = rbt_get_u64(&in);
    f->root.packed = rbt_get_u64(&in);
    f->root.unpacked = rbt_get_u64(&in);
    f->root.checksum = rbt_get_u64(&in);
    f->n_launches = rbt_get_u64(&in);
    f->identity = rbt_get_u64(&in);
    if (f->identity != rbt_checksum(foot + 8, RBT_FOOTER_BYTES - 16) ||
        length != RBT_FOOTER_BYTES - 8)
        return rbt_file_fail(f, at, "footer", "its checksum does not match", err);
    RB_TRY(check_version(f, version, RBT_VERSION_SECTIONS, err));
    f->version = version;
    if (f->root.offset > at || f->root.packed != at - f->root.offset)
        return rbt_file_fail(f, at, "footer", "the root does not end where the footer begins", err);
    return RB_OK;
}

static rb_code_t read_root(rbt_file_t *f, rb_err_t *err)
{
    rbt_buf_t bytes = {0};
    rbt_unpacker_t *unpacker = ZSTD_createDCtx();

    if (unpacker == NULL)
        return rb_fail(err, RB_NOMEM, "no memory for zstd");
    rb_code_t code =
        f->root.unpacked > ROOT_FREE_BYTES && f->root.unpacked / ROOT_GAIN_MAX > f->root.packed
            ? rbt_file_fail(f, f->root.offset, "root", "it is too large", err)
            : rbt_file_read(f, &f->root, RBT_ROOT_BYTES, "root", unpacker, &bytes, err);
    uint64_t launches = f->n_launches;

    if (code == RB_OK) {
        const char *wrong = rbt_root_get(f, &bytes);

        if (wrong == NULL && launches != f->n_launches)
            wrong = "its number of launches is not the footer's";
        if (wrong != NULL)
            code = rbt_file_fail(f, f->root.offset, "root", wrong, err);
    }
    ZSTD_freeDCtx(unpacker);
    free(bytes.p);
    return code;
}

rb_code_t rbt_file_open(rbt_file_t *f, const char *path, rb_err_t *err)
{
    struct stat st;

    *f = (rbt_file_t){.path = rb_strdup(path), .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    pthread_mutex_init(&f->lock, NULL);
    if (f->fd < 0 || fstat(f->fd, &st) != 0)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return not_native(f, err);
    f->bytes = (uint64_t)st.st_size;
    RB_TRY(read_header(f, err));
    RB_TRY(read_footer(f, err));
    RB_TRY(read_root(f, err));
    return f->has_graph ? stream_graph_check(&f->graph, f->path, err) : RB_OK;
}

void rbt_file_close(rbt_file_t *f)
{
    for (size_t i = 0; i < f->n_kernels; i++) {
        free(f->kernels[i].name);
        rbt_code_free(&f->kernels[i].code);
    }
    free(f->kernels);
    free(f->block_pages);
    free(f->launch_pages);
    free(f->copies);
    free(f->copy_launch);
    stream_graph_free(&f->graph);
    rbt_waits_free(&f->waits);
    free(f->producer);
    free(f->plan);
    if (f->fd >= 0)
        close(f->fd);
    free(f->path);
    pthread_mutex_destroy(&f->lock);
    *f = (rbt_file_t){.fd = -1};
}

static rb_code_t load_code(rbt_file_t *f, rbt_kernel_t *k, rb_err_t *err)
{
    rbt_buf_t bytes = {0};
    rbt_unpacker_t *unpacker = ZSTD_createDCtx();

    if (unpacker == NULL)
        return rb_fail(err, RB_NOMEM, "no memory for zstd");
    rb_code_t code =
        rbt_file_read(f, &k->place, RBT_CODE_BYTES, "code of a kernel", unpacker, &bytes, err);

    if (code == RB_OK) {
        const char *wrong = rbt_code_read(&k->code, bytes.p, bytes.n, f->classes, f->n_classes);

        if (wrong != NULL) {
            rbt_code_free(&k->code);
            code = rbt_file_fail(f, k->place.offset, "code of a kernel", wrong, err);
        }
        k->loaded = code == RB_OK;
    }
    ZSTD_freeDCtx(unpacker);
    free(bytes.p);
    return code;
}

rb_code_t rbt_file_code(rbt_file_t *f, size_t kernel, const rbt_code_t **code, rb_err_t *err)
{
    rbt_kernel_t *k = &f->kernels[kernel];
    rb_code_t rc = RB_OK;

    pthread_mutex_lock(&f->lock);
    if (!k->loaded)
        rc = load_code(f, k, err);
    pthread_mutex_unlock(&f->lock);
    *code = &k->code;
    return rc;
}
