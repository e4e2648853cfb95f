#include "frontend/input/archive/tar_reader.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/accelsim/file/accelsim_stream.h"
#include "sim/core/alloc.h"

enum {
    BLOCK = 512,
    NAME_BYTES_MAX = 4096,
    HEADERS_MAX = 1000000,
    EXTRA_BYTES_MAX = 64 << 10, /* content of a header that describes the next member */
};

/* A header block. */
typedef struct {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type;
    char linkname[100], magic[6], version[2], uname[32], gname[32], device[16], prefix[155];
    char rest[12];
} tar_header_t;
_Static_assert(sizeof(tar_header_t) == BLOCK, "a header is a block");

struct tar_reader {
    const char *path; /* borrowed */
    accelsim_stream_t *in;
    uint64_t headers;       /* read so far */
    uint64_t offset;        /* bytes read, after decompression */
    uint64_t left, padding; /* of the member's content */
    char *long_name;        /* owned; name of the next member; NULL: its header has it */
    uint64_t long_size;     /* size of the next member by pax; UINT64_MAX: its header has it */
    char name[NAME_BYTES_MAX + 1];
};

tar_reader_t *tar_open(const char *path, rb_err_t *err)
{
    accelsim_stream_t *in = accelsim_stream_open(path, err);
    if (in == NULL)
        return NULL;
    tar_reader_t *r = rb_calloc(1, sizeof(*r));
    r->path = path;
    r->in = in;
    r->long_size = UINT64_MAX;
    return r;
}

void tar_close(tar_reader_t *r)
{
    if (r == NULL)
        return;
    accelsim_stream_close(r->in);
    free(r->long_name);
    free(r);
}

static rb_code_t fail_truncated(const tar_reader_t *r, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s: the archive is truncated: it ends at byte %llu of its data",
                   r->path, (unsigned long long)r->offset);
}

static rb_code_t fail_header(const tar_reader_t *r, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s: damaged, or not a tar archive: no header at byte %llu",
                   r->path, (unsigned long long)r->offset - BLOCK);
}

static rb_code_t fail_member(const tar_reader_t *r, const char *name, const char *why,
                             rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s: member '%.200s' %s", r->path, name, why);
}

/* Reads n bytes; *n is less only at the end of the stream. */
static rb_code_t read_some(tar_reader_t *r, char *buf, size_t *n, rb_err_t *err)
{
    size_t done = 0, got = 1;
    while (done < *n && got > 0) {
        RB_TRY(accelsim_stream_read(r->in, buf + done, *n - done, &got, err));
        done += got;
        r->offset += got;
    }
    *n = done;
    return RB_OK;
}

static rb_code_t read_all(tar_reader_t *r, char *buf, size_t n, rb_err_t *err)
{
    size_t got = n;
    RB_TRY(read_some(r, buf, &got, err));
    return got == n ? RB_OK : fail_truncated(r, err);
}

static rb_code_t skip(tar_reader_t *r, uint64_t n, rb_err_t *err)
{
    char buf[16 << 10];
    while (n > 0) {
        size_t now = n < sizeof(buf) ? (size_t)n : sizeof(buf);
        RB_TRY(read_all(r, buf, now, err));
        n -= now;
    }
    return RB_OK;
}

/* A number of a header: octal digits, or a big-endian integer after a byte 0x80. */
static bool header_number(const char *field, size_t n, uint64_t *value)
{
    *value = 0;
    if ((unsigned char)field[0] == 0x80) {
        for (size_t i = 1; i < n; i++) {
            if (*value >> 55 != 0)
                return false;
            *value = *value << 8 | (unsigned char)field[i];
        }
        return true;
    }
    size_t i = 0;
    while (i < n && field[i] == ' ')
        i++;
    for (; i < n && field[i] >= '0' && field[i] <= '7'; i++)
        *value = *value << 3 | (uint64_t)(field[i] - '0');
    return i == n || field[i] == ' ' || field[i] == '\0';
}

