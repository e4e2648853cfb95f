#include "sim/core/files/text_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

rb_code_t text_lines_next(text_lines_t *l, bool *more, rb_err_t *err)
{
    int c;
    l->number++;
    l->n = 0;
    *more = false;
    rb_grow(&l->text, &l->cap, 1, 1);
    while ((c = getc_unlocked(l->in)) != EOF && c != '\n') {
        if (c == '\0')
            return rb_fail(err, RB_TRACE, "%s:%llu: contains a zero byte: this is not a text file",
                           l->path, (unsigned long long)l->number);
        if (l->n == l->max)
            return rb_fail(err, RB_TRACE, "%s:%llu: this line is longer than %zu MiB", l->path,
                           (unsigned long long)l->number, l->max >> 20);
        rb_grow(&l->text, &l->cap, l->n + 2, 1);
        l->text[l->n++] = (char)c;
    }
    if (ferror(l->in))
        return rb_fail(err, RB_IO, "%s: %s", l->path, strerror(errno));
    l->text[l->n] = '\0';
    l->cut = c == EOF;
    *more = l->n > 0 || !l->cut;
    return RB_OK;
}

void text_lines_free(text_lines_t *l)
{
    free(l->text);
    l->text = NULL;
    l->cap = 0;
}
