/*
 * Counters of an SM. Warp states have the names of Nsight Compute's warp stall reasons. Every cycle
 * of every warp slot is counted in exactly one of them, so they sum to slots x cycles.
 */
#ifndef RUBATO_SM_STATS_H
#define RUBATO_SM_STATS_H

#include "sim/stats/stats.h"

/* In the order of the first counters below (checked by a test). */
typedef enum {
    STATE_NO_WARP,
    STATE_SELECTED,
    STATE_NOT_SELECTED,
    STATE_LONG_SCOREBOARD,
    STATE_SHORT_SCOREBOARD,
    STATE_WAIT,
    STATE_MATH_PIPE_THROTTLE,
    STATE_LG_THROTTLE,
    STATE_MIO_THROTTLE,
    STATE_TEX_THROTTLE,
    STATE_BARRIER,
    STATE_MEMBAR,
    STATE_BRANCH_RESOLVING,
    STATE_NO_INSTRUCTION,
    STATE_IMC_MISS,
    STATE_DISPATCH_STALL,
    STATE_DRAIN,
    STATE_SLEEPING,
    STATE_MISC,
    STATE_COUNT
} sm_state_t;

/* The warp states come first, in the order of sm_state_t. */
#define SM_STATS(S)                                                                                \
    S(state_no_warp, "warp cycles", "", "warp slot without a warp")                                \
    S(state_selected, "warp cycles", "smsp__average_warps_issue_stalled_selected", "issued")       \
    S(state_not_selected, "warp cycles", "smsp__average_warps_issue_stalled_not_selected",         \
      "ready, another warp was picked")                                                            \
    S(state_long_scoreboard, "warp cycles", "smsp__average_warps_issue_stalled_long_scoreboard",   \
      "waits for L1TEX: global, local, texture")                                                   \
    S(state_short_scoreboard, "warp cycles", "smsp__average_warps_issue_stalled_short_scoreboard", \
      "waits for MIO: shared memory, XU, shuffle, special registers")                              \
    S(state_wait, "warp cycles", "smsp__average_warps_issue_stalled_wait",                         \
      "fixed-latency dependence")                                                                  \
    S(state_math_pipe_throttle, "warp cycles",                                                     \
      "smsp__average_warps_issue_stalled_math_pipe_throttle",                                      \
      "the pipe of its next instruction is busy")                                                  \
    S(state_lg_throttle, "warp cycles", "smsp__average_warps_issue_stalled_lg_throttle",           \
      "memory queue full, local or global instruction")                                            \
    S(state_mio_throttle, "warp cycles", "smsp__average_warps_issue_stalled_mio_throttle",         \
      "memory queue full, MIO instruction")                                                        \
    S(state_tex_throttle, "warp cycles", "smsp__average_warps_issue_stalled_tex_throttle",         \
      "texture queue full")                                                                        \
    S(state_barrier, "warp cycles", "smsp__average_warps_issue_stalled_barrier", "waits at BAR")   \
    S(state_membar, "warp cycles", "smsp__average_warps_issue_stalled_membar", "waits at MEMBAR")  \
    S(state_branch_resolving, "warp cycles", "smsp__average_warps_issue_stalled_branch_resolving", \
      "waits after a branch for the next pc")                                                      \
    S(state_no_instruction, "warp cycles", "smsp__average_warps_issue_stalled_no_instruction",     \
      "waits for an instruction fetch")                                                            \
    S(state_imc_miss, "warp cycles", "smsp__average_warps_issue_stalled_imc_miss",                 \
      "waits for a constant cache miss")                                                           \
    S(state_dispatch_stall, "warp cycles", "smsp__average_warps_issue_stalled_dispatch_stall",     \
      "register-file port conflict delays dispatch")                                               \
    S(state_drain, "warp cycles", "smsp__average_warps_issue_stalled_drain",                       \
      "has exited; waits for its loads, or for its stores to leave the SM")                        \
    S(state_sleeping, "warp cycles", "smsp__average_warps_issue_stalled_sleeping",                 \
      "NANOSLEEP, YIELD")                                                                          \
    S(state_misc, "warp cycles", "smsp__average_warps_issue_stalled_misc", "anything else")        \
    S(active_cycles, "cycles", "sm__cycles_active.sum", "cycles with at least one warp")           \
    S(warp_insts, "warp instructions", "smsp__inst_executed.sum", "warp instructions issued")      \
    S(thread_insts, "thread instructions", "smsp__thread_inst_executed.sum",                       \
      "active lanes of issued instructions")                                                       \
    S(pred_off_insts, "warp instructions", "", "warp instructions issued with no active lane")     \
    S(mix_fp16, "warp instructions", "smsp__inst_executed_pipe_fp16.sum", "FP16 arithmetic")       \
    S(mix_fp32, "warp instructions", "", "FP32 arithmetic")                                        \
    S(mix_fp64, "warp instructions", "smsp__inst_executed_pipe_fp64.sum", "FP64 arithmetic")       \
    S(mix_int, "warp instructions", "", "integer, IMAD included")                                  \
    S(mix_move, "warp instructions", "", "moves and special registers")                            \
    S(mix_conv, "warp instructions", "", "conversions")                                            \
    S(mix_sfu, "warp instructions", "", "MUFU: reciprocals, roots, sines, ...")                    \
    S(mix_tensor, "warp instructions", "sm__inst_executed_pipe_tensor.sum",                        \
      "matrix products on tensor cores")                                                           \
    S(mix_uniform, "warp instructions", "smsp__inst_executed_pipe_uniform.sum",                    \
      "uniform datapath (Turing)")                                                                 \
    S(mix_control, "warp instructions", "", "branches, barriers, NOP")                             \
    S(mix_shuffle, "warp instructions", "", "SHFL and MATCH")                                      \
    S(mix_load, "warp instructions", "", "loads of any space")                                     \
    S(mix_store, "warp instructions", "", "stores of any space")                                   \
    S(mix_atomic, "warp instructions", "", "atomics and reductions")                               \
    S(mix_tex, "warp instructions", "", "texture instructions")                                    \
    S(flops_fp16, "operations", "",                                                                \
      "FP16 operations of threads without tensor cores; FMA counts 2, each of a pair counts")      \
    S(flops_fp32, "operations", "", "FP32 operations of threads; FMA counts 2")                    \
    S(flops_fp64, "operations", "", "FP64 operations of threads; FMA counts 2")                    \
    S(flops_tensor, "operations", "", "operations of HMMA and DMMA; FMA counts 2")                 \
    S(branches, "warp instructions", "smsp__sass_inst_executed_op_branch.sum",                     \
      "BRA and other branches")                                                                    \
    S(branches_uniform, "warp instructions", "", "branches that leave the active mask unchanged")  \
    S(global_load_requests, "requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",         \
      "global load instructions that reach L1")                                                    \
    S(global_load_sectors, "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",            \
      "sectors that global loads request")                                                         \
    S(global_load_hits, "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",    \
      "sectors of global loads that hit in L1")                                                    \
    S(global_load_pending, "sectors", "",                                                          \
      "sectors of global loads that miss in L1 but are already on their way")                      \
    S(global_store_requests, "requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",        \
      "global store instructions that reach L1")                                                   \
    S(global_store_sectors, "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",           \
      "sectors that global stores write")                                                          \
    S(global_store_hits, "sectors", "",                                                            \
      "sectors of global stores that hit in L1 (written through, unless l1.write is write_back)")  \
    S(local_load_requests, "requests", "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",           \
      "local load instructions that reach L1")                                                     \
    S(local_load_sectors, "sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",              \
      "sectors that local loads request")                                                          \
    S(local_load_hits, "sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum",      \
      "sectors of local loads that hit in L1")                                                     \
    S(local_store_requests, "requests", "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",          \
      "local store instructions that reach L1")                                                    \
    S(local_store_sectors, "sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",             \
      "sectors that local stores write")                                                           \
    S(texture_requests, "requests", "",                                                            \
      "texture fetches and surface loads that reach L1: those whose addresses the trace has")      \
    S(texture_sectors, "sectors", "", "sectors that texture fetches and surface loads request")    \
    S(texture_hits, "sectors", "", "sectors of texture fetches and surface loads that hit in L1")  \
    S(texture_pending, "sectors", "",                                                              \
      "sectors of texture fetches and surface loads that miss in L1 but are already on their way") \
    S(surface_store_requests, "requests", "", "surface stores that reach L1")                      \
    S(surface_store_sectors, "sectors", "", "sectors that surface stores write")                   \
    S(texture_busy, "cycles", "", "cycles in which the texture unit was busy")                     \
    S(atomic_requests, "requests", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",            \
      "global atomic instructions that return a value")                                            \
    S(reduction_requests, "requests", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",          \
      "global atomic instructions without a return value (RED)")                                   \
    S(atomic_lanes, "thread operations", "", "thread operations of atomics and reductions")        \
    S(l1_tags, "tags", "l1tex__t_set_accesses.sum", "lines looked up in L1")                       \
    S(l1_mshr_merges, "lines", "", "misses merged into the MSHR of a line in flight")              \
    S(l1_prefetches, "lines", "", "lines requested by the prefetcher of L1")                       \
    S(l1_prefetch_sectors, "sectors", "", "sectors of the lines that the prefetcher requested")    \
    S(l1_prefetches_used, "lines", "",                                                             \
      "prefetched lines that a load used, including lines still on their way")                     \
    S(l1_prefetches_dropped, "lines", "",                                                          \
      "prefetches dropped: no MSHR, or no room in the miss queue")                                 \
    S(l1_stall_mshr, "cycles", "", "load/store unit waits: no MSHR, merge or pending-load entry")  \
    S(l1_stall_queue, "cycles", "", "load/store unit waits: miss queue full")                      \
    S(l1_stall_tlb, "cycles", "",                                                                  \
      "load/store unit waits: no room for another packet that waits for the MMU")                  \
    S(tlb_misses, "packets", "", "packets beyond L1 that missed in the first-level TLB")           \
    S(tlb_l2_misses, "packets", "",                                                                \
      "packets that also missed in the second-level TLB and waited for the MMU")                   \
    S(l1_data_busy, "cycles", "l1tex__data_pipe_lsu_wavefronts.sum",                               \
      "cycles in which the data stage of L1 and shared memory was busy")                           \
    S(shared_load_requests, "requests", "smsp__inst_executed_op_shared_ld.sum",                    \
      "loads from shared memory")                                                                  \
    S(shared_store_requests, "requests", "smsp__inst_executed_op_shared_st.sum",                   \
      "stores to shared memory")                                                                   \
    S(shared_atomic_requests, "requests", "smsp__inst_executed_op_shared_atom.sum",                \
      "atomics on shared memory")                                                                  \
    S(shared_wavefronts, "wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",           \
      "passes through the banks of shared memory")                                                 \
    S(shared_conflicts, "wavefronts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",        \
      "passes through the banks beyond those of conflict-free accesses")                           \
    S(rf_write_conflicts, "results", "",                                                           \
      "results delayed by one cycle because the bank's write port was taken")                      \
    S(icache_l0_lookups, "lines", "", "lines of code looked up in L0")                             \
    S(icache_l0_misses, "lines", "", "lines of code that missed in L0, prefetches not counted")    \
    S(icache_l1_misses, "lines", "", "lines of code that missed in the SM's instruction cache")    \
    S(const_lookups, "lines", "idc__requests.sum", "lookups of constants with known addresses")    \
    S(const_misses, "lines", "", "lookups that missed in the first constant cache")                \
    S(xbar_flits_out, "flits", "", "flits from the SMs into the crossbar")                         \
    S(xbar_flits_in, "flits", "", "flits from the crossbar to the SMs")                            \
    S(blocks, "blocks", "sm__ctas_launched.sum", "blocks started")                                 \
    S(warps, "warps", "sm__warps_launched.sum", "warps started")                                   \
    S(barriers, "barriers", "", "barriers completed")                                              \
    S(wait_repeats, "iterations", "",                                                              \
      "iterations of waiting loops that warps repeated until another had written")                 \
    S(waits_given_up, "waits", "", "waits that were given up because nothing was written")
STATS_STRUCT(sm_stats_t, SM_STATS);
extern const stat_def_t sm_stat_defs[];
enum { SM_STAT_COUNT = sizeof(sm_stats_t) / sizeof(uint64_t) };

#endif
