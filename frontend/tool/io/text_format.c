#include "frontend/tool/io/text_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Formats v with three significant digits, 0 <= v < 1000 (or slightly above, by rounding). */
static void three_digits(char text[FORMAT_MAX], double v, const char *unit)
{
    int digits = v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
    snprintf(text, FORMAT_MAX, "%.*f%s", digits, v, unit);
}

const char *format_si(char text[FORMAT_MAX], double v)
{
    static const char *const prefix[] = {"", " k", " M", " G", " T", " P", " E"};
    size_t i = 0;
    if (!isfinite(v) || v < 0.0)
        return strcpy(text, "-");
    while (v >= 999.5 && i + 1 < sizeof(prefix) / sizeof(prefix[0])) {
        v /= 1000.0;
        i++;
    }
    if (i == 0 && v == floor(v))
        snprintf(text, FORMAT_MAX, "%.0f", v);
    else
        three_digits(text, v, prefix[i]);
    return text;
}

const char *format_grouped(char text[FORMAT_MAX], uint64_t v)
{
    char plain[FORMAT_MAX];
    int n = snprintf(plain, sizeof(plain), "%llu", (unsigned long long)v);
    char *s = text;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            *s++ = ',';
        *s++ = plain[i];
    }
    *s = '\0';
    return text;
}

const char *format_seconds(char text[FORMAT_MAX], double seconds)
{
    if (!isfinite(seconds) || seconds < 0.0)
        return strcpy(text, "-");
    if (seconds < 999.5e-9)
        three_digits(text, seconds * 1e9, " ns");
    else if (seconds < 999.5e-6)
        three_digits(text, seconds * 1e6, " us");
    else if (seconds < 999.5e-3)
        three_digits(text, seconds * 1e3, " ms");
    else
        snprintf(text, FORMAT_MAX, "%.2f s", seconds);
    return text;
}

const char *format_bytes(char text[FORMAT_MAX], uint64_t bytes)
{
    static const char *const prefix[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    size_t i = 0;
    double v = (double)bytes;
    while (v >= 1023.5 && i + 1 < sizeof(prefix) / sizeof(prefix[0])) {
        v /= 1024.0;
        i++;
    }
    if (v == floor(v))
        snprintf(text, FORMAT_MAX, "%.0f%s", v, prefix[i]);
    else
        three_digits(text, v, prefix[i]);
    return text;
}

const char *format_share(char text[FORMAT_MAX], double v)
{
    if (!isfinite(v))
        return strcpy(text, "-");
    snprintf(text, FORMAT_MAX, "%.1f %%", 100.0 * v);
    return text;
}

const char *format_clock(char text[FORMAT_MAX], double seconds)
{
    if (!(seconds >= 0.0 && seconds < 3.6e8))
        return strcpy(text, "--:--");
    unsigned long s = (unsigned long)(seconds + 0.5);
    if (s >= 3600)
        snprintf(text, FORMAT_MAX, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, FORMAT_MAX, "%02lu:%02lu", s / 60, s % 60);
    return text;
}

const char *format_number(char text[FORMAT_MAX], double v)
{
    const double exact = 1e10;
    if (!isfinite(v))
        return strcpy(text, "-");
    if (v == floor(v) && v >= 0.0 && v < exact)
        return format_grouped(text, (uint64_t)v);
    snprintf(text, FORMAT_MAX, fabs(v) >= 1000.0 && fabs(v) < exact ? "%.0f" : "%.4g", v);
    return text;
}

const char *format_error(char text[FORMAT_MAX], double error, bool share, bool sign)
{
    if (!isfinite(error))
        return strcpy(text, "-");
    snprintf(text, FORMAT_MAX, sign ? "%+.1f %s" : "%.1f %s", 100.0 * error, share ? "pp" : "%");
    return text;
}

/* A name being composed; what does not fit is dropped, which is remembered. */
typedef struct {
    char *text;
    size_t n, used;
    bool cut;
} name_t;

static void name_add(name_t *name, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (name->used + 1 >= name->n) {
            name->cut = true;
            return;
        }
        unsigned char c = (unsigned char)s[i];
        name->text[name->used++] = c < 0x20 || c >= 0x7f ? '?' : (char)c;
    }
}

/* Parses a length and that many bytes, as in the Itanium C++ ABI; NULL if *s has another form. */
static const char *source_name(const char **s, size_t *len)
{
    size_t n = 0;
    const char *p = *s;
    for (; *p >= '0' && *p <= '9' && n < 100000; p++)
        n = 10 * n + (size_t)(*p - '0');
    if (p == *s || n == 0 || strnlen(p, n) < n)
        return NULL;
    *s = p + n;
    *len = n;
    return p;
}

const char *format_kernel(char *text, size_t n, const char *mangled)
{
    name_t name = {.text = text, .n = n};
    const char *s = mangled;
    bool nested = strncmp(s, "_ZN", 3) == 0;
    if (strncmp(s, "_Z", 2) == 0) {
        s += nested ? 3 : 2;
        const char *part;
        for (size_t len; (part = source_name(&s, &len)) != NULL;) {
            if (name.used > 0)
                name_add(&name, "::", 2);
            name_add(&name, part, len);
            if (!nested)
                break;
        }
    }
    if (name.used == 0)
        name_add(&name, mangled, strlen(mangled));
    text[name.used] = '\0';
    if (name.cut && n > 4)
        strcpy(text + n - 4, "...");
    return text;
}
