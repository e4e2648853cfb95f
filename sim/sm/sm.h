/* A streaming multiprocessor (one shard), as the assembled chip sees it. */
#ifndef RUBATO_SM_SM_H
#define RUBATO_SM_SM_H

#include <stdio.h>

#include "sim/core/engine/engine.h"
#include "sim/isa/isa.h"
#include "sim/parts/addr_map.h"
#include "sim/parts/departures.h"
#include "sim/parts/distance.h"
#include "sim/parts/xbar.h"
#include "sim/sm/inst_table.h"
#include "sim/sm/retired.h"
#include "sim/sm/sm_params.h"
#include "sim/sm/sm_stats.h"
#include "sim/stats/stats_split.h"

typedef struct sm sm_t;

extern const shard_ops_t sm_shard_ops;

/* How an SM is connected. These values come from parameters outside the SM. */
typedef struct {
    uint32_t index;              /* 0 .. SMs - 1 */
    uint32_t n_slices;           /* L2 slices of the chip */
    const addr_map_t *map;       /* borrowed */
    const uint16_t *slice_shard; /* shard of each slice; borrowed during sm_create() only */
    const uint8_t *slice_port;   /* port of each slice within its shard; likewise */
    const distance_t *distance;  /* to the slices; borrowed during sm_create() only */
    departure_log_t *departures; /* borrowed; where requests are noted; NULL: nowhere */
    uint16_t scheduler_shard, mmu_shard;
    cycle_t mmu_latency; /* message flight to the MMU */
    cycle_t request_latency, completion_latency;
    uint32_t port_flits;    /* flits per cycle into and out of the SM */
    uint32_t data_interval; /* cycles per flit of data that the SM sends; 0: as port_flits */
    bool stores_first;      /* stores leave before reads that wait */
    uint32_t flit_bytes;    /* data of a flit */
    uint32_t buffer;        /* flits that a slice buffers for this SM */
    uint32_t credit_batch;  /* flits whose credits return together */
    bool perfect_icnt;
    double clock_mhz; /* core clock, to convert nanoseconds (NANOSLEEP) */
} sm_wiring_t;

/* config: borrowed for the life of the SM. */
sm_t *sm_create(const sm_config_t *config, const sm_wiring_t *wiring);
void sm_destroy(sm_t *sm);

/* Charges the warp states up to cycle, so that they sum to slots x cycles since creation. */
void sm_charge(sm_t *sm, cycle_t cycle);

/* Counters since creation; complete up to the last sm_charge(). */
const sm_stats_t *sm_stats(const sm_t *sm);

/* Warp instructions issued since creation, without a charge. */
uint64_t sm_warp_insts(const sm_t *sm);

/* Sets the kinds of records (retired.h) to keep; 0: none. Clears the records. With a set other than
 * 0, only while the SM is idle. */
void sm_record(sm_t *sm, unsigned kinds);

/* The records of a kind since the last sm_retired_clear(), in the order of retirement. */
const retired_t *sm_retired(const sm_t *sm, retired_kind_t kind, size_t *n);
void sm_retired_clear(sm_t *sm);

/* Latencies by op_class_t since sm_record(), if basic blocks are recorded. */
const latency_sum_t *sm_latencies(const sm_t *sm);

/* Counts per instruction in these tables, for each thread of the host (see engine_thread()) one for each
 * index of a launch, which must outlive it; NULL: stops. Only while the SM is idle. */
void sm_profile(sm_t *sm, inst_table_t *const *tables);

/* What is still in flight for a launch that has ended counts for no instruction. */
void sm_profile_forget(sm_t *sm, uint32_t launch);

/* Counts by launch (by_launch.h), from 0; false: stops. Only while the SM is idle. tables: as for
 * sm_profile(). */
void sm_count_by_launch(sm_t *sm, bool on, inst_table_t *const *tables);

/* Between windows: stats_split_drain() of these counters, and how many launches have some. */
void sm_drain_by_launch(sm_t *sm, stats_split_sink_t *sink, void *ctx);
size_t sm_sets_by_launch(const sm_t *sm);

/* What waits on an SM between windows. */
typedef struct {
    uint32_t warps;       /* resident */
    uint32_t memory;      /* instructions between the sub-cores and the load/store unit */
    uint32_t lines;       /* L1 lines in flight */
    uint32_t packets_out; /* packets in front of the crossbar */
} sm_gauges_t;

void sm_gauges(const sm_t *sm, sm_gauges_t *out);

/* The time that a block spent on an SM, in one of its block slots. */
typedef struct {
    cycle_t start, end; /* when it started, and when all its warps had retired */
    uint64_t block;     /* index of the block in stored order */
    uint32_t slot;
} sm_stay_t;

/* Starts or stops noting the stays that end. Clears the noted ones. */
void sm_watch(sm_t *sm, bool on);

/* The stays that ended since the last sm_stays_clear(), in order of their end. */
const sm_stay_t *sm_stays(const sm_t *sm, size_t *n);
void sm_stays_clear(sm_t *sm);

/* Lists the blocks that are on the SM now, at most SM_MAX_STAYS; end is not set. Returns how
 * many. */
enum { SM_MAX_STAYS = 64 };
size_t sm_residents(const sm_t *sm, sm_stay_t list[SM_MAX_STAYS]);

/* true: resident warps, and those that start later, end after the next instruction that they issue.
 * Only between windows. */
void sm_cut_warps(sm_t *sm, bool cut);

/* Puts an entry into the second-level TLB. Only between windows. */
void sm_learn(sm_t *sm, uint64_t entry);

/* Does to the L1 what a load of sectors would do, or a store that writes the sectors in `full` completely. Only
 * between windows. Nothing happens if the SM never had a block. */
void sm_learn_l1(sm_t *sm, uint64_t line, uint8_t sectors, uint8_t full, bool store);

/* Puts the translation of an address into both levels of the TLB, as its use would. Only while the SM
 * is idle. */
void sm_learn_page(sm_t *sm, uint64_t address);

/* Puts a line of code into the instruction cache of the SM, and into those of the first sub_cores
 * sub-cores (0: none). Only while the SM is idle. */
void sm_learn_code(sm_t *sm, uint64_t line, uint32_t sub_cores);

/* Empties the caches that outlive a launch: of instructions and translations. Only while the SM is
 * idle. */
void sm_forget(sm_t *sm);

/* Checkpoint of an idle SM: instruction caches, TLB, ports, credits. Return 0, or -1 with errno. */
int sm_save(const sm_t *sm, FILE *out);
int sm_load(sm_t *sm, FILE *in, cycle_t latest);

/* The ports to the crossbar: requests leave, replies arrive. */
const xbar_out_t *sm_sends(const sm_t *sm);
const xbar_in_t *sm_receives(const sm_t *sm);

#endif
