/*
 * One DRAM channel and its controller.
 *
 * A request (the sectors of one line that move together) travels half of dram.latency, waits in
 * the read window or the write buffer, is served burst by burst, and for reads travels the other
 * half. Column commands and row commands (activates and precharges) have a bus each, as HBM's do;
 * on other parts column commands are so far apart that one bus does as well. A row command holds
 * its bus for dram.activate_slots or precharge_slots ticks. The two pseudo-channels of an HBM2
 * channel, which share their command buses, are channels here: each has half of the row commands'
 * slots, also while the other is silent; the column commands of both fit into theirs.
 *
 *   Columns: first ready, first come: of the banks whose open row has requests, the one that can
 *   go first; the oldest of several. tCCD, tCCDL (bank groups), burst length, bus turnaround.
 *   Rows: open page. A bank without work for its open row is closed, and opened for its oldest
 *   request, as early as tRAS, tRTP, tWR, tRP, tRC, tRRD and tFAW allow, while other banks move
 *   data. A request older than dram.age_limit lets no row hit of its bank go first any more.
 *   Writes wait until there are no reads or write_high of them; then they are drained until none
 *   is left, or until write_low are left and a read waits.
 *   Refresh: all banks every tREFI, or each in turn within it (tRFCSB); worked out when the channel
 *   is next used, so that an idle channel has no events.
 *
 * Data is not modelled, and a fetch does not look into the write buffer.
 */
#ifndef RUBATO_MEM_DRAM_H
#define RUBATO_MEM_DRAM_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/core/cycle.h"
#include "sim/mem/mem_params.h"
#include "sim/mem/mem_stats.h"

typedef struct dram dram_t;

/*
 * Ticks that must lie between refreshes (a lower bound of tREFI): enough to close a bank, refresh,
 * turn the bus and serve a request; with less a channel could refresh for ever. Only for tREFI > 0.
 */
uint64_t dram_min_refresh(const dram_spec_t *spec);

dram_t *dram_create(const dram_spec_t *spec, double core_mhz);
void dram_destroy(dram_t *d);

/* How many more reads (writes) the path to the controller can take, as far as was seen of it. */
uint32_t dram_room(const dram_t *d, bool write);

/* Reads (writes) that take room at the start of cycle now, of which requests have not come yet. */
uint32_t dram_waiting(const dram_t *d, bool write, cycle_t now);

static inline bool dram_has_room(const dram_t *d, bool write)
{
    return dram_room(d, write) > 0;
}

/*
 * Sends a request at core cycle now (never less than in an earlier call): the sectors (mask, one
 * at least) of the line at address local of the partition. There must be room.
 */
void dram_read(dram_t *d, cycle_t now, uint64_t local, uint32_t sectors, uint32_t token);
void dram_write(dram_t *d, cycle_t now, uint64_t local, uint32_t sectors);

/*
 * A request takes dram.latency / 2 to the controller, so what the channel does in that time depends
 * on nothing that is still to come: it is worked out at once, ahead of the slices.
 *
 * dram_next(): core cycle at which dram_run() is needed, CYCLE_NEVER if there is nothing to do.
 * dram_run(): works ahead; now is not before a cycle of which requests came.
 * Room is seen when it comes free, not before: dram_next_room() is the next cycle at whose end it
 * does, as far as was worked out; dram_see_room() lets all be seen up to the end of cycle now and
 * returns true if there was any.
 */
cycle_t dram_next(const dram_t *d);
void dram_run(dram_t *d, cycle_t now);
cycle_t dram_next_room(const dram_t *d);
bool dram_see_room(dram_t *d, cycle_t now);

/* Reads come back in the order in which their data does: the core cycle at which the next one is
 * back at the slices (CYCLE_NEVER: none was worked out). */
cycle_t dram_read_due(const dram_t *d);

/* How many were worked out, and the token of the i-th of these. */
size_t dram_reads(const dram_t *d);
uint32_t dram_read_token(const dram_t *d, size_t i);

/* The next one was dealt with. */
void dram_read_drop(dram_t *d);

/* Host-side hint that the channel will be used; reads only what never changes. ahead: see
 * shard_ops_t. */
void dram_prefetch(const dram_t *d, int ahead);

/* Nothing is on its way or waiting, and all that was read is dealt with. */
bool dram_idle(const dram_t *d);

const dram_stats_t *dram_stats(const dram_t *d);

/* Of an idle channel: rows, timing state, next refresh. 0, or -1 with errno. latest: core cycle at
 * which all that was begun is over. */
int dram_save(const dram_t *d, FILE *out);
int dram_load(dram_t *d, FILE *in, cycle_t latest);

/* What waits, for people. */
void dram_dump(const dram_t *d, FILE *out);

/* Where an address lies in the channel. */
typedef struct {
    uint64_t row;
    uint32_t bank;
} dram_place_t;

dram_place_t dram_place(const dram_t *d, uint64_t local);

#endif
