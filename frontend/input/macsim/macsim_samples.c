#include "frontend/input/macsim/macsim_samples.h"

#include <stdlib.h>

#include "sim/core/log.h"

static int by_number(const void *a, const void *b)
{
    const macsim_weight_t *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

void macsim_samples_weigh(macsim_list_t *list, macsim_weight_t *weights, size_t n)
{
    size_t used = 0;

    if (n == 0)
        return;
    qsort(weights, n, sizeof(*weights), by_number);
    for (size_t i = 0; i < list->n_kernels; i++) {
        const macsim_weight_t key = {.number = list->kernels[i].number};
        const macsim_weight_t *found = bsearch(&key, weights, n, sizeof(*weights), by_number);

        if (found != NULL) {
            list->kernels[i].weight = found->weight;
            used++;
        }
    }
    if (used < n)
        rb_warn("%s: %zu of the %zu sampled launches are not in the trace", list->samples, n - used,
                n);
}
