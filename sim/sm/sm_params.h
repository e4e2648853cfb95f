/*
 * Parameters of a streaming multiprocessor. Latencies are in core cycles, from the issue of an
 * instruction to the issue of a dependent one, as microbenchmarks measure them. Values and their
 * sources: configs/.
 */
#ifndef RUBATO_SM_PARAMS_H
#define RUBATO_SM_PARAMS_H

#include "sim/conf/param.h"
#include "sim/isa/isa.h"
#include "sim/sm/memory/write_policy.h"

enum { DEPS_AUTO, DEPS_SCOREBOARD, DEPS_CONTROL };
extern const param_choice_t sm_dependence_choices[];

enum { COMPILED_FOR_NONE, COMPILED_FOR_VOLTA, COMPILED_FOR_TURING, COMPILED_FOR_AMPERE };
extern const param_choice_t sm_compiled_for_choices[];

enum { SM_SUB_CORE_WARPS = 32 }; /* warp slots of a sub-core: bits of its masks */

extern const param_choice_t write_policy_choices[];

#define SM_PARAMS(P, E, T)                                                                         \
    P(U32, count, "80", 1, 1024, "SMs", "number of SMs")                                           \
    P(U32, sub_cores, "4", 1, 8, "sub-cores",                                                      \
      "sub-cores of an SM; warp slot w belongs to sub-core w mod this")                            \
    P(U32, max_warps, "64", 1, 128, "warps", "warp slots of an SM")                                \
    P(U32, max_blocks, "32", 1, 64, "blocks", "block slots of an SM")                              \
    P(BOOL, rotate_blocks, "false", 0, 1, "",                                                      \
      "among equally free sub-cores, block slot b begins at b mod sm.sub_cores, not at 0")         \
    P(U32, registers, "65536", 1024, 1048576, "registers", "32-bit registers of an SM")            \
    P(U32, register_unit, "256", 1, 4096, "registers", "allocation unit of a warp")                \
    P(BOOL, ideal, "false", 0, 1, "",                                                              \
      "ideal core: results after one cycle, no stalls; only issue width limits")                   \
    E(scheduler, scheduler_choices, "gto", "warp scheduler")                                       \
    P(U32, scheduler_group, "8", 1, 32, "warps",                                                   \
      "warp slots in a group of the scheduler two_level")                                          \
    E(dependences, sm_dependence_choices, "auto", "how dependences are tracked")                   \
    P(U32, fp32_lanes, "16", 1, 32, "lanes", "lanes of a sub-core's FMA pipe (FP32, IMAD)")        \
    P(U32, int_lanes, "16", 1, 32, "lanes", "lanes of a sub-core's ALU pipe")                      \
    P(U32, imad_wide_passes, "2", 1, 8, "passes", "passes of an IMAD.WIDE through the FMA pipe")   \
    P(U32, fp16_lanes, "16", 1, 32, "lanes", "lanes of a sub-core's FP16x2 pipe")                  \
    P(U32, fp64_lanes, "8", 1, 32, "lanes",                                                        \
      "lanes of a sub-core's FP64 pipe, or of the SM's if shared")                                 \
    P(BOOL, fp64_shared, "false", 0, 1, "", "one FP64 unit for the whole SM")                      \
    P(BOOL, fp_port_shared, "true", 0, 1, "", "FP64, FP16 and tensor share a dispatch port")       \
    P(U32, xu_lanes, "4", 1, 32, "lanes",                                                          \
      "lanes of a sub-core's XU pipe (MUFU, conversions, POPC)")                                   \
    P(U32, tensor_fma, "128", 16, 4096, "operations", "HMMA multiply-adds per cycle and sub-core") \
    P(U32, tensor_interval, "2", 0, 64, "cycles",                                                  \
      "cycles between two IMMA or BMMA of a sub-core; 0: all types by the bits of their operands") \
    P(U32, tensor_sum32_passes, "1", 1, 4, "passes", "passes of an HMMA with 32-bit sums")         \
    P(U32, uniform_interval, "2", 1, 32, "cycles", "cycles between two uniform instructions")      \
    P(U32, branch_interval, "2", 1, 32, "cycles", "cycles between two branches of a sub-core")     \
    P(U32, tex_interval, "4", 1, 64, "cycles",                                                     \
      "cycles between two texture instructions of the SM, without conflicts in the L1")            \
    P(U32, rf_bank_reads, "2", 1, 8, "reads", "reads that a register bank serves in two cycles")   \
    P(U32, rf_window, "3", 1, 8, "cycles",                                                         \
      "cycles in which an instruction with a control word reads its registers")                    \
    P(U32, zero_stall, "45", 1, 1024, "cycles",                                                    \
      "cycles that a stall count of 0 with a yield means")                                         \
    E(compiled_for, sm_compiled_for_choices, "none",                                               \
      "whose latencies the stall counts of the code assume; a longer one in lat stretches them")   \
    P(BOOL, control_check, "false", 0, 1, "", "warn about stall counts shorter than latencies")    \
    P(U32, rf_banks, "2", 1, 4, "banks", "register-file banks of a sub-core")                      \
    P(BOOL, rf_write_conflicts, "true", 0, 1, "",                                                  \
      "results of loads wait for the write port of a register bank")                               \
    P(U32, mem_queue, "5", 1, 64, "entries", "entries of a sub-core's memory queue")               \
    P(U32, mem_issue_latency, "4", 1, 64, "cycles",                                                \
      "from issue to acceptance by the load/store unit")                                           \
    P(U32, mem_interval, "4", 1, 64, "cycles",                                                     \
      "cycles between two memory instructions that a sub-core passes on")                          \
    P(U32, mem_read_latency, "9", 0, 64, "cycles",                                                 \
      "from issue to the release of source registers (WAR)")                                       \
    P(U32, global_read_extra, "2", 0, 64, "cycles",                                                \
      "added to mem_read_latency for global and local memory")                                     \
    P(U32, store_read_extra, "3", 0, 64, "cycles",                                                 \
      "added to mem_read_latency for 32-bit store data")                                           \
    P(U32, copy_read_extra, "2", 0, 64, "cycles",                                                  \
      "extra cycles to read the second address of an asynchronous copy")                           \
    P(U32, mio_interval, "1", 1, 16, "cycles",                                                     \
      "cycles between two instructions that the SM's MIO takes")                                   \
    P(U32, lsu_lanes, "32", 1, 32, "lanes", "threads that the load/store unit takes per cycle")    \
    P(U32, return_bytes, "64", 4, 512, "bytes",                                                    \
      "bytes per cycle from L1 or shared memory back to a sub-core")                               \
    P(U32, branch_latency, "4", 1, 64, "cycles",                                                   \
      "from a branch that is not taken to the next instruction")                                   \
    P(U32, branch_taken_latency, "8", 1, 128, "cycles",                                            \
      "from a taken branch to the next instruction")                                               \
    P(U32, predicate_latency, "12", 1, 64, "cycles",                                               \
      "from setting a predicate to a branch that uses it")                                         \
    P(U32, barrier_interval, "2", 0, 64, "cycles",                                                 \
      "cycles between two warps that arrive at barriers of the SM")                                \
    P(U32, barrier_latency, "20", 1, 256, "cycles",                                                \
      "from the arrival of the last warp to release")                                              \
    P(U32, membar_cta_latency, "20", 0, 100000, "cycles", "MEMBAR.CTA with nothing outstanding")   \
    P(U32, membar_gpu_latency, "186", 0, 100000, "cycles", "MEMBAR.GPU with nothing outstanding")  \
    P(U32, membar_sys_latency, "2900", 0, 100000, "cycles", "MEMBAR.SYS with nothing outstanding") \
    P(U32, block_start_latency, "10", 0, 10000, "cycles",                                          \
      "from the arrival of a block to its first issue")
