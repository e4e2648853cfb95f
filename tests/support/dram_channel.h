/*
 * A DRAM channel on its own: sends requests, keeps the cycle at which each came back, and says what
 * the specification makes of the simplest of them.
 */
#ifndef RUBATO_TESTS_DRAM_CHANNEL_H
#define RUBATO_TESTS_DRAM_CHANNEL_H

#include "sim/core/clock.h"
#include "sim/mem/dram.h"

/* Tokens of a channel are below this. */
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

/* HBM2 as in the tables' defaults. */
dram_spec_t dram_hbm(void);

/* A GDDR6-like channel: narrow bus, long bursts, clock faster than the core's. */
dram_spec_t dram_gddr(void);

/* Calls check for HBM2, at two latencies, and GDDR6. */
void dram_each_kind(void (*check)(const dram_spec_t *spec));

/* For a core at 1380 MHz. */
dram_channel_t *dram_channel_create(const dram_spec_t *spec);
void dram_channel_free(dram_channel_t *c);

/* Everything up to and including cycle to. */
void dram_channel_advance(dram_channel_t *c, cycle_t to);

/* Everything that was sent; returns the cycle of the last event. */
cycle_t dram_channel_finish(dram_channel_t *c);

/* An address in the n-th block of a row of a bank. */
uint64_t dram_channel_place(const dram_channel_t *c, uint32_t bank, uint64_t row, uint32_t n);

uint32_t dram_burst_ticks(const dram_spec_t *s);

/* Column commands of one row: tick of the last of n, the first at t. */
uint64_t dram_last_column(const dram_spec_t *s, uint64_t t, uint32_t n);

/* Tick at which what was sent at a cycle is at the controller. */
uint64_t dram_arrival_tick(const dram_channel_t *c, cycle_t sent);

/* Cycle at which a read is back whose last column command is issued at tick t. */
cycle_t dram_back(const dram_channel_t *c, uint64_t t);

/* Sends n requests as fast as there is room; address(i) gives the place. Returns ticks taken. */
uint64_t dram_saturate(dram_channel_t *c, uint32_t n, uint32_t sectors, bool write,
                       uint64_t (*address)(uint64_t i));

/* Addresses for it: one line after the other; anywhere in 16 GiB. */
uint64_t dram_in_order(uint64_t i);
uint64_t dram_scattered(uint64_t i);

#endif
