#include "tests/support/tool/json_check.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

static const char *skip_blank(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Each reader returns the end of what it has read, or NULL with *bad at the error. */
static const char *read_string(const char *s, const char **bad)
{
    for (s++; *s != '"'; s++) {
        *bad = s;
        if ((unsigned char)*s < 0x20)
            return NULL;
        if (*s != '\\')
            continue;
        s++;
        if (*s == 'u') {
            if (strspn(s + 1, "0123456789abcdefABCDEF") < 4)
                return NULL;
            s += 4;
        } else if (*s == '\0' || strchr("\"\\/bfnrt", *s) == NULL) {
            return NULL;
        }
    }
    return s + 1;
}

static const char *read_number(const char *s, const char **bad)
{
    *bad = s;
    s += *s == '-';
    if (!is_digit(*s))
        return NULL;
    if (*s == '0')
        s++;
    else
        s += strspn(s, "0123456789");
    if (*s == '.') {
        if (!is_digit(*++s))
            return NULL;
        s += strspn(s, "0123456789");
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '+' || *s == '-';
        if (!is_digit(*s))
            return NULL;
        s += strspn(s, "0123456789");
    }
    return s;
}

static const char *read_value(const char *s, int depth, const char **bad);

static const char *read_members(const char *s, char close, int depth, const char **bad)
{
    s = skip_blank(s + 1);
    if (*s == close)
        return s + 1;
    for (;;) {
        if (close == '}') {
            *bad = s;
            s = *s == '"' ? read_string(s, bad) : NULL;
            if (s == NULL)
                return NULL;
            s = skip_blank(s);
            *bad = s;
            if (*s++ != ':')
                return NULL;
        }
        s = read_value(skip_blank(s), depth + 1, bad);
        if (s == NULL)
            return NULL;
        s = skip_blank(s);
        if (*s == close)
            return s + 1;
        *bad = s;
        if (*s != ',')
            return NULL;
        s = skip_blank(s + 1);
    }
}

static const char *read_value(const char *s, int depth, const char **bad)
{
    static const char *const words[] = {"true", "false", "null"};
    *bad = s;
    if (depth > DEPTH_MAX)
        return NULL;
    if (*s == '"')
        return read_string(s, bad);
    if (*s == '{')
        return read_members(s, '}', depth, bad);
    if (*s == '[')
        return read_members(s, ']', depth, bad);
    for (int i = 0; i < 3; i++) {
        if (strncmp(s, words[i], strlen(words[i])) == 0)
            return s + strlen(words[i]);
    }
    return read_number(s, bad);
}

const char *json_check(const char *text)
{
    const char *bad = text;
    const char *s = read_value(skip_blank(text), 0, &bad);
    if (s == NULL)
        return bad;
    s = skip_blank(s);
    return *s == '\0' ? NULL : s;
}

/* The member of the container at s that the first part of path names, or NULL. */
static const char *find_member(const char *s, const char *key, size_t len)
{
    const char *bad;
    bool object = *s == '{';
    if (!object && *s != '[')
        return NULL;
    char *end = NULL;
    size_t index = strtoul(key, &end, 10);
    s = skip_blank(s + 1);
    for (size_t i = 0; *s != '}' && *s != ']'; i++) {
        bool hit = !object && i == index && end == key + len;
        if (object) {
            const char *name = s + 1;
            s = read_string(s, &bad);
            hit = (size_t)(s - 1 - name) == len && strncmp(name, key, len) == 0;
            s = skip_blank(skip_blank(s) + 1);
        }
        if (hit)
            return s;
        s = skip_blank(read_value(s, 0, &bad));
        if (*s == ',')
            s = skip_blank(s + 1);
    }
    return NULL;
}

const char *json_find(const char *text, const char *path, size_t *n)
{
    const char *s = skip_blank(text), *bad;
    while (*path != '\0' && s != NULL) {
        size_t len = strcspn(path, ".");
        s = find_member(s, path, len);
        path += len + (path[len] == '.');
    }
    if (s != NULL)
        *n = (size_t)(read_value(s, 0, &bad) - s);
    return s;
}

bool json_is(const char *text, const char *path, const char *literal)
{
    size_t n;
    const char *s = json_find(text, path, &n);
    return s != NULL && n == strlen(literal) && strncmp(s, literal, n) == 0;
}

double json_number(const char *text, const char *path)
{
    size_t n;
    const char *s = json_find(text, path, &n);
    return s != NULL && (*s == '-' || is_digit(*s)) ? strtod(s, NULL) : -1.0;
}
