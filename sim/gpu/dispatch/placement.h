/*
 * Placement: the resource ledger of every SM, and the rule by which the block scheduler chooses an
 * SM.
 *
 * Most room: each block goes to the SM that can host the most blocks of its kind at this moment;
 * ties are broken in a fixed order of the device (Gilman et al., "Demystifying the Placement
 * Policies of the NVIDIA Thread Block Scheduler": Pascal, V100, RTX 2080 Ti).
 */
#ifndef RUBATO_GPU_PLACEMENT_H
#define RUBATO_GPU_PLACEMENT_H

#include <stdint.h>

#include "sim/gpu/dispatch/occupancy.h"

/* The resources of an SM that one block takes. */
typedef struct {
    uint32_t warps;
    uint32_t registers;
    uint64_t shared;
    uint32_t max_per_sm; /* blocks of this kind that an empty SM holds (occupancy) */
} block_need_t;

typedef struct {
    uint32_t blocks, warps, registers; /* free */
    uint64_t shared;
} sm_room_t;

typedef struct {
    uint32_t n_sms;
    sm_room_t total;   /* of an empty SM */
    sm_room_t *room;   /* owned; free on each SM */
    uint32_t *order;   /* owned; SMs in tie-break order */
    uint32_t *place;   /* owned; position of each SM in the order */
    block_need_t kind; /* of the last pick; no warps: none yet */
    uint32_t *fits;    /* owned; by position: how many more blocks of that kind fit */
} placement_t;

/* An empty SM. */
sm_room_t placement_empty_sm(const gpu_spec_t *spec);

/* order: ORDER_LINEAR 0, 1, 2, ... or ORDER_EVEN_ODD 0, 2, 4, ..., 1, 3, 5, ... */
void placement_init(placement_t *p, uint32_t n_sms, const sm_room_t *total, uint32_t order);
void placement_free(placement_t *p);

/* What a block of a launch needs. */
block_need_t placement_need(const occupancy_t *occupancy);

/* How many more blocks of this kind SM sm can host now. */
uint32_t placement_room(const placement_t *p, uint32_t sm, const block_need_t *need);

/* The SM that gets the next block; -1 if none has room. */
int placement_pick(placement_t *p, const block_need_t *need);

void placement_debit(placement_t *p, uint32_t sm, const block_need_t *need);
void placement_credit(placement_t *p, uint32_t sm, const block_need_t *need);

#endif
