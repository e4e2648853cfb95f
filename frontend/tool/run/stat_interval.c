#include "frontend/tool/run/stat_interval.h"

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
static void find_sums(const stat_form_t *forms, size_t sums[STAT_VALUES])
{
    uint16_t value;
    for (size_t i = stat_count() - METRIC_COUNT; i-- > 0;)
        if (forms[i].den.n == 0 && is_value(&forms[i].num, &value))
            sums[value] = i;
}

void stat_interval_parts(const stat_form_t *forms, stat_interval_t *of)
{
    size_t sums[STAT_VALUES] = {0};
    find_sums(forms, sums);
    for (size_t i = stat_count() - METRIC_COUNT; i < stat_count(); i++) {
        uint16_t part, whole;
        if (forms[i].most != 1 || !is_value(&forms[i].num, &part) ||
            !is_value(&forms[i].den, &whole) || sums[part] == 0 || sums[whole] == 0)
            continue;
        stat_interval_t *p = &of[sums[part]], *w = &of[sums[whole]];
        if (isnan(p->low) || isnan(w->low))
            continue;
        p->high = fmin(p->high, w->high);
        w->low = fmax(w->low, p->low);
    }
}
