/* Weights of the launches of a sampled MacSim trace. */
#ifndef RUBATO_MACSIM_SAMPLES_H
#define RUBATO_MACSIM_SAMPLES_H

#include "frontend/input/macsim/macsim.h"
#include "frontend/input/macsim/macsim_list.h"

/*
 * Sets the weights of launches, each launch once; sorts them. Launches that were not sampled keep
 * weight 1. Warns about sampled launches that the trace does not hold.
 */
void macsim_samples_weigh(macsim_list_t *list, macsim_weight_t *weights, size_t n);

#endif
