/* Lists and loads the GPU configurations in the config folders. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/conf/conf_internal.h"
#include "sim/conf/gpu_family.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

typedef struct {
    char **name; /* owned, sorted, without ".cfg" */
    size_t n, cap;
} names_t;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_names(names_t *names, const char *folder)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n <= 4 || strcmp(e->d_name + n - 4, ".cfg") || e->d_name[0] == '.')
            continue;
        rb_grow(&names->name, &names->cap, names->n + 1, sizeof(*names->name));
        names->name[names->n] = rb_strdup(e->d_name);
        names->name[names->n++][n - 4] = '\0';
    }
    closedir(d);
}

/* The config of a GPU sets gpu.name; a file that several GPUs inherit does not. */
static bool names_a_gpu(const char *path)
{
    conf_t *c = conf_create();
    bool found = false;
    if (conf_load_file(c, path, NULL) == RB_OK)
        for (size_t i = 0; i < c->n_entries && !found; i++)
            found = !strcmp(c->entry[i].group, "gpu") && !strcmp(c->entry[i].key, "name");
    conf_destroy(c);
    return found;
}

void conf_visit_gpus(void (*visit)(void *ctx, const char *name, const char *path), void *ctx)
{
    char folder[CONF_FOLDERS_MAX][CONF_PATH_MAX];
    size_t n = conf_folders(folder);
    names_t names = {0};
    for (size_t i = 0; i < n; i++)
        add_names(&names, folder[i]);
    if (names.n)
        qsort(names.name, names.n, sizeof(*names.name), by_name);
    for (size_t i = 0; i < names.n; i++) {
        char file[300], path[CONF_PATH_MAX];
        snprintf(file, sizeof(file), "%s.cfg", names.name[i]);
        bool again = i > 0 && !strcmp(names.name[i], names.name[i - 1]);
        if (!again && conf_find(file, path) && names_a_gpu(path))
            visit(ctx, names.name[i], path);
    }
    for (size_t i = 0; i < names.n; i++)
        free(names.name[i]);
    free(names.name);
}

typedef struct {
    suggest_t near;
    char best[64];
    char list[512];
} known_gpus_t;

static void list_gpu(void *ctx, const char *name, const char *path)
{
    known_gpus_t *known = ctx;
    (void)path;
    size_t distance = known->near.distance, n = strlen(known->list);
    suggest_offer(&known->near, name);
    if (known->near.distance < distance)
        snprintf(known->best, sizeof(known->best), "%s", name);
    snprintf(known->list + n, sizeof(known->list) - n, "%s%s", n ? ", " : "", name);
}

rb_code_t conf_load_gpu(conf_t *c, const char *name, rb_err_t *err)
{
    size_t n = strlen(name);
    if (strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".cfg") && access(name, F_OK) == 0))
        return conf_load_file(c, name, err);
    char file[300], path[CONF_PATH_MAX];
    bool suffix = n > 4 && !strcmp(name + n - 4, ".cfg");
    if (n && n < 256) {
        snprintf(file, sizeof(file), "%s%s", name, suffix ? "" : ".cfg");
        if (conf_find(file, path))
            return conf_load_file(c, path, err);
    }
    if (suffix)
        return rb_fail(err, RB_IO, "%s: %s", name, strerror(ENOENT));
    known_gpus_t known = {0};
    suggest_begin(&known.near, name);
    conf_visit_gpus(list_gpu, &known);
    if (!known.list[0])
        return rb_fail(err, RB_IO,
                       "no GPU configurations found; set RUBATO_CONFIGS to the folder with "
                       "v100.cfg");
    const char *family = gpu_family_not_modelled(name);
    if (family && strcmp(family, "Ampere") == 0)
        return rb_fail(err, RB_USAGE,
                       "unknown GPU '%.60s': of Ampere, only some GPUs are modelled. Known: %s",
                       name, known.list);
    if (family)
        return rb_fail(
            err, RB_USAGE,
            "unknown GPU '%.60s': %s is not modelled, only Volta, Turing, Ampere and the "
            "H200. Known: %s",
            name, family, known.list);
    if (known.best[0])
        return rb_fail(err, RB_USAGE, "unknown GPU '%.60s'; did you mean '%s'? Known: %s", name,
                       known.best, known.list);
    return rb_fail(err, RB_USAGE, "unknown GPU '%.60s'; known: %s", name, known.list);
}
