/* The section of a run that shows its instructions. */
#include "frontend/tool/report/page_instructions.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/report/page_source.h"
#include "frontend/tool/report/report_page.h"
#include "sim/core/alloc.h"

/* Limits of a page: instructions of all kernels, bytes of source text; waits below this share of
 * the instruction's cycles are left out. */
enum { ROWS_MAX = 40000, SOURCE_BYTES_MAX = 1 << 20 };
static const double wait_share_min = 0.01;

static void put_list_start(FILE *out, const char *key)
{
    page_key(out, key);
    putc('[', out);
}

/* "name":{"at":[...],"is":[...]}: the values that are not 0, by place. */
static void put_sparse(FILE *out, const char *name, const double *values, size_t n, bool *first)
{
    bool some = false, comma = false;

    for (size_t i = 0; i < n && !some; i++)
        some = values[i] != 0;
    if (!some)
        return;
    if (!*first)
        putc(',', out);
    *first = false;
    page_key(out, name);
    fputs("{\"at\":[", out);
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (values[i] == 0)
            continue;
        fprintf(out, comma ? ",%zu" : "%zu", i - last); /* the distance from the one before */
        last = i;
        comma = true;
    }
    fputs("],\"is\":[", out);
    comma = false;
    for (size_t i = 0; i < n; i++) {
        if (values[i] == 0)
            continue;
        if (comma)
            putc(',', out);
        page_number(out, values[i]);
        comma = true;
    }
    fputs("]}", out);
}

/* The kernel's column of a counter or state, in values. */
static const double *column(const page_inst_t *insts, size_t n, size_t offset, double *values)
{
    for (size_t i = 0; i < n; i++)
        memcpy(&values[i], (const char *)&insts[i] + offset, sizeof(values[i]));
    return values;
}

static void put_columns(FILE *out, const page_insts_t *p, const page_inst_t *insts, size_t n)
{
    double *values = rb_calloc(n + 1, sizeof(*values));
    bool first = true;

    fputs("\"counters\":{", out);
    for (size_t i = 0; i < PAGE_COUNTERS; i++)
        put_sparse(out, page_counter_names[i],
                   column(insts, n, offsetof(page_inst_t, counter) + i * sizeof(double), values), n,
                   &first);
    fputs("},\"states\":{", out);
    first = true;
    for (size_t i = 0; i < p->n_states; i++)
        put_sparse(out, p->states[i],
                   column(insts, n, offsetof(page_inst_t, state) + i * sizeof(double), values), n,
                   &first);
    fputs("},", out);
    free(values);
}

/* [place, state, place waited for (-1: unknown), cycles] of the waits that matter. */
static void put_waits(FILE *out, const page_insts_t *p, const page_inst_kernel_t *k, size_t n)
{
    const page_inst_t *insts = p->insts + k->first;
    bool first = true;

    put_list_start(out, "waits");
    for (size_t i = k->wait; i < k->wait + k->n_waits; i++) {
        const page_wait_t *w = &p->waits[i];
        const page_inst_t *in = page_insts_at(p, k, w->pc), *on = page_insts_at(p, k, w->for_pc);
        if (in == NULL || (size_t)(in - insts) >= n || w->cycles <= 0 ||
            w->cycles < wait_share_min * in->state[w->state])
            continue;
        long place = on != NULL && (size_t)(on - insts) < n ? (long)(on - insts) : -1;
        fprintf(out, "%s[%zu,%u,%ld,", first ? "" : ",", (size_t)(in - insts), w->state, place);
        page_number(out, w->cycles);
        putc(']', out);
        first = false;
    }
    putc(']', out);
}

