#include "tests/support/input/accelsim_compare.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/accelsim/file/accelsim_stream.h"
#include "tests/support/test.h"

enum { WORDS_MAX = 128, KEYS_MAX = 32 };

typedef struct {
    char *text, *at; /* text is owned and holds the whole unpacked file */
    const char *path;
    uint64_t line;
    unsigned version;
    bool source_lines;
    char *word[WORDS_MAX];
    unsigned n_words;
} file_t;

static void load(file_t *f, const char *path)
{
    enum { CHUNK = 1 << 20 };
    rb_err_t err = {0};
    size_t n = 0, cap = 0, got = 1;
    accelsim_stream_t *stream = accelsim_stream_open(path, &err);

    if (stream == NULL)
        fail_msg("%s", err.text);
    *f = (file_t){.path = path};
    while (got > 0) {
        if (n == cap)
            f->text = realloc(f->text, (cap = 2 * cap + CHUNK) + 1);
        if (accelsim_stream_read(stream, f->text + n, cap - n, &got, &err) != RB_OK)
            fail_msg("%s", err.text);
        n += got;
    }
    f->text[n] = '\0';
    f->at = f->text;
    accelsim_stream_close(stream);
}

/* The words of the next line that is neither blank nor a comment; false at the end. */
static bool next_line(file_t *f)
{
    for (;;) {
        char *line = f->at, *end = strchr(line, '\n');

        if (*line == '\0')
            return false;
        f->at = end != NULL ? end + 1 : line + strlen(line);
        if (end != NULL)
            *end = '\0';
        f->line++;
        if (line[0] == '#' || strncmp(line, "cluster ", 8) == 0 || line[strspn(line, " \t\r")] == 0)
            continue;
        f->n_words = 0;
        for (char *w; f->n_words < WORDS_MAX && (w = strsep(&line, " \t\r")) != NULL;)
            if (*w != '\0')
                f->word[f->n_words++] = w;
        return true;
    }
}

static void differ(const file_t *a, const file_t *b, const char *what)
{
    fail_msg("%s:%" PRIu64 " and %s:%" PRIu64 " differ: %s", a->path, a->line, b->path, b->line,
             what);
}

/* --- header ----------------------------------------------------------------------------------- */

typedef struct {
    char key[64], value[4096];
} header_line_t;

static unsigned read_header(file_t *f, header_line_t *keys)
{
    unsigned n = 0;

    while (*f->at == '-' || *f->at == '\n') {
        char *line = f->at, *end = strchr(line, '\n'), *equals;

        *end = '\0';
        f->at = end + 1;
        f->line++;
        if (*line == '\0')
            continue;
        equals = strstr(line, " = ");
        assert_non_null(equals);
        assert_true(n < KEYS_MAX);
        snprintf(keys[n].key, sizeof(keys[n].key), "%.*s", (int)(equals - line), line);
        snprintf(keys[n].value, sizeof(keys[n].value), "%s", equals + 3);
        n++;
    }
    return n;
}

static const char *find_key(const header_line_t *keys, unsigned n, const char *key)
{
    for (unsigned i = 0; i < n; i++)
        if (strcmp(keys[i].key, key) == 0)
            return keys[i].value;
    return "0";
}

static void compare_headers(file_t *a, file_t *b)
{
    static header_line_t of_a[KEYS_MAX], of_b[KEYS_MAX];
    unsigned n_a = read_header(a, of_a), n_b = read_header(b, of_b);
    static const char *const other[] = {"-nvbit version", "-accelsim tracer version",
                                        "-enable lineinfo"};

    for (unsigned i = 0; i < n_a; i++) {
        bool compared = true;

        for (size_t k = 0; k < sizeof(other) / sizeof(other[0]); k++)
            compared &= strcmp(of_a[i].key, other[k]) != 0;
        if (compared && strcmp(find_key(of_b, n_b, of_a[i].key), of_a[i].value) != 0)
            differ(a, b, of_a[i].key);
    }
    a->version = (unsigned)atoi(find_key(of_a, n_a, "-accelsim tracer version"));
    b->version = (unsigned)atoi(find_key(of_b, n_b, "-accelsim tracer version"));
    a->source_lines = atoi(find_key(of_a, n_a, "-enable lineinfo")) == 1;
    b->source_lines = atoi(find_key(of_b, n_b, "-enable lineinfo")) == 1;
    if (a->source_lines != b->source_lines)
        differ(a, b, "source lines");
}

/* --- instructions ----------------------------------------------------------------------------- */

