#include "tests/support/edits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { EDITS_MAX = 256, HEX_MAX = 256 };

void damaged_add(damaged_t *d, const void *bytes, size_t n)
{
    rb_grow(&d->part, &d->cap_parts, d->n_parts + 1, sizeof(*d->part));
    d->part[d->n_parts++] = d->n;
    rb_grow(&d->bytes, &d->cap, d->n + n + 1, 1);
    memcpy(d->bytes + d->n, bytes, n);
    d->n += n;
}

void damaged_free(damaged_t *d)
{
    free(d->bytes);
    free(d->part);
    *d = (damaged_t){0};
}

/* A line that is read. */
typedef struct {
    const char *at, *end;
} cursor_t;

static char take(cursor_t *c)
{
    while (c->at < c->end && *c->at == ' ')
        c->at++;
    return c->at < c->end ? *c->at++ : '\n';
}

static size_t number(cursor_t *c)
{
    size_t v = 0;

    while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        v = v * 10 + (size_t)(*c->at++ - '0');
    return v;
}

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(tolower((unsigned char)c) - 'a') + 10;
}

static size_t hex(cursor_t *c, uint8_t bytes[HEX_MAX])
{
    size_t n = 0;

    while (c->at < c->end && *c->at == ' ')
        c->at++;
    for (; n < HEX_MAX && c->end - c->at >= 2; c->at += 2) {
        if (!isxdigit((unsigned char)c->at[0]) || !isxdigit((unsigned char)c->at[1]))
            break;
        bytes[n++] = (uint8_t)(digit(c->at[0]) << 4 | digit(c->at[1]));
    }
    return n;
}

static void put_in(damaged_t *d, size_t at, const uint8_t *bytes, size_t n)
{
    rb_grow(&d->bytes, &d->cap, d->n + n + 1, 1);
    memmove(d->bytes + at + n, d->bytes + at, d->n - at);
    memcpy(d->bytes + at, bytes, n);
    d->n += n;
}

static void take_away(damaged_t *d, size_t at, size_t n)
{
    n = n < d->n - at ? n : d->n - at;
    memmove(d->bytes + at, d->bytes + at + n, d->n - at - n);
    d->n -= n;
}

static void edit(damaged_t *d, cursor_t c)
{
    uint8_t bytes[HEX_MAX];
    size_t part = d->part[number(&c) % d->n_parts];

    if (take(&c) != ':')
        return;
    size_t at = (part + number(&c)) % (d->n + 1), n;

    switch (take(&c)) {
    case '=':
        n = hex(&c, bytes);
        memcpy(d->bytes + at, bytes, n < d->n - at ? n : d->n - at);
        break;
    case '+':
        n = hex(&c, bytes);
        put_in(d, at, bytes, n);
        break;
    case '-':
        while (c.at < c.end && *c.at == ' ')
            c.at++;
        take_away(d, at, number(&c));
        break;
    case '.':
        d->n = at;
        break;
    default:
        break;
    }
}

void damaged_edit(damaged_t *d, const char *text, size_t n)
{
    const char *end = text + n;

    for (unsigned i = 0; i < EDITS_MAX && text < end; i++) {
        const char *line = memchr(text, '\n', (size_t)(end - text));

        line = line != NULL ? line : end;
        edit(d, (cursor_t){text, line});
        text = line + 1;
    }
}
