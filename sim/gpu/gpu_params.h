/* Parameters of the whole chip: its own, those of its parts, and the table of all groups. */
#ifndef RUBATO_GPU_PARAMS_H
#define RUBATO_GPU_PARAMS_H

#include "sim/conf/param.h"
#include "sim/mem/mem_params.h"
#include "sim/sm/sm_params.h"

enum { ORDER_LINEAR, ORDER_EVEN_ODD };
extern const param_choice_t gpu_order_choices[];

enum { WARMUP_KEEP, WARMUP_FLUSH, WARMUP_FUNCTIONAL, WARMUP_AUTO };
extern const param_choice_t gpu_warmup_choices[];

#define GPU_PARAMS(P, E, T)                                                                        \
    T(name, "unnamed", "name of the GPU, for reports and programs")                                \
    P(U32, arch, "70", 70, 99, "", "compute capability times ten: 70 Volta, 75 Turing")            \
    P(F64, clock_mhz, "1380", 1, 100000, "MHz", "core clock")                                      \
    P(U32, launch_latency, "5000", 0, 1000000, "cycles",                                           \
      "from launch to the dispatch of the first block")                                            \
    P(BOOL, memcpy_fills_l2, "true", 0, 1, "", "host-to-device copies leave their data in the L2") \
    P(U32, concurrent_launches, "1", 1, 128, "launches",                                           \
      "launches of different streams on the chip at the same time; 1: one after another")          \
    P(U32, launch_gap, "1500", 1, 1000000, "cycles",                                               \
      "several launches: from the end of what a launch waits for to its first block")              \
    P(U32, copy_engines, "2", 1, 2, "engines",                                                     \
      "several launches: 2: copies in both directions overlap; 1: they follow each other")         \
    P(F64, copy_bandwidth, "12", 0.001, 100000, "GB/s",                                            \
      "several launches: bandwidth between host and device, in each direction")                    \
    P(U32, copy_latency, "2000", 0, 100000000, "cycles",                                           \
      "several launches: what a copy takes besides its bytes")
PARAM_STRUCT(gpu_params_t, GPU_PARAMS);
extern const param_group_t gpu_param_group;

#define SCHED_PARAMS(P, E, T)                                                                      \
    P(U32, dispatch_interval, "1", 1, 10000, "cycles", "cycles between two dispatches of blocks")  \
    P(U32, dispatch_latency, "60", 1, 10000, "cycles", "latency from block scheduler to SM")       \
    P(U32, completion_latency, "60", 1, 10000, "cycles", "latency from SM to block scheduler")     \
    E(order, gpu_order_choices, "even_odd",                                                        \
      "order of SMs in which ties of the most-room rule are broken")
PARAM_STRUCT(sched_spec_t, SCHED_PARAMS);
extern const param_group_t sched_param_group;

#define WARMUP_PARAMS(P, E, T)                                                                     \
    E(mode, gpu_warmup_choices, "auto", "what a launch finds in the caches when it begins")        \
    P(U32, launches, "0", 0, 1000000, "launches",                                                  \
      "mode functional: at most this many skipped launches before it are walked; 0: no limit")     \
    P(F64, full, "0.98", 0, 1, "",                                                                 \
      "mode functional: no more launches are walked when they fill this share of the L2")          \
    P(F64, news, "0.01", 0, 1, "",                                                                 \
      "mode functional: or when the last ones add less than this share of the lines so far")
PARAM_STRUCT(warmup_spec_t, WARMUP_PARAMS);
extern const param_group_t warmup_param_group;

#define SAMPLING_PARAMS(P, E, T)                                                                   \
    P(U32, interval, "256", 1, 100000000, "cycles",                                                \
      "cycles between two decisions of samplers inside launches")                                  \
    T(samplers, "", "samplers for runs without --sample, in the same syntax")
PARAM_STRUCT(sampling_spec_t, SAMPLING_PARAMS);
extern const param_group_t sampling_param_group;

/* The resolved configuration of a GPU. */
typedef struct {
    gpu_params_t gpu;
    sched_spec_t sched;
    warmup_spec_t warmup;
    sampling_spec_t sampling;
    sm_config_t sm;
    mem_config_t mem;
} gpu_spec_t;

/* The offset of a group's struct in gpu_spec_t. */
typedef struct {
    const param_group_t *group;
    size_t offset;
} gpu_group_t;

/* All groups in the order of the resolved file; ends with group == NULL. */
extern const gpu_group_t gpu_groups[];

#endif
