#include "frontend/tool/run/state_error.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Share of the lookups in the L2 that may go the other way. After a walk over the launches that were
 * left out, 99 to 100 % of the sectors in the L2 are those of a full run in ten of 13 programs, and
 * 82 to 100 % of the modified ones (docs/lab/warmup.md).
 */
#define STATE_ERROR 0.02

static const size_t lookups[] = {VALUE_AT(l2.read_sectors), VALUE_AT(l2.write_sectors),
                                 VALUE_AT(l2.atomic_sectors), VALUE_AT(l2.red_sectors)};

/* Counts of what hits or misses in the L2, in sectors. */
static const size_t outcomes[] = {VALUE_AT(l2.read_hits),      VALUE_AT(l2.write_hits),
                                  VALUE_AT(l2.atomic_hits),    VALUE_AT(l2.red_hits),
                                  VALUE_AT(l2.fills),          VALUE_AT(l2.writebacks),
                                  VALUE_AT(dram.read_sectors), VALUE_AT(dram.write_sectors)};

static bool is_outcome(uint16_t value)
{
    for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
        if (outcomes[i] == value)
            return true;
    }
    return false;
}

double state_error(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                   const double simulated[STAT_VALUES])
{
    double left = 0, squares = 0;
    for (size_t i = 0; i < sizeof(lookups) / sizeof(lookups[0]); i++)
        left += fmax(program[lookups[i]] - simulated[lookups[i]], 0);
    for (size_t i = 0; i < n; i++) {
        if (is_outcome(term[i].value))
            squares += term[i].coefficient * term[i].coefficient;
    }
    return STATE_ERROR * left * sqrt(squares);
}
