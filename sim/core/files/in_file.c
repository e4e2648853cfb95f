#include "sim/core/files/in_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a pipe has, or has had, a writer. poll() cannot tell a pipe without a writer from one
 * whose writer has written nothing yet; tee() can, and takes nothing out of the pipe. */
static bool has_writer(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int copy[2];
    if (poll(&p, 1, 0) != 0 || pipe2(copy, O_CLOEXEC) != 0)
        return true;
    ssize_t n = tee(fd, copy[1], 1, SPLICE_F_NONBLOCK);
    close(copy[0]);
    close(copy[1]);
    return n != 0;
}

static bool await_writer(int fd)
{
    enum { TRIES = 100, STEP_MS = 10 };
    for (int i = 0; i < TRIES; i++) {
        if (has_writer(fd))
            return true;
        (void)poll(NULL, 0, STEP_MS);
    }
    return false;
}

/* What is wrong with a file of that kind; NULL if nothing is. */
static const char *unfit(int fd, mode_t mode, bool pipes)
{
    if (S_ISDIR(mode))
        return "is a directory, not a file";
    if (S_ISFIFO(mode) && pipes)
        return await_writer(fd) ? NULL : "is a pipe that nobody writes to";
    return S_ISREG(mode) ? NULL : "is a pipe or device, not a file";
}

static int open_fit(const char *path, bool pipes, rb_err_t *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *why = NULL;
    if (fd < 0 || fstat(fd, &st) != 0)
        why = strerror(errno);
    else
        why = unfit(fd, st.st_mode, pipes);
    if (why == NULL) {
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        return fd;
    }
    rb_fail(err, RB_IO, "%s: %s", path, why);
    if (fd >= 0)
        close(fd);
    return -1;
}

int in_file_descriptor(const char *path, rb_err_t *err)
{
    return open_fit(path, true, err);
}

int in_file_regular(const char *path, rb_err_t *err)
{
    return open_fit(path, false, err);
}

ssize_t in_file_read(int fd, void *data, size_t n, uint64_t offset)
{
    size_t got = 0;
    while (got < n) {
        ssize_t done = pread(fd, (char *)data + got, n - got, (off_t)(offset + got));
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        if (done == 0)
            break;
        got += (size_t)done;
    }
    return (ssize_t)got;
}

FILE *in_file_open(const char *path, rb_err_t *err)
{
    int fd = in_file_descriptor(path, err);
    FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && in == NULL) {
        rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
        close(fd);
    }
    return in;
}

bool in_file_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}
