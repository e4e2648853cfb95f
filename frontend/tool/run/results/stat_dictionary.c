#include "frontend/tool/run/results/stat_dictionary.h"

#include <stdio.h>
#include <string.h>

#include "frontend/tool/library/stat_values.h"
#include "frontend/tool/run/results/report_columns.h"
#include "sim/core/alloc.h"

#define FILES_OF_TOTALS   "stats.csv, run.json"
#define FILES_OF_COUNTERS "launches.csv, intervals.csv, stats.csv, run.json"

typedef struct {
    dictionary_entry_t *list;
    size_t n, cap;
} builder_t;

/* group NULL: the name is the path. */
static void add(builder_t *b, const char *group, const dictionary_entry_t *entry, const char *name)
{
    rb_grow(&b->list, &b->cap, b->n + 1, sizeof(*b->list));
    dictionary_entry_t *e = &b->list[b->n++];
    *e = *entry;
    snprintf(e->path, sizeof(e->path), "%s%s%s", group != NULL ? group : "",
             group != NULL ? "." : "", name);
}

static void add_columns(builder_t *b, const report_column_t *columns, size_t n, const char *files)
{
    for (size_t i = 0; i < n; i++)
        add(b, NULL,
            &(dictionary_entry_t){
                .unit = columns[i].unit, .metric = "", .help = columns[i].help, .files = files},
            columns[i].name);
}

/* Adds the rows of stats.csv; totals are not columns of launches.csv. */
static void add_stats(builder_t *b)
{
    for (size_t i = 0; i < stat_count(); i++) {
        const stat_entry_t e = stat_entry(i);
        const bool total = strcmp(e.group, "totals") == 0 || strcmp(e.group, "simulated") == 0;
        add(b, e.group,
            &(dictionary_entry_t){.unit = e.unit,
                                  .metric = e.metric,
                                  .help = e.help,
                                  .files = total ? FILES_OF_TOTALS : FILES_OF_COUNTERS},
            e.name);
    }
}

dictionary_entry_t *stat_dictionary(size_t *n)
{
    builder_t b = {0};
    add_columns(&b, interval_stats, INTERVAL_STAT_COUNT, FILES_OF_TOTALS);
    add_columns(&b, launch_columns, n_launch_columns, "launches.csv");
    add_columns(&b, interval_columns, n_interval_columns, "intervals.csv");
    add_stats(&b);
    *n = b.n;
    return b.list;
}

const char *dictionary_name(const dictionary_entry_t *e)
{
    const char *dot = strrchr(e->path, '.');
    return dot != NULL ? dot + 1 : e->path;
}
