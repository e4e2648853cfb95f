#include "frontend/tool/run/trace_identity.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/input/rbt/read/rbt_source.h"
#include "frontend/tool/io/file_hash.h"
#include "frontend/tool/library/open_trace.h"
#include "frontend/tool/run/run_record.h"
#include "sim/core/alloc.h"

struct trace_identity {
    file_reads_t *reads;     /* owned; for a trace whose files are hashed while they are read */
    size_t noted;            /* number of used files already in the journal */
    char known[SHA256_TEXT]; /* hash of a native file or program; "": see reads */
    char beginning[SHA256_TEXT];
    uint64_t bytes;
    size_t root; /* length of the folder's path at the start of its files' paths */
    size_t last; /* index of the last one looked up */
    rb_err_t err;
    pthread_t thread;
    bool running;
};

static rb_code_t add_bytes(trace_identity_t *t, const char *path, rb_err_t *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    t->bytes += (uint64_t)st.st_size;
    return RB_OK;
}

/* Adds a file by its name relative to the folder of the first file, or by its path. */
static void add_file(void *ctx, const char *path, bool opened)
{
    trace_identity_t *t = ctx;
    const size_t n = file_reads_count(t->reads);
    if (n == 0) {
        const char *slash = strrchr(path, '/');
        t->root = slash != NULL ? (size_t)(slash + 1 - path) : 0;
    }
    const bool inside = n == 0 || strncmp(path, file_reads_at(t->reads, 0)->path, t->root) == 0;
    file_reads_add(t->reads, path, inside ? path + t->root : path);
    if (file_reads_count(t->reads) == n)
        return; /* a list may name one file for several launches */
    if (opened)
        file_reads_use(t->reads, path);
    if (t->err.code == RB_OK)
        (void)add_bytes(t, path, &t->err);
}

/* Adds a line in the format of sha256sum. */
static void hash_line(sha256_t *h, const file_read_t *f)
{
    sha256_update(h, f->sha256, strlen(f->sha256));
    sha256_update(h, "  ", 2);
    sha256_update(h, f->name, strlen(f->name));
    sha256_update(h, "\n", 1);
}

/* Hashes the lines of all files; names: also those of files whose hashes are unknown. */
static void hash_lines(const file_reads_t *reads, bool names, char text[SHA256_TEXT])
{
    sha256_t h;
    sha256_init(&h);
    for (size_t i = 0; i < file_reads_count(reads); i++)
        if (file_reads_at(reads, i)->whole || names)
            hash_line(&h, file_reads_at(reads, i));
    sha256_final_text(&h, text);
}

static rb_code_t examine(trace_identity_t *t, trace_source_t *source, const char *program,
                         rb_err_t *err)
{
    if (program != NULL) {
        RB_TRY(add_bytes(t, program, err));
        RB_TRY(file_hash(program, t->known, err));
    } else if (rbt_is_source(source)) {
        t->bytes = rbt_source_file(source)->bytes;
        RB_TRY(rbt_file_sha256(rbt_source_file(source), t->known, err));
    }
    memcpy(t->beginning, t->known, sizeof(t->known));
    if (t->known[0] != '\0')
        return RB_OK;
    open_trace_files(source, add_file, t);
    if (t->err.code != RB_OK)
        return rb_fail(err, t->err.code, "%s", t->err.text);
    RB_TRY(file_reads_complete(t->reads, err));
    hash_lines(t->reads, true, t->beginning);
    return RB_OK;
}

rb_code_t trace_identity_create(trace_identity_t **out, trace_source_t *source, const char *program,
                                rb_err_t *err)
{
    trace_identity_t *t = rb_calloc(1, sizeof(*t));
    t->reads = file_reads_create();
    rb_code_t rc = examine(t, source, program, err);
    if (rc != RB_OK) {
        trace_identity_destroy(t);
        return rc;
    }
    *out = t;
    return RB_OK;
}

void trace_identity_watch(trace_identity_t *t, trace_source_t *source)
{
    if (t->known[0] == '\0')
        open_trace_watch(source, t->reads);
}

void trace_identity_destroy(trace_identity_t *t)
{
    if (t == NULL)
        return;
    if (t->running)
        pthread_join(t->thread, NULL);
    file_reads_destroy(t->reads);
    free(t);
}

