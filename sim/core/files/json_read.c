#include "sim/core/files/json_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { WINDOW = 1 << 16, WORD_MAX = 8 };

/* What may come next. */
enum {
    BEFORE_ALL, /* the outermost value, after a byte order mark */
    WANT_VALUE,
    WANT_VALUE_OR_END, /* just after '[' */
    WANT_KEY,
    WANT_KEY_OR_END, /* just after '{' */
    WANT_COLON,
    WANT_COMMA_OR_END,
    DONE,
    FAILED,
};

void json_reader_init(json_reader_t *r, const char *name, json_read_fn read, void *ctx)
{
    *r = (json_reader_t){.name = name, .read = read, .ctx = ctx, .line = 1, .text = ""};
    r->data = rb_calloc(WINDOW + 1, 1); /* one more: the NUL of a string that ends the window */
    r->state = BEFORE_ALL;
}

void json_reader_free(json_reader_t *r)
{
    free(r->data);
    free(r->joined);
    r->data = r->joined = NULL;
    r->state = FAILED;
}

static json_event_t fail_with(json_reader_t *r, rb_code_t code, const char *text)
{
    rb_fail(&r->err, code, "%s:%llu: %s", r->name, (unsigned long long)r->line, text);
    r->state = FAILED;
    return JSON_READ_ERROR;
}

