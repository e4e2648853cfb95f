#include "frontend/input/profile/table_reader.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum {
    BLOCK = 1 << 20,
    ROW_MAX = 1 << 26,    /* bytes per row: bounds a quote that is never closed */
    FIELDS_MAX = 1 << 16, /* Nsight Compute has a few thousand metrics */
};

void table_reader_init(table_reader_t *r, profile_input_t *in)
{
    *r = (table_reader_t){.in = in, .path = profile_input_path(in), .separator = ',', .cap = BLOCK};
    r->bytes = rb_realloc(NULL, r->cap + 1, 1);
    rb_grow(&r->fields, &r->cap_fields, 64, sizeof(*r->fields));
    size_t n;
    const char *head = profile_input_head(in, &n);
    if (n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) {
        rb_err_t none;
        if (profile_input_read(in, r->bytes, 3, &n, &none) != RB_OK)
            rb_panic("the head of a profile cannot be read again");
    }
}

void table_reader_free(table_reader_t *r)
{
    free(r->bytes);
    free(r->fields);
}

/* Moves the unread rest to the front and reads more. *grown: there are new bytes. */
static rb_code_t refill(table_reader_t *r, bool *grown, rb_err_t *err)
{
    size_t left = r->end - r->at, n = 0;
    *grown = false;
    if (r->ended)
        return RB_OK;
    memmove(r->bytes, r->bytes + r->at, left);
    r->at = 0;
    r->end = left;
    if (left > r->cap / 2) {
        if (r->cap >= ROW_MAX)
            return rb_fail(err, RB_TRACE,
                           "%s:%llu: a row of more than %d MiB: a quote is not "
                           "closed, or this is no table",
                           r->path, (unsigned long long)r->lines + 1, ROW_MAX >> 20);
        r->cap *= 2;
        r->bytes = rb_realloc(r->bytes, r->cap + 1, 1);
    }
    RB_TRY(profile_input_read(r->in, r->bytes + left, r->cap - left, &n, err));
    r->end += n;
    r->bytes[r->end] = '\n';
    r->ended = n == 0;
    *grown = n > 0;
    return RB_OK;
}

static rb_code_t row_fault(const table_reader_t *r, const char *what, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s:%llu: %s", r->path, (unsigned long long)r->lines + 1, what);
}

/* How the splitting of a row ended. */
typedef enum { ROW_WHOLE, ROW_CUT, ROW_TEXT_AFTER_QUOTE, ROW_TOO_WIDE } row_state_t;

static uint64_t count_lines(const char *s, const char *end)
{
    uint64_t n = 0;
    while ((s = memchr(s, '\n', (size_t)(end - s))) != NULL) {
        n++;
        s++;
    }
    return n;
}

/*
 * Reads a quoted field, which begins after the quote at *s; moves *s past the closing quote. False
 * if the block ends before it.
 */
static bool quoted_field(const char **s, const char *end, table_field_t *f, uint64_t *lines)
{
    const char *from = *s, *p = from;
    *f = (table_field_t){.at = from};
    for (;;) {
        p = memchr(p, '"', (size_t)(end - p));
        if (p == NULL)
            return false;
        if (p + 1 < end && p[1] == '"') {
            f->doubled = true;
            p += 2;
            continue;
        }
        f->len = (uint32_t)(p - from);
        *lines += count_lines(from, p);
        *s = p + 1;
        return true;
    }
}

/* Splits the row at r->at; *next becomes the position after it. */
static row_state_t split_row(table_reader_t *r, size_t *next, uint64_t *lines)
{
    const char *s = r->bytes + r->at, *end = r->bytes + r->end; /* *end is a line end */
    const char separator = r->separator;
    uint32_t n = 0;
    *lines = 1;
    for (;; s++) {
        if (n == r->cap_fields) {
            if (n == FIELDS_MAX)
                return ROW_TOO_WIDE;
            rb_grow(&r->fields, &r->cap_fields, n + 1, sizeof(*r->fields));
        }
        table_field_t *f = &r->fields[n++];
        if (*s == '"' && s < end) {
            s++;
            if (!quoted_field(&s, end, f, lines))
                return ROW_CUT;
            if (s == end && !r->ended)
                return ROW_CUT; /* another quote may follow in the next block */
            s += *s == '\r' && s < end;
            if (*s != separator && *s != '\n')
                return ROW_TEXT_AFTER_QUOTE;
        } else {
            const char *from = s;
            while (*s != separator && *s != '\n')
                s++;
            size_t len = (size_t)(s - from);
            len -= *s == '\n' && len > 0 && s[-1] == '\r';
            *f = (table_field_t){.at = from, .len = (uint32_t)len};
        }
        if (*s == '\n')
            break;
    }
    if (s == end && !r->ended)
        return ROW_CUT;
    r->n_fields = n;
    *next = (size_t)(s - r->bytes) + (s < end);
    return ROW_WHOLE;
}

rb_code_t table_reader_row(table_reader_t *r, bool *more, rb_err_t *err)
{
    size_t next;
    uint64_t lines;
    bool grown;
    for (;;) {
        if (r->at == r->end) {
            RB_TRY(refill(r, &grown, err));
            if (!grown) {
                *more = false;
                return RB_OK;
            }
        }
        row_state_t state = split_row(r, &next, &lines);
        if (state == ROW_WHOLE)
            break;
        if (state == ROW_TEXT_AFTER_QUOTE)
            return row_fault(r, "text follows a closing quote", err);
        if (state == ROW_TOO_WIDE)
            return row_fault(r, "a row of more than 65536 fields", err);
        bool ended = r->ended;
        RB_TRY(refill(r, &grown, err));
        if (!grown && ended)
            return row_fault(r, "a quote is not closed: the file is truncated", err);
    }
    r->at = next;
    r->line = r->lines + 1;
    r->lines += lines;
    *more = true;
    return RB_OK;
}

rb_code_t table_reader_peek_line(table_reader_t *r, const char **line, size_t *len, rb_err_t *err)
{
    bool grown = true;
    const char *end = NULL;
    while (end == NULL && grown) {
        if (r->at < r->end)
            end = memchr(r->bytes + r->at, '\n', r->end - r->at);
        if (end == NULL)
            RB_TRY(refill(r, &grown, err));
    }
    *line = r->at < r->end ? r->bytes + r->at : NULL;
    *len = end != NULL ? (size_t)(end - *line) : r->end - r->at;
    return RB_OK;
}

void table_reader_skip_line(table_reader_t *r, size_t len)
{
    r->at += len + (r->at + len < r->end);
    r->lines++;
}

size_t table_field_copy(const table_field_t *f, char *text, size_t cap)
{
    size_t n = 0;
    for (uint32_t i = 0; i < f->len && n < cap; i++) {
        text[n++] = f->at[i];
        i += f->doubled && f->at[i] == '"';
    }
    return n;
}

char *table_field_text(const table_field_t *f)
{
    char *text = rb_calloc((size_t)f->len + 1, 1);
    text[table_field_copy(f, text, f->len)] = '\0';
    return text;
}
