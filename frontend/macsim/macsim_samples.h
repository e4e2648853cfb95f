/* The sampling that chose the launches of a MacSim trace (<name>_sampled_kernels_info.txt). */
#ifndef RUBATO_MACSIM_SAMPLES_H
#define RUBATO_MACSIM_SAMPLES_H

#include "frontend/macsim/macsim_list.h"

/*
 * Reads list->samples: two lines of text, then a line "size n id id ..." for each cluster, with n
 * launches drawn from size. Sets the weight of each launch to the sum of size / n over its
 * occurrences; a warning tells of drawn launches that the trace does not hold. RB_TRACE for what
 * is malformed.
 */
RB_CHECKED rb_code_t macsim_samples_read(macsim_list_t *list, rb_err_t *err);

#endif
