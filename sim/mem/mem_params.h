/*
 * Parameters of the memory side: crossbar, address map, L2, DRAM. Cycles are core cycles unless
 * stated otherwise. Values and their sources: configs/.
 */
#ifndef RUBATO_MEM_PARAMS_H
#define RUBATO_MEM_PARAMS_H

#include "sim/conf/param.h"

#define ICNT_PARAMS(P, E, T)                                                                       \
    P(BOOL, perfect, "false", 0, 1, "", "unlimited ports; only the latency remains")               \
    P(U32, flit_bytes, "32", 8, 256, "bytes", "data per flit; headers take no flit")               \
    P(U32, request_latency, "60", 1, 4096, "cycles", "latency from SM to partition")               \
    P(U32, reply_latency, "60", 1, 4096, "cycles", "latency from partition to SM")                 \
    P(U32, distance, "0", 0, 512, "cycles",                                                        \
      "round trip from one end of the chip to the other; 0: all slices equally far")               \
    P(U32, columns, "3", 1, 64, "columns", "columns of SMs along the chip, for distance")          \
    P(U32, gpc_sms, "0", 0, 1024, "SMs", "SMs of a GPC, which share a code cache; 0: no sharing")  \
    P(SIZE, gpc_code, "64KiB", 128, 1 << 22, "bytes", "size of the code cache of a GPC")           \
    P(U32, sm_flits, "2", 1, 8, "flits", "flits per cycle into and out of an SM")                  \
    P(U32, data_interval, "0", 0, 64, "cycles",                                                    \
      "cycles between flits of data that an SM sends; 0: as sm_flits")                             \
    P(BOOL, stores_first, "false", 0, 1, "", "stores leave an SM before reads that wait")          \
    P(F64, tpc_data, "0", 0, 64, "flits",                                                          \
      "flits of data per cycle that the two SMs of a TPC send together; 0: no limit")              \
    P(F64, gpc_data, "0", 0, 256, "flits",                                                         \
      "flits of data per cycle that the SMs of a GPC send together; 0: no limit")                  \
    P(F64, gpc_replies, "0", 0, 256, "flits",                                                      \
      "flits per cycle that the SMs of a GPC read together; 0: no limit")                          \
    P(U32, mask_flits, "0", 0, 8, "flits",                                                         \
      "further flits at these ports for each line with sectors that are written in part")          \
    P(U32, slice_flits, "1", 1, 8, "flits", "flits per cycle into and out of an L2 slice")         \
    P(U32, buffer, "512", 1, 65535, "flits", "receive buffer of each (sender, receiver) pair")     \
    P(U32, credit_batch, "8", 1, 64, "flits", "flits whose credits return together")
PARAM_STRUCT(icnt_spec_t, ICNT_PARAMS);
extern const param_group_t icnt_param_group;

extern const param_choice_t mem_hash_choices[]; /* indexed by HASH_NONE ... (addr_map.h) */

#define MEM_PARAMS(P, E, T)                                                                        \
    P(U32, partitions, "32", 1, 256, "partitions", "DRAM channels; each owns its L2 slices")       \
    P(U32, interleave, "256", 128, 65536, "bytes", "consecutive bytes in one slice")               \
    E(hash, mem_hash_choices, "ipoly", "how addresses choose a partition and slice")
PARAM_STRUCT(mem_spec_t, MEM_PARAMS);
extern const param_group_t mem_param_group;

#define L2_PARAMS(P, E, T)                                                                         \
    P(SIZE, size, "6MiB", 1024, 1ull << 32, "bytes",                                               \
      "capacity of all slices together; the sets follow from it")                                  \
    P(U32, slices, "64", 1, 1024, "slices", "slices of the chip, a multiple of mem.partitions")    \
    P(U32, ways, "24", 1, 1024, "ways", "associativity")                                           \
    E(replacement, replacement_choices, "lru", "which line is evicted for a new one")              \
    P(F64, modified_share, "1", 0, 1, "",                                                          \
      "share of a set's ways that may be modified; beyond it the oldest is written back; 1: all")  \
    P(BOOL, perfect, "false", 0, 1, "", "every access hits, no bandwidth limit")                   \
    P(F64, clock_mhz, "0", 0, 100000, "MHz",                                                       \
      "clock of the data ports; 0, or more than the core clock: the core clock")                   \
    P(U32, latency, "80", 1, 4096, "cycles",                                                       \
      "from a request at the slice to its reply at the output port")                               \
    P(U32, fill_sectors, "2", 1, 4, "sectors", "sectors fetched from DRAM together")               \
    P(U32, mshrs, "192", 1, 32768, "lines", "lines with outstanding misses, per slice")            \
    P(U32, mshr_merge, "64", 1, 1024, "requests", "requests that can wait for one line")           \
    P(U32, reply_queue, "64", 1, 65535, "packets", "packets in front of a slice's reply port")     \
    P(F64, atomic_interval, "1", 1, 64, "cycles",                                                  \
      "added to the latency of an atomic's reply for each further operation on one word")          \
    P(F64, atomic_word_interval, "0", 0, 64, "cycles",                                             \
      "least time of the atomic unit per word on which a request operates")                        \
    P(U32, atomic_latency, "20", 0, 4096, "cycles", "added to the latency of an atomic's reply")   \
    P(U32, halves, "1", 1, 2, "halves",                                                            \
      "2: each half serves half of the GPCs and copies what the other half owns")                  \
    P(U32, far_latency, "0", 0, 4096, "cycles", "added where the other half must answer")
PARAM_STRUCT(l2_spec_t, L2_PARAMS);
extern const param_group_t l2_param_group;

