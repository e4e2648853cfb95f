#include "sim/core/files/new_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/alloc.h"

rb_code_t new_file_check(const char *path, bool replace, rb_err_t *err)
{
    struct stat name, file;

    if (lstat(path, &name) != 0)
        return RB_OK; /* if the folder is the problem, creating the file reports it */
    const bool leads = stat(path, &file) == 0; /* the link may be dangling */

    if (leads && S_ISDIR(file.st_mode))
        return rb_fail(err, RB_USAGE, "%s: is a folder; the name of a file is expected", path);
    if (leads && !S_ISREG(file.st_mode))
        return rb_fail(err, RB_USAGE,
                       "%s: is not a regular file and is not replaced; name another file", path);
    if (!replace)
        return rb_fail(err, RB_USAGE, "%s: exists already; --force replaces it", path);
    return RB_OK;
}

char *new_file_name(const char *path, bool replace, rb_err_t *err)
{
    if (new_file_check(path, replace, err) != RB_OK)
        return NULL;
    char *target = realpath(path, NULL);
    struct stat st;

    if (target != NULL && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
        return target;
    free(target);
    return rb_strdup(path);
}

void new_file_sync_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = rb_strdup(slash != NULL ? path : ".");

    if (slash != NULL)
        folder[slash - path + (slash == path)] = '\0';
    new_file_sync_folder(folder);
    free(folder);
}

void new_file_sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}
