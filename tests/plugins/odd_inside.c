/* A sampler inside launches whose option selects what it does, including forbidden actions. */
#include <stdio.h>
#include <stdlib.h>

#include "rubato_sampler.h"

enum { OPTION_DO, OPTION_AFTER };

enum {
    DO_ADD,    /* skips the rest after some intervals, at the rate so far */
    DO_HOLD,   /* the same, blocks hold their places */
    DO_FAIL,   /* fails when a launch begins */
    DO_NONE,   /* skips every block */
    DO_ACTION, /* an unknown action */
    DO_MODEL,  /* an unknown model */
    DO_CYCLES, /* a negative number of cycles */
    DO_RECORDS /* skips the rest once this many warps have retired */
};

static const char *const deeds[] = {"add",   "hold",   "fail",    "none", "action",
                                    "model", "cycles", "records", NULL};

static const rubato_option_t options[] = {
    {"do", RUBATO_WORD, "add", 0, 0, deeds, "what it does"},
    {"after", RUBATO_INTEGER, "4", 1, 1e9, NULL, "intervals, or warps, before it does it"},
};

typedef struct {
    uint64_t intervals, warps;
    double cycles, blocks;
    int holds;
} state_t;

static unsigned deed(const rubato_launch_t *l)
{
    return l->options[OPTION_DO].word;
}

static int begin(const rubato_launch_t *l, void **state, char *why)
{
    if (deed(l) == DO_FAIL) {
        snprintf(why, RUBATO_WHY_MAX, "does not like %s", l->kernel);
        return 1;
    }
    *state = calloc(1, sizeof(state_t));
    return *state == NULL;
}

static int interval(const rubato_launch_t *l, void *state, const rubato_progress_t *p,
                    rubato_forward_t *out)
{
    state_t *s = state;
    uint64_t i, count;
    for (i = 0; i < p->records[RUBATO_WARPS].n; i++)
        s->warps += p->records[RUBATO_WARPS].list[i].retire <= p->cycle ? 1 : 0;
    s->intervals++;
    count = deed(l) == DO_RECORDS ? s->warps : s->intervals;
    if (count < l->options[OPTION_AFTER].integer || p->blocks_done == 0 ||
        p->next_block >= l->blocks || deed(l) == DO_NONE || deed(l) == DO_ACTION)
        return 0;
    s->cycles = (double)p->cycle;
    s->blocks = (double)p->blocks_done;
    s->holds = deed(l) == DO_HOLD;
    out->until = l->blocks;
    out->model = s->holds ? RUBATO_HOLD_SLOTS : RUBATO_ADD_CYCLES;
    if (deed(l) == DO_MODEL)
        out->model = (rubato_model_t)7;
    snprintf(out->evidence, sizeof(out->evidence), "after %llu", (unsigned long long)count);
    return 1;
}

static int block(const rubato_launch_t *l, const void *state, uint64_t at, uint64_t *cycles)
{
    const state_t *s = state;
    (void)at;
    *cycles = 1000;
    if (deed(l) == DO_NONE)
        return RUBATO_SKIP;
    if (deed(l) == DO_ACTION)
        return 9;
    return s->holds ? RUBATO_HOLD : RUBATO_SIMULATE;
}

static double forward_end(const rubato_launch_t *l, void *state, uint64_t blocks)
{
    const state_t *s = state;
    return deed(l) == DO_CYCLES ? -1 : s->cycles / s->blocks * (double)blocks;
}

static const rubato_inside_sampler_t inside = {.records = 1u << RUBATO_WARPS,
                                               .begin = begin,
                                               .end = free,
                                               .interval = interval,
                                               .block = block,
                                               .forward_end = forward_end};

const rubato_sampler_t rubato_sampler = {
    .interface_number = RUBATO_SAMPLER_INTERFACE,
    .name = "odd_inside",
    .help = "what a sampler inside launches may do, and what not",
    .options = options,
    .n_options = sizeof(options) / sizeof(options[0]),
    .inside = &inside,
};
