#include "sampling/estimate/state_error.h"

#include <math.h>

/*
 * Share of the lookups in the L2 that may go the other way. After a walk over the launches that were
 * left out, 99 to 100 % of the sectors in the L2 are those of a full run in ten of 13 programs, and
 * 82 to 100 % of the modified ones (docs/lab/warmup.md).
 */
#define L2_ERROR 0.02

/*
 * Share of the requests to the DRAM that may meet another row, and of their latency that may differ: which rows
 * are open, and in what order requests come, is not walked. The same as smarts has (smarts_complete.c).
 */
#define ROW_ERROR 0.04

/*
 * Share of the time of resident warps that may be spent in another state, and of the lookups in an L1
 * that may go the other way. The cycles of launches that were simulated alone differ by 0.2 % on
 * average from the full run and by 0.8 % at most (docs/lab/warmup.md).
 */
#define TIME_ERROR 0.01

/*
 * A launch that begins at another time differs, though not in one direction: 1.4 % is the root of the mean
 * square over the 16 programs of docs/lab/warmup.md (Single launches). 95 % are within twice as much.
 */
#define LAUNCH_ERROR (1.96 * 0.014)

static const size_t lookups[] = {VALUE_AT(l2.read_sectors), VALUE_AT(l2.write_sectors),
                                 VALUE_AT(l2.atomic_sectors), VALUE_AT(l2.red_sectors)};

/* Counts of what hits or misses in the L2, in sectors. */
static const size_t outcomes[] = {VALUE_AT(l2.read_hits),      VALUE_AT(l2.write_hits),
                                  VALUE_AT(l2.atomic_hits),    VALUE_AT(l2.red_hits),
                                  VALUE_AT(l2.fills),          VALUE_AT(l2.writebacks),
                                  VALUE_AT(dram.read_sectors), VALUE_AT(dram.write_sectors)};

/*
 * Share of what is written back that may stay modified instead, or the other way. 82 to 100 % of the modified
 * sectors are those of a full run.
 */
#define MODIFIED_ERROR 0.15

static const size_t written_back[] = {VALUE_AT(l2.writebacks), VALUE_AT(l2.early_writebacks),
                                      VALUE_AT(dram.write_sectors), VALUE_AT(l2.ecc_reads)};

static const size_t rows[] = {VALUE_AT(dram.row_hits), VALUE_AT(dram.row_misses),
                              VALUE_AT(dram.row_conflicts), VALUE_AT(dram.activates),
                              VALUE_AT(dram.precharges)};
enum { ROW_REQUESTS = 3 }; /* of these, the first are all requests */

/* What grows with the sectors that the DRAM moves. */
static const size_t moved_along[] = {
    VALUE_AT(dram.row_hits),    VALUE_AT(dram.row_misses),   VALUE_AT(dram.row_conflicts),
    VALUE_AT(dram.activates),   VALUE_AT(dram.precharges),   VALUE_AT(dram.read_requests),
    VALUE_AT(dram.turnarounds), VALUE_AT(dram.read_latency), VALUE_AT(dram.busy)};

/* Other counts of what these caches hold: instructions, translations, and how the L2 is written back. */
static const size_t held[] = {
    VALUE_AT(l2.partial_fetches), VALUE_AT(l2.early_writebacks), VALUE_AT(l2.unasked_fills),
    VALUE_AT(l2.inst_sectors),    VALUE_AT(l2.gpc_sectors),      VALUE_AT(sm.tlb_misses),
    VALUE_AT(sm.tlb_l2_misses),   VALUE_AT(sm.icache_l0_misses), VALUE_AT(sm.icache_l1_misses)};

/* The same of the time, launch latency apart, where the L1s prefetch: the launches of a gather whose next lines the L2
 * lacks after a walk took up to a quarter longer. */
#define PREFETCH_ERROR 0.25

/* What time decides: how long parts wait, what is merged or sent again. */
static const size_t timed[] = {VALUE_AT(sm.active_cycles), VALUE_AT(sm.l1_data_busy),
                               VALUE_AT(sm.xbar_flits_in), VALUE_AT(sm.xbar_flits_out),
                               VALUE_AT(l2.requests),      VALUE_AT(l2.read_sectors),
                               VALUE_AT(l2.data_sectors)};

static bool is_among(const size_t *values, size_t n, uint16_t value)
{
    for (size_t i = 0; i < n; i++) {
        if (values[i] == value)
            return true;
    }
    return false;
}

