#include "tests/support/tool/disk_model.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/core/alloc.h"
#include "sim/core/err.h"
#include "sim/core/fnv.h"
#include "tests/faults/fault_log.h"
#include "tests/support/file_tree.h"
#include "tests/support/tool/cli_child.h"

enum { NAME_BYTES = 256, FDS = 1024, NOT_HERE = -1, THE_FOLDER = -2 };

/* Of the log. */
typedef struct {
    change_head_t head;
    char path[NAME_BYTES], second[NAME_BYTES]; /* names in the folder; "": not in it */
    bool folder;                               /* path is the folder itself */
    const char *data;                          /* in the log */
} change_t;

/* Bytes of a file: n of them at an offset, or, with data NULL, its new length. */
typedef struct {
    uint64_t at;
    const char *data;
    size_t n;
} piece_t;

typedef struct {
    piece_t *piece; /* owned */
    size_t n, cap, synced;
} file_t;

/* A name: given to a file, to a file that had `from`, or to none. */
typedef struct {
    char name[NAME_BYTES], from[NAME_BYTES];
    int file; /* NOT_HERE: none */
} naming_t;

typedef struct {
    char name[NAME_BYTES];
    int file;
} entry_t;

typedef struct {
    entry_t *entry; /* owned */
    size_t n, cap;
} names_t;

struct disk {
    const char *folder;
    char *log; /* owned */
    change_t *change;
    size_t n_changes, cap_changes;
    /* After some of the changes: */
    file_t *file;
    size_t n_files, cap_files;
    naming_t *naming;
    size_t n_namings, cap_namings, synced_namings;
    names_t now;
    int fd[FDS];
    /* States that were visited. */
    uint64_t *seen;
    size_t n_seen, cap_seen;
};

/* --- the log --------------------------------------------------------------------------------- */

/* The name of a file directly in the folder; "" otherwise. */
static bool name_in(const disk_t *d, const char *path, uint32_t n, char name[NAME_BYTES])
{
    const size_t m = strlen(d->folder);

    name[0] = '\0';
    if (n == m && memcmp(path, d->folder, m) == 0)
        return true;
    if (n > m + 1 && n - m < NAME_BYTES && memcmp(path, d->folder, m) == 0 && path[m] == '/' &&
        memchr(path + m + 1, '/', n - m - 1) == NULL)
        snprintf(name, NAME_BYTES, "%.*s", (int)(n - m - 1), path + m + 1);
    return false;
}

disk_t *disk_read(const char *log, const char *folder)
{
    disk_t *d = rb_calloc(1, sizeof(*d));
    struct stat st;

    d->folder = folder;
    d->log = cli_read(log);
    RB_INVARIANT(d->log != NULL && stat(log, &st) == 0, "%s: no log", log);
    const char *p = d->log, *end = p + st.st_size;
    while (p < end) {
        change_t c = {0};
        memcpy(&c.head, p, sizeof(c.head));
        p += sizeof(c.head);
        c.folder = name_in(d, p, c.head.path, c.path);
        p += c.head.path;
        (void)name_in(d, p, c.head.second, c.second);
        p += c.head.second;
        c.data = p;
        p += c.head.data;
        rb_grow(&d->change, &d->cap_changes, d->n_changes + 1, sizeof(c));
        d->change[d->n_changes++] = c;
    }
    RB_INVARIANT(p == end, "%s: damaged", log);
    return d;
}

/* --- the names ------------------------------------------------------------------------------- */

static entry_t *find(names_t *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->entry[i].name, name) == 0)
            return &names->entry[i];
    return NULL;
}

static void drop(names_t *names, const char *name)
{
    entry_t *e = find(names, name);

    if (e != NULL)
        *e = names->entry[--names->n];
}