PARAM_STRUCT(sm_spec_t, SM_PARAMS);
extern const param_group_t sm_param_group;

/* One latency per opcode class with a fixed latency. The names are those of ISA_CLASS_MAP. */
#define LAT_PARAM_(P, name, def, help) P(U32, name, def, 1, 4096, "cycles", help)
#define LAT_PARAMS(P, E, T)                                                                        \
    LAT_PARAM_(P, fp32, "4", "FADD FMUL FFMA")                                                     \
    LAT_PARAM_(P, fp32_cmp, "5", "FMNMX")                                                          \
    LAT_PARAM_(P, fp32_setp, "4", "FSETP FSET FSEL")                                               \
    LAT_PARAM_(P, imad, "5", "IMAD IMUL")                                                          \
    LAT_PARAM_(P, integer, "4", "IADD3 LOP3 SHF LEA ISETP ...")                                    \
    LAT_PARAM_(P, move, "4", "MOV SEL")                                                            \
    LAT_PARAM_(P, popc, "10", "POPC")                                                              \
    LAT_PARAM_(P, bitfind, "14", "FLO BREV")                                                       \
    LAT_PARAM_(P, mufu, "14", "MUFU")                                                              \
    LAT_PARAM_(P, conv, "14", "I2F F2I F2F FRND")                                                  \
    LAT_PARAM_(P, fp16, "6", "HADD2 HMUL2 HFMA2")                                                  \
    LAT_PARAM_(P, fp64, "8", "DADD DMUL")                                                          \
    LAT_PARAM_(P, fp64_fma, "8", "DFMA")                                                           \
    LAT_PARAM_(P, fp64_cmp, "5", "DSETP")                                                          \
    LAT_PARAM_(P, conv64, "14", "conversions from or to 64 bits")                                  \
    LAT_PARAM_(P, pred, "4", "PLOP3 P2R R2P VOTE")                                                 \
    LAT_PARAM_(P, uniform, "4", "uniform datapath")                                                \
    LAT_PARAM_(P, hmma, "10", "HMMA")                                                              \
    LAT_PARAM_(P, hmma_wide, "10", "HMMA with four registers of A, as HMMA.16816")                 \
    LAT_PARAM_(P, hmma_acc, "10", "HMMA to an HMMA that accumulates on it")                        \
    LAT_PARAM_(P, imma, "10", "IMMA BMMA; DMMA where sm.tensor_interval is not 0")                 \
    LAT_PARAM_(P, imma_wide, "10", "IMMA BMMA with four registers of A (sm.tensor_interval 0)")    \
    LAT_PARAM_(P, dmma, "10", "DMMA (where sm.tensor_interval is 0)")                              \
    LAT_PARAM_(P, s2r, "20", "S2R")                                                                \
    LAT_PARAM_(P, cs2r, "6", "CS2R")                                                               \
    LAT_PARAM_(P, shfl, "23", "SHFL")                                                              \
    LAT_PARAM_(P, match, "23", "MATCH")                                                            \
    LAT_PARAM_(P, tex, "65",                                                                       \
               "TEX TLD: one quad of lanes, hit in L1; always, if the trace has no addresses")     \
    LAT_PARAM_(P, unknown, "4", "opcodes that are not in the opcode table")
