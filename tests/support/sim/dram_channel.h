/*
 * A DRAM channel on its own: sends requests, keeps the cycle of each reply, and computes what the
 * specification says for the simplest of them.
 */
#ifndef RUBATO_TESTS_DRAM_CHANNEL_H
#define RUBATO_TESTS_DRAM_CHANNEL_H

#include "sim/core/engine/clock.h"
#include "sim/mem/dram.h"

/* All tokens of a channel are smaller than this. */
enum { DRAM_CHANNEL_TOKENS = 1 << 17 };

typedef struct {
    dram_spec_t spec;
    double core_mhz;
    clock_ratio_t clock;
    dram_t *d;
    cycle_t now;
    cycle_t *done; /* owned; cycle at which each token came back; 0: not yet */
    uint32_t n_done;
} dram_channel_t;

/* HBM2 with the default values of the tables. */
dram_spec_t dram_hbm(void);

/* A GDDR6-like channel: narrow bus, long bursts, clock faster than the core's. */
dram_spec_t dram_gddr(void);

/* Calls check for HBM2, at two latencies, and GDDR6. */
void dram_each_kind(void (*check)(const dram_spec_t *spec));

/* For a core at 1380 MHz. */
dram_channel_t *dram_channel_create(const dram_spec_t *spec);
void dram_channel_free(dram_channel_t *c);

/* Processes all events up to and including cycle to. */
void dram_channel_advance(dram_channel_t *c, cycle_t to);

/* Processes everything that was sent; returns the cycle of the last event. */
cycle_t dram_channel_finish(dram_channel_t *c);

/* An address in the n-th block of a row of a bank. */
uint64_t dram_channel_place(const dram_channel_t *c, uint32_t bank, uint64_t row, uint32_t n);

uint32_t dram_burst_ticks(const dram_spec_t *s);

/* Column commands of one row: tick of the last of n, the first at t. */
uint64_t dram_last_column(const dram_spec_t *s, uint64_t t, uint32_t n);

/* Tick at which a request that was sent at a cycle reaches the controller. */
uint64_t dram_arrival_tick(const dram_channel_t *c, cycle_t sent);

/* Cycle at which the data of a read return whose last column command is issued at tick t. */
cycle_t dram_back(const dram_channel_t *c, uint64_t t);

/* Sends n requests as fast as the queue has room, to address(i). Returns the ticks that it took. */
uint64_t dram_saturate(dram_channel_t *c, uint32_t n, uint32_t sectors, bool write,
                       uint64_t (*address)(uint64_t i));

/* Addresses for this function: consecutive lines; random lines in 16 GiB. */
uint64_t dram_in_order(uint64_t i);
uint64_t dram_scattered(uint64_t i);

#endif
