/*
 * first_blocks: simulates the first blocks of each launch and skips the others; rubato scales
 * times and counters by the number of blocks.
 *
 *   cc -std=c99 -O2 -shared -fPIC -I PREFIX/include first_blocks.c -o first_blocks.so
 *   rubato run app.rbt --sample plugin:./first_blocks.so,count=64
 */
#include <stdio.h>

#include "rubato_sampler.h"

enum { OPTION_COUNT };

static const rubato_option_t options[] = {
    {"count", RUBATO_INTEGER, "1000", 1, 1e9, NULL, "blocks of each launch that are simulated"},
};

static int block(const rubato_launch_t *l, const void *state, uint64_t at, uint64_t *cycles)
{
    (void)state;
    (void)cycles;
    return at < l->options[OPTION_COUNT].integer ? RUBATO_SIMULATE : RUBATO_SKIP;
}

static void verdict(const rubato_launch_t *l, const void *state, char *evidence)
{
    const uint64_t count = l->options[OPTION_COUNT].integer;
    (void)state;
    snprintf(evidence, RUBATO_EVIDENCE_MAX, "%llu of %llu blocks",
             (unsigned long long)(count < l->blocks ? count : l->blocks),
             (unsigned long long)l->blocks);
}

static const rubato_inside_sampler_t inside = {.block = block, .verdict = verdict};

const rubato_sampler_t rubato_sampler = {
    .interface_number = RUBATO_SAMPLER_INTERFACE,
    .name = "first_blocks",
    .help = "the first blocks of each launch, scaled",
    .options = options,
    .n_options = sizeof(options) / sizeof(options[0]),
    .inside = &inside,
};
