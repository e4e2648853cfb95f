/*
 * blocks: a baseline that simulates a fixed number of blocks of each launch (the first, the last or
 * random ones), or those of a list, and scales times and counters by the number of blocks. It
 * ignores waves: fewer blocks than the chip holds do not run at the launch's rate.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/inside/block_list.h"
#include "sampling/inside/inside_table.h"
#include "sampling/math/pick.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

enum { WHICH_FIRST, WHICH_LAST, WHICH_RANDOM };
static const param_choice_t which_choices[] = {
    {"first", NULL}, {"last", NULL}, {"random", NULL}, {NULL, NULL}};

#define BLOCKS_OPTIONS(P, E, T)                                                                    \
    P(U64, count, "1000", 1, 1e9, "blocks", "how many blocks of each launch are simulated")        \
    E(which, which_choices, "first", "which blocks: first, last or random")                        \
    P(PATH, list, "", 0, 0, "",                                                                    \
      "file with the blocks to simulate, instead of count and which; per line a block (17), a "    \
      "share of the grid (0.25, 25%) or a range (32-63, 25%-50%)")

PARAM_STRUCT(blocks_options_t, BLOCKS_OPTIONS);
#define PARAM_SPEC_ blocks_options_t
static const param_t blocks_rows[] = {PARAM_ROWS(BLOCKS_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t blocks_group =
    PARAM_GROUP("blocks", "a fixed number of blocks", blocks_options_t, blocks_rows);

typedef struct {
    blocks_options_t options;
    uint64_t seed;
    uint64_t n;       /* number of blocks of the launch */
    uint64_t count;   /* number of simulated blocks */
    uint64_t *chosen; /* owned; ascending: the simulated blocks, if random and not all */
    block_list_t list;
    block_range_t *ranges; /* owned: listed blocks of this launch; NULL: none */
    size_t n_ranges;
} blocks_state_t;

static void *blocks_create(const inside_method_t *method, const void *options, uint64_t seed,
                           rb_err_t *err)
{
    blocks_state_t *s = rb_calloc(1, sizeof(*s));
    (void)method;
    s->options = *(const blocks_options_t *)options;
    s->seed = seed;
    const char *list = s->options.list.text;
    if (list[0] == '\0' || block_list_read(&s->list, list, err) == RB_OK)
        return s;
    free(s);
    return NULL;
}

static uint64_t blocks_digest(const inside_method_t *method, const void *state)
{
    (void)method;
    return ((const blocks_state_t *)state)->list.digest;
}

static void blocks_destroy(void *state)
{
    blocks_state_t *s = state;
    free(s->chosen);
    free(s->ranges);
    block_list_free(&s->list);
    free(s);
}

/* Chooses the listed blocks. A launch without listed blocks is simulated completely. */
static void choose_listed(blocks_state_t *s)
{
    free(s->ranges);
    s->ranges = block_list_of(&s->list, s->n, &s->n_ranges);
    s->count = s->ranges == NULL ? s->n : 0;
    for (size_t i = 0; i < s->n_ranges; i++)
        s->count += s->ranges[i].to - s->ranges[i].from;
}

static rb_code_t blocks_open(const sampler_t *sampler, const sampler_launch_t *l, rb_err_t *err)
{
    blocks_state_t *s = sampler->state;
    (void)err;
    s->n = l->info->n_blocks;
    s->count = s->options.count < s->n ? s->options.count : s->n;
    free(s->chosen);
    s->chosen = NULL;
    if (s->list.n > 0)
        choose_listed(s);
    else if (s->options.which == WHICH_RANDOM && s->count < s->n) {
        rng_t rng = rng_make(s->seed, l->info->id);
        s->chosen = rb_calloc(s->count, sizeof(*s->chosen));
        pick_distinct(&rng, s->n, s->count, s->chosen);
    }
    return RB_OK;
}

static bool is_chosen(const blocks_state_t *s, uint64_t block)
{
    size_t i;
    FIND_FIRST(i, 0, s->count, s->chosen[i] >= block);
    return i < s->count && s->chosen[i] == block;
}

static bool is_simulated(const blocks_state_t *s, uint64_t block)
{
    if (s->count == s->n)
        return true;
    if (s->ranges != NULL)
        return block_ranges_have(s->ranges, s->n_ranges, block);
    return s->options.which == WHICH_FIRST  ? block < s->count
           : s->options.which == WHICH_LAST ? block >= s->n - s->count
                                            : is_chosen(s, block);
}

static block_action_t blocks_dispatch(const sampler_t *sampler, uint64_t block, cycle_t *cycles)
{
    (void)cycles;
    return is_simulated(sampler->state, block) ? BLOCK_SIMULATE : BLOCK_SKIP;
}

static void blocks_verdict(const sampler_t *sampler, char evidence[SAMPLER_EVIDENCE_MAX])
{
    const blocks_state_t *s = sampler->state;
    const char *which = s->list.n > 0 && s->ranges == NULL ? "all: none of the listed blocks exists"
                        : s->count == s->n                 ? "all"
                        : s->ranges != NULL                ? "of the list"
                                                           : which_choices[s->options.which].name;
    snprintf(evidence, SAMPLER_EVIDENCE_MAX, "%" PRIu64 " of %" PRIu64 " blocks, %s", s->count,
             s->n, which);
}

static const sampler_ops_t blocks_ops = {
    .name = "blocks",
    .launch_open = blocks_open,
    .block_dispatch = blocks_dispatch,
    .launch_verdict = blocks_verdict,
};

const inside_method_t inside_blocks = {
    .help = "baseline: a fixed number of blocks of each launch, or those of a list, scaled",
    .options = &blocks_group,
    .ops = &blocks_ops,
    .create = blocks_create,
    .destroy = blocks_destroy,
    .digest = blocks_digest,
};
