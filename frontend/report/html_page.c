#include "frontend/report/html_page.h"

#include <stdbool.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1b1b;--dim:#666;--rule:#ddd;--paper:#fff}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e6e6;--dim:#999;--rule:#444;"
    "--paper:#181818}}\n"
    "@media "
    "print{:root{--ink:#000;--dim:#555;--rule:#ccc;--paper:#fff}figure{break-inside:avoid}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
    "max-width:72rem;margin:2rem auto;padding:0 1rem}\n"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}\n"
    "figure{margin:1rem 0}svg{max-width:100%;height:auto}\n"
    "svg text{fill:var(--ink);font:12px system-ui,sans-serif}svg .dim{fill:var(--dim)}\n"
    "svg .rule{stroke:var(--rule)}svg .axis{stroke:var(--dim)}\n"
    ".key{display:inline-block;margin-right:1.2rem;font-size:.85rem}.key svg{vertical-align:-1px}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2rem .7rem;border-bottom:1px solid var(--rule);text-align:right}\n"
    "th{cursor:pointer}td:first-child,th:first-child{text-align:left}\n";

/* A click sorts by the column, a second one the other way round. */
static const char script[] =
    "document.querySelectorAll('th').forEach(h=>h.onclick=()=>{\n"
    "  const "
    "t=h.closest('table'),i=h.cellIndex,b=t.tBodies[0],d=h.dataset.up=h.dataset.up?'':'1';\n"
    "  const k=r=>r.cells[i].dataset.key??r.cells[i].textContent;\n"
    "  const c=(x,y)=>isNaN(x)||isNaN(y)||x===''||y===''?x.localeCompare(y):x-y;\n"
    "  [...b.rows].sort((x,y)=>(d?1:-1)*c(k(x),k(y))).forEach(r=>b.append(r));\n"
    "});\n";

/* Bytes of the UTF-8 character at s; 0: it is none, or one that no page should hold. */
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
    /* Overlong forms, surrogates and what lies beyond Unicode. */
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90);
    return bad || s[0] < lead[n - 1] ? 0 : n;
}

void html_text(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s != '\0') {
        size_t n = character(s);
        if (n == 0)
            fputs("\xef\xbf\xbd", out);
        else if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '>')
            fputs("&gt;", out);
        else if (*s == '&')
            fputs("&amp;", out);
        else if (*s == '"')
            fputs("&quot;", out);
        else
            fwrite(s, 1, n, out);
        s += n > 0 ? n : 1;
    }
}

static void element(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<%s>", name);
    html_text(out, text);
    fprintf(out, "</%s>\n", name);
}

void html_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n",
          out);
    element(out, "title", title);
    fprintf(out, "<style>\n%s</style>\n</head>\n<body>\n", style);
    element(out, "h1", title);
}

void html_end(FILE *out)
{
    fprintf(out, "<script>\n%s</script>\n</body>\n</html>\n", script);
}

void html_heading(FILE *out, const char *text)
{
    element(out, "h2", text);
}

void html_paragraph(FILE *out, const char *text)
{
    element(out, "p", text);
}

void html_table_begin(FILE *out, const char *const *headings, size_t n)
{
    fputs("<table>\n<thead><tr>", out);
    for (size_t i = 0; i < n; i++)
        element(out, "th", headings[i]);
    fputs("</tr></thead>\n<tbody>\n", out);
}

void html_row_begin(FILE *out)
{
    fputs("<tr>", out);
}

void html_cell(FILE *out, const char *text, const char *key)
{
    fputs("<td", out);
    if (key != NULL) {
        fputs(" data-key=\"", out);
        html_text(out, key);
        fputs("\"", out);
    }
    fputs(">", out);
    html_text(out, text);
    fputs("</td>", out);
}

void html_row_end(FILE *out)
{
    fputs("</tr>\n", out);
}

void html_table_end(FILE *out)
{
    fputs("</tbody>\n</table>\n", out);
}
