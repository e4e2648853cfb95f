/* Replaces functions that work on files by ones that fail when the plan says so. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/faults/fault_calls.h"

#define FAILS(kind, path, fd) (FAULT_HERE(kind, path, fd) != 0)

/* --- names of files -------------------------------------------------------------------------- */

static int opened(int fd, const char *path, int flags)
{
    if (fd >= 0 && (flags & (O_ACCMODE | O_DIRECTORY)) != 0)
        fault_log(CHANGE_OPEN, fd, (flags & O_TRUNC) != 0, path, NULL, NULL, 0);
    return fd;
}

static mode_t mode_of(int flags, va_list ap)
{
    return (flags & O_CREAT) != 0 ? va_arg(ap, mode_t) : 0;
}

int fault_open(const char *path, int flags, unsigned mode, const void *caller)
{
    if (fault_count(FAULT_OPEN, path, -1, caller) != 0)
        return -1;
    return opened(BEHIND(open)(path, flags, (mode_t)mode), path, flags);
}

#define OPENS(name)                                                                                \
    FAULT_EXPORT int name(const char *path, int flags, ...)                                        \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        const mode_t mode = mode_of(flags, ap);                                                    \
        va_end(ap);                                                                                \
        return fault_open(path, flags, mode, __builtin_return_address(0));                         \
    }
OPENS(open)
OPENS(open64)

FAULT_EXPORT DIR *opendir(const char *path)
{
    return FAILS(FAULT_OPEN, path, -1) ? NULL : BEHIND(opendir)(path);
}

FAULT_EXPORT int scandir(const char *path, struct dirent ***list,
                         int (*chosen)(const struct dirent *),
                         int (*order)(const struct dirent **, const struct dirent **))
{
    return FAILS(FAULT_OPEN, path, -1) ? -1 : BEHIND(scandir)(path, list, chosen, order);
}

FAULT_EXPORT int mkostemp(char *path, int flags)
{
    if (FAILS(FAULT_OPEN, path, -1))
        return -1;
    return opened(BEHIND(mkostemp)(path, flags), path, O_RDWR);
}

FAULT_EXPORT int rename(const char *from, const char *to)
{
    if (fault_count_rename(from, to, __builtin_return_address(0)) != 0)
        return -1;
    const int rc = BEHIND(rename)(from, to);
    if (rc == 0)
        fault_log(CHANGE_RENAME, -1, 0, from, to, NULL, 0);
    return rc;
}

FAULT_EXPORT int link(const char *from, const char *to)
{
    return fault_count_rename(from, to, __builtin_return_address(0)) != 0 ? -1
                                                                          : BEHIND(link)(from, to);
}

static int unlinked(int rc, const char *path)
{
    if (rc == 0)
        fault_log(CHANGE_UNLINK, -1, 0, path, NULL, NULL, 0);
    return rc;
}

FAULT_EXPORT int unlink(const char *path)
{
    return FAILS(FAULT_UNLINK, path, -1) ? -1 : unlinked(BEHIND(unlink)(path), path);
}

FAULT_EXPORT int rmdir(const char *path)
{
    return FAILS(FAULT_UNLINK, path, -1) ? -1 : unlinked(BEHIND(rmdir)(path), path);
}

FAULT_EXPORT int remove(const char *path)
{
    return FAILS(FAULT_UNLINK, path, -1) ? -1 : unlinked(BEHIND(remove)(path), path);
}

FAULT_EXPORT int mkdir(const char *path, mode_t mode)
{
    if (FAILS(FAULT_MKDIR, path, -1))
        return -1;
    const int rc = BEHIND(mkdir)(path, mode);
    if (rc == 0)
        fault_log(CHANGE_MKDIR, -1, 0, path, NULL, NULL, 0);
    return rc;
}

FAULT_EXPORT char *mkdtemp(char *path)
{
    return FAILS(FAULT_MKDIR, path, -1) ? NULL : BEHIND(mkdtemp)(path);
}

FAULT_EXPORT int mkfifo(const char *path, mode_t mode)
{
    return FAILS(FAULT_MKDIR, path, -1) ? -1 : BEHIND(mkfifo)(path, mode);
}

