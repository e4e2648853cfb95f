#include "sim/core/files/unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"

int unnamed_file_open(const char *dir)
{
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    static const char name[] = "/rubato-XXXXXX";
    char *path = rb_calloc(strlen(dir) + sizeof(name), 1);

    strcpy(path, dir);
    strcat(path, name);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

const char *unnamed_file_dir(const char *dir)
{
    if (dir == NULL)
        dir = getenv("TMPDIR");
    return dir != NULL && dir[0] != '\0' ? dir : "/tmp";
}

bool unnamed_file_write(int fd, const void *data, size_t n, uint64_t offset)
{
    const char *from = data;
    for (size_t at = 0; at < n;) {
        const ssize_t done = pwrite(fd, from + at, n - at, (off_t)(offset + at));
        if (done < 0 && errno != EINTR)
            return false;
        at += done > 0 ? (size_t)done : 0;
    }
    return true;
}

bool unnamed_file_read(int fd, void *data, size_t n, uint64_t offset)
{
    char *to = data;
    for (size_t at = 0; at < n;) {
        const ssize_t done = pread(fd, to + at, n - at, (off_t)(offset + at));
        if (done == 0)
            errno = EIO;
        if (done == 0 || (done < 0 && errno != EINTR))
            return false;
        at += done > 0 ? (size_t)done : 0;
    }
    return true;
}
