#include <stdlib.h>

#include "frontend/input/profile/profile.h"

void profile_free(profile_t *p)
{
    if (p == NULL)
        return;
    free(p->id);
    free(p->name);
    for (uint32_t i = 0; i < p->n_names; i++)
        free(p->names[i]);
    free(p->names);
    free(p->time);
    free(p->grid);
    free(p->block);
    for (int i = 0; i < PROFILE_COUNTERS; i++)
        free(p->counter[i]);
    free(p);
}

double profile_total_time(const profile_t *p)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < p->n; i++)
        sum += p->time[i];
    return sum;
}
