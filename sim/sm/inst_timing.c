/* What an instruction takes of an SM, for models without time. */
#include "sim/sm/landing.h"
#include "sim/sm/subcore/pipes.h"

inst_timing_t sm_inst_timing(const sm_config_t *config, const inst_t *inst)
{
    const op_properties_t p = class_properties(config, (op_class_t)inst->cls);
    return (inst_timing_t){
        .pipe = (pipe_t)p.pipe,
        .interval = p.varies ? pipes_interval_of(&config->sm, inst, p.interval) : p.interval,
        .latency = pipes_latency_of(&config->lat, inst, p.varies),
        .queued = p.queued,
        .varies = p.varies,
    };
}