static void apply(names_t *names, const naming_t *g)
{
    entry_t *from = g->from[0] != '\0' ? find(names, g->from) : NULL;
    const int file = from != NULL ? from->file : g->file;

    if (g->from[0] != '\0')
        drop(names, g->from);
    drop(names, g->name);
    if (file == NOT_HERE)
        return;
    rb_grow(&names->entry, &names->cap, names->n + 1, sizeof(*names->entry));
    entry_t *e = &names->entry[names->n++];
    memcpy(e->name, g->name, NAME_BYTES);
    e->file = file;
}

static void add_naming(disk_t *d, const char *name, const char *from, int file)
{
    naming_t g = {.file = file};

    snprintf(g.name, sizeof(g.name), "%s", name);
    snprintf(g.from, sizeof(g.from), "%s", from);
    apply(&d->now, &g);
    rb_grow(&d->naming, &d->cap_namings, d->n_namings + 1, sizeof(g));
    d->naming[d->n_namings++] = g;
}

/* --- the changes ----------------------------------------------------------------------------- */

static void add_piece(disk_t *d, int file, piece_t piece)
{
    file_t *f = &d->file[file];

    rb_grow(&f->piece, &f->cap, f->n + 1, sizeof(piece));
    f->piece[f->n++] = piece;
}

static int open_file(disk_t *d, const change_t *c)
{
    if (c->folder)
        return THE_FOLDER;
    if (c->path[0] == '\0')
        return NOT_HERE;
    const entry_t *e = find(&d->now, c->path);
    if (e != NULL) {
        if (c->head.at != 0)
            add_piece(d, e->file, (piece_t){0});
        return e->file;
    }
    rb_grow(&d->file, &d->cap_files, d->n_files + 1, sizeof(*d->file));
    d->file[d->n_files] = (file_t){0};
    add_naming(d, c->path, "", (int)d->n_files);
    return (int)d->n_files++;
}

static void sync_file(disk_t *d, int file)
{
    if (file == THE_FOLDER)
        d->synced_namings = d->n_namings;
    else if (file != NOT_HERE)
        d->file[file].synced = d->file[file].n;
}

/* Returns the file that got bytes, or NOT_HERE. */
static int take_change(disk_t *d, const change_t *c)
{
    const int file = c->head.fd >= 0 ? d->fd[c->head.fd] : NOT_HERE;

    switch (c->head.kind) {
    case CHANGE_OPEN:
        d->fd[c->head.fd] = open_file(d, c);
        break;
    case CHANGE_CLOSE:
        d->fd[c->head.fd] = NOT_HERE;
        break;
    case CHANGE_WRITE:
        if (file >= 0)
            add_piece(d, file, (piece_t){c->head.at, c->data, c->head.data});
        return file;
    case CHANGE_TRUNCATE:
        if (file >= 0)
            add_piece(d, file, (piece_t){.at = c->head.at});
        return file;
    case CHANGE_SYNC:
        sync_file(d, file);
        break;
    case CHANGE_RENAME:
        if (c->path[0] != '\0')
            add_naming(d, c->second, c->path, NOT_HERE);
        break;
    case CHANGE_UNLINK:
        if (c->path[0] != '\0')
            add_naming(d, c->path, "", NOT_HERE);
        break;
    default:
        break;
    }
    return NOT_HERE;
}

/* --- states ---------------------------------------------------------------------------------- */

/* What is kept: the first namings; of the file `chosen` the first pieces and, of the last of these,
 * the first bytes; of others everything, or only what was synced. */
typedef struct {
    size_t namings, pieces, bytes;
    int chosen;
    bool others;
} kept_t;

/* The bytes of a file; owned by the caller. */
static char *content(const disk_t *d, int file, const kept_t *k, size_t *n)
{
    const file_t *f = &d->file[file];
    size_t pieces = file == k->chosen ? k->pieces : k->others ? f->n : f->synced, cap = 0;
    char *text = NULL;

    *n = 0;
    rb_grow(&text, &cap, 1, 1);
    for (size_t i = 0; i < pieces; i++) {
        const piece_t *p = &f->piece[i];
        const bool last = file == k->chosen && i + 1 == pieces;
        const size_t m = last && p->n > k->bytes ? k->bytes : p->n, end = p->at + m;
        rb_grow(&text, &cap, end + 1, 1);
        if (end > *n)
            memset(text + *n, 0, end - *n);
        if (m > 0)
            memcpy(text + p->at, p->data, m);
        *n = p->data == NULL || end > *n ? end : *n;
    }
    return text;
}

