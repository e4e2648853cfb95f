/*
 * Launch samplers: methods that choose which launches of a program to simulate. One table of them,
 * each with its options; a plan comes from a method, its options, the launches and a seed, and
 * from nothing else: the same on every machine and with any number of threads.
 *
 *   launch_choice_t choice = {0};
 *   launch_choice_parse(&choice, "stem:epsilon=0.05,variant=paper", &err);
 *   launch_plan(&choice, &population, seed, &plan, &err);
 *   ...
 *   plan_free(&plan);
 *   launch_choice_free(&choice);
 */
#ifndef RUBATO_LAUNCH_SAMPLER_H
#define RUBATO_LAUNCH_SAMPLER_H

#include "sampling/launch/plan.h"
#include "sampling/launch/population.h"
#include "sim/conf/param.h"
#include "sim/core/err.h"

/* What a method must know of every launch. */
enum {
    LAUNCH_NEEDS_TIME = 1 << 0,
    LAUNCH_NEEDS_WARP_INSTS = 1 << 1,
    LAUNCH_NEEDS_COUNTERS = 1 << 2, /* some more of pop_counter_t; the method's help says which */
    LAUNCH_NEEDS_BBV = 1 << 3,
    LAUNCH_NEEDS_GRID = 1 << 4, /* grid and block */
};

struct plan_build;
struct launch_online_ops;

typedef struct launch_method {
    const char *name, *help;
    const param_group_t *options; /* names, types, ranges, defaults, help: for help and sweeps */
    unsigned needs;
    /* Chooses while the program runs (launch_online.h). NULL: it plans beforehand. */
    const struct launch_online_ops *online;
    /* Fills clusters and samples (plan_build.h); launch_plan() completes the rest. NULL: online. */
    rb_code_t (*plan)(const void *options, struct plan_build *build, rb_err_t *err);
    /*
     * The sampler that these options name as one to be like, ';' between its options; NULL: none.
     * It plans first (plan_build_t.other). like itself is NULL if no option does that.
     */
    const char *(*like)(const void *options);

    /* Of a sampler from outside; otherwise zero. */
    const char *item; /* what --sample calls it: "plugin:FILE.so" */
    uint64_t digest;  /* of its file's contents */
    void (*close)(const struct launch_method *method);
} launch_method_t;

/* The table, in the order in which help lists it. */
extern const launch_method_t *const launch_methods[];
extern const size_t n_launch_methods;

/* NULL if there is none of that name; built-in methods only. */
const launch_method_t *launch_method_find(const char *name);

typedef struct {
    const launch_method_t *method; /* owned, if it has close() */
    void *options;                 /* owned: the struct that method->options describes */
} launch_choice_t;

/*
 * Reads "name", "name:option=value,..." or "plugin:FILE.so,option=value,...": one item of --sample.
 * Fractions may be written as
 * percentages. Errors name the method or option and what was near or is legal.
 */
rb_code_t launch_choice_parse(launch_choice_t *choice, const char *text, rb_err_t *err) RB_CHECKED;

/* The same with a method that was found, taken over; options is changed; NULL: the defaults. */
rb_code_t launch_choice_make(launch_choice_t *choice, const launch_method_t *method, char *options,
                             rb_err_t *err) RB_CHECKED;

/* Sets one option: for sweeps. */
rb_code_t launch_choice_set(launch_choice_t *choice, const char *option, const char *value,
                            rb_err_t *err) RB_CHECKED;

/* The method with every option, as launch_choice_parse() reads it; to be freed. */
char *launch_choice_text(const launch_choice_t *choice);

void launch_choice_free(launch_choice_t *choice);

/*
 * NULL if the population has what the method needs, else what is missing, as the end of a
 * sentence: "instruction counts (column ...)".
 */
const char *launch_missing(const launch_method_t *method, const population_t *pop);

/*
 * Plans. The population is checked first: an empty one, times that are negative or not numbers,
 * or a total of zero are the user's error. Memory and time of a method that compares launches
 * with each other are estimated and refused above a limit, with a message that says both.
 */
rb_code_t launch_plan(const launch_choice_t *choice, const population_t *pop, uint64_t seed,
                      plan_t *plan, rb_err_t *err) RB_CHECKED;

#endif
