#include "sim/gpu/gpu_params.h"

const param_choice_t gpu_order_choices[] = {
    {"linear", "SM 0, 1, 2, ..."},
    {"even_odd", "the even SMs, then the odd ones"},
    {NULL, NULL},
};
const param_choice_t gpu_warmup_choices[] = {
    {"keep", "what the last simulated launch left"},
    {"flush", "an empty L2, otherwise the same"},
    {"functional", "what the launches before it in the trace leave, simulated or not"},
    {"auto", "functional if launches are sampled and the trace has an index; otherwise keep"},
    {NULL, NULL},
};

#define PARAM_SPEC_ gpu_params_t
static const param_t gpu_rows[] = {PARAM_ROWS(GPU_PARAMS)};
#undef PARAM_SPEC_
const param_group_t gpu_param_group = PARAM_GROUP("gpu", "the chip", gpu_params_t, gpu_rows);

#define PARAM_SPEC_ sched_spec_t
static const param_t sched_rows[] = {PARAM_ROWS(SCHED_PARAMS)};
#undef PARAM_SPEC_
const param_group_t sched_param_group =
    PARAM_GROUP("sched", "block scheduler", sched_spec_t, sched_rows);

#define PARAM_SPEC_ warmup_spec_t
static const param_t warmup_rows[] = {PARAM_ROWS(WARMUP_PARAMS)};
#undef PARAM_SPEC_
const param_group_t warmup_param_group =
    PARAM_GROUP("warmup", "state between launches", warmup_spec_t, warmup_rows);

#define PARAM_SPEC_ sampling_spec_t
static const param_t sampling_rows[] = {PARAM_ROWS(SAMPLING_PARAMS)};
#undef PARAM_SPEC_
const param_group_t sampling_param_group =
    PARAM_GROUP("sampling", "samplers in the execution loop", sampling_spec_t, sampling_rows);

const gpu_group_t gpu_groups[] = {
    {&gpu_param_group, offsetof(gpu_spec_t, gpu)},
    {&sched_param_group, offsetof(gpu_spec_t, sched)},
    {&warmup_param_group, offsetof(gpu_spec_t, warmup)},
    {&sampling_param_group, offsetof(gpu_spec_t, sampling)},
    {&sm_param_group, offsetof(gpu_spec_t, sm.sm)},
    {&lat_param_group, offsetof(gpu_spec_t, sm.lat)},
    {&l1_param_group, offsetof(gpu_spec_t, sm.l1)},
    {&shared_param_group, offsetof(gpu_spec_t, sm.shared)},
    {&icache_param_group, offsetof(gpu_spec_t, sm.icache)},
    {&const_param_group, offsetof(gpu_spec_t, sm.constant)},
    {&tlb_param_group, offsetof(gpu_spec_t, sm.tlb)},
    {&icnt_param_group, offsetof(gpu_spec_t, mem.icnt)},
    {&mem_param_group, offsetof(gpu_spec_t, mem.mem)},
    {&l2_param_group, offsetof(gpu_spec_t, mem.l2)},
    {&dram_param_group, offsetof(gpu_spec_t, mem.dram)},
    {&mmu_param_group, offsetof(gpu_spec_t, mem.mmu)},
    {NULL, 0},
};
