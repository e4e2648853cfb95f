/* What the launches of a sampled MacSim trace count for. */
#ifndef RUBATO_MACSIM_SAMPLES_H
#define RUBATO_MACSIM_SAMPLES_H

#include "frontend/input/macsim/macsim.h"
#include "frontend/input/macsim/macsim_list.h"

/*
 * Gives launches their weights, each launch once; sorts them. Launches that were not drawn stand
 * for themselves; a warning tells of drawn ones that the trace does not hold.
 */
void macsim_samples_weigh(macsim_list_t *list, macsim_weight_t *weights, size_t n);

#endif
