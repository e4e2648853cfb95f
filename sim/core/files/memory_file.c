#include "sim/core/files/memory_file.h"

#include <string.h>
#include <sys/types.h>

#include "sim/core/alloc.h"

static ssize_t append(void *cookie, const char *data, size_t n)
{
    memory_file_t *m = cookie;

    rb_grow(&m->text, &m->cap, m->n + n + 1, 1);
    memcpy(m->text + m->n, data, n);
    m->n += n;
    return (ssize_t)n;
}

/* For ftell(): the stream can only tell its end, and cannot move. */
static int tell_end(void *cookie, off_t *at, int whence)
{
    const memory_file_t *m = cookie;

    if (*at != 0 || whence == SEEK_SET)
        return -1;
    *at = (off_t)m->n;
    return 0;
}

FILE *memory_file_open(memory_file_t *m)
{
    const cookie_io_functions_t functions = {.write = append, .seek = tell_end};

    *m = (memory_file_t){0};
    m->out = fopencookie(m, "w", functions);
    if (m->out == NULL)
        rb_out_of_memory(1, sizeof(*m->out));
    return m->out;
}

char *memory_file_close(memory_file_t *m, size_t *n)
{
    fclose(m->out);
    rb_grow(&m->text, &m->cap, m->n + 1, 1);
    char *text = m->text;

    text[m->n] = '\0';
    if (n != NULL)
        *n = m->n;
    *m = (memory_file_t){0};
    return text;
}
