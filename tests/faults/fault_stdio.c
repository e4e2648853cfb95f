/*
 * Makes the calls of streams fail. The C library's own streams call read(), write() and close()
 * internally, where they cannot be replaced. So fopen() and fdopen() return streams with functions
 * of our own (fopencookie), which call the replacements.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/faults/fault_calls.h"

enum { STREAMS = 256 };
static struct {
    FILE *stream; /* NULL: free */
    int fd;
} streams[STREAMS];

static void remember(FILE *stream, int fd)
{
    for (int i = 0; i < STREAMS; i++) {
        FILE *none = NULL;
        if (__atomic_compare_exchange_n(&streams[i].stream, &none, stream, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            streams[i].fd = fd;
            return;
        }
    }
}

static void forget(int fd)
{
    for (int i = 0; i < STREAMS; i++) {
        if (streams[i].stream != NULL && streams[i].fd == fd)
            streams[i].stream = NULL;
    }
}

FAULT_EXPORT int fileno(FILE *stream)
{
    for (int i = 0; i < STREAMS; i++) {
        if (stream != NULL && streams[i].stream == stream)
            return streams[i].fd;
    }
    return BEHIND(fileno)(stream);
}

static int descriptor(void *cookie)
{
    return (int)(intptr_t)cookie;
}

static ssize_t read_some(void *cookie, char *data, size_t n)
{
    return read(descriptor(cookie), data, n);
}

/* Returns less than n after an error, as fopencookie() wants; never -1. */
static ssize_t write_all(void *cookie, const char *data, size_t n)
{
    size_t at = 0;

    while (at < n) {
        const ssize_t done = write(descriptor(cookie), data + at, n - at);
        if (done <= 0)
            break;
        at += (size_t)done;
    }
    return (ssize_t)at;
}

static int seek_to(void *cookie, off_t *at, int whence)
{
    const off_t now = lseek(descriptor(cookie), *at, whence);

    if (now < 0)
        return -1;
    *at = now;
    return 0;
}

static int close_it(void *cookie)
{
    forget(descriptor(cookie));
    return close(descriptor(cookie));
}

FAULT_EXPORT FILE *fdopen(int fd, const char *mode)
{
    const cookie_io_functions_t functions = {
        .read = read_some, .write = write_all, .seek = seek_to, .close = close_it};
    char plain[4] = {mode[0], strchr(mode, '+') != NULL ? '+' : '\0'};
    FILE *stream = fopencookie((void *)(intptr_t)fd, plain, functions);

    if (stream != NULL)
        remember(stream, fd);
    return stream;
}

static int flags_of(const char *mode)
{
    int flags = strchr(mode, '+') != NULL ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;

    flags |= mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
    flags |= strchr(mode, 'e') != NULL ? O_CLOEXEC : 0;
    return flags | (strchr(mode, 'x') != NULL ? O_EXCL : 0);
}

static FILE *open_stream(const char *path, const char *mode, const void *caller)
{
    const int fd = fault_open(path, flags_of(mode), 0666, caller);
    FILE *stream = fd >= 0 ? fdopen(fd, mode) : NULL;

    if (fd >= 0 && stream == NULL) {
        const int reason = errno;
        close(fd);
        errno = reason;
    }
    return stream;
}

FAULT_EXPORT FILE *fopen(const char *path, const char *mode)
{
    return open_stream(path, mode, __builtin_return_address(0));
}

FAULT_EXPORT FILE *fopen64(const char *path, const char *mode)
{
    return open_stream(path, mode, __builtin_return_address(0));
}

/* Standard error is not replaced: messages must arrive. */
__attribute__((constructor)) static void take_standard_output(void)
{
    FILE *stream = fdopen(STDOUT_FILENO, "w");

    if (stream != NULL)
        stdout = stream;
}
