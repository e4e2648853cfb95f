/* How many samples the next round of a sampler that chooses in rounds has. */
#ifndef RUBATO_ONLINE_NEXT_H
#define RUBATO_ONLINE_NEXT_H

#include "sampling/launch/online/online_state.h"

typedef struct {
    const stem_strata_t *strata;
    const stratum_sample_t *samples; /* per stratum */
    const online_stratum_t *plan;    /* per stratum */
    const online_state_t *now;       /* all three as of the last round */
    double epsilon;                  /* relative bound of the total */
    double confidence;               /* of one look */
    bool gives_up;                   /* slow launches that were not met are not looked for */
} online_next_t;

/* Sets m, per stratum, to the number of samples after the next round: at least those so far. */
void online_next(const online_next_t *in, uint64_t *m);

#endif
