#include "frontend/tool/library/trace_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/archive/trace_archive.h"
#include "frontend/tool/library/open_trace.h"
#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"
#include "sim/core/log.h"

enum { DEPTH_MAX = 16 };

/* A folder that is being searched. */
typedef struct level {
    const struct level *above; /* NULL: the first */
    int depth;
    dev_t device;
    ino_t inode;
} level_t;

typedef struct {
    trace_tree_t *tree;
    const char *prefix, *except;
    size_t root; /* length of the folder's path and a slash, which names do not have */
} search_t;

static const char native_ending[] = ".rbt";

/* Length of the path of a native file without its ending; 0: it has another one. */
static size_t native_stem(const char *path)
{
    const size_t n = strlen(path), e = strlen(native_ending);
    return n > e && strcmp(path + n - e, native_ending) == 0 ? n - e : 0;
}

/* Removes a last component "/traces" or "traces". */
static void drop_last(char *name, const char *part)
{
    const size_t n = strlen(name), p = strlen(part);
    if (n < p || strcmp(name + n - p, part) != 0)
        return;
    if (n == p)
        name[0] = '\0';
    else if (name[n - p - 1] == '/')
        name[n - p - 1] = '\0';
}

char *trace_tree_name(const char *prefix, const char *path)
{
    const size_t n = strlen(prefix);
    char *inner = rb_strdup(path);
    inner[strlen(inner) - (native_stem(path) > 0 ? strlen(native_ending) : 0)] = '\0';
    drop_last(inner, "traces");
    drop_last(inner, "NO_ARGS");
    /* A single trace at the top has the name of the tree. */
    char *name = inner[0] != '\0' ? rb_format("%s%s", prefix, inner)
                 : n > 0          ? rb_format("%.*s", (int)n - 1, prefix)
                                  : rb_strdup("traces");
    free(inner);
    return name;
}

/* stem: length of the path without the ending of an archive. */
static void add(search_t *s, const char *path, size_t stem, bool archive)
{
    trace_tree_t *t = s->tree;
    char *inner = rb_format("%.*s", stem > s->root ? (int)(stem - s->root) : 0,
                            path + (stem > s->root ? s->root : 0));
    rb_grow(&t->items, &t->cap, t->n + 1, sizeof(*t->items));
    t->items[t->n++] = (trace_tree_item_t){
        .path = rb_strdup(path), .name = trace_tree_name(s->prefix, inner), .archive = archive};
    free(inner);
}

static rb_code_t search(search_t *s, const char *folder, const level_t *level, rb_err_t *err);

/* Whether a link leads back to a folder that is being searched. */
static bool is_circle(const struct stat *st, const level_t *level)
{
    while (level != NULL && (level->inode != st->st_ino || level->device != st->st_dev))
        level = level->above;
    return level != NULL;
}

static bool is_study(const char *folder)
{
    char *jobs = rb_format("%s/jobs.tsv", folder);
    const bool found = access(jobs, F_OK) == 0;
    free(jobs);
    return found;
}

static bool is_excepted(const search_t *s, const struct stat *st)
{
    struct stat except;
    return s->except != NULL && stat(s->except, &except) == 0 && except.st_ino == st->st_ino &&
           except.st_dev == st->st_dev;
}

/* Searches a folder that is no trace, below level. */
static rb_code_t search_below(search_t *s, const char *folder, const struct stat *st,
                              const level_t *level, rb_err_t *err)
{
    const level_t own = {level, level->depth + 1, st->st_dev, st->st_ino};
    if (is_circle(st, level) || is_excepted(s, st) || is_study(folder))
        return RB_OK;
    if (own.depth < DEPTH_MAX)
        return search(s, folder, &own, err);
    rb_warn("%s is not searched for traces: it is %d folders deep", folder, DEPTH_MAX);
    return RB_OK;
}

static rb_code_t look_at(search_t *s, const char *path, const level_t *level, rb_err_t *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return RB_OK; /* a link to nowhere */
    if (S_ISDIR(st.st_mode)) {
        if (!open_trace_detect(path))
            return search_below(s, path, &st, level, err);
        add(s, path, strlen(path), false);
    } else if (S_ISREG(st.st_mode) && native_stem(path) > 0) {
        add(s, path, strlen(path), false);
    } else if (S_ISREG(st.st_mode) && trace_archive_stem(path) > 0) {
        add(s, path, trace_archive_stem(path), true);
    }
    return RB_OK;
}

static rb_code_t search(search_t *s, const char *folder, const level_t *level, rb_err_t *err)
{
    DIR *dir = opendir(folder);
    rb_code_t rc = RB_OK;
    if (dir == NULL)
        return rb_fail(err, RB_IO, "%s: %s", folder, strerror(errno));
    for (struct dirent *d; rc == RB_OK && (d = readdir(dir)) != NULL;) {
        if (d->d_name[0] == '.')
            continue;
        char *path = rb_format("%s/%s", folder, d->d_name);
        rc = look_at(s, path, level, err);
        free(path);
    }
    closedir(dir);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    const trace_tree_item_t *x = a, *y = b;
    const int c = strverscmp(x->name, y->name);
    return c != 0 ? c : strcmp(x->path, y->path);
}

bool trace_tree_detect(const char *path)
{
    return in_file_is_folder(path) && !open_trace_detect(path);
}

static rb_code_t search_root(search_t *s, const char *root, rb_err_t *err)
{
    struct stat st;
    if (stat(root, &st) != 0)
        return rb_fail(err, RB_IO, "%s: %s", root, strerror(errno));
    const level_t level = {NULL, 0, st.st_dev, st.st_ino};
    return search(s, root, &level, err);
}

rb_code_t trace_tree_find(trace_tree_t *t, const char *folder, const char *prefix,
                          const char *except, rb_err_t *err)
{
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
        n--;
    char *root = rb_format("%.*s", (int)n, folder);
    search_t s = {.tree = t, .prefix = prefix, .except = except, .root = n + 1};
    const size_t before = t->n;
    rb_code_t rc = RB_OK;
    if (open_trace_detect(root))
        add(&s, root, n, false);
    else
        rc = search_root(&s, root, err);
    free(root);
    if (t->n > before)
        qsort(t->items + before, t->n - before, sizeof(*t->items), by_name);
    return rc;
}

void trace_tree_free(trace_tree_t *t)
{
    for (size_t i = 0; i < t->n; i++) {
        free(t->items[i].path);
        free(t->items[i].name);
    }
    free(t->items);
    *t = (trace_tree_t){0};
}

bool trace_tree_match(const char *name, const char *const *patterns, size_t n)
{
    bool wanted = true, found = false;
    for (size_t i = 0; i < n; i++) {
        const bool out = patterns[i][0] == '!';
        const char *pattern = patterns[i] + out;
        const bool match = fnmatch(pattern, name, 0) == 0 || strstr(name, pattern) != NULL;
        if (out && match)
            return false;
        if (!out) {
            wanted = false;
            found = found || match;
        }
    }
    return wanted || found;
}
