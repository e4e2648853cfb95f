/*
 * Memory management unit of the chip: one shard. It answers the SMs whose TLBs lack a translation:
 * after mmu.lookup cycles if it has walked the page table for it before, otherwise mmu.walk cycles
 * later. Walks for different entries go on at the same time, without limit; who asks for an entry
 * that is being walked gets it when the walk is over.
 */
#ifndef RUBATO_MEM_MMU_H
#define RUBATO_MEM_MMU_H

#include <stdio.h>

#include "sim/core/engine.h"
#include "sim/mem/mem_params.h"

typedef struct mmu mmu_t;

extern const shard_ops_t mmu_shard_ops;

/* entry_bytes: what an entry covers, a power of two; sm_shard: shard of each SM. Both pointers are
 * borrowed. */
mmu_t *mmu_create(const mmu_spec_t *spec, uint32_t entry_bytes, const uint16_t *sm_shard);
void mmu_destroy(mmu_t *m);

/* The page table is walked for an entry without time. */
void mmu_learn(mmu_t *m, uint64_t entry);

/* Checkpoint of an idle MMU. 0, or -1 with errno. */
int mmu_save(const mmu_t *m, FILE *out);
int mmu_load(mmu_t *m, FILE *in);

#endif
