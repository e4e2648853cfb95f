/*
 * every_nth: simulates every n-th launch of each kernel, from the first on. The weight of each is the
 * number of launches of the kernel divided by the number of simulated ones.
 *
 *   cc -std=c99 -O2 -shared -fPIC -I PREFIX/include every_nth.c -o every_nth.so
 *   rubato run app.rbt --sample plugin:./every_nth.so,n=4
 */
#include <stdio.h>
#include <stdlib.h>

#include "rubato_sampler.h"

enum { OPTION_N };

static const rubato_option_t options[] = {
    {"n", RUBATO_INTEGER, "10", 1, 1e9, NULL, "launches of a kernel that one stands for"},
};

/* The kernel of a row; 0 if launches have no names. */
static uint32_t kernel_of(const rubato_launches_t *l, uint64_t row)
{
    return l->kernel == NULL ? 0 : l->kernel[row];
}

static int weigh(const rubato_task_t *task, void *state, const double *cycles,
                 rubato_choice_t *choice, char *why)
{
    const rubato_launches_t *l = task->launches;
    const uint64_t n = task->options[OPTION_N].integer;
    const uint32_t kernels = l->kernel == NULL ? 1 : l->n_kernels;
    uint64_t *size = calloc(kernels, sizeof(*size)), row;
    (void)state;
    (void)cycles;
    if (size == NULL) {
        snprintf(why, RUBATO_WHY_MAX, "no memory for %u kernels", kernels);
        return 1;
    }
    /* First count, so that the weights of a kernel's samples add up to its launches. */
    for (row = 0; row < l->n; row++)
        choice->weight[row] = size[kernel_of(l, row)]++ % n == 0;
    for (row = 0; row < l->n; row++) {
        const uint64_t launches = size[kernel_of(l, row)], samples = (launches + n - 1) / n;
        choice->group[row] = kernel_of(l, row);
        choice->weight[row] *= (double)launches / (double)samples;
    }
    free(size);
    return 0;
}

static const rubato_launch_sampler_t launch = {.weigh = weigh};

const rubato_sampler_t rubato_sampler = {
    .interface_number = RUBATO_SAMPLER_INTERFACE,
    .name = "every_nth",
    .help = "every n-th launch of each kernel",
    .options = options,
    .n_options = sizeof(options) / sizeof(options[0]),
    .launch = &launch,
};