static bool checksum_is_right(const tar_header_t *h)
{
    const unsigned char *bytes = (const unsigned char *)h;
    const size_t from = offsetof(tar_header_t, checksum), end = from + sizeof(h->checksum);
    uint64_t sum = 0, stated;
    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= from && i < end ? ' ' : bytes[i];
    return header_number(h->checksum, sizeof(h->checksum), &stated) && stated == sum;
}

static bool is_zero(const tar_header_t *h)
{
    const char *bytes = (const char *)h;
    size_t i = 0;
    while (i < BLOCK && bytes[i] == '\0')
        i++;
    return i == BLOCK;
}

/* Copies a header's name and its prefix. */
static void header_name(const tar_header_t *h, char name[NAME_BYTES_MAX + 1])
{
    const bool has_prefix = memcmp(h->magic, "ustar\0", 6) == 0 && h->prefix[0] != '\0';
    snprintf(name, NAME_BYTES_MAX + 1, "%.*s%s%.*s", has_prefix ? (int)sizeof(h->prefix) : 0,
             h->prefix, has_prefix ? "/" : "", (int)sizeof(h->name), h->name);
}

/* Removes "." components and slashes at the ends of a name; fails unless it stays inside. */
static rb_code_t check_name(const tar_reader_t *r, char *name, rb_err_t *err)
{
    char *to = name;
    if (name[0] == '/')
        return fail_member(r, name, "has an absolute name", err);
    for (const char *at = name; *at != '\0';) {
        const size_t n = strcspn(at, "/"), step = n + (at[n] == '/');
        if (n == 2 && memcmp(at, "..", 2) == 0)
            return fail_member(r, name, "has '..' in its name", err);
        if (n > 0 && !(n == 1 && at[0] == '.')) {
            if (to > name)
                *to++ = '/';
            memmove(to, at, n);
            to += n;
        }
        at += step;
    }
    *to = '\0';
    for (const char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return fail_member(r, name, "has control characters in its name", err);
    }
    return RB_OK;
}

/* Reads the content of a header that describes the next member; the caller frees it. */
static rb_code_t read_extra(tar_reader_t *r, uint64_t n, char **text, rb_err_t *err)
{
    *text = NULL;
    if (n > EXTRA_BYTES_MAX)
        return fail_header(r, err);
    char *content = rb_calloc((size_t)n + 1, 1);
    rb_code_t rc = read_all(r, content, (size_t)n, err);
    if (rc == RB_OK)
        rc = skip(r, (BLOCK - n % BLOCK) % BLOCK, err);
    if (rc == RB_OK)
        *text = content;
    else
        free(content);
    return rc;
}

static rb_code_t take_name(tar_reader_t *r, const char *name, size_t n, rb_err_t *err)
{
    if (n > NAME_BYTES_MAX)
        return fail_header(r, err);
    free(r->long_name);
    r->long_name = rb_calloc(n + 1, 1);
    memcpy(r->long_name, name, n);
    return RB_OK;
}

/* Takes one record of pax, "KEY=VALUE" of n bytes. */
static rb_code_t take_record(tar_reader_t *r, const char *record, size_t n, rb_err_t *err)
{
    if (n > 5 && memcmp(record, "path=", 5) == 0)
        return take_name(r, record + 5, n - 5, err);
    if (n > 11 && memcmp(record, "GNU.sparse.", 11) == 0)
        return rb_fail(err, RB_TRACE, "%s: sparse files are not supported", r->path);
    if (n > 5 && memcmp(record, "size=", 5) == 0) {
        char *end;
        r->long_size = strtoull(record + 5, &end, 10);
        if (end != record + n || r->long_size > INT64_MAX)
            return fail_header(r, err);
    }
    return RB_OK;
}

/* Takes records "LENGTH KEY=VALUE\n", where LENGTH counts the whole record. */
static rb_code_t take_pax(tar_reader_t *r, const char *text, size_t n, rb_err_t *err)
{
    while (n > 0) {
        char *at;
        const unsigned long long length = strtoull(text, &at, 10);
        if (length > n || at == text || *at != ' ' || at + 2 > text + length ||
            text[length - 1] != '\n')
            return fail_header(r, err);
        RB_TRY(take_record(r, at + 1, (size_t)(text + length - 1 - (at + 1)), err));
        text += length;
        n -= (size_t)length;
    }
    return RB_OK;
}

