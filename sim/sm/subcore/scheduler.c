#include "sim/sm/subcore/scheduler.h"

#define CHOICE_(NAME, name, help) {#name, help},
const param_choice_t scheduler_choices[] = {SCHEDULER_POLICIES(CHOICE_){NULL, NULL}};
