#include "frontend/tool/report/page_source.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/tool/report/report_page.h"
#include "sim/core/files/text_lines.h"

enum { NEAR = 4, LINE_BYTES = 240, FILE_BYTES_MAX = 64 << 20, LINE_MAX_BYTES = 1 << 20 };

/* Languages that are compiled to code with line tables. */
static bool is_source_name(const char *path)
{
    static const char *const endings[] = {"cu",  "cuh", "h",   "hh",  "hpp", "hxx",
                                          "c",   "cc",  "cpp", "cxx", "inl", "inc",
                                          "ipp", "tpp", "ptx", "py",  "jl",  "f90"};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcmp(dot + 1, endings[i]) == 0)
            return true;
    return false;
}

static FILE *open_source(const char *path)
{
    struct stat st;

    if (!is_source_name(path) || stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size > FILE_BYTES_MAX)
        return NULL;
    return fopen(path, "re");
}

/* Cuts a text at a length, between characters. */
static void cut(char *text, size_t n)
{
    if (strlen(text) <= n)
        return;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    text[n] = '\0';
}

/* Tabs are no text of a page. */
static void expand(const char *from, char *to, size_t max)
{
    enum { TAB = 4 };
    size_t n = 0;

    for (; *from != '\0' && n + TAB < max; from++) {
        if (*from != '\t' && *from != '\r')
            to[n++] = *from;
        else if (*from == '\t')
            do
                to[n++] = ' ';
            while (n % TAB != 0);
    }
    to[n] = '\0';
}

void page_source_lines(FILE *out, const char *path, const uint32_t *wanted, size_t n, size_t *room)
{
    text_lines_t l = {.path = path, .in = open_source(path), .max = LINE_MAX_BYTES};
    rb_err_t err = {0};
    bool more, first = true;
    size_t at = 0;

    if (l.in == NULL) {
        fputs("null", out);
        return;
    }
    putc('[', out);
    while (at < n && text_lines_next(&l, &more, &err) == RB_OK && more) {
        char text[2 * LINE_BYTES];
        while (at < n && l.number > (uint64_t)wanted[at] + NEAR)
            at++;
        bool is_near = at < n && l.number + NEAR >= wanted[at];
        if (!is_near)
            continue;
        expand(l.text, text, sizeof(text));
        cut(text, LINE_BYTES);
        if (strlen(text) > *room)
            break;
        *room -= strlen(text);
        fprintf(out, "%s[%llu,", first ? "" : ",", (unsigned long long)l.number);
        page_text(out, text);
        putc(']', out);
        first = false;
    }
    putc(']', out);
    text_lines_free(&l);
    fclose(l.in);
}