/* Takes a header that describes the next one. */
static rb_code_t take_extra(tar_reader_t *r, char type, uint64_t n, rb_err_t *err)
{
    char *text;
    RB_TRY(read_extra(r, n, &text, err));
    RB_INVARIANT(text != NULL, "a header of %llu bytes is nowhere", (unsigned long long)n);
    rb_code_t rc = type == 'L'   ? take_name(r, text, strlen(text), err)
                   : type == 'x' ? take_pax(r, text, (size_t)n, err)
                                 : RB_OK;
    free(text);
    return rc;
}

static const char *refused(char type)
{
    return type == '1' || type == '2' ? "is a link: pack the files themselves (tar --dereference)"
           : type == 'S'              ? "is a sparse file, which is not supported"
                                      : "is neither a file nor a folder";
}

/* Fills in the member that a header describes. */
static rb_code_t take_member(tar_reader_t *r, const tar_header_t *h, uint64_t bytes,
                             tar_member_t *member, rb_err_t *err)
{
    if (r->long_name != NULL)
        snprintf(r->name, sizeof(r->name), "%s", r->long_name);
    else
        header_name(h, r->name);
    if (r->long_size != UINT64_MAX)
        bytes = r->long_size;
    free(r->long_name);
    r->long_name = NULL;
    r->long_size = UINT64_MAX;
    const size_t n = strlen(r->name);
    const bool file = h->type == '0' || h->type == '\0' || h->type == '7';
    const bool folder = h->type == '5' || (h->type == '\0' && n > 0 && r->name[n - 1] == '/');
    if (!file && !folder)
        return fail_member(r, r->name, refused(h->type), err);
    RB_TRY(check_name(r, r->name, err));
    if (r->name[0] == '\0' && !folder)
        return fail_header(r, err);
    r->left = folder ? 0 : bytes;
    r->padding = (BLOCK - r->left % BLOCK) % BLOCK;
    *member = (tar_member_t){.name = r->name, .bytes = r->left, .folder = folder};
    return RB_OK;
}

/* Reads what follows the end mark, so that the checksums of the compression are compared. */
static rb_code_t read_rest(tar_reader_t *r, rb_err_t *err)
{
    enum { REST_MAX = 1 << 20 };
    char buf[BLOCK];
    size_t got = BLOCK;
    for (size_t n = 0; n < REST_MAX && got == BLOCK; n += BLOCK)
        RB_TRY(read_some(r, buf, &got, err));
    return RB_OK;
}

rb_code_t tar_next(tar_reader_t *r, tar_member_t *member, bool *more, rb_err_t *err)
{
    RB_TRY(skip(r, r->left, err));
    RB_TRY(skip(r, r->padding, err));
    r->left = r->padding = 0;
    for (;;) {
        tar_header_t h;
        uint64_t bytes;
        RB_TRY(read_all(r, (char *)&h, BLOCK, err));
        *more = !is_zero(&h);
        if (!*more)
            return read_rest(r, err);
        if (r->headers++ >= HEADERS_MAX)
            return rb_fail(err, RB_TRACE, "%s: has more than %d files and folders", r->path,
                           (int)HEADERS_MAX);
        if (!checksum_is_right(&h) || !header_number(h.size, sizeof(h.size), &bytes))
            return fail_header(r, err);
        if (strchr("LKxg", h.type) == NULL || h.type == '\0')
            return take_member(r, &h, bytes, member, err);
        RB_TRY(take_extra(r, h.type, bytes, err));
    }
}

rb_code_t tar_read(tar_reader_t *r, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    *got = r->left < cap ? (size_t)r->left : cap;
    RB_TRY(read_all(r, buf, *got, err));
    r->left -= *got;
    return RB_OK;
}
