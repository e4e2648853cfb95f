/*
 * One DRAM channel and its controller.
 *
 * A request (the sectors of one line that move together) takes half of dram.latency to the
 * controller, waits in the read window or the write buffer, and is served burst by burst; read data
 * takes the other half back. Column commands and row commands (activates and precharges) each have
 * a bus, as in HBM; on other parts column commands are so far apart that one bus would do as well.
 * A row command occupies its bus for dram.activate_slots or precharge_slots ticks. The two
 * pseudo-channels of an HBM2 channel, which share their command buses, are two channels here: each
 * has half of the slots for row commands, even while the other is idle; the column commands of both
 * fit.
 *
 *   Columns: first ready, first come: of the banks with requests for their open row, the one that
 *   can go first; if several, the oldest request. tCCD, tCCDL (bank groups), burst length, bus
 *   turnaround.
 *   Rows: open page. A bank without requests for its open row is closed, and opened for its oldest
 *   request, as early as tRAS, tRTP, tWR, tRP, tRC, tRRD and tFAW allow, while other banks move
 *   data. Row hits no longer overtake a request that is older than dram.age_limit.
 *   Writes wait until there are write_high, and are then served before reads down to write_low. When
 *   no read has waited for write_wait ticks, all are drained.
 *   Error correction: a burst that is written in part is read, and the bus turned, before it is
 *   written (an HBM2 with ECC has no data mask). The next one of these turns the bus again. Without
 *   it, the mask of such a burst may take the command bus for longer than its data (tCCDM).
 *   Refresh: all banks every tREFI, or each bank in turn within it (tRFCSB). It is computed when the
 *   channel is next used, so an idle channel has no events.
 *
 * Data is not modelled, and reads do not search the write buffer.
 */
#ifndef RUBATO_MEM_DRAM_H
#define RUBATO_MEM_DRAM_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/core/cycle.h"
#include "sim/mem/mem_params.h"
#include "sim/mem/mem_stats.h"
#include "sim/stats/stats_split.h"

typedef struct dram dram_t;

/* Minimum ticks between refreshes (a lower bound of tREFI if it is not 0): enough to close a bank,
 * refresh, turn the bus and serve a request. With less a channel could refresh forever. */
uint64_t dram_min_refresh(const dram_spec_t *spec);

dram_t *dram_create(const dram_spec_t *spec, double core_mhz);
void dram_destroy(dram_t *d);

/* Whether a sector of which only some bytes were written must be read before it is written. */
bool dram_corrects(const dram_t *d);

/* How many more reads (writes) the path to the controller can take, as far as the slices can
 * see. */
uint32_t dram_room(const dram_t *d, bool write);

/* Reads (writes) that occupy room at the start of cycle now, without those sent in cycle now. */
uint32_t dram_waiting(const dram_t *d, bool write, cycle_t now);

static inline bool dram_has_room(const dram_t *d, bool write)
{
    return dram_room(d, write) > 0;
}

/* Sends a request at core cycle now (not before earlier calls): the sectors (a non-empty mask) of
 * the line at address local of the partition. There must be room. */
void dram_read(dram_t *d, cycle_t now, uint64_t local, uint32_t sectors, uint32_t token);
void dram_write(dram_t *d, cycle_t now, uint64_t local, uint32_t sectors);

/* The same; of the sectors in partial (a mask) only some bytes are written. */
void dram_write_part(dram_t *d, cycle_t now, uint64_t local, uint32_t sectors, uint32_t partial);

/*
 * A request takes dram.latency / 2 to the controller. What the channel does in that time does not
 * depend on later requests, so it is simulated at once, ahead of the slices.
 *
 * dram_next(): core cycle at which dram_run() is needed; CYCLE_NEVER if there is nothing to do.
 * dram_run(): simulates ahead; now must not be before the cycle of a request sent earlier. Slices
 * see room when it becomes free, not before. dram_next_room() is the next cycle at whose end room
 * becomes free, as far as simulated. dram_see_room() makes all room visible that became free up to
 * the end of cycle now, and returns true if there was any.
 */
cycle_t dram_next(const dram_t *d);
void dram_run(dram_t *d, cycle_t now);
cycle_t dram_next_room(const dram_t *d);
bool dram_see_room(dram_t *d, cycle_t now);

/* Reads return in the order of their data. The core cycle at which the next one is back at the
 * slice; CYCLE_NEVER if none is known yet. */
cycle_t dram_read_due(const dram_t *d);

/* Number of reads with known return cycles, and the token of the i-th of them. */
size_t dram_reads(const dram_t *d);
uint32_t dram_read_token(const dram_t *d, size_t i);

/* Removes the next read, which the slice has handled. */
void dram_read_drop(dram_t *d);

/* Host-side hint that the channel will be used; reads only what never changes. ahead: see
 * shard_ops_t. */
void dram_prefetch(const dram_t *d, int ahead);

/* Whether no request is in flight or waiting and all reads have been handled. */
bool dram_idle(const dram_t *d);

const dram_stats_t *dram_stats(const dram_t *d);

/* Counts by launch from now on, from 0, while the channel may still move data; false: stops. */
void dram_count_by_launch(dram_t *d, bool on);

/* With these counts: what is counted and requested from now on belongs to this launch; the counts. */
void dram_count_for(dram_t *d, uint16_t launch);
stats_split_t *dram_by_launch(dram_t *d);

/* Checkpoint of an idle channel: rows, timing state, next refresh. Return 0, or -1 with errno.
 * latest: core cycle by which all that was begun is over. */
int dram_save(const dram_t *d, FILE *out);
int dram_load(dram_t *d, FILE *in, cycle_t latest);

/* Prints what waits, for people. */
void dram_dump(const dram_t *d, FILE *out);

/* The location of an address in the channel. */
typedef struct {
    uint64_t row;
    uint32_t bank;
} dram_place_t;

dram_place_t dram_place(const dram_t *d, uint64_t local);

#endif
