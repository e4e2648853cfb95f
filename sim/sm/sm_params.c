#include "sim/sm/sm_params.h"

#include "sim/core/engine/msg.h"
#include "sim/parts/cache/replacement.h"
#include "sim/sm/memory/prefetcher.h"
#include "sim/sm/subcore/scheduler/scheduler.h"

#define CHOICE_(NAME, name, help) {#name, help},
const param_choice_t write_policy_choices[] = {WRITE_POLICIES(CHOICE_){NULL, NULL}};

const param_choice_t sm_dependence_choices[] = {
    {"auto", "control words if the code has them, else a scoreboard"},
    {"scoreboard", "a scoreboard of registers"},
    {"control", "the control words of the code"},
    {NULL, NULL},
};

const param_choice_t sm_compiled_for_choices[] = {
    {"none", "nobody's: stall counts stay as they are"},
    {"volta", "Volta's"},
    {"turing", "Turing's"},
    {"ampere", "Ampere's and Hopper's"},
    {NULL, NULL},
};

#define PARAM_SPEC_ sm_spec_t
static const param_t sm_rows[] = {PARAM_ROWS(SM_PARAMS)};
#undef PARAM_SPEC_
const param_group_t sm_param_group =
    PARAM_GROUP("sm", "streaming multiprocessor: slots, pipes, schedulers", sm_spec_t, sm_rows);

#define PARAM_SPEC_ lat_spec_t
static const param_t lat_rows[] = {PARAM_ROWS(LAT_PARAMS)};
#undef PARAM_SPEC_
const param_group_t lat_param_group =
    PARAM_GROUP("lat", "latency per opcode class, issue to dependent issue", lat_spec_t, lat_rows);

#define PARAM_SPEC_ l1_spec_t
static const param_t l1_rows[] = {PARAM_ROWS(L1_PARAMS)};
#undef PARAM_SPEC_
const param_group_t l1_param_group =
    PARAM_GROUP("l1", "level-1 data cache and the load/store unit", l1_spec_t, l1_rows);

#define PARAM_SPEC_ shared_spec_t
static const param_t shared_rows[] = {PARAM_ROWS(SHARED_PARAMS)};
#undef PARAM_SPEC_
const param_group_t shared_param_group =
    PARAM_GROUP("shared", "shared memory", shared_spec_t, shared_rows);

#define PARAM_SPEC_ icache_spec_t
static const param_t icache_rows[] = {PARAM_ROWS(ICACHE_PARAMS)};
#undef PARAM_SPEC_
const param_group_t icache_param_group =
    PARAM_GROUP("icache", "instruction caches", icache_spec_t, icache_rows);

#define PARAM_SPEC_ const_spec_t
static const param_t const_rows[] = {PARAM_ROWS(CONST_PARAMS)};
#undef PARAM_SPEC_
const param_group_t const_param_group =
    PARAM_GROUP("const", "constant caches", const_spec_t, const_rows);

#define PARAM_SPEC_ tlb_spec_t
static const param_t tlb_rows[] = {PARAM_ROWS(TLB_PARAMS)};
#undef PARAM_SPEC_
const param_group_t tlb_param_group =
    PARAM_GROUP("tlb", "address translation of an SM", tlb_spec_t, tlb_rows);

uint32_t l1_spec_ways(const l1_spec_t *spec, uint64_t carveout)
{
    uint64_t left = spec->unified > carveout ? spec->unified - carveout : 0;
    return (uint32_t)((double)left * spec->scale / (LINE_BYTES * spec->sets));
}
