/*
 * The detectors of Photon's levels inside launches, for photon_warp and photon_bb:
 *   steady  windows of time (steady.h); our own
 *   paper, code  windows of a fixed number of points (stability.h), as published
 */
#ifndef RUBATO_PHOTON_DETECTOR_H
#define RUBATO_PHOTON_DETECTOR_H

#include "sampling/inside/photon/stability.h"
#include "sampling/inside/photon/steady.h"
#include "sim/conf/param.h"
#include "sim/core/cycle.h"
#include "sim/gpu/gpu_params.h"

typedef struct {
    bool timed; /* steady */
    steady_rule_t steady;
    stability_rule_t window;
    uint64_t interval;
} photon_rule_t;

/* The rule of variant steady: windows of `waves` waves (0: 1) of `wave` points, at least 2; of few periods of
 * the DRAM's refresh, at least `least` (0: 3000). drop: points that do not count at the beginning. */
photon_rule_t photon_rule_steady(const gpu_spec_t *spec, double waves, uint64_t wave,
                                 uint32_t least, double delta, uint64_t drop);

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

/* Mean of the latest points, stable or not; 0: none. Only steady: of the last `cycles` cycles. */
double photon_detector_recent(const photon_detector_t *d, uint64_t cycles);

#endif
