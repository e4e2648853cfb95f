/* Compiled against an interface of another number. */
#include "rubato_sampler.h"

const rubato_sampler_t rubato_sampler = {.interface_number = RUBATO_SAMPLER_INTERFACE + 1};
