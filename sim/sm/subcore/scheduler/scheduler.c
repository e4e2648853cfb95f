#include "sim/sm/subcore/scheduler/scheduler.h"
#include "sim/sm/subcore/scheduler/scheduler_state.h"

#define CHOICE_(NAME, name, values, help) {#name, help},
const param_choice_t scheduler_choices[] = {SCHEDULER_POLICIES(CHOICE_){NULL, NULL}};

#define VALUES_(NAME, name, values, help)                                                          \
    case SCHEDULER_##NAME:                                                                         \
        return (values);

uint32_t scheduler_word_values(const sm_spec_t *spec)
{
    switch ((scheduler_policy_t)spec->scheduler) {
        SCHEDULER_POLICIES(VALUES_)
    }
    return 0; /* not reached: the configuration allows only names of the list */
}
