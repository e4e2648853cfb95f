#include "frontend/input/accelsim/text/accelsim_lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/accelsim/text/accelsim_text.h"
#include "sim/core/alloc.h"
#include "sim/core/clones.h"

enum { FIRST_BYTES = 256 << 10, LINE_BYTES_MAX = 1 << 20 };

void accelsim_lines_init(accelsim_lines_t *l, const char *path, accelsim_read_fn read, void *ctx)
{
    *l = (accelsim_lines_t){.path = path, .line = 1, .read = read, .ctx = ctx};
    l->cap = FIRST_BYTES;
    l->buf = rb_realloc(NULL, l->cap + 1 + LINES_PADDING, 1);
    l->at = l->limit = l->end = l->buf;
}

void accelsim_lines_free(accelsim_lines_t *l)
{
    free(l->buf);
    *l = (accelsim_lines_t){0};
}

/* Moves the unread rest to the front and makes room after it. */
static rb_code_t make_room(accelsim_lines_t *l, rb_err_t *err)
{
    size_t rest = (size_t)(l->end - l->at);

    if (rest >= LINE_BYTES_MAX)
        return accelsim_lines_fail(l, err, "this line is longer than 1 MiB");
    memmove(l->buf, l->at, rest);
    if (rest == l->cap) {
        l->cap *= 2;
        l->buf = rb_realloc(l->buf, l->cap + 1 + LINES_PADDING, 1);
    }
    l->at = l->limit = l->buf;
    l->end = l->buf + rest;
    return RB_OK;
}

rb_code_t accelsim_lines_more(accelsim_lines_t *l, rb_err_t *err)
{
    while (l->at == l->limit && !l->text_end) {
        size_t got;

        RB_TRY(make_room(l, err));
        RB_TRY(l->read(l->ctx, l->end, (size_t)(l->buf + l->cap - l->end), &got, err));
        if (got == 0) {
            l->text_end = true;
            if (l->end > l->at) { /* buf has one byte more than cap */
                l->added_newline = true;
                *l->end++ = '\n';
                l->limit = l->end;
            }
            break;
        }
        char *newline = memrchr(l->end, '\n', got);

        l->end += got;
        if (newline != NULL)
            l->limit = newline + 1;
    }
    return RB_OK;
}

void accelsim_lines_skip(accelsim_lines_t *l)
{
    l->at = (const char *)memchr(l->at, '\n', (size_t)(l->limit - l->at)) + 1;
    l->line++;
}

rb_code_t accelsim_lines_next(accelsim_lines_t *l, rb_err_t *err)
{
    for (;;) {
        RB_TRY(accelsim_lines_need(l, err));
        if (accelsim_lines_end(l) || !text_ends(l->at))
            return RB_OK;
        accelsim_lines_skip(l);
    }
}

/* 32 bytes at a time, whatever the compiler makes of loops. */
enum { VECTOR = 32 };
typedef uint8_t vector_t __attribute__((vector_size(VECTOR)));

/* Newlines in n vectors from p on; n is below 256, so that a byte can count them. */
RB_CLONES_V3 static uint64_t count_vectors(const char *p, unsigned n)
{
    vector_t sum = {0};
    uint64_t all = 0;

    for (unsigned i = 0; i < n; i++) {
        vector_t v;
        memcpy(&v, p + (size_t)i * VECTOR, VECTOR);
        sum -= (vector_t)(v == '\n');
    }
    for (unsigned i = 0; i < VECTOR; i++)
        all += sum[i];
    return all;
}

uint64_t accelsim_lines_count(const char *p, const char *end)
{
    enum { MOST = 255 };
    uint64_t n = 0;

    while (end - p >= VECTOR) {
        const size_t vectors = (size_t)(end - p) / VECTOR;
        const unsigned some = vectors < MOST ? (unsigned)vectors : MOST;

        n += count_vectors(p, some);
        p += (size_t)some * VECTOR;
    }
    for (; p < end; p++)
        n += *p == '\n';
    return n;
}

rb_code_t accelsim_lines_fail(const accelsim_lines_t *l, rb_err_t *err, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return rb_fail(err, RB_TRACE, "%s:%llu: %s", l->path, (unsigned long long)l->line, text);
}
