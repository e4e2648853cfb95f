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

typedef struct inside_method {
    const char *help;
    const param_group_t *options; /* names, types, ranges, defaults, help: for help and sweeps */
    const sampler_ops_t *ops;     /* with the method's name */
    bool index;                   /* needs to know what blocks execute: the index of a trace */
    /* The state of a sampler with these options (copied); freed by destroy. NULL after an error. */
    void *(*create)(const struct inside_method *method, const void *options, uint64_t seed,
                    rb_err_t *err);
    void (*destroy)(void *state);
    /* Of what the options do not tell and decisions follow from: files that they name. NULL: no
     * such thing. */
    uint64_t (*digest)(const struct inside_method *method, const void *state);

    /* Of a sampler from outside; otherwise NULL. */
    const char *item; /* what --sample calls it: "plugin:FILE.so" */
    void (*close)(const struct inside_method *method);
} inside_method_t;

/* The table, in the order in which help lists it. */
extern const inside_method_t *const inside_methods[];
extern const size_t n_inside_methods;

/* Makes the options of every method settings of c ("photon_warp.delta"). */
void inside_add_groups(conf_t *c);

/* The options of the i-th method, for those who only check keys; NULL: there is none. */
const param_group_t *inside_group(size_t i);

/* Whether a sampler of this table has that name. */
bool inside_method_is(const char *name);

/*
 * The method of an item of --sample: "name", "name:option=value,..." or "plugin:FILE.so,...".
 * *method is NULL if it is none that works inside launches. RB_USAGE: a sampler from outside that
 * cannot be loaded. Let go of with inside_method_close().
 */
RB_CHECKED rb_code_t inside_method_open(const inside_method_t **method, const char *item,
                                        rb_err_t *err);

/* Harmless on NULL and on built-in methods. */
void inside_method_close(const inside_method_t *method);

typedef struct {
    sampler_t *samplers;             /* owned */
    const inside_method_t **methods; /* owned, each opened; of each */
    char **texts;                    /* owned; of each: its name with every option */
    void **options;                  /* owned; of each: as its method's group describes them */
    size_t n;
    const conf_t
        *conf; /* borrowed: what it says holds where an item does not; NULL: the defaults */
} inside_list_t;

/*
 * Appends the sampler of an item. RB_USAGE, naming the option and what was near or is legal; *added
 * is false, and nothing happens, if it is none that works inside launches.
 */
RB_CHECKED rb_code_t inside_list_take(inside_list_t *list, const char *item, uint64_t seed,
                                      bool *added, rb_err_t *err);

/* The same; RB_USAGE if it is none. */
RB_CHECKED rb_code_t inside_list_add(inside_list_t *list, const char *item, uint64_t seed,
                                     rb_err_t *err);

/* Differs between samplers that look at other contents of files; 0: the i-th looks at none. */
uint64_t inside_list_digest(const inside_list_t *list, size_t i);

/* The options of the sampler of a name, or what list->conf says or the default is if the list has
 * none: copied to *out, as its group describes them. */
void inside_list_options(const inside_list_t *list, const char *name, void *out);

/* RB_USAGE if a sampler of the list cannot work on this source. */
RB_CHECKED rb_code_t inside_list_check(const inside_list_t *list, const trace_source_t *source,
                                       rb_err_t *err);

/* Harmless on a zeroed list. */
void inside_list_free(inside_list_t *list);

#endif