PARAM_STRUCT(lat_spec_t, LAT_PARAMS);
extern const param_group_t lat_param_group;

/* Cycles from issue to dependent issue of a class with a fixed latency; 1 for the others. (classes.c) */
uint32_t sm_fixed_latency(const lat_spec_t *lat, op_class_t cls);

/* The latencies that a compiler knew (sm.compiled_for, not none); 0: of results with dependence counters. */
const lat_spec_t *stall_stretch_assumed(uint32_t compiled_for, uint32_t *predicate_latency);

#define L1_PARAMS(P, E, T)                                                                         \
    P(SIZE, unified, "128KiB", 1024, 1 << 24, "bytes", "L1 and shared memory together")            \
    P(SIZES, carveouts, "0,8KiB,16KiB,32KiB,64KiB,96KiB", 0, 1 << 24, "bytes",                     \
      "selectable sizes of shared memory; the rest is L1")                                         \
    P(U32, shared_unit, "256", 1, 65536, "bytes", "allocation unit of a block's shared memory")    \
    P(U32, shared_reserved, "0", 0, 65536, "bytes",                                                \
      "shared memory that the system reserves per block")                                          \
    P(BOOL, enabled, "true", 0, 1, "", "false: global loads go to L2 (local ones still use L1)")   \
    P(BOOL, perfect, "false", 0, 1, "", "every global and local access hits, no bandwidth limit")  \
    P(U32, sets, "4", 1, 4096, "sets", "sets; the ways follow from the size")                      \
    P(BOOL, hash_sets, "false", 0, 1, "",                                                          \
      "the set is an XOR of all bits of the line number, not its lowest")                          \
    P(F64, scale, "1.0", 0.0625, 16, "", "scales the L1 size that shared memory leaves")           \
    E(replacement, replacement_choices, "lru", "which line is evicted for a new one")              \
    P(U32, victim_lines, "0", 0, 4096, "lines",                                                    \
      "lines of a victim cache, fully associative; a line found there hits")                       \
    E(write, write_policy_choices, "update", "what a store to global memory does to its sectors")  \
    E(prefetcher, prefetcher_choices, "none", "which lines are fetched before they are loaded")    \
    P(U32, prefetch_lines, "2", 1, 64, "lines", "how many lines a prefetcher fetches ahead")       \
    P(U32, latency, "28", 4, 4096, "cycles", "load to use, 32-bit hit")                            \
    P(U32, copy_latency, "39", 4, 4096, "cycles",                                                  \
      "asynchronous copy that hits, issue to completion without bank conflicts")                   \
    P(U32, tags_per_cycle, "4", 1, 32, "tags", "lines looked up per cycle")                        \
    P(U32, bank_bytes, "128", 4, 256, "bytes",                                                     \
      "bytes per cycle of its 4-byte banks; lanes that need different words of a bank take turns") \
    P(U32, pass_cycles, "1", 1, 64, "cycles",                                                      \
      "cycles that a pass through its banks takes; one if it serves one lane")                     \
    P(F64, load_interval, "1", 1, 64, "cycles", "minimum cycles between two loads")                \
    P(U32, mshrs, "512", 1, 32768, "lines", "MSHRs: lines with outstanding misses")                \
    P(U32, mshr_merge, "64", 1, 1024, "loads", "loads that can wait for one line")                 \
    P(U32, pending_loads, "512", 1, 65536, "loads", "load instructions in flight")                 \
    P(U32, miss_queue, "16", 1, 4096, "packets", "packets waiting for the crossbar")               \
    P(U32, miss_latency, "6", 1, 4096, "cycles",                                                   \
      "from tag lookup to the crossbar's injection queue")                                         \
    P(U32, fill_latency, "6", 1, 4096, "cycles",                                                   \
      "from the arrival of the last sector to dependent issue")                                    \
    P(U32, fill_cycles, "0", 0, 64, "cycles", "cycles of the data stage that a reply takes")
