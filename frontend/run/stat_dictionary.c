#include "frontend/run/stat_dictionary.h"

#include <stdio.h>
#include <string.h>

#include "frontend/run/report_columns.h"
#include "frontend/run/run_report.h"
#include "sim/core/alloc.h"

#define FILES_OF_COUNTERS "launches.csv, intervals.csv, stats.csv, run.json"

typedef struct {
    stat_entry_t *list;
    size_t n, cap;
} builder_t;

/* group NULL: the name is the path. */
static void add(builder_t *b, const char *group, const stat_entry_t *entry, const char *name)
{
    rb_grow(&b->list, &b->cap, b->n + 1, sizeof(*b->list));
    stat_entry_t *e = &b->list[b->n++];
    *e = *entry;
    snprintf(e->path, sizeof(e->path), "%s%s%s", group != NULL ? group : "",
             group != NULL ? "." : "", name);
}

static void add_columns(builder_t *b, const report_column_t *columns, size_t n, const char *files)
{
    for (size_t i = 0; i < n; i++)
        add(b, NULL,
            &(stat_entry_t){
                .unit = columns[i].unit, .metric = "", .help = columns[i].help, .files = files},
            columns[i].name);
}

static void add_counters(builder_t *b)
{
    stat_group_t groups[REPORT_GROUPS];
    report_groups(groups, NULL, NULL, NULL);
    for (size_t g = 0; g < REPORT_GROUPS; g++) {
        for (size_t i = 0; i < groups[g].n; i++) {
            const stat_def_t *d = &groups[g].defs[i];
            add(b, groups[g].path,
                &(stat_entry_t){.unit = d->unit,
                                .metric = d->metric,
                                .help = d->help,
                                .files = FILES_OF_COUNTERS},
                d->name);
        }
    }
}

static void add_metrics(builder_t *b)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        const metric_def_t *d = &metric_defs[i];
        add(b, "metrics",
            &(stat_entry_t){
                .unit = d->unit, .metric = d->metric, .help = d->help, .files = FILES_OF_COUNTERS},
            d->name);
    }
}

stat_entry_t *stat_dictionary(size_t *n)
{
    builder_t b = {0};
    add_columns(&b, report_totals, TOTAL_COUNT, "stats.csv, run.json");
    add_columns(&b, launch_columns, n_launch_columns, "launches.csv");
    add_columns(&b, interval_columns, n_interval_columns, "intervals.csv");
    add_counters(&b);
    add_metrics(&b);
    *n = b.n;
    return b.list;
}

const char *stat_entry_name(const stat_entry_t *e)
{
    const char *dot = strrchr(e->path, '.');
    return dot != NULL ? dot + 1 : e->path;
}