static bool is_outcome(uint16_t value)
{
    return is_among(outcomes, sizeof(outcomes) / sizeof(outcomes[0]), value);
}

static bool is_cold(uint16_t value)
{
    const size_t dram = VALUE_AT(dram.read_sectors);
    return is_outcome(value) || (value >= dram && value < dram + DRAM_STAT_COUNT) ||
           is_among(held, sizeof(held) / sizeof(held[0]), value);
}

bool state_error_is_cold(const linear_term_t *term, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (is_cold(term[i].value))
            return true;
    }
    return false;
}

/* What is left out of a sum of values. */
static double left_out(const size_t *value, size_t n, const double program[STAT_VALUES],
                       const double simulated[STAT_VALUES])
{
    double left = 0;
    for (size_t i = 0; i < n; i++)
        left += fmax(program[value[i]] - simulated[value[i]], 0);
    return left;
}

static double of_l2(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                    const double simulated[STAT_VALUES])
{
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_outcome(term[i].value))
            squares += term[i].coefficient * term[i].coefficient;
    }
    return L2_ERROR * sqrt(squares) *
           left_out(lookups, sizeof(lookups) / sizeof(lookups[0]), program, simulated);
}

static double of_rows(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                      const double simulated[STAT_VALUES])
{
    const size_t latency = VALUE_AT(dram.read_latency);
    double squares = 0, waited = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_among(rows, sizeof(rows) / sizeof(rows[0]), term[i].value))
            squares += term[i].coefficient * term[i].coefficient;
        if (term[i].value == latency)
            waited = fabs(term[i].coefficient) * left_out(&latency, 1, program, simulated);
    }
    return ROW_ERROR *
           hypot(sqrt(squares) * left_out(rows, ROW_REQUESTS, program, simulated), waited);
}

/* What is written back moves through the DRAM, and may have to be read before. */
static double of_modified(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                          const double simulated[STAT_VALUES])
{
    const size_t reads = VALUE_AT(dram.read_sectors), busy = VALUE_AT(dram.busy);
    const size_t writes = VALUE_AT(dram.write_sectors), ecc = VALUE_AT(l2.ecc_reads);
    const double moved = program[reads] + program[writes];
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double c = term[i].coefficient;
        if (is_among(written_back, sizeof(written_back) / sizeof(written_back[0]), term[i].value)) {
            const size_t v = term[i].value;
            sum += c * left_out(&v, 1, program, simulated);
        } else if (term[i].value == reads) {
            sum += c * left_out(&ecc, 1, program, simulated);
        } else if (moved > 0 && term[i].value == busy) {
            sum += c * program[term[i].value] / moved * left_out(&writes, 1, program, simulated);
        }
    }
    return MODIFIED_ERROR * fabs(sum);
}

/* Sectors that hit in the L2 in place of others bring all these with them: a rate of two hardly changes. */
static double of_dram(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                      const double simulated[STAT_VALUES])
{
    const double sectors =
        program[VALUE_AT(dram.read_sectors)] + program[VALUE_AT(dram.write_sectors)];
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (is_among(moved_along, sizeof(moved_along) / sizeof(moved_along[0]), term[i].value))
            sum += term[i].coefficient * program[term[i].value];
    return sectors > 0
               ? L2_ERROR * fabs(sum) / sectors *
                     left_out(lookups, sizeof(lookups) / sizeof(lookups[0]), program, simulated)
               : 0;
}

static double of_l1(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                    const double simulated[STAT_VALUES])
{
    static const size_t sectors[] = {VALUE_AT(sm.global_load_sectors)};
    for (size_t i = 0; i < n; i++) {
        if (term[i].value == VALUE_AT(sm.global_load_hits))
            return TIME_ERROR * fabs(term[i].coefficient) *
                   left_out(sectors, 1, program, simulated);
    }
    return 0;
}

/* As cycles vary. What is counted together, as in the requests of a rate, does not cancel out. */
static double of_timed(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                       const double simulated[STAT_VALUES])
{
    const double share = 1 - simulated[VALUE_CYCLES] / program[VALUE_CYCLES];
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t v = term[i].value;
        const double left = fmax(program[v] - simulated[v], share * program[v]);
        if (is_among(timed, sizeof(timed) / sizeof(timed[0]), term[i].value))
            squares += pow(term[i].coefficient * left, 2);
    }
    return TIME_ERROR * sqrt(squares);
}

