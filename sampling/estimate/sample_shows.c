#include "sampling/estimate/sample_shows.h"

/* Samples of equal parts that are enough. */
#define LEAST_SHOW 3.0

/* What hits are a part of. */
static const uint16_t looked_up[][2] = {
    {VALUE_AT(sm.global_load_hits), VALUE_AT(sm.global_load_sectors)},
    {VALUE_AT(l2.read_hits), VALUE_AT(l2.read_sectors)},
    {VALUE_AT(l2.write_hits), VALUE_AT(l2.write_sectors)},
    {VALUE_AT(l2.atomic_hits), VALUE_AT(l2.atomic_sectors)},
    {VALUE_AT(l2.red_hits), VALUE_AT(l2.red_sectors)}};

void sample_shows(shown_t *s, double x)
{
    s->sum += x;
    s->squares += x * x;
}

bool sample_few_show(const shown_t *s)
{
    return s->sum * s->sum < LEAST_SHOW * s->squares;
}

double sample_misses(const stat_form_t *f, const double values[STAT_VALUES])
{
    if (f->den.n > 0)
        return f->most == 1 ? form_value(&f->den, values) - form_value(&f->num, values) : 0;
    for (size_t i = 0; i < sizeof(looked_up) / sizeof(looked_up[0]); i++)
        if (f->num.n == 1 && f->num.term[0].value == looked_up[i][0])
            return values[looked_up[i][1]] - values[looked_up[i][0]];
    return 0;
}
