/*
 * Ratios of counters: each one is declared once, with its numerator and denominator, and used by
 * the table, run.json and the CSV files. A ratio is always a quotient of sums, never a mean of
 * ratios.
 *
 * Rates and utilisations refer to the cycles without the launch latency, that is, from the first
 * block's dispatch on. The exception is ipc, which refers to all cycles.
 */
#ifndef RUBATO_LIBRARY_METRICS_H
#define RUBATO_LIBRARY_METRICS_H

#include "sim/gpu/gpu.h"

/* The input of a metric: a launch, an interval or a whole run. */
typedef struct {
    const gpu_spec_t *spec;
    double cycles;      /* all */
    double busy_cycles; /* without launch latency */
    double seconds;     /* of busy_cycles, at the core clock */
    double sms;
    const sm_stats_t *sm;
    const l2_stats_t *l2;
    const dram_stats_t *dram;
    bool estimated; /* values are limited: shares to 1, rates to their peak */
} metric_input_t;

/* The input for measured values. The counters are borrowed. */
metric_input_t metric_input(const gpu_spec_t *spec, uint64_t cycles, uint64_t launch_cycles,
                            const sm_stats_t *sm, const l2_stats_t *l2, const dram_stats_t *dram);

/* The warp state that a metric is the share of ("wait" of "state_wait_share"), *n bytes in its name;
 * NULL: it is another metric. */
const char *metric_state(const char *metric, size_t *n);

/* Peak of all DRAM channels together in bytes per core cycle. */
double metric_dram_peak(const gpu_spec_t *spec);

/* Bytes that DRAM reads and writes. */
double metric_dram_bytes(const metric_input_t *m);

/* Cycles of resident warps: all warp states except the empty slot. */
uint64_t metric_resident(const sm_stats_t *sm);

/* The shares of the warp states: "stall shares". */
#define METRIC_STATE_(X, state)                                                                    \
    X(state_##state##_share, "1", "smsp__warp_issue_stalled_" #state "_per_warp_active.pct",       \
      "share of the resident warps' cycles in this state", (double)m->sm->state_##state,           \
      (double)metric_resident(m->sm))
#define METRIC_STATES_(X)                                                                          \
    METRIC_STATE_(X, selected)                                                                     \
    METRIC_STATE_(X, not_selected)                                                                 \
    METRIC_STATE_(X, long_scoreboard)                                                              \
    METRIC_STATE_(X, short_scoreboard)                                                             \
    METRIC_STATE_(X, wait)                                                                         \
    METRIC_STATE_(X, math_pipe_throttle)                                                           \
    METRIC_STATE_(X, lg_throttle)                                                                  \
    METRIC_STATE_(X, mio_throttle)                                                                 \
    METRIC_STATE_(X, tex_throttle)                                                                 \
    METRIC_STATE_(X, barrier)                                                                      \
    METRIC_STATE_(X, membar)                                                                       \
    METRIC_STATE_(X, branch_resolving)                                                             \
    METRIC_STATE_(X, no_instruction)                                                               \
    METRIC_STATE_(X, imc_miss)                                                                     \
    METRIC_STATE_(X, dispatch_stall)                                                               \
    METRIC_STATE_(X, drain)                                                                        \
    METRIC_STATE_(X, sleeping)                                                                     \
    METRIC_STATE_(X, misc)

/*
 * X(name, unit, Nsight Compute metric or "", help, numerator, denominator): expressions of m, a
 * const metric_input_t *. Where Nsight Compute uses per cent, the unit here is 1 (a fraction).
 */
