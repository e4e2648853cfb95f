#include "sampling/inside/block_list.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/files/sha256.h"
#include "sim/core/find_first.h"

enum { LINE_MAX_CHARS = 200, ENTRIES_MAX = 1000000 };

/* From the first to the last block, or from the low to the high share of the grid. */
struct block_entry {
    bool shares, range;
    uint64_t first, last;
    double low, high;
};

typedef struct {
    block_list_t *list;
    size_t cap;
    const char *path;
    uint64_t line;
    rb_err_t *err;
} reading_t;

static rb_code_t bad(const reading_t *r, const char *what)
{
    return rb_fail(r->err, RB_USAGE, "%s:%llu: %s", r->path, (unsigned long long)r->line, what);
}

/* Reads a block or a share at *at and moves *at behind it. Returns NULL, or what is wrong. */
static const char *take_number(char **at, bool *share, uint64_t *block, double *part)
{
    char *end, *from = *at;
    if (!isdigit((unsigned char)*from) && *from != '.')
        return "expected a block such as 17, or a share such as 0.25 or 25%";
    const size_t digits = strspn(from, "0123456789.");
    *share = memchr(from, '.', digits) != NULL || from[digits] == '%';
    errno = 0;
    if (!*share) {
        *block = strtoull(from, at, 10);
        return errno == 0 ? NULL : "the number of the block is too large";
    }
    *part = strtod(from, &end);
    if (end != from + digits)
        return "expected a share such as 0.25 or 25%";
    *part /= *end == '%' ? 100 : 1;
    *at = end + (*end == '%');
    return *part <= 1 ? NULL : "a share must be at most 1, or 100%";
}

static char *skip_blanks(char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Parses an entry. Returns NULL, or what is wrong. */
static const char *read_entry(char *at, struct block_entry *e)
{
    bool share;
    const char *wrong = take_number(&at, &e->shares, &e->first, &e->low);
    e->last = e->first;
    e->high = e->low;
    at = skip_blanks(at);
    if (wrong == NULL && *at == '-') {
        e->range = true;
        at = skip_blanks(at + 1);
        wrong = take_number(&at, &share, &e->last, &e->high);
        if (wrong == NULL && share != e->shares)
            wrong = "a range must have two blocks or two shares";
    }
    if (wrong != NULL)
        return wrong;
    if (*skip_blanks(at) != '\0')
        return "one entry per line: a block, a share, or a range";
    if (e->shares ? e->high < e->low : e->last < e->first)
        return "the range ends before it begins";
    return NULL;
}

static rb_code_t take_line(reading_t *r, char *line, sha256_t *hash)
{
    block_list_t *l = r->list;
    struct block_entry e = {0};
    line[strcspn(line, "#")] = '\0';
    char *at = skip_blanks(line);
    if (*at == '\0')
        return RB_OK;
    const char *wrong = read_entry(at, &e);
    if (wrong != NULL)
        return bad(r, wrong);
    if (l->n == ENTRIES_MAX)
        return bad(r, "more than a million entries: write ranges");
    sha256_update(hash, at, strlen(at) + 1);
    rb_grow(&l->entries, &r->cap, l->n + 1, sizeof(*l->entries));
    l->entries[l->n++] = e;
    return RB_OK;
}

static rb_code_t read_lines(reading_t *r, FILE *in)
{
    char line[LINE_MAX_CHARS + 2];
    unsigned char digest[SHA256_BYTES];
    sha256_t hash;
    sha256_init(&hash);
    for (;;) {
        size_t n = 0;
        int c;
        while ((c = getc(in)) != EOF && c != '\n') {
            if (n == 0)
                r->line++;
            if (n == LINE_MAX_CHARS)
                return bad(r, "the line is longer than 200 characters: is this a list of blocks?");
            if (c == '\0')
                return bad(r, "the line contains a zero byte: is this a list of blocks?");
            line[n++] = (char)c;
        }
        if (n == 0 && c == '\n')
            r->line++;
        line[n] = '\0';
        RB_TRY(take_line(r, line, &hash));
        if (c == EOF)
            break;
    }
    if (ferror(in))
        return rb_fail(r->err, RB_IO, "%s: %s", r->path, strerror(errno));
    if (r->list->n == 0)
        return rb_fail(r->err, RB_USAGE, "%s: this list has no blocks", r->path);
    sha256_final(&hash, digest);
    memcpy(&r->list->digest, digest, sizeof(r->list->digest));
    return RB_OK;
}

rb_code_t block_list_read(block_list_t *l, const char *path, rb_err_t *err)
{
    reading_t r = {.list = l, .path = path, .err = err};
    *l = (block_list_t){0};
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    rb_code_t rc = read_lines(&r, in);
    fclose(in);
    if (rc != RB_OK)
        block_list_free(l);
    return rc;
}

void block_list_free(block_list_t *l)
{
    free(l->entries);
    *l = (block_list_t){0};
}

/* The block at a share of the grid; `blocks` if that is behind the last one. */
static uint64_t at_share(double share, uint64_t blocks)
{
    const double at = floor(share * (double)blocks);
    return at >= (double)blocks ? blocks : (uint64_t)at;
}

static block_range_t range_of(const struct block_entry *e, uint64_t blocks)
{
    block_range_t r = {e->first, e->last};
    if (e->shares) {
        r = (block_range_t){at_share(e->low, blocks), at_share(e->high, blocks)};
        if (e->range)
            return r;
        if (r.from == blocks)
            r.from = blocks - 1;
        r.to = r.from;
    }
    if (r.from >= blocks)
        return (block_range_t){0};
    r.to = r.to >= blocks ? blocks : r.to + 1;
    return r;
}

static int by_from(const void *a, const void *b)
{
    const block_range_t *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

block_range_t *block_list_of(const block_list_t *l, uint64_t blocks, size_t *n)
{
    block_range_t *ranges = rb_calloc(l->n + 1, sizeof(*ranges));
    size_t found = 0;
    *n = 0;
    for (size_t i = 0; i < l->n && blocks > 0; i++) {
        ranges[found] = range_of(&l->entries[i], blocks);
        found += ranges[found].from < ranges[found].to;
    }
    qsort(ranges, found, sizeof(*ranges), by_from);
    for (size_t i = 0; i < found; i++) {
        block_range_t *last = *n > 0 ? &ranges[*n - 1] : NULL;
        if (last == NULL || ranges[i].from > last->to)
            ranges[(*n)++] = ranges[i];
        else if (ranges[i].to > last->to)
            last->to = ranges[i].to;
    }
    if (*n > 0)
        return ranges;
    free(ranges);
    return NULL;
}

bool block_ranges_have(const block_range_t *ranges, size_t n, uint64_t block)
{
    size_t i;
    FIND_FIRST(i, 0, n, ranges[i].to > block);
    return i < n && ranges[i].from <= block;
}
