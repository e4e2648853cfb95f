#include "sampling/estimate/unmet_error.h"

#include <math.h>

static const size_t waits[] = {
    VALUE_AT(sm.state_long_scoreboard), VALUE_AT(sm.state_lg_throttle), VALUE_AT(sm.state_barrier),
    VALUE_AT(sm.state_membar),          VALUE_AT(sm.state_drain),       VALUE_AT(sm.state_no_warp),
};

static const size_t hits[] = {VALUE_AT(sm.global_load_hits), VALUE_AT(l2.read_hits),
                              VALUE_AT(l2.write_hits)};

/* What a sector that misses in the L2 adds to, at most one. */
static const size_t misses[] = {VALUE_AT(l2.fills),           VALUE_AT(l2.writebacks),
                                VALUE_AT(dram.read_sectors),  VALUE_AT(dram.write_sectors),
                                VALUE_AT(dram.read_requests), VALUE_AT(dram.row_hits),
                                VALUE_AT(dram.row_misses),    VALUE_AT(dram.row_conflicts),
                                VALUE_AT(dram.activates),     VALUE_AT(dram.precharges)};

static double coefficient(const linear_term_t *term, size_t n, size_t value)
{
    for (size_t i = 0; i < n; i++) {
        if (term[i].value == value)
            return term[i].coefficient;
    }
    return 0;
}

static void extend(unmet_error_t *e, double change)
{
    e->below = fmax(e->below, -change);
    e->above = fmax(e->above, change);
}

static unmet_error_t of_time(const linear_term_t *term, size_t n, const double program[STAT_VALUES])
{
    const double idle = program[VALUE_AT(sm.state_no_warp)];
    const double cycles =
        coefficient(term, n, VALUE_CYCLES) * program[VALUE_CYCLES] +
        coefficient(term, n, VALUE_AT(sm.active_cycles)) * program[VALUE_AT(sm.active_cycles)];
    unmet_error_t e = {0};
    double resident = 0;
    for (size_t i = STATE_NO_WARP + 1; i < STATE_COUNT; i++)
        resident += program[VALUE_AT(sm.state_no_warp) + i];
    const double without = cycles + idle * coefficient(term, n, VALUE_AT(sm.state_no_warp));
    for (size_t k = 0; k < sizeof(waits) / sizeof(waits[0]); k++)
        extend(&e, without + resident * coefficient(term, n, waits[k]));
    return e;
}

static double of_hits(const linear_term_t *term, size_t n, const double program[STAT_VALUES])
{
    double sum = 0;
    for (size_t i = 0; i < sizeof(hits) / sizeof(hits[0]); i++)
        sum -= coefficient(term, n, hits[i]) * program[hits[i]];
    return sum;
}

static void extend_by_misses(unmet_error_t *e, const linear_term_t *term, size_t n,
                             const double program[STAT_VALUES], double sectors)
{
    const double moved =
        program[VALUE_AT(dram.read_sectors)] + program[VALUE_AT(dram.write_sectors)];
    const double busy = moved > 0 ? program[VALUE_AT(dram.busy)] / moved : 0;
    extend(e, coefficient(term, n, VALUE_AT(dram.busy)) * busy * sectors);
    for (size_t i = 0; i < sizeof(misses) / sizeof(misses[0]); i++)
        extend(e, coefficient(term, n, misses[i]) * sectors);
}

unmet_error_t unmet_error(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                          double added)
{
    const double l2_hits = program[VALUE_AT(l2.read_hits)] + program[VALUE_AT(l2.write_hits)];
    unmet_error_t e = of_time(term, n, program);
    extend(&e, of_hits(term, n, program));
    extend_by_misses(&e, term, n, program, l2_hits);
    return (unmet_error_t){added * e.below, added * e.above};
}

unmet_error_t unmet_walked(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                           const unmet_cold_t *cold)
{
    const double added = cold->cycles / program[VALUE_CYCLES];
    const unmet_error_t time = of_time(term, n, program);
    unmet_error_t e = {added * time.below, added * time.above};
    extend(&e, -coefficient(term, n, VALUE_AT(l2.read_hits)) * cold->fetched -
                   coefficient(term, n, VALUE_AT(l2.write_hits)) * cold->placed);
    extend_by_misses(&e, term, n, program, cold->fetched);
    return e;
}