static void put_kernel(FILE *out, const page_insts_t *p, const page_inst_kernel_t *k, size_t n,
                       page_kernel_name_t name)
{
    const page_inst_t *insts = p->insts + k->first;
    char text[256];

    putc('{', out);
    page_text_member(out, "name", name(text, sizeof(text), k->name));
    page_number_member(out, "arch", k->arch);
    page_number_member(out, "launches", k->launches);
    page_number_member(out, "estimated", k->estimated);
    page_number_member(out, "all", (double)k->n);
    put_list_start(out, "pc");
    for (size_t i = 0; i < n; i++)
        fprintf(out, i > 0 ? ",%.0f" : "%.0f", insts[i].pc);
    fputs("],", out);
    put_list_start(out, "text");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            putc(',', out);
        page_text(out, insts[i].text);
    }
    fputs("],", out);
    put_list_start(out, "file");
    for (size_t i = 0; i < n; i++)
        fprintf(out, i > 0 ? ",%lld" : "%lld", (long long)insts[i].file);
    fputs("],", out);
    put_list_start(out, "line");
    for (size_t i = 0; i < n; i++)
        fprintf(out, i > 0 ? ",%.0f" : "%.0f", insts[i].line);
    fputs("],", out);
    put_columns(out, p, insts, n);
    put_waits(out, p, k, n);
    putc('}', out);
}

/* --- source files ---------------------------------------------------------------------------- */

typedef struct {
    int64_t file;
    uint32_t line;
} place_t;

static int by_place(const void *a, const void *b)
{
    const place_t *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* The lines of instructions in the page, in order. */
static size_t find_lines(const page_insts_t *p, const size_t *shown, place_t *list)
{
    size_t n = 0;

    for (size_t k = 0; k < p->n_kernels; k++)
        for (size_t i = p->kernels[k].first; i < p->kernels[k].first + shown[k]; i++)
            if (p->insts[i].file != PAGE_NO_FILE && p->insts[i].line < UINT32_MAX)
                list[n++] = (place_t){p->insts[i].file, (uint32_t)p->insts[i].line};
    if (n > 0)
        qsort(list, n, sizeof(*list), by_place);
    return n;
}

static void put_files(FILE *out, const page_insts_t *p, const size_t *shown)
{
    place_t *list = rb_calloc(ROWS_MAX + 1, sizeof(*list));
    uint32_t *lines = rb_calloc(ROWS_MAX + 1, sizeof(*lines));
    size_t n = find_lines(p, shown, list), room = SOURCE_BYTES_MAX, at = 0;

    put_list_start(out, "files");
    for (size_t f = 0; f < p->n_files; f++) {
        size_t n_lines = 0;
        for (; at < n && list[at].file == (int64_t)f; at++)
            if (n_lines == 0 || lines[n_lines - 1] != list[at].line)
                lines[n_lines++] = list[at].line;
        fputs(f > 0 ? ",{" : "{", out);
        page_text_member(out, "path", p->files[f]);
        page_key(out, "lines");
        page_source_lines(out, p->files[f], lines, n_lines, &room);
        putc('}', out);
    }
    fputs("],", out);
    free(list);
    free(lines);
}

/* --- the section ----------------------------------------------------------------------------- */

static void put_section(FILE *out, const page_insts_t *p, const char *title,
                        page_kernel_name_t name)
{
    size_t *shown = rb_calloc(p->n_kernels + 1, sizeof(*shown));
    size_t rows = ROWS_MAX;
    bool first = true;

    for (size_t k = 0; k < p->n_kernels; k++) {
        shown[k] = p->kernels[k].n < rows ? p->kernels[k].n : rows;
        rows -= shown[k];
    }
    fputs("{\"type\":\"instructions\",", out);
    page_text_member(out, "title", title);
    page_number_member(out, "all", (double)p->n_kernels);
    put_list_start(out, "stateNames");
    for (uint32_t i = 0; i < p->n_states; i++) {
        if (i > 0)
            putc(',', out);
        page_text(out, p->states[i]);
    }
    fputs("],", out);
    put_files(out, p, shown);
    put_list_start(out, "kernels");
    for (size_t k = 0; k < p->n_kernels; k++) {
        if (shown[k] == 0)
            continue;
        fputs(first ? "\n" : ",\n", out);
        put_kernel(out, p, &p->kernels[k], shown[k], name);
        first = false;
    }
    fputs("]}\n", out);
    free(shown);
}

rb_code_t page_instructions(FILE *out, const char *path, const char *waits, const char *title,
                            page_kernel_name_t name, rb_err_t *err)
{
    page_insts_t p;
    rb_code_t rc = page_insts_read(&p, path, waits, err);

    if (rc == RB_OK)
        put_section(out, &p, title, name);
    page_insts_free(&p);
    return rc;
}