/* --- contents of files ----------------------------------------------------------------------- */

/* How many of n bytes to read or write; 0: the call fails. */
static size_t allowed(int fault, size_t n)
{
    return fault == 0 ? n : fault == FAULT_SHORT ? (n + 1) / 2 : 0;
}

FAULT_EXPORT ssize_t read(int fd, void *data, size_t n)
{
    const size_t most = allowed(FAULT_HERE(FAULT_READ, NULL, fd), n);
    return most == 0 && n > 0 ? -1 : BEHIND(read)(fd, data, most);
}

#define READS(name)                                                                                \
    FAULT_EXPORT ssize_t name(int fd, void *data, size_t n, off_t at)                              \
    {                                                                                              \
        const size_t most = allowed(FAULT_HERE(FAULT_READ, NULL, fd), n);                          \
        return most == 0 && n > 0 ? -1 : BEHIND(pread)(fd, data, most, at);                        \
    }
READS(pread)
READS(pread64)

FAULT_EXPORT ssize_t write(int fd, const void *data, size_t n)
{
    const size_t most = allowed(FAULT_HERE(FAULT_WRITE, NULL, fd), n);
    const off_t at = lseek(fd, 0, SEEK_CUR);
    const ssize_t done = most == 0 && n > 0 ? -1 : BEHIND(write)(fd, data, most);
    if (done > 0 && at >= 0)
        fault_log(CHANGE_WRITE, fd, (uint64_t)at, NULL, NULL, data, (size_t)done);
    return done;
}

#define WRITES(name)                                                                               \
    FAULT_EXPORT ssize_t name(int fd, const void *data, size_t n, off_t at)                        \
    {                                                                                              \
        const size_t most = allowed(FAULT_HERE(FAULT_WRITE, NULL, fd), n);                         \
        const ssize_t done = most == 0 && n > 0 ? -1 : BEHIND(pwrite)(fd, data, most, at);         \
        if (done > 0)                                                                              \
            fault_log(CHANGE_WRITE, fd, (uint64_t)at, NULL, NULL, data, (size_t)done);             \
        return done;                                                                               \
    }
WRITES(pwrite)
WRITES(pwrite64)

#define TRUNCATES(name)                                                                            \
    FAULT_EXPORT int name(int fd, off_t length)                                                    \
    {                                                                                              \
        const int rc = FAILS(FAULT_TRUNCATE, NULL, fd) ? -1 : BEHIND(ftruncate)(fd, length);       \
        if (rc == 0)                                                                               \
            fault_log(CHANGE_TRUNCATE, fd, (uint64_t)length, NULL, NULL, NULL, 0);                 \
        return rc;                                                                                 \
    }
TRUNCATES(ftruncate)
TRUNCATES(ftruncate64)

/* The original is not called: waiting for the disk would only slow the tests. */
#define SYNCS(name)                                                                                \
    FAULT_EXPORT int name(int fd)                                                                  \
    {                                                                                              \
        if (FAILS(FAULT_SYNC, NULL, fd))                                                           \
            return -1;                                                                             \
        fault_log(CHANGE_SYNC, fd, 0, NULL, NULL, NULL, 0);                                        \
        return 0;                                                                                  \
    }
SYNCS(fsync)
SYNCS(fdatasync)

/* Like Linux, closes the descriptor even if it reports a failure. */
FAULT_EXPORT int close(int fd)
{
    const bool fails = FAILS(FAULT_CLOSE, NULL, fd);
    const int error = errno;
    fault_log(CHANGE_CLOSE, fd, 0, NULL, NULL, NULL, 0);
    const int rc = BEHIND(close)(fd);
    if (fails)
        errno = error;
    return fails ? -1 : rc;
}

#define MAPS(name)                                                                                 \
    FAULT_EXPORT void *name(void *where, size_t n, int protection, int flags, int fd, off_t at)    \
    {                                                                                              \
        return FAILS(FAULT_MAP, NULL, fd) ? MAP_FAILED                                             \
                                          : BEHIND(mmap)(where, n, protection, flags, fd, at);     \
    }
MAPS(mmap)
MAPS(mmap64)
