/*
 * Launch samplers: methods that choose which launches of a program to simulate. All are in one
 * table, each with its options. A plan depends only on the method, its options, the launches and a
 * seed, so it is the same on every machine and with any number of threads.
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

#include "sampling/plan/plan.h"
#include "sampling/plan/population.h"
#include "sim/conf/param.h"
#include "sim/core/err.h"

/* What a method needs to know about every launch. */
enum {
    LAUNCH_NEEDS_TIME = 1 << 0,
    LAUNCH_NEEDS_WARP_INSTS = 1 << 1,
    LAUNCH_NEEDS_COUNTERS = 1 << 2, /* thread instructions and requests; the method's help says
                                     * which more */
    LAUNCH_NEEDS_BBV = 1 << 3,
    LAUNCH_NEEDS_GRID = 1 << 4,       /* grid and block */
    LAUNCH_NEEDS_PREDICTION = 1 << 5, /* made when the run begins: launch_missing() ignores it */
    LAUNCH_USES_PREDICTION = 1 << 6,  /* the same, as far as it costs little */
};

struct plan_build;
struct launch_online_ops;

typedef struct launch_method {
    const char *name, *help;
    const param_group_t *options; /* names, types, ranges, defaults, help: for help and sweeps */
    unsigned needs;
    /* Chooses while the program runs (launch_online.h). NULL: plans beforehand. */
    const struct launch_online_ops *online;
    /* Adds clusters and samples (plan_build.h); launch_plan() completes the plan. NULL if
     * online. */
    rb_code_t (*plan)(const void *options, struct plan_build *build, rb_err_t *err);
    /*
     * The sampler that these options name as one to be like, ';' between its options; NULL: none.
     * It plans first (plan_build_t.other). like itself is NULL if no option does that.
     */
    const char *(*like)(const void *options);

    /* Only for plugins; otherwise zero. */
    const char *item; /* its name in --sample: "plugin:FILE.so" */
    uint64_t digest;  /* hash of the file's contents */
    void (*close)(const struct launch_method *method);
} launch_method_t;

/* The table, in the order of the help. */
extern const launch_method_t *const launch_methods[];
extern const size_t n_launch_methods;

/* NULL if there is none with that name; built-in methods only. */
const launch_method_t *launch_method_find(const char *name);

typedef struct {
    const launch_method_t *method; /* owned, if it has close() */
    void *options;                 /* owned: the struct that method->options describes */
} launch_choice_t;

/* Parses one item of --sample: "name", "name:option=value,..." or
 * "plugin:FILE.so,option=value,...". Fractions may be written as percentages. Errors name the
 * method or option and what is similar or allowed. */
rb_code_t launch_choice_parse(launch_choice_t *choice, const char *text, rb_err_t *err) RB_CHECKED;

/* The same for a method that is known already. Takes the method over and changes options; NULL: the
 * defaults. */
rb_code_t launch_choice_make(launch_choice_t *choice, const launch_method_t *method, char *options,
                             rb_err_t *err) RB_CHECKED;

/* Sets one option (for sweeps). */
rb_code_t launch_choice_set(launch_choice_t *choice, const char *option, const char *value,
                            rb_err_t *err) RB_CHECKED;

/* The method with all its options, as launch_choice_parse() reads it; free with free(). */
char *launch_choice_text(const launch_choice_t *choice);

void launch_choice_free(launch_choice_t *choice);

/* NULL if the population has what the method needs, else what is missing, as the end of a sentence:
 * "grid and block sizes". */
const char *launch_missing(const launch_method_t *method, const population_t *pop);

/* Makes a plan. RB_TRACE for an unusable population: empty, times that are negative or not numbers,
 * or a total of zero. Methods that compare all launches with each other estimate their time and
 * memory and refuse above a limit. */
rb_code_t launch_plan(const launch_choice_t *choice, const population_t *pop, uint64_t seed,
                      plan_t *plan, rb_err_t *err) RB_CHECKED;

#endif
