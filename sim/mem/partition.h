/*
 * A memory partition: one shard with its L2 slices and one DRAM channel.
 *
 * Request path: crossbar ejection port of the slice -> slice input -> tags -> (miss) DRAM -> fill
 * -> replies -> crossbar injection port of the slice. Without load, an L2 hit takes l2.latency from
 * the arrival of the request to the departure of its reply.
 */
#ifndef RUBATO_MEM_PARTITION_H
#define RUBATO_MEM_PARTITION_H

#include <stdio.h>

#include "sim/core/engine/engine.h"
#include "sim/mem/copy_traffic.h"
#include "sim/mem/l2_slice.h"
#include "sim/mem/mem_params.h"
#include "sim/mem/mem_stats.h"
#include "sim/parts/addr_map.h"
#include "sim/parts/distance.h"

/* Slices of a partition; a message has one byte for the slice. */
enum { PARTITION_MAX_SLICES = 256 };

typedef struct partition partition_t;

extern const shard_ops_t partition_shard_ops;

/* index: 0 .. mem.partitions - 1. n_sms: senders of requests. map: borrowed. */
partition_t *partition_create(const mem_config_t *config, const addr_map_t *map, uint32_t index,
                              uint32_t n_sms);
void partition_destroy(partition_t *p);

/* Sets the shard number and distance of every SM, once all shards are known. */
void partition_connect(partition_t *p, const uint16_t *sm_shard, const distance_t *distance);

/* Counters since creation: sums of the slices, and the channel. */
void partition_stats(const partition_t *p, l2_stats_t *l2, dram_stats_t *dram);

/* Counts by launch, from 0; false: stops. Only while nothing is in flight between slices and SMs. */
void partition_count_by_launch(partition_t *p, bool on);

/* Between windows: stats_split_drain() of the counters of all slices and of the channel; the most
 * launches that one of them has counters of. */
void partition_drain_by_launch(partition_t *p, stats_split_sink_t *l2, stats_split_sink_t *dram,
                               void *ctx);
size_t partition_sets_by_launch(const partition_t *p);

/* Counters of one slice (0 .. slices per partition - 1), for per-instance output. */
const l2_stats_t *partition_slice_stats(const partition_t *p, uint32_t slice);

/* What waits in a partition at the start of a cycle, between windows; sums over its slices. */
typedef struct {
    uint32_t requests;    /* packets that arrived but were not handled */
    uint32_t lines;       /* L2 lines in flight */
    uint32_t dram_reads;  /* reads on their way to the DRAM or waiting there */
    uint32_t dram_writes; /* writes, likewise */
} partition_gauges_t;

void partition_gauges(const partition_t *p, cycle_t now, partition_gauges_t *out);

/*
 * A host copy of [addr, addr + bytes) leaves its sectors in the L2 slices of this partition,
 * modified, in address order, without time. Only on an idle chip. A copy larger than the L2 costs
 * only one pass over the L2's size, because only its last part stays. Returns the number of sectors
 * left.
 */
uint64_t partition_memcpy(partition_t *p, uint64_t addr, uint64_t bytes);

/* A copy moves through the L2 slices of this partition from copy->begin on, which has not been
 * simulated. The shard must be woken then. */
void partition_copy(partition_t *p, const copy_traffic_t *copy);

/* Drops the L2's contents without writing them back. Only on an idle chip. */
void partition_flush_l2(partition_t *p);

/* Drops what the code caches of the GPCs have of these slices. Only on an idle chip. */
void partition_forget_code(partition_t *p);

/* A launch begins: nothing has been written by it. */
void partition_forget_writes(partition_t *p);

/* The GPC of SM sm has a line of code of this slice (of the chip). Only on an idle chip. */
void partition_learn_code(partition_t *p, uint32_t slice, uint64_t line, uint32_t sm);

/* Gives a slice (of the chip) other L2 tags, of the same shape, and returns its present ones. Takes
 * and gives ownership. Only on an idle chip. */
cache_t *partition_exchange_l2(partition_t *p, uint32_t slice, cache_t *tags);

/* The L2 tags of a slice (of the chip), to touch them without time between two windows. */
l2_tags_t partition_l2_tags(partition_t *p, uint32_t slice);

/* Checkpoint of an idle partition: tags, rows, arbiters, refresh. 0, or -1 with errno. */
int partition_save(const partition_t *p, FILE *out);
int partition_load(partition_t *p, FILE *in, cycle_t latest);

/* The ports of a slice to the crossbar: replies leave, requests arrive. */
const xbar_out_t *partition_sends(const partition_t *p, uint32_t slice);
const xbar_in_t *partition_receives(const partition_t *p, uint32_t slice);

#endif
