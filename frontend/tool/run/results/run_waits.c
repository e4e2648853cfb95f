#include "frontend/tool/run/results/run_waits.h"

#include <stdio.h>
#include <string.h>

#include "frontend/tool/io/text_format.h"
#include "sim/core/log.h"

enum { MOST_TOLD = 8, NAME_BYTES = 80 };

static size_t waits_of(trace_source_t *source, const wait_loop_t **list)
{
    *list = NULL;
    return source->ops->waits != NULL ? source->ops->waits(source, list) : 0;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static void tell_loop(const wait_loop_t *w)
{
    char name[NAME_BYTES], line[256] = "", ended[80] = "";

    if (w->has_line)
        snprintf(line, sizeof(line), "%s:%u, ", file_name(w->line.file), w->line.line);
    if (w->ended > 0)
        snprintf(ended, sizeof(ended), "; %llu of them end at the first poll",
                 (unsigned long long)w->ended);
    rb_info("  %s, %spc 0x%x: %llu wait%s%s", format_kernel(name, sizeof(name), w->kernel), line,
            w->pc, (unsigned long long)w->n, w->n == 1 ? "" : "s", ended);
}

void run_waits_tell(trace_source_t *source, const char *why)
{
    const wait_loop_t *list;
    const size_t n = waits_of(source, &list);
    uint64_t least = 0;

    if (n == 0)
        return;
    if (why != NULL)
        rb_info("warps wait for each other in these loops; %s, each wait ends at its first poll:",
                why);
    else
        rb_info("warps wait for each other in these loops, and cycles depend on how long:");
    for (size_t told = 0; told < n && told < MOST_TOLD; told++) {
        const wait_loop_t *most = NULL;
        /* In descending order; of equal ones the first. */
        for (size_t i = 0; i < n; i++) {
            size_t before = 0;
            for (size_t k = 0; k < n; k++)
                before += list[k].n > list[i].n || (list[k].n == list[i].n && k < i);
            if (before == told)
                most = &list[i];
        }
        tell_loop(most);
        least = most->n;
    }
    if (n > MOST_TOLD)
        rb_info("  and %zu other loops, with at most %llu waits each", n - MOST_TOLD,
                (unsigned long long)least);
}

void run_waits_json(trace_source_t *source, json_t *j)
{
    const wait_loop_t *list;
    const size_t n = waits_of(source, &list);

    if (n == 0)
        return;
    json_begin_rows(j, "waits");
    for (size_t i = 0; i < n; i++) {
        json_begin_object(j, NULL);
        json_text(j, "kernel", list[i].kernel);
        json_u64(j, "pc", list[i].pc);
        if (list[i].has_line) {
            json_text(j, "file", list[i].line.file);
            json_u64(j, "line", list[i].line.line);
        }
        json_u64(j, "waits", list[i].n);
        json_u64(j, "end_at_first_poll", list[i].ended);
        json_end(j);
    }
    json_end(j);
}
