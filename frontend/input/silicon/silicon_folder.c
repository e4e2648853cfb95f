#include "frontend/input/silicon/silicon_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/files/data_folder.h"

enum { MAX_FILE = 1 << 22 };

rb_code_t silicon_folder_find(char path[SILICON_PATH_MAX], rb_err_t *err)
{
    const char *env = getenv("RUBATO_SILICON");
    char found[DATA_FOLDERS_MAX][DATA_PATH_MAX];

    if (env != NULL && *env != '\0' && access(env, R_OK | X_OK) == 0)
        snprintf(found[0], sizeof(found[0]), "%s", env);
    else if (data_folders("share/rubato/silicon", found) == 0)
        return rb_fail(err, RB_IO,
                       "the listings of the microbenchmarks were not found; set RUBATO_SILICON to "
                       "the folder that holds them (bench/silicon of the sources)");
    memcpy(path, found[0], SILICON_PATH_MAX);
    return RB_OK;
}

rb_code_t silicon_file_visit(const char *path, silicon_file_fn visit, void *ctx, rb_err_t *err)
{
    FILE *in = fopen(path, "rb");

    if (in == NULL)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    char *text = rb_calloc(MAX_FILE, 1);
    size_t size = fread(text, 1, MAX_FILE, in);
    rb_code_t rc = ferror(in) ? rb_fail(err, RB_IO, "%s: %s", path, strerror(errno)) : RB_OK;

    if (rc == RB_OK && size == MAX_FILE)
        rc = rb_fail(err, RB_TRACE, "%s: a listing is smaller than 4 MiB", path);
    fclose(in);
    if (rc == RB_OK)
        rc = visit(ctx, path, text, size, err);
    free(text);
    return rc;
}

static int is_listing(const struct dirent *e)
{
    size_t n = strlen(e->d_name);

    return n > 4 && strcmp(e->d_name + n - 4, ".sil") == 0 && e->d_name[0] != '.';
}

/* Sorts by bytes, independent of the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

rb_code_t silicon_folder_visit(const char *folder, silicon_file_fn visit, void *ctx, rb_err_t *err)
{
    char found[SILICON_PATH_MAX];
    struct dirent **names;
    rb_code_t rc = RB_OK;

    if (folder == NULL) {
        RB_TRY(silicon_folder_find(found, err));
        folder = found;
    }
    int n = scandir(folder, &names, is_listing, by_name);

    if (n < 0)
        return rb_fail(err, RB_IO, "%s: %s", folder, strerror(errno));
    if (n == 0)
        rc = rb_fail(err, RB_TRACE, "%s: no listing (*.sil)", folder);
    for (int i = 0; i < n; i++) {
        char path[SILICON_PATH_MAX + 300];

        snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
        if (rc == RB_OK)
            rc = silicon_file_visit(path, visit, ctx, err);
        free(names[i]);
    }
    free(names);
    return rc;
}
