#include "frontend/tool/cli/run/stats_explain.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/run/results/stat_dictionary.h"
#include "sim/conf/suggest.h"

/* Width of the column of paths: enough for most of them. */
enum { PATH_COLUMN = 36 };

typedef struct {
    dictionary_entry_t *list; /* owned */
    size_t n;
} dictionary_t;

static void print_entry(const dictionary_entry_t *e)
{
    printf("%s\n    %s\n", e->path, e->help);
    if (strcmp(e->unit, "1") == 0)
        printf("    unit: none (a fraction or ratio)\n");
    else if (e->unit[0] != '\0')
        printf("    unit: %s\n", e->unit);
    if (e->metric[0] != '\0')
        printf("    Nsight Compute: %s\n", e->metric);
    printf("    in: %s\n", e->files);
}

static void print_all(const dictionary_t *d)
{
    for (size_t i = 0; i < d->n; i++)
        printf("%-*s %s\n", PATH_COLUMN, d->list[i].path, d->list[i].help);
}

static bool is_entry(const dictionary_entry_t *e, const char *name)
{
    return strcmp(e->path, name) == 0 || strcmp(dictionary_name(e), name) == 0 ||
           strcmp(e->metric, name) == 0;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool starts_entry(const dictionary_entry_t *e, const char *name)
{
    return begins_with(e->path, name) || begins_with(dictionary_name(e), name) ||
           begins_with(e->metric, name);
}

/* Prints the entries that match; returns how many. */
static size_t print_matches(const dictionary_t *d, const char *name,
                            bool (*match)(const dictionary_entry_t *e, const char *name))
{
    size_t found = 0;
    for (size_t i = 0; i < d->n; i++) {
        if (match(&d->list[i], name)) {
            print_entry(&d->list[i]);
            found++;
        }
    }
    return found;
}

static rb_code_t unknown(const dictionary_t *d, const char *name, rb_err_t *err)
{
    suggest_t near;
    const bool group = strchr(name, '.') != NULL;
    suggest_begin(&near, name);
    for (size_t i = 0; i < d->n; i++)
        suggest_offer(&near, group ? d->list[i].path : dictionary_name(&d->list[i]));
    if (near.best != NULL)
        return rb_fail(err, RB_USAGE, "no statistic begins with '%.100s'; did you mean '%s'?", name,
                       near.best);
    return rb_fail(err, RB_USAGE,
                   "no statistic begins with '%.100s'; 'rubato stats explain' lists all", name);
}

rb_code_t stats_explain(char *const *names, int n, rb_err_t *err)
{
    dictionary_t d;
    rb_code_t rc = RB_OK;
    d.list = stat_dictionary(&d.n);
    if (n == 0)
        print_all(&d);
    for (int i = 0; rc == RB_OK && i < n; i++) {
        if (names[i][0] == '\0' || (print_matches(&d, names[i], is_entry) == 0 &&
                                    print_matches(&d, names[i], starts_entry) == 0))
            rc = unknown(&d, names[i], err);
    }
    free(d.list);
    return rc;
}
