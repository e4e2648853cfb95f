#include "frontend/run/trace_identity.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/run/journal.h"
#include "frontend/run/open_trace.h"
#include "frontend/trace/rbt_source.h"
#include "sim/core/alloc.h"

typedef struct {
    char *path; /* owned */
    size_t order;
} file_t;

struct trace_identity {
    file_t *files; /* owned, each once, in the order of first use */
    size_t n_files, cap_files;
    uint64_t fingerprint, bytes;
    uint64_t from; /* of a single file: where what is hashed begins */
    pthread_t thread;
    bool running;
    atomic_bool stop;
    char sha256[SHA256_TEXT];
    rb_err_t err; /* of the thread */
};

static void add_file(void *ctx, const char *path)
{
    trace_identity_t *t = ctx;
    rb_grow(&t->files, &t->cap_files, t->n_files + 1, sizeof(*t->files));
    t->files[t->n_files] = (file_t){rb_strdup(path), t->n_files};
    t->n_files++;
}

static int by_path(const void *a, const void *b)
{
    const file_t *x = a, *y = b;
    int c = strcmp(x->path, y->path);
    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b)
{
    const file_t *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* A list may name one file for several launches: the first use stays. */
static void keep_first_uses(trace_identity_t *t)
{
    size_t n = 0;
    qsort(t->files, t->n_files, sizeof(*t->files), by_path);
    for (size_t i = 0; i < t->n_files; i++) {
        if (n > 0 && strcmp(t->files[n - 1].path, t->files[i].path) == 0)
            free(t->files[i].path);
        else
            t->files[n++] = t->files[i];
    }
    t->n_files = n;
    qsort(t->files, n, sizeof(*t->files), by_order);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Name, size and first bytes of a file, added to a fingerprint. */
static rb_code_t examine_file(trace_identity_t *t, const char *path, rb_err_t *err)
{
    char head[1 << 14];
    struct stat st;
    FILE *in = fopen(path, "re");
    if (in == NULL || fstat(fileno(in), &st) != 0) {
        rb_code_t rc = rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
        if (in != NULL)
            fclose(in);
        return rc;
    }
    size_t n = fread(head, 1, sizeof(head), in);
    fclose(in);
    const char *name = file_name(path);
    uint64_t size = (uint64_t)st.st_size, h = t->fingerprint;
    h = journal_checksum(h, name, strlen(name));
    h = journal_checksum(h, &size, sizeof(size));
    t->fingerprint = journal_checksum(h, head, n);
    t->bytes += size;
    return RB_OK;
}

static rb_code_t examine(trace_identity_t *t, const trace_source_t *source, const char *program,
                         rb_err_t *err)
{
    if (program != NULL)
        add_file(t, program);
    else
        open_trace_files(source, add_file, t);
    if (program == NULL && rbt_is_source(source))
        t->from = rbt_source_file(source)->root.offset;
    keep_first_uses(t);
    for (size_t i = 0; i < t->n_files; i++)
        RB_TRY(examine_file(t, t->files[i].path, err));
    return RB_OK;
}

rb_code_t trace_identity_create(trace_identity_t **out, const trace_source_t *source,
                                const char *program, rb_err_t *err)
{
    trace_identity_t *t = rb_calloc(1, sizeof(*t));
    rb_code_t rc = examine(t, source, program, err);
    if (rc != RB_OK) {
        trace_identity_destroy(t);
        return rc;
    }
    *out = t;
    return RB_OK;
}

/* SHA-256 of a file from an offset on, as text; false if it could not be read or the run is over.
 */
static bool hash_file(trace_identity_t *t, const char *path, uint64_t from, char text[SHA256_TEXT])
{
    enum { CHUNK = 1 << 18 };
    FILE *in = fopen(path, "re");
    if (in == NULL || fseeko(in, (off_t)from, SEEK_SET) != 0) {
        rb_fail(&t->err, RB_IO, "%s: %s", path, strerror(errno));
        if (in != NULL)
            fclose(in);
        return false;
    }
    sha256_t h;
    sha256_init(&h);
    char *buffer = rb_calloc(CHUNK, 1);
    setvbuf(in, NULL, _IONBF, 0);
    for (size_t n = 1; n > 0 && !atomic_load_explicit(&t->stop, memory_order_relaxed);) {
        n = fread(buffer, 1, CHUNK, in);
        sha256_update(&h, buffer, n);
    }
    bool good = !ferror(in) && !atomic_load_explicit(&t->stop, memory_order_relaxed);
    if (ferror(in))
        rb_fail(&t->err, RB_IO, "%s: %s", path, strerror(errno));
    free(buffer);
    fclose(in);
    sha256_final_text(&h, text);
    return good;
}

static void *hash_trace(void *arg)
{
    trace_identity_t *t = arg;
    if (t->n_files == 1) {
        hash_file(t, t->files[0].path, t->from, t->sha256);
        return NULL;
    }
    sha256_t all;
    sha256_init(&all);
    for (size_t i = 0; i < t->n_files; i++) {
        char one[SHA256_TEXT];
        const char *name = file_name(t->files[i].path);
        if (!hash_file(t, t->files[i].path, 0, one))
            return NULL;
        sha256_update(&all, one, strlen(one));
        sha256_update(&all, "  ", 2);
        sha256_update(&all, name, strlen(name));
        sha256_update(&all, "\n", 1);
    }
    sha256_final_text(&all, t->sha256);
    return NULL;
}

void trace_identity_start(trace_identity_t *t)
{
    t->running = pthread_create(&t->thread, NULL, hash_trace, t) == 0;
    if (!t->running)
        hash_trace(t);
}

rb_code_t trace_identity_sha256(trace_identity_t *t, char text[SHA256_TEXT], rb_err_t *err)
{
    if (t->running)
        pthread_join(t->thread, NULL);
    t->running = false;
    if (t->err.code != RB_OK)
        return rb_fail(err, t->err.code, "%s", t->err.text);
    memcpy(text, t->sha256, SHA256_TEXT);
    return RB_OK;
}

void trace_identity_destroy(trace_identity_t *t)
{
    if (t == NULL)
        return;
    atomic_store(&t->stop, true);
    if (t->running)
        pthread_join(t->thread, NULL);
    for (size_t i = 0; i < t->n_files; i++)
        free(t->files[i].path);
    free(t->files);
    free(t);
}

uint64_t trace_identity_fingerprint(const trace_identity_t *t)
{
    return t->fingerprint;
}

uint64_t trace_identity_bytes(const trace_identity_t *t)
{
    return t->bytes;
}
