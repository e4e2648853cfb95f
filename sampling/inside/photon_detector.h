/*
 * The detectors of Photon's levels inside launches, as photon_warp and photon_bb choose them:
 *   steady  windows of time (steady.h). Made here
 *   scaled  Photon's rule with windows in proportion to the resident warps: a fixed number spans
 *           too short a time on a large chip for the slope to pass; the unbiased slope: durations
 *           may spread, as long as there is no trend (stability.h)
 *   paper   as published: fixed windows of n and 2 n points, nothing is dropped
 *   code    as published as code: long and half as long, the slope over the longer, a halved
 *           difference of means, the first 1023 points dropped
 */
#ifndef RUBATO_PHOTON_DETECTOR_H
#define RUBATO_PHOTON_DETECTOR_H

#include "sampling/inside/stability.h"
#include "sampling/inside/steady.h"
#include "sim/conf/param.h"
#include "sim/core/cycle.h"
#include "sim/gpu/gpu_params.h"

enum { PHOTON_STEADY, PHOTON_SCALED, PHOTON_PAPER, PHOTON_CODE };
extern const param_choice_t photon_variant_choices[]; /* "steady", "scaled", "paper", "code" */

typedef struct {
    uint32_t variant;
    double waves;             /* steady, scaled: (short) window in points of a wave; 0: its own */
    uint32_t least;           /* least length of it in points (steady: if short); 0: its own */
    double delta, delta_mean; /* of slopes and of means; delta 0: its own */
    bool unbiased, longer;    /* scaled: which slope, of which window */
    uint32_t paper_n, code_n; /* window of paper; longer one of code */
    double code_delta;
    uint64_t wave; /* points that a wave gives: its warps */
    uint64_t drop; /* steady, scaled: points dropped at the beginning */
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

/* The same for things of which each stands for so many. */
photon_rule_t photon_rule_of_groups(const photon_rule_t *rule, uint32_t size);

/* Points that a reading's mean is of, about. */
uint64_t photon_rule_points(const photon_rule_t *rule);

/* Bytes of one. */
size_t photon_detector_bytes(const photon_rule_t *rule);

/* Something that began and ended then, in the order of ending. */
void photon_detector_add(photon_detector_t *d, cycle_t start, cycle_t end);

/* An interval is over. */
void photon_detector_close(photon_detector_t *d);

typedef enum {
    PHOTON_FEW,    /* too few points */
    PHOTON_SHORT,  /* points in too short a time */
    PHOTON_TREND,  /* the slope is not one */
    PHOTON_CHANGE, /* the means differ */
    PHOTON_STABLE,
} photon_verdict_t;

typedef struct {
    photon_verdict_t verdict;
    double mean;     /* predicts the next duration, if stable */
    uint64_t points; /* that the mean is of */
    uint64_t cycles; /* steady: of both windows */
    double other;    /* steady: mean of the earlier window; else of the longer one */
    double slope;    /* not steady */
    uint64_t seen;   /* points since the launch began, dropped ones not counted */
} photon_reading_t;

/* calm: the DRAM does not hold the launch up (steady). */
photon_reading_t photon_detector_read(const photon_detector_t *d, bool calm);

/*
 * Mean of what was seen last, stable or not; 0: nothing was. Of the last so many cycles (steady),
 * or of the points of the short window.
 */
double photon_detector_recent(const photon_detector_t *d, uint64_t cycles);

#endif
