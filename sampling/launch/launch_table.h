/* The launch methods, each in the file of its name. */
#ifndef RUBATO_LAUNCH_TABLE_H
#define RUBATO_LAUNCH_TABLE_H

#include "sampling/launch/launch_sampler.h"

extern const launch_method_t launch_random, launch_allegro, launch_stem, launch_stem_online,
    launch_pka, launch_sieve, launch_tbpoint, launch_photon_kernel, launch_dominant, launch_predict;

/* The level of predictions that a choice of `predict` asks for. */
unsigned launch_predict_level(const launch_choice_t *choice);

#endif