#define DRAM_PARAMS(P, E, T)                                                                       \
    P(SIZE, size, "16GiB", 1 << 20, 1ull << 40, "bytes",                                           \
      "memory size of the card, as programs see it; does not affect timing")                       \
    P(BOOL, perfect, "false", 0, 1, "", "only dram.latency: no banks, no bandwidth limit")         \
    P(BOOL, ecc, "false", 0, 1, "",                                                                \
      "error correction: a sector of which only some bytes were written is read before it is "     \
      "written")                                                                                   \
    P(U32, check_bursts, "0", 0, 4, "bursts",                                                      \
      "bursts of check bits for each line that is read or written, if they lie in the memory")     \
    P(F64, clock_mhz, "850", 1, 100000, "MHz", "command clock")                                    \
    P(U32, latency, "100", 0, 4096, "cycles",                                                      \
      "fixed path from L2 to controller and back, added to the timing")                            \
    P(U32, bus_bytes, "16", 1, 256, "bytes", "data bus width of a channel")                        \
    P(U32, data_rate, "2", 1, 16, "transfers", "transfers per command clock")                      \
    P(U32, burst_bytes, "32", 8, 256, "bytes", "bytes of one column access")                       \
    P(U32, banks, "16", 1, 256, "banks", "banks of a channel")                                     \
    P(U32, bank_groups, "4", 1, 64, "groups", "bank groups of a channel")                          \
    P(SIZE, row_bytes, "2KiB", 256, 65536, "bytes", "size of a row (page) of a bank")              \
    P(U32, queue, "64", 1, 4096, "requests", "FR-FCFS read window of a channel")                   \
    P(U32, age_limit, "1000", 1, 1000000, "DRAM cycles",                                           \
      "row hits do not overtake a request older than this")                                        \
    P(U32, write_queue, "64", 1, 4096, "requests", "write buffer of a channel")                    \
    P(U32, write_high, "48", 1, 4096, "requests", "start draining writes at this many")            \
    P(U32, write_low, "16", 0, 4096, "requests", "stop draining writes at this many")              \
    P(U32, write_wait, "500", 0, 1000000, "DRAM cycles",                                           \
      "drain all writes when no read has waited for this long")                                    \
    P(U32, tCCD, "1", 1, 1000, "DRAM cycles", "column to column, other bank group")                \
    P(U32, tCCDL, "2", 1, 1000, "DRAM cycles", "column to column, same bank group")                \
    P(U32, tCCDM, "0", 0, 1000, "DRAM cycles", "masked write to column, if that is longer")        \
    P(U32, tRRD, "3", 0, 1000, "DRAM cycles", "activate to activate, other bank")                  \
    P(U32, tFAW, "0", 0, 1000, "DRAM cycles", "activate to the fourth after it")                   \
    P(U32, activate_slots, "1", 1, 64, "DRAM cycles", "an activate occupies the row command bus")  \
    P(U32, precharge_slots, "1", 1, 64, "DRAM cycles", "a precharge occupies the row command bus") \
    P(U32, tRCD, "12", 0, 1000, "DRAM cycles", "activate to column")                               \
    P(U32, tRAS, "28", 0, 1000, "DRAM cycles", "activate to precharge")                            \
    P(U32, tRP, "12", 0, 1000, "DRAM cycles", "precharge to activate")                             \
    P(U32, tRC, "40", 0, 1000, "DRAM cycles", "activate to activate, same bank")                   \
    P(U32, tCL, "12", 0, 1000, "DRAM cycles", "read to data")                                      \
    P(U32, tWL, "2", 0, 1000, "DRAM cycles", "write to data")                                      \
    P(U32, tCDLR, "3", 0, 1000, "DRAM cycles", "last write data to read")                          \
    P(U32, tWR, "10", 0, 1000, "DRAM cycles", "last write data to precharge")                      \
    P(U32, tRTP, "3", 0, 1000, "DRAM cycles", "read to precharge")                                 \
    P(U32, tRTW, "4", 0, 1000, "DRAM cycles", "last read data to write data: bus turnaround")      \
    P(U32, tREFI, "3315", 0, 1000000, "DRAM cycles", "between two refreshes; 0: none")             \
    P(U32, tRFC, "221", 0, 100000, "DRAM cycles", "refresh to next command")                       \
    P(U32, tRFCSB, "0", 0, 100000, "DRAM cycles",                                                  \
      "tRFC if one bank is refreshed at a time; 0: all banks at once")
PARAM_STRUCT(dram_spec_t, DRAM_PARAMS);
extern const param_group_t dram_param_group;

#define MMU_PARAMS(P, E, T)                                                                        \
    P(U32, latency, "60", 1, 4096, "cycles", "latency from SM to MMU, and the same back")          \
    P(U32, lookup, "20", 0, 4096, "cycles", "latency of a translation that was walked before")     \
    P(U32, walk, "500", 0, 65535, "cycles", "added for a page walk")                               \
    P(U32, entries, "4096", 1, 32768, "entries", "translations that need no walk")
PARAM_STRUCT(mmu_spec_t, MMU_PARAMS);
extern const param_group_t mmu_param_group;

typedef struct {
    icnt_spec_t icnt;
    mem_spec_t mem;
    l2_spec_t l2;
    dram_spec_t dram;
    mmu_spec_t mmu;
    double core_mhz; /* copy of gpu.clock_mhz, for the ratio of the clock domains */
} mem_config_t;

/* Sectors per core cycle that the data port of a slice moves. The crossbar's ports are as wide, in
 * flits, but always have the core clock. */
static inline double l2_port_rate(const mem_config_t *c)
{
    bool slower = c->l2.clock_mhz > 0 && c->l2.clock_mhz < c->core_mhz;
    return c->icnt.slice_flits * (slower ? c->l2.clock_mhz / c->core_mhz : 1.0);
}

#endif
