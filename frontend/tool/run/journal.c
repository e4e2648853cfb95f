#include "frontend/tool/run/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"
#include "sim/core/log.h"

enum { MAGIC_BYTES = 8, RECORD_MAX = 1 << 26 };
static const char journal_magic[MAGIC_BYTES + 1] = "rbjrnl1\n";

typedef struct {
    uint32_t kind, n;
    uint64_t checksum;
} record_head_t;

struct journal {
    int fd;
    char *path;      /* owned, for messages */
    uint64_t length; /* whole records end here */
    uint64_t at;     /* reading position */
    uint8_t *buffer; /* owned; one record with its head */
    size_t buffer_cap;
};

uint64_t journal_checksum(uint64_t seed, const void *data, size_t n)
{
    const uint8_t *bytes = data;
    uint64_t h = seed ^ 0x9e3779b97f4a7c15u ^ n;
    for (; n > 0;) {
        uint64_t word = 0;
        size_t step = n < sizeof(word) ? n : sizeof(word);
        memcpy(&word, bytes, step);
        h = (h ^ word) * 0xff51afd7ed558ccdu; /* constants of MurmurHash3's finaliser */
        h ^= h >> 32;
        bytes += step;
        n -= step;
    }
    return (h ^ h >> 29) * 0xc4ceb9fe1a85ec53u;
}

static uint64_t record_checksum(const record_head_t *head, const void *payload)
{
    return journal_checksum((uint64_t)head->kind << 32 | head->n, payload, head->n);
}

static rb_code_t journal_error(const journal_t *j, const char *what, rb_err_t *err)
{
    return rb_fail(err, RB_IO, "%s: %s: %s", j->path, what, strerror(errno));
}

/* Writes all n bytes at offset; a short write is an error with its reason in errno. */
static bool write_all(int fd, const void *data, size_t n, uint64_t offset)
{
    for (const char *s = data; n > 0;) {
        ssize_t done = pwrite(fd, s, n, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            errno = done == 0 ? EIO : errno;
            return false;
        }
        s += done;
        n -= (size_t)done;
        offset += (uint64_t)done;
    }
    return true;
}

static journal_t *journal_new(const char *path)
{
    journal_t *j = rb_calloc(1, sizeof(*j));
    j->fd = -1;
    j->path = rb_strdup(path);
    return j;
}

void journal_close(journal_t *j)
{
    if (j == NULL)
        return;
    if (j->fd >= 0)
        close(j->fd);
    free(j->path);
    free(j->buffer);
    free(j);
}

/* Passes j to the caller, or closes it after an error. */
static rb_code_t journal_hand_over(journal_t *j, rb_code_t rc, journal_t **out)
{
    if (rc == RB_OK)
        *out = j;
    else
        journal_close(j);
    return rc;
}

static rb_code_t journal_begin(journal_t *j, rb_err_t *err)
{
    if (ftruncate(j->fd, 0) != 0 || !write_all(j->fd, journal_magic, MAGIC_BYTES, 0))
        return journal_error(j, "cannot write", err);
    j->length = MAGIC_BYTES;
    j->at = j->length;
    return RB_OK;
}

/* Opens and locks the file: two runs in one folder would mix their results. */
static rb_code_t journal_take(journal_t *j, int flags, rb_err_t *err)
{
    j->fd = open(j->path, flags | O_RDWR | O_CLOEXEC, 0666);
    if (j->fd < 0)
        return journal_error(j, "cannot open", err);
    if (flock(j->fd, LOCK_EX | LOCK_NB) == 0)
        return RB_OK;
    if (errno == EWOULDBLOCK)
        return rb_fail(err, RB_IO, "%s: another run is writing to this folder", j->path);
    rb_warn("%s: cannot be locked (%s): make sure that no second run uses this folder", j->path,
            strerror(errno));
    return RB_OK;
}

rb_code_t journal_create(journal_t **out, const char *path, rb_err_t *err)
{
    journal_t *j = journal_new(path);
    rb_code_t rc = journal_take(j, O_CREAT, err);
    if (rc == RB_OK)
        rc = journal_begin(j, err);
    return journal_hand_over(j, rc, out);
}

rb_code_t journal_create_unnamed(journal_t **out, const char *folder, rb_err_t *err)
{
    size_t n = strlen(folder) + sizeof("/rubato-XXXXXX");
    char *path = rb_calloc(n, 1);
    snprintf(path, n, "%s/rubato-XXXXXX", folder);
    journal_t *j = journal_new(folder);
    j->fd = mkostemp(path, O_CLOEXEC);
    rb_code_t rc = RB_OK;
    if (j->fd < 0)
        rc = journal_error(j, "cannot create a temporary file", err);
    else
        unlink(path);
    free(path);
    if (rc == RB_OK)
        rc = journal_begin(j, err);
    return journal_hand_over(j, rc, out);
}

/* Reads the record at offset into the buffer; *n_bytes is its size, 0 if there is no complete
 * one. */
