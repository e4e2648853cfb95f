#include "sim/core/files/file_reads.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/fnv.h"
#include "sim/core/hash_map.h"

typedef struct {
    file_read_t file;  /* path and name are owned */
    sha256_t *partial; /* owned: hash of the first bytes; NULL if none, or if the file is whole */
} entry_t;

struct file_reads {
    entry_t *entries; /* owned, in the order of addition */
    size_t n, cap;
    hash_map_t paths;
    size_t *used; /* owned: entries in the order of their first use */
    size_t n_used, cap_used;
    size_t n_complete;    /* of used: this many from the start have known hashes */
    pthread_mutex_t lock; /* protects what passes change */
    const char *changed;  /* path of a file that differed between two passes; NULL: none */
};

struct file_reading {
    file_reads_t *reads; /* borrowed */
    entry_t *entry;      /* borrowed */
    sha256_t hash;
    bool ended; /* the end of the file was seen */
};

file_reads_t *file_reads_create(void)
{
    file_reads_t *r = rb_calloc(1, sizeof(*r));
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void file_reads_destroy(file_reads_t *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->n; i++) {
        free((char *)(uintptr_t)r->entries[i].file.path);
        free((char *)(uintptr_t)r->entries[i].file.name);
        free(r->entries[i].partial);
    }
    free(r->entries);
    hash_map_free(&r->paths);
    free(r->used);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static entry_t *find_path(const file_reads_t *r, const char *path)
{
    if (r == NULL)
        return NULL;
    for (hash_walk_t w = hash_map_walk(&r->paths, fnv_text(FNV_START, path)); hash_walk_next(&w);)
        if (strcmp(r->entries[w.number].file.path, path) == 0)
            return &r->entries[w.number];
    return NULL;
}

void file_reads_add(file_reads_t *r, const char *path, const char *name)
{
    if (find_path(r, path) != NULL)
        return;
    rb_grow(&r->entries, &r->cap, r->n + 1, sizeof(*r->entries));
    r->entries[r->n] = (entry_t){.file = {.path = rb_strdup(path), .name = rb_strdup(name)}};
    hash_map_add(&r->paths, fnv_text(FNV_START, path), (uint32_t)r->n++);
}

size_t file_reads_count(const file_reads_t *r)
{
    return r->n;
}

const file_read_t *file_reads_at(const file_reads_t *r, size_t i)
{
    return &r->entries[i].file;
}

size_t file_reads_used(const file_reads_t *r)
{
    return r->n_used;
}

const file_read_t *file_reads_used_at(const file_reads_t *r, size_t i)
{
    return &r->entries[r->used[i]].file;
}

bool file_reads_find(const file_reads_t *r, const char *name, size_t *i)
{
    /* Names are mostly looked up in order, so the search starts at *i. */
    for (size_t k = 0; k < r->n; k++) {
        size_t at = (*i + k) % r->n;
        if (strcmp(r->entries[at].file.name, name) == 0) {
            *i = at;
            return true;
        }
    }
    return false;
}

/* Sets or checks the hash of the whole file; h is consumed. */
static void set_whole(file_reads_t *r, entry_t *e, sha256_t *h)
{
    char text[SHA256_TEXT];
    sha256_final_text(h, text);
    if (e->file.whole && strcmp(e->file.sha256, text) != 0)
        r->changed = e->file.path;
    memcpy(e->file.sha256, text, sizeof(text));
    e->file.whole = true;
    free(e->partial);
    e->partial = NULL;
}

file_reading_t *file_reading_begin(file_reads_t *r, const char *path)
{
    entry_t *e = find_path(r, path);
    if (e == NULL)
        return NULL;
    file_reading_t *g = rb_calloc(1, sizeof(*g));
    *g = (file_reading_t){.reads = r, .entry = e};
    sha256_init(&g->hash);
    file_reads_use(r, path);
    return g;
}

void file_reading_take(file_reading_t *g, const void *data, size_t n)
{
    if (g == NULL || g->ended)
        return;
    g->ended = n == 0;
    sha256_update(&g->hash, data, n);
}

/* Keeps the state of a pass that stopped early, unless another pass went further. */
static void keep_partial(entry_t *e, const sha256_t *h)
{
    if (e->file.whole || (e->partial != NULL && e->partial->bytes >= h->bytes))
        return;
    if (e->partial == NULL)
        e->partial = rb_calloc(1, sizeof(*e->partial));
    *e->partial = *h;
}

void file_reading_end(file_reading_t *g)
{
    if (g == NULL)
        return;
    pthread_mutex_lock(&g->reads->lock);
    if (g->ended)
        set_whole(g->reads, g->entry, &g->hash);
    else
        keep_partial(g->entry, &g->hash);
    pthread_mutex_unlock(&g->reads->lock);
    free(g);
}

static void set_used(file_reads_t *r, entry_t *e)
{
    if (e->file.used)
        return;
    e->file.used = true;
    rb_grow(&r->used, &r->cap_used, r->n_used + 1, sizeof(*r->used));
    r->used[r->n_used++] = (size_t)(e - r->entries);
}

void file_reads_use(file_reads_t *r, const char *path)
{
    entry_t *e = find_path(r, path);
    if (e == NULL)
        return;
    pthread_mutex_lock(&r->lock);
    set_used(r, e);
    pthread_mutex_unlock(&r->lock);
}

bool file_reads_learn(file_reads_t *r, size_t i, const char *sha256)
{
    file_read_t *f = &r->entries[i].file;
    if (f->whole)
        return strcmp(f->sha256, sha256) == 0;
    snprintf(f->sha256, sizeof(f->sha256), "%s", sha256);
    f->whole = true;
    set_used(r, &r->entries[i]);
    return true;
}

/* Hashes from where the furthest pass stopped to the end of the file. */
static rb_code_t complete(file_reads_t *r, entry_t *e, rb_err_t *err)
{
    enum { CHUNK = 1 << 18 };
    sha256_t h;
    sha256_init(&h);
    if (e->partial != NULL)
        h = *e->partial;
    FILE *in = fopen(e->file.path, "re");
    if (in == NULL || fseeko(in, (off_t)h.bytes, SEEK_SET) != 0) {
        rb_code_t rc = rb_fail(err, RB_IO, "%s: %s", e->file.path, strerror(errno));
        if (in != NULL)
            fclose(in);
        return rc;
    }
    setvbuf(in, NULL, _IONBF, 0);
    char *buffer = rb_calloc(CHUNK, 1);
    for (size_t n; (n = fread(buffer, 1, CHUNK, in)) > 0;)
        sha256_update(&h, buffer, n);
    rb_code_t rc =
        ferror(in) ? rb_fail(err, RB_IO, "%s: %s", e->file.path, strerror(errno)) : RB_OK;
    free(buffer);
    fclose(in);
    if (rc == RB_OK)
        set_whole(r, e, &h);
    return rc;
}

rb_code_t file_reads_complete(file_reads_t *r, rb_err_t *err)
{
    for (; r->n_complete < r->n_used; r->n_complete++) {
        entry_t *e = &r->entries[r->used[r->n_complete]];
        if (!e->file.whole)
            RB_TRY(complete(r, e, err));
    }
    return r->changed == NULL
               ? RB_OK
               : rb_fail(err, RB_IO, "%s: changed while it was being read", r->changed);
}