json_event_t json_fail(json_reader_t *r, const char *fmt, ...)
{
    char text[sizeof(r->err.text)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return fail_with(r, RB_TRACE, text);
}

/* True if data[at] may be read; refills the window when it is used up. */
static bool more(json_reader_t *r)
{
    if (r->at < r->end)
        return true;
    if (r->eof || r->state == FAILED)
        return false;
    long n = r->read(r->ctx, r->data, WINDOW);
    if (n < 0) {
        fail_with(r, RB_IO, strerror(errno));
        return false;
    }
    r->at = 0;
    r->end = (size_t)n;
    r->eof = n == 0;
    return n > 0;
}

static json_event_t cut_short(json_reader_t *r, const char *where)
{
    if (r->state == FAILED) /* by more() */
        return JSON_READ_ERROR;
    return json_fail(r, "the file ends %s; it was cut short", where);
}

/* A character of the document, for a message. */
static const char *shown(unsigned char c, char text[16])
{
    if (c >= 0x20 && c < 0x7f)
        snprintf(text, 16, "'%c'", c);
    else
        snprintf(text, 16, "byte 0x%02x", c);
    return text;
}

/* Skips white space; false at the end of the document. */
static bool skip_space(json_reader_t *r)
{
    while (more(r)) {
        for (; r->at < r->end; r->at++) {
            char c = r->data[r->at];
            if (c == '\n')
                r->line++;
            else if (c != ' ' && c != '\t' && c != '\r')
                return true;
        }
    }
    return false;
}

/* Appends n bytes at offset length of the joined text; false if it grows too long. */
static bool join(json_reader_t *r, size_t *length, const char *bytes, size_t n)
{
    if (*length + n > JSON_READ_MAX_STRING) {
        json_fail(r, "a string of more than %d bytes", JSON_READ_MAX_STRING);
        return false;
    }
    rb_grow(&r->joined, &r->joined_cap, *length + n + 1, 1);
    memcpy(r->joined + *length, bytes, n);
    *length += n;
    r->joined[*length] = '\0';
    return true;
}

/* The four digits of \uXXXX; -1 after a message. */
static long hex4(json_reader_t *r)
{
    long value = 0;
    for (int i = 0; i < 4; i++) {
        if (!more(r)) {
            cut_short(r, "inside a string");
            return -1;
        }
        char c = r->data[r->at++];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) {
            json_fail(r, "\\u must be followed by four hexadecimal digits");
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

static size_t utf8_encode(unsigned long c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

/* Reads a \u escape, the other half of a surrogate pair included. */
static bool unicode_escape(json_reader_t *r, size_t *length)
{
    char bytes[4];
    long c = hex4(r);
    if (c < 0)
        return false;
    if (c >= 0xdc00 && c <= 0xdfff) {
        json_fail(r, "\\u%04lx is the second half of a pair without its first", c);
        return false;
    }
    if (c >= 0xd800 && c <= 0xdbff) {
        for (const char *want = "\\u"; *want != '\0'; want++) {
            if (!more(r) || r->data[r->at] != *want) {
                json_fail(r, "\\u%04lx is the first half of a pair without its second", c);
                return false;
            }
            r->at++;
        }
        long low = hex4(r);
        if (low < 0)
            return false;
        if (low < 0xdc00 || low > 0xdfff) {
            json_fail(r, "\\u%04lx is the first half of a pair without its second", c);
            return false;
        }
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    return join(r, length, bytes, utf8_encode((unsigned long)c, bytes));
}

/* Reads what follows a backslash. */
static bool escape(json_reader_t *r, size_t *length)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (!more(r)) {
        cut_short(r, "inside a string");
        return false;
    }
    char c = r->data[r->at++];
    if (c == 'u')
        return unicode_escape(r, length);
    const char *known = c == '\0' ? NULL : strchr(from, c);
    if (known == NULL) {
        char text[16];
        json_fail(r, "a backslash in a string is followed by %s", shown((unsigned char)c, text));
        return false;
    }
    return join(r, length, &to[known - from], 1);
}

/* Reads a string after its opening quote. It stays in the window if it lies there completely. */
static json_event_t read_string(json_reader_t *r, json_event_t event)
{
    size_t length = 0;
    bool joined = false;
    while (more(r)) {
        size_t from = r->at, to = from;
        unsigned char c = 0;
        for (; to < r->end; to++) {
            c = (unsigned char)r->data[to];
            if (c == '"' || c == '\\' || c < 0x20)
                break;
        }
        r->at = to;
        if (to < r->end && c == '"' && !joined) {
            r->data[to] = '\0';
            r->text = r->data + from;
            r->length = to - from;
            r->at++;
            return event;
        }
        joined = true;
        if (!join(r, &length, r->data + from, to - from))
            return JSON_READ_ERROR;
        if (to == r->end)
            continue;
        r->at++;
        if (c == '"') {
            r->text = r->joined;
            r->length = length;
            return event;
        }
        if (c != '\\')
            return json_fail(r,
                             "a string holds a control character (0x%02x): its quote may be "
                             "missing",
                             c);
        if (!escape(r, &length))
            return JSON_READ_ERROR;
    }
    return cut_short(r, "inside a string");
}

/* Collects the characters of a number or a word. */
static bool read_token(json_reader_t *r, size_t limit)
{
    size_t length = 0;
    rb_grow(&r->joined, &r->joined_cap, limit + 1, 1);
    while (more(r)) {
        unsigned char c = (unsigned char)r->data[r->at];
        if (!isalnum(c) && c != '+' && c != '-' && c != '.' && c != '_')
            break;
        if (length == limit) {
            r->joined[length] = '\0';
            json_fail(r, "'%.20s...' is neither a number nor true, false or null", r->joined);
            return false;
        }
        r->joined[length++] = (char)c;
        r->at++;
    }
    r->joined[length] = '\0';
    r->text = r->joined;
    r->length = length;
    return r->state != FAILED;
}

static const char *digits(const char *s)
{
    while (*s >= '0' && *s <= '9')
        s++;
    return s;
}

static bool is_number(const char *s)
{
    const char *end;
    if (*s == '-')
        s++;
    if (*s == '0' && s[1] >= '0' && s[1] <= '9')
        return false;
    if ((end = digits(s)) == s)
        return false;
    s = end;
    if (*s == '.') {
        if ((end = digits(s + 1)) == s + 1)
            return false;
        s = end;
    }
    if (*s == 'e' || *s == 'E') {
        s += s[1] == '+' || s[1] == '-' ? 2 : 1;
        if ((end = digits(s)) == s)
            return false;
        s = end;
    }
    return *s == '\0';
}

static json_event_t read_number(json_reader_t *r)
{
    if (!read_token(r, JSON_READ_MAX_DIGITS))
        return JSON_READ_ERROR;
    if (!is_number(r->text))
        return json_fail(r, "'%.40s' is not a number", r->text);
    return JSON_READ_NUMBER;
}

static json_event_t read_word(json_reader_t *r)
{
    static const struct {
        const char *word;
        json_event_t event;
    } words[] = {{"true", JSON_READ_TRUE}, {"false", JSON_READ_FALSE}, {"null", JSON_READ_NULL}};
    if (!read_token(r, WORD_MAX))
        return JSON_READ_ERROR;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(r->text, words[i].word) == 0)
            return words[i].event;
    }
    return json_fail(r, "'%.20s' is neither a number nor true, false or null", r->text);
}

static json_event_t open_container(json_reader_t *r, bool object)
{
    if (r->depth == JSON_READ_MAX_DEPTH)
        return json_fail(r, "nested more than %d deep", JSON_READ_MAX_DEPTH);
    r->is_object[r->depth++] = object;
    r->state = object ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
    return object ? JSON_READ_OBJECT : JSON_READ_ARRAY;
}

static json_event_t close_container(json_reader_t *r)
{
    bool object = r->is_object[--r->depth];
    r->state = r->depth == 0 ? DONE : WANT_COMMA_OR_END;
    return object ? JSON_READ_OBJECT_END : JSON_READ_ARRAY_END;
}

static json_event_t unexpected(json_reader_t *r, const char *wanted)
{
    char text[16];
    return json_fail(r, "%s instead of %s", shown((unsigned char)r->data[r->at], text), wanted);
}

static json_event_t read_value(json_reader_t *r)
{
    char c = r->data[r->at];
    r->state = r->depth == 0 ? DONE : WANT_COMMA_OR_END; /* holds if the value is no container */
    if (c == '"') {
        r->at++;
        return read_string(r, JSON_READ_STRING);
    }
    if (c == '{' || c == '[') {
        r->at++;
        return open_container(r, c == '{');
    }
    if (c == '-' || (c >= '0' && c <= '9'))
        return read_number(r);
    if (isalpha((unsigned char)c))
        return read_word(r);
    return unexpected(r, "a value");
}

/* Skips a byte order mark. It may be split between reads; a partial mark is an error. */
static void skip_mark(json_reader_t *r)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t n = 0;
    while (mark[n] != '\0' && more(r) && r->data[r->at] == mark[n]) {
        r->at++;
        n++;
    }
    if (r->state != FAILED)
        r->state = WANT_VALUE;
    if (n > 0 && mark[n] != '\0')
        json_fail(r, "the file starts with a part of a byte order mark");
}

json_event_t json_next(json_reader_t *r)
{
    if (r->state == BEFORE_ALL)
        skip_mark(r);
    if (r->state == FAILED)
        return JSON_READ_ERROR;
    for (;;) {
        if (!skip_space(r)) {
            if (r->state == DONE)
                return JSON_READ_END;
            return cut_short(r, r->depth == 0 ? "before a value" : "inside a list or object");
        }
        char c = r->data[r->at];
        switch (r->state) {
        case WANT_COLON:
            if (c != ':')
                return unexpected(r, "':' after a name");
            r->at++;
            r->state = WANT_VALUE;
            break;
        case WANT_COMMA_OR_END: {
            bool object = r->is_object[r->depth - 1];
            if (c != ',' && c != (object ? '}' : ']'))
                return unexpected(r, object ? "',' or '}'" : "',' or ']'");
            r->at++;
            if (c != ',')
                return close_container(r);
            r->state = object ? WANT_KEY : WANT_VALUE;
            break;
        }
        case WANT_KEY_OR_END:
        case WANT_KEY:
            if (c == '}' && r->state == WANT_KEY_OR_END) {
                r->at++;
                return close_container(r);
            }
            if (c != '"')
                return unexpected(r, "a name in quotes");
            r->at++;
            r->state = WANT_COLON;
            return read_string(r, JSON_READ_KEY);
        case WANT_VALUE_OR_END:
            if (c == ']') {
                r->at++;
                return close_container(r);
            }
            return read_value(r);
        case WANT_VALUE:
            return read_value(r);
        default:
            return unexpected(r, "the end of the file");
        }
    }
}

bool json_skip(json_reader_t *r, json_event_t e)
{
    if (e == JSON_READ_KEY)
        e = json_next(r);
    if (e == JSON_READ_OBJECT || e == JSON_READ_ARRAY) {
        unsigned until = r->depth - 1;
        while (r->depth > until) {
            if (json_next(r) == JSON_READ_ERROR)
                return false;
        }
    }
    return e != JSON_READ_ERROR;
}

double json_read_f64(const json_reader_t *r)
{
    /* Fast path: short decimals and powers of ten up to 1e22 are exact in a double, so one division
     * is correctly rounded. */
    static const double tens[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *s = r->text;
    bool negative = *s == '-';
    if (negative)
        s++;
    uint64_t mantissa = 0;
    unsigned n = 0, decimals = 0;
    for (bool point = false; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        mantissa = n < 19 ? mantissa * 10 + (uint64_t)(*s - '0') : mantissa;
        n++;
        decimals += point;
    }
    if (*s != '\0' || n > 18 || mantissa > 1ull << 53)
        return strtod(r->text, NULL);
    double value = (double)mantissa / tens[decimals];
    return negative ? -value : value;
}

bool json_read_u64(const json_reader_t *r, uint64_t *value)
{
    uint64_t v = 0;
    if (r->text[0] == '\0')
        return false;
    for (const char *s = r->text; *s != '\0'; s++) {
        if (*s < '0' || *s > '9' || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return false;
    }
    *value = v;
    return true;
}

long json_read_file(void *file, void *data, size_t size)
{
    size_t n = fread(data, 1, size, file);
    return n == 0 && ferror((FILE *)file) ? -1 : (long)n;
}
