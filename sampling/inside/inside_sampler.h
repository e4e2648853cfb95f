/*
 * Samplers inside launches: methods that stop a launch early, or skip parts of it, while it is
 * simulated. All are in one table, each with its options. A run has an ordered list of them.
 *
 *   inside_list_t list = {0};
 *   inside_list_add(&list, "photon_warp:delta=0.03", seed, &err);
 *   run_plan_t plan = {.inside = list.samplers, .n_inside = list.n, ...};
 *   ...
 *   inside_list_free(&list);
 */
#ifndef RUBATO_INSIDE_SAMPLER_H
#define RUBATO_INSIDE_SAMPLER_H

#include "sampling/estimate/estimate.h"
#include "sim/conf/conf.h"
#include "sim/gpu/sampled/sampler.h"

typedef struct inside_method {
    const char *help;
    const param_group_t *options; /* names, types, ranges, defaults, help: for help and sweeps */
    const sampler_ops_t *ops;     /* its name is the method's name */
    bool index;                   /* needs a trace's index with the instructions of each block */
    bool fixed;                   /* decisions do not depend on the seed */
    /* Creates the state of a sampler with these options (copied); destroy() frees it. NULL after an
     * error. */
    void *(*create)(const struct inside_method *method, const void *options, uint64_t seed,
                    rb_err_t *err);
    void (*destroy)(void *state);
    /* Hash of the files that the options name, on which decisions depend. NULL: no files. */
    uint64_t (*digest)(const struct inside_method *method, const void *state);

    /* Optional, both or none: measures the units of another run, which it takes, in the launches to come; and the units
     * that it has measured, borrowed. */
    void (*follow)(void *state, unit_file_t *units);
    const unit_file_t *(*units)(const void *state);

    /* Only for plugins; otherwise NULL. */
    const char *item; /* its name in --sample: "plugin:FILE.so" */
    void (*close)(const struct inside_method *method);
} inside_method_t;

/* The table, in the order of the help. */
extern const inside_method_t *const inside_methods[];
extern const size_t n_inside_methods;

/* Makes the options of every method settings of c ("photon_warp.delta"). */
void inside_add_groups(conf_t *c);

/* The options of the i-th method, for callers that only check keys; NULL: no such method. */
const param_group_t *inside_group(size_t i);

/* Whether the table has a sampler of that name. */
bool inside_method_is(const char *name);

/* Opens the method of an item of --sample: "name", "name:option=value,..." or "plugin:FILE.so,...".
 * *method is NULL if it is not a sampler inside launches. RB_USAGE: a plugin that cannot be loaded.
 * Close it with inside_method_close(). */
RB_CHECKED rb_code_t inside_method_open(const inside_method_t **method, const char *item,
                                        rb_err_t *err);

/* NULL and built-in methods are allowed. */
void inside_method_close(const inside_method_t *method);

/*
 * RB_CONFIG if the samplers that a configuration names are from outside: these are programs, which
 * only a command line may name.
 */
RB_CHECKED rb_code_t inside_check_configured(const char *samplers, rb_err_t *err);

typedef struct {
    sampler_t *samplers;             /* owned */
    const inside_method_t **methods; /* owned array of open methods */
    char **texts;                    /* owned: name with all options, per sampler */
    void **options;                  /* owned: struct described by the method's group, per
                                      * sampler */
    size_t n;
    const conf_t
        *conf; /* borrowed: values for options that an item does not set; NULL: the defaults */
} inside_list_t;

/* Appends the sampler of an item. RB_USAGE, naming the option and what is similar or allowed. If it
 * is not a sampler inside launches, *added is false and nothing is changed. */
RB_CHECKED rb_code_t inside_list_take(inside_list_t *list, const char *item, uint64_t seed,
                                      bool *added, rb_err_t *err);

/* The same, but RB_USAGE if it is not a sampler inside launches. */
RB_CHECKED rb_code_t inside_list_add(inside_list_t *list, const char *item, uint64_t seed,
                                     rb_err_t *err);

/* Hash of the files that the i-th sampler uses; 0: none. */
uint64_t inside_list_digest(const inside_list_t *list, size_t i);

/* Copies the options of the named sampler to *out, as described by its group; if the list does not
 * have it, those of list->conf or the defaults. */
void inside_list_options(const inside_list_t *list, const char *name, void *out);

/* RB_USAGE if a sampler of the list cannot use this source. */
RB_CHECKED rb_code_t inside_list_check(const inside_list_t *list, const trace_source_t *source,
                                       rb_err_t *err);

/* A zeroed list is allowed. */
/* The sampler of the list that measures units; the list's end: none. */
size_t inside_list_units(const inside_list_t *list);

void inside_list_free(inside_list_t *list);

#endif
