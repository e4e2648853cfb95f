/* Statistics by path and by number. */
#include <math.h>
#include <string.h>

#include "frontend/tool/library/library_internal.h"
#include "sim/conf/suggest.h"

void library_stats_init(rubato_stats *s, const gpu_spec_t *spec)
{
    memset(&s->totals, 0, sizeof(s->totals));
    s->view = (stat_view_t){.spec = spec, .totals = &s->totals, .simulated = &s->totals};
}

size_t rubato_stat_count(void)
{
    return stat_count();
}

rubato_code rubato_stat_describe(size_t number, rubato_stat *stat, rubato_error *error)
{
    rb_err_t err = {0};
    if (!library_given(stat, "stat", error))
        return RUBATO_USAGE;
    if (number >= stat_count()) {
        rb_fail(&err, RB_USAGE, "there is no statistic %zu, only 0 to %zu", number,
                stat_count() - 1);
        return library_fail(error, &err);
    }
    const stat_entry_t e = stat_entry(number);
    snprintf(stat->path, sizeof(stat->path), "%s.%s", e.group, e.name);
    stat->unit = e.unit;
    stat->hardware = e.metric;
    stat->help = e.help;
    stat->ratio = e.real;
    return RUBATO_OK;
}

/* Suggests the nearest name; ignores its group. */
static rb_code_t unknown(const char *path, rb_err_t *err)
{
    const char *dot = strchr(path, '.');
    suggest_t near;
    suggest_begin(&near, dot != NULL ? dot + 1 : path);
    for (size_t i = 0; i < stat_count(); i++)
        suggest_offer(&near, stat_entry(i).name);
    for (size_t i = 0; near.best != NULL && i < stat_count(); i++)
        if (stat_entry(i).name == near.best)
            return rb_fail(err, RB_USAGE, "unknown statistic '%.200s'; did you mean '%s.%s'?", path,
                           stat_entry(i).group, near.best);
    return rb_fail(err, RB_USAGE, "unknown statistic '%.200s'", path);
}

rubato_code rubato_stats_value(const rubato_stats *stats, const char *path, double *value,
                               rubato_error *error)
{
    rb_err_t err = {0};
    if (!library_given(stats, "stats", error) || !library_given(path, "path", error) ||
        !library_given(value, "value", error))
        return RUBATO_USAGE;
    const size_t i = stat_find(path);
    if (i == stat_count())
        unknown(path, &err);
    else
        *value = stat_value_f64(&stats->view, i);
    return library_fail(error, &err);
}

rubato_code rubato_stats_count(const rubato_stats *stats, const char *path, uint64_t *count,
                               rubato_error *error)
{
    rb_err_t err = {0};
    if (!library_given(stats, "stats", error) || !library_given(path, "path", error) ||
        !library_given(count, "count", error))
        return RUBATO_USAGE;
    const size_t i = stat_find(path);
    if (i == stat_count())
        unknown(path, &err);
    else if (stat_entry(i).real)
        rb_fail(&err, RB_USAGE, "%s is not a whole number: see rubato_stats_value()", path);
    else
        *count = stat_value_u64(&stats->view, i);
    return library_fail(error, &err);
}

double rubato_stats_at(const rubato_stats *stats, size_t number)
{
    return stats != NULL && number < stat_count() ? stat_value_f64(&stats->view, number)
                                                  : (double)NAN;
}
