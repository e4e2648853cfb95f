/*
 * Samplers inside launches: methods that stop or skip part of a launch while it is simulated. One
 * table of them, each with its options. A run has a list of them, in order.
 *
 *   inside_list_t list = {0};
 *   inside_list_add(&list, "photon_warp:delta=0.03", seed, &err);
 *   run_plan_t plan = {.inside = list.samplers, .n_inside = list.n, ...};
 *   ...
 *   inside_list_free(&list);
 */
#ifndef RUBATO_INSIDE_SAMPLER_H
#define RUBATO_INSIDE_SAMPLER_H

#include "sim/conf/conf.h"
#include "sim/gpu/sampler.h"

typedef struct {
    const char *help;
    const param_group_t *options; /* names, types, ranges, defaults, help: for help and sweeps */
    const sampler_ops_t *ops;     /* with the method's name */
    bool index;                   /* needs to know what blocks execute: the index of a trace */
    /* The state of a sampler with these options (copied); freed by destroy. */
    void *(*create)(const void *options, uint64_t seed);
    void (*destroy)(void *state);
} inside_method_t;

/* The table, in the order in which help lists it. */
extern const inside_method_t *const inside_methods[];
extern const size_t n_inside_methods;

/* Makes the options of every method settings of c ("photon_warp.delta"). */
void inside_add_groups(conf_t *c);

/* The options of the i-th method, for those who only check keys; NULL: there is none. */
const param_group_t *inside_group(size_t i);

/* Whether an item of --sample ("name" or "name:option=value,...") is a sampler of this table. */
bool inside_method_is(const char *item);

typedef struct {
    sampler_t *samplers;             /* owned */
    const inside_method_t **methods; /* owned; of each */
    char **texts;                    /* owned; of each: its name with every option */
    void **options;                  /* owned; of each: as its method's group describes them */
    size_t n;
    const conf_t
        *conf; /* borrowed: what it says holds where an item does not; NULL: the defaults */
} inside_list_t;

/* Appends the sampler of an item. RB_USAGE, naming the option and what was near or is legal. */
RB_CHECKED rb_code_t inside_list_add(inside_list_t *list, const char *item, uint64_t seed,
                                     rb_err_t *err);

/* The options of the sampler of a name, or what list->conf says or the default is if the list has
 * none: copied to *out, as its group describes them. */
void inside_list_options(const inside_list_t *list, const char *name, void *out);

/* RB_USAGE if a sampler of the list cannot work on this source. */
RB_CHECKED rb_code_t inside_list_check(const inside_list_t *list, const trace_source_t *source,
                                       rb_err_t *err);

/* Harmless on a zeroed list. */
void inside_list_free(inside_list_t *list);

#endif
