/*
 * The memory side on its own: partitions, and SM shards that send a list of requests through real
 * crossbar ends and record every reply.
 */
#ifndef RUBATO_TESTS_MEM_HARNESS_H
#define RUBATO_TESTS_MEM_HARNESS_H

#include "sim/core/engine/engine.h"
#include "sim/mem/partition.h"

typedef struct {
    cycle_t at;        /* not sent before */
    mem_msg_t mem;     /* sm, txn: set by mem_harness_add */
    cycle_t sent;      /* cycle at which it was queued at the SM's port */
    cycle_t replied;   /* arrival of the (last) reply at the SM */
    uint8_t delivered; /* sectors delivered so far */
    uint32_t replies;
} mem_harness_request_t;

typedef struct mem_harness mem_harness_t;

/* Defaults of the tables with small numbers: partitions x slices_each slices. */
mem_config_t mem_harness_config(uint32_t partitions, uint32_t slices_each);

/* window: 0 for the smallest latency of the config. */
mem_harness_t *mem_harness_create(const mem_config_t *config, uint32_t n_sms, cycle_t window);
void mem_harness_destroy(mem_harness_t *h);

/* Adds a request of an SM; cycles of one SM must not decrease. Returns its number. */
uint32_t mem_harness_add(mem_harness_t *h, uint32_t sm, cycle_t at, const mem_msg_t *m);

/* A request that writes every byte of its sectors (writes), with one lane and one operation per
 * word. */
mem_msg_t mem_harness_message(mem_op_t op, uint64_t line, uint8_t sectors);

/* Runs until all requests are done and returns the first idle cycle. */
cycle_t mem_harness_run(mem_harness_t *h);

/* Runs until cycle `until`; requests may be under way then. */
void mem_harness_run_until(mem_harness_t *h, cycle_t until);

const mem_harness_request_t *mem_harness_request(const mem_harness_t *h, uint32_t number);
uint32_t mem_harness_count(const mem_harness_t *h);
partition_t *mem_harness_partition(mem_harness_t *h, uint32_t index);
const addr_map_t *mem_harness_map(const mem_harness_t *h);

/* Earliest time at which a request may be sent. */
cycle_t mem_harness_now(const mem_harness_t *h);

/* Saves the idle partitions of one harness and loads them into another of the same shape, with
 * the SMs' crossbar ends and time. */
void mem_harness_transplant(const mem_harness_t *from, mem_harness_t *to);

/* Sum over all partitions. */
void mem_harness_stats(const mem_harness_t *h, l2_stats_t *l2, dram_stats_t *dram);

/* Flits an SM's port received. */
uint64_t mem_harness_flits(const mem_harness_t *h, uint32_t sm);

/* A hash of all replies, their times and all counters of the memory side. */
uint64_t mem_harness_hash(const mem_harness_t *h);

#endif
