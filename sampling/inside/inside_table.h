/* The methods inside launches, each in the file of its name. */
#ifndef RUBATO_INSIDE_TABLE_H
#define RUBATO_INSIDE_TABLE_H

#include "sampling/inside/inside_sampler.h"

extern const inside_method_t inside_photon_bb, inside_photon_warp, inside_tbpoint_region,
    inside_pka_stop, inside_blocks, inside_units, inside_smarts;

#endif
