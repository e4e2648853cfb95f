/*
 * The way of requests from the SMs to the L2 through the ports that SMs share (cluster_port.h).
 *
 * SMs and partitions are shards of their own. So when a window has ended, the requests that were
 * sent in it are put in the order in which they started, pass the ports, and arrive later by what
 * these add. A request starts in the window in which it is sent, so windows do not matter. This is
 * the engine's transit; GPCs share no port, so each is a part.
 */
#ifndef RUBATO_GPU_CROSSING_H
#define RUBATO_GPU_CROSSING_H

#include "sim/core/engine/engine.h"
#include "sim/mem/mem_params.h"
#include "sim/parts/departures.h"

typedef struct crossing crossing_t;

/* NULL: the configuration has no such ports. window: the longest of the engine. */
crossing_t *crossing_create(const mem_config_t *config, cycle_t window, uint32_t n_sms);
void crossing_destroy(crossing_t *c);

/* Where an SM notes its requests. */
departure_log_t *crossing_log(crossing_t *c, uint32_t sm);

/* Hooks of the engine (engine_hooks_t). */
uint32_t crossing_sent(crossing_t *c, const engine_t *e, cycle_t from, unsigned half);
void crossing_transit(crossing_t *c, uint32_t gpc);

#endif
