/*
 * The sectors of a copy between host and device that belong to a partition, while launches overlap. A
 * copy moves its bytes in the order of their addresses at a constant rate, that of its engine; each line
 * reaches the L2 when its last byte has passed. A slice takes it before requests of SMs, because the
 * engine is much slower than a slice. What waits in a slice does not slow the copy down.
 */
#ifndef RUBATO_MEM_COPY_TRAFFIC_H
#define RUBATO_MEM_COPY_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/cycle.h"
#include "sim/core/engine/msg.h"
#include "sim/parts/addr_map.h"

/* Tag of all copies (stats_split.h); no launch has it. */
enum { COPY_TAG = UINT16_MAX };

/* Larger ones have no traffic: no memory of a GPU holds them. */
#define COPY_TRAFFIC_MAX (UINT64_C(1) << 37)

typedef struct {
    uint64_t addr, bytes; /* the end is within the address space */
    bool to_host;
    cycle_t begin;   /* when the first byte moves */
    double per_byte; /* cycles */
} copy_traffic_t;

/* A copy on its way through a partition. */
typedef struct {
    copy_traffic_t copy;
    uint64_t line; /* the next one of the partition */
    cycle_t due;   /* when it reaches the L2; CYCLE_NEVER: there is none */
} copy_pass_t;

/* Finds the first line of a partition with this many slices. */
void copy_pass_begin(copy_pass_t *p, const copy_traffic_t *copy, const addr_map_t *map,
                     uint32_t partition);

/* Takes the line that is due: the access to the L2, and the slice of the chip. */
uint32_t copy_pass_take(copy_pass_t *p, const addr_map_t *map, uint32_t partition, msg_t *out);

/* Sectors of a line that overlap [from, to). */
uint8_t copy_sectors(uint64_t line, uint64_t from, uint64_t to);

#endif
