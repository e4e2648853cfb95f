/*
 * A streaming multiprocessor: one shard. What the assembled chip sees of it.
 */
#ifndef RUBATO_SM_SM_H
#define RUBATO_SM_SM_H

#include <stdio.h>

#include "sim/core/engine.h"
#include "sim/isa/isa.h"
#include "sim/parts/addr_map.h"
#include "sim/parts/distance.h"
#include "sim/parts/xbar.h"
#include "sim/sm/retired.h"
#include "sim/sm/sm_params.h"
#include "sim/sm/sm_stats.h"

typedef struct sm sm_t;

extern const shard_ops_t sm_shard_ops;

/* How an SM is connected; numbers come from parameters that are not the SM's own. */
typedef struct {
    uint32_t index;              /* 0 .. SMs - 1 */
    uint32_t n_slices;           /* L2 slices of the chip */
    const addr_map_t *map;       /* borrowed */
    const uint16_t *slice_shard; /* shard of each slice; borrowed during sm_create() only */
    const uint8_t *slice_port;   /* port of each slice within its shard; likewise */
    const distance_t *distance;  /* to the slices; likewise */
    uint16_t scheduler_shard, mmu_shard;
    cycle_t mmu_latency; /* flight to the MMU */
    cycle_t request_latency, completion_latency;
    uint32_t port_flits;    /* flits per cycle into and out of the SM */
    uint32_t data_interval; /* cycles between two flits of data that it sends; 0: as port_flits */
    uint32_t flit_bytes;    /* data of a flit */
    uint32_t buffer;        /* flits that a slice buffers for this SM */
    uint32_t credit_batch;  /* flits whose credits return together */
    bool perfect_icnt;
    double clock_mhz; /* core clock, for times given in nanoseconds (NANOSLEEP) */
} sm_wiring_t;

/* config: borrowed for the life of the SM. */
sm_t *sm_create(const sm_config_t *config, const sm_wiring_t *wiring);
void sm_destroy(sm_t *sm);

/* Charges the warp states up to cycle, so that they add up to slots x cycles since creation. */
void sm_charge(sm_t *sm, cycle_t cycle);

/* Counters since creation; complete up to the last sm_charge(). */
const sm_stats_t *sm_stats(const sm_t *sm);

/* From now on notes what retires, of the kinds in the set; 0: nothing. Only while the SM is idle.
 */
void sm_record(sm_t *sm, unsigned kinds);

/* What was noted since the last sm_retired_clear(), in the order of retiring. */
const retired_t *sm_retired(const sm_t *sm, retired_kind_t kind, size_t *n);
void sm_retired_clear(sm_t *sm);

/* Latencies since sm_record(), by op_class_t; if basic blocks are noted. */
const latency_sum_t *sm_latencies(const sm_t *sm);

/* What waits on an SM, between windows. */
typedef struct {
    uint32_t warps;       /* resident */
    uint32_t memory;      /* instructions between the sub-cores and the load/store unit */
    uint32_t lines;       /* L1: lines under way */
    uint32_t packets_out; /* in front of the crossbar */
} sm_gauges_t;

void sm_gauges(const sm_t *sm, sm_gauges_t *out);

/* A block's time on an SM, in one of its slots. */
typedef struct {
    cycle_t start, end; /* came; all its warps had retired */
    uint64_t block;     /* index of the block in stored order */
    uint32_t slot;
} sm_stay_t;

/* From now on notes the stays that end; or no more. Forgets those noted. */
void sm_watch(sm_t *sm, bool on);

/* The stays that have ended since the last sm_stays_clear(), in the order of their ends. */
const sm_stay_t *sm_stays(const sm_t *sm, size_t *n);
void sm_stays_clear(sm_t *sm);

/* The blocks on the SM, at most SM_MAX_STAYS; end is not set. Returns how many. */
enum { SM_MAX_STAYS = 64 };
size_t sm_residents(const sm_t *sm, sm_stay_t list[SM_MAX_STAYS]);

/* Cycles from issue to dependent issue of a class with a fixed latency; 1 for all others. */
uint32_t sm_fixed_latency(const lat_spec_t *lat, op_class_t cls);

/*
 * true: warps that are on the SM or come to it end with the instruction after the one that they
 * issued last. Between windows only.
 */
void sm_cut_warps(sm_t *sm, bool cut);

/* Its second-level TLB has the translation of an entry from now on. Between windows only. */
void sm_learn(sm_t *sm, uint64_t entry);

/* Checkpoint of an idle SM: instruction caches, ports, credits. 0, or -1 with errno. */
int sm_save(const sm_t *sm, FILE *out);
int sm_load(sm_t *sm, FILE *in, cycle_t latest);

/* Its ends of the crossbar: requests out, replies in. */
const xbar_out_t *sm_sends(const sm_t *sm);
const xbar_in_t *sm_receives(const sm_t *sm);

#endif
