#include "tests/support/file_tree.h"

#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"

enum { OPEN_FOLDERS = 8, PATH_BYTES = 512 };

/* The list that add_entry() fills; nftw() cannot pass it on. */
static file_tree_t *listed;
static size_t listed_cap, listed_skip;

static int add_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    if (where->level == 0)
        return 0;
    rb_grow(&listed->path, &listed_cap, listed->n + 1, sizeof(*listed->path));
    listed->path[listed->n++] = rb_format("%s%s", path + listed_skip, type == FTW_D ? "/" : "");
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

file_tree_t file_tree_list(const char *folder)
{
    file_tree_t t = {0};

    listed = &t;
    listed_cap = 0;
    listed_skip = strlen(folder) + 1;
    nftw(folder, add_entry, OPEN_FOLDERS, FTW_PHYS);
    if (t.n > 0)
        qsort(t.path, t.n, sizeof(*t.path), by_name);
    return t;
}

void file_tree_free(file_tree_t *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->path[i]);
    free(t->path);
    *t = (file_tree_t){0};
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

int file_tree_remove(const char *folder)
{
    return nftw(folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

bool file_tree_matches(const char *path, const char *const *patterns)
{
    for (size_t i = 0; patterns != NULL && patterns[i] != NULL; i++) {
        if (fnmatch(patterns[i], path, 0) == 0)
            return true;
    }
    return false;
}

char *file_tree_sizes(const char *folder, const char *const *but)
{
    file_tree_t t = file_tree_list(folder);
    char path[PATH_BYTES];
    memory_file_t text;
    FILE *out = memory_file_open(&text);
    struct stat st;

    for (size_t i = 0; i < t.n; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, t.path[i]);
        if (!file_tree_matches(t.path[i], but) && lstat(path, &st) == 0)
            fprintf(out, "%s %lld\n", t.path[i], S_ISDIR(st.st_mode) ? 0 : (long long)st.st_size);
    }
    file_tree_free(&t);
    return memory_file_close(&text, NULL);
}

typedef struct {
    char *data;
    size_t n;
} bytes_t;

static bytes_t read_bytes(const char *folder, const char *name)
{
    char path[PATH_BYTES];
    bytes_t b = {0};
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *in = fopen(path, "r");
    if (in == NULL || fstat(fileno(in), &st) != 0)
        return b;
    b.data = rb_calloc((size_t)st.st_size + 1, 1);
    b.n = fread(b.data, 1, (size_t)st.st_size, in);
    fclose(in);
    return b;
}

/* Blanks out the parts of run.json that differ when a run is repeated. */
static void forget_host(char *json)
{
    static const char *const lines[] = {"\"host_", "\"command\""};
    char *host = strstr(json, "\n  \"host\": {"),
         *end = host != NULL ? strstr(host, "\n  }") : NULL;

    if (end != NULL)
        memset(host, ' ', (size_t)(end - host));
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        for (char *s = json; (s = strstr(s, lines[i])) != NULL;)
            memset(s, ' ', strcspn(s, "\n"));
}

/* Removes all blanks, because their number depends on the parts that were blanked out. */
static size_t squeeze(char *text)
{
    char *to = text;

    for (const char *s = text; *s != '\0'; s++) {
        if (*s != ' ')
            *to++ = *s;
    }
    *to = '\0';
    return (size_t)(to - text);
}

bool file_tree_same_file(const char *folder, const char *other, const char *path)
{
    if (path[strlen(path) - 1] == '/')
        return true;
    bytes_t a = read_bytes(folder, path), b = read_bytes(other, path);
    const char *slash = strrchr(path, '/');

    if (a.data != NULL && b.data != NULL &&
        strcmp(slash != NULL ? slash + 1 : path, "run.json") == 0) {
        forget_host(a.data);
        forget_host(b.data);
        a.n = squeeze(a.data);
        b.n = squeeze(b.data);
    }
    const bool same =
        a.data != NULL && b.data != NULL && a.n == b.n && memcmp(a.data, b.data, a.n) == 0;
    free(a.data);
    free(b.data);
    return same;
}
