/* A launch sampler whose option selects what it does: rounds, intervals, and forbidden results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rubato_sampler.h"

enum { OPTION_DO, OPTION_STEP, OPTION_SHARE, OPTION_LABEL };

enum {
    DO_HALF,     /* two rounds: even rows, then row 1; states an interval */
    DO_FAIL,     /* fails in its first round */
    DO_REPEAT,   /* asks for a launch twice */
    DO_UNKNOWN,  /* a weight for a launch that was not simulated */
    DO_OUTSIDE,  /* an unknown group */
    DO_NEGATIVE, /* a weight below 0 */
    DO_WRONG,    /* an interval that does not contain the estimate */
    DO_FORGET    /* a second round that depends on the process, not on the results */
};

static const char *const deeds[] = {"half",     "fail",  "repeat", "unknown", "outside",
                                    "negative", "wrong", "forget", NULL};

static const rubato_option_t options[] = {
    {"do", RUBATO_WORD, "half", 0, 0, deeds, "what it does"},
    {"step", RUBATO_INTEGER, "2", 1, 100, NULL,
     "rows from one launch of the first round to the next"},
    {"share", RUBATO_REAL, "0.25", 0, 1, NULL, "half width of the interval, relative"},
    {"label", RUBATO_TEXT, "", 0, 0, NULL, "of no meaning"},
};

typedef struct {
    unsigned rounds;
} state_t;

static int create(const rubato_task_t *task, void **state, char *why)
{
    (void)task;
    (void)why;
    *state = calloc(1, sizeof(state_t));
    return *state == NULL;
}

static int ask(const rubato_task_t *task, void *state, const double *cycles, unsigned char *next,
               char *why)
{
    state_t *s = state;
    const rubato_launches_t *l = task->launches;
    const unsigned deed = task->options[OPTION_DO].word;
    uint64_t row;
    if (deed == DO_FAIL) {
        snprintf(why, RUBATO_WHY_MAX, "was told to fail, as '%s'",
                 task->options[OPTION_LABEL].text);
        return 1;
    }
    s->rounds++;
    if (s->rounds == 1) {
        for (row = 0; row < l->n; row += task->options[OPTION_STEP].integer)
            next[row] = 1;
        if (deed == DO_FORGET && getenv("ODD_LAUNCH") != NULL)
            next[0] = 0;
    } else if (s->rounds == 2 && l->n > 1) {
        next[deed == DO_REPEAT ? 0 : 1] = 1;
        if (isnan(cycles[0]) && deed != DO_FORGET) {
            snprintf(why, RUBATO_WHY_MAX, "the first launch has no cycles");
            return 1;
        }
    }
    return 0;
}

static int weigh(const rubato_task_t *task, void *state, const double *cycles,
                 rubato_choice_t *choice, char *why)
{
    const uint64_t n = task->launches->n;
    const unsigned deed = task->options[OPTION_DO].word;
    uint64_t row, known = 0;
    (void)state;
    (void)why;
    for (row = 0; row < n; row++)
        known += isnan(cycles[row]) ? 0 : 1;
    for (row = 0; row < n; row++)
        choice->weight[row] = isnan(cycles[row]) ? 0 : (double)n / (double)known;
    if (deed == DO_UNKNOWN)
        choice->weight[3] = 1;
    if (deed == DO_OUTSIDE)
        choice->group[0] = (uint32_t)n;
    if (deed == DO_NEGATIVE)
        choice->weight[0] = -1;
    return 0;
}

static int interval(const rubato_task_t *task, void *state, const double *cycles,
                    rubato_interval_t *out, char *why)
{
    const uint64_t n = task->launches->n;
    const double share = task->options[OPTION_SHARE].real;
    double sum = 0, known = 0;
    uint64_t row;
    (void)state;
    (void)why;
    for (row = 0; row < n; row++) {
        known += isnan(cycles[row]) ? 0 : 1;
        sum += isnan(cycles[row]) ? 0 : cycles[row];
    }
    sum *= (double)n / known;
    if (task->options[OPTION_DO].word == DO_WRONG)
        sum *= 3;
    out->low = sum * (1 - share);
    out->high = sum * (1 + share);
    out->confidence = 0.9;
    return 0;
}

static const rubato_launch_sampler_t launch = {
    .create = create, .destroy = free, .round = ask, .weigh = weigh, .interval = interval};

const rubato_sampler_t rubato_sampler = {
    .interface_number = RUBATO_SAMPLER_INTERFACE,
    .name = "odd_launch",
    .help = "what a launch sampler may do, and what not",
    .options = options,
    .n_options = sizeof(options) / sizeof(options[0]),
    .launch = &launch,
};