PARAM_STRUCT(l1_spec_t, L1_PARAMS);
extern const param_group_t l1_param_group;

/* Ways of the L1 with a shared-memory carve-out of this many bytes. */
uint32_t l1_spec_ways(const l1_spec_t *spec, uint64_t carveout);

#define SHARED_PARAMS(P, E, T)                                                                     \
    P(U32, latency, "19", 4, 4096, "cycles", "load to use, 32-bit without conflicts")              \
    P(U32, banks, "32", 1, 64, "banks", "4-byte banks")                                            \
    P(U32, conflict_latency, "2", 0, 64, "cycles", "latency that each further pass adds")          \
    P(U32, pass_cycles, "1", 1, 64, "cycles", "as l1.pass_cycles")                                 \
    P(U32, atomic_latency, "24", 4, 4096, "cycles", "latency of ATOMS without contention")         \
    P(U32, atomic_conflict, "2", 0, 64, "cycles",                                                  \
      "latency that each further thread on a word adds")                                           \
    P(U32, atomic_pass, "1", 0, 64, "cycles",                                                      \
      "cycles of the data stage that each further thread on a word takes")
PARAM_STRUCT(shared_spec_t, SHARED_PARAMS);
extern const param_group_t shared_param_group;

#define ICACHE_PARAMS(P, E, T)                                                                     \
    P(BOOL, perfect, "false", 0, 1, "", "instruction fetch never waits")                           \
    P(SIZE, l0_size, "12KiB", 128, 1 << 24, "bytes", "L0 instruction cache of a sub-core")         \
    P(U32, l0_ways, "4", 1, 1024, "ways", "ways of the L0")                                        \
    P(SIZE, l1_size, "128KiB", 128, 1 << 26, "bytes", "L1 instruction cache of the SM")            \
    P(U32, l1_ways, "8", 1, 1024, "ways", "ways of the L1")                                        \
    P(U32, l1_latency, "24", 1, 4096, "cycles", "latency of an L0 miss that hits in L1")           \
    P(U32, l1_interval, "24", 1, 256, "cycles",                                                    \
      "cycles between two lines that L1 sends to a sub-core")                                      \
    P(U32, l1_misses, "4", 1, 256, "lines", "lines that L1 can have in flight from L2")            \
    P(U32, prefetch, "8", 0, 64, "lines", "lines of a sub-core's stream buffer")                   \
    E(replacement, replacement_choices, "lru", "in each of them: which line is evicted")           \
    P(U32, buffer, "3", 0, 8, "instructions",                                                      \
      "instruction buffer of a warp; 0: none, fetched before each issue")                          \
    P(SIZE, launch_bytes, "0", 0, 1 << 26, "bytes",                                                \
      "bytes of a kernel's code that its launch brings to L2")
