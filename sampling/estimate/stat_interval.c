#include "sampling/estimate/stat_interval.h"

#include <math.h>

stat_interval_t stat_interval_none(const char *reason)
{
    return (stat_interval_t){(double)NAN, (double)NAN, "none", reason};
}

stat_interval_t stat_interval_possible(stat_interval_t i, double value, double least, double most)
{
    i.low = fmin(fmax(i.low, fmax(least, 0)), value);
    i.high = fmax(fmin(i.high, most), value);
    return i;
}

/* Whether a form is one value, and which. */
static bool is_value(const linear_form_t *f, uint16_t *value)
{
    if (f->n != 1 || f->term[0].coefficient != 1)
        return false;
    *value = f->term[0].value;
    return true;
}

/* The statistics that are one value each, by value; 0: none is. */
static void find_sums(const stat_list_t *stats, size_t sums[STAT_VALUES])
{
    uint16_t value;
    for (size_t i = stats->sums; i-- > 0;)
        if (stats->form[i].den.n == 0 && is_value(&stats->form[i].num, &value))
            sums[value] = i;
}

void stat_interval_parts(const stat_list_t *stats, stat_interval_t *of)
{
    size_t sums[STAT_VALUES] = {0};
    find_sums(stats, sums);
    for (size_t i = stats->sums; i < stats->n; i++) {
        const stat_form_t *f = &stats->form[i];
        uint16_t part, whole;
        if (f->most != 1 || !is_value(&f->num, &part) || !is_value(&f->den, &whole) ||
            sums[part] == 0 || sums[whole] == 0)
            continue;
        stat_interval_t *p = &of[sums[part]], *w = &of[sums[whole]];
        if (isnan(p->low) || isnan(w->low))
            continue;
        p->high = fmin(p->high, w->high);
        w->low = fmax(w->low, p->low);
    }
}
