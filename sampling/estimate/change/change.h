/*
 * The change of a statistic between two runs a and b of a program that simulated the same launches, as
 * pairs. What a launch has in common at both points (its length, its data) does not count as an error.
 *
 * For a sum, R = sum N_h mean(y_b) / sum N_h mean(y_a) over the strata h of N_h launches, n_h of which
 * were simulated at both points (combined ratio estimator; Cochran, Sampling Techniques, 1977, 6.11).
 * Its variance is that of the residuals d = y_b - R y_a:
 *
 *   Var(R) = sum N_h^2 (1 - n_h / N_h) s_d,h^2 / n_h / (sum N_h mean(y_a))^2
 *
 * with Student's t and Satterthwaite's degrees of freedom. The change of a rate follows by the same
 * linearisation. A stratum of one sample shows no spread: it is joined with its neighbour, the stratum of
 * the same kernel that is next in time (collapsed strata; Cochran, 5A.12); or, if that gives a narrower
 * interval, the spread of the times in the plan's profile is taken, as if the times at both points had
 * nothing in common.
 *
 * If one run simulated only a part of the launches that the other chose, drawn in groups (change_part.h), or both a
 * part of what a third one chose (of which those that both drew count), the variance has two phases. The residuals d
 * of the launches that were not drawn are taken as those of their
 * group, mean(d / y_a) times y_a, in the variance above; and with the spread s of d / y_a among the m draws of a
 * group, s^2 (T^2 / m + sum (1 - n_h / N_h) x^2) is added: for the drawing, and for what the launches not drawn
 * differ from that mean.
 *
 * The state in which sampled launches find the chip is not quite that of a full run, and not equally off at
 * both points: state_error.h, and for cycles the share CHANGE_STATE_ERROR of what was left out. Not contained:
 * launches unlike all samples.
 */
#ifndef RUBATO_ESTIMATE_CHANGE_H
#define RUBATO_ESTIMATE_CHANGE_H

#include "sampling/estimate/launch_values.h"
#include "sampling/plan/plan.h"

/* Two runs; all pointers borrowed. */
typedef struct {
    const plan_t *plan;  /* drawn at random */
    const double *a, *b; /* STAT_VALUES for each sample of the plan */
    const bool *both;    /* whether both runs simulated the sample; NULL: all */
    /* Not NULL: of the samples, which a run (the base) simulated all, only those were drawn that have a number
     * here, each this often (change_part.h): by a or b, where the other is the base, or by both. */
    const uint32_t *drawn;
    const double *cycles;   /* ... of each sample, in the base */
    const uint64_t *kernel; /* ... equal for launches of the same kernel */
    bool all_a, all_b;      /* ... the run is the base */
    /* Variance of each sample's cycles from what was left out inside the launch; 0: nothing; NAN: not
     * known. NULL: nothing anywhere. */
    const double *inside_a, *inside_b;
    /* The run simulated the whole program in its order; or it left out launches and did not walk them, so
     * that those simulated found other caches. */
    bool whole_a, whole_b, cold_a, cold_b;
    double confidence;
} pairs_t;

typedef struct paired paired_t;

/* p is copied; what it points to must outlive the result. The caller frees it with paired_free(). */
paired_t *paired_create(const pairs_t *p);
void paired_free(paired_t *p);

/* What a change is said in. */
typedef enum {
    CHANGE_RELATIVE, /* (b - a) / a */
    CHANGE_POINTS,   /* b - a, for shares */
} change_kind_t;

typedef struct {
    change_kind_t kind;
    double a, b; /* of the program, by the launches that both simulated */
    double change;
    double low, high; /* NAN: no interval */
    double df;        /* INFINITY: the spread is taken as known */
    const char
        *method; /* "exact" (both simulated all), "paired t", "paired, spread from the profile
                         * where one launch was sampled", "none" */
    const char *reason; /* why there is no interval; NULL: there is one */
} change_t;

/* a, b: the statistic's forms at both points, which differ if a constant of the chip is in them. */
change_t paired_change(paired_t *p, const stat_form_t *a, const stat_form_t *b, change_kind_t kind);

/* Of two values with intervals, low NAN: none, whose errors have nothing to do with each other. */
typedef struct {
    double value, low, high;
} uncertain_t;
change_t change_independent(const uncertain_t *a, const uncertain_t *b, change_kind_t kind);

/* Whether there is an interval, and it contains no change. */
bool change_is_none(const change_t *c);

#endif
