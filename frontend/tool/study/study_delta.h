/*
 * Named changes of a configuration. Each one is relative to the configuration without it, so it has
 * the same meaning on every GPU and with any other setting.
 *
 * The stem_* deltas are those of the sensitivity study of STEM+ROOT (MICRO'25, figure 12 and
 * table 4), as its artifact applies them in MacSim:
 *   stem_cache_x2    L1: twice the ways; last-level cache: twice the slices (and so its bandwidth)
 *   stem_cache_half  L1 and last-level cache: half the sets
 *   stem_sm_x2, stem_sm_half
 * MacSim's L1 is separate from shared memory, so here l1.scale changes the L1 at every carve-out,
 * and the number of blocks that fit on an SM does not change.
 */
#ifndef RUBATO_STUDY_STUDY_DELTA_H
#define RUBATO_STUDY_STUDY_DELTA_H

#include "frontend/tool/study/study.h"
#include "sim/gpu/gpu_params.h"

/* Adds "key=value" settings; the text is copied. */
typedef struct {
    char **sets; /* owned */
    size_t n, cap;
} delta_sets_t;

typedef struct {
    const char *name, *help;
    void (*change)(const gpu_spec_t *spec, delta_sets_t *out);
} delta_t;

/* Ends with name == NULL. */
extern const delta_t delta_table[];

void delta_add(delta_sets_t *out, const char *fmt, ...) RB_PRINTF(2, 3);
void delta_sets_free(delta_sets_t *d);

/* Fails with the nearest name unless every part of "a+b" is a delta of the table or the study. */
RB_CHECKED rb_code_t delta_check(const study_t *s, const char *names, int line, rb_err_t *err);

#endif
