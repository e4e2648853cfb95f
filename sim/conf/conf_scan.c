#include "sim/conf/conf_scan.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/core/err.h"

typedef struct {
    const char *c, *end;
    int line;
    size_t tokens, settings;
    int depth;
    char open[CONF_MAX_DEPTH]; /* the open brackets */
    bool value;                /* the next token is a value */
    char *why;
    size_t size;
} scan_t;

RB_PRINTF(2, 3) static bool refuse(scan_t *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(s->why, s->size, fmt, args);
    va_end(args);
    return false;
}

static char peek(const scan_t *s, size_t ahead)
{
    return (size_t)(s->end - s->c) > ahead ? s->c[ahead] : '\0';
}

static void skip(scan_t *s, size_t n)
{
    for (; n && s->c < s->end; n--, s->c++)
        s->line += *s->c == '\n';
}

static bool scan_comment(scan_t *s)
{
    if (peek(s, 0) == '#' || peek(s, 1) == '/') {
        while (s->c < s->end && *s->c != '\n')
            s->c++;
        return true;
    }
    int start = s->line;
    skip(s, 2);
    while (s->c < s->end && !(peek(s, 0) == '*' && peek(s, 1) == '/'))
        skip(s, 1);
    if (s->c == s->end) {
        s->line = start;
        return refuse(s, "this comment does not end");
    }
    skip(s, 2);
    return true;
}

static bool scan_string(scan_t *s)
{
    int start = s->line;
    skip(s, 1);
    while (s->c < s->end && *s->c != '"') {
        if (*s->c != '\\') {
            skip(s, 1);
            continue;
        }
        if (tolower((unsigned char)peek(s, 1)) == 'x' && peek(s, 2) == '0' && peek(s, 3) == '0')
            return refuse(s, "a string cannot hold a zero byte (\\x00)");
        skip(s, 2);
    }
    if (s->c == s->end) {
        s->line = start;
        return refuse(s, "this string does not end");
    }
    skip(s, 1);
    s->value = false;
    return true;
}

static bool is_float(const char *t)
{
    size_t digits = 0;
    t += *t == '+' || *t == '-';
    for (; isdigit((unsigned char)*t); t++)
        digits++;
    if (*t == '.')
        for (t++; isdigit((unsigned char)*t); t++)
            digits++;
    if (digits && (*t == 'e' || *t == 'E')) {
        t++;
        t += *t == '+' || *t == '-';
        digits = 0;
        for (; isdigit((unsigned char)*t); t++)
            digits++;
    }
    return digits && !*t;
}

static bool scan_number(scan_t *s)
{
    char t[64];
    size_t n = 0;
    while (isalnum((unsigned char)peek(s, n)) || (peek(s, n) && strchr("+-._", peek(s, n))))
        n++;
    if (n >= sizeof(t))
        return refuse(s, "this number is too long");
    memcpy(t, s->c, n);
    t[n] = '\0';

    bool hex = t[0] == '0' && (t[1] == 'x' || t[1] == 'X');
    const char *digits = hex ? t + 2 : t + (t[0] == '+' || t[0] == '-');
    size_t length = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
    const char *tail = digits + length;
    bool wide = !strcmp(tail, "L") || !strcmp(tail, "LL");
    if (length && (wide || !*tail)) {
        errno = 0;
        long long x = strtoll(t, NULL, hex ? 16 : 10);
        if (errno == ERANGE)
            return refuse(s, "integer %s does not fit 64 bits", t);
        if (!wide && (x < INT32_MIN || x > INT32_MAX))
            return refuse(s,
                          "integer %s does not fit 32 bits: add an L, or write a size such as "
                          "\"80GiB\"",
                          t);
    } else if (hex || !is_float(t)) {
        return refuse(s, "'%s' is not a number%s", t,
                      length && isalpha((unsigned char)*tail)
                          ? "; values with units are written in quotes, as \"6MiB\""
                          : "");
    }
    s->c += n;
    s->value = false;
    return true;
}

static bool scan_name(scan_t *s)
{
    char t[64];
    size_t n = 0;
    while (isalnum((unsigned char)peek(s, n)) || (peek(s, n) && strchr("-_*", peek(s, n))))
        n++;
    snprintf(t, sizeof(t), "%.*s", n > 60 ? 60 : (int)n, s->c);
    if (peek(s, n) == '.')
        return refuse(s, "'%s.' : in a file, settings are grouped: %s : { KEY = VALUE; };", t, t);
    if (s->value && strcasecmp(t, "true") && strcasecmp(t, "false"))
        return refuse(s, "text is written in quotes: \"%s\"", t);
    s->c += n;
    s->value = false;
    return true;
}

/* Punctuation: '=' and ':' announce a value; brackets nest. */
static bool scan_mark(scan_t *s)
{
    char c = *s->c;
    if (c == '@')
        return refuse(s, "'@include' and the like are not supported: write inherit = \"FILE\";");
    if (c == '=' || c == ':') {
        if (++s->settings > CONF_MAX_SETTINGS)
            return refuse(s, "more than %d settings", CONF_MAX_SETTINGS);
    } else if (strchr("{[(", c)) {
        if (s->depth == CONF_MAX_DEPTH)
            return refuse(s, "nested deeper than %d levels", CONF_MAX_DEPTH);
        s->open[s->depth++] = c;
    } else if (strchr("}])", c)) {
        s->depth -= s->depth > 0;
    } else if (c != ';' && c != ',') {
        return refuse(s, "unexpected character '%c'", c);
    }
    bool list = s->depth && s->open[s->depth - 1] != '{';
    s->value = c == '=' || c == ':' || c == '[' || c == '(' || (c == ',' && list);
    s->c++;
    return true;
}

static bool scan_token(scan_t *s)
{
    char c = *s->c;
    if (c == '#' || (c == '/' && (peek(s, 1) == '/' || peek(s, 1) == '*')))
        return scan_comment(s);
    if (++s->tokens > CONF_MAX_TOKENS)
        return refuse(s, "more than %d words and marks: this is not a configuration",
                      CONF_MAX_TOKENS);
    if (c == '"')
        return scan_string(s);
    if (isdigit((unsigned char)c) || strchr("+-.", c))
        return scan_number(s);
    if (isalpha((unsigned char)c) || c == '*')
        return scan_name(s);
    if ((unsigned char)c >= 128)
        return refuse(s, "a character outside ASCII is legal only in comments and strings");
    return scan_mark(s);
}

/* Refuses bytes that no text file contains. */
static bool scan_bytes(scan_t *s)
{
    for (const char *c = s->c; c < s->end; c++) {
        unsigned char byte = (unsigned char)*c;
        if ((byte < ' ' && !strchr("\t\n\r\f", byte)) || byte == 0 || byte == 127)
            return refuse(s, "this is not a text file (byte 0x%02x)", byte);
        s->line += byte == '\n';
    }
    s->line = 1;
    return true;
}

bool conf_scan(const char *text, size_t n, int *line, char *why, size_t size)
{
    scan_t s = {.c = text, .end = text + n, .line = 1, .why = why, .size = size};
    bool good = n <= CONF_MAX_BYTES || refuse(&s, "longer than %d bytes", CONF_MAX_BYTES);
    good = good && scan_bytes(&s);
    while (good && s.c < s.end) {
        if (isspace((unsigned char)*s.c))
            skip(&s, 1);
        else
            good = scan_token(&s);
    }
    *line = s.line;
    return good;
}