static rb_code_t record_read(journal_t *j, uint64_t offset, size_t *n_bytes, rb_err_t *err)
{
    record_head_t head;
    *n_bytes = 0;
    ssize_t got = in_file_read(j->fd, &head, sizeof(head), offset);
    if (got < 0)
        return journal_error(j, "cannot read", err);
    if (got < (ssize_t)sizeof(head) || head.kind == 0 || head.n > RECORD_MAX)
        return RB_OK;
    rb_grow(&j->buffer, &j->buffer_cap, sizeof(head) + head.n, 1);
    got = in_file_read(j->fd, j->buffer + sizeof(head), head.n, offset + sizeof(head));
    if (got < 0)
        return journal_error(j, "cannot read", err);
    if (got < (ssize_t)head.n || record_checksum(&head, j->buffer + sizeof(head)) != head.checksum)
        return RB_OK;
    memcpy(j->buffer, &head, sizeof(head));
    *n_bytes = sizeof(head) + head.n;
    return RB_OK;
}

/* Checks the first bytes. After a power failure they may be missing, incomplete or zero; the journal
 * is then begun anew. */
static rb_code_t check_magic(journal_t *j, rb_err_t *err)
{
    static const char zeros[MAGIC_BYTES];
    char magic[MAGIC_BYTES];
    const ssize_t n = in_file_read(j->fd, magic, sizeof(magic), 0);
    if (n < 0)
        return journal_error(j, "cannot read", err);
    if (n == MAGIC_BYTES && memcmp(magic, journal_magic, MAGIC_BYTES) == 0)
        return RB_OK;
    if (memcmp(magic, zeros, (size_t)n) == 0 ||
        (n < MAGIC_BYTES && memcmp(magic, journal_magic, (size_t)n) == 0))
        return journal_begin(j, err);
    return rb_fail(err, RB_USAGE,
                   "%s: not a journal that this version of rubato reads; --force starts over",
                   j->path);
}

/* Takes all complete records of the file. */
rb_code_t journal_measure(journal_t *j, rb_err_t *err)
{
    j->length = MAGIC_BYTES;
    for (size_t n = 1; n > 0;) {
        RB_TRY(record_read(j, j->length, &n, err));
        j->length += n;
    }
    journal_rewind(j);
    return RB_OK;
}

rb_code_t journal_open(journal_t **out, const char *path, rb_err_t *err)
{
    journal_t *j = journal_new(path);
    rb_code_t rc = journal_take(j, 0, err);
    if (rc == RB_OK)
        rc = check_magic(j, err);
    if (rc == RB_OK)
        rc = journal_measure(j, err);
    if (rc == RB_OK)
        rc = journal_cut(j, j->length, err);
    return journal_hand_over(j, rc, out);
}

rb_code_t journal_append(journal_t *j, uint32_t kind, const void *data, size_t n, rb_err_t *err)
{
    RB_INVARIANT(kind > 0 && n <= RECORD_MAX, "journal record of kind %u, %zu bytes", kind, n);
    record_head_t head = {.kind = kind, .n = (uint32_t)n};
    head.checksum = record_checksum(&head, data);
    rb_grow(&j->buffer, &j->buffer_cap, sizeof(head) + n, 1);
    memcpy(j->buffer, &head, sizeof(head));
    if (n > 0)
        memcpy(j->buffer + sizeof(head), data, n);
    if (!write_all(j->fd, j->buffer, sizeof(head) + n, j->length)) {
        rb_code_t rc = journal_error(j, "cannot write", err);
        /* If this also fails, the checksum still reveals the torn record. */
        (void)!ftruncate(j->fd, (off_t)j->length);
        return rc;
    }
    j->length += sizeof(head) + n;
    return RB_OK;
}

uint64_t journal_length(const journal_t *j)
{
    return j->length;
}

uint64_t journal_position(const journal_t *j)
{
    return j->at;
}

rb_code_t journal_cut(journal_t *j, uint64_t length, rb_err_t *err)
{
    if (length > j->length || length < MAGIC_BYTES)
        return rb_fail(err, RB_IO, "%s: damaged: %llu bytes are intact, %llu are needed", j->path,
                       (unsigned long long)j->length, (unsigned long long)length);
    if (ftruncate(j->fd, (off_t)length) != 0)
        return journal_error(j, "cannot shorten", err);
    j->length = length;
    return RB_OK;
}

rb_code_t journal_sync(journal_t *j, rb_err_t *err)
{
    if (fsync(j->fd) != 0)
        return journal_error(j, "cannot write", err);
    return RB_OK;
}

void journal_rewind(journal_t *j)
{
    j->at = MAGIC_BYTES;
}

rb_code_t journal_next(journal_t *j, uint32_t *kind, const void **data, size_t *n, rb_err_t *err)
{
    *kind = 0;
    *n = 0;
    if (j->at >= j->length)
        return RB_OK;
    size_t bytes;
    RB_TRY(record_read(j, j->at, &bytes, err));
    if (bytes == 0)
        return rb_fail(err, RB_IO, "%s: a record at offset %llu was damaged", j->path,
                       (unsigned long long)j->at);
    record_head_t head;
    memcpy(&head, j->buffer, sizeof(head));
    j->at += bytes;
    *kind = head.kind;
    *data = j->buffer + sizeof(head);
    *n = head.n;
    return RB_OK;
}