#define METRIC_LIST(X)                                                                             \
    X(ipc, "warp instructions/cycle", "",                                                          \
      "instructions per cycle of the whole chip, launch latency included",                         \
      (double)m->sm->warp_insts, m->cycles)                                                        \
    X(ipc_per_sm, "warp instructions/cycle", "sm__inst_executed.avg.per_cycle_active",             \
      "instructions per cycle of an SM while it has warps", (double)m->sm->warp_insts,             \
      (double)m->sm->active_cycles)                                                                \
    X(issue_utilization, "1", "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",                 \
      "issue slots used", (double)m->sm->warp_insts,                                               \
      m->sms * m->spec->sm.sm.sub_cores * m->busy_cycles)                                          \
    X(sm_activity, "1", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",                     \
      "cycles in which an SM has warps", (double)m->sm->active_cycles, m->sms * m->busy_cycles)    \
    X(achieved_occupancy, "1", "sm__warps_active.avg.pct_of_peak_sustained_active",                \
      "resident warps per warp slot, while an SM has warps", (double)metric_resident(m->sm),       \
      (double)m->sm->active_cycles * m->spec->sm.sm.max_warps)                                     \
    X(warp_execution_efficiency, "1", "smsp__thread_inst_executed_per_inst_executed.pct",          \
      "active lanes per lane of an issued instruction", (double)m->sm->thread_insts,               \
      32.0 * (double)m->sm->warp_insts)                                                            \
    X(branch_efficiency, "1", "smsp__sass_average_branch_targets_threads_uniform.pct",             \
      "branches after which the same lanes are active", (double)m->sm->branches_uniform,           \
      (double)m->sm->branches)                                                                     \
    X(fp16_rate, "operations/s", "", "FP16 operations, without tensor cores",                      \
      (double)m->sm->flops_fp16, m->seconds)                                                       \
    X(fp32_rate, "operations/s", "", "FP32 operations", (double)m->sm->flops_fp32, m->seconds)     \
    X(fp64_rate, "operations/s", "", "FP64 operations", (double)m->sm->flops_fp64, m->seconds)     \
    X(tensor_rate, "operations/s", "", "floating-point operations of the tensor cores",            \
      (double)m->sm->flops_tensor, m->seconds)                                                     \
    X(fp64_utilization, "1", "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed",      \
      "FP64 pipes busy", (double)m->sm->mix_fp64 * 32.0 / m->spec->sm.sm.fp64_lanes,               \
      m->sms * (m->spec->sm.sm.fp64_shared ? 1 : m->spec->sm.sm.sub_cores) * m->busy_cycles)       \
    X(global_load_hit_rate, "1", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",         \
      "sectors of global loads served by L1", (double)m->sm->global_load_hits,                     \
      (double)m->sm->global_load_sectors)                                                          \
    X(local_load_hit_rate, "1", "l1tex__t_sector_pipe_lsu_mem_local_op_ld_hit_rate.pct",           \
      "sectors of local loads served by L1", (double)m->sm->local_load_hits,                       \
      (double)m->sm->local_load_sectors)                                                           \
    X(texture_hit_rate, "1", "", "sectors of texture fetches and surface loads served by L1",      \
      (double)m->sm->texture_hits, (double)m->sm->texture_sectors)                                 \
    X(texture_utilization, "1", "", "texture units busy", (double)m->sm->texture_busy,             \
      m->sms * m->busy_cycles)                                                                     \
    X(global_load_sectors_per_request, "sectors/request",                                          \
      "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",                      \
      "sectors per global load; 4: coalesced words", (double)m->sm->global_load_sectors,           \
      (double)m->sm->global_load_requests)                                                         \
    X(texture_sectors_per_request, "sectors/request", "",                                          \
      "sectors per texture fetch or surface load", (double)m->sm->texture_sectors,                 \
      (double)m->sm->texture_requests)                                                             \
    X(global_store_sectors_per_request, "sectors/request",                                         \
      "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",                      \
      "sectors per global store; 4: coalesced words", (double)m->sm->global_store_sectors,         \
      (double)m->sm->global_store_requests)                                                        \
    X(shared_conflicts_per_request, "wavefronts/request", "",                                      \
      "additional passes through the banks of shared memory because of conflicts",                 \
      (double)m->sm->shared_conflicts,                                                             \
      (double)(m->sm->shared_load_requests + m->sm->shared_store_requests +                        \
               m->sm->shared_atomic_requests))                                                     \
    X(l1_utilization, "1", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",    \
      "data stage of L1 and shared memory busy", (double)m->sm->l1_data_busy,                      \
      m->sms * m->busy_cycles)                                                                     \
    X(icache_l0_miss_rate, "1", "", "lines that miss the L0", (double)m->sm->icache_l0_misses,     \
      (double)m->sm->icache_l0_lookups)                                                            \
    X(const_miss_rate, "1", "", "constants that miss the SM's constant cache",                     \
      (double)m->sm->const_misses, (double)m->sm->const_lookups)                                   \
    X(xbar_request_utilization, "1", "", "ports from the SMs into the crossbar busy",              \
      (double)m->sm->xbar_flits_out, m->sms * m->spec->mem.icnt.sm_flits * m->busy_cycles)         \
    X(xbar_reply_utilization, "1", "", "ports from the crossbar to the SMs busy",                  \
      (double)m->sm->xbar_flits_in, m->sms * m->spec->mem.icnt.sm_flits * m->busy_cycles)          \
    X(l2_read_hit_rate, "1", "lts__t_sector_op_read_hit_rate.pct", "read sectors that hit in L2",  \
      (double)m->l2->read_hits, (double)m->l2->read_sectors)                                       \
    X(l2_write_hit_rate, "1", "lts__t_sector_op_write_hit_rate.pct",                               \
      "written sectors that hit in L2", (double)m->l2->write_hits, (double)m->l2->write_sectors)   \
    X(l2_hit_rate, "1", "lts__t_sector_hit_rate.pct", "sectors of any kind that hit in L2",        \
      (double)(m->l2->read_hits + m->l2->write_hits + m->l2->atomic_hits + m->l2->red_hits),       \
      metric_l2_sectors(m))                                                                        \
    X(l2_bandwidth, "bytes/s", "lts__t_bytes.sum.per_second",                                      \
      "bytes of the sectors looked up in L2", SECTOR_BYTES *metric_l2_sectors(m), m->seconds)      \
    X(l2_utilization, "1", "lts__d_sectors.avg.pct_of_peak_sustained_elapsed",                     \
      "data ports of the L2 slices busy", (double)m->l2->data_sectors,                             \
      m->spec->mem.l2.slices *l2_port_rate(&m->spec->mem) * m->busy_cycles)                        \
    X(dram_bandwidth, "bytes/s", "dram__bytes.sum.per_second", "bytes that DRAM reads and writes", \
      metric_dram_bytes(m), m->seconds)                                                            \
    X(dram_utilization, "1", "dram__throughput.avg.pct_of_peak_sustained_elapsed",                 \
      "bandwidth of DRAM as a fraction of its peak", metric_dram_bytes(m),                         \
      metric_dram_peak(m->spec) * m->busy_cycles)                                                  \
    X(dram_row_hit_rate, "1", "", "DRAM requests to an open row", (double)m->dram->row_hits,       \
      (double)(m->dram->row_hits + m->dram->row_misses + m->dram->row_conflicts))                  \
    X(dram_read_latency, "cycles", "", "mean time of a read in the DRAM controller",               \
      (double)m->dram->read_latency, (double)m->dram->read_requests)                               \
    METRIC_STATES_(X)

#define METRIC_ENUM_(name, unit, metric, help, num, den) METRIC_##name,
typedef enum { METRIC_LIST(METRIC_ENUM_) METRIC_COUNT } metric_id_t;

typedef struct {
    const char *name, *unit, *metric, *help;
} metric_def_t;
extern const metric_def_t metric_defs[METRIC_COUNT];

/* Value of a metric; NaN if its denominator is 0: there was nothing to measure. */
double metric_value(metric_id_t id, const metric_input_t *m);

/* The quotient's parts. Both are sums of counters, cycles and launch latencies with constant factors,
 * as long as the latency does not exceed the cycles. */
void metric_parts(metric_id_t id, const metric_input_t *m, double *numerator, double *denominator);

/* Upper limit of a metric; INFINITY: unknown. */
double metric_most(metric_id_t id, const gpu_spec_t *spec);

#endif