static bool is_new(disk_t *d, uint64_t hash)
{
    for (size_t i = 0; i < d->n_seen; i++)
        if (d->seen[i] == hash)
            return false;
    rb_grow(&d->seen, &d->cap_seen, d->n_seen + 1, sizeof(hash));
    d->seen[d->n_seen++] = hash;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const entry_t *)a)->name, ((const entry_t *)b)->name);
}

static void fill(const disk_t *d, const names_t *names, const kept_t *k)
{
    char path[2 * NAME_BYTES];
    size_t n;

    (void)file_tree_remove(d->folder);
    RB_INVARIANT(mkdir(d->folder, 0777) == 0, "%s", d->folder);
    for (size_t i = 0; i < names->n; i++) {
        char *text = content(d, names->entry[i].file, k, &n);
        snprintf(path, sizeof(path), "%s/%s", d->folder, names->entry[i].name);
        cli_write(path, text, n);
        free(text);
    }
}

static uint64_t hash_of(const disk_t *d, const names_t *names, const kept_t *k)
{
    uint64_t hash = FNV_START;
    size_t n;

    for (size_t i = 0; i < names->n; i++) {
        char *text = content(d, names->entry[i].file, k, &n);
        hash = fnv_bytes(fnv_text(hash, names->entry[i].name), text, n);
        free(text);
    }
    return hash;
}

static void try_state(disk_t *d, const kept_t *k, void (*visit)(void *ctx), void *ctx)
{
    names_t names = {0};

    for (size_t i = 0; i < k->namings; i++)
        apply(&names, &d->naming[i]);
    if (names.n > 0)
        qsort(names.entry, names.n, sizeof(*names.entry), by_name);
    if (is_new(d, hash_of(d, &names, k))) {
        fill(d, &names, k);
        visit(ctx);
    }
    free(names.entry);
}

/* The states after a change, which gave bytes to the file `chosen`. */
static void states_of(disk_t *d, int chosen, void (*visit)(void *ctx), void *ctx)
{
    for (size_t namings = d->synced_namings; namings <= d->n_namings; namings++) {
        for (int others = 0; others <= 1; others++) {
            kept_t k = {
                .namings = namings, .chosen = chosen, .others = others != 0, .bytes = SIZE_MAX};
            try_state(d, &(kept_t){.namings = namings, .chosen = NOT_HERE, .others = k.others},
                      visit, ctx);
            if (chosen < 0)
                continue;
            const file_t *f = &d->file[chosen];
            for (k.pieces = f->synced; k.pieces <= f->n; k.pieces++)
                try_state(d, &k, visit, ctx);
            k.pieces = f->n;
            const size_t n = f->piece[f->n - 1].n, cuts[] = {0, 1, 7, 20, n / 2, n - 1};
            for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
                k.bytes = cuts[i] < n ? cuts[i] : n;
                try_state(d, &k, visit, ctx);
            }
        }
    }
}

static void forget(disk_t *d)
{
    for (size_t i = 0; i < d->n_files; i++)
        free(d->file[i].piece);
    d->n_files = d->n_namings = d->synced_namings = d->now.n = 0;
    for (size_t i = 0; i < FDS; i++)
        d->fd[i] = NOT_HERE;
}

void disk_every_state(disk_t *d, void (*visit)(void *ctx), void *ctx)
{
    forget(d);
    for (size_t i = 0; i < d->n_changes; i++)
        states_of(d, take_change(d, &d->change[i]), visit, ctx);
    forget(d);
}

void disk_free(disk_t *d)
{
    free(d->log);
    free(d->change);
    free(d->file);
    free(d->naming);
    free(d->now.entry);
    free(d->seen);
    free(d);
}
