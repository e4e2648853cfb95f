#include "frontend/cli/evaluate_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/report/html_page.h"
#include "frontend/report/line_chart.h"
#include "sim/core/alloc.h"

enum { SETS_MAX = 64, LABEL = 40 };

static double *no_values(size_t n)
{
    double *v = rb_calloc(n, sizeof(*v));
    for (size_t i = 0; i < n; i++)
        v[i] = (double)NAN;
    return v;
}

/* Index of a name among the sets, which gets it. */
static size_t set_index(evaluate_page_t *p, const char *set)
{
    size_t i = 0;
    while (i < p->n_sets && strcmp(p->sets[i], set) != 0)
        i++;
    if (i < p->n_sets || i == SETS_MAX)
        return i;
    rb_grow(&p->sets, &p->cap_sets, p->n_sets + 1, sizeof(*p->sets));
    p->sets[p->n_sets++] = rb_strdup(set);
    return i;
}

/* The same of a series, in all charts. */
static size_t series_index(evaluate_page_t *p, const char *name)
{
    size_t i = 0;
    while (i < p->n_series && strcmp(p->series[0][i].name, name) != 0)
        i++;
    if (i < p->n_series || i == PAGE_SERIES_MAX)
        return i;
    for (size_t chart = 0; chart < PAGE_CHARTS; chart++)
        p->series[chart][i] = (page_series_t){rb_strdup(name), no_values(SETS_MAX)};
    p->n_series++;
    return i;
}

void evaluate_page_add(evaluate_page_t *p, const char *set, const char *series,
                       const sampled_score_t *score)
{
    size_t place = set_index(p, set), line = series_index(p, series);
    if (place == SETS_MAX || line == PAGE_SERIES_MAX)
        return;
    p->series[0][line].value[place] = 100.0 * fabs(score->error);
    p->series[1][line].value[place] = 100.0 * score->simulated;
    p->series[2][line].value[place] = score->speedup_wall;
}

void evaluate_page_launches(evaluate_page_t *p, const char *set, const run_result_t *full,
                            const run_result_t *sampled)
{
    char text[LABEL];
    if (full->n > PAGE_LAUNCHES_MAX || full->n < 2 || p->n_of_set == PAGE_SERIES_MAX)
        return;
    for (; p->n_launches < full->n; p->n_launches++) {
        const launch_result_t *l = &full->launches[p->n_launches].r;
        snprintf(text, sizeof(text), "%llu", (unsigned long long)l->info.id);
        p->launches[p->n_launches] = rb_strdup(text);
    }
    page_series_t *s = &p->of_set[p->n_of_set++];
    *s = (page_series_t){rb_strdup(set), no_values(PAGE_LAUNCHES_MAX)};
    for (size_t i = 0; i < full->n; i++) {
        const launch_result_t *l = &full->launches[i].r;
        const run_launch_t *other = run_result_find(sampled, l->info.id);
        if (other != NULL && launch_result_cycles(l) > 0)
            s->value[i] = 100.0 * fabs((double)launch_result_cycles(&other->r) /
                                           (double)launch_result_cycles(l) -
                                       1.0);
    }
}

static void write_chart(const page_series_t *lines, size_t n, char *const *places, size_t n_places,
                        const char *title, const char *x, const char *y, FILE *out)
{
    line_series_t series[PAGE_SERIES_MAX];
    if (n == 0 || n_places == 0)
        return;
    for (size_t i = 0; i < n; i++)
        series[i] = (line_series_t){lines[i].name, lines[i].value};
    line_chart_write(out, &(line_chart_t){.title = title,
                                          .x_label = x,
                                          .y_label = y,
                                          .places = (const char *const *)places,
                                          .n_places = n_places,
                                          .series = series,
                                          .n_series = n});
}

void evaluate_page_write(const evaluate_page_t *p, const char *title, FILE *out)
{
    static const char *const charts[PAGE_CHARTS][2] = {
        {"Error of the cycles", "% of the full run"},
        {"Instructions that were simulated", "%"},
        {"Speed-up by wall clock", "full over sampled"}};
    html_begin(out, title);
    html_heading(out, title);
    for (size_t i = 0; i < PAGE_CHARTS; i++)
        write_chart(p->series[i], p->n_series, p->sets, p->n_sets, charts[i][0], "samplers",
                    charts[i][1], out);
    write_chart(p->of_set, p->n_of_set, p->launches, p->n_launches, "Error of each launch",
                "launch", "% of its cycles", out);
    html_end(out);
}

void evaluate_page_free(evaluate_page_t *p)
{
    for (size_t i = 0; i < p->n_sets; i++)
        free(p->sets[i]);
    for (size_t i = 0; i < p->n_series; i++) {
        for (size_t chart = 0; chart < PAGE_CHARTS; chart++) {
            free(p->series[chart][i].name);
            free(p->series[chart][i].value);
        }
    }
    for (size_t i = 0; i < p->n_launches; i++)
        free(p->launches[i]);
    for (size_t i = 0; i < p->n_of_set; i++) {
        free(p->of_set[i].name);
        free(p->of_set[i].value);
    }
    free(p->sets);
    *p = (evaluate_page_t){0};
}