typedef struct {
    uint64_t source_line, pc, mask, addr[32];
    char *fields[24]; /* registers, opcode, width */
    unsigned n_fields;
    char *immediates[4];
    unsigned n_immediates, lanes;
    bool has_addresses;
} line_t;

static char *take(file_t *f, unsigned *at)
{
    if (*at >= f->n_words)
        fail_msg("%s:%" PRIu64 ": the line ends early", f->path, f->line);
    return f->word[(*at)++];
}

static bool is_bulk(const char *opcode)
{
    return strncmp(opcode, "UTMA", 4) == 0 || strncmp(opcode, "UBLK", 4) == 0;
}

static void read_addresses(file_t *f, unsigned *at, line_t *l)
{
    int mode = atoi(take(f, at));
    unsigned n = (unsigned)__builtin_popcountll(l->mask);

    l->has_addresses = true;
    l->lanes = n;
    if (mode == 0) {
        for (unsigned k = 0; k < n; k++)
            l->addr[k] = strtoull(take(f, at), NULL, 16);
        return;
    }
    uint64_t base = strtoull(take(f, at), NULL, 16);
    uint64_t stride = mode == 1 ? (uint64_t)strtoll(take(f, at), NULL, 10) : 0;

    for (unsigned k = 0; k < n; k++) {
        if (k > 0)
            base += mode == 1 ? stride : (uint64_t)strtoll(take(f, at), NULL, 10);
        l->addr[k] = base;
    }
}

static void read_registers(file_t *f, unsigned *at, line_t *l)
{
    char *count = take(f, at);

    l->fields[l->n_fields++] = count;
    for (int i = atoi(count); i > 0; i--)
        l->fields[l->n_fields++] = take(f, at);
}

static line_t read_line(file_t *f)
{
    line_t l = {0};
    unsigned at = f->version > 0 && f->version < 3 ? 4 : 0;

    if (f->source_lines)
        l.source_line = strtoull(take(f, &at), NULL, 10);
    l.pc = strtoull(take(f, &at), NULL, 16);
    l.mask = strtoull(take(f, &at), NULL, 16);
    read_registers(f, &at, &l);
    char *opcode = l.fields[l.n_fields++] = take(f, &at);

    read_registers(f, &at, &l);
    if (f->version >= 6 && strstr(opcode, "GMMA") != NULL)
        l.fields[l.n_fields++] = take(f, &at);
    char *width = take(f, &at);

    if (is_bulk(opcode))
        return l;
    l.fields[l.n_fields++] = width;
    if (atoi(width) != 0)
        read_addresses(f, &at, &l);
    while (at < f->n_words && l.n_immediates < 4 &&
           (isdigit((unsigned char)f->word[at][0]) || f->word[at][0] == '-'))
        l.immediates[l.n_immediates++] = f->word[at++];
    return l;
}

static void compare_words(const file_t *a, const file_t *b, char *const *x, unsigned n_x,
                          char *const *y, unsigned n_y, const char *what)
{
    if (n_x != n_y)
        differ(a, b, what);
    for (unsigned i = 0; i < n_x; i++)
        if (strcmp(x[i], y[i]) != 0)
            differ(a, b, what);
}

static void compare_lines(file_t *a, file_t *b)
{
    line_t x = read_line(a), y = read_line(b);

    if (x.source_line != y.source_line)
        differ(a, b, "source line");
    if (x.pc != y.pc || x.mask != y.mask)
        differ(a, b, "pc or mask");
    compare_words(a, b, x.fields, x.n_fields, y.fields, y.n_fields, "registers, opcode or width");
    compare_words(a, b, x.immediates, x.n_immediates, y.immediates, y.n_immediates, "immediates");
    if (x.has_addresses != y.has_addresses ||
        memcmp(x.addr, y.addr, x.lanes * sizeof(x.addr[0])) != 0)
        differ(a, b, "addresses");
}

uint64_t accelsim_compare_files(const char *original, const char *written)
{
    static file_t a, b;
    uint64_t n = 0;

    load(&a, original);
    load(&b, written);
    compare_headers(&a, &b);
    for (;;) {
        bool more = next_line(&a);

        if (more != next_line(&b))
            differ(&a, &b, "one ends here");
        if (!more)
            break;
        if (isxdigit((unsigned char)a.word[0][0]) && strcmp(a.word[0], "block") != 0) {
            compare_lines(&a, &b);
            n++;
        } else {
            compare_words(&a, &b, a.word, a.n_words, b.word, b.n_words, "a line between warps");
        }
    }
    free(a.text);
    free(b.text);
    return n;
}
