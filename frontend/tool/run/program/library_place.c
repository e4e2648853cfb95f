#include "frontend/tool/run/program/library_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/files/temporary.h"
#include "sim/core/log.h"

/* What names of scratch folders begin with. */
static const char scratch_name[] = ".building-";

static rb_code_t make_folders(const char *path, rb_err_t *err)
{
    char part[PATH_MAX];

    for (size_t i = 1; i <= strlen(path) && i < sizeof(part); i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        snprintf(part, sizeof(part), "%.*s", (int)i, path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return rb_fail(err, RB_IO, "%s: %s", part, strerror(errno));
    }
    return RB_OK;
}

/* Removes a folder of files. */
static void remove_files(const char *path)
{
    DIR *dir = opendir(path);

    for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(dir), e->d_name, 0);
    if (dir != NULL)
        closedir(dir);
    rmdir(path);
}

/* Removes what processes left that were killed. The folder is locked, so none of them runs. */
static void remove_leftovers(const char *folder)
{
    DIR *dir = opendir(folder);

    for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        if (strncmp(e->d_name, scratch_name, strlen(scratch_name)) != 0)
            continue;
        char *path = rb_format("%s/%s", folder, e->d_name);
        remove_files(path);
        free(path);
    }
    if (dir != NULL)
        closedir(dir);
}

rb_code_t library_place_open(library_place_t *p, const char *folder, rb_err_t *err)
{
    *p = (library_place_t){.fd = -1};
    RB_TRY(make_folders(folder, err));
    /* The compiler inherits it: if only this process is killed, the lock stays until that ends. */
    p->fd = open(folder, O_RDONLY | O_DIRECTORY); /* NOLINT(android-cloexec-open) */
    if (p->fd < 0)
        return rb_fail(err, RB_IO, "%s: %s", folder, strerror(errno));
    int failed = flock(p->fd, LOCK_EX | LOCK_NB);
    if (failed != 0 && errno == EWOULDBLOCK) {
        rb_info("%s: another process builds libraries there: waiting for it", folder);
        do
            failed = flock(p->fd, LOCK_EX);
        while (failed != 0 && errno == EINTR);
    }
    if (failed == 0) /* some file systems cannot lock; names of scratch folders differ there, too */
        remove_leftovers(folder);
    return RB_OK;
}

rb_code_t library_place_scratch(library_place_t *p, const char *folder, rb_err_t *err)
{
    if (p->scratch != NULL)
        return RB_OK;
    char *path = rb_format("%s/%sXXXXXX", folder, scratch_name);
    if (mkdtemp(path) == NULL) {
        rb_fail(err, RB_IO, "%s: %s", folder, strerror(errno));
        free(path);
        return err->code;
    }
    p->scratch = path;
    temporary_add(path);
    return RB_OK;
}

void library_place_close(library_place_t *p)
{
    if (p->scratch != NULL) {
        remove_files(p->scratch);
        temporary_drop(p->scratch);
        free(p->scratch);
    }
    if (p->fd >= 0)
        close(p->fd);
    *p = (library_place_t){.fd = -1};
}
