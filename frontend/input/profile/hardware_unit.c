#include "frontend/input/profile/hardware_unit.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- units ----------------------------------------------------------------------------------- */

/* What Nsight Compute counts; a final "s" is allowed. */
static const char *const counted[] = {
    "byte",      "B",      "bit",     "inst",      "instruction", "cycle",    "sector", "request",
    "thread",    "warp",   "block",   "cta",       "register",    "hz",       "bank",   "op",
    "operation", "flop",   "SM",      "TPC",       "GPC",         "kernel",   "launch", "count",
    "line",      "slice",  "lane",    "quad",      "pass",        "conflict", "tag",    "packet",
    "wavefront", "branch", "barrier", "scheduler", "issue",       "page",     "texel",  "1"};

static bool is_time(const char *name, size_t n)
{
    static const char *const names[] = {"second", "seconds", "sec", "s"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == n && strncmp(names[i], name, n) == 0)
            return true;
    return false;
}

static bool is_counted(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
        const size_t len = strlen(counted[i]);
        if ((n == len || (n == len + 1 && len > 1 && name[len] == 's')) &&
            strncmp(name, counted[i], len) == 0)
            return true;
    }
    return n == 2 && strncmp(name, "Hz", 2) == 0;
}

/* A prefix of this many bytes; 0: none. */
static size_t small_prefix(const char *s, double *scale)
{
    static const struct {
        const char *text;
        double scale;
    } known[] = {{"n", 1e-9}, {"u", 1e-6}, {"\xc2\xb5", 1e-6}, {"\xce\xbc", 1e-6}, {"m", 1e-3}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strncmp(s, known[i].text, strlen(known[i].text)) == 0) {
            *scale = known[i].scale;
            return strlen(known[i].text);
        }
    return 0;
}

/* One of the two sides of a "/". */
static bool side(const char *s, size_t n, double *scale)
{
    static const char large[] = "KMGTP";
    *scale = 1.0;
    if (n == 1 && *s == '%') {
        *scale = 1e-2;
        return true;
    }
    if (is_time(s, n) || is_counted(s, n))
        return true;
    const size_t bytes = small_prefix(s, scale);
    if (bytes > 0 && bytes < n && is_time(s + bytes, n - bytes))
        return true;
    const char *prefix = n > 0 ? strchr(large, *s == 'k' ? 'K' : *s) : NULL;
    if (prefix == NULL || *prefix == '\0' || !is_counted(s + 1, n - 1))
        return false;
    *scale = pow(1e3, (double)(prefix - large) + 1);
    return true;
}

bool hardware_unit(const char *unit, double *scale)
{
    const char *slash = strchr(unit, '/');
    double above = 1.0, below = 1.0;
    *scale = 1.0;
    if (*unit == '\0')
        return true;
    if (!side(unit, slash != NULL ? (size_t)(slash - unit) : strlen(unit), &above) ||
        (slash != NULL && !side(slash + 1, strlen(slash + 1), &below)))
        return false;
    *scale = above / below;
    return true;
}

/* --- numbers --------------------------------------------------------------------------------- */

enum { NUMBER_BYTES = 64 };

/* Separators of thousands in any country: an apostrophe, and blanks of three kinds. Bytes of one. */
static size_t neutral_separator(const char *s)
{
    if ((*s == ' ' || *s == '\'') && isdigit((unsigned char)s[1]))
        return 1;
    if (strncmp(s, "\xc2\xa0", 2) == 0)
        return 2;
    return strncmp(s, "\xe2\x80\xaf", 3) == 0 || strncmp(s, "\xe2\x80\x99", 3) == 0 ? 3 : 0;
}

/*
 * Copies a number as strtod() reads it. Groups after a separator have three digits, and the first has one
 * to three and is not 0: "0,512" has no thousands.
 */
static bool plain(const char *s, size_t n, char point, char separator, char *text)
{
    size_t out = 0, group = 0, groups = 0, first = 0;
    bool fraction = false;
    for (size_t i = 0; i < n;) {
        const size_t neutral = neutral_separator(s + i);
        if (isdigit((unsigned char)s[i])) {
            text[out++] = s[i++];
            group++;
        } else if (!fraction && (s[i] == separator || neutral > 0)) {
            if (groups == 0)
                first = group;
            if (groups == 0 ? group == 0 || group > 3 : group != 3)
                return false;
            groups++;
            group = 0;
            i += neutral > 0 ? neutral : 1;
        } else if (!fraction && s[i] == point) {
            if (groups > 0 && group != 3)
                return false;
            fraction = true;
            text[out++] = '.';
            i++;
        } else {
            return false;
        }
    }
    text[out] = '\0';
    return out > 0 && (fraction || groups == 0 || group == 3) &&
           (groups == 0 || (first > 0 && text[0] != '0'));
}

bool hardware_number(const char *text, hardware_number_t *out)
{
    char digits[2][NUMBER_BYTES + 8];
    double sign = 1.0;
    while (*text == ' ')
        text++;
    if (*text == '-' || *text == '+')
        sign = *text++ == '-' ? -1.0 : 1.0;
    size_t n = 0;
    for (size_t more = 1; more > 0 && n + 3 < NUMBER_BYTES; n += more) {
        const char c = text[n];
        more = isdigit((unsigned char)c) || ((c == '.' || c == ',') && n > 0) ? 1
               : n > 0 ? neutral_separator(text + n)
                       : 0;
    }
    if (n == 0)
        return false;
    *out = (hardware_number_t){.point = NAN, .comma = NAN, .rest = text + n};
    double exponent = 0.0;
    if (*out->rest == 'e' || *out->rest == 'E') {
        char *end;
        const char *at = out->rest + 1 + (out->rest[1] == '-' || out->rest[1] == '+');
        if (isdigit((unsigned char)*at)) {
            exponent = strtod(out->rest + 1, &end);
            out->rest = end;
        }
    }
    if (plain(text, n, '.', ',', digits[0]))
        out->point = sign * strtod(digits[0], NULL) * pow(10.0, exponent);
    if (plain(text, n, ',', '.', digits[1]))
        out->comma = sign * strtod(digits[1], NULL) * pow(10.0, exponent);
    while (*out->rest == ' ')
        out->rest++;
    if (*out->rest == '(')
        out->rest = "";
    return isfinite(out->point) || isfinite(out->comma);
}
