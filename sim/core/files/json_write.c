#include "sim/core/files/json_write.h"

#include <math.h>
#include <stddef.h>

#include "sim/core/err.h"

void json_init(json_t *j, FILE *out)
{
    *j = (json_t){.out = out};
    j->inline_[0] = true; /* the outermost value needs no line of its own */
}

/* Length of the well-formed UTF-8 sequence at s (RFC 3629), 0 if there is none. */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    size_t n;
    unsigned char lo = 0x80, hi = 0xbf; /* of the second byte: no overlong forms, no surrogates */
    if (s[0] >= 0xc2 && s[0] <= 0xdf) {
        n = 2;
    } else if (s[0] >= 0xe0 && s[0] <= 0xef) {
        n = 3;
        lo = s[0] == 0xe0 ? 0xa0 : 0x80;
        hi = s[0] == 0xed ? 0x9f : 0xbf;
    } else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
        n = 4;
        lo = s[0] == 0xf0 ? 0x90 : 0x80;
        hi = s[0] == 0xf4 ? 0x8f : 0xbf;
    } else {
        return 0;
    }
    if (s[1] < lo || s[1] > hi)
        return 0;
    for (size_t i = 2; i < n; i++) {
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    }
    return n;
}

/* How many characters stand for themselves. */
static size_t plain_length(const unsigned char *s)
{
    size_t n = 0;
    while (s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
        n++;
    return n;
}

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        size_t n = plain_length(s);
        if (n > 0) {
            fwrite(s, 1, n, out);
            s += n;
            continue;
        }
        n = utf8_length(s);
        if (n == 0) {
            fputs("\\ufffd", out);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s);
        } else if (*s < 0x20 || *s == 0x7f) {
            fprintf(out, "\\u%04x", *s);
        } else {
            fwrite(s, 1, n, out);
        }
        s += n;
    }
    fputc('"', out);
}

static void new_line(json_t *j)
{
    static const char spaces[] = "                                ";
    _Static_assert(sizeof(spaces) > 2 * JSON_MAX_DEPTH, "too few spaces");
    fputc('\n', j->out);
    fwrite(spaces, 1, 2 * j->depth, j->out);
}

/* Comma, line and key before a value. */
static void begin_value(json_t *j, const char *key)
{
    if (j->used[j->depth])
        fputc(',', j->out);
    if (!j->inline_[j->depth])
        new_line(j);
    else if (j->used[j->depth])
        fputc(' ', j->out);
    j->used[j->depth] = true;
    if (key != NULL) {
        write_string(j->out, key);
        fputs(": ", j->out);
    }
}

static void begin_container(json_t *j, const char *key, char open, char close, bool one_line)
{
    begin_value(j, key);
    RB_INVARIANT(j->depth + 1 < JSON_MAX_DEPTH, "JSON nested too deep");
    fputc(open, j->out);
    j->depth++;
    j->used[j->depth] = false;
    j->inline_[j->depth] = one_line;
    j->close[j->depth] = close;
}

void json_begin_object(json_t *j, const char *key)
{
    begin_container(j, key, '{', '}', false);
}

void json_begin_array(json_t *j, const char *key)
{
    begin_container(j, key, '[', ']', true);
}

void json_begin_rows(json_t *j, const char *key)
{
    begin_container(j, key, '[', ']', false);
}

void json_end(json_t *j)
{
    RB_INVARIANT(j->depth > 0, "JSON closed too often");
    bool line = j->used[j->depth] && !j->inline_[j->depth];
    char close = j->close[j->depth];
    j->depth--;
    if (line)
        new_line(j);
    fputc(close, j->out);
    if (j->depth == 0)
        fputc('\n', j->out);
}

void json_u64(json_t *j, const char *key, uint64_t v)
{
    begin_value(j, key);
    fprintf(j->out, "%llu", (unsigned long long)v);
}

void json_u32s(json_t *j, const char *key, const uint32_t *v, size_t n)
{
    json_begin_array(j, key);
    for (size_t i = 0; i < n; i++)
        json_u64(j, NULL, v[i]);
    json_end(j);
}

void json_f64(json_t *j, const char *key, double v)
{
    if (!isfinite(v)) {
        json_null(j, key);
        return;
    }
    begin_value(j, key);
    fprintf(j->out, "%.17g", v);
}

void json_bool(json_t *j, const char *key, bool v)
{
    begin_value(j, key);
    fputs(v ? "true" : "false", j->out);
}

void json_null(json_t *j, const char *key)
{
    begin_value(j, key);
    fputs("null", j->out);
}

void json_text(json_t *j, const char *key, const char *v)
{
    if (v == NULL) {
        json_null(j, key);
        return;
    }
    begin_value(j, key);
    write_string(j->out, v);
}
