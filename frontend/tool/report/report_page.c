#include "frontend/tool/report/report_page.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Defined in page_files.S. */
extern const char page_style[], page_style_end[];
extern const char page_library[], page_library_end[];
extern const char page_script[], page_script_end[];

/* Length of the UTF-8 character at s in bytes; 0: invalid, or not allowed in a page. */
static size_t character(const unsigned char *s)
{
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (n == 0 || s[0] > 0xf4 || (n == 1 && s[0] < 0x20))
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Overlong forms, surrogates and values beyond Unicode. */
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90);
    return bad || s[0] < lead[n - 1] ? 0 : n;
}

/* Writes escaped HTML text. */
static void html_text(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t n; *s != '\0'; s += n > 0 ? n : 1) {
        n = character(s);
        if (n == 0)
            fputs("\xef\xbf\xbd", out);
        else if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '&')
            fputs("&amp;", out);
        else
            fwrite(s, 1, n, out);
    }
}

void page_text(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (text == NULL) {
        fputs("null", out);
        return;
    }
    putc('"', out);
    for (size_t n; *s != '\0'; s += n > 0 ? n : 1) {
        n = character(s);
        if (n == 0)
            fputs("\\ufffd", out);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s == '<') /* "</script>" would end the data */
            fputs("\\u003c", out);
        else
            fwrite(s, 1, n, out);
    }
    putc('"', out);
}

void page_number(FILE *out, double v)
{
    static const double exact = 0x1p53;
    if (!isfinite(v))
        fputs("null", out);
    else if (v == floor(v) && fabs(v) < exact)
        fprintf(out, "%.0f", v == 0.0 ? 0.0 : v);
    else
        fprintf(out, "%.6g", v);
}

void page_numbers(FILE *out, const double *values, size_t n)
{
    putc('[', out);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            putc(',', out);
        page_number(out, values[i]);
    }
    putc(']', out);
}

void page_key(FILE *out, const char *key)
{
    page_text(out, key);
    putc(':', out);
}

void page_number_member(FILE *out, const char *key, double v)
{
    page_key(out, key);
    page_number(out, v);
    putc(',', out);
}

void page_text_member(FILE *out, const char *key, const char *text)
{
    page_key(out, key);
    page_text(out, text);
    putc(',', out);
}

static void put_file(FILE *out, const char *from, const char *end)
{
    fwrite(from, 1, (size_t)((uintptr_t)end - (uintptr_t)from), out);
}

void report_page_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
          out);
    html_text(out, title);
    fputs("</title>\n<style>\n", out);
    put_file(out, page_style, page_style_end);
    fputs("</style>\n</head>\n<body>\n<h1>", out);
    html_text(out, title);
    fputs("</h1>\n<noscript>The charts and tables are drawn by a script in this file.</noscript>\n"
          "<main id=\"main\"></main>\n<script type=\"application/json\" id=\"data\">\n"
          "{\"sections\":[",
          out);
}

void report_page_section(FILE *out, bool first)
{
    fputs(first ? "\n" : ",\n", out);
}

void report_page_end(FILE *out)
{
    fputs("]}\n</script>\n<script>\n", out);
    put_file(out, page_library, page_library_end);
    fputs("\n</script>\n<script>\n\"use strict\";\n(() => {\n", out);
    put_file(out, page_script, page_script_end);
    fputs("})();\n</script>\n</body>\n</html>\n", out);
}
