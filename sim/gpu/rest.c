/*
 * The chip at rest: after a launch has ended, write-backs may still be in flight. The next launch
 * starts at the first multiple of GPU_REST_QUANTUM cycles after the end at which nothing is under
 * way; these cycles belong to no launch. The rule does not depend on windows or threads.
 */
#include "sim/gpu/gpu_internal.h"

void gpu_come_to_rest(gpu_t *g)
{
    cycle_t until = g->scheduler.quiet;
    do
        until += GPU_REST_QUANTUM;
    while (until <= g->scheduler.quiet + g->window || !engine_run(g->engine, until));
    g->next_start = until;
}
