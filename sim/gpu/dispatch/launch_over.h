/* The end of a launch whose SMs have write-back L1s. */
#ifndef RUBATO_GPU_LAUNCH_OVER_H
#define RUBATO_GPU_LAUNCH_OVER_H

#include "sim/core/engine/engine.h"
#include "sim/gpu/gpu_params.h"

/* Tells all SMs that a launch, all of whose blocks are done, is over, so that they write back what they
 * have modified. Returns how many of them will answer with MSG_STORES_DONE: none if L1s write through. */
static inline uint32_t launch_over_tell(const gpu_spec_t *spec, const uint16_t *sm_shard,
                                        const launch_ctx_t *launch, outbox_t *out, cycle_t now)
{
    const sm_config_t *sm = &spec->sm;
    const msg_t m = {.arrival = now + spec->sched.dispatch_latency,
                     .kind = MSG_LAUNCH_OVER,
                     .block = {.launch = launch}};
    if (sm->l1.write != WRITE_POLICY_WRITE_BACK || sm->l1.perfect || sm->sm.ideal)
        return 0;
    for (uint32_t i = 0; i < sm->sm.count; i++)
        engine_send(out, sm_shard[i], &m);
    return sm->sm.count;
}

#endif