PARAM_STRUCT(icache_spec_t, ICACHE_PARAMS);
extern const param_group_t icache_param_group;

#define CONST_PARAMS(P, E, T)                                                                      \
    P(BOOL, perfect, "false", 0, 1, "", "constants with known addresses always hit")               \
    P(SIZE, l0_size, "0", 0, 1 << 20, "bytes", "operand constant cache of a sub-core; 0: none")    \
    P(U32, l0_ways, "2", 1, 1024, "ways", "ways of the operand constant cache")                    \
    P(BOOL, l0_uniform, "true", 0, 1, "",                                                          \
      "uniform instructions read constants through it; false: as LDC")                             \
    P(SIZE, l1_size, "2KiB", 64, 1 << 20, "bytes", "constant cache of the SM")                     \
    P(U32, l1_ways, "4", 1, 1024, "ways", "ways of the SM's constant cache")                       \
    P(U32, l1_latency, "27", 1, 4096, "cycles", "latency of an LDC that hits")                     \
    P(U32, load_interval, "8", 1, 64, "cycles", "cycles between two LDC of a sub-core")            \
    P(U32, address_interval, "2", 0, 64, "cycles",                                                 \
      "cycles of the SM for each different address of an LDC that has several")                    \
    P(SIZE, l15_size, "64KiB", 256, 1 << 24, "bytes", "constant cache of level 1.5, behind l1")    \
    P(U32, l15_ways, "4", 1, 1024, "ways", "ways of level 1.5")                                    \
    P(U32, l15_latency, "89", 1, 4096, "cycles", "latency of an LDC served by level 1.5")          \
    P(U32, l2_latency, "245", 1, 4096, "cycles", "latency of an LDC served by L2")                 \
    E(replacement, replacement_choices, "lru", "in each of them: which line is evicted")
PARAM_STRUCT(const_spec_t, CONST_PARAMS);
extern const param_group_t const_param_group;

#define TLB_PARAMS(P, E, T)                                                                        \
    P(BOOL, perfect, "false", 0, 1, "", "addresses are not translated")                            \
    P(SIZE, page, "2MiB", 4096, UINT64_C(1) << 31, "bytes",                                        \
      "bytes that a first-level entry covers")                                                     \
    P(U32, entries, "16", 1, 1024, "entries", "entries of the first level")                        \
    P(SIZE, l2_page, "32MiB", 4096, UINT64_C(1) << 31, "bytes",                                    \
      "bytes that a second-level entry covers")                                                    \
    P(U32, l2_entries, "256", 1, 4096, "entries", "entries of the second level")                   \
    E(replacement, replacement_choices, "lru", "second level: which entry is evicted")             \
    P(U32, l2_latency, "9", 0, 4096, "cycles",                                                     \
      "latency of a first-level miss that hits the second level")                                  \
    P(U32, pending, "64", 1, 4096, "packets", "packets that can wait for the MMU; others pass them")
PARAM_STRUCT(tlb_spec_t, TLB_PARAMS);
extern const param_group_t tlb_param_group;

/* All parameters of an SM. */
typedef struct {
    sm_spec_t sm;
    lat_spec_t lat;
    l1_spec_t l1;
    shared_spec_t shared;
    icache_spec_t icache;
    const_spec_t constant;
    tlb_spec_t tlb;
} sm_config_t;

/* What an instruction takes of an SM when nothing else is in its way, for models without time. */
typedef struct {
    pipe_t pipe;
    uint32_t interval; /* cycles that it occupies the pipe; 0: it has none of its own */
    uint32_t latency;  /* as sm_fixed_latency(), but of this instruction */
    bool queued;       /* it goes through the memory queue of its sub-core */
    bool varies;       /* other instructions of its class may differ */
} inst_timing_t;

inst_timing_t sm_inst_timing(const sm_config_t *config, const inst_t *inst); /* inst_timing.c */

#endif
