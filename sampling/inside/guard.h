/*
 * Checks whether the blocks that a sampler wants to leave out are like those whose rate it has
 * measured. The same code can run on other data: the first half of a launch from the L2, the second
 * half from the DRAM, and nothing that retires before the change shows it. So the launch is surveyed
 * without time (shadow.h), and its L2 accesses are compared.
 *
 * What is compared, per warp instruction: sectors of data that the L2 looks up, and those that it
 * misses. Their differences are relative to the sectors looked up by the measured blocks. Over
 * twentieths of a launch they are up to 0.022 in 13 even launches, and 0.36 and more in launches
 * with phases or drift.
 */
#ifndef RUBATO_GUARD_H
#define RUBATO_GUARD_H

#include "sim/conf/param.h"
#include "sim/gpu/sampled/sampler.h"

#define GUARD_OPTIONS(P, E, T, check_)                                                             \
    P(BOOL, check, check_, 0, 1, "",                                                               \
      "skip only blocks whose L2 accesses are like those of the measured blocks")                  \
    P(F64, alike, "0.1", 0, 10, "",                                                                \
      "check: allowed difference of L2 lookups and misses, as a share of the lookups")

/* Zeroed: everything is allowed. */
typedef struct {
    bool on;
    double alike; /* largest difference that is allowed */
    uint64_t slots;
    const shadow_t *shadow; /* borrowed */
    double difference;      /* of the last check: of the part that differs most */
    bool refused;           /* by the last check */
    bool refused_once;      /* by any check of the launch */
} guard_t;

/* Surveys a launch, unless `on` is false or it has less than two waves, in which nothing can be
 * left out. Errors of the source. */
RB_CHECKED rb_code_t guard_open(guard_t *g, const sampler_launch_t *l, bool on, double alike,
                                rb_err_t *err);

/* Whether blocks [next, until) may be left out after measuring blocks from `measured` on: each part
 * of a wave or more, up to twenty, must be like them. */
bool guard_allows(guard_t *g, uint64_t measured, uint64_t next, uint64_t until);

/* The same for a rate that was measured over the blocks of the last `waves` waves. */
bool guard_allows_after(guard_t *g, const interval_records_t *r, double waves, uint64_t until);

/* Appends the difference to the evidence of a decision; nothing if the guard is off. */
void guard_tell(const guard_t *g, char evidence[SAMPLER_EVIDENCE_MAX]);

#endif
