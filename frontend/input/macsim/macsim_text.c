#include "frontend/input/macsim/macsim_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/core/files/in_file.h"

enum { LINE_BYTES = 1 << 20, FORMAT_VERSION = 14 };

/* Kinds of traces that MacSim reads; only the first is of SASS instructions. */
static const char *const kinds[] = {"nvbit", "newptx", "ptx", "x86", "a64", "igpu"};

rb_code_t macsim_text_open(macsim_text_t *t, const char *path, rb_err_t *err)
{
    *t = (macsim_text_t){.lines = {.path = path, .max = LINE_BYTES}};
    t->lines.in = in_file_open(path, err);
    return t->lines.in != NULL ? RB_OK : RB_IO;
}

void macsim_text_close(macsim_text_t *t)
{
    fclose(t->lines.in);
    text_lines_free(&t->lines);
}

rb_code_t macsim_text_next(macsim_text_t *t, bool *more, rb_err_t *err)
{
    RB_TRY(text_lines_next(&t->lines, more, err));
    t->text = t->lines.text;
    for (size_t n = t->lines.n; n > 0 && isspace((unsigned char)t->text[n - 1]); n--)
        t->text[n - 1] = '\0';
    return RB_OK;
}

rb_code_t macsim_text_need(macsim_text_t *t, const char *what, rb_err_t *err)
{
    bool more;

    RB_TRY(macsim_text_next(t, &more, err));
    return more ? RB_OK
                : macsim_text_fail(t, err, "the file is truncated: it ends before %s", what);
}

rb_code_t macsim_text_fail(const macsim_text_t *t, rb_err_t *err, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return rb_fail(err, RB_TRACE, "%s:%llu: %s", t->lines.path, (unsigned long long)t->lines.number,
                   text);
}

bool macsim_text_number(const char **p, uint64_t max, uint64_t *value)
{
    const char *s = *p + strspn(*p, " \t"), *digits = s;
    uint64_t v = 0;

    for (; isdigit((unsigned char)*s); s++)
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return false;
    if (s == digits || v > max)
        return false;
    *p = s;
    *value = v;
    return true;
}

bool macsim_text_ends(const char *p)
{
    return p[strspn(p, " \t")] == '\0';
}

bool macsim_text_is_trace(const char *path)
{
    enum { WORD = 16 };
    char word[WORD] = {0};
    struct stat st;
    FILE *file;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || (file = fopen(path, "re")) == NULL)
        return false;
    size_t n = fread(word, 1, WORD - 1, file);

    fclose(file);
    word[n] = '\0';
    word[strcspn(word, "\r\n")] = '\0';
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(word, kinds[i]) == 0)
            return true;
    return false;
}

rb_code_t macsim_text_head(macsim_text_t *t, rb_err_t *err)
{
    uint64_t version;

    RB_TRY(macsim_text_need(t, "the kind of trace", err));
    if (strcmp(t->text, kinds[0]) != 0)
        return macsim_text_fail(t, err,
                                "'%.40s' is not a kind of MacSim trace that can be read: only "
                                "nvbit traces are",
                                t->text);
    RB_TRY(macsim_text_need(t, "the version", err));
    const char *p = t->text;

    if (!macsim_text_number(&p, UINT64_MAX, &version) || !macsim_text_ends(p))
        return macsim_text_fail(t, err, "a version number is expected, not '%.40s'", t->text);
    if (version != FORMAT_VERSION)
        return macsim_text_fail(t, err, "version %llu of the format: only version %d can be read",
                                (unsigned long long)version, FORMAT_VERSION);
    return RB_OK;
}
