/* A shared object that is not a sampler. */
#include "rubato_sampler.h"

extern const int not_a_sampler;
const int not_a_sampler = RUBATO_SAMPLER_INTERFACE;
