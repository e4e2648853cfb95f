#include "sim/parts/distance.h"

#include "sim/parts/gpc.h"

/* Distances are counted in parts; the line has 2 x columns x slices of them, so that the middle of
 * every column and of every slice is a whole number. */
static int64_t line_parts(const distance_t *d)
{
    return 2 * (int64_t)d->columns * d->n_slices;
}

static int64_t parts_between(const distance_t *d, uint32_t sm, uint32_t slice)
{
    int64_t of_sm = (2 * (int64_t)(sm / SMS_OF_A_TPC % d->columns) + 1) * d->n_slices;
    int64_t of_slice = (2 * (int64_t)slice + 1) * d->columns;
    return of_sm < of_slice ? of_slice - of_sm : of_sm - of_slice;
}

void distance_init(distance_t *d, uint32_t cycles, uint32_t columns, uint32_t n_sms,
                   uint32_t n_slices)
{
    *d = (distance_t){.cycles = cycles, .columns = columns, .n_sms = n_sms, .n_slices = n_slices};
    if (cycles == 0)
        return; /* the total is not used */
    for (uint32_t sm = 0; sm < n_sms; sm++)
        for (uint32_t slice = 0; slice < n_slices; slice++)
            d->total += parts_between(d, sm, slice);
}

/* n / by, rounded towards minus infinity. */
static int64_t floor_div(int64_t n, int64_t by)
{
    return n / by - (n % by < 0);
}

/* Deviation of the round trip from the mean, in cycles. */
static int64_t both_ways(const distance_t *d, uint32_t sm, uint32_t slice)
{
    if (d->cycles == 0)
        return 0;
    int64_t pairs = (int64_t)d->n_sms * d->n_slices;
    int64_t beyond_mean = parts_between(d, sm, slice) * pairs - d->total;
    int64_t unit = line_parts(d) * pairs;
    return floor_div(2 * d->cycles * beyond_mean + unit, 2 * unit);
}

int32_t distance_there(const distance_t *d, uint32_t sm, uint32_t slice)
{
    return (int32_t)floor_div(both_ways(d, sm, slice), 2);
}

int32_t distance_back(const distance_t *d, uint32_t sm, uint32_t slice)
{
    return (int32_t)both_ways(d, sm, slice) - distance_there(d, sm, slice);
}

distance_range_t distance_range(const distance_t *d)
{
    if (d->cycles == 0)
        return (distance_range_t){0, 0};
    distance_range_t r = {INT32_MAX, INT32_MIN};
    for (uint32_t sm = 0; sm < d->n_sms; sm++) {
        for (uint32_t slice = 0; slice < d->n_slices; slice++) {
            int32_t there = distance_there(d, sm, slice), back = distance_back(d, sm, slice);
            r.least = there < r.least ? there : r.least;
            r.most = back > r.most ? back : r.most;
        }
    }
    return r;
}
