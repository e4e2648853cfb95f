#include "sim/conf/conf_text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/conf/conf_scan.h"
#include "sim/core/alloc.h"

rb_code_t conf_text_read(const char *path, struct stat *st, char **text, size_t *n, rb_err_t *err)
{
    // O_NONBLOCK: a pipe without a writer must not hang the program.
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return rb_fail(err, RB_IO, "%.500s: %s", path, strerror(errno));
    if (fstat(fd, st) != 0 || !S_ISREG(st->st_mode)) {
        close(fd);
        return rb_fail(err, RB_CONFIG, "%.500s: not a regular file", path);
    }

    size_t room = CONF_MAX_BYTES + 1;
    char *buffer = rb_calloc(room + 2, 1);
    size_t got = 0;
    ssize_t r = 0;
    do {
        r = read(fd, buffer + got, room - got);
        got += r > 0 ? (size_t)r : 0;
    } while (got < room && (r > 0 || (r < 0 && errno == EINTR)));
    int saved = errno;
    close(fd);
    if (r < 0 || got > CONF_MAX_BYTES) {
        free(buffer);
        if (r < 0)
            return rb_fail(err, RB_IO, "%.500s: %s", path, strerror(saved));
        return rb_fail(err, RB_CONFIG, "%.500s: larger than %d bytes: this is not a configuration",
                       path, CONF_MAX_BYTES);
    }
    // libconfig 1.5 reports an error for a comment on a last line without line end.
    buffer[got++] = '\n';
    *text = buffer;
    *n = got;
    return RB_OK;
}

rb_code_t conf_text_check(const char *name, const char *text, size_t n, rb_err_t *err)
{
    int line;
    char why[256];
    if (!conf_scan(text, n, &line, why, sizeof(why)))
        return rb_fail(err, RB_CONFIG, "%.500s:%d: %s", name, line, why);
    return RB_OK;
}

int conf_text_error_line(const char *text, int line)
{
    int at = 1, last = 1;
    for (; *text != '\0'; text++) {
        if (!isspace((unsigned char)*text))
            last = at;
        at += *text == '\n';
    }
    return line < last ? line : last;
}
