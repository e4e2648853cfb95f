/*
 * The L1s of some SMs in a survey of a launch without time. Slot s of the walk (touch_walk.h) is on
 * SM s modulo the number of SMs.
 */
#ifndef RUBATO_GPU_SHADOW_L1_H
#define RUBATO_GPU_SHADOW_L1_H

#include "sim/gpu/dispatch/occupancy.h"
#include "sim/gpu/warming/touch_walk.h"

typedef struct shadow_l1 shadow_l1_t;

/* Sectors of global loads that the L1s looked up, and those that hit. */
typedef struct {
    uint64_t sectors, hits;
} shadow_l1_seen_t;

/* The L1s are empty, as at the start of a launch. bins: of blocks_per_bin blocks. */
shadow_l1_t *shadow_l1_create(const gpu_spec_t *spec, const occupancy_t *occupancy, size_t bins,
                              uint64_t blocks_per_bin);
void shadow_l1_destroy(shadow_l1_t *l);

/* Whether a slot is on one of the SMs. */
bool shadow_l1_wants(const shadow_l1_t *l, uint64_t slot);

/* Accesses of such a slot, which runs this block. */
void shadow_l1_take(shadow_l1_t *l, uint64_t slot, uint64_t block, const touch_l1_t *access,
                    size_t n);

/* What was seen, by bin. Valid until the L1s are destroyed. */
const shadow_l1_seen_t *shadow_l1_seen(const shadow_l1_t *l);

#endif
