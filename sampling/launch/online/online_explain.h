/* What the interval of a sampler that chooses in rounds assumes, or why there is none, in words. */
#ifndef RUBATO_ONLINE_EXPLAIN_H
#define RUBATO_ONLINE_EXPLAIN_H

#include <stddef.h>

#include "sampling/launch/online/online_stretch.h"

typedef struct {
    const online_state_t *now;
    double confidence, rare; /* of a look; assumed share of slow launches that no sample met */
    bool by_chip;            /* their length is what the chip allows */
    bool says_nothing;       /* it is so long that an interval would say nothing; */
    double needed;           /* samples that would change that */
    uint64_t tail_launches, tail_samples; /* of the group whose longest launch decides */
    const char *tail_name;
    bool knows_bias; /* what skipping launches changes is known */
    stretch_bias_t bias;
    uint64_t in_sequence; /* launches of the stretch */
} online_explain_t;

/* Writes a sentence without a full stop. */
void online_explain(char *note, size_t size, const online_explain_t *e);

#endif