const char *trace_identity_beginning(const trace_identity_t *t)
{
    return t->beginning;
}

uint64_t trace_identity_bytes(const trace_identity_t *t)
{
    return t->bytes;
}

rb_code_t trace_identity_note(trace_identity_t *t, journal_t *j, rb_err_t *err)
{
    RB_TRY(file_reads_complete(t->reads, err));
    for (; t->noted < file_reads_used(t->reads); t->noted++) {
        const file_read_t *f = file_reads_used_at(t->reads, t->noted);
        RB_TRY(record_read(j, f->name, f->sha256, err));
    }
    return RB_OK;
}

static rb_code_t find(trace_identity_t *t, const char *name, rb_err_t *err)
{
    if (file_reads_find(t->reads, name, &t->last))
        return RB_OK;
    return rb_fail(err, RB_USAGE, "%s: the run has read this file, which the trace no longer has",
                   name);
}

rb_code_t trace_identity_learn(trace_identity_t *t, const char *name, const char *sha256,
                               rb_err_t *err)
{
    RB_TRY(find(t, name, err));
    if (file_reads_learn(t->reads, t->last, sha256))
        return RB_OK;
    return rb_fail(err, RB_USAGE,
                   "%s: the parts of the run have read different versions of this file",
                   file_reads_at(t->reads, t->last)->path);
}

static rb_code_t fail_other(const char *path, rb_err_t *err)
{
    return rb_fail(err, RB_USAGE,
                   "%s: was changed after this run had read it; put back what it was, or start "
                   "over with --force",
                   path);
}

rb_code_t trace_identity_recall(trace_identity_t *t, const char *name, const char *sha256,
                                rb_err_t *err)
{
    char now[SHA256_TEXT];
    RB_TRY(find(t, name, err));
    const file_read_t *f = file_reads_at(t->reads, t->last);
    if (f->whole)
        memcpy(now, f->sha256, sizeof(now));
    else
        RB_TRY(file_hash(f->path, now, err));
    if (strcmp(now, sha256) != 0)
        return fail_other(f->path, err);
    (void)file_reads_learn(t->reads, t->last, sha256);
    /* The files read when the trace was opened come first, here and in the journal. */
    t->noted = file_reads_used(t->reads);
    return RB_OK;
}

rb_code_t trace_identity_recall_all(trace_identity_t *t, const char *sha256, rb_err_t *err)
{
    char now[SHA256_TEXT];
    trace_identity_start(t);
    RB_TRY(trace_identity_sha256(t, now, err));
    if (strcmp(now, sha256) == 0)
        return RB_OK;
    return rb_fail(err, RB_USAGE,
                   "these are results of another trace, or the trace was changed since; put back "
                   "what it was, or start over with --force");
}

void trace_identity_result(const trace_identity_t *t, trace_read_t *out)
{
    const size_t n = file_reads_count(t->reads);
    bool all = true;
    *out = (trace_read_t){.reads = t->reads};
    memcpy(out->sha256, t->known, sizeof(t->known));
    if (t->known[0] == '\0') {
        for (size_t i = 0; i < n; i++)
            all &= file_reads_at(t->reads, i)->whole;
        if (all && n == 1)
            memcpy(out->sha256, file_reads_at(t->reads, 0)->sha256, SHA256_TEXT);
        else
            hash_lines(t->reads, false, all ? out->sha256 : out->digest);
    }
    if (out->sha256[0] != '\0')
        memcpy(out->digest, out->sha256, SHA256_TEXT);
}

static void *hash_trace(void *arg)
{
    trace_identity_t *t = arg;
    for (size_t i = 0; i < file_reads_count(t->reads); i++)
        file_reads_use(t->reads, file_reads_at(t->reads, i)->path);
    (void)!file_reads_complete(t->reads, &t->err);
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
    trace_read_t read;
    if (t->running)
        pthread_join(t->thread, NULL);
    t->running = false;
    if (t->err.code != RB_OK)
        return rb_fail(err, t->err.code, "%s", t->err.text);
    trace_identity_result(t, &read);
    memcpy(text, read.sha256, SHA256_TEXT);
    return RB_OK;
}
