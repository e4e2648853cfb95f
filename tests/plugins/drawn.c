/* States that it draws at random: every second launch, or, with a wrong weight of 3. */
#include "rubato_sampler.h"

static const rubato_option_t options[] = {
    {"honest", RUBATO_TRUTH, "on", 0, 0, 0, "weights are what they must be"}};

static int weigh(const rubato_task_t *task, void *state, const double *cycles,
                 rubato_choice_t *choice, char *why)
{
    const uint64_t n = task->launches->n, draws = (n + 1) / 2;
    uint64_t row;
    (void)state;
    (void)cycles;
    (void)why;
    for (row = 0; row < n; row += 2)
        choice->weight[row] = task->options[0].truth ? (double)n / (double)draws : 3;
    choice->random = 1;
    return 0;
}

static const rubato_launch_sampler_t launch = {.weigh = weigh};

const rubato_sampler_t rubato_sampler = {.interface_number = RUBATO_SAMPLER_INTERFACE,
                                         .name = "drawn",
                                         .help = "every second launch, called random",
                                         .options = options,
                                         .n_options = 1,
                                         .launch = &launch};
