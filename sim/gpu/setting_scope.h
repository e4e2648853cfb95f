/*
 * Settings that do not act in every run: what they need. Every other setting of the model changes the
 * results of some program (a test iterates all of them).
 */
#ifndef RUBATO_GPU_SETTING_SCOPE_H
#define RUBATO_GPU_SETTING_SCOPE_H

#include "sim/gpu/gpu_params.h"

typedef struct {
    const char *key; /* "sm.scheduler_group" */
    const char
        *needs; /* a setting with which it acts: "sm.scheduler=two_level", "l1.prefetcher!none"
                        * (any but that), "icnt.distance>0"; NULL: not a matter of settings */
    const char *when; /* for people: "only with sm.scheduler = two_level" */
} setting_scope_t;

/* The n-th; NULL past the end. */
const setting_scope_t *setting_scope_at(size_t n);

/* That of a setting; NULL: it acts in every run of code that uses what it describes. */
const setting_scope_t *setting_scope_find(const char *group, const char *name);

/* Why a setting has no effect with these settings (scope->when); NULL: nothing in spec is against it. */
const char *setting_scope_idle(const setting_scope_t *scope, const gpu_spec_t *spec);

/* A setting of a part without limits, "l1.perfect", and those that it leaves without effect: keys or
 * groups ("lat.*"), separated by blanks. */
typedef struct {
    const char *part, *hides;
} setting_hidden_t;

/* The n-th; NULL past the end. */
const setting_hidden_t *setting_hidden_at(size_t n);

bool setting_is_hidden(const setting_hidden_t *by, const char *group, const char *name);

/* The part, true in spec, that leaves a setting without effect; NULL: none. */
const char *setting_hidden_by(const char *group, const char *name, const gpu_spec_t *spec);

#endif
