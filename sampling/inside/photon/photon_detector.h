/*
 * The detectors of Photon's levels inside launches, for photon_warp and photon_bb:
 *   steady  windows of time (steady.h); our own
 *   scaled  Photon's rule with windows in proportion to the resident warps, because on a large chip
 *           a fixed number of points spans too short a time for the slope to pass; with the unbiased
 *           slope durations may spread as long as there is no trend (stability.h)
 *   paper   as published: fixed windows of n and 2 n points, no points dropped
 *   code    as in the published code: windows of n and n / 2, slope over the longer one, half the
 *           difference of means, the first 1023 points dropped
 */
#ifndef RUBATO_PHOTON_DETECTOR_H
#define RUBATO_PHOTON_DETECTOR_H

#include "sampling/inside/photon/stability.h"
#include "sampling/inside/photon/steady.h"
#include "sim/conf/param.h"
#include "sim/core/cycle.h"
#include "sim/gpu/gpu_params.h"

enum { PHOTON_STEADY, PHOTON_SCALED, PHOTON_PAPER, PHOTON_CODE };
extern const param_choice_t photon_variant_choices[]; /* "steady", "scaled", "paper", "code" */

typedef struct {
    uint32_t variant;
    double waves;             /* steady, scaled: (short) window in points per wave; 0: default */
    uint32_t least;           /* minimum length of the window in points; 0: default */
    double delta, delta_mean; /* of slopes and of means; delta 0: default */
    bool unbiased, longer;    /* scaled: kind of slope; of which window */
    uint32_t paper_n, code_n; /* window of variant paper; longer window of variant code */
    double code_delta;
    uint64_t wave; /* points of a wave: its warps */
    uint64_t drop; /* steady, scaled: points to drop at the beginning */
} photon_choice_t;

typedef struct {
    bool timed; /* steady */
    steady_rule_t steady;
    stability_rule_t window;
    uint64_t interval;
} photon_rule_t;

photon_rule_t photon_rule(const photon_choice_t *c, const gpu_spec_t *spec);

typedef struct {
    bool timed;
    steady_t steady;
    stability_t window;
} photon_detector_t;

void photon_detector_init(photon_detector_t *d, const photon_rule_t *rule);
void photon_detector_free(photon_detector_t *d);

/* The rule for groups (blocks) of `size` points (warps) each. */
photon_rule_t photon_rule_of_groups(const photon_rule_t *rule, uint32_t size);

/* Approximate number of points in the mean of a reading. */
uint64_t photon_rule_points(const photon_rule_t *rule);

/* Memory of a detector in bytes. */
size_t photon_detector_bytes(const photon_rule_t *rule);

/* Adds a point: something that started and ended at these cycles, in order of the ends. */
void photon_detector_add(photon_detector_t *d, cycle_t start, cycle_t end);

/* Call at the end of an interval. */
void photon_detector_close(photon_detector_t *d);

typedef enum {
    PHOTON_FEW,    /* too few points */
    PHOTON_SHORT,  /* points span too short a time */
    PHOTON_TREND,  /* the slope is not near one */
    PHOTON_CHANGE, /* the means differ */
    PHOTON_STABLE,
} photon_verdict_t;

typedef struct {
    photon_verdict_t verdict;
    double mean;     /* predicts the next duration, if stable */
    uint64_t points; /* number of points in the mean */
    uint64_t cycles; /* steady: length of both windows */
    double other;    /* steady: mean of the earlier window; otherwise of the longer one */
    double slope;    /* not for steady */
    uint64_t seen;   /* points since the launch began, without dropped ones */
} photon_reading_t;

/* calm: the DRAM does not limit the launch (steady). */
photon_reading_t photon_detector_read(const photon_detector_t *d, bool calm);

/* Mean of the latest points, stable or not; 0: none. Steady: of the last `cycles` cycles; otherwise
 * of the short window. */
double photon_detector_recent(const photon_detector_t *d, uint64_t cycles);

#endif
