/*
 * Counters of an L2 slice and of a DRAM channel.
 */
#ifndef RUBATO_MEM_STATS_H
#define RUBATO_MEM_STATS_H

#include "sim/stats/stats.h"

#define L2_STATS(S)                                                                                \
    S(requests, "requests", "lts__t_requests.sum", "packets from SMs that reach the L2")           \
    S(read_sectors, "sectors", "lts__t_sectors_op_read.sum", "read sectors looked up")             \
    S(read_hits, "sectors", "lts__t_sectors_op_read_lookup_hit.sum", "read sectors that hit")      \
    S(write_sectors, "sectors", "lts__t_sectors_op_write.sum", "written sectors")                  \
    S(write_hits, "sectors", "lts__t_sectors_op_write_lookup_hit.sum",                             \
      "written sectors whose line was present")                                                    \
    S(atomic_sectors, "sectors", "lts__t_sectors_op_atom.sum", "sectors of atomics")               \
    S(atomic_hits, "sectors", "lts__t_sectors_op_atom_lookup_hit.sum",                             \
      "sectors of atomics that hit")                                                               \
    S(red_sectors, "sectors", "lts__t_sectors_op_red.sum", "sectors of reductions")                \
    S(red_hits, "sectors", "lts__t_sectors_op_red_lookup_hit.sum",                                 \
      "sectors of reductions that hit")                                                            \
    S(inst_sectors, "sectors", "", "read sectors that are instructions or constants")              \
    S(gpc_sectors, "sectors", "",                                                                  \
      "instructions that hit in the code cache of a GPC; not counted as reads")                    \
    S(local_sectors, "sectors", "", "sectors of local memory")                                     \
    S(partial_fetches, "sectors", "", "reads of partly written sectors: fetched and merged")       \
    S(mshr_merges, "requests", "", "requests merged into the MSHR of an outstanding line")         \
    S(stall_mshr, "cycles", "", "input waits: no MSHR or merge entry")                             \
    S(stall_dram, "cycles", "", "input waits: no room for a fetch or write-back at the DRAM")      \
    S(stall_reply, "cycles", "", "input waits: reply queue full")                                  \
    S(stall_atomic, "cycles", "", "input waits: atomic unit busy")                                 \
    S(fills, "sectors", "lts__d_sectors_fill_device.sum", "sectors filled from DRAM")              \
    S(unasked_fills, "sectors", "",                                                                \
      "filled sectors that the request of the fetch did not ask for")                              \
    S(writebacks, "sectors", "", "dirty sectors written to DRAM")                                  \
    S(early_writebacks, "sectors", "", "dirty sectors written to DRAM early, whose line stays")    \
    S(ecc_reads, "sectors", "",                                                                    \
      "reads from DRAM before a partly written sector is written back (dram.ecc)")                 \
    S(memcpy_sectors, "sectors", "", "sectors that host copies before the launch left in the L2")  \
    S(data_sectors, "sectors", "lts__d_sectors.sum", "sectors through the data port")
STATS_STRUCT(l2_stats_t, L2_STATS);
extern const stat_def_t l2_stat_defs[];
enum { L2_STAT_COUNT = sizeof(l2_stats_t) / sizeof(uint64_t) };

#define DRAM_STATS(S)                                                                              \
    S(read_sectors, "sectors", "dram__sectors_read.sum", "32-byte sectors read")                   \
    S(write_sectors, "sectors", "dram__sectors_write.sum", "32-byte sectors written")              \
    S(row_hits, "requests", "", "requests to an open row")                                         \
    S(row_misses, "requests", "", "requests to a closed bank")                                     \
    S(row_conflicts, "requests", "", "requests to a bank that had another row open")               \
    S(activates, "commands", "", "rows opened")                                                    \
    S(precharges, "commands", "", "rows closed")                                                   \
    S(refreshes, "commands", "", "refreshes; counted when the channel is next used")               \
    S(turnarounds, "switches", "", "changes of the bus between reads and writes")                  \
    S(busy, "DRAM cycles", "dram__cycles_active.sum", "cycles in which the data bus moves data")   \
    S(read_latency, "cycles", "", "core cycles from L2 slice to DRAM and back, summed over reads") \
    S(read_requests, "requests", "", "reads that the L2 requests")
STATS_STRUCT(dram_stats_t, DRAM_STATS);
extern const stat_def_t dram_stat_defs[];
enum { DRAM_STAT_COUNT = sizeof(dram_stats_t) / sizeof(uint64_t) };

#endif
