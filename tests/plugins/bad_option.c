/* An option whose default is outside its range. */
#include "rubato_sampler.h"

static const rubato_option_t options[] = {{"n", RUBATO_INTEGER, "0", 1, 5, 0, "from 1"}};

static int weigh(const rubato_task_t *task, void *state, const double *cycles,
                 rubato_choice_t *choice, char *why)
{
    (void)task;
    (void)state;
    (void)cycles;
    (void)why;
    choice->weight[0] = 1;
    return 0;
}

static const rubato_launch_sampler_t launch = {.weigh = weigh};

const rubato_sampler_t rubato_sampler = {.interface_number = RUBATO_SAMPLER_INTERFACE,
                                         .name = "bad_option",
                                         .help = "never loaded",
                                         .options = options,
                                         .n_options = 1,
                                         .launch = &launch};
