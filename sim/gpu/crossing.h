/*
 * The way of requests from the SMs to the L2 through the ports that SMs share (cluster_port.h).
 *
 * SMs and partitions are shards of their own. So when a window has ended, the requests that were
 * sent in it are put in the order in which they started, pass the ports, and arrive later by what
 * these add. A request starts in the window in which it is sent, so windows do not matter.
 */
#ifndef RUBATO_GPU_CROSSING_H
#define RUBATO_GPU_CROSSING_H

#include "sim/core/engine.h"
#include "sim/mem/mem_params.h"
#include "sim/parts/distance.h"

typedef struct crossing crossing_t;

/* NULL: the configuration has no such ports. window: the longest of the engine. distance: as the SMs were
 * connected with; borrowed only here. Shards must be the SMs, then the partitions. */
crossing_t *crossing_create(const mem_config_t *config, const distance_t *distance, cycle_t window,
                            uint32_t n_sms);
void crossing_destroy(crossing_t *c);

/* The window that began at from has ended: delays its requests to the partitions. Windows in which SMs send
 * data must be marked (engine_mark()). */
void crossing_pass(crossing_t *c, engine_t *e, cycle_t from);

#endif