/* Time that goes from the state with the smallest coefficient to that with the largest. */
static double of_time(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                      const double simulated[STAT_VALUES])
{
    const size_t first = VALUE_AT(sm.state_no_warp), end = first + STATE_COUNT;
    double least = 0, most = 0, left = 0;
    for (size_t v = first + 1; v < end; v++)
        left += left_out(&v, 1, program, simulated);
    for (size_t i = 0; i < n; i++) {
        if (term[i].value >= first && term[i].value < end) {
            least = fmin(least, term[i].coefficient);
            most = fmax(most, term[i].coefficient);
        }
    }
    return TIME_ERROR * (most - least) * left;
}

double state_error(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                   const double simulated[STAT_VALUES])
{
    const double l2 =
        hypot(hypot(of_l2(term, n, program, simulated), of_dram(term, n, program, simulated)),
              of_modified(term, n, program, simulated));
    return hypot(
        hypot(hypot(l2, of_rows(term, n, program, simulated)), of_l1(term, n, program, simulated)),
        hypot(of_time(term, n, program, simulated), of_timed(term, n, program, simulated)));
}

double state_error_prefetch(const linear_term_t *term, size_t n, const double program[STAT_VALUES],
                            const double simulated[STAT_VALUES])
{
    return PREFETCH_ERROR / TIME_ERROR *
           hypot(of_time(term, n, program, simulated), of_timed(term, n, program, simulated));
}

static double busy(const double values[STAT_VALUES])
{
    return values[VALUE_CYCLES] - values[VALUE_LAUNCH_CYCLES];
}

double state_error_prefetch_cycles(const double program[STAT_VALUES],
                                   const double simulated[STAT_VALUES])
{
    return PREFETCH_ERROR * fmax(busy(program) - busy(simulated), 0);
}

double state_error_cycles(double program, double simulated)
{
    return TIME_ERROR * fmax(program - simulated, 0);
}

double state_error_launch(double cycles)
{
    return LAUNCH_ERROR * cycles;
}

static bool has_any(const linear_term_t *term, size_t n, const size_t *values, size_t n_values)
{
    for (size_t i = 0; i < n; i++)
        if (is_among(values, n_values, term[i].value))
            return true;
    return false;
}

const char *state_error_unknown(const linear_term_t *term, size_t n, bool unmet)
{
    static const size_t before[] = {VALUE_AT(sm.l1_mshr_merges),   VALUE_AT(sm.global_load_pending),
                                    VALUE_AT(l2.mshr_merges),      VALUE_AT(sm.tlb_misses),
                                    VALUE_AT(sm.tlb_l2_misses),    VALUE_AT(sm.icache_l0_misses),
                                    VALUE_AT(sm.icache_l1_misses), VALUE_AT(l2.inst_sectors),
                                    VALUE_AT(l2.gpc_sectors)};
    static const size_t queues[] = {
        VALUE_AT(dram.turnarounds),        VALUE_AT(l2.unasked_fills),
        VALUE_AT(l2.stall_mshr),           VALUE_AT(l2.stall_reply),
        VALUE_AT(l2.stall_atomic),         VALUE_AT(sm.l1_stall_mshr),
        VALUE_AT(sm.l1_stall_tlb),         VALUE_AT(sm.l1_stall_queue),
        VALUE_AT(l2.stall_dram),           VALUE_AT(sm.l1_prefetches),
        VALUE_AT(sm.l1_prefetch_sectors),  VALUE_AT(sm.l1_prefetches_used),
        VALUE_AT(sm.l1_prefetches_dropped)};
    static const size_t refreshes[] = {VALUE_AT(dram.refreshes)};
    static const size_t waits[] = {VALUE_AT(dram.read_latency)};
    if (has_any(term, n, before, sizeof(before) / sizeof(before[0])))
        return "it depends on what ran just before, which sampled launches did not have";
    if (has_any(term, n, queues, sizeof(queues) / sizeof(queues[0])))
        return "it depends on how full queues are, which a slightly other start changes";
    if (has_any(term, n, refreshes, 1))
        return "refreshes are counted when time passes, which it does not while launches are left "
               "out";
    if (unmet && has_any(term, n, waits, 1))
        return "slow launches that no sample met may wait longer for the DRAM than the others";
    return NULL;
}
